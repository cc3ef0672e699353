//! States (section 4.6 of plan-files.md).

use std::collections::BTreeMap;

use super::change::{kind, write_place};
use super::error::NotShown;
use super::marked::Shown;
use super::schemas::SchemaTable;
use super::{STATE_VERSION, text, trees};
use crate::address::{AbsResourceInstance, ModuleInstance, ProviderConfig, Resource, ResourceKind, ResourceMode};
use crate::dialect::Dialect;
use crate::json::{Json, Sink};
use crate::schema::Schema;
use crate::state::Status;
use crate::state::Stored;
use crate::state::file::{Snapshot, StoredObject, StoredResource};
use crate::value::{Type, Value};

/// A state, read with its schemas.
pub(super) struct State<'f> {
    snapshot: &'f Snapshot,
    outputs: Vec<(&'f str, bool, Value)>,
    modules: BTreeMap<ModuleInstance, Module<'f>>,
    dialect: Dialect,
}

/// The content of a module.
#[derive(Default)]
struct Module<'f> {
    objects: Vec<ObjectEntry<'f>>,
    children: Vec<ModuleInstance>,
}

/// An object of an instance, read with its schema.
struct ObjectEntry<'f> {
    instance: AbsResourceInstance,
    provider: String,
    stored: &'f StoredObject,
    schema: &'f Schema,
    shown: Shown,
}

impl<'f> State<'f> {
    pub(super) fn of(
        snapshot: &'f Snapshot,
        schemas: &SchemaTable<'f>,
        dialect: Dialect,
    ) -> Result<State<'f>, NotShown> {
        let mut modules: BTreeMap<ModuleInstance, Module<'f>> = BTreeMap::new();
        modules.entry(ModuleInstance::ROOT).or_default();
        for resource in &snapshot.resources {
            let module = ModuleInstance::parse(&resource.module)?;
            for stored in &resource.objects {
                let entry = ObjectEntry::of(&module, resource, stored, schemas, dialect)?;
                modules.entry(module.clone()).or_default().objects.push(entry);
            }
        }
        for module in modules.keys().cloned().collect::<Vec<_>>() {
            for length in (0..module.0.len()).rev() {
                let (above, child) = (&module.0[..length], &module.0[..=length]);
                let children = &mut modules.entry(ModuleInstance(above.to_vec())).or_default().children;
                children.push(ModuleInstance(child.to_vec()));
            }
        }
        for module in modules.values_mut() {
            module.objects.sort_by(|one, other| {
                one.instance.cmp(&other.instance).then_with(|| one.stored.deposed.cmp(&other.stored.deposed))
            });
            module.children.sort_by_cached_key(ModuleInstance::to_string);
            module.children.dedup();
        }
        let outputs = snapshot.outputs.iter().map(|(name, output)| {
            let (sensitive, value) =
                read_output(output).map_err(|error| NotShown::Output { name: name.to_string(), error })?;
            Ok((&**name, sensitive, value))
        });
        let mut outputs = outputs.collect::<Result<Vec<_>, NotShown>>()?;
        outputs.sort_by_key(|(name, ..)| *name);
        Ok(State { snapshot, outputs, modules, dialect })
    }

    /// Whether it has no content.
    pub(super) fn is_empty(&self) -> bool {
        self.outputs.is_empty() && self.modules.values().all(|module| module.objects.is_empty())
    }

    /// JS50.
    pub(super) fn write(&self, sink: &mut impl Sink) -> Result<(), NotShown> {
        sink.open_object();
        text(sink, "format_version", STATE_VERSION);
        if !self.is_empty() {
            text(sink, "terraform_version", &self.snapshot.terraform_version);
            sink.name("values");
            sink.open_object();
            self.write_outputs(sink);
            sink.name("root_module");
            self.write_module(&ModuleInstance::ROOT, sink)?;
            sink.close_object();
        }
        sink.close_object();
        Ok(())
    }

    fn write_outputs(&self, sink: &mut impl Sink) {
        if self.outputs.is_empty() {
            return;
        }
        sink.name("outputs");
        sink.open_object();
        for (name, sensitive, value) in &self.outputs {
            sink.name(name);
            sink.open_object();
            super::flag(sink, "sensitive", *sensitive);
            sink.name("value");
            trees::known(value.view(), sink);
            sink.name("type");
            value.ty().write_json(sink);
            sink.close_object();
        }
        sink.close_object();
    }

    /// Modules nest no deeper than the text of an address.
    fn write_module(&self, at: &ModuleInstance, sink: &mut impl Sink) -> Result<(), NotShown> {
        sink.open_object();
        let Some(module) = self.modules.get(at) else {
            sink.close_object();
            return Ok(());
        };
        if !module.objects.is_empty() {
            sink.name("resources");
            sink.open_array();
            module.objects.iter().try_for_each(|entry| entry.write(self.dialect, sink))?;
            sink.close_array();
        }
        if !at.is_root() {
            text(sink, "address", &at.to_string());
        }
        if !module.children.is_empty() {
            sink.name("child_modules");
            sink.open_array();
            module.children.iter().try_for_each(|child| self.write_module(child, sink))?;
            sink.close_array();
        }
        sink.close_object();
        Ok(())
    }
}

impl<'f> ObjectEntry<'f> {
    fn of(
        module: &ModuleInstance,
        resource: &StoredResource,
        stored: &'f StoredObject,
        schemas: &SchemaTable<'f>,
        dialect: Dialect,
    ) -> Result<ObjectEntry<'f>, NotShown> {
        let mode = match resource.kind {
            ResourceKind::Managed => ResourceMode::Managed,
            ResourceKind::Data => ResourceMode::Data,
        };
        let instance = AbsResourceInstance {
            module: module.clone(),
            resource: Resource { mode, type_name: resource.type_name.clone(), name: resource.name.clone() },
            key: stored.key.clone(),
        };
        let address = instance.to_string();
        let Some(provider) = stored.provider.as_ref().or(resource.provider.as_ref()) else {
            let (expected, found) = ("a provider configuration", String::new());
            return Err(NotShown::Place { address, expected, found });
        };
        let provider = ProviderConfig::parse(provider)?.source.to_string();
        let schema = schemas.find(&address, &provider, kind(&instance), &resource.type_name)?;
        let version = shown_version(resource.kind, schema);
        if stored.schema_version != version {
            return Err(NotShown::SchemaVersion { address, schema: version, stored: stored.schema_version });
        }
        let object = stored
            .to_object(&schema.implied_type(dialect), stored.schema_version)
            .map_err(|error| NotShown::Object { address: address.clone(), error })?;
        let value = match object.stored {
            Stored::Value(value) => value,
            Stored::Raw { version, .. } => {
                return Err(NotShown::SchemaVersion { address, schema: schema.version, stored: version });
            }
        };
        let shown = Shown::new(value, stored.sensitive.iter().cloned().collect(), &address)?;
        Ok(ObjectEntry { instance, provider, stored, schema, shown })
    }

    /// JS51.
    fn write(&self, dialect: Dialect, sink: &mut impl Sink) -> Result<(), NotShown> {
        let address = self.instance.to_string();
        sink.open_object();
        text(sink, "address", &address);
        write_place(&self.instance, &self.provider, sink);
        sink.name("schema_version");
        // For deposed objects the engine writes 0.
        sink.int(if self.stored.deposed.is_none() { self.stored.schema_version.into() } else { 0 });
        if !trees::is_empty(self.shown.value.view()) {
            sink.name("values");
            trees::known(self.shown.value.view(), sink);
        }
        sink.name("sensitive_values");
        self.shown.write_sensitive(self.schema, &address, dialect, sink)?;
        if !self.stored.dependencies.is_empty() {
            sink.name("depends_on");
            sink.open_array();
            self.stored.dependencies.iter().for_each(|address| sink.string(address));
            sink.close_array();
        }
        if self.stored.status == Status::Tainted {
            super::flag(sink, "tainted", true);
        }
        if let Some(key) = &self.stored.deposed {
            text(sink, "deposed_key", key.as_str());
        }
        sink.close_object();
        Ok(())
    }
}

/// The version of a schema in documents: that of a data resource is always 0.
pub(super) fn shown_version(kind: ResourceKind, schema: &Schema) -> u64 {
    match kind {
        ResourceKind::Managed => schema.version,
        ResourceKind::Data => 0,
    }
}

fn read_output(output: &Json) -> Result<(bool, Value), crate::json::JsonError> {
    let mut members = crate::json::ObjectReader::new(output, "an output")?;
    let sensitive = members.flag("sensitive")?;
    let ty = members.required("type", Type::from_json)?;
    let value = members.required("value", |json| Value::from_stored_json(json, &ty))?;
    Ok((sensitive, value))
}
