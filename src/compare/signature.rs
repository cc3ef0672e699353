//! Signatures: what makes two findings the same.
//!
//! A signature has the operation, the kind of verdict and the *kind* of place where it shows, never a name, index or key:
//! names are invented afresh for every case. The shrinker keeps the signature while it makes the case smaller.

use std::fmt;

use planfuzz_core::schema::{Attribute, Block, NestedType, Nesting, Shape};
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
        Place::Life(place) => kind_of_path(block, &place.path),
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

/// A member of a block or nested type: what is inside, its kind, and its mode.
struct Member<'s> {
    inside: At<'s>,
    kind: String,
    nesting: Option<Nesting>,
}

fn kind_of_path(block: &Block, path: &WrittenPath) -> String {
    let mut at = At::Block(block);
    let mut kind = "root".to_owned();
    let mut before_element = false;
    for step in path.steps() {
        // For mode map the engines write the key as an attribute step: it may have the name of a member.
        if before_element {
            kind.push_str("[]");
            before_element = false;
            continue;
        }
        if matches!(at, At::Leaf) {
            return "leaf".to_owned();
        }
        let member = match step {
            WrittenStep::Attribute(name) => member(&at, name),
            WrittenStep::Index(_) | WrittenStep::Key(_) | WrittenStep::Element => None,
        };
        let Some(member) = member else { return "unknown_member".to_owned() };
        (at, kind) = (member.inside, member.kind);
        before_element = matches!(member.nesting, Some(Nesting::List | Nesting::Set | Nesting::Map));
    }
    kind
}

fn member<'s>(at: &At<'s>, name: &str) -> Option<Member<'s>> {
    let attribute = match at {
        At::Block(block) => {
            if let Some(nested) = block.block_types.get(name) {
                let (kind, nesting) = (format!("block_{}", nested.nesting.name()), Some(nested.nesting));
                return Some(Member { inside: At::Block(&nested.block), kind, nesting });
            }
            block.attributes.get(name)?
        }
        At::Nested(nested) => nested.attributes.get(name)?,
        At::Leaf => return None,
    };
    Some(of_attribute(attribute))
}

fn of_attribute(attribute: &Attribute) -> Member<'_> {
    match &attribute.shape {
        Shape::Leaf(_) => Member { inside: At::Leaf, kind: "attribute".to_owned(), nesting: None },
        Shape::Nested(nested) => {
            let kind = format!("nested_{}", nested.nesting.name());
            Member { inside: At::Nested(nested), kind, nesting: Some(nested.nesting) }
        }
    }
}

#[cfg(test)]
mod tests {
    use planfuzz_core::schema::Schema;

    use super::*;

    #[test]
    fn a_key_is_an_element_even_where_it_has_the_name_of_a_member() {
        let schema = r#"{"block": {"block_types": {"m": {"nesting_mode": "map", "block": {
            "attributes": {"k": {"type": ["list", "string"], "optional": true}}}}}}}"#;
        let schema = Schema::parse(schema).expect("a schema");
        let kind = |path: &str| kind_of_place(&schema.block, &Place::Text(path.to_owned()));
        assert_eq!(kind(""), "root");
        assert_eq!(kind(".m"), "block_map");
        assert_eq!(kind(".m.k"), "block_map[]");
        assert_eq!(kind(".m[\"k\"].k"), "attribute");
        assert_eq!(kind(".m.k.k[0]"), "leaf");
        assert_eq!(kind(".none"), "unknown_member");
        assert_eq!(kind(".m.k.none"), "unknown_member");
    }
}
