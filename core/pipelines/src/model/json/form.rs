//! The shapes that behaviours are written in: a word, or one member whose name says what its contents mean.

use planfuzz_core::json::{Json, JsonError, JsonProblem};
use planfuzz_core::value::Text;

use crate::model::MAX_DEPTH;

/// A behaviour as it is written.
pub(super) enum Form<'a> {
    /// `"name"`.
    Word(&'a str),
    /// `{"name": …}`.
    Tagged(&'a str, &'a Json),
    /// Anything else.
    Other,
}

pub(super) fn form(json: &Json) -> Form<'_> {
    match json {
        Json::String(word) => Form::Word(word),
        Json::Object(members) => match &members[..] {
            [(name, content)] => Form::Tagged(name, content),
            _ => Form::Other,
        },
        _ => Form::Other,
    }
}

/// Reads what stands in the member that [`form`] found; errors say which.
pub(super) fn inside<T>(
    name: &str,
    content: &Json,
    read: impl FnOnce(&Json) -> Result<T, JsonError>,
) -> Result<T, JsonError> {
    read(content).map_err(|error| error.inside_member(name))
}

/// The items of an array of a fixed number of them.
pub(super) fn items<'a, const N: usize>(json: &'a Json, what: &str) -> Result<&'a [Json; N], JsonError> {
    json.expect_array()?.try_into().map_err(|_| json.unexpected(format!("an array of {N} items ({what})")))
}

/// Reads one item of an array.
pub(super) fn item<T>(
    items: &[Json],
    index: usize,
    read: impl FnOnce(&Json) -> Result<T, JsonError>,
) -> Result<T, JsonError> {
    read(&items[index]).map_err(|error| error.inside_index(index))
}

pub(super) fn text(json: &Json) -> Result<Text, JsonError> {
    json.expect_string().map(Text::new)
}

pub(super) fn texts(json: &Json) -> Result<Vec<Text>, JsonError> {
    json.read_items(text)
}

/// One of some things by its name.
pub(super) fn named<T: Copy>(json: &Json, all: &[T], name: impl Fn(T) -> &'static str) -> Result<T, JsonError> {
    let found = json.expect_string().ok().and_then(|text| all.iter().copied().find(|thing| name(*thing) == text));
    found.ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|thing| name(*thing)).collect();
        json.unexpected(format!("one of {}", names.join(", ")))
    })
}

/// The problem of an expression or a condition that nests too deep.
pub(super) fn too_deep() -> JsonProblem {
    JsonProblem::Deep { what: "expressions and conditions", most: MAX_DEPTH }
}

/// One level less; the bound in the message where there is none left.
pub(super) fn below(levels: usize) -> Result<usize, JsonError> {
    levels.checked_sub(1).ok_or_else(|| too_deep().into())
}

pub(super) fn tagged(name: &str, content: Json) -> Json {
    Json::object([(name, content)])
}

pub(super) fn array(items: impl IntoIterator<Item = Json>) -> Json {
    Json::Array(items.into_iter().collect())
}

pub(super) fn text_array(texts: &[Text]) -> Json {
    array(texts.iter().map(|text| Json::string(text)))
}
