//! The apply of a plan (workspace-apply.md).

use planfuzz_core::address::{InstanceKey, Notation};
use planfuzz_core::plans::{Action, Mode};
use planfuzz_language::config;
use planfuzz_workspace::{Applied, Diagnostic, Order, Plan, Trace, Workspace};

use crate::command::{from_language, know};
use crate::judged::begun;
use crate::model::Model;
use crate::records::Results;
use crate::targets::Selection;
use crate::walk::{Calls, Purpose, Walk};
use crate::{apply_graph, names, wiring};

/// The apply of a plan.
pub fn apply(workspace: &Workspace, plan: &Plan, mut calls: Calls<'_>) -> Applied {
    let loaded = config::load(&workspace.sources, "");
    let mut model = Model::new(&loaded.configuration, &workspace.sources, &workspace.schemas, workspace.dialect);
    know(&mut model, &plan.prior);
    for change in &plan.changes {
        model.provider(&change.provider);
        let resource = &change.addr.resource;
        model.typed(&change.provider.source.to_string(), resource.mode, &resource.type_name);
    }
    let model = &model;
    let targets = Selection::new(&workspace.options, Notation { engine: workspace.dialect.engine() });
    let keys = apply_graph::fresh_keys(plan);
    let (wired, forced) = apply_graph::build(model, plan, &keys);
    let wired = targets.keep(wired, model);
    let without_order = wiring::without_order(&wired, model, &plan.prior, names::of_apply);
    if !without_order.is_empty() {
        // U04: no call is made, and nothing written.
        let state = workspace.state.clone().unwrap_or_default();
        return Applied {
            state,
            diagnostics: without_order.into_iter().map(Diagnostic::error).collect(),
            trace: Trace::default(),
        };
    }
    let destroys = plan.mode == Mode::Destroy;
    let mut state = plan.prior.clone();
    state.checks = None;
    let mut order = Order::default();
    let mut walk = Walk::new(workspace, model, Purpose::Apply, wired, state, &mut calls);
    walk.plan = Some(plan);
    walk.deposed.fresh = keys;
    walk.forced_instances = forced;
    walk.targets = targets;
    walk.results.checks = begun(&plan.checks);
    // U41
    if !destroys {
        let deleted = plan.changes.iter().filter(|one| one.deposed().is_none() && one.action() == Action::Delete);
        walk.objects.unseen = deleted.map(|change| change.addr.clone()).collect();
        walk.see_deposed_alone(|key| plan.mode == Mode::RefreshOnly || *key != InstanceKey::None);
        walk.see_passing_current();
    }
    walk.here.walk = order.push(walk.order("apply"));
    let ran = walk.run();
    let Walk { mut state, results: Results { mut diagnostics, checks, .. }, targets, .. } = walk;
    // U08: the configuration is loaded again, and its warnings are reported again.
    diagnostics.extend(from_language(&loaded.diagnostics).into_iter().filter(|one| !one.is_error()));
    // U104
    if ran && !diagnostics.iter().any(Diagnostic::is_error) && !fault!(HusksStay) {
        state.resources.retain(|_, resource| !resource.instances.is_empty());
    }
    // U68: outputs that targets leave out stay.
    if destroys && targets.is_empty() {
        state.outputs.clear();
    }
    let checks = if plan.mode == Mode::RefreshOnly { &plan.checks } else { &checks };
    state.checks = Some(checks.state_json());
    if !targets.is_empty() {
        diagnostics.push(Diagnostic::warning("Applied changes may be incomplete"));
    }
    Applied { state, diagnostics, trace: calls.into_trace(order) }
}
