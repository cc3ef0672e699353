//! Blocks whose bodies refer to themselves (E70): their instances wait for each other, and one that waits for itself is an error.

use std::collections::{BTreeMap, BTreeSet};

use planfuzz_core::address::{AbsResourceInstance, InstanceKey, ModuleInstance};
use planfuzz_workspace::Diagnostic;

use crate::references;
use crate::walk::Walk;

/// The effect on its instances of a block that names itself.
#[derive(Debug, Default)]
pub struct Own {
    /// The errors for instances in a cycle; if there are any, no instance is visited.
    pub cycles: Vec<Diagnostic>,
    /// How often each instance is reported to name itself; the others of its module instance wait for it.
    pub reported: BTreeMap<AbsResourceInstance, usize>,
}

impl Own {
    /// Whether an instance waits for a reported one.
    pub fn waits(&self, address: &AbsResourceInstance) -> bool {
        self.reported.keys().any(|other| other.module == address.module)
    }
}

impl Walk<'_, '_, '_> {
    /// The effect of the body of a block on these instances. Each waits for all instances that the body names, and for every one if it
    /// names none of them.
    pub fn own(&self, block: usize, planned: &[AbsResourceInstance]) -> Own {
        let (named, mut own) = (self.own_keys(block), Own::default());
        let modules: BTreeSet<&ModuleInstance> =
            planned.iter().filter(|_| !named.is_empty()).map(|address| &address.module).collect();
        for module in modules {
            let of_module: BTreeMap<&InstanceKey, &AbsResourceInstance> =
                planned.iter().filter(|address| address.module == *module).map(|one| (&one.key, one)).collect();
            let names_all = named.iter().any(|key| !key.as_ref().is_some_and(|key| of_module.contains_key(key)));
            let goes_round = |key: &InstanceKey| names_all || named.contains(&Some(key.clone()));
            let round = of_module.iter().filter(|(key, _)| goes_round(key));
            let mut round: Vec<String> = round.map(|(_, address)| address.to_string()).collect();
            round.sort();
            if round.len() > 1 {
                own.cycles.push(Diagnostic::error(format!("Cycle: {}", round.join(", "))));
            }
            let counted = of_module.into_values().map(|address| (address.clone(), times(&named, &address.key)));
            own.reported.extend(counted.filter(|(_, count)| *count > 0));
        }
        own
    }

    /// The keys under which the body of a block names the block itself.
    fn own_keys(&self, block: usize) -> Vec<Option<InstanceKey>> {
        let of = &self.layout.blocks[block];
        let found = self.layout.of_body(&of.resource.config, of.schema.map(|schema| &schema.block));
        let own = found.iter().filter(|found| references::resource(found).as_ref() == Some(&of.address));
        own.map(references::constant_key).collect()
    }
}

/// How often an instance is named: by its address, and by that of its resource.
fn times(named: &[Option<InstanceKey>], own: &InstanceKey) -> usize {
    let times = |key: &Option<InstanceKey>| match key {
        None if *own == InstanceKey::None => 2,
        None => 1,
        Some(key) => usize::from(key == own),
    };
    named.iter().map(times).sum()
}
