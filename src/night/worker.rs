//! A worker of the fuzzing: runs its slots, one process at a time.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::context::{Context, TARGETS, flag};
use super::error::PhaseError;
use super::program::{Order, ProgramOutput, Running};
use super::slots::Slot;

/// How often a process that ends early is started again, for one slot.
const ATTEMPTS: usize = 20;

/// A process that ends this shortly before its time is not started again.
const CRUMB: Duration = Duration::from_secs(2);

/// How long a process may go on once its time is over.
pub const GRACE: Duration = Duration::from_secs(5);

/// Longer inputs are cut: a case of this size shows no more than a smaller one.
const MAX_LEN: u32 = 1 << 16;

/// Seconds after which an input counts as a hang.
const TIMEOUT: u32 = 30;

/// A kind of work.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A coverage-guided target.
    Guided {
        /// Its name.
        target: &'static str,
        /// Its binary.
        binary: PathBuf,
        /// The folders that it starts from.
        seeds: Vec<PathBuf>,
    },
    /// The campaign without instrumentation.
    Bulk,
}

/// A process that has ended: its kind, its counts and its result.
#[derive(Debug)]
pub struct Over {
    /// The number of the kind.
    pub kind: usize,
    /// The file with its counts.
    pub tally: PathBuf,
    /// Its result; `None` if it had to be killed.
    pub ended: Option<ProgramOutput>,
    /// Whether it ended by itself before its time.
    pub early: bool,
}

/// A worker.
pub struct Worker {
    slots: std::vec::IntoIter<Slot>,
    at_work: Option<AtWork>,
}

struct AtWork {
    slot: Slot,
    until: Instant,
    attempts: usize,
    tally: PathBuf,
    running: Running,
}

impl Worker {
    /// A worker with its slots.
    pub fn new(slots: Vec<Slot>) -> Worker {
        Worker { slots: slots.into_iter(), at_work: None }
    }

    /// Whether there is nothing left to do.
    pub fn is_done(&self) -> bool {
        self.at_work.is_none() && self.slots.as_slice().is_empty()
    }

    /// The file with the counts of the running process.
    pub fn tally(&self) -> Option<&PathBuf> {
        self.at_work.as_ref().map(|work| &work.tally)
    }

    /// Checks the process: starts one if there is none, returns one that has ended. `number` counts processes.
    ///
    /// # Errors
    /// A process that does not start, or keeps ending early.
    pub fn tend(
        &mut self,
        kinds: &[Kind],
        context: &Context<'_>,
        number: &mut u64,
    ) -> Result<Option<Over>, PhaseError> {
        let Some(work) = &mut self.at_work else {
            if let Some(slot) = self.slots.next() {
                let until = Instant::now() + slot.time;
                self.at_work = Some(start(slot, until, 1, kinds, context, number)?);
            }
            return Ok(None);
        };
        let asked = work.running.ended();
        let ended = asked.map_err(|problem| PhaseError::Failed(format!("cannot wait for a process: {problem}")))?;
        let now = Instant::now();
        if ended.is_none() && now < work.until + GRACE {
            return Ok(None);
        }
        let early = ended.is_some() && now + CRUMB < work.until;
        let over = Over { kind: work.slot.kind, tally: work.tally.clone(), ended, early };
        let Some(AtWork { slot, until, attempts, .. }) = self.at_work.take() else { return Ok(Some(over)) };
        if early {
            if attempts == ATTEMPTS {
                let name = kinds[slot.kind].name();
                let last = over.ended.as_ref().map(|ended| ended.error(name).to_string()).unwrap_or_default();
                return Err(PhaseError::Failed(format!("{name} does not stay: {attempts} starts; {last}")));
            }
            self.at_work = Some(start(slot, until, attempts + 1, kinds, context, number)?);
        }
        Ok(Some(over))
    }

    /// Ends the running process at once.
    pub fn end(&mut self) -> Option<Over> {
        let work = self.at_work.take()?;
        Some(Over { kind: work.slot.kind, tally: work.tally, ended: None, early: false })
    }
}

fn start(
    slot: Slot,
    until: Instant,
    attempts: usize,
    kinds: &[Kind],
    context: &Context<'_>,
    number: &mut u64,
) -> Result<AtWork, PhaseError> {
    *number += 1;
    let kind = &kinds[slot.kind];
    let name = format!("{}-{number}", kind.name());
    let tally = context.options.work.join("tally").join(format!("{name}.json"));
    let time = until.saturating_duration_since(Instant::now()).max(Duration::from_secs(1));
    let order = match kind {
        Kind::Guided { target, binary, seeds } => {
            let explored = context.explored(target).join(&name);
            make_folders([Some(&*explored), tally.parent()])?;
            let order = guided(target, binary, &name, time, context);
            let order = order.with(explored).variable("PLANFUZZ_FUZZ_TALLY", &tally);
            seeds.iter().fold(order, |order, seed| order.with(seed))
        }
        Kind::Bulk => bulk(&name, time, context),
    };
    let running =
        order.start().map_err(|problem| PhaseError::Failed(format!("{} does not start: {problem}", kind.name())))?;
    Ok(AtWork { slot, until, attempts, tally, running })
}

fn make_folders<'p>(folders: impl IntoIterator<Item = Option<&'p Path>>) -> Result<(), PhaseError> {
    for folder in folders.into_iter().flatten() {
        std::fs::create_dir_all(folder).map_err(|problem| PhaseError::of_file("make", folder, &problem))?;
    }
    Ok(())
}

/// A fuzz target, but for the folders with its inputs.
fn guided(target: &str, binary: &Path, name: &str, time: Duration, context: &Context<'_>) -> Order {
    let findings = context.findings_of(target);
    let mut artifacts = findings.clone().into_os_string();
    artifacts.push("/");
    Order::new(binary, context.log(name))
        .with(flag("seed", seed_of(&context.options.seed, name).to_string()))
        .with(flag("max_total_time", time.as_secs().max(1).to_string()))
        .with(flag("max_len", MAX_LEN.to_string()))
        // A workspace reaches tens of thousands of edges: weighting inputs by rarity would take ten times as long as judging them.
        .with(flag("entropic", u8::from(target != "workspace").to_string()))
        .with(flag("timeout", TIMEOUT.to_string()))
        .with(flag("report_slow_units", TIMEOUT.to_string()))
        .with(flag("artifact_prefix", artifacts))
        .variable("PLANFUZZ_FUZZ_FINDINGS", findings)
}

fn bulk(name: &str, time: Duration, context: &Context<'_>) -> Order {
    let order = context
        .command(name, &["run", "--json", "--jobs", "1"])
        .option("--seed", seed_of(&context.options.seed, name).to_string())
        .option("--time", format!("{}ms", time.as_millis()))
        .option("--findings", context.findings());
    let asked = &context.options.asked;
    let order = asked.arguments.iter().chain(&asked.schemas).fold(order, |order, argument| order.with(argument));
    match &context.options.allow {
        Some(allow) => order.option("--allow", allow),
        None => order,
    }
}

/// The seed of a process: unique within a night, and never 0, which would mean a random one.
pub fn seed_of(night: &str, name: &str) -> u32 {
    crc32fast::hash(format!("{night}/{name}").as_bytes()).max(1)
}

impl Kind {
    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Kind::Guided { target, .. } => target,
            Kind::Bulk => "run",
        }
    }

    /// Its part of the time.
    pub fn weight(&self) -> u32 {
        match self {
            Kind::Guided { target, .. } => {
                TARGETS.iter().find(|(name, _)| name == target).map_or(0, |(_, weight)| *weight)
            }
            Kind::Bulk => 1,
        }
    }
}
