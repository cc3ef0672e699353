//! Groups walks into runs, and divides runs that fail.
//!
//! Problem: starting an engine costs more than what one walk asks of it, and one walk can make a run fail for all others. Idea: walks that
//! agree in what a run has once share it, and a run that fails is divided. Guarantee: each walk has an outcome, and a failure is that of a
//! walk that was alone in its run.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use planfuzz_core::address::ResourceKind;
use planfuzz_core::planner::{Exchange, Presence, Provider};
use planfuzz_core::schema::{Schema, nested_sets};
use planfuzz_core::state::InstanceState;
use planfuzz_core::value::Type;

use super::EngineError;
use super::runner::Runner;
use super::states::stored;
use crate::job::{Expectation, Job, LeftOut, WalkOutcome};
use crate::provider_address::ProviderAddress;
use crate::wire::servable;
use crate::workdir::{ConfigurationFiles, Names};

/// A kind of walk.
pub(super) trait Walk: Clone {
    /// Its answer.
    type Answer;

    /// What walks must agree in to share a run.
    type Run: Ord + Copy;

    /// The run that this walk belongs to.
    fn run(&self) -> Self::Run;

    /// How many walks are in one run at most.
    fn most(runner: &Runner) -> usize;

    /// The walk as configuration files.
    fn configuration_files(&self, names: Names, schema: &Schema) -> Result<ConfigurationFiles, LeftOut>;

    /// What the engine has stored of the instance.
    fn stored(&self) -> (ResourceKind, &InstanceState);

    /// What is configured.
    fn presence(&self) -> &Presence;

    /// Makes one run.
    fn attempt(
        runner: &mut Runner,
        run: Self::Run,
        walks: &[WalkInRun<'_, Self>],
    ) -> Result<Attempt<Self::Answer>, EngineError>;
}

/// A walk in a run.
pub(super) struct WalkInRun<'a, R> {
    /// The walk.
    pub(super) request: &'a R,
    /// The schema.
    pub(super) schema: &'a Arc<Schema>,
    /// The type that it implies.
    pub(super) ty: Type,
    /// The walk as configuration files.
    pub(super) configuration_files: ConfigurationFiles,
    /// The provider of this run.
    pub(super) provider: Arc<Mutex<dyn Provider + Send>>,
}

/// The outcome of a run.
pub(super) enum Attempt<T> {
    /// The end of each walk.
    Each(Vec<End<T>>),
    /// The run failed, and the walk that caused it is unknown. With the calls of each walk before that.
    Spoiled(Spoiled, Vec<Vec<Exchange>>),
    /// It reported something about one walk, without naming the walk.
    Unclear,
    /// It was stopped from outside.
    Interrupted,
}

/// The outcome of a run for one walk.
pub(super) enum End<T> {
    /// An answer, and the calls before it.
    Answer(T, Vec<Exchange>),
    /// No answer, for a reason of the walk's own.
    LeftOut(LeftOut),
    /// No answer: another walk spoiled the run.
    Again,
}

/// How a run failed.
#[derive(Clone, Debug)]
pub(super) enum Spoiled {
    /// The engine crashed.
    Crashed {
        /// The crash site.
        site: String,
        /// The message of the crash.
        message: String,
    },
    /// The engine did not end.
    TimedOut(Duration),
}

/// Runs all walks until each has its outcome.
pub(super) fn all<R: Walk, P: Provider + Clone + Send + 'static>(
    runner: &mut Runner,
    jobs: &[Job<R, P>],
) -> Result<Vec<WalkOutcome<R::Answer, P>>, EngineError> {
    let most = R::most(runner);
    let mut settling = Settling { runner, jobs, outcomes: jobs.iter().map(|_| None).collect() };
    for (run, members) in settling.shared() {
        for group in members.chunks(most) {
            settling.group(run, group.to_vec())?;
        }
    }
    Ok(settling
        .outcomes
        .into_iter()
        .map(|outcome| outcome.unwrap_or(WalkOutcome::LeftOut(LeftOut::Interrupted)))
        .collect())
}

struct Settling<'a, R: Walk, P> {
    runner: &'a mut Runner,
    jobs: &'a [Job<R, P>],
    outcomes: Vec<Option<WalkOutcome<R::Answer, P>>>,
}

/// What is left to do after a run.
enum Left {
    /// These walks have no answer yet.
    Again(Vec<usize>),
    /// No walk has an answer, and the one that caused this is unknown.
    Divide,
    /// Everything should stop.
    Nothing,
}

impl<R: Walk, P: Provider + Clone + Send + 'static> Settling<'_, R, P> {
    /// The walks by the runs that they can share. One that ends its run before anything is planned is alone in its own, and so is one
    /// that may take longer than a run may.
    fn shared(&mut self) -> Vec<(R::Run, Vec<usize>)> {
        let mut shared: BTreeMap<(R::Run, Expectation), Vec<usize>> = BTreeMap::new();
        let mut alone = Vec::new();
        for (index, job) in self.jobs.iter().enumerate() {
            match self.configuration_files(index, 0) {
                Ok(configuration_files)
                    if let Err(reason) = stored(&configuration_files, &job.schema, self.runner.dialect) =>
                {
                    self.outcomes[index] = Some(WalkOutcome::LeftOut(reason));
                }
                Ok(configuration_files)
                    if configuration_files.alone
                        || job.expectation == Expectation::Fatal
                        || nested_sets::are_deep(&job.schema) =>
                {
                    alone.push((job.request.run(), vec![index]))
                }
                Ok(_) => shared.entry((job.request.run(), job.expectation)).or_default().push(index),
                Err(reason) => self.outcomes[index] = Some(WalkOutcome::LeftOut(reason)),
            }
        }
        shared.into_iter().map(|((run, _), members)| (run, members)).chain(alone).collect()
    }

    /// The files of a walk as the one of this number in its run.
    fn configuration_files(&self, index: usize, number: usize) -> Result<ConfigurationFiles, LeftOut> {
        let job = &self.jobs[index];
        servable(&job.schema, job.protocol, self.runner.dialect)?;
        let provider_address =
            ProviderAddress { protocol: job.protocol, plan_destroy: job.provider.capabilities().plan_destroy };
        job.request
            .configuration_files(Names { provider_address, job: number, dialect: self.runner.dialect }, &job.schema)
    }

    /// Makes runs of these walks until each has its answer: each is of fewer than the one before it.
    fn group(&mut self, run: R::Run, members: Vec<usize>) -> Result<(), EngineError> {
        let mut waiting = vec![members];
        while let Some(members) = waiting.pop() {
            if self.runner.options.stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            match self.attempt(run, &members)? {
                Left::Again(again) if again.is_empty() => {}
                Left::Again(again) if again.len() < members.len() => waiting.push(again),
                Left::Again(_) | Left::Divide => {
                    let (left, right) = members.split_at(members.len().div_ceil(2));
                    waiting.extend([right.to_vec(), left.to_vec()]);
                }
                Left::Nothing => return Ok(()),
            }
        }
        Ok(())
    }

    /// Makes one run.
    fn attempt(&mut self, run: R::Run, members: &[usize]) -> Result<Left, EngineError> {
        let traces: Vec<Arc<Mutex<P>>> =
            members.iter().map(|index| Arc::new(Mutex::new(self.jobs[*index].provider.clone()))).collect();
        let mut walks = Vec::with_capacity(members.len());
        for (number, (index, live)) in members.iter().zip(&traces).enumerate() {
            let job = &self.jobs[*index];
            let configuration_files = match self.configuration_files(*index, number) {
                Ok(configuration_files) => configuration_files,
                Err(reason) => {
                    self.outcomes[*index] = Some(WalkOutcome::LeftOut(reason));
                    // In a run without it each end would belong to the member before its own.
                    return Ok(Left::Again(members.iter().copied().filter(|other| other != index).collect()));
                }
            };
            let ty = job.schema.implied_type(self.runner.dialect);
            walks.push(WalkInRun {
                request: &job.request,
                schema: &job.schema,
                ty,
                configuration_files,
                provider: live.clone(),
            });
        }
        let attempt = R::attempt(self.runner, run, &walks)?;
        drop(walks);
        let mut again = Vec::new();
        match attempt {
            Attempt::Each(ends) => {
                for ((index, live), end) in members.iter().zip(traces).zip(ends) {
                    match end {
                        End::Answer(answer, exchanges) => {
                            let provider = live.lock().unwrap_or_else(PoisonError::into_inner).clone();
                            self.outcomes[*index] = Some(WalkOutcome::Answer { answer, exchanges, provider });
                        }
                        End::LeftOut(reason) => self.outcomes[*index] = Some(WalkOutcome::LeftOut(reason)),
                        // Without other walks in the run, the walk itself is the cause.
                        End::Again if members.len() == 1 => {
                            self.outcomes[*index] = Some(WalkOutcome::LeftOut(LeftOut::Unanswered));
                        }
                        End::Again => again.push(*index),
                    }
                }
                Ok(Left::Again(again))
            }
            Attempt::Spoiled(spoiled, mut asked) => match members {
                [index] => {
                    let exchanges = asked.pop().unwrap_or_default();
                    self.outcomes[*index] = Some(spoiled.outcome(exchanges));
                    Ok(Left::Again(again))
                }
                _ => Ok(Left::Divide),
            },
            Attempt::Unclear => Ok(Left::Divide),
            Attempt::Interrupted => Ok(Left::Nothing),
        }
    }
}

impl Spoiled {
    /// The outcome of a walk that was alone in its run.
    fn outcome<T, P>(self, exchanges: Vec<Exchange>) -> WalkOutcome<T, P> {
        match self {
            Spoiled::Crashed { site, message } => WalkOutcome::Crashed { site, message, exchanges },
            Spoiled::TimedOut(limit) => WalkOutcome::OverBudget { limit },
        }
    }
}
