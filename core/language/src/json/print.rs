//! JSON as text, indented by two blanks.

use super::strings::quote;
use super::value::{Json, JsonKind, Member};
use crate::place::SourcePlace;

impl Json {
    /// A value without a place.
    pub fn new(kind: JsonKind) -> Json {
        Json { place: SourcePlace::default(), kind }
    }

    /// A string without a place.
    pub fn string(text: impl Into<Box<str>>) -> Json {
        Json::new(JsonKind::String(text.into()))
    }

    /// An object without a place.
    pub fn object(members: impl IntoIterator<Item = (String, Json)>) -> Json {
        let members = members.into_iter().map(|(name, value)| Member {
            name: name.into(),
            name_place: SourcePlace::default(),
            value,
        });
        Json::new(JsonKind::Object(members.collect()))
    }

    /// An array without a place.
    pub fn array(elements: impl IntoIterator<Item = Json>) -> Json {
        Json::new(JsonKind::Array(elements.into_iter().collect()))
    }

    /// The text of the value, with a line end.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        print(self, 0, &mut out);
        out.push('\n');
        out
    }
}

fn print(json: &Json, indent: usize, out: &mut String) {
    match &json.kind {
        JsonKind::Null => out.push_str("null"),
        JsonKind::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        JsonKind::Number(text) => out.push_str(text),
        JsonKind::String(text) => quote(text, out),
        JsonKind::Array(elements) if elements.is_empty() => out.push_str("[]"),
        JsonKind::Object(members) if members.is_empty() => out.push_str("{}"),
        JsonKind::Array(elements) => {
            out.push('[');
            for (number, element) in elements.iter().enumerate() {
                line(number, indent + 1, out);
                print(element, indent + 1, out);
            }
            end(indent, out);
            out.push(']');
        }
        JsonKind::Object(members) => {
            out.push('{');
            for (number, member) in members.iter().enumerate() {
                line(number, indent + 1, out);
                quote(&member.name, out);
                out.push_str(": ");
                print(&member.value, indent + 1, out);
            }
            end(indent, out);
            out.push('}');
        }
    }
}

fn line(number: usize, indent: usize, out: &mut String) {
    if number > 0 {
        out.push(',');
    }
    end(indent, out);
}

fn end(indent: usize, out: &mut String) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", indent));
}
