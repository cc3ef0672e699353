//! The operations of the merge, observed in walks that perform them.
//!
//! What Core proposes and which plans it accepts shows in a plan walk whose provider answers the plan to be judged (L36, L41).
//! Which objects are compatible with a planned one shows where an apply plans again (A07): a legacy answer is exempt from
//! everything but that comparison (L57). The normal form of a legacy object is the one that a refresh keeps (L14); the planned data
//! resource is the plan of a deferred read (L141).

use std::sync::Arc;

use planfuzz_core::address::ResourceKind;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{
    Applied, ApplyAnswer, ApplyChange, ApplyRequest, Capabilities, Configured, Dependency, Diagnostic, Exchange,
    ImportAnswer, ImportState, Link, Plan, PlanAnswer, PlanChange, PlanOptions, PlanRequest, Presence, Provider,
    RawState, ReadAnswer, ReadData, ReadDataAnswer, ReadResource, Remark, Request, Severity, UpgradeAnswer,
    UpgradeState, ValidateAnswer, ValidateConfig, summary,
};
use planfuzz_core::plans::{Action, ActionReason, Change, Marked, Mode, ResourceInstanceChange};
use planfuzz_core::schema::Schema;
use planfuzz_core::state::{InstanceState, Object, Private, Stored};
use planfuzz_core::value::{Node, Number, Path, PathSet, Range, Type, Value, ValueRef};
use planfuzz_engine::{Expectation, Job, Protocol, WalkOutcome};

use super::{Driven, expectations, unmarked};
use crate::case::{Case, Op};
use crate::subject::{LeftOut, Outcome};

/// Whether an operation can be observed in a walk.
pub(super) fn can(op: Op) -> bool {
    op.is_merge() && op != Op::PrepareComputedBlocks
}

/// A walk that shows the answers of some operations of one case.
struct Asked<R> {
    case: usize,
    /// The operations, by their places in the case.
    ops: Vec<(usize, Op)>,
    job: Job<R, Scripted>,
}

impl<R> Asked<R> {
    /// Whether the walk crashed and the reference refuses it: the crash may then be of something else than the operation.
    fn is_predicted<T>(&self, walk_outcome: &WalkOutcome<T, Scripted>) -> bool {
        matches!(walk_outcome, WalkOutcome::Crashed { .. }) && self.job.expectation == Expectation::Fatal
    }
}

/// The outcomes of merge cases, each with the index of its case.
pub(super) fn answer(
    engine: &mut Driven,
    cases: &[(usize, &Case)],
    (dialect, wanted): (Dialect, &[Op]),
) -> Vec<(usize, Vec<Outcome>)> {
    let mut outcomes: Vec<(usize, Vec<Outcome>)> = cases
        .iter()
        .map(|(index, case)| (*index, case.ops().into_iter().map(|op| Outcome::LeftOut(unasked(op, wanted))).collect()))
        .collect();
    let (mut plans, mut applies) = (Vec::new(), Vec::new());
    for (at, (_, case)) in cases.iter().enumerate() {
        let mut asking = Asking { case, at, plans: &mut plans, applies: &mut applies };
        let wanted = |op: &Op| can(*op) && (wanted.is_empty() || wanted.contains(op));
        for (place, op) in case.ops().into_iter().enumerate().filter(|(_, op)| wanted(op)) {
            if let Err(reason) = asking.ask(place, op) {
                outcomes[at].1[place] = Outcome::LeftOut(LeftOut::Unaskable(reason));
            }
        }
    }
    for Asked { job, .. } in &mut plans {
        job.expectation = expectations::of_plan((&job.schema, dialect), &job.request, job.provider.clone());
    }
    let jobs: Vec<_> = plans.iter().map(|asked| asked.job.clone()).collect();
    for (asked, walk_outcome) in plans.iter().zip(engine.plan(&jobs)) {
        let predicted = asked.is_predicted(&walk_outcome);
        for (place, op) in &asked.ops {
            outcomes[asked.case].1[*place] =
                outcome(&walk_outcome, predicted, |plan, exchanges| planned(*op, plan, exchanges));
        }
    }
    for Asked { job, .. } in &mut applies {
        job.expectation = expectations::of_apply((&job.schema, dialect), &job.request, job.provider.clone());
    }
    let jobs: Vec<_> = applies.iter().map(|asked| asked.job.clone()).collect();
    for (asked, walk_outcome) in applies.iter().zip(engine.apply(&jobs)) {
        let predicted = asked.is_predicted(&walk_outcome);
        for (place, _) in &asked.ops {
            outcomes[asked.case].1[*place] = outcome(&walk_outcome, predicted, |applied: &Applied, exchanges| {
                let was_planned = exchanges.iter().any(|exchange| matches!(exchange, Exchange::Plan(..)));
                let applied = was_planned.then_some(&applied.diagnostics).ok_or(EARLIER)?;
                violations(applied, summary::INCONSISTENT_FINAL_PLAN, SCRIPTED)
            });
        }
    }
    outcomes
}

/// Why an operation is not asked.
fn unasked(op: Op, wanted: &[Op]) -> LeftOut {
    if wanted.is_empty() || wanted.contains(&op) { LeftOut::UnknownOp } else { LeftOut::NotAsked }
}

/// Why an answer cannot be observed.
type Hidden = &'static str;

const EARLIER: Hidden = "the engine stops before it comes to it";
const OTHERWISE: Hidden = "the engine complains of something else";
const NO_CONFIG: Hidden = "there is no configuration";
const EMPTY_RECORD: Hidden = "an empty record of refinements beside an infinity, which no plan carries";
const UNPLANNED: Hidden = "no engine plans that";
const UNKNOWN: Hidden = "nothing unknown is read or stored";

/// The remark by which the provider ends an apply when everything has been observed.
const SCRIPTED: &str = "that is all";

/// Collects the walks of one case.
struct Asking<'a> {
    case: &'a Case,
    at: usize,
    plans: &'a mut Vec<Asked<PlanRequest>>,
    applies: &'a mut Vec<Asked<ApplyRequest>>,
}

impl Asking<'_> {
    /// Adds a walk that shows the answer, or adds the operation to a walk of this case that shows it too.
    fn ask(&mut self, place: usize, op: Op) -> Result<(), Hidden> {
        let (Some(schema), Some(request)) = (self.case.schema(), self.case.request(op)) else { return Err(UNPLANNED) };
        let ty = schema.implied_type(self.case.dialect);
        let schema = match op {
            // AC10 is about the attributes of blocks.
            Op::AssertObjectCompatible => unmarked::inside_of_attributes(schema),
            _ => unmarked::everywhere(schema),
        };
        match request {
            Request::ProposedNew { prior, config } => {
                self.plan(place, op, merge_job(schema, prior, config, None)?);
            }
            Request::AssertPlanValid { prior, config, planned } => {
                if !reaches_validity(&schema, &ty, planned) {
                    return Err(EARLIER);
                }
                let shows =
                    |asked: &&mut Asked<PlanRequest>| asked.case == self.at && asked.ops[0].1 == Op::ProposedNew;
                let job = merge_job(schema, prior, config, Some(planned))?;
                match self.plans.iter_mut().find(shows) {
                    Some(asked) => {
                        asked.job = job;
                        asked.ops.push((place, op));
                    }
                    None => self.plan(place, op, job),
                }
            }
            Request::PlannedDataResource { config } => self.plan(place, op, data_job(schema, config)?),
            Request::NormalizeLegacy { value } => self.plan(place, op, refresh_job(schema, value)?),
            Request::AssertObjectCompatible { planned, actual } => {
                let job = apply_job(schema, &ty, self.case.dialect, (planned, actual))?;
                self.applies.push(Asked { case: self.at, ops: vec![(place, op)], job });
            }
            Request::PrepareComputedBlocks { .. } => return Err(UNPLANNED),
        }
        Ok(())
    }

    fn plan(&mut self, place: usize, op: Op, job: Job<PlanRequest, Scripted>) {
        self.plans.push(Asked { case: self.at, ops: vec![(place, op)], job });
    }
}

/// Whether AssertPlanValid is reached for a planned value: write-only values, paths to them that lead nowhere, and other types are
/// reported before it, under the same summary (L39, L40).
fn reaches_validity(schema: &Schema, ty: &Type, planned: &Value) -> bool {
    let is_written = |path: &Path| planned.view().apply_path(path).is_none_or(|value| !value.is_null());
    let is_any_written = || schema.write_only_paths(planned.view()).is_ok_and(|paths| paths.iter().any(is_written));
    planned.ty().conforms_to(ty) && !is_any_written()
}

fn merge_job(
    schema: Arc<Schema>,
    prior: &Value,
    config: &Value,
    planned: Option<&Value>,
) -> Result<Job<PlanRequest, Scripted>, Hidden> {
    let presence = configured(config, Vec::new())?;
    let current = (!prior.is_null()).then(|| Object::ready(prior.clone()));
    let provider = Scripted { answer: planned.cloned(), legacy: false };
    Ok(plan_job(schema, (ResourceKind::Managed, Mode::Normal), current, presence, provider))
}

fn data_job(schema: Arc<Schema>, config: &Value) -> Result<Job<PlanRequest, Scripted>, Hidden> {
    let pending = Dependency {
        address: "pending.one".into(),
        kind: ResourceKind::Managed,
        link: Link::DependsOn,
        actions: vec![Action::Create],
    };
    let presence = configured(config, vec![pending])?;
    let provider = Scripted { answer: None, legacy: false };
    Ok(plan_job(schema, (ResourceKind::Data, Mode::Normal), None, presence, provider))
}

fn refresh_job(schema: Arc<Schema>, value: &Value) -> Result<Job<PlanRequest, Scripted>, Hidden> {
    if value.is_null() || !value.is_wholly_known() {
        return Err(UNKNOWN);
    }
    let provider = Scripted { answer: Some(value.clone()), legacy: false };
    let presence = Presence::Orphan(Default::default());
    let kind = (ResourceKind::Managed, Mode::RefreshOnly);
    Ok(plan_job(schema, kind, Some(Object::ready(value.clone())), presence, provider))
}

fn plan_job(
    schema: Arc<Schema>,
    (kind, mode): (ResourceKind, Mode),
    current: Option<Object>,
    presence: Presence,
    provider: Scripted,
) -> Job<PlanRequest, Scripted> {
    let options = PlanOptions { skip_refresh: mode == Mode::Normal, ..PlanOptions::default() };
    let state = InstanceState { current, ..InstanceState::ABSENT };
    let request = PlanRequest { kind, mode, options, state, presence };
    Job { schema, protocol: Protocol::Six, request, provider, expectation: Expectation::Good }
}

/// Whether `is_so` is true of a value or anything in it.
fn has(value: ValueRef<'_>, is_so: fn(ValueRef<'_>) -> bool) -> bool {
    is_so(value) || value.children().any(|(_, child)| has(child, is_so))
}

/// V42: no range excludes such an unknown, except that of an infinity; in a message it is a plain unknown.
fn is_empty_record(value: ValueRef<'_>) -> bool {
    matches!(value.node(), Node::Unknown(Some(record)) if !record.not_null && matches!(record.range, Range::Any))
}

fn is_infinite(value: ValueRef<'_>) -> bool {
    matches!(value.as_number(), Some(Number::Infinity { .. }))
}

fn apply_job(
    schema: Arc<Schema>,
    ty: &Type,
    dialect: Dialect,
    (planned, actual): (&Value, &Value),
) -> Result<Job<ApplyRequest, Scripted>, Hidden> {
    if planned.is_null() || planned.is_unknown() {
        return Err(UNPLANNED);
    }
    if has(planned.view(), is_empty_record) && has(actual.view(), is_infinite) {
        return Err(EMPTY_RECORD);
    }
    let config = schema.empty_value(dialect);
    let change = Change {
        action: Action::Create,
        before: Marked::null(ty.clone()),
        after: Marked::new(planned.clone(), &PathSet::EMPTY),
        importing: None,
    };
    let change = ResourceInstanceChange {
        moved_from: None,
        deposed: None,
        change,
        reason: ActionReason::None,
        required_replace: PathSet::EMPTY,
        private: Private::NONE,
    };
    let request = ApplyRequest {
        kind: ResourceKind::Managed,
        options: PlanOptions { skip_refresh: true, ..PlanOptions::default() },
        state: InstanceState::ABSENT,
        changes: vec![change],
        presence: configured(&config, Vec::new())?,
    };
    let provider = Scripted { answer: Some(actual.clone()), legacy: true };
    Ok(Job { schema, protocol: Protocol::Six, request, provider, expectation: Expectation::Good })
}

fn configured(config: &Value, dependencies: Vec<Dependency>) -> Result<Presence, Hidden> {
    if config.is_null() || config.is_unknown() {
        return Err(NO_CONFIG);
    }
    Ok(Presence::Configured(Box::new(Configured {
        dependencies,
        ..Configured::alone(Marked::new(config.clone(), &PathSet::EMPTY))
    })))
}

fn outcome<T>(
    walk_outcome: &WalkOutcome<T, Scripted>,
    predicted: bool,
    show: impl FnOnce(&T, &[Exchange]) -> Result<Outcome, Hidden>,
) -> Outcome {
    match walk_outcome {
        WalkOutcome::Answer { answer, exchanges, provider: _ } => {
            show(answer, exchanges).unwrap_or_else(|reason| Outcome::LeftOut(LeftOut::Unaskable(reason)))
        }
        WalkOutcome::Crashed { site, message, exchanges: _ } => {
            Outcome::Crashed { site: site.clone(), message: message.clone(), predicted }
        }
        WalkOutcome::OverBudget { limit } => Outcome::OverBudget { limit: *limit },
        WalkOutcome::LeftOut(reason) => Outcome::LeftOut(LeftOut::Engine(*reason)),
    }
}

/// The answer to an operation that a plan walk shows.
fn planned(op: Op, plan: &Plan, exchanges: &[Exchange]) -> Result<Outcome, Hidden> {
    let proposed = exchanges.iter().find_map(|exchange| match exchange {
        Exchange::Plan(request, _) => Some(&request.proposed),
        _ => None,
    });
    match op {
        Op::ProposedNew => proposed.map(|proposed| Outcome::Value(proposed.clone())).ok_or(EARLIER),
        Op::AssertPlanValid => {
            proposed.ok_or(EARLIER)?;
            violations(&plan.diagnostics, summary::INVALID_PLAN, "")
        }
        Op::PlannedDataResource => {
            let change = plan.changes.iter().find(|change| change.change.action == Action::Read).ok_or(EARLIER)?;
            Ok(Outcome::Value(change.change.after.value().clone()))
        }
        Op::NormalizeLegacy => {
            let current = plan.refreshed.current.as_ref().filter(|_| !plan.is_errored()).ok_or(OTHERWISE)?;
            match &current.stored {
                Stored::Value(value) => Ok(Outcome::Value(value.clone())),
                Stored::Raw { .. } => Err(OTHERWISE),
            }
        }
        _ => Err(UNPLANNED),
    }
}

/// The places of the errors with the summary `of`, if all others have the summary `besides`.
fn violations(diagnostics: &[Diagnostic], of: &str, besides: &str) -> Result<Outcome, Hidden> {
    let errors = || diagnostics.iter().filter(|diagnostic| diagnostic.is_error());
    if errors().any(|error| error.summary != of && error.summary != besides) {
        return Err(OTHERWISE);
    }
    let found = errors().filter(|error| error.summary == of);
    let mut paths: Vec<String> = found.map(|error| error.path.to_string()).collect();
    paths.sort_unstable();
    Ok(Outcome::Paths(paths))
}

/// A provider with one scripted answer.
#[derive(Clone, Debug)]
struct Scripted {
    /// The value that it plans, or reads; `None`: the proposed, or the current one.
    answer: Option<Value>,
    /// Whether its plans are of the legacy type system.
    legacy: bool,
}

impl Provider for Scripted {
    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }

    fn validate(&mut self, _: ValidateConfig) -> ValidateAnswer {
        ValidateAnswer::default()
    }

    fn upgrade(&mut self, request: UpgradeState) -> UpgradeAnswer {
        match request.state {
            RawState::Value(upgraded) => UpgradeAnswer { upgraded, remarks: Vec::new() },
            RawState::Json(_) => UpgradeAnswer { upgraded: Value::null(Type::Dynamic), remarks: remarks() },
        }
    }

    fn read(&mut self, request: ReadResource) -> ReadAnswer {
        let new_state = self.answer.clone().unwrap_or(request.current);
        ReadAnswer { new_state, private: Private::NONE, deferred: false, remarks: Vec::new() }
    }

    fn plan(&mut self, request: PlanChange) -> PlanAnswer {
        PlanAnswer {
            planned: self.answer.clone().unwrap_or(request.proposed),
            requires_replace: Vec::new(),
            private: Private::NONE,
            legacy_type_system: self.legacy,
            deferred: false,
            remarks: Vec::new(),
        }
    }

    fn apply(&mut self, request: ApplyChange) -> ApplyAnswer {
        let new_state = Some(Value::null(request.planned.ty().clone()));
        ApplyAnswer { new_state, private: Private::NONE, legacy_type_system: self.legacy, remarks: remarks() }
    }

    fn import(&mut self, _: ImportState) -> ImportAnswer {
        ImportAnswer { imported: Vec::new(), remarks: remarks() }
    }

    fn read_data(&mut self, request: ReadData) -> ReadDataAnswer {
        ReadDataAnswer { state: self.answer.clone().unwrap_or(request.config), remarks: Vec::new() }
    }
}

fn remarks() -> Vec<Remark> {
    vec![Remark { severity: Severity::Error, summary: SCRIPTED.into() }]
}
