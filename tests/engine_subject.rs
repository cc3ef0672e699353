//! A real engine as a subject: it runs the corpus as the reference does, no case in a batch spoils it for the others, and what cannot be
//! asked is reported.
#![cfg(unix)]

#[path = "common/engine.rs"]
mod engine;
#[path = "common/output.rs"]
mod output;
#[path = "common/place.rs"]
mod place;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use output::CommandOutput;
use place::Place;
use planfuzz::case::{Call, Case, CaseFile, Op, Task};
use planfuzz::compare::{Answers, Finding, Judge, KnownDifferences, Summary};
use planfuzz::scenario::{Ask, NoAnswer, Player, Scenario, ScenarioProviders};
use planfuzz::subject::{Applies, InProcess, Outcome, Subject, Terraform};
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::planner::{
    ApplyAnswer, ApplyChange, Capabilities, Exchange, ImportAnswer, ImportState, PlanAnswer, PlanChange, PlanRequest,
    Provider, ReadAnswer, ReadData, ReadDataAnswer, ReadResource, UpgradeAnswer, UpgradeState, ValidateAnswer,
    ValidateConfig,
};
use planfuzz_engine::process::{Binary, Runs};
use planfuzz_engine::{Engine, EngineOptions, Expectation, Job, Protocol, WalkOutcome};
use planfuzz_pipelines::remote::ModelProvider;
use planfuzz_reference::Reference;
use tempfile::TempDir;

/// An engine with a working folder.
struct Workshop {
    engine: Engine,
    dialect: Dialect,
    _place: TempDir,
}

impl Workshop {
    /// A workshop with the installed engine; `None` if there is none.
    fn open(options: EngineOptions) -> Option<Workshop> {
        let path = engine::terraform()?;
        let place = tempfile::tempdir().expect("a folder");
        let runs = Runs::open(place.path()).expect("runs");
        let binary = Binary::find(Some(&path), &runs).expect("a binary");
        let dialect = binary.dialect().dialect;
        let engine = Engine::start(binary, &runs, options).expect("an engine");
        Some(Workshop { engine, dialect, _place: place })
    }

    fn into_subject(self) -> (Terraform, TempDir) {
        (Terraform::new("terraform".into(), self.engine, self.dialect), self._place)
    }
}

fn case_of(text: &str) -> Case {
    CaseFile::from_json(&Json::parse(text).expect("JSON")).expect("a case").case
}

/// The scenarios of the corpus in a dialect, with their names.
fn corpus(dialect: Dialect) -> Vec<(String, Case)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/lifecycle");
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    let name = |path: &Path| path.file_stem().expect("a name").to_string_lossy().into_owned();
    let read = |path: PathBuf| (name(&path), case_of(&fs::read_to_string(&path).expect("a text file")));
    let cases = files.into_iter().map(read);
    cases.filter(|(_, case)| case.dialect == dialect && case.ops() == [Op::Scenario]).collect()
}

/// The findings in each case when the reference and another subject have answered all of them in one batch, and the answers of the other.
fn judged(
    judge: &Judge,
    cases: &[Case],
    subject: &mut dyn Subject,
    summary: &mut Summary,
) -> (Vec<Vec<Finding>>, Vec<Vec<Outcome>>) {
    let mut reference = InProcess::new(Reference);
    let (by_reference, by_subject) = (reference.answer(cases), subject.answer(cases));
    assert_eq!(subject.trouble(), None);
    let judged = cases.iter().zip(by_reference.iter().zip(&by_subject)).map(|(case, (of_reference, of_subject))| {
        let answers = [Answers::of(&reference, of_reference), Answers::of(subject, of_subject)];
        judge.judge(case, &answers, summary)
    });
    (judged.collect(), by_subject)
}

/// Compares an engine that applies in this way with the reference, over one case of the corpus in so many; returns its results.
fn traces_the_corpus(applies: Applies, every: usize) -> Option<(Summary, Vec<Vec<Outcome>>)> {
    let workshop = Workshop::open(EngineOptions::default())?;
    let (names, cases): (Vec<String>, Vec<Case>) = corpus(workshop.dialect).into_iter().step_by(every).unzip();
    let (terraform, _place) = workshop.into_subject();
    let mut terraform = terraform.that_applies(applies);
    let mut summary = Summary::default();
    let known = KnownDifferences::embedded().expect("known differences");
    let (judged, outcomes) = judged(&Judge { known, ..Judge::default() }, &cases, &mut terraform, &mut summary);
    println!("{} cases, {} comparisons, left out {:?}", cases.len(), summary.comparisons, summary.left_out);
    let mut otherwise = Vec::new();
    for (name, found) in names.iter().zip(&judged) {
        found.iter().for_each(|found| println!("{name}: {}", found.what.clone()));
        let is_new = |found: &Finding| found.excuse.is_none();
        otherwise.extend(found.iter().any(is_new).then_some(name.as_str()));
    }
    assert!(otherwise.is_empty(), "{otherwise:?}");
    Some((summary, outcomes))
}

#[test]
fn the_corpus_is_lived_as_the_reference_lives_it() {
    let Some((summary, _)) = traces_the_corpus(Applies::Plans, 1) else { return };
    assert!(summary.comparisons > 100, "{}", summary.comparisons);
}

#[test]
fn the_corpus_is_lived_as_the_reference_lives_it_where_each_plan_is_applied_at_once() {
    let Some((_, outcomes)) = traces_the_corpus(Applies::AtOnce, 3) else { return };
    let traces = outcomes.iter().flatten().filter_map(|outcome| match outcome {
        Outcome::Trace(trace) => Some(trace),
        _ => None,
    });
    let applied = traces.flat_map(|trace| &trace.steps).filter_map(|step| step.apply.as_ref());
    let changed =
        applied.filter(|apply| apply.exchanges.iter().any(|exchange| matches!(exchange, Exchange::Apply(..))));
    let count = changed.count();
    assert!(count > 7, "{count}");
}

/// Terraform 1.11 crashes on the null element.
const DEADLY: &str = r#"{"format": 1, "dialect": "terraform-1.11", "op": "scenario", "schema": {"version": 0, "block": {"attributes": {
    "id": {"type": "string", "computed": true},
    "l": {"nested_type": {"nesting_mode": "list", "attributes": {"p": {"type": "string", "optional": true, "sensitive": true}}},
        "optional": true}}}},
"model": {"style": "framework"}, "steps": [{"command": "apply", "presence": {"config": {"id": null, "l": [null]}}}]}"#;

#[test]
fn a_case_that_the_engine_dies_of_loses_no_other() {
    let Some(workshop) = Workshop::open(EngineOptions::default()) else { return };
    let dialect = workshop.dialect;
    if dialect != Dialect::TERRAFORM_1_11 {
        return println!("skipped: what {dialect} dies of is not known");
    }
    let (mut terraform, _place) = workshop.into_subject();
    let sound = |name: &str| case_of(&fs::read_to_string(corpus_file(name)).expect("a text file"));
    let cases = [sound("create"), sound("update-in-place"), case_of(DEADLY), sound("destroy"), sound("import")];
    let mut summary = Summary::default();
    let (judged, outcomes) = judged(&Judge::default(), &cases, &mut terraform, &mut summary);
    let findings: Vec<Vec<String>> =
        judged.iter().map(|found| found.iter().map(|found| found.what.clone()).collect()).collect();
    for (index, findings) in findings.iter().enumerate() {
        match index {
            2 => assert!(findings.len() == 1 && findings[0].starts_with("crash of terraform"), "{findings:?}"),
            _ => assert!(findings.is_empty(), "{index}: {findings:?}"),
        }
    }
    assert!(summary.left_out.is_empty(), "{:?}", summary.left_out);
    let Outcome::Trace(trace) = &outcomes[2][0] else { panic!("no run") };
    match trace.stopped.as_ref().map(|stopped| &stopped.halt) {
        Some(NoAnswer::Crashed { site, .. }) => assert!(site.contains("SensitivePaths"), "{site}"),
        other => panic!("{other:?}"),
    }
}

fn corpus_file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/lifecycle").join(name).with_extension("json")
}

/// A provider that may never answer a plan call.
#[derive(Clone)]
struct Moody {
    sound: ModelProvider,
    hangs: bool,
}

impl Provider for Moody {
    fn capabilities(&self) -> Capabilities {
        self.sound.capabilities()
    }

    fn validate(&mut self, request: ValidateConfig) -> ValidateAnswer {
        self.sound.validate(request)
    }

    fn upgrade(&mut self, request: UpgradeState) -> UpgradeAnswer {
        self.sound.upgrade(request)
    }

    fn read(&mut self, request: ReadResource) -> ReadAnswer {
        self.sound.read(request)
    }

    fn plan(&mut self, request: PlanChange) -> PlanAnswer {
        if self.hangs {
            loop {
                std::thread::park();
            }
        }
        self.sound.plan(request)
    }

    fn apply(&mut self, request: ApplyChange) -> ApplyAnswer {
        self.sound.apply(request)
    }

    fn import(&mut self, request: ImportState) -> ImportAnswer {
        self.sound.import(request)
    }

    fn read_data(&mut self, request: ReadData) -> ReadDataAnswer {
        self.sound.read_data(request)
    }
}

/// The first plan walk of a scenario.
fn first_walk(scenario: &Scenario, hangs: bool) -> Job<PlanRequest, Moody> {
    let mut sound = ScenarioProviders::default().provider_of(scenario).expect("a model that can be played");
    let mut player = Player::new(scenario);
    let Some(Ask::Plan(request)) = player.ask(&mut sound) else { panic!("expected a plan walk") };
    let request = request.clone();
    let (schema, provider) = (scenario.schema.clone(), Moody { sound, hangs });
    Job { schema, protocol: Protocol::Six, request, provider, expectation: Expectation::Good }
}

#[test]
fn a_provider_that_does_not_answer_costs_no_other_case_its_answer() {
    let case = case_of(&fs::read_to_string(corpus_file("create")).expect("a text file"));
    let Task::Call(Call::Scenario(scenario)) = &case.task else { panic!("expected a scenario") };
    let [sound, hung] = [false, true].map(|hangs| first_walk(scenario, hangs));
    // Long enough that a busy machine makes no other case late.
    let Some(mut workshop) = Workshop::open(EngineOptions::default()) else { return };
    let begin = Instant::now();
    workshop.engine.plan(std::slice::from_ref(&sound)).expect("an engine");
    let limit = (begin.elapsed() * 8).max(Duration::from_secs(2));
    let options = EngineOptions { limit, limit_each: Duration::ZERO, ..EngineOptions::default() };
    let Some(Workshop { mut engine, _place, .. }) = Workshop::open(options) else { return };
    let outcomes = engine.plan(&[hung.clone(), sound.clone()]).expect("an engine");
    assert!(
        matches!(outcomes[0], WalkOutcome::OverBudget { limit: passed } if passed == limit),
        "{:?}",
        kinds(&outcomes)
    );
    assert!(matches!(outcomes[1], WalkOutcome::Answer { .. }), "{:?}", kinds(&outcomes));
    let outcomes = engine.plan(&[sound]).expect("an engine");
    assert!(matches!(outcomes[0], WalkOutcome::Answer { .. }), "{:?}", kinds(&outcomes));
}

fn kinds<T, P>(outcomes: &[WalkOutcome<T, P>]) -> Vec<String> {
    let kind = |outcome: &WalkOutcome<T, P>| match outcome {
        WalkOutcome::Answer { .. } => "an answer".to_owned(),
        WalkOutcome::Crashed { site, .. } => format!("crash at {site}"),
        WalkOutcome::OverBudget { limit } => format!("nothing within {limit:?}"),
        WalkOutcome::LeftOut(reason) => format!("left out: {reason}"),
    };
    outcomes.iter().map(kind).collect()
}

/// Asks for plan walks, interrupts soon after, and returns the outcomes and how long the end took.
fn ended(
    stop: &'static AtomicBool,
    after: Duration,
    jobs: &[Job<PlanRequest, Moody>],
) -> Option<(Vec<String>, Duration)> {
    let options = EngineOptions { stop, ..EngineOptions::default() };
    let Workshop { mut engine, _place, .. } = Workshop::open(options)?;
    let (outcomes, time) = std::thread::scope(|scope| {
        let asked = scope.spawn(|| engine.plan(jobs).expect("an engine"));
        std::thread::sleep(after);
        let begin = Instant::now();
        stop.store(true, Ordering::Relaxed);
        (asked.join().expect("no panic"), begin.elapsed())
    });
    Some((kinds(&outcomes), time))
}

#[test]
fn a_requested_end_is_not_waited_for() {
    static STOP: AtomicBool = AtomicBool::new(false);
    let case = case_of(&fs::read_to_string(corpus_file("create")).expect("a text file"));
    let Task::Call(Call::Scenario(scenario)) = &case.task else { panic!("expected a scenario") };
    let jobs = [true, false, true].map(|hangs| first_walk(scenario, hangs));
    let Some((outcomes, time)) = ended(&STOP, Duration::from_millis(500), &jobs) else { return };
    assert_eq!(outcomes, ["left out: interrupted"; 3]);
    assert!(time < Duration::from_secs(2), "{time:?}");
}

#[test]
fn an_end_that_is_wanted_ends_the_search_for_who_spoils_a_run() {
    static STOP: AtomicBool = AtomicBool::new(false);
    // The expectation is that the engine crashes on none of them.
    let case = case_of(DEADLY);
    let Task::Call(Call::Scenario(scenario)) = &case.task else { panic!("expected a scenario") };
    let jobs: Vec<_> = (0..64).map(|_| first_walk(scenario, false)).collect();
    let Some((outcomes, time)) = ended(&STOP, Duration::from_millis(1500), &jobs) else { return };
    let left_out = outcomes.iter().filter(|kind| *kind == "left out: interrupted").count();
    if outcomes.iter().any(|kind| kind == "an answer") {
        return println!("skipped: the engine does not die of it");
    }
    println!("{left_out} of {} interrupted, after {time:?}", jobs.len());
    assert!(left_out > 0 && outcomes.iter().all(|kind| kind.starts_with("left out: ") || kind.starts_with("crash")));
    assert!(time < Duration::from_secs(2), "{time:?}");
}

impl Place {
    /// Writes a program.
    fn program(&self, name: &str, text: &str) {
        self.write(name, text);
        fs::set_permissions(self.path(name), std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("a program");
    }

    /// Runs the command, with its temporary files here too.
    #[track_caller]
    fn run(&self, arguments: &[&str]) -> CommandOutput {
        CommandOutput::of(&self.command(arguments).env("TMPDIR", self.0.path()).output().expect("it starts"))
    }
}

#[test]
fn an_unknown_version_is_reported_once_and_follows_the_nearest() {
    let place = Place::new();
    place.program("new", "#!/bin/sh\necho 'Terraform v1.30.1'\n");
    let run = ["run", "--subject", "reference", "--subject", "terraform:./new", "--jobs", "2", "--cases", "0"];
    let ended = place.run(&[&run[..], &["--dialect", "terraform-1.17"]].concat());
    let warning = "Terraform 1.30.1 is not among the known versions; it is taken for terraform-1.17";
    ended.ends(2, &["nothing was compared", warning]);
    for once in ["warning:", warning] {
        assert_eq!(ended.err.matches(once).count(), 1, "{}", ended.err);
    }
    place.run(&run).ends(2, &["follows terraform-1.17", "next: --dialect terraform-1.17"]);
}

#[test]
fn an_engine_that_is_not_there_is_one_line_and_what_to_do() {
    let place = Place::new();
    place.program("liar", "#!/bin/sh\necho hello\nexit 3\n");
    let refused = |subject: &str, words: &[&str]| {
        for command in ["run", "replay", "probe"] {
            let of_command: &[&str] = if command == "run" { &["--cases", "1"] } else { &["case.json"] };
            place.write("case.json", DEADLY);
            let arguments = [&[command], of_command, &["--subject", "reference", "--subject", subject]].concat();
            let ended = place.run(&arguments);
            let errors = &ended.ends(2, words).err;
            let lines: Vec<&str> = errors.lines().collect();
            let [error, next] = lines[..] else { panic!("{errors}") };
            assert!(error.starts_with("error: ") && next.starts_with("  next: "), "{errors}");
        }
    };
    refused(
        "terraform:/no/such",
        &["expected an engine's binary at /no/such, found no program", "--subject terraform:PATH"],
    );
    refused("terraform:./liar", &["to print its version, found exit status 3"]);
}

#[test]
fn an_engine_of_another_dialect_is_one_line_and_what_to_do() {
    let Some(terraform) = engine::terraform() else { return };
    let place = Place::new();
    let temp = Runs::open(place.0.path()).expect("runs");
    let follows = Binary::find(Some(&terraform), &temp).expect("a binary").dialect().dialect;
    let run = ["run", "--subject", "reference", "--subject", "terraform", "--cases", "1"];
    let ended = place.run(&[&run[..], &["--dialect", "opentofu-1.12"]].concat());
    let words = format!("expected an engine that follows opentofu-1.12, found terraform, which follows {follows}");
    ended.ends(2, &[&words, &format!("next: --dialect {follows}")]);
}

#[test]
fn two_binaries_are_held_against_each_other() {
    let Some(terraform) = engine::terraform() else { return };
    let place = Place::new();
    for name in ["old", "new"] {
        std::os::unix::fs::symlink(&terraform, place.path(name)).expect("a link");
    }
    let run = ["run", "--subject", "terraform:./old", "--subject", "terraform:./new", "--op", "scenario"];
    let ended = place.run(&[&run[..], &["--preset", "tiny", "--cases", "4", "--seed", "3"]].concat());
    ended.ends(0, &["over terraform:./old, terraform:./new"]);
}

#[test]
fn an_engine_that_is_gone_ends_a_run_over_workspaces() {
    let Some(terraform) = engine::terraform() else { return };
    let place = Place::new();
    // Removed by its tenth run.
    let path = terraform.display();
    place.program(
        "gone",
        &format!("#!/bin/sh\necho run >> runs\n[ $(wc -l < runs) -ge 10 ] && rm -f \"$0\"\nexec '{path}' \"$@\"\n"),
    );
    let gone = place.path("gone");
    let script = fs::read_to_string(&gone).expect("a program");
    let runs = place.path("runs").display().to_string();
    place.program("gone", &script.replace("runs", &runs));
    let run = ["run", "--op", "workspace", "--preset", "tiny", "--cases", "60", "--seed", "3", "--jobs", "1"];
    let ended = place.run(&[&run[..], &["--subject", "reference", "--subject", "terraform:./gone"]].concat());
    ended.ends(3, &["terraform:./gone cannot be asked any more: cannot start"]);
}
