//! One instance in a plan walk: the workspace computes its facts, and calls the planner of instances with them.

use std::collections::BTreeSet;

use planfuzz_core::address::{AbsResourceInstance, Notation, ProviderConfig, ResourceKind, ResourceMode};
use planfuzz_core::planner::{
    self, Drift, Exchange, PlanOptions, PlanRequest, PlanWalk, Planner, Presence, Recorder, Remark, Severity, summary,
};
use planfuzz_core::plans::{self, Action, AddressedChange, Change, Mode};
use planfuzz_core::schema::Schema;
use planfuzz_core::state::{DeposedKey, InstanceState, Private};
use planfuzz_core::value::{PathSet, Text, Type, Value, WrittenPath};
use planfuzz_reference::Reference;
use planfuzz_workspace::{Call, Diagnostic, Part, PartWalk, Request, Status};

use crate::blocks::replaced;
use crate::conditions::VisitOutcome;
use crate::facts::Facts;
use crate::values::Repeated;
use crate::walk::{Purpose, Walk};

impl<'p> Walk<'_, '_, 'p> {
    /// G15: an instance of a type without a schema, which the walk of V reports in other commands.
    fn without_schema(&mut self, address: &AbsResourceInstance) -> bool {
        let is_reported = self.purpose == Purpose::Import;
        self.emit(
            is_reported.then(|| Diagnostic::no_schema(address, self.layout.dialect.engine())).into_iter().collect(),
        )
    }

    /// An instance of a block.
    pub fn plan_instance(&mut self, block: usize, address: &AbsResourceInstance, repeated: &Repeated) -> bool {
        let of = &self.layout.blocks[block];
        let Some(schema) = of.schema else { return self.without_schema(address) };
        let facts = self.facts(block, address, repeated, schema);
        let Facts { configured, mut preconditions, mut triggers, status, broken, warned } = facts;
        // An instance whose configuration cannot be evaluated is not planned; a managed object is refreshed before the error.
        let is_broken = !broken.is_empty();
        if of.address.mode == ResourceMode::Data && self.purpose.plans_nothing() {
            // E153: false preconditions only warn, but an error in them ends the visit.
            let mut diagnostics = preconditions.concat();
            diagnostics.extend(broken.iter().cloned());
            if diagnostics.iter().any(Diagnostic::is_error) {
                self.emit(diagnostics);
                let outcome = VisitOutcome { is_fine: false, looks: false };
                return self.hold_postconditions(block, address, repeated, None, outcome, status);
            }
        }
        if is_broken && of.address.mode == ResourceMode::Data {
            return self.emit(broken);
        }
        // Deposed objects have nodes of their own.
        let mut stored = self.stored(address);
        let deposed = std::mem::take(&mut stored.deposed);
        let request = PlanRequest {
            kind: kind(of.address.mode),
            mode: match self.purpose.plans_nothing() || is_broken {
                true => Mode::RefreshOnly,
                false => Mode::Normal,
            },
            options: self.options_of_block(address),
            state: stored,
            presence: Presence::Configured(Box::new(configured)),
        };
        let plan = self.ask_plan(block, address, schema, &request);
        if fault!(PlanApplies) && !plan.changes.is_empty() {
            self.apply_too_early(block, address);
        }
        let about = address.to_string();
        self.note_failed_read(block, address);
        let expected = preconditions.len();
        let mut diagnostics = replaced(&plan.diagnostics, Some(&about), summary::PRECONDITION, &mut preconditions);
        // L21: the first diagnostics with an address belong to the import.
        let with_address = diagnostics.iter_mut().filter(|one| one.address.is_some());
        with_address.take(self.remarks_of_import()).for_each(|one| one.address = None);
        let is_stopped = expected == preconditions.len();
        substitute(&mut diagnostics, summary::NO_TRIGGER, &mut triggers);
        if !diagnostics.iter().any(Diagnostic::is_error) || !is_stopped || self.has_validated(address) {
            diagnostics.extend(warned);
        }
        diagnostics.extend(broken);
        let is_fine = self.emit(diagnostics);
        let working = plan.working.as_ref().map(|working| self.seen(working, schema));
        self.put(address, &of.provider, plan, deposed, false);
        self.values.set(address, working.clone());
        // A failure before anything was evaluated leaves the conditions unknown.
        let status = match !is_fine && is_stopped && !self.has_validated(address) {
            true if !of.resource.lifecycle.preconditions.is_empty() => (Status::Unknown, Vec::new()),
            _ => status,
        };
        self.hold_postconditions(block, address, repeated, working, VisitOutcome { is_fine, looks: is_fine }, status)
    }

    /// The options with which an instance of a block is planned.
    fn options_of_block(&self, address: &AbsResourceInstance) -> PlanOptions {
        let moved_from = self.moved.get(address).filter(|_| !fault!(OldAddressForgotten));
        let options = PlanOptions {
            skip_refresh: self.skips_refresh() || fault!(NothingRead),
            moved_from: moved_from.map(|from| Text::new(&from.to_string())),
            ..PlanOptions::default()
        };
        if self.purpose != Purpose::Plan {
            return options;
        }
        // L20: an instance that had a deposed object when the walk began is in the state.
        let is_there = self.had_old_object(address) || fault!(ImportsForgotten);
        PlanOptions {
            replace: self.targets.replaces(address) && !fault!(ReplaceIgnored),
            import: self.importing.wanted.get(address).filter(|_| !is_there).map(|id| Text::new(id)),
            ..options
        }
    }

    /// The planted mistake of a plan that applies.
    fn apply_too_early(&mut self, block: usize, address: &AbsResourceInstance) {
        let of = &self.layout.blocks[block];
        let nothing = || Value::null(Type::Dynamic);
        let request =
            Request::Apply { prior: nothing(), config: nothing(), planned: nothing(), private: Private::NONE };
        let type_name = Some(Text::new(&of.address.type_name));
        let call = Call { provider: of.provider.source.clone(), configured: None, type_name, request };
        let here = self.here();
        self.calls.ask(here, &address.to_string(), call);
    }

    /// Whether stored objects are not read.
    pub fn skips_refresh(&self) -> bool {
        !self.workspace.options.refresh || self.purpose == Purpose::Import && !fault!(ImportReads)
    }

    /// E162: keeps the error of a failed read of the data resource of a check in this visit.
    pub fn note_failed_read(&mut self, block: usize, address: &AbsResourceInstance) {
        if self.layout.blocks[block].check.is_none() {
            return;
        }
        let (here, visit) = (self.here(), address.to_string());
        let own = self.calls.made.iter().rev().take_while(|made| made.node == here);
        let mut reads = own.filter(|made| made.visit == visit && matches!(made.call.request, Request::ReadData { .. }));
        let is_error = |remark: &&Remark| remark.severity == Severity::Error;
        let failure = reads.find_map(|made| made.answer.remarks.iter().find(is_error));
        match failure.map(|remark| remark.summary.to_string()) {
            Some(failure) => drop(self.failed_reads.insert(visit, failure)),
            None => drop(self.failed_reads.remove(&visit)),
        }
    }

    /// Whether the configuration of an instance was sent to its provider in this visit.
    fn has_validated(&self, address: &AbsResourceInstance) -> bool {
        let (here, visit) = (self.here(), address.to_string());
        let own = self.calls.made.iter().rev().take_while(|made| made.node == here);
        own.filter(|made| made.visit == visit).any(|made| matches!(made.call.request, Request::Validate { .. }))
    }

    fn ask_plan(
        &mut self,
        block: usize,
        address: &AbsResourceInstance,
        schema: &Schema,
        request: &PlanRequest,
    ) -> planner::Plan {
        let configured = self.configured.get(&self.layout.blocks[block].provider).cloned();
        let dialect = self.layout.dialect;
        let handover = self.handovers.get(address).cloned();
        let mut asked = self.asked(block, &address.to_string(), configured);
        asked.validated = 1;
        asked.handover = handover;
        let mut recorder = Recorder::new(&mut asked);
        let plan = Reference.prepare(schema, dialect).plan(request, &mut recorder).unwrap_or_else(refused);
        let exchanges = recorder.into_exchanges();
        let provider = self.layout.blocks[block].provider.clone();
        self.note_plan(address, &provider, request, exchanges, &plan);
        plan
    }

    /// The number of diagnostics of the provider for the import of the last planned instance, and for the read of the imported object.
    fn remarks_of_import(&self) -> usize {
        let Some(Part { walk: PartWalk::Plan(plan), .. }) = self.calls.parts.last() else { return 0 };
        if !plan.exchanges.iter().any(|exchange| matches!(exchange, Exchange::Import(..))) {
            return 0;
        }
        let counts = plan.exchanges.iter().map(|exchange| match exchange {
            Exchange::Import(_, answer) => answer.remarks.len(),
            Exchange::Read(_, answer) => answer.remarks.len(),
            _ => 0,
        });
        counts.sum()
    }

    /// Records the question to the planner of an instance, and its answer.
    pub fn note_plan(
        &mut self,
        address: &AbsResourceInstance,
        provider: &ProviderConfig,
        request: &PlanRequest,
        exchanges: Vec<Exchange>,
        plan: &planner::Plan,
    ) {
        let walk = PartWalk::Plan(Box::new(PlanWalk { request: request.clone(), exchanges, plan: plan.clone() }));
        let (address, provider) = (address.clone(), provider.clone());
        self.calls.parts.push(Part { node: self.here(), address, provider, walk });
    }

    /// Records the answer of the planner of an instance.
    pub fn put(
        &mut self,
        address: &AbsResourceInstance,
        provider: &ProviderConfig,
        plan: planner::Plan,
        deposed: std::collections::BTreeMap<DeposedKey, planfuzz_core::state::Object>,
        is_deposed: bool,
    ) {
        // G156: Terraform compares whole states afterwards.
        let is_managed = address.resource.mode == ResourceMode::Managed;
        let is_asked = !self.layout.dialect.compares_refreshed_states();
        self.results.taken_in |= is_managed && is_asked && plan.applyable && self.purpose == Purpose::Refresh;
        let kept = |state: InstanceState, now: &planfuzz_workspace::State| match is_deposed {
            false => InstanceState {
                current: state.current,
                deposed: now.instance(address).map_or_else(|| deposed.clone(), |now| now.deposed.clone()),
            },
            true => state,
        };
        let previous = kept(plan.previous_run, &self.previous);
        let refreshed = kept(plan.refreshed, &self.state);
        // L183: an instance whose current object is found gone is seen by its deposed ones, as in the next walk.
        let is_gone = !is_deposed && refreshed.current.is_none();
        if self.purpose == Purpose::Refresh && is_gone && self.had_old_object(address) {
            self.values.deposed_alone.entry(address.abs_resource()).or_default().insert(address.key.clone());
        }
        self.previous.put(address, provider, previous);
        self.state.put(address, provider, refreshed);
        let notation = Notation { engine: self.layout.dialect.engine() };
        for change in plan.changes {
            if let Ok(change) = AddressedChange::of_answer(address.clone(), provider.clone(), change, notation) {
                self.record(change);
            }
        }
        if let Some(drift) = plan.drift.filter(|_| !fault!(DriftForgotten)) {
            self.record_drift(address, provider, drift);
        }
    }

    fn record_drift(&mut self, address: &AbsResourceInstance, provider: &ProviderConfig, drift: Drift) {
        let change = Change { action: drift.action, before: drift.before, after: drift.after, importing: None };
        let planned = plans::ResourceInstanceChange {
            moved_from: self.moved.get(address).cloned(),
            deposed: None,
            change,
            reason: plans::ActionReason::None,
            required_replace: PathSet::EMPTY,
            private: planfuzz_core::state::Private::NONE,
        };
        self.results.drift.push(AddressedChange::new(address.clone(), provider.clone(), planned));
    }

    /// G152: a moved object that was not visited is unchanged, and its move is recorded as drift.
    pub fn drift_of_unvisited(&mut self) {
        let reported: BTreeSet<&AbsResourceInstance> = self.results.drift.iter().map(|drift| &drift.addr).collect();
        let managed = self.moved.keys().filter(|address| address.resource.mode == ResourceMode::Managed);
        let unvisited = managed.filter(|address| !reported.contains(address));
        let found: Vec<(AbsResourceInstance, ProviderConfig, plans::Marked)> = unvisited
            .filter_map(|address| {
                let provider = self.state.resources.get(&address.abs_resource())?.provider.clone();
                let schema = self.schema_of(address, &provider)?;
                let stored = self.state.instance(address)?.current.as_ref()?;
                Some((address.clone(), provider, self.decoded(stored, schema)?))
            })
            .collect();
        for (address, provider, value) in found.into_iter().filter(|_| !fault!(DriftForgotten)) {
            let drift = Drift { action: Action::NoOp, before: value.clone(), after: value };
            self.record_drift(&address, &provider, drift);
        }
    }
}

/// Managed or data.
pub fn kind(mode: ResourceMode) -> ResourceKind {
    match mode {
        ResourceMode::Data => ResourceKind::Data,
        ResourceMode::Managed | ResourceMode::Ephemeral => ResourceKind::Managed,
    }
}

/// The error of a planner of instances that refuses, since the engine crashes there.
pub fn refused(refusal: planner::Refusal) -> planner::Plan {
    let mut plan = planner::Plan::default();
    let summary = refusal.to_string();
    plan.diagnostics.push(planner::Diagnostic {
        severity: planner::Severity::Error,
        summary: summary.into(),
        path: WrittenPath::default(),
        rule: refusal.rule,
    });
    plan
}

fn substitute(diagnostics: &mut Vec<Diagnostic>, summary: &str, by: &mut Vec<Vec<Diagnostic>>) {
    let found = std::mem::take(diagnostics);
    for one in found {
        match one.summary == summary && !by.is_empty() {
            true => diagnostics.extend(by.remove(0)),
            false => diagnostics.push(one),
        }
    }
}
