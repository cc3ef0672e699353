//! Conversion of the values that functions and customisation set to values of fields (Z137).

use std::collections::BTreeMap;

use planfuzz_core::value::Text;
use planfuzz_pipelines::sdk::{Elem, Field, Kind, Primitive, Resource};

use super::Crash;
use super::config::number_of;
use super::field_value::{FieldValue, add};
use crate::model::field;
use crate::value::{Is, Val};

/// A value of a field.
pub fn held(kind: &Kind, value: &Val) -> Result<FieldValue, Crash> {
    match (kind, &value.is) {
        (kind, Is::Null) => Ok(FieldValue::zero(kind)),
        (Kind::Primitive(of), _) => primitive(*of, value),
        (Kind::Map(of), Is::Named(entries)) => {
            let entry = |(key, value): &(String, Val)| Ok((key.clone(), primitive(*of, value)?));
            Ok(FieldValue::Map(entries.iter().map(entry).collect::<Result<_, Crash>>()?))
        }
        (Kind::List(elem), Is::Seq(items)) => {
            Ok(FieldValue::List(items.iter().map(|item| element(elem, item)).collect::<Result<_, Crash>>()?))
        }
        (Kind::Set(elem), Is::Seq(items)) => {
            let mut set = BTreeMap::new();
            for item in items {
                add(&mut set, elem, element(elem, item)?, false)?;
            }
            Ok(FieldValue::Set(set))
        }
        _ => Err(Crash),
    }
}

/// A null object is absent.
fn element(elem: &Elem, value: &Val) -> Result<Option<FieldValue>, Crash> {
    Ok(match elem {
        Elem::Kind(kind) => Some(held(kind, value)?),
        Elem::Resource(_) if value.is_null() => None,
        Elem::Resource(resource) => Some(object(resource, value)?),
    })
}

fn object(resource: &Resource, value: &Val) -> Result<FieldValue, Crash> {
    let member = |(name, of): (&Text, &Field)| Ok((name.to_string(), held(&of.kind, &field(value, name))?));
    Ok(FieldValue::Object(resource.fields().iter().map(member).collect::<Result<_, Crash>>()?))
}

fn primitive(of: Primitive, value: &Val) -> Result<FieldValue, Crash> {
    match &value.is {
        Is::Null => Ok(FieldValue::zero_primitive(of)),
        Is::Bool(bool) => Ok(FieldValue::Bool(*bool)),
        Is::Str(text) => Ok(FieldValue::Text(text.clone())),
        Is::Num(number) => FieldValue::parse(of, &number_of(number).weak_text()),
        _ => Err(Crash),
    }
}
