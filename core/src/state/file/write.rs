//! Writing state files.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::path::write_path;
use super::{Attributes, InstanceKey, Snapshot, StoredObject, StoredResource};
use crate::address::ResourceKind;
use crate::json::{Compact, Indented, Json, Sink};
use crate::state::Status;

impl Snapshot {
    /// The file as Terraform writes it (ST08): indented, with a line break at its end.
    pub fn to_indented(&self) -> String {
        let mut out = String::new();
        self.write(&mut Indented::new(&mut out));
        out.push('\n');
        out
    }

    /// The file on one line, as OpenTofu puts it into plans (ST08).
    pub fn to_compact(&self) -> String {
        let mut out = String::new();
        self.write(&mut Compact::html(&mut out));
        out
    }

    /// Writes the document: members in the order of ST01 to ST03, resources and objects in that of ST07.
    pub fn write(&self, sink: &mut impl Sink) {
        write_top(self, sink);
        sorted(&self.resources, order).into_iter().for_each(|it| write_resource(it, sink));
        write_tail(self.check_results.as_ref(), sink);
    }
}

/// Everything before the first resource.
pub(super) fn write_top(snapshot: &Snapshot, sink: &mut impl Sink) {
    sink.open_object();
    sink.name("version");
    sink.int(4);
    text("terraform_version", &snapshot.terraform_version, sink);
    sink.name("serial");
    sink.int(i128::from(snapshot.serial));
    text("lineage", &snapshot.lineage, sink);
    sink.name("outputs");
    sink.open_object();
    for (name, output) in &snapshot.outputs {
        sink.name(name);
        sink.json(output);
    }
    sink.close_object();
    sink.name("resources");
    sink.open_array();
}

/// Everything behind the last one.
pub(super) fn write_tail(check_results: Option<&Json>, sink: &mut impl Sink) {
    sink.close_array();
    sink.name("check_results");
    match check_results {
        None => sink.null(),
        Some(results) => sink.json(results),
    }
    sink.close_object();
}

/// ST07: data before managed.
fn order(resource: &StoredResource) -> (&str, bool, &str, &str) {
    (&resource.module, resource.kind == ResourceKind::Managed, &resource.type_name, &resource.name)
}

fn sorted<'a, T, K: Ord>(items: &'a [T], key: impl Fn(&'a T) -> K) -> Vec<&'a T> {
    let mut sorted: Vec<&T> = items.iter().collect();
    sorted.sort_by_key(|item| key(item));
    sorted
}

fn write_resource(resource: &StoredResource, sink: &mut impl Sink) {
    open_resource(resource, sink);
    let objects = sorted(&resource.objects, |object| (&object.key, &object.deposed));
    objects.into_iter().for_each(|object| write_object(object, sink));
    close_resource(sink);
}

/// A resource up to its first object.
pub(super) fn open_resource(resource: &StoredResource, sink: &mut impl Sink) {
    sink.open_object();
    if !resource.module.is_empty() {
        text("module", &resource.module, sink);
    }
    let mode = match resource.kind {
        ResourceKind::Managed => "managed",
        ResourceKind::Data => "data",
    };
    text("mode", mode, sink);
    text("type", &resource.type_name, sink);
    text("name", &resource.name, sink);
    if let Some(provider) = &resource.provider {
        text("provider", provider, sink);
    }
    sink.name("instances");
    sink.open_array();
}

/// Writes the end of a resource, behind its last object.
pub(super) fn close_resource(sink: &mut impl Sink) {
    sink.close_array();
    sink.close_object();
}

pub(super) fn write_object(object: &StoredObject, sink: &mut impl Sink) {
    sink.open_object();
    match &object.key {
        InstanceKey::None => {}
        InstanceKey::Int(index) => {
            sink.name("index_key");
            sink.int(i128::from(*index));
        }
        InstanceKey::Text(key) => text("index_key", key, sink),
    }
    if object.status == Status::Tainted {
        text("status", "tainted", sink);
    }
    if let Some(deposed) = &object.deposed {
        text("deposed", deposed.as_str(), sink);
    }
    if let Some(provider) = &object.provider {
        text("provider", provider, sink);
    }
    sink.name("schema_version");
    sink.int(i128::from(object.schema_version));
    write_attributes(&object.attributes, sink);
    sink.name("sensitive_attributes");
    sink.open_array();
    object.sensitive.iter().for_each(|path| write_path(path, sink));
    sink.close_array();
    if let Some(identity) = &object.identity {
        sink.name("identity");
        sink.json(&identity.attributes);
        sink.name("identity_schema_version");
        sink.int(i128::from(identity.schema_version));
    }
    if !object.private.is_none() {
        text("private", &STANDARD.encode(object.private.as_bytes()), sink);
    }
    texts("dependencies", &object.dependencies, sink);
    texts("depends_on", &object.depends_on, sink);
    flag("create_before_destroy", object.create_before_destroy, sink);
    flag("skip_destroy", object.skip_destroy, sink);
    sink.close_object();
}

fn write_attributes(attributes: &Attributes, sink: &mut impl Sink) {
    match attributes {
        Attributes::Json(attributes) => {
            sink.name("attributes");
            sink.json(attributes);
        }
        Attributes::Flat(attributes) => {
            sink.name("attributes_flat");
            sink.open_object();
            for (name, value) in attributes {
                sink.name(name);
                sink.json(value);
            }
            sink.close_object();
        }
    }
}

fn text(name: &str, text: &str, sink: &mut impl Sink) {
    sink.name(name);
    sink.string(text);
}

fn texts(name: &str, texts: &[String], sink: &mut impl Sink) {
    if texts.is_empty() {
        return;
    }
    sink.name(name);
    sink.open_array();
    texts.iter().for_each(|text| sink.string(text));
    sink.close_array();
}

fn flag(name: &str, flag: bool, sink: &mut impl Sink) {
    if flag {
        sink.name(name);
        sink.bool(true);
    }
}
