//! Trees of `docs/formats.md`: members that are left out where they hold their default.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use planfuzz_core::json::Json;

/// The text of a member; empty where it is absent.
pub(super) fn text<'t>(tree: &'t Json, name: &str) -> Option<&'t str> {
    match tree.member(name) {
        None => Some(""),
        Some(Json::String(text)) => Some(text),
        Some(_) => None,
    }
}

/// The flag of a member; false where it is absent.
pub(super) fn flag(tree: &Json, name: &str) -> Option<bool> {
    match tree.member(name) {
        None => Some(false),
        Some(Json::Bool(flag)) => Some(*flag),
        Some(_) => None,
    }
}

/// The items of a member; empty where it is absent.
pub(super) fn items<'t>(tree: &'t Json, name: &str) -> Option<&'t [Json]> {
    match tree.member(name) {
        None => Some(&[]),
        Some(Json::Array(items)) => Some(items),
        Some(_) => None,
    }
}

/// The members of a member; empty where it is absent.
pub(super) fn entries<'t>(tree: &'t Json, name: &str) -> Option<&'t [(Box<str>, Json)]> {
    match tree.member(name) {
        None => Some(&[]),
        Some(Json::Object(members)) => Some(members),
        Some(_) => None,
    }
}

/// Each text of a member.
pub(super) fn texts<'t>(tree: &'t Json, name: &str) -> Option<Vec<&'t str>> {
    let text = |item: &'t Json| match item {
        Json::String(text) => Some(&**text),
        _ => None,
    };
    items(tree, name)?.iter().map(text).collect()
}

/// The bytes of a text in base64.
pub(super) fn bytes(json: &Json) -> Option<Vec<u8>> {
    match json {
        Json::String(text) => STANDARD.decode(&**text).ok(),
        _ => None,
    }
}

/// The bytes of a member; `None` where it is absent.
pub(super) fn bytes_of(tree: &Json, name: &str) -> Option<Vec<u8>> {
    tree.member(name).map_or(Some(Vec::new()), bytes)
}

/// A tree that is being made.
#[derive(Debug, Default)]
pub(super) struct Made {
    members: Vec<(Box<str>, Json)>,
}

impl Made {
    /// A member, whatever it holds.
    pub(super) fn put(&mut self, name: &str, json: Json) {
        self.members.push((name.into(), json));
    }

    /// A member that is left out where it holds its default.
    pub(super) fn add(&mut self, name: &str, json: Json) {
        let is_default = match &json {
            Json::Null | Json::Bool(false) => true,
            Json::String(text) => text.is_empty(),
            Json::Array(items) => items.is_empty(),
            Json::Object(members) => members.is_empty(),
            Json::Bool(true) | Json::Number(_) => false,
        };
        if !is_default {
            self.put(name, json);
        }
    }

    pub(super) fn done(self) -> Json {
        Json::Object(self.members)
    }
}

/// Bytes as trees have them.
pub(super) fn base64(bytes: &[u8]) -> Json {
    Json::string(&STANDARD.encode(bytes))
}
