//! Targets (G110 to G116).

use planfuzz_core::address::{AbsResourceInstance, ConfigResource, InstanceKey, ModuleInstance, Notation, Target};

use crate::graph::{Found, Graph, Node};
use crate::model::Model;
use crate::walk::Wired;

/// What a user asks a command to look at.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    targets: Vec<Target>,
}

impl Selection {
    /// What can be read of it: what cannot is told elsewhere (G01).
    pub fn new(texts: &[String], notation: Notation) -> Selection {
        Selection { targets: texts.iter().filter_map(|text| notation.target(text).ok()).collect() }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// Whether some target contains an instance (G111b).
    pub fn contains(&self, address: &AbsResourceInstance) -> bool {
        self.targets.iter().any(|target| match target {
            Target::Instance(instance) => instance == address,
            Target::Resource(resource) => address.is_of(resource),
            Target::Module(module) => is_within(module, &address.module),
        })
    }

    /// Whether some target, without its keys, is a block or a module around it.
    fn names(&self, block: &ConfigResource) -> bool {
        self.targets.iter().any(|target| match target {
            Target::Instance(instance) => instance.is_of_config(block),
            Target::Resource(of) => of.resource == block.resource && of.module.module() == block.module,
            Target::Module(module) => block.module.0.starts_with(&module.module().0),
        })
    }

    /// G111: whether a block plans an instance: a block that is only reached plans all of them.
    pub fn takes(&self, block: &ConfigResource, address: &AbsResourceInstance) -> bool {
        !self.names(block) || self.contains(address)
    }

    /// G110, G113: the part of a graph that is kept.
    pub fn keep(&self, wired: Wired, model: &Model<'_>) -> Wired {
        if self.is_empty() {
            return wired;
        }
        let graph = &wired.graph;
        let ids = || 0..graph.len() as u32;
        let is_target = |&id: &u32| match graph.nodes[id as usize] {
            // G113: checks are not kept.
            Node::Block(block) => {
                let block = &model.blocks[block as usize];
                block.check.is_none() && self.names(&block.config)
            }
            Node::Orphan(thing)
            | Node::Make(thing)
            | Node::Destroy(thing)
            | Node::Deposed(thing)
            | Node::Forget(thing) => self.contains(&wired.things[thing as usize].address),
            _ => false,
        };
        let mut kept = Found::none(graph.len());
        let targets: Vec<u32> = ids().filter(is_target).collect();
        targets.iter().for_each(|&id| kept.put(id));
        graph.reach(targets, &mut kept);
        let outputs = whole_outputs(graph, &kept);
        outputs.iter().for_each(|&id| kept.put(id));
        let mut with_outputs = kept;
        graph.reach(outputs, &mut with_outputs);
        // G60: what is opened is closed.
        for id in ids() {
            if let Node::EphemeralEnd(block) = graph.nodes[id as usize]
                && graph.id(Node::Block(block)).is_some_and(|block| with_outputs.has(block))
            {
                with_outputs.add(id);
            }
        }
        let graph = graph.keep(|id| with_outputs.has(id));
        Wired { graph, ..wired }
    }
}

/// G113: root outputs that reach resources, and none that is not kept: found for all of them in one pass over the graph.
fn whole_outputs(graph: &Graph, kept: &Found) -> Vec<u32> {
    let (mut any, mut lost) = (Found::none(graph.len()), Found::none(graph.len()));
    let mut outputs = Vec::new();
    for id in graph.in_order() {
        for &to in &graph.waits[id as usize] {
            let is_resource = matches!(graph.nodes[to as usize], Node::Block(_) | Node::Make(_));
            if is_resource || any.has(to) {
                any.put(id);
            }
            if (is_resource && !kept.has(to)) || lost.has(to) {
                lost.put(id);
            }
        }
        let is_output = matches!(graph.nodes[id as usize], Node::Output(0, _));
        if is_output && !lost.has(id) && (any.has(id) || fault!(ConstantOutputsKept)) {
            outputs.push(id);
        }
    }
    outputs
}

/// The last call of a target without a key means all its instances.
fn is_within(target: &ModuleInstance, module: &ModuleInstance) -> bool {
    let Some((last, outer)) = target.0.split_last() else { return true };
    let Some(step) = module.0.get(outer.len()).filter(|_| module.0.starts_with(outer)) else { return false };
    step.name == last.name && (last.key == InstanceKey::None || last.key == step.key)
}

#[cfg(test)]
mod tests {
    use planfuzz_core::dialect::Engine;

    use super::*;

    #[test]
    fn g111b_the_last_module_without_key_means_all_its_instances() {
        let notation = Notation { engine: Engine::Terraform };
        let has = |target: &str, address: &str| {
            let selection = Selection::new(&[target.to_owned()], notation);
            selection.contains(&notation.instance(address).expect("an instance"))
        };
        assert!(has("module.m", "module.m[0].w.a") && has("module.m", "module.m[\"k\"].module.n.w.a"));
        assert!(!has("module.m.w.a", "module.m[0].w.a") && !has("module.m[0]", "module.m[1].w.a"));
        assert!(has("w.a", "w.a[1]") && !has("w.a[0]", "w.a[1]"));
    }
}
