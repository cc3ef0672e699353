//! Marks as trees, as expressions have them, and as sets of paths, as planners of instances have them.

use planfuzz_core::plans;
use planfuzz_core::value::{Node, PathSet, Type, Value, ValueRef, WrittenPath, WrittenStep};

use crate::evaluation::{EPHEMERAL, MarkTree, Marked, Marks, SENSITIVE};

/// A value of a planner of instances, as expressions see it.
pub fn to_expressions(value: &plans::Marked) -> Marked {
    let paths: Vec<&[WrittenStep]> = value.sensitive().iter().map(WrittenPath::steps).collect();
    Marked { value: value.value().clone(), marks: tree(value.value().view(), &paths) }
}

fn tree(value: ValueRef<'_>, paths: &[&[WrittenStep]]) -> MarkTree {
    if paths.is_empty() {
        return MarkTree::default();
    }
    let is_here = |path: &&[WrittenStep]| path.first().is_none_or(|step| matches!(step, WrittenStep::Element));
    let own = if paths.iter().any(is_here) { SENSITIVE } else { Marks::default() };
    let parts = value.node().parts().len();
    let inner = (0..parts).map(|index| {
        let below: Vec<&[WrittenStep]> = paths
            .iter()
            .filter(|path| path.first().is_some_and(|step| is_part(value, index, step)))
            .map(|path| &path[1..])
            .collect();
        match part(value, index) {
            Some(inner) if !below.is_empty() => tree(inner.view(), &below),
            _ => MarkTree::default(),
        }
    });
    MarkTree::new(own, inner.collect())
}

fn is_part(value: ValueRef<'_>, index: usize, step: &WrittenStep) -> bool {
    match (value.ty(), step) {
        (Type::Object(object), WrittenStep::Attribute(name) | WrittenStep::Key(name)) => {
            object.attributes().get(index).is_some_and(|attribute| attribute.name == *name)
        }
        (Type::Map(_), WrittenStep::Key(name) | WrittenStep::Attribute(name)) => {
            matches!(value.node(), Node::Map(map) if map.keys().get(index) == Some(name))
        }
        (Type::List(_) | Type::Tuple(_), WrittenStep::Index(found)) => usize::try_from(*found).ok() == Some(index),
        _ => false,
    }
}

fn part(value: ValueRef<'_>, index: usize) -> Option<Value> {
    let ty = match value.ty() {
        Type::Tuple(tuple) => tuple.elements().get(index)?.clone(),
        Type::Object(object) => object.attributes().get(index)?.ty.clone(),
        other => other.element()?.clone(),
    };
    Some(Value::from_parts(ty, value.node().parts().get(index)?.clone()))
}

/// A value of an expression in the form of planners of instances, and the paths of its ephemeral parts.
pub fn to_planners(value: &Marked) -> (plans::Marked, PathSet) {
    let sensitive = paths(value, SENSITIVE);
    let ephemeral = paths(value, EPHEMERAL);
    (plans::Marked::new(value.value.clone(), &sensitive), ephemeral)
}

/// The paths of a mark.
pub fn paths(value: &Marked, mark: Marks) -> PathSet {
    let mut found = Vec::new();
    collect(value.value.view(), &value.marks, mark, &mut Vec::new(), &mut found);
    found.into_iter().collect()
}

fn collect(
    value: ValueRef<'_>,
    marks: &MarkTree,
    mark: Marks,
    path: &mut Vec<WrittenStep>,
    found: &mut Vec<WrittenPath>,
) {
    if marks.own.has(mark) {
        found.push(WrittenPath::new(path.clone()));
    }
    for (index, below) in marks.inner.iter().flat_map(|inner| inner.iter().enumerate()) {
        if below.is_empty() {
            continue;
        }
        let step = match (value.ty(), value.node()) {
            (Type::Object(object), _) => match object.attributes().get(index) {
                Some(attribute) => WrittenStep::Attribute(attribute.name.clone()),
                None => continue,
            },
            (_, Node::Map(map)) => match map.keys().get(index) {
                Some(key) => WrittenStep::Key(key.clone()),
                None => continue,
            },
            _ => WrittenStep::Index(index as _),
        };
        if let Some(inner) = part(value, index) {
            path.push(step);
            collect(inner.view(), below, mark, path, found);
            path.pop();
        }
    }
}

/// Whether a value has the mark anywhere.
pub fn has(value: &Marked, mark: Marks) -> bool {
    value.marks.all().has(mark)
}
