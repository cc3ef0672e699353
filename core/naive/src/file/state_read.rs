//! A state file as the tree of a state (section 3).

use planfuzz_core::json::Json;

use super::document::parse;
use super::path::{Step, tree as path_tree};
use super::tree::{Made, base64, bytes};
use crate::value::nfc;

/// The largest file that is read, in bytes: a bound of this project.
const MAX_BYTES: usize = 64 << 20;

/// The state; `None` where the bytes are no state file of version 4.
pub fn read_state(bytes: &[u8]) -> Option<Json> {
    if bytes.len() > MAX_BYTES {
        return None;
    }
    let json = parse(bytes)?;
    let mut top = Members::of(&json)?;
    if whole(top.take("version")?)? != 4 {
        return None;
    }
    let mut state = Made::default();
    state.add("terraform_version", text(top.take("terraform_version")?)?);
    add_version(&mut state, "serial", top.take("serial")?)?;
    state.add("lineage", text(top.take("lineage")?)?);
    state.add("outputs", top.take("outputs").map_or(Some(Json::Null), object)?);
    let resources: Vec<Json> = all(top.take("resources"), resource)?;
    let mut seen = Vec::new();
    for object in resources.iter().flat_map(names_of_objects) {
        if seen.contains(&object) {
            return None;
        }
        seen.push(object);
    }
    state.add("resources", Json::Array(resources));
    // An empty list is not the same as an absent one: it is written again.
    if let Some(results) = top.take("check_results").filter(|json| **json != Json::Null) {
        state.put("check_results", results.clone());
    }
    top.none_left()?;
    Some(state.done())
}

/// The members that identify the objects of a resource (ST09).
fn names_of_objects(resource: &Json) -> Vec<[Option<Json>; 6]> {
    let of = |json: &Json, name: &str| json.member(name).cloned();
    let Some(Json::Array(objects)) = resource.member("objects") else { return Vec::new() };
    let [module, mode, ty, name] = ["module", "mode", "type", "name"].map(|member| of(resource, member));
    let names = |object: &Json| {
        let inner = ["key", "deposed"].map(|member| of(object, member));
        let [key, deposed] = inner;
        [module.clone(), mode.clone(), ty.clone(), name.clone(), key, deposed]
    };
    objects.iter().map(names).collect()
}

fn resource(json: &Json) -> Option<Json> {
    let mut members = Members::of(json)?;
    let mut resource = Made::default();
    resource.add("module", members.take("module").map_or(Some(Json::Null), text)?);
    resource.add("mode", one_of(members.take("mode")?, &["managed", "data"])?);
    resource.add("type", text(members.take("type")?)?);
    resource.add("name", text(members.take("name")?)?);
    if let Some(provider) = members.take("provider") {
        resource.put("provider", text(provider)?);
    }
    resource.add("objects", Json::Array(all(members.take("instances"), stored_object)?));
    // Without meaning since 0.12 (ST02).
    members.take("each");
    members.none_left()?;
    Some(resource.done())
}

/// ST03.
fn stored_object(json: &Json) -> Option<Json> {
    let mut members = Members::of(json)?;
    let mut object = Made::default();
    if let Some(index) = members.take("index_key").filter(|json| **json != Json::Null) {
        object.put("key", key(index)?);
    }
    if let Some(deposed) = members.take("deposed") {
        object.put("deposed", deposed_key(deposed)?);
    }
    if let Some(provider) = members.take("provider") {
        object.put("provider", text(provider)?);
    }
    let status = members.take("status").map_or(Some(Json::Null), |json| one_of(json, &["", "tainted"]))?;
    object.add("tainted", Json::Bool(status == Json::string("tainted")));
    add_version(&mut object, "schema_version", members.take("schema_version")?)?;
    attributes(&mut members, &mut object)?;
    object.add("sensitive", Json::Array(all(members.take("sensitive_attributes"), path)?));
    identity(&mut members, &mut object)?;
    object.add("private", members.take("private").map_or(Some(Json::Null), |json| Some(base64(&bytes(json)?)))?);
    for name in ["dependencies", "depends_on"] {
        object.add(name, Json::Array(all(members.take(name), text)?));
    }
    for name in ["create_before_destroy", "skip_destroy"] {
        object.add(name, members.take(name).map_or(Some(Json::Null), flag)?);
    }
    members.none_left()?;
    Some(object.done())
}

/// ST09: an object without attributes has `{}`; both forms at once are an error (ST09a).
fn attributes(members: &mut Members<'_>, object: &mut Made) -> Option<()> {
    match (members.take("attributes"), members.take("attributes_flat")) {
        (Some(_), Some(_)) => return None,
        (Some(attributes), None) => object.add("attributes", self::object(attributes)?),
        (None, Some(flat)) => object.put("attributes_flat", self::object(flat)?),
        (None, None) => {}
    }
    Some(())
}

fn identity(members: &mut Members<'_>, object: &mut Made) -> Option<()> {
    let of = members.take("identity_schema_version").map_or(Some(Json::int(0)), version)?;
    if let Some(identity) = members.take("identity") {
        object.put("identity", self::object(identity)?);
        add_version(object, "identity_schema_version", &of)?;
    }
    Some(())
}

/// Left out where it is 0.
fn add_version(object: &mut Made, name: &str, json: &Json) -> Option<()> {
    if whole(json)? != 0 {
        object.put(name, version(json)?);
    }
    Some(())
}

/// ST04.
fn path(json: &Json) -> Option<Json> {
    let Json::Array(steps) = json else { return None };
    let step = |json: &Json| {
        let mut members = Members::of(json)?;
        let (kind, value) = (members.take("type")?, members.take("value")?);
        members.none_left()?;
        match kind {
            Json::String(kind) if **kind == *"get_attr" => Some(Step::Name(nfc(string(value)?))),
            Json::String(kind) if **kind == *"index" => index(value),
            _ => None,
        }
    };
    steps.iter().map(step).collect::<Option<_>>().map(path_tree)
}

fn index(json: &Json) -> Option<Step> {
    let mut members = Members::of(json)?;
    let (value, ty) = (members.take("value")?, string(members.take("type")?)?);
    members.none_left()?;
    match ty {
        "number" => whole(value).map(Step::Index),
        "string" => Some(Step::Key(nfc(string(value)?))),
        _ => None,
    }
}

fn key(json: &Json) -> Option<Json> {
    match json {
        Json::String(_) => Some(json.clone()),
        Json::Number(text) => text.parse::<i64>().ok().map(Json::int),
        _ => None,
    }
}

fn deposed_key(json: &Json) -> Option<Json> {
    let key = string(json)?;
    let is_one = key.len() == 8 && key.chars().all(|char| "0123456789abcdef".contains(char));
    is_one.then(|| json.clone())
}

fn one_of(json: &Json, texts: &[&str]) -> Option<Json> {
    texts.contains(&string(json)?).then(|| json.clone())
}

fn string(json: &Json) -> Option<&str> {
    match json {
        Json::String(text) => Some(text),
        _ => None,
    }
}

fn text(json: &Json) -> Option<Json> {
    string(json).map(Json::string)
}

fn flag(json: &Json) -> Option<Json> {
    matches!(json, Json::Bool(_)).then(|| json.clone())
}

fn object(json: &Json) -> Option<Json> {
    matches!(json, Json::Object(_)).then(|| json.clone())
}

/// A whole number of 64 bits without a sign, a fraction and an exponent.
fn whole(json: &Json) -> Option<u64> {
    match json {
        Json::Number(text) => text.parse().ok(),
        _ => None,
    }
}

fn version(json: &Json) -> Option<Json> {
    whole(json).map(Json::int)
}

/// Each item of an array; empty where the array is absent.
fn all(json: Option<&Json>, read: impl Fn(&Json) -> Option<Json>) -> Option<Vec<Json>> {
    match json {
        None => Some(Vec::new()),
        Some(Json::Array(items)) => items.iter().map(read).collect(),
        Some(_) => None,
    }
}

/// The members of an object, all of which must be taken.
struct Members<'j> {
    left: Vec<(&'j str, &'j Json)>,
}

impl<'j> Members<'j> {
    fn of(json: &'j Json) -> Option<Members<'j>> {
        match json {
            Json::Object(members) => {
                Some(Members { left: members.iter().map(|(name, json)| (&**name, json)).collect() })
            }
            _ => None,
        }
    }

    /// Takes the member of a name.
    fn take(&mut self, name: &str) -> Option<&'j Json> {
        let at = self.left.iter().position(|(probe, _)| *probe == name)?;
        Some(self.left.remove(at).1)
    }

    fn none_left(&self) -> Option<()> {
        self.left.is_empty().then_some(())
    }
}
