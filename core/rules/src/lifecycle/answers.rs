//! The contract of providers with Core, answer by answer, in the order in which Core checks it (sections 4 to 7, 13 and 20.3).

use super::super::id::Id as Rule;
use super::breach::{Answers, Breach, Report};
use super::calls::{Calls, Part, has_errors, is_newer};
use super::findings::{Findings, Walk};
use super::fits::{self, Asked};
use super::id::Id;
use super::{Lifecycle, show};
use planfuzz_core::planner::{
    ApplyAnswer, ApplyChange, Exchange, ImportAnswer, PlanAnswer, PlanChange, ReadAnswer, ReadDataAnswer,
    UpgradeAnswer, summary,
};
use planfuzz_core::plans::Action;
use planfuzz_core::state::InstanceState;
use planfuzz_core::value::{Number, Path, Value, ValueRef, WrittenPath};

/// Checks every answer of a walk against the contract.
pub(super) fn check(of: &Lifecycle<'_>, findings: &mut Findings, calls: &Calls<'_>) -> Answers {
    let mut reader =
        Reader { of, findings, calls, answers: Answers::new(calls.exchanges.len()), call: 0, import_failed: false };
    for (call, part, exchange) in calls.iter() {
        reader.call = call;
        let goes_on = reader.answer(part, exchange);
        if !goes_on {
            reader.answers.stop(call);
        }
    }
    reader.second_plan();
    let is_apply = calls.walk == Walk::Apply;
    if is_apply && calls.configured().is_some_and(|configured| !configured.config.value().is_wholly_known()) {
        // A21: in an apply Core refuses such a configuration.
        reader.answers.explain(summary::UNKNOWN_CONFIGURATION);
    }
    reader.answers
}

struct Reader<'r, 's, 'a> {
    of: &'r Lifecycle<'s>,
    findings: &'r mut Findings,
    calls: &'r Calls<'a>,
    answers: Answers,
    call: usize,
    /// Whether the import has already failed although the imported object is still read (L21).
    import_failed: bool,
}

/// The place at which a breach is reported.
enum At {
    Path(WrittenPath),
    /// The specification leaves it open.
    Anywhere,
}

const ROOT: fn() -> At = || At::Path(WrittenPath::default());

impl Reader<'_, '_, '_> {
    /// Whether Core goes on after the answer.
    fn answer(&mut self, part: Part, exchange: &Exchange) -> bool {
        match exchange {
            Exchange::Validate(_, answer) => !has_errors(&answer.remarks),
            Exchange::Upgrade(_, answer) => self.upgrade(answer),
            Exchange::Read(_, answer) => self.read(part, answer),
            Exchange::Plan(request, answer) if part == Part::Destroy => self.destroy(request, answer),
            Exchange::Plan(request, answer) => self.plan(part, request, answer),
            Exchange::Apply(request, answer) => self.apply(request, answer),
            Exchange::Import(_, answer) => self.import(answer),
            Exchange::ReadData(_, answer) => self.read_data(answer),
        }
    }

    /// Counts a check and notes a breach. Returns whether the contract is kept.
    fn owes(
        &mut self,
        id: Id,
        summary: &'static str,
        at: impl FnOnce() -> At,
        holds: bool,
        message: impl FnOnce() -> String,
    ) -> bool {
        self.findings.count(id);
        if !holds {
            self.breach(id, summary, at(), Report::Must, message());
        }
        holds
    }

    fn breach(&mut self, id: Id, summary: &'static str, at: At, report: Report, message: String) {
        let (path, is_anywhere) = match at {
            At::Path(path) => (path, false),
            At::Anywhere => (WrittenPath::default(), true),
        };
        self.answers.push(Breach { id, call: self.call, summary, path, is_anywhere, report, message });
    }

    /// Whether a value has the schema's type. On the wire a null of any type is a null.
    fn conforms(&mut self, id: Id, summary: &'static str, value: &Value) -> bool {
        let conforms = value.ty().conforms_to(self.of.ty());
        if value.is_null() && !conforms {
            self.answers.explain(summary);
        }
        let message = || format!("expected a value of the implied type, found {}", show(value));
        self.owes(id, summary, || At::Anywhere, conforms || value.is_null(), message)
    }

    /// I11, with Core's summary for a breach.
    fn has_no_write_only(&mut self, summary: &'static str, value: &Value) -> bool {
        let Some(leaks) = self.of.leaks(value) else {
            self.answers.explain(summary);
            return true;
        };
        self.findings.count(Id::I11);
        let holds = leaks.is_empty();
        for path in leaks {
            let message = "expected a write-only attribute to be null, found a value".to_owned();
            self.breach(Id::I11, summary, At::Path(path), Report::Must, message);
        }
        holds
    }

    /// I11 for engines that check it when they decode answers, so that a breach is an error of the call.
    fn decodes(&mut self, value: &Value) -> bool {
        if !self.of.dialect.decodes_write_only_strictly() {
            return true;
        }
        self.has_no_write_only(summary::INVALID_RESPONSE, value)
    }

    /// I11 for engines in which Core checks it.
    fn leaks_nothing(&mut self, summary: &'static str, value: &Value) -> bool {
        self.of.dialect.decodes_write_only_strictly() || self.has_no_write_only(summary, value)
    }

    /// I54; engines other than Terraform do not look.
    fn is_not_deferred(&mut self, is_deferred: bool, summary: &'static str) -> bool {
        let holds = !is_deferred || !self.of.dialect.has_deferrals();
        let message = || "expected an answer, found a deferral that was not allowed".to_owned();
        self.owes(Id::I54, summary, ROOT, holds, message)
    }

    /// L05.
    fn upgrade(&mut self, answer: &UpgradeAnswer) -> bool {
        const SUMMARY: &str = summary::INVALID_STATE_UPGRADE;
        let value = &answer.upgraded;
        if !self.decodes(value) || has_errors(&answer.remarks) || !self.conforms(Id::I35, SUMMARY, value) {
            return false;
        }
        let is_known = !self.of.dialect.refuses_unknowns_in_reads() || value.is_wholly_known();
        let message = || format!("expected a wholly known value, found {}", show(value));
        if !self.owes(Id::I35, SUMMARY, || At::Anywhere, is_known, message) {
            return false;
        }
        // An infinite number cannot be stored: that is no breach, but it ends the walk.
        self.leaks_nothing(SUMMARY, value) && is_storable(value.view())
    }

    /// L10 to L13, and L21 for imported objects.
    fn read(&mut self, part: Part, answer: &ReadAnswer) -> bool {
        const SUMMARY: &str = summary::INVALID_OBJECT;
        let value = &answer.new_state;
        if !self.decodes(value)
            || has_errors(&answer.remarks)
            || !self.is_not_deferred(answer.deferred, summary::REFRESH_DEFERRED)
        {
            return false;
        }
        let conforms = self.conforms(Id::I33, SUMMARY, value);
        let is_known = !self.of.dialect.refuses_unknowns_in_reads() || value.is_wholly_known();
        let message = || format!("expected a wholly known value, found {}", show(value));
        let is_known = self.owes(Id::I33, SUMMARY, || At::Anywhere, is_known, message);
        if !conforms || !is_known || !self.leaks_nothing(SUMMARY, value) {
            return false;
        }
        if part != Part::ReadOfImport {
            return true;
        }
        let message = || "expected the imported object to exist, found null".to_owned();
        !self.import_failed && self.owes(Id::I55, summary::IMPORT_ABSENT, ROOT, !value.is_null(), message)
    }

    /// L21.
    fn import(&mut self, answer: &ImportAnswer) -> bool {
        let mut is_decoded = true;
        for (value, _) in &answer.imported {
            is_decoded &= self.decodes(value);
        }
        if !is_decoded || has_errors(&answer.remarks) {
            return false;
        }
        let Some((value, _)) = answer.imported.first() else {
            return self.owes(Id::I55, summary::IMPORT_NONE, ROOT, false, || "expected one object".to_owned());
        };
        // Neither breach prevents the read.
        let is_one = answer.imported.len() == 1;
        let message = || format!("expected one object, found {}", answer.imported.len());
        self.import_failed = !self.owes(Id::I55, summary::IMPORT_MANY, ROOT, is_one, message);
        if !is_one && !self.of.dialect.reads_first_of_many() {
            return false;
        }
        let message = || "expected an object, found null".to_owned();
        self.import_failed |= !self.owes(Id::I55, summary::IMPORT_NULL, ROOT, !value.is_null(), message);
        if !value.ty().conforms_to(self.of.ty()) {
            self.answers.explain(summary::INVALID_OBJECT);
            self.answers.explain(summary::IMPORT_WRITE_ONLY);
            return true;
        }
        self.leaks_nothing(summary::IMPORT_WRITE_ONLY, value)
    }

    /// L144.
    fn read_data(&mut self, answer: &ReadDataAnswer) -> bool {
        let value = &answer.state;
        if has_errors(&answer.remarks) {
            return false;
        }
        // The specification does not say whether write-only values may be present here; a strict decoder would report them.
        self.answers.explain(summary::INVALID_RESPONSE);
        if self.calls.is_destruction && self.calls.configured().is_some_and(|configured| configured.in_check) {
            // L145, LD09: it is a warning then, and the warnings of this walk are not reported.
            return value.ty().conforms_to(self.of.ty()) && !value.is_null() && value.is_wholly_known();
        }
        if !self.conforms(Id::I33, summary::INVALID_OBJECT, value) {
            return false;
        }
        let message = || "expected an object, found null".to_owned();
        if !self.owes(Id::I33, summary::NULL_OBJECT, || At::Anywhere, !value.is_null(), message) {
            return false;
        }
        let message = || format!("expected a wholly known value, found {}", show(value));
        self.owes(Id::I33, summary::INVALID_OBJECT, || At::Anywhere, value.is_wholly_known(), message)
    }

    /// L120, L121.
    fn destroy(&mut self, request: &PlanChange, answer: &PlanAnswer) -> bool {
        if !self.decodes(&answer.planned) || has_errors(&answer.remarks) {
            return false;
        }
        if answer.deferred && self.of.dialect.has_deferrals() {
            self.answers.explain(self.deferral());
            self.answers.explain(summary::DEFERRED);
            return false;
        }
        let is_null = answer.planned.is_null();
        let message = || format!("expected null for {}, found {}", show(&request.prior), show(&answer.planned));
        self.owes(Id::I45, summary::INVALID_PLAN, || At::Anywhere, is_null, message)
    }

    fn deferral(&self) -> &'static str {
        match self.calls.walk {
            Walk::Plan => summary::DEFERRED,
            Walk::Apply => summary::DEFERRED_DURING_APPLY,
        }
    }

    /// L38 to L44.
    fn plan(&mut self, part: Part, request: &PlanChange, answer: &PlanAnswer) -> bool {
        const SUMMARY: &str = summary::INVALID_PLAN;
        let planned = &answer.planned;
        if !self.decodes(planned) || has_errors(&answer.remarks) {
            return false;
        }
        if !self.is_not_deferred(answer.deferred, self.deferral()) {
            return false;
        }
        if !self.leaks_nothing(SUMMARY, planned) || !self.conforms(Id::I05, SUMMARY, planned) {
            return false;
        }
        if part == Part::Second {
            let found = self.of.rules.plan_violations(&request.prior, &request.config, planned);
            self.findings.observe(found.is_some_and(|found| !found.is_empty()));
            return true;
        }
        self.is_valid(request, answer) && self.replacements_exist(request, answer)
    }

    /// L41.
    fn is_valid(&mut self, request: &PlanChange, answer: &PlanAnswer) -> bool {
        const SUMMARY: &str = summary::INVALID_PLAN;
        for id in [Id::I06, Id::I07, Id::I08, Id::I09, Id::I10] {
            self.findings.count(id);
        }
        let Some(violations) = self.of.rules.plan_violations(&request.prior, &request.config, &answer.planned) else {
            self.answers.explain(SUMMARY);
            return true;
        };
        let report = if answer.legacy_type_system { Report::Tolerated } else { Report::Must };
        let holds = violations.is_empty() || report == Report::Tolerated;
        for (rule, path) in violations {
            let (id, wanted) = plan_invariant(rule, &path);
            self.breach(id, SUMMARY, at(&path), report, format!("expected {wanted} ({})", rule.info().id));
        }
        holds
    }

    /// L80 to L82.
    fn replacements_exist(&mut self, request: &PlanChange, answer: &PlanAnswer) -> bool {
        if request.prior.is_null() {
            return true;
        }
        if self.calls.ignores() && answer.legacy_type_system {
            // L42 changes the answer before its paths are looked at.
            self.answers.explain(summary::INVALID_PLAN);
            return true;
        }
        let mut goes_on = true;
        for path in &answer.requires_replace {
            self.findings.count(Id::I12);
            match fits::asked(self.of.schema, &request.prior, &answer.planned, path) {
                Asked::Nowhere => {
                    goes_on = false;
                    let message = format!("expected a path of the prior or planned object, found {path}");
                    self.breach(Id::I12, summary::INVALID_PLAN, At::Path(path.clone()), Report::Must, message);
                }
                Asked::Open => self.answers.explain(summary::INVALID_PLAN),
                Asked::Kept | Asked::Unchanged => {}
            }
        }
        goes_on
    }

    /// A06, A07: compares the last plan of an apply with the plan that is applied.
    fn second_plan(&mut self) {
        let Some(change) = self.calls.applies else { return };
        let plans: Vec<_> =
            self.calls.iter().filter(|(_, part, _)| matches!(part, Part::First | Part::Second)).collect();
        let (Some(first), Some(last)) = (plans.first(), plans.last()) else { return };
        if plans.iter().any(|(call, ..)| !self.answers.goes_on(*call)) {
            return;
        }
        let (Exchange::Plan(request, of_first), Exchange::Plan(_, answer)) = (first.2, last.2) else { return };
        self.call = last.0;
        if self.calls.ignores() && of_first.legacy_type_system {
            // L42 changes the answer before it is compared.
            self.answers.explain(summary::INCONSISTENT_FINAL_PLAN);
            return;
        }
        let same_action = self.has_planned_action(change.change.action, request, of_first);
        let same_values = self.is_as_planned(change.change.after.value(), &answer.planned);
        if !same_action || !same_values {
            self.answers.stop(last.0);
        }
    }

    /// I22.
    fn has_planned_action(&mut self, planned: Action, request: &PlanChange, answer: &PlanAnswer) -> bool {
        if planned != Action::Update {
            return true;
        }
        if request.prior.is_null() {
            self.answers.explain(summary::INCONSISTENT_FINAL_PLAN);
            return true;
        }
        let paths = answer.requires_replace.iter();
        let asked: Vec<_> =
            paths.map(|path| fits::asked(self.of.schema, &request.prior, &answer.planned, path)).collect();
        if asked.contains(&Asked::Open) {
            self.answers.explain(summary::INCONSISTENT_FINAL_PLAN);
        }
        let holds = !asked.contains(&Asked::Kept);
        let message = || "expected the update that was planned, found a replacement".to_owned();
        self.owes(Id::I22, summary::INCONSISTENT_FINAL_PLAN, ROOT, holds, message)
    }

    /// I20, I21.
    fn is_as_planned(&mut self, first: &Value, second: &Value) -> bool {
        const SUMMARY: &str = summary::INCONSISTENT_FINAL_PLAN;
        self.findings.count(Id::I20);
        self.findings.count(Id::I21);
        let Some(violations) = self.of.rules.object_violations(first, second) else {
            self.answers.explain(SUMMARY);
            return true;
        };
        let holds = violations.is_empty();
        for (rule, path) in violations {
            let id = if matches!(rule, Rule::AC11c | Rule::AC20single) { Id::I21 } else { Id::I20 };
            let message = format!("expected what the first plan has, found something else ({})", rule.info().id);
            self.breach(id, SUMMARY, at(&path), Report::Must, message);
        }
        holds
    }

    /// A26 to A33.
    fn apply(&mut self, request: &ApplyChange, answer: &ApplyAnswer) -> bool {
        let had_errors = has_errors(&answer.remarks);
        let Some(value) = &answer.new_state else {
            let message = || "expected an answer, found none and no error".to_owned();
            self.owes(Id::I26, summary::INVALID_OBJECT, ROOT, had_errors, message);
            return false;
        };
        let is_decoded = self.decodes(value);
        if !self.conforms(Id::I26, summary::INVALID_OBJECT, value) {
            self.answers.explain(summary::INVALID_OBJECT);
            return false;
        }
        if !self.leaks_nothing(summary::INVALID_OBJECT, value) {
            return false;
        }
        self.findings.count(Id::I25);
        let unknowns = fits::unknowns(value.view());
        let is_known = unknowns.is_empty();
        for path in unknowns {
            let message = "expected a known value, found an unknown one".to_owned();
            self.breach(Id::I25, summary::INVALID_RESULT, At::Path(path), Report::Must, message);
        }
        if had_errors || !is_decoded || !is_known {
            return false;
        }
        if request.config.is_null() {
            let message = || format!("expected null, found {}", show(value));
            return self.owes(Id::I27, summary::INVALID_RESULT, ROOT, value.is_null(), message);
        }
        self.comes_about(&request.planned, value, answer.legacy_type_system)
    }

    /// A31, A33.
    fn comes_about(&mut self, planned: &Value, value: &Value, is_legacy: bool) -> bool {
        const SUMMARY: &str = summary::INCONSISTENT_RESULT;
        let report = if is_legacy { Report::Tolerated } else { Report::Must };
        let violations = self.of.rules.object_violations(planned, value);
        self.findings.count(Id::I24);
        self.findings.count(Id::I28);
        if violations.is_none() {
            self.answers.explain(SUMMARY);
        }
        let violations = violations.unwrap_or_default();
        let holds = violations.is_empty() || is_legacy;
        for (rule, path) in violations {
            let id = if rule == Rule::AC01 && path.is_root() { Id::I28 } else { Id::I24 };
            let message = format!("expected what was planned, found something else ({})", rule.info().id);
            self.breach(id, SUMMARY, at(&path), report, message);
        }
        let message = || "expected an object, found null".to_owned();
        holds && self.owes(Id::I28, summary::INVALID_RESULT, ROOT, !value.is_null(), message)
    }
}

fn at(path: &Path) -> At {
    At::Path(WrittenPath::from(path))
}

/// The invariant for a rule of plan validity, and its requirement.
fn plan_invariant(rule: Rule, path: &Path) -> (Id, &'static str) {
    match rule {
        Rule::P01 if path.is_root() => (Id::I10, "an object, as one is configured"),
        Rule::P05f => (Id::I07, "null, as nothing is configured and nothing computed"),
        Rule::P01
        | Rule::P10v0
        | Rule::P10v1
        | Rule::P10v2
        | Rule::P10v2b
        | Rule::P10v3
        | Rule::P10list
        | Rule::P10map
        | Rule::P10obj
        | Rule::P10set => (Id::I09, "the blocks that are configured"),
        _ => (Id::I06, "what is configured or what was there"),
    }
}

/// Explains errors about versions above the schema's (L05).
pub(super) fn explain_newer(of: &Lifecycle<'_>, answers: &mut Answers, state: &InstanceState) {
    let is_newer = state.current.iter().chain(state.deposed.values()).any(|object| is_newer(of.schema, object));
    if is_newer {
        answers.explain(summary::NEWER_PROVIDER);
    }
}

/// Whether a value contains no infinite number, which JSON cannot express.
fn is_storable(value: ValueRef<'_>) -> bool {
    !value.as_number().is_some_and(Number::is_infinite) && value.children().all(|(_, part)| is_storable(part))
}
