//! Checks whether a run kept the promises.
//!
//! A check only looks at answers and plans nothing. Each check is counted, so that a promise that was never tried is visible. An answer with
//! an error, and a missing answer, is not checked any further.

mod identity;

use std::collections::{BTreeMap, BTreeSet};

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{Exchange, PlanAnswer, PlanChange, Planner as _, RawState, Remark, Severity, StepTrace};
use planfuzz_core::plans::Action;
use planfuzz_core::value::{Path, Value, WrittenPath};
use planfuzz_engine::plugin::{CallError, ProviderDiagnostic};
use planfuzz_reference::Reference;
use planfuzz_rules::{Claims, INVARIANTS, Lifecycle, Party};

use crate::place::{at, difference, is_write_only, lost_step, plain, text};
use crate::play::{Played, Step, is_error};
use crate::promise::{self, is_providers};
use crate::script::{Act, Script};

/// A promise that was not kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// The promise.
    pub promise: &'static str,
    /// The place in the object, without indexes and keys.
    pub place: String,
    /// The expected and the found value.
    pub message: String,
    /// Whether engines let it pass.
    pub tolerated: bool,
}

/// The result of judging a run.
#[derive(Clone, Debug, Default)]
pub struct Judged {
    /// How often each promise was tried.
    pub tried: BTreeMap<&'static str, u64>,
    /// The broken ones.
    pub breaches: Vec<Breach>,
}

/// Judges a run.
pub fn judge(script: &Script, played: &Played, dialect: Dialect) -> Judged {
    let mut judge = Judge { script, played, dialect, judged: Judged::default() };
    judge.answers();
    judge.invariants();
    judge.same_answers();
    judge.exchanges();
    judge.steps();
    judge.diagnostics();
    judge.identities();
    judge.judged
}

struct Judge<'a> {
    script: &'a Script,
    played: &'a Played,
    dialect: Dialect,
    judged: Judged,
}

impl Judge<'_> {
    fn hold(&mut self, promise: &'static str, holds: bool, breach: impl FnOnce() -> (String, String)) {
        *self.judged.tried.entry(promise).or_default() += 1;
        if !holds {
            let (place, message) = breach();
            self.judged.breaches.push(Breach { promise, place, message, tolerated: false });
        }
    }

    fn answers(&mut self) {
        let played = self.played;
        for entry in &played.call_log {
            let trouble = match &entry.trouble {
                // The question was not sent, or the provider does not run.
                Some(CallError::Unsendable(_) | CallError::Ended | CallError::Gone(_)) => continue,
                trouble => trouble,
            };
            self.hold(promise::ANSWERS, trouble.is_none(), || {
                let call = entry.exchange.name();
                (call.to_owned(), trouble.as_ref().map_or_else(String::new, |it| format!("{call}: {it}")))
            });
        }
        if !played.call_log.is_empty() {
            let refusal = played.refusal.as_ref();
            self.hold(promise::NO_CRASH, refusal.is_none(), || {
                refusal.map_or_else(Default::default, |it| (it.path.to_string(), it.to_string()))
            });
        }
    }

    /// Checks the invariants of lifecycle.md.
    fn invariants(&mut self) {
        let run: Vec<StepTrace> = self.played.steps.iter().map(|step| step.trace.clone()).collect();
        let claims = Claims { idempotent: self.script.applies(), deterministic: true };
        let held = Lifecycle::new(&self.script.schema, self.dialect).check(&run, claims);
        for (index, count) in
            held.checks.iter().enumerate().filter(|(index, count)| is_providers(*index) && **count > 0)
        {
            *self.judged.tried.entry(INVARIANTS[index].id).or_default() += count;
        }
        for broken in held.broken {
            let promise = match broken.fault {
                // `same-answer` covers this for all answers, not only for consecutive ones.
                _ if broken.invariant == "I47" && broken.fault == Party::Provider => continue,
                // After a question without an answer, the fault cannot be assigned.
                _ if self.played.broken.is_some() => continue,
                Party::Provider | Party::Either => broken.invariant,
                Party::Core => promise::CORE,
            };
            let message = match promise {
                promise::CORE => format!("{}: {}", broken.invariant, broken.message),
                _ => broken.message,
            };
            let breach = Breach { promise, place: plain(&broken.path), message, tolerated: broken.tolerated };
            self.judged.breaches.push(breach);
        }
    }

    fn same_answers(&mut self) {
        let played = self.played;
        let plans: Vec<(&PlanChange, &PlanAnswer)> = played
            .call_log
            .iter()
            .filter(|entry| entry.trouble.is_none())
            .filter_map(|entry| match &entry.exchange {
                Exchange::Plan(asked, answer) => Some((asked, answer)),
                _ => None,
            })
            .collect();
        for (index, (asked, answer)) in plans.iter().enumerate() {
            let same = |(other, _): &&(&PlanChange, &PlanAnswer)| {
                asked.prior == other.prior
                    && asked.config == other.config
                    && asked.proposed == other.proposed
                    && asked.private == other.private
            };
            let Some((_, before)) = plans[..index].iter().find(same) else { continue };
            // To engines the paths are a set, and some libraries return them in the order of a map.
            let paths = |of: &PlanAnswer| -> BTreeSet<String> { of.requires_replace.iter().map(plain).collect() };
            let (old, new) = (paths(before), paths(answer));
            self.hold(promise::SAME_ANSWER, before.planned == answer.planned && old == new, || {
                if before.planned != answer.planned {
                    return difference(&before.planned, &answer.planned);
                }
                (String::new(), format!("expected replacement to be required by {old:?}, found {new:?}"))
            });
        }
    }

    fn exchanges(&mut self) {
        let played = self.played;
        for entry in played.call_log.iter().filter(|entry| entry.trouble.is_none() && !is_error(&entry.exchange)) {
            match &entry.exchange {
                Exchange::Upgrade(asked, answer) => {
                    let RawState::Value(stored) = &asked.state else { continue };
                    if asked.version == self.script.schema.version {
                        let holds = *stored == answer.upgraded;
                        self.hold(promise::UPGRADE_IDENTITY, holds, || difference(stored, &answer.upgraded));
                    }
                }
                Exchange::Plan(asked, answer) if !asked.prior.is_null() && !asked.config.is_null() => {
                    self.replacements(asked, answer);
                }
                _ => {}
            }
        }
    }

    /// Engines drop a path that does not change (I13).
    fn replacements(&mut self, asked: &PlanChange, answer: &PlanAnswer) {
        for path in &answer.requires_replace {
            let (Some(before), Some(after)) = (at(asked.prior.view(), path), at(answer.planned.view(), path)) else {
                continue;
            };
            let changes = !after.is_wholly_known()
                || before.to_value() != after.to_value()
                || is_write_only(&self.script.schema, path);
            *self.judged.tried.entry(promise::REPLACE_TRUTH).or_default() += 1;
            if !changes {
                let message = format!("expected a value that changes, found {} as it was", text(&after.to_value()));
                let breach = Breach { promise: promise::REPLACE_TRUTH, place: plain(path), message, tolerated: true };
                self.judged.breaches.push(breach);
            }
        }
    }

    fn steps(&mut self) {
        let played = self.played;
        for (index, step) in played.steps.iter().enumerate() {
            let before = index.checked_sub(1).map(|index| &played.steps[index]);
            if let Some(before) = before {
                self.opened(before, step);
                self.settled(before, step);
            }
            self.applied(step);
            match &self.script.acts[step.act] {
                Act::Import(_) | Act::ImportIdentity(_) => self.imported(step),
                Act::Destroy => self.destroyed(step),
                _ => {}
            }
            self.read_back(step);
        }
    }

    /// A configuration planned with unknown parts, and then with their final values.
    fn opened(&mut self, before: &Step, after: &Step) {
        let acts = &self.script.acts;
        let (Act::Open(of, _), Act::Plan(known)) = (&acts[before.act], &acts[after.act]) else { return };
        if of != known || after.act != before.act + 1 {
            return;
        }
        let (Some(first), Some(second)) = (first_plan(before), first_plan(after)) else { return };
        if before.trace.plan.plan.is_errored() || after.trace.plan.plan.is_errored() || !first.0.prior.is_null() {
            return;
        }
        let prepared = Reference.prepare(&self.script.schema, self.dialect);
        let Ok(found) = prepared.assert_object_compatible(&first.1.planned, &second.1.planned) else { return };
        self.hold(promise::FINAL_PLAN, found.is_empty(), || {
            let path = found.first().map(|it| it.path.clone()).unwrap_or_else(Path::root);
            let shown = |value: &Value| {
                value.view().apply_path(&path).map_or_else(|| "nothing".to_owned(), |it| text(&it.to_value()))
            };
            let message = format!(
                "expected what was planned while parts were unknown, {}, found {}",
                shown(&first.1.planned),
                shown(&second.1.planned)
            );
            (plain(&WrittenPath::from(&path)), message)
        });
    }

    /// The planned object is stored, and planned once more.
    fn settled(&mut self, before: &Step, after: &Step) {
        let acts = &self.script.acts;
        if !after.after_settle || acts[before.act].config() != acts[after.act].config() || is_open(&acts[before.act]) {
            return;
        }
        let Some((asked, answer)) = first_plan(after) else { return };
        if asked.config.is_null() || asked.prior.is_null() {
            return;
        }
        self.hold(promise::SETTLED_PLAN, asked.prior == answer.planned, || difference(&asked.prior, &answer.planned));
    }

    fn applied(&mut self, step: &Step) {
        let Some(apply) = &step.trace.apply else { return };
        for exchange in &apply.exchanges {
            let Exchange::Apply(asked, answer) = exchange else { continue };
            if answer.new_state.is_none() || asked.config.is_null() {
                continue;
            }
            let first = answer.remarks.iter().find(|it| it.severity == Severity::Error);
            self.hold(promise::REFUSED_EARLY, first.is_none(), || {
                let summary = first.map_or_else(String::new, |it| it.summary.to_string());
                (
                    String::new(),
                    format!("expected what validation and plan took to be applied, found the error {summary:?}"),
                )
            });
        }
    }

    fn imported(&mut self, step: &Step) {
        let plan = &step.trace.plan.plan;
        let Some(change) = plan.changes.first().filter(|_| !plan.is_errored()) else { return };
        let change = &change.change;
        let is_empty = change.action == Action::NoOp || change.before.value() == change.after.value();
        self.hold(promise::IMPORT_EMPTY, is_empty, || difference(change.before.value(), change.after.value()));
    }

    /// The last two reads of a run that ends with a destruction.
    fn destroyed(&mut self, step: &Step) {
        let is_absent = step.trace.apply.as_ref().is_some_and(|apply| apply.applied.state.is_absent());
        let is_last = self.played.steps.last().is_some_and(|last| std::ptr::eq(last, step));
        let [.., unknown, gone] = self.played.call_log.as_slice() else { return };
        let (Exchange::Read(_, unknown), Exchange::Read(_, gone), true) = (
            &unknown.exchange,
            &gone.exchange,
            is_absent && is_last && unknown.trouble.is_none() && gone.trouble.is_none(),
        ) else {
            return;
        };
        let is_refused = |remarks: &[Remark]| remarks.iter().any(|it| it.severity == Severity::Error);
        if !unknown.new_state.is_null() || is_refused(&unknown.remarks) || is_refused(&gone.remarks) {
            return;
        }
        let found = gone.new_state.clone();
        self.hold(promise::GONE, found.is_null(), || {
            (String::new(), format!("expected nothing, found {}", text(&found)))
        });
    }

    /// Only these applies change what was applied. The first read after an import completes the object.
    fn read_back(&mut self, step: &Step) {
        if matches!(self.script.acts[step.act], Act::Import(_) | Act::ImportIdentity(_)) {
            return;
        }
        for exchange in &step.trace.plan.exchanges {
            if let Exchange::Read(asked, answer) = exchange
                && !is_error(exchange)
                && !asked.current.is_null()
            {
                self.hold(promise::READ_BACK, asked.current == answer.new_state, || {
                    difference(&asked.current, &answer.new_state)
                });
            }
        }
    }

    fn diagnostics(&mut self) {
        let played = self.played;
        let ty = self.script.schema.implied_type(self.dialect);
        for diagnostic in played.call_log.iter().flat_map(|entry| &entry.diagnostics) {
            if !diagnostic.path.is_root() {
                let lost = lost_step(&ty, &diagnostic.path);
                self.hold(promise::DIAGNOSTIC_PATH, lost.is_none(), || named(diagnostic));
            }
        }
    }
}

fn named(diagnostic: &ProviderDiagnostic) -> (String, String) {
    (
        plain(&diagnostic.path),
        format!("expected a path of the schema, found {} in {:?}", diagnostic.path, diagnostic.summary),
    )
}

fn is_open(act: &Act) -> bool {
    matches!(act, Act::Open(..))
}

/// The first plan of a step without an error.
fn first_plan(step: &Step) -> Option<(&PlanChange, &PlanAnswer)> {
    step.trace.plan.exchanges.iter().find_map(|exchange| match exchange {
        Exchange::Plan(asked, answer) if !is_error(exchange) => Some((asked, answer)),
        _ => None,
    })
}
