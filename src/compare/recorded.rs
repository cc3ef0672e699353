//! Compares answers with recorded ones.

use planfuzz_core::dialect::Dialect;

use super::difference::{Class, Difference, difference};
use super::inaccuracy::RecordingInaccuracy;
use super::trace::{View, compare_traces};
use super::unwritten::are_written_alike;
use crate::case::Call;
use crate::scenario::{NoAnswer, Stopped, Trace};
use crate::subject::{Outcome, Shown, in_one_form};

/// Why an answer does not match the recorded one.
#[derive(Clone, Debug)]
pub enum Miss {
    /// There is no answer: a crash, a timeout, or a question that was not asked.
    NoAnswer,
    /// The answer differs.
    Differs(Difference),
}

/// The outcome that a vector records.
#[derive(Clone, Copy, Debug)]
pub struct Expected<'a> {
    /// The call.
    pub call: &'a Call,
    /// The dialect of the call.
    pub dialect: Dialect,
    /// The outcome.
    pub outcome: &'a Outcome,
    /// How much of it was visible.
    pub shown: Shown,
}

impl Expected<'_> {
    /// Checks that an answer, of which `shown` is visible, is the expected one.
    ///
    /// # Errors
    /// Another answer, or none.
    pub fn is_met_by(&self, got: &Outcome, shown: Shown) -> Result<(), Miss> {
        let is_engine = shown == Shown::Observed;
        match (self.outcome, got) {
            (Outcome::Trace(expected), Outcome::Trace(got)) => self.is_met_by_trace(expected, got, shown),
            // Planners refuse where an engine crashes.
            (Outcome::Refused(_), Outcome::Crashed { .. }) if is_engine => Ok(()),
            (_, got) if !got.is_answer() => Err(Miss::NoAnswer),
            both => {
                let (expected, got) = in_one_form(self.call, both, self.dialect);
                match difference(&expected, &got) {
                    Some(found) if !self.is_unwritten(&found, &got, shown) => Err(Miss::Differs(found)),
                    _ => Ok(()),
                }
            }
        }
    }

    /// The inaccuracy of the recording that alone explains why an answer is not the expected one.
    pub fn is_met_but_for(&self, got: &Outcome, shown: Shown) -> Option<RecordingInaccuracy> {
        if self.shown != Shown::Observed {
            return None;
        }
        let (inaccuracy, got) =
            RecordingInaccuracy::as_recorded(self.call.schema().map(AsRef::as_ref), self.outcome, got)?;
        self.is_met_by(&got, shown).is_ok().then_some(inaccuracy)
    }

    fn is_met_by_trace(&self, expected: &Trace, got: &Trace, shown: Shown) -> Result<(), Miss> {
        let refusing = refusing_where_it_crashed(expected);
        let expected = refusing.as_ref().unwrap_or(expected);
        let declared = self.call.schema().map(|schema| schema.implied_type(self.dialect));
        let is_whole = self.shown.max(shown) == Shown::Whole;
        let view = View {
            shown: self.shown.max(shown),
            declared: declared.as_ref().filter(|_| !is_whole),
            version: self.call.schema().map(|schema| schema.version),
        };
        let is_engine = shown == Shown::Observed;
        // A crash of an engine has to be on the second side of a comparison.
        let compared =
            if is_engine { compare_traces(expected, got, view) } else { compare_traces(got, expected, view) };
        match (compared.difference, got.stopped.as_deref().map(|stopped| &stopped.halt)) {
            (Some(found), _) => Err(Miss::Differs(found)),
            (None, None | Some(NoAnswer::Refused(_))) => Ok(()),
            (None, Some(NoAnswer::Crashed { .. })) if is_engine && compared.both_refuse => Ok(()),
            (None, Some(_)) => Err(Miss::NoAnswer),
        }
    }

    /// Whether a difference is only in types that formats.md cannot write.
    fn is_unwritten(&self, found: &Difference, got: &Outcome, shown: Shown) -> bool {
        let (Class::Type | Class::Elements) = found.class else { return false };
        let (Outcome::Value(expected), Outcome::Value(got)) = (self.outcome, got) else { return false };
        let declared = self.call.schema().map(|schema| schema.implied_type(self.dialect));
        let is_less = self.shown.max(shown) > Shown::Whole;
        is_less && declared.is_some_and(|ty| are_written_alike(expected, got, &ty))
    }
}

/// The expectation for a planner if an engine crashed: that it refuses. `None` if the engine did not crash.
fn refusing_where_it_crashed(trace: &Trace) -> Option<Trace> {
    let stopped = trace.stopped.as_deref()?;
    let NoAnswer::Crashed { site, .. } = &stopped.halt else { return None };
    let stopped = Stopped { halt: NoAnswer::Refused(site.clone()), ..stopped.clone() };
    Some(Trace { steps: trace.steps.clone(), stopped: Some(Box::new(stopped)) })
}
