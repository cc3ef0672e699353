//! Renders whole workspaces: the files in native syntax, then the events of each step.

mod calls;
pub mod graph;
mod layout;
mod native;
mod plan;

pub use plan::plan_summary;

use std::collections::{BTreeMap, BTreeSet};

use planfuzz_core::json::{Json, Word};
use planfuzz_core::plans::Mode;
use planfuzz_core::state::Status;
use planfuzz_language::check::Schemas;
use planfuzz_workspace::{Command, Diagnostic, Interrupt, Meanwhile, Options, Severity, State};
use planfuzz_workspace_cases::{Case, PlayedStep, Step};
use similar::{ChangeTag, TextDiff};

use super::line::{Line, Tone};
use crate::subject::{EngineStep, WorkspaceAnswer};
use native::Native;

/// The files of a case, its state, and its commands.
pub fn start(case: &Case) -> Vec<Line> {
    let schemas = case.schemas().unwrap_or_default();
    let mut files = case.files.clone();
    let mut lines = Vec::new();
    for (path, file) in &files {
        lines.extend([Line::empty(), Line::of(Tone::Heading, native_path(path))]);
        lines.extend(text_lines(&Native { schemas: &schemas }.file(file)));
    }
    if let Some(state) = &case.state {
        lines.extend([Line::empty(), Line::of(Tone::Heading, "stored")]);
        lines.extend(stored_addresses(state).map(|address| Line::of(Tone::Plain, address).indented(2)));
    }
    for (index, step) in case.steps.iter().enumerate() {
        lines.extend([Line::empty(), heading(index, step)]);
        lines.extend(edits(&mut files, step, &schemas));
        lines.extend(around(step).map(|line| line.indented(2)));
    }
    lines
}

/// The answer to a case, step by step.
pub fn answer(answer: &WorkspaceAnswer) -> Vec<Line> {
    let mut lines = Vec::new();
    for (index, step) in answer.played().steps.iter().enumerate() {
        let command = step.command.word();
        if index > 0 {
            lines.push(Line::empty());
        }
        lines.push(Line::of(Tone::Heading, format!("step {}: {command}", index + 1)));
        let engine = match answer {
            WorkspaceAnswer::Played { .. } => None,
            WorkspaceAnswer::Engine { steps, .. } => steps.get(index),
        };
        let result = match engine {
            // An engine that agrees did what the planner did, whose step it was asked.
            None | Some(EngineStep::Agrees(_)) => self::step(step),
            Some(EngineStep::Differs(recorded)) => {
                vec![Line::of(Tone::Bad, "something else"), Line::of(Tone::Plain, recorded.want.to_compact())]
            }
            Some(EngineStep::Together { what: text, .. }) => {
                vec![Line::of(Tone::Bad, format!("something else, only together with others: {text}"))]
            }
            Some(EngineStep::Crashed(crash)) => vec![Line::of(Tone::Bad, crash.to_string())],
            Some(EngineStep::LeftOut(text)) => vec![Line::of(Tone::Dim, format!("not asked: {text}"))],
        };
        lines.extend(result.into_iter().map(|line| line.indented(2)));
    }
    lines
}

/// The name that a file in native syntax has.
fn native_path(path: &str) -> &str {
    path.strip_suffix(".json").unwrap_or(path)
}

fn text_lines(text: &str) -> impl Iterator<Item = Line> + '_ {
    text.lines().map(|line| Line::of(Tone::Plain, line).indented(2))
}

/// The addresses of the objects in a state file.
fn stored_addresses(state: &Json) -> impl Iterator<Item = String> + '_ {
    let list = |json: Option<&'_ Json>| json.and_then(|json| json.expect_array().ok()).unwrap_or_default().to_vec();
    let text = |json: &Json, name: &str| {
        json.member(name).and_then(|text| text.expect_string().ok()).unwrap_or_default().to_owned()
    };
    list(state.member("resources")).into_iter().flat_map(move |resource| {
        let module = text(&resource, "module");
        let prefix = if module.is_empty() { String::new() } else { format!("{module}.") };
        let data = if text(&resource, "mode") == "data" { "data." } else { "" };
        let address = format!("{prefix}{data}{}.{}", text(&resource, "type"), text(&resource, "name"));
        list(resource.member("instances")).into_iter().map(move |instance| {
            let key = instance.member("index_key").map_or(String::new(), |key| format!("[{}]", key.to_compact()));
            let status = match text(&instance, "status").as_str() {
                "" => String::new(),
                status => format!("  ({status})"),
            };
            let deposed = match text(&instance, "deposed").as_str() {
                "" => String::new(),
                key => format!("  (deposed object {key})"),
            };
            format!("{address}{key}{deposed}{status}")
        })
    })
}

fn heading(index: usize, step: &Step) -> Line {
    let words =
        format!("step {}: {}{}", index + 1, step.command.word(), command(&step.command) + &options(&step.options));
    Line::of(Tone::Heading, words)
}

/// The arguments of a command, in words.
fn command(command: &Command) -> String {
    match command {
        Command::Plan | Command::Apply | Command::Refresh => String::new(),
        Command::Import(import) => format!(" '{}' {:?}", import.to, import.id),
        Command::ApplySaved(saved) => {
            let state = match saved.state {
                Meanwhile::Nothing => "",
                Meanwhile::Written => ", after the state was written again",
                Meanwhile::Foreign => ", beside the state of another workspace",
            };
            let given = saved.variables.iter().map(|(name, value)| format!(", given '{name}={value}' again"));
            state.to_owned() + &given.collect::<String>()
        }
    }
}

/// Options as people type them.
fn options(options: &Options) -> String {
    let mut words = Vec::new();
    match options.mode {
        Mode::Normal => {}
        Mode::Destroy => words.push("-destroy".to_owned()),
        Mode::RefreshOnly => words.push("-refresh-only".to_owned()),
    }
    if !options.refresh {
        words.push("-refresh=false".to_owned());
    }
    let lists = [("target", &options.targets), ("exclude", &options.excludes), ("replace", &options.replace)];
    for (name, list) in lists {
        words.extend(list.iter().map(|address| format!("-{name}='{address}'")));
    }
    words.extend(options.variables.iter().map(|(name, value)| format!("-var='{name}={value}'")));
    if options.parallelism != Options::default().parallelism {
        words.push(format!("-parallelism={}", options.parallelism));
    }
    let words: String = words.into_iter().map(|word| format!(" {word}")).collect();
    words + &options.interrupt.as_ref().map(signal).unwrap_or_default()
}

/// When a signal is sent.
fn signal(interrupt: &Interrupt) -> String {
    let listed = |nodes: &BTreeSet<String>| nodes.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    let during = match interrupt.under_way.is_empty() {
        true => ", and a signal".to_owned(),
        false => format!(", and a signal during {}", listed(&interrupt.under_way)),
    };
    match interrupt.finished.is_empty() {
        true => during,
        false => format!("{during}, after {}", listed(&interrupt.finished)),
    }
}

/// The edits of a step, as a difference of the text.
fn edits(files: &mut BTreeMap<String, Json>, step: &Step, schemas: &Schemas) -> Vec<Line> {
    let native = Native { schemas };
    let mut lines = Vec::new();
    for (path, after) in &step.edits {
        let before = files.get(path).map(|file| native.file(file)).unwrap_or_default();
        let now = after.as_ref().map(|file| native.file(file)).unwrap_or_default();
        let what = match (before.is_empty(), after) {
            (_, None) => "removed",
            (true, Some(_)) => "added",
            (false, Some(_)) => "edited",
        };
        lines.push(Line::of(Tone::Dim, format!("{} {what}", native_path(path))).indented(2));
        lines.extend(difference(&before, &now));
        match after {
            Some(file) => drop(files.insert(path.clone(), file.clone())),
            None => drop(files.remove(path)),
        }
    }
    lines
}

fn difference(before: &str, after: &str) -> Vec<Line> {
    let diff = TextDiff::from_lines(before, after);
    let mut lines = Vec::new();
    for (index, group) in diff.grouped_ops(2).iter().enumerate() {
        if index > 0 {
            lines.push(Line::of(Tone::Dim, "…").indented(4));
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let (tone, sign) = match change.tag() {
                ChangeTag::Equal => (Tone::Dim, ' '),
                ChangeTag::Insert => (Tone::Add, '+'),
                ChangeTag::Delete => (Tone::Remove, '-'),
            };
            lines.push(Line::of(tone, format!("{sign} {}", change.value().trim_end())).indented(4));
        }
    }
    lines
}

/// The events of a step: taints, changes made outside, calls that fail.
fn around(step: &Step) -> impl Iterator<Item = Line> + '_ {
    let taints = step.taint.iter().map(|address| Line::of(Tone::Change, format!("tainted before: {address}")));
    let outside = step.events.outside.iter().map(|outside| {
        let text = match &outside.set {
            None => format!("gone outside: the object named {:?}", outside.name),
            Some(set) => format!("changed outside: the object named {:?}: {}", outside.name, set.to_compact()),
        };
        Line::of(Tone::Change, text)
    });
    let fails = step.events.fails.iter().map(|fail| {
        let text = format!("fails: {} of the object named {:?}: {}", fail.call, fail.name, fail.how.word());
        Line::of(Tone::Bad, text)
    });
    taints.chain(outside).chain(fails)
}

/// What a planner did in a step.
fn step(step: &PlayedStep) -> Vec<Line> {
    let title = if step.command.plans() { "calls of the plan" } else { "calls" };
    let mut lines = calls::calls(title, &step.planned.trace);
    lines.extend(diagnostics(&step.planned.diagnostics));
    match &step.planned.plan {
        None if !step.command.plans() => {
            lines.extend(step.written.as_ref().map_or_else(|| vec![Line::of(Tone::Bad, "nothing written")], stored));
        }
        None => lines.push(Line::of(Tone::Bad, "no plan")),
        Some(plan) => lines.extend(plan::plan(plan, &step.workspace)),
    }
    if let Some(applied) = &step.applied {
        lines.push(Line::empty());
        lines.extend(calls::calls("calls of the apply", &applied.trace));
        lines.extend(diagnostics(&applied.diagnostics));
        lines.extend(stored(&applied.state));
    }
    lines.extend(diagnostics(&step.refused));
    lines
}

fn diagnostics(all: &[Diagnostic]) -> Vec<Line> {
    let mut all: Vec<&Diagnostic> = all.iter().collect();
    all.sort();
    let line = |diagnostic: &&Diagnostic| {
        let about = diagnostic.address.as_ref().map_or(String::new(), |address| format!("  ({address})"));
        match diagnostic.severity {
            Severity::Error => Line::of(Tone::Bad, format!("Error: {}", diagnostic.summary)).with(Tone::Dim, about),
            Severity::Warning => {
                Line::of(Tone::Change, format!("Warning: {}", diagnostic.summary)).with(Tone::Dim, about)
            }
        }
    };
    all.iter().map(line).collect()
}

/// What is stored after an apply.
fn stored(state: &State) -> Vec<Line> {
    let State { outputs, .. } = state;
    let mut lines = vec![Line::of(Tone::Heading, "stored")];
    for (address, _, instance) in state.instances() {
        let current = instance.current.iter().map(|object| (None, object));
        let deposed = instance.deposed.iter().map(|(key, object)| (Some(key), object));
        for (key, object) in current.chain(deposed) {
            let mut line = Line::of(Tone::Plain, address.to_string());
            if let Some(key) = key {
                line = line.with(Tone::Change, format!("  deposed object {}", key.as_str()));
            }
            if object.status == Status::Tainted {
                line = line.with(Tone::Bad, "  tainted");
            }
            if object.create_before_destroy {
                line = line.with(Tone::Dim, "  create_before_destroy");
            }
            if !object.dependencies.is_empty() {
                let names: Vec<&str> = object.dependencies.iter().map(|name| name.as_str()).collect();
                line = line.with(Tone::Dim, format!("  after {}", names.join(", ")));
            }
            lines.push(line.indented(2));
        }
    }
    for (name, output) in outputs {
        let value = match output.sensitive {
            true => "(sensitive value)".to_owned(),
            false => output.value.to_json(output.value.ty()).to_compact(),
        };
        lines.push(Line::of(Tone::Plain, format!("output {name} = {value}")).indented(2));
    }
    if lines.len() == 1 {
        lines.push(Line::of(Tone::Dim, "nothing").indented(2));
    }
    lines
}
