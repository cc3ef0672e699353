//! Data resources (section 13).

use planfuzz_core::planner::{Configured, Plan, PlanRequest, Presence, ReadData, Refusal, Severity, summary};
use planfuzz_core::plans::{Action, ActionReason, Change, Marked, Mode, ResourceInstanceChange};
use planfuzz_core::state::{InstanceState, Object, Private, Stored};
use planfuzz_core::value::{PathSet, Type, Value};

use super::answers::nothing;
use super::managed::is_dependency_pending;
use super::plan::{is_second_walk, marked};
use super::typed_object::TypedObject;
use super::unknowns::without_unknowns;
use super::walk::{Stop, Walk, Walked, survive};

/// The plan of an instance of a data resource.
pub(super) fn plan(walk: &mut Walk<'_>, request: &PlanRequest) -> Result<Plan, Refusal> {
    let mut plan = Plan { previous_run: request.state.clone(), refreshed: request.state.clone(), ..Plan::default() };
    if request.mode != Mode::Destroy || !request.options.skip_refresh {
        let start = walk.diagnostic_count();
        match &request.presence {
            Presence::Configured(configured) => {
                survive(configured_plan(walk, request, configured, &mut plan))?;
            }
            // L146: it leaves the state without a diagnostic.
            Presence::Orphan(_) | Presence::Removed(_) => plan.refreshed = InstanceState::ABSENT,
        }
        if request.mode != Mode::Destroy {
            return Ok(plan);
        }
        if walk.failed_since(start) {
            // LD09.
            return Ok(Plan::default());
        }
        walk.diagnostics.truncate(start);
        plan.changes.clear();
        plan.working = None;
    }
    destroy(request, &mut plan);
    Ok(plan)
}

/// L146.
fn destroy(request: &PlanRequest, plan: &mut Plan) {
    let Some(object) = &plan.refreshed.current else { return };
    plan.working = marked(object);
    let mut deletion = change(request, Action::Delete, nothing(), nothing(), ActionReason::None);
    if is_second_walk(request) {
        // L160.
        deletion.moved_from = None;
    }
    plan.changes.push(deletion);
}

fn change(
    request: &PlanRequest,
    action: Action,
    before: Marked,
    after: Marked,
    reason: ActionReason,
) -> ResourceInstanceChange {
    ResourceInstanceChange {
        moved_from: request.options.moved_from.clone(),
        deposed: None,
        change: Change { action, before, after, importing: None },
        reason,
        required_replace: PathSet::EMPTY,
        private: Private::NONE,
    }
}

/// L140 to L145.
fn configured_plan(walk: &mut Walk<'_>, request: &PlanRequest, configured: &Configured, plan: &mut Plan) -> Walked<()> {
    let severity = if request.mode == Mode::Normal { Severity::Error } else { Severity::Warning };
    walk.preconditions(configured, severity)?;
    let deferred = if !configured.config.value().is_wholly_known() {
        Some(ActionReason::ReadBecauseConfigUnknown)
    } else {
        is_dependency_pending(configured).then_some(ActionReason::ReadBecauseDependencyPending)
    };
    let before = Marked::plain(walk.null());
    match deferred {
        Some(_) if request.mode == Mode::RefreshOnly => {
            // L143.
            plan.refreshed.current = None;
            return Ok(());
        }
        Some(reason) => {
            let after = walk.planned_data(configured)?;
            plan.refreshed.current = None;
            plan.working = Some(after.clone());
            plan.changes.push(change(request, Action::Read, before, after, reason));
        }
        None if configured.in_check => {
            let after = match walk.try_read_data(configured)? {
                Some(read) => read,
                None => walk.planned_data(configured)?,
            };
            plan.refreshed.current = Some(stored(after.clone()));
            plan.working = Some(after.clone());
            if request.mode != Mode::RefreshOnly {
                let reason = ActionReason::ReadBecauseCheckNested;
                plan.changes.push(change(request, Action::Read, before, after, reason));
            }
        }
        None => {
            if let Some(Object { stored: unread @ Stored::Raw { .. }, .. }) = &mut plan.refreshed.current {
                // L144: unless it is replaced now.
                restamp(unread, walk.ty(), walk.program.version);
            }
            let object = walk.read_data(configured)?;
            plan.refreshed.current = Some(stored(object.clone()));
            plan.working = Some(object);
        }
    }
    match walk.conditions(&configured.postconditions, summary::POSTCONDITION, severity, "L113") {
        true => Err(Stop::Error),
        false => Ok(()),
    }
}

/// Marks an object of another version as one of the present version; its attributes stay.
fn restamp(stored: &mut Stored, ty: &Type, present: u64) {
    let Stored::Raw { version, attributes } = stored else { return };
    match Value::from_stored_json_or_absent(attributes, ty) {
        Ok(value) => *stored = Stored::Value(value),
        Err(_) => *version = present,
    }
}

/// A data object as it is stored: without dependencies and private data (L147), with nulls for unknowns (L145).
pub(super) fn stored(object: Marked) -> Object {
    let (value, marks) = object.into_parts();
    TypedObject::new(Marked::new(without_unknowns(value), &marks), Private::NONE).stored()
}

impl Walk<'_> {
    /// L141.
    fn planned_data(&mut self, configured: &Configured) -> Walked<Marked> {
        let planned = self.program.planned_data_resource(configured.config.value())?;
        self.marked_data(planned, configured.config.sensitive())
    }

    /// L141, L144: a data object with its marks, to which the schema's belong only in some dialects.
    fn marked_data(&self, value: Value, configured: &PathSet) -> Walked<Marked> {
        let all = self.marked(value, configured)?;
        if self.program.dialect.marks_data_by_schema() {
            return Ok(all);
        }
        Ok(Marked::new(all.into_parts().0, configured))
    }

    /// L144.
    pub(super) fn read_data(&mut self, configured: &Configured) -> Walked<Marked> {
        let config = configured.config.value();
        self.validate(config)?;
        let answer = self.provider.read_data(ReadData { config: config.clone() });
        if self.remark(&answer.remarks) {
            return Err(Stop::Error);
        }
        let read = self.conforming(answer.state, summary::INVALID_OBJECT, "L144")?;
        if read.is_null() {
            return self.fail(summary::NULL_OBJECT, "L144");
        }
        if !read.is_wholly_known() {
            return self.fail(summary::INVALID_OBJECT, "L144");
        }
        self.marked_data(read, configured.config.sensitive())
    }

    /// L145: the object read in a check; `None`, and only warnings, where the read fails.
    pub(super) fn try_read_data(&mut self, configured: &Configured) -> Walked<Option<Marked>> {
        let start = self.diagnostic_count();
        let read = survive(self.read_data(configured))?;
        if read.is_none() {
            for diagnostic in &mut self.diagnostics[start..] {
                diagnostic.severity = Severity::Warning;
            }
        }
        Ok(read)
    }
}
