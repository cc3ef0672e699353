//! Looking up schema by path (section 6 of schema.md).
//!
//! The rules there scan a path from its first step to its last. Planning walks values in the same direction, so the
//! scan is kept as a [`Place`] that moves along with the walk.

use planfuzz_core::schema::{Attribute, Block, NestedBlock, NestedType, Shape};
use planfuzz_core::value::{Path, Step};

/// The place that the scan of a path has reached (S60, S61).
#[derive(Clone, Copy, Debug)]
pub(super) enum Place<'s> {
    /// In a block, on no attribute.
    Block(&'s Block),
    /// In a nested type, on no attribute.
    NestedType(&'s NestedType),
    /// The last step named this attribute.
    Attribute(&'s Attribute),
    /// Inside a leaf, or after a name that is not in the schema.
    Nothing,
}

impl<'s> Place<'s> {
    /// The place one step further.
    pub fn step(self, step: &Step) -> Place<'s> {
        match (self, step) {
            // Steps remain after an attribute: on in its nested type (S61), or nothing if it is a leaf.
            (Place::Attribute(attribute), _) => match &attribute.shape {
                Shape::Nested(nested) => Place::NestedType(nested).step(step),
                Shape::Leaf(_) => Place::Nothing,
            },
            // S60: an attribute of that name, else a nested block of that name, else nothing.
            (Place::Block(block), Step::Attribute(name)) => {
                let attribute = block.attributes.get(name).map(Place::Attribute);
                let nested = || block.block_types.get(name).map(|nested| Place::Block(&nested.block));
                attribute.or_else(nested).unwrap_or(Place::Nothing)
            }
            // S61: a step that names no attribute is skipped.
            (Place::NestedType(nested), Step::Attribute(name)) => {
                nested.attributes.get(name).map_or(self, Place::Attribute)
            }
            // Index steps are skipped.
            (Place::Block(_) | Place::NestedType(_), Step::Index(_) | Step::Key(_) | Step::Element(_)) => self,
            (Place::Nothing, _) => Place::Nothing,
        }
    }

    /// The attribute at the path that ends here.
    pub fn attribute(self) -> Option<&'s Attribute> {
        match self {
            Place::Attribute(attribute) => Some(attribute),
            Place::Block(_) | Place::NestedType(_) | Place::Nothing => None,
        }
    }
}

/// `block_at(block, path)` (S63).
pub(super) fn block_at<'s>(block: &'s Block, path: &Path) -> Option<&'s NestedBlock> {
    let mut block = block;
    let steps = path.steps();
    for (index, step) in steps.iter().enumerate() {
        let Step::Attribute(name) = step else { continue };
        let Some(nested) = block.block_types.get(name) else { continue };
        if index + 1 == steps.len() {
            return Some(nested);
        }
        if nested.block.block_types.is_empty() {
            return None;
        }
        block = &nested.block;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use planfuzz_core::json::Json;
    use planfuzz_core::schema::Schema;
    use planfuzz_core::value::Text;

    fn schema() -> Schema {
        let text = r#"{"block":{
            "attributes":{
                "leaf":{"type":["object",{"x":"string"}],"optional":true},
                "n":{"optional":true,"nested_type":{"nesting_mode":"map","attributes":{
                    "x":{"type":"string","computed":true},
                    "d":{"optional":true,"nested_type":{"nesting_mode":"list","attributes":{
                        "y":{"type":"string","optional":true}}}}}}}},
            "block_types":{
                "b":{"nesting_mode":"list","block":{
                    "attributes":{"y":{"type":"string","computed":true}},
                    "block_types":{"inner":{"nesting_mode":"set","block":{}}}}},
                "last":{"nesting_mode":"list","block":{}}}}}"#;
        Schema::from_json(&Json::parse(text).expect("JSON")).expect("a schema")
    }

    /// `.name` steps, and `*` for an index step.
    fn path(steps: &str) -> Path {
        steps.split_whitespace().fold(Path::root(), |path, step| match step {
            "*" => path.index(0),
            name => path.attribute(&Text::new(name)),
        })
    }

    /// Whether an attribute is found, and whether it is computed.
    fn computed_at(steps: &str) -> Option<bool> {
        let schema = schema();
        let place = path(steps).steps().into_iter().fold(Place::Block(&schema.block), |place, step| place.step(step));
        place.attribute().map(|attribute| attribute.computed)
    }

    #[test]
    fn s60_blocks() {
        assert_eq!(computed_at("leaf"), Some(false));
        assert_eq!(computed_at("b * y"), Some(true));
        assert_eq!(computed_at("* b y"), Some(true));
        for nothing in ["", "b", "b *", "leaf x", "missing", "missing leaf", "b inner", "n *"] {
            assert_eq!(computed_at(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn s61_nested_types_skip_names_that_are_no_attribute() {
        assert_eq!(computed_at("n * x"), Some(true));
        assert_eq!(computed_at("n key x"), Some(true));
        assert_eq!(computed_at("n * d"), Some(false));
        assert_eq!(computed_at("n * d * y"), Some(false));
        for nothing in ["n * d *", "n key", "n x x", "n * d x"] {
            assert_eq!(computed_at(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn s63_blocks_at_a_path() {
        let schema = schema();
        let nesting = |steps| block_at(&schema.block, &path(steps)).map(|nested| nested.nesting.name());
        assert_eq!(nesting("b"), Some("list"));
        assert_eq!(nesting("b * inner"), Some("set"));
        assert_eq!(nesting("leaf last"), Some("list"));
        for nothing in ["", "b *", "last *", "last last", "b last"] {
            assert_eq!(nesting(nothing), None, "{nothing}");
        }
    }
}
