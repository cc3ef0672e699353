//! Determines when the signal of a run came (U70): which nodes were visited before it, and whose call was under way.
//!
//! Problem: an engine visits ready nodes in any order, so the nodes that it visited before a signal are its own choice. Idea: the recorded
//! calls are looked up in the same apply without a signal, made by a planner, where each call belongs to a node. Law: the engine visits one
//! node at a time, so every call before the one that was under way was made by a node that had finished. Calls of the engine's own provider
//! are not recorded: its nodes had finished if another node that had begun waits for them; otherwise the moment is unknown.

use std::collections::{BTreeMap, BTreeSet};

use planfuzz_workspace::order::NodeId;
use planfuzz_workspace::run::{Recorded, key_of};
use planfuzz_workspace::{Interrupt, Options, Order, Providers, Request, Trace, Workspace, WorkspacePlanner, builtin};

/// When the signal came in a run that had one; `None` if several nodes make equal calls and not all of them were made, if a node makes
/// something by calls that are not recorded, or if such a node may have been visited before or after the signal.
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
        // A call that is missing in the apply without a signal is a difference anyway.
        let Some(of) = nodes.get(key) else { continue };
        match count >= of.len() || of.iter().all(|node| *node == of[0]) {
            true => finished.extend(of.iter().cloned()),
            false if is_deed => return None,
            // Another call of the node decides.
            false => {}
        }
    }
    // Its own calls precede that one, too.
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
    /// The nodes that make only calls that are not recorded.
    unseen: BTreeSet<NodeId>,
    order: Order,
}

impl Calm {
    /// Plays the apply; `None` if the engine's own provider makes something.
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

    /// The nodes without recorded calls, all of which must have finished if these nodes have begun; `None` if one need not have.
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
