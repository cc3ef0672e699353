//! Scenarios read back as they were written, and are played step by step.

use std::cell::RefCell;

use planfuzz_core::json::Json;
use planfuzz_core::planner::{
    Applied, ApplyAnswer, ApplyChange, ApplyRequest, Capabilities, Diagnostic, ImportAnswer, ImportState, Plan,
    PlanAnswer, PlanChange, PlanRequest, Provider, ReadAnswer, ReadData, ReadDataAnswer, ReadResource, StepTrace,
    UpgradeAnswer, UpgradeState, ValidateAnswer, ValidateConfig,
};
use planfuzz_core::plans::Mode;
use planfuzz_core::state::Status;
use planfuzz_core::value::WrittenPath;

use super::*;
use crate::case::lifecycle::Form;
use crate::case::{Call, CaseFile, Task};

const OBJECT: &str = r#"{"id":"1","name":"a","zones":["b"]}"#;

fn document(steps: &str, more: &str) -> String {
    format!(
        r#"{{"format":1,"dialect":"terraform-1.11","op":"scenario","schema":{{"version":0,"block":{{"attributes":{{"id":{{"type":"string","computed":true}},"name":{{"type":"string","optional":true}},"zones":{{"type":["list","string"],"optional":true}}}}}}}},"model":{{"style":"framework","seed":7}},{more}"steps":[{steps}]}}"#
    )
}

fn scenario(steps: &str, more: &str) -> Scenario {
    let text = document(steps, more);
    let json = Json::parse(&text).expect("a document");
    let file = CaseFile::from_json(&json).unwrap_or_else(|problem| panic!("{problem}"));
    assert_eq!(file.to_json().to_compact(), text);
    match file.case.task {
        Task::Call(Call::Scenario(scenario)) => Scenario::clone(&scenario),
        other => panic!("{other:?}"),
    }
}

fn config(name: &str) -> String {
    format!(r#"{{"config":{{"id":null,"name":{name},"zones":null}}}}"#)
}

#[test]
fn scenarios_survive() {
    let (a, unknown, orphan) = (config(r#""a""#), config(r#"{"$unknown":true}"#), r#"{"orphan":{"block":true}}"#);
    let steps = [
        format!(r#"{{"command":"plan","presence":{a}}}"#),
        r#"{"outside":[{"drift":{".zones[0]":"c"}},"vanish",{"appear":{"id":"2","name":null,"zones":[]}},"taint","untaint"],"command":"apply"}"#.to_owned(),
        format!(r#"{{"command":{{"import":"x"}},"options":{{"skip_refresh":true,"replace":true,"moved_from":"a.b","forget":true}},"presence":{unknown},"at_apply":{a}}}"#),
        r#"{"command":"refresh"}"#.to_owned(),
        format!(r#"{{"command":"destroy","presence":{orphan}}}"#),
    ]
    .join(",");
    let stored = format!(r#""state":{{"current":{{"value":{OBJECT}}}}},"#);
    let read = scenario(&steps, &stored);
    assert_eq!(read.remote.len(), 1, "the stored object is there");
    assert!(Arc::ptr_eq(&read.steps[0].presence, &read.steps[1].presence));
    assert!(scenario(&steps, &format!(r#"{stored}"remote":[],"#)).remote.is_empty());
}

#[test]
fn documents_without_a_meaning_are_refused() {
    let a = config("null");
    for (steps, message) in [
        (r#"{"command":"plan"}"#.to_owned(), "steps[0]: expected the member \"presence\""),
        (format!(r#"{{"command":"run","presence":{a}}}"#), "steps[0].command"),
        (format!(r#"{{"command":"plan","presence":{a},"x":1}}"#), "unknown member \"x\""),
        (format!(r#"{{"outside":["drift"],"command":"plan","presence":{a}}}"#), "outside[0]"),
        (
            format!(r#"{{"outside":[{{"drift":{{".none":"c"}}}}],"command":"plan","presence":{a}}}"#),
            "a path that the schema has",
        ),
        (r#"{"command":"plan","presence":{"config":null}}"#.to_owned(), "a configuration that is an object"),
        (format!(r#"{{"outside":[{{"appear":null}}],"command":"plan","presence":{a}}}"#), "an object without unknowns"),
        (
            format!(r#"{{"outside":[{{"drift":{{".name":{{"$unknown":true}}}}}}],"command":"plan","presence":{a}}}"#),
            "a value without unknowns",
        ),
        (format!(r#"{{"command":"plan","options":{{"import":"i"}},"presence":{a}}}"#), "unknown member \"import\""),
    ] {
        let json = Json::parse(&document(&steps, "")).expect("a document");
        let problem = CaseFile::from_json(&json).expect_err(&steps).to_string();
        assert!(problem.contains(message), "{problem}");
    }
}

#[test]
fn objects_that_cannot_be_stored_are_refused() {
    let steps = format!(r#"{{"command":"plan","presence":{}}}"#, config("null"));
    for (more, message) in [
        (r#""state":{"current":{"value":null}},"#, "stored objects without unknowns"),
        (
            r#""state":{"current":{"value":{"id":{"$unknown":true},"name":null,"zones":null}}},"#,
            "stored objects without",
        ),
        (r#""kind":"data","state":{"deposed":{"00000001":{"raw":{}}}},"#, "which has no deposed objects"),
        (r#""remote":[null],"#, "an object without unknowns"),
    ] {
        let json = Json::parse(&document(&steps, more)).expect("a document");
        let problem = CaseFile::from_json(&json).expect_err(more).to_string();
        assert!(problem.contains(message), "{problem}");
    }
}

#[test]
fn types_are_found_at_places() {
    let schema = r#"{"block": {"attributes": {"o": {"type": ["object", {"m": ["map", ["tuple", ["bool", "string"]]], "s": ["set", "string"]}],
        "optional": true}, "d": {"type": "dynamic", "optional": true}}}}"#;
    let ty = planfuzz_core::schema::Schema::parse(schema).expect("a schema").implied_type(Default::default());
    let at = |path: &str| type_at(&ty, &WrittenPath::parse(path).expect("a path")).map(|ty| ty.to_v05_text());
    assert_eq!(at("").as_deref(), Some(ty.to_v05_text().as_str()));
    assert_eq!(at(r#".o.m["k"][1]"#).as_deref(), Some("\"string\""));
    assert_eq!(at(".d").as_deref(), Some("\"dynamic\""));
    for nowhere in [".x", ".o.m[0]", r#".o.m["k"][2]"#, ".o.s[<set element>]", ".d.x"] {
        assert_eq!(at(nowhere), None, "{nowhere}");
    }
}

/// A planner that stores the configuration, and fails in chosen walks.
#[derive(Default)]
struct Storing {
    asked: Vec<PlanRequest>,
    /// The number of the plan walk that has an error, and of the one that is refused.
    errs: Option<usize>,
    refuses: Option<usize>,
}

impl Walker for Storing {
    fn plan(&mut self, request: &PlanRequest, provider: &mut dyn Provider) -> Result<Plan, NoAnswer> {
        let number = self.asked.len();
        self.asked.push(request.clone());
        if self.refuses == Some(number) {
            return Err(NoAnswer::Refused("no".to_owned()));
        }
        provider.import(ImportState { id: "asked".into() });
        let mut plan = Plan { refreshed: request.state.clone(), ..Plan::default() };
        if self.errs == Some(number) {
            plan.diagnostics.push(Diagnostic::error("wrong", WrittenPath::default(), "T1"));
        }
        Ok(plan)
    }

    fn apply(&mut self, request: &ApplyRequest, _: &mut dyn Provider) -> Result<Applied, NoAnswer> {
        let mut applied = Applied::default();
        if let Presence::Configured(configured) = &request.presence {
            applied.state.current = Some(Object::ready(configured.config.value().clone()));
        }
        Ok(applied)
    }
}

/// Remote objects that record the events, of a provider without answers.
#[derive(Default)]
struct Remembering(RefCell<Vec<Outside>>);

impl OutsideEvents for Remembering {
    fn happen(&mut self, outside: &Outside) {
        self.0.get_mut().push(outside.clone());
    }
}

impl Provider for Remembering {
    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }

    fn validate(&mut self, _: ValidateConfig) -> ValidateAnswer {
        ValidateAnswer::default()
    }

    fn import(&mut self, _: ImportState) -> ImportAnswer {
        ImportAnswer { imported: Vec::new(), remarks: Vec::new() }
    }

    fn upgrade(&mut self, _: UpgradeState) -> UpgradeAnswer {
        unreachable!("this planner asks for imports alone")
    }

    fn read(&mut self, _: ReadResource) -> ReadAnswer {
        unreachable!("this planner asks for imports alone")
    }

    fn plan(&mut self, _: PlanChange) -> PlanAnswer {
        unreachable!("this planner asks for imports alone")
    }

    fn apply(&mut self, _: ApplyChange) -> ApplyAnswer {
        unreachable!("this planner asks for imports alone")
    }

    fn read_data(&mut self, _: ReadData) -> ReadDataAnswer {
        unreachable!("this planner asks for imports alone")
    }
}

/// The name in the stored state after a step: that of its apply, or the one before the step.
fn stored_name(step: &StepTrace) -> Option<String> {
    let state = step.apply.as_ref().map_or(&step.plan.request.state, |apply| &apply.applied.state);
    let Stored::Value(value) = &state.current.as_ref()?.stored else { return None };
    let object = value.ty().as_object()?;
    let ty = &planfuzz_core::value::Type::Object(object.clone());
    Some(value.to_json(ty).member("name")?.to_compact())
}

#[test]
fn commands_ask_for_their_walks_and_save_what_they_may() {
    let (a, b) = (config(r#""a""#), config(r#""b""#));
    let steps = [
        format!(r#"{{"command":"plan","presence":{a}}}"#),
        r#"{"command":"apply"}"#.to_owned(),
        format!(r#"{{"outside":["vanish"],"command":{{"import":"i"}},"at_apply":{b}}}"#),
        format!(r#"{{"outside":["taint"],"command":"refresh","options":{{"replace":true}},"presence":{b}}}"#),
        r#"{"command":"destroy"}"#.to_owned(),
    ]
    .join(",");
    let (mut walker, mut remote) = (Storing::default(), Remembering::default());
    let trace = play(&scenario(&steps, ""), &mut walker, &mut remote);
    assert!(trace.is_whole());
    let modes = [Mode::Normal, Mode::Normal, Mode::Normal, Mode::RefreshOnly, Mode::Destroy];
    assert!(walker.asked.iter().map(|request| request.mode).eq(modes));
    let names: Vec<_> = trace.steps.iter().map(stored_name).collect();
    let (a, b) = (Some(r#""a""#.to_owned()), Some(r#""b""#.to_owned()));
    assert_eq!(names, [None, a, b.clone(), b.clone(), b], "a plan saves nothing, an apply what is configured then");
    assert!(trace.steps.iter().map(|step| step.apply.is_some()).eq([false, true, true, true, true]));
    assert!(trace.steps.iter().map(|step| step.changed_outside).eq([true, false, true, true, false]));
    assert_eq!(trace.steps[2].plan.request.options.import.as_deref(), Some("i"));
    assert_eq!(trace.steps[3].plan.request.options.import, None);
    assert!(trace.steps[3].plan.request.options.replace);
    let tainted = trace.steps[3].plan.request.state.current.as_ref().map(|object| object.status);
    assert_eq!(tainted, Some(Status::Tainted));
    assert_eq!(*remote.0.borrow(), [Outside::Vanish], "tainting does not change the remote objects");
    assert!(trace.steps.iter().all(|step| step.plan.exchanges.len() == 1));
}

#[test]
fn a74_an_errored_plan_saves_nothing() {
    let steps = format!(r#"{{"command":"apply","presence":{}}},{{"command":"apply"}}"#, config("null"));
    let mut walker = Storing { errs: Some(0), ..Storing::default() };
    let trace = play(&scenario(&steps, ""), &mut walker, &mut Remembering::default());
    assert!(trace.is_whole());
    assert!(trace.steps[0].apply.is_none() && trace.steps[0].plan.request.state.is_absent());
    assert!(trace.steps[1].apply.is_some());
}

#[test]
fn a_refusal_ends_the_trace_where_it_is() {
    let steps =
        format!(r#"{{"command":"apply","presence":{}}},{{"command":"plan"}},{{"command":"plan"}}"#, config("null"));
    let mut walker = Storing { refuses: Some(1), ..Storing::default() };
    let scenario = scenario(&steps, "");
    let trace = play(&scenario, &mut walker, &mut Remembering::default());
    assert_eq!(trace.steps.len(), 1);
    let stopped = trace.stopped.as_ref().expect("it is refused");
    assert_eq!((stopped.walk, &stopped.halt), (Walk::Plan, &NoAnswer::Refused("no".to_owned())));
    let ty = scenario.schema.implied_type(Default::default());
    let form = trace.to_form(&ty);
    let again = Trace::from_form(&form, &ty).expect("a trace");
    assert_eq!(again.to_form(&ty), form);
}

#[test]
fn a02_the_fresh_key_is_one_that_no_deposed_object_has() {
    let stored = format!(r#""state":{{"deposed":{{"00000001":{{"value":{OBJECT}}}}}}},"#);
    let steps = format!(r#"{{"command":"plan","presence":{}}},{{"command":"plan"}}"#, config("null"));
    let mut walker = Storing::default();
    play(&scenario(&steps, &stored), &mut walker, &mut Remembering::default());
    let keys: Vec<_> = walker.asked.iter().map(|request| request.options.fresh_key.as_str()).collect();
    assert_eq!(keys, ["00000002", "00000002"]);
}
