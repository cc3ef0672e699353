//! Laws of applies that end early, by a failure or by a signal (UL11 to UL13, UL34).

use std::collections::{BTreeMap, BTreeSet};

use planfuzz_core::plans::{Action, ActionReason, AddressedChange};
use planfuzz_core::state::{Object, Status, Stored};
use planfuzz_core::value::raw_equals;
use planfuzz_workspace::{Applied, Interrupt, Made, Options, Plan, Request, State};

use super::LawResult;
use super::commands::{is_blocked, succeeded};
use super::played_case::{PlayedCase, Then, is_plain};
use crate::case::Command;
use crate::model::{Fail, How, RemoteEvents};
use crate::play::PlayedStep;

impl PlayedCase<'_> {
    /// UL11: the first object that an apply would make, or destroy, fails; then the apply is repeated without a failure.
    pub(super) fn retried(&self) -> LawResult {
        let then = Then { events: RemoteEvents::default(), ..self.instead() };
        let Some((at_once, failed)) = self.at_once_and_failed(&then) else { return LawResult::Silent };
        self.ends_alike(
            &at_once,
            Then { state: failed.after().cloned(), ..then },
            "an apply after a failure ends otherwise",
        )
    }

    /// An apply from end to end, and one like it in which the first object that it makes or destroys fails.
    fn at_once_and_failed(&self, then: &Then) -> Option<(PlayedStep, PlayedStep)> {
        let at_once = self.at_once(then)?;
        let name = at_once.applied.as_ref()?.trace.calls.iter().find_map(name_of)?;
        let failing = Then { events: failing(&name), ..self.instead() };
        let failed = self.done_by(self.planner, &failing, Command::Apply);
        let is_failed = |step: &PlayedStep| step.applied.as_ref().is_some_and(|applied| applied.exit() != 0);
        Some((at_once, failed.filter(is_failed)?))
    }

    /// UL34: after that failure the next plan has what is left to do, and nothing else.
    pub(super) fn rest_is_planned(&self) -> LawResult {
        let then = Then { events: RemoteEvents::default(), ..self.instead() };
        let Some((at_once, failed)) = self.at_once_and_failed(&then) else { return LawResult::Silent };
        let (Some(plan), Some(left)) = (&failed.planned.plan, failed.after()) else { return LawResult::Silent };
        // G31: without a refresh, what was taken over is an update of its marks alone: whether it was made is not seen.
        if failed.planned.trace.asks_to_take_over() {
            return LawResult::Silent;
        }
        let is_late = |change: &AddressedChange| matches!(change.action(), Action::Read | Action::Forget);
        let is_late = |change: &AddressedChange| is_late(change) || change.planned.change.importing.is_some();
        let next = self.planned(&Then { state: failed.after().cloned(), ..then });
        let next = next.filter(|next| !next.planned.is_errored() && goes_on(&at_once, next));
        let Some(next) = next else { return LawResult::Silent };
        let Some(next) = next.planned.plan.filter(|_| !plan.changes.iter().any(is_late)) else {
            return LawResult::Silent;
        };
        match unlike_the_rest(&expected(plan, left), &rest(&next)) {
            None => LawResult::Holds,
            Some(broken) => LawResult::Broken(broken),
        }
    }

    /// An apply of everything from end to end; `None` if an apply that ends early would lose part of it.
    fn at_once(&self, then: &Then) -> Option<PlayedStep> {
        self.applied(then).filter(|step| is_plain(&then.options) && !is_blocked(step) && !is_triggered(step))
    }

    /// Whether a repeated apply ends in the same state as one that did not fail.
    fn ends_alike(&self, at_once: &PlayedStep, again: Then, broken: &str) -> LawResult {
        let Some(retried) = self.applied(&again).filter(|step| goes_on(at_once, step)) else {
            return LawResult::Silent;
        };
        LawResult::if_same(&self.objects(at_once.after()), &self.objects(retried.after()), broken)
    }

    /// UL12: the signal arrives during the middle one of all calls that make or destroy something.
    pub(super) fn interrupted(&self) -> LawResult {
        let calm = Options { interrupt: None, ..self.instead().options };
        let then = Then { events: RemoteEvents::default(), options: calm, ..self.instead() };
        let Some(at_once) = self.at_once(&then) else { return LawResult::Silent };
        let Some(applied) = &at_once.applied else { return LawResult::Silent };
        let Some(interrupt) = in_the_middle(applied) else { return LawResult::Silent };
        let options = Options { interrupt: Some(interrupt), ..then.options.clone() };
        let ended = Then { options, events: RemoteEvents::default(), ..self.instead() };
        let ended = self.done_by(self.planner, &ended, Command::Apply);
        let is_ended = |step: &PlayedStep| step.applied.as_ref().is_some_and(|applied| applied.exit() != 0);
        let Some(ended) = ended.filter(is_ended) else { return LawResult::Broken("a signal ends nothing".into()) };
        let again = Then { state: ended.after().cloned(), ..then };
        self.ends_alike(&at_once, again, "an apply after one that a signal ended ends otherwise")
    }

    /// UL13: an apply with a failure makes no successful call that the apply without it does not make.
    pub(super) fn failure_adds_nothing(&self) -> LawResult {
        let then = Then { events: RemoteEvents::default(), ..self.instead() };
        let Some(mut step) = self.planned(&then).filter(|step| !step.planned.is_errored()) else {
            return LawResult::Silent;
        };
        let Some(plan) = step.planned.plan.clone().filter(|plan| plan.applyable) else { return LawResult::Silent };
        let all = self.planner.apply(&step.workspace, &plan, &mut &step.providers);
        let Some(name) = all.trace.calls.iter().find_map(name_of) else { return LawResult::Silent };
        let is_drop = all.trace.calls.iter().find_map(is_drop) == Some(true);
        step.providers.events = RemoteEvents {
            fails: vec![fail(if is_drop { "delete" } else { "apply" }, &name)],
            ..RemoteEvents::default()
        };
        let some = self.planner.apply(&step.workspace, &plan, &mut &step.providers);
        let (mut all, some) = (succeeded(&all), succeeded(&some));
        for call in some {
            match all.iter().position(|other| *other == call) {
                Some(at) => drop(all.swap_remove(at)),
                None => return LawResult::Broken(format!("a failure adds {}", call.1)),
            }
        }
        LawResult::Holds
    }
}

/// What is to be done with an object: by instance and deposed key.
type Rest = BTreeMap<(String, Option<String>), Do>;

/// What is to be done, in whichever order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Do {
    Create,
    Update,
    Replace,
    Delete,
    /// An update or a replacement whose value was not known: now that it is known, it may equal what is there, or ask for more.
    Unclear,
}

impl Do {
    fn of(action: Action) -> Option<Do> {
        match action {
            Action::Create => Some(Do::Create),
            Action::Update => Some(Do::Update),
            Action::DeleteThenCreate | Action::CreateThenDelete => Some(Do::Replace),
            Action::Delete => Some(Do::Delete),
            _ => None,
        }
    }
}

/// The actions of a plan, by object.
fn rest(plan: &Plan) -> Rest {
    let of = |change: &AddressedChange| Some((key_of(change), Do::of(change.action())?));
    plan.changes.iter().filter_map(of).collect()
}

fn key_of(change: &AddressedChange) -> (String, Option<String>) {
    (change.addr.to_string(), change.deposed().map(|key| key.as_str().to_owned()))
}

/// The actions of a plan that are left to do after an apply of it left the state `left`.
fn expected(plan: &Plan, left: &State) -> Rest {
    let current = |state: &State| -> BTreeMap<String, Object> {
        let there = state.instances().filter_map(|(address, _, one)| Some((address.to_string(), one.current.clone()?)));
        there.collect()
    };
    let (before, after) = (current(&plan.prior), current(left));
    let is_same = |address: &String| match (before.get(address), after.get(address)) {
        (Some(one), Some(other)) => one.status == other.status && is_same_value(&one.stored, &other.stored),
        (one, other) => one.is_none() && other.is_none(),
    };
    let mut expected = Rest::new();
    for change in plan.changes.iter().filter(|change| change.deposed().is_none()) {
        let (key, Some(planned)) = (key_of(change), Do::of(change.action())) else { continue };
        let is_tainted = after.get(&key.0).is_some_and(|object| object.status == Status::Tainted);
        let is_known = change.planned.change.after.value().is_wholly_known();
        let rest = match (planned, after.contains_key(&key.0)) {
            (Do::Delete, true) => Some(Do::Delete),
            (Do::Delete, false) => None,
            (_, false) => Some(Do::Create),
            (_, true) if is_tainted => Some(Do::Replace),
            (Do::Update | Do::Replace, true) if is_same(&key.0) => Some(if is_known { planned } else { Do::Unclear }),
            (_, true) => None,
        };
        expected.extend(rest.map(|rest| (key, rest)));
    }
    for (address, _, instance) in left.instances() {
        expected.extend(
            instance.deposed.keys().map(|key| ((address.to_string(), Some(key.as_str().to_owned())), Do::Delete)),
        );
    }
    expected
}

fn is_same_value(one: &Stored, other: &Stored) -> bool {
    match (one, other) {
        (Stored::Value(one), Stored::Value(other)) => raw_equals(one.view(), other.view()),
        (Stored::Raw { attributes: one, .. }, Stored::Raw { attributes: other, .. }) => one == other,
        _ => false,
    }
}

/// Describes the first difference between the expected and the planned actions.
fn unlike_the_rest(expected: &Rest, planned: &Rest) -> Option<String> {
    let missing = expected.iter().find_map(|(key, wanted)| match (wanted, planned.get(key)) {
        (Do::Unclear, None | Some(Do::Update | Do::Replace)) => None,
        (wanted, Some(planned)) if wanted == planned => None,
        (wanted, planned) => Some(format!("after a failure {wanted:?} is left, and {planned:?} is planned")),
    });
    let surplus = planned.iter().find(|(key, _)| !expected.contains_key(*key));
    missing
        .or_else(|| surplus.map(|(_, planned)| format!("after a failure {planned:?} is planned, and nothing is left")))
}

/// Events that make every apply and deletion of an object fail.
fn failing(name: &str) -> RemoteEvents {
    RemoteEvents { outside: Vec::new(), fails: vec![fail("apply", name), fail("delete", name)] }
}

fn fail(call: &str, name: &str) -> Fail {
    Fail { call: call.to_owned(), name: name.to_owned(), how: How::Error }
}

/// Whether a mutating call asks for a deletion; `None` for other calls.
fn is_drop(made: &Made) -> Option<bool> {
    name_of(made)?;
    match &made.call.request {
        Request::Apply { planned, .. } => Some(planned.is_null()),
        _ => None,
    }
}

/// A signal in the middle of an apply.
fn in_the_middle(applied: &Applied) -> Option<Interrupt> {
    let trace = &applied.trace;
    let applies = trace.calls.iter().filter(|made| matches!(made.call.request, Request::Apply { .. }));
    let nodes: Vec<&String> =
        applies.filter_map(|made| trace.order.walks.get(made.node.walk)?.nodes.get(made.node.node)).collect();
    let (before, rest) = nodes.split_at(nodes.len() / 2);
    let under_way = BTreeSet::from([(*rest.first()?).clone()]);
    let others = trace.order.walks.iter().flat_map(|walk| &walk.nodes).filter(|node| !nodes.contains(node));
    let finished = before.iter().copied().chain(others).cloned().collect();
    Some(Interrupt { finished, under_way })
}

/// The name that the provider of a call knows its object by.
fn name_of(made: &Made) -> Option<String> {
    let Request::Apply { prior, planned, .. } = &made.call.request else { return None };
    let value = if planned.is_null() { prior } else { planned };
    value.view().member("name").and_then(|name| name.as_text().map(|text| text.to_string()))
}

/// Whether something moves. Objects that the earlier plan moved are stored at their new address and stay there, except those that move on
/// from there (G21).
pub(super) fn moves(step: &PlayedStep) -> bool {
    step.planned.plan.as_ref().is_some_and(|plan| plan.changes.iter().any(AddressedChange::moved))
}

/// Whether a step only does what the earlier one left undone.
fn goes_on(earlier: &PlayedStep, step: &PlayedStep) -> bool {
    !is_triggered(step) && !moves(step) && !imports_anew(earlier, step)
}

/// Whether something is imported that was not in an earlier plan: where a replacement only got as far as the destruction, the instance has
/// no object, so that an import that had nothing to do has something.
fn imports_anew(earlier: &PlayedStep, step: &PlayedStep) -> bool {
    let imports = |step: &PlayedStep| -> BTreeSet<String> {
        let changes = step.planned.plan.iter().flat_map(|plan| &plan.changes);
        changes.filter(|one| one.planned.change.importing.is_some()).map(|one| one.addr.to_string()).collect()
    };
    !imports(step).is_subset(&imports(earlier))
}

/// Whether a trigger replaces something: if the apply ends early, the next plan does not repeat it (L100).
pub(super) fn is_triggered(step: &PlayedStep) -> bool {
    let plan = step.planned.plan.as_ref();
    plan.is_some_and(|plan| plan.changes.iter().any(|one| one.planned.reason == ActionReason::ReplaceByTriggers))
}
