//! A plan file of any size.

use planfuzz_core::dialect::{Dialect, Engine};
use planfuzz_core::json::Json;
use planfuzz_core::plans::file::{ConfigFile, FileChange, Module, PlanDocument, PlanFile, Values};
use planfuzz_core::plans::{Action, Change, Marked};
use planfuzz_core::schema::Schema;
use planfuzz_core::state::Private;
use planfuzz_core::state::file::Snapshot;
use planfuzz_core::value::{PathSet, Type, Value};

/// The schema of the engine's built-in resource.
pub const SCHEMA: &str = r#"{"version": 0, "block": {"attributes": {
    "id": {"type": "string", "computed": true}, "input": {"type": "dynamic", "optional": true},
    "output": {"type": "dynamic", "computed": true}, "triggers_replace": {"type": "dynamic", "optional": true}}}}"#;

fn ty() -> Type {
    Schema::parse(SCHEMA).expect("a schema").implied_type(Dialect::default())
}

/// The file of a plan of so many creations.
pub fn plan(size: usize, version: &str) -> Vec<u8> {
    let ty = ty();
    let mut document = PlanDocument::new(Engine::Terraform, version, "2025-01-02T03:04:05Z");
    for number in 0..size {
        let text = format!(
            r#"{{"id": {{"$unknown": true}}, "output": {{"$unknown": true}}, "triggers_replace": null, "input": {{
                "type": ["object", {{"name": "string", "tags": ["map", "string"], "ports": ["list", "number"]}}],
                "value": {{"name": "n{number}", "tags": {{"team": "t{}", "stage": "test"}}, "ports": [{number}, 80, 443]}}}}}}"#,
            number % 7
        );
        let value = Value::from_json(&Json::parse(&text).expect("JSON"), &ty).expect("a value");
        let after = Marked::new(value, &PathSet::EMPTY);
        let change = Change { action: Action::Create, before: Marked::null(ty.clone()), after, importing: None };
        document.changes.push(FileChange {
            addr: format!("terraform_data.d[{number}]"),
            prev_run_addr: None,
            deposed: None,
            provider: "provider[\"terraform.io/builtin/terraform\"]".to_owned(),
            values: Values::encode(&change, &ty).expect("it fits"),
            private: Private::NONE,
            required_replace: Vec::new(),
            reason: Default::default(),
        });
    }
    let config = format!("resource \"terraform_data\" \"d\" {{\n  count = {size}\n}}\n");
    let file = PlanFile {
        plan: document,
        state: Snapshot::empty(version, "", 0),
        previous: Snapshot::empty(version, "", 0),
        config: vec![ConfigFile { module: String::new(), name: "main.tf".to_owned(), contents: config.into_bytes() }],
        manifest: vec![Module::root()],
        locks: Some(Vec::new()),
        schemas: None,
    };
    file.write().expect("a plan file")
}
