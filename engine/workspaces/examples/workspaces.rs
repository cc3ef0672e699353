//! Compares the reference planner with a real engine on generated workspaces.
//!
//! `workspaces run --cases N --seed S --preset P [--engine PATH] [--batch N] [--command WORD] [--findings DIR] [--json]`: runs all steps,
//! or those of one command; prints totals, rates and our share of the processor time, and writes findings as files. `workspaces show FILE`
//! runs one case again and prints every difference; `workspaces shrink FILE` minimizes it in place.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_engine::process::{Binary, Runs, place};
use planfuzz_engine_workspaces::judge::{BATCH, EngineDifference, Tally, judge, known_crash, make_ready};
use planfuzz_engine_workspaces::live::Live;
use planfuzz_workspace_cases::generate::{Choices, Made, Settings, case, kit};
use planfuzz_workspace_cases::merge::{Likeness, Question};
use planfuzz_workspace_cases::scope::Scope;
use planfuzz_workspace_cases::shrink::shrink;
use planfuzz_workspace_cases::{Case, PlayedStep, play};
use planfuzz_workspace_reference::Reference;

type Failure = Box<dyn std::error::Error>;

/// The parsed options of `run`.
struct Wanted {
    cases: u64,
    first: u64,
    seed: u64,
    preset: String,
    engine: Option<PathBuf>,
    batch: usize,
    command: Option<String>,
    findings: PathBuf,
    json: bool,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments.first().map(String::as_str) {
        Some("run") => wanted(&arguments[1..]).and_then(|wanted| run(&wanted)),
        Some("show") => show(&arguments[1..]),
        Some("shrink") => shrunk(&arguments[1..]),
        _ => Err("workspaces run --cases N --seed S --preset P | workspaces show FILE".into()),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn wanted(arguments: &[String]) -> Result<Wanted, Failure> {
    let mut wanted = Wanted {
        cases: 100,
        first: 0,
        seed: 1,
        preset: "small".into(),
        engine: None,
        batch: BATCH,
        command: None,
        findings: "findings-workspaces".into(),
        json: false,
    };
    let mut rest = arguments.iter();
    while let Some(name) = rest.next() {
        if name == "--json" {
            wanted.json = true;
            continue;
        }
        let value = rest.next().ok_or_else(|| format!("{name} needs a value"))?;
        match name.as_str() {
            "--cases" => wanted.cases = value.parse()?,
            "--first" => wanted.first = value.parse()?,
            "--seed" => wanted.seed = value.parse()?,
            "--preset" => wanted.preset.clone_from(value),
            "--engine" => wanted.engine = Some(value.into()),
            "--batch" => wanted.batch = value.parse()?,
            "--command" => wanted.command = Some(value.clone()),
            "--findings" => wanted.findings = value.into(),
            _ => return Err(format!("unknown option {name}").into()),
        }
    }
    Ok(wanted)
}

fn open(engine: Option<&PathBuf>) -> Result<(Live, Dialect), Failure> {
    let runs = Runs::open(&place())?;
    let binary = Binary::find(engine.map(PathBuf::as_path), &runs)?;
    let dialect = Dialect::TERRAFORM_1_11;
    let sources = kit::sources(dialect.engine());
    Ok((Live::new(binary, runs, &sources.each_ref().map(String::as_str))?, dialect))
}

/// Questions that wait for others of their likeness.
type Waiting = BTreeMap<Likeness, Vec<Question>>;

fn run(wanted: &Wanted) -> Result<bool, Failure> {
    let scope = Scope::from_name(&wanted.preset);
    let settings = match scope {
        Some(_) => Settings::TINY,
        None => Settings::preset(&wanted.preset).ok_or("tiny, small, medium, pairs or stored")?,
    };
    let (mut live, dialect) = open(wanted.engine.as_ref())?;
    live.delays = Duration::from_micros(300);
    let (mut tally, mut waiting, mut steps) = (Tally::default(), Waiting::new(), 0_u64);
    let mut features: BTreeMap<&str, u64> = BTreeMap::new();
    let (begun, cpu) = (Instant::now(), ProcessTime::now());
    let end = wanted.first + wanted.cases;
    let end = scope.map_or(end, |scope| end.min(scope.count() as u64));
    for number in wanted.first..end {
        let made = match scope {
            Some(scope) => Made { case: scope.case(number as usize, dialect), features: BTreeSet::new() },
            None => case(settings, dialect, &mut Choices::seeded(wanted.seed, number)),
        };
        for feature in made.features {
            *features.entry(feature).or_default() += 1;
        }
        let played = match play(&made.case, &Reference) {
            Ok(played) => played,
            Err(error) => {
                *tally.left_out.entry(format!("cannot be played: {error}")).or_default() += 1;
                continue;
            }
        };
        let is_wanted =
            |step: &&PlayedStep| wanted.command.as_ref().is_none_or(|command| step.command.word() == command.as_str());
        for step in played.steps.iter().filter(is_wanted) {
            steps += 1;
            if let Some(reason) = known_crash(&step.workspace, &step.planned) {
                *tally.left_out.entry(reason.to_owned()).or_default() += 1;
                continue;
            }
            let mut question = Question::of(&made.case, step)?;
            match make_ready(&mut question, number + steps, &step.planned) {
                None => judge(&mut live, &Reference, &[question], &mut tally),
                Some(likeness) => {
                    let group = waiting.entry(likeness).or_default();
                    group.push(question);
                    if group.len() >= wanted.batch {
                        judge(&mut live, &Reference, &std::mem::take(group), &mut tally);
                    }
                }
            }
        }
    }
    for group in waiting.values() {
        judge(&mut live, &Reference, group, &mut tally);
    }
    let elapsed = begun.elapsed();
    write_findings(wanted, &tally.findings)?;
    print_report(wanted, &live, &tally, steps, elapsed, cpu.elapsed(), &features);
    Ok(tally.findings.is_empty())
}

fn by_signature(findings: &[EngineDifference]) -> BTreeMap<&str, Vec<&EngineDifference>> {
    let mut groups: BTreeMap<&str, Vec<&EngineDifference>> = BTreeMap::new();
    for finding in findings {
        groups.entry(&finding.signature).or_default().push(finding);
    }
    for group in groups.values_mut() {
        group.sort_by_key(|finding| finding.question.case().to_json().to_compact().len());
    }
    groups
}

fn write_findings(wanted: &Wanted, findings: &[EngineDifference]) -> Result<(), Failure> {
    if findings.is_empty() {
        return Ok(());
    }
    std::fs::create_dir_all(&wanted.findings)?;
    for (number, (signature, group)) in by_signature(findings).into_iter().enumerate() {
        for (place, finding) in group.iter().take(3).enumerate() {
            let mut case = finding.question.case();
            let texts: Vec<&str> = finding.differences.iter().take(3).map(|one| one.text.as_str()).collect();
            case.purpose = Some(format!("{signature} | {}", texts.join(" | ")));
            let name = format!("{}-{}-{number:03}-{place}.json", wanted.preset, wanted.seed);
            std::fs::write(wanted.findings.join(name), case.to_json().to_pretty())?;
        }
    }
    Ok(())
}

fn print_report(
    wanted: &Wanted,
    live: &Live,
    tally: &Tally,
    steps: u64,
    elapsed: Duration,
    own: Duration,
    features: &BTreeMap<&str, u64>,
) {
    let share = own.as_secs_f64() / live.engine_time.as_secs_f64().max(0.001);
    let groups = by_signature(&tally.findings);
    if wanted.json {
        let count = |map: Vec<(String, u64)>| {
            Json::Object(map.into_iter().map(|(name, count)| (name.into(), Json::int(count))).collect())
        };
        let members = [
            ("cases", Json::int(wanted.cases)),
            ("steps", Json::int(steps)),
            ("agreed", Json::int(tally.agreed)),
            ("alone", Json::int(tally.alone)),
            ("calls", Json::int(tally.calls)),
            ("runs", Json::int(live.runs_made)),
            ("seconds", Json::int(elapsed.as_secs())),
            ("engine_seconds", Json::int(live.engine_time.as_secs())),
            ("own_seconds", Json::int(own.as_secs())),
            ("findings", count(groups.iter().map(|(name, all)| ((*name).to_owned(), all.len() as u64)).collect())),
            ("left_out", count(tally.left_out.clone().into_iter().collect())),
            ("features", count(features.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect())),
        ];
        println!("{}", Json::object(members).to_compact());
        return;
    }
    println!(
        "seed {}: {} {} cases, {steps} steps in {:.1} s",
        wanted.seed,
        wanted.cases,
        wanted.preset,
        elapsed.as_secs_f64()
    );
    println!("agreed: {} steps ({} alone in their runs), {} calls", tally.agreed, tally.alone, tally.calls);
    println!(
        "{:.1} steps a second; {} runs of the engine took {:.1} s of the processor, this program {:.1} s ({:.0}% of that)",
        steps as f64 / elapsed.as_secs_f64().max(0.001),
        live.runs_made,
        live.engine_time.as_secs_f64(),
        own.as_secs_f64(),
        share * 100.0
    );
    for (reason, count) in &tally.left_out {
        println!("left out {count}: {reason}");
    }
    for (signature, group) in &groups {
        println!("differs {}: {signature}", group.len());
    }
}

fn show(arguments: &[String]) -> Result<bool, Failure> {
    let (mut live, _) = open(None)?;
    let mut all_agree = true;
    for file in arguments {
        // A file that is not a case does not stop the others.
        match shown(&mut live, file) {
            Ok(agrees) => all_agree &= agrees,
            Err(error) => {
                println!("{file}: {error}");
                all_agree = false;
            }
        }
    }
    Ok(all_agree)
}

/// Runs the steps of one file on the engine, and prints the result of each.
fn shown(live: &mut Live, file: &str) -> Result<bool, Failure> {
    let case = Case::parse(&std::fs::read_to_string(file)?)?;
    let mut all_agree = true;
    for (number, step) in play(&case, &Reference)?.steps.iter().enumerate() {
        let mut tally = Tally::default();
        judge(live, &Reference, &[Question::of(&case, step)?], &mut tally);
        println!("{file} step {}: {}", number + 1, if tally.agreed > 0 { "agrees" } else { "differs" });
        for reason in tally.left_out.keys() {
            println!("  left out: {reason}");
        }
        for difference in tally.findings.iter().flat_map(|finding| &finding.differences) {
            println!("  {:?} {}", difference.kind, difference.text);
        }
        all_agree &= tally.findings.is_empty();
    }
    Ok(all_agree)
}

/// The signatures of a case's differences.
fn signatures(live: &mut Live, case: &Case) -> Vec<String> {
    let Ok(played) = play(case, &Reference) else { return Vec::new() };
    let mut tally = Tally::default();
    for step in &played.steps {
        let Ok(question) = Question::of(case, step) else { return Vec::new() };
        judge(live, &Reference, &[question], &mut tally);
    }
    tally.findings.into_iter().map(|finding| finding.signature).collect()
}

fn shrunk(arguments: &[String]) -> Result<bool, Failure> {
    const ATTEMPTS: usize = 600;
    let (mut live, _) = open(None)?;
    for file in arguments {
        let case = Case::parse(&std::fs::read_to_string(file)?)?;
        let Some(wanted) = signatures(&mut live, &case).into_iter().next() else {
            println!("{file}: nothing differs");
            continue;
        };
        let mut small = shrink(&case, ATTEMPTS, &Reference, &mut |case| signatures(&mut live, case).contains(&wanted));
        small.purpose = Some(wanted);
        std::fs::write(file, small.to_json().to_pretty())?;
        println!("{file}: {} bytes", small.to_json().to_compact().len());
    }
    Ok(true)
}
