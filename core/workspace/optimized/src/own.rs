//! Blocks whose bodies refer to themselves (E70): the cycles of their instances, and the errors of instances that name themselves.
//!
//! All instances of a block have one body, so each waits for the same others: those with the keys that the body names, or all of them, if
//! it names an instance that is not there, or the block as a whole. The instances of a cycle are therefore just those, if there are at
//! least two.

use planfuzz_core::address::{AbsResourceInstance, InstanceKey};
use planfuzz_language::config::Traversal;
use planfuzz_workspace::Diagnostic;

use crate::configured::Leads;
use crate::model::Model;
use crate::scope::Repeat;
use crate::walk::Walk;

impl Model<'_> {
    /// The keys under which the body of a block names the block itself.
    pub(crate) fn own_keys(&self, block: usize, references: &[Traversal]) -> Vec<Option<InstanceKey>> {
        let of = &self.blocks[block];
        let own = |leads: Leads| match leads {
            Leads::Block(to, key) if to == block => Some(key),
            _ => None,
        };
        let is_named = references.iter().any(|reference| own(self.leads(of.module, reference)).is_some());
        if !is_named {
            return Vec::new();
        }
        let found = self.body_references(of.schema, of.of, of.sources);
        found.iter().filter_map(|reference| own(self.leads(of.module, reference))).collect()
    }
}

impl Walk<'_, '_, '_, '_> {
    /// The errors for instances in a cycle.
    pub fn own_cycles(&self, block: usize, expanded: &[(usize, Repeat)]) -> Vec<Diagnostic> {
        let of = &self.model.blocks[block];
        if of.own.is_empty() {
            return Vec::new();
        }
        let of_module = |(inst, repeat): &(usize, Repeat)| {
            let planned: Vec<AbsResourceInstance> = (0..repeat.count())
                .map(|place| AbsResourceInstance {
                    module: self.insts[*inst].address.clone(),
                    resource: of.address.clone(),
                    key: repeat.at(place).0,
                })
                .filter(|address| self.has_body(block, address))
                .collect();
            let is_there = |key: &InstanceKey| planned.iter().any(|address| address.key == *key);
            let names_all = !of.own.iter().flatten().all(is_there) || of.own.contains(&None);
            let goes_round = |address: &&AbsResourceInstance| names_all || of.own.contains(&Some(address.key.clone()));
            let mut names: Vec<String> = planned.iter().filter(goes_round).map(ToString::to_string).collect();
            names.sort();
            (names.len() > 1).then(|| Diagnostic::error(format!("Cycle: {}", names.join(", "))))
        };
        expanded.iter().filter_map(of_module).collect()
    }

    /// The errors of an instance that its body names: one for its address, and one for that of its resource, which are equal without a key.
    pub fn own_references(&self, block: usize, address: &AbsResourceInstance) -> Vec<Diagnostic> {
        let own = &self.model.blocks[block].own;
        if own.is_empty() || !self.has_body(block, address) {
            return Vec::new();
        }
        let count = |named: &Option<InstanceKey>| match named {
            None if address.key == InstanceKey::None => 2,
            None => 1,
            Some(named) => usize::from(*named == address.key),
        };
        vec![Diagnostic::error("Self-referential block"); own.iter().map(count).sum()]
    }

    /// Whether an instance has a node with a body: one that targets leave out has no node, the one that the command `import` names has no body.
    fn has_body(&self, block: usize, address: &AbsResourceInstance) -> bool {
        self.takes(block, address) && self.asked_id(address).is_none()
    }

    /// Whether some instance has such errors; all others wait for it.
    pub fn has_own_references(&self, block: usize, inst: usize, repeat: &Repeat) -> bool {
        let of = &self.model.blocks[block];
        let address =
            |key| AbsResourceInstance { module: self.insts[inst].address.clone(), resource: of.address.clone(), key };
        let has_errors = |place| !self.own_references(block, &address(repeat.at(place).0)).is_empty();
        !of.own.is_empty() && (0..repeat.count()).any(has_errors)
    }
}
