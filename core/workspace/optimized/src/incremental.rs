//! The optimized planner as a user who edits a workspace uses it: each workspace is planned from the one before it, there, back and there
//! again. It tests the sessions: their plans are compared with plans that others make from scratch.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use planfuzz_workspace::{
    Applied, Diagnostic, Import, Plan, Planned, Providers, Saved, Workspace, WorkspacePlanner, Written,
};

use crate::edits::{Edit, between};
use crate::session::{Library, Replanned, Session};
use crate::walk::Calls;
use crate::{Optimized, command, commands};

/// How often plans were made again, in part or as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// In part.
    pub parts: u64,
    /// As a whole, by the reason.
    pub wholes: BTreeMap<&'static str, u64>,
}

impl Counts {
    fn whole(&mut self, reason: &'static str) {
        *self.wholes.entry(reason).or_default() += 1;
    }
}

/// The planner; each case is begun with one that remembers ([`Remembering`]).
#[derive(Clone, Copy, Debug, Default)]
pub struct Incremental;

/// The planner that remembers the last workspace. Its plans depend on all workspaces that it planned before, in their order, so that each
/// case begins with a new one.
#[derive(Debug, Default)]
pub struct Remembering {
    last: Mutex<(Option<Workspace>, Counts)>,
}

impl Remembering {
    /// How often plans were made again since it was made.
    pub fn counts(&self) -> Counts {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).1.clone()
    }
}

/// The counter of plans that were made again in part; all others count as whole, by their reason.
pub const IN_PART: &str = "in part";

/// The name of both planners.
const NAME: &str = "incremental";

impl WorkspacePlanner for Incremental {
    fn name(&self) -> &str {
        NAME
    }

    fn begin(&self) -> Option<Box<dyn WorkspacePlanner + '_>> {
        Some(Box::new(Remembering::default()))
    }

    fn plan(&self, workspace: &Workspace, providers: &mut dyn Providers) -> Planned {
        Remembering::default().plan(workspace, providers)
    }

    fn apply(&self, workspace: &Workspace, plan: &Plan, providers: &mut dyn Providers) -> Applied {
        Optimized.apply(workspace, plan, providers)
    }

    fn refuses(&self, workspace: &Workspace, plan: &Plan, saved: &Saved) -> Vec<Diagnostic> {
        Optimized.refuses(workspace, plan, saved)
    }

    fn refresh(&self, workspace: &Workspace, providers: &mut dyn Providers) -> Written {
        Remembering::default().refresh(workspace, providers)
    }

    fn import(&self, workspace: &Workspace, asked: &Import, providers: &mut dyn Providers) -> Written {
        Optimized.import(workspace, asked, providers)
    }
}

impl WorkspacePlanner for Remembering {
    fn name(&self) -> &str {
        NAME
    }

    fn counted(&self) -> Vec<(&'static str, u64)> {
        let Counts { parts, wholes } = self.counts();
        [(IN_PART, parts)].into_iter().chain(wholes).filter(|(_, count)| *count > 0).collect()
    }

    fn plan(&self, workspace: &Workspace, providers: &mut dyn Providers) -> Planned {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let before = last.0.replace(workspace.clone());
        let library = Library::default();
        let Some(before) = before.filter(|before| before.dialect == workspace.dialect) else {
            let mut session = Session::new(&library, workspace.clone());
            session.plan(providers);
            last.1.whole("nothing was planned before");
            return session.planned();
        };
        let there = between(&before, workspace);
        let back = between(workspace, &before);
        let mut session = Session::new(&library, before);
        session.plan(providers);
        for edits in [&there, &back, &there] {
            match replan(&mut session, edits, providers) {
                Some(Replanned::Part(_)) => last.1.parts += 1,
                Some(Replanned::Whole(reason)) => last.1.whole(reason),
                // A file that was in a workspace is not too large.
                None => {
                    last.1.whole("a file that is too large");
                    return command::plan(workspace, Calls::new(providers));
                }
            }
        }
        session.planned()
    }

    fn apply(&self, workspace: &Workspace, plan: &Plan, providers: &mut dyn Providers) -> Applied {
        Optimized.apply(workspace, plan, providers)
    }

    fn refuses(&self, workspace: &Workspace, plan: &Plan, saved: &Saved) -> Vec<Diagnostic> {
        Optimized.refuses(workspace, plan, saved)
    }

    /// A refresh is a plan (U114), so it is one more that is made from the one before it.
    fn refresh(&self, workspace: &Workspace, providers: &mut dyn Providers) -> Written {
        commands::refreshed(workspace, |workspace| self.plan(workspace, providers))
    }

    /// The plan of an import is not kept, so that nothing is made again: the next plan is made from the plan before the import.
    fn import(&self, workspace: &Workspace, asked: &Import, providers: &mut dyn Providers) -> Written {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).1.whole("the command import");
        Optimized.import(workspace, asked, providers)
    }
}

fn replan(session: &mut Session<'_>, edits: &[Edit], providers: &mut dyn Providers) -> Option<Replanned> {
    edits.iter().try_for_each(|edit| session.edit(edit.clone())).ok()?;
    Some(session.replan(providers))
}
