//! Runs a step on the binary: plan, and apply of the saved plan; the result is a recorded run.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use planfuzz_core::json::{Json, JsonError};
use planfuzz_core::plans::Mode;
use planfuzz_engine::process::{Binary, Crash, Finished, RunDir, RunError, RunOutcome, RunRequest, Runs, run};
use planfuzz_workspace::run::{Exchange, Recorded};
use planfuzz_workspace::{Command, Options, Saved, Workspace};

use crate::served::Served;
use crate::server::{Seen, Server};
use crate::{directory, want};

/// A step to run on the binary.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The configuration, as files.
    pub files: BTreeMap<String, Json>,
    /// The state, as a state file; null if there is none.
    pub state: Json,
    /// The same step in the form a planner takes.
    pub workspace: Workspace,
    /// The command.
    pub command: Command,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum LiveError {
    /// The binary could not be run.
    #[error("{0}")]
    Run(#[from] RunError),
    /// Files could not be written or read.
    #[error("{0}")]
    Files(#[from] io::Error),
    /// A directory could not be made.
    #[error("{0}")]
    Directory(#[from] planfuzz_engine::process::RunsError),
    /// The binary crashed.
    #[error("{0}")]
    Crashed(Crash),
    /// The binary was killed, or wrote something that cannot be read.
    #[error("{what}: {detail}")]
    Strange {
        /// What happened, the same text for all such runs.
        what: &'static str,
        /// More about it.
        detail: String,
    },
}

impl LiveError {
    /// Whether the next run would fail alike, whatever it is asked. Files and arguments of one question may be what the system refuses.
    #[must_use]
    pub fn is_lasting(&self) -> bool {
        use io::ErrorKind::{PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
        match self {
            LiveError::Run(RunError::Start { program, .. }) => !program.is_file(),
            LiveError::Run(_) => false,
            LiveError::Files(problem) => {
                matches!(problem.kind(), PermissionDenied | QuotaExceeded | ReadOnlyFilesystem | StorageFull)
            }
            LiveError::Directory(_) => true,
            LiveError::Crashed(_) | LiveError::Strange { .. } => false,
        }
    }
}

/// What stops if nobody else stops it.
static NEVER: AtomicBool = AtomicBool::new(false);

/// What a run is that the suite ended.
const INTERRUPTED: &str = "was interrupted";

/// A binary, and the server of the providers that it reattaches to.
#[derive(Debug)]
pub struct Live {
    binary: Binary,
    runs: Runs,
    server: Server,
    reattach: String,
    /// The directory of the sockets.
    _sockets: RunDir,
    /// Set when the suite should stop: a run under way ends, and none begins.
    pub stop: &'static AtomicBool,
    /// The longest delay of an answer.
    pub delays: Duration,
    /// Attributes of stored objects that are upgraded late, so that their visits come after all visits that do not wait for them.
    pub late: Vec<Json>,
    /// How many runs of the binary were made.
    pub runs_made: u64,
    /// The calls of all runs.
    pub calls_seen: u64,
    /// Why the binary cannot be asked any more, if it cannot: it does not start, or the system gives it no directory or files.
    pub trouble: Option<String>,
    /// The processor time of all runs.
    pub engine_time: Duration,
    /// The part of it that plans took.
    pub plan_time: Duration,
}

/// The output of a step.
struct ObservedStep {
    plan: Json,
    diagnostics: Vec<(&'static str, Json)>,
    exit: Vec<(&'static str, Json)>,
    exchanges: [Vec<Exchange>; 2],
    /// How many providers got a stop call, if a signal was sent.
    stops: Option<usize>,
    /// The state file afterwards, if something may have been written.
    after: Option<Vec<u8>>,
}

/// The limit of a run's processor time.
const LIMIT: Duration = Duration::from_secs(60);

/// How much of an engine's output an error quotes, in characters.
const MAX_DETAIL: usize = 1000;

impl Live {
    /// Prepares a binary, for providers of these whole addresses.
    ///
    /// # Errors
    /// The system gives no directories, threads or sockets.
    pub fn new(binary: Binary, runs: Runs, sources: &[&str]) -> Result<Live, LiveError> {
        let sockets = runs.make()?;
        let server = Server::start(sockets.path(), sources)?;
        let reattach = server.reattach();
        let (stop, delays) = (&NEVER, Duration::ZERO);
        let engine_time = Duration::ZERO;
        Ok(Live {
            binary,
            runs,
            server,
            reattach,
            _sockets: sockets,
            stop,
            delays,
            late: Vec::new(),
            runs_made: 0,
            calls_seen: 0,
            trouble: None,
            engine_time,
            plan_time: Duration::ZERO,
        })
    }

    /// Runs a step on the binary.
    ///
    /// # Errors
    /// The run gives no usable answer.
    pub fn ask(&mut self, id: &str, asked: &Asked, providers: Served) -> Result<Recorded, LiveError> {
        let recorded = self.recorded(id, asked, providers);
        if let Err(problem) = &recorded
            && problem.is_lasting()
        {
            self.trouble.get_or_insert(problem.to_string());
        }
        recorded
    }

    fn recorded(&mut self, id: &str, asked: &Asked, providers: Served) -> Result<Recorded, LiveError> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(LiveError::Strange { what: INTERRUPTED, detail: id.to_owned() });
        }
        let dir = self.runs.make()?;
        directory::write(dir.path(), &asked.files, Some(&asked.state).filter(|state| **state != Json::Null))?;
        self.server.serve(providers, self.delays);
        self.server.be_late(self.late.clone());
        let mut observed = match &asked.command {
            Command::Plan | Command::Apply | Command::ApplySaved(_) => self.planned(&dir, asked)?,
            Command::Refresh | Command::Import(_) => self.written(&dir, asked)?,
        };
        let before = &asked.state;
        let stored = before.member("serial").and_then(|serial| serial.expect_u64().ok()).unwrap_or(1);
        let (state, raised) = match observed.after.take() {
            None => (before.clone(), false),
            Some(bytes) => {
                let (state, serial) = want::state(&bytes, before).map_err(no_state)?;
                (state, *before == Json::Null || serial.is_some_and(|serial| serial > stored))
            }
        };
        let want = Json::object([
            ("plan", observed.plan),
            ("diagnostics", Json::object(observed.diagnostics)),
            ("state", state),
            ("raised", Json::Bool(raised)),
            ("exit", Json::object(observed.exit)),
        ]);
        self.calls_seen += observed.exchanges.iter().map(|calls| calls.len() as u64).sum::<u64>();
        let (mut workspace, state, command) = (asked.workspace.clone(), before.clone(), asked.command.clone());
        if observed.stops.is_none() {
            workspace.options.interrupt = None;
        }
        Ok(Recorded { id: id.to_owned(), workspace, command, exchanges: observed.exchanges, want, state })
    }

    /// Runs a plan, and the apply of its file.
    fn planned(&mut self, dir: &RunDir, asked: &Asked) -> Result<ObservedStep, LiveError> {
        let options = &asked.workspace.options;
        let mut args = vec!["plan", "-input=false", "-no-color", "-json", "-lock=false", "-detailed-exitcode"];
        args.push("-out=tfplan");
        let written = written_options(options);
        args.extend(written.iter().map(String::as_str));
        let before = self.engine_time;
        let planned = self.run(dir, &args)?;
        self.plan_time += self.engine_time - before;
        let plan_calls = self.exchanges(asked);
        let has_plan = dir.path().join("tfplan").exists();
        let plan = match has_plan {
            false => Json::Null,
            true => {
                let shown = self.run(dir, &["show", "-json", "tfplan"])?;
                self.server.take();
                match want::plan(&shown.stdout) {
                    Some(plan) => plan,
                    // G152: of a stored object whose type its provider lacks.
                    None if has_no_schema(&shown) => Recorded::unshown(),
                    None => return Err(strange("shows no plan", &shown)),
                }
            }
        };
        let mut observed = ObservedStep {
            plan,
            diagnostics: vec![("plan", diagnostics(&planned, asked)?)],
            exit: vec![("plan", Json::int(planned.exit))],
            exchanges: [plan_calls, Vec::new()],
            stops: None,
            after: None,
        };
        let saved = match &asked.command {
            // U05, U06: a saved plan lacks ephemeral variables, which an apply in memory has.
            Command::Apply if planned.exit == 2 => Saved::at_once(options),
            Command::ApplySaved(saved) if has_plan => saved.clone(),
            _ => return Ok(observed),
        };
        directory::meanwhile(dir.path(), saved.state)?;
        let found = directory::state(dir.path())?;
        self.server.begin_apply();
        if let Some(interrupt) = &options.interrupt {
            self.server.interrupt_after(interrupt.finished.len());
        }
        let parallelism = format!("-parallelism={}", options.parallelism);
        let mut args = vec!["apply", "-input=false", "-no-color", "-json", "-lock=false", &parallelism];
        let variables: Vec<String> =
            saved.variables.iter().map(|(name, value)| format!("-var={name}={value}")).collect();
        args.extend(variables.iter().map(String::as_str));
        args.push("tfplan");
        let applied = self.run(dir, &args)?;
        observed.stops = self.server.take_stops();
        observed.exchanges[1] = self.exchanges(asked);
        observed.exit.push(("apply", Json::int(applied.exit)));
        observed.diagnostics.push(("apply", diagnostics(&applied, asked)?));
        observed.after = directory::state(dir.path())?.filter(|bytes| found.as_ref() != Some(bytes));
        Ok(observed)
    }

    /// Runs a command that writes a state and no plan.
    fn written(&mut self, dir: &RunDir, asked: &Asked) -> Result<ObservedStep, LiveError> {
        let options = written_options(&asked.workspace.options);
        let mut args = vec!["refresh", "-input=false", "-no-color", "-lock=false"];
        args.extend(options.iter().map(String::as_str));
        let (ended, diagnostics) = match &asked.command {
            Command::Import(import) => {
                args[0] = "import";
                // Otherwise messages contain the whole path of the root module's directory.
                args.push("-config=.");
                args.extend([import.to.as_str(), import.id.as_str()]);
                let ended = self.run(dir, &args)?;
                let diagnostics = want::plain_diagnostics(&ended.stdout, &ended.stderr);
                (ended, diagnostics)
            }
            _ => {
                args.insert(1, "-json");
                let ended = self.run(dir, &args)?;
                let diagnostics = diagnostics(&ended, asked)?;
                (ended, diagnostics)
            }
        };
        Ok(ObservedStep {
            plan: Json::Null,
            diagnostics: vec![("plan", diagnostics)],
            exit: vec![("plan", Json::int(ended.exit))],
            exchanges: [self.exchanges(asked), Vec::new()],
            stops: None,
            after: directory::state(dir.path())?,
        })
    }

    fn exchanges(&self, asked: &Asked) -> Vec<Exchange> {
        let (schemas, dialect) = (&asked.workspace.schemas, asked.workspace.dialect);
        let one = |seen: &Seen| Exchange::of(&seen.call, &seen.answer, (seen.start, seen.finish), schemas, dialect);
        self.server.take().iter().map(one).collect()
    }

    fn run(&mut self, dir: &RunDir, args: &[&str]) -> Result<Finished, LiveError> {
        let variables = [("TF_REATTACH_PROVIDERS", self.reattach.as_str())];
        let (program, stop) = (self.binary.path(), self.stop);
        let ended = run(&RunRequest { program, dir, args, variables: &variables, limit: LIMIT, stop })?;
        self.runs_made += 1;
        match ended {
            RunOutcome::Finished(finished) => {
                self.engine_time += finished.cpu.unwrap_or(finished.elapsed);
                Ok(finished)
            }
            RunOutcome::Crashed(crash) => Err(LiveError::Crashed(crash)),
            RunOutcome::TimedOut { .. } => Err(LiveError::Strange { what: "timed out", detail: args.join(" ") }),
            RunOutcome::Interrupted => Err(LiveError::Strange { what: INTERRUPTED, detail: args.join(" ") }),
        }
    }
}

/// The diagnostics of a command with `-json`.
fn diagnostics(finished: &Finished, asked: &Asked) -> Result<Json, LiveError> {
    want::diagnostics(&finished.stdout, &asked.state).map_err(|line| {
        let detail = line.chars().take(MAX_DETAIL).collect();
        LiveError::Strange { what: "printed a line that is no message", detail }
    })
}

fn no_state(problem: JsonError) -> LiveError {
    LiveError::Strange { what: "wrote a state that is no JSON object", detail: problem.to_string() }
}

/// Whether an engine cannot show a plan as its state has an object of a type without schema.
fn has_no_schema(shown: &Finished) -> bool {
    String::from_utf8_lossy(&shown.stderr).contains("no schema found for")
}

fn strange(what: &'static str, finished: &Finished) -> LiveError {
    let detail = String::from_utf8_lossy(&finished.stderr).chars().take(MAX_DETAIL).collect();
    LiveError::Strange { what, detail }
}

/// Options as they are written on a command line.
fn written_options(options: &Options) -> Vec<String> {
    let mut written = vec![format!("-parallelism={}", options.parallelism)];
    match options.mode {
        Mode::Normal => {}
        Mode::Destroy => written.push("-destroy".into()),
        Mode::RefreshOnly => written.push("-refresh-only".into()),
    }
    if !options.refresh {
        written.push("-refresh=false".into());
    }
    written.extend(options.targets.iter().map(|address| format!("-target={address}")));
    written.extend(options.excludes.iter().map(|address| format!("-exclude={address}")));
    written.extend(options.replace.iter().map(|address| format!("-replace={address}")));
    written.extend(options.variables.iter().map(|(name, value)| format!("-var={name}={value}")));
    written
}
