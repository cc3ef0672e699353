//! Resumes a walk: the due nodes are visited again, in the order of the graph, and so are the nodes that wait for one whose result changed.
//!
//! Before a node is visited again, everything that it left is taken back, so that its visit begins as in a walk from scratch. Cases that
//! are not worth taking back (a module with another expansion, a deposed object, an error) end in a whole plan.

use std::collections::BTreeSet;

use hashbrown::HashSet;
use planfuzz_core::address::{AbsResource, ResourceMode};
use planfuzz_core::value::Value;
use planfuzz_language::expression::Marked;
use planfuzz_workspace::{ByKey, CheckKind, Diagnostic, State};

use crate::graph::Node;
use crate::kept::Routes;
use crate::scope::Repeat;
use crate::walk::{Left, Purpose, Walk};

/// Why everything is planned again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Whole(pub &'static str);

/// A result of planning again, or the reason for a whole plan.
type Again<T> = std::result::Result<T, Whole>;

/// The result of a visit.
#[derive(Clone, Copy, Debug, Default)]
struct Visited {
    /// Whether nodes that wait for it see another result.
    is_other: bool,
    /// Whether its changes differ from before.
    acts_otherwise: bool,
}

/// The objects of a block in a module instance, and how it is expanded there.
type Expanded = (usize, Option<Repeat>, ByKey<Marked>);

/// The result of a node as other nodes saw it.
enum Seen {
    /// The objects of a block.
    Block(Vec<Expanded>),
    /// The values of a variable or a local, by module instance.
    Slot(usize, Vec<(usize, Option<Marked>)>),
    /// The values of an output.
    Output(Vec<(usize, Option<Marked>)>),
    /// The configuration of a provider.
    Provider(Option<Value>),
    /// Everything that waits for it is visited again.
    Anything,
    /// Nothing.
    Nothing,
}

impl Walk<'_, '_, '_, '_> {
    /// Visits the due nodes again; returns the nodes that were visited.
    pub fn again(&mut self, routes: &Routes, due: impl IntoIterator<Item = u32>) -> Again<Vec<u32>> {
        let place = |node: u32| (routes.places[node as usize], node);
        let mut open: BTreeSet<(u32, u32)> = due.into_iter().map(place).collect();
        let mut visited = Vec::new();
        while let Some((_, node)) = open.pop_first() {
            let Visited { is_other, acts_otherwise } = match self.wired.graph.nodes[node as usize] {
                Node::End(_) | Node::CheckStart | Node::Joint(_) => Visited { is_other: true, acts_otherwise: false },
                // Visited only together with its block.
                Node::Report(..) | Node::EphemeralEnd(_) => Visited::default(),
                Node::Begin(module) => {
                    self.begin_again(module as usize)?;
                    Visited::default()
                }
                Node::Deposed(_) => return Err(Whole("a deposed object")),
                at => {
                    visited.push(node);
                    open.extend(self.companion(at).map(place));
                    self.visit_again(node)?
                }
            };
            if is_other && !fault!(DependentsForgotten) {
                open.extend(routes.users[node as usize].iter().map(|&user| place(user)));
            }
            if acts_otherwise && !fault!(PendingForgotten) {
                open.extend(self.data_behind(routes, node).into_iter().map(place));
            }
            let ends: Vec<u32> = self.ends_due(node);
            for end in ends {
                visited.push(end);
                self.visit_again(end)?;
            }
        }
        Ok(visited)
    }

    /// The data resources that wait for a node, directly or not: whether they are read depends on its changes, whatever lies between (G95).
    fn data_behind(&self, routes: &Routes, node: u32) -> Vec<u32> {
        let mut seen: HashSet<u32> = HashSet::from([node]);
        let (mut found, mut rest) = (Vec::new(), vec![node]);
        while let Some(node) = rest.pop() {
            for &user in routes.users[node as usize].iter().filter(|&&user| seen.insert(user)) {
                rest.push(user);
                if let Node::Block(block) = self.wired.graph.nodes[user as usize]
                    && self.model.blocks[block as usize].address.mode == ResourceMode::Data
                {
                    found.push(user);
                }
            }
        }
        found
    }

    /// The node that is visited again with another one, whatever its result: the validation of a variable.
    fn companion(&self, at: Node) -> Option<u32> {
        match at {
            Node::Variable(module, place) => self.wired.graph.id(Node::Validation(module, place)),
            _ => None,
        }
    }

    /// The end of an ephemeral block that was opened again: closing changes nothing that others see.
    fn ends_due(&self, node: u32) -> Vec<u32> {
        let Node::Block(block) = self.wired.graph.nodes[node as usize] else { return Vec::new() };
        let is_ephemeral = self.model.blocks[block as usize].address.mode == ResourceMode::Ephemeral;
        self.wired.graph.id(Node::EphemeralEnd(block)).filter(|_| is_ephemeral).into_iter().collect()
    }

    /// Checks that a module has the same expansion; another one is a reason for a whole plan.
    fn begin_again(&mut self, module: usize) -> Again<()> {
        const OTHERWISE: Whole = Whole("a module is expanded otherwise");
        let of = &self.model.modules[module];
        let Some((parent, _)) = of.call else { return Ok(()) };
        for outer in self.insts_of(parent) {
            let new = self.expand(outer, &of.repetition).map_err(|_| OTHERWISE)?;
            let is_same = self.insts[outer].calls.get(&module).is_some_and(|(old, _)| old.is_same(&new));
            if !is_same && !fault!(StaleExpansion) {
                return Err(OTHERWISE);
            }
        }
        Ok(())
    }

    /// Visits a node again.
    fn visit_again(&mut self, node: u32) -> Again<Visited> {
        let old = self.left.as_ref().map(|left| left[node as usize]).unwrap_or_default();
        let seen = self.take_back(node, &old);
        self.here.node = node as usize;
        let is_fine = self.visit_noted(node);
        let new = self.left.as_ref().map(|left| left[node as usize]).unwrap_or_default();
        let diagnostics = &self.results.diagnostics[new.from.diagnostics..new.to.diagnostics];
        if !is_fine || diagnostics.iter().any(Diagnostic::is_error) {
            return Err(Whole("an error"));
        }
        let acts_otherwise = self.has_other_changes(&old, &new);
        Ok(Visited { is_other: !self.is_seen(node, seen) || acts_otherwise, acts_otherwise })
    }

    fn has_other_changes(&self, old: &Left, new: &Left) -> bool {
        self.results.changes[old.from.changes..old.to.changes] != self.results.changes[new.from.changes..new.to.changes]
    }

    /// Takes back everything that a node left, and returns what other nodes saw of it.
    fn take_back(&mut self, node: u32, old: &Left) -> Seen {
        self.room = [0, 1].map(|what| self.room[what] + old.room[what]);
        for place in old.from.changes..old.to.changes {
            let config = self.results.changes[place].addr.config_resource();
            if let Some(of) = self.results.recorded.of.get_mut(&config).filter(|_| !fault!(ChangesStayRecorded)) {
                of.retain(|&other| other != place);
            }
        }
        match self.wired.graph.nodes[node as usize] {
            Node::Block(block) => Seen::Block(self.take_back_block(block as usize)),
            Node::Orphan(thing) => {
                self.restore_orphan(thing as usize);
                Seen::Anything
            }
            Node::Variable(module, place) => {
                let variable = &self.model.modules[module as usize].variables[place as usize];
                let local = format!("var.{}", variable.of.name.text);
                self.forget_objects(CheckKind::Variable, module as usize, &local);
                self.seen_slot(module as usize, variable.slot)
            }
            Node::Local(module, place) => {
                let slot = self.model.modules[module as usize].locals[place as usize].slot;
                self.seen_slot(module as usize, slot)
            }
            Node::Output(module, place) => self.take_back_output(module as usize, place as usize),
            Node::Provider(provider) => Seen::Provider(self.configured[provider as usize].take()),
            // Other nodes only see whether a validation, a check, or a gone output failed.
            _ => Seen::Nothing,
        }
    }

    fn seen_slot(&self, module: usize, slot: usize) -> Seen {
        let value = |inst: usize| (inst, self.insts[inst].slots.value(slot).cloned());
        Seen::Slot(slot, self.insts_of(module).into_iter().map(value).collect())
    }

    fn take_back_output(&mut self, module: usize, place: usize) -> Seen {
        let name = self.model.modules[module].outputs[place].of.name.text.clone();
        self.forget_objects(CheckKind::Output, module, &format!("output.{name}"));
        if module == 0 && self.purpose == Purpose::Plan {
            let stored = self.workspace.state.as_ref().and_then(|state| state.outputs.get(name.as_str()));
            match stored {
                Some(stored) => drop(self.state.outputs.insert(name.to_string(), stored.clone())),
                None => drop(self.state.outputs.remove(name.as_str())),
            }
        }
        let insts = self.insts_of(module);
        Seen::Output(insts.into_iter().map(|inst| (inst, self.insts[inst].outputs[place].take())).collect())
    }

    fn take_back_block(&mut self, block: usize) -> Vec<Expanded> {
        let of = &self.model.blocks[block];
        let mut seen = Vec::new();
        for inst in self.insts_of(of.module) {
            let objects = std::mem::take(&mut self.insts[inst].objects[of.place]);
            let repeat = self.insts[inst].repeats[of.place].take();
            if of.check.is_some() {
                let about = format!("{}{}", self.insts[inst].prefix, of.address);
                self.failed_reads.remove(&about);
            }
            self.touch(inst, block);
            self.restore(AbsResource { module: self.insts[inst].address.clone(), resource: of.address.clone() });
            seen.push((inst, repeat, objects));
        }
        for address in self.objects.of_block.get(&of.config).cloned().unwrap_or_default() {
            self.restore(address);
        }
        self.forget_objects(CheckKind::Resource, of.module, &of.address.to_string());
        seen
    }

    /// Removes the objects of something that is expanded again from the check table.
    fn forget_objects(&mut self, kind: CheckKind, module: usize, local: &str) {
        let address = format!("{}{local}", self.model.modules[module].prefix);
        if let Some(entry) = self.results.checks.entry_mut(kind, &address).filter(|_| !fault!(StaleChecks)) {
            entry.objects = None;
        }
    }

    /// Restores a resource in both states as it is stored.
    fn restore(&mut self, address: AbsResource) {
        if self.purpose != Purpose::Plan || fault!(StaleState) {
            return;
        }
        let stored = self.workspace.state.as_ref().and_then(|state| state.resources.get(&address));
        for state in [&mut self.previous, &mut self.state] {
            match stored {
                Some(stored) => drop(state.resources.insert(address.clone(), stored.clone())),
                None => drop(state.resources.remove(&address)),
            }
        }
    }

    /// Restores a single instance, beside which others may have nodes of their own.
    fn restore_orphan(&mut self, thing: usize) {
        let address = &self.wired.things[thing].address;
        let resource = address.abs_resource();
        let stored = self.workspace.state.as_ref().and_then(|state| state.resources.get(&resource));
        let Some((provider, instance)) = stored.and_then(|of| Some((&of.provider, of.instances.get(&address.key)?)))
        else {
            return;
        };
        let put = |state: &mut State| state.put(address, provider, instance.clone());
        put(&mut self.previous);
        put(&mut self.state);
    }

    /// Whether other nodes see the same result as before.
    fn is_seen(&self, node: u32, seen: Seen) -> bool {
        let at = self.wired.graph.nodes[node as usize];
        match (seen, at) {
            (Seen::Block(old), Node::Block(block)) => {
                let place = self.model.blocks[block as usize].place;
                old.iter().all(|(inst, repeat, objects)| {
                    let inst = &self.insts[*inst];
                    let is_same = match (repeat, &inst.repeats[place]) {
                        (Some(old), Some(new)) => old.is_same(new),
                        (old, new) => old.is_none() && new.is_none(),
                    };
                    is_same && *objects == inst.objects[place]
                })
            }
            (Seen::Slot(slot, old), _) => {
                old.iter().all(|(inst, value)| self.insts[*inst].slots.value(slot) == value.as_ref())
            }
            (Seen::Output(old), Node::Output(_, place)) => {
                old.iter().all(|(inst, value)| self.insts[*inst].outputs[place as usize] == *value)
            }
            (Seen::Nothing, _) => true,
            (Seen::Provider(old), Node::Provider(provider)) => self.configured[provider as usize] == old,
            _ => false,
        }
    }
}
