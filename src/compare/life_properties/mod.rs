//! The properties of lives: what must hold between lives that are made from one another.
//!
//! A life is played, and so is another that follows from it: the same once more, one with idle steps at its end, one with an
//! attribute that nobody uses, one in which everything is called otherwise. What both lives have in common must be equal. So a
//! property needs no second planner, and finds what two planners do wrong alike. It applies only where the related life can be made
//! and its provider answers equal questions equally; only then it counts as a check. Which life is made is a function of the case
//! alone.

mod idle;
mod related;
mod renamed;
mod replayed;
mod unused;

use std::cell::OnceCell;

use planfuzz_core::json::Json;
use planfuzz_core::planner::{Planner, Prepared};

use crate::case::scenario::{Life, NoAnswer, Scenario, Stage, Walker, play};
use crate::case::{Case, Op};
use crate::compare::difference::Difference;
use crate::compare::life::{View, compare_lives};

/// A property of lives, for people and for tables.
#[derive(Clone, Copy)]
pub struct LifePropertyInfo {
    /// The id, such as `LP01`.
    pub id: &'static str,
    /// What it says, in one line.
    pub summary: &'static str,
    check: fn(&Subject<'_>) -> Held,
}

/// What came of a property: nothing where it does not apply to the case, else how it does not hold, if it does not.
type Held = Option<Result<(), String>>;

/// All of them, in the order of their ids.
pub const ALL: [LifePropertyInfo; 4] = [
    LifePropertyInfo { id: "LP01", summary: "the same life planned twice is the same", check: replayed::check },
    LifePropertyInfo { id: "LP02", summary: "a step that changes nothing outside is idempotent", check: idle::check },
    LifePropertyInfo {
        id: "LP03",
        summary: "an attribute that nobody refers to can be taken out",
        check: unused::check,
    },
    LifePropertyInfo { id: "LP04", summary: "renaming everything changes nothing but names", check: renamed::check },
];

/// What putting a case to the properties gave.
#[derive(Clone, Debug, Default)]
pub struct CheckedLife {
    /// The properties that applied to the case.
    pub applied: Vec<&'static str>,
    /// Those that do not hold, each with what was expected and found.
    pub broken: Vec<(&'static str, String)>,
}

/// A scenario before one planner, and the life that comes of it.
struct Subject<'a> {
    planner: &'a dyn Planner,
    case: &'a Case,
    scenario: &'a Scenario,
    life: Life,
    /// See [`Subject::document`].
    document: OnceCell<Option<Json>>,
}

/// Puts a scenario to every property that applies to it, with one planner; nothing of a case that is none, or that cannot be played.
pub fn check(planner: &dyn Planner, case: &Case) -> CheckedLife {
    let mut checked = CheckedLife::default();
    let Some(scenario) = case.scenario() else { return checked };
    let prepared = planner.prepare(&scenario.schema, case.dialect);
    let Some(life) = played(&*prepared, scenario) else { return checked };
    let subject = Subject { planner, case, scenario, life, document: OnceCell::new() };
    for LifePropertyInfo { id, check, .. } in ALL {
        let Some(held) = check(&subject) else { continue };
        checked.applied.push(id);
        checked.broken.extend(held.err().map(|message| (id, message)));
    }
    checked
}

/// The life of a scenario. One that crashed or took too long is a finding of its own, and says nothing here.
fn played(mut prepared: &dyn Prepared, scenario: &Scenario) -> Option<Life> {
    lived(&mut prepared, scenario).filter(is_answered)
}

/// What comes of a scenario, whatever it is.
fn lived(walker: &mut dyn Walker, scenario: &Scenario) -> Option<Life> {
    let mut provider = Stage::default().set(scenario).ok()?;
    Some(play(scenario, walker, &mut provider))
}

fn is_answered(life: &Life) -> bool {
    life.stopped.as_deref().is_none_or(|stopped| matches!(stopped.halt, NoAnswer::Refused(_)))
}

/// Expects two lives to be the same, call by call.
fn same_life(what: &str, expected: &Life, found: &Life) -> Result<(), String> {
    match compare_lives(expected, found, View::default()).difference {
        None => Ok(()),
        Some(Difference { class, path }) => {
            Err(format!("{what}, it differs at {path}: {}", class.name().replace('_', " ")))
        }
    }
}

impl Subject<'_> {
    /// The life of another scenario with the same planner, which reads the schema anew.
    fn life_of(&self, scenario: &Scenario) -> Option<Life> {
        played(&*self.planner.prepare(&scenario.schema, self.case.dialect), scenario)
    }
}

/// The operation of every property of lives.
pub const OP: Op = Op::Scenario;
