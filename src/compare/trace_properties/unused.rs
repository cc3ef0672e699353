//! LP03: an attribute that nothing refers to can be removed.
//!
//! This is checked in reverse: an optional attribute is added that is null wherever there is an object. The run with it, minus the
//! attribute, must be the run without it.

use planfuzz_core::json::Json;
use planfuzz_pipelines::model::Style;
use planfuzz_pipelines::rules::PlanRule;

use super::related::{MARK, same};
use super::{PropertyResult, Subject};
use crate::shrink::edit;

pub(super) fn check(subject: &Subject<'_>) -> PropertyResult {
    // An object of the SDK is a table of texts, in which an absent value differs from null.
    let Style::Framework { plan, .. } = &subject.scenario.model.style else { return None };
    // A rule for the whole plan refers to every attribute, and so may a fault of the provider.
    if plan.iter().flatten().any(sets_all) || !subject.scenario.model.faults.is_empty() {
        return None;
    }
    let name = format!("{MARK}unused");
    let mut document = subject.document()?.clone();
    if !edit::add_unused_attribute(&mut document, &name) {
        return None;
    }
    let what = "with an attribute that has no references";
    let found = subject.trace_in(what, &document)?;
    Some(found.and_then(|mut found| {
        take_out(&mut found, &name);
        same(what, &subject.trace_document(), &found)
    }))
}

fn sets_all(rule: &PlanRule) -> bool {
    match rule {
        PlanRule::SetAll(_) => true,
        PlanRule::When(_, rule) => sets_all(rule),
        _ => false,
    }
}

/// Removes an attribute from a document: its nulls, and its type where a type is written.
fn take_out(json: &mut Json, name: &str) {
    match json {
        Json::Object(members) => {
            members.retain(|(member, value)| {
                **member != *name || !(*value == Json::Null || *value == Json::string("string"))
            });
            members.iter_mut().for_each(|(_, value)| take_out(value, name));
        }
        Json::Array(items) => items.iter_mut().for_each(|item| take_out(item, name)),
        // The list of attributes in an error message, where it is the last.
        Json::String(text) => *json = Json::string(&text.replace(&format!(", {name}"), "")),
        _ => {}
    }
}
