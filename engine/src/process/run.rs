//! Running a program within limits.
//!
//! Problem: an engine may hang, print without end, or leave programs of its own behind, and on a busy machine it only seems to hang.
//! Idea: its processor time counts where the system reports it, its output is read by threads up to a bound, and it has a process group of
//! its own. Guarantee: a run ends, and nothing of its group outlives it; if the suite itself is killed, `leash` sees to that.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::crash::Crash;
use super::drain::{Drained, drain};
use super::runs::RunDir;
use super::{child, cpu, leash};

/// How much of standard output is read; an engine that prints more in one run is out of hand.
const MAX_STDOUT: usize = 256 << 20;

/// How much of standard error is kept: a trace of Go's begins with what matters.
const MAX_STDERR: usize = 1 << 20;

/// How often a wait checks whether the suite should stop.
const LOOK_UP: Duration = Duration::from_millis(20);

/// How many times its limit a run may take by the clock if other processes keep the machine busy: until then its processor time counts. A
/// process that does nothing at all is waited for that long, too.
const PATIENCE: u32 = 6;

/// How long the pipes of a process that has ended may stay open.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// The environment of every run of an engine: no call home, shorter texts, and less garbage collection, which takes a tenth of the time.
const SETTINGS: [(&str, &str); 3] = [("CHECKPOINT_DISABLE", "1"), ("TF_IN_AUTOMATION", "1"), ("GOGC", "400")];

/// The environment variables inherited from this process: `PATH`, in which provisioners find their commands, and those that Windows
/// requires.
const INHERITED: &[&str] = if cfg!(windows) { &["PATH", "SystemRoot", "TEMP", "TMP"] } else { &["PATH"] };

/// A run to be made.
#[derive(Debug)]
pub struct RunRequest<'a> {
    /// The program.
    pub program: &'a Path,
    /// Where it works.
    pub dir: &'a RunDir,
    /// Its arguments.
    pub args: &'a [&'a str],
    /// Its environment beside that of every run, for example `TF_REATTACH_PROVIDERS`. Nothing else is inherited.
    pub variables: &'a [(&'a str, &'a str)],
    /// How long it may take: processor time if the system reports it, else time by the clock.
    pub limit: Duration,
    /// Set when the suite should stop.
    pub stop: &'a AtomicBool,
}

/// How a run ended.
#[derive(Debug)]
pub enum RunOutcome {
    /// By itself.
    Finished(Finished),
    /// It crashed.
    Crashed(Crash),
    /// It was killed when its time was over.
    TimedOut {
        /// Its time limit.
        limit: Duration,
    },
    /// It was killed because the suite was stopped.
    Interrupted,
}

/// A run that ended by itself.
#[derive(Debug)]
pub struct Finished {
    /// Its exit status.
    pub exit: i32,
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// The beginning of its standard error.
    pub stderr: Vec<u8>,
    /// How long it took.
    pub elapsed: Duration,
    /// The processor time it took, on Linux.
    pub cpu: Option<Duration>,
}

/// Why a run has no outcome.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The program does not start.
    #[error("cannot start {program}: {problem}")]
    Start {
        /// The program.
        program: PathBuf,
        /// Why.
        problem: String,
    },
    /// It wrote too much.
    #[error("{program} wrote more than {limit} bytes")]
    Flood {
        /// The program.
        program: PathBuf,
        /// The limit.
        limit: usize,
    },
    /// A process that it started outside of its group keeps its output open.
    #[error("{program} ended, but its output stays open")]
    StillOpen {
        /// The program.
        program: PathBuf,
    },
    /// The system failed unexpectedly.
    #[error("lost {program}: {problem}")]
    Lost {
        /// The program.
        program: PathBuf,
        /// Why.
        problem: io::Error,
    },
}

/// Runs a program to its end, on this thread.
///
/// # Errors
/// The program does not start, or its output cannot be read completely.
pub fn run(request: &RunRequest<'_>) -> Result<RunOutcome, RunError> {
    let start = Instant::now();
    let lost = |problem| RunError::Lost { program: request.program.to_owned(), problem };
    let mut child =
        Group(command(request).spawn().map_err(|problem| RunError::Start {
            program: request.program.to_owned(),
            problem: problem.to_string(),
        })?);
    let stdout = Pipe::drain(child.0.stdout.take(), MAX_STDOUT);
    let stderr = Pipe::drain(child.0.stderr.take(), MAX_STDERR);
    let (Some(mut stdout), Some(mut stderr)) = (stdout, stderr) else {
        return Err(lost(io::Error::other("it has no pipes")));
    };
    if let Some(cut_short) = child.watch(request, start, &mut stdout, &mut stderr).map_err(lost)? {
        return Ok(cut_short);
    }
    let elapsed = start.elapsed();
    let cpu = cpu::of(child.0.id());
    let status = child::end(&mut child.0).map_err(lost)?;
    // The signal that stops the suite may have ended the child too: its output is no answer.
    if request.stop.load(Ordering::Relaxed) {
        return Ok(RunOutcome::Interrupted);
    }
    let last_words = Instant::now() + LAST_WORDS;
    let (Some(stdout), Some(stderr)) = (stdout.wait(last_words), stderr.wait(last_words)) else {
        return Err(RunError::StillOpen { program: request.program.to_owned() });
    };
    let (stdout, stderr) = (stdout.map_err(lost)?, stderr.map_err(lost)?);
    judge(request, status, stdout, stderr.bytes, elapsed, cpu)
}

fn command(request: &RunRequest<'_>) -> Command {
    let mut command = leash::command(request.program);
    command.args(request.args).current_dir(request.dir.path());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let inherited = INHERITED.iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
    command.envs(inherited).envs(SETTINGS).env("TF_CLI_CONFIG_FILE", request.dir.settings());
    command.envs(request.variables.iter().copied());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command
}

fn judge(
    request: &RunRequest<'_>,
    status: ExitStatus,
    stdout: Drained,
    stderr: Vec<u8>,
    elapsed: Duration,
    cpu: Option<Duration>,
) -> Result<RunOutcome, RunError> {
    let program = || request.program.to_owned();
    let text = String::from_utf8_lossy(&stderr);
    if status.code() == Some(leash::FAILED_EXIT) && text.starts_with(leash::FAILED) {
        return Err(RunError::Start { program: program(), problem: text.trim_end().to_owned() });
    }
    if let Some(crash) = Crash::of(status, &text) {
        return Ok(RunOutcome::Crashed(crash));
    }
    if stdout.cut {
        return Err(RunError::Flood { program: program(), limit: MAX_STDOUT });
    }
    match status.code() {
        Some(exit) => Ok(RunOutcome::Finished(Finished { exit, stdout: stdout.bytes, stderr, elapsed, cpu })),
        None => Err(RunError::Lost { program: program(), problem: io::Error::other(status.to_string()) }),
    }
}

/// A pipe that a thread reads.
struct Pipe {
    drained: Receiver<io::Result<Drained>>,
    arrived: Option<io::Result<Drained>>,
}

impl Pipe {
    fn drain(pipe: Option<impl Read + Send + 'static>, bound: usize) -> Option<Pipe> {
        let (send, drained) = channel();
        let pipe = pipe?;
        // If the run was given up, the receiver is gone.
        thread::Builder::new().name("drain".into()).spawn(move || send.send(drain(pipe, bound)).ok()).ok()?;
        Some(Pipe { drained, arrived: None })
    }

    /// Waits until the pipe is closed or the time is over, and returns whether it is closed.
    fn is_closed_by(&mut self, until: Instant) -> bool {
        if self.arrived.is_none() {
            self.arrived = match self.drained.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(drained) => Some(drained),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => Some(Err(io::Error::other("its reader is gone"))),
            };
        }
        self.arrived.is_some()
    }

    fn wait(mut self, until: Instant) -> Option<io::Result<Drained>> {
        self.is_closed_by(until);
        self.arrived
    }
}

/// A child and its group; killed and waited for in any case.
struct Group(Child);

impl Group {
    /// Waits until the child has ended, without reaping it, so that its process id stays its own. If it must not go on, kills it and
    /// returns the outcome.
    fn watch(
        &mut self,
        request: &RunRequest<'_>,
        start: Instant,
        stdout: &mut Pipe,
        stderr: &mut Pipe,
    ) -> io::Result<Option<RunOutcome>> {
        loop {
            let now = Instant::now();
            let look_up = now + LOOK_UP;
            // Both pipes close when it ends, so there is no need to ask for it all the time.
            if stdout.is_closed_by(look_up) && stderr.is_closed_by(look_up) {
                thread::sleep(Duration::from_micros(200));
            }
            if child::has_ended(&mut self.0)? {
                return Ok(None);
            }
            if request.stop.load(Ordering::Relaxed) {
                child::end(&mut self.0)?;
                return Ok(Some(RunOutcome::Interrupted));
            }
            if self.is_over(start.elapsed(), request.limit) {
                child::end(&mut self.0)?;
                return Ok(Some(RunOutcome::TimedOut { limit: request.limit }));
            }
        }
    }

    /// Whether its time is over. On a machine that is busy with other processes it has had less than the clock shows.
    fn is_over(&self, elapsed: Duration, limit: Duration) -> bool {
        elapsed >= limit
            && (elapsed >= limit.saturating_mul(PATIENCE) || cpu::of(self.0.id()).is_none_or(|used| used >= limit))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // A child that was already reaped is not killed again.
        if !matches!(self.0.try_wait(), Ok(Some(_))) {
            child::end(&mut self.0).ok();
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use crate::process::Runs;

    fn sh(script: &str, limit: Duration, stop: &AtomicBool) -> Result<RunOutcome, RunError> {
        let temp = tempfile::tempdir().expect("a directory");
        let runs = Runs::open(temp.path()).expect("runs");
        let dir = runs.make().expect("a directory");
        let (program, args, variables) = (Path::new("/bin/sh"), ["-c", script], [("TF_X", "y")]);
        run(&RunRequest { program, dir: &dir, args: &args, variables: &variables, limit, stop })
    }

    fn finished(script: &str) -> Finished {
        match sh(script, Duration::from_secs(20), &AtomicBool::new(false)) {
            Ok(RunOutcome::Finished(finished)) => finished,
            other => panic!("expected an end, found {other:?}"),
        }
    }

    #[test]
    fn the_output_of_a_program_is_kept() {
        let ended = finished("echo out; echo err >&2; exit 3");
        assert_eq!((ended.exit, &ended.stdout[..], &ended.stderr[..]), (3, &b"out\n"[..], &b"err\n"[..]));
    }

    #[test]
    fn the_environment_holds_the_given_variables_and_no_more() {
        let ended = finished(
            "env | cut -d= -f1 | grep -vx -e PWD -e SHLVL -e _ -e OLDPWD | sort; test -f \"$TF_CLI_CONFIG_FILE\"",
        );
        let text = String::from_utf8(ended.stdout).expect("text");
        let names: Vec<&str> = text.lines().collect();
        assert_eq!(names, ["CHECKPOINT_DISABLE", "GOGC", "PATH", "TF_CLI_CONFIG_FILE", "TF_IN_AUTOMATION", "TF_X"]);
        assert_eq!(ended.exit, 0);
    }

    #[test]
    fn neither_pipe_blocks_a_program_and_standard_error_is_bounded() {
        let ended = finished("head -c 3000000 /dev/zero >&2; head -c 3000000 /dev/zero");
        assert_eq!((ended.stdout.len(), ended.stderr.len()), (3_000_000, MAX_STDERR));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn processor_time_is_measured() {
        let ended = finished("i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done");
        assert!(ended.cpu.expect("measured") >= Duration::from_millis(20), "{:?}", ended.cpu);
    }

    #[test]
    fn a_program_over_its_time_is_killed_with_all_it_started() {
        let start = Instant::now();
        let ended = sh("sleep 60 & sleep 60; :", Duration::from_millis(200), &AtomicBool::new(false));
        assert!(matches!(ended, Ok(RunOutcome::TimedOut { .. })), "{ended:?}");
        assert!(start.elapsed() < Duration::from_secs(10));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_processors_time_counts_and_not_the_clocks() {
        let limit = Duration::from_millis(100);
        let idle = sh("sleep 0.3", limit, &AtomicBool::new(false));
        assert!(matches!(idle, Ok(RunOutcome::Finished(_))), "{idle:?}");
        let busy = sh("while :; do :; done", limit, &AtomicBool::new(false));
        assert!(matches!(busy, Ok(RunOutcome::TimedOut { .. })), "{busy:?}");
    }

    #[test]
    fn a_process_left_behind_does_not_hold_the_output() {
        let ended = finished("sleep 60 & exit 4");
        assert_eq!(ended.exit, 4);
        assert!(ended.elapsed < Duration::from_secs(10));
    }

    #[test]
    fn an_interrupt_ends_it() {
        let ended = sh("sleep 60", Duration::from_secs(60), &AtomicBool::new(true));
        assert!(matches!(ended, Ok(RunOutcome::Interrupted)), "{ended:?}");
    }

    #[test]
    fn a_signal_is_a_crash_and_a_program_that_is_not_there_an_error() {
        let ended = sh("kill -9 $$", Duration::from_secs(20), &AtomicBool::new(false));
        assert!(matches!(ended, Ok(RunOutcome::Crashed(_))), "{ended:?}");
        let ended = sh(
            "printf 'panic: x\\ngoroutine 1 [running]:\\na.b(0x1)\\n' >&2; exit 2",
            Duration::from_secs(20),
            &AtomicBool::new(false),
        );
        assert!(matches!(ended, Ok(RunOutcome::Crashed(Crash { site, message })) if site == "a.b" && message == "x"));
        let temp = tempfile::tempdir().expect("a directory");
        let runs = Runs::open(temp.path()).expect("runs");
        let (dir, stop) = (runs.make().expect("a directory"), AtomicBool::new(false));
        let program = Path::new("/nowhere/terraform");
        let request = RunRequest { program, dir: &dir, args: &[], variables: &[], limit: LOOK_UP, stop: &stop };
        assert!(matches!(run(&request), Err(RunError::Start { .. })));
    }
}
