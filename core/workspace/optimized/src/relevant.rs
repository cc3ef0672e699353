//! G155: the attributes that explain a plan.
//!
//! Problem: instances of a block refer to the same things, so that following each on its own multiplies the work. Idea: the references of a
//! declaration are read once, and a declaration is followed once for each instance of its module, both identified by numbers; adjacent
//! changes of one block count as one. Guarantee: circles of references end, and the depth of the stack does not depend on the depth of
//! references.

use hashbrown::hash_map::Entry;
use hashbrown::{HashMap, HashSet};
use std::rc::Rc;

use planfuzz_core::address::{
    AbsResource, AbsResourceInstance, InstanceKey, ModuleInstance, ModuleStep, Resource, Target,
};
use planfuzz_core::plans::{Action, AddressedChange, OutputChange, RelevantAttribute};
use planfuzz_core::value::{Text, WrittenPath, WrittenStep};
use planfuzz_language::Sources;
use planfuzz_language::config::{
    self, Body, Expr, JsonBody, Step, StepKind, Traversal, body_references, iterators, references_of,
};
use planfuzz_language::expression::{EPHEMERAL, Marked};

use crate::configured::{key, resource};
use crate::marks;
use crate::model::Model;
use crate::scope::Inst;

/// The relevant attributes of a plan, each once, in the order of their texts.
pub(crate) fn relevant(
    model: &Model<'_>,
    insts: &[Inst],
    changes: &[AddressedChange],
    outputs: &[OutputChange],
) -> Vec<RelevantAttribute> {
    let mut search = Search::new(model);
    let mut last: Option<&AbsResourceInstance> = None;
    for change in changes.iter().filter(|change| change.action() != Action::NoOp) {
        let is_like =
            |one: &&AbsResourceInstance| one.resource == change.addr.resource && one.module == change.addr.module;
        if last.filter(is_like).is_none()
            && let Some(block) = model.block_of(&change.addr)
        {
            let inst = search.inst(&change.addr.module);
            search.open.push((inst, Place::Body(block)));
        }
        last = Some(&change.addr);
    }
    for output in outputs.iter().filter(|output| output.change().action != Action::NoOp) {
        search.open.extend(model.output(0, &output.addr().name).map(|place| (ROOT, Place::Output(0, place))));
    }
    // G151: outputs of modules are new in every plan, unless they are null; ephemeral ones are in none.
    for of in insts.iter().filter(|of| !of.address.is_root()) {
        let is_new = |(_, value): &(usize, &Option<_>)| value.as_ref().is_some_and(is_planned);
        for (place, _) in of.outputs.iter().enumerate().filter(is_new) {
            let inst = search.inst(&of.address);
            search.open.push((inst, Place::Output(of.module, place)));
        }
    }
    search.run();
    search.named()
}

fn is_planned(value: &Marked) -> bool {
    !value.value.is_null() && !marks::has(value, EPHEMERAL)
}

const ROOT: u32 = 0;

/// The origin of references, by number: a block, or a declaration of a module.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Place {
    /// All arguments of a block.
    Body(usize),
    /// An argument of a block, or its blocks of that type.
    Argument(usize, Text),
    Local(usize, usize),
    /// The argument of the call of a module for a variable.
    Input(usize, usize),
    Output(usize, usize),
}

/// Where a reference leads.
#[derive(Debug)]
enum Link {
    /// Within the instance of the module.
    Beside(Place),
    /// Into an instance that the module calls.
    Below(ModuleStep, Vec<Place>),
    /// To an attribute of a resource, and to its argument.
    Attribute(Attribute, Option<Place>),
}

/// A resource that something refers to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Named {
    Block(usize),
    /// An undeclared resource, named in a content of a dynamic block that generates no block (E31).
    Nothing(Resource),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Attribute {
    of: Named,
    key: Option<InstanceKey>,
    path: WrittenPath,
}

struct Search<'m, 'w> {
    model: &'m Model<'w>,
    /// Instances of modules, as references write them, each with the calling instance.
    insts: Vec<(ModuleInstance, u32)>,
    places: HashMap<(u32, ModuleStep), u32>,
    links: HashMap<Place, Rc<[Link]>>,
    followed: HashSet<(u32, Place)>,
    found: HashSet<(u32, Attribute)>,
    /// The places that are still to be followed.
    open: Vec<(u32, Place)>,
}

impl<'m, 'w> Search<'m, 'w> {
    fn new(model: &'m Model<'w>) -> Search<'m, 'w> {
        Search {
            model,
            insts: vec![(ModuleInstance::ROOT, ROOT)],
            places: HashMap::new(),
            links: HashMap::new(),
            followed: HashSet::new(),
            found: HashSet::new(),
            open: Vec::new(),
        }
    }

    /// The number of an instance of a module.
    fn inst(&mut self, address: &ModuleInstance) -> u32 {
        address.0.iter().fold(ROOT, |outer, step| self.below(outer, step))
    }

    fn below(&mut self, outer: u32, step: &ModuleStep) -> u32 {
        match self.places.entry((outer, step.clone())) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                let steps = self.insts[outer as usize].0.0.iter().chain([step]);
                let address = ModuleInstance(steps.cloned().collect());
                self.insts.push((address, outer));
                *new.insert(self.insts.len() as u32 - 1)
            }
        }
    }

    fn run(&mut self) {
        while let Some((inst, place)) = self.open.pop() {
            if !self.followed.insert((inst, place.clone())) {
                continue;
            }
            // The argument of a call is evaluated where the call is written.
            let at = if matches!(place, Place::Input(..)) { self.insts[inst as usize].1 } else { inst };
            let links = self.links.entry(place).or_insert_with_key(|place| links(self.model, place).into()).clone();
            for link in links.iter() {
                match link {
                    Link::Beside(place) => self.open.push((at, place.clone())),
                    Link::Below(step, places) => {
                        let inner = self.below(at, step);
                        self.open.extend(places.iter().map(|place| (inner, place.clone())));
                    }
                    Link::Attribute(attribute, place) => {
                        self.found.insert((at, attribute.clone()));
                        let place = place.clone().filter(|_| !fault!(SourcesIrrelevant));
                        self.open.extend(place.map(|place| (at, place)));
                    }
                }
            }
        }
    }

    fn named(self) -> Vec<RelevantAttribute> {
        let Search { model, insts, found, .. } = self;
        let name = |(inst, Attribute { of, key, path: attribute }): (u32, Attribute)| {
            let resource = match of {
                Named::Block(block) => model.blocks[block].address.clone(),
                Named::Nothing(resource) => resource,
            };
            let module = insts[inst as usize].0.clone();
            let resource = match key {
                Some(key) => Target::Instance(AbsResourceInstance { module, resource, key }),
                None => Target::Resource(AbsResource { module, resource }),
            };
            RelevantAttribute { resource, attribute }
        };
        let mut named: Vec<_> = found.into_iter().map(name).collect();
        named.sort_by_cached_key(|one| format!("{} {}", one.resource, one.attribute));
        named
    }
}

/// The links of all references of a place.
fn links(model: &Model<'_>, place: &Place) -> Vec<Link> {
    match place {
        Place::Body(block) => {
            let of = &model.blocks[*block];
            // The references of the whole block: if there are none, the body need not be read.
            let found = if of.references.is_empty() { Vec::new() } else { body_references(&of.of.config, of.sources) };
            let found = without_elements(found, &of.of.config, of.sources);
            with_repetition(model, of.module, &found, &of.of.repetition)
        }
        Place::Argument(block, name) => {
            let of = &model.blocks[*block];
            let found = if of.references.is_empty() { Vec::new() } else { argument(&of.of.config, name, of.sources) };
            let found = without_elements(found, &of.of.config, of.sources);
            with_repetition(model, of.module, &found, &of.of.repetition)
        }
        Place::Local(module, place) => of_expression(model, *module, &model.modules[*module].locals[*place].of.value),
        Place::Output(module, place) => {
            let value = model.modules[*module].outputs[*place].of.value.as_ref();
            value.map(|value| of_expression(model, *module, value)).unwrap_or_default()
        }
        Place::Input(module, place) => {
            let of = &model.modules[*module];
            let Some((outer, call)) = of.call else { return Vec::new() };
            let name = &of.variables[*place].of.name.text;
            let input = call.inputs.iter().find(|(given, _)| given.text == *name);
            let found = input.map_or(&[][..], |(_, input)| &input.references);
            with_repetition(model, outer, found, &call.repetition)
        }
    }
}

/// References, except those to the elements of dynamic blocks.
fn without_elements(mut found: Vec<Traversal>, body: &Body, sources: &Sources) -> Vec<Traversal> {
    if !found.is_empty() {
        let elements = iterators(body, sources);
        found.retain(|reference| !elements.contains(&reference.root));
    }
    found
}

fn of_expression(model: &Model<'_>, module: usize, of: &Expr) -> Vec<Link> {
    of.references.iter().filter_map(|reference| leads(model, module, reference)).collect()
}

/// References, and those of `count` or `for_each` where they use what repeats.
fn with_repetition(model: &Model<'_>, module: usize, found: &[Traversal], of: &config::Repetition) -> Vec<Link> {
    let uses = |root: &str| found.iter().any(|reference| *reference.root == *root);
    let count = of.count.iter().filter(|_| uses("count"));
    let repeated = count.chain(of.for_each.iter().filter(|_| uses("each"))).flat_map(|of| &of.references);
    found.iter().chain(repeated).filter_map(|reference| leads(model, module, reference)).collect()
}

fn leads(model: &Model<'_>, module: usize, reference: &Traversal) -> Option<Link> {
    let of = &model.modules[module];
    let first = name(&reference.steps);
    match &*reference.root {
        "local" => Some(Link::Beside(Place::Local(module, model.local(module, first?)?))),
        "var" => Some(Link::Beside(Place::Input(module, *of.variable_places.get(&**first?)?))),
        "module" => {
            let call = first?;
            let child = *of.children.get(&**call)?;
            let rest = &reference.steps[1..];
            let key = rest.first().and_then(constant);
            let outputs = match name(&rest[usize::from(key.is_some())..]) {
                Some(output) => model.output(child, output).into_iter().collect::<Vec<_>>(),
                None => (0..model.modules[child].outputs.len()).collect(),
            };
            let step = ModuleStep { name: call.to_string(), key: key.unwrap_or_default() };
            Some(Link::Below(step, outputs.into_iter().map(|place| Place::Output(child, place)).collect()))
        }
        _ => {
            let (address, taken) = resource(reference)?;
            let key = reference.steps.get(taken).and_then(constant);
            let rest = &reference.steps[taken + usize::from(key.is_some())..];
            let path = WrittenPath::new(rest.iter().map_while(written).collect());
            let Some(block) = model.find(module, &address) else {
                return Some(Link::Attribute(Attribute { of: Named::Nothing(address), key, path }, None));
            };
            let place = match name(rest) {
                Some(name) => Place::Argument(block, name.clone()),
                None => Place::Body(block),
            };
            Some(Link::Attribute(Attribute { of: Named::Block(block), key, path }, Some(place)))
        }
    }
}

/// The name that the steps begin with.
fn name(steps: &[Step]) -> Option<&Text> {
    match &steps.first()?.kind {
        StepKind::Attribute(name) => Some(name),
        StepKind::Index(_) => None,
    }
}

fn constant(step: &Step) -> Option<InstanceKey> {
    match &step.kind {
        StepKind::Index(value) => key(value),
        StepKind::Attribute(_) => None,
    }
}

fn written(step: &Step) -> Option<WrittenStep> {
    match &step.kind {
        StepKind::Attribute(name) => Some(WrittenStep::Attribute(name.clone())),
        StepKind::Index(value) => match key(value)? {
            InstanceKey::Text(text) => Some(WrittenStep::Key(Text::new(&text))),
            InstanceKey::Int(index) => u64::try_from(index).ok().map(WrittenStep::Index),
            InstanceKey::None => None,
        },
    }
}

/// The references of the argument of a name, or of the blocks of that type.
fn argument(body: &Body, name: &Text, sources: &Sources) -> Vec<Traversal> {
    let mut found = Vec::new();
    match body {
        Body::Native(body) => {
            for attribute in body.attributes.iter().filter(|attribute| attribute.name.text == *name) {
                found.extend(references_of(&attribute.value, sources));
            }
            for block in body.blocks.iter().filter(|block| block.kind.text == *name) {
                found.extend(body_references(&block.body, sources));
            }
        }
        Body::Json(body) => {
            let members = body.members.iter().filter(|member| *member.name == **name).cloned().collect();
            found = body_references(
                &Body::Json(JsonBody { members, missing: body.missing, ..JsonBody::default() }),
                sources,
            );
        }
    }
    found
}
