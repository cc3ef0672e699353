//! Recorded ways of one instance through a plan or an apply (formats.md, "Lifecycle vectors"), where they lie beside a
//! checkout: what Terraform's Core really asked, said and kept.
//!
//! They are not part of the project; without them this test says that it was skipped.

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use flate2::read::GzDecoder;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::planner::{
    ApplyAnswer, ApplyChange, ApplyRequest, Capabilities, Configured, Diagnostic, IgnoreChanges, ImportAnswer,
    ImportState, Lifecycle, Orphan, PlanAnswer, PlanChange, PlanOptions, PlanRequest, Planner, Presence, Provider,
    RawState, ReadAnswer, ReadData, ReadDataAnswer, ReadResource, Remark, ResourceKind, Severity, UpgradeAnswer,
    UpgradeState, ValidateAnswer, ValidateConfig,
};
use planfuzz_core::plans::{Action, ActionReason, Change, Marked, Mode, ResourceInstanceChange};
use planfuzz_core::reference::Reference;
use planfuzz_core::schema::Schema;
use planfuzz_core::state::{InstanceState, Object, Private, Status, Stored};
use planfuzz_core::value::{PathSet, Type, Value, WrittenPath, WrittenStep};

#[test]
fn the_reference_goes_where_terraform_went() {
    let Some(text) = lines() else { return };
    check(&Reference, &text);
}

fn lines() -> Option<String> {
    let name = "lifecycle.jsonl.gz";
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "shared", "vectors", name].iter().collect();
    let Ok(file) = File::open(&path) else {
        println!("skipped: no {name} beside this checkout");
        return None;
    };
    let mut text = String::new();
    GzDecoder::new(file).read_to_string(&mut text).expect("a text file");
    Some(text)
}

fn check(planner: &dyn Planner, text: &str) {
    let mut failures = Vec::new();
    let mut checked = 0;
    for line in text.lines() {
        let json = Json::parse(line).expect("a document");
        let schema = Schema::from_json(member(&json, "schema")).expect("a schema");
        let dialect: Dialect = string(member(&json, "dialect")).parse().expect("a dialect");
        let vector = Vector { json: &json, schema: &schema, ty: schema.implied_type(dialect), dialect };
        let problems = match string(member(&json, "op")) {
            "plan_instance" => vector.plan(planner),
            "apply_instance" => vector.apply(planner),
            op => panic!("the op {op}"),
        };
        if !problems.is_empty() {
            failures.push(format!("{}: {}", string(member(&json, "id")), problems.join("; ")));
        }
        checked += 1;
    }
    println!("{checked} ways of one instance");
    assert!(checked > 2_000, "found only {checked}");
    assert!(failures.is_empty(), "{} of {checked} differ:\n{}", failures.len(), failures.join("\n"));
}

struct Vector<'v> {
    json: &'v Json,
    schema: &'v Schema,
    ty: Type,
    dialect: Dialect,
}

impl Vector<'_> {
    fn plan(&self, planner: &dyn Planner) -> Vec<String> {
        let destroys = string(self.option("mode")) == "destroy";
        let request = PlanRequest {
            kind: ResourceKind::Managed,
            mode: if destroys { Mode::Destroy } else { Mode::Normal },
            options: self.options(),
            state: self.state(),
            presence: self.presence(),
        };
        let mut provider = self.provider();
        let plan = planner.prepare(self.schema, self.dialect).plan(&request, &mut provider).expect("no refusal");
        let mut problems = self.compare(&provider, &plan.diagnostics);
        if self.want("action").is_none() {
            return problems;
        }
        let [change] = plan.changes.as_slice() else {
            problems.push(format!("{} changes", plan.changes.len()));
            return problems;
        };
        let Change { action, before, after, .. } = &change.change;
        let got = [
            ("action", Json::string(action.name())),
            (
                "action_reason",
                if change.reason == ActionReason::None { Json::Null } else { Json::string(change.reason.name()) },
            ),
            ("before", self.value_or_null(before.value())),
            ("after", self.value_or_null(after.value())),
            ("replace_paths", paths(&change.required_replace)),
            ("before_sensitive", paths(before.sensitive())),
            ("after_sensitive", paths(after.sensitive())),
            ("private", base64(&change.private)),
        ];
        problems.extend(got.iter().filter_map(|(name, got)| self.differs(name, got)));
        problems
    }

    fn apply(&self, planner: &dyn Planner) -> Vec<String> {
        let planned = member(self.json, "planned");
        let part = |value: &str, marks: &str| {
            Marked::new(self.value(member(planned, value)), &path_set(member(planned, marks)))
        };
        let change = ResourceInstanceChange {
            moved_from: None,
            deposed: None,
            change: Change {
                action: Action::from_name(string(member(planned, "action"))).expect("an action"),
                before: part("before", "before_sensitive"),
                after: part("after", "after_sensitive"),
                importing: None,
            },
            reason: ActionReason::None,
            required_replace: PathSet::EMPTY,
            private: private(planned.member("private")),
        };
        // The prior state is the stored one; what an apply starts from has the flag of the configuration (L06).
        let mut state = self.state();
        if let Some(object) = state.current.as_mut().filter(|_| change.change.action != Action::Delete) {
            object.create_before_destroy = self.flag("create_before_destroy");
        }
        let request = ApplyRequest {
            kind: ResourceKind::Managed,
            options: self.options(),
            state,
            changes: vec![change],
            presence: self.presence(),
        };
        let mut provider = self.provider();
        let applied = planner.prepare(self.schema, self.dialect).apply(&request, &mut provider).expect("no refusal");
        let mut problems = self.compare(&provider, &applied.diagnostics);
        let state = applied.state.current.as_ref().map_or(Json::Null, |object| self.object(object));
        let deposed = Json::Array(applied.state.deposed.values().map(|object| self.object(object)).collect());
        problems.extend(self.differs("state", &state));
        problems.extend(self.differs("deposed", &deposed));
        problems
    }

    /// Requests and errors, which both ops have.
    fn compare(&self, provider: &Scripted<'_>, diagnostics: &[Diagnostic]) -> Vec<String> {
        let mut errors: Vec<(String, String)> = diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.is_error())
            .map(|diagnostic| (diagnostic.path.to_string(), diagnostic.summary.to_string()))
            .collect();
        errors.sort();
        let mut want: Vec<(String, String)> = member(self.wanted(), "errors")
            .expect_array()
            .expect("errors")
            .iter()
            .map(|error| {
                let path = WrittenPath::parse(string(member(error, "path"))).expect("a path");
                (path.to_string(), string(member(error, "summary")).to_owned())
            })
            .collect();
        want.sort();
        let mut problems = Vec::new();
        if errors != want {
            problems.push(format!("errors {errors:?}, want {want:?}"));
        }
        problems.extend(self.differs("requests", &Json::Array(provider.requests.clone())));
        problems
    }

    fn differs(&self, name: &str, got: &Json) -> Option<String> {
        let want = self.normal(name, member(self.wanted(), name));
        (want != *got).then(|| format!("{name} {}, want {}", got.to_compact(), want.to_compact()))
    }

    /// What is wanted, written as this test writes it.
    fn normal(&self, name: &str, want: &Json) -> Json {
        match name {
            "before" | "after" => self.value_or_null(&self.value(want)),
            "replace_paths" | "before_sensitive" | "after_sensitive" => paths(&path_set(want)),
            "requests" | "deposed" => {
                Json::Array(want.expect_array().expect("an array").iter().map(|item| self.normal("", item)).collect())
            }
            "" | "state" => match want {
                Json::Object(members) => Json::Object(
                    members
                        .iter()
                        .map(|(name, part)| match &**name {
                            "prior" | "config" | "proposed" | "planned" | "value" => {
                                (name.clone(), self.value_or_null(&self.value(part)))
                            }
                            "sensitive" => (name.clone(), paths(&path_set(part))),
                            _ => (name.clone(), part.clone()),
                        })
                        .collect(),
                ),
                other => other.clone(),
            },
            _ => want.clone(),
        }
    }

    fn wanted(&self) -> &Json {
        member(self.json, "want")
    }

    fn want(&self, name: &str) -> Option<&Json> {
        self.wanted().member(name)
    }

    fn option(&self, name: &str) -> &Json {
        member(member(self.json, "options"), name)
    }

    fn flag(&self, name: &str) -> bool {
        self.option(name).expect_bool().expect("a flag")
    }

    fn value(&self, json: &Json) -> Value {
        let mut json = json.clone();
        loop {
            match Value::from_json(&json, &self.ty) {
                Ok(value) => return value,
                Err(problem) => {
                    let path = WrittenPath::parse(problem.path()).expect("a path");
                    assert!(forget_record(&mut json, path.steps()), "{problem}");
                }
            }
        }
    }

    fn value_or_null(&self, value: &Value) -> Json {
        value.to_json(&self.ty)
    }

    fn options(&self) -> PlanOptions {
        PlanOptions { skip_refresh: true, replace: self.flag("replace"), ..PlanOptions::default() }
    }

    fn state(&self) -> InstanceState {
        let prior = member(self.json, "prior_state");
        let object = |prior: &Json| Object {
            stored: Stored::Value(self.value(member(prior, "value"))),
            private: private(prior.member("private")),
            status: match member(prior, "tainted").expect_bool() {
                Ok(true) => Status::Tainted,
                _ => Status::Ready,
            },
            dependencies: Vec::new(),
            create_before_destroy: member(prior, "create_before_destroy").expect_bool().expect("a flag"),
            sensitive: path_set(member(prior, "sensitive")),
            skip_destroy: false,
        };
        InstanceState { current: (*prior != Json::Null).then(|| object(prior)), ..InstanceState::default() }
    }

    fn object(&self, object: &Object) -> Json {
        let Stored::Value(value) = &object.stored else { panic!("a value") };
        Json::object([
            ("value", self.value_or_null(value)),
            ("tainted", Json::Bool(object.status == Status::Tainted)),
            ("private", base64(&object.private)),
            ("create_before_destroy", Json::Bool(object.create_before_destroy)),
            ("sensitive", paths(&object.sensitive)),
        ])
    }

    fn presence(&self) -> Presence {
        let config = member(self.json, "config");
        if *config == Json::Null {
            return Presence::Orphan(Orphan::default());
        }
        let ignore_changes = match self.option("ignore_changes") {
            Json::String(_) => IgnoreChanges::All,
            entries => IgnoreChanges::Some(
                entries.read_items(|entry| Ok(WrittenPath::parse(string(entry)).expect("a path"))).expect("entries"),
            ),
        };
        Presence::Configured(Box::new(Configured {
            config: Marked::new(self.value(config), &path_set(member(self.json, "config_sensitive"))),
            ephemeral: PathSet::EMPTY,
            at_validation: None,
            lifecycle: Lifecycle {
                create_before_destroy: self.flag("create_before_destroy"),
                ignore_changes,
                ..Lifecycle::default()
            },
            preconditions: Vec::new(),
            postconditions: Vec::new(),
            provisioners: Vec::new(),
            dependencies: Vec::new(),
            in_check: false,
        }))
    }

    fn provider(&self) -> Scripted<'_> {
        let answers = member(self.json, "answers").expect_array().expect("answers");
        Scripted { vector: self, answers: answers.iter(), requests: Vec::new() }
    }
}

/// A provider that gives a vector's answers in order and keeps what it is asked.
struct Scripted<'v> {
    vector: &'v Vector<'v>,
    answers: std::slice::Iter<'v, Json>,
    requests: Vec<Json>,
}

impl Scripted<'_> {
    fn ask(&mut self, call: &str, values: [(&str, &Value); 3], private: &Private) -> &Json {
        let mut request = vec![("call", Json::string(call))];
        request.extend(values.iter().map(|(name, value)| (*name, self.vector.value_or_null(value))));
        request.push(("private", base64(private)));
        self.requests.push(Json::object(request));
        self.answers.next().unwrap_or(&Json::Null)
    }
}

impl Provider for Scripted<'_> {
    fn capabilities(&self) -> Capabilities {
        Capabilities { plan_destroy: self.vector.flag("plan_destroy") }
    }

    fn validate(&mut self, _: ValidateConfig) -> ValidateAnswer {
        ValidateAnswer::default()
    }

    fn upgrade(&mut self, request: UpgradeState) -> UpgradeAnswer {
        let RawState::Value(upgraded) = request.state else { panic!("a value") };
        UpgradeAnswer { upgraded, remarks: Vec::new() }
    }

    fn read(&mut self, _: ReadResource) -> ReadAnswer {
        panic!("nothing is refreshed")
    }

    fn plan(&mut self, request: PlanChange) -> PlanAnswer {
        let values = [("prior", &request.prior), ("config", &request.config), ("proposed", &request.proposed)];
        let vector = self.vector;
        let answer = self.ask("plan", values, &request.private);
        PlanAnswer {
            planned: answer.member("planned").map_or_else(|| request.prior.clone(), |planned| vector.value(planned)),
            requires_replace: answer.member("requires_replace").map_or_else(Vec::new, written_paths),
            private: private(answer.member("private")),
            legacy_type_system: answer.member("legacy_type_system").is_some_and(|legacy| *legacy == Json::Bool(true)),
            deferred: answer.member("deferred").is_some(),
            remarks: remarks(answer),
        }
    }

    fn apply(&mut self, request: ApplyChange) -> ApplyAnswer {
        let values = [("prior", &request.prior), ("config", &request.config), ("planned", &request.planned)];
        let vector = self.vector;
        let answer = self.ask("apply", values, &request.private);
        ApplyAnswer {
            new_state: answer.member("state").map(|state| vector.value(state)),
            private: private(answer.member("private")),
            legacy_type_system: answer.member("legacy_type_system").is_some_and(|legacy| *legacy == Json::Bool(true)),
            remarks: remarks(answer),
        }
    }

    fn import(&mut self, _: ImportState) -> ImportAnswer {
        panic!("nothing is imported")
    }

    fn read_data(&mut self, _: ReadData) -> ReadDataAnswer {
        panic!("no data resource")
    }
}

/// Makes the refined unknown at a path plain: a provider may send one of the dynamic type, which Core reads as plain.
fn forget_record(json: &mut Json, path: &[WrittenStep]) -> bool {
    match (path, json) {
        ([WrittenStep::Attribute(name)], Json::Object(members)) if name.as_str() == "$unknown" => {
            let was_refined = matches!(members.as_slice(), [(_, Json::Object(_))]);
            *members = vec![("$unknown".into(), Json::Bool(true))];
            was_refined
        }
        ([WrittenStep::Attribute(name) | WrittenStep::Key(name), rest @ ..], Json::Object(members)) => {
            members.iter_mut().any(|(probe, part)| **probe == **name && forget_record(part, rest))
        }
        ([WrittenStep::Index(index), rest @ ..], Json::Array(items)) => {
            items.get_mut(*index as usize).is_some_and(|item| forget_record(item, rest))
        }
        _ => false,
    }
}

fn member<'a>(json: &'a Json, name: &str) -> &'a Json {
    json.member(name).unwrap_or_else(|| panic!("the member {name}"))
}

fn string(json: &Json) -> &str {
    json.expect_string().expect("a string")
}

fn written_paths(json: &Json) -> Vec<WrittenPath> {
    json.read_items(|path| Ok(WrittenPath::parse(string(path)).expect("a path"))).expect("paths")
}

fn path_set(json: &Json) -> PathSet {
    written_paths(json).into_iter().collect()
}

fn paths(paths: &PathSet) -> Json {
    Json::Array(paths.texts().iter().map(|path| Json::string(path)).collect())
}

fn private(json: Option<&Json>) -> Private {
    match json {
        None | Some(Json::Null) => Private::NONE,
        Some(text) => Private::from(BASE64.decode(string(text)).expect("base64").as_slice()),
    }
}

fn base64(private: &Private) -> Json {
    if private.is_none() { Json::Null } else { Json::string(&BASE64.encode(private.as_bytes())) }
}

fn remarks(answer: &Json) -> Vec<Remark> {
    let diagnostics = answer.member("diagnostics").map_or(Ok(&[][..]), Json::expect_array).expect("diagnostics");
    let remark = |diagnostic: &Json| Remark {
        severity: if string(member(diagnostic, "severity")) == "error" { Severity::Error } else { Severity::Warning },
        summary: string(member(diagnostic, "summary")).into(),
    };
    diagnostics.iter().map(remark).collect()
}
