//! Targets (G110 to G116) and excludes (G117).

use hashbrown::HashSet;
use planfuzz_core::address::{
    AbsResource, AbsResourceInstance, ConfigResource, InstanceKey, ModuleInstance, Notation, Target,
};
use planfuzz_workspace::Options;

use crate::graph::{Graph, Node, NodeSet};
use crate::model::Model;
use crate::walk::Wired;

/// The targets, excludes and forced replacements of a command.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    targets: Named,
    excludes: Named,
    replaced: HashSet<AbsResourceInstance>,
}

/// What addresses name, so that looking for one costs the same however many there are.
#[derive(Clone, Debug, Default)]
struct Named {
    instances: HashSet<AbsResourceInstance>,
    resources: HashSet<AbsResource>,
    modules: HashSet<ModuleInstance>,
    /// Instances and resources without keys.
    blocks: HashSet<ConfigResource>,
    /// Modules without keys.
    paths: HashSet<Vec<String>>,
    /// Those of `blocks` and `paths` that some address names without writing a key.
    whole_blocks: HashSet<ConfigResource>,
    whole_paths: HashSet<Vec<String>>,
}

impl Named {
    fn new(all: impl Iterator<Item = Target>) -> Named {
        let mut named = Named::default();
        all.for_each(|target| named.add(target));
        named
    }

    fn add(&mut self, target: Target) {
        let is_whole = !has_key(&target);
        let block = match target {
            Target::Module(module) => {
                let path = module.module().0;
                if is_whole {
                    self.whole_paths.insert(path.clone());
                }
                self.paths.insert(path);
                self.modules.insert(module);
                return;
            }
            Target::Instance(instance) => {
                let block = instance.config_resource();
                self.instances.insert(instance);
                block
            }
            Target::Resource(of) => {
                let block = ConfigResource { module: of.module.module(), resource: of.resource.clone() };
                self.resources.insert(of);
                block
            }
        };
        if is_whole {
            self.whole_blocks.insert(block.clone());
        }
        self.blocks.insert(block);
    }

    fn is_empty(&self) -> bool {
        self.blocks.is_empty() && self.paths.is_empty()
    }

    /// Whether one of them contains an instance (G111b).
    fn contain(&self, address: &AbsResourceInstance) -> bool {
        let is_within = |depth: usize| {
            let mut around = ModuleInstance(address.module.0[..depth].to_vec());
            if self.modules.contains(&around) {
                return true;
            }
            // The last call of a target without a key means all its instances.
            if let Some(last) = around.0.last_mut() {
                last.key = InstanceKey::None;
            }
            self.modules.contains(&around)
        };
        self.instances.contains(address)
            || !self.resources.is_empty() && self.resources.contains(&address.abs_resource())
            || !self.modules.is_empty() && (0..=address.module.0.len()).any(is_within)
    }

    /// Whether one of them, without its keys, is a block or a module around it.
    fn name(&self, block: &ConfigResource) -> bool {
        self.blocks.contains(block) || is_within(&self.paths, block)
    }

    /// Whether one of them is a block or a module around it, and writes no key.
    fn name_whole(&self, block: &ConfigResource) -> bool {
        self.whole_blocks.contains(block) || is_within(&self.whole_paths, block)
    }
}

/// Whether a block is in one of the modules, or in one that they call.
fn is_within(paths: &HashSet<Vec<String>>, block: &ConfigResource) -> bool {
    let path = &block.module.0;
    !paths.is_empty() && (0..=path.len()).any(|depth| paths.contains(&path[..depth]))
}

impl Selection {
    /// Reads the options; other checks report invalid ones (G01).
    pub fn new(options: &Options, notation: Notation) -> Selection {
        let read = |texts: &[String]| Named::new(texts.iter().filter_map(|text| notation.target(text).ok()));
        let replaced = options.replace.iter().filter_map(|text| notation.instance(text).ok()).collect();
        Selection { targets: read(&options.targets), excludes: read(&options.excludes), replaced }
    }

    /// G105: whether an instance is to be replaced.
    pub fn replaces(&self, address: &AbsResourceInstance) -> bool {
        self.replaced.contains(address)
    }

    /// Whether there are neither targets nor excludes.
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty() && self.excludes.is_empty()
    }

    /// G42: whether targets do not contain an instance, or excludes do.
    pub fn leaves_out(&self, address: &AbsResourceInstance) -> bool {
        let is_missed = !self.targets.is_empty() && !self.targets.contain(address);
        is_missed || self.excludes.contain(address)
    }

    /// Whether targets name a block, or a module around it.
    pub fn names(&self, block: &ConfigResource) -> bool {
        self.targets.name(block)
    }

    /// G111, G117: whether a block plans an instance: a block that targets only reach plans all its instances, except for excluded ones.
    pub fn takes(&self, block: &ConfigResource, address: &AbsResourceInstance) -> bool {
        let is_taken = !self.names(block) || self.targets.contain(address);
        is_taken && !self.excludes.contain(address)
    }

    /// G110, G113, G117: the part of a graph that is kept.
    pub fn keep(&self, wired: Wired, model: &Model<'_>) -> Wired {
        let wired = if self.excludes.is_empty() { wired } else { self.without_excluded(wired, model) };
        if self.targets.is_empty() {
            return wired;
        }
        let is_target = |node: Node| match node {
            Node::Block(block) => {
                let block = &model.blocks[block as usize];
                self.names(&block.config) && !(fault!(CheckDataLeftOut) && block.check.is_some())
            }
            Node::Import(place) => self.names(&model.modules[0].of.imports[place as usize].target.resource),
            _ => instance_of(&wired, node).is_some_and(|address| self.targets.contain(address)),
        };
        let graph = with_outputs(&wired.graph, &is_target);
        Wired { graph, ..wired }
    }

    /// G117: the graph without the excluded resources and everything that depends on them; the rest as if it were targeted.
    fn without_excluded(&self, wired: Wired, model: &Model<'_>) -> Wired {
        let graph = &wired.graph;
        let users = graph.users();
        let is_apply = graph.nodes.iter().any(|node| matches!(node, Node::Make(_)));
        // The legs of an apply stay: the plan has already left out the others.
        let is_followed = |&id: &u32| !is_apply || instance_of(&wired, graph.nodes[id as usize]).is_none();
        let (mut out, mut behind) = (NodeSet::none(graph.len()), NodeSet::none(graph.len()));
        for id in 0..graph.len() as u32 {
            let node = graph.nodes[id as usize];
            let is_excluded = match (node, instance_of(&wired, node)) {
                (Node::Block(block), _) => self.excludes.name(&model.blocks[block as usize].config),
                (_, Some(address)) => self.excludes.contain(address),
                _ => false,
            };
            if !is_excluded {
                continue;
            }
            // An excluded instance leaves its block in the graph, without the dependents.
            let is_whole = match node {
                Node::Block(block) => self.excludes.name_whole(&model.blocks[block as usize].config),
                _ => true,
            };
            if is_whole {
                out.put(id);
            }
            let mut rest = vec![id];
            while let Some(node) = rest.pop() {
                let next = users[node as usize].iter().copied().filter(is_followed);
                rest.extend(next.filter(|&user| behind.add(user)));
            }
        }
        // A joint stands for other nodes beside the excluded ones.
        let is_joint = |id: u32| matches!(graph.nodes[id as usize], Node::Joint(_));
        let is_behind = |id: u32| out.has(id) || behind.has(id) && !is_joint(id);
        // G60: an end stays with its block, although it waits for everything that reaches the block.
        let has_block = |id: u32| match graph.nodes[id as usize] {
            Node::EphemeralEnd(block) => graph.id(Node::Block(block)).is_some_and(|block| !is_behind(block)),
            _ => false,
        };
        let is_out = |id: u32| is_behind(id) && !has_block(id);
        let rest = graph.keep(|id| !is_out(id));
        let wired = Wired { graph: rest, ..wired };
        // Checks are not kept, only what their data resources wait for.
        let is_resource = |node: Node| matches!(node, Node::Block(_)) || instance_of(&wired, node).is_some();
        let graph = with_outputs(&wired.graph, &is_resource);
        Wired { graph, ..wired }
    }
}

/// Whether some part of a target has a key.
fn has_key(target: &Target) -> bool {
    let (module, key) = match target {
        Target::Instance(instance) => (&instance.module, &instance.key),
        Target::Resource(resource) => (&resource.module, &InstanceKey::None),
        Target::Module(module) => (module, &InstanceKey::None),
    };
    *key != InstanceKey::None || module.0.iter().any(|step| step.key != InstanceKey::None)
}

/// The instance that a node is made for.
fn instance_of(wired: &Wired, node: Node) -> Option<&AbsResourceInstance> {
    match node {
        Node::Orphan(thing) | Node::Make(thing) | Node::Destroy(thing) | Node::Deposed(thing) | Node::Forget(thing) => {
            Some(&wired.things[thing as usize].address)
        }
        _ => None,
    }
}

/// G110, G113: the wanted nodes with everything that they are visited after, and the root outputs that need nothing else.
fn with_outputs(graph: &Graph, is_wanted: &dyn Fn(Node) -> bool) -> Graph {
    let ids = || 0..graph.len() as u32;
    let wanted: Vec<u32> = ids().filter(|&id| is_wanted(graph.nodes[id as usize])).collect();
    let mut kept = NodeSet::none(graph.len());
    wanted.iter().for_each(|&id| kept.put(id));
    graph.reach_visits(wanted, &mut kept);
    let outputs = whole_outputs(graph, &kept);
    outputs.iter().for_each(|&id| kept.put(id));
    graph.reach(outputs, &mut kept);
    // G60: an opened object is closed.
    for id in ids() {
        if let Node::EphemeralEnd(block) = graph.nodes[id as usize]
            && graph.id(Node::Block(block)).is_some_and(|block| kept.has(block))
        {
            kept.add(id);
        }
    }
    graph.keep(|id| kept.has(id))
}

/// G113: root outputs that reach resources, and reach only kept nodes: found for all of them in one pass over the graph.
fn whole_outputs(graph: &Graph, kept: &NodeSet) -> Vec<u32> {
    let (mut any, mut lost) = (NodeSet::none(graph.len()), NodeSet::none(graph.len()));
    let mut outputs = Vec::new();
    for id in graph.in_order() {
        for &to in &graph.waits[id as usize] {
            let node = graph.nodes[to as usize];
            let is_resource = matches!(node, Node::Block(_) | Node::Make(_) | Node::Orphan(_) | Node::Deposed(_));
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

#[cfg(test)]
mod tests {
    use planfuzz_core::dialect::Engine;

    use super::*;

    #[test]
    fn g111b_the_last_module_without_key_means_all_its_instances() {
        let notation = Notation { engine: Engine::Terraform };
        let has = |target: &str, address: &str| {
            let named = Named::new([notation.target(target).expect("a target")].into_iter());
            named.contain(&notation.instance(address).expect("an instance"))
        };
        assert!(has("module.m", "module.m[0].w.a") && has("module.m", "module.m[\"k\"].module.n.w.a"));
        assert!(!has("module.m.w.a", "module.m[0].w.a") && !has("module.m[0]", "module.m[1].w.a"));
        assert!(has("w.a", "w.a[1]") && !has("w.a[0]", "w.a[1]"));
    }
    #[test]
    fn g117_an_exclude_with_a_key_does_not_name_its_whole_block() {
        let notation = Notation { engine: Engine::OpenTofu };
        let block = notation.instance("module.m.w.a").expect("an instance").config_resource();
        let names_whole = |excludes: &[&str]| {
            Named::new(excludes.iter().map(|text| notation.target(text).expect("a target"))).name_whole(&block)
        };
        assert!(names_whole(&["module.m"]) && names_whole(&["module.m.w.a"]));
        assert!(!names_whole(&["module.m[0]"]) && !names_whole(&["module.m[0].w.a", "module.m.w.a[0]", "w.a"]));
        assert!(names_whole(&["module.m.w.a[0]", "module.m.w.a"]));
    }
}
