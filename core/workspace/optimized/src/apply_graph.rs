//! The graph of an apply (sections 3 and 4 of workspace-apply.md).

use std::borrow::Cow;
use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};

use hashbrown::{HashMap, HashSet};
use planfuzz_core::address::{AbsResourceInstance, InstanceKey, ModuleInstance, ProviderConfig, ResourceMode};
use planfuzz_core::plans::{Action, AddressedChange, Mode};
use planfuzz_core::state::DeposedKey;
use planfuzz_workspace::Plan;

use crate::crossings::{self, LeftOut};
use crate::destroyers::destroyers;
use crate::graph::{Graph, Node, NodeSet};
use crate::model::Model;
use crate::walk::{Wired, flag};
use crate::wiring::{ephemeral_ends, joined};

/// A leg of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Leg {
    /// `U`, and whether it does anything.
    Make(bool),
    /// `D`, `X`, `F`, and whether the replacement is created first.
    Destroy(bool),
}

/// The legs of a plan: node, thing, leg.
pub type Legs = Vec<(u32, u32, Leg)>;

/// The keys under which objects are deposed by this apply (U13).
pub fn fresh_keys(plan: &Plan) -> BTreeMap<AbsResourceInstance, DeposedKey> {
    let is_replaced =
        |change: &&AddressedChange| change.action() == Action::CreateThenDelete && change.deposed().is_none();
    let wanted: BTreeSet<&AbsResourceInstance> =
        plan.changes.iter().filter(is_replaced).map(|change| &change.addr).collect();
    if wanted.is_empty() {
        return BTreeMap::new();
    }
    // The key of an object that a refresh found gone is not used again.
    let stored = plan.prior.resources.values().chain(plan.previous.resources.values());
    let instances = stored.flat_map(|resource| resource.instances.values());
    let used: HashSet<&str> = instances.flat_map(|instance| instance.deposed.keys().map(DeposedKey::as_str)).collect();
    let mut free = (1_u64..).map(|number| format!("{number:08x}")).filter(|key| !used.contains(key.as_str()));
    wanted.into_iter().filter_map(|address| Some((address.clone(), DeposedKey::new(&free.next()?)?))).collect()
}

/// The graph of the apply of a plan, not yet reduced by targets, and the instances that it forces to be created first (U25).
pub fn build(
    model: &Model<'_>,
    plan: &Plan,
    keys: &BTreeMap<AbsResourceInstance, DeposedKey>,
) -> (Wired, HashSet<AbsResourceInstance>) {
    let destroys = plan.mode == Mode::Destroy;
    let mut wired = Wired { graph: model.configured().clone(), ..Wired::default() };
    for name in plan.prior.outputs.keys().filter(|name| destroys || model.output(0, name).is_none()) {
        wired.gone(name);
    }
    let mut legs = Legs::new();
    if plan.mode != Mode::RefreshOnly {
        for (place, change) in plan.changes.iter().enumerate() {
            add_legs(&mut wired, model, plan, keys, (place, change), &mut legs);
        }
    }
    without_reports(&mut wired);
    // Before the makes: a provider that is only needed for destroyed objects waits for them, too.
    providers(&mut wired, model, plan, &legs);
    wait_for_makes(&mut wired, model, &legs);
    let forced = forced(&wired, model, &legs);
    let left_out = if destroys { LeftOut::new() } else { crossings::left_out(&wired, model, &plan.prior, &legs) };
    if !fault!(HalvesUnordered) {
        halves(&mut wired, &legs);
    }
    destroyers(&mut wired, model, &plan.prior, &legs, &left_out);
    if destroys {
        wired = for_destruction(wired);
    } else if model.dialect.drops_unused_in_applies() && !fault!(UnusedKept) {
        wired = only_used(wired);
    }
    ephemeral_ends(&mut wired, model);
    wired.graph.tidy();
    (wired, forced)
}

/// U10 to U15.
fn add_legs(
    wired: &mut Wired,
    model: &Model<'_>,
    plan: &Plan,
    keys: &BTreeMap<AbsResourceInstance, DeposedKey>,
    (place, change): (usize, &AddressedChange),
    legs: &mut Legs,
) {
    let mut add = |node: fn(u32) -> Node, key: Option<DeposedKey>, leg: Leg| {
        let thing = wired.thing(model, change.addr.clone(), key);
        wired.things[thing as usize].change = Some(place);
        legs.push((wired.graph.add(node(thing)), thing, leg));
    };
    let is_flagged = || {
        let current = plan.prior.instance(&change.addr).and_then(|instance| instance.current.as_ref());
        current.is_some_and(|object| object.create_before_destroy) && !fault!(FlagForgotten)
    };
    match (change.action(), change.deposed()) {
        (Action::Delete, Some(key)) => add(Node::Deposed, Some(key.clone()), Leg::Destroy(true)),
        (Action::Forget, key) => add(Node::Forget, key.cloned(), Leg::Destroy(false)),
        (_, Some(_)) => {}
        (Action::Create | Action::Update | Action::Read | Action::CreateThenForget, None) => {
            add(Node::Make, None, Leg::Make(true));
        }
        (Action::Delete, None) => add(Node::Destroy, None, Leg::Destroy(is_flagged())),
        (Action::DeleteThenCreate | Action::ForgetThenCreate, None) => {
            add(Node::Make, None, Leg::Make(true));
            add(Node::Destroy, None, Leg::Destroy(is_flagged()));
        }
        (Action::CreateThenDelete, None) => {
            add(Node::Make, None, Leg::Make(true));
            if let Some(key) = keys.get(&change.addr) {
                add(Node::Deposed, Some(key.clone()), Leg::Destroy(true));
            }
        }
        (Action::NoOp, None) => {
            let block = model.block_of(&change.addr).map(|block| &model.blocks[block]);
            if block.is_some_and(|block| !block.preconditions.is_empty() || !block.postconditions.is_empty()) {
                add(Node::Make, None, Leg::Make(false));
            }
        }
    }
}

/// In an apply only nested data of checks wait for the report (U39).
fn without_reports(wired: &mut Wired) {
    let graph = &mut wired.graph;
    let is_report: Vec<bool> = graph.nodes.iter().map(|node| matches!(node, Node::Report(..))).collect();
    if is_report.contains(&true) {
        graph.waits.iter_mut().for_each(|waits| waits.retain(|&to| !is_report[to as usize]));
    }
}

/// U30, U31: a node that waits for a block waits for the instances that are made of it; an instance that is made waits for its block.
fn wait_for_makes(wired: &mut Wired, model: &Model<'_>, legs: &Legs) {
    let mut makes: BTreeMap<usize, Vec<(u32, InstanceKey)>> = BTreeMap::new();
    let mut managed = Vec::new();
    for (id, thing, leg) in legs {
        let thing = &wired.things[*thing as usize];
        if let (Leg::Make(_), Some(block)) = (leg, thing.block) {
            makes.entry(block).or_default().push((*id, thing.address.key.clone()));
            if thing.address.resource.mode == ResourceMode::Managed {
                managed.push(*id);
            }
        }
    }
    if makes.is_empty() {
        return;
    }
    let users = wired.graph.users();
    let (mut starts, mut apart) = (None, Vec::new());
    for (block, makes) in &makes {
        let block = *block;
        let graph = &mut wired.graph;
        let Some(of) = graph.id(Node::Block(block as u32)) else { continue };
        let all = joined(graph, makes.iter().map(|(id, _)| *id).collect());
        let mut by_key: HashMap<&InstanceKey, Vec<u32>> = HashMap::new();
        makes.iter().for_each(|(id, key)| by_key.entry(key).or_default().push(*id));
        for &user in &users[of as usize] {
            // A reference to one instance waits for that one alone, if it has a node.
            let keys = graph.keyed.get(&(user, of)).filter(|_| !graph.whole.contains(&(user, of)));
            let named: Option<Vec<u32>> = keys.and_then(|keys| {
                let found: Option<Vec<&Vec<u32>>> = keys.iter().map(|key| by_key.get(key)).collect();
                Some(found?.into_iter().flatten().copied().collect())
            });
            match named {
                Some(named) => named.into_iter().for_each(|make| graph.edge(user, make)),
                None => graph.edge(user, all),
            }
        }
        apart.push((block, of));
        // U39: nested data of a check waits for everything managed.
        if model.blocks[block].check.is_some() {
            let start = *starts.get_or_insert_with(|| {
                let start = graph.add(Node::CheckStart);
                managed.iter().for_each(|&make| graph.edge(start, make));
                start
            });
            makes.iter().for_each(|(make, _)| graph.edge(*make, start));
        }
    }
    // All edges from and to blocks are known now.
    for (block, of) in apart {
        wait_for_block(wired, model, of, makes.get(&block).map_or(&[][..], Vec::as_slice));
    }
}

/// U30: an instance that is made waits for its block. U33: in an instance of a module with a key it waits only for what the block waits
/// for, except for what is made in other instances of the module.
fn wait_for_block(wired: &mut Wired, model: &Model<'_>, of: u32, makes: &[(u32, InstanceKey)]) {
    let is_apart = model.dialect.separates_module_instances() && !fault!(ModulesWait);
    let mut within: BTreeMap<ModuleInstance, Vec<u32>> = BTreeMap::new();
    for (make, _) in makes {
        match made_at(wired, *make).filter(|at| is_apart && has_key(at)) {
            Some(at) => within.entry(at.clone()).or_default().push(*make),
            None => wired.graph.edge(*make, of),
        }
    }
    if within.is_empty() {
        return;
    }
    let direct = members(&wired.graph, of);
    let path = within.keys().next().map(ModuleInstance::module);
    let mut made: BTreeMap<ModuleInstance, Vec<u32>> = BTreeMap::new();
    let (mut blocks, mut others) = (Vec::new(), Vec::new());
    for to in direct {
        match (wired.graph.nodes[to as usize], made_at(wired, to)) {
            (_, Some(at)) if Some(at.module()) == path => made.entry(at.clone()).or_default().push(to),
            (Node::Block(block), _) => blocks.push((block, to)),
            _ => others.push(to),
        }
    }
    let others = (!others.is_empty()).then(|| joined(&mut wired.graph, others));
    for (at, makes) in within {
        let here = made.get(&at).map_or(&[][..], Vec::as_slice);
        let is_made = |block: u32| here.iter().any(|&make| block_of(wired, make) == Some(block as usize));
        let left = blocks.iter().filter(|(block, _)| !is_made(*block)).map(|(_, to)| *to);
        let waits: Vec<u32> = left.chain(here.iter().copied()).chain(others).collect();
        let joint = (!waits.is_empty()).then(|| joined(&mut wired.graph, waits));
        for make in makes {
            wired.graph.after.push((make, of));
            joint.into_iter().for_each(|joint| wired.graph.edge(make, joint));
        }
    }
}

/// The module instance in which something is made.
fn made_at(wired: &Wired, id: u32) -> Option<&ModuleInstance> {
    match wired.graph.nodes[id as usize] {
        Node::Make(thing) => Some(&wired.things[thing as usize].address.module),
        _ => None,
    }
}

fn block_of(wired: &Wired, id: u32) -> Option<usize> {
    match wired.graph.nodes[id as usize] {
        Node::Make(thing) => wired.things[thing as usize].block,
        _ => None,
    }
}

/// Whether some call around it has keys.
pub fn has_key(module: &ModuleInstance) -> bool {
    module.0.iter().any(|step| step.key != InstanceKey::None)
}

/// The nodes that a node waits for directly, with the members of joints in their place.
fn members(graph: &Graph, of: u32) -> Vec<u32> {
    let (mut found, mut seen, mut rest) = (Vec::new(), HashSet::new(), graph.waits[of as usize].clone());
    while let Some(to) = rest.pop() {
        match graph.nodes[to as usize] {
            _ if !seen.insert(to) => {}
            Node::Joint(_) => rest.extend(&graph.waits[to as usize]),
            _ => found.push(to),
        }
    }
    found
}

/// Section 15, U24: drops blocks and providers that no change waits for, and named values that are not used.
fn only_used(wired: Wired) -> Wired {
    let graph = &wired.graph;
    let is_root = |node: Node| {
        matches!(
            node,
            Node::GoneOutput(_)
                | Node::Check(..)
                | Node::CheckStart
                | Node::Output(0, _)
                | Node::Variable(0, _)
                | Node::Validation(0, _)
        )
    };
    let is_leg = |node: Node| matches!(node, Node::Make(_) | Node::Destroy(_) | Node::Deposed(_) | Node::Forget(_));
    let visits = graph.visits();
    let mut kept = NodeSet::none(graph.len());
    let is_first = |&id: &u32| is_root(graph.nodes[id as usize]) || is_leg(graph.nodes[id as usize]);
    let mut rest: Vec<u32> = (0..graph.len() as u32).filter(is_first).collect();
    rest.iter().for_each(|&id| kept.put(id));
    while let Some(id) = rest.pop() {
        // A block is kept only by nodes that are expanded themselves.
        let node = graph.nodes[id as usize];
        let is_single = is_root(node) || matches!(node, Node::Provider(_) | Node::End(_));
        for &to in &visits[id as usize] {
            let is_left = is_single && matches!(graph.nodes[to as usize], Node::Block(_));
            if !is_left && kept.add(to) {
                rest.push(to);
            }
        }
    }
    wired.keep(kept)
}

/// U39: each leg waits for its provider; a deletion of data needs none.
fn providers(wired: &mut Wired, model: &Model<'_>, plan: &Plan, legs: &Legs) {
    // Not needed for legs whose block is known.
    let planned = LazyCell::new(|| {
        let mut planned: HashMap<&AbsResourceInstance, &ProviderConfig> = HashMap::new();
        for change in &plan.changes {
            planned.entry(&change.addr).or_insert(&change.provider);
        }
        planned
    });
    for (id, thing, leg) in legs {
        let thing = &wired.things[*thing as usize];
        let is_make = matches!(leg, Leg::Make(_));
        if thing.address.resource.mode == ResourceMode::Data && !is_make {
            continue;
        }
        let own = thing.block.filter(|_| is_make).map(|block| model.address_of(block));
        let stored =
            || plan.prior.resources.get(&thing.address.abs_resource()).map(|stored| model.passed_on(&stored.provider));
        let known = own.or_else(|| planned.get(&thing.address).copied()).map(Cow::Borrowed);
        if let Some(provider) = known.or_else(stored).and_then(|provider| wired.provider(model, &provider)) {
            wired.graph.edge(*id, provider);
        }
    }
}

/// U25: the instances that are reached from a block with create_before_destroy, or a destruction with the flag, by references and providers
/// alone.
fn forced(wired: &Wired, model: &Model<'_>, legs: &Legs) -> HashSet<AbsResourceInstance> {
    let graph = &wired.graph;
    let by_made = model.dialect.forces_by_made_instances();
    let is_flagged = |&id: &u32| match graph.nodes[id as usize] {
        Node::Block(block) => !by_made && flag(model, block as usize),
        Node::Make(thing) => by_made && wired.things[thing as usize].block.is_some_and(|block| flag(model, block)),
        _ => false,
    };
    let gone = legs.iter().filter(|(_, _, leg)| !by_made && matches!(leg, Leg::Destroy(true))).map(|(id, _, _)| *id);
    let flagged: Vec<u32> = (0..graph.len() as u32).filter(is_flagged).chain(gone).collect();
    if flagged.is_empty() {
        return HashSet::new();
    }
    let mut found = NodeSet::none(graph.len());
    graph.reach(flagged, &mut found);
    let makes = (0..graph.len() as u32).filter(|&id| found.has(id)).filter_map(|id| match graph.nodes[id as usize] {
        Node::Make(thing) => Some(wired.things[thing as usize].address.clone()),
        _ => None,
    });
    makes.collect()
}

/// U34: only a destruction has another half.
pub fn halves(wired: &mut Wired, legs: &Legs) {
    if legs.iter().all(|(_, _, leg)| matches!(leg, Leg::Make(_))) {
        return;
    }
    let makes = legs.iter().filter(|(_, _, leg)| matches!(leg, Leg::Make(_)));
    let makes: HashMap<AbsResourceInstance, u32> =
        makes.map(|(id, thing, _)| (wired.things[*thing as usize].address.clone(), *id)).collect();
    for (id, thing, leg) in legs {
        let Some(&make) = makes.get(&wired.things[*thing as usize].address) else { continue };
        match leg {
            Leg::Destroy(true) => wired.graph.edge(*id, make),
            Leg::Destroy(false) => wired.graph.edge(make, *id),
            Leg::Make(_) => {}
        }
    }
}

/// U23, U47: blocks are reached by providers alone, through their configurations or what their modules depend on.
fn for_destruction(wired: Wired) -> Wired {
    let graph = &wired.graph;
    let graph = graph.keep(|id| {
        let node = graph.nodes[id as usize];
        let is_of_check = matches!(node, Node::Check(..) | Node::CheckStart | Node::Report(..));
        !is_of_check && !matches!(node, Node::Make(_) | Node::End(_) | Node::Validation(..))
    });
    let is_wanted = |&id: &u32| {
        matches!(graph.nodes[id as usize], Node::Destroy(_) | Node::Deposed(_) | Node::Forget(_) | Node::GoneOutput(_))
    };
    let wanted: Vec<u32> = (0..graph.len() as u32).filter(is_wanted).collect();
    Wired { graph, ..wired }.keep_reached(&wanted)
}
