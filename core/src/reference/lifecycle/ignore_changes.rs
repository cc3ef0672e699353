//! `ignore_changes` (section 8).

use std::collections::BTreeMap;

use crate::planner::{IgnoreChanges, Refusal};
use crate::plans::Marked;
use crate::reference::at::At;
use crate::schema::Block;
use crate::value::{PathSet, Text, Type, Value, ValueError, WrittenPath, WrittenStep};

use super::follow::{follow, joined, written};
use super::validation::attribute_at;

/// L60 to L73: the configuration, with what is ignored taken from the prior. Without a schema, as a legacy answer is
/// treated (L42), `all` is the prior as a whole.
pub(super) fn ignore_changes(
    ignore: &IgnoreChanges,
    prior: &Marked,
    config: &Marked,
    schema: Option<&Block>,
) -> Result<Marked, Refusal> {
    // L60
    if prior.is_null() || config.is_null() {
        return Ok(config.clone());
    }
    match (ignore, schema) {
        (IgnoreChanges::All, None) => Ok(prior.clone()),
        (IgnoreChanges::All, Some(block)) => ignore_all(prior, block),
        (IgnoreChanges::Some(entries), _) => ignore_some(entries, prior, config),
    }
}

/// L61.
fn ignore_all(prior: &Marked, block: &Block) -> Result<Marked, Refusal> {
    let mut marks = Marks::of(prior);
    let config = prior.value().view().transform(&mut |path, value| {
        let path = written(path);
        match attribute_at(block, &path) {
            Some(attribute) if attribute.computed && !attribute.optional => {
                marks.clear(&path);
                Ok::<_, ValueError>(Value::null(value.ty().clone()))
            }
            _ => Ok(value),
        }
    });
    Ok(Marked::new(config.map_err(|error| mixed(&error))?, &marks.0))
}

/// An entry that is active.
struct Entry {
    path: WrittenPath,
    /// The string key of the last step (L62).
    key: Option<Text>,
    /// What the prior has at the path.
    prior: Marked,
}

impl Entry {
    /// L62 to L64.
    fn active(entry: &WrittenPath, prior: &Marked, config: &Marked) -> Option<Entry> {
        let (path, key) = match entry.steps().split_last() {
            Some((WrittenStep::Key(key), path)) => (path.iter().cloned().collect(), Some(key.clone())),
            _ => (entry.clone(), None),
        };
        let prior = follow(prior, &path)?;
        let differs = !follow(config, &path)?.raw_equals(&prior);
        differs.then_some(Entry { path, key, prior })
    }
}

/// L65: one pass over the configuration, children first.
fn ignore_some(entries: &[WrittenPath], prior: &Marked, config: &Marked) -> Result<Marked, Refusal> {
    let active: Vec<Entry> = entries.iter().filter_map(|entry| Entry::active(entry, prior, config)).collect();
    if active.is_empty() {
        return Ok(config.clone());
    }
    let mut marks = Marks::of(config);
    let value = config.value().view().transform(&mut |path, value| {
        let path = written(path);
        let here: Vec<&Entry> = active.iter().filter(|entry| entry.path == path).collect();
        ignored(&here, &path, value, &mut marks)
    });
    Ok(Marked::new(value.map_err(|error| mixed(&error))?, &marks.0))
}

/// L66 to L71 for the value at one position.
fn ignored(here: &[&Entry], path: &WrittenPath, value: Value, marks: &mut Marks) -> Result<Value, ValueError> {
    let Some(first) = here.first() else { return Ok(value) };
    let Type::Map(element) = value.ty() else {
        // L66
        marks.replace(path, &first.prior);
        return Ok(first.prior.value().clone());
    };
    // L67
    if value.is_unknown() {
        return Ok(value);
    }
    // L68
    if let Some(whole) = here.iter().find(|entry| entry.key.is_none()) {
        marks.replace(path, &whole.prior);
        return Ok(whole.prior.value().clone());
    }
    // L69
    let mut elements: BTreeMap<Text, Value> =
        value.view().entries().map(|(key, element)| (key.clone(), element.to_value())).collect();
    for (entry, key) in here.iter().filter_map(|entry| Some((entry, entry.key.as_ref()?))) {
        let step: WrittenPath = [WrittenStep::Key(key.clone())].into_iter().collect();
        let at = joined(path, &step);
        marks.clear(&at);
        match entry.prior.value().view().entry(key) {
            Some(element) => {
                elements.insert(key.clone(), element.to_value());
                marks.put(path, entry.prior.sensitive().iter().filter(|mark| mark.steps().starts_with(step.steps())));
            }
            None => {
                elements.remove(key);
            }
        }
    }
    // L70
    match elements.is_empty() && value.is_null() {
        true => Ok(Value::null(value.ty().clone())),
        false => Value::map(element, elements.into_iter().collect()),
    }
}

/// The marks of a value that is being rewritten.
struct Marks(PathSet);

impl Marks {
    fn of(marked: &Marked) -> Marks {
        Marks(marked.sensitive().clone())
    }

    /// Takes off the marks at a path and inside.
    fn clear(&mut self, path: &WrittenPath) {
        self.0 = self.0.iter().filter(|mark| !mark.steps().starts_with(path.steps())).cloned().collect();
    }

    /// Puts marks of a value that stands at a path.
    fn put<'m>(&mut self, path: &WrittenPath, marks: impl Iterator<Item = &'m WrittenPath>) {
        for mark in marks {
            self.0.insert(joined(path, mark));
        }
    }

    /// The marks of the value that stands at a path now.
    fn replace(&mut self, path: &WrittenPath, with: &Marked) {
        self.clear(path);
        self.put(path, with.sensitive().iter());
    }
}

fn mixed(error: &ValueError) -> Refusal {
    At::ROOT.refusal("V08", error.to_string())
}
