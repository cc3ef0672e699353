//! The command: finds, starts and configures a provider and checks its promises; or judges saved findings again.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use planfuzz_core::json::Json;
use planfuzz_core::schema::Schema;
use planfuzz_core::value::Value;
use planfuzz_engine::plugin::{Category, ProviderSchema};

use crate::args::ProviderArgs;
use crate::campaign::{Applies, Campaign};
use crate::commit::write_whole;
use crate::ending::{Held, ProviderError, file_error, read_json};
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

/// Runs the command. `out` receives the results line by line.
///
/// # Errors
/// The provider cannot be asked, or an input is invalid. A broken promise is not an error.
pub fn run(
    args: &ProviderArgs,
    read_seeds: ReadSeeds<'_>,
    stop: &'static AtomicBool,
    out: &mut dyn FnMut(&str),
) -> Result<Held, ProviderError> {
    if !args.replay.is_empty() {
        let saved = Saved::read(&args.replay)?;
        let saved = saved.ok_or_else(|| ProviderError::Input("expected cases of providers alone".into()))?;
        return saved.replay(args.json, out);
    }
    let source = Source::new(args, stop)?;
    let mut plugin = source.start()?;
    let provider_schema = plugin.schemas().map_err(|problem| ProviderError::Call { what: "schema", problem })?;
    let config = provider_config(args, &provider_schema)?;
    let diagnostics = source.configure(&mut plugin, &provider_schema, &config)?;
    if let Some(error) = diagnostics.iter().find(|it| it.is_error()) {
        return Err(ProviderError::Refused(format!("{}: {}", error.summary, error.detail)));
    }
    plugin.end();
    let types = chosen(args, &provider_schema)?;
    let problems = schema_problems(args, &provider_schema);
    let start = || {
        let mut plugin = source.start()?;
        plugin.expect_meta(provider_schema.has_meta);
        // The first process already answered this.
        source.configure(&mut plugin, &provider_schema, &config).ok();
        Ok(plugin)
    };
    let applied: BTreeSet<String> = args.apply.iter().cloned().collect();
    let seeds = seeds(args, read_seeds)?;
    let in_findings = |problem| file_error(&args.findings, problem);
    let journal = if applied.is_empty() { None } else { Some(Journal::begin(&args.findings).map_err(in_findings)?) };
    let orphans = Orphan::all(&args.findings).map_err(in_findings)?;
    let cleaned = match &journal {
        Some(journal) if !orphans.is_empty() => {
            let mut plugin = start()?;
            let (dialect, plan_destroy) = (args.dialect, provider_schema.plan_destroy);
            let mut cleaner =
                Cleaner { plugin: &mut plugin, types: &types, applied: &applied, journal, dialect, plan_destroy };
            cleaner.clean(orphans).map_err(in_findings)?
        }
        _ => Cleaned::untouched(&orphans),
    };
    let applies = journal.as_ref();
    let applies = applies.map(|journal| Applies { types: &applied, most_objects: args.most_objects, journal });
    let campaign = Campaign {
        start: &start,
        dialect: args.dialect,
        types: &types,
        plan_destroy: provider_schema.plan_destroy,
        seed: args.seed,
        until: Instant::now() + args.time,
        most_runs: args.runs.unwrap_or(u64::MAX),
        jobs: usize::from(args.jobs),
        applies,
        is_unconfigured: args.unconfigured,
        seeds: &seeds,
        findings: &args.findings,
        collects: args.model,
    };
    let mut outcome = campaign.run();
    outcome.left.extend(cleaned.left);
    outcome.cleaned = cleaned.destroyed;
    outcome.uncovered = provider_schema.uncovered.clone();
    for (name, of) in &mut outcome.types {
        of.has_identity = types.get(name).is_some_and(|subject| subject.identity.is_some());
    }
    let modelled = if args.model { modelled(&types, &outcome) } else { Vec::new() };
    let unanswered = journal.as_ref().map(Journal::unanswered).unwrap_or_default();
    let why = "what an apply made that never answered, if it made anything";
    outcome.left.extend(unanswered.iter().map(|(_, name)| (name.clone(), why.to_owned())));
    let all = provider_schema.resources.len() + provider_schema.data_sources.len() + provider_schema.ephemerals.len();
    let held = write_report(args, &outcome, all, &problems, &modelled, out)?;
    if let Some(journal) = journal {
        // They have been reported.
        unanswered.iter().for_each(|(number, _)| journal.is_gone(*number));
        journal.end().map_err(in_findings)?;
    }
    Ok(held)
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
fn provider_config(args: &ProviderArgs, provider_schema: &ProviderSchema) -> Result<Value, ProviderError> {
    let ty = provider_schema.provider.implied_type(args.dialect);
    let empty = provider_schema.provider.block.empty_value(args.dialect);
    let Some(path) = &args.config else { return Ok(empty) };
    let json = read_json(path)?;
    let written = Value::from_stored_json_or_absent(&json, &ty)
        .map_err(|problem| ProviderError::Json { path: path.display().to_string(), problem })?;
    // Blocks that are left out are empty, not null.
    Ok(provider_schema.provider.block.coerce(&written, args.dialect).unwrap_or(written))
}

fn chosen(args: &ProviderArgs, provider_schema: &ProviderSchema) -> Result<BTreeMap<String, Subject>, ProviderError> {
    let all: BTreeMap<String, &Schema> = schemas(provider_schema).collect();
    for name in args.types.iter().chain(&args.apply) {
        if !all.contains_key(name) {
            let known: Vec<&str> = all.keys().map(String::as_str).collect();
            let message = format!("expected a type of the provider ({}), found {name}", known.join(", "));
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
        let bytes = fs::read(path).map_err(|problem| file_error(path, problem))?;
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
) -> Result<Held, ProviderError> {
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
    let is_apart = |of: &Modelled| matches!(of, Modelled::Held(held) if !held.holds());
    let is_modelled = !modelled.iter().any(|(_, of)| is_apart(of));
    let holds = outcome.findings.is_empty() && problems.is_empty() && outcome.left.is_empty() && is_modelled;
    Ok(if holds { Held::Yes } else { Held::No })
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), ProviderError> {
    write_whole(path, bytes).map_err(|problem| file_error(path, problem))
}
