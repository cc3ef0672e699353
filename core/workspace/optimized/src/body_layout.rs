//! What the bodies of one schema have in common, computed once for each schema: names, types and the places of their parts.
//!
//! Problem: a workspace has thousands of blocks of a few types, and a schema says the same for each of them. Idea: programs of bodies share
//! a layout and keep only what is written in their block. Guarantee: a layout depends on the schema and the dialect alone; the type that
//! values share is one that each of them has anyway.

use std::sync::{Arc, OnceLock};

use hashbrown::HashMap;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::schema::Block as SchemaBlock;
use planfuzz_core::value::{Text, Type};

use crate::nests::Kind;

/// The layout of the bodies of a schema.
#[derive(Debug)]
pub struct BodyLayout {
    /// The arguments, in the order of the schema.
    pub arguments: Vec<ArgumentOf>,
    /// The types of nested blocks, in the order of the schema.
    pub kinds: Vec<Kind>,
    /// The implied type of the whole body.
    pub ty: Type,
    /// Whether every value of the body is of this type: it has no dynamic parts.
    pub is_fixed: bool,
    /// The type of the first value, if values may have different types: most have the same.
    pub first_type: OnceLock<Type>,
    /// For each attribute of the type its place among the arguments, followed by the nested blocks. If an argument and a block have the
    /// same name, the block counts (S16).
    pub places: Vec<usize>,
    /// The places of the types of nested blocks.
    kind_places: HashMap<Text, usize>,
}

/// An argument of a schema.
#[derive(Debug)]
pub struct ArgumentOf {
    /// Its name.
    pub name: Text,
    /// Its type.
    pub ty: Type,
    /// Whether it must be written.
    pub is_required: bool,
}

impl BodyLayout {
    /// The layout of a schema.
    pub fn of(schema: &SchemaBlock, dialect: Dialect) -> Arc<BodyLayout> {
        let arguments = schema.attributes.iter().map(|(name, attribute)| ArgumentOf {
            name: name.clone(),
            ty: attribute.implied_type(dialect),
            is_required: attribute.required,
        });
        let arguments: Vec<ArgumentOf> = arguments.collect();
        let kinds: Vec<Kind> = schema.block_types.iter().map(|(name, of)| Kind::new(name, of, dialect)).collect();
        let ty = schema.implied_type_around(dialect, kinds.iter().map(|kind| kind.layout.ty.clone()));
        let names = arguments.iter().map(|argument| &argument.name).chain(kinds.iter().map(|kind| &kind.name));
        // A later name replaces an earlier one.
        let by_name: HashMap<Text, usize> = names.cloned().zip(0..).collect();
        let attributes = ty.as_object().map_or(&[][..], |object| object.attributes());
        let places = attributes.iter().filter_map(|attribute| by_name.get(&attribute.name).copied()).collect();
        let kind_places = kinds.iter().map(|kind| kind.name.clone()).zip(0..).collect();
        let is_fixed = !ty.has_dynamic();
        Arc::new(BodyLayout { arguments, kinds, ty, is_fixed, first_type: OnceLock::new(), places, kind_places })
    }

    /// The place of a type of nested blocks.
    pub fn kind(&self, name: &Text) -> Option<usize> {
        self.kind_places.get(name).copied()
    }

    /// The names of arguments and nested blocks, in the order of the parts of a value.
    pub fn names(&self) -> impl Iterator<Item = &Text> {
        self.arguments.iter().map(|argument| &argument.name).chain(self.kinds.iter().map(|kind| &kind.name))
    }
}
