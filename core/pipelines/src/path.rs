//! Schema paths: the keys of a model's rules.

use std::fmt;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::schema::{Attribute, Block, NestedBlock, NestedType};
use planfuzz_core::value::{Text, Type};

/// The names of attributes and blocks on the way to one of them, without indexes and keys.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SchemaPath(Vec<Text>);

/// An attribute or block of a schema, and its position.
#[derive(Clone, Copy, Debug)]
pub struct Place<'s> {
    /// The attribute or block.
    pub part: SchemaPart<'s>,
    object: Object<'s>,
}

/// The target of a schema path.
#[derive(Clone, Copy, Debug)]
pub enum SchemaPart<'s> {
    /// An attribute, leaf or nested.
    Attribute(&'s Attribute),
    /// A nested block type.
    Block(&'s NestedBlock),
}

/// A schema object with attributes.
#[derive(Clone, Copy, Debug)]
enum Object<'s> {
    Block(&'s Block),
    Nested(&'s NestedType),
}

/// The types of a model's schema do not depend on the dialect: none of its styles has nested types of mode group (F01, Z03).
pub(crate) const DIALECT: Dialect = Dialect::TERRAFORM_1_11;

impl SchemaPath {
    /// A path of names.
    pub fn new(names: Vec<Text>) -> SchemaPath {
        SchemaPath(names)
    }

    /// Reads names joined with dots.
    pub fn parse(text: &str) -> SchemaPath {
        SchemaPath(text.split('.').map(Text::new).collect())
    }

    /// The names, first to last.
    pub fn names(&self) -> &[Text] {
        &self.0
    }

    /// This path with one more name.
    #[must_use]
    pub fn child(&self, name: &Text) -> SchemaPath {
        SchemaPath(self.0.iter().chain([name]).cloned().collect())
    }

    /// The attribute or block at this path of a schema.
    pub fn find<'s>(&self, root: &'s Block) -> Option<Place<'s>> {
        let (last, before) = self.0.split_last()?;
        let object = before.iter().try_fold(Object::Block(root), |object, name| object.part(name)?.object())?;
        Some(Place { part: object.part(last)?, object })
    }
}

impl<'s> Object<'s> {
    /// If an attribute and a block share a name, the block counts (S30).
    fn part(self, name: &Text) -> Option<SchemaPart<'s>> {
        match self {
            Object::Block(block) => {
                let nested = block.block_types.get(name).map(SchemaPart::Block);
                nested.or_else(|| block.attributes.get(name).map(SchemaPart::Attribute))
            }
            Object::Nested(nested) => nested.attributes.get(name).map(SchemaPart::Attribute),
        }
    }

    fn ty(self) -> Type {
        match self {
            Object::Block(block) => block.implied_type(DIALECT),
            Object::Nested(nested) => nested.object_type(DIALECT),
        }
    }
}

impl<'s> SchemaPart<'s> {
    fn object(self) -> Option<Object<'s>> {
        match self {
            SchemaPart::Attribute(attribute) => attribute.nested_type().map(Object::Nested),
            SchemaPart::Block(nested) => Some(Object::Block(&nested.block)),
        }
    }
}

impl Place<'_> {
    /// The type of the values at the place.
    pub fn ty(&self) -> Type {
        match self.part {
            SchemaPart::Attribute(attribute) => attribute.implied_type(DIALECT),
            SchemaPart::Block(nested) => nested.implied_type(DIALECT),
        }
    }

    /// The type of the object that has the place.
    pub fn object_type(&self) -> Type {
        self.object.ty()
    }

    /// The type of the element objects, for nested attributes and blocks; for mode single of the object itself.
    pub fn element_type(&self) -> Option<Type> {
        self.part.object().map(Object::ty)
    }
}

impl fmt::Display for SchemaPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, name) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str(".")?;
            }
            f.write_str(name)?;
        }
        Ok(())
    }
}
