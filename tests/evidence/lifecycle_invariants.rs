//! The lifecycle invariants on recorded vectors: a real Terraform 1.11 breaks none of Core's, and reports those that its
//! providers broke.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

use base64::Engine as _;
use flate2::read::GzDecoder;
use planfuzz_core::address::ResourceKind;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::{Json, Word};
use planfuzz_core::planner::{
    Applied, ApplyAnswer, ApplyChange, ApplyRequest, ApplyWalk, Configured, Diagnostic, Exchange, IgnoreChanges,
    Lifecycle, Orphan, Plan, PlanAnswer, PlanChange, PlanOptions, PlanRequest, PlanWalk, Presence, Remark, Severity,
    StepTrace,
};
use planfuzz_core::plans::{Action, ActionReason, Change, Marked, Mode, ResourceInstanceChange};
use planfuzz_core::schema::Schema;
use planfuzz_core::state::{InstanceState, Object, Private, Status};
use planfuzz_core::value::{PathSet, Type, Value, WrittenPath};
use planfuzz_rules::{self, BrokenInvariant, Checking, Claims, INVARIANTS};

const DIALECT: Dialect = Dialect::TERRAFORM_1_11;

fn vectors() -> Vec<Json> {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "corpus", "recorded", "walks.jsonl.gz"].iter().collect();
    let mut text = String::new();
    GzDecoder::new(File::open(path).expect("the recorded walks")).read_to_string(&mut text).expect("a text file");
    text.lines().map(|line| Json::parse(line).expect("a document")).collect()
}

/// Reads a vector as a trace.
struct Reader<'v> {
    vector: &'v Json,
    ty: Type,
}

impl<'v> Reader<'v> {
    /// Whether every answer can be written as a value: providers refine unknowns of unknown type, which engines ignore.
    fn can_read(&self) -> bool {
        let answers = self.of("answers").expect_array().expect("answers").iter();
        let values = answers.filter_map(|answer| answer.member("planned").or(answer.member("state")));
        values.into_iter().all(|value| Value::from_json(value, &self.ty).is_ok())
    }

    fn value(&self, json: &Json) -> Value {
        Value::from_json(json, &self.ty).expect("a value")
    }

    fn of(&self, name: &str) -> &'v Json {
        member(self.vector, name)
    }

    fn option(&self, name: &str) -> bool {
        member(self.of("options"), name) == &Json::Bool(true)
    }

    fn object(&self, json: &Json) -> Option<Object> {
        if *json == Json::Null {
            return None;
        }
        let tainted = member(json, "tainted") == &Json::Bool(true);
        Some(Object {
            private: private(json),
            status: if tainted { Status::Tainted } else { Status::Ready },
            create_before_destroy: member(json, "create_before_destroy") == &Json::Bool(true),
            sensitive: paths(member(json, "sensitive")),
            ..Object::ready(self.value(member(json, "value")))
        })
    }

    fn state(&self) -> InstanceState {
        InstanceState { current: self.object(self.of("prior_state")), ..InstanceState::ABSENT }
    }

    fn options(&self) -> PlanOptions {
        PlanOptions { skip_refresh: true, replace: self.option("replace"), ..PlanOptions::default() }
    }

    fn presence(&self) -> Presence {
        if *self.of("config") == Json::Null {
            return Presence::Orphan(Orphan { module: true, ..Orphan::default() });
        }
        let ignore_changes = match member(self.of("options"), "ignore_changes") {
            Json::String(_) => IgnoreChanges::All,
            entries => IgnoreChanges::Some(paths(entries).iter().cloned().collect()),
        };
        let lifecycle = Lifecycle {
            create_before_destroy: self.option("create_before_destroy"),
            ignore_changes,
            ..Lifecycle::default()
        };
        let config = Marked::new(self.value(self.of("config")), &paths(self.of("config_sensitive")));
        Presence::Configured(Box::new(Configured {
            config,
            ephemeral: PathSet::EMPTY,
            at_validation: None,
            lifecycle,
            preconditions: Vec::new(),
            postconditions: Vec::new(),
            provisioners: Vec::new(),
            dependencies: Vec::new(),
            in_check: false,
        }))
    }

    fn exchanges(&self) -> Vec<Exchange> {
        let requests = member(self.of("want"), "requests").expect_array().expect("requests");
        let answers = self.of("answers").expect_array().expect("answers");
        requests.iter().zip(answers).map(|(request, answer)| self.exchange(request, answer)).collect()
    }

    fn exchange(&self, request: &Json, answer: &Json) -> Exchange {
        let of = |name| self.value(member(request, name));
        let legacy_type_system = answer.member("legacy_type_system") == Some(&Json::Bool(true));
        if *member(request, "call") == Json::string("apply") {
            return Exchange::Apply(
                ApplyChange {
                    prior: of("prior"),
                    config: of("config"),
                    planned: of("planned"),
                    private: private(request),
                },
                ApplyAnswer {
                    new_state: Some(self.value(member(answer, "state"))),
                    private: private(answer),
                    legacy_type_system,
                    remarks: remarks(answer),
                },
            );
        }
        let requires_replace = answer.member("requires_replace").map_or_else(Vec::new, written);
        Exchange::Plan(
            PlanChange {
                prior: of("prior"),
                config: of("config"),
                proposed: of("proposed"),
                private: private(request),
            },
            PlanAnswer {
                planned: self.value(member(answer, "planned")),
                requires_replace,
                private: private(answer),
                legacy_type_system,
                deferred: answer.member("deferred").is_some(),
                remarks: remarks(answer),
            },
        )
    }

    fn diagnostics(&self) -> Vec<Diagnostic> {
        let errors = member(self.of("want"), "errors").expect_array().expect("errors").iter();
        let read = |error: &Json| Diagnostic {
            severity: Severity::Error,
            summary: text(error, "summary").to_owned().into(),
            path: WrittenPath::parse(text(error, "path")).expect("a path"),
            rule: "",
        };
        errors.map(read).collect()
    }

    fn change(&self, json: &Json) -> ResourceInstanceChange {
        let marked = |name, marks| Marked::new(self.value(member(json, name)), &paths(member(json, marks)));
        let reason = member(json, "action_reason").expect_string().unwrap_or_default();
        ResourceInstanceChange {
            moved_from: None,
            deposed: None,
            change: Change {
                action: Action::from_name(text(json, "action")).expect("an action"),
                before: marked("before", "before_sensitive"),
                after: marked("after", "after_sensitive"),
                importing: None,
            },
            reason: ActionReason::from_name(reason).expect("a reason"),
            required_replace: json.member("replace_paths").map(paths).unwrap_or_default(),
            private: private(json),
        }
    }

    fn plan(&self) -> PlanWalk {
        let mode = Mode::of_word(text(self.of("options"), "mode")).expect("a mode");
        let state = self.state();
        let want = self.of("want");
        let changes: Vec<_> = want.member("action").iter().map(|_| self.change(want)).collect();
        let is_left = |change: &&ResourceInstanceChange| change.change.action != Action::Delete;
        let plan = Plan {
            previous_run: state.clone(),
            refreshed: state.clone(),
            working: changes.iter().find(is_left).map(|change| change.change.after.clone()),
            drift: None,
            applyable: false,
            diagnostics: self.diagnostics(),
            changes,
        };
        let request = PlanRequest {
            kind: ResourceKind::Managed,
            mode,
            options: self.options(),
            state,
            presence: self.presence(),
        };
        PlanWalk { request, exchanges: self.exchanges(), plan }
    }

    fn apply(&self) -> ApplyWalk {
        let want = self.of("want");
        let deposed = member(want, "deposed").expect_array().expect("objects");
        let deposed = deposed.iter().filter_map(|object| Some((Default::default(), self.object(object)?)));
        let state = InstanceState { current: self.object(member(want, "state")), deposed: deposed.collect() };
        ApplyWalk {
            request: ApplyRequest {
                kind: ResourceKind::Managed,
                options: self.options(),
                state: self.state(),
                changes: vec![self.change(self.of("planned"))],
                presence: self.presence(),
            },
            exchanges: self.exchanges(),
            applied: Applied { state, diagnostics: self.diagnostics() },
        }
    }

    /// The trace of one step: an apply follows a plan without calls.
    fn run(&self) -> StepTrace {
        if text(self.vector, "op") == "plan_instance" {
            return StepTrace { changed_outside: false, plan: self.plan(), apply: None };
        }
        let request = PlanRequest {
            kind: ResourceKind::Managed,
            mode: Mode::RefreshOnly,
            options: self.options(),
            state: InstanceState::ABSENT,
            presence: Presence::Orphan(Orphan::default()),
        };
        let plan = PlanWalk { request, exchanges: Vec::new(), plan: Plan::default() };
        StepTrace { changed_outside: false, plan, apply: Some(self.apply()) }
    }
}

fn member<'a>(json: &'a Json, name: &str) -> &'a Json {
    json.member(name).unwrap_or_else(|| panic!("the member {name}"))
}

fn text<'a>(json: &'a Json, name: &str) -> &'a str {
    member(json, name).expect_string().expect("a text")
}

fn private(json: &Json) -> Private {
    let bytes = json.member("private").and_then(|private| private.expect_string().ok());
    let bytes = bytes.map(|text| base64::engine::general_purpose::STANDARD.decode(text).expect("base64"));
    Private::from(bytes.unwrap_or_default().as_slice())
}

fn written(json: &Json) -> Vec<WrittenPath> {
    json.read_items(|path| Ok(WrittenPath::parse(path.expect_string()?).expect("a path"))).expect("paths")
}

fn paths(json: &Json) -> PathSet {
    written(json).into_iter().collect()
}

fn remarks(answer: &Json) -> Vec<Remark> {
    let read = |remark: &Json| Remark {
        severity: if text(remark, "severity") == "error" { Severity::Error } else { Severity::Warning },
        summary: text(remark, "summary").into(),
    };
    let remarks = answer.member("diagnostics").map_or(&[][..], |remarks| remarks.expect_array().expect("remarks"));
    remarks.iter().map(read).collect()
}

/// Wrong answers that a planner could give instead.
fn mutants(step: &StepTrace) -> Vec<(&'static str, StepTrace)> {
    let mut mutants = Vec::new();
    let mut add = |name, change: &dyn Fn(&mut StepTrace) -> bool| {
        let mut mutant = step.clone();
        if change(&mut mutant) {
            mutants.push((name, mutant));
        }
    };
    add("reports nothing", &|step| {
        let diagnostics = match &mut step.apply {
            Some(apply) => &mut apply.applied.diagnostics,
            None => &mut step.plan.plan.diagnostics,
        };
        let had_diagnostics = diagnostics.iter().any(|diagnostic| diagnostic.summary.starts_with("Provider "));
        diagnostics.clear();
        had_diagnostics
    });
    add("turns actions", &|step| match step.plan.plan.changes.first_mut() {
        Some(change) => {
            change.change.action = match change.change.action {
                Action::Update => Action::NoOp,
                Action::NoOp => Action::Update,
                Action::Create => Action::Delete,
                Action::Delete => Action::Create,
                _ => Action::Update,
            };
            true
        }
        None => false,
    });
    add("forgets private data", &|step| match step.plan.plan.changes.first_mut() {
        Some(change) => !std::mem::take(&mut change.private).is_none(),
        None => false,
    });
    add("loses what is saved", &|step| match &mut step.apply {
        Some(apply) => {
            let deposed = std::mem::take(&mut apply.applied.state.deposed);
            apply.applied.state.current.take().is_some() || !deposed.is_empty()
        }
        None => false,
    });
    add("taints otherwise", &|step| match step.apply.as_mut().and_then(|apply| apply.applied.state.current.as_mut()) {
        Some(object) => {
            object.status = if object.status == Status::Ready { Status::Tainted } else { Status::Ready };
            true
        }
        None => false,
    });
    add("sends something else", &|step| {
        let exchanges = match &mut step.apply {
            Some(apply) => &mut apply.exchanges,
            None => &mut step.plan.exchanges,
        };
        match exchanges.first_mut() {
            Some(Exchange::Plan(request, _)) => {
                std::mem::swap(&mut request.prior, &mut request.proposed);
                request.prior != request.proposed
            }
            _ => false,
        }
    });
    mutants
}

#[test]
fn recorded_runs_of_terraform_break_no_invariant_of_core() {
    let vectors = vectors();
    let mut checks = vec![0; INVARIANTS.len()];
    let (mut breaches, mut killed) = (BTreeMap::new(), BTreeMap::new());
    let mut wrong = Vec::new();
    let mut unreadable = 0;
    for vector in &vectors {
        let schema = Schema::from_json(member(vector, "schema")).expect("a schema");
        let reader = Reader { vector, ty: schema.implied_type(DIALECT) };
        if !reader.can_read() {
            unreadable += 1;
            continue;
        }
        let lifecycle = planfuzz_rules::Lifecycle::new(&schema, DIALECT);
        let step = reader.run();
        let held = lifecycle.check(std::slice::from_ref(&step), Claims::default());
        for (count, more) in checks.iter_mut().zip(held.checks) {
            *count += more;
        }
        for broken in &held.broken {
            *breaches.entry((broken.invariant, broken.tolerated)).or_insert(0) += 1;
        }
        if let Some(broken) = held.broken.iter().find(|broken| broken.is_of_planner()) {
            wrong.push(format!("{}: {broken:?}", text(vector, "id")));
        }
        for (name, mutant) in mutants(&step) {
            let held = lifecycle.check(&[mutant], Claims::default());
            let (found, all) = killed.entry(name).or_insert((0, 0));
            *all += 1;
            let is_found = held.broken.iter().any(BrokenInvariant::is_of_planner);
            *found += u64::from(is_found);
        }
    }
    for (info, count) in INVARIANTS.iter().zip(&checks).filter(|(info, _)| info.checking == Checking::OverTraces) {
        println!("{} {count} checks", info.id);
    }
    println!("{breaches:?}\n{killed:?}\n{unreadable} skipped: a refinement of an unknown of unknown type");
    assert!(unreadable < 40, "{unreadable} of {} cannot be read", vectors.len());
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), vectors.len(), wrong[..wrong.len().min(20)].join("\n"));
    for (name, (found, all)) in killed {
        assert!(found * 100 >= all * 95, "a planner that {name} is found in {found} of {all}");
    }
}
