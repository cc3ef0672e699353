use super::*;

/// A workspace with secrets in every place that can be declared sensitive.
const CASE: &str = r#"{"format": 1, "op": "workspace", "dialect": "terraform-1.11",
  "providers": {"registry.terraform.io/hashicorp/w": {
    "provider": {"version": 0, "block": {"attributes": {"token": {"type": "string", "optional": true, "sensitive": true}}}},
    "resource_schemas": {"w_db": {"version": 0, "block": {
      "attributes": {
        "id": {"type": "string", "computed": true}, "name": {"type": "string", "optional": true},
        "password": {"type": "string", "optional": true, "sensitive": true},
        "note": {"type": "string", "optional": true}, "tags": {"type": ["map", "string"], "optional": true},
        "any": {"type": "dynamic", "optional": true, "sensitive": true},
        "keys": {"type": ["map", "string"], "optional": true, "sensitive": true}},
      "block_types": {"user": {"nesting_mode": "list", "block": {"attributes": {
        "name": {"type": "string", "optional": true}, "pin": {"type": "number", "optional": true, "sensitive": true}}}}}}}}}},
  "models": {},
  "files": {"main.tf.json": {
    "provider": {"w": {"token": "provider-token-1"}},
    "variable": {"secret": {"sensitive": true, "default": "variable-secret-1"}, "open": {"default": "plainly"}},
    "output": {"o": {"sensitive": true, "value": "output-secret-1"}},
    "module": {"m": {"source": "./m", "secret": "argument-secret-1"}},
    "resource": {"w_db": {"a": {"name": "plainly", "password": "username:${var.open}@hunter2hunter2", "keys": {"key": "value-secret-1"},
      "note": "${upper(var.hunter2hunter2)} say hunter2hunter2 ${f(\"loudly ${lower(\"hunter2hunter2\")}\")}", "user": [{"name": "eve", "pin": 4711}], "any": {"inner": "${\"app-secret:${var.open}\"}"}, "depends_on": ["w_db.hunter2hunter2"],
      "dynamic": {"user": {"for_each": [1], "content": {"name": "bob", "pin": 815}}}}}}},
   "m/main.tf.json": {"variable": {"secret": {"sensitive": true}}}},
  "state": {"version": 4, "outputs": {"o": {"value": "output-secret-1", "type": "string", "sensitive": true}},
    "resources": [{"mode": "managed", "type": "w_db", "name": "a", "provider": "provider[\"registry.terraform.io/hashicorp/w\"]",
      "instances": [{"schema_version": 0, "sensitive_attributes": [[{"type": "get_attr", "value": "tags"}, {"type": "index", "value": {"value": "t", "type": "string"}}]],
        "attributes": {"id": "i1", "name": "plainly", "password": "hunter2hunter2", "note": "n", "tags": {"t": "marked-secret-1", "u": "shown"},
          "keys": {"key": "value-secret-1"}, "user": [{"name": "eve", "pin": 4711}], "any": {"value": {"inner": "app-secret:plainly"}, "type": ["object", {"inner": "string"}]}}}]}]},
  "steps": [{"command": "plan", "options": {"variables": {"secret": "given-secret-1", "open": "plainly"}}}]}"#;

fn replaced(text: &str) -> Option<Case> {
    let case = CaseFile::from_json(&Json::parse(text).expect("JSON")).expect("a case").case;
    crate::placeholders::of_case(&case).expect("placeholders")
}

#[test]
fn sensitive_values_of_a_workspace_have_placeholders() {
    let text = replaced(CASE).expect("secrets").to_json().to_compact();
    for secret in ["-secret-1", "provider-token-1", "username", "4711", "815"] {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
    assert!(text.contains("${upper(var.hunter2hunter2)} say si-"), "a name stays: {text}");
    let text = text.replace("var.hunter2hunter2", "").replace("w_db.hunter2hunter2", "");
    for secret in ["hunter2", "app-secret"] {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
    for open in ["\"name\":\"plainly\"", "${var.open}", "\"u\":\"shown\"", "eve", "\"default\":\"plainly\""] {
        assert!(text.contains(open), "{open}: {text}");
    }
}

#[test]
fn equal_values_of_a_workspace_stay_equal() {
    let case = replaced(CASE).expect("secrets").to_json();
    let at = |path: &[&str]| {
        path.iter().fold(&case, |json, name| match json {
            Json::Array(items) => &items[name.parse::<usize>().expect("an index")],
            json => json.member(name).unwrap_or_else(|| panic!("{name}")),
        })
    };
    let body = ["files", "main.tf.json", "resource", "w_db", "a"];
    let stored = ["state", "resources", "0", "instances", "0", "attributes"];
    for name in ["keys", "user", "name"] {
        assert_eq!(at(&[&body[..], &[name]].concat()), at(&[&stored[..], &[name]].concat()), "{name}");
    }
    assert_eq!(at(&["files", "main.tf.json", "output", "o", "value"]), at(&["state", "outputs", "o", "value"]));
}

#[test]
fn a_workspace_with_placeholders_has_the_same_ones_again() {
    let once = replaced(CASE).expect("secrets").to_json();
    let again = replaced(&once.to_compact()).expect("secrets").to_json();
    assert_eq!(again.to_compact(), once.to_compact());
}

#[test]
fn a_workspace_without_secrets_stays_as_it_is() {
    let text = CASE
        .replace("\"sensitive\": true", "\"sensitive\": false")
        .replace("\"sensitive_attributes\": [[", "\"x\": [[");
    assert!(replaced(&text).is_none());
}

#[test]
fn generated_workspaces_can_have_placeholders() {
    let workspaces =
        crate::generate::Workspaces::new(&crate::generate::Settings::MIXED, &planfuzz_core::dialect::Dialect::ALL, 3);
    let mut with_secrets = 0;
    for number in 0..300 {
        let case = workspaces.case(number);
        let replaced = crate::placeholders::of_case(&case).unwrap_or_else(|problem| panic!("{number}: {problem}"));
        with_secrets += usize::from(replaced.is_some_and(|replaced| replaced.to_json() != case.to_json()));
    }
    assert!(with_secrets > 10, "{with_secrets}");
}
