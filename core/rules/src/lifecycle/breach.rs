//! Breaches of providers, and how they correspond to Core's diagnostics.

use std::collections::{BTreeMap, BTreeSet};

use super::calls::Calls;
use super::findings::{BrokenInvariant, Findings, Party};
use super::id::Id;
use super::requests::Sent;
use planfuzz_core::address::ResourceKind;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{Diagnostic, Severity, summary};
use planfuzz_core::value::{WrittenPath, WrittenStep};

/// A breach of the contract in an answer of a provider.
#[derive(Clone, Debug)]
pub(super) struct Breach {
    pub(super) id: Id,
    /// The call.
    pub(super) call: usize,
    /// The summary that Core has to report.
    pub(super) summary: &'static str,
    pub(super) path: WrittenPath,
    /// Whether the specification leaves open where it is reported.
    pub(super) is_anywhere: bool,
    pub(super) report: Report,
    pub(super) message: String,
}

/// Whether a breach has to be reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Report {
    /// It must be reported.
    Must,
    /// It is excused.
    Tolerated,
}

/// The breaches of a walk, and the other diagnostics that Core may report.
#[derive(Debug)]
pub(super) struct Answers {
    breaches: Vec<Breach>,
    /// The calls with a breach, and the invariant.
    broken: BTreeSet<(usize, Id)>,
    /// Summaries that have another explanation than a breach, or a breach without a definite place.
    explained: BTreeSet<&'static str>,
    /// Whether Core goes on after each call.
    goes_on: Vec<bool>,
}

/// The summaries that blame a provider, or Core itself.
fn blames(dialect: Dialect) -> [&'static str; 18] {
    [
        summary::INVALID_PLAN,
        summary::INVALID_OBJECT,
        summary::NULL_OBJECT,
        summary::INVALID_RESPONSE,
        summary::INCONSISTENT_FINAL_PLAN,
        summary::INCONSISTENT_RESULT,
        summary::INVALID_RESULT,
        summary::UNKNOWN_CONFIGURATION,
        summary::INVALID_STATE_UPGRADE,
        summary::NEWER_PROVIDER,
        summary::DEFERRED,
        summary::DEFERRED_DURING_APPLY,
        summary::IMPORT_NONE,
        summary::IMPORT_MANY,
        summary::IMPORT_NULL,
        summary::IMPORT_WRITE_ONLY,
        summary::IMPORT_ABSENT,
        dialect.inconsistent_core_plan(),
    ]
}

impl Answers {
    pub(super) fn new(calls: usize) -> Answers {
        Answers {
            breaches: Vec::new(),
            broken: BTreeSet::new(),
            explained: BTreeSet::new(),
            goes_on: vec![true; calls],
        }
    }

    pub(super) fn push(&mut self, breach: Breach) {
        self.broken.insert((breach.call, breach.id));
        self.breaches.push(breach);
    }

    pub(super) fn explain(&mut self, summary: &'static str) {
        self.explained.insert(summary);
    }

    pub(super) fn stop(&mut self, call: usize) {
        self.goes_on[call] = false;
    }

    /// Whether Core continues after a call: it had no error.
    pub(super) fn goes_on(&self, call: usize) -> bool {
        self.goes_on[call]
    }

    /// Whether a call has a breach of this invariant.
    pub(super) fn breaks(&self, call: usize, id: Id) -> bool {
        self.broken.contains(&(call, id))
    }

    /// Matches the breaches with Core's diagnostics, in both directions.
    pub(super) fn report(mut self, findings: &mut Findings, calls: &Calls<'_>, dialect: Dialect, sent: &Sent) {
        self.explain_remarks(calls, dialect);
        let mut reported = Reported::of(calls);
        let mut causes = Causes::default();
        for breach in self.breaches.iter().filter(|breach| breach.report != Report::Tolerated) {
            causes.add(breach);
        }
        let blames = blames(dialect);
        for diagnostic in reported.diagnostics.iter().filter(|diagnostic| blames.contains(&&*diagnostic.summary)) {
            let is_explained = self.explained.contains(&*diagnostic.summary) || causes.explain(diagnostic);
            findings.hold_at(Id::I53, is_explained, || {
                let message = format!("expected a breach behind {:?}, found none", diagnostic.summary);
                (diagnostic.path.clone(), message)
            });
        }
        reported.forget(|diagnostic| causes.explain(diagnostic) || self.explained.contains(&*diagnostic.summary));
        let all = Reported::of(calls);
        for breach in self.breaches {
            let is_tolerated = breach.report == Report::Tolerated;
            let is_reported = if is_tolerated { reported.has(&breach) } else { all.has(&breach) };
            findings.breach(BrokenInvariant {
                invariant: breach.id.info().id,
                step: 0,
                walk: calls.walk,
                path: breach.path,
                message: breach.message,
                fault: if sent.is_wrong(breach.call) { Party::Core } else { Party::Provider },
                tolerated: is_tolerated,
                reported_as: Some(breach.summary),
                is_reported,
            });
        }
    }

    /// A provider's own diagnostic may have the same summary as one of Core's.
    fn explain_remarks(&mut self, calls: &Calls<'_>, dialect: Dialect) {
        let blames = blames(dialect);
        for (_, _, exchange) in calls.iter() {
            for remark in exchange.remarks() {
                if let Some(summary) = blames.iter().find(|blame| **blame == remark.summary.as_str()) {
                    self.explained.insert(summary);
                }
            }
        }
    }
}

/// The possible causes of a diagnostic: by summary, the places of breaches and their enclosing places.
#[derive(Default)]
struct Causes {
    anywhere: BTreeSet<&'static str>,
    places: BTreeMap<&'static str, BTreeSet<String>>,
}

impl Causes {
    fn add(&mut self, breach: &Breach) {
        if breach.is_anywhere {
            self.anywhere.insert(breach.summary);
        }
        self.places.entry(breach.summary).or_default().extend(places_around(&breach.path));
    }

    fn explain(&self, diagnostic: &Diagnostic) -> bool {
        let summary = &*diagnostic.summary;
        let at = place_text(diagnostic.path.steps());
        self.anywhere.contains(summary) || self.places.get(summary).is_some_and(|places| places.contains(&at))
    }
}

/// The diagnostics of a walk, by summary and place.
struct Reported<'a> {
    diagnostics: Vec<&'a Diagnostic>,
    places: BTreeMap<&'a str, BTreeSet<String>>,
}

impl<'a> Reported<'a> {
    /// The errors; of a data resource also the warnings that they become in checks (L145).
    fn of(calls: &Calls<'a>) -> Reported<'a> {
        let is_data = calls.kind == ResourceKind::Data;
        let counts = |diagnostic: &&Diagnostic| diagnostic.severity == Severity::Error || is_data;
        let mut reported =
            Reported { diagnostics: calls.diagnostics.iter().filter(counts).collect(), places: BTreeMap::new() };
        reported.index();
        reported
    }

    fn index(&mut self) {
        self.places.clear();
        for diagnostic in &self.diagnostics {
            self.places.entry(&diagnostic.summary).or_default().insert(place_text(diagnostic.path.steps()));
        }
    }

    fn forget(&mut self, is_explained: impl Fn(&Diagnostic) -> bool) {
        self.diagnostics.retain(|diagnostic| !is_explained(diagnostic));
        self.index();
    }

    /// Whether a breach is reported at its place or at an enclosing one: an inconsistency inside a sensitive value is reported for the
    /// whole value (AC10).
    fn has(&self, breach: &Breach) -> bool {
        let Some(places) = self.places.get(breach.summary) else { return false };
        breach.is_anywhere || places_around(&breach.path).any(|place| places.contains(&place))
    }
}

/// A place and all enclosing places.
fn places_around(path: &WrittenPath) -> impl Iterator<Item = String> + '_ {
    (0..=path.steps().len()).map(|length| place_text(&path.steps()[..length]))
}

/// The text of a place. Core writes keys of nested types as attributes, so both have the same text.
fn place_text(steps: &[WrittenStep]) -> String {
    let plain = |step: &WrittenStep| match step {
        WrittenStep::Key(key) => WrittenStep::Attribute(key.clone()),
        step => step.clone(),
    };
    steps.iter().map(plain).collect::<WrittenPath>().to_string()
}
