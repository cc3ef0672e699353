//! Real output of `show -json` that lies beside a checkout, where it does: every document is read, or refused for a reason that is
//! known.
//!
//! The documents are not part of the project; without them these tests say that they were skipped.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::PathBuf;

use flate2::read::GzDecoder;
use planfuzz_core::dialect::{Dialect, Engine};
use planfuzz_core::json::Json;
use planfuzz_core::planner::ResourceKind;
use planfuzz_core::plans::file::{FileChange, PlanDocument, PlanFile};
use planfuzz_core::plans::json::{ResourceChangeJson, SchemaTable, Shown, show_plan, show_plan_tree};
use planfuzz_core::schema::{ProviderSchemas, Schema};
use planfuzz_core::state::file::Snapshot;

fn folder(name: &str) -> Option<PathBuf> {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "..", "shared", name].iter().collect();
    if !path.is_dir() {
        println!("skipped: no {name} beside this checkout");
        return None;
    }
    Some(path)
}

fn inflated(path: &PathBuf) -> Vec<u8> {
    let mut bytes = Vec::new();
    GzDecoder::new(File::open(path).expect("a file")).read_to_end(&mut bytes).expect("a gzip file");
    bytes
}

/// The documents by name: those of one file each, then those of the equivalence tests.
fn documents() -> Vec<(String, Vec<u8>)> {
    let Some(folder) = folder("plans") else { return Vec::new() };
    let mut documents = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if let Some(stem) = name.strip_suffix(".jsonl.gz") {
            for line in String::from_utf8(inflated(&path)).expect("text").lines() {
                let test = Json::parse(line).expect("JSON");
                let test_name = test.member("name").expect("a name").expect_string().expect("a string").to_owned();
                for part in ["plan", "state_after"] {
                    if let Some(json) = test.member(part) {
                        documents.push((format!("{stem}/{test_name}/{part}"), json.to_compact().into_bytes()));
                    }
                }
            }
        } else if let Some(stem) = name.strip_suffix(".json.gz").filter(|stem| !stem.ends_with("configs")) {
            documents.push((stem.to_owned(), inflated(&path)));
        }
    }
    documents.sort();
    documents
}

/// The documents that say what no engine says, and what.
const REFUSED: [(&str, &str); 2] = [
    ("terraform-validator-google-applied-1.0", "found \"uniform_bucket_level_access\" again"),
    // A list was emptied, what is said of its elements was not.
    ("terraform-compliance-drift15-1.0", "cidr_blocks: expected what goes with an array of 0 items"),
];

#[test]
fn every_document_is_read() {
    let mut unknown: BTreeMap<String, usize> = BTreeMap::new();
    let (mut changes, mut resources, mut refused, mut failures) = (0, 0, 0, Vec::new());
    let documents = documents();
    for (name, bytes) in &documents {
        let members = match Shown::read(bytes) {
            Ok(Shown::Plan(plan)) => {
                changes += plan.all_changes().count();
                resources += plan.planned_values.iter().flat_map(|values| values.resources()).count();
                let state = plan.prior_state.iter().filter_map(|state| state.values.as_ref());
                resources += state.flat_map(|values| values.resources()).count();
                plan.unknown_members
            }
            Ok(Shown::State(state)) => {
                resources += state.values.iter().flat_map(|values| values.resources()).count();
                state.unknown_members
            }
            Err(error) => {
                let text = format!("{name}: {error}");
                match REFUSED.iter().any(|(of, why)| name == of && text.contains(why)) {
                    true => refused += 1,
                    false => failures.push(text),
                }
                continue;
            }
        };
        members.iter().for_each(|(place, count)| *unknown.entry(format!("{name} {place}")).or_default() += count);
    }
    println!("{} documents, {refused} refused, {changes} changes, {resources} resources", documents.len());
    unknown.iter().for_each(|(place, count)| println!("unknown: {place} {count}"));
    assert!(failures.is_empty(), "{failures:#?}");
}

/// The schemas that lie beside a checkout, of files up to a size, by provider and type.
fn schemas(largest: u64) -> Vec<(String, ProviderSchemas)> {
    let Some(folder) = folder("schemas") else { return Vec::new() };
    let folders = [folder.clone(), folder.join("history")];
    let entries = folders.iter().flat_map(|folder| fs::read_dir(folder).expect("a folder"));
    let mut schemas = Vec::new();
    for entry in entries {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let is_packed = name.ends_with(".json.gz");
        if path.metadata().expect("a file").len() > largest || !(is_packed || name == "terraform-builtin.json") {
            continue;
        }
        let bytes = if is_packed { inflated(&path) } else { fs::read(&path).expect("a file") };
        let json = Json::parse_bytes(&bytes).expect("JSON");
        schemas.push((name, ProviderSchemas::from_json(&json).expect("schemas")));
    }
    schemas
}

/// The schemas that a change may have been made with: those of its type, of whichever provider.
fn fitting<'s>(schemas: &'s [(String, ProviderSchemas)], change: &ResourceChangeJson) -> Vec<&'s Schema> {
    let name = &change.address.instance().resource.type_name;
    let of = |(_, provider): &'s (String, ProviderSchemas)| match change.address.kind() {
        ResourceKind::Managed => &provider.resources,
        ResourceKind::Data => &provider.data_sources,
    };
    let entries = schemas.iter().flat_map(of);
    entries.filter(|entry| entry.name == *name).map(|entry| &entry.schema).collect()
}

fn read_typed(largest: u64, least: usize) {
    let schemas = schemas(largest);
    if schemas.is_empty() {
        return;
    }
    let (mut typed, mut without) = (0, 0);
    let mut misfits = Vec::new();
    for (name, bytes) in documents() {
        let Ok(Shown::Plan(plan)) = Shown::read(&bytes) else { continue };
        for change in plan.all_changes() {
            let candidates = fitting(&schemas, change);
            let mut last = None;
            let mut has_fit = false;
            for schema in &candidates {
                match change.to_typed(schema, Dialect::default()) {
                    Ok(_) => has_fit = true,
                    Err(error) => last = Some(error),
                }
            }
            match last {
                _ if has_fit => typed += 1,
                None => without += 1,
                Some(error) => misfits.push(format!("{name}: {}: {error}", change.address.text())),
            }
        }
    }
    misfits.iter().for_each(|misfit| println!("{misfit}"));
    println!("{typed} changes fit a schema, {} do not, {without} have none", misfits.len());
    assert!(typed >= least, "{typed}");
}

#[test]
fn changes_of_small_providers_are_read_with_their_schemas() {
    read_typed(40_000, 50);
}

#[test]
#[ignore = "reads every schema file"]
fn changes_are_read_with_their_schemas() {
    read_typed(u64::MAX, 200);
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
fn js02_own_plan_files_are_shown_as_the_engine_shows_them() {
    let (Some(plans), Some(schemas)) = (folder("plans"), folder("schemas")) else { return };
    let json = Json::parse_bytes(&fs::read(schemas.join("terraform-builtin.json")).expect("a file")).expect("JSON");
    let schemas = ProviderSchemas::from_json(&json).expect("schemas");
    for name in ["own-terraform-data-create-1.11.4", "own-terraform-data-mixed-1.11.4"] {
        let bytes = fs::read(plans.join("binary").join(format!("{name}.tfplan"))).expect("a plan file");
        let file = PlanFile::read(&bytes, Engine::Terraform).expect("a plan file");
        let text = show_plan(&file, &SchemaTable::of(&schemas), Dialect::TERRAFORM_1_11).expect("a document");
        let real = inflated(&plans.join(format!("{name}.json.gz")));
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
        for member in ["\"planned_values\":", "\"output_changes\":", "\"prior_state\":", "\"timestamp\":"] {
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

/// Where the document of a change says something else than the one it was read from, as far as that says it.
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

fn write_anew(largest: u64, least: usize) {
    let schemas = schemas(largest);
    if schemas.is_empty() {
        return;
    }
    let (mut same, mut otherwise) = (0, Vec::new());
    for (name, bytes) in documents() {
        let Ok(Shown::Plan(plan)) = Shown::read(&bytes) else { continue };
        for change in plan.all_changes().filter(|change| change.change.importing.is_none()) {
            let written = fitting(&schemas, change).into_iter().filter_map(|schema| written_anew(change, schema));
            let differences: Vec<_> = written.map(|anew| difference(&name, change, &anew)).collect();
            // Several versions of a schema may have the same members, with other kinds of collections.
            match differences.iter().any(Option::is_none) {
                true => same += 1,
                false => otherwise.extend(differences.into_iter().flatten().next()),
            }
        }
    }
    otherwise.iter().for_each(|difference| println!("{difference}"));
    println!("{same} changes are written as they were read, {} otherwise", otherwise.len());
    assert!(same >= least, "{same}");
}

#[test]
fn changes_of_small_providers_are_written_as_they_were_read() {
    write_anew(40_000, 50);
}

#[test]
#[ignore = "reads every schema file"]
fn changes_are_written_as_they_were_read() {
    write_anew(u64::MAX, 200);
}
