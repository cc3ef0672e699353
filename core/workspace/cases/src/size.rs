//! How many resources a case has: the size that a reader has to look at.

use std::collections::{BTreeMap, BTreeSet};

use planfuzz_core::address::{ConfigResource, Module, Resource};
use planfuzz_core::json::Json;
use planfuzz_language::config::{self, Configuration};

use crate::case::{Case, edited, sources};
use crate::play::state_of;

/// The most resources of any configuration of a case, including stored ones that have no block in it.
pub fn resources(case: &Case) -> usize {
    let stored = stored(case);
    let mut files = case.files.clone();
    let mut most = with_blocks_of(&stored, &files);
    for step in &case.steps {
        edited(&mut files, step);
        most = most.max(with_blocks_of(&stored, &files));
    }
    most
}

/// The stored resources; none if the state cannot be read, since such a case cannot be played.
fn stored(case: &Case) -> BTreeSet<ConfigResource> {
    let state = case.state.as_ref().and_then(|state| state_of(state).ok()).unwrap_or_default();
    let stored = state.resources.keys();
    stored.map(|of| ConfigResource { module: of.module.module(), resource: of.resource.clone() }).collect()
}

/// How many resources these and the blocks of a configuration are; files that are too large declare none.
fn with_blocks_of(stored: &BTreeSet<ConfigResource>, files: &BTreeMap<String, Json>) -> usize {
    let Ok(sources) = sources(files) else { return stored.len() };
    let mut all = stored.clone();
    blocks(&config::load(&sources, "").configuration, &Module(Vec::new()), &mut all);
    all.len()
}

fn blocks(of: &Configuration, path: &Module, found: &mut BTreeSet<ConfigResource>) {
    let checks = of.module.checks.iter().filter_map(|check| check.data.as_ref());
    found.extend(of.module.resources.iter().chain(checks).map(|block| {
        let (type_name, name) = (block.type_name.text.to_string(), block.name.text.to_string());
        ConfigResource { module: path.clone(), resource: Resource { mode: block.mode, type_name, name } }
    }));
    for (name, child) in &of.children {
        let inner = Module(path.0.iter().cloned().chain([name.to_string()]).collect());
        blocks(child, &inner, found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASE: &str = r#"{
      "op": "workspace", "dialect": "terraform-1.11", "providers": {}, "models": {},
      "files": {
        "main.tf.json": {
          "resource": {"w_thing": {"ant": {"count": 2}}},
          "check": {"c": {"data": {"w_info": {"fox": {}}}, "assert": {"condition": "${length(w_thing.ant) > 0}", "error_message": "a"}}},
          "module": {"m": {"source": "./m"}}
        },
        "m/main.tf.json": {"resource": {"w_thing": {"ant": {}}}}
      },
      "state": {"version": 4, "resources": [
        {"mode": "managed", "type": "w_thing", "name": "ant", "provider": "provider[\"registry.terraform.io/hashicorp/w\"]", "instances": [{"schema_version": 0, "attributes": {}}]},
        {"mode": "managed", "type": "w_thing", "name": "bee", "provider": "provider[\"registry.terraform.io/hashicorp/w\"]", "instances": [{"schema_version": 0, "attributes": {}}]}
      ]},
      "steps": [{"command": "plan"}, {"command": "plan", "files": {"m/main.tf.json": {}}}]
    }"#;

    #[test]
    fn a_repeated_block_counts_once_and_a_stored_resource_without_a_block_counts_too() {
        let case = Case::from_json(&Json::parse(CASE).expect("JSON")).expect("a case");
        assert_eq!(resources(&case), 4);
    }
}
