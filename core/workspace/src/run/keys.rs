//! Deposed keys that an engine draws at random: renamed, so that two states can be compared.

use std::collections::BTreeSet;

use planfuzz_core::json::Json;

/// The state after a run, in which each deposed key that the state before does not have is replaced by the next free number, in the order
/// of the addresses. Resources are sorted in that order.
pub fn with_known_keys(after: &Json, before: &Json) -> Json {
    let known: BTreeSet<String> = objects(before).filter_map(deposed).map(str::to_owned).collect();
    let mut free = (1_u64..).map(|number| format!("{number:08x}")).filter(|key| !known.contains(key));
    let Json::Object(members) = after else { return after.clone() };
    let mut members = members.clone();
    for (name, value) in &mut members {
        let ("resources", Json::Array(resources)) = (&**name, value) else { continue };
        resources.sort_by_cached_key(|resource| ["module", "mode", "type", "name"].map(|name| text(resource, name)));
        for resource in resources {
            let Json::Object(parts) = resource else { continue };
            let Some((_, Json::Array(instances))) = parts.iter_mut().find(|(name, _)| &**name == "instances") else {
                continue;
            };
            instances.sort_by_cached_key(place);
            for instance in instances.iter_mut() {
                let Json::Object(parts) = instance else { continue };
                for (name, value) in parts {
                    let ("deposed", Json::String(key)) = (&**name, value) else { continue };
                    if known.contains(&**key) {
                        continue;
                    }
                    if let Some(new) = free.next() {
                        *key = new.into();
                    }
                }
            }
            instances.sort_by_cached_key(|instance| (place(instance), deposed(instance).map(str::to_owned)));
        }
    }
    Json::Object(members)
}

/// A summary that lists nodes (G11), which engines print in any order: the nodes are sorted, and each deposed key that the state before
/// does not have is replaced by the next free number, counted from the start in each summary.
pub fn summary_with_known_keys(summary: &str, before: &Json) -> String {
    const DEPOSED: &str = " (destroy deposed ";
    let split =
        ["Cycle: ", "Self reference: "].into_iter().find_map(|start| Some((start, summary.strip_prefix(start)?)));
    let Some((start, nodes)) = split else { return summary.to_owned() };
    let known: BTreeSet<&str> = objects(before).filter_map(deposed).collect();
    let mut nodes: Vec<&str> = nodes.split(", ").collect();
    nodes.sort_unstable();
    let mut free = (1_u64..).map(|number| format!("{number:08x}")).filter(|key| !known.contains(&**key));
    let renamed = nodes.iter().map(|node| match node.split_once(DEPOSED) {
        Some((of, key)) if !known.contains(key.trim_end_matches(')')) => {
            format!("{of}{DEPOSED}{})", free.next().unwrap_or_default())
        }
        _ => (*node).to_owned(),
    });
    let mut nodes: Vec<String> = renamed.collect();
    nodes.sort_unstable();
    format!("{start}{}", nodes.join(", "))
}

/// The sort key of an instance in its resource: no key, then numbers, then texts; for equal keys the current object first.
fn place(instance: &Json) -> (u8, String, bool) {
    let is_deposed = instance.member("deposed").is_some();
    match instance.member("index_key") {
        Some(Json::Number(number)) => (1, format!("{number:0>20}"), is_deposed),
        Some(Json::String(key)) => (2, key.to_string(), is_deposed),
        _ => (0, String::new(), is_deposed),
    }
}

fn objects(state: &Json) -> impl Iterator<Item = &Json> {
    state.items_of("resources").iter().flat_map(|resource| resource.items_of("instances"))
}

fn deposed(instance: &Json) -> Option<&str> {
    instance.member("deposed").and_then(|key| key.expect_string().ok())
}

fn text(json: &Json, name: &str) -> String {
    json.member(name).and_then(|text| text.expect_string().ok()).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_keys_are_numbered_and_known_ones_stay() {
        let state = |keys: [&str; 2]| {
            let text = format!(
                r#"{{"resources":[{{"type":"t","name":"b","instances":[{{"deposed":"{}"}}]}},{{"type":"t","name":"a","instances":[{{}},{{"deposed":"{}"}}]}}]}}"#,
                keys[0], keys[1]
            );
            Json::parse(&text).expect("JSON")
        };
        let before = state(["00000001", "00000001"]);
        let keys = |json: &Json| objects(json).filter_map(deposed).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(keys(&with_known_keys(&state(["00000001", "beefbeef"]), &before)), ["00000002", "00000001"]);
        // A known key beside a new one takes no number, wherever the new one sorts.
        let two = |first: &str, then: &str| {
            let text = format!(
                r#"{{"resources":[{{"type":"t","name":"a","instances":[{{"deposed":"{first}"}},{{"deposed":"{then}"}}]}}]}}"#
            );
            Json::parse(&text).expect("JSON")
        };
        let known = two("0a0a0a0a", "0a0a0a0a");
        assert_eq!(keys(&with_known_keys(&two("0a0a0a0a", "beefbeef"), &known)), ["00000001", "0a0a0a0a"]);
        assert_eq!(keys(&with_known_keys(&two("00000002", "0a0a0a0a"), &known)), ["00000001", "0a0a0a0a"]);
        assert_eq!(keys(&with_known_keys(&state(["0000beef", "beefbeef"]), &Json::Null)), ["00000001", "00000002"]);
    }

    #[test]
    fn g11_nodes_without_an_order_are_sorted_and_their_new_keys_numbered_in_each_summary() {
        let before = r#"{"resources":[{"type":"t","name":"b","instances":[{"deposed":"00000001"}]}]}"#;
        let before = Json::parse(before).expect("JSON");
        let summary = |text: &str| summary_with_known_keys(text, &before);
        assert_eq!(
            summary("Cycle: t.c (destroy deposed beefbeef), t.b (destroy deposed 00000001), t.a"),
            "Cycle: t.a, t.b (destroy deposed 00000001), t.c (destroy deposed 00000002)"
        );
        assert_eq!(
            summary("Self reference: t.d (destroy deposed 00000003)"),
            "Self reference: t.d (destroy deposed 00000002)"
        );
        assert_eq!(summary("Invalid index (destroy deposed beefbeef)"), "Invalid index (destroy deposed beefbeef)");
    }
}
