//! Lives held against each other: walk by walk, and within a walk what is asked before what is said.
//!
//! The first difference wins: what comes after it follows from it more often than not. Where it is allowed or known the comparison
//! goes past it, to the next part of the walk, so that one bucket does not hide the others. Both sides play with providers of
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

pub use counts::LifeCounts;

use super::difference::{Class, Difference, Place};
use crate::scenario::{Life, NoAnswer, Stopped, Walk};
use crate::subject::Shown;
use comparator::{Apart, Comparator};

/// Where in two lives a difference is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LifePlace {
    /// The number of the step, from 0.
    pub step: usize,
    /// The walk.
    pub walk: Walk,
    /// What of the walk, in words: `request 2 (plan): proposed`.
    pub part: String,
    /// Where in the object that the part is about.
    pub path: WrittenPath,
}

impl fmt::Display for LifePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {}, {}: {}", self.step + 1, self.walk.name(), self.part)?;
        if !self.path.is_root() {
            write!(f, " {}", self.path)?;
        }
        Ok(())
    }
}

/// What came of comparing two lives.
#[derive(Clone, Debug, Default)]
pub struct Compared {
    /// Walks that were compared and are alike.
    pub alike: u64,
    /// The walk that both refused, where both lives ended so.
    pub both_refuse: bool,
    /// Values that differ in a type alone that formats.md cannot write; only where one side came over a line.
    pub unwritten: u64,
    /// Differences that the comparison went past, since somebody excuses them.
    pub passed: Vec<Difference>,
    /// The first difference that nobody excuses.
    pub difference: Option<Difference>,
}

/// How two lives are looked at.
#[derive(Clone, Copy, Debug, Default)]
pub struct View<'t> {
    /// How much of both is seen.
    pub shown: Shown,
    /// The declared type of the schema, where that is less than all: what formats.md cannot write of it may differ.
    pub declared: Option<&'t Type>,
    /// The version of the schema, where a state file may be all that is seen of an object.
    pub version: Option<u64>,
}

/// The calls of a walk.
#[derive(Clone, Copy)]
struct Calls<'l> {
    exchanges: &'l [Exchange],
    /// Whether they are about several objects, whose walks are nobody's order.
    of_several: bool,
}

/// How a walk went.
enum Went<'l, T> {
    /// To an answer.
    Answered(Calls<'l>, &'l T),
    /// To none.
    Halted(&'l NoAnswer),
}

/// Compares two lives, as far as both show them.
///
/// Ends without a difference where one of them has no answer that could be compared: a crash is a verdict of its own.
pub fn compare_lives(first: &Life, second: &Life, view: View<'_>) -> Compared {
    compare_past(first, second, view, &|_| false)
}

/// The same, going past the differences that `excuses` says are allowed or known.
pub fn compare_past(first: &Life, second: &Life, view: View<'_>, excuses: &dyn Fn(&Difference) -> bool) -> Compared {
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
    /// Compares one walk; says whether the lives go on after it.
    fn walk<T>(
        &mut self,
        (step, walk): (usize, Walk),
        went: (Option<Went<'_, T>>, Option<Went<'_, T>>),
        judged: impl FnOnce(&mut Comparator<'_>, &T, &T) -> Result<(), Apart>,
        (view, excuses): (View<'_>, &dyn Fn(&Difference) -> bool),
    ) -> bool {
        let is_engine = view.shown == Shown::Observed;
        let located = |Apart { class, part, path }: Apart| {
            let place = Place::Life(Box::new(LifePlace { step, walk, part, path }));
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
                // Where an engine crashes a planner refuses, and nowhere else.
                (Went::Halted(NoAnswer::Refused(_)), Went::Halted(NoAnswer::Crashed { .. })) if is_engine => {
                    self.both_refuse = true;
                    return false;
                }
                (Went::Answered(..), Went::Halted(NoAnswer::Crashed { .. })) if is_engine => {
                    Err(Apart::new(Class::RefusedByOne, "the whole"))
                }
                // A crash, time that ran out, or no question: no answer to compare.
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

fn plan_of(life: &Life, step: usize) -> Option<Went<'_, Plan>> {
    let walk = match (life.steps.get(step), stopped_at(life, step)) {
        (Some(step), _) => Some(&step.plan),
        (None, Some(Stopped { walk: Walk::Apply, plan, .. })) => plan.as_ref(),
        (None, Some(Stopped { walk: Walk::Plan, halt, .. })) => return Some(Went::Halted(halt)),
        (None, None) => None,
    };
    walk.map(|PlanWalk { exchanges, plan, request }| {
        Went::Answered(Calls { exchanges, of_several: !request.state.deposed.is_empty() }, plan)
    })
}

fn apply_of(life: &Life, step: usize) -> Option<Went<'_, Applied>> {
    match (life.steps.get(step), stopped_at(life, step)) {
        (Some(step), _) => step.apply.as_ref().map(|ApplyWalk { exchanges, applied, request }| {
            Went::Answered(Calls { exchanges, of_several: request.changes.len() > 1 }, applied)
        }),
        (None, Some(Stopped { walk: Walk::Apply, halt, .. })) => Some(Went::Halted(halt)),
        (None, _) => None,
    }
}

/// The walk that ended a life, if it is of this step.
fn stopped_at(life: &Life, step: usize) -> Option<&Stopped> {
    life.stopped.as_deref().filter(|_| life.steps.len() == step)
}
