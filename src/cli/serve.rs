//! `serve`: a planner of this suite at the end of the line protocol.

use std::io::{self, BufRead, BufWriter, Write};

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::{Json, JsonError};

use super::args::ServeArgs;
use super::error::{CliError, Held};
use super::subjects;
use crate::case::{Case, Op, Task, Vector};
use crate::subject::{InProcess, Outcome, Subject, want_of};

/// Runs the command until its input ends.
///
/// # Errors
/// A subject that is none, and pipes that break.
pub fn run(args: &ServeArgs) -> Result<Held, CliError> {
    let mut server = Server { subject: subjects::in_process(&args.subject)?, dialect: Dialect::default() };
    let stdin = io::stdin().lock();
    let mut stdout = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let mut reader = io::BufReader::with_capacity(1 << 16, stdin);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = reader.read_until(b'\n', &mut line);
        if read.map_err(|problem| CliError::failed(format!("cannot read standard input: {problem}")))? == 0 {
            break;
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let mut text = server.answer(&line).to_compact();
        text.push('\n');
        // What is written is held back only while more requests are waiting: a window is answered in a few writes.
        let written = stdout
            .write_all(text.as_bytes())
            .and_then(|()| if reader.buffer().is_empty() { stdout.flush() } else { Ok(()) });
        written.map_err(|problem| CliError::failed(format!("cannot write to standard output: {problem}")))?;
    }
    stdout.flush().map_err(|problem| CliError::failed(format!("cannot write to standard output: {problem}")))?;
    Ok(Held::Yes)
}

struct Server {
    subject: InProcess,
    dialect: Dialect,
}

impl Server {
    fn answer(&mut self, line: &[u8]) -> Json {
        let json = match Json::parse_bytes(line) {
            Ok(json) => json,
            Err(problem) => return refusal(Json::Null, &problem.to_string()),
        };
        if json.member("hello").is_some() {
            return self.greet(&json).unwrap_or_else(|problem| refusal(Json::Null, &problem.to_string()));
        }
        let id = json.member("id").cloned().unwrap_or(Json::Null);
        match self.ask(json) {
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
        let ops = Op::ALL.iter().map(|op| Json::string(op.name())).collect();
        let name = format!("planfuzz {}", self.subject.name());
        Ok(Json::object([("hello", Json::int(1)), ("name", Json::string(&name)), ("ops", Json::Array(ops))]))
    }

    fn ask(&mut self, json: Json) -> Result<Result<Json, String>, JsonError> {
        let vector = Vector::from_json(json)?;
        let call = vector.read_request(self.dialect)?;
        let case = Case::new(self.dialect, Task::Call(call.clone()));
        let outcome = self.subject.answer(std::slice::from_ref(&case)).pop().and_then(|mut all| all.pop());
        Ok(match outcome {
            Some(Outcome::Refused(message)) => Err(message),
            Some(Outcome::Crashed { site, message }) => Err(format!("panicked at {site}: {message}")),
            Some(outcome) => want_of(&call, &outcome, self.dialect).ok_or_else(|| "no answer".to_owned()),
            None => Err("no answer".to_owned()),
        })
    }
}

fn refusal(id: Json, message: &str) -> Json {
    Json::object([("id", id), ("error", Json::string(message))])
}
