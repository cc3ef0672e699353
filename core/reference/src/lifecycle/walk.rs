//! The context of every part of a walk: the schema, the provider, and the diagnostics so far.

use crate::block_schema::BlockSchema;
use crate::planning::Planning;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{Diagnostic, Provider, Refusal, Remark, Severity};
use planfuzz_core::schema::{Crash, Schema};
use planfuzz_core::value::{Path, PathSet, Step as PathStep, Type, Value, WrittenPath};

/// A walk under way.
pub(super) struct Walk<'w, 's> {
    planning: &'w Planning<'s>,
    pub provider: &'w mut dyn Provider,
    pub diagnostics: Vec<Diagnostic>,
}

/// The reason why a part of a walk ends early.
pub(super) enum Stop {
    /// There were errors; they are among the diagnostics.
    Errors,
    /// A54: it ends without a diagnostic.
    Silently,
    /// The engine crashes.
    Refused(Refusal),
}

/// The result of a part of a walk that comes to its end.
pub(super) type Step<T> = Result<T, Stop>;

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Stop {
        Stop::Refused(refusal)
    }
}

impl From<Crash> for Stop {
    fn from(crash: Crash) -> Stop {
        Stop::Refused(Refusal::new(crash.rule, &crash.path, crash.message))
    }
}

/// Errors of one object's walk end only that walk (section 2); a refusal ends everything.
pub(super) fn contained<T>(step: Step<T>) -> Result<Option<T>, Refusal> {
    match step {
        Ok(result) => Ok(Some(result)),
        Err(Stop::Errors | Stop::Silently) => Ok(None),
        Err(Stop::Refused(refusal)) => Err(refusal),
    }
}

impl<'w, 's> Walk<'w, 's> {
    pub fn new(planning: &'w Planning<'s>, provider: &'w mut dyn Provider) -> Walk<'w, 's> {
        Walk { planning, provider, diagnostics: Vec::new() }
    }

    pub fn dialect(&self) -> Dialect {
        self.planning.dialect
    }

    pub fn source(&self) -> &'w Schema {
        self.planning.source
    }

    pub fn schema(&self) -> &'w BlockSchema<'s> {
        &self.planning.schema
    }

    /// The implied type.
    pub fn ty(&self) -> &'w Type {
        &self.planning.schema.ty
    }

    /// Null of the implied type.
    pub fn null(&self) -> Value {
        Value::null(self.ty().clone())
    }

    pub fn error(&mut self, summary: &'static str, path: WrittenPath, rule: &'static str) {
        self.diagnostics.push(Diagnostic::error(summary, path, rule));
    }

    /// An error at the root, which ends the part of the walk.
    pub fn fail(&mut self, summary: &'static str, rule: &'static str) -> Stop {
        self.error(summary, WrittenPath::default(), rule);
        Stop::Errors
    }

    /// Errors of one kind at several paths. If there are any they end the part of the walk.
    pub fn fail_at(&mut self, summary: &'static str, paths: Vec<WrittenPath>, rule: &'static str) -> Step<()> {
        let found = !paths.is_empty();
        for path in paths {
            self.error(summary, path, rule);
        }
        stop_if(found)
    }

    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }

    /// Takes the remarks of an answer; returns whether any is an error.
    pub fn hear(&mut self, remarks: Vec<Remark>) -> bool {
        let has_errors = remarks.iter().any(|remark| remark.severity == Severity::Error);
        self.diagnostics.extend(remarks.into_iter().map(|remark| Diagnostic {
            severity: remark.severity,
            summary: remark.summary.as_str().to_owned().into(),
            path: WrittenPath::default(),
            rule: "",
        }));
        has_errors
    }

    /// S70, as a set, without the paths that LD47 leaves out.
    pub fn sensitive_paths(&self, value: &Value) -> Step<PathSet> {
        let paths = self.source().sensitive_paths(value.view(), self.dialect())?;
        Ok(paths.iter().filter(|path| can_be_marked(value, path)).map(WrittenPath::from).collect())
    }
}

/// LD47: whether a path that the schema lists leads through known values only, or to an attribute of an unknown element of a
/// set with no index and no key before it.
fn can_be_marked(value: &Value, path: &Path) -> bool {
    let mut at = value.view();
    let mut is_indexed = false;
    let steps = path.steps();
    for (index, step) in steps.iter().enumerate() {
        if at.is_unknown() {
            return !is_indexed && matches!(steps[..index].last(), Some(PathStep::Element(_)));
        }
        is_indexed |= matches!(step, PathStep::Index(_) | PathStep::Key(_));
        let next = match step {
            PathStep::Element(element) => Some(element.view()),
            _ => at.apply(step),
        };
        // PL08 drops paths that do not exist.
        let Some(next) = next else { return true };
        at = next;
    }
    true
}

pub(super) fn stop_if(found: bool) -> Step<()> {
    if found { Err(Stop::Errors) } else { Ok(()) }
}
