//! The laws that shortcuts rest on, and the crash cases. The rules themselves are tested by the examples of the
//! specification, for all planners alike.

use super::compatible::{Compare, Pair};
use super::here::Here;
use super::program::Object;
use super::*;
use planfuzz_core::json::Json;
use planfuzz_core::value::{Node, Type, ValueRef};

/// A block in short: `attributes` and `block_types` as schema JSON has them.
struct Fixture {
    schema: Schema,
    dialect: Dialect,
    ty: Type,
}

impl Fixture {
    fn new(block: &str, dialect: Dialect) -> Fixture {
        let schema = Schema::parse(&format!(r#"{{"block":{block}}}"#)).expect("a schema");
        let ty = schema.block.implied_type(dialect);
        Fixture { schema, dialect, ty }
    }

    fn value(&self, json: &str) -> Value {
        Value::from_json(&Json::parse(json).expect("JSON"), &self.ty).expect("a value of the schema")
    }

    fn prepared(&self) -> Box<dyn Prepared + '_> {
        Optimized.prepare(&self.schema, self.dialect)
    }

    fn proposed(&self, prior: &str, config: &str) -> Result<Value, Refusal> {
        self.prepared().proposed_new(&self.value(prior), &self.value(config))
    }

    #[track_caller]
    fn check_proposed(&self, prior: &str, config: &str, want: &str) {
        let got = self.proposed(prior, config).expect("no refusal");
        assert_eq!(got.to_json(&self.ty).to_compact(), self.value(want).to_json(&self.ty).to_compact());
    }

    #[track_caller]
    fn check_valid(&self, prior: &str, config: &str, planned: &str, want: &[&str]) {
        let found = self.prepared().assert_plan_valid(&self.value(prior), &self.value(config), &self.value(planned));
        assert_eq!(paths(found.expect("no refusal")), want);
    }

    #[track_caller]
    fn check_compatible(&self, planned: &str, actual: &str, want: &[&str]) {
        let found = self.prepared().assert_object_compatible(&self.value(planned), &self.value(actual));
        assert_eq!(paths(found.expect("no refusal")), want);
    }
}

fn paths(violations: Vec<Violation>) -> Vec<String> {
    let mut paths: Vec<_> = violations.iter().map(|violation| violation.path.to_string()).collect();
    paths.sort();
    paths
}

/// A member of an object, shared.
fn member(value: &Value, name: &str) -> Node {
    value.view().member(name).expect("a member").node().clone()
}

const T11: Dialect = Dialect::TERRAFORM_1_11;
const T17: Dialect = Dialect::TERRAFORM_1_17;
const TOFU: Dialect = Dialect::OPENTOFU_1_12;

const PAIRS: &str = r#"{"block_types":{"s":{"nesting_mode":"set","block":{"attributes":{
    "c":{"type":"string","optional":true,"computed":true},"k":{"type":"string","optional":true}}}}}}"#;

#[test]
fn m02_a_configuration_that_changes_nothing_gives_the_prior_itself() {
    let fixture = Fixture::new(
        r#"{"attributes":{"c":{"type":"string","computed":true},"o":{"type":"number","optional":true}}}"#,
        T11,
    );
    let (prior, config) = (fixture.value(r#"{"c":"1","o":2}"#), fixture.value(r#"{"c":null,"o":2}"#));
    let proposed = fixture.prepared().proposed_new(&prior, &config).expect("no refusal");
    assert!(proposed.node().ptr_eq(prior.node()));
}

#[test]
fn v21_a_number_of_another_precision_is_not_taken_for_the_prior_one() {
    let fixture = Fixture::new(
        r#"{"attributes":{"c":{"type":"string","computed":true},"o":{"type":"number","optional":true}}}"#,
        T11,
    );
    let of = |c: Value, o: f64| {
        let number = planfuzz_core::value::Number::from_f64(o).expect("a number");
        Value::object(vec![("c".into(), c), ("o".into(), Value::number(number))])
    };
    let prior = of(Value::string("1"), 1.1);
    let config = fixture.value(r#"{"c":null,"o":1.1}"#);
    let proposed = fixture.prepared().proposed_new(&prior, &config).expect("no refusal");
    assert!(!proposed.node().ptr_eq(prior.node()));
}

#[test]
fn v96_a_set_that_gets_its_own_elements_back_is_the_prior_set() {
    let fixture = Fixture::new(PAIRS, T11);
    let prior = fixture.value(r#"{"s":[{"c":"9","k":"a"},{"c":"1","k":"b"}]}"#);
    let config = fixture.value(r#"{"s":[{"c":null,"k":"a"},{"c":null,"k":"b"}]}"#);
    let proposed = fixture.prepared().proposed_new(&prior, &config).expect("no refusal");
    assert!(member(&proposed, "s").ptr_eq(&member(&prior, "s")));
}

#[test]
fn v96_a_set_without_computed_members_is_the_configured_one() {
    let block = r#"{"block_types":{"s":{"nesting_mode":"set","block":{"attributes":{"k":{"type":"string","optional":true}}}}}}"#;
    let fixture = Fixture::new(block, T11);
    let config = fixture.value(r#"{"s":[{"k":"a"},{"k":{"$unknown":true}}]}"#);
    let proposed = fixture.prepared().proposed_new(&fixture.value("null"), &config).expect("no refusal");
    assert!(proposed.node().ptr_eq(config.node()));
}

#[test]
fn m16_an_unknown_element_is_no_element_that_decides_alone() {
    let block = r#"{"block_types":{"s":{"nesting_mode":"set","block":{"attributes":{"k":{"type":"string","optional":true}}}}}}"#;
    Fixture::new(block, T11).check_proposed(
        r#"{"s":[{"k":"a"}]}"#,
        r#"{"s":[{"$unknown":true}]}"#,
        r#"{"s":[{"k":null}]}"#,
    );
}

#[test]
fn m19_more_specific_elements_choose_first_at_any_size() {
    let fixture = Fixture::new(PAIRS, T11);
    let elements = |of: &dyn Fn(usize) -> String| (0..40).map(of).collect::<Vec<_>>().join(",");
    let prior = elements(&|i| format!(r#"{{"c":"{i:02}","k":"same"}}"#));
    let free = elements(&|_| r#"{"c":null,"k":"same"}"#.to_owned());
    // Equal configured elements are one, which takes the first prior element that the other one leaves.
    fixture.check_proposed(
        &format!(r#"{{"s":[{prior}]}}"#),
        &format!(r#"{{"s":[{free},{{"c":"00","k":"same"}}]}}"#),
        r#"{"s":[{"c":"00","k":"same"},{"c":"01","k":"same"}]}"#,
    );
}

#[test]
fn m23_null_prior_elements_wait_with_the_others_by_index() {
    let block = r#"{"attributes":{"s":{"optional":true,"nested_type":{"nesting_mode":"set","attributes":{
        "id":{"type":"string","computed":true},"n":{"type":"string","required":true}}}}}}"#;
    let fixture = Fixture::new(block, T11);
    let prior: Vec<_> = (0..20).map(|i| format!(r#"{{"id":"{i}","n":"n{i:02}"}}"#)).collect();
    // The null comes last and matches an element that no other matches; then it is used.
    fixture.check_proposed(
        &format!(r#"{{"s":[null,{}]}}"#, prior.join(",")),
        r#"{"s":[{"id":null,"n":"n07"},{"id":null,"n":"new"},{"id":null,"n":"newer"}]}"#,
        r#"{"s":[{"id":"7","n":"n07"},{"id":null,"n":"new"},{"id":null,"n":"newer"}]}"#,
    );
}

/// H01, H03: tables find what a scan finds, for elements that collide in every way.
#[test]
fn h01_tables_give_the_same_elements_as_a_scan() {
    let block = r#"{"block_types":{"s":{"nesting_mode":"set","block":{"attributes":{
        "a":{"type":"string","optional":true,"computed":true},"b":{"type":"string","optional":true,"computed":true},
        "k":{"type":"string","optional":true},"t":{"type":["set","string"],"optional":true,"computed":true}},
        "block_types":{"l":{"nesting_mode":"list","block":{"attributes":{"x":{"type":"string","computed":true}}}}}}}}}"#;
    let fixture = Fixture::new(block, T11);
    let root = Object::of_block(&fixture.schema.block, T11);
    let object = &root.members[0].inner().expect("a block").object;
    let mut dice = Dice(7);
    for _ in 0..2_000 {
        let set = |elements: &[String]| member(&fixture.value(&format!(r#"{{"s":[{}]}}"#, elements.join(","))), "s");
        let priors: Vec<_> = (0..5 + dice.roll(6)).map(|_| dice.element()).collect();
        // Where most elements are those of the other set, few are skipped.
        let share = [0, 5, 9][dice.roll(3) as usize];
        let of_prior = |dice: &mut Dice| dice.roll(10) < share;
        let configs: Vec<_> = (0..5 + dice.roll(6) as usize)
            .map(|index| match priors.get(index) {
                Some(prior) if of_prior(&mut dice) => prior.clone(),
                _ => dice.element(),
            })
            .collect();
        let (prior, config) = (set(&priors), set(&configs));
        let mut tables = waiting::Waiting::after(0, object, prior.parts(), usize::MAX);
        let mut scan = waiting::Waiting::after(0, object, prior.parts(), 0);
        for element in config.parts() {
            let place = |taken: Option<waiting::Taken>| taken.map(|taken| taken.index);
            assert_eq!(place(tables.take(element)), place(scan.take(element)));
        }
    }
}

/// Numbers in a fixed order that looks like none.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn leaf(&mut self) -> &'static str {
        ["null", "\"x\"", "\"y\"", "null", "{\"$unknown\":true}"][self.roll(5) as usize]
    }

    fn element(&mut self) -> String {
        if self.roll(12) == 0 {
            return ["null", "{\"$unknown\":true}"][self.roll(2) as usize].to_owned();
        }
        let (a, b, k, x) = (self.leaf(), self.leaf(), self.leaf(), self.leaf());
        let t = ["null", "[]", "[\"x\"]"][self.roll(3) as usize];
        let l = ["[]".to_owned(), format!(r#"[{{"x":{x}}}]"#), "[null]".to_owned()][self.roll(3) as usize].clone();
        format!(r#"{{"a":{a},"b":{b},"k":{k},"t":{t},"l":{l}}}"#)
    }
}

/// H07: partners found by hash are those found by trying all pairs.
#[test]
fn h07_tables_count_as_many_lonely_elements_as_all_pairs_do() {
    let block = r#"{"block_types":{"s":{"nesting_mode":"set","block":{"attributes":{
        "a":{"type":"string","optional":true},"b":{"type":"string","optional":true},
        "k":{"type":"string","optional":true},"t":{"type":["set","string"],"optional":true}},
        "block_types":{"l":{"nesting_mode":"list","block":{"attributes":{"x":{"type":"string","optional":true}}}}}}}}}"#;
    let fixture = Fixture::new(block, T11);
    let root = Object::of_block(&fixture.schema.block, T11);
    let object = &root.members[0].inner().expect("a block").object;
    let mut dice = Dice(11);
    for _ in 0..2_000 {
        let set = |dice: &mut Dice| {
            let elements: Vec<_> = (0..5 + dice.roll(4)).map(|_| dice.element()).collect();
            member(&fixture.value(&format!(r#"{{"s":[{}]}}"#, elements.join(","))), "s")
        };
        let (planned, actual) = (set(&mut dice), set(&mut dice));
        let goes_with = |p: &Node, v: &Node| {
            let pair = Pair::new(ValueRef::new(&object.ty, p), ValueRef::new(&object.ty, v));
            let mut compare = Compare::new(T11);
            compare.block(object, pair, &Here::Root).expect("no refusal");
            compare.violations.is_empty()
        };
        let alone = |these: &[Node], those: &[Node], goes: &dyn Fn(&Node, &Node) -> bool| {
            these.iter().filter(|this| !those.iter().any(|that| goes(this, that))).count()
        };
        let mut want = alone(planned.parts(), actual.parts(), &goes_with);
        if want == 0 {
            want = alone(actual.parts(), planned.parts(), &|v, p| goes_with(p, v));
        }
        want += usize::from(planned.parts().len() < actual.parts().len());
        let set_ty = Type::set(object.ty.clone());
        let mut compare = Compare::new(T11);
        let pair = Pair::new(ValueRef::new(&set_ty, &planned), ValueRef::new(&set_ty, &actual));
        compare.set_of_blocks(object, pair, &Here::Root).expect("no refusal");
        assert_eq!(compare.violations.len(), want);
    }
}

#[test]
fn ac11_a_set_of_sets_has_no_places() {
    let fixture = Fixture::new(r#"{"attributes":{"v":{"type":["set",["set","string"]],"optional":true}}}"#, T11);
    let rest = r#"["p"],["q"],["r"],["s"],["t"]"#;
    fixture.check_compatible(
        &format!(r#"{{"v":[["m",{{"$unknown":true}}],{rest}]}}"#),
        &format!(r#"{{"v":[["a","m"],{rest}]}}"#),
        &[],
    );
}

#[test]
fn ac15_an_unknown_map_block_in_a_set_is_refused_only_where_some_pair_reads_it() {
    let block = r#"{"block_types":{"s":{"nesting_mode":"set","block":{"attributes":{"k":{"type":"string","optional":true}},
        "block_types":{"m":{"nesting_mode":"map","block":{"attributes":{"x":{"type":"string","optional":true}}}}}}}}}"#;
    let fixture = Fixture::new(block, T11);
    let known = r#"{"s":[{"k":"a","m":{"e":{"x":"1"}}}]}"#;
    let unknown = r#"{"s":[{"k":"a","m":{"$unknown":true}}]}"#;
    let compare =
        |planned, actual| fixture.prepared().assert_object_compatible(&fixture.value(planned), &fixture.value(actual));
    assert_eq!(compare(known, unknown).expect_err("a refusal").rule, "AC20");
    assert!(compare(unknown, unknown).expect("no refusal").is_empty());
}

#[test]
fn p05_a_shared_objects_are_not_looked_into_but_for_null_blocks() {
    let block = r#"{"attributes":{"a":{"type":"string","optional":true}},"block_types":{"l":{"nesting_mode":"list","block":{}}}}"#;
    for (dialect, want) in [(T11, vec![]), (T17, vec![".l"])] {
        let fixture = Fixture::new(block, dialect);
        let value = fixture.value(r#"{"a":"1","l":null}"#);
        let found = fixture.prepared().assert_plan_valid(&fixture.value("null"), &value, &value);
        assert_eq!(paths(found.expect("no refusal")), want);
    }
}

#[test]
fn p04_members_of_null_objects_are_refused_by_opentofu_where_there_are_any() {
    let of = |attributes: &str, dialect| {
        let block = format!(
            r#"{{"attributes":{{"z":{{"type":"string","optional":true}},"s":{{"optional":true,"nested_type":{{"nesting_mode":"list","attributes":{attributes}}}}}}}}}"#
        );
        Fixture::new(&block, dialect)
    };
    let answer = |fixture: &Fixture, config: &str| {
        let (prior, planned) = (fixture.value("null"), fixture.value(r#"{"z":null,"s":[null]}"#));
        fixture.prepared().assert_plan_valid(&prior, &fixture.value(config), &planned).map(paths)
    };
    let computed = r#"{"n":{"type":"string","optional":true,"computed":true}}"#;
    let different = r#"{"z":null,"s":[{"n":null}]}"#;
    assert_eq!(answer(&of(computed, TOFU), different).expect_err("a refusal").rule, "P04");
    assert!(answer(&of(computed, T11), different).expect("no refusal").is_empty());
    assert!(answer(&of("{}", TOFU), r#"{"z":null,"s":[{}]}"#).expect("no refusal").is_empty());
}

#[test]
fn p10_a_map_planned_for_an_object_of_blocks_is_refused_once_an_entry_is_looked_for() {
    let block = r#"{"block_types":{"s":{"nesting_mode":"map","block":{"attributes":{"n":{"type":"dynamic","optional":true}}}}}}"#;
    let fixture = Fixture::new(block, T11);
    let of = |ty: &str, value: &str| fixture.value(&format!(r#"{{"s":{{"type":{ty},"value":{value}}}}}"#));
    let config = of(r#"["object",{"a":["object",{"n":"string"}]}]"#, r#"{"a":{"n":"1"}}"#);
    let answer = |planned: &str| {
        let planned = of(r#"["map",["object",{"n":"string"}]]"#, planned);
        fixture.prepared().assert_plan_valid(&fixture.value("null"), &config, &planned).map(paths)
    };
    assert_eq!(answer(r#"{"a":{"n":"1"}}"#).expect_err("a refusal").rule, "P10 4");
    assert_eq!(answer(r#"{"a":{"$unknown":true}}"#).expect("no refusal"), [".s[\"a\"]"]);
    assert_eq!(answer("{}").expect("no refusal"), [".s"]);
}

#[test]
fn p07_renamed_keys_are_two_violations_at_any_place() {
    let block = r#"{"attributes":{"s":{"optional":true,"nested_type":{"nesting_mode":"map","attributes":{"n":{"type":"string","optional":true}}}}}}"#;
    Fixture::new(block, T11).check_valid(
        "null",
        r#"{"s":{"a":{"n":"1"},"b":{"n":"1"}}}"#,
        r#"{"s":{"a":{"n":"2"},"c":{"n":"1"}}}"#,
        &[".s", ".s", ".s.a.n"],
    );
}

#[test]
fn m42_a_dynamic_list_block_is_refused_for_data_resources() {
    let block = r#"{"block_types":{"l":{"nesting_mode":"list","block":{"attributes":{"x":{"type":"dynamic","optional":true}}}}}}"#;
    let fixture = Fixture::new(block, T11);
    let config = fixture.value(r#"{"l":{"type":["tuple",[["object",{"x":"string"}]]],"value":[{"x":"1"}]}}"#);
    fixture.prepared().planned_data_resource(&config).expect_err("a refusal");
}

#[test]
fn m11_a_group_of_a_nested_type_is_refused_once_it_is_to_be_merged() {
    let block = r#"{"attributes":{"g":{"optional":true,"nested_type":{"nesting_mode":"group","attributes":{"n":{"type":"string","optional":true}}}}}}"#;
    let fixture = Fixture::new(block, T17);
    assert_eq!(fixture.proposed("null", r#"{"g":{"n":"1"}}"#).expect_err("a refusal").rule, "M11");
    assert_eq!(fixture.proposed("null", r#"{"g":null}"#).expect_err("a refusal").rule, "M11");
    fixture.check_proposed("null", r#"{"g":{"$unknown":true}}"#, r#"{"g":{"$unknown":true}}"#);
}

#[test]
fn m17_elements_that_come_out_with_different_types_are_refused() {
    let block = r#"{"attributes":{"l":{"optional":true,"nested_type":{"nesting_mode":"list","attributes":{
        "d":{"type":"dynamic","optional":true,"computed":true}}}}}}"#;
    let fixture = Fixture::new(block, T11);
    let of = |ty: Type, nodes: Vec<Value>| {
        let object = Type::object([("d".into(), ty)]);
        let elements = nodes.into_iter().map(|d| Value::object(vec![("d".into(), d)])).collect();
        Value::object(vec![("l".into(), Value::list(&object, elements).expect("one type"))])
    };
    let prior = of(Type::Number, vec![Value::number(1i64), Value::number(2i64)]);
    let config = of(Type::String, vec![Value::null(Type::String), Value::string("x")]);
    let refused = fixture.prepared().proposed_new(&prior, &config).expect_err("a refusal");
    assert_eq!((refused.rule, refused.path.to_string()), ("V08", ".l".to_owned()));
}

#[test]
fn s30_nonconforming_values_are_refused() {
    let fixture = Fixture::new(PAIRS, T11);
    let other = Value::object(vec![("x".into(), Value::bool(true))]);
    let fine = fixture.value("null");
    assert_eq!(fixture.prepared().proposed_new(&other, &fine).expect_err("a refusal").rule, "S30");
    assert_eq!(fixture.prepared().proposed_new(&fine, &Value::null(Type::Dynamic)).expect_err("a refusal").rule, "S30");
}

#[test]
fn ln01_a_value_in_normal_form_is_returned_as_the_same_part() {
    let fixture = Fixture::new(PAIRS, T11);
    let value = fixture.value(r#"{"s":[{"c":"1","k":"a"}]}"#);
    assert!(fixture.prepared().normalize_legacy(&value).expect("no refusal").node().ptr_eq(value.node()));
}

#[test]
fn ln03_a_stub_with_nested_types_inside_is_refused() {
    let block = r#"{"block_types":{"z":{"nesting_mode":"single","block":{"attributes":{
        "n":{"optional":true,"nested_type":{"nesting_mode":"single","attributes":{}}}}}}}}"#;
    let fixture = Fixture::new(block, T11);
    let unknown = fixture.value(r#"{"z":{"$unknown":true}}"#);
    assert_eq!(fixture.prepared().normalize_legacy(&unknown).expect_err("a refusal").rule, "LN03");
}

#[test]
fn c02_a_primitive_named_like_a_computed_block_is_refused() {
    let block = r#"{"attributes":{"a":{"type":["object",{"blk":"string"}],"optional":true}},
        "block_types":{"blk":{"nesting_mode":"list","block":{"computed":true,"attributes":{"x":{"type":"string","computed":true}}}}}}"#;
    let fixture = Fixture::new(block, T17);
    let prepare = |json: &str| fixture.prepared().prepare_computed_blocks(&fixture.value(json));
    assert_eq!(prepare(r#"{"a":{"blk":"1"},"blk":[]}"#).expect_err("a refusal").rule, "C02");
    let prepared = prepare(r#"{"a":{"blk":null},"blk":[]}"#).expect("no refusal");
    assert!(member(&prepared, "blk").is_null());
}

#[test]
fn c10_a_crash_in_a_block_before_the_computed_one_stays_a_crash() {
    let block = r#"{"block_types":{
        "a":{"nesting_mode":"map","block":{"attributes":{"x":{"type":"string","optional":true}}}},
        "blk":{"nesting_mode":"list","block":{"computed":true,"attributes":{"x":{"type":"string","computed":true}}}}}}"#;
    let fixture = Fixture::new(block, T17);
    let planned = fixture.value(r#"{"a":{"k":{"x":"1"}},"blk":{"$unknown":true}}"#);
    let actual = fixture.value(r#"{"a":{"$unknown":true},"blk":[]}"#);
    let refused = fixture.prepared().assert_object_compatible(&planned, &actual).expect_err("a refusal");
    assert_eq!((refused.rule, refused.path.to_string()), ("AC20", ".a".to_owned()));
    let other = r#"{"a":{"k":{"x":"2"}},"blk":[]}"#;
    fixture.check_compatible(r#"{"a":{"k":{"x":"1"}},"blk":{"$unknown":true}}"#, other, &[]);
}

#[test]
fn mp18_a_shared_part_that_cannot_be_read_is_refused_all_the_same() {
    let block = |mode: &str| {
        format!(
            r#"{{"block_types":{{"l":{{"nesting_mode":"{mode}","block":{{"attributes":{{"x":{{"type":"dynamic","optional":true}}}}}}}}}}}}"#
        )
    };
    for (mode, ty, value) in [
        ("list", r#""string""#, r#""x""#),
        ("list", r#"["tuple",["string"]]"#, r#"["x"]"#),
        ("map", r#"["object",{"a":["object",{"x":"string"}]}]"#, "null"),
    ] {
        let fixture = Fixture::new(&block(mode), T11);
        let value = fixture.value(&format!(r#"{{"l":{{"type":{ty},"value":{value}}}}}"#));
        fixture.prepared().assert_object_compatible(&value, &value).expect_err("a refusal");
    }
}

#[test]
fn m12_an_unknown_element_below_a_single_block_does_not_decide_alone() {
    let block = r#"{"block_types":{"s":{"nesting_mode":"set","block":{"block_types":{"z":{"nesting_mode":"single","block":{"attributes":{
        "a":{"type":"string","optional":true},
        "n":{"optional":true,"nested_type":{"nesting_mode":"set","attributes":{"q":{"type":"string","optional":true}}}}}}}}}}}}"#;
    Fixture::new(block, T11).check_proposed(
        "null",
        r#"{"s":[{"z":{"a":"x","n":[{"$unknown":true}]}}]}"#,
        r#"{"s":[{"z":{"a":"x","n":[{"q":{"$unknown":true}}]}}]}"#,
    );
}

#[test]
fn v13_an_unknown_map_block_has_every_entry() {
    let block = r#"{"block_types":{"s":{"nesting_mode":"set","block":{"attributes":{"id":{"type":"string","computed":true}},
        "block_types":{"m":{"nesting_mode":"map","block":{}}}}}}}"#;
    Fixture::new(block, T11).check_proposed(
        r#"{"s":[{"id":"1","m":{"a":{}}}]}"#,
        r#"{"s":[{"id":null,"m":{"$unknown":true}}]}"#,
        r#"{"s":[{"id":"1","m":{"$unknown":true}}]}"#,
    );
}

#[test]
fn v57_elements_that_share_a_key_come_out_in_the_order_of_the_configuration() {
    let block = r#"{"block_types":{"s":{"nesting_mode":"set","block":{"attributes":{
        "c":{"type":"string","optional":true,"computed":true},"n":{"type":"number","optional":true}}}}}}"#;
    Fixture::new(block, T11).check_proposed(
        r#"{"s":[{"c":"x","n":12345678901},{"c":"x","n":12345678902}]}"#,
        r#"{"s":[{"c":null,"n":12345678902},{"c":null,"n":12345678901}]}"#,
        r#"{"s":[{"c":"x","n":12345678902},{"c":"x","n":12345678901}]}"#,
    );
}

#[test]
fn s31_a_group_of_a_nested_type_was_the_empty_object() {
    let block = r#"{"attributes":{"g":{"optional":true,"nested_type":{"nesting_mode":"group","attributes":{"n":{"type":"string","optional":true}}}}}}"#;
    for dialect in [T11, TOFU] {
        Fixture::new(block, dialect).check_proposed("null", r#"{"g":{}}"#, r#"{"g":{}}"#);
    }
}

/// H02, H03: nine patterns of nulls and more, where tables run out.
#[test]
fn h03_more_patterns_than_tables_find_the_same() {
    let block = r#"{"block_types":{"s":{"nesting_mode":"set","block":{"attributes":{
        "a":{"type":"string","optional":true,"computed":true},"b":{"type":"string","optional":true,"computed":true},
        "c":{"type":"string","optional":true,"computed":true},"d":{"type":"string","optional":true,"computed":true},
        "k":{"type":"string","optional":true}}}}}}"#;
    let element = |i: usize, is_prior: bool| {
        let leaf = |bit: usize| if is_prior || i >> bit & 1 == 1 { r#""v""# } else { "null" };
        format!(r#"{{"a":{},"b":{},"c":{},"d":{},"k":"{i:02}"}}"#, leaf(0), leaf(1), leaf(2), leaf(3))
    };
    let set = |is_prior| (0..16).map(|i| element(i, is_prior)).collect::<Vec<_>>().join(",");
    let prior = format!(r#"{{"s":[{}]}}"#, set(true));
    Fixture::new(block, T11).check_proposed(&prior, &format!(r#"{{"s":[{}]}}"#, set(false)), &prior);
}

/// H02, H03: members beyond the bits are left to the test.
#[test]
fn h03_free_members_beyond_the_bits() {
    let names: Vec<String> = (0..70).map(|i| format!("c{i:02}")).collect();
    let attributes: Vec<_> =
        names.iter().map(|name| format!(r#""{name}":{{"type":"string","optional":true,"computed":true}}"#)).collect();
    let block = format!(
        r#"{{"block_types":{{"s":{{"nesting_mode":"set","block":{{"attributes":{{{},"k":{{"type":"string","optional":true}}}}}}}}}}}}"#,
        attributes.join(",")
    );
    // The first six are configured, so that bits which wrap around are those of bound members.
    let set = |is_prior: bool| {
        let members: Vec<_> = (0..70)
            .map(|i| format!(r#""{}":{}"#, names[i], if is_prior || i < 6 { r#""v""# } else { "null" }))
            .collect();
        (0..5).map(|k| format!(r#"{{{},"k":"{k}"}}"#, members.join(","))).collect::<Vec<_>>().join(",")
    };
    let prior = format!(r#"{{"s":[{}]}}"#, set(true));
    Fixture::new(&block, T11).check_proposed(&prior, &format!(r#"{{"s":[{}]}}"#, set(false)), &prior);
}

/// H07: the same for correlation.
#[test]
fn h07_firm_members_beyond_the_bits() {
    let names: Vec<String> = (0..70).map(|i| format!("a{i:02}")).collect();
    let attributes: Vec<_> =
        names.iter().map(|name| format!(r#""{name}":{{"type":"string","optional":true}}"#)).collect();
    let block = format!(
        r#"{{"block_types":{{"s":{{"nesting_mode":"set","block":{{"attributes":{{{}}}}}}}}}}}"#,
        attributes.join(",")
    );
    let set = |first: &str| {
        let member = |i: usize, k: usize| match i {
            0..=5 => format!(r#""{}":{first}"#, names[i]),
            6 => format!(r#""{}":"{k}""#, names[i]),
            _ => format!(r#""{}":"z""#, names[i]),
        };
        let element = |k| (0..70).map(|i| member(i, k)).collect::<Vec<_>>().join(",");
        (0..5).map(|k| format!("{{{}}}", element(k))).collect::<Vec<_>>().join(",")
    };
    Fixture::new(&block, T11).check_compatible(
        &format!(r#"{{"s":[{}]}}"#, set(r#"{"$unknown":true}"#)),
        &format!(r#"{{"s":[{}]}}"#, set(r#""x""#)),
        &[],
    );
}

/// H07: an unknown element of a list block may become anything.
#[test]
fn h07_an_unknown_block_element_is_not_firm() {
    let block = r#"{"block_types":{"s":{"nesting_mode":"set","block":{"attributes":{"k":{"type":"string","optional":true}},
        "block_types":{"l":{"nesting_mode":"list","block":{"attributes":{"x":{"type":"string","optional":true}}}}}}}}}"#;
    let set = |l: &str| (0..5).map(|k| format!(r#"{{"k":"{k}","l":[{l}]}}"#)).collect::<Vec<_>>().join(",");
    Fixture::new(block, T11).check_compatible(
        &format!(r#"{{"s":[{}]}}"#, set(r#"{"$unknown":true}"#)),
        &format!(r#"{{"s":[{}]}}"#, set(r#"{"x":"1"}"#)),
        &[],
    );
}

/// V51, V55: inner sets are equal in any order, so they are not firm.
#[test]
fn h07_inner_sets_of_numbers_that_share_a_key_are_equal_in_any_order() {
    let inner = r#"["set",["object",{"n":"number"}]]"#;
    let block = format!(
        r#"{{"attributes":{{"v":{{"type":["set",["object",{{"k":"string","t":{inner}}}]],"optional":true}}}},
            "block_types":{{"s":{{"nesting_mode":"set","block":{{"attributes":{{"k":{{"type":"string","optional":true}},
            "t":{{"type":{inner},"optional":true}}}}}}}}}}}}"#
    );
    let set = |one: u64, two: u64| {
        let element = |k| format!(r#"{{"k":"{k}","t":[{{"n":{one}}},{{"n":{two}}}]}}"#);
        (0..5).map(element).collect::<Vec<_>>().join(",")
    };
    let (a, b) = (set(12345678901, 12345678902), set(12345678902, 12345678901));
    Fixture::new(&block, T11).check_compatible(
        &format!(r#"{{"v":[{a}],"s":[{a}]}}"#),
        &format!(r#"{{"v":[{b}],"s":[{b}]}}"#),
        &[],
    );
}

/// C10: an unknown computed block decides for its whole element.
#[test]
fn c10_an_element_with_an_unknown_computed_block_goes_with_any() {
    let block = r#"{"block_types":{"s":{"nesting_mode":"set","block":{"attributes":{"k":{"type":"string","optional":true}},
        "block_types":{"c":{"nesting_mode":"list","block":{"computed":true,"attributes":{"x":{"type":"string","computed":true}}}}}}}}}"#;
    let set = |from: usize, c: &str| {
        (from..from + 5).map(|k| format!(r#"{{"k":"{k}","c":{c}}}"#)).collect::<Vec<_>>().join(",")
    };
    Fixture::new(block, T17).check_compatible(
        &format!(r#"{{"s":[{}]}}"#, set(0, r#"{"$unknown":true}"#)),
        &format!(r#"{{"s":[{}]}}"#, set(10, r#"[{"x":"1"}]"#)),
        &[],
    );
}

#[test]
fn c10_equal_sets_with_a_null_computed_block_are_incompatible() {
    let block = r#"{"block_types":{"s":{"nesting_mode":"set","block":{"block_types":{
        "c":{"nesting_mode":"list","block":{"computed":true,"attributes":{"x":{"type":"string","computed":true}}}}}}}}}"#;
    let value = r#"{"s":[{"c":null}]}"#;
    Fixture::new(block, T17).check_compatible(value, value, &[".s"]);
    Fixture::new(block, T11).check_compatible(value, value, &[]);
}

#[test]
fn ac20_unknown_map_blocks_in_sets_are_read_even_if_other_parts_differ() {
    let map = r#"{"nesting_mode":"map","block":{"attributes":{"x":{"type":"string","optional":true}}}}"#;
    let around = |mode: &str| format!(r#"{{"nesting_mode":"{mode}","block":{{"block_types":{{"m":{map}}}}}}}"#);
    let block = format!(
        r#"{{"block_types":{{"s":{{"nesting_mode":"set","block":{{"attributes":{{"k":{{"type":"string","optional":true}}}},
            "block_types":{{"a":{{"nesting_mode":"single","block":{{"attributes":{{"y":{{"type":"string","optional":true}}}}}}}},
            "l":{},"m":{map},"n":{}}}}}}}}}}}"#,
        around("list"),
        around("map")
    );
    let element = |k: &str, changed: &str, value: &str| {
        let of = |name: &str, usual: &str| if name == changed { value.to_owned() } else { usual.to_owned() };
        let (a, l, m, n) = (of("a", "null"), of("l", "[]"), of("m", "{}"), of("n", "{}"));
        format!(r#"{{"k":{k},"a":{a},"l":{l},"m":{m},"n":{n}}}"#)
    };
    let (known, unknown) = (r#"{"e":{"x":"1"}}"#, r#"{"$unknown":true}"#);
    let inside = |m: &str| format!(r#"{{"m":{m}}}"#);
    for dialect in [T11, T17] {
        let fixture = Fixture::new(&block, dialect);
        let is_refused = |planned: &[String], actual: &[String]| {
            let of = |elements: &[String]| fixture.value(&format!(r#"{{"s":[{}]}}"#, elements.join(",")));
            fixture.prepared().assert_object_compatible(&of(planned), &of(actual)).is_err()
        };
        let pair = |changed: &str, planned: &str, actual: &str| {
            is_refused(&[element(r#""p""#, changed, planned)], &[element(r#""v""#, changed, actual)])
        };
        assert!(pair("m", known, unknown), "{dialect}");
        assert!(pair("l", &format!("[{}]", inside(known)), &format!("[{}]", inside(unknown))), "{dialect}");
        assert!(pair("n", &format!(r#"{{"q":{}}}"#, inside(known)), &format!(r#"{{"q":{}}}"#, inside(unknown))));
        // Counts that differ are a violation before anything is read.
        let two = format!("[{0},{0}]", inside(known));
        assert!(!pair("l", &two, &format!("[{}]", inside(unknown))), "{dialect}");
        // Something else is unknown.
        assert!(!is_refused(&[element(r#""p""#, "m", known)], &[element(unknown, "m", known)]), "{dialect}");
        // A block before it is unknown.
        let planned = element(r#""p""#, "m", known).replace(r#""a":null"#, r#""a":{"$unknown":true}"#);
        assert!(is_refused(&[planned], &[element(r#""v""#, "m", unknown)]), "{dialect}");
        // MP18: a shared object is no exception.
        let both = [element(r#""p""#, "m", known), element(r#""v""#, "m", unknown)];
        let shared = fixture.value(&format!(r#"{{"s":[{}]}}"#, both.join(",")));
        assert!(fixture.prepared().assert_object_compatible(&shared, &shared).is_err(), "{dialect}");
    }
}

#[test]
fn c10_a_computed_block_ends_the_reading_of_an_element_only_where_it_decides() {
    let block = r#"{"block_types":{"s":{"nesting_mode":"set","block":{"attributes":{"k":{"type":"string","optional":true}},"block_types":{
        "c":{"nesting_mode":"list","block":{"computed":true,"attributes":{"x":{"type":"string","computed":true}}}},
        "m":{"nesting_mode":"map","block":{"attributes":{"x":{"type":"string","optional":true}}}}}}}}}"#;
    let fixture = Fixture::new(block, T17);
    let planned = fixture.value(r#"{"s":[{"k":"p","c":[],"m":{"e":{"x":"1"}}}]}"#);
    let is_refused = |c: &str| {
        let actual = fixture.value(&format!(r#"{{"s":[{{"k":"v","c":{c},"m":{{"$unknown":true}}}}]}}"#));
        fixture.prepared().assert_object_compatible(&planned, &actual).is_err()
    };
    assert!(is_refused("[]"));
    assert!(!is_refused("null"));
}

const UNTYPED: &str = r#"{"block_types":{"l":{"nesting_mode":"list","block":{"attributes":{"x":{"type":"dynamic","optional":true,"computed":true}}}},
    "m":{"nesting_mode":"map","block":{"attributes":{"x":{"type":"dynamic","optional":true}}}}}}"#;

/// Of the two dynamic places one at a time: a type and a value.
fn untyped(fixture: &Fixture, place: &str, (ty, value): (&str, &str)) -> Value {
    let other = if place == "l" {
        r#""m":{"type":["object",{}],"value":{}}"#
    } else {
        r#""l":{"type":["tuple",[]],"value":[]}"#
    };
    fixture.value(&format!(r#"{{"{place}":{{"type":{ty},"value":{value}}},{other}}}"#))
}

const SOUND: (&str, &str) = (r#"["tuple",[["object",{"x":"string"}]]]"#, r#"[{"x":"1"}]"#);
const NO_LIST: (&str, &str) = (r#""string""#, r#""x""#);
const NO_OBJECT: (&str, &str) = (r#"["tuple",["string"]]"#, r#"["x"]"#);
const NULL: (&str, &str) = (r#"["tuple",["dynamic"]]"#, "[null]");
const MAP: (&str, &str) = (r#"["map",["object",{"x":"string"}]]"#, r#"{"a":{"x":"1"}}"#);
const LIST: (&str, &str) = (r#"["list",["object",{"x":"string"}]]"#, r#"[{"x":"1"}]"#);

#[test]
fn ac20_ac01_unreadable_values_are_refused_on_either_side() {
    let fixture = Fixture::new(UNTYPED, T11);
    let compare = |place, planned, actual| {
        let (planned, actual) = (untyped(&fixture, place, planned), untyped(&fixture, place, actual));
        fixture.prepared().assert_object_compatible(&planned, &actual).map(paths)
    };
    for (planned, actual, rule) in [
        (SOUND, NO_LIST, "AC20"),
        (NO_LIST, SOUND, "AC20"),
        (SOUND, NO_OBJECT, "AC01"),
        (NO_OBJECT, SOUND, "AC01"),
        (NO_OBJECT, (r#"["tuple",["string"]]"#, r#"["y"]"#), "AC01"),
    ] {
        assert_eq!(compare("l", planned, actual).expect_err("a refusal").rule, rule, "{planned:?} {actual:?}");
    }
    assert_eq!(compare("l", NULL, SOUND).expect("nothing is read"), [".l[0]"]);
    assert_eq!(compare("l", SOUND, NULL).expect("nothing is read"), [".l[0]"]);
    // M30: a key that the other side has not is not reported.
    assert!(compare("m", MAP, LIST).expect("as many").is_empty());
    assert!(compare("m", LIST, MAP).expect("as many").is_empty());
}

#[test]
fn p10_p01_unreadable_values_are_refused_on_either_side() {
    let fixture = Fixture::new(UNTYPED, T11);
    let check = |place, config, planned| {
        let (config, planned) = (untyped(&fixture, place, config), untyped(&fixture, place, planned));
        fixture.prepared().assert_plan_valid(&fixture.value("null"), &config, &planned).map(paths)
    };
    for (config, planned, rule) in
        [(SOUND, NO_LIST, "P10 4"), (NO_LIST, SOUND, "P10 4"), (SOUND, NO_OBJECT, "P01"), (NO_OBJECT, SOUND, "P01")]
    {
        assert_eq!(check("l", config, planned).expect_err("a refusal").rule, rule, "{config:?} {planned:?}");
    }
    assert_eq!(check("l", NO_OBJECT, NULL).expect("nothing is read"), [".l[0]"]);
    assert_eq!(check("m", MAP, LIST).expect_err("a refusal").rule, "P10 4");
    assert_eq!(check("m", LIST, MAP).expect_err("a refusal").rule, "P10 4");
}

#[test]
fn m17_lists_at_a_dynamic_place() {
    let fixture = Fixture::new(UNTYPED, T11);
    let propose = |prior, config| {
        let (prior, config) = (untyped(&fixture, "l", prior), untyped(&fixture, "l", config));
        fixture.prepared().proposed_new(&prior, &config).expect("no refusal")
    };
    // A list stays one.
    assert_eq!(propose(SOUND, LIST), untyped(&fixture, "l", LIST));
    // An unknown list has unknown elements.
    let null = (r#"["tuple",[["object",{"x":"string"}]]]"#, r#"[{"x":null}]"#);
    let unknown = (r#"["tuple",[["object",{"x":"string"}]]]"#, r#"[{"x":{"$unknown":true}}]"#);
    assert_eq!(propose((LIST.0, r#"{"$unknown":true}"#), null), untyped(&fixture, "l", unknown));
    // M01: of two nulls the prior one.
    let typed = |ty: &'static str| (ty, "[null]");
    let (old, new) =
        (typed(r#"["tuple",[["object",{"x":"string"}]]]"#), typed(r#"["tuple",[["object",{"x":"number"}]]]"#));
    assert_eq!(propose(old, new), untyped(&fixture, "l", old));
}

/// M15: a configured null is taken as it is, type and all.
#[test]
fn m15_a_null_block_of_another_type_is_the_configured_one() {
    let block = r#"{"block_types":{"l":{"nesting_mode":"list","block":{"attributes":{"c":{"type":"string","computed":true}},
        "block_types":{"b":{"nesting_mode":"single","block":{"attributes":{"d":{"type":"dynamic","optional":true}}}}}}}}}"#;
    let of = |d: &str, c: &str| {
        format!(
            r#"{{"l":{{"type":["tuple",[["object",{{"b":["object",{{"d":"{d}"}}],"c":"string"}}]]],"value":[{{"b":null,"c":{c}}}]}}}}"#
        )
    };
    Fixture::new(block, T11).check_proposed(&of("string", r#""1""#), &of("number", "null"), &of("number", r#""1""#));
}

/// V30: one payload under two types is not one value.
#[test]
fn v30_a_shared_payload_of_another_type_is_another_value() {
    let fixture = Fixture::new(r#"{"attributes":{"d":{"type":"dynamic","optional":true}}}"#, T11);
    let of = |ty: Type| Value::object(vec![("d".into(), Value::null(ty))]);
    let string = of(Type::String);
    let number = Value::from_parts(of(Type::Number).ty().clone(), string.node().clone());
    let found = fixture.prepared().assert_object_compatible(&string, &number).expect("no refusal");
    assert_eq!(paths(found), [".d"], "AC11 b");
    let found = fixture.prepared().assert_plan_valid(&fixture.value("null"), &string, &number).expect("no refusal");
    assert_eq!(paths(found), [".d"], "P12");
}

/// P07: a null n is valid, also where the null of the configuration has another type.
#[test]
fn p07_a_null_of_another_type_is_valid_for_a_nested_type() {
    let block = r#"{"attributes":{"n":{"optional":true,"nested_type":{"nesting_mode":"single","attributes":{"d":{"type":"dynamic","optional":true}}}}}}"#;
    let fixture = Fixture::new(block, T11);
    let of = |ty: Type| Value::object(vec![("n".into(), Value::null(Type::object([("d".into(), ty)])))]);
    let found = fixture.prepared().assert_plan_valid(&fixture.value("null"), &of(Type::Dynamic), &of(Type::String));
    assert!(found.expect("no refusal").is_empty());
}

/// M22 where `dynamic` is inside: no valid schema has it, planners answer all the same.
#[test]
fn m22_elements_of_sets_with_dynamic_inside() {
    let block = r#"{"block_types":{"s":{"nesting_mode":"set","block":{"attributes":{
        "c":{"type":"string","computed":true},"d":{"type":"dynamic","optional":true}}}}}}"#;
    let fixture = Fixture::new(block, T11);
    let of = |c: &str, d: &str| format!(r#"{{"s":[{{"c":{c},"d":{{"type":"string","value":{d}}}}}]}}"#);
    for (d, c) in [(r#""x""#, r#""1""#), (r#""y""#, "null"), ("null", "null")] {
        fixture.check_proposed(&of(r#""1""#, r#""x""#), &of("null", d), &of(c, d));
    }
}

/// With an attribute that the block does not have.
const WIDE: (&str, &str) = (r#"["tuple",[["object",{"x":"string","z":"string"}]]]"#, r#"[{"x":"1","z":"2"}]"#);

#[test]
fn m02_p01_ac01_attributes_that_the_block_does_not_have_are_not_looked_at() {
    let fixture = Fixture::new(UNTYPED, T11);
    let at = |place| move |fixture: &Fixture, part| untyped(fixture, place, part);
    let list = at("l");
    let config = (r#"["tuple",[["object",{"x":"string","y":"bool"}]]]"#, r#"[{"x":null,"y":true}]"#);
    let proposed = fixture.prepared().proposed_new(&list(&fixture, WIDE), &list(&fixture, config));
    assert_eq!(proposed.expect("no refusal"), list(&fixture, SOUND));
    let valid =
        fixture.prepared().assert_plan_valid(&fixture.value("null"), &list(&fixture, SOUND), &list(&fixture, WIDE));
    assert!(valid.expect("no refusal").is_empty());
    let same = fixture.prepared().assert_object_compatible(&list(&fixture, WIDE), &list(&fixture, SOUND));
    assert!(same.expect("no refusal").is_empty());
    let unknown = (WIDE.0, r#"[{"$unknown":true}]"#);
    let same = fixture.prepared().assert_object_compatible(&list(&fixture, unknown), &list(&fixture, SOUND));
    assert!(same.expect("no refusal").is_empty());
    let narrow = (r#"["tuple",[["object",{"z":"string"}]]]"#, r#"[{"z":"2"}]"#);
    let refused = fixture.prepared().assert_object_compatible(&list(&fixture, narrow), &list(&fixture, SOUND));
    assert_eq!(refused.expect_err("a refusal").rule, "AC01");
}

/// H09, V56: a set that unrefining reorders is equal to the result of unrefining, whatever the hashes are.
#[test]
fn v56_sets_that_unrefining_reorders_are_equal_to_the_result() {
    use super::same::equal_tree;
    let ty = Type::parse(r#"["set",["tuple",["string","bool","number"]]]"#).expect("a type");
    for name in ["a", "b", "c", "d", "e", "f", "g", "h"] {
        let refined = r#"{"$unknown":{"not_null":true}}"#;
        let plain = r#"{"$unknown":true}"#;
        let element = |unknown, number| format!(r#"["{name}",{unknown},{number}]"#);
        let set = format!("[{},{},{}]", element(refined, "0"), element(plain, "-0"), element(plain, "-5"));
        let set = Value::from_json(&Json::parse(&set).expect("JSON"), &ty).expect("a set");
        let unrefined = set.view().unrefined();
        assert!(equal_tree(set.view(), unrefined.view(), false), "{name}");
        assert!(!equal_tree(set.view(), unrefined.view(), true), "{name}");
    }
}
