//! Laws of other texts of one configuration: names, order, locals, moves, outputs, workspaces beside it (UL08, UL19 to UL21, UL24, UL35).

use std::collections::{BTreeMap, BTreeSet};

use planfuzz_core::address::{AbsResourceInstance, ResourceMode};
use planfuzz_core::json::Json;
use planfuzz_core::plans::{Action, Mode};
use planfuzz_workspace::{Request, State};

use super::LawResult;
use super::played_case::{PlayedCase, Then, changes_of, mutates};
use crate::case::{Case, Command};
use crate::generate::names::is_name;
use crate::merge::{Question, json_with_names, mapped_words, merged, with_prefix};
use crate::play::{PlayedStep, play, step_of};

pub(super) type Files = BTreeMap<String, Json>;

impl PlayedCase<'_> {
    /// UL08: renames every managed block of the root, with moved blocks.
    pub(super) fn moved(&self) -> LawResult {
        let then = self.then();
        let Some(files) = renamed_blocks(&then.files).filter(|_| !has_statements(&then.files) && self.is_settled())
        else {
            return LawResult::Silent;
        };
        self.only_moves(files)
    }

    /// Whether files with other addresses and moved blocks touch nothing and leave nothing to do.
    pub(super) fn only_moves(&self, files: Files) -> LawResult {
        let then = self.then();
        let Some(step) = self.done_by(self.planner, &Then { files, ..then }, Command::Apply) else {
            return LawResult::Silent;
        };
        let Some(plan) = step.planned.plan.as_ref().filter(|_| !step.planned.is_errored()) else {
            return LawResult::Broken("moved blocks are an error".into());
        };
        // A block without objects moves nothing.
        if let Some(change) = plan.changes.iter().find(|change| change.action() != Action::NoOp) {
            return LawResult::Broken(format!("a moved block is a {:?}", change.action()));
        }
        let touches = step.applied.as_ref().is_some_and(|applied| mutates(&applied.trace));
        let next = Then { files: step.files.clone(), state: step.after().cloned(), ..self.then() };
        match self.planned(&next) {
            _ if touches => LawResult::Broken("moved blocks make a mutating call".into()),
            Some(next) if next.planned.exit() != 0 => LawResult::Broken("after a move there is something to do".into()),
            _ => LawResult::Holds,
        }
    }

    /// UL19: everything in the reverse order, and what is in the root in two files.
    pub(super) fn any_text(&self) -> LawResult {
        let one = self.instead();
        let files = one.files.iter().flat_map(|(path, file)| split(path, file)).collect();
        let other = Then { files, ..self.instead() };
        let command = self.last.command.clone();
        match (self.done_by(self.planner, &one, command.clone()), self.done_by(self.planner, &other, command)) {
            (Some(one), Some(other)) => {
                let broken = "another order of the text does something else";
                LawResult::if_same(&self.record_of(&one), &self.record_of(&other), broken)
            }
            _ => LawResult::Silent,
        }
    }

    /// UL20
    pub(super) fn local_between(&self) -> LawResult {
        let one = self.instead();
        // G95: for data resources it matters whether a reference is direct.
        let has_data = one.files.values().any(|file| file.member("data").is_some());
        // G13: a refresh evaluates no arguments of managed resources, and every local.
        let is_refresh = one.options.mode == Mode::RefreshOnly;
        // G111: no argument of an instance that targets leave out is evaluated, but a local that it uses is.
        let leaves_instances_out = one.options.targets.iter().any(|target| target.ends_with(']'));
        // E59, U41: a local may be evaluated before a deposed object is visited or a current one destroyed, and an argument after it.
        let may_see_other = has_deposed(one.state.as_ref());
        let is_asked = !has_data && !is_refresh && !leaves_instances_out && !may_see_other;
        let Some(files) = with_locals(&one.files).filter(|_| is_asked) else { return LawResult::Silent };
        let other = Then { files, ..self.instead() };
        match (self.applied(&one), self.applied(&other)) {
            (Some(one), Some(other)) => {
                let (one, other) = (self.stored(one.after()), self.stored(other.after()));
                LawResult::if_same(&one, &other, "a local in between changes what is stored")
            }
            (None, None) => LawResult::Silent,
            // E70: a block that refers to itself through a local is a cycle, whether it has instances or not.
            (Some(_), None) if self.goes_round(&other) => LawResult::Silent,
            // G13: no argument of a block without instances is evaluated, but a local that it uses is.
            (Some(one), None) if has_empty_block(&one) => LawResult::Silent,
            _ => LawResult::Broken("a local in between is an error, or mends one".into()),
        }
    }

    fn goes_round(&self, then: &Then) -> bool {
        let planned = self.done_by(self.planner, then, Command::Plan);
        let diagnostics = planned.into_iter().flat_map(|step| step.planned.diagnostics);
        diagnostics.into_iter().any(|one| one.goes_round())
    }

    /// UL21
    pub(super) fn output_more(&self) -> LawResult {
        let then = self.then();
        if self.planned(&then).is_none_or(|step| step.planned.exit() != 0) || then.state.is_none() {
            return LawResult::Silent;
        }
        // A plan finds references of an import as dependencies; an apply of something else then stores them (G63).
        if then.files.values().any(has_referring_import) {
            return LawResult::Silent;
        }
        let mut files = then.files.clone();
        let output = Json::object([("output", Json::object([("more", Json::object([("value", Json::int(1))]))]))]);
        files.insert("more.tf.json".into(), output);
        let more = self.done_by(self.planner, &Then { files, ..self.then() }, Command::Apply);
        let Some((more, applied)) = more.and_then(|mut step| step.applied.take().map(|applied| (step, applied))) else {
            return LawResult::Broken("an output more is nothing to apply".into());
        };
        let plan = more.planned.plan.as_ref();
        let acts = plan.is_some_and(|plan| plan.changes.iter().any(|change| change.action() != Action::NoOp));
        if acts || mutates(&applied.trace) || !applied.state.outputs.contains_key("more") {
            return LawResult::Broken("an output more is not stored, or touches something".into());
        }
        let Some(back) = self.applied(&Then { state: Some(applied.state), ..self.then() }) else {
            return LawResult::Broken("taking an output out is an error".into());
        };
        let (one, other) = (self.objects(then.state.as_ref()), self.objects(back.after()));
        LawResult::if_same(&one, &other, "an output that comes and goes leaves something")
    }

    fn question(&self) -> Option<Question> {
        // Stored values were made of the names, and a name that is not recognizable cannot be replaced.
        let is_new = |question: &Question| {
            question.likeness().is_some() && question.state == Json::Null && has_own_names(&question.files)
        };
        Question::of(self.case, self.first).ok().filter(is_new)
    }

    fn asked(&self, question: &Question) -> Option<PlayedStep> {
        let (workspace, providers) = question.workspace().ok()?;
        Some(step_of(question.files.clone(), workspace, providers, question.command.clone(), self.planner))
    }

    /// UL24: the workspace beside itself, under other names.
    pub(super) fn side_by_side(&self) -> LawResult {
        let Some(question) = self.question() else { return LawResult::Silent };
        let Some(both) = merged(&[question.clone(), question.clone()]) else { return LawResult::Silent };
        let (Some(one), Some(both)) = (self.asked(&question), self.asked(&both)) else { return LawResult::Silent };
        let beside = |words: Option<Vec<String>>| {
            let words = words?;
            let with = |prefix: &'static str| words.iter().map(move |word| with_prefix(word, prefix));
            let mut all: Vec<String> = with("c0_").chain(with("c1_")).collect();
            all.sort();
            Some(all)
        };
        let one = [beside(changes_of(&one)), beside(legs(&one))];
        let both = [changes_of(&both), legs(&both)];
        same_work(&one, &both, "of two workspaces side by side one")
    }

    /// UL35: names in another order, from the beginning of the case. Under one naming in 65,536 a replacement gets the same computed value
    /// as the old object, so that nothing that refers to it changes: a second naming decides.
    pub(super) fn other_names(&self) -> LawResult {
        match self.under_names(["zz", "aa"]) {
            LawResult::Broken(_) => self.under_names(["zy", "ab"]),
            held => held,
        }
    }

    fn under_names(&self, [even, odd]: [&str; 2]) -> LawResult {
        let other = |word: &str| format!("{}_{word}", if word.len().is_multiple_of(2) { even } else { odd });
        let name = |text: &str| mapped_words(text, |word| if is_name(word) { other(word) } else { word.to_owned() });
        let Ok(renamed) = Case::from_json(&json_with_names(&self.case.to_json(), &name)) else {
            return LawResult::Broken("under other names it is no case".into());
        };
        let Ok(played) = play(&renamed, self.planner) else {
            return LawResult::Broken("under other names it cannot be played".into());
        };
        let Some(two) = played.steps.last() else { return LawResult::Silent };
        let named = |words: Option<Vec<String>>| {
            let mut words: Vec<String> = words?.iter().map(|word| name(word)).collect();
            words.sort();
            Some(words)
        };
        let one = [named(changes_of(self.last)), named(legs(self.last))];
        same_work(&one, &[changes_of(two), legs(two)], "a planner of other names")
    }
}

/// Compares the changes and the calls of two steps; nothing is compared where both have neither.
fn same_work(one: &[Option<Vec<String>>; 2], other: &[Option<Vec<String>>; 2], who: &str) -> LawResult {
    match (one, other) {
        ([None, None], [None, None]) => LawResult::Silent,
        ([changes, _], [others, _]) if changes != others => LawResult::Broken(format!("{who} has other changes")),
        ([_, calls], [_, others]) => LawResult::if_same(calls, others, &format!("{who} makes other calls")),
    }
}

/// Whether every declared name is recognizable ([`is_name`]).
fn has_own_names(files: &Files) -> bool {
    let names = |json: &Json| -> Vec<Box<str>> {
        json.expect_object().unwrap_or_default().iter().map(|(name, _)| name.clone()).collect()
    };
    files.values().flat_map(|file| file.expect_object().unwrap_or_default()).all(|(kind, of)| match &**kind {
        "module" | "output" | "variable" | "locals" | "check" => names(of).iter().all(|name| is_name(name)),
        "resource" | "data" | "ephemeral" => {
            let types = of.expect_object().unwrap_or_default();
            types.iter().all(|(_, blocks)| names(blocks).iter().all(|name| is_name(name)))
        }
        _ => true,
    })
}

/// The mutating calls of an apply, in words; `None` if nothing was applied.
fn legs(step: &PlayedStep) -> Option<Vec<String>> {
    let calls = step.applied.as_ref()?.trace.calls.iter();
    let mut legs: Vec<String> = calls
        .filter_map(|made| match &made.call.request {
            Request::Apply { planned, .. } => Some(format!("{} {}", made.visit, planned.is_null())),
            _ => None,
        })
        .collect();
    legs.sort();
    Some(legs)
}

/// Whether an instance has deposed objects.
fn has_deposed(state: Option<&State>) -> bool {
    state.into_iter().flat_map(State::instances).any(|(_, _, instance)| !instance.deposed.is_empty())
}

/// Whether a managed block has no instance after a step.
fn has_empty_block(step: &PlayedStep) -> bool {
    let stored = step.after().into_iter().flat_map(|state| state.resources.iter());
    let with_instances: BTreeSet<(&str, &str)> = stored
        .filter(|(_, resource)| !resource.instances.is_empty())
        .map(|(address, _)| (&*address.resource.type_name, &*address.resource.name))
        .collect();
    let types = step.files.values().flat_map(|file| file.entries_of("resource"));
    let mut blocks = types.flat_map(|(name, of)| of.entries().iter().map(move |(block, _)| (&**name, &**block)));
    blocks.any(|block| !with_instances.contains(&block))
}

/// The files of the root.
fn root(files: &Files) -> impl Iterator<Item = &Json> {
    files.iter().filter(|(path, _)| !path.contains('/')).map(|(_, file)| file)
}

/// Members of the root, all files together; of several of one name the first.
pub(super) fn root_members(files: &Files, names: &[&str]) -> Vec<(Box<str>, Json)> {
    let members = root(files).flat_map(|file| file.expect_object().unwrap_or_default());
    members.filter(|(name, _)| names.contains(&&**name)).cloned().collect()
}

/// Whether the root already has statements that move, remove or import; another one beside them may mean something else.
pub(super) fn has_statements(files: &Files) -> bool {
    !root_members(files, &["moved", "removed", "import"]).is_empty()
}

/// Managed resources and calls of the root, as targets name them.
pub(super) fn declared(files: &Files) -> Vec<String> {
    let mut found = Vec::new();
    for (kind, all) in root_members(files, &["resource", "module"]) {
        for (name, of) in all.expect_object().unwrap_or_default() {
            if &*kind == "module" {
                found.push(format!("module.{name}"));
                continue;
            }
            found.extend(of.expect_object().unwrap_or_default().iter().map(|(block, _)| format!("{name}.{block}")));
        }
    }
    found
}

/// Whether a change of an object of the root replaces others.
pub(super) fn is_trigger(files: &Files, address: &AbsResourceInstance) -> bool {
    let name = address.resource.to_string();
    let resources = root_members(files, &["resource"]);
    let types = resources.iter().flat_map(|(_, types)| types.expect_object().unwrap_or_default());
    let mut blocks = types.flat_map(|(_, blocks)| blocks.expect_object().unwrap_or_default());
    blocks.any(|(_, block)| {
        let triggers = block.member("lifecycle").and_then(|of| of.member("replace_triggered_by"));
        triggers.is_some_and(|triggers| triggers.to_compact().contains(&name))
    })
}

/// The single block of an instance of the root.
pub(super) fn block<'f>(files: &'f Files, address: &AbsResourceInstance) -> Option<&'f Json> {
    let resource = &address.resource;
    if !address.module.is_root() || resource.mode != ResourceMode::Managed {
        return None;
    }
    let of_type = |file: &'f Json| file.member("resource")?.member(&resource.type_name)?.member(&resource.name);
    let is_single = |block: &&Json| block.member("count").is_none() && block.member("for_each").is_none();
    root(files).find_map(of_type).filter(is_single)
}

/// Every managed block of the root under another name, with moved blocks; `None` if there is none.
fn renamed_blocks(files: &Files) -> Option<Files> {
    let blocks: Vec<String> = declared(files).into_iter().filter(|target| !target.starts_with("module.")).collect();
    if blocks.is_empty() {
        return None;
    }
    let mut renamed = files.clone();
    for (_, file) in renamed.iter_mut().filter(|(path, _)| !path.contains('/')) {
        *file = with_texts(file, &|text| blocks.iter().fold(text.to_owned(), |text, block| with_other(&text, block)));
        let Json::Object(members) = file else { continue };
        for (_, types) in members.iter_mut().filter(|(name, _)| &**name == "resource") {
            let Json::Object(types) = types else { continue };
            for (_, all) in types {
                let Json::Object(all) = all else { continue };
                all.iter_mut().for_each(|(name, _)| *name = format!("{name}_new").into());
            }
        }
    }
    let moved =
        |block: &String| Json::object([("from", Json::string(block)), ("to", Json::string(&format!("{block}_new")))]);
    let statements = Json::object([("moved", Json::Array(blocks.iter().map(moved).collect()))]);
    renamed.insert("moves.tf.json".into(), statements);
    Some(renamed)
}

/// A text in which a block has another name, wherever its whole name occurs.
fn with_other(text: &str, block: &str) -> String {
    let is_word = |char: char| char.is_ascii_alphanumeric() || char == '_';
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(block) {
        let (before, after) = (&rest[..at], &rest[at + block.len()..]);
        // `resource.` before the type says the same.
        let before_type = before.strip_suffix("resource.").unwrap_or(before);
        let is_part = before_type.ends_with(|char| is_word(char) || char == '.') || after.starts_with(is_word);
        out.push_str(before);
        out.push_str(block);
        out.push_str(if is_part { "" } else { "_new" });
        rest = after;
    }
    out + rest
}

pub(super) fn with_texts(json: &Json, map: &dyn Fn(&str) -> String) -> Json {
    match json {
        Json::String(text) => Json::String(map(text).into()),
        Json::Array(items) => Json::Array(items.iter().map(|item| with_texts(item, map)).collect()),
        Json::Object(members) => {
            // The keys of an expression are templates (E10).
            let key = |name: &str| if name.contains("${") { map(name).into() } else { name.into() };
            Json::Object(members.iter().map(|(name, value)| (key(name), with_texts(value, map))).collect())
        }
        other => other.clone(),
    }
}

/// A file in the reverse order, its resources in a file of their own.
fn split(path: &str, file: &Json) -> Vec<(String, Json)> {
    let Json::Object(members) = reversed(file) else { return vec![(path.to_owned(), file.clone())] };
    let (own, rest): (Vec<_>, Vec<_>) = members.into_iter().partition(|(name, _)| &**name == "resource");
    let other = match path.rsplit_once('/') {
        Some((dir, file)) => format!("{dir}/a_{file}"),
        None => format!("a_{path}"),
    };
    vec![(path.to_owned(), Json::Object(rest)), (other, Json::Object(own))]
}

fn reversed(json: &Json) -> Json {
    match json {
        Json::Array(items) => Json::Array(items.iter().map(reversed).collect()),
        Json::Object(members) => {
            // E171: of provider configurations that cannot be passed, an engine reports the first.
            let in_order = |name: &str| name == "providers";
            let value = |name: &str, value: &Json| if in_order(name) { value.clone() } else { reversed(value) };
            let mut members: Vec<_> = members.iter().map(|(name, of)| (name.clone(), value(name, of))).collect();
            // Nested blocks of a type are a list, to which those of `dynamic` add in the order of the text.
            if members.iter().all(|(name, _)| &**name != "dynamic") {
                members.reverse();
            }
            Json::Object(members)
        }
        other => other.clone(),
    }
}

/// The arguments of the root's managed blocks that contain references, each through a local of its own; `None` if there is none.
fn with_locals(files: &Files) -> Option<Files> {
    let mut files = files.clone();
    let mut locals: Vec<(Box<str>, Json)> = Vec::new();
    for (_, file) in files.iter_mut().filter(|(path, _)| !path.contains('/')) {
        let Json::Object(members) = file else { continue };
        let of_resources = members.iter_mut().filter(|(name, _)| &**name == "resource");
        for block in of_resources.flat_map(|(_, types)| inner(types)).flat_map(inner) {
            let Json::Object(arguments) = block else { continue };
            let is_plain = |name: &str| !["lifecycle", "count", "for_each", "provider", "depends_on"].contains(&name);
            for (_, value) in arguments.iter_mut().filter(|(name, _)| is_plain(name)) {
                let Json::String(text) = value else { continue };
                let is_own = ["each.", "count.", "self."].iter().any(|name| text.contains(name));
                if text.contains("${") && !is_own {
                    let name = format!("via_{}", locals.len());
                    locals.push((name.clone().into(), value.clone()));
                    *value = Json::string(&format!("${{local.{name}}}"));
                }
            }
        }
    }
    if locals.is_empty() {
        return None;
    }
    files.insert("locals.tf.json".into(), Json::object([("locals", Json::Object(locals))]));
    Some(files)
}

fn inner(json: &mut Json) -> Vec<&mut Json> {
    match json {
        Json::Object(members) => members.iter_mut().map(|(_, value)| value).collect(),
        _ => Vec::new(),
    }
}

/// Whether an import block of a file refers to something.
fn has_referring_import(file: &Json) -> bool {
    file.items_of("import").iter().any(|import| {
        let both = ["id", "for_each"].into_iter().filter_map(|name| import.member(name)?.expect_string().ok());
        both.into_iter().any(|text| text.contains("${"))
    })
}
