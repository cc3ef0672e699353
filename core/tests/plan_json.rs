//! Real output of `show -json` that lies beside a checkout, where it does: every document is read, or refused for a reason that is
//! known.
//!
//! The documents are not part of the project; without them these tests say that they were skipped.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::PathBuf;

use flate2::read::GzDecoder;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::planner::ResourceKind;
use planfuzz_core::plans::json::{ResourceChangeJson, Shown};
use planfuzz_core::schema::{ProviderSchemas, Schema};

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
