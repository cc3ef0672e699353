//! Provider models in documents: their constants, and the names of schema members in them.

use planfuzz_core::json::Json;

use super::document::{entries, member_mut};
use super::place::{Hop, Place, at, hops};
use super::scenario::{Rewrite, rewritten};

/// The places of constants.
pub fn constants(document: &Json) -> Vec<Place> {
    let mut places = Vec::new();
    let model = vec![Hop::Name("model".into())];
    let rules = [model.clone(), vec![Hop::Name("rules".into())]].concat();
    for hop in at(document, &rules).map(hops).unwrap_or_default() {
        let rule = [rules.clone(), vec![hop]].concat();
        let default = [rule, vec![Hop::Name("default".into())]].concat();
        places.extend(at(document, &default).map(|_| default));
    }
    collect(document, model, &mut places);
    places
}

fn collect(document: &Json, place: Place, places: &mut Vec<Place>) {
    for hop in at(document, &place).map(hops).unwrap_or_default() {
        let inner = [place.clone(), vec![hop.clone()]].concat();
        match hop {
            Hop::Name(name) if matches!(&*name, "const" | "one_of") => places.push(inner),
            _ => collect(document, inner, places),
        }
    }
}

/// Applies an edit of the schema to a model.
pub fn rewrite(model: &mut Json, way: Rewrite<'_>) {
    let Json::Object(members) = model else { return };
    for (name, part) in members.iter_mut() {
        match &**name {
            "rules" => rewrite_rules(part, way),
            "faults" => rewrite_faults(part, way),
            _ => behaviours(part, None, way),
        }
    }
}

fn rewrite_rules(rules: &mut Json, way: Rewrite<'_>) {
    let Json::Object(rules) = rules else { return };
    rules.retain_mut(|(path, rule)| {
        let names: Vec<Box<str>> = path.split('.').map(Into::into).collect();
        let Some(new) = way(&names) else { return false };
        if let Json::Object(members) = rule {
            for (_, part) in members.iter_mut().filter(|(name, _)| **name != *"default") {
                behaviours(part, Some((names.as_slice(), new.as_slice())), way);
            }
        }
        *path = new.join(".").into();
        true
    });
}

fn rewrite_faults(faults: &mut Json, way: Rewrite<'_>) {
    let Json::Array(faults) = faults else { return };
    for fault in faults {
        let Some(Json::String(at)) = member_mut(fault, "at") else { continue };
        let names: Vec<Box<str>> = at.split('.').map(Into::into).collect();
        match way(&names) {
            Some(new) => *at = new.join(".").into(),
            None => drop(super::document::remove_member(fault, "at")),
        }
    }
}

/// The rule that contains the behaviours: its path before and after the edit.
type Of<'o> = Option<(Names<'o>, Names<'o>)>;

type Names<'o> = &'o [Box<str>];

/// Rewrites behaviours, conditions and expressions. Names of removed members stay, so that such a model does not read.
fn behaviours(json: &mut Json, of: Of<'_>, way: Rewrite<'_>) {
    match json {
        Json::Array(items) => items.iter_mut().for_each(|item| behaviours(item, of, way)),
        Json::Object(members) => {
            for (name, content) in members.iter_mut() {
                behaviour(name, content, of, way);
            }
        }
        _ => {}
    }
}

fn behaviour(name: &str, content: &mut Json, of: Of<'_>, way: Rewrite<'_>) {
    match (name, content) {
        ("const" | "one_of", _) => {}
        ("root", Json::Array(parts)) => {
            if let [_, Json::Array(names)] = parts.as_mut_slice() {
                let old: Vec<Box<str>> = names.iter().filter_map(text_of).collect();
                if let Some(new) = way(&old) {
                    *names = new.iter().map(|name| Json::string(name)).collect();
                }
            }
        }
        ("sibling", Json::Array(parts)) => {
            if let [_, Json::String(name)] = parts.as_mut_slice()
                && let Some(new) = sibling(name, of, way)
            {
                *name = new;
            }
        }
        ("conflicts" | "together" | "exactly_one" | "at_least_one" | "done", Json::Array(names)) => {
            names.retain_mut(|name| match name {
                Json::String(text) => top(text, way).map(|new| *text = new).is_some(),
                _ => true,
            });
        }
        ("requires_replace", Json::String(text)) if text.starts_with(['.', '[']) => {
            if let Some(new) = rewritten(text, way) {
                *text = new;
            }
        }
        ("changed" | "requires_replace" | "force_new" | "set_new_computed" | "clear", Json::String(text)) => {
            if let Some(new) = top(text, way) {
                *text = new;
            }
        }
        ("replace_if" | "default" | "unknown_if" | "set" | "set_new", Json::Array(parts)) => {
            for (index, part) in parts.iter_mut().enumerate() {
                match part {
                    Json::String(text) if index == 0 => {
                        if let Some(new) = top(text, way) {
                            *text = new;
                        }
                    }
                    other => behaviours(other, of, way),
                }
            }
        }
        (_, other) => behaviours(other, of, way),
    }
}

/// A name at the root after the edit; `None` if it is removed or no longer at the root.
fn top(name: &str, way: Rewrite<'_>) -> Option<Box<str>> {
    let new = way(&[name.into()])?;
    let [name] = new.as_slice() else { return None };
    Some(name.clone())
}

/// A sibling of a rule's attribute, after the edit.
fn sibling(name: &str, of: Of<'_>, way: Rewrite<'_>) -> Option<Box<str>> {
    let (old, new) = of.unwrap_or((&[], &[]));
    let outer = &old[..old.len().saturating_sub(1)];
    let full: Vec<Box<str>> = outer.iter().cloned().chain([name.into()]).collect();
    let moved = way(&full)?;
    let (last, rest) = moved.split_last()?;
    (rest == &new[..new.len().saturating_sub(1)]).then(|| last.clone())
}

fn text_of(json: &Json) -> Option<Box<str>> {
    match json {
        Json::String(text) => Some(text.clone()),
        _ => None,
    }
}

/// Parts that are simpler than a part of a model, the simplest first.
pub fn simpler(part: &Json) -> Vec<Json> {
    let words = || vec![Json::Bool(true), Json::Bool(false), Json::string("null")];
    match part {
        Json::Bool(_) => vec![Json::Bool(false), Json::Bool(true)],
        Json::Number(_) => vec![Json::int(0_u64), Json::int(1_u64)],
        Json::String(word) => match &**word {
            "unknown" => vec![Json::string("null")],
            "requires_replace_if_configured" => vec![Json::string("requires_replace")],
            "use_non_null_state_for_unknown" => vec![Json::string("use_state_for_unknown")],
            "trim" | "json" | "unordered" | "case" => vec![Json::string("lower"), Json::string("exact")],
            "remote" => vec![Json::string("plan")],
            _ => Vec::new(),
        },
        Json::Object(_) => {
            let mut all = words();
            let [(tag, content)] = entries(Some(part)) else { return Vec::new() };
            if &**tag == "requires_replace_if" {
                all.insert(0, Json::string("requires_replace"));
            }
            match content {
                Json::Array(items) => all.extend(items.iter().cloned()),
                other => all.push(other.clone()),
            }
            all
        }
        Json::Null | Json::Array(_) => Vec::new(),
    }
}
