//! Conversion of the values that functions and customisation set to values of fields (Z137).

use std::collections::BTreeMap;

use planfuzz_core::value::Text;
use planfuzz_pipelines::sdk::{Elem, Field, Kind, Primitive, Resource};

use super::Crash;
use super::config::number_of;
use super::held::{Held, add};
use crate::model::field;
use crate::value::{Is, Val};

/// A value of a field.
pub fn held(kind: &Kind, value: &Val) -> Result<Held, Crash> {
    match (kind, &value.is) {
        (kind, Is::Null) => Ok(Held::zero(kind)),
        (Kind::Primitive(of), _) => primitive(*of, value),
        (Kind::Map(of), Is::Named(entries)) => {
            let entry = |(key, value): &(String, Val)| Ok((key.clone(), primitive(*of, value)?));
            Ok(Held::Map(entries.iter().map(entry).collect::<Result<_, Crash>>()?))
        }
        (Kind::List(elem), Is::Seq(items)) => {
            Ok(Held::List(items.iter().map(|item| element(elem, item)).collect::<Result<_, Crash>>()?))
        }
        (Kind::Set(elem), Is::Seq(items)) => {
            let mut set = BTreeMap::new();
            for item in items {
                add(&mut set, elem, element(elem, item)?, false)?;
            }
            Ok(Held::Set(set))
        }
        _ => Err(Crash),
    }
}

/// A null object is absent.
fn element(elem: &Elem, value: &Val) -> Result<Option<Held>, Crash> {
    Ok(match elem {
        Elem::Kind(kind) => Some(held(kind, value)?),
        Elem::Resource(_) if value.is_null() => None,
        Elem::Resource(resource) => Some(object(resource, value)?),
    })
}

fn object(resource: &Resource, value: &Val) -> Result<Held, Crash> {
    let member = |(name, of): (&Text, &Field)| Ok((name.to_string(), held(&of.kind, &field(value, name))?));
    Ok(Held::Object(resource.fields().iter().map(member).collect::<Result<_, Crash>>()?))
}

fn primitive(of: Primitive, value: &Val) -> Result<Held, Crash> {
    match &value.is {
        Is::Null => Ok(Held::zero_primitive(of)),
        Is::Bool(bool) => Ok(Held::Bool(*bool)),
        Is::Str(text) => Ok(Held::Text(text.clone())),
        Is::Num(number) => Held::parse(of, &number_of(number).weak_text()),
        _ => Err(Crash),
    }
}
