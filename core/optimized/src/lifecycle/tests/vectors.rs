//! The recorded lifecycle vectors (formats.md, "Lifecycle vectors"), answered by the walks themselves, without the suite.

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

use base64::prelude::{BASE64_STANDARD, Engine};
use flate2::read::GzDecoder;

use super::fixture::{Asked, Fixture, Script, configured};
use planfuzz_core::address::ResourceKind;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::{Json, Word};
use planfuzz_core::planner::{
    ApplyAnswer, ApplyRequest, Diagnostic, IgnoreChanges, Orphan, PlanAnswer, PlanOptions, PlanRequest, Presence,
    Remark, Severity,
};
use planfuzz_core::plans::{Action, Change, Marked, Mode, ResourceInstanceChange};
use planfuzz_core::schema::Schema;
use planfuzz_core::state::{InstanceState, Object, Private, Status, Stored};
use planfuzz_core::value::{PathSet, Type, Value, WrittenPath, WrittenStep};

fn member<'a>(json: &'a Json, name: &str) -> &'a Json {
    json.member(name).unwrap_or_else(|| panic!("the member {name}"))
}

fn texts(json: &Json) -> Vec<&str> {
    json.expect_array().expect("an array").iter().map(|item| item.expect_string().expect("a string")).collect()
}

fn flag(json: &Json, name: &str) -> bool {
    json.member(name).is_some_and(|flag| flag.expect_bool().expect("a bool"))
}

fn private(json: Option<&Json>) -> Private {
    match json {
        Some(Json::String(text)) => Private::from(BASE64_STANDARD.decode(&**text).expect("base64").as_slice()),
        _ => Private::NONE,
    }
}

fn paths(json: &Json) -> PathSet {
    PathSet::parse(texts(json)).expect("paths")
}

/// Removes the records of unknowns of unknown type, which scripts have, but which no value can hold and the wire does not
/// carry.
fn without_untyped_records(json: &Json, ty: &Type) -> Json {
    match (json, ty) {
        (Json::Object(members), Type::Dynamic) if members.iter().any(|(name, _)| **name == *"$unknown") => {
            Json::object([("$unknown", Json::Bool(true))])
        }
        (Json::Object(_), Type::Dynamic) if json.member("type").is_some() => {
            let ty = Type::from_json(member(json, "type")).expect("a type");
            let value = without_untyped_records(member(json, "value"), &ty);
            Json::object([("type", member(json, "type").clone()), ("value", value)])
        }
        (Json::Object(members), _) => Json::Object(
            members
                .iter()
                .map(|(name, member)| {
                    let inside = match ty {
                        Type::Map(element) | Type::Set(element) | Type::List(element) => Some(&**element),
                        Type::Object(object) => object.attribute_type(name),
                        _ => None,
                    };
                    (name.clone(), inside.map_or_else(|| member.clone(), |ty| without_untyped_records(member, ty)))
                })
                .collect(),
        ),
        (Json::Array(items), Type::List(element) | Type::Set(element)) => {
            Json::Array(items.iter().map(|item| without_untyped_records(item, element)).collect())
        }
        (Json::Array(items), Type::Tuple(tuple)) => Json::Array(
            items.iter().zip(tuple.elements()).map(|(item, ty)| without_untyped_records(item, ty)).collect(),
        ),
        _ => json.clone(),
    }
}

/// A vector, read.
struct Vector<'v> {
    json: &'v Json,
    fixture: Fixture,
    problems: Vec<String>,
}

impl Vector<'_> {
    fn value(&self, json: &Json) -> Value {
        Value::from_json(&without_untyped_records(json, &self.fixture.ty), &self.fixture.ty).expect("a value")
    }

    fn options(&self) -> &Json {
        member(self.json, "options")
    }

    fn stored(&self, created_first: Option<bool>) -> InstanceState {
        let state = member(self.json, "prior_state");
        if *state == Json::Null {
            return InstanceState::ABSENT;
        }
        let mut object = self.object(state);
        if let Some(flag) = created_first {
            object.create_before_destroy = flag;
        }
        InstanceState { current: Some(object), ..InstanceState::ABSENT }
    }

    fn object(&self, json: &Json) -> Object {
        let mut object = Object::ready(self.value(member(json, "value")));
        object.status = if flag(json, "tainted") { Status::Tainted } else { Status::Ready };
        object.private = private(json.member("private"));
        object.create_before_destroy = flag(json, "create_before_destroy");
        object.sensitive = paths(member(json, "sensitive"));
        object
    }

    fn presence(&self) -> Presence {
        let config = member(self.json, "config");
        if *config == Json::Null {
            return Presence::Orphan(Orphan::default());
        }
        let mut configured = configured(self.value(config), &paths(member(self.json, "config_sensitive")));
        configured.lifecycle.create_before_destroy = flag(self.options(), "create_before_destroy");
        configured.lifecycle.ignore_changes = match member(self.options(), "ignore_changes") {
            Json::String(_) => IgnoreChanges::All,
            entries => {
                let parse = |text| WrittenPath::parse(text).expect("a path");
                IgnoreChanges::Some(texts(entries).into_iter().map(parse).collect())
            }
        };
        Presence::Configured(Box::new(configured))
    }

    fn plan_options(&self) -> PlanOptions {
        PlanOptions { skip_refresh: true, replace: flag(self.options(), "replace"), ..PlanOptions::default() }
    }

    fn script(&self) -> Script {
        let mut script = Script { plan_destroy: flag(self.options(), "plan_destroy"), ..Script::default() };
        for answer in member(self.json, "answers").expect_array().expect("answers") {
            match answer.member("planned") {
                Some(planned) => script.plans.push_back(PlanAnswer {
                    planned: self.value(planned),
                    requires_replace: answer.member("requires_replace").map_or_else(Vec::new, |json| {
                        texts(json).into_iter().map(|text| WrittenPath::parse(text).expect("a path")).collect()
                    }),
                    private: private(answer.member("private")),
                    legacy_type_system: flag(answer, "legacy_type_system"),
                    deferred: answer.member("deferred").is_some(),
                    remarks: remarks(answer),
                }),
                None => script.applies.push_back(ApplyAnswer {
                    new_state: Some(self.value(member(answer, "state"))),
                    private: private(answer.member("private")),
                    legacy_type_system: flag(answer, "legacy_type_system"),
                    remarks: remarks(answer),
                }),
            }
        }
        script
    }

    fn expect(&mut self, holds: bool, problem: impl FnOnce() -> String) {
        if !holds {
            self.problems.push(problem());
        }
    }

    fn expect_value(&mut self, name: &str, got: &Value, want: &Json) {
        let want = self.value(want);
        let same = *got == want || (got.is_null() && want.is_null());
        self.expect(same, || format!("{name}: want {want:?}, got {got:?}"));
    }

    fn expect_requests(&mut self, script: &Script) {
        let want = member(member(self.json, "want"), "requests").expect_array().expect("requests").to_vec();
        let asked: Vec<&Asked> =
            script.asked.iter().filter(|asked| matches!(asked, Asked::Plan(_) | Asked::Apply(_))).collect();
        self.expect(asked.len() == want.len(), || format!("{} requests, want {}", asked.len(), want.len()));
        for (asked, want) in asked.into_iter().zip(&want) {
            let (name, parts, sent) = match asked {
                Asked::Plan(plan) => (
                    "plan",
                    [("prior", &plan.prior), ("config", &plan.config), ("proposed", &plan.proposed)],
                    &plan.private,
                ),
                Asked::Apply(apply) => (
                    "apply",
                    [("prior", &apply.prior), ("config", &apply.config), ("planned", &apply.planned)],
                    &apply.private,
                ),
                _ => continue,
            };
            self.expect(*member(want, "call") == Json::string(name), || format!("asked to {name}"));
            for (part, value) in parts {
                if let Some(want) = want.member(part) {
                    self.expect_value(&format!("{name} {part}"), value, want);
                }
            }
            let private = private(want.member("private"));
            self.expect(*sent == private, || format!("{name}: private {sent:?}, want {private:?}"));
        }
        let left = script.plans.len() + script.applies.len();
        self.expect(left == 0, || format!("{left} answers left"));
    }

    fn expect_errors(&mut self, diagnostics: &[Diagnostic]) {
        let mut got: Vec<(String, String)> = diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.is_error())
            .map(|diagnostic| (diagnostic.summary.to_string(), written(&diagnostic.path)))
            .collect();
        let errors = member(member(self.json, "want"), "errors").expect_array().expect("errors");
        let text = |error: &Json, name| member(error, name).expect_string().expect("text").to_owned();
        let want = |error: &Json| {
            let path = WrittenPath::parse(&text(error, "path")).expect("a path");
            (text(error, "summary"), written(&path))
        };
        let mut want: Vec<(String, String)> = errors.iter().map(want).collect();
        got.sort();
        want.sort();
        self.expect(got == want, || format!("errors {got:?}, want {want:?}"));
    }

    fn expect_object(&mut self, got: &Object, want: &Json) {
        let want = self.object(want);
        let (Stored::Value(value), Stored::Value(stored)) = (&got.stored, &want.stored) else {
            return self.problems.push("not a value".to_owned());
        };
        self.expect(value == stored, || format!("stored {value:?}, want {stored:?}"));
        self.expect(got.status == want.status, || format!("{:?}", got.status));
        self.expect(got.private == want.private, || format!("private {:?}", got.private));
        self.expect(got.create_before_destroy == want.create_before_destroy, || {
            format!("create_before_destroy {}", got.create_before_destroy)
        });
        self.expect(got.sensitive == want.sensitive, || format!("sensitive {:?}", got.sensitive.texts()));
    }

    fn plan(&mut self) {
        let want = member(self.json, "want");
        let mode = Mode::of_word(member(self.options(), "mode").expect_string().expect("a name")).expect("a mode");
        let request = PlanRequest {
            kind: ResourceKind::Managed,
            mode,
            options: self.plan_options(),
            state: self.stored(None),
            presence: self.presence(),
        };
        let mut script = self.script();
        let plan = self.fixture.plan(&request, &mut script).expect("no refusal");
        self.expect_requests(&script);
        self.expect_errors(&plan.diagnostics);
        let Some(action) = want.member("action") else { return };
        let [change] = plan.changes.as_slice() else {
            return self.problems.push(format!("{} changes", plan.changes.len()));
        };
        let action = action.expect_string().expect("a name");
        self.expect(change.change.action.name() == action, || format!("action {}", change.change.action));
        let reason = member(want, "action_reason").expect_string().unwrap_or_default();
        self.expect(change.reason.name() == reason, || format!("reason {}", change.reason));
        self.expect_value("before", change.change.before.value(), member(want, "before"));
        self.expect_value("after", change.change.after.value(), member(want, "after"));
        for (name, got) in [
            ("replace_paths", &change.required_replace),
            ("before_sensitive", change.change.before.sensitive()),
            ("after_sensitive", change.change.after.sensitive()),
        ] {
            let want = paths(member(want, name));
            self.expect(*got == want, || format!("{name} {:?}, want {:?}", got.texts(), want.texts()));
        }
        self.expect(change.private == private(want.member("private")), || format!("private {:?}", change.private));
    }

    fn apply(&mut self) {
        let planned = member(self.json, "planned");
        let change = |name, marks| Marked::new(self.value(member(planned, name)), &paths(member(planned, marks)));
        let action = member(planned, "action").expect_string().expect("a name");
        let change = ResourceInstanceChange {
            moved_from: None,
            deposed: None,
            change: Change {
                action: Action::from_name(action).expect("an action"),
                before: change("before", "before_sensitive"),
                after: change("after", "after_sensitive"),
                importing: None,
            },
            reason: planfuzz_core::plans::ActionReason::None,
            required_replace: PathSet::EMPTY,
            private: private(planned.member("private")),
        };
        // L06: the plan has set the flag where there is a configuration.
        let created_first =
            (change.change.action != Action::Delete).then(|| flag(self.options(), "create_before_destroy"));
        let request = ApplyRequest {
            kind: ResourceKind::Managed,
            options: self.plan_options(),
            state: self.stored(created_first),
            changes: vec![change],
            presence: self.presence(),
        };
        let mut script = self.script();
        let applied = self.fixture.apply(&request, &mut script).expect("no refusal");
        self.expect_requests(&script);
        self.expect_errors(&applied.diagnostics);
        let want = member(self.json, "want");
        match (&applied.state.current, member(want, "state")) {
            (None, Json::Null) => {}
            (Some(got), want) if *want != Json::Null => self.expect_object(got, want),
            (got, want) => self.problems.push(format!("stored {got:?}, want {}", want.to_compact())),
        }
        let deposed = member(want, "deposed").expect_array().expect("objects");
        self.expect(deposed.len() == applied.state.deposed.len(), || format!("{:?}", applied.state.deposed));
        for (got, want) in applied.state.deposed.values().zip(deposed) {
            self.expect_object(got, want);
        }
    }
}

fn remarks(answer: &Json) -> Vec<Remark> {
    let Some(diagnostics) = answer.member("diagnostics") else { return Vec::new() };
    let remark = |json: &Json| Remark {
        severity: match member(json, "severity").expect_string().expect("a name") {
            "error" => Severity::Error,
            _ => Severity::Warning,
        },
        summary: member(json, "summary").expect_string().expect("text").into(),
    };
    diagnostics.expect_array().expect("diagnostics").iter().map(remark).collect()
}

/// A path as vectors write it: attributes without quotes, whatever they hold, and template sequences in keys read once too
/// often.
fn written(path: &WrittenPath) -> String {
    let step = |step: &WrittenStep| match step {
        WrittenStep::Attribute(name) => format!(".{name}"),
        WrittenStep::Index(index) => format!("[{index}]"),
        WrittenStep::Key(key) => format!("[{}]", Json::string(key).to_compact()),
        WrittenStep::Element => "[<set element>]".to_owned(),
    };
    path.steps().iter().map(step).collect::<String>().replace("$${", "${").replace("%%{", "%{")
}

#[test]
fn the_recorded_lifecycle_vectors_hold() {
    let path: PathBuf =
        [env!("CARGO_MANIFEST_DIR"), "..", "..", "corpus", "recorded", "walks.jsonl.gz"].iter().collect();
    let file = File::open(path).expect("the recorded walks");
    let mut text = String::new();
    GzDecoder::new(file).read_to_string(&mut text).expect("a text file");
    let (mut checked, mut failures) = (0, Vec::new());
    for line in text.lines() {
        let json = Json::parse(line).expect("a document");
        let dialect: Dialect = member(&json, "dialect").expect_string().expect("a name").parse().expect("a dialect");
        let schema = Schema::from_json(member(&json, "schema")).expect("a schema");
        let mut vector = Vector { json: &json, fixture: Fixture::new(schema, dialect), problems: Vec::new() };
        match member(&json, "op").expect_string().expect("a name") {
            "plan_instance" => vector.plan(),
            "apply_instance" => vector.apply(),
            other => panic!("the operation {other}"),
        }
        checked += 1;
        if !vector.problems.is_empty() {
            failures.push(format!("{}: {}", member(&json, "id").to_compact(), vector.problems.join("; ")));
        }
    }
    let shown = failures.iter().take(20).cloned().collect::<Vec<_>>().join("\n");
    assert!(checked > 2_000 && failures.is_empty(), "{} of {checked} failed:\n{shown}", failures.len());
}
