//! The result of a case collects what the oracles count and find in it.

use planfuzz_core::dialect::Dialect;

use super::finding::{Excuse, Finding, Judged};
use super::oracle::{Oracle, Ruling, Whose};
use super::signature::Signature;
use super::summary::Summary;

/// The counts and findings of one case.
pub struct CaseResult<'a> {
    oracles: &'a [Box<dyn Oracle + 'a>],
    dialect: Dialect,
    /// Counts other than those of checks and findings.
    pub summary: &'a mut Summary,
    judged: Judged,
    deferred: Vec<(Whose, Finding)>,
    /// How often each oracle checked something, in the order in which they did: a few entries at most.
    counts: Vec<(&'static str, u64)>,
}

impl<'a> CaseResult<'a> {
    /// An empty result for a case of a dialect.
    pub(super) fn new(
        oracles: &'a [Box<dyn Oracle + 'a>],
        dialect: Dialect,
        summary: &'a mut Summary,
    ) -> CaseResult<'a> {
        CaseResult { oracles, dialect, summary, judged: Judged::default(), deferred: Vec::new(), counts: Vec::new() }
    }

    /// Counts checks of answers against rules and properties.
    pub fn checked(&mut self, oracle: &'static str, checks: u64) {
        self.summary.checks += checks;
        self.count(oracle, checks);
    }

    /// Counts comparisons.
    pub fn compared(&mut self, oracle: &'static str, comparisons: u64) {
        self.summary.comparisons += comparisons;
        self.count(oracle, comparisons);
    }

    /// Counts work of an oracle that is neither a comparison nor a check of a rule.
    pub fn count(&mut self, oracle: &'static str, count: u64) {
        match self.counts.iter_mut().find(|(name, _)| *name == oracle) {
            Some((_, counted)) => *counted += count,
            None => self.counts.push((oracle, count)),
        }
    }

    /// Reports a finding, which the known differences and the allow list may excuse.
    pub fn report(&mut self, whose: Whose, mut finding: Finding) {
        if finding.excuse.is_none() {
            finding.excuse = self.excuse(&finding.signature, whose);
        }
        match &finding.excuse {
            None => {
                self.summary.tally.count_finding(&finding.signature.kind);
                self.judged.findings.push(finding);
            }
            Some(excuse) => {
                self.summary.tally.tolerated += 1;
                self.summary.tolerate(excuse.name(), &finding.signature);
                self.judged.excused.push(finding);
            }
        }
    }

    /// Reports a finding after the answer was checked alone, so that the rules that the answer breaks are reported first.
    pub fn defer(&mut self, whose: Whose, finding: Finding) {
        self.deferred.push((whose, finding));
    }

    /// Reports the deferred findings.
    pub(super) fn report_deferred(&mut self) {
        for (whose, finding) in std::mem::take(&mut self.deferred) {
            self.report(whose, finding);
        }
    }

    /// Whether a finding of this signature would be excused.
    pub fn would_excuse(&self, signature: &Signature, whose: Whose) -> bool {
        let mut rulings = self.oracles.iter().map(|oracle| oracle.excuse(signature, whose, self.dialect));
        rulings.any(|ruling| matches!(ruling, Ruling::Excused(_)))
    }

    fn excuse(&mut self, signature: &Signature, whose: Whose) -> Option<Excuse> {
        for oracle in self.oracles {
            match oracle.excuse(signature, whose, self.dialect) {
                Ruling::NotMine => {}
                Ruling::Stands => self.count(oracle.name(), 1),
                Ruling::Excused(excuse) => {
                    self.count(oracle.name(), 1);
                    return Some(excuse);
                }
            }
        }
        None
    }

    /// The findings. Adds the counts to the summary.
    pub(super) fn close(self) -> Judged {
        self.summary.count_oracles(&self.counts);
        self.judged
    }
}
