//! The member `tfplan` as the tree of a plan (sections 2.1 to 2.7).

use planfuzz_core::dialect::Engine;
use planfuzz_core::json::Json;

use super::codes::{self, name};
use super::path;
use super::plan_write::sides;
use super::shape::Message;
use super::tree::{Made, base64};

/// The plan of an engine; `None` where the bytes are no plan.
pub fn read_plan(bytes: &[u8], engine: Engine) -> Option<Json> {
    let plan = Message::plan(bytes, engine)?;
    if plan.number(1) != 3 {
        return None;
    }
    let mut tree = Made::default();
    tree.add(
        "mode",
        Json::string(
            Some(name(codes::MODES, plan.code(17), engine)?).filter(|mode| *mode != "normal").unwrap_or_default(),
        ),
    );
    tree.add("terraform_version", text(&plan, 14)?);
    tree.add("timestamp", text(&plan, 21)?);
    tree.add("errored", Json::Bool(plan.number(20) != 0));
    tree.add("variables", variables(&plan)?);
    tree.add("changes", each(&plan, 3, |it| instance_change(it, engine))?);
    tree.add("drift", each(&plan, 18, |it| instance_change(it, engine))?);
    tree.add("outputs", each(&plan, 4, |it| output_change(it, engine))?);
    tree.add("targets", texts(&plan, 5)?);
    tree.add("force_replace", texts(&plan, 16)?);
    tree.add("backend", backend(&plan)?);
    tree.add("relevant_attributes", each(&plan, 15, relevant_attribute)?);
    tree.add("checks", each(&plan, 19, |it| check_results(it, engine))?);
    match engine {
        Engine::Terraform => of_terraform(&plan, &mut tree)?,
        Engine::OpenTofu => of_opentofu(&plan, &mut tree)?,
    }
    Some(tree.done())
}

/// Fields 22 and 25 to 28; those of OpenTofu must be empty.
fn of_terraform(plan: &Message<'_>, tree: &mut Made) -> Option<()> {
    let is_foreign = !plan.list(6).is_empty() || !plan.bytes(500_000_000).is_empty() || plan.number(500_000_001) != 0;
    if is_foreign {
        return None;
    }
    tree.add("applyable", Json::Bool(plan.number(25) != 0));
    tree.add("complete", Json::Bool(plan.number(26) != 0));
    tree.add("deferred", each(plan, 27, deferred)?);
    tree.add("apply_time_variables", texts(plan, 28)?);
    tree.add(
        "function_results",
        each(plan, 22, |it| {
            let mut result = Made::default();
            result.add("key", base64(it.bytes(1)));
            result.add("result", base64(it.bytes(2)));
            Some(result.done())
        })?,
    );
    Some(())
}

/// Fields 6, 22, 500000000 and 500000001; those of Terraform must be empty.
fn of_opentofu(plan: &Message<'_>, tree: &mut Made) -> Option<()> {
    let is_set = |number| plan.number(number) != 0;
    if is_set(25) || is_set(26) || !plan.list(27).is_empty() || !plan.list(28).is_empty() {
        return None;
    }
    tree.add("excludes", texts(plan, 6)?);
    tree.add("ephemeral_variables", texts(plan, 22)?);
    tree.add("execution_graph", base64(plan.bytes(500_000_000)));
    tree.add("destroying", Json::Bool(is_set(500_000_001)));
    Some(())
}

fn each(of: &Message<'_>, number: u32, read: impl Fn(&Message<'_>) -> Option<Json>) -> Option<Json> {
    of.messages(number).iter().map(read).collect::<Option<_>>().map(Json::Array)
}

fn text(of: &Message<'_>, number: u32) -> Option<Json> {
    std::str::from_utf8(of.bytes(number)).ok().map(Json::string)
}

fn texts(of: &Message<'_>, number: u32) -> Option<Json> {
    let all = of.list(number).into_iter().map(|bytes| std::str::from_utf8(bytes).ok().map(Json::string));
    all.collect::<Option<_>>().map(Json::Array)
}

/// Of a repeated name the last value counts.
fn variables(plan: &Message<'_>) -> Option<Json> {
    let mut all: Vec<(Box<str>, Json)> = Vec::new();
    for entry in plan.messages(2) {
        let name = std::str::from_utf8(entry.bytes(1)).ok()?;
        let value = base64(entry.message(2).map_or(&[], |value| value.bytes(1)));
        all.retain(|(before, _)| **before != *name);
        all.push((name.into(), value));
    }
    Some(Json::Object(all))
}

/// PF20: the backend and its configuration are required.
fn backend(plan: &Message<'_>) -> Option<Json> {
    let backend = plan.message(13)?;
    let mut tree = Made::default();
    tree.add("type", text(&backend, 1)?);
    tree.add("config", base64(backend.message(2)?.bytes(1)));
    tree.add("workspace", text(&backend, 3)?);
    Some(tree.done())
}

fn relevant_attribute(of: &Message<'_>) -> Option<Json> {
    let mut tree = Made::default();
    tree.add("resource", text(of, 1)?);
    tree.add("attribute", of.message(2).map_or(Some(Json::Null), |path| path::read(&path))?);
    Some(tree.done())
}

fn deferred(of: &Message<'_>) -> Option<Json> {
    let mut tree = Made::default();
    let reason = of.message(1)?.code(1);
    tree.add("reason", Json::string(name(codes::DEFERRALS, reason, Engine::Terraform)?));
    tree.put("change", instance_change(&of.message(2)?, Engine::Terraform)?);
    Some(tree.done())
}

/// Section 2.7.
fn check_results(of: &Message<'_>, engine: Engine) -> Option<Json> {
    let status = |of: &Message<'_>, number| name(codes::CHECK_STATUSES, of.code(number), engine).map(Json::string);
    let mut tree = Made::default();
    tree.add("kind", Json::string(name(codes::CHECK_KINDS, of.code(1), engine)?));
    tree.add("address", text(of, 2)?);
    tree.add("status", status(of, 3)?);
    tree.add(
        "objects",
        each(of, 4, |object| {
            let mut tree = Made::default();
            tree.add("address", text(object, 1)?);
            tree.add("status", status(object, 2)?);
            tree.add("failures", texts(object, 3)?);
            Some(tree.done())
        })?,
    );
    Some(tree.done())
}

/// Section 2.2.
fn instance_change(of: &Message<'_>, engine: Engine) -> Option<Json> {
    let deposed = of.bytes(7);
    let is_key = deposed.len() == 8 && deposed.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if of.bytes(13).is_empty() || !(deposed.is_empty() || is_key) {
        return None;
    }
    let mut tree = Made::default();
    tree.add("addr", text(of, 13)?);
    tree.add("prev_run_addr", text(of, 14)?);
    tree.add("deposed", text(of, 7)?);
    tree.add("provider", text(of, 8)?);
    change(of.message(9)?, engine, &mut tree)?;
    tree.add("private", base64(of.bytes(10)));
    tree.add("required_replace", path::read_all(of, 11)?);
    tree.add("reason", Json::string(name(codes::REASONS, of.code(12), engine)?));
    Some(tree.done())
}

fn output_change(of: &Message<'_>, engine: Engine) -> Option<Json> {
    let mut tree = Made::default();
    tree.add("name", text(of, 1)?);
    change(of.message(2)?, engine, &mut tree)?;
    tree.add("sensitive", Json::Bool(of.number(3) != 0));
    Some(tree.done())
}

/// Section 2.3.
fn change(of: Message<'_>, engine: Engine, tree: &mut Made) -> Option<()> {
    let action = name(codes::ACTIONS, of.code(1), engine)?;
    tree.add("action", Json::string(action));
    let mut values = of.messages(2).into_iter();
    for side in sides(action) {
        let value = values.next()?;
        if value.bytes(1).is_empty() {
            return None;
        }
        tree.put(side, base64(value.bytes(1)));
        if action == "no_op" {
            tree.put("after", base64(value.bytes(1)));
        }
    }
    tree.add("before_sensitive", path::read_all(&of, 3)?);
    tree.add("after_sensitive", path::read_all(&of, 4)?);
    if let Some(import) = of.message(5) {
        tree.put("importing", importing(&import, engine)?);
    }
    tree.add("generated_config", text(&of, 6)?);
    for (number, side) in [(7, "before_identity"), (8, "after_identity")] {
        match (of.message(number), engine) {
            (None, _) => {}
            (Some(identity), Engine::OpenTofu) => tree.put(side, base64(identity.bytes(1))),
            (Some(_), Engine::Terraform) => return None,
        }
    }
    Some(())
}

fn importing(of: &Message<'_>, engine: Engine) -> Option<Json> {
    let mut tree = Made::default();
    if engine == Engine::Terraform && of.number(2) != 0 {
        tree.put("unknown", Json::Bool(true));
        return Some(tree.done());
    }
    tree.put("id", text(of, 1)?);
    if let Some(identity) = of.message(2).filter(|_| engine == Engine::OpenTofu) {
        tree.put("identity", base64(identity.bytes(1)));
    }
    Some(tree.done())
}
