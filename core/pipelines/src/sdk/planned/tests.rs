use crate::sdk::testing::resource;

#[test]
fn z83_a_shorter_list_of_blocks_is_cut() {
    let resource = resource(
        r#"{"b": {"type": "list", "optional": true, "elem": {"resource": {"a": {"type": "string", "optional": true}}}}}"#,
    );
    resource.check_plan(
        r#"{"b":[{"a":"x"},{"a":"y"}],"id":"i"}"#,
        r#"{"b":[{"a":"x"}],"id":"i"}"#,
        r#"{"b":[{"a":"x"}],"id":"i"}"#,
    );
    resource.check_plan(r#"{"b":[{"a":"x"}],"id":"i"}"#, r#"{"b":[],"id":"i"}"#, r#"{"b":[],"id":"i"}"#);
}

#[test]
fn z84_a_set_of_blocks_that_changes_is_rebuilt() {
    let resource = resource(
        r#"{"z": {"type": "set", "optional": true, "elem": {"resource": {
            "a": {"type": "string", "optional": true}, "c": {"type": "string", "computed": true}}}}}"#,
    );
    resource.check_plan(
        r#"{"id":"i","z":[{"a":"1","c":"p"},{"a":"2","c":"q"}]}"#,
        r#"{"id":"i","z":[{"a":"1","c":"p"},{"a":"3","c":null}]}"#,
        r#"{"id":"i","z":[{"a":"1","c":"p"},{"a":"3","c":?}]}"#,
    );
}

#[test]
fn z85_a_nested_set_of_objects_is_lost() {
    let resource = resource(
        r#"{"b": {"type": "list", "optional": true, "elem": {"resource": {
            "a": {"type": "string", "optional": true},
            "c": {"type": "set", "computed": true, "elem": {"resource": {"e": {"type": "string", "computed": true}}}}}}}}"#,
    );
    resource.check_plan(
        r#"{"b":[{"a":"x","c":[{"e":"1"}]}],"id":"i"}"#,
        r#"{"b":[{"a":"y","c":[{"e":"1"}]}],"id":"i"}"#,
        r#"{"b":[{"a":"y","c":null}],"id":"i"}"#,
    );
}

#[test]
fn z157_nulls_in_a_block_are_planned_as_zero() {
    let resource = resource(
        r#"{"b": {"type": "list", "optional": true, "elem": {"resource": {
            "a": {"type": "string", "optional": true}, "n": {"type": "int", "optional": true}}}},
            "q": {"type": "string", "optional": true}}"#,
    );
    resource.check_plan(
        r#"{"b":[{"a":"x","n":null}],"id":"i","q":"1"}"#,
        r#"{"b":[{"a":"x","n":null}],"id":"i","q":"2"}"#,
        r#"{"b":[{"a":"x","n":0}],"id":"i","q":"2"}"#,
    );
}
