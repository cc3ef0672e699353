//! Shared by all laws: a step after the last one in which nothing else happens, and what is compared of it.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::fmt::Display;

use planfuzz_core::address::{AbsResourceInstance, ResourceMode};
use planfuzz_core::json::Json;
use planfuzz_core::plans::Mode;
use planfuzz_workspace::canonical;
use planfuzz_workspace::run::plan_json;
use planfuzz_workspace::{Call, Made, Options, Request, State, Trace, Workspace, WorkspacePlanner};

use crate::case::{Case, Command, sources};
use crate::model::{RemoteEvents, Simulated};
use crate::play::{PlayedStep, step_of};

/// What an apply stores anew although nothing changes (U91, U99).
const RENEWED: [&str; 4] = ["dependencies", "create_before_destroy", "provider", "sensitive_attributes"];

/// A played case, and its planner.
pub(super) struct PlayedCase<'a> {
    pub(super) case: &'a Case,
    pub(super) first: &'a PlayedStep,
    pub(super) last: &'a PlayedStep,
    pub(super) planner: &'a dyn WorkspacePlanner,
    /// Why the plan or the state of a step cannot be written, the first time that this happens.
    pub(super) unwritten: OnceCell<String>,
}

/// A step that a law runs to see its result: fields that the law does not set are as at the end of the case.
pub(super) struct Then {
    pub(super) files: BTreeMap<String, Json>,
    pub(super) state: Option<State>,
    pub(super) options: Options,
    pub(super) events: RemoteEvents,
}

/// What a planner did, with everything sorted that has no order.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct StepRecord {
    pub(super) plan: Option<Json>,
    pub(super) diagnostics: Vec<String>,
    pub(super) calls: Calls,
    pub(super) state: Option<Json>,
}

/// The calls of a step with their visits, sorted by visit. Those of one visit have no order.
#[derive(Clone, Debug)]
pub(super) struct Calls(Vec<(String, Call)>);

impl Calls {
    fn of<'m>(made: impl Iterator<Item = &'m Made>) -> Calls {
        let mut calls: Vec<_> = made.map(|made| (made.visit.clone(), made.call.clone())).collect();
        calls.sort_by(|(one, _), (other, _)| one.cmp(other));
        Calls(calls)
    }

    fn texts(&self) -> Vec<String> {
        let mut texts: Vec<String> = self.0.iter().map(|(visit, call)| format!("{visit} {call:?}")).collect();
        texts.sort();
        texts
    }
}

impl PartialEq for Calls {
    /// Most often calls of one visit come in one order, too. Only otherwise are they sorted, which takes a text of each.
    fn eq(&self, other: &Calls) -> bool {
        self.0.len() == other.0.len() && (self.0 == other.0 || self.texts() == other.texts())
    }
}

impl PlayedCase<'_> {
    /// A step after the last one.
    pub(super) fn then(&self) -> Then {
        let options = Options { variables: self.last.workspace.options.variables.clone(), ..Options::default() };
        Then {
            files: self.last.files.clone(),
            state: self.last.after().cloned(),
            options,
            events: RemoteEvents::default(),
        }
    }

    /// The last step once more, from what it began with.
    pub(super) fn instead(&self) -> Then {
        Then {
            files: self.last.files.clone(),
            state: self.last.workspace.state.clone(),
            options: self.last.workspace.options.clone(),
            events: self.last.providers.events.clone(),
        }
    }

    pub(super) fn workspace(&self, then: &Then) -> Option<(Workspace, Simulated)> {
        let mut workspace = self.last.workspace.clone();
        workspace.sources = sources(&then.files).ok()?;
        workspace.state.clone_from(&then.state);
        workspace.options = then.options.clone();
        let mut providers = self.last.providers.clone();
        providers.events = then.events.clone();
        Some((workspace, providers))
    }

    /// Runs a step on a planner.
    pub(super) fn done_by(&self, planner: &dyn WorkspacePlanner, then: &Then, command: Command) -> Option<PlayedStep> {
        let (workspace, providers) = self.workspace(then)?;
        Some(step_of(then.files.clone(), workspace, providers, command, planner))
    }

    pub(super) fn planned(&self, then: &Then) -> Option<PlayedStep> {
        self.done_by(self.planner, then, Command::Plan)
    }

    /// An apply from end to end; `None` if something stood in the way.
    pub(super) fn applied(&self, then: &Then) -> Option<PlayedStep> {
        self.done_by(self.planner, then, Command::Apply).filter(is_fine)
    }

    /// Whether the last step was a normal apply of everything in which nothing happened outside, from end to end.
    pub(super) fn is_whole(&self) -> bool {
        let last = self.last;
        let is_fine = last.applied.as_ref().is_some_and(|applied| applied.exit() == 0);
        is_plain(&last.workspace.options) && is_fine && last.providers.events == RemoteEvents::default()
    }

    /// Whether the last step was whole, and an apply after it has nothing to do.
    pub(super) fn is_settled(&self) -> bool {
        self.is_whole() && self.planned(&self.then()).is_some_and(|step| step.planned.exit() == 0)
    }

    /// K: whether the stored objects equal those of an apply from nothing, so that no value depends on the history.
    pub(super) fn is_as_new(&self) -> bool {
        let fresh = self.applied(&Then { state: None, ..self.then() });
        fresh.is_some_and(|fresh| self.objects(fresh.after()) == self.objects(self.then().state.as_ref()))
    }

    /// Objects and outputs as they are stored.
    pub(super) fn stored(&self, state: Option<&State>) -> Option<Json> {
        let workspace = &self.last.workspace;
        let json = self.written(state?.to_json(&workspace.schemas, workspace.dialect))?;
        Some(without(&canonical(&json), &["check_results"]))
    }

    /// A document; `None`, and noted, if there is none: two steps that cannot be written are not the same.
    fn written<E: Display>(&self, document: Result<Json, E>) -> Option<Json> {
        document.map_err(|problem| self.unwritten.get_or_init(|| problem.to_string())).ok()
    }

    /// [`stored`](Self::stored) without what a plan without changes may renew, or a targeted plan may not find: dependencies, flags,
    /// providers, marks, and data resources.
    pub(super) fn objects(&self, state: Option<&State>) -> Option<Json> {
        let mut managed = state?.clone();
        managed
            .resources
            .retain(|address, stored| address.resource.mode == ResourceMode::Managed && !stored.instances.is_empty());
        // Sorted again: the removed members may have determined the order.
        Some(canonical(&without(&self.stored(Some(&managed))?, &RENEWED)))
    }

    /// What a step did.
    pub(super) fn record_of(&self, step: &PlayedStep) -> StepRecord {
        let (schemas, dialect) = (&self.last.workspace.schemas, self.last.workspace.dialect);
        let plan = step.planned.plan.as_ref().and_then(|plan| self.written(plan_json(plan, schemas, dialect)));
        let applied = step.applied.as_ref();
        let diagnostics =
            step.planned.diagnostics.iter().chain(applied.iter().flat_map(|applied| &applied.diagnostics));
        let mut diagnostics: Vec<String> = diagnostics.map(|one| format!("{one:?}")).collect();
        diagnostics.sort();
        let made = step.planned.trace.calls.iter().chain(applied.iter().flat_map(|applied| &applied.trace.calls));
        let calls = Calls::of(made);
        let left = applied.map(|applied| &applied.state).or(step.written.as_ref());
        let state = left.and_then(|state| self.written(state.to_json(schemas, dialect)));
        StepRecord {
            plan: plan.map(|plan| canonical(&plan)),
            diagnostics,
            calls,
            state: state.map(|state| canonical(&state)),
        }
    }
}

/// Whether options ask for a normal plan of everything.
pub(super) fn is_plain(options: &Options) -> bool {
    let takes_all = !options.is_selective() && options.replace.is_empty();
    options.mode == Mode::Normal && takes_all
}

/// Whether nothing stood in the way; an apply that had nothing to do counts, too.
pub(super) fn is_fine(step: &PlayedStep) -> bool {
    !step.planned.is_errored() && step.applied.as_ref().is_none_or(|applied| applied.exit() == 0)
}

/// Whether a call asks for a change.
pub(super) fn mutates(trace: &Trace) -> bool {
    trace.calls.iter().any(|made| matches!(made.call.request, Request::Apply { .. }))
}

/// The changes of a plan in words; `None` if it has an error.
pub(super) fn changes_of(step: &PlayedStep) -> Option<Vec<String>> {
    let plan = step.planned.plan.as_ref().filter(|_| !step.planned.is_errored())?;
    let change = |change: &planfuzz_core::plans::AddressedChange| {
        // The key of a deposed object depends on the order of visits.
        format!("{} {} {:?}", change.addr, change.deposed().is_some(), change.action())
    };
    let mut changes: Vec<String> = plan.changes.iter().map(change).collect();
    changes.sort();
    Some(changes)
}

/// The instances of managed resources that a state has a current object of.
pub(super) fn current(state: Option<&State>) -> Vec<AbsResourceInstance> {
    let instances = state.into_iter().flat_map(State::instances);
    let there = instances
        .filter(|(address, _, instance)| address.resource.mode == ResourceMode::Managed && instance.current.is_some());
    there.map(|(address, ..)| address).collect()
}

/// A document without some members, everywhere.
fn without(json: &Json, names: &[&str]) -> Json {
    match json {
        Json::Array(items) => Json::Array(items.iter().map(|item| without(item, names)).collect()),
        Json::Object(members) => {
            let kept = members.iter().filter(|(name, _)| !names.contains(&&**name));
            Json::Object(kept.map(|(name, value)| (name.clone(), without(value, names))).collect())
        }
        other => other.clone(),
    }
}
