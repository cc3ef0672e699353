//! The phases that search for findings: first independent processes of the targets, which explore; later campaigns
//! without instrumentation, which give volume and take the time that the phases between have left.
//!
//! Findings are written at once, to a folder that outlives the night.

use std::collections::BTreeMap;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use planfuzz_core::json::{Field, Json};

use super::context::{CODECS, Context, TARGETS};
use super::error::PhaseError;
use super::record::{Campaign, Tally, Target};
use super::slots::slots;
use super::worker::{GRACE, Kind, Over, Worker};

/// How often the workers are checked.
const LOOK: Duration = Duration::from_millis(100);

/// How often progress is reported.
const REPORT_INTERVAL: Duration = Duration::from_secs(30);

/// The results of the phases, complete or not.
#[derive(Debug, Default)]
pub struct Fuzzed {
    /// The targets that took part.
    pub targets: BTreeMap<&'static str, Target>,
    /// The campaigns.
    pub bulk: Option<Campaign>,
    /// Problems that did not end the phase.
    pub amiss: Vec<String>,
    /// How a process ended that wrote no counts.
    silences: BTreeMap<&'static str, String>,
    /// Processes that were started: each has a seed of its own.
    started: u64,
}

/// The phase of the targets, or of campaigns if there are none. The counts are in `fuzzed` however it ends.
///
/// # Errors
/// A target that does not start or keeps ending early, and the end of the night.
pub fn fuzz(context: &Context<'_>, fuzzed: &mut Fuzzed) -> Result<(), PhaseError> {
    let mut kinds = guided(context, fuzzed)?;
    if kinds.is_empty() {
        kinds.push(Kind::Bulk);
    }
    spend("fuzz", &kinds, context, fuzzed)
}

/// The phase of campaigns.
///
/// # Errors
/// As [`fuzz`].
pub fn bulk(context: &Context<'_>, fuzzed: &mut Fuzzed) -> Result<(), PhaseError> {
    fuzzed.amiss.clear();
    spend("bulk", &[Kind::Bulk], context, fuzzed)
}

fn spend(phase: &str, kinds: &[Kind], context: &Context<'_>, fuzzed: &mut Fuzzed) -> Result<(), PhaseError> {
    for kind in kinds {
        if let Kind::Guided { target, .. } = kind {
            let tally = Tally { target: (*target).to_owned(), ..Tally::default() };
            fuzzed.targets.insert(target, Target { tally, ..Target::default() });
        }
    }
    let weights: Vec<u32> = kinds.iter().map(Kind::weight).collect();
    let left = context.clock.left_of(phase);
    let time = left.saturating_sub(GRACE.min(left / 4));
    let mut workers: Vec<Worker> =
        slots(&weights, context.options.workers, time).into_iter().map(Worker::new).collect();
    let result = work(phase, &mut workers, kinds, context, fuzzed);
    for over in workers.iter_mut().filter_map(Worker::end).collect::<Vec<_>>() {
        fuzzed.take(over, kinds);
    }
    result?;
    fuzzed.name_idle();
    match fuzzed.amiss.as_slice() {
        [] => Ok(()),
        amiss => Err(PhaseError::Failed(amiss.join("; "))),
    }
}

/// The targets that have a binary; a missing binary is recorded as a problem, unless none is needed.
fn guided(context: &Context<'_>, fuzzed: &mut Fuzzed) -> Result<Vec<Kind>, PhaseError> {
    let mut kinds = Vec::new();
    for (target, _) in TARGETS {
        match context.binary(target) {
            Ok(binary) => kinds.push(Kind::Guided { target, binary, seeds: context.seeds_of(target)? }),
            Err(PhaseError::Skipped(_)) => {}
            Err(error) => fuzzed.amiss.push(error.to_string()),
        }
    }
    Ok(kinds)
}

fn work(
    phase: &str,
    workers: &mut [Worker],
    kinds: &[Kind],
    context: &Context<'_>,
    fuzzed: &mut Fuzzed,
) -> Result<(), PhaseError> {
    let mut reported = Instant::now();
    while workers.iter().any(|worker| !worker.is_done()) && Instant::now() < context.clock.end_of(phase) {
        if context.is_over() {
            return Err(PhaseError::Interrupted);
        }
        for worker in &mut *workers {
            if let Some(over) = worker.tend(kinds, context, &mut fuzzed.started)? {
                fuzzed.take(over, kinds);
            }
        }
        if reported.elapsed() >= REPORT_INTERVAL {
            reported = Instant::now();
            report(phase, workers, context, fuzzed);
        }
        thread::sleep(LOOK);
    }
    Ok(())
}

fn report(phase: &str, workers: &[Worker], context: &Context<'_>, fuzzed: &Fuzzed) {
    let at_work = workers.iter().filter_map(Worker::tally).filter_map(|path| read_tally(path).ok());
    let ended = fuzzed.targets.values().map(|target| target.tally.executions);
    let executions: u64 = at_work.map(|tally| tally.executions).chain(ended).sum();
    let left = context.clock.left_of(phase).as_secs();
    let folders = [context.findings(), context.findings_of(CODECS)];
    let files: usize = folders.iter().map(|folder| std::fs::read_dir(folder).map_or(0, Iterator::count)).sum();
    let guided = if executions > 0 { format!("{executions} guided executions, ") } else { String::new() };
    (context.report)(&format!("{phase}: {guided}{files} files of findings, {left} s left"));
}

impl Fuzzed {
    fn take(&mut self, over: Over, kinds: &[Kind]) {
        match &kinds[over.kind] {
            Kind::Guided { target, .. } => {
                let counted = self.targets.entry(target).or_default();
                counted.processes += 1;
                counted.deaths += u64::from(over.early);
                match read_tally(&over.tally) {
                    Ok(tally) => counted.tally.add(tally),
                    Err(problem) => {
                        counted.silent += 1;
                        let how = over.ended.map_or(problem, |ended| ended.error(target).to_string());
                        self.silences.insert(target, how);
                    }
                }
            }
            Kind::Bulk => self.take_campaign(over),
        }
    }

    /// Records targets all of whose processes wrote no counts: they did not take part.
    fn name_idle(&mut self) {
        let idle = self.targets.iter().filter(|(_, target)| target.processes > 0 && target.silent == target.processes);
        let messages =
            idle.map(|(name, _)| format!("{name} did nothing: {}", self.silences.get(name).map_or("", String::as_str)));
        let messages: Vec<String> = messages.collect();
        self.amiss.extend(messages);
    }

    /// Adds the counts of a campaign. A campaign prints them at its end, so one that was killed has none.
    fn take_campaign(&mut self, over: Over) {
        let Some(ended) = over.ended else {
            self.amiss.push("run did not end in its time, so that it is not counted".to_owned());
            return;
        };
        let counted = match ended.code {
            Some(0 | 1) => ended.printed().map_err(|error| error.to_string()).and_then(|text| {
                let json = Json::parse(text.trim()).map_err(|problem| problem.to_string())?;
                Campaign::read(&json).map_err(|problem| problem.to_string())
            }),
            _ => Err(ended.error("run").to_string()),
        };
        match counted {
            Ok(campaign) => self.bulk.get_or_insert_default().add(campaign),
            Err(problem) => self.amiss.push(problem),
        }
    }
}

/// The counts of a process.
///
/// # Errors
/// No file, or one that is no tally.
fn read_tally(path: &Path) -> Result<Tally, String> {
    let bytes = std::fs::read(path).map_err(|problem| problem.to_string())?;
    let json = Json::parse_bytes(&bytes).map_err(|problem| problem.to_string())?;
    Tally::read(&json).map_err(|problem| problem.to_string())
}
