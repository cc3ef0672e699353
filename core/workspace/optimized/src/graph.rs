//! Graphs of walks: nodes by number, and the nodes that each waits for.
//!
//! Instead of edges from each of n nodes to each of m others, a graph has a joint: the n nodes wait for it, and it waits for the m others,
//! so that they cost n + m edges. A joint makes no calls; reach goes through it.

use hashbrown::{HashMap, HashSet};
use planfuzz_core::address::InstanceKey;

/// A node. Numbers are places in the tables of the model and of the walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Node {
    /// G51
    Block(u32),
    /// G49: an import of the root whose target has no block.
    Import(u32),
    /// G52: an object without a block.
    Orphan(u32),
    /// G53
    Deposed(u32),
    /// G54, by module and place.
    Variable(u32, u32),
    /// G54
    Validation(u32, u32),
    /// G55
    Local(u32, u32),
    /// G56
    Output(u32, u32),
    /// G56: a root output that is no longer configured, or is removed.
    GoneOutput(u32),
    /// G57
    Begin(u32),
    /// G58
    End(u32),
    /// G59
    Provider(u32),
    /// G60
    EphemeralEnd(u32),
    /// G61
    Report(u32, u32),
    /// G61
    Check(u32, u32),
    /// U39: the node that nested data of checks wait for.
    CheckStart,
    /// `U(i)`
    Make(u32),
    /// `D(i)`
    Destroy(u32),
    /// `F(i)`
    Forget(u32),
    /// A joint: stands for the nodes that it waits for.
    Joint(u32),
}

/// A graph.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The nodes that each waits for; a node may be listed twice.
    pub waits: Vec<Vec<u32>>,
    /// Pairs of nodes of which the first is visited after the second without waiting for it.
    pub after: Vec<(u32, u32)>,
    /// References that name single instances of a block: the referring node and the block, with the keys.
    pub keyed: HashMap<(u32, u32), Vec<InstanceKey>>,
    /// References that name blocks as a whole: the referring node and the block.
    pub whole: HashSet<(u32, u32)>,
    ids: HashMap<Node, u32>,
    joints: u32,
}

/// The nodes that a node waits for, in order, and how it names each.
#[derive(Debug, PartialEq, Eq)]
pub struct Edges {
    waits: Vec<u32>,
    keyed: Vec<Option<Vec<InstanceKey>>>,
    whole: Vec<bool>,
}

/// A set of nodes, by number.
#[derive(Clone, Debug)]
pub struct NodeSet(Vec<bool>);

impl NodeSet {
    /// The empty set, for this many nodes.
    pub fn none(count: usize) -> NodeSet {
        NodeSet(vec![false; count])
    }

    /// Whether a node is in the set.
    pub fn has(&self, node: u32) -> bool {
        self.0[node as usize]
    }

    /// Adds a node; returns whether it is new.
    pub fn add(&mut self, node: u32) -> bool {
        !std::mem::replace(&mut self.0[node as usize], true)
    }

    /// Adds a node.
    pub fn put(&mut self, node: u32) {
        self.0[node as usize] = true;
    }

    /// Removes a node; returns whether it was there.
    fn take(&mut self, node: u32) -> bool {
        std::mem::replace(&mut self.0[node as usize], false)
    }

    /// Removes a node.
    pub fn drop(&mut self, node: u32) {
        self.0[node as usize] = false;
    }
}

impl Graph {
    /// The number of a node, made if it is not there.
    pub fn add(&mut self, node: Node) -> u32 {
        if let Some(&id) = self.ids.get(&node) {
            return id;
        }
        let id = self.nodes.len() as u32;
        self.ids.insert(node, id);
        self.nodes.push(node);
        self.waits.push(Vec::new());
        id
    }

    /// A new joint.
    pub fn joint(&mut self) -> u32 {
        self.joints += 1;
        self.add(Node::Joint(self.joints))
    }

    /// The number of a node.
    pub fn id(&self, node: Node) -> Option<u32> {
        self.ids.get(&node).copied()
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Makes one wait for another.
    pub fn edge(&mut self, from: u32, to: u32) {
        if from != to {
            self.waits[from as usize].push(to);
        }
    }

    /// Takes out the edges of a node, with the keys that it names.
    pub fn take_edges(&mut self, from: u32) -> Edges {
        let mut waits = std::mem::take(&mut self.waits[from as usize]);
        waits.sort_unstable();
        waits.dedup();
        let keyed = waits.iter().map(|&to| self.keyed.remove(&(from, to))).collect();
        let whole = waits.iter().map(|&to| self.whole.remove(&(from, to))).collect();
        Edges { waits, keyed, whole }
    }

    /// Puts the edges back.
    pub fn put_edges(&mut self, from: u32, edges: Edges) {
        let Edges { waits, keyed, whole } = edges;
        for ((&to, keys), is_whole) in waits.iter().zip(keyed).zip(whole) {
            if let Some(keys) = keys {
                self.keyed.insert((from, to), keys);
            }
            if is_whole {
                self.whole.insert((from, to));
            }
        }
        self.waits[from as usize] = waits;
    }

    /// Drops duplicate edges.
    pub fn tidy(&mut self) {
        for waits in &mut self.waits {
            waits.sort_unstable();
            waits.dedup();
        }
    }

    /// Adds everything that these nodes wait for, directly or not, to `found`.
    pub fn reach(&self, from: impl IntoIterator<Item = u32>, found: &mut NodeSet) {
        let mut rest: Vec<u32> = from.into_iter().collect();
        while let Some(node) = rest.pop() {
            rest.extend(self.waits[node as usize].iter().copied().filter(|&to| found.add(to)));
        }
    }

    /// Adds everything that these nodes are visited after, directly or not, to `found`.
    pub fn reach_visits(&self, from: impl IntoIterator<Item = u32>, found: &mut NodeSet) {
        if self.after.is_empty() {
            return self.reach(from, found);
        }
        let visits = self.visits();
        let mut rest: Vec<u32> = from.into_iter().collect();
        while let Some(node) = rest.pop() {
            rest.extend(visits[node as usize].iter().copied().filter(|&to| found.add(to)));
        }
    }

    /// The nodes that each is visited after.
    pub fn visits(&self) -> Vec<Vec<u32>> {
        let mut visits = self.waits.clone();
        self.after.iter().for_each(|&(from, to)| visits[from as usize].push(to));
        visits
    }

    /// The nodes that wait for each.
    pub fn users(&self) -> Vec<Vec<u32>> {
        turned(&self.waits)
    }

    /// The graph without the other nodes.
    #[must_use]
    pub fn keep(&self, is_kept: impl Fn(u32) -> bool) -> Graph {
        let mut graph = Graph { joints: self.joints, ..Graph::default() };
        let mut places = vec![u32::MAX; self.len()];
        for id in (0..self.len() as u32).filter(|&id| is_kept(id)) {
            places[id as usize] = graph.add(self.nodes[id as usize]);
        }
        for (from, waits) in self.waits.iter().enumerate().filter(|(from, _)| places[*from] != u32::MAX) {
            let kept = waits.iter().map(|&to| places[to as usize]).filter(|&to| to != u32::MAX);
            graph.waits[places[from] as usize] = kept.collect();
        }
        let after = self.after.iter().map(|&(from, to)| (places[from as usize], places[to as usize]));
        graph.after = after.filter(|&(from, to)| from != u32::MAX && to != u32::MAX).collect();
        graph
    }

    /// All nodes in layers, each after the nodes that it waits for; nodes of cycles, and those that wait for them, are left out.
    pub fn in_order(&self) -> Vec<u32> {
        in_layers(&self.waits)
    }

    /// All nodes in layers, each also after the nodes that it is visited after.
    pub fn in_visits(&self) -> Vec<u32> {
        if self.after.is_empty() { self.in_order() } else { in_layers(&self.visits()) }
    }

    /// The nodes of each cycle. Joints are left out, but pass reach on.
    pub fn cycles(&self) -> Vec<Vec<u32>> {
        let mut found = cycles(&self.waits);
        for members in &mut found {
            members.retain(|&node| !matches!(self.nodes[node as usize], Node::Joint(_)));
            members.sort_unstable();
        }
        found.retain(|members| !members.is_empty());
        found
    }
}

/// The nodes of each cycle: all that reach each other.
pub fn cycles(waits: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let order = in_layers(waits);
    if order.len() == waits.len() {
        return Vec::new();
    }
    let mut open = NodeSet(vec![true; waits.len()]);
    order.into_iter().for_each(|node| open.drop(node));
    let (mut again, users) = (open.clone(), turned(waits));
    // Kosaraju's algorithm: nodes are taken in the reverse order of their ends in a depth-first search; those reached against the edges
    // reach back.
    let mut ends = Vec::new();
    (0..waits.len() as u32).for_each(|node| walk_from(node, waits, &mut open, &mut ends));
    let mut found = Vec::new();
    for &first in ends.iter().rev() {
        let mut members = Vec::new();
        walk_from(first, &users, &mut again, &mut members);
        if members.len() > 1 || waits[first as usize].contains(&first) {
            found.push(members);
        }
    }
    found
}

/// The lists turned round: for each node those that wait for it.
fn turned(lists: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let mut users = vec![Vec::new(); lists.len()];
    for (user, used) in lists.iter().enumerate() {
        used.iter().for_each(|&used| users[used as usize].push(user as u32));
    }
    users
}

/// Collects the open nodes that are reached from a node, in the order in which the search leaves them, and closes them.
fn walk_from(first: u32, lists: &[Vec<u32>], open: &mut NodeSet, ends: &mut Vec<u32>) {
    if !open.take(first) {
        return;
    }
    let mut path = vec![(first, 0)];
    while let Some((node, next)) = path.last_mut() {
        match lists[*node as usize].get(*next) {
            Some(&to) => {
                *next += 1;
                if open.take(to) {
                    path.push((to, 0));
                }
            }
            None => {
                ends.push(*node);
                path.pop();
            }
        }
    }
}

/// All nodes in layers, each after those of its list.
fn in_layers(lists: &[Vec<u32>]) -> Vec<u32> {
    let users = turned(lists);
    let mut open: Vec<u32> = lists.iter().map(|list| list.len() as u32).collect();
    let mut order: Vec<u32> = (0..lists.len() as u32).filter(|&node| open[node as usize] == 0).collect();
    let mut at = 0;
    while at < order.len() {
        for &user in &users[order[at] as usize] {
            open[user as usize] -= 1;
            if open[user as usize] == 0 {
                order.push(user);
            }
        }
        at += 1;
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joints_pass_the_order_on_and_are_no_part_of_a_cycle() {
        let mut graph = Graph::default();
        let [a, b] = [graph.add(Node::Block(0)), graph.add(Node::Block(1))];
        let joint = graph.joint();
        graph.edge(a, joint);
        graph.edge(joint, b);
        assert_eq!(graph.in_order(), [b, joint, a]);
        let mut found = NodeSet::none(3);
        graph.reach([a], &mut found);
        assert!(found.has(b) && !found.has(a));
        graph.edge(b, a);
        assert_eq!(graph.cycles(), [[a, b]]);
        assert_eq!(graph.keep(|id| id != joint).in_order().len(), 2);
    }

    #[test]
    fn each_cycle_is_found_for_itself() {
        let mut graph = Graph::default();
        let nodes: Vec<u32> = (0..6).map(|block| graph.add(Node::Block(block))).collect();
        // 0 and 1 are a cycle, and so are 2, 3 and 4, which wait for them; 5 waits for all, and is in no cycle.
        for (from, to) in [(0, 1), (1, 0), (2, 3), (3, 4), (4, 2), (2, 0), (5, 2)] {
            graph.edge(nodes[from], nodes[to]);
        }
        let mut found = graph.cycles();
        found.sort();
        assert_eq!(found, [vec![0, 1], vec![2, 3, 4]]);
    }
}
