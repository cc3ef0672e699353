//! Subjects by name.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::optimized::Optimized;
use planfuzz_core::reference::Reference;

use super::args::SubjectArgs;
use super::error::CliError;
use crate::subject::{Exec, ExecOptions, InProcess, Subject};

/// Who takes part where nobody is named.
const DEFAULT: [&str; 2] = ["reference", "optimized"];

/// The subjects as options name them.
pub fn names(args: &SubjectArgs) -> Vec<String> {
    if args.subjects.is_empty() { DEFAULT.map(str::to_owned).to_vec() } else { args.subjects.clone() }
}

/// Starts the subjects, in the order in which they were named, for the operations that were asked for.
///
/// # Errors
/// A name that is none, and a program that does not start.
pub fn start(args: &SubjectArgs, dialect: Dialect) -> Result<Vec<Box<dyn Subject>>, CliError> {
    names(args).iter().map(|name| start_one(name, args, dialect)).collect()
}

fn start_one(name: &str, args: &SubjectArgs, dialect: Dialect) -> Result<Box<dyn Subject>, CliError> {
    if let Some(command) = name.strip_prefix("exec:") {
        let options = ExecOptions { dialect, answer_time: args.answer_time };
        let exec = Exec::start(command, &options).map_err(|problem| CliError::failed(problem.to_string()))?;
        return Ok(Box::new(exec));
    }
    #[cfg(feature = "faults")]
    if let Some(subject) = wrong_on_purpose(name)? {
        return Ok(subject);
    }
    in_process(name).map(|subject| Box::new(subject) as Box<dyn Subject>)
}

/// The canary and the planted faults; nothing for any other name.
#[cfg(feature = "faults")]
fn wrong_on_purpose(name: &str) -> Result<Option<Box<dyn Subject>>, CliError> {
    use crate::subject::faults::{Canary, Fault, Faulty};
    if name == "canary" {
        return Ok(Some(Box::new(Canary::new())));
    }
    let Some(fault) = name.strip_prefix("fault:") else { return Ok(None) };
    match Fault::from_name(fault) {
        Some(fault) => Ok(Some(Box::new(Faulty::new(fault)))),
        None => {
            let all: Vec<String> = Fault::ALL.iter().map(|fault| format!("fault:{}", fault.name())).collect();
            let message = format!("expected a planted fault, found {name:?}");
            Err(CliError::input(message).with_hint(format!("there are {}", all.join(", "))))
        }
    }
}

/// A planner of this process by its name.
///
/// # Errors
/// A name that is none.
pub fn in_process(name: &str) -> Result<InProcess, CliError> {
    match name {
        "reference" => Ok(InProcess::new(Reference)),
        "optimized" => Ok(InProcess::new(Optimized)),
        _ => Err(CliError::input(format!(
            "expected a subject such as reference, optimized or exec:COMMAND, found {name:?}"
        ))),
    }
}
