//! The names of nodes, as the engine prints them in cycles.

use planfuzz_workspace::order::import_node;

use crate::graph::Node;
use crate::layout::Layout;

/// The name of a node in the graph of an apply.
pub fn of_apply(of: &Node, layout: &Layout<'_>) -> String {
    match of {
        Node::Block(_) | Node::Check(..) => format!("{} (expand)", node(of, layout)),
        _ => node(of, layout),
    }
}

/// The name of a node.
pub fn node(node: &Node, layout: &Layout<'_>) -> String {
    let prefix = |module: &usize| -> String {
        layout.modules[*module].path.iter().map(|name| format!("module.{name}.")).collect()
    };
    let module = |module: &usize| prefix(module).trim_end_matches('.').to_owned();
    let declared = |module: &usize| &layout.modules[*module].configuration.module;
    match node {
        Node::Block(block) => layout.address(*block).to_string(),
        Node::Import(index) => import_node(&declared(&0).imports[*index].target.resource),
        Node::Orphan(instance) | Node::Make(instance) => instance.to_string(),
        Node::Deposed(instance, key) => format!("{instance} (destroy deposed {})", key.as_str()),
        Node::Variable(0, index) => format!("var.{}", declared(&0).variables[*index].name.text),
        Node::Variable(at, index) => format!("{}var.{} (expand)", prefix(at), declared(at).variables[*index].name.text),
        Node::Validation(at, index) => {
            format!("{}var.{} (validation)", prefix(at), declared(at).variables[*index].name.text)
        }
        Node::Local(at, index) => format!("{}local.{} (expand)", prefix(at), declared(at).locals[*index].name.text),
        Node::Output(at, index) => format!("{}output.{} (expand)", prefix(at), declared(at).outputs[*index].name.text),
        Node::GoneOutput(name) => format!("output.{name} (destroy)"),
        Node::Begin(at) => format!("{} (expand)", module(at)),
        Node::End(at) => format!("{} (close)", module(at)),
        Node::Provider(address) => address.to_string(),
        Node::EphemeralEnd(block) => format!("{} (close)", layout.address(*block)),
        Node::CheckStart => "(execute checks)".to_owned(),
        Node::CheckReport(at, index) => {
            format!("{}check.{} (report)", prefix(at), declared(at).checks[*index].name.text)
        }
        Node::Check(at, index) => format!("{}check.{}", prefix(at), declared(at).checks[*index].name.text),
        Node::Destroy(instance) => format!("{instance} (destroy)"),
        Node::Forget(instance, _) => format!("{instance} (forget)"),
    }
}
