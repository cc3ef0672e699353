//! Fixtures of the tests of this folder.

use proptest::prelude::*;

use super::{Action, ActionReason, AddressedChange, Change, Importing, Marked, OutputChange, ResourceInstanceChange};
use crate::address::{AbsResourceInstance, ModuleInstance, Notation, OutputAddress, ProviderConfig};
use crate::dialect::Engine;
use crate::state::{DeposedKey, Private};
use crate::value::{PathSet, Type, Value};

pub(super) const NOTATION: Notation = Notation { engine: Engine::Terraform };

pub(super) fn instance(text: &str) -> AbsResourceInstance {
    NOTATION.instance(text).expect("an address")
}

pub(super) fn module(text: &str) -> ModuleInstance {
    ModuleInstance::parse(text).expect("a module")
}

pub(super) fn output_address(text: &str) -> OutputAddress {
    OutputAddress::parse(text).expect("an output")
}

pub(super) fn provider(name: &str) -> ProviderConfig {
    ProviderConfig::parse(&format!("provider[\"registry.terraform.io/hashicorp/{name}\"]")).expect("a provider")
}

/// A type of objects with something of every kind in it.
pub(super) fn object_type() -> Type {
    let text = r#"["object",{"id":"string","tags":["map","string"],"names":["set","string"],"any":"dynamic"}]"#;
    Type::parse(text).expect("a type")
}

pub(super) fn object(id: Value) -> Value {
    Value::object(vec![
        ("id".into(), id),
        ("tags".into(), Value::map(&Type::String, vec![("k".into(), Value::string("v"))]).expect("a map")),
        ("names".into(), Value::set(&Type::String, vec![Value::string("n")]).expect("a set")),
        ("any".into(), Value::null(Type::Dynamic)),
    ])
}

pub(super) fn change(action: Action) -> Change {
    let null = || Marked::null(object_type());
    let stored = Marked::new(object(Value::string("1")), &PathSet::parse([".id", ".tags[\"k\"]"]).expect("paths"));
    let planned = Marked::new(object(Value::unknown(Type::String)), &PathSet::parse([".id"]).expect("paths"));
    let (before, after) = match action {
        Action::NoOp => (stored.clone(), stored),
        Action::Create => (null(), planned),
        Action::Delete | Action::Forget => (stored, null()),
        _ => (stored, planned),
    };
    Change { action, before, after, importing: None }
}

pub(super) fn planned(action: Action) -> ResourceInstanceChange<Marked, AbsResourceInstance> {
    ResourceInstanceChange {
        moved_from: None,
        deposed: None,
        change: change(action),
        reason: ActionReason::None,
        required_replace: PathSet::EMPTY,
        private: Private::NONE,
    }
}

pub(super) fn addressed(addr: &str, action: Action) -> AddressedChange {
    AddressedChange::new(instance(addr), provider("t"), planned(action))
}

pub(super) fn output(addr: &str, action: Action) -> OutputChange {
    let of = |text| Marked::plain(Value::string(text));
    let change = Change { action, before: of("before"), after: of("after"), importing: None };
    OutputChange::new(output_address(addr), change, false).expect("an output's change")
}

pub(super) const MODULES: [&str; 6] =
    ["", "module.a[0]", "module.a[1]", "module.a", "module.b", "module.a[0].module.b[\"x\"]"];

fn at_module(module: &str, rest: &str) -> String {
    if module.is_empty() { rest.to_owned() } else { format!("{module}.{rest}") }
}

pub(super) fn any_instance() -> impl Strategy<Value = AbsResourceInstance> {
    let resource = prop::sample::select(vec!["t.n", "data.t.n", "t.m", "u.n"]);
    let key = prop::sample::select(vec!["", "[0]", "[10]", "[\"0\"]"]);
    let parts = (prop::sample::select(MODULES.to_vec()), resource, key);
    parts.prop_map(|(module, resource, key)| instance(&at_module(module, &format!("{resource}{key}"))))
}

pub(super) fn any_deposed() -> impl Strategy<Value = Option<DeposedKey>> {
    prop_oneof![2 => Just(None), 1 => Just(DeposedKey::new("0000000a")), 1 => Just(DeposedKey::new("0000000b"))]
}

pub(super) fn any_output_address() -> impl Strategy<Value = OutputAddress> {
    let parts = (prop::sample::select(MODULES.to_vec()), prop::sample::select(vec!["x", "y"]));
    parts.prop_map(|(module, name)| output_address(&at_module(module, &format!("output.{name}"))))
}

/// Any change; most have private data of their own, so that they differ.
pub(super) fn any_addressed() -> impl Strategy<Value = AddressedChange> {
    let action = prop_oneof![2 => Just(Action::NoOp), 3 => prop::sample::select(Action::ALL)];
    let moved = prop::option::weighted(0.2, any_instance());
    let imported = prop::option::weighted(0.1, Just(Importing::Id("i".into())));
    (any_instance(), any_deposed(), action, moved, imported, any::<u32>()).prop_map(
        |(addr, deposed, action, moved_from, importing, private)| {
            let change = Change { importing, ..change(action) };
            let private = Private::from(private.to_string().as_bytes());
            let planned = ResourceInstanceChange { moved_from, deposed, change, private, ..planned(action) };
            AddressedChange::new(addr, provider("t"), planned)
        },
    )
}

pub(super) fn any_output() -> impl Strategy<Value = OutputChange> {
    let action = prop::sample::select(vec![Action::NoOp, Action::NoOp, Action::Create, Action::Update, Action::Delete]);
    (any_output_address(), action, any::<bool>()).prop_map(|(addr, action, sensitive)| {
        let after = Marked::plain(Value::string("a"));
        let change = Change { action, before: Marked::null(Type::Dynamic), after, importing: None };
        OutputChange::new(addr, change, sensitive).expect("an output's change")
    })
}
