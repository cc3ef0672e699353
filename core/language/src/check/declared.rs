//! The declarations of a module, by name, so that the lookup of a reference does not take longer in a larger module.

use hashbrown::HashMap;
use planfuzz_core::address::ResourceMode;

use crate::config::{Check, Configuration, Local, ModuleCall, Resource, Variable};

/// The declarations of one module; of two of one name, which is an error elsewhere, the first.
#[derive(Default)]
pub(super) struct Declared<'m> {
    pub variables: HashMap<&'m str, &'m Variable>,
    pub locals: HashMap<&'m str, &'m Local>,
    pub calls: HashMap<&'m str, &'m ModuleCall>,
    pub resources: HashMap<(ResourceMode, &'m str, &'m str), &'m Resource>,
    /// Check blocks by their data resources (E64).
    pub scoped: HashMap<(&'m str, &'m str), &'m Check>,
}

impl<'m> Declared<'m> {
    pub fn of(configuration: &'m Configuration) -> Declared<'m> {
        let module = &configuration.module;
        let mut declared = Declared::default();
        for variable in &module.variables {
            declared.variables.entry(&variable.name.text).or_insert(variable);
        }
        for local in &module.locals {
            declared.locals.entry(&local.name.text).or_insert(local);
        }
        for call in &module.calls {
            declared.calls.entry(&call.name.text).or_insert(call);
        }
        for resource in &module.resources {
            let key = (resource.mode, &*resource.type_name.text, &*resource.name.text);
            declared.resources.entry(key).or_insert(resource);
        }
        for check in &module.checks {
            if let Some(data) = &check.data {
                declared.scoped.entry((&data.type_name.text, &data.name.text)).or_insert(check);
            }
        }
        declared
    }
}
