use std::io::{Cursor, Write};
use std::path::PathBuf;

use proptest::prelude::*;
use prost::Message;

use super::*;
use crate::dialect::Engine;
use crate::plans::{Action, ActionReason, Change, Marked, Mode, ResourceInstanceChange};
use crate::state::{DeposedKey, Private};
use crate::value::{PathSet, Type, Value, WrittenPath};

fn path(text: &str) -> WrittenPath {
    WrittenPath::parse(text).expect("a path")
}

fn ty() -> Type {
    Type::parse(r#"["object",{"a":"string","d":"dynamic","m":["map","number"]}]"#).expect("a type")
}

fn value(json: &str) -> Value {
    Value::from_json(&crate::json::Json::parse(json).expect("json"), &ty()).expect("a value")
}

fn change(action: Action) -> ResourceInstanceChange {
    let before = value(r#"{"a":"x","d":{"type":["list","bool"],"value":[true]},"m":{"k":1,"l":2.5}}"#);
    let after = value(r#"{"a":{"$unknown":{"not_null":true,"string_prefix":"p"}},"d":{"$unknown":true},"m":null}"#);
    let null = || Marked::null(ty());
    let before = Marked::new(before, &PathSet::parse([".m[\"k\"]", ".a"]).expect("paths"));
    let after = Marked::new(after, &PathSet::parse([".a"]).expect("paths"));
    let (before, after) = match action {
        Action::NoOp => (before.clone(), before),
        Action::Create => (null(), after),
        Action::Delete | Action::Forget => (before, null()),
        _ => (before, after),
    };
    ResourceInstanceChange {
        moved_from: Some("t.before".into()),
        deposed: DeposedKey::new("0000000a"),
        change: Change { action, before, after, importing: Some(crate::plans::Importing::Id("i".into())) },
        reason: ActionReason::ReplaceByRequest,
        required_replace: PathSet::parse([".d[1]", ""]).expect("paths"),
        private: Private::from(b"p".as_slice()),
    }
}

fn file_change(action: Action) -> FileChange {
    FileChange::encode("t.n[\"k\"]", "provider[\"h/n/t\"]", &change(action), &ty()).expect("a change")
}

/// A plan with something in every field.
pub(super) fn plan(engine: Engine) -> PlanFile {
    let fields = match engine {
        Engine::Terraform => EngineFields::Terraform {
            applyable: true,
            complete: true,
            deferred: vec![(DeferredReason::AbsentPrerequisite, file_change(Action::Create))],
            apply_time_variables: vec!["e".into()],
            function_results: vec![FunctionResult { key: b"k".to_vec(), result: b"r".to_vec() }],
        },
        Engine::OpenTofu => EngineFields::OpenTofu {
            excludes: vec!["t.x".into()],
            ephemeral_variables: vec!["e".into(), "é".into()],
            execution_graph: b"g".to_vec(),
            destroying: true,
        },
    };
    let actions = Action::ALL.iter().copied().filter(|action| match engine {
        Engine::Terraform => *action != Action::ForgetThenCreate,
        Engine::OpenTofu => *action != Action::CreateThenForget,
    });
    let mut changes: Vec<FileChange> = actions.map(file_change).collect();
    changes[0].values.generated_config = "resource".into();
    match engine {
        Engine::Terraform => changes[1].values.importing = Some(Importing::Unknown),
        Engine::OpenTofu => {
            changes[1].values.importing = Some(Importing::Identity { id: String::new(), identity: b"\x80".to_vec() });
            changes[1].values.after_identity = Some(b"\x80".to_vec());
        }
    }
    PlanFile {
        plan: PlanDocument {
            mode: Mode::RefreshOnly,
            terraform_version: "1.11.4".into(),
            timestamp: "2025-01-02T03:04:05Z".into(),
            errored: true,
            variables: [("v".to_owned(), b"\xc0".to_vec())].into(),
            changes,
            drift: vec![file_change(Action::Update)],
            outputs: vec![OutputChange {
                name: "o".into(),
                values: Values::new(Action::Create, None, Some(b"\xc0".to_vec())),
                sensitive: true,
            }],
            targets: vec!["t.n".into()],
            force_replace: vec!["t.m".into()],
            backend: Backend::local(),
            relevant_attributes: vec![RelevantAttribute { resource: "t.n".into(), attribute: path(".a") }],
            checks: vec![CheckResult {
                kind: CheckKind::Resource,
                address: "t.n".into(),
                status: CheckStatus::Fail,
                objects: vec![CheckObject {
                    address: "t.n[0]".into(),
                    status: CheckStatus::Fail,
                    failures: vec!["f".into()],
                }],
            }],
            of_engine: fields,
        },
        state: Snapshot::empty("1.11.4", "l", 3),
        previous: Snapshot::empty("1.11.4", "l", 2),
        config: vec![
            ConfigFile { module: String::new(), name: "main.tf.json".into(), contents: b"{}".to_vec() },
            ConfigFile { module: "a.b".into(), name: "x.tf".into(), contents: Vec::new() },
        ],
        manifest: vec![
            Module::root(),
            Module { key: "a".into(), source: Some("./a".into()), version: Some("1".into()), dir: "a".into() },
        ],
        locks: Some(b"# none\n".to_vec()),
        schemas: (engine == Engine::OpenTofu).then(|| b"s".to_vec()),
    }
}

#[test]
fn written_files_are_read_again() {
    for engine in [Engine::Terraform, Engine::OpenTofu] {
        let plan = plan(engine);
        let bytes = plan.write().expect("a file");
        assert_eq!(bytes, plan.write().expect("a file"), "the same bytes each time");
        assert_eq!(PlanFile::read(&bytes, engine).expect("a plan"), plan, "{engine:?}");
    }
}

#[test]
fn content_of_one_engine_is_refused_of_the_other() {
    for (of, by) in [(Engine::Terraform, Engine::OpenTofu), (Engine::OpenTofu, Engine::Terraform)] {
        let bytes = plan(of).write().expect("a file");
        assert!(matches!(PlanFile::read(&bytes, by), Err(PlanFileError::Content { .. })), "{of:?}");
    }
    let mut terraform = plan(Engine::Terraform);
    terraform.plan.changes = vec![file_change(Action::ForgetThenCreate)];
    assert_eq!(
        terraform.write().expect_err("of OpenTofu").to_string(),
        "member \"tfplan\", resource_changes[0]: expected an action of this engine, found ForgetThenCreate"
    );
}

#[test]
fn pf30_changes_of_every_action_come_back() {
    for action in Action::ALL.iter().copied() {
        let want = change(action);
        let file = file_change(action);
        let found = file.decode(&ty()).expect("a change");
        assert_eq!(found.change.before, want.change.before, "{action}");
        assert_eq!(found.change.after, want.change.after, "{action}");
        assert_eq!(found.change.importing, want.change.importing);
        assert_eq!((found.moved_from, found.deposed), (want.moved_from, want.deposed));
        assert_eq!((found.required_replace, found.reason), (want.required_replace, want.reason));
        assert_eq!(FileChange::encode(&file.addr, &file.provider, &change(action), &ty()).expect("a change"), file);
    }
}

#[test]
fn values_of_another_type_are_refused() {
    let error = file_change(Action::Update).decode(&Type::Bool).expect_err("no bool").to_string();
    assert!(error.starts_with("the value before: "), "{error}");
    let other = Type::object([("z".into(), Type::Bool)]);
    assert!(FileChange::encode("a.b", "p", &change(Action::Create), &other).is_err());
}

/// The error of a plan whose message is changed.
#[track_caller]
fn check_content(change: impl FnOnce(&mut proto::Plan), message: &str) {
    let mut plan = write::message(&plan(Engine::Terraform).plan).expect("a message");
    change(&mut plan);
    let error = PlanDocument::read(&plan.encode_to_vec(), Engine::Terraform).expect_err(message).to_string();
    assert_eq!(error, format!("member \"tfplan\", {message}"));
}

#[test]
fn pf30_to_pf42_invalid_content_is_refused_with_its_place() {
    check_content(|plan| plan.version = 4, "version: expected version 3, found 4");
    check_content(|plan| plan.backend = None, "backend: expected a backend, found nothing");
    check_content(|plan| plan.ui_mode = 3, "ui_mode: expected a mode of this engine, found 3");
    check_content(
        |plan| plan.resource_changes[2].addr.clear(),
        "resource_changes[2]: expected an address, found nothing",
    );
    check_content(|plan| plan.resource_drift[0].change = None, "resource_drift[0]: expected a change, found nothing");
    check_content(
        |plan| plan.resource_changes[0].deposed_key = "x".into(),
        "resource_changes[0]: expected eight hexadecimal digits as the deposed key, found \"x\"",
    );
    check_content(
        |plan| plan.resource_changes[0].action_reason = 14,
        "resource_changes[0]: expected an action reason of this engine, found 14",
    );
    let of = |plan: &mut proto::Plan| plan.resource_changes[3].change.take().expect("a change");
    check_content(
        |plan| plan.resource_changes[3].change = Some(proto::Change { action: 4, ..of(plan) }),
        "resource_changes[3]: expected an action of this engine, found 4",
    );
    check_content(
        |plan| {
            let mut change = of(plan);
            change.values.truncate(1);
            plan.resource_changes[3].change = Some(change);
        },
        "resource_changes[3]: expected 2 values for the action, found 1",
    );
    check_content(
        |plan| {
            let mut change = of(plan);
            change.values[1].msgpack.clear();
            plan.resource_changes[3].change = Some(change);
        },
        "resource_changes[3]: expected a value, found no bytes",
    );
    check_content(
        |plan| plan.resource_changes[0].required_replace[0].steps.push(proto::Step { selector: None }),
        "resource_changes[0]: expected an attribute or a key in each step, found neither",
    );
    check_content(
        |plan| {
            let msgpack = b"\x80".to_vec();
            let key = proto::step::Selector::ElementKey(proto::DynamicValue { msgpack });
            plan.resource_changes[0].required_replace[0].steps.push(proto::Step { selector: Some(key) });
        },
        "resource_changes[0]: expected a string or an index as the key of a step, found another value",
    );
    let mut into_a_set = plan(Engine::Terraform);
    into_a_set.plan.changes[0].required_replace = vec![path(".s[<set element>]")];
    assert!(into_a_set.write().is_err());
}

fn zip(members: &[(&str, &[u8])]) -> Vec<u8> {
    container::pack(members.iter().map(|(name, contents)| ((*name).to_owned(), std::borrow::Cow::Borrowed(*contents))))
        .expect("a file")
}

#[test]
fn pf01_to_pf10_other_archives_are_refused() {
    let refused = |bytes: &[u8]| PlanFile::read(bytes, Engine::Terraform).expect_err("no plan");
    assert!(matches!(refused(b""), PlanFileError::Zip { .. }));
    assert!(matches!(refused(b"tfplan\x02..."), PlanFileError::Zip { .. }));
    assert!(matches!(refused(&zip(&[])), PlanFileError::Missing { name: "tfplan" }));
    assert!(matches!(refused(&zip(&[("x", b"")])), PlanFileError::UnknownMember { name } if name == "x"));
    let mut twice = zip(&[("tfplan", b"1"), ("tfplaN", b"2")]);
    while let Some(at) = twice.windows(6).position(|bytes| bytes == b"tfplaN") {
        twice[at..at + 6].copy_from_slice(b"tfplan");
    }
    assert!(matches!(refused(&twice), PlanFileError::Duplicate));
    let many: Vec<String> = (0..=MAX_MEMBERS).map(|index| format!("tfconfig/m-/{index}")).collect();
    let many: Vec<(&str, &[u8])> = many.iter().map(|name| (name.as_str(), &b""[..])).collect();
    assert!(matches!(refused(&zip(&many)), PlanFileError::TooMuch { bound: Bound::Members }));
}

#[test]
fn inflated_bytes_are_bounded() {
    let bomb = vec![0; MAX_MEMBER_BYTES + 1];
    let bytes = zip(&[("tfplan", &bomb)]);
    assert!(bytes.len() < MAX_MEMBER_BYTES / 100);
    let refused = PlanFile::read(&bytes, Engine::Terraform);
    assert!(matches!(refused, Err(PlanFileError::TooMuch { bound: Bound::Member })));
    let half = &bomb[..MAX_MEMBER_BYTES];
    let refused =
        PlanFile::read(&zip(&[("tfplan", half), ("tfstate", half), ("tfstate-prev", b"1")]), Engine::Terraform);
    assert!(matches!(refused, Err(PlanFileError::TooMuch { bound: Bound::Total })));
}

#[test]
fn files_that_look_like_very_many_archives_are_refused_in_time() {
    let mut end = zip(&[]);
    let start = std::time::Instant::now();
    assert!(PlanFile::read(&end.repeat(100_000), Engine::Terraform).is_err());
    // A directory of 60,000 members that is not there.
    end[8..12].copy_from_slice(&[0x60, 0xea, 0x60, 0xea]);
    let all = end.repeat(100_000);
    assert!(PlanFile::read(&all, Engine::Terraform).is_err());
    // One directory of 5,000 members, and a thousand ends that give it more.
    let names: Vec<String> = (0..5000).map(|index| format!("tfconfig/m-/{index}")).collect();
    let members: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b""[..])).collect();
    let mut bytes = zip(&members);
    let mut end = bytes.split_off(bytes.len() - 22);
    end[8..12].copy_from_slice(&[0x60, 0xea, 0x60, 0xea]);
    bytes.extend(end.repeat(1000));
    assert!(matches!(PlanFile::read(&bytes, Engine::Terraform), Err(PlanFileError::Zip { .. })));
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

#[test]
fn a_message_that_takes_too_much_memory_is_refused() {
    let bytes = [0x1a, 0].repeat(2 << 20);
    let refused = PlanDocument::read(&bytes, Engine::Terraform);
    assert!(matches!(refused, Err(PlanFileError::TooMuch { bound: Bound::Message })));
}

#[test]
fn a_member_other_than_its_checksum_is_refused() {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let stored = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    archive.start_file("tfplan", stored).expect("a member");
    archive.write_all(b"contents").expect("a member");
    let mut bytes = archive.finish().expect("an archive").into_inner();
    let at = bytes.windows(8).position(|bytes| bytes == b"contents").expect("the contents");
    bytes[at] = b'C';
    let refused = PlanFile::read(&bytes, Engine::Terraform);
    assert!(matches!(refused, Err(PlanFileError::Broken { name, .. }) if name == "tfplan"));
}

/// The plan files that a real engine wrote: one in each folder of corpus/artifacts that has a run.
pub(super) fn real_plans() -> Vec<PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../corpus/artifacts");
    let runs = std::fs::read_dir(folder).expect("the artifacts").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<_> = runs.map(|run| run.join("plan.tfplan")).filter(|file| file.exists()).collect();
    files.sort();
    assert!(files.len() >= 12, "only {} plan files", files.len());
    files
}

#[test]
fn real_plans_are_read_and_written_again() {
    for file in &real_plans() {
        let name = file.display().to_string();
        let bytes = std::fs::read(file).expect("a file");
        let plan = PlanFile::read(&bytes, Engine::Terraform).unwrap_or_else(|error| panic!("{name}: {error}"));
        let members = container::unpack(&bytes).expect("an archive");
        let message = &members.iter().find(|(name, _)| name == PLAN).expect("a plan").1;
        let message = proto::Plan::decode(message.as_slice()).expect("a message");
        assert_eq!(write::message(&plan.plan).expect("a message"), message, "{name}");
        let written = plan.write().expect("a file");
        let again: Vec<_> = container::unpack(&written).expect("an archive");
        let texts = |members: &[container::Member]| {
            let others = members.iter().filter(|(name, _)| name != PLAN);
            others.map(|(name, text)| (name.clone(), String::from_utf8_lossy(text).into_owned())).collect::<Vec<_>>()
        };
        assert_eq!(texts(&again), texts(&members), "{name}");
        assert_eq!(PlanFile::read(&written, Engine::Terraform).expect("a plan"), plan, "{name}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = PlanFile::read(&bytes, Engine::Terraform);
        let _ = PlanDocument::read(&bytes, Engine::OpenTofu);
    }

    #[test]
    fn a_changed_file_is_read_or_refused(at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in 0..3usize) {
        let mut bytes = plan(Engine::Terraform).write().expect("a file");
        let at = at.index(bytes.len());
        bytes[at] = byte;
        bytes.drain(at..(at + cut).min(bytes.len()));
        let _ = PlanFile::read(&bytes, Engine::Terraform);
    }

    #[test]
    fn a_changed_message_is_read_or_refused(at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in 0..3usize) {
        let mut bytes = plan(Engine::OpenTofu).plan.write().expect("a message");
        let at = at.index(bytes.len());
        bytes[at] = byte;
        bytes.drain(at..(at + cut).min(bytes.len()));
        if let Ok(plan) = PlanDocument::read(&bytes, Engine::OpenTofu) {
            let written = plan.write().expect("what was read can be written");
            prop_assert_eq!(PlanDocument::read(&written, Engine::OpenTofu).expect("written"), plan);
        }
    }
}
