//! Schema parts by the path of a value (S60 to S63).
//!
//! A place is the target of a path and can be stepped further, so that a walk of a value need not look up every path
//! from its root.

use super::{Attribute, Block, NestedBlock, NestedType};
use crate::value::{Path, Step};

impl Block {
    /// The attribute at a path (S60); `None` for the paths of nested blocks, of elements of collections, and of
    /// anything inside a leaf attribute (S62).
    pub fn attribute_at(&self, path: &Path) -> Option<&Attribute> {
        AttributePlace::in_block(self).follow(path).attribute()
    }

    /// The nested block at a path (S63).
    pub fn block_at(&self, path: &Path) -> Option<&NestedBlock> {
        path.steps().into_iter().fold(BlockPlace::root(self), |place, step| place.step(step)).block()
    }
}

impl NestedType {
    /// The attribute at a path (S61): as in a block, but an attribute step that names no attribute is skipped.
    pub fn attribute_at(&self, path: &Path) -> Option<&Attribute> {
        AttributePlace::in_nested_type(self).follow(path).attribute()
    }
}

/// Where a path leads among the attributes of a schema (S60, S61).
#[derive(Clone, Copy, Debug)]
pub struct AttributePlace<'s> {
    attribute: Option<&'s Attribute>,
    scope: Scope<'s>,
}

/// Where the next attribute step is looked up.
#[derive(Clone, Copy, Debug)]
enum Scope<'s> {
    Block(&'s Block),
    Nested(&'s NestedType),
    /// No further step leads to an attribute.
    Nowhere,
}

impl<'s> AttributePlace<'s> {
    /// The place of the empty path in a block.
    pub fn in_block(block: &'s Block) -> AttributePlace<'s> {
        AttributePlace { attribute: None, scope: Scope::Block(block) }
    }

    /// The place of the empty path in a nested type.
    pub fn in_nested_type(nested: &'s NestedType) -> AttributePlace<'s> {
        AttributePlace { attribute: None, scope: Scope::Nested(nested) }
    }

    /// The attribute at this place.
    pub fn attribute(self) -> Option<&'s Attribute> {
        self.attribute
    }

    /// The place one step further.
    #[must_use]
    pub fn step(self, step: &Step) -> AttributePlace<'s> {
        let Step::Attribute(name) = step else {
            return AttributePlace { attribute: None, scope: self.scope };
        };
        let attribute = match self.scope {
            Scope::Block(block) => block.attributes.get(name),
            Scope::Nested(nested) => nested.attributes.get(name),
            Scope::Nowhere => None,
        };
        let scope = match (attribute, self.scope) {
            (Some(attribute), _) => attribute.nested_type().map_or(Scope::Nowhere, Scope::Nested),
            (None, Scope::Block(block)) => {
                block.block_types.get(name).map_or(Scope::Nowhere, |nested| Scope::Block(&nested.block))
            }
            (None, scope) => scope,
        };
        AttributePlace { attribute, scope }
    }

    fn follow(self, path: &Path) -> AttributePlace<'s> {
        path.steps().into_iter().fold(self, |place, step| place.step(step))
    }
}

/// Where a path leads among the nested blocks of a schema (S63).
#[derive(Clone, Copy, Debug)]
pub struct BlockPlace<'s> {
    block: Option<&'s NestedBlock>,
    /// Where the next attribute step is looked up.
    scope: Option<&'s Block>,
}

impl<'s> BlockPlace<'s> {
    /// The place of the empty path in a block.
    pub fn root(block: &'s Block) -> BlockPlace<'s> {
        BlockPlace { block: None, scope: Some(block) }
    }

    /// The nested block at this place.
    pub fn block(self) -> Option<&'s NestedBlock> {
        self.block
    }

    /// The place one step further. Steps that name no nested block are skipped; a nested block without nested blocks
    /// leads nowhere.
    #[must_use]
    pub fn step(self, step: &Step) -> BlockPlace<'s> {
        let named = match step {
            Step::Attribute(name) => self.scope.and_then(|block| block.block_types.get(name)),
            Step::Index(_) | Step::Key(_) | Step::Element(_) => None,
        };
        match named {
            Some(nested) => {
                let scope = Some(&nested.block).filter(|block| !block.block_types.is_empty());
                BlockPlace { block: Some(nested), scope }
            }
            None => BlockPlace { block: None, scope: self.scope },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Schema;
    use crate::value::Text;

    /// An outer list block with an inner one, and a nested type within a nested type.
    const SCHEMA: &str = r#"{"block": {
        "attributes": {"leaf": {"type": ["object", {"x": "string"}], "optional": true},
            "n": {"optional": true, "nested_type": {"nesting_mode": "map", "attributes": {
                "x": {"type": "string", "optional": true},
                "deep": {"optional": true, "nested_type": {"nesting_mode": "list", "attributes": {
                    "y": {"type": "bool", "computed": true}}}}}}}},
        "block_types": {"outer": {"nesting_mode": "list", "block": {
            "attributes": {"z": {"type": "number", "required": true}},
            "block_types": {"inner": {"nesting_mode": "map", "block": {
                "attributes": {"w": {"type": "string", "optional": true}}}}}}}}}}"#;

    fn path(steps: &[&str]) -> Path {
        steps.iter().fold(Path::root(), |path, step| match step.parse::<usize>() {
            Ok(index) => path.index(index),
            Err(_) => match step.strip_prefix('#') {
                Some(key) => path.key(&Text::new(key)),
                None => path.attribute(&Text::new(step)),
            },
        })
    }

    fn check_attribute(steps: &[&str], found: bool) {
        let schema = Schema::parse(SCHEMA).expect("a schema");
        assert_eq!(schema.block.attribute_at(&path(steps)).is_some(), found, "{steps:?}");
    }

    #[test]
    fn s60_steps_lead_through_blocks_and_nested_types_and_not_into_leaves() {
        check_attribute(&["leaf"], true);
        check_attribute(&["leaf", "x"], false);
        check_attribute(&["outer", "0", "z"], true);
        check_attribute(&["outer", "0", "inner", "#k", "w"], true);
        check_attribute(&["n", "#k", "deep", "3", "y"], true);
        check_attribute(&["none", "leaf"], false);
    }

    #[test]
    fn s61_an_attribute_step_without_attribute_is_skipped_in_nested_types() {
        check_attribute(&["n", "key", "x"], true);
        check_attribute(&["n", "x", "x"], false);
        let schema = Schema::parse(SCHEMA).expect("a schema");
        let nested = schema.block.attributes.get("n").and_then(Attribute::nested_type).expect("a nested type");
        assert!(nested.attribute_at(&path(&["key", "deep", "0", "y"])).is_some());
        assert!(nested.attribute_at(&path(&["key"])).is_none());
    }

    #[test]
    fn s62_blocks_and_elements_have_no_attribute() {
        check_attribute(&[], false);
        check_attribute(&["outer"], false);
        check_attribute(&["outer", "0"], false);
        check_attribute(&["n", "#k"], false);
    }

    #[test]
    fn s63_a_block_is_found_by_its_names_alone() {
        let schema = Schema::parse(SCHEMA).expect("a schema");
        let found = |steps: &[&str]| schema.block.block_at(&path(steps)).map(|nested| nested.nesting.name());
        assert_eq!(found(&["outer"]), Some("list"));
        assert_eq!(found(&["outer", "0", "inner"]), Some("map"));
        assert_eq!(found(&["outer", "z", "inner"]), Some("map"), "other steps are skipped");
        assert_eq!(found(&["outer", "0"]), None);
        assert_eq!(found(&["outer", "0", "inner", "#k"]), None);
        assert_eq!(found(&["outer", "inner", "inner"]), None, "a block without nested blocks leads nowhere");
    }
}
