//! Laws of changes, checked against generated ones.

use proptest::prelude::*;

use super::testing::*;
use super::*;
use crate::state::DeposedKey;
use crate::strategies::{any_value, has_empty_record};
use crate::value::{PathSet, Type, Value, WrittenPath, WrittenStep, raw_equals, raw_equals_unrefined};

/// A path along a type, chosen by the rolls; the value may not have it.
fn path_of(mut ty: &Type, rolls: &[u8]) -> WrittenPath {
    let mut steps = Vec::new();
    for roll in rolls {
        let (step, inner) = match ty {
            Type::List(element) => (WrittenStep::Index((roll % 3).into()), &**element),
            Type::Set(element) => (WrittenStep::Element, &**element),
            Type::Map(element) => (WrittenStep::Key(format!("k{}", roll % 3).as_str().into()), &**element),
            Type::Object(object) if !object.attributes().is_empty() => {
                let member = &object.attributes()[usize::from(*roll) % object.attributes().len()];
                (WrittenStep::Attribute(member.name.clone()), &member.ty)
            }
            Type::Tuple(tuple) if !tuple.elements().is_empty() => {
                let index = usize::from(*roll) % tuple.elements().len();
                (WrittenStep::Index(index as u64), &tuple.elements()[index])
            }
            _ => break,
        };
        steps.push(step);
        ty = inner;
    }
    WrittenPath::new(steps)
}

fn any_marked() -> impl Strategy<Value = (Type, Marked)> {
    let rolls = prop::collection::vec(prop::collection::vec(any::<u8>(), 0..4), 0..5);
    (any_value(), rolls).prop_map(|((ty, value), rolls)| {
        let paths: PathSet = rolls.iter().map(|rolls| path_of(&ty, rolls)).collect();
        let marked = Marked::new(value, &paths);
        (ty, marked)
    })
}

fn same(first: &Value, second: &Value) -> bool {
    match has_empty_record(first.view()) {
        true => raw_equals_unrefined(first.view(), second.view()),
        false => raw_equals(first.view(), second.view()),
    }
}

proptest! {
    #[test]
    fn pl09_decoding_what_was_encoded_gives_values_and_marks((ty, marked) in any_marked()) {
        let encoded = EncodedValue::encode(&marked, &ty).expect("encoded");
        let decoded = encoded.decode(&ty).expect("decoded");
        prop_assert!(same(marked.value(), decoded.value()), "{marked:?} came back as {decoded:?}");
        prop_assert_eq!(decoded.sensitive(), marked.sensitive());
        prop_assert_eq!(EncodedValue::encode(&decoded, &ty).expect("encoded"), encoded);
    }

    #[test]
    fn pl20_pl22_pl23_legs_of_any_change(change in any_addressed(), destroying: bool) {
        let leg = change.simplify(destroying);
        prop_assert_eq!(&leg.simplify(destroying), &leg, "PL23");
        prop_assert_eq!(&leg.addr, &change.addr);
        prop_assert_eq!(&leg.provider, &change.provider);
        prop_assert_eq!(&leg.planned.deposed, &change.planned.deposed);
        prop_assert_eq!(&leg.planned.private, &change.planned.private);
        prop_assert_eq!(&leg.planned.change.importing, &change.planned.change.importing);
        if leg != change {
            prop_assert!(!leg.moved(), "PL22");
            prop_assert_eq!(leg.planned.reason, ActionReason::None);
            prop_assert!(leg.planned.required_replace.is_empty());
        }
        // Each leg does its own part and nothing else.
        let own = if destroying {
            matches!(leg.action(), Action::NoOp | Action::Delete)
        } else {
            !matches!(leg.action(), Action::Delete | Action::DeleteThenCreate | Action::CreateThenDelete)
        };
        prop_assert!(own, "{:?}", leg.action());
        let split = change.simplify(!destroying).simplify(destroying);
        prop_assert!(matches!(split.action(), Action::NoOp), "a leg has nothing of the other: {:?}", split.action());
    }
}

#[test]
fn pl23_the_destroying_leg_of_a_creation_is_nothing() {
    let leg = addressed("t.n", Action::Create).simplify(true);
    assert_eq!(leg.action(), Action::NoOp);
    assert!(leg.planned.change.before.is_null() && leg.planned.change.after.is_null());
}

#[test]
fn pl21_actions_that_the_oldest_table_leaves_out_become_nothing_in_a_destroying_leg() {
    for action in [Action::Update, Action::Read, Action::NoOp, Action::Forget, Action::CreateThenForget] {
        assert_eq!(addressed("t.n", action).simplify(true).action(), Action::NoOp, "{action}");
        let itself = addressed("t.n", action);
        assert_eq!(itself.simplify(false), itself, "{action}");
    }
}

#[test]
fn pl06_the_side_that_is_not_there_is_null_of_the_type() {
    let create = addressed("t.n", Action::Create).encode(&object_type()).expect("encoded");
    assert_eq!(create.planned.change.before.value, Some(DynamicValue::null()));
    let mut absent = create;
    absent.planned.change.before.value = None;
    let decoded = absent.decode(&object_type()).expect("decoded");
    assert_eq!(decoded.planned.change.before, Marked::null(object_type()), "PL08");
}

#[test]
fn pl07_marks_are_split_off() {
    let change = addressed("t.n", Action::Update).encode(&object_type()).expect("encoded");
    let change = change.planned.change;
    assert_eq!(change.before.sensitive.texts(), [".id", ".tags[\"k\"]"]);
    let plain = DynamicValue::new(&object(Value::string("1")), &object_type()).expect("written");
    assert_eq!(change.before.value, Some(plain));
    let error = addressed("t.n", Action::Update).encode(&Type::Bool).expect_err("no bool");
    assert!(error.to_string().starts_with("the value before: "), "{error}");
}

#[test]
fn pl08_marks_without_a_place_are_left_out_and_those_in_a_set_mark_it() {
    let mut encoded =
        EncodedValue::encode(&Marked::plain(object(Value::string("1"))), &object_type()).expect("encoded");
    encoded.sensitive = PathSet::parse([".none", ".tags[\"none\"]", ".names[<set element>]", ".id"]).expect("paths");
    let decoded = encoded.decode(&object_type()).expect("decoded");
    assert_eq!(decoded.sensitive().texts(), [".id", ".names"]);
}

#[test]
fn pl11_moved_is_another_address_before() {
    let mut change = addressed("t.n", Action::NoOp);
    assert!(!change.moved());
    change.planned.moved_from = Some(instance("t.n"));
    assert!(!change.moved(), "the same address");
    change.planned.moved_from = Some(instance("t.n[0]"));
    assert!(change.moved());
    assert_eq!(change.prev_run_addr(), &instance("t.n[0]"));
}

#[test]
fn pl10_an_answer_gets_its_addresses() {
    let answer = |moved_from: &str| ResourceInstanceChange {
        moved_from: Some(moved_from.into()),
        deposed: DeposedKey::new("0000000a"),
        change: change(Action::Delete),
        reason: ActionReason::DeleteBecauseNoModule,
        required_replace: PathSet::EMPTY,
        private: crate::state::Private::NONE,
    };
    let of = |answer| AddressedChange::of_answer(instance("module.a.t.n"), provider("t"), answer, NOTATION);
    let change = of(answer("t.n[0]")).expect("addresses");
    assert_eq!(change.prev_run_addr(), &instance("t.n[0]"));
    assert_eq!(change.deposed(), DeposedKey::new("0000000a").as_ref());
    assert_eq!(change.planned.reason, ActionReason::DeleteBecauseNoModule);
    let error = of(answer("t")).expect_err("no address");
    assert_eq!(error.to_string(), "expected a name at byte 1 of the address \"t\"");
}
