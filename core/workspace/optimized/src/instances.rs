//! One instance in a plan walk: the workspace computes its facts, and calls the planner of instances with them.
//!
//! Facts that all instances of a block share are computed once for the block.

use std::collections::BTreeMap;

use hashbrown::HashSet;
use planfuzz_core::address::{AbsResourceInstance, InstanceKey, Notation, ProviderConfig, ResourceKind, ResourceMode};
use planfuzz_core::planner::{Dependency, Link, PlanOptions, PlanRequest, Presence, Severity, summary};
use planfuzz_core::plans::{Action, AddressedChange, Change, Mode};
use planfuzz_core::state::{InstanceState, Object, Private};
use planfuzz_core::value::{PathSet, Text, WrittenPath};
use planfuzz_core::{planner, plans};
use planfuzz_language::expression::Marked;
use planfuzz_language_compiled::Slots;
use planfuzz_workspace::{Diagnostic, Instances, ResourceState, Status};

use crate::asked::{Asked, Ends, Seen};
use crate::blocks::{Taken, prevent_destroy};
use crate::depends::{Depends, Source};
use crate::diagnostics;
use crate::facts::{Facts, ignored};
use crate::judged::Visit;
use crate::scene::Scene;
use crate::scope::Repeated;
use crate::walk::{Calls, Purpose, Walk, flag};

/// The facts that all instances of a block share.
pub struct Shared {
    /// The block.
    pub block: usize,
    /// Its dependencies.
    pub depends: Vec<Depends>,
    /// The same in the form of the planner of instances; links and actions are those of data resources.
    pub dependencies: Vec<Dependency>,
    /// `lifecycle`, without triggers.
    pub lifecycle: planner::Lifecycle,
    /// Which dependencies count for data resources (G95, G96).
    pub looked_at: Vec<bool>,
}

impl Walk<'_, '_, '_, '_> {
    /// Computes the facts that all instances of a block share.
    pub fn shared_facts(&mut self, block: usize) -> Shared {
        let of = &self.model.blocks[block];
        let depends = self.dependencies(block);
        let mode = |one: &Depends| match one.of {
            Source::Block(block) => self.model.blocks[block as usize].address.mode,
            Source::Orphan(thing) => self.wired.things[thing as usize].address.resource.mode,
        };
        let dependency = |one: &Depends| Dependency {
            address: one.text.clone(),
            kind: kind(mode(one)),
            link: Link::Transitive,
            actions: Vec::new(),
        };
        let dependencies = depends.iter().map(dependency).collect();
        let lifecycle = planner::Lifecycle {
            create_before_destroy: flag(self.model, block),
            forced_create_before_destroy: self.purpose != Purpose::Apply && self.forced.has(block as u32),
            prevent_destroy: prevent_destroy(&of.of.lifecycle),
            // L04: an import plans nothing, and its `ignore_changes` were not checked.
            ignore_changes: match self.purpose {
                Purpose::Import => planner::IgnoreChanges::default(),
                _ => ignored(&of.of.lifecycle.ignore_changes),
            },
            replace_triggered_by: Vec::new(),
            keep_on_destroy: false,
        };
        let looked_at = match of.address.mode {
            ResourceMode::Data => self.looked_at(block, &depends),
            _ => Vec::new(),
        };
        Shared { block, dependencies, depends, lifecycle, looked_at }
    }

    /// An instance of a block.
    pub fn plan_instance(
        &mut self,
        shared: &Shared,
        inst: usize,
        address: &AbsResourceInstance,
        repeated: &Repeated,
        taken: &mut Taken,
    ) -> bool {
        self.fill_for(inst, shared.block);
        let stored = taken.current(&address.key);
        let (scene, calls, insts) = self.split();
        let outcome = scene.plan_instance(calls, &mut insts[inst].slots, shared, address, repeated, stored);
        let Outcome { diagnostics, is_fine, planned } = outcome;
        self.report(diagnostics);
        let Some(planned) = planned else { return is_fine };
        let (working, status) = self.take_in(shared.block, inst, address, planned, taken);
        let is_seen = taken.is_seen(&address.key);
        let visit = Visit { block: shared.block, inst, address, repeated, is_seen };
        self.hold(&visit, working, [is_fine, is_fine], status)
    }

    /// Takes in the result of an instance, except its diagnostics; returns what expressions see of it, and the results of its preconditions.
    pub fn take_in(
        &mut self,
        block: usize,
        inst: usize,
        address: &AbsResourceInstance,
        planned: Planned,
        taken: &mut Taken,
    ) -> (Option<Marked>, (Status, Vec<String>)) {
        let of = &self.model.blocks[block];
        let provider = &self.model.providers[of.provider].address;
        if of.check.is_some() {
            self.note_failed_read(address, planned.failed_read);
        }
        self.results.found_other |= planned.is_found;
        if let Some(Objects { previous, refreshed }) = planned.objects {
            put_current(&mut taken.previous, &address.key, provider, previous);
            put_current(&mut taken.state, &address.key, provider, refreshed);
        }
        planned.changes.into_iter().for_each(|change| self.record(change));
        self.results.drift.extend(planned.drift);
        let objects = &mut self.insts[inst].objects[of.place];
        match &planned.working {
            Some(working) => drop(objects.insert(address.key.clone(), working.clone())),
            None => drop(objects.remove(&address.key)),
        }
        (planned.working, planned.status)
    }

    /// G15: whether stored objects are not read.
    pub fn skips_refresh(&self) -> bool {
        self.scene().skips_refresh()
    }

    /// E162: keeps the error of a failed read of the data resource of a check in this visit.
    pub fn note_failed_read(&mut self, address: &AbsResourceInstance, failed: Option<String>) {
        match failed {
            Some(failure) => drop(self.failed_reads.insert(address.to_string(), failure)),
            None => drop(self.failed_reads.remove(&address.to_string())),
        }
    }

    /// Calls the planner of instances for a plan.
    pub fn ask_plan(
        &mut self,
        typed: usize,
        address: &AbsResourceInstance,
        about: &str,
        provider: &ProviderConfig,
        is_validated: bool,
        request: &PlanRequest,
    ) -> (planner::Plan, Seen) {
        let (scene, calls, _) = self.split();
        scene.ask_plan(calls, typed, (address, about), provider, is_validated, request)
    }

    /// Records the answer of the planner of an instance about its current object.
    pub fn record_plan(
        &mut self,
        address: &AbsResourceInstance,
        provider: &ProviderConfig,
        plan: planner::Plan,
        taken: &mut Taken,
    ) {
        self.note_found(address.resource.mode, &plan);
        put_current(&mut taken.previous, &address.key, provider, plan.previous_run.current);
        put_current(&mut taken.state, &address.key, provider, plan.refreshed.current);
        self.record_changes(address, provider, plan.changes, plan.drift);
    }

    /// G156: where states are not compared, the planners of instances report whether a refresh found something.
    pub fn note_found(&mut self, mode: ResourceMode, plan: &planner::Plan) {
        self.results.found_other |= is_found(mode, plan);
    }

    /// Records changes and drift.
    pub fn record_changes(
        &mut self,
        address: &AbsResourceInstance,
        provider: &ProviderConfig,
        changes: Vec<plans::ResourceInstanceChange>,
        drift: Option<planner::Drift>,
    ) {
        let drift = drift.map(|drift| self.scene().drifted(address, provider, drift));
        let changes = self.scene().addressed(address, provider, changes);
        changes.into_iter().for_each(|change| self.record(change));
        self.results.drift.extend(drift);
    }

    /// G152: a moved object that was not visited is recorded as drift, unchanged.
    pub fn unvisited_moves(&mut self) {
        if self.moved.is_empty() {
            return;
        }
        let reported: HashSet<&AbsResourceInstance> = self.results.drift.iter().map(|drift| &drift.addr).collect();
        let drift_of = |address: &AbsResourceInstance| {
            let resource = address.abs_resource();
            let stored = self.state.resources.get(&resource)?;
            let object = stored.instances.get(&address.key)?.current.as_ref()?;
            let value = self.decoded(object, self.typed_of(&resource, &stored.provider)?)?;
            let drift = planner::Drift { action: Action::NoOp, before: value.clone(), after: value };
            Some(self.scene().drifted(address, &stored.provider, drift))
        };
        let is_managed = |address: &&AbsResourceInstance| address.resource.mode == ResourceMode::Managed;
        let unvisited = self.moved.keys().filter(is_managed).filter(|address| !reported.contains(address));
        let found: Vec<AddressedChange> = unvisited.filter_map(drift_of).collect();
        drop(reported);
        self.results.drift.extend(found);
    }
}

/// The result of planning an instance.
pub struct Outcome {
    /// Its diagnostics.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether none of them is an error.
    pub is_fine: bool,
    /// The answer of its planner; `None` if it was not called.
    pub planned: Option<Planned>,
}

/// The answer of the planner of an instance, as a walk takes it in.
pub struct Planned {
    /// For the data resource of a check: the error of its read, if it failed.
    pub failed_read: Option<String>,
    /// Whether a refresh found something (G156).
    pub is_found: bool,
    /// Its object; `None` if the stored one stays as it is, even in a resource without instances.
    pub objects: Option<Objects>,
    /// Its changes.
    pub changes: Vec<AddressedChange>,
    /// Its change outside of the engine.
    pub drift: Option<AddressedChange>,
    /// The value that expressions see.
    pub working: Option<Marked>,
    /// The results of its preconditions.
    pub status: (Status, Vec<String>),
}

/// An object before and after the refresh.
pub struct Objects {
    /// As it was.
    pub previous: Option<Object>,
    /// As it is.
    pub refreshed: Option<Object>,
}

impl Scene<'_, '_> {
    /// Plans an instance of a block, given filled slots for all needs of its block: a function of these, of its stored objects, and of the
    /// answers of providers.
    pub fn plan_instance(
        &self,
        calls: &mut Calls<'_>,
        slots: &mut Slots,
        shared: &Shared,
        address: &AbsResourceInstance,
        repeated: &Repeated,
        stored: InstanceState,
    ) -> Outcome {
        let model = self.model;
        let of = &model.blocks[shared.block];
        let Some(typed) = of.schema else { return Outcome { diagnostics: Vec::new(), is_fine: true, planned: None } };
        let facts = self.facts(slots, shared, address, repeated);
        let Facts { configured, preconditions, triggers, status, broken, warned } = facts;
        // An instance whose configuration cannot be evaluated is not planned; a managed object is refreshed before the error.
        let is_broken = !broken.is_empty();
        let is_data = of.address.mode == ResourceMode::Data;
        if is_data && self.purpose.only_looks() {
            // E153: false preconditions only warn, but an error in them ends the visit, and the stored object stays.
            let diagnostics: Vec<Diagnostic> = preconditions.iter().flatten().chain(&broken).cloned().collect();
            if diagnostics.iter().any(Diagnostic::is_error) {
                let (failed_read, objects, working, changes, drift) = (None, None, None, Vec::new(), None);
                let planned = Planned { failed_read, is_found: false, objects, working, changes, drift, status };
                return Outcome { diagnostics, is_fine: false, planned: Some(planned) };
            }
        }
        if is_broken && is_data {
            return Outcome { is_fine: !broken.iter().any(Diagnostic::is_error), diagnostics: broken, planned: None };
        }
        let about = address.to_string();
        let request = PlanRequest {
            kind: kind(of.address.mode),
            mode: if self.purpose.only_looks() || is_broken { Mode::RefreshOnly } else { Mode::Normal },
            options: self.options_of_block(address),
            // Deposed objects have nodes of their own.
            state: stored,
            presence: Presence::Configured(Box::new(configured)),
        };
        let provider = &model.providers[of.provider].address;
        let (plan, seen) = self.ask_plan(calls, typed, (address, &about), provider, true, &request);
        let expected = preconditions.len();
        // L04: diagnostics of `ignore_changes` were reported once, in the validation walk.
        let diagnostics = plan.diagnostics.iter().filter(|one| one.rule != "L04");
        let mut diagnostics: Vec<Diagnostic> =
            diagnostics.map(|one| diagnostics::of_instance(one, Some(&about))).collect();
        let of_import = diagnostics.iter_mut().filter(|one| one.address.is_some()).take(seen.of_import.unwrap_or(0));
        of_import.for_each(|one| one.address = None);
        let (diagnostics, left) = diagnostics::replaced(diagnostics, summary::PRECONDITION, preconditions);
        let is_stopped = expected == left;
        let (mut diagnostics, _) = diagnostics::replaced(diagnostics, summary::NO_TRIGGER, triggers);
        if !diagnostics.iter().any(Diagnostic::is_error) || !is_stopped || seen.validated {
            diagnostics.extend(warned);
        }
        diagnostics.extend(broken);
        let is_fine = !diagnostics.iter().any(Diagnostic::is_error);
        // A failure before anything was evaluated leaves the conditions unknown.
        let status = match !is_fine && is_stopped && !seen.validated && !of.preconditions.is_empty() {
            true => (Status::Unknown, Vec::new()),
            false => status,
        };
        let planned = Planned {
            failed_read: seen.failed_read,
            is_found: is_found(of.address.mode, &plan),
            working: plan.working.as_ref().map(|working| model.as_seen(working, typed)),
            objects: Some(Objects { previous: plan.previous_run.current, refreshed: plan.refreshed.current }),
            changes: self.addressed(address, provider, plan.changes),
            drift: plan.drift.map(|drift| self.drifted(address, provider, drift)),
            status,
        };
        Outcome { diagnostics, is_fine, planned: Some(planned) }
    }

    /// The options with which an instance of a block is planned.
    fn options_of_block(&self, address: &AbsResourceInstance) -> PlanOptions {
        let is_plan = self.purpose == Purpose::Plan;
        PlanOptions {
            skip_refresh: self.skips_refresh(),
            replace: is_plan && self.targets.replaces(address),
            import: self.imports.get(address).filter(|_| is_plan).map(|id| Text::new(id)),
            moved_from: self.moved.get(address).map(|from| Text::new(&from.to_string())),
            ..PlanOptions::default()
        }
    }

    /// Calls the planner of instances for a plan.
    fn ask_plan(
        &self,
        calls: &mut Calls<'_>,
        typed: usize,
        (address, about): (&AbsResourceInstance, &str),
        provider: &ProviderConfig,
        is_validated: bool,
        request: &PlanRequest,
    ) -> (planner::Plan, Seen) {
        let place = self.model.provider_place(provider);
        let mut asked = Asked {
            calls,
            node: self.here,
            visit: about,
            provider: &provider.source,
            configured: place.and_then(|place| self.configured[place].as_ref()),
            type_name: Text::new(&address.resource.type_name),
            mode: address.resource.mode,
            ty: &self.model.typed[typed].ty,
            is_validated,
            handover: self.handovers.get(address).cloned(),
            seen: Seen::default(),
            ends: Ends::Never,
        };
        let plan = self.prepared[typed].plan(request, &mut asked).unwrap_or_else(refused);
        (plan, asked.seen)
    }

    /// Changes with their address.
    fn addressed(
        &self,
        address: &AbsResourceInstance,
        provider: &ProviderConfig,
        changes: Vec<plans::ResourceInstanceChange>,
    ) -> Vec<AddressedChange> {
        let notation = Notation { engine: self.model.dialect.engine() };
        let addressed = |change| AddressedChange::of_answer(address.clone(), provider.clone(), change, notation).ok();
        changes.into_iter().filter_map(addressed).collect()
    }

    /// Drift with its address.
    fn drifted(
        &self,
        address: &AbsResourceInstance,
        provider: &ProviderConfig,
        drift: planner::Drift,
    ) -> AddressedChange {
        let change = Change { action: drift.action, before: drift.before, after: drift.after, importing: None };
        let planned = plans::ResourceInstanceChange {
            moved_from: self.moved.get(address).cloned(),
            deposed: None,
            change,
            reason: plans::ActionReason::None,
            required_replace: PathSet::EMPTY,
            private: Private::NONE,
        };
        AddressedChange::new(address.clone(), provider.clone(), planned)
    }
}

/// G156
fn is_found(mode: ResourceMode, plan: &planner::Plan) -> bool {
    mode == ResourceMode::Managed && plan.applyable
}

impl Taken {
    /// The stored instance of a key.
    pub fn instance(&self, key: &InstanceKey) -> Option<&InstanceState> {
        self.state.as_ref()?.instances.get(key)
    }

    /// The same instance without deposed objects.
    pub fn current(&self, key: &InstanceKey) -> InstanceState {
        let stored = self.instance(key);
        InstanceState { current: stored.and_then(|stored| stored.current.clone()), deposed: BTreeMap::new() }
    }
}

/// Replaces the current object; deposed ones stay, and a resource whose last object goes is removed.
pub fn put_current(
    into: &mut Option<ResourceState>,
    key: &InstanceKey,
    provider: &ProviderConfig,
    current: Option<Object>,
) {
    let Some(current) = current else {
        let Some(stored) = into else { return };
        match stored.instances.get_mut(key).filter(|instance| !instance.deposed.is_empty()) {
            Some(instance) => {
                instance.current = None;
                stored.provider = provider.clone();
            }
            None => drop(stored.instances.remove(key)),
        }
        if stored.instances.is_empty() {
            *into = None;
        }
        return;
    };
    let empty = || ResourceState { provider: provider.clone(), instances: Instances::new() };
    let stored = into.get_or_insert_with(empty);
    if stored.provider != *provider {
        stored.provider = provider.clone();
    }
    stored.instances.or_default(key).current = Some(current);
}

/// Managed or data.
pub fn kind(mode: ResourceMode) -> ResourceKind {
    if mode == ResourceMode::Data { ResourceKind::Data } else { ResourceKind::Managed }
}

/// The plan of a planner of instances that refuses, since the engine crashes there.
pub fn refused(refusal: planner::Refusal) -> planner::Plan {
    planner::Plan { diagnostics: vec![refusal_diagnostic(&refusal)], ..planner::Plan::default() }
}

/// A refusal, as a workspace reports it.
pub fn refusal_diagnostic(refusal: &planner::Refusal) -> planner::Diagnostic {
    planner::Diagnostic {
        severity: Severity::Error,
        summary: refusal.to_string().into(),
        path: WrittenPath::default(),
        rule: refusal.rule,
    }
}
