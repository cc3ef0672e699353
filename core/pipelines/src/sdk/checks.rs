//! The checks of a model on a config tree (Z170, and section 3.1 of provider-model.md).
//!
//! They are the framework's checks on the SDK's view of the configuration: empty blocks are absent (Z41).

use super::Pipeline;
use crate::framework::{Diagnostic, Inexpressible, Program, Unfit};
use crate::rules::{ResourceCheck, Rules};
use planfuzz_core::schema::Block;
use planfuzz_core::value::{Node, Type, Value, build_set};

/// The checks of a model for a resource.
#[derive(Debug)]
pub struct Checks {
    program: Program,
    core: planfuzz_core::schema::Schema,
}

impl Checks {
    /// The checks of attributes and blocks, and those of the whole configuration.
    ///
    /// # Errors
    /// A rule does not fit the schema.
    pub fn new(pipeline: &Pipeline, rules: &Rules, checks: &[ResourceCheck]) -> Result<Checks, Inexpressible> {
        let core = pipeline.core_schema().clone();
        Ok(Checks { program: Program::new(&core, rules, checks, None)?, core })
    }

    /// The checks that a configuration fails, beside [`Pipeline::validate`].
    ///
    /// # Errors
    /// The configuration has another type.
    pub fn failures(&self, config: &Value) -> Result<Vec<Diagnostic>, Unfit> {
        let seen = without_empty_blocks(&self.core.block, config.ty(), config.node());
        let mut failures = self.program.validate(&Value::from_parts(config.ty().clone(), seen), true)?;
        // The framework's built-in checks are dropped; the SDK has its own.
        failures.retain(|failure| failure.rule == "F140");
        Ok(failures)
    }
}

fn without_empty_blocks(block: &Block, ty: &Type, node: &Node) -> Node {
    let (Type::Object(object), Node::Seq(members)) = (ty, node) else { return node.clone() };
    let members = object.attributes().iter().zip(members.as_slice()).map(|(member, node)| {
        match (block.block_types.get(&member.name), node) {
            (Some(_), Node::Seq(blocks)) if blocks.is_empty() => Node::Null,
            (Some(nested), Node::Seq(blocks)) => {
                let Some(element) = member.ty.element() else { return node.clone() };
                let inside = |node: &Node| without_empty_blocks(&nested.block, element, node);
                let blocks = blocks.as_slice().iter().map(inside).collect();
                match &member.ty {
                    Type::Set(_) => Node::Seq(build_set(element, blocks)),
                    _ => Node::seq(blocks),
                }
            }
            _ => node.clone(),
        }
    });
    Node::seq(members.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sdk::testing::{json, resource};
    use planfuzz_core::value::Text;

    #[test]
    fn z170_an_empty_block_is_not_there() {
        let resource = resource(
            r#"{"a": {"type": "string", "optional": true}, "b": {"type": "list", "optional": true, "elem": {"resource": {
                "x": {"type": "int", "optional": true}}}}}"#,
        );
        let block = &resource.pipeline.core_schema().block;
        let rules = Rules::from_sdk_json(&json(r#"{"b.x": {"validate": [{"range": [1, 3]}]}}"#), block);
        let conflicts = [ResourceCheck::Conflicts(vec![Text::new("a"), Text::new("b")])];
        let checks = Checks::new(&resource.pipeline, &rules.expect("rules"), &conflicts).expect("checks");
        let failures = |config: &str| checks.failures(&resource.value(config)).expect("answers").len();
        assert_eq!(failures(r#"{"a":"x","b":[],"id":null}"#), 0);
        assert_eq!(failures(r#"{"a":"x","b":[{"x":2}],"id":null}"#), 1);
        assert_eq!(failures(r#"{"a":null,"b":[{"x":4},{"x":0}],"id":null}"#), 2);
    }
}
