//! Facts of an instance: the input of its planner that a workspace computes.

use planfuzz_core::address::{AbsResourceInstance, ConfigResource, InstanceKey, Resource, ResourceMode};
use planfuzz_core::planner::{Configured, Link, Severity, Trigger, TriggerChange, summary};
use planfuzz_core::plans::{Action, AddressedChange};
use planfuzz_core::value::{PathSet, Text, Tri, Type, Value, WrittenPath, WrittenStep};
use planfuzz_core::{planner, plans};
use planfuzz_language::config::{StepKind, Written, text_at};
use planfuzz_language::expression::{Expression, Kind, Marked, SENSITIVE};
use planfuzz_language::{Sources, config, expression};
use planfuzz_language_compiled::{Program, Slots};
use planfuzz_workspace::{Diagnostic, Status};

use crate::configured::{Leads, key};
use crate::depends::Depends;
use crate::expr::{Evaluated, errors_of};
use crate::graph::Node;
use crate::instances::Shared;
use crate::judged::judged;
use crate::marks;
use crate::model::{Model, Repeats};
use crate::scene::Scene;
use crate::scope::Repeated;
use crate::walk::{Purpose, Walk};

/// The facts of an instance, and diagnostics of the workspace that replace those of the planner of the instance.
pub struct Facts {
    /// The input of the planner of the instance.
    pub configured: Configured,
    /// Diagnostics that replace those for false preconditions.
    pub preconditions: Vec<Vec<Diagnostic>>,
    /// Diagnostics that replace those for triggers without a change.
    pub triggers: Vec<Vec<Diagnostic>>,
    /// The status of the preconditions, and the messages of failed ones.
    pub status: (Status, Vec<String>),
    /// The diagnostics of a configuration that cannot be evaluated, in walks in which false preconditions only warn.
    pub broken: Vec<Diagnostic>,
    /// The diagnostics of preconditions that do not end the visit: true ones, and false ones in the refresh before a destruction.
    pub warned: Vec<Diagnostic>,
}

/// A step of a reference whose key may be an expression.
pub enum Step {
    /// `.name`
    Name(Text),
    /// `[key]`
    Key(Value),
}

impl Scene<'_, '_> {
    /// The facts of an instance, given filled slots for all needs of its block ([`Walk::fill_for`]).
    pub fn facts(
        &self,
        slots: &mut Slots,
        shared: &Shared,
        address: &AbsResourceInstance,
        repeated: &Repeated,
    ) -> Facts {
        let of = &self.model.blocks[shared.block];
        let mut facts = self.no_facts(shared);
        repeated.put(slots, &self.model.modules[of.module].lexica);
        self.preconditions(shared.block, slots, &mut facts);
        // Where false preconditions only warn, an error in one ends the visit all the same (E153).
        let ends = facts.preconditions.iter().flatten().any(Diagnostic::is_error);
        // G13: a refresh evaluates no managed configuration.
        let is_looked_at = !self.purpose.only_looks() || of.address.mode == ResourceMode::Data;
        if !ends && is_looked_at {
            match self.configuration(shared.block, slots, address, repeated) {
                Ok(None) => {}
                Ok(Some(config)) => {
                    (facts.configured.config, facts.configured.ephemeral) = marks::to_planners(&config);
                }
                Err(diagnostics) if self.severity() == Severity::Warning => facts.broken = diagnostics,
                // Errors of the configuration end the visit like a false precondition.
                Err(diagnostics) => {
                    facts.preconditions.push(diagnostics);
                    facts.configured.preconditions.push(Tri::False);
                }
            }
        }
        let triggers = matches!(self.purpose, Purpose::Plan | Purpose::BeforeDestroy);
        if triggers && !of.of.lifecycle.replace_triggered_by.is_empty() {
            self.triggers(shared.block, slots, address, repeated, &mut facts);
        }
        if of.address.mode == ResourceMode::Data {
            self.pending(shared, address, &mut facts.configured);
        }
        facts
    }

    /// The facts that the instances of a block share, without a configuration.
    fn no_facts(&self, shared: &Shared) -> Facts {
        let of = &self.model.blocks[shared.block];
        let ty = of.schema.map_or(Type::Dynamic, |typed| self.model.typed[typed].ty.clone());
        Facts {
            configured: Configured {
                config: plans::Marked::plain(Value::null(ty)),
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
            warned: Vec::new(),
        }
    }

    /// Evaluates the preconditions of a block.
    fn preconditions(&self, block: usize, slots: &Slots, facts: &mut Facts) {
        let severity = self.severity();
        for rule in &self.model.blocks[block].preconditions {
            let judged = judged(rule, slots);
            facts.status.0 = facts.status.0.max(judged.status);
            let mut diagnostics = judged.diagnostics;
            let is_error = diagnostics.iter().any(Diagnostic::is_error);
            if judged.status == Status::Fail {
                diagnostics.push(Diagnostic { severity, summary: summary::PRECONDITION.into(), address: None });
                facts.status.1.extend(judged.message);
            }
            let holds = match judged.status {
                _ if is_error => Tri::False,
                // L30: before a destruction the planner of the instance plans all the same.
                Status::Fail if self.purpose == Purpose::BeforeDestroy => {
                    facts.warned.append(&mut diagnostics);
                    Tri::Unknown
                }
                Status::Fail | Status::Error => Tri::False,
                Status::Unknown => Tri::Unknown,
                Status::Pass => Tri::True,
            };
            match holds {
                Tri::False => facts.preconditions.push(diagnostics),
                // E159: a message with hidden values is reported whether the condition holds or not.
                _ => facts.warned.append(&mut diagnostics),
            }
            facts.configured.preconditions.push(holds);
        }
    }

    /// The evaluated body of an instance; `None` without a schema.
    fn configuration(
        &self,
        block: usize,
        slots: &mut Slots,
        address: &AbsResourceInstance,
        repeated: &Repeated,
    ) -> Evaluated<Option<Marked>> {
        let model = self.model;
        let of = &model.blocks[block];
        // U33, U43: an instance that its block's expansion does not have sees no `count` and `each`.
        let is_bare = of.repeats == Repeats::Each && repeated.each.is_none();
        let bare = if is_bare { model.bare_body(block) } else { None };
        let Some(body) = bare.as_ref().or(of.body.as_ref()) else { return Ok(None) };
        // G15: an import has not checked its references before.
        if is_bare || self.purpose == Purpose::Import || of.has_faulty_contents {
            let repeats = if is_bare { Repeats::Once } else { of.repeats };
            let faults = model.body_faults(block, repeats, &body.contents(slots));
            if !faults.is_empty() {
                return Err(faults);
            }
        }
        let config = body.evaluate(slots)?;
        // L03: ephemeral values that the validation walk did not know of are reported when the configuration is evaluated.
        match model.misused(block, &config) {
            0 => Ok(Some(config)),
            misused => {
                let misuse = Diagnostic::error(model.dialect.ephemeral_misused()).about(address.to_string());
                Err(vec![misuse; misused])
            }
        }
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
        &self,
        block: usize,
        slots: &Slots,
        address: &AbsResourceInstance,
        repeated: &Repeated,
        facts: &mut Facts,
    ) {
        let of = &self.model.blocks[block];
        for trigger in &of.of.lifecycle.replace_triggered_by {
            let steps = match self.trigger_steps(block, trigger, slots, repeated) {
                Ok(steps) => steps,
                Err(diagnostics) => {
                    facts.triggers.push(diagnostics);
                    let nothing = Trigger { changes: Vec::new(), attribute: None };
                    facts.configured.lifecycle.replace_triggered_by.push(nothing);
                    continue;
                }
            };
            let Some(leads) = Triggering::of(steps) else { continue };
            // The deletion of a resource that is no longer declared, recorded or not yet, does not fire.
            let is_declared = self.model.find(of.module, &leads.resource).is_some();
            let changes = if is_declared { self.triggering(&leads, address) } else { Vec::new() };
            if changes.is_empty() {
                facts.triggers.push(vec![Diagnostic::error(match is_declared {
                    true => leads.found_nothing(address),
                    false => "Reference to undeclared resource".to_owned(),
                })]);
            }
            let attribute = leads.attribute.filter(|_| !changes.is_empty());
            facts.configured.lifecycle.replace_triggered_by.push(Trigger { changes, attribute });
        }
    }

    /// The steps of a trigger, with values for its keys.
    fn trigger_steps(
        &self,
        block: usize,
        trigger: &config::Expr,
        slots: &Slots,
        repeated: &Repeated,
    ) -> Evaluated<Vec<Step>> {
        let of = &self.model.blocks[block];
        let found = self.model.steps((&trigger.written, of.sources), of.module, slots, repeated, KeyForm::Reference);
        let is_unseen = |diagnostics: &[Diagnostic]| diagnostics.iter().all(|one| one.summary == "Invalid reference");
        let found = found.map_err(|diagnostics| {
            let better = trigger.references.iter().find_map(|one| unrepeated(&one.root, repeated));
            match better {
                Some(better) if is_unseen(&diagnostics) => vec![better],
                _ => diagnostics,
            }
        })?;
        found.ok_or_else(|| vec![Diagnostic::error("Invalid replace_triggered_by expression")])
    }

    /// The changes that a trigger of an instance leads to.
    fn triggering(&self, leads: &Triggering, address: &AbsResourceInstance) -> Vec<TriggerChange> {
        let config = ConfigResource { module: address.module.module(), resource: leads.resource.clone() };
        let changes = self.recorded.of.get(&config).into_iter().flatten().map(|&place| &self.changes[place]);
        changes
            .filter(|change| change.addr.module == address.module && change.deposed().is_none())
            .filter(|change| leads.key.as_ref().is_none_or(|key| change.addr.key == *key))
            .map(|change| TriggerChange {
                action: if leads.is_dead_end { Action::NoOp } else { change.action() },
                before: change.planned.change.before.clone(),
                after: change.planned.change.after.clone(),
            })
            .collect()
    }
}

/// The place that a trigger leads to.
struct Triggering {
    resource: Resource,
    /// The key of one instance; `None` for all of them.
    key: Option<InstanceKey>,
    /// The attribute, if one is named.
    attribute: Option<WrittenPath>,
    /// Whether a key in the attribute is invalid, so that nothing changes there.
    is_dead_end: bool,
}

impl Triggering {
    /// The place at the end of some steps; `None` if they name no resource.
    fn of(steps: Vec<Step>) -> Option<Triggering> {
        let mut steps = steps.into_iter().peekable();
        let mut name = || match steps.next() {
            Some(Step::Name(name)) => Some(name.to_string()),
            _ => None,
        };
        let mut type_name = name()?;
        let mode = match type_name.as_str() {
            "data" => Some(ResourceMode::Data),
            "ephemeral" => Some(ResourceMode::Ephemeral),
            "resource" => Some(ResourceMode::Managed),
            _ => None,
        };
        if mode.is_some() {
            type_name = name()?;
        }
        let (mode, name) = (mode.unwrap_or(ResourceMode::Managed), name()?);
        let key = match steps.next_if(|step| matches!(step, Step::Key(_))) {
            Some(Step::Key(value)) => key(&value),
            _ => None,
        };
        let rest: Vec<Option<WrittenStep>> = steps.map(written_step).collect();
        let (is_whole, is_dead_end) = (rest.is_empty(), rest.iter().any(Option::is_none));
        let path: Vec<WrittenStep> = rest.into_iter().flatten().collect();
        Some(Triggering {
            resource: Resource { mode, type_name, name },
            // G135: an attribute belongs to one instance: to the one without key if none is written.
            key: if is_whole { key } else { key.or(Some(InstanceKey::None)) },
            attribute: (!path.is_empty()).then(|| WrittenPath::new(path)),
            is_dead_end,
        })
    }

    fn found_nothing(&self, from: &AbsResourceInstance) -> String {
        let place = match from.module.is_root() {
            true => "the root module".to_owned(),
            false => from.module.to_string(),
        };
        let key = self.key.clone().unwrap_or_default();
        format!("no change found for {}{key} in {place}", self.resource)
    }
}

impl Walk<'_, '_, '_, '_> {
    /// G95, G96: whether each dependency of a data resource counts.
    pub fn looked_at(&mut self, block: usize, depends: &[Depends]) -> Vec<bool> {
        let model = self.model;
        let of = &model.blocks[block];
        if !of.preconditions.is_empty() || !of.postconditions.is_empty() {
            return vec![true; depends.len()];
        }
        let graph = &self.wired.graph;
        let mut found = crate::graph::NodeSet::none(graph.len());
        for reference in &of.of.depends_on {
            for node in model.nodes(of.module, reference) {
                let Some(id) = graph.id(node) else { continue };
                found.add(id);
                if !matches!(node, Node::Block(_)) {
                    graph.reach([id], &mut found);
                }
            }
        }
        // The calls whose `depends_on` counts: those around the block, and those that it refers to as a whole.
        let mut calls: Vec<_> =
            std::iter::successors(model.modules[of.module].call, |(outer, _)| model.modules[*outer].call).collect();
        for reference in &of.references {
            match model.leads(of.module, reference) {
                Leads::Block(named, _) if model.blocks[named].address.mode == ResourceMode::Managed => {
                    if let Some(id) = graph.id(Node::Block(named as u32)).filter(|_| !fault!(DirectReferencesForgotten))
                    {
                        found.add(id);
                    }
                }
                Leads::Nodes(nodes) if !fault!(WholeCallsForgotten) => {
                    calls.extend(nodes.into_iter().filter_map(|node| match node {
                        Node::End(called) => model.modules[called as usize].call,
                        _ => None,
                    }));
                }
                _ => {}
            }
        }
        for (parent, call) in calls {
            let nodes = call.depends_on.iter().flat_map(|reference| model.nodes(parent, reference));
            let ids: Vec<u32> = nodes.filter_map(|node| graph.id(node)).collect();
            ids.iter().for_each(|&id| found.put(id));
            graph.reach(ids, &mut found);
        }
        let wanted: hashbrown::HashSet<ConfigResource> = (0..graph.len() as u32)
            .filter(|&id| found.has(id))
            .filter_map(|id| match graph.nodes[id as usize] {
                Node::Block(block) => Some(model.blocks[block as usize].config.clone()),
                Node::Orphan(thing) => Some(self.wired.things[thing as usize].address.config_resource()),
                _ => None,
            })
            .collect();
        depends.iter().map(|one| wanted.contains(&self.config_of(one))).collect()
    }
}

/// The error for `count` and `each` in a trigger of a block without them.
fn unrepeated(root: &str, repeated: &Repeated) -> Option<Diagnostic> {
    match root {
        "count" if repeated.index.is_none() => Some(Diagnostic::error("Reference to \"count\" in non-counted context")),
        "each" if repeated.each.is_none() => {
            Some(Diagnostic::error("Reference to \"each\" in context without for_each"))
        }
        _ => None,
    }
}

/// The allowed forms of a key.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum KeyForm {
    /// A constant without a sign, or a reference: in a trigger of a replacement (G135).
    Reference,
    /// Anything but a function: in an import (E24).
    Expression,
}

impl KeyForm {
    fn allows(self, key: &Expression) -> bool {
        if self == KeyForm::Expression {
            return !key.has_call();
        }
        let is_other = |kind: &Kind| match kind {
            Kind::Literal(value) => value.view().as_number().is_some_and(|number| number.sign_number() < 0),
            Kind::Root(_) | Kind::Attribute(..) | Kind::Index(..) => false,
            _ => true,
        };
        !key.is_any(&is_other)
    }
}

impl Model<'_> {
    /// The names and keys of a reference whose keys may be expressions.
    pub fn steps(
        &self,
        (written, sources): (&Written, &Sources),
        module: usize,
        slots: &Slots,
        repeated: &Repeated,
        form: KeyForm,
    ) -> Evaluated<Option<Vec<Step>>> {
        let parsed = match written {
            Written::Native(place) => expression::parse(text_at(*place, sources), *place),
            Written::Json(json) => match json.as_str() {
                None => return Ok(None),
                Some(text) => expression::parse(text, json.template_place()),
            },
        };
        let expression = parsed.map_err(|diagnostics| crate::command::from_language(&diagnostics))?;
        let (mut steps, mut at) = (Vec::new(), &expression);
        loop {
            match &at.kind {
                Kind::Root(name) => {
                    steps.push(Step::Name(name.clone()));
                    steps.reverse();
                    return Ok(Some(steps));
                }
                Kind::Attribute(inner, name) => {
                    steps.push(Step::Name(name.clone()));
                    at = inner;
                }
                Kind::Index(inner, key) => {
                    if !form.allows(key) {
                        return Err(vec![Diagnostic::error("Invalid expression")]);
                    }
                    steps.push(Step::Key(self.key_of(key, module, slots, repeated)?));
                    at = inner;
                }
                _ => return Ok(None),
            }
        }
    }

    fn key_of(&self, key: &Expression, module: usize, slots: &Slots, repeated: &Repeated) -> Evaluated<Value> {
        let repeats = match repeated {
            Repeated { index: Some(_), .. } => Repeats::Count,
            Repeated { each: Some(_), .. } => Repeats::Each,
            _ => Repeats::Once,
        };
        let names = self.modules[module].lexica.of(repeats);
        let program = Program::compile(key, names, self.dialect);
        let key = program.evaluate(slots).map_err(|failure| errors_of(&failure))?;
        // G48: a key is shown in addresses.
        match key.marks.own.has(SENSITIVE) {
            true => Err(vec![Diagnostic::error("Invalid index expression")]),
            false => Ok(key.value),
        }
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

/// The `ignore_changes` of a block.
pub fn ignored(ignored: &config::IgnoreChanges) -> planner::IgnoreChanges {
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
