//! The tree of expressions that `show -json` makes of a resource's configuration.

use planfuzz_core::json::Json;
use planfuzz_core::schema::{Block, NestedBlock, Nesting};
use planfuzz_core::value::{MAX_DEPTH, Text};

use super::body::{Body, Given, NotLiteral, Written};
use super::json_syntax::value;

/// The body of a resource, from its `expressions`; `block` is its schema.
///
/// Blocks that only evaluation gives are not in the tree, so a list, set or map of blocks may have more.
pub fn tree_body(expressions: &Json, block: &Block) -> Body {
    let mut body = Body::default();
    let Json::Object(members) = expressions else { return body };
    for (name, member) in members {
        let text = Text::new(name);
        match block.block_types.get(name) {
            Some(nested) => blocks(&text, member, nested, &mut body),
            None => attribute(text, member, &mut body),
        }
    }
    body
}

/// An attribute that is written as blocks has an array of their members.
fn attribute(name: Text, member: &Json, body: &mut Body) {
    let Json::Array(items) = member else {
        body.attributes.push((name, given(member)));
        return;
    };
    for item in items {
        let inner = tree_body(item, &Block::default());
        body.blocks.push(Written { name: name.clone(), labels: Vec::new(), body: inner });
    }
}

fn given(expression: &Json) -> Given {
    let Some(constant) = expression.member("constant_value") else {
        let refers = expression.member("references").is_some();
        return Given::Open(if refers { NotLiteral::Reference } else { NotLiteral::Function });
    };
    match value(constant, &|text| Ok(text.to_owned())) {
        Ok(value) if value.ty().depth() < MAX_DEPTH => Given::Literal(value),
        Ok(_) => Given::Open(NotLiteral::Expression),
        Err(why) => Given::Open(why),
    }
}

fn blocks(name: &Text, json: &Json, nested: &NestedBlock, into: &mut Body) {
    let mut put = |labels: Vec<Text>, tree: &Json| {
        into.blocks.push(Written { name: name.clone(), labels, body: tree_body(tree, &nested.block) });
    };
    match (nested.nesting, json) {
        (Nesting::Map, Json::Object(labels)) => {
            labels.iter().for_each(|(label, tree)| put(vec![Text::new(label)], tree));
        }
        (_, Json::Array(trees)) => trees.iter().for_each(|tree| put(Vec::new(), tree)),
        (_, tree) => put(Vec::new(), tree),
    }
}
