//! Paths of sensitive attributes (ST04).

use crate::json::{Json, JsonError, ObjectReader, Sink};
use crate::value::{Text, WrittenPath, WrittenStep};

/// Reads a path.
///
/// # Errors
/// Steps of another kind, and keys that are neither strings nor indexes: no path of a state leads into a set (PF40).
pub fn read_path(json: &Json) -> Result<WrittenPath, JsonError> {
    json.read_items(step).map(WrittenPath::new)
}

fn step(json: &Json) -> Result<WrittenStep, JsonError> {
    let mut step = ObjectReader::new(json, "a step of a path")?;
    let kind = step.required("type", Json::expect_string)?;
    let read = match kind {
        "get_attr" => step.required("value", name)?,
        "index" => step.required("value", index)?,
        _ => return Err(json.unexpected("a step of the type \"get_attr\" or \"index\"")),
    };
    step.finish().map(|()| read)
}

fn name(json: &Json) -> Result<WrittenStep, JsonError> {
    json.expect_string().map(|name| WrittenStep::Attribute(Text::new(name)))
}

fn index(json: &Json) -> Result<WrittenStep, JsonError> {
    let mut key = ObjectReader::new(json, "a key and its type")?;
    let ty = key.required("type", Json::expect_string)?;
    let read = match ty {
        "number" => key.required("value", |value| value.expect_u64().map(WrittenStep::Index))?,
        "string" => key.required("value", |value| value.expect_string().map(|key| WrittenStep::Key(Text::new(key))))?,
        _ => return Err(json.unexpected("a key of the type \"string\" or \"number\"")),
    };
    key.finish().map(|()| read)
}

/// Writes a path. A step to an element of a set ends it there: a sensitive part of a set makes the set sensitive (PL08).
pub fn write_path(path: &WrittenPath, sink: &mut impl Sink) {
    sink.open_array();
    for step in path.steps() {
        match step {
            WrittenStep::Attribute(name) => write_step("get_attr", sink, |sink| sink.string(name)),
            WrittenStep::Index(index) => write_key("number", sink, |sink| sink.int(i128::from(*index))),
            WrittenStep::Key(key) => write_key("string", sink, |sink| sink.string(key)),
            WrittenStep::Element => break,
        }
    }
    sink.close_array();
}

fn write_step<S: Sink>(kind: &str, sink: &mut S, value: impl FnOnce(&mut S)) {
    sink.open_object();
    sink.name("type");
    sink.string(kind);
    sink.name("value");
    value(sink);
    sink.close_object();
}

fn write_key<S: Sink>(ty: &str, sink: &mut S, value: impl FnOnce(&mut S)) {
    write_step("index", sink, |sink| {
        sink.open_object();
        sink.name("value");
        value(sink);
        sink.name("type");
        sink.string(ty);
        sink.close_object();
    });
}
