//! The kind of place where a finding shows.

use std::fmt;
use std::str::FromStr;

use planfuzz_core::schema::{Attribute, Block, NestedType, Nesting, Shape};
use planfuzz_core::value::{WrittenPath, WrittenStep};

use super::SignatureError;
use crate::compare::difference::Place;

/// The kind of a place in a schema; a word if the finding has no place in a schema.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PlaceKind {
    /// The whole object, or no place at all.
    Root,
    /// A leaf attribute.
    Attribute,
    /// The inside of a leaf attribute.
    Leaf,
    /// A nested attribute, or a nested block.
    Inner {
        /// Whether it is a block.
        is_block: bool,
        /// Its mode.
        nesting: Nesting,
        /// Whether the place is at an element of it.
        element: bool,
    },
    /// A member that the schema does not have.
    UnknownMember,
    /// A path that cannot be read.
    Unreadable,
    /// A word for the difference in an expression or a workspace.
    Word(Word),
}

/// A word for a place. It differs from the names of the other kinds.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Word(String);

impl PlaceKind {
    /// The kind of a place in a block.
    pub fn of(block: &Block, place: &Place) -> PlaceKind {
        match place {
            Place::Path(path) => of_path(block, &WrittenPath::from(path)),
            Place::Trace(place) => of_path(block, &place.path),
            Place::Text(text) => match WrittenPath::parse(text) {
                Ok(path) => of_path(block, &path),
                Err(_) => PlaceKind::Unreadable,
            },
        }
    }

    /// The kind of a place that is not in a schema, from a text that describes the difference.
    pub fn of_text(text: &str) -> PlaceKind {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
        let word: String = text.chars().map(plain).collect();
        PlaceKind::named(&word).unwrap_or(PlaceKind::Word(Word(word)))
    }

    /// The place without details in which one bug varies from case to case: how the contents of a member are nested, and whether it is at an
    /// element.
    pub(super) fn generalised(&self) -> String {
        match self {
            PlaceKind::Leaf => PlaceKind::Attribute.to_string(),
            PlaceKind::Inner { is_block, .. } => inner(*is_block).to_owned(),
            other => other.to_string(),
        }
    }

    fn named(name: &str) -> Option<PlaceKind> {
        let place = match name {
            "root" => PlaceKind::Root,
            "attribute" => PlaceKind::Attribute,
            "leaf" => PlaceKind::Leaf,
            "unknown_member" => PlaceKind::UnknownMember,
            "unreadable" => PlaceKind::Unreadable,
            _ => {
                let (kind, mode) = name.split_once('_')?;
                let is_block = [false, true].into_iter().find(|is_block| inner(*is_block) == kind)?;
                let (mode, element) = mode.strip_suffix(ELEMENT).map_or((mode, false), |mode| (mode, true));
                let nesting = Nesting::ALL.into_iter().find(|nesting| nesting.name() == mode)?;
                PlaceKind::Inner { is_block, nesting, element }
            }
        };
        Some(place)
    }
}

/// Marks an element.
const ELEMENT: &str = "[]";

fn inner(is_block: bool) -> &'static str {
    if is_block { "block" } else { "nested" }
}

impl fmt::Display for PlaceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlaceKind::Root => f.write_str("root"),
            PlaceKind::Attribute => f.write_str("attribute"),
            PlaceKind::Leaf => f.write_str("leaf"),
            PlaceKind::Inner { is_block, nesting, element } => {
                let element = if *element { ELEMENT } else { "" };
                write!(f, "{}_{}{element}", inner(*is_block), nesting.name())
            }
            PlaceKind::UnknownMember => f.write_str("unknown_member"),
            PlaceKind::Unreadable => f.write_str("unreadable"),
            PlaceKind::Word(Word(word)) => f.write_str(word),
        }
    }
}

impl FromStr for PlaceKind {
    type Err = SignatureError;

    fn from_str(text: &str) -> Result<PlaceKind, SignatureError> {
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        match PlaceKind::named(text) {
            Some(place) => Ok(place),
            None if text.chars().all(is_plain) => Ok(PlaceKind::Word(Word(text.to_owned()))),
            None => Err(SignatureError::Place(text.to_owned())),
        }
    }
}

/// The position of a walk along a path.
enum At<'s> {
    Block(&'s Block),
    Nested(&'s NestedType),
    Leaf,
}

/// A member of a block or nested type: its contents, its kind, and its mode.
struct Member<'s> {
    inside: At<'s>,
    kind: PlaceKind,
    nesting: Option<Nesting>,
}

fn of_path(block: &Block, path: &WrittenPath) -> PlaceKind {
    let mut at = At::Block(block);
    let mut kind = PlaceKind::Root;
    let mut before_element = false;
    for step in path.steps() {
        // For mode map the engines write the key as an attribute step, so the key may equal the name of a member.
        if before_element {
            if let PlaceKind::Inner { element, .. } = &mut kind {
                *element = true;
            }
            before_element = false;
            continue;
        }
        if matches!(at, At::Leaf) {
            return PlaceKind::Leaf;
        }
        let member = match step {
            WrittenStep::Attribute(name) => member(&at, name),
            WrittenStep::Index(_) | WrittenStep::Key(_) | WrittenStep::Element => None,
        };
        let Some(member) = member else { return PlaceKind::UnknownMember };
        (at, kind) = (member.inside, member.kind);
        before_element = matches!(member.nesting, Some(Nesting::List | Nesting::Set | Nesting::Map));
    }
    kind
}

fn member<'s>(at: &At<'s>, name: &str) -> Option<Member<'s>> {
    let attribute = match at {
        At::Block(block) => {
            if let Some(nested) = block.block_types.get(name) {
                return Some(of_inner(At::Block(&nested.block), true, nested.nesting));
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
        Shape::Leaf(_) => Member { inside: At::Leaf, kind: PlaceKind::Attribute, nesting: None },
        Shape::Nested(nested) => of_inner(At::Nested(nested), false, nested.nesting),
    }
}

fn of_inner(inside: At<'_>, is_block: bool, nesting: Nesting) -> Member<'_> {
    Member { inside, kind: PlaceKind::Inner { is_block, nesting, element: false }, nesting: Some(nesting) }
}
