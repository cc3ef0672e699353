//! The process at the other end of the pipes.
//!
//! A thread writes requests and another reads answers, so that neither a program that does not read nor one that does not
//! answer can block the suite; the time limit is on the answers. The program leads a process group of its own: an
//! interrupt at the terminal is handled by the suite and does not kill the program, and everything that the program
//! started ends with it.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::ExecOptions;
use super::groups;
use super::lines::{self, NoLine};
use super::protocol::{self, Hello, NoHello, Nonsense};

/// The longest answer that is read, in bytes.
const MAX_LINE: u64 = 64 << 20;

/// Bytes of answers that wait to be received at most, not counting the last line.
const MAX_WAITING: usize = 8 << 20;

/// How many of the last lines of standard error are kept to explain an end.
const KEPT_LINES: usize = 5;

/// How long a program may take to end once its input is closed.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// How often a wait for an answer checks whether the user interrupted.
const LOOK_UP: Duration = Duration::from_millis(100);

/// Why a program does not take part.
#[derive(Debug, thiserror::Error)]
pub enum ExecError {
    /// The command cannot be split into words.
    #[error("expected a command after exec:, found {command:?}")]
    Command {
        /// The command.
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
    /// The program answered the greeting with an error, for example because it does not follow the dialect.
    #[error("{program} does not take part: {problem}")]
    Refused {
        /// The program.
        program: String,
        /// Why.
        problem: String,
    },
    /// The first line of the program is no line of the protocol: another program was started than intended.
    #[error(
        "{program} is no planner that speaks the line protocol: its first line is {line:?}, expected a line of JSON"
    )]
    NoPlanner {
        /// The program.
        program: String,
        /// The beginning of its first line.
        line: String,
    },
    /// The program's greeting has no list of the operations that it answers.
    #[error("{program} answered the greeting: expected ops to be a list of names, found {found}")]
    Ops {
        /// The program.
        program: String,
        /// What it has instead.
        found: String,
    },
    /// The user interrupted before the program had answered the greeting.
    #[error("interrupted")]
    Interrupted,
}

/// Why an answer did not come.
#[derive(Debug)]
pub(super) enum Silence {
    /// The time ran out.
    Late,
    /// The program ended.
    Ended {
        /// How, without parts that change from run to run.
        how: String,
        /// Its last lines on standard error.
        last_lines: String,
    },
    /// A line came that is no answer.
    Nonsense(Nonsense),
    /// It cannot be started again.
    NotStarted(String),
    /// The user interrupted while the answer was awaited.
    Interrupted,
}

impl From<ExecError> for Silence {
    fn from(problem: ExecError) -> Silence {
        match problem {
            ExecError::Interrupted => Silence::Interrupted,
            problem => Silence::NotStarted(problem.to_string()),
        }
    }
}

/// Why there was no greeting in return.
enum Unmet {
    /// What the program did instead of answering, in words.
    Silent(String),
    /// Why it does not take part.
    NoHello(NoHello),
    /// The user interrupted.
    Interrupted,
}

/// A running program.
pub(super) struct Process {
    child: Child,
    requests: Sender<String>,
    answers: lines::Receiver,
    last_words: Arc<Mutex<VecDeque<String>>>,
    listener: Option<JoinHandle<()>>,
    /// Whether the child has been waited for, so that its process id may be reused.
    gone: bool,
}

impl Process {
    /// Starts a program and greets it.
    pub(super) fn start(words: &[String], options: &ExecOptions) -> Result<(Process, Hello), ExecError> {
        let program = words.first().cloned().unwrap_or_default();
        let mut command = Command::new(&program);
        command.args(words.iter().skip(1)).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child =
            groups::spawn(&mut command).map_err(|problem| ExecError::Start { program: program.clone(), problem })?;
        let (requests, to_write) = mpsc::channel::<String>();
        let (answered, answers) = lines::queue(MAX_WAITING);
        let last_words = Arc::new(Mutex::new(VecDeque::new()));
        if let Some(stdin) = child.stdin.take() {
            thread::spawn(move || write_requests(stdin, &to_write));
        }
        if let Some(stdout) = child.stdout.take() {
            thread::spawn(move || read_answers(stdout, &answered));
        }
        let listener = child.stderr.take().map(|stderr| {
            let kept = Arc::clone(&last_words);
            thread::spawn(move || keep_last_words(stderr, &kept))
        });
        let mut process = Process { child, requests, answers, last_words, listener, gone: false };
        match process.greet(options) {
            Ok(hello) => Ok((process, hello)),
            Err(Unmet::Silent(problem)) => {
                process.kill();
                Err(ExecError::Greeting { program, problem })
            }
            Err(Unmet::NoHello(why)) => {
                process.kill();
                Err(match why {
                    NoHello::Refused(problem) => ExecError::Refused { program, problem },
                    NoHello::NoJson(line) => ExecError::NoPlanner { program, line },
                    NoHello::NoOps(found) => ExecError::Ops { program, found },
                })
            }
            Err(Unmet::Interrupted) => {
                process.kill();
                Err(ExecError::Interrupted)
            }
        }
    }

    fn greet(&mut self, options: &ExecOptions) -> Result<Hello, Unmet> {
        self.send(protocol::greeting(options.dialect));
        let line = self.receive(options).map_err(|silence| match silence {
            Silence::Late => Unmet::Silent(format!("no answer within {} ms", options.answer_time.as_millis())),
            Silence::Ended { how, last_lines } if last_lines.is_empty() => Unmet::Silent(format!("it ended ({how})")),
            Silence::Ended { how, last_lines } => Unmet::Silent(format!("it ended ({how}): {last_lines}")),
            Silence::Nonsense(problem) => Unmet::Silent(problem.to_string()),
            Silence::NotStarted(problem) => Unmet::Silent(problem),
            Silence::Interrupted => Unmet::Interrupted,
        })?;
        Hello::of_answer(&line).map_err(Unmet::NoHello)
    }

    /// Sends a line. If the program is gone, waiting for its answer reports that.
    pub(super) fn send(&self, line: String) {
        self.requests.send(line).ok();
    }

    /// The next line, without its end.
    pub(super) fn receive(&mut self, options: &ExecOptions) -> Result<Vec<u8>, Silence> {
        let until = Instant::now() + options.answer_time;
        loop {
            if options.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                return Err(Silence::Interrupted);
            }
            let now = Instant::now();
            match self.answers.receive(until.min(now + LOOK_UP)) {
                Ok(line) if line.len() as u64 > MAX_LINE => {
                    return Err(Silence::Nonsense(Nonsense::TooLong { limit: MAX_LINE }));
                }
                Ok(line) => return Ok(line),
                Err(NoLine::Late) if now < until => {}
                Err(NoLine::Late) => return Err(self.late()),
                Err(NoLine::Ended) => return Err(self.ended()),
            }
        }
    }

    /// The reason for a late answer: the program may have ended, leaving a process that keeps its standard output open.
    fn late(&mut self) -> Silence {
        match groups::try_wait(&mut self.child) {
            Ok(Some(_)) => self.ended(),
            Ok(None) | Err(_) => Silence::Late,
        }
    }

    fn ended(&mut self) -> Silence {
        let until = Instant::now() + LAST_WORDS;
        let how = match wait(&mut self.child, until) {
            Some(status) => {
                self.gone = true;
                status.to_string()
            }
            None => "its standard output closed".to_owned(),
        };
        while self.gone
            && self.listener.as_ref().is_some_and(|listener| !listener.is_finished())
            && Instant::now() < until
        {
            thread::sleep(Duration::from_millis(1));
        }
        let last_lines = match self.last_words.lock() {
            Ok(lines) => lines.iter().cloned().collect::<Vec<_>>().join("\n"),
            Err(_) => String::new(),
        };
        Silence::Ended { how, last_lines }
    }

    /// Kills the program with everything that it started.
    pub(super) fn kill(&mut self) {
        if !self.gone {
            groups::kill_group(&mut self.child);
            // It was killed, so this takes no time; afterwards there is no zombie.
            groups::wait(&mut self.child);
            self.gone = true;
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Closing its input asks a program to end; one that does not end is killed.
        let (closed, _) = mpsc::channel();
        self.requests = closed;
        if !self.gone && wait(&mut self.child, Instant::now() + LAST_WORDS).is_some() {
            self.gone = true;
        }
        self.kill();
    }
}

/// Waits for a child until a point in time.
fn wait(child: &mut Child, until: Instant) -> Option<std::process::ExitStatus> {
    loop {
        match groups::try_wait(child) {
            Ok(Some(status)) => return Some(status),
            Ok(None) if Instant::now() < until => thread::sleep(Duration::from_millis(2)),
            Ok(None) | Err(_) => return None,
        }
    }
}

fn write_requests(stdin: ChildStdin, requests: &Receiver<String>) {
    let mut stdin = BufWriter::with_capacity(1 << 16, stdin);
    // On an error the program is gone or does not read any more; waiting for its answer reports that.
    while let Ok(line) = requests.recv() {
        if stdin.write_all(line.as_bytes()).is_err() {
            return;
        }
        for line in requests.try_iter() {
            if stdin.write_all(line.as_bytes()).is_err() {
                return;
            }
        }
        if stdin.flush().is_err() {
            return;
        }
    }
}

fn read_answers(stdout: ChildStdout, answered: &lines::Sender) {
    let mut stdout = BufReader::with_capacity(1 << 16, stdout);
    loop {
        let mut line = Vec::new();
        match stdout.by_ref().take(MAX_LINE + 1).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        if line.last() == Some(&b'\n') {
            line.pop();
        } else if line.len() as u64 <= MAX_LINE {
            // The program ended in the middle of a line: no answer, but the end.
            return;
        }
        if !answered.send(line) {
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
