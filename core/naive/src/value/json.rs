//! Values as text (formats.md, "Values"): read along a type, and written.

use planfuzz_core::json::Json;

use super::text::nfc;
use super::{Facts, Is, Num, Record, Ty, UNBOUNDED, Val, alike, build};

/// The deepest nesting that is read.
const MAX_DEPTH: usize = 120;

/// Reads a value of a declared type; `None` where the document is no such value.
pub fn read(json: &Json, declared: &Ty) -> Option<Val> {
    let value = read_at(json, &declared.strip_optional(), 0)?;
    Some(value)
}

/// `{"$unknown": …}`, with the value of the member.
fn unknown_form(json: &Json) -> Option<Option<&Json>> {
    let Json::Object(members) = json else { return Some(None) };
    match members.iter().find(|(name, _)| **name == *"$unknown") {
        None => Some(None),
        Some((_, facts)) if members.len() == 1 => Some(Some(facts)),
        Some(_) => None,
    }
}

fn read_at(json: &Json, ty: &Ty, level: usize) -> Option<Val> {
    if level > MAX_DEPTH {
        return None;
    }
    let of = |is| Some(Val { ty: ty.clone(), is });
    if let Json::Null = json {
        return of(Is::Null);
    }
    if let Some(facts) = unknown_form(json)? {
        return match facts {
            Json::Bool(true) => of(Is::Unknown(None)),
            Json::Object(facts) if *ty != Ty::Dynamic => read_facts(facts, ty),
            _ => None,
        };
    }
    match (ty, json) {
        (Ty::Dynamic, Json::Object(members)) => {
            let member = |name: &str| members.iter().find(|(found, _)| **found == *name).map(|(_, json)| json);
            if members.len() != 2 {
                return None;
            }
            let own = Ty::read(member("type")?)?.strip_optional();
            read_at(member("value")?, &own, level)
        }
        (Ty::Bool, Json::Bool(bool)) => of(Is::Bool(*bool)),
        (Ty::Number, json) => of(Is::Num(read_number(json)?)),
        (Ty::String, Json::String(text)) => of(Is::Str(nfc(text))),
        (Ty::List(element) | Ty::Set(element), Json::Array(items)) => {
            let items = items.iter().map(|item| read_at(item, element, level + 1)).collect::<Option<Vec<Val>>>()?;
            let (element, items) = in_common(element, items)?;
            let items = if matches!(ty, Ty::Set(_)) { build(items) } else { items };
            Some(Val { ty: ty.with_element(element), is: Is::Seq(items.into()) })
        }
        (Ty::Map(element), Json::Object(members)) => {
            let (mut names, mut items) = (Vec::new(), Vec::new());
            for (name, item) in members {
                let name = nfc(member_name(name)?);
                if names.contains(&name) {
                    return None;
                }
                names.push(name);
                items.push(read_at(item, element, level + 1)?);
            }
            let (element, items) = in_common(element, items)?;
            let mut entries: Vec<(String, Val)> = names.into_iter().zip(items).collect();
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            Some(Val { ty: ty.with_element(element), is: Is::Named(entries.into()) })
        }
        (Ty::Tuple(types), Json::Array(items)) if types.len() == items.len() => {
            let items = items.iter().zip(types).map(|(item, ty)| read_at(item, ty, level + 1));
            let items = items.collect::<Option<Vec<Val>>>()?;
            Some(Val { ty: Ty::Tuple(items.iter().map(|item| item.ty.clone()).collect()), is: Is::Seq(items.into()) })
        }
        (Ty::Object(attributes), Json::Object(members)) if attributes.len() == members.len() => {
            let mut found = Vec::new();
            for (name, item) in members {
                let name = nfc(member_name(name)?);
                let attribute = attributes.iter().find(|attribute| attribute.name == name)?;
                if found.iter().any(|(found, _)| *found == name) {
                    return None;
                }
                found.push((name, read_at(item, &attribute.ty, level + 1)?));
            }
            found.sort_by(|a, b| a.0.cmp(&b.0));
            let ty = Ty::plain_object(found.iter().map(|(name, item)| (&**name, item.ty.clone())));
            Some(Val { ty, is: Is::Named(found.into()) })
        }
        _ => None,
    }
}

/// The elements with the one concrete type that they share; elements without a type of their own take it on.
fn in_common(declared: &Ty, items: Vec<Val>) -> Option<(Ty, Vec<Val>)> {
    if !declared.has_dynamic() {
        return alike(declared, items);
    }
    let mut common = declared.clone();
    for item in &items {
        common = merged(&common, &item.ty, declared)?;
    }
    let items = items.into_iter().map(|item| retyped(item, &common)).collect();
    Some((common, items))
}

fn merged(a: &Ty, b: &Ty, declared: &Ty) -> Option<Ty> {
    if a == b || b == declared {
        return Some(a.clone());
    }
    if a == declared {
        return Some(b.clone());
    }
    match (a, b, declared) {
        (Ty::List(x), Ty::List(y), Ty::List(d))
        | (Ty::Set(x), Ty::Set(y), Ty::Set(d))
        | (Ty::Map(x), Ty::Map(y), Ty::Map(d)) => Some(a.with_element(merged(x, y, d)?)),
        (Ty::Tuple(x), Ty::Tuple(y), Ty::Tuple(d)) if x.len() == y.len() && x.len() == d.len() => {
            let parts = x.iter().zip(y).zip(d).map(|((x, y), d)| merged(x, y, d));
            Some(Ty::Tuple(parts.collect::<Option<_>>()?))
        }
        (Ty::Object(x), Ty::Object(y), Ty::Object(d)) if x.len() == y.len() && x.len() == d.len() => {
            let mut members = Vec::new();
            for ((x, y), d) in x.iter().zip(y).zip(d) {
                members.push((&*x.name, merged(&x.ty, &y.ty, &d.ty)?));
            }
            Some(Ty::plain_object(members))
        }
        _ => None,
    }
}

/// The value at another type, which differs in parts that the value leaves open.
fn retyped(value: Val, ty: &Ty) -> Val {
    let is = match (value.is, ty) {
        (Is::Seq(items), Ty::List(element)) => Is::Seq(items.into_iter().map(|item| retyped(item, element)).collect()),
        (Is::Seq(items), Ty::Set(element)) => {
            Is::Seq(build(items.into_iter().map(|item| retyped(item, element)).collect()).into())
        }
        (Is::Seq(items), Ty::Tuple(types)) => {
            Is::Seq(items.into_iter().zip(types).map(|(item, ty)| retyped(item, ty)).collect())
        }
        (Is::Named(entries), Ty::Map(element)) => {
            Is::Named(entries.into_iter().map(|(name, item)| (name, retyped(item, element))).collect())
        }
        (Is::Named(entries), Ty::Object(attributes)) => Is::Named(
            entries.into_iter().zip(attributes).map(|((name, item), of)| (name, retyped(item, &of.ty))).collect(),
        ),
        (is, _) => is,
    };
    Val { ty: ty.clone(), is }
}

fn read_number(json: &Json) -> Option<Num> {
    match json {
        Json::Number(text) => Num::parse(text),
        Json::String(text) if **text == *"inf" => Some(Num::Infinity { negative: false }),
        Json::String(text) if **text == *"-inf" => Some(Num::Infinity { negative: true }),
        _ => None,
    }
}

/// A leading `$` is doubled in the name of a member.
fn member_name(written: &str) -> Option<&str> {
    match written.strip_prefix('$') {
        None => Some(written),
        Some(rest) if rest.starts_with('$') => Some(rest),
        Some(_) => None,
    }
}

fn read_facts(members: &[(Box<str>, Json)], ty: &Ty) -> Option<Val> {
    let mut facts = Facts::default();
    let is_collection = ty.element().is_some();
    for (name, json) in members {
        let added = match (&**name, json) {
            ("not_null", Json::Bool(true)) => facts.not_null(),
            ("string_prefix", Json::String(prefix)) if *ty == Ty::String => facts.prefix(prefix),
            ("number_min" | "number_max", Json::Array(bound)) if *ty == Ty::Number => {
                let [number, Json::Bool(inclusive)] = &bound[..] else { return None };
                let number = read_number(number)?;
                if **name == *"number_min" { facts.min(number, *inclusive) } else { facts.max(number, *inclusive) }
            }
            ("length_min" | "length_max", Json::Number(length)) if is_collection => {
                let length: i64 = length.parse().ok().filter(|length| *length >= 0)?;
                if **name == *"length_min" { facts.least(length) } else { facts.greatest(length) }
            }
            _ => return None,
        };
        added.ok()?;
    }
    facts.known(ty)
}

/// Writes a value for a reader that expects a type to which it conforms.
pub fn write(value: &Val, declared: &Ty) -> Json {
    if *declared == Ty::Dynamic && value.ty != Ty::Dynamic {
        return Json::object([("type", value.ty.to_json()), ("value", write(value, &value.ty))]);
    }
    match &value.is {
        Is::Null => Json::Null,
        Is::Unknown(None) => Json::object([("$unknown", Json::Bool(true))]),
        Is::Unknown(Some(record)) => Json::object([("$unknown", write_record(record))]),
        Is::Bool(bool) => Json::Bool(*bool),
        Is::Num(number) => write_number(number),
        Is::Str(text) => Json::string(text),
        Is::Seq(items) => {
            let declared = |at: usize| match declared {
                Ty::Tuple(types) => types[at].clone(),
                other => other.element().cloned().unwrap_or(Ty::Dynamic),
            };
            Json::Array(items.iter().enumerate().map(|(at, item)| write(item, &declared(at))).collect())
        }
        Is::Named(entries) => {
            let declared = |at: usize| match declared {
                Ty::Object(attributes) => attributes[at].ty.clone(),
                other => other.element().cloned().unwrap_or(Ty::Dynamic),
            };
            let name = |name: &str| if name.starts_with('$') { format!("${name}") } else { name.to_owned() };
            let members = entries.iter().enumerate();
            Json::Object(members.map(|(at, (key, item))| (name(key).into(), write(item, &declared(at)))).collect())
        }
    }
}

fn write_number(number: &Num) -> Json {
    match number {
        Num::Infinity { negative: false } => Json::string("inf"),
        Num::Infinity { negative: true } => Json::string("-inf"),
        number => Json::Number(number.text().into()),
    }
}

fn write_record(record: &Record) -> Json {
    let mut members: Vec<(&str, Json)> = Vec::new();
    if record.not_null {
        members.push(("not_null", Json::Bool(true)));
    }
    if !record.prefix.is_empty() {
        members.push(("string_prefix", Json::string(&record.prefix)));
    }
    for (name, bound) in [("number_min", &record.min), ("number_max", &record.max)] {
        if let Some((number, inclusive)) = bound {
            members.push((name, Json::Array(vec![write_number(number), Json::Bool(*inclusive)])));
        }
    }
    if record.least > 0 {
        members.push(("length_min", Json::int(record.least)));
    }
    if let Some(greatest) = record.greatest.filter(|greatest| *greatest < UNBOUNDED) {
        members.push(("length_max", Json::int(greatest)));
    }
    Json::object(members)
}
