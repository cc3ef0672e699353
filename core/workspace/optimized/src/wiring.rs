//! The graphs of the walks of a plan (sections 5.1 and 5.4): the nodes of the configuration, and those of the state.

use std::borrow::Cow;
use std::collections::BTreeMap;

use hashbrown::{HashMap, HashSet};
use planfuzz_core::address::{AbsResourceInstance, ModuleInstance, ProviderConfig, ResourceMode};
use planfuzz_core::state::DeposedKey;
use planfuzz_core::value::Text;
use planfuzz_language::config::Import;
use planfuzz_workspace::State;

use crate::graph::{Graph, Node, NodeSet};
use crate::model::Model;
use crate::names;
use crate::targets::Selection;
use crate::walk::{Thing, Wired};

impl Wired {
    /// Adds a thing, before it has a node.
    pub fn thing(&mut self, model: &Model<'_>, address: AbsResourceInstance, key: Option<DeposedKey>) -> u32 {
        let block = model.block_of(&address);
        self.things.push(Thing { address, key, block, change: None });
        self.things.len() as u32 - 1
    }

    /// The node of a provider configuration, made if it is not there.
    pub fn provider(&mut self, model: &Model<'_>, address: &ProviderConfig) -> Option<u32> {
        let provider = model.provider_place(address)?;
        let node = Node::Provider(provider as u32);
        if let Some(id) = self.graph.id(node) {
            return Some(id);
        }
        let id = self.graph.add(node);
        model.provider_edges(&mut self.graph, id, provider);
        Some(id)
    }

    /// The node of an import whose target has no block, which waits for its provider and for its references.
    fn import(&mut self, model: &Model<'_>, place: usize, import: &Import, provider: Option<u32>) -> u32 {
        let id = self.graph.add(Node::Import(place as u32));
        provider.into_iter().for_each(|to| self.graph.edge(id, to));
        model.import_edges(&mut self.graph, id, import);
        id
    }

    /// Adds the node of a root output that is removed.
    pub fn gone(&mut self, name: &str) -> u32 {
        self.gone.push(name.to_owned());
        self.graph.add(Node::GoneOutput(self.gone.len() as u32 - 1))
    }
}

/// The stored objects without block whose providers are needed (G15, G52, G85).
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Gone {
    /// Managed ones.
    Managed,
    /// Data, too: in the command `import`, and in a destruction without refresh.
    All,
}

/// The role of imports in a walk.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Imports {
    /// None.
    LeftOut,
    /// Blocks wait for the references of their imports (G63).
    Awaited,
    /// Imports without blocks are visited as well (G49).
    Visited,
}

impl Gone {
    /// Whether objects of a mode need their provider.
    pub fn asks(self, mode: ResourceMode) -> bool {
        self == Gone::All || mode == ResourceMode::Managed
    }
}

/// The graph of V: with the providers of imports whose targets have no block (G49).
pub fn of_validation(model: &Model<'_>) -> Wired {
    let mut wired = Wired { graph: model.configured().clone(), ..Wired::default() };
    model.imported_edges(&mut wired.graph);
    let mut has_nodes = false;
    for (place, import) in model.imports_of_nothing() {
        let provider = model.provider_of_import(import).and_then(|provider| wired.provider(model, &provider));
        if let Some(module) = model.import_module(import) {
            let id = wired.import(model, place, import, provider);
            let ends = [(Node::Begin as fn(u32) -> Node, true), (Node::End, false)];
            for (end, is_first) in ends {
                match wired.graph.id(end(module as u32)) {
                    Some(to) if is_first => wired.graph.edge(id, to),
                    Some(to) => wired.graph.edge(to, id),
                    None => {}
                }
            }
            has_nodes = true;
        }
    }
    if has_nodes {
        model.wait_for_imports(&mut wired.graph);
        wired.graph.tidy();
    }
    wired
}

/// The graph of P and D1, which include imports, and of R, which does not.
pub fn of_plan(model: &Model<'_>, state: &State, targets: &Selection, imports: Imports) -> Wired {
    let mut wired = Wired { graph: model.configured().clone(), ..Wired::default() };
    if imports != Imports::LeftOut {
        model.imported_edges(&mut wired.graph);
    }
    if imports == Imports::Visited {
        add_imports(model, &mut wired);
    }
    with_state(wired, model, state, targets, Gone::Managed)
}

/// The graph of the command `import`.
pub fn of_import(model: &Model<'_>, state: &State, targets: &Selection) -> Wired {
    let wired = Wired { graph: model.configured().clone(), ..Wired::default() };
    with_state(wired, model, state, targets, Gone::All)
}

fn with_state(mut wired: Wired, model: &Model<'_>, state: &State, targets: &Selection, gone: Gone) -> Wired {
    for name in state.outputs.keys() {
        if model.output(0, name).is_none() {
            wired.gone(name);
        }
    }
    let mut deposed = Vec::new();
    for (address, stored) in &state.resources {
        let module = model.module_of(&address.module);
        let block = module.and_then(|module| model.find(module, &address.resource));
        for (key, instance) in &stored.instances {
            let of = || AbsResourceInstance {
                module: address.module.clone(),
                resource: address.resource.clone(),
                key: key.clone(),
            };
            let mut nodes = Vec::new();
            if instance.current.is_some() && block.is_none() {
                let thing = wired.thing(model, of(), None);
                let id = wired.graph.add(Node::Orphan(thing));
                for (end, inside) in [(Node::Begin as fn(u32) -> Node, true), (Node::End, false)] {
                    if let Some(to) = module.and_then(|module| wired.graph.id(end(module as u32))) {
                        if inside { wired.graph.edge(id, to) } else { wired.graph.edge(to, id) }
                    }
                }
                nodes.push(id);
            }
            for deposed_key in instance.deposed.keys() {
                let thing = wired.thing(model, of(), Some(deposed_key.clone()));
                let id = wired.graph.add(Node::Deposed(thing));
                nodes.push(id);
                deposed.push((id, thing));
            }
            // G64: an object with a block has the provider of the block, whatever is stored.
            let block = block.filter(|_| !fault!(DeposedByStored));
            let passed = || model.passed_on(&stored.provider);
            let own = block.map_or_else(passed, |block| Cow::Borrowed(model.address_of(block)));
            if !nodes.is_empty()
                && gone.asks(address.resource.mode)
                && let Some(provider) = wired.provider(model, &own)
            {
                nodes.iter().for_each(|&id| wired.graph.edge(id, provider));
            }
        }
    }
    if model.dialect.orders_deposed_by_lists() {
        stored_dependents(&mut wired, state, &deposed);
    }
    let mut wired = targets.keep(wired, model);
    ephemeral_ends(&mut wired, model);
    wired.graph.tidy();
    wired
}

/// G49: imports whose targets have no block.
fn add_imports(model: &Model<'_>, wired: &mut Wired) {
    for (place, import) in model.imports_of_nothing() {
        let provider = model.provider_of_import(import).and_then(|provider| wired.provider(model, &provider));
        wired.import(model, place, import, provider);
    }
}

/// The graph of D2 (G82 to G85).
pub fn of_destroy(model: &Model<'_>, state: &State, targets: &Selection) -> Wired {
    let base = model.configured();
    let graph = base.keep(|id| match base.nodes[id as usize] {
        Node::Block(block) => model.blocks[block as usize].address.mode == ResourceMode::Ephemeral,
        Node::Check(..) | Node::Report(..) | Node::Validation(..) | Node::End(_) => false,
        _ => true,
    });
    let mut wired = Wired { graph, ..Wired::default() };
    let mut wanted: Vec<u32> = state.outputs.keys().map(|name| wired.gone(name)).collect();
    let (mut objects, orders_deposed) = (Vec::new(), model.dialect.orders_deposed_by_lists());
    for (address, stored) in &state.resources {
        // G85: an object with a block has the provider of the block, whatever is stored.
        let block = model.module_of(&address.module).and_then(|module| model.find(module, &address.resource));
        let passed = || model.passed_on(&stored.provider);
        let own = block.map_or_else(passed, |block| Cow::Borrowed(model.address_of(block)));
        let provider = wired.provider(model, &own);
        for (key, instance) in &stored.instances {
            let mut add = |node: fn(u32) -> Node, deposed: Option<DeposedKey>| {
                let (module, resource) = (address.module.clone(), address.resource.clone());
                let is_ordered = orders_deposed || deposed.is_none() || fault!(DeposedOrdered);
                let thing = wired.thing(model, AbsResourceInstance { module, resource, key: key.clone() }, deposed);
                let id = wired.graph.add(node(thing));
                objects.extend(is_ordered.then_some((id, thing)));
                wanted.push(id);
                provider.iter().for_each(|&provider| wired.graph.edge(id, provider));
            };
            if instance.current.is_some() {
                add(Node::Destroy, None);
            }
            instance.deposed.keys().for_each(|key| add(Node::Deposed, Some(key.clone())));
        }
    }
    if !fault!(StoredListsForgotten) {
        stored_dependents(&mut wired, state, &objects);
    }
    let mut wired = wired.keep_reached(&wanted);
    wired = targets.keep(wired, model);
    ephemeral_ends(&mut wired, model);
    wired.graph.tidy();
    wired
}

impl Wired {
    /// Keeps the nodes that these reach, and the ends of ephemeral blocks among them.
    pub fn keep_reached(self, wanted: &[u32]) -> Wired {
        let graph = &self.graph;
        let mut kept = NodeSet::none(graph.len());
        wanted.iter().for_each(|&id| kept.put(id));
        graph.reach(wanted.iter().copied(), &mut kept);
        self.keep(kept)
    }

    /// Keeps these nodes, and the ends of ephemeral blocks among them.
    pub fn keep(self, mut kept: NodeSet) -> Wired {
        let graph = &self.graph;
        for id in 0..graph.len() as u32 {
            if let Node::EphemeralEnd(block) = graph.nodes[id as usize]
                && graph.id(Node::Block(block)).is_some_and(|block| kept.has(block))
            {
                kept.put(id);
            }
        }
        let graph = graph.keep(|id| kept.has(id));
        Wired { graph, ..self }
    }
}

/// G75: the end of an ephemeral resource waits for everything that reaches it. The end of a module reaches the nodes in it without
/// referring to them.
pub fn ephemeral_ends(wired: &mut Wired, model: &Model<'_>) {
    let graph = &wired.graph;
    let ends: Vec<(u32, u32)> = (0..graph.len() as u32)
        .filter_map(|id| match graph.nodes[id as usize] {
            Node::EphemeralEnd(block) => Some((id, graph.id(Node::Block(block))?)),
            _ => None,
        })
        .collect();
    if ends.is_empty() {
        return;
    }
    let users = users_of_ephemeral(wired, model);
    let graph = &mut wired.graph;
    for (end, block) in ends {
        let mut found = NodeSet::none(graph.len());
        found.add(block);
        let mut rest = vec![block];
        while let Some(node) = rest.pop() {
            rest.extend(users[node as usize].iter().copied().filter(|&user| found.add(user)));
        }
        // A joint also stands for nodes that do not reach the block.
        let is_other =
            |node: Node| matches!(node, Node::EphemeralEnd(_) | Node::End(_) | Node::CheckStart | Node::Joint(_));
        let is_user = |&id: &u32| found.has(id) && !is_other(graph.nodes[id as usize]);
        let waits: Vec<u32> = (0..graph.len() as u32).filter(is_user).collect();
        graph.waits[end as usize].extend(waits);
    }
}

/// G75: the nodes that wait for each node; a variable belongs to the module around its own.
fn users_of_ephemeral(wired: &Wired, model: &Model<'_>) -> Vec<Vec<u32>> {
    let graph = &wired.graph;
    let mut users = graph.users();
    without_idle_checks(wired, &mut users);
    for (id, node) in graph.nodes.iter().enumerate() {
        let Node::Variable(module, _) = *node else { continue };
        let Some((parent, _)) = model.modules[module as usize].call else { continue };
        let end = graph.id(Node::End(module));
        users[id].retain(|&user| Some(user) != end);
        users[id].extend(graph.id(Node::End(parent as u32)));
    }
    users
}

/// The kinds of nodes that refer to a managed instance, or are destroyed after it.
#[derive(Clone, Copy, Default)]
struct Named {
    /// A managed block with a `Make` node.
    by_made: bool,
    /// Anything else.
    by_other: bool,
}

/// U39: the begin of the checks waits for a managed instance only if another node than a managed block with a `Make` node refers to it or
/// is destroyed after it, and no such block refers to it.
fn without_idle_checks(wired: &Wired, users: &mut [Vec<u32>]) {
    let graph = &wired.graph;
    let Some(start) = graph.id(Node::CheckStart) else { return };
    let made = |node: &Node| {
        let Node::Make(thing) = *node else { return None };
        let thing = &wired.things[thing as usize];
        thing.block.filter(|_| thing.address.resource.mode == ResourceMode::Managed)
    };
    let all: HashSet<usize> = graph.nodes.iter().filter_map(made).collect();
    let mut of_joints = HashMap::new();
    let is_made = |&id: &usize| made(&graph.nodes[id]).is_some();
    let makes: Vec<usize> = (0..graph.len()).filter(is_made).collect();
    let is_idle = |&id: &usize| {
        let named = named(graph, users, &all, id as u32, &mut of_joints);
        named.by_made || !named.by_other
    };
    for id in makes.into_iter().filter(is_idle).collect::<Vec<_>>() {
        users[id].retain(|&user| user != start);
    }
}

/// The kinds of nodes that refer to a node; the nodes that wait for a joint are searched once.
fn named(graph: &Graph, users: &[Vec<u32>], made: &HashSet<usize>, id: u32, known: &mut HashMap<u32, Named>) -> Named {
    let mut found = Named::default();
    for &user in &users[id as usize] {
        match graph.nodes[user as usize] {
            Node::Block(block) if made.contains(&(block as usize)) => found.by_made = true,
            Node::Block(_) | Node::Local(..) | Node::Output(..) | Node::Variable(..) | Node::Validation(..) => {
                found.by_other = true;
            }
            Node::Provider(_) | Node::Check(..) | Node::Begin(_) => found.by_other = true,
            // An object that is destroyed after the instance was made.
            Node::Destroy(_) | Node::Deposed(_) | Node::Forget(_) => found.by_other = true,
            Node::Joint(_) => {
                let of_joint = match known.get(&user) {
                    Some(of_joint) => *of_joint,
                    None => named(graph, users, made, user, known),
                };
                known.insert(user, of_joint);
                found.by_made |= of_joint.by_made;
                found.by_other |= of_joint.by_other;
            }
            _ => {}
        }
    }
    found
}

/// The objects that name a resource in their stored lists.
#[derive(Default)]
struct Users {
    /// Each with its module instance and the text of its own resource.
    all: Vec<(ModuleInstance, u32)>,
}

/// G74, G83: an object waits for the objects whose current object has it in its stored dependencies, but not across instances of one
/// module. Objects of one resource with one list share a joint, and so do all objects that name a resource in the same way.
fn stored_dependents(wired: &mut Wired, state: &State, nodes: &[(u32, u32)]) {
    let mut of_instance: HashMap<AbsResourceInstance, Vec<u32>> = HashMap::new();
    for (id, thing) in nodes {
        of_instance.entry(wired.things[*thing as usize].address.clone()).or_default().push(*id);
    }
    let wanted: HashSet<String> = of_instance.keys().map(|address| address.config_resource().to_string()).collect();
    let mut users: HashMap<String, Users> = HashMap::new();
    for (address, stored) in &state.resources {
        let own = planfuzz_core::address::ConfigResource {
            module: address.module.module(),
            resource: address.resource.clone(),
        };
        let own = own.to_string();
        let mut groups: HashMap<&[Text], Vec<u32>> = HashMap::new();
        for (key, instance) in &stored.instances {
            let list = instance.current.as_ref().map_or(&[][..], |object| &object.dependencies);
            let (module, resource) = (address.module.clone(), address.resource.clone());
            if let (false, Some(ids)) =
                (list.is_empty(), of_instance.get(&AbsResourceInstance { module, resource, key: key.clone() }))
            {
                groups.entry(list).or_default().extend(ids);
            }
        }
        for (list, ids) in groups {
            let joint = joined(&mut wired.graph, ids);
            let named: HashSet<&str> = list.iter().map(Text::as_str).collect();
            for name in named.into_iter().filter(|name| **name != own && wanted.contains(*name)) {
                users.entry(name.to_owned()).or_default().all.push((address.module.clone(), joint));
            }
        }
    }
    let mut targets: BTreeMap<(ModuleInstance, String), Vec<u32>> = BTreeMap::new();
    for (address, ids) in of_instance {
        let text = address.config_resource().to_string();
        targets.entry((address.module, text)).or_default().extend(ids);
    }
    let mut outside: HashMap<String, Option<u32>> = HashMap::new();
    for ((module, text), ids) in targets {
        let Some(users) = users.get(&text) else { continue };
        let path = module.module();
        let is_outside = |user: &ModuleInstance| user.module() != path;
        let outside = *outside.entry(text).or_insert_with(|| {
            let all: Vec<u32> =
                users.all.iter().filter(|(user, _)| is_outside(user)).map(|(_, joint)| *joint).collect();
            (!all.is_empty()).then(|| joined(&mut wired.graph, all))
        });
        let inside =
            users.all.iter().filter(|(user, _)| *user == module || fault!(ApartForgotten)).map(|(_, joint)| *joint);
        let all: Vec<u32> = inside.chain(outside).collect();
        if !all.is_empty() {
            let joint = joined(&mut wired.graph, all);
            ids.into_iter().for_each(|id| wired.graph.edge(id, joint));
        }
    }
}

/// A node that stands for all of these: a joint, or the node itself if there is only one.
pub fn joined(graph: &mut Graph, ids: Vec<u32>) -> u32 {
    match ids.as_slice() {
        [one] => *one,
        _ => {
            let joint = graph.joint();
            ids.into_iter().for_each(|id| graph.edge(joint, id));
            joint
        }
    }
}

/// The nodes of each cycle, in the words of the engine.
pub fn cycles(wired: &Wired, model: &Model<'_>, name: fn(Node, &Model<'_>, &Wired) -> String) -> Vec<String> {
    let error = |cycle: Vec<u32>| {
        let nodes = cycle.into_iter().map(|id| wired.graph.nodes[id as usize]);
        let mut names: Vec<String> = nodes.map(|node| name(node, model, wired)).collect();
        names.sort();
        format!("Cycle: {}", names.join(", "))
    };
    wired.graph.cycles().into_iter().map(error).collect()
}

/// G11: the error for a graph of destructions that has no order, if it has none.
pub fn without_order(
    wired: &Wired,
    model: &Model<'_>,
    state: &State,
    name: fn(Node, &Model<'_>, &Wired) -> String,
) -> Vec<String> {
    let mut errors = behind_themselves(wired, model, state, name);
    errors.extend(cycles(wired, model, name));
    errors
}

/// Destroyed objects that have their own resource in their list, since they were moved to an address that they depended on.
fn behind_themselves(
    wired: &Wired,
    model: &Model<'_>,
    state: &State,
    name: fn(Node, &Model<'_>, &Wired) -> String,
) -> Vec<String> {
    let has_itself = |node: &Node| {
        let (Node::Destroy(thing) | Node::Deposed(thing)) = *node else { return false };
        let address = &wired.things[thing as usize].address;
        let own = address.config_resource().to_string();
        let object = state.instance(address).and_then(|instance| instance.current.as_ref());
        object.is_some_and(|object| object.dependencies.iter().any(|listed| **listed == *own))
    };
    let nodes = wired.graph.nodes.iter().copied().filter(has_itself);
    nodes.map(|node| format!("Self reference: {}", name(node, model, wired))).collect()
}

/// The cycles, in the words of a plan.
pub fn plan_cycles(wired: &Wired, model: &Model<'_>) -> Vec<String> {
    cycles(wired, model, names::node)
}
