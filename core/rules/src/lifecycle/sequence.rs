//! The invariants across the walks of a trace.

use super::calls::has_errors;
use super::findings::{Findings, Party, Walk};
use super::fits::{is_equal, is_more_known};
use super::id::Id;
use super::{Claims, Lifecycle, ignored};
use planfuzz_core::address::ResourceKind;
use planfuzz_core::planner::{Exchange, IgnoreChanges, PlanOptions, PlanWalk, Presence, StepTrace, ValidateConfig};
use planfuzz_core::plans::{Action, Mode, ResourceInstanceChange};
use planfuzz_core::schema::AttributePlace;
use planfuzz_core::value::{Value, WrittenPath};

/// I36, I46, I47.
pub(super) fn check(of: &Lifecycle<'_>, findings: &mut Findings, run: &[StepTrace], claims: Claims) {
    let mut is_unseen = false;
    for (index, pair) in run.windows(2).enumerate() {
        let [before, after] = pair else { continue };
        findings.enter(index + 1, Walk::Plan);
        // Changes from outside stay unknown until a refresh is saved.
        let is_saved = before.apply.is_some() && !before.plan.request.options.skip_refresh;
        is_unseen = !is_saved && (is_unseen || before.changed_outside);
        if claims.idempotent && !is_unseen && settles(before, after) {
            is_settled(of, findings, before, &after.plan);
        }
        if claims.deterministic && before.apply.is_none() && is_the_same_question(before, after) {
            is_the_same_answer(findings, &before.plan, &after.plan);
        }
    }
    if claims.deterministic {
        validations(findings, run);
    }
}

/// Whether a step must leave nothing to do.
fn settles(before: &StepTrace, after: &StepTrace) -> bool {
    let request = &after.plan.request;
    // A deposed object that an apply without errors leaves is the engine's mistake (A55), and is there to be destroyed.
    let is_applied = before.apply.as_ref().is_some_and(|apply| {
        let applied = &apply.applied;
        !applied.is_errored() && applied.state.deposed.is_empty()
    });
    let is_plain = is_plain(&before.plan) && is_plain(&after.plan) && !request.options.replace;
    let Presence::Configured(configured) = &request.presence else { return false };
    // Objects named in `replace_triggered_by` are not part of the trace and may change every time.
    let is_alone = configured.lifecycle.replace_triggered_by.is_empty();
    is_applied
        && is_plain
        && is_alone
        && !after.changed_outside
        && configured.config.value().is_wholly_known()
        && request.kind == ResourceKind::Managed
}

fn is_plain(walk: &PlanWalk) -> bool {
    walk.request.mode == Mode::Normal && matches!(walk.request.presence, Presence::Configured(_))
}

/// I36.
fn is_settled(of: &Lifecycle<'_>, findings: &mut Findings, before: &StepTrace, after: &PlanWalk) {
    let changes = after.plan.changes.iter();
    let left =
        changes.clone().find(|change| change.change.action != Action::NoOp && !only_moves_marks(of, after, change));
    let Some(left) = left else { return findings.count(Id::I36) };
    let kept = before.apply.as_ref().and_then(|apply| apply.applied.state.current.as_ref());
    let kept = kept.and_then(super::calls::value_of);
    findings.hold_of(blame(after, kept), Id::I36, false, || {
        (WrittenPath::default(), format!("expected nothing to be left to do, found {}", left.change.action))
    });
}

/// Whether a change is only of marks, and only of those that `ignore_changes` moves: a value taken from the prior has the prior's marks,
/// and an attribute that `all` makes null (L61) loses the marks of its configuration.
fn only_moves_marks(of: &Lifecycle<'_>, walk: &PlanWalk, change: &ResourceInstanceChange) -> bool {
    let Presence::Configured(configured) = &walk.request.presence else { return false };
    let (before, after) = (&change.change.before, &change.change.after);
    let is_moved = |mark: &WrittenPath| match &configured.lifecycle.ignore_changes {
        IgnoreChanges::All => is_only_computed(of, mark),
        IgnoreChanges::Some(entries) => {
            entries.iter().any(|entry| mark.steps().starts_with(ignored::split_key(entry).0.steps()))
        }
    };
    let mut new = after.sensitive().iter().filter(|mark| !before.sensitive().contains(mark));
    let mut old = before.sensitive().iter().filter(|mark| !after.sensitive().contains(mark));
    change.change.action == Action::Update
        && is_equal(before.value(), after.value())
        && new.all(is_moved)
        && old.all(is_moved)
}

/// Whether a path leads to or into an attribute that is computed and not optional.
fn is_only_computed(of: &Lifecycle<'_>, path: &WrittenPath) -> bool {
    let Some(path) = path.to_path() else { return false };
    let mut place = AttributePlace::in_block(&of.schema.block);
    path.steps().into_iter().any(|step| {
        place = place.step(step);
        place.attribute().is_some_and(|attribute| attribute.computed && !attribute.optional)
    })
}

/// The party that keeps an idempotent trace from settling.
fn blame(after: &PlanWalk, saved: Option<&Value>) -> Party {
    for exchange in &after.exchanges {
        match exchange {
            Exchange::Read(request, answer) if request.current != answer.new_state => return Party::Provider,
            Exchange::Plan(request, answer) => {
                let is_stored = saved.is_none_or(|saved| *saved == request.prior);
                return match () {
                    () if !is_stored && request.prior.is_null() => Party::Core,
                    () if is_equal(&request.prior, &answer.planned) && answer.requires_replace.is_empty() => {
                        Party::Core
                    }
                    () if request.proposed == request.prior => Party::Provider,
                    () => Party::Either,
                };
            }
            _ => {}
        }
    }
    Party::Core
}

/// Whether the same plan is requested twice in a row.
fn is_the_same_question(before: &StepTrace, after: &StepTrace) -> bool {
    let (before, changed, after) = (&before.plan.request, after.changed_outside, &after.plan.request);
    !changed && before.mode == after.mode && before.kind == after.kind && same_options(&before.options, &after.options)
}

/// The fresh key for a deposed object differs each time, and no plan shows it.
fn same_options(a: &PlanOptions, b: &PlanOptions) -> bool {
    let switches = |of: &PlanOptions| (of.skip_refresh, of.replace, of.forget);
    switches(a) == switches(b) && a.import == b.import && a.moved_from == b.moved_from
}

/// I47.
fn is_the_same_answer(findings: &mut Findings, before: &PlanWalk, after: &PlanWalk) {
    if before.exchanges.iter().zip(&after.exchanges).any(|(a, b)| is_same_request(a, b) && !is_same_answer(a, b)) {
        findings.hold_of(Party::Provider, Id::I47, false, || {
            (WrittenPath::default(), "expected the same answer to the same question".to_owned())
        });
        return;
    }
    let (a, b) = (&before.plan.changes, &after.plan.changes);
    let is_same = a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| {
            a.change.action == b.change.action
                && a.reason == b.reason
                && a.deposed == b.deposed
                && a.required_replace == b.required_replace
                && a.change.before.raw_equals(&b.change.before)
                && a.change.after.raw_equals(&b.change.after)
        });
    findings.hold(Id::I47, is_same, || "expected the same plan again, found another".to_owned());
}

/// Private data may name the call that gave them, so they are not compared.
fn is_same_request(a: &Exchange, b: &Exchange) -> bool {
    match (a, b) {
        (Exchange::Validate(a, _), Exchange::Validate(b, _)) => a.config == b.config,
        (Exchange::Read(a, _), Exchange::Read(b, _)) => a.current == b.current,
        (Exchange::Plan(a, _), Exchange::Plan(b, _)) => {
            a.prior == b.prior && a.config == b.config && a.proposed == b.proposed
        }
        (Exchange::ReadData(a, _), Exchange::ReadData(b, _)) => a.config == b.config,
        (Exchange::Import(a, _), Exchange::Import(b, _)) => a.id == b.id,
        _ => false,
    }
}

fn is_same_answer(a: &Exchange, b: &Exchange) -> bool {
    match (a, b) {
        (Exchange::Validate(_, a), Exchange::Validate(_, b)) => a.remarks == b.remarks,
        (Exchange::Read(_, a), Exchange::Read(_, b)) => a.new_state == b.new_state,
        (Exchange::Plan(_, a), Exchange::Plan(_, b)) => {
            a.planned == b.planned && a.requires_replace == b.requires_replace
        }
        (Exchange::ReadData(_, a), Exchange::ReadData(_, b)) => a.state == b.state,
        (Exchange::Import(_, a), Exchange::Import(_, b)) => {
            a.imported.iter().map(|(value, _)| value).eq(b.imported.iter().map(|(value, _)| value))
        }
        _ => true,
    }
}

/// I46: of two validations in a row, the one with more unknowns must not fail if the other succeeds.
fn validations(findings: &mut Findings, run: &[StepTrace]) {
    let mut refused: Option<&ValidateConfig> = None;
    for (index, step) in run.iter().enumerate() {
        let of_apply = step.apply.iter().map(|apply| (Walk::Apply, &apply.exchanges));
        for (walk, exchanges) in [(Walk::Plan, &step.plan.exchanges)].into_iter().chain(of_apply) {
            findings.enter(index, walk);
            for exchange in exchanges {
                let Exchange::Validate(request, answer) = exchange else { continue };
                if has_errors(&answer.remarks) {
                    refused = Some(request).filter(|request| !request.config.is_wholly_known());
                } else if let Some(refused) = refused.take() {
                    let contradicts = is_more_known(refused.config.view(), request.config.view());
                    findings.hold_of(Party::Provider, Id::I46, !contradicts, || {
                        let message = "expected what is unknown not to be judged, found that it was refused".to_owned();
                        (WrittenPath::default(), message)
                    });
                } else {
                    findings.count(Id::I46);
                }
            }
        }
    }
}
