//! The trait of planners of workspaces ([`WorkspacePlanner`]), and their answers.

use super::call::Providers;
use super::command::{Command, Import, Saved};
use super::diagnostic::Diagnostic;
use super::order::Trace;
use super::plan::Plan;
use super::state::State;
use super::workspace::Workspace;

/// Code that plans and applies whole workspaces.
pub trait WorkspacePlanner {
    /// The name in findings.
    fn name(&self) -> &str;

    /// The beginning of the summary of the error with which it reports that it does not cover a workspace; `None` if it covers all.
    fn refusal(&self) -> Option<&str> {
        None
    }

    /// The same planner with another order of visits, in which each node still comes after those that it waits for (G92b); `None` if it has
    /// no choice.
    fn in_another_order(&self, seed: u64) -> Option<Box<dyn WorkspacePlanner>> {
        let _ = seed;
        None
    }

    /// For a planner that remembers earlier plans: the planner before it has planned anything, to be used for one case. `None` for others.
    fn begin(&self) -> Option<Box<dyn WorkspacePlanner + '_>> {
        None
    }

    /// Counters of its own work since it was made, by name; empty if it has none.
    fn counted(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }

    /// The plan of a command (phases G01 to G12).
    fn plan(&self, workspace: &Workspace, providers: &mut dyn Providers) -> Planned;

    /// The apply of a plan that was saved (U02).
    fn apply(&self, workspace: &Workspace, plan: &Plan, providers: &mut dyn Providers) -> Applied;

    /// The diagnostics with which it refuses to apply a saved plan (U03, U05); empty if it applies the plan.
    fn refuses(&self, workspace: &Workspace, plan: &Plan, saved: &Saved) -> Vec<Diagnostic> {
        let _ = (workspace, plan, saved);
        vec![not_covered(self.refusal(), "saved plans")]
    }

    /// The command `refresh` (U114).
    fn refresh(&self, workspace: &Workspace, providers: &mut dyn Providers) -> Written {
        let _ = (workspace, providers);
        Written { diagnostics: vec![not_covered(self.refusal(), "the command refresh")], ..Written::default() }
    }

    /// The command `import` (U116).
    fn import(&self, workspace: &Workspace, asked: &Import, providers: &mut dyn Providers) -> Written {
        let _ = (workspace, asked, providers);
        Written { diagnostics: vec![not_covered(self.refusal(), "the command import")], ..Written::default() }
    }
}

/// The error of a planner that does not have a command; for a planner that never refuses, it is a wrong answer.
fn not_covered(refusal: Option<&str>, what: &str) -> Diagnostic {
    Diagnostic::error(format!("{}{what}", refusal.unwrap_or("This planner does not have ")))
}

impl WorkspacePlanner for Box<dyn WorkspacePlanner + '_> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn refusal(&self) -> Option<&str> {
        (**self).refusal()
    }

    fn in_another_order(&self, seed: u64) -> Option<Box<dyn WorkspacePlanner>> {
        (**self).in_another_order(seed)
    }

    fn begin(&self) -> Option<Box<dyn WorkspacePlanner + '_>> {
        (**self).begin()
    }

    fn counted(&self) -> Vec<(&'static str, u64)> {
        (**self).counted()
    }

    fn plan(&self, workspace: &Workspace, providers: &mut dyn Providers) -> Planned {
        (**self).plan(workspace, providers)
    }

    fn apply(&self, workspace: &Workspace, plan: &Plan, providers: &mut dyn Providers) -> Applied {
        (**self).apply(workspace, plan, providers)
    }

    fn refuses(&self, workspace: &Workspace, plan: &Plan, saved: &Saved) -> Vec<Diagnostic> {
        (**self).refuses(workspace, plan, saved)
    }

    fn refresh(&self, workspace: &Workspace, providers: &mut dyn Providers) -> Written {
        (**self).refresh(workspace, providers)
    }

    fn import(&self, workspace: &Workspace, asked: &Import, providers: &mut dyn Providers) -> Written {
        (**self).import(workspace, asked, providers)
    }
}

/// The result of planning.
#[derive(Clone, Debug, Default)]
pub struct Planned {
    /// The plan; `None` if none is written (G10).
    pub plan: Option<Plan>,
    /// Errors and warnings, in any order.
    pub diagnostics: Vec<Diagnostic>,
    /// The calls and their order.
    pub trace: Trace,
}

/// The result of an apply.
#[derive(Clone, Debug, Default)]
pub struct Applied {
    /// The state afterwards.
    pub state: State,
    /// Errors and warnings, in any order.
    pub diagnostics: Vec<Diagnostic>,
    /// The calls and their order.
    pub trace: Trace,
}

/// The result of a command that writes a state and no plan.
#[derive(Clone, Debug, Default)]
pub struct Written {
    /// The state afterwards; `None` if none is written.
    pub state: Option<State>,
    /// Errors and warnings, in any order.
    pub diagnostics: Vec<Diagnostic>,
    /// The calls and their order.
    pub trace: Trace,
}

/// What a planner did for a command.
#[derive(Clone, Copy, Debug)]
pub struct Done<'a> {
    /// The command.
    pub command: &'a Command,
    /// What was planned; of a command that makes no plan, its calls and diagnostics.
    pub planned: &'a Planned,
    /// The apply, if there was one.
    pub applied: Option<&'a Applied>,
    /// The state that a command wrote without a plan.
    pub written: Option<&'a State>,
}

/// The error among the diagnostics with which a planner reports that it does not cover a workspace, if there is one.
pub fn refused<'d>(planner: &dyn WorkspacePlanner, diagnostics: &'d [Diagnostic]) -> Option<&'d str> {
    let refusal = planner.refusal()?;
    diagnostics.iter().find(|one| one.is_error() && one.summary.starts_with(refusal)).map(|one| one.summary.as_str())
}

impl Planned {
    /// Whether there are errors.
    pub fn is_errored(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }

    /// The exit status with `-detailed-exitcode` (U120 to U122).
    pub fn exit(&self) -> i64 {
        match &self.plan {
            _ if self.is_errored() => 1,
            Some(plan) if plan.applyable => 2,
            _ => 0,
        }
    }
}

impl Applied {
    /// The exit status (U120, U121).
    pub fn exit(&self) -> i64 {
        i64::from(self.diagnostics.iter().any(Diagnostic::is_error))
    }
}
