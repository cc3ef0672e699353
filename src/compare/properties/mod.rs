//! The metamorphic properties (section 10 of merge-and-rules.md): relations that must hold between answers to related inputs.
//!
//! A property asks a planner more than once, about inputs derived from one another, and compares the answers. So it needs
//! no second planner, and finds mistakes that two planners share. Nothing here plans. A property
//! applies to a case if the specification's precondition holds and the engine crashes on none of the requests;
//! only then it counts as a check. Where the requests are equivalent (MP11, MP12, MP24) an engine crashes on all of them or on none, so
//! a planner that answers one and refuses another breaks the property. The derived inputs are a function of the case alone.
//!
//! Each file is one family of properties. `shape` has the preconditions, `walk` the walks along the schema, `remake`
//! derives one value from another, `relation` decides whether one value may come from another.

mod codec;
mod compatibility;
mod config_wins;
mod fixed_points;
mod flags;
mod independence;
mod knownness;
mod lengths;
mod normalisation;
mod null_laws;
mod order;
mod relation;
mod remake;
mod shape;
#[cfg(test)]
mod spoiled;
#[cfg(test)]
mod tests;
mod trial;
mod validity;
pub(super) mod walk;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{Planner, Refusal, Violation};
use planfuzz_core::value::{Node, Path, Step, Type, Value, ValueRef, raw_equals};

use crate::case::{Merge, Op};
use trial::Trial;

/// A broken property.
#[derive(Clone, Debug)]
pub struct BrokenProperty {
    /// The property, such as `MP08`.
    pub property: &'static str,
    /// The operation that shows it.
    pub op: Op,
    /// The path in the answer.
    pub path: Path,
    /// The expected and the found.
    pub message: String,
}

/// The result of checking the properties on a case.
#[derive(Clone, Debug, Default)]
pub struct CheckedProperties {
    /// How many properties applied to the case and were checked.
    pub checks: u64,
    /// The properties that applied: bit `i` stands for `ALL[i]`.
    pub applied: u32,
    /// The broken ones.
    pub broken: Vec<BrokenProperty>,
}

/// A property, as listed to users.
#[derive(Clone, Copy, Debug)]
pub struct PropertyInfo {
    /// The id in merge-and-rules.md, such as `MP08`.
    pub id: &'static str,
    /// Its statement, in one line.
    pub summary: &'static str,
    check: fn(&Trial<'_>) -> PropertyResult,
}

/// The result of a property; `None` if it does not apply to the case.
type PropertyResult = Option<Result<(), Breach>>;

/// How a property is broken.
#[derive(Clone, Debug)]
struct Breach {
    op: Op,
    path: Path,
    message: String,
}

const fn property(id: &'static str, check: fn(&Trial<'_>) -> PropertyResult, summary: &'static str) -> PropertyInfo {
    PropertyInfo { id, summary, check }
}

/// All properties, in the order of their ids.
pub const ALL: &[PropertyInfo] = &[
    property("MP01", null_laws::nulls, "null config keeps the prior; a null prior is the empty value"),
    property("MP02", null_laws::creation, "creating proposes the configuration"),
    property("MP03", config_wins::configured_leaves, "a leaf that is configured is proposed as it is"),
    property("MP04", config_wins::null_leaves, "a leaf that is null and not computed is proposed null"),
    property("MP05", independence::members, "a member depends on the members of its name alone"),
    property("MP06", independence::positions, "an element depends on the elements of its place alone"),
    property("MP07", lengths::lengths, "lengths and keys are those of the configuration"),
    property("MP08", fixed_points::config_as_prior, "a configuration is a fixed point of itself"),
    property("MP09", fixed_points::idempotence, "proposing again on what was proposed changes nothing"),
    property("MP10", independence::prior_leaves, "leaves of the prior that are not computed do not matter"),
    property("MP11", order::set_order, "the order of insertion into sets does not matter"),
    property("MP12", order::renaming, "renaming in the same order commutes with proposing"),
    property("MP13", knownness::monotone, "knowing more of the configuration only replaces unknowns"),
    property("MP14", knownness::second_plan, "the plan with more known is compatible with the first"),
    property("MP15", validity::proposed_is_valid, "what is proposed is a valid plan"),
    property("MP16", validity::config_is_valid, "the configuration is a valid plan"),
    property("MP17", validity::locality, "a planned attribute breaks rules under itself only"),
    property("MP18", compatibility::reflexivity, "every object is compatible with itself"),
    property("MP19", compatibility::completion, "what is proposed is compatible with every completion"),
    property("MP20", compatibility::less_known, "a plan that knows less accepts more"),
    property("MP21", compatibility::known_plans, "known objects are compatible where they are equal"),
    property("MP22", normalisation::idempotence, "the legacy form is its own legacy form"),
    property(
        "MP23",
        knownness::data_resources,
        "a data resource's plan has unknowns where the proposed object differs",
    ),
    property("MP24", flags::flags, "required, deprecated and sensitive change no value"),
    property("MP25", codec::round_trip, "msgpack brings back what was written"),
];

/// Checks every property that applies to a case, with one planner.
pub fn check(planner: &dyn Planner, merge: &Merge, dialect: Dialect) -> CheckedProperties {
    let trial = Trial::new(planner, merge, dialect);
    let mut checked = CheckedProperties::default();
    for (index, property) in ALL.iter().enumerate() {
        let Some(held) = (property.check)(&trial) else { continue };
        checked.checks += 1;
        checked.applied |= 1 << index;
        if let Err(Breach { op, path, message }) = held {
            checked.broken.push(BrokenProperty { property: property.id, op, path, message });
        }
    }
    checked
}

/// The answers to two equivalent requests, the second of which `how` describes; `None` if both are refused. Refusing one alone is a breach.
fn both<A, B>(op: Op, how: &str, first: Option<A>, second: Result<B, Refusal>) -> Option<Result<(A, B), Breach>> {
    let message = match (first, second) {
        (Some(first), Ok(second)) => return Some(Ok((first, second))),
        (None, Err(_)) => return None,
        (Some(_), Err(refusal)) => format!("refused {how}: {refusal}"),
        (None, Ok(_)) => format!("refused, but answered {how}"),
    };
    Some(Err(Breach { op, path: Path::root(), message }))
}

/// The longest piece of a value in a message.
const LONGEST: usize = 200;

/// Expects an operation's value to equal `expected`.
fn same(op: Op, what: &str, expected: ValueRef<'_>, found: ValueRef<'_>) -> Result<(), Breach> {
    if raw_equals(expected, found) {
        return Ok(());
    }
    let (path, expected, found) = first_difference(Path::root(), expected, found);
    Err(Breach { op, path, message: format!("{what}: expected {}, found {}", shown(expected), shown(found)) })
}

/// The first difference between two values that are not equal, as deep as possible.
fn first_difference<'a>(path: Path, a: ValueRef<'a>, b: ValueRef<'a>) -> (Path, ValueRef<'a>, ValueRef<'a>) {
    if a.len() == b.len() {
        for ((step, a), (other, b)) in a.children().zip(b.children()) {
            if !raw_equals(a, b) && same_step(&step, &other) {
                return first_difference(path.step(step), a, b);
            }
        }
    }
    (path, a, b)
}

/// Whether two steps lead to the same place. Steps to elements of sets are never the same.
fn same_step(a: &Step, b: &Step) -> bool {
    match (a, b) {
        (Step::Attribute(a) | Step::Key(a), Step::Attribute(b) | Step::Key(b)) => a == b,
        (Step::Index(a), Step::Index(b)) => a == b,
        _ => false,
    }
}

fn shown(value: ValueRef<'_>) -> String {
    let text = value.to_json_text(&Type::Dynamic);
    text.chars().take(LONGEST).collect()
}

/// Expects no violations.
fn no_violations(op: Op, what: &str, violations: &[Violation]) -> Result<(), Breach> {
    match violations.first() {
        None => Ok(()),
        Some(first) => Err(Breach {
            op,
            path: first.path.clone(),
            message: format!("{what}: expected no violation, found {} ({})", violations.len(), first.rule),
        }),
    }
}

/// A payload as a value of the same type as `like`.
fn value_like(like: &Value, node: Node) -> Value {
    Value::from_parts(like.ty().clone(), node)
}
