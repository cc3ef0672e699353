//! Compares how an engine shows plan files, its own and those written by this suite, with the document that this suite writes: they
//! are the same.
//!
//! Without a Terraform binary on the path these tests are skipped, with a message.
#![cfg(unix)]

#[path = "common/engine.rs"]
mod engine;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use planfuzz::case::{Call, Case, Task};
use planfuzz::generate::{Generator, Scenarios, Settings};
use planfuzz::scenario::{Ask, Player, Scenario, ScenarioProviders, Walker};
use planfuzz_core::address::ResourceKind;
use planfuzz_core::dialect::{Dialect, Engine as Brand};
use planfuzz_core::json::Json;
use planfuzz_core::planner::{ApplyRequest, Diagnostic, PlanRequest, Planner as _, Recorder};
use planfuzz_core::plans::file::{FileChange, PlanFile};
use planfuzz_core::plans::json::{PlanJson, ResourceChangeJson, SchemaTable, show_plan, show_plan_tree};
use planfuzz_core::plans::{Action, ResourceInstanceChange};
use planfuzz_core::schema::Schema;
use planfuzz_core::value::{Number, PathSet, ValueRef, WrittenPath, raw_equals_unrefined};
use planfuzz_engine::process::{Binary, Runs};
use planfuzz_engine::{Engine, EngineOptions, Expectation, Job, Protocol, ShownPlan, WalkOutcome};
use planfuzz_pipelines::model::Style;
use planfuzz_pipelines::remote::ModelProvider;
use planfuzz_reference::Reference;
use tempfile::TempDir;

/// The default number of scenarios.
const SCENARIOS: u64 = 40;

/// The environment variable with the number.
const COUNT: &str = "PLANFUZZ_SHOWN";

/// The environment variable with the number of the first one, so that many can be run in pieces.
const FIRST: &str = "PLANFUZZ_SHOWN_FIRST";

/// The environment variable with the most walks in a plan file: with 1 there is a file for each.
const WALKS: &str = "PLANFUZZ_SHOWN_WALKS";

/// If this environment variable is 0 the engine makes no plans, which leaves time for more files written by the suite.
const MADE: &str = "PLANFUZZ_SHOWN_MADE";

/// The schema of `terraform_data`, which is in every state here.
const BUILTIN: &str = r#"{"version": 0, "block": {"attributes": {"id": {"type": "string", "computed": true},
    "input": {"type": "dynamic", "optional": true}, "output": {"type": "dynamic", "computed": true},
    "triggers_replace": {"type": "dynamic", "optional": true}}}}"#;

/// Members that need the configuration or are not written.
const NOT_OURS: [&str; 3] = ["variables", "configuration", "checks"];

struct Workshop {
    engine: Engine,
    dialect: Dialect,
    gallery: Arc<Mutex<Vec<ShownPlan>>>,
    _place: TempDir,
}

impl Workshop {
    fn open() -> Option<Workshop> {
        let path = engine::terraform()?;
        let place = tempfile::tempdir().expect("a folder");
        let runs = Runs::open(place.path()).expect("runs");
        let binary = Binary::find(Some(&path), &runs).expect("a binary");
        let dialect = binary.dialect().dialect;
        let usual = EngineOptions::default();
        let most = |usual| usize::try_from(number(WALKS, usual as u64)).unwrap_or(usual);
        let options = EngineOptions { plans: most(usual.plans), applies: most(usual.applies), ..usual };
        let mut engine = Engine::start(binary, &runs, options).expect("an engine");
        let gallery = engine.show_plans();
        Some(Workshop { engine, dialect, gallery, _place: place })
    }

    fn take(&self) -> Vec<ShownPlan> {
        std::mem::take(&mut *self.gallery.lock().expect("nothing panics here"))
    }
}

/// The walks of scenarios that run to their end, as the reference does them.
#[derive(Default)]
struct Walks {
    plans: Vec<Job<PlanRequest, ModelProvider>>,
    applies: Vec<Job<ApplyRequest, ModelProvider>>,
    /// Whether the reference has errors in each apply walk.
    errors: Vec<bool>,
    /// Walks with values that no document can contain: a file with one of them cannot be shown.
    unshowable: usize,
}

impl Walks {
    fn play(&mut self, scenario: &Scenario, dialect: Dialect, providers: &mut ScenarioProviders) {
        let Ok(mut remote) = providers.provider_of(scenario) else { return };
        let planner = Reference.prepare(&scenario.schema, dialect);
        let mut walker = &*planner;
        let mut player = Player::new(scenario);
        let protocol = match scenario.model.style {
            Style::Sdk { .. } => Protocol::Five,
            _ => Protocol::Six,
        };
        while let Some(ask) = player.ask(&mut remote) {
            let (schema, provider) = (scenario.schema.clone(), remote.clone());
            match ask {
                Ask::Plan(request) => {
                    let request = request.clone();
                    let mut recorder = Recorder::new(&mut remote);
                    let answer = Walker::plan(&mut walker, &request, &mut recorder);
                    let exchanges = recorder.into_exchanges();
                    let changes = answer.as_ref().ok().filter(|plan| !plan.is_errored()).map(|plan| &*plan.changes);
                    if changes.is_some_and(|changes| self.is_showable(changes, &schema, dialect)) {
                        self.plans.push(Job { schema, protocol, request, provider, expectation: Expectation::Good });
                    }
                    player.planned(exchanges, answer);
                }
                Ask::Apply(request) => {
                    let request = request.clone();
                    let mut recorder = Recorder::new(&mut remote);
                    let answer = Walker::apply(&mut walker, &request, &mut recorder);
                    let exchanges = recorder.into_exchanges();
                    if let Ok(applied) = &answer
                        && self.is_showable(&request.changes, &schema, dialect)
                    {
                        self.errors.push(applied.diagnostics.iter().any(Diagnostic::is_error));
                        self.applies.push(Job { schema, protocol, request, provider, expectation: Expectation::Good });
                    }
                    player.applied(exchanges, answer);
                }
            }
        }
    }
}

impl Walks {
    fn is_showable(&mut self, changes: &[ResourceInstanceChange], schema: &Schema, dialect: Dialect) -> bool {
        let mut sides = changes.iter().flat_map(|change| [&change.change.before, &change.change.after]);
        let can = sides.all(|side| {
            let value = side.value().view();
            !has_infinity(value) && (value.ty().is_dynamic() || schema.sensitive_paths(value, dialect).is_ok())
        });
        self.unshowable += usize::from(!can);
        can
    }
}

/// Whether there is an infinity, which JSON cannot express.
fn has_infinity(value: ValueRef<'_>) -> bool {
    value.as_number().is_some_and(Number::is_infinite) || value.children().any(|(_, part)| has_infinity(part))
}

/// The results of many files.
#[derive(Debug, Default)]
struct Tally {
    files: usize,
    walks: usize,
    changes: usize,
    drift: usize,
    objects: usize,
    typed: usize,
    counted: usize,
    left_out: BTreeMap<String, usize>,
    wrong: Vec<String>,
}

impl Tally {
    fn leave_out(&mut self, reason: &str, walks: usize) {
        *self
            .left_out
            .entry(reason.lines().find(|line| !line.trim().is_empty()).unwrap_or("").to_owned())
            .or_default() += walks;
    }

    fn check(&mut self, shown: &ShownPlan, dialect: Dialect) {
        self.files += 1;
        self.walks += shown.walks;
        let file = PlanFile::read(&shown.plan, Brand::Terraform).expect("a plan file");
        let builtin = Schema::parse(BUILTIN).expect("a schema");
        let mut table = SchemaTable::new();
        table.insert("terraform.io/builtin/terraform", ResourceKind::Managed, "terraform_data", &builtin);
        for one in &shown.schemas {
            table.insert(&one.provider, one.kind, &one.type_name, &one.schema);
        }
        let ours = show_plan_tree(&file, &table, dialect);
        let (ours, theirs) = match (ours, &shown.json) {
            (Ok(ours), Ok(theirs)) => (ours, theirs),
            (Err(reason), Err(_)) => return self.leave_out(&format!("(shown by none) {reason}"), shown.walks),
            (Ok(_), Err(problem)) => {
                return self.wrong.push(format!("shown here, not by the engine: {problem}"));
            }
            (Err(reason), Ok(_)) => return self.wrong.push(format!("shown by the engine, not here: {reason}")),
        };
        if let Err(problem) = &shown.text {
            self.wrong.push(format!("not shown to people: {problem}"));
        }
        self.compare(&ours, &Json::parse_bytes(theirs).expect("JSON"));
        let text = show_plan(&file, &table, dialect).expect("shown before");
        assert_eq!(Json::parse(&text).expect("JSON"), ours);
        self.read(theirs, &file, &table, dialect);
        self.count(&file, shown.text.as_deref().unwrap_or_default());
    }

    /// Compares every part of a document that this suite writes, letter by letter, except for order that means nothing.
    fn compare(&mut self, ours: &Json, theirs: &Json) {
        for (member, theirs) in theirs.expect_object().expect("an object") {
            if NOT_OURS.contains(&&**member) {
                continue;
            }
            match (ours.member(member), theirs) {
                (Some(Json::Array(ours)), Json::Array(theirs))
                    if ours.len() == theirs.len() && member.starts_with("resource_") =>
                {
                    for (ours, theirs) in ours.iter().zip(theirs) {
                        self.compare_part(member, Some(ours), theirs);
                    }
                }
                (Some(Json::Array(ours)), Json::Array(theirs)) if &**member == "relevant_attributes" => {
                    let sorted = |all: &[Json]| {
                        let mut all = all.to_vec();
                        all.sort_by_key(Json::to_compact);
                        Json::Array(all)
                    };
                    self.compare_part(member, Some(&sorted(ours)), &sorted(theirs));
                }
                (ours, theirs) => self.compare_part(member, ours, theirs),
            }
        }
        for (member, _) in ours.expect_object().expect("an object") {
            if theirs.member(member).is_none() {
                self.wrong.push(format!("the engine has no {member}"));
            }
        }
    }

    fn compare_part(&mut self, member: &str, ours: Option<&Json>, theirs: &Json) {
        let theirs = normal(theirs).to_compact();
        let ours = ours.map(|ours| normal(ours).to_compact()).unwrap_or_default();
        if ours != theirs {
            let at = ours.bytes().zip(theirs.bytes()).position(|(one, other)| one != other).unwrap_or(ours.len());
            let near = |text: &str| {
                let from = (0..=at.saturating_sub(120)).rev().find(|from| text.is_char_boundary(*from)).unwrap_or(0);
                text[from.min(text.len())..].chars().take(260).collect::<String>()
            };
            self.wrong.push(format!("{member}: here\n  {}\nthe engine\n  {}", near(&ours), near(&theirs)));
        }
    }

    /// Checks that the engine's document has the content of the file.
    fn read(&mut self, theirs: &[u8], file: &PlanFile, table: &SchemaTable<'_>, dialect: Dialect) {
        let read = match PlanJson::read(theirs) {
            Ok(read) => read,
            Err(problem) => return self.wrong.push(format!("the engine's own document: {problem}")),
        };
        assert!(read.unknown_members.is_empty(), "{:?}", read.unknown_members);
        self.changes += read.resource_changes.len();
        self.drift += read.resource_drift.len();
        let prior = read.prior_state.iter().filter_map(|state| state.values.as_ref());
        self.objects += prior.flat_map(|values| values.resources()).count();
        let mut written: BTreeMap<(&str, Option<&str>), &FileChange> = BTreeMap::new();
        for change in &file.plan.changes {
            written.insert((&change.addr, change.deposed.as_ref().map(|key| key.as_str())), change);
        }
        for change in &read.resource_changes {
            let Some(written) = written.get(&(change.address.text(), change.deposed.as_deref())) else {
                self.wrong.push(format!("{}: not in the file", change.address.text()));
                continue;
            };
            match is_same(change, written, table, dialect) {
                Ok(true) => self.typed += 1,
                Ok(false) => {}
                Err(problem) => self.wrong.push(format!("{}: {problem}", change.address.text())),
            }
        }
    }

    /// Checks the counts in the text for people.
    fn count(&mut self, file: &PlanFile, text: &[u8]) {
        let text = String::from_utf8_lossy(text);
        let Some(line) = text.lines().find(|line| line.starts_with("Plan: ")) else { return };
        let number_before = |word: &str| {
            let (before, _) = line.split_once(word)?;
            before.rsplit([' ', ',']).find(|part| !part.is_empty())?.parse::<usize>().ok()
        };
        let of = |actions: &[Action]| {
            file.plan.changes.iter().filter(|change| actions.contains(&change.values.action)).count()
        };
        let replaced = [Action::DeleteThenCreate, Action::CreateThenDelete];
        let add = of(&[Action::Create, replaced[0], replaced[1]]);
        let is_deletion = |change: &&FileChange| {
            let action = change.values.action;
            replaced.contains(&action) || action == Action::Delete && !change.addr.starts_with("data.")
        };
        let destroy = file.plan.changes.iter().filter(is_deletion).count();
        let want = [Some(add), Some(of(&[Action::Update])), Some(destroy)];
        let found = [number_before(" to add"), number_before(" to change"), number_before(" to destroy")];
        match found == want {
            true => self.counted += 1,
            false => self.wrong.push(format!("{line}: expected {want:?}")),
        }
    }

    fn report(&self, what: &str, began: Instant) {
        println!(
            "{what}: {} files of {} walks: {} changes, {} of drift, {} prior objects compared; {} changes read with their types; \
             {} files with their counts in the text; {:.0?}",
            self.files,
            self.walks,
            self.changes,
            self.drift,
            self.objects,
            self.typed,
            self.counted,
            began.elapsed()
        );
        self.left_out.iter().for_each(|(reason, count)| println!("  left out {count}: {reason}"));
        let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
        for wrong in &self.wrong {
            let kind = wrong.lines().next().unwrap_or_default().replace(|char: char| char.is_ascii_digit(), "");
            *kinds.entry(kind).or_default() += 1;
        }
        kinds.iter().for_each(|(kind, count)| println!("  wrong {count}: {kind}"));
        assert!(
            self.wrong.is_empty(),
            "{} wrong:\n{}",
            self.wrong.len(),
            self.wrong[..self.wrong.len().min(20)].join("\n")
        );
    }
}

/// Whether a change is read back as the file has it; false if the schema has types that the document does not contain.
fn is_same(
    change: &ResourceChangeJson,
    written: &FileChange,
    table: &SchemaTable<'_>,
    dialect: Dialect,
) -> Result<bool, String> {
    let type_name = &change.address.instance().resource.type_name;
    let schema = table.get(&change.provider_name, change.address.kind(), type_name).ok_or("no schema")?;
    let ty = schema.implied_type(dialect);
    if ty.has_dynamic() {
        return Ok(false);
    }
    let read = change.to_typed(schema, dialect).map_err(|problem| problem.to_string())?;
    let wanted = written.decode(&ty).map_err(|problem| problem.to_string())?;
    let found = &read.change;
    let sides = [
        ("before", &found.change.before, &wanted.change.before, &read.before_by_schema),
        ("after", &found.change.after, &wanted.change.after, &read.after_by_schema),
    ];
    for (side, found, wanted, by_schema) in sides {
        if !raw_equals_unrefined(found.value().view(), wanted.value().view()) {
            return Err(format!("{side} is another value"));
        }
        if *found.sensitive() != outermost(&wanted.sensitive().union(by_schema)) {
            return Err(format!("{side} has other marks: {:?}", found.sensitive().texts()));
        }
    }
    let parts = [
        ("action", found.change.action == wanted.change.action),
        ("reason", found.reason == wanted.reason),
        ("replacements", found.required_replace == wanted.required_replace),
        ("import", found.change.importing == wanted.change.importing),
        ("address before", found.moved_from == wanted.moved_from.filter(|from| **from != written.addr)),
        ("deposed key", found.deposed == wanted.deposed),
    ];
    match parts.iter().find(|(_, same)| !same) {
        None => Ok(true),
        Some((part, _)) => Err(format!("another {part}")),
    }
}

/// The paths that are not below others: a mark includes everything below it.
fn outermost(paths: &PathSet) -> PathSet {
    let is_below = |path: &WrittenPath| {
        let steps = path.steps();
        (0..steps.len()).any(|length| paths.contains(&steps[..length].iter().cloned().collect()))
    };
    paths.iter().filter(|path| !is_below(path)).cloned().collect()
}

/// A document with unordered parts sorted: members by name, the paths of replacements by their text.
fn normal(json: &Json) -> Json {
    match json {
        Json::Array(items) => Json::Array(items.iter().map(normal).collect()),
        Json::Object(members) => {
            let member = |(name, value): &(Box<str>, Json)| match (&**name, normal(value)) {
                ("replace_paths", Json::Array(mut paths)) => {
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

/// The number in an environment variable, or the usual one.
fn number(variable: &str, usual: u64) -> u64 {
    match std::env::var(variable) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{variable}: expected a number, found {text}")),
        Err(_) => usual,
    }
}

#[test]
fn plan_files_are_shown_as_the_engine_shows_them() {
    let Some(mut workshop) = Workshop::open() else { return };
    let dialect = workshop.dialect;
    let (mut made, mut written) = (Tally::default(), Tally::default());
    let mut scenarios = Scenarios::new(Generator::new(Settings::SMALL).in_dialects(&[dialect]), 77);
    let mut providers = ScenarioProviders::default();
    let began = Instant::now();
    let (mut applied, mut unshowable, mut not_applied) = (0, 0, BTreeMap::<String, usize>::new());
    let is_made = number(MADE, 1) > 0;
    let first = number(FIRST, 0);
    let numbers: Vec<u64> = (first..first + number(COUNT, SCENARIOS)).collect();
    for numbers in numbers.chunks(200) {
        let mut walks = Walks::default();
        for number in numbers {
            let Case { task: Task::Call(Call::Scenario(scenario)), .. } = scenarios.case(*number) else { continue };
            walks.play(&scenario, dialect, &mut providers);
        }
        if is_made {
            workshop.engine.plan(&walks.plans).expect("an engine");
        }
        workshop.take().iter().for_each(|shown| made.check(shown, dialect));
        unshowable += walks.unshowable;
        for (outcome, has_error) in
            workshop.engine.apply(&walks.applies).expect("an engine").into_iter().zip(walks.errors)
        {
            match outcome {
                WalkOutcome::Answer { answer, .. } => {
                    match (answer.diagnostics.iter().any(Diagnostic::is_error), has_error) {
                        (false, false) => applied += 1,
                        (true, true) => {
                            *not_applied.entry("an error, as of the reference".to_owned()).or_default() += 1
                        }
                        // Campaigns compare how walks end.
                        _ => *not_applied.entry("another end than the reference's".to_owned()).or_default() += 1,
                    }
                }
                WalkOutcome::Crashed { site, .. } => *not_applied.entry(format!("crash at {site}")).or_default() += 1,
                WalkOutcome::OverBudget { .. } => *not_applied.entry("over budget".to_owned()).or_default() += 1,
                WalkOutcome::LeftOut(reason) => *not_applied.entry(reason.to_string()).or_default() += 1,
            }
        }
        workshop.take().iter().for_each(|shown| written.check(shown, dialect));
    }
    println!("{applied} of the walks were applied to their end; {unshowable} have values that no document can have");
    not_applied.iter().for_each(|(reason, count)| println!("  not applied {count}: {reason}"));
    made.report("made by the engine", began);
    written.report("written here", began);
    assert!((!is_made || made.changes >= 20) && written.changes >= 10, "{} and {}", made.changes, written.changes);
}
