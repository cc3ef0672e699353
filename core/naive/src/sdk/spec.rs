//! The SDK's view of a field or an element at an address, and the schema that Core sees (Z02).

use std::collections::BTreeSet;
use std::sync::Arc;

use planfuzz_core::schema::{Attribute, Block, Named, NestedBlock, Nesting, Shape};
use planfuzz_core::value::{Text, Type};
use planfuzz_pipelines::expression::{Canon, Equiv};
use planfuzz_pipelines::sdk::{ConfigMode, Elem, Field, Kind, Primitive, Resource, SdkValue};

use crate::value::Ty;

/// One step of an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// To a field.
    Name(String),
    /// To an element of a list.
    Index(usize),
    /// To an element of a set.
    Code(String),
}

/// An address.
pub type Address = Vec<Step>;

/// An address one step further.
pub fn then(address: &[Step], step: Step) -> Address {
    address.iter().cloned().chain([step]).collect()
}

/// The parts of an address' flat path.
pub fn flat(address: &[Step]) -> Vec<String> {
    let part = |step: &Step| match step {
        Step::Name(text) | Step::Code(text) => text.clone(),
        Step::Index(index) => index.to_string(),
    };
    address.iter().map(part).collect()
}

/// A field, or the element of one.
#[derive(Clone, Copy)]
pub enum Spec<'s> {
    /// One that has values of a kind.
    One(Own<'s>),
    /// A resource.
    Object(&'s Resource),
}

/// The properties of the values of a kind at a place.
#[derive(Clone, Copy)]
pub struct Own<'s> {
    /// The kind.
    pub kind: &'s Kind,
    /// Whether the provider may set it.
    pub computed: bool,
    /// Whether a change forces a replacement.
    pub force_new: bool,
    /// The default.
    pub default: Option<&'s SdkValue>,
    /// The form of the configured value.
    pub state_func: Option<&'s Canon>,
    /// The changes that do not count.
    pub suppress: Option<&'s Equiv>,
}

impl<'s> Spec<'s> {
    /// A field.
    pub fn field(field: &'s Field) -> Spec<'s> {
        Spec::One(Own {
            kind: &field.kind,
            computed: field.computed,
            force_new: field.force_new,
            default: field.default.as_ref(),
            state_func: field.state_func.as_ref(),
            suppress: field.diff_suppress.as_ref(),
        })
    }

    /// The elements of a list or set.
    pub fn element(elem: &'s Elem, force_new: bool) -> Spec<'s> {
        match elem {
            Elem::Resource(resource) => Spec::Object(resource),
            Elem::Kind(kind) => {
                Spec::One(Own { kind, computed: false, force_new, default: None, state_func: None, suppress: None })
            }
        }
    }
}

/// The names of fields on the way to an address.
pub fn names(address: &[Step]) -> Vec<String> {
    let name = |step: &Step| if let Step::Name(name) = step { Some(name.clone()) } else { None };
    address.iter().filter_map(name).collect()
}

/// Places of a schema, by the names on the way.
pub type Places = BTreeSet<Vec<String>>;

/// The field of a key, and the key's address; `None` where the key ends elsewhere.
pub fn field_of<'s>(fields: &'s Named<Field>, key: &[String]) -> Option<(Address, &'s Field)> {
    let (name, mut rest) = key.split_first()?;
    let field = fields.get(name)?;
    let mut address = vec![Step::Name(name.clone())];
    let mut kind = &field.kind;
    if rest.is_empty() {
        return Some((address, field));
    }
    loop {
        let (part, further) = rest.split_first()?;
        let elem = match kind {
            Kind::List(elem) => {
                address.push(Step::Index(part.parse().ok()?));
                elem
            }
            Kind::Set(elem) => {
                address.push(Step::Code(part.clone()));
                elem
            }
            Kind::Primitive(_) | Kind::Map(_) => return None,
        };
        rest = further;
        match elem {
            Elem::Kind(inner) => kind = inner,
            Elem::Resource(resource) => {
                let (below, field) = field_of(resource.fields(), rest)?;
                address.extend(below);
                return Some((address, field));
            }
        }
    }
}

/// The nesting mode and the content of a field that is a block for Core.
pub fn block_of(field: &Field) -> Option<(Nesting, &Resource)> {
    let (nesting, elem) = match &field.kind {
        Kind::List(elem) => (Nesting::List, elem),
        Kind::Set(elem) => (Nesting::Set, elem),
        _ => return None,
    };
    let Elem::Resource(resource) = elem else { return None };
    let is_block = match field.config_mode {
        ConfigMode::Block => true,
        ConfigMode::Attr => false,
        ConfigMode::Auto => !field.computed || field.optional,
    };
    is_block.then_some((nesting, resource))
}

/// The type of a field's values.
pub fn type_of(kind: &Kind) -> Ty {
    let element = |elem: &Elem| match elem {
        Elem::Kind(kind) => type_of(kind),
        Elem::Resource(resource) => object_type(resource.fields()),
    };
    match kind {
        Kind::Primitive(primitive) => type_of_primitive(*primitive),
        Kind::Map(primitive) => Ty::Map(Arc::new(type_of_primitive(*primitive))),
        Kind::List(elem) => Ty::List(Arc::new(element(elem))),
        Kind::Set(elem) => Ty::Set(Arc::new(element(elem))),
    }
}

fn type_of_primitive(primitive: Primitive) -> Ty {
    match primitive {
        Primitive::Bool => Ty::Bool,
        Primitive::Int | Primitive::Float => Ty::Number,
        Primitive::String => Ty::String,
    }
}

/// The type of a resource's objects.
pub fn object_type(fields: &Named<Field>) -> Ty {
    Ty::plain_object(fields.iter().map(|(name, field)| (name.as_str(), type_of(&field.kind))))
}

/// The type of whole objects: with the id.
pub fn root_type(fields: &Named<Field>) -> Ty {
    let own = fields.iter().map(|(name, field)| (name.as_str(), type_of(&field.kind)));
    let id = if fields.get("id").is_none() { Some(("id", Ty::String)) } else { None };
    Ty::plain_object(own.chain(id))
}

/// Z02.
pub fn core_block(fields: &Named<Field>, is_root: bool) -> Block {
    let mut attributes = Vec::new();
    let mut block_types = Vec::new();
    for (name, field) in fields.iter() {
        if let Some((nesting, resource)) = block_of(field) {
            let max_items = i64::try_from(field.max_items).unwrap_or(i64::MAX);
            let least = i64::try_from(field.min_items).unwrap_or(i64::MAX);
            let min_items = match (field.required, field.optional) {
                (true, _) => least.max(1),
                (false, true) => 0,
                (false, false) => least,
            };
            let block = core_block(resource.fields(), false);
            block_types.push((name.clone(), NestedBlock { nesting, block, min_items, max_items }));
            continue;
        }
        let mut attribute = Attribute::new(Shape::Leaf(type_in_core(&type_of(&field.kind))));
        attribute.required = field.required;
        attribute.optional = field.optional;
        attribute.computed = field.computed;
        attribute.write_only = field.write_only;
        attributes.push((name.clone(), attribute));
    }
    if is_root && fields.get("id").is_none() {
        let mut id = Attribute::new(Shape::Leaf(Type::String));
        id.optional = true;
        id.computed = true;
        attributes.push((Text::new("id"), id));
    }
    Block { attributes: Named::new(attributes), block_types: Named::new(block_types), ..Block::default() }
}

fn type_in_core(ty: &Ty) -> Type {
    match ty {
        Ty::Bool => Type::Bool,
        Ty::Number => Type::Number,
        Ty::String => Type::String,
        Ty::List(element) => Type::list(type_in_core(element)),
        Ty::Set(element) => Type::set(type_in_core(element)),
        Ty::Map(element) => Type::map(type_in_core(element)),
        Ty::Object(attributes) => {
            Type::object(attributes.iter().map(|of| (Text::new(&of.name), type_in_core(&of.ty))).collect::<Vec<_>>())
        }
        Ty::Dynamic | Ty::Tuple(_) => Type::Dynamic,
    }
}
