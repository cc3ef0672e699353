//! Compares two runs of a scenario: walk by walk, and within a walk the requests before the answers.
//!
//! The first difference wins, because later ones mostly follow from it. If it is allowed or known, the comparison continues with
//! the next part of the walk, so that one bucket does not hide the others. Both sides play with providers of
//! the same model, so that the answers to equal requests are equal and need no comparison.

mod comparator;
mod counts;
mod document;
mod plan;
mod requests;
mod state;

#[cfg(test)]
mod tests;

use std::fmt;

use planfuzz_core::planner::{Applied, ApplyWalk, Exchange, Plan, PlanWalk};
use planfuzz_core::value::{Type, WrittenPath};

pub use counts::TraceCounts;

use super::difference::{Class, Difference, Place};
use crate::scenario::{NoAnswer, Stopped, Trace, Walk};
use crate::subject::Shown;
use comparator::{Apart, Comparator};

/// The place of a difference between two runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracePlace {
    /// The number of the step, from 0.
    pub step: usize,
    /// The walk.
    pub walk: Walk,
    /// The part of the walk, in words: `request 2 (plan): proposed`.
    pub part: String,
    /// The path in the object of that part.
    pub path: WrittenPath,
}

impl fmt::Display for TracePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {}, {}: {}", self.step + 1, self.walk.name(), self.part)?;
        if !self.path.is_root() {
            write!(f, " {}", self.path)?;
        }
        Ok(())
    }
}

/// The result of comparing two runs.
#[derive(Clone, Debug, Default)]
pub struct Compared {
    /// The number of walks that were compared and are alike.
    pub alike: u64,
    /// Whether both runs ended because both subjects refused the same walk.
    pub both_refuse: bool,
    /// The number of values that differ only in a type that formats.md cannot write; only if one side came over a line.
    pub unwritten: u64,
    /// The differences that are excused.
    pub passed: Vec<Difference>,
    /// The first difference that is not excused.
    pub difference: Option<Difference>,
}

/// How much of two runs is compared.
#[derive(Clone, Copy, Debug, Default)]
pub struct View<'t> {
    /// How much of both is visible.
    pub shown: Shown,
    /// The declared type of the schema, if less than all is visible: values may differ in what formats.md cannot write of it.
    pub declared: Option<&'t Type>,
    /// The version of the schema, if a state file may be all that is visible of an object.
    pub version: Option<u64>,
}

/// The calls of a walk.
#[derive(Clone, Copy)]
struct Calls<'l> {
    exchanges: &'l [Exchange],
    /// Whether they are about several objects, whose walks are in no particular order.
    of_several: bool,
}

/// The result of a walk.
enum Went<'l, T> {
    /// An answer.
    Answered(Calls<'l>, &'l T),
    /// No answer.
    Halted(&'l NoAnswer),
}

/// Compares two runs, as far as both are visible.
///
/// Ends without a difference at a walk in which one side crashed or ran out of time: these are verdicts of their own.
pub fn compare_traces(first: &Trace, second: &Trace, view: View<'_>) -> Compared {
    compare_past(first, second, view, &|_| false)
}

/// As [`compare_traces`], continuing after the differences that `excuses` accepts.
pub fn compare_past(first: &Trace, second: &Trace, view: View<'_>, excuses: &dyn Fn(&Difference) -> bool) -> Compared {
    let mut compared = Compared::default();
    for step in 0.. {
        let plans = (plan_of(first, step), plan_of(second, step));
        let judged =
            |comparator: &mut Comparator<'_>, first: &Plan, second: &Plan| plan::compare(comparator, first, second);
        if !compared.walk((step, Walk::Plan), plans, judged, (view, excuses)) {
            break;
        }
        let applies = (apply_of(first, step), apply_of(second, step));
        if applies.0.is_none() && applies.1.is_none() {
            continue;
        }
        let judged = |comparator: &mut Comparator<'_>, first: &Applied, second: &Applied| {
            state::compare_applied(comparator, first, second)
        };
        if !compared.walk((step, Walk::Apply), applies, judged, (view, excuses)) {
            break;
        }
    }
    compared
}

impl Compared {
    /// Compares one walk. Returns whether the runs continue after it.
    fn walk<T>(
        &mut self,
        (step, walk): (usize, Walk),
        went: (Option<Went<'_, T>>, Option<Went<'_, T>>),
        judged: impl FnOnce(&mut Comparator<'_>, &T, &T) -> Result<(), Apart>,
        (view, excuses): (View<'_>, &dyn Fn(&Difference) -> bool),
    ) -> bool {
        let is_engine = view.shown == Shown::Observed;
        let located = |Apart { class, part, path }: Apart| {
            let place = Place::Trace(Box::new(TracePlace { step, walk, part, path }));
            Difference { class, path: place }
        };
        let is_excused = |apart: &Apart| excuses(&located(apart.clone()));
        let mut comparator = Comparator::new(view, &is_excused);
        let apart = match went {
            (None, None) => return false,
            (Some(first), Some(second)) => match (first, second) {
                (Went::Answered(first_asked, first), Went::Answered(second_asked, second)) => {
                    let asked = requests::compare(&mut comparator, first_asked, second_asked);
                    comparator.go_past(asked).and_then(|()| judged(&mut comparator, first, second))
                }
                (Went::Halted(NoAnswer::Refused(_)), Went::Halted(NoAnswer::Refused(_))) => {
                    self.both_refuse = true;
                    return false;
                }
                (Went::Halted(NoAnswer::Refused(_)), Went::Answered(..))
                | (Went::Answered(..), Went::Halted(NoAnswer::Refused(_))) => {
                    Err(Apart::new(Class::RefusedByOne, "the whole"))
                }
                // If an engine crashes, a planner must refuse; if it answers, a planner must not.
                (Went::Halted(NoAnswer::Refused(_)), Went::Halted(NoAnswer::Crashed { .. })) if is_engine => {
                    self.both_refuse = true;
                    return false;
                }
                (Went::Answered(..), Went::Halted(NoAnswer::Crashed { .. })) if is_engine => {
                    Err(Apart::new(Class::RefusedByOne, "the whole"))
                }
                // A crash, a timeout or a call that was not asked: no answer to compare.
                (Went::Halted(_), _) | (_, Went::Halted(_)) => return false,
            },
            (Some(Went::Halted(halt)), None) | (None, Some(Went::Halted(halt)))
                if !matches!(halt, NoAnswer::Refused(_)) =>
            {
                return false;
            }
            (Some(_), None) | (None, Some(_)) => Err(Apart::new(Class::Form, "the whole")),
        };
        self.unwritten += comparator.unwritten();
        let passed = comparator.into_passed();
        self.alike += u64::from(apart.is_ok() && passed.is_empty());
        self.passed.extend(passed.into_iter().map(located));
        self.difference = apart.err().map(located);
        self.difference.is_none()
    }
}

fn plan_of(trace: &Trace, step: usize) -> Option<Went<'_, Plan>> {
    let walk = match (trace.steps.get(step), stopped_at(trace, step)) {
        (Some(step), _) => Some(&step.plan),
        (None, Some(Stopped { walk: Walk::Apply, plan, .. })) => plan.as_ref(),
        (None, Some(Stopped { walk: Walk::Plan, halt, .. })) => return Some(Went::Halted(halt)),
        (None, None) => None,
    };
    walk.map(|PlanWalk { exchanges, plan, request }| {
        Went::Answered(Calls { exchanges, of_several: !request.state.deposed.is_empty() }, plan)
    })
}

fn apply_of(trace: &Trace, step: usize) -> Option<Went<'_, Applied>> {
    match (trace.steps.get(step), stopped_at(trace, step)) {
        (Some(step), _) => step.apply.as_ref().map(|ApplyWalk { exchanges, applied, request }| {
            Went::Answered(Calls { exchanges, of_several: request.changes.len() > 1 }, applied)
        }),
        (None, Some(Stopped { walk: Walk::Apply, halt, .. })) => Some(Went::Halted(halt)),
        (None, _) => None,
    }
}

/// The walk that ended a run, if it is of this step.
fn stopped_at(trace: &Trace, step: usize) -> Option<&Stopped> {
    trace.stopped.as_deref().filter(|_| trace.steps.len() == step)
}
