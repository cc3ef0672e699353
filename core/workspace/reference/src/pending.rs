//! Which data resources wait for the apply because something that they depend on has pending changes (G95 to G99).

use std::collections::{BTreeMap, BTreeSet};

use planfuzz_core::address::{AbsResourceInstance, ConfigResource, ResourceMode};
use planfuzz_core::planner::{Configured, Link};
use planfuzz_core::plans::Action;
use planfuzz_language::config::Traversal;

use crate::graph::Node;
use crate::references::targets;
use crate::walk::Walk;

/// Gives each dependency of a data resource its link and the actions that count.
pub fn mark(walk: &Walk<'_, '_, '_>, block: usize, address: &AbsResourceInstance, configured: &mut Configured) {
    let of = &walk.layout.blocks[block];
    let has_rules = !of.resource.lifecycle.preconditions.is_empty() || !of.resource.lifecycle.postconditions.is_empty();
    let wanted: BTreeSet<String> = match has_rules {
        // G96
        true => configured.dependencies.iter().map(|one| one.address.to_string()).collect(),
        false => looked_at(walk, block),
    };
    let named: BTreeMap<String, ConfigResource> =
        walk.dependencies(block).into_iter().map(|address| (address.to_string(), address)).collect();
    for dependency in &mut configured.dependencies {
        if !wanted.contains(dependency.address.as_str()) || fault!(DataNeverDeferred) {
            continue;
        }
        dependency.link = Link::DependsOn;
        // G98
        let Some(block) = named.get(dependency.address.as_str()) else { continue };
        let is_apart = block.module == address.module.module();
        let counts = walk
            .recorded(block)
            .filter(|change| change.deposed().is_none() && !(is_apart && change.addr.module != address.module));
        dependency.actions = counts
            .map(|change| match change.action() {
                Action::NoOp if fault!(DataDeferredByNoOp) => Action::Update,
                action => action,
            })
            .filter(|action| *action != Action::NoOp)
            .collect();
    }
}

/// G95: (a) its own depends_on, (b) direct references to managed resources, (c) depends_on of enclosing calls with all that reaches, (d) the
/// same of calls that are referred to as a whole.
fn looked_at(walk: &Walk<'_, '_, '_>, block: usize) -> BTreeSet<String> {
    let layout = walk.layout;
    let of = &layout.blocks[block];
    let mut found = BTreeSet::new();
    let nodes = |module: usize, reference: &Traversal| -> Vec<usize> {
        targets(layout, module, reference).into_iter().filter_map(|node| walk.graph.id(&node)).collect()
    };
    let mut take = |id: usize| match &walk.graph.nodes[id] {
        Node::Block(block) => drop(found.insert(layout.address(*block).to_string())),
        Node::Orphan(instance) => drop(found.insert(instance.config_resource().to_string())),
        _ => {}
    };
    for reference in &of.resource.depends_on {
        for id in nodes(of.module, reference) {
            take(id);
            if !matches!(walk.graph.nodes[id], Node::Block(_)) {
                walk.graph.reach(id).into_iter().for_each(&mut take);
            }
        }
    }
    let mut calls = Vec::new();
    for reference in layout.block_references(block) {
        for id in nodes(of.module, &reference) {
            match walk.graph.nodes[id] {
                Node::Block(named) if layout.blocks[named].address.mode == ResourceMode::Managed => take(id),
                Node::End(called) => calls.push(called),
                _ => {}
            }
        }
    }
    calls.extend(std::iter::successors(Some(of.module), |&module| layout.modules[module].parent));
    for module in calls {
        let (Some(parent), Some(call)) = (layout.modules[module].parent, layout.modules[module].call) else { continue };
        for reference in &call.depends_on {
            for id in nodes(parent, reference) {
                take(id);
                walk.graph.reach(id).into_iter().for_each(&mut take);
            }
        }
    }
    found
}
