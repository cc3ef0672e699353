//! The tree of a plan as the member `tfplan` (sections 2.1 to 2.7).

use planfuzz_core::dialect::Engine;
use planfuzz_core::json::Json;

use super::codes::{self, number};
use super::fields::Message;
use super::path;
use super::tree::{bytes, bytes_of, entries, flag, items, text, texts};

/// The bytes of a plan of an engine; `None` where its files cannot hold the plan.
pub fn write_plan(plan: &Json, engine: Engine) -> Option<Vec<u8>> {
    let mut out = Message::default();
    out.number(1, 3);
    out.parts(2, variables(plan)?);
    out.parts(3, each(plan, "changes", |it| instance_change(it, engine))?);
    out.parts(4, each(plan, "outputs", |it| output_change(it, engine))?);
    out.parts(5, all_texts(plan, "targets")?);
    if engine == Engine::OpenTofu {
        out.parts(6, all_texts(plan, "excludes")?);
    }
    out.part(13, &backend(plan)?);
    out.bytes(14, text(plan, "terraform_version")?.as_bytes());
    out.parts(15, each(plan, "relevant_attributes", relevant_attribute)?);
    out.parts(16, all_texts(plan, "force_replace")?);
    let mode = text(plan, "mode")?;
    out.number(17, number(codes::MODES, if mode.is_empty() { "normal" } else { mode }, engine)?);
    out.parts(18, each(plan, "drift", |it| instance_change(it, engine))?);
    out.parts(19, each(plan, "checks", |it| check_results(it, engine))?);
    out.number(20, flag(plan, "errored")?.into());
    out.bytes(21, text(plan, "timestamp")?.as_bytes());
    match engine {
        Engine::Terraform => {
            out.parts(22, each(plan, "function_results", function_result)?);
            out.number(25, flag(plan, "applyable")?.into());
            out.number(26, flag(plan, "complete")?.into());
            out.parts(27, each(plan, "deferred", |it| deferred(it, engine))?);
            out.parts(28, all_texts(plan, "apply_time_variables")?);
        }
        Engine::OpenTofu => {
            out.parts(22, all_texts(plan, "ephemeral_variables")?);
            out.bytes(500_000_000, &bytes_of(plan, "execution_graph")?);
            out.number(500_000_001, flag(plan, "destroying")?.into());
        }
    }
    Some(out.bytes)
}

fn each(tree: &Json, list: &str, write: impl Fn(&Json) -> Option<Vec<u8>>) -> Option<Vec<Vec<u8>>> {
    items(tree, list)?.iter().map(write).collect()
}

fn all_texts(tree: &Json, list: &str) -> Option<Vec<Vec<u8>>> {
    Some(texts(tree, list)?.into_iter().map(|text| text.as_bytes().to_vec()).collect())
}

/// PF24: sorted by name.
fn variables(plan: &Json) -> Option<Vec<Vec<u8>>> {
    let mut all: Vec<(&str, Vec<u8>)> = Vec::new();
    for (name, value) in entries(plan, "variables")? {
        all.push((name, bytes(value)?));
    }
    all.sort();
    let entry = |(name, value): (&str, Vec<u8>)| {
        let mut out = Message::default();
        out.bytes(1, name.as_bytes());
        out.part(2, &dynamic(&value));
        out.bytes
    };
    Some(all.into_iter().map(entry).collect())
}

fn dynamic(value: &[u8]) -> Vec<u8> {
    let mut out = Message::default();
    out.bytes(1, value);
    out.bytes
}

/// PF20.
fn backend(plan: &Json) -> Option<Vec<u8>> {
    let none = Json::object([]);
    let backend = plan.member("backend").unwrap_or(&none);
    let mut out = Message::default();
    out.bytes(1, text(backend, "type")?.as_bytes());
    out.part(2, &dynamic(&bytes_of(backend, "config")?));
    out.bytes(3, text(backend, "workspace")?.as_bytes());
    Some(out.bytes)
}

fn relevant_attribute(tree: &Json) -> Option<Vec<u8>> {
    let mut out = Message::default();
    out.bytes(1, text(tree, "resource")?.as_bytes());
    out.part(2, &path::message(tree.member("attribute").unwrap_or(&Json::Array(Vec::new())))?);
    Some(out.bytes)
}

fn function_result(tree: &Json) -> Option<Vec<u8>> {
    let mut out = Message::default();
    out.bytes(1, &bytes_of(tree, "key")?);
    out.bytes(2, &bytes_of(tree, "result")?);
    Some(out.bytes)
}

fn deferred(tree: &Json, engine: Engine) -> Option<Vec<u8>> {
    let mut reason = Message::default();
    reason.number(1, number(codes::DEFERRALS, text(tree, "reason")?, engine)?);
    let mut out = Message::default();
    out.part(1, &reason.bytes);
    out.part(2, &instance_change(tree.member("change")?, engine)?);
    Some(out.bytes)
}

/// Section 2.7.
fn check_results(tree: &Json, engine: Engine) -> Option<Vec<u8>> {
    let mut out = Message::default();
    out.number(1, number(codes::CHECK_KINDS, text(tree, "kind")?, engine)?);
    out.bytes(2, text(tree, "address")?.as_bytes());
    out.number(3, number(codes::CHECK_STATUSES, text(tree, "status")?, engine)?);
    let object = |object: &Json| {
        let mut out = Message::default();
        out.bytes(1, text(object, "address")?.as_bytes());
        out.number(2, number(codes::CHECK_STATUSES, text(object, "status")?, engine)?);
        out.parts(3, all_texts(object, "failures")?);
        Some(out.bytes)
    };
    out.parts(4, each(tree, "objects", object)?);
    Some(out.bytes)
}

/// Section 2.2.
fn instance_change(tree: &Json, engine: Engine) -> Option<Vec<u8>> {
    let address = text(tree, "addr")?;
    if address.is_empty() {
        return None;
    }
    let before = text(tree, "prev_run_addr")?;
    let mut out = Message::default();
    out.bytes(7, text(tree, "deposed")?.as_bytes());
    out.bytes(8, text(tree, "provider")?.as_bytes());
    out.part(9, &change(tree, engine)?);
    out.bytes(10, &bytes_of(tree, "private")?);
    out.parts(11, each(tree, "required_replace", path::message)?);
    out.number(12, number(codes::REASONS, text(tree, "reason")?, engine)?);
    out.bytes(13, address.as_bytes());
    out.bytes(14, if before == address { &[] } else { before.as_bytes() });
    Some(out.bytes)
}

fn output_change(tree: &Json, engine: Engine) -> Option<Vec<u8>> {
    let mut out = Message::default();
    out.bytes(1, text(tree, "name")?.as_bytes());
    out.part(2, &change(tree, engine)?);
    out.number(3, flag(tree, "sensitive")?.into());
    Some(out.bytes)
}

/// The values that a file has for an action (PF30).
pub(super) fn sides(action: &str) -> &'static [&'static str] {
    match action {
        "no_op" | "delete" | "forget" => &["before"],
        "create" => &["after"],
        _ => &["before", "after"],
    }
}

/// Section 2.3.
fn change(tree: &Json, engine: Engine) -> Option<Vec<u8>> {
    let action = text(tree, "action")?;
    let mut out = Message::default();
    out.number(1, number(codes::ACTIONS, action, engine)?);
    for side in sides(action) {
        let value = bytes(tree.member(side)?)?;
        if value.is_empty() {
            return None;
        }
        out.part(2, &dynamic(&value));
    }
    out.parts(3, each(tree, "before_sensitive", path::message)?);
    out.parts(4, each(tree, "after_sensitive", path::message)?);
    if let Some(import) = tree.member("importing") {
        out.part(5, &importing(import, engine)?);
    }
    out.bytes(6, text(tree, "generated_config")?.as_bytes());
    for (number, identity) in [(7, "before_identity"), (8, "after_identity")] {
        match (tree.member(identity), engine) {
            (None, _) => {}
            (Some(identity), Engine::OpenTofu) => out.part(number, &dynamic(&bytes(identity)?)),
            (Some(_), Engine::Terraform) => return None,
        }
    }
    Some(out.bytes)
}

fn importing(tree: &Json, engine: Engine) -> Option<Vec<u8>> {
    let mut out = Message::default();
    out.bytes(1, text(tree, "id")?.as_bytes());
    match (tree.member("identity"), flag(tree, "unknown")?, engine) {
        (None, false, _) => {}
        (None, true, Engine::Terraform) => out.number(2, 1),
        (Some(identity), false, Engine::OpenTofu) => out.part(2, &dynamic(&bytes(identity)?)),
        _ => return None,
    }
    Some(out.bytes)
}
