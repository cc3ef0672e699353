//! The phases of a night, one after the other. A failed phase is recorded; the night continues.

use std::fs;
use std::sync::atomic::AtomicBool;
use std::time::{Instant, SystemTime};

use super::canary::canary;
use super::clock::Clock;
use super::context::{Context, Options, TARGETS};
use super::corpora::recover;
use super::distil::{as_it_is, coverage, distil, each};
use super::documents::documents;
use super::error::PhaseError;
use super::fuzz::{Fuzzed, bulk, fuzz};
use super::kills::hunt;
use super::record::{Canary, CanaryOutcome, End, Night, Phase, PhaseOutcome};
use super::tables::{features, measure};
use super::triaged::{Triaged, triage};

/// Runs a night, and returns its record. `stop` ends it early, with the results so far.
pub fn night(options: &Options, stop: &AtomicBool, report: &dyn Fn(&str)) -> Night {
    let started = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    let context = Context { options, clock: Clock::start(options.time), stop, report };
    let mut log = Log { context: &context, phases: Vec::new() };
    let mut night = Night {
        started,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        commit: options.commit.clone(),
        seed: options.seed.clone(),
        minutes: options.time.as_secs_f64() / 60.0,
        workers: options.workers as u64,
        subjects: options.asked.is_of_user().then(|| options.asked.subjects.clone()),
        canary: absent("the night ended before"),
        ..Night::default()
    };
    let restored = log.phase("restore", restore).is_some();
    if restored {
        log.spend(&mut night);
    }
    night.phases = log.phases;
    night.end = if context.is_over() { End::Interrupted } else { End::Complete };
    night.seconds = context.clock.elapsed().as_secs_f64();
    night
}

/// The record of the phases.
struct Log<'a> {
    context: &'a Context<'a>,
    phases: Vec<Phase>,
}

impl Log<'_> {
    fn spend(&mut self, night: &mut Night) {
        night.canary = self.phase("canary", canary).unwrap_or_else(|| absent(&self.reason()));
        self.phase("kills", |context| hunt(context, &mut night.kills));
        let mut fuzzed = Fuzzed::default();
        self.phase("fuzz", |context| fuzz(context, &mut fuzzed));
        let mut targets = std::mem::take(&mut fuzzed.targets);
        self.phase("distil", |context| {
            each("distil", &mut targets, context, |name, until, context, target| {
                target.corpus = as_it_is(name, context)?;
                target.corpus = distil(name, until, context)?;
                Ok(())
            })
        });
        self.phase("coverage", |context| {
            each("coverage", &mut targets, context, |name, until, context, target| {
                target.coverage = Some(coverage(name, until, context)?);
                Ok(())
            })
        });
        self.phase("bulk", |context| bulk(context, &mut fuzzed));
        let mut triaged = Triaged::default();
        self.phase("triage", |context| {
            let cases = triage(context, &mut triaged);
            let documents = documents(context, &mut triaged);
            cases.and(documents)
        });
        night.features = self.phase("features", features).unwrap_or_default();
        self.phase("measure", |context| measure(context, night));
        night.targets = targets.into_values().collect();
        night.bulk = fuzzed.bulk;
        night.triage = triaged.counts;
        night.findings = triaged.findings;
    }

    /// Runs a phase, unless the user interrupted the night.
    fn phase<T>(&mut self, name: &str, work: impl FnOnce(&Context<'_>) -> Result<T, PhaseError>) -> Option<T> {
        let begun = Instant::now();
        let result = if self.context.is_over() { Err(PhaseError::Interrupted) } else { work(self.context) };
        let seconds = begun.elapsed().as_secs_f64();
        let (outcome, reason) = match &result {
            Ok(_) => (PhaseOutcome::Done, None),
            Err(error) => (error.outcome(), Some(error.to_string())),
        };
        let why = reason.as_ref().map_or_else(String::new, |reason| format!(": {reason}"));
        (self.context.report)(&format!("{name}: {} in {seconds:.1} s{why}", outcome.in_words()));
        self.phases.push(Phase { name: name.to_owned(), seconds, outcome, reason });
        result.ok()
    }

    /// Why the last phase is not done.
    fn reason(&self) -> String {
        self.phases.last().and_then(|phase| phase.reason.clone()).unwrap_or_default()
    }
}

fn absent(reason: &str) -> Canary {
    Canary { outcome: CanaryOutcome::Absent, reason: reason.to_owned(), cases: 0 }
}

/// Makes the folders, restores what a killed night left, and removes the files of the last night alone.
fn restore(context: &Context<'_>) -> Result<(), PhaseError> {
    let make = |folder: &std::path::Path| {
        fs::create_dir_all(folder).map_err(|problem| PhaseError::of_file("make", folder, &problem))
    };
    let tonight = &context.options.work;
    match fs::remove_dir_all(tonight) {
        Err(problem) if problem.kind() != std::io::ErrorKind::NotFound => {
            return Err(PhaseError::of_file("remove", tonight, &problem));
        }
        _ => make(tonight)?,
    }
    for (target, _) in TARGETS {
        let folder = context.findings_of(target);
        make(&folder)?;
        if let Some((draft, problem)) = planfuzz_files::draft::sweep_findings(&folder).first() {
            return Err(PhaseError::of_file("remove", draft, problem));
        }
    }
    make(&context.options.cache.join("corpus"))?;
    if let Some((draft, problem)) = planfuzz_files::draft::sweep(&context.options.cache).first() {
        return Err(PhaseError::of_file("remove", draft, problem));
    }
    TARGETS.iter().try_for_each(|(target, _)| recover(&context.corpus(target)))
}
