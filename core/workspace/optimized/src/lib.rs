//! The optimized planner of whole workspaces: the same answers as the reference, at a cost that grows as the input does.
//!
//! Problem: the graph of a workspace, its stored dependency lists and its instances tempt a planner into work that grows faster than its
//! input. Idea: the configuration is compiled once (`model`: names are slots, expressions programs), the graph has edges between blocks
//! and joints in the place of pairs of instances (`graph`, `wiring`, `destroyers`), what all instances of a block have in common is found
//! once (`instances`), and each instance is put to the optimized planner of instances, by several workers where that is wanted
//! (`batch`). Guarantee: nothing is shared with the reference but
//! data, and every command in every dialect is covered.

#![forbid(unsafe_code)]

/// In ordinary builds nothing is; a function, so that nobody takes what is written with it for a mistake in logic.
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
}

mod again;
mod apply_graph;
mod applying;
mod asked;
mod batch;
mod block_results;
mod blocks;
mod body;
mod command;
mod commands;
mod compiling;
mod concurrent;
mod configured;
mod crew;
mod crossings;
mod depends;
mod destroyers;
mod early;
pub mod edits;
mod ephemeral;
mod expansion;
mod expr;
mod facts;
#[cfg(feature = "faults")]
pub mod faults;
mod gone;
mod graph;
mod import_command;
mod imports;
mod incremental;
mod instances;
mod judged;
mod kept;
mod known;
mod legs;
mod marks;
mod model;
mod moves;
mod named;
mod names;
mod own;
mod relevant;
mod rewritten;
mod scene;
mod scope;
mod seen;
mod session;
mod statement_order;
mod statements;
mod statically;
mod switches;
mod targets;
mod told;
mod walk;
mod wiring;

use planfuzz_workspace::{
    Applied, Diagnostic, Import, Plan, Planned, Providers, Saved, Workspace, WorkspacePlanner, Written,
};

pub use concurrent::{Concurrent, SHARED_OUT};
pub use crew::Workers;
pub use incremental::{Counts, IN_PART, Incremental, Remembering};
pub use session::{Library, Replanned, Session};

/// The optimized planner of workspaces, with one worker.
#[derive(Clone, Copy, Debug, Default)]
pub struct Optimized;

impl WorkspacePlanner for Optimized {
    fn name(&self) -> &str {
        "optimized"
    }

    fn plan(&self, workspace: &Workspace, providers: &mut dyn Providers) -> Planned {
        command::plan(workspace, providers, None)
    }

    fn apply(&self, workspace: &Workspace, plan: &Plan, providers: &mut dyn Providers) -> Applied {
        applying::apply(workspace, plan, providers)
    }

    fn refuses(&self, workspace: &Workspace, plan: &Plan, saved: &Saved) -> Vec<Diagnostic> {
        commands::refuses(workspace, plan, saved)
    }

    fn refresh(&self, workspace: &Workspace, providers: &mut dyn Providers) -> Written {
        commands::refreshed(workspace, |workspace| command::plan(workspace, providers, None))
    }

    fn import(&self, workspace: &Workspace, asked: &Import, providers: &mut dyn Providers) -> Written {
        import_command::import(workspace, asked, providers)
    }
}
