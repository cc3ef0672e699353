//! Changes with their values encoded (PL05, sections 2.2 and 2.3 of plan-files.md).

use super::error::NotAChange;
use crate::msgpack::encode;
use crate::plans::{Action, ActionReason, Change, Marked, NotEncodable, OfSide, ResourceInstanceChange};
use crate::state::{DeposedKey, Private};
use crate::value::{PathSet, Text, Type, WrittenPath};

/// A change of a resource instance (PL10).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// The address.
    pub addr: String,
    /// The address before moves; `None` where it is the same.
    pub prev_run_addr: Option<String>,
    /// The deposed object that changes; `None` for the current one.
    pub deposed: Option<DeposedKey>,
    /// The provider configuration (PL71).
    pub provider: String,
    /// The action and its values.
    pub values: Values,
    /// The private data that the provider gets back in the apply.
    pub private: Private,
    /// The paths that make this a replacement.
    pub required_replace: Vec<WrittenPath>,
    /// The reason, for people.
    pub reason: ActionReason,
}

/// An action and its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Values {
    /// The action.
    pub action: Action,
    /// The value before the change, as msgpack; `None` where files have no such value for the action.
    pub before: Option<Vec<u8>>,
    /// The value after the change, likewise. That of a no-op is the one before.
    pub after: Option<Vec<u8>>,
    /// The sensitive paths in the value before.
    pub before_sensitive: Vec<WrittenPath>,
    /// The sensitive paths in the value after.
    pub after_sensitive: Vec<WrittenPath>,
    /// The import that precedes the change, if there is one.
    pub importing: Option<Importing>,
    /// The configuration generated for an import; empty where there is none.
    pub generated_config: String,
    /// OpenTofu: the identity before, as msgpack.
    pub before_identity: Option<Vec<u8>>,
    /// OpenTofu: the identity after, as msgpack.
    pub after_identity: Option<Vec<u8>>,
}

/// The import that precedes a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Importing {
    /// By an id that is known.
    Id(String),
    /// Terraform: by an id that is not known yet.
    Unknown,
    /// OpenTofu: by an identity, as msgpack, beside the id if there is one.
    Identity {
        /// The id; maybe empty.
        id: String,
        /// The identity.
        identity: Vec<u8>,
    },
}

/// The values of an action in a file (PF30).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sides {
    /// One value, which is both.
    Same,
    Before,
    After,
    Both,
}

pub(super) fn sides(action: Action) -> Sides {
    match action {
        Action::NoOp => Sides::Same,
        Action::Create => Sides::After,
        Action::Delete | Action::Forget => Sides::Before,
        Action::Read
        | Action::Update
        | Action::DeleteThenCreate
        | Action::CreateThenDelete
        | Action::CreateThenForget
        | Action::ForgetThenCreate => Sides::Both,
    }
}

impl Values {
    /// An action with its values, all else empty.
    pub fn new(action: Action, before: Option<Vec<u8>>, after: Option<Vec<u8>>) -> Values {
        Values {
            action,
            before,
            after,
            before_sensitive: Vec::new(),
            after_sensitive: Vec::new(),
            importing: None,
            generated_config: String::new(),
            before_identity: None,
            after_identity: None,
        }
    }

    /// The change, its values read against a type (PL08).
    ///
    /// Generated configuration and identities are no part of it.
    ///
    /// # Errors
    /// Values that do not fit the type, and an identity without bytes.
    pub fn decode(&self, ty: &Type) -> Result<Change, NotAChange> {
        Ok(self.to_change()?.decode(ty)?)
    }

    /// The change, its values written against a type (PL07).
    ///
    /// # Errors
    /// Values that do not fit the type.
    pub fn encode(change: &Change, ty: &Type) -> Result<Values, NotEncodable> {
        let (before, after) = match sides(change.action) {
            Sides::Same => {
                let same = encoded(&change.before, ty, "before")?;
                (Some(same.clone()), Some(same))
            }
            Sides::Before => (Some(encoded(&change.before, ty, "before")?), None),
            Sides::After => (None, Some(encoded(&change.after, ty, "after")?)),
            Sides::Both => (Some(encoded(&change.before, ty, "before")?), Some(encoded(&change.after, ty, "after")?)),
        };
        Ok(Values {
            before_sensitive: change.before.sensitive().iter().cloned().collect(),
            after_sensitive: change.after.sensitive().iter().cloned().collect(),
            importing: change.importing.as_ref().map(Importing::of_plan),
            ..Values::new(change.action, before, after)
        })
    }
}

fn encoded(marked: &Marked, ty: &Type, side: &'static str) -> Result<Vec<u8>, NotEncodable> {
    encode(marked.value().view(), ty).map_err(|error| OfSide { side, error })
}

impl FileChange {
    /// The change, its values read against the implied type of the resource type's schema.
    ///
    /// # Errors
    /// As [`Values::decode`].
    pub fn decode(&self, ty: &Type) -> Result<ResourceInstanceChange, NotAChange> {
        Ok(ResourceInstanceChange {
            moved_from: self.prev_run_addr.as_deref().map(Text::new),
            deposed: self.deposed.clone(),
            change: self.values.decode(ty)?,
            reason: self.reason,
            required_replace: self.required_replace.iter().cloned().collect::<PathSet>(),
            private: self.private.clone(),
        })
    }

    /// The change of the instance at an address, under a provider configuration (PL71), its values written against the implied
    /// type of the resource type's schema.
    ///
    /// # Errors
    /// As [`Values::encode`].
    pub fn encode(
        addr: &str,
        provider: &str,
        change: &ResourceInstanceChange,
        ty: &Type,
    ) -> Result<FileChange, NotEncodable> {
        Ok(FileChange {
            addr: addr.to_owned(),
            prev_run_addr: change.moved_from.as_ref().map(|addr| addr.to_string()),
            deposed: change.deposed.clone(),
            provider: provider.to_owned(),
            values: Values::encode(&change.change, ty)?,
            private: change.private.clone(),
            required_replace: change.required_replace.iter().cloned().collect(),
            reason: change.reason,
        })
    }
}
