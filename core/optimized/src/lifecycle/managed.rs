//! The plan walk of a managed resource.

use planfuzz_core::address::ResourceKind;
use planfuzz_core::planner::{
    Configured, Diagnostic, Link, Orphan, Plan, PlanRequest, Presence, PreventDestroy, Refusal, Severity, summary,
};
use planfuzz_core::plans::{Action, ActionReason, Change, Marked, Mode, ResourceInstanceChange};
use planfuzz_core::state::{DeposedKey, Object, Private};
use planfuzz_core::value::{Text, WrittenPath};

use super::configured::Intent;
use super::destroy::{reason_of_deletion, reason_to_forget};
use super::typed_object::TypedObject;
use super::walk::{Stop, Walk, Walked, survive};

/// The walk over one instance, and its result so far.
struct Course<'c, 'w, 'r> {
    walk: &'c mut Walk<'w>,
    request: &'r PlanRequest,
    plan: &'c mut Plan,
    /// The kind of walk: the mode of the plan, or the refresh before a destruction.
    pass: Pass,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    Normal,
    RefreshOnly,
    /// L152: the normal plan that refreshes before everything is destroyed.
    BeforeDestroy,
}

/// The plan of an instance of a managed resource.
pub(super) fn plan(walk: &mut Walk<'_>, request: &PlanRequest) -> Result<Plan, Refusal> {
    let mut plan = Plan::default();
    if request.mode != Mode::RefreshOnly {
        // I51: there are at most so many.
        plan.changes.reserve_exact(1 + request.state.deposed.len());
    }
    match request.mode {
        Mode::Normal => pass(walk, request, &mut plan, Pass::Normal)?,
        Mode::RefreshOnly => pass(walk, request, &mut plan, Pass::RefreshOnly)?,
        Mode::Destroy => destroy(walk, request, &mut plan)?,
    }
    Ok(plan)
}

fn pass(walk: &mut Walk<'_>, request: &PlanRequest, plan: &mut Plan, pass: Pass) -> Result<(), Refusal> {
    let mut course = Course { walk, request, plan, pass };
    survive(course.current())?;
    for (key, object) in &request.state.deposed {
        survive(course.deposed(key, object))?;
    }
    Ok(())
}

/// L152.
fn destroy(walk: &mut Walk<'_>, request: &PlanRequest, plan: &mut Plan) -> Result<(), Refusal> {
    let refreshes = !request.options.skip_refresh;
    if refreshes {
        let start = walk.diagnostic_count();
        pass(walk, request, plan, Pass::BeforeDestroy)?;
        if walk.failed_since(start) {
            // LD09.
            *plan = Plan::default();
            return Ok(());
        }
        walk.diagnostics.truncate(start);
        plan.changes.clear();
        plan.working = None;
    }
    let state = if refreshes { plan.refreshed.clone() } else { request.state.clone() };
    let current = state.current.as_ref().map(|object| (None, object));
    let deposed = state.deposed.iter().map(|(key, object)| (Some(key), object));
    for (key, object) in current.into_iter().chain(deposed) {
        survive(destroy_object(walk, request, plan, key, object))?;
    }
    if refreshes {
        // L160.
        for change in &mut plan.changes {
            change.moved_from = None;
        }
        // LD09.
        if walk.failed_since(0) {
            plan.previous_run = state;
        }
    }
    Ok(())
}

fn destroy_object(
    walk: &mut Walk<'_>,
    request: &PlanRequest,
    plan: &mut Plan,
    key: Option<&DeposedKey>,
    object: &Object,
) -> Walked<()> {
    if request.options.skip_refresh {
        // LD06.
        for state in [&mut plan.previous_run, &mut plan.refreshed] {
            match key {
                None => state.current = Some(object.clone()),
                Some(key) => drop(state.deposed.insert(key.clone(), object.clone())),
            }
        }
    }
    let held = walk.upgrade(object)?;
    if request.options.skip_refresh {
        // L153.
        for state in [&mut plan.previous_run, &mut plan.refreshed] {
            match key {
                None => state.current = Some(held.stored()),
                Some(key) => drop(state.deposed.insert(key.clone(), held.stored())),
            }
        }
    }
    // LD30: a block does not decide about deposed objects.
    let block_keeps = key.is_none() && walk.block_keeps(&request.presence);
    let kept = reason_to_forget(walk.program.dialect, block_keeps, held.skip_destroy);
    let forget = request.options.forget || kept.is_some();
    let mut change = walk.plan_destruction(Some(&held), key, &request.options, forget)?;
    let action = change.change.action;
    if let Some(reason) = kept.filter(|_| action == Action::Forget) {
        change.reason = reason;
    }
    if key.is_some() {
        walk.warn_if_forgotten(action);
    }
    plan.changes.push(change);
    if key.is_some() {
        return Ok(());
    }
    // L182: the object stays visible.
    plan.working = Some(held.object);
    let prevent = match &request.presence {
        Presence::Configured(configured) => configured.lifecycle.prevent_destroy,
        Presence::Orphan(orphan) => prevention(orphan),
        Presence::Removed(_) => PreventDestroy::No,
    };
    walk.check_prevention(action, prevent)
}

/// L125.
fn prevention(orphan: &Orphan) -> PreventDestroy {
    if orphan.block { orphan.prevent_destroy } else { PreventDestroy::No }
}

impl<'r> Course<'_, '_, 'r> {
    /// The current object, or the creation of one.
    fn current(&mut self) -> Walked<()> {
        let held = match &self.request.state.current {
            None => None,
            Some(object) => {
                // LD06.
                self.plan.previous_run.current = Some(object.clone());
                self.plan.refreshed.current = Some(object.clone());
                let held = self.walk.upgrade(object)?;
                self.plan.previous_run.current = Some(held.stored());
                self.plan.refreshed.current = Some(held.stored());
                Some(held)
            }
        };
        match (&self.request.presence, held) {
            (Presence::Configured(configured), held) => self.configured(configured, held),
            (Presence::Orphan(orphan), Some(held)) => self.orphan(orphan, held),
            // L129: a removed block has no effect here.
            (Presence::Removed(orphan), Some(held)) if self.pass == Pass::RefreshOnly => self.orphan(orphan, held),
            (Presence::Removed(orphan), Some(held)) => self.removed(orphan, held),
            (Presence::Orphan(_) | Presence::Removed(_), None) => Ok(()),
        }
    }

    fn configured(&mut self, configured: &'r Configured, held: Option<TypedObject>) -> Walked<()> {
        let import = self.request.options.import.as_ref().filter(|_| self.request.state.is_absent());
        let imported = import.filter(|_| self.pass != Pass::BeforeDestroy);
        let mut left = Private::NONE;
        let held = match (held, imported) {
            (Some(held), _) => self.refreshed(configured, held, &mut left)?,
            (None, Some(id)) => Some(self.imported(configured, id)?),
            (None, None) => None,
        };
        if self.pass == Pass::RefreshOnly {
            let severity = Severity::Warning;
            self.walk.conditions(&configured.preconditions, summary::PRECONDITION, severity, "L151");
            self.walk.conditions(&configured.postconditions, summary::POSTCONDITION, severity, "L151");
            self.plan.working = held.as_ref().map(TypedObject::known);
            return Ok(());
        }
        let triggered = self.walk.is_triggered(&configured.lifecycle.replace_triggered_by)?;
        let severity = self.severity();
        let change = self.walk.plan_configured(&Intent {
            configured,
            options: &self.request.options,
            held: held.as_ref(),
            left,
            create_before_destroy: is_created_first(configured),
            triggered,
            severity,
            earlier: None,
            imported: imported.is_some(),
        })?;
        self.planned(configured, held, change)
    }

    /// The severity of a false condition (L30).
    fn severity(&self) -> Severity {
        if self.pass == Pass::Normal { Severity::Error } else { Severity::Warning }
    }

    /// L110 to L113.
    fn planned(
        &mut self,
        configured: &Configured,
        held: Option<TypedObject>,
        change: ResourceInstanceChange,
    ) -> Walked<()> {
        let action = change.change.action;
        self.plan.working = Some(change.change.after.clone());
        self.plan.changes.push(change);
        self.walk.check_prevention(action, configured.lifecycle.prevent_destroy)?;
        if action == Action::NoOp
            && let Some(mut held) = held
        {
            // L112.
            let dependencies = configured_dependencies(configured);
            if held.dependencies != dependencies {
                held.dependencies = dependencies;
                self.plan.refreshed.current = Some(held.kept());
            }
        }
        let severity = self.severity();
        match self.walk.conditions(&configured.postconditions, summary::POSTCONDITION, severity, "L113") {
            true => Err(Stop::Error),
            false => Ok(()),
        }
    }

    /// L06, L10 to L18: the configured object after the refresh. Where it is gone, `left` gets the private data of the answer
    /// (L33).
    fn refreshed(
        &mut self,
        configured: &Configured,
        mut held: TypedObject,
        left: &mut Private,
    ) -> Walked<Option<TypedObject>> {
        let flags = (held.create_before_destroy, held.skip_destroy);
        self.flag(configured, &mut held);
        if self.request.options.skip_refresh {
            if flags != (held.create_before_destroy, held.skip_destroy) {
                self.plan.refreshed.current = Some(held.stored());
            }
            return Ok(Some(held));
        }
        let found = match self.walk.looked_up(&held)? {
            Ok(mut found) => {
                found.dependencies = union(&found.dependencies, configured_dependencies(configured));
                Some(found)
            }
            Err(private) => {
                if !held.is_tainted() {
                    *left = private;
                }
                None
            }
        };
        self.plan.refreshed.current = found.as_ref().map(TypedObject::kept);
        Ok(found)
    }

    /// L06, LD30.
    fn flag(&self, configured: &Configured, held: &mut TypedObject) {
        held.create_before_destroy = is_created_first(configured);
        held.skip_destroy = self.walk.is_kept_on_destroy(configured);
    }

    /// L20 to L22.
    fn imported(&mut self, configured: &Configured, id: &Text) -> Walked<TypedObject> {
        let marks = configured.config.sensitive();
        let mut held = self.walk.import(id, marks, &mut self.plan.previous_run.current)?;
        self.plan.previous_run.current = Some(held.kept());
        self.plan.refreshed.current = Some(held.kept());
        // L06 comes after both, so that the flags are only written by L112, or below where the refresh is skipped (LD26).
        self.flag(configured, &mut held);
        if self.walk.program.dialect.stores_flags_of_imported() && self.request.options.skip_refresh {
            self.plan.refreshed.current = Some(held.kept());
        }
        Ok(held)
    }

    /// L123 to L127.
    fn orphan(&mut self, orphan: &Orphan, held: TypedObject) -> Walked<()> {
        if self.walk.program.dialect.refreshes_orphans_first() {
            let Some(held) = self.found_orphan(held, false)? else { return Ok(()) };
            if self.pass == Pass::RefreshOnly {
                self.plan.working = Some(held.known());
                return Ok(());
            }
            let ending = self.ending(orphan, &held, self.request.options.forget);
            let change = self.walk.plan_destruction(Some(&held), None, &self.request.options, ending.forget)?;
            return self.leave(change, ending.reason, prevention(orphan));
        }
        let ending = self.ending(orphan, &held, self.request.options.forget);
        let change = self.walk.plan_destruction(Some(&held), None, &self.request.options, ending.forget)?;
        let Some(held) = self.found_orphan(held, false)? else { return Ok(()) };
        if self.pass == Pass::RefreshOnly {
            self.plan.working = Some(held.object);
            return Ok(());
        }
        self.leave(change, ending.reason, prevention(orphan))
    }

    /// L127, L129: how an orphan ends, and the reason.
    fn ending(&self, orphan: &Orphan, held: &TypedObject, forget: bool) -> Ending {
        let program = self.walk.program;
        let block_keeps = orphan.block && orphan.keep_on_destroy;
        match reason_to_forget(program.dialect, block_keeps, held.skip_destroy) {
            Some(reason) => Ending { forget: true, reason },
            None => {
                let moved = self.request.options.moved_from.is_some();
                Ending { forget, reason: reason_of_deletion(program.dialect, orphan, moved) }
            }
        }
    }

    /// The refresh of an object that is no longer configured; `None` where it is gone.
    fn found_orphan(&mut self, held: TypedObject, removed: bool) -> Walked<Option<TypedObject>> {
        let skipped = removed && !self.walk.program.dialect.refreshes_what_it_forgets();
        if self.request.options.skip_refresh || skipped {
            return Ok(Some(held));
        }
        let found = self.walk.refresh(&held)?;
        self.plan.refreshed.current = found.as_ref().map(TypedObject::kept);
        Ok(found)
    }

    /// L126: records the end of the current object, which leaves the working state. A forgotten object has the reason of a
    /// deletion, if it has none of its own (L129).
    fn leave(
        &mut self,
        mut change: ResourceInstanceChange,
        reason: ActionReason,
        prevent: PreventDestroy,
    ) -> Walked<()> {
        let action = change.change.action;
        if matches!(action, Action::Delete | Action::Forget) {
            change.reason = reason;
        }
        self.walk.warn_if_forgotten(action);
        self.plan.changes.push(change);
        self.walk.check_prevention(action, prevent)
    }

    /// L129.
    fn removed(&mut self, orphan: &Orphan, held: TypedObject) -> Walked<()> {
        let Some(held) = self.found_orphan(held, true)? else { return Ok(()) };
        // The settings of a removed block do not count.
        let orphan = Orphan { keep_on_destroy: false, ..orphan.clone() };
        let ending = self.ending(&orphan, &held, true);
        let change = self.walk.plan_destruction(Some(&held), None, &self.request.options, true)?;
        self.leave(change, ending.reason, PreventDestroy::No)
    }

    /// L130.
    fn deposed(&mut self, key: &DeposedKey, object: &Object) -> Walked<()> {
        // LD06.
        for state in [&mut self.plan.previous_run, &mut self.plan.refreshed] {
            state.deposed.insert(key.clone(), object.clone());
        }
        let mut held = Some(self.walk.upgrade(object)?);
        for state in [&mut self.plan.previous_run, &mut self.plan.refreshed] {
            state.deposed.extend(held.iter().map(|held| (key.clone(), held.stored())));
        }
        let forget = match self.request.presence {
            Presence::Removed(_) if self.pass != Pass::RefreshOnly => true,
            _ => self.request.options.forget,
        };
        let dialect = self.walk.program.dialect;
        let flagged = held.as_ref().is_some_and(|held| held.skip_destroy);
        if !self.request.options.skip_refresh
            && (!forget || dialect.refreshes_what_it_forgets())
            && let Some(old) = held
        {
            held = self.walk.refresh(&old)?;
            match &held {
                Some(found) => drop(self.plan.refreshed.deposed.insert(key.clone(), found.kept())),
                None => drop(self.plan.refreshed.deposed.remove(key)),
            }
        }
        if self.pass == Pass::RefreshOnly {
            return Ok(());
        }
        let kept = reason_to_forget(self.walk.program.dialect, false, flagged);
        let forget = forget || kept.is_some();
        let is_absent = held.is_none();
        let mut change = self.walk.plan_destruction(held.as_ref(), Some(key), &self.request.options, forget)?;
        if let Some(reason) = kept {
            if is_absent && dialect.forgets_absent_deposed() {
                // L130: the flag has its effect even without the object.
                let null = || Marked::plain(self.walk.null());
                change.change = Change { action: Action::Forget, before: null(), after: null(), importing: None };
            }
            if change.change.action == Action::Forget {
                change.reason = reason;
            }
        }
        self.walk.warn_if_forgotten(change.change.action);
        self.plan.changes.push(change);
        Ok(())
    }
}

/// How an object that is no longer configured ends.
struct Ending {
    /// Whether it is only forgotten.
    forget: bool,
    reason: ActionReason,
}

impl Walk<'_> {
    /// L129: whether an existing block says to keep the current object instead of destroying it.
    fn block_keeps(&self, presence: &Presence) -> bool {
        match presence {
            Presence::Configured(configured) => configured.lifecycle.keep_on_destroy,
            Presence::Orphan(orphan) => orphan.block && orphan.keep_on_destroy,
            Presence::Removed(_) => false,
        }
    }

    /// L129.
    fn warn_if_forgotten(&mut self, action: Action) {
        if action == Action::Forget && self.program.dialect.warns_of_forgetting() {
            self.diagnostics.push(Diagnostic::warning(summary::FORGOTTEN, WrittenPath::default(), "L129"));
        }
    }

    /// L129: whether an object is kept instead of destroyed once it is no longer configured.
    pub(super) fn is_kept_on_destroy(&self, configured: &Configured) -> bool {
        self.program.dialect.can_keep_on_destroy() && configured.lifecycle.keep_on_destroy
    }
}

/// L06.
pub(super) fn is_created_first(configured: &Configured) -> bool {
    configured.lifecycle.create_before_destroy || configured.lifecycle.forced_create_before_destroy
}

/// The configured dependencies (L18, L112, A14): addresses, sorted, each once.
pub(super) fn configured_dependencies(configured: &Configured) -> Vec<Text> {
    let addresses = configured.dependencies.iter().map(|dependency| dependency.address.clone()).collect();
    sorted(addresses)
}

fn union(stored: &[Text], configured: Vec<Text>) -> Vec<Text> {
    if stored.is_empty() || stored == configured {
        return configured;
    }
    let mut all = configured;
    all.extend_from_slice(stored);
    sorted(all)
}

fn sorted(mut addresses: Vec<Text>) -> Vec<Text> {
    addresses.sort_unstable();
    addresses.dedup();
    addresses
}

/// L142: whether a dependency of a data resource has changes pending.
pub(super) fn is_dependency_pending(configured: &Configured) -> bool {
    let has_conditions = !configured.preconditions.is_empty() || !configured.postconditions.is_empty();
    configured.dependencies.iter().any(|dependency| {
        let counts = match dependency.link {
            Link::Reference | Link::DependsOn => true,
            Link::Transitive => has_conditions,
        };
        counts
            && dependency.kind == ResourceKind::Managed
            && dependency.actions.iter().any(|action| *action != Action::NoOp)
    })
}
