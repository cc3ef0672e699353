//! G155: the attributes that explain a plan, found by following the references of changed blocks and outputs to their sources.
//!
//! Nothing is evaluated: a reference is followed through locals, variables and outputs, and from an attribute of a resource into the
//! argument of that name. No reference is followed twice, so that circles of references end.

use std::collections::{BTreeMap, HashSet};

use planfuzz_core::address::{
    AbsResource, AbsResourceInstance, InstanceKey, ModuleInstance, ModuleStep, Resource, Target,
};
use planfuzz_core::plans::{Action, AddressedChange, OutputChange, RelevantAttribute};
use planfuzz_core::value::{Text, WrittenPath, WrittenStep};
use planfuzz_language::config::{
    self, Body, Repetition, Step, StepKind, Traversal, body_references, iterators, references_of,
};

use crate::evaluation::{EPHEMERAL, Marked};
use crate::imports::key;
use crate::layout::Layout;
use crate::marks;
use crate::references::resource;
use crate::values::WalkValues;

/// The relevant attributes of a plan, each once.
pub fn relevant(
    layout: &Layout<'_>,
    changes: &[AddressedChange],
    outputs: &[OutputChange],
    values: &WalkValues,
) -> Vec<RelevantAttribute> {
    let (found, followed, open) = (BTreeMap::new(), HashSet::new(), Vec::new());
    let mut search = Search { layout, found, followed, open };
    for change in changes.iter().filter(|change| change.action() != Action::NoOp) {
        if let Some(block) = layout.block_of(&change.addr) {
            search.block(&change.addr.module, block, None);
        }
    }
    let root = ModuleInstance::ROOT;
    for output in outputs.iter().filter(|output| output.change().action != Action::NoOp) {
        search.output(&root, 0, &output.addr().name);
    }
    // G151: outputs of modules are new in every plan, unless they are null; ephemeral ones are in none.
    let is_planned = |value: &Marked| !value.value.is_null() && !marks::has(value, EPHEMERAL);
    let inner = values.outputs.iter().filter(|((module, _), value)| !module.is_root() && is_planned(value));
    for ((instance, name), _) in inner {
        if let Some(module) = layout.module_of(instance) {
            search.output(instance, module, name);
        }
    }
    // A stack of its own: chains of references may be deeper than the call stack.
    while let Some((at, module, reference)) = search.open.pop() {
        search.reference(&at, module, &reference);
    }
    search.found.into_values().collect()
}

struct Search<'l, 'w> {
    layout: &'l Layout<'w>,
    /// By its text.
    found: BTreeMap<String, RelevantAttribute>,
    /// The references that were followed: their origin and their text.
    followed: HashSet<String>,
    /// The references that are still to be followed.
    open: Vec<(ModuleInstance, usize, Traversal)>,
}

impl Search<'_, '_> {
    fn is_new(&mut self, at: &ModuleInstance, what: &str) -> bool {
        self.followed.insert(format!("{at} {what}"))
    }

    /// Follows all arguments of a block, or the one of a name.
    fn block(&mut self, at: &ModuleInstance, block: usize, name: Option<&str>) {
        let of = &self.layout.blocks[block];
        if !self.is_new(at, &format!("{} {}", of.address, name.unwrap_or("*"))) {
            return;
        }
        let mut found = match name {
            None => body_references(&of.resource.config, self.layout.sources),
            Some(name) => argument(&of.resource.config, name, self.layout),
        };
        let elements = iterators(&of.resource.config, self.layout.sources);
        found.retain(|reference| !elements.contains(&reference.root));
        self.with_repetition(at, of.module, &found, &of.resource.repetition);
    }

    /// References, and those of `count` or `for_each` where they use what repeats.
    fn with_repetition(&mut self, at: &ModuleInstance, module: usize, found: &[Traversal], repetition: &Repetition) {
        self.all(at, module, found);
        for (root, of) in [("count", &repetition.count), ("each", &repetition.for_each)] {
            if let (Some(of), true) = (of, found.iter().any(|reference| &*reference.root == root)) {
                self.all(at, module, &of.references);
            }
        }
    }

    fn all(&mut self, at: &ModuleInstance, module: usize, found: &[Traversal]) {
        self.open.extend(found.iter().map(|reference| (at.clone(), module, reference.clone())));
    }

    fn output(&mut self, at: &ModuleInstance, module: usize, name: &str) {
        let outputs = &self.layout.modules[module].configuration.module.outputs;
        let output = outputs.iter().find(|output| *output.name.text == *name);
        let value = output.and_then(|output| output.value.as_ref());
        if let Some(value) = value.filter(|_| self.is_new(at, &format!("output.{name}"))) {
            self.all(at, module, &value.references);
        }
    }

    fn reference(&mut self, at: &ModuleInstance, module: usize, reference: &Traversal) {
        let declared = &self.layout.modules[module].configuration.module;
        match (&*reference.root, name(&reference.steps, 0)) {
            ("local", _) if fault!(RelevantNotFollowed) => {}
            ("local", Some(name)) => {
                let local = declared.locals.iter().find(|local| *local.name.text == *name);
                if let Some(local) = local.filter(|_| self.is_new(at, &format!("local.{name}"))) {
                    self.all(at, module, &local.value.references);
                }
            }
            ("var", Some(name)) => self.variable(at, module, name),
            ("module", Some(call)) => self.call(at, module, call, &reference.steps),
            _ => self.object(at, module, reference),
        }
    }

    /// Follows the argument of the call for a variable.
    fn variable(&mut self, at: &ModuleInstance, module: usize, name: &str) {
        let of = &self.layout.modules[module];
        let (Some(parent), Some(call), Some((_, outer))) = (of.parent, of.call, at.0.split_last()) else { return };
        let input = call.inputs.iter().find(|(given, _)| *given.text == *name);
        if let Some((_, input)) = input.filter(|_| self.is_new(at, &format!("var.{name}"))) {
            self.with_repetition(&ModuleInstance(outer.to_vec()), parent, &input.references, &call.repetition);
        }
    }

    /// Follows an output of a call, or all of them if none is named.
    fn call(&mut self, at: &ModuleInstance, module: usize, call: &str, steps: &[Step]) {
        let Some(&child) = self.layout.modules[module].children.get(call) else { return };
        let key = steps.get(1).and_then(constant_key);
        let named = name(steps, 1 + usize::from(key.is_some()));
        let inside = ModuleStep { name: call.to_owned(), key: key.unwrap_or_default() };
        let inside = ModuleInstance(at.0.iter().cloned().chain([inside]).collect());
        let outputs = &self.layout.modules[child].configuration.module.outputs;
        let is_named = |output: &&config::Output| named.is_none_or(|name| *output.name.text == *name);
        for output in outputs.iter().filter(is_named) {
            self.output(&inside, child, &output.name.text);
        }
    }

    /// Records an attribute of a resource as relevant, and follows its argument.
    fn object(&mut self, at: &ModuleInstance, module: usize, reference: &Traversal) {
        let Some(address) = resource(reference) else { return };
        let from = if matches!(&*reference.root, "data" | "ephemeral" | "resource") { 2 } else { 1 };
        let steps = &reference.steps[from.min(reference.steps.len())..];
        let key = steps.first().and_then(constant_key);
        let rest = &steps[usize::from(key.is_some())..];
        self.found(at, &address, key, rest);
        // An undeclared resource is named in a content that generates no block (E31).
        if let Some(block) = self.layout.find(module, &address) {
            self.block(at, block, name(rest, 0));
        }
    }

    fn found(&mut self, at: &ModuleInstance, resource: &Resource, key: Option<InstanceKey>, rest: &[Step]) {
        let (module, resource) = (at.clone(), resource.clone());
        let resource = match key {
            Some(key) => Target::Instance(AbsResourceInstance { module, resource, key }),
            None => Target::Resource(AbsResource { module, resource }),
        };
        let attribute = WrittenPath::new(rest.iter().map_while(step).collect());
        let text = format!("{resource} {attribute}");
        self.found.insert(text, RelevantAttribute { resource, attribute });
    }
}

fn name(steps: &[Step], at: usize) -> Option<&str> {
    match steps.get(at).map(|step| &step.kind) {
        Some(StepKind::Attribute(name)) => Some(name.as_str()),
        _ => None,
    }
}

fn constant_key(step: &Step) -> Option<InstanceKey> {
    match &step.kind {
        StepKind::Index(value) => key(value),
        StepKind::Attribute(_) => None,
    }
}

fn step(step: &Step) -> Option<WrittenStep> {
    Some(match &step.kind {
        StepKind::Attribute(name) => WrittenStep::Attribute(name.clone()),
        StepKind::Index(value) => match key(value)? {
            InstanceKey::Text(text) => WrittenStep::Key(Text::new(&text)),
            InstanceKey::Int(index) => WrittenStep::Index(u64::try_from(index).ok()?),
            InstanceKey::None => return None,
        },
    })
}

/// The references of the argument of a name, or of the blocks of that type.
fn argument(body: &Body, name: &str, layout: &Layout<'_>) -> Vec<Traversal> {
    match body {
        Body::Native(body) => {
            let arguments = body.attributes.iter().filter(|attribute| *attribute.name.text == *name);
            let blocks = body.blocks.iter().filter(|block| *block.kind.text == *name);
            let of_arguments = arguments.flat_map(|attribute| references_of(&attribute.value, layout.sources));
            of_arguments.chain(blocks.flat_map(|block| body_references(&block.body, layout.sources))).collect()
        }
        Body::Json(body) => {
            let own = body.members.iter().filter(|member| *member.name == *name).cloned().collect();
            let body =
                Body::Json(config::JsonBody { members: own, missing: body.missing, ..config::JsonBody::default() });
            body_references(&body, layout.sources)
        }
    }
}
