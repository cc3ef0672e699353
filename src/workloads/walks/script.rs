//! What the provider of a walk answers, and what the planner is asked: made for each walk from the values of its
//! workload.
//!
//! Each value is made anew wherever it stands, as it is when states, configurations and answers come from a file or a line.

use planfuzz_core::address::ResourceKind;
use planfuzz_core::planner::{
    ApplyAnswer, ApplyRequest, Configured, PlanAnswer, PlanOptions, PlanRequest, Presence, ReadAnswer, UpgradeAnswer,
    ValidateAnswer,
};
use planfuzz_core::plans::{Action, ActionReason, Change, Marked, Mode, ResourceInstanceChange};
use planfuzz_core::state::{InstanceState, Object, Private};
use planfuzz_core::value::{Path, PathSet, Step, Type, Value, ValueRef, WrittenPath, raw_equals};

use super::{Question, TimedWalk};
use crate::case::lifecycle::ProviderAnswer;
use crate::workloads::Workload;

/// What the planner is asked.
pub(super) fn question(workload: &Workload, walk: TimedWalk) -> Question {
    let presence = Presence::Configured(Box::new(configured(workload)));
    if walk == TimedWalk::ApplyUpdate {
        return Question::Apply(Box::new(ApplyRequest {
            kind: ResourceKind::Managed,
            options: PlanOptions::default(),
            state: state(&workload.merge.prior),
            changes: vec![update(workload)],
            presence,
        }));
    }
    Question::Plan(Box::new(PlanRequest {
        kind: ResourceKind::Managed,
        mode: if walk == TimedWalk::Destroy { Mode::Destroy } else { Mode::Normal },
        options: PlanOptions::default(),
        state: stored(workload, walk).map_or(InstanceState::ABSENT, state),
        presence,
    }))
}

/// The object before the walk: the result of the workload's change where the walk is a no-op or a destruction,
/// otherwise its prior state.
pub(super) fn stored(workload: &Workload, walk: TimedWalk) -> Option<&Value> {
    match walk {
        TimedWalk::Create => None,
        TimedWalk::NoOp | TimedWalk::Destroy => Some(&workload.merge.actual),
        TimedWalk::Update | TimedWalk::Replace | TimedWalk::ApplyUpdate => Some(&workload.merge.prior),
    }
}

/// What the provider answers, in the order in which a planner asks (lifecycle.md sections 2 and 20.1, LD02, LD09).
pub(super) fn answers(workload: &Workload, walk: TimedWalk) -> Vec<ProviderAnswer> {
    let merge = &workload.merge;
    let (prior, actual) = (&merge.prior, &merge.actual);
    match walk {
        TimedWalk::Create => vec![valid(), valid(), planned(&workload.creation)],
        TimedWalk::Update => vec![valid(), upgraded(prior), read(prior), valid(), planned(&merge.planned)],
        TimedWalk::Replace => {
            let first = replacing(&merge.planned, changed_place(prior, &merge.planned));
            vec![valid(), upgraded(prior), read(prior), valid(), first, planned(&workload.creation)]
        }
        TimedWalk::NoOp => vec![valid(), upgraded(actual), read(actual), valid(), planned(actual)],
        TimedWalk::Destroy => {
            let mut answers = answers(workload, TimedWalk::NoOp);
            answers.extend([upgraded(actual), planned(&Value::null(actual.ty().clone()))]);
            answers
        }
        TimedWalk::ApplyUpdate => vec![upgraded(prior), valid(), planned(&merge.planned), applied(actual)],
    }
}

fn private() -> Private {
    Private::from(br#"{"schema_version":"0"}"#.as_slice())
}

fn configured(workload: &Workload) -> Configured {
    Configured::alone(Marked::plain(workload.merge.config.deep_clone()))
}

fn state(value: &Value) -> InstanceState {
    let object = Object { private: private(), ..Object::ready(value.deep_clone()) };
    InstanceState { current: Some(object), ..InstanceState::ABSENT }
}

/// The update as it was planned.
fn update(workload: &Workload) -> ResourceInstanceChange {
    let plain = |value: &Value| Marked::plain(value.deep_clone());
    let (before, after) = (plain(&workload.merge.prior), plain(&workload.merge.planned));
    ResourceInstanceChange {
        moved_from: None,
        deposed: None,
        change: Change { action: Action::Update, before, after, importing: None },
        reason: ActionReason::None,
        required_replace: PathSet::EMPTY,
        private: private(),
    }
}

fn valid() -> ProviderAnswer {
    ProviderAnswer::Validate(ValidateAnswer::default())
}

fn upgraded(value: &Value) -> ProviderAnswer {
    ProviderAnswer::Upgrade(UpgradeAnswer { upgraded: value.deep_clone(), remarks: Vec::new() })
}

fn read(value: &Value) -> ProviderAnswer {
    let (new_state, private) = (value.deep_clone(), private());
    ProviderAnswer::Read(ReadAnswer { new_state, private, deferred: false, remarks: Vec::new() })
}

fn planned(value: &Value) -> ProviderAnswer {
    plan_answer(value, Vec::new())
}

fn replacing(value: &Value, place: WrittenPath) -> ProviderAnswer {
    plan_answer(value, vec![place])
}

fn plan_answer(value: &Value, requires_replace: Vec<WrittenPath>) -> ProviderAnswer {
    ProviderAnswer::Plan(PlanAnswer {
        planned: value.deep_clone(),
        requires_replace,
        private: private(),
        legacy_type_system: false,
        deferred: false,
        remarks: Vec::new(),
    })
}

fn applied(value: &Value) -> ProviderAnswer {
    let (new_state, private) = (Some(value.deep_clone()), private());
    ProviderAnswer::Apply(ApplyAnswer { new_state, private, legacy_type_system: false, remarks: Vec::new() })
}

/// The first place where two values differ and what is planned is known, as deep as a provider can name it: the elements of
/// sets have no names.
fn changed_place(before: &Value, after: &Value) -> WrittenPath {
    let mut place = Path::root();
    let mut sides = [before.view(), after.view()];
    while let Some((step, parts)) = first_difference(sides) {
        (place, sides) = (place.step(step), parts);
    }
    WrittenPath::from(&place)
}

fn first_difference([before, after]: [ValueRef<'_>; 2]) -> Option<(Step, [ValueRef<'_>; 2])> {
    if matches!(before.ty(), Type::Set(_)) {
        return None;
    }
    let parts = before.children().zip(after.children()).map(|((step, before), (_, after))| (step, [before, after]));
    let mut apart = parts.filter(|(_, [before, after])| !after.is_unknown() && !raw_equals(*before, *after));
    apart.next()
}
