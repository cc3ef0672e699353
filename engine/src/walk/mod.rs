//! Walks put to an engine, many in one run of the binary.
//!
//! The walks that can share a run (same mode, same options of the command) are written into one directory. Nobody spoils it for
//! the others: a run that comes to nothing is divided until what spoiled it is alone, and that is its answer ([`settle`]).

mod apply;
mod at_once;
mod directory;
mod expressions;
mod outcome;
mod plan;
mod runner;
mod settle;
mod show;
mod states;
mod told;

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

/// How an engine is driven.
#[derive(Clone, Copy, Debug)]
pub struct EngineOptions {
    /// What one run may take, beside [`EngineOptions::limit_each`].
    pub limit: Duration,
    /// What it may take for each walk in it.
    pub limit_each: Duration,
    /// Plan walks in one run at most. More are hardly faster.
    pub plans: usize,
    /// Apply walks in one run at most: engines write the whole state after each.
    pub applies: usize,
    /// Set from outside when all is to end.
    pub stop: &'static AtomicBool,
}

/// Nobody ends it.
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

/// Why an engine cannot be driven.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// There is no binary, or it is none.
    #[error(transparent)]
    Binary(#[from] BinaryError),
    /// There is no place to work in.
    #[error(transparent)]
    Runs(#[from] RunsError),
    /// It cannot be answered.
    #[error(transparent)]
    Server(#[from] ServerError),
    /// It cannot be run.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A file of a run cannot be written or read.
    #[error("cannot {what} {name}: {problem}")]
    File {
        /// What was tried.
        what: &'static str,
        /// The file, in the directory of the run.
        name: &'static str,
        /// Why not.
        problem: String,
    },
    /// It asked for what nobody serves, or what cannot be read.
    #[error("a call of the engine has no answer: {0}")]
    Call(String),
}

/// What an engine did so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Runs of the binary.
    pub runs: u64,
    /// The walks in them: one that is in several runs counts in each.
    pub asked: u64,
    /// Their processor time, where the system tells.
    pub cpu: Duration,
}

/// A binary and what it needs to be asked.
#[derive(Debug)]
pub struct Engine {
    runner: Runner,
}

impl Engine {
    /// Makes ready to drive a binary.
    ///
    /// # Errors
    /// No threads, sockets or directories.
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
            gallery: None,
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

    /// What was done so far.
    pub fn effort(&self) -> Effort {
        self.runner.effort
    }

    /// From now on every plan file of a run, those that it makes and those that it is given, is shown by the engine as well, and
    /// kept here.
    pub fn show_plans(&mut self) -> Arc<Mutex<Vec<ShownPlan>>> {
        self.runner.gallery.get_or_insert_default().clone()
    }

    /// The plan walks of many instances; an answer for each, in their order.
    ///
    /// # Errors
    /// An engine that cannot be driven: none of the walks has an answer.
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
