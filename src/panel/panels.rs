//! One panel for each dialect.

use std::collections::BTreeMap;
use std::sync::Arc;

use planfuzz_core::dialect::Dialect;

use super::{Asked, Extent, Panel};
use crate::case::Case;
use crate::compare::{Finding, Judge, Signature, Summary};
use crate::subject::Subject;

/// Starts the subjects for a dialect.
pub type Start = dyn Fn(Dialect) -> Result<Vec<Box<dyn Subject>>, String> + Send + Sync;

/// Panels whose subjects are started when they are first asked.
pub struct Panels {
    start: Arc<Start>,
    judge: Arc<Judge>,
    started: BTreeMap<Dialect, Panel>,
}

impl Panels {
    /// Panels, none of them started.
    pub fn new(start: Arc<Start>, judge: Arc<Judge>) -> Panels {
        Panels { start, judge, started: BTreeMap::new() }
    }

    /// The panels, with subjects of a dialect that are started already.
    #[must_use]
    pub fn with(mut self, dialect: Dialect, started: Vec<Box<dyn Subject>>) -> Panels {
        self.started.insert(dialect, Panel::new(started, self.judge.clone()));
        self
    }

    /// The panel of a dialect.
    ///
    /// # Errors
    /// Subjects that do not start.
    pub fn of(&mut self, dialect: Dialect) -> Result<&mut Panel, String> {
        match self.started.entry(dialect) {
            std::collections::btree_map::Entry::Occupied(started) => Ok(started.into_mut()),
            std::collections::btree_map::Entry::Vacant(place) => {
                let subjects = (self.start)(dialect)?;
                Ok(place.insert(Panel::new(subjects, self.judge.clone())))
            }
        }
    }

    /// Asks the panel of the case's dialect; if `about` is given, only the subjects that it is about.
    ///
    /// # Errors
    /// Subjects that do not start, or cannot be asked any more.
    pub fn ask(
        &mut self,
        case: &Case,
        about: Option<&Signature>,
        extent: Extent,
        summary: &mut Summary,
    ) -> Result<Asked, String> {
        let panel = self.of(case.dialect)?;
        let asked = match about {
            Some(signature) => panel.ask_about(signature, case, extent, summary),
            None => panel.ask(case, extent, summary),
        };
        match panel.trouble() {
            Some((name, trouble)) => Err(format!("{name} cannot be asked any more: {trouble}")),
            None => Ok(asked),
        }
    }

    /// What the properties find in a case.
    ///
    /// # Errors
    /// Subjects that do not start.
    pub fn properties(&mut self, case: &Case, summary: &mut Summary) -> Result<Vec<Finding>, String> {
        Ok(self.of(case.dialect)?.properties(case, summary))
    }
}
