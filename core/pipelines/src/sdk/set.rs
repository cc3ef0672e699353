//! Sets inside the SDK: elements under codes of their text (Z30 to Z33).

use std::collections::BTreeMap;
use std::fmt::Write;

use super::error::SdkError;
use super::schema::{Elem, Kind, Resource};
use super::text::float_with_exponent;
use super::value::SdkValue;

/// The elements of a set by their codes, which are sorted as text (Z30). An object none of whose fields exists is
/// absent, and its text empty (Z43).
#[derive(Clone, Debug, Default)]
pub struct SdkSet {
    elements: BTreeMap<String, Option<SdkValue>>,
    /// The last number that was appended to a code in use.
    numbered: BTreeMap<String, usize>,
}

impl SdkSet {
    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.elements.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// The codes and elements, in the order of the codes.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Option<&SdkValue>)> {
        self.elements.iter().map(|(code, element)| (code.as_str(), element.as_ref()))
    }

    /// The codes, in order.
    pub fn codes(&self) -> impl Iterator<Item = &str> {
        self.elements.keys().map(String::as_str)
    }

    /// Whether there is an element of that code.
    pub fn has(&self, code: &str) -> bool {
        self.elements.contains_key(code)
    }

    /// Whether the two have the same codes (Z57).
    pub fn has_codes_of(&self, other: &SdkSet) -> bool {
        self.codes().eq(other.codes())
    }

    /// Adds an element and returns its code; of two elements with one code the first stays (Z30).
    ///
    /// # Errors
    /// An element that has no text (Z31).
    pub fn add(&mut self, elem: &Elem, element: Option<SdkValue>) -> Result<String, SdkError> {
        let code = code_of(elem, element.as_ref())?;
        self.elements.entry(code.clone()).or_insert(element);
        Ok(code)
    }

    /// Adds an element with a value inside that is not known yet, under a code of its own (Z30).
    ///
    /// # Errors
    /// An element that has no text (Z31).
    pub fn add_partly_known(&mut self, elem: &Elem, element: Option<SdkValue>) -> Result<String, SdkError> {
        let base = format!("~{}", code_of(elem, element.as_ref())?);
        let mut code = base.clone();
        if self.has(&code) {
            let number = self.numbered.entry(base.clone()).or_insert(0);
            while self.elements.contains_key(&code) {
                *number += 1;
                code = format!("{base}{number}");
            }
        }
        self.elements.insert(code.clone(), element);
        Ok(code)
    }
}

/// The code of an element (Z30): the CRC-32 of its text, in decimal.
pub(super) fn code_of(elem: &Elem, element: Option<&SdkValue>) -> Result<String, SdkError> {
    let mut text = String::new();
    match elem {
        Elem::Kind(kind) => write_value(&mut text, kind, element)?,
        Elem::Resource(resource) => write_fields(&mut text, resource, element)?,
    }
    Ok(crc32fast::hash(text.as_bytes()).to_string())
}

/// Z31: the text of a value and the `;` that follows it.
fn write_value(out: &mut String, kind: &Kind, value: Option<&SdkValue>) -> Result<(), SdkError> {
    match value {
        None => {}
        Some(SdkValue::List(elements)) => {
            out.push('(');
            for element in elements {
                write_element(out, kind, element.as_ref())?;
            }
            out.push(')');
        }
        Some(SdkValue::Set(set)) => {
            out.push('{');
            for (_, element) in set.iter() {
                write_element(out, kind, element)?;
            }
            out.push('}');
        }
        Some(SdkValue::Map(entries)) => write_map(out, entries)?,
        Some(SdkValue::Object(_)) => {}
        Some(SdkValue::Bool(bool)) => out.push(if *bool { '1' } else { '0' }),
        Some(primitive) => push_primitive(out, primitive),
    }
    out.push(';');
    Ok(())
}

fn push_primitive(out: &mut String, value: &SdkValue) {
    match value {
        // Writing to a string does not fail.
        SdkValue::Int(int) => drop(write!(out, "{int}")),
        SdkValue::Float(float) => out.push_str(&float_with_exponent(*float, 'e')),
        SdkValue::Text(text) => out.push_str(text),
        _ => {}
    }
}

fn write_map(out: &mut String, entries: &BTreeMap<String, SdkValue>) -> Result<(), SdkError> {
    out.push('[');
    for (key, value) in entries {
        if matches!(value, SdkValue::Bool(_)) {
            return Err(SdkError::BoolInMap);
        }
        out.push_str(key);
        out.push(':');
        push_primitive(out, value);
        out.push(';');
    }
    out.push(']');
    Ok(())
}

/// Z31: an element of a list or set that is itself inside a set's element.
fn write_element(out: &mut String, of: &Kind, element: Option<&SdkValue>) -> Result<(), SdkError> {
    match of {
        Kind::List(Elem::Kind(kind)) | Kind::Set(Elem::Kind(kind)) => write_value(out, kind, element),
        Kind::List(Elem::Resource(resource)) | Kind::Set(Elem::Resource(resource)) => {
            out.push('<');
            write_fields(out, resource, element)?;
            out.push_str(">;");
            Ok(())
        }
        Kind::Primitive(_) | Kind::Map(_) => Ok(()),
    }
}

/// Z32: the fields of a resource that are part of its text, in name order.
fn write_fields(out: &mut String, resource: &Resource, object: Option<&SdkValue>) -> Result<(), SdkError> {
    let Some(SdkValue::Object(values)) = object else { return Ok(()) };
    for ((name, field), value) in resource.fields().iter().zip(values) {
        if field.is_configurable() || resource.is_only_computed() {
            out.push_str(name);
            out.push(':');
            write_value(out, &field.kind, Some(value))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sdk::schema::Schema;
    use planfuzz_core::json::Json;

    fn text(value: &str) -> SdkValue {
        SdkValue::Text(value.to_owned())
    }

    #[test]
    fn z32_the_example_has_its_code() {
        let schema = Json::parse(
            r#"{"s": {"type": "set", "optional": true, "elem": {"resource": {
                "a": {"type": "string", "optional": true}, "b": {"type": "bool", "optional": true},
                "c": {"type": "int", "computed": true},
                "l": {"type": "list", "optional": true, "elem": {"type": "string"}},
                "m": {"type": "map", "optional": true, "elem": {"type": "int"}}}}}}"#,
        );
        let schema = Schema::from_json(&schema.expect("a document")).expect("a schema");
        let Some(Kind::Set(elem)) = schema.fields().get("s").map(|field| &field.kind) else { panic!("a set") };
        let element = SdkValue::Object(vec![
            text("x"),
            SdkValue::Bool(true),
            SdkValue::Int(4),
            SdkValue::List(vec![Some(text("p")), Some(text("q"))]),
            SdkValue::Map(BTreeMap::from([("k".to_owned(), SdkValue::Int(1))])),
        ]);
        assert_eq!(code_of(elem, Some(&element)), Ok("4034206437".to_owned()));
    }

    #[test]
    fn z30_an_element_with_an_unknown_has_a_code_of_its_own() {
        let elem = Elem::Kind(Box::new(Kind::Primitive(super::super::schema::Primitive::String)));
        let mut set = SdkSet::default();
        let codes: Vec<_> = (0..3).map(|_| set.add_partly_known(&elem, Some(text("x"))).expect("a code")).collect();
        assert_eq!(codes[1], format!("{}1", codes[0]));
        assert_eq!(codes[2], format!("{}2", codes[0]));
        let twice: Vec<_> = (0..2).map(|_| set.add(&elem, Some(text("x"))).expect("a code")).collect();
        assert_eq!(twice[0], twice[1]);
        assert_eq!(set.len(), 4);
    }
}
