//! Data resources (section 13).

use crate::planner::{Configured, Link, Plan, PlanRequest, Presence, ReadData, ResourceKind, Severity, summary};
use crate::plans::{Action, ActionReason, Change, Marked, ResourceInstanceChange};
use crate::reference::data_resource::planned_data_resource;
use crate::state::{Object, Private};
use crate::value::{PathSet, Type};

use super::held::Held;
use super::managed::Purpose;
use super::walk::{Step, Stop, Walk, stop_if};

impl Walk<'_, '_> {
    /// L140 to L146.
    pub fn plan_data(&mut self, request: &PlanRequest, purpose: Purpose, plan: &mut Plan) -> Step<()> {
        plan.previous_run.current.clone_from(&request.state.current);
        let Presence::Configured(configured) = &request.presence else {
            // L146: a data object no longer configured leaves the state silently.
            return Ok(());
        };
        plan.refreshed.current.clone_from(&request.state.current);
        // L140
        self.preconditions(configured, purpose.conditions())?;
        self.check_ephemeral(configured)?;
        match deferral(configured) {
            Some(reason) => self.defer_data(configured, purpose, reason, plan)?,
            None if configured.in_check => self.read_data_in_check(configured, purpose, plan)?,
            None => {
                let object = self.read_data(configured)?;
                plan.working = Some(object.value.clone());
                plan.refreshed.current = Some(object.store());
            }
        }
        self.postconditions(configured, purpose.conditions())
    }

    /// L141, L143.
    fn defer_data(
        &mut self,
        configured: &Configured,
        purpose: Purpose,
        reason: ActionReason,
        plan: &mut Plan,
    ) -> Step<()> {
        if purpose == Purpose::Refresh {
            plan.refreshed.current = None;
            return Ok(());
        }
        let after = self.planned_data(configured)?;
        plan.working = Some(after.clone());
        plan.changes.push(self.read_change(after, reason));
        Ok(())
    }

    /// L145.
    fn read_data_in_check(&mut self, configured: &Configured, purpose: Purpose, plan: &mut Plan) -> Step<()> {
        let after = match self.try_read_data(configured)? {
            Some(object) => {
                plan.refreshed.current = Some(object.store());
                object.value
            }
            None => self.planned_data(configured)?,
        };
        plan.working = Some(after.clone());
        if purpose != Purpose::Refresh {
            plan.changes.push(self.read_change(after, ActionReason::ReadBecauseCheckNested));
        }
        Ok(())
    }

    /// L145: a read whose errors are warnings.
    pub fn try_read_data(&mut self, configured: &Configured) -> Step<Option<Held>> {
        let said = self.diagnostics.len();
        match self.read_data(configured) {
            Ok(object) => Ok(Some(object)),
            Err(Stop::Errors) => {
                for diagnostic in &mut self.diagnostics[said..] {
                    diagnostic.severity = Severity::Warning;
                }
                Ok(None)
            }
            Err(refused) => Err(refused),
        }
    }

    /// L144.
    pub fn read_data(&mut self, configured: &Configured) -> Step<Held> {
        self.validate(configured.config.value())?;
        let answer = self.provider.read_data(ReadData { config: configured.config.value().clone() });
        let failed = self.hear(answer.remarks);
        stop_if(failed)?;
        if !self.conforms(&answer.state) {
            return Err(self.fail(summary::INVALID_OBJECT, "L144"));
        }
        if answer.state.is_null() {
            return Err(self.fail(summary::NULL_OBJECT, "L144"));
        }
        if !answer.state.is_wholly_known() {
            return Err(self.fail(summary::INVALID_OBJECT, "L144"));
        }
        let marks = configured.config.sensitive().union(&self.sensitive_paths(&answer.state)?);
        Ok(Held::ready(Marked::new(answer.state, &marks), Private::NONE))
    }

    /// L141: the planned data object.
    fn planned_data(&self, configured: &Configured) -> Step<Marked> {
        let config = configured.config.value();
        let planned = planned_data_resource(self.dialect(), self.schema(), config.view())?;
        let marks = configured.config.sensitive().union(&self.sensitive_paths(&planned)?);
        Ok(Marked::new(planned, &marks))
    }

    fn read_change(&self, after: Marked, reason: ActionReason) -> ResourceInstanceChange {
        data_change(Action::Read, Marked::plain(self.null()), after, reason)
    }

    /// L146.
    pub fn destroy_data(&mut self, request: &PlanRequest, refreshed: bool, plan: &mut Plan) {
        if !refreshed {
            plan.previous_run.current.clone_from(&request.state.current);
            plan.refreshed.current.clone_from(&request.state.current);
        }
        let Some(object) = &plan.refreshed.current else { return };
        plan.working = super::drift::marked(object);
        let nothing = Marked::null(Type::Dynamic);
        plan.changes.push(data_change(Action::Delete, nothing.clone(), nothing, ActionReason::None));
    }

    /// L147 and A67: what becomes of a data object in an apply.
    pub fn apply_data(
        &mut self,
        presence: &Presence,
        change: &ResourceInstanceChange,
        current: &mut Option<Object>,
    ) -> Step<()> {
        match (change.change.action, presence) {
            (Action::Delete, _) => {
                *current = None;
                Ok(())
            }
            (Action::Read, Presence::Configured(configured)) => {
                self.preconditions(configured, Severity::Error)?;
                let object = match configured.in_check {
                    true => self.try_read_data(configured)?,
                    false => Some(self.read_data(configured)?),
                };
                *current = object.as_ref().map(Held::store);
                self.postconditions(configured, Severity::Error)
            }
            _ => Ok(()),
        }
    }
}

/// L141, L142: why a read has to wait for the apply, if it has.
fn deferral(configured: &Configured) -> Option<ActionReason> {
    if !configured.config.value().is_wholly_known() {
        return Some(ActionReason::ReadBecauseConfigUnknown);
    }
    let has_conditions = !configured.preconditions.is_empty() || !configured.postconditions.is_empty();
    let pending = configured.dependencies.iter().any(|dependency| {
        dependency.kind == ResourceKind::Managed
            && (dependency.link != Link::Transitive || has_conditions)
            && dependency.actions.iter().any(|action| *action != Action::NoOp)
    });
    pending.then_some(ActionReason::ReadBecauseDependencyPending)
}

fn data_change(action: Action, before: Marked, after: Marked, reason: ActionReason) -> ResourceInstanceChange {
    ResourceInstanceChange {
        moved_from: None,
        deposed: None,
        change: Change { action, before, after, importing: None },
        reason,
        required_replace: PathSet::EMPTY,
        private: Private::NONE,
    }
}
