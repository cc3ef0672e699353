//! The order of calls: a relation that can be queried (G90).
//!
//! A walk is a graph of nodes; a call belongs to a node, and in it to a visit (an instance). A call must finish before another starts,
//! if it was made earlier in the same visit, if its node is reached by that of the other, or if its walk came before. Nothing else is
//! promised: the calls of two visits of one node have no order.

use std::sync::OnceLock;

use planfuzz_core::address::{AbsResourceInstance, ConfigResource, ProviderConfig};
use planfuzz_core::planner::{ApplyWalk, PlanWalk};

use super::call::{Answer, Call, Request};

/// A node of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId {
    /// Which walk.
    pub walk: usize,
    /// Which node of it.
    pub node: usize,
}

/// The name of the node of an import whose target has no block (G49).
pub fn import_node(target: &ConfigResource) -> String {
    format!("{target}{OF_IMPORT}")
}

const OF_IMPORT: &str = " (import)";

/// A call of a trace, by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallId(pub usize);

/// A call that was made.
#[derive(Clone, Debug)]
pub struct Made {
    /// The node that made it.
    pub node: NodeId,
    /// The visit of that node: an address, or empty if the node has only one visit.
    pub visit: String,
    /// The call.
    pub call: Call,
    /// The answer.
    pub answer: Answer,
}

/// A walk as a graph.
#[derive(Clone, Debug, Default)]
pub struct WalkOrder {
    /// The name of the walk.
    pub name: String,
    /// The names of its nodes.
    pub nodes: Vec<String>,
    /// The nodes that each node waits for.
    pub waits_for: Vec<Vec<usize>>,
    /// The nodes of blocks of managed and data resources: visited once for all instances, and named like the block.
    pub blocks: Vec<usize>,
}

/// The order of a command: walks one after the other.
#[derive(Clone, Debug, Default)]
pub struct Order {
    /// The walks.
    pub walks: Vec<WalkOrder>,
    /// The nodes that each node reaches, computed when a node is first queried, so that a large walk does not pay for all of them.
    reached: Vec<Vec<OnceLock<Bits>>>,
}

/// Calls and their order.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// The calls, in an order in which they may have been made.
    pub calls: Vec<Made>,
    /// The order that the calls must keep.
    pub order: Order,
    /// The question to the planner of instances and its answer for each visit; empty if a planner does not record them.
    pub parts: Vec<Part>,
}

/// The part of an instance in a walk.
#[derive(Clone, Debug)]
pub struct Part {
    /// The node that was visited.
    pub node: NodeId,
    /// The instance.
    pub address: AbsResourceInstance,
    /// Its provider configuration.
    pub provider: ProviderConfig,
    /// The question and the answer.
    pub walk: PartWalk,
}

/// The question to the planner of an instance and its answer.
#[derive(Clone, Debug)]
pub enum PartWalk {
    /// In a plan.
    Plan(Box<PlanWalk>),
    /// In an apply.
    Apply(Box<ApplyWalk>),
}

/// A set of small numbers.
#[derive(Clone, Debug, Default)]
struct Bits(Vec<u64>);

impl Bits {
    fn of(count: usize) -> Bits {
        Bits(vec![0; count.div_ceil(64)])
    }

    fn insert(&mut self, bit: usize) {
        if let Some(word) = self.0.get_mut(bit / 64) {
            *word |= 1 << (bit % 64);
        }
    }

    fn has(&self, bit: usize) -> bool {
        self.0.get(bit / 64).is_some_and(|word| word & (1 << (bit % 64)) != 0)
    }
}

impl WalkOrder {
    /// A walk of one node, which has its name.
    pub fn of_one(name: &str) -> WalkOrder {
        WalkOrder {
            name: name.to_owned(),
            nodes: vec![name.to_owned()],
            waits_for: vec![Vec::new()],
            blocks: Vec::new(),
        }
    }

    /// Everything that a node waits for, directly or not.
    fn reach(&self, from: usize) -> Bits {
        let mut found = Bits::of(self.nodes.len());
        let mut rest = vec![from];
        while let Some(node) = rest.pop() {
            for &to in self.waits_for.get(node).into_iter().flatten() {
                if !found.has(to) {
                    found.insert(to);
                    rest.push(to);
                }
            }
        }
        found
    }
}

impl Order {
    /// Adds a walk, which has no cycles, after all others.
    pub fn push(&mut self, walk: WalkOrder) -> usize {
        let count = walk.nodes.len();
        self.reached.push((0..count).map(|_| OnceLock::new()).collect());
        self.walks.push(walk);
        self.walks.len() - 1
    }

    /// Whether the one node must be done before the other may begin.
    pub fn precedes(&self, first: NodeId, then: NodeId) -> bool {
        match first.walk == then.walk {
            true => {
                let (walk, known) = (self.walks.get(then.walk), self.reached.get(then.walk));
                let (Some(walk), Some(known)) = (walk, known.and_then(|walk| walk.get(then.node))) else {
                    return false;
                };
                known.get_or_init(|| walk.reach(then.node)).has(first.node)
            }
            false => first.walk < then.walk,
        }
    }
}

/// A topological order: each node after all nodes that it waits for. Nodes of a cycle, and those that wait for one, are left out.
pub fn in_order(waits_for: &[Vec<usize>]) -> Vec<usize> {
    let mut open: Vec<usize> = waits_for.iter().map(Vec::len).collect();
    let mut users = vec![Vec::new(); waits_for.len()];
    for (user, used) in waits_for.iter().enumerate() {
        used.iter().for_each(|&used| users[used].push(user));
    }
    let mut ready: std::collections::BTreeSet<usize> = (0..open.len()).filter(|&node| open[node] == 0).collect();
    let mut order = Vec::with_capacity(open.len());
    while let Some(node) = ready.pop_first() {
        order.push(node);
        for &user in &users[node] {
            open[user] -= 1;
            if open[user] == 0 {
                ready.insert(user);
            }
        }
    }
    order
}

impl Trace {
    /// Whether a call must finish before another may start.
    pub fn must_precede(&self, first: CallId, then: CallId) -> bool {
        let (a, b) = (&self.calls[first.0], &self.calls[then.0]);
        match a.node == b.node {
            true => a.visit == b.visit && first < then,
            false => self.order.precedes(a.node, b.node),
        }
    }

    /// Whether the node of an import whose target has no block made a call: it asks about a stored object (G49).
    pub fn asks_for_imports_of_nothing(&self) -> bool {
        self.calls.iter().any(|made| self.node_name(made).ends_with(OF_IMPORT))
    }

    /// Whether a provider is asked to take over an object of another type or provider (G31).
    pub fn asks_to_take_over(&self) -> bool {
        self.calls.iter().any(|made| matches!(made.call.request, Request::Move { .. }))
    }

    fn node_name(&self, made: &Made) -> &str {
        let walk = self.order.walks.get(made.node.walk);
        walk.and_then(|walk| walk.nodes.get(made.node.node)).map_or("", String::as_str)
    }

    /// What a call is about, in a line.
    pub fn describe(&self, call: CallId) -> String {
        let made = &self.calls[call.0];
        let (walk, node) = (self.order.walks.get(made.node.walk), self.node_name(made));
        let visit =
            if made.visit.is_empty() || made.visit == node { String::new() } else { format!(" {}", made.visit) };
        format!("{} of {node}{visit} ({})", made.call.request.name(), walk.map_or("", |walk| &walk.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn g90_reachability_is_the_order() {
        let mut order = Order::default();
        let names = ["a", "b", "c"].map(str::to_owned).to_vec();
        order.push(WalkOrder {
            name: "P".into(),
            nodes: names,
            waits_for: vec![vec![], vec![0], vec![1]],
            blocks: vec![],
        });
        let node = |node| NodeId { walk: 0, node };
        assert!(order.precedes(node(0), node(2)));
        assert!(!order.precedes(node(2), node(0)) && !order.precedes(node(1), node(1)));
        assert!(order.precedes(node(2), NodeId { walk: 1, node: 0 }), "walks follow each other");
    }

    #[test]
    fn nodes_of_a_cycle_are_left_out() {
        assert_eq!(in_order(&[vec![1], vec![0], vec![]]), [2]);
    }
}
