//! The instances of a block planned by several workers, with the same result, and the same order of calls, as with one.
//!
//! Problem: the instances of a large block are planned one after the other, though no instance waits for another. Idea: the result of an
//! instance is a function of what its walk knew before, of its stored objects, and of the answers of providers ([`Scene::plan_instance`]);
//! workers compute it for parts of the block, each with its own slots, and the results are taken in in the order of the instances
//! ([`BlockResults`]).
//!
//! Guarantee: the result does not show how many workers there were, or when each did what. Instances of one block have no order (G124), and
//! none sees the results of another: a block that may see itself, or the changes of its resource, is planned by one worker, and so are
//! commands that visit only some instances. Answers do not depend on the order of calls ([`SharedProviders`]). Diagnostics, calls, changes
//! and states are taken in by one thread.
//!
//! [`BlockResults`]: crate::block_results::BlockResults

use std::ops::Range;

use planfuzz_core::address::{AbsResource, AbsResourceInstance, ResourceMode};
use planfuzz_language_compiled::Slots;
use planfuzz_workspace::{Answer, Call, Made, NodeId, Providers, SharedProviders};

use crate::block_results::Of;
use crate::blocks::Taken;
use crate::configured::Leads;
use crate::instances::{Outcome, Shared};
use crate::judged::{ConditionResults, Visit};
use crate::model::Use;
use crate::scene::Scene;
use crate::scope::{Inst, Repeat};
use crate::walk::{Calls, Purpose, Record, Walk};

/// The instances of a block in one instance of its module.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    /// The node of the block.
    pub node: NodeId,
    /// What the instances share.
    pub shared: &'a Shared,
    /// The instance of the module.
    pub inst: usize,
    /// How often the block is there.
    pub repeat: &'a Repeat,
    /// The stored instances.
    pub taken: &'a Taken,
}

/// Rows to be planned, with their instances numbered from 0.
pub struct Batch<'a, 'w> {
    /// The walk.
    pub scene: Scene<'a, 'w>,
    /// The instances of modules.
    pub insts: &'a [Inst],
    /// The rows.
    pub rows: &'a [Row<'a>],
    /// The number after the last instance of each row.
    pub ends: &'a [u64],
    /// What is kept of the calls.
    pub record: Record,
}

/// An instance that was planned.
pub struct One {
    /// Its row.
    pub row: usize,
    /// Its address.
    pub address: AbsResourceInstance,
    /// The result of planning it.
    pub outcome: Outcome,
    /// The results of its conditions, if its block has some.
    pub held: Option<ConditionResults>,
}

/// A part that was planned.
pub struct Part {
    /// Its instances.
    pub ones: Vec<One>,
    /// The calls of all of them.
    pub made: Vec<Made>,
}

/// Providers that several workers call in parallel.
struct Beside<'a>(&'a dyn SharedProviders);

impl Providers for Beside<'_> {
    fn call(&mut self, call: &Call) -> Answer {
        self.0.call_shared(call)
    }
}

/// The rows of a block that was expanded.
pub fn rows_of<'a>(
    node: NodeId,
    shared: &'a Shared,
    expanded: &'a [(usize, Repeat)],
    stored: &'a [Taken],
) -> impl Iterator<Item = Row<'a>> {
    expanded.iter().zip(stored).map(move |((inst, repeat), taken)| Row { node, shared, inst: *inst, repeat, taken })
}

/// The number after the last instance of each row.
pub fn ends(counts: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut end = 0_u64;
    let counted = counts.map(|count| {
        end += count;
        end
    });
    counted.collect()
}

impl Batch<'_, '_> {
    /// Plans the instances of a part.
    pub fn plan(&self, part: Range<u64>, providers: &dyn SharedProviders) -> Part {
        let mut beside = Beside(providers);
        let mut calls = Calls::new(&mut beside).recording(self.record);
        let mut ones = Vec::with_capacity((part.end - part.start) as usize);
        let mut at = self.ends.partition_point(|&end| end <= part.start);
        let mut number = part.start;
        let mut kept: Option<(usize, Slots)> = None;
        while number < part.end {
            let (inst, end) = (self.rows[at].inst, self.ends[at]);
            let begin = at.checked_sub(1).map_or(0, |before| self.ends[before]);
            let is_kept = |(of, _): &(usize, Slots)| *of == inst || fault!(SlotsKept);
            let own = || (inst, self.insts[inst].slots.clone());
            let (of, mut slots) = kept.take().filter(is_kept).unwrap_or_else(own);
            for number in number..end.min(part.end) {
                ones.push(self.one(at, number - begin, &mut slots, &mut calls));
            }
            kept = Some((of, slots));
            (number, at) = (end, at + 1);
        }
        Part { ones, made: calls.into_made() }
    }

    fn one(&self, at: usize, place: u64, slots: &mut Slots, calls: &mut Calls<'_>) -> One {
        let Row { node, shared, inst, repeat, taken } = self.rows[at];
        let scene = Scene { here: node, ..self.scene };
        let (key, repeated) = repeat.at(place);
        let AbsResource { module, resource } = taken.address.clone();
        let address = AbsResourceInstance { module, resource, key };
        let stored = taken.current(&address.key);
        let mut outcome = scene.plan_instance(calls, slots, shared, &address, &repeated, stored);
        let of = &scene.model.blocks[shared.block];
        let has_conditions = !of.preconditions.is_empty() || !of.postconditions.is_empty();
        let held = outcome.planned.as_mut().filter(|_| has_conditions).map(|planned| {
            let is_seen = taken.is_seen(&address.key);
            let visit = Visit { block: shared.block, inst, address: &address, repeated: &repeated, is_seen };
            let status = (planned.status.0, std::mem::take(&mut planned.status.1));
            let fine = outcome.is_fine;
            // Only the command `import` has open blocks (`is_open`), and it does not come here.
            scene.held(slots, &visit, planned.working.clone(), [fine, fine, false], status)
        });
        One { row: at, address, outcome, held }
    }
}

impl Walk<'_, '_, '_, '_> {
    /// Plans the instances of a block by several workers; returns whether none failed, or `None` if one worker has to plan them.
    pub fn plan_at_once(&mut self, shared: &Shared, expanded: &[(usize, Repeat)]) -> Option<bool> {
        let workers = self.calls.workers?;
        let ends = ends(expanded.iter().map(|(_, repeat)| repeat.count()));
        let cut = workers.cut(ends.last().copied().unwrap_or_default())?;
        self.calls.shared()?;
        if !self.plans_all() || self.sees_itself(shared) {
            return None;
        }
        workers.note(1);
        let of = &self.model.blocks[shared.block];
        expanded.iter().for_each(|(inst, _)| self.fill_all(*inst, shared.block));
        let (mut results, stored) = self.open_results(shared, expanded);
        let Some(providers) = self.calls.shared() else { unreachable!("they were shared before") };
        let (node, scene, record) = (self.here, self.scene(), self.calls.record);
        let rows: Vec<Row<'_>> = rows_of(node, shared, expanded, &stored).collect();
        let batch = Batch { scene, insts: self.insts.all(), rows: &rows, ends: &ends, record };
        let provider = &self.model.providers[of.provider].address;
        let of = Of { provider, in_check: of.check.is_some(), stored: &stored };
        cut.share_out(&|part| batch.plan(part, providers), &mut |part| results.take_in(of, part));
        Some(self.close_results(shared, expanded, results, stored))
    }

    /// Fills the slots that the instances of a block need, also for the conditions on their results.
    pub fn fill_all(&mut self, inst: usize, block: usize) {
        self.fill_for(inst, block);
        let postconditions = &self.model.blocks[block].postconditions;
        postconditions.iter().flat_map(|rule| &rule.needs).for_each(|one| self.fill(inst, one));
    }

    /// Whether the walk plans, or refreshes, every instance of its blocks, each on its own.
    pub fn plans_all(&self) -> bool {
        matches!(self.purpose, Purpose::Plan | Purpose::Refresh | Purpose::BeforeDestroy) && self.targets.is_empty()
    }

    /// Whether an instance of a block may see another one: in an expression, by a trigger, or as a dependency of its own address.
    fn sees_itself(&self, shared: &Shared) -> bool {
        let of = &self.model.blocks[shared.block];
        let conditions = of.preconditions.iter().chain(&of.postconditions).flat_map(|rule| &rule.needs);
        let is_seen = |one: &Use| match one {
            Use::Block(block) => *block == shared.block,
            Use::All(mode, type_name) => *mode == of.address.mode && *type_name == of.address.type_name,
            Use::Call(_) => false,
        };
        let triggers = of.of.lifecycle.replace_triggered_by.iter().flat_map(|expr| &expr.references);
        let mut triggers = triggers.map(|reference| self.model.leads(of.module, reference));
        let is_own = of.address.mode == ResourceMode::Data && shared.depends.iter().any(|one| one.text == of.text);
        of.needs.iter().chain(conditions).any(is_seen)
            || triggers.any(|leads| matches!(leads, Leads::Block(block, _) if block == shared.block))
            || is_own
    }
}
