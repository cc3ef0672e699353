//! The invariants of a life (lifecycle.md section 21), as checks over its trace.
//!
//! A check never plans: it says of what was asked, answered and decided, place by place, whether a statement holds. Two parties
//! can break one. What *Core* sends, decides and saves is related to what it knew; what a *provider* answers is held against the
//! contract, in the order in which Core looks at an answer, so that a breach that Core never comes to is none. Each breach says
//! what Core is to report, and the walk's diagnostics are matched with the breaches both ways.
//!
//! What is guaranteed: a right planner breaks nothing that is Core's, and reports what providers break. Where the
//! specification leaves an outcome open, or a later rule of Core's changes the value that a check would need (an answer of a
//! legacy provider under `ignore_changes`), either is right and nothing is counted. All of it is linear in the trace but for the sets
//! of one value, as in the rules for single answers.

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

pub use findings::{BrokenInvariant, HeldLife, Party, Walk};
pub use id::{Held, INVARIANT_COUNT, INVARIANTS, InvariantInfo};

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

/// What is claimed of the provider of a life, beyond its contract.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Claims {
    /// A read returns what was stored, a plan keeps what is proposed where that is the prior, and asks for no replacement then
    /// (I36).
    pub idempotent: bool,
    /// The same question gets the same answer as long as nothing changes outside (I46, I47).
    pub deterministic: bool,
}

impl<'s> Lifecycle<'s> {
    /// Reads the schema once.
    pub fn new(schema: &'s Schema, dialect: Dialect) -> Lifecycle<'s> {
        Lifecycle { rules: Rules::new(schema, dialect), schema, dialect }
    }

    /// Holds the invariants against a life.
    pub fn check(&self, life: &[StepTrace], claims: Claims) -> HeldLife {
        let mut findings = Findings::default();
        for (index, step) in life.iter().enumerate() {
            findings.enter(index, Walk::Plan);
            self.plan_walk(&mut findings, &step.plan);
            if let Some(apply) = &step.apply {
                findings.enter(index, Walk::Apply);
                self.apply_walk(&mut findings, apply);
            }
        }
        sequence::check(self, &mut findings, life, claims);
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

    /// Whether a value is the merge of two others, as the rules of the merge have it.
    fn broken_merge(&self, prior: &Value, config: &Value, proposed: &Value) -> Option<super::Broken> {
        let broken = |rules: &Rules<'_>, [prior, config, proposed]: [&Value; 3]| {
            let request = Request::ProposedNew { prior, config };
            rules.check(request, super::Answered::Value(proposed)).broken.into_iter().next()
        };
        let found = broken(&self.rules, [prior, config, proposed])?;
        // S34: what is proposed goes to the provider in a message, which says nothing of optional markers.
        let Some(unmarked) = unmarked::schema(self.schema) else { return Some(found) };
        let values = [prior, config, proposed].map(unmarked::value);
        broken(&Rules::new(&unmarked, self.dialect), values.each_ref())
    }

    /// Whether a value is what is read, in the form that Core keeps it in (L14).
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

    /// The paths that the schema calls write-only in a value of its type that are not null there; nothing where the engine
    /// crashes looking.
    fn leaks(&self, value: &Value) -> Option<Vec<WrittenPath>> {
        if value.is_null() || !value.ty().conforms_to(self.ty()) {
            return Some(Vec::new());
        }
        let paths = self.schema.write_only_paths(value.view()).ok()?;
        let leaks = paths.iter().filter(|path| fits::at(value.view(), path).is_some_and(|found| !found.is_null()));
        Some(leaks.map(WrittenPath::from).collect())
    }

    /// The marks that the schema puts on a value; nothing where the engine crashes looking.
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
