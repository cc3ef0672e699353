//! A run as the rules see it: each call with the thing that it is about, results in the form in which engines print them, and the order of
//! the calls.

use std::collections::{BTreeMap, BTreeSet};

use planfuzz_core::address::{AbsResourceInstance, ConfigResource, Notation, Target};
use planfuzz_core::json::{Json, JsonError};
use planfuzz_workspace::run::{Recorded, Replay, plan_json};
use planfuzz_workspace::{Answer, Call, CallId, Command, Diagnostic, Done, NodeId, Request, State, Trace, Workspace};

use crate::configuration::Configuration;

/// The thing that a call is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum About {
    /// Nothing of the configuration: a move.
    Nothing,
    /// A provider configuration, by its address.
    Provider(String),
    /// A block, in the validation walk.
    Block(String),
    /// An instance, or a deposed object of it by its key.
    Object(AbsResourceInstance, Option<String>),
}

/// A call that was made.
#[derive(Clone, Debug)]
pub struct ObservedCall {
    /// The walk, by its name (`validate`, `moves`, `plan`, `refresh before destroy`, `destroy`, `apply`).
    pub walk: String,
    /// The node that made it.
    pub node: NodeId,
    /// What it is about.
    pub about: About,
    /// The call.
    pub call: Call,
    /// The answer.
    pub answer: Answer,
    /// The times of its start and of its answer; `None` if only an order is known.
    pub times: Option<(u64, u64)>,
}

/// A change of an object.
#[derive(Clone, Debug)]
pub struct Changed {
    /// Its address.
    pub address: AbsResourceInstance,
    /// Its previous address.
    pub previous: Option<AbsResourceInstance>,
    /// The key of a deposed object.
    pub deposed: Option<String>,
    /// The action: `create`, `delete,create`, …
    pub action: String,
    /// The reason of the action; empty if the plan gives none.
    pub reason: String,
    /// Whether it is an import.
    pub is_import: bool,
}

/// The contents of a plan.
#[derive(Clone, Debug, Default)]
pub struct PlanView {
    /// Changes of objects.
    pub changes: Vec<Changed>,
    /// Drift.
    pub drift: Vec<Changed>,
    /// Changes of root outputs: the action, and the value where it is known.
    pub outputs: BTreeMap<String, (String, Option<Json>)>,
    /// Objects with conditions.
    pub checks: BTreeSet<String>,
    /// The resources of relevant attributes; `None` if the plan does not report them.
    pub relevant: Option<Vec<ConfigResource>>,
    /// Its flags; `None` if an engine prints none.
    pub applyable: Option<bool>,
    /// Whether nothing is left out.
    pub complete: Option<bool>,
    /// Whether it was made with errors.
    pub errored: bool,
}

/// An object of a state.
#[derive(Clone, Debug)]
pub struct StoredObject {
    /// Its address.
    pub address: AbsResourceInstance,
    /// The key of a deposed object.
    pub deposed: Option<String>,
    /// Whether it is managed.
    pub is_managed: bool,
    /// The address of its provider configuration.
    pub provider: String,
    /// The addresses in its list of dependencies.
    pub dependencies: Vec<String>,
    /// The whole object, as canonical JSON.
    pub json: Json,
}

/// The contents of a state.
#[derive(Clone, Debug, Default)]
pub struct StateView {
    /// Its objects.
    pub objects: Vec<StoredObject>,
    /// Its outputs, with their values.
    pub outputs: BTreeMap<String, Json>,
    /// Resources without instances.
    pub without_instances: Vec<String>,
    /// Objects with conditions, with their statuses.
    pub checks: BTreeMap<String, String>,
    /// How many resources there are.
    pub resources: usize,
}

/// A run: a plan, and an apply of it if there was one; or a command that writes a state without a plan.
#[derive(Clone, Debug)]
pub struct Run<'a> {
    /// The workspace and its options.
    pub workspace: &'a Workspace,
    /// The command.
    pub command: &'a Command,
    /// The calls of the plan and of the apply.
    pub calls: [Vec<ObservedCall>; 2],
    /// The traces that they were taken from.
    pub traces: [Trace; 2],
    /// The state before.
    pub before: StateView,
    /// The plan, if one was written.
    pub plan: Option<PlanView>,
    /// The refreshed state, where it is known.
    pub prior: Option<StateView>,
    /// The state after, where there was an apply.
    pub after: Option<StateView>,
    /// The state that a command wrote without a plan (`refresh`, `import`). An engine leaves one even where it wrote none.
    pub written: Option<StateView>,
    /// The diagnostics of the plan and of the apply.
    pub diagnostics: [Vec<Diagnostic>; 2],
    /// The exit statuses; `None` if nothing was applied.
    pub exits: [Option<i64>; 2],
    /// Whether the serial rose, where it is known.
    pub raised: Option<bool>,
    pub(crate) configuration: Configuration,
}

impl<'a> Run<'a> {
    /// The run of a planner.
    ///
    /// # Errors
    /// A plan or state that cannot be written in the form of engines.
    pub fn of_planner(workspace: &'a Workspace, done: Done<'a>) -> Result<Run<'a>, String> {
        let Done { command, planned, applied, written } = done;
        let (schemas, dialect) = (&workspace.schemas, workspace.dialect);
        let notation = Notation { engine: dialect.engine() };
        let state = |state: &State| {
            let json = state.to_json(schemas, dialect).map_err(|error| error.to_string())?;
            StateView::read(&json, notation).map_err(|error| error.to_string())
        };
        let plan = planned.plan.as_ref().map(|plan| {
            let json = plan_json(plan, schemas, dialect)?;
            PlanView::read(&json, notation).map_err(|error| error.to_string())
        });
        let mut run = Run::empty((workspace, command), &planned.trace, applied.map(|applied| &applied.trace));
        run.plan = plan.transpose()?;
        run.prior = planned.plan.as_ref().map(|plan| state(&plan.prior)).transpose()?;
        run.after = applied.map(|applied| state(&applied.state)).transpose()?;
        run.written = written.map(state).transpose()?;
        run.before = workspace.state.as_ref().map(state).transpose()?.unwrap_or_default();
        run.diagnostics[0].clone_from(&planned.diagnostics);
        if let Some(applied) = applied {
            run.diagnostics[1].clone_from(&applied.diagnostics);
        }
        run.exits = [Some(planned.exit()), applied.map(|applied| applied.exit())];
        Ok(run)
    }

    /// The run of an engine: its recorded results and schedule, with a replay that shows what each call was about.
    ///
    /// # Errors
    /// A part of the recording that cannot be read.
    pub fn of_engine(recorded: &'a Recorded, replay: &Replay) -> Result<Run<'a>, JsonError> {
        let notation = Notation { engine: recorded.workspace.dialect.engine() };
        let mut run = Run::empty(
            (&recorded.workspace, &recorded.command),
            &replay.planned.trace,
            replay.applied.as_ref().map(|applied| &applied.trace),
        );
        for (phase, calls) in run.calls.iter_mut().enumerate() {
            for (index, seen) in calls.iter_mut().enumerate() {
                let exchange = replay.answered[phase].get(index).copied().flatten();
                seen.times = exchange.map(|at| &recorded.exchanges[phase][at]).map(|one| (one.start, one.finish));
            }
        }
        let want = |name: &str| recorded.want.member(name).unwrap_or(&Json::Null);
        run.before = StateView::read(&recorded.state, notation)?;
        run.plan = match want("plan") {
            Json::Null => None,
            _ if recorded.is_unshown() => None,
            plan => Some(PlanView::read(plan, notation)?),
        };
        let exit = |phase: &str| want("exit").member(phase).map(Json::expect_i64).transpose();
        // A saved plan that is refused is not applied, though the command for it ends (U03, U04).
        run.exits = [exit("plan")?, exit("apply")?.filter(|_| replay.applied.is_some())];
        run.after = run.exits[1].map(|_| StateView::read(want("state"), notation)).transpose()?;
        if !run.command.plans() {
            run.written = Some(StateView::read(want("state"), notation)?);
        }
        for (phase, name) in ["plan", "apply"].into_iter().enumerate() {
            for one in want("diagnostics").items_of(name) {
                run.diagnostics[phase].push(diagnostic(one)?);
            }
        }
        run.raised = want("raised").expect_bool().ok();
        Ok(run)
    }

    fn empty((workspace, command): (&'a Workspace, &'a Command), plan: &Trace, apply: Option<&Trace>) -> Run<'a> {
        let notation = Notation { engine: workspace.dialect.engine() };
        let traces = [plan.clone(), apply.cloned().unwrap_or_default()];
        Run {
            workspace,
            command,
            calls: traces.each_ref().map(|trace| calls_of(trace, notation)),
            traces,
            before: StateView::default(),
            plan: None,
            prior: None,
            after: None,
            written: None,
            diagnostics: [Vec::new(), Vec::new()],
            exits: [None, None],
            raised: None,
            configuration: Configuration::of(&workspace.sources, &workspace.schemas),
        }
    }

    /// Whether a call of a phase was answered before another began: by the clock where there is one, else by the order.
    pub(crate) fn is_before(&self, phase: usize, first: usize, then: usize) -> bool {
        let calls = &self.calls[phase];
        match (calls[first].times, calls[then].times) {
            (Some((_, finish)), Some((start, _))) => finish < start,
            _ => self.traces[phase].must_precede(CallId(first), CallId(then)),
        }
    }

    /// G11, U04: whether a cycle is reported in a phase.
    pub(crate) fn goes_round(&self, phase: usize) -> bool {
        self.diagnostics[phase].iter().any(|one| one.is_error() && one.goes_round())
    }

    /// Whether there are errors in a phase.
    pub(crate) fn has_errors(&self, phase: usize) -> bool {
        self.diagnostics[phase].iter().any(Diagnostic::is_error)
    }
}

impl ObservedCall {
    /// Whether the answer has an error, or there is none.
    pub fn has_failed(&self) -> bool {
        self.answer.outcome.is_none() || self.answer.remarks.iter().any(|remark| remark.is_error())
    }

    /// The instance that the call is about.
    pub fn object(&self) -> Option<&AbsResourceInstance> {
        match &self.about {
            About::Object(address, _) => Some(address),
            _ => None,
        }
    }

    /// The block of that instance.
    pub(crate) fn config(&self) -> Option<ConfigResource> {
        self.object().map(AbsResourceInstance::config_resource)
    }

    /// Whether it applies a change.
    pub(crate) fn is_mutating(&self) -> bool {
        matches!(self.call.request, Request::Apply { .. })
    }
}

fn calls_of(trace: &Trace, notation: Notation) -> Vec<ObservedCall> {
    let seen = trace.calls.iter().map(|made| {
        let walk = trace.order.walks.get(made.node.walk);
        let name = walk.and_then(|walk| walk.nodes.get(made.node.node)).map_or("", String::as_str);
        let walk = walk.map_or("", |walk| walk.name.as_str());
        let deposed = name.split_once(" (destroy deposed ").map(|(_, key)| key.trim_end_matches(')').to_owned());
        let about = match (walk, made.call.type_name.is_some(), notation.instance(&made.visit)) {
            ("moves", _, _) => About::Nothing,
            (_, false, _) => About::Provider(name.to_owned()),
            ("validate", _, _) => About::Block(made.visit.clone()),
            (_, _, Ok(address)) => About::Object(address, deposed),
            _ => About::Nothing,
        };
        let (call, answer) = (made.call.clone(), made.answer.clone());
        ObservedCall { walk: walk.to_owned(), node: made.node, about, call, answer, times: None }
    });
    seen.collect()
}

impl PlanView {
    fn read(json: &Json, notation: Notation) -> Result<PlanView, JsonError> {
        let member = |name: &str| json.member(name).unwrap_or(&Json::Null);
        let changed = |name: &str| -> Result<Vec<Changed>, JsonError> {
            json.items_of(name).iter().map(|one| Changed::read(one, notation)).collect()
        };
        let mut outputs = BTreeMap::new();
        for (name, change) in member("outputs").expect_object().unwrap_or_default() {
            let known = change.member("after_unknown") == Some(&Json::Bool(false));
            let after = change.member("after").filter(|_| known).cloned();
            outputs.insert(name.to_string(), (actions(change), after));
        }
        let objects = json.items_of("checks").iter().flat_map(|entry| entry.items_of("instances"));
        let checks = objects.filter_map(|object| text(object.member("address")?, "to_display")).collect();
        Ok(PlanView {
            changes: changed("changes")?,
            drift: changed("drift")?,
            outputs,
            checks,
            relevant: json.member("relevant").map(|all| relevant(all, notation)).transpose()?,
            applyable: member("applyable").expect_bool().ok(),
            complete: member("complete").expect_bool().ok(),
            errored: member("errored").expect_bool().unwrap_or(false),
        })
    }
}

/// The resources that relevant attributes are of.
fn relevant(all: &Json, notation: Notation) -> Result<Vec<ConfigResource>, JsonError> {
    all.read_items(|one| {
        let address = text(one, "resource").and_then(|address| notation.target(&address).ok());
        match address {
            Some(Target::Instance(instance)) => Ok(instance.config_resource()),
            Some(Target::Resource(of)) => Ok(ConfigResource { module: of.module.module(), resource: of.resource }),
            Some(Target::Module(_)) | None => Err(one.unexpected("an attribute of a resource")),
        }
    })
}

impl Changed {
    fn read(json: &Json, notation: Notation) -> Result<Changed, JsonError> {
        let address = |name: &str| match text(json, name) {
            Some(found) => notation.instance(&found).map(Some).map_err(|_| json.unexpected("an address")),
            None => Ok(None),
        };
        let change = json.member("change").unwrap_or(&Json::Null);
        Ok(Changed {
            address: address("address")?.ok_or_else(|| json.unexpected("an address"))?,
            previous: address("previous_address")?,
            deposed: text(json, "deposed"),
            action: actions(change),
            reason: text(json, "action_reason").unwrap_or_default(),
            is_import: change.member("importing").is_some(),
        })
    }

    /// Whether nothing is to be done.
    pub(crate) fn is_no_op(&self) -> bool {
        self.action == "no-op"
    }

    /// Whether it is a replacement.
    pub(crate) fn is_replacement(&self) -> bool {
        self.action == "delete,create" || self.action == "create,delete"
    }
}

impl StateView {
    fn read(json: &Json, notation: Notation) -> Result<StateView, JsonError> {
        let mut state = StateView::default();
        for resource in json.items_of("resources") {
            let get = |name: &str| text(resource, name).unwrap_or_default();
            let is_managed = get("mode") == "managed";
            let prefix = if get("module").is_empty() { String::new() } else { format!("{}.", get("module")) };
            let data = if is_managed { "" } else { "data." };
            let address = format!("{prefix}{data}{}.{}", get("type"), get("name"));
            state.resources += 1;
            let instances = resource.items_of("instances");
            if instances.is_empty() {
                state.without_instances.push(address.clone());
            }
            for instance in instances {
                let key = match instance.member("index_key") {
                    Some(key) => format!("[{}]", key.to_compact()),
                    None => String::new(),
                };
                let address = notation
                    .instance(&format!("{address}{key}"))
                    .map_err(|_| instance.unexpected("an instance of a resource"))?;
                let dependencies = instance.items_of("dependencies").iter();
                let dependencies = dependencies.map(|one| one.expect_string().map(str::to_owned));
                state.objects.push(StoredObject {
                    address,
                    deposed: text(instance, "deposed"),
                    is_managed,
                    // Every state has it; objects without one do not differ by it.
                    provider: text(resource, "provider").unwrap_or_default(),
                    dependencies: dependencies.collect::<Result<_, _>>()?,
                    json: planfuzz_workspace::canonical(instance),
                });
            }
        }
        for (name, output) in json.member("outputs").map_or(&[][..], |all| all.expect_object().unwrap_or_default()) {
            state.outputs.insert(name.to_string(), output.member("value").cloned().unwrap_or(Json::Null));
        }
        for object in json.items_of("check_results").iter().flat_map(|entry| entry.items_of("objects")) {
            let get = |name: &str| text(object, name).unwrap_or_default();
            state.checks.insert(get("object_addr"), get("status"));
        }
        Ok(state)
    }

    /// The current object at an address.
    pub(crate) fn current(&self, address: &AbsResourceInstance) -> Option<&StoredObject> {
        self.objects.iter().find(|kept| kept.deposed.is_none() && kept.address == *address)
    }
}

fn text(json: &Json, name: &str) -> Option<String> {
    json.member(name).and_then(|text| text.expect_string().ok()).map(str::to_owned)
}

fn actions(change: &Json) -> String {
    let actions = change.items_of("actions").iter();
    actions.filter_map(|action| action.expect_string().ok()).collect::<Vec<_>>().join(",")
}

fn diagnostic(json: &Json) -> Result<Diagnostic, JsonError> {
    let summary = json.member("summary").unwrap_or(&Json::Null).expect_string()?;
    let severity = json.member("severity").unwrap_or(&Json::Null);
    let found = match severity.expect_string()? {
        "error" => Diagnostic::error(summary),
        "warning" => Diagnostic::warning(summary),
        _ => return Err(severity.unexpected("error or warning")),
    };
    Ok(match text(json, "address") {
        Some(address) => found.about(address),
        None => found,
    })
}
