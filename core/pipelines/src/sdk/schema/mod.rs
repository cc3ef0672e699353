//! SDK schemas (Z01): fields with the behaviour that the SDK implements.

mod core;
mod from_core;
mod json;

pub use from_core::NoSdkForm;

use planfuzz_core::schema::Named;
use planfuzz_core::value::Text;

use super::value::SdkValue;
use crate::expression::{Canon, Equiv};

/// The name of the attribute that every resource has (Z02).
pub const ID: &str = "id";

/// The schema of a resource: its fields by name, `id` not among them.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    resource: Resource,
}

/// Fields by name: of a resource, or of the elements of a list or set.
#[derive(Clone, Debug, PartialEq)]
pub struct Resource {
    fields: Named<Field>,
    /// Whether no field can be configured (Z32).
    only_computed: bool,
}

/// A field (Z01).
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The kind of its values.
    pub kind: Kind,
    /// Whether the configuration must set it.
    pub required: bool,
    /// Whether the configuration may set it.
    pub optional: bool,
    /// Whether the provider may set it.
    pub computed: bool,
    /// Whether its values are never stored (Z113).
    pub write_only: bool,
    /// Whether a change asks for replacement.
    pub force_new: bool,
    /// The value if nothing is configured; of its kind, which is primitive.
    pub default: Option<SdkValue>,
    /// The form in which the configured value is stored (Z62).
    pub state_func: Option<Canon>,
    /// The equivalence whose changes are suppressed (Z63).
    pub diff_suppress: Option<Equiv>,
    /// Whether they are suppressed at read too (Z141).
    pub suppress_on_refresh: bool,
    /// How a resource is configured (Z02).
    pub config_mode: ConfigMode,
    /// The least number of elements; validation only.
    pub min_items: u64,
    /// The greatest number of elements, 0 for no limit; validation only.
    pub max_items: u64,
}

/// The kind of a field's values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One value.
    Primitive(Primitive),
    /// A sequence.
    List(Elem),
    /// Elements under the codes of their texts (Z30).
    Set(Elem),
    /// A string-keyed table of primitive values.
    Map(Primitive),
}

/// The primitive kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Primitive {
    /// Truth values.
    Bool,
    /// Whole numbers.
    Int,
    /// Floats of 64 bits.
    Float,
    /// Strings.
    String,
}

/// The kind of the elements of a list or set.
#[derive(Clone, Debug, PartialEq)]
pub enum Elem {
    /// Values of a kind.
    Kind(Box<Kind>),
    /// Objects.
    Resource(Resource),
}

impl Eq for Elem {}

/// How a list or set of a resource is configured (Z02).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ConfigMode {
    /// As an attribute where it is computed and not optional, else as a block.
    #[default]
    Auto,
    /// As an attribute.
    Attr,
    /// As a block.
    Block,
}

impl Schema {
    /// The schema of these fields.
    pub fn new(fields: Named<Field>) -> Schema {
        Schema { resource: Resource::new(fields) }
    }

    /// The fields.
    pub fn fields(&self) -> &Named<Field> {
        &self.resource.fields
    }

    /// The fields as a resource.
    pub(super) fn resource(&self) -> &Resource {
        &self.resource
    }

    /// The field at a flat path; `None` for counts, elements and map entries.
    pub(super) fn field_at_path(&self, path: &str) -> Option<&Field> {
        let mut resource = &self.resource;
        let mut parts = path.split('.');
        loop {
            let field = resource.fields.get(parts.next()?)?;
            if parts.next().is_none() {
                return Some(field);
            }
            match &field.kind {
                Kind::List(Elem::Resource(inner)) | Kind::Set(Elem::Resource(inner)) => resource = inner,
                _ => return None,
            }
        }
    }

    /// Whether any field suppresses changes at read (Z141).
    pub(super) fn has_suppression_on_refresh(&self) -> bool {
        has_suppression_on_refresh(&self.resource)
    }

    /// The field at a path, mutable.
    pub(super) fn field_at_mut<'p>(&mut self, mut parts: impl Iterator<Item = &'p str>) -> Option<&mut Field> {
        let mut resource = &mut self.resource;
        loop {
            let field = resource.fields.get_mut(parts.next()?)?;
            if parts.next().is_none() {
                return Some(field);
            }
            match &mut field.kind {
                Kind::List(Elem::Resource(inner)) | Kind::Set(Elem::Resource(inner)) => resource = inner,
                _ => return None,
            }
        }
    }
}

impl Resource {
    /// A resource of these fields.
    pub fn new(fields: Named<Field>) -> Resource {
        let only_computed = !fields.values().any(Field::is_configurable);
        Resource { fields, only_computed }
    }

    /// The fields.
    pub fn fields(&self) -> &Named<Field> {
        &self.fields
    }

    /// Whether no field can be configured (Z32).
    pub fn is_only_computed(&self) -> bool {
        self.only_computed
    }
}

impl Field {
    /// A field of a kind with everything else off.
    pub fn new(kind: Kind) -> Field {
        Field {
            kind,
            required: false,
            optional: false,
            computed: false,
            write_only: false,
            force_new: false,
            default: None,
            state_func: None,
            diff_suppress: None,
            suppress_on_refresh: false,
            config_mode: ConfigMode::Auto,
            min_items: 0,
            max_items: 0,
        }
    }

    /// Whether the configuration can set it.
    pub fn is_configurable(&self) -> bool {
        self.optional || self.required
    }

    /// Whether Core sees a block type (Z02).
    pub fn is_block(&self) -> bool {
        let (Kind::List(Elem::Resource(_)) | Kind::Set(Elem::Resource(_))) = &self.kind else { return false };
        match self.config_mode {
            ConfigMode::Auto => !self.computed || self.optional,
            ConfigMode::Attr => false,
            ConfigMode::Block => true,
        }
    }
}

impl Primitive {
    /// All primitive kinds.
    pub const ALL: [Primitive; 4] = [Primitive::Bool, Primitive::Int, Primitive::Float, Primitive::String];

    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Primitive::Bool => "bool",
            Primitive::Int => "int",
            Primitive::Float => "float",
            Primitive::String => "string",
        }
    }
}

impl ConfigMode {
    /// All modes.
    pub const ALL: [ConfigMode; 3] = [ConfigMode::Auto, ConfigMode::Attr, ConfigMode::Block];

    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            ConfigMode::Auto => "auto",
            ConfigMode::Attr => "attr",
            ConfigMode::Block => "block",
        }
    }
}

fn has_suppression_on_refresh(resource: &Resource) -> bool {
    resource.fields.values().any(|field| {
        field.suppress_on_refresh
            || match &field.kind {
                Kind::List(Elem::Resource(inner)) | Kind::Set(Elem::Resource(inner)) => {
                    has_suppression_on_refresh(inner)
                }
                _ => false,
            }
    })
}

/// The properties of a field for reading and diffing; for an element that is no resource, its kind and what it takes from the whole.
#[derive(Clone, Copy, Debug)]
pub(super) struct FieldRef<'s> {
    pub kind: &'s Kind,
    pub computed: bool,
    pub force_new: bool,
    pub default: Option<&'s SdkValue>,
    pub state_func: Option<&'s Canon>,
    pub diff_suppress: Option<&'s Equiv>,
}

impl<'s> FieldRef<'s> {
    /// An element of a kind.
    pub fn element(kind: &'s Kind, force_new: bool) -> FieldRef<'s> {
        FieldRef { kind, computed: false, force_new, default: None, state_func: None, diff_suppress: None }
    }
}

impl<'s> From<&'s Field> for FieldRef<'s> {
    fn from(field: &'s Field) -> FieldRef<'s> {
        FieldRef {
            kind: &field.kind,
            computed: field.computed,
            force_new: field.force_new,
            default: field.default.as_ref(),
            state_func: field.state_func.as_ref(),
            diff_suppress: field.diff_suppress.as_ref(),
        }
    }
}

/// The name of a thing by its kind, for messages.
pub(super) fn kind_name(kind: &Kind) -> &'static str {
    match kind {
        Kind::Primitive(primitive) => primitive.name(),
        Kind::List(_) => "list",
        Kind::Set(_) => "set",
        Kind::Map(_) => "map",
    }
}

/// Normalizes a name to NFC, as attribute names are.
pub(super) fn name(text: &str) -> Text {
    Text::new(text)
}
