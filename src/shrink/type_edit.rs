//! Edits of types, and the corresponding edits of values.

use planfuzz_core::json::Json;

use super::document::{is_typed, member_mut, remove_member, written};
use super::names::letters;

/// One edit somewhere inside a type.
#[derive(Clone, Debug)]
pub struct TypeEdit {
    /// The path to the part that changes.
    path: Vec<Part>,
    change: Change,
}

/// A part of a type.
#[derive(Clone, Debug)]
enum Part {
    /// The element type of a list, set or map.
    Element,
    /// A position of a tuple.
    Position(usize),
    /// An attribute of an object type.
    Attribute(Box<str>),
}

#[derive(Clone, Debug)]
enum Change {
    /// The part becomes a primitive.
    Primitive(&'static str),
    /// The part is replaced by a part of its own.
    Hoist(Part),
    /// A position or attribute is removed.
    Drop(Part),
    /// The optional markers are removed.
    Unmark,
}

/// Placeholders for values: equal ones for equal values.
#[derive(Default)]
pub struct Placeholders {
    seen: Vec<String>,
}

/// All edits that make a type plainer, those that remove most first.
pub fn edits(ty: &Json) -> Vec<TypeEdit> {
    let mut edits = Vec::new();
    collect(ty, &mut Vec::new(), &mut edits);
    edits
}

fn collect(ty: &Json, path: &mut Vec<Part>, edits: &mut Vec<TypeEdit>) {
    let mut add = |path: &[Part], change| edits.push(TypeEdit { path: path.to_vec(), change });
    for primitive in ["string", "bool", "number"] {
        if !matches!(ty, Json::String(name) if **name == *primitive) {
            add(path, Change::Primitive(primitive));
        }
    }
    let parts = parts(ty);
    for (part, _) in &parts {
        add(path, Change::Hoist(part.clone()));
    }
    for (part, _) in parts.iter().filter(|(part, _)| !matches!(part, Part::Element)) {
        add(path, Change::Drop(part.clone()));
    }
    if matches!(ty, Json::Array(words) if words.len() == 3) {
        add(path, Change::Unmark);
    }
    for (part, inner) in parts {
        path.push(part);
        collect(inner, path, edits);
        path.pop();
    }
}

/// The parts of a type, each with its type.
fn parts(ty: &Json) -> Vec<(Part, &Json)> {
    let Json::Array(words) = ty else { return Vec::new() };
    match words.as_slice() {
        [Json::String(kind), Json::Array(elements)] if **kind == *"tuple" => {
            elements.iter().enumerate().map(|(at, element)| (Part::Position(at), element)).collect()
        }
        [Json::String(_), Json::Object(attributes), ..] => {
            attributes.iter().map(|(name, ty)| (Part::Attribute(name.clone()), ty)).collect()
        }
        [Json::String(_), element] => vec![(Part::Element, element)],
        _ => Vec::new(),
    }
}

impl TypeEdit {
    /// Edits a type. A type without the part that the edit is about stays as it is.
    pub fn edit_type(&self, ty: &mut Json) {
        let mut at = ty;
        for part in &self.path {
            let Some(inner) = part_mut(at, part) else { return };
            at = inner;
        }
        match &self.change {
            Change::Primitive(name) => *at = Json::string(name),
            Change::Hoist(part) => {
                if let Some(inner) = part_mut(at, part) {
                    *at = std::mem::replace(inner, Json::Null);
                }
            }
            Change::Drop(part) => drop_part(at, part),
            Change::Unmark => {
                if let Json::Array(words) = at {
                    words.truncate(2);
                }
            }
        }
    }

    /// Turns a value of the type before the edit into one of the edited type.
    pub fn edit_value(&self, value: &mut Json, placeholders: &mut Placeholders) {
        edit_value(value, &self.path, &self.change, placeholders);
    }
}

fn part_mut<'a>(ty: &'a mut Json, part: &Part) -> Option<&'a mut Json> {
    let Json::Array(words) = ty else { return None };
    match (part, words.get_mut(1)?) {
        (Part::Element, element) => Some(element),
        (Part::Position(at), Json::Array(elements)) => elements.get_mut(*at),
        (Part::Attribute(name), attributes) => member_mut(attributes, name),
        (Part::Position(_), _) => None,
    }
}

fn drop_part(ty: &mut Json, part: &Part) {
    let Json::Array(words) = ty else { return };
    match (part, words.as_mut_slice()) {
        (Part::Position(at), [_, Json::Array(elements)]) if *at < elements.len() => drop(elements.remove(*at)),
        (Part::Attribute(name), [_, attributes, rest @ ..]) => {
            remove_member(attributes, name);
            if let [Json::Array(optional)] = rest {
                optional.retain(|one| !matches!(one, Json::String(one) if one == name));
            }
        }
        _ => {}
    }
}

fn edit_value(value: &mut Json, path: &[Part], change: &Change, placeholders: &mut Placeholders) {
    let absent = *value == Json::Null || value.member("$unknown").is_some();
    let Some((part, rest)) = path.split_first() else {
        match change {
            Change::Primitive(name) => *value = placeholders.primitive(value, name),
            Change::Hoist(_) if absent => {}
            Change::Hoist(part) => *value = first_part(value, part),
            Change::Drop(part) if !absent => drop_value(value, part),
            Change::Drop(_) | Change::Unmark => {}
        }
        return;
    };
    if absent {
        return;
    }
    match (part, value) {
        (Part::Element, Json::Array(items)) => {
            items.iter_mut().for_each(|item| edit_value(item, rest, change, placeholders));
        }
        (Part::Element, Json::Object(members)) => {
            members.iter_mut().for_each(|(_, item)| edit_value(item, rest, change, placeholders));
        }
        (Part::Position(at), Json::Array(items)) => {
            if let Some(item) = items.get_mut(*at) {
                edit_value(item, rest, change, placeholders);
            }
        }
        (Part::Attribute(name), object) => {
            if let Some(item) = member_mut(object, &written(name)) {
                edit_value(item, rest, change, placeholders);
            }
        }
        _ => {}
    }
}

fn drop_value(value: &mut Json, part: &Part) {
    match (part, value) {
        (Part::Position(at), Json::Array(items)) if *at < items.len() => drop(items.remove(*at)),
        (Part::Attribute(name), object) => {
            remove_member(object, &written(name));
        }
        _ => {}
    }
}

fn first_part(value: &Json, part: &Part) -> Json {
    let found = match (part, value) {
        (Part::Element, Json::Array(items)) => items.first(),
        (Part::Element, Json::Object(members)) => members.first().map(|(_, item)| item),
        (Part::Position(at), Json::Array(items)) => items.get(*at),
        (Part::Attribute(name), object) => object.member(&written(name)),
        _ => None,
    };
    found.cloned().unwrap_or(Json::Null)
}

impl Placeholders {
    /// The placeholder for a value whose type becomes a primitive: null and unknown stay, and equal values get equal
    /// primitives.
    pub fn primitive(&mut self, value: &Json, primitive: &str) -> Json {
        let inner = if is_typed(value) { value.member("value").unwrap_or(value) } else { value };
        if *inner == Json::Null {
            return Json::Null;
        }
        if let Some(record) = inner.member("$unknown") {
            let record = match record.member("not_null") {
                Some(not_null) => Json::object([("not_null", not_null.clone())]),
                None if *record == Json::Object(Vec::new()) => record.clone(),
                None => Json::Bool(true),
            };
            return Json::object([("$unknown", record)]);
        }
        let text = value.to_compact();
        let index = self.seen.iter().position(|one| *one == text).unwrap_or_else(|| {
            self.seen.push(text);
            self.seen.len() - 1
        });
        match primitive {
            "bool" => Json::Bool(index % 2 == 1),
            "number" => Json::int(index as u64),
            _ => Json::string(&letters(index)),
        }
    }
}
