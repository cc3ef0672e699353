//! Computed and write-only attributes in a plan (Z112, Z113).

use planfuzz_core::schema::{Attribute, Block};
use planfuzz_core::value::{Node, Type, Value, build_set};

/// Z112: null computed attributes are unknown, in every block.
pub fn set_unknowns(block: &Block, object: &Value) -> Value {
    let fill = |attribute: &Attribute, node: &Node| {
        if attribute.computed && node.is_null() { Node::UNKNOWN } else { node.clone() }
    };
    if object.is_null() {
        return object.clone();
    }
    map_attributes(block, object, true, &fill)
}

/// Z113: write-only attributes are null, in every block.
pub fn without_write_only(block: &Block, object: &Value) -> Value {
    let clear = |attribute: &Attribute, node: &Node| if attribute.write_only { Node::Null } else { node.clone() };
    map_attributes(block, object, false, &clear)
}

type Change<'a> = &'a dyn Fn(&Attribute, &Node) -> Node;

fn map_attributes(block: &Block, object: &Value, fills_nulls: bool, change: Change<'_>) -> Value {
    let mapper = Mapper { fills_nulls, change };
    Value::from_parts(object.ty().clone(), mapper.object(block, object.ty(), object.node()))
}

struct Mapper<'a> {
    /// Whether a null element of a block becomes an object if it has a computed attribute.
    fills_nulls: bool,
    change: Change<'a>,
}

impl Mapper<'_> {
    fn object(&self, block: &Block, ty: &Type, node: &Node) -> Node {
        let Type::Object(object) = ty else { return node.clone() };
        let is_made = node.is_null() && self.fills_nulls && has_computed(block);
        if !is_made && !matches!(node, Node::Seq(_)) {
            return node.clone();
        }
        let members = object.attributes().iter().enumerate().map(|(index, member)| {
            let node = node.parts().get(index).unwrap_or(&Node::Null);
            match (block.attributes.get(&member.name), block.block_types.get(&member.name)) {
                (_, Some(nested)) => self.blocks(&nested.block, &member.ty, node),
                (Some(attribute), None) => (self.change)(attribute, node),
                (None, None) => node.clone(),
            }
        });
        Node::seq(members.collect())
    }

    fn blocks(&self, block: &Block, ty: &Type, node: &Node) -> Node {
        let Node::Seq(blocks) = node else { return node.clone() };
        match ty {
            Type::List(element) => {
                Node::seq(blocks.as_slice().iter().map(|node| self.object(block, element, node)).collect())
            }
            Type::Set(element) => {
                let elements = blocks.as_slice().iter().map(|node| self.object(block, element, node)).collect();
                Node::Seq(build_set(element, elements))
            }
            _ => self.object(block, ty, node),
        }
    }
}

fn has_computed(block: &Block) -> bool {
    block.attributes.values().any(|attribute| attribute.computed)
}
