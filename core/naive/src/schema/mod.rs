//! Schemas, by `docs/spec/schema.md`: types, empty values, coercion, the paths of marks, validity. Schemas themselves are data of
//! `planfuzz-core`, and so is the table of dialects.

mod coerce;
mod marks;
mod validity;

pub use coerce::{Unfit, coerce};
pub use marks::{Mark, marked_paths};
pub use validity::is_valid;

use std::sync::Arc;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::schema::{Attribute, Block, Named, Nesting, Shape};

use crate::value::{Attr, Is, Ty, Val};

/// S30: the implied type of a block.
pub fn implied_type(block: &Block, dialect: Dialect) -> Ty {
    let attributes =
        block.attributes.iter().map(|(name, of)| (name.as_str(), attribute_type(of, dialect).strip_optional()));
    let blocks = block.block_types.iter().map(|(name, nested)| {
        let object = implied_type(&nested.block, dialect);
        (name.as_str(), block_type(nested.nesting, object))
    });
    Ty::plain_object(attributes.chain(blocks))
}

/// The type of a member that holds blocks.
pub(crate) fn block_type(nesting: Nesting, object: Ty) -> Ty {
    match nesting {
        Nesting::List | Nesting::Map if object.has_dynamic() => Ty::Dynamic,
        nesting => collection_type(nesting, object),
    }
}

fn collection_type(nesting: Nesting, object: Ty) -> Ty {
    match nesting {
        Nesting::Single | Nesting::Group => object,
        Nesting::List => Ty::List(Arc::new(object)),
        Nesting::Set => Ty::Set(Arc::new(object)),
        Nesting::Map => Ty::Map(Arc::new(object)),
    }
}

/// S32: the spec type of an attribute, in which the attributes of a nested type that may be missing are marked optional.
pub(crate) fn attribute_type(attribute: &Attribute, dialect: Dialect) -> Ty {
    match &attribute.shape {
        Shape::Leaf(ty) => Ty::of(ty),
        Shape::Nested(nested) => {
            let object = nested_object(&nested.attributes, dialect);
            match nested.nesting {
                Nesting::Group if !dialect.has_group_nested_types() => Ty::Object(Vec::new().into()),
                nesting => collection_type(nesting, object),
            }
        }
    }
}

pub(crate) fn nested_object(attributes: &Named<Attribute>, dialect: Dialect) -> Ty {
    Ty::object(
        attributes
            .iter()
            .map(|(name, of)| Attr {
                name: name.to_string(),
                ty: attribute_type(of, dialect),
                optional: of.optional || of.computed,
            })
            .collect(),
    )
}

/// S35: the empty value of a block.
pub fn empty_value(block: &Block, dialect: Dialect) -> Val {
    let mut members: Vec<(String, Val)> = Vec::new();
    for (name, attribute) in block.attributes.iter() {
        // S34: a leaf is null of its type as it is declared, markers and all.
        let declared = match &attribute.shape {
            Shape::Leaf(ty) => Ty::of(ty),
            Shape::Nested(_) => attribute_type(attribute, dialect).strip_optional(),
        };
        members.push((name.to_string(), Val::null(declared)));
    }
    for (name, nested) in block.block_types.iter() {
        let object = implied_type(&nested.block, dialect);
        let has_dynamic = object.has_dynamic();
        let collection = || collection_type(nested.nesting, object.clone());
        let member = match nested.nesting {
            Nesting::Single => Val::null(object),
            Nesting::Group => empty_value(&nested.block, dialect),
            Nesting::List if has_dynamic => Val { ty: Ty::Tuple(Vec::new().into()), is: Is::Seq(Vec::new().into()) },
            Nesting::Map if has_dynamic => Val { ty: Ty::Object(Vec::new().into()), is: Is::Named(Vec::new().into()) },
            Nesting::List | Nesting::Set => Val { ty: collection(), is: Is::Seq(Vec::new().into()) },
            Nesting::Map => Val { ty: collection(), is: Is::Named(Vec::new().into()) },
        };
        members.push((name.to_string(), member));
    }
    object(members)
}

/// An object of members.
pub(crate) fn object(mut members: Vec<(String, Val)>) -> Val {
    members.sort_by(|a, b| a.0.cmp(&b.0));
    let ty = Ty::plain_object(members.iter().map(|(name, member)| (&**name, member.ty.clone())));
    Val { ty, is: Is::Named(members.into()) }
}
