//! Changes of the steps of a case, their options and events.

use std::collections::BTreeMap;

use planfuzz_core::dialect::Engine;
use planfuzz_core::json::Json;
use planfuzz_core::plans::Mode;
use planfuzz_workspace::Interrupt;

use super::{MOST_STEPS, files_in};
use crate::case::{Case, Step, edits_between};
use crate::generate::{Choices, fit};
use crate::kept::edits;
use crate::model::{Fail, How, Outside};

/// Calls that can fail, by their names in a case.
const CALLS: [&str; 12] = [
    "apply",
    "delete",
    "plan",
    "read",
    "validate",
    "upgrade",
    "plan_delete",
    "read_data",
    "validate_data",
    "open",
    "validate_ephemeral",
    "configure",
];

/// What a failing call can do.
const HOWS: [How; 5] = [How::Error, How::Null, How::Prior, How::Warning, How::Lost];

/// Keys that instances have, as addresses write them.
const KEYS: [&str; 6] = ["", "", "[0]", "[1]", "[\"x\"]", "[\"y\"]"];

/// Adds a step, with an edit as people make it.
pub(super) fn edit(case: &mut Case, choices: &mut Choices<'_>) {
    let before = files_in(case, case.steps.len());
    let mut files = before.clone();
    edits::edit(&mut files, choices);
    let mut step = Step::of(edits::command(choices));
    step.edits = edits_between(&before, &files);
    if case.steps.len() >= MOST_STEPS {
        case.steps.pop();
    }
    case.steps.push(step);
}

/// Changes the options, drifting objects or failing calls of one step.
pub(super) fn change(case: &mut Case, choices: &mut Choices<'_>) {
    let which = choices.below(case.steps.len());
    let files = files_in(case, which);
    let engine = case.dialect.engine();
    let Some(step) = case.steps.get_mut(which) else { return };
    match choices.below(100) {
        0..10 => step.command = edits::command(choices),
        10..22 => {
            step.options.mode =
                *choices.pick(&[Mode::Normal, Mode::Destroy, Mode::RefreshOnly]).unwrap_or(&Mode::Normal)
        }
        22..28 => step.options.refresh = !step.options.refresh,
        28..48 => select(step, &files, engine, choices),
        48..56 => change_list(&mut step.options.replace, address(&files, choices), choices),
        56..64 => change_list(&mut step.taint, address(&files, choices), choices),
        64..80 => fail(step, &files, choices),
        80..90 => happen(step, &files, choices),
        90..94 => step.options.parallelism = [1, 2, 5, 10][choices.below(4)],
        _ => interrupt(step, &files, choices),
    }
    fit(step);
}

/// Removes a step, doubles it, or swaps it with the one before.
pub(super) fn rearrange(case: &mut Case, choices: &mut Choices<'_>) {
    let which = choices.below(case.steps.len());
    match choices.below(3) {
        0 if case.steps.len() > 1 => drop(case.steps.remove(which)),
        1 if which > 0 => case.steps.swap(which, which - 1),
        _ if case.steps.len() < MOST_STEPS => case.steps.insert(which, case.steps[which].clone()),
        _ => {}
    }
}

/// Appends steps of another case to some of this one's; an edit turns the files into those that the other case had.
pub(super) fn follow(case: &mut Case, other: &Case, choices: &mut Choices<'_>) {
    let (own, theirs) = (1 + choices.below(case.steps.len()), choices.below(other.steps.len()));
    case.steps.truncate(own.min(MOST_STEPS - 1));
    let (before, after) = (files_in(case, case.steps.len()), files_in(other, theirs));
    let later = other.steps[theirs..].iter().take(MOST_STEPS - case.steps.len());
    let mut later: Vec<Step> = later.cloned().collect();
    if let Some(first) = later.first_mut() {
        first.edits = edits_between(&before, &after);
    }
    case.steps.extend(later);
}

/// Adds a target or clears the targets; in OpenTofu also excludes.
fn select(step: &mut Step, files: &BTreeMap<String, Json>, engine: Engine, choices: &mut Choices<'_>) {
    let address = address(files, choices);
    let excludes = engine == Engine::OpenTofu && choices.chance(40);
    let list = if excludes { &mut step.options.excludes } else { &mut step.options.targets };
    change_list(list, address, choices);
}

/// Adds an address to a list, or clears it.
fn change_list(list: &mut Vec<String>, address: Option<String>, choices: &mut Choices<'_>) {
    if !list.is_empty() && choices.chance(40) {
        list.clear();
    } else {
        list.extend(address);
    }
}

fn fail(step: &mut Step, files: &BTreeMap<String, Json>, choices: &mut Choices<'_>) {
    if !step.events.fails.is_empty() && choices.chance(30) {
        step.events.fails.clear();
    }
    let Some(name) = object(files, choices) else { return };
    let (Some(call), Some(how)) = (choices.pick(&CALLS), choices.pick(&HOWS)) else { return };
    step.events.fails.push(Fail { call: (*call).to_owned(), name, how: *how });
}

fn happen(step: &mut Step, files: &BTreeMap<String, Json>, choices: &mut Choices<'_>) {
    let Some(name) = object(files, choices) else { return };
    let set = choices.chance(60).then(|| Json::object([("out", Json::string("drifted"))]));
    step.events.outside.push(Outside { name, set });
}

/// Adds a signal, or removes it.
fn interrupt(step: &mut Step, files: &BTreeMap<String, Json>, choices: &mut Choices<'_>) {
    if step.options.interrupt.take().is_some() {
        return;
    }
    let mut node = || {
        let address = address(files, choices)?;
        Some(if choices.chance(30) { format!("{address} (destroy)") } else { address })
    };
    let mut interrupt = Interrupt::default();
    interrupt.under_way.extend(node());
    interrupt.finished.extend(node().filter(|node| !interrupt.under_way.contains(node)));
    step.options.interrupt = Some(interrupt);
}

/// The address of a block or of an instance of one, in the root or in a module that the root calls.
fn address(files: &BTreeMap<String, Json>, choices: &mut Choices<'_>) -> Option<String> {
    let all = edits::blocks(files);
    let (path, type_name, name) = choices.pick(&all)?;
    let key = choices.pick(&KEYS)?;
    let own = format!("{type_name}.{name}{key}");
    let Some((dir, _)) = path.rsplit_once('/') else { return Some(own) };
    let root = files.get("main.tf.json")?.entries_of("module");
    let is_of = |(_, call): &&(Box<str>, Json)| call.member("source") == Some(&Json::string(&format!("./{dir}")));
    let (call, _) = root.iter().find(is_of)?;
    let key = choices.pick(&KEYS)?;
    Some(if choices.chance(25) { format!("module.{call}{key}") } else { format!("module.{call}{key}.{own}") })
}

/// The name of an object: that of its block, with a key where it has one.
fn object(files: &BTreeMap<String, Json>, choices: &mut Choices<'_>) -> Option<String> {
    let mut names = Vec::new();
    for file in files.values() {
        for kind in ["resource", "data", "ephemeral"] {
            let types = file.entries_of(kind).iter();
            let blocks = types.flat_map(|(_, blocks)| blocks.entries());
            names.extend(blocks.filter_map(|(_, body)| body.member("name")?.expect_string().ok()));
        }
    }
    let name = *choices.pick(&names)?;
    let mut parts = name.split("${");
    let mut whole = parts.next()?.to_owned();
    for part in parts {
        whole.push_str(choices.pick(&["0", "1", "x", "y"])?);
        whole.push_str(part.split_once('}').map_or("", |(_, rest)| rest));
    }
    Some(whole)
}
