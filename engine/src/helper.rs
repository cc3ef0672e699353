//! Resources beside the instance of a walk.

use std::sync::Arc;

use planfuzz_core::address::ResourceKind;
use planfuzz_core::schema::{Attribute, Block, Named, Schema, Shape};
use planfuzz_core::value::{Text, Type, Value, WrittenPath};

/// A resource that a walk needs beside its instance: the source of an unknown value in the configuration, the trigger of a replacement, or
/// a dependency. Its provider gives the answers that are listed here.
#[derive(Clone, Debug)]
pub struct Helper {
    /// The name of its resource type; the resource itself is named `h`.
    pub type_name: String,
    /// Managed or data.
    pub kind: ResourceKind,
    /// Its schema.
    pub schema: Arc<Schema>,
    /// Its stored object, if it has one.
    pub stored: Option<Value>,
    /// What its provider plans, for any configuration. For a data resource, what it reads.
    pub planned: Value,
    /// The paths for which its provider requires replacement.
    pub requires_replace: Vec<WrittenPath>,
    /// What its provider answers to the apply; wholly known.
    pub applied: Value,
}

impl Helper {
    /// The source of unknown values of these names; `None` if there are none.
    pub fn of_unknowns(type_name: String, unknowns: Vec<(Text, Value)>) -> Option<Helper> {
        if unknowns.is_empty() {
            return None;
        }
        let null = |(name, value): &(Text, Value)| (name.clone(), Value::null(value.ty().clone()));
        Some(Helper {
            type_name,
            kind: ResourceKind::Managed,
            schema: computed(unknowns.iter().map(|(name, value)| (name.clone(), value.ty().clone()))),
            stored: None,
            applied: Value::object(unknowns.iter().map(null).collect()),
            planned: Value::object(unknowns),
            requires_replace: Vec::new(),
        })
    }
}

/// A schema of optional computed attributes.
pub fn computed(attributes: impl Iterator<Item = (Text, Type)>) -> Arc<Schema> {
    let attribute = |ty| Attribute { optional: true, computed: true, ..Attribute::new(Shape::Leaf(ty)) };
    let attributes = Named::new(attributes.map(|(name, ty)| (name, attribute(ty))).collect());
    Arc::new(Schema { version: 0, block: Block { attributes, ..Block::default() } })
}
