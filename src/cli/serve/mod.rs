//! `serve`: answers the line protocol with a planner of this suite.

mod provider;
mod walk;

use std::io::{self, BufRead, BufWriter, Read, Write};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::{Json, JsonError};

use super::args::ServeArgs;
use super::error::{CliError, Held};
use super::{output, subjects};
use crate::case::{Call, Case, Op, Task};
use crate::subject::{Outcome, Subject, want_of};

/// The longest request that is read, in bytes.
const MAX_LINE: u64 = 64 << 20;

/// Answers that wait for the reader at most. A client may send many requests before it reads; one that never reads
/// blocks here.
const MAX_WAITING: usize = 1 << 16;

/// Runs the command until its input ends.
///
/// # Errors
/// An unknown subject, and pipes that break.
pub fn run(args: &ServeArgs) -> Result<Held, CliError> {
    let mut server = Server { subject: subjects::of_this_process(&args.subject)?, dialect: Dialect::default() };
    let (answers, waiting) = mpsc::sync_channel::<String>(MAX_WAITING);
    let writer = thread::spawn(move || write_answers(&waiting));
    let mut reader = io::BufReader::with_capacity(1 << 16, io::stdin().lock());
    while let Some(line) = next_line(&mut reader).map_err(|problem| unreadable(&problem))? {
        let answer = match line {
            Line::Whole(line) if line.trim_ascii().is_empty() => continue,
            Line::Whole(line) => server.answer(&line, &mut reader, &answers),
            Line::TooLong => refusal(Json::Null, &too_long()),
        };
        let mut text = answer.to_compact();
        text.push('\n');
        if answers.send(text).is_err() {
            // The writer has failed, and returns the error.
            break;
        }
    }
    drop(answers);
    let written = writer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    written.map_err(|problem| output::stdout_gone(&problem))?;
    Ok(Held::Yes)
}

/// Writes answers as they come, flushing only when no more are waiting, so that a window is answered in a few writes.
fn write_answers(answers: &Receiver<String>) -> io::Result<()> {
    let mut stdout = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    while let Ok(text) = answers.recv() {
        stdout.write_all(text.as_bytes())?;
        for text in answers.try_iter() {
            stdout.write_all(text.as_bytes())?;
        }
        stdout.flush()?;
    }
    Ok(())
}

fn unreadable(problem: &io::Error) -> CliError {
    CliError::failed(format!("cannot read standard input: {problem}"))
}

fn too_long() -> String {
    format!("expected a line of at most {MAX_LINE} bytes")
}

/// The source of a walk's lines.
trait Lines {
    /// The next line; `None` at the end.
    fn next(&mut self) -> Result<Option<Vec<u8>>, String>;
}

impl<R: BufRead> Lines for R {
    fn next(&mut self) -> Result<Option<Vec<u8>>, String> {
        match next_line(self).map_err(|problem| problem.to_string())? {
            Some(Line::Whole(line)) => Ok(Some(line)),
            Some(Line::TooLong) => Err(too_long()),
            None => Ok(None),
        }
    }
}

enum Line {
    Whole(Vec<u8>),
    TooLong,
}

/// The next line; `None` at the end. A line that is too long is skipped, with at most its bound in memory.
fn next_line(reader: &mut impl BufRead) -> io::Result<Option<Line>> {
    let mut line = Vec::new();
    if reader.by_ref().take(MAX_LINE + 1).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.len() as u64 <= MAX_LINE || line.last() == Some(&b'\n') {
        return Ok(Some(Line::Whole(line)));
    }
    reader.skip_until(b'\n')?;
    Ok(Some(Line::TooLong))
}

struct Server {
    subject: Box<dyn Subject>,
    dialect: Dialect,
}

impl Server {
    /// Answers a line. A walk calls its provider over the same line meanwhile.
    fn answer(&mut self, line: &[u8], lines: &mut dyn Lines, answers: &SyncSender<String>) -> Json {
        let json = match Json::parse_bytes(line) {
            Ok(json) => json,
            Err(problem) => return refusal(Json::Null, &problem.to_string()),
        };
        if json.member("hello").is_some() {
            return self.greet(&json).unwrap_or_else(|problem| {
                Json::object([("hello", Json::int(1)), ("error", Json::string(&problem.to_string()))])
            });
        }
        let id = json.member("id").cloned().unwrap_or(Json::Null);
        let asked = match walk::Op::of(&json) {
            Some(op) => self.walk(op, &json, lines, answers),
            None => self.ask(&json),
        };
        match asked {
            Ok(Ok(want)) => Json::object([("id", id), ("ok", want)]),
            Ok(Err(message)) => refusal(id, &message),
            Err(problem) => refusal(id, &problem.to_string()),
        }
    }

    fn greet(&mut self, json: &Json) -> Result<Json, JsonError> {
        if let Some(dialect) = json.member("dialect") {
            let name = dialect.expect_string()?;
            self.dialect = name.parse().map_err(|_| dialect.unexpected("a dialect such as terraform-1.11"))?;
        }
        let (is_planner, dialect) = (self.subject.planner().is_some(), self.dialect);
        let walks = walk::Op::ALL.iter().filter(|_| is_planner).map(|op| op.name());
        // A scenario is asked walk by walk.
        let calls = Op::ALL.iter().filter(|op| **op != Op::Scenario && self.subject.can(**op, dialect));
        let ops = calls.map(|op| op.name()).chain(walks).map(Json::string).collect();
        let name = format!("planfuzz {}", self.subject.name());
        Ok(Json::object([("hello", Json::int(1)), ("name", Json::string(&name)), ("ops", Json::Array(ops))]))
    }

    fn ask(&mut self, json: &Json) -> Result<Result<Json, String>, JsonError> {
        let call = Call::from_request(json, self.dialect)?;
        let case = Case::new(self.dialect, Task::Call(call.clone()));
        let outcome = self.subject.answer(std::slice::from_ref(&case)).pop().and_then(|mut all| all.pop());
        Ok(match outcome {
            Some(Outcome::Refused(message)) => Err(message),
            Some(Outcome::Crashed { site, message, .. }) => Err(format!("panicked at {site}: {message}")),
            Some(outcome) => want_of(&call, &outcome, self.dialect).ok_or_else(|| "no answer".to_owned()),
            None => Err("no answer".to_owned()),
        })
    }
}

fn refusal(id: Json, message: &str) -> Json {
    Json::object([("id", id), ("error", Json::string(message))])
}
