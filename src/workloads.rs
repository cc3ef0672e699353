//! Workloads: the inputs that speed is measured on, the same in every bench, table and profile.
//!
//! Each is a realistic resource, scaled: a schema, a prior state, a configuration that differs from it in one place, a
//! right plan for the two and the result of its apply. They depend on a size alone, so two runs, on two machines, ask
//! the same questions.
//!
//! The walks of an instance are timed on the same values, with a provider that replays recorded answers
//! ([`WalkWorkload`]).
//!
//! What "right" means is tested here: the plan is what a planner proposes but for computed attributes that the provider
//! does not know yet, it breaks no rule of plan validity, and the result breaks none of apply compatibility.

mod blocks;
mod flat;
mod walks;

use std::sync::Arc;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::Request;
use planfuzz_core::schema::{Attribute, Block, Named, Schema, Shape};
use planfuzz_core::value::{Text, Type, Value};

pub use blocks::{Computed, block_tree, list_blocks, nested_map, set_blocks};
pub use flat::{flat, mixed};
pub use walks::{Departure, Replay, TimedWalk, WalkFault, WalkRun, WalkWorkload, Walked};

use crate::case::{Case, Merge, MergeCall, Op, Task};

/// Set elements up to which the reference planner is asked: it matches elements pair by pair, as the specification
/// describes.
const REFERENCE_SET_ELEMENTS: usize = 100;

/// One input of the merge, with a name.
#[derive(Clone, Debug)]
pub struct Workload {
    /// The name in tables and benches, such as `W3-1000`.
    pub name: String,
    /// The inputs.
    pub merge: Merge,
    /// A right plan that creates the object: all computed attributes are unknown.
    pub creation: Value,
    /// Whether the reference planner answers it in reasonable time. It is quadratic in the elements of a set.
    pub for_reference: bool,
}

impl Workload {
    /// The names of all workloads, in the order of the tables.
    pub const NAMES: [&str; 15] = [
        "W1", "W2", "W3-10", "W3-100", "W3-1000", "W3-4000", "W3c-10", "W3c-100", "W3c-1000", "W3c-4000", "W4-10",
        "W4-100", "W4-1000", "W5", "W6",
    ];

    /// All workloads, in the order of the tables.
    pub fn all() -> Vec<Workload> {
        Workload::NAMES.into_iter().filter_map(Workload::named).collect()
    }

    /// The workload of one of [`Workload::NAMES`].
    pub fn named(name: &str) -> Option<Workload> {
        if !Workload::NAMES.contains(&name) {
            return None;
        }
        let (kind, elements) = name.split_once('-').unwrap_or((name, "0"));
        let elements = elements.parse().ok()?;
        Some(match kind {
            "W1" => flat(),
            "W2" => mixed(),
            "W3" => set_blocks(elements, Computed::First),
            "W3c" => set_blocks(elements, Computed::Last),
            "W4" => list_blocks(elements),
            "W5" => nested_map(1_000),
            _ => block_tree(6, 3),
        })
    }

    /// The dialect that workloads are asked in.
    pub fn dialect(&self) -> Dialect {
        Dialect::default()
    }

    /// The inputs as a case: what `measure` and every subject take.
    pub fn case(&self) -> Case {
        Case { purpose: self.name.clone(), dialect: self.dialect(), task: Task::Merge(self.merge.clone()) }
    }

    /// One operation with inputs that share nothing with the workload's; see [`MergeCall::fresh`].
    pub fn fresh(&self, op: Timed) -> MergeCall {
        MergeCall::of_request(&self.merge.schema, op.request(&self.merge)).fresh()
    }

    fn new(name: impl Into<String>, block: Block, values: [Value; 5]) -> Workload {
        let [prior, config, planned, actual, creation] = values;
        let merge = Merge { schema: Arc::new(Schema { version: 0, block }), prior, config, planned, actual };
        Workload { name: name.into(), merge, creation, for_reference: true }
    }
}

/// The operations that workloads are made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timed {
    /// See [`Op::ProposedNew`].
    ProposedNew,
    /// See [`Op::AssertPlanValid`].
    AssertPlanValid,
    /// See [`Op::AssertObjectCompatible`].
    AssertObjectCompatible,
}

impl Timed {
    /// All of them, in the order of the tables.
    pub const ALL: [Timed; 3] = [Timed::ProposedNew, Timed::AssertPlanValid, Timed::AssertObjectCompatible];

    /// The operation, by its name in files.
    pub fn op(self) -> Op {
        match self {
            Timed::ProposedNew => Op::ProposedNew,
            Timed::AssertPlanValid => Op::AssertPlanValid,
            Timed::AssertObjectCompatible => Op::AssertObjectCompatible,
        }
    }

    /// What planners are asked.
    pub fn request(self, merge: &Merge) -> Request<'_> {
        let Merge { schema: _, prior, config, planned, actual } = merge;
        match self {
            Timed::ProposedNew => Request::ProposedNew { prior, config },
            Timed::AssertPlanValid => Request::AssertPlanValid { prior, config, planned },
            Timed::AssertObjectCompatible => Request::AssertObjectCompatible { planned, actual },
        }
    }
}

/// The values of a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Prior,
    Config,
    Planned,
    Actual,
    Creation,
}

impl Role {
    const ALL: [Role; 5] = [Role::Prior, Role::Config, Role::Planned, Role::Actual, Role::Creation];

    /// A configured member: `before` in the prior state, `after` from the configuration on.
    fn configured(self, before: Value, after: Value) -> Value {
        if self == Role::Prior { before } else { after }
    }

    /// A computed member: null in the configuration and unknown in the plan of a creation; where the change makes it
    /// `anew`, unknown in the plan and another value in the end.
    fn computed(self, before: Value, after: Value, anew: bool) -> Value {
        match self {
            Role::Config => Value::null(before.ty().clone()),
            Role::Creation => Value::unknown(before.ty().clone()),
            Role::Planned if anew => Value::unknown(before.ty().clone()),
            Role::Actual if anew => after,
            Role::Prior | Role::Planned | Role::Actual => before,
        }
    }
}

fn leaf(name: &str, ty: Type, set: impl FnOnce(&mut Attribute)) -> (Text, Attribute) {
    let mut attribute = Attribute::new(Shape::Leaf(ty));
    set(&mut attribute);
    (Text::new(name), attribute)
}

fn required(name: &str, ty: Type) -> (Text, Attribute) {
    leaf(name, ty, |attribute| attribute.required = true)
}

fn optional(name: &str, ty: Type) -> (Text, Attribute) {
    leaf(name, ty, |attribute| attribute.optional = true)
}

fn computed(name: &str, ty: Type) -> (Text, Attribute) {
    leaf(name, ty, |attribute| attribute.computed = true)
}

fn block_of(attributes: Vec<(Text, Attribute)>) -> Block {
    Block { attributes: Named::new(attributes), ..Block::default() }
}

fn object(members: Vec<(&str, Value)>) -> Value {
    Value::object(members.into_iter().map(|(name, member)| (Text::new(name), member)).collect())
}

/// Sixteen hexadecimal digits that follow no order of `number`: an identifier as providers give them out.
fn identifier(number: usize) -> String {
    // The golden ratio, as a multiplier, sends neighbours far apart and no two numbers to one place.
    format!("{:016x}", (number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

#[cfg(test)]
mod tests;
