//! Runs the command `provider` by itself, to try it: `cargo run -p planfuzz-provider --example provider -- ./terraform-provider-x`.

use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

use clap::Parser;
use planfuzz_provider::{Kept, ProviderArgs, run};

#[derive(Parser)]
struct Command {
    #[command(flatten)]
    args: ProviderArgs,
}

fn main() -> ExitCode {
    static STOP: AtomicBool = AtomicBool::new(false);
    planfuzz_engine::process::leash::begin();
    match run(&Command::parse().args, &|_, _| Err("expected JSON".to_owned()), &STOP, &mut |line| println!("{line}")) {
        Ok(Kept::Yes) => ExitCode::SUCCESS,
        Ok(Kept::No) => ExitCode::from(1),
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::from(2)
        }
    }
}
