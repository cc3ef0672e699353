//! Where a plan and the model's plan differ.

use std::collections::BTreeSet;

use planfuzz_core::value::{Step, Type, Value, ValueRef};

use super::sample::Sample;

/// A place where they differ: the names that lead there.
pub type Names = Vec<String>;

/// Where two plans differ: a place for each leaf, and for each path for which only one of them requires replacement.
pub fn differences(sample: &Sample, (planned, replace): &(Value, BTreeSet<String>)) -> Vec<Names> {
    let mut places = Vec::new();
    values(&mut Vec::new(), planned.view(), sample.planned.view(), &mut places);
    places.extend(replace.symmetric_difference(&sample.replace).map(|path| names(path)));
    places
}

/// The names of a path as it is written: `.disk[0].size`.
pub fn names(path: &str) -> Names {
    let without_indexes = path.split('[').map(|part| part.split_once(']').map_or(part, |(_, rest)| rest));
    let joined: String = without_indexes.collect();
    joined.split('.').filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

fn values(at: &mut Names, a: ValueRef<'_>, b: ValueRef<'_>, places: &mut Vec<Names>) {
    let is_apart = a.ty() == b.ty() && a.is_present() && b.is_present() && holds_values(a.ty());
    let (mine, theirs) = (a.children(), b.children());
    let has_other_keys = || a.children().zip(b.children()).any(|((mine, _), (theirs, _))| key(&mine) != key(&theirs));
    if !is_apart || mine.len() != theirs.len() || has_other_keys() {
        if a.to_value() != b.to_value() {
            places.push(at.clone());
        }
        return;
    }
    for ((step, mine), (_, theirs)) in mine.zip(theirs) {
        let name = match &step {
            Step::Attribute(name) => Some(name.to_string()),
            _ => None,
        };
        let is_named = name.is_some();
        at.extend(name);
        values(at, mine, theirs, places);
        if is_named {
            at.pop();
        }
    }
}

fn key(step: &Step) -> Option<&str> {
    match step {
        Step::Key(key) => Some(key.as_str()),
        _ => None,
    }
}

fn holds_values(ty: &Type) -> bool {
    !matches!(ty, Type::Bool | Type::Number | Type::String | Type::Dynamic)
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_path_is_its_names() {
        assert_eq!(super::names(".disk[0].tags[\"a\"].size"), ["disk", "tags", "size"]);
        assert_eq!(super::names(".id"), ["id"]);
    }
}
