//! Walks over a value along its schema.

use planfuzz_core::schema::{Attribute, Block, Named, NestedBlock, Nesting};
use planfuzz_core::value::{Path, ValueRef};

/// Visits the parts of a value.
pub trait Visitor {
    /// An attribute of a block or of a nested type.
    fn attribute(&mut self, path: &Path, attribute: &Attribute, value: ValueRef<'_>);

    /// The blocks of one type.
    fn blocks(&mut self, _path: &Path, _nested: &NestedBlock, _value: ValueRef<'_>) {}
}

/// Visits every part of a value that the schema describes.
pub fn walk(block: &Block, value: ValueRef<'_>, visitor: &mut impl Visitor) {
    block_at(block, value, &Path::root(), visitor);
}

fn block_at(block: &Block, value: ValueRef<'_>, path: &Path, visitor: &mut impl Visitor) {
    if !value.is_present() {
        return;
    }
    attributes(&block.attributes, value, path, visitor);
    for (name, nested) in block.block_types.iter() {
        let Some(member) = value.member(name) else { continue };
        let at = path.attribute(name);
        visitor.blocks(&at, nested, member);
        each(nested.nesting, member, &at, &mut |element, at| block_at(&nested.block, element, at, visitor));
    }
}

fn attributes(named: &Named<Attribute>, value: ValueRef<'_>, path: &Path, visitor: &mut impl Visitor) {
    for (name, attribute) in named.iter() {
        let Some(member) = value.member(name) else { continue };
        let at = path.attribute(name);
        visitor.attribute(&at, attribute, member);
        if let Some(nested) = attribute.nested_type() {
            each(nested.nesting, member, &at, &mut |element, at| {
                if element.is_present() {
                    attributes(&nested.attributes, element, at, visitor);
                }
            });
        }
    }
}

/// Each object of a nested block or type.
fn each<'v>(nesting: Nesting, value: ValueRef<'v>, path: &Path, visit: &mut dyn FnMut(ValueRef<'v>, &Path)) {
    match nesting {
        _ if !value.is_present() => {}
        Nesting::Single | Nesting::Group => visit(value, path),
        Nesting::List | Nesting::Set | Nesting::Map => {
            for (step, element) in value.children() {
                visit(element, &path.step(step));
            }
        }
    }
}
