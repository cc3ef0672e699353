//! The cases of a command: from the generator with a preset, real schemas, a state file, or the tiny scope.

use std::collections::BTreeSet;
use std::hash::{BuildHasher, RandomState};
use std::path::Path;
use std::sync::Arc;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::schema::{ProviderSchemas, Schema};

use super::args::{Dialects, GeneratorArgs, Preset, RunArgs, SubjectArgs};
use super::error::CliError;
use super::kept::OfState;
use super::names::ops_in_words;
use super::output::{self, NOTE, styled};
use super::totals::TypesVisited;
use super::{files, subjects};
use crate::campaign::{Reader, Source, Stream};
use crate::case::Op;
use crate::generate::{Calls, Catalogue, Exhaustive, Generator, Mix, Scope, Settings, Share, all_small, small_count};

/// The cases of a command.
pub struct Cases {
    origin: Origin,
    seed: String,
    description: String,
    total: Option<u64>,
    dialects: Vec<Dialect>,
}

/// The generator's cases by number.
struct Generated {
    settings: Settings,
    catalogue: Arc<Catalogue>,
    dialects: Vec<Dialect>,
    seed: u64,
    share: Share,
    refreshes: bool,
}

impl Generated {
    fn cases(&self) -> Mix {
        let generator = || {
            let generator = Generator::new(self.settings.clone());
            generator.in_dialects(&self.dialects).with_catalogue(self.catalogue.clone())
        };
        let mix = Mix::new([generator(), generator(), generator(), generator()], self.seed, self.share);
        if self.refreshes { mix } else { mix.without_refreshes() }
    }
}

impl Source for Generated {
    fn open(&self) -> Box<dyn Reader + '_> {
        Box::new(self.cases())
    }
}

/// The source of a command's cases.
enum Origin {
    Generated(Generated),
    TinyScope(Box<dyn Source>),
    /// Workspaces that begin with a state.
    Kept(OfState),
}

impl Cases {
    /// The cases of `run`: generated ones, or every case of the tiny scope. `seed` is that of a resumed campaign.
    ///
    /// # Errors
    /// Bad options, and schema files that cannot be read.
    pub fn of(args: &RunArgs, seed: Option<&str>) -> Result<Cases, CliError> {
        // An engine follows one dialect; otherwise each has a share, unless one is named.
        let is_one = args.exhaustive || subjects::has_engine(&args.subjects);
        let dialects = args.subjects.dialect.unwrap_or(if is_one { Dialects::default() } else { Dialects::All });
        if let Some(state) = &args.state {
            let dialects = args.subjects.dialect.unwrap_or_default().list();
            return Cases::of_state(state, args, &dialects, seed);
        }
        if args.exhaustive && share(&args.subjects.ops, Share::All)? == Share::Workspaces {
            return Ok(Cases::small_workspaces(dialects.list()));
        }
        if args.exhaustive {
            return Ok(Cases::exhaustive(dialects.list()));
        }
        let share = share(&args.subjects.ops, of_run(&args.subjects))?;
        Cases::generated(&args.generator, &dialects.list(), seed, share)
    }

    /// Workspaces that begin with a state.
    fn of_state(path: &Path, args: &RunArgs, dialects: &[Dialect], seed: Option<&str>) -> Result<Cases, CliError> {
        if args.subjects.ops.iter().any(|op| *op != Op::Workspace) {
            return Err(CliError::input("expected no --op but workspace beside --state"));
        }
        let text = self::seed(args.generator.seed.as_deref().or(seed))?;
        let of = OfState::read(path, args, dialects, parse_seed(&text)?)?;
        let description = format!("kept workspaces of {} in {}", path.display(), in_words(dialects));
        let (origin, dialects) = (Origin::Kept(of), dialects.to_vec());
        Ok(Cases { origin, seed: text, description, total: None, dialects })
    }

    /// The generator's cases, each in one of the dialects.
    ///
    /// # Errors
    /// As [`Cases::of`].
    pub fn generated(
        args: &GeneratorArgs,
        dialects: &[Dialect],
        seed: Option<&str>,
        share: Share,
    ) -> Result<Cases, CliError> {
        let text = self::seed(args.seed.as_deref().or(seed))?;
        let seed = parse_seed(&text)?;
        let share = if args.plans { Share::Plans } else { share };
        let (name, mut settings) = preset(args.preset);
        settings.only_real = args.only_schemas;
        let catalogue = if args.schemas.is_empty() { Catalogue::default() } else { catalogue(args, dialects)? };
        let of = match (catalogue.len(), args.only_schemas) {
            (0, _) => String::new(),
            (types, true) => format!(" of {types} resource types"),
            (types, false) => format!(" of {types} resource types and of invented ones"),
        };
        let what = match share {
            Share::Everything { .. } | Share::All | Share::Planned => "cases",
            Share::Calls(_) => "calls",
            Share::Expressions => "expressions",
            Share::Workspaces => "workspaces",
            Share::Merges => "merges",
            Share::Scenarios => "scenarios",
            Share::Plans => "plans",
        };
        let refreshes = !args.no_refresh;
        let without = if refreshes { "" } else { " without refreshes" };
        let description = format!("{name} {what}{of}{without} in {}", in_words(dialects));
        let (catalogue, dialects) = (Arc::new(catalogue), dialects.to_vec());
        let all = dialects.clone();
        let origin = Origin::Generated(Generated { settings, catalogue, dialects, seed, share, refreshes });
        Ok(Cases { origin, seed: text, description, total: None, dialects: all })
    }

    fn exhaustive(dialects: Vec<Dialect>) -> Cases {
        let scopes = [Scope::ONE_ATTRIBUTE, Scope::TWO_ATTRIBUTES];
        let each: Vec<_> = dialects.iter().flat_map(|dialect| scopes.map(|scope| (scope, *dialect))).collect();
        let total: u64 = each.iter().map(|(scope, dialect)| Exhaustive::count(*scope, *dialect) as u64).sum();
        let cases = each.into_iter().flat_map(|(scope, dialect)| Exhaustive::new(scope, dialect));
        let description = format!("all {total} cases of the tiny scope in {}", in_words(&dialects));
        let origin = Origin::TinyScope(Box::new(Stream::new(cases)));
        Cases { origin, seed: "none".to_owned(), description, total: Some(total), dialects }
    }

    /// Every pair of actions of two resources that depend on each other, every way in which two instances can be stored, and every kind of
    /// value in every place of a configuration.
    fn small_workspaces(dialects: Vec<Dialect>) -> Cases {
        let total = small_count(dialects.len());
        let description = format!(
            "all {total} small workspaces (pairs of actions, stored instances, values in every place) in {}",
            in_words(&dialects)
        );
        let origin = Origin::TinyScope(Box::new(Stream::new(all_small(&dialects))));
        Cases { origin, seed: "none".to_owned(), description, total: Some(total), dialects }
    }

    /// The dialects of the cases.
    pub fn dialects(&self) -> &[Dialect] {
        &self.dialects
    }

    /// The first of them.
    pub fn first_dialect(&self) -> Dialect {
        self.dialects.first().copied().unwrap_or_default()
    }

    /// What a campaign with these options does not test, a sentence each.
    pub fn not_asked(&self, args: &RunArgs) -> Vec<String> {
        let mut left = Vec::new();
        let others: Vec<Dialect> =
            Dialect::ALL.into_iter().filter(|dialect| !self.dialects.contains(dialect)).collect();
        if !others.is_empty() {
            let how = match subjects::has_engine(&args.subjects) {
                true => "an engine has one; without it --dialect all asks them",
                false => "--dialect all asks them",
            };
            left.push(format!("dialects {}: {how}", in_words(&others)));
        }
        if !args.subjects.ops.is_empty() && args.state.is_none() {
            left.push(format!("operations other than {}", ops_in_words(&args.subjects.ops)));
        }
        if !self.has_workspaces() && (args.subjects.ops.is_empty() || args.subjects.ops.contains(&Op::Workspace)) {
            left.push(match subjects::has_program(&args.subjects) {
                true => "whole workspaces: programs are asked none".to_owned(),
                false => "whole workspaces: --op workspace alone asks them".to_owned(),
            });
        }
        if args.generator.schemas.is_empty() && !args.exhaustive && args.state.is_none() {
            left.push("schemas of real providers: --schemas FILE takes them".to_owned());
        }
        // Of a state, an engine is asked only about the providers that generated cases have.
        if !subjects::has_engine(&args.subjects) && args.state.is_none() {
            left.push("a real engine: --subject terraform takes part".to_owned());
        }
        left
    }

    /// Whether there are whole workspaces among them.
    fn has_workspaces(&self) -> bool {
        match &self.origin {
            Origin::Generated(generated) => matches!(generated.share, Share::Everything { .. } | Share::Workspaces),
            Origin::TinyScope(_) => false,
            Origin::Kept(_) => true,
        }
    }

    /// The number of cases, if the source ends.
    pub fn total(&self) -> Option<u64> {
        self.total
    }

    /// The source.
    pub fn source(&self) -> &dyn Source {
        match &self.origin {
            Origin::Generated(generated) => generated,
            Origin::TinyScope(source) => &**source,
            Origin::Kept(source) => source,
        }
    }

    /// The generator's cases by number; `None` if the cases are not generated.
    pub fn numbered(&self) -> Option<Mix> {
        match &self.origin {
            Origin::Generated(generated) => Some(generated.cases()),
            Origin::TinyScope(_) | Origin::Kept(_) => None,
        }
    }

    /// The preset's name and the seed: the prefix of the ids of generated cases.
    pub fn stem(&self) -> String {
        format!("{}-{}", self.description.split(' ').next().unwrap_or_default(), self.seed)
    }

    /// The resource types of `--schemas` that the first `count` cases visit; `None` without `--schemas`.
    pub fn types_visited(&self, count: u64) -> Option<TypesVisited> {
        match &self.origin {
            Origin::Generated(generated) if !generated.catalogue.is_empty() => {
                let (visited, of) = (generated.cases().types_visited(count), generated.catalogue.len());
                Some(TypesVisited { visited: visited as u64, of: of as u64 })
            }
            Origin::Generated(_) | Origin::TinyScope(_) | Origin::Kept(_) => None,
        }
    }

    /// The seed, as given.
    pub fn seed(&self) -> &str {
        &self.seed
    }

    /// A description of the cases: the same for the same options.
    pub fn describe(&self) -> String {
        self.description.clone()
    }
}

/// The share of a campaign without `--op`: calls of shared operations if a subject for them takes part, and whole workspaces if all
/// subjects are in this process. An engine takes a second for a workspace and is asked one only with `--op`; a program is never
/// asked one.
fn of_run(args: &SubjectArgs) -> Share {
    let names = subjects::names(args);
    let calls = names.iter().any(|name| subjects::answers_shared_calls(name));
    match names.iter().all(|name| subjects::is_of_this_process(name)) {
        true => Share::Everything { calls },
        false if calls => Share::All,
        false => Share::Planned,
    }
}

/// The share for these operations only; `of_all` if there are none.
///
/// # Errors
/// An operation whose cases are not generated.
pub fn share(ops: &[Op], of_all: Share) -> Result<Share, CliError> {
    if let Some((op, from)) = ops.iter().find_map(|op| op.recorded_from().map(|from| (op, from))) {
        let problem = format!("cases of {op} are not generated but recorded from those of --op {from}");
        return Err(CliError::input(problem));
    }
    let all = |is: fn(Op) -> bool| ops.iter().all(|op| is(*op));
    Ok(if ops.is_empty() {
        of_all
    } else if all(|op| op == Op::Scenario) {
        Share::Scenarios
    } else if all(Op::is_merge) {
        Share::Merges
    } else if all(|op| op == Op::Expression) {
        Share::Expressions
    } else if all(|op| op == Op::Workspace) {
        Share::Workspaces
    } else if all(Op::is_shared) {
        Share::Calls(Calls {
            values: ops.iter().any(|op| op.is_value()),
            schemas: ops.iter().any(|op| op.is_schema()),
            files: ops.iter().any(|op| op.is_file()),
            steps: ops.iter().any(|op| op.is_provider()),
        })
    } else if ops.contains(&Op::Workspace) {
        Share::Everything { calls: true }
    } else {
        Share::All
    })
}

fn in_words(dialects: &[Dialect]) -> String {
    let names: Vec<String> = dialects.iter().map(Dialect::to_string).collect();
    names.join(", ")
}

/// A preset's name and settings.
fn preset(preset: Preset) -> (&'static str, Settings) {
    match preset {
        Preset::Tiny => ("tiny", Settings::TINY),
        Preset::Small => ("small", Settings::SMALL),
        Preset::Medium => ("medium", Settings::MEDIUM),
        Preset::Large => ("large", Settings::LARGE),
        Preset::Hostile => ("hostile", Settings::HOSTILE),
        Preset::Mixed => ("mixed", Settings::MIXED),
    }
}

/// The resource types of the schema files that are to be used.
fn catalogue(args: &GeneratorArgs, dialects: &[Dialect]) -> Result<Catalogue, CliError> {
    let mut types: Vec<(String, Schema)> = Vec::new();
    for path in &args.schemas {
        types.extend(read_schemas(path)?);
    }
    let wanted: BTreeSet<&str> = args.types.iter().map(String::as_str).collect();
    if let Some(missing) = wanted.iter().find(|name| !types.iter().any(|(found, _)| found == **name)) {
        return Err(CliError::input(format!(
            "expected the resource type {missing} in --schemas, found none of that name"
        )));
    }
    if !wanted.is_empty() {
        types.retain(|(name, _)| wanted.contains(name.as_str()));
    }
    let (catalogue, invalid) = Catalogue::new(types).valid_in(dialects);
    if !invalid.is_empty() {
        let text = format!(
            "left out {} resource types that are not valid in {}: {}",
            invalid.len(),
            in_words(dialects),
            invalid.join(", ")
        );
        output::report(&styled(NOTE, text));
    }
    if catalogue.is_empty() {
        return Err(CliError::input("expected resource types in --schemas, found none that can be used"));
    }
    Ok(catalogue)
}

/// The resource types of one file.
fn read_schemas(path: &Path) -> Result<Vec<(String, Schema)>, CliError> {
    let json = files::read_json(path)?;
    let schemas = ProviderSchemas::from_json(&json).map_err(|problem| CliError::in_file(path, problem))?;
    Ok(schemas.resources.into_iter().map(|entry| (entry.name, entry.schema)).collect())
}

/// The seed that is given, or a random one.
///
/// # Errors
/// An invalid seed: neither a number nor a commit id.
pub fn seed(given: Option<&str>) -> Result<String, CliError> {
    match given {
        Some(given) => parse_seed(given).map(|_| given.to_owned()),
        None => Ok(RandomState::new().hash_one(0).to_string()),
    }
}

/// The seed that is given, or a random one, and its number.
///
/// # Errors
/// As [`seed`].
#[cfg(feature = "faults")]
pub fn seeded(given: Option<&str>) -> Result<(String, u64), CliError> {
    let text = seed(given)?;
    let number = parse_seed(&text)?;
    Ok((text, number))
}

/// A seed: a number, or a commit id, of which the first sixteen digits count.
fn parse_seed(text: &str) -> Result<u64, CliError> {
    if let Ok(number) = text.parse() {
        return Ok(number);
    }
    let hex = text.len() >= 7 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let digits = text.get(..16.min(text.len())).filter(|_| hex);
    digits
        .and_then(|digits| u64::from_str_radix(digits, 16).ok())
        .ok_or_else(|| CliError::input(format!("expected a seed: a number or a commit id, found {text:?}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_a_number_or_a_commit_id() {
        assert_eq!(parse_seed("7").ok(), Some(7));
        assert_eq!(parse_seed("deadbeef").ok(), Some(0xdead_beef));
        assert_eq!(parse_seed("0123456789abcdef0123456789abcdef01234567").ok(), Some(0x0123_4567_89ab_cdef));
        assert!(parse_seed("seed").is_err());
    }
}
