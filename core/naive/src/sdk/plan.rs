//! The plan, step by step (Z50, Z76, Z115 to Z118).

use std::collections::{BTreeMap, BTreeSet};

use planfuzz_core::schema::Named;
use planfuzz_pipelines::rules::CustomizeOp;
use planfuzz_pipelines::sdk::{Elem, Field, Kind};

use super::config::{Config, Node, has_null_element};
use super::customize::Customising;
use super::diff::{Differ, Entries, Entry, New};
use super::level::{Levels, State};
use super::spec::{Places, core_block, root_type};
use super::trie::Texts;
use super::unflatten::unflatten;
use super::{Crash, are_equivalent, fill, normalize, planned, shim};
use crate::model::field;
use crate::path;
use crate::value::Val;

/// A plan without errors.
pub struct Plan {
    /// The planned object.
    pub planned: Val,
    /// The paths that force a replacement.
    pub replace: BTreeSet<String>,
    /// The values that state functions were given, by flat path.
    pub extra: BTreeMap<String, String>,
}

/// The inputs of a plan.
pub struct Planning<'a> {
    /// The schema.
    pub fields: &'a Named<Field>,
    /// The prior object.
    pub prior: &'a Val,
    /// The configuration as it is written.
    pub configured: &'a Val,
    /// The proposed object.
    pub proposed: &'a Val,
    /// The shimmed state.
    pub state: &'a Texts,
    /// The configuration as the SDK sees it.
    pub config: &'a Config,
}

impl Planning<'_> {
    /// Whether the state has an id.
    pub fn has_id(&self) -> bool {
        self.state.get(&["id"]).is_some_and(|id| !id.is_empty())
    }

    /// The object that results from the state and a diff (Z76 to Z100).
    pub fn object(&self, diff: &Entries) -> Result<Val, Crash> {
        let diff = with_state(diff, self.state);
        let texts = planned::planned(self.fields, self.state, &diff);
        let object = unflatten(Some(&texts), &root_type(self.fields))?;
        Ok(normalize(&object, self.proposed, false))
    }
}

/// Z76.
fn with_state(diff: &Entries, state: &Texts) -> Entries {
    diff.filter_map(&mut |path, entry| {
        let old = state.get(path).cloned().unwrap_or_default();
        Some(Entry { old, ..entry.clone() })
    })
}

/// Z50.
pub fn plan(fields: &Named<Field>, ops: &[CustomizeOp], [prior, config, proposed]: [&Val; 3]) -> Result<Plan, Crash> {
    let unchanged = |value: &Val| Plan { planned: value.clone(), replace: BTreeSet::new(), extra: BTreeMap::new() };
    if proposed.is_null() {
        return Ok(unchanged(proposed));
    }
    if has_null_element(proposed) {
        return Err(Crash);
    }
    let is_create = prior.is_null();
    let state = shim(fields, prior)?;
    let seen = Config::new(fields, &Node::of_object(fields, proposed))?;
    let planning = Planning { fields, prior, configured: config, proposed, state: &state, config: &seen };
    let level = State(&state);
    let differ = Differ {
        old: &level,
        new: New::Configured(&seen),
        present: &Levels(vec![&level, &seen]),
        has_id: planning.has_id(),
        has_functions: true,
        forced: &Places::new(),
    };
    let mut customising = Customising::new(&planning, differ.all(fields)?);
    customising.run(ops)?;
    let mut diff = customising.finished()?;
    if is_create {
        diff.set(&["id"], Entry { computed: true, ..Entry::default() });
    }
    // Step 6.
    if diff.is_empty() {
        return Ok(unchanged(prior));
    }
    let mut planned = planning.object(&diff)?;
    let block = core_block(fields, true);
    let mut asks: BTreeSet<String> = diff
        .leaves()
        .into_iter()
        .filter(|(_, entry)| entry.requires_new)
        .map(|(path, _)| replacement(fields, &path))
        .collect();
    // Step 8.
    if !is_create && are_equivalent(prior, &planned) {
        planned = prior.clone();
        asks.clear();
    }
    if is_create {
        planned = fill::set_unknowns(&block, &planned);
    }
    planned = fill::without_write_only(&block, &planned);
    let id = field(&planned, "id");
    if !asks.is_empty() || id.is_null() || id.is_unknown() {
        asks.insert(path::attribute("id"));
    }
    let given = diff.leaves().into_iter().filter_map(|(path, entry)| Some((path.join("."), entry.extra.clone()?)));
    Ok(Plan { planned, replace: asks, extra: given.collect() })
}

/// Z115: the path of an entry, up to the last name before a count or a set.
fn replacement(fields: &Named<Field>, path: &[String]) -> String {
    let mut text = String::new();
    let mut fields = Some(fields);
    let mut rest = path;
    while let (Some(own), Some((name, further))) = (fields, rest.split_first()) {
        let Some(field) = own.get(name) else {
            if text.is_empty() {
                text = path::attribute(name);
            }
            break;
        };
        text.push_str(&path::attribute(name));
        rest = further;
        fields = None;
        // Steps into lists count only where a name follows.
        let mut kind = &field.kind;
        let mut indexes = String::new();
        while let (Kind::List(elem), Some((index, further))) = (kind, rest.split_first()) {
            if index == "#" {
                return text;
            }
            indexes.push_str(&format!("[{index}]"));
            rest = further;
            match elem {
                Elem::Kind(inner) => kind = inner,
                Elem::Resource(resource) => {
                    if !rest.is_empty() {
                        text.push_str(&indexes);
                    }
                    fields = Some(resource.fields());
                    break;
                }
            }
        }
    }
    text
}
