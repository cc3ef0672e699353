//! The apply of a plan (workspace-apply.md).

use std::collections::HashSet;

use planfuzz_core::address::{AbsResourceInstance, InstanceKey, Notation};
use planfuzz_core::plans::{Action, AddressedChange, Mode};
use planfuzz_language::config;
use planfuzz_workspace::{Applied, Diagnostic, Order, Plan, Workspace};

use crate::asked::Calls;
use crate::layout::Layout;
use crate::phases::from_language;
use crate::plan_graphs::without_order;
use crate::targets::Selection;
use crate::walk::{AppliedPlan, Purpose, Walk};
use crate::{apply_graph, checks, names};

/// The apply of a plan.
pub fn apply(workspace: &Workspace, plan: &Plan, calls: &mut Calls<'_>) -> Applied {
    let loaded = config::load(&workspace.sources, "");
    let layout = Layout::new(&loaded.configuration, &workspace.sources, &workspace.schemas, workspace.dialect);
    let notation = Notation { engine: workspace.dialect.engine() };
    let targets = Selection::new(&workspace.options, notation);
    let keys = apply_graph::fresh_keys(plan);
    let (graph, forced) = apply_graph::build(&layout, plan, &keys);
    let graph = targets.keep(graph, &layout);
    let mut state = plan.prior.clone();
    state.checks = None;
    let mut order = Order::default();
    let without_order = without_order(&graph, &layout, &plan.prior, names::of_apply);
    if !without_order.is_empty() {
        return Applied {
            state: workspace.state.clone().unwrap_or_default(),
            diagnostics: without_order.into_iter().map(Diagnostic::error).collect(),
            trace: calls.take_trace(order),
        };
    }
    let mut walk = Walk::new(workspace, &layout, Purpose::Apply, graph, state, calls);
    let places = plan.changes.iter().enumerate();
    let places = places.map(|(index, change)| ((change.addr.clone(), change.deposed().cloned()), index)).collect();
    walk.applied = AppliedPlan { plan: Some(plan), places, keys, forced };
    walk.targets = targets.clone();
    walk.results.checks = checks::begun(&plan.checks);
    see_stored(&mut walk, plan, &targets);
    walk.number = order.push(walk.order("apply"));
    let failed = walk.run();
    let mut state = walk.state;
    let mut diagnostics = walk.results.diagnostics;
    // U08: the configuration is loaded again, and its warnings are reported again.
    diagnostics.extend(from_language(&loaded.diagnostics).into_iter().filter(|one| !one.is_error()));
    let is_whole = !failed.contains(&true) && !diagnostics.iter().any(Diagnostic::is_error);
    if is_whole && !fault!(HusksStay) {
        // U104
        state.resources.retain(|_, resource| !resource.instances.is_empty());
    }
    // U68: outputs that targets leave out stay.
    if plan.mode == Mode::Destroy && (targets.is_empty() && !fault!(DestroyKeepsOutputs) || fault!(TargetsDropOutputs))
    {
        state.outputs.clear();
    }
    let checks = if plan.mode == Mode::RefreshOnly || fault!(ChecksForgotten) {
        plan.checks.clone()
    } else {
        walk.results.checks
    };
    state.checks = Some(checks.state_json());
    if !targets.is_empty() && !fault!(IncompleteNotReported) {
        diagnostics.push(Diagnostic::warning("Applied changes may be incomplete"));
    }
    Applied { state, diagnostics, trace: calls.take_trace(order) }
}

/// Sets which stored objects expressions see in an apply.
fn see_stored(walk: &mut Walk<'_, '_, '_>, plan: &Plan, targets: &Selection) {
    let destroys = plan.mode == Mode::Destroy;
    // U41
    let is_deletion = |change: &&AddressedChange| change.deposed().is_none() && change.action() == Action::Delete;
    let deleted = plan.changes.iter().filter(|_| !destroys).filter(is_deletion).map(|change| &change.addr);
    let deleted: HashSet<&AbsResourceInstance> = deleted.collect();
    walk.see_state(&|address| !deleted.contains(address));
    let is_refreshed = plan.mode == Mode::RefreshOnly;
    // Objects that targets leave out are seen, also those no longer declared; so are all where nothing is planned (E59).
    if is_refreshed || !targets.is_empty() && !destroys {
        walk.values.partial = walk.state.resources.keys().cloned().collect();
    }
    if destroys {
        return;
    }
    // U41: instances that have deposed objects alone, and those that come to it.
    walk.see_deposed_alone(&|address, instance| {
        instance.current.is_none() && (is_refreshed || address.key != InstanceKey::None)
    });
    let with_keys = deleted.iter().copied().filter(|address| address.key != InstanceKey::None);
    let has_deposed = |address: &&AbsResourceInstance| {
        plan.prior.instance(address).is_some_and(|instance| !instance.deposed.is_empty())
    };
    walk.see_passing(with_keys.filter(has_deposed));
}
