//! Statements of moves, explicit and implied, and their order (G20 to G24).

use std::collections::BTreeSet;

use planfuzz_core::address::{InstanceKey, ModuleInstance, Resource, ResourceMode};
use planfuzz_language::config::{StepKind, Traversal};
use planfuzz_workspace::State;

use crate::imports::key;
use crate::layout::Layout;

/// One end of a statement, relative to its module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// Calls with keys; a key of `None` means all instances, except for the last call of a module if the other end has a key there.
    pub calls: Vec<(String, Option<InstanceKey>)>,
    /// The resource, and its key if it has one; `None` for a module.
    pub resource: Option<(Resource, Option<InstanceKey>)>,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Statement {
    /// The module in which it stands.
    pub module: Vec<String>,
    /// The module instance of an implied statement.
    pub only: Option<ModuleInstance>,
    /// The source.
    pub from: End,
    /// The destination.
    pub to: End,
}

/// All statements of a configuration for a state.
pub fn statements(layout: &Layout<'_>, state: &State) -> Vec<Statement> {
    let mut found = Vec::new();
    for module in &layout.modules {
        for moved in module.configuration.module.moved.iter().filter(|_| !fault!(MovesNotRead)) {
            if let (Some(from), Some(to)) = (end(&moved.from), end(&moved.to)) {
                let (from, to) = paired(from, to);
                found.push(Statement { module: module.path.clone(), only: None, from, to });
            }
        }
    }
    let implied = implied(layout, state, &found);
    found.extend(implied);
    found
}

fn end(written: &Traversal) -> Option<End> {
    let mut calls = Vec::new();
    let mut root = written.root.clone();
    let kinds: Vec<&StepKind> = written.steps.iter().map(|step| &step.kind).collect();
    let mut steps = kinds.into_iter().peekable();
    let key_of = |steps: &mut std::iter::Peekable<std::vec::IntoIter<&StepKind>>| -> Option<InstanceKey> {
        let Some(StepKind::Index(value)) = steps.peek() else { return None };
        let found = key(value);
        steps.next();
        found
    };
    while &*root == "module" {
        let Some(StepKind::Attribute(name)) = steps.next() else { return None };
        calls.push((name.to_string(), key_of(&mut steps)));
        match steps.next() {
            Some(StepKind::Attribute(next)) => root = next.clone(),
            // G20: only the last call means all its instances.
            _ => return Some(End { calls: keyed_but_last(calls), resource: None }),
        }
    }
    let (mode, type_name) = match &*root {
        "data" => match steps.next() {
            Some(StepKind::Attribute(name)) => (ResourceMode::Data, name.to_string()),
            _ => return None,
        },
        "resource" => match steps.next() {
            Some(StepKind::Attribute(name)) => (ResourceMode::Managed, name.to_string()),
            _ => return None,
        },
        name => (ResourceMode::Managed, name.to_owned()),
    };
    let Some(StepKind::Attribute(name)) = steps.next() else { return None };
    let resource = Resource { mode, type_name, name: name.to_string() };
    let calls = calls.into_iter().map(keyed).collect();
    Some(End { calls, resource: Some((resource, key_of(&mut steps))) })
}

/// A call without a key before other parts means the instance without key (G20).
fn keyed((name, key): (String, Option<InstanceKey>)) -> (String, Option<InstanceKey>) {
    (name, Some(key.unwrap_or_default()))
}

fn keyed_but_last(mut calls: Vec<(String, Option<InstanceKey>)>) -> Vec<(String, Option<InstanceKey>)> {
    let last = calls.pop();
    calls.into_iter().map(keyed).chain(last).collect()
}

/// G20: where one end has a key, the other without one means the instance without key.
fn paired(mut from: End, mut to: End) -> (End, End) {
    let pair = |a: &mut Option<InstanceKey>, b: &mut Option<InstanceKey>| {
        if a.is_some() != b.is_some() {
            a.get_or_insert(InstanceKey::None);
            b.get_or_insert(InstanceKey::None);
        }
    };
    match (&mut from.resource, &mut to.resource) {
        (Some((_, a)), Some((_, b))) => pair(a, b),
        (None, None) => {
            if let (Some((_, a)), Some((_, b))) = (from.calls.last_mut(), to.calls.last_mut()) {
                pair(a, b);
            }
        }
        _ => {}
    }
    (from, to)
}

/// G21.
fn implied(layout: &Layout<'_>, state: &State, explicit: &[Statement]) -> Vec<Statement> {
    let mut found = Vec::new();
    for (address, stored) in &state.resources {
        let Some(module) = layout.module_of(&address.module) else { continue };
        let Some(block) = layout.find(module, &address.resource) else { continue };
        let repetition = &layout.blocks[block].resource.repetition;
        let (from, to) = match (&repetition.count, &repetition.for_each) {
            (Some(_), None) => (InstanceKey::None, InstanceKey::Int(0)),
            (None, None) => (InstanceKey::Int(0), InstanceKey::None),
            _ => continue,
        };
        if !stored.instances.contains_key(&from) {
            continue;
        }
        let path = &address.module.module().0;
        let place: Vec<_> = address.module.0.iter().map(|step| (step.name.clone(), Some(step.key.clone()))).collect();
        let is_named = |end: &End, statement: &Statement| {
            let outer = statement.module.iter().map(|name| (name.clone(), None));
            let whole: Vec<_> = outer.chain(end.calls.clone()).collect();
            end.resource.as_ref().is_some_and(|(resource, _)| *resource == address.resource)
                && same_calls(&whole, &place)
        };
        if explicit.iter().any(|one| is_named(&one.from, one) || is_named(&one.to, one)) {
            continue;
        }
        let end = |key| End { calls: Vec::new(), resource: Some((address.resource.clone(), Some(key))) };
        found.push(Statement {
            module: path.clone(),
            only: Some(address.module.clone()),
            from: end(from),
            to: end(to),
        });
    }
    found
}

/// G23: the order of the statements, each after those it waits for.
///
/// # Errors
/// How many cycles they have, if they have one.
pub fn ordered(statements: &[Statement]) -> Result<Vec<usize>, usize> {
    let waits_for: Vec<Vec<usize>> = statements
        .iter()
        .enumerate()
        .map(|(index, one)| {
            let others = statements.iter().enumerate();
            others.filter(|(other, before)| *other != index && waits(before, one)).map(|(other, _)| other).collect()
        })
        .collect();
    let order = planfuzz_workspace::order::in_order(&waits_for);
    if order.len() == statements.len() { Ok(order) } else { Err(cycles(&waits_for)) }
}

/// G40: how many cycles there are; those that wait for each other are one.
fn cycles(waits_for: &[Vec<usize>]) -> usize {
    let reached: Vec<BTreeSet<usize>> = (0..waits_for.len()).map(|index| reach(index, waits_for)).collect();
    let on_cycle = (0..waits_for.len()).filter(|index| reached[*index].contains(index));
    let cycle =
        |index: usize| reached[index].iter().copied().filter(|other| reached[*other].contains(&index)).collect();
    on_cycle.map(cycle).collect::<BTreeSet<BTreeSet<usize>>>().len()
}

/// All that one waits for, by way of others too.
fn reach(index: usize, waits_for: &[Vec<usize>]) -> BTreeSet<usize> {
    let mut reached = BTreeSet::new();
    let mut waiting = waits_for[index].clone();
    while let Some(next) = waiting.pop() {
        if reached.insert(next) {
            waiting.extend(&waits_for[next]);
        }
    }
    reached
}

/// Whether a statement must be done before another.
fn waits(before: &Statement, then: &Statement) -> bool {
    let whole = |statement: &Statement, end: &End| -> End {
        let outer = match &statement.only {
            Some(only) => only.0.iter().map(|step| (step.name.clone(), Some(step.key.clone()))).collect(),
            None => statement.module.iter().map(|name| (name.clone(), None)).collect::<Vec<_>>(),
        };
        End { calls: outer.into_iter().chain(end.calls.clone()).collect(), resource: end.resource.clone() }
    };
    let [a_from, a_to] = [&before.from, &before.to].map(|end| whole(before, end));
    let [b_from, b_to] = [&then.from, &then.to].map(|end| whole(then, end));
    if can_be(&a_to, &b_from) {
        return true;
    }
    let is_nested = inside(&b_from, &a_to) || inside(&b_to, &a_to);
    let is_around = inside(&a_from, &b_from) || inside(&a_to, &b_from);
    // Implied statements count as written in the root.
    let depth = |statement: &Statement| if statement.only.is_some() { 0 } else { statement.module.len() };
    let is_written_as_deep = depth(then) >= depth(before);
    (is_nested || is_around) && (is_written_as_deep || !only_changes_key(&b_from, &b_to))
}

/// Whether a move only gives a module instance another key.
fn only_changes_key(from: &End, to: &End) -> bool {
    let names = |end: &End| end.calls.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    from.resource.is_none() && names(from) == names(to)
}

fn same_calls(a: &[(String, Option<InstanceKey>)], b: &[(String, Option<InstanceKey>)]) -> bool {
    let same_key = |a: &Option<InstanceKey>, b: &Option<InstanceKey>| match (a, b) {
        (Some(a), Some(b)) => a == b,
        _ => true,
    };
    a.len() == b.len() && a.iter().zip(b).all(|((a, a_key), (b, b_key))| a == b && same_key(a_key, b_key))
}

/// Whether two ends may name the same thing.
fn can_be(a: &End, b: &End) -> bool {
    let same = match (&a.resource, &b.resource) {
        (None, None) => true,
        (Some((a, a_key)), Some((b, b_key))) => {
            a == b && a_key.as_ref().zip(b_key.as_ref()).is_none_or(|(a, b)| a == b)
        }
        _ => false,
    };
    same && same_calls(&a.calls, &b.calls)
}

/// Whether an end lies inside of another: of a module, or an instance of what is named as a whole.
fn inside(inner: &End, outer: &End) -> bool {
    let depth = outer.calls.len();
    let is_instance = |inner: Option<&InstanceKey>, outer: Option<&InstanceKey>| inner.is_some() && outer.is_none();
    let last_key = |end: &End| end.calls.last().and_then(|(_, key)| key.clone());
    let is_deeper = match (&inner.resource, &outer.resource) {
        (None, None) if inner.calls.len() == depth => is_instance(last_key(inner).as_ref(), last_key(outer).as_ref()),
        (None, None) => inner.calls.len() > depth,
        (Some(_), None) => inner.calls.len() >= depth,
        (Some((resource, key)), Some((whole, outer_key))) => {
            resource == whole && inner.calls.len() == depth && is_instance(key.as_ref(), outer_key.as_ref())
        }
        (None, Some(_)) => false,
    };
    is_deeper && same_calls(&inner.calls[..depth], &outer.calls)
}
