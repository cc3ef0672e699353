//! Plan walks: one `plan` of the binary.

use std::collections::HashMap;

use planfuzz_core::address::ResourceKind;
use planfuzz_core::planner::{Diagnostic, Drift, Exchange, Plan, PlanRequest, Presence};
use planfuzz_core::plans::file::{FileChange, PlanFile};
use planfuzz_core::plans::{Mode, ResourceInstanceChange};
use planfuzz_core::schema::Schema;
use planfuzz_core::state::InstanceState;

use super::EngineError;
use super::directory::{self, PLAN, STATE};
use super::outcome::{Reported, answered, asked, has_error, is_as_meant, reported};
use super::runner::Runner;
use super::settle::{Attempt, End, Walk, WalkInRun};
use super::states::{Written, dummy_resource, snapshot};
use crate::job::LeftOut;
use crate::process::RunDir;
use crate::server::Log;
use crate::workdir::{ConfigurationFiles, File, Names, assemble, plan_files};

/// The option of a destroy plan.
const DESTROY: &str = "-destroy";

/// What walks must have in common to share a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PlanRun {
    mode: &'static str,
    skip_refresh: bool,
    /// Whether `-replace` names the instances. With several of these, an engine misses some of what `replace_triggered_by` fires for other
    /// instances, differently from run to run (docs/trophies.md): those walks are in runs of their own.
    replaces: bool,
}

impl PlanRun {
    /// The options of the command.
    pub(super) fn options<'a>(self) -> impl Iterator<Item = &'a str> {
        let refresh = self.skip_refresh.then_some("-refresh=false");
        refresh.into_iter().chain((!self.mode.is_empty()).then_some(self.mode))
    }

    /// Whether a refresh comes before the destruction: then an error in either ends the plan for all walks in the run (LD09), and the plan
    /// has the states and the drift of the second walk alone.
    fn is_destruction(self) -> bool {
        self.mode == DESTROY && !self.skip_refresh
    }
}

impl Walk for PlanRequest {
    type Answer = Plan;
    type Run = PlanRun;

    fn run(&self) -> PlanRun {
        let mode = match self.mode {
            Mode::Normal => "",
            Mode::Destroy => DESTROY,
            Mode::RefreshOnly => "-refresh-only",
        };
        PlanRun { mode, skip_refresh: self.options.skip_refresh, replaces: self.options.replace }
    }

    fn most(runner: &Runner) -> usize {
        runner.options.plans
    }

    fn configuration_files(&self, names: Names, schema: &Schema) -> Result<ConfigurationFiles, LeftOut> {
        plan_files(names, schema, self)
    }

    fn stored(&self) -> (ResourceKind, &InstanceState) {
        (self.kind, &self.state)
    }

    fn presence(&self) -> &Presence {
        &self.presence
    }

    fn attempt(
        runner: &mut Runner,
        run: PlanRun,
        walks: &[WalkInRun<'_, PlanRequest>],
    ) -> Result<Attempt<Plan>, EngineError> {
        let (dir, files) = laid_out(runner, walks)?;
        let mut args = vec!["plan", "-input=false", "-json", "-lock=false", "-out=plan.bin"];
        args.extend(run.options());
        args.extend(walks.iter().flat_map(|walk| walk.configuration_files.flags.iter().map(String::as_str)));
        let reported = match reported(runner, (&dir, &files), &args, walks)? {
            Ok(reported) => reported,
            Err(attempt) => return Ok(attempt),
        };
        let Some(bytes) = directory::read(&dir, PLAN)? else {
            return Ok(Attempt::Each(unplanned(walks, reported)));
        };
        runner.show(&dir, &bytes, false, walks)?;
        let unreadable = |problem: String| EngineError::File { what: "read", name: PLAN, problem };
        let file =
            PlanFile::read(&bytes, runner.dialect.engine()).map_err(|problem| unreadable(problem.to_string()))?;
        let read = Read::of(&file);
        // LD09: after an error in a destroy plan the engine keeps another previous state than it otherwise does, for all walks.
        let others_end = match reported.of_walk.iter().any(has_error) {
            true if run.is_destruction() => walks.len() > 1,
            _ => false,
        };
        let ends = walks.iter().zip(&reported.logs).zip(reported.of_walk);
        let ends = ends.map(|((walk, log), found)| match others_end && !has_error(&found) {
            true => End::Again,
            // An error of one walk does not affect the others.
            false => {
                read.end(walk, log, found).unwrap_or(End::LeftOut(LeftOut::Unreadable("a value that a plan holds")))
            }
        });
        Ok(Attempt::Each(ends.collect()))
    }
}

/// A directory in which the walks can be planned, and its configuration.
pub(super) fn laid_out<R: Walk>(
    runner: &Runner,
    walks: &[WalkInRun<'_, R>],
) -> Result<(RunDir, Vec<File>), EngineError> {
    let dir = runner.runs.make()?;
    let files = assemble(walks.iter().map(|walk| &walk.configuration_files));
    directory::write_config(&dir, &files)?;
    let version = runner.binary.version().number();
    let mut before = snapshot(walks, &version, runner.dialect)?;
    // LD09: an engine ignores the configuration if nothing at all is stored.
    before.resources.push(dummy_resource());
    directory::write(&dir, STATE, before.to_compact().as_bytes())?;
    Ok((dir, files))
}

/// The ends of the walks in a run without a plan: the static validation stopped it, or the refresh before a destruction. A walk with an
/// error is the cause, and the error is its answer; the others run again.
fn unplanned(walks: &[WalkInRun<'_, PlanRequest>], reported: Reported) -> Vec<End<Plan>> {
    let ends = walks.iter().zip(&reported.logs).zip(reported.of_walk).map(|((walk, log), found)| {
        let (exchanges, diagnostics) = match asked(log).and_then(|exchanges| Ok((exchanges, found?))) {
            Ok(heard) => heard,
            Err(reason) => return End::LeftOut(reason),
        };
        // A provider's error inside a check is a warning (L145), which does not stop the plan.
        if !diagnostics.iter().any(Diagnostic::is_error) {
            return End::Again;
        }
        let is_as_meant = is_as_meant(&walk.request.presence, &exchanges, true);
        answered(Plan { diagnostics, ..Plan::default() }, exchanges, is_as_meant)
    });
    ends.collect()
}

/// A plan file, indexed by address.
struct Read<'f> {
    changes: HashMap<&'f str, Vec<&'f FileChange>>,
    drift: HashMap<&'f str, &'f FileChange>,
    previous: Written<'f>,
    refreshed: Written<'f>,
}

impl<'f> Read<'f> {
    fn of(file: &'f PlanFile) -> Read<'f> {
        let mut changes: HashMap<&str, Vec<&FileChange>> = HashMap::new();
        for change in &file.plan.changes {
            changes.entry(&change.addr).or_default().push(change);
        }
        Read {
            changes,
            drift: file.plan.drift.iter().map(|change| (&*change.addr, change)).collect(),
            previous: Written::of(&file.previous),
            refreshed: Written::of(&file.state),
        }
    }

    /// The end of one walk.
    fn end(
        &self,
        walk: &WalkInRun<'_, PlanRequest>,
        log: &Log,
        found: Result<Vec<Diagnostic>, LeftOut>,
    ) -> Result<End<Plan>, String> {
        let (exchanges, diagnostics) = match asked(log).and_then(|exchanges| Ok((exchanges, found?))) {
            Ok(heard) => heard,
            Err(reason) => return Ok(End::LeftOut(reason)),
        };
        let own = self.changes.get(&*walk.configuration_files.address).into_iter().flatten();
        let mut changes = own.map(|change| decoded(walk, change)).collect::<Result<Vec<_>, _>>()?;
        changes.sort_by(|one, other| one.deposed.cmp(&other.deposed));
        let drift =
            self.drift.get(&*walk.configuration_files.address).map(|change| decoded(walk, change)).transpose()?;
        let fresh = &walk.request.options.fresh_key;
        // A data resource is read without regard to its stored object (L148).
        let had_read: &[Exchange] = if walk.request.kind == ResourceKind::Data { &[] } else { &exchanges };
        let states = [self.previous.instance(walk, had_read, fresh), self.refreshed.instance(walk, &exchanges, fresh)];
        let [Ok(previous_run), Ok(refreshed)] = states else {
            return Ok(End::LeftOut(LeftOut::Unreadable("a stored object")));
        };
        let plan = Plan {
            previous_run,
            refreshed,
            changes,
            drift: drift.map(|ResourceInstanceChange { change, .. }| Drift {
                action: change.action,
                before: change.before,
                after: change.after,
            }),
            // The plan file does not contain it.
            working: None,
            applyable: false,
            diagnostics,
        };
        let is_as_meant = is_as_meant(&walk.request.presence, &exchanges, true);
        Ok(answered(plan, exchanges, is_as_meant))
    }
}

/// Decodes a change, with the walk's own addresses.
fn decoded(walk: &WalkInRun<'_, PlanRequest>, change: &FileChange) -> Result<ResourceInstanceChange, String> {
    let change = change.decode(&walk.ty).map_err(|problem| problem.to_string())?;
    let moved_from = match (&change.moved_from, &walk.configuration_files.moved_from) {
        (Some(from), Some(own)) if **from == **own => walk.request.options.moved_from.clone(),
        _ => change.moved_from,
    };
    Ok(ResourceInstanceChange { moved_from, ..change })
}
