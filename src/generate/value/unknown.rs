//! Unknowns and their records (V40 to V43).

use planfuzz_core::value::{Bound, Node, Range, Refinement, Type, UNBOUNDED};
use triomphe::Arc;

use super::super::swarm::Switch;
use super::ValueGenerator;

impl ValueGenerator<'_, '_, '_> {
    /// An unknown of the type, with a record now and then.
    pub(in super::super) fn unknown(&mut self, ty: &Type) -> Node {
        if ty.is_dynamic() || !self.chance(Switch::Refined, 104) {
            return Node::UNKNOWN;
        }
        self.refined(ty)
    }

    /// An unknown with a record: one that stays unknown (V43). Not of type `dynamic`, which never has one (V40).
    pub(in super::super) fn refined(&mut self, ty: &Type) -> Node {
        let not_null = self.dice.chance(144);
        let range = match ty {
            Type::String => self.prefix(),
            Type::Number => self.bounds(),
            Type::List(_) | Type::Set(_) | Type::Map(_) => self.lengths(),
            Type::Dynamic | Type::Bool | Type::Tuple(_) | Type::Object(_) => Range::Any,
        };
        Node::Unknown(Some(Arc::new(Refinement { not_null, range })))
    }

    fn prefix(&mut self) -> Range {
        match self.dice.chance(128) {
            true => {
                let long = self.swarm.has(Switch::OddTexts) && self.dice.chance(28);
                let pool = if long { &self.pools.long_prefixes } else { &self.pools.prefixes };
                Range::String { prefix: self.dice.pick(pool).clone() }
            }
            false => Range::Any,
        }
    }

    /// Bounds that leave at least two numbers between them: equal ones would make a known number (V43).
    fn bounds(&mut self) -> Range {
        let lower = self.dice.below(self.pools.numbers.len() - 1);
        let upper = lower + 1 + self.dice.below(self.pools.numbers.len() - lower - 1);
        let sides = self.dice.below(4);
        if sides == 0 {
            return Range::Any;
        }
        let mut bound = |index: usize| {
            let value = self.pools.numbers[index].clone();
            Some(Bound { value, inclusive: self.dice.chance(128) })
        };
        // Consecutive whole numbers with both ends exclusive still have fractions between them.
        Range::Number {
            min: if sides & 1 == 1 { bound(lower) } else { None },
            max: if sides & 2 == 2 { bound(upper) } else { None },
        }
    }

    /// Length bounds of which the greatest exceeds the least: equal ones may be a known collection (V43).
    fn lengths(&mut self) -> Range {
        let min = self.dice.below(3) as u64;
        let max = if self.dice.chance(128) { min + 1 + self.dice.below(2) as u64 } else { UNBOUNDED };
        if (min, max) == (0, UNBOUNDED) { Range::Any } else { Range::Length { min, max } }
    }
}
