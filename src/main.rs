//! The command `planfuzz`.

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(feature = "engine")]
    planfuzz_engine::process::leash::begin();
    planfuzz::cli::main()
}
