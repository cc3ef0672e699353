//! Paths that can be printed: they end at sensitive parts, as the keys below may be secrets.

use planfuzz_core::json::Json;
use planfuzz_core::plans::json::PathItem;
use planfuzz_core::schema::{AttributePlace, Schema};
use planfuzz_core::value::{Path, PathSet, Step, WrittenPath, WrittenStep};

use crate::artifact::{Encoded, ObjectChange};

use super::case::Typed;

/// The printable part of a path in values that were read.
pub fn printable(path: &Path, typed: &Typed) -> String {
    written(&WrittenPath::from(path), typed)
}

/// Likewise.
pub fn written(path: &WrittenPath, typed: &Typed) -> String {
    let marks: Vec<&PathSet> = typed.values.iter().map(|value| value.sensitive()).collect();
    let steps = path.steps();
    let mut place = AttributePlace::in_block(&typed.schema.schema.block);
    for (index, step) in steps.iter().enumerate() {
        let so_far = WrittenPath::new(steps[..=index].to_vec());
        place = place.step(&match step {
            WrittenStep::Attribute(name) => Step::Attribute(name.clone()),
            // Steps to elements of any kind lead to the same attributes.
            _ => Step::Index(0),
        });
        let is_sensitive = place.attribute().is_some_and(|attribute| attribute.sensitive);
        if is_sensitive || marks.iter().any(|marks| marks.contains(&so_far)) {
            return so_far.to_string();
        }
    }
    path.to_string()
}

/// A path as a change writes it (JS24).
pub fn items(path: &[PathItem], change: &ObjectChange, schema: Option<&Schema>) -> String {
    let mut text = String::new();
    let mut trees = [change.before.sensitive_tree(), change.after.sensitive_tree()];
    let mut place = schema.map(|schema| AttributePlace::in_block(&schema.block));
    for (index, item) in path.iter().enumerate() {
        text += &match item {
            PathItem::Name(name) => Step::Attribute(name.as_str().into()).to_string(),
            PathItem::Index(index) => format!("[{index}]"),
        };
        trees = trees.map(|tree| part(tree?, item));
        place = place.map(|place| {
            place.step(&match item {
                PathItem::Name(name) => Step::Attribute(name.as_str().into()),
                PathItem::Index(index) => Step::Index(*index),
            })
        });
        let by_schema = place.and_then(AttributePlace::attribute).is_some_and(|attribute| attribute.sensitive);
        let by_tree = trees.contains(&Some(&Json::Bool(true)));
        if by_schema || by_tree || by_paths(&path[..=index], &change.before) || by_paths(&path[..=index], &change.after)
        {
            break;
        }
    }
    text
}

/// The part of a tree that a step leads to.
pub fn part<'j>(tree: &'j Json, item: &PathItem) -> Option<&'j Json> {
    match (tree, item) {
        (Json::Object(_), PathItem::Name(name)) => tree.member(name),
        (Json::Array(items), PathItem::Index(index)) => items.get(usize::try_from(*index).ok()?),
        _ => None,
    }
}

fn by_paths(path: &[PathItem], value: &Encoded) -> bool {
    let is_it = |sensitive: &WrittenPath| {
        sensitive.steps().len() == path.len()
            && sensitive.steps().iter().zip(path).all(|(step, item)| match (step, item) {
                (WrittenStep::Attribute(name) | WrittenStep::Key(name), PathItem::Name(item)) => **name == **item,
                (WrittenStep::Index(index), PathItem::Index(item)) => index == item,
                _ => false,
            })
    };
    value.sensitive().iter().any(is_it)
}
