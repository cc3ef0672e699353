//! Changes (PL05).

use super::action::Action;
use super::dynamic_value::DynamicValue;
use super::marked::Marked;
use crate::value::Text;

/// A change of an object (PL05, PL06): decoded, or [encoded](super::EncodedChange).
#[derive(Clone, Debug, PartialEq)]
pub struct Change<V = Marked> {
    /// What is done.
    pub action: Action,
    /// The object as it is; null of its type for a creation, of the dynamic type where nothing was there (L120).
    pub before: V,
    /// The object as it is to be, maybe with unknowns; null for a deletion.
    pub after: V,
    /// What is imported first, if anything (L22).
    pub importing: Option<Importing>,
}

/// What a change imports first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Importing {
    /// What has an id, which the provider is asked for.
    Id(Text),
    /// Terraform: by an id that is not known yet, in a change that is put off.
    Unknown,
    /// OpenTofu: what has an identity, written against the type of the provider's schema of identities.
    Identity {
        /// The id beside it; maybe empty.
        id: Text,
        /// The identity.
        identity: DynamicValue,
    },
}
