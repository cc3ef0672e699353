//! Bodies without a schema: attributes and blocks of the native syntax, members of the JSON syntax.
//!
//! In native syntax the text distinguishes attributes and blocks. In JSON only a schema does (E08), so a body stays as it is written until
//! its contents are read by one ([`super::content()`]).

use planfuzz_core::value::Text;

use crate::json::{Json, Member};
use crate::place::SourcePlace;

/// The contents of a block or of a file, in either syntax.
#[derive(Clone, Debug)]
pub enum Body {
    /// Native.
    Native(NativeBody),
    /// JSON: the members of all objects that make the body (E09), without comments.
    Json(JsonBody),
}

/// A body in native syntax.
#[derive(Clone, Debug, Default)]
pub struct NativeBody {
    /// In the order of the text, with unique names.
    pub attributes: Vec<Attribute>,
    /// In the order of the text.
    pub blocks: Vec<Block>,
    /// The place of diagnostics about missing items: the brace that opens the body.
    pub missing: SourcePlace,
}

/// A body in JSON syntax.
#[derive(Clone, Debug, Default)]
pub struct JsonBody {
    /// In the order of the text; a name may repeat.
    pub members: Vec<Member>,
    /// The place of diagnostics about missing items.
    pub missing: SourcePlace,
    /// The places of values that should be objects and are not.
    pub malformed: Vec<SourcePlace>,
    /// The places of nulls and arrays instead of objects: bodies all the same, and an error if everything is an argument.
    pub not_objects: Vec<SourcePlace>,
}

/// A name and its place.
#[derive(Clone, Debug, Default)]
pub struct Name {
    /// The name.
    pub text: Text,
    /// Its place.
    pub place: SourcePlace,
}

/// An argument.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// Its name.
    pub name: Name,
    /// Its value.
    pub value: Written,
}

/// The value of an argument as it is written.
#[derive(Clone, Debug)]
pub enum Written {
    /// The text at a place.
    Native(SourcePlace),
    /// A JSON value.
    Json(Json),
}

/// A nested block.
#[derive(Clone, Debug)]
pub struct Block {
    /// Its type.
    pub kind: Name,
    /// Its labels, without quotes.
    pub labels: Vec<Name>,
    /// Its contents.
    pub body: Body,
    /// The place of its type and labels; in JSON the beginning of its body.
    pub header: SourcePlace,
    /// The place of the brace that opens its body; in JSON the beginning of its body.
    pub open: SourcePlace,
}

impl Body {
    /// The place of diagnostics about missing items.
    pub fn missing(&self) -> SourcePlace {
        match self {
            Body::Native(body) => body.missing,
            Body::Json(body) => body.missing,
        }
    }

    /// Whether it has no items.
    pub fn is_empty(&self) -> bool {
        match self {
            Body::Native(body) => body.attributes.is_empty() && body.blocks.is_empty(),
            Body::Json(body) => body.members.is_empty(),
        }
    }
}

impl Written {
    /// The whole place.
    pub fn place(&self) -> SourcePlace {
        match self {
            Written::Native(place) => *place,
            Written::Json(json) => json.place,
        }
    }

    /// The place of diagnostics about an invalid value: all of it; of arrays and objects in JSON the bracket.
    pub fn start(&self) -> SourcePlace {
        match self {
            Written::Native(place) => *place,
            Written::Json(json) => json.start_place(),
        }
    }
}

impl Attribute {
    /// The place of the name and the value.
    pub fn place(&self) -> SourcePlace {
        self.name.place.to(self.value.place())
    }
}

impl Name {
    /// A name at a place.
    pub fn new(text: &str, place: SourcePlace) -> Self {
        Self { text: Text::new(text), place }
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Name) -> bool {
        self.text == other.text
    }
}
