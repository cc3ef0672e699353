//! Whether the serial of a state rises (U92).
//!
//! Every write counts whose content differs from what the command read, also one during an apply that ends with the state that it began
//! with. The content of such writes depends in part on the schedule; there `rises` returns `None`.

use std::collections::BTreeSet;

use planfuzz_core::address::{ConfigResource, Notation};
use planfuzz_core::dialect::Engine;
use planfuzz_core::json::Json;

use super::compare::After;
use crate::call::{Outcome, Request};
use crate::order::{Made, NodeId};

/// Whether the serial rises between two documents; `None` if that depends on the schedule.
pub(super) fn rises(engine: Engine, before: &Json, after: &Json, result: &After<'_>) -> Option<bool> {
    if result.state.is_none() {
        return Some(false);
    }
    if *before == Json::Null || before != after {
        return Some(true);
    }
    match engine {
        Engine::Terraform => meanwhile(before, result),
        Engine::OpenTofu => (!has_several_orders(before)).then_some(false),
    }
}

/// The same for an apply that ends with the state that it began with, if the engine writes during the apply.
fn meanwhile(before: &Json, result: &After<'_>) -> Option<bool> {
    if is_other_meanwhile(before, result) {
        return Some(true);
    }
    // What a visit without effect writes depends on whether another visit comes first.
    if result.visited > 1 && result.trace.calls.iter().any(changes_object) {
        return None;
    }
    match husk_meanwhile(result) {
        // The same state written in another order is another text.
        Some(false) => (!has_several_orders(before)).then_some(false),
        other => other,
    }
}

/// Whether a write during the apply surely differs from the state before; the only write of a single change is the final state. Results of
/// checks are stored at the end only, so that every write after a call, even a failed one, is without them. Data that a destruction reads
/// are in every write until the last of them is dropped.
fn is_other_meanwhile(before: &Json, result: &After<'_>) -> bool {
    let calls = &result.trace.calls;
    if before.member("check_results").is_some_and(|checks| *checks != Json::Null) {
        return result.dropped > 0 || calls.iter().any(writes);
    }
    calls.iter().filter(|made| changes_object(made)).count() + result.dropped > 1
}

/// Whether the state is written after a call (U55), also one that failed.
fn writes(made: &Made) -> bool {
    matches!(made.call.request, Request::Apply { .. } | Request::ReadData { .. })
}

/// Whether a call left an object other than its prior one; a failed call that returns null did not (A16).
fn changes_object(made: &Made) -> bool {
    let has_failed = made.answer.remarks.iter().any(|remark| remark.is_error());
    match (&made.call.request, &made.answer.outcome) {
        (Request::Apply { prior, .. }, Some(Outcome::Object { value, .. })) => {
            prior != value && !(has_failed && value.is_null())
        }
        _ => false,
    }
}

/// Whether a call was to create an object and left none.
fn creates_nothing(made: &Made) -> bool {
    let is_there = matches!(&made.answer.outcome, Some(Outcome::Object { value, .. }) if !value.is_null());
    matches!(&made.call.request, Request::Apply { prior, .. } if prior.is_null()) && !is_there
}

/// Whether a write during the apply contains a resource without instances, which the state at the end of an apply never does: it is there
/// from the visit of its block on, until a call that was to create an instance leaves none (U69). `None` if that depends on the schedule.
fn husk_meanwhile(result: &After<'_>) -> Option<bool> {
    let writing: Vec<NodeId> = result.trace.calls.iter().filter(|made| writes(made)).map(|made| made.node).collect();
    let order = &result.trace.order;
    let (mut is_sure, mut is_chance) = (false, false);
    let created_nothing = created_nothing(result);
    for (block, is_of_root) in blocks_without_instances(result) {
        let name = &order.walks[block.walk].nodes[block.node];
        let of_block = created_nothing.iter().filter(|(created, _)| created == name);
        let ends: Vec<NodeId> = of_block.map(|(_, node)| *node).collect();
        let is_over = |write: NodeId| ends.iter().any(|&end| end == write || order.precedes(end, write));
        let is_not_over = |write: NodeId| ends.iter().all(|&end| end != write && order.precedes(write, end));
        let is_before = writing.iter().any(|&write| order.precedes(block, write) && is_not_over(write));
        let is_behind = writing.iter().all(|&write| order.precedes(write, block) || is_over(write));
        // A block of a module that has no instance itself is not visited.
        is_sure |= is_before && is_of_root;
        is_chance |= !is_behind;
    }
    match (is_sure, is_chance) {
        (true, _) => Some(true),
        (false, true) => None,
        (false, false) => Some(false),
    }
}

/// The blocks with a call that was to create an instance and left none, and the node of each such call.
fn created_nothing(result: &After<'_>) -> Vec<(String, NodeId)> {
    let notation = Notation { engine: Engine::Terraform };
    let block_of = |made: &Made| {
        let name = match made.visit.as_str() {
            "" => &result.trace.order.walks[made.node.walk].nodes[made.node.node],
            visit => visit,
        };
        let instance = notation.instance(name).ok()?;
        Some((instance.config_resource().to_string(), made.node))
    };
    result.trace.calls.iter().filter(|made| creates_nothing(made)).filter_map(block_of).collect()
}

/// The nodes of blocks that have no instances in the end, and whether they are of the root module.
fn blocks_without_instances(result: &After<'_>) -> Vec<(NodeId, bool)> {
    let stored = result.state.iter().flat_map(|state| &state.resources);
    let has_instances: BTreeSet<String> = stored
        .filter(|(_, resource)| !resource.instances.is_empty())
        .map(|(address, _)| {
            let module = address.module.module();
            ConfigResource { module, resource: address.resource.clone() }.to_string()
        })
        .collect();
    let mut found = Vec::new();
    for (walk, of) in result.trace.order.walks.iter().enumerate() {
        for &node in &of.blocks {
            let name = &of.nodes[node];
            if !has_instances.contains(name) {
                found.push((NodeId { walk, node }, !name.starts_with("module.")));
            }
        }
    }
    found
}

/// Whether a state can be written in several ways (U90): some list whose order is not fixed has more than one member.
fn has_several_orders(state: &Json) -> bool {
    match state {
        Json::Array(items) => items.iter().any(has_several_orders),
        Json::Object(members) => members.iter().any(|(name, value)| {
            let is_free = ["sensitive_attributes", "check_results"].contains(&&**name);
            let is_of_checks =
                |item: &Json| item.member("object_kind").is_some() && has_several(item.member("objects"));
            let has_checks = matches!(value, Json::Array(items) if items.iter().any(is_of_checks));
            is_free && (has_several(Some(value)) || has_checks) || has_several_orders(value)
        }),
        _ => false,
    }
}

fn has_several(items: Option<&Json>) -> bool {
    matches!(items, Some(Json::Array(items)) if items.len() > 1)
}
