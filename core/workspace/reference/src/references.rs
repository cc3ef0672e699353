//! The nodes that references lead to (section 5.3 of workspace-plan.md).

use planfuzz_core::address::{InstanceKey, Resource, ResourceMode};
use planfuzz_language::config::{Import, StepKind, Traversal};

use crate::graph::{Graph, Node};
use crate::imports;
use crate::layout::Layout;

/// 5.3: adds edges to the nodes that references lead to.
pub fn references(graph: &mut Graph, layout: &Layout<'_>, from: usize, module: usize, found: &[Traversal]) {
    for reference in found {
        for node in targets(layout, module, reference) {
            if let Some(to) = graph.id(&node) {
                if !fault!(ReferencesGoBack) || to < from {
                    graph.edge(from, to);
                }
                match constant_key(reference).filter(|_| matches!(node, Node::Block(_))) {
                    Some(key) => drop(graph.keyed.entry((from, to)).or_default().insert(key)),
                    None => drop(graph.whole.insert((from, to))),
                }
            }
        }
    }
}

/// The constant key of an instance that a reference names (U31).
pub fn constant_key(reference: &Traversal) -> Option<InstanceKey> {
    let at = if matches!(&*reference.root, "data" | "ephemeral" | "resource") { 2 } else { 1 };
    match &reference.steps.get(at)?.kind {
        StepKind::Index(value) => crate::imports::key(value),
        StepKind::Attribute(_) => None,
    }
}

/// The nodes that a reference means (G77 to G81).
pub fn targets(layout: &Layout<'_>, module: usize, reference: &Traversal) -> Vec<Node> {
    if reference.unreadable_index().is_some() {
        return Vec::new();
    }
    let declared = &layout.modules[module].configuration.module;
    let name = |at: usize| match reference.steps.get(at).map(|step| &step.kind) {
        Some(StepKind::Attribute(name)) => Some(name.as_str()),
        _ => None,
    };
    match (reference.root.as_str(), name(0)) {
        ("var", Some(found)) => {
            let Some(index) = declared.variables.iter().position(|one| *one.name.text == *found) else {
                return Vec::new();
            };
            vec![Node::Variable(module, index), Node::Validation(module, index)]
        }
        ("local", Some(found)) => {
            let index = declared.locals.iter().position(|one| *one.name.text == *found);
            index.map(|index| Node::Local(module, index)).into_iter().collect()
        }
        ("module", Some(call)) => {
            let Some(&child) = layout.modules[module].children.get(call) else { return Vec::new() };
            let has_key = matches!(reference.steps.get(1).map(|step| &step.kind), Some(StepKind::Index(_)));
            let outputs = &layout.modules[child].configuration.module.outputs;
            let output = name(1 + usize::from(has_key));
            let output = output.and_then(|output| outputs.iter().position(|found| *found.name.text == *output));
            match output {
                Some(index) => vec![Node::Output(child, index)],
                None => {
                    let all = (0..outputs.len()).map(|index| Node::Output(child, index));
                    [Node::Begin(child), Node::End(child)].into_iter().chain(all).collect()
                }
            }
        }
        _ => match resource(reference) {
            Some(resource) => match layout.find(module, &resource) {
                Some(block) => vec![Node::Block(block)],
                None => imports_to(layout, module, &resource),
            },
            None => Vec::new(),
        },
    }
}

/// G49: the import of a resource without block takes the place of a block.
fn imports_to(layout: &Layout<'_>, module: usize, resource: &Resource) -> Vec<Node> {
    let is_meant = |(_, import): &(usize, &Import)| {
        import.target.resource.resource == *resource && layout.module_of_target(import) == Some(module)
    };
    imports::of_nothing(layout).filter(is_meant).map(|(index, _)| Node::Import(index)).collect()
}

/// The resource that a reference names.
pub fn resource(reference: &Traversal) -> Option<Resource> {
    let name = |at: usize| match reference.steps.get(at).map(|step| &step.kind) {
        Some(StepKind::Attribute(name)) => Some(name.to_string()),
        _ => None,
    };
    let (mode, type_name, name) = match reference.root.as_str() {
        "var" | "local" | "module" | "each" | "count" | "self" | "path" | "terraform" => return None,
        "data" => (ResourceMode::Data, name(0)?, name(1)?),
        "ephemeral" => (ResourceMode::Ephemeral, name(0)?, name(1)?),
        "resource" => (ResourceMode::Managed, name(0)?, name(1)?),
        type_name => (ResourceMode::Managed, type_name.to_owned(), name(0)?),
    };
    Some(Resource { mode, type_name, name })
}
