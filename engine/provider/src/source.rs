//! The source of the provider: a binary with its arguments and variables, or a provider that already runs.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use planfuzz_core::value::Value;
use planfuzz_engine::plugin::{Launch, LaunchError, Limits, Plugin, ProviderSchema, Reattach};
use planfuzz_engine::process::{Allowance, Runs, place};

use crate::args::ProviderArgs;
use crate::ending::{ProviderError, file_error};

/// The source of the provider.
pub struct Source<'a> {
    args: &'a ProviderArgs,
    launch: Option<(Launch, Runs)>,
    reattach: Option<Reattach>,
    limits: Limits,
    stop: &'static AtomicBool,
}

impl<'a> Source<'a> {
    /// The source that the options name; starts nothing yet.
    ///
    /// # Errors
    /// The program or a variable does not exist.
    pub fn new(args: &'a ProviderArgs, stop: &'static AtomicBool) -> Result<Source<'a>, ProviderError> {
        let default = Limits::default();
        let allowance = Allowance { memory: args.memory.saturating_mul(1 << 20), ..default.allowance };
        let limits = Limits { call: args.call_time, allowance, ..default };
        if let Some(text) = &args.reattach {
            let reattach = Some(Reattach::parse(text)?);
            return Ok(Source { args, launch: None, reattach, limits, stop });
        }
        let program = args.program.as_deref().unwrap_or(Path::new(""));
        fs::metadata(program).map_err(|problem| file_error(program, problem))?;
        // The name is kept: a program may look at the name it was called by.
        let program = std::path::absolute(program).map_err(|problem| file_error(program, problem))?;
        let mut variables = Vec::new();
        for name in &args.env {
            let value = std::env::var(name)
                .map_err(|_| ProviderError::Input(format!("expected the variable {name} in the environment")))?;
            variables.push((name.clone(), value));
        }
        let launch = Launch { program, args: args.args.clone(), variables, limits, tls: !args.plain, stop };
        let runs = Runs::open(&place())?;
        Ok(Source { args, launch: Some((launch, runs)), reattach: None, limits, stop })
    }

    /// Starts or connects to a provider.
    ///
    /// # Errors
    /// The provider does not start.
    pub fn start(&self) -> Result<Plugin, LaunchError> {
        match (&self.launch, &self.reattach) {
            (Some((launch, runs)), _) => Plugin::launch(launch, runs),
            (None, Some(to)) => Plugin::reattach(to, self.limits, self.stop),
            (None, None) => unreachable!("a source is one of the two"),
        }
    }

    /// Configures a provider, unless the options exclude that.
    ///
    /// # Errors
    /// There is no answer, or the provider refuses the configuration.
    pub fn configure(&self, plugin: &mut Plugin, schema: &ProviderSchema, config: &Value) -> Result<(), ProviderError> {
        if self.args.unconfigured {
            return Ok(());
        }
        let result = plugin.configure(&schema.provider, config, self.args.dialect);
        let diagnostics = result.map_err(|problem| ProviderError::Call { what: "configuration", problem })?;
        match diagnostics.iter().find(|it| it.is_error()) {
            Some(error) => Err(ProviderError::Refused(format!("{}: {}", error.summary, error.detail))),
            None => Ok(()),
        }
    }
}
