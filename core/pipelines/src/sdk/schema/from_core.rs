//! From a Core schema to an SDK schema, for comparing the styles (Z04).

use planfuzz_core::schema::{self, Attribute, Block, Named, NestedBlock, Nesting, Shape};
use planfuzz_core::value::{Path, Type};

use super::{ConfigMode, Elem, Field, ID, Kind, Primitive, Resource, Schema};

/// A part of a Core schema that the SDK cannot declare (Z03).
#[derive(Clone, Debug, thiserror::Error)]
#[error("{path}: {what} has no form in the SDK (Z03)")]
pub struct NoSdkForm {
    /// Where in the schema, by names.
    pub path: Path,
    /// The part without an SDK form.
    pub what: &'static str,
}

impl Schema {
    /// An SDK schema whose Core schema is this one, except for what Z02 does not distinguish; a top-level `id` is the SDK's own. Numbers
    /// become floats, which accept every whole number too.
    ///
    /// # Errors
    /// Shapes that the SDK cannot declare (Z03).
    pub fn from_core(core: &schema::Schema) -> Result<Schema, NoSdkForm> {
        let mut fields = fields_of(&core.block, &Path::root())?;
        fields.retain(|(name, _)| &**name != ID);
        Ok(Schema::new(Named::new(fields)))
    }
}

type Fields = Vec<(planfuzz_core::value::Text, Field)>;

fn fields_of(block: &Block, at: &Path) -> Result<Fields, NoSdkForm> {
    let mut fields = Vec::new();
    for (name, attribute) in block.attributes.iter() {
        fields.push((name.clone(), attribute_field(attribute, &at.attribute(name))?));
    }
    for (name, nested) in block.block_types.iter() {
        fields.push((name.clone(), block_field(nested, &at.attribute(name))?));
    }
    Ok(fields)
}

fn attribute_field(attribute: &Attribute, at: &Path) -> Result<Field, NoSdkForm> {
    let Shape::Leaf(ty) = &attribute.shape else { return Err(none(at, "a nested attribute")) };
    let kind = kind_of(ty, at)?;
    let is_resource = matches!(kind, Kind::List(Elem::Resource(_)) | Kind::Set(Elem::Resource(_)));
    let is_attribute_anyway = attribute.computed && !attribute.optional;
    Ok(Field {
        required: attribute.required,
        optional: attribute.optional,
        computed: attribute.computed,
        write_only: attribute.write_only,
        config_mode: if is_resource && !is_attribute_anyway { ConfigMode::Attr } else { ConfigMode::Auto },
        ..Field::new(kind)
    })
}

fn block_field(nested: &NestedBlock, at: &Path) -> Result<Field, NoSdkForm> {
    let elem = Elem::Resource(Resource::new(Named::new(fields_of(&nested.block, at)?)));
    let kind = match nested.nesting {
        Nesting::List => Kind::List(elem),
        Nesting::Set => Kind::Set(elem),
        Nesting::Single | Nesting::Group | Nesting::Map => {
            return Err(none(at, "a block of another mode than list or set"));
        }
    };
    let count = |count: i64| u64::try_from(count).unwrap_or(0);
    Ok(Field {
        required: nested.min_items > 0,
        optional: nested.min_items <= 0,
        min_items: count(nested.min_items),
        max_items: count(nested.max_items),
        ..Field::new(kind)
    })
}

fn kind_of(ty: &Type, at: &Path) -> Result<Kind, NoSdkForm> {
    match ty {
        Type::Bool | Type::Number | Type::String => Ok(Kind::Primitive(primitive(ty, at)?)),
        Type::List(element) => Ok(Kind::List(elem_of(element, at)?)),
        Type::Set(element) => Ok(Kind::Set(elem_of(element, at)?)),
        Type::Map(element) => Ok(Kind::Map(primitive(element, at)?)),
        Type::Object(_) => Err(none(at, "an object that is no element")),
        Type::Tuple(_) => Err(none(at, "a tuple")),
        Type::Dynamic => Err(none(at, "dynamic")),
    }
}

/// The fields of an object have no flags of their own in Core; configured as part of the attribute, they are optional.
fn elem_of(ty: &Type, at: &Path) -> Result<Elem, NoSdkForm> {
    let Some(object) = ty.as_object() else { return Ok(Elem::Kind(Box::new(kind_of(ty, at)?))) };
    let mut fields = Vec::new();
    for attribute in object.attributes() {
        let kind = kind_of(&attribute.ty, &at.attribute(&attribute.name))?;
        let is_resource = matches!(kind, Kind::List(Elem::Resource(_)) | Kind::Set(Elem::Resource(_)));
        let config_mode = if is_resource { ConfigMode::Attr } else { ConfigMode::Auto };
        fields.push((attribute.name.clone(), Field { optional: true, config_mode, ..Field::new(kind) }));
    }
    Ok(Elem::Resource(Resource::new(Named::new(fields))))
}

fn primitive(ty: &Type, at: &Path) -> Result<Primitive, NoSdkForm> {
    match ty {
        Type::Bool => Ok(Primitive::Bool),
        Type::Number => Ok(Primitive::Float),
        Type::String => Ok(Primitive::String),
        _ => Err(none(at, "a map of anything but primitive values")),
    }
}

fn none(at: &Path, what: &'static str) -> NoSdkForm {
    NoSdkForm { path: at.clone(), what }
}
