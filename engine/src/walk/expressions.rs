//! Expressions put to an engine, many in one run: each is the input of a resource of the engine's own, so that the plan file says its
//! value with refinements and marks.
//!
//! Named values are locals. What is not known of them is planned by a helper's provider, exactly as it is wanted; to the static
//! validation it is of no known type. Each expression has a file of its own, so that whatever is told of it, also that it cannot be
//! parsed, is told of that file alone. Errors stop a run before the plan: those who have one are left out of the next run.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use planfuzz_core::msgpack;
use planfuzz_core::planner::{ResourceKind, Severity};
use planfuzz_core::plans::file::PlanFile;
use planfuzz_core::schema::Schema;
use planfuzz_core::state::InstanceState;
use planfuzz_core::value::{Step, Text, Type, Value, WrittenPath, WrittenStep};

use super::directory::{self, PLAN};
use super::{Engine, EngineError};
use crate::helper::Helper;
use crate::job::LeftOut;
use crate::process::{Ended, Errand, run};
use crate::provider_address::{Protocol, ProviderAddress};
use crate::said::Printed;
use crate::server::{Log, Served, ServedTypes};
use crate::workdir::{Expression, Names, Place, Sources, computed};
use nobody::Nobody;

mod nobody;

/// A value by name, with what is sensitive in it.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedValue {
    /// The name, which expressions call `local.NAME`.
    pub name: Text,
    /// The value.
    pub value: Value,
    /// The places of marks.
    pub sensitive: planfuzz_core::value::PathSet,
}

/// An expression and what the names in it mean.
#[derive(Clone, Debug)]
pub struct Question {
    /// The named values. A name means the same in all questions that are asked together.
    pub scope: Vec<NamedValue>,
    /// The expression, in native syntax.
    pub expression: String,
}

/// What an engine makes of an expression.
#[derive(Clone, Debug)]
pub enum Reply {
    /// A value.
    Value {
        /// The value, of its own type.
        value: Value,
        /// The places of marks.
        sensitive: BTreeSet<WrittenPath>,
    },
    /// Summaries of errors, each once, sorted.
    Errors(Vec<String>),
    /// The engine died of this expression alone.
    Crashed(String),
    /// The engine did not come to an end with this expression alone.
    OverBudget(Duration),
    /// It was not asked, or did not answer.
    LeftOut(LeftOut),
}

/// What one run came to.
enum Came {
    /// A reply for some; the others are asked again without those.
    Replies(Vec<(usize, Reply)>),
    /// Nothing that says whose fault it is.
    Spoiled(Reply),
}

impl Engine {
    /// Evaluates expressions; a reply for each, in their order.
    ///
    /// # Errors
    /// An engine that cannot be driven: no expression has a reply.
    pub fn expressions(&mut self, questions: &[Question]) -> Result<Vec<Reply>, EngineError> {
        let mut replies: Vec<Option<Reply>> = vec![None; questions.len()];
        let mut heaps: Vec<Vec<usize>> = vec![(0..questions.len()).collect()];
        while let Some(mut heap) = heaps.pop() {
            heap.retain(|&number| replies[number].is_none());
            if heap.is_empty() {
                continue;
            }
            match self.expressions_once(questions, &heap)? {
                Came::Replies(found) if !found.is_empty() => {
                    for (number, reply) in found {
                        replies[number] = Some(reply);
                    }
                    heaps.push(heap);
                }
                Came::Spoiled(reply) if heap.len() == 1 => replies[heap[0]] = Some(reply),
                Came::Replies(_) if heap.len() == 1 => replies[heap[0]] = Some(Reply::LeftOut(LeftOut::Unanswered)),
                _ => {
                    let rest = heap.split_off(heap.len() / 2);
                    heaps.extend([rest, heap]);
                }
            }
        }
        Ok(replies.into_iter().map(|reply| reply.unwrap_or(Reply::LeftOut(LeftOut::Unanswered))).collect())
    }

    fn expressions_once(&mut self, questions: &[Question], heap: &[usize]) -> Result<Came, EngineError> {
        let runner = &mut self.runner;
        let provider_address = ProviderAddress { protocol: Protocol::Six, plan_destroy: false };
        let names = Names { provider_address, job: 0, dialect: runner.dialect };
        let (locals, helper) = match written(questions, heap, names) {
            Ok(written) => written,
            Err((number, left_out)) => return Ok(Came::Replies(vec![(number, Reply::LeftOut(left_out))])),
        };
        let dir = runner.runs.make()?;
        write_files(&dir, questions, heap, &locals, helper.as_ref(), provider_address)?;
        runner.server.serve(ServedTypes {
            dialect: runner.dialect,
            served: vec![Served {
                type_name: names.type_name(),
                provider_address,
                kind: ResourceKind::Managed,
                schema: Arc::new(Schema::default()),
                provider: Arc::new(Mutex::new(Nobody)),
                state: InstanceState::default(),
                validates_block: false,
                helpers: helper.into_iter().collect(),
            }],
        })?;
        let reattach = runner.server.reattach();
        let count = u32::try_from(heap.len()).unwrap_or(u32::MAX);
        let ended = run(&Errand {
            program: runner.binary.path(),
            dir: &dir,
            args: &["plan", "-input=false", "-json", "-lock=false", "-refresh=false", "-out=plan.bin"],
            variables: &[("TF_REATTACH_PROVIDERS", &reattach)],
            limit: runner.options.limit + runner.options.limit_each.saturating_mul(count),
            stop: runner.options.stop,
        });
        let asked = runner.server.finish();
        if asked.logs.iter().any(Log::is_hung) {
            return Err(EngineError::Call("a helper does not answer".to_owned()));
        }
        if let Some(failure) = asked.logs.iter().flat_map(Log::failures).chain(&asked.strays).next() {
            return Err(EngineError::Call(failure.to_string()));
        }
        runner.effort.runs += 1;
        runner.effort.asked += heap.len() as u64;
        let finished = match ended? {
            Ended::Finished(finished) => finished,
            Ended::Crashed(crash) => return Ok(Came::Spoiled(Reply::Crashed(crash.site))),
            Ended::TimedOut { limit } => return Ok(Came::Spoiled(Reply::OverBudget(limit))),
            Ended::Interrupted => {
                let reply = Reply::LeftOut(LeftOut::Interrupted);
                return Ok(Came::Replies(heap.iter().map(|&number| (number, reply.clone())).collect()));
            }
        };
        runner.effort.cpu += finished.cpu.unwrap_or(Duration::ZERO);
        let Some(mut errors) = told(&finished.stdout, heap)? else {
            return Ok(Came::Spoiled(Reply::LeftOut(LeftOut::Unwritable(
                "a named value that the engine does not take",
            ))));
        };
        let mut replies = match directory::read(&dir, PLAN)? {
            Some(bytes) => values(&bytes, runner.dialect.engine())?,
            None => Vec::new(),
        };
        // What is planned beside an error of the same expression is no value.
        replies.retain(|(number, _)| !errors.contains_key(number));
        while let Some((number, summaries)) = errors.pop_first() {
            replies.push((
                number,
                match summaries.contains(UNSTORED) {
                    true => Reply::LeftOut(LeftOut::Unplannable(UNSTORED)),
                    false => Reply::Errors(summaries.into_iter().collect()),
                },
            ));
        }
        Ok(if replies.is_empty() { Came::Spoiled(Reply::LeftOut(LeftOut::Unanswered)) } else { Came::Replies(replies) })
    }
}

/// The locals of all questions as code, and what gives what is unknown of them; or what cannot be written, with who asks for it.
fn written(questions: &[Question], heap: &[usize], names: Names) -> Result<(String, Option<Helper>), (usize, LeftOut)> {
    let mut known: BTreeMap<&Text, &NamedValue> = BTreeMap::new();
    let (mut code, mut unknowns) = (String::from("locals {\n"), Vec::new());
    for &number in heap {
        for named in &questions[number].scope {
            match known.insert(&named.name, named) {
                Some(other) if other != named => {
                    return Err((number, LeftOut::Unwritable("a name that means something else beside it")));
                }
                Some(_) => {}
                None => {
                    let value = local(named, names, &mut unknowns).map_err(|left_out| (number, left_out))?;
                    code.push_str(&format!("  {} = {value}\n", named.name.as_str()));
                }
            }
        }
    }
    code.push_str("}\n");
    Ok((code, helper_of(names, unknowns)))
}

fn helper_of(names: Names, unknowns: Vec<(Text, Value)>) -> Option<Helper> {
    if unknowns.is_empty() {
        return None;
    }
    let null = |(name, value): &(Text, Value)| (name.clone(), Value::null(value.ty().clone()));
    Some(Helper {
        type_name: names.helper_type(0),
        kind: ResourceKind::Managed,
        schema: computed(unknowns.iter().map(|(name, value)| (name.clone(), value.ty().clone()))),
        stored: None,
        applied: Value::object(unknowns.iter().map(null).collect()),
        planned: Value::object(unknowns),
        requires_replace: Vec::new(),
    })
}

/// A named value as code.
fn local(named: &NamedValue, names: Names, unknowns: &mut Vec<(Text, Value)>) -> Result<String, LeftOut> {
    let marks: Vec<&[WrittenStep]> = named.sensitive.iter().map(WrittenPath::steps).collect();
    part(&named.value, &marks, names, unknowns)
}

fn part(
    value: &Value,
    marks: &[&[WrittenStep]],
    names: Names,
    unknowns: &mut Vec<(Text, Value)>,
) -> Result<String, LeftOut> {
    let code = if value.is_unknown() {
        let name = format!("u{}", unknowns.len());
        unknowns.push((Text::new(&name), value.clone()));
        format!("{}.{name}", names.helper(ResourceKind::Managed, 0))
    } else if value.is_wholly_known() && marks.iter().all(|rest| rest.is_empty()) {
        Place::plain(value.view()).expression(&mut Sources::bare())?.to_code()
    } else {
        let mut parts = Vec::new();
        for (index, (step, inner)) in value.view().children().enumerate() {
            let key = match &step {
                Step::Attribute(key) | Step::Key(key) => Some(key),
                _ => None,
            };
            let leads = |step: &WrittenStep| match (step, key) {
                (WrittenStep::Attribute(name) | WrittenStep::Key(name), Some(key)) => name == key,
                (WrittenStep::Index(place), None) => *place == index as u64,
                _ => false,
            };
            let below: Vec<&[WrittenStep]> = marks
                .iter()
                .filter_map(|rest| rest.split_first().filter(|(step, _)| leads(step)).map(|(_, rest)| rest))
                .collect();
            let inner = part(&inner.to_value(), &below, names, unknowns)?;
            parts.push(match key {
                Some(key) => format!("{} = {inner}", Expression::Text(key.clone()).to_code()),
                None => inner,
            });
        }
        let list = parts.join(", ");
        match value.ty() {
            Type::Tuple(_) => format!("[{list}]"),
            Type::Object(_) => format!("{{{list}}}"),
            Type::List(_) => format!("tolist([{list}])"),
            Type::Set(_) => format!("toset([{list}])"),
            Type::Map(_) => format!("tomap({{{list}}})"),
            _ => return Err(LeftOut::Unwritable("a mark within a value that has no parts")),
        }
    };
    let is_marked = marks.iter().any(|rest| rest.is_empty());
    Ok(if is_marked { format!("sensitive({code})") } else { code })
}

fn write_files(
    dir: &crate::process::RunDir,
    questions: &[Question],
    heap: &[usize],
    locals: &str,
    helper: Option<&Helper>,
    provider_address: ProviderAddress,
) -> Result<(), EngineError> {
    let mut main = format!(
        "terraform {{\n  required_providers {{\n    {} = {{ source = \"{}\" }}\n  }}\n}}\n{locals}",
        provider_address.name(),
        provider_address.source()
    );
    if let Some(helper) = helper {
        main.push_str(&format!("resource \"{}\" \"h\" {{}}\n", helper.type_name));
    }
    directory::write_named(dir, MAIN, main.as_bytes())?;
    for &number in heap {
        let code =
            format!("resource \"terraform_data\" \"e{number}\" {{\n  input = {}\n}}\n", questions[number].expression);
        directory::write_named(dir, &format!("e{number}.tf"), code.as_bytes())?;
    }
    Ok(())
}

/// The summaries of errors by expression; nothing where one is about the named values, or it is not said of which expression it is.
fn told(stdout: &[u8], heap: &[usize]) -> Result<Option<BTreeMap<usize, BTreeSet<String>>>, EngineError> {
    let printed = Printed::read(stdout);
    if let Some(line) = printed.strange.first() {
        return Err(EngineError::Call(format!("printed {line:?}")));
    }
    let mut errors: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
    for said in printed.said {
        if said.severity != Severity::Error {
            continue;
        }
        let of_file =
            said.range.as_ref().and_then(|range| range.file.strip_prefix('e')?.strip_suffix(".tf")?.parse().ok());
        let of_address = || said.address.as_deref()?.strip_prefix("terraform_data.e")?.parse().ok();
        match of_file.or_else(of_address) {
            Some(number) => {
                errors.entry(number).or_default().insert(said.summary);
            }
            None => match unstored(&said.summary) {
                // A value that no plan file can hold, of which the engine names the first.
                Some(number) => {
                    errors.entry(number).or_default().insert(UNSTORED.to_owned());
                }
                None if said.range.as_ref().is_some_and(|range| range.file == MAIN) => return Ok(None),
                None => match heap {
                    [number] => _ = errors.entry(*number).or_default().insert(said.summary),
                    _ => return Ok(None),
                },
            },
        }
    }
    Ok(Some(errors))
}

/// The file of the named values.
const MAIN: &str = "main.tf";

const UNSTORED: &str = "a value that cannot be stored";

/// Whose value cannot be stored, of what the engine says when it cannot write its plan: `failed to encode terraform_data.e7 …`.
fn unstored(summary: &str) -> Option<usize> {
    let rest = summary.strip_prefix("failed to encode terraform_data.e")?;
    rest.split_once(' ')?.0.parse().ok()
}

/// The values that are planned.
fn values(bytes: &[u8], engine: planfuzz_core::dialect::Engine) -> Result<Vec<(usize, Reply)>, EngineError> {
    let unreadable = |problem: String| EngineError::File { what: "read", name: PLAN, problem };
    let file = PlanFile::read(bytes, engine).map_err(|problem| unreadable(problem.to_string()))?;
    let mut found = Vec::new();
    for change in &file.plan.changes {
        let Some(number) = change.addr.strip_prefix("terraform_data.e").and_then(|number| number.parse().ok()) else {
            continue;
        };
        let Some(after) = &change.values.after else { continue };
        found.push((number, value_of(after, &change.values.after_sensitive).unwrap_or(Reply::LeftOut(UNREADABLE))));
    }
    Ok(found)
}

const UNREADABLE: LeftOut = LeftOut::Unreadable("a value that a plan holds");

fn value_of(after: &[u8], sensitive: &[WrittenPath]) -> Option<Reply> {
    let ty = Type::object([
        (Text::new("id"), Type::String),
        (Text::new("input"), Type::Dynamic),
        (Text::new("output"), Type::Dynamic),
        (Text::new("triggers_replace"), Type::Dynamic),
    ]);
    let object = msgpack::decode(after, &ty).ok()?;
    let value = object.view().entry(&Text::new("input"))?.to_value();
    let inside = |path: &WrittenPath| match path.steps().split_first() {
        Some((WrittenStep::Attribute(name), rest)) if name.as_str() == "input" => Some(WrittenPath::new(rest.to_vec())),
        _ => None,
    };
    Some(Reply::Value { value, sensitive: sensitive.iter().filter_map(inside).collect() })
}
