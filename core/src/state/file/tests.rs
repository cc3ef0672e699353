use std::path::PathBuf;

use proptest::prelude::*;

use super::*;
use crate::json::JsonProblem;
use crate::state::{InstanceState, Object, Stored};
use crate::value::{PathSet, Type, Value};

/// A state with something of everything.
pub(super) const STATE: &str = r#"{
  "version": 4,
  "terraform_version": "1.11.4",
  "serial": 7,
  "lineage": "l",
  "outputs": {
    "o": {
      "value": "\u003cx\u003e",
      "type": "string",
      "sensitive": true
    }
  },
  "resources": [
    {
      "mode": "data",
      "type": "t",
      "name": "z",
      "provider": "provider[\"h/n/t\"]",
      "instances": []
    },
    {
      "mode": "managed",
      "type": "t",
      "name": "a",
      "provider": "provider[\"h/n/t\"]",
      "instances": [
        {
          "status": "tainted",
          "schema_version": 1,
          "attributes": {
            "$d": {
              "value": [
                1
              ],
              "type": [
                "tuple",
                [
                  "number"
                ]
              ]
            },
            "m": {
              "$unknown": "k"
            }
          },
          "sensitive_attributes": [
            [
              {
                "type": "get_attr",
                "value": "m"
              },
              {
                "type": "index",
                "value": {
                  "value": "$unknown",
                  "type": "string"
                }
              }
            ]
          ],
          "private": "cHA=",
          "dependencies": [
            "t.b"
          ],
          "create_before_destroy": true
        },
        {
          "deposed": "0000000a",
          "schema_version": 0,
          "attributes": {},
          "sensitive_attributes": []
        },
        {
          "index_key": 2,
          "schema_version": 0,
          "attributes": {},
          "sensitive_attributes": []
        },
        {
          "index_key": "k",
          "schema_version": 0,
          "attributes": {},
          "sensitive_attributes": []
        }
      ]
    }
  ],
  "check_results": null
}
"#;

fn read(text: &str) -> Result<Snapshot, StateFileError> {
    Snapshot::read(text.as_bytes())
}

fn ty() -> Type {
    Type::parse(r#"["object",{"$d":"dynamic","m":["map","string"]}]"#).expect("a type")
}

#[test]
fn st01_to_st08_states_are_written_as_they_were_read() {
    let mut state = read(STATE).expect("a state");
    assert_eq!(state.to_indented(), STATE);
    state.resources.reverse();
    state.resources.iter_mut().for_each(|resource| resource.objects.reverse());
    assert_eq!(state.to_indented(), STATE, "ST07");
    assert_eq!(read(&state.to_compact()).expect("a state"), read(STATE).expect("a state"));
    assert!(!state.to_compact().contains(['\n', '<']));
}

#[test]
fn st05_attributes_are_values_of_the_type_without_escapes() {
    let state = read(STATE).expect("a state");
    let resource = &state.resources[1];
    let instance = resource.instance(&InstanceKey::None, &ty(), 1).expect("objects");
    let current = instance.current.as_ref().expect("an object");
    let Stored::Value(value) = &current.stored else { panic!("the version is the schema's") };
    assert_eq!(
        value.view().to_json_text(&ty()),
        r#"{"$$d":{"type":["tuple",["number"]],"value":[1]},"m":{"$$unknown":"k"}}"#
    );
    assert_eq!(current.sensitive.texts(), [r#".m["$unknown"]"#]);
    assert!(current.status == Status::Tainted && current.create_before_destroy && !current.skip_destroy);
    let deposed = instance.deposed.values().next().expect("a deposed object");
    assert!(matches!(&deposed.stored, Stored::Raw { version: 0, .. }));
    let again = StoredResource::objects_of(&instance, &ty(), 1).expect("objects");
    assert_eq!(again, resource.objects[..2]);
}

#[test]
fn st05_values_that_json_cannot_represent_are_not_stored() {
    let of = |json: &str| {
        let value = Value::from_json(&Json::parse(json).expect("json"), &Type::Dynamic).expect("a value");
        let state = InstanceState { current: Some(Object::ready(value)), ..InstanceState::ABSENT };
        StoredResource::objects_of(&state, &Type::Dynamic, 0)
    };
    let unknown = of(r#"{"type":["list","string"],"value":[{"$unknown":true}]}"#);
    assert_eq!(unknown, Err(StorageError::Value(crate::value::json::NotStorable::Unknown)));
    let infinite = of(r#"{"type":["map","number"],"value":{"k":"-inf"}}"#);
    assert_eq!(infinite, Err(StorageError::Value(crate::value::json::NotStorable::Infinite)));
    let object = Object::ready(Value::bool(true));
    assert_eq!(StoredObject::of(&object, None, &Type::String, 0), Err(StorageError::Type));
}

#[test]
fn st05_attributes_of_another_form_are_refused() {
    for (json, message) in [
        (r#"{"m":{}}"#, "expected the member \"$d\", found none of that name"),
        (r#"{"$d":null,"m":{"k":{}}}"#, ".m[\"k\"]: expected a string, found an empty object"),
        (r#"{"$d":{"value":1,"type":"number","x":1},"m":{}}"#, ".\"$d\": found the unknown member \"x\""),
        (r#"{"$d":{"value":"x","type":"number"},"m":{}}"#, ".\"$d\".value: expected a decimal number, found \"x\""),
    ] {
        let error = Value::from_stored_json(&Json::parse(json).expect("json"), &ty()).expect_err(json).to_string();
        assert!(error.starts_with(message), "{error}");
    }
    let absent = Value::from_stored_json_or_absent(&Json::parse("{}").expect("json"), &ty()).expect("a value");
    assert_eq!(absent.view().to_json_text(&ty()), r#"{"$$d":null,"m":null}"#);
}

#[test]
fn st09_invalid_states_are_refused_with_their_place() {
    let with = |from: &str, to: &str| {
        assert!(STATE.contains(from), "{from}");
        read(&STATE.replacen(from, to, 1)).expect_err(to).to_string()
    };
    assert_eq!(with("\"version\": 4", "\"version\": 3"), "expected a state of version 4, found version 3");
    let place = "expected a state: .resources[1].instances";
    for (from, to, message) in [
        ("\"tainted\"", "\"planned\"", "[0].status: expected \"tainted\", found the string \"planned\""),
        ("\"0000000a\"", "\"a\"", "[1].deposed: expected eight hexadecimal digits, found the string \"a\""),
        ("\"deposed\": \"0000000a\",", "", "[1]: expected each object once, found another object"),
        ("\"index_key\": \"k\"", "\"index_key\": 2", "[3]: expected each object once"),
        ("\"index_key\": \"k\"", "\"index_key\": 1.5", "[3].index_key: expected a whole number"),
        ("\"cHA=\"", "\"cHA\"", "[0].private: expected base64 with padding"),
        ("\"get_attr\"", "\"attr\"", "[0].sensitive_attributes[0][0]: expected a step"),
        (
            "\"type\": \"string\"\n                }",
            "\"type\": \"bool\"\n                }",
            "[0].sensitive_attributes[0][1].value: expected a key",
        ),
    ] {
        let error = with(from, to);
        assert!(error.starts_with(&format!("{place}{message}")), "{error}");
    }
    assert!(with("\"managed\"", "\"ephemeral\"").contains(".resources[1].mode: expected \"managed\" or \"data\""));
    assert!(with("\"serial\"", "\"cereal\"").contains("serial"));
    assert!(
        matches!(read("{"), Err(StateFileError::Json(error)) if matches!(error.problem(), JsonProblem::Syntax { .. }))
    );
    let deep = format!("{{\"version\":4,\"x\":{}", "[".repeat(1_000_000));
    assert!(matches!(read(&deep), Err(StateFileError::Json(error)) if matches!(error.problem(), JsonProblem::TooDeep)));
}

#[test]
fn st09_no_attributes_are_none_and_flat_ones_stay() {
    let state = |object: &str| {
        let text = format!(
            r#"{{"version":4,"terraform_version":"0.12.0","serial":1,"lineage":"l","resources":[
            {{"mode":"managed","type":"t","name":"n","each":"list","instances":[{object}]}}]}}"#
        );
        read(&text).expect("a state").resources.remove(0).objects.remove(0)
    };
    assert_eq!(state(r#"{"schema_version":0}"#).attributes, Attributes::Json(Json::Object(Vec::new())));
    let flat = state(r#"{"schema_version":0,"attributes_flat":{"a":"b"}}"#);
    assert_eq!(flat.attributes, Attributes::Flat(vec![("a".into(), Json::string("b"))]));
    assert_eq!(flat.to_object(&ty(), 0).map(|_| ()), Err(NotAnObject::Flat));
}

#[test]
fn pl08_sensitive_paths_sit_on_the_value() {
    let state = read(&STATE.replacen("\"$unknown\",\n", "\"gone\",\n", 1)).expect("a state");
    let instance = state.resources[1].instance(&InstanceKey::None, &ty(), 1).expect("objects");
    assert_eq!(instance.current.expect("an object").sensitive, PathSet::EMPTY);
}

/// The state files that a real engine wrote: those before and after the runs of corpus/artifacts.
fn real_states() -> Vec<PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../corpus/artifacts");
    let runs = std::fs::read_dir(folder).expect("the artifacts").map(|entry| entry.expect("an entry").path());
    let files = runs.flat_map(|run| ["before.tfstate", "after.tfstate"].map(|name| run.join(name)));
    files.filter(|file| file.exists()).collect()
}

#[test]
fn real_states_are_read_and_written_again() {
    let files = real_states();
    assert!(files.len() >= 22, "{}", files.len());
    for path in files {
        let text = std::fs::read_to_string(&path).expect("a state");
        let state = read(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(state.to_indented(), text, "{}", path.display());
        assert_eq!(read(&state.to_compact()).expect("a state").to_indented(), text, "{}", path.display());
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Snapshot::read(&bytes);
    }

    #[test]
    fn a_changed_state_is_read_or_refused(at in 0..STATE.len(), length in 0..40usize, text in "[ -~]{0,8}") {
        let end = (at + length).min(STATE.len());
        let changed = format!("{}{text}{}", &STATE[..at], &STATE[end..]);
        if let Ok(state) = read(&changed) {
            let written = state.to_indented();
            prop_assert_eq!(read(&written).expect("written").to_indented(), written);
        }
    }
}
