//! Runs walks with an engine, many in one run of the binary.
//!
//! The walks that can share a run (same mode, same options of the command) are written into one directory. A walk cannot spoil the run for
//! the others: a failed run is divided until the walk that spoiled it is alone, and the failure is its outcome ([`settle`]).

mod apply;
mod at_once;
mod diagnostics;
mod directory;
mod expressions;
mod outcome;
mod plan;
mod runner;
mod settle;
mod show;
mod states;

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{Applied, ApplyRequest, Plan, PlanRequest, Provider};

use crate::job::{Job, WalkOutcome};
use crate::process::{Binary, BinaryError, RunError, Runs, RunsError, Version};
use crate::server::{Server, ServerError};
pub use at_once::AtOnce;
pub use expressions::{NamedValue, Question, Reply};
use runner::Runner;
pub use show::{ShownPlan, ShownSchema};

/// The limits of an engine's runs.
#[derive(Clone, Copy, Debug)]
pub struct EngineOptions {
    /// The time limit of one run, without [`EngineOptions::limit_each`].
    pub limit: Duration,
    /// The additional time for each walk in it.
    pub limit_each: Duration,
    /// The most plan walks in one run. More are hardly faster.
    pub plans: usize,
    /// The most apply walks in one run: engines write the whole state after each.
    pub applies: usize,
    /// Set from outside when everything should stop.
    pub stop: &'static AtomicBool,
}

/// The default, which is never set.
static NEVER: AtomicBool = AtomicBool::new(false);

impl Default for EngineOptions {
    fn default() -> EngineOptions {
        EngineOptions {
            limit: Duration::from_secs(20),
            limit_each: Duration::from_millis(200),
            plans: 200,
            applies: 40,
            stop: &NEVER,
        }
    }
}

/// Why an engine cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// There is no binary, or it is not an engine.
    #[error(transparent)]
    Binary(#[from] BinaryError),
    /// There is no directory to work in.
    #[error(transparent)]
    Runs(#[from] RunsError),
    /// The server of its providers failed.
    #[error(transparent)]
    Server(#[from] ServerError),
    /// The run failed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A file of a run cannot be written or read.
    #[error("cannot {what} {name}: {problem}")]
    File {
        /// The operation.
        what: &'static str,
        /// The file, in the directory of the run.
        name: &'static str,
        /// The reason.
        problem: String,
    },
    /// It made a call about a type that is not served, or one that cannot be read.
    #[error("a call of the engine has no answer: {0}")]
    Call(String),
}

/// The work of an engine so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Runs of the binary.
    pub runs: u64,
    /// The walks in them; a walk in several runs counts in each.
    pub asked: u64,
    /// Their processor time, where the system reports it.
    pub cpu: Duration,
}

/// A binary and everything that its runs need.
#[derive(Debug)]
pub struct Engine {
    runner: Runner,
}

impl Engine {
    /// Prepares the runs of a binary.
    ///
    /// # Errors
    /// Threads, sockets or directories cannot be created.
    pub fn start(binary: Binary, runs: &Runs, options: EngineOptions) -> Result<Engine, EngineError> {
        let home = runs.make()?;
        let server = Server::start(home.path())?;
        let dialect = binary.dialect().dialect;
        let runner = Runner {
            binary,
            dialect,
            runs: runs.clone(),
            home,
            server,
            options,
            effort: Effort::default(),
            shown_plans: None,
        };
        Ok(Engine { runner })
    }

    /// The dialect that the binary follows.
    pub fn dialect(&self) -> Dialect {
        self.runner.dialect
    }

    /// Its version.
    pub fn version(&self) -> &Version {
        self.runner.binary.version()
    }

    /// The work so far.
    pub fn effort(&self) -> Effort {
        self.runner.effort
    }

    /// From now on the engine also shows every plan file of a run, whether it made the file or was given it, and the result is collected
    /// here.
    pub fn show_plans(&mut self) -> Arc<Mutex<Vec<ShownPlan>>> {
        self.runner.shown_plans.get_or_insert_default().clone()
    }

    /// The plan walks of many instances; an answer for each, in their order.
    ///
    /// # Errors
    /// The engine cannot be run: none of the walks has an answer.
    pub fn plan<P: Provider + Clone + Send + 'static>(
        &mut self,
        jobs: &[Job<PlanRequest, P>],
    ) -> Result<Vec<WalkOutcome<Plan, P>>, EngineError> {
        settle::all(&mut self.runner, jobs)
    }

    /// The apply walks of many instances; an answer for each, in their order.
    ///
    /// # Errors
    /// As [`Engine::plan`].
    pub fn apply<P: Provider + Clone + Send + 'static>(
        &mut self,
        jobs: &[Job<ApplyRequest, P>],
    ) -> Result<Vec<WalkOutcome<Applied, P>>, EngineError> {
        settle::all(&mut self.runner, jobs)
    }

    /// The apply walks of many instances, each planned once more in the run that applies it; an answer for each, in their order.
    /// The providers are as they were before the plan.
    ///
    /// # Errors
    /// As [`Engine::plan`].
    pub fn apply_at_once<P: Provider + Clone + Send + 'static>(
        &mut self,
        jobs: &[Job<AtOnce, P>],
    ) -> Result<Vec<WalkOutcome<Applied, P>>, EngineError> {
        settle::all(&mut self.runner, jobs)
    }
}
