use super::super::testing::*;
use super::*;
use crate::dialect::Engine;
use crate::json::Json;
use crate::plans::{Action, AddressedChange, Changes};
use crate::state::file::{Attributes, InstanceKey, StoredObject, StoredResource};
use crate::state::{Private, Status};
use crate::value::WrittenPath;

fn object(name: &str) -> StoredObject {
    StoredObject {
        key: InstanceKey::None,
        deposed: None,
        provider: None,
        status: Status::Ready,
        schema_version: 0,
        attributes: Attributes::Json(Json::object([("name", Json::string(name))])),
        sensitive: [".a", ".b"].map(|path| WrittenPath::parse(path).expect("a path")).into(),
        identity: None,
        private: Private::NONE,
        dependencies: vec!["t.a".into(), "t.b".into()],
        depends_on: Vec::new(),
        create_before_destroy: false,
        skip_destroy: false,
    }
}

fn state(kind: ResourceKind, objects: Vec<StoredObject>) -> Snapshot {
    let provider = Some(provider("t").to_string());
    let resource =
        StoredResource { module: String::new(), kind, type_name: "t".into(), name: "n".into(), provider, objects };
    Snapshot { resources: vec![resource], ..Snapshot::empty("1.0.0", "l", 1) }
}

fn plan(engine: Engine) -> Plan {
    let stored = state(ResourceKind::Managed, vec![object("a")]);
    Plan::new(engine, Backend::local(), stored.clone(), stored)
}

fn encoded(changes: impl IntoIterator<Item = AddressedChange>) -> EncodedChanges {
    let mut all = Changes::new();
    changes.into_iter().for_each(|change| all.append_resource(change));
    all.encode(|_| Some(object_type())).expect("encoded")
}

#[test]
fn pl63_provider_addresses_by_their_texts() {
    let mut plan = plan(Engine::Terraform);
    assert!(plan.provider_addrs().is_empty());
    let with = |name: &str, module: &str, alias: Option<&str>| {
        let mut provider = provider(name);
        provider.module = crate::address::ModuleInstance::parse(module).expect("a module").module();
        provider.alias = alias.map(str::to_owned);
        AddressedChange { provider, ..addressed("t.n", Action::NoOp) }
    };
    plan.changes = encoded([
        with("z", "", None),
        with("a", "", Some("b")),
        with("a", "", None),
        with("z", "", None),
        with("a", "module.m", None),
    ]);
    let found: Vec<_> = plan.provider_addrs().into_iter().map(ToString::to_string).collect();
    let source = "registry.terraform.io/hashicorp";
    let want = [
        format!("module.m.provider[\"{source}/a\"]"),
        format!("provider[\"{source}/a\"]"),
        format!("provider[\"{source}/a\"].b"),
        format!("provider[\"{source}/z\"]"),
    ];
    assert_eq!(found, want);
}

#[test]
fn pl64_plans_of_terraform_state_whether_they_can_be_applied() {
    let mut plan = plan(Engine::Terraform);
    plan.changes = encoded([addressed("t.n", Action::Create)]);
    assert!(!plan.can_apply());
    let OfEngine::Terraform { applyable, .. } = &mut plan.of_engine else { panic!("of Terraform") };
    *applyable = true;
    plan.changes = EncodedChanges::new();
    assert!(plan.can_apply());
}

#[test]
fn pl64_opentofu_can_apply_changes_and_what_a_refresh_took_in() {
    let with = |edit: &dyn Fn(&mut Plan)| {
        let mut plan = plan(Engine::OpenTofu);
        edit(&mut plan);
        plan.can_apply()
    };
    let refresh = |prior: &Snapshot| {
        with(&|plan| {
            plan.mode = Mode::RefreshOnly;
            plan.prior_state = prior.clone();
        })
    };
    let managed = |objects| state(ResourceKind::Managed, objects);
    assert!(!with(&|_| ()), "nothing changes");
    assert!(with(&|plan| plan.changes = encoded([addressed("t.n", Action::Update)])));
    assert!(!with(&|plan| plan.changes = encoded([addressed("t.n", Action::NoOp)])));
    assert!(!with(&|plan| {
        plan.changes = encoded([addressed("t.n", Action::Update)]);
        plan.errored = true;
    }));
    assert!(!refresh(&managed(vec![object("a")])), "the same");
    assert!(refresh(&managed(vec![object("b")])), "another value");
    assert!(refresh(&managed(Vec::new())), "gone");
    assert!(refresh(&managed(vec![StoredObject { status: Status::Tainted, ..object("a") }])), "tainted");
    let mut other_order = object("a");
    other_order.sensitive.reverse();
    other_order.dependencies.reverse();
    assert!(!refresh(&managed(vec![other_order])), "order has no meaning");
    let mut with_data = managed(vec![object("a")]);
    with_data.resources.extend(state(ResourceKind::Data, vec![object("a")]).resources);
    assert!(!refresh(&with_data), "data resources do not count");
    let mut with_output = managed(vec![object("a")]);
    with_output.outputs.push(("o".into(), Json::Null));
    assert!(!refresh(&with_output), "outputs do not count");
    assert!(!with(&|plan| plan.prior_state = managed(vec![object("b")])), "only where it is there for it");
}

#[test]
fn pl64_terraform_takes_in_root_outputs_as_well() {
    let with = |engine, errored| {
        let mut plan = Plan { mode: Mode::RefreshOnly, errored, ..plan(engine) };
        assert!(!plan.has_purpose(), "the same");
        plan.prior_state.outputs.push(("o".into(), Json::Null));
        plan.has_purpose()
    };
    assert!(with(Engine::Terraform, false) && !with(Engine::Terraform, true) && !with(Engine::OpenTofu, false));
}

#[test]
fn pl65_qualities() {
    let with = |engine, edit: fn(&mut Plan)| {
        let mut plan = plan(engine);
        edit(&mut plan);
        plan.qualities()
    };
    let target = |plan: &mut Plan| plan.targets.push(NOTATION.target("module.a").expect("a target"));
    for engine in [Engine::Terraform, Engine::OpenTofu] {
        assert_eq!(with(engine, |_| ()), [Quality::NoChanges]);
    }
    assert_eq!(with(Engine::Terraform, |plan| plan.errored = true), [Quality::Errored]);
    assert_eq!(with(Engine::OpenTofu, |plan| plan.errored = true), [Quality::Errored, Quality::NoChanges]);
    assert_eq!(with(Engine::Terraform, target), [Quality::NoChanges]);
    assert_eq!(with(Engine::OpenTofu, target), [Quality::NoChanges, Quality::Targeted]);
    assert_eq!([Quality::Errored, Quality::NoChanges, Quality::Targeted].map(|quality| quality as u8), [0, 1, 2]);
}

#[test]
fn pl66_a_backend_has_a_type_and_a_configuration() {
    assert!(Backend::new("", DynamicValue::null(), "default").is_none());
    let backend = Backend::new("s3", DynamicValue::null(), "w").expect("a backend");
    assert_eq!((backend.type_name(), backend.workspace()), ("s3", "w"));
    let local = Backend::local();
    let ty = crate::value::Type::parse(r#"["object",{"path":"string","workspace_dir":"string"}]"#).expect("a type");
    assert!(local.config().decode(&ty).is_ok());
}
