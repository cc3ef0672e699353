//! One instance in a plan walk: the facts that a workspace computes, and the planner of instances asked with them.
//!
//! What is the same for all instances of a block is found once for the block.

use std::collections::BTreeMap;

use planfuzz_core::address::{
    AbsResourceInstance, ConfigResource, InstanceKey, Notation, ProviderConfig, ResourceMode,
};
use planfuzz_core::planner::{
    self, Configured, Dependency, Link, PlanOptions, PlanRequest, Presence, ResourceKind, Severity, Trigger,
    TriggerChange, summary,
};
use planfuzz_core::plans::{self, Action, AddressedChange, Change, Mode};
use planfuzz_core::state::{DeposedKey, Private};
use planfuzz_core::value::{PathSet, Text, Tri, Type, Value, WrittenPath, WrittenStep};
use planfuzz_language::config::{self, StepKind, Written, text_at};
use planfuzz_language::expression::{self, Expression, Kind};
use planfuzz_language_compiled::Program;
use planfuzz_workspace::{Diagnostic, ResourceState, Status};

use crate::asked::{Asked, Seen};
use crate::blocks::{Taken, prevent_destroy};
use crate::configured::{Leads, key};
use crate::graph::Node;
use crate::judged::Visit;
use crate::marks;
use crate::scope::Repeated;
use crate::told;
use crate::walk::{Depends, Purpose, Source, Walk, flag};

/// What all instances of a block have in common.
pub struct Shared {
    /// The block.
    pub block: usize,
    /// Its dependencies.
    pub depends: Vec<Depends>,
    /// The same as the planner of instances has them; links and actions are those of data resources.
    pub dependencies: Vec<Dependency>,
    /// `lifecycle`, without triggers.
    pub lifecycle: planner::Lifecycle,
    /// Which dependencies count for data resources (G95, G96).
    looked_at: Vec<bool>,
}

/// What a workspace knows of an instance, with what it tells in the place of what the planner of the instance would.
pub struct Facts {
    /// For the planner of the instance.
    pub configured: Configured,
    /// In the place of false preconditions.
    pub preconditions: Vec<Vec<Diagnostic>>,
    /// In the place of triggers that name nothing.
    pub triggers: Vec<Vec<Diagnostic>>,
    /// The status of the preconditions, and what failed ones say.
    pub status: (Status, Vec<String>),
    /// What is told of a configuration that cannot be evaluated where false preconditions only warn.
    pub broken: Vec<Diagnostic>,
}

/// A step of a reference whose key may be an expression.
pub enum Step {
    /// `.name`
    Name(Text),
    /// `[key]`
    Key(Value),
}

impl<'p> Walk<'_, '_, '_, 'p> {
    /// What all instances of a block have in common.
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
            ignore_changes: ignored(&of.of.lifecycle.ignore_changes),
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
        let model = self.model;
        let of = &model.blocks[shared.block];
        let Some(typed) = of.schema else { return true };
        let Facts { configured, preconditions, triggers, status, broken } = self.facts(shared, inst, address, repeated);
        // What cannot be evaluated is not asked about; an object is refreshed before that.
        let is_broken = !broken.is_empty();
        if is_broken && of.address.mode == ResourceMode::Data {
            return self.tell(broken);
        }
        let about = address.to_string();
        let (options, is_plan) = (&self.workspace.options, self.purpose == Purpose::Plan);
        let request = PlanRequest {
            kind: kind(of.address.mode),
            mode: if self.purpose == Purpose::Refresh || is_broken { Mode::RefreshOnly } else { Mode::Normal },
            options: PlanOptions {
                skip_refresh: !options.refresh,
                replace: is_plan && options.replace.contains(&about),
                import: self.imports.get(address).filter(|_| is_plan).map(|id| Text::new(id)),
                moved_from: self.moved.get(address).map(|from| Text::new(&from.to_string())),
                forget: false,
                fresh_key: DeposedKey::zeros(),
            },
            // Deposed objects have nodes of their own.
            state: taken.current(&address.key),
            presence: Presence::Configured(Box::new(configured)),
        };
        let provider = &model.providers[of.provider].address;
        let (plan, seen) = self.ask_plan(typed, address, &about, provider, true, &request);
        self.note_failed_read(shared.block, &about, &seen);
        let expected = preconditions.len();
        let told = plan.diagnostics.iter().map(|one| told::of_instance(one, Some(&about))).collect();
        let (told, left) = told::replaced(told, summary::PRECONDITION, preconditions);
        let is_stopped = expected == left;
        let (mut told, _) = told::replaced(told, summary::NO_TRIGGER, triggers);
        told.extend(broken);
        let is_fine = self.tell(told);
        let working = plan.working.as_ref().map(marks::to_expressions);
        self.record_plan(address, provider, plan, taken);
        let objects = &mut self.insts[inst].objects[of.place];
        match &working {
            Some(working) => drop(objects.insert(address.key.clone(), working.clone())),
            None => drop(objects.remove(&address.key)),
        }
        // What failed before anything was evaluated says nothing of conditions.
        let status = match !is_fine && is_stopped && !seen.validated && !of.preconditions.is_empty() {
            true => (Status::Unknown, Vec::new()),
            false => status,
        };
        let visit = Visit { block: shared.block, inst, address, repeated };
        self.hold(&visit, working, [is_fine, is_fine], status)
    }

    /// E162: what was told of a read of the data resource of a check that failed in this visit.
    pub fn note_failed_read(&mut self, block: usize, about: &str, seen: &Seen) {
        if self.model.blocks[block].check.is_some() {
            match &seen.failed_read {
                Some(failure) => drop(self.failed_reads.insert(about.to_owned(), failure.clone())),
                None => drop(self.failed_reads.remove(about)),
            }
        }
    }

    /// Asks the planner of instances for a plan.
    pub fn ask_plan(
        &mut self,
        typed: usize,
        address: &AbsResourceInstance,
        about: &str,
        provider: &ProviderConfig,
        is_validated: bool,
        request: &PlanRequest,
    ) -> (planner::Plan, Seen) {
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
            is_validated,
            seen: Seen::default(),
        };
        let plan = self.prepared[typed].plan(request, &mut asked).unwrap_or_else(refused);
        (plan, asked.seen)
    }

    /// Records what the planner of an instance answers about its current object.
    pub fn record_plan(
        &mut self,
        address: &AbsResourceInstance,
        provider: &ProviderConfig,
        plan: planner::Plan,
        taken: &mut Taken,
    ) {
        put_current(&mut taken.previous, &address.key, provider, plan.previous_run.current);
        put_current(&mut taken.state, &address.key, provider, plan.refreshed.current);
        self.record_changes(address, provider, plan.changes, plan.drift);
    }

    /// Records changes and drift.
    pub fn record_changes(
        &mut self,
        address: &AbsResourceInstance,
        provider: &ProviderConfig,
        changes: Vec<plans::ResourceInstanceChange>,
        drift: Option<planner::Drift>,
    ) {
        let notation = Notation { engine: self.model.dialect.engine() };
        for change in changes {
            if let Ok(change) = AddressedChange::of_answer(address.clone(), provider.clone(), change, notation) {
                self.record(change);
            }
        }
        if let Some(drift) = drift {
            let change = Change { action: drift.action, before: drift.before, after: drift.after, importing: None };
            let planned = plans::ResourceInstanceChange {
                moved_from: self.moved.get(address).cloned(),
                deposed: None,
                change,
                reason: plans::ActionReason::None,
                required_replace: PathSet::EMPTY,
                private: Private::NONE,
            };
            self.drift.push(AddressedChange::new(address.clone(), provider.clone(), planned));
        }
    }

    /// Facts of an instance.
    pub fn facts(&mut self, shared: &Shared, inst: usize, address: &AbsResourceInstance, repeated: &Repeated) -> Facts {
        let model = self.model;
        let of = &model.blocks[shared.block];
        let nothing = of.schema.map_or(Value::null(Type::Dynamic), |typed| Value::null(model.typed[typed].ty.clone()));
        let mut facts = Facts {
            configured: Configured {
                config: plans::Marked::plain(nothing),
                ephemeral: PathSet::EMPTY,
                at_validation: None,
                lifecycle: shared.lifecycle.clone(),
                preconditions: Vec::new(),
                postconditions: Vec::new(),
                provisioners: Vec::new(),
                dependencies: shared.dependencies.clone(),
                in_check: of.check.is_some(),
            },
            preconditions: Vec::new(),
            triggers: Vec::new(),
            status: (Status::Pass, Vec::new()),
            broken: Vec::new(),
        };
        let severity = self.severity();
        for rule in &of.preconditions {
            let judged = self.judge(rule, inst, repeated);
            facts.status.0 = facts.status.0.max(judged.status);
            let mut told = judged.told;
            let holds = match judged.status {
                _ if told.iter().any(Diagnostic::is_error) => Tri::False,
                Status::Fail | Status::Error => Tri::False,
                Status::Unknown => Tri::Unknown,
                Status::Pass => Tri::True,
            };
            if judged.status == Status::Fail {
                told.push(Diagnostic { severity, summary: summary::PRECONDITION.into(), address: None });
                facts.status.1.extend(judged.message);
            }
            if holds == Tri::False {
                facts.preconditions.push(told);
            }
            facts.configured.preconditions.push(holds);
        }
        let ends = severity == Severity::Error && !facts.preconditions.is_empty();
        // G13: a refresh evaluates no managed configuration.
        let is_looked_at = self.purpose != Purpose::Refresh || of.address.mode == ResourceMode::Data;
        if !ends
            && is_looked_at
            && let Some(body) = &of.body
        {
            self.prepare(inst, repeated, &of.needs);
            match body.evaluate(&mut self.insts[inst].slots) {
                Ok(config) => {
                    (facts.configured.config, facts.configured.ephemeral) = marks::to_planners(&config);
                }
                Err(told) if severity == Severity::Warning => facts.broken = told,
                // What is told of the configuration ends the instance where a false precondition does.
                Err(told) => {
                    facts.preconditions.push(told);
                    facts.configured.preconditions.push(Tri::False);
                }
            }
        }
        if self.purpose == Purpose::Plan && !of.of.lifecycle.replace_triggered_by.is_empty() {
            self.triggers(shared.block, inst, address, repeated, &mut facts);
        }
        if of.address.mode == ResourceMode::Data {
            self.pending(shared, address, &mut facts.configured);
        }
        facts
    }

    /// G95, G96: which dependencies of a data resource count.
    fn looked_at(&mut self, block: usize, depends: &[Depends]) -> Vec<bool> {
        let model = self.model;
        let of = &model.blocks[block];
        if !of.preconditions.is_empty() || !of.postconditions.is_empty() {
            return vec![true; depends.len()];
        }
        let graph = &self.wired.graph;
        let mut found = crate::graph::Found::none(graph.len());
        for reference in &of.of.depends_on {
            for node in model.nodes(of.module, reference) {
                let Some(id) = graph.id(node) else { continue };
                found.add(id);
                if !matches!(node, Node::Block(_)) {
                    graph.reach([id], &mut found);
                }
            }
        }
        for reference in &of.references {
            if let Leads::Block(named, _) = model.leads(of.module, reference)
                && model.blocks[named].address.mode == ResourceMode::Managed
                && let Some(id) = graph.id(Node::Block(named as u32)).filter(|_| !fault!(DirectReferencesForgotten))
            {
                found.add(id);
            }
        }
        let mut module = of.module;
        while let Some((parent, call)) = model.modules[module].call {
            let nodes = call.depends_on.iter().flat_map(|reference| model.nodes(parent, reference));
            let ids: Vec<u32> = nodes.filter_map(|node| graph.id(node)).collect();
            ids.iter().for_each(|&id| found.put(id));
            graph.reach(ids, &mut found);
            module = parent;
        }
        let wanted: std::collections::HashSet<ConfigResource> = (0..graph.len() as u32)
            .filter(|&id| found.has(id))
            .filter_map(|id| match graph.nodes[id as usize] {
                Node::Block(block) => Some(model.blocks[block as usize].config.clone()),
                Node::Orphan(thing) => Some(self.wired.things[thing as usize].address.config_resource()),
                _ => None,
            })
            .collect();
        depends.iter().map(|one| wanted.contains(&self.config_of(one))).collect()
    }

    /// G98: gives each dependency of a data resource its link and the actions that count.
    fn pending(&self, shared: &Shared, address: &AbsResourceInstance, configured: &mut Configured) {
        let own = address.module.module();
        for ((dependency, depends), _) in configured
            .dependencies
            .iter_mut()
            .zip(&shared.depends)
            .zip(&shared.looked_at)
            .filter(|(_, wanted)| **wanted)
        {
            dependency.link = Link::DependsOn;
            let config = self.config_of(depends);
            let is_apart = config.module == own;
            let changes = self.recorded.of.get(&config).into_iter().flatten().map(|&place| &self.changes[place]);
            let counts = changes
                .filter(|change| change.deposed().is_none() && !(is_apart && change.addr.module != address.module))
                .map(AddressedChange::action);
            dependency.actions = counts.filter(|action| *action != Action::NoOp).collect();
        }
    }

    /// G135, L100.
    fn triggers(
        &mut self,
        block: usize,
        inst: usize,
        address: &AbsResourceInstance,
        repeated: &Repeated,
        facts: &mut Facts,
    ) {
        let of = &self.model.blocks[block];
        for written in &of.of.lifecycle.replace_triggered_by {
            let Some(steps) = self.steps(&written.written, of.module, inst, repeated) else { continue };
            let mut steps = steps.into_iter().peekable();
            let mut name = || match steps.next() {
                Some(Step::Name(name)) => Some(name.to_string()),
                _ => None,
            };
            let Some(mut type_name) = name() else { continue };
            let mut mode = ResourceMode::Managed;
            if type_name == "data" {
                mode = ResourceMode::Data;
                let Some(next) = name() else { continue };
                type_name = next;
            }
            let Some(name) = name() else { continue };
            let resource = planfuzz_core::address::Resource { mode, type_name, name };
            let wanted: Option<InstanceKey> = match steps.next_if(|step| matches!(step, Step::Key(_))) {
                Some(Step::Key(value)) => key(&value),
                _ => None,
            };
            let rest: Vec<WrittenStep> = steps.filter_map(written_step).collect();
            let config = ConfigResource { module: address.module.module(), resource };
            let changes = self.recorded.of.get(&config).into_iter().flatten().map(|&place| &self.changes[place]);
            let found: Vec<TriggerChange> = changes
                .filter(|change| change.addr.module == address.module && change.deposed().is_none())
                .filter(|change| wanted.as_ref().is_none_or(|key| change.addr.key == *key))
                .map(|change| TriggerChange {
                    action: change.action(),
                    before: change.planned.change.before.clone(),
                    after: change.planned.change.after.clone(),
                })
                .collect();
            let mut attribute = (!rest.is_empty()).then(|| WrittenPath::new(rest));
            if found.is_empty() {
                attribute = None;
                let named = format!("{}{}", config.resource, wanted.unwrap_or_default());
                let place = match address.module.is_root() {
                    true => "the root module".to_owned(),
                    false => address.module.to_string(),
                };
                facts.triggers.push(vec![Diagnostic::error(format!("no change found for {named} in {place}"))]);
            }
            facts.configured.lifecycle.replace_triggered_by.push(Trigger { changes: found, attribute });
        }
    }

    /// A reference whose keys may be expressions: its names and keys.
    pub fn steps(&mut self, written: &Written, module: usize, inst: usize, repeated: &Repeated) -> Option<Vec<Step>> {
        let parsed = match written {
            Written::Native(place) => expression::parse(text_at(*place, self.model.sources), *place),
            Written::Json(json) => expression::parse(json.as_str()?, json.template_place()),
        };
        let expression = parsed.ok()?;
        self.prepare(inst, repeated, &[]);
        let (mut steps, mut at) = (Vec::new(), &expression);
        loop {
            match &at.kind {
                Kind::Root(name) => {
                    steps.push(Step::Name(name.clone()));
                    steps.reverse();
                    return Some(steps);
                }
                Kind::Attribute(inner, name) => {
                    steps.push(Step::Name(name.clone()));
                    at = inner;
                }
                Kind::Index(inner, key) => {
                    steps.push(Step::Key(self.key_of(key, module, inst, repeated)?));
                    at = inner;
                }
                Kind::Parentheses(inner) => at = inner,
                _ => return None,
            }
        }
    }

    fn key_of(&self, key: &Expression, module: usize, inst: usize, repeated: &Repeated) -> Option<Value> {
        use crate::model::Repeats;
        let repeats = match repeated {
            Repeated { index: Some(_), .. } => Repeats::Count,
            Repeated { each: Some(_), .. } => Repeats::Each,
            _ => Repeats::Once,
        };
        let names = self.model.modules[module].lexica.of(repeats);
        let program = Program::compile(key, names, self.model.dialect);
        Some(program.evaluate(&self.insts[inst].slots).ok()?.value)
    }
}

impl Taken {
    /// What is stored of an instance, without deposed objects.
    pub fn current(&self, key: &InstanceKey) -> planfuzz_core::state::InstanceState {
        let stored = self.state.as_ref().and_then(|state| state.instances.get(key));
        planfuzz_core::state::InstanceState {
            current: stored.and_then(|stored| stored.current.clone()),
            deposed: BTreeMap::new(),
        }
    }
}

/// Puts a current object in the place of what is there; deposed ones stay, and a resource whose last object goes leaves the state.
fn put_current(
    into: &mut Option<ResourceState>,
    key: &InstanceKey,
    provider: &ProviderConfig,
    current: Option<planfuzz_core::state::Object>,
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
    let empty = || ResourceState { provider: provider.clone(), instances: BTreeMap::new() };
    let stored = into.get_or_insert_with(empty);
    if stored.provider != *provider {
        stored.provider = provider.clone();
    }
    stored.instances.entry(key.clone()).or_default().current = Some(current);
}

/// Managed or data.
pub fn kind(mode: ResourceMode) -> ResourceKind {
    if mode == ResourceMode::Data { ResourceKind::Data } else { ResourceKind::Managed }
}

/// Where the planner of an instance refuses, for the engine crashes there.
pub fn refused(refusal: planner::Refusal) -> planner::Plan {
    planner::Plan { diagnostics: vec![refusal_told(&refusal)], ..planner::Plan::default() }
}

/// A refusal, as a workspace tells it.
pub fn refusal_told(refusal: &planner::Refusal) -> planner::Diagnostic {
    planner::Diagnostic {
        severity: Severity::Error,
        summary: refusal.to_string().into(),
        path: WrittenPath::default(),
        rule: refusal.rule,
    }
}

fn written_step(step: Step) -> Option<WrittenStep> {
    match step {
        Step::Name(name) => Some(WrittenStep::Attribute(name)),
        Step::Key(value) => match key(&value)? {
            InstanceKey::Int(index) => Some(WrittenStep::Index(index.try_into().ok()?)),
            InstanceKey::Text(text) => Some(WrittenStep::Key(Text::new(&text))),
            InstanceKey::None => None,
        },
    }
}

fn ignored(ignored: &config::IgnoreChanges) -> planner::IgnoreChanges {
    let config::IgnoreChanges::These(these) = ignored else {
        return match ignored {
            config::IgnoreChanges::All => planner::IgnoreChanges::All,
            _ => planner::IgnoreChanges::default(),
        };
    };
    let path = |one: &config::Traversal| {
        let rest = one.steps.iter().filter_map(|step| match &step.kind {
            StepKind::Attribute(name) => Some(WrittenStep::Attribute(name.clone())),
            StepKind::Index(value) => written_step(Step::Key(value.clone())),
        });
        WrittenPath::new([WrittenStep::Attribute(one.root.clone())].into_iter().chain(rest).collect())
    };
    planner::IgnoreChanges::Some(these.iter().map(path).collect())
}
