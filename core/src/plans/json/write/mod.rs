//! Writing the output of `show -json` (section 4 of plan-files.md).
//!
//! Left out are the parts that a plan file does not hold as values: variables and configuration, which need the configuration
//! language, checks, and identities, which need a schema of their own.

mod change;
mod error;
mod marked;
mod planned;
mod schemas;
mod state;
mod trees;

use super::actions;
use crate::dialect::Dialect;
use crate::json::{Compact, Json, Sink, Tree};
use crate::plans::Mode;
use crate::plans::file::{EngineFields, PlanFile, RelevantAttribute};
use crate::state::file::Snapshot;
use crate::value::WrittenStep;

pub use error::NotShown;
pub use schemas::SchemaTable;

use change::{Entry, OutputEntry};

/// The version of the format of plans.
const PLAN_VERSION: &str = "1.2";

/// The version of the format of states.
const STATE_VERSION: &str = "1.0";

/// The text that `show -json` prints for a plan, as far as the plan file has it (JS02), without a line break at the end.
///
/// # Errors
/// A resource type without schema, and values that do not fit their types.
pub fn show_plan(file: &PlanFile, schemas: &SchemaTable<'_>, dialect: Dialect) -> Result<String, NotShown> {
    let mut out = String::new();
    Document::of(file, schemas, dialect)?.write(&mut Compact::html(&mut out))?;
    Ok(out)
}

/// The document of [`show_plan`].
///
/// # Errors
/// As for [`show_plan`].
pub fn show_plan_tree(file: &PlanFile, schemas: &SchemaTable<'_>, dialect: Dialect) -> Result<Json, NotShown> {
    let document = Document::of(file, schemas, dialect)?;
    let mut written = Ok(());
    let json = Tree::of(|tree| written = document.write(tree));
    written.map(|()| json)
}

/// The text that `show -json` prints for a state, without a line break at the end.
///
/// # Errors
/// As [`show_plan`].
pub fn show_state(state: &Snapshot, schemas: &SchemaTable<'_>, dialect: Dialect) -> Result<String, NotShown> {
    let state = state::State::of(state, schemas, dialect)?;
    let mut out = String::new();
    state.write(&mut Compact::html(&mut out))?;
    Ok(out)
}

/// The content of a plan, read and sorted.
struct Document<'f> {
    file: &'f PlanFile,
    drift: Vec<Entry<'f>>,
    changes: Vec<Entry<'f>>,
    deferred: Vec<(&'static str, Entry<'f>)>,
    outputs: Vec<OutputEntry<'f>>,
    prior: state::State<'f>,
    dialect: Dialect,
}

impl<'f> Document<'f> {
    fn of(file: &'f PlanFile, schemas: &SchemaTable<'f>, dialect: Dialect) -> Result<Document<'f>, NotShown> {
        let entry = |change| Entry::of(change, schemas, dialect);
        let changes = file.plan.changes.iter().map(entry).collect::<Result<Vec<_>, _>>()?;
        let mut drift = file.plan.drift.iter().map(entry).collect::<Result<Vec<_>, _>>()?;
        // An instance that was only moved is shown among the changes, if there are any (JS01).
        drift.retain(|entry| file.plan.mode == Mode::RefreshOnly || !entry.is_no_op());
        drift.sort_by(Entry::order);
        let deferred = match &file.plan.of_engine {
            EngineFields::Terraform { deferred, .. } => deferred.as_slice(),
            EngineFields::OpenTofu { .. } => &[],
        };
        let deferred = deferred.iter().map(|(reason, change)| Ok((change::deferred_word(*reason), entry(change)?)));
        let deferred = deferred.collect::<Result<Vec<_>, NotShown>>()?;
        let mut outputs = file.plan.outputs.iter().map(OutputEntry::of).collect::<Result<Vec<_>, _>>()?;
        outputs.sort_by_key(|output| output.name);
        let prior = state::State::of(&file.state, schemas, dialect)?;
        // Changes keep the order of the file, which planned values need.
        Ok(Document { file, drift, changes, deferred, outputs, prior, dialect })
    }

    fn write(&self, sink: &mut impl Sink) -> Result<(), NotShown> {
        let plan = &self.file.plan;
        sink.open_object();
        text(sink, "format_version", PLAN_VERSION);
        text(sink, "terraform_version", &plan.terraform_version);
        sink.name("planned_values");
        planned::write(&self.changes, &self.outputs, sink)?;
        let drift: Vec<&Entry<'_>> = self.drift.iter().collect();
        self.entries("resource_drift", &drift, sink)?;
        let mut changes: Vec<&Entry<'_>> = self.changes.iter().collect();
        changes.sort_by(|one, other| one.order(other));
        self.entries("resource_changes", &changes, sink)?;
        if !self.deferred.is_empty() {
            sink.name("deferred_changes");
            sink.open_array();
            for (reason, entry) in &self.deferred {
                sink.open_object();
                text(sink, "reason", reason);
                sink.name("resource_change");
                entry.write(self.dialect, sink)?;
                sink.close_object();
            }
            sink.close_array();
        }
        if !self.outputs.is_empty() {
            sink.name("output_changes");
            sink.open_object();
            self.outputs.iter().try_for_each(|output| output.write(sink))?;
            sink.close_object();
        }
        if !self.prior.is_empty() {
            sink.name("prior_state");
            self.prior.write(sink)?;
        }
        if !plan.relevant_attributes.is_empty() {
            sink.name("relevant_attributes");
            relevant_attributes(&plan.relevant_attributes, sink);
        }
        text(sink, "timestamp", &plan.timestamp);
        if let EngineFields::Terraform { applyable, complete, .. } = &plan.of_engine {
            flag(sink, "applyable", *applyable);
            flag(sink, "complete", *complete);
        }
        flag(sink, "errored", plan.errored);
        sink.close_object();
        Ok(())
    }

    /// JS12: a deletion of a data resource, which is only forgotten, is left out.
    fn entries(&self, name: &str, entries: &[&Entry<'_>], sink: &mut impl Sink) -> Result<(), NotShown> {
        let mut shown = entries.iter().filter(|entry| !entry.is_deletion_of_data()).peekable();
        if shown.peek().is_none() {
            return Ok(());
        }
        sink.name(name);
        sink.open_array();
        shown.try_for_each(|entry| entry.write(self.dialect, sink))?;
        sink.close_array();
        Ok(())
    }
}

fn relevant_attributes(all: &[RelevantAttribute], sink: &mut impl Sink) {
    sink.open_array();
    for RelevantAttribute { resource, attribute } in all {
        sink.open_object();
        text(sink, "resource", resource);
        sink.name("attribute");
        path(attribute.steps(), sink);
        sink.close_object();
    }
    sink.close_array();
}

/// JS24: attribute names and keys alike.
fn path(steps: &[WrittenStep], sink: &mut impl Sink) {
    sink.open_array();
    for step in steps {
        match step {
            WrittenStep::Attribute(name) | WrittenStep::Key(name) => sink.string(name),
            WrittenStep::Index(index) => sink.int((*index).into()),
            // No stored path goes into a set (PF40).
            WrittenStep::Element => sink.null(),
        }
    }
    sink.close_array();
}

fn text(sink: &mut impl Sink, name: &str, text: &str) {
    sink.name(name);
    sink.string(text);
}

fn flag(sink: &mut impl Sink, name: &str, flag: bool) {
    sink.name(name);
    sink.bool(flag);
}

#[cfg(test)]
mod tests;
