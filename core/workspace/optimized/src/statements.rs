//! Statements of moves, explicit and implied, and their ends (G20 to G22).

use hashbrown::HashMap;
use planfuzz_core::address::{InstanceKey, ModuleInstance, ModuleStep, Resource};
use planfuzz_language::config::{StepKind, Traversal};
use planfuzz_workspace::State;

use crate::configured::{key, resource};
use crate::model::{Model, Repeats};

/// A call with its key; `None` for all instances.
pub type Call = (String, Option<InstanceKey>);

/// An end of a statement: calls, and below them a resource with or without a key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct End {
    /// Calls.
    pub calls: Vec<Call>,
    /// The resource; `None` for a module.
    pub resource: Option<(Resource, Option<InstanceKey>)>,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Statement {
    /// The module in which it stands.
    pub module: usize,
    /// The only module instance to which the statement applies.
    pub only: Option<ModuleInstance>,
    /// The source.
    pub from: End,
    /// The destination.
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

/// G20: only the last call of a module means all its instances.
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

/// A call without a key before other parts means the instance without key (G20).
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
    let mut named: HashMap<(Vec<String>, Resource), Vec<Vec<Call>>> = HashMap::new();
    let ends = found.iter().flat_map(|statement| [(statement, &statement.from), (statement, &statement.to)]);
    for (statement, end) in ends {
        if let Some((resource, _)) = &end.resource {
            let place = (path(model, statement, end), resource.clone());
            named.entry(place).or_default().push(end.calls.clone());
        }
    }
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
        let of_statements = named.get(&(model.modules[module].path.clone(), address.resource.clone()));
        let is_named = || of_statements.into_iter().flatten().any(|calls| ends_with(&address.module, calls));
        if !stored.instances.contains_key(&keys[0]) || is_named() {
            continue;
        }
        let [from, to] =
            keys.map(|key| End { calls: Vec::new(), resource: Some((address.resource.clone(), Some(key))) });
        found.push(Statement { module, only: Some(address.module.clone()), from, to });
    }
}

/// Whether the last steps to a module instance, whose names are those of the calls, have their keys.
fn ends_with(module: &ModuleInstance, calls: &[Call]) -> bool {
    let mut steps = module.0.iter().rev().zip(calls.iter().rev());
    steps.all(|(step, (_, key))| key.as_ref().is_none_or(|key| *key == step.key))
}

/// A module instance below another; `None` if a key is not written.
pub fn below(base: &ModuleInstance, calls: &[Call]) -> Option<ModuleInstance> {
    let steps = calls.iter().map(|(name, key)| Some(ModuleStep { name: name.clone(), key: key.clone()? }));
    let steps: Option<Vec<ModuleStep>> = steps.collect();
    Some(ModuleInstance(base.0.iter().cloned().chain(steps?).collect()))
}
