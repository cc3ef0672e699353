//! Two resources, B and the A that it depends on, with every pair of actions (the table of section 4 of workspace-apply.md): for every link
//! between them, single and repeated, with and without targets. The enumeration is complete.

use std::collections::BTreeMap;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;

use crate::case::{Case, Command, Step};
use crate::generate::kit;

/// What is to happen to a resource in the second step.
const ACTIONS: [Action; 8] = [
    Action::NoOp,
    Action::Create,
    Action::Update,
    Action::Delete,
    Action::DeleteFlagged,
    Action::DeleteThenCreate,
    Action::CreateThenDelete,
    Action::Forget,
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    NoOp,
    Create,
    Update,
    Delete,
    DeleteFlagged,
    DeleteThenCreate,
    CreateThenDelete,
    Forget,
}

/// How B depends on A.
const LINKS: usize = 3;
/// The variants of a pair: as it is, by count, only A targeted, only B targeted, without refresh, a failing A, a failing B.
const WAYS: usize = 7;

/// How many there are.
pub const COUNT: usize = ACTIONS.len() * ACTIONS.len() * LINKS * WAYS;

/// The pair of a number below [`COUNT`].
pub fn pair(number: usize, dialect: Dialect) -> Case {
    let (a, rest) = (ACTIONS[number % ACTIONS.len()], number / ACTIONS.len());
    let (b, rest) = (ACTIONS[rest % ACTIONS.len()], rest / ACTIONS.len());
    let (link, way) = (rest % LINKS, rest / LINKS % WAYS);
    let first = file(a, b, link, way == 1, false);
    let second = file(a, b, link, way == 1, true);
    let mut step = Step::of(Command::Apply);
    step.edits = BTreeMap::from([("main.tf.json".to_owned(), Some(second))]);
    match way {
        2 => step.options.targets.push("w_thing.ant".into()),
        3 => step.options.targets.push("w_thing.bee".into()),
        4 => step.options.refresh = false,
        5 | 6 => {
            let name = if way == 5 { "ant" } else { "bee" };
            let fail = |call: &str| crate::model::Fail {
                call: call.to_owned(),
                name: name.to_owned(),
                how: crate::model::How::Null,
            };
            step.events.fails = vec![fail("apply"), fail("delete")];
        }
        _ => {}
    }
    Case {
        dialect,
        purpose: Some(format!("A: {a:?}, B: {b:?}, link {link}, way {way}")),
        providers: kit::providers(dialect.engine()),
        models: kit::models(),
        files: BTreeMap::from([("main.tf.json".to_owned(), first)]),
        state: None,
        steps: vec![Step::of(Command::Apply), step],
    }
}

fn is_there(action: Action, is_second: bool) -> bool {
    match action {
        Action::Create => is_second,
        Action::Delete | Action::DeleteFlagged | Action::Forget => !is_second,
        _ => true,
    }
}

fn file(a: Action, b: Action, link: usize, repeated: bool, is_second: bool) -> Json {
    let (has_a, has_b) = (is_there(a, is_second), is_there(b, is_second));
    let (mut blocks, mut members) = (Vec::new(), Vec::new());
    if has_a {
        blocks.push(("ant", Json::object(body("ant", a, repeated, is_second))));
    }
    if has_b {
        let mut body = body("bee", b, repeated, is_second);
        let id = if repeated { "w_thing.ant[0].id" } else { "w_thing.ant.id" };
        match link {
            _ if !has_a => {}
            0 => body.push(("depends_on", Json::Array(vec![Json::string("w_thing.ant")]))),
            1 => body.push(("note", Json::string(&format!("${{{id}}}")))),
            _ => {
                members.push(("locals", Json::object([("cat", Json::string(&format!("${{{id}}}")))])));
                body.push(("note", Json::string("${local.cat}")));
            }
        }
        blocks.push(("bee", Json::object(body)));
    }
    if !blocks.is_empty() {
        members.push(("resource", Json::object([("w_thing", Json::object(blocks))])));
    }
    let forgotten = [("ant", a), ("bee", b)].into_iter().filter(|(_, action)| is_second && *action == Action::Forget);
    let forgotten: Vec<Json> = forgotten
        .map(|(name, _)| {
            let lifecycle = Json::object([("destroy", Json::Bool(false))]);
            Json::object([("from", Json::string(&format!("w_thing.{name}"))), ("lifecycle", lifecycle)])
        })
        .collect();
    if !forgotten.is_empty() {
        members.push(("removed", Json::Array(forgotten)));
    }
    Json::object(members)
}

fn body(name: &'static str, action: Action, repeated: bool, is_second: bool) -> Vec<(&'static str, Json)> {
    let mut body = Vec::new();
    if repeated {
        body.push(("count", Json::int(2)));
        body.push(("name", Json::string(&format!("{name}-${{count.index}}"))));
    } else {
        body.push(("name", Json::string(name)));
    }
    match action {
        Action::Update if is_second => body.push(("tags", Json::object([("k", Json::string("v"))]))),
        Action::DeleteThenCreate | Action::CreateThenDelete => body.push(("size", Json::int(u8::from(is_second)))),
        _ => {}
    }
    if matches!(action, Action::CreateThenDelete | Action::DeleteFlagged) {
        body.push(("lifecycle", Json::object([("create_before_destroy", Json::Bool(true))])));
    }
    body
}
