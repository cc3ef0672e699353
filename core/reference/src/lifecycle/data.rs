//! Data resources (section 13).

use crate::data_resource::planned_data_resource;
use planfuzz_core::address::ResourceKind;
use planfuzz_core::planner::{Configured, Link, Plan, PlanRequest, Presence, ReadData, Severity, summary};
use planfuzz_core::plans::{Action, ActionReason, Change, Marked, ResourceInstanceChange};
use planfuzz_core::state::{Object, Private, Stored};
use planfuzz_core::value::{PathSet, Type, Value};

use super::answered::without_unknowns;
use super::drift::marked;
use super::managed::Purpose;
use super::typed_object::TypedObject;
use super::walk::{Step, Stop, Walk, stop_if};

impl Walk<'_, '_> {
    /// L140 to L146.
    pub fn plan_data(&mut self, request: &PlanRequest, purpose: Purpose, plan: &mut Plan) -> Step<()> {
        plan.previous_run.current.clone_from(&request.state.current);
        let Presence::Configured(configured) = &request.presence else {
            // L146: a data object that is no longer configured leaves the state without a diagnostic.
            return Ok(());
        };
        plan.refreshed.current.clone_from(&request.state.current);
        // L140
        self.preconditions(configured, purpose.conditions())?;
        self.check_ephemeral(configured)?;
        match deferral(configured) {
            Some(_) if purpose == Purpose::Refresh => {
                // L143: no object is planned that a postcondition could be about.
                plan.refreshed.current = None;
                return Ok(());
            }
            Some(reason) => self.defer_data(configured, reason, plan)?,
            None if configured.in_check => self.read_data_in_check(configured, purpose, plan)?,
            None => {
                // L144: an object that stays stored after a failed read counts as one of the present version.
                plan.refreshed.current = request.state.current.as_ref().map(|object| self.relabelled(object));
                let object = self.read_data(configured)?;
                plan.working = Some(object.value.clone());
                plan.refreshed.current = Some(object.store());
            }
        }
        self.postconditions(configured, purpose.conditions())
    }

    /// L144: a stored object whose attributes are taken for those of the present schema.
    fn relabelled(&self, object: &Object) -> Object {
        let Stored::Raw { attributes, .. } = &object.stored else { return object.clone() };
        let stored = match Value::from_stored_json_or_absent(attributes, self.ty()) {
            Ok(value) => Stored::Value(value),
            Err(_) => Stored::Raw { version: self.source().version, attributes: attributes.clone() },
        };
        Object { stored, ..object.clone() }
    }

    /// L141.
    fn defer_data(&mut self, configured: &Configured, reason: ActionReason, plan: &mut Plan) -> Step<()> {
        plan.refreshed.current = None;
        let after = self.planned_data(configured)?;
        plan.working = Some(after.clone());
        plan.changes.push(self.read_change(after, reason));
        Ok(())
    }

    /// L145.
    fn read_data_in_check(&mut self, configured: &Configured, purpose: Purpose, plan: &mut Plan) -> Step<()> {
        let after = match self.try_read_data(configured)? {
            Some(object) => object.value,
            None => self.planned_data(configured)?,
        };
        plan.refreshed.current = Some(stored_data(&after)?);
        plan.working = Some(after.clone());
        if purpose != Purpose::Refresh {
            plan.changes.push(self.read_change(after, ActionReason::ReadBecauseCheckNested));
        }
        Ok(())
    }

    /// L145: a read whose errors are warnings.
    pub fn try_read_data(&mut self, configured: &Configured) -> Step<Option<TypedObject>> {
        let start = self.diagnostics.len();
        match self.read_data(configured) {
            Ok(object) => Ok(Some(object)),
            Err(Stop::Errors) => {
                for diagnostic in &mut self.diagnostics[start..] {
                    diagnostic.severity = Severity::Warning;
                }
                Ok(None)
            }
            Err(refused) => Err(refused),
        }
    }

    /// L144.
    pub fn read_data(&mut self, configured: &Configured) -> Step<TypedObject> {
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
        Ok(TypedObject::ready(self.marked_data(configured, answer.state)?, Private::NONE))
    }

    /// L141: the planned data object.
    fn planned_data(&self, configured: &Configured) -> Step<Marked> {
        let config = configured.config.value();
        let planned = planned_data_resource(self.dialect(), self.schema(), config.view())?;
        self.marked_data(configured, planned)
    }

    /// L141, L144: the configuration's marks, and in Terraform those of the schema.
    fn marked_data(&self, configured: &Configured, value: Value) -> Step<Marked> {
        let configured = configured.config.sensitive();
        // S71 is evaluated all the same, for the values on which it crashes.
        let of_schema = self.sensitive_paths(&value)?;
        match self.dialect().marks_data_by_schema() {
            true => Ok(Marked::new(value, &configured.union(&of_schema))),
            false => Ok(Marked::new(value, configured)),
        }
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
        plan.working = marked(object);
        let nothing = Marked::null(Type::Dynamic);
        // L160: in the second walk the moves are already made.
        let moved_from = if refreshed { None } else { request.options.moved_from.clone() };
        let change = data_change(Action::Delete, nothing.clone(), nothing, ActionReason::None);
        plan.changes.push(ResourceInstanceChange { moved_from, ..change });
    }

    /// L147 and A67: the data object after an apply.
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
                self.check_ephemeral(configured)?;
                let object = match configured.in_check {
                    true => self.try_read_data(configured)?,
                    false => Some(self.read_data(configured)?),
                };
                // L145: where a read in a check fails, the stored object stays.
                if let Some(object) = object {
                    *current = Some(object.store());
                }
                self.postconditions(configured, Severity::Error)
            }
            _ => Ok(()),
        }
    }
}

/// L141, L142: the reason why a read has to wait for the apply, if there is one.
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

/// A data object as the state keeps it; unknowns of one that could not be read become nulls (L145).
fn stored_data(value: &Marked) -> Step<Object> {
    let known = without_unknowns(value.value())?;
    Ok(TypedObject::ready(Marked::new(known, value.sensitive()), Private::NONE).store())
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

#[cfg(test)]
mod tests {
    use crate::lifecycle::fixture::{Fixture, depends_on, fixture, object, remark, summaries, value_of};
    use planfuzz_core::address::ResourceKind;
    use planfuzz_core::json::Json;
    use planfuzz_core::planner::{Link, Presence, Severity};
    use planfuzz_core::plans::{Action, Marked, Mode};
    use planfuzz_core::state::Stored;
    use planfuzz_core::value::{Tri, Type, Value};

    const READ: &str = r#"{"id":"D","name":"a","oc":"D"}"#;

    fn data(config: &str) -> Fixture {
        let mut fixture = fixture(r#"{"id":"old"}"#, config);
        fixture.kind = ResourceKind::Data;
        fixture
    }

    #[test]
    fn l144_a_known_configuration_is_read_at_once_and_no_change_is_recorded() {
        let run = data(r#"{"name":"a"}"#).plan();
        assert_eq!((run.calls().as_str(), run.changes().as_str()), ("validate validate read_data", ""));
        assert_eq!(value_of(&run.answer.refreshed.current), object(READ));
        let object_kept = run.answer.refreshed.current.clone().expect("an object");
        assert!(object_kept.private.is_none() && object_kept.dependencies.is_empty());
        assert_eq!(object_kept.sensitive.texts(), [".pass"]);
        assert!(run.answer.drift.is_none() && run.answer.working.is_some());
    }

    #[test]
    fn l144_unusable_answers_are_reported() {
        let wrong = |read_data| {
            let mut fixture = data(r#"{"name":"a"}"#);
            fixture.provider.read_data = read_data;
            let run = fixture.plan();
            assert!(run.answer.changes.is_empty() && run.answer.working.is_none());
            summaries(&run.answer.diagnostics)
        };
        assert_eq!(wrong(|answer| answer.state = Value::bool(true)), ["E Provider produced invalid object"]);
        let null = wrong(|answer| answer.state = Value::null(answer.state.ty().clone()));
        assert_eq!(null, ["E Provider produced null object"]);
        let unknown = wrong(|answer| answer.state = object(r#"{"id":{"$unknown":true}}"#));
        assert_eq!(unknown, ["E Provider produced invalid object"]);
    }

    #[test]
    fn l144_an_unreadable_object_stays_as_if_it_were_new() {
        let mut fixture = data(r#"{"name":"a"}"#);
        fixture.provider.read_data = |answer| answer.remarks.push(remark(Severity::Error, "no"));
        for (attributes, version) in [(r#"{"name":"a"}"#, None), (r#"{"gone":"a"}"#, Some(fixture.schema.version))] {
            let raw = Stored::Raw { version: 99, attributes: Json::parse(attributes).expect("JSON").into() };
            fixture.state.current.as_mut().expect("an object").stored = raw;
            match fixture.plan().answer.refreshed.current.expect("an object").stored {
                Stored::Value(value) => assert!(version.is_none() && value.view().member("name").is_some()),
                Stored::Raw { version: found, .. } => assert_eq!(Some(found), version),
            }
        }
    }

    #[test]
    fn l141_an_unknown_configuration_waits_for_the_apply() {
        let mut fixture = data(r#"{"name":{"$unknown":true}}"#);
        fixture.configured().dependencies =
            vec![depends_on("x.a", ResourceKind::Managed, Link::Reference, &[Action::Create])];
        let run = fixture.plan();
        assert_eq!((run.calls().as_str(), run.changes().as_str()), ("validate", "read read_because_config_unknown"));
        let unknown = r#"{"id":{"$unknown":true},"name":{"$unknown":true},"oc":{"$unknown":true}}"#;
        assert_eq!(*run.change().change.after.value(), object(unknown));
        assert!(run.answer.refreshed.is_absent() && run.answer.working.is_some());
    }

    #[test]
    fn l142_which_dependencies_are_pending() {
        let changes = |kind, link, actions: &[Action], has_condition: bool| {
            let mut fixture = data(r#"{"name":"a"}"#);
            fixture.configured().dependencies = vec![depends_on("x.a", kind, link, actions)];
            if has_condition {
                fixture.configured().postconditions = vec![Tri::Unknown];
            }
            fixture.plan().changes()
        };
        let pending = "read read_because_dependency_pending";
        let update = &[Action::NoOp, Action::Update];
        assert_eq!(changes(ResourceKind::Managed, Link::Reference, update, false), pending);
        assert_eq!(changes(ResourceKind::Managed, Link::DependsOn, &[Action::Delete], false), pending);
        assert_eq!(changes(ResourceKind::Managed, Link::Reference, &[Action::NoOp], false), "");
        assert_eq!(changes(ResourceKind::Managed, Link::Transitive, update, false), "");
        assert_eq!(changes(ResourceKind::Managed, Link::Transitive, update, true), pending);
        assert_eq!(changes(ResourceKind::Data, Link::DependsOn, &[Action::Read], true), "");
    }

    #[test]
    fn l143_a_refresh_drops_unreadable_objects() {
        let mut fixture = data(r#"{"name":{"$unknown":true}}"#);
        fixture.mode = Mode::RefreshOnly;
        let run = fixture.plan();
        assert!(run.answer.changes.is_empty() && run.answer.working.is_none());
        assert!(run.answer.refreshed.is_absent() && run.answer.previous_run.current.is_some());
    }

    #[test]
    fn l145_a_check_reads_again_and_its_failures_are_warnings() {
        let mut fixture = data(r#"{"name":"a"}"#);
        fixture.configured().in_check = true;
        let run = fixture.plan();
        assert_eq!(run.changes(), "read read_because_check_nested");
        assert_eq!(*run.change().change.after.value(), object(READ));
        fixture.provider.read_data = |answer| answer.remarks.push(remark(Severity::Error, "no"));
        let run = fixture.plan();
        assert_eq!(summaries(&run.answer.diagnostics), ["W no"]);
        assert!(run.change().change.after.value().view().member("id").is_some_and(|id| id.is_unknown()));
        assert_eq!(value_of(&run.answer.refreshed.current), object(r#"{"name":"a"}"#), "unknowns are nulls");
        fixture.state = run.answer.refreshed;
        let applied = fixture.apply(run.answer.changes);
        assert_eq!(summaries(&applied.answer.diagnostics), ["W no"]);
        assert_eq!(value_of(&applied.answer.state.current), object(r#"{"name":"a"}"#), "it stays");
    }

    #[test]
    fn l145_a_deferred_object_that_cannot_be_read_in_a_check_is_not_stored() {
        let mut fixture = data(r#"{"name":{"$unknown":true}}"#);
        fixture.configured().in_check = true;
        let changes = fixture.plan().answer.changes;
        fixture.configured().config = Marked::plain(object(r#"{"name":"a"}"#));
        fixture.provider.read_data = |answer| answer.remarks.push(remark(Severity::Error, "no"));
        fixture.state.current = None;
        let applied = fixture.apply(changes);
        assert_eq!(summaries(&applied.answer.diagnostics), ["W no"]);
        assert!(applied.answer.state.is_absent());
    }

    #[test]
    fn l146_a_destroyed_data_object_has_no_values_and_one_without_configuration_leaves_silently() {
        let mut fixture = data(r#"{"name":"a"}"#);
        fixture.mode = Mode::Destroy;
        let run = fixture.plan();
        assert_eq!((run.calls().as_str(), run.changes().as_str()), ("validate validate read_data", "delete"));
        assert_eq!(run.change().change.before.value().ty(), &Type::Dynamic);
        let applied = fixture.apply(run.answer.changes);
        assert!(applied.answer.state.is_absent() && applied.exchanges.is_empty(), "A67");
        fixture.mode = Mode::Normal;
        fixture.presence = Presence::Orphan(Default::default());
        let run = fixture.plan();
        assert!(run.exchanges.is_empty() && run.answer.changes.is_empty() && run.answer.refreshed.is_absent());
    }

    #[test]
    fn l147_an_apply_reads_with_the_configuration_known_then() {
        let mut fixture = data(r#"{"name":{"$unknown":true}}"#);
        let changes = fixture.plan().answer.changes;
        fixture.configured().config = Marked::plain(object(r#"{"name":"a"}"#));
        let applied = fixture.apply(changes);
        assert_eq!(applied.calls(), "validate read_data");
        assert_eq!(value_of(&applied.answer.state.current), object(READ));
    }

    #[test]
    fn l160_a_data_object_destroyed_without_a_refresh_has_its_previous_address() {
        for skip_refresh in [false, true] {
            let mut fixture = data(r#"{"name":"a"}"#);
            fixture.mode = Mode::Destroy;
            fixture.options.skip_refresh = skip_refresh;
            fixture.options.moved_from = Some("x.old".into());
            let want = fixture.options.moved_from.clone().filter(|_| skip_refresh);
            assert_eq!(fixture.plan().change().moved_from, want);
        }
    }
}
