//! The legs of an apply: each calls the planner of the instance for its part (sections 5 to 8 of workspace-apply.md).

use std::collections::BTreeMap;

use planfuzz_core::address::{AbsResourceInstance, ProviderConfig};
use planfuzz_core::planner::{
    Applied, ApplyRequest, ApplyWalk, Configured, Orphan, PlanOptions, Planner, Presence, Recorder, summary,
};
use planfuzz_core::plans::{Action, AddressedChange, Marked, ResourceInstanceChange};
use planfuzz_core::schema::Schema;
use planfuzz_core::state::{DeposedKey, InstanceState, Object};
use planfuzz_core::value::Tri;
use planfuzz_reference::Reference;
use planfuzz_workspace::{Diagnostic, HALTED, HaltPoint, Part, PartWalk};

use crate::asked::Ends;
use crate::blocks::replaced;
use crate::conditions::VisitOutcome;
use crate::facts::Facts;
use crate::instances::kind;
use crate::values::Repeated;
use crate::walk::Walk;

/// A change in the form of planners of instances: only plans need its previous address.
fn for_planner(change: &ResourceInstanceChange<Marked, AbsResourceInstance>) -> ResourceInstanceChange {
    ResourceInstanceChange {
        moved_from: None,
        deposed: change.deposed.clone(),
        change: change.change.clone(),
        reason: change.reason,
        required_replace: change.required_replace.clone(),
        private: change.private.clone(),
    }
}

impl Walk<'_, '_, '_> {
    /// U17: the node of a block stores the provider that the block has now (U99).
    pub fn note_block(&mut self, block: usize) {
        let of = &self.layout.blocks[block];
        for module in self.values.module_instances(self.layout, of.module) {
            let address = planfuzz_core::address::AbsResource { module, resource: of.address.clone() };
            if self.emptied.contains(&address) {
                continue;
            }
            let empty =
                planfuzz_workspace::ResourceState { provider: of.provider.clone(), instances: Default::default() };
            self.state.resources.entry(address).or_insert(empty).provider = of.provider.clone();
        }
    }

    fn change_of(&self, address: &AbsResourceInstance, key: Option<&DeposedKey>) -> Option<AddressedChange> {
        let place = (address.clone(), key.cloned());
        self.applied.plan?.changes.get(*self.applied.places.get(&place)?).cloned()
    }

    /// `U(i)`: the create, update or read leg; a no-op with conditions.
    pub fn visit_make(&mut self, address: &AbsResourceInstance) -> bool {
        let (Some(change), Some(block)) = (self.change_of(address, None), self.layout.block_of(address)) else {
            return true;
        };
        let of = &self.layout.blocks[block];
        let Some(schema) = of.schema else { return true };
        let repeated = self.repeated(address);
        let Facts { configured, mut preconditions, status, warned, .. } = self.facts(block, address, &repeated, schema);
        let fresh = self.applied.keys.get(address).cloned();
        let (request, kept) = self.request_of_make(block, address, &change, configured);
        let provider = of.provider.clone();
        let halt = self.halt();
        let ends = if halt == HaltPoint::Before { Ends::BeforePlan } else { Ends::Never };
        let applied = self.ask_apply(address, &provider, schema, &request, ends);
        let about = address.to_string();
        self.note_failed_read(block, address);
        let mut diagnostics = replaced(&applied.diagnostics, Some(&about), summary::PRECONDITION, &mut preconditions);
        if halt != HaltPoint::Before {
            diagnostics.extend(warned);
        }
        // U70: a no-op makes no call.
        if halt == HaltPoint::Before && !diagnostics.iter().any(Diagnostic::is_error) {
            diagnostics.push(Diagnostic::error(HALTED));
        }
        let failed = diagnostics.iter().any(Diagnostic::is_error);
        // LD45: the error for an unknown configuration takes the place of the call.
        let is_refused = |one: &planfuzz_core::planner::Diagnostic| one.summary == summary::UNKNOWN_CONFIGURATION;
        let is_unknown = applied.diagnostics.iter().any(is_refused);
        let reached_call = is_unknown || self.was_called(address);
        let mut state = InstanceState { current: applied.state.current, deposed: kept };
        if failed && reached_call {
            let restores = state.current.is_none() && !fault!(NotRestored);
            if let Some(key) = fresh.as_ref().filter(|_| restores) {
                state.current = state.deposed.remove(key);
            }
            // U25, A16
            if change.action() == Action::DeleteThenCreate && self.creates_first(block, address) {
                diagnostics.push(Diagnostic::error(summary::NOTHING_TO_RESTORE));
            }
        }
        // U69: an instance that was not written leaves the resource as its block noted it.
        let is_lost = fault!(SignalForgets) && halt == HaltPoint::After;
        if !is_lost && (!failed || !fault!(FailedNotStored) && (reached_call || !state.is_absent())) {
            self.state.put(address, &provider, state);
        }
        let is_fine = self.emit(diagnostics);
        if !is_fine && fault!(FailedCreationUndone) {
            let state = self.stored(address);
            let undone = change.planned.simplify(true);
            let presence = Presence::Orphan(Orphan::default());
            let changes = vec![for_planner(&undone)];
            let request = ApplyRequest { state, changes, presence, ..request };
            self.ask_apply(address, &provider, schema, &request, Ends::Never);
        }
        self.see(address, schema);
        let objects = self.values.objects.get(&address.abs_resource());
        let own = objects.and_then(|objects| objects.get(&address.key)).cloned();
        // A17: postconditions are checked once the call was made, whatever its result.
        let looks = is_fine || reached_call;
        let was_called = self.was_called(address);
        let is_fine = self.hold_postconditions(block, address, &repeated, own, VisitOutcome { is_fine, looks }, status);
        self.ends_after(halt, was_called) && is_fine
    }

    /// Whether an instance is created before its old object is destroyed, by its own flag or because a dependent requires it.
    fn creates_first(&self, block: usize, address: &AbsResourceInstance) -> bool {
        let is_flagged = self.layout.blocks[block].resource.lifecycle.create_before_destroy.as_ref();
        let is_forced = self.applied.forced.contains(address) && !is_flagged.is_some_and(|one| one.value);
        is_forced || self.has_flag(block)
    }

    /// The request of the leg that creates, updates or reads, and the deposed objects that the workspace keeps meanwhile.
    fn request_of_make(
        &self,
        block: usize,
        address: &AbsResourceInstance,
        change: &AddressedChange,
        mut configured: Configured,
    ) -> (ApplyRequest, BTreeMap<DeposedKey, Object>) {
        // L142 applies to plans only.
        configured.lifecycle.replace_triggered_by.clear();
        let rules = &self.layout.blocks[block].resource.lifecycle.postconditions;
        // Postconditions are checked here, afterwards; for a no-op it only matters whether there are any (A10).
        configured.postconditions = vec![Tri::Unknown; rules.len()];
        let mut state = self.stored(address);
        let mut kept = std::mem::take(&mut state.deposed);
        // A02: the legs of an instance are nodes of their own, so that the workspace deposes the old object and restores it (A16).
        if let (Some(key), Action::CreateThenDelete) = (self.applied.keys.get(address), change.action())
            && let Some(object) = state.current.take()
        {
            kept.insert(key.clone(), object);
        }
        let leg = match change.action() {
            Action::DeleteThenCreate | Action::CreateThenDelete => change.planned.simplify(false),
            _ => change.planned.clone(),
        };
        let request = ApplyRequest {
            kind: kind(address.resource.mode),
            options: PlanOptions::default(),
            state,
            changes: vec![for_planner(&leg)],
            presence: Presence::Configured(Box::new(configured)),
        };
        (request, kept)
    }

    /// U70: whether a visit goes on after its call: if a signal came during the call, the visit ends once the result is stored.
    fn ends_after(&mut self, halt: HaltPoint, was_called: bool) -> bool {
        match halt == HaltPoint::After && was_called {
            true => self.emit(vec![Diagnostic::error(HALTED), Diagnostic::error(HALTED)]),
            false => true,
        }
    }

    fn has_flag(&self, block: usize) -> bool {
        self.layout.blocks[block].resource.lifecycle.create_before_destroy.as_ref().is_some_and(|one| one.value)
    }

    /// Whether the apply call of an instance was made.
    fn was_called(&self, address: &AbsResourceInstance) -> bool {
        let here = self.here();
        let last = self.calls.made.iter().rev().find(|made| made.node == here && made.visit == address.to_string());
        last.is_some_and(|made| matches!(made.call.request, planfuzz_workspace::Request::Apply { .. }))
    }

    /// The `count` and `each` of an instance, from the current expansion of its block (U43).
    fn repeated(&self, address: &AbsResourceInstance) -> Repeated {
        let instances = self.values.resources.get(&address.abs_resource());
        instances.and_then(|instances| instances.repeated(&address.key)).unwrap_or_else(|| match &address.key {
            planfuzz_core::address::InstanceKey::Int(index) => Repeated {
                index: Some(planfuzz_core::value::Value::number(planfuzz_core::value::Number::counted(*index)).into()),
                each: None,
            },
            _ => Repeated::default(),
        })
    }

    /// Makes the object of a visited instance visible to expressions.
    pub fn see(&mut self, address: &AbsResourceInstance, schema: &Schema) {
        let object = self.state.instance(address).and_then(|instance| instance.current.as_ref());
        let value = object.and_then(|object| self.decoded(object, schema));
        let value = value.map(|value| self.seen(&value, schema));
        self.values.set(address, value);
    }

    fn ask_apply(
        &mut self,
        address: &AbsResourceInstance,
        provider: &ProviderConfig,
        schema: &Schema,
        request: &ApplyRequest,
        ends: Ends,
    ) -> Applied {
        let dialect = self.layout.dialect;
        let mut asked = self.asked_of(address, provider, schema);
        asked.ends = ends;
        let mut recorder = Recorder::new(&mut asked);
        let applied = Reference.prepare(schema, dialect).apply(request, &mut recorder);
        let exchanges = recorder.into_exchanges();
        let applied = applied.unwrap_or_else(|refusal| Applied {
            state: request.state.clone(),
            diagnostics: vec![planfuzz_core::planner::Diagnostic {
                severity: planfuzz_core::planner::Severity::Error,
                summary: refusal.to_string().into(),
                path: planfuzz_core::value::WrittenPath::default(),
                rule: refusal.rule,
            }],
        });
        let walk = ApplyWalk { request: request.clone(), exchanges, applied: applied.clone() };
        let (address, provider) = (address.clone(), provider.clone());
        self.calls.parts.push(Part { node: self.here(), address, provider, walk: PartWalk::Apply(Box::new(walk)) });
        applied
    }

    /// `D(i)`: the object is destroyed; a data object only leaves the state.
    pub fn visit_destroy(&mut self, address: &AbsResourceInstance) -> bool {
        if self.purpose == crate::walk::Purpose::Destroy {
            return self.plan_destroy(address);
        }
        let Some(change) = self.change_of(address, None) else { return true };
        let Some(schema) = self.schema_of(address, &change.provider) else { return true };
        let mut state = self.stored(address);
        let mut kept = std::mem::take(&mut state.deposed);
        if fault!(DeposedLostWithCurrent) {
            kept.clear();
        }
        let leg = change.planned.simplify(true);
        let request = ApplyRequest {
            kind: kind(address.resource.mode),
            options: PlanOptions::default(),
            state,
            changes: vec![for_planner(&leg)],
            presence: Presence::Orphan(Orphan::default()),
        };
        let (halt, ends) = self.halt_of_deletion();
        let applied = self.ask_apply(address, &change.provider, schema, &request, ends);
        let diagnostics = self.diagnostics_of_deletion(address, &applied);
        let is_fine = self.emit(diagnostics);
        let is_fine = self.ends_after(halt, self.was_called(address)) && is_fine;
        if !self.is_kept_from(halt, &applied) {
            let state = InstanceState { current: applied.state.current, deposed: kept };
            self.put_rest(address, &change.provider, state);
        }
        if fault!(TargetedDestroyForgets) && !self.targets.is_empty() {
            self.state.resources.clear();
        }
        if change.action() == Action::Delete || !is_fine {
            self.values.set(address, None);
        }
        is_fine
    }

    /// `X(i,k)`.
    pub fn destroy_deposed(&mut self, address: &AbsResourceInstance, key: &DeposedKey) -> bool {
        let change = self.change_of(address, Some(key)).or_else(|| self.change_of(address, None));
        let Some(mut change) = change else { return true };
        let Some(schema) = self.schema_of(address, &change.provider) else { return true };
        let Some(object) = self.state.instance(address).and_then(|state| state.deposed.get(key)).cloned() else {
            return true;
        };
        change.planned.deposed = Some(key.clone());
        change.planned.change.action = Action::Delete;
        let state = InstanceState { current: None, deposed: [(key.clone(), object)].into() };
        let request = ApplyRequest {
            kind: kind(address.resource.mode),
            options: PlanOptions::default(),
            state,
            changes: vec![for_planner(&change.planned)],
            presence: Presence::Orphan(Orphan::default()),
        };
        let (halt, ends) = self.halt_of_deletion();
        let applied = self.ask_apply(address, &change.provider, schema, &request, ends);
        let diagnostics = self.diagnostics_of_deletion(address, &applied);
        let is_fine = self.emit(diagnostics);
        // U70b: a failed deletion has only its own error.
        let is_fine = is_fine && self.ends_after(halt, self.was_called(address));
        if self.is_kept_from(halt, &applied) {
            return false;
        }
        let mut state = self.stored(address);
        state.deposed.remove(key);
        state.deposed.extend(applied.state.deposed.into_iter().filter(|_| !fault!(DeposedLost)));
        self.put_rest(address, &change.provider, state);
        is_fine
    }

    /// `F(i)`, `F(i,k)`.
    pub fn visit_forget(&mut self, address: &AbsResourceInstance, key: Option<&DeposedKey>) -> bool {
        let Some(change) = self.change_of(address, key) else { return true };
        let Some(schema) = self.schema_of(address, &change.provider) else { return true };
        let request = ApplyRequest {
            kind: kind(address.resource.mode),
            options: PlanOptions::default(),
            state: self.stored(address),
            changes: vec![for_planner(&change.planned)],
            presence: Presence::Orphan(Orphan::default()),
        };
        let applied = self.ask_apply(address, &change.provider, schema, &request, Ends::Never);
        let mut diagnostics: Vec<_> =
            applied.diagnostics.iter().map(|one| crate::diagnostics::of_instance(one, None)).collect();
        // U70: the object is forgotten all the same.
        if self.halt() == HaltPoint::Before && !diagnostics.iter().any(Diagnostic::is_error) {
            diagnostics.push(Diagnostic::error(HALTED));
        }
        let is_fine = self.emit(diagnostics);
        self.put_rest(address, &change.provider, applied.state);
        is_fine
    }

    /// Stores the objects of an instance that a destruction leaves.
    fn put_rest(&mut self, address: &AbsResourceInstance, provider: &ProviderConfig, rest: InstanceState) {
        self.state.put(address, provider, rest);
        let resource = address.abs_resource();
        if !self.state.resources.contains_key(&resource) {
            self.emptied.insert(resource);
        }
    }

    /// U62: diagnostics of a deletion have no address, except those before its apply call if there is a block.
    fn diagnostics_of_deletion(&self, address: &AbsResourceInstance, applied: &Applied) -> Vec<Diagnostic> {
        let (here, about) = (self.here(), address.to_string());
        let is_before = |made: &&planfuzz_workspace::Made| {
            let is_apply = matches!(made.call.request, planfuzz_workspace::Request::Apply { .. });
            made.node == here && made.visit == about && !is_apply
        };
        let mut before: Vec<&str> = Vec::new();
        if self.layout.block_of(address).is_some() {
            let made = self.calls.made.iter().filter(is_before);
            before.extend(made.flat_map(|made| &made.answer.remarks).map(|remark| &*remark.summary));
        }
        let diagnostics = applied.diagnostics.iter();
        diagnostics
            .map(|one| crate::diagnostics::of_instance(one, before.contains(&&*one.summary).then_some(&about)))
            .collect()
    }

    /// U70: the effect of a signal on a deletion, and the calls before which it ends.
    fn halt_of_deletion(&self) -> (HaltPoint, Ends) {
        let halt = self.halt();
        (halt, if halt == HaltPoint::Before { Ends::BeforeApply } else { Ends::Never })
    }

    /// Whether a signal came before the call of a deletion, so that the state stays as it is.
    fn is_kept_from(&self, halt: HaltPoint, applied: &Applied) -> bool {
        halt == HaltPoint::Before && applied.diagnostics.iter().any(|one| &*one.summary == HALTED)
    }
}
