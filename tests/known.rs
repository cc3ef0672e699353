//! The known differences of engines: each entry of `corpus/known/differences.jsonl` has its case, planners predict it,
//! docs/trophies.md describes it, and the engine still does it. The last needs a binary; if there is none, a message says so.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use planfuzz::case::{Call, Case, CaseFile, Op, Task};
use planfuzz::compare::{Answers, Finding, Judge, Kind, KnownDifference, KnownDifferences, Signature, Summary};
use planfuzz::scenario::NoAnswer;
use planfuzz::subject::{InProcess, Outcome, Shown, Subject};
use planfuzz_core::json::Json;
use planfuzz_optimized::Optimized;
use planfuzz_reference::Reference;
use planfuzz_rules::{Claims, Lifecycle};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/known")
}

fn known() -> KnownDifferences {
    KnownDifferences::embedded().expect("entries")
}

fn case_of(entry: &KnownDifference) -> Case {
    let path = folder().join(format!("{}.json", entry.name));
    let text = fs::read_to_string(&path).unwrap_or_else(|problem| panic!("{}: {problem}", path.display()));
    CaseFile::from_json(&Json::parse(&text).expect("JSON")).expect("a case").case
}

fn answer(subject: &mut dyn Subject, case: &Case) -> Vec<Outcome> {
    subject.answer(std::slice::from_ref(case)).pop().expect("an answer")
}

/// The planner's refusal, or the invariants that are predicted to be broken.
fn predicted(case: &Case, outcome: &Outcome) -> String {
    match outcome {
        Outcome::Refused(_) => "refused".to_owned(),
        Outcome::Trace(trace) => match trace.stopped.as_deref() {
            Some(stopped) if matches!(stopped.halt, NoAnswer::Refused(_)) => "refused".to_owned(),
            Some(stopped) => format!("{:?}", stopped.halt),
            None => {
                let Task::Call(Call::Scenario(scenario)) = &case.task else { panic!("a run of no scenario") };
                let held = Lifecycle::new(&scenario.schema, case.dialect).check(&trace.steps, Claims::default());
                let broken: BTreeSet<_> = held.predicted.iter().map(|broken| broken.invariant).collect();
                broken.into_iter().collect::<Vec<_>>().join(" ")
            }
        },
        other => format!("{other:?}"),
    }
}

#[test]
fn every_entry_has_a_case_that_planners_predict() {
    for entry in known().entries() {
        let case = case_of(entry);
        assert!(entry.dialects.contains(&case.dialect), "{}", entry.name);
        assert!(case.ops().iter().all(|op| entry.ops.contains(op)), "{}: {:?}", entry.name, case.ops());
        let wanted = match &entry.kinds[0] {
            Kind::Crash(_) => "refused",
            Kind::RuleBroken(invariant) => invariant.as_str(),
            // What takes an engine long, the planners answer at once: see below.
            Kind::OverBudget => "Paths([])",
            other => panic!("{}: no rule predicts {other:?}", entry.name),
        };
        for planner in [&mut InProcess::new(Reference), &mut InProcess::new(Optimized)] {
            let outcome = &answer(planner, &case)[0];
            assert_eq!(predicted(&case, outcome), wanted, "{}: {}", entry.name, planner.name());
        }
    }
}

#[test]
fn every_case_has_an_entry() {
    let names: BTreeSet<String> = known().entries().iter().map(|entry| format!("{}.json", entry.name)).collect();
    let files = fs::read_dir(folder()).expect("a folder").map(|entry| entry.expect("an entry").file_name());
    let cases: BTreeSet<String> =
        files.map(|name| name.to_string_lossy().into_owned()).filter(|name| name.ends_with(".json")).collect();
    assert_eq!(names, cases);
}

#[test]
fn every_entry_is_documented() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/trophies.md");
    let text = fs::read_to_string(path).expect("the trophies");
    for entry in known().entries() {
        assert!(text.lines().any(|line| line == format!("## {}", entry.section)), "{}: {}", entry.name, entry.section);
        assert!(text.contains(&format!("corpus/known/{}.json", entry.name)), "{}: its case is not named", entry.name);
    }
}

/// The findings of a judge with the known differences.
fn judged(case: &Case, answers: &[Answers<'_>]) -> (Vec<Finding>, Summary) {
    judged_by(&Judge { known: known(), ..Judge::default() }, case, answers)
}

fn judged_by(judge: &Judge, case: &Case, answers: &[Answers<'_>]) -> (Vec<Finding>, Summary) {
    let mut summary = Summary::default();
    let found = judge.judge(case, answers, &mut summary);
    (found, summary)
}

const CRASH: &str = "null-element-beside-write-only";

fn crash_of_the_entry(predicted: bool) -> (Case, Vec<Outcome>) {
    let known = known();
    let entry = known.entries().iter().find(|entry| entry.name == CRASH).expect("the entry");
    let case = CaseFile::from_json(&Json::parse(MERGE).expect("JSON")).expect("a case").case;
    let Kind::Crash(site) = &entry.kinds[0] else { panic!("{}: no crash", entry.name) };
    let site = site.as_str().to_owned();
    (case, vec![Outcome::Crashed { site, message: String::new(), predicted }])
}

/// A merge for planners alone, which a test can answer as it likes.
const MERGE: &str = r#"{"format": 1, "dialect": "terraform-1.11", "op": "proposed_new",
    "schema": {"version": 0, "block": {"attributes": {"a": {"type": "string", "optional": true}}}},
    "prior": null, "config": {"a": "x"}}"#;

#[test]
fn a_crash_is_excused_only_of_an_engine_and_where_it_is_predicted() {
    let engine =
        |outcomes| Answers { subject: "terraform", outcomes, shown: Shown::Observed, is_of_shared_code: false };
    let planner = |outcomes| Answers { subject: "reference", outcomes, shown: Shown::Whole, is_of_shared_code: false };
    let refused = [Outcome::Refused("S71".to_owned())];
    // Only the subjects matter here, not the answers.
    let judge = Judge { known: known(), without_rules: true, ..Judge::default() };
    let judged = |case: &Case, answers: &[Answers<'_>]| judged_by(&judge, case, answers);
    let (case, crashed) = crash_of_the_entry(false);
    assert_eq!(case.ops(), [Op::ProposedNew]);
    let (found, summary) = judged(&case, &[planner(&refused), engine(&crashed)]);
    assert!(found.is_empty(), "{found:?}");
    let tolerated: Vec<(String, u64)> = summary.tolerated().collect();
    assert!(matches!(&tolerated[..], [(what, 1)] if what.starts_with(CRASH)), "{tolerated:?}");
    // In either order.
    assert!(judged(&case, &[engine(&crashed), planner(&refused)]).0.is_empty());

    let answered = answer(&mut InProcess::new(Reference), &case);
    for answers in [vec![planner(&answered), engine(&crashed)], vec![engine(&crashed)]] {
        let (found, summary) = judged(&case, &answers);
        assert!(matches!(&found[..], [Finding { signature: Signature { kind: Kind::Crash(_), .. }, .. }]), "{found:?}");
        assert_eq!(summary.tally.tolerated, 0);
    }
    // The walk may be refused though the operation is not.
    let (_, in_walk) = crash_of_the_entry(true);
    assert!(judged(&case, &[planner(&answered), engine(&in_walk)]).0.is_empty());

    // Planners are not excused.
    let (found, _) = judged(&case, &[planner(&refused), planner(&crashed)]);
    assert!(matches!(&found[..], [Finding { signature: Signature { kind: Kind::Crash(_), .. }, .. }]), "{found:?}");
    let (found, _) = judged(&case, &[planner(&answered), planner(&in_walk)]);
    assert!(matches!(&found[..], [Finding { signature: Signature { kind: Kind::Crash(_), .. }, .. }]), "{found:?}");
}

#[test]
fn time_is_excused_only_of_an_engine_and_where_sets_nest_deep() {
    let known = known();
    let entry = known.entries().iter().find(|entry| entry.kinds == [Kind::OverBudget]).expect("the entry");
    let (deep, flat) = (case_of(entry), CaseFile::from_json(&Json::parse(FLAT).expect("JSON")).expect("a case").case);
    let late = [Outcome::OverBudget { limit: std::time::Duration::from_secs(20) }];
    let judge = |case: &Case, shown| {
        let (found, summary) =
            judged(case, &[Answers { subject: "late", outcomes: &late, shown, is_of_shared_code: false }]);
        (found.len(), summary.tolerated().map(|(what, _)| what.starts_with(&entry.name)).collect::<Vec<_>>())
    };
    assert_eq!(judge(&deep, Shown::Observed), (0, vec![true]));
    assert_eq!(judge(&deep, Shown::Whole), (1, vec![]), "a planner has no excuse");
    assert_eq!(judge(&flat, Shown::Observed), (1, vec![]), "where nothing nests it is a finding");
}

/// A case of the same operation without a set in it.
const FLAT: &str = r#"{"format": 1, "dialect": "terraform-1.11", "op": "assert_object_compatible",
    "schema": {"version": 0, "block": {"attributes": {"a": {"type": "string", "optional": true}}}},
    "planned": {"a": "x"}, "actual": {"a": "x"}}"#;

#[cfg(feature = "engine")]
mod live {
    use std::time::Duration;

    use planfuzz::subject::Terraform;
    use planfuzz_engine::process::{Binary, Runs};
    use planfuzz_engine::{Engine, EngineOptions};

    use super::*;

    static NEVER: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);

    /// The case of the entry takes an engine some four times as long as this; a larger case would be too long to read.
    const IMPATIENT: Duration = Duration::from_millis(100);

    /// The engine on the path; `None`, with a message, if there is none.
    fn engine(limit: Duration) -> Option<Terraform> {
        let runs = Runs::open(&std::env::temp_dir()).expect("a directory for runs");
        let binary = match Binary::find(None, &runs) {
            Ok(binary) => binary,
            Err(problem) => {
                assert!(std::env::var_os("PLANFUZZ_REQUIRE_ENGINE").is_none(), "{problem}");
                println!("skipped: {problem}");
                return None;
            }
        };
        let dialect = binary.dialect().dialect;
        let options = EngineOptions { limit, stop: &NEVER, ..EngineOptions::default() };
        let engine = Engine::start(binary, &runs, options).expect("an engine");
        Some(Terraform::new("terraform".to_owned(), engine, dialect))
    }

    #[test]
    fn the_engine_still_does_what_is_known_of_it() {
        let usual = EngineOptions::default().limit;
        let (Some(mut patient), Some(mut impatient)) = (engine(usual), engine(IMPATIENT)) else { return };
        let known = known();
        let (mut asked, mut dead) = (0, Vec::new());
        for entry in known.entries() {
            let case = case_of(entry);
            let engine = if entry.kinds == [Kind::OverBudget] { &mut impatient } else { &mut patient };
            if !engine.can(case.ops()[0], case.dialect) {
                println!("skipped: {} is of {}", entry.name, case.dialect);
                continue;
            }
            asked += 1;
            let mut reference = InProcess::new(Reference);
            let outcomes = [answer(&mut reference, &case), answer(engine, &case)];
            let answers = [Answers::of(&reference, &outcomes[0]), Answers::of(engine, &outcomes[1])];
            let (found, summary) = judged(&case, &answers);
            let tolerated: Vec<(String, u64)> = summary.tolerated().collect();
            let is_alive = matches!(&tolerated[..], [(what, _)] if what.starts_with(&format!("{}: ", entry.name)));
            if !found.is_empty() || !is_alive {
                dead.push(format!("{}: found {found:?}, tolerated {tolerated:?}", entry.name));
            }
        }
        assert!(asked > 0, "no entry is of the engine's dialect");
        assert!(dead.is_empty(), "{} entries are dead:\n{}", dead.len(), dead.join("\n"));
    }
}
