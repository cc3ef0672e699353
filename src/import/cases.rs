//! Makes cases of one object.

use std::sync::Arc;

use planfuzz_core::address::ResourceKind;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::planner::{Configured, IgnoreChanges, Lifecycle, Orphan, PlanAnswer, Presence};
use planfuzz_core::plans::{Action, ActionReason, Marked, Mode};
use planfuzz_core::schema::Schema;
use planfuzz_core::state::{InstanceState, Object, Private, Status};
use planfuzz_core::value::{Text, Value, ValueError, ValueRef, WrittenPath};
use planfuzz_reference::Reference;

use super::derive;
use super::material::{Material, Role};
use super::model;
use super::settle::settled;
use crate::case::lifecycle::write_value;
use crate::case::{Call, Case, InstanceCall, InstanceInputs, Merge, MergeCall, Op, Task};
use crate::scenario::{Command, Scenario, ScenarioProviders, Step, StepOptions};
use crate::subject::{InProcess, Outcome, Subject};

/// Why an object gives no case of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum NoCase {
    /// The object before the change has unknown values.
    #[error("the object as it is has unknown values")]
    UnknownPrior,
    /// A set came out with elements of different types.
    #[error("elements of different types in one set")]
    Mixed,
    /// The object is only forgotten, or only read.
    #[error("no walk of an instance: its action is none that a provider plans")]
    Action,
    /// The reference planner, given the answers that the plan shows, plans something else.
    #[error("the walk does not come to what the file says, with a configuration that may not be the user's")]
    OtherPlan,
    /// The provider model cannot be played.
    #[error("no provider model can be played with its schema")]
    Unplayable,
    /// There is no object, and no configuration.
    #[error("nothing is configured and nothing is there")]
    Nothing,
}

impl From<ValueError> for NoCase {
    fn from(_: ValueError) -> NoCase {
        NoCase::Mixed
    }
}

/// Makes the cases of objects, in one dialect.
pub struct CaseBuilder {
    dialect: Dialect,
    reference: InProcess,
    providers: ScenarioProviders,
}

impl CaseBuilder {
    /// A builder of cases in a dialect.
    pub fn new(dialect: Dialect) -> CaseBuilder {
        CaseBuilder { dialect, reference: InProcess::new(Reference), providers: ScenarioProviders::default() }
    }

    /// The case of an operation.
    ///
    /// # Errors
    /// Why there is no case.
    pub fn case(&mut self, op: Kind, of: &Material) -> Result<Case, NoCase> {
        if !of.before.value().is_wholly_known() {
            return Err(NoCase::UnknownPrior);
        }
        let task = match (op, &of.role) {
            (Kind::Merge, Role::Drift) => Task::Call(Call::Merge(drift(of)?)),
            (Kind::Merge, _) => Task::Merge(merge(of)?),
            (Kind::Walk, _) => return self.walk(of),
            (Kind::Trace, _) => return self.trace(of),
        };
        Ok(Case::new(self.dialect, task))
    }

    /// `plan_instance`: the walk with the answers that the plan shows.
    fn walk(&mut self, of: &Material) -> Result<Case, NoCase> {
        let Role::Change { action, reason, .. } = &of.role else { return Err(NoCase::Action) };
        if of.is_data {
            return Err(NoCase::Action);
        }
        // Most providers are of the legacy type system, which no file records; a strict one is tried first. Old versions do
        // not record why an object is replaced: it may have been tainted.
        let ways = [(false, false), (true, false), (false, true), (true, true)];
        let has_reason = *reason != ActionReason::None || !action.is_replace();
        for (legacy, tainted) in ways.into_iter().filter(|(_, tainted)| !tainted || !has_reason) {
            let call = walk_call(of, legacy, tainted, self.dialect)?;
            let case = Case::new(self.dialect, Task::Call(Call::Instance(Box::new(call))));
            if self.comes_to(&case, *action, &of.after) {
                return Ok(case);
            }
        }
        Err(NoCase::OtherPlan)
    }

    /// Whether the reference planner's result for a walk is the one of the file.
    fn comes_to(&mut self, case: &Case, action: Action, after: &Marked) -> bool {
        let outcome = self.reference.answer(std::slice::from_ref(case)).pop().and_then(|mut all| all.pop());
        let Some(Outcome::Want(want)) = outcome else { return false };
        let has = |name: &str, member: Json| want.member(name) == Some(&member);
        let Some(ty) = case.schema().map(|schema| schema.implied_type(self.dialect)) else { return false };
        has("errors", Json::Array(Vec::new()))
            && has("action", Json::string(action.name()))
            && has("after", write_value(after.value(), &ty))
    }

    /// `scenario`: the change applied under the simplest provider, and a plan after it.
    fn trace(&mut self, of: &Material) -> Result<Case, NoCase> {
        if of.is_data || of.role == Role::Drift {
            return Err(NoCase::Action);
        }
        let scenario = scenario(of, self.dialect)?;
        self.providers.provider_of(&scenario).map_err(|_| NoCase::Unplayable)?;
        Ok(Case::new(self.dialect, Task::Call(Call::Scenario(Arc::new(scenario)))))
    }
}

/// A kind of case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The operations of the merge; for drift, whether the one object is compatible with the other.
    Merge,
    /// `plan_instance`.
    Walk,
    /// `scenario`.
    Trace,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 3] = [Kind::Merge, Kind::Walk, Kind::Trace];

    /// The operation whose name is used to count its cases.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Merge => "merge",
            Kind::Walk => "plan_instance",
            Kind::Trace => "scenario",
        }
    }

    /// The kind of case for an operation, if there is one.
    pub fn of(op: Op) -> Option<Kind> {
        match op {
            Op::PlanInstance => Some(Kind::Walk),
            Op::Scenario => Some(Kind::Trace),
            op if op.is_merge() => Some(Kind::Merge),
            _ => None,
        }
    }
}

/// The comparison for drift: the object as it was, with the object as it is.
fn drift(of: &Material) -> Result<MergeCall, NoCase> {
    let (planned, actual) = (of.before.value().clone(), of.after.value().clone());
    if !actual.is_wholly_known() {
        return Err(NoCase::UnknownPrior);
    }
    Ok(MergeCall::AssertObjectCompatible { schema: of.schema.clone(), planned, actual })
}

fn merge(of: &Material) -> Result<Merge, NoCase> {
    let planned = of.after.value().clone();
    let actual = settled(&planned, of.before.value())?;
    Ok(Merge {
        schema: of.schema.clone(),
        prior: of.before.value().clone(),
        config: of.config.clone(),
        planned,
        actual,
    })
}

fn walk_call(of: &Material, legacy: bool, tainted: bool, dialect: Dialect) -> Result<InstanceCall, NoCase> {
    let Role::Change { action, reason, replace } = &of.role else { return Err(NoCase::Action) };
    let answer = |planned: Value, requires_replace: &[WrittenPath]| PlanAnswer {
        planned,
        requires_replace: requires_replace.to_vec(),
        private: Private::NONE,
        legacy_type_system: legacy,
        deferred: false,
        remarks: Vec::new(),
    };
    let planned = of.after.value().clone();
    let is_tainted = tainted || *reason == ActionReason::ReplaceBecauseTainted;
    let answers = match action {
        Action::Create | Action::Update => vec![answer(planned, &[])],
        Action::NoOp if of.after.is_null() => return Err(NoCase::Nothing),
        Action::NoOp => vec![answer(planned, &[])],
        Action::Delete => Vec::new(),
        Action::DeleteThenCreate | Action::CreateThenDelete if is_tainted => vec![answer(planned, &[])],
        Action::DeleteThenCreate | Action::CreateThenDelete => {
            vec![answer(first_answer(of, dialect)?, replace), answer(planned, &[])]
        }
        Action::Read | Action::Forget | Action::CreateThenForget | Action::ForgetThenCreate => {
            return Err(NoCase::Action);
        }
    };
    let inputs = InstanceInputs {
        schema: of.schema.clone(),
        prior_state: stored(&of.before, is_tainted),
        config: (!of.config.is_null()).then(|| Marked::new(of.config.clone(), &of.config_marks(dialect))),
        mode: Mode::Normal,
        replace: *reason == ActionReason::ReplaceByRequest,
        create_before_destroy: *action == Action::CreateThenDelete,
        ignore_changes: of.lifecycle.ignore_changes.clone(),
        plan_destroy: false,
    };
    Ok(InstanceCall::Plan { inputs, answers })
}

/// The provider's first answer in a replacement, before it plans the new object: unconfigured members that are unknown in the
/// new object keep their prior values.
fn first_answer(of: &Material, dialect: Dialect) -> Result<Value, NoCase> {
    let kept = |value: ValueRef<'_>| value.is_present();
    let (after, before, config) = (of.after.value(), of.before.value(), &of.config);
    let members = after.view().entries().map(|(name, planned)| {
        let prior = before.view().member(name).filter(|prior| kept(*prior));
        let is_configured = config.view().member(name).is_some_and(|config| !config.is_null());
        let value = match prior {
            Some(prior) if planned.is_unknown() && !is_configured => prior.to_value(),
            _ => planned.to_value(),
        };
        (name.clone(), value)
    });
    let value = Value::object(members.collect());
    // A dynamic value may have been of another type.
    if value.ty().conforms_to(&of.schema.implied_type(dialect)) { Ok(value) } else { Err(NoCase::Mixed) }
}

fn stored(of: &Marked, is_tainted: bool) -> Option<Object> {
    if of.is_null() {
        return None;
    }
    let mut object = Object::ready(of.value().clone());
    object.sensitive = of.sensitive().clone();
    object.status = if is_tainted { Status::Tainted } else { Status::Ready };
    Some(object)
}

fn scenario(of: &Material, dialect: Dialect) -> Result<Scenario, NoCase> {
    let (is_tainted, replace, options, command) = match &of.role {
        Role::Change { action, reason, replace } => {
            let options = StepOptions {
                replace: *reason == ActionReason::ReplaceByRequest,
                moved_from: of.past.moved_from.as_deref().map(Text::new),
                ..StepOptions::default()
            };
            let command = match action {
                Action::Delete if *reason == ActionReason::None => Command::Destroy,
                Action::Read | Action::Forget | Action::CreateThenForget | Action::ForgetThenCreate => {
                    return Err(NoCase::Action);
                }
                _ => Command::Apply,
            };
            (*reason == ActionReason::ReplaceBecauseTainted, replace.as_slice(), options, command)
        }
        Role::Stored { tainted } => (*tainted, &[][..], StepOptions::default(), Command::Apply),
        Role::Drift => return Err(NoCase::Action),
    };
    let there = stored(&of.before, is_tainted);
    let known = match (&of.past.imported, &of.past.stored) {
        // The object exists, but the state does not have it yet.
        (Some(_), _) => None,
        (None, Some(then)) => stored(then, is_tainted),
        (None, None) => there.clone(),
    };
    if there.is_none() && known.is_none() && of.config.is_null() {
        return Err(NoCase::Nothing);
    }
    let command = match &of.past.imported {
        Some(id) if command == Command::Apply => Command::Import { id: Text::new(id) },
        _ => command,
    };
    let remote = Scenario::stored_objects(&InstanceState { current: there, ..InstanceState::ABSENT });
    let state = InstanceState { current: known, ..InstanceState::ABSENT };
    // A destroyed object still has a configuration, which the plan does not show.
    let config = match command {
        Command::Destroy => derived_config(&of.before, &of.schema, dialect)?,
        _ => of.config.clone(),
    };
    let planned = Arc::new(presence(of, &config, dialect));
    let at_apply = if config.is_wholly_known() {
        None
    } else {
        Some(Arc::new(presence(of, &settled(&config, of.before.value())?, dialect)))
    };
    let again = at_apply.clone().unwrap_or_else(|| planned.clone());
    let step =
        |command, options, presence, at_apply| Step { outside: Vec::new(), command, options, presence, at_apply };
    Ok(Scenario {
        schema: of.schema.clone(),
        kind: ResourceKind::Managed,
        model: Arc::new(model::simplest(&of.schema, replace)),
        remote,
        state,
        steps: vec![
            step(command, options, planned, at_apply),
            step(Command::Plan, StepOptions::default(), again, None),
        ],
    })
}

fn presence(of: &Material, config: &Value, dialect: Dialect) -> Presence {
    if config.is_null() {
        return Presence::Orphan(Orphan::default());
    }
    let create_before_destroy =
        of.lifecycle.create_before_destroy || matches!(of.role, Role::Change { action: Action::CreateThenDelete, .. });
    let ignore_changes: IgnoreChanges = of.lifecycle.ignore_changes.clone();
    Presence::Configured(Box::new(Configured {
        lifecycle: Lifecycle { create_before_destroy, ignore_changes, ..Lifecycle::default() },
        ..Configured::alone(Marked::new(config.clone(), &of.config_marks(dialect)))
    }))
}

/// A configuration derived from an object, for files without one.
///
/// # Errors
/// Elements of one set that have different types.
pub fn derived_config(of: &Marked, schema: &Schema, dialect: Dialect) -> Result<Value, NoCase> {
    let config = derive::configuration(&schema.block, of.value().view(), dialect)?;
    if config.ty().conforms_to(&schema.implied_type(dialect)) { Ok(config) } else { Err(NoCase::Mixed) }
}
