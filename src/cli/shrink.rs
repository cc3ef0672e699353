//! `shrink`: a failing case made smaller while its bucket stays the same.

use super::args::ShrinkArgs;
use super::error::{CliError, Held};
use super::output::{self, DIM, GOOD, styled};
use super::{files, subjects};
use crate::case::{Case, CaseFile};
use crate::compare::{Judge, Signature};
use crate::subject::Subject;
use crate::triage::{FindingFile, confirm, shrink};

/// Runs the command.
///
/// # Errors
/// A case that cannot be read, subjects that do not start, a file that cannot be written.
pub fn run(args: &ShrinkArgs) -> Result<Held, CliError> {
    let case = files::read_case_in(&args.case, args.subjects.dialect)?.case;
    let mut bench =
        Bench { subjects: subjects::start_for_shrinking(&args.subjects, case.dialect)?, judge: Judge::default() };
    let Some(signature) = bench.first_signature(&case) else {
        output::say(&styled(GOOD, "nothing is found in this case: there is nothing to shrink it to"));
        return Ok(Held::Yes);
    };
    let narrowed = case.narrowed_to(signature.op).filter(|narrowed| bench.shows(narrowed, &signature));
    let start = narrowed.unwrap_or(case);
    let shrunk = shrink(&start, args.budget, &mut |smaller| bench.shows(smaller, &signature));
    output::say(&styled(DIM, format!("{signature}: asked {} times", shrunk.calls)));
    let target = args.output.as_deref().unwrap_or(&args.case).display().to_string();
    let names = subjects::names(&args.subjects);
    let confirmed = confirm(&shrunk.case, &mut bench.subjects, &bench.judge)
        .into_iter()
        .find(|confirmed| confirmed.found.verdict.signature() == Some(&signature));
    let origin = args.case.display().to_string();
    let file = match &confirmed {
        Some(confirmed) => {
            FindingFile { case: &shrunk.case, confirmed, origin: &origin, subjects: &names, path: &target }
                .to_case_file()
        }
        None => CaseFile { case: shrunk.case.clone(), finding: None },
    };
    match &args.output {
        Some(path) => files::write_case(path, &file)?,
        None => output::line(&file.to_json().to_pretty())?,
    }
    Ok(Held::No)
}

struct Bench {
    subjects: Vec<Box<dyn Subject>>,
    judge: Judge,
}

impl Bench {
    fn first_signature(&mut self, case: &Case) -> Option<Signature> {
        let all = confirm(case, &mut self.subjects, &self.judge);
        all.into_iter().find_map(|confirmed| confirmed.found.verdict.signature().cloned())
    }

    fn shows(&mut self, case: &Case, signature: &Signature) -> bool {
        let all = confirm(case, &mut self.subjects, &self.judge);
        all.iter().any(|confirmed| confirmed.found.verdict.signature() == Some(signature))
    }
}
