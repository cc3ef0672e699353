//! Lists and tuples (FN02, FN07, FN14, FN29 to FN32, FN34, FN35).

use hashbrown::HashMap;
use planfuzz_core::value::convert::unify;
use planfuzz_core::value::{Node, Tri, Type, Value, ValueRef, equals, length_bounds, raw_equals, structural_hash};
use planfuzz_language::expression::{Marked, Marks};

use super::{Given, Made, Wrong, collections};
use crate::make;

fn dynamic() -> Made {
    Ok(Value::unknown(Type::Dynamic).into())
}

/// The type of the concatenation if all arguments are lists of types that unify.
fn joined_lists(given: &Given<'_, '_>) -> Option<Type> {
    let types: Vec<Type> = given.arguments.iter().map(|argument| argument.ty().clone()).collect();
    if !types.iter().all(|ty| matches!(ty, Type::List(_))) {
        return None;
    }
    unify(&types).filter(|ty| matches!(ty, Type::List(_)))
}

pub(crate) fn concat_type(given: &Given<'_, '_>) -> Result<Type, Wrong> {
    Ok(joined_lists(given).unwrap_or(Type::Dynamic))
}

/// FN02
pub(crate) fn concat(given: &Given<'_, '_>) -> Made {
    if given.arguments.is_empty() {
        return Err(Wrong::Call);
    }
    let own = given.arguments.iter().fold(Marks(0), |own, list| own.and(list.marks.own));
    if let Some(ty) = joined_lists(given) {
        if given.arguments.iter().any(|list| list.value.is_unknown()) {
            return Ok(make::not_null(ty).into());
        }
        let mut parts = Vec::new();
        for list in &given.arguments {
            let list = list.convert(&ty).ok_or(Wrong::Call)?;
            given.spend(list.value.node().parts().len())?;
            parts.extend(list.parts());
        }
        let element = ty.element().cloned().unwrap_or(Type::Dynamic);
        return Marked::list(&element, parts).map(|list| list.with(own)).ok_or(Wrong::Call);
    }
    let (mut parts, mut is_known) = (Vec::new(), true);
    if given.arguments.iter().any(|list| list.ty().is_dynamic()) {
        return dynamic();
    }
    for list in &given.arguments {
        match list.ty() {
            Type::Tuple(tuple) if list.value.is_unknown() => {
                is_known = false;
                parts.extend(tuple.elements().iter().map(|ty| Marked::from(Value::unknown(ty.clone()))));
            }
            Type::List(_) if list.value.is_unknown() => return dynamic(),
            Type::List(_) | Type::Tuple(_) => {
                given.spend(list.value.node().parts().len())?;
                parts.extend(list.parts());
            }
            _ => return Err(Wrong::Argument),
        }
    }
    let made = Marked::tuple(parts);
    Ok(if is_known { made.with(own) } else { make::not_null(made.ty().clone()).into() })
}

/// FN07
pub(crate) fn element(given: &Given<'_, '_>) -> Made {
    let (list, at) = (given.get(0)?, given.get(1)?);
    let own = list.marks.own.and(at.marks.own);
    let (count, is_tuple) = match list.ty() {
        Type::Dynamic => return Ok(Marked::from(Value::unknown(Type::Dynamic)).with(at.marks.own)),
        Type::List(_) => (list.value.node().parts().len(), false),
        Type::Tuple(tuple) => (tuple.len(), true),
        _ => return Err(Wrong::Call),
    };
    // An unknown result has only the marks of the index.
    let unknown = |ty: &Type| Ok(Marked::from(Value::unknown(ty.clone())).with(at.marks.own));
    if at.value.is_unknown() {
        return unknown(list.ty().element().unwrap_or(&Type::Dynamic));
    }
    if let (Some(element), true) = (list.ty().element(), list.value.is_unknown()) {
        return unknown(element);
    }
    let at = given.number(1)?.to_i64().ok_or(Wrong::Call)?;
    if !given.number(1)?.is_whole() {
        return Err(Wrong::Call);
    }
    if count == 0 || (is_tuple && at % (count as i64) < 0 && given.dialect().refuses_negative_elements_of_tuples()) {
        return Err(Wrong::Call);
    }
    let at = at.rem_euclid(count as i64) as usize;
    match list.ty() {
        Type::Tuple(tuple) if list.value.is_unknown() => unknown(&tuple.elements()[at]),
        _ => Ok(list.part(at).with(own)),
    }
}

/// FN14
pub(crate) fn flatten(given: &Given<'_, '_>) -> Made {
    let whole = given.get(0)?;
    // A value with keys is accepted if it is not wholly known.
    let has_keys = matches!(whole.ty(), Type::Map(_) | Type::Object(_));
    if !opens(whole.ty()) && (!has_keys || whole.value.is_wholly_known()) {
        return Err(Wrong::Call);
    }
    let mut flat = Flat { parts: Vec::new(), marks: Marks(0), is_known: true };
    flat.open(whole, given)?;
    let made = if flat.is_known { Marked::tuple(flat.parts) } else { Value::unknown(Type::Dynamic).into() };
    Ok(made.with(flat.marks))
}

fn opens(ty: &Type) -> bool {
    matches!(ty, Type::List(_) | Type::Set(_) | Type::Tuple(_))
}

struct Flat {
    parts: Vec<Marked>,
    marks: Marks,
    is_known: bool,
}

impl Flat {
    fn open(&mut self, whole: &Marked, given: &Given<'_, '_>) -> Result<(), Wrong> {
        self.marks = self.marks.and(whole.marks.own);
        let parts = whole.parts();
        if matches!(whole.ty(), Type::Set(_)) && parts.len() > 1 && !whole.value.is_wholly_known() {
            // Unknown elements may be equal to others.
            self.is_known = false;
            return Ok(());
        }
        for part in parts {
            given.spend(1)?;
            let is_unknown = part.value.is_unknown();
            // A marked unknown without a type is kept as an element.
            if is_unknown && ((part.ty().is_dynamic() && part.marks.is_empty()) || opens(part.ty())) {
                self.is_known = false;
                self.marks = self.marks.and(part.marks.all());
            } else if opens(part.ty()) && !part.value.is_null() {
                self.open(&part, given)?;
            } else {
                self.parts.push(part);
            }
        }
        Ok(())
    }
}

fn has_one_length(list: &Value) -> bool {
    length_bounds(list.view()).is_some_and(|(least, most)| least == most)
}

/// FN29
pub(crate) fn slice(given: &Given<'_, '_>) -> Made {
    let whole = given.get(0)?;
    let of_bounds = given.get(1)?.marks.own.and(given.get(2)?.marks.own);
    let own = whole.marks.own.and(of_bounds);
    let is_unknown_bound = given.value(1)?.is_unknown() || given.value(2)?.is_unknown();
    let count = match whole.ty() {
        Type::Dynamic => return Ok(Marked::from(Value::unknown(Type::Dynamic)).with(of_bounds)),
        // The engine iterates an unknown list of one known length, and fails because the list may be null.
        Type::List(_) if whole.value.is_unknown() && has_one_length(&whole.value) => return Err(Wrong::Call),
        Type::List(_) => (!whole.value.is_unknown()).then(|| whole.value.node().parts().len()),
        Type::Tuple(tuple) => Some(tuple.len()),
        _ => return Err(Wrong::Argument),
    };
    let most = count.map_or(i64::MAX, |count| count as i64);
    // A known bound is checked even if the other is unknown.
    for at in [1, 2] {
        let is_unknown = given.value(at)?.is_unknown();
        if !is_unknown && !given.whole(at).is_ok_and(|bound| (0..=most).contains(&bound)) {
            return Err(Wrong::Argument);
        }
    }
    if is_unknown_bound || count.is_none() {
        if !is_unknown_bound && given.whole(1)? > given.whole(2)? {
            return Err(Wrong::Argument);
        }
        let is_tuple = matches!(whole.ty(), Type::Tuple(_));
        let made = if is_tuple { Value::unknown(Type::Dynamic) } else { make::not_null(whole.ty().clone()) };
        return Ok(Marked::from(made).with(of_bounds));
    }
    let (start, end) = (given.whole(1)?, given.whole(2)?);
    if end < start {
        return Err(Wrong::Argument);
    }
    let range = start as usize..end as usize;
    if let (Type::Tuple(tuple), true) = (whole.ty(), whole.value.is_unknown()) {
        let ty = Type::tuple(tuple.elements()[range].to_vec());
        return Ok(Marked::from(make::not_null(ty)).with(own));
    }
    let parts: Vec<Marked> = range.map(|at| whole.part(at)).collect();
    let made = match whole.ty().element() {
        Some(element) => Marked::list(element, parts).ok_or(Wrong::Call)?,
        None => Marked::tuple(parts),
    };
    Ok(made.with(own))
}

fn list(ty: &Type, nodes: Vec<Node>) -> Marked {
    Value::from_parts(ty.clone(), Node::seq(nodes)).into()
}

/// Nodes of one type, looked up by hash.
#[derive(Default)]
pub(crate) struct Seen(HashMap<u64, Vec<Node>>);

impl Seen {
    pub fn insert(&mut self, ty: &Type, node: &Node) -> bool {
        let same = self.0.entry(structural_hash(node)).or_default();
        if same.iter().any(|other| raw_equals(ValueRef::new(ty, other), ValueRef::new(ty, node))) {
            return false;
        }
        same.push(node.clone());
        true
    }

    pub fn has(&self, ty: &Type, node: &Node) -> bool {
        let same = self.0.get(&structural_hash(node));
        same.is_some_and(|same| same.iter().any(|other| raw_equals(ValueRef::new(ty, other), ValueRef::new(ty, node))))
    }
}

/// FN30
pub(crate) fn distinct(given: &Given<'_, '_>) -> Made {
    let whole = given.value(0)?;
    if !whole.is_wholly_known() {
        return Ok(make::not_null(whole.ty().clone()).into());
    }
    let Some(element) = whole.ty().element() else { return Err(Wrong::Call) };
    let mut seen = Seen::default();
    let nodes = whole.node().parts().iter().filter(|node| seen.insert(element, node)).cloned().collect();
    Ok(list(whole.ty(), nodes))
}

/// FN31
pub(crate) fn compact(given: &Given<'_, '_>) -> Made {
    let whole = given.value(0)?;
    if !whole.is_wholly_known() {
        return Ok(make::not_null(whole.ty().clone()).into());
    }
    let is_kept = |node: &&Node| matches!(node, Node::String(text) if !text.is_empty());
    Ok(list(whole.ty(), whole.node().parts().iter().filter(is_kept).cloned().collect()))
}

/// FN32
pub(crate) fn one(given: &Given<'_, '_>) -> Made {
    let whole = given.get(0)?;
    let element = match whole.ty() {
        Type::Dynamic => return dynamic(),
        Type::List(element) | Type::Set(element) => (**element).clone(),
        Type::Tuple(tuple) if tuple.len() < 2 => tuple.elements().first().cloned().unwrap_or(Type::Dynamic),
        _ => return Err(Wrong::Argument),
    };
    if whole.value.is_unknown() {
        return Ok(Value::unknown(element).into());
    }
    let parts = whole.value.node().parts();
    // A partly known set of several elements may have one element in the end.
    if parts.len() > 1 && matches!(whole.ty(), Type::Set(_)) && !whole.value.is_wholly_known() {
        return Ok(Value::unknown(element).into());
    }
    match parts {
        [] => Ok(Value::null(element).into()),
        [_] => Ok(whole.part(0)),
        _ => Err(Wrong::Argument),
    }
}

/// FN34
pub(crate) fn reverse(given: &Given<'_, '_>) -> Made {
    let whole = given.get(0)?;
    let own = whole.marks.own;
    let ty = match whole.ty() {
        Type::Dynamic => return dynamic(),
        Type::List(element) | Type::Set(element) => Type::list((**element).clone()),
        Type::Tuple(tuple) => Type::tuple(tuple.elements().iter().rev().cloned().collect()),
        _ => return Err(Wrong::Argument),
    };
    if whole.value.is_unknown() {
        return Ok(make::not_null(ty).into());
    }
    let parts: Vec<Marked> = whole.parts().into_iter().rev().collect();
    let made = match ty.element() {
        Some(element) => Marked::list(element, parts).ok_or(Wrong::Call)?,
        None => Marked::tuple(parts),
    };
    Ok(made.with(own))
}

/// FN34
pub(crate) fn sort(given: &Given<'_, '_>) -> Made {
    let whole = given.value(0)?;
    let nodes = whole.node().parts();
    if whole.is_unknown() {
        let (least, most) = length_bounds(whole.view()).unwrap_or((0, u64::MAX));
        return Ok(make::sized(whole.ty().clone(), least, most).into());
    }
    if !whole.is_wholly_known() {
        return Ok(list(whole.ty(), vec![Node::UNKNOWN; nodes.len()]));
    }
    let mut texts = Vec::with_capacity(nodes.len());
    for node in nodes {
        let Node::String(text) = node else { return Err(Wrong::Call) };
        texts.push(text.clone());
    }
    texts.sort();
    Ok(list(whole.ty(), texts.into_iter().map(Node::String).collect()))
}

pub(crate) fn chunklist_type(given: &Given<'_, '_>) -> Result<Type, Wrong> {
    Ok(Type::list(given.get(0)?.ty().clone()))
}

/// FN35
pub(crate) fn chunklist(given: &Given<'_, '_>) -> Made {
    let whole = given.get(0)?;
    let size = usize::try_from(given.whole(1)?).map_err(|_| Wrong::Call)?;
    let Some(element) = whole.ty().element() else { return Err(Wrong::Call) };
    let parts = whole.parts();
    let size = if size == 0 { parts.len().max(1) } else { size };
    let chunks: Option<Vec<Marked>> = parts.chunks(size).map(|chunk| Marked::list(element, chunk.to_vec())).collect();
    let own = whole.marks.own.and(given.get(1)?.marks.own);
    let chunks = chunks.and_then(|chunks| Marked::list(whole.ty(), chunks)).ok_or(Wrong::Call)?;
    Ok(chunks.with(own))
}

/// FN35
pub(crate) fn index(given: &Given<'_, '_>) -> Made {
    let (whole, wanted) = (given.value(0)?, given.value(1)?);
    if !matches!(whole.ty(), Type::List(_) | Type::Tuple(_)) {
        return Err(Wrong::Call);
    }
    for (at, (_, part)) in whole.view().children().enumerate() {
        match equals(part, wanted.view()) {
            Tri::True => return collections::count(at),
            Tri::Unknown => return Ok(make::not_null(Type::Number).into()),
            Tri::False => {}
        }
    }
    Err(Wrong::Call)
}

/// The types of the keys and of the searched values have to unify, known or not.
pub(crate) fn matchkeys_type(given: &Given<'_, '_>) -> Result<Type, Wrong> {
    let (keys, wanted) = (given.get(1)?.ty(), given.get(2)?.ty());
    let is_open = [keys, wanted].iter().any(|ty| ty.element().is_none_or(Type::is_dynamic));
    if !is_open && unify(&[keys.clone(), wanted.clone()]).is_none() {
        return Err(Wrong::Call);
    }
    same(given)
}

fn same(given: &Given<'_, '_>) -> Result<Type, Wrong> {
    Ok(given.get(0)?.ty().clone())
}

/// FN35
pub(crate) fn matchkeys(given: &Given<'_, '_>) -> Made {
    let (values, keys, wanted) = (given.value(0)?, given.get(1)?, given.get(2)?);
    let ty = unify(&[keys.ty().clone(), wanted.ty().clone()]).ok_or(Wrong::Call)?;
    let (keys, wanted) = (keys.convert(&ty).ok_or(Wrong::Call)?, wanted.convert(&ty).ok_or(Wrong::Call)?);
    if keys.value.node().parts().len() != values.node().parts().len() {
        return Err(Wrong::Call);
    }
    let element = ty.element().cloned().unwrap_or(Type::Dynamic);
    let mut seen = Seen::default();
    for node in wanted.value.node().parts() {
        seen.insert(&element, node);
    }
    let is_known = keys.value.is_wholly_known() && values.is_wholly_known();
    if !is_known && !wanted.value.node().parts().is_empty() {
        return Ok(make::not_null(values.ty().clone()).into());
    }
    if wanted.value.node().contents().has_unknown() {
        return matched_one_by_one(values, &keys.value, &wanted.value);
    }
    let matching = values.node().parts().iter().zip(keys.value.node().parts());
    let nodes = matching.filter(|(_, key)| seen.has(&element, key)).map(|(value, _)| value.clone()).collect();
    Ok(list(values.ty(), nodes))
}

/// The searched values are not all known: a key that only may match one of them makes the whole result empty.
fn matched_one_by_one(values: &Value, keys: &Value, wanted: &Value) -> Made {
    let mut nodes = Vec::new();
    for ((_, key), node) in keys.view().children().zip(values.node().parts()) {
        let mut answers = wanted.view().children().map(|(_, want)| equals(key, want));
        match answers.find(|answer| *answer != Tri::False) {
            Some(Tri::True) => nodes.push(node.clone()),
            Some(_) => return Ok(list(values.ty(), Vec::new())),
            None => {}
        }
    }
    Ok(list(values.ty(), nodes))
}
