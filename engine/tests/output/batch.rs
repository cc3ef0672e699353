//! One run of the binary for instances with scripts.

use std::fmt::Write as _;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use planfuzz_core::address::ResourceKind;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::schema::Schema;
use planfuzz_core::state::{InstanceState, Object};
use planfuzz_core::value::Value;
use planfuzz_engine::process::{Binary, BinaryError, RunOutcome, RunRequest, Runs, run};
use planfuzz_engine::{Protocol, ProviderAddress, Served, ServedTypes, Server};

use crate::scripted_provider::ScriptedProvider;

pub const SIX: ProviderAddress = ProviderAddress { protocol: Protocol::Six, plan_destroy: false };

/// One of each way to nest.
pub const SCHEMA: &str = r#"{"block":{"attributes":{
    "a":{"type":"string","optional":true},
    "c":{"type":"string","optional":true,"computed":true},
    "k":{"type":"string","computed":true},
    "w":{"type":"string","optional":true,"write_only":true},
    "d":{"type":"dynamic","optional":true},
    "l":{"type":["list","string"],"optional":true,"computed":true},
    "nl":{"nested_type":{"nesting_mode":"list","attributes":{"p":{"type":"string","optional":true,"sensitive":true}}},
        "optional":true},
    "nm":{"nested_type":{"nesting_mode":"map","attributes":{
        "x":{"type":"string","optional":true},"y":{"type":"string","optional":true,"computed":true}}},"optional":true},
    "s":{"nested_type":{"nesting_mode":"set","attributes":{
        "x":{"type":"string","optional":true},"y":{"type":"string","optional":true,"computed":true}}},"optional":true}},
  "block_types":{
    "bl":{"nesting_mode":"list","block":{"attributes":{
        "x":{"type":"string","optional":true},"y":{"type":"string","optional":true,"computed":true}}}},
    "bm":{"nesting_mode":"map","block":{"attributes":{"x":{"type":"string","optional":true}}}},
    "bs":{"nesting_mode":"set","block":{"attributes":{
        "x":{"type":"string","optional":true},"y":{"type":"string","optional":true,"computed":true}}}}}}}"#;

/// An instance: what is written of it, what is stored, how its provider answers.
#[derive(Clone, Copy, Default)]
pub struct Case {
    pub config: &'static str,
    pub stored: &'static str,
    pub script: &'static str,
    pub data: bool,
}

pub fn schema() -> Arc<Schema> {
    Arc::new(Schema::parse(SCHEMA).expect("a schema"))
}

/// A value of the schema; what is not given is null, or no blocks.
pub fn object(text: &str) -> Value {
    Value::from_json(&filled(text), &schema().implied_type(Dialect::default())).expect("a value")
}

fn filled(text: &str) -> Json {
    let mut json = Json::parse(text).expect("JSON");
    if let Json::Object(members) = &mut json {
        for name in ["a", "c", "k", "w", "d", "l", "nl", "nm", "s", "bl", "bm", "bs"] {
            if !members.iter().any(|(there, _)| **there == *name) {
                let empty = match name {
                    "bl" | "bs" => Json::Array(Vec::new()),
                    "bm" => Json::object([]),
                    _ => Json::Null,
                };
                members.push((name.into(), empty));
            }
        }
    }
    json
}

/// Fills up each value in a script.
fn filled_script(script: &str) -> String {
    let mut json = Json::parse(if script.is_empty() { "{}" } else { script }).expect("JSON");
    let Json::Object(calls) = &mut json else { panic!("no object") };
    for (_, answers) in calls {
        let Json::Array(answers) = answers else { panic!("no answers") };
        for answer in answers {
            let Json::Object(members) = answer else { panic!("no answer") };
            for (name, value) in members {
                if **name == *"value"
                    && matches!(value, Json::Object(fields) if fields.iter().all(|(name, _)| **name != *"$unknown"))
                {
                    *value = filled(&value.to_compact());
                }
            }
        }
    }
    json.to_compact()
}

/// The binary, if there is one; otherwise that is printed.
pub fn binary(runs: &Runs) -> Option<Binary> {
    match Binary::find(None, runs) {
        Ok(binary) => Some(binary),
        Err(BinaryError::None) => {
            assert!(std::env::var_os("PLANFUZZ_REQUIRE_ENGINE").is_none(), "expected an engine on the path");
            println!("skipped: no engine is installed");
            None
        }
        Err(problem) => panic!("{problem}"),
    }
}

/// Runs the binary with one command after the other in one directory. Gives the configuration as well.
pub fn ask(
    binary: &Binary,
    runs: &Runs,
    cases: &[Case],
    extra: &str,
    commands: &[&[&str]],
) -> (String, Vec<RunOutcome>) {
    let dir = runs.make().expect("a directory");
    let mut blocks = [String::new(), String::new()];
    let mut stored = String::new();
    let mut served = Vec::new();
    for (index, case) in cases.iter().enumerate() {
        let type_name = format!("six_{index}");
        let state = match case.stored {
            "" => InstanceState::ABSENT,
            text => InstanceState { current: Some(Object::ready(object(text))), ..InstanceState::ABSENT },
        };
        if !case.config.is_empty() {
            let block = &mut blocks[usize::from(case.data)];
            let comma = if block.is_empty() { "" } else { "," };
            write!(block, r#"{comma}"{type_name}":{{"r":{}}}"#, case.config).expect("text");
        }
        if !case.stored.is_empty() {
            let comma = if stored.is_empty() { "" } else { "," };
            write!(
                stored,
                r#"{comma}{{"mode":"managed","type":"{type_name}","name":"r","provider":"provider[\"{}\"]",
                    "instances":[{{"schema_version":0,"attributes":{}}}]}}"#,
                SIX.source(),
                filled(case.stored).to_compact()
            )
            .expect("text");
        }
        let ty = schema().implied_type(Dialect::default());
        served.push(Served {
            type_name,
            provider_address: SIX,
            kind: if case.data { ResourceKind::Data } else { ResourceKind::Managed },
            schema: schema(),
            provider: Arc::new(Mutex::new(ScriptedProvider::new(ty, &filled_script(case.script)))),
            state,
            helpers: Vec::new(),
            validates_block: false,
        });
    }
    let mut configuration =
        format!(r#"{{"terraform":{{"required_providers":{{"six":{{"source":"{}"}}}}}}"#, SIX.source());
    for (name, block) in ["resource", "data"].iter().zip(blocks) {
        if !block.is_empty() {
            write!(configuration, r#","{name}":{{{block}}}"#).expect("text");
        }
    }
    configuration.push_str(extra);
    configuration.push('}');
    let state = format!(
        r#"{{"version":4,"terraform_version":"1.11.4","serial":1,"lineage":"any","outputs":{{}},"resources":[{stored}]}}"#
    );
    std::fs::write(dir.path().join("main.tf.json"), &configuration).expect("a file");
    std::fs::write(dir.path().join("terraform.tfstate"), state).expect("a file");
    let server = Server::start(dir.path()).expect("a server");
    server.serve(ServedTypes { dialect: Dialect::default(), served }).expect("servable types");
    let reattach = server.reattach();
    let stop = AtomicBool::new(false);
    let mut all = Vec::new();
    for args in commands {
        let request = RunRequest {
            program: binary.path(),
            dir: &dir,
            args,
            variables: &[("TF_REATTACH_PROVIDERS", &reattach)],
            limit: Duration::from_secs(60),
            stop: &stop,
        };
        all.push(run(&request).expect("a run"));
    }
    (configuration, all)
}
