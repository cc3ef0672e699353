//! Changes (sections 4.2 to 4.4 of plan-files.md).

use std::cmp::Ordering;

use super::error::NotShown;
use super::marked::Shown;
use super::schemas::SchemaTable;
use super::trees::{self, has_infinity};
use super::{actions, path, text};
use crate::address::{AbsResourceInstance, InstanceKey, Notation, ProviderConfig, ResourceKind, ResourceMode};
use crate::dialect::Dialect;
use crate::json::Sink;
use crate::msgpack::decode;
use crate::plans::file::{DeferredReason, FileChange, Importing, OutputChange};
use crate::plans::{Action, ActionReason};
use crate::schema::Schema;
use crate::value::{Type, Value};

/// A change, read with its schema.
pub(super) struct Entry<'f> {
    change: &'f FileChange,
    pub(super) instance: AbsResourceInstance,
    pub(super) provider: String,
    pub(super) schema: &'f Schema,
    before: Shown,
    pub(super) after: Shown,
    pub(super) dialect: Dialect,
}

impl<'f> Entry<'f> {
    pub(super) fn of(
        change: &'f FileChange,
        schemas: &SchemaTable<'f>,
        dialect: Dialect,
    ) -> Result<Entry<'f>, NotShown> {
        let instance = Notation { engine: dialect.engine() }.instance(&change.addr)?;
        let provider = ProviderConfig::parse(&change.provider)?.source.to_string();
        let schema = schemas.find(&change.addr, &provider, kind(&instance), &instance.resource.type_name)?;
        let ty = schema.implied_type(dialect);
        let values = &change.values;
        let before = Shown::side(change, values.before.as_deref(), &values.before_sensitive, &ty, "before")?;
        let after = Shown::side(change, values.after.as_deref(), &values.after_sensitive, &ty, "after")?;
        Ok(Entry { change, instance, provider, schema, before, after, dialect })
    }

    /// JS11.
    pub(super) fn order(&self, other: &Entry<'_>) -> Ordering {
        let key = |entry: &Entry<'_>| entry.change.deposed.as_ref().map(|key| key.as_str().to_owned());
        self.instance.cmp(&other.instance).then_with(|| key(self).cmp(&key(other)))
    }

    pub(super) fn is_no_op(&self) -> bool {
        self.change.values.action == Action::NoOp
    }

    /// JS12.
    pub(super) fn is_deletion_of_data(&self) -> bool {
        kind(&self.instance) == ResourceKind::Data && self.change.values.action == Action::Delete
    }

    /// JS41: whether the planned values have it.
    pub(super) fn is_planned(&self) -> bool {
        self.change.deposed.is_none() && self.change.values.action != Action::Delete
    }

    pub(super) fn address(&self) -> &'f str {
        &self.change.addr
    }

    /// A member of `resource_changes` (JS10).
    pub(super) fn write(&self, dialect: Dialect, sink: &mut impl Sink) -> Result<(), NotShown> {
        let change = self.change;
        sink.open_object();
        text(sink, "address", &change.addr);
        if let Some(previous) = change.prev_run_addr.as_ref().filter(|previous| **previous != change.addr) {
            text(sink, "previous_address", previous);
        }
        if !self.instance.module.is_root() {
            text(sink, "module_address", &self.instance.module.to_string());
        }
        write_place(&self.instance, &self.provider, sink);
        if let Some(key) = &change.deposed {
            text(sink, "deposed", key.as_str());
        }
        sink.name("change");
        self.write_change(dialect, sink)?;
        if change.reason != ActionReason::None {
            text(sink, "action_reason", change.reason.name());
        }
        sink.close_object();
        Ok(())
    }

    /// JS20.
    fn write_change(&self, dialect: Dialect, sink: &mut impl Sink) -> Result<(), NotShown> {
        let values = &self.change.values;
        sink.open_object();
        write_sides(values.action, &self.before.value, &self.after.value, &Whole::Resource, sink);
        sink.name("before_sensitive");
        self.before.write_sensitive(self.schema, &self.change.addr, dialect, sink)?;
        sink.name("after_sensitive");
        self.after.write_sensitive(self.schema, &self.change.addr, dialect, sink)?;
        if !self.change.required_replace.is_empty() {
            sink.name("replace_paths");
            sink.open_array();
            self.change.required_replace.iter().for_each(|replace| path(replace.steps(), sink));
            sink.close_array();
        }
        if let Some(importing) = &values.importing {
            sink.name("importing");
            write_importing(importing, sink);
        }
        if !values.generated_config.is_empty() {
            text(sink, "generated_config", &values.generated_config);
        }
        sink.close_object();
        Ok(())
    }
}

/// The mode of a resource; ephemeral ones are in no plan.
pub(super) fn kind(instance: &AbsResourceInstance) -> ResourceKind {
    match instance.resource.mode {
        ResourceMode::Data => ResourceKind::Data,
        ResourceMode::Managed | ResourceMode::Ephemeral => ResourceKind::Managed,
    }
}

/// Writes mode, type, name, index and provider of an instance.
pub(super) fn write_place(instance: &AbsResourceInstance, provider: &str, sink: &mut impl Sink) {
    let mode = match kind(instance) {
        ResourceKind::Managed => "managed",
        ResourceKind::Data => "data",
    };
    text(sink, "mode", mode);
    text(sink, "type", &instance.resource.type_name);
    text(sink, "name", &instance.resource.name);
    match &instance.key {
        InstanceKey::None => {}
        InstanceKey::Int(index) => {
            sink.name("index");
            sink.int((*index).into());
        }
        InstanceKey::Text(key) => text(sink, "index", key),
    }
    text(sink, "provider_name", provider);
}

/// The form of `after_unknown` for a value without unknowns (JS22).
enum Whole {
    Resource,
    Output,
}

fn write_sides(action: Action, before: &Value, after: &Value, whole: &Whole, sink: &mut impl Sink) {
    sink.name("actions");
    sink.open_array();
    actions::words(action).iter().for_each(|word| sink.string(word));
    sink.close_array();
    sink.name("before");
    trees::known(before.view(), sink);
    if !after.view().is_unknown() {
        sink.name("after");
        trees::known(after.view(), sink);
    }
    sink.name("after_unknown");
    match (after.is_wholly_known(), whole) {
        (false, _) => trees::unknown(after.view(), sink),
        (true, Whole::Output) => sink.bool(false),
        (true, Whole::Resource) => {
            sink.open_object();
            sink.close_object();
        }
    }
}

fn write_importing(importing: &Importing, sink: &mut impl Sink) {
    sink.open_object();
    match importing {
        Importing::Id(id) => text(sink, "id", id),
        Importing::Unknown => super::flag(sink, "unknown", true),
        // An identity itself is left out: it needs a schema of its own.
        Importing::Identity { id, .. } if !id.is_empty() => text(sink, "id", id),
        Importing::Identity { .. } => {}
    }
    sink.close_object();
}

/// The word for the reason of a deferral.
pub(super) fn deferred_word(reason: DeferredReason) -> &'static str {
    match reason {
        DeferredReason::Invalid => "unknown",
        DeferredReason::InstanceCountUnknown => "instance_count_unknown",
        DeferredReason::ResourceConfigUnknown => "resource_config_unknown",
        DeferredReason::ProviderConfigUnknown => "provider_config_unknown",
        DeferredReason::AbsentPrerequisite => "absent_prereq",
        DeferredReason::DeferredPrerequisite => "deferred_prereq",
    }
}

/// A change of a root output, read.
pub(super) struct OutputEntry<'f> {
    pub(super) name: &'f str,
    pub(super) action: Action,
    before: Value,
    pub(super) after: Value,
    pub(super) sensitive: bool,
}

impl<'f> OutputEntry<'f> {
    pub(super) fn of(output: &'f OutputChange) -> Result<OutputEntry<'f>, NotShown> {
        let address = || format!("output.{}", output.name);
        let side = |bytes: &Option<Vec<u8>>, side| {
            let Some(bytes) = bytes else { return Ok(Value::null(Type::Dynamic)) };
            let value =
                decode(bytes, &Type::Dynamic).map_err(|error| NotShown::Value { address: address(), side, error })?;
            match has_infinity(value.node()) {
                true => Err(NotShown::Infinite { address: address() }),
                false => Ok(value),
            }
        };
        Ok(OutputEntry {
            name: &output.name,
            action: output.values.action,
            before: side(&output.values.before, "before")?,
            after: side(&output.values.after, "after")?,
            sensitive: output.sensitive,
        })
    }

    /// A member of `output_changes` with its name.
    pub(super) fn write(&self, sink: &mut impl Sink) -> Result<(), NotShown> {
        sink.name(self.name);
        sink.open_object();
        write_sides(self.action, &self.before, &self.after, &Whole::Output, sink);
        super::flag(sink, "before_sensitive", self.sensitive);
        super::flag(sink, "after_sensitive", self.sensitive);
        sink.close_object();
        Ok(())
    }
}
