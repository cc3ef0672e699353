//! Converts values that a provider's function sets to their stored form (Z137).

use planfuzz_core::value::{Node, Truth, ValueRef};

use super::error::SdkError;
use super::schema::{Elem, Kind};
use super::set::SdkSet;
use super::text::parse;
use super::value::SdkValue;

/// Z137: a wholly known value in the stored form of a field's kind; `path` is for messages.
///
/// # Errors
/// The field cannot hold the value.
pub(super) fn from_cty(kind: &Kind, value: ValueRef<'_>, path: &str) -> Result<SdkValue, SdkError> {
    if !value.is_present() {
        return Ok(SdkValue::zero(kind));
    }
    match kind {
        Kind::Primitive(primitive) => parse(*primitive, &text(value), path),
        Kind::List(elem) => {
            let elements = elements(value).map(|element| from_element(elem, element, path));
            elements.collect::<Result<_, _>>().map(SdkValue::List)
        }
        Kind::Set(elem) => {
            let mut set = SdkSet::default();
            for element in elements(value) {
                // A null object is left out.
                if let Some(element) = from_element(elem, element, path)? {
                    set.add(elem, Some(element))?;
                }
            }
            Ok(SdkValue::Set(set))
        }
        Kind::Map(element) => {
            let entry = |(key, value): (&planfuzz_core::value::Text, ValueRef<'_>)| {
                Ok((key.to_string(), parse(*element, &text(value), path)?))
            };
            value.entries().map(entry).collect::<Result<_, _>>().map(SdkValue::Map)
        }
    }
}

fn from_element(elem: &Elem, value: ValueRef<'_>, path: &str) -> Result<Option<SdkValue>, SdkError> {
    match elem {
        Elem::Kind(kind) => from_cty(kind, value, path).map(Some),
        Elem::Resource(_) if !value.is_present() => Ok(None),
        Elem::Resource(resource) => {
            let fields = resource.fields().iter().map(|(name, field)| match value.member(name) {
                Some(member) => from_cty(&field.kind, member, path),
                None => Ok(SdkValue::zero(&field.kind)),
            });
            fields.collect::<Result<_, _>>().map(|fields| Some(SdkValue::Object(fields)))
        }
    }
}

/// The text of a primitive; empty for null, which is the text of zero.
fn text(value: ValueRef<'_>) -> String {
    match value.node() {
        Node::Bool(Truth(bool)) => bool.to_string(),
        Node::Number(number) => number.text().into_owned(),
        Node::String(text) => text.to_string(),
        _ => String::new(),
    }
}

fn elements(value: ValueRef<'_>) -> impl Iterator<Item = ValueRef<'_>> {
    (0..value.len()).filter_map(move |index| value.element(index))
}
