//! The time of reading and linting a plan for each change, beside `terraform show -json` on the same file if there is a
//! Terraform.
//!
//! `cargo bench --bench lint` prints a line for each size; if the time for each change does not grow, the work is linear.

use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use planfuzz::artifact::{Artifact, Catalogue};
use planfuzz::lint::lint;
use planfuzz_core::dialect::{Dialect, Engine};
use planfuzz_core::json::Json;
use planfuzz_core::plans::file::{ConfigFile, FileChange, Module, PlanDocument, PlanFile, Values};
use planfuzz_core::plans::{Action, Change, Marked};
use planfuzz_core::schema::Schema;
use planfuzz_core::state::Private;
use planfuzz_core::state::file::Snapshot;
use planfuzz_core::value::{PathSet, Type, Value};

const SCHEMA: &str = r#"{"version": 0, "block": {"attributes": {
    "id": {"type": "string", "computed": true}, "input": {"type": "dynamic", "optional": true},
    "output": {"type": "dynamic", "computed": true}, "triggers_replace": {"type": "dynamic", "optional": true}}}}"#;

const SIZES: [usize; 4] = [1_250, 2_500, 5_000, 10_000];

fn main() {
    let version = engine_version();
    let given = schemas();
    println!("changes   bytes      read  lint, no schemas  lint, typed   (microseconds for each change)");
    for size in SIZES {
        let bytes = plan(size, version.as_deref().unwrap_or("1.11.4"));
        let artifact = Artifact::read(&bytes, None).expect("a plan");
        let none = Catalogue::default();
        let findings = lint(&artifact, &given).findings.len();
        assert_eq!(findings, 0, "the plan is one");
        let times = [
            best(|| drop(black_box(Artifact::read(&bytes, None)))),
            best(|| drop(black_box(lint(&artifact, &none)))),
            best(|| drop(black_box(lint(&artifact, &given)))),
        ];
        let [read, untyped, typed] = times.map(|time| time.as_secs_f64() * 1e6 / size as f64);
        println!("{size:7} {:7} {read:9.2} {untyped:17.2} {typed:12.2}", bytes.len());
    }
    match version {
        None => println!("no terraform on the path to compare with"),
        Some(version) => beside_engine(&version, &given),
    }
}

/// The shortest of some runs.
fn best(mut run: impl FnMut()) -> Duration {
    let time = |run: &mut dyn FnMut()| {
        let start = Instant::now();
        run();
        start.elapsed()
    };
    (0..7).map(|_| time(&mut run)).min().unwrap_or_default()
}

fn schemas() -> Catalogue {
    let provider =
        r#"{"provider_schemas": {"terraform.io/builtin/terraform": {"resource_schemas": {"terraform_data": "#;
    let json = Json::parse(&format!("{provider}{SCHEMA}}}}}}}}}")).expect("JSON");
    let mut given = Catalogue::default();
    given.add("builtin", &json).expect("schemas");
    given
}

fn ty() -> Type {
    Schema::parse(SCHEMA).expect("a schema").implied_type(Dialect::default())
}

/// A plan of so many creations.
fn plan(size: usize, version: &str) -> Vec<u8> {
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

fn engine_version() -> Option<String> {
    let output = Command::new("terraform").args(["version", "-json"]).env("CHECKPOINT_DISABLE", "1").output().ok()?;
    match Json::parse_bytes(&output.stdout).ok()?.member("terraform_version")? {
        Json::String(version) => Some(version.to_string()),
        _ => None,
    }
}

/// The engine's time to read the same plan, without its start.
fn beside_engine(version: &str, given: &Catalogue) {
    let place = tempfile::tempdir().expect("a folder");
    let size = SIZES[SIZES.len() - 1];
    let show = |size: usize| {
        std::fs::write(place.path().join("tfplan"), plan(size, version)).expect("a file");
        let start = Instant::now();
        let output = show(place.path());
        (start.elapsed(), output)
    };
    let shown: Vec<_> = (0..3).map(|_| (show(0).0, show(size))).collect();
    let start = shown.iter().map(|(empty, _)| *empty).min().unwrap_or_default();
    let whole = shown.iter().map(|(_, (time, _))| *time).min().unwrap_or_default();
    let each = |time: Duration| time.as_secs_f64() * 1e6 / size as f64;
    println!(
        "terraform {version} show -json: {:.2} for each change, {} ms to start",
        each(whole.saturating_sub(start)),
        start.as_millis()
    );
    let json = &shown[0].1.1;
    let artifact = Artifact::read(json, None).expect("a plan");
    let read = best(|| drop(black_box(Artifact::read(json, None))));
    let typed = best(|| drop(black_box(lint(&artifact, given))));
    println!("what it printed, {} bytes: read {:.2}, lint, typed {:.2}", json.len(), each(read), each(typed));
}

fn show(place: &Path) -> Vec<u8> {
    let mut command = Command::new("terraform");
    command.current_dir(place).args(["show", "-json", "tfplan"]).env("CHECKPOINT_DISABLE", "1");
    let output = command.output().expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}
