//! Writing values into flat maps (Z51).

use super::flat::{FlatMap, joined};
use super::schema::{Elem, Kind};
use super::text::stored;
use super::value::SdkValue;

/// Writes the value of a field; an absent value is written as in Z137.
pub(super) fn write(flat: &mut FlatMap, kind: &Kind, path: &str, value: Option<&SdkValue>) {
    match kind {
        Kind::Primitive(_) => flat.set(path, value.map_or_else(String::new, stored)),
        Kind::List(elem) => {
            flat.clear_below(path);
            let elements = if let Some(SdkValue::List(elements)) = value { &elements[..] } else { &[] };
            for (index, element) in elements.iter().enumerate() {
                write_element(flat, elem, &joined(path, &index.to_string()), element.as_ref());
            }
            flat.set(joined(path, "#"), elements.len().to_string());
        }
        Kind::Set(elem) => {
            flat.clear_below(path);
            let mut count = 0;
            if let Some(SdkValue::Set(set)) = value {
                count = set.len();
                for (code, element) in set.iter() {
                    write_element(flat, elem, &joined(path, code), element);
                }
            }
            flat.set(joined(path, "#"), count.to_string());
        }
        Kind::Map(_) => {
            flat.clear_below(path);
            let Some(SdkValue::Map(entries)) = value else { return flat.set(path, "") };
            for (key, entry) in entries {
                flat.set(joined(path, key), stored(entry));
            }
            flat.set(joined(path, "%"), entries.len().to_string());
        }
    }
}

/// Writes an element; nothing for an absent object.
fn write_element(flat: &mut FlatMap, elem: &Elem, path: &str, value: Option<&SdkValue>) {
    match elem {
        Elem::Kind(kind) => write(flat, kind, path, value),
        Elem::Resource(resource) => {
            let Some(SdkValue::Object(values)) = value else { return };
            for ((name, field), value) in resource.fields().iter().zip(values) {
                write(flat, &field.kind, &joined(path, name), Some(value));
            }
        }
    }
}
