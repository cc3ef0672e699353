//! The names of nodes, as the engine prints them in cycles.

use planfuzz_workspace::order::import_node;

use crate::graph::Node;
use crate::model::Model;
use crate::walk::Wired;

/// The name of a node in the graph of an apply.
pub fn of_apply(node: Node, model: &Model<'_>, wired: &Wired) -> String {
    let plain = self::node(node, model, wired);
    if matches!(node, Node::Block(_) | Node::Check(..)) { format!("{plain} (expand)") } else { plain }
}

/// The name of a node.
pub fn node(node: Node, model: &Model<'_>, wired: &Wired) -> String {
    let module = |module: u32| &model.modules[module as usize];
    let call = |at: u32, what: &str| format!("{}{what}", module(at).prefix.trim_end_matches('.'));
    let address = |thing: u32| &wired.things[thing as usize].address;
    match node {
        Node::Block(block) => model.blocks[block as usize].text.to_string(),
        Node::Import(place) => import_node(&module(0).of.imports[place as usize].target.resource),
        Node::Orphan(thing) | Node::Make(thing) => address(thing).to_string(),
        Node::Destroy(thing) => format!("{} (destroy)", address(thing)),
        Node::Forget(thing) => format!("{} (forget)", address(thing)),
        Node::Deposed(thing) => {
            let key = wired.things[thing as usize].key.as_ref().map_or("", |key| key.as_str());
            format!("{} (destroy deposed {key})", address(thing))
        }
        Node::Variable(at, place) => {
            let expands = if at == 0 { "" } else { " (expand)" };
            format!("{}var.{}{expands}", module(at).prefix, module(at).variables[place as usize].of.name.text)
        }
        Node::Validation(at, place) => {
            format!("{}var.{} (validation)", module(at).prefix, module(at).variables[place as usize].of.name.text)
        }
        Node::Local(at, place) => {
            format!("{}local.{} (expand)", module(at).prefix, module(at).of.locals[place as usize].name.text)
        }
        Node::Output(at, place) => {
            format!("{}output.{} (expand)", module(at).prefix, module(at).outputs[place as usize].of.name.text)
        }
        Node::GoneOutput(place) => format!("output.{} (destroy)", wired.gone[place as usize]),
        Node::Begin(at) => call(at, " (expand)"),
        Node::End(at) => call(at, " (close)"),
        Node::Provider(provider) => model.providers[provider as usize].address.to_string(),
        Node::EphemeralEnd(block) => format!("{} (close)", model.blocks[block as usize].text),
        Node::CheckStart => "(execute checks)".to_owned(),
        Node::Report(at, place) => {
            format!("{}check.{} (report)", module(at).prefix, module(at).of.checks[place as usize].name.text)
        }
        Node::Check(at, place) => {
            format!("{}check.{}", module(at).prefix, module(at).of.checks[place as usize].name.text)
        }
        Node::Joint(number) => format!("(joint {number})"),
    }
}
