//! Apply walks: one `apply` of the binary, with a plan file that is written here.

use planfuzz_core::address::ResourceKind;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{Applied, ApplyRequest, Presence};
use planfuzz_core::plans::file::{
    Backend, CheckKind, CheckObject, CheckResult, CheckStatus, ConfigFile, EngineFields, FileChange, Module,
    PlanDocument, PlanFile, Values,
};
use planfuzz_core::plans::{Action, Mode, ResourceInstanceChange};
use planfuzz_core::schema::Schema;
use planfuzz_core::state::InstanceState;
use planfuzz_core::state::file::Snapshot;

use super::EngineError;
use super::directory::{self, PLAN, STATE};
use super::outcome::{Reported, answered, asked, has_error, is_as_meant, reported};
use super::runner::Runner;
use super::settle::{Attempt, End, Walk, WalkInRun};
use super::states::{Written, saved, snapshot};
use crate::helper::Helper;
use crate::job::LeftOut;
use crate::workdir::{ConfigurationFiles, File, Names, apply_files, assemble};

/// Any time is valid.
const TIMESTAMP: &str = "2025-01-02T03:04:05Z";

impl Walk for ApplyRequest {
    type Answer = Applied;
    /// Whether it is read in a check: after everything else, and not at all if anything else fails.
    type Run = bool;

    fn run(&self) -> bool {
        matches!(&self.presence, Presence::Configured(configured) if configured.in_check)
    }

    fn most(runner: &Runner) -> usize {
        runner.options.applies
    }

    fn configuration_files(&self, names: Names, schema: &Schema) -> Result<ConfigurationFiles, LeftOut> {
        apply_files(names, schema, self)
    }

    fn stored(&self) -> (ResourceKind, &InstanceState) {
        (self.kind, &self.state)
    }

    fn presence(&self) -> &Presence {
        &self.presence
    }

    fn attempt(
        runner: &mut Runner,
        in_check: bool,
        walks: &[WalkInRun<'_, ApplyRequest>],
    ) -> Result<Attempt<Applied>, EngineError> {
        let dir = runner.runs.make()?;
        let version = runner.binary.version().number();
        let state = snapshot(walks, &version, runner.dialect)?;
        directory::write(&dir, STATE, state.to_compact().as_bytes())?;
        let files = assemble(walks.iter().map(|walk| &walk.configuration_files));
        let (file, unplannable) = plan_file(runner.dialect, version, walks, (&files, state));
        let unwritable = |problem: String| EngineError::File { what: "write", name: PLAN, problem };
        let bytes = file.write().map_err(|problem| unwritable(problem.to_string()))?;
        directory::write(&dir, PLAN, &bytes)?;
        runner.show(&dir, &bytes, true, walks)?;
        let args = ["apply", "-input=false", "-json", "-lock=false", PLAN];
        let Reported { logs, of_walk } = match reported(runner, (&dir, &files), &args, walks)? {
            Ok(reported) => reported,
            Err(attempt) => return Ok(attempt),
        };
        let Some(saved) = saved(&dir, walks)? else { return Ok(Attempt::Unclear) };
        let written = Written::of(&saved);
        let has_failed = of_walk.iter().any(has_error) && walks.len() > 1;
        let mut ends = Vec::with_capacity(walks.len());
        for (index, ((walk, log), found)) in walks.iter().zip(&logs).zip(of_walk).enumerate() {
            if let Some((_, reason)) = unplannable.iter().find(|(at, _)| *at == index) {
                ends.push(End::LeftOut(*reason));
                continue;
            }
            let (exchanges, diagnostics) = match asked(log).and_then(|exchanges| Ok((exchanges, found?))) {
                Ok(heard) => heard,
                Err(reason) => {
                    ends.push(End::LeftOut(reason));
                    continue;
                }
            };
            if in_check && has_failed && exchanges.is_empty() {
                ends.push(End::Again);
                continue;
            }
            if is_made_twice(walk.request) {
                ends.push(End::LeftOut(LeftOut::Unreadable("a change that is made twice at once")));
                continue;
            }
            let state = written.instance(walk, &exchanges, &walk.request.options.fresh_key);
            let Ok(state) = state else {
                ends.push(End::LeftOut(LeftOut::Unreadable("a stored object")));
                continue;
            };
            let is_as_meant = is_as_meant(&walk.request.presence, &exchanges, false);
            ends.push(answered(Applied { state, diagnostics }, exchanges, is_as_meant));
        }
        Ok(Attempt::Each(ends))
    }
}

/// Whether the engine makes the change of the current object twice (LD46). It crashes on that, unless both end with an error before.
fn is_made_twice(request: &ApplyRequest) -> bool {
    let Presence::Configured(configured) = &request.presence else { return false };
    let is_gone = |change: &ResourceInstanceChange| change.deposed.is_some() && change.change.action == Action::NoOp;
    let has_conditions = !configured.preconditions.is_empty() || !configured.postconditions.is_empty();
    has_conditions && request.changes.iter().any(is_gone)
}

/// The plan of a run, and the walks whose changes have no form in a plan file.
fn plan_file(
    dialect: Dialect,
    version: String,
    walks: &[WalkInRun<'_, ApplyRequest>],
    (files, state): (&[File], Snapshot),
) -> (PlanFile, Vec<(usize, LeftOut)>) {
    let mut changes = Vec::new();
    let mut unplannable = Vec::new();
    for (index, walk) in walks.iter().enumerate() {
        match changes_of(walk, dialect) {
            Ok(own) => changes.extend(own),
            Err(reason) => unplannable.push((index, LeftOut::Unplannable(reason))),
        }
    }
    let (config, manifest) = configuration(files);
    let plan = PlanDocument {
        mode: Mode::Normal,
        terraform_version: version,
        timestamp: TIMESTAMP.to_owned(),
        errored: false,
        variables: Default::default(),
        changes,
        drift: Vec::new(),
        outputs: Vec::new(),
        targets: Vec::new(),
        force_replace: Vec::new(),
        backend: Backend::local(),
        relevant_attributes: Vec::new(),
        checks: walks.iter().filter_map(checks).collect(),
        of_engine: EngineFields::applyable(dialect.engine()),
    };
    let file =
        PlanFile { plan, previous: state.clone(), state, config, manifest, locks: Some(Vec::new()), schemas: None };
    (file, unplannable)
}

/// The changes of one walk, and a no-op for each stored resource beside it.
fn changes_of(walk: &WalkInRun<'_, ApplyRequest>, dialect: Dialect) -> Result<Vec<FileChange>, &'static str> {
    const UNCARRIED: &str = "a value that the wire cannot carry";
    let ConfigurationFiles { names, address, helpers, .. } = &walk.configuration_files;
    let provider = format!("provider[\"{}\"]", names.provider_address.source());
    let mut changes = Vec::new();
    for change in &walk.request.changes {
        let written = FileChange::encode(address, &provider, change, &walk.ty).map_err(|_| UNCARRIED)?;
        // The engine crashes on values in a plan that it cannot read (V86).
        written.decode(&walk.ty).map_err(|_| "a value that cannot be read back")?;
        changes.push(written);
    }
    for (number, helper) in helpers.iter().enumerate() {
        let Helper { kind, schema, stored: Some(stored), .. } = helper else { continue };
        let bytes =
            planfuzz_core::msgpack::encode(stored.view(), &schema.implied_type(dialect)).map_err(|_| UNCARRIED)?;
        changes.push(FileChange {
            addr: names.helper(*kind, number),
            prev_run_addr: None,
            deposed: None,
            provider: provider.clone(),
            values: Values::new(Action::NoOp, Some(bytes.clone()), Some(bytes)),
            private: Default::default(),
            required_replace: Vec::new(),
            reason: Default::default(),
        });
    }
    Ok(changes)
}

/// The state of a walk's conditions: unknown so far. An engine that finds conditions and no such record crashes (PF18).
fn checks(walk: &WalkInRun<'_, ApplyRequest>) -> Option<CheckResult> {
    let Presence::Configured(configured) = &walk.request.presence else { return None };
    let (kind, address) = match walk.configuration_files.check() {
        Some(check) => (CheckKind::Check, check),
        None if configured.preconditions.is_empty() && configured.postconditions.is_empty() => return None,
        None => (CheckKind::Resource, walk.configuration_files.address.clone()),
    };
    let status = CheckStatus::Unknown;
    let object = CheckObject { address: address.clone(), status, failures: Vec::new() };
    Some(CheckResult { kind, address, status, objects: vec![object] })
}

/// The configuration of a plan.
fn configuration(files: &[File]) -> (Vec<ConfigFile>, Vec<Module>) {
    let mut manifest = vec![Module::root()];
    let mut config = Vec::new();
    for file in files {
        // Files that an `init` would leave are no configuration.
        if file.path.starts_with('.') {
            continue;
        }
        let (module, name) = file.path.rsplit_once('/').unwrap_or(("", file.path));
        if !module.is_empty() {
            manifest.push(Module {
                key: module.to_owned(),
                source: Some(format!("./{module}")),
                version: None,
                dir: module.to_owned(),
            });
        }
        let contents = file.content.to_compact().into_bytes();
        config.push(ConfigFile { module: module.to_owned(), name: name.to_owned(), contents });
    }
    (config, manifest)
}
