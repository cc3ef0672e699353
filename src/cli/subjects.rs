//! Subjects by name: what `--subject` takes, what is asked without it, and what a finding names.
//!
//! A name is looked up before anything is asked, and a subject that cannot answer for the dialect or the operations is an error then: a run
//! never leaves one out in silence.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use planfuzz_core::dialect::Dialect;
use planfuzz_reference::Reference;

use super::args::SubjectArgs;
use super::error::CliError;
use super::names::ops_in_words;
use super::output::{self, DIM, NOTE, styled};
use super::settings;
use crate::case::{KeptFinding, Op};
use crate::subject::{
    EachDialect, Exec, ExecError, ExecOptions, InProcess, Naive, Narrowed, OfBytes, OfWorkspaces, Shared, Subject,
};

/// The default subjects.
const DEFAULT: [&str; 4] = ["reference", "optimized", SHARED, NAIVE];

/// The code that all planners share: values, msgpack, schemas, the pipelines of providers.
const SHARED: &str = "shared";

/// Its second implementation.
const NAIVE: &str = "naive";

/// The pipelines of providers alone: an older name.
const PROVIDER: &str = "provider";

/// The planner from wire to wire.
const WIRE: &str = "wire";

/// The prefix of a program's option.
const EXEC: &str = "exec:";

/// Whether an engine takes part, which follows one dialect.
pub fn has_engine(args: &SubjectArgs) -> bool {
    args.subjects.iter().any(|name| EngineName::read(name).is_some())
}

/// Whether a subject is a program.
pub fn has_program(args: &SubjectArgs) -> bool {
    args.subjects.iter().any(|name| name.starts_with(EXEC))
}

/// Real engines.
const ENGINE: &str = "terraform";

/// Real engines that apply what they plan in the same run.
const ENGINE_AT_ONCE: &str = "terraform-at-once";

/// The subjects as options name them: by default those that answer one of the operations that are asked.
pub fn names(args: &SubjectArgs) -> Vec<String> {
    if !args.subjects.is_empty() {
        return args.subjects.clone();
    }
    let is_asked =
        |name: &&str| args.ops.is_empty() || args.ops.iter().any(|op| op.is_shared() == answers_shared_calls(name));
    DEFAULT.into_iter().filter(is_asked).map(str::to_owned).collect()
}

/// The same options for another process of this program.
pub fn as_arguments(args: &SubjectArgs) -> Vec<OsString> {
    let SubjectArgs { subjects, dialect, ops, answer_time } = args;
    let subjects = subjects.iter().flat_map(|name| ["--subject".to_owned(), name.clone()]);
    let dialect = dialect.iter().flat_map(|dialect| ["--dialect".to_owned(), dialect.to_string()]);
    let ops = ops.iter().flat_map(|op| ["--op".to_owned(), op.name().to_owned()]);
    let answer_time =
        ["--answer-time".to_owned(), humantime::format_duration(*answer_time).to_string().replace(' ', "")];
    subjects.chain(dialect).chain(ops).chain(answer_time).map(OsString::from).collect()
}

/// The subjects for a file: those that options name, else those that its finding was seen with. A file without a finding gets the
/// default ones.
///
/// # Errors
/// A finding about a subject that is not named: without that subject nothing would be found, and everything would seem to hold.
pub fn for_finding(args: &SubjectArgs, path: &Path, finding: Option<&KeptFinding>) -> Result<SubjectArgs, CliError> {
    let Some(finding) = finding.filter(|_| args.subjects.is_empty()) else { return Ok(args.clone()) };
    let subjects = finding.subjects.clone();
    if !subjects.is_empty() {
        // The default subjects divide the operations between them.
        if subjects == DEFAULT {
            return Ok(args.clone());
        }
        output::report_once(&styled(DIM, format!("asked as the findings record: {}", subjects.join(", "))));
        return Ok(SubjectArgs { subjects, ..args.clone() });
    }
    let about = finding.signature.splitn(4, ' ').nth(3);
    let is_known = |name: &str| DEFAULT.contains(&name) || name == PROVIDER;
    match about.filter(|about| !about.split('/').all(is_known)) {
        None => Ok(args.clone()),
        Some(about) => {
            let message =
                format!("{}: expected --subject: its finding is about {about}, and names no subjects", path.display());
            Err(CliError::input(message).with_hint("name those that it was found with, the one to be held to first"))
        }
    }
}

/// How many timeouts of a program are tolerated.
#[derive(Clone, Copy, Debug)]
pub enum Patience {
    /// A program that keeps hanging is no longer asked.
    OfCampaign,
    /// Hanging is the finding that is looked for.
    Endless,
}

impl Patience {
    /// The flag that is set when answers are no longer waited for.
    fn stop(self) -> &'static AtomicBool {
        match self {
            Patience::OfCampaign => settings::stop_asking(),
            Patience::Endless => settings::stop_shrinking(),
        }
    }
}

/// Whether a subject answers calls of shared operations only.
pub fn answers_shared_calls(name: &str) -> bool {
    matches!(name, SHARED | NAIVE)
}

/// Whether a subject is no program and no engine.
pub fn is_of_this_process(name: &str) -> bool {
    EngineName::read(name).is_none() && !name.starts_with(EXEC)
}

/// The planners of this process as options name them; by default those of the default subjects.
pub fn planner_names(args: &SubjectArgs) -> Vec<String> {
    let names = names(args);
    if args.subjects.is_empty() {
        names.into_iter().filter(|name| !answers_shared_calls(name)).collect()
    } else {
        names
    }
}

/// Starts the subjects, in the order in which they were named, for the named operations.
///
/// # Errors
/// An unknown name, and a program that does not start.
pub fn start(args: &SubjectArgs, dialect: Dialect) -> Result<Vec<Box<dyn Subject>>, CliError> {
    start_with(args, dialect, Patience::OfCampaign)
}

/// Starts the subjects for shrinking, which searches for the same failure over and over.
///
/// # Errors
/// As [`start`].
pub fn start_for_shrinking(args: &SubjectArgs, dialect: Dialect) -> Result<Vec<Box<dyn Subject>>, CliError> {
    start_with(args, dialect, Patience::Endless)
}

/// Starts the subjects for cases of several dialects: a program is started for each that it follows.
///
/// # Errors
/// As [`start`].
pub fn start_for_all(args: &SubjectArgs, dialects: &[Dialect]) -> Result<Vec<Box<dyn Subject>>, CliError> {
    let [first, others @ ..] = dialects else { return Ok(Vec::new()) };
    let mut subjects = start(args, *first)?;
    if others.is_empty() {
        return Ok(subjects);
    }
    for (place, name) in names(args).iter().enumerate().filter(|(_, name)| name.starts_with(EXEC)) {
        let (before, rest) = subjects.split_at_mut(place);
        let mut started = Vec::new();
        for dialect in others {
            match start_one(name, args, (*dialect, Patience::OfCampaign), before) {
                Ok(subject) => started.push((*dialect, subject)),
                Err(problem @ CliError::Input { .. }) => {
                    output::report_once(&styled(NOTE, format!("not asked in {dialect}: {problem}")));
                }
                Err(problem) => return Err(problem),
            }
        }
        let own = std::mem::replace(&mut rest[0], Box::new(InProcess::new(Reference)));
        started.insert(0, (*first, own));
        rest[0] = Box::new(EachDialect::new(started));
    }
    Ok(subjects)
}

fn start_with(args: &SubjectArgs, dialect: Dialect, patience: Patience) -> Result<Vec<Box<dyn Subject>>, CliError> {
    let mut subjects = Vec::new();
    for name in names(args) {
        let subject = start_one(&name, args, (dialect, patience), &subjects)?;
        subjects.push(subject);
    }
    Ok(subjects)
}

fn start_one(
    name: &str,
    args: &SubjectArgs,
    (dialect, patience): (Dialect, Patience),
    others: &[Box<dyn Subject>],
) -> Result<Box<dyn Subject>, CliError> {
    if let Some(named) = EngineName::read(name) {
        return engine(name, named, dialect, (&args.ops, patience.stop()));
    }
    let subject: Box<dyn Subject> = match name.strip_prefix(EXEC) {
        // In the default set, shared operations are asked of `shared` and `naive` only.
        None if args.subjects.is_empty() && !matches!(name, SHARED | NAIVE) => Box::new(in_process(name)?.only_plans()),
        None => planner(name)?,
        Some(command) => {
            let stop = Some(patience.stop());
            let patience = match patience {
                Patience::OfCampaign => ExecOptions::PATIENCE,
                Patience::Endless => u32::MAX,
            };
            settings::tidy_on_interrupts()?;
            let options = ExecOptions { dialect, answer_time: args.answer_time, patience, stop };
            let mut exec = Exec::start(command, &options).map_err(|problem| not_started(&problem))?;
            exec.make_name_unique(|name| others.iter().any(|other| other.name() == name));
            expect_use_of(&exec, &args.ops, dialect)?;
            Box::new(exec)
        }
    };
    Ok(if args.ops.is_empty() { subject } else { Box::new(Narrowed::new(subject, args.ops.clone())) })
}

/// The parsed name of an engine: `terraform:PATH`, or `terraform` for the installed one; likewise `terraform-at-once`.
#[cfg_attr(not(feature = "engine"), allow(dead_code, reason = "a build without engines refuses them all alike"))]
struct EngineName<'n> {
    path: Option<&'n str>,
    at_once: bool,
}

impl<'n> EngineName<'n> {
    fn read(name: &'n str) -> Option<EngineName<'n>> {
        let (kind, path) = match name.split_once(':') {
            Some((kind, path)) => (kind, Some(path)),
            None => (name, None),
        };
        let at_once = kind == ENGINE_AT_ONCE;
        (at_once || kind == ENGINE).then_some(EngineName { path, at_once })
    }
}

/// The binary of an engine by its name, and the folders of its runs.
///
/// # Errors
/// A name that is no engine's, and a binary that does not exist.
#[cfg(feature = "engine")]
pub fn engine_binary(
    name: &str,
) -> Result<(planfuzz_engine::process::Binary, planfuzz_engine::process::Runs), CliError> {
    let problem = || CliError::input(format!("expected a planner of workspaces or an engine, found {name:?}"));
    found(&EngineName::read(name).ok_or_else(problem)?)
}

#[cfg(feature = "engine")]
fn found(
    named: &EngineName<'_>,
) -> Result<(planfuzz_engine::process::Binary, planfuzz_engine::process::Runs), CliError> {
    use planfuzz_engine::process::{Binary, Runs, place};
    use std::path::Path;

    settings::tidy_on_interrupts()?;
    let runs = Runs::open(&place()).map_err(|problem| CliError::failed(problem.to_string()))?;
    for (path, problem) in &runs.swept().left {
        super::output::warn_once(&format!("cannot remove what an earlier run left at {}: {problem}", path.display()));
    }
    let binary = Binary::find(named.path.map(Path::new), &runs).map_err(|problem| {
        CliError::input(problem.to_string()).with_hint("install one, or give its path: --subject terraform:PATH")
    })?;
    Ok((binary, runs))
}

/// A real engine.
#[cfg(feature = "engine")]
fn engine(
    name: &str,
    named: EngineName<'_>,
    dialect: Dialect,
    (ops, stop): (&[Op], &'static AtomicBool),
) -> Result<Box<dyn Subject>, CliError> {
    use planfuzz_engine::{Engine, EngineOptions};

    use super::output::warn_once;
    use crate::subject::{Applies, Terraform};

    let failed = |problem: &dyn std::fmt::Display| CliError::failed(problem.to_string());
    let (binary, runs) = found(&named)?;
    let followed = binary.dialect();
    if followed.dialect != dialect {
        let message =
            format!("expected an engine that follows {dialect}, found {name}, which follows {}", followed.dialect);
        return Err(CliError::input(message).with_hint(format!("--dialect {}", followed.dialect)));
    }
    if let Some(warning) = followed.warning {
        warn_once(&format!("{name}: {warning}"));
    }
    let options = EngineOptions { stop, ..EngineOptions::default() };
    let whole = binary.clone();
    let engine = Engine::start(binary, &runs, options).map_err(|problem| failed(&problem))?;
    let applies = if named.at_once { Applies::AtOnce } else { Applies::Plans };
    let subject = Terraform::new(name.to_owned(), engine, dialect).with_workspaces(whole, runs, stop);
    Ok(Box::new(subject.that_applies(applies).narrowed_to(ops)))
}

/// A real engine, in a build without them.
#[cfg(not(feature = "engine"))]
fn engine(
    name: &str,
    _: EngineName<'_>,
    _: Dialect,
    _: (&[Op], &'static AtomicBool),
) -> Result<Box<dyn Subject>, CliError> {
    Err(CliError::input(format!("{name:?} needs a build with the feature engine")))
}

fn planner(name: &str) -> Result<Box<dyn Subject>, CliError> {
    #[cfg(feature = "faults")]
    if let Some(subject) = wrong_on_purpose(name)? {
        return Ok(subject);
    }
    of_this_process(name)
}

/// A subject of this process by its name.
///
/// # Errors
/// An unknown name.
pub fn of_this_process(name: &str) -> Result<Box<dyn Subject>, CliError> {
    match name {
        SHARED => return Ok(Box::new(Shared::default())),
        NAIVE => return Ok(Box::new(Naive)),
        PROVIDER => return Ok(Box::new(Shared::of_providers())),
        OfWorkspaces::INCREMENTAL => return Ok(Box::new(OfWorkspaces::incremental())),
        OfWorkspaces::CONCURRENT => return Ok(Box::new(OfWorkspaces::concurrent())),
        _ => {}
    }
    if name == WIRE {
        return Ok(Box::new(OfBytes));
    }
    if !is_of_this_process(name) {
        return Err(CliError::input(format!("expected a subject of this process, found {name:?}")));
    }
    if !cfg!(feature = "faults") && (name.starts_with("fault:") || name == "weak-hash") {
        let message = format!("expected a subject of this build, found {name:?}, which needs planted faults");
        return Err(CliError::input(message).with_hint("cargo run --release --features faults -- run --subject …"));
    }
    in_process(name).map(|subject| Box::new(subject) as Box<dyn Subject>)
}

/// Refuses subjects of this process and engines that would be asked nothing in a whole run. Programs are asked what they offer when they
/// start.
///
/// # Errors
/// The first of them, and an unknown name.
pub fn expect_use_of_all(args: &SubjectArgs, dialect: Dialect) -> Result<(), CliError> {
    for name in args.subjects.iter().filter(|_| !args.ops.is_empty()) {
        if EngineName::read(name).is_some() && args.ops.iter().all(|op| op.is_shared()) {
            return Err(not_offered(name, &args.ops));
        }
        if is_of_this_process(name) {
            expect_use_of(&*planner(name)?, &args.ops, dialect)?;
        }
    }
    Ok(())
}

/// Refuses a subject that would be asked nothing: it would agree with all others.
fn expect_use_of(subject: &dyn Subject, ops: &[Op], dialect: Dialect) -> Result<(), CliError> {
    let offered: Vec<Op> = Op::ALL.iter().copied().filter(|op| subject.can(*op, dialect)).collect();
    if offered.iter().any(|op| ops.is_empty() || ops.contains(op)) {
        return Ok(());
    }
    let name = subject.name();
    Err(match offered.is_empty() {
        true => CliError::input(format!("expected an operation that {name} offers, found none that this build knows")),
        false => not_offered(name, ops).with_hint(format!("it offers {}", ops_in_words(&offered))),
    })
}

fn not_offered(name: &str, ops: &[Op]) -> CliError {
    CliError::input(format!("expected an operation that {name} offers, found {}", ops_in_words(ops)))
}

fn not_started(problem: &ExecError) -> CliError {
    match problem {
        ExecError::Command { .. } | ExecError::Refused { .. } | ExecError::NoPlanner { .. } | ExecError::Ops { .. } => {
            CliError::input(problem.to_string())
        }
        // A mistyped name.
        ExecError::Start { problem: why, .. }
            if matches!(why.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied) =>
        {
            CliError::input(problem.to_string()).with_hint("the words after exec: are a program and its arguments")
        }
        ExecError::Start { .. } | ExecError::Greeting { .. } | ExecError::Interrupted => {
            CliError::failed(problem.to_string())
        }
    }
}

/// The canary and the planted faults; `None` for any other name.
#[cfg(feature = "faults")]
fn wrong_on_purpose(name: &str) -> Result<Option<Box<dyn Subject>>, CliError> {
    use crate::subject::faults::{Canary, Fault, Faulty, FaultyWorkspaces, WeakHash};
    if name == "canary" {
        return Ok(Some(Box::new(Canary::new())));
    }
    if name == WeakHash::NAME {
        return Ok(Some(Box::new(InProcess::new(WeakHash))));
    }
    let Some(fault) = name.strip_prefix("fault:") else { return Ok(None) };
    if let Some(fault) = FaultyWorkspaces::named(fault) {
        return Ok(Some(Box::new(FaultyWorkspaces::new(fault))));
    }
    match Fault::from_name(fault) {
        Some(fault) => Ok(Some(Box::new(Faulty::new(fault)))),
        None => {
            let all: Vec<String> = Fault::ALL.iter().map(|fault| format!("fault:{}", fault.name())).collect();
            let message = format!("expected a planted fault, found {name:?}");
            Err(CliError::input(message).with_hint(format!("there are {}", all.join(", "))))
        }
    }
}

/// A planner of this process by its name, for commands that take no other subject.
///
/// # Errors
/// An unknown name.
pub fn in_process_alone(name: &str) -> Result<InProcess, CliError> {
    in_process(name).map_err(|_| {
        let message = format!("expected a planner of this process, reference or optimized, found {name:?}");
        CliError::input(message).with_hint("run --json reports in phases what the planning of programs takes")
    })
}

/// A planner of this process by its name.
///
/// # Errors
/// An unknown name.
pub fn in_process(name: &str) -> Result<InProcess, CliError> {
    match name {
        "reference" => Ok(InProcess::reference()),
        "optimized" => Ok(InProcess::optimized()),
        _ => Err(CliError::input(format!(
            "expected a subject such as reference, optimized, shared, naive, incremental, concurrent, wire, provider, terraform or exec:COMMAND, found {name:?}"
        ))),
    }
}
