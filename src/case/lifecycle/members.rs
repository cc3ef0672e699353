//! Writes objects; members that hold their default are left out.

use planfuzz_core::json::Json;
use planfuzz_core::plans::Marked;
use planfuzz_core::state::Private;
use planfuzz_core::value::{PathSet, Text, Type, WrittenPath};

use super::Form;
use super::names::{Named, name_of};
use super::value::{write_paths, write_private, write_value};

/// The members of an object, in the order in which they are put.
#[derive(Debug, Default)]
pub struct Members(Vec<(&'static str, Json)>);

impl Members {
    /// Puts a member.
    pub fn put(&mut self, name: &'static str, json: Json) {
        self.0.push((name, json));
    }

    /// Puts a text.
    pub fn text(&mut self, name: &'static str, text: &str) {
        self.put(name, Json::string(text));
    }

    /// Puts a text, unless it is `None`.
    pub fn some_text(&mut self, name: &'static str, text: Option<&Text>) {
        if let Some(text) = text {
            self.text(name, text);
        }
    }

    /// Puts a flag, if it is set.
    pub fn flag(&mut self, name: &'static str, flag: bool) {
        if flag {
            self.put(name, Json::Bool(true));
        }
    }

    /// Puts a name, unless it is the default.
    pub fn name_unless(&mut self, name: &'static str, is_default: bool, text: &str) {
        if !is_default {
            self.text(name, text);
        }
    }

    /// Puts a list, unless it is empty.
    pub fn list(&mut self, name: &'static str, items: impl IntoIterator<Item = Json>) {
        let items: Vec<Json> = items.into_iter().collect();
        if !items.is_empty() {
            self.put(name, Json::Array(items));
        }
    }

    /// Puts a list of forms, unless it is empty.
    pub fn forms<T: Form>(&mut self, name: &'static str, things: &[T], ty: &Type) {
        self.list(name, things.iter().map(|thing| thing.to_form(ty)));
    }

    /// Puts a form, unless it is empty.
    pub fn form(&mut self, name: &'static str, thing: &impl Form, ty: &Type) {
        let form = thing.to_form(ty);
        if form != Json::Object(Vec::new()) {
            self.put(name, form);
        }
    }

    /// Puts a list of texts, unless it is empty.
    pub fn texts<'a>(&mut self, name: &'static str, texts: impl IntoIterator<Item = &'a Text>) {
        self.list(name, texts.into_iter().map(|text| Json::string(text)));
    }

    /// Puts paths, sorted, unless there are none.
    pub fn paths(&mut self, name: &'static str, paths: &PathSet) {
        if !paths.is_empty() {
            self.put(name, write_paths(paths));
        }
    }

    /// Puts a path, unless it is the root.
    pub fn path(&mut self, name: &'static str, path: &WrittenPath) {
        if !path.is_root() {
            self.text(name, &path.to_string());
        }
    }

    /// Puts private data, unless there are none.
    pub fn private(&mut self, name: &'static str, private: &Private) {
        if !private.is_none() {
            self.put(name, write_private(private));
        }
    }

    /// Puts a value of any type, and its sensitive paths in a second member.
    pub fn marked(&mut self, (name, sensitive): (&'static str, &'static str), marked: &Marked, ty: &Type) {
        self.put(name, write_value(marked.value(), ty));
        self.paths(sensitive, marked.sensitive());
    }

    /// Puts the name of a choice, unless it is the default.
    pub fn name_of<T: Named + Default>(&mut self, name: &'static str, choice: T) {
        self.name_unless(name, choice == T::default(), name_of(choice));
    }

    /// The members without the object.
    pub fn into_members(self) -> Vec<(&'static str, Json)> {
        self.0
    }

    /// The object.
    pub fn into_json(self) -> Json {
        Json::object(self.0)
    }
}
