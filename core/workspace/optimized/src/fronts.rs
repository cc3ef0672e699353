//! Neighbouring blocks that do not wait for one another, planned together by several workers.
//!
//! Problem: blocks of one instance give workers nothing to share out within a block. Idea: a front is a run of nodes in the order of visits
//! of which none waits for another; its blocks are opened one after the other, their instances are planned by workers, and they are closed
//! one after the other. A path from one member to another would lead through nodes between them, which are members too: so it is enough that
//! no member waits for another directly.
//!
//! Guarantee: the walk goes on as if each block were closed before the next is opened. The law behind it: opening and planning a block read
//! nothing that closing a block changes for which it does not wait. Where that does not hold a front ends: at blocks that see the changes of
//! others (triggers, data), themselves, or all resources of a type, at blocks with imports, and at nodes other than blocks. Walks with
//! targets, and those in which only some nodes see a deposed object, have no fronts.

use planfuzz_core::address::{AbsResource, ResourceMode};
use planfuzz_workspace::{Made, NodeId};

use crate::batch::{Batch, One, Part, Row, ends, rows_of};
use crate::blocks::{Expanded, Taken};
use crate::expr::Evaluated;
use crate::graph::{Node, NodeSet};
use crate::instances::{Outcome, Shared};
use crate::model::{Repeats, Use};
use crate::walk::{Walk, sees_changes};

/// How many nodes are visited together: the results of all are kept until the last is planned.
const MOST: usize = 1024;

/// The order of visits, as it is looked at for fronts.
pub struct Fronts {
    /// The place of each node in the order.
    places: Vec<u32>,
    /// What each node is visited after, if that is more than what it waits for.
    visits: Option<Vec<Vec<u32>>>,
}

/// A block that was opened.
struct Opened {
    shared: Shared,
    expanded: Expanded,
    stored: Vec<Taken>,
}

/// The results of a front until they are given to its blocks, in the order of the instances.
struct Results {
    ones: std::iter::Peekable<std::vec::IntoIter<One>>,
    made: std::iter::Peekable<std::vec::IntoIter<Made>>,
}

impl Walk<'_, '_, '_, '_> {
    /// What is needed to find fronts; `None` in a walk without any.
    pub fn fronts(&self, order: &[u32]) -> Option<Fronts> {
        self.calls.workers?;
        self.calls.shared()?;
        if !self.plans_all() || self.deposed.passing.is_some() || self.left.is_some() {
            return None;
        }
        let graph = &self.wired.graph;
        // Nodes of cycles are not in the order.
        let mut places = vec![u32::MAX; graph.len()];
        order.iter().zip(0..).for_each(|(&node, place)| places[node as usize] = place);
        Some(Fronts { places, visits: (!graph.after.is_empty()).then(|| graph.visits()) })
    }

    /// The nodes from a place on that can be visited together.
    pub fn front<'o>(&self, fronts: &Fronts, order: &'o [u32], at: usize, failed: &NodeSet) -> &'o [u32] {
        let rest = &order[at..order.len().min(at + MOST)];
        let end = rest.iter().position(|&node| {
            let waits = fronts.visits.as_ref().unwrap_or(&self.wired.graph.waits);
            let is_ready = |other: &u32| (fronts.places[*other as usize] as usize) < at && !failed.has(*other);
            let awaits = |other: &u32| !is_ready(other) && !fault!(FrontAwaitsNothing);
            waits[node as usize].iter().any(awaits) || !self.stands_apart(node)
        });
        &rest[..end.unwrap_or(rest.len())]
    }

    /// Whether a node is a block that is opened and planned without what others do for which it does not wait.
    fn stands_apart(&self, node: u32) -> bool {
        let Node::Block(block) = self.wired.graph.nodes[node as usize] else { return false };
        let of = &self.model.blocks[block as usize];
        let rules = of.preconditions.iter().chain(&of.postconditions);
        let mut needs = rules.flat_map(|rule| &rule.needs).chain(&of.needs);
        of.address.mode == ResourceMode::Managed
            && of.schema.is_some()
            && of.repeats == Repeats::Once
            && of.own.is_empty()
            && !sees_changes(of)
            && self.model.imports_of(block as usize).is_empty()
            && !self.statically.contains_key(&node)
            && !needs.any(|one| matches!(one, Use::All(..)) || *one == Use::Block(block as usize))
    }

    /// Visits the nodes of a front; returns whether none failed, or `None` if it is too small to be shared out.
    pub fn visit_front(&mut self, front: &[u32], failed: &mut NodeSet) -> Option<bool> {
        let workers = self.calls.workers?;
        let blocks: Vec<usize> = front.iter().filter_map(|&node| self.block_at(node)).collect();
        let instances = blocks.iter().map(|&block| self.insts.of(self.model.blocks[block].module).len() as u64);
        if !workers.share(instances.sum()) {
            return None;
        }
        workers.note(blocks.len());
        let opened: Vec<Evaluated<Opened>> = blocks.iter().map(|&block| self.open_member(block)).collect();
        let here = |node: u32| NodeId { node: node as usize, ..self.here };
        let members = opened.iter().zip(front).filter_map(|(opened, &node)| Some((opened.as_ref().ok()?, here(node))));
        let rows: Vec<Row<'_>> = members
            .flat_map(|(opened, node)| rows_of(node, &opened.shared, &opened.expanded, &opened.stored))
            .collect();
        let ends = ends(rows.iter().map(|row| row.repeat.count()));
        let (mut ones, mut made) = (Vec::new(), Vec::new());
        {
            let Some(providers) = self.calls.shared() else { unreachable!("they were shared before") };
            let (scene, record) = (self.scene(), self.calls.record);
            let batch = Batch { scene, insts: self.insts.all(), rows: &rows, ends: &ends, record };
            let all = ends.last().copied().unwrap_or_default();
            let mut take_in = |mut part: Part| {
                ones.append(&mut part.ones);
                made.append(&mut part.made);
            };
            match workers.cut(all) {
                Some(cut) => cut.share_out(&|part| batch.plan(part, providers), &mut take_in),
                // Few are left if others could not be opened.
                None => take_in(batch.plan(0..all, providers)),
            }
        }
        let mut results = Results { ones: ones.into_iter().peekable(), made: made.into_iter().peekable() };
        let mut is_whole = true;
        for ((&node, block), opened) in front.iter().zip(blocks).zip(opened) {
            self.here.node = node as usize;
            let is_fine = match opened {
                Ok(opened) => self.close_member(block, opened, &mut results),
                Err(diagnostics) => self.report(diagnostics),
            };
            if !is_fine && !fault!(FrontNeverFails) {
                failed.add(node);
                is_whole = false;
            }
        }
        Some(is_whole)
    }

    fn block_at(&self, node: u32) -> Option<usize> {
        match self.wired.graph.nodes[node as usize] {
            Node::Block(block) => Some(block as usize),
            _ => None,
        }
    }

    /// Does what comes before the instances of a block are planned.
    fn open_member(&mut self, block: usize) -> Evaluated<Opened> {
        let (expanded, _) = self.expand_block(block)?;
        self.list_checks(block, &expanded);
        let shared = self.facts_for(block, &expanded)?;
        let mut stored = Vec::with_capacity(expanded.len());
        for (inst, _) in &expanded {
            self.fill_all(*inst, block);
            let (module, resource) = (self.insts[*inst].address.clone(), self.model.blocks[block].address.clone());
            stored.push(self.take(AbsResource { module, resource }));
        }
        Ok(Opened { shared, expanded, stored })
    }

    /// Takes in the results of the instances of a block, and does what comes after them.
    fn close_member(&mut self, block: usize, opened: Opened, results: &mut Results) -> bool {
        let mut is_fine = true;
        let here = self.here;
        self.calls.made.extend(std::iter::from_fn(|| results.made.next_if(|made| made.node == here)));
        for ((inst, repeat), mut taken) in opened.expanded.into_iter().zip(opened.stored) {
            for _ in 0..repeat.count() {
                let Some(one) = results.ones.next() else { unreachable!("every instance was planned") };
                is_fine &= self.close_instance(block, inst, one, &mut taken);
            }
            self.touch(inst, block);
            self.put_back(taken);
        }
        is_fine & self.instance_orphans(block)
    }

    fn close_instance(&mut self, block: usize, inst: usize, one: One, taken: &mut Taken) -> bool {
        let One { address, outcome: Outcome { diagnostics, is_fine, planned }, held, .. } = one;
        self.report(diagnostics);
        if let Some(planned) = planned {
            self.take_in(block, inst, &address, planned, taken);
        }
        held.map_or(is_fine, |held| self.note_held(block, inst, &address.key, is_fine, held))
    }
}
