use proptest::prelude::*;

use super::super::testing::*;
use super::*;
use crate::plans::{Change, Importing, ResourceInstanceChange};

/// An operation on a set of changes.
#[derive(Clone, Debug)]
enum Step {
    Append(Box<AddressedChange>),
    AppendOutput(OutputChange),
    Remove(AbsResourceInstance, Option<DeposedKey>),
    RemoveOutput(OutputAddress),
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => any_addressed().prop_map(|change| Step::Append(Box::new(change))),
        3 => any_output().prop_map(Step::AppendOutput),
        2 => (any_instance(), any_deposed()).prop_map(|(addr, deposed)| Step::Remove(addr, deposed)),
        1 => any_output_address().prop_map(Step::RemoveOutput),
    ]
}

/// The same in two lists, which every lookup scans.
#[derive(Default)]
struct Naive {
    resources: Vec<AddressedChange>,
    outputs: Vec<OutputChange>,
}

impl Naive {
    fn take(&mut self, step: Step) {
        match step {
            Step::Append(change) => self.resources.push(*change),
            Step::AppendOutput(output) => self.outputs.push(output),
            Step::Remove(addr, deposed) => {
                let is_it = |change: &AddressedChange| change.addr == addr && change.planned.deposed == deposed;
                if let Some(at) = self.resources.iter().position(is_it) {
                    self.resources.remove(at);
                }
            }
            Step::RemoveOutput(addr) => {
                if let Some(at) = self.outputs.iter().position(|output| output.addr() == &addr) {
                    self.outputs.remove(at);
                }
            }
        }
    }

    fn current(&self) -> impl Iterator<Item = &AddressedChange> {
        self.resources.iter().filter(|change| change.planned.deposed.is_none())
    }

    fn is_empty(&self) -> bool {
        let quiet = |change: &AddressedChange| {
            let moved = change.planned.moved_from.as_ref().is_some_and(|before| *before != change.addr);
            change.planned.change.action == Action::NoOp && !moved && change.planned.change.importing.is_none()
        };
        let root = |output: &&OutputChange| output.addr().module.is_root();
        self.resources.iter().all(quiet)
            && self.outputs.iter().filter(root).all(|output| output.change().action == Action::NoOp)
    }
}

fn changes(steps: &[Step]) -> (Changes, Naive) {
    let (mut changes, mut naive) = (Changes::new(), Naive::default());
    for step in steps {
        naive.take(step.clone());
        match step.clone() {
            Step::Append(change) => changes.append_resource(*change),
            Step::AppendOutput(output) => changes.append_output(output),
            Step::Remove(addr, deposed) => drop(changes.remove_resource(&addr, deposed.as_ref())),
            Step::RemoveOutput(addr) => drop(changes.remove_output(&addr)),
        }
    }
    (changes, naive)
}

proptest! {
    #[test]
    fn pl30_to_pl41_every_query_is_what_a_walk_finds(
        steps in prop::collection::vec(any_step(), 0..40),
        addr in any_instance(),
        deposed in any_deposed(),
        output in any_output_address(),
        parent in prop::sample::select(MODULES.to_vec()),
    ) {
        let (changes, naive) = changes(&steps);
        prop_assert!(changes.resources().eq(&naive.resources), "PL30");
        prop_assert!(changes.outputs().eq(&naive.outputs), "PL30");
        let found = changes.resource_instance(&addr);
        prop_assert_eq!(found, naive.current().find(|change| change.addr == addr), "PL31");
        let found = changes.resource_instance_deposed(&addr, deposed.as_ref());
        let mut of_addr = naive.resources.iter().filter(|change| change.addr == addr);
        prop_assert_eq!(found, of_addr.find(|change| change.planned.deposed == deposed), "PL32");
        let config = addr.config_resource();
        let found = changes.instances_for_config_resource(&config);
        prop_assert!(found.eq(naive.current().filter(|change| change.addr.config_resource() == config)), "PL33");
        let resource = addr.abs_resource();
        let found = changes.instances_for_abs_resource(&resource);
        prop_assert!(found.eq(naive.current().filter(|change| change.addr.abs_resource() == resource)), "PL34");
        let found = changes.output_value(&output);
        prop_assert_eq!(found, naive.outputs.iter().find(|change| change.addr() == &output), "PL35");
        let root = naive.outputs.iter().filter(|change| change.addr().module.is_root());
        prop_assert!(changes.root_output_values().eq(root), "PL36");
        let parent = module(parent);
        let called = naive.outputs.iter().filter(|change| change.addr().module.is_of_call(&parent, "b"));
        prop_assert!(changes.output_values(&parent, "b").eq(called), "PL37");
        prop_assert_eq!(changes.is_empty(), naive.is_empty(), "PL40");
        let full = naive.resources.iter().all(|change| change.planned.change.action == Action::Delete);
        prop_assert_eq!(changes.is_full_destroy(), full, "PL41");
        prop_assert_eq!(&changes.clone().into_sync().into_changes(), &changes, "PL38");
    }

    #[test]
    fn pl42_encoding_and_decoding_a_set_gives_the_same(steps in prop::collection::vec(any_step(), 0..20)) {
        let (changes, _) = changes(&steps);
        let encoded = changes.encode(|_| Some(object_type())).expect("encoded");
        prop_assert_eq!(encoded.decode(|_| Some(object_type())).expect("decoded"), changes, "PL09");
    }
}

#[test]
fn pl31_pl32_the_first_of_several() {
    let mut changes = Changes::new();
    let mut put = |action, deposed: Option<&str>| {
        let mut change = addressed("t.n", action);
        change.planned.deposed = deposed.and_then(DeposedKey::new);
        changes.append_resource(change);
    };
    put(Action::Delete, Some("0000000a"));
    put(Action::Update, None);
    put(Action::Create, None);
    put(Action::NoOp, Some("0000000b"));
    let addr = instance("t.n");
    assert_eq!(changes.resource_instance(&addr).map(AddressedChange::action), Some(Action::Update));
    for (key, action) in [("0000000a", Some(Action::Delete)), ("0000000b", Some(Action::NoOp)), ("0000000c", None)] {
        let found = changes.resource_instance_deposed(&addr, DeposedKey::new(key).as_ref());
        assert_eq!(found.map(AddressedChange::action), action, "{key}");
    }
    assert_eq!(changes.resource_instance(&instance("t.other")), None);
}

#[test]
fn pl37_root_outputs_are_of_no_call() {
    let mut changes = Changes::new();
    for addr in [
        "output.x",
        "module.a.output.x",
        "module.a[0].output.y",
        "module.a[\"k\"].output.x",
        "module.a.module.a.output.x",
    ] {
        changes.append_output(output(addr, Action::Create));
    }
    let of = |parent, call| -> Vec<String> {
        changes.output_values(&module(parent), call).map(|output| output.addr().to_string()).collect()
    };
    assert_eq!(of("", "a"), ["module.a.output.x", "module.a[0].output.y", "module.a[\"k\"].output.x"]);
    assert_eq!(of("module.a", "a"), ["module.a.module.a.output.x"]);
    assert_eq!(of("module.a[0]", "a"), [""; 0]);
    assert_eq!(of("", ""), [""; 0]);
}

#[test]
fn pl40_all_but_plain_no_ops_count_as_changes() {
    let with = |edit: fn(&mut ResourceInstanceChange<Marked, AbsResourceInstance>)| {
        let mut change = addressed("t.n", Action::NoOp);
        edit(&mut change.planned);
        let mut changes = Changes::new();
        changes.append_resource(change);
        changes.is_empty()
    };
    assert!(with(|_| ()), "a no-op");
    assert!(with(|planned| planned.deposed = Some(DeposedKey::zeros())), "a deposed no-op");
    assert!(with(|planned| planned.moved_from = Some(instance("t.n"))), "moved nowhere");
    assert!(!with(|planned| planned.moved_from = Some(instance("t.m"))), "moved");
    assert!(!with(|planned| planned.change.importing = Some(Importing::Unknown)), "imported");
    for action in Action::ALL.iter().filter(|action| **action != Action::NoOp) {
        let mut changes = Changes::new();
        changes.append_resource(addressed("t.n", *action));
        assert!(!changes.is_empty(), "{action}");
    }
    for (addr, empty) in [("output.x", false), ("module.a.output.x", true)] {
        let mut changes = Changes::<Marked>::new();
        changes.append_output(output(addr, Action::Update));
        assert_eq!(changes.is_empty(), empty, "{addr}");
    }
}

#[test]
fn pl41_nothing_is_a_full_destroy() {
    let mut changes = Changes::new();
    assert!(changes.is_full_destroy());
    changes.append_output(output("output.x", Action::Create));
    changes.append_resource(addressed("t.n", Action::Delete));
    assert!(changes.is_full_destroy(), "outputs do not count");
    changes.append_resource(addressed("t.m", Action::NoOp));
    assert!(!changes.is_full_destroy());
}

#[test]
fn pl42_a_change_without_schema_is_named() {
    let mut changes = Changes::new();
    changes.append_resource(addressed("module.a.t.n[0]", Action::Update));
    changes.append_resource(addressed("data.u.n", Action::Read));
    let types = |of: crate::plans::ResourceType<'_>| (of.name == "t").then(object_type);
    let error = changes.encode(types).expect_err("no schema");
    let missing = "data.u.n: expected a schema of the data source u of registry.terraform.io/hashicorp/t, found none";
    assert_eq!(error.to_string(), missing);
    let encoded = changes.encode(|_| Some(object_type())).expect("encoded");
    assert_eq!(encoded.decode(types).expect_err("no schema").to_string(), missing);
    let error = encoded.decode(|_| Some(crate::value::Type::Bool)).expect_err("no bool");
    assert!(error.to_string().starts_with("module.a.t.n[0]: the value before: "), "{error}");
}

#[test]
fn pl42_a_schema_is_asked_for_once() {
    let mut changes = Changes::new();
    (0..5).for_each(|index| changes.append_resource(addressed(&format!("t.n[{index}]"), Action::NoOp)));
    let mut asked = 0;
    let types = |_: crate::plans::ResourceType<'_>| {
        asked += 1;
        Some(object_type())
    };
    changes.encode(types).expect("encoded");
    assert_eq!(asked, 1);
}

#[test]
fn pl10_an_empty_address_before_moves_is_the_address() {
    let change = addressed("t.n", Action::NoOp);
    let encoded = change.encode(&object_type()).expect("encoded");
    assert_eq!(encoded.prev_run_addr(), &instance("t.n"));
    assert_eq!(encoded.decode(&object_type()).expect("decoded").prev_run_addr(), &instance("t.n"));
    let Change { importing, .. } = change.planned.change;
    assert_eq!(importing, None);
}

#[test]
fn pl31_pl53_many_instances_are_found_and_removed_without_a_walk() {
    let count = 20_000;
    let mut changes = Changes::<Marked>::new();
    let one = addressed("t.n", Action::Update);
    let at = |index: i64| AbsResourceInstance { key: crate::address::InstanceKey::Int(index), ..one.addr.clone() };
    (0..count).for_each(|index| changes.append_resource(AddressedChange { addr: at(index), ..one.clone() }));
    // With scans, these would be 800 million comparisons of addresses.
    assert!((0..count).all(|index| changes.resource_instance(&at(index)).is_some()));
    assert!((0..count).all(|index| changes.remove_resource(&at(index), None).is_some()));
    assert_eq!(changes.resources().len(), 0);
}
