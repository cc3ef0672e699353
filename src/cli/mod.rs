//! The command line: the part that prints.
//!
//! Results go to standard output, messages for people to standard error. Exit codes: 0 the checks held, 1 findings or
//! failed vectors, 2 usage or bad input, 3 the suite itself failed, 130 a second interrupt.

mod apart;
mod args;
mod cases;
mod collector;
mod completions_and_man;
mod conform;
mod directory;
mod distil;
mod error;
mod failures;
mod features;
mod files;
mod gen_cases;
mod given;
mod groups;
mod import;
mod import_workspace;
mod junit;
mod kept;
mod kills;
mod lint;
mod measure;
mod measure_workspaces;
mod memory;
mod names;
mod night;
mod output;
mod place;
mod probe;
mod progress;
mod promote;
#[cfg(feature = "engine")]
mod provider;
mod record;
mod redact;
mod replay;
mod report;
mod review;
mod run;
mod serve;
mod settings;
mod shrink;
mod shrinker;
mod signals;
mod subjects;
mod totals;
mod triage;

use std::process::ExitCode;

use clap::Parser;

pub use args::{Cli, Command};
pub use error::{CliError, Held};

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    // The panic has been printed with its place; the exit code reports that the suite failed.
    let ended = std::panic::catch_unwind(|| dispatch(cli));
    settings::stay_if_ending();
    match ended {
        Ok(Ok(Held::Yes)) => ExitCode::SUCCESS,
        Ok(Ok(Held::No)) => ExitCode::from(1),
        Ok(Err(error)) => {
            output::error(&error);
            ExitCode::from(error.exit_code())
        }
        Err(_) => ExitCode::from(3),
    }
}

fn dispatch(cli: Cli) -> Result<Held, CliError> {
    match cli.command {
        None => run::run(&cli.run),
        Some(Command::Run(args)) => run::run(&args),
        Some(Command::Gen(args)) => gen_cases::run(&args),
        Some(Command::Features(args)) => features::run(&args),
        Some(Command::Probe(args)) => probe::run(&args),
        Some(Command::Replay(args)) => replay::run(&args),
        Some(Command::Shrink(args)) => shrink::run(&args),
        Some(Command::Triage(args)) => triage::run(&args),
        Some(Command::Promote(args)) => promote::run(&args),
        Some(Command::Distil(args)) => distil::run(&args),
        Some(Command::Conform(args)) => conform::run(&args),
        Some(Command::Record(args)) => record::run(&args),
        Some(Command::Import(args)) => import::run(&args),
        Some(Command::Measure(args)) => measure::run(&args),
        Some(Command::Lint(args)) => lint::run(&args),
        #[cfg(feature = "engine")]
        Some(Command::Provider(args)) => provider::run(&args),
        Some(Command::Night(args)) => night::run(&args),
        Some(Command::Kills(args)) => kills::run(&args),
        Some(Command::Report(args)) => report::run(&args),
        Some(Command::Serve(args)) => serve::run(&args),
        Some(Command::Review(args)) => review::run(&args),
        Some(Command::Completions(args)) => completions_and_man::completions(&args),
        Some(Command::Man(args)) => completions_and_man::man(&args),
    }
}
