//! Declared forms: a structure declares the names of its members once, and the type of each decides how it is written and read.
//!
//! [`form!`] destructures the structure, so a field that is not declared does not compile. A member that holds its default is left out,
//! and an absent member is read as its default; a member without a default must be present.

use planfuzz_core::address::ResourceKind;
use planfuzz_core::json::{Json, JsonError, ObjectReader};
use planfuzz_core::planner::{
    Applied, ApplyRequest, ApplyWalk, IgnoreChanges, KeyKind, Lifecycle, Link, Plan, PlanOptions, PlanRequest,
    PlanWalk, Presence, PreventDestroy, Repetition,
};
use planfuzz_core::plans::{Action, ActionReason, Mode};
use planfuzz_core::state::{DeposedKey, InstanceState, Private};
use planfuzz_core::value::{PathSet, Text, Tri, Type, Value, WrittenPath};

use super::lifecycle_block::{read_ignore_changes, write_ignore_changes};
use super::names::{
    name_of, put_prevent_destroy, read_name, read_or_default, read_prevent_destroy, read_tri, write_tri,
};
use super::options::{read_key, read_text};
use super::value::{read_path, read_paths, read_private, read_value, write_value};
use super::{Form, Members};

/// A type that can be a member of a form.
pub(crate) trait Member: Sized {
    /// Puts the member, unless it holds its default.
    fn put(&self, members: &mut Members, name: &'static str, ty: &Type);

    /// Takes the member, or its default where it is absent.
    ///
    /// # Errors
    /// A malformed member, or an absent member that has no default.
    fn take(reader: &mut ObjectReader<'_>, name: &'static str, ty: &Type) -> Result<Self, JsonError>;
}

/// Declares the form of a structure: its description, for messages, and its members in the order in which they are written.
///
/// `field` is written under its own name, `field as "name"` under another; `field via module` by the functions `put` and `take` of the
/// module; `field beside "name" by read` is a value and, in a second member, the paths where it is sensitive.
macro_rules! form {
    ($of:ident, $what:literal: $($field:ident $(as $name:literal)? $(via $module:ident)? $(beside $marks:literal by $read:ident)?,)*) => {
        impl $crate::case::lifecycle::Form for $of {
            fn to_form(&self, ty: &planfuzz_core::value::Type) -> planfuzz_core::json::Json {
                let $of { $($field),* } = self;
                let mut members = $crate::case::lifecycle::Members::default();
                $($crate::case::lifecycle::form!(@put members ty $field $(as $name)? $(via $module)? $(beside $marks)?);)*
                members.into_json()
            }

            fn from_form(
                json: &planfuzz_core::json::Json,
                ty: &planfuzz_core::value::Type,
            ) -> Result<$of, planfuzz_core::json::JsonError> {
                let mut reader = planfuzz_core::json::ObjectReader::new(json, $what)?;
                $(let $field =
                    $crate::case::lifecycle::form!(@take reader ty $field $(as $name)? $(via $module)? $(beside $marks by $read)?);)*
                reader.finish()?;
                Ok($of { $($field),* })
            }
        }
    };
    (@put $members:ident $ty:ident $field:ident) => {
        $crate::case::lifecycle::Member::put($field, &mut $members, stringify!($field), $ty)
    };
    (@put $members:ident $ty:ident $field:ident as $name:literal) => {
        $crate::case::lifecycle::Member::put($field, &mut $members, $name, $ty)
    };
    (@put $members:ident $ty:ident $field:ident via $module:ident) => {
        $module::put(&mut $members, stringify!($field), $field, $ty)
    };
    (@put $members:ident $ty:ident $field:ident beside $marks:literal) => {
        $members.marked((stringify!($field), $marks), $field, $ty)
    };
    (@take $reader:ident $ty:ident $field:ident) => {
        $crate::case::lifecycle::Member::take(&mut $reader, stringify!($field), $ty)?
    };
    (@take $reader:ident $ty:ident $field:ident as $name:literal) => {
        $crate::case::lifecycle::Member::take(&mut $reader, $name, $ty)?
    };
    (@take $reader:ident $ty:ident $field:ident via $module:ident) => {
        $module::take(&mut $reader, stringify!($field), $ty)?
    };
    (@take $reader:ident $ty:ident $field:ident beside $marks:literal by $read:ident) => {
        $crate::case::lifecycle::read_marked(&mut $reader, (stringify!($field), $marks), |json| $read(json, $ty))?
    };
}

pub(crate) use form;

impl Member for bool {
    fn put(&self, members: &mut Members, name: &'static str, _: &Type) {
        members.flag(name, *self);
    }

    fn take(reader: &mut ObjectReader<'_>, name: &'static str, _: &Type) -> Result<bool, JsonError> {
        reader.flag(name)
    }
}

impl Member for Text {
    fn put(&self, members: &mut Members, name: &'static str, _: &Type) {
        members.text(name, self);
    }

    fn take(reader: &mut ObjectReader<'_>, name: &'static str, _: &Type) -> Result<Text, JsonError> {
        reader.required(name, read_text)
    }
}

impl Member for Option<Text> {
    fn put(&self, members: &mut Members, name: &'static str, _: &Type) {
        members.some_text(name, self.as_ref());
    }

    fn take(reader: &mut ObjectReader<'_>, name: &'static str, _: &Type) -> Result<Option<Text>, JsonError> {
        reader.optional(name, read_text)
    }
}

/// A value of any type, as providers may answer.
impl Member for Value {
    fn put(&self, members: &mut Members, name: &'static str, ty: &Type) {
        members.put(name, write_value(self, ty));
    }

    fn take(reader: &mut ObjectReader<'_>, name: &'static str, ty: &Type) -> Result<Value, JsonError> {
        reader.required(name, |json| read_value(json, ty))
    }
}

impl Member for Option<Value> {
    fn put(&self, members: &mut Members, name: &'static str, ty: &Type) {
        if let Some(value) = self {
            value.put(members, name, ty);
        }
    }

    fn take(reader: &mut ObjectReader<'_>, name: &'static str, ty: &Type) -> Result<Option<Value>, JsonError> {
        reader.optional(name, |json| read_value(json, ty))
    }
}

impl Member for Private {
    fn put(&self, members: &mut Members, name: &'static str, _: &Type) {
        members.private(name, self);
    }

    fn take(reader: &mut ObjectReader<'_>, name: &'static str, _: &Type) -> Result<Private, JsonError> {
        read_private(reader, name)
    }
}

impl Member for PathSet {
    fn put(&self, members: &mut Members, name: &'static str, _: &Type) {
        members.paths(name, self);
    }

    fn take(reader: &mut ObjectReader<'_>, name: &'static str, _: &Type) -> Result<PathSet, JsonError> {
        Ok(reader.optional(name, read_paths)?.unwrap_or_default())
    }
}

impl Member for Option<WrittenPath> {
    fn put(&self, members: &mut Members, name: &'static str, _: &Type) {
        if let Some(path) = self {
            members.text(name, &path.to_string());
        }
    }

    fn take(reader: &mut ObjectReader<'_>, name: &'static str, _: &Type) -> Result<Option<WrittenPath>, JsonError> {
        reader.optional(name, read_path)
    }
}

impl Member for DeposedKey {
    fn put(&self, members: &mut Members, name: &'static str, _: &Type) {
        members.name_unless(name, *self == DeposedKey::default(), self.as_str());
    }

    fn take(reader: &mut ObjectReader<'_>, name: &'static str, _: &Type) -> Result<DeposedKey, JsonError> {
        Ok(reader.optional(name, read_key)?.unwrap_or_default())
    }
}

impl Member for PreventDestroy {
    fn put(&self, members: &mut Members, name: &'static str, _: &Type) {
        put_prevent_destroy(members, name, *self);
    }

    fn take(reader: &mut ObjectReader<'_>, name: &'static str, _: &Type) -> Result<PreventDestroy, JsonError> {
        read_prevent_destroy(reader, name)
    }
}

impl Member for IgnoreChanges {
    fn put(&self, members: &mut Members, _: &'static str, _: &Type) {
        write_ignore_changes(members, self);
    }

    fn take(reader: &mut ObjectReader<'_>, name: &'static str, _: &Type) -> Result<IgnoreChanges, JsonError> {
        Ok(reader.optional(name, read_ignore_changes)?.unwrap_or_default())
    }
}

impl Member for Action {
    fn put(&self, members: &mut Members, name: &'static str, _: &Type) {
        members.text(name, self.name());
    }

    fn take(reader: &mut ObjectReader<'_>, name: &'static str, _: &Type) -> Result<Action, JsonError> {
        reader.required(name, read_name)
    }
}

/// A reference is the usual link.
impl Member for Link {
    fn put(&self, members: &mut Members, name: &'static str, _: &Type) {
        members.name_unless(name, *self == Link::Reference, name_of(*self));
    }

    fn take(reader: &mut ObjectReader<'_>, name: &'static str, _: &Type) -> Result<Link, JsonError> {
        Ok(reader.optional(name, read_name)?.unwrap_or(Link::Reference))
    }
}

/// Choices that have a default, written by name.
macro_rules! choices {
    ($($of:ident),*) => {
        $(impl Member for $of {
            fn put(&self, members: &mut Members, name: &'static str, _: &Type) {
                members.name_of(name, *self);
            }

            fn take(reader: &mut ObjectReader<'_>, name: &'static str, _: &Type) -> Result<$of, JsonError> {
                read_or_default(reader, name)
            }
        })*
    };
}

choices!(ResourceKind, Mode, ActionReason, KeyKind, Repetition);

/// Lists that are left out if they are empty, with the functions that write and read an item.
macro_rules! lists {
    ($($of:ty: $write:expr, $read:expr;)*) => {
        $(impl Member for Vec<$of> {
            fn put(&self, members: &mut Members, name: &'static str, _: &Type) {
                members.list(name, self.iter().map($write));
            }

            fn take(reader: &mut ObjectReader<'_>, name: &'static str, _: &Type) -> Result<Vec<$of>, JsonError> {
                Ok(reader.optional(name, |json| json.read_items($read))?.unwrap_or_default())
            }
        })*
    };
}

lists! {
    Text: |text| Json::string(text), read_text;
    WrittenPath: |path| Json::string(&path.to_string()), read_path;
    Tri: |tri| write_tri(*tri), read_tri;
    Action: |action| Json::string(action.name()), read_name;
}

impl<T: Form> Member for Vec<T> {
    fn put(&self, members: &mut Members, name: &'static str, ty: &Type) {
        members.forms(name, self, ty);
    }

    fn take(reader: &mut ObjectReader<'_>, name: &'static str, ty: &Type) -> Result<Vec<T>, JsonError> {
        Ok(reader.optional(name, |json| Vec::from_form(json, ty))?.unwrap_or_default())
    }
}

impl<T: Form> Member for Option<T> {
    fn put(&self, members: &mut Members, name: &'static str, ty: &Type) {
        if let Some(form) = self {
            members.put(name, form.to_form(ty));
        }
    }

    fn take(reader: &mut ObjectReader<'_>, name: &'static str, ty: &Type) -> Result<Option<T>, JsonError> {
        reader.optional(name, |json| T::from_form(json, ty))
    }
}

/// Forms that are left out if they are empty.
macro_rules! defaults {
    ($($of:ident),*) => {
        $(impl Member for $of {
            fn put(&self, members: &mut Members, name: &'static str, ty: &Type) {
                members.form(name, self, ty);
            }

            fn take(reader: &mut ObjectReader<'_>, name: &'static str, ty: &Type) -> Result<$of, JsonError> {
                Ok(reader.optional(name, |json| $of::from_form(json, ty))?.unwrap_or_default())
            }
        })*
    };
}

defaults!(Lifecycle, PlanOptions, InstanceState);

/// Forms that must be present.
macro_rules! required {
    ($($of:ident),*) => {
        $(impl Member for $of {
            fn put(&self, members: &mut Members, name: &'static str, ty: &Type) {
                members.put(name, self.to_form(ty));
            }

            fn take(reader: &mut ObjectReader<'_>, name: &'static str, ty: &Type) -> Result<$of, JsonError> {
                reader.required(name, |json| $of::from_form(json, ty))
            }
        })*
    };
}

required!(Presence, Plan, Applied, PlanRequest, ApplyRequest, PlanWalk, ApplyWalk);
