//! The operations of plan-files.md: a file is read, and its content is written again.
//!
//! The answer has both: the tree of what was read ([`super::file_trees`]), and the written file. A mistake in reading shows in the first,
//! one in writing in the second, and two that cancel each other in the first.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use planfuzz_core::dialect::{Dialect, Engine};
use planfuzz_core::json::Json;
use planfuzz_core::plans::file::PlanDocument;
use planfuzz_core::state::file::Snapshot;

use super::file_trees::{plan_tree, state_tree};
use super::outcome::Outcome;
use crate::case::FileCall;

/// Answers with the readers and writers that all planners share.
pub(super) fn answer(call: &FileCall, dialect: Dialect) -> Outcome {
    let engine = dialect.engine();
    match call {
        FileCall::Plan { bytes } => match PlanDocument::read(bytes, engine) {
            Ok(plan) => want(plan_tree(&plan), plan.write().ok().map(|bytes| BASE64.encode(bytes)).as_deref()),
            Err(_) => Outcome::Want(Json::object([("error", Json::Bool(true))])),
        },
        FileCall::State { text } => match Snapshot::read(text.as_bytes()) {
            Ok(state) => {
                let written = match engine {
                    Engine::Terraform => state.to_indented(),
                    Engine::OpenTofu => state.to_compact(),
                };
                want(state_tree(&state), Some(&written))
            }
            Err(_) => Outcome::Want(Json::object([("error", Json::Bool(true))])),
        },
    }
}

/// The answer: the members of the tree in the order of their names, and the written file, or null where the engine's files cannot express
/// it.
pub(super) fn want(tree: Json, written: Option<&str>) -> Outcome {
    let written = written.map_or(Json::Null, Json::string);
    Outcome::Want(Json::object([("document", in_order(tree)), ("written", written)]))
}

fn in_order(json: Json) -> Json {
    match json {
        Json::Object(members) => {
            let mut members: Vec<(Box<str>, Json)> =
                members.into_iter().map(|(name, member)| (name, in_order(member))).collect();
            members.sort_by(|(one, _), (other, _)| one.cmp(other));
            Json::Object(members)
        }
        Json::Array(items) => Json::Array(items.into_iter().map(in_order).collect()),
        other => other,
    }
}
