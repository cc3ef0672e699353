//! Changes (PL05).

use super::action::Action;
use super::marked::Marked;
use crate::value::Text;

/// A change of an object (PL05, PL06), decoded.
#[derive(Clone, Debug)]
pub struct Change {
    /// What is done.
    pub action: Action,
    /// The object as it is; null of its type for a creation, of the dynamic type where nothing was there (L120).
    pub before: Marked,
    /// The object as it is to be, maybe with unknowns; null for a deletion.
    pub after: Marked,
    /// What is imported first, if anything (L22).
    pub importing: Option<Importing>,
}

/// What a change imports first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Importing {
    /// The id that the provider was asked for.
    pub id: Text,
}
