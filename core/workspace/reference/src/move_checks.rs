//! Checks the statements of moves against the expansion of a walk (G35 to G41).

use planfuzz_core::address::{AbsResource, InstanceKey, ModuleInstance, Resource};
use planfuzz_workspace::Diagnostic;

use crate::layout::Layout;
use crate::moves::matches;
use crate::statements::{End, Statement};
use crate::values::{Instances, WalkValues};

/// An end of a statement as seen from the root: the path of a module, and a resource in it; if the last part has no key, all instances.
type Whole = (Vec<(String, Option<InstanceKey>)>, Option<(Resource, Option<InstanceKey>)>);

/// G35 to G41: the errors of the statements against the expansion of the walk.
pub fn validate(statements: &[Statement], layout: &Layout<'_>, values: &WalkValues, cycles: usize) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let mut seen: Vec<(Whole, Whole)> = Vec::new();
    for statement in statements.iter() {
        let Some(module) = layout.module(&statement.module) else { continue };
        for base in values.module_instances(layout, module) {
            if statement.only.as_ref().is_some_and(|only| *only != base) {
                continue;
            }
            let (from, to) = (place(&base, &statement.from), place(&base, &statement.to));
            if from == to {
                diagnostics.push(Diagnostic::error("Redundant move statement"));
                continue;
            }
            if is_declared(layout, values, &base, &statement.from) {
                diagnostics.push(Diagnostic::error("Moved object still exists"));
            }
            if seen.iter().find(|(before, _)| *before == from).is_some_and(|(_, then)| *then != to) {
                diagnostics.push(Diagnostic::error("Ambiguous move statements"));
            }
            if seen.iter().find(|(_, then)| *then == to).is_some_and(|(before, _)| *before != from) {
                diagnostics.push(Diagnostic::error("Ambiguous move statements"));
            }
            seen.push((from, to));
        }
    }
    if diagnostics.is_empty() {
        diagnostics.extend((0..cycles).map(|_| Diagnostic::error("Cyclic dependency in move statements")));
    }
    diagnostics
}

/// G38, G39: ends of statements in several modules are equal if they are equal as seen from the root.
fn place(base: &ModuleInstance, end: &End) -> Whole {
    let mut path: Vec<_> = base.0.iter().map(|step| (step.name.clone(), Some(step.key.clone()))).collect();
    path.extend(end.calls.clone());
    let has_resource = end.resource.is_some();
    let inner = path.len() - usize::from(!has_resource);
    for (_, key) in &mut path[..inner] {
        key.get_or_insert(InstanceKey::None);
    }
    (path, end.resource.clone())
}

/// G37.
fn is_declared(layout: &Layout<'_>, values: &WalkValues, base: &ModuleInstance, from: &End) -> bool {
    let calls = from.calls.iter().map(|(name, _)| name.clone());
    let path: Vec<String> = base.module().0.into_iter().chain(calls).collect();
    let Some(module) = layout.module(&path) else { return false };
    match &from.resource {
        Some((resource, key)) => values.module_instances(layout, module).into_iter().any(|instance| {
            let is_meant = matches(base, &from.calls, &instance);
            let address = AbsResource { module: instance, resource: resource.clone() };
            let is_there = |instances: &Instances| key.as_ref().is_none_or(|key| instances.has(key));
            is_meant && values.resources.get(&address).is_some_and(is_there)
        }),
        None => match from.calls.split_last() {
            // A call is declared where it was expanded, with whatever instances.
            Some(((name, None), outer)) => {
                values.calls.keys().any(|(instance, call)| call == name && matches(base, outer, instance))
            }
            _ => values.module_instances(layout, module).iter().any(|instance| matches(base, &from.calls, instance)),
        },
    }
}
