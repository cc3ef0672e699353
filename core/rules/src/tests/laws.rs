//! Rules whose wrong answers cannot be written as text.

use super::{rules_of, schema};
use crate::{Answered, Rules};
use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::Request;
use planfuzz_core::value::{Node, Text, Type, Value};

const SET: &str =
    r#"{"block_types":{"s":{"nesting_mode":"set","block":{"attributes":{"n":{"type":"string","optional":true}}}}}}"#;

fn element(text: &str) -> Value {
    Value::object(vec![(Text::new("n"), Value::string(text))])
}

fn whole(elements: Vec<Value>) -> Value {
    let set = Value::set(element("").ty(), elements).expect("elements of one type");
    Value::object(vec![(Text::new("s"), set)])
}

fn proposed(config: &Value, answer: Answered<'_>) -> Vec<&'static str> {
    let schema = schema(SET);
    let prior = Value::null(config.ty().clone());
    let rules = Rules::new(&schema, Dialect::TERRAFORM_1_11);
    rules_of(&rules.check(Request::ProposedNew { prior: &prior, config }, answer))
}

#[test]
fn v03_an_answer_of_another_type_breaks_it() {
    let config = whole(vec![element("a")]);
    assert_eq!(proposed(&config, Answered::Value(&config)), [""; 0]);
    assert_eq!(proposed(&config, Answered::Value(&Value::bool(true))), ["V03"]);
    assert_eq!(proposed(&config, Answered::Violations(&[])), ["M01"]);
}

#[test]
fn v50_a_set_out_of_order_or_with_an_element_twice_breaks_it() {
    let config = whole(vec![element("a"), element("b")]);
    let Type::Object(object) = config.ty() else { panic!("an object") };
    let set_ty = object.attributes()[0].ty.clone();
    for order in [["b", "a"], ["a", "a"]] {
        let set = Value::from_parts(set_ty.clone(), Node::seq(order.map(|n| element(n).into_parts().1).to_vec()));
        let answer = Value::object(vec![(Text::new("s"), set)]);
        assert_eq!(proposed(&config, Answered::Value(&answer))[0], "V50");
    }
}

#[test]
fn mp07_a_set_too_large_to_compare_is_counted() {
    let numbered = |count: usize| whole((0..count).map(|number| element(&number.to_string())).collect());
    let config = numbered(600);
    assert_eq!(proposed(&config, Answered::Value(&config)), [""; 0]);
    assert_eq!(proposed(&config, Answered::Value(&numbered(601))), ["MP07"]);
    assert_eq!(proposed(&config, Answered::Value(&numbered(0))), ["MP07"]);
}

/// Wrong in more places than the limit of findings.
#[test]
fn findings_on_one_answer_are_bounded() {
    let schema = schema(
        r#"{"attributes":{"l":{"optional":true,"nested_type":{"nesting_mode":"list","attributes":{"n":{"type":"string","optional":true}}}}}}"#,
    );
    let list = |text| {
        let list = Value::list(element("").ty(), vec![element(text); 1000]).expect("elements of one type");
        Value::object(vec![(Text::new("l"), list)])
    };
    let (config, answer) = (list("a"), list("b"));
    let rules = Rules::new(&schema, Dialect::TERRAFORM_1_11);
    let request = Request::ProposedNew { prior: &config, config: &config };
    assert_eq!(rules.check(request, Answered::Value(&answer)).broken.len(), 50);
}

/// Sets of sets in which pairs of elements differ only at their end.
#[test]
fn sets_within_sets_are_compared_in_time() {
    let schema = schema(
        r#"{"block_types":{"s":{"nesting_mode":"set","block":{"block_types":{"t":{"nesting_mode":"set","block":{"attributes":{"n":{"type":"string","optional":true}}}}}}}}}"#,
    );
    let inner = |end: usize| whole((0..200).map(|at| element(&format!("{}", at + end * (at / 199)))).collect());
    let outer = |ends: std::ops::Range<usize>| {
        let renamed = |object: Value| {
            let set = object.view().member("s").map(|set| set.to_value());
            Value::object(set.map(|set| (Text::new("t"), set)).into_iter().collect())
        };
        let elements: Vec<_> = ends.map(inner).map(renamed).collect();
        let set = Value::set(elements[0].ty(), elements.clone()).expect("elements of one type");
        Value::object(vec![(Text::new("s"), set)])
    };
    let (planned, actual) = (outer(0..200), outer(200..400));
    let prior = Value::null(planned.ty().clone());
    let rules = Rules::new(&schema, Dialect::TERRAFORM_1_11);
    let started = std::time::Instant::now();
    rules.check(Request::ProposedNew { prior: &prior, config: &planned }, Answered::Value(&actual));
    rules.check(Request::NormalizeLegacy { value: &planned }, Answered::Value(&actual));
    let request = Request::AssertObjectCompatible { planned: &planned, actual: &actual };
    rules.check(request, Answered::Violations(&[]));
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}

/// An object with a set in an invalid order.
fn disordered(elements: Vec<Value>) -> Value {
    let ty = whole(elements.clone()).view().member("s").map(|set| set.ty().clone()).expect("a set");
    let nodes = elements.into_iter().map(|element| element.into_parts().1).collect();
    Value::object(vec![(Text::new("s"), Value::from_parts(ty, Node::seq(nodes)))])
}

#[test]
fn v50_holds_for_normal_forms() {
    let (schema, value) = (schema(SET), whole(vec![element("a"), element("b")]));
    let rules = Rules::new(&schema, Dialect::TERRAFORM_1_11);
    let answer = disordered(vec![element("b"), element("a")]);
    let checked = rules.check(Request::NormalizeLegacy { value: &value }, Answered::Value(&answer));
    assert_eq!(rules_of(&checked), ["V50"]);
}

#[test]
fn v50_holds_for_prepared_values() {
    let schema = schema(
        r#"{"attributes":{"t":{"type":["set","string"],"optional":true}},"block_types":{"b":{"nesting_mode":"list","block":{"attributes":{"x":{"type":"string","computed":true}},"computed":true}}}}"#,
    );
    let dialect = Dialect::TERRAFORM_1_17;
    let ty = schema.implied_type(dialect);
    let json = planfuzz_core::json::Json::parse(r#"{"b":null,"t":["a","b"]}"#).expect("JSON");
    let value = Value::from_json(&json, &ty).expect("a value");
    let [b, t] = ["b", "t"].map(|name| value.view().member(name).expect("a member").to_value());
    let order = ["b", "a"].map(|text| Value::string(text).into_parts().1).to_vec();
    let set = Value::from_parts(t.ty().clone(), Node::seq(order));
    let answer = Value::object(vec![(Text::new("b"), b), (Text::new("t"), set)]);
    let rules = Rules::new(&schema, dialect);
    let checked = rules.check(Request::PrepareComputedBlocks { value: &value }, Answered::Value(&answer));
    assert_eq!(rules_of(&checked), ["V50"]);
}

/// The elements are equal in any order, so only the wrong order is found.
#[test]
fn v50_holds_within_the_elements_of_sets() {
    let schema = schema(
        r#"{"block_types":{"o":{"nesting_mode":"set","block":{"attributes":{"k":{"type":"string","optional":true}},"block_types":{"s":{"nesting_mode":"set","block":{"attributes":{"n":{"type":"string","optional":true}}}}}}}}}"#,
    );
    let outer = |inner: &dyn Fn() -> Value| {
        let set = || inner().view().member("s").expect("a set").to_value();
        let of = |k| Value::object(vec![(Text::new("k"), Value::string(k)), (Text::new("s"), set())]);
        let elements = vec![of("1"), of("2")];
        let whole = Value::set(elements[0].ty(), elements.clone()).expect("elements of one type");
        Value::object(vec![(Text::new("o"), whole)])
    };
    let config = outer(&|| whole(vec![element("a"), element("b")]));
    let answer = outer(&|| disordered(vec![element("b"), element("a")]));
    let prior = Value::null(config.ty().clone());
    let rules = Rules::new(&schema, Dialect::TERRAFORM_1_11);
    let request = Request::ProposedNew { prior: &prior, config: &config };
    assert_eq!(rules_of(&rules.check(request, Answered::Value(&answer))), ["V50"]);
}

#[test]
fn m11_a_group_within_a_set_is_named() {
    let schema = schema(
        r#"{"attributes":{"s":{"optional":true,"nested_type":{"nesting_mode":"set","attributes":{"g":{"optional":true,"nested_type":{"nesting_mode":"group","attributes":{"n":{"type":"string","optional":true}}}}}}}}}"#,
    );
    let ty = schema.implied_type(Dialect::TERRAFORM_1_17);
    let json = planfuzz_core::json::Json::parse(r#"{"s":[{"g":{"n":"a"}},{"g":{"n":"b"}}]}"#).expect("JSON");
    let config = Value::from_json(&json, &ty).expect("a value");
    let prior = Value::null(ty);
    let rules = Rules::new(&schema, Dialect::TERRAFORM_1_17);
    let checked = rules.check(Request::ProposedNew { prior: &prior, config: &config }, Answered::Value(&config));
    assert_eq!(rules_of(&checked)[0], "M11");
}

#[test]
fn large_sets_are_judged_where_their_elements_are_equal() {
    let schema = schema(SET);
    let numbered = |text: &str| whole((0..600).map(|number| element(&format!("{text}{number}"))).collect());
    let rules = Rules::new(&schema, Dialect::TERRAFORM_1_11);
    let compatible = |planned: &Value, actual: &Value, found: &[String]| {
        rules_of(&rules.check(Request::AssertObjectCompatible { planned, actual }, Answered::Violations(found)))
    };
    let (a, b) = (numbered("a"), numbered("b"));
    assert_eq!(compatible(&a, &a, &[]), [""; 0]);
    assert_eq!(compatible(&a, &a, &[".s".to_owned()]).len(), 1);
    // These are too many pairs, so any list of violations counts as right.
    assert_eq!(compatible(&a, &b, &[]), [""; 0]);
}
