//! Many questions as one: disjoint workspaces side by side are a workspace.
//!
//! Problem: a real engine costs a tenth of a second to start. Idea: names of generated workspaces are recognizable ([`is_name`]), so each
//! workspace gets a prefix of its own, and their files, states and events lie side by side. The whole is a workspace in its own right, so
//! answers to it can be compared without taking them apart.

use std::collections::BTreeMap;
use std::iter::Sum;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::plans::Mode;
use planfuzz_workspace::call::Request;
use planfuzz_workspace::order::Made;
use planfuzz_workspace::{Applied, Options, Planned, Workspace};

use crate::case::{Case, CaseError, Command, Step, sources};
use crate::generate::names::is_name;
use crate::model::{RemoteEvents, Simulated, TypeModel};
use crate::play::{PlayedStep, state_of};

/// One step as a complete question of its own.
#[derive(Clone, Debug)]
pub struct Question {
    /// Which engine.
    pub dialect: Dialect,
    /// The configuration.
    pub files: BTreeMap<String, Json>,
    /// The state, as a state file; null where there is none.
    pub state: Json,
    /// What providers have.
    pub providers: Json,
    /// How types behave.
    pub models: BTreeMap<String, TypeModel>,
    /// What happens and fails.
    pub events: RemoteEvents,
    /// What is done.
    pub command: Command,
    /// With which options.
    pub options: Options,
    /// How much a planner answered.
    pub size: AnswerSize,
    /// The name of the walk that ended with errors in the plan, if one did.
    pub fails_in: Option<String>,
}

/// The size of an answer. Workspaces side by side give the sum of their answers, unless one hides parts of another: then it is less.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnswerSize {
    /// Calls about objects only: a provider is configured once for all of them.
    pub calls: usize,
    /// Errors.
    pub errors: usize,
    /// Planned changes.
    pub changes: usize,
}

impl AnswerSize {
    /// The size of a plan and its apply.
    pub fn of(planned: &Planned, applied: Option<&Applied>) -> AnswerSize {
        let is_of_object =
            |made: &&Made| !matches!(made.call.request, Request::Configure { .. } | Request::ValidateProvider { .. });
        let applied =
            applied.map_or((&[][..], &[][..]), |applied| (&applied.trace.calls[..], &applied.diagnostics[..]));
        AnswerSize {
            calls: planned.trace.calls.iter().chain(applied.0).filter(is_of_object).count(),
            errors: planned.diagnostics.iter().chain(applied.1).filter(|one| one.is_error()).count(),
            changes: planned.plan.as_ref().map_or(0, |plan| plan.changes.len()),
        }
    }

    /// Whether any of it is less than in the other.
    pub fn is_less_than(&self, other: &AnswerSize) -> bool {
        self.calls < other.calls || self.errors < other.errors || self.changes < other.changes
    }
}

impl Sum for AnswerSize {
    fn sum<I: Iterator<Item = AnswerSize>>(all: I) -> AnswerSize {
        all.fold(AnswerSize::default(), |sum, one| AnswerSize {
            calls: sum.calls + one.calls,
            errors: sum.errors + one.errors,
            changes: sum.changes + one.changes,
        })
    }
}

/// What questions must have in common to be merged.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Likeness {
    command: Command,
    mode: u8,
    refreshes: bool,
    is_of_everything: bool,
    /// The text of what a merged workspace has only once.
    single_blocks: String,
    /// See [`Question::fails_in`]: an error keeps later walks from beginning.
    fails_in: Option<String>,
}

impl Question {
    /// The question of a step that was played.
    ///
    /// # Errors
    /// A state that no file can hold.
    pub fn of(case: &Case, played: &PlayedStep) -> Result<Question, CaseError> {
        let workspace = &played.workspace;
        let state = match &workspace.state {
            None => Json::Null,
            Some(state) => without_identity(&state.to_json(&workspace.schemas, workspace.dialect)?),
        };
        Ok(Question {
            dialect: case.dialect,
            files: played.files.clone(),
            state,
            providers: case.providers.clone(),
            models: case.models.clone(),
            events: played.providers.events.clone(),
            command: played.command.clone(),
            options: workspace.options.clone(),
            size: AnswerSize::of(&played.planned, played.applied.as_ref()),
            fails_in: played.planned.is_errored().then(|| {
                let walks = &played.planned.trace.order.walks;
                walks.last().map_or_else(String::new, |walk| walk.name.clone())
            }),
        })
    }

    /// What must be equal to merge questions; `None` if a question must be asked alone: with several forced replacements an engine loses
    /// what the triggers of other instances fire, and references in a default provider configuration belong to one workspace.
    pub fn likeness(&self) -> Option<Likeness> {
        let of_root = self.files.iter().filter(|(path, _)| is_of_root(path));
        let single_blocks: String = of_root.map(|(_, file)| self::single_blocks(file)).collect();
        let is_plain = matches!(self.command, Command::Plan | Command::Apply | Command::Refresh);
        let is_whole = self.options.excludes.is_empty() && self.options.interrupt.is_none();
        let alone = !is_plain || single_blocks.contains("${") || !self.options.replace.is_empty() || !is_whole;
        (!alone).then(|| Likeness {
            command: self.command.clone(),
            mode: match self.options.mode {
                Mode::Normal => 0,
                Mode::Destroy => 1,
                Mode::RefreshOnly => 2,
            },
            refreshes: self.options.refresh,
            is_of_everything: self.options.targets.is_empty(),
            single_blocks,
            fails_in: self.fails_in.clone(),
        })
    }

    /// The question in the form a planner takes, with its providers.
    ///
    /// # Errors
    /// The files or the state cannot be used.
    pub fn workspace(&self) -> Result<(Workspace, Simulated), CaseError> {
        let schemas = planfuzz_language::check::Schemas::from_json(&Json::object([(
            "provider_schemas",
            self.providers.clone(),
        )]))?;
        let state = match &self.state {
            Json::Null => None,
            state => Some(state_of(state)?),
        };
        let (models, events) = (self.models.clone(), self.events.clone());
        let providers = Simulated::new(schemas.clone(), self.dialect, models, events);
        let options = self.options.clone();
        let workspace = Workspace { dialect: self.dialect, sources: sources(&self.files)?, schemas, state, options };
        Ok((workspace, providers))
    }

    /// The question as a case of one step.
    pub fn case(&self) -> Case {
        let (command, options, events) = (self.command.clone(), self.options.clone(), self.events.clone());
        let step = Step { command, options, edits: BTreeMap::new(), taint: Vec::new(), events };
        Case {
            dialect: self.dialect,
            purpose: None,
            providers: self.providers.clone(),
            models: self.models.clone(),
            files: self.files.clone(),
            state: Some(self.state.clone()).filter(|state| *state != Json::Null),
            steps: vec![step],
        }
    }

    /// The same question with a prefix before every name.
    fn prefixed(&self, prefix: &str) -> Question {
        let mut renamed = self.with_names(&|text| with_prefix(text, prefix));
        let at_root = |path: String| if is_of_root(&path) { format!("{prefix}{path}") } else { path };
        renamed.files = renamed.files.into_iter().map(|(path, file)| (at_root(path), file)).collect();
        renamed
    }

    /// The same question with other names: `name` gives a text in which each name is another.
    pub fn with_names(&self, name: &dyn Fn(&str) -> String) -> Question {
        let mut renamed = self.clone();
        renamed.files = BTreeMap::new();
        for (path, contents) in &self.files {
            let path = match path.rsplit_once('/') {
                Some((dir, file)) => format!("{}/{file}", name(dir)),
                None => path.clone(),
            };
            renamed.files.insert(path, json_with_names(contents, name));
        }
        renamed.state = json_with_names(&self.state, name);
        for outside in &mut renamed.events.outside {
            outside.name = name(&outside.name);
        }
        for fail in &mut renamed.events.fails {
            fail.name = name(&fail.name);
        }
        match &mut renamed.command {
            Command::Import(import) => (import.to, import.id) = (name(&import.to), name(&import.id)),
            Command::ApplySaved(saved) => {
                saved.variables.iter_mut().for_each(|(variable, _)| *variable = name(variable))
            }
            Command::Plan | Command::Apply | Command::Refresh => {}
        }
        renamed.options.targets.iter_mut().for_each(|target| *target = name(target));
        if let Some(interrupt) = &mut renamed.options.interrupt {
            for nodes in [&mut interrupt.finished, &mut interrupt.under_way] {
                *nodes = nodes.iter().map(|node| name(node)).collect();
            }
        }
        renamed.options.replace.iter_mut().for_each(|target| *target = name(target));
        renamed.options.variables.iter_mut().for_each(|(variable, _)| *variable = name(variable));
        renamed
    }
}

/// All questions merged into one; `None` for an empty list.
pub fn merged(questions: &[Question]) -> Option<Question> {
    let [first, rest @ ..] = questions else { return None };
    if rest.is_empty() {
        return Some(first.clone());
    }
    let mut whole = first.prefixed("c0_");
    for (index, question) in rest.iter().enumerate() {
        let next = question.prefixed(&format!("c{}_", index + 1));
        whole.files.extend(next.files.into_iter().map(|(path, file)| {
            let file = if is_of_root(&path) { without_single_blocks(file) } else { file };
            (path, file)
        }));
        whole.state = joined(&whole.state, &next.state);
        whole.events.outside.extend(next.events.outside);
        whole.events.fails.extend(next.events.fails);
        whole.options.targets.extend(next.options.targets);
        whole.options.variables.extend(next.options.variables);
    }
    Some(whole)
}

fn is_of_root(path: &str) -> bool {
    !path.contains('/')
}

/// What a root module may have only once, as text: settings, and the default configurations of providers.
fn single_blocks(file: &Json) -> String {
    let settings = file.member("terraform").map(Json::to_compact);
    // Anything but an object of providers has none.
    let providers = file.member("provider").map(Json::expect_object);
    let named = providers.and_then(Result::ok).unwrap_or_default().iter();
    let defaults = named.flat_map(|(name, blocks)| {
        let blocks = blocks.expect_array().unwrap_or(std::slice::from_ref(blocks));
        blocks.iter().filter(|block| is_default(block)).map(move |block| format!("{name} {}", block.to_compact()))
    });
    settings.into_iter().chain(defaults).collect()
}

/// The same file without what a root module may have only once.
fn without_single_blocks(file: Json) -> Json {
    let Json::Object(members) = file else { return file };
    let aliased = |blocks: Json| match blocks {
        Json::Array(blocks) => Json::Array(blocks.into_iter().filter(|block| !is_default(block)).collect()),
        block if is_default(&block) => Json::Array(Vec::new()),
        block => block,
    };
    let without = |(name, value): (Box<str>, Json)| match value {
        Json::Object(providers) if *name == *"provider" => {
            let providers = providers.into_iter().map(|(name, blocks)| (name, aliased(blocks)));
            (name, Json::Object(providers.collect()))
        }
        value => (name, value),
    };
    let is_kept = |(name, _): &(Box<str>, Json)| **name != *"terraform";
    Json::Object(members.into_iter().filter(is_kept).map(without).collect())
}

/// Whether a provider block is one without an alias.
fn is_default(block: &Json) -> bool {
    matches!(block, Json::Object(_)) && block.member("alias").is_none()
}

/// A state file without serial, lineage and version: the asking side sets them.
fn without_identity(state: &Json) -> Json {
    let is_kept = |name: &str| !["serial", "lineage", "terraform_version"].contains(&name);
    let members = state.expect_object().unwrap_or_default().iter();
    Json::Object(members.filter(|(name, _)| is_kept(name)).cloned().collect())
}

/// Two states side by side.
fn joined(one: &Json, other: &Json) -> Json {
    let (Json::Object(members), Json::Object(others)) = (one, other) else {
        return if *one == Json::Null { other.clone() } else { one.clone() };
    };
    let mut members = members.clone();
    for (name, value) in others {
        match members.iter_mut().find(|(probe, _)| probe == name) {
            None => members.push((name.clone(), value.clone())),
            Some((_, Json::Array(items))) => items.extend(value.items().iter().cloned()),
            Some((_, Json::Object(items))) => items.extend(value.expect_object().unwrap_or_default().iter().cloned()),
            Some((_, old)) if *old == Json::Null => *old = value.clone(),
            Some(_) => {}
        }
    }
    Json::Object(members)
}

/// A document with other names in it.
pub fn json_with_names(json: &Json, name: &dyn Fn(&str) -> String) -> Json {
    match json {
        Json::String(text) => Json::String(name(text).into()),
        Json::Array(items) => Json::Array(items.iter().map(|item| json_with_names(item, name)).collect()),
        Json::Object(members) => {
            let member = |(key, value): &(Box<str>, Json)| (name(key).into_boxed_str(), json_with_names(value, name));
            Json::Object(members.iter().map(member).collect())
        }
        other => other.clone(),
    }
}

/// A text with a prefix before every name in it.
pub fn with_prefix(text: &str, prefix: &str) -> String {
    mapped_words(text, |word| if is_name(word) { format!("{prefix}{word}") } else { word.to_owned() })
}

/// A text with other words.
pub fn mapped_words(text: &str, map: impl Fn(&str) -> String) -> String {
    let is_word = |char: char| char.is_ascii_alphanumeric() || char == '_';
    let mut out = String::with_capacity(text.len() + 8);
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(|char| !is_word(char)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        if !word.is_empty() {
            out.push_str(&map(word));
        }
        let end = after.find(is_word).unwrap_or(after.len());
        out.push_str(&after[..end]);
        rest = &after[end..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_alone_get_a_prefix() {
        let text = "${w_thing.ant[\"x\"].out} id-ant-0 m/bee2 elephant";
        assert_eq!(with_prefix(text, "c1_"), "${w_thing.c1_ant[\"x\"].out} id-c1_ant-0 m/c1_bee2 elephant");
    }
}
