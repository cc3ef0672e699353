//! The optimized planner of whole workspaces: the same answers as the reference, at a cost that grows as the input does.
//!
//! Problem: the graph of a workspace, its stored dependency lists and its instances invite work that grows faster than the input. Idea: the
//! configuration is compiled once (`model`: names are slots, expressions programs), the graph has edges between blocks and joints in the
//! place of pairs of instances (`graph`, `wiring`, `destroyers`), the facts that all instances of a block share are computed once
//! (`instances`), and each instance is planned by the optimized planner of instances, by several workers if wanted (`batch`, `fronts`).
//! Guarantee: the planner shares only data with the reference, and covers every command in every dialect.

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
}

mod again;
mod apply_graph;
mod applying;
mod asked;
mod batch;
mod block_results;
mod blocks;
mod body;
mod body_layout;
mod command;
mod commands;
mod compiling;
mod concurrent;
mod configured;
mod crossings;
mod depends;
mod destroyers;
mod diagnostics;
mod dynamic;
mod early;
pub mod edits;
mod ephemeral;
mod expansion;
mod expr;
mod facts;
#[cfg(feature = "faults")]
pub mod faults;
mod foreign;
mod fronts;
mod gone;
mod graph;
mod import_command;
mod imports;
mod incremental;
mod instances;
mod insts;
mod judged;
mod kept;
mod known;
mod legs;
mod marks;
mod model;
mod moves;
mod named;
mod names;
mod nests;
mod own;
mod records;
mod relevant;
mod rewritten;
mod scene;
mod scope;
mod seen;
mod session;
mod shared_work;
mod statement_order;
mod statements;
mod statically;
mod switches;
mod targets;
mod untraced;
mod walk;
mod wiring;
mod worker_pool;

use planfuzz_workspace::{
    Applied, Diagnostic, Import, Plan, Planned, Providers, Saved, Workspace, WorkspacePlanner, Written,
};

pub use concurrent::{Concurrent, SHARED_OUT};
pub use incremental::{Counts, IN_PART, Incremental, Remembering};
pub use session::{Library, Replanned, Session};
pub use untraced::Untraced;
pub use worker_pool::Workers;

use walk::Calls;

/// The optimized planner of workspaces, with one worker.
#[derive(Clone, Copy, Debug, Default)]
pub struct Optimized;

impl WorkspacePlanner for Optimized {
    fn name(&self) -> &str {
        "optimized"
    }

    fn plan(&self, workspace: &Workspace, providers: &mut dyn Providers) -> Planned {
        command::plan(workspace, Calls::new(providers))
    }

    fn apply(&self, workspace: &Workspace, plan: &Plan, providers: &mut dyn Providers) -> Applied {
        applying::apply(workspace, plan, Calls::new(providers))
    }

    fn refuses(&self, workspace: &Workspace, plan: &Plan, saved: &Saved) -> Vec<Diagnostic> {
        commands::refuses(workspace, plan, saved)
    }

    fn refresh(&self, workspace: &Workspace, providers: &mut dyn Providers) -> Written {
        commands::refreshed(workspace, |workspace| command::plan(workspace, Calls::new(providers)))
    }

    fn import(&self, workspace: &Workspace, asked: &Import, providers: &mut dyn Providers) -> Written {
        import_command::import(workspace, asked, Calls::new(providers))
    }
}
