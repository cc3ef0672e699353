//! Expressions and conditions by the tables of provider-model.md.

use proptest::prelude::*;

use super::text::hash_text;
use super::*;
use crate::expression::Scope;
use crate::fnv::Fnv;
use planfuzz_core::json::Json;
use planfuzz_core::value::Number;

/// A scene of one attribute.
struct One {
    config: Value,
    prior: Value,
    plan: Value,
}

impl Scene for One {
    fn this(&self, source: Source) -> Value {
        match source {
            Source::Config => self.config.clone(),
            Source::Prior => self.prior.clone(),
            Source::Plan => self.plan.clone(),
        }
    }

    fn object(&self, source: Source) -> Value {
        Value::object(vec![("a".into(), self.this(source))])
    }

    fn root(&self, source: Source) -> Value {
        self.object(source)
    }

    fn operation(&self) -> Operation {
        Operation::Update
    }
}

fn one(ty: &Type, config: &str, prior: &str, plan: &str) -> One {
    let read = |text: &str| Value::from_json(&Json::parse(text).expect("a document"), ty).expect("a value");
    One { config: read(config), prior: read(prior), plan: read(plan) }
}

fn texts(config: &str, prior: &str, plan: &str) -> One {
    one(&Type::String, config, prior, plan)
}

#[track_caller]
fn holds(scene: &One, cond: &str, want: Tri) {
    let scope = Scope::of_attribute(scene.plan.ty().clone());
    let cond = Cond::from_json(&Json::parse(cond).expect("a document"), &scope).expect("a condition");
    assert_eq!(cond.holds(scene), want, "{cond:?}");
}

#[track_caller]
fn gives(scene: &One, expr: &str, target: &Type, want: &str) {
    let scope = Scope::of_attribute(scene.plan.ty().clone());
    let expr = Expr::from_json(&Json::parse(expr).expect("a document"), Some(target), &scope).expect("an expression");
    let got = expr.value(target, scene);
    assert!(got.ty().conforms_to(target), "{got:?}");
    assert_eq!(got.to_json(target).to_compact(), want, "{expr:?}");
}

const UNKNOWN: &str = r#"{"$unknown":true}"#;

#[test]
fn conditions_are_three_valued() {
    let scene = texts("null", r#""x""#, UNKNOWN);
    holds(&scene, r#"{"is_null":{"this":"config"}}"#, Tri::True);
    holds(&scene, r#"{"is_null":{"this":"plan"}}"#, Tri::Unknown);
    holds(&scene, r#"{"is_unknown":{"this":"plan"}}"#, Tri::True);
    holds(&scene, r#"{"changed":{"this":"prior"}}"#, Tri::Unknown);
    holds(&scene, r#"{"changed":"a"}"#, Tri::Unknown);
    holds(&scene, r#"{"eq":[{"this":"prior"},{"const":"x"}]}"#, Tri::True);
    holds(&scene, r#"{"eq":[{"this":"prior"},"unknown"]}"#, Tri::Unknown);
    holds(&scene, r#"{"all":[{"is_null":{"this":"plan"}},false]}"#, Tri::False);
    holds(&scene, r#"{"all":[{"is_null":{"this":"plan"}},true]}"#, Tri::Unknown);
    holds(&scene, r#"{"any":[{"is_null":{"this":"plan"}},true]}"#, Tri::True);
    holds(&scene, r#"{"any":[{"is_null":{"this":"plan"}},false]}"#, Tri::Unknown);
    holds(&scene, r#"{"not":{"is_null":{"this":"plan"}}}"#, Tri::Unknown);
    holds(&scene, r#"{"op":"update"}"#, Tri::True);
}

#[test]
fn null_is_equal_to_null_only_and_less_than_nothing() {
    let scene = texts("null", "null", r#""x""#);
    holds(&scene, r#"{"eq":[{"this":"config"},"null"]}"#, Tri::True);
    holds(&scene, r#"{"eq":[{"this":"plan"},"null"]}"#, Tri::False);
    holds(&scene, r#"{"same":["always",{"this":"plan"},"null"]}"#, Tri::False);
    holds(&scene, r#"{"lt":["null",{"const":1}]}"#, Tri::False);
    holds(&scene, r#"{"changed":"a"}"#, Tri::True);
}

#[test]
fn a_partly_unknown_list_neither_changed_nor_did_not() {
    let scene = one(&Type::list(Type::String), "null", r#"["x"]"#, r#"["x",{"$unknown":true}]"#);
    holds(&scene, r#"{"changed":"a"}"#, Tri::Unknown);
    holds(&scene, r#"{"partly_unknown":{"this":"plan"}}"#, Tri::True);
    holds(&scene, r#"{"is_unknown":{"this":"plan"}}"#, Tri::False);
}

#[test]
fn expressions_pass_unknown_and_null_on_but_for_texts() {
    let scene = texts("null", r#""x""#, UNKNOWN);
    gives(
        &scene,
        r#"{"concat":[{"this":"prior"},{"this":"config"},{"const":1.50},{"const":true}]}"#,
        &Type::String,
        r#""x1.5true""#,
    );
    gives(&scene, r#"{"concat":[{"this":"prior"},{"this":"plan"}]}"#, &Type::String, UNKNOWN);
    gives(&scene, r#"{"add":[{"const":9223372036854775807},{"const":0.25}]}"#, &Type::Number, "9223372036854775807.25");
    gives(&scene, r#"{"add":[{"const":1},"null"]}"#, &Type::Number, "null");
    gives(&scene, r#"{"add":[{"length":{"this":"prior"}},{"const":-1}]}"#, &Type::String, r#""0""#);
    gives(&scene, r#"{"hash":[{"this":"prior"},{"this":"config"}]}"#, &Type::String, &format!("{:?}", hash_text("x|")));
    gives(&scene, r#"{"if":[{"is_null":{"this":"plan"}},{"const":"y"},"null"]}"#, &Type::String, UNKNOWN);
    gives(&scene, r#"{"if":[{"is_null":{"this":"config"}},{"const":"y"},"null"]}"#, &Type::String, r#""y""#);
    gives(&scene, r#"{"this":"prior"}"#, &Type::Number, "null");
    gives(&scene, r#"{"canon":[{"prefix":"x"},{"this":"prior"}]}"#, &Type::String, r#""x""#);
    gives(&scene, r#"{"canon":[{"prefix":"y"},{"this":"prior"}]}"#, &Type::String, r#""yx""#);
}

#[test]
fn the_hash_is_fnv_1a() {
    assert_eq!(Fnv::EMPTY.get(), 0xcbf2_9ce4_8422_2325);
    assert_eq!(Fnv::EMPTY.then("7|id||0").get() >> 32, 0x227c_b636);
}

#[test]
fn equivalences_relate_the_texts_that_they_name() {
    let related = |equiv: &Equiv, a: &str, b: &str| equiv.relates_texts(a, b);
    assert!(related(&Equiv::Case, "Straße K", "stRAßE \u{212a}") && !related(&Equiv::Case, "ı", "i"));
    assert!(related(&Equiv::Trim, " a\n", "a") && !related(&Equiv::Trim, "a b", "ab"));
    assert!(related(&Equiv::Json, r#"{"b":1,"a":[ ]}"#, r#"{"a":[],"b":1}"#));
    assert!(!related(&Equiv::Json, "{", "{ "));
    assert!(related(&Equiv::NewEmpty, "x", "") && !related(&Equiv::NewEmpty, "", "x"));
    let list = |items: &[i64]| {
        Value::list(&Type::Number, items.iter().map(|item| Value::number(Number::from(*item))).collect())
            .expect("a list")
    };
    let relates = |a: &[i64], b: &[i64]| Equiv::Unordered.relates(list(a).view(), list(b).view());
    assert!(relates(&[1, 2, 1], &[2, 1, 1]) && !relates(&[1, 2, 2], &[2, 1, 1]) && !relates(&[1], &[1, 1]));
}

fn canons() -> impl Strategy<Value = Canon> {
    prop_oneof![
        Just(Canon::Lower),
        Just(Canon::Trim),
        Just(Canon::Json),
        Just(Canon::Prefix("p".into())),
        Just(Canon::Sorted),
        Just(Canon::Unique),
    ]
}

fn some_text() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), r#"[ \{\}\[\]":,a-cA-CÅİ0-9e\\u]{0,12}"#.prop_map(String::from)]
}

proptest! {
    #[test]
    fn canonical_forms_are_their_own(canon in canons(), text in some_text(), list in prop::collection::vec("[ab]{0,2}", 0..5)) {
        let list = Value::list(&Type::String, list.iter().map(|text| Value::string(text)).collect()).expect("a list");
        for value in [Value::string(&text), list] {
            let once = canon.value(value);
            prop_assert_eq!(canon.value(once.clone()), once);
        }
    }

    #[test]
    fn every_canonical_form_has_its_equivalence(text in some_text()) {
        let text = Value::string(&text);
        let text = text.view().as_text().expect("a text");
        for (canon, equiv) in [(Canon::Lower, Equiv::Case), (Canon::Trim, Equiv::Trim), (Canon::Json, Equiv::Json)] {
            prop_assert!(equiv.relates_texts(text, &canon.text(text)), "{:?} {:?}", canon, text);
        }
    }

    #[test]
    fn sums_are_those_of_whole_numbers(a in any::<i64>(), b in any::<i64>()) {
        let sum = sum::sum(&Value::number(a), &Value::number(b));
        let want = (i128::from(a) + i128::from(b)).to_string();
        prop_assert_eq!(sum.view().as_number().map(|sum| sum.text().into_owned()), Some(want));
    }
}
