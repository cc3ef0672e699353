//! Comparison: what subjects answered, held against each other and against the rules.
//!
//! The first subject is compared with every other one, operation by operation. Rules and properties are held against the
//! first subject's answers, and against any other answer that differs from it: an equal answer breaks the same rules.

mod allow;
mod artefact;
mod difference;
mod known;
mod life;
mod nested_sets;
pub mod properties;
mod recorded;
mod signature;
mod summary;
mod told;
mod verdict;
mod workspace;
mod workspace_counts;

use std::sync::Arc;
use std::time::Duration;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{Planner, Request};
use planfuzz_core::schema::Schema;
use planfuzz_core::value::Value;
use planfuzz_pipelines::model::Model;
use planfuzz_reference::Reference;
use planfuzz_rules::{self, Answered, BrokenInvariant, Claims, Lifecycle, Party, Rules};

pub use allow::{Allowance, Allowances, AllowancesError};
pub use artefact::Artefact;
pub use difference::{Class, Difference, Place, difference};
pub use known::{KnownDifference, KnownDifferences};
pub use life::{Compared, LifeCounts, LifePlace, View, compare_lives, compare_past};
pub use recorded::{Expected, Miss};
pub use signature::{Signature, SignatureClass, kind_of_place};
pub use summary::Summary;
pub use verdict::{Tally, Verdict};
pub use workspace_counts::WorkspaceCounts;

use crate::case::{Call, Case, Merge, Op, Task};
use crate::scenario::{Halt, Life, Promises, Scenario, Standing};
use crate::subject::{LeftOut, Outcome, Panic, Shown, Subject, answer_request, guard, in_one_form};

/// What a subject answered to one case: an outcome for each operation.
#[derive(Clone, Copy, Debug)]
pub struct Answers<'a> {
    /// The subject's name.
    pub subject: &'a str,
    /// The outcomes, in the order of [`Case::ops`].
    pub outcomes: &'a [Outcome],
    /// How much of them is seen.
    pub shown: Shown,
}

impl<'a> Answers<'a> {
    /// The answers of a subject.
    pub fn of(subject: &'a dyn Subject, outcomes: &'a [Outcome]) -> Answers<'a> {
        Answers { subject: subject.name(), outcomes, shown: subject.shows() }
    }
}

/// A verdict that is to be reported.
#[derive(Clone, Debug)]
pub struct Found {
    /// The operation.
    pub op: Op,
    /// The verdict.
    pub verdict: Verdict,
}

/// Who judges: the allowances, and what is held against answers.
#[derive(Clone, Debug, Default)]
pub struct Judge {
    /// Known findings that are counted and not reported.
    pub allowances: Allowances,
    /// What real engines are known to do: likewise.
    pub known: KnownDifferences,
    /// Leaves the rules out: only subjects are compared.
    pub without_rules: bool,
    /// Judges the providers of lives too: each is held to what its model promises but for its faults, and what it breaks is a
    /// finding, tolerated where Core tolerates it.
    pub providers: bool,
}

impl Judge {
    /// Judges one case: counts everything in `summary` and gives what is to be reported.
    pub fn judge(&self, case: &Case, answers: &[Answers<'_>], summary: &mut Summary) -> Vec<Found> {
        self.sit(case).judge(case, answers, summary)
    }

    /// Reads the rules for a case once, to judge it and all that are prepared like it.
    pub fn sit<'s>(&'s self, case: &'s Case) -> Sitting<'s> {
        let schema = case.schema().map(|schema| &**schema);
        let rules = schema.filter(|_| !self.without_rules).map(|schema| match &case.task {
            Task::Call(Call::Scenario(_)) => Held::Life(Box::new(Lifecycle::new(schema, case.dialect))),
            Task::Merge(_) | Task::Call(_) => Held::Answer(Box::new(Rules::new(schema, case.dialect))),
        });
        let promises = scenario_of(case).map(|scenario| (scenario.model.clone(), self.promises(&scenario.model)));
        Sitting { judge: self, schema, rules, promises }
    }

    fn promises(&self, model: &Model) -> Promises {
        if self.providers { Promises::but_for_faults(model) } else { Promises::of(model) }
    }

    /// Whom a broken invariant speaks against; nobody where it is no finding.
    ///
    /// It speaks against the planner, or somebody broke what was claimed of the provider and it cannot be told who. What a provider
    /// alone breaks is a finding only where providers are judged.
    fn blames(&self, broken: &BrokenInvariant, subject: &str) -> Option<String> {
        match broken.fault {
            _ if broken.is_of_planner() => Some(subject.to_owned()),
            Party::Either if self.providers => Some(format!("{subject}/{PROVIDER}")),
            Party::Either => Some(subject.to_owned()),
            Party::Provider if self.providers => Some(PROVIDER.to_owned()),
            Party::Core | Party::Provider => None,
        }
    }

    /// Puts a merge to the metamorphic properties with a planner of this process.
    pub fn properties(&self, case: &Case, planner: &dyn Planner, summary: &mut Summary) -> Vec<Found> {
        let mut bench = self.bench(case, summary);
        if let Task::Merge(merge) = &case.task {
            bench.merge_properties(merge, planner, &|_| true);
        }
        bench.found
    }

    /// Puts a case to the metamorphic properties, or a workspace to the laws, with a subject that is a planner of this process. Only what
    /// is found of some operations counts; to find it the planner is asked others too.
    pub fn properties_of(
        &self,
        case: &Case,
        subject: &dyn Subject,
        is_asked: impl Fn(Op) -> bool,
        summary: &mut Summary,
    ) -> Vec<Found> {
        let mut bench = self.bench(case, summary);
        match (&case.task, subject.planner(), subject.workspaces()) {
            (Task::Merge(merge), Some(planner), _) => bench.merge_properties(merge, planner, &is_asked),
            (Task::Call(Call::Workspace(workspace)), _, Some(planner)) if is_asked(Op::Workspace) => {
                let who = Speaker { name: subject.name(), shown: subject.shows(), is_crash_foretold: false };
                bench.laws(Op::Workspace, who, planner, workspace);
            }
            _ => {}
        }
        bench.found
    }

    fn bench<'b>(&'b self, case: &'b Case, summary: &'b mut Summary) -> Bench<'b, 'b> {
        Bench {
            judge: self,
            dialect: case.dialect,
            call: None,
            schema: case.schema().map(|schema| &**schema),
            rules: None,
            promises: Promises::default(),
            summary,
            found: Vec::new(),
        }
    }
}

impl Bench<'_, '_> {
    fn merge_properties(&mut self, merge: &Merge, planner: &dyn Planner, is_asked: &dyn Fn(Op) -> bool) {
        let checked = match guard(|| properties::check(planner, merge, self.dialect)) {
            Ok(checked) => checked,
            Err(Panic { site, message }) => {
                let subjects = planner.name().to_owned();
                let signature = self.signature(Op::ProposedNew, format!("crash:{site}"), None, subjects);
                self.report(Op::ProposedNew, Verdict::Crash { signature, message });
                return;
            }
        };
        self.summary.checks += checked.checks;
        for broken in checked.broken.into_iter().filter(|broken| is_asked(broken.op)) {
            let kind = format!("rule_broken:{}", broken.property);
            let message = format!("{} at {:?}: {}", broken.property, broken.path.to_string(), broken.message);
            let place = Place::Path(broken.path);
            let signature = self.signature(broken.op, kind, Some(&place), planner.name().to_owned());
            self.report(broken.op, Verdict::RuleBroken { signature, message });
        }
    }
}

/// A judge with the rules for one schema and dialect at hand.
#[derive(Debug)]
pub struct Sitting<'s> {
    judge: &'s Judge,
    schema: Option<&'s Schema>,
    rules: Option<Held<'s>>,
    /// What a provider promises: asked of its model once.
    promises: Option<(Arc<Model>, Promises)>,
}

/// What is held against answers: which rules there are depends on what is asked.
#[derive(Debug)]
enum Held<'s> {
    /// The rules of the merge, against single answers.
    Answer(Box<Rules<'s>>),
    /// The invariants of the lifecycle, against lives.
    Life(Box<Lifecycle<'s>>),
}

impl Sitting<'_> {
    /// Judges one case, prepared like the one that the judge sat for: see [`Case::is_prepared_like`].
    pub fn judge(&self, case: &Case, answers: &[Answers<'_>], summary: &mut Summary) -> Vec<Found> {
        let Sitting { judge, schema, rules, promises: _ } = self;
        let mut bench = Bench {
            judge,
            dialect: case.dialect,
            call: match &case.task {
                Task::Call(call) => Some(call),
                Task::Merge(_) => None,
            },
            schema: *schema,
            rules: rules.as_ref(),
            promises: self.promises_of(case),
            summary,
            found: Vec::new(),
        };
        for (index, op) in case.ops().into_iter().enumerate() {
            let request = case.request(op);
            // The first of those whose question it is.
            let is_asked = |answers: &&Answers<'_>| !is_not_its_own(&answers.outcomes[index]);
            let mut asked = answers.iter().filter(is_asked);
            let Some(first) = asked.next() else { continue };
            let outcome = &first.outcomes[index];
            bench.single(op, speaker(answers, first, index), outcome, request);
            bench.summary.steps += outcome.steps();
            if let Outcome::Life(life) = outcome {
                bench.summary.lives.count_changes(life);
            }
            let before = bench.summary.comparisons;
            for other in asked {
                bench.pair(op, index, request, (first, other), speaker(answers, other, index));
            }
            if op.is_shared() {
                *bench.summary.calls.entry(op).or_default() += bench.summary.comparisons - before;
            }
        }
        let mut asked = answers.iter().filter(|answers| !answers.outcomes.iter().all(is_not_its_own)).peekable();
        let is_reached = asked.peek().is_some();
        let reached = |answers: &Answers<'_>| answers.outcomes.iter().any(was_asked);
        bench.summary.cases += u64::from(is_reached && asked.all(reached));
        bench.found
    }

    fn promises_of(&self, case: &Case) -> Promises {
        let Some(scenario) = scenario_of(case) else { return Promises::default() };
        let promises = match &self.promises {
            Some((model, promises)) if Arc::ptr_eq(model, &scenario.model) => *promises,
            _ => self.judge.promises(&scenario.model),
        };
        let standing = match promises.standing {
            Standing::Held if !scenario.is_fair(case.dialect) => Standing::Waived,
            standing => standing,
        };
        let idempotent = promises.claims.idempotent && !scenario.ignores_changes() && standing == Standing::Held;
        Promises { claims: Claims { idempotent, ..promises.claims }, standing }
    }
}

/// Whether the question is not one for this subject, so that its silence says nothing.
fn is_not_its_own(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::LeftOut(LeftOut::NotAsked))
}

/// Whether a subject was asked at all. A life of which not even the first walk could be asked is none.
fn was_asked(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::LeftOut(_) => false,
        Outcome::Life(life) => !life.is_unasked(),
        Outcome::Workspace(_) => workspace::was_asked(outcome).unwrap_or(false),
        _ => true,
    }
}

/// Who answers, as far as it matters to a verdict on the answer.
#[derive(Clone, Copy)]
struct Speaker<'a> {
    name: &'a str,
    shown: Shown,
    /// Whether a planner refuses the very call in which it crashed.
    is_crash_foretold: bool,
}

impl Speaker<'_> {
    /// Whether it is a real engine: what it does may be known of it. Of no planner of ours anything is.
    fn is_engine(&self) -> bool {
        self.shown == Shown::Observed
    }
}

fn speaker<'a>(answers: &[Answers<'a>], of: &Answers<'a>, index: usize) -> Speaker<'a> {
    let crashed = &of.outcomes[index];
    let planners = answers.iter().filter(|answers| answers.shown < Shown::Observed);
    let is_crash_foretold = match crashed {
        Outcome::Crashed { foretold: true, .. } => true,
        Outcome::Crashed { .. } | Outcome::Life(_) => {
            planners.into_iter().any(|planner| foretells(&planner.outcomes[index], crashed))
        }
        _ => false,
    };
    Speaker { name: of.subject, shown: of.shown, is_crash_foretold }
}

/// Whether a planner refuses the call in which another subject crashed: of a life, the same walk of the same step.
fn foretells(planned: &Outcome, crashed: &Outcome) -> bool {
    match (planned, crashed) {
        (Outcome::Refused(_), Outcome::Crashed { .. }) => true,
        (Outcome::Life(planned), Outcome::Life(crashed)) if planned.steps.len() == crashed.steps.len() => {
            match (planned.stopped.as_deref(), crashed.stopped.as_deref()) {
                (Some(planned), Some(crashed)) => {
                    planned.walk == crashed.walk
                        && matches!(planned.halt, Halt::Refused(_))
                        && matches!(crashed.halt, Halt::Crashed { .. })
                }
                _ => false,
            }
        }
        _ => false,
    }
}

fn scenario_of(case: &Case) -> Option<&Scenario> {
    match &case.task {
        Task::Call(Call::Scenario(scenario)) => Some(scenario),
        Task::Merge(_) | Task::Call(_) => None,
    }
}

/// Whether a provider that was made to break nothing did. What is imported is the user's choice (I55).
fn is_breach_of_promise(broken: &BrokenInvariant) -> bool {
    broken.fault == Party::Provider && !broken.tolerated && broken.invariant != "I55"
}

/// Whether a provider cannot help it: where nothing is left to do by the time of the apply, the SDK answers the prior object whatever
/// it planned before (N15).
fn is_natural(life: &Life, broken: &BrokenInvariant) -> bool {
    let is_of_provider = broken.fault == Party::Provider && broken.invariant == "I20";
    is_of_provider && life.steps.get(broken.step).is_some_and(Life::dissolves)
}

fn in_words(broken: &BrokenInvariant) -> String {
    let BrokenInvariant { invariant, step, walk, path, message, fault, reported_as, is_reported, .. } = broken;
    let walk = match walk {
        planfuzz_rules::Walk::Plan => "plan",
        planfuzz_rules::Walk::Apply => "apply",
    };
    let reported = match (fault, reported_as, is_reported) {
        (Party::Provider, Some(summary), false) => format!(", and {summary:?} is not reported"),
        (Party::Provider, Some(summary), true) => format!(", which may be, but {summary:?} is reported"),
        _ => String::new(),
    };
    format!("{invariant} in step {}, {walk}, at {:?}: {message}{reported}", step + 1, path.to_string())
}

/// How signatures name the provider of a life.
const PROVIDER: &str = "provider";

/// Why what a legacy provider breaks is tolerated.
const LEGACY: &str = "a provider of the legacy type system";

/// What engines do not show: what expressions see.
const UNSHOWN: &str = "I43";

/// Why a difference of types alone is tolerated where an answer came over a line.
const UNWRITTEN: &str = "a type that formats.md cannot write";

/// One case on the bench.
struct Bench<'a, 's> {
    judge: &'a Judge,
    dialect: Dialect,
    /// What is asked, if it is one operation.
    call: Option<&'a Call>,
    schema: Option<&'s Schema>,
    rules: Option<&'a Held<'s>>,
    promises: Promises,
    summary: &'a mut Summary,
    found: Vec<Found>,
}

/// A summary as signatures have it.
fn in_a_word(summary: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    summary.chars().map(plain).collect()
}

impl Bench<'_, '_> {
    /// What one outcome says alone: crash, time, what was not asked, broken rules.
    fn single(&mut self, op: Op, who: Speaker<'_>, outcome: &Outcome, request: Option<Request<'_>>) {
        match outcome {
            Outcome::Crashed { site, message, .. } => self.crash(op, who, site, message),
            Outcome::OverBudget { limit } => self.over_budget(op, who, *limit),
            Outcome::LeftOut(LeftOut::NotAsked) => {}
            Outcome::LeftOut(reason) => self.summary.leave_out(who.name, reason.reason()),
            Outcome::Value(value) => self.check(op, who, request, Answered::Value(value)),
            Outcome::Paths(paths) => self.check(op, who, request, Answered::Violations(paths)),
            Outcome::Refused(_) => self.check(op, who, request, Answered::Refused),
            Outcome::Life(life) => self.single_life(op, who, life),
            Outcome::Workspace(answer) => self.single_workspace(op, who, answer),
            Outcome::Want(_) => {}
        }
    }

    fn check(&mut self, op: Op, who: Speaker<'_>, request: Option<Request<'_>>, answer: Answered<'_>) {
        let (Some(Held::Answer(rules)), Some(request)) = (self.rules, request) else {
            return;
        };
        let checked = rules.check(request, answer);
        self.summary.checks += checked.checks;
        if checked.broken.is_empty() {
            return;
        }
        let is_right_as_written = who.shown > Shown::Whole && self.is_right_as_written(request, answer);
        for broken in checked.broken {
            let kind = format!("rule_broken:{}", broken.rule);
            let message = format!("{} at {:?}: {}", broken.rule, broken.path.to_string(), broken.message);
            let signature = self.signature(op, kind, Some(&Place::Path(broken.path)), who.name.to_owned());
            let verdict = match is_right_as_written {
                true => Verdict::Tolerated { signature, name: None, reason: UNWRITTEN.to_owned() },
                false => Verdict::RuleBroken { signature, message },
            };
            self.report_of(who.is_engine(), op, verdict);
        }
    }

    /// Whether an answer that came over a line and breaks a rule is what the reference answers, but for types that formats.md
    /// cannot write: then it is the line that broke it.
    fn is_right_as_written(&self, request: Request<'_>, answer: Answered<'_>) -> bool {
        let (Answered::Value(found), Some(schema)) = (answer, self.schema) else {
            return false;
        };
        let right = answer_request(&*Reference.prepare(schema, self.dialect), request);
        let found = Outcome::Value(found.clone());
        difference(&right, &found).is_some_and(|difference| self.is_unwritten(&difference, (&right, &found)))
    }

    fn pair(
        &mut self,
        op: Op,
        index: usize,
        request: Option<Request<'_>>,
        (first_answers, other_answers): (&Answers<'_>, &Answers<'_>),
        who: Speaker<'_>,
    ) {
        let (first_name, other_name) = (first_answers.subject, other_answers.subject);
        let (first, other) = (&first_answers.outcomes[index], &other_answers.outcomes[index]);
        let shown = first_answers.shown.max(other_answers.shown);
        if let (Outcome::Life(first), Outcome::Life(other)) = (first, other) {
            return self.pair_of_lives(op, (first_name, first), (who, other), shown);
        }
        if let (Outcome::Workspace(first), Outcome::Workspace(other)) = (first, other) {
            return self.pair_of_workspaces(op, (first_name, first), (who, other));
        }
        if !other.is_answer() || !first.is_answer() {
            return self.single(op, who, other, request);
        }
        self.summary.comparisons += 1;
        let both = self.call.map(|call| in_one_form(call, (first, other), self.dialect));
        let (first, other) = both.as_ref().map_or((first, other), |(first, other)| (&**first, &**other));
        let verdict = match difference(first, other) {
            None if matches!(first, Outcome::Refused(_)) => Verdict::BothRefuse,
            None => Verdict::Agree,
            Some(difference) => {
                let kind = format!("diverge:{}", difference.class.name());
                let subjects = format!("{first_name}/{other_name}");
                let signature = self.signature(op, kind, Some(&difference.path), subjects);
                self.single(op, who, other, request);
                if shown > Shown::Whole && self.is_unwritten(&difference, (first, other)) {
                    Verdict::Tolerated { signature, name: None, reason: UNWRITTEN.to_owned() }
                } else {
                    Verdict::Diverge { signature, difference }
                }
            }
        };
        self.report_of(shown == Shown::Observed, op, verdict);
    }

    /// Compares lives: each walk is a comparison.
    fn pair_of_lives(&mut self, op: Op, first: (&str, &Life), other: (Speaker<'_>, &Life), shown: Shown) {
        let declared = self.schema.filter(|_| shown > Shown::Whole).map(|schema| schema.implied_type(self.dialect));
        let version = self.schema.map(|schema| schema.version);
        let view = View { shown, declared: declared.as_ref(), version };
        let subjects = format!("{}/{}", first.0, other.0.name);
        let signed = |bench: &Self, difference: &Difference| {
            let kind = format!("diverge:{}", difference.class.name());
            bench.signature(op, kind, Some(&difference.path), subjects.clone())
        };
        let is_engine = shown == Shown::Observed;
        let excuses = |difference: &Difference| self.is_excused(is_engine, &signed(self, difference));
        let compared = compare_past(first.1, other.1, view, &excuses);
        let Compared { alike, both_refuse, unwritten, passed, difference } = compared;
        let is_different = difference.is_some() || !passed.is_empty();
        self.summary.comparisons += alike + passed.len() as u64 + u64::from(both_refuse || difference.is_some());
        (0..alike).for_each(|_| self.report(op, Verdict::Agree));
        if both_refuse {
            self.report(op, Verdict::BothRefuse);
        }
        for _ in 0..unwritten {
            let signature = self.signature(op, "diverge:type".to_owned(), None, subjects.clone());
            self.report(op, Verdict::Tolerated { signature, name: None, reason: UNWRITTEN.to_owned() });
        }
        for difference in passed.into_iter().chain(difference) {
            let signature = signed(self, &difference);
            self.report_of(is_engine, op, Verdict::Diverge { signature, difference });
        }
        if is_different || !other.1.is_whole() {
            self.single_life(op, other.0, other.1);
        } else if other.0.is_engine() {
            self.hold_foretold(op, other.0, other.1);
        }
    }

    /// What a life says alone: how it ended, and which rules it breaks.
    fn single_life(&mut self, op: Op, who: Speaker<'_>, life: &Life) {
        self.hold(op, who, life);
        let Some(stopped) = &life.stopped else { return };
        match &stopped.halt {
            // As it should where the engine crashes.
            Halt::Refused(_) => {}
            Halt::Crashed { site, message } => self.crash(op, who, site, message),
            Halt::OverBudget { limit } => self.over_budget(op, who, *limit),
            Halt::LeftOut(reason) => self.summary.leave_out(who.name, reason),
        }
    }

    /// Holds the invariants against the steps that a life came to. What a provider breaks is nobody's finding where the
    /// planner reports it, or may pass over it; but a provider that was made to break nothing must not.
    fn hold(&mut self, op: Op, who: Speaker<'_>, life: &Life) {
        let Some(Held::Life(rules)) = self.rules else { return };
        let promises = self.promises.in_life(life);
        self.summary.lives.count_promises(promises.standing);
        let mut held = rules.check(&life.steps, promises.claims);
        if who.is_engine() {
            held.leave_out(UNSHOWN);
            self.report_foretold(op, who, std::mem::take(&mut held.foretold));
        }
        self.summary.checks += held.checks.iter().sum::<u64>();
        self.summary.lives.count_checks(&held.checks);
        for broken in held.broken.into_iter().filter(|broken| !is_natural(life, broken)) {
            let is_broken_promise = promises.standing == Standing::Held && is_breach_of_promise(&broken);
            let blamed = self.judge.blames(&broken, who.name).or(is_broken_promise.then(|| PROVIDER.to_owned()));
            let Some(subjects) = blamed else {
                continue;
            };
            let kind = format!("rule_broken:{}", broken.invariant);
            let by_whom = if is_broken_promise { "; the provider is well-behaved" } else { "" };
            let message = in_words(&broken) + by_whom;
            let path = Place::Text(broken.path.to_string());
            let is_tolerated = broken.tolerated && subjects == PROVIDER;
            let is_of_subject = subjects == who.name;
            let signature = self.signature(op, kind, Some(&path), subjects);
            let verdict = match is_tolerated {
                true => Verdict::Tolerated { signature, name: None, reason: LEGACY.to_owned() },
                false => Verdict::RuleBroken { signature, message },
            };
            self.report_of(who.is_engine() && is_of_subject, op, verdict);
        }
    }

    /// Reports what an engine breaks, and a planner of its dialect with it: what the planner does is right, what the engine does is not.
    fn hold_foretold(&mut self, op: Op, who: Speaker<'_>, life: &Life) {
        let Some(Held::Life(rules)) = self.rules else { return };
        let held = rules.check(&life.steps, self.promises.in_life(life).claims);
        self.report_foretold(op, who, held.foretold);
    }

    fn report_foretold(&mut self, op: Op, who: Speaker<'_>, foretold: Vec<BrokenInvariant>) {
        for broken in foretold {
            let kind = format!("rule_broken:{}", broken.invariant);
            let message = in_words(&broken) + "; a planner of the dialect foretells it";
            let path = Place::Text(broken.path.to_string());
            let signature = self.signature(op, kind, Some(&path), who.name.to_owned());
            self.report_of(true, op, Verdict::RuleBroken { signature, message });
        }
    }

    fn crash(&mut self, op: Op, who: Speaker<'_>, site: &str, message: &str) {
        let signature = self.signature(op, format!("crash:{site}"), None, who.name.to_owned());
        let message = format!("{} at {site}: {message}", who.name);
        self.report_of(who.is_engine() && who.is_crash_foretold, op, Verdict::Crash { signature, message });
    }

    /// An engine's time is known of it only where sets nest as deep as it is known to be slow with.
    fn over_budget(&mut self, op: Op, who: Speaker<'_>, limit: Duration) {
        let signature = self.signature(op, "over_budget".to_owned(), None, who.name.to_owned());
        let message = format!("{} did not answer within {} ms", who.name, limit.as_millis());
        let is_foretold = who.is_engine() && self.schema.is_some_and(nested_sets::are_deep);
        self.report_of(is_foretold, op, Verdict::OverBudget { signature, message });
    }

    /// Whether a difference is one of types alone that the notation of formats.md cannot tell: that of a null or unknown
    /// or empty collection whose declared element type has `dynamic` inside. An answer that came over a line cannot have it.
    fn is_unwritten(&self, found: &Difference, (first, other): (&Outcome, &Outcome)) -> bool {
        // Empty sets differ by their types alone, too.
        let (Outcome::Value(first), Outcome::Value(other), Class::Type | Class::Elements) = (first, other, found.class)
        else {
            return false;
        };
        let declared = self.schema.map(|schema| schema.implied_type(self.dialect));
        // S34: nor can optional markers be written.
        let unmarked = |value: &Value| Value::from_parts(value.ty().strip_optional(), value.node().clone());
        declared.is_some_and(|ty| unmarked(first).to_json(&ty) == unmarked(other).to_json(&ty))
    }

    /// Whether a finding of this signature is allowed, or known of an engine.
    fn is_excused(&self, is_of_engine: bool, signature: &Signature) -> bool {
        let is_known = || is_of_engine && self.judge.known.find(signature, self.dialect).is_some();
        self.judge.allowances.reason(&signature.to_string()).is_some() || is_known()
    }

    fn signature(&self, op: Op, kind: String, place: Option<&Place>, subjects: String) -> Signature {
        let place = match (place, self.schema) {
            (Some(place), Some(schema)) => kind_of_place(&schema.block, place),
            (Some(Place::Text(summary)), None) => in_a_word(summary),
            _ => "root".to_owned(),
        };
        Signature { op, kind, place, subjects }
    }

    /// Reports a verdict, on what an engine did if so: then it may be known of it.
    fn report_of(&mut self, is_of_engine: bool, op: Op, verdict: Verdict) {
        let known = is_of_engine.then_some(&self.judge.known);
        let verdict = match known {
            Some(known) => known.excuse(verdict, self.dialect),
            None => verdict,
        };
        self.report(op, verdict);
    }

    /// Counts a verdict, and keeps it where it is a finding that no allowance expects.
    fn report(&mut self, op: Op, verdict: Verdict) {
        let verdict = self.judge.allowances.tolerate(verdict);
        self.summary.tally.count(&verdict);
        if let Verdict::Tolerated { signature, name, .. } = &verdict {
            self.summary.tolerate(name.as_deref(), signature);
        }
        if verdict.signature().is_some() {
            self.found.push(Found { op, verdict });
        }
    }
}
