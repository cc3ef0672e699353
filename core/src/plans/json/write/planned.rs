//! The planned values (section 4.5 of plan-files.md).

use std::collections::{HashMap, HashSet};

use super::change::{Entry, OutputEntry, kind, write_place};
use super::error::NotShown;
use super::state::shown_version;
use super::{text, trees};
use crate::address::ModuleInstance;
use crate::json::Sink;
use crate::plans::Action;

/// JS40. The changes are in the order of the file.
pub(super) fn write(changes: &[Entry<'_>], outputs: &[OutputEntry<'_>], sink: &mut impl Sink) -> Result<(), NotShown> {
    sink.open_object();
    let mut outputs = outputs.iter().filter(|output| output.action != Action::Delete).peekable();
    if outputs.peek().is_some() {
        sink.name("outputs");
        sink.open_object();
        for output in outputs {
            sink.name(output.name);
            sink.open_object();
            super::flag(sink, "sensitive", output.sensitive);
            if output.after.is_wholly_known() {
                sink.name("type");
                output.after.ty().write_json(sink);
                sink.name("value");
                trees::known(output.after.view(), sink);
            }
            sink.close_object();
        }
        sink.close_object();
    }
    sink.name("root_module");
    Modules::of(changes).write(&ModuleInstance::ROOT, sink);
    sink.close_object();
    Ok(())
}

/// The content of each module.
#[derive(Default)]
struct Modules<'e, 'f> {
    resources: HashMap<&'e ModuleInstance, Vec<&'e Entry<'f>>>,
    /// In the order in which [`Modules::meet`] registers them.
    children: HashMap<ModuleInstance, Vec<ModuleInstance>>,
    met: HashSet<ModuleInstance>,
}

impl<'e, 'f> Modules<'e, 'f> {
    fn of(changes: &'e [Entry<'f>]) -> Modules<'e, 'f> {
        let mut modules = Modules::default();
        for entry in changes.iter().filter(|entry| entry.is_planned()) {
            let module = &entry.instance.module;
            let resources = modules.resources.entry(module).or_default();
            resources.push(entry);
            if resources.len() == 1 {
                modules.meet(module);
            }
        }
        // JS42: by the text of the address.
        modules.resources.values_mut().for_each(|entries| entries.sort_by_key(|entry| entry.address()));
        if let Some(children) = modules.children.get_mut(&ModuleInstance::ROOT) {
            children.sort_by_cached_key(ModuleInstance::to_string);
        }
        modules
    }

    /// Registers a module, and those above it, as a child of the module above.
    fn meet(&mut self, module: &ModuleInstance) {
        let mut module = module.clone();
        while !module.is_root() && self.met.insert(module.clone()) {
            let above = ModuleInstance(module.0[..module.0.len() - 1].to_vec());
            self.children.entry(above.clone()).or_default().push(module);
            module = above;
        }
    }

    /// Modules nest no deeper than the text of an address.
    fn write(&self, module: &ModuleInstance, sink: &mut impl Sink) {
        sink.open_object();
        if let Some(entries) = self.resources.get(module) {
            sink.name("resources");
            sink.open_array();
            entries.iter().for_each(|entry| write_resource(entry, sink));
            sink.close_array();
        }
        if !module.is_root() {
            text(sink, "address", &module.to_string());
        }
        if let Some(children) = self.children.get(module) {
            sink.name("child_modules");
            sink.open_array();
            children.iter().for_each(|child| self.write(child, sink));
            sink.close_array();
        }
        sink.close_object();
    }
}

/// JS41.
fn write_resource(entry: &Entry<'_>, sink: &mut impl Sink) {
    sink.open_object();
    text(sink, "address", entry.address());
    write_place(&entry.instance, &entry.provider, sink);
    sink.name("schema_version");
    sink.int(shown_version(kind(&entry.instance), entry.schema).into());
    let after = entry.after.value.view();
    if !trees::is_empty(after) {
        sink.name("values");
        trees::known(after, sink);
    }
    sink.name("sensitive_values");
    entry.after.write_stored_sensitive(entry.dialect, sink);
    sink.close_object();
}
