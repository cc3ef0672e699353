//! The graphs of the walks of a plan, and their cycles (G07, G11, sections 5.1 and 5.4).

use std::collections::{BTreeMap, BTreeSet};

use planfuzz_core::address::ResourceMode;
use planfuzz_core::plans::Action;
use planfuzz_workspace::order::in_order;
use planfuzz_workspace::{Plan, State};

use crate::graph::{self, Graph, Node};
use crate::late_edges;
use crate::layout::Layout;
use crate::phases::Command;
use crate::targets::Selection;
use crate::walk::Purpose;
use crate::{apply_graph, early_checks, imports, names};
impl Command<'_, '_, '_> {
    /// The graph of P, R and D1.
    pub fn graph(&self, state: &State, targets: &Selection, purpose: Purpose) -> Graph {
        let mut graph = graph::of_configuration(self.layout);
        graph.leaves_imports = !matches!(purpose, Purpose::Plan | Purpose::BeforeDestroy);
        // G12: import targets are checked before a destruction, too.
        let looks = self.layout.dialect.looks_at_imports_in_destructions();
        if purpose == Purpose::Plan || purpose == Purpose::BeforeDestroy && looks {
            for (index, _) in imports::of_nothing(self.layout) {
                graph.add(Node::Import(index));
            }
        }
        let root = &self.layout.modules[0].configuration.module;
        for name in state.outputs.keys() {
            if !root.outputs.iter().any(|output| *output.name.text == **name) {
                graph.add(Node::GoneOutput(name.clone()));
            }
        }
        let mut stored = Vec::new();
        for (address, provider, instance) in state.instances() {
            let module = self.layout.module_of(&address.module);
            let block = module.and_then(|module| self.layout.find(module, &address.resource));
            if instance.current.is_some()
                && block.is_none()
                && !(fault!(OrphansMissed) || fault!(OrphansOfModulesMissed) && !address.module.is_root())
            {
                stored.push((
                    graph.add(Node::Orphan(address.clone())),
                    address.clone(),
                    self.layout.passed_on(provider),
                    module,
                ));
            }
            // G64: an object with a block has the provider of the block, whatever is stored.
            let provider = block
                .map_or_else(|| self.layout.passed_on(provider), |block| self.layout.blocks[block].provider.clone());
            for key in instance.deposed.keys().filter(|_| !fault!(DeposedMissed)) {
                let id = graph.add(Node::Deposed(address.clone(), key.clone()));
                stored.push((id, address.clone(), provider.clone(), None));
            }
        }
        for (id, address, provider, module) in stored {
            if early_checks::asks_providers(&address.abs_resource(), purpose) {
                let provider = graph.add(Node::Provider(provider));
                graph.edge(id, provider);
            }
            if let Some(begin) = module.and_then(|module| graph.id(&Node::Begin(module))) {
                graph.edge(id, begin);
            }
        }
        graph::configured_edges(&mut graph, self.layout);
        let orders_deposed = self.workspace.dialect.orders_deposed_by_lists();
        late_edges::stored_dependents(&mut graph, state, &|node| match node {
            Node::Deposed(address, _) if orders_deposed => Some(address.clone()),
            _ => None,
        });
        let mut graph = targets.keep(graph, self.layout);
        late_edges::ephemeral_ends(&mut graph, self.layout);
        graph
    }

    /// G82 to G85
    pub fn destroy_graph(&self, state: &State, targets: &Selection) -> Graph {
        let mut graph = graph::of_configuration(self.layout);
        let mut wanted = Vec::new();
        for name in state.outputs.keys() {
            wanted.push(graph.add(Node::GoneOutput(name.clone())));
        }
        for (address, provider, instance) in state.instances() {
            let mut nodes = Vec::new();
            let is_left = fault!(DataOutliveDestruction) && address.resource.mode != ResourceMode::Managed;
            if instance.current.is_some() && !is_left {
                nodes.push(graph.add(Node::Destroy(address.clone())));
            }
            nodes.extend(instance.deposed.keys().map(|key| graph.add(Node::Deposed(address.clone(), key.clone()))));
            // G85: an object with a block has the provider of the block, whatever is stored.
            let block = self.layout.block_of(&address).map(|block| &self.layout.blocks[block].provider);
            let provider = block.cloned().unwrap_or_else(|| self.layout.passed_on(provider));
            let provider = graph.add(Node::Provider(provider));
            for id in nodes {
                wanted.push(id);
                graph.edge(id, provider);
            }
        }
        graph::configured_edges(&mut graph, self.layout);
        let kept = (0..graph.nodes.len()).filter(|&id| match &graph.nodes[id] {
            Node::Block(block) => self.layout.blocks[*block].address.mode == ResourceMode::Ephemeral,
            Node::Check(..) | Node::CheckReport(..) | Node::Validation(..) | Node::End(_) => false,
            _ => true,
        });
        let mut graph = graph.keep(&kept.collect());
        let orders_deposed = self.workspace.dialect.orders_deposed_by_lists();
        late_edges::stored_dependents(&mut graph, state, &|node| match node {
            Node::Destroy(address) => Some(address.clone()),
            Node::Deposed(address, _) if orders_deposed => Some(address.clone()),
            _ => None,
        });
        let mut kept = BTreeSet::new();
        for id in 0..graph.nodes.len() {
            if matches!(graph.nodes[id], Node::GoneOutput(_) | Node::Destroy(_) | Node::Deposed(..)) {
                kept.insert(id);
                kept.extend(graph.reach(id));
            }
        }
        late_edges::keep_ends(&graph, &mut kept);
        let mut graph = graph.keep(&kept);
        if !targets.is_empty() {
            graph = targets.keep(graph, self.layout);
        }
        late_edges::ephemeral_ends(&mut graph, self.layout);
        graph
    }

    /// G11
    pub fn late_cycle(&mut self, plan: &Plan, targets: &Selection) {
        let has_changes = plan.changes.iter().any(|change| !change.is_empty())
            || plan.outputs.iter().any(|output| output.change().action != Action::NoOp);
        if plan.errored || !has_changes {
            return;
        }
        let keys = apply_graph::fresh_keys(plan);
        let (graph, _) = apply_graph::build(self.layout, plan, &keys);
        let graph = targets.keep(graph, self.layout);
        self.errors(without_order(&graph, self.layout, &plan.prior, names::of_apply));
    }
}

/// G11: the error for a graph of destructions that has no order, if it has none.
pub fn without_order(
    graph: &Graph,
    layout: &Layout<'_>,
    state: &State,
    name: fn(&Node, &Layout<'_>) -> String,
) -> Vec<String> {
    [behind_themselves(graph, layout, state, name), cycles(graph, layout, name)].concat()
}

/// Destroyed objects that name their own resource in their list, since they were moved to an address that they depended on.
fn behind_themselves(
    graph: &Graph,
    layout: &Layout<'_>,
    state: &State,
    name: fn(&Node, &Layout<'_>) -> String,
) -> Vec<String> {
    let names_itself = |node: &&Node| {
        let (Node::Destroy(address) | Node::Deposed(address, _)) = node else { return false };
        let own = address.config_resource().to_string();
        let object = state.instance(address).and_then(|instance| instance.current.as_ref());
        object.is_some_and(|object| object.dependencies.iter().any(|listed| **listed == *own))
    };
    graph.nodes.iter().filter(names_itself).map(|node| format!("Self reference: {}", name(node, layout))).collect()
}

/// The nodes of each cycle: all that reach each other.
pub fn cycles(graph: &Graph, layout: &Layout<'_>, name: fn(&Node, &Layout<'_>) -> String) -> Vec<String> {
    let order = in_order(&graph.lists());
    let done: BTreeSet<usize> = order.into_iter().collect();
    let left = (0..graph.nodes.len()).filter(|node| !done.contains(node));
    let mut reached: BTreeMap<usize, BTreeSet<usize>> = left.map(|node| (node, graph.reach(node))).collect();
    let mut found = Vec::new();
    while let Some((first, reach)) = reached.pop_first() {
        if !reach.contains(&first) {
            continue;
        }
        let is_one = |node: &usize| reach.contains(node) && reached[node].contains(&first);
        let others: Vec<usize> = reached.keys().copied().filter(is_one).collect();
        others.iter().for_each(|node| drop(reached.remove(node)));
        let mut names: Vec<String> =
            others.into_iter().chain([first]).map(|node| name(&graph.nodes[node], layout)).collect();
        names.sort();
        found.push(format!("Cycle: {}", names.join(", ")));
    }
    found
}
