//! Replaces unknown parts of a planned object when it is stored without an apply.

use planfuzz_core::value::{Bound, Number, Path, Refinement, Tri, Type, Value, ValueError, includes};

use planfuzz_core::value::Node;

/// The value with every unknown replaced, as a function of the value alone; `None` if no value fits.
pub fn settle(value: &Value) -> Option<Value> {
    let settled = value.view().transform::<Unfit>(&mut |path, part| {
        if !part.is_unknown() {
            return Ok(part);
        }
        let record = match part.node() {
            Node::Unknown(record) => record.as_deref().cloned().unwrap_or_default(),
            _ => Refinement::default(),
        };
        let made = made(part.ty(), &record, path).ok_or(Unfit)?;
        match includes(part.view(), made.view()) {
            Tri::False => Err(Unfit),
            Tri::True | Tri::Unknown => Ok(made),
        }
    });
    settled.ok()
}

/// No value fits.
struct Unfit;

impl From<ValueError> for Unfit {
    fn from(_: ValueError) -> Unfit {
        Unfit
    }
}

fn made(ty: &Type, record: &Refinement, path: &Path) -> Option<Value> {
    let least = || record.lengths().0;
    let some = |element: &Type| {
        let count = if least() == 0 { 0 } else { least().min(16) };
        (0..count)
            .map(|index| made(element, &Refinement::default(), &path.index(index as usize)))
            .collect::<Option<Vec<_>>>()
    };
    Some(match ty {
        Type::Bool => Value::bool(true),
        Type::Number => Value::number(number(record)),
        Type::String => Value::string(&format!("{}{}", record.prefix(), slug(path))),
        Type::List(element) => Value::list(element, some(element)?).ok()?,
        // Equal elements of a set are one element, so a set cannot get more than one.
        Type::Set(element) if least() <= 1 => Value::set(element, some(element)?).ok()?,
        Type::Set(_) => return None,
        Type::Map(element) => {
            let entries =
                some(element)?.into_iter().enumerate().map(|(index, it)| (format!("k{index}").as_str().into(), it));
            Value::map(element, entries.collect()).ok()?
        }
        Type::Tuple(tuple) => {
            let parts = tuple.elements().iter().map(|it| made(it, &Refinement::default(), path));
            Value::tuple(parts.collect::<Option<_>>()?)
        }
        Type::Object(object) => {
            let member = |it: &planfuzz_core::value::TypeAttribute| {
                Some((it.name.clone(), made(&it.ty, &Refinement::default(), &path.attribute(&it.name))?))
            };
            Value::object(object.attributes().iter().map(member).collect::<Option<_>>()?)
        }
        Type::Dynamic => Value::string(&slug(path)),
    })
}

/// A whole number within bounds.
fn number(record: &Refinement) -> Number {
    let whole = |bound: &Bound| bound.value.to_i64();
    match (record.number_min(), record.number_max()) {
        (Some(min), _) => {
            Number::from(whole(min).map_or(0, |it| if min.inclusive { it } else { it.saturating_add(1) }))
        }
        (None, Some(max)) => {
            Number::from(whole(max).map_or(0, |it| if max.inclusive { it } else { it.saturating_sub(1) }))
        }
        (None, None) => Number::from(7i64),
    }
}

/// A text that is specific to its place.
fn slug(path: &Path) -> String {
    let text: String = path.to_string().chars().map(|it| if it.is_ascii_alphanumeric() { it } else { '-' }).collect();
    format!("made{}", text.trim_end_matches('-'))
}
