//! Both implementations of plan files and state files read the same bytes and write the same again, whatever mutation
//! the bytes went through.

use planfuzz_core::dialect::Engine;
use planfuzz_core::json::Json;
use planfuzz_core::plans::Action;
use planfuzz_core::plans::file::{
    CheckKind, CheckObject, CheckResult, CheckStatus, DeferredReason, EngineFields, FileChange, FunctionResult,
    Importing, OutputChange, PlanDocument, RelevantAttribute, Values,
};
use planfuzz_core::state::file::Snapshot;
use planfuzz_core::state::{DeposedKey, Private};
use planfuzz_core::value::{WrittenPath, WrittenStep};
use planfuzz_naive::file;

const ROUNDS: usize = 6_000;

const ENGINES: [Engine; 2] = [Engine::Terraform, Engine::OpenTofu];

/// Numbers that are the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound.max(1)
    }
}

/// The bytes with a mutation.
fn spoiled(bytes: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..dice.below(4) {
        let at = dice.below(bytes.len());
        match dice.below(6) {
            0 => bytes.truncate(at),
            1 if !bytes.is_empty() => bytes[at] = dice.below(256) as u8,
            2 if !bytes.is_empty() => bytes[at] ^= 1 << dice.below(8),
            3 => drop(bytes.drain(at..bytes.len().min(at + 1 + dice.below(9)))),
            4 => {
                let piece = bytes[at..bytes.len().min(at + 1 + dice.below(40))].to_vec();
                bytes.extend(piece);
            }
            _ => bytes.insert(at, dice.below(256) as u8),
        }
    }
    bytes
}

fn path() -> WrittenPath {
    let steps = [
        WrittenStep::Attribute("a".into()),
        WrittenStep::Index(300),
        WrittenStep::Key("k\u{e9}".into()),
        WrittenStep::Attribute("".into()),
    ];
    steps.into_iter().collect()
}

fn change(engine: Engine, action: Action) -> FileChange {
    let importing = match engine {
        Engine::Terraform => Importing::Unknown,
        Engine::OpenTofu => Importing::Identity { id: "i".to_owned(), identity: vec![0x80] },
    };
    let values = Values {
        before_sensitive: vec![path(), WrittenPath::default()],
        after_sensitive: vec![path()],
        importing: Some(importing),
        generated_config: "c".to_owned(),
        before_identity: (engine == Engine::OpenTofu).then(|| vec![0xc0]),
        ..Values::new(action, Some(vec![1; 130]), Some(vec![2]))
    };
    FileChange {
        addr: "a.b".to_owned(),
        prev_run_addr: Some("a.c".to_owned()),
        deposed: DeposedKey::new("0000000a"),
        provider: "p".to_owned(),
        values,
        private: Private::from(&b"x"[..]),
        required_replace: vec![path()],
        reason: Default::default(),
    }
}

fn plan(engine: Engine) -> PlanDocument {
    let mut plan = PlanDocument::new(engine, "1.11.4", "2025-01-02T03:04:05Z");
    plan.variables.insert("v".to_owned(), vec![0xc0]);
    plan.variables.insert(String::new(), Vec::new());
    plan.changes = [Action::NoOp, Action::Create, Action::Update, Action::Delete].map(|it| change(engine, it)).into();
    plan.drift = vec![change(engine, Action::Update)];
    let values = Values::new(Action::Create, None, Some(vec![0xc0]));
    plan.outputs = vec![OutputChange { name: "o".to_owned(), values, sensitive: true }];
    plan.targets = vec![String::new(), "a.b".to_owned()];
    plan.relevant_attributes = vec![RelevantAttribute { resource: "a.b".to_owned(), attribute: path() }];
    let object = CheckObject { address: "a".to_owned(), status: CheckStatus::Fail, failures: vec!["f".to_owned()] };
    plan.checks = vec![CheckResult {
        kind: CheckKind::Check,
        address: "check.a".to_owned(),
        status: object.status,
        objects: vec![object],
    }];
    match &mut plan.of_engine {
        EngineFields::Terraform { deferred, function_results, apply_time_variables, .. } => {
            deferred.push((DeferredReason::AbsentPrerequisite, change(engine, Action::Create)));
            function_results.push(FunctionResult { key: vec![1], result: Vec::new() });
            apply_time_variables.push("e".to_owned());
        }
        EngineFields::OpenTofu { excludes, ephemeral_variables, execution_graph, destroying } => {
            excludes.push("x".to_owned());
            ephemeral_variables.push("e".to_owned());
            execution_graph.push(1);
            *destroying = true;
        }
    }
    plan
}

#[test]
fn both_read_the_same_plans_and_write_the_same_bytes() {
    let mut dice = Dice(1);
    let mut read = 0;
    for engine in ENGINES {
        let bytes = plan(engine).write().expect("a plan");
        for round in 0..ROUNDS {
            let spoiled = if round == 0 { bytes.clone() } else { spoiled(&bytes, &mut dice) };
            let first = PlanDocument::read(&spoiled, engine).ok();
            let second = file::read_plan(&spoiled, engine);
            assert_eq!(first.is_some(), second.is_some(), "{engine:?}: {}", spoiled.escape_ascii());
            let (Some(first), Some(second)) = (first, second) else { continue };
            read += 1;
            let written = (first.write().ok(), file::write_plan(&second, engine));
            assert_eq!(written.0, written.1, "{}", second.to_compact());
            assert!(round > 0 || written.1.as_ref() == Some(&bytes));
        }
    }
    assert!(read > 500, "{read}");
}

const STATE: &str = r#"{"version":4,"terraform_version":"1","serial":7,"lineage":"l","outputs":{"o":{"value":"\u003cx","type":"string"}},
"resources":[{"module":"module.a","mode":"managed","type":"t","name":"a","provider":"p","instances":[
{"index_key":"k","status":"tainted","deposed":"0000000a","provider":"q","schema_version":1,"attributes":{"b":[1.50,{}],"a":"\ud83d\ude00"},
"sensitive_attributes":[[{"type":"get_attr","value":"m"},{"type":"index","value":{"value":3,"type":"number"}},
{"type":"index","value":{"value":"k","type":"string"}}]],"identity":{"i":1},"identity_schema_version":2,"private":"cHA=",
"dependencies":["t.b"],"depends_on":["t.c"],"create_before_destroy":true,"skip_destroy":true},
{"index_key":10,"schema_version":0},{"index_key":9,"schema_version":0,"attributes_flat":{"a":"1"}}]},
{"mode":"data","type":"t","name":"z","each":"list","instances":[]}],"check_results":[{"a":-0.0e1}]}"#;

#[test]
fn both_read_the_same_states_and_write_the_same_text() {
    let mut dice = Dice(2);
    let mut read = 0;
    for round in 0..ROUNDS {
        let spoiled = if round == 0 { STATE.as_bytes().to_vec() } else { spoiled(STATE.as_bytes(), &mut dice) };
        let first = Snapshot::read(&spoiled).ok();
        let second = file::read_state(&spoiled);
        assert_eq!(first.is_some(), second.is_some(), "{}", spoiled.escape_ascii());
        let (Some(first), Some(second)) = (first, second) else { continue };
        read += 1;
        assert_eq!(Some(first.to_indented()), file::write_state(&second, Engine::Terraform));
        assert_eq!(Some(first.to_compact()), file::write_state(&second, Engine::OpenTofu));
    }
    assert!(read > 500, "{read}");
}

#[test]
fn numbers_are_spelled_alike() {
    for text in ["-0", "1E5", "1e-05", "0.10", "1e400", "18446744073709551616", "-0.0", "00", "1.", ".5", "+1", "1e"] {
        let state =
            format!(r#"{{"version":4,"terraform_version":"","serial":0,"lineage":"","check_results":[{text}]}}"#);
        let first = Snapshot::read(state.as_bytes()).ok().and_then(|state| state.check_results);
        let second = file::read_state(state.as_bytes()).and_then(|state| state.member("check_results").cloned());
        assert_eq!(first, second, "{text}: {:?}", Json::parse(text));
    }
}

#[test]
fn check_results_that_are_empty_are_written_again() {
    for results in ["[]", "{}", "\"\"", "false", "null"] {
        let state =
            format!(r#"{{"version":4,"terraform_version":"","serial":0,"lineage":"","check_results":{results}}}"#);
        let first = Snapshot::read(state.as_bytes()).expect("a state");
        let second = file::read_state(state.as_bytes()).expect("a state");
        assert_eq!(Some(first.to_indented()), file::write_state(&second, Engine::Terraform), "{results}");
    }
}
