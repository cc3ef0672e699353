//! The reference planner of whole workspaces: workspace-plan.md and workspace-apply.md as code, in their order and words.
//!
//! It is written to be read beside the specification. It asks the reference planner of instances for each instance, and hands it the
//! facts that a workspace computes. Nothing is remembered from one question to the next, and nothing is shared with another planner
//! but data.
//!
//! | file | rules |
//! | --- | --- |
//! | `phases`, `early_checks`, `plan_graphs` | section 2: phases of a plan, what is told before a walk, the graphs of its walks |
//! | `layout`, `graph`, `references`, `late_edges` | section 5: blocks, nodes, edges |
//! | `statements`, `moves`, `move_checks` | section 3 |
//! | `imports`, `import_walk` | section 4, forced replacements |
//! | `walk`, `blocks`, `instances`, `facts`, `gone` | sections 6, 9 to 11: a walk, its blocks, instances and orphans |
//! | `pending` | section 7: data resources |
//! | `targets` | section 8 |
//! | `room` | how much a walk may expand and list |
//! | `named`, `expansion`, `conditions`, `checks` | variables, locals, outputs; calls, repetition, providers; conditions and checks |
//! | `world`, `body`, `marks`, `evaluation` | what expressions see, and how they are evaluated |
//! | `applying`, `apply_graph`, `legs` | workspace-apply.md: nodes and order, legs |

#![forbid(unsafe_code)]
// What planted mistakes are put in is not written by people.
#![cfg_attr(feature = "faults", allow(unused, clippy::all))]

#[cfg(not(feature = "faults"))]
mod apply_graph;
#[cfg(not(feature = "faults"))]
mod applying;
#[cfg(not(feature = "faults"))]
mod asked;
#[cfg(not(feature = "faults"))]
mod blocks;
#[cfg(not(feature = "faults"))]
mod body;
#[cfg(not(feature = "faults"))]
mod checks;
#[cfg(not(feature = "faults"))]
mod conditions;
#[cfg(not(feature = "faults"))]
mod early_checks;
#[cfg(not(feature = "faults"))]
mod evaluation;
#[cfg(not(feature = "faults"))]
mod expansion;
#[cfg(not(feature = "faults"))]
mod facts;
#[cfg(not(feature = "faults"))]
mod gone;
#[cfg(not(feature = "faults"))]
mod graph;
#[cfg(not(feature = "faults"))]
mod import_walk;
#[cfg(not(feature = "faults"))]
mod imports;
#[cfg(not(feature = "faults"))]
mod instances;
#[cfg(not(feature = "faults"))]
mod late_edges;
#[cfg(not(feature = "faults"))]
mod layout;
#[cfg(not(feature = "faults"))]
mod legs;
#[cfg(not(feature = "faults"))]
mod marks;
#[cfg(not(feature = "faults"))]
mod move_checks;
#[cfg(not(feature = "faults"))]
mod moves;
#[cfg(not(feature = "faults"))]
mod named;
#[cfg(not(feature = "faults"))]
mod names;
#[cfg(not(feature = "faults"))]
mod pending;
#[cfg(not(feature = "faults"))]
mod phases;
#[cfg(not(feature = "faults"))]
mod plan_graphs;
#[cfg(not(feature = "faults"))]
mod references;
#[cfg(not(feature = "faults"))]
mod room;
#[cfg(not(feature = "faults"))]
mod statements;
#[cfg(not(feature = "faults"))]
mod targets;
#[cfg(not(feature = "faults"))]
mod told;
#[cfg(not(feature = "faults"))]
mod walk;
#[cfg(not(feature = "faults"))]
mod world;

// The same modules with planted mistakes in them.
#[cfg(feature = "faults")]
include!(concat!(env!("OUT_DIR"), "/planted/modules.rs"));
#[cfg(feature = "faults")]
#[path = "../../../src/planted.rs"]
pub mod planted;

use asked::Calls;
use planfuzz_workspace::{Applied, Plan, Planned, Providers, Workspace, WorkspacePlanner};

/// The reference planner of workspaces.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reference;

/// The same, which visits nodes in another order that keeps what each waits for: what comes of it must be the same (G92b).
#[derive(Clone, Copy, Debug)]
pub struct Shuffled(pub u64);

impl WorkspacePlanner for Reference {
    fn name(&self) -> &str {
        "reference"
    }

    fn plan(&self, workspace: &Workspace, providers: &mut dyn Providers) -> Planned {
        phases::plan(workspace, &mut Calls::new(providers))
    }

    fn apply(&self, workspace: &Workspace, plan: &Plan, providers: &mut dyn Providers) -> Applied {
        applying::apply(workspace, plan, &mut Calls::new(providers))
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
}
