//! P10: plan validity of nested blocks.

use planfuzz_core::planner::Violation;
use planfuzz_core::schema::{Block, NestedBlock, Nesting};
use planfuzz_core::value::{Path, Step, Type, ValueRef, raw_equals, raw_equals_unrefined};

use super::super::catalogue::Fault;
use super::Naive;
use super::kinds::as_key;
use super::validity::Three;

impl Naive {
    /// P10
    pub(super) fn valid_nested_block(
        self,
        nested: &NestedBlock,
        values: Three<'_>,
        q: &Path,
        found: &mut Vec<Violation>,
    ) {
        let [_, c, n] = values;
        let mut violation = || found.push(Violation::new(q.clone(), "P10"));
        let forbids_null = self.dialect.forbids_null_planned_blocks() && !self.plants(Fault::NullBlockAccepted);
        if forbids_null && nested.nesting != Nesting::Single && n.is_null() {
            return violation();
        }
        let equal = match self.plants(Fault::BlockRefinementsIgnored) {
            true => raw_equals_unrefined(n, c),
            false => raw_equals(n, c),
        };
        if equal {
            return;
        }
        if c.is_unknown() {
            if !self.plants(Fault::UnknownBlocksAdmitAny) {
                violation();
            }
            return;
        }
        if self.dialect.has_computed_blocks()
            && c.is_null()
            && nested.block.computed
            && !self.plants(Fault::ComputedBlockBlamed)
        {
            return;
        }
        if n.is_unknown() {
            if !self.plants(Fault::UnknownPlannedBlocksAccepted) {
                violation();
            }
            return;
        }
        match nested.nesting {
            Nesting::Single | Nesting::Group => self.valid_block(&nested.block, values, q, found),
            Nesting::List | Nesting::Map | Nesting::Set if n.is_null() => violation(),
            Nesting::List => self.valid_blocks(&nested.block, values, q, found),
            Nesting::Map if n.object_type().is_none() => self.valid_map(&nested.block, values, q, found),
            Nesting::Map => self.valid_map_object(&nested.block, values, q, found),
            Nesting::Set => {
                if self.plants(Fault::UnknownSetBlocksAccepted) {
                    return;
                }
                for (step, _) in n.children().filter(|(_, element)| element.is_unknown()) {
                    found.push(Violation::new(q.step(step), "P10"));
                }
            }
        }
    }

    fn valid_blocks(self, block: &Block, [p, c, n]: Three<'_>, q: &Path, found: &mut Vec<Violation>) {
        if n.len() != c.len() {
            if !self.plants(Fault::BlocksNotCounted) {
                found.push(Violation::new(q.clone(), "P10"));
            }
            return;
        }
        for (step, planned) in n.children() {
            let step = as_key(step);
            let null = ValueRef::null(planned.ty());
            let Some(config) = c.apply(&step).or_else(|| planned.is_unknown().then_some(null)) else { continue };
            let prior = p.apply(&step).unwrap_or(null);
            self.valid_element(block, [prior, config, planned], &q.step(step), found);
        }
    }

    fn valid_element(self, block: &Block, values: Three<'_>, q: &Path, found: &mut Vec<Violation>) {
        let [_, _, planned] = values;
        match planned.is_unknown() && !self.plants(Fault::UnknownBlockElementAccepted) {
            true => found.push(Violation::new(q.clone(), "P10")),
            false => self.valid_block(block, values, q, found),
        }
    }

    fn valid_map(self, block: &Block, [p, c, n]: Three<'_>, q: &Path, found: &mut Vec<Violation>) {
        if n.len() != c.len() {
            return found.push(Violation::new(q.clone(), "P10"));
        }
        if !matches!(n.ty(), Type::Map(_)) {
            let unknown = n.children().filter(|(_, element)| element.is_unknown());
            found.extend(unknown.map(|(step, _)| Violation::new(q.step(step), "P10")));
            return self.missing_keys(c, n, q, found);
        }
        for (key, planned) in n.entries() {
            let at = q.key(key);
            match c.entry(key) {
                _ if planned.is_unknown() => found.push(Violation::new(at, "P10")),
                None => {
                    let place = if self.plants(Fault::ExtraBlockKeyAtBlock) { q.clone() } else { at };
                    found.push(Violation::new(place, "P10"));
                }
                Some(config) => {
                    let prior = p.entry(key).filter(|_| !self.plants(Fault::MapBlockPriorLost));
                    let prior = prior.unwrap_or(ValueRef::null(planned.ty()));
                    self.valid_block(block, [prior, config, planned], &at, found);
                }
            }
        }
        self.missing_keys(c, n, q, found);
    }

    fn valid_map_object(self, block: &Block, [p, c, n]: Three<'_>, q: &Path, found: &mut Vec<Violation>) {
        for (key, planned) in n.entries() {
            let at = q.step(Step::Attribute(key.clone()));
            match c.entry(key) {
                None => found.push(Violation::new(q.clone(), "P10")),
                Some(_) if planned.is_unknown() => found.push(Violation::new(at, "P10")),
                Some(config) => {
                    let prior = p.entry(key).filter(|_| !self.plants(Fault::MapBlockPriorLost));
                    let prior = prior.unwrap_or(ValueRef::null(planned.ty()));
                    self.valid_block(block, [prior, config, planned], &at, found);
                }
            }
        }
        self.missing_keys(c, n, q, found);
    }

    fn missing_keys(self, c: ValueRef<'_>, n: ValueRef<'_>, q: &Path, found: &mut Vec<Violation>) {
        if self.plants(Fault::MissingBlockKeyAccepted) {
            return;
        }
        let names = c.object_type().into_iter().flat_map(|object| object.attributes());
        let missing = match c.is_null() {
            true => names.filter(|name| n.entry(&name.name).is_none()).count(),
            false => c.entries().filter(|(key, _)| n.entry(key).is_none()).count(),
        };
        found.extend((0..missing).map(|_| Violation::new(q.clone(), "P10")));
    }
}
