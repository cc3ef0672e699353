//! Changes (PL05).

use super::action::Action;
use super::dynamic_value::DynamicValue;
use super::marked::Marked;
use crate::value::Text;

/// A change of an object (PL05, PL06): decoded, or [encoded](super::EncodedChange).
#[derive(Clone, Debug, PartialEq)]
pub struct Change<V = Marked> {
    /// The action.
    pub action: Action,
    /// The object before the change; null of its type for a creation, of the dynamic type where there was no object
    /// (L120).
    pub before: V,
    /// The object after the change, maybe with unknowns; null for a deletion.
    pub after: V,
    /// The import that precedes the change, if there is one (L22).
    pub importing: Option<Importing>,
}

/// The import that precedes a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Importing {
    /// By an id, which is sent to the provider.
    Id(Text),
    /// Terraform: by an id that is not known yet, in a deferred change.
    Unknown,
    /// OpenTofu: by an identity, written against the type of the provider's schema of identities.
    Identity {
        /// The id beside it; maybe empty.
        id: Text,
        /// The identity.
        identity: DynamicValue,
    },
}
