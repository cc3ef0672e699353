//! Plan files.

use planfuzz_core::dialect::{Dialect, Engine};
use planfuzz_core::plans::file::{
    Backend, EngineFields, FileChange, Module, OutputChange, PlanDocument, PlanFile, Values,
};
use planfuzz_core::plans::{Action, Change, Marked, Mode};
use planfuzz_core::schema::Schema;
use planfuzz_core::state::Private;
use planfuzz_core::state::file::Snapshot;
use planfuzz_core::value::{PathSet, Type, Value, WrittenPath};

use super::*;

fn ty() -> Type {
    let schemas = Json::parse(SCHEMAS).expect("JSON");
    let provider = schemas.member("provider_schemas").and_then(|it| it.member("registry.terraform.io/hashicorp/t"));
    let schema = provider.and_then(|it| it.member("resource_schemas")).and_then(|it| it.member("t_a"));
    Schema::from_json(schema.expect("a schema")).expect("a schema").implied_type(Dialect::default())
}

fn marked(name: &str) -> Marked {
    let text = format!(
        r#"{{"blk": [{{"v": "b"}}], "id": "9", "n": {{"x": null}}, "name": "{name}", "req": "r", "secret": {{"k": "S"}}, "wo": null}}"#
    );
    let value = Value::from_json(&Json::parse(&text).expect("JSON"), &ty()).expect("a value");
    Marked::new(value, &PathSet::parse([".secret"]).expect("a path"))
}

fn change(action: Action, before: &Marked, after: &Marked) -> FileChange {
    let change = Change { action, before: before.clone(), after: after.clone(), importing: None };
    FileChange {
        addr: "t_a.a".to_owned(),
        prev_run_addr: None,
        deposed: None,
        provider: "provider[\"registry.terraform.io/hashicorp/t\"]".to_owned(),
        values: Values::encode(&change, &ty()).expect("it fits"),
        private: Private::NONE,
        required_replace: Vec::new(),
        reason: Default::default(),
    }
}

fn state(name: &str) -> Snapshot {
    let attributes = marked(name).value().view().to_stored_json(&ty()).expect("known").to_compact();
    let text = format!(
        r#"{{"version": 4, "terraform_version": "1.11.4", "serial": 3, "lineage": "l", "outputs": {{}}, "resources": [
            {{"mode": "managed", "type": "t_a", "name": "a", "provider": "provider[\"registry.terraform.io/hashicorp/t\"]",
              "instances": [{{"schema_version": 1, "attributes": {attributes},
                "sensitive_attributes": [[{{"type": "get_attr", "value": "secret"}}]]}}]}}]}}"#
    );
    Snapshot::read(text.as_bytes()).expect("a state")
}

/// A plan that updates an object changed outside, without faults.
fn clean() -> PlanFile {
    let mut plan = PlanDocument::new(Engine::Terraform, "1.11.4", "2025-01-02T03:04:05Z");
    plan.backend = Backend::local();
    plan.changes.push(change(Action::Update, &marked("n1"), &marked("n2")));
    plan.drift.push(change(Action::Update, &marked("n0"), &marked("n1")));
    // The dynamic type: the type as JSON, and the value.
    let value = b"\x92\xc4\x08\"string\"\xa11".to_vec();
    plan.outputs.push(OutputChange {
        name: "o".to_owned(),
        values: Values::new(Action::Create, None, Some(value)),
        sensitive: false,
    });
    PlanFile {
        plan,
        state: state("n1"),
        previous: state("n0"),
        config: Vec::new(),
        manifest: vec![Module::root()],
        locks: Some(Vec::new()),
        schemas: None,
    }
}

type Plant = fn(&mut PlanFile);

fn path(text: &str) -> WrittenPath {
    WrittenPath::parse(text).expect("a path")
}

const PLANTED: &[(&str, Plant)] = &[
    ("PF50-canonical", |file| {
        // The number of members as 16 bits, where engines write four.
        let bytes = file.plan.changes[0].values.after.as_mut().expect("a value");
        assert_eq!(bytes[0], 0x87);
        bytes.splice(0..1, [0xde, 0, 7]);
    }),
    ("L43-schema-sensitive", |file| file.plan.changes[0].values.after_sensitive.clear()),
    ("PL08-planned-places", |file| file.plan.changes[0].values.after_sensitive.push(path(".none"))),
    ("L170-drift-before", |file| file.previous = state("other")),
    ("L170-drift-after", |file| file.state = state("other")),
    ("L171-drift-bare", |file| file.plan.drift[0].private = Private::from(b"p".as_slice())),
    ("L52-before-is-prior", |file| file.state = state("other")),
    ("L151-refresh-only", |file| file.plan.mode = Mode::RefreshOnly),
    ("L152-destroy", |file| file.plan.mode = Mode::Destroy),
    ("PF11-one-state", |file| file.previous.serial = 2),
    ("L157-complete", |file| file.plan.targets.push("t_a.a".to_owned())),
    ("L157-applyable", |file| file.plan.errored = true),
    ("I15-update-differs", |file| file.plan.changes[0] = change(Action::Update, &marked("n1"), &marked("n1"))),
    ("PL10-replace-paths", |file| file.plan.changes[0].required_replace.push(path(".name"))),
    ("L190-output-sides", |file| {
        let same = file.plan.outputs[0].values.after.clone();
        file.plan.outputs[0].values = Values::new(Action::Update, same.clone(), same);
    }),
    ("L157-complete", |file| {
        if let EngineFields::Terraform { complete, .. } = &mut file.plan.of_engine {
            *complete = false;
        }
    }),
];

pub(super) fn planted() -> impl Iterator<Item = &'static str> {
    PLANTED.iter().map(|(id, _)| *id)
}

#[test]
fn a_clean_plan_file_has_no_findings() {
    let report = lint_bytes(&clean().write().expect("a file"));
    assert_eq!(texts(&report), Vec::<String>::new());
    assert_eq!(report.unchecked, [].into_iter().collect());
}

#[test]
fn planted_faults_are_found() {
    for (id, plant) in PLANTED {
        let mut file = clean();
        plant(&mut file);
        let report = lint_bytes(&file.write().expect("a file"));
        assert!(found(&report).contains(id), "{id}: {:#?}", texts(&report));
    }
}
