//! The apply walk (section 20): the legs of an instance's changes.

use planfuzz_core::address::ResourceKind;
use planfuzz_core::planner::{
    Applied, ApplyRequest, Configured, Presence, Provider, Provisioner, Refusal, Severity, summary,
};
use planfuzz_core::plans::{Action, ResourceInstanceChange};
use planfuzz_core::state::{DeposedKey, InstanceState, Private, Status};
use planfuzz_core::value::Path;

use super::super::operations::Program;
use super::configured::Intent;
use super::data;
use super::managed::{configured_dependencies, is_created_first};
use super::saved::Leg;
use super::typed_object::TypedObject;
use super::walk::{Phase, Stop, Walk, Walked, survive};

/// One instance's part of an apply walk.
pub(in super::super) fn apply(
    program: &Program,
    request: &ApplyRequest,
    provider: &mut dyn Provider,
) -> Result<Applied, Refusal> {
    if reports_twice(request) {
        return Err(Refusal::new("LD46", &Path::root(), "conditions are reported for a deposed object as well"));
    }
    let walk = Walk::new(program, provider, Phase::Apply);
    let mut legs = Legs { walk, request, state: request.state.clone(), held_up: false };
    for change in request.changes.iter().filter(|change| change.deposed.is_none()) {
        match request.kind {
            ResourceKind::Managed => legs.current(change)?,
            ResourceKind::Data => legs.data(change)?,
        }
    }
    let deposed = request.changes.iter().filter_map(|change| Some((change.deposed.as_ref()?, change)));
    let mut deposed: Vec<_> = deposed.filter(|_| !legs.held_up).collect();
    deposed.sort_by_key(|(key, _)| *key);
    for (key, change) in deposed {
        match change.change.action {
            Action::Delete => legs.deposed(key)?,
            Action::Forget => drop(survive(legs.forget_deposed(key))?),
            // A53: the object was gone already.
            _ => {}
        }
    }
    Ok(Applied { state: legs.state, diagnostics: legs.walk.diagnostics })
}

/// LD46: whether a deposed object has a no-op while the configured one has conditions to evaluate.
fn reports_twice(request: &ApplyRequest) -> bool {
    let deposed = request.changes.iter().filter(|change| change.deposed.is_some());
    let mut actions = deposed.map(|change| change.change.action);
    match &request.presence {
        Presence::Configured(configured) if configured.preconditions.len() + configured.postconditions.len() > 0 => {
            actions.any(|action| action == Action::NoOp)
        }
        _ => false,
    }
}

struct Legs<'w, 'r> {
    walk: Walk<'w>,
    request: &'r ApplyRequest,
    state: InstanceState,
    /// A62: whether the leg of the current object ended in an error, so that deposed objects are not destroyed.
    held_up: bool,
}

impl<'r> Legs<'_, 'r> {
    /// 20.7.
    fn forget(&mut self) -> Walked<()> {
        if let Some(object) = &self.state.current {
            self.walk.upgrade(object)?;
        }
        self.state.current = None;
        Ok(())
    }

    /// 20.7.
    fn forget_deposed(&mut self, key: &DeposedKey) -> Walked<()> {
        let Some(object) = self.state.deposed.get(key) else { return Ok(()) };
        let start = self.walk.diagnostic_count();
        self.walk.upgrade(object)?;
        // A55
        if self.walk.diagnostic_count() == start {
            self.state.deposed.remove(key);
        }
        Ok(())
    }

    fn configured(&self) -> Option<&'r Configured> {
        self.request.presence.configured()
    }

    /// The legs of the current object's change, in order (20.8).
    fn current(&mut self, change: &ResourceInstanceChange) -> Result<(), Refusal> {
        let start = self.walk.diagnostic_count();
        match change.change.action {
            Action::NoOp => {
                survive(self.keep())?;
            }
            Action::Create | Action::Update => self.create(change)?,
            Action::Delete => return self.destroy(change).map(drop),
            Action::DeleteThenCreate => {
                // A61.
                if self.destroy(change)? {
                    self.create(change)?;
                }
            }
            Action::CreateThenDelete | Action::CreateThenForget => return self.replace_created_first(change),
            Action::Forget => {
                survive(self.forget())?;
                return Ok(());
            }
            Action::ForgetThenCreate => {
                self.state.current = None;
                self.create(change)?;
            }
            Action::Read => {
                return Err(Refusal::new("L97", &Path::root(), "a managed resource is not read to be applied"));
            }
        }
        self.held_up = self.walk.failed_since(start);
        Ok(())
    }

    /// A02, A16, A62.
    fn replace_created_first(&mut self, change: &ResourceInstanceChange) -> Result<(), Refusal> {
        let key = &self.request.options.fresh_key;
        if let Some(object) = self.state.current.take() {
            self.state.deposed.insert(key.clone(), object);
        }
        let start = self.walk.diagnostic_count();
        self.create(change)?;
        self.held_up = self.walk.failed_since(start);
        if self.held_up || !self.state.deposed.contains_key(key) {
            return Ok(());
        }
        if change.change.action == Action::CreateThenForget {
            self.state.deposed.remove(key);
            return Ok(());
        }
        self.deposed(key)
    }

    /// 20.1: the create/update leg.
    fn create(&mut self, earlier: &ResourceInstanceChange) -> Result<(), Refusal> {
        let Some(configured) = self.configured() else {
            return Err(Refusal::new("A04", &Path::root(), "what is created or updated needs a configuration"));
        };
        let start = self.walk.diagnostic_count();
        let applied = survive(self.create_steps(configured, earlier))?;
        if let Some(Reached::Call) = applied {
            // A16.
            if self.walk.failed_since(start) {
                let action = earlier.change.action;
                if deposes_first(action) && self.state.current.is_none() {
                    self.state.current = self.state.deposed.remove(&self.request.options.fresh_key);
                }
                if action == Action::DeleteThenCreate && self.walk.is_flagged(configured, action) {
                    self.walk.error(summary::NOTHING_TO_RESTORE, "A16");
                }
            }
            self.postconditions();
        }
        Ok(())
    }

    /// A03 to A15.
    fn create_steps(&mut self, configured: &'r Configured, earlier: &ResourceInstanceChange) -> Walked<Reached> {
        let start = self.walk.diagnostic_count();
        let held = match &self.state.current {
            Some(object) => Some(self.walk.upgrade(object)?),
            None => None,
        };
        let planned = self.walk.plan_configured(&Intent {
            configured,
            options: &self.request.options,
            held: held.as_ref(),
            left: Private::NONE,
            create_before_destroy: earlier.change.action == Action::CreateThenDelete,
            triggered: false,
            severity: Severity::Error,
            earlier: Some(earlier),
            imported: false,
        })?;
        self.compare(earlier, &planned)?;
        let change = planned.simplify(false);
        if change.change.action == Action::NoOp {
            self.postconditions();
            return Ok(Reached::NoOp);
        }
        let applied = self.walk.apply_leg(&Leg {
            change: &change,
            config: configured.config.value().clone(),
            held: held.as_ref(),
            create_before_destroy: self.walk.is_flagged(configured, earlier.change.action),
            skip_destroy: self.walk.is_kept_on_destroy(configured),
        })?;
        self.save(configured, change.change.action == Action::Create, applied, start);
        Ok(Reached::Call)
    }

    /// A06 to A08.
    fn compare(&mut self, earlier: &ResourceInstanceChange, planned: &ResourceInstanceChange) -> Walked<()> {
        let start = self.walk.diagnostic_count();
        match (earlier.change.action, planned.change.action) {
            (earlier, planned) if earlier == planned => {}
            (Action::Update, Action::NoOp) | (Action::ForgetThenCreate, Action::Create) => {}
            (Action::DeleteThenCreate, Action::CreateThenDelete)
            | (Action::CreateThenDelete, Action::DeleteThenCreate) => {
                self.walk.error(self.walk.program.dialect.inconsistent_core_plan(), "A06");
            }
            _ => self.walk.error(summary::INCONSISTENT_FINAL_PLAN, "A06"),
        }
        let sides = [&earlier.change.after, &planned.change.after];
        let violations = self.walk.program.assert_object_compatible(sides[0].value(), sides[1].value())?;
        if !violations.is_empty() {
            self.walk.report_incompatible(&violations, sides, summary::INCONSISTENT_FINAL_PLAN, "A07");
        }
        self.walk.stop_since(start)
    }

    /// A13 to A15.
    fn save(&mut self, configured: &Configured, created: bool, applied: Option<TypedObject>, start: usize) {
        let mut held = applied.map(|mut held| {
            if created && self.walk.failed_since(start) {
                held.status = Status::Tainted;
            }
            held.dependencies = configured_dependencies(configured);
            held
        });
        if let Some(held) = held.as_mut().filter(|held| created && !held.is_tainted())
            && !self.provision(&configured.provisioners, false)
        {
            held.status = Status::Tainted;
        }
        self.state.current = held.as_ref().map(TypedObject::stored);
    }

    /// A15, A42: runs the provisioners of creation or destruction; returns whether none failed for good.
    fn provision(&mut self, provisioners: &[Provisioner], on_destroy: bool) -> bool {
        // LD44: a failure that is allowed is not reported.
        let is_fatal = |one: &Provisioner| one.on_destroy == on_destroy && one.fails && !one.on_failure_continue;
        let fails = provisioners.iter().any(is_fatal);
        if fails {
            self.walk.error(summary::PROVISIONER, if on_destroy { "A42" } else { "A15" });
        }
        !fails
    }

    /// L30, L31, A10: a leg without a change. Without conditions the object is not even read.
    fn keep(&mut self) -> Walked<()> {
        if let Some(configured) = self.configured() {
            if configured.preconditions.is_empty() && configured.postconditions.is_empty() {
                return Ok(());
            }
            if let Some(object) = &self.state.current {
                self.walk.upgrade(object)?;
            }
            self.walk.preconditions(configured, Severity::Error)?;
        }
        self.postconditions();
        Ok(())
    }

    /// A10, A17.
    fn postconditions(&mut self) {
        if let Some(configured) = self.configured() {
            self.walk.conditions(&configured.postconditions, summary::POSTCONDITION, Severity::Error, "A17");
        }
    }

    /// 20.5: the destroy leg; returns whether it had no error.
    fn destroy(&mut self, change: &ResourceInstanceChange) -> Result<bool, Refusal> {
        let start = self.walk.diagnostic_count();
        survive(self.destroy_steps(change))?;
        Ok(!self.walk.failed_since(start))
    }

    fn destroy_steps(&mut self, change: &ResourceInstanceChange) -> Walked<()> {
        let Some(object) = &self.state.current else { return Ok(()) };
        let held = self.walk.upgrade(object)?;
        if let Some(configured) = self.configured().filter(|_| !held.is_tainted())
            && !self.provision(&configured.provisioners, true)
        {
            return Err(Stop::Error);
        }
        let applied = self.delete(&change.simplify(true), &held)?;
        self.state.current = applied.as_ref().map(TypedObject::stored);
        Ok(())
    }

    fn delete(&mut self, change: &ResourceInstanceChange, held: &TypedObject) -> Walked<Option<TypedObject>> {
        let config = self.walk.null();
        self.walk.apply_leg(&Leg {
            change,
            config,
            held: Some(held),
            create_before_destroy: false,
            skip_destroy: false,
        })
    }

    /// 20.6: the deposed leg.
    fn deposed(&mut self, key: &DeposedKey) -> Result<(), Refusal> {
        survive(self.deposed_steps(key)).map(drop)
    }

    fn deposed_steps(&mut self, key: &DeposedKey) -> Walked<()> {
        let Some(object) = self.state.deposed.get(key) else {
            return self.walk.fail(summary::NO_DEPOSED, "A53");
        };
        let start = self.walk.diagnostic_count();
        let held = self.walk.upgrade(object)?;
        if self.walk.diagnostic_count() > start {
            // A55: a warning of the provider counts as an error, but is not reported as one.
            return Ok(());
        }
        let options = &self.request.options;
        // An object that is only forgotten has no such leg (20.7).
        let change = self.walk.plan_destruction(Some(&held), Some(key), options, false)?;
        let applied = match change.change.action {
            Action::Delete => self.delete(&change, &held)?,
            _ => None,
        };
        match applied {
            Some(held) => drop(self.state.deposed.insert(key.clone(), held.stored())),
            None => drop(self.state.deposed.remove(key)),
        }
        Ok(())
    }

    /// A67, L147.
    fn data(&mut self, change: &ResourceInstanceChange) -> Result<(), Refusal> {
        match (change.change.action, self.configured()) {
            (Action::Delete, _) => self.state.current = None,
            (Action::Read, Some(configured)) => {
                survive(self.read(configured))?;
            }
            (Action::Read, None) => {
                return Err(Refusal::new("L147", &Path::root(), "what is read needs a configuration"));
            }
            _ => {}
        }
        Ok(())
    }

    fn read(&mut self, configured: &Configured) -> Walked<()> {
        self.walk.preconditions(configured, Severity::Error)?;
        let start = self.walk.diagnostic_count();
        self.walk.ephemeral(configured);
        self.walk.stop_since(start)?;
        // L145: a read in a check may fail, and leaves the state alone then.
        let read = match configured.in_check {
            true => self.walk.try_read_data(configured)?,
            false => Some(self.walk.read_data(configured)?),
        };
        if let Some(read) = read {
            self.state.current = Some(data::stored(read));
        }
        self.postconditions();
        Ok(())
    }
}

/// The end that a create/update leg reached.
enum Reached {
    /// There was no change to apply (A10).
    NoOp,
    /// The apply call (A11).
    Call,
}

impl Walk<'_> {
    /// L06: whether the saved object has the flag of creating first. A forced flag may count only where the plan
    /// creates first.
    fn is_flagged(&self, configured: &Configured, planned: Action) -> bool {
        match planned == Action::CreateThenDelete || self.program.dialect.forces_create_before_destroy_in_applies() {
            true => is_created_first(configured),
            false => configured.lifecycle.create_before_destroy,
        }
    }
}

/// Whether an action deposes the old object first (A02).
fn deposes_first(action: Action) -> bool {
    matches!(action, Action::CreateThenDelete | Action::CreateThenForget)
}
