//! The cost of asking a program at the end of a pipe, without the cost of the program.

use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use planfuzz::case::{Case, Op};
use planfuzz::generate::{Cases, Generator, Settings};
use planfuzz::subject::{Exec, ExecOptions, InProcess, Outcome, Subject};
use planfuzz_core::dialect::Dialect;
use planfuzz_optimized::Optimized;
use planfuzz_reference::Reference;

use super::echo;
use super::timing::Effort;

/// The cases that a campaign's worker asks at a time.
const CHUNK: u64 = 64;

/// Prints the suite's cost of a request beside answers in this process. The contestants take turns, chunk by chunk; the
/// figures are means, since a single request over a pipe cannot be timed.
/// chunk; the figures are means, since a pipe has no single request that could be timed.
pub fn print(effort: Effort) {
    println!("| preset | requests a second | suite's side | reference | optimized | suite's side / optimized |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: |");
    for (name, settings) in [("tiny", Settings::TINY), ("small", Settings::SMALL), ("medium", Settings::MEDIUM)] {
        let mut asked = Asked::new(settings);
        for chunk in 0..effort.chunks {
            asked.go(chunk * CHUNK);
        }
        asked.print(name);
    }
    println!(
        "\nTimes in ns for a request of proposed_new: processor time of this process alone, and in-process answers. Requests a \
         second by the clock, one worker, the program on another core.\n"
    );
}

/// A subject, and its times.
struct Contestant {
    subject: Box<dyn Subject>,
    wall: Duration,
    cpu: Duration,
}

struct Asked {
    cases: Cases,
    /// The program, the reference, the optimized planner.
    contestants: [Contestant; 3],
    requests: u64,
}

impl Asked {
    fn new(settings: Settings) -> Asked {
        let contestant = |subject| Contestant { subject, wall: Duration::ZERO, cpu: Duration::ZERO };
        Asked {
            cases: Cases::new(Generator::new(settings).in_dialects(&[Dialect::default()]), 1),
            contestants: [
                contestant(Box::new(program())),
                contestant(Box::new(InProcess::new(Reference))),
                contestant(Box::new(InProcess::new(Optimized))),
            ],
            requests: 0,
        }
    }

    fn go(&mut self, from: u64) {
        let cases = (from..from + CHUNK).map(|number| self.cases.case(number));
        let cases: Vec<Case> = cases.filter_map(|case| case.narrowed_to(Op::ProposedNew)).collect();
        self.requests += cases.len() as u64;
        for Contestant { subject, wall, cpu } in &mut self.contestants {
            let (clock, processor) = (Instant::now(), ProcessTime::now());
            let outcomes = subject.answer(&cases);
            *cpu += processor.elapsed();
            *wall += clock.elapsed();
            let is_answered = |outcome: &Outcome| matches!(outcome, Outcome::Value(_) | Outcome::Refused(_));
            assert!(outcomes.iter().flatten().all(is_answered), "{outcomes:?}");
        }
    }

    fn print(&self, name: &str) {
        let [program, reference, optimized] = &self.contestants;
        let of_one = |time: Duration| time.as_secs_f64() * 1e9 / self.requests as f64;
        let rate = 1e9 / of_one(program.wall);
        let [side, reference, optimized] = [program.cpu, reference.wall, optimized.wall].map(of_one);
        let ratio = side / optimized;
        println!("| {name} | {rate:.0} | {side:.0} | {reference:.0} | {optimized:.0} | {ratio:.1} |");
    }
}

/// This bench itself, as the program that answers.
fn program() -> Exec {
    let this = std::env::current_exe().expect("this program has a path");
    let this = shlex::try_quote(&this.to_string_lossy()).expect("a path without NUL").into_owned();
    let options =
        ExecOptions { dialect: Dialect::default(), answer_time: Duration::from_secs(20), patience: 3, stop: None };
    Exec::start(&format!("{this} {}", echo::FLAG), &options).expect("this program starts")
}
