//! Functions that convert, mark and unmark (FN12, FN13, FN23 to FN27, FN37).

use planfuzz_core::dialect::Dialect;
use planfuzz_core::value::convert::unify;
use planfuzz_core::value::{Type, Value};

use super::{ARGUMENT, Answer, all_marks};
use crate::unknowns::unknown_not_null;
use planfuzz_language::expression::{EPHEMERAL, MarkTree, Marked, Marks, SENSITIVE};

pub(super) fn call(name: &str, a: &[Marked], dialect: Dialect) -> Option<Answer> {
    Some(match name {
        "tostring" => simple(&a[0], &Type::String, dialect),
        "tonumber" => simple(&a[0], &Type::Number, dialect),
        "tobool" => simple(&a[0], &Type::Bool, dialect),
        "tolist" => collection(&a[0], &Type::list(Type::Dynamic), dialect),
        "toset" => collection(&a[0], &Type::set(Type::Dynamic), dialect),
        "tomap" => collection(&a[0], &Type::map(Type::Dynamic), dialect),
        "sensitive" => Ok(a[0].clone().with(SENSITIVE)),
        "nonsensitive" => {
            let mut value = a[0].clone();
            value.marks.own = Marks(value.marks.own.0 & !SENSITIVE.0);
            Ok(value)
        }
        "issensitive" => {
            let marked = a[0].marks.own.has(SENSITIVE);
            Ok(if a[0].marks.own == Marks::default() && a[0].value.is_unknown() {
                let is_refined = dialect.knows_sensitivity_is_not_null();
                if is_refined { unknown_not_null(Type::Bool) } else { Value::unknown(Type::Bool) }.into()
            } else {
                Value::bool(marked).into()
            })
        }
        "ephemeralasnull" => Ok(without_ephemeral(&a[0])),
        "jsonencode" => super::json::encode(&a[0].value).map(|value| Marked::from(value).with(all_marks(a))),
        "jsondecode" => json_decoded(a),
        _ => return None,
    })
}

/// FN24: the known prefix of an unknown text determines the type.
fn json_decoded(a: &[Marked]) -> Answer {
    use planfuzz_core::value::{Node, Range};
    let values = super::converted(a, &[Type::String])?;
    let value = match values[0].node() {
        Node::Unknown(Some(record)) => match &record.range {
            Range::String { prefix } => Value::unknown(super::json::type_of_beginning(prefix)?),
            _ => Value::unknown(Type::Dynamic),
        },
        _ if values[0].is_unknown() => Value::unknown(Type::Dynamic),
        _ => super::json::decode(super::text(&values[0]))?,
    };
    Ok(Marked::from(value).with(all_marks(a)))
}

fn simple(x: &Marked, ty: &Type, dialect: Dialect) -> Answer {
    if x.value.is_unknown() {
        let fits = planfuzz_core::value::convert::conversion_exists(x.ty(), ty);
        let marks = if is_mark_lost(x, ty, dialect) { Marks::default() } else { x.marks.own };
        return if fits { Ok(Marked::from(Value::unknown(ty.clone())).with(marks)) } else { Err(ARGUMENT) };
    }
    if x.ty().is_dynamic() {
        return Ok(Marked::from(Value::null(ty.clone())).with(x.marks.own));
    }
    x.convert(ty).ok_or(ARGUMENT)
}

/// FN12, FN13
fn is_mark_lost(x: &Marked, ty: &Type, dialect: Dialect) -> bool {
    dialect.forgets_marks_of_unknown_conversions() && x.ty() != ty
}

fn collection(x: &Marked, ty: &Type, dialect: Dialect) -> Answer {
    if x.value.is_unknown() {
        let fits = planfuzz_core::value::convert::conversion_exists(x.ty(), ty);
        let marks = if is_mark_lost(x, ty, dialect) { Marks::default() } else { x.marks.all() };
        return if fits { Ok(Marked::from(Value::unknown(ty.clone())).with(marks)) } else { Err(ARGUMENT) };
    }
    let types: Vec<Type> = match x.ty() {
        Type::Tuple(tuple) => tuple.elements().to_vec(),
        Type::Object(object) => object.attributes().iter().map(|attribute| attribute.ty.clone()).collect(),
        _ => return x.convert(ty).ok_or(ARGUMENT),
    };
    if types.is_empty() {
        return x.convert(ty).ok_or(ARGUMENT);
    }
    unify(&types).ok_or(ARGUMENT)?;
    x.convert(ty).ok_or(ARGUMENT)
}

fn without_ephemeral(x: &Marked) -> Marked {
    if x.marks.own.has(EPHEMERAL) {
        let own = Marks(x.marks.own.0 & !EPHEMERAL.0);
        return Marked::from(Value::null(x.ty().clone())).with(own);
    }
    if x.marks.inner.is_none() {
        return x.clone();
    }
    let parts: Vec<Marked> = x.parts().iter().map(without_ephemeral).collect();
    let marks = MarkTree::new(x.marks.own, parts.iter().map(|part| part.marks.clone()).collect());
    let names = x.keys();
    let made = match x.ty() {
        Type::Tuple(_) => Some(Marked::tuple(parts)),
        Type::Object(_) => Some(Marked::object(names.into_iter().zip(parts).collect())),
        Type::List(element) => Marked::list(element, parts),
        Type::Map(element) => Marked::map(element, names.into_iter().zip(parts).collect()),
        _ => None,
    };
    made.map_or_else(|| x.clone(), |made| Marked { marks, ..made })
}
