//! The command `planfuzz`.

use std::process::ExitCode;

fn main() -> ExitCode {
    planfuzz::cli::main()
}
