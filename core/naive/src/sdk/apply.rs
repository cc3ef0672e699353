//! Applies and reads (Z130 to Z142).

use std::collections::BTreeMap;

use planfuzz_core::schema::Named;
use planfuzz_pipelines::sdk::{Field, Function};

use super::config::{Config, Node};
use super::diff::{Differ, Entries, Entry, New, is_suppressed};
use super::level::{Changes, Level, Levels, State, top, write};
use super::put_in::held;
use super::spec::{Places, Spec, core_block, field_of, root_type};
use super::trie::{Texts, parts};
use super::unflatten::unflatten;
use super::{Crash, fill, normalize, shim};
use crate::value::Val;

/// Z130 to Z136: whether there is an error, and the new state.
pub fn apply(
    fields: &Named<Field>,
    [prior, planned]: [&Val; 2],
    extra: &BTreeMap<String, String>,
    function: &Function,
) -> Result<(bool, Val), Crash> {
    let state = shim(fields, prior)?;
    let nothing = Val::null(root_type(fields));
    if planned.is_null() {
        let is_called = state.get(&["id"]).is_some_and(|id| !id.is_empty());
        return Ok((is_called && function.error, nothing));
    }
    let seen = Config::new(fields, &Node::of_object(fields, planned).without_unknowns())?;
    let level = State(&state);
    let below = Levels(vec![&level, &seen]);
    let differ = Differ {
        old: &level,
        new: New::Configured(&seen),
        present: &below,
        has_id: state.get(&["id"]).is_some_and(|id| !id.is_empty()),
        has_functions: false,
        forced: &Places::new(),
    };
    let mut diff: Entries = differ.all(fields)?.filter_map(&mut |path, entry: &Entry| {
        let is_needless = entry.removed && state.get(path).is_none();
        (!is_needless).then(|| Entry { requires_new: false, ..entry.clone() })
    });
    for (path, text) in extra {
        let path = parts(path);
        let entry = diff.get(&path).cloned().unwrap_or_default();
        diff.set(&path, Entry { extra: Some(text.clone()), ..entry });
    }
    let changes = Changes { entries: &diff, below: &level, is_stored: true };
    let Some(after) = new_state(fields, &state, Some(&changes), function)? else {
        return Ok((function.error, nothing));
    };
    let new = unflatten(Some(&after), &root_type(fields))?;
    let new = normalize(&new, planned, true);
    Ok((function.error, fill::without_write_only(&core_block(fields, true), &new)))
}

/// Z140 to Z142: the new state; `None` where there is an error.
pub fn read(fields: &Named<Field>, current: &Val, function: &Function) -> Result<Option<Val>, Crash> {
    let state = shim(fields, current)?;
    if function.error {
        return Ok(None);
    }
    let nothing = Val::null(root_type(fields));
    if state.get(&["id"]).is_none_or(String::is_empty) {
        return Ok(Some(nothing));
    }
    let Some(after) = new_state(fields, &state, None, function)? else { return Ok(Some(nothing)) };
    // Z141.
    let after = after.filter_map(&mut |path, text: &String| {
        let field = field_of(fields, path).map(|(_, field)| field).filter(|field| field.suppress_on_refresh);
        let suppress = field.and_then(|field| field.diff_suppress.as_ref());
        let is_kept = |old: &&String| suppress.is_some_and(|suppress| is_suppressed(suppress, old, text));
        Some(state.get(path).filter(is_kept).unwrap_or(text).clone())
    });
    let new = unflatten(Some(&after), &root_type(fields))?;
    Ok(Some(fill::without_write_only(&core_block(fields, true), &normalize(&new, current, false))))
}

/// Z133, Z134: the flat texts; `None` where there is no id.
fn new_state(
    fields: &Named<Field>,
    state: &Texts,
    changes: Option<&Changes<'_>>,
    function: &Function,
) -> Result<Option<Texts>, Crash> {
    let old = State(state);
    let mut set = Texts::default();
    for (name, value) in &function.sets {
        let field = fields.get(name).ok_or(Crash)?;
        set.clear(&[name.as_str()]);
        write(set.branch(name), Spec::field(field), &held(&field.kind, &Val::of(value))?);
    }
    let set = State(&set);
    let mut levels: Vec<&dyn Level> = vec![&old];
    if !function.partial {
        levels.extend(changes.map(|changes| changes as &dyn Level));
        levels.push(&set);
    }
    let levels = Levels(levels);
    let id = match &function.id {
        Some(id) => id.to_string(),
        None => state.get(&["id"]).cloned().unwrap_or_default(),
    };
    if id.is_empty() {
        return Ok(None);
    }
    let mut after = Texts::default();
    for (name, field) in fields.iter() {
        let seen = levels.read(&top(name), Spec::field(field))?;
        if let Some(value) = seen.value.filter(|_| seen.exists && !seen.computed) {
            write(after.branch(name), Spec::field(field), &value);
        }
    }
    after.set(&["id"], id);
    Ok(Some(after))
}
