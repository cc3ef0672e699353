//! Objects as flat texts and back (Z10 to Z12).

use super::Crash;
use super::trie::{Texts, parts};
use crate::schema::object;
use crate::value::{Is, Num, Ty, Val, build, nfc};

/// The text of an unknown value.
pub const UNKNOWN: &str = "74D93920-ED26-11E3-AC10-0800200C9A66";

/// Z10.
pub fn flatten(value: &Val) -> Texts {
    let mut texts = Texts::default();
    put(&mut texts, value);
    texts
}

fn put(into: &mut Texts, value: &Val) {
    let count = match value.ty {
        Ty::Map(_) => "%",
        _ => "#",
    };
    let text = |into: &mut Texts, part: &str, text: String| into.branch(part).leaf = Some(text);
    match &value.is {
        Is::Null => {}
        Is::Unknown(_) => match &value.ty {
            Ty::List(_) | Ty::Set(_) | Ty::Map(_) => text(into, count, UNKNOWN.to_owned()),
            Ty::Object(attributes) => {
                for attribute in attributes.iter() {
                    put_at(into, &attribute.name, &Val::unknown(attribute.ty.clone()));
                }
            }
            _ => into.leaf = Some(UNKNOWN.to_owned()),
        },
        Is::Bool(bool) => into.leaf = Some(bool.to_string()),
        Is::Num(number) => into.leaf = Some(number.text()),
        Is::Str(text) => into.leaf = Some(text.clone()),
        Is::Seq(items) => {
            text(into, count, items.len().to_string());
            for (index, item) in items.iter().enumerate() {
                put_at(into, &index.to_string(), item);
            }
        }
        Is::Named(members) => {
            if matches!(value.ty, Ty::Map(_)) {
                text(into, count, members.len().to_string());
            }
            for (name, member) in members {
                put_at(into, name, member);
            }
        }
    }
}

fn put_at(into: &mut Texts, name: &str, value: &Val) {
    let mut inner = Texts::default();
    put(&mut inner, value);
    for (path, leaf) in inner.leaves() {
        let whole: Vec<String> = parts(name).into_iter().chain(path).collect();
        into.set(&whole, leaf.clone());
    }
}

/// Z11.
pub fn unflatten(at: Option<&Texts>, ty: &Ty) -> Result<Val, Crash> {
    let below = |part: &str| at.and_then(|at| at.below.get(part));
    let text = |part: &str| below(part).and_then(|at| at.leaf.as_deref());
    let own = at.and_then(|at| at.leaf.as_deref());
    let of = |is: Is| Ok(Val { ty: ty.clone(), is });
    if let Ty::Object(attributes) = ty {
        let members: Result<_, Crash> = attributes
            .iter()
            .map(|attribute| Ok((attribute.name.clone(), unflatten(below(&attribute.name), &attribute.ty)?)))
            .collect();
        return Ok(object(members?));
    }
    if own == Some(UNKNOWN) {
        return Ok(Val::unknown(ty.clone()));
    }
    let element = match ty {
        Ty::List(element) | Ty::Set(element) | Ty::Map(element) => element,
        primitive => {
            return match own {
                None => Ok(Val::null(ty.clone())),
                Some(text) => of(of_text(primitive, text)?),
            };
        }
    };
    let is_map = matches!(ty, Ty::Map(_));
    let count = match text(if is_map { "%" } else { "#" }) {
        None => return Ok(Val::null(ty.clone())),
        Some(UNKNOWN) => return Ok(Val::unknown(ty.clone())),
        Some(count) => count,
    };
    match ty {
        Ty::Map(_) => {
            let entries = at.map(Texts::leaves).unwrap_or_default();
            let entries = entries.into_iter().filter(|(path, _)| !path.is_empty() && path.join(".") != "%");
            let mut members = Vec::new();
            for (path, text) in entries {
                let alone = Texts { leaf: Some(text.clone()), ..Texts::default() };
                members.push((nfc(&path.join(".")), unflatten(Some(&alone), element)?));
            }
            members.sort_by(|a, b| a.0.cmp(&b.0));
            of(Is::Named(members.into()))
        }
        Ty::Set(_) => {
            let names = at.iter().flat_map(|at| at.below.keys()).filter(|part| *part != "#");
            let mut items: Vec<Val> = Vec::new();
            for name in names {
                items.push(unflatten(below(name), element)?);
            }
            if items.is_empty() && count == "1" {
                items.push(empty(element));
            }
            of(Is::Seq(build(items).into()))
        }
        _ => {
            let count: usize = count.parse().map_err(|_| Crash)?;
            if count > 1_000_000 {
                return Err(Crash);
            }
            let items: Result<Vec<Val>, Crash> =
                (0..count).map(|index| unflatten(below(&index.to_string()), element)).collect();
            of(Is::Seq(items?.into()))
        }
    }
}

fn empty(ty: &Ty) -> Val {
    match ty {
        Ty::Object(attributes) => {
            object(attributes.iter().map(|of| (of.name.clone(), Val::null(of.ty.clone()))).collect())
        }
        Ty::List(_) | Ty::Set(_) => Val { ty: ty.clone(), is: Is::Seq(Vec::new().into()) },
        Ty::Map(_) => Val { ty: ty.clone(), is: Is::Named(Vec::new().into()) },
        primitive => Val::null(primitive.clone()),
    }
}

fn of_text(ty: &Ty, text: &str) -> Result<Is, Crash> {
    match ty {
        Ty::Bool => match text {
            "true" | "1" => Ok(Is::Bool(true)),
            "false" | "0" => Ok(Is::Bool(false)),
            _ => Err(Crash),
        },
        Ty::Number => Num::parse(text).map(Is::Num).ok_or(Crash),
        Ty::String => Ok(Is::Str(nfc(text))),
        _ => Err(Crash),
    }
}
