//! The rules of single answers, by operation.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::Request;
use planfuzz_core::schema::Schema;
use planfuzz_core::value::{Path, Value, ValueRef};

use super::compatibility::Compatibility;
use super::demands::Demands;
use super::id::Id;
use super::merge::{Merge, Triple};
use super::place::Place;
use super::plan_validity::PlanValidity;
use super::shape::BlockShape;
use super::verdict::{Verdict, show};
use super::{computed_blocks, demands, normalize};

/// The rules, for one schema and dialect.
#[derive(Debug)]
pub struct Rules<'s> {
    dialect: Dialect,
    pub(super) root: BlockShape<'s>,
    pub(super) has_computed: bool,
}

/// An answer as the rules see it, from a subject in any language.
#[derive(Clone, Copy, Debug)]
pub enum Answered<'a> {
    /// A value.
    Value(&'a Value),
    /// The paths of violations as text, sorted, repetitions kept.
    Violations(&'a [String]),
    /// The subject refused the input.
    Refused,
}

/// A rule that an answer breaks.
#[derive(Clone, Debug)]
pub struct Broken {
    /// The rule of the specification, one of [`ALL`](crate::ALL).
    pub rule: &'static str,
    /// The path in the answer.
    pub path: Path,
    /// What was expected and what was found.
    pub message: String,
}

/// The result of checking an answer.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// The number of checks.
    pub checks: u64,
    /// The broken rules; if there are very many, the first.
    pub broken: Vec<Broken>,
}

impl<'s> Rules<'s> {
    /// Reads the schema once.
    pub fn new(schema: &'s Schema, dialect: Dialect) -> Rules<'s> {
        let has_computed = dialect.has_computed_blocks() && computed_blocks::has_computed(&schema.block);
        Rules { dialect, root: BlockShape::new(&schema.block, dialect), has_computed }
    }

    /// Checks the rules of an operation on an answer.
    ///
    /// The inputs conform to the implied type of the schema, which is valid in the dialect; for others the findings are meaningless. An
    /// answer of the wrong shape breaks the rule that requires an answer.
    pub fn check(&self, request: Request<'_>, answer: Answered<'_>) -> Checked {
        match request {
            Request::ProposedNew { prior, config } => self.value(Id::M01, answer, |verdict, answer| {
                let of = Triple { prior: prior.view(), config: config.view(), answer };
                Merge { dialect: self.dialect, verdict }.whole(&self.root, of);
            }),
            Request::PlannedDataResource { config } => self.value(Id::M40, answer, |verdict, answer| {
                let of = Triple { prior: ValueRef::unknown(&self.root.ty), config: config.view(), answer };
                Merge { dialect: self.dialect, verdict }.block(&self.root, of, &Place::ROOT, Id::M40);
            }),
            Request::NormalizeLegacy { value } => self.value(Id::LN01, answer, |verdict, answer| match answer {
                Some(answer) => normalize::object(verdict, &self.root, value.view(), answer, &Place::ROOT),
                None => normalize::refusal(verdict, &self.root, value.view()),
            }),
            Request::PrepareComputedBlocks { value } => self.value(Id::C01, answer, |verdict, answer| {
                self.prepared(verdict, value.view(), answer);
            }),
            Request::AssertPlanValid { prior, config, planned } => {
                self.violations(Id::P01, answer, &|demands| self.demand_valid(demands, prior, config, planned))
            }
            Request::AssertObjectCompatible { planned, actual } => {
                self.violations(Id::AC01, answer, &|demands| self.demand_compatible(demands, planned, actual))
            }
        }
    }

    fn demand_valid(&self, demands: &mut Demands, prior: &Value, config: &Value, planned: &Value) {
        let mut check = PlanValidity { dialect: self.dialect, demands };
        check.block(&self.root, Some(prior.view()), config.view(), planned.view(), &Place::ROOT);
    }

    fn demand_compatible(&self, demands: &mut Demands, planned: &Value, actual: &Value) {
        let mut check = Compatibility { dialect: self.dialect, demands };
        check.block(&self.root, planned.view(), actual.view(), &Place::ROOT);
    }

    /// The violations of plan validity, each with its rule; `None` if the engine crashes or the outcome is open.
    pub(super) fn plan_violations(&self, prior: &Value, config: &Value, planned: &Value) -> Option<Vec<(Id, Path)>> {
        demands::demanded(&|demands| self.demand_valid(demands, prior, config, planned))
    }

    /// The violations of compatibility, likewise.
    pub(super) fn object_violations(&self, planned: &Value, actual: &Value) -> Option<Vec<(Id, Path)>> {
        demands::demanded(&|demands| self.demand_compatible(demands, planned, actual))
    }

    fn prepared(&self, verdict: &mut Verdict, value: ValueRef<'_>, answer: Option<ValueRef<'_>>) {
        if !self.has_computed {
            verdict.same(Id::C01, &Place::ROOT, answer, value);
            return;
        }
        let found = computed_blocks::BlockLookup::In(self.root.block);
        if computed_blocks::crashes(found, value) {
            verdict.crash(Id::C02, &Place::ROOT, answer.is_some(), "a primitive where a computed block is looked up");
        } else if let Some(answer) = answer {
            computed_blocks::prepared(verdict, found, value, answer, &Place::ROOT);
        }
    }

    /// Checks an answer that should be a value; after a refusal `check` gets `None`.
    fn value(&self, rule: Id, answer: Answered<'_>, check: impl FnOnce(&mut Verdict, Option<ValueRef<'_>>)) -> Checked {
        let mut verdict = Verdict::default();
        let answer = match answer {
            Answered::Value(value) => Some(value.view()),
            Answered::Refused => None,
            Answered::Violations(_) => return wrong_shape(rule, "a value", "violations"),
        };
        let conforms = answer.is_none_or(|answer| answer.ty().conforms_to(&self.root.ty));
        let message =
            || format!("expected a value of the implied type, found {}", answer.map_or_else(String::new, show));
        if verdict.hold(Id::V03, &Place::ROOT, conforms, message) {
            check(&mut verdict, answer);
        }
        verdict.finish(answer.is_none(), rule)
    }

    /// Checks an answer that should be a list of violations. `check` runs again to explain the differences.
    fn violations(&self, rule: Id, answer: Answered<'_>, check: &dyn Fn(&mut Demands)) -> Checked {
        match answer {
            Answered::Violations(found) => demands::weigh(rule, Some(found), check),
            Answered::Refused => demands::weigh(rule, None, check),
            Answered::Value(_) => wrong_shape(rule, "violations", "a value"),
        }
    }
}

fn wrong_shape(rule: Id, expected: &str, found: &str) -> Checked {
    let mut verdict = Verdict::default();
    verdict.hold(rule, &Place::ROOT, false, || format!("expected {expected}, found {found}"));
    verdict.finish(false, rule)
}
