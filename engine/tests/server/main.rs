//! A Terraform binary asks the server. Where there is none on the path, the tests print that and pass.

#[cfg(unix)]
mod bytes;
mod echo;
mod refused;
mod run;

use std::sync::{Arc, Mutex};

use planfuzz_core::address::ResourceKind;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::planner::{Exchange, RawState};
use planfuzz_core::schema::Schema;
use planfuzz_core::state::{InstanceState, Object, Stored};
use planfuzz_core::value::{Type, Value};
use planfuzz_engine::{AnswerError, Entry, Finished, Helper, Protocol, ProviderAddress, Served, ServedTypes};

use echo::{Echo, Quirk};
use run::{Run, terraform};

const SIX: ProviderAddress = ProviderAddress { protocol: Protocol::Six, plan_destroy: false };
const SIX_DESTROY: ProviderAddress = ProviderAddress { protocol: Protocol::Six, plan_destroy: true };
const FIVE: ProviderAddress = ProviderAddress { protocol: Protocol::Five, plan_destroy: false };

/// An attribute to set, one to be set by the provider, and one of type dynamic.
const SCHEMA: &str = r#"{"version":2,"block":{"attributes":{"a":{"type":"string","optional":true},
    "c":{"type":"number","optional":true,"computed":true},"d":{"type":"dynamic","optional":true},
    "o":{"type":["object",{"x":"string","y":"bool"},["y"]],"optional":true}},
    "block_types":{"b":{"nesting_mode":"set","block":{"attributes":{"n":{"type":"number","optional":true}}}}}}}"#;

fn schema(text: &str) -> Arc<Schema> {
    Arc::new(Schema::parse(text).expect("a schema"))
}

fn value(schema: &Schema, text: &str) -> Value {
    let json = Json::parse(text).expect("JSON");
    Value::from_json(&json, &schema.implied_type(Dialect::default())).expect("a value")
}

fn served(provider_address: ProviderAddress, index: usize, quirk: Quirk) -> Served {
    Served {
        type_name: format!("{}_{index}", provider_address.name()),
        provider_address,
        kind: ResourceKind::Managed,
        schema: schema(SCHEMA),
        provider: Arc::new(Mutex::new(Echo(quirk, schema(SCHEMA).implied_type(Dialect::default())))),
        state: InstanceState::ABSENT,
        helpers: Vec::new(),
        validates_block: false,
    }
}

fn holding(object: Object) -> InstanceState {
    InstanceState { current: Some(object), ..InstanceState::ABSENT }
}

fn plan(served: Vec<Served>, resources: &str, stored: &[(&str, u64, &str)], args: &[&str]) -> Option<(Run, Finished)> {
    let terraform = terraform()?;
    Some(Run::of(&terraform, ServedTypes { dialect: Dialect::default(), served }, resources, stored, args))
}

/// The calls of a log, in short.
fn calls(finished: &Finished, index: usize) -> Vec<String> {
    let short = |entry: &Entry| match entry {
        Entry::Asked(exchange) => exchange.name().to_owned(),
        Entry::Repeated(exchange) => format!("{} again", exchange.name()),
        Entry::Failed(failure) => failure.to_string(),
    };
    finished.logs[index].entries.iter().map(short).collect()
}

fn plans(finished: &Finished, index: usize) -> Vec<(String, String, String)> {
    let ty = schema(SCHEMA).implied_type(Dialect::default());
    let text = |value: &Value| value.view().to_json_text(&ty);
    let plan = |exchange: &Exchange| match exchange {
        Exchange::Plan(asked, _) => Some((text(&asked.prior), text(&asked.config), text(&asked.proposed))),
        _ => None,
    };
    finished.logs[index].exchanges().filter_map(plan).collect()
}

#[test]
fn three_types_of_three_providers_are_planned() {
    let stored = value(
        &schema(SCHEMA),
        r#"{"a":"é","c":18446744073709551616,"d":{"type":["list","string"],"value":["q"]},"o":{"x":"s","y":null},"b":[{"n":2.50},{"n":null}]}"#,
    );
    let written = r#"{"a":"é","c":18446744073709551616,"d":{"value":["q"],"type":["list","string"]},"o":{"x":"s","y":null},
        "b":[{"n":2.5},{"n":null}]}"#;
    let held = || holding(Object::ready(stored.clone()));
    let types = vec![
        served(SIX, 0, Quirk::None),
        Served { state: held(), ..served(SIX_DESTROY, 1, Quirk::None) },
        Served { state: held(), ..served(FIVE, 2, Quirk::None) },
    ];
    let resources = r#"{"six_0":{"r":{"a":"new","o":{"x":"1"}}},"five_2":{"r":{"a":"x","b":[{"n":1}]}}}"#;
    let before = [("sixd_1", 2, written), ("five_2", 2, written)];
    let Some((run, finished)) = plan(types, resources, &before, &["plan", "-refresh=true"]) else { return };
    assert!(run.ok, "{}", run.printed);
    assert!(finished.strays.is_empty());

    assert_eq!(calls(&finished, 0), ["validate", "validate", "plan"]);
    let config = r#"{"a":"new","b":[],"c":null,"d":null,"o":{"x":"1","y":null}}"#;
    assert_eq!(plans(&finished, 0), [("null".into(), config.into(), config.into())]);

    // Terraform plans an orphan before it refreshes it.
    assert_eq!(calls(&finished, 1), ["upgrade", "plan", "read"]);
    let prior = stored.view().to_json_text(&schema(SCHEMA).implied_type(Dialect::default()));
    assert_eq!(plans(&finished, 1), [(prior.clone(), "null".into(), "null".into())]);

    let mut found = calls(&finished, 2);
    found.sort();
    assert_eq!(found, ["plan", "read", "upgrade", "validate", "validate"]);
    let config = r#"{"a":"x","b":[{"n":1}],"c":null,"d":null,"o":null}"#;
    let proposed = r#"{"a":"x","b":[{"n":1}],"c":18446744073709551616,"d":null,"o":null}"#;
    assert_eq!(plans(&finished, 2), [(prior, config.into(), proposed.into())]);

    for index in [1, 2] {
        let upgrade = finished.logs[index].exchanges().find_map(|exchange| match exchange {
            Exchange::Upgrade(asked, _) => Some(asked),
            _ => None,
        });
        let upgrade = upgrade.expect("an upgrade");
        assert!(matches!(&upgrade.state, RawState::Value(sent) if *sent == stored), "{upgrade:?}");
    }
}

#[test]
fn objects_of_other_versions_are_sent_as_json() {
    let attributes = r#"{"z":{"q":1e400,"b":[0.1]},"a":"x"}"#;
    let raw = |version| {
        let attributes = Json::parse(attributes).expect("JSON");
        let stored = Stored::Raw { version, attributes: attributes.into() };
        holding(Object { stored, ..Object::ready(Value::null(Type::Dynamic)) })
    };
    let types = vec![
        Served { state: raw(1), ..served(SIX, 0, Quirk::None) },
        Served { state: raw(2), ..served(SIX, 1, Quirk::None) },
    ];
    let before = [("six_0", 1, attributes), ("six_1", 2, attributes)];
    let Some((run, finished)) = plan(types, "{}", &before, &["plan"]) else { return };
    assert!(run.printed.contains("upgraded from JSON"), "{}", run.printed);
    let sent: Vec<String> = (0..2)
        .map(|index| match finished.logs[index].exchanges().next() {
            Some(Exchange::Upgrade(asked, _)) => match &asked.state {
                RawState::Json(json) => format!("{} {}", asked.version, json.to_compact()),
                RawState::Value(value) => panic!("a value: {value:?}"),
            },
            other => panic!("expected an upgrade, found {other:?}"),
        })
        .collect();
    // Core drops what the schema of the same version no longer has.
    assert_eq!(sent, [r#"1 {"z":{"q":1e+400,"b":[0.1]},"a":"x"}"#, r#"2 {"a":"x"}"#]);
}

#[test]
fn failures_stay_with_their_type() {
    let types = vec![
        served(SIX, 0, Quirk::Panics),
        served(SIX, 1, Quirk::Unsendable),
        served(SIX, 2, Quirk::None),
        served(FIVE, 3, Quirk::Panics),
    ];
    let resources = r#"{"six_0":{"r":{}},"six_1":{"r":{}},"six_2":{"r":{}},"five_3":{"r":{}}}"#;
    let Some((run, finished)) = plan(types, resources, &[], &["plan"]) else { return };
    assert!(!run.ok);
    let error = |index: usize| finished.logs[index].failures().map(|failure| failure.error.clone()).next();
    assert_eq!(error(0), Some(AnswerError::Panicked("on purpose".into())));
    assert_eq!(error(1), Some(AnswerError::Unsendable("a value that does not conform to the schema")));
    assert_eq!(error(2), None);
    assert_eq!(error(3), Some(AnswerError::Panicked("on purpose".into())));
    assert!(finished.logs[1].left_out().is_some());
    for name in ["six_0", "six_1", "five_3"] {
        assert!(run.printed.contains(&format!("{name}: the provider")), "{}", run.printed);
    }
    assert_eq!(calls(&finished, 2), ["validate", "validate", "plan"]);
}

#[test]
fn helpers_make_unknowns_and_data_is_read() {
    let source = schema(r#"{"block":{"attributes":{"u":{"type":"string","computed":true}}}}"#);
    let helper = Helper {
        type_name: "six_0_h0".into(),
        kind: ResourceKind::Managed,
        planned: value(&source, r#"{"u":{"$unknown":{"not_null":true,"string_prefix":"pre-"}}}"#),
        applied: value(&source, r#"{"u":"pre-x"}"#),
        stored: None,
        requires_replace: Vec::new(),
        schema: source,
    };
    let types = vec![
        Served { helpers: vec![helper], ..served(SIX, 0, Quirk::None) },
        Served { kind: ResourceKind::Data, ..served(FIVE, 1, Quirk::None) },
    ];
    let resources = r#"{"six_0_h0":{"h":{}},"six_0":{"r":{"a":"${six_0_h0.h.u}","d":"${data.five_1.r.a}"}}}"#;
    let Some((run, finished)) = plan(types, resources, &[], &["plan"]) else { return };
    assert!(run.ok, "{}", run.printed);
    assert_eq!(calls(&finished, 1), ["validate", "validate", "read_data"]);
    let unknown = r#"{"$unknown":{"not_null":true,"string_prefix":"pre-"}}"#;
    let config = format!(r#"{{"a":{unknown},"b":[],"c":null,"d":{{"type":"string","value":"data"}},"o":null}}"#);
    assert_eq!(plans(&finished, 0), [("null".into(), config.clone(), config)]);
}

#[test]
fn a_call_without_an_answer_is_a_plugin_that_did_not_respond() {
    let types = vec![served(SIX, 0, Quirk::NoAnswer), served(FIVE, 1, Quirk::NoAnswer)];
    let resources = r#"{"six_0":{"r":{}},"five_1":{"r":{}}}"#;
    let Some((run, finished)) = plan(types, resources, &[], &["apply", "-auto-approve"]) else { return };
    assert_eq!(run.printed.matches("\"summary\":\"Plugin did not respond\"").count(), 2, "{}", run.printed);
    for index in [0, 1] {
        assert_eq!(calls(&finished, index).last().map(String::as_str), Some("apply"));
        assert_eq!(finished.logs[index].failures().count(), 0);
    }
}

#[test]
fn a_destruction_reads_the_refreshed_object_again() {
    let old = value(&schema(SCHEMA), r#"{"a":"old","b":[],"c":null,"d":null,"o":null}"#);
    let written = r#"{"a":"old","b":[],"c":null,"d":null,"o":null}"#;
    let types = vec![
        Served { state: holding(Object::ready(old.clone())), ..served(SIX, 0, Quirk::Drifts) },
        Served { state: holding(Object::ready(old)), ..served(SIX, 1, Quirk::None) },
    ];
    let before = [("six_0", 2, written), ("six_1", 2, written)];
    let resources = r#"{"six_0":{"r":{}},"six_1":{"r":{}}}"#;
    let Some((run, finished)) = plan(types, resources, &before, &["plan", "-destroy"]) else { return };
    assert!(run.ok, "{}", run.printed);
    let sent: Vec<String> = finished.logs[0]
        .exchanges()
        .filter_map(|exchange| match exchange {
            Exchange::Upgrade(asked, _) => match &asked.state {
                RawState::Value(value) => value.view().member("a").and_then(|a| a.as_text().map(|a| a.to_string())),
                RawState::Json(json) => panic!("JSON: {}", json.to_compact()),
            },
            _ => None,
        })
        .collect();
    assert_eq!(sent, ["old", "drifted"]);
    assert_eq!(calls(&finished, 1).iter().filter(|call| *call == "upgrade again").count(), 1);
}

/// What a case costs: `cargo test --release -- --ignored --nocapture`.
#[test]
#[ignore = "measures"]
fn many_types_in_one_run() {
    const COUNT: usize = 200;
    let types = (0..COUNT).map(|index| served(SIX, index, Quirk::None)).collect();
    let resources: Vec<String> = (0..COUNT).map(|index| format!(r#""six_{index}":{{"r":{{"a":"x"}}}}"#)).collect();
    let resources = format!("{{{}}}", resources.join(","));
    let begun = cpu_time::ProcessTime::now();
    let Some((run, finished)) = plan(types, &resources, &[], &["plan"]) else { return };
    let own = begun.elapsed();
    assert!(run.ok, "{}", run.printed);
    let calls: usize = finished.logs.iter().map(|log| log.entries.len()).sum();
    let a_second = COUNT as f64 / run.took.as_secs_f64();
    println!("{COUNT} cases, {calls} calls in {:?}: {a_second:.0} cases/s; {own:?} of processor time here", run.took);
}
