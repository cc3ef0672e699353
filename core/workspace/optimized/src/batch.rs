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
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use planfuzz_core::address::{AbsResource, AbsResourceInstance, ResourceMode};
use planfuzz_language_compiled::Slots;
use planfuzz_workspace::{Answer, Call, Made, Providers, SharedProviders};

use crate::block_results::Of;
use crate::blocks::Taken;
use crate::configured::Leads;
use crate::instances::{Outcome, Shared};
use crate::judged::{ConditionResults, Visit};
use crate::model::Use;
use crate::scene::Scene;
use crate::scope::{Inst, Repeat};
use crate::switches::Switches;
use crate::walk::{Calls, Purpose, Record, Walk};
use crate::worker_pool::Cut;

/// A block to be planned, with its instances numbered from 0.
struct Batch<'a, 'w> {
    scene: Scene<'a, 'w>,
    shared: &'a Shared,
    insts: &'a [Inst],
    /// The expansion of the block in each module instance.
    expanded: &'a [(usize, Repeat)],
    /// The number after the last instance in each.
    ends: &'a [u64],
    /// The stored instances in each module instance.
    stored: &'a [Taken],
    /// What is kept of the calls.
    record: Record,
}

/// An instance that was planned.
pub struct One {
    /// The place of its module instance.
    pub within: usize,
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

impl Batch<'_, '_> {
    /// Plans all parts: the calling thread takes in the results in the order of the instances, and plans parts while there is nothing to
    /// take in.
    fn share_out(&self, cut: &Cut<'_>, providers: &dyn SharedProviders, take_in: &mut dyn FnMut(Part)) {
        let (parts, order) = (&cut.parts[..], &cut.order[..]);
        let results = Mutex::new(parts.iter().map(|_| None).collect());
        let board = Board { parts, order, handed: AtomicUsize::new(0), results, more: Condvar::new() };
        let switches = Switches::here();
        let work = || {
            switches.within(|| {
                while let Some(place) = board.next() {
                    board.plan(place, self, providers)
                }
            })
        };
        cut.pool.in_place_scope(|scope| {
            (0..cut.pool.current_num_threads()).for_each(|_| scope.spawn(|_| work()));
            for (at, &next) in order.iter().enumerate() {
                let wanted = if fault!(MergedAsTheyCome) { next } else { at };
                while !board.is_there(wanted)
                    && let Some(place) = board.next()
                {
                    board.plan(place, self, providers);
                }
                // A part that panicked is planned again by the calling thread, so that the panic happens in that thread.
                let part = board.wait_for(wanted);
                take_in(part.unwrap_or_else(|| self.plan(parts[wanted].clone(), providers)));
            }
        });
    }

    /// Plans the instances of a part.
    fn plan(&self, part: Range<u64>, providers: &dyn SharedProviders) -> Part {
        let mut beside = Beside(providers);
        let mut calls = Calls::new(&mut beside).recording(self.record);
        let mut ones = Vec::with_capacity((part.end - part.start) as usize);
        let mut within = self.ends.partition_point(|&end| end <= part.start);
        let mut number = part.start;
        let mut kept: Option<Slots> = None;
        while number < part.end {
            let end = self.ends[within];
            let begin = within.checked_sub(1).map_or(0, |before| self.ends[before]);
            let (inst, repeat) = &self.expanded[within];
            let own = || self.insts[*inst].slots.clone();
            let mut slots = kept.take().filter(|_| fault!(SlotsKept)).unwrap_or_else(own);
            for number in number..end.min(part.end) {
                ones.push(self.one(within, *inst, repeat, number - begin, &mut slots, &mut calls));
            }
            kept = Some(slots);
            (number, within) = (end, within + 1);
        }
        Part { ones, made: calls.into_made() }
    }

    fn one(
        &self,
        within: usize,
        inst: usize,
        repeat: &Repeat,
        place: u64,
        slots: &mut Slots,
        calls: &mut Calls<'_>,
    ) -> One {
        let (key, repeated) = repeat.at(place);
        let taken = &self.stored[within];
        let AbsResource { module, resource } = taken.address.clone();
        let address = AbsResourceInstance { module, resource, key };
        let stored = taken.current(&address.key);
        let mut outcome = self.scene.plan_instance(calls, slots, self.shared, &address, &repeated, stored);
        let of = &self.scene.model.blocks[self.shared.block];
        let has_conditions = !of.preconditions.is_empty() || !of.postconditions.is_empty();
        let held = outcome.planned.as_mut().filter(|_| has_conditions).map(|planned| {
            let is_seen = taken.is_seen(&address.key);
            let visit = Visit { block: self.shared.block, inst, address: &address, repeated: &repeated, is_seen };
            let status = (planned.status.0, std::mem::take(&mut planned.status.1));
            let fine = outcome.is_fine;
            // Only the command `import` has open blocks (`is_open`), and it does not come here.
            self.scene.held(slots, &visit, planned.working.clone(), [fine, fine, false], status)
        });
        One { within, address, outcome, held }
    }
}

/// Parts that were planned, until they are taken in.
struct Board<'a> {
    parts: &'a [Range<u64>],
    /// Their places in the order in which they are handed out.
    order: &'a [usize],
    /// How many were handed out.
    handed: AtomicUsize,
    /// The result of each part; the inner `None` for one that panicked.
    results: Mutex<Vec<Option<Option<Part>>>>,
    more: Condvar,
}

impl Board<'_> {
    /// The next part that was not handed out yet.
    fn next(&self) -> Option<usize> {
        self.order.get(self.handed.fetch_add(1, Ordering::Relaxed)).copied()
    }

    /// Plans a part, and stores its result.
    fn plan(&self, place: usize, batch: &Batch<'_, '_>, providers: &dyn SharedProviders) {
        // After a panic, nothing that the part has changed is used.
        let plan = AssertUnwindSafe(|| batch.plan(self.parts[place].clone(), providers));
        let part = catch_unwind(plan).ok();
        self.locked()[place] = Some(part);
        self.more.notify_one();
    }

    /// The result of a part, once it is there.
    fn wait_for(&self, place: usize) -> Option<Part> {
        let mut results = self.locked();
        loop {
            match results[place].take() {
                Some(part) => return part,
                None => results = self.more.wait(results).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    fn is_there(&self, place: usize) -> bool {
        self.locked()[place].is_some()
    }

    fn locked(&self) -> MutexGuard<'_, Vec<Option<Option<Part>>>> {
        self.results.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Walk<'_, '_, '_, '_> {
    /// Plans the instances of a block by several workers; returns whether none failed, or `None` if one worker has to plan them.
    pub fn plan_at_once(&mut self, shared: &Shared, expanded: &[(usize, Repeat)]) -> Option<bool> {
        let workers = self.calls.workers?;
        let mut end = 0_u64;
        let counted = expanded.iter().map(|(_, repeat)| {
            end += repeat.count();
            end
        });
        let ends: Vec<u64> = counted.collect();
        let cut = workers.cut(end)?;
        self.calls.shared()?;
        if !self.plans_all() || self.sees_itself(shared) {
            return None;
        }
        workers.note();
        let of = &self.model.blocks[shared.block];
        for (inst, _) in expanded {
            self.fill_for(*inst, shared.block);
            of.postconditions.iter().flat_map(|rule| &rule.needs).for_each(|one| self.fill(*inst, one));
        }
        let (mut results, stored) = self.open_results(shared, expanded);
        let Some(providers) = self.calls.shared() else { unreachable!("they were shared before") };
        let (scene, record) = (self.scene(), self.calls.record);
        let batch = Batch { scene, shared, insts: &self.insts, expanded, ends: &ends, stored: &stored, record };
        let provider = &self.model.providers[of.provider].address;
        let of = Of { provider, in_check: of.check.is_some(), stored: &stored };
        batch.share_out(&cut, providers, &mut |part| results.take_in(of, part));
        Some(self.close_results(shared, expanded, results, stored))
    }

    /// Whether the walk plans, or refreshes, every instance of its blocks, each on its own.
    fn plans_all(&self) -> bool {
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
