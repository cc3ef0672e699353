//! Actions and their values between files and plans (PF30).

use super::change::{Importing, Sides, Values, sides};
use super::error::ContentProblem;
use crate::plans::{self, DynamicValue, EncodedChange, EncodedValue};
use crate::value::{Text, WrittenPath};

impl Values {
    /// The change in the encoded layer of plans. Generated configuration and identities are no part of it.
    ///
    /// # Errors
    /// A value that is present without bytes.
    pub fn to_change(&self) -> Result<EncodedChange, ContentProblem> {
        let encoded = |bytes: &Option<Vec<u8>>, paths: &[WrittenPath]| {
            let sensitive = paths.iter().cloned().collect();
            value(bytes).map(|value| EncodedValue { value, sensitive })
        };
        Ok(EncodedChange {
            action: self.action,
            before: encoded(&self.before, &self.before_sensitive)?,
            after: encoded(&self.after, &self.after_sensitive)?,
            importing: self.importing.as_ref().map(Importing::to_plan).transpose()?,
        })
    }

    /// A change of the encoded layer of plans, with the values that files have for its action.
    ///
    /// # Errors
    /// A non-null value that files do not have for the action (before a creation or after a deletion), and two different values
    /// of a no-op; an absent value that files have for the action.
    pub fn of_change(change: &EncodedChange) -> Result<Values, ContentProblem> {
        let (before, after) = match sides(change.action) {
            Sides::Same if change.before.value != change.after.value => {
                return Err(other(change, "after", "the value before"));
            }
            Sides::After if !change.before.is_null() => return Err(other(change, "before", "null")),
            Sides::Before if !change.after.is_null() => return Err(other(change, "after", "null")),
            Sides::Same | Sides::Both => (Some(bytes(&change.before)?), Some(bytes(&change.after)?)),
            Sides::After => (None, Some(bytes(&change.after)?)),
            Sides::Before => (Some(bytes(&change.before)?), None),
        };
        Ok(Values {
            before_sensitive: change.before.sensitive.iter().cloned().collect(),
            after_sensitive: change.after.sensitive.iter().cloned().collect(),
            importing: change.importing.as_ref().map(Importing::of_plan),
            ..Values::new(change.action, before, after)
        })
    }
}

/// The value in bytes of a file, which may be absent; present bytes must not be empty.
pub(super) fn value(bytes: &Option<Vec<u8>>) -> Result<Option<DynamicValue>, ContentProblem> {
    let value = |bytes: &Vec<u8>| DynamicValue::from_msgpack(bytes).ok_or(ContentProblem::EmptyValue);
    bytes.as_ref().map(value).transpose()
}

fn bytes(value: &EncodedValue) -> Result<Vec<u8>, ContentProblem> {
    let value = value.value.as_ref().ok_or(ContentProblem::Absent("a value that the action has"))?;
    Ok(value.as_msgpack().to_vec())
}

fn other(change: &EncodedChange, side: &'static str, expected: &'static str) -> ContentProblem {
    ContentProblem::OtherValue { expected, side, action: change.action }
}

impl Importing {
    fn to_plan(&self) -> Result<plans::Importing, ContentProblem> {
        Ok(match self {
            Importing::Id(id) => plans::Importing::Id(Text::new(id)),
            Importing::Unknown => plans::Importing::Unknown,
            Importing::Identity { id, identity } => plans::Importing::Identity {
                id: Text::new(id),
                identity: DynamicValue::from_msgpack(identity).ok_or(ContentProblem::EmptyValue)?,
            },
        })
    }

    pub(super) fn of_plan(importing: &plans::Importing) -> Importing {
        match importing {
            plans::Importing::Id(id) => Importing::Id(id.to_string()),
            plans::Importing::Unknown => Importing::Unknown,
            plans::Importing::Identity { id, identity } => {
                Importing::Identity { id: id.to_string(), identity: identity.as_msgpack().to_vec() }
            }
        }
    }
}
