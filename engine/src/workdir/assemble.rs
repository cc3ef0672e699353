//! Combines configurations into the files of a working directory.

use std::collections::{BTreeMap, BTreeSet};

use planfuzz_core::address::ResourceKind;
use planfuzz_core::json::Json;

use super::configuration_files::{ConfigurationFiles, Statement};
use super::expression::{interpolated, template};
use super::names::{GONE, RESOURCE};
use crate::provider_address::ProviderAddress;

/// A file of a configuration.
#[derive(Clone, Debug)]
pub struct File {
    /// The path in the working directory.
    pub path: &'static str,
    /// The content.
    pub content: Json,
}

/// The files of the configurations of all these walks.
pub fn assemble<'s>(all_configuration_files: impl Iterator<Item = &'s ConfigurationFiles> + Clone) -> Vec<File> {
    let provider_addresses: BTreeSet<ProviderAddress> =
        all_configuration_files.clone().map(|configuration_files| configuration_files.names.provider_address).collect();
    let mut root = Module::default();
    let mut gone = Module::default();
    for statement in all_configuration_files.flat_map(|configuration_files| &configuration_files.statements) {
        match statement {
            Statement::Resource { gone: true, .. } => gone.add(statement),
            _ => root.add(statement),
        }
    }
    let has_gone = gone != Module::default();
    let mut files = Vec::new();
    let mut content = root.into_members(&provider_addresses);
    content.push(("variable", variables()));
    if has_gone {
        let call = Json::object([("source", Json::string(GONE_SOURCE)), ("count", Json::int(0))]);
        content.push(("module", Json::object([(GONE, call)])));
        files.push(File { path: "gone/main.tf.json", content: Json::object(gone.into_members(&provider_addresses)) });
        // A file that an `init` would leave.
        files.push(File { path: ".terraform/modules/modules.json", content: manifest() });
    }
    files.push(File { path: "main.tf.json", content: Json::object(content) });
    files
}

const GONE_SOURCE: &str = "./gone";

/// The variables that expressions refer to. The static validation does not know their values (L01).
fn variables() -> Json {
    let holding = |default| Json::object([("default", default)]);
    Json::object([
        ("later", holding(Json::string("k"))),
        ("first", holding(Json::int(0))),
        ("yes", holding(Json::Bool(true))),
        ("ephemeral", Json::object([("default", Json::Null), ("ephemeral", Json::Bool(true))])),
    ])
}

fn manifest() -> Json {
    let module = |key, source, dir| {
        Json::object([("Key", Json::string(key)), ("Source", Json::string(source)), ("Dir", Json::string(dir))])
    };
    Json::object([("Modules", Json::Array(vec![module("", "", "."), module(GONE, GONE_SOURCE, GONE)]))])
}

type Named = BTreeMap<String, Json>;

/// The contents of one module.
#[derive(Debug, Default, PartialEq)]
struct Module {
    managed: BTreeMap<String, Named>,
    data: BTreeMap<String, Named>,
    checks: Named,
    locals: Named,
    moved: Vec<Json>,
    removed: Vec<Json>,
    imports: Vec<Json>,
}

impl Module {
    fn add(&mut self, statement: &Statement) {
        match statement {
            Statement::Resource { kind, type_name, name, body, .. } => {
                let of_kind = match kind {
                    ResourceKind::Managed => &mut self.managed,
                    ResourceKind::Data => &mut self.data,
                };
                of_kind.entry(type_name.clone()).or_default().insert((*name).to_owned(), body.clone());
            }
            Statement::Check { check, type_name, body } => {
                let data = Json::object([(type_name.as_str(), Json::object([(RESOURCE, body.clone())]))]);
                let assert = Json::object([
                    ("condition", interpolated("var.yes")),
                    ("error_message", Json::string("It does not hold.")),
                ]);
                self.checks.insert(check.clone(), Json::object([("data", data), ("assert", assert)]));
            }
            Statement::Local { name, value } => {
                self.locals.insert(name.clone(), value.clone());
            }
            Statement::Moved { from, to } => {
                self.moved.push(Json::object([("from", Json::string(from)), ("to", Json::string(to))]));
            }
            Statement::Removed { from } => {
                let lifecycle = Json::object([("destroy", Json::Bool(false))]);
                self.removed.push(Json::object([("from", Json::string(from)), ("lifecycle", lifecycle)]));
            }
            Statement::Import { to, id } => {
                self.imports.push(Json::object([("to", Json::string(to)), ("id", Json::string(&template(id)))]));
            }
        }
    }

    fn into_members(self, provider_addresses: &BTreeSet<ProviderAddress>) -> Vec<(&'static str, Json)> {
        let Module { managed, data, checks, locals, moved, removed, imports } = self;
        let named = |named: Named| Json::Object(named.into_iter().map(|(name, json)| (name.into(), json)).collect());
        let typed = |types: BTreeMap<String, Named>| {
            Json::Object(types.into_iter().map(|(name, of_type)| (name.into(), named(of_type))).collect())
        };
        let source = |provider_address: &ProviderAddress| {
            (provider_address.name(), Json::object([("source", Json::string(&provider_address.source()))]))
        };
        let providers = Json::object(provider_addresses.iter().map(source));
        let mut members = vec![("terraform", Json::object([("required_providers", providers)]))];
        let parts = [
            ("resource", typed(managed)),
            ("data", typed(data)),
            ("check", named(checks)),
            ("locals", named(locals)),
            ("moved", Json::Array(moved)),
            ("removed", Json::Array(removed)),
            ("import", Json::Array(imports)),
        ];
        let is_empty = |json: &Json| match json {
            Json::Array(items) => items.is_empty(),
            Json::Object(members) => members.is_empty(),
            _ => false,
        };
        members.extend(parts.into_iter().filter(|(_, json)| !is_empty(json)));
        members
    }
}
