//! Features of whole workspaces: what stands in their files, what their steps do, and the outcomes. Their rows are counted in
//! shares of workspaces, by the group of rules that they reach (E: the language, G: the plan, U: the apply).
//!
//! A row is found in the case and in what the reference does with it, not in what the generator meant to make.

use std::collections::{BTreeSet, HashSet};
use std::sync::LazyLock;

use planfuzz_core::address::ResourceMode;
use planfuzz_core::json::Json;
use planfuzz_core::plans::{ActionReason, Mode};
use planfuzz_core::state::Status as ObjectStatus;
use planfuzz_workspace::{Applied, Made, Meanwhile, Options, Plan, Planned, Request, Status};
use planfuzz_workspace_cases::{Case, Command, Played, PlayedStep, Step};

use super::{workspace_diagnostics, workspace_moves};

/// The rows, each with the least share of workspaces that must have it: about half of what was measured of the mixed preset;
/// 0 where none of 2,000 workspaces had it.
pub(super) const ROWS: &[(&str, f64)] = &[
    // E: sections 2 to 14 of workspace-language.md.
    ("workspace.E.block.resource", 0.5),
    ("workspace.E.block.data", 0.2),
    ("workspace.E.block.ephemeral", 0.07),
    ("workspace.E.block.module", 0.2),
    ("workspace.E.block.locals", 0.4),
    ("workspace.E.block.variable", 0.3),
    ("workspace.E.block.output", 0.4),
    ("workspace.E.block.provider", 0.09),
    ("workspace.E.block.check", 0.04),
    ("workspace.E.reference.resource", 0.3),
    ("workspace.E.reference.data", 0.1),
    ("workspace.E.reference.variable", 0.2),
    ("workspace.E.reference.local", 0.3),
    ("workspace.E.reference.module", 0.09),
    ("workspace.E.reference.splat", 0.1),
    ("workspace.E.expression.function", 0.3),
    ("workspace.E.expression.conditional", 0.1),
    ("workspace.E.expansion.count", 0.3),
    ("workspace.E.expansion.for_each", 0.3),
    ("workspace.E.expansion.module", 0.1),
    ("workspace.E.expansion.nothing", 0.09),
    ("workspace.E.depth.2", 0.2),
    ("workspace.E.variable.validation", 0.03),
    ("workspace.E.variable.sensitive", 0.03),
    ("workspace.E.output.sensitive", 0.08),
    ("workspace.E.depends_on", 0.2),
    ("workspace.E.condition.precondition", 0.1),
    ("workspace.E.condition.postcondition", 0.1),
    ("workspace.E.condition.fails", 0.02),
    ("workspace.E.value.unknown", 0.2),
    ("workspace.E.value.sensitive", 0.2),
    ("workspace.E.value.write_only", 0.1),
    ("workspace.E.reference.ephemeral", 0.01),
    ("workspace.E.variable.given", 0.01),
    ("workspace.E.provider.alias", 0.09),
    ("workspace.E.provider.passed", 0.02),
    ("workspace.E.diagnostic.ephemeral_misused", 0.0005),
    ("workspace.E.diagnostic.variable_invalid", 0.0),
    ("workspace.E.diagnostic.output_sensitive", 0.0),
    ("workspace.E.diagnostic.index_invalid", 0.006),
    ("workspace.E.diagnostic.precondition", 0.01),
    ("workspace.E.diagnostic.postcondition", 0.01),
    ("workspace.E.diagnostic.output_precondition", 0.0),
    ("workspace.E.diagnostic.check_failed", 0.01),
    ("workspace.E.diagnostic.check_unknown", 0.01),
    // G: sections 2 to 13 of workspace-plan.md.
    ("workspace.G.move.moved", 0.08),
    ("workspace.G.move.moves_something", 0.02),
    ("workspace.G.removed.destroy", 0.006),
    ("workspace.G.removed.forget", 0.02),
    ("workspace.G.import", 0.02),
    ("workspace.G.order.chain_of_3", 0.06),
    ("workspace.G.data.read_in_plan", 0.09),
    ("workspace.G.data.deferred", 0.04),
    ("workspace.G.option.destroy", 0.04),
    ("workspace.G.option.refresh_only", 0.02),
    ("workspace.G.option.no_refresh", 0.03),
    ("workspace.G.option.target", 0.04),
    ("workspace.G.option.exclude", 0.007),
    ("workspace.G.option.replace", 0.02),
    ("workspace.G.failure.plan_errored", 0.2),
    ("workspace.G.lifecycle.create_before_destroy", 0.3),
    ("workspace.G.lifecycle.prevent_destroy", 0.05),
    ("workspace.G.lifecycle.ignore_changes", 0.1),
    ("workspace.G.lifecycle.replace_triggered_by", 0.1),
    ("workspace.G.action.no-op", 0.1),
    ("workspace.G.action.create", 0.2),
    ("workspace.G.action.update", 0.04),
    ("workspace.G.action.delete", 0.04),
    ("workspace.G.action.delete_create", 0.03),
    ("workspace.G.action.create_delete", 0.01),
    ("workspace.G.action.forget", 0.004),
    ("workspace.G.plan.drift", 0.04),
    ("workspace.G.plan.output_change", 0.2),
    ("workspace.G.plan.check", 0.1),
    ("workspace.G.plan.incomplete", 0.09),
    ("workspace.G.plan.warning", 0.07),
    ("workspace.G.phase.refresh_before_destroy", 0.02),
    ("workspace.G.phase.nothing_walked", 0.04),
    ("workspace.G.option.targeted_destroy", 0.009),
    ("workspace.G.removed.module", 0.005),
    ("workspace.G.import.imports", 0.002),
    ("workspace.G.move.chain", 0.002),
    ("workspace.G.move.implied", 0.003),
    ("workspace.G.move.of_module", 0.02),
    ("workspace.G.move.into_module", 0.02),
    ("workspace.G.move.out_of_module", 0.007),
    ("workspace.G.move.between_keys", 0.03),
    ("workspace.G.move.split", 0.01),
    ("workspace.G.move.merge", 0.002),
    ("workspace.G.move.takes_a_name", 0.006),
    ("workspace.G.failure.in_plan", 0.01),
    ("workspace.G.plan.deposed", 0.0002),
    ("workspace.G.reason.tainted", 0.01),
    ("workspace.G.reason.request", 0.008),
    ("workspace.G.reason.cannot_update", 0.03),
    ("workspace.G.reason.triggers", 0.03),
    ("workspace.G.reason.no_resource_config", 0.03),
    ("workspace.G.reason.wrong_repetition", 0.01),
    ("workspace.G.reason.count_index", 0.001),
    ("workspace.G.reason.each_key", 0.0005),
    ("workspace.G.reason.no_module", 0.0),
    ("workspace.G.reason.no_move_target", 0.001),
    ("workspace.G.reason.config_unknown", 0.03),
    ("workspace.G.reason.dependency_pending", 0.03),
    ("workspace.G.diagnostic.targeting", 0.04),
    ("workspace.G.diagnostic.move_excluded", 0.004),
    ("workspace.G.diagnostic.move_still_exists", 0.0),
    ("workspace.G.diagnostic.move_ambiguous", 0.0002),
    ("workspace.G.diagnostic.move_cycle", 0.0),
    ("workspace.G.diagnostic.move_blocked", 0.001),
    ("workspace.G.diagnostic.removed_still_exists", 0.0),
    ("workspace.G.diagnostic.forgotten", 0.004),
    ("workspace.G.diagnostic.import_without_block", 0.002),
    ("workspace.G.diagnostic.provider_gone", 0.0),
    ("workspace.G.diagnostic.replace_incomplete", 0.0),
    ("workspace.G.diagnostic.destroy_prevented", 0.002),
    ("workspace.G.diagnostic.cycle", 0.0),
    // U: sections 2 to 11 of workspace-apply.md.
    ("workspace.U.apply.whole", 0.2),
    ("workspace.U.apply.failed", 0.03),
    ("workspace.U.apply.nothing_to_do", 0.1),
    ("workspace.U.order.chain_of_3", 0.05),
    ("workspace.U.order.side_by_side", 0.1),
    ("workspace.U.call.create", 0.2),
    ("workspace.U.call.update", 0.03),
    ("workspace.U.call.delete", 0.06),
    ("workspace.U.call.read_data", 0.03),
    ("workspace.U.failure.apply", 0.009),
    ("workspace.U.failure.delete", 0.0005),
    ("workspace.U.failure.lost", 0.003),
    ("workspace.U.failure.object_kept", 0.004),
    ("workspace.U.state.tainted", 0.003),
    ("workspace.U.state.deposed", 0.0002),
    ("workspace.U.state.dependencies", 0.1),
    ("workspace.U.state.create_before_destroy", 0.1),
    ("workspace.U.state.outputs", 0.2),
    ("workspace.U.state.checks", 0.3),
    ("workspace.U.state.emptied", 0.02),
    ("workspace.U.history.edit", 0.2),
    ("workspace.U.history.drift", 0.09),
    ("workspace.U.history.gone", 0.05),
    ("workspace.U.history.taint", 0.02),
    ("workspace.U.history.steps_3", 0.2),
    ("workspace.U.command.plan", 0.07),
    ("workspace.U.command.refresh", 0.02),
    ("workspace.U.command.import", 0.03),
    ("workspace.U.command.apply_saved", 0.03),
    ("workspace.U.refresh.writes", 0.01),
    ("workspace.U.import.writes", 0.01),
    ("workspace.U.saved.applied", 0.01),
    ("workspace.U.saved.refused", 0.02),
    ("workspace.U.saved.written_meanwhile", 0.004),
    ("workspace.U.saved.foreign", 0.005),
    ("workspace.U.saved.variables", 0.0005),
    ("workspace.U.option.parallelism", 0.04),
    ("workspace.U.option.signal", 0.03),
    ("workspace.U.history.provider_switched", 0.002),
    ("workspace.U.diagnostic.incomplete", 0.01),
    ("workspace.U.diagnostic.plan_stale", 0.006),
    ("workspace.U.diagnostic.plan_foreign", 0.002),
    ("workspace.U.diagnostic.plan_incomplete", 0.01),
    ("workspace.U.diagnostic.variable_changed", 0.0),
    ("workspace.U.diagnostic.variable_undeclared", 0.0),
    ("workspace.U.diagnostic.inconsistent", 0.0),
    ("workspace.U.diagnostic.no_answer", 0.01),
    ("workspace.U.diagnostic.halted", 0.01),
    ("workspace.U.diagnostic.already_managed", 0.009),
    ("workspace.U.diagnostic.refresh_of_nothing", 0.01),
];

/// The rows by name.
static PLACES: LazyLock<HashSet<&'static str>> = LazyLock::new(|| ROWS.iter().map(|(row, _)| *row).collect());

pub(super) type Rows = BTreeSet<&'static str>;

/// The rows of a case.
pub(super) fn rows_of(case: &Case) -> Rows {
    let mut rows = Rows::new();
    for file in case.files.values() {
        of_file(file, &mut rows);
    }
    let depth = |path: &String| path.matches('/').count();
    mark(&mut rows, case.files.keys().any(|path| depth(path) > 1) || calls_in_modules(case), "workspace.E.depth.2");
    workspace_moves::of_case(case, &mut rows);
    for step in &case.steps {
        of_step(step, &mut rows);
        step.edits.values().flatten().for_each(|file| of_file(file, &mut rows));
    }
    mark(&mut rows, case.steps.len() > 2, "workspace.U.history.steps_3");
    rows
}

fn calls_in_modules(case: &Case) -> bool {
    let files = case.files.iter().filter(|(path, _)| path.contains('/'));
    files.into_iter().any(|(_, file)| file.member("module").is_some())
}

pub(super) fn mark(rows: &mut Rows, is_there: bool, row: &'static str) {
    if !PLACES.contains(row) {
        super::no_row(&row);
    }
    if is_there {
        rows.insert(row);
    }
}

fn of_file(file: &Json, rows: &mut Rows) {
    let has = |name: &str| file.member(name).is_some();
    for (name, row) in [
        ("resource", "workspace.E.block.resource"),
        ("data", "workspace.E.block.data"),
        ("ephemeral", "workspace.E.block.ephemeral"),
        ("module", "workspace.E.block.module"),
        ("locals", "workspace.E.block.locals"),
        ("variable", "workspace.E.block.variable"),
        ("output", "workspace.E.block.output"),
        ("provider", "workspace.E.block.provider"),
        ("check", "workspace.E.block.check"),
        ("moved", "workspace.G.move.moved"),
        ("import", "workspace.G.import"),
    ] {
        mark(rows, has(name), row);
    }
    let text = file.to_compact();
    for (part, row) in [
        ("${w_", "workspace.E.reference.resource"),
        ("data.", "workspace.E.reference.data"),
        ("${var.", "workspace.E.reference.variable"),
        ("${local.", "workspace.E.reference.local"),
        ("${module.", "workspace.E.reference.module"),
        ("[*]", "workspace.E.reference.splat"),
        (" ? ", "workspace.E.expression.conditional"),
        ("\"depends_on\":", "workspace.E.depends_on"),
        ("\"validation\":", "workspace.E.variable.validation"),
        ("\"precondition\":", "workspace.E.condition.precondition"),
        ("\"postcondition\":", "workspace.E.condition.postcondition"),
        ("\"create_before_destroy\":true", "workspace.G.lifecycle.create_before_destroy"),
        ("\"prevent_destroy\":true", "workspace.G.lifecycle.prevent_destroy"),
        ("\"ignore_changes\":", "workspace.G.lifecycle.ignore_changes"),
        ("\"replace_triggered_by\":", "workspace.G.lifecycle.replace_triggered_by"),
        ("${ephemeral.", "workspace.E.reference.ephemeral"),
        ("\"wo\":", "workspace.E.value.write_only"),
        ("\"alias\":", "workspace.E.provider.alias"),
        ("\"providers\":", "workspace.E.provider.passed"),
    ] {
        mark(rows, text.contains(part), row);
    }
    let is_called = |part: &str| part.ends_with(|char: char| char.is_ascii_lowercase());
    let functions = text.split('(').rev().skip(1).any(is_called);
    mark(rows, functions, "workspace.E.expression.function");
    of_repetitions(file, rows);
    let flagged = |name: &str| blocks(file, name).any(|block| block.member("sensitive") == Some(&Json::Bool(true)));
    mark(rows, flagged("variable"), "workspace.E.variable.sensitive");
    mark(rows, flagged("output"), "workspace.E.output.sensitive");
    for removed in file.items_of("removed") {
        let lifecycle = removed.member("lifecycle");
        let forgets = lifecycle.and_then(|of| of.member("destroy")) == Some(&Json::Bool(false));
        let from = removed.member("from").and_then(|from| from.expect_string().ok()).unwrap_or_default();
        mark(rows, workspace_moves::End::of(from).is_module, "workspace.G.removed.module");
        mark(rows, forgets, "workspace.G.removed.forget");
        mark(rows, !forgets, "workspace.G.removed.destroy");
    }
}

/// The blocks below a word with one label.
fn blocks<'j>(file: &'j Json, word: &str) -> impl Iterator<Item = &'j Json> + use<'j> {
    let members = file.member(word).map_or(&[][..], |of| of.expect_object().unwrap_or_default());
    members.iter().map(|(_, block)| match block {
        Json::Array(list) => list.first().unwrap_or(&Json::Null),
        block => block,
    })
}

fn of_repetitions(file: &Json, rows: &mut Rows) {
    for block in ["resource", "data", "ephemeral"].into_iter().flat_map(|word| blocks(file, word)) {
        for (_, block) in block.expect_object().unwrap_or_default() {
            mark(rows, block.member("count").is_some(), "workspace.E.expansion.count");
            mark(rows, block.member("for_each").is_some(), "workspace.E.expansion.for_each");
            let is_none = block.member("count").is_some_and(|count| *count == Json::int(0u8));
            mark(rows, is_none, "workspace.E.expansion.nothing");
        }
    }
    let repeats = |call: &Json| call.member("count").is_some() || call.member("for_each").is_some();
    mark(rows, blocks(file, "module").any(repeats), "workspace.E.expansion.module");
}

fn of_step(step: &Step, rows: &mut Rows) {
    let options = &step.options;
    mark(rows, options.mode == Mode::Destroy, "workspace.G.option.destroy");
    mark(rows, options.mode == Mode::RefreshOnly, "workspace.G.option.refresh_only");
    mark(rows, !options.refresh, "workspace.G.option.no_refresh");
    mark(rows, !options.targets.is_empty(), "workspace.G.option.target");
    mark(rows, !options.excludes.is_empty(), "workspace.G.option.exclude");
    let destroys_targets = options.mode == Mode::Destroy && !options.targets.is_empty();
    mark(rows, destroys_targets, "workspace.G.option.targeted_destroy");
    mark(rows, !options.replace.is_empty(), "workspace.G.option.replace");
    mark(rows, !options.variables.is_empty(), "workspace.E.variable.given");
    mark(rows, options.parallelism != Options::default().parallelism, "workspace.U.option.parallelism");
    mark(rows, options.interrupt.is_some(), "workspace.U.option.signal");
    of_command(&step.command, rows);
    mark(rows, !step.edits.is_empty(), "workspace.U.history.edit");
    mark(rows, !step.taint.is_empty(), "workspace.U.history.taint");
    mark(rows, step.events.outside.iter().any(|one| one.set.is_some()), "workspace.U.history.drift");
    mark(rows, step.events.outside.iter().any(|one| one.set.is_none()), "workspace.U.history.gone");
}

fn of_command(command: &Command, rows: &mut Rows) {
    match command {
        Command::Apply => {}
        Command::Plan => mark(rows, true, "workspace.U.command.plan"),
        Command::Refresh => mark(rows, true, "workspace.U.command.refresh"),
        Command::Import(_) => mark(rows, true, "workspace.U.command.import"),
        Command::ApplySaved(saved) => {
            mark(rows, true, "workspace.U.command.apply_saved");
            mark(rows, saved.state == Meanwhile::Written, "workspace.U.saved.written_meanwhile");
            mark(rows, saved.state == Meanwhile::Foreign, "workspace.U.saved.foreign");
            mark(rows, !saved.variables.is_empty(), "workspace.U.saved.variables");
        }
    }
}

/// The rows of a case's outcome.
pub(super) fn rows_of_played(played: &Played) -> Rows {
    let mut rows = Rows::new();
    for step in &played.steps {
        of_planned(&step.planned, &mut rows);
        workspace_diagnostics::of_step(step, &mut rows);
        workspace_moves::of_played(step, &mut rows);
        of_written(step, &mut rows);
        let nothing = step.command == Command::Apply && step.applied.is_none() && !step.planned.is_errored();
        mark(&mut rows, nothing, "workspace.U.apply.nothing_to_do");
        if let Some(applied) = &step.applied {
            of_applied(step, applied, &mut rows);
        }
    }
    rows
}

/// The rows of commands other than a plan with its apply.
fn of_written(step: &PlayedStep, rows: &mut Rows) {
    match &step.command {
        Command::Refresh => mark(rows, step.written.is_some(), "workspace.U.refresh.writes"),
        Command::Import(_) => mark(rows, step.written.is_some(), "workspace.U.import.writes"),
        Command::ApplySaved(_) => {
            mark(rows, step.applied.is_some(), "workspace.U.saved.applied");
            mark(rows, !step.refused.is_empty(), "workspace.U.saved.refused");
        }
        Command::Plan | Command::Apply => {}
    }
    mark(rows, switches_provider(step), "workspace.U.history.provider_switched");
}

/// Whether a resource is stored with another provider configuration than before.
fn switches_provider(step: &PlayedStep) -> bool {
    let (Some(before), Some(after)) = (&step.workspace.state, step.after()) else { return false };
    let provider = |address| before.resources.get(address).map(|stored| &stored.provider);
    after.resources.iter().any(|(address, stored)| provider(address).is_some_and(|old| *old != stored.provider))
}

fn of_planned(planned: &Planned, rows: &mut Rows) {
    mark(rows, planned.is_errored(), "workspace.G.failure.plan_errored");
    let warns = planned.diagnostics.iter().any(|diagnostic| !diagnostic.is_error());
    mark(rows, warns, "workspace.G.plan.warning");
    mark(rows, has_chain(&planned.trace), "workspace.G.order.chain_of_3");
    let walks = |name: &str| planned.trace.order.walks.iter().any(|walk| walk.name == name);
    mark(rows, walks("refresh before destroy"), "workspace.G.phase.refresh_before_destroy");
    let is_short = planned.is_errored() && planned.trace.order.walks.iter().all(|walk| walk.name == "validate");
    mark(rows, is_short, "workspace.G.phase.nothing_walked");
    let is_made = |made: &Made| matches!(made.call.request, Request::Plan { .. } | Request::Read { .. });
    let fails = planned.trace.calls.iter().any(|made| is_made(made) && is_failed(made));
    mark(rows, fails, "workspace.G.failure.in_plan");
    let reads = planned.trace.calls.iter().any(|made| matches!(made.call.request, Request::ReadData { .. }));
    mark(rows, reads, "workspace.G.data.read_in_plan");
    if let Some(plan) = &planned.plan {
        of_plan(plan, rows);
    }
}

fn of_plan(plan: &Plan, rows: &mut Rows) {
    use planfuzz_core::plans::Action;
    for change in &plan.changes {
        if let Some(row) = reason_row(change.planned.reason) {
            mark(rows, true, row);
        }
        if change.addr.resource.mode == ResourceMode::Data {
            mark(rows, true, "workspace.G.data.deferred");
            continue;
        }
        match change.action() {
            Action::NoOp => mark(rows, true, "workspace.G.action.no-op"),
            Action::Create => mark(rows, true, "workspace.G.action.create"),
            Action::Update => mark(rows, true, "workspace.G.action.update"),
            Action::Delete => mark(rows, true, "workspace.G.action.delete"),
            Action::DeleteThenCreate => mark(rows, true, "workspace.G.action.delete_create"),
            Action::CreateThenDelete => mark(rows, true, "workspace.G.action.create_delete"),
            Action::Forget => mark(rows, true, "workspace.G.action.forget"),
            _ => {}
        }
        mark(rows, change.planned.moved_from.is_some(), "workspace.G.move.moves_something");
        mark(rows, change.planned.change.importing.is_some(), "workspace.G.import.imports");
        mark(rows, change.planned.deposed.is_some(), "workspace.G.plan.deposed");
        mark(rows, !change.planned.change.after.value().is_wholly_known(), "workspace.E.value.unknown");
        mark(rows, !change.planned.change.after.sensitive().is_empty(), "workspace.E.value.sensitive");
    }
    mark(rows, !plan.drift.is_empty(), "workspace.G.plan.drift");
    mark(rows, !plan.outputs.is_empty(), "workspace.G.plan.output_change");
    mark(rows, !plan.checks.0.is_empty(), "workspace.G.plan.check");
    mark(rows, !plan.complete, "workspace.G.plan.incomplete");
    let fails = plan.checks.0.values().any(|entry| entry.status() == Status::Fail);
    mark(rows, fails, "workspace.E.condition.fails");
}

fn of_applied(step: &PlayedStep, applied: &Applied, rows: &mut Rows) {
    mark(rows, applied.exit() == 0, "workspace.U.apply.whole");
    mark(rows, applied.exit() != 0, "workspace.U.apply.failed");
    mark(rows, has_chain(&applied.trace), "workspace.U.order.chain_of_3");
    mark(rows, has_unordered(&applied.trace), "workspace.U.order.side_by_side");
    for made in &applied.trace.calls {
        let is_failed = is_failed(made);
        match &made.call.request {
            Request::ReadData { .. } => mark(rows, true, "workspace.U.call.read_data"),
            Request::Apply { planned, .. } if planned.is_null() => {
                mark(rows, true, "workspace.U.call.delete");
                mark(rows, is_failed, "workspace.U.failure.delete");
            }
            Request::Apply { prior, .. } => {
                let row = if prior.is_null() { "workspace.U.call.create" } else { "workspace.U.call.update" };
                mark(rows, true, row);
                mark(rows, is_failed, "workspace.U.failure.apply");
                let keeps = matches!(&made.answer.outcome,
                    Some(planfuzz_workspace::Outcome::Object { value, .. }) if !value.is_null());
                mark(rows, is_failed && keeps, "workspace.U.failure.object_kept");
            }
            _ => {}
        }
        mark(rows, made.answer.outcome.is_none(), "workspace.U.failure.lost");
    }
    let state = &applied.state;
    for (_, _, instance) in state.instances() {
        mark(rows, !instance.deposed.is_empty(), "workspace.U.state.deposed");
        for object in instance.current.iter().chain(instance.deposed.values()) {
            mark(rows, object.status == ObjectStatus::Tainted, "workspace.U.state.tainted");
            mark(rows, !object.dependencies.is_empty(), "workspace.U.state.dependencies");
            mark(rows, object.create_before_destroy, "workspace.U.state.create_before_destroy");
        }
    }
    mark(rows, !state.outputs.is_empty(), "workspace.U.state.outputs");
    mark(rows, state.checks.is_some(), "workspace.U.state.checks");
    let had = step.workspace.state.as_ref().is_some_and(|before| !before.is_empty());
    mark(rows, had && state.is_empty(), "workspace.U.state.emptied");
}

fn is_failed(made: &Made) -> bool {
    made.answer.remarks.iter().any(|one| one.is_error())
}

/// The row of a change's reason.
fn reason_row(reason: ActionReason) -> Option<&'static str> {
    Some(match reason {
        ActionReason::ReplaceBecauseTainted => "workspace.G.reason.tainted",
        ActionReason::ReplaceByRequest => "workspace.G.reason.request",
        ActionReason::ReplaceBecauseCannotUpdate => "workspace.G.reason.cannot_update",
        ActionReason::ReplaceByTriggers => "workspace.G.reason.triggers",
        ActionReason::DeleteBecauseNoResourceConfig => "workspace.G.reason.no_resource_config",
        ActionReason::DeleteBecauseWrongRepetition => "workspace.G.reason.wrong_repetition",
        ActionReason::DeleteBecauseCountIndex => "workspace.G.reason.count_index",
        ActionReason::DeleteBecauseEachKey => "workspace.G.reason.each_key",
        ActionReason::DeleteBecauseNoModule => "workspace.G.reason.no_module",
        ActionReason::DeleteBecauseNoMoveTarget => "workspace.G.reason.no_move_target",
        ActionReason::ReadBecauseConfigUnknown => "workspace.G.reason.config_unknown",
        ActionReason::ReadBecauseDependencyPending => "workspace.G.reason.dependency_pending",
        _ => return None,
    })
}

/// Whether three calls of different blocks must follow each other.
fn has_chain(trace: &planfuzz_workspace::Trace) -> bool {
    let ids: Vec<_> = (0..trace.calls.len()).map(planfuzz_workspace::CallId).collect();
    let is_work = |id: &planfuzz_workspace::CallId| {
        let request = &trace.calls[id.0].call.request;
        matches!(request, Request::Plan { .. } | Request::Apply { .. } | Request::ReadData { .. })
    };
    let work: Vec<_> = ids.into_iter().filter(is_work).collect();
    let after = |first: planfuzz_workspace::CallId| {
        work.iter().copied().filter(move |then| {
            trace.calls[first.0].node != trace.calls[then.0].node && trace.must_precede(first, *then)
        })
    };
    work.iter().any(|first| after(*first).any(|second| after(second).next().is_some()))
}

/// Whether the order of two mutating calls is left open.
fn has_unordered(trace: &planfuzz_workspace::Trace) -> bool {
    let is_work = |id: &usize| matches!(trace.calls[*id].call.request, Request::Apply { .. });
    let work: Vec<_> = (0..trace.calls.len()).filter(is_work).map(planfuzz_workspace::CallId).collect();
    let mut pairs = work.iter().enumerate().flat_map(|(at, one)| work[at + 1..].iter().map(move |other| (one, other)));
    pairs.any(|(one, other)| !trace.must_precede(*one, *other) && !trace.must_precede(*other, *one))
}
