//! What one replay of a case shows.

use std::collections::BTreeMap;
use std::sync::Arc;

use planfuzz_core::dialect::Dialect;

use super::finding::{Confirmed, Extent, confirm_with};
use crate::case::Case;
use crate::compare::{Found, Judge, Signature, Summary};
use crate::subject::Subject;

/// Starts the subjects for a dialect.
pub type Start = dyn Fn(Dialect) -> Result<Vec<Box<dyn Subject>>, String> + Send + Sync;

/// A finding that was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sight {
    /// What makes it the same as another.
    pub signature: Signature,
    /// Why it is known, if it is.
    pub known: Option<String>,
}

/// What one replay of a case shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sights {
    /// The findings, each once.
    pub seen: Vec<Sight>,
    /// Who was not asked, and why, where no operation of the case reached every subject.
    pub not_asked: Option<String>,
}

/// Subjects that cases are put to one after the other, and who judges.
pub struct Bench {
    start: Arc<Start>,
    judge: Arc<Judge>,
    subjects: BTreeMap<Dialect, Vec<Box<dyn Subject>>>,
}

impl Bench {
    /// A bench, whose subjects are started when they are first asked.
    pub fn new(start: Arc<Start>, judge: Arc<Judge>) -> Bench {
        Bench { start, judge, subjects: BTreeMap::new() }
    }

    /// The bench, with subjects of a dialect that are started already.
    #[must_use]
    pub fn with(mut self, dialect: Dialect, started: Vec<Box<dyn Subject>>) -> Bench {
        self.subjects.insert(dialect, started);
        self
    }

    /// What a case shows, of which a file says that a signature was found in it. Properties ask planners about other cases that
    /// are made of this one, so they count only where the answers to this one show nothing new, or not what the file says.
    ///
    /// # Errors
    /// Subjects that do not start, or cannot be asked any more.
    pub fn sights(&mut self, case: &Case, said: Option<&str>) -> Result<Sights, String> {
        let mut summary = Summary::default();
        let found = self.found(case, None, Extent::Answers, &mut summary)?;
        let mut sights = self.sights_of(found.iter().map(|confirmed| &confirmed.found), &summary);
        if summary.cases == 0 {
            let mut left_out = summary.left_out.keys().map(|(subject, reason)| format!("{subject}: {reason}"));
            sights.not_asked = left_out.next();
        }
        let is_enough = match said {
            Some(said) => sights.seen.iter().any(|sight| sight.signature.to_string() == said),
            None => sights.seen.iter().any(|sight| sight.known.is_none()),
        };
        if !is_enough {
            let mut summary = Summary::default();
            let planners = self.subjects.get(&case.dialect).into_iter().flatten();
            let found: Vec<Found> = planners
                .flat_map(|subject| self.judge.properties_of(case, &**subject, |_| true, &mut summary))
                .collect();
            let of_properties = self.sights_of(found.iter(), &summary);
            of_properties.seen.into_iter().for_each(|sight| sights.add(sight));
        }
        Ok(sights)
    }

    /// What was found, and what was tolerated because it is known.
    fn sights_of<'f>(&self, found: impl Iterator<Item = &'f Found>, summary: &Summary) -> Sights {
        let mut sights = Sights::default();
        let new = found.filter_map(|found| found.verdict.signature());
        new.for_each(|signature| sights.add(Sight { signature: signature.clone(), known: None }));
        for (name, signature) in summary.tolerated.keys() {
            if let Some(reason) = self.known(name.as_deref(), signature) {
                sights.add(Sight { signature: signature.clone(), known: Some(reason) });
            }
        }
        sights
    }

    /// What is found in a case, by those subjects only that a signature is about where one is given.
    ///
    /// # Errors
    /// As [`Bench::sights`].
    pub fn found(
        &mut self,
        case: &Case,
        about: Option<&Signature>,
        extent: Extent,
        summary: &mut Summary,
    ) -> Result<Vec<Confirmed>, String> {
        let subjects = match self.subjects.get_mut(&case.dialect) {
            Some(started) => started,
            None => self.subjects.entry(case.dialect).or_insert((self.start)(case.dialect)?),
        };
        let first = subjects.first().map(|subject| subject.name().to_owned()).unwrap_or_default();
        let is_asked = |name: &str| about.is_none_or(|signature| signature.is_about(name, &first));
        let mut asked: Vec<&mut dyn Subject> = subjects
            .iter_mut()
            .map(|subject| &mut **subject as &mut dyn Subject)
            .filter(|subject| is_asked(subject.name()))
            .collect();
        let found = confirm_with(case, &mut asked, &self.judge, extent, summary);
        match asked.iter().find_map(|subject| Some((subject.name(), subject.trouble()?))) {
            Some((name, trouble)) => Err(format!("{name} cannot be asked any more: {trouble}")),
            None => Ok(found),
        }
    }

    /// Why a tolerated finding is known; nothing for what is no finding at all.
    fn known(&self, name: Option<&str>, signature: &Signature) -> Option<String> {
        match name {
            Some(name) => {
                let entry = self.judge.known.entries().iter().find(|entry| entry.name == name)?;
                Some(format!("{name}: {}", entry.reason))
            }
            None => self.judge.allowances.reason(&signature.to_string()).map(str::to_owned),
        }
    }
}

impl Sights {
    fn add(&mut self, sight: Sight) {
        if !self.seen.iter().any(|other| other.signature == sight.signature) {
            self.seen.push(sight);
        }
    }
}
