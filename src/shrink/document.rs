//! Navigation in the document of a case: the members of its schema, and their places in its values.

use planfuzz_core::json::Json;

use super::place::{self, Hop, Place};
use super::scenario;

/// The members of a case that hold a value of the schema's type.
const VALUES: [&str; 5] = ["prior", "config", "planned", "actual", "value"];

/// The places of the values of the schema's type.
pub fn values(document: &Json) -> Vec<Place> {
    if scenario::is_one(document) {
        return scenario::values(document);
    }
    let there = VALUES.iter().filter(|name| document.member(name).is_some());
    there.map(|name| vec![Hop::Name((*name).into())]).collect()
}

/// The places of all values: those of the schema's type, and those whose type stands beside them.
pub fn inputs(document: &Json) -> Vec<Place> {
    let mut places = values(document);
    let others = ["a", "b"].into_iter().filter(|name| document.member(name).is_some());
    places.extend(others.map(|name| vec![Hop::Name(name.into())]));
    places
}

/// A member of a schema: the names on the path to it, each with its kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// From the root.
    pub steps: Vec<Step>,
}

/// One name on the path to a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The name.
    pub name: Box<str>,
    /// What it names.
    pub kind: Kind,
}

/// The kind of schema member that a name stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An attribute with a type.
    Leaf,
    /// An attribute with a nested type, of a mode.
    Nested(Box<str>),
    /// A nested block, of a mode.
    Block(Box<str>),
}

impl Step {
    /// The nesting mode, for a step that has objects inside.
    pub fn mode(&self) -> Option<&str> {
        match &self.kind {
            Kind::Leaf => None,
            Kind::Nested(mode) | Kind::Block(mode) => Some(mode),
        }
    }
}

/// The member with a name, to change.
pub fn member_mut<'a>(json: &'a mut Json, name: &str) -> Option<&'a mut Json> {
    match json {
        Json::Object(members) => members.iter_mut().find(|(probe, _)| **probe == *name).map(|(_, value)| value),
        _ => None,
    }
}

/// Removes a member. Returns whether it was present.
pub fn remove_member(json: &mut Json, name: &str) -> bool {
    let Json::Object(members) = json else { return false };
    let before = members.len();
    members.retain(|(probe, _)| **probe != *name);
    members.len() < before
}

/// The members of an object; none for anything else.
pub fn entries(json: Option<&Json>) -> &[(Box<str>, Json)] {
    match json {
        Some(Json::Object(members)) => members,
        _ => &[],
    }
}

/// Every member of the schema of a case, the outer ones before the inner ones.
pub fn members(document: &Json) -> Vec<Member> {
    let mut found = Vec::new();
    let block = document.member("schema").and_then(|schema| schema.member("block"));
    let is_sdk = is_sdk(document);
    let mut level = vec![(Vec::new(), if is_sdk { document.member(SDK) } else { block })];
    while !level.is_empty() {
        let mut next = Vec::new();
        for (steps, object) in level {
            let direct: Vec<_> = if is_sdk { sdk_members(object).collect() } else { direct_members(object).collect() };
            for (step, inner) in direct {
                let mut steps: Vec<Step> = steps.clone();
                steps.push(step);
                next.push((steps.clone(), inner));
                found.push(Member { steps });
            }
        }
        level = next;
    }
    found
}

/// The member of a case that holds an SDK schema.
const SDK: &str = "sdk_schema";

/// Whether the schema of a case is one of the SDK (Z01).
pub fn is_sdk(document: &Json) -> bool {
    document.member(SDK).is_some()
}

/// The fields of a resource. A field that is a block for Core (Z02) comes with the resource inside it.
fn sdk_members(fields: Option<&Json>) -> impl Iterator<Item = (Step, Option<&Json>)> {
    entries(fields).iter().map(|(name, field)| {
        let resource = field.member("elem").and_then(|elem| elem.member("resource"));
        let flag = |name| field.member(name) == Some(&Json::Bool(true));
        let is_block = match field.member("config_mode") {
            Some(Json::String(mode)) => **mode == *"block",
            _ => !flag("computed") || flag("optional"),
        };
        let mode: Box<str> = match field.member("type") {
            Some(Json::String(mode)) => mode.clone(),
            _ => "".into(),
        };
        match resource.filter(|_| is_block) {
            Some(resource) => (Step { name: name.clone(), kind: Kind::Block(mode) }, Some(resource)),
            None => (Step { name: name.clone(), kind: Kind::Leaf }, None),
        }
    })
}

/// The members of a block or nested type, each with the block or nested type inside it.
fn direct_members(object: Option<&Json>) -> impl Iterator<Item = (Step, Option<&Json>)> {
    let part = |name| entries(object.and_then(|object| object.member(name))).iter();
    let attributes = part("attributes").map(|(name, attribute)| {
        let nested = attribute.member("nested_type");
        let kind = nested.map_or(Kind::Leaf, |nested| Kind::Nested(mode(nested)));
        (Step { name: name.clone(), kind }, nested)
    });
    let blocks = part("block_types")
        .map(|(name, block)| (Step { name: name.clone(), kind: Kind::Block(mode(block)) }, block.member("block")));
    attributes.chain(blocks)
}

fn mode(json: &Json) -> Box<str> {
    match json.member("nesting_mode") {
        Some(Json::String(mode)) => mode.clone(),
        _ => "".into(),
    }
}

/// The description of a member in the schema of a case: of an attribute, or of a nested block.
pub fn description_mut<'a>(document: &'a mut Json, member: &Member) -> Option<&'a mut Json> {
    let (last, outer) = member.steps.split_last()?;
    member_mut(table_mut(document, outer, last)?, &last.name)
}

/// Removes a member from the schema of a case.
pub fn remove_description(document: &mut Json, member: &Member) {
    let Some((last, outer)) = member.steps.split_last() else { return };
    if let Some(table) = table_mut(document, outer, last) {
        remove_member(table, &last.name);
    }
}

/// The table in which a member of the object at `outer` is described.
pub fn table_mut<'a>(document: &'a mut Json, outer: &[Step], last: &Step) -> Option<&'a mut Json> {
    let is_sdk = is_sdk(document);
    let object = object_mut(document, outer)?;
    if is_sdk { Some(object) } else { member_mut(object, part_of(last)) }
}

/// The member of a block or nested type that lists members of this kind.
pub fn part_of(step: &Step) -> &'static str {
    match step.kind {
        Kind::Leaf | Kind::Nested(_) => "attributes",
        Kind::Block(_) => "block_types",
    }
}

/// The block or nested type that steps lead into; in a schema of the SDK the fields of the resource.
pub fn object_mut<'a>(document: &'a mut Json, steps: &[Step]) -> Option<&'a mut Json> {
    if is_sdk(document) {
        let inner = |fields: &'a mut Json, step: &Step| {
            member_mut(member_mut(member_mut(fields, &step.name)?, "elem")?, "resource")
        };
        return steps.iter().try_fold(member_mut(document, SDK)?, inner);
    }
    let mut object = member_mut(member_mut(document, "schema")?, "block")?;
    for step in steps {
        let description = member_mut(member_mut(object, part_of(step))?, &step.name)?;
        object = match step.kind {
            Kind::Leaf => return None,
            Kind::Nested(_) => member_mut(description, "nested_type")?,
            Kind::Block(_) => member_mut(description, "block")?,
        };
    }
    Some(object)
}

/// An object that may hold a member, and the name of the member in it.
pub struct Holder<'a> {
    /// The object of a value, or the table of attributes of an object type.
    pub json: &'a mut Json,
    /// The member's name in the form used there.
    pub name: String,
    /// Whether it is an object type.
    pub is_type: bool,
}

/// Called with each holder.
pub type Edit<'e> = &'e mut dyn FnMut(Holder<'_>);

/// Calls `edit` with every object, in every value of the case, that may hold the member; and with the object types of
/// values that are written with their types.
pub fn for_each_holder(document: &mut Json, member: &Member, edit: Edit<'_>) {
    for place in values(document) {
        if let Some(value) = place::at_mut(document, &place) {
            in_value(value, &member.steps, edit);
        }
    }
    scenario::for_each_drift(document, &mut |names, into_element, value| {
        let inside =
            member.steps.len() > names.len() && member.steps.iter().zip(names).all(|(step, name)| *step.name == **name);
        match member.steps.split_at_checked(names.len()) {
            Some((outer, rest)) if inside => match outer.last() {
                Some(last) if !into_element => in_container(value, last, rest, edit),
                _ => in_value(value, rest, edit),
            },
            _ => {}
        }
    });
}

/// The form of a name in a value, where a leading `$` is doubled.
pub fn written(name: &str) -> String {
    if name.starts_with('$') { format!("${name}") } else { name.to_owned() }
}

fn in_value(value: &mut Json, steps: &[Step], edit: Edit<'_>) {
    let Some((step, rest)) = steps.split_first() else { return };
    if !matches!(value, Json::Object(_)) || value.member("$unknown").is_some() {
        return;
    }
    let name = written(&step.name);
    if rest.is_empty() {
        return edit(Holder { json: value, name, is_type: false });
    }
    if let Some(inner) = member_mut(value, &name) {
        in_container(inner, step, rest, edit);
    }
}

fn in_container(value: &mut Json, step: &Step, rest: &[Step], edit: Edit<'_>) {
    if is_typed(value) {
        if let Some(ty) = member_mut(value, "type") {
            in_container_type(ty, step, rest, edit);
        }
        if let Some(inner) = member_mut(value, "value") {
            in_container(inner, step, rest, edit);
        }
        return;
    }
    match (step.mode(), value) {
        (Some("list" | "set"), Json::Array(items)) => items.iter_mut().for_each(|item| in_value(item, rest, edit)),
        (Some("map"), map @ Json::Object(_)) if map.member("$unknown").is_none() => {
            if let Json::Object(members) = map {
                members.iter_mut().for_each(|(_, item)| in_value(item, rest, edit));
            }
        }
        (Some("single" | "group"), object) => in_value(object, rest, edit),
        _ => {}
    }
}

/// Whether a value is written with its type.
pub fn is_typed(value: &Json) -> bool {
    matches!(value, Json::Object(members) if members.len() == 2)
        && value.member("type").is_some()
        && value.member("value").is_some()
}

/// As `in_container`, for a type: `edit` gets the table of attributes of each object type.
fn in_container_type(ty: &mut Json, step: &Step, rest: &[Step], edit: Edit<'_>) {
    if matches!(step.mode(), Some("single" | "group")) {
        return in_type(ty, rest, edit);
    }
    let Json::Array(parts) = ty else { return };
    match (step.mode(), parts.as_mut_slice()) {
        (_, [Json::String(_), Json::Array(elements)])
            if elements.iter().all(|part| !matches!(part, Json::String(_))) =>
        {
            elements.iter_mut().for_each(|element| in_type(element, rest, edit));
        }
        (Some("map"), [Json::String(kind), Json::Object(attributes), ..]) if **kind == *"object" => {
            attributes.iter_mut().for_each(|(_, element)| in_type(element, rest, edit));
        }
        (_, [Json::String(_), element]) => in_type(element, rest, edit),
        _ => {}
    }
}

fn in_type(ty: &mut Json, steps: &[Step], edit: Edit<'_>) {
    let Some((step, rest)) = steps.split_first() else { return };
    let Json::Array(parts) = ty else { return };
    let [Json::String(kind), attributes, ..] = parts.as_mut_slice() else { return };
    if **kind != *"object" {
        return;
    }
    if rest.is_empty() {
        return edit(Holder { json: attributes, name: step.name.to_string(), is_type: true });
    }
    if let Some(inner) = member_mut(attributes, &step.name) {
        in_container_type(inner, step, rest, edit);
    }
}

/// Removes the types of values that no longer need one, because an edit removed the last `dynamic` from their part of the
/// schema.
pub fn without_needless_types(document: &mut Json) {
    for member in members(document) {
        if description_mut(document, &member).is_some_and(|description| has_dynamic(description)) {
            continue;
        }
        for_each_holder(document, &member, &mut |holder| {
            if holder.is_type {
                return;
            }
            if let Some(value) = member_mut(holder.json, &holder.name)
                && is_typed(value)
                && let Some(inner) = member_mut(value, "value")
            {
                *value = std::mem::replace(inner, Json::Null);
            }
        });
    }
}

fn has_dynamic(description: &Json) -> bool {
    match description {
        Json::String(word) => **word == *"dynamic",
        Json::Array(items) => items.iter().any(has_dynamic),
        Json::Object(members) => members.iter().any(|(_, item)| has_dynamic(item)),
        _ => false,
    }
}
