//! The operations of a fuzz target: judging an input, mutating one, crossing two.

use std::fs::DirEntry;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;
use std::sync::{Mutex, MutexGuard};

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::codecs::Document;
use super::input::{InputJudge, InputOutcome, WrittenFinding};
use super::result_writer::ResultWriter;
use super::sample::Sample;
use super::tally::Tally;
use super::wire;
use crate::case::Case;
use crate::generate::{Breed, Mutator, Settings};
use planfuzz_files::folder;

/// How often a mutation is tried until one fits.
const TRIES: u32 = 4;

/// A fuzz target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Merges: every operation, with the rules and the metamorphic properties.
    Planner,
    /// Scenarios: runs of instances under providers, with the invariants.
    Lifecycle,
    /// Whole workspaces: configurations, states, commands, with the rules and the laws.
    Workspace,
    /// Readers of bytes.
    Codecs,
}

impl Target {
    /// All of them.
    pub const ALL: [Target; 4] = [Target::Planner, Target::Lifecycle, Target::Workspace, Target::Codecs];

    /// The name of the binary, and of the folder of its corpus.
    pub fn name(self) -> &'static str {
        match self {
            Target::Planner => "planner",
            Target::Lifecycle => "lifecycle",
            Target::Workspace => "workspace",
            Target::Codecs => "codecs",
        }
    }

    fn breed(self) -> Breed {
        match self {
            Target::Planner | Target::Codecs => Breed::Merges,
            Target::Lifecycle => Breed::Scenarios,
            Target::Workspace => Breed::Workspaces,
        }
    }
}

impl FromStr for Target {
    type Err = String;

    fn from_str(name: &str) -> Result<Target, String> {
        let found = Target::ALL.into_iter().find(|target| target.name() == name);
        found.ok_or_else(|| format!("expected planner, lifecycle, workspace or codecs, found {name:?}"))
    }
}

/// One target in one process.
pub struct Fuzzer {
    target: Target,
    judge: InputJudge,
    mutator: Mutator,
    tally: Tally,
    sample: Sample,
    /// The case that was made last and its bytes: it is mostly the next one to be judged or mutated.
    last: Option<(Vec<u8>, Case)>,
}

impl Fuzzer {
    /// A target with the two planners.
    pub fn new(target: Target) -> Fuzzer {
        Fuzzer::with(target, InputJudge::new(target))
    }

    /// A target with another judge.
    pub fn with(target: Target, judge: InputJudge) -> Fuzzer {
        let mutator = Mutator::new(target.breed(), Settings::SMALL);
        Fuzzer { target, judge, mutator, tally: Tally::default(), sample: Sample::default(), last: None }
    }

    /// The counts so far.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Gives an input to the judge.
    pub fn run(&mut self, bytes: &[u8]) -> InputOutcome {
        self.tally.executions += 1;
        let outcome = match self.last.take() {
            Some((made, case)) if made == bytes && self.target != Target::Codecs => {
                self.judge.judge(case, self.judge.thorough(bytes), &mut self.tally.summary)
            }
            _ => self.judge.run(bytes, &mut self.tally.summary),
        };
        match &outcome {
            InputOutcome::Rejected => self.tally.rejected += 1,
            InputOutcome::Held => {}
            InputOutcome::Found(troubles) => self.tally.found += troubles.len() as u64,
        }
        if self.target != Target::Codecs && !matches!(outcome, InputOutcome::Rejected) {
            self.sample.take(bytes);
        }
        outcome
    }

    /// Counts the features of the inputs that were sampled since the last call.
    pub fn take_stock(&mut self) {
        self.sample.count(&mut self.tally.features);
    }

    /// A mutated input, of at most `most` bytes. If that is less than the length of `bytes`, the case is only pruned.
    ///
    /// `plain` is the fuzzer's own mutation of bytes, for inputs that are nothing but bytes.
    pub fn mutate(
        &mut self,
        bytes: &[u8],
        most: usize,
        seed: u64,
        plain: &mut dyn FnMut(&mut Vec<u8>, usize),
    ) -> Vec<u8> {
        if self.target == Target::Codecs {
            return mutate_codec(bytes, most, seed, plain);
        }
        let known = self.last.take().filter(|(made, _)| made == bytes).map(|(_, case)| case);
        let Some(case) = known.or_else(|| wire::read(bytes).ok()) else {
            return self.fitting(most, |this, number| this.mutator.fresh(seed ^ u64::from(number)), bytes);
        };
        if most < bytes.len() {
            return self.pruned(case, most, seed, bytes);
        }
        self.fitting(most, |this, number| this.mutator.mutated(&case, mixed(seed, number)), bytes)
    }

    /// An input crossed from two, of at most `most` bytes.
    pub fn cross(&mut self, one: &[u8], other: &[u8], most: usize, seed: u64) -> Vec<u8> {
        if self.target == Target::Codecs {
            return cross_codec(one, other, most, seed);
        }
        let (Ok(first), Ok(second)) = (wire::read(one), wire::read(other)) else {
            return cut(one, most);
        };
        self.fitting(most, |this, number| this.mutator.crossed(&first, &second, mixed(seed, number)), one)
    }

    /// The first case made that fits; `before`, cut if necessary, if none does.
    fn fitting(&mut self, most: usize, mut make: impl FnMut(&Self, u32) -> Case, before: &[u8]) -> Vec<u8> {
        for number in 0..TRIES {
            let case = make(self, number);
            let bytes = wire::write(&case);
            if bytes.len() <= most {
                self.last = Some((bytes.clone(), case));
                return bytes;
            }
        }
        cut(before, most)
    }

    /// The case, pruned step by step until it fits.
    fn pruned(&mut self, mut case: Case, most: usize, seed: u64, before: &[u8]) -> Vec<u8> {
        for number in 0.. {
            let bytes = wire::write(&case);
            if bytes.len() <= most {
                self.last = Some((bytes.clone(), case));
                return bytes;
            }
            match self.mutator.pruned(&case, mixed(seed, number)) {
                Some(smaller) => case = smaller,
                None => break,
            }
        }
        cut(before, most)
    }
}

/// Another seed for each try.
fn mixed(seed: u64, number: u32) -> u64 {
    seed.wrapping_add(u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

fn cut(bytes: &[u8], most: usize) -> Vec<u8> {
    bytes[..bytes.len().min(most)].to_vec()
}

/// Bytes for a codec, changed as bytes; now and then for another codec.
fn mutate_codec(bytes: &[u8], most: usize, seed: u64, plain: &mut dyn FnMut(&mut Vec<u8>, usize)) -> Vec<u8> {
    let Some(document) = Document::read(bytes) else {
        let mut bytes = cut(bytes, most);
        plain(&mut bytes, most);
        bytes.truncate(most);
        return bytes;
    };
    let mut raw = document.to_raw();
    let mut dice = Xoshiro256PlusPlus::seed_from_u64(seed);
    let tag = raw.remove(0);
    raw.truncate(most.saturating_sub(1));
    plain(&mut raw, most.saturating_sub(1));
    raw.truncate(most.saturating_sub(1));
    let other = super::codecs::Codec::ALL[dice.next_u32() as usize % super::codecs::Codec::ALL.len()];
    let tag = match dice.next_u32() % 64 {
        0 => Document { codec: other, bytes: Vec::new().into() }.to_raw()[0],
        _ => tag,
    };
    raw.insert(0, tag);
    raw.truncate(most);
    raw
}

/// The beginning of one and the end of the other.
fn cross_codec(one: &[u8], other: &[u8], most: usize, seed: u64) -> Vec<u8> {
    let raw = |bytes: &[u8]| Document::read(bytes).map_or_else(|| bytes.to_vec(), |document| document.to_raw());
    let (mut one, other) = (raw(one), raw(other));
    let mut dice = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut below = |bound: usize| dice.next_u32() as usize % bound.max(1);
    let (head, tail) = (1 + below(one.len()), 1 + below(other.len()));
    one.truncate(head);
    one.extend(other.get(tail..).unwrap_or_default());
    one.truncate(most);
    one
}

/// The one target of this process.
static HERE: Mutex<Option<(Fuzzer, ResultWriter)>> = Mutex::new(None);

fn here() -> MutexGuard<'static, Option<(Fuzzer, ResultWriter)>> {
    // A panic under the lock ends the process.
    HERE.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Sets the target of this process up. From here on panics of planners are outcomes, whatever panic hook is installed.
pub fn begin(target: Target) {
    begin_with(ResultWriter::from_environment(target), target);
}

/// Likewise with a given writer.
pub(super) fn begin_with(writer: ResultWriter, target: Target) {
    // Installs the guard's hook in front of the present one.
    let _ = crate::subject::guard(|| ());
    *here() = Some((Fuzzer::new(target), writer));
    LAST_COUNT.with(|_| ());
}

/// Judges an input; returns whether it was accepted. Findings are written, or end the process.
pub fn run(bytes: &[u8]) -> bool {
    let mut here = here();
    let Some((fuzzer, writer)) = here.as_mut() else { panic!("a target begins before it runs") };
    let outcome = fuzzer.run(bytes);
    match outcome {
        InputOutcome::Rejected => false,
        InputOutcome::Held => true,
        InputOutcome::Found(troubles) => {
            for trouble in &troubles {
                if !writer.found(trouble).expect("a finding can be written") {
                    end(trouble);
                }
            }
            true
        }
    }
}

/// Prints a finding and ends the process: the fuzzer keeps the input as an artifact.
fn end(trouble: &WrittenFinding) -> ! {
    eprintln!("{}\n{}", trouble.signature, trouble.what);
    std::process::abort()
}

/// Mutates the first `size` bytes of `data` in place; returns the new size. `plain` is the fuzzer's own mutation: its arguments
/// are a buffer, its used length and its maximal length.
pub fn mutate(
    data: &mut [u8],
    size: usize,
    max_size: usize,
    seed: u32,
    plain: fn(&mut [u8], usize, usize) -> usize,
) -> usize {
    let mut here = here();
    let Some((fuzzer, writer)) = here.as_mut() else { return size };
    // Here and not where an input is judged: whether it is time to write does not depend on the input, and the code that counts
    // features is not coverage of the input.
    if writer.is_counting() {
        fuzzer.take_stock();
    }
    writer.count(&fuzzer.tally).expect("the counts can be written");
    let mut by_bytes = |bytes: &mut Vec<u8>, most: usize| {
        let size = bytes.len();
        bytes.resize(most.max(size), 0);
        let size = plain(bytes, size, most);
        bytes.truncate(size);
    };
    let mutated = fuzzer.mutate(&data[..size], max_size.min(data.len()), u64::from(seed), &mut by_bytes);
    data[..mutated.len()].copy_from_slice(&mutated);
    mutated.len()
}

thread_local! {
    /// Counts for the last time when the thread that called [`begin`] ends, and with it the process: a run that only replays a
    /// corpus mutates nothing, and the counts of others may be a second old.
    static LAST_COUNT: LastCount = const { LastCount };
}

struct LastCount;

impl Drop for LastCount {
    fn drop(&mut self) {
        let mut here = here();
        let Some((fuzzer, writer)) = here.as_mut().filter(|(_, writer)| writer.is_counting()) else { return };
        fuzzer.take_stock();
        // The process is ending: the problem can only be printed.
        if let Err(problem) = writer.write_counts(&fuzzer.tally) {
            eprintln!("the counts cannot be written: {problem}");
        }
    }
}

/// Crosses two inputs into `out`; returns the length of the result.
pub fn cross(one: &[u8], other: &[u8], out: &mut [u8], seed: u32) -> usize {
    let mut here = here();
    let Some((fuzzer, _)) = here.as_mut() else { return 0 };
    let crossed = fuzzer.cross(one, other, out.len(), u64::from(seed));
    out[..crossed.len()].copy_from_slice(&crossed);
    crossed.len()
}

/// How many files of a replay had which outcome.
#[derive(Default)]
pub(super) struct Replayed {
    held: u64,
    found: u64,
    others: u64,
}

/// A target without a fuzzer: runs the files and folders named as arguments, and prints the outcome of each. The exit code is 0 if all
/// inputs hold, 1 if some do not, and 2 if a file cannot be read or none is an input.
pub fn main(target: Target) -> ExitCode {
    match replay(target, std::env::args_os().skip(1).map(PathBuf::from).collect()) {
        Ok(replayed) => ExitCode::from(replayed.exit_code()),
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::from(2)
        }
    }
}

/// Runs files, and all files below folders.
///
/// # Errors
/// A path that cannot be read.
pub(super) fn replay(target: Target, mut pending: Vec<PathBuf>) -> Result<Replayed, String> {
    let mut fuzzer = Fuzzer::new(target);
    let mut replayed = Replayed::default();
    while let Some(path) = pending.pop() {
        let unreadable = |problem| format!("cannot read {}: {problem}", path.display());
        if path.is_dir() {
            pending.extend(folder::entries(&path).map_err(unreadable)?.iter().map(DirEntry::path));
            continue;
        }
        let outcome = fuzzer.run(&std::fs::read(&path).map_err(unreadable)?);
        replayed.count(&outcome, &path, target);
    }
    let Replayed { held, found, others } = replayed;
    println!("{held} held, {found} did not, {others} are no inputs of {}", target.name());
    Ok(replayed)
}

impl Replayed {
    /// The exit code: a replay in which nothing was checked does not pass.
    pub(super) fn exit_code(&self) -> u8 {
        match self {
            Replayed { held: 0, found: 0, .. } => 2,
            Replayed { found, .. } => u8::from(*found > 0),
        }
    }

    /// Counts and prints the outcome of a file.
    fn count(&mut self, outcome: &InputOutcome, path: &Path, target: Target) {
        match outcome {
            InputOutcome::Held => self.held += 1,
            InputOutcome::Rejected => {
                self.others += 1;
                println!("no input of {}: {}", target.name(), path.display());
            }
            InputOutcome::Found(troubles) => {
                self.found += 1;
                for trouble in troubles {
                    println!("failed {}: {}\n  {}", path.display(), trouble.signature, trouble.what);
                }
            }
        }
    }
}
