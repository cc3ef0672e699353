//! The JSON shapes of behaviours: a word, or an object with one member whose name is the kind of its contents.

use planfuzz_core::json::{Json, JsonError};
use planfuzz_core::value::Text;

/// The shape of a behaviour.
pub(crate) enum Form<'a> {
    /// `"name"`.
    Word(&'a str),
    /// `{"name": …}`.
    Tagged(&'a str, &'a Json),
    /// Anything else.
    Other,
}

pub(crate) fn form(json: &Json) -> Form<'_> {
    match json {
        Json::String(word) => Form::Word(word),
        Json::Object(members) => match &members[..] {
            [(name, content)] => Form::Tagged(name, content),
            _ => Form::Other,
        },
        _ => Form::Other,
    }
}

/// Reads the contents of the member that [`form`] found; errors name the member.
pub(crate) fn inside<T>(
    name: &str,
    content: &Json,
    read: impl FnOnce(&Json) -> Result<T, JsonError>,
) -> Result<T, JsonError> {
    read(content).map_err(|error| error.inside_member(name))
}

/// The items of an array of a fixed number of them.
pub(crate) fn items<'a, const N: usize>(json: &'a Json, what: &str) -> Result<&'a [Json; N], JsonError> {
    json.expect_array()?.try_into().map_err(|_| json.unexpected(format!("an array of {N} items ({what})")))
}

/// Reads one item of an array.
pub(crate) fn item<T>(
    items: &[Json],
    index: usize,
    read: impl FnOnce(&Json) -> Result<T, JsonError>,
) -> Result<T, JsonError> {
    read(&items[index]).map_err(|error| error.inside_index(index))
}

pub(crate) fn text(json: &Json) -> Result<Text, JsonError> {
    json.expect_string().map(Text::new)
}

pub(crate) fn texts(json: &Json) -> Result<Vec<Text>, JsonError> {
    json.read_items(text)
}

/// Looks up one of `all` by its name.
pub(crate) fn named<T: Copy>(json: &Json, all: &[T], name: impl Fn(T) -> &'static str) -> Result<T, JsonError> {
    let found = json.expect_string().ok().and_then(|text| all.iter().copied().find(|thing| name(*thing) == text));
    found.ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|thing| name(*thing)).collect();
        json.unexpected(format!("one of {}", names.join(", ")))
    })
}

pub(crate) fn tagged(name: &str, content: Json) -> Json {
    Json::object([(name, content)])
}

pub(crate) fn array(items: impl IntoIterator<Item = Json>) -> Json {
    Json::Array(items.into_iter().collect())
}

pub(crate) fn text_array(texts: &[Text]) -> Json {
    array(texts.iter().map(|text| Json::string(text)))
}
