//! A row for each kind of diagnostic that engines report for a generated workspace, found by its summary.

use planfuzz_workspace_cases::PlayedStep;

use super::workspaces::{Rows, mark};

/// The beginnings of summaries, each with its row.
const ROWS: &[(&str, &str)] = &[
    // Section 15 of workspace-language.md.
    ("Invalid use of ephemeral value", "workspace.E.diagnostic.ephemeral_misused"),
    ("Invalid value for variable", "workspace.E.diagnostic.variable_invalid"),
    ("Output refers to sensitive values", "workspace.E.diagnostic.output_sensitive"),
    ("Invalid index", "workspace.E.diagnostic.index_invalid"),
    ("Resource precondition failed", "workspace.E.diagnostic.precondition"),
    ("Resource postcondition failed", "workspace.E.diagnostic.postcondition"),
    ("Module output value precondition failed", "workspace.E.diagnostic.output_precondition"),
    ("Check block assertion failed", "workspace.E.diagnostic.check_failed"),
    ("Check block assertion known after apply", "workspace.E.diagnostic.check_unknown"),
    // Section 13 of workspace-plan.md.
    ("Resource targeting is in effect", "workspace.G.diagnostic.targeting"),
    ("Applied changes may be incomplete", "workspace.U.diagnostic.incomplete"),
    ("Moved resource instances excluded by targeting", "workspace.G.diagnostic.move_excluded"),
    ("Moved object still exists", "workspace.G.diagnostic.move_still_exists"),
    ("Ambiguous move statements", "workspace.G.diagnostic.move_ambiguous"),
    ("Cyclic dependency in move statements", "workspace.G.diagnostic.move_cycle"),
    ("Unresolved resource instance address changes", "workspace.G.diagnostic.move_blocked"),
    ("Removed resource still exists", "workspace.G.diagnostic.removed_still_exists"),
    ("Some objects will no longer be managed", "workspace.G.diagnostic.forgotten"),
    ("Configuration for import target does not exist", "workspace.G.diagnostic.import_without_block"),
    ("Provider configuration not present", "workspace.G.diagnostic.provider_gone"),
    ("Incompletely-matched force-replace", "workspace.G.diagnostic.replace_incomplete"),
    ("Instance cannot be destroyed", "workspace.G.diagnostic.destroy_prevented"),
    ("Cycle: ", "workspace.G.diagnostic.cycle"),
    // Section 11 of workspace-apply.md.
    ("Saved plan is stale", "workspace.U.diagnostic.plan_stale"),
    ("Saved plan does not match the given state", "workspace.U.diagnostic.plan_foreign"),
    ("Cannot apply incomplete plan", "workspace.U.diagnostic.plan_incomplete"),
    ("Can't change variable when applying a saved plan", "workspace.U.diagnostic.variable_changed"),
    ("Value for undeclared variable", "workspace.U.diagnostic.variable_undeclared"),
    ("Provider produced inconsistent", "workspace.U.diagnostic.inconsistent"),
    ("Plugin error", "workspace.U.diagnostic.no_answer"),
    (planfuzz_workspace::HALTED, "workspace.U.diagnostic.halted"),
    ("Resource already managed by Terraform", "workspace.U.diagnostic.already_managed"),
    ("Empty or non-existent state", "workspace.U.diagnostic.refresh_of_nothing"),
];

/// The rows of the diagnostics of a step.
pub(super) fn of_step(step: &PlayedStep, rows: &mut Rows) {
    for one in step.planned.diagnostics.iter().chain(step.late_diagnostics()) {
        let found = ROWS.iter().filter(|(summary, _)| one.summary.starts_with(summary));
        found.for_each(|(_, row)| mark(rows, true, row));
    }
}
