//! The natural violations (section 4 of provider-model.md): models without faults in which pipeline and Core together break an
//! invariant. Each violates the condition that exists because of it.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::planner::{
    ApplyAnswer, ApplyChange, PlanAnswer, PlanChange, Planner as _, Prepared, Provider as _, ReadResource,
};
use planfuzz_core::schema::Schema;
use planfuzz_core::state::Private;
use planfuzz_core::value::{Type, Value};
use planfuzz_pipelines::model::{Model, Style};
use planfuzz_pipelines::remote::ModelProvider;
use planfuzz_pipelines::well_behaved::{breaches, is_idempotent, is_well_behaved};
use planfuzz_reference::Reference;

fn model(document: &str) -> Model {
    Model::from_document(&Json::parse(document).expect("json")).expect("a model")
}

/// A provider, and the state that Core would keep of it.
struct Play {
    provider: ModelProvider,
    schema: Schema,
    ty: Type,
    state: Value,
    private: Private,
}

impl Play {
    fn new(model: &Model) -> Play {
        let Style::Framework { schema, .. } = &model.style else { panic!("a framework model") };
        let provider = ModelProvider::of(model).expect("a model that can be played");
        let ty = provider.model().object_type().clone();
        let schema = Schema::clone(schema);
        Play { provider, schema, state: Value::null(ty.clone()), private: Private::NONE, ty }
    }

    fn planner(&self) -> Box<dyn Prepared + '_> {
        Reference.prepare(&self.schema, Dialect::default())
    }

    fn value(&self, json: &str) -> Value {
        Value::from_json(&Json::parse(json).expect("json"), &self.ty).expect("a value")
    }

    fn text(&self, value: &Value) -> String {
        value.to_json(&self.ty).to_compact()
    }

    fn plan(&mut self, config: &str) -> PlanAnswer {
        let (prior, config, private) = (self.state.clone(), self.value(config), self.private.clone());
        let proposed = self.planner().proposed_new(&prior, &config).expect("a merge");
        let answer = self.provider.plan(PlanChange { prior, config, proposed, private });
        assert!(answer.remarks.is_empty(), "{:?}", answer.remarks);
        answer
    }

    fn plan_and_apply(&mut self, config: &str) -> ApplyAnswer {
        let plan = self.plan(config);
        let answer = self.provider.apply(ApplyChange {
            prior: self.state.clone(),
            config: self.value(config),
            planned: plan.planned,
            private: plan.private,
        });
        self.state = answer.new_state.clone().expect("an answer");
        self.private = answer.private.clone();
        answer
    }

    fn read(&mut self) {
        let answer = self.provider.read(ReadResource { current: self.state.clone(), private: self.private.clone() });
        (self.state, self.private) = (answer.new_state, answer.private);
    }
}

/// A model of these attributes, block types and rules, which violates a condition.
fn play(attributes: &str, blocks: &str, rules: &str, condition: &str) -> Play {
    let document = format!(
        r#"{{"style":"framework","seed":7,"schema":{{"block":{{"attributes":{{{attributes}}},"block_types":{{{blocks}}}}}}},"rules":{{{rules}}}}}"#
    );
    let model = model(&document);
    let ids: Vec<&str> = breaches(&model).iter().map(|breach| breach.condition.id()).collect();
    assert!(ids.contains(&condition), "{ids:?}");
    Play::new(&model)
}

/// The paths at which Core refuses a plan (I06).
fn refused(play: &Play, config: &str, plan: &PlanAnswer) -> Vec<String> {
    let violations =
        play.planner().assert_plan_valid(&play.state, &play.value(config), &plan.planned).expect("an answer");
    violations.iter().map(|violation| violation.path.to_string()).collect()
}

/// The paths at which the second plan contradicts the first (I20).
fn contradicted(play: &Play, first: &PlanAnswer, second: &PlanAnswer) -> Vec<String> {
    let violations = play.planner().assert_object_compatible(&first.planned, &second.planned).expect("an answer");
    violations.iter().map(|violation| violation.path.to_string()).collect()
}

/// I36: after every apply the next plan has changes again.
#[track_caller]
fn never_settles(play: &mut Play, config: &str) {
    for _ in 0..3 {
        let answer = play.plan_and_apply(config);
        assert!(answer.remarks.is_empty(), "{:?}", answer.remarks);
        play.read();
        assert_ne!(play.plan(config).planned, play.state);
    }
}

fn nested(mode: &str, flags: &str, attributes: &str) -> String {
    format!(r#"{{{flags},"nested_type":{{"nesting_mode":"{mode}","attributes":{{{attributes}}}}}}}"#)
}

const BOTH: &str = r#"{"type":"string","optional":true,"computed":true}"#;
const OPTIONAL: &str = r#"{"type":"string","optional":true}"#;

#[test]
fn n1_a_default_overwrites_what_is_configured_inside_a_set() {
    let inside = format!(r#""a":{OPTIONAL},"b":{BOTH},"c":{{"type":"string","computed":true}}"#);
    let attributes = format!(r#""s":{}"#, nested("set", r#""optional":true"#, &inside));
    let mut play = play(&attributes, "", r#""s.b":{"default":"d"}"#, "W2");
    let config = r#"{"s":[{"a":"x","b":"custom","c":null}]}"#;
    play.plan_and_apply(config);
    let again = play.plan(config);
    assert!(play.text(&again.planned).contains(r#""b":"d""#), "I06: {}", play.text(&again.planned));
}

#[test]
fn n2_a_default_is_planned_where_the_element_is_unknown() {
    let inside = r#""d":{"type":"number","optional":true,"computed":true}"#;
    let attributes = format!(r#""l":{}"#, nested("list", r#""optional":true"#, inside));
    let mut play = play(&attributes, "", r#""l.d":{"default":1}"#, "W3");
    let open = r#"{"l":[{"$unknown":true}]}"#;
    assert_eq!(play.plan(open).planned, play.value(open), "M17: an element without a prior stays as it is");
    play.plan_and_apply(r#"{"l":[{"d":5}]}"#);
    let first = play.plan(open);
    assert_eq!(play.text(&first.planned), r#"{"l":[{"d":1}]}"#);
    assert_eq!(refused(&play, open, &first), [".l[0].d"], "I06");
    let second = play.plan(r#"{"l":[{"d":2}]}"#);
    assert_eq!(contradicted(&play, &first, &second), [".l[0].d"], "I20");
}

#[test]
fn n3_replacement_is_asked_for_in_the_second_plan_only() {
    let attributes = format!(r#""b":{}"#, nested("single", r#""required":true"#, &format!(r#""e":{OPTIONAL}"#)));
    let mut play = play(&attributes, "", r#""b.e":{"plan":["requires_replace"]}"#, "W9");
    play.plan_and_apply(r#"{"b":{"e":"x"}}"#);
    assert!(play.plan(r#"{"b":{"$unknown":true}}"#).requires_replace.is_empty());
    let second = play.plan(r#"{"b":{"e":"y"}}"#);
    assert_eq!(second.requires_replace.iter().map(ToString::to_string).collect::<Vec<_>>(), [".b.e"], "I22");
}

#[test]
fn n4_a_default_below_what_is_computed_never_settles() {
    let flags = r#""optional":true,"computed":true"#;
    let attributes = format!(r#""n":{}"#, nested("single", flags, &format!(r#""d":{BOTH}"#)));
    never_settles(&mut play(&attributes, "", r#""n.d":{"default":"d"}"#, "W3"), r#"{"n":null}"#);
}

#[test]
fn n5_a_default_with_computed_fields_never_settles() {
    let flags = r#""optional":true,"computed":true"#;
    let attributes = format!(r#""o":{}"#, nested("single", flags, &format!(r#""x":{BOTH},"y":{OPTIONAL}"#)));
    let mut play = play(&attributes, "", r#""o":{"default":{"x":"dx","y":"dy"}}"#, "W3");
    never_settles(&mut play, r#"{"o":null}"#);
}

#[test]
fn n6_a_made_value_that_could_have_been_configured_never_settles() {
    let flags = r#""optional":true,"computed":true"#;
    let attributes = format!(r#""n":{}"#, nested("single", flags, &format!(r#""f":{OPTIONAL}"#)));
    never_settles(&mut play(&attributes, "", "", "W10"), r#"{"n":null}"#);
}

#[test]
fn n7_a_kept_value_other_than_configured_never_settles() {
    let document = format!(
        r#"{{"style":"framework","schema":{{"block":{{"attributes":{{"a":{OPTIONAL},"c":{{"type":"string","computed":true}}}}}}}},
        "rules":{{"a":{{"plan":[{{"keep_state_if":"case"}}]}}}}}}"#
    );
    let model = model(&document);
    assert!(is_well_behaved(&model) && !is_idempotent(&model), "W6: only where the configuration is as the state");
    let mut play = Play::new(&model);
    play.plan_and_apply(r#"{"a":"x","c":null}"#);
    assert_eq!(play.plan(r#"{"a":"x","c":null}"#).planned, play.state);
    never_settles(&mut play, r#"{"a":"X","c":null}"#);
}

#[test]
fn n8_a_computed_set_inside_a_set_never_settles() {
    let block = r#""kk":{"type":"string","required":true},"e":{"type":["set","bool"],"computed":true}"#;
    let blocks = format!(r#""y":{{"nesting_mode":"set","block":{{"attributes":{{{block}}}}}}}"#);
    never_settles(&mut play("", &blocks, "", "W2"), r#"{"y":[{"kk":"A","e":null}]}"#);
}
