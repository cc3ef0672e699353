//! The example lines of the rules, and sets so large that a quadratic algorithm would be noticed.

use std::time::{Duration, Instant};

use super::super::Number;
use super::super::naive::number;
use super::super::{Node, Text, Truth, Type, Value};
use super::*;

fn text(text: &str) -> Node {
    Node::String(Text::new(text))
}

/// Writes a payload so that payloads that V30 distinguishes look different.
fn show(node: &Node) -> String {
    let parts = || node.parts().iter().map(show).collect::<Vec<_>>().join(" ");
    match node {
        Node::Null => "null".into(),
        Node::Unknown(None) => "?".into(),
        Node::Unknown(Some(_)) => "?!".into(),
        Node::Bool(Truth(bool)) => bool.to_string(),
        Node::Number(number) => number.text().into_owned(),
        Node::String(text) => format!("{text:?}"),
        Node::Seq(_) => format!("[{}]", parts()),
        Node::Map(map) => format!("{:?}:[{}]", map.keys(), parts()),
    }
}

fn check(element: &Type, elements: Vec<Node>, want: &[&str]) {
    let shown: Vec<_> = build(element, elements).as_slice().iter().map(show).collect();
    assert_eq!(shown, want);
}

fn refined() -> Node {
    let record = super::super::Refinement { not_null: true, ..Default::default() };
    Node::Unknown(Some(triomphe::Arc::new(record)))
}

fn object_of_number() -> Type {
    Type::object([(Text::new("n"), Type::Number)])
}

fn one(node: Node) -> Node {
    Node::seq(vec![node])
}

#[test]
fn v50_equal_numbers_are_one() {
    let numbers = ["10", "9", "1e1", "-1", "2.5", "0.1"].map(number).to_vec();
    check(&Type::Number, numbers, &["-1", "0.1", "2.5", "9", "10"]);
}

#[test]
fn v50_unknown_strings_all_stay_and_come_before_the_one_null() {
    let elements =
        vec![text("b"), text("a"), Node::UNKNOWN, Node::Null, refined(), text("a"), text("B"), text(""), Node::Null];
    check(&Type::String, elements, &["\"\"", "\"B\"", "\"a\"", "\"b\"", "?", "?!", "null"]);
}

#[test]
fn v50_both_zeros_stay_in_the_order_of_their_crcs() {
    check(&Type::Number, ["0", "-0"].map(number).to_vec(), &["-0", "0"]);
    check(&Type::Number, ["-0", "0", "0", "-0"].map(number).to_vec(), &["-0", "0"]);
}

#[test]
fn v53_numbers_within_objects_compare_as_text() {
    let mut elements = ["9", "10", "100"].map(|text| one(number(text))).to_vec();
    elements.extend([one(Node::Null), one(Node::UNKNOWN), Node::Null, Node::UNKNOWN]);
    check(&object_of_number(), elements, &["[100]", "[10]", "[9]", "[?]", "[null]", "?", "null"]);
}

#[test]
fn v55_numbers_of_one_key_stay_in_insertion_order() {
    let elements = ["12345678902", "12345678901", "12345678902"].map(|text| one(number(text))).to_vec();
    check(&object_of_number(), elements, &["[12345678902]", "[12345678901]"]);
}

#[test]
fn v55_a_list_comes_before_its_prefixes() {
    let list = |texts: &[&str]| Node::seq(texts.iter().map(|item| text(item)).collect());
    let elements = vec![list(&["b"]), list(&["a"]), list(&["a", "c"]), list(&[]), Node::Null];
    check(&Type::list(Type::String), elements, &["[\"a\" \"c\"]", "[\"a\"]", "[\"b\"]", "[]", "null"]);
}

#[test]
fn v55_a_map_comes_before_the_same_without_some_key() {
    let map = |entries: &[(&str, &str)]| {
        let entries = entries.iter().map(|(key, value)| (Text::new(key), Value::string(value))).collect();
        Value::map(&Type::String, entries).expect("one type").node().clone()
    };
    let elements = vec![map(&[("b", "1")]), map(&[("a", "2")]), map(&[("a", "1"), ("b", "1")]), map(&[])];
    let want = ["[\"a\", \"b\"]:[\"1\" \"1\"]", "[\"a\"]:[\"2\"]", "[\"b\"]:[\"1\"]", "[]:[]"];
    check(&Type::map(Type::String), elements, &want);
}

#[test]
fn v54_strings_within_elements_are_ordered_by_their_quoted_form() {
    let elements = ["é", "z", "~", "\n", "\u{1}", "\"", "a b"].map(|item| one(text(item))).to_vec();
    let want = ["[\"\\\"\"]", "[\"\\n\"]", "[\"\\u{1}\"]", "[\"a b\"]", "[\"z\"]", "[\"~\"]", "[\"é\"]"];
    check(&Type::tuple(vec![Type::String]), elements, &want);
}

#[test]
fn v56_negative_zeros_within_elements_are_sorted_by_insertion() {
    let element = Type::tuple(vec![Type::Number]);
    let elements = ["0", "-0", "-1"].map(|text| one(number(text))).to_vec();
    let want = super::super::naive::build(&element, &elements);
    check(
        &element,
        elements,
        &want.iter().map(show).collect::<Vec<_>>().iter().map(|text| &**text).collect::<Vec<_>>(),
    );
}

/// Builds a set of a size at which squares take minutes.
fn check_time(element: &Type, elements: Vec<Node>, want: usize) {
    let start = Instant::now();
    assert_eq!(build(element, elements).len(), want);
    assert!(start.elapsed() < Duration::from_secs(20), "took {:?}", start.elapsed());
}

#[test]
fn v50_many_unknown_elements_take_no_square() {
    check_time(&Type::String, vec![Node::UNKNOWN; 50_000], 50_000);
    check_time(&object_of_number(), vec![Node::UNKNOWN; 50_000], 50_000);
    check_time(&object_of_number(), (0..50_000).map(|_| one(Node::UNKNOWN)).collect(), 50_000);
}

#[test]
fn v50_many_elements_of_one_key_take_no_square() {
    let numbers = |count: i64| (0..count).map(|n| one(Node::Number(Number::from(123_456_789_100_000_000 + n))));
    check_time(&object_of_number(), numbers(50_000).chain(numbers(50_000)).collect(), 50_000);
}

#[test]
fn v50_many_equal_elements_take_no_square() {
    check_time(&object_of_number(), (0..50_000).map(|_| one(number("7"))).collect(), 1);
    check_time(&Type::Bool, (0..50_000).map(|n| Node::Bool(Truth(n % 2 == 0))).collect(), 2);
}

#[test]
fn v56_many_zeros_take_no_square() {
    let zeros = |bits: u32| Node::seq((0..15).map(|at| number(if bits >> at & 1 == 1 { "-0" } else { "0" })).collect());
    check_time(&Type::list(Type::Number), (0..1 << 15).map(zeros).collect(), 1 << 15);
}

#[test]
fn v50_equal_numbers_to_the_two_sides_of_a_tenth_digit_both_stay() {
    let (text, float, between) = super::super::naive::STRADDLING;
    let twin = Node::Number(Number::from_f64(float).expect("a number"));
    let (Node::Number(exact), Node::Number(rounded)) = (number(text), &twin) else { panic!("numbers") };
    assert!(exact.equals(rounded) && exact.compare(rounded).is_lt());
    assert_ne!(exact.key_text(), rounded.key_text());
    assert_eq!(build(&Type::Number, vec![number(text), twin.clone(), number(between), twin]).len(), 3);
    let same_digits = Node::Number(Number::from_f64(2.5).expect("a number"));
    check(&Type::Number, vec![same_digits, number("2.5")], &["2.5"]);
}
