//! The input for making cases: one object of a file, typed, with its configuration.

use std::sync::Arc;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::IgnoreChanges;
use planfuzz_core::plans::{Action, ActionReason, Marked};
use planfuzz_core::schema::Schema;
use planfuzz_core::value::{PathSet, Text, Value, ValueError, WrittenPath, WrittenStep};

use super::config::LifecycleBlock;
use crate::placeholders::{Notes, Placeholders, secrets_of};

/// One object of a file.
#[derive(Clone, Debug)]
pub struct Material {
    /// Its address, as shown to people.
    pub address: String,
    /// Whether it is of a data resource.
    pub is_data: bool,
    /// The schema.
    pub schema: Arc<Schema>,
    /// The object's role in the file.
    pub role: Role,
    /// The object before the change.
    pub before: Marked,
    /// The object after the change; the object itself where no change is planned.
    pub after: Marked,
    /// The configuration; null where there is none.
    pub config: Value,
    /// The source of the configuration.
    pub origin: Origin,
    /// Its `lifecycle` block.
    pub lifecycle: LifecycleBlock,
    /// The history of the object.
    pub past: Past,
}

/// The history of an object before it is planned.
#[derive(Clone, Debug, Default)]
pub struct Past {
    /// The stored object before the refresh, if that changed it.
    pub stored: Option<Marked>,
    /// The id by which it is imported.
    pub imported: Option<String>,
    /// Its address before it was moved.
    pub moved_from: Option<String>,
}

/// The role of an object in a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Role {
    /// It will be changed.
    Change {
        /// The action.
        action: Action,
        /// The reason.
        reason: ActionReason,
        /// The paths that make this a replacement.
        replace: Vec<WrittenPath>,
    },
    /// It was changed outside.
    Drift,
    /// It is in a state.
    Stored {
        /// Whether it is tainted.
        tainted: bool,
    },
}

/// The source of a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// All of it is written in the file.
    Literal,
    /// It is written in the file; parts that need evaluation are taken from the plan.
    Filled,
    /// It is derived from the object.
    Derived,
    /// There is none.
    None,
}

impl Origin {
    /// The name in purposes and counts.
    pub fn name(self) -> &'static str {
        match self {
            Origin::Literal => "configuration as written",
            Origin::Filled => "configuration as written, references as planned",
            Origin::Derived => "configuration derived",
            Origin::None => "no configuration",
        }
    }
}

impl Material {
    /// The sensitive paths of all its values: those of the schema, and the marks of each value. A mark in one value applies to the
    /// others, so that equal values stay equal.
    pub fn sensitive(&self, dialect: Dialect) -> PathSet {
        let mut all = self.before.sensitive().union(self.after.sensitive());
        if let Some(stored) = &self.past.stored {
            all = all.union(stored.sensitive());
        }
        for value in self.values() {
            all = all.union(&secrets_of(&self.schema, value.view(), dialect));
        }
        all
    }

    /// Notes its sensitive values, and the texts that are not sensitive.
    pub fn note(&self, notes: &mut Notes, dialect: Dialect) {
        let sensitive = self.sensitive(dialect);
        for value in self.values() {
            notes.value(value.view(), &sensitive);
        }
        for text in [Some(&self.address), self.past.imported.as_ref(), self.past.moved_from.as_ref()] {
            text.iter().for_each(|text| notes.text(text));
        }
    }

    fn values(&self) -> impl Iterator<Item = &Value> {
        let values = [self.before.value(), self.after.value(), &self.config];
        values.into_iter().chain(self.past.stored.as_ref().map(Marked::value))
    }

    /// The same with placeholders.
    ///
    /// # Errors
    /// None, unless a value is not of its own type.
    pub fn with_placeholders(self, placeholders: &Placeholders, dialect: Dialect) -> Result<Material, ValueError> {
        let sensitive = self.sensitive(dialect);
        let value = |value: &Value| placeholders.of_value(value, &sensitive);
        let marked = |marked: &Marked| {
            let paths: PathSet = marked.sensitive().iter().map(|path| of_path(path, placeholders)).collect();
            Ok::<_, ValueError>(Marked::new(value(marked.value())?, &paths))
        };
        let (before, after, config) = (marked(&self.before)?, marked(&self.after)?, value(&self.config)?);
        let role = match self.role {
            Role::Change { action, reason, replace } => {
                let replace = replace.iter().map(|path| of_path(path, placeholders)).collect();
                Role::Change { action, reason, replace }
            }
            other => other,
        };
        let ignore_changes = match self.lifecycle.ignore_changes {
            IgnoreChanges::All => IgnoreChanges::All,
            IgnoreChanges::Some(paths) => {
                IgnoreChanges::Some(paths.iter().map(|path| of_path(path, placeholders)).collect())
            }
        };
        let lifecycle = LifecycleBlock { ignore_changes, ..self.lifecycle };
        let text = |text: &String| placeholders.of_text(text).into_owned();
        let past = Past {
            stored: self.past.stored.as_ref().map(marked).transpose()?,
            imported: self.past.imported.as_ref().map(text),
            moved_from: self.past.moved_from.as_ref().map(text),
        };
        Ok(Material { address: text(&self.address), before, after, config, role, lifecycle, past, ..self })
    }

    /// The marks of the configuration: those of the planned value that the schema itself does not make.
    pub fn config_marks(&self, dialect: Dialect) -> PathSet {
        let own = secrets_of(&self.schema, self.after.value().view(), dialect);
        let own = own.on(self.after.value().view());
        let marks = self.after.sensitive().iter().filter(|path| !own.contains(path)).cloned();
        marks.collect::<PathSet>().on(self.config.view())
    }
}

/// A path without secrets in its keys.
fn of_path(path: &WrittenPath, placeholders: &Placeholders) -> WrittenPath {
    let steps = path.steps().iter().map(|step| match step {
        WrittenStep::Key(key) => WrittenStep::Key(Text::new(&placeholders.of_text(key))),
        other => other.clone(),
    });
    WrittenPath::new(steps.collect())
}
