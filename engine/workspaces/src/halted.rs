//! When the signal of a run came (U70): which nodes were visited before it, and whose call was under way.
//!
//! Problem: an engine visits what is ready in any order, so what was visited when a signal came is its own. Idea: the calls that were seen
//! are found in the same apply without a signal, which a planner makes; those name nodes. Law: the engine visits one node at a time, so
//! that whatever was asked before the call that was under way was asked by a node that was over. What the engine's own provider is asked
//! nobody sees, so that of its nodes it cannot be told.

use std::collections::{BTreeMap, BTreeSet};

use planfuzz_workspace::run::{Recorded, key_of};
use planfuzz_workspace::{Interrupt, Options, Providers, Request, Workspace, WorkspacePlanner, builtin};

/// When the signal came in a run that had one; nothing where calls that look alike are of several nodes, of which not all made one, and
/// where a node makes something by calls that are not seen.
pub(crate) fn interrupt(
    planner: &dyn WorkspacePlanner,
    recorded: &Recorded,
    providers: &mut dyn Providers,
) -> Option<Interrupt> {
    let nodes = nodes(planner, recorded, providers)?;
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
    (under_way.len() == 1).then_some(Interrupt { finished, under_way })
}

/// The nodes that make each call in the same apply without a signal; nothing where the engine's own provider makes something.
fn nodes(
    planner: &dyn WorkspacePlanner,
    recorded: &Recorded,
    providers: &mut dyn Providers,
) -> Option<BTreeMap<String, Vec<String>>> {
    let options = Options { interrupt: None, ..recorded.workspace.options.clone() };
    let calm = Workspace { options, ..recorded.workspace.clone() };
    let planned = planner.plan(&calm, providers);
    let mut nodes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    if let Some(plan) = recorded.command.applied_plan(&planned) {
        let trace = planner.apply(&calm, plan, providers).trace;
        for made in &trace.calls {
            if builtin::is_asked(&made.call) && matches!(made.call.request, Request::Apply { .. }) {
                return None;
            }
            let node = trace.order.walks.get(made.node.walk).and_then(|walk| walk.nodes.get(made.node.node));
            nodes.entry(key_of(&made.call, &calm.schemas, calm.dialect)).or_default().extend(node.cloned());
        }
    }
    Some(nodes)
}
