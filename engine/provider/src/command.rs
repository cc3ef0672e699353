//! The command: finds, starts and configures a provider and checks its promises; or judges saved findings again.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::schema::Schema;
use planfuzz_core::value::{Text, Value};
use planfuzz_engine::plugin::{Category, Plugin, ProviderSchema};
use planfuzz_files::bounded;
use planfuzz_files::draft::{sweep, write_whole};

use crate::args::ProviderArgs;
use crate::campaign::{Applies, Campaign};
use crate::ending::{Kept, MAX_FILE, ProviderError, file_error, read_json};
use crate::journal::{Journal, Orphan};
use crate::leftovers::{Cleaned, Cleaner};
use crate::model::{Modelled, hold};
use crate::outcome::CampaignReport;
use crate::report;
use crate::saved::Saved;
use crate::seeds::Seeds;
use crate::source::Source;
use crate::subject::Subject;

/// Reads a user's file that is not JSON, by its name and content; returns documents with the values in it.
pub type ReadSeeds<'a> = &'a dyn Fn(&Path, &[u8]) -> Result<Vec<Json>, String>;

/// Why an object may be left behind.
const NEVER_ANSWERED: &str = "what an apply made that never answered, if it made anything";

/// Runs the command. `out` receives the results line by line.
///
/// # Errors
/// The provider cannot be asked, or an input is invalid. A broken promise is not an error.
pub fn run(
    args: &ProviderArgs,
    read_seeds: ReadSeeds<'_>,
    stop: &'static AtomicBool,
    out: &mut dyn FnMut(&str),
) -> Result<Kept, ProviderError> {
    if !args.replay.is_empty() {
        let saved = Saved::read(&args.replay)?;
        let saved = saved.ok_or_else(|| ProviderError::Input("expected cases of providers alone".into()))?;
        return saved.replay(args.json, out);
    }
    let source = Source::new(args, stop)?;
    let mut plugin = source.start()?;
    let provider_schema = plugin.schemas().map_err(|problem| ProviderError::Call { what: "schema", problem })?;
    let config = provider_config(args.config.as_deref(), &provider_schema.provider, args.dialect)?;
    source.configure(&mut plugin, &provider_schema, &config)?;
    plugin.end();
    let types = chosen(args, &provider_schema)?;
    let start = || {
        let mut plugin = source.start()?;
        plugin.expect_meta(provider_schema.has_meta);
        // A process that is not configured would answer otherwise than the first one.
        source.configure(&mut plugin, &provider_schema, &config)?;
        Ok(plugin)
    };
    let applied: BTreeSet<String> = args.apply.iter().cloned().collect();
    let seeds = seeds(args, read_seeds)?;
    let in_findings = |problem| file_error(&args.findings, problem);
    // What killed runs left.
    if let Some((draft, problem)) = sweep(&args.findings).into_iter().next() {
        return Err(file_error(&draft, problem));
    }
    let journal = if applied.is_empty() { None } else { Some(Journal::begin(&args.findings).map_err(in_findings)?) };
    let asked = Asked { args, schema: &provider_schema, types: &types, applied: &applied, start: &start };
    let cleaned = asked.clean(journal.as_ref())?;
    let mut outcome = asked.campaign(journal.as_ref(), &seeds).run();
    outcome.take(cleaned);
    outcome.uncovered = provider_schema.uncovered.clone();
    for (name, of) in &mut outcome.types {
        of.has_identity = types.get(name).is_some_and(|subject| subject.identity.is_some());
    }
    let unanswered = journal.as_ref().map(Journal::unanswered).unwrap_or_default();
    outcome.left.extend(unanswered.iter().map(|(_, name)| (name.clone(), NEVER_ANSWERED.to_owned())));
    let held = asked.report(&outcome, out)?;
    if let Some(journal) = journal {
        // They have been reported.
        unanswered.iter().for_each(|(number, _)| journal.is_gone(*number));
        journal.end().map_err(in_findings)?;
    }
    Ok(held)
}

/// Starts a configured provider.
type Start<'a> = &'a (dyn Fn() -> Result<Plugin, ProviderError> + Sync);

/// What is asked of a provider.
struct Asked<'a> {
    args: &'a ProviderArgs,
    schema: &'a ProviderSchema,
    /// The types, by address.
    types: &'a BTreeMap<String, Subject>,
    /// The types whose objects may be made and destroyed.
    applied: &'a BTreeSet<String>,
    start: Start<'a>,
}

impl<'a> Asked<'a> {
    /// Destroys what an earlier run left, if this one may apply.
    fn clean(&self, journal: Option<&Journal>) -> Result<Cleaned, ProviderError> {
        let in_findings = |problem| file_error(&self.args.findings, problem);
        let orphans = Orphan::all(&self.args.findings).map_err(in_findings)?;
        let Some(journal) = journal.filter(|_| !orphans.is_empty()) else { return Ok(Cleaned::untouched(&orphans)) };
        let mut cleaner = Cleaner {
            plugin: &mut (self.start)()?,
            types: self.types,
            applied: self.applied,
            journal,
            dialect: self.args.dialect,
            plan_destroy: self.schema.plan_destroy,
        };
        cleaner.clean(orphans).map_err(in_findings)
    }

    fn campaign(&self, journal: Option<&'a Journal>, seeds: &'a Seeds) -> Campaign<'a> {
        let args = self.args;
        let applies = journal.map(|journal| Applies { types: self.applied, most_objects: args.most_objects, journal });
        Campaign {
            start: self.start,
            dialect: args.dialect,
            types: self.types,
            plan_destroy: self.schema.plan_destroy,
            seed: args.seed,
            until: Instant::now() + args.time,
            most_runs: args.runs.unwrap_or(u64::MAX),
            jobs: usize::from(args.jobs),
            applies,
            is_unconfigured: args.unconfigured,
            seeds,
            findings: &args.findings,
            collects: args.model,
        }
    }

    fn report(&self, outcome: &CampaignReport, out: &mut dyn FnMut(&str)) -> Result<Kept, ProviderError> {
        let modelled = if self.args.model { modelled(self.types, outcome) } else { Vec::new() };
        let problems = schema_problems(self.args, self.schema);
        let schema = self.schema;
        let all = schema.resources.len() + schema.data_sources.len() + schema.ephemerals.len();
        write_report(self.args, outcome, all, &problems, &modelled, out)
    }
}

/// Compares the model with the collected plans, by resource type.
fn modelled(types: &BTreeMap<String, Subject>, outcome: &CampaignReport) -> Vec<(String, Modelled)> {
    let is_resource = |name: &str| Category::of_address(name).0 == Category::Resource;
    let of = |(name, subject): (&String, &Subject)| {
        let plans = outcome.plans.get(name).map_or(&[][..], Vec::as_slice);
        (name.clone(), hold(&subject.schema, plans))
    };
    types.iter().filter(|(name, _)| is_resource(name)).map(of).collect()
}

/// The provider's own configuration: that of the file, or one that sets nothing.
fn provider_config(file: Option<&Path>, schema: &Schema, dialect: Dialect) -> Result<Value, ProviderError> {
    let Some(path) = file else { return Ok(schema.block.empty_value(dialect)) };
    let json = read_json(path)?;
    let written = Value::from_stored_json_or_absent(&json, &schema.implied_type(dialect))
        .map_err(|problem| ProviderError::Json { path: path.display().to_string(), problem })?;
    let coerced = schema.coerce(&without_absent_blocks(&written, schema), dialect);
    coerced.map_err(|problem| ProviderError::Input(format!("{}: {problem}", path.display())))
}

/// The configuration without the blocks that the file leaves out: coercion makes these empty, and leaves null ones null.
fn without_absent_blocks(written: &Value, schema: &Schema) -> Value {
    if written.is_null() {
        return written.clone();
    }
    let is_block = |name: &Text| schema.block.block_types.get(name).is_some();
    let given = written.view().entries().filter(|(name, member)| !(member.is_null() && is_block(name)));
    Value::object(given.map(|(name, member)| (name.clone(), member.to_value())).collect())
}

/// The names that begin most like a name: a provider can have thousands.
fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n String>) -> Vec<&'n str> {
    const SHOWN: usize = 5;
    let alike = |other: &str| name.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    let mut known: Vec<&str> = known.map(String::as_str).collect();
    known.sort_by_key(|other| std::cmp::Reverse(alike(other)));
    known.truncate(SHOWN);
    known
}

fn chosen(args: &ProviderArgs, provider_schema: &ProviderSchema) -> Result<BTreeMap<String, Subject>, ProviderError> {
    let all: BTreeMap<String, &Schema> = schemas(provider_schema).collect();
    for name in args.types.iter().chain(&args.apply) {
        if !all.contains_key(name) {
            let nearest = nearest(name, all.keys()).join(", ");
            let message =
                format!("expected one of the provider's {} types, found {name}: nearest are {nearest}", all.len());
            return Err(ProviderError::Input(message));
        }
    }
    let is_chosen = |name: &String| args.types.is_empty() || args.types.contains(name) || args.apply.contains(name);
    let chosen = all.into_iter().filter(|(name, schema)| is_chosen(name) && schema.is_valid(args.dialect));
    let subject = |(name, schema): (String, &Schema)| {
        // Only resources have identities; the address of a resource is its name.
        let subject = Subject::new(&name, schema, provider_schema.identities.get(&name), args.dialect);
        (name, subject)
    };
    Ok(chosen.map(subject).collect())
}

/// All types, by address.
fn schemas(provider_schema: &ProviderSchema) -> impl Iterator<Item = (String, &Schema)> {
    let all = [
        (Category::Resource, &provider_schema.resources),
        (Category::Data, &provider_schema.data_sources),
        (Category::Ephemeral, &provider_schema.ephemerals),
    ];
    all.into_iter().flat_map(|(category, of)| of.iter().map(move |(name, schema)| (category.address(name), schema)))
}

/// Problems of the schemas; an engine refuses the whole provider for any of them.
fn schema_problems(args: &ProviderArgs, provider_schema: &ProviderSchema) -> Vec<String> {
    let faults = provider_schema.faults.iter().map(|it| format!("{} {}: {}", it.type_name, it.place, it.problem));
    let invalid = schemas(provider_schema)
        .flat_map(|(name, schema)| schema.problems(args.dialect).into_iter().map(move |it| format!("{name}: {it}")));
    let errors = provider_schema
        .diagnostics
        .iter()
        .filter(|it| it.is_error())
        .map(|it| format!("{}: {}", it.summary, it.detail));
    faults.chain(invalid).chain(errors).collect()
}

fn seeds(args: &ProviderArgs, read: ReadSeeds<'_>) -> Result<Seeds, ProviderError> {
    let mut seeds = Seeds::default();
    for path in &args.seeds {
        let bytes = bounded::read(path, MAX_FILE).map_err(|problem| file_error(path, problem))?;
        match Json::parse_bytes(&bytes) {
            Ok(json) => seeds.add(&json),
            Err(_) => {
                let in_file = |problem: String| ProviderError::Input(format!("{}: {problem}", path.display()));
                read(path, &bytes).map_err(in_file)?.iter().for_each(|json| seeds.add(json));
            }
        }
    }
    Ok(seeds)
}

fn write_report(
    args: &ProviderArgs,
    outcome: &CampaignReport,
    types: usize,
    problems: &[String],
    modelled: &[(String, Modelled)],
    out: &mut dyn FnMut(&str),
) -> Result<Kept, ProviderError> {
    for problem in problems {
        out(&match args.json {
            true => Json::object([("schema_problem", Json::string(problem))]).to_compact(),
            false => format!("schema: {problem}"),
        });
    }
    for finding in &outcome.findings {
        out(&match args.json {
            true => report::finding_line(finding).to_compact(),
            false => report::finding_text(finding) + "\n",
        });
    }
    for (name, of) in modelled {
        out(&match args.json {
            true => report::model_line(name, of).to_compact(),
            false => report::model_text(name, of),
        });
    }
    if args.json {
        outcome.types.iter().for_each(|(name, of)| out(&report::type_line(name, of).to_compact()));
        out(&report::whole_line(outcome, types).to_compact());
    } else {
        out(&report::page(outcome, types, args.verbose));
    }
    if let Some(path) = &args.sarif {
        write(path, report::sarif(&outcome.findings).to_compact().as_bytes())?;
    }
    if let Some(path) = &args.junit {
        let bytes = report::junit(outcome).map_err(|problem| file_error(path, problem))?;
        write(path, &bytes)?;
    }
    if let Some((path, problem)) = &outcome.unwritten {
        let problem = io::Error::new(problem.kind(), problem.to_string());
        return Err(file_error(path, problem));
    }
    if outcome.types.values().all(|of| of.configs == 0) {
        let why = if outcome.lost.is_empty() { "the time was over".to_owned() } else { outcome.lost.join("; ") };
        return Err(ProviderError::Input(format!("nothing was asked about any type: {why}")));
    }
    let is_apart = |of: &Modelled| matches!(of, Modelled::Compared(fit) if !fit.holds());
    let is_modelled = !modelled.iter().any(|(_, of)| is_apart(of));
    let holds = outcome.findings.is_empty() && problems.is_empty() && outcome.left.is_empty() && is_modelled;
    Ok(if holds { Kept::Yes } else { Kept::No })
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), ProviderError> {
    write_whole(path, |file| file.write_all(bytes)).map_err(|problem| file_error(path, problem))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config_of(schema: &str, file: &str) -> Result<String, ProviderError> {
        let folder = tempfile::tempdir().expect("a directory");
        let path = folder.path().join("provider.json");
        std::fs::write(&path, file).expect("a file");
        let schema = Schema::parse(schema).expect("a schema");
        let ty = schema.implied_type(Dialect::default());
        provider_config(Some(&path), &schema, Dialect::default()).map(|value| value.to_json(&ty).to_compact())
    }

    #[test]
    fn a_configuration_may_be_partial_and_its_blocks_are_empty_then() {
        let schema = r#"{"block":{
            "attributes":{"a":{"type":"string","required":true},"b":{"type":"number","optional":true}},
            "block_types":{"l":{"nesting_mode":"list","block":{}},"s":{"nesting_mode":"single","block":{}}}}}"#;
        assert_eq!(config_of(schema, "{}").ok().as_deref(), Some(r#"{"a":null,"b":null,"l":[],"s":null}"#));
        let given = config_of(schema, r#"{"b":"7","l":[{}]}"#);
        assert_eq!(given.ok().as_deref(), Some(r#"{"a":null,"b":7,"l":[{}],"s":null}"#));
    }

    #[test]
    fn a_configuration_that_does_not_fit_is_an_error_that_names_the_file() {
        let schema = r#"{"block":{"block_types":{"l":{"nesting_mode":"list","block":{
            "attributes":{"x":{"type":"dynamic","optional":true}}}}}}}"#;
        // Blocks with a dynamic attribute are written with their type.
        match config_of(schema, r#"{"l":{"type":"string","value":"q"}}"#) {
            Err(ProviderError::Input(error)) => assert!(error.contains("provider.json: "), "{error}"),
            other => panic!("expected a string in the place of blocks to be an input error, found {other:?}"),
        }
    }
}
