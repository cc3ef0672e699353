//! Laws of several commands in a row: destruction, parts, loss (UL02, UL03, UL07, UL16, UL25, UL27 to UL29, UL32).

use std::collections::BTreeMap;

use planfuzz_core::address::{AbsResourceInstance, InstanceKey};
use planfuzz_core::json::Json;
use planfuzz_core::planner::summary;
use planfuzz_core::plans::{Action, AddressedChange, Mode};
use planfuzz_core::state::{Object, Status};
use planfuzz_core::value::WrittenStep;
use planfuzz_workspace::{Applied, Diagnostic, Options, Plan, Request, Saved, State};

use super::LawResult;
use super::failures::{is_triggered, moves};
use super::played_case::{PlayedCase, StepRecord, Then, changes_of, current, is_plain};
use super::texts::{declared, root_members};
use crate::case::Command;
use crate::model::{How, Outside, RemoteEvents};
use crate::play::{Played, PlayedStep};

/// What a mutating call asks for.
const MAKES: &str = "a creation or an update";
const DROPS: &str = "a deletion";

impl PlayedCase<'_> {
    pub(super) fn destroy(&self) -> Then {
        Then { options: Options { mode: Mode::Destroy, ..self.then().options }, ..self.then() }
    }

    pub(super) fn destroyed(&self) -> LawResult {
        let Some(applied) = self.applied(&self.destroy()).and_then(|step| step.applied) else {
            return LawResult::Silent;
        };
        match applied.state.is_empty() {
            true => LawResult::Holds,
            false => LawResult::Broken("a destruction left something".into()),
        }
    }

    /// UL03: an apply after a destruction does the same as one from nothing.
    pub(super) fn made_again(&self) -> LawResult {
        let Some(destroyed) = self.applied(&self.destroy()).filter(|step| step.applied.is_some()) else {
            return LawResult::Silent;
        };
        let from = |state: Option<State>| self.applied(&Then { state, ..self.then() });
        match (from(None), from(destroyed.after().cloned())) {
            (Some(first), Some(again)) => {
                let record_of = |step: &PlayedStep| StepRecord { plan: None, ..self.record_of(step) };
                let end = |step: &PlayedStep| (record_of(step), changes_of(step));
                LawResult::if_same(
                    &end(&first),
                    &end(&again),
                    "what is made after a destruction is not made as from nothing",
                )
            }
            _ => LawResult::Silent,
        }
    }

    /// UL07: applies each block and call of the root as a target, the last one first; then everything.
    pub(super) fn split_by_targets(&self) -> LawResult {
        let then = self.instead();
        if !is_plain(&then.options) || then.events != RemoteEvents::default() {
            return LawResult::Silent;
        }
        let Some(whole) = self.applied(&then) else { return LawResult::Silent };
        // U24: of a resource that is applied only as a dependency the old object stays deposed.
        let is_late = |action: Action| matches!(action, Action::CreateThenDelete | Action::Read | Action::Forget);
        let plan = whole.planned.plan.as_ref();
        // Another part knows a value that is unknown here, and if it turns out to be the old one, replaces nothing.
        let is_late =
            |change: &AddressedChange| is_late(change.action()) || change.moved() || is_replaced_by_unknown(change);
        // L100: a trigger that fired in one part does not fire in a later one.
        if is_blocked(&whole) || is_triggered(&whole) || plan.is_some_and(|plan| plan.changes.iter().any(is_late)) {
            return LawResult::Silent;
        }
        let mut state = then.state.clone();
        let mut targets = declared(&then.files);
        targets.reverse();
        for target in targets.into_iter().map(|target| vec![target]).chain([Vec::new()]) {
            let options = Options { targets: target, ..then.options.clone() };
            let part = Then { files: then.files.clone(), state, options, events: RemoteEvents::default() };
            let is_rest = part.options.targets.is_empty();
            let Some(done) = self.applied(&part) else { return LawResult::Silent };
            if is_rest && done.applied.iter().any(|applied| succeeded(applied).iter().any(|(_, what)| *what == MAKES)) {
                return LawResult::Broken("after applies of every target there is something to make".into());
            }
            state = done.after().cloned();
        }
        let (one, other) = (self.objects(whole.after()), self.objects(state.as_ref()));
        LawResult::if_same(&one, &other, "applies by target end otherwise than one apply")
    }

    /// UL16
    pub(super) fn taint_replaces(&self) -> LawResult {
        let then = self.then();
        let is_block = |address: &AbsResourceInstance| {
            address.key == InstanceKey::None && super::texts::block(&then.files, address).is_some()
        };
        let Some(address) = current(then.state.as_ref()).into_iter().find(is_block) else { return LawResult::Silent };
        let tainted = then.state.as_ref().map(|state| with_tainted(state, &address));
        let by_taint = self.applied(&Then { state: tainted, ..self.then() });
        let options = Options { replace: vec![address.to_string()], ..then.options.clone() };
        match (by_taint, self.applied(&Then { options, ..then })) {
            (Some(one), Some(other)) => {
                let end = |step: &PlayedStep| (self.stored(step.after()), sorted(step.applied.as_ref()));
                LawResult::if_same(&end(&one), &end(&other), "what is tainted ends otherwise than what is replaced")
            }
            _ => LawResult::Silent,
        }
    }

    /// UL25
    pub(super) fn destroyed_by_parts(&self) -> LawResult {
        let mut then = self.destroy();
        let mut targets: Vec<String> =
            current(then.state.as_ref()).iter().map(|address| address.abs_resource().to_string()).collect();
        targets.dedup();
        // G12: an object that moves again after the refresh before a destruction is not refreshed by a part that does not visit it.
        let is_calm = |step: &PlayedStep| !is_blocked(step) && !moves(step);
        let Some(whole) = self.applied(&then).filter(is_calm) else { return LawResult::Silent };
        let mut legs = Vec::new();
        for target in targets.into_iter().map(|target| vec![target]).chain([Vec::new()]) {
            then.options.targets = target;
            let Some(done) = self.applied(&then) else { return LawResult::Silent };
            legs.extend(sorted(done.applied.as_ref()));
            then.state = done.after().cloned();
        }
        legs.sort();
        // A data resource that the refresh deferred is forgotten; that alone is not applied.
        let is_gone = |state: &State| state.outputs.is_empty() && stored_by_type(state).is_empty();
        match then.state.as_ref().is_none_or(is_gone) {
            true => {
                LawResult::if_same(&sorted(whole.applied.as_ref()), &legs, "a destruction by parts makes other calls")
            }
            false => LawResult::Broken("a destruction by parts left something".into()),
        }
    }

    /// UL27: only the provider configurations stay.
    pub(super) fn empty_destroys(&self) -> LawResult {
        let mut then = self.then();
        let providers = root_members(&then.files, &["provider"]);
        then.files = BTreeMap::from([("main.tf.json".to_owned(), Json::Object(providers))]);
        let is_emptied = |step: &PlayedStep| step.after().is_none_or(State::is_empty);
        let Some(step) = self.applied(&then) else { return LawResult::Silent };
        // U104: a resource without instances leaves nothing to do, but an apply of that saved plan removes it.
        let saved = || self.done_by(self.planner, &then, Command::ApplySaved(Saved::at_once(&then.options)));
        let at_last = if step.applied.is_none() && !is_emptied(&step) { saved() } else { Some(step) };
        match at_last.filter(|step| step.applied.is_some() || is_emptied(step)) {
            None => LawResult::Silent,
            Some(step) if is_emptied(&step) => LawResult::Holds,
            Some(_) => LawResult::Broken("an empty configuration left something".into()),
        }
    }

    /// UL28
    pub(super) fn lost_is_made(&self) -> LawResult {
        self.comes_back(None, "what was lost outside does not come back as it was")
    }

    /// UL29
    pub(super) fn drift_undone(&self) -> LawResult {
        let set = Json::object([("size", Json::int(9))]);
        self.comes_back(Some(set), "drift of a configured value is not undone")
    }

    /// Changes or removes a stored object whose size is configured, and checks that an apply restores it.
    fn comes_back(&self, set: Option<Json>, broken: &str) -> LawResult {
        if !self.is_settled() || !self.is_as_new() {
            return LawResult::Silent;
        }
        let mut then = self.then();
        let Some(name) = self.sized(then.state.as_ref()) else { return LawResult::Silent };
        then.events.outside.push(Outside { name, set });
        let Some(step) = self.applied(&then) else { return LawResult::Silent };
        if step.applied.is_none() {
            return LawResult::Broken("what happens outside is not seen".into());
        }
        let (one, other) = (self.objects(self.then().state.as_ref()), self.objects(step.after()));
        LawResult::if_same(&one, &other, broken)
    }

    /// The name of a stored object of the root whose configured size is not ignored, and whose change replaces nothing else.
    fn sized(&self, state: Option<&State>) -> Option<String> {
        let files = &self.last.files;
        current(state).into_iter().find_map(|address| {
            let block = super::texts::block(files, &address)?;
            let is_ignored = block.member("lifecycle").is_some_and(|of| of.member("ignore_changes").is_some());
            let has_size = matches!(block.member("size"), Some(Json::Number(_)));
            let name = block.member("name")?.expect_string().ok()?;
            // Of a template the object's name is another text.
            let is_itself = !name.contains("${") && !name.contains("%{");
            (has_size && !is_ignored && is_itself && !super::texts::is_trigger(files, &address))
                .then(|| name.to_owned())
        })
    }
}

/// The mutating calls that succeeded: by visit, with their purpose.
pub(super) fn succeeded(applied: &Applied) -> Vec<(String, &'static str)> {
    let of = applied.trace.calls.iter().filter(|made| made.answer.remarks.is_empty());
    let calls = of.filter_map(|made| match &made.call.request {
        Request::Apply { planned, .. } if planned.is_null() => Some((made.visit.clone(), DROPS)),
        Request::Apply { .. } => Some((made.visit.clone(), MAKES)),
        _ => None,
    });
    calls.collect()
}

fn sorted(applied: Option<&Applied>) -> Vec<(String, &'static str)> {
    let mut legs: Vec<_> = applied.into_iter().flat_map(succeeded).collect();
    legs.sort();
    legs
}

fn with_tainted(state: &State, address: &AbsResourceInstance) -> State {
    let mut state = state.clone();
    let instance =
        state.resources.get_mut(&address.abs_resource()).and_then(|stored| stored.instances.get_mut(&address.key));
    if let Some(object) = instance.and_then(|instance| instance.current.as_mut()) {
        *object = Object { status: Status::Tainted, ..object.clone() };
    }
    state
}

/// Whether something blocked a move (G28, G34): the next plan moves it if the obstacle is gone.
pub(super) fn is_blocked(step: &PlayedStep) -> bool {
    step.planned.diagnostics.iter().any(|one| one.summary == "Unresolved resource instance address changes")
}

/// UL32: for each type, the number of existing objects, counted by the calls, equals the number of stored ones.
pub(super) fn remote_is_stored(played: &Played) -> LawResult {
    let is_lost = |step: &PlayedStep| step.providers.events.fails.iter().any(|fail| fail.how == How::Lost);
    let mut held = LawResult::Silent;
    for step in played.steps.iter().filter(|step| !is_lost(step)) {
        let (Some(applied), Some(plan)) = (&step.applied, &step.planned.plan) else { continue };
        // U04: an apply with a cycle writes nothing, so that the state is not even the refreshed one.
        if applied.diagnostics.iter().any(Diagnostic::goes_round) {
            continue;
        }
        held = LawResult::Holds;
        let mut count = stored_by_type(&plan.prior);
        for change in plan.changes.iter().filter(|change| change.action() == Action::Forget) {
            *count.entry(change.addr.resource.type_name.clone()).or_default() -= 1;
        }
        for address in dropped(plan, applied) {
            *count.entry(address.resource.type_name.clone()).or_default() -= 1;
        }
        for made in &applied.trace.calls {
            let (Request::Apply { prior, planned, .. }, Some(planfuzz_workspace::Outcome::Object { value, .. })) =
                (&made.call.request, &made.answer.outcome)
            else {
                continue;
            };
            // U62, U69: a failed change or deletion keeps its object, whatever the provider answers.
            let fails = made.answer.remarks.iter().any(|remark| remark.is_error());
            if value.is_null() && (fails || !planned.is_null()) {
                continue;
            }
            let type_name = made.call.type_name.as_ref().map(ToString::to_string).unwrap_or_default();
            *count.entry(type_name).or_default() += i64::from(!value.is_null()) - i64::from(!prior.is_null());
        }
        let forgets = plan.changes.iter().any(|change| change.action() == Action::Forget);
        count.retain(|_, count| *count != 0);
        // An object to forget may have been kept: by a failure, or because the targets of the apply, unlike those of the plan, leave it
        // out.
        let may_be_kept = forgets && (applied.exit() != 0 || step.workspace.options.is_selective());
        if stored_by_type(&applied.state) != count && !may_be_kept {
            return LawResult::Broken("what exists is not what is stored".into());
        }
    }
    held
}

/// U42: the objects to be updated whose configuration stays unknown. They leave the state and stay where they are, without a call.
fn dropped<'p>(plan: &'p Plan, applied: &'p Applied) -> impl Iterator<Item = &'p AbsResourceInstance> {
    let is_refused = applied.diagnostics.iter().any(|one| one.summary == summary::UNKNOWN_CONFIGURATION);
    let is_stored = |at: &AbsResourceInstance| applied.state.instance(at).is_some_and(|of| of.current.is_some());
    let updates = plan.changes.iter().filter(|change| change.action() == Action::Update).map(|change| &change.addr);
    updates.filter(move |address| is_refused && !is_stored(address) && !is_called(applied, address))
}

/// Whether an apply made a mutating call for an instance.
fn is_called(applied: &Applied, address: &AbsResourceInstance) -> bool {
    let name = address.to_string();
    applied.trace.calls.iter().any(|made| made.visit == name && matches!(made.call.request, Request::Apply { .. }))
}

fn stored_by_type(state: &State) -> BTreeMap<String, i64> {
    let mut count: BTreeMap<String, i64> = BTreeMap::new();
    for (address, _, instance) in state.instances() {
        if address.resource.mode == planfuzz_core::address::ResourceMode::Managed {
            let objects = i64::from(instance.current.is_some()) + instance.deposed.len() as i64;
            *count.entry(address.resource.type_name.clone()).or_default() += objects;
        }
    }
    count.retain(|_, count| *count != 0);
    count
}

/// Whether what forces a replacement is not known yet.
fn is_replaced_by_unknown(change: &AddressedChange) -> bool {
    let after = change.planned.change.after.value().view();
    change.planned.required_replace.iter().any(|path| match path.steps().first() {
        Some(WrittenStep::Attribute(name)) => after.member(name).is_some_and(|part| !part.is_wholly_known()),
        _ => !after.is_wholly_known(),
    })
}
