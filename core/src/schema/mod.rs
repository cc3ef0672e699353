//! Schemas (schema.md): the attributes and blocks of a resource.

mod coerce;
mod crash;
mod empty;
mod implied;
mod json;
mod lookup;
mod marks;
pub mod nested_sets;
mod validate;

pub use coerce::CoerceError;
pub use crash::Crash;
pub use json::{ProviderSchemas, SchemaEntry};
pub use lookup::{AttributePlace, BlockPlace};
pub use validate::SchemaProblem;

use crate::value::{Text, Type};

/// A resource schema: a version and the block that describes the resource.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Schema {
    /// The version of the schema, 0 where a file gives none.
    pub version: u64,
    /// The resource itself (S01).
    pub block: Block,
}

/// A block: attributes and nested block types (S01). Names are unique and sorted by bytes in each of the two.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Block {
    /// The attributes.
    pub attributes: Named<Attribute>,
    /// The nested block types.
    pub block_types: Named<NestedBlock>,
    /// Whether the block is computed (S05); only where the dialect has computed blocks.
    pub computed: bool,
    /// Whether the block is deprecated.
    pub deprecated: bool,
    /// Why, and what to use instead (S25).
    pub deprecation_message: Option<String>,
}

/// Items by name, sorted by the bytes of their names, no name twice.
#[derive(Clone, Debug, PartialEq)]
pub struct Named<T>(Vec<(Text, T)>);

/// An attribute (S02).
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// The type of its values.
    pub shape: Shape,
    /// Whether the configuration must set it.
    pub required: bool,
    /// Whether the configuration may set it.
    pub optional: bool,
    /// Whether the provider may set it.
    pub computed: bool,
    /// Whether its values are hidden from people.
    pub sensitive: bool,
    /// Whether its values are never stored (P05 c, g).
    pub write_only: bool,
    /// Whether it is deprecated.
    pub deprecated: bool,
    /// Why, and what to use instead (S25).
    pub deprecation_message: Option<String>,
}

/// The type of the values of an attribute (S02). An attribute with neither or both is no attribute: reading one is
/// the problem S12.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A leaf attribute: values of a type, whatever type that is.
    Leaf(Type),
    /// A nested type: objects of attributes.
    Nested(NestedType),
}

/// A nested type (S02): attributes only, no blocks inside.
#[derive(Clone, Debug, PartialEq)]
pub struct NestedType {
    /// How many objects there are and how they are identified.
    pub nesting: Nesting,
    /// The attributes of each object.
    pub attributes: Named<Attribute>,
}

/// A nested block type (S01).
#[derive(Clone, Debug, PartialEq)]
pub struct NestedBlock {
    /// How many blocks there are and how they are identified.
    pub nesting: Nesting,
    /// The content of each block.
    pub block: Block,
    /// The least number of blocks (S52). Negative ones can be written (S18).
    pub min_items: i64,
    /// The greatest number of blocks, 0 for no limit (S52).
    pub max_items: i64,
}

/// Nesting modes (S03).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Nesting {
    /// One object or null.
    Single,
    /// One object, never null.
    Group,
    /// A sequence of objects.
    List,
    /// A set of objects.
    Set,
    /// A string-keyed table of objects.
    Map,
}

impl Nesting {
    /// All modes, in the order of S03.
    pub const ALL: [Nesting; 5] = [Nesting::Single, Nesting::Group, Nesting::List, Nesting::Set, Nesting::Map];

    /// The mode's name in schema JSON.
    pub fn name(self) -> &'static str {
        match self {
            Nesting::Single => "single",
            Nesting::Group => "group",
            Nesting::List => "list",
            Nesting::Set => "set",
            Nesting::Map => "map",
        }
    }

    /// The mode of a name in schema JSON.
    pub fn from_name(name: &str) -> Option<Nesting> {
        Nesting::ALL.into_iter().find(|mode| mode.name() == name)
    }
}

impl Attribute {
    /// An attribute of a shape with all flags off.
    pub fn new(shape: Shape) -> Attribute {
        Attribute {
            shape,
            required: false,
            optional: false,
            computed: false,
            sensitive: false,
            write_only: false,
            deprecated: false,
            deprecation_message: None,
        }
    }

    /// The type, for a leaf attribute (S02).
    pub fn leaf_type(&self) -> Option<&Type> {
        match &self.shape {
            Shape::Leaf(ty) => Some(ty),
            Shape::Nested(_) => None,
        }
    }

    /// The nested type, for an attribute that has one (S02).
    pub fn nested_type(&self) -> Option<&NestedType> {
        match &self.shape {
            Shape::Leaf(_) => None,
            Shape::Nested(nested) => Some(nested),
        }
    }
}

impl<T> Named<T> {
    /// Sorts `entries` by name; of two equal names the later one wins.
    pub fn new(mut entries: Vec<(Text, T)>) -> Named<T> {
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        entries.reverse();
        entries.dedup_by(|later, kept| later.0 == kept.0);
        entries.reverse();
        Named(entries)
    }

    /// The item of that name.
    pub fn get(&self, name: &str) -> Option<&T> {
        let index = self.0.binary_search_by(|(probe, _)| probe.as_str().cmp(name)).ok()?;
        Some(&self.0[index].1)
    }

    /// The item of that name, mutable.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut T> {
        let index = self.0.binary_search_by(|(probe, _)| probe.as_str().cmp(name)).ok()?;
        Some(&mut self.0[index].1)
    }

    /// The names and items, by the bytes of the names.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&Text, &T)> + ExactSizeIterator {
        self.0.iter().map(|(name, thing)| (name, thing))
    }

    /// The items, by the bytes of their names.
    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.0.iter().map(|(_, thing)| thing)
    }

    /// The items, mutable; names stay.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.0.iter_mut().map(|(_, thing)| thing)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The names and items, by value.
    pub fn into_entries(self) -> Vec<(Text, T)> {
        self.0
    }
}

impl<T> Default for Named<T> {
    fn default() -> Named<T> {
        Named(Vec::new())
    }
}
