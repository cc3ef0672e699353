//! Plays models call by call, with a simple Core whose merge only keeps attributes that are computed and not configured.

use super::*;
use crate::model::Style;
use crate::places::{fill, object_of};
use planfuzz_core::json::Json;
use planfuzz_core::planner::{
    ApplyAnswer, ApplyChange, ImportState, PlanAnswer, PlanChange, Provider, RawState, ReadAnswer, ReadData,
    ReadResource, UpgradeState, ValidateConfig,
};
use planfuzz_core::schema::Schema;
use planfuzz_core::state::Private;
use planfuzz_core::value::{Type, ValueRef};

/// A provider, and the state that Core would keep.
struct Play {
    provider: ModelProvider,
    schema: Schema,
    ty: Type,
    /// The stored state.
    state: Value,
    private: Private,
}

impl Play {
    /// A model as a document, its schema inside.
    fn new(model: &str) -> Play {
        let model = Model::from_document(&Json::parse(model).expect("json")).expect("a model");
        let schema = match &model.style {
            Style::Framework { schema, .. } => Schema::clone(schema),
            Style::Sdk { schema, .. } => schema.core_schema(),
        };
        let provider = ModelProvider::of(&model).expect("a model that can be played");
        let ty = provider.model().object_type().clone();
        Play { provider, schema, state: Value::null(ty.clone()), private: Private::NONE, ty }
    }

    fn merged(&self, prior: &Value, config: &Value) -> Value {
        let is_kept = |name: &str, value: ValueRef<'_>| {
            value.is_null() && self.schema.block.attributes.get(name).is_some_and(|attribute| attribute.computed)
        };
        let members = config.view().entries().map(|(name, value)| match prior.view().member(name) {
            Some(prior) if is_kept(name, value) => prior.to_value(),
            _ => value.to_value(),
        });
        object_of(config.view(), members.collect())
    }

    fn value(&self, json: &str) -> Value {
        Value::from_json(&Json::parse(json).expect("json"), &self.ty).expect("a value")
    }

    fn text(&self, value: &Value) -> String {
        value.to_json(&self.ty).to_compact()
    }

    fn plan_from(&mut self, prior: &Value, config: &Value, private: &Private) -> PlanAnswer {
        let is_merge = !prior.is_null() && !config.is_null();
        let proposed = if is_merge { self.merged(prior, config) } else { config.clone() };
        let (prior, config, private) = (prior.clone(), config.clone(), private.clone());
        self.provider.plan(PlanChange { prior, config, proposed, private })
    }

    fn plan(&mut self, config: &str) -> PlanAnswer {
        let (state, config, private) = (self.state.clone(), self.value(config), self.private.clone());
        self.plan_from(&state, &config, &private)
    }

    /// Applies an answer to a plan, and stores the result.
    fn apply(&mut self, config: &str, plan: &PlanAnswer) -> ApplyAnswer {
        let answer = self.provider.apply(ApplyChange {
            prior: self.state.clone(),
            config: self.value(config),
            planned: plan.planned.clone(),
            private: plan.private.clone(),
        });
        let has_failed = !answer.remarks.is_empty();
        if let Some(state) = answer.new_state.clone().filter(|state| !(has_failed && state.is_null())) {
            (self.state, self.private) = (state, answer.private.clone());
        }
        answer
    }

    fn plan_and_apply(&mut self, config: &str) -> ApplyAnswer {
        let plan = self.plan(config);
        assert!(plan.remarks.is_empty(), "{:?}", plan.remarks);
        self.apply(config, &plan)
    }

    fn read(&mut self) -> ReadAnswer {
        let answer = self.provider.read(ReadResource { current: self.state.clone(), private: self.private.clone() });
        if answer.remarks.is_empty() {
            (self.state, self.private) = (answer.new_state.clone(), answer.private.clone());
        }
        answer
    }

    #[track_caller]
    fn check_state(&self, want: &str) {
        assert_eq!(self.text(&self.state), want);
    }
}

/// `id` computed, `a` optional, `oc` both, with more members in a model.
fn thing(more: &str) -> String {
    format!(
        r#"{{"style":"framework","seed":7,"schema":{{"block":{{"attributes":{{
            "id":{{"type":"string","computed":true}},
            "a":{{"type":"string","optional":true}},
            "oc":{{"type":"number","optional":true,"computed":true}}}}}}}}{more}}}"#
    )
}

const A_X: &str = r#"{"id":null,"a":"x","oc":null}"#;
const A_Y: &str = r#"{"id":null,"a":"y","oc":null}"#;
const NULL: &str = "null";

fn private(answer: &Private) -> String {
    answer.as_bytes().escape_ascii().to_string()
}

#[test]
fn a_trace_of_create_read_update_and_delete() {
    let mut play = Play::new(&thing(r#","rules":{"id":{"plan":["use_state_for_unknown"]}}"#));
    let plan = play.plan(A_X);
    assert_eq!(play.text(&plan.planned), r#"{"a":"x","id":{"$unknown":true},"oc":{"$unknown":true}}"#);
    assert_eq!(private(&plan.private), "new/plan/1");
    let created = play.apply(A_X, &plan);
    assert_eq!(private(&created.private), "r1/apply/1");
    play.check_state(r#"{"a":"x","id":"v227cb636","oc":72}"#);
    assert_eq!(play.read().new_state, play.state);
    assert_eq!(play.plan(A_X).planned, play.state, "nothing to do");
    let plan = play.plan(A_Y);
    assert_eq!(private(&plan.private), "r1/plan/2");
    assert_eq!(play.text(&plan.planned), r#"{"a":"y","id":"v227cb636","oc":{"$unknown":true}}"#);
    play.apply(A_Y, &plan);
    play.check_state(r#"{"a":"y","id":"v227cb636","oc":283}"#);
    let gone = play.plan_and_apply(NULL);
    assert!(gone.remarks.is_empty() && gone.private.is_none());
    play.check_state(NULL);
    assert_eq!(play.provider.remote_objects().count(), 0);
}

#[test]
fn everything_is_a_function_of_the_model_and_the_calls() {
    let trace = |play: &mut Play| {
        for config in [A_X, A_Y, A_X] {
            play.plan_and_apply(config);
            play.read();
        }
        play.text(&play.state)
    };
    let mut play = Play::new(&thing(""));
    let first = trace(&mut play);
    play.provider.restart();
    play.state = Value::null(play.ty.clone());
    play.private = Private::NONE;
    assert_eq!(trace(&mut play), first);
    let mut other = Play::new(&thing("").replace("\"seed\":7", "\"seed\":8"));
    assert_ne!(trace(&mut other), first);
}

#[test]
fn a_copy_goes_on_alone() {
    let mut play = Play::new(&thing(""));
    play.plan_and_apply(A_X);
    let copy = play.provider.clone();
    play.plan_and_apply(NULL);
    assert_eq!((play.provider.remote_objects().count(), copy.remote_objects().count()), (0, 1));
}

#[test]
fn outside_actions_are_seen_by_reads() {
    let mut play = Play::new(&thing(""));
    play.plan_and_apply(A_X);
    let path = |text| WrittenPath::parse(text).expect("a path");
    assert!(play.provider.drift(&[(path(".a"), Value::string("z")), (path(".nope"), Value::bool(true))]));
    assert!(!play.provider.drift(&[(path(".a"), Value::string("z"))]), "it is so already");
    play.read();
    play.check_state(r#"{"a":"z","id":"v227cb636","oc":72}"#);
    assert!(play.provider.vanish() && !play.provider.vanish());
    assert!(play.read().new_state.is_null());
    let appeared = play.value(r#"{"a":"q","id":"i","oc":1}"#);
    assert!(play.provider.appear(&appeared) && !play.provider.appear(&play.value(NULL)));
    assert!(!play.provider.appear(&Value::bool(true)));
    assert_eq!(play.provider.remote_objects().count(), 1);
}

#[test]
fn an_object_is_found_by_its_token_though_another_was_made_last() {
    let mut play = Play::new(&thing(""));
    play.plan_and_apply(A_X);
    let (old, old_private) = (play.state.clone(), play.private.clone());
    (play.state, play.private) = (Value::null(play.ty.clone()), Private::NONE);
    play.plan_and_apply(A_X);
    assert_eq!(private(&play.private), "r2/apply/1");
    let read = play.provider.read(ReadResource { current: old.clone(), private: old_private.clone() });
    assert_eq!(private(&read.private), "r1/read/1");
    let null = play.value(NULL);
    let plan = play.plan_from(&old, &null, &old_private);
    play.provider.apply(ApplyChange { prior: old, config: null.clone(), planned: null, private: plan.private });
    let left: Vec<u64> = play.provider.remote_objects().map(|(id, _)| id.0).collect();
    assert_eq!(left, [2]);
}

#[test]
fn remote_form_and_unreadable_decide_the_stored_and_the_read_value() {
    let rules = r#","rules":{"a":{"remote_form":"lower","equal":"case"},"oc":{"unreadable":true}}"#;
    let config = r#"{"id":null,"a":"ABC","oc":5}"#;
    let mut play = Play::new(&thing(rules));
    play.plan_and_apply(config);
    play.check_state(r#"{"a":"ABC","id":"v227cb636","oc":5}"#);
    let remote: Vec<String> = play.provider.remote_objects().map(|(_, value)| play.text(value)).collect();
    assert_eq!(remote, [r#"{"a":"abc","id":"v227cb636","oc":5}"#]);
    play.provider.drift(&[(WrittenPath::parse(".oc").expect("a path"), Value::number(6i64))]);
    assert_eq!(play.read().new_state, play.state, "equal texts, and what cannot be read stays");
    let mut play = Play::new(&thing(r#","rules":{"a":{"remote_form":"lower"}},"remote":{"respond":"remote"}"#));
    play.plan_and_apply(config);
    play.check_state(r#"{"a":"abc","id":"v227cb636","oc":5}"#);
}

#[test]
fn every_generator() {
    let attribute = |name: &str| format!(r#""{name}":{{"type":"string","computed":true}}"#);
    let names = ["c", "d", "e", "f", "g", "h", "i"];
    let attributes = names.map(attribute).join(",");
    let rules = r#""c":{"computed":{"fill":3}},"d":{"computed":{"copy":{"root":["plan",["a"]]}}},
        "e":{"computed":{"const":"K"}},"f":{"computed":"null"},"g":{"computed":{"counter":10}},
        "h":{"computed":{"once":{"counter":5}}},"i":{"computed":{"hash":[{"sibling":["plan","a"]}]}}"#;
    let model = format!(
        r#"{{"style":"framework","seed":7,"schema":{{"block":{{"attributes":{{
            "a":{{"type":"string","optional":true}},{attributes}}}}}}},"rules":{{{rules}}}}}"#
    );
    let config = |a: &str| format!(r#"{{"a":"{a}","c":null,"d":null,"e":null,"f":null,"g":null,"h":null,"i":null}}"#);
    let mut play = Play::new(&model);
    play.plan_and_apply(&config("x"));
    let filled = fill(&Type::String, crate::fnv::Fnv::EMPTY.then("7|c||0|3"));
    let filled = filled.view().as_text().expect("a text").clone();
    let hash = crate::expression::hash_text("x");
    play.check_state(&format!(r#"{{"a":"x","c":"{filled}","d":"x","e":"K","f":null,"g":"10","h":"5","i":"{hash}"}}"#));
    play.plan_and_apply(&config("y"));
    let filled = fill(&Type::String, crate::fnv::Fnv::EMPTY.then("7|c||1|3"));
    let filled = filled.view().as_text().expect("a text").clone();
    let hash = crate::expression::hash_text("y");
    play.check_state(&format!(r#"{{"a":"y","c":"{filled}","d":"y","e":"K","f":null,"g":"11","h":"5","i":"{hash}"}}"#));
}

#[test]
fn failures_happen_so_often_and_leave_the_named_attributes() {
    let mut play = Play::new(&thing(r#","failures":[{"on":"create"},{"on":"create","done":["a"]}]"#));
    let nothing = play.plan_and_apply(A_X);
    assert!(nothing.new_state.is_some_and(|state| state.is_null()) && nothing.remarks.len() == 1);
    assert_eq!(play.provider.remote_objects().count(), 0);
    let part = play.plan_and_apply(A_X);
    assert_eq!(part.remarks.len(), 1);
    play.check_state(r#"{"a":"x","id":null,"oc":null}"#);
    let mut play = Play::new(&thing(
        r#","failures":[{"on":"update","done":["a"]},{"on":"read","times":2,"when":{"eq":[{"root":["prior",["a"]]},{"const":"y"}]}},{"on":"delete"}]"#,
    ));
    play.plan_and_apply(A_X);
    assert_eq!(play.plan_and_apply(r#"{"id":null,"a":"y","oc":1}"#).remarks.len(), 1);
    play.check_state(r#"{"a":"y","id":"v227cb636","oc":72}"#);
    assert_eq!([0, 1, 2].map(|_| play.read().remarks.len()), [1, 1, 0]);
    assert_eq!(play.plan_and_apply(NULL).remarks.len(), 1);
    play.check_state(r#"{"a":"y","id":"v227cb636","oc":72}"#);
    play.plan_and_apply(NULL);
    play.check_state(NULL);
}

#[test]
fn a_missing_object_cannot_be_updated_but_deleted() {
    let mut play = Play::new(&thing(""));
    play.plan_and_apply(A_X);
    let before = play.text(&play.state);
    play.provider.vanish();
    assert_eq!(play.plan_and_apply(A_Y).remarks.len(), 1);
    play.check_state(&before);
    assert!(play.plan_and_apply(NULL).remarks.is_empty());
}

#[test]
fn l20_import_gives_the_id_and_read_the_rest() {
    let mut play = Play::new(&thing(""));
    for id in ["i", "j"] {
        let object = play.value(&format!(r#"{{"a":"{id}","id":"{id}","oc":1}}"#));
        assert!(play.provider.appear(&object));
    }
    let mut import = |id: &str| {
        let answer = play.provider.import(ImportState { id: id.into() });
        let [(value, private)] = &answer.imported[..] else { panic!("one object") };
        assert_eq!(play.text(value), format!(r#"{{"a":null,"id":"{id}","oc":null}}"#));
        let read = play.provider.read(ReadResource { current: value.clone(), private: private.clone() });
        play.text(&read.new_state)
    };
    assert_eq!(import("i"), r#"{"a":"i","id":"i","oc":1}"#);
    assert_eq!(import("none of them"), r#"{"a":"j","id":"j","oc":1}"#, "the newest");
}

#[test]
fn l144_data_sources_make_unconfigured_values() {
    let mut play = Play::new(&thing(""));
    let config = play.value(A_X);
    let answer = play.provider.read_data(ReadData { config });
    assert_eq!(play.text(&answer.state), r#"{"a":"x","id":"v227cb636","oc":72}"#);
}

#[test]
fn l05_upgrades_read_state_files() {
    let model = r#"{"style":"framework","schema":{"block":{"attributes":{
        "a":{"type":["list","number"],"optional":true},"d":{"type":"dynamic","optional":true}},"block_types":{
        "b":{"nesting_mode":"list","block":{"attributes":{"x":{"type":"bool","optional":true}}}}}}}}"#;
    let mut play = Play::new(model);
    let mut upgrade = |json: &str| {
        let state = RawState::Json(Json::parse(json).expect("json").into());
        let answer = play.provider.upgrade(UpgradeState { version: 0, state });
        match answer.remarks.first() {
            Some(remark) => Err(remark.summary.to_string()),
            None => Ok(play.text(&answer.upgraded)),
        }
    };
    assert_eq!(upgrade("{}").as_deref(), Ok(r#"{"a":null,"b":[],"d":null}"#));
    let full = r#"{"a":[1,2.5],"b":[{"x":true},{}],"d":{"value":["q"],"type":["list","string"]}}"#;
    let want = r#"{"a":[1,2.5],"b":[{"x":true},{"x":null}],"d":{"type":["list","string"],"value":["q"]}}"#;
    assert_eq!(upgrade(full).as_deref(), Ok(want));
    let error = |json: &str, upgrade: &mut dyn FnMut(&str) -> Result<String, String>| upgrade(json).expect_err(json);
    assert_eq!(error(r#"{"a":["x"]}"#, &mut upgrade), ".a[0]: expected a decimal number, found \"x\"");
    for json in [r#"{"z":1}"#, "[]", r#"{"b":{}}"#, r#"{"d":1}"#, r#"{"d":{"type":"string","value":[]}}"#] {
        error(json, &mut upgrade);
    }
}

#[test]
fn nonsense_is_answered_with_an_error() {
    let mut play = Play::new(&thing(""));
    let private = Private::from(b"\xff\x00".as_slice());
    let good = play.value(A_X);
    for value in [Value::bool(true), Value::unknown(play.ty.clone()), Value::null(Type::Dynamic), Value::object(vec![])]
    {
        let (null, private) = (play.value(NULL), private.clone());
        let plan = PlanChange {
            prior: null.clone(),
            config: value.clone(),
            proposed: value.clone(),
            private: private.clone(),
        };
        assert!(!play.provider.plan(plan).remarks.is_empty());
        let apply =
            ApplyChange { prior: value.clone(), config: good.clone(), planned: good.clone(), private: private.clone() };
        assert!(!play.provider.apply(apply).remarks.is_empty());
        assert!(!play.provider.read(ReadResource { current: value.clone(), private }).remarks.is_empty());
        assert!(!play.provider.validate(ValidateConfig { config: value.clone() }).remarks.is_empty());
        assert!(!play.provider.read_data(ReadData { config: value }).remarks.is_empty());
    }
    let null = play.value(NULL);
    let nothing = ApplyChange { prior: null.clone(), config: null.clone(), planned: null, private };
    assert!(!play.provider.apply(nothing).remarks.is_empty());
}

/// `a` and `oc` as in `thing`, `n` a block with a number, written with the SDK.
fn sdk_thing(more: &str) -> String {
    format!(
        r#"{{"style":"sdk","seed":7,"sdk_schema":{{"a":{{"type":"string","optional":true,"state_func":"lower"}},
            "oc":{{"type":"int","optional":true,"computed":true}},
            "n":{{"type":"list","optional":true,"elem":{{"resource":{{"x":{{"type":"int","optional":true}}}}}}}}}}{more}}}"#
    )
}

const SDK_X: &str = r#"{"a":"X","id":null,"n":[{"x":1}],"oc":null}"#;
const SDK_Y: &str = r#"{"a":"Y","id":null,"n":[],"oc":null}"#;

#[test]
fn a_trace_with_the_sdk() {
    let mut play = Play::new(&sdk_thing(""));
    assert!(!play.provider.capabilities().plan_destroy);
    let config = play.value(SDK_X);
    assert!(play.provider.validate(ValidateConfig { config }).remarks.is_empty());
    let plan = play.plan(SDK_X);
    assert!(plan.legacy_type_system);
    let want = r#"{"a":"x","id":{"$unknown":true},"n":[{"x":1}],"oc":{"$unknown":true}}"#;
    assert_eq!(play.text(&plan.planned), want);
    assert_eq!(private(&plan.private), r#"new/plan/1\n{\"a\":\"X\"}"#, "Z62");
    let created = play.apply(SDK_X, &plan);
    assert_eq!(private(&created.private), "r1/apply/1");
    let want = r#"{"a":"x","id":"v227cb636","n":[{"x":1}],"oc":72}"#;
    play.check_state(want);
    play.read();
    play.check_state(want);
    assert_eq!(play.plan(SDK_X).planned, play.state);
    play.plan_and_apply(SDK_Y);
    play.check_state(r#"{"a":"y","id":"v227cb636","n":[],"oc":72}"#);
    play.provider.drift(&[(WrittenPath::parse(".oc").expect("a path"), Value::number(5i64))]);
    play.read();
    play.check_state(r#"{"a":"y","id":"v227cb636","n":[],"oc":5}"#);
    play.plan_and_apply(NULL);
    assert_eq!(play.provider.remote_objects().count(), 0);
}

#[test]
fn failures_with_the_sdk() {
    let mut play =
        Play::new(&sdk_thing(r#","failures":[{"on":"create"},{"on":"update"},{"on":"update","done":["a"]}]"#));
    let nothing = play.plan_and_apply(SDK_X);
    assert!(nothing.new_state.is_some_and(|state| state.is_null()) && nothing.remarks.len() == 1);
    play.plan_and_apply(SDK_X);
    let before = play.text(&play.state);
    assert_eq!(play.plan_and_apply(SDK_Y).remarks.len(), 1);
    play.check_state(&before);
    assert_eq!(play.plan_and_apply(SDK_Y).remarks.len(), 1);
    play.check_state(r#"{"a":"y","id":"v227cb636","n":[{"x":1}],"oc":72}"#);
    let mut play = Play::new(&sdk_thing(r#","failures":[{"on":"create","done":["a"]}]"#));
    assert_eq!(play.plan_and_apply(SDK_X).remarks.len(), 1);
    play.check_state(r#"{"a":"x","id":"v227cb636","n":[],"oc":0}"#);
}

#[test]
fn z140_a_vanished_object_is_gone_for_the_sdk_too() {
    let mut play = Play::new(&sdk_thing(r#","rules":{"a":{"validate":[{"one_of":["X"]}]}}"#));
    play.plan_and_apply(SDK_X);
    play.provider.vanish();
    assert!(play.read().new_state.is_null());
    for (config, errors) in [(SDK_X, 0), (SDK_Y, 1)] {
        let config = play.value(config);
        assert_eq!(play.provider.validate(ValidateConfig { config }).remarks.len(), errors);
    }
}
