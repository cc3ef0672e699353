//! Builds a configuration along a schema.

use std::collections::BTreeMap;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::schema::{Attribute, Block, Named, NestedBlock, NestedType, Nesting, Shape};
use planfuzz_core::value::{Number, Text, Type, Value, ValueRef};

use super::knowledge::{Knowledge, key};
use super::rng::Rng;

/// What happens to an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pin {
    /// It gets a new value.
    Fresh,
    /// It is left out, if it may be.
    Drop,
    /// It is set: with its present value if it has one, else with a new one.
    Set,
}

/// What happens to attributes, by their keys.
pub type Pins = BTreeMap<String, Pin>;

/// Builds configurations of one schema.
pub struct Builder<'a> {
    /// What is known of the type.
    pub knowledge: &'a Knowledge,
    /// The choices.
    pub rng: &'a mut Rng,
    /// The dialect, which types depend on.
    pub dialect: Dialect,
    /// What happens to attributes.
    pub pins: Pins,
}

/// The most elements of a collection whose size the schema does not limit.
const MOST: usize = 2;

impl Builder<'_> {
    /// A configuration, based on an earlier one or new.
    pub fn config(&mut self, block: &Block, base: Option<&Value>) -> Value {
        self.block(block, base.map(Value::view), "")
    }

    fn is_touched(&self, key: &str) -> bool {
        let below = format!("{key}.");
        self.pins.contains_key(key)
            || self.pins.range(below.clone()..).next().is_some_and(|(it, _)| it.starts_with(&below))
    }

    fn block(&mut self, block: &Block, base: Option<ValueRef<'_>>, prefix: &str) -> Value {
        let mut members = self.attributes(&block.attributes, base, prefix);
        for (name, nested) in block.block_types.iter() {
            let base = base.and_then(|base| base.member(name));
            members.push((name.clone(), self.nested_block(nested, base, &key(prefix, name))));
        }
        Value::object(members)
    }

    fn attributes(&mut self, of: &Named<Attribute>, base: Option<ValueRef<'_>>, prefix: &str) -> Vec<(Text, Value)> {
        let mut members = Vec::with_capacity(of.len());
        for (name, attribute) in of.iter() {
            let base = base.and_then(|base| base.member(name));
            members.push((name.clone(), self.attribute(attribute, base, &key(prefix, name))));
        }
        members
    }

    fn attribute(&mut self, of: &Attribute, base: Option<ValueRef<'_>>, key: &str) -> Value {
        let ty = of.implied_type(self.dialect);
        if !of.required && !of.optional {
            return Value::null(ty);
        }
        if let Some(base) = base
            && !self.is_touched(key)
        {
            return base.to_value();
        }
        let pin = self.pins.get(key).copied();
        let present = base.filter(|base| base.is_present());
        let is_set = match pin {
            Some(Pin::Drop) => of.required,
            Some(Pin::Fresh | Pin::Set) => true,
            None => {
                of.required || base.map_or_else(|| self.rng.chance(self.knowledge.share(key)), |base| base.is_present())
            }
        };
        if !is_set {
            return Value::null(ty);
        }
        if let (Some(Pin::Set), Some(present)) = (pin, present) {
            return present.to_value();
        }
        match &of.shape {
            Shape::Leaf(ty) => self.leaf(&ty.strip_optional(), key),
            Shape::Nested(nested) => self.nested_type(nested, present, &ty, key),
        }
    }

    fn nested_type(&mut self, of: &NestedType, base: Option<ValueRef<'_>>, ty: &Type, key: &str) -> Value {
        let object = |this: &mut Self, base: Option<ValueRef<'_>>| {
            let members = this.attributes(&of.attributes, base, key);
            Value::object(members)
        };
        if of.nesting == Nesting::Single || of.nesting == Nesting::Group {
            return object(self, base);
        }
        let bases = self.bases(base, key, 0, 0);
        let elements: Vec<Value> = bases.into_iter().map(|base| object(self, base)).collect();
        self.collect(of.nesting, ty, elements)
    }

    fn nested_block(&mut self, of: &NestedBlock, base: Option<ValueRef<'_>>, key: &str) -> Value {
        let ty = of.implied_type(self.dialect);
        if of.block.computed {
            return Value::null(ty);
        }
        if let Some(base) = base
            && !self.is_touched(key)
        {
            return base.to_value();
        }
        let present = base.filter(|base| base.is_present());
        match of.nesting {
            Nesting::Group => self.block(&of.block, present, key),
            Nesting::Single => {
                let is_set = match self.pins.get(key) {
                    Some(Pin::Drop) => of.min_items > 0,
                    Some(Pin::Fresh | Pin::Set) => true,
                    None => of.min_items > 0 || base.map_or_else(|| self.rng.chance(40), |base| base.is_present()),
                };
                if is_set { self.block(&of.block, present, key) } else { Value::null(ty) }
            }
            nesting => {
                let least = usize::try_from(of.min_items).unwrap_or_default();
                let greatest = usize::try_from(of.max_items).unwrap_or_default();
                let bases = self.bases(present, key, least, greatest);
                let elements: Vec<Value> = bases.into_iter().map(|base| self.block(&of.block, base, key)).collect();
                self.collect(nesting, &ty, elements)
            }
        }
    }

    /// One entry for each future element, with the element that it is based on.
    fn bases<'v>(
        &mut self,
        base: Option<ValueRef<'v>>,
        key: &str,
        least: usize,
        greatest: usize,
    ) -> Vec<Option<ValueRef<'v>>> {
        let mut bases: Vec<Option<ValueRef<'v>>> =
            base.map_or_else(Vec::new, |base| base.children().map(|(_, child)| Some(child)).collect());
        let limit = if greatest == 0 { least.max(MOST) } else { greatest.min(least.max(MOST)) };
        let count = match (self.pins.get(key), base) {
            (Some(Pin::Drop), _) => least,
            (Some(Pin::Set), _) => bases.len().max(1).max(least),
            (None, Some(_)) => bases.len(),
            (Some(Pin::Fresh), _) => 1 + self.rng.below(limit),
            (None, None) => self.rng.below(limit + 1),
        };
        let count = count.max(least).min(if greatest == 0 { usize::MAX } else { greatest });
        bases.truncate(count);
        bases.resize(count, None);
        bases
    }

    fn collect(&mut self, nesting: Nesting, ty: &Type, elements: Vec<Value>) -> Value {
        let keyed = |elements: Vec<Value>| {
            elements
                .into_iter()
                .enumerate()
                .map(|(index, it)| (Text::new(&format!("k{index}")), it))
                .collect::<Vec<_>>()
        };
        let made = match (nesting, ty) {
            (Nesting::Map, Type::Map(element)) => Value::map(element, keyed(elements)),
            (Nesting::Map, _) => Ok(Value::object(keyed(elements))),
            (_, Type::List(element)) => Value::list(element, elements),
            (_, Type::Set(element)) => Value::set(element, elements),
            (_, _) => Ok(Value::tuple(elements)),
        };
        // Elements built along one schema differ in type only if that is dynamic.
        made.unwrap_or_else(|_| Value::null(ty.clone()))
    }

    fn leaf(&mut self, ty: &Type, key: &str) -> Value {
        match ty {
            Type::Bool => Value::bool(self.rng.chance(50)),
            Type::Number => {
                let text = self.knowledge.number(key, self.rng);
                Value::number(Number::parse(&text).unwrap_or_else(|_| Number::from(1i64)))
            }
            Type::String => Value::string(&self.knowledge.text(key, self.rng)),
            Type::List(element) => {
                let elements = self.elements(element, key);
                Value::list(element, elements).unwrap_or_else(|_| Value::null(ty.clone()))
            }
            Type::Set(element) => {
                let elements = self.elements(element, key);
                Value::set(element, elements).unwrap_or_else(|_| Value::null(ty.clone()))
            }
            Type::Map(element) => {
                let elements = self.elements(element, key);
                let keys = ["a", "b", "user.a", "é"];
                let entries =
                    elements.into_iter().map(|it| (Text::new(self.rng.pick(&keys).unwrap_or(&"a")), it)).collect();
                Value::map(element, entries).unwrap_or_else(|_| Value::null(ty.clone()))
            }
            Type::Tuple(tuple) => Value::tuple(tuple.elements().iter().map(|it| self.leaf(it, key)).collect()),
            Type::Object(object) => {
                let mut members = Vec::new();
                for it in object.attributes() {
                    let is_left_out = it.optional && self.rng.chance(50);
                    let inner = super::knowledge::key(key, &it.name);
                    let value = if is_left_out { Value::null(it.ty.clone()) } else { self.leaf(&it.ty, &inner) };
                    members.push((it.name.clone(), value));
                }
                Value::object(members)
            }
            Type::Dynamic => {
                let ty = match self.rng.below(5) {
                    0 => Type::Bool,
                    1 => Type::Number,
                    2 => Type::tuple(vec![Type::String]),
                    3 => Type::object([(Text::new("a"), Type::String)]),
                    _ => Type::String,
                };
                self.leaf(&ty, key)
            }
        }
    }

    fn elements(&mut self, ty: &Type, key: &str) -> Vec<Value> {
        let count = self.rng.below(MOST + 1);
        // Elements of a collection of type dynamic have one type.
        let ty = if ty.is_dynamic() { Type::String } else { ty.clone() };
        (0..count).map(|_| self.leaf(&ty, key)).collect()
    }
}
