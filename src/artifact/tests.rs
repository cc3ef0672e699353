//! Reading artifacts.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use planfuzz_core::json::Json;
use planfuzz_core::plans::Action;
use planfuzz_core::plans::file::{Backend, FileChange, Module, PlanDocument, PlanFile, Values};
use planfuzz_core::state::Private;
use planfuzz_core::state::file::Snapshot;

use super::*;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(bytes).expect("memory");
    packed.finish().expect("memory")
}

const STATE: &str = r#"{"version": 4, "terraform_version": "1.11.4", "serial": 3, "lineage": "l", "outputs": {},
    "resources": [
        {"module": "module.m[0]", "mode": "managed", "type": "t_a", "name": "n",
         "provider": "provider[\"registry.terraform.io/hashicorp/t\"]", "instances": [
            {"index_key": "k", "schema_version": 1, "attributes": {"id": "1"}, "sensitive_attributes": [],
             "dependencies": ["t_a.other"]},
            {"index_key": "bad", "status": "planned", "schema_version": 1, "attributes": {"id": "hunter2"}},
            {"index_key": "k", "deposed": "0000000a", "schema_version": 1, "attributes": {"id": "2"}}]}]}"#;

fn plan_file(engine: Engine, provider: &str, locks: &[u8]) -> Vec<u8> {
    let mut plan = PlanDocument::new(engine, "1.11.4", "2025-01-02T03:04:05Z");
    plan.backend = Backend::local();
    plan.changes.push(FileChange {
        addr: "t_a.n".to_owned(),
        prev_run_addr: None,
        deposed: None,
        provider: format!("provider[\"{provider}\"]"),
        values: Values::new(Action::Create, None, Some(b"\x81\xa2id\xa11".to_vec())),
        private: Private::NONE,
        required_replace: Vec::new(),
        reason: Default::default(),
    });
    let file = PlanFile {
        plan,
        state: Snapshot::empty("1.11.4", "", 0),
        previous: Snapshot::empty("1.11.4", "", 0),
        config: Vec::new(),
        manifest: vec![Module::root()],
        locks: Some(locks.to_vec()),
        schemas: None,
    };
    file.write().expect("a plan file")
}

#[test]
fn a_bad_object_does_not_hide_the_others_and_its_values_are_not_printed() {
    let artifact = Artifact::read(STATE.as_bytes(), None).expect("a state");
    assert_eq!(artifact.kind, Kind::StateFile);
    assert_eq!(artifact.producer.to_string(), "Terraform 1.11.4");
    let state = artifact.state().expect("a state");
    let names: Vec<_> = state.objects.iter().map(|object| object.id.to_string()).collect();
    assert_eq!(names, ["module.m[0].t_a.n[\"k\"]", "module.m[0].t_a.n[\"k\"] (deposed 0000000a)"]);
    let flaws: Vec<_> = artifact.flaws.iter().map(|flaw| format!("{}: {}", flaw.place, flaw.message)).collect();
    assert_eq!(flaws, ["resources[0].instances[1]: .status: expected \"tainted\", found something else"]);
}

#[test]
fn compressed_files_are_read_like_others() {
    let artifact = Artifact::read(&gzip(STATE.as_bytes()), None).expect("a state");
    assert_eq!(artifact.state().expect("a state").objects.len(), 2);
    let plan = gzip(&plan_file(Engine::Terraform, "registry.terraform.io/hashicorp/t", b""));
    assert_eq!(Artifact::read(&plan, None).expect("a plan").kind, Kind::PlanFile);
}

#[test]
fn the_engine_of_a_plan_file_is_detected() {
    let read = |bytes: Vec<u8>| Artifact::read(&bytes, None).expect("a plan").producer.engine;
    assert_eq!(read(plan_file(Engine::Terraform, "registry.terraform.io/hashicorp/t", b"")), Engine::Terraform);
    assert_eq!(read(plan_file(Engine::OpenTofu, "registry.opentofu.org/hashicorp/t", b"")), Engine::OpenTofu);
    assert_eq!(
        read(plan_file(Engine::OpenTofu, "terraform.io/builtin/terraform", b"# \"tofu init\".")),
        Engine::OpenTofu
    );
    let terraform = plan_file(Engine::Terraform, "registry.opentofu.org/hashicorp/t", b"");
    assert_eq!(read(terraform), Engine::Terraform, "only Terraform has applyable");
}

#[test]
fn values_are_read_by_the_first_schema_that_they_fit() {
    let schemas = |attributes: &str| {
        let text = format!(
            r#"{{"format_version": "1.0", "provider_schemas": {{"registry.terraform.io/hashicorp/t": {{
                "resource_schemas": {{"t_a": {{"version": 1, "block": {{"attributes": {attributes}}}}}}}}}}}}}"#
        );
        Json::parse(&text).expect("JSON")
    };
    let mut given = Catalogue::default();
    given.add("one", &schemas(r#"{"other": {"type": "string", "computed": true}}"#)).expect("schemas");
    given.add("two", &schemas(r#"{"id": {"type": "string", "computed": true}}"#)).expect("schemas");
    let artifact = Artifact::read(STATE.as_bytes(), None).expect("a state");
    let finder = SchemaFinder::new(&artifact, &given);
    let object = &artifact.state().expect("a state").objects[0];
    let fit = finder.read(&object.id, &[&object.value], object.schema_version).expect("it fits");
    assert_eq!((&*fit.schema.source, fit.is_same_version), ("two", true));
    let none = Catalogue::default();
    let finder = SchemaFinder::new(&artifact, &none);
    let untyped = finder.read(&object.id, &[&object.value], object.schema_version).expect_err("no schemas");
    assert_eq!(untyped, Untyped::NoSchemas);
}

#[test]
fn a_file_that_is_no_artifact_is_refused_with_what_was_expected() {
    let problem = |bytes: &[u8]| Artifact::read(bytes, None).expect_err("an error").to_string();
    assert_eq!(problem(b""), "expected a plan or a state, found an empty file");
    assert_eq!(problem(b"tfplan\x02..."), "expected a plan file of an engine since 1.0, found one from before 0.12");
    assert_eq!(problem(b"[]"), "expected a plan or a state, found JSON that is no object");
    assert_eq!(problem(b"{\"version\": 3, \"serial\": 1}"), "expected a state of version 4, found version 3");
    assert!(problem(b"{\"meta\": {}, \"encrypted_data\": \"x\"}").contains("encrypted"));
    assert!(problem(b"{\"format_version\": \"1.0\", \"provider_schemas\": {}}").contains("--schemas"));
    assert!(problem(b"PK\x03\x04 not a zip").starts_with("expected a plan file: expected a zip archive"));
    assert!(problem(b"{\"a\": 1, \"a\": 2}").contains("found \"a\" again"));
    assert!(problem("[".repeat(100_000).as_bytes()).contains("levels of arrays and objects"));
    let frame = problem(br#"{"version": 4, "serial": 1, "lineage": ["hunter2"], "terraform_version": "1.0.0"}"#);
    assert_eq!(frame, "expected a state: .lineage: expected a string, found something else");
}

#[test]
fn bombs_stop_at_the_bound() {
    let bomb = gzip(&vec![b' '; MAX_ARTIFACT_BYTES + 10]);
    assert!(bomb.len() < MAX_ARTIFACT_BYTES / 100);
    assert!(matches!(Artifact::read(&bomb, None), Err(ArtifactError::TooLarge)));
    let plan = plan_file(Engine::Terraform, "registry.terraform.io/hashicorp/t", b"");
    assert!(matches!(Artifact::read(&plan[..plan.len() / 2], None), Err(ArtifactError::PlanFile(_))));
    let cut = &gzip(STATE.as_bytes())[..60];
    assert!(matches!(Artifact::read(cut, None), Err(ArtifactError::Gzip(_))));
}

/// The files of that name of the runs of corpus/artifacts, read.
fn real(name: &str) -> Vec<Artifact> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/artifacts");
    let runs = std::fs::read_dir(folder).expect("the artifacts").map(|entry| entry.expect("an entry").path());
    let files = runs.map(|run| run.join(name)).filter(|file| file.exists());
    files.map(|file| Artifact::read(&std::fs::read(&file).expect("a file"), None).expect("an artifact")).collect()
}

#[test]
fn real_states_and_plan_files_are_read() {
    let states = real("after.tfstate");
    assert!(states.iter().all(|state| state.flaws.is_empty()));
    let objects: usize = states.iter().map(|state| state.state().expect("a state").objects.len()).sum();
    assert_eq!((states.len(), objects), (12, 124));
    let plans = real("plan.tfplan");
    let changes: usize = plans.iter().map(|plan| plan.plan().expect("a plan").changes.len()).sum();
    // The plan file of the destroy plan has two data resources that `show -json` leaves out.
    assert_eq!((plans.len(), changes), (12, 122));
}
