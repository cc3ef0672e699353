//! Runs the campaign on mutants: `mutants PARTS RESULTS JOBS SECONDS POOL`.
//!
//! PARTS has a line for each mutant, its number and its part; lines that begin with `#` are for the starting program. The cases of a pool
//! are answered once without a mutant, recording the mutants that each case reaches; then each mutant is given the cases that reach it,
//! in a process of its own, until one shows a difference. RESULTS gets a line for each: number, verdict, why, cases.
#![allow(missing_docs)]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use planfuzz::case::{Call, Case, CaseFile, Op, Task};
use planfuzz::compare::{Answers, Candidate, Judge, Kind, Summary};
use planfuzz::generate::{Breed, Cases, Generator, Mutator, Pipeline, Providers, Scenarios, Settings, Workspaces};
use planfuzz::subject::faults::{Fault, Faulty, FaultyWorkspaces, WorkspaceFault};
use planfuzz::subject::{self, InProcess, OfWorkspaces, Outcome, Shown, Subject};
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::mutation;
use planfuzz_core::planner::Planner;
use planfuzz_optimized::Optimized;
use planfuzz_pipelines::faults::FaultInfo;
use planfuzz_reference::Reference;

/// Wrong answers of each fault on which the rules are checked: of merges, of scenarios, of workspaces.
const WRONG: [usize; 3] = [40, 15, 8];

/// Cases in which a fault is searched for.
const CASES_TRIED: [u64; 3] = [6_000, 1_500, 300];

/// Scenarios under a provider with one fault, of each fault in each style.
const SCENARIOS_WITH_FAULT: u64 = 30;

/// Cases in which the properties are checked too: merges, and workspaces, of which each is planned many times for it.
const WITH_PROPERTIES: (usize, usize) = (2_000, 40);

/// The time beyond its limit, in seconds, after which a process is taken to hang; and the bound of its memory.
const GRACE: u64 = 15;
const MEMORY: u64 = 12 << 30;

/// The independent implementations.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Writing {
    Reference,
    Optimized,
    Rules,
}

/// The part of the project that a mutant is in. A mutant of a planner of instances is tried on instances alone, though workspaces reach
/// it: they cost more.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Part {
    writing: Writing,
    is_of_workspaces: bool,
}

/// A case with answers to it, and the judges' findings.
struct Pair {
    case: Case,
    reference: Vec<Outcome>,
    optimized: Vec<Outcome>,
    /// Whether the answers are wrong without a mutant: then only the rules can notice one.
    is_wrong: bool,
    verdicts: String,
}

impl Pair {
    fn answers(&self) -> [Answers<'_>; 2] {
        answers(&self.reference, &self.optimized)
    }
}

fn answers<'a>(reference: &'a [Outcome], optimized: &'a [Outcome]) -> [Answers<'a>; 2] {
    let of = |subject, outcomes| Answers { subject, outcomes, shown: Shown::Whole };
    [of("reference", reference), of("optimized", optimized)]
}

/// The judges of answers: of Core alone, and of providers as well.
struct Judges([Judge; 2]);

impl Judges {
    fn new() -> Judges {
        Judges([Judge::default(), Judge { providers: true, ..Judge::default() }])
    }

    /// All findings about answers, with the counts.
    fn verdicts(&self, case: &Case, answers: &[Answers<'_>]) -> String {
        let mut text = String::new();
        for judge in &self.0[..1 + usize::from(is_trace(case))] {
            let mut summary = Summary::default();
            let found = judge.judge(case, answers, &mut summary);
            let found: Vec<String> = found.iter().map(|found| found.signature.to_string()).collect();
            let _ = write!(text, "{found:?} {:?} {:?}", summary.tally, summary.tolerated);
        }
        text
    }

    /// The kind of the first finding about answers.
    fn finding(&self, case: &Case, answers: &[Answers<'_>]) -> Option<&'static str> {
        let found = self.0[0].judge(case, answers, &mut Summary::default());
        found.first().map(|found| match found.signature.kind {
            Kind::Diverge(_) => "difference",
            Kind::RuleBroken(_) => "rule",
            Kind::Crash(_) => "crash",
            Kind::OverBudget => "other",
        })
    }

    /// What distinguishes the answers with a mutant from the right ones, if anything does.
    fn distinguish(
        &self,
        case: &Case,
        answers: &[Answers<'_>],
        (planner, run): (&dyn Planner, usize),
    ) -> Option<&'static str> {
        let [judge, _] = &self.0;
        if let Some(found) = self.finding(case, answers) {
            return Some(found);
        }
        let has_properties = match case.task {
            Task::Merge(_) => run < WITH_PROPERTIES.0,
            Task::Call(_) => is_workspace(case) && run < WITH_PROPERTIES.1,
        };
        let broken = has_properties && has_broken_property(judge, case, planner);
        broken.then_some("property")
    }
}

fn has_broken_property(judge: &Judge, case: &Case, planner: &dyn Planner) -> bool {
    let workspaces = is_workspace(case).then(|| subject::PlannerOfWorkspaces::of(planner.name())).flatten();
    let candidate = Candidate { name: planner.name(), planner: Some(planner), workspaces };
    !judge.properties(case, &candidate, &|_| true, &mut Summary::default()).findings.is_empty()
}

fn is_trace(case: &Case) -> bool {
    matches!(case.task, Task::Call(Call::Scenario(_)))
}

fn is_workspace(case: &Case) -> bool {
    matches!(case.task, Task::Call(Call::Workspace(_)))
}

fn generator(settings: Settings) -> Generator {
    Generator::new(settings).in_dialects(&Dialect::ALL)
}

fn merges(settings: Settings, seed: u64, count: u64) -> Vec<Case> {
    let mut cases = Cases::new(generator(settings), seed);
    (0..count).map(|number| cases.case(number)).collect()
}

fn scenarios(settings: Settings, seed: u64, count: u64) -> Vec<Case> {
    let mut scenarios = Scenarios::new(generator(settings), seed);
    (0..count).map(|number| scenarios.case(number)).collect()
}

fn workspaces(settings: Settings, seed: u64, count: u64) -> Vec<Case> {
    let workspaces = Workspaces::new(&settings, &Dialect::ALL, seed);
    (0..count).map(|number| workspaces.case(number)).collect()
}

/// Cases of the campaign: near ones are small, far ones of every size.
fn generated(pool: &str) -> Vec<Case> {
    let mut cases = Vec::new();
    if pool == "near" {
        cases.extend(merges(Settings::SMALL, 11, 8_000));
        cases.extend(merges(Settings::TINY, 12, 6_000));
        cases.extend(merges(Settings::MEDIUM, 13, 400));
        cases.extend(scenarios(Settings::SMALL, 21, 5_000));
        cases.extend(scenarios(Settings::TINY, 22, 4_000));
        cases.extend(workspaces(Settings::TINY, 81, 1_500));
        cases.extend(workspaces(Settings::SMALL, 82, 2_500));
    } else {
        cases.extend(merges(Settings::MIXED, 51, 16_000));
        cases.extend(merges(Settings::MEDIUM, 52, 2_500));
        cases.extend(merges(Settings::LARGE, 53, 250));
        cases.extend(merges(Settings::HOSTILE, 54, 2_500));
        cases.extend(scenarios(Settings::MIXED, 61, 6_000));
        cases.extend(scenarios(Settings::SMALL, 62, 9_000));
        cases.extend(scenarios(Settings::MEDIUM, 63, 800));
        cases.extend(workspaces(Settings::SMALL, 91, 4_000));
        cases.extend(workspaces(Settings::MEDIUM, 92, 1_000));
    }
    for info in FaultInfo::ALL {
        for pipeline in [Pipeline::Framework, Pipeline::Sdk] {
            let providers = Providers { fault: Some(info.name), pipeline: Some(pipeline) };
            cases.extend(scenarios(Settings { providers, ..Settings::SMALL }, 31, SCENARIOS_WITH_FAULT));
        }
    }
    cases
}

/// Adds the committed cases of a folder; returns how many of its files are not cases.
fn committed(folder: &Path, cases: &mut Vec<Case>) -> usize {
    let mut others = 0;
    for entry in fs::read_dir(folder).expect("a folder of committed cases") {
        let path = entry.expect("an entry of it").path();
        if path.is_dir() {
            others += committed(&path, cases);
            continue;
        }
        let text = fs::read_to_string(&path).ok();
        let case = text.and_then(|text| CaseFile::from_json(&Json::parse(&text).ok()?).ok());
        others += usize::from(case.is_none());
        cases.extend(case.map(|file| file.case));
    }
    others
}

/// Adds wrong answers of planners with a planted fault.
fn wrong_answers(wrong: &mut Vec<(Case, Vec<Outcome>)>) {
    let mut reference = InProcess::reference();
    for fault in Fault::ALL {
        let mut subject = Faulty::new(*fault);
        let is_trace = fault.op() == Op::Scenario;
        let mut next: Box<dyn FnMut(u64) -> Case> = if is_trace {
            let mut scenarios = Scenarios::new(generator(Settings::SMALL), 41);
            Box::new(move |number| scenarios.case(number))
        } else if fault.op().is_merge() {
            let mut cases = Cases::new(generator(Settings::SMALL), 42);
            Box::new(move |number| cases.case(number))
        } else {
            continue;
        };
        let cases = (0..CASES_TRIED[usize::from(is_trace)]).filter_map(|number| next(number).narrowed_to(fault.op()));
        wrong.extend(wrong_in(cases, &mut reference, &mut subject).take(WRONG[usize::from(is_trace)]));
    }
    for fault in WorkspaceFault::all() {
        let workspaces = Workspaces::new(&Settings::SMALL, &[fault.dialect()], 43);
        let cases = (0..CASES_TRIED[2]).map(|number| workspaces.case(number));
        wrong.extend(wrong_in(cases, &mut reference, &mut FaultyWorkspaces::new(fault)).take(WRONG[2]));
    }
}

/// The cases in which the answers of a subject differ from those of the reference, with its answers.
fn wrong_in(
    cases: impl Iterator<Item = Case>,
    reference: &mut InProcess,
    subject: &mut dyn Subject,
) -> impl Iterator<Item = (Case, Vec<Outcome>)> {
    let comparison = Judge { without_rules: true, ..Judge::default() };
    cases.filter_map(move |case| {
        let one = std::slice::from_ref(&case);
        let (right, answer) = (reference.answer(one).remove(0), subject.answer(one).remove(0));
        let is_right = comparison.judge(&case, &answers(&right, &answer), &mut Summary::default()).is_empty();
        (!is_right).then_some((case, answer))
    })
}

/// Answers that are right for another case under the same schema: wrong in more ways than planted faults are.
fn answers_of_siblings(wrong: &mut Vec<(Case, Vec<Outcome>)>) {
    let mut reference = InProcess::reference();
    let sources = [
        (Breed::Merges, merges(Settings::SMALL, 71, 6_000)),
        (Breed::Scenarios, scenarios(Settings::SMALL, 72, 3_000)),
    ];
    for (breed, cases) in sources {
        let mutator = Mutator::new(breed, Settings::SMALL);
        for (case, seed) in cases.into_iter().zip(0..) {
            let other = mutator.mutated(&case, seed);
            let alike = other.schema() == case.schema() && other.dialect == case.dialect && other.ops() == case.ops();
            if !alike {
                continue;
            }
            let right = reference.answer(std::slice::from_ref(&case)).remove(0);
            let answer = reference.answer(std::slice::from_ref(&other)).remove(0);
            if right.iter().map(Outcome::steps).eq(answer.iter().map(Outcome::steps)) {
                wrong.push((case, answer));
            }
        }
    }
}

/// All pairs, and for each mutant those that reach it.
struct MutantCoverage {
    judges: Judges,
    pairs: Vec<Pair>,
    reach: Vec<Vec<u32>>,
    parts: Vec<Option<Part>>,
}

impl MutantCoverage {
    fn new(parts: Vec<Option<Part>>) -> MutantCoverage {
        MutantCoverage { judges: Judges::new(), pairs: Vec::new(), reach: vec![Vec::new(); parts.len()], parts }
    }

    fn note(&mut self, writing: Writing, case: &Case) {
        let part = Part { writing, is_of_workspaces: is_workspace(case) };
        for id in mutation::reached() {
            if self.parts.get(id as usize) == Some(&Some(part)) {
                self.reach[id as usize].push(self.pairs.len() as u32);
            }
        }
    }

    fn add_right(&mut self, cases: Vec<Case>) {
        let (mut first, mut second) = (InProcess::reference(), InProcess::optimized());
        let mut again = OfWorkspaces::incremental();
        let (mut found, mut left_out) = (0, 0);
        for case in cases {
            let one = std::slice::from_ref(&case);
            mutation::reached();
            let reference = first.answer(one).remove(0);
            self.note(Writing::Reference, &case);
            let optimized = second.answer(one).remove(0);
            if is_workspace(&case) {
                // What it plans again is compared too.
                drop(again.answer(one));
            }
            self.note(Writing::Optimized, &case);
            let both = answers(&reference, &optimized);
            let verdicts = self.judges.verdicts(&case, &both);
            self.note(Writing::Rules, &case);
            let is_wrong = !self.judges.0[0].judge(&case, &both, &mut Summary::default()).is_empty();
            found += usize::from(is_wrong);
            let is_left_out = |outcome: &&Outcome| matches!(outcome, Outcome::LeftOut(_));
            left_out += reference.iter().chain(&optimized).filter(is_left_out).count();
            self.pairs.push(Pair { case, reference, optimized, is_wrong, verdicts });
        }
        eprintln!("{} cases, {found} with findings without a mutant, {left_out} answers left out", self.pairs.len());
    }

    fn add_wrong(&mut self, wrong: Vec<(Case, Vec<Outcome>)>) {
        eprintln!("{} wrong answers", wrong.len());
        for (case, answer) in wrong {
            mutation::reached();
            let verdicts = self.judges.verdicts(&case, &answers(&answer, &answer));
            self.note(Writing::Rules, &case);
            self.pairs.push(Pair { case, optimized: answer.clone(), reference: answer, is_wrong: true, verdicts });
        }
    }

    /// Shuffles the cases of each mutant, so that a time limit leaves out all kinds alike.
    fn shuffle(&mut self) {
        for list in &mut self.reach {
            let mut state = 88_172_645_463_325_252_u64;
            for index in (1..list.len()).rev() {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                list.swap(index, (state % (index as u64 + 1)) as usize);
            }
        }
    }

    /// The result for a mutant, which has to be switched on in this process.
    fn hunt(&self, id: usize, part: Part, limit: Duration) -> (&'static str, &'static str, usize) {
        let reach = &self.reach[id];
        if reach.is_empty() {
            return ("unreached", "-", 0);
        }
        // New subjects: others may have cached results from before the mutant was switched on.
        let (mut reference, mut optimized) = (InProcess::reference(), InProcess::optimized());
        let mut again = OfWorkspaces::incremental();
        for (run, index) in reach.iter().enumerate() {
            if processor_time() > limit {
                return ("survived", "time", run);
            }
            let pair = &self.pairs[*index as usize];
            let one = std::slice::from_ref(&pair.case);
            let why = match part.writing {
                Writing::Rules if self.judges.verdicts(&pair.case, &pair.answers()) == pair.verdicts => None,
                Writing::Rules => Some(if pair.is_wrong { "missed" } else { "alarm" }),
                _ if pair.is_wrong => None,
                Writing::Reference => {
                    let answer = reference.answer(one).remove(0);
                    self.judges.distinguish(&pair.case, &answers(&answer, &pair.optimized), (&Reference, run))
                }
                Writing::Optimized => {
                    let answer = optimized.answer(one).remove(0);
                    let found =
                        self.judges.distinguish(&pair.case, &answers(&pair.reference, &answer), (&Optimized, run));
                    let is_again = found.is_none() && part.is_of_workspaces;
                    found.or_else(|| {
                        is_again
                            .then(|| again.answer(one).remove(0))
                            .and_then(|answer| self.judges.finding(&pair.case, &answers(&pair.reference, &answer)))
                    })
                }
            };
            if let Some(why) = why {
                return ("killed", why, run + 1);
            }
        }
        ("survived", "-", reach.len())
    }
}

fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the structure is valid, and is written whole.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn append(path: &str, line: &str) {
    let mut file = fs::OpenOptions::new().create(true).append(true).open(path).expect("the results");
    file.write_all(format!("{line}\n").as_bytes()).expect("the results");
}

/// The running processes, each with its mutant.
struct Processes<'r> {
    running: Vec<(i32, usize)>,
    results: &'r str,
}

impl Processes<'_> {
    /// Waits for one. Records a result for a process that did not complete.
    fn wait(&mut self) {
        let mut status = 0;
        // SAFETY: waits for a child of this process.
        let ended = unsafe { libc::wait(&mut status) };
        let Some(at) = self.running.iter().position(|(child, _)| *child == ended) else { return };
        let (_, id) = self.running.swap_remove(at);
        if libc::WIFSIGNALED(status) {
            append(self.results, &format!("{id} killed signal-{} 0", libc::WTERMSIG(status)));
        } else if libc::WEXITSTATUS(status) != 0 {
            append(self.results, &format!("{id} killed exit-{} 0", libc::WEXITSTATUS(status)));
        }
    }
}

fn parts(path: &str) -> Vec<Option<Part>> {
    let mut parts = Vec::new();
    for line in fs::read_to_string(path).expect("the parts").lines().filter(|line| !line.starts_with('#')) {
        let (id, part) = line.split_once(' ').expect("a number and a part");
        let id: usize = id.parse().expect("a number");
        parts.resize(parts.len().max(id + 1), None);
        let of_workspaces = part.strip_prefix("workspace-");
        let writing = match of_workspaces.unwrap_or(part) {
            "reference" => Writing::Reference,
            "optimized" => Writing::Optimized,
            "rules" => Writing::Rules,
            other => panic!("expected a part of core, found {other}"),
        };
        parts[id] = Some(Part { writing, is_of_workspaces: of_workspaces.is_some() });
    }
    parts
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [parts_file, results, jobs, seconds, pool] = arguments.as_slice() else {
        panic!("expected PARTS RESULTS JOBS SECONDS POOL")
    };
    let (jobs, seconds): (usize, u64) = (jobs.parse().expect("a number"), seconds.parse().expect("a number"));
    std::panic::set_hook(Box::new(|_| {}));
    let mut coverage = MutantCoverage::new(parts(parts_file));
    let mut cases = generated(pool);
    let folders = ["corpus/planner", "corpus/lifecycle", "corpus/workspace-cases", "corpus/regressions"];
    let others: usize = folders.into_iter().map(|folder| committed(Path::new(folder), &mut cases)).sum();
    eprintln!("{others} committed files are no cases");
    let mut wrong = Vec::new();
    wrong_answers(&mut wrong);
    answers_of_siblings(&mut wrong);
    mutation::choose(mutation::TRACING);
    coverage.add_right(cases);
    coverage.add_wrong(wrong);
    mutation::choose(0);
    coverage.shuffle();
    let done = fs::read_to_string(results).unwrap_or_default();
    let done: BTreeSet<usize> = done.lines().filter_map(|line| line.split(' ').next()?.parse().ok()).collect();
    let mut processes = Processes { running: Vec::new(), results };
    let begun = processor_time();
    for (id, part) in coverage.parts.iter().enumerate().filter_map(|(id, part)| Some((id, (*part)?))) {
        if done.contains(&id) {
            continue;
        }
        if processes.running.len() == jobs {
            processes.wait();
        }
        // SAFETY: this process has one thread.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let memory = libc::rlimit { rlim_cur: MEMORY, rlim_max: MEMORY };
            // SAFETY: limits of this process alone.
            unsafe {
                libc::alarm((4 * seconds + GRACE) as u32);
                libc::setrlimit(libc::RLIMIT_AS, &memory);
            }
            mutation::choose(id as u32);
            let (verdict, why, cases) = coverage.hunt(id, part, Duration::from_secs(seconds));
            append(results, &format!("{id} {verdict} {why} {cases}"));
            // SAFETY: there is nothing to clean up: everything belongs to the parent.
            unsafe { libc::_exit(0) };
        }
        assert!(child > 0, "no process can be started");
        processes.running.push((child, id));
    }
    while !processes.running.is_empty() {
        processes.wait();
    }
    eprintln!("prepared in {begun:.0?} of processor time");
}
