//! Signatures: what makes two findings the same.
//!
//! A signature has the operation, the kind of verdict and the *kind* of place where it shows, never a name, index or key:
//! names are invented afresh for every case. The shrinker keeps the signature while it makes the case smaller.

use std::fmt;

use planfuzz_core::schema::{Attribute, Block, NestedType, Shape};
use planfuzz_core::value::{WrittenPath, WrittenStep};

use super::difference::Place;
use crate::case::Op;

/// What the findings of one bucket share.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Signature {
    /// The operation.
    pub op: Op,
    /// The kind of verdict and its class, rule or site: `diverge:null_known`, `rule_broken:M10`, `crash:merge.rs:7`.
    pub kind: String,
    /// The kind of place: `root`, `attribute`, `nested_list`, `block_set`, an element of one of these with `[]`, or
    /// `leaf` for the inside of a leaf attribute.
    pub place: String,
    /// The subjects that disagree, the first one first, or the one that is to blame.
    pub subjects: String,
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Signature { op, kind, place, subjects } = self;
        write!(f, "{op} {kind} {place} {subjects}")
    }
}

/// The kind of a place in a schema.
pub fn kind_of_place(block: &Block, place: &Place) -> String {
    match place {
        Place::Path(path) => kind_of_path(block, &WrittenPath::from(path)),
        Place::Text(text) => match WrittenPath::parse(text) {
            Ok(path) => kind_of_path(block, &path),
            Err(_) => "unreadable".to_owned(),
        },
    }
}

/// Where a walk along a path is.
enum At<'s> {
    Block(&'s Block),
    Nested(&'s NestedType),
    Leaf,
}

fn kind_of_path(block: &Block, path: &WrittenPath) -> String {
    let mut at = At::Block(block);
    let mut kind = "root".to_owned();
    for step in path.steps() {
        let member = match step {
            WrittenStep::Attribute(name) => member(&at, name),
            WrittenStep::Index(_) | WrittenStep::Key(_) | WrittenStep::Element => None,
        };
        match member {
            Some((next, name)) => (at, kind) = (next, name),
            None if matches!(at, At::Leaf) => return "leaf".to_owned(),
            // An element; for mode map the engines write the key as an attribute step.
            None if !kind.ends_with("[]") => kind.push_str("[]"),
            None => return "unknown_member".to_owned(),
        }
    }
    kind
}

fn member<'s>(at: &At<'s>, name: &str) -> Option<(At<'s>, String)> {
    let attribute = match at {
        At::Block(block) => {
            if let Some(nested) = block.block_types.get(name) {
                return Some((At::Block(&nested.block), format!("block_{}", nested.nesting.name())));
            }
            block.attributes.get(name)?
        }
        At::Nested(nested) => nested.attributes.get(name)?,
        At::Leaf => return None,
    };
    Some(of_attribute(attribute))
}

fn of_attribute(attribute: &Attribute) -> (At<'_>, String) {
    match &attribute.shape {
        Shape::Leaf(_) => (At::Leaf, "attribute".to_owned()),
        Shape::Nested(nested) => (At::Nested(nested), format!("nested_{}", nested.nesting.name())),
    }
}
