//! Decodes a body to a value as the engine does (section 5 of schema.md).

use planfuzz_core::dialect::Dialect;
use planfuzz_core::schema::{Attribute, Block, NestedBlock, Nesting, Schema};
use planfuzz_core::value::convert::convert;
use planfuzz_core::value::{Text, Type, Value, ValueRef};

use super::body::{Body, Given, NotLiteral, Written};
use crate::import::derive;

/// A configuration.
#[derive(Clone, Debug)]
pub struct Decoded {
    /// The value, of the implied type of the schema.
    pub value: Value,
    /// How many places were filled from the planned object.
    pub filled: u64,
}

/// Why a body cannot be decoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// It needs evaluation, and there is no planned value for it.
    #[error("{why} at .{place}")]
    Open {
        /// Where.
        place: String,
        /// Why it is not literal.
        why: NotLiteral,
    },
    /// The schema has no such attribute or block.
    #[error("nothing of the schema is named {place}")]
    Unexpected {
        /// Where.
        place: String,
    },
    /// A value is not of the type that the schema asks for, or there are blocks too many.
    #[error("not what the schema asks for at .{place}")]
    Type {
        /// Where.
        place: String,
    },
}

/// Decodes a body. Parts that need evaluation are taken from the planned object, as `derive` makes configurations of objects;
/// without one they are errors.
///
/// # Errors
/// Parts that are not literal, and parts that do not fit the schema.
pub fn decode(body: &Body, schema: &Schema, planned: Option<ValueRef<'_>>, dialect: Dialect) -> Result<Decoded, Unfit> {
    let mut decoder = Decoder { dialect, filled: 0, place: Vec::new() };
    let planned = planned.filter(|planned| planned.is_present());
    let value = decoder.block(body, &schema.block, planned)?;
    if !value.ty().conforms_to(&schema.implied_type(dialect)) {
        return Err(Unfit::Type { place: String::new() });
    }
    Ok(Decoded { value, filled: decoder.filled })
}

struct Decoder {
    dialect: Dialect,
    filled: u64,
    place: Vec<String>,
}

impl Decoder {
    fn block(&mut self, body: &Body, block: &Block, planned: Option<ValueRef<'_>>) -> Result<Value, Unfit> {
        let names = body.attributes.iter().map(|(name, _)| name);
        let names = names.chain(body.blocks.iter().map(|block| &block.name)).chain(&body.open_blocks);
        for name in names {
            if block.attributes.get(name).is_none() && block.block_types.get(name).is_none() {
                return Err(Unfit::Unexpected { place: self.at(name) });
            }
        }
        let mut members = Vec::with_capacity(block.attributes.len() + block.block_types.len());
        for (name, attribute) in block.attributes.iter() {
            let planned = planned.and_then(|planned| planned.member(name));
            let value = self.inside(name, |decoder| decoder.attribute(name, body, attribute, planned))?;
            members.push((name.clone(), value));
        }
        for (name, nested) in block.block_types.iter() {
            let planned = planned.and_then(|planned| planned.member(name));
            let value = self.inside(name, |decoder| decoder.blocks(name, body, nested, planned))?;
            members.push((name.clone(), value));
        }
        Ok(Value::object(members))
    }

    /// S50.
    fn attribute(
        &mut self,
        name: &Text,
        body: &Body,
        attribute: &Attribute,
        planned: Option<ValueRef<'_>>,
    ) -> Result<Value, Unfit> {
        let written: Vec<&Written> = body.blocks_of(name).collect();
        if !written.is_empty() || body.is_open(name) {
            return self.attribute_as_blocks(&written, body.is_open(name), attribute, planned);
        }
        match body.attribute(name) {
            None => Ok(Value::null(attribute.implied_type(self.dialect))),
            Some(Given::Literal(value)) => self.converted(value, &attribute.spec_type(self.dialect)),
            Some(Given::Open(why)) => self.filled(*why, attribute, planned),
        }
    }

    /// The planned value of an attribute that is configured but not literal: if it is known, it is configured even if it may be
    /// computed.
    fn filled(
        &mut self,
        why: NotLiteral,
        attribute: &Attribute,
        planned: Option<ValueRef<'_>>,
    ) -> Result<Value, Unfit> {
        let planned = planned.ok_or_else(|| Unfit::Open { place: self.here(), why })?;
        self.filled += 1;
        if planned.is_unknown() {
            return Ok(planned.to_value());
        }
        derive::configured_attribute(attribute, planned, self.dialect).map_err(|_| self.misfit())
    }

    /// Attributes that hold lists or sets of objects may be written as blocks, in which absent members are null.
    fn attribute_as_blocks(
        &mut self,
        written: &[&Written],
        is_open: bool,
        attribute: &Attribute,
        planned: Option<ValueRef<'_>>,
    ) -> Result<Value, Unfit> {
        let (Some(Type::List(element) | Type::Set(element)), false) = (attribute.leaf_type(), is_open) else {
            return self.filled(NotLiteral::Expression, attribute, planned);
        };
        let Some(object) = element.as_object() else { return Err(self.misfit()) };
        let mut elements = Vec::new();
        for block in written {
            let mut members = Vec::new();
            for of in object.attributes() {
                match block.body.attribute(&of.name) {
                    None => members.push((of.name.clone(), Value::null(of.ty.clone()))),
                    Some(Given::Literal(value)) => {
                        members.push((of.name.clone(), self.converted(value, &of.ty)?));
                    }
                    Some(Given::Open(why)) => return self.filled(*why, attribute, planned),
                }
            }
            elements.push(Value::object(members));
        }
        self.converted(&Value::tuple(elements), &attribute.spec_type(self.dialect))
    }

    /// S51.
    fn blocks(
        &mut self,
        name: &Text,
        body: &Body,
        nested: &NestedBlock,
        planned: Option<ValueRef<'_>>,
    ) -> Result<Value, Unfit> {
        let written: Vec<&Written> = body.blocks_of(name).collect();
        if body.is_open(name) {
            return self.filled_blocks(NotLiteral::Expression, nested, planned);
        }
        match (nested.nesting, written.as_slice()) {
            (Nesting::Single, []) => Ok(Value::null(nested.implied_type(self.dialect))),
            (Nesting::Group, []) => Ok(nested.block.empty_value(self.dialect)),
            (Nesting::Single | Nesting::Group, [one]) => {
                self.block(&one.body, &nested.block, planned.filter(|planned| planned.is_present()))
            }
            (Nesting::Single | Nesting::Group, _) => Err(self.misfit()),
            _ => self.collection(&written, nested, planned),
        }
    }

    fn collection(
        &mut self,
        written: &[&Written],
        nested: &NestedBlock,
        planned: Option<ValueRef<'_>>,
    ) -> Result<Value, Unfit> {
        let before = self.filled;
        let mut blocks = Vec::with_capacity(written.len());
        for (at, block) in written.iter().enumerate() {
            let label = block.labels.first().cloned().unwrap_or_default();
            let own = planned.and_then(|planned| match nested.nesting {
                Nesting::List if planned.len() == written.len() => planned.element(at),
                Nesting::Map => planned.entry(&label),
                _ => None,
            });
            match self.block(&block.body, &nested.block, own.filter(|own| own.is_present())) {
                Ok(value) => blocks.push((label, value)),
                // This block cannot be matched with a planned one: all planned blocks are taken.
                Err(Unfit::Open { why, .. }) if planned.is_some() => {
                    self.filled = before;
                    return self.filled_blocks(why, nested, planned);
                }
                Err(other) => return Err(other),
            }
        }
        derive::assembled(nested, blocks, self.dialect).map_err(|_| self.misfit())
    }

    fn filled_blocks(
        &mut self,
        why: NotLiteral,
        nested: &NestedBlock,
        planned: Option<ValueRef<'_>>,
    ) -> Result<Value, Unfit> {
        let planned = planned.ok_or_else(|| Unfit::Open { place: self.here(), why })?;
        self.filled += 1;
        derive::configured_blocks(nested, planned, self.dialect).map_err(|_| self.misfit())
    }

    fn converted(&self, value: &Value, to: &Type) -> Result<Value, Unfit> {
        convert(value, to).map_err(|_| self.misfit())
    }

    fn inside<T>(&mut self, name: &Text, work: impl FnOnce(&mut Decoder) -> T) -> T {
        self.place.push(name.to_string());
        let result = work(self);
        self.place.pop();
        result
    }

    fn here(&self) -> String {
        self.place.join(".")
    }

    fn at(&self, name: &Text) -> String {
        self.place.iter().map(String::as_str).chain([name.as_str()]).collect::<Vec<_>>().join(".")
    }

    fn misfit(&self) -> Unfit {
        Unfit::Type { place: self.here() }
    }
}
