//! The names of enumerated choices.

use planfuzz_core::address::ResourceKind;
use planfuzz_core::json::{Json, JsonError, ObjectReader, Word};
use planfuzz_core::planner::{KeyKind, Link, PreventDestroy, Repetition, Severity};
use planfuzz_core::plans::{Action, ActionReason, Mode};
use planfuzz_core::value::Tri;

use super::Members;

/// A choice that is written by name.
pub trait Named: Copy + PartialEq + 'static {
    /// The kind of choice, for messages.
    const WHAT: &'static str;

    /// All choices, each with its name.
    fn all() -> Vec<(Self, &'static str)>;
}

macro_rules! named {
    ($($type:ty, $what:literal: $($variant:ident = $name:literal),*;)*) => {
        $(impl Named for $type {
            const WHAT: &'static str = $what;

            fn all() -> Vec<(Self, &'static str)> {
                vec![$((<$type>::$variant, $name)),*]
            }
        })*
    };
}

named! {
    ResourceKind, "managed or data": Managed = "managed", Data = "data";
    Severity, "error or warning": Error = "error", Warning = "warning";
    KeyKind, "none, index or text": None = "none", Index = "index", Text = "text";
    Repetition, "single, count, for_each or enabled":
        Single = "single", Count = "count", ForEach = "for_each", Enabled = "enabled";
    Link, "reference, depends_on or transitive":
        Reference = "reference", DependsOn = "depends_on", Transitive = "transitive";
}

impl Named for Action {
    const WHAT: &'static str = "an action such as create";

    fn all() -> Vec<(Action, &'static str)> {
        Action::ALL.iter().map(|action| (*action, action.name())).collect()
    }
}

impl Named for ActionReason {
    const WHAT: &'static str = "an action reason such as replace_by_request";

    fn all() -> Vec<(ActionReason, &'static str)> {
        let named = ActionReason::ALL.iter().filter(|reason| **reason != ActionReason::None);
        named.map(|reason| (*reason, reason.name())).collect()
    }
}

impl Named for Mode {
    const WHAT: &'static str = "normal, destroy or refresh_only";

    fn all() -> Vec<(Mode, &'static str)> {
        Mode::WORDS.to_vec()
    }
}

/// The name of a choice.
pub(super) fn name_of<T: Named>(choice: T) -> &'static str {
    T::all().into_iter().find(|(probe, _)| *probe == choice).map_or("", |(_, name)| name)
}

/// The choice of a name.
///
/// # Errors
/// Anything but one of the names.
pub fn read_name<T: Named>(json: &Json) -> Result<T, JsonError> {
    let name = json.expect_string()?;
    let found = T::all().into_iter().find(|(_, probe)| *probe == name);
    found.map(|(choice, _)| choice).ok_or_else(|| json.unexpected(T::WHAT))
}

/// The choice that a member names, or the default where it is absent.
pub(super) fn read_or_default<T: Named + Default>(
    reader: &mut ObjectReader<'_>,
    name: &'static str,
) -> Result<T, JsonError> {
    Ok(reader.optional(name, read_name)?.unwrap_or_default())
}

/// Writes an answer that may be unknown: a bool or the unknown form.
pub(super) fn write_tri(tri: Tri) -> Json {
    match tri {
        Tri::False => Json::Bool(false),
        Tri::True => Json::Bool(true),
        Tri::Unknown => Json::object([("$unknown", Json::Bool(true))]),
    }
}

/// A bool or the unknown form.
pub(super) fn read_tri(json: &Json) -> Result<Tri, JsonError> {
    match json {
        Json::Bool(bool) => Ok((*bool).into()),
        json if *json == write_tri(Tri::Unknown) => Ok(Tri::Unknown),
        other => Err(other.unexpected("true, false or {\"$unknown\": true}")),
    }
}

/// `prevent_destroy`: a bool, or `bad` for an expression that does not give one (L111).
pub(super) fn put_prevent_destroy(members: &mut Members, name: &'static str, prevent: PreventDestroy) {
    match prevent {
        PreventDestroy::No => {}
        PreventDestroy::Yes => members.flag(name, true),
        PreventDestroy::Bad => members.text(name, "bad"),
    }
}

/// See [`put_prevent_destroy`].
pub(super) fn read_prevent_destroy(
    reader: &mut ObjectReader<'_>,
    name: &'static str,
) -> Result<PreventDestroy, JsonError> {
    let prevent = reader.optional(name, |json| match json {
        Json::Bool(false) => Ok(PreventDestroy::No),
        Json::Bool(true) => Ok(PreventDestroy::Yes),
        Json::String(text) if **text == *"bad" => Ok(PreventDestroy::Bad),
        other => Err(other.unexpected("true, false or \"bad\"")),
    })?;
    Ok(prevent.unwrap_or_default())
}
