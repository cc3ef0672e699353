//! Moves on a copy of the state (G25 to G33), and their diagnostics afterwards (G35 to G41). The objects of a statement are looked up by
//! the names in it, so that many statements in a large state cost no more than both together.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashMap;
use planfuzz_core::address::{
    AbsResource, AbsResourceInstance, InstanceKey, ModuleInstance, ModuleStep, Resource, ResourceMode,
};
use planfuzz_workspace::order::WalkOrder;
use planfuzz_workspace::{Diagnostic, NodeId, Request, State};

use crate::foreign::{self, Taker};
use crate::model::Model;
use crate::statement_order::ordered;
use crate::statements::{self, End, Statement, below};
use crate::walk::{Calls, Walk};

/// The result of moving.
#[derive(Debug, Default)]
pub struct Moved {
    /// The previous address of each moved instance.
    pub from: BTreeMap<AbsResourceInstance, AbsResourceInstance>,
    /// Whether an object at a destination blocked a move (G34).
    pub blocked: bool,
    /// The cycles of the statements (G24).
    pub cycles: usize,
    /// Diagnostics of providers (G32).
    pub diagnostics: Vec<Diagnostic>,
    /// The nodes of the calls: they wait for each other only along chains.
    pub order: WalkOrder,
    /// The call that is still to be made to the provider of each object that came to it from another type or provider.
    pub handovers: BTreeMap<AbsResourceInstance, Request>,
}

/// The state with its resources by the modules that they are in.
struct Places<'s, 'm, 'w, 'c> {
    state: &'s mut State,
    model: &'m Model<'w>,
    calls: &'s mut Calls<'c>,
    /// The walk of the calls, its nodes, and the node that last asked for the object of an address.
    walk: usize,
    order: WalkOrder,
    last: HashMap<AbsResourceInstance, usize>,
    /// By the path of the module, and the resource in it.
    of_path: BTreeMap<(Vec<String>, Resource), BTreeSet<AbsResource>>,
    /// How many resources a module instance has.
    counts: HashMap<ModuleInstance, usize>,
    moved: Moved,
}

/// Applies the statements to a state (G23 to G31).
pub fn apply(found: &[Statement], model: &Model<'_>, state: &mut State, calls: &mut Calls<'_>, walk: usize) -> Moved {
    let without_calls = || Moved { order: WalkOrder::of_one("moves"), ..Moved::default() };
    if found.is_empty() {
        return without_calls();
    }
    let statements = match ordered(model, found) {
        Ok(order) => order,
        Err(cycles) => return Moved { cycles, ..without_calls() },
    };
    let (of_path, counts, last) = (BTreeMap::new(), HashMap::new(), HashMap::new());
    let order = WalkOrder { name: "moves".to_owned(), ..WalkOrder::default() };
    let mut places = Places { state, model, calls, walk, order, last, of_path, counts, moved: Moved::default() };
    let all: Vec<AbsResource> = places.state.resources.keys().cloned().collect();
    all.into_iter().for_each(|address| places.enter(address));
    for statement in statements.into_iter().map(|index| &found[index]) {
        match &statement.from.resource {
            Some(_) => places.move_resources(statement),
            None => places.move_modules(statement),
        }
    }
    let Places { mut moved, state, order, .. } = places;
    moved.order = if order.nodes.is_empty() { WalkOrder::of_one("moves") } else { order };
    if model.dialect.moves_across_in_walks() {
        moved.handovers = foreign::handovers(model, state, &moved.from);
    }
    moved
}

/// The place of a resource in the configuration.
fn place(address: &AbsResource) -> (Vec<String>, Resource) {
    (address.module.module().0, address.resource.clone())
}

impl<'m, 'w> Places<'_, 'm, 'w, '_> {
    fn enter(&mut self, address: AbsResource) {
        if self.of_path.entry(place(&address)).or_default().insert(address.clone()) {
            *self.counts.entry(address.module).or_default() += 1;
        }
    }

    fn leave(&mut self, address: &AbsResource) {
        if self.of_path.get_mut(&place(address)).is_some_and(|all| all.remove(address))
            && let Some(count) = self.counts.get_mut(&address.module)
        {
            *count -= 1;
        }
    }

    /// The instance of the statement's module in the path of a module instance, if the statement applies to it.
    fn base(&self, statement: &Statement, module: &ModuleInstance) -> Option<ModuleInstance> {
        let depth = self.model.modules[statement.module].path.len();
        let base = ModuleInstance(module.0.get(..depth)?.to_vec());
        statement.only.as_ref().is_none_or(|only| *only == base).then_some(base)
    }

    fn path(&self, statement: &Statement) -> Vec<String> {
        let calls = statement.from.calls.iter().map(|(name, _)| name.clone());
        self.model.modules[statement.module].path.iter().cloned().chain(calls).collect()
    }

    fn move_resources(&mut self, statement: &Statement) {
        let (Some((resource, from)), Some((to_resource, to))) = (&statement.from.resource, &statement.to.resource)
        else {
            return;
        };
        let sources: Vec<AbsResource> = match &statement.only {
            Some(only) => vec![AbsResource { module: only.clone(), resource: resource.clone() }],
            None => {
                let all = self.of_path.get(&(self.path(statement), resource.clone()));
                all.into_iter().flatten().cloned().collect()
            }
        };
        for source in sources {
            let Some(base) = self.base(statement, &source.module) else { continue };
            if below(&base, &statement.from.calls).as_ref() != Some(&source.module) {
                continue;
            }
            let Some(module) = below(&base, &statement.to.calls) else { continue };
            let target = AbsResource { module, resource: to_resource.clone() };
            match (from, to) {
                (Some(from), Some(to)) => self.move_one(&at(&source, from), &at(&target, to)),
                _ if source == target => {}
                _ if self.state.resources.contains_key(&target) => self.moved.blocked = true,
                _ => self.relocate_all(&source, target),
            }
        }
    }

    fn move_one(&mut self, from: &AbsResourceInstance, to: &AbsResourceInstance) {
        if from == to || self.state.instance(from).is_none() {
            return;
        }
        match self.state.instance(to).is_some() {
            true => self.moved.blocked = true,
            false => {
                let taker = self.leaving(&from.abs_resource(), &to.abs_resource());
                self.relocate(from, to, taker.as_ref());
            }
        }
    }

    /// G31: the taker of what moves from one resource to another; in some dialects objects are taken in the walk.
    fn taker(&self, from: &AbsResource, to: &AbsResource) -> Option<Taker<'m, 'w>> {
        if self.model.dialect.moves_across_in_walks() {
            return None;
        }
        let provider = &self.state.resources.get(from)?.provider;
        Taker::of(self.model, to, (&from.resource.type_name, provider))
    }

    /// The taker; what the resource leaves its type or provider with is written down.
    fn leaving(&mut self, from: &AbsResource, to: &AbsResource) -> Option<Taker<'m, 'w>> {
        let taker = self.taker(from, to);
        if (taker.is_some() || from.resource.type_name != to.resource.type_name)
            && let Some(stored) = self.state.resources.get_mut(from)
        {
            foreign::write_down(self.model, &from.resource.type_name, stored);
        }
        taker
    }

    fn relocate_all(&mut self, from: &AbsResource, to: AbsResource) {
        let taker = self.leaving(from, &to);
        let stored = self.state.resources.get(from);
        let keys: Vec<InstanceKey> = stored.into_iter().flat_map(|one| one.instances.keys().cloned()).collect();
        for (place, key) in keys.iter().enumerate() {
            let taker = taker.as_ref().filter(|_| place == 0 || !fault!(TakenOnce));
            self.relocate(&at(from, key), &at(&to, key), taker);
        }
        self.relocate_husk(from, to);
    }

    fn move_modules(&mut self, statement: &Statement) {
        let path = self.path(statement);
        let (outer, depth) = (self.model.modules[statement.module].path.len(), path.len());
        let mut sources: BTreeMap<ModuleInstance, Vec<AbsResource>> = BTreeMap::new();
        // No resource comes before this one.
        let first = Resource { mode: ResourceMode::Data, type_name: String::new(), name: String::new() };
        let within = self.of_path.range((path.clone(), first)..);
        for (_, all) in within.take_while(|((found, _), _)| found.starts_with(&path)) {
            for address in all {
                let calls = address.module.0[outer..depth].iter().zip(&statement.from.calls);
                let fits = |(step, (_, key)): (&ModuleStep, &statements::Call)| {
                    key.as_ref().is_none_or(|key| step.key == *key)
                };
                if calls.into_iter().all(fits) {
                    sources.entry(address.module.clone()).or_default().push(address.clone());
                }
            }
        }
        // G25: each module instance moves by itself.
        for (source, resources) in sources {
            let (named, below) = source.0.split_at(depth);
            // Only the last call may mean all its instances (G20), however deep it is.
            let inherited = named[outer..].last().map(|step| step.key.clone()).unwrap_or_default();
            let steps = statement.to.calls.iter().map(|(name, key)| ModuleStep {
                name: name.clone(),
                key: key.clone().unwrap_or_else(|| inherited.clone()),
            });
            let target = ModuleInstance(named[..outer].iter().cloned().chain(steps).chain(below.to_vec()).collect());
            if source == target {
                continue;
            }
            // G28
            if self.counts.get(&target).is_some_and(|count| *count > 0) {
                self.moved.blocked = true;
                continue;
            }
            for from in resources {
                let to = AbsResource { module: target.clone(), resource: from.resource.clone() };
                self.relocate_all(&from, to);
            }
        }
    }

    /// G31a: a resource without instances moves as a whole.
    fn relocate_husk(&mut self, from: &AbsResource, to: AbsResource) {
        if self.state.resources.get(from).is_none_or(|stored| !stored.instances.is_empty()) {
            return;
        }
        let Some(stored) = self.state.resources.remove(from) else { return };
        self.leave(from);
        self.enter(to.clone());
        self.state.resources.insert(to, stored);
    }

    /// G26, G26a, G27: an object is taken while it is in its old place, so that what is left there has the provider of the taker.
    fn relocate(&mut self, from: &AbsResourceInstance, to: &AbsResourceInstance, taker: Option<&Taker<'m, 'w>>) {
        let source = from.abs_resource();
        let Some(stored) = self.state.resources.get_mut(&source) else { return };
        let Some(mut instance) = stored.instances.remove(&from.key) else { return };
        if let (Some(taker), Some(object)) = (taker, instance.current.as_mut())
            && let Some(request) = taker.request(object)
        {
            let node = self.order.nodes.len();
            if self.calls.keeps_order() {
                self.order.nodes.push(to.to_string());
                self.order.waits_for.push(self.last.get(from).copied().into_iter().collect());
                self.last.insert(to.clone(), node);
            }
            let answer = self.calls.ask(NodeId { walk: self.walk, node }, "", taker.call(request));
            if taker.take(object, answer, &mut self.moved.diagnostics) {
                stored.provider = taker.named.clone();
            }
        }
        let provider = stored.provider.clone();
        if stored.instances.is_empty() {
            self.state.resources.remove(&source);
            self.leave(&source);
        }
        let kept = self.state.resources.get(&to.abs_resource()).map(|there| there.provider.clone());
        self.state.put(to, &kept.unwrap_or(provider), instance);
        if self.state.resources.contains_key(&to.abs_resource()) {
            self.enter(to.abs_resource());
        }
        let first = self.moved.from.remove(from).filter(|_| !fault!(ChainForgotten)).unwrap_or_else(|| from.clone());
        self.moved.from.insert(to.clone(), first);
    }
}

fn at(resource: &AbsResource, key: &InstanceKey) -> AbsResourceInstance {
    AbsResourceInstance { module: resource.module.clone(), resource: resource.resource.clone(), key: key.clone() }
}

/// G38, G39: an end of a statement as seen from the root, so that ends in several modules can be compared. A last part without key means
/// all its instances; an earlier module without key means the instance without key.
fn from_root(base: &ModuleInstance, end: &End) -> End {
    let mut calls: Vec<_> = base.0.iter().map(|step| (step.name.clone(), Some(step.key.clone()))).collect();
    calls.extend(end.calls.iter().cloned());
    let last = match &end.resource {
        Some(_) => None,
        None => calls.pop(),
    };
    for (_, key) in &mut calls {
        key.get_or_insert(InstanceKey::None);
    }
    calls.extend(last);
    End { calls, resource: end.resource.clone() }
}

impl Walk<'_, '_, '_, '_> {
    /// G35 to G41: the errors of the statements against the expansion of the walk.
    pub fn check_moves(&self, found: &[Statement], cycles: usize) -> Vec<Diagnostic> {
        let mut diagnostics = Vec::new();
        let mut froms: HashMap<usize, usize> = HashMap::new();
        let mut tos: HashMap<usize, usize> = HashMap::new();
        let mut numbers: HashMap<End, usize> = HashMap::new();
        let mut number = |inst: usize, end: &End| {
            let next = numbers.len();
            *numbers.entry(from_root(&self.insts[inst].address, end)).or_insert(next)
        };
        for statement in found {
            let insts: Vec<usize> = match &statement.only {
                Some(only) => {
                    self.inst_of(only).filter(|&inst| self.insts[inst].module == statement.module).into_iter().collect()
                }
                None => self.insts.of(statement.module).to_vec(),
            };
            for inst in insts {
                let (from_number, to_number) = (number(inst, &statement.from), number(inst, &statement.to));
                if from_number == to_number {
                    diagnostics.push(Diagnostic::error("Redundant move statement"));
                    continue;
                }
                if self.is_declared(inst, &statement.from) {
                    diagnostics.push(Diagnostic::error("Moved object still exists"));
                }
                // G38, G39: the first statement of an end counts.
                let firsts = [
                    *froms.entry(from_number).or_insert(to_number) != to_number,
                    *tos.entry(to_number).or_insert(from_number) != from_number,
                ];
                diagnostics.extend(
                    firsts.iter().filter(|other| **other).map(|_| Diagnostic::error("Ambiguous move statements")),
                );
            }
        }
        if diagnostics.is_empty() {
            diagnostics.extend((0..cycles).map(|_| Diagnostic::error("Cyclic dependency in move statements")));
        }
        diagnostics
    }

    /// G37.
    fn is_declared(&self, inst: usize, from: &End) -> bool {
        let base = &self.insts[inst];
        let calls = from.calls.iter().map(|(name, _)| name.clone());
        let path: Vec<String> = self.model.modules[base.module].path.iter().cloned().chain(calls).collect();
        let Some(module) = self.model.module(&path) else { return false };
        let address = below(&base.address, &from.calls);
        let meant = address.as_ref().and_then(|address| self.inst_of(address));
        match &from.resource {
            Some((resource, key)) => {
                // The node that reports a target without a block has declared its instance.
                let is_imported = || {
                    let place = address.map(|module| AbsResource { module, resource: resource.clone() });
                    let is_single = key.as_ref().is_none_or(|key| *key == InstanceKey::None);
                    is_single && place.is_some_and(|place| self.importing.nowhere.contains(&place))
                };
                self.expands(meant, module, resource, key.as_ref()) || is_imported()
            }
            None => match from.calls.split_last() {
                // A call without a key is there if it was expanded, with whatever instances.
                Some(((_, None), outer)) => {
                    let caller = below(&base.address, outer).and_then(|address| self.inst_of(&address));
                    caller.is_some_and(|inst| self.insts[inst].calls.contains_key(&module))
                }
                _ => meant.is_some(),
            },
        }
    }

    fn expands(&self, inst: Option<usize>, module: usize, resource: &Resource, key: Option<&InstanceKey>) -> bool {
        let (Some(inst), Some(block)) = (inst, self.model.find(module, resource)) else { return false };
        let repeat = self.insts[inst].repeats[self.model.blocks[block].place].as_ref();
        repeat.is_some_and(|repeat| key.is_none_or(|key| repeat.place(key).is_some()))
    }
}
