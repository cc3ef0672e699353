//! The target of a process under libFuzzer, which calls functions without a place for what they remember.

use std::sync::{Mutex, MutexGuard};

use super::fuzzer::Fuzzer;
use super::input::{InputOutcome, WrittenFinding};
use super::result_writer::ResultWriter;
use super::target::Target;

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
    writer.count(fuzzer.tally()).expect("the counts can be written");
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
        if let Err(problem) = writer.write_counts(fuzzer.tally()) {
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
