//! Changes of the documents in a case: its files, and the files of its edits.

use std::collections::BTreeMap;

use planfuzz_core::json::Json;

use crate::case::Case;
use crate::generate::{Choices, WRONG};
use crate::kept::edits::{blocks, member_mut, object_at};
use crate::parts::{at, places, replaced, without};

/// Changes one document.
pub(super) fn change(case: &mut Case, choices: &mut Choices<'_>) {
    let donors: Vec<Json> = documents(case).into_iter().map(|document| document.clone()).collect();
    let all = documents(case);
    let which = choices.below(all.len());
    let Some(document) = all.into_iter().nth(which) else { return };
    match choices.below(100) {
        0..45 => trade(document, &donors, choices),
        45..60 => flaw(document, choices),
        60..80 => take_out(document, choices),
        _ => copy(document, choices),
    }
}

/// Puts blocks of the root of another case into the root: resources, data, values and calls that are not there yet.
pub(super) fn graft(case: &mut Case, other: &Case, choices: &mut Choices<'_>) {
    for (path, theirs) in &other.files {
        match case.files.get_mut(path) {
            Some(own) => mix(own, theirs, 2, choices),
            None => drop(case.files.insert(path.clone(), theirs.clone())),
        }
    }
}

/// Copies missing members of one object into another, down to so many levels.
fn mix(own: &mut Json, theirs: &Json, levels: usize, choices: &mut Choices<'_>) {
    for (name, value) in theirs.entries() {
        match own.member(name) {
            Some(Json::Object(_)) if levels > 0 => mix(object_at(own, name), value, levels - 1, choices),
            Some(_) => {}
            None if choices.chance(70) => member_mut(own, name, value.clone()),
            None => {}
        }
    }
}

fn documents(case: &mut Case) -> Vec<&mut Json> {
    let edits = case.steps.iter_mut().flat_map(|step| step.edits.values_mut().flatten());
    case.files.values_mut().chain(edits).collect()
}

/// Replaces a part by one of the same kind from a donor.
fn trade(document: &mut Json, donors: &[Json], choices: &mut Choices<'_>) {
    let Some(donor) = choices.pick(donors) else { return };
    let places = places(document);
    let Some(place) = choices.pick(&places) else { return };
    let Some(old) = at(document, place) else { return };
    let kind = std::mem::discriminant(old);
    let is_of_kind = |place: &&Vec<usize>| at(donor, place).is_some_and(|part| std::mem::discriminant(part) == kind);
    let of_donor = crate::parts::places(donor);
    let fitting: Vec<&Vec<usize>> = of_donor.iter().filter(is_of_kind).collect();
    if let Some(new) = choices.pick(&fitting).and_then(|place| at(donor, place)) {
        *document = replaced(document, place, new);
    }
}

/// Replaces a text by one of the wrong expressions ([`WRONG`]).
fn flaw(document: &mut Json, choices: &mut Choices<'_>) {
    let mut texts = places(document);
    texts.retain(|place| matches!(at(document, place), Some(Json::String(_))));
    if let (Some(place), Some(wrong)) = (choices.pick(&texts), choices.pick(&WRONG)) {
        *document = replaced(document, place, &Json::string(&format!("${{{wrong}}}")));
    }
}

fn take_out(document: &mut Json, choices: &mut Choices<'_>) {
    let places = places(document);
    if let Some(smaller) = choices.pick(&places).and_then(|place| without(document, place)) {
        *document = smaller;
    }
}

/// Copies a block under another name.
fn copy(document: &mut Json, choices: &mut Choices<'_>) {
    let files = BTreeMap::from([(String::new(), document.clone())]);
    let all = blocks(&files);
    let Some((_, type_name, name)) = choices.pick(&all) else { return };
    let of_type = object_at(object_at(document, "resource"), type_name);
    if let Some(body) = of_type.member(name).cloned() {
        member_mut(of_type, &format!("{name}_c"), body);
    }
}
