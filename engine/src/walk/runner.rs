//! The binary, the server and the directories of an engine's runs.

use std::time::Duration;

use planfuzz_core::dialect::Dialect;

use super::settle::{Walk, WalkInRun};
use super::show::ShownPlans;
use super::{Effort, EngineError, EngineOptions};
use crate::process::{Binary, RunDir, RunOutcome, RunRequest, Runs, run};
use crate::server::{Finished, Log, Served, ServedTypes, Server};

/// A binary, the server that answers it, and the places where it works.
#[derive(Debug)]
pub(super) struct Runner {
    pub(super) binary: Binary,
    pub(super) dialect: Dialect,
    pub(super) runs: Runs,
    /// Where the server's sockets are.
    #[allow(dead_code, reason = "it is there as long as this is")]
    pub(super) home: RunDir,
    pub(super) server: Server,
    pub(super) options: EngineOptions,
    pub(super) effort: Effort,
    /// Collects shown plan files, if they are wanted.
    pub(super) shown_plans: Option<ShownPlans>,
}

impl Runner {
    /// Runs the binary in a directory and answers its calls; returns how it ended and its calls.
    pub(super) fn run<R: Walk>(
        &mut self,
        dir: &RunDir,
        args: &[&str],
        walks: &[WalkInRun<'_, R>],
    ) -> Result<(RunOutcome, Finished), EngineError> {
        self.server.serve(ServedTypes { dialect: self.dialect, served: walks.iter().map(served).collect() })?;
        let reattach = self.server.reattach();
        let count = u32::try_from(walks.len()).unwrap_or(u32::MAX);
        let request = RunRequest {
            program: self.binary.path(),
            dir,
            args,
            variables: &[("TF_REATTACH_PROVIDERS", &reattach)],
            limit: self.options.limit + self.options.limit_each.saturating_mul(count),
            stop: self.options.stop,
        };
        let ended = run(&request);
        let asked = self.server.finish();
        if asked.logs.iter().any(Log::is_hung) {
            // The server has lost a thread.
            let home = self.runs.make()?;
            self.server = Server::start(home.path())?;
            self.home = home;
        }
        let ended = ended?;
        self.effort.runs += 1;
        self.effort.asked += walks.len() as u64;
        if let RunOutcome::Finished(finished) = &ended {
            self.effort.cpu += finished.cpu.unwrap_or(Duration::ZERO);
        }
        match asked.strays.first() {
            Some(stray) => Err(EngineError::Call(stray.to_string())),
            None => Ok((ended, asked)),
        }
    }
}

fn served<R: Walk>(walk: &WalkInRun<'_, R>) -> Served {
    let (kind, state) = walk.request.stored();
    Served {
        type_name: walk.configuration_files.names.type_name(),
        provider_address: walk.configuration_files.names.provider_address,
        kind,
        schema: walk.schema.clone(),
        provider: walk.provider.clone(),
        state: state.clone(),
        helpers: walk.configuration_files.helpers.clone(),
        validates_block: walk.configuration_files.validates_block,
    }
}
