//! `night`: runs a night in a given time, and appends one record to the history.

use std::fs::{File, TryLockError, create_dir_all};
use std::path::Path;
use std::time::{Duration, Instant};

use super::args::NightArgs;
use super::error::{CliError, Held};
use super::output::{self, BAD, DIM, GOOD, HEAD, NOTE, styled};
use super::{cases, files, settings, subjects};
use crate::night::record::{CanaryOutcome, End, Night, PhaseOutcome, RecordedFinding};
use crate::night::{Asked, History, Options, night};

/// The planner that is compared with the user's if only one is named.
const REFERENCE: &str = "reference";

/// The corpus of a checkout of this project.
pub const DEFAULT_CORPUS: &str = "corpus";

/// The file that is locked while a night uses a cache.
const LOCK: &str = ".lock";

/// Runs the command.
///
/// # Errors
/// Folders that do not exist, another night with the same cache, a history that cannot be written; and, after the record was
/// written, a night that did not succeed.
pub fn run(args: &NightArgs) -> Result<Held, CliError> {
    let options = options(args)?;
    let _lock = lock(&args.cache)?;
    settings::watch_interrupts()?;
    let begun = Instant::now();
    let workers = output::counted(options.workers as u64, "worker");
    output::report(&styled(DIM, format!("seed {}: {} minutes, {workers}", options.seed, args.minutes)));
    let report = |text: &str| {
        let clock = humantime::format_duration(Duration::from_secs(begun.elapsed().as_secs()));
        output::report(&format!("{} {text}", styled(DIM, format!("{clock:>8}"))));
    };
    let night = night(&options, settings::interrupted(), &report);
    append(&args.history, &night)?;
    if args.json {
        output::json_line(&night.to_json())?;
    } else {
        print(&night)?;
    }
    if !night.is_sound() {
        return Err(CliError::failed("the night did not go as it should: what it did not find proves nothing"));
    }
    Ok(Held::from(night.new_findings() == 0 && night.flaky() == 0))
}

fn options(args: &NightArgs) -> Result<Options, CliError> {
    // A user's project needs no corpus, but a named one has to exist.
    let own_corpus =
        (args.subjects.subjects.is_empty() || args.corpus != Path::new(DEFAULT_CORPUS)).then_some(&args.corpus);
    for folder in [own_corpus, args.binaries.as_ref()].into_iter().flatten() {
        if !folder.is_dir() {
            return Err(CliError::input(format!("expected a folder, found none at {}", folder.display())));
        }
    }
    // An unreadable history is to be reported before the night.
    history(&args.history)?;
    settings::allowances(args.allow.as_deref())?;
    let program = std::env::current_exe()
        .map_err(|problem| CliError::failed(format!("cannot find the path of this program: {problem}")))?;
    let absolute = |path: &Path| {
        std::path::absolute(path).map_err(|problem| CliError::input(format!("{}: {problem}", path.display())))
    };
    Ok(Options {
        time: Duration::from_secs_f64(args.minutes * 60.0),
        workers: args.jobs.map_or_else(settings::cores, usize::from),
        seed: cases::seed(args.seed.as_deref())?,
        commit: args.commit.clone(),
        corpus: args.corpus.clone(),
        cache: args.cache.clone(),
        // A relative program name would be searched for on the path.
        binaries: args.binaries.as_deref().map(absolute).transpose()?,
        allow: args.allow.clone(),
        work: args.work.join("tonight"),
        program,
        asked: asked(args)?,
    })
}

/// The subjects and operations of the night. One planner alone is compared with the reference; all have to start, or the night ends
/// before it begins.
fn asked(args: &NightArgs) -> Result<Asked, CliError> {
    let mut subjects = args.subjects.clone();
    if let [only] = &subjects.subjects[..]
        && only != REFERENCE
    {
        subjects.subjects.insert(0, REFERENCE.to_owned());
    }
    if !subjects.subjects.is_empty() {
        subjects::start_for_all(&subjects, &subjects.dialect.unwrap_or_default().list())?;
    }
    let mut schemas = Vec::new();
    for path in &args.schemas {
        files::read(path)?;
        schemas.extend(["--schemas".into(), path.clone().into_os_string()]);
    }
    schemas.extend(args.only_schemas.then(|| "--only-schemas".into()));
    schemas.extend(args.types.iter().flat_map(|name| ["--type".into(), name.into()]));
    Ok(Asked { subjects: subjects.subjects.clone(), arguments: subjects::as_arguments(&subjects), schemas })
}

/// Locks the cache against other nights as long as this process lives.
fn lock(cache: &Path) -> Result<File, CliError> {
    let path = cache.join(LOCK);
    let open = || {
        create_dir_all(cache)?;
        File::create(&path)
    };
    let file = open().map_err(|problem| CliError::writing(&path, problem))?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            Err(CliError::input(format!("another night is at work with {}", cache.display())))
        }
        Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
    }
}

/// The bytes of a history; empty if the file does not exist.
fn history(path: &Path) -> Result<Vec<u8>, CliError> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let bytes = files::read(path)?;
    History::parse(&bytes).map_err(|problem| CliError::in_file(path, problem))?;
    Ok(bytes)
}

fn append(path: &Path, night: &Night) -> Result<(), CliError> {
    files::write(path, &History::with(history(path)?, night))
}

fn print(night: &Night) -> Result<(), CliError> {
    let end = match night.end {
        End::Complete => "",
        End::Interrupted => ", interrupted",
    };
    output::line(&format!(
        "{} executions, {} cases, {} comparisons, {} checks in {:.0} s{end}",
        night.executions(),
        night.cases(),
        night.comparisons(),
        night.checks(),
        night.seconds
    ))?;
    for phase in night.phases.iter().filter(|phase| phase.outcome != PhaseOutcome::Done) {
        let style = if phase.outcome == PhaseOutcome::Failed { BAD } else { NOTE };
        let word = phase.outcome.in_words();
        let reason = phase.reason.as_deref().unwrap_or_default();
        output::line(&format!("{}: {}: {reason}", phase.name, styled(style, word)))?;
    }
    let canary = &night.canary;
    match canary.outcome {
        CanaryOutcome::Found => output::line(&styled(GOOD, format!("planted mistakes found: {}", canary.reason)))?,
        CanaryOutcome::Missed => {
            output::line(&styled(BAD, format!("a planted mistake was missed: {}", canary.reason)))?
        }
        CanaryOutcome::Absent => output::line(&styled(NOTE, "planted mistakes were not looked for"))?,
    }
    if !night.kills.is_empty() {
        let (missed, all) = (night.missed().count(), night.kills.len());
        let style = if missed == 0 { GOOD } else { BAD };
        output::line(&styled(style, format!("{} of {all} planted faults found", all - missed)))?;
    }
    night.missed().try_for_each(|kill| {
        let reason = kill.reason.as_deref().unwrap_or("not within its bound");
        output::line(&format!("  {} {} ({}): {reason}", styled(BAD, "missed"), kill.fault, kill.subject))
    })?;
    if night.flaky() > 0 {
        let files = output::counted(night.flaky(), "file");
        output::line(&styled(BAD, format!("{files} in the cache show a finding in some replays only")))?;
    }
    if !night.is_sorted() {
        output::line(&styled(BAD, "what was found is not sorted: see findings in the cache"))?;
    } else if night.findings.is_empty() && night.flaky() == 0 {
        return output::line(&styled(GOOD, "no findings"));
    } else if night.findings.is_empty() {
        return output::line("no findings that reproduce");
    }
    output::line(&styled(HEAD, "findings by bucket"))?;
    night.findings.iter().try_for_each(print_finding)
}

fn print_finding(finding: &RecordedFinding) -> Result<(), CliError> {
    let (style, word) = if finding.new { (BAD, "new  ") } else { (GOOD, "known") };
    output::line(&format!("  {} {:>6}  {}", styled(style, word), finding.count, finding.signature))?;
    output::line(&format!("                {}", styled(DIM, &finding.command)))
}
