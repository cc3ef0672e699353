//! The values that expressions of a walk see: slots are filled as far as an expression needs them.

use std::borrow::Cow;
use std::collections::BTreeSet;

use hashbrown::HashMap;
use planfuzz_core::address::{AbsResource, AbsResourceInstance, InstanceKey, ResourceMode};
use planfuzz_core::plans::{self, Mode};
use planfuzz_core::state::{InstanceState, Object, Stored};
use planfuzz_core::value::{PathSet, Text, Type, Value, WrittenPath};
use planfuzz_language::expression::{EPHEMERAL, Marked};
use planfuzz_workspace::ByKey;

use crate::blocks::Taken;
use crate::expr::{Evaluated, Expr, Wanted};
use crate::graph::{Node, NodeSet};
use crate::marks;
use crate::model::{Model, Ready, Repeats, Use};
use crate::scope::{Repeat, Repeated, value_of_block};
use crate::walk::{Purpose, Record, Walk};

/// An unknown value.
fn anything(mode: ResourceMode) -> Marked {
    let value = Marked::from(Value::unknown(Type::Dynamic));
    if mode == ResourceMode::Ephemeral { value.with(EPHEMERAL) } else { value }
}

/// Instances, by their keys.
pub type Keys = HashMap<AbsResource, BTreeSet<InstanceKey>>;

/// Instances that have only deposed objects for a part of a walk.
#[derive(Debug)]
pub struct Passing {
    keys: Keys,
    /// The nodes that called, and those that wait for one.
    late: NodeSet,
    /// Whether the node of this visit sees them.
    is_seen: bool,
}

impl Model<'_> {
    /// An object as expressions see it (section 17 of workspace-plan.md): with its own marks, or those of its schema beside them.
    pub fn as_seen(&self, value: &plans::Marked, typed: usize) -> Marked {
        if !self.dialect.marks_seen_by_schema() {
            return marks::to_expressions(value);
        }
        let own = self.typed[typed].schema.sensitive_paths(value.value().view(), self.dialect);
        let own: PathSet = own.unwrap_or_default().iter().map(WrittenPath::from).collect();
        marks::to_expressions(&plans::Marked::new(value.value().clone(), &value.sensitive().union(&own)))
    }
}

impl Walk<'_, '_, '_, '_> {
    /// Evaluates in a module instance, with this `count` and `each`.
    pub fn evaluate(&mut self, inst: usize, repeated: &Repeated, expr: &Expr, uses: &[Use]) -> Evaluated {
        if let Some(value) = expr.constant() {
            return Ok(value.clone());
        }
        self.prepare(inst, repeated, uses);
        expr.evaluate(&self.insts[inst].slots)
    }

    /// Evaluates and converts to a type.
    pub fn converted(
        &mut self,
        (inst, repeated): (usize, &Repeated),
        Ready { expr, needs, .. }: &Ready,
        wanted: Wanted<'_>,
    ) -> Evaluated {
        if let Some(value) = expr.constant() {
            return wanted.of(value);
        }
        self.prepare(inst, repeated, needs);
        expr.converted(&self.insts[inst].slots, wanted)
    }

    /// Fills the slots that are needed.
    pub fn prepare(&mut self, inst: usize, repeated: &Repeated, uses: &[Use]) {
        for one in uses {
            self.fill(inst, one);
        }
        let module = self.insts[inst].module;
        repeated.put(&mut self.insts[inst].slots, &self.model.modules[module].lexica);
    }

    /// Fills the slots that the facts of the instances of a block need.
    pub fn fill_for(&mut self, inst: usize, block: usize) {
        let of = &self.model.blocks[block];
        let conditions = of.preconditions.iter().flat_map(|rule| &rule.needs);
        conditions.chain(&of.needs).for_each(|one| self.fill(inst, one));
    }

    /// Fills a slot, unless it is up to date.
    pub fn fill(&mut self, inst: usize, one: &Use) {
        let model = self.model;
        let lexica = &model.modules[self.insts[inst].module].lexica;
        match one {
            Use::Block(block) => {
                let slot = model.blocks[*block].slot;
                if self.insts[inst].built[slot] {
                    return;
                }
                let value = self.block_value(inst, *block);
                self.insts[inst].slots.set(slot, value);
                // Not all see passing instances alike.
                self.insts[inst].built[slot] = self.passing_of(inst, *block).is_none();
            }
            Use::All(mode, type_name) => {
                let Some(&slot) = lexica.alls.get(&(*mode, type_name.clone())) else { return };
                let blocks = model.modules[self.insts[inst].module].blocks.iter().copied();
                let of_type = |&block: &usize| {
                    let address = &model.blocks[block].address;
                    address.mode == *mode && address.type_name == *type_name
                };
                let members: Vec<_> = blocks
                    .filter(of_type)
                    .map(|block| (model.blocks[block].address.name.as_str().into(), self.block_value(inst, block)))
                    .collect();
                self.insts[inst].slots.set(slot, Marked::object(members));
            }
            Use::Call(child) => {
                let Some(&slot) = lexica.calls.get(child) else { return };
                if !self.insts[inst].built[slot]
                    && let Some(value) = self.call_value(inst, *child)
                {
                    self.insts[inst].slots.set(slot, value);
                    self.insts[inst].built[slot] = true;
                }
            }
        }
    }

    /// Marks the value of a block as changed, so that it is built anew when it is next needed.
    pub fn touch(&mut self, inst: usize, block: usize) {
        self.insts[inst].built[self.model.blocks[block].slot] = false;
    }

    fn block_value(&self, inst: usize, block: usize) -> Marked {
        let of = &self.model.blocks[block];
        if self.purpose == Purpose::Validate {
            return self.typed_in_validation(block).unwrap_or_else(|| anything(of.address.mode));
        }
        if self.is_open(inst, block) {
            return anything(of.address.mode);
        }
        let repeat = self.insts[inst].repeats[of.place].as_ref();
        let ty = of.schema.map(|schema| &self.model.typed[schema].ty);
        let own = &self.insts[inst].objects[of.place];
        // G111: with a target of one instance the others are seen as they are stored, also those no longer declared. L183: walks that plan
        // nothing see those, too.
        let mut deposed_alone = Cow::Borrowed(self.deposed_alone_of(inst, block));
        if self.deposed.passing.as_ref().is_some_and(|passing| passing.is_seen)
            && let Some(passing) = self.passing_of(inst, block)
        {
            deposed_alone.to_mut().extend(passing.iter().cloned());
        }
        let is_noted = self.objects.noted.contains(&(inst, of.place)) || !deposed_alone.is_empty();
        let ty = (ty, is_noted || matches!(self.purpose, Purpose::Apply | Purpose::Import));
        // E59: where nothing is planned, what is no longer declared is seen, too.
        let plans_nothing = self.purpose.only_looks() || self.plan.is_some_and(|plan| plan.mode == Mode::RefreshOnly);
        let may_be_more = !self.targets.is_empty() || plans_nothing || !deposed_alone.is_empty();
        let is_stored = self.sees_state && of.address.mode != ResourceMode::Ephemeral;
        let stored = is_stored.then(|| self.seen_objects(inst, block));
        let objects = stored.as_ref().unwrap_or(own);
        // U41: in an apply, the stored objects are those that are seen.
        let there = if self.purpose == Purpose::Apply { objects } else { own };
        // L183: keys of another kind do not count.
        let fits = |key: &InstanceKey| repeat.is_none_or(|repeat| repeat.fits(key));
        let may_be_other = may_be_more && !there.keys().all(fits);
        let mut keys = there.keys().chain(deposed_alone.iter()).filter(|key| !may_be_more || fits(key));
        let declared = repeat.filter(|repeat| !may_be_more || keys.all(|key| repeat.place(key).is_some()));
        if deposed_alone.is_empty() && !may_be_other {
            return value_of_block(of.address.mode, declared, objects, ty);
        }
        let mut objects = objects.clone();
        objects.retain(|key, _| fits(key));
        for key in deposed_alone.iter().filter(|key| fits(key)) {
            let unknown = || Value::unknown(ty.0.cloned().unwrap_or(Type::Dynamic)).into();
            objects.or_insert_with(key, unknown);
        }
        value_of_block(of.address.mode, declared, &objects, ty)
    }

    /// The instances of a block that have only deposed objects, if they are seen.
    pub fn deposed_alone_of(&self, inst: usize, block: usize) -> &BTreeSet<InstanceKey> {
        static NONE: BTreeSet<InstanceKey> = BTreeSet::new();
        self.keys_of(&self.deposed.alone, inst, block).unwrap_or(&NONE)
    }

    /// The passing instances of a block.
    fn passing_of(&self, inst: usize, block: usize) -> Option<&BTreeSet<InstanceKey>> {
        self.keys_of(&self.deposed.passing.as_ref()?.keys, inst, block)
    }

    /// The keys of a block among those of all resources.
    fn keys_of<'k>(&self, all: &'k Keys, inst: usize, block: usize) -> Option<&'k BTreeSet<InstanceKey>> {
        if all.is_empty() {
            return None;
        }
        let resource = self.model.blocks[block].address.clone();
        all.get(&AbsResource { module: self.insts[inst].address.clone(), resource })
    }

    /// A single resource with the type of its schema, in a dialect that knows it in the validation walk.
    fn typed_in_validation(&self, block: usize) -> Option<Marked> {
        let of = &self.model.blocks[block];
        let is_single = of.repeats == Repeats::Once && of.address.mode != ResourceMode::Ephemeral;
        let ty = of.schema.filter(|_| is_single && self.model.dialect.knows_types_in_validation())?;
        let members = self.model.typed[ty].ty.as_object()?.attributes().iter();
        let unknown = members.map(|one| (one.name.clone(), Value::unknown(one.ty.clone())));
        Some(Value::object(unknown.collect::<Vec<_>>()).into())
    }

    /// Notes the instances that have only deposed objects when a walk begins, if their keys count.
    pub fn see_deposed_alone(&mut self, counts: impl Fn(&InstanceKey) -> bool) {
        self.deposed.alone.extend(self.stored_deposed_alone(counts));
    }

    /// The instances that have only deposed objects now, if their keys count.
    fn stored_deposed_alone(&self, counts: impl Fn(&InstanceKey) -> bool) -> Keys {
        let of_resource = self.state.resources.iter().filter_map(|(address, stored)| {
            let alone = stored.instances.iter().filter(|(_, instance)| instance.current.is_none());
            let keys: BTreeSet<InstanceKey> = alone.map(|(key, _)| key).filter(|key| counts(key)).cloned().collect();
            (!keys.is_empty()).then(|| (address.clone(), keys))
        });
        of_resource.collect()
    }

    /// Notes the instances whose deposed objects targets keep.
    pub fn note_visited_deposed(&mut self) {
        let nodes = self.wired.graph.nodes.iter();
        let of = nodes.filter_map(|node| match node {
            Node::Deposed(thing) => Some(self.wired.things[*thing as usize].address.clone()),
            _ => None,
        });
        self.deposed.visited = of.collect();
    }

    /// E59: notes the instances that have deposed objects alone when a plan begins.
    pub fn see_passing_deposed(&mut self) {
        self.see_passing(self.stored_deposed_alone(|_| true));
    }

    /// U41: notes the instances with keys of which an apply destroys the current object, and not the deposed ones.
    pub fn see_passing_current(&mut self) {
        let mut keys = Keys::new();
        for address in &self.objects.unseen {
            let has_deposed = |instance: &InstanceState| instance.current.is_some() && !instance.deposed.is_empty();
            if address.key != InstanceKey::None && self.state.instance(address).is_some_and(has_deposed) {
                keys.entry(address.abs_resource()).or_default().insert(address.key.clone());
            }
        }
        self.see_passing(keys);
    }

    fn see_passing(&mut self, keys: Keys) {
        if keys.is_empty() {
            return;
        }
        if self.calls.record == Record::Nothing {
            self.calls.record = Record::Calls;
        }
        self.deposed.passing = Some(Passing { keys, late: NodeSet::none(self.wired.graph.len()), is_seen: false });
    }

    /// Decides whether a node that is visited now sees passing instances: in a plan, who waits for no call; in an apply, who waits for one.
    pub fn look(&mut self, node: u32) {
        let Some(passing) = &mut self.deposed.passing else { return };
        let is_late = self.wired.graph.waits[node as usize].iter().any(|&other| passing.late.has(other));
        passing.is_seen = is_late == (self.purpose == Purpose::Apply);
        if is_late {
            passing.late.put(node);
        }
    }

    /// Notes a node that called. All wait for their providers.
    pub fn note_calls(&mut self, node: u32, before: usize) {
        let Some(passing) = &mut self.deposed.passing else { return };
        let is_provider = matches!(self.wired.graph.nodes[node as usize], Node::Provider(_));
        if self.calls.made.len() > before && !is_provider {
            passing.late.put(node);
        }
    }

    /// L183: a refresh that finds the current object of an instance gone sees its deposed ones, as the next walk does.
    pub fn note_deposed_alone(&mut self, taken: &Taken) {
        if self.purpose != Purpose::Refresh {
            return;
        }
        let is_there = |key| taken.instance(key).is_some_and(|instance| instance.current.is_some());
        let keys: BTreeSet<InstanceKey> = taken.deposed.iter().filter(|key| !is_there(key)).cloned().collect();
        if !keys.is_empty() {
            self.deposed.alone.entry(taken.address.clone()).or_default().extend(keys);
        }
    }

    /// U41: the objects of a block in the state.
    pub fn seen_objects(&self, inst: usize, block: usize) -> ByKey<Marked> {
        let of = &self.model.blocks[block];
        let address = AbsResource { module: self.insts[inst].address.clone(), resource: of.address.clone() };
        let Some(stored) = self.state.resources.get(&address) else { return ByKey::new() };
        let found = stored.instances.iter().filter_map(|(key, instance)| {
            let object = instance.current.as_ref()?;
            if !self.objects.unseen.is_empty() {
                let AbsResource { module, resource } = address.clone();
                if self.objects.unseen.contains(&AbsResourceInstance { module, resource, key: key.clone() }) {
                    return None;
                }
            }
            let typed = self.typed_of(&address, &stored.provider)?;
            Some((key.clone(), self.model.as_seen(&self.decoded(object, typed)?, typed)))
        });
        found.collect()
    }

    /// The value of a stored object.
    pub fn decoded(&self, object: &Object, typed: usize) -> Option<plans::Marked> {
        let value = match &object.stored {
            Stored::Value(value) => value.clone(),
            Stored::Raw { attributes, .. } => {
                Value::from_stored_json_or_absent(attributes, &self.model.typed[typed].ty).ok()?
            }
        };
        Some(plans::Marked::new(value, &object.sensitive))
    }

    /// E52: a call as expressions see it.
    fn call_value(&self, inst: usize, child: usize) -> Option<Marked> {
        let outputs = &self.model.modules[child].outputs;
        let object = |inst: &usize| {
            let members = outputs.iter().zip(&self.insts[*inst].outputs).map(|(output, value)| {
                let value = value.clone().unwrap_or_else(|| Value::unknown(Type::Dynamic).into());
                (output.of.name.text.clone(), value)
            });
            Marked::object(members.collect())
        };
        let unknown =
            || Type::object(outputs.iter().map(|one| (one.of.name.text.clone(), Type::Dynamic)).collect::<Vec<_>>());
        let (repeat, insts) = self.insts[inst].calls.get(&child)?;
        Some(match repeat {
            Repeat::Single => object(insts.first()?),
            Repeat::Count(_) => Marked::tuple(insts.iter().map(object).collect()),
            Repeat::Each(elements) => Marked::object(
                elements.iter().zip(insts).map(|((key, _), inst)| (Text::new(key), object(inst))).collect(),
            ),
            Repeat::Unknown(Repeats::Once) => Value::unknown(unknown()).into(),
            Repeat::Unknown(Repeats::Count) => Value::unknown(Type::list(unknown())).into(),
            Repeat::Unknown(Repeats::Each) => Value::unknown(Type::map(unknown())).into(),
        })
    }
}
