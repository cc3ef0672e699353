//! Edges that want the whole graph: ends of ephemeral resources, and stored lists (G74, G75, G83).

use std::collections::{BTreeSet, HashMap};

use planfuzz_core::address::{AbsResourceInstance, ConfigResource};
use planfuzz_workspace::State;

use crate::graph::{Graph, Node};
/// G75: the end of an ephemeral resource waits for all that reach it.
pub fn ephemeral_ends(graph: &mut Graph) {
    let ends: Vec<(usize, usize)> = graph
        .nodes
        .iter()
        .enumerate()
        .filter_map(|(id, node)| match node {
            Node::EphemeralEnd(block) => Some((id, graph.id(&Node::Block(*block))?)),
            _ => None,
        })
        .collect();
    // The end of a module reaches what is in it without referring to it.
    let refers = |node: &Node| !matches!(node, Node::End(_));
    let users: Vec<BTreeSet<usize>> = ends.iter().map(|(_, block)| graph.dependents([*block], refers)).collect();
    for ((end, _), users) in ends.into_iter().zip(users) {
        for node in users {
            if !matches!(graph.nodes[node], Node::EphemeralEnd(_)) {
                graph.edge(end, node);
            }
        }
    }
}

/// G74, G83: an object waits for the objects whose current one's stored dependencies name it.
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
