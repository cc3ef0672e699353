//! The phases that look for trouble: independent processes of the targets, which explore; and later campaigns without
//! instrumentation, which give volume and take what time the phases between have left.
//!
//! What they find is on the disk as soon as they have found it, in a folder that outlives the night.

use std::collections::BTreeMap;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use planfuzz_core::json::Json;

use super::field::Field;
use super::ground::{CODECS, Ground, TARGETS};
use super::record::{Campaign, Tally, Target};
use super::seat::{GRACE, Kind, Over, Seat};
use super::slices::slices;
use super::trouble::Trouble;

/// How often the seats are looked after.
const LOOK: Duration = Duration::from_millis(100);

/// How often is told how far it is.
const TELL: Duration = Duration::from_secs(30);

/// What came of the phases, as far as they came.
#[derive(Debug, Default)]
pub struct Fuzzed {
    /// The targets that took part.
    pub targets: BTreeMap<&'static str, Target>,
    /// The campaigns.
    pub bulk: Option<Campaign>,
    /// What went wrong, though the phase went on.
    pub amiss: Vec<String>,
    /// How a process ended that left no count.
    silences: BTreeMap<&'static str, String>,
    /// Processes that were started: each has a seed of its own.
    started: u64,
}

/// The phase of the targets; without any, of campaigns. What was counted is in `fuzzed` however it ends.
///
/// # Errors
/// A target that does not start or stay, and the end of the night.
pub fn fuzz(ground: &Ground<'_>, fuzzed: &mut Fuzzed) -> Result<(), Trouble> {
    let mut kinds = guided(ground, fuzzed)?;
    if kinds.is_empty() {
        kinds.push(Kind::Bulk);
    }
    spend("fuzz", &kinds, ground, fuzzed)
}

/// The phase of campaigns.
///
/// # Errors
/// As [`fuzz`].
pub fn bulk(ground: &Ground<'_>, fuzzed: &mut Fuzzed) -> Result<(), Trouble> {
    fuzzed.amiss.clear();
    spend("bulk", &[Kind::Bulk], ground, fuzzed)
}

fn spend(phase: &str, kinds: &[Kind], ground: &Ground<'_>, fuzzed: &mut Fuzzed) -> Result<(), Trouble> {
    for kind in kinds {
        if let Kind::Guided { target, .. } = kind {
            let tally = Tally { target: (*target).to_owned(), ..Tally::default() };
            fuzzed.targets.insert(target, Target { tally, ..Target::default() });
        }
    }
    let weights: Vec<u32> = kinds.iter().map(Kind::weight).collect();
    let left = ground.clock.left_of(phase);
    let time = left.saturating_sub(GRACE.min(left / 4));
    let mut seats: Vec<Seat> = slices(&weights, ground.options.workers, time).into_iter().map(Seat::new).collect();
    let result = work(phase, &mut seats, kinds, ground, fuzzed);
    for over in seats.iter_mut().filter_map(Seat::end).collect::<Vec<_>>() {
        fuzzed.take(over, kinds);
    }
    result?;
    fuzzed.name_idle();
    match fuzzed.amiss.as_slice() {
        [] => Ok(()),
        amiss => Err(Trouble::Failed(amiss.join("; "))),
    }
}

/// The targets: those without a binary are left out, and said.
fn guided(ground: &Ground<'_>, fuzzed: &mut Fuzzed) -> Result<Vec<Kind>, Trouble> {
    let mut kinds = Vec::new();
    for (target, _) in TARGETS {
        match ground.binary(target) {
            Ok(binary) => kinds.push(Kind::Guided { target, binary, seeds: ground.seeds_of(target)? }),
            Err(Trouble::Skipped(_)) => {}
            Err(trouble) => fuzzed.amiss.push(trouble.to_string()),
        }
    }
    Ok(kinds)
}

fn work(
    phase: &str,
    seats: &mut [Seat],
    kinds: &[Kind],
    ground: &Ground<'_>,
    fuzzed: &mut Fuzzed,
) -> Result<(), Trouble> {
    let mut told = Instant::now();
    while seats.iter().any(|seat| !seat.is_done()) && Instant::now() < ground.clock.end_of(phase) {
        if ground.is_over() {
            return Err(Trouble::Interrupted);
        }
        for seat in &mut *seats {
            if let Some(over) = seat.tend(kinds, ground, &mut fuzzed.started)? {
                fuzzed.take(over, kinds);
            }
        }
        if told.elapsed() >= TELL {
            told = Instant::now();
            tell(phase, seats, ground, fuzzed);
        }
        thread::sleep(LOOK);
    }
    Ok(())
}

fn tell(phase: &str, seats: &[Seat], ground: &Ground<'_>, fuzzed: &Fuzzed) {
    let at_work = seats.iter().filter_map(Seat::tally).filter_map(|path| read_tally(path).ok());
    let ended = fuzzed.targets.values().map(|target| target.tally.executions);
    let executions: u64 = at_work.map(|tally| tally.executions).chain(ended).sum();
    let left = ground.clock.left_of(phase).as_secs();
    let folders = [ground.findings(), ground.findings_of(CODECS)];
    let files: usize = folders.iter().map(|folder| std::fs::read_dir(folder).map_or(0, Iterator::count)).sum();
    let guided = if executions > 0 { format!("{executions} guided executions, ") } else { String::new() };
    (ground.tell)(&format!("{phase}: {guided}{files} files of findings, {left} s left"));
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
                        let how = over.ended.map_or(problem, |ended| ended.trouble(target).to_string());
                        self.silences.insert(target, how);
                    }
                }
            }
            Kind::Bulk => self.take_campaign(over),
        }
    }

    /// A target of which no process counted anything has not taken part, whatever it did.
    fn name_idle(&mut self) {
        let idle = self.targets.iter().filter(|(_, target)| target.processes > 0 && target.silent == target.processes);
        let said =
            idle.map(|(name, _)| format!("{name} did nothing: {}", self.silences.get(name).map_or("", String::as_str)));
        let said: Vec<String> = said.collect();
        self.amiss.extend(said);
    }

    /// A campaign counts in the end, so one that was ended has counted nothing.
    fn take_campaign(&mut self, over: Over) {
        let Some(ended) = over.ended else {
            self.amiss.push("run did not end in its time, so that it is not counted".to_owned());
            return;
        };
        let counted = match ended.code {
            Some(0 | 1) => ended.printed().map_err(|trouble| trouble.to_string()).and_then(|text| {
                let json = Json::parse(text.trim()).map_err(|problem| problem.to_string())?;
                Campaign::read(&json).map_err(|problem| problem.to_string())
            }),
            _ => Err(ended.trouble("run").to_string()),
        };
        match counted {
            Ok(campaign) => self.bulk.get_or_insert_default().add(campaign),
            Err(problem) => self.amiss.push(problem),
        }
    }
}

/// What a process counted.
///
/// # Errors
/// No file, or one that is no tally.
fn read_tally(path: &Path) -> Result<Tally, String> {
    let bytes = std::fs::read(path).map_err(|problem| problem.to_string())?;
    let json = Json::parse_bytes(&bytes).map_err(|problem| problem.to_string())?;
    Tally::read(&json).map_err(|problem| problem.to_string())
}
