//! Laws of edits that change nothing in the end: another repetition, a block that goes and comes back, one more dependency, a change and
//! its undoing, an object that is forgotten and imported (UL09, UL10, UL17, UL18, UL23, UL26).

use std::collections::BTreeMap;

use planfuzz_core::address::{AbsResourceInstance, InstanceKey};
use planfuzz_core::json::Json;
use planfuzz_core::plans::{Action, AddressedChange};
use planfuzz_workspace::{CallId, Import, Plan, Request, Saved, State, Trace};

use super::LawResult;
use super::played_case::{PlayedCase, Then, current, mutates};
use super::texts::{Files, block, declared, has_statements, with_texts};
use crate::case::Command;

/// The arguments of a block.
type Arguments = Vec<(Box<str>, Json)>;

/// A key that no generated text has, for what was counted before.
const KEY: &str = "k";

impl PlayedCase<'_> {
    /// UL09: the first block of the root with `count`, if references to it use numbers only.
    pub(super) fn counted_by_keys(&self) -> LawResult {
        let then = self.then();
        if has_statements(&then.files) || !self.is_settled() {
            return LawResult::Silent;
        }
        let files =
            declared(&then.files).iter().find_map(|name| with_keys(&then.files, name, &numbers(&then.state, name)));
        files.map_or(LawResult::Silent, |files| self.only_moves(files))
    }

    /// UL10: an object that is not stored any more is imported by the command, and by a block.
    pub(super) fn imported(&self) -> LawResult {
        let then = self.then();
        let Some((address, id)) = self.importable().filter(|_| !has_statements(&then.files) && self.is_settled())
        else {
            return LawResult::Silent;
        };
        let lost = then.state.as_ref().map(|state| without(state, &address));
        let Some(by_command) = self.by_command(Then { state: lost.clone(), ..self.then() }, &address, &id) else {
            return LawResult::Broken("what an object is imported as is an error".into());
        };
        let next = self.planned(&Then { state: Some(by_command.clone()), ..self.then() });
        let Some(next) = next.filter(|next| !next.planned.is_errored()) else { return LawResult::Silent };
        if action_of(next.planned.plan.as_ref(), &address) != Some(Action::NoOp) {
            return LawResult::Broken("what was imported as it is configured is to be changed".into());
        }
        let mut files = then.files.clone();
        let import = [("to", Json::string(&address.to_string())), ("id", Json::string(&id))];
        files.insert("imports.tf.json".into(), Json::object([("import", Json::object(import))]));
        let Some(step) = self.applied(&Then { files, state: lost, ..self.then() }) else { return LawResult::Silent };
        let is_asked = step.applied.as_ref().is_some_and(|applied| is_touched(&applied.trace, &address));
        let change = step.planned.plan.as_ref().and_then(|plan| change_of(plan, &address));
        if is_asked || change.is_none_or(|change| change.planned.change.importing.is_none()) {
            return LawResult::Broken("an import block does not import, or changes what it imports".into());
        }
        let object = |state: Option<&State>| self.objects(state.map(|state| only(state, &address)).as_ref());
        let (one, other) = (object(Some(&by_command)), object(step.after()));
        LawResult::if_same(&one, &other, "a block imports something else than the command")
    }

    /// UL17: a block without references to it goes, and comes back.
    pub(super) fn out_and_back(&self) -> LawResult {
        let then = self.then();
        let alone = declared(&then.files).into_iter().find(|name| !is_module(name) && !is_named(&then.files, name));
        let Some(name) = alone.filter(|_| self.is_settled() && self.is_as_new()) else { return LawResult::Silent };
        let files = without_block(&then.files, &name);
        let Some(out) = self.applied(&Then { files, ..self.then() }) else { return LawResult::Silent };
        let is_left = |state: &State| state.resources.keys().any(|address| address.to_string() == name);
        if out.after().is_some_and(is_left) {
            return LawResult::Broken("what is taken out of the text stays".into());
        }
        let Some(back) = self.applied(&Then { state: out.after().cloned(), ..self.then() }) else {
            return LawResult::Silent;
        };
        let (one, other) = (self.objects(then.state.as_ref()), self.objects(back.after()));
        LawResult::if_same(&one, &other, "what goes and comes back is something else, or changes others")
    }

    /// UL18: an object is forgotten by a block, and imported again.
    pub(super) fn forgotten_and_imported(&self) -> LawResult {
        let then = self.then();
        let Some((address, id)) = self.importable().filter(|_| !has_statements(&then.files) && self.is_settled())
        else {
            return LawResult::Silent;
        };
        let name = address.abs_resource().to_string();
        if is_named(&then.files, &name) {
            return LawResult::Silent;
        }
        let mut files = without_block(&then.files, &name);
        let keep = Json::object([("destroy", Json::Bool(false))]);
        let removed = Json::object([("from", Json::string(&name)), ("lifecycle", keep)]);
        files.insert("removed.tf.json".into(), Json::object([("removed", removed)]));
        let Some(step) = self.applied(&Then { files, ..self.then() }) else { return LawResult::Silent };
        let Some(applied) = &step.applied else {
            return LawResult::Broken("a removed block is nothing to apply".into());
        };
        let rest = then.state.as_ref().map(|state| without(state, &address));
        if mutates(&applied.trace) || self.objects(rest.as_ref()) != self.objects(step.after()) {
            return LawResult::Broken("a removed block touches something, or does not forget".into());
        }
        let Some(back) = self.by_command(Then { state: step.after().cloned(), ..self.then() }, &address, &id) else {
            return LawResult::Broken("what was forgotten cannot be imported".into());
        };
        let next = self.planned(&Then { state: Some(back), ..self.then() });
        match next.and_then(|next| next.planned.plan.as_ref().map(|plan| action_of(Some(plan), &address))) {
            Some(Some(Action::NoOp)) => LawResult::Holds,
            _ => LawResult::Broken("what was forgotten and imported is to be changed".into()),
        }
    }

    /// UL23: of two independent blocks of the root the later one depends on the earlier one, or the other way round.
    pub(super) fn depends_on_more(&self) -> LawResult {
        let then = self.then();
        let single = |address: &AbsResourceInstance| block(&then.files, address).is_some();
        let there: Vec<AbsResourceInstance> = current(then.state.as_ref()).into_iter().filter(single).collect();
        let pairs = there.iter().zip(there.iter().skip(1)).flat_map(|(one, other)| [(one, other), (other, one)]);
        let is_new = |(from, to): &(&AbsResourceInstance, &AbsResourceInstance)| {
            !dependencies(then.state.as_ref(), from).contains(&to.config_resource().to_string())
        };
        let Some((from, to)) = pairs.into_iter().find(is_new).filter(|_| self.is_settled()) else {
            return LawResult::Silent;
        };
        let Some(files) = with_dependency(&then.files, from, to) else { return LawResult::Silent };
        let more = || Then { files: files.clone(), ..self.then() };
        let Some(next) = self.planned(&more()).filter(|next| !next.planned.is_errored()) else {
            return LawResult::Silent;
        };
        if next.planned.exit() != 0 {
            return LawResult::Broken("a dependency more is something to do".into());
        }
        let saved = Saved::at_once(&then.options);
        let stored = self.done_by(self.planner, &more(), Command::ApplySaved(saved));
        let Some(stored) = stored.and_then(|step| Some((step.after()?.clone(), step.applied?))) else {
            return LawResult::Silent;
        };
        let (state, applied) = stored;
        if mutates(&applied.trace) || !dependencies(Some(&state), from).contains(&to.config_resource().to_string()) {
            return LawResult::Broken("a dependency more is not stored, or touches something".into());
        }
        let destroy = Then { state: Some(state), options: self.destroy().options, ..more() };
        let Some(applied) = self.applied(&destroy).and_then(|step| step.applied) else { return LawResult::Silent };
        match (deletion_of(&applied.trace, from), deletion_of(&applied.trace, to)) {
            (Some(first), Some(then)) if !applied.trace.must_precede(first, then) => {
                LawResult::Broken("a destruction does not obey a dependency that was stored".into())
            }
            _ => LawResult::Holds,
        }
    }

    /// UL26: tags of a block of the root change, and change back.
    pub(super) fn change_and_back(&self) -> LawResult {
        let then = self.then();
        let Some(files) = self.with_tags().filter(|_| self.is_settled()) else { return LawResult::Silent };
        let once = |files: &Files, state: Option<State>| {
            let step = self.applied(&Then { files: files.clone(), state, ..self.then() })?;
            let plan = step.planned.plan.as_ref()?;
            let is_update = |change: &AddressedChange| matches!(change.action(), Action::Update | Action::NoOp);
            plan.changes.iter().all(is_update).then_some(step)
        };
        let there_and_back = |state: Option<State>| {
            let there = once(&files, state)?;
            let is_idle = there.applied.is_none();
            Some((is_idle, once(&then.files, there.after().cloned())?))
        };
        // K: after the first update, volatile values are already those of an update.
        let Some((_, first)) = there_and_back(then.state.clone()) else { return LawResult::Silent };
        match there_and_back(first.after().cloned()) {
            None => LawResult::Silent,
            Some((true, _)) => LawResult::Broken("another value is nothing to apply".into()),
            Some((false, second)) => {
                let (one, other) = (self.objects(first.after()), self.objects(second.after()));
                LawResult::if_same(&one, &other, "a change and its undoing leave something")
            }
        }
    }

    /// A single stored object of the root of which only the name is configured, and its id at the provider.
    fn importable(&self) -> Option<(AbsResourceInstance, String)> {
        let files = &self.last.files;
        let is_plain = |name: &str| ["name", "provider", "depends_on", "lifecycle"].contains(&name);
        current(self.last.after()).into_iter().find_map(|address| {
            let block = block(files, &address)?;
            let is_bare = block.expect_object().ok()?.iter().all(|(name, _)| is_plain(name));
            let has_model = self.case.models.contains_key(address.resource.type_name.as_str());
            let name = block.member("name")?.expect_string().ok()?;
            (is_bare && has_model && !name.contains("${")).then(|| (address, format!("id-{name}")))
        })
    }

    /// The files with other tags in a single block of the root that is stored, has some, and does not ignore what changes.
    fn with_tags(&self) -> Option<Files> {
        let mut files = self.last.files.clone();
        let is_tagged = |address: &AbsResourceInstance| {
            let ignores =
                |block: &Json| block.member("lifecycle").is_some_and(|of| of.member("ignore_changes").is_some());
            block(&self.last.files, address).is_some_and(|block| block.member("tags").is_some() && !ignores(block))
        };
        let name = current(self.last.after()).into_iter().find(is_tagged)?.abs_resource().to_string();
        let (_, arguments) = blocks_of(&mut files).into_iter().find(|(block, _)| *block == name)?;
        let (_, tags) = arguments.iter_mut().find(|(argument, _)| &**argument == "tags")?;
        *tags = Json::object([("other", Json::string("than before"))]);
        Some(files)
    }

    fn by_command(&self, then: Then, address: &AbsResourceInstance, id: &str) -> Option<State> {
        let import = Import { to: address.to_string(), id: id.to_owned() };
        let step = self.done_by(self.planner, &then, Command::Import(import))?;
        step.written.filter(|_| !step.planned.is_errored())
    }
}

fn is_module(name: &str) -> bool {
    name.starts_with("module.")
}

/// Whether a text of the root names a block.
fn is_named(files: &Files, name: &str) -> bool {
    let found = std::cell::Cell::new(false);
    let look = |text: &str| {
        found.set(found.get() || text.contains(name));
        text.to_owned()
    };
    files.values().for_each(|file| drop(with_texts(file, &look)));
    found.get()
}

fn without_block(files: &Files, name: &str) -> Files {
    let mut files = files.clone();
    let Some((type_name, block)) = name.split_once('.') else { return files };
    for (_, file) in files.iter_mut().filter(|(path, _)| !path.contains('/')) {
        let Json::Object(members) = file else { continue };
        for (_, types) in members.iter_mut().filter(|(member, _)| &**member == "resource") {
            let Json::Object(types) = types else { continue };
            for (_, blocks) in types.iter_mut().filter(|(member, _)| &**member == type_name) {
                let Json::Object(blocks) = blocks else { continue };
                blocks.retain(|(member, _)| &**member != block);
            }
        }
    }
    files
}

/// Blocks of the root by their addresses.
fn blocks_of(files: &mut Files) -> Vec<(String, &mut Arguments)> {
    let mut found = Vec::new();
    for (_, file) in files.iter_mut().filter(|(path, _)| !path.contains('/')) {
        let Json::Object(members) = file else { continue };
        for types in members.iter_mut().filter(|(member, _)| &**member == "resource").map(|(_, types)| types) {
            let Json::Object(types) = types else { continue };
            for (type_name, blocks) in types {
                let Json::Object(blocks) = blocks else { continue };
                for (name, block) in blocks {
                    let Json::Object(arguments) = block else { continue };
                    found.push((format!("{type_name}.{name}"), arguments));
                }
            }
        }
    }
    found
}

/// The numbers of the stored instances of a block of the root; `None` if one has another key.
fn numbers(state: &Option<State>, name: &str) -> Option<Vec<i64>> {
    let stored = state.as_ref()?.resources.iter().find(|(address, _)| address.to_string() == name)?.1;
    let number = |key: &InstanceKey| match key {
        InstanceKey::Int(number) => Some(*number),
        _ => None,
    };
    stored.instances.keys().map(number).collect()
}

/// A block with keys in the place of numbers, and moved blocks; `None` if it does not count, or if the whole block is referred to.
fn with_keys(files: &Files, name: &str, numbers: &Option<Vec<i64>>) -> Option<Files> {
    let numbers = numbers.as_ref().filter(|numbers| !numbers.is_empty())?;
    let is_whole = std::cell::Cell::new(false);
    let by_key = |text: &str| {
        let mut out = text.to_owned();
        for number in numbers {
            out = out.replace(&format!("{name}[{number}]"), &format!("{name}[\"{KEY}{number}\"]"));
        }
        let names = out.matches(name).count();
        is_whole.set(is_whole.get() || names != out.matches(&format!("{name}[\"{KEY}")).count());
        out
    };
    let mut files: Files = files.iter().map(|(path, file)| (path.clone(), with_texts(file, &by_key))).collect();
    if is_whole.get() {
        return None;
    }
    let (_, arguments) = blocks_of(&mut files).into_iter().find(|(block, _)| block == name)?;
    arguments.iter().find(|(argument, _)| &**argument == "count")?;
    arguments.retain(|(argument, _)| &**argument != "count");
    // E18: triggers may name the number or the key of an instance, and not the value that becomes of the number here.
    let has_numbered_trigger = |(name, argument): &(Box<str>, Json)| {
        let triggers = argument.member("replace_triggered_by").filter(|_| **name == *"lifecycle");
        triggers.is_some_and(|triggers| triggers.to_compact().contains("count.index"))
    };
    if arguments.iter().any(has_numbered_trigger) {
        return None;
    }
    for (_, argument) in arguments.iter_mut() {
        *argument = with_texts(argument, &|text| text.replace("count.index", "each.value"));
    }
    let key = |number: &i64| format!("{KEY}{number}");
    let keys = Json::Object(numbers.iter().map(|number| (key(number).into(), Json::int(*number))).collect());
    arguments.push(("for_each".into(), keys));
    let moved = |number: &i64| {
        let (from, to) = (format!("{name}[{number}]"), format!("{name}[\"{}\"]", key(number)));
        Json::object([("from", Json::string(&from)), ("to", Json::string(&to))])
    };
    let statements = Json::object([("moved", Json::Array(numbers.iter().map(moved).collect()))]);
    files.insert("moves.tf.json".into(), statements);
    Some(files)
}

/// The files with one more dependency between two single blocks of the root.
fn with_dependency(files: &Files, from: &AbsResourceInstance, to: &AbsResourceInstance) -> Option<Files> {
    let mut files = files.clone();
    let (from, to) = (from.abs_resource().to_string(), to.abs_resource().to_string());
    let (_, arguments) = blocks_of(&mut files).into_iter().find(|(block, _)| *block == from)?;
    match arguments.iter_mut().find(|(argument, _)| &**argument == "depends_on") {
        Some((_, Json::Array(names))) => names.push(Json::string(&to)),
        Some(_) => return None,
        None => arguments.push(("depends_on".into(), Json::Array(vec![Json::string(&to)]))),
    }
    Some(files)
}

/// A state without one object, and with nothing of what its resource had else.
fn without(state: &State, address: &AbsResourceInstance) -> State {
    let mut state = state.clone();
    state.resources.remove(&address.abs_resource());
    state
}

/// A state of the objects of one resource.
fn only(state: &State, address: &AbsResourceInstance) -> State {
    let mut state = state.clone();
    state.resources.retain(|resource, _| *resource == address.abs_resource());
    state.outputs = BTreeMap::new();
    state
}

fn dependencies(state: Option<&State>, address: &AbsResourceInstance) -> Vec<String> {
    let stored = state.and_then(|state| state.resources.get(&address.abs_resource()));
    let object = stored.and_then(|stored| stored.instances.get(&address.key)?.current.as_ref());
    object.map(|object| object.dependencies.iter().map(ToString::to_string).collect()).unwrap_or_default()
}

fn change_of<'p>(plan: &'p Plan, address: &AbsResourceInstance) -> Option<&'p AddressedChange> {
    plan.changes.iter().find(|change| change.addr == *address && change.deposed().is_none())
}

fn action_of(plan: Option<&Plan>, address: &AbsResourceInstance) -> Option<Action> {
    change_of(plan?, address).map(AddressedChange::action)
}

/// Whether an apply asks for a change of an instance.
fn is_touched(trace: &Trace, address: &AbsResourceInstance) -> bool {
    let is_its = |made: &planfuzz_workspace::Made| made.visit == address.to_string();
    trace.calls.iter().any(|made| is_its(made) && matches!(made.call.request, Request::Apply { .. }))
}

/// The call that destroys an instance.
fn deletion_of(trace: &Trace, address: &AbsResourceInstance) -> Option<CallId> {
    let is_drop = |made: &planfuzz_workspace::Made| match &made.call.request {
        Request::Apply { planned, .. } => planned.is_null() && made.visit == address.to_string(),
        _ => false,
    };
    trace.calls.iter().position(is_drop).map(CallId)
}
