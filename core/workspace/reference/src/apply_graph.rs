//! The graph of an apply (sections 3 and 4 of workspace-apply.md).

use std::collections::{BTreeMap, BTreeSet};

use planfuzz_core::address::{AbsResourceInstance, ConfigResource, InstanceKey, ProviderConfig, ResourceMode};
use planfuzz_core::plans::{Action, AddressedChange, Mode};
use planfuzz_core::state::DeposedKey;
use planfuzz_workspace::{Plan, State};

use crate::crossings;
use crate::graph::{self, Graph, Node};
use crate::late_edges;
use crate::layout::Layout;
use crate::references;

/// A leg of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leg {
    /// `U`, and whether it does anything.
    Make {
        /// Whether it is not a no-op.
        acts: bool,
    },
    /// `D`, `X`, `F`.
    Destroy {
        /// Whether the replacement is created first.
        first_created: bool,
    },
}

/// The keys under which objects are deposed by this apply (U13).
pub fn fresh_keys(plan: &Plan) -> BTreeMap<AbsResourceInstance, DeposedKey> {
    let mut used: BTreeSet<String> = BTreeSet::new();
    // Keys of objects that are gone are not used again.
    for (_, _, instance) in plan.prior.instances().chain(plan.previous.instances()) {
        used.extend(instance.deposed.keys().map(|key| key.as_str().to_owned()));
    }
    let mut wanted: Vec<&AbsResourceInstance> = plan
        .changes
        .iter()
        .filter(|change| change.action() == Action::CreateThenDelete && change.deposed().is_none())
        .map(|change| &change.addr)
        .collect();
    wanted.sort();
    let mut free = (1_u64..).map(|number| format!("{number:08x}")).filter(|key| !used.contains(key));
    wanted.into_iter().filter_map(|address| Some((address.clone(), DeposedKey::new(&free.next()?)?))).collect()
}

/// The graph of the apply of a plan, not yet reduced by targets, and the instances that it forces to be created first (U25).
pub fn build(
    layout: &Layout<'_>,
    plan: &Plan,
    keys: &BTreeMap<AbsResourceInstance, DeposedKey>,
) -> (Graph, BTreeSet<AbsResourceInstance>) {
    let destroys = plan.mode == Mode::Destroy;
    let mut graph = graph::of_configuration(layout);
    graph.leaves_imports = true;
    for name in plan.prior.outputs.keys() {
        let is_configured = |output: &planfuzz_language::config::Output| *output.name.text == **name;
        if destroys || !layout.modules[0].configuration.module.outputs.iter().any(is_configured) {
            graph.add(Node::GoneOutput(name.clone()));
        }
    }
    let mut legs: Vec<(usize, AbsResourceInstance, Leg)> = Vec::new();
    if plan.mode != Mode::RefreshOnly {
        for change in &plan.changes {
            add_legs(&mut graph, layout, plan, keys, change, &mut legs);
        }
    }
    graph::configured_edges(&mut graph, layout);
    without_reports(&mut graph);
    let makes: Vec<(usize, AbsResourceInstance)> = legs
        .iter()
        .filter(|(_, _, leg)| matches!(leg, Leg::Make { .. }))
        .map(|(id, address, _)| (*id, address.clone()))
        .collect();
    // A provider that is only needed for destroyed objects refers to blocks as well.
    providers(&mut graph, layout, plan, &legs);
    wait_for_makes(&mut graph, layout, &makes);
    let forced = forced(&graph, layout, &legs);
    destroyers(&mut graph, layout, plan, &legs);
    halves(&mut graph, &legs);
    if destroys {
        graph = for_destruction(&graph);
    } else if layout.dialect.drops_unused_in_applies() {
        graph = only_used(graph);
    }
    late_edges::ephemeral_ends(&mut graph, layout);
    (graph, forced)
}

/// Section 15, U24: OpenTofu drops blocks and providers that no change waits for, and named values that are not used.
fn only_used(graph: Graph) -> Graph {
    let is_leg = |node: &Node| matches!(node, Node::Make(_) | Node::Destroy(_) | Node::Deposed(..) | Node::Forget(..));
    let is_root = |node: &Node| {
        let is_kept = matches!(node, Node::GoneOutput(_) | Node::Check(..) | Node::CheckStart);
        is_kept || matches!(node, Node::Output(0, _) | Node::Variable(0, _) | Node::Validation(0, _))
    };
    // A block is kept only by nodes that are expanded themselves.
    let is_single = |node: &Node| is_root(node) || matches!(node, Node::Provider(_) | Node::End(_));
    let visits = graph.visits();
    let is_first = |id: &usize| is_leg(&graph.nodes[*id]) || is_root(&graph.nodes[*id]);
    let mut rest: Vec<usize> = (0..graph.nodes.len()).filter(is_first).collect();
    let mut kept: BTreeSet<usize> = rest.iter().copied().collect();
    while let Some(id) = rest.pop() {
        for &to in &visits[id] {
            let is_left = matches!(graph.nodes[to], Node::Block(_)) && is_single(&graph.nodes[id]);
            if !is_left && kept.insert(to) {
                rest.push(to);
            }
        }
    }
    late_edges::keep_ends(&graph, &mut kept);
    graph.keep(&kept)
}

/// In an apply only nested data of checks wait for the report (U39).
fn without_reports(graph: &mut Graph) {
    let is_report = |id: &usize| matches!(graph.nodes[*id], Node::CheckReport(..));
    let reports: BTreeSet<usize> = (0..graph.nodes.len()).filter(is_report).collect();
    for edges in &mut graph.edges {
        edges.retain(|to| !reports.contains(to));
    }
}

/// U25: the instances that are reached from a block with create_before_destroy, or a destruction with the flag, by references and providers
/// alone.
fn forced(
    graph: &Graph,
    layout: &Layout<'_>,
    legs: &[(usize, AbsResourceInstance, Leg)],
) -> BTreeSet<AbsResourceInstance> {
    let has_flag = |block: &usize| {
        let lifecycle = &layout.blocks[*block].resource.lifecycle;
        lifecycle.create_before_destroy.as_ref().is_some_and(|flag| flag.value)
    };
    // Section 15: in OpenTofu only instances with nodes of their own count.
    let is_first = |id: &usize| match (&graph.nodes[*id], layout.dialect.forces_by_made_instances()) {
        (Node::Block(block), false) => has_flag(block),
        (Node::Make(address), true) => layout.block_of(address).is_some_and(|block| has_flag(&block)),
        _ => false,
    };
    let gone = legs.iter().filter(|(_, _, leg)| matches!(leg, Leg::Destroy { first_created: true }));
    let gone = gone.map(|(id, _, _)| *id).filter(|_| !layout.dialect.forces_by_made_instances());
    let first = (0..graph.nodes.len()).filter(is_first).chain(gone);
    let reached = graph.reach_of(first.filter(|_| !fault!(FlagNotHandedOn)));
    let makes = reached.into_iter().filter_map(|node| match &graph.nodes[node] {
        Node::Make(address) => Some(address.clone()),
        _ => None,
    });
    makes.collect()
}

/// U10 to U15.
fn add_legs(
    graph: &mut Graph,
    layout: &Layout<'_>,
    plan: &Plan,
    keys: &BTreeMap<AbsResourceInstance, DeposedKey>,
    change: &AddressedChange,
    legs: &mut Vec<(usize, AbsResourceInstance, Leg)>,
) {
    let address = change.addr.clone();
    let current = plan.prior.instance(&address).and_then(|instance| instance.current.as_ref());
    let stored_flag = current.is_some_and(|object| object.create_before_destroy);
    let make = |graph: &mut Graph, acts| (graph.add(Node::Make(address.clone())), address.clone(), Leg::Make { acts });
    match (change.action(), change.deposed()) {
        (Action::Delete, Some(key)) => {
            let id = graph.add(Node::Deposed(address.clone(), key.clone()));
            legs.push((id, address, Leg::Destroy { first_created: true }));
        }
        (Action::Forget, key) => {
            let id = graph.add(Node::Forget(address.clone(), key.cloned()));
            legs.push((id, address, Leg::Destroy { first_created: false }));
        }
        (_, Some(_)) => {}
        (Action::Create | Action::Update | Action::Read | Action::CreateThenForget, None) => {
            legs.push(make(graph, true))
        }
        (Action::Delete, None) => {
            let id = graph.add(Node::Destroy(address.clone()));
            legs.push((id, address, Leg::Destroy { first_created: stored_flag }));
        }
        (Action::DeleteThenCreate | Action::ForgetThenCreate, None) => {
            legs.push(make(graph, true));
            let id = graph.add(Node::Destroy(address.clone()));
            legs.push((id, address.clone(), Leg::Destroy { first_created: stored_flag }));
        }
        (Action::CreateThenDelete, None) => {
            legs.push(make(graph, true));
            if let Some(key) = keys.get(&address) {
                let id = graph.add(Node::Deposed(address.clone(), key.clone()));
                legs.push((id, address.clone(), Leg::Destroy { first_created: true }));
            }
        }
        (Action::NoOp, None) => {
            let block = layout.block_of(&address);
            let lifecycle = block.map(|block| &layout.blocks[block].resource.lifecycle);
            if lifecycle.is_some_and(|one| !one.preconditions.is_empty() || !one.postconditions.is_empty()) {
                legs.push(make(graph, false));
            }
        }
    }
}

/// U30, U31: a node that waits for a block waits for the instances that are made of it; an instance that is made waits for its block.
fn wait_for_makes(graph: &mut Graph, layout: &Layout<'_>, makes: &[(usize, AbsResourceInstance)]) {
    let of_block: Vec<(usize, usize)> =
        makes.iter().filter_map(|(id, address)| Some((*id, layout.block_of(address)?))).collect();
    let users = graph.users();
    let mut made: BTreeMap<usize, BTreeSet<&InstanceKey>> = BTreeMap::new();
    let instances: BTreeMap<usize, &AbsResourceInstance> = makes.iter().map(|(id, address)| (*id, address)).collect();
    let own: BTreeMap<usize, &InstanceKey> = makes.iter().map(|(id, address)| (*id, &address.key)).collect();
    for (make, block) in &of_block {
        made.entry(*block).or_default().extend(own.get(make));
    }
    for (make, block) in &of_block {
        let Some(block_node) = graph.id(&Node::Block(*block)) else { continue };
        for &node in &users[block_node] {
            if matches!(graph.nodes[node], Node::Make(_)) {
                continue;
            }
            // A reference to one instance waits for that one alone, if it has a node.
            let is_whole = graph.whole.contains(&(node, block_node));
            let keys = graph.keyed.get(&(node, block_node)).filter(|_| !is_whole);
            let is_other = keys.is_some_and(|keys| {
                keys.iter().all(|key| made[block].contains(key)) && own.get(make).is_none_or(|own| !keys.contains(own))
            });
            if !is_other && !fault!(UserNotAfterMake) {
                graph.edge(node, *make);
            }
        }
    }
    for (make, block) in &of_block {
        let Some(block_node) = graph.id(&Node::Block(*block)) else { continue };
        match instances.get(make) {
            Some(address) if has_keyed_module(address) && layout.dialect.separates_module_instances() => {
                graph.visit_after(*make, block_node);
                wait_within(graph, layout, *make, address, block_node);
            }
            _ => graph.edge(*make, block_node),
        }
        // U39: nested data of a check waits for everything managed.
        if layout.blocks[*block].check.is_some() {
            let start = graph.add(Node::CheckStart);
            graph.edge(*make, start);
            for (other, address) in makes {
                if address.resource.mode == ResourceMode::Managed {
                    graph.edge(start, *other);
                }
            }
        }
    }
}

fn has_keyed_module(address: &AbsResourceInstance) -> bool {
    address.module.0.iter().any(|step| step.key != InstanceKey::None)
}

/// U33: in OpenTofu an instance that is made in one instance of a module waits for the references of its block, but not within other
/// instances of the module.
fn wait_within(graph: &mut Graph, layout: &Layout<'_>, make: usize, address: &AbsResourceInstance, block: usize) {
    let all: Vec<usize> = graph.edges[block].iter().copied().collect();
    let is_here = |node: &Node| matches!(node, Node::Make(other) if other.module == address.module);
    let made: BTreeSet<usize> = all
        .iter()
        .filter_map(|&to| match &graph.nodes[to] {
            node @ Node::Make(other) if is_here(node) => layout.block_of(other),
            _ => None,
        })
        .collect();
    for to in all {
        let waits = match &graph.nodes[to] {
            Node::Block(other) => !made.contains(other),
            Node::Make(other) => other.module == address.module || other.module.module() != address.module.module(),
            _ => true,
        };
        if waits {
            graph.edge(make, to);
        }
    }
}

/// U39: each leg waits for its provider; a deletion of data needs none.
fn providers(graph: &mut Graph, layout: &Layout<'_>, plan: &Plan, legs: &[(usize, AbsResourceInstance, Leg)]) {
    let planned: BTreeMap<&AbsResourceInstance, &ProviderConfig> =
        plan.changes.iter().rev().map(|change| (&change.addr, &change.provider)).collect();
    for (id, address, leg) in legs {
        if address.resource.mode == ResourceMode::Data && matches!(leg, Leg::Destroy { .. }) {
            continue;
        }
        let block = layout.block_of(address);
        let stored = plan.prior.resources.get(&address.abs_resource()).map(|stored| layout.passed_on(&stored.provider));
        let planned = planned.get(address).map(|provider| (*provider).clone());
        let configured = block.map(|block| layout.blocks[block].provider.clone());
        let provider = if matches!(leg, Leg::Make { .. }) { configured.or(planned) } else { planned.or(stored) };
        if let Some(provider) = provider.filter(|_| !fault!(LegWithoutProvider)) {
            let known = graph.id(&Node::Provider(provider.clone())).is_some();
            let to = graph.add(Node::Provider(provider.clone()));
            graph.edge(*id, to);
            if !known && let Some((module, block)) = layout.configuring(&provider) {
                // G66
                if let Some(begin) = graph.id(&Node::Begin(module)) {
                    graph.edge(to, begin);
                }
                let schema = layout.schemas.provider(&provider.source.to_string());
                let found = layout.of_body(&block.config, schema.map(|schema| &schema.config.block));
                references::references(graph, layout, to, module, &found);
            }
        }
    }
}

/// U34.
fn halves(graph: &mut Graph, legs: &[(usize, AbsResourceInstance, Leg)]) {
    let makes = legs.iter().filter(|(_, _, leg)| matches!(leg, Leg::Make { .. }));
    let makes: BTreeMap<&AbsResourceInstance, usize> = makes.map(|(id, address, _)| (address, *id)).collect();
    for (id, address, leg) in legs {
        match (leg, makes.get(address)) {
            (Leg::Destroy { first_created: true }, Some(&make)) if !fault!(CreateNotFirst) => graph.edge(*id, make),
            (Leg::Destroy { first_created: false }, Some(&make)) if !fault!(DestroyNotFirst) => graph.edge(make, *id),
            _ => {}
        }
    }
}

/// U35, U36.
fn destroyers(graph: &mut Graph, layout: &Layout<'_>, plan: &Plan, legs: &[(usize, AbsResourceInstance, Leg)]) {
    // The instances that are made wait for each other by references: only destroyed objects add edges here.
    if !legs.iter().any(|(_, _, leg)| matches!(leg, Leg::Destroy { .. })) {
        return;
    }
    let mut of_config: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, (_, address, _)) in legs.iter().enumerate() {
        of_config.entry(address.config_resource().to_string()).or_default().push(index);
    }
    // Reach is computed before destructions add edges, since those are no references.
    let listed: Vec<Vec<String>> =
        legs.iter().map(|(id, address, leg)| dependencies(graph, layout, &plan.prior, *id, address, *leg)).collect();
    // Pairs of a leg and another leg that it names.
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for (place, ((_, address, _), listed)) in legs.iter().zip(listed).enumerate() {
        let own: ConfigResource = address.config_resource();
        for dependency in listed {
            for &index in of_config.get(&dependency).into_iter().flatten() {
                let of = &legs[index].1;
                let apart = of.module != address.module && of.module.module() == address.module.module();
                if !apart && of.config_resource() != own {
                    pairs.push((place, index));
                }
            }
        }
    }
    let left_out = match plan.mode {
        Mode::Destroy => BTreeSet::new(),
        _ => crossings::left_out(graph, legs, &pairs),
    };
    for (place, index) in pairs {
        let ((id, _, leg), (other, _, other_leg)) = (&legs[place], &legs[index]);
        match (leg, other_leg) {
            // U35
            (Leg::Make { .. }, Leg::Destroy { .. }) if fault!(MakeBesideDestroy) => {}
            (Leg::Make { acts: true }, Leg::Destroy { first_created }) => match first_created {
                true => graph.edge(*other, *id),
                false => graph.edge(*id, *other),
            },
            // U36
            (Leg::Destroy { .. }, _) if left_out.contains(&(place, index)) => {}
            (Leg::Destroy { .. }, Leg::Destroy { .. }) if fault!(DestroysUnordered) => {}
            (Leg::Destroy { .. }, Leg::Destroy { .. }) => graph.edge(*other, *id),
            (Leg::Destroy { first_created }, Leg::Make { acts: true }) => match first_created {
                true => graph.edge(*id, *other),
                false => graph.edge(*other, *id),
            },
            _ => {}
        }
    }
}

/// Section 4: the stored dependencies of the current object; without one, for an instance that is made, the configured ones. U39: nested
/// data of a check do not depend on everything that they wait for, and on nothing if the plan read them: stored data have no dependencies.
fn dependencies(
    graph: &Graph,
    layout: &Layout<'_>,
    prior: &State,
    id: usize,
    address: &AbsResourceInstance,
    leg: Leg,
) -> Vec<String> {
    match prior.instance(address).and_then(|instance| instance.current.as_ref()) {
        Some(object) => object.dependencies.iter().map(ToString::to_string).collect(),
        _ if matches!(leg, Leg::Make { .. }) => graph
            .reach(nested_block(graph, layout, address).unwrap_or(id))
            .into_iter()
            .filter_map(|node| match &graph.nodes[node] {
                Node::Block(block) => Some(layout.address(*block).to_string()),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// The node of the block of nested data of a check.
fn nested_block(graph: &Graph, layout: &Layout<'_>, address: &AbsResourceInstance) -> Option<usize> {
    let block = layout.block_of(address).filter(|&block| layout.blocks[block].check.is_some())?;
    graph.id(&Node::Block(block))
}

/// U23, U47: only the blocks that a provider waits for, by its configuration or by the dependencies of its module.
fn for_destruction(graph: &Graph) -> Graph {
    let is_kept =
        |node: &Node| matches!(node, Node::Destroy(_) | Node::Deposed(..) | Node::Forget(..) | Node::GoneOutput(_));
    let is_left_out = |node: &Node| {
        let is_of_check = matches!(node, Node::Check(..) | Node::CheckStart | Node::CheckReport(..));
        is_of_check || matches!(node, Node::Make(_) | Node::End(_) | Node::Validation(..))
    };
    let graph = graph.keep(&(0..graph.nodes.len()).filter(|&id| !is_left_out(&graph.nodes[id])).collect());
    let mut kept = BTreeSet::new();
    for id in 0..graph.nodes.len() {
        if is_kept(&graph.nodes[id]) {
            kept.insert(id);
            kept.extend(graph.reach(id));
        }
    }
    late_edges::keep_ends(&graph, &mut kept);
    graph.keep(&kept)
}
