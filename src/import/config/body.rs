//! What is written in a block, whatever the syntax.

use planfuzz_core::value::{Text, Value};

/// The contents of a block.
#[derive(Clone, Debug, Default)]
pub struct Body {
    /// What is written for attributes, in order.
    pub attributes: Vec<(Text, Given)>,
    /// The nested blocks, in order.
    pub blocks: Vec<Written>,
    /// The names of nested blocks of which there are some that only an evaluation could tell (`dynamic`).
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

/// Why what is written is not the value itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, thiserror::Error)]
pub enum NotLiteral {
    /// It names something else.
    #[error("a reference")]
    Reference,
    /// A function makes it.
    #[error("a function call")]
    Function,
    /// A text with parts to evaluate.
    #[error("a template")]
    Template,
    /// An operation, a condition or a loop.
    #[error("an expression")]
    Expression,
    /// A number that is none here.
    #[error("a number that cannot be read")]
    Number,
    /// A key of an object that is no text, or is there twice.
    #[error("a key that is no text")]
    Key,
}

impl Body {
    /// What is written for an attribute; of several the last.
    pub fn attribute(&self, name: &str) -> Option<&Given> {
        self.attributes.iter().rev().find(|(probe, _)| **probe == *name).map(|(_, given)| given)
    }

    /// The nested blocks of a type, in order.
    pub fn blocks_of<'b>(&'b self, name: &'b str) -> impl Iterator<Item = &'b Written> {
        self.blocks.iter().filter(move |block| *block.name == *name)
    }

    /// Whether there are nested blocks of a type that only an evaluation could tell.
    pub fn is_open(&self, name: &str) -> bool {
        self.open_blocks.iter().any(|probe| **probe == *name)
    }
}
