//! The reference planner of whole workspaces: workspace-plan.md and workspace-apply.md as code, in their order and words.
//!
//! It is written to be read beside the specification. For each instance it calls the reference planner of instances with the facts that a
//! workspace computes. It keeps nothing from one call to the next, and shares only data with other planners.
//!
//! | file | rules |
//! | --- | --- |
//! | `phases`, `early_checks`, `plan_graphs` | section 2: phases of a plan, checks before a walk, the graphs of its walks |
//! | `layout`, `graph`, `references`, `late_edges` | section 5: blocks, nodes, edges |
//! | `crossings` | U36: edges of an apply that would close a cycle between providers |
//! | `statements`, `moves`, `move_checks` | section 3 |
//! | `imports`, `import_walk` | section 4, forced replacements |
//! | `commands` | `refresh`, `import`, and why a saved plan is refused |
//! | `walk`, `blocks`, `instances`, `facts`, `gone` | sections 6, 9 to 11: a walk, its blocks, instances and orphans |
//! | `pending` | section 7: data resources |
//! | `relevant` | section 12: relevant attributes |
//! | `targets` | section 8 |
//! | `room` | how much a walk may expand and list |
//! | `named`, `expansion`, `conditions`, `checks` | variables, locals, outputs; calls, repetition, providers; conditions and checks |
//! | `values`, `body`, `marks`, `evaluation` | the values that expressions see, and how they are evaluated |
//! | `applying`, `apply_graph`, `legs` | workspace-apply.md: nodes and order, legs |

#![forbid(unsafe_code)]

/// Always false in ordinary builds; a function, so that conditions written with it are not taken for mistakes in logic.
#[cfg(not(feature = "faults"))]
#[inline(always)]
const fn nothing_is_planted() -> bool {
    false
}

/// Whether a mistake is planted here; never without the feature `faults`.
macro_rules! fault {
    ($name:ident) => {{
        #[cfg(feature = "faults")]
        let planted = crate::faults::is_planted(crate::faults::Fault::$name);
        #[cfg(not(feature = "faults"))]
        let planted = crate::nothing_is_planted();
        planted
    }};
    ($name:ident, in turns) => {{
        #[cfg(feature = "faults")]
        let planted = crate::faults::is_planted_in_turns(crate::faults::Fault::$name);
        #[cfg(not(feature = "faults"))]
        let planted = crate::nothing_is_planted();
        planted
    }};
}

mod across;
mod apply_graph;
mod applying;
mod asked;
mod blocks;
mod body;
mod checks;
mod commands;
mod conditions;
mod crossings;
mod diagnostics;
mod dynamic;
mod early_checks;
mod ephemeral;
mod evaluation;
mod expansion;
mod facts;
#[cfg(feature = "faults")]
pub mod faults;
mod gone;
mod graph;
mod import_walk;
mod imports;
mod instances;
mod late_edges;
mod layout;
mod legs;
mod marks;
mod move_checks;
mod moves;
mod named;
mod names;
mod nests;
mod own_references;
mod pending;
mod phases;
mod plan_graphs;
mod reference_faults;
mod references;
mod relevant;
mod results;
mod room;
mod statements;
mod targets;
mod triggers;
mod values;
mod walk;

use asked::Calls;
use planfuzz_workspace::{
    Applied, Diagnostic, Import, Plan, Planned, Providers, Saved, Workspace, WorkspacePlanner, Written,
};

/// The reference planner of workspaces.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reference;

/// The same planner with another order of visits, in which each node still comes after those that it waits for; its results must be the
/// same (G92b).
#[derive(Clone, Copy, Debug)]
pub struct Shuffled(pub u64);

impl WorkspacePlanner for Reference {
    fn name(&self) -> &str {
        "reference"
    }

    fn in_another_order(&self, seed: u64) -> Option<Box<dyn WorkspacePlanner>> {
        Some(Box::new(Shuffled(seed)))
    }

    fn plan(&self, workspace: &Workspace, providers: &mut dyn Providers) -> Planned {
        phases::plan(workspace, &mut Calls::new(providers))
    }

    fn apply(&self, workspace: &Workspace, plan: &Plan, providers: &mut dyn Providers) -> Applied {
        applying::apply(workspace, plan, &mut Calls::new(providers))
    }

    fn refuses(&self, workspace: &Workspace, plan: &Plan, saved: &Saved) -> Vec<Diagnostic> {
        commands::refused(workspace, plan, saved)
    }

    fn refresh(&self, workspace: &Workspace, providers: &mut dyn Providers) -> Written {
        commands::refresh(workspace, &mut Calls::new(providers))
    }

    fn import(&self, workspace: &Workspace, asked: &Import, providers: &mut dyn Providers) -> Written {
        commands::import(workspace, asked, &mut Calls::new(providers))
    }
}

impl WorkspacePlanner for Shuffled {
    fn name(&self) -> &str {
        "reference in another order"
    }

    fn plan(&self, workspace: &Workspace, providers: &mut dyn Providers) -> Planned {
        phases::plan(workspace, &mut Calls::shuffled(providers, self.0))
    }

    fn apply(&self, workspace: &Workspace, plan: &Plan, providers: &mut dyn Providers) -> Applied {
        applying::apply(workspace, plan, &mut Calls::shuffled(providers, self.0))
    }

    fn refuses(&self, workspace: &Workspace, plan: &Plan, saved: &Saved) -> Vec<Diagnostic> {
        commands::refused(workspace, plan, saved)
    }

    fn refresh(&self, workspace: &Workspace, providers: &mut dyn Providers) -> Written {
        commands::refresh(workspace, &mut Calls::shuffled(providers, self.0))
    }

    fn import(&self, workspace: &Workspace, asked: &Import, providers: &mut dyn Providers) -> Written {
        commands::import(workspace, asked, &mut Calls::shuffled(providers, self.0))
    }
}
