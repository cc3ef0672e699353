//! The results of the instances of a block while they are planned: the growing lists of a walk, kept apart from the data that workers read.
//!
//! Problem: a walk cannot be changed while workers read it, and results would have to wait for the last worker. Idea: the walk hands out
//! its lists, which grow in the order of the instances while others are still planned, and gets them back; other results, as those for the
//! table of checks, are noted and stored afterwards. Guarantee: the lists are the same as if each instance were taken in before the next is
//! planned, since no worker reads them.

use planfuzz_core::address::{AbsResource, AbsResourceInstance, InstanceKey, ProviderConfig};
use planfuzz_core::plans::AddressedChange;
use planfuzz_core::state::{InstanceState, Object};
use planfuzz_language::expression::Marked;
use planfuzz_workspace::{ByKey, CheckKind, Diagnostic, Instances, Made, ResourceState, Status};

use crate::batch::{One, Part};
use crate::blocks::Taken;
use crate::instances::{Objects, Outcome, Planned, Shared, put_current};
use crate::scope::Repeat;
use crate::walk::{Walk, sees_changes};

/// The lists of a walk, and the results of the instances of one block.
pub struct BlockResults {
    made: Vec<Made>,
    diagnostics: Vec<Diagnostic>,
    changes: Vec<AddressedChange>,
    /// How many changes there were before.
    begun: usize,
    drift: Vec<AddressedChange>,
    /// The results in each module instance.
    within: Vec<Within>,
    is_found: bool,
    is_fine: bool,
    failed_reads: Vec<(AbsResourceInstance, Option<String>)>,
    statuses: Vec<(usize, InstanceKey, (Status, Vec<String>))>,
    /// Whether no part was taken in yet.
    is_new: bool,
}

/// The results of the instances in one module instance.
struct Within {
    previous: Option<ResourceState>,
    /// The instances that replace the stored ones; workers still read the stored ones.
    fresh: Instances,
    /// Whether they replace the stored ones.
    is_planned: bool,
    /// Whether any of them is new: the resource then has the provider that the block has now.
    is_renewed: bool,
    objects: ByKey<Marked>,
}

impl Within {
    /// Keeps the stored instance.
    fn keep(&mut self, stored: &Taken, key: &InstanceKey) {
        self.fresh.extend(stored.instance(key).map(|instance| (key.clone(), instance.clone())));
    }
}

/// The block whose instances are taken in.
#[derive(Clone, Copy)]
pub struct Of<'a> {
    /// Its provider.
    pub provider: &'a ProviderConfig,
    /// Whether it is nested in a check.
    pub in_check: bool,
    /// Its stored instances.
    pub stored: &'a [Taken],
}

impl BlockResults {
    /// Takes in the results of a part.
    pub fn take_in(&mut self, of: Of<'_>, part: Part) {
        let Part { ones, mut made } = part;
        self.made.append(&mut made);
        let is_new = std::mem::replace(&mut self.is_new, false);
        for One { row, address, outcome, held } in ones {
            let Outcome { diagnostics, mut is_fine, planned } = outcome;
            let forgets = !is_new && fault!(PartDiagnosticsForgotten);
            self.diagnostics.extend(diagnostics.into_iter().filter(|_| !forgets));
            let key = address.key.clone();
            if planned.as_ref().is_none_or(|planned| planned.objects.is_none()) {
                self.within[row].keep(&of.stored[row], &key);
            }
            if let Some(planned) = planned {
                self.take_planned(of, row, address, planned);
            }
            if let Some(held) = held {
                is_fine &= !held.diagnostics.iter().any(Diagnostic::is_error);
                self.diagnostics.extend(held.diagnostics.into_iter().filter(|_| !forgets));
                self.statuses.push((row, key, held.status));
            }
            self.is_fine &= is_fine || !is_new && fault!(FirstPartDecides);
        }
    }

    fn take_planned(&mut self, of: Of<'_>, at: usize, address: AbsResourceInstance, planned: Planned) {
        let Within { previous, fresh, is_planned, is_renewed, objects } = &mut self.within[at];
        self.is_found |= planned.is_found;
        self.changes.extend(planned.changes);
        self.drift.extend(planned.drift);
        if let Some(Objects { previous: was, refreshed }) = planned.objects {
            *is_planned = true;
            put_current(previous, &address.key, of.provider, was);
            let instance = with_current(of.stored[at].instance(&address.key), refreshed);
            if !instance.is_absent() {
                *is_renewed = true;
                fresh.insert(address.key.clone(), instance);
            }
        }
        match planned.working {
            Some(working) => drop(objects.insert(address.key.clone(), working)),
            None => drop(objects.remove(&address.key)),
        }
        if of.in_check {
            self.failed_reads.push((address, planned.failed_read));
        }
    }
}

/// The stored instance with another current object and its deposed ones.
fn with_current(stored: Option<&InstanceState>, current: Option<Object>) -> InstanceState {
    InstanceState { current, deposed: stored.map(|stored| stored.deposed.clone()).unwrap_or_default() }
}

impl Walk<'_, '_, '_, '_> {
    /// Takes the lists, and the stored instances of a block, out of the walk.
    pub fn open_results(&mut self, shared: &Shared, expanded: &[(usize, Repeat)]) -> (BlockResults, Vec<Taken>) {
        let of = &self.model.blocks[shared.block];
        let (mut stored, mut within) = (Vec::with_capacity(expanded.len()), Vec::with_capacity(expanded.len()));
        for (inst, _) in expanded {
            let module = self.insts[*inst].address.clone();
            let mut taken = self.take(AbsResource { module, resource: of.address.clone() });
            within.push(Within {
                previous: taken.previous.take(),
                fresh: Instances::new(),
                is_planned: false,
                is_renewed: false,
                objects: std::mem::take(&mut self.insts[*inst].objects[of.place]),
            });
            stored.push(taken);
        }
        let results = BlockResults {
            made: std::mem::take(&mut self.calls.made),
            diagnostics: std::mem::take(&mut self.results.diagnostics),
            begun: self.results.changes.len(),
            changes: if sees_changes(of) { Vec::new() } else { std::mem::take(&mut self.results.changes) },
            drift: std::mem::take(&mut self.results.drift),
            within,
            is_found: false,
            is_fine: true,
            failed_reads: Vec::new(),
            statuses: Vec::new(),
            is_new: true,
        };
        (results, stored)
    }

    /// Gives the walk its lists back, and stores the results of the block; returns whether no instance failed.
    pub fn close_results(
        &mut self,
        shared: &Shared,
        expanded: &[(usize, Repeat)],
        mut results: BlockResults,
        stored: Vec<Taken>,
    ) -> bool {
        let of = &self.model.blocks[shared.block];
        (self.calls.made, self.results.diagnostics, self.results.drift) =
            (results.made, results.diagnostics, results.drift);
        self.results.found_other |= results.is_found;
        match self.results.changes.is_empty() {
            true => self.results.changes = results.changes,
            false => self.results.changes.append(&mut results.changes),
        }
        if self.results.recorded.is_read && results.begun < self.results.changes.len() {
            let places = results.begun..self.results.changes.len();
            self.results.recorded.of.entry(of.config.clone()).or_default().extend(places);
        }
        results.failed_reads.into_iter().for_each(|(address, failed)| self.note_failed_read(&address, failed));
        let local = of.address.to_string();
        for (at, key, status) in results.statuses {
            self.note_status(CheckKind::Resource, &local, expanded[at].0, Some(&key), status);
        }
        let provider = &self.model.providers[of.provider].address;
        let mut left = Vec::with_capacity(stored.len());
        for (((inst, repeat), within), taken) in expanded.iter().zip(results.within).zip(stored) {
            self.insts[*inst].objects[of.place] = within.objects;
            self.touch(*inst, shared.block);
            let Taken { address, state, deposed, .. } = taken;
            let state = match within.is_planned {
                false => state,
                true => {
                    let provider = Some(provider).filter(|_| within.is_renewed);
                    let (state, old) = replaced(state, within.fresh, provider, repeat);
                    left.push(old);
                    state
                }
            };
            self.put_back(Taken { address, previous: within.previous, state, deposed });
        }
        self.calls.drop_beside(left);
        results.is_fine
    }
}

/// The stored resource after all declared instances were planned, including those no longer declared, and the resource before. It gets
/// another provider if one is given.
fn replaced(
    stored: Option<ResourceState>,
    mut fresh: Instances,
    provider: Option<&ProviderConfig>,
    repeat: &Repeat,
) -> (Option<ResourceState>, Instances) {
    let Some(mut stored) = stored else {
        let state = provider.map(|provider| ResourceState { provider: provider.clone(), instances: fresh });
        return (state, Instances::new());
    };
    // Usually the declared instances are the stored ones, and no key has to be looked up.
    if !stored.instances.keys().eq(fresh.keys()) {
        let is_gone = |key: &&InstanceKey| repeat.place(key).is_none();
        let gone: Vec<InstanceKey> = stored.instances.keys().filter(is_gone).cloned().collect();
        let old = |key: InstanceKey| stored.instances.remove(&key).map(|instance| (key, instance));
        fresh.extend(gone.into_iter().filter_map(old));
    }
    if let Some(provider) = provider {
        stored.provider = provider.clone();
    }
    let old = std::mem::replace(&mut stored.instances, fresh);
    ((!stored.instances.is_empty()).then_some(stored), old)
}
