use std::collections::BTreeSet;
use std::thread;

use proptest::prelude::*;

use super::super::testing::*;
use super::*;
use crate::plans::Action;
use crate::state::Private;

#[test]
fn pl50_to_pl55_copies_are_promised() {
    let view = Changes::new().into_sync();
    let mut mine = addressed("t.n", Action::Update);
    view.append_resource_instance_change(mine.clone());
    mine.planned.change.action = Action::Delete;
    let addr = instance("t.n");
    let mut theirs = view.get_resource_instance_change(&addr, None).expect("a change");
    assert_eq!(theirs.action(), Action::Update, "PL50");
    theirs.planned.private = Private::from(b"x".as_slice());
    let again = view.get_resource_instance_change(&addr, None).expect("a change");
    assert!(again.planned.private.is_none(), "PL51");
    view.append_output_change(output("output.x", Action::Create));
    drop(view.get_output_change(&output_address("output.x")));
    view.remove_output_change(&output_address("output.x"));
    assert_eq!(view.get_output_change(&output_address("output.x")), None, "PL56");
}

#[test]
fn pl52_nothing_found_is_empty() {
    let view = Changes::<Marked>::default().into_sync();
    let addr = instance("module.a[0].t.n");
    assert!(view.get_changes_for_config_resource(&addr.config_resource()).is_empty());
    assert!(view.get_changes_for_abs_resource(&addr.abs_resource()).is_empty());
    assert!(view.get_root_output_changes().is_empty());
    assert!(view.get_output_changes(&module("module.a[0]"), "b").is_empty());
    assert!(view.is_full_destroy());
}

#[test]
fn pl53_pl59_removes_the_first_of_a_generation_and_keeps_the_order() {
    let view = Changes::new().into_sync();
    let key = DeposedKey::new("0000000a");
    for (action, deposed) in
        [(Action::NoOp, &None), (Action::Update, &key), (Action::Create, &None), (Action::Delete, &key)]
    {
        let mut change = addressed("t.n", action);
        change.planned.deposed.clone_from(deposed);
        view.append_resource_instance_change(change);
    }
    let addr = instance("t.n");
    let actions = || view.snapshot().resources().map(AddressedChange::action).collect::<Vec<_>>();
    view.remove_resource_instance_change(&addr, key.as_ref());
    assert_eq!(actions(), [Action::NoOp, Action::Create, Action::Delete]);
    view.remove_resource_instance_change(&instance("t.m"), None);
    assert_eq!(actions(), [Action::NoOp, Action::Create, Action::Delete], "no match: nothing");
    view.remove_resource_instance_change(&addr, None);
    assert_eq!(actions(), [Action::Create, Action::Delete]);
    assert_eq!(view.get_resource_instance_change(&addr, None).map(|change| change.action()), Some(Action::Create));
}

/// The operations of a thread: it puts changes of its own in, and takes each second one of them out again.
fn write(view: &ChangesSync, thread: usize, count: usize) {
    for index in 0..count {
        let addr = format!("module.m[{thread}].t.n[{index}]");
        view.append_resource_instance_change(addressed(&addr, Action::Create));
        view.append_output_change(output(&format!("module.m[{thread}].output.o{index}"), Action::Create));
        if index % 2 == 1 {
            view.remove_resource_instance_change(&instance(&addr), None);
            view.remove_output_change(&output_address(&format!("module.m[{thread}].output.o{index}")));
        }
        // Whatever the other threads do, this thread sees all of its own changes to its module, and no others.
        let resource = instance(&addr).abs_resource();
        assert_eq!(view.get_changes_for_abs_resource(&resource).len(), index / 2 + 1);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn pl57_nothing_is_lost_or_removed_twice_of_one_address(counts in prop::collection::vec(0_usize..24, 2..5)) {
        let view = Changes::new().into_sync();
        let (addr, out) = (instance("t.n"), output_address("output.o"));
        thread::scope(|scope| {
            for count in counts.iter().copied() {
                scope.spawn({
                    let (view, addr, out) = (&view, &addr, &out);
                    move || {
                        // There is at least one when this thread removes one: its own, or that of another thread which has
                        // yet to remove it.
                        for _ in 0..count {
                            view.append_resource_instance_change(addressed("t.n", Action::Update));
                            view.append_output_change(output("output.o", Action::Update));
                            assert!(view.get_resource_instance_change(addr, None).is_some());
                            view.remove_resource_instance_change(addr, None);
                            view.remove_output_change(out);
                        }
                        view.append_resource_instance_change(addressed("t.n", Action::Update));
                    }
                });
            }
        });
        let changes = view.into_changes();
        prop_assert_eq!((changes.resources().len(), changes.outputs().len()), (counts.len(), 0));
    }

    #[test]
    fn pl57_operations_are_atomic(counts in prop::collection::vec(0_usize..24, 1..5)) {
        let view = Changes::new().into_sync();
        thread::scope(|scope| {
            for (thread, count) in counts.iter().copied().enumerate() {
                let view = &view;
                scope.spawn(move || write(view, thread, count));
            }
            scope.spawn(|| {
                for _ in 0..20 {
                    // A copy is of one moment: no address is twice in it, and every listed change is found in it.
                    let copy = view.snapshot();
                    let addresses: BTreeSet<_> = copy.resources().map(|change| &change.addr).collect();
                    assert_eq!(addresses.len(), copy.resources().len());
                    assert!(copy.resources().all(|change| copy.resource_instance(&change.addr) == Some(change)));
                }
            });
        });
        let changes = view.into_changes();
        for (thread, count) in counts.iter().copied().enumerate() {
            // Nothing is lost, and the order of each thread is kept.
            let mine = changes.resources().map(|change| change.addr.to_string());
            let mine = mine.filter(|addr| addr.starts_with(&format!("module.m[{thread}]"))).collect::<Vec<_>>();
            let want = (0..count).step_by(2).map(|index| format!("module.m[{thread}].t.n[{index}]"));
            prop_assert_eq!(mine, want.collect::<Vec<_>>());
            prop_assert_eq!(changes.output_values(&ModuleInstance::ROOT, "m").count(), changes.outputs().len());
        }
        prop_assert_eq!(changes.outputs().len(), changes.resources().len());
    }
}
