//! `import` of plans and states: what a user sees, and what holds of every imported case.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use crate::command::{CommandOutput, Place};
use planfuzz::artifact::{Artifact, Catalogue, Content, SchemaFinder};
use planfuzz::case::{Case, CaseFile};
use planfuzz::compare::{Answers, Judge, Summary};
use planfuzz::import::{Importer, Wanted};
use planfuzz::subject::{InProcess, Outcome, Subject as _};
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::value::{Path, PathSet, ValueRef, WrittenPath};
use planfuzz_optimized::Optimized;
use planfuzz_reference::Reference;

const SCHEMAS: &str = r#"{"format_version":"1.0","provider_schemas":{"registry.terraform.io/acme/shop":{"resource_schemas":{
    "shop_item":{"version":0,"block":{"attributes":{
        "id":{"type":"string","computed":true},
        "name":{"type":"string","required":true},
        "zone":{"type":"string","optional":true,"computed":true},
        "password":{"type":"string","optional":true,"sensitive":true},
        "url":{"type":"string","optional":true},
        "tags":{"type":["map","string"],"optional":true}},
      "block_types":{"disk":{"nesting_mode":"list","block":{"attributes":{
        "size":{"type":"number","required":true},"serial":{"type":"string","computed":true}}}}}}}}}}}"#;

/// A plan as `show -json` prints it, with a create, an update, a replacement, a deletion and a no-op.
const PLAN: &str = r#"{"format_version":"1.2","terraform_version":"1.11.4","planned_values":{"root_module":{}},
  "resource_changes":[
    {"address":"shop_item.new","mode":"managed","type":"shop_item","name":"new","provider_name":"registry.terraform.io/acme/shop",
     "change":{"actions":["create"],"before":null,
       "after":{"name":"n","password":"hunter2hunter2","url":"https://me:hunter2hunter2@host","tags":{"a":"b"},"disk":[{"size":5}]},
       "after_unknown":{"id":true,"zone":true,"disk":[{"serial":true}],"tags":{}},
       "before_sensitive":false,"after_sensitive":{"password":true,"tags":{},"disk":[{}]}}},
    {"address":"shop_item.old","mode":"managed","type":"shop_item","name":"old","provider_name":"registry.terraform.io/acme/shop",
     "change":{"actions":["update"],
       "before":{"id":"1","name":"o","zone":"z","password":"correct-horse","url":null,"tags":null,"disk":[]},
       "after":{"id":"1","name":"p","zone":"z","password":"battery-staple","url":null,"tags":{"k":"plain-but-marked"},"disk":[]},
       "after_unknown":{"disk":[],"tags":{}},"before_sensitive":{"password":true,"disk":[]},
       "after_sensitive":{"password":true,"tags":{"k":true},"disk":[]}}},
    {"address":"shop_item.moved","mode":"managed","type":"shop_item","name":"moved","provider_name":"registry.terraform.io/acme/shop",
     "change":{"actions":["delete","create"],
       "before":{"id":"2","name":"a","zone":"z","password":null,"url":null,"tags":null,"disk":[{"size":1,"serial":"s"}]},
       "after":{"name":"b","zone":"z","password":null,"url":null,"tags":null,"disk":[{"size":1}]},
       "after_unknown":{"id":true,"disk":[{"serial":true}]},"before_sensitive":{"disk":[{}]},"after_sensitive":{"disk":[{}]},
       "replace_paths":[["name"]]},"action_reason":"replace_because_cannot_update"},
    {"address":"shop_item.gone","mode":"managed","type":"shop_item","name":"gone","provider_name":"registry.terraform.io/acme/shop",
     "change":{"actions":["delete"],
       "before":{"id":"3","name":"g","zone":"z","password":"open-sesame-1","url":null,"tags":null,"disk":[]},
       "after":null,"after_unknown":{},"before_sensitive":{"password":true,"disk":[]},"after_sensitive":false},
     "action_reason":"delete_because_no_resource_config"},
    {"address":"shop_item.same","mode":"managed","type":"shop_item","name":"same","provider_name":"registry.terraform.io/acme/shop",
     "change":{"actions":["no-op"],
       "before":{"id":"4","name":"s","zone":"z","password":null,"url":null,"tags":null,"disk":[]},
       "after":{"id":"4","name":"s","zone":"z","password":null,"url":null,"tags":null,"disk":[]},
       "after_unknown":{},"before_sensitive":{"password":true,"disk":[]},"after_sensitive":{"password":true,"disk":[]}}},
    {"address":"other_thing.x","mode":"managed","type":"other_thing","name":"x","provider_name":"registry.terraform.io/acme/other",
     "change":{"actions":["create"],"before":null,"after":{},"after_unknown":{},"before_sensitive":false,"after_sensitive":{}}}],
  "configuration":{"root_module":{"resources":[
    {"address":"shop_item.new","mode":"managed","type":"shop_item","name":"new","schema_version":0,"expressions":{
      "name":{"constant_value":"n"},"password":{"references":["var.p"]},"url":{"references":["var.u"]},
      "tags":{"constant_value":{"a":"b"}},"disk":[{"size":{"constant_value":5}}]}},
    {"address":"shop_item.old","mode":"managed","type":"shop_item","name":"old","schema_version":0,"expressions":{
      "name":{"constant_value":"p"},"password":{"references":["var.p"]},"tags":{"references":["var.t"]}}}]}}}"#;

const STATE: &str = r#"{"version":4,"terraform_version":"1.11.4","serial":1,"lineage":"l","outputs":{},"resources":[
    {"mode":"managed","type":"shop_item","name":"a","provider":"provider[\"registry.terraform.io/acme/shop\"]","instances":[
      {"schema_version":0,"status":"tainted","attributes":{"id":"9","name":"n","zone":"z","password":"under-the-mat","url":"marked-url-text",
        "tags":null,"disk":[{"size":1,"serial":"s"}]},"sensitive_attributes":[[{"type":"get_attr","value":"url"}]],
       "private":"c2VjcmV0LXByaXZhdGU="}]}],"check_results":null}"#;

const SECRETS: [&str; 8] = [
    "hunter2",
    "correct-horse",
    "battery-staple",
    "plain-but-marked",
    "open-sesame-1",
    "under-the-mat",
    "marked-url",
    "c2VjcmV0",
];

/// A folder with a plan, a state and their schemas.
fn place() -> Place {
    let place = Place::new();
    place.write("schemas.json", SCHEMAS).write("plan.json", PLAN).write("state.tfstate", STATE);
    place
}

impl Place {
    fn import(&self, more: &[&str]) -> CommandOutput {
        self.run(&[&["import", "--schemas", "schemas.json"], more].concat())
    }
}

impl CommandOutput {
    fn cases(&self) -> Vec<Case> {
        self.out
            .lines()
            .map(|line| CaseFile::from_json(&Json::parse(line).expect("JSON")).expect("a case").case)
            .collect()
    }
}

#[test]
fn a_plan_becomes_cases_that_hold() {
    let place = place();
    let ended = place.import(&["plan.json", "--output", "cases", "--json"]);
    ended.ends(0, &["5 of 6 objects imported: 15 cases", "left out 1: no schema of the type is known"]);
    let counts = Json::parse(&ended.out).expect("counts");
    let want = Json::object([("merge", Json::int(5)), ("plan_instance", Json::int(5)), ("scenario", Json::int(5))]);
    assert_eq!(counts.member("cases"), Some(&want));
    place.run(&["replay", "cases"]).ends(0, &[]);
    let again = place.import(&["plan.json", "--output", "more", "--json"]);
    let names = |folder: &str| -> BTreeSet<_> {
        let entries = fs::read_dir(place.path(folder)).expect("a folder");
        entries.map(|entry| entry.expect("an entry").file_name()).collect()
    };
    assert_eq!(names("cases"), names("more"), "{}", again.err);
}

#[test]
fn the_cases_have_the_values_of_the_plan() {
    let place = place();
    let cases = place.import(&["plan.json", "--op", "proposed_new", "--show-sensitive"]).ends(0, &[]).cases();
    let texts: Vec<String> = cases.iter().map(|case| case.to_json().to_compact()).collect();
    assert_eq!(texts.len(), 5);
    let created = r#""prior":null,"config":{"id":null,"name":"n","password":"hunter2hunter2","tags":{"a":"b"},"url":"https://me:hunter2hunter2@host","zone":null,"disk":[{"serial":null,"size":5}]}"#;
    let config = Json::parse(&texts[0]).expect("JSON").member("config").expect("a configuration").to_compact();
    let want = Json::parse(&format!("{{{created}}}")).expect("JSON").member("config").expect("one").clone();
    for (name, member) in want.expect_object().expect("an object") {
        let found = Json::parse(&config).expect("JSON");
        assert_eq!(found.member(name), Some(member), "{name}");
    }
    assert!(texts[0].contains("configuration as written, references as planned"), "{}", texts[0]);
    assert!(texts[2].contains("configuration derived"), "{}", texts[2]);
    assert!(texts[3].contains("no configuration"), "{}", texts[3]);
}

#[test]
fn a_state_becomes_cases_that_hold() {
    let place = place();
    place
        .import(&["state.tfstate", "--output", "cases"])
        .ends(0, &["1 of 1 objects imported: 2 cases (1 merge, 1 scenario)"]);
    place.run(&["replay", "cases"]).ends(0, &[]);
}

#[test]
fn nothing_sensitive_is_written() {
    let place = place();
    let ended = place.import(&["plan.json", "state.tfstate"]);
    ended.ends(0, &[]);
    for secret in SECRETS {
        assert!(!ended.out.contains(secret), "{secret} is printed");
        assert!(!ended.err.contains(secret), "{secret} is printed to people");
    }
    // The secret is replaced inside of the other text, of which the rest stays.
    assert!(ended.out.contains("https://me:") && ended.out.contains("@host"));
    let kept = place.import(&["plan.json", "state.tfstate", "--show-sensitive"]);
    kept.ends(0, &[]);
    for secret in &SECRETS[..7] {
        assert!(kept.out.contains(secret), "{secret} is kept");
    }
    assert!(!kept.out.contains("c2VjcmV0"), "private data are never imported");
}

#[test]
fn a_plan_file_is_read_with_its_configuration() {
    let [path, schemas] = ["rich-create/plan.tfplan", "schemas.json"].map(|name| artifacts().join(name));
    let place = place();
    let (path, schemas) = (path.display().to_string(), schemas.display().to_string());
    let ended = place.run(&["import", &path, "--schemas", &schemas, "--output", "cases"]);
    ended.ends(0, &["12 of 12 objects imported", "configuration as written"]);
    place.run(&["replay", "cases"]).ends(0, &[]);
}

#[test]
fn the_output_goes_to_the_named_place() {
    let place = place();
    let ended = place.import(&["plan.json"]);
    ended.ends(0, &[]);
    place.import(&["plan.json", "--output", "cases.jsonl"]).ends(0, &[]);
    assert_eq!(fs::read_to_string(place.path("cases.jsonl")).expect("a file"), ended.out);
    place.import(&["plan.json", "plan.json"]).ends(0, &["15 that were there already"]);
}

#[test]
fn filters_choose() {
    let place = place();
    let count = |more: &[&str]| place.import(&[&["plan.json"], more].concat()).cases().len();
    assert_eq!(count(&["--op", "scenario"]), 5);
    assert_eq!(count(&["--address", "shop_item.new", "--op", "plan_instance"]), 1);
    assert_eq!(count(&["--type", "shop_item", "--op", "proposed_new"]), 5);
    place.import(&["plan.json", "--type", "nope"]).ends(2, &["found none"]);
    let dialects = place.import(&["plan.json", "--dialect", "opentofu-1.12", "--op", "scenario"]).cases();
    assert!(dialects.iter().all(|case| case.dialect == Dialect::OPENTOFU_1_12));
}

const FOLDER: [(&str, &str); 4] = [
    (
        "live/prod/main.tf",
        r#"terraform {
  required_providers {
    shop = { source = "acme/shop" }
  }
}
variable "password" {
  sensitive = true
}
resource "shop_item" "a" {
  name     = "n"
  zone     = "z"
  password = var.password
  url      = "marked-url-text"
  disk {
    size = 1
  }
}
module "beside" {
  source = "../beside"
}
module "bought" {
  source  = "acme/bought/shop"
  version = "~> 1.0"
}
"#,
    ),
    ("live/prod/terraform.tfvars", "password = \"under-the-mat\"\n"),
    ("live/beside/main.tf", "output \"place\" {\n  value = \"beside\"\n}\n"),
    ("live/prod/.terraform/modules/bought/main.tf", "output \"place\" {\n  value = \"bought\"\n}\n"),
];

const MANIFEST: &str = r#"{"Modules":[{"Key":"","Source":"","Dir":"."},{"Key":"beside","Source":"../beside","Dir":"../beside"},
    {"Key":"bought","Source":"registry.terraform.io/acme/bought/shop","Version":"1.2.3","Dir":".terraform/modules/bought"}]}"#;

/// A folder with a root module, what it calls and its state.
fn workspace() -> Place {
    let place = place();
    for (path, text) in FOLDER {
        place.write(path, text);
    }
    place.write("live/prod/.terraform/modules/modules.json", MANIFEST).write("live/prod/terraform.tfstate", STATE);
    place
}

#[test]
fn a_folder_becomes_a_workspace_that_holds() {
    let place = workspace();
    let ended = place.import(&["live/prod", "--output", "cases", "--json"]);
    ended.ends(0, &["live/prod: the reference plans: ", "1 of 1 objects imported: 1 case (1 workspace)"]);
    let counts = Json::parse(&ended.out).expect("counts");
    assert_eq!(counts.member("cases"), Some(&Json::object([("workspace", Json::int(1))])));
    let replayed = place.run(&["replay", "cases"]);
    replayed.ends(0, &[]);
    assert!(replayed.out.contains("1 held"), "{}", replayed.out);
}

#[test]
fn a_folder_is_planned_with_its_values_and_shows_no_secret() {
    let place = workspace();
    // Only the tainted object is replaced, which shows that values and modules are understood.
    let ended = place.import(&["live/prod"]);
    ended.ends(0, &["the reference plans: Plan: 1 to add, 0 to change, 1 to destroy."]);
    for secret in ["under-the-mat", "marked-url", "c2VjcmV0"] {
        assert!(!ended.out.contains(secret), "{secret}: {}", ended.out);
    }
    for place in ["outside/1/beside/main.tf.json", "installed/bought/main.tf.json"] {
        assert!(ended.out.contains(place), "{place}: {}", ended.out);
    }
    let kept = place.import(&["live/prod", "--show-sensitive"]).out;
    assert!(kept.contains("under-the-mat") && kept.contains("marked-url-text"), "{kept}");
    let others = place.write("more.tfvars", "password = \"changed-lock\"\n");
    let others = others.import(&["live/prod", "--var-file", "more.tfvars", "--show-sensitive"]).out;
    assert!(others.contains("changed-lock"), "{others}");
}

#[test]
fn a_campaign_begins_with_a_folder() {
    let place = workspace();
    let state = ["run", "--op", "workspace", "--state", "live/prod/terraform.tfstate", "--schemas", "schemas.json"];
    let more =
        ["--config", "live/prod", "--cases", "40", "--seed", "5", "--subject", "reference", "--subject", "optimized"];
    let ended = place.run(&[&state[..], &more].concat());
    ended.ends(0, &[]);
    assert!(ended.out.contains("no findings"), "{}", ended.out);
}

#[test]
fn a_folder_that_is_no_workspace_is_reported() {
    let place = workspace();
    place.import(&["live"]).ends(2, &["live: expected files of a configuration, found none"]);
    place.import(&["live/prod", "--type", "shop_item"]).ends(2, &["expected --type beside files alone"]);
    place.import(&["plan.json", "--state", "state.tfstate"]).ends(2, &["expected --state beside a folder"]);
    fs::remove_file(place.path("live/prod/.terraform/modules/modules.json")).expect("a file");
    place.import(&["live/prod"]).ends(2, &["module.bought (acme/bought/shop) to be installed", "terraform init"]);
    let broken = place.write("live/prod/terraform.tfvars", "password = {");
    broken
        .write("live/prod/.terraform/modules/modules.json", MANIFEST)
        .import(&["live/prod"])
        .ends(2, &["terraform.tfvars"]);
}

#[test]
fn files_that_cannot_be_read_are_reported() {
    let place = place();
    place.write("bad.json", "{}");
    place.import(&["bad.json"]).ends(2, &["bad.json"]);
    place.import(&["missing.json"]).ends(2, &["missing.json"]);
    let mixed = place.import(&["bad.json", "plan.json"]);
    mixed.ends(2, &["bad.json", "5 of 6 objects imported"]);
    assert_eq!(mixed.cases().len(), 15, "one bad file does not hide the others");
    place.run(&["import", "plan.json"]).ends(2, &["found none", "--schemas"]);
    place.import(&["plan.json", "--op", "coerce"]).ends(2, &["proposed_new"]);
}

// Plans and states written by a real engine.

fn artifacts() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "corpus", "artifacts"].iter().collect()
}

fn files() -> Vec<PathBuf> {
    let runs = fs::read_dir(artifacts()).expect("the artifacts").map(|entry| entry.expect("an entry").path());
    let names = ["plan.tfplan", "plan.json", "before.tfstate", "after.tfstate"];
    let files = runs.flat_map(|run| names.map(|name| run.join(name)));
    let mut files: Vec<PathBuf> = files.filter(|file| file.exists()).collect();
    files.sort();
    files
}

fn schemas() -> Catalogue {
    let mut catalogue = Catalogue::default();
    let text = fs::read(artifacts().join("schemas.json")).expect("schemas");
    catalogue.add("schemas.json", &Json::parse_bytes(&text).expect("JSON")).expect("schemas");
    catalogue
}

/// The findings of the planners and the rules in a case.
fn findings(case: &Case, subjects: &mut [InProcess]) -> Vec<String> {
    let outcomes: Vec<_> =
        subjects.iter_mut().map(|subject| subject.answer(std::slice::from_ref(case)).remove(0)).collect();
    let answers: Vec<Answers<'_>> =
        subjects.iter().zip(&outcomes).map(|(subject, outcomes)| Answers::of(subject, outcomes)).collect();
    let (judge, mut summary) = (Judge::default(), Summary::default());
    let mut found = judge.judge(case, &answers, &mut summary);
    for subject in subjects.iter() {
        found.extend(judge.properties_of(case, subject, |_| true, &mut summary));
    }
    found.iter().map(|found| format!("{}: {}", case.purpose, found.signature)).collect()
}

/// Whether a case is a scenario, and whether all its walks ended without errors.
fn lived(case: &Case, reference: &mut InProcess) -> (bool, bool) {
    let outcome = reference.answer(std::slice::from_ref(case)).remove(0).remove(0);
    let Outcome::Trace(trace) = outcome else { return (false, false) };
    let is_well = trace.steps.iter().all(|step| {
        let applied = step.apply.as_ref().is_none_or(|apply| !apply.applied.is_errored());
        applied && !step.plan.plan.is_errored()
    });
    (true, is_well && trace.is_whole())
}

/// The texts of at least eight characters in sensitive places of a file.
fn secrets(artifact: &Artifact, catalogue: &Catalogue) -> BTreeSet<String> {
    let finder = SchemaFinder::new(artifact, catalogue);
    let mut secrets = BTreeSet::new();
    let fits: Vec<_> = match &artifact.content {
        Content::Plan(plan) => {
            let changes = plan.changes.iter().chain(&plan.drift).chain(&plan.deferred);
            changes.map(|change| finder.read(&change.id, &[&change.before, &change.after], None)).collect()
        }
        Content::State(state) => {
            let objects = state.objects.iter();
            objects.map(|object| finder.read(&object.id, &[&object.value], object.schema_version)).collect()
        }
    };
    for fit in fits.into_iter().flatten() {
        for marked in &fit.values {
            let value = marked.value();
            let of_schema = fit.schema.schema.sensitive_paths(value.view(), Dialect::default()).unwrap_or_default();
            let of_schema: PathSet = of_schema.iter().map(WrittenPath::from).collect();
            collect(value.view(), &of_schema.union(marked.sensitive()), &mut secrets);
        }
    }
    secrets
}

fn collect(value: ValueRef<'_>, sensitive: &PathSet, secrets: &mut BTreeSet<String>) {
    value.walk(&mut |path: &Path, part| {
        let path = WrittenPath::from(path);
        let is_below = sensitive.iter().any(|mark| path.steps().starts_with(mark.steps()));
        if let Some(text) = part.as_text().filter(|text| is_below && text.chars().count() >= 8) {
            secrets.insert(text.to_string());
        }
        true
    });
}

#[test]
fn every_case_of_real_files_holds_and_shows_no_secret() {
    let (files, catalogue) = (files(), schemas());
    let wanted = Wanted::default();
    let mut importer = Importer::new(&wanted, &catalogue);
    let mut subjects = [InProcess::new(Reference), InProcess::new(Optimized)];
    let (mut problems, mut secrets_sought, mut by_file) = (Vec::new(), 0, BTreeMap::new());
    let mut traces = [0_u64; 2];
    for path in &files {
        let name = path.display().to_string();
        let bytes = fs::read(path).expect("a file");
        let artifact = Artifact::read(&bytes, None).expect("a plan or a state");
        let before = (importer.report().objects, importer.report().imported);
        let cases = importer.import(&name, &artifact, &bytes);
        let report = importer.report();
        by_file.insert(name.clone(), (report.objects - before.0, report.imported - before.1, cases.len()));
        let mut values = String::new();
        for case in &cases {
            let (is_trace, applied) = lived(case, &mut subjects[0]);
            traces[0] += u64::from(is_trace);
            traces[1] += u64::from(applied);
            let json = case.to_json();
            let text = json.to_compact();
            let read = CaseFile::from_json(&Json::parse(&text).expect("JSON"));
            let read = read.unwrap_or_else(|problem| panic!("{}: {problem}", case.purpose));
            assert_eq!(read.case.to_json().to_compact(), text, "{}", case.purpose);
            problems.extend(findings(&read.case, &mut subjects));
            let Json::Object(members) = json else { panic!("a case is an object") };
            let without_schema = members.into_iter().filter(|(name, _)| **name != *"schema" && **name != *"model");
            values.push_str(&Json::Object(without_schema.collect()).to_compact());
        }
        for secret in secrets(&artifact, &catalogue) {
            secrets_sought += 1;
            let written = Json::string(&secret).to_compact();
            assert!(!values.contains(written.trim_matches('"')), "{name} shows {secret:?}");
        }
    }
    for (name, (found, imported, cases)) in &by_file {
        println!("{name}: {imported} of {found} objects, {cases} cases");
    }
    println!("{:#?}", importer.report());
    println!("{secrets_sought} secrets sought; {} of {} runs were applied without an error", traces[1], traces[0]);
    assert!(traces[1] * 10 > traces[0] * 9, "most runs get somewhere");
    assert!(importer.report().imported > 400 && secrets_sought >= 10);
    assert!(problems.is_empty(), "{} findings:\n{}", problems.len(), problems.join("\n"));
}
