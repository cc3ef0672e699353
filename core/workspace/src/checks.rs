//! The table of checks: all objects with conditions, and the status of each (E163).

use std::collections::BTreeMap;

use planfuzz_core::address::{InstanceKey, ModuleInstance, Resource, ResourceMode};
use planfuzz_core::json::Json;

/// The kinds of things that have conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CheckKind {
    /// A resource or data resource.
    Resource,
    /// An output.
    Output,
    /// A `check` block.
    Check,
    /// A variable.
    Variable,
}

/// A status; of several the greatest counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// All conditions hold.
    #[default]
    Pass,
    /// Unknown, or not evaluated.
    Unknown,
    /// A condition does not hold.
    Fail,
    /// A condition or its message is invalid.
    Error,
}

/// An object with conditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckObject {
    /// The module instance.
    pub module: ModuleInstance,
    /// Its key.
    pub key: InstanceKey,
    /// Its status.
    pub status: Status,
    /// The messages of failed conditions.
    pub failures: Vec<String>,
}

/// Something of the configuration that has conditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckEntry {
    /// What it is.
    pub kind: CheckKind,
    /// The module, by the names of the calls.
    pub module: Vec<String>,
    /// The resource; `None` for other kinds.
    pub resource: Option<Resource>,
    /// The name; for a resource, that of the resource.
    pub name: String,
    /// Its objects by their addresses; `None` if they are not known.
    pub objects: Option<BTreeMap<String, CheckObject>>,
}

/// The table, by kind and address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckTable(pub BTreeMap<(CheckKind, String), CheckEntry>);

impl Status {
    /// Its word in plans and state files.
    pub fn word(self) -> &'static str {
        match self {
            Status::Pass => "pass",
            Status::Unknown => "unknown",
            Status::Fail => "fail",
            Status::Error => "error",
        }
    }
}

impl CheckEntry {
    /// The address in the configuration.
    pub fn address(&self) -> String {
        let prefix: String = self.module.iter().map(|name| format!("module.{name}.")).collect();
        format!("{prefix}{}", self.local())
    }

    /// The address in its module.
    pub fn local(&self) -> String {
        match (self.kind, &self.resource) {
            (CheckKind::Resource, Some(resource)) => resource.to_string(),
            (CheckKind::Resource, None) => self.name.clone(),
            (CheckKind::Output, _) => format!("output.{}", self.name),
            (CheckKind::Check, _) => format!("check.{}", self.name),
            (CheckKind::Variable, _) => format!("var.{}", self.name),
        }
    }

    /// The greatest status of its objects; unknown if they are not known (E163).
    pub fn status(&self) -> Status {
        match &self.objects {
            None => Status::Unknown,
            Some(objects) => objects.values().map(|object| object.status).max().unwrap_or_default(),
        }
    }

    fn plan_json(&self) -> Json {
        let kind = match self.kind {
            CheckKind::Resource => "resource",
            CheckKind::Output => "output_value",
            CheckKind::Check => "check",
            CheckKind::Variable => "var",
        };
        let mut address = vec![("kind", Json::string(kind)), ("name", Json::string(&self.name))];
        address.push(("to_display", Json::String(self.address().into())));
        if let Some(resource) = &self.resource {
            let mode = if resource.mode == ResourceMode::Data { "data" } else { "managed" };
            address.push(("mode", Json::string(mode)));
            address.push(("type", Json::string(&resource.type_name)));
        }
        let module: Vec<String> = self.module.iter().map(|name| format!("module.{name}")).collect();
        if !module.is_empty() {
            address.push(("module", Json::string(&module.join("."))));
        }
        let mut entry = vec![("address", Json::object(address)), ("status", Json::string(self.status().word()))];
        let objects: Vec<Json> =
            self.objects.iter().flatten().map(|(address, object)| object.plan_json(address)).collect();
        if !objects.is_empty() {
            entry.push(("instances", Json::Array(objects)));
        }
        Json::object(entry)
    }

    fn state_json(&self) -> Json {
        let kind = match self.kind {
            CheckKind::Resource => "resource",
            CheckKind::Output => "output",
            CheckKind::Check => "check",
            CheckKind::Variable => "var",
        };
        let objects: Vec<Json> =
            self.objects.iter().flatten().map(|(address, object)| object.state_json(address)).collect();
        Json::object([
            ("object_kind", Json::string(kind)),
            ("config_addr", Json::String(self.address().into())),
            ("status", Json::string(self.status().word())),
            ("objects", if objects.is_empty() { Json::Null } else { Json::Array(objects) }),
        ])
    }
}

impl CheckObject {
    fn plan_json(&self, display: &str) -> Json {
        let mut address = vec![("to_display", Json::string(display))];
        if !self.module.is_root() {
            address.push(("module", Json::String(self.module.to_string().into())));
        }
        match &self.key {
            InstanceKey::None => {}
            InstanceKey::Int(index) => address.push(("instance_key", Json::int(*index))),
            InstanceKey::Text(key) => address.push(("instance_key", Json::string(key))),
        }
        let mut object = vec![("address", Json::object(address)), ("status", Json::string(self.status.word()))];
        if !self.failures.is_empty() {
            let problem = |text: &String| Json::object([("message", Json::string(text))]);
            object.push(("problems", Json::Array(self.sorted_failures().iter().map(problem).collect())));
        }
        Json::object(object)
    }

    fn state_json(&self, address: &str) -> Json {
        let mut object = vec![("object_addr", Json::string(address)), ("status", Json::string(self.status.word()))];
        if !self.failures.is_empty() {
            let texts = self.sorted_failures().iter().map(|text| Json::string(text)).collect();
            object.push(("failure_messages", Json::Array(texts)));
        }
        Json::object(object)
    }

    fn sorted_failures(&self) -> Vec<String> {
        let mut failures = self.failures.clone();
        failures.sort();
        failures
    }
}

impl CheckTable {
    /// The table in the form of `show -json`.
    pub fn plan_json(&self) -> Json {
        Json::Array(self.0.values().map(CheckEntry::plan_json).collect())
    }

    /// The table in the form of state files; null if it is empty.
    pub fn state_json(&self) -> Json {
        match self.0.is_empty() {
            true => Json::Null,
            false => Json::Array(self.0.values().map(CheckEntry::state_json).collect()),
        }
    }

    /// The entry of a kind and an address.
    pub fn entry_mut(&mut self, kind: CheckKind, address: &str) -> Option<&mut CheckEntry> {
        self.0.get_mut(&(kind, address.to_owned()))
    }
}
