//! Plan files written from nothing, shown and applied by a real Terraform. Skipped, with a printed line, where there is none
//! or one of another version; an error where it is required.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use planfuzz_core::address::ResourceKind;
use planfuzz_core::dialect::Engine;
use planfuzz_core::json::Json;
use planfuzz_core::plans::file::{
    CheckKind, CheckObject, CheckResult, CheckStatus, ConfigFile, FileChange, Module, PlanDocument, PlanFile,
};
use planfuzz_core::plans::{Action, ActionReason, Change, Marked, ResourceInstanceChange};
use planfuzz_core::state::file::{InstanceKey, Snapshot, StoredResource};
use planfuzz_core::state::{DeposedKey, InstanceState, Object, Private, Stored};
use planfuzz_core::value::{PathSet, Type, Value};

const VERSION: &str = "1.11.4";
/// Set where no test may be skipped.
const REQUIRED: &str = "PLANFUZZ_REQUIRE_ENGINE";

const PROVIDER: &str = "provider[\"terraform.io/builtin/terraform\"]";

/// The implied type of `terraform_data`.
fn ty() -> Type {
    Type::parse(r#"["object",{"id":"string","input":"dynamic","output":"dynamic","triggers_replace":"dynamic"}]"#)
        .expect("a type")
}

/// A `terraform_data` with an input; its output and, where there is no id, the id are unknown.
fn planned(id: Option<&str>, input: &str) -> Value {
    let id = id.map_or(r#"{"$unknown":true}"#.to_owned(), |id| format!("{id:?}"));
    object(&id, input, r#"{"$unknown":true}"#)
}

fn stored(id: &str, input: &str) -> Value {
    object(&format!("{id:?}"), input, &format!(r#"{{"type":"string","value":{input:?}}}"#))
}

fn object(id: &str, input: &str, output: &str) -> Value {
    let json = format!(
        r#"{{"id":{id},"input":{{"type":"string","value":{input:?}}},"output":{output},"triggers_replace":null}}"#
    );
    Value::from_json(&Json::parse(&json).expect("json"), &ty()).expect("a value")
}

fn change(name: &str, action: Action, before: Option<Value>, after: Option<Value>) -> FileChange {
    deposed_change(name, None, action, before, after)
}

fn deposed_change(
    name: &str,
    deposed: Option<DeposedKey>,
    action: Action,
    before: Option<Value>,
    after: Option<Value>,
) -> FileChange {
    let marked = |value: Option<Value>| Marked::plain(value.unwrap_or_else(|| Value::null(ty())));
    let change = ResourceInstanceChange {
        moved_from: None,
        deposed,
        change: Change { action, before: marked(before), after: marked(after), importing: None },
        reason: ActionReason::None,
        required_replace: PathSet::EMPTY,
        private: Private::NONE,
    };
    FileChange::encode(&format!("terraform_data.{name}"), PROVIDER, &change, &ty()).expect("a change")
}

fn resource(name: &str, state: &InstanceState) -> StoredResource {
    StoredResource {
        module: String::new(),
        kind: ResourceKind::Managed,
        type_name: "terraform_data".into(),
        name: name.into(),
        provider: Some(PROVIDER.into()),
        objects: StoredResource::objects_of(state, &ty(), 0).expect("objects"),
    }
}

fn current(value: Value) -> InstanceState {
    InstanceState { current: Some(Object::ready(value)), ..InstanceState::ABSENT }
}

fn plan(changes: Vec<FileChange>, state: &Snapshot, config: &str) -> PlanFile {
    PlanFile {
        plan: PlanDocument { changes, ..PlanDocument::new(Engine::Terraform, VERSION, "2025-01-02T03:04:05Z") },
        state: state.clone(),
        previous: state.clone(),
        config: vec![ConfigFile {
            module: String::new(),
            name: "main.tf.json".into(),
            contents: config.as_bytes().to_vec(),
        }],
        manifest: vec![Module::root()],
        locks: Some(Vec::new()),
        schemas: None,
    }
}

fn terraform(folder: &Path, args: &[&str]) -> std::io::Result<Output> {
    let mut command = Command::new("terraform");
    command.args(args).current_dir(folder).env("CHECKPOINT_DISABLE", "1").env("TF_CLI_CONFIG_FILE", "/dev/null");
    command.env("TF_IN_AUTOMATION", "1").output()
}

/// Whether the version that the plans name is there; otherwise prints that the test is skipped.
///
/// # Panics
/// If it is not there where it is required.
#[track_caller]
fn is_there() -> bool {
    let there = terraform(Path::new("."), &["version", "-json"]).is_ok_and(|output| {
        let version = Json::parse_bytes(&output.stdout);
        version.is_ok_and(|json| json.member("terraform_version") == Some(&Json::string(VERSION)))
    });
    if !there {
        assert!(std::env::var_os(REQUIRED).is_none(), "expected Terraform {VERSION} on the path: {REQUIRED} is set");
        println!("skipped: no Terraform {VERSION} here");
    }
    there
}

#[track_caller]
fn run(folder: &Path, args: &[&str]) -> String {
    let output = terraform(folder, args).expect("terraform");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Applies a plan that we wrote and reads the state.
#[track_caller]
fn applied(plan: &PlanFile, terraform_tfstate: Option<&Snapshot>) -> Snapshot {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    fs::write(path("plan.bin"), plan.write().expect("a file")).expect("a file");
    if let Some(state) = terraform_tfstate {
        fs::write(path("terraform.tfstate"), state.to_indented()).expect("a file");
    }
    run(folder.path(), &["show", "-no-color", "plan.bin"]);
    let shown = Json::parse(&run(folder.path(), &["show", "-json", "plan.bin"])).expect("json");
    let changes = shown.member("resource_changes").expect("changes").expect_array().expect("changes").len();
    assert_eq!(changes, plan.plan.changes.len());
    run(folder.path(), &["apply", "-input=false", "-no-color", "plan.bin"]);
    let text = fs::read_to_string(path("terraform.tfstate")).expect("a state");
    let state = Snapshot::read(text.as_bytes()).expect("a state");
    assert_eq!(state.to_indented(), text, "ST01 to ST08");
    state
}

/// The objects of each resource as text: deposed key, and input where the value is readable.
fn summary(state: &Snapshot) -> Vec<(String, Vec<(String, String)>)> {
    let resources = state.resources.iter().map(|resource| {
        let instance = resource.instance(&InstanceKey::None, &ty(), 0).expect("objects");
        let input = |object: &Object| match &object.stored {
            Stored::Value(value) => value.view().entries().nth(1).map(|(_, input)| input.to_json_text(&Type::String)),
            Stored::Raw { .. } => None,
        };
        let current = instance.current.iter().map(|object| (String::new(), object));
        let deposed = instance.deposed.iter().map(|(key, object)| (key.as_str().to_owned(), object));
        let objects = current.chain(deposed).map(|(key, object)| (key, input(object).unwrap_or_default()));
        (resource.name.clone(), objects.collect())
    });
    resources.collect()
}

fn one(name: &str, input: &str) -> (String, Vec<(String, String)>) {
    (name.to_owned(), vec![(String::new(), format!("{input:?}"))])
}

#[test]
fn pf13_a_creation_in_an_empty_folder() {
    if !is_there() {
        return;
    }
    let state = Snapshot::empty(VERSION, "", 0);
    let create = change("a", Action::Create, None, Some(planned(None, "x")));
    let plan = plan(vec![create], &state, r#"{"resource":{"terraform_data":{"a":{"input":"x"}}}}"#);
    assert_eq!(summary(&applied(&plan, None)), [one("a", "x")]);
}

#[test]
fn pf14_pf19_changes_of_every_kind_with_a_state_of_equal_lineage_and_serial() {
    if !is_there() {
        return;
    }
    let key = DeposedKey::new("0000000a").expect("a key");
    let mut updated = current(stored("1", "old"));
    updated.deposed.insert(key.clone(), Object::ready(stored("2", "deposed")));
    let mut state = Snapshot::empty(VERSION, "some", 5);
    state.resources = vec![
        resource("updated", &updated),
        resource("replaced", &current(stored("3", "old"))),
        resource("deleted", &current(stored("4", "old"))),
        resource("kept", &current(stored("5", "old"))),
        resource("forgotten", &current(stored("6", "old"))),
    ];
    let changes = vec![
        change("updated", Action::Update, Some(stored("1", "old")), Some(planned(Some("1"), "new"))),
        deposed_change("updated", Some(key), Action::Delete, Some(stored("2", "deposed")), None),
        change("deleted", Action::Delete, Some(stored("4", "old")), None),
        change("kept", Action::NoOp, Some(stored("5", "old")), Some(stored("5", "old"))),
        change("forgotten", Action::Forget, Some(stored("6", "old")), None),
    ];
    let config = r#"{"resource":{"terraform_data":{"updated":{"input":"new"},"replaced":{"input":"old"},"kept":{"input":"old"}}}}"#;
    let file = plan(changes, &state, config);
    // Of the file in the folder only lineage and serial are looked at.
    let beside = Snapshot::empty(VERSION, "some", 5);
    let want = [one("kept", "old"), one("replaced", "old"), one("updated", "new")];
    assert_eq!(summary(&applied(&file, Some(&beside))), want);
}

#[test]
fn pf19_replacements_in_both_orders() {
    if !is_there() {
        return;
    }
    for action in [Action::DeleteThenCreate, Action::CreateThenDelete] {
        // The builtin type replaces only what triggers it.
        let with_trigger = |value: Value, trigger: &str| {
            let members = value.view().entries().map(|(_, member)| member.to_value());
            let mut members: Vec<Value> = members.collect();
            members[3] = Value::string(trigger);
            let names = ["id", "input", "output", "triggers_replace"];
            Value::object(names.into_iter().map(Into::into).zip(members).collect())
        };
        let mut state = Snapshot::empty(VERSION, "", 0);
        state.resources = vec![resource("a", &current(with_trigger(stored("1", "old"), "1")))];
        let before = Some(with_trigger(stored("1", "old"), "1"));
        let after = Some(with_trigger(planned(None, "new"), "2"));
        let config = r#"{"resource":{"terraform_data":{"a":{"input":"new","triggers_replace":"2"}}}}"#;
        let plan = plan(vec![change("a", action, before, after)], &state, config);
        assert_eq!(summary(&applied(&plan, None)), [one("a", "new")], "{action}");
    }
}

#[test]
fn pf18_conditions_need_their_objects_among_the_checks() {
    if !is_there() {
        return;
    }
    let mut state = Snapshot::empty(VERSION, "", 0);
    state.resources = vec![resource("a", &current(stored("1", "old")))];
    let update = change("a", Action::Update, Some(stored("1", "old")), Some(planned(Some("1"), "new")));
    let config = r#"{"resource":{"terraform_data":{"a":{"input":"new","lifecycle":{"precondition":
        [{"condition":"${terraform.workspace == \"default\"}","error_message":"no"}]}}}}}"#;
    let mut plan = plan(vec![update], &state, config);
    let address = "terraform_data.a".to_owned();
    let object = CheckObject { address: address.clone(), status: CheckStatus::Unknown, failures: Vec::new() };
    let status = CheckStatus::Unknown;
    plan.plan.checks = vec![CheckResult { kind: CheckKind::Resource, address, status, objects: vec![object] }];
    assert_eq!(summary(&applied(&plan, None)), [one("a", "new")]);
}
