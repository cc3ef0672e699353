//! The invariants of a resource instance (lifecycle.md section 21), as checks on its trace.
//!
//! A check never plans: it decides for requests, answers and decisions, place by place, whether a statement holds. Two parties can break
//! one. What *Core* sends, decides and saves is related to what it knew; what a *provider* answers is checked against the contract, in the
//! order in which Core checks an answer, so that a breach that Core never reaches does not count. Each breach has the summary that Core has
//! to report, and the walk's diagnostics are matched with the breaches in both directions.
//!
//! What is guaranteed: a right planner breaks no invariant of Core's, and reports what providers break. If the specification leaves an
//! outcome open, or a later rule of Core's changes the value that a check would need (an answer of a legacy provider under
//! `ignore_changes`), either is right and nothing is counted. All checks are linear in the trace except for the sets of one value, as in
//! the rules for single answers.

mod answers;
mod applied;
mod breach;
mod calls;
mod data;
mod findings;
mod fits;
mod id;
mod ignored;
mod legs;
mod planned;
mod replaced;
mod requests;
mod saved;
mod sequence;
#[cfg(test)]
mod tests;
mod unmarked;

pub use findings::{BrokenInvariant, Party, TraceReport, Walk};
pub use id::{Checking, INVARIANT_COUNT, INVARIANTS, InvariantInfo};

use super::rules::Rules;
use calls::Calls;
use findings::Findings;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{ApplyWalk, PlanWalk, Request, StepTrace};
use planfuzz_core::schema::Schema;
use planfuzz_core::value::{PathSet, Type, Value, WrittenPath};

/// The invariants, for one schema and dialect.
#[derive(Debug)]
pub struct Lifecycle<'s> {
    rules: Rules<'s>,
    schema: &'s Schema,
    dialect: Dialect,
}

/// Claims about the provider of a trace, beyond its contract.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Claims {
    /// A read returns what was stored; a plan keeps the proposed object if that is the prior, and asks for no replacement then (I36).
    pub idempotent: bool,
    /// Equal requests get equal answers as long as nothing changes outside (I46, I47).
    pub deterministic: bool,
}

impl<'s> Lifecycle<'s> {
    /// Reads the schema once.
    pub fn new(schema: &'s Schema, dialect: Dialect) -> Lifecycle<'s> {
        Lifecycle { rules: Rules::new(schema, dialect), schema, dialect }
    }

    /// Checks the invariants on a trace.
    pub fn check(&self, run: &[StepTrace], claims: Claims) -> TraceReport {
        let mut findings = Findings::default();
        for (index, step) in run.iter().enumerate() {
            findings.enter(index, Walk::Plan);
            self.plan_walk(&mut findings, &step.plan);
            if let Some(apply) = &step.apply {
                findings.enter(index, Walk::Apply);
                self.apply_walk(&mut findings, apply);
            }
        }
        sequence::check(self, &mut findings, run, claims);
        findings.finish()
    }

    fn plan_walk(&self, findings: &mut Findings, walk: &PlanWalk) {
        let calls = Calls::of_plan(walk);
        let mut sent = requests::Sent::new(walk.exchanges.len());
        let mut answers = answers::check(self, findings, &calls);
        answers::explain_newer(self, &mut answers, &walk.request.state);
        requests::of_plan(self, findings, &calls, walk, &answers, &mut sent);
        planned::check(self, findings, &calls, walk, &answers);
        data::check(self, findings, &calls, walk);
        answers.report(findings, &calls, self.dialect, &sent);
    }

    fn apply_walk(&self, findings: &mut Findings, walk: &ApplyWalk) {
        let calls = Calls::of_apply(walk);
        let mut sent = requests::Sent::new(walk.exchanges.len());
        let mut answers = answers::check(self, findings, &calls);
        answers::explain_newer(self, &mut answers, &walk.request.state);
        let legs = legs::Legs::of(walk, &calls, &answers);
        requests::of_apply(self, findings, &calls, walk, &mut sent);
        legs::check(findings, &calls, &legs, &answers, self.dialect.sends_planned_private());
        applied::check(self, findings, &calls, walk, &legs, &answers);
        answers.report(findings, &calls, self.dialect, &sent);
    }

    /// The implied type.
    fn ty(&self) -> &Type {
        &self.rules.root.ty
    }

    /// The first rule of the merge that a proposed object breaks, if any.
    fn broken_merge(&self, prior: &Value, config: &Value, proposed: &Value) -> Option<super::Broken> {
        let broken = |rules: &Rules<'_>, [prior, config, proposed]: [&Value; 3]| {
            let request = Request::ProposedNew { prior, config };
            rules.check(request, super::Answered::Value(proposed)).broken.into_iter().next()
        };
        let found = broken(&self.rules, [prior, config, proposed])?;
        // S34: the proposed object is sent to the provider in a message, which has no optional markers.
        let Some(unmarked) = unmarked::schema(self.schema) else { return Some(found) };
        let values = [prior, config, proposed].map(unmarked::value);
        broken(&Rules::new(&unmarked, self.dialect), values.each_ref())
    }

    /// Whether a value is the read value in the form that Core keeps (L14).
    fn is_normal_form(&self, read: &Value, kept: &Value) -> bool {
        let is_as_read = !self.dialect.normalizes_every_read() && read == kept;
        let request = Request::NormalizeLegacy { value: read };
        is_as_read || self.rules.check(request, super::Answered::Value(kept)).broken.is_empty()
    }

    /// Whether a configuration is sent as written: in dialects with computed blocks these may be prepared (C01).
    fn is_as_written(&self, written: &Value, sent: &Value) -> bool {
        let is_prepared = || {
            let request = Request::PrepareComputedBlocks { value: written };
            self.rules.check(request, super::Answered::Value(sent)).broken.is_empty()
        };
        written == sent || (self.rules.has_computed && is_prepared())
    }

    /// The write-only paths of the schema that are not null in a value of its type; `None` if the engine crashes on the lookup.
    fn leaks(&self, value: &Value) -> Option<Vec<WrittenPath>> {
        if value.is_null() || !value.ty().conforms_to(self.ty()) {
            return Some(Vec::new());
        }
        let paths = self.schema.write_only_paths(value.view()).ok()?;
        let leaks = paths.iter().filter(|path| fits::at(value.view(), path).is_some_and(|found| !found.is_null()));
        Some(leaks.map(WrittenPath::from).collect())
    }

    /// The schema's marks on a value; `None` if the engine crashes on the lookup.
    fn schema_marks(&self, value: &Value) -> Option<PathSet> {
        let paths = self.schema.sensitive_paths(value.view(), self.dialect).ok()?;
        let marks: PathSet = paths.iter().map(WrittenPath::from).collect();
        Some(marks.on(value.view()))
    }
}

/// A value for a message.
fn show(value: &Value) -> String {
    super::verdict::show(value.view())
}
