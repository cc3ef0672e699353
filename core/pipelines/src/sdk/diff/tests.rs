use crate::sdk::testing::resource;

#[test]
fn z54_an_absent_computed_value_is_unknown_only_without_an_id() {
    let resource = resource(r#"{"s": {"type": "string", "optional": true, "computed": true}}"#);
    resource.check_plan("null", r#"{"id":null,"s":null}"#, r#"{"id":?,"s":?} .id"#);
    resource.check_plan(r#"{"id":"i","s":null}"#, r#"{"id":"i","s":null}"#, r#"{"id":"i","s":null}"#);
}

#[test]
fn z55_an_absent_list_is_as_good_as_an_empty_one() {
    let resource = resource(r#"{"l": {"type": "list", "elem": {"type": "int"}, "optional": true, "computed": true}}"#);
    resource.check_plan(r#"{"id":"i","l":null}"#, r#"{"id":"i","l":[]}"#, r#"{"id":"i","l":null}"#);
    resource.check_plan(r#"{"id":"i","l":null}"#, r#"{"id":"i","l":null}"#, r#"{"id":"i","l":?}"#);
}

#[test]
fn z55_a_list_with_an_unknown_element_is_unknown_whole() {
    let resource = resource(r#"{"l": {"type": "list", "elem": {"type": "string"}, "optional": true}}"#);
    resource.check_plan(r#"{"id":"i","l":["a"]}"#, r#"{"id":"i","l":["a",?]}"#, r#"{"id":"i","l":?}"#);
}

#[test]
fn z56_emptying_a_computed_map_makes_no_count_entry() {
    let resource = resource(r#"{"m": {"type": "map", "optional": true, "computed": true}}"#);
    resource.check_plan(r#"{"id":"i","m":{"a":"1"}}"#, r#"{"id":"i","m":{}}"#, r#"{"id":"i","m":{}}"#);
    resource.check_plan(
        r#"{"id":"i","m":{"a":"1","b":"2"}}"#,
        r#"{"id":"i","m":{"b":"3","c":""}}"#,
        r#"{"id":"i","m":{"b":"3","c":""}}"#,
    );
}

#[test]
fn z57_3_an_unknown_computed_set_keeps_prior() {
    let resource =
        resource(r#"{"s": {"type": "set", "elem": {"type": "string"}, "optional": true, "computed": true}}"#);
    resource.check_plan(r#"{"id":"i","s":["y"]}"#, r#"{"id":"i","s":?}"#, r#"{"id":"i","s":["y"]}"#);
    resource.check_plan(r#"{"id":"i","s":["y"]}"#, r#"{"id":"i","s":["y",?]}"#, r#"{"id":"i","s":?}"#);
}

#[test]
fn z58_a_default_shows_at_positions_that_are_removed() {
    let resource = resource(
        r#"{"b": {"type": "list", "optional": true, "elem": {"resource": {
            "a": {"type": "string", "optional": true}, "n": {"type": "int", "optional": true, "default": 7}}}}}"#,
    );
    resource.check_plan(
        r#"{"b":[{"a":"x","n":7},{"a":"y","n":8}],"id":"i"}"#,
        r#"{"b":[{"a":"x","n":null}],"id":"i"}"#,
        r#"{"b":[{"a":"x","n":7}],"id":"i"}"#,
    );
}

#[test]
fn z43_an_element_of_which_nothing_exists_is_an_element() {
    let resource = resource(
        r#"{"z": {"type": "set", "optional": true, "elem": {"resource": {"c": {"type": "string", "computed": true}}}}}"#,
    );
    resource.check_plan(r#"{"id":"i","z":[]}"#, r#"{"id":"i","z":[{"c":null}]}"#, r#"{"id":"i","z":[{"c":?}]}"#);
}

#[test]
fn z62_the_argument_of_a_state_function_is_kept() {
    let resource = resource(r#"{"a": {"type": "string", "optional": true, "state_func": "lower", "default": "Zz"}}"#);
    let (prior, proposed) = (resource.value("null"), resource.value(r#"{"a":null,"id":null}"#));
    let request = crate::sdk::PlanRequest { prior: &prior, config: &proposed, proposed: &proposed };
    let plan = resource.pipeline.plan(&[], request).expect("a plan");
    assert_eq!(plan.extra.into_iter().collect::<Vec<_>>(), [("a".to_owned(), "Zz".to_owned())]);
    resource.check_plan("null", r#"{"a":null,"id":null}"#, r#"{"a":"zz","id":?} .id"#);
}

#[test]
fn z63_suppression_in_a_set_writes_the_old_text() {
    let resource = resource(
        r#"{"z": {"type": "set", "optional": true, "elem": {"resource": {
            "a": {"type": "string", "optional": true, "diff_suppress": "always"},
            "n": {"type": "int", "optional": true}}}}}"#,
    );
    resource.check_plan(
        r#"{"id":"i","z":[]}"#,
        r#"{"id":"i","z":[{"a":"x","n":1}]}"#,
        r#"{"id":"i","z":[{"a":"","n":1}]}"#,
    );
}

#[test]
fn z63_suppression_of_a_collection_is_of_its_entries() {
    let resource =
        resource(r#"{"l": {"type": "list", "elem": {"type": "string"}, "optional": true, "diff_suppress": "case"}}"#);
    resource.check_plan(r#"{"id":"i","l":["a","b"]}"#, r#"{"id":"i","l":["A","c"]}"#, r#"{"id":"i","l":["a","c"]}"#);
}

#[test]
fn z43_of_two_elements_with_one_code_the_first_stays_and_the_last_is_read() {
    let resource = resource(
        r#"{"z": {"type": "set", "optional": true, "config_mode": "block", "elem": {"resource": {
            "c": {"type": "string", "computed": true}, "n": {"type": "int", "optional": true}}}}}"#,
    );
    // Null and zero have one code (Z33).
    resource.check_plan(
        r#"{"id":"i","z":[]}"#,
        r#"{"id":"i","z":[{"c":"x","n":0},{"c":"y","n":null}]}"#,
        r#"{"id":"i","z":[{"c":"y","n":null}]}"#,
    );
}
