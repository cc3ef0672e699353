//! The legs of an apply: each calls the planner of instances for its part (sections 5 to 8 of workspace-apply.md).

use std::collections::BTreeMap;
use std::rc::Rc;

use planfuzz_core::address::{AbsResourceInstance, InstanceKey, ProviderConfig};
use planfuzz_core::planner::{self, Applied, ApplyRequest, Configured, Orphan, PlanOptions, Presence, summary};
use planfuzz_core::plans::{Action, AddressedChange, Marked, ResourceInstanceChange};
use planfuzz_core::state::{DeposedKey, InstanceState, Object};
use planfuzz_core::value::{Number, Text, Tri, Value};
use planfuzz_workspace::{Diagnostic, HALTED, HaltPoint};

use crate::asked::{Asked, Ends, Seen};
use crate::diagnostics;
use crate::facts::Facts;
use crate::instances::{Shared, kind, refusal_diagnostic};
use crate::judged::Visit;
use crate::names;
use crate::scope::Repeated;
use crate::walk::{Purpose, Walk, flag};

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

/// The result of a leg of an object without configuration.
struct Gone {
    state: InstanceState,
    is_fine: bool,
    /// Whether a signal came before its call, so that the state stays as it is.
    is_kept: bool,
}

impl<'w> Walk<'_, 'w, '_, '_> {
    fn change_of(&self, thing: usize) -> Option<&'w AddressedChange> {
        self.plan?.changes.get(self.wired.things[thing].change?)
    }

    fn stored(&self, address: &AbsResourceInstance) -> InstanceState {
        self.state.instance(address).cloned().unwrap_or_default()
    }

    /// The facts that all instances of a block share, computed for the first one.
    fn shared_of(&mut self, block: usize) -> Rc<Shared> {
        if let Some(shared) = self.shared.get(&block) {
            return shared.clone();
        }
        let shared = Rc::new(self.shared_facts(block));
        self.shared.insert(block, shared.clone());
        shared
    }

    /// Stores an instance; a resource that its block has noted stays without instances until the end.
    fn save(&mut self, address: &AbsResourceInstance, provider: &ProviderConfig, instance: InstanceState) {
        let is_gone = instance.is_absent();
        self.state.put(address, provider, instance);
        if is_gone && !self.state.resources.contains_key(&address.abs_resource()) {
            self.objects.emptied.insert(address.abs_resource());
        }
        if let (Some(block), Some(inst)) = (self.model.block_of(address), self.inst_of(&address.module)) {
            self.touch(inst, block);
        }
    }

    /// `U(i)`: the create, update or read leg; a no-op with conditions.
    pub fn visit_make(&mut self, thing: usize) -> bool {
        let (Some(change), Some(block)) = (self.change_of(thing), self.wired.things[thing].block) else { return true };
        let (address, model) = (&change.addr, self.model);
        let of = &model.blocks[block];
        let Some(typed) = of.schema else { return true };
        let inst = match self.inst_of(&address.module) {
            Some(inst) => inst,
            None => return true,
        };
        let shared = self.shared_of(block);
        let repeated = self.repeated(inst, of.place, &address.key);
        self.fill_for(inst, block);
        let (scene, _, insts) = self.split();
        let facts = scene.facts(&mut insts[inst].slots, &shared, address, &repeated);
        let Facts { configured, preconditions, status, warned, .. } = facts;
        let fresh = self.deposed.fresh.get(address).cloned();
        let (request, kept) = self.request_of_make(block, change, configured);
        let provider = &model.providers[of.provider].address;
        let about = address.to_string();
        let halt = self.halt();
        let ends = if halt == HaltPoint::Before { Ends::BeforePlan } else { Ends::Never };
        let (applied, seen) = self.ask_apply(typed, address, &about, provider, &request, ends);
        if of.check.is_some() {
            self.note_failed_read(address, seen.failed_read.clone());
        }
        let diagnostics = applied.diagnostics.iter().map(|one| diagnostics::of_instance(one, Some(&about))).collect();
        let (mut diagnostics, _) = diagnostics::replaced(diagnostics, summary::PRECONDITION, preconditions);
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
        let reached_call = seen.applied || applied.diagnostics.iter().any(is_refused);
        let mut state = InstanceState { current: applied.state.current, deposed: kept };
        if failed && reached_call {
            if let Some(key) = fresh.as_ref().filter(|_| state.current.is_none()) {
                state.current = state.deposed.remove(key);
            }
            // U25, A16
            let creates_first = self.forced_instances.contains(address) || flag(model, block);
            if change.action() == Action::DeleteThenCreate && creates_first {
                diagnostics.push(Diagnostic::error(summary::NOTHING_TO_RESTORE));
            }
        }
        // U69: an instance that was not written leaves the resource as its block noted it.
        if !failed || reached_call || !state.is_absent() {
            self.save(address, provider, state);
        }
        let is_fine = self.report(diagnostics);
        // Expressions see the object that the create leg left, whatever was planned.
        let own = self.seen_object(address, typed);
        // A17: postconditions are checked once the call was made, whatever its result.
        let looks = is_fine || reached_call;
        let is_fine = self.hold(
            &Visit { block, inst, address, repeated: &repeated, is_seen: false },
            own,
            [is_fine, looks],
            status,
        );
        self.goes_on(halt, &seen) && is_fine
    }

    /// The request of the leg that creates, updates or reads, and the deposed objects that are kept meanwhile.
    fn request_of_make(
        &self,
        block: usize,
        change: &AddressedChange,
        mut configured: Configured,
    ) -> (ApplyRequest, BTreeMap<DeposedKey, Object>) {
        let (address, of) = (&change.addr, &self.model.blocks[block]);
        let is_forced = self.forced_instances.contains(address);
        configured.lifecycle.forced_create_before_destroy = is_forced;
        // L06: some engines treat a forced instance as if it had the flag itself.
        configured.lifecycle.create_before_destroy |= is_forced && self.model.dialect.forces_by_made_instances();
        // Postconditions are checked afterwards; for a no-op it only matters whether there are any (A10).
        configured.postconditions = vec![Tri::Unknown; of.postconditions.len()];
        let mut state = self.stored(address);
        let mut kept = std::mem::take(&mut state.deposed);
        // A02: the legs of an instance are nodes of their own, so that the workspace deposes the old object and restores it (A16).
        if let (Some(key), Action::CreateThenDelete) = (self.deposed.fresh.get(address), change.action())
            && let Some(object) = state.current.take()
        {
            kept.insert(key.clone(), object);
        }
        let leg = match change.action() {
            Action::DeleteThenCreate | Action::CreateThenDelete => for_planner(&change.planned.simplify(false)),
            _ => for_planner(&change.planned),
        };
        let request = ApplyRequest {
            kind: kind(address.resource.mode),
            options: PlanOptions::default(),
            state,
            changes: vec![leg],
            presence: Presence::Configured(Box::new(configured)),
        };
        (request, kept)
    }

    /// U70: the effect of the signal of an apply on the visited node.
    fn halt(&self) -> HaltPoint {
        match &self.workspace.options.interrupt {
            Some(interrupt) if self.purpose == Purpose::Apply => {
                let node = self.wired.graph.nodes[self.here.node];
                interrupt.halts(&names::of_apply(node, self.model, &self.wired))
            }
            _ => HaltPoint::Never,
        }
    }

    /// U70: a visit whose call was under way ends once its result is stored.
    fn goes_on(&mut self, halt: HaltPoint, seen: &Seen) -> bool {
        let ends = halt == HaltPoint::After && seen.applied && !fault!(HaltedGoOn);
        !ends || self.report(vec![Diagnostic::error(HALTED); 2])
    }

    fn seen_object(
        &self,
        address: &AbsResourceInstance,
        typed: usize,
    ) -> Option<planfuzz_language::expression::Marked> {
        let object = self.state.instance(address)?.current.as_ref()?;
        Some(self.model.as_seen(&self.decoded(object, typed)?, typed))
    }

    /// The `count` and `each` of an instance, from the current expansion of its block (U43).
    fn repeated(&self, inst: usize, place: usize, key: &InstanceKey) -> Repeated {
        let repeat = self.insts[inst].repeats[place].as_ref();
        if let Some((repeat, place)) = repeat.and_then(|repeat| Some((repeat, repeat.place(key)?))) {
            return repeat.at(place).1;
        }
        match key {
            InstanceKey::Int(index) => {
                Repeated { index: Some(Value::number(Number::counted(*index)).into()), each: None }
            }
            _ => Repeated::default(),
        }
    }

    fn ask_apply(
        &mut self,
        typed: usize,
        address: &AbsResourceInstance,
        about: &str,
        provider: &ProviderConfig,
        request: &ApplyRequest,
        ends: Ends,
    ) -> (Applied, Seen) {
        let place = self.model.provider_place(provider);
        let mut asked = Asked {
            calls: self.calls,
            node: self.here,
            visit: about,
            provider: &provider.source,
            configured: place.and_then(|place| self.configured[place].as_ref()),
            type_name: Text::new(&address.resource.type_name),
            mode: address.resource.mode,
            ty: &self.model.typed[typed].ty,
            is_validated: false,
            handover: None,
            seen: Seen::default(),
            ends,
        };
        let applied = self.prepared[typed].apply(request, &mut asked);
        let applied = applied.unwrap_or_else(|refusal| Applied {
            state: request.state.clone(),
            diagnostics: vec![refusal_diagnostic(&refusal)],
        });
        (applied, asked.seen)
    }

    /// The apply of a leg of an object without configuration. Diagnostics of a deletion have no address, except those before its call if
    /// there is a block (U62).
    fn apply_gone(&mut self, thing: usize, change: ResourceInstanceChange, state: InstanceState) -> Option<Gone> {
        let of = self.change_of(thing)?;
        let typed = self.typed_of(&of.addr.abs_resource(), &of.provider)?;
        let request = ApplyRequest {
            kind: kind(of.addr.resource.mode),
            options: PlanOptions::default(),
            state,
            changes: vec![change],
            presence: Presence::Orphan(Orphan::default()),
        };
        let is_deposed = request.changes.iter().any(|leg| leg.deposed.is_some());
        let halt = self.halt();
        let ends = if halt == HaltPoint::Before { Ends::BeforeApply } else { Ends::Never };
        let about = of.addr.to_string();
        let (applied, seen) = self.ask_apply(typed, &of.addr, &about, &of.provider, &request, ends);
        let has_block = self.model.block_of(&of.addr).is_some();
        let is_about = |one: &planner::Diagnostic| {
            has_block && seen.diagnostics_before.iter().any(|before| **before == *one.summary)
        };
        let diagnostics = applied.diagnostics.iter();
        let is_fine = self
            .report(diagnostics.map(|one| diagnostics::of_instance(one, is_about(one).then_some(&about))).collect());
        // U70b: a failed deletion of a deposed object has only its own error.
        let has_own = is_deposed && !is_fine;
        let goes_on = has_own || self.goes_on(halt, &seen);
        let is_fine = goes_on && is_fine;
        Some(Gone { state: applied.state, is_fine, is_kept: seen.halted })
    }

    /// `D(i)`: the object is destroyed; a data object only leaves the state.
    pub fn visit_destroy(&mut self, thing: usize) -> bool {
        if self.purpose == Purpose::Destroy {
            return self.plan_destroy(thing);
        }
        let Some(change) = self.change_of(thing) else { return true };
        let mut state = self.stored(&change.addr);
        let kept = std::mem::take(&mut state.deposed);
        let leg = for_planner(&change.planned.simplify(true));
        let Some(Gone { state, is_fine, is_kept }) = self.apply_gone(thing, leg, state) else { return true };
        if !is_kept {
            let state = InstanceState { current: state.current, deposed: kept };
            self.save(&change.addr, &change.provider, state);
        }
        if !is_fine {
            self.objects.unseen.insert(change.addr.clone());
        }
        is_fine
    }

    /// `X(i,k)`.
    pub fn destroy_deposed(&mut self, thing: usize) -> bool {
        let (Some(change), Some(key)) = (self.change_of(thing), self.wired.things[thing].key.clone()) else {
            return true;
        };
        let found = self.state.instance(&change.addr).and_then(|state| state.deposed.get(&key)).cloned();
        let Some(object) = found else { return true };
        let mut leg = for_planner(&change.planned);
        leg.deposed = Some(key.clone());
        leg.change.action = Action::Delete;
        let state = InstanceState { current: None, deposed: [(key.clone(), object)].into() };
        let Some(Gone { state: left, is_fine, is_kept }) = self.apply_gone(thing, leg, state) else { return true };
        if is_kept {
            return false;
        }
        let mut state = self.stored(&change.addr);
        state.deposed.remove(&key);
        state.deposed.extend(left.deposed);
        self.save(&change.addr, &change.provider, state);
        is_fine
    }

    /// `F(i)`, `F(i,k)`.
    pub fn visit_forget(&mut self, thing: usize) -> bool {
        let Some(change) = self.change_of(thing) else { return true };
        let state = self.stored(&change.addr);
        let halt = self.halt();
        let Some(Gone { state, is_fine, .. }) = self.apply_gone(thing, for_planner(&change.planned), state) else {
            return true;
        };
        self.save(&change.addr, &change.provider, state);
        // U70: the object is forgotten all the same.
        match is_fine && halt == HaltPoint::Before {
            true => self.report(vec![Diagnostic::error(HALTED)]),
            false => is_fine,
        }
    }
}
