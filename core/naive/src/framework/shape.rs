//! The parts of a schema, and the conversion of whole objects on the way in and out (F01 to F06, F11).

use planfuzz_core::dialect::Dialect;
use planfuzz_core::schema::{Attribute, Block, Named, NestedBlock, Nesting, Shape};

use crate::schema::{attribute_type, block_type, implied_type, nested_object, object};
use crate::value::{Is, Ty, Val, build};

/// The attributes of an object and, of a block, the blocks in it.
#[derive(Clone, Copy)]
pub struct Fields<'s> {
    attributes: &'s Named<Attribute>,
    blocks: Option<&'s Named<NestedBlock>>,
}

/// An attribute or a block type.
#[derive(Clone, Copy)]
pub enum Part<'s> {
    /// An attribute.
    Attribute(&'s Attribute),
    /// A block type.
    Block(&'s NestedBlock),
}

/// The declared type of an attribute.
pub fn type_of(attribute: &Attribute) -> Ty {
    attribute_type(attribute, Dialect::default()).strip_optional()
}

impl<'s> Part<'s> {
    /// The nesting mode, and the fields of an element; `None` for an attribute that is not nested.
    pub fn inside(self) -> Option<(Nesting, Fields<'s>)> {
        match self {
            Part::Attribute(attribute) => {
                let Shape::Nested(nested) = &attribute.shape else { return None };
                Some((nested.nesting, Fields { attributes: &nested.attributes, blocks: None }))
            }
            Part::Block(block) => Some((block.nesting, Fields::of_block(&block.block))),
        }
    }

    /// The type.
    pub fn ty(self) -> Ty {
        match self {
            Part::Attribute(attribute) => type_of(attribute),
            Part::Block(block) => block_type(block.nesting, implied_type(&block.block, Dialect::default())),
        }
    }
}

impl<'s> Fields<'s> {
    /// The fields of a block.
    pub fn of_block(block: &'s Block) -> Fields<'s> {
        Fields { attributes: &block.attributes, blocks: Some(&block.block_types) }
    }

    /// The part with a name; where an attribute and a block share one, it is the block (S30).
    pub fn part(self, name: &str) -> Option<Part<'s>> {
        let block = self.blocks.and_then(|blocks| blocks.get(name));
        block.map(Part::Block).or_else(|| self.attributes.get(name).map(Part::Attribute))
    }

    /// The type of the object.
    pub fn ty(self) -> Ty {
        let mut ty = nested_object(self.attributes, Dialect::default()).strip_optional();
        let Ty::Object(attributes) = &mut ty else { return ty };
        let blocks = self.blocks.into_iter().flat_map(Named::iter);
        for (name, block) in blocks {
            attributes.retain(|other| other.name != name.as_str());
            attributes.push(crate::value::Attr {
                name: name.to_string(),
                ty: Part::Block(block).ty(),
                optional: false,
            });
        }
        Ty::object(attributes.to_vec())
    }

    /// An object with every field null, or every field unknown.
    pub fn filled(self, with: fn(Ty) -> Val) -> Val {
        let Ty::Object(attributes) = self.ty() else { return with(Ty::Dynamic) };
        object(attributes.into_iter().map(|attribute| (attribute.name, with(attribute.ty))).collect())
    }

    /// F01.
    pub fn is_expressible(self) -> bool {
        let of_attribute = |attribute: &Attribute| match &attribute.shape {
            Shape::Leaf(ty) => is_leaf(&Ty::of(ty)),
            Shape::Nested(nested) => {
                let inner = Fields { attributes: &nested.attributes, blocks: None };
                nested.nesting != Nesting::Group && inner.fits_in(nested.nesting)
            }
        };
        let of_block = |block: &NestedBlock| {
            !matches!(block.nesting, Nesting::Group | Nesting::Map)
                && Fields::of_block(&block.block).fits_in(block.nesting)
        };
        self.attributes.values().all(of_attribute) && self.blocks.is_none_or(|blocks| blocks.values().all(of_block))
    }

    fn fits_in(self, nesting: Nesting) -> bool {
        self.is_expressible() && (nesting == Nesting::Single || !self.ty().has_dynamic())
    }

    /// F02.
    pub fn inbound(self, value: &Val) -> Val {
        self.each(value, &|part, value| match (part, &value.is) {
            (Part::Block(block), Is::Seq(items)) if items.is_empty() && is_many(block) => Val::null(value.ty),
            _ => value,
        })
    }

    /// F03, F06, F11.
    pub fn outbound(self, value: &Val) -> Val {
        collapsed(&self.each(value, &|part, value| match part {
            Part::Block(block) if value.is_null() && is_many(block) => {
                Val { ty: part.ty(), is: Is::Seq(Vec::new().into()) }
            }
            Part::Attribute(_) => untyped(&value, &part.ty()),
            _ => value,
        }))
    }

    /// Every attribute and block, innermost first.
    fn each(self, value: &Val, change: &dyn Fn(Part<'s>, Val) -> Val) -> Val {
        let Is::Named(members) = &value.is else { return value.clone() };
        let member = |(name, value): &(String, Val)| {
            let Some(part) = self.part(name) else { return (name.clone(), value.clone()) };
            let inner = match part.inside() {
                None => value.clone(),
                Some((Nesting::Single, fields)) => fields.each(value, change),
                Some((_, fields)) => {
                    let is = match &value.is {
                        Is::Seq(items) => Is::Seq(items.iter().map(|item| fields.each(item, change)).collect()),
                        Is::Named(entries) => Is::Named(
                            entries.iter().map(|(key, item)| (key.clone(), fields.each(item, change))).collect(),
                        ),
                        other => other.clone(),
                    };
                    Val { ty: value.ty.clone(), is }
                }
            };
            (name.clone(), change(part, inner))
        };
        object(members.iter().map(member).collect())
    }
}

fn is_many(block: &NestedBlock) -> bool {
    matches!(block.nesting, Nesting::List | Nesting::Set)
}

/// Whether a type has no tuples, and `dynamic` only as the whole type.
fn is_leaf(ty: &Ty) -> bool {
    *ty == Ty::Dynamic || is_static(ty)
}

fn is_static(ty: &Ty) -> bool {
    match ty {
        Ty::Dynamic | Ty::Tuple(_) => false,
        Ty::Bool | Ty::Number | Ty::String => true,
        Ty::List(element) | Ty::Set(element) | Ty::Map(element) => is_static(element),
        Ty::Object(attributes) => attributes.iter().all(|attribute| is_leaf(&attribute.ty)),
    }
}

/// F11: an unknown in a dynamic place has no type. Such places are whole attributes, and attributes of objects (F01).
pub fn untyped(value: &Val, declared: &Ty) -> Val {
    match (declared, &value.is) {
        (Ty::Dynamic, Is::Unknown(_)) => Val::unknown(Ty::Dynamic),
        (Ty::Object(attributes), Is::Named(members)) => {
            let member = |(name, member): &(String, Val)| {
                let attribute = attributes.iter().find(|attribute| attribute.name == *name);
                (name.clone(), attribute.map_or_else(|| member.clone(), |of| untyped(member, &of.ty)))
            };
            object(members.iter().map(member).collect())
        }
        _ => value.clone(),
    }
}

/// F06.
fn collapsed(value: &Val) -> Val {
    let is = match &value.is {
        Is::Seq(items) => {
            let items = items.iter().map(collapsed).collect();
            Is::Seq(if matches!(value.ty, Ty::Set(_)) { build(items).into() } else { items.into() })
        }
        Is::Named(members) => {
            Is::Named(members.iter().map(|(name, member)| (name.clone(), collapsed(member))).collect())
        }
        other => other.clone(),
    };
    Val { ty: value.ty.clone(), is }
}
