//! A managed instance in the plan walk (section 2).

use planfuzz_core::planner::{Configured, Plan, PlanOptions, PlanRequest, Presence, Refusal, Severity};
use planfuzz_core::plans::{Action, Marked, Mode, ResourceInstanceChange};
use planfuzz_core::state::{DeposedKey, Object, Private, Status};
use planfuzz_core::value::Text;

use super::destroy::prevent_destroy;
use super::orphan::forgotten_by_lifecycle;
use super::refresh::ReadOutcome;
use super::sequence::Sequence;
use super::typed_object::TypedObject;
use super::walk::{Step, Walk, contained};

/// The purpose of a plan walk.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// L150.
    Changes,
    /// L151.
    Refresh,
    /// L152: the refresh that precedes a destroy plan.
    BeforeDestroy,
}

impl Purpose {
    pub fn of(mode: Mode) -> Purpose {
        match mode {
            Mode::Normal => Purpose::Changes,
            Mode::RefreshOnly => Purpose::Refresh,
            Mode::Destroy => Purpose::BeforeDestroy,
        }
    }

    /// L30: the severity of a false condition.
    pub fn conditions(self) -> Severity {
        match self {
            Purpose::Changes => Severity::Error,
            Purpose::Refresh | Purpose::BeforeDestroy => Severity::Warning,
        }
    }
}

/// The addresses of all resources that this one depends on, sorted, each once (A14).
pub(super) fn configured_dependencies(configured: &Configured) -> Vec<Text> {
    let mut addresses: Vec<Text> =
        configured.dependencies.iter().map(|dependency| dependency.address.clone()).collect();
    addresses.sort_unstable();
    addresses.dedup();
    addresses
}

impl Walk<'_, '_> {
    /// Plans the current object, then the deposed ones by key.
    pub fn plan_managed(&mut self, request: &PlanRequest, purpose: Purpose, plan: &mut Plan) -> Result<(), Refusal> {
        contained(self.plan_current(request, purpose, plan))?;
        for (key, object) in &request.state.deposed {
            contained(self.plan_deposed(request, purpose, key, object, plan))?;
        }
        Ok(())
    }

    fn plan_current(&mut self, request: &PlanRequest, purpose: Purpose, plan: &mut Plan) -> Step<()> {
        // Section 2, 1.
        let stored = match &request.state.current {
            None => None,
            Some(object) => {
                // LD06
                plan.previous_run.current = Some(object.clone());
                plan.refreshed.current = Some(object.clone());
                Some(self.read_stored(object)?)
            }
        };
        plan.previous_run.current = stored.as_ref().map(TypedObject::store);
        plan.refreshed.current = stored.as_ref().map(TypedObject::store);
        match (&request.presence, stored) {
            (Presence::Configured(configured), stored) => {
                self.plan_current_configured(request, configured, purpose, stored, plan)
            }
            (_, None) => Ok(()),
            (Presence::Removed(orphan), Some(stored)) if purpose == Purpose::Refresh => {
                // L129: a plan that only refreshes ignores the block.
                let presence = Presence::Orphan(orphan.clone());
                self.plan_current_orphan(request, &presence, purpose, stored, plan)
            }
            (presence, Some(stored)) => self.plan_current_orphan(request, presence, purpose, stored, plan),
        }
    }

    fn plan_current_configured(
        &mut self,
        request: &PlanRequest,
        configured: &Configured,
        purpose: Purpose,
        stored: Option<TypedObject>,
        plan: &mut Plan,
    ) -> Step<()> {
        let dependencies = configured_dependencies(configured);
        let lifecycle = &configured.lifecycle;
        // L06
        let create_before_destroy = lifecycle.create_before_destroy || lifecycle.forced_create_before_destroy;
        let skip_destroy = lifecycle.keep_on_destroy && self.dialect().can_keep_on_destroy();
        let flagged = stored.map(|object| TypedObject { create_before_destroy, skip_destroy, ..object });
        // L20, L23
        let imports = request.state.is_absent() && purpose == Purpose::Changes;
        let import = request.options.import.as_ref().filter(|_| imports);
        // Section 2, 3.
        let mut left = Private::NONE;
        let object = match (flagged, import) {
            (None, Some(id)) => {
                let imported = self.import(id, configured.config.sensitive(), &mut plan.previous_run.current)?;
                plan.previous_run.current = Some(imported.encode()?);
                plan.refreshed.current = Some(imported.encode()?);
                let flagged = TypedObject { create_before_destroy, skip_destroy, ..imported };
                // L22, LD26: only then are the flags stored.
                if request.options.skip_refresh && self.dialect().stores_flags_of_imported() {
                    plan.refreshed.current = Some(flagged.encode()?);
                }
                Some(flagged)
            }
            (object, _) => {
                // L10: a refresh that fails leaves the flag as it was.
                let object = match object {
                    Some(object) if !request.options.skip_refresh => {
                        match self.refresh_object(&object, &dependencies)? {
                            ReadOutcome::There(object) => Some(object),
                            // L33
                            ReadOutcome::Gone(_) if object.status == Status::Tainted => None,
                            ReadOutcome::Gone(private) => {
                                left = private;
                                None
                            }
                        }
                    }
                    object => object,
                };
                plan.refreshed.current = object.as_ref().map(TypedObject::encode).transpose()?;
                object
            }
        };
        // Section 2, 4.
        if purpose == Purpose::Refresh {
            self.preconditions(configured, purpose.conditions())?;
            plan.working = object.as_ref().map(TypedObject::encoded).transpose()?;
            return self.postconditions(configured, purpose.conditions());
        }
        let triggered = self.triggered(&lifecycle.replace_triggered_by)?;
        let change = self.plan_configured(&Sequence {
            configured,
            object: object.as_ref(),
            left,
            create_before_destroy,
            forced: triggered || request.options.replace,
            triggered,
            preconditions: purpose.conditions(),
            moved_from: request.options.moved_from.clone(),
            importing: import.cloned(),
            earlier: None,
        })?;
        // L110
        plan.working = Some(change.change.after.clone());
        plan.changes.push(change.clone());
        // L111
        self.check_prevent_destroy(&change, lifecycle.prevent_destroy)?;
        // L112
        if change.change.action == Action::NoOp
            && let Some(object) = object.filter(|object| object.dependencies != dependencies)
        {
            plan.refreshed.current = Some(TypedObject { dependencies, ..object }.encode()?);
        }
        // L113
        self.postconditions(configured, purpose.conditions())
    }

    /// An object without a value is not read (section 5).
    fn refresh_object(&mut self, object: &TypedObject, dependencies: &[Text]) -> Step<ReadOutcome> {
        match object.value.is_null() {
            true => Ok(ReadOutcome::There(object.clone())),
            false => self.refresh(object, dependencies),
        }
    }

    /// L123, L129.
    fn plan_current_orphan(
        &mut self,
        request: &PlanRequest,
        presence: &Presence,
        purpose: Purpose,
        stored: TypedObject,
        plan: &mut Plan,
    ) -> Step<()> {
        let options = &request.options;
        let dialect = self.dialect();
        let refreshes =
            !options.skip_refresh && (dialect.refreshes_what_it_forgets() || !matches!(presence, Presence::Removed(_)));
        let (change, object) = if dialect.refreshes_orphans_first() {
            let object = if refreshes { self.refresh_object(&stored, &[])?.object() } else { Some(stored) };
            plan.refreshed.current = object.as_ref().map(TypedObject::encode).transpose()?;
            let change = match &object {
                Some(object) if purpose != Purpose::Refresh => Some(self.plan_orphan(object, presence, options)?),
                _ => None,
            };
            (change, object)
        } else {
            let change = self.plan_orphan(&stored, presence, options)?;
            let object = if refreshes { self.refresh_object(&stored, &[])?.object() } else { Some(stored) };
            plan.refreshed.current = object.as_ref().map(TypedObject::encode).transpose()?;
            (object.is_some().then_some(change), object)
        };
        self.record_orphan(change.filter(|_| purpose != Purpose::Refresh), presence, object, plan)
    }

    /// L126, L125. Without a change the object stays.
    fn record_orphan(
        &mut self,
        change: Option<ResourceInstanceChange>,
        presence: &Presence,
        object: Option<TypedObject>,
        plan: &mut Plan,
    ) -> Step<()> {
        let Some(change) = change else {
            plan.working = object.as_ref().map(TypedObject::encoded).transpose()?;
            return Ok(());
        };
        plan.changes.push(change.clone());
        self.warn_of_forgetting(&change);
        self.check_prevent_destroy(&change, prevent_destroy(presence))
    }

    /// L130.
    fn plan_deposed(
        &mut self,
        request: &PlanRequest,
        purpose: Purpose,
        key: &DeposedKey,
        object: &Object,
        plan: &mut Plan,
    ) -> Step<()> {
        // LD06
        plan.previous_run.deposed.insert(key.clone(), object.clone());
        plan.refreshed.deposed.insert(key.clone(), object.clone());
        let stored = self.read_stored(object)?;
        plan.previous_run.deposed.insert(key.clone(), stored.store());
        plan.refreshed.deposed.insert(key.clone(), stored.store());
        let keeps = stored.skip_destroy;
        let forget = forgets(request);
        // LD08
        let stays = forget && !self.dialect().refreshes_what_it_forgets();
        let object = match request.options.skip_refresh || stays {
            true => Some(stored),
            false => self.refresh_object(&stored, &[])?.object(),
        };
        match &object {
            Some(object) => plan.refreshed.deposed.insert(key.clone(), object.encode()?),
            None => plan.refreshed.deposed.remove(key),
        };
        if purpose == Purpose::Refresh {
            return Ok(());
        }
        let change = self.plan_deposed_change(key, object.as_ref(), keeps, &request.options, forget)?;
        plan.changes.push(change);
        Ok(())
    }

    /// L152: the second walk of a destroy plan, over the objects of the first one, or over the stored ones.
    pub fn destroy_managed(&mut self, request: &PlanRequest, refreshed: bool, plan: &mut Plan) -> Result<(), Refusal> {
        let state = if refreshed { plan.refreshed.clone() } else { request.state.clone() };
        if let Some(object) = &state.current {
            contained(self.destroy_current(request, object, refreshed, plan))?;
        }
        for (key, object) in &state.deposed {
            contained(self.destroy_deposed(&request.options, key, object, refreshed, plan))?;
        }
        Ok(())
    }

    fn destroy_current(
        &mut self,
        request: &PlanRequest,
        object: &Object,
        refreshed: bool,
        plan: &mut Plan,
    ) -> Step<()> {
        if !refreshed {
            // LD06
            plan.previous_run.current = Some(object.clone());
            plan.refreshed.current = Some(object.clone());
        }
        let object = self.read_stored(object)?;
        if !refreshed {
            plan.previous_run.current = Some(object.store());
            plan.refreshed.current = Some(object.store());
        }
        // L128: the only reasons are those of L129.
        let change = match forgotten_by_lifecycle(self.dialect(), &request.presence, &object) {
            Some(reason) => ResourceInstanceChange { reason, ..self.forgotten(&object) },
            None => self.plan_destroy(Some(&object), request.options.forget)?,
        };
        let change = ResourceInstanceChange { moved_from: request.options.moved_from.clone(), ..change };
        // L182: the object stays visible.
        plan.working = Some(object.value).filter(|value: &Marked| !value.is_null());
        plan.changes.push(change.clone());
        self.check_prevent_destroy(&change, prevent_destroy(&request.presence))
    }

    fn destroy_deposed(
        &mut self,
        options: &PlanOptions,
        key: &DeposedKey,
        object: &Object,
        refreshed: bool,
        plan: &mut Plan,
    ) -> Step<()> {
        if !refreshed {
            // LD06
            plan.previous_run.deposed.insert(key.clone(), object.clone());
            plan.refreshed.deposed.insert(key.clone(), object.clone());
        }
        let object = self.read_stored(object)?;
        if !refreshed {
            plan.previous_run.deposed.insert(key.clone(), object.store());
            plan.refreshed.deposed.insert(key.clone(), object.store());
        }
        let change = self.plan_deposed_change(key, Some(&object), object.skip_destroy, options, options.forget)?;
        plan.changes.push(change);
        Ok(())
    }
}

/// Whether objects that would be destroyed are only forgotten (L120, L129).
fn forgets(request: &PlanRequest) -> bool {
    let is_removed = matches!(request.presence, Presence::Removed(_)) && request.mode != Mode::RefreshOnly;
    request.options.forget || is_removed
}
