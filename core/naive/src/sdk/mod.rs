//! The pipeline of providers written with the classic SDK, by `docs/spec/provider-sdk.md`.
//!
//! The SDK keeps states and diffs under flat paths. Here they are trees, whose branches are the parts of the paths: a step works on one
//! branch and does not know the path that leads there. The configuration is read as a whole, once, into a tree of the values at every
//! address.

mod apply;
mod config;
mod customize;
mod diff;
mod equivalent;
mod field_value;
mod fill;
mod level;
mod normalize;
mod plan;
mod planned;
mod put_in;
mod spec;
mod trie;
mod unflatten;

use std::collections::BTreeMap;

use planfuzz_core::schema::{Block, Named};
use planfuzz_pipelines::rules::CustomizeOp;
use planfuzz_pipelines::sdk::{Field, Function, Tree};

pub use diff::Entry;
pub use equivalent::are_equivalent;
pub use fill::set_unknowns;
pub use normalize::normalize;
pub use plan::Plan;

use crate::value::{Ty, Val};
use config::{Config, Node};
use level::{Levels, State, stored, write};
use spec::{Places, Spec};
use trie::{Texts, parts};

/// The SDK crashes, or ends with an error; its text is not compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crash;

/// A provider of the classic SDK: its fields.
#[derive(Clone, Copy)]
pub struct Provider<'s> {
    /// The fields of its resource.
    pub fields: &'s Named<Field>,
}

impl Provider<'_> {
    /// The schema that Core sees (Z02).
    pub fn core_block(&self) -> Block {
        spec::core_block(self.fields, true)
    }

    /// The type of the provider's objects.
    pub fn ty(&self) -> Ty {
        spec::root_type(self.fields)
    }

    /// Z50.
    ///
    /// # Errors
    /// Where the SDK crashes or has an error.
    pub fn plan(&self, ops: &[CustomizeOp], prior: &Val, config: &Val, proposed: &Val) -> Result<Plan, Crash> {
        plan::plan(self.fields, ops, [prior, config, proposed])
    }

    /// Z130: whether there is an error, and the new state.
    ///
    /// # Errors
    /// Where the SDK crashes.
    pub fn apply(
        &self,
        prior: &Val,
        planned: &Val,
        extra: &BTreeMap<String, String>,
        function: &Function,
    ) -> Result<(bool, Val), Crash> {
        apply::apply(self.fields, [prior, planned], extra, function)
    }

    /// Z140: the new state; `None` where there is an error.
    ///
    /// # Errors
    /// Where the SDK crashes.
    pub fn read(&self, current: &Val, function: &Function) -> Result<Option<Val>, Crash> {
        apply::read(self.fields, current, function)
    }

    /// The flat texts of a stored object (Z51).
    ///
    /// # Errors
    /// Where the SDK crashes.
    pub fn shim(&self, value: &Val) -> Result<BTreeMap<String, String>, Crash> {
        let texts = shim(self.fields, value)?;
        Ok(texts.leaves().into_iter().map(|(path, text)| (path.join("."), text.clone())).collect())
    }

    /// The diff of all fields, before any change to it (Z52 to Z64).
    ///
    /// # Errors
    /// Where the SDK crashes.
    pub fn diff<'t>(
        &self,
        id: &str,
        state: impl Iterator<Item = (&'t str, &'t str)>,
        tree: &Tree,
    ) -> Result<BTreeMap<String, Entry>, Crash> {
        let mut texts = Texts::default();
        for (path, text) in state {
            texts.set(&parts(path), text.to_owned());
        }
        let seen = Config::new(self.fields, &Node::of_tree(tree))?;
        let level = State(&texts);
        let differ = diff::Differ {
            old: &level,
            new: diff::New::Configured(&seen),
            present: &Levels(vec![&level, &seen]),
            has_id: !id.is_empty(),
            has_functions: true,
            forced: &Places::new(),
        };
        let entries = differ.all(self.fields)?;
        Ok(entries.leaves().into_iter().map(|(path, entry)| (path.join("."), entry.clone())).collect())
    }
}

/// Z51.
fn shim(fields: &Named<Field>, value: &Val) -> Result<Texts, Crash> {
    let flat = unflatten::flatten(value);
    let mut texts = Texts::default();
    let Some(id) = flat.get(&["id"]).filter(|id| !id.is_empty()) else { return Ok(texts) };
    for (name, field) in fields.iter() {
        let seen = stored(Spec::field(field), flat.below.get(name.as_str()))?;
        if let Some(value) = seen.existing() {
            write(texts.branch(name), Spec::field(field), &value);
        }
    }
    texts.set(&["id"], id.clone());
    Ok(texts)
}
