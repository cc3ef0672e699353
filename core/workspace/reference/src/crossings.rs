//! Edges that are left out of the order of destructions between two provider configurations (U36).
//!
//! A provider may be configured from an object of another provider. Its own objects would then have to be destroyed before that object is
//! replaced, which can close a cycle. An edge between objects of two provider configurations is left out if it would close one, judged
//! before `create_before_destroy` turns any edge round.

use std::collections::{BTreeMap, BTreeSet};

use planfuzz_core::address::AbsResourceInstance;

use crate::apply_graph::Leg;
use crate::graph::{Graph, Node};

/// The pairs of legs without an edge although one names the other: the places of the naming and the named leg.
pub fn left_out(
    graph: &Graph,
    legs: &[(usize, AbsResourceInstance, Leg)],
    pairs: &[(usize, usize)],
) -> BTreeSet<(usize, usize)> {
    let provider = |place: usize| {
        let waits = &graph.edges[legs[place].0];
        waits.iter().find(|&&node| matches!(graph.nodes[node], Node::Provider(_))).copied()
    };
    let is_ordered = |(place, index): (usize, usize)| {
        matches!(legs[place].2, Leg::Destroy { .. })
            && matches!(legs[index].2, Leg::Destroy { .. } | Leg::Make { acts: true })
    };
    let crosses = |(place, index): (usize, usize)| provider(place) != provider(index);
    let ordered = || pairs.iter().copied().filter(|&pair| is_ordered(pair));
    if !ordered().any(crosses) {
        return BTreeSet::new();
    }
    let mut plain = graph.clone();
    let makes = legs.iter().filter(|(_, _, leg)| matches!(leg, Leg::Make { .. }));
    let makes: BTreeMap<&AbsResourceInstance, usize> = makes.map(|(make, address, _)| (address, *make)).collect();
    for (destroy, address, _) in legs.iter().filter(|(_, _, leg)| matches!(leg, Leg::Destroy { .. })) {
        makes.get(address).into_iter().for_each(|&make| plain.edge(make, *destroy));
    }
    for &(place, index) in pairs {
        if let (Leg::Make { acts: true }, Leg::Destroy { .. }) = (legs[place].2, legs[index].2) {
            plain.edge(legs[place].0, legs[index].0);
        }
    }
    for (place, index) in ordered().filter(|&pair| !crosses(pair)) {
        plain.edge(legs[index].0, legs[place].0);
    }
    let mut found = BTreeSet::new();
    for (place, index) in ordered().filter(|&pair| crosses(pair)) {
        let (destroy, waiting) = (legs[place].0, legs[index].0);
        match plain.reach(destroy).contains(&waiting) {
            true => drop(found.insert((place, index))),
            false => plain.edge(waiting, destroy),
        }
    }
    found
}
