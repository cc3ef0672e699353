use planfuzz_core::planner::{Planner, Prepared};
use planfuzz_core::value::{ValueError, raw_equals};
use planfuzz_optimized::Optimized;
use planfuzz_reference::Reference;

use super::*;

/// One of each kind, small enough for every planner.
fn small() -> Vec<Workload> {
    let mut all = vec![flat(), mixed(), list_blocks(20), nested_map(20), block_tree(3, 2)];
    all.extend([Computed::First, Computed::Last].map(|order| set_blocks(20, order)));
    all
}

fn with_each(check: impl Fn(&Workload, &dyn Prepared)) {
    for workload in small() {
        for planner in [&Reference as &dyn Planner, &Optimized] {
            check(&workload, &*planner.prepare(&workload.merge.schema, workload.dialect()));
        }
    }
}

#[test]
fn the_schemas_are_valid_and_the_values_conform() {
    for Workload { name, merge, .. } in small() {
        assert!(merge.schema.is_valid(Dialect::default()), "{name}");
        let implied = merge.schema.implied_type(Dialect::default());
        for value in [&merge.prior, &merge.config, &merge.planned, &merge.actual] {
            assert_eq!(value.ty(), &implied, "{name}");
        }
        assert!(merge.prior.is_wholly_known() && merge.config.is_wholly_known() && merge.actual.is_wholly_known());
        assert!(!merge.planned.is_wholly_known(), "{name}");
    }
}

/// `value` with unknowns and nulls replaced by one and the same value.
fn without_unknowns(value: &Value) -> Value {
    let blank = |_: &planfuzz_core::value::Path, value: Value| {
        Ok::<_, ValueError>(if value.is_unknown() { Value::null(value.ty().clone()) } else { value })
    };
    value.view().transform(&mut { blank }).expect("types stay")
}

#[test]
fn the_plan_is_the_proposal_but_for_what_the_provider_does_not_know_yet() {
    with_each(|Workload { name, merge, .. }, planner| {
        let proposed = planner.proposed_new(&merge.prior, &merge.config).expect("an answer");
        let holds = raw_equals(merge.planned.view(), proposed.view());
        assert!(!holds, "{name}: a part of the plan is unknown");
        differs_only_in_unknowns(name, merge.planned.view(), proposed.view());
    });
}

fn differs_only_in_unknowns(
    name: &str,
    planned: planfuzz_core::value::ValueRef<'_>,
    proposed: planfuzz_core::value::ValueRef<'_>,
) {
    if matches!(planned.ty(), Type::Set(_)) {
        // Elements of a set have no path: without unknowns and nulls, both sides must be the same set.
        let (planned, proposed) = (without_unknowns(&planned.to_value()), without_unknowns(&proposed.to_value()));
        return assert_eq!(planned, proposed, "{name}");
    }
    if planned.is_unknown() {
        return;
    }
    assert_eq!(planned.len(), proposed.len(), "{name}");
    if planned.is_empty() {
        return assert!(raw_equals(planned, proposed), "{name}");
    }
    for ((_, planned), (_, proposed)) in planned.children().zip(proposed.children()) {
        differs_only_in_unknowns(name, planned, proposed);
    }
}

#[test]
fn the_plan_is_valid_and_the_result_compatible() {
    with_each(|Workload { name, merge, .. }, planner| {
        let Merge { prior, config, planned, actual, .. } = merge;
        let invalid = planner.assert_plan_valid(prior, config, planned).expect("an answer");
        assert!(invalid.is_empty(), "{name}: {invalid:?}");
        let incompatible = planner.assert_object_compatible(planned, actual).expect("an answer");
        assert!(incompatible.is_empty(), "{name}: {incompatible:?}");
        let wrong = planner.assert_object_compatible(prior, actual).expect("an answer");
        assert!(!wrong.is_empty(), "{name}: the change is seen");
    });
}

#[test]
fn orders_of_sets_agree_only_where_the_computed_attributes_come_last() {
    let names = |value: &Value| -> Vec<Value> {
        let rules = value.view().member("rule").expect("the block type");
        rules.children().filter_map(|(_, rule)| Some(rule.member("name")?.to_value())).collect()
    };
    for (order, same) in [(Computed::First, false), (Computed::Last, true)] {
        let merge = set_blocks(50, order).merge;
        assert_eq!(names(&merge.prior) == names(&merge.config), same, "{order:?}");
    }
}

#[test]
fn names_are_those_of_the_tables() {
    let names: Vec<String> = Workload::all().into_iter().map(|workload| workload.name).collect();
    let want = "W1 W2 W3-10 W3-100 W3-1000 W3-4000 W3c-10 W3c-100 W3c-1000 W3c-4000 W4-10 W4-100 W4-1000 W5 W6";
    assert_eq!(names.join(" "), want);
}

#[test]
fn a_workload_is_found_by_its_name() {
    let all: Vec<String> = Workload::all().into_iter().map(|workload| workload.name).collect();
    assert_eq!(all, Workload::NAMES);
    assert!(["", "W", "W3", "W3-11", "W6-3", "W4-99999999999"].into_iter().all(|name| Workload::named(name).is_none()));
}
