//! Schemas and models of the types that a state and its configuration have: those that are given, or made of the values.

use std::collections::{BTreeMap, BTreeSet};

use planfuzz_core::address::ProviderSource;
use planfuzz_core::json::Json;
use planfuzz_workspace::builtin;

use super::{KeptError, Stored};
use crate::model::TypeModel;

/// How deep types of values are looked at.
const MAX_DEPTH: usize = 16;

/// The types that files name: mode and type.
pub(super) fn named(files: &BTreeMap<String, Json>) -> BTreeSet<(&'static str, String)> {
    let mut found = BTreeSet::new();
    for file in files.values() {
        for mode in ["resource", "data", "ephemeral"] {
            found.extend(file.entries_of(mode).iter().map(|(name, _)| (mode, name.to_string())));
        }
    }
    found
}

/// The providers that files name, by local name or source, whether or not a resource uses them.
pub(super) fn providers(files: &BTreeMap<String, Json>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for file in files.values() {
        let blocks = |name: &str| file.member(name).map_or(&[][..], Json::listed).iter();
        found.extend(blocks("provider").flat_map(Json::entries).map(|(name, _)| name.to_string()));
        for (_, requirement) in blocks("terraform").flat_map(|block| block.entries_of("required_providers")) {
            let source = requirement.member("source").and_then(|source| source.expect_string().ok());
            found.extend(source.map(str::to_owned));
        }
    }
    found
}

/// What files and a state name.
#[derive(Debug, Default)]
pub(super) struct Named {
    /// Mode and type.
    pub types: BTreeSet<(&'static str, String)>,
    /// See [`providers`].
    pub providers: BTreeSet<String>,
}

/// The member of a provider's schemas for each mode.
const MEMBERS: [(&str, &str); 3] =
    [("resource", "resource_schemas"), ("data", "data_source_schemas"), ("ephemeral", "ephemeral_resource_schemas")];

/// The given schemas without unused types: a provider may have thousands.
pub(super) fn given(schemas: &Json, stored: &[Stored<'_>], named: &Named) -> Result<Json, KeptError> {
    let all = schemas.member("provider_schemas").unwrap_or(schemas).expect_object()?;
    let mut wanted = named.types.clone();
    wanted.extend(stored.iter().map(|resource| ("resource", resource.type_name.to_owned())));
    let is_named =
        |source: &str| named.providers.iter().any(|name| source == name || source.ends_with(&format!("/{name}")));
    let mut providers = Vec::new();
    for (source, provider) in all {
        let mut members = vec![("provider", provider.member("provider").cloned().unwrap_or_else(no_arguments))];
        for (mode, member) in MEMBERS {
            let kept =
                provider.entries_of(member).iter().filter(|(name, _)| wanted.contains(&(mode, name.to_string())));
            let kept: Vec<_> = kept.map(|(name, schema)| (&**name, schema.clone())).collect();
            if !kept.is_empty() {
                members.push((member, Json::object(kept)));
            }
        }
        if members.len() > 1 || is_named(source) || stored.iter().any(|resource| resource.source == **source) {
            providers.push((source.to_string(), Json::object(members)));
        }
    }
    let providers = with_builtin(providers, stored, &named.types);
    for resource in stored {
        let provider = providers.iter().find(|(source, _)| *source == resource.source);
        let types = provider.and_then(|(_, provider)| provider.member("resource_schemas"));
        if types.and_then(|types| types.member(resource.type_name)).is_none() {
            let of = format!("{} of {}", resource.type_name, resource.source);
            return Err(KeptError::NoSchema { of, place: "--schemas" });
        }
    }
    Ok(Json::object(providers.iter().map(|(source, provider)| (source.as_str(), provider.clone()))))
}

/// Schemas by the values of the state: every attribute can be configured and computed.
pub(super) fn derived(stored: &[Stored<'_>], named: &BTreeSet<(&'static str, String)>) -> Result<Json, KeptError> {
    let mut types: BTreeMap<(&str, &str), BTreeMap<String, Option<Json>>> = BTreeMap::new();
    for resource in stored {
        let of = types.entry((&resource.source, resource.type_name)).or_default();
        for (_, attributes) in &resource.instances {
            for (name, value) in attributes.expect_object()? {
                let known = of.entry(name.to_string()).or_default();
                *known = known.take().or_else(|| type_of(value, 0));
            }
        }
    }
    let is_known = |(mode, name): &&(&'static str, String)| {
        *mode == "resource" && (name == builtin::TYPE || types.keys().any(|(_, known)| known == name))
    };
    if let Some((_, name)) = named.iter().find(|one| !is_known(one)) {
        return Err(KeptError::NoSchema { of: name.clone(), place: "the state: --schemas has them" });
    }
    let mut providers: BTreeMap<String, Vec<(&str, Json)>> = BTreeMap::new();
    for ((source, type_name), attributes) in &types {
        let attribute = |(name, ty): (&String, &Option<Json>)| {
            let ty = ty.clone().unwrap_or_else(|| Json::string("string"));
            let flags = [("type", ty), ("optional", Json::Bool(true)), ("computed", Json::Bool(true))];
            (name.clone(), Json::object(flags))
        };
        let attributes: Vec<(String, Json)> = attributes.iter().map(attribute).collect();
        let attributes = Json::object(attributes.iter().map(|(name, of)| (name.as_str(), of.clone())));
        let schema = [("version", Json::int(0u8)), ("block", Json::object([("attributes", attributes)]))];
        providers.entry((*source).to_owned()).or_default().push((type_name, Json::object(schema)));
    }
    let providers = providers.into_iter().map(|(source, types)| {
        let members = [("provider", no_arguments()), ("resource_schemas", Json::object(types))];
        (source, Json::object(members))
    });
    let providers = with_builtin(providers.collect(), stored, named);
    Ok(Json::object(providers.iter().map(|(source, provider)| (source.as_str(), provider.clone()))))
}

/// Adds the schema of the engine's built-in type. What is known of other types of its provider stays.
fn with_builtin(
    mut providers: Vec<(String, Json)>,
    stored: &[Stored<'_>],
    named: &BTreeSet<(&'static str, String)>,
) -> Vec<(String, Json)> {
    let own = ProviderSource::builtin().to_string();
    let is_stored = stored.iter().any(|resource| resource.source == own);
    if is_stored || named.contains(&("resource", builtin::TYPE.to_owned())) {
        let at = providers.iter().position(|(source, _)| *source == own);
        let known = at.map_or(Json::Null, |at| providers.remove(at).1);
        let others = known.entries().iter().filter(|(name, _)| **name != *"resource_schemas" && **name != *"provider");
        let mut members: Vec<(&str, Json)> = others.map(|(name, of)| (&**name, of.clone())).collect();
        let schema = Json::parse(builtin::SCHEMA).unwrap_or(Json::Null);
        members.push(("resource_schemas", Json::object([(builtin::TYPE, schema)])));
        let provider = Json::object(members);
        providers.push((own, provider));
    }
    providers
}

fn no_arguments() -> Json {
    let block = Json::object([("attributes", Json::Object(Vec::new()))]);
    Json::object([("version", Json::int(0u8)), ("block", block)])
}

/// The type of a stored value; `None` if the value does not determine it.
fn type_of(value: &Json, depth: usize) -> Option<Json> {
    let of = |name: &str, inner: Json| Json::Array(vec![Json::string(name), inner]);
    match value {
        _ if depth > MAX_DEPTH => None,
        Json::Null => None,
        Json::Bool(_) => Some(Json::string("bool")),
        Json::Number(_) => Some(Json::string("number")),
        Json::String(_) => Some(Json::string("string")),
        Json::Array(items) => {
            let element = items.iter().find_map(|item| type_of(item, depth + 1));
            Some(of("list", element.unwrap_or_else(|| Json::string("string"))))
        }
        Json::Object(members) => {
            let is_map = members.iter().all(|(_, value)| matches!(value, Json::String(_)));
            if is_map {
                return Some(of("map", Json::string("string")));
            }
            let part = |value: &Json| type_of(value, depth + 1).unwrap_or_else(|| Json::string("string"));
            let parts: Vec<(&str, Json)> = members.iter().map(|(name, value)| (&**name, part(value))).collect();
            Some(of("object", Json::object(parts)))
        }
    }
}

/// Models that keep what is stored: computed texts that only a provider can set are drawn once.
pub(super) fn models(providers: &Json) -> BTreeMap<String, TypeModel> {
    let mut models = BTreeMap::new();
    let types = providers.entries().iter().flat_map(|(_, provider)| provider.entries_of("resource_schemas"));
    for (name, schema) in types {
        let attributes = schema.member("block").map_or(&[][..], |block| block.entries_of("attributes"));
        let is = |attribute: &Json, flag: &str| attribute.member(flag) == Some(&Json::Bool(true));
        let is_drawn = |(name, attribute): &&(Box<str>, Json)| {
            let is_text = attribute.member("type") == Some(&Json::string("string"));
            is_text && is(attribute, "computed") && (&**name == "id" || !is(attribute, "optional"))
        };
        let stable = attributes.iter().filter(is_drawn).map(|(name, _)| name.to_string()).collect();
        models.insert(name.to_string(), TypeModel { stable, ..TypeModel::default() });
    }
    models
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_provider_keeps_its_other_types() {
        let own = ProviderSource::builtin().to_string();
        let known = Json::parse(r#"{"provider":{},"data_source_schemas":{"terraform_remote_state":{}}}"#).unwrap();
        let named = BTreeSet::from([("resource", builtin::TYPE.to_owned())]);
        let providers = with_builtin(vec![(own.clone(), known)], &[], &named);
        let [(source, provider)] = &providers[..] else { panic!("{providers:?}") };
        assert_eq!(*source, own);
        assert!(provider.member("data_source_schemas").is_some_and(|of| of.member("terraform_remote_state").is_some()));
        assert!(provider.member("resource_schemas").is_some_and(|of| of.member(builtin::TYPE).is_some()));
    }
}
