//! Blocks whose bodies refer to themselves (E70): the instances wait for one another, and one that waits for itself is told.

use std::collections::BTreeSet;

use planfuzz_core::address::{AbsResourceInstance, InstanceKey};
use planfuzz_workspace::Diagnostic;

use crate::references;
use crate::walk::{Purpose, Walk};

impl Walk<'_, '_, '_> {
    /// The keys under which the body of a block names the block itself.
    fn own_keys(&self, block: usize) -> Vec<Option<InstanceKey>> {
        // G15: the command `import` does not look.
        if self.purpose == Purpose::Import {
            return Vec::new();
        }
        let of = &self.layout.blocks[block];
        let found = self.layout.of_body(&of.resource.config, of.schema.map(|schema| &schema.block));
        let own = found.iter().filter(|found| references::resource(found).as_ref() == Some(&of.address));
        own.map(references::constant_key).collect()
    }

    /// The instances that go round: each waits for all that the body names, and for all there are where it names no one of them.
    pub fn own_cycles(&self, block: usize, declared: &[AbsResourceInstance]) -> Vec<Diagnostic> {
        let named = self.own_keys(block);
        let modules: BTreeSet<_> = declared.iter().map(|address| &address.module).collect();
        let mut told = Vec::new();
        for module in modules {
            let of_module: Vec<_> = declared.iter().filter(|address| address.module == *module).collect();
            let is_one = |key: &InstanceKey| of_module.iter().any(|address| address.key == *key);
            let names_all = named.iter().any(|key| !key.as_ref().is_some_and(is_one));
            let round = of_module.iter().filter(|address| names_all || named.contains(&Some(address.key.clone())));
            let mut round: Vec<String> = round.map(|address| address.to_string()).collect();
            round.sort();
            if round.len() > 1 {
                told.push(Diagnostic::error(format!("Cycle: {}", round.join(", "))));
            }
        }
        told
    }

    /// What is told of an instance whose body names it: by its address, and by that of its resource.
    pub fn own_references(&self, block: usize, address: &AbsResourceInstance) -> Vec<Diagnostic> {
        if !self.is_targeted(block, address) {
            return Vec::new();
        }
        let told = |key: Option<InstanceKey>| match (key, &address.key) {
            (None, InstanceKey::None) => 2,
            (None, _) => 1,
            (Some(key), own) => usize::from(key == *own),
        };
        let count = self.own_keys(block).into_iter().map(told).sum();
        vec![Diagnostic::error("Self-referential block"); count]
    }
}
