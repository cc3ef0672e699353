//! Conversion (V60 to V63) and the most general common type (V64).

use std::sync::Arc;

use super::{Attr, Is, Num, Record, Ty, Val, alike, length};

/// The place where a conversion failed, as steps are written.
pub type Place = Vec<String>;

/// V60; the place inside the value where it fails.
pub fn convert(value: &Val, to: &Ty) -> Result<Val, Place> {
    if value.ty == to.strip_optional() {
        return Ok(value.clone());
    }
    if !exists(&value.ty, to) {
        return Err(Vec::new());
    }
    apply(value, to)
}

/// V61: whether there is a conversion between two types.
pub fn exists(from: &Ty, to: &Ty) -> bool {
    if *from == to.strip_optional() {
        return true;
    }
    match (from, to) {
        (_, Ty::Dynamic) | (Ty::Dynamic, _) => true,
        (Ty::Number | Ty::Bool, Ty::String) | (Ty::String, Ty::Number | Ty::Bool) => true,
        (Ty::Object(from), Ty::Object(to)) => to.iter().all(|want| match attribute(from, &want.name) {
            Some(has) => exists(&has.ty, &want.ty),
            None => want.optional,
        }),
        (Ty::Map(element), Ty::Object(to)) => to.iter().all(|want| want.optional || exists(element, &want.ty)),
        (Ty::Object(from), Ty::Map(element)) => {
            let types: Vec<Ty> = from.iter().map(|attribute| attribute.ty.clone()).collect();
            common_member(&types, element).is_some_and(|common| types.iter().all(|ty| exists(ty, &common)))
        }
        (Ty::Tuple(from), Ty::List(element) | Ty::Set(element)) => {
            common_element(from, element).is_some_and(|common| from.iter().all(|ty| exists(ty, &common)))
        }
        (Ty::Map(from), Ty::Map(to)) => exists(from, to),
        (Ty::List(from) | Ty::Set(from), Ty::List(to) | Ty::Set(to)) => exists(from, to),
        (Ty::Tuple(from), Ty::Tuple(to)) => from.len() == to.len() && from.iter().zip(to).all(|(a, b)| exists(a, b)),
        _ => false,
    }
}

fn attribute<'a>(attributes: &'a [Attr], name: &str) -> Option<&'a Attr> {
    attributes.iter().find(|attribute| attribute.name == name)
}

/// The type that attributes of these types have as elements of `element`: the unified type where that is `dynamic`.
fn common_member(types: &[Ty], element: &Ty) -> Option<Ty> {
    if *element != Ty::Dynamic || types.is_empty() { Some(element.clone()) } else { unify(types) }
}

/// Likewise of the elements of a tuple, which become `dynamic` only where all of them are.
fn common_element(types: &[Ty], element: &Ty) -> Option<Ty> {
    let common = common_member(types, element)?;
    let is_lost = *element == Ty::Dynamic && common == Ty::Dynamic && types.iter().any(|ty| *ty != Ty::Dynamic);
    (!is_lost).then_some(common)
}

/// V62: the target type, its `dynamic` parts filled from the source type.
fn filled(from: &Ty, to: &Ty) -> Ty {
    match (from, to) {
        (Ty::Dynamic, to) => to.strip_optional(),
        (from, Ty::Dynamic) => from.clone(),
        (Ty::List(from) | Ty::Set(from), Ty::List(element) | Ty::Set(element)) | (Ty::Map(from), Ty::Map(element)) => {
            to.with_element(filled(from, element))
        }
        (Ty::Tuple(from), Ty::List(element) | Ty::Set(element)) => to.with_element(filled_common(from, element)),
        (Ty::Object(from), Ty::Map(element)) => {
            let types: Vec<Ty> = from.iter().map(|attribute| attribute.ty.clone()).collect();
            to.with_element(filled_common(&types, element))
        }
        (Ty::Tuple(from), Ty::Tuple(to)) => Ty::Tuple(from.iter().zip(to).map(|(from, to)| filled(from, to)).collect()),
        (Ty::Map(from), Ty::Object(to)) => Ty::plain_object(to.iter().map(|of| (&*of.name, filled(from, &of.ty)))),
        (Ty::Object(from), Ty::Object(to)) => Ty::plain_object(to.iter().map(|of| {
            let ty = match attribute(from, &of.name) {
                Some(has) => filled(&has.ty, &of.ty),
                None => of.ty.strip_optional(),
            };
            (&*of.name, ty)
        })),
        (_, to) => to.strip_optional(),
    }
}

fn filled_common(types: &[Ty], element: &Ty) -> Ty {
    match unify(types) {
        Some(common) => filled(&common, element),
        None => element.strip_optional(),
    }
}

fn apply(value: &Val, to: &Ty) -> Result<Val, Place> {
    // V60: of a part, the markers count.
    if *to == Ty::Dynamic || value.ty == *to {
        return Ok(value.clone());
    }
    match &value.is {
        Is::Null => Ok(Val::null(filled(&value.ty, to))),
        Is::Unknown(record) => unknown(&value.ty, record.as_ref(), to),
        _ => known(value, to),
    }
}

/// V62 for unknowns.
fn unknown(from: &Ty, record: Option<&Record>, to: &Ty) -> Result<Val, Place> {
    let ty = filled(from, to);
    if *from == Ty::Dynamic {
        return Ok(Val::unknown(ty));
    }
    let not_null = record.is_some_and(|record| record.not_null);
    let lengths = match (from, to) {
        (Ty::List(_) | Ty::Set(_) | Ty::Map(_), Ty::List(_) | Ty::Set(_) | Ty::Map(_)) => {
            let (least, greatest) = record.map_or((0, None), |record| (record.least, record.greatest));
            let least = if matches!(to, Ty::Set(_)) { least.min(1) } else { least };
            Some((least, greatest))
        }
        (Ty::Object(attributes), Ty::Map(_)) => Some((attributes.len() as u64, Some(attributes.len() as u64))),
        (Ty::Tuple(types), Ty::List(_)) => Some((types.len() as u64, Some(types.len() as u64))),
        (Ty::Tuple(types), Ty::Set(_)) => Some((types.len().min(1) as u64, Some(types.len() as u64))),
        _ => None,
    };
    let Some((least, greatest)) = lengths else {
        let record = not_null.then(|| Record { not_null, ..Record::default() });
        return Ok(Val { ty, is: Is::Unknown(record) });
    };
    let mut facts = super::Facts::default();
    let added = [
        if not_null { facts.not_null() } else { Ok(()) },
        facts.least(least as i64),
        greatest.map_or(Ok(()), |greatest| facts.greatest(greatest as i64)),
    ];
    if added.iter().any(Result::is_err) {
        return Err(Vec::new());
    }
    facts.known(&ty).ok_or_else(Vec::new)
}

fn known(value: &Val, to: &Ty) -> Result<Val, Place> {
    let of = |is| Ok(Val { ty: to.strip_optional(), is });
    match (&value.is, to) {
        (Is::Num(number), Ty::String) => of(Is::Str(number.text())),
        (Is::Bool(bool), Ty::String) => of(Is::Str(bool.to_string())),
        (Is::Str(text), Ty::Number) => match Num::parse(text) {
            Some(number) => of(Is::Num(number)),
            None => Err(Vec::new()),
        },
        (Is::Str(text), Ty::Bool) => match text.as_str() {
            "true" | "1" => of(Is::Bool(true)),
            "false" | "0" => of(Is::Bool(false)),
            _ => Err(Vec::new()),
        },
        (Is::Named(entries), Ty::Object(attributes)) => object(&value.ty, entries, attributes),
        (Is::Named(entries), Ty::Map(element)) => map(&value.ty, entries, element),
        (Is::Seq(items), Ty::Tuple(types)) => {
            let items = items.iter().zip(types).enumerate();
            let items: Vec<Val> = items.map(|(at, (item, ty))| part(item, ty, index(at))).collect::<Result<_, _>>()?;
            Ok(Val { ty: Ty::Tuple(items.iter().map(|item| item.ty.clone()).collect()), is: Is::Seq(items.into()) })
        }
        (Is::Seq(items), Ty::List(element) | Ty::Set(element)) => sequence(value, items, element, to),
        _ => Err(Vec::new()),
    }
}

fn index(at: usize) -> String {
    format!("[{at}]")
}

fn part(value: &Val, to: &Ty, step: String) -> Result<Val, Place> {
    let converted = if exists(&value.ty, to) { apply(value, to) } else { Err(Vec::new()) };
    converted.map_err(|mut place| {
        place.insert(0, step);
        place
    })
}

fn object(from: &Ty, entries: &[(String, Val)], attributes: &[Attr]) -> Result<Val, Place> {
    let is_map = matches!(from, Ty::Map(_));
    let mut members = Vec::new();
    for want in attributes {
        let member = match entries.iter().find(|(name, _)| *name == want.name) {
            Some((name, member)) => {
                let step = if is_map { crate::path::key(name) } else { crate::path::attribute(name) };
                part(member, &want.ty, step)?
            }
            None if want.optional => Val::null(want.ty.strip_optional()),
            None => return Err(Vec::new()),
        };
        members.push((want.name.clone(), member));
    }
    let ty = Ty::plain_object(members.iter().map(|(name, member)| (&**name, member.ty.clone())));
    Ok(Val { ty, is: Is::Named(members.into()) })
}

fn map(from: &Ty, entries: &[(String, Val)], element: &Ty) -> Result<Val, Place> {
    let is_map = matches!(from, Ty::Map(_));
    let target = match from {
        Ty::Object(attributes) => {
            let types: Vec<Ty> = attributes.iter().map(|attribute| attribute.ty.clone()).collect();
            common_member(&types, element).ok_or_else(Vec::new)?
        }
        _ => element.clone(),
    };
    if entries.is_empty() {
        let element = match from.element() {
            Some(source) if target == Ty::Dynamic => source.clone(),
            _ => target.strip_optional(),
        };
        return Ok(Val { ty: Ty::Map(Arc::new(element)), is: Is::Named(Vec::new().into()) });
    }
    let (mut names, mut values, mut steps) = (Vec::new(), Vec::new(), Vec::new());
    for (name, value) in entries {
        let step = if is_map { crate::path::key(name) } else { crate::path::attribute(name) };
        names.push(name.clone());
        values.push(part(value, &target, step.clone())?);
        steps.push(step);
    }
    if matches!(target, Ty::List(_) | Ty::Set(_) | Ty::Map(_) | Ty::Object(_)) {
        values = unified(values, steps)?;
    }
    let (element, values) = alike(&target.strip_optional(), values).ok_or_else(Vec::new)?;
    Ok(Val { ty: Ty::Map(Arc::new(element)), is: Is::Named(names.into_iter().zip(values).collect()) })
}

fn sequence(value: &Val, items: &[Val], element: &Ty, to: &Ty) -> Result<Val, Place> {
    if matches!((&value.ty, to), (Ty::Set(_), Ty::List(_))) && length(value).is_none_or(|length| length.is_unknown()) {
        // V61: of the source's element type.
        let source = value.ty.element().cloned().unwrap_or(Ty::Dynamic);
        return Ok(Val::unknown(Ty::List(Arc::new(source))));
    }
    let target = match &value.ty {
        Ty::Tuple(types) => common_element(types, element).ok_or_else(Vec::new)?,
        _ => element.clone(),
    };
    if items.is_empty() {
        let element = match value.ty.element() {
            Some(source) if target == Ty::Dynamic => source.clone(),
            _ => target.strip_optional(),
        };
        return Ok(Val { ty: to.with_element(element), is: Is::Seq(Vec::new().into()) });
    }
    let mut parts = Vec::new();
    for (at, item) in items.iter().enumerate() {
        parts.push(part(item, &target, index(at))?);
    }
    if matches!((&value.ty, to), (Ty::Tuple(_), Ty::List(_))) {
        let steps = (0..parts.len()).map(index).collect();
        parts = unified(parts, steps)?;
    }
    let (element, parts) = alike(&target.strip_optional(), parts).ok_or_else(Vec::new)?;
    let parts = if matches!(to, Ty::Set(_)) { super::build(parts) } else { parts };
    Ok(Val { ty: to.with_element(element), is: Is::Seq(parts.into()) })
}

/// The values, each converted to the type that they have in common. Where they have none the error is that of the whole; where one of
/// them does not convert, it is at its step.
fn unified(values: Vec<Val>, steps: Vec<String>) -> Result<Vec<Val>, Place> {
    let types: Vec<Ty> = values.iter().map(|value| value.ty.clone()).collect();
    if types.windows(2).all(|pair| pair[0] == pair[1]) {
        return Ok(values);
    }
    let common = unify(&types).ok_or_else(Vec::new)?;
    if !types.iter().all(|ty| exists(ty, &common)) {
        return Err(Vec::new());
    }
    values.iter().zip(steps).map(|(value, step)| part(value, &common, step)).collect()
}

/// V64; `None` where there is none.
pub fn unify(types: &[Ty]) -> Option<Ty> {
    if types.is_empty() {
        return None;
    }
    let rest: Vec<&Ty> = types.iter().filter(|ty| **ty != Ty::Dynamic).collect();
    let has_dynamic = rest.len() < types.len();
    let count = |is: fn(&Ty) -> bool| rest.iter().filter(|ty| is(ty)).count();
    let is_map = |ty: &Ty| matches!(ty, Ty::Map(_));
    let is_list = |ty: &Ty| matches!(ty, Ty::List(_));
    let is_set = |ty: &Ty| matches!(ty, Ty::Set(_));
    let is_object = |ty: &Ty| matches!(ty, Ty::Object(_));
    let is_tuple = |ty: &Ty| matches!(ty, Ty::Tuple(_));
    let all = |is: fn(&Ty) -> bool| !rest.is_empty() && count(is) == rest.len();
    if all(is_map) || all(is_list) || all(is_set) || all(is_object) || all(is_tuple) {
        return if has_dynamic { Some(Ty::Dynamic) } else { unify_kind(types) };
    }
    if count(is_object) > 0 && count(is_tuple) > 0 {
        return None;
    }
    let mixed = if !rest.is_empty() && count(is_map) + count(is_object) == rest.len() {
        as_one_kind(types, |ty| match ty {
            Ty::Object(attributes) => Some(attributes.iter().map(|of| of.ty.clone()).collect()),
            _ => None,
        })
        .map(|element| Ty::Map(Arc::new(element)))
        .and_then(|map| with_shaped_as(types, is_object, &map))
    } else if !rest.is_empty() && count(is_list) + count(is_tuple) == rest.len() {
        as_one_kind(types, |ty| if let Ty::Tuple(types) = ty { Some(types.to_vec()) } else { None })
            .map(|element| Ty::List(Arc::new(element)))
            .and_then(|list| with_shaped_as(types, is_tuple, &list))
    } else {
        None
    };
    mixed.or_else(|| most_general(types))
}

/// The common type of all parts of the tuples or objects among the types.
fn as_one_kind(types: &[Ty], parts: fn(&Ty) -> Option<Vec<Ty>>) -> Option<Ty> {
    unify(&types.iter().filter_map(parts).flatten().collect::<Vec<Ty>>())
}

/// The common type once the tuples or objects among the types are `collection`, if it is such a collection and each of them converts to
/// `collection`.
fn with_shaped_as(types: &[Ty], is_shaped: fn(&Ty) -> bool, collection: &Ty) -> Option<Ty> {
    if !types.iter().filter(|ty| is_shaped(ty)).all(|ty| exists(ty, collection)) {
        return None;
    }
    let all: Vec<Ty> = types.iter().map(|ty| if is_shaped(ty) { collection.clone() } else { ty.clone() }).collect();
    unify(&all).filter(|ty| ty.element().is_some())
}

fn unify_kind(types: &[Ty]) -> Option<Ty> {
    match &types[0] {
        first @ (Ty::List(_) | Ty::Set(_) | Ty::Map(_)) => {
            let elements: Vec<Ty> = types.iter().filter_map(Ty::element).cloned().collect();
            Some(first.with_element(unify(&elements)?))
        }
        Ty::Tuple(first) => {
            let rows: Vec<&Vec<Ty>> =
                types.iter().filter_map(|ty| if let Ty::Tuple(row) = ty { Some(&**row) } else { None }).collect();
            if rows.iter().all(|row| row.len() == first.len()) {
                let column = |at: usize| rows.iter().map(|row| row[at].clone()).collect::<Vec<Ty>>();
                return Some(Ty::Tuple((0..first.len()).map(|at| unify(&column(at))).collect::<Option<_>>()?));
            }
            let list = Ty::List(Arc::new(unify(&rows.concat_all())?));
            types.iter().all(|ty| exists(ty, &list)).then_some(list)
        }
        Ty::Object(first) => {
            let rows: Vec<&Vec<Attr>> =
                types.iter().filter_map(|ty| if let Ty::Object(row) = ty { Some(&**row) } else { None }).collect();
            let same = |row: &&Vec<Attr>| row.iter().map(|of| &of.name).eq(first.iter().map(|of| &of.name));
            if rows.iter().all(same) {
                let mut members = Vec::new();
                for (at, of) in first.iter().enumerate() {
                    let column: Vec<Ty> = rows.iter().map(|row| row[at].ty.clone()).collect();
                    members.push((&*of.name, unify(&column)?));
                }
                return Some(Ty::plain_object(members));
            }
            let all: Vec<Ty> = rows.iter().flat_map(|row| row.iter().map(|of| of.ty.clone())).collect();
            let map = Ty::Map(Arc::new(unify(&all)?));
            types.iter().all(|ty| exists(ty, &map)).then_some(map)
        }
        _ => None,
    }
}

trait ConcatAll {
    fn concat_all(&self) -> Vec<Ty>;
}

impl ConcatAll for Vec<&Vec<Ty>> {
    fn concat_all(&self) -> Vec<Ty> {
        self.iter().flat_map(|row| row.iter().cloned()).collect()
    }
}

/// The first, in the order of generality, to which all others convert.
fn most_general(types: &[Ty]) -> Option<Ty> {
    let mut rest: Vec<&Ty> = types.iter().collect();
    let mut ordered = Vec::new();
    while !rest.is_empty() {
        let free = |ty: &&Ty| !rest.iter().any(|other| is_preferred(other, ty));
        let at = rest.iter().position(free).unwrap_or(0);
        ordered.push(rest.remove(at));
    }
    ordered.into_iter().find(|ty| types.iter().all(|other| exists(other, ty))).cloned()
}

fn is_preferred(a: &Ty, b: &Ty) -> bool {
    match (a, b) {
        (Ty::Dynamic, _) => false,
        (_, Ty::Dynamic) => true,
        (Ty::String, Ty::Bool | Ty::Number) => true,
        (Ty::List(_), Ty::Tuple(_)) => true,
        (Ty::List(_) | Ty::Tuple(_), Ty::Set(_)) => true,
        (Ty::Map(_), Ty::Object(_)) => true,
        (Ty::List(a), Ty::List(b)) | (Ty::Set(a), Ty::Set(b)) | (Ty::Map(a), Ty::Map(b)) => is_preferred(a, b),
        _ => false,
    }
}
