//! When the signal of a run came (U70): which nodes were visited before it, and whose call was under way.
//!
//! Problem: an engine visits what is ready in any order, so what was visited when a signal came is its own. Idea: the calls that were seen
//! are found in the same apply without a signal, which a planner makes; those name nodes. Law: the engine visits one node at a time, so
//! that whatever was asked before the call that was under way was asked by a node that was over. What the engine's own provider is asked
//! nobody sees: its nodes were over where another one that had begun waits for them, and else it cannot be told.

use std::collections::{BTreeMap, BTreeSet};

use planfuzz_workspace::order::NodeId;
use planfuzz_workspace::run::{Recorded, key_of};
use planfuzz_workspace::{Interrupt, Options, Order, Providers, Request, Trace, Workspace, WorkspacePlanner, builtin};

/// When the signal came in a run that had one; nothing where calls that look alike are of several nodes, of which not all made one, and
/// where a node makes something by calls that are not seen, or may have been visited before the signal or after it.
pub(crate) fn interrupt(
    planner: &dyn WorkspacePlanner,
    recorded: &Recorded,
    providers: &mut dyn Providers,
) -> Option<Interrupt> {
    let calm = Calm::of(planner, recorded, providers)?;
    let nodes = &calm.by_call;
    let seen = &recorded.exchanges[1];
    let last = seen.iter().rev().find(|seen| seen.call == "apply")?;
    let of_last = nodes.get(&last.key)?;
    let mut before: BTreeMap<(&str, bool), usize> = BTreeMap::new();
    for seen in seen.iter().filter(|seen| seen.start < last.start) {
        let is_deed = ["apply", "read_data"].contains(&&*seen.call);
        *before.entry((&seen.key, is_deed)).or_default() += 1;
    }
    let mut finished = BTreeSet::new();
    for ((key, is_deed), count) in before {
        // What is in no apply without a signal is a difference anyway.
        let Some(of) = nodes.get(key) else { continue };
        match count >= of.len() || of.iter().all(|node| *node == of[0]) {
            true => finished.extend(of.iter().cloned()),
            false if is_deed => return None,
            // Another call of the node tells.
            false => {}
        }
    }
    // Its own calls came before that one, too.
    let under_way: BTreeSet<String> = match of_last.iter().all(|node| *node == of_last[0]) {
        true => of_last.iter().cloned().collect(),
        false => of_last.iter().filter(|node| !finished.contains(*node)).cloned().collect(),
    };
    finished.retain(|node| !under_way.contains(node));
    let begun: Vec<&String> = finished.iter().chain(&under_way).collect();
    let unseen: Option<BTreeSet<String>> = calm.unseen_before(&begun);
    finished.extend(unseen?);
    (under_way.len() == 1).then_some(Interrupt { finished, under_way })
}

/// The same apply without a signal.
struct Calm {
    /// The nodes that make each call.
    by_call: BTreeMap<String, Vec<String>>,
    /// The nodes of whose calls nobody sees any.
    unseen: BTreeSet<NodeId>,
    order: Order,
}

impl Calm {
    /// Nothing where the engine's own provider makes something.
    fn of(planner: &dyn WorkspacePlanner, recorded: &Recorded, providers: &mut dyn Providers) -> Option<Calm> {
        let options = Options { interrupt: None, ..recorded.workspace.options.clone() };
        let calm = Workspace { options, ..recorded.workspace.clone() };
        let planned = planner.plan(&calm, providers);
        let trace = match recorded.command.applied_plan(&planned) {
            Some(plan) => planner.apply(&calm, plan, providers).trace,
            None => Trace::default(),
        };
        let (mut by_call, mut unseen, mut seen) = (BTreeMap::<_, Vec<_>>::new(), BTreeSet::new(), BTreeSet::new());
        for made in &trace.calls {
            match (builtin::is_asked(&made.call), &made.call.request) {
                (true, Request::Apply { .. }) => return None,
                (true, _) => unseen.insert(made.node),
                (false, _) => seen.insert(made.node),
            };
            let node = name(&trace.order, made.node).cloned();
            by_call.entry(key_of(&made.call, &calm.schemas, calm.dialect)).or_default().extend(node);
        }
        Some(Calm { by_call, unseen: unseen.difference(&seen).copied().collect(), order: trace.order })
    }

    /// The nodes of whose calls nobody sees any, and that are over where these have begun; nothing where one need not be.
    fn unseen_before(&self, begun: &[&String]) -> Option<BTreeSet<String>> {
        let walks = self.order.walks.iter().enumerate();
        let all = walks
            .flat_map(|(walk, of)| of.nodes.iter().enumerate().map(move |(node, name)| (NodeId { walk, node }, name)));
        let begun: Vec<NodeId> = all.filter(|(_, name)| begun.contains(name)).map(|(node, _)| node).collect();
        let is_over = |&&node: &&NodeId| begun.iter().any(|&then| self.order.precedes(node, then));
        let over: Vec<&NodeId> = self.unseen.iter().filter(is_over).collect();
        (over.len() == self.unseen.len())
            .then(|| over.into_iter().filter_map(|&node| name(&self.order, node).cloned()).collect())
    }
}

fn name(order: &Order, node: NodeId) -> Option<&String> {
    order.walks.get(node.walk)?.nodes.get(node.node)
}
