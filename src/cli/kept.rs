//! `run --state`: cases that begin with a state file, and with the configuration that made it.

use std::path::Path;

use planfuzz_core::dialect::{Dialect, Engine};
use planfuzz_workspace_cases::generate::Choices;
use planfuzz_workspace_cases::kept::{Kept, KeptError};
use planfuzz_workspace_cases::{Command, Step};
use planfuzz_workspace_reference::Reference;

use super::args::RunArgs;
use super::error::CliError;
use super::{directory, files, output};
use crate::campaign::{Reader, Source};
use crate::case::Case;
use crate::generate::of_workspace;
use crate::placeholders;
use crate::report::plan_summary;

/// The error of a user's workspace, with the file to blame.
pub fn blamed(problem: KeptError, folder: &Path, state: Option<&Path>) -> CliError {
    let is_of_state = matches!(problem, KeptError::State(_) | KeptError::Json(_) | KeptError::Nothing);
    match state.filter(|_| is_of_state) {
        Some(state) => CliError::in_file(state, problem).with_hint("terraform state pull prints the state of a folder"),
        None => CliError::in_file(folder, problem),
    }
}

/// The reference's plan of a workspace as it is.
pub struct FirstPlan {
    /// In words, so that the user can compare it with that of an engine.
    pub text: String,
    /// Whether it ends with an error.
    pub is_errored: bool,
}

/// The reference's first plan.
///
/// # Errors
/// A workspace that cannot be read.
pub fn planned(kept: &Kept) -> Result<FirstPlan, planfuzz_workspace_cases::CaseError> {
    let played = planfuzz_workspace_cases::play(&kept.with(vec![Step::of(Command::Plan)]), &Reference)?;
    let first = played.steps.first();
    let all = first.map_or(&[][..], |step| &step.planned.diagnostics);
    let errors: Vec<_> = all.iter().filter(|one| one.is_error()).collect();
    let text = match (errors.first(), first.and_then(|step| step.planned.plan.as_ref())) {
        (Some(error), _) => {
            let place = error.address.as_ref().map_or(String::new(), |address| format!(" ({address})"));
            let more = if errors.len() > 1 { format!(", and {} more", errors.len() - 1) } else { String::new() };
            format!("an error: {}{place}{more}.", error.summary)
        }
        (None, Some(plan)) => plan_summary(plan),
        (None, None) => "nothing.".to_owned(),
    };
    Ok(FirstPlan { text, is_errored: !errors.is_empty() })
}

/// Cases of a state by number, in each of the dialects in turn.
pub struct OfState {
    kept: Vec<Kept>,
    seed: u64,
}

impl OfState {
    /// Reads the state in a file, and the files of `--config` and `--schemas`. Sensitive values get placeholders before anything is
    /// planned, since findings are kept and shown.
    ///
    /// # Errors
    /// Files that cannot be read, or have another content.
    pub fn read(state: &Path, args: &RunArgs, dialects: &[Dialect], seed: u64) -> Result<OfState, CliError> {
        let config = args.config.as_deref();
        let document = files::read_json(state)?;
        let engine = dialects.first().map_or(Engine::Terraform, |dialect| dialect.engine());
        let written = config.map(|folder| directory::configuration(folder, &args.var_files, engine)).transpose()?;
        let schemas = directory::schemas(&args.generator.schemas, "--state")?;
        let mut kept = Vec::new();
        for dialect in dialects {
            let of = Kept::of(Some(&document), written.as_ref(), schemas.as_ref(), *dialect);
            let of = of.map_err(|problem| blamed(problem, config.unwrap_or(state), Some(state)))?;
            let first = planned(&of).map_err(|problem| CliError::in_file(config.unwrap_or(state), problem))?;
            if first.is_errored {
                output::warn_once(&format!(
                    "{}: in {dialect} the reference plans {} Most cases end there, and show little",
                    config.unwrap_or(state).display(),
                    first.text,
                ));
            }
            let redacted = if args.show_sensitive { None } else { redacted(state, &of, "--show-sensitive")? };
            kept.push(redacted.unwrap_or(of));
        }
        if kept.iter().any(|kept| kept.blocks() == 0) {
            let place = config.unwrap_or(state);
            return Err(CliError::input(format!(
                "{}: expected blocks of managed resources, found none",
                place.display()
            )));
        }
        Ok(OfState { kept, seed })
    }
}

/// The start of the cases with placeholders; `None` if nothing is sensitive. `as_it_is` is the option to do without placeholders, for the
/// hint.
///
/// # Errors
/// Secrets that cannot have placeholders.
pub fn redacted(place: &Path, kept: &Kept, as_it_is: &str) -> Result<Option<Kept>, CliError> {
    let replaced = placeholders::of_workspace(&kept.with(vec![Step::of(Command::Plan)])).map_err(|problem| {
        CliError::in_file(place, problem).with_hint(format!("{as_it_is} takes it as it is, secrets and all"))
    })?;
    Ok(replaced.map(Kept::of_case))
}

impl Source for OfState {
    fn open(&self) -> Box<dyn Reader + '_> {
        Box::new(self)
    }
}

impl Reader for &OfState {
    fn cases(&mut self, from: u64, count: u64) -> Vec<Case> {
        let one = |number: u64| {
            let kept = self.kept.get((number % self.kept.len().max(1) as u64) as usize)?;
            Some(of_workspace(kept.case(&mut Choices::seeded(self.seed, number))))
        };
        (from..from.saturating_add(count)).filter_map(one).collect()
    }
}
