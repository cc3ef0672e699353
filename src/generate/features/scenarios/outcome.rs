//! Features of scenario runs: what planners decide, and which errors they report.

use planfuzz_core::planner::{ApplyWalk, Exchange, PlanWalk, StepTrace, summary};
use planfuzz_core::plans::{Action, ActionReason, Mode};
use planfuzz_core::state::{InstanceState, Status, Stored};

use super::Mark;
use crate::scenario::Trace;

pub(super) const ROWS: &[&str] = &[
    "whole",
    "refused",
    // Section 1: from, change, outcome.
    "saved.absent.create.ready",
    "saved.absent.create.failed_tainted",
    "saved.absent.create.failed_absent",
    "saved.ready.update.ready",
    "saved.ready.update.failed_new",
    "saved.ready.update.failed_old",
    "saved.ready.update.became_no_op",
    "saved.delete.absent",
    "saved.delete.failed_kept",
    "saved.delete.failed_object",
    "saved.tainted.replaced",
    "saved.delete_then_create.ready",
    "saved.delete_then_create.destroy_failed",
    "saved.delete_then_create.create_failed_tainted",
    "saved.delete_then_create.create_failed_absent",
    "saved.create_then_delete.ready",
    "saved.create_then_delete.create_failed_restored",
    "saved.create_then_delete.create_failed_tainted",
    "saved.create_then_delete.destroy_failed",
    "saved.forget",
    "saved.forget_then_create",
    "saved.deposed.destroyed",
    "saved.deposed.kept",
    "saved.read",
    // Sections 5 to 7 and 10, as far as a trace shows them.
    "plan.L17_gone",
    "plan.L20_imported",
    "plan.L20_skipped",
    "plan.L33_tainted",
    "plan.L38_provider_error",
    "plan.L10_read_error",
    "plan.L41_legacy",
    "plan.L47_second_call",
    "plan.L50_marks_only",
    "plan.L56_warning",
    "plan.L86_no_effect",
    "plan.L112_dependencies",
    "plan.L120_destroy_call",
    "plan.L120_forgotten",
    "plan.L141_deferred",
    "plan.L144_read_now",
    "plan.working_none",
    "plan.applyable",
    "plan.not_applyable",
    "plan.errored",
    "drift.update",
    "drift.delete",
    "drift.no_op",
    // Section 20.3 and 20.4.
    "apply.A04_refinement",
    "apply.A20_no_op",
    "apply.A24_marks_only",
    "apply.A26_no_answer",
    "apply.A31_legacy",
    "apply.A34_error_null",
    "apply.A35_error_object",
    "apply.A36_object",
    "apply.A37_null",
    "apply.errored",
];

/// The rules that diagnostics of Core name. A remark here reports every call that fails, so A26 has no summary of its own.
const RULES: &[&str] = &[
    "A06", "A07", "A15", "A21", "A27", "A28", "A29", "A31", "A32", "A33", "A42", "L03", "L04", "L05", "L103", "L11",
    "L111", "L113", "L12", "L121", "L13", "L144", "L154", "L21", "L30", "L39", "L40", "L41", "L82",
];

/// The summaries of Core that a model provider can cause. It never defers (L56a), reads no null data object (L144), imports
/// objects by id only, so nothing write-only (L21), and no state loses deposed objects between plan and apply (A53).
const SUMMARIES: &[&str] = &[
    summary::INVALID_PLAN,
    summary::INVALID_OBJECT,
    summary::INVALID_RESPONSE,
    summary::INCONSISTENT_FINAL_PLAN,
    summary::INCONSISTENT_RESULT,
    summary::INVALID_RESULT,
    summary::UNKNOWN_CONFIGURATION,
    summary::INVALID_STATE_UPGRADE,
    summary::NEWER_PROVIDER,
    summary::EPHEMERAL,
    summary::EPHEMERAL_CONTEXT,
    summary::FORGOTTEN,
    summary::REDUNDANT_IGNORE,
    summary::UNSUPPORTED_ATTRIBUTE,
    summary::IMPORT_NONE,
    summary::IMPORT_MANY,
    summary::IMPORT_NULL,
    summary::IMPORT_ABSENT,
    summary::PRECONDITION,
    summary::POSTCONDITION,
    summary::NO_TRIGGER,
    summary::BAD_PREVENT_DESTROY,
    summary::UNSUPPORTED_MODE,
    summary::PROVISIONER,
];

/// The rows made of lists: actions, reasons, rules, summaries.
pub(super) fn listed_rows() -> impl Iterator<Item = String> {
    // No engine of the dialects produces this action here (section 22): it takes `destroy = false` in an engine beyond them.
    let actions = Action::ALL.iter().filter(|action| **action != Action::CreateThenForget);
    let actions = actions.map(|action| format!("action.{}", action.name()));
    let reasons = ActionReason::ALL.iter().map(|reason| reason_row(*reason));
    let rules = RULES.iter().map(|rule| format!("rule.{rule}"));
    let summaries = SUMMARIES.iter().map(|summary| summary_row(summary));
    actions.chain(reasons).chain(rules).chain(summaries)
}

fn reason_row(reason: ActionReason) -> String {
    format!("reason.{}", if reason == ActionReason::None { "none" } else { reason.name() })
}

fn summary_row(summary: &str) -> String {
    format!("summary.{}", summary.to_lowercase().replace(|char: char| !char.is_ascii_alphanumeric(), "_"))
}

/// Marks the outcomes of a scenario's run.
pub(super) fn observe(run: &Trace, mark: Mark<'_>) {
    mark(if run.is_whole() { "whole" } else { "refused" });
    for step in &run.steps {
        let mut walk = Walk { mark, step };
        walk.plan(&step.plan);
        if let Some(apply) = &step.apply {
            walk.apply(apply);
        }
    }
}

struct Walk<'m, 's> {
    mark: Mark<'m>,
    step: &'s StepTrace,
}

impl Walk<'_, '_> {
    fn mark(&mut self, row: &str) {
        (self.mark)(row);
    }

    fn mark_if(&mut self, row: &str, hit: bool) {
        if hit {
            self.mark(row);
        }
    }

    fn diagnostics(&mut self, diagnostics: &[planfuzz_core::planner::Diagnostic]) {
        for diagnostic in diagnostics {
            if RULES.contains(&diagnostic.rule) {
                (self.mark)(&format!("rule.{}", diagnostic.rule));
            }
            if SUMMARIES.contains(&&*diagnostic.summary) {
                (self.mark)(&summary_row(&diagnostic.summary));
            }
            let from_provider = diagnostic.rule.is_empty();
            self.mark_if("plan.L56_warning", from_provider && !diagnostic.is_error());
        }
    }

    fn plan(&mut self, walk: &PlanWalk) {
        let PlanWalk { request, exchanges, plan } = walk;
        self.diagnostics(&plan.diagnostics);
        for change in &plan.changes {
            (self.mark)(&format!("action.{}", change.change.action.name()));
            (self.mark)(&reason_row(change.reason));
            let marks =
                change.change.action == Action::Update && change.change.before.value() == change.change.after.value();
            self.mark_if("plan.L50_marks_only", marks);
            let forgets = change.change.action == Action::Forget && request.options.forget;
            self.mark_if("plan.L120_forgotten", forgets);
            self.mark_if("plan.L141_deferred", change.change.action == Action::Read);
        }
        if let Some(drift) = &plan.drift {
            self.mark(match drift.action {
                Action::Delete => "drift.delete",
                Action::Update => "drift.update",
                _ => "drift.no_op",
            });
        }
        self.mark_if("plan.working_none", plan.working.is_none());
        self.mark(if plan.applyable { "plan.applyable" } else { "plan.not_applyable" });
        self.mark_if("plan.errored", plan.is_errored());
        let gone = plan.previous_run.current.is_some() && plan.refreshed.current.is_none();
        self.mark_if("plan.L17_gone", gone);
        if request.options.import.is_some() {
            let asked = exchanges.iter().any(|exchange| matches!(exchange, Exchange::Import(..)));
            self.mark(if asked { "plan.L20_imported" } else { "plan.L20_skipped" });
        }
        self.plan_calls(walk);
        let dependencies = |state: &InstanceState| state.current.as_ref().map(|object| object.dependencies.clone());
        let rewritten = dependencies(&plan.previous_run) != dependencies(&plan.refreshed);
        self.mark_if("plan.L112_dependencies", rewritten && !gone);
    }

    fn plan_calls(&mut self, walk: &PlanWalk) {
        let mut configured = 0;
        for exchange in &walk.exchanges {
            match exchange {
                Exchange::Plan(request, answer) => {
                    let failed = answer.remarks.iter().any(is_error);
                    self.mark_if("plan.L38_provider_error", failed);
                    self.mark_if("plan.L41_legacy", answer.legacy_type_system);
                    self.mark_if("plan.L120_destroy_call", request.config.is_null());
                    configured += usize::from(!request.config.is_null());
                }
                Exchange::Read(_, answer) => {
                    self.mark_if("plan.L10_read_error", answer.remarks.iter().any(is_error));
                }
                Exchange::ReadData(..) => self.mark("plan.L144_read_now"),
                _ => {}
            }
        }
        self.mark_if("plan.L47_second_call", configured > 1 && walk.request.mode == Mode::Normal);
        let tainted = walk.request.state.current.as_ref().is_some_and(|object| object.status == Status::Tainted);
        self.mark_if("plan.L33_tainted", tainted && configured == 1);
        let asked = walk.exchanges.iter().any(
            |exchange| matches!(exchange, Exchange::Plan(request, answer) if !answer.requires_replace.is_empty() && !request.prior.is_null()),
        );
        let replaced = walk.plan.changes.iter().any(|change| !change.required_replace.is_empty());
        self.mark_if("plan.L86_no_effect", asked && !replaced && !walk.plan.is_errored());
    }

    fn apply(&mut self, walk: &ApplyWalk) {
        self.diagnostics(&walk.applied.diagnostics);
        let errored = walk.applied.is_errored();
        self.mark_if("apply.errored", errored);
        let mut applied = false;
        for exchange in &walk.exchanges {
            let Exchange::Apply(_, answer) = exchange else { continue };
            applied = true;
            let failed = answer.remarks.iter().any(is_error);
            self.mark_if("apply.A31_legacy", answer.legacy_type_system);
            self.mark(match &answer.new_state {
                None => "apply.A26_no_answer",
                Some(value) => match (failed, value.is_null()) {
                    (true, true) => "apply.A34_error_null",
                    (true, false) => "apply.A35_error_object",
                    (false, false) => "apply.A36_object",
                    (false, true) => "apply.A37_null",
                },
            });
        }
        for change in &walk.request.changes {
            match &change.deposed {
                None => self.current(walk, change.change.action, applied, errored),
                Some(key) if change.change.action == Action::Delete => {
                    let kept = walk.applied.state.deposed.contains_key(key);
                    self.mark(if kept { "saved.deposed.kept" } else { "saved.deposed.destroyed" });
                }
                Some(_) => {}
            }
        }
    }

    /// A row of the state machine of section 1.
    fn current(&mut self, walk: &ApplyWalk, action: Action, applied: bool, errored: bool) {
        let before = walk.request.state.current.as_ref();
        let after = walk.applied.state.current.as_ref();
        let tainted = after.is_some_and(|object| object.status == Status::Tainted);
        let was_tainted = before.is_some_and(|object| object.status == Status::Tainted);
        let deposed = walk.applied.state.deposed.len() > walk.request.state.deposed.len();
        let same = match (before, after) {
            (Some(before), Some(after)) => match (&before.stored, &after.stored) {
                (Stored::Value(before), Stored::Value(after)) => before == after,
                _ => false,
            },
            _ => false,
        };
        let row = match action {
            Action::NoOp => "apply.A20_no_op",
            Action::Create => match (after.is_some(), tainted) {
                (true, true) => "saved.absent.create.failed_tainted",
                (true, false) => "saved.absent.create.ready",
                (false, _) => "saved.absent.create.failed_absent",
            },
            Action::Update if !errored && !applied => {
                let marks = walk.request.changes.iter().any(|change| {
                    change.change.action == Action::Update
                        && change.change.before.value() == change.change.after.value()
                });
                if marks { "apply.A24_marks_only" } else { "saved.ready.update.became_no_op" }
            }
            Action::Update => match (errored, same) {
                (false, _) => "saved.ready.update.ready",
                (true, false) => "saved.ready.update.failed_new",
                (true, true) => "saved.ready.update.failed_old",
            },
            Action::Delete => match (after.is_some(), answered_object(walk)) {
                (false, _) => "saved.delete.absent",
                (true, false) => "saved.delete.failed_kept",
                (true, true) => "saved.delete.failed_object",
            },
            Action::DeleteThenCreate => match (errored, after.is_some(), tainted) {
                (false, ..) => "saved.delete_then_create.ready",
                (true, true, _) if same => "saved.delete_then_create.destroy_failed",
                (true, true, true) => "saved.delete_then_create.create_failed_tainted",
                (true, true, false) => "saved.delete_then_create.destroy_failed",
                (true, false, _) => "saved.delete_then_create.create_failed_absent",
            },
            Action::CreateThenDelete => match (errored, deposed, tainted) {
                (false, ..) => "saved.create_then_delete.ready",
                (true, false, _) => "saved.create_then_delete.create_failed_restored",
                (true, true, true) => "saved.create_then_delete.create_failed_tainted",
                (true, true, false) => "saved.create_then_delete.destroy_failed",
            },
            Action::Forget => "saved.forget",
            Action::ForgetThenCreate => "saved.forget_then_create",
            Action::Read => "saved.read",
            Action::CreateThenForget => return,
        };
        self.mark(row);
        let replaced = matches!(action, Action::DeleteThenCreate | Action::CreateThenDelete);
        self.mark_if("saved.tainted.replaced", replaced && was_tainted && !errored);
        let late = self.step.plan.plan.changes.iter().any(|change| !change.change.after.value().is_wholly_known());
        self.mark_if("apply.A04_refinement", late && !errored);
    }
}

/// Whether the provider returned an object in an apply that was to destroy it.
fn answered_object(walk: &ApplyWalk) -> bool {
    walk.exchanges.iter().any(|exchange| match exchange {
        Exchange::Apply(request, answer) => {
            request.config.is_null() && answer.new_state.as_ref().is_some_and(|value| !value.is_null())
        }
        _ => false,
    })
}

fn is_error(remark: &planfuzz_core::planner::Remark) -> bool {
    remark.severity == planfuzz_core::planner::Severity::Error
}
