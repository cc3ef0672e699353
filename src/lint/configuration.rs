//! The configuration as a plan in JSON has it.

use std::collections::HashMap;

use planfuzz_core::json::Json;

/// The expressions of resources, by the address in the configuration.
pub type Expressions<'j> = HashMap<String, &'j Json>;

/// The expressions of a configuration.
pub fn expressions(configuration: &Json) -> Expressions<'_> {
    let mut found = HashMap::new();
    if let Some(root) = configuration.member("root_module") {
        module(root, "", &mut found);
    }
    found
}

/// Adds the expressions of a module and those in it. The recursion is bounded by the depth of documents.
fn module<'j>(json: &'j Json, prefix: &str, found: &mut Expressions<'j>) {
    if let Some(Json::Array(resources)) = json.member("resources") {
        for resource in resources {
            if let Some(Json::String(address)) = resource.member("address") {
                // Without expressions no attribute is set.
                let expressions = resource.member("expressions").unwrap_or(&Json::Null);
                found.insert(format!("{prefix}{address}"), expressions);
            }
        }
    }
    if let Some(Json::Object(calls)) = json.member("module_calls") {
        for (name, call) in calls {
            if let Some(inside) = call.member("module") {
                module(inside, &format!("{prefix}module.{name}."), found);
            }
        }
    }
}
