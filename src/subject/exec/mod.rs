//! Programs as subjects: a planner in any language that speaks the line protocol (formats.md).
//!
//! The program is kept running and has a window of requests in flight. It may be wrong in every way that a program can be:
//! end, hang, answer nonsense, answer out of order, never read. Each of these is an outcome of one request, and the program
//! is started anew for the rest. Requests that were in flight at a failure are asked again one at a time, so that the
//! outcome belongs to the request that caused it; if none of them fails alone, the first unanswered one gets the outcome,
//! so that no failure goes unseen.

pub(crate) mod groups;
pub(super) mod keeper;
mod lines;
mod process;
mod protocol;
mod scenarios;
mod walks;
mod words;

use std::collections::VecDeque;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use planfuzz_core::dialect::Dialect;

pub use groups::kill_programs;
pub use process::ExecError;
use process::{Process, Silence};
use protocol::Hello;

use super::Subject;
use super::outcome::{LeftOut, Outcome};
use crate::case::Shown;
use crate::case::{Call, Case, Op, Task};
use crate::scenario::ScenarioProviders;

/// Requests in flight at most. Enough that neither side waits for the other; few enough to ask again one at a time.
const WINDOW: usize = 256;

/// Bytes of requests in flight at most, not counting the last one.
const WINDOW_BYTES: usize = 4 << 20;

/// How a program is run.
#[derive(Clone, Copy, Debug)]
pub struct ExecOptions {
    /// The dialect in its greeting.
    pub dialect: Dialect,
    /// The time limit of one answer.
    pub answer_time: Duration,
    /// Timeouts or failed starts in a row after which the program is not asked any more. A program that ends or answers
    /// nonsense costs little and is started again without limit.
    pub patience: u32,
    /// Set when the user interrupts: requests that are not answered then are left out.
    pub stop: Option<&'static AtomicBool>,
}

impl ExecOptions {
    /// The `patience` of a campaign.
    pub const PATIENCE: u32 = 10;
}

/// A program that answers the line protocol.
pub struct Exec {
    command: Vec<String>,
    options: ExecOptions,
    hello: Hello,
    name: String,
    process: Option<Process>,
    /// The last id that was used: a late answer cannot be taken for that of a later request.
    id: u64,
    /// Timeouts and failed starts, in a row.
    strikes: u32,
}

/// A request that has not been answered.
struct Pending {
    case: usize,
    op: usize,
    call: Call,
}

/// A failure of the program: the first request without an answer is the first one pending.
struct Failure {
    silence: Silence,
    /// Requests that had been sent and not answered.
    in_flight: usize,
}

/// A failure with several requests in flight, each of which may be to blame.
struct Suspicion {
    case: usize,
    op: usize,
    silence: Silence,
}

impl Exec {
    /// Starts a program and greets it.
    ///
    /// # Errors
    /// A command that cannot be parsed, a program that does not start, or does not answer the greeting.
    pub fn start(command: &str, options: &ExecOptions) -> Result<Exec, ExecError> {
        let words = words::words(command).ok_or_else(|| ExecError::Command { command: command.to_owned() })?;
        let (process, hello) = Process::start(&words, options)?;
        let name = hello.name.clone().unwrap_or_else(|| format!("exec:{command}"));
        Ok(Exec { command: words, options: *options, hello, name, process: Some(process), id: 0, strikes: 0 })
    }

    /// Adds a number to its name if another subject has that name, as two builds of one planner do.
    pub fn make_name_unique(&mut self, is_taken: impl Fn(&str) -> bool) {
        if is_taken(&self.name) {
            let numbered = (2_u32..).map(|number| format!("{} #{number}", self.name));
            self.name = numbered.into_iter().find(|name| !is_taken(name)).unwrap_or_default();
        }
    }

    /// The requests for some cases, and the outcomes of operations that the program is not asked.
    fn requests(&self, cases: &[Case]) -> (VecDeque<Pending>, Vec<Vec<Outcome>>) {
        let mut pending = VecDeque::new();
        let mut outcomes = Vec::with_capacity(cases.len());
        for (case_index, case) in cases.iter().enumerate() {
            let ops = case.ops();
            let mut of_case = vec![Outcome::LeftOut(LeftOut::UnknownOp); ops.len()];
            for (op_index, op) in ops.into_iter().enumerate() {
                if case.dialect != self.options.dialect {
                    of_case[op_index] = Outcome::LeftOut(LeftOut::OtherDialect);
                } else if op != Op::Scenario
                    && self.hello.knows(op)
                    && let Some(Task::Call(call)) = case.narrowed_to(op).map(|case| case.task)
                {
                    pending.push_back(Pending { case: case_index, op: op_index, call });
                }
            }
            outcomes.push(of_case);
        }
        (pending, outcomes)
    }

    /// Asks the first `count` of the pending requests, with a window of requests in flight, until they are answered or the
    /// program fails. Requests without an answer stay pending.
    fn ask(
        &mut self,
        pending: &mut VecDeque<Pending>,
        outcomes: &mut [Vec<Outcome>],
        (count, window): (usize, usize),
    ) -> Result<(), Failure> {
        let mut process = match self.process.take() {
            Some(process) => process,
            None => self.restart().map_err(|silence| Failure { silence, in_flight: 0 })?,
        };
        let mut sizes = VecDeque::new();
        let mut bytes = 0;
        let mut answered = 0;
        while answered < count {
            while sizes.len() < window && answered + sizes.len() < count && (sizes.is_empty() || bytes < WINDOW_BYTES) {
                self.id += 1;
                let line = protocol::request(self.id, &pending[sizes.len()].call, self.options.dialect);
                bytes += line.len();
                sizes.push_back(line.len());
                process.send(line);
            }
            let in_flight = sizes.len();
            let id = self.id + 1 - in_flight as u64;
            let head = &pending[0];
            let answer = process.receive(&self.options).and_then(|line| {
                protocol::answer(&line, id, &head.call, self.options.dialect).map_err(Silence::Nonsense)
            });
            match answer {
                Ok(outcome) => outcomes[head.case][head.op] = outcome,
                Err(silence) => {
                    process.kill();
                    return Err(Failure { silence, in_flight });
                }
            }
            pending.pop_front();
            bytes -= sizes.pop_front().unwrap_or_default();
            answered += 1;
            self.strikes = 0;
        }
        self.process = Some(process);
        Ok(())
    }

    fn restart(&self) -> Result<Process, Silence> {
        let (process, _) = Process::start(&self.command, &self.options).map_err(Silence::from)?;
        Ok(process)
    }

    /// The outcome of a request on which the program failed.
    fn failure(&self, silence: Silence) -> Outcome {
        match silence {
            Silence::Late => Outcome::OverBudget { limit: self.options.answer_time },
            Silence::Ended { how, last_lines } => Outcome::Crashed { site: how, message: last_lines, predicted: false },
            Silence::Nonsense(problem) => {
                Outcome::Crashed { site: problem.site().to_owned(), message: problem.to_string(), predicted: false }
            }
            Silence::NotStarted(problem) => {
                Outcome::Crashed { site: "did not start again".to_owned(), message: problem, predicted: false }
            }
            Silence::Interrupted => Outcome::LeftOut(LeftOut::Interrupted),
        }
    }

    /// The outcome of a failure that none of the requests in flight caused again when asked alone.
    fn unrepeated(&self, silence: Silence) -> Outcome {
        match self.failure(silence) {
            Outcome::Crashed { site, message, predicted } => {
                let message = format!("{message} (with other requests in flight; not again when each was asked alone)");
                Outcome::Crashed { site, message, predicted }
            }
            other => other,
        }
    }

    fn has_given_up(&self) -> bool {
        self.strikes >= self.options.patience
    }
}

impl Subject for Exec {
    fn name(&self) -> &str {
        &self.name
    }

    fn signed(&self) -> String {
        // The command line contains paths of one machine.
        self.hello.name.clone().unwrap_or_else(|| "a program".to_owned())
    }

    fn can(&self, op: Op, dialect: Dialect) -> bool {
        dialect == self.options.dialect && self.hello.knows(op)
    }

    fn shows(&self) -> Shown {
        Shown::Written
    }

    fn answer(&mut self, cases: &[Case]) -> Vec<Vec<Outcome>> {
        let (mut pending, mut outcomes) = self.requests(cases);
        // So many of the first pending requests were in flight when the program failed, and are asked one at a time.
        let mut suspects = 0;
        let mut suspicion: Option<Suspicion> = None;
        while !pending.is_empty() && !self.has_given_up() {
            let before = pending.len();
            let bounds = if suspects > 0 { (suspects, 1) } else { (before, WINDOW) };
            let asked = self.ask(&mut pending, &mut outcomes, bounds);
            match asked {
                Ok(()) => {
                    suspects = 0;
                    if let Some(Suspicion { case, op, silence }) = suspicion.take() {
                        outcomes[case][op] = self.unrepeated(silence);
                    }
                }
                Err(Failure { silence: Silence::Interrupted, .. }) => {
                    leave_out(&mut pending, &mut outcomes, LeftOut::Interrupted);
                }
                Err(Failure { silence, in_flight }) if in_flight > 1 => {
                    suspects = in_flight;
                    suspicion =
                        pending.front().map(|Pending { case, op, .. }| Suspicion { case: *case, op: *op, silence });
                }
                Err(Failure { silence, .. }) => {
                    self.strikes += u32::from(matches!(silence, Silence::Late | Silence::NotStarted(_)));
                    suspects = suspects.saturating_sub(before - pending.len() + 1);
                    suspicion = None;
                    if let Some(Pending { case, op, .. }) = pending.pop_front() {
                        outcomes[case][op] = self.failure(silence);
                    }
                }
            }
        }
        if let Some(Suspicion { case, op, silence }) = suspicion {
            outcomes[case][op] = self.unrepeated(silence);
        }
        leave_out(&mut pending, &mut outcomes, LeftOut::GivenUp);
        let mut providers = ScenarioProviders::default();
        for (case, outcomes) in cases.iter().zip(&mut outcomes) {
            if let Task::Call(Call::Scenario(scenario)) = &case.task
                && self.can(Op::Scenario, case.dialect)
            {
                *outcomes = vec![self.run_scenario(scenario, &mut providers)];
            }
        }
        outcomes
    }
}

fn leave_out(pending: &mut VecDeque<Pending>, outcomes: &mut [Vec<Outcome>], reason: LeftOut) {
    for Pending { case, op, .. } in pending.drain(..) {
        outcomes[case][op] = Outcome::LeftOut(reason);
    }
}
