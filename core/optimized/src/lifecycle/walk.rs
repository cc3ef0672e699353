//! The context of a walk: the schema, the provider, and the diagnostics for the user.

use planfuzz_core::planner::{Diagnostic, Provider, Refusal, Remark, Severity};
use planfuzz_core::value::{Text, Type, Value, WrittenPath};

use super::super::operations::Program;

/// One walk.
pub(super) struct Walk<'w> {
    pub(super) program: &'w Program,
    pub(super) provider: &'w mut dyn Provider,
    pub(super) phase: Phase,
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// The two kinds of walks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Plan,
    Apply,
}

/// The reason why a sequence of steps ends early.
pub(super) enum Stop {
    /// An error that has been reported.
    Error,
    /// A deferral that is not reported (A54).
    Deferred,
    /// The engine crashes.
    Refused(Refusal),
}

/// The result of a step.
pub(super) type Walked<T> = Result<T, Stop>;

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Stop {
        Stop::Refused(refusal)
    }
}

/// Ends a sequence whose errors stay its own: `None` where an error or a deferral ended it (L186).
pub(super) fn survive<T>(walked: Walked<T>) -> Result<Option<T>, Refusal> {
    match walked {
        Ok(done) => Ok(Some(done)),
        Err(Stop::Error | Stop::Deferred) => Ok(None),
        Err(Stop::Refused(refusal)) => Err(refusal),
    }
}

impl<'w> Walk<'w> {
    pub(super) fn new(program: &'w Program, provider: &'w mut dyn Provider, phase: Phase) -> Walk<'w> {
        Walk { program, provider, phase, diagnostics: Vec::new() }
    }

    /// The type of the objects of the schema.
    pub(super) fn ty(&self) -> &'w Type {
        &self.program.root.ty
    }

    /// Null of that type.
    pub(super) fn null(&self) -> Value {
        Value::null(self.ty().clone())
    }

    /// Reports an error of the whole object.
    pub(super) fn error(&mut self, summary: &'static str, rule: &'static str) {
        self.error_at(summary, WrittenPath::default(), rule);
    }

    /// Reports an error of a part.
    pub(super) fn error_at(&mut self, summary: &'static str, path: WrittenPath, rule: &'static str) {
        self.diagnostics.push(Diagnostic::error(summary, path, rule));
    }

    /// Reports an error of the whole object and stops.
    pub(super) fn fail<T>(&mut self, summary: &'static str, rule: &'static str) -> Walked<T> {
        self.error(summary, rule);
        Err(Stop::Error)
    }

    /// Reports the remarks of an answer; returns whether any is an error.
    pub(super) fn remark(&mut self, remarks: &[Remark]) -> bool {
        let diagnostic = |remark: &Remark| Diagnostic {
            severity: remark.severity,
            summary: owned(&remark.summary),
            path: WrittenPath::default(),
            rule: "",
        };
        self.diagnostics.extend(remarks.iter().map(diagnostic));
        remarks.iter().any(|remark| remark.severity == Severity::Error)
    }

    /// The number of diagnostics so far.
    pub(super) fn diagnostic_count(&self) -> usize {
        self.diagnostics.len()
    }

    /// Whether there was an error since there were `start` diagnostics.
    pub(super) fn failed_since(&self, start: usize) -> bool {
        self.diagnostics[start..].iter().any(Diagnostic::is_error)
    }

    /// Stops if there was an error since there were `start` diagnostics.
    pub(super) fn stop_since(&self, start: usize) -> Walked<()> {
        if self.failed_since(start) { Err(Stop::Error) } else { Ok(()) }
    }
}

fn owned(text: &Text) -> std::borrow::Cow<'static, str> {
    text.as_str().to_owned().into()
}
