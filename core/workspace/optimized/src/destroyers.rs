//! The order of objects that are destroyed and made (U35, U36), by stored dependencies.
//!
//! Legs of one resource with one list are a group. Edges follow from groups and the resources that they name: each side waits for, or is
//! waited for by, one joint, so that n legs of one resource and m of another cost n + m edges.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use planfuzz_core::address::{AbsResource, AbsResourceInstance, ModuleInstance};
use planfuzz_core::value::Text;
use planfuzz_workspace::State;

use crate::apply_graph::{Leg, Legs, has_key};
use crate::crossings::LeftOut;
use crate::graph::{Graph, Node, NodeSet};
use crate::model::Model;
use crate::walk::{Thing, Wired};
use crate::wiring::joined;

/// The legs of one resource in one module instance.
#[derive(Debug, Default)]
struct Parts {
    /// Objects that are created or updated.
    makes: Vec<u32>,
    /// Objects that are destroyed first.
    plain: Vec<u32>,
    /// Objects that are destroyed after their replacement was made.
    late: Vec<u32>,
}

/// A kind of legs of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Which {
    Makes,
    Plain,
}

/// The groups that name a resource, for which its legs have to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Namers {
    /// Their objects that are made: late destructions wait for them.
    Makes,
    /// Their objects that are destroyed: all destructions wait for them.
    Destroys,
    /// Their objects that are destroyed first: makes wait for them.
    Plain,
}

/// The module instance to which legs of a resource are restricted; `None` for legs seen from other modules.
type Scope = Option<ModuleInstance>;

struct Ordering<'a> {
    graph: &'a mut Graph,
    /// By the text of the address in the configuration.
    resources: HashMap<String, BTreeMap<ModuleInstance, Parts>>,
    members: HashMap<(String, Scope, Which), Option<u32>>,
    namers: HashMap<(String, Scope, Namers), Vec<u32>>,
    left_out: &'a LeftOut,
}

/// Adds the edges, except those of U36 that are left out ([`crossings`]).
///
/// [`crossings`]: crate::crossings
pub fn destroyers(wired: &mut Wired, model: &Model<'_>, prior: &State, legs: &Legs, left_out: &LeftOut) {
    // The instances that are made wait for each other by references: only destroyed objects add edges here.
    if !legs.iter().any(|(_, _, leg)| matches!(leg, Leg::Destroy(_))) {
        return;
    }
    let configured = configured_lists(wired, model, prior, legs);
    let mut groups: HashMap<(AbsResource, &[Text]), Parts> = HashMap::new();
    let mut resources: HashMap<String, BTreeMap<ModuleInstance, Parts>> = HashMap::new();
    for (id, thing, leg) in legs {
        let thing = &wired.things[*thing as usize];
        let address = &thing.address;
        let parts = resources.entry(address.config_resource().to_string()).or_default();
        put(parts.entry(address.module.clone()).or_default(), *id, *leg);
        let list = list(model, prior, &configured, thing, *leg);
        if !list.is_empty() {
            put(groups.entry((address.abs_resource(), list)).or_default(), *id, *leg);
        }
    }
    let (graph, members, namers) = (&mut wired.graph, HashMap::new(), HashMap::new());
    let mut ordering = Ordering { graph, resources, members, namers, left_out };
    for ((address, list), parts) in groups {
        ordering.group(&address, list, parts);
    }
    match left_out.is_empty() {
        true => ordering.name(),
        false => ordering.name_apart(),
    }
}

fn put(parts: &mut Parts, id: u32, leg: Leg) {
    match leg {
        Leg::Make(true) => parts.makes.push(id),
        Leg::Make(false) => {}
        Leg::Destroy(false) => parts.plain.push(id),
        Leg::Destroy(true) => parts.late.push(id),
    }
}

/// The owner of a list: a block, or the instances of a block in one instance of its module, if these are separate (U33).
type ListPlace = (usize, Option<ModuleInstance>);

fn list_place(model: &Model<'_>, thing: &Thing) -> Option<ListPlace> {
    let module = &thing.address.module;
    let is_apart = model.dialect.separates_module_instances() && has_key(module);
    Some((thing.block?, is_apart.then(|| module.clone())))
}

/// Section 4: for an instance that is made and has no current object, the configured dependencies.
fn configured_lists(wired: &Wired, model: &Model<'_>, prior: &State, legs: &Legs) -> HashMap<ListPlace, Vec<Text>> {
    let mut found: HashMap<ListPlace, Vec<Text>> = HashMap::new();
    for (id, thing, leg) in legs {
        let thing = &wired.things[*thing as usize];
        let Some(place) = list_place(model, thing).filter(|_| matches!(leg, Leg::Make(_))) else { continue };
        let is_stored = prior.instance(&thing.address).is_some_and(|instance| instance.current.is_some());
        if is_stored || found.contains_key(&place) {
            continue;
        }
        // U39: nested data of a check do not depend on all that they wait for.
        let nested = thing.block.filter(|&block| model.blocks[block].check.is_some());
        let from = nested.and_then(|block| wired.graph.id(Node::Block(block as u32))).unwrap_or(*id);
        let mut reached = NodeSet::none(wired.graph.len());
        wired.graph.reach([from], &mut reached);
        let blocks = (0..wired.graph.len() as u32).filter(|&id| reached.has(id));
        let list = blocks.filter_map(|id| match wired.graph.nodes[id as usize] {
            Node::Block(block) => Some(model.blocks[block as usize].text.clone()),
            _ => None,
        });
        found.insert(place, list.collect());
    }
    found
}

/// All pairs of a leg and another leg that it names, in the order of the legs.
pub fn naming(wired: &Wired, model: &Model<'_>, prior: &State, legs: &Legs) -> Vec<(u32, u32)> {
    let configured = configured_lists(wired, model, prior, legs);
    let mut of: HashMap<String, Vec<(u32, &AbsResourceInstance)>> = HashMap::new();
    for (id, thing, _) in legs {
        let address = &wired.things[*thing as usize].address;
        of.entry(address.config_resource().to_string()).or_default().push((*id, address));
    }
    let mut found = Vec::new();
    for (id, thing, leg) in legs {
        let thing = &wired.things[*thing as usize];
        let (own, module) = (thing.address.config_resource(), &thing.address.module);
        for name in list(model, prior, &configured, thing, *leg) {
            let named = of.get(name.as_str()).into_iter().flatten();
            let is_named = |other: &AbsResourceInstance| {
                let is_apart = other.module != *module && other.module.module() == module.module();
                !is_apart && other.config_resource() != own
            };
            found.extend(named.filter(|(_, other)| is_named(other)).map(|(other, _)| (*id, *other)));
        }
    }
    found
}

/// The names in the list of a leg.
fn list<'l>(
    model: &Model<'_>,
    prior: &'l State,
    configured: &'l HashMap<ListPlace, Vec<Text>>,
    thing: &Thing,
    leg: Leg,
) -> &'l [Text] {
    let current = prior.instance(&thing.address).and_then(|instance| instance.current.as_ref());
    match current {
        Some(object) => &object.dependencies,
        _ if matches!(leg, Leg::Make(_)) => {
            list_place(model, thing).and_then(|place| configured.get(&place)).map_or(&[], |list| list)
        }
        _ => &[],
    }
}

impl Ordering<'_> {
    /// The legs of a resource that concern a leg in a module instance: those of the same instance, if both are of one module.
    fn scope(&self, name: &str, module: &ModuleInstance) -> Option<Scope> {
        let resource = self.resources.get(name)?;
        let path = resource.keys().next()?.module();
        if path != module.module() {
            return Some(None);
        }
        resource.contains_key(module).then(|| Some(module.clone()))
    }

    /// One node that waits for all legs of a kind of a resource.
    fn member(&mut self, name: &str, scope: &Scope, which: Which) -> Option<u32> {
        let key = (name.to_owned(), scope.clone(), which);
        if let Some(found) = self.members.get(&key) {
            return *found;
        }
        let of = self.resources.get(name)?;
        let parts = of.iter().filter(|(module, _)| scope.as_ref().is_none_or(|only| only == *module));
        let ids: Vec<u32> = parts
            .flat_map(|(_, parts)| match which {
                Which::Makes => parts.makes.iter(),
                Which::Plain => parts.plain.iter(),
            })
            .copied()
            .collect();
        let found = (!ids.is_empty()).then(|| joined(self.graph, ids));
        self.members.insert(key, found);
        found
    }

    fn group(&mut self, address: &AbsResource, list: &[Text], parts: Parts) {
        let config = planfuzz_core::address::ConfigResource {
            module: address.module.module(),
            resource: address.resource.clone(),
        };
        let own = config.to_string();
        let mut names: Vec<(&str, Scope)> = Vec::new();
        for name in list.iter().map(Text::as_str).filter(|name| **name != own) {
            if let Some(scope) = self.scope(name, &address.module)
                && !names.iter().any(|(known, _)| *known == name)
            {
                names.push((name, scope));
            }
        }
        if names.is_empty() {
            return;
        }
        let Parts { makes, plain, late } = parts;
        // U35, and the second part of U36, turned round.
        self.wait_for(&makes, &names, Which::Plain, fault!(MakesFirst));
        self.wait_for(&late, &names, Which::Makes, false);
        let destroys: Vec<u32> = plain.iter().chain(&late).copied().collect();
        for (ids, namers) in [(makes, Namers::Makes), (destroys, Namers::Destroys), (plain, Namers::Plain)] {
            if ids.is_empty() || (namers == Namers::Destroys && fault!(DestroysUnordered)) {
                continue;
            }
            let joint = joined(self.graph, ids);
            for (name, scope) in &names {
                self.namers.entry(((*name).to_owned(), scope.clone(), namers)).or_default().push(joint);
            }
        }
    }

    /// Adds the same edges pair by pair, since some are left out.
    fn name_apart(&mut self) {
        let resources = std::mem::take(&mut self.resources);
        for ((name, scope, namers), joints) in std::mem::take(&mut self.namers) {
            let named = resources.get(&name).into_iter().flatten();
            let named = named.filter(|(module, _)| scope.as_ref().is_none_or(|only| only == *module));
            for (_, Parts { makes, plain, late }) in named {
                let waiting: Vec<u32> = match namers {
                    Namers::Makes => late.clone(),
                    Namers::Destroys => plain.iter().chain(late).copied().collect(),
                    Namers::Plain => makes.clone(),
                };
                for joint in &joints {
                    let members = self.of_joint(*joint);
                    for (&id, &member) in waiting.iter().flat_map(|id| members.iter().map(move |member| (id, member))) {
                        if namers == Namers::Makes || !self.left_out.contains(&(member, id)) {
                            self.graph.edge(id, member);
                        }
                    }
                }
            }
        }
    }

    /// The members of a joint, or the node itself.
    fn of_joint(&self, joint: u32) -> Vec<u32> {
        match self.graph.nodes[joint as usize] {
            Node::Joint(_) => self.graph.waits[joint as usize].clone(),
            _ => vec![joint],
        }
    }

    /// Makes all members of a group wait for legs of the resources that they name.
    fn wait_for(&mut self, ids: &[u32], names: &[(&str, Scope)], which: Which, is_left: bool) {
        if ids.is_empty() || is_left {
            return;
        }
        let members: Vec<u32> = names.iter().filter_map(|(name, scope)| self.member(name, scope, which)).collect();
        if which == Which::Makes && !self.left_out.is_empty() {
            let makes: Vec<u32> = members.iter().flat_map(|&member| self.of_joint(member)).collect();
            for (&id, &make) in ids.iter().flat_map(|id| makes.iter().map(move |make| (id, make))) {
                if !self.left_out.contains(&(id, make)) {
                    self.graph.edge(id, make);
                }
            }
            return;
        }
        if !members.is_empty() {
            let joint = joined(self.graph, members);
            ids.iter().for_each(|&id| self.graph.edge(id, joint));
        }
    }

    /// Makes the legs of a resource wait for those that name it.
    fn name(&mut self) {
        let resources = std::mem::take(&mut self.resources);
        let mut joints: HashMap<(String, Scope, Namers), u32> = HashMap::new();
        for (key, ids) in std::mem::take(&mut self.namers) {
            joints.insert(key, joined(self.graph, ids));
        }
        for (name, of) in resources {
            for (module, parts) in of {
                let Parts { makes, plain, late } = parts;
                let destroys: Vec<u32> = plain.iter().chain(&late).copied().collect();
                for (ids, namers) in [(&late, Namers::Makes), (&destroys, Namers::Destroys), (&makes, Namers::Plain)] {
                    for scope in [None, Some(module.clone())] {
                        if let Some(&joint) = joints.get(&(name.clone(), scope, namers)) {
                            ids.iter().for_each(|&id| self.graph.edge(id, joint));
                        }
                    }
                }
            }
        }
    }
}
