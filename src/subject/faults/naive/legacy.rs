//! LN01 to LN04: objects from the legacy SDK.

use planfuzz_core::schema::{Attribute, Block, NestedBlock, Nesting};
use planfuzz_core::value::{MapNode, Node, Type, Value, ValueRef};
use triomphe::Arc;

use super::super::catalogue::Fault;
use super::{Made, Naive, collection_like, member};

impl Naive {
    /// LN01
    pub(super) fn normalized(self, block: &Block, value: ValueRef<'_>) -> Made {
        if value.is_null() {
            return Ok(Value::null(block.implied_type(self.dialect)));
        }
        let mut members = Vec::new();
        for (name, _) in block.attributes.iter() {
            members.push((name.clone(), member(value, name).to_value()));
        }
        for (name, nested) in block.block_types.iter() {
            members.push((name.clone(), self.normalized_block(nested, member(value, name))?));
        }
        Ok(Value::object(members))
    }

    /// LN02
    fn normalized_block(self, nested: &NestedBlock, value: ValueRef<'_>) -> Made {
        let block = &nested.block;
        let object = block.implied_type(self.dialect);
        if object.has_dynamic() || nested.nesting == Nesting::Map {
            return Ok(value.to_value());
        }
        let list = |elements| collection_like(value, elements);
        match nested.nesting {
            Nesting::Single | Nesting::Group if value.is_unknown() => Ok(self.stub(block)),
            Nesting::Group if value.is_null() && !self.plants(Fault::LegacyNullGroupKept) => {
                Ok(block.empty_value(self.dialect))
            }
            Nesting::Single | Nesting::Group => self.normalized(block, value),
            _ if value.is_unknown() && self.plants(Fault::LegacyUnknownBlocksDropped) => list(Vec::new()),
            _ if value.is_unknown() => list(vec![self.stub(block)]),
            _ if value.is_null() && self.plants(Fault::LegacyNullListKept) => Ok(value.to_value()),
            _ => {
                let elements = value.children().map(|(_, element)| self.normalized_element(block, element));
                list(elements.collect::<Result<_, _>>()?)
            }
        }
    }

    /// LN04
    fn normalized_element(self, block: &Block, element: ValueRef<'_>) -> Made {
        match element.is_null() && self.plants(Fault::LegacyNullElementFilled) {
            true => Ok(block.empty_value(self.dialect)),
            false if self.plants(Fault::InnerBlocksNotNormalised) => Ok(element.to_value()),
            false => self.normalized(block, element),
        }
    }

    /// LN03
    fn stub(self, block: &Block) -> Value {
        let attributes =
            block.attributes.iter().map(|(name, attribute)| (name.clone(), Value::unknown(self.stub_type(attribute))));
        let blocks = block.block_types.iter().map(|(name, nested)| (name.clone(), self.stub_of_blocks(nested)));
        Value::object(attributes.chain(blocks).collect())
    }

    /// S34
    fn stub_type(self, attribute: &Attribute) -> Type {
        match self.plants(Fault::StubMarkersForgotten) {
            true => attribute.implied_type(self.dialect),
            false => attribute.declared_type(self.dialect),
        }
    }

    fn stub_of_blocks(self, nested: &NestedBlock) -> Value {
        let (stub_type, stub) = self.stub(&nested.block).into_parts();
        let one = || vec![stub.clone()];
        let object = nested.block.implied_type(self.dialect);
        match nested.nesting {
            Nesting::Single | Nesting::Group => self.stub(&nested.block),
            Nesting::List => Value::from_parts(Type::list(stub_type), Node::seq(one())),
            Nesting::Set => Value::from_parts(Type::set(stub_type), Node::seq(one())),
            Nesting::Map if self.plants(Fault::LegacyMapUnknown) => Value::unknown(Type::map(object)),
            Nesting::Map => Value::from_parts(Type::map(object), Node::Map(Arc::new(MapNode::from_sorted(Vec::new())))),
        }
    }
}
