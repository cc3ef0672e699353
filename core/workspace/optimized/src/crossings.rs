//! Edges of U36 between two provider configurations that would close a cycle: they are left out.
//!
//! A provider that is configured from an object of another provider cannot destroy its own objects before that object is replaced. Whether
//! an edge would close a cycle is judged before `create_before_destroy` turns any edge round.
//!
//! The law behind it: if all edges together close no cycle, none of them does. So the whole order is built once, not turned, in a copy, and
//! only if that has a cycle, edges are checked pair by pair. With one provider configuration nothing is checked.

use std::collections::BTreeSet;

use hashbrown::{HashMap, HashSet};
use planfuzz_workspace::State;

use crate::apply_graph::{Leg, Legs, halves};
use crate::destroyers::{destroyers, naming};
use crate::graph::{Graph, Node, NodeSet};
use crate::model::Model;
use crate::walk::Wired;

/// Pairs of nodes of legs without an edge: the first, a destruction, names the second.
pub type LeftOut = HashSet<(u32, u32)>;

/// The edges that are left out, given a graph without edges between legs.
pub fn left_out(wired: &Wired, model: &Model<'_>, prior: &State, legs: &Legs) -> LeftOut {
    let providers: HashMap<u32, Option<u32>> =
        legs.iter().map(|(id, _, _)| (*id, provider(&wired.graph, *id))).collect();
    let has_destruction = legs.iter().any(|(_, _, leg)| matches!(leg, Leg::Destroy(_)));
    if !has_destruction || providers.values().collect::<BTreeSet<_>>().len() < 2 {
        return LeftOut::new();
    }
    let plain: Legs = legs
        .iter()
        .map(|(id, thing, leg)| (*id, *thing, if matches!(leg, Leg::Destroy(_)) { Leg::Destroy(false) } else { *leg }))
        .collect();
    let mut whole = wired.clone();
    halves(&mut whole, &plain);
    destroyers(&mut whole, model, prior, &plain, &LeftOut::new());
    if whole.graph.cycles().is_empty() {
        return LeftOut::new();
    }
    pair_by_pair(wired, model, prior, &plain, &providers)
}

fn pair_by_pair(
    wired: &Wired,
    model: &Model<'_>,
    prior: &State,
    plain: &Legs,
    providers: &HashMap<u32, Option<u32>>,
) -> LeftOut {
    let mut ordered = wired.clone();
    halves(&mut ordered, plain);
    let graph = &mut ordered.graph;
    let legs: HashMap<u32, Leg> = plain.iter().map(|(id, _, leg)| (*id, *leg)).collect();
    let (mut crossing, mut found) = (Vec::new(), LeftOut::new());
    for (namer, named) in naming(wired, model, prior, plain) {
        match (legs[&namer], legs[&named]) {
            (Leg::Make(true), Leg::Destroy(_)) => graph.edge(namer, named),
            (Leg::Destroy(_), Leg::Destroy(_) | Leg::Make(true)) => match providers[&namer] == providers[&named] {
                true => graph.edge(named, namer),
                false => crossing.push((namer, named)),
            },
            _ => {}
        }
    }
    for (namer, named) in crossing {
        let mut reached = NodeSet::none(graph.len());
        graph.reach([namer], &mut reached);
        match reached.has(named) {
            true => drop(found.insert((namer, named))),
            false => graph.edge(named, namer),
        }
    }
    found
}

fn provider(graph: &Graph, leg: u32) -> Option<u32> {
    graph.waits[leg as usize].iter().copied().find(|&id| matches!(graph.nodes[id as usize], Node::Provider(_)))
}
