//! The judge passes answers to every oracle that applies to the case.

use std::fmt;

use planfuzz_core::planner::Planner;

use super::allow::Allowances;
use super::answers::Answers;
use super::case_result::CaseResult;
use super::finding::{Finding, Judged};
use super::known::KnownDifferences;
use super::oracle::{Beside, Candidate, Oracle, Question, is_not_its_own};
use super::oracles;
use super::summary::Summary;
use crate::case::{Case, Op};
use crate::subject::{Outcome, Subject};

/// Judges answers by the oracles; holds what they need besides the answers.
#[derive(Clone, Debug, Default)]
pub struct Judge {
    /// Known findings that are counted and not reported.
    pub allowances: Allowances,
    /// Known differences of real engines, which are counted and not reported.
    pub known: KnownDifferences,
    /// Leaves the rules out: only subjects are compared.
    pub without_rules: bool,
    /// Judges the providers of scenarios too: each is held to the promises of its model without its faults. What it breaks is a
    /// finding, tolerated if Core tolerates it.
    pub providers: bool,
    /// Decides whether an answer that came over a line and breaks a rule is right, if no planner answered beside it.
    pub arbiter: Option<Arbiter>,
}

/// Why an answer is not compared with another.
const SHARED_CODE: &str = "its answers come from the code that all planners share, as those of the subject before it";

/// A planner that is taken to be right.
#[derive(Clone, Copy)]
pub struct Arbiter(pub &'static dyn Planner);

impl fmt::Debug for Arbiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name())
    }
}

impl Judge {
    /// Judges one case: counts everything in `summary` and returns the findings to report.
    pub fn judge(&self, case: &Case, answers: &[Answers<'_>], summary: &mut Summary) -> Vec<Finding> {
        self.sit(case).judge(case, answers, summary).findings
    }

    /// Makes the oracles for a case once, to judge it and all cases that are judged like it.
    pub fn sit<'s>(&'s self, case: &'s Case) -> Sitting<'s> {
        Sitting { case, oracles: oracles::of(self, case) }
    }

    /// Checks the properties of a case's kind with a planner of this process. Findings count only for some operations; the planner
    /// answers others too.
    pub fn properties(
        &self,
        case: &Case,
        candidate: &Candidate<'_>,
        counts: &dyn Fn(Op) -> bool,
        summary: &mut Summary,
    ) -> Judged {
        let oracles = oracles::of(self, case);
        let mut result = CaseResult::new(&oracles, case.dialect, summary);
        for oracle in &oracles {
            oracle.ask(case, candidate, counts, &mut result);
        }
        result.close()
    }

    /// As [`Judge::properties`], with the planners of a subject, if it has any.
    pub fn properties_of(
        &self,
        case: &Case,
        subject: &dyn Subject,
        counts: impl Fn(Op) -> bool,
        summary: &mut Summary,
    ) -> Vec<Finding> {
        let (planner, workspaces) = (subject.planner(), subject.workspaces());
        if planner.is_none() && workspaces.is_none() {
            return Vec::new();
        }
        let candidate = Candidate { name: subject.name(), planner, workspaces };
        self.properties(case, &candidate, &counts, summary).findings
    }
}

/// A judge with the oracles for one schema, dialect and kind of case.
pub struct Sitting<'s> {
    case: &'s Case,
    oracles: Vec<Box<dyn Oracle + 's>>,
}

impl Sitting<'_> {
    /// Judges one case that is judged like the one of this sitting: see [`Case::is_judged_like`].
    ///
    /// # Panics
    /// A case of another kind, schema or dialect: its oracles are missing here, so nothing would be found.
    pub fn judge(&self, case: &Case, answers: &[Answers<'_>], summary: &mut Summary) -> Judged {
        assert!(std::ptr::eq(case, self.case) || case.is_judged_like(self.case), "the judge sat for other cases");
        let mut result = CaseResult::new(&self.oracles, case.dialect, summary);
        for (index, op) in case.ops().into_iter().enumerate() {
            let question = Question { op, case, request: case.request(op), answers: (answers, index) };
            self.judge_op(&question, &mut result);
        }
        let mut asked = answers.iter().filter(|answers| !answers.outcomes.iter().all(is_not_its_own)).peekable();
        let is_reached = asked.peek().is_some();
        let reached = |answers: &Answers<'_>| answers.outcomes.iter().any(Outcome::was_asked);
        result.summary.cases += u64::from(is_reached && asked.all(reached));
        for of in answers.iter().filter(|answers| reached(answers)) {
            result.summary.count_answered(of.subject);
        }
        result.close()
    }

    fn judge_op(&self, question: &Question<'_>, result: &mut CaseResult<'_>) {
        let (answers, index) = question.answers;
        let mut asked = answers.iter().filter(|answers| !is_not_its_own(&answers.outcomes[index]));
        // The first subject that this question is for.
        let Some(first) = asked.next() else { return };
        let first = first.answer(answers, index);
        for oracle in &self.oracles {
            oracle.alone(question, &first, result);
            oracle.survey(question, &first, result);
        }
        let before = result.summary.comparisons;
        for other in asked {
            let other = other.answer(answers, index);
            // Code agrees with itself.
            if first.is_of_shared_code && other.is_of_shared_code && question.op.is_shared() {
                result.summary.leave_out(other.name, SHARED_CODE);
                self.oracles.iter().for_each(|oracle| oracle.alone(question, &other, result));
                continue;
            }
            let beside = self.oracles.iter().find_map(|oracle| oracle.beside(question, &first, &other, result));
            for oracle in &self.oracles {
                match beside {
                    Some(Beside::Same) => oracle.again(question, &other, result),
                    Some(Beside::Different) | None => oracle.alone(question, &other, result),
                }
            }
            result.report_deferred();
        }
        if question.op.is_shared() {
            *result.summary.calls.entry(question.op).or_default() += result.summary.comparisons - before;
        }
    }
}
