//! The values that expressions see in one walk: module instances with their slots, filled when they are needed.

use std::collections::BTreeMap;
use std::sync::Arc;

use planfuzz_core::address::{InstanceKey, ModuleInstance, ModuleStep, ResourceMode};
use planfuzz_core::value::{Number, Text, Type, Value};
use planfuzz_language::expression::{EPHEMERAL, Marked};
use planfuzz_language_compiled::Slots;
use planfuzz_workspace::ByKey;

use crate::model::{Lexica, Model, Repeats};
use crate::walk::Purpose;

/// The instances of a block or a call.
#[derive(Clone, Debug)]
pub enum Repeat {
    /// Once.
    Single,
    /// `count`
    Count(i64),
    /// `for_each`: keys in their order, with values.
    Each(Arc<Vec<(String, Marked)>>),
    /// Unknown, as in the validation walk.
    Unknown(Repeats),
}

/// `count.index`, `each.key`, `each.value`.
#[derive(Clone, Debug, Default)]
pub struct Repeated {
    /// `count.index`
    pub index: Option<Marked>,
    /// `each.key`, `each.value`
    pub each: Option<(Marked, Marked)>,
}

/// A module instance.
#[derive(Debug)]
pub struct Inst {
    /// The module.
    pub module: usize,
    /// Its address.
    pub address: ModuleInstance,
    /// The beginning of the addresses in it.
    pub prefix: String,
    /// The calling module instance.
    pub parent: usize,
    /// The `count` and `each` of its call.
    pub repeated: Repeated,
    /// The values of its names.
    pub slots: Slots,
    /// Whether each slot of a block or call is up to date.
    pub built: Vec<bool>,
    /// The expansion of its blocks.
    pub repeats: Vec<Option<Repeat>>,
    /// The objects of its blocks.
    pub objects: Vec<ByKey<Marked>>,
    /// Its outputs.
    pub outputs: Vec<Option<Marked>>,
    /// Its calls: their expansion, and the module instances.
    pub calls: BTreeMap<usize, (Repeat, Vec<usize>)>,
}

impl Repeat {
    /// How many there are.
    pub fn count(&self) -> u64 {
        match self {
            Repeat::Single | Repeat::Unknown(_) => 1,
            Repeat::Count(count) => u64::try_from(*count).unwrap_or(0),
            Repeat::Each(elements) => elements.len() as u64,
        }
    }

    /// Whether its instances have keys.
    pub fn has_keys(&self) -> bool {
        matches!(self, Repeat::Count(_) | Repeat::Each(_))
    }

    /// Whether another one repeats in the same way, with the same values.
    pub fn is_same(&self, other: &Repeat) -> bool {
        match (self, other) {
            (Repeat::Single, Repeat::Single) => true,
            (Repeat::Count(a), Repeat::Count(b)) => a == b,
            (Repeat::Each(a), Repeat::Each(b)) => a == b,
            (Repeat::Unknown(a), Repeat::Unknown(b)) => a == b,
            _ => false,
        }
    }

    /// The key, and the `count` and `each`, of an instance by its place.
    pub fn at(&self, place: u64) -> (InstanceKey, Repeated) {
        match self {
            Repeat::Single | Repeat::Unknown(Repeats::Once) => (InstanceKey::None, Repeated::default()),
            Repeat::Count(_) => {
                let index = place as i64;
                (
                    InstanceKey::Int(index),
                    Repeated { index: Some(Value::number(Number::counted(index)).into()), each: None },
                )
            }
            Repeat::Each(elements) => {
                let (key, value) = &elements[place as usize];
                let each = Some((Value::string(key).into(), value.clone()));
                (InstanceKey::Text(key.clone()), Repeated { index: None, each })
            }
            // E61
            Repeat::Unknown(Repeats::Count) => (InstanceKey::None, Repeated { each: None, ..Repeated::unknown() }),
            Repeat::Unknown(Repeats::Each) => (InstanceKey::None, Repeated { index: None, ..Repeated::unknown() }),
        }
    }

    /// Whether a key is of the kind by which it repeats, if that is known.
    pub fn fits(&self, key: &InstanceKey) -> bool {
        match self {
            Repeat::Count(_) => matches!(key, InstanceKey::Int(_)),
            Repeat::Each(_) => matches!(key, InstanceKey::Text(_)),
            Repeat::Single => *key == InstanceKey::None,
            Repeat::Unknown(_) => true,
        }
    }

    /// The place of a key.
    pub fn place(&self, key: &InstanceKey) -> Option<u64> {
        match (self, key) {
            (Repeat::Single | Repeat::Unknown(_), InstanceKey::None) => Some(0),
            (Repeat::Count(count), InstanceKey::Int(index)) if (0..*count).contains(index) => Some(*index as u64),
            (Repeat::Each(elements), InstanceKey::Text(key)) => {
                elements.binary_search_by(|(known, _)| known.cmp(key)).ok().map(|place| place as u64)
            }
            _ => None,
        }
    }
}

impl Repeated {
    /// Unknown `count` and `each` (E68).
    pub fn unknown() -> Repeated {
        let unknown = |ty| Marked::from(Value::unknown(ty));
        Repeated { index: Some(unknown(Type::Number)), each: Some((unknown(Type::String), unknown(Type::Dynamic))) }
    }

    /// Puts `count` and `each` into their slots.
    pub fn put(&self, slots: &mut Slots, lexica: &Lexica) {
        if let Some(index) = &self.index {
            slots.set(lexica.index, index.clone());
        }
        if let Some((key, value)) = &self.each {
            slots.set(lexica.key, key.clone());
            slots.set(lexica.value, value.clone());
        }
    }
}

impl Inst {
    /// An instance without any values yet.
    pub fn new(model: &Model<'_>, module: usize, address: ModuleInstance, parent: usize, repeated: Repeated) -> Inst {
        let of = &model.modules[module];
        let mut slots = Slots::new(of.lexica.of(Repeats::Each));
        of.lexica.fixed.iter().for_each(|(slot, value)| slots.set(*slot, value.clone()));
        Inst {
            module,
            prefix: if address.is_root() { String::new() } else { format!("{address}.") },
            address,
            parent,
            repeated,
            slots,
            built: vec![false; of.lexica.own + 1],
            repeats: vec![None; of.blocks.len()],
            objects: vec![ByKey::new(); of.blocks.len()],
            outputs: vec![None; of.outputs.len()],
            calls: BTreeMap::new(),
        }
    }

    /// The same in a walk for a purpose, which sets `terraform.applying` (E47).
    pub fn within(mut self, model: &Model<'_>, purpose: Purpose) -> Inst {
        let applying = Marked::from(Value::bool(purpose == Purpose::Apply)).with(EPHEMERAL);
        self.slots.set(model.modules[self.module].lexica.applying, applying);
        self
    }

    /// The address of an instance of a call of this one.
    pub fn below(&self, name: &str, key: InstanceKey) -> ModuleInstance {
        let step = ModuleStep { name: name.to_owned(), key };
        ModuleInstance(self.address.0.iter().cloned().chain([step]).collect())
    }
}

/// The greatest index of a stored object that expressions see: beyond it a tuple would have too many gaps.
const MOST_INDEX: i64 = 1 << 24;

/// E53 to E58, L183: a block as expressions see it. In an apply, and an import (G15), a missing single object has the type of its schema.
pub fn value_of_block(
    mode: ResourceMode,
    repeat: Option<&Repeat>,
    objects: &ByKey<Marked>,
    (ty, is_typed): (Option<&Type>, bool),
) -> Marked {
    let is_ephemeral = mode == ResourceMode::Ephemeral;
    let marked = |value: Marked| if is_ephemeral { value.with(EPHEMERAL) } else { value };
    let anything = || marked(Value::unknown(Type::Dynamic).into());
    let gap = || marked(Value::unknown(ty.cloned().unwrap_or(Type::Dynamic)).into());
    // Each instance is ephemeral, how many there are is not.
    let ephemeral: ByKey<Marked>;
    let objects = match is_ephemeral {
        true => {
            ephemeral = objects.iter().map(|(key, value)| (key.clone(), marked(value.clone()))).collect();
            &ephemeral
        }
        false => objects,
    };
    let single = || objects.get(&InstanceKey::None).cloned().unwrap_or_else(anything);
    let rows = |end: i64| {
        let mut all: Vec<Marked> = Vec::with_capacity(end.max(0) as usize);
        for (key, value) in objects {
            if let InstanceKey::Int(index) = key
                && (0..end).contains(index)
            {
                all.resize_with(*index as usize, gap);
                all.push(value.clone());
            }
        }
        Marked::tuple(all)
    };
    let keyed = |is_there: &dyn Fn(&InstanceKey) -> bool| {
        let all = objects.iter().filter(|(key, _)| is_there(key)).filter_map(|(key, value)| match key {
            InstanceKey::Text(key) => Some((Text::new(key), value.clone())),
            _ => None,
        });
        Marked::object(all.collect())
    };
    match repeat {
        Some(Repeat::Count(count)) => rows(*count),
        Some(repeat @ Repeat::Each(_)) => keyed(&|key| repeat.place(key).is_some()),
        Some(Repeat::Single | Repeat::Unknown(_)) if is_typed => {
            objects.get(&InstanceKey::None).cloned().unwrap_or_else(gap)
        }
        Some(Repeat::Single | Repeat::Unknown(_)) => single(),
        // Not expanded in this walk: the existing objects, by the kind of their keys.
        None => match objects.keys().next_back() {
            Some(InstanceKey::Int(_)) => rows(MOST_INDEX),
            Some(InstanceKey::Text(_)) => keyed(&|_| true),
            _ => single(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn l183_gaps_of_a_counted_block_are_unknown_and_the_end_is_not_there() {
        let objects = ByKey::from_iter([(InstanceKey::Int(1), Marked::from(Value::bool(true)))]);
        let value =
            value_of_block(ResourceMode::Managed, Some(&Repeat::Count(5)), &objects, (Some(&Type::Bool), false));
        assert_eq!(value.parts().len(), 2);
        assert!(value.part(0).value.is_unknown() && !value.part(1).value.is_unknown());
    }

    #[test]
    fn keys_are_found_by_their_order() {
        let each = Repeat::Each(Arc::new(vec![
            ("a".into(), Value::bool(true).into()),
            ("b".into(), Value::bool(true).into()),
        ]));
        assert_eq!(each.place(&InstanceKey::Text("b".into())), Some(1));
        assert_eq!(each.place(&InstanceKey::Text("c".into())), None);
        assert_eq!(Repeat::Count(2).place(&InstanceKey::Int(2)), None);
    }
}
