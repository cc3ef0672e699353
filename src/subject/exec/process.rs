//! The process at the other end of the pipes.
//!
//! A thread writes requests and another reads answers, so that neither a program that does not read nor one that does not
//! answer can hold the suite; the time limit is on the answers.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use super::ExecOptions;
use super::protocol::{self, Hello, Nonsense};

/// The longest answer that is read, in bytes.
const MAX_LINE: u64 = 64 << 20;

/// How many of the last lines of standard error are kept to explain an end.
const KEPT_LINES: usize = 5;

/// How long a program that was told to end may take.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// Why a program does not take part.
#[derive(Debug, thiserror::Error)]
pub enum ExecError {
    /// The command cannot be taken apart into words.
    #[error("expected a command after exec:, found {command:?}")]
    Command {
        /// What was given.
        command: String,
    },
    /// The program does not start.
    #[error("cannot start {program}: {problem}")]
    Start {
        /// The program.
        program: String,
        /// Why.
        problem: std::io::Error,
    },
    /// The program did not answer the greeting.
    #[error("{program} did not answer the greeting: {problem}")]
    Greeting {
        /// The program.
        program: String,
        /// What it did instead.
        problem: String,
    },
}

/// Why an answer did not come.
#[derive(Debug)]
pub(super) enum Silence {
    /// The time ran out.
    Late,
    /// The program ended.
    Ended {
        /// How, without what changes from run to run.
        how: String,
        /// Its last words on standard error.
        said: String,
    },
    /// A line came that is no answer.
    Nonsense(Nonsense),
}

impl From<ExecError> for Silence {
    fn from(problem: ExecError) -> Silence {
        Silence::Ended { how: "did not start again".to_owned(), said: problem.to_string() }
    }
}

/// A running program.
pub(super) struct Process {
    child: Child,
    requests: Sender<String>,
    answers: Receiver<Vec<u8>>,
    last_words: Arc<Mutex<VecDeque<String>>>,
}

impl Process {
    /// Starts a program and greets it.
    pub(super) fn start(words: &[String], options: &ExecOptions) -> Result<(Process, Hello), ExecError> {
        let program = words.first().cloned().unwrap_or_default();
        let mut child = Command::new(&program)
            .args(words.iter().skip(1))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|problem| ExecError::Start { program: program.clone(), problem })?;
        let (requests, to_write) = mpsc::channel::<String>();
        let (answered, answers) = mpsc::channel();
        let last_words = Arc::new(Mutex::new(VecDeque::new()));
        if let Some(mut stdin) = child.stdin.take() {
            thread::spawn(move || {
                for line in to_write {
                    if stdin.write_all(line.as_bytes()).and_then(|()| stdin.flush()).is_err() {
                        // The program is gone; who waits for its answer is told so.
                        return;
                    }
                }
            });
        }
        if let Some(stdout) = child.stdout.take() {
            thread::spawn(move || read_answers(stdout, &answered));
        }
        if let Some(stderr) = child.stderr.take() {
            let kept = Arc::clone(&last_words);
            thread::spawn(move || keep_last_words(stderr, &kept));
        }
        let mut process = Process { child, requests, answers, last_words };
        let hello = process.greet(options).map_err(|problem| ExecError::Greeting { program, problem })?;
        Ok((process, hello))
    }

    fn greet(&mut self, options: &ExecOptions) -> Result<Hello, String> {
        self.send(protocol::greeting(options.dialect));
        match self.receive(options.answer_time) {
            Ok(line) => Ok(Hello::of_answer(&line)),
            Err(Silence::Late) => Err(format!("nothing came within {} ms", options.answer_time.as_millis())),
            Err(Silence::Ended { how, said }) => Err(format!("it ended with {how}. {said}")),
            Err(Silence::Nonsense(problem)) => Err(problem.to_string()),
        }
    }

    /// Sends a line. A program that is gone is noticed when its answer is waited for.
    pub(super) fn send(&self, line: String) {
        self.requests.send(line).ok();
    }

    /// The next line, without its end.
    pub(super) fn receive(&mut self, time: Duration) -> Result<Vec<u8>, Silence> {
        match self.answers.recv_timeout(time) {
            Ok(line) if line.len() as u64 > MAX_LINE => Err(Silence::Nonsense(Nonsense::TooLong { limit: MAX_LINE })),
            Ok(line) => Ok(line),
            Err(RecvTimeoutError::Timeout) => Err(Silence::Late),
            Err(RecvTimeoutError::Disconnected) => Err(self.ended()),
        }
    }

    fn ended(&mut self) -> Silence {
        let how = match wait(&mut self.child, LAST_WORDS) {
            Some(status) => status.to_string(),
            None => "its standard output closed".to_owned(),
        };
        let said = match self.last_words.lock() {
            Ok(lines) => lines.iter().cloned().collect::<Vec<_>>().join("\n"),
            Err(_) => String::new(),
        };
        Silence::Ended { how, said }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Closing its input asks a program to end; one that does not is ended.
        let (closed, _) = mpsc::channel();
        self.requests = closed;
        if wait(&mut self.child, LAST_WORDS).is_none() {
            self.child.kill().ok();
            self.child.wait().ok();
        }
    }
}

/// Waits for a child for a while.
fn wait(child: &mut Child, time: Duration) -> Option<std::process::ExitStatus> {
    let until = Instant::now() + time;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if Instant::now() < until => thread::sleep(Duration::from_millis(5)),
            Ok(None) | Err(_) => return None,
        }
    }
}

fn read_answers(stdout: ChildStdout, answered: &Sender<Vec<u8>>) {
    let mut stdout = BufReader::with_capacity(1 << 16, stdout);
    loop {
        let mut line = Vec::new();
        match stdout.by_ref().take(MAX_LINE + 1).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        if line.last() == Some(&b'\n') {
            line.pop();
        }
        if answered.send(line).is_err() {
            return;
        }
    }
}

fn keep_last_words(stderr: ChildStderr, kept: &Mutex<VecDeque<String>>) {
    let mut stderr = BufReader::new(stderr);
    loop {
        let mut line = Vec::new();
        match stderr.by_ref().take(4096).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let Ok(mut lines) = kept.lock() else { return };
        if lines.len() == KEPT_LINES {
            lines.pop_front();
        }
        lines.push_back(String::from_utf8_lossy(&line).trim_end().to_owned());
    }
}
