//! The places of a model's schema, compiled: every attribute and block with its rules from the model, in the order of the object's payload;
//! and functions that take values apart and build them along the places.
//!
//! The remote system and the faults both walk objects by places; neither depends on the other here.

mod fill;
mod parts;
mod three;

use std::sync::Arc;

use crate::expression::Canon;
use crate::fnv::Fnv;
use crate::model::Model;
use crate::path::SchemaPath;
use crate::rules::{Gen, Rule};
use planfuzz_core::dialect::Dialect;
use planfuzz_core::schema::{Attribute, Block, NestedBlock, Nesting};
use planfuzz_core::value::{MapNode, Node, Text, Type, Value};

pub(crate) use fill::fill;
pub(crate) use parts::{Element, collection_of, each, elements, object_of};
pub(crate) use three::{NoScene, Three};

/// The types of a model's schema are the same in every dialect: no style has nested types of mode group (F01, Z03).
pub(crate) const DIALECT: Dialect = Dialect::TERRAFORM_1_11;

/// The attributes and blocks of one object in the byte order of their names, which is the order of the payload.
pub(crate) type Places = Arc<[Place]>;

/// An attribute or block with its rules from the model.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) name: Text,
    /// The implied type of its values.
    pub(crate) ty: Type,
    pub(crate) kind: Kind,
    pub(crate) flags: Flags,
    /// The hash of the seed and the path: filled values start from it.
    pub(crate) hash: Fnv,
    pub(crate) computed: Option<Gen>,
    pub(crate) remote_form: Option<Canon>,
    pub(crate) unreadable: bool,
    /// Properties of this place or of any place inside.
    pub(crate) within: Within,
}

/// The kind of a place.
#[derive(Debug)]
pub(crate) enum Kind {
    /// An attribute whose values have no schema inside.
    Leaf,
    /// An attribute of a nested type.
    Nested(Nesting, Places),
    /// A nested block type.
    Block(Nesting, Places),
}

/// The flags of an attribute; a block has none.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Flags {
    pub(crate) required: bool,
    pub(crate) optional: bool,
    pub(crate) computed: bool,
    pub(crate) write_only: bool,
}

/// Properties of a place or of any place inside, so that walks can skip places without them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Within {
    pub(crate) remote_form: bool,
    pub(crate) unreadable: bool,
    pub(crate) write_only: bool,
    pub(crate) computed: bool,
}

impl Place {
    /// The places inside, and the nesting of their objects.
    pub(crate) fn inside(&self) -> Option<(Nesting, &Places)> {
        match &self.kind {
            Kind::Leaf => None,
            Kind::Nested(nesting, inside) | Kind::Block(nesting, inside) => Some((*nesting, inside)),
        }
    }

    /// Whether this is a block.
    pub(crate) fn is_block(&self) -> bool {
        matches!(self.kind, Kind::Block(..))
    }

    /// The value of an omitted place: null, or empty for a collection of blocks (F03).
    pub(crate) fn absent(&self) -> Value {
        let empty = match &self.ty {
            _ if !self.is_block() => None,
            Type::List(_) | Type::Set(_) => Some(Node::seq(Vec::new())),
            Type::Map(_) => Some(Node::Map(triomphe::Arc::new(MapNode::from_sorted(Vec::new())))),
            Type::Dynamic if matches!(self.inside(), Some((Nesting::Map, _))) => return Value::object(Vec::new()),
            Type::Dynamic => return Value::tuple(Vec::new()),
            _ => None,
        };
        Value::from_parts(self.ty.clone(), empty.unwrap_or(Node::Null))
    }
}

/// The places of a model whose Core schema is `block`.
pub(crate) fn compile(model: &Model, block: &Block) -> Places {
    Compiler { model, seed: Fnv::EMPTY.then_number(model.seed).then("|") }.block(block, &SchemaPath::new(Vec::new()))
}

struct Compiler<'m> {
    model: &'m Model,
    seed: Fnv,
}

impl Compiler<'_> {
    /// If an attribute and a block share a name, the block counts (S30).
    fn block(&self, block: &Block, path: &SchemaPath) -> Places {
        let attributes = block.attributes.iter().filter(|(name, _)| block.block_types.get(name).is_none());
        let attributes = attributes.map(|(name, attribute)| self.attribute(name, attribute, &path.child(name)));
        let blocks = block.block_types.iter().map(|(name, nested)| self.nested_block(name, nested, &path.child(name)));
        sorted(attributes.chain(blocks).collect())
    }

    fn attribute(&self, name: &Text, attribute: &Attribute, path: &SchemaPath) -> Place {
        let kind = match attribute.nested_type() {
            None => Kind::Leaf,
            Some(nested) => {
                let inside = nested.attributes.iter();
                let inside = inside.map(|(name, attribute)| self.attribute(name, attribute, &path.child(name)));
                Kind::Nested(nested.nesting, sorted(inside.collect()))
            }
        };
        let flags = Flags {
            required: attribute.required,
            optional: attribute.optional,
            computed: attribute.computed,
            write_only: attribute.write_only,
        };
        self.place(name, attribute.implied_type(DIALECT), kind, flags, path)
    }

    fn nested_block(&self, name: &Text, nested: &NestedBlock, path: &SchemaPath) -> Place {
        let kind = Kind::Block(nested.nesting, self.block(&nested.block, path));
        self.place(name, nested.implied_type(DIALECT), kind, Flags::default(), path)
    }

    fn place(&self, name: &Text, ty: Type, kind: Kind, flags: Flags, path: &SchemaPath) -> Place {
        let silent = Rule::default();
        let rule = self.model.rules.get(path).unwrap_or(&silent);
        let mut within = Within {
            remote_form: rule.remote_form.is_some(),
            unreadable: rule.unreadable,
            write_only: flags.write_only,
            computed: flags.computed,
        };
        if let Kind::Nested(_, inside) | Kind::Block(_, inside) = &kind {
            inside.iter().for_each(|place| within.add(place.within));
        }
        Place {
            name: name.clone(),
            ty,
            kind,
            flags,
            hash: self.seed.then(&path.to_string()).then("|"),
            computed: rule.computed.clone(),
            remote_form: rule.remote_form.clone(),
            unreadable: rule.unreadable,
            within,
        }
    }
}

impl Within {
    fn add(&mut self, other: Within) {
        self.remote_form |= other.remote_form;
        self.unreadable |= other.unreadable;
        self.write_only |= other.write_only;
        self.computed |= other.computed;
    }
}

fn sorted(mut places: Vec<Place>) -> Places {
    places.sort_by(|a, b| a.name.cmp(&b.name));
    places.into()
}
