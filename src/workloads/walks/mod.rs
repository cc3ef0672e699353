//! Walks: what planning and applying one instance costs the planner, without the provider's part.
//!
//! The provider of each walk is a script ([`Replay`]): its answers exist before the clock starts. Its requests are
//! kept, and compared with those of the first time the script was played; a walk that makes any other request fails.

mod alone;
mod replay;
mod script;
#[cfg(test)]
mod tests;

use std::fmt;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{Applied, ApplyRequest, Plan, PlanRequest, Planner, Prepared, Refusal};
use planfuzz_core::plans::Action;
use planfuzz_core::state::Stored;
use planfuzz_core::value::Type;
use planfuzz_optimized::Optimized;

pub use replay::{Departure, Replay};

use super::{Computed, Workload, block_tree, flat, list_blocks, mixed, set_blocks};
use crate::case::MergeCall;
use crate::case::lifecycle::{Form, ProviderRequest};

/// The walks that are timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimedWalk {
    /// The plan of an instance that is not there yet.
    Create,
    /// The plan of a change in place.
    Update,
    /// The plan of a replacement: the provider is asked twice (L47).
    Replace,
    /// The plan of an instance that needs no change.
    NoOp,
    /// The plan that destroys an instance, its refresh before included (L152).
    Destroy,
    /// The apply of [`TimedWalk::Update`].
    ApplyUpdate,
}

impl TimedWalk {
    /// All of them, in the order of the tables.
    pub const ALL: [TimedWalk; 6] = [
        TimedWalk::Create,
        TimedWalk::Update,
        TimedWalk::Replace,
        TimedWalk::NoOp,
        TimedWalk::Destroy,
        TimedWalk::ApplyUpdate,
    ];

    /// The action of its plan; `None` for an apply.
    pub fn action(self) -> Option<Action> {
        match self {
            TimedWalk::Create => Some(Action::Create),
            TimedWalk::Update => Some(Action::Update),
            TimedWalk::Replace => Some(Action::DeleteThenCreate),
            TimedWalk::NoOp => Some(Action::NoOp),
            TimedWalk::Destroy => Some(Action::Delete),
            TimedWalk::ApplyUpdate => None,
        }
    }
}

/// The name in tables.
impl fmt::Display for TimedWalk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TimedWalk::Create => "plan_create",
            TimedWalk::Update => "plan_update",
            TimedWalk::Replace => "plan_replace",
            TimedWalk::NoOp => "plan_no_op",
            TimedWalk::Destroy => "plan_destroy",
            TimedWalk::ApplyUpdate => "apply_update",
        })
    }
}

/// One walk on one workload.
#[derive(Clone, Debug)]
pub struct WalkWorkload {
    /// The schema and the values.
    pub workload: Workload,
    /// What is done with them.
    pub walk: TimedWalk,
    /// What the provider was asked when the script was first played.
    recorded: Vec<ProviderRequest>,
}

/// Why a walk does not do what it is timed for.
#[derive(Clone, Debug, thiserror::Error)]
pub enum WalkFault {
    /// The planner refused.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The provider was asked for something else.
    #[error(transparent)]
    Departed(#[from] Departure),
    /// The provider was asked the right call about other values.
    #[error("request {number} ({call}) is not as it was recorded")]
    OtherRequest {
        /// The number of the request, from one.
        number: usize,
        /// The name of the call.
        call: &'static str,
    },
    /// The walk ended with another result than intended.
    #[error("{walk} ended with {outcome}")]
    OtherOutcome {
        /// The walk.
        walk: TimedWalk,
        /// Its result: the first diagnostic, or the whole answer.
        outcome: String,
    },
}

impl WalkWorkload {
    /// All walks on the workloads that the tables list, small ones before large ones.
    ///
    /// # Errors
    /// As [`WalkWorkload::new`].
    pub fn all() -> Result<Vec<WalkWorkload>, WalkFault> {
        let workloads = [
            flat(),
            mixed(),
            set_blocks(100, Computed::First),
            set_blocks(1_000, Computed::First),
            list_blocks(1_000),
            block_tree(6, 3),
        ];
        workloads.into_iter().flat_map(WalkWorkload::of).collect()
    }

    /// All walks on one workload.
    pub fn of(workload: Workload) -> impl Iterator<Item = Result<WalkWorkload, WalkFault>> {
        TimedWalk::ALL.into_iter().map(move |walk| WalkWorkload::new(workload.clone(), walk))
    }

    /// A walk on a workload. It is walked once, by the optimized planner, to record what a provider is asked: every other
    /// planner has to ask the same.
    ///
    /// # Errors
    /// A walk that does not do what it is timed for.
    pub fn new(workload: Workload, walk: TimedWalk) -> Result<WalkWorkload, WalkFault> {
        let schema = workload.merge.schema.clone();
        let planner = Optimized.prepare(&schema, workload.dialect());
        let mut new = WalkWorkload { workload, walk, recorded: Vec::new() };
        new.recorded = new.play(&*planner)?;
        Ok(new)
    }

    /// Walks once and compares the result, and the provider's requests, with the intended ones.
    ///
    /// # Errors
    /// The first difference.
    pub fn check(&self, planner: &dyn Prepared) -> Result<(), WalkFault> {
        let ty = self.ty();
        let asked = self.play(planner)?;
        for (place, (asked, recorded)) in asked.iter().zip(&self.recorded).enumerate() {
            if asked.to_form(&ty) != recorded.to_form(&ty) {
                return Err(WalkFault::OtherRequest { number: place + 1, call: asked.call() });
            }
        }
        Ok(())
    }

    /// The walk with values that share nothing with any other walk's, nor with one another, so that nothing is cached
    /// in them.
    pub fn fresh(&self) -> WalkRun {
        WalkRun {
            question: script::question(&self.workload, self.walk),
            provider: Replay::new(script::answers(&self.workload, self.walk)),
        }
    }

    /// The merge operations that the walk performs, on values of their own.
    pub fn merge_alone(&self) -> Vec<MergeCall> {
        alone::calls(&self.workload, self.walk)
    }

    /// What a provider is asked in the walk, in order.
    pub fn recorded(&self) -> &[ProviderRequest] {
        &self.recorded
    }

    /// The dialect that the walk is asked in.
    pub fn dialect(&self) -> Dialect {
        self.workload.dialect()
    }

    fn ty(&self) -> Type {
        self.workload.merge.schema.implied_type(self.dialect())
    }

    fn play(&self, planner: &dyn Prepared) -> Result<Vec<ProviderRequest>, WalkFault> {
        let mut run = self.fresh();
        let walked = run.walk(planner)?;
        let asked = run.finish()?;
        self.expect(&walked)?;
        Ok(asked)
    }

    /// Checks the planned action, or the saved object, and that there are no diagnostics.
    fn expect(&self, walked: &Walked) -> Result<(), WalkFault> {
        let other = |outcome: String| Err(WalkFault::OtherOutcome { walk: self.walk, outcome });
        let (diagnostics, holds) = match walked {
            Walked::Plan(plan) => {
                let actions: Vec<Action> = plan.changes.iter().map(|change| change.change.action).collect();
                (&plan.diagnostics, self.walk.action().is_some_and(|action| actions == [action]))
            }
            Walked::Applied(applied) => (&applied.diagnostics, self.is_saved(applied)),
        };
        match (diagnostics.first(), holds) {
            (Some(diagnostic), _) => other(diagnostic.summary.to_string()),
            (None, false) => other(format!("{walked:?}")),
            (None, true) => Ok(()),
        }
    }

    fn is_saved(&self, applied: &Applied) -> bool {
        let saved = applied.state.current.as_ref().map(|object| &object.stored);
        let actual = &self.workload.merge.actual;
        self.walk.action().is_none() && matches!(saved, Some(Stored::Value(value)) if value == actual)
    }
}

/// A walk that is ready to go, with a provider that answers it.
#[derive(Debug)]
pub struct WalkRun {
    question: Question,
    provider: Replay,
}

/// What the planner is asked.
#[derive(Debug)]
enum Question {
    Plan(Box<PlanRequest>),
    Apply(Box<ApplyRequest>),
}

/// The result of a walk.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "a box would be made while the clock runs")]
pub enum Walked {
    /// Of a plan walk.
    Plan(Plan),
    /// Of an apply walk.
    Applied(Applied),
}

impl WalkRun {
    /// Walks: what is timed.
    ///
    /// # Errors
    /// Refuses where the planner does.
    pub fn walk(&mut self, planner: &dyn Prepared) -> Result<Walked, Refusal> {
        match &self.question {
            Question::Plan(request) => planner.plan(request, &mut self.provider).map(Walked::Plan),
            Question::Apply(request) => planner.apply(request, &mut self.provider).map(Walked::Applied),
        }
    }

    /// The provider's requests, if the walk followed the script from beginning to end.
    ///
    /// # Errors
    /// As [`Replay::finish`].
    pub fn finish(self) -> Result<Vec<ProviderRequest>, Departure> {
        self.provider.finish()
    }
}
