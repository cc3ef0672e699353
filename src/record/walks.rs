//! Single walks of generated scenarios, as cases of `plan_instance` and `apply_instance`.
//!
//! A scenario is run with the reference planner. Each of its plans is then made again without all that a recorded walk does not
//! have (a refresh, deposed objects, conditions, other resources); the case gives what the provider answers there.

use planfuzz_core::address::ResourceKind;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{
    Configured, Exchange, Plan, PlanRequest, Planner, Prepared, Presence, Provider, Recorder, Remark,
};
use planfuzz_core::plans::{Action, Marked, Mode};
use planfuzz_core::state::{Object, Stored};
use planfuzz_pipelines::remote::ModelProvider;
use planfuzz_reference::Reference;

use crate::case::{Call, Case, InstanceCall, InstanceInputs, PlannedChange, RecordedAnswer, Task};
use crate::scenario::{Scenario, ScenarioProviders, Step, play};

/// The walks of a scenario, in order. Empty for a scenario that cannot be run or has no such walks.
pub fn walks_of(scenario: &Scenario, dialect: Dialect) -> Vec<Case> {
    let planner = Reference.prepare(&scenario.schema, dialect);
    let mut providers = ScenarioProviders::default();
    let Ok(mut remote) = providers.provider_of(scenario) else { return Vec::new() };
    let trace = play(scenario, &mut &*planner, &mut remote);
    let steps = trace.steps.iter().zip(&scenario.steps);
    steps
        .filter_map(|(played, step)| {
            let inputs = inputs_of(scenario, &played.plan.request, &remote)?;
            Some(Walks { scenario, planner: &*planner, inputs, step }.ask(&mut providers, dialect))
        })
        .flatten()
        .map(|call| Case::new(dialect, Task::Call(Call::Instance(Box::new(call)))))
        .collect()
}

/// The inputs of a recorded walk for a plan; `None` for a plan of another kind.
fn inputs_of(scenario: &Scenario, request: &PlanRequest, remote: &ModelProvider) -> Option<InstanceInputs> {
    let PlanRequest { kind, mode, options, state, presence } = request;
    if *kind != ResourceKind::Managed || *mode == Mode::RefreshOnly {
        return None;
    }
    let prior_state = match &state.current {
        Some(Object { stored: Stored::Raw { .. }, .. }) => return None,
        current => current.as_ref().map(alone),
    };
    let inputs = InstanceInputs {
        schema: scenario.schema.clone(),
        prior_state,
        config: None,
        mode: *mode,
        replace: options.replace,
        create_before_destroy: false,
        ignore_changes: Default::default(),
        plan_destroy: remote.capabilities().plan_destroy,
    };
    match presence {
        Presence::Configured(configured) if *mode == Mode::Normal => {
            let Configured { config, lifecycle, .. } = &**configured;
            Some(InstanceInputs {
                config: Some(config.clone()),
                create_before_destroy: lifecycle.create_before_destroy,
                ignore_changes: lifecycle.ignore_changes.clone(),
                ..inputs
            })
        }
        // Without an object there is nothing to do.
        _ => inputs.prior_state.is_some().then_some(inputs),
    }
}

/// The object without dependencies on other resources.
fn alone(object: &Object) -> Object {
    Object { dependencies: Default::default(), skip_destroy: false, ..object.clone() }
}

/// The walks of one step.
struct Walks<'a> {
    scenario: &'a Scenario,
    planner: &'a dyn Prepared,
    inputs: InstanceInputs,
    step: &'a Step,
}

impl Walks<'_> {
    fn ask(self, providers: &mut ScenarioProviders, dialect: Dialect) -> Vec<InstanceCall> {
        let Ok(mut remote) = providers.provider_of(self.scenario) else { return Vec::new() };
        if let Some(Object { stored: Stored::Value(value), .. }) = &self.inputs.prior_state {
            // The steps before have created it.
            remote.appear(value);
        }
        let mut recorder = Recorder::new(&mut remote);
        let Ok(plan) = self.planner.plan(&self.inputs.plan_request(), &mut recorder) else { return Vec::new() };
        let Some(answers) = answers(recorder.into_exchanges()) else { return Vec::new() };
        let answers = answers.into_iter().filter_map(|answer| match answer {
            RecordedAnswer::Plan(answer) => Some(answer),
            RecordedAnswer::Apply(_) => None,
        });
        let mut calls = vec![InstanceCall::Plan { inputs: self.inputs.clone(), answers: answers.collect() }];
        calls.extend(self.apply(&plan, &mut remote, dialect));
        calls
    }

    /// The apply of the plan, where there is one.
    fn apply(&self, plan: &Plan, remote: &mut ModelProvider, dialect: Dialect) -> Option<InstanceCall> {
        let change = plan.changes.iter().find(|change| change.deposed.is_none()).filter(|_| !plan.is_errored())?;
        if matches!(change.change.action, Action::NoOp | Action::Forget | Action::Read) {
            return None;
        }
        let planned = PlannedChange {
            action: change.change.action,
            reason: change.reason,
            before: change.change.before.clone(),
            after: change.change.after.clone(),
            private: change.private.clone(),
        };
        let config = self.resolved();
        if config.as_ref().is_some_and(|config| !config.value().is_wholly_known()) {
            return None;
        }
        let inputs = InstanceInputs { config, ..self.inputs.clone() };
        let request = inputs.apply_request(&planned, &inputs.schema.implied_type(dialect));
        let mut recorder = Recorder::new(remote);
        self.planner.apply(&request, &mut recorder).ok()?;
        let answers = answers(recorder.into_exchanges())?;
        Some(InstanceCall::Apply { inputs, planned, answers })
    }

    /// The configuration when the plan is applied.
    fn resolved(&self) -> Option<Marked> {
        let planned = self.inputs.config.clone()?;
        match self.step.at_apply.as_deref() {
            Some(Presence::Configured(configured)) => Some(configured.config.clone()),
            _ => Some(planned),
        }
    }
}

/// The provider's answers, without those to validations and upgrades; `None` if one of these failed, which a recorded walk cannot
/// express.
fn answers(exchanges: Vec<Exchange>) -> Option<Vec<RecordedAnswer>> {
    let mut answers = Vec::new();
    for exchange in exchanges {
        match exchange {
            Exchange::Plan(_, answer) => answers.push(RecordedAnswer::Plan(answer)),
            Exchange::Apply(_, answer) => answers.push(RecordedAnswer::Apply(answer)),
            Exchange::Validate(_, answer) if has_failed(&answer.remarks) => return None,
            Exchange::Upgrade(_, answer) if has_failed(&answer.remarks) => return None,
            _ => {}
        }
    }
    Some(answers)
}

fn has_failed(remarks: &[Remark]) -> bool {
    remarks.iter().any(|remark| remark.is_error())
}
