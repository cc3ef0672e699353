//! A configuration that could have made a state: a block for each resource, a call for each module.

use std::collections::{BTreeMap, BTreeSet};

use planfuzz_core::address::ProviderSource;
use planfuzz_core::dialect::Engine;
use planfuzz_core::json::Json;

use super::Stored;
use super::edits::{member_mut, object_at};

/// Files for what is stored, by their paths.
pub(super) fn files(stored: &[Stored<'_>], providers: &Json, engine: Engine) -> BTreeMap<String, Json> {
    let mut files = BTreeMap::from([("main.tf.json".to_owned(), Json::Object(Vec::new()))]);
    for resource in stored.iter().filter(|resource| !resource.instances.is_empty()) {
        let path = modules(resource.module);
        calls(&path, stored, &mut files);
        let file = files.entry(file_of(&path)).or_insert_with(|| Json::Object(Vec::new()));
        let local = planfuzz_language::config::local_name_of(resource.type_name);
        if is_elsewhere(&resource.source, local, engine) {
            let source = Json::object([("source", Json::string(&resource.source))]);
            let settings = object_at(file, "terraform");
            member_mut(object_at(settings, "required_providers"), local, source);
        }
        // A module would need the alias passed by its caller: it uses the default configuration.
        let alias = resource.alias.as_ref().filter(|_| path.is_empty());
        if let Some(alias) = alias {
            let block = Json::object([("alias", Json::string(alias))]);
            let blocks = object_at(file, "provider");
            let known = blocks.items_of(local).to_vec();
            let all = if known.contains(&block) { known } else { [known, vec![block]].concat() };
            member_mut(blocks, local, Json::Array(all));
        }
        let mut body = repetition(resource.instances.iter().map(|(key, _)| key));
        if let Some(alias) = alias {
            body.push(("provider".to_owned(), Json::string(&format!("{local}.{alias}"))));
        }
        body.extend(arguments(resource, providers));
        let of_type = object_at(object_at(file, "resource"), resource.type_name);
        member_mut(
            of_type,
            resource.name,
            Json::object(body.iter().map(|(name, value)| (name.as_str(), value.clone()))),
        );
    }
    files
}

/// Whether the source is neither the engine's default for the local name nor the built-in provider.
fn is_elsewhere(source: &str, local: &str, engine: Engine) -> bool {
    source != ProviderSource::default_of(engine, local).to_string() && source != ProviderSource::builtin().to_string()
}

/// The names of the calls of a module's address, and the keys of each.
fn modules(address: &str) -> Vec<(String, Json)> {
    let mut found = Vec::new();
    let mut rest = address;
    while let Some(after) = rest.strip_prefix("module.") {
        let end = after.find(['.', '[']).unwrap_or(after.len());
        let (name, next) = after.split_at(end);
        let (key, next) = match next.strip_prefix('[') {
            Some(inside) => {
                // A key may hold any character; its text ends with a quote before the bracket.
                let end = if inside.starts_with('"') { inside.find("\"]").map(|at| at + 1) } else { inside.find(']') };
                let end = end.unwrap_or(inside.len());
                let key = Json::parse(&inside[..end]).unwrap_or(Json::Null);
                (key, inside.get(end + 1..).unwrap_or_default())
            }
            None => (Json::Null, next),
        };
        found.push((name.to_owned(), key));
        rest = next.strip_prefix('.').unwrap_or_default();
    }
    found
}

fn file_of(path: &[(String, Json)]) -> String {
    let dir: String = path.iter().map(|(name, _)| format!("m-{name}/")).collect();
    format!("{dir}main.tf.json")
}

/// The calls on the way to a module, each with all of its keys.
fn calls(path: &[(String, Json)], stored: &[Stored<'_>], files: &mut BTreeMap<String, Json>) {
    for depth in 0..path.len() {
        let names = |path: &[(String, Json)]| path.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        let own = names(&path[..=depth]);
        let all = stored.iter().map(|resource| modules(resource.module));
        let keys: Vec<Json> = all
            .filter(|other| other.len() > depth && names(&other[..=depth]) == own)
            .map(|other| other[depth].1.clone())
            .collect();
        let mut body = repetition(keys.iter());
        body.insert(0, ("source".to_owned(), Json::string(&format!("./m-{}", path[depth].0))));
        let file = files.entry(file_of(&path[..depth])).or_insert_with(|| Json::Object(Vec::new()));
        let body = Json::object(body.iter().map(|(name, value)| (name.as_str(), value.clone())));
        member_mut(object_at(file, "module"), &path[depth].0, body);
    }
}

/// `count` or `for_each` for keys.
fn repetition<'k>(keys: impl Iterator<Item = &'k Json>) -> Vec<(String, Json)> {
    let (mut count, mut names) = (0, BTreeSet::new());
    for key in keys {
        match key {
            Json::String(name) => drop(names.insert(name.to_string())),
            key => count = count.max(key.expect_u64().map_or(0, |index| index.saturating_add(1))),
        }
    }
    match (count, names.is_empty()) {
        (0, true) => Vec::new(),
        (_, false) => {
            let each = names.iter().map(|name| (name.as_str(), Json::string(&literal(name))));
            vec![("for_each".to_owned(), Json::object(each))]
        }
        (count, true) => vec![("count".to_owned(), Json::int(count))],
    }
}

/// A text that is no template.
fn literal(text: &str) -> String {
    text.replace("${", "$${").replace("%{", "%%{")
}

/// The arguments of a resource: the values of its first object, without those that only a provider can set.
fn arguments(resource: &Stored<'_>, providers: &Json) -> Vec<(String, Json)> {
    let schema = providers
        .member(&resource.source)
        .and_then(|provider| provider.member("resource_schemas")?.member(resource.type_name)?.member("block"));
    let (Some(block), Some((_, attributes))) = (schema, resource.instances.first()) else { return Vec::new() };
    let written = written(block, attributes);
    written.into_iter().filter(|(name, _)| name != "id").collect()
}

/// The arguments and blocks that a schema's block allows, with the stored values.
fn written(block: &Json, values: &Json) -> Vec<(String, Json)> {
    let mut found = Vec::new();
    for (name, attribute) in block.entries_of("attributes") {
        let is = |flag: &str| attribute.member(flag) == Some(&Json::Bool(true));
        let value = values.member(name).filter(|value| **value != Json::Null);
        let Some(value) = value.filter(|_| (is("optional") || is("required")) && !is("write_only")) else { continue };
        let value = match attribute.member("nested_type") {
            Some(nested) => nested_written(nested, value),
            None if attribute.member("type") == Some(&Json::string("dynamic")) => {
                value.member("value").cloned().map_or(Json::Null, |value| plain(&value))
            }
            None => plain(value),
        };
        found.push((name.to_string(), value));
    }
    for (name, nested) in block.entries_of("block_types") {
        let Some(value) = values.member(name).filter(|value| !is_nothing(value)) else { continue };
        found.push((name.to_string(), nested_written(nested.member("block").unwrap_or(&Json::Null), value)));
    }
    found
}

/// Objects of a nested type or block, one or many.
fn nested_written(block: &Json, value: &Json) -> Json {
    let is_object =
        |value: &Json| block.member("nesting_mode") != Some(&Json::string("map")) && matches!(value, Json::Object(_));
    match value {
        Json::Array(items) => Json::Array(items.iter().map(|item| nested_written(block, item)).collect()),
        value if is_object(value) => {
            let members = written(block, value);
            Json::object(members.iter().map(|(name, value)| (name.as_str(), value.clone())))
        }
        other => plain(other),
    }
}

fn is_nothing(value: &Json) -> bool {
    match value {
        Json::Null => true,
        Json::Array(items) => items.is_empty(),
        Json::Object(members) => members.is_empty(),
        _ => false,
    }
}

/// A value without templates.
fn plain(value: &Json) -> Json {
    match value {
        Json::String(text) => Json::string(&literal(text)),
        Json::Array(items) => Json::Array(items.iter().map(plain).collect()),
        Json::Object(members) => {
            Json::Object(members.iter().map(|(name, value)| (literal(name).into(), plain(value))).collect())
        }
        other => other.clone(),
    }
}
