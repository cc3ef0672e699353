//! The content of a block of configuration, whatever the syntax.

use planfuzz_core::value::{Text, Value};

/// The contents of a block.
#[derive(Clone, Debug, Default)]
pub struct Body {
    /// What is written for attributes, in order.
    pub attributes: Vec<(Text, Given)>,
    /// The nested blocks, in order.
    pub blocks: Vec<Written>,
    /// The names of nested blocks of which some only evaluation gives (`dynamic`).
    pub open_blocks: Vec<Text>,
}

/// A nested block.
#[derive(Clone, Debug)]
pub struct Written {
    /// Its type.
    pub name: Text,
    /// Its labels.
    pub labels: Vec<Text>,
    /// Its contents.
    pub body: Body,
}

/// What is written for an attribute.
#[derive(Clone, Debug)]
pub enum Given {
    /// A value, of the type that it has by itself: objects and tuples, not maps and lists.
    Literal(Value),
    /// Something to evaluate.
    Open(NotLiteral),
}

/// Why an attribute is not literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, thiserror::Error)]
pub enum NotLiteral {
    /// It refers to something else.
    #[error("a reference")]
    Reference,
    /// It is a function call.
    #[error("a function call")]
    Function,
    /// A text with parts to evaluate.
    #[error("a template")]
    Template,
    /// An operation, a condition or a loop.
    #[error("an expression")]
    Expression,
    /// A number that values cannot hold.
    #[error("a number that cannot be read")]
    Number,
    /// A key of an object that is no text, or is there twice.
    #[error("a key that is no text")]
    Key,
}

impl Body {
    /// What is written for an attribute; the last if there are several.
    pub fn attribute(&self, name: &str) -> Option<&Given> {
        self.attributes.iter().rev().find(|(probe, _)| **probe == *name).map(|(_, given)| given)
    }

    /// The nested blocks of a type, in order.
    pub fn blocks_of<'b>(&'b self, name: &'b str) -> impl Iterator<Item = &'b Written> {
        self.blocks.iter().filter(move |block| *block.name == *name)
    }

    /// Whether some nested blocks of a type are only known by evaluation.
    pub fn is_open(&self, name: &str) -> bool {
        self.open_blocks.iter().any(|probe| **probe == *name)
    }
}
