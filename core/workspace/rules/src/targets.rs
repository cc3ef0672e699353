//! The objects that targets keep in a plan and in its apply (G110 to G114).
//!
//! A target keeps what it contains, and everything that reaches. Reach is a relation of blocks, taken from the text. For a block that a
//! target names, the target alone decides which instances are meant: an instance beside a target is not kept for being of its block (G111).

use std::collections::BTreeSet;

use planfuzz_core::address::{AbsResourceInstance, ConfigResource, ModuleInstance, Notation, Target};

use crate::configuration::Block;
use crate::run::{Run, StoredObject};

/// The targets of a run.
pub(crate) struct Targets<'r> {
    run: &'r Run<'r>,
    all: Vec<Target>,
    /// The blocks that a target names, whatever its keys are.
    named: BTreeSet<usize>,
    behind: BTreeSet<&'r AbsResourceInstance>,
}

impl<'r> Targets<'r> {
    /// The targets of a run; `None` if it has none.
    pub(crate) fn of(run: &'r Run<'_>) -> Option<Targets<'r>> {
        let all = read(run, &run.workspace.options.targets);
        if all.is_empty() {
            return None;
        }
        let names = |block: &Block| all.iter().any(|target| of_block(target, &block.address));
        let blocks = run.configuration.blocks.iter().enumerate();
        let named = blocks.filter(|(_, block)| names(block)).map(|(index, _)| index).collect();
        let behind = depending(run, &all);
        Some(Targets { run, all, named, behind })
    }

    /// Whether a target contains an instance.
    pub(crate) fn contain(&self, address: &AbsResourceInstance) -> bool {
        self.all.iter().any(|target| contains(target, address))
    }

    /// Whether each target contains one of the instances.
    pub(crate) fn each_contains<'i>(&self, instances: impl Iterator<Item = &'i AbsResourceInstance> + Clone) -> bool {
        self.all.iter().all(|target| instances.clone().any(|instance| contains(target, instance)))
    }

    /// Whether an instance depends on a target by stored lists.
    pub(crate) fn are_behind(&self, address: &AbsResourceInstance) -> bool {
        self.behind.contains(address)
    }

    /// The blocks that the targets reach, by a relation of blocks.
    pub(crate) fn reached(&self, reach: impl Fn(&Block) -> &BTreeSet<usize>) -> BTreeSet<usize> {
        self.named.iter().flat_map(|&index| reach(&self.run.configuration.blocks[index])).copied().collect()
    }

    /// The blocks that the targets name or reach.
    pub(crate) fn kept_blocks(&self) -> BTreeSet<usize> {
        &self.reached(|block| &block.reach_in_plans) | &self.named
    }

    /// Whether the targets keep an object of an instance, given the blocks that they reach.
    pub(crate) fn keep(&self, address: &AbsResourceInstance, is_deposed: bool, reached: &BTreeSet<usize>) -> bool {
        let own = self.run.configuration.index(&address.config_resource());
        // An orphan may be kept with its module; the text does not show whether it is.
        let Some(own) = own else { return true };
        let is_kept = match (is_deposed, self.named.contains(&own)) {
            // G74: a deposed object waits for those of its dependents, which are kept.
            (true, _) => self.are_behind(address),
            // G112: the text does not show whether its module instance is there.
            (false, true) => !address.module.is_root(),
            (false, false) => reached.contains(&own),
        };
        is_kept || self.contain(address)
    }
}

/// Reads the texts that are valid targets.
pub(crate) fn read(run: &Run<'_>, texts: &[String]) -> Vec<Target> {
    let notation = Notation { engine: run.workspace.dialect.engine() };
    texts.iter().filter_map(|text| notation.target(text).ok()).collect()
}

/// The instances whose stored lists name a target that is stored, or name what does so in turn (G74, G111).
///
/// Lists name blocks, and this follows blocks, but the result are instances: another instance of a target's own block is not among them for
/// that reason alone.
fn depending<'r>(run: &'r Run<'_>, targets: &[Target]) -> BTreeSet<&'r AbsResourceInstance> {
    let objects = &run.prior.as_ref().unwrap_or(&run.before).objects;
    let name = |kept: &StoredObject| kept.address.config_resource().to_string();
    let is_target = |kept: &&StoredObject| targets.iter().any(|target| contains(target, &kept.address));
    let mut names: BTreeSet<String> = objects.iter().filter(is_target).map(name).collect();
    let mut found = BTreeSet::new();
    loop {
        let lists_one = |kept: &&StoredObject| kept.dependencies.iter().any(|listed| names.contains(listed));
        let behind: Vec<&StoredObject> = objects.iter().filter(lists_one).collect();
        let before = found.len();
        found.extend(behind.iter().map(|kept| &kept.address));
        if found.len() == before {
            return found;
        }
        names.extend(behind.into_iter().map(name));
    }
}

pub(crate) fn contains(target: &Target, address: &AbsResourceInstance) -> bool {
    let in_module = |target: &ModuleInstance| {
        let Some((last, outer)) = target.0.split_last() else { return true };
        let (found, depth) = (&address.module.0, outer.len());
        found.len() > depth
            && found[..depth] == *outer
            && found[depth].name == last.name
            && (last.key == Default::default() || found[depth].key == last.key)
    };
    match target {
        Target::Module(module) => in_module(module),
        Target::Resource(resource) => resource.module == address.module && resource.resource == address.resource,
        Target::Instance(instance) => instance == address,
    }
}

fn of_block(target: &Target, block: &ConfigResource) -> bool {
    match target {
        Target::Module(module) => block.module.0.starts_with(&module.module().0),
        Target::Resource(resource) => resource.module.module() == block.module && resource.resource == block.resource,
        Target::Instance(instance) => instance.config_resource() == *block,
    }
}
