//! The cost of one case of a campaign, by preset.

use std::time::{Duration, Instant};

use planfuzz::case::Case;
use planfuzz::compare::{Answers, Judge, Summary};
use planfuzz::generate::{Cases, Generator, Settings};
use planfuzz::subject::{InProcess, Outcome, Subject};
use planfuzz_optimized::Optimized;
use planfuzz_reference::Reference;

use super::timing::Effort;

const CHUNK: u64 = 64;

/// The parts of the work on a case.
const PARTS: [&str; 5] = ["generate", "reference", "optimized", "compare", "compare and rules"];

/// Prints nanoseconds for a case of each preset. The presets take turns, chunk by chunk; the figures are medians of the
/// chunks' means.
pub fn print(effort: Effort) {
    let presets = [("tiny", Settings::TINY), ("small", Settings::SMALL), ("medium", Settings::MEDIUM)];
    let mut ways = presets.map(|(name, settings)| (name, Way::new(settings)));
    for chunk in 0..effort.chunks {
        for (_, way) in &mut ways {
            way.go(chunk * CHUNK);
        }
    }
    println!("| preset | {} | operations | comparisons per second |", PARTS.join(" | "));
    println!("| --- | {}---: | ---: |", "---: | ".repeat(PARTS.len()));
    for (name, way) in ways {
        way.print(name, effort.chunks * CHUNK);
    }
    println!(
        "\nTimes in ns for a case, which is all of its operations; the last column is for one core, rules included.\n"
    );
}

/// The cases of a preset, and the times of the parts.
struct Way {
    cases: Cases,
    subjects: [InProcess; 2],
    without_rules: Judge,
    with_rules: Judge,
    times: [Vec<Duration>; PARTS.len()],
    comparisons: u64,
}

impl Way {
    fn new(settings: Settings) -> Way {
        Way {
            cases: Cases::new(Generator::new(settings), 1),
            subjects: [InProcess::new(Reference), InProcess::new(Optimized)],
            without_rules: Judge { without_rules: true, ..Judge::default() },
            with_rules: Judge::default(),
            times: Default::default(),
            comparisons: 0,
        }
    }

    fn go(&mut self, from: u64) {
        let start = Instant::now();
        let cases: Vec<Case> = (from..from + CHUNK).map(|number| self.cases.case(number)).collect();
        let generated = Instant::now();
        let reference = self.subjects[0].answer(&cases);
        let referred = Instant::now();
        let optimized = self.subjects[1].answer(&cases);
        let optimal = Instant::now();
        let outcomes = [reference, optimized];
        // Once untimed, so that neither judge is the first to touch the outcomes.
        self.judge(&self.without_rules, &cases, &outcomes);
        let touched = Instant::now();
        self.judge(&self.without_rules, &cases, &outcomes);
        let compared = Instant::now();
        let summary = self.judge(&self.with_rules, &cases, &outcomes);
        let ends = [generated, referred, optimal, compared, Instant::now()];
        let starts = [start, generated, referred, touched, compared];
        for (place, times) in self.times.iter_mut().enumerate() {
            times.push(ends[place] - starts[place]);
        }
        self.comparisons += summary.comparisons;
    }

    fn judge(&self, judge: &Judge, cases: &[Case], outcomes: &[Vec<Vec<Outcome>>; 2]) -> Summary {
        let mut summary = Summary::default();
        for (index, case) in cases.iter().enumerate() {
            let answers = [0, 1].map(|place: usize| Answers::of(&self.subjects[place], &outcomes[place][index]));
            judge.judge(case, &answers, &mut summary);
        }
        summary
    }

    fn print(self, name: &str, cases: u64) {
        let parts = self.times.map(|mut times| {
            times.sort_unstable();
            times[times.len() / 2].as_secs_f64() * 1e9 / CHUNK as f64
        });
        let [generate, reference, optimized, _, rules] = parts;
        let operations = self.comparisons as f64 / cases as f64;
        let rate = operations * 1e9 / (generate + reference + optimized + rules);
        let parts = parts.map(|time| format!("{time:.0}"));
        println!("| {name} | {} | {operations:.1} | {rate:.0} |", parts.join(" | "));
    }
}
