//! Targets (G110 to G116).

use std::collections::BTreeSet;

use planfuzz_core::address::{AbsResourceInstance, ConfigResource, InstanceKey, ModuleInstance, Notation, Target};
use planfuzz_workspace::Options;

use crate::graph::{Graph, Node};
use crate::late_edges;
use crate::layout::Layout;

/// The targets, excludes and forced replacements of a command.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    targets: Vec<Target>,
    excludes: Vec<Target>,
    replaced: Vec<AbsResourceInstance>,
}

impl Selection {
    /// Reads the options; other checks report invalid ones (G01).
    pub fn new(options: &Options, notation: Notation) -> Selection {
        let read = |texts: &[String]| texts.iter().filter_map(|text| notation.target(text).ok()).collect();
        let replaced = options.replace.iter().filter_map(|text| notation.instance(text).ok()).collect();
        Selection { targets: read(&options.targets), excludes: read(&options.excludes), replaced }
    }

    /// Whether an instance is to be replaced (G105).
    pub fn replaces(&self, address: &AbsResourceInstance) -> bool {
        self.replaced.contains(address)
    }

    /// Whether there are neither targets nor excludes.
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty() && self.excludes.is_empty()
    }

    /// Whether targets do not contain an instance, or excludes do (G42).
    pub fn leaves_out(&self, address: &AbsResourceInstance) -> bool {
        let is_target = self.targets.iter().any(|target| contains(target, address));
        (!self.targets.is_empty() && !is_target) || self.excludes.iter().any(|exclude| contains(exclude, address))
    }

    /// G111, G117: whether a block that is in the graph plans an instance.
    pub fn takes(&self, block: &ConfigResource, address: &AbsResourceInstance) -> bool {
        let is_named = self.targets.iter().any(|target| matches_block(target, block));
        let is_taken = !is_named || self.targets.iter().any(|target| contains(target, address));
        is_taken && !self.excludes.iter().any(|exclude| contains(exclude, address))
    }

    /// The part of a graph that is kept.
    pub fn keep(&self, graph: Graph, layout: &Layout<'_>) -> Graph {
        let graph = if self.excludes.is_empty() { graph } else { exclude(&graph, layout, &self.excludes) };
        if self.targets.is_empty() { graph } else { keep(&graph, layout, &self.targets) }
    }
}

/// Whether a target contains an instance (G111b).
pub fn contains(target: &Target, address: &AbsResourceInstance) -> bool {
    match target {
        Target::Module(module) => in_module(module, &address.module),
        Target::Resource(resource) => {
            let is_missed = fault!(TargetMeansSingle) && address.key != InstanceKey::None;
            resource.module == address.module && resource.resource == address.resource && !is_missed
        }
        Target::Instance(instance) => instance == address,
    }
}

/// The last call of a target without a key means all its instances.
fn in_module(target: &ModuleInstance, module: &ModuleInstance) -> bool {
    let Some((last, outer)) = target.0.split_last() else { return true };
    if module.0.len() < target.0.len() || module.0[..outer.len()] != *outer {
        return false;
    }
    let found = &module.0[outer.len()];
    found.name == last.name && (last.key == InstanceKey::None || found.key == last.key || fault!(TargetAnyInstance))
}

/// Whether a target, without its keys, is a block or a module around it.
pub fn matches_block(target: &Target, block: &ConfigResource) -> bool {
    match target {
        Target::Module(module) => block.module.0.starts_with(&module.module().0),
        Target::Resource(resource) => resource.module.module() == block.module && resource.resource == block.resource,
        Target::Instance(instance) => instance.config_resource() == *block,
    }
}

/// G117: the graph without the excluded resource nodes and everything that depends on them; the rest as if it were targeted.
fn exclude(graph: &Graph, layout: &Layout<'_>, excludes: &[Target]) -> Graph {
    let users = graph.users();
    let mut out: BTreeSet<usize> = BTreeSet::new();
    for (id, node) in graph.nodes.iter().enumerate() {
        let names = |exclude: &&Target| match instance_of(node) {
            Some(instance) => contains(exclude, instance),
            None => matches!(node, Node::Block(block) if matches_block(exclude, &layout.address(*block))),
        };
        if !excludes.iter().any(|exclude| names(&exclude)) {
            continue;
        }
        // An excluded instance leaves its block in the graph, without the dependents.
        let is_part = matches!(node, Node::Block(_)) && excludes.iter().filter(names).all(has_key);
        if !is_part {
            out.insert(id);
        }
        out.extend(dependents(graph, &users, id));
    }
    let mut kept = (0..graph.nodes.len()).filter(|id| !out.contains(id)).collect();
    // The end of an ephemeral block waits for everything that reaches the block, so also for the excluded part.
    late_edges::keep_ends(graph, &mut kept);
    let rest = graph.keep(&kept);
    // Checks are not kept, only what their data resources wait for.
    let is_resource = |node: &Node| matches!(node, Node::Block(_)) || instance_of(node).is_some();
    let wanted = (0..rest.nodes.len()).filter(|&id| is_resource(&rest.nodes[id])).collect();
    with_outputs(&rest, wanted)
}

/// Everything that waits for a node, directly or not. The legs of an apply stay: the plan has already left out the others.
fn dependents(graph: &Graph, users: &[Vec<usize>], of: usize) -> BTreeSet<usize> {
    let is_apply = graph.nodes.iter().any(|node| matches!(node, Node::Make(_)));
    let is_leg = |node: &Node| is_apply && instance_of(node).is_some();
    let mut found = BTreeSet::new();
    let mut rest = vec![of];
    while let Some(node) = rest.pop() {
        let next = users[node].iter().copied().filter(|&user| !is_leg(&graph.nodes[user]));
        rest.extend(next.filter(|&user| found.insert(user)).collect::<Vec<_>>());
    }
    found
}

/// Whether some part of a target has a key.
fn has_key(target: &Target) -> bool {
    let keyed = |module: &ModuleInstance| module.0.iter().any(|step| step.key != InstanceKey::None);
    match target {
        Target::Module(module) => keyed(module),
        Target::Resource(resource) => keyed(&resource.module),
        Target::Instance(instance) => keyed(&instance.module) || instance.key != InstanceKey::None,
    }
}

/// The instance that a node is made for.
fn instance_of(node: &Node) -> Option<&AbsResourceInstance> {
    match node {
        Node::Orphan(instance) | Node::Make(instance) | Node::Destroy(instance) => Some(instance),
        Node::Deposed(instance, _) | Node::Forget(instance, _) => Some(instance),
        _ => None,
    }
}

/// The part of a graph that targets keep (G110, G113).
fn keep(graph: &Graph, layout: &Layout<'_>, targets: &[Target]) -> Graph {
    let mut wanted: BTreeSet<usize> = BTreeSet::new();
    for (id, node) in graph.nodes.iter().enumerate() {
        let is_target = |target: &Target| match node {
            Node::Block(block) => matches_block(target, &layout.address(*block)),
            Node::Import(index) => {
                matches_block(target, &layout.modules[0].configuration.module.imports[*index].target.resource)
            }
            _ => instance_of(node).is_some_and(|instance| contains(target, instance)),
        };
        if targets.iter().any(is_target) {
            wanted.insert(id);
        }
    }
    with_outputs(graph, wanted)
}

/// The wanted nodes with everything that they wait for, and the root outputs that need nothing else (G113).
fn with_outputs(graph: &Graph, wanted: BTreeSet<usize>) -> Graph {
    let mut kept = if fault!(TargetAlone) { wanted } else { graph.visited_before(wanted) };
    let mut outputs = Vec::new();
    for (id, node) in graph.nodes.iter().enumerate() {
        if !matches!(node, Node::Output(0, _)) || fault!(TargetWithoutOutputs) {
            continue;
        }
        let reached = graph.reach(id);
        let is_resource = |id: &usize| {
            matches!(graph.nodes[*id], Node::Block(_) | Node::Make(_) | Node::Orphan(_) | Node::Deposed(..))
        };
        let mut resources = reached.iter().filter(|id| is_resource(id)).peekable();
        if resources.peek().is_some() && resources.all(|id| kept.contains(id)) {
            outputs.push((id, reached));
        }
    }
    for (id, reached) in outputs {
        kept.insert(id);
        kept.extend(reached);
    }
    late_edges::keep_ends(graph, &mut kept);
    graph.keep(&kept)
}

#[cfg(test)]
mod tests {
    use planfuzz_core::address::Notation;
    use planfuzz_core::dialect::Engine;

    use super::*;

    fn is_target(target: &str, address: &str) -> bool {
        let notation = Notation { engine: Engine::Terraform };
        let target = notation.target(target).expect("a target");
        contains(&target, &notation.instance(address).expect("an instance"))
    }

    #[test]
    fn g111_a_target_with_a_key_is_that_instance_alone() {
        assert!(is_target("w.a[1]", "w.a[1]") && !is_target("w.a[1]", "w.a[0]"));
        assert!(!is_target("w.a[1]", "module.m.w.a[1]"));
    }

    #[test]
    fn g111b_the_last_module_without_key_means_all_its_instances() {
        assert!(is_target("module.m", "module.m[0].w.a") && is_target("module.m", "module.m[\"k\"].module.n.w.a"));
        assert!(is_target("module.m[0]", "module.m[0].w.a") && !is_target("module.m[0]", "module.m[1].w.a"));
    }
}
