//! What expressions of a walk see: slots that are filled as far as an expression needs them.

use std::collections::BTreeMap;

use planfuzz_core::address::{AbsResource, AbsResourceInstance, InstanceKey, ResourceMode};
use planfuzz_core::plans;
use planfuzz_core::state::{Object, Stored};
use planfuzz_core::value::Value;
use planfuzz_language::expression::Marked;

use crate::expr::{Evaluated, Expr};
use crate::marks;
use crate::model::{Repeats, Use};
use crate::scope::{Repeat, Repeated, value_of_block};
use crate::walk::{Purpose, Walk};

impl Walk<'_, '_, '_, '_> {
    /// Evaluates in a module instance, with what is repeated there.
    pub fn evaluate(&mut self, inst: usize, repeated: &Repeated, expr: &Expr, uses: &[Use]) -> Evaluated {
        if let Some(value) = expr.constant() {
            return Ok(value.clone());
        }
        self.prepare(inst, repeated, uses);
        expr.evaluate(&self.insts[inst].slots)
    }

    /// Fills the slots that are needed.
    pub fn prepare(&mut self, inst: usize, repeated: &Repeated, uses: &[Use]) {
        for one in uses {
            self.fill(inst, one);
        }
        let module = self.insts[inst].module;
        self.insts[inst].repeat(&self.model.modules[module].lexica, repeated);
    }

    fn fill(&mut self, inst: usize, one: &Use) {
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
                self.insts[inst].built[slot] = true;
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

    /// Something of a block changed: its value is made anew when it is next needed.
    pub fn touch(&mut self, inst: usize, block: usize) {
        self.insts[inst].built[self.model.blocks[block].slot] = false;
    }

    fn block_value(&self, inst: usize, block: usize) -> Marked {
        let of = &self.model.blocks[block];
        if self.purpose == Purpose::Validate {
            let value = Marked::from(Value::unknown(planfuzz_core::value::Type::Dynamic));
            let is_ephemeral = of.address.mode == ResourceMode::Ephemeral;
            return if is_ephemeral { value.with(planfuzz_language::expression::EPHEMERAL) } else { value };
        }
        let repeat = self.insts[inst].repeats[of.place].as_ref();
        let ty = of.schema.map(|schema| &self.model.typed[schema].ty);
        let ty = (ty, self.purpose == Purpose::Apply);
        let own = &self.insts[inst].objects[of.place];
        // G111: of a target of one instance the others are seen as they are stored, also those that are no longer declared.
        let repeat =
            repeat.filter(|repeat| self.targets.is_empty() || own.keys().all(|key| repeat.place(key).is_some()));
        match self.sees_state && of.address.mode != ResourceMode::Ephemeral {
            true => value_of_block(of.address.mode, repeat, &self.seen_objects(inst, block), ty),
            false => value_of_block(of.address.mode, repeat, own, ty),
        }
    }

    /// U41: the objects of a block in the state.
    fn seen_objects(&self, inst: usize, block: usize) -> BTreeMap<InstanceKey, Marked> {
        let of = &self.model.blocks[block];
        let address = AbsResource { module: self.insts[inst].address.clone(), resource: of.address.clone() };
        let Some(stored) = self.state.resources.get(&address) else { return BTreeMap::new() };
        let found = stored.instances.iter().filter_map(|(key, instance)| {
            let object = instance.current.as_ref()?;
            if !self.unseen.is_empty() {
                let AbsResource { module, resource } = address.clone();
                if self.unseen.contains(&AbsResourceInstance { module, resource, key: key.clone() }) {
                    return None;
                }
            }
            let typed = self.typed_of(&address, &stored.provider)?;
            Some((key.clone(), marks::to_expressions(&self.decoded(object, typed)?)))
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
        use planfuzz_core::value::{Text, Type};
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
