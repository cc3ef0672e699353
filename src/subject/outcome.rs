//! The outcome of asking a subject one operation.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use planfuzz_core::json::Json;
use planfuzz_core::planner::Answer;
use planfuzz_core::value::Value;

use super::workspace::WorkspaceAnswer;
use crate::case::scenario::{NoAnswer, Trace};
use crate::guard::Panic;

/// The outcome of asking a subject one operation.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// A value.
    Value(Value),
    /// Paths as text, sorted, repetitions kept: violations, or the paths of marks.
    Paths(Vec<String>),
    /// The `want` of the operation in formats.md, for answers that are neither.
    Want(Json),
    /// The run of a scenario, as far as it got; contains how it ended early, if it did.
    Trace(Arc<Trace>),
    /// The answer to a whole workspace.
    Workspace(Arc<WorkspaceAnswer>),
    /// It refused the input, as it should where the engine crashes.
    Refused(String),
    /// It panicked or died.
    Crashed {
        /// Where, without parts that change from run to run: the place of the panic, or how the program ended.
        site: String,
        /// Its message.
        message: String,
        /// Whether a planner of the dialect refuses the walk in which the operation was asked: engines answer some operations
        /// within a walk, and may have crashed of something else in it.
        predicted: bool,
    },
    /// It did not answer in time.
    OverBudget {
        /// The limit that was exceeded.
        limit: Duration,
    },
    /// It was not asked.
    LeftOut(LeftOut),
}

/// Why a subject was not asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LeftOut {
    /// It does not know the operation.
    UnknownOp,
    /// The provider model of the scenario cannot be run.
    Unplayable,
    /// The files, the schemas or the state of the workspace cannot be used.
    UnplayableWorkspace,
    /// The planner reports that it does not cover the workspace.
    NotCovered,
    /// The planner that an engine follows step by step panics. Its own answer says so.
    LeaderPanics,
    /// The expression needs more steps than the subject allows.
    TooLarge,
    /// It gets its values as msgpack, which does not preserve all of them (V95).
    ChangedOnTheWire,
    /// It speaks another dialect.
    OtherDialect,
    /// The user asked for other operations only. This is not counted.
    NotAsked,
    /// It failed so often in a row that it was not started again.
    GivenUp,
    /// The user interrupted before it was asked.
    Interrupted,
    /// An engine cannot be asked this.
    #[cfg(feature = "engine")]
    Engine(planfuzz_engine::LeftOut),
    /// The question has no form in which engines can be asked.
    #[cfg(feature = "engine")]
    Unaskable(&'static str),
}

impl LeftOut {
    /// The reason in words, as it is counted.
    pub fn reason(self) -> Cow<'static, str> {
        let reason = match self {
            LeftOut::UnknownOp => "operation not offered",
            LeftOut::Unplayable => "provider model cannot be played",
            LeftOut::UnplayableWorkspace => "workspace whose files, schemas or state cannot be used",
            LeftOut::NotCovered => "workspace that the planner does not cover",
            LeftOut::LeaderPanics => "workspace in which the planner that the engine follows panics",
            LeftOut::TooLarge => "expression beyond the budget",
            LeftOut::ChangedOnTheWire => "values that msgpack does not keep",
            LeftOut::OtherDialect => "other dialect",
            LeftOut::NotAsked => "not asked for",
            LeftOut::GivenUp => "given up: it neither starts nor answers in time",
            LeftOut::Interrupted => "interrupted",
            #[cfg(feature = "engine")]
            LeftOut::Engine(reason) => return reason.to_string().into(),
            #[cfg(feature = "engine")]
            LeftOut::Unaskable(reason) => reason,
        };
        reason.into()
    }
}

impl Outcome {
    /// Whether this is an answer or a refusal, so that it can be compared.
    pub fn is_answer(&self) -> bool {
        match self {
            Outcome::Value(_)
            | Outcome::Paths(_)
            | Outcome::Want(_)
            | Outcome::Trace(_)
            | Outcome::Workspace(_)
            | Outcome::Refused(_) => true,
            Outcome::Crashed { .. } | Outcome::OverBudget { .. } | Outcome::LeftOut(_) => false,
        }
    }

    /// In words; an outcome that vectors can express is formatted with `Debug`.
    pub fn in_words(&self) -> String {
        match self {
            Outcome::Crashed { site, message, .. } => format!("crashed at {site}: {message}"),
            Outcome::OverBudget { limit } => format!("no answer within {} ms", limit.as_millis()),
            Outcome::LeftOut(reason) => format!("not asked: {}", reason.reason()),
            answer => format!("{answer:?}"),
        }
    }

    /// Whether the subject was asked at all. A run of which not even the first walk could be asked does not count.
    pub fn was_asked(&self) -> bool {
        match self {
            Outcome::LeftOut(_) => false,
            Outcome::Trace(trace) => !trace.is_unasked(),
            Outcome::Workspace(answer) => answer.steps() > 0,
            _ => true,
        }
    }

    /// Why a part of what the subject was asked has no answer, if so.
    pub fn why_unanswered(&self) -> Option<Cow<'_, str>> {
        match self {
            Outcome::LeftOut(reason) => Some(reason.reason()),
            Outcome::Workspace(answer) => answer.why_unanswered().map(Cow::from),
            Outcome::Trace(trace) => match trace.stopped.as_deref().map(|stopped| &stopped.halt) {
                Some(NoAnswer::LeftOut(reason)) => Some(Cow::from(reason.as_str())),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether a planner refuses the call in which another subject crashed: for a run, the same walk of the same step.
    pub fn predicts(&self, crashed: &Outcome) -> bool {
        match (self, crashed) {
            (Outcome::Refused(_), Outcome::Crashed { .. }) => true,
            (Outcome::Trace(planned), Outcome::Trace(crashed)) => planned.predicts(crashed),
            _ => false,
        }
    }

    /// The steps of a run that were completed.
    pub fn steps(&self) -> u64 {
        match self {
            Outcome::Trace(trace) => trace.steps.len() as u64,
            _ => 0,
        }
    }

    /// The outcome of a whole workspace.
    pub fn of_workspace(answer: WorkspaceAnswer) -> Outcome {
        Outcome::Workspace(Arc::new(answer))
    }

    /// The outcome of a planner's answer.
    pub fn of_answer(answer: Answer) -> Outcome {
        match answer {
            Answer::Value(value) => Outcome::Value(value),
            Answer::Violations(violations) => {
                let mut paths: Vec<String> = violations.iter().map(|violation| violation.path.to_string()).collect();
                paths.sort_unstable();
                Outcome::Paths(paths)
            }
        }
    }
}

impl From<Panic> for Outcome {
    fn from(panic: Panic) -> Outcome {
        Outcome::Crashed { site: panic.site, message: panic.message, predicted: false }
    }
}
