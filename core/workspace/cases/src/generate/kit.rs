//! The providers and types that generated workspaces use: enough to distinguish everything, few enough to be read.

use std::collections::BTreeMap;

use planfuzz_core::address::ProviderSource;
use planfuzz_core::dialect::Engine;
use planfuzz_core::json::Json;
use planfuzz_workspace::builtin;

use crate::model::TypeModel;

/// A type of the kit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// `w_thing`.
    Thing,
    /// `w_other`, with the schema of `w_thing`.
    Other,
    /// `w_box`, with blocks.
    Box,
    /// `w_rack`, with blocks of the other nestings: one that must stand, named, single and group.
    Rack,
    /// `v_thing`, of another provider.
    Foreign,
    /// `null_resource`, which can become a `terraform_data` (E196).
    Null,
    /// `terraform_data`, of the provider that is part of the engine.
    Builtin,
    /// The data resource `w_info`.
    Info,
    /// The ephemeral resource `w_eph`.
    Ephemeral,
}

/// The whole addresses of the providers: an engine looks for `w`, `v` and `null` in its own registry.
pub fn sources(engine: Engine) -> [String; 3] {
    ["w", "v", "null"].map(|name| ProviderSource::default_of(engine, name).to_string())
}

impl Kind {
    /// The name of the type.
    pub fn type_name(self) -> &'static str {
        match self {
            Kind::Thing => "w_thing",
            Kind::Other => "w_other",
            Kind::Box => "w_box",
            Kind::Rack => "w_rack",
            Kind::Foreign => "v_thing",
            Kind::Null => "null_resource",
            Kind::Builtin => builtin::TYPE,
            Kind::Info => "w_info",
            Kind::Ephemeral => "w_eph",
        }
    }

    /// The local name of its provider.
    pub fn provider(self) -> &'static str {
        match self {
            Kind::Foreign => "v",
            Kind::Null => "null",
            Kind::Builtin => "terraform",
            _ => "w",
        }
    }

    /// Whether it is a managed resource.
    pub fn is_managed(self) -> bool {
        !matches!(self, Kind::Info | Kind::Ephemeral)
    }

    /// Whether it is a type of the suite's own providers: these have `name` and `out`.
    pub fn is_invented(self) -> bool {
        !matches!(self, Kind::Builtin | Kind::Null)
    }

    /// What an address begins with.
    pub fn prefix(self) -> &'static str {
        match self {
            Kind::Info => "data.",
            Kind::Ephemeral => "ephemeral.",
            _ => "",
        }
    }

    /// The member of a configuration that its blocks are in.
    pub fn member(self) -> &'static str {
        match self {
            Kind::Info => "data",
            Kind::Ephemeral => "ephemeral",
            _ => "resource",
        }
    }
}

const THING: &str = r#"{"version": 0, "block": {"attributes": {
    "any": {"type": "dynamic", "optional": true},
    "id": {"type": "string", "computed": true},
    "list": {"type": ["list", "string"], "optional": true},
    "name": {"type": "string", "optional": true},
    "note": {"type": "string", "optional": true, "computed": true},
    "out": {"type": "string", "computed": true},
    "secret": {"type": "string", "optional": true, "sensitive": true},
    "size": {"type": "number", "optional": true},
    "tags": {"type": ["map", "string"], "optional": true},
    "wo": {"type": "string", "optional": true, "write_only": true}}}}"#;

const BOX: &str = r#"{"version": 0, "block": {"attributes": {
    "id": {"type": "string", "computed": true},
    "name": {"type": "string", "optional": true},
    "out": {"type": "string", "computed": true},
    "size": {"type": "number", "optional": true}},
  "block_types": {
    "rule": {"nesting_mode": "list", "block": {"attributes": {
      "port": {"type": "number", "optional": true}, "to": {"type": "string", "optional": true}}}},
    "mark": {"nesting_mode": "set", "block": {"attributes": {"key": {"type": "string", "optional": true}}}}}}}"#;

const RACK: &str = r#"{"version": 0, "block": {"attributes": {
    "id": {"type": "string", "computed": true},
    "name": {"type": "string", "optional": true},
    "out": {"type": "string", "computed": true},
    "size": {"type": "number", "optional": true}},
  "block_types": {
    "need": {"nesting_mode": "list", "min_items": 1, "max_items": 2, "block": {"attributes": {
      "id": {"type": "string", "computed": true}, "to": {"type": "string", "optional": true}}}},
    "slot": {"nesting_mode": "map", "block": {"attributes": {"to": {"type": "string", "optional": true}},
      "block_types": {"part": {"nesting_mode": "set", "max_items": 2, "block": {"attributes": {
        "to": {"type": "string", "required": true}}}}}}},
    "only": {"nesting_mode": "single", "block": {"attributes": {"to": {"type": "string", "optional": true}},
      "block_types": {"part": {"nesting_mode": "list", "block": {"attributes": {
        "to": {"type": "string", "required": true}}}}}}},
    "spare": {"nesting_mode": "group", "block": {"attributes": {
      "seen": {"type": "string", "optional": true, "computed": true}, "to": {"type": "string", "optional": true}}}}}}}"#;

const INFO: &str = r#"{"version": 0, "block": {"attributes": {
    "id": {"type": "string", "computed": true},
    "name": {"type": "string", "optional": true},
    "out": {"type": "string", "computed": true},
    "q": {"type": "string", "optional": true}}}}"#;

const NULL: &str = r#"{"version": 0, "block": {"attributes": {
    "id": {"type": "string", "computed": true},
    "triggers": {"type": ["map", "string"], "optional": true}}}}"#;

const CONFIG: &str = r#"{"version": 0, "block": {"attributes": {
    "label": {"type": "string", "optional": true},
    "token": {"type": "string", "optional": true, "sensitive": true}}}}"#;

fn parsed(text: &str) -> Json {
    Json::parse(text).unwrap_or(Json::Null)
}

/// The schemas of the kit, as `providers schema -json` has them under `provider_schemas`.
pub fn providers(engine: Engine) -> Json {
    let w = [
        ("provider", parsed(CONFIG)),
        (
            "resource_schemas",
            Json::object([
                ("w_thing", parsed(THING)),
                ("w_other", parsed(THING)),
                ("w_box", parsed(BOX)),
                ("w_rack", parsed(RACK)),
            ]),
        ),
        ("data_source_schemas", Json::object([("w_info", parsed(INFO))])),
        ("ephemeral_resource_schemas", Json::object([("w_eph", parsed(INFO))])),
    ];
    let v = [("provider", parsed(CONFIG)), ("resource_schemas", Json::object([("v_thing", parsed(THING))]))];
    let null = [("resource_schemas", Json::object([("null_resource", parsed(NULL))]))];
    let own = [("resource_schemas", Json::object([(builtin::TYPE, parsed(builtin::SCHEMA))]))];
    let ([of_w, of_v, of_null], of_own) = (sources(engine), ProviderSource::builtin().to_string());
    let providers =
        [(of_w.as_str(), Json::object(w)), (of_v.as_str(), Json::object(v)), (of_null.as_str(), Json::object(null))];
    Json::object(providers.into_iter().chain([(of_own.as_str(), Json::object(own))]))
}

/// How its types behave.
pub fn models() -> BTreeMap<String, TypeModel> {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let model = |stable: &[&str], replace: &[&str]| TypeModel {
        stable: names(stable),
        volatile: names(&["out"]),
        replace: names(replace),
    };
    let null = TypeModel { stable: names(&["id"]), volatile: Vec::new(), replace: names(&["triggers"]) };
    [
        ("null_resource", null),
        ("w_thing", model(&["id", "note"], &["size"])),
        ("w_other", model(&["id", "note"], &["size"])),
        ("v_thing", model(&["id", "note"], &["size"])),
        ("w_box", model(&["id"], &["size"])),
        ("w_rack", model(&["id"], &["size"])),
        ("w_info", model(&["id"], &[])),
        ("w_eph", model(&["id"], &[])),
    ]
    .map(|(name, model)| (name.to_owned(), model))
    .into()
}
