//! Reading: rules, errors with their places, bounds.

use super::*;
use crate::dialect::Dialect;
use crate::json::{Json, JsonProblem};
use crate::plans::{Action, ActionReason};
use crate::schema::Schema;
use crate::value::{PathSet, Value};

/// A plan with one change: members of the change and of the entry around it.
fn plan_of(entry: &str, change: &str) -> String {
    format!(
        r#"{{"format_version":"1.2","resource_changes":[{{"address":"t.a","mode":"managed","type":"t","name":"a",
        "provider_name":"h/n/t"{entry},"change":{{"actions":["update"]{change}}}}}]}}"#
    )
}

fn read(text: &str) -> PlanJson {
    PlanJson::read(text.as_bytes()).expect("a plan")
}

#[track_caller]
fn refused(text: &str) -> String {
    PlanJson::read(text.as_bytes()).expect_err("no plan").to_string()
}

fn schema() -> Schema {
    Schema::parse(
        r#"{"version":0,"block":{"attributes":{"id":{"type":"string","computed":true},"tags":{"type":["map","string"],"optional":true},
        "sens":{"type":"string","optional":true,"sensitive":true},"d":{"type":"dynamic","optional":true},"n":{"type":"number","optional":true},
        "s":{"type":["set","string"],"optional":true}},
        "block_types":{"blk":{"nesting_mode":"list","block":{"attributes":{"v":{"type":"string","optional":true}}}}}}}"#,
    )
    .expect("a schema")
}

fn value(text: &str) -> Value {
    let ty = schema().implied_type(Dialect::default());
    Value::from_json(&Json::parse(text).expect("JSON"), &ty).expect("a value")
}

#[test]
fn js10_js20_a_change_is_read_whole() {
    let text = plan_of(
        r#","previous_address":"t.b","deposed":"0000000a","action_reason":"replace_because_tainted""#,
        r#","before":{"id":"1"},"after":{},"after_unknown":{"id":true},"before_sensitive":{},"after_sensitive":{"id":true},
        "replace_paths":[["tags","k"],["blk",0,"v"]],"importing":{"id":"x"},"generated_config":"c""#,
    );
    let plan = read(&text);
    assert!(plan.unknown_members.is_empty());
    let change = &plan.resource_changes[0];
    assert_eq!(change.address.text(), "t.a");
    assert_eq!(change.previous_address.as_ref().map(InstanceAddress::text), Some("t.b"));
    assert_eq!(
        (change.deposed.as_deref(), change.reason.known()),
        (Some("0000000a"), ActionReason::ReplaceBecauseTainted)
    );
    assert_eq!(change.change.action, Action::Update);
    assert_eq!(change.change.replace_paths[1].len(), 3);
    assert_eq!(change.change.importing.as_ref().and_then(|importing| importing.id.as_deref()), Some("x"));
    assert_eq!(change.change.generated_config.as_deref(), Some("c"));
}

#[test]
fn js21_js22_js23_values_are_put_together_with_a_schema() {
    let text = plan_of(
        "",
        r#","before":{"id":"1","tags":null,"sens":"S","d":[1,"x",null],"n":1.5,"s":["b","a"],"blk":[]},
        "after":{"tags":{"b":"x"},"sens":null,"d":{"k":true},"n":1,"s":["a",null],"blk":[{},{"v":"w"}]},
        "after_unknown":{"id":true,"tags":{"a":true},"d":{"u":true},"s":[false,true],"blk":[{"v":true},{}]},
        "before_sensitive":{"tags":{},"sens":true,"s":[false,false],"blk":[]},
        "after_sensitive":{"tags":{"b":true},"sens":true,"s":[false,true],"blk":[{"v":true},{}]},
        "replace_paths":[["tags","b"],["blk",0,"v"],["d","k"]]"#,
    );
    let typed = read(&text).resource_changes[0].to_typed(&schema(), Dialect::default()).expect("values");
    let change = &typed.change.change;
    assert_eq!(
        *change.before.value(),
        value(
            r#"{"id":"1","tags":null,"sens":"S","d":{"type":["tuple",["number","string","dynamic"]],"value":[1,"x",null]},
            "n":1.5,"s":["a","b"],"blk":[]}"#
        )
    );
    assert_eq!(
        *change.after.value(),
        value(
            r#"{"id":{"$unknown":true},"tags":{"a":{"$unknown":true},"b":"x"},"sens":null,
            "d":{"type":["object",{"k":"bool","u":"dynamic"}],"value":{"k":true,"u":{"$unknown":true}}},"n":1,
            "s":["a",{"$unknown":true}],"blk":[{"v":{"$unknown":true}},{"v":"w"}]}"#
        )
    );
    assert_eq!(change.before.sensitive().texts(), [".sens"]);
    assert_eq!(change.after.sensitive().texts(), [".blk[0].v", ".s", ".sens", ".tags[\"b\"]"]);
    assert_eq!(typed.before_by_schema.texts(), [".sens"]);
    assert_eq!(typed.change.required_replace.texts(), [".blk[0].v", ".d.k", ".tags[\"b\"]"]);
}

#[test]
fn js22_nothing_planned_and_everything_unknown() {
    let typed = |change: &str| {
        let plan = read(&plan_of("", change));
        plan.resource_changes[0].to_typed(&schema(), Dialect::default()).expect("values").change.change
    };
    let deleted =
        typed(r#","before":null,"after":null,"after_unknown":{},"before_sensitive":false,"after_sensitive":false"#);
    assert!(deleted.after.is_null() && deleted.before.is_null());
    let unknown = typed(r#","before":null,"after_unknown":true,"after_sensitive":true"#);
    assert!(unknown.after.value().view().is_unknown());
    assert_eq!(unknown.after.sensitive(), &PathSet::parse([""]).expect("a path"));
}

#[test]
fn trees_that_do_not_fit_are_errors_with_address_and_path() {
    for (change, place) in [
        (r#","after":{"id":"1"},"after_unknown":{"id":true}"#, "t.a: .resource_changes[0].change.after_unknown.id: "),
        (r#","after":{"a":[1]},"after_unknown":{"a":[true,false]}"#, ".change.after_unknown.a: "),
        (r#","after":{"a":[1]},"after_unknown":{"a":[true]}"#, ".change.after_unknown.a[0]: "),
        (r#","after":{},"after_unknown":{"a":{"b":true}}"#, ".change.after_unknown.a: "),
        (r#","after":{},"after_unknown":{"a":1}"#, ".change.after_unknown.a: "),
        (r#","before":{"a":1},"before_sensitive":{"a":{"b":true}}"#, ".change.before_sensitive.a: "),
        (r#","after":{"a":[1]},"after_sensitive":{"a":[false,true]}"#, ".change.after_sensitive.a: "),
        (r#","after":{"a":[1]},"after_sensitive":{"a":"x"}"#, ".change.after_sensitive.a: "),
    ] {
        let error = refused(&plan_of("", change));
        assert!(error.starts_with("t.a: ") && error.contains(place), "{change}: {error}");
    }
    // A tree without sensitive parts is accepted.
    read(&plan_of("", r#","before":{"a":[1]},"before_sensitive":{"a":[],"b":{"c":false}}"#));
}

#[test]
fn js10_members_that_contradict_the_address_are_errors() {
    for (entry, place) in [
        (r#","index":0"#, ".index: "),
        (r#","module_address":"module.m""#, ".module_address: "),
        (r#","action_reason":7"#, ".action_reason: "),
        (r#","previous_address":"t""#, ".previous_address: "),
    ] {
        let error = refused(&plan_of(entry, ""));
        assert!(error.starts_with("t.a: .resource_changes[0]") && error.contains(place), "{entry}: {error}");
    }
    let twice = refused(&plan_of(r#","provider_name":"x""#, ""));
    assert!(twice.contains("found \"provider_name\" again"), "{twice}");
}

#[test]
fn js10_an_address_that_is_left_out_is_made_of_the_other_members() {
    let text = r#"{"format_version":"0.1","resource_drift":[{"module_address":"module.m[0]","mode":"data","type":"t","name":"a",
        "index":"k","provider_name":"aws","change":{"actions":["no-op"]}}]}"#;
    assert_eq!(read(text).resource_drift[0].address.text(), "module.m[0].data.t.a[\"k\"]");
    let wild = r#"{"format_version":"1.2","deferred_changes":[{"reason":"instance_count_unknown","resource_change":{
        "address":"t.a[*]","mode":"managed","type":"t","name":"a","index_unknown":true,"provider_name":"h/n/t",
        "change":{"actions":["create"],"after":{},"after_unknown":{"id":true}}}}]}"#;
    let plan = read(wild);
    assert!(plan.deferred_changes[0].change.address.is_partial());
    assert_eq!(plan.deferred_changes[0].change.address.text(), "t.a[*]");
}

#[test]
fn members_of_newer_versions_are_counted() {
    let text =
        plan_of(r#","new":1"#, r#","newer":[{}]"#).replace("\"format_version\"", "\"actions\":[],\"format_version\"");
    let plan = read(&text);
    let found: Vec<_> = plan.unknown_members.iter().collect();
    assert_eq!(found, [(".actions", 1), (".resource_changes[].change.newer", 1), (".resource_changes[].new", 1)]);
    let other = read(&plan_of(r#","action_reason":"because""#, ""));
    assert_eq!(other.resource_changes[0].reason, Reason::Other("because".into()));
}

#[test]
fn js50_a_state_is_read_module_by_module() {
    let text = r#"{"format_version":"1.0","terraform_version":"1.11.4","values":{"outputs":{"o":{"sensitive":false,"value":[1],"type":["list","number"]}},
        "root_module":{"resources":[{"address":"t.a","mode":"managed","type":"t","name":"a","provider_name":"h/n/t","schema_version":1,
        "values":{"id":"1"},"sensitive_values":{},"depends_on":["t.b"],"tainted":true,"deposed_key":"0000000a"}],
        "child_modules":[{"address":"module.m[0]","resources":[{"address":"module.m[0].data.t.a","mode":"data","type":"t","name":"a",
        "provider_name":"h/n/t","schema_version":0,"values":{},"sensitive_values":{}}],
        "child_modules":[{"address":"module.m[0].module.n","resources":[{"address":"t.z","mode":"managed","type":"t","name":"z",
        "provider_name":"t","values":{}}]}]}]}}}"#;
    let Ok(Shown::State(state)) = Shown::read(text.as_bytes()) else { panic!("no state") };
    let values = state.values.expect("values");
    let found: Vec<String> = values.resources().map(|resource| resource.address.instance().to_string()).collect();
    assert_eq!(found, ["t.a", "module.m[0].data.t.a", "module.m[0].module.n.t.z"]);
    assert!(values.root_module.resources[0].tainted);
    assert_eq!(
        values.outputs[0].1.to_value().expect("a value").map(|value| value.ty().to_v05_text()).as_deref(),
        Some(r#"["list","number"]"#)
    );
    for (from, to) in
        [("module.m[0].data.t.a", "module.x.data.t.a"), ("\"module.m[0].module.n\"", "\"module.x.module.n\"")]
    {
        let error = StateJson::read(text.replace(from, to).as_bytes()).expect_err("another module").to_string();
        assert!(error.contains(".values.root_module.child_modules[0]"), "{error}");
    }
}

#[test]
fn shown_plans_and_states_are_distinguished() {
    assert!(matches!(Shown::read(br#"{"format_version":"1.0"}"#), Ok(Shown::State(_))));
    assert!(matches!(Shown::read(br#"{"format_version":"1.2","planned_values":{}}"#), Ok(Shown::Plan(_))));
    assert!(matches!(Shown::read(br#"{"plan_format_version":"1.2"}"#), Ok(Shown::Plan(_))));
    for text in [r#"{"version":4}"#, "[]", r#"{"format_version":"1.0","provider_schemas":{}}"#] {
        assert_eq!(Shown::read(text.as_bytes()).expect_err("neither"), ShowError::Neither, "{text}");
    }
    for version in ["2.0", "1", "1.x", ""] {
        let text = format!(r#"{{"format_version":"{version}","resource_changes":[]}}"#);
        assert_eq!(PlanJson::read(text.as_bytes()).expect_err(version), ShowError::Version { found: version.into() });
    }
}

#[test]
fn hostile_documents_are_refused_within_bounds() {
    let deep = plan_of("", &format!(r#","after":{}1{}"#, "[".repeat(200), "]".repeat(200)));
    let error = PlanJson::read(deep.as_bytes()).expect_err("too deep");
    assert_eq!(error.json().map(crate::json::JsonError::problem), Some(&JsonProblem::TooDeep));
    let large = vec![b' '; MAX_JSON_BYTES + 1];
    assert!(matches!(PlanJson::read(&large), Err(ShowError::TooLarge { .. })));
    // Many members, each of which is looked up in another tree.
    let members = |with: &str| (0..20_000).map(|n| format!("\"k{n}\":{with}")).collect::<Vec<_>>().join(",");
    let wide = plan_of(
        "",
        &format!(
            r#","after":{{{}}},"after_unknown":{{{}}},"after_sensitive":{{{}}}"#,
            members("1"),
            members("false"),
            members("true")
        ),
    );
    let plan = read(&wide);
    assert_eq!(plan.resource_changes.len(), 1);
    let change = plan.resource_changes[0].change.to_change(&crate::value::Type::Dynamic).expect("a value");
    assert_eq!(change.after.sensitive().len(), 20_000);
}
