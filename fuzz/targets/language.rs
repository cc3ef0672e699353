//! The configuration language: files of both syntaxes, expressions and templates; the laws are those of the crate `planfuzz-language`.
//! Without a fuzzer it runs the target on the files named as arguments.
#![cfg_attr(fuzzing, no_main)]

use planfuzz_language::laws;

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|input: &[u8]| -> libfuzzer_sys::Corpus {
    if laws::any(input).expect("a law holds") { libfuzzer_sys::Corpus::Keep } else { libfuzzer_sys::Corpus::Reject }
});

#[cfg(not(fuzzing))]
fn main() -> std::io::Result<()> {
    for path in std::env::args().skip(1) {
        let is_taken = laws::any(&std::fs::read(&path)?).expect("a law holds");
        println!("{path}: {}", if is_taken { "taken" } else { "refused" });
    }
    Ok(())
}
