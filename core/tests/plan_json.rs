//! What a real engine shows of its plans and states: every document is read, and what is written of the same plan is the same.

use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use planfuzz_core::address::ResourceKind;
use planfuzz_core::dialect::{Dialect, Engine};
use planfuzz_core::json::Json;
use planfuzz_core::plans::file::{FileChange, PlanDocument, PlanFile};
use planfuzz_core::plans::json::{PlanJson, ResourceChangeJson, SchemaTable, Shown, show_plan, show_plan_tree};
use planfuzz_core::schema::{ProviderSchemas, Schema};
use planfuzz_core::state::file::Snapshot;

/// The runs of corpus/artifacts.
fn runs() -> Vec<PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../corpus/artifacts");
    let entries = fs::read_dir(folder).expect("the artifacts").map(|entry| entry.expect("an entry").path());
    let mut runs: Vec<_> = entries.filter(|path| path.join("plan.json").exists()).collect();
    runs.sort();
    assert!(runs.len() >= 12, "only {} runs", runs.len());
    runs
}

/// The documents by name: of each run the plan and the state after it.
fn documents() -> Vec<(String, Vec<u8>)> {
    let files = runs().into_iter().flat_map(|run| ["plan.json", "after.json"].map(|name| run.join(name)));
    files.map(|file| (file.display().to_string(), fs::read(&file).expect("a document"))).collect()
}

/// The schemas of the provider that the runs use.
fn schemas() -> ProviderSchemas {
    let text = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../corpus/artifacts/schemas.json")).expect("schemas");
    ProviderSchemas::from_json(&Json::parse_bytes(&text).expect("JSON")).expect("schemas")
}

#[test]
fn every_document_is_read() {
    let (mut changes, mut resources) = (0, 0);
    for (name, bytes) in documents() {
        let unknown = match Shown::read(&bytes).unwrap_or_else(|error| panic!("{name}: {error}")) {
            Shown::Plan(plan) => {
                changes += plan.all_changes().count();
                resources += plan.planned_values.iter().flat_map(|values| values.resources()).count();
                let state = plan.prior_state.iter().filter_map(|state| state.values.as_ref());
                resources += state.flat_map(|values| values.resources()).count();
                plan.unknown_members
            }
            Shown::State(state) => {
                resources += state.values.iter().flat_map(|values| values.resources()).count();
                state.unknown_members
            }
        };
        assert!(unknown.is_empty(), "{name}: {unknown:?}");
    }
    assert!(changes > 100 && resources > 200, "{changes} changes, {resources} resources");
}

/// The schema of a change's type.
fn fitting<'s>(schemas: &'s ProviderSchemas, change: &ResourceChangeJson) -> &'s Schema {
    let name = &change.address.instance().resource.type_name;
    let entries = match change.address.kind() {
        ResourceKind::Managed => &schemas.resources,
        ResourceKind::Data => &schemas.data_sources,
    };
    &entries.iter().find(|entry| entry.name == *name).unwrap_or_else(|| panic!("no schema of {name}")).schema
}

/// The changes of all plans, by the name of the file.
fn all_changes() -> Vec<(String, ResourceChangeJson)> {
    let mut changes = Vec::new();
    for (name, bytes) in documents() {
        if let Ok(Shown::Plan(plan)) = Shown::read(&bytes) {
            changes.extend(plan.all_changes().map(|change| (name.clone(), change.clone())));
        }
    }
    assert!(changes.len() > 100, "only {} changes", changes.len());
    changes
}

#[test]
fn changes_are_read_with_their_schemas() {
    let schemas = schemas();
    for (name, change) in all_changes() {
        let typed = change.to_typed(fitting(&schemas, &change), Dialect::default());
        assert!(typed.is_ok(), "{name}: {}: {:?}", change.address.text(), typed.err());
    }
}

/// A document whose members are sorted by name, and by their text what is in no order.
fn normal(json: &Json) -> Json {
    match json {
        Json::Array(items) => Json::Array(items.iter().map(normal).collect()),
        Json::Object(members) => {
            let member = |(name, value): &(Box<str>, Json)| match (&**name, normal(value)) {
                ("replace_paths" | "relevant_attributes", Json::Array(mut paths)) => {
                    paths.sort_by_key(Json::to_compact);
                    (name.clone(), Json::Array(paths))
                }
                (_, value) => (name.clone(), value),
            };
            let mut members: Vec<_> = members.iter().map(member).collect();
            members.sort_by(|one, other| one.0.cmp(&other.0));
            Json::Object(members)
        }
        scalar => scalar.clone(),
    }
}

/// What of a plan needs the configuration or is not written.
const NOT_OURS: [&str; 3] = ["variables", "configuration", "checks"];

#[test]
fn js02_plan_files_are_shown_as_the_engine_shows_them() {
    let schemas = schemas();
    for run in runs() {
        let name = run.display();
        let bytes = fs::read(run.join("plan.tfplan")).expect("a plan file");
        let file = PlanFile::read(&bytes, Engine::Terraform).expect("a plan file");
        let text = show_plan(&file, &SchemaTable::of(&schemas), Dialect::TERRAFORM_1_11).expect("a document");
        let real = fs::read(run.join("plan.json")).expect("a document");
        let (ours, theirs) = (Json::parse(&text).expect("JSON"), Json::parse_bytes(&real).expect("JSON"));
        for (member, theirs) in theirs.expect_object().expect("an object") {
            let ours = ours.member(member);
            if NOT_OURS.contains(&&**member) {
                assert_eq!(ours, None, "{name}: {member}");
                continue;
            }
            let ours = ours.unwrap_or_else(|| panic!("{name}: no {member}"));
            let [ours, theirs] = [ours, theirs].map(|part| normal(&Json::object([(&**member, part.clone())])));
            assert_eq!(ours.to_indented(), theirs.to_indented(), "{name}: {member}");
        }
        // The parts are there letter by letter, in their order.
        let real = String::from_utf8(real).expect("text");
        let members = ["\"planned_values\":", "\"output_changes\":", "\"prior_state\":", "\"timestamp\":"];
        for member in members.into_iter().filter(|member| real.contains(member)) {
            let part = |text: &str| {
                let rest = text.split_once(member).expect("the member").1.to_owned();
                rest[..rest.find(",\"resource_changes\"").unwrap_or(60).min(60)].to_owned()
            };
            assert_eq!(part(&text), part(&real), "{name}: {member}");
        }
    }
}

/// The document of one change, written anew from what was read of it with a schema.
fn written_anew(change: &ResourceChangeJson, schema: &Schema) -> Option<Json> {
    let dialect = Dialect::TERRAFORM_1_11;
    let typed = change.to_typed(schema, dialect).ok()?.change;
    let source = change.provider_name.split('/').count();
    let provider = if source == 3 { change.provider_name.clone() } else { "registry.terraform.io/hashicorp/x".into() };
    let address = change.address.instance().to_string();
    let written =
        FileChange::encode(&address, &format!("provider[\"{provider}\"]"), &typed, &schema.implied_type(dialect));
    let mut plan = PlanDocument::new(Engine::Terraform, "1.11.4", "2025-01-02T03:04:05Z");
    plan.changes.push(written.expect("a change that can be written"));
    let empty = Snapshot::empty("1.11.4", "", 0);
    let file = PlanFile {
        plan,
        state: empty.clone(),
        previous: empty,
        config: Vec::new(),
        manifest: Vec::new(),
        locks: None,
        schemas: None,
    };
    let mut table = SchemaTable::new();
    table.insert(&provider, change.address.kind(), &change.address.instance().resource.type_name, schema);
    let json = show_plan_tree(&file, &table, dialect).expect("a document");
    json.member("resource_changes").map(|changes| changes.expect_array().expect("an array")[0].clone())
}

/// The place where the document of a change differs from the one it was read from, in members that the latter has.
fn difference(name: &str, change: &ResourceChangeJson, anew: &Json) -> Option<String> {
    let own = anew.member("change").expect("a change");
    let was = &change.change;
    let parts = [
        ("before", &was.before),
        ("after", &was.after),
        ("after_unknown", &was.after_unknown),
        ("before_sensitive", &was.before_sensitive),
        ("after_sensitive", &was.after_sensitive),
    ];
    parts.into_iter().find_map(|(part, was)| {
        let (was, is) = (was.as_ref()?, own.member(part).unwrap_or(&Json::Null));
        let (was, is) = (normal(was).to_compact(), normal(is).to_compact());
        (was != is).then(|| format!("{name}: {} {part}: {was} became {is}", change.address.text()))
    })
}

/// Whether a result is unknown whose type the document does not contain, though the marks that it shows depend on it.
fn has_untyped_unknown(change: &ResourceChangeJson) -> bool {
    change.change.after_unknown.as_ref().and_then(|unknown| unknown.member("output")) == Some(&Json::Bool(true))
}

#[test]
fn changes_are_written_as_they_were_read() {
    let schemas = schemas();
    let (mut same, mut left_out) = (0, 0);
    for (name, change) in all_changes().iter().filter(|(_, change)| change.change.importing.is_none()) {
        let anew = written_anew(change, fitting(&schemas, change)).unwrap_or_else(|| panic!("{name}: not written"));
        match difference(name, change, &anew) {
            None => same += 1,
            Some(_) if has_untyped_unknown(change) => left_out += 1,
            Some(difference) => panic!("{difference}"),
        }
    }
    assert!(same > 80 && left_out < 40, "{same} written as they were read, {left_out} left out");
}

/// The document of many changes of one kind: an update of a resource of a dozen attributes.
fn large(changes: usize) -> String {
    let change = |number: usize| {
        format!(
            r#"{{"address":"t.a[{number}]","mode":"managed","type":"t","name":"a","index":{number},"provider_name":"h/n/t",
            "change":{{"actions":["update"],"before":{{"a0":"x","a1":"x","a2":"x","a3":"x","b":true,"id":"i-{number}","l":["a","b","c"],
            "m":{{"k":"v","l":"w"}},"n":12345,"s":["a","b"]}},"after":{{"a0":"y","a1":"x","a2":"x","a3":"x","b":false,"l":["a","b","c"],
            "m":{{"k":"v"}},"n":12345,"s":["a","b"]}},"after_unknown":{{"id":true,"l":[false,false,false],"m":{{"l":true}},"s":[false,false]}},
            "before_sensitive":{{"l":[false,false,false],"m":{{}},"s":[false,false]}},
            "after_sensitive":{{"a0":true,"l":[false,false,false],"m":{{}},"s":[false,false]}}}}}}"#
        )
    };
    let all: Vec<String> = (0..changes).map(change).collect();
    format!(r#"{{"format_version":"1.2","terraform_version":"1.11.4","resource_changes":[{}]}}"#, all.join(","))
}

const LARGE: &str = r#"{"block":{"attributes":{"a0":{"type":"string","optional":true},"a1":{"type":"string","optional":true},
    "a2":{"type":"string","optional":true},"a3":{"type":"string","optional":true},"b":{"type":"bool","optional":true},
    "id":{"type":"string","computed":true},"l":{"type":["list","string"],"optional":true},"m":{"type":["map","string"],"optional":true},
    "n":{"type":"number","optional":true},"s":{"type":["set","string"],"optional":true}}}}"#;

/// What reading costs for each change: ten times as many take ten times as long.
#[test]
#[ignore = "measures"]
fn reading_is_linear() {
    let schema = Schema::parse(LARGE).expect("a schema");
    for changes in [1_000, 10_000] {
        let text = large(changes);
        let each = |began: Instant| began.elapsed().as_nanos() as usize / changes;
        let began = Instant::now();
        let json = Json::parse(&text).expect("JSON");
        let parsed = each(began);
        let began = Instant::now();
        let plan = PlanJson::from_json(json).expect("a plan");
        let read = each(began);
        let began = Instant::now();
        for change in &plan.resource_changes {
            change.to_typed(&schema, Dialect::default()).expect("values");
        }
        let typed = each(began);
        let bytes = text.len() / changes;
        println!("{changes} changes of {bytes} bytes: JSON {parsed} ns, plan {read} ns, values {typed} ns for each");
    }
}
