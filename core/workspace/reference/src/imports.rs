//! Import blocks (G48 to G50).

use planfuzz_core::address::{InstanceKey, ModuleInstance, ModuleStep, Resource};
use planfuzz_core::value::Value;
use planfuzz_language::config::{Import, TargetKey};

use crate::evaluation::Taken;
use crate::layout::Layout;

/// The error for an import target that is not there (G15, G49).
pub const NO_CONFIGURATION: &str = "Configuration for import target does not exist";

/// The error for an invalid id (G48).
pub const INVALID_ID: &str = "Invalid import id argument";

/// The error for a key that the block of an import does not declare (G49).
pub const NO_SUCH_KEY: &str = "Invalid import 'to' expression";

/// The block that an import is about.
pub fn block_of(layout: &Layout<'_>, import: &Import) -> Option<usize> {
    layout.find(layout.module_of_target(import)?, &import.target.resource.resource)
}

/// G49: whether the target needs a block, since it has a key or is one of many.
pub fn needs_block(import: &Import) -> bool {
    match import.target.key {
        TargetKey::None => import.for_each.is_some(),
        TargetKey::Number | TargetKey::Text => true,
        TargetKey::Expression => false,
    }
}

/// G49: the imports of the root whose targets have no block, where they are nodes of a walk, with their places.
pub fn of_nothing<'l>(layout: &'l Layout<'_>) -> impl Iterator<Item = (usize, &'l Import)> {
    let imports = layout.modules[0].configuration.module.imports.iter().enumerate();
    let are_nodes = !layout.dialect.looks_for_import_blocks_first();
    imports.filter(move |(_, import)| are_nodes && block_of(layout, import).is_none())
}

/// The instance that steps name: module instance, resource, key.
pub fn instance(steps: &[Taken]) -> Option<(ModuleInstance, Resource, InstanceKey)> {
    let mut at = steps.iter().peekable();
    let mut module = Vec::new();
    let name = |taken: Option<&Taken>| match taken {
        Some(Taken::Name(name)) => Some(name.to_string()),
        _ => None,
    };
    loop {
        let first = name(at.next())?;
        if first != "module" {
            let (mode, type_name) = match first.as_str() {
                "data" => (planfuzz_core::address::ResourceMode::Data, name(at.next())?),
                "resource" => (planfuzz_core::address::ResourceMode::Managed, name(at.next())?),
                _ => (planfuzz_core::address::ResourceMode::Managed, first),
            };
            let resource = Resource { mode, type_name, name: name(at.next())? };
            let key = match at.next() {
                Some(Taken::Key(value)) => key(value)?,
                _ => InstanceKey::None,
            };
            return Some((ModuleInstance(module), resource, key));
        }
        let call = name(at.next())?;
        let key = match at.peek() {
            Some(Taken::Key(value)) => {
                let key = key(value)?;
                at.next();
                key
            }
            _ => InstanceKey::None,
        };
        module.push(ModuleStep { name: call, key });
    }
}

/// A key of an instance.
pub fn key(value: &Value) -> Option<InstanceKey> {
    if let Some(text) = value.view().as_text() {
        return Some(InstanceKey::Text(text.to_string()));
    }
    value.view().as_number()?.to_i64().map(InstanceKey::Int)
}
