//! Statements of moves, explicit and implied, and their order (G20 to G24). Who waits for whom is found by what they name.

use std::collections::HashMap;

use planfuzz_core::address::{InstanceKey, ModuleInstance, ModuleStep, Resource};
use planfuzz_language::config::{StepKind, Traversal};
use planfuzz_workspace::State;

use crate::configured::{key, resource};
use crate::graph::{Graph, Node};
use crate::model::{Model, Repeats};

/// A call with its key; nothing for all instances.
pub type Call = (String, Option<InstanceKey>);

/// What an end names: calls, and below them a resource with a key or without one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct End {
    /// Calls.
    pub calls: Vec<Call>,
    /// The resource; nothing for a module.
    pub resource: Option<(Resource, Option<InstanceKey>)>,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Statement {
    /// The module in which it stands.
    pub module: usize,
    /// The only instance of it that is meant.
    pub only: Option<ModuleInstance>,
    /// From where.
    pub from: End,
    /// To where.
    pub to: End,
}

/// All statements of a configuration for a state.
pub fn statements(model: &Model<'_>, state: &State) -> Vec<Statement> {
    let mut found = Vec::new();
    for (module, of) in model.modules.iter().enumerate() {
        for moved in &of.of.moved {
            if let (Some(mut from), Some(mut to)) = (end(&moved.from), end(&moved.to)) {
                pair(&mut from, &mut to);
                found.push(Statement { module, only: None, from, to });
            }
        }
    }
    implied(model, state, &mut found);
    found
}

/// G20: only the last call of a module stands for all its instances.
fn end(written: &Traversal) -> Option<End> {
    let mut calls: Vec<Call> = Vec::new();
    let mut rest = written.clone();
    while &*rest.root == "module" {
        let mut steps = std::mem::take(&mut rest.steps).into_iter().map(|step| step.kind).peekable();
        let StepKind::Attribute(name) = steps.next()? else { return None };
        let of_call = match steps.next_if(|step| matches!(step, StepKind::Index(_))) {
            Some(StepKind::Index(value)) => key(&value),
            _ => None,
        };
        calls.push((name.to_string(), of_call));
        let Some(StepKind::Attribute(root)) = steps.next() else {
            let last = calls.len() - 1;
            keyed(&mut calls[..last]);
            return Some(End { calls, resource: None });
        };
        rest.root = root;
        rest.steps = steps.map(|kind| planfuzz_language::config::Step { kind, place: rest.place }).collect();
    }
    keyed(&mut calls);
    let (resource, steps) = resource(&rest)?;
    let of_resource = match rest.steps.get(steps).map(|step| &step.kind) {
        Some(StepKind::Index(value)) => key(value),
        _ => None,
    };
    Some(End { calls, resource: Some((resource, of_resource)) })
}

/// A call without a key that stands before something else is the instance without key (G20).
fn keyed(calls: &mut [Call]) {
    for (_, key) in calls {
        key.get_or_insert(InstanceKey::None);
    }
}

/// G20: where one end has a key, the other without one means the instance without key.
fn pair(from: &mut End, to: &mut End) {
    let keys = match (&mut from.resource, &mut to.resource) {
        (Some((_, a)), Some((_, b))) => Some((a, b)),
        (None, None) => from.calls.last_mut().zip(to.calls.last_mut()).map(|((_, a), (_, b))| (a, b)),
        _ => None,
    };
    if let Some((a, b)) = keys
        && a.is_some() != b.is_some()
    {
        a.get_or_insert(InstanceKey::None);
        b.get_or_insert(InstanceKey::None);
    }
}

/// The names of the calls that lead to an end, from the root.
fn path(model: &Model<'_>, statement: &Statement, end: &End) -> Vec<String> {
    let outer = model.modules[statement.module].path.iter().cloned();
    outer.chain(end.calls.iter().map(|(name, _)| name.clone())).collect()
}

/// G21.
fn implied(model: &Model<'_>, state: &State, found: &mut Vec<Statement>) {
    let named: std::collections::HashSet<(Vec<String>, Resource)> = found
        .iter()
        .flat_map(|statement| [(statement, &statement.from), (statement, &statement.to)])
        .filter_map(|(statement, end)| Some((path(model, statement, end), end.resource.as_ref()?.0.clone())))
        .collect();
    for (address, stored) in &state.resources {
        let Some(module) = model.module_of(&address.module) else { continue };
        let Some(block) = model.find(module, &address.resource) else { continue };
        let keys = match model.blocks[block].repeats {
            Repeats::Count if model.blocks[block].of.repetition.for_each.is_none() => {
                [InstanceKey::None, InstanceKey::Int(0)]
            }
            Repeats::Once => [InstanceKey::Int(0), InstanceKey::None],
            _ => continue,
        };
        if !stored.instances.contains_key(&keys[0])
            || named.contains(&(model.modules[module].path.clone(), address.resource.clone()))
        {
            continue;
        }
        let [from, to] =
            keys.map(|key| End { calls: Vec::new(), resource: Some((address.resource.clone(), Some(key))) });
        found.push(Statement { module, only: Some(address.module.clone()), from, to });
    }
}

/// G23: the statements, each after those it waits for; nothing where they go round.
pub fn ordered(model: &Model<'_>, statements: &[Statement]) -> Option<Vec<usize>> {
    type Named<'s> = HashMap<(Vec<String>, Option<&'s Resource>), Vec<usize>>;
    let mut to: Named<'_> = HashMap::new();
    // By the path of each module that an end of a statement lies in.
    let mut within: HashMap<Vec<String>, Vec<usize>> = HashMap::new();
    for (index, one) in statements.iter().enumerate() {
        let resource = one.to.resource.as_ref().map(|(resource, _)| resource);
        to.entry((path(model, one, &one.to), resource)).or_default().push(index);
        for end in [&one.from, &one.to] {
            let names = path(model, one, end);
            let depth = names.len() - usize::from(end.resource.is_none());
            (1..=depth).for_each(|depth| within.entry(names[..depth].to_vec()).or_default().push(index));
        }
    }
    let mut graph = Graph::default();
    for index in 0..statements.len() as u32 {
        graph.add(Node::Joint(index));
    }
    for (index, then) in statements.iter().enumerate() {
        let then_from = whole(model, then, &then.from);
        let then_to = whole(model, then, &then.to);
        let resource = then.from.resource.as_ref().map(|(resource, _)| resource);
        let names = path(model, then, &then.from);
        let mut befores: Vec<usize> = Vec::new();
        for &before in to.get(&(names.clone(), resource)).into_iter().flatten() {
            if can_be(&whole(model, &statements[before], &statements[before].to), &then_from) {
                befores.push(before);
            }
        }
        // Of two of which one is nested in the other, which may come first: a change of a key alone does not wait for what is deeper.
        let then_names = path(model, then, &then.to);
        let only_changes_key = resource.is_none() && names == then_names;
        let may_wait = |place: &End| !only_changes_key || then_to.calls.len() >= place.calls.len();
        // What is moved within the module that is moved here goes first.
        if resource.is_none() {
            for &before in within.get(&names).into_iter().flatten() {
                let [from, place] = [&statements[before].from, &statements[before].to]
                    .map(|end| whole(model, &statements[before], end));
                let is_within = is_inside(&from, &then_from) || is_inside(&place, &then_from);
                if before != index && is_within && may_wait(&place) {
                    befores.push(before);
                }
            }
        }
        // What is nested in the place of another comes after that one is moved.
        for (end, names) in [(&then_from, names), (&then_to, then_names)] {
            for depth in 1..=names.len() {
                for &before in to.get(&(names[..depth].to_vec(), None)).into_iter().flatten() {
                    let place = whole(model, &statements[before], &statements[before].to);
                    if before != index && is_inside(end, &place) && may_wait(&place) {
                        befores.push(before);
                    }
                }
            }
        }
        befores.into_iter().for_each(|before| graph.edge(index as u32, before as u32));
    }
    graph.tidy();
    let order = graph.in_order();
    (order.len() == statements.len()).then(|| order.into_iter().map(|index| index as usize).collect())
}

/// An end with the calls around its statement, whose keys are those of any instance.
fn whole(model: &Model<'_>, statement: &Statement, end: &End) -> End {
    let outer: Vec<Call> = match &statement.only {
        Some(only) => only.0.iter().map(|step| (step.name.clone(), Some(step.key.clone()))).collect(),
        None => model.modules[statement.module].path.iter().map(|name| (name.clone(), None)).collect(),
    };
    End { calls: outer.into_iter().chain(end.calls.iter().cloned()).collect(), resource: end.resource.clone() }
}

fn fit(a: &Option<InstanceKey>, b: &Option<InstanceKey>) -> bool {
    a.is_none() || b.is_none() || a == b
}

fn calls_fit(a: &[Call], b: &[Call]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|((a, a_key), (b, b_key))| a == b && fit(a_key, b_key))
}

/// Whether two ends may be the same.
fn can_be(a: &End, b: &End) -> bool {
    let same = match (&a.resource, &b.resource) {
        (Some((a, a_key)), Some((b, b_key))) => a == b && fit(a_key, b_key),
        (a, b) => a.is_none() && b.is_none(),
    };
    same && calls_fit(&a.calls, &b.calls)
}

/// Whether an end lies inside of that of a module.
fn is_inside(inner: &End, outer: &End) -> bool {
    let depth = outer.calls.len();
    let is_deeper = inner.calls.len() > depth || (inner.calls.len() == depth && inner.resource.is_some());
    is_deeper && calls_fit(&inner.calls[..depth], &outer.calls)
}

/// A module instance below another; nothing where a key is not said.
pub fn below(base: &ModuleInstance, calls: &[Call]) -> Option<ModuleInstance> {
    let steps = calls.iter().map(|(name, key)| Some(ModuleStep { name: name.clone(), key: key.clone()? }));
    let steps: Option<Vec<ModuleStep>> = steps.collect();
    Some(ModuleInstance(base.0.iter().cloned().chain(steps?).collect()))
}
