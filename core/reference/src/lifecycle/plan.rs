//! The plan walk of one instance (sections 2 and 14).

use crate::planning::Planning;
use planfuzz_core::address::ResourceKind;
use planfuzz_core::planner::{Plan, PlanRequest, Presence, Provider, Refusal, summary};
use planfuzz_core::plans::{Mode, ResourceInstanceChange};
use planfuzz_core::state::{InstanceState, Object, Stored};
use planfuzz_core::value::{WrittenPath, raw_equals};

use super::answered::without_unknowns;
use super::drift::drift;
use super::managed::Purpose;
use super::walk::{Walk, contained};

/// One instance's part of a plan walk.
pub(crate) fn plan(
    planning: &Planning<'_>,
    request: &PlanRequest,
    provider: &mut dyn Provider,
) -> Result<Plan, Refusal> {
    let mut walk = Walk::new(planning, provider);
    let mut plan = Plan::default();
    if walk.may_start(request)? {
        walk.walks(request, &mut plan)?;
        if request.kind == ResourceKind::Managed {
            plan.drift = drift(request, walk.ty(), &plan.previous_run, &plan.refreshed);
            // LD26
            if let Some(Object { stored: Stored::Value(value), .. }) = &mut plan.previous_run.current
                && let Some(known) = contained(without_unknowns(value))?
            {
                *value = known;
            }
        }
    }
    plan.applyable = !walk.has_errors() && is_worth_applying(request, &plan);
    plan.diagnostics = walk.diagnostics;
    Ok(plan)
}

impl Walk<'_, '_> {
    /// The validation walk, then L154.
    fn may_start(&mut self, request: &PlanRequest) -> Result<bool, Refusal> {
        let is_valid = match &request.presence {
            Presence::Configured(configured) => contained(self.validation(request.kind, configured))?.is_some(),
            Presence::Orphan(_) | Presence::Removed(_) => true,
        };
        if !is_valid {
            return Ok(false);
        }
        if request.options.replace && request.mode != Mode::Normal {
            self.error(summary::UNSUPPORTED_MODE, WrittenPath::default(), "L154");
            return Ok(false);
        }
        Ok(true)
    }

    /// L150 to L152.
    fn walks(&mut self, request: &PlanRequest, plan: &mut Plan) -> Result<(), Refusal> {
        if request.mode != Mode::Destroy {
            return self.first_walk(request, plan);
        }
        let refreshes = !request.options.skip_refresh;
        if refreshes {
            let start = self.diagnostics.len();
            self.first_walk(request, plan)?;
            if self.has_errors() {
                // LD09
                *plan = Plan::default();
                return Ok(());
            }
            self.diagnostics.truncate(start);
            plan.changes.clear();
            plan.working = None;
        }
        match request.kind {
            ResourceKind::Managed => {
                let refreshed = plan.refreshed.clone();
                self.destroy_managed(request, refreshes, plan)?;
                if refreshes && self.has_errors() {
                    // LD09: only the state with which the second walk began is left.
                    plan.previous_run = refreshed;
                }
                // L160: in the second walk the moves are already made.
                if refreshes {
                    plan.changes.iter_mut().for_each(|change| change.moved_from = None);
                }
                Ok(())
            }
            ResourceKind::Data => {
                self.destroy_data(request, refreshes, plan);
                Ok(())
            }
        }
    }

    fn first_walk(&mut self, request: &PlanRequest, plan: &mut Plan) -> Result<(), Refusal> {
        let purpose = Purpose::of(request.mode);
        match request.kind {
            ResourceKind::Managed => self.plan_managed(request, purpose, plan),
            ResourceKind::Data => {
                let planned = contained(self.plan_data(request, purpose, plan)).map(|_| ());
                // L160: data resources have it too.
                plan.changes.iter_mut().for_each(|change| change.moved_from.clone_from(&request.options.moved_from));
                planned
            }
        }
    }
}

/// L157, without the check for errors.
fn is_worth_applying(request: &PlanRequest, plan: &Plan) -> bool {
    match (request.mode, request.kind) {
        (Mode::RefreshOnly, ResourceKind::Managed) => !same_state(&plan.previous_run, &plan.refreshed),
        (Mode::RefreshOnly, ResourceKind::Data) => false,
        (Mode::Normal | Mode::Destroy, _) => !plan.changes.iter().all(ResourceInstanceChange::is_empty),
    }
}

fn same_state(a: &InstanceState, b: &InstanceState) -> bool {
    let same_current = match (&a.current, &b.current) {
        (Some(a), Some(b)) => same_object(a, b),
        (None, None) => true,
        _ => false,
    };
    let same_deposed = a.deposed.keys().eq(b.deposed.keys())
        && a.deposed.values().zip(b.deposed.values()).all(|(a, b)| same_object(a, b));
    same_current && same_deposed
}

/// Whether two objects that were read have the same value and the same other fields.
fn same_object(a: &Object, b: &Object) -> bool {
    let same_value = match (&a.stored, &b.stored) {
        (Stored::Value(a), Stored::Value(b)) => raw_equals(a.view(), b.view()),
        _ => false,
    };
    let rest = |object: &Object| {
        let Object { private, status, dependencies, create_before_destroy, sensitive, skip_destroy, .. } =
            object.clone();
        (private, status, dependencies, create_before_destroy, sensitive, skip_destroy)
    };
    same_value && rest(a) == rest(b)
}
