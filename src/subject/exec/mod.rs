//! Programs as subjects: a planner in any language that speaks the line protocol (formats.md).
//!
//! The program is kept alive and has a window of requests in flight. It may be wrong in every way that a program can be:
//! end, hang, answer nonsense, answer out of order, never read. Each of these is an outcome of one request, and the program
//! is started anew for the rest. What was in flight with the culprit is asked again one at a time, so that the outcome
//! belongs to the request that caused it.

mod process;
mod protocol;

use std::collections::VecDeque;
use std::time::Duration;

use planfuzz_core::dialect::Dialect;

pub use process::ExecError;
use process::{Process, Silence};
use protocol::Hello;

use super::Subject;
use super::outcome::{LeftOut, Outcome};
use crate::case::{Call, Case, Op, Task};

/// Requests in flight at most. Enough that neither side waits for the other; few enough to ask again one at a time.
const WINDOW: usize = 256;

/// Deaths in a row, without an answer in between, after which a program is not started again.
const DEATHS: u32 = 10;

/// How a program is run.
#[derive(Clone, Copy, Debug)]
pub struct ExecOptions {
    /// The dialect that it is told.
    pub dialect: Dialect,
    /// What one answer may take.
    pub answer_time: Duration,
}

/// A program that answers the line protocol.
pub struct Exec {
    command: Vec<String>,
    options: ExecOptions,
    hello: Hello,
    name: String,
    process: Option<Process>,
    /// The last id that was given out.
    id: u64,
    deaths: u32,
}

/// A request that has not been answered.
struct Pending {
    case: usize,
    op: usize,
    call: Call,
}

impl Exec {
    /// Starts a program and greets it.
    ///
    /// # Errors
    /// A command that is none, a program that does not start, or does not answer the greeting.
    pub fn start(command: &str, options: &ExecOptions) -> Result<Exec, ExecError> {
        let words = shlex::split(command).filter(|words| !words.is_empty());
        let words = words.ok_or_else(|| ExecError::Command { command: command.to_owned() })?;
        let (process, hello) = Process::start(&words, options)?;
        let name = hello.name.clone().unwrap_or_else(|| format!("exec:{command}"));
        Ok(Exec { command: words, options: *options, hello, name, process: Some(process), id: 0, deaths: 0 })
    }

    /// The requests of some cases that the program is asked, and the outcomes of those that it is not.
    fn requests(&self, cases: &[Case]) -> (VecDeque<Pending>, Vec<Vec<Outcome>>) {
        let mut pending = VecDeque::new();
        let mut outcomes = Vec::with_capacity(cases.len());
        for (case_index, case) in cases.iter().enumerate() {
            let ops = case.ops();
            let mut of_case = vec![Outcome::LeftOut(LeftOut::UnknownOp); ops.len()];
            for (op_index, op) in ops.into_iter().enumerate() {
                if case.dialect != self.options.dialect {
                    of_case[op_index] = Outcome::LeftOut(LeftOut::OtherDialect);
                } else if self.hello.knows(op)
                    && let Some(Task::Call(call)) = case.narrowed_to(op).map(|case| case.task)
                {
                    pending.push_back(Pending { case: case_index, op: op_index, call });
                }
            }
            outcomes.push(of_case);
        }
        (pending, outcomes)
    }

    /// Asks what is pending, with a window of requests in flight, until all is answered or the program fails. What is
    /// left was not answered; the first of it is the one that failed.
    fn ask(
        &mut self,
        pending: &mut VecDeque<Pending>,
        outcomes: &mut [Vec<Outcome>],
        window: usize,
    ) -> Result<(), Silence> {
        if self.process.is_none() {
            let (process, _) = Process::start(&self.command, &self.options).map_err(Silence::from)?;
            self.process = Some(process);
        }
        let process = self.process.as_mut().expect("it was just started");
        let first = self.id + 1;
        let mut sent = 0;
        let mut answered = 0;
        let total = pending.len();
        while answered < total {
            while sent < total && sent - answered < window {
                let line = protocol::request(first + sent as u64, &pending[sent - answered].call, self.options.dialect);
                process.send(line);
                sent += 1;
            }
            self.id = first + sent as u64;
            let line = process.receive(self.options.answer_time)?;
            let head = &pending[0];
            let answer = protocol::answer(&line, first + answered as u64, &head.call, self.options.dialect);
            outcomes[head.case][head.op] = answer.map_err(Silence::Nonsense)?;
            pending.pop_front();
            answered += 1;
            self.deaths = 0;
        }
        Ok(())
    }

    /// The outcome of a request on which the program failed.
    fn failure(&self, silence: Silence) -> Outcome {
        match silence {
            Silence::Late => Outcome::OverBudget { limit: self.options.answer_time },
            Silence::Ended { how, said } => Outcome::Crashed { site: how, message: said },
            Silence::Nonsense(problem) => {
                Outcome::Crashed { site: problem.site().to_owned(), message: problem.to_string() }
            }
        }
    }
}

impl Subject for Exec {
    fn name(&self) -> &str {
        &self.name
    }

    fn can(&self, op: Op, dialect: Dialect) -> bool {
        dialect == self.options.dialect && self.hello.knows(op)
    }

    fn answer(&mut self, cases: &[Case]) -> Vec<Vec<Outcome>> {
        let (mut pending, mut outcomes) = self.requests(cases);
        let mut window = WINDOW;
        while !pending.is_empty() {
            if self.deaths >= DEATHS {
                for Pending { case, op, .. } in pending.drain(..) {
                    let message = format!("ended {DEATHS} times in a row without an answer");
                    outcomes[case][op] = Outcome::Crashed { site: "given up".to_owned(), message };
                }
                break;
            }
            let in_flight = pending.len();
            let Err(silence) = self.ask(&mut pending, &mut outcomes, window) else { break };
            self.process = None;
            if window == 1 || in_flight == 1 {
                self.deaths += 1;
                if let Some(Pending { case, op, .. }) = pending.pop_front() {
                    outcomes[case][op] = self.failure(silence);
                }
            }
            // Whoever was in flight may be the culprit: from here on one at a time.
            window = 1;
        }
        outcomes
    }
}
