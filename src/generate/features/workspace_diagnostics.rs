//! A row for each kind of diagnostic that engines report for a generated workspace, found by its summary.

use planfuzz_workspace_cases::PlayedStep;

use super::workspaces::{Rows, mark};

/// The beginnings of summaries, each with its row.
const ROWS: &[(&str, &str)] = &[
    // Section 15 of workspace-language.md.
    ("Invalid use of ephemeral value", "workspace.E.told.ephemeral_misused"),
    ("Invalid value for variable", "workspace.E.told.variable_invalid"),
    ("Output refers to sensitive values", "workspace.E.told.output_sensitive"),
    ("Invalid index", "workspace.E.told.index_invalid"),
    ("Resource precondition failed", "workspace.E.told.precondition"),
    ("Resource postcondition failed", "workspace.E.told.postcondition"),
    ("Module output value precondition failed", "workspace.E.told.output_precondition"),
    ("Check block assertion failed", "workspace.E.told.check_failed"),
    ("Check block assertion known after apply", "workspace.E.told.check_unknown"),
    // Section 13 of workspace-plan.md.
    ("Resource targeting is in effect", "workspace.G.told.targeting"),
    ("Applied changes may be incomplete", "workspace.U.told.incomplete"),
    ("Moved resource instances excluded by targeting", "workspace.G.told.move_excluded"),
    ("Moved object still exists", "workspace.G.told.move_still_exists"),
    ("Ambiguous move statements", "workspace.G.told.move_ambiguous"),
    ("Cyclic dependency in move statements", "workspace.G.told.move_cycle"),
    ("Unresolved resource instance address changes", "workspace.G.told.move_blocked"),
    ("Removed resource still exists", "workspace.G.told.removed_still_exists"),
    ("Some objects will no longer be managed", "workspace.G.told.forgotten"),
    ("Configuration for import target does not exist", "workspace.G.told.import_without_block"),
    ("Provider configuration not present", "workspace.G.told.provider_gone"),
    ("Incompletely-matched force-replace", "workspace.G.told.replace_incomplete"),
    ("Instance cannot be destroyed", "workspace.G.told.destroy_prevented"),
    ("Cycle: ", "workspace.G.told.cycle"),
    // Section 11 of workspace-apply.md.
    ("Saved plan is stale", "workspace.U.told.plan_stale"),
    ("Saved plan does not match the given state", "workspace.U.told.plan_foreign"),
    ("Cannot apply incomplete plan", "workspace.U.told.plan_incomplete"),
    ("Can't change variable when applying a saved plan", "workspace.U.told.variable_changed"),
    ("Value for undeclared variable", "workspace.U.told.variable_undeclared"),
    ("Provider produced inconsistent", "workspace.U.told.inconsistent"),
    ("Plugin error", "workspace.U.told.no_answer"),
    (planfuzz_workspace::HALTED, "workspace.U.told.halted"),
    ("Resource already managed by Terraform", "workspace.U.told.already_managed"),
    ("Empty or non-existent state", "workspace.U.told.refresh_of_nothing"),
];

/// The rows of the diagnostics of a step.
pub(super) fn of_step(step: &PlayedStep, rows: &mut Rows) {
    for one in step.planned.diagnostics.iter().chain(step.late_diagnostics()) {
        let found = ROWS.iter().filter(|(summary, _)| one.summary.starts_with(summary));
        found.for_each(|(_, row)| mark(rows, true, row));
    }
}
