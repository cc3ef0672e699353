//! Edges that are only known with the whole graph: ends of ephemeral resources, and stored lists (G74, G75, G83).

use std::collections::{BTreeSet, HashMap};

use planfuzz_core::address::{AbsResourceInstance, ConfigResource, ResourceMode};
use planfuzz_workspace::State;

use crate::graph::{Graph, Node};
use crate::layout::Layout;

/// G60: the ends of the ephemeral blocks that are kept are kept, too.
pub fn keep_ends(graph: &Graph, kept: &mut BTreeSet<usize>) {
    let is_kept = |block: usize| graph.id(&Node::Block(block)).is_some_and(|block| kept.contains(&block));
    let is_end = |&id: &usize| matches!(graph.nodes[id], Node::EphemeralEnd(block) if is_kept(block));
    let ends: Vec<usize> = (0..graph.nodes.len()).filter(is_end).collect();
    kept.extend(ends);
}

/// G75: the end of an ephemeral resource waits for everything that reaches it.
pub fn ephemeral_ends(graph: &mut Graph, layout: &Layout<'_>) {
    let ends: Vec<(usize, usize)> = graph
        .nodes
        .iter()
        .enumerate()
        .filter_map(|(id, node)| match node {
            Node::EphemeralEnd(block) => Some((id, graph.id(&Node::Block(*block))?)),
            _ => None,
        })
        .collect();
    // Most graphs have no ends, and do not need the reverse edges.
    if ends.is_empty() {
        return;
    }
    let users = users(graph, layout);
    for (end, block) in ends {
        for node in Graph::dependents([block], &users) {
            // The end of a module reaches the nodes in it without referring to them.
            if !matches!(graph.nodes[node], Node::EphemeralEnd(_) | Node::End(_)) {
                graph.edge(end, node);
            }
        }
    }
}

/// G75: the nodes that wait for each node. A variable belongs to the calling module, so that the end of that module waits for it, and the
/// end of its own only by way of other nodes. U39: the begin of the checks waits for an instance only where `counts_for_checks` says so.
fn users(graph: &Graph, layout: &Layout<'_>) -> Vec<Vec<usize>> {
    let mut users = graph.users();
    let checks = graph.id(&Node::CheckStart).map(|start| (start, made_blocks(graph, layout)));
    for (id, node) in graph.nodes.iter().enumerate() {
        match node {
            Node::Variable(module, _) => {
                let end_of = |module: usize| graph.id(&Node::End(module));
                users[id].retain(|&user| Some(user) != end_of(*module));
                users[id].extend(layout.modules[*module].parent.and_then(end_of));
            }
            Node::Make(_) => {
                let Some((start, made)) = &checks else { continue };
                if !counts_for_checks(graph, &users[id], made) {
                    users[id].retain(|user| user != start);
                }
            }
            _ => {}
        }
    }
    users
}

/// The managed blocks with a `Make` node.
fn made_blocks(graph: &Graph, layout: &Layout<'_>) -> BTreeSet<usize> {
    let block = |node: &Node| match node {
        Node::Make(instance) if instance.resource.mode == ResourceMode::Managed => layout.block_of(instance),
        _ => None,
    };
    graph.nodes.iter().filter_map(block).collect()
}

/// U39: whether something that waits for an instance of a managed block refers to it or is destroyed after it, and none of the waiting
/// nodes is a managed block with a `Make` node.
fn counts_for_checks(graph: &Graph, users: &[usize], made: &BTreeSet<usize>) -> bool {
    let refers = |node: &Node| {
        let is_named = matches!(node, Node::Local(..) | Node::Output(..) | Node::Variable(..) | Node::Validation(..));
        let is_destroyed = matches!(node, Node::Destroy(_) | Node::Deposed(..) | Node::Forget(..));
        is_named
            || is_destroyed
            || matches!(node, Node::Block(_) | Node::Provider(_) | Node::Check(..) | Node::Begin(_))
    };
    let is_made = |node: &Node| matches!(node, Node::Block(block) if made.contains(block));
    let mut users = users.iter().map(|&user| &graph.nodes[user]);
    users.clone().any(refers) && !users.any(is_made)
}

/// G74, G83: an object waits for the objects whose current object has it in its stored dependencies.
pub fn stored_dependents(graph: &mut Graph, state: &State, of: &dyn Fn(&Node) -> Option<AbsResourceInstance>) {
    let mut users: HashMap<String, Vec<AbsResourceInstance>> = HashMap::new();
    for (address, _, instance) in state.instances() {
        for dependency in instance.current.iter().flat_map(|object| &object.dependencies) {
            users.entry(dependency.to_string()).or_default().push(address.clone());
        }
    }
    let nodes: Vec<(usize, AbsResourceInstance)> =
        graph.nodes.iter().enumerate().filter_map(|(id, node)| Some((id, of(node)?))).collect();
    let mut places: HashMap<&AbsResourceInstance, Vec<usize>> = HashMap::new();
    for (id, instance) in &nodes {
        places.entry(instance).or_default().push(*id);
    }
    for (id, instance) in &nodes {
        let address: ConfigResource = instance.config_resource();
        for user in users.get(&address.to_string()).into_iter().flatten() {
            // G84
            let apart = user.module != instance.module && user.module.module() == instance.module.module();
            if apart || user.config_resource() == address {
                continue;
            }
            for &to in places.get(user).into_iter().flatten() {
                graph.edge(*id, to);
            }
        }
    }
}
