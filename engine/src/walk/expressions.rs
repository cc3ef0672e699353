//! Evaluates expressions with an engine, many in one run: each is an input of a resource of the engine's own, so that the plan file has its
//! value with refinements and marks ([`pieces`]).
//!
//! Named values are locals ([`scope`]). A helper's provider plans their unknown parts, exactly as wanted; to the static validation these
//! have no known type. An error stops a run before the plan: the next run leaves out the expressions that have one.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use planfuzz_core::address::ResourceKind;
use planfuzz_core::schema::Schema;
use planfuzz_core::state::InstanceState;
use planfuzz_core::value::{Text, Value, WrittenPath};

use super::directory::{self, PLAN};
use super::{Engine, EngineError};
use crate::helper::Helper;
use crate::job::LeftOut;
use crate::process::{RunDir, RunOutcome, RunRequest, run};
use crate::provider_address::{Protocol, ProviderAddress};
use crate::server::{Log, Served, ServedTypes};
use crate::workdir::Names;
use pieces::{MAIN, Pieces, RunReplies};
use scope::written;
use unused_provider::UnusedProvider;

mod pieces;
mod scope;
mod unused_provider;

/// A named value, with its sensitive parts.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedValue {
    /// The name, which expressions call `local.NAME`.
    pub name: Text,
    /// The value.
    pub value: Value,
    /// The places of marks.
    pub sensitive: planfuzz_core::value::PathSet,
}

/// An expression and the values of the names in it.
#[derive(Clone, Debug)]
pub struct Question {
    /// The named values. A name means the same in all questions that are asked together.
    pub scope: Vec<NamedValue>,
    /// The expression, in native syntax.
    pub expression: String,
    /// Whether it parses, as far as the caller knows: then it shares a resource with others.
    pub is_readable: bool,
}

/// An engine's result for an expression.
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
    /// The engine crashed on this expression alone.
    Crashed(String),
    /// The engine did not finish with this expression alone.
    OverBudget(Duration),
    /// It was not evaluated, or has no answer.
    LeftOut(LeftOut),
}

/// The outcome of one run.
enum EvaluationOutcome {
    /// Replies for some expressions, and those to evaluate apart; those without a reply are evaluated again.
    Answered(RunReplies),
    /// The run failed, and no expression can be blamed.
    Spoiled(Reply),
}

impl Engine {
    /// Evaluates expressions; returns a reply for each, in their order.
    ///
    /// # Errors
    /// The engine cannot be run: no expression has a reply.
    pub fn expressions(&mut self, questions: &[Question]) -> Result<Vec<Reply>, EngineError> {
        let mut replies: Vec<Option<Reply>> = vec![None; questions.len()];
        let mut apart: BTreeSet<usize> = BTreeSet::new();
        let mut heaps: Vec<Vec<usize>> = vec![(0..questions.len()).collect()];
        while let Some(mut heap) = heaps.pop() {
            heap.retain(|&number| replies[number].is_none());
            if heap.is_empty() {
                continue;
            }
            match self.expressions_once(questions, &heap, &apart)? {
                EvaluationOutcome::Answered(found) if !found.replies.is_empty() || !found.apart.is_subset(&apart) => {
                    for (number, reply) in found.replies {
                        replies[number] = Some(reply);
                    }
                    apart.extend(found.apart);
                    heaps.push(heap);
                }
                EvaluationOutcome::Spoiled(reply) if heap.len() == 1 => replies[heap[0]] = Some(reply),
                EvaluationOutcome::Answered(_) if heap.len() == 1 => {
                    replies[heap[0]] = Some(Reply::LeftOut(LeftOut::Unanswered))
                }
                _ => {
                    let rest = heap.split_off(heap.len() / 2);
                    heaps.extend([rest, heap]);
                }
            }
        }
        Ok(replies.into_iter().map(|reply| reply.unwrap_or(Reply::LeftOut(LeftOut::Unanswered))).collect())
    }

    fn expressions_once(
        &mut self,
        questions: &[Question],
        heap: &[usize],
        apart: &BTreeSet<usize>,
    ) -> Result<EvaluationOutcome, EngineError> {
        let runner = &mut self.runner;
        let provider_address = ProviderAddress { protocol: Protocol::Six, plan_destroy: false };
        let names = Names { provider_address, job: 0, dialect: runner.dialect };
        let of_all = |reply: &Reply| heap.iter().map(|&number| (number, reply.clone())).collect();
        let found = |replies| Ok(EvaluationOutcome::Answered(RunReplies { replies, ..RunReplies::default() }));
        let (locals, helper) = match written(questions, heap, names) {
            Ok(written) => written,
            Err((number, left_out)) => return found(vec![(number, Reply::LeftOut(left_out))]),
        };
        let pieces = Pieces::new(questions, heap, apart);
        let dir = runner.runs.make()?;
        write_files(&dir, &pieces, &locals, helper.as_ref(), provider_address)?;
        runner.server.serve(ServedTypes {
            dialect: runner.dialect,
            served: vec![Served {
                type_name: names.type_name(),
                provider_address,
                kind: ResourceKind::Managed,
                schema: Arc::new(Schema::default()),
                provider: Arc::new(Mutex::new(UnusedProvider)),
                state: InstanceState::default(),
                validates_block: false,
                helpers: helper.into_iter().collect(),
            }],
        })?;
        let reattach = runner.server.reattach();
        let count = u32::try_from(heap.len()).unwrap_or(u32::MAX);
        let ended = run(&RunRequest {
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
            RunOutcome::Finished(finished) => finished,
            RunOutcome::Crashed(crash) => return Ok(EvaluationOutcome::Spoiled(Reply::Crashed(crash.site))),
            RunOutcome::TimedOut { limit } => return Ok(EvaluationOutcome::Spoiled(Reply::OverBudget(limit))),
            RunOutcome::Interrupted => return found(of_all(&Reply::LeftOut(LeftOut::Interrupted))),
        };
        runner.effort.cpu += finished.cpu.unwrap_or(Duration::ZERO);
        let assigned = pieces.assigned_errors(&finished.stdout)?;
        if assigned.is_spoiled() {
            return Ok(EvaluationOutcome::Spoiled(Reply::LeftOut(LeftOut::Unwritable(
                "a named value that the engine does not take",
            ))));
        }
        let plan = directory::read(&dir, PLAN)?;
        Ok(EvaluationOutcome::Answered(pieces.found(assigned, plan.as_deref(), runner.dialect.engine())?))
    }
}

fn write_files(
    dir: &RunDir,
    pieces: &Pieces,
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
    pieces.0.iter().try_for_each(|piece| directory::write_named(dir, &piece.file.0, piece.file.1.as_bytes()))
}
