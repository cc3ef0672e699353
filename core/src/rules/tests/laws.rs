//! Rules whose wrong answers no reader would read.

use super::{rules_of, schema};
use crate::dialect::Dialect;
use crate::planner::Request;
use crate::rules::{Answered, Rules};
use crate::value::{Node, Text, Type, Value};

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

/// Wrong in more places than anyone reads.
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

/// Sets of sets in which no pair of elements can be told apart before its end.
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
