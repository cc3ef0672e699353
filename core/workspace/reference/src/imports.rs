//! Import blocks (G48 to G50).

use planfuzz_core::address::{InstanceKey, ModuleInstance, ModuleStep, Resource};
use planfuzz_core::value::Value;
use planfuzz_language::config::{Import, StepKind, Traversal};

use crate::evaluation::Taken;
use crate::layout::Layout;
use crate::references;

/// What is told of an import target that is not there (G15, G49).
pub const NO_CONFIGURATION: &str = "Configuration for import target does not exist";

/// The block that an import is about.
pub fn block_of(layout: &Layout<'_>, import: &Import) -> Option<usize> {
    let (module, target) = within(layout, import)?;
    layout.find(module, &references::resource(&target)?)
}

/// G49: whether a block has to be there for the target, since it has a key, or is one of many.
pub fn needs_block(import: &Import) -> bool {
    let last = import.to.references.first().and_then(|target| target.steps.last());
    let has_key = last.is_some_and(|step| matches!(step.kind, StepKind::Index(_)));
    import.to.references.len() == 1 && (has_key || import.for_each.is_some())
}

/// The resource of the root that an import is about.
pub fn resource(import: &Import) -> Option<Resource> {
    import.to.references.first().and_then(references::resource)
}

/// The module that the target of an import lies in.
pub fn module_of(layout: &Layout<'_>, import: &Import) -> Option<usize> {
    within(layout, import).map(|(module, _)| module)
}

fn within(layout: &Layout<'_>, import: &Import) -> Option<(usize, Traversal)> {
    let mut target = import.to.references.first()?.clone();
    let mut module = 0;
    while &*target.root == "module" {
        let mut steps = target.steps.into_iter();
        let StepKind::Attribute(name) = steps.next()?.kind else { return None };
        module = *layout.modules[module].children.get(name.as_str())?;
        let mut rest = steps.skip_while(|step| matches!(step.kind, StepKind::Index(_)));
        let StepKind::Attribute(root) = rest.next()?.kind else { return None };
        (target.root, target.steps) = (root, rest.collect());
    }
    Some((module, target))
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
