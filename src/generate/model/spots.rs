//! The attributes and blocks of a schema, each with the facts about its place that rules depend on.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::schema::{Attribute, Block, Named, Nesting};
use planfuzz_core::value::{Text, Type};
use planfuzz_pipelines::path::SchemaPath;

/// An attribute or block of a schema.
#[derive(Clone, Debug)]
pub(in super::super) struct Spot {
    pub(in super::super) path: SchemaPath,
    /// The type of its values.
    pub(in super::super) ty: Type,
    pub(in super::super) part: Part,
    pub(in super::super) required: bool,
    pub(in super::super) optional: bool,
    pub(in super::super) computed: bool,
    pub(in super::super) write_only: bool,
    pub(in super::super) inside: Inside,
}

/// What an attribute or block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Part {
    Leaf,
    Nested(Nesting),
    Block(Nesting),
}

/// What a spot is inside of.
#[derive(Clone, Copy, Debug, Default)]
pub(in super::super) struct Inside {
    /// How many blocks and nested attributes it is below.
    pub(in super::super) depth: usize,
    /// Below a set.
    pub(in super::super) set: bool,
    /// Below a computed nested attribute.
    pub(in super::super) computed: bool,
    /// Below a nested attribute of mode list or map.
    pub(in super::super) elements: bool,
    /// Whether it may occur more than once, so that a path of names does not lead to it.
    pub(in super::super) repeated: bool,
}

impl Spot {
    /// The name in its object.
    pub(in super::super) fn name(&self) -> Text {
        self.path.names().last().cloned().unwrap_or_default()
    }

    /// Whether it is at the root.
    pub(in super::super) fn is_top(&self) -> bool {
        self.inside.depth == 0
    }

    /// Whether it is a block.
    pub(in super::super) fn is_block(&self) -> bool {
        matches!(self.part, Part::Block(_))
    }

    /// Whether a configuration can set it.
    pub(in super::super) fn is_configurable(&self) -> bool {
        self.required || self.optional
    }

    /// Whether it stands in the same object as another.
    pub(in super::super) fn is_beside(&self, other: &Spot) -> bool {
        let (mine, others) = (self.path.names(), other.path.names());
        mine.len() == others.len() && mine[..mine.len() - 1] == others[..others.len() - 1]
    }
}

/// The spots of a schema that a schema path can name, `most` at most; outer ones come before the ones inside them.
pub(in super::super) fn spots_of(block: &Block, dialect: Dialect, most: usize) -> Vec<Spot> {
    let mut walk = Walk { dialect, most, spots: Vec::new() };
    walk.block(block, &[], Inside::default());
    walk.spots
}

struct Walk {
    dialect: Dialect,
    most: usize,
    spots: Vec<Spot>,
}

impl Walk {
    fn block(&mut self, block: &Block, above: &[Text], inside: Inside) {
        self.attributes(&block.attributes, above, inside);
        for (name, nested) in block.block_types.iter() {
            let Some(path) = self.path(above, name) else { continue };
            let nesting = nested.nesting;
            self.spots.push(Spot {
                path: SchemaPath::new(path.clone()),
                ty: nested.implied_type(self.dialect),
                part: Part::Block(nesting),
                required: nested.min_items > 0,
                optional: true,
                computed: false,
                write_only: false,
                inside,
            });
            self.block(&nested.block, &path, inside.below(nesting, false, false));
        }
    }

    fn attributes(&mut self, attributes: &Named<Attribute>, above: &[Text], inside: Inside) {
        for (name, attribute) in attributes.iter() {
            let Some(path) = self.path(above, name) else { continue };
            let nested = attribute.nested_type();
            self.spots.push(Spot {
                path: SchemaPath::new(path.clone()),
                ty: attribute.implied_type(self.dialect),
                part: nested.map_or(Part::Leaf, |nested| Part::Nested(nested.nesting)),
                required: attribute.required,
                optional: attribute.optional,
                computed: attribute.computed,
                write_only: attribute.write_only,
                inside,
            });
            if let Some(nested) = nested {
                self.attributes(&nested.attributes, &path, inside.below(nested.nesting, true, attribute.computed));
            }
        }
    }

    /// The path of a name; `None` for a name that a schema path cannot hold, and once there are `most` spots.
    fn path(&self, above: &[Text], name: &Text) -> Option<Vec<Text>> {
        let writable = !name.is_empty() && !name.contains('.') && self.spots.len() < self.most;
        writable.then(|| above.iter().chain([name]).cloned().collect())
    }
}

impl Inside {
    fn below(self, nesting: Nesting, nested: bool, computed: bool) -> Inside {
        let several = !matches!(nesting, Nesting::Single | Nesting::Group);
        Inside {
            depth: self.depth + 1,
            set: self.set || nesting == Nesting::Set,
            computed: self.computed || computed,
            elements: self.elements || nested && matches!(nesting, Nesting::List | Nesting::Map),
            repeated: self.repeated || several,
        }
    }
}
