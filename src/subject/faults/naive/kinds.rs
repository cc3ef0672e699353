//! Blocks of dynamic type that are of another kind than their nesting mode names (M30), as far as faults ask for it.

use planfuzz_core::schema::{Block, Nesting};
use planfuzz_core::value::{Step, Type, ValueRef};

use super::{Naive, member};

impl Naive {
    /// Whether configured blocks of a list are neither list nor tuple.
    pub(super) fn has_keyed_list(self, block: &Block, config: ValueRef<'_>) -> bool {
        self.any(block, Nesting::List, [config; 2], |[c, _]| {
            c.is_present() && !matches!(c.ty(), Type::List(_) | Type::Tuple(_))
        })
    }

    /// Whether planned blocks of a map are neither map nor object.
    pub(super) fn has_indexed_map(self, block: &Block, planned: ValueRef<'_>) -> bool {
        self.any(block, Nesting::Map, [planned; 2], |[p, _]| {
            p.is_present() && !matches!(p.ty(), Type::Map(_) | Type::Object(_))
        })
    }

    /// Whether the planned blocks of a list are indexed and the configured ones keyed, or the other way round.
    pub(super) fn are_of_two_kinds(self, block: &Block, config: ValueRef<'_>, planned: ValueRef<'_>) -> bool {
        let is_keyed = |value: ValueRef<'_>| matches!(value.ty(), Type::Map(_) | Type::Object(_));
        self.any(block, Nesting::List, [config, planned], |[c, n]| {
            c.is_present() && n.is_present() && is_keyed(c) != is_keyed(n)
        })
    }

    /// Whether something holds of two values at blocks of a nesting mode, whose type is dynamic, outside collections.
    fn any(
        self,
        block: &Block,
        nesting: Nesting,
        values: [ValueRef<'_>; 2],
        holds: impl Fn([ValueRef<'_>; 2]) -> bool + Copy,
    ) -> bool {
        block.block_types.iter().any(|(name, nested)| {
            let members = values.map(|value| member(value, name));
            match nested.nesting {
                mode if mode == nesting && nested.implied_type(self.dialect).is_dynamic() => holds(members),
                Nesting::Single | Nesting::Group => self.any(&nested.block, nesting, members, holds),
                Nesting::List | Nesting::Map | Nesting::Set => false,
            }
        })
    }
}

/// The step by which an engine looks for what another value has at this one: names of objects are keys.
pub(super) fn as_key(step: Step) -> Step {
    match step {
        Step::Attribute(name) => Step::Key(name),
        step => step,
    }
}
