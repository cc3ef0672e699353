//! From a diff to the flat texts of the planned object (Z80 to Z85), branch by branch.

use std::collections::BTreeSet;
use std::sync::Arc;

use planfuzz_core::schema::{Named, Nesting};
use planfuzz_pipelines::sdk::Field;

use super::diff::{Entries, Entry};
use super::spec::{block_of, type_of};
use super::trie::Texts;
use super::unflatten::UNKNOWN;
use crate::value::Ty;

/// The state and the diff at a place.
#[derive(Clone, Copy)]
struct Here<'a> {
    state: Option<&'a Texts>,
    diff: Option<&'a Entries>,
    /// The diff as a whole.
    whole: &'a Entries,
}

impl<'a> Here<'a> {
    fn below(self, part: &str) -> Here<'a> {
        let state = self.state.and_then(|at| at.below.get(part));
        let diff = self.diff.and_then(|at| at.below.get(part));
        Here { state, diff, ..self }
    }

    fn text(self) -> Option<&'a String> {
        self.state.and_then(|at| at.leaf.as_ref())
    }

    fn entry(self) -> Option<&'a Entry> {
        self.diff.and_then(|at| at.leaf.as_ref())
    }

    /// Names of branches: those of the state, and those of entries that are not removed.
    fn parts(self, of_state: bool) -> BTreeSet<String> {
        let state = self.state.filter(|_| of_state).into_iter().flat_map(|at| at.below.keys());
        let stays = |entries: &Entries| entries.leaves().iter().any(|(_, entry)| !entry.removed);
        let diff = self.diff.into_iter().flat_map(|at| &at.below);
        let diff = diff.filter(|(_, entries)| stays(entries)).map(|(part, _)| part);
        state.chain(diff).filter(|part| *part != "#").cloned().collect()
    }
}

/// The flat texts of the planned object.
pub fn planned(fields: &Named<Field>, state: &Texts, diff: &Entries) -> Texts {
    let here = Here { state: Some(state), diff: Some(diff), whole: diff };
    let mut texts = of_block(here, fields, true);
    let id = here.below("id");
    if fields.get("id").is_none() {
        let of_state = id.text().filter(|text| !text.is_empty());
        let unknown = UNKNOWN.to_owned();
        let is_computed = id.entry().is_some_and(|entry| entry.computed);
        let text = if is_computed { unknown } else { of_state.cloned().unwrap_or(unknown) };
        texts.branch("id").leaf = Some(text);
    }
    texts
}

fn keep(into: &mut Texts, part: &str, texts: Texts) {
    if !texts.is_empty() {
        into.below.insert(part.to_owned(), texts);
    }
}

fn of_block(here: Here<'_>, fields: &Named<Field>, is_top: bool) -> Texts {
    let mut texts = Texts::default();
    for (name, field) in fields.iter() {
        let place = here.below(name);
        let built = match block_of(field) {
            Some((nesting, resource)) => {
                let of = |place: Here<'_>| of_block(place, resource.fields(), false);
                of_blocks(place, nesting, &of)
            }
            None => of_attribute(place, name, &type_of(&field.kind), field.required, is_top),
        };
        keep(&mut texts, name, built);
    }
    texts
}

/// Z81, Z82, Z85.
fn of_attribute(here: Here<'_>, name: &str, ty: &Ty, is_required: bool, is_top: bool) -> Texts {
    match ty {
        Ty::Set(element) if matches!(**element, Ty::Object(_)) => {
            // Z85: one level too deep.
            if !is_top {
                return Texts::default();
            }
            of_blocks(here, Nesting::Set, &|place| of_object(place, element))
        }
        Ty::List(_) | Ty::Map(_) | Ty::Set(_) => of_collection(here, name, ty),
        primitive => {
            let text = of_primitive(here, primitive, is_required);
            Texts { leaf: text, ..Texts::default() }
        }
    }
}

fn of_object(here: Here<'_>, ty: &Ty) -> Texts {
    let mut texts = Texts::default();
    let Ty::Object(attributes) = ty else { return texts };
    for attribute in attributes.iter() {
        let built = of_attribute(here.below(&attribute.name), &attribute.name, &attribute.ty, false, false);
        keep(&mut texts, &attribute.name, built);
    }
    texts
}

/// Z81.
fn of_primitive(here: Here<'_>, ty: &Ty, is_required: bool) -> Option<String> {
    let is_string = *ty == Ty::String;
    match here.entry() {
        Some(entry) if entry.computed => Some(UNKNOWN.to_owned()),
        None => here.text().cloned().or_else(|| (is_required && is_string).then(String::new)),
        Some(entry) if entry.removed => None,
        Some(entry) if entry.old.is_empty() && entry.new.is_empty() => is_string.then(String::new),
        Some(entry) => Some(entry.new.clone()),
    }
}

/// Z82.
fn of_collection(here: Here<'_>, name: &str, ty: &Ty) -> Texts {
    let mut texts = Texts::default();
    let count = if matches!(ty, Ty::Map(_)) { "%" } else { "#" };
    for part in ["#", "%"] {
        match here.below(part).entry() {
            Some(entry) if entry.removed => return texts,
            Some(entry) if entry.computed => {
                texts.branch(part).leaf = Some(UNKNOWN.to_owned());
                return texts;
            }
            Some(entry) if entry.new == "0" => {
                texts.branch(part).leaf = Some("0".to_owned());
                return texts;
            }
            _ => {}
        }
    }
    let element = ty.element().cloned().unwrap_or(Ty::Dynamic);
    let mut paths: BTreeSet<Vec<String>> = BTreeSet::new();
    paths.extend(
        here.state.map(|at| at.leaves().into_iter().map(|(path, _)| path).collect::<Vec<_>>()).unwrap_or_default(),
    );
    paths.extend(
        here.diff.map(|at| at.leaves().into_iter().map(|(path, _)| path).collect::<Vec<_>>()).unwrap_or_default(),
    );
    paths.remove(&Vec::new());
    if paths.is_empty() {
        return texts;
    }
    for path in &paths {
        let place = path.iter().fold(here, |here, part| here.below(part));
        if let Some(text) = of_primitive(place, &element, false) {
            texts.set(path, text);
        }
    }
    let length_text = texts.get(&[count]).cloned().unwrap_or_default();
    let length: usize = length_text.parse().unwrap_or(0);
    if *ty == Ty::List(Arc::new(Ty::String)) && !length_text.is_empty() {
        for index in 0..length {
            let element = texts.branch(&index.to_string());
            element.leaf.get_or_insert_with(String::new);
        }
    }
    if matches!(ty, Ty::List(_)) {
        texts.below.retain(|part, _| part == count || part.parse().is_ok_and(|index: usize| index < length));
    }
    let has_entry = here.whole.get(&[name, count]).is_some();
    let is_another = texts.leaves().len() != paths.len();
    if length_text.is_empty() || (!has_entry && is_another) {
        let distinct = texts.below.keys().filter(|part| *part != count).count();
        texts.branch(count).leaf = Some(distinct.to_string());
    }
    texts
}

/// Z83, Z84.
fn of_blocks(here: Here<'_>, nesting: Nesting, block: &dyn Fn(Here<'_>) -> Texts) -> Texts {
    let mut texts = Texts::default();
    let is_list = nesting == Nesting::List;
    let mut candidates = here.parts(is_list);
    if !is_list {
        let counts = |(path, entry): &(Vec<String>, &Entry)| {
            let is_count = path.last().is_some_and(|part| part == "#" || part == "%");
            !(entry.removed || (is_count && entry.new == "0"))
        };
        candidates.retain(|code| {
            let entries = here.below(code).diff;
            entries.is_some_and(|entries| entries.leaves().iter().any(counts))
        });
    }
    let entry = here.below("#").entry();
    let has_gone = entry.is_some_and(|entry| entry.removed || entry.new == "0");
    if candidates.is_empty() && !has_gone {
        texts = here.state.cloned().unwrap_or_default();
        texts.leaf = None;
    }
    for part in &candidates {
        keep(&mut texts, part, block(here.below(part)));
    }
    let built = texts.below.keys().filter(|part| *part != "#").count();
    let count = match entry {
        Some(entry) if entry.computed => UNKNOWN.to_owned(),
        Some(entry) => {
            let length: usize = entry.new.parse().unwrap_or(0);
            if is_list {
                texts.below.retain(|part, _| part.parse().is_ok_and(|index: usize| index < length));
            }
            entry.new.clone()
        }
        None => here.below("#").text().cloned().unwrap_or_else(|| built.to_string()),
    };
    texts.branch("#").leaf = Some(count);
    texts
}
