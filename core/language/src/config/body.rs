//! Bodies before anyone knows what belongs there: attributes and blocks of the native syntax, members of the JSON syntax.
//!
//! In native syntax the text says what is an attribute and what a block. In JSON only the schema of the place does (E08), so a body
//! stays as it is written until something asks for its contents ([`super::content`]).

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
    /// In the order of the text, no name twice.
    pub attributes: Vec<Attribute>,
    /// In the order of the text.
    pub blocks: Vec<Block>,
    /// Where it is said that something is missing: the brace that opens it.
    pub missing: SourcePlace,
}

/// A body in JSON syntax.
#[derive(Clone, Debug, Default)]
pub struct JsonBody {
    /// In the order of the text, names as often as they are written.
    pub members: Vec<Member>,
    /// Where it is said that something is missing.
    pub missing: SourcePlace,
    /// What stands in the place of objects, and is none.
    pub malformed: Vec<SourcePlace>,
    /// Nulls in the place of objects: nothing stands in them, which is wrong where everything is an argument.
    pub nulls: Vec<SourcePlace>,
}

/// A name and where it is.
#[derive(Clone, Debug, Default)]
pub struct Name {
    /// What it says.
    pub text: Text,
    /// Where.
    pub place: SourcePlace,
}

/// An argument.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// Its name.
    pub name: Name,
    /// What is written for it.
    pub value: Written,
}

/// What is written for an argument.
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
    /// Its type and labels; in JSON what its body begins with.
    pub header: SourcePlace,
    /// The brace that opens its body; in JSON what its body begins with.
    pub open: SourcePlace,
}

impl Body {
    /// Where it is said that something is missing.
    pub fn missing(&self) -> SourcePlace {
        match self {
            Body::Native(body) => body.missing,
            Body::Json(body) => body.missing,
        }
    }

    /// Whether nothing is written.
    pub fn is_empty(&self) -> bool {
        match self {
            Body::Native(body) => body.attributes.is_empty() && body.blocks.is_empty(),
            Body::Json(body) => body.members.is_empty(),
        }
    }
}

impl Written {
    /// All of it.
    pub fn place(&self) -> SourcePlace {
        match self {
            Written::Native(place) => *place,
            Written::Json(json) => json.place,
        }
    }

    /// What a value that is no good is pointed at: all of it; in JSON the bracket of arrays and objects.
    pub fn start(&self) -> SourcePlace {
        match self {
            Written::Native(place) => *place,
            Written::Json(json) => json.start_place(),
        }
    }
}

impl Attribute {
    /// The name and what is written.
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
