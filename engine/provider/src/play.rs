//! Plays a script: the reference planner walks it, and asks a responder.
//!
//! A run that applies nothing reads nothing either: none of its calls needs or changes the provider's remote system. A run that applies
//! something destroys it in the end, whatever happens in between; what could not be destroyed is reported.

use planfuzz_core::address::ResourceKind;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{
    Applied, ApplyRequest, ApplyWalk, Configured, Exchange, Orphan, Plan, PlanOptions, PlanRequest, PlanWalk,
    Planner as _, Prepared, Presence, Provider, ReadResource, Refusal, StepTrace,
};
use planfuzz_core::plans::{Marked, Mode};
use planfuzz_core::state::{InstanceState, Object, Stored};
use planfuzz_core::value::{Text, Value};
use planfuzz_engine::plugin::CallError;
use planfuzz_reference::Reference;

use crate::identity::Identity;
use crate::recorder::Recorder;
use crate::responder::{Entry, Responder};
use crate::script::{Act, Script};
use crate::settle::settle;

/// The id of an import by identity.
const BY_IDENTITY: &str = "(identity)";

/// A played run.
#[derive(Debug)]
pub struct Played {
    /// The steps that were taken.
    pub steps: Vec<Step>,
    /// All questions and answers.
    pub call_log: Vec<Entry>,
    /// Why it broke off, if a question got no answer.
    pub broken: Option<CallError>,
    /// The planner's refusal, if an answer makes engines crash.
    pub refusal: Option<Refusal>,
    /// The object that is left, if it could not be destroyed.
    pub left: Option<Value>,
    /// How many objects were created.
    pub created: u64,
}

/// A step that was taken.
#[derive(Debug)]
pub struct Step {
    /// The act, by its number in the script.
    pub act: usize,
    /// Its requests and answers.
    pub trace: StepTrace,
    /// Whether this step's plan began with a stored object that was only settled.
    pub after_settle: bool,
}

/// Whether a provider's part of an exchange is an error.
pub fn is_error(exchange: &Exchange) -> bool {
    exchange.remarks().iter().any(|remark| remark.is_error())
}

/// Plays a script.
pub fn play(script: &Script, responder: &mut dyn Responder, dialect: Dialect, plan_destroy: bool) -> Played {
    let prepared = Reference.prepare(&script.schema, dialect);
    let recorder = Recorder::new(responder, plan_destroy, script.schema.implied_type(dialect));
    let mut player = Player::new(script, &*prepared, recorder);
    for (number, act) in script.acts.iter().enumerate() {
        if player.take(number, act).is_none() {
            break;
        }
    }
    player.finish()
}

/// Destroys an object; returns it if it is left. The script gives its type.
pub fn destroy(
    script: &Script,
    responder: &mut dyn Responder,
    (dialect, plan_destroy): (Dialect, bool),
    (object, identity): (Object, Option<Value>),
) -> Option<Value> {
    let prepared = Reference.prepare(&script.schema, dialect);
    let recorder = Recorder::new(responder, plan_destroy, script.schema.implied_type(dialect));
    let mut player = Player::new(script, &*prepared, recorder);
    player.state = InstanceState { current: Some(object), ..InstanceState::ABSENT };
    player.recorder.identity = Identity::of(identity);
    player.tidy()
}

struct Player<'s, 't> {
    script: &'s Script,
    prepared: &'s dyn Prepared,
    recorder: Recorder<'t>,
    state: InstanceState,
    steps: Vec<Step>,
    /// The last configuration, if nothing has changed since.
    seen: Option<Value>,
    /// Whether the stored object was never applied.
    settled: bool,
    /// Configurations that were refused, and are not used any more.
    refused: Vec<usize>,
    refusal: Option<Refusal>,
    created: u64,
}

impl<'s, 't> Player<'s, 't> {
    fn new(script: &'s Script, prepared: &'s dyn Prepared, recorder: Recorder<'t>) -> Player<'s, 't> {
        Player {
            script,
            prepared,
            recorder,
            state: InstanceState::ABSENT,
            steps: Vec::new(),
            seen: None,
            settled: false,
            refused: Vec::new(),
            refusal: None,
            created: 0,
        }
    }

    /// Takes one act; `None` if the run ends with it.
    fn take(&mut self, number: usize, act: &Act) -> Option<()> {
        if act.config().is_some_and(|config| self.refused.contains(&config)) {
            return Some(());
        }
        let config = self.script.config_of(act);
        match act {
            Act::Settle => return self.settle(),
            Act::Open(..) | Act::Plan(_) => self.walk(number, config, Mode::Normal, PlanOptions::default(), false)?,
            Act::PlanDestroy => self.walk(number, None, Mode::Destroy, PlanOptions::default(), false)?,
            Act::Apply(_) => self.walk(number, config, Mode::Normal, PlanOptions::default(), true)?,
            Act::Replace(_) => {
                let options = PlanOptions { replace: true, ..PlanOptions::default() };
                self.walk(number, config, Mode::Normal, options, true)?
            }
            Act::Refresh => self.walk(number, self.seen.clone(), Mode::RefreshOnly, PlanOptions::default(), true)?,
            Act::Import(_) | Act::ImportIdentity(_) => return self.import(number, config),
            Act::Destroy => return self.destroy(number),
        }
        Some(())
    }

    fn settle(&mut self) -> Option<()> {
        let last = &self.steps.last()?.trace.plan.plan;
        let change = last.changes.first().filter(|_| !last.is_errored())?;
        let value = settle(change.change.after.value())?;
        let object = Object { private: change.private.clone(), ..Object::ready(value) };
        self.state = InstanceState { current: Some(object), ..InstanceState::ABSENT };
        self.recorder.identity.settle();
        self.seen = None;
        self.settled = true;
        Some(())
    }

    fn import(&mut self, number: usize, config: Option<Value>) -> Option<()> {
        let by = match &self.script.acts[number] {
            Act::ImportIdentity(_) => self.identity().map(|identity| (Text::new(BY_IDENTITY), Some(identity))),
            _ => self.id().map(|id| (id, None)),
        };
        let Some((id, identity)) = by else { return Some(()) };
        identity.into_iter().for_each(|it| self.recorder.identity.import_by(it));
        let before = std::mem::replace(&mut self.state, InstanceState::ABSENT);
        self.seen = None;
        let options = PlanOptions { import: Some(id), ..PlanOptions::default() };
        let walked = self.walk(number, config, Mode::Normal, options, true);
        if self.state.current.is_none() {
            self.state = before;
        }
        walked
    }

    fn destroy(&mut self, number: usize) -> Option<()> {
        let old = self.object();
        self.walk(number, None, Mode::Destroy, PlanOptions::default(), true)?;
        // Reads the destroyed object, and before that one that never existed: a provider that finds even the latter cannot be checked.
        if let Some((current, private)) = old.filter(|_| self.state.is_absent())
            && let Some(other) = with_other_id(&current)
        {
            self.recorder.read(ReadResource { current: other, private: private.clone() });
            self.recorder.read(ReadResource { current, private });
        }
        Some(())
    }

    /// The stored object and its private data.
    fn object(&self) -> Option<(Value, planfuzz_core::state::Private)> {
        let object = self.state.current.as_ref()?;
        match &object.stored {
            Stored::Value(value) => Some((value.clone(), object.private.clone())),
            Stored::Raw { .. } => None,
        }
    }

    /// The id that the stored object is imported by.
    fn id(&self) -> Option<Text> {
        let (value, _) = self.object().filter(|_| self.script.kind() == ResourceKind::Managed)?;
        value.view().member("id")?.as_text().cloned()
    }

    /// The identity that the stored object is imported by.
    fn identity(&self) -> Option<Value> {
        self.object()?;
        self.script.identity.as_ref()?.for_import(self.recorder.identity.stored()?)
    }

    fn walk(
        &mut self,
        number: usize,
        config: Option<Value>,
        mode: Mode,
        options: PlanOptions,
        applies: bool,
    ) -> Option<()> {
        let options = PlanOptions { skip_refresh: !self.script.applies(), ..options };
        let changed_outside = self.seen.is_none() || self.seen != config;
        let request = PlanRequest {
            kind: self.script.kind(),
            mode,
            options: options.clone(),
            state: self.state.clone(),
            presence: presence(config.as_ref()),
        };
        let begun = self.recorder.call_log.len();
        let plan = self.answer(|prepared, recorder| prepared.plan(&request, recorder))?;
        let plan = PlanWalk { request, exchanges: self.exchanges(begun), plan };
        let act = &self.script.acts[number];
        if plan.plan.is_errored() && !matches!(act, Act::Open(..)) {
            self.refused.extend(act.config());
        }
        let is_errored = plan.plan.is_errored();
        let mut trace = StepTrace { changed_outside, plan, apply: None };
        let after_settle = std::mem::take(&mut self.settled);
        if applies && !is_errored && self.recorder.broken.is_none() {
            trace.apply = self.apply(&trace.plan.plan, options, config.as_ref());
        }
        self.steps.push(Step { act: number, trace, after_settle });
        // The same unknown part is the same question only until another question is asked.
        self.seen = config;
        (self.recorder.broken.is_none() && self.refusal.is_none()).then_some(())
    }

    fn apply(&mut self, plan: &Plan, options: PlanOptions, config: Option<&Value>) -> Option<ApplyWalk> {
        let request = ApplyRequest {
            kind: self.script.kind(),
            options,
            state: plan.refreshed.clone(),
            changes: plan.changes.clone(),
            presence: presence(config),
        };
        let begun = self.recorder.call_log.len();
        let applied: Applied = self.answer(|prepared, recorder| prepared.apply(&request, recorder))?;
        let exchanges = self.exchanges(begun);
        let creates = |it: &&Exchange| matches!(it, Exchange::Apply(asked, _) if asked.prior.is_null());
        self.created += exchanges.iter().filter(creates).count() as u64;
        self.state = applied.state.clone();
        Some(ApplyWalk { request, exchanges, applied })
    }

    fn answer<T>(&mut self, ask: impl FnOnce(&dyn Prepared, &mut Recorder<'_>) -> Result<T, Refusal>) -> Option<T> {
        match ask(self.prepared, &mut self.recorder) {
            Ok(answer) => Some(answer),
            Err(refusal) => {
                self.refusal = Some(refusal);
                None
            }
        }
    }

    fn exchanges(&self, begun: usize) -> Vec<Exchange> {
        self.recorder.call_log[begun..].iter().map(|entry| entry.exchange.clone()).collect()
    }

    fn finish(mut self) -> Played {
        let broken = self.recorder.broken.take();
        let refusal = self.refusal.take();
        let left = if self.script.applies() && self.recorder.is_live() { self.tidy() } else { None };
        let Recorder { call_log, .. } = self.recorder;
        Played { steps: self.steps, call_log, broken, refusal, left, created: self.created }
    }

    /// Destroys the object, outside of the run; returns it if it is left.
    fn tidy(&mut self) -> Option<Value> {
        const ATTEMPTS: usize = 3;
        for _ in 0..ATTEMPTS {
            let (value, _) = self.object()?;
            let request = PlanRequest {
                kind: self.script.kind(),
                mode: Mode::Destroy,
                options: PlanOptions { skip_refresh: true, ..PlanOptions::default() },
                state: self.state.clone(),
                presence: presence(None),
            };
            let kept = self.recorder.call_log.len();
            self.recorder.broken = None;
            let plan = self.prepared.plan(&request, &mut self.recorder);
            if let Ok(plan) = plan
                && !plan.is_errored()
            {
                let presence = presence(None);
                let options = request.options.clone();
                let request = ApplyRequest {
                    kind: request.kind,
                    options,
                    state: plan.refreshed,
                    changes: plan.changes,
                    presence,
                };
                if let Ok(applied) = self.prepared.apply(&request, &mut self.recorder) {
                    self.state = applied.state;
                }
            }
            // These calls are not part of the run that is judged.
            self.recorder.call_log.truncate(kept);
            if self.state.is_absent() {
                return None;
            }
            if matches!(self.recorder.broken, Some(CallError::Ended | CallError::Gone(_))) {
                return Some(value);
            }
        }
        self.object().map(|(value, _)| value).or_else(|| Some(Value::null(self.recorder.ty().clone())))
    }
}

/// The object as stored under an id that does not exist.
fn with_other_id(object: &Value) -> Option<Value> {
    object.view().member("id").filter(|id| id.as_text().is_some())?;
    let members = object.view().entries().map(|(name, member)| {
        (name.clone(), if name.as_str() == "id" { Value::string("planfuzz-nobody") } else { member.to_value() })
    });
    Some(Value::object(members.collect()))
}

fn presence(config: Option<&Value>) -> Presence {
    let Some(config) = config else { return Presence::Orphan(Orphan::default()) };
    Presence::Configured(Box::new(Configured::alone(Marked::plain(config.clone()))))
}
