//! Merges: every operation, with the rules and the metamorphic properties.
//! Without a fuzzer it runs the target on the files named as arguments.
#![cfg_attr(fuzzing, no_main)]

use planfuzz::fuzz::{self, Target};

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(init: fuzz::begin(Target::Planner), |input: &[u8]| -> libfuzzer_sys::Corpus {
    if fuzz::run(input) { libfuzzer_sys::Corpus::Keep } else { libfuzzer_sys::Corpus::Reject }
});

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    fuzz::mutate(data, size, max_size, seed, libfuzzer_sys::fuzzer_mutate)
});

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_crossover!(|one: &[u8], other: &[u8], out: &mut [u8], seed: u32| {
    fuzz::cross(one, other, out, seed)
});

#[cfg(not(fuzzing))]
fn main() -> std::process::ExitCode {
    fuzz::main(Target::Planner)
}
