//! A provider that gives the answers of a script, and otherwise those of a correct provider.

use std::collections::VecDeque;

use planfuzz_core::json::Json;
use planfuzz_core::planner::{
    ApplyAnswer, ApplyChange, Capabilities, ImportAnswer, ImportState, PlanAnswer, PlanChange, Provider, RawState,
    ReadAnswer, ReadData, ReadDataAnswer, ReadResource, Remark, Severity, UpgradeAnswer, UpgradeState, ValidateAnswer,
    ValidateConfig, summary,
};
use planfuzz_core::state::Private;
use planfuzz_core::value::{Type, Value, WrittenPath};

/// The provider: for each call the answers in order, of which the last is given again.
pub struct ScriptedProvider {
    ty: Type,
    script: Vec<(String, VecDeque<Json>)>,
}

impl ScriptedProvider {
    /// `script` is an object of the calls' names, each with an array of answers: `value`, `remark` (`warning` or an error's
    /// summary), `deferred`, `replace`, `fails`, `many`.
    pub fn new(ty: Type, script: &str) -> ScriptedProvider {
        let json = Json::parse(script).expect("JSON");
        let calls = json.expect_object().expect("an object").iter();
        let answers = |answers: &Json| answers.expect_array().expect("answers").iter().cloned().collect();
        ScriptedProvider { ty, script: calls.map(|(name, found)| (name.to_string(), answers(found))).collect() }
    }

    fn next(&mut self, call: &str) -> Json {
        let found = self.script.iter_mut().find(|(name, _)| name == call);
        match found {
            None => Json::object([]),
            Some((_, answers)) if answers.len() > 1 => answers.pop_front().expect("an answer"),
            Some((_, answers)) => answers.front().expect("an answer").clone(),
        }
    }

    fn value(&self, answer: &Json, default: Value) -> Value {
        answer.member("value").map_or(default, |json| Value::from_json(json, &self.ty).expect("a value"))
    }
}

fn remarks(answer: &Json) -> Vec<Remark> {
    let remark = |json: &Json| match json.expect_string().expect("a remark") {
        "warning" => Remark { severity: Severity::Warning, summary: "warning".into() },
        summary => Remark { severity: Severity::Error, summary: summary.into() },
    };
    answer.member("remark").map(remark).into_iter().collect()
}

fn is(answer: &Json, flag: &str) -> bool {
    answer.member(flag).is_some()
}

impl Provider for ScriptedProvider {
    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }

    fn validate(&mut self, _: ValidateConfig) -> ValidateAnswer {
        ValidateAnswer { remarks: remarks(&self.next("validate")) }
    }

    fn upgrade(&mut self, request: UpgradeState) -> UpgradeAnswer {
        let answer = self.next("upgrade");
        let RawState::Value(stored) = request.state else { panic!("not stored as it is") };
        UpgradeAnswer { upgraded: self.value(&answer, stored), remarks: remarks(&answer) }
    }

    fn read(&mut self, request: ReadResource) -> ReadAnswer {
        let answer = self.next("read");
        let new_state = self.value(&answer, request.current);
        let deferred = is(&answer, "deferred");
        ReadAnswer { new_state, private: request.private, deferred, remarks: remarks(&answer) }
    }

    fn plan(&mut self, request: PlanChange) -> PlanAnswer {
        let answer = self.next(if request.config.is_null() { "plan_destroy" } else { "plan" });
        let replace = |json: &Json| WrittenPath::parse(json.expect_string().expect("text")).expect("a path");
        PlanAnswer {
            planned: self.value(&answer, request.proposed),
            requires_replace: answer.member("replace").map(replace).into_iter().collect(),
            private: Private::NONE,
            legacy_type_system: false,
            deferred: is(&answer, "deferred"),
            remarks: remarks(&answer),
        }
    }

    fn apply(&mut self, request: ApplyChange) -> ApplyAnswer {
        let answer = self.next(if request.planned.is_null() { "destroy" } else { "apply" });
        let mut remarks = remarks(&answer);
        let fails = is(&answer, "fails");
        if fails {
            remarks.push(Remark { severity: Severity::Error, summary: summary::NO_ANSWER.into() });
        }
        let new_state = (!fails).then(|| self.value(&answer, request.planned));
        ApplyAnswer { new_state, private: Private::NONE, legacy_type_system: false, remarks }
    }

    fn import(&mut self, _: ImportState) -> ImportAnswer {
        let answer = self.next("import");
        let found = is(&answer, "value").then(|| (self.value(&answer, Value::null(self.ty.clone())), Private::NONE));
        let times = if is(&answer, "many") { 2 } else { 1 };
        let imported = found.into_iter().cycle().take(if is(&answer, "value") { times } else { 0 }).collect();
        ImportAnswer { imported, remarks: remarks(&answer) }
    }

    fn read_data(&mut self, request: ReadData) -> ReadDataAnswer {
        let answer = self.next("read_data");
        ReadDataAnswer { state: self.value(&answer, request.config), remarks: remarks(&answer) }
    }
}
