//! The data that the planning of one instance reads and does not change.
//!
//! Problem: an instance is planned with the knowledge of a whole walk, but a walk can only be changed by one thread at a time. Idea:
//! everything that its facts and calls are computed from is borrowed from the walk as it is; the data that differ for each instance, slots
//! and calls, are passed beside it. Guarantee: nothing here changes a walk, so instances that do not see one another may be planned in any
//! order and by several threads.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use planfuzz_core::address::{AbsResourceInstance, ConfigResource};
use planfuzz_core::planner::Prepared;
use planfuzz_core::plans::AddressedChange;
use planfuzz_core::value::Value;
use planfuzz_workspace::{NodeId, Request, Workspace};

use crate::depends::{Depends, Source};
use crate::model::Model;
use crate::records::Recorded;
use crate::scope::Inst;
use crate::targets::Selection;
use crate::walk::{Calls, Purpose, Walk, Wired};

/// A planner of instances that several threads may use.
pub type Typed<'w> = Box<dyn Prepared + Send + Sync + 'w>;

/// A walk as it is while instances are planned.
#[derive(Clone, Copy)]
pub struct Scene<'a, 'w> {
    /// The workspace and its options.
    pub workspace: &'a Workspace,
    /// The configuration.
    pub model: &'a Model<'w>,
    /// Planners of instances, by schema.
    pub prepared: &'a [Typed<'w>],
    /// The purpose of the walk.
    pub purpose: Purpose,
    /// The graph.
    pub wired: &'a Wired,
    /// The node that is visited.
    pub here: NodeId,
    /// Changes of objects.
    pub changes: &'a [AddressedChange],
    /// The changes of each resource.
    pub recorded: &'a Recorded,
    /// The configuration of each provider.
    pub configured: &'a [Option<Value>],
    /// The previous addresses of moved instances.
    pub moved: &'a BTreeMap<AbsResourceInstance, AbsResourceInstance>,
    /// The calls in place of an upgrade.
    pub handovers: &'a BTreeMap<AbsResourceInstance, Request>,
    /// Instances to be imported.
    pub imports: &'a HashMap<AbsResourceInstance, String>,
    /// The targets, excludes and forced replacements.
    pub targets: &'a Selection,
}

/// A scene borrowed from fields of a walk, so that the other fields can still be borrowed.
macro_rules! scene {
    ($walk:expr) => {
        Scene {
            workspace: $walk.workspace,
            model: $walk.model,
            prepared: &$walk.prepared,
            purpose: $walk.purpose,
            wired: &$walk.wired,
            here: $walk.here,
            changes: &$walk.results.changes,
            recorded: &$walk.results.recorded,
            configured: &$walk.configured,
            moved: &$walk.moved,
            handovers: &$walk.handovers,
            imports: &$walk.importing.wanted,
            targets: &$walk.targets,
        }
    };
}

impl<'w, 'p> Walk<'_, 'w, '_, 'p> {
    /// The walk as it is.
    pub fn scene(&self) -> Scene<'_, 'w> {
        scene!(self)
    }

    /// The scene, beside the parts of the walk that the planning of an instance changes: calls and slots.
    pub fn split(&mut self) -> (Scene<'_, 'w>, &mut Calls<'p>, &mut [Inst]) {
        (scene!(self), self.calls, self.insts.all_mut())
    }
}

impl Scene<'_, '_> {
    /// G15: whether stored objects are not read.
    pub fn skips_refresh(&self) -> bool {
        !self.workspace.options.refresh || self.purpose == Purpose::Import && !fault!(ImportReads)
    }

    /// The address of a dependency.
    pub fn config_of(&self, depends: &Depends) -> ConfigResource {
        match depends.of {
            Source::Block(block) => self.model.blocks[block as usize].config.clone(),
            Source::Orphan(thing) => self.wired.things[thing as usize].address.config_resource(),
        }
    }
}
