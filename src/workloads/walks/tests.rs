use planfuzz_core::planner::{
    Answer, PlanChange, Provider, RawState, ReadResource, Severity, UpgradeState, ValidateConfig,
};
use planfuzz_core::state::Private;
use planfuzz_core::value::Value;
use planfuzz_reference::Reference;

use super::*;
use crate::workloads::nested_map;

/// One of each kind, small enough for every planner.
fn small() -> Vec<WalkWorkload> {
    let mut workloads = vec![flat(), mixed(), list_blocks(20), nested_map(20), block_tree(3, 2)];
    workloads.extend([Computed::First, Computed::Last].map(|order| set_blocks(20, order)));
    let walks = workloads.into_iter().flat_map(WalkWorkload::of);
    walks.collect::<Result<_, _>>().unwrap_or_else(|fault| panic!("{fault}"))
}

fn planners() -> [&'static dyn Planner; 2] {
    [&Reference, &Optimized]
}

#[test]
fn each_walk_has_the_intended_result_and_the_recorded_requests() {
    for walk in small() {
        for planner in planners() {
            let prepared = planner.prepare(&walk.workload.merge.schema, walk.dialect());
            let checked = walk.check(&*prepared);
            assert!(checked.is_ok(), "{} {} {}: {checked:?}", walk.workload.name, walk.walk, planner.name());
        }
    }
}

/// The calls and the objects in them, by their names in the workload.
fn calls(walk: &WalkWorkload) -> Vec<String> {
    let merge = &walk.workload.merge;
    let name = |value: &Value| {
        let named = [
            ("prior", &merge.prior),
            ("config", &merge.config),
            ("planned", &merge.planned),
            ("actual", &merge.actual),
        ];
        let known = named.into_iter().find(|(_, known)| *known == value).map(|(name, _)| name);
        if value.is_null() { "null" } else { known.unwrap_or("other") }
    };
    let describe = |request: &ProviderRequest| match request {
        ProviderRequest::Validate(ValidateConfig { config }) => format!("validate {}", name(config)),
        ProviderRequest::Upgrade(UpgradeState { state: RawState::Value(state), .. }) => {
            format!("upgrade {}", name(state))
        }
        ProviderRequest::Read(ReadResource { current, .. }) => format!("read {}", name(current)),
        ProviderRequest::Plan(PlanChange { prior, config, .. }) => format!("plan {} {}", name(prior), name(config)),
        ProviderRequest::Apply(change) => {
            format!("apply {} {} {}", name(&change.prior), name(&change.config), name(&change.planned))
        }
        other => other.call().to_owned(),
    };
    walk.recorded().iter().map(describe).collect()
}

#[test]
fn the_calls_are_those_of_the_specification() {
    let expected: [(TimedWalk, &[&str]); 6] = [
        (TimedWalk::Create, &["validate config", "validate config", "plan null config"]),
        (
            TimedWalk::Update,
            &["validate config", "upgrade prior", "read prior", "validate config", "plan prior config"],
        ),
        (
            TimedWalk::Replace,
            &[
                "validate config",
                "upgrade prior",
                "read prior",
                "validate config",
                "plan prior config",
                "plan null config",
            ],
        ),
        (
            TimedWalk::NoOp,
            &["validate config", "upgrade actual", "read actual", "validate config", "plan actual config"],
        ),
        (
            TimedWalk::Destroy,
            &[
                "validate config",
                "upgrade actual",
                "read actual",
                "validate config",
                "plan actual config",
                "upgrade actual",
                "plan actual null",
            ],
        ),
        (
            TimedWalk::ApplyUpdate,
            &["upgrade prior", "validate config", "plan prior config", "apply prior config planned"],
        ),
    ];
    for walk in small() {
        let (_, want) = expected.iter().find(|(timed, _)| *timed == walk.walk).expect("the calls of each walk");
        assert_eq!(calls(&walk), *want, "{} {}", walk.workload.name, walk.walk);
    }
}

#[test]
fn the_merge_alone_proposes_what_the_walk_proposes() {
    for walk in small() {
        let asked = walk.recorded().iter().filter_map(|request| match request {
            ProviderRequest::Plan(PlanChange { config, proposed, .. }) if !config.is_null() => Some(proposed.clone()),
            _ => None,
        });
        let planner = Optimized.prepare(&walk.workload.merge.schema, walk.dialect());
        let proposed = walk.merge_alone().into_iter().filter_map(|call| match call {
            MergeCall::ProposedNew { prior, config, .. } => planner.proposed_new(&prior, &config).ok(),
            _ => None,
        });
        assert_eq!(proposed.collect::<Vec<_>>(), asked.collect::<Vec<_>>(), "{} {}", walk.workload.name, walk.walk);
    }
}

#[test]
fn the_merge_alone_finds_nothing_wrong() {
    for walk in small() {
        let planner = Optimized.prepare(&walk.workload.merge.schema, walk.dialect());
        for call in walk.merge_alone() {
            let broken = match planner.answer(call.request()) {
                Ok(Answer::Violations(violations)) => !violations.is_empty(),
                Ok(Answer::Value(_)) => false,
                Err(_) => true,
            };
            assert!(!broken, "{} {}: {:?}", walk.workload.name, walk.walk, call.op());
        }
    }
}

fn flat_walk(walk: TimedWalk) -> WalkWorkload {
    WalkWorkload::new(flat(), walk).unwrap_or_else(|fault| panic!("{fault}"))
}

#[test]
fn a_call_that_is_not_in_the_script_is_reported() {
    let mut provider = flat_walk(TimedWalk::Update).fresh().provider;
    let answer = provider.read(ReadResource { current: Value::bool(true), private: Private::NONE });
    assert!(answer.remarks.iter().any(|remark| remark.severity == Severity::Error));
    assert_eq!(provider.finish().err(), Some(Departure::Unexpected { number: 1, call: "read" }));
}

#[test]
fn a_call_too_many_and_a_call_too_few_are_reported() {
    let config = || ValidateConfig { config: Value::bool(true) };
    let mut provider = Replay::new(Vec::new());
    provider.validate(config());
    assert_eq!(provider.finish().err(), Some(Departure::Unexpected { number: 1, call: "validate" }));
    let mut provider = flat_walk(TimedWalk::Create).fresh().provider;
    provider.validate(config());
    assert_eq!(provider.finish().err(), Some(Departure::Unasked { left: 2 }));
}

#[test]
fn another_request_and_another_outcome_are_reported() {
    let planner = |walk: &WalkWorkload, of: &dyn Fn(&dyn Prepared)| {
        of(&*Optimized.prepare(&walk.workload.merge.schema, walk.dialect()));
    };
    let mut walk = flat_walk(TimedWalk::Update);
    walk.recorded.swap_remove(2);
    planner(&walk, &|prepared| {
        let fault = walk.check(prepared).expect_err("another request");
        assert!(matches!(fault, WalkFault::OtherRequest { number: 3, call: "read" }), "{fault}");
    });
    let mut walk = flat_walk(TimedWalk::Update);
    walk.workload.merge.planned = walk.workload.merge.prior.clone();
    planner(&walk, &|prepared| {
        let fault = walk.check(prepared).expect_err("the provider plans no change");
        assert!(matches!(fault, WalkFault::OtherOutcome { walk: TimedWalk::Update, .. }), "{fault}");
    });
}

#[test]
fn names_are_those_of_the_tables() {
    assert_eq!(
        TimedWalk::ALL.map(|walk| walk.to_string()).join(" "),
        "plan_create plan_update plan_replace plan_no_op plan_destroy apply_update"
    );
}
