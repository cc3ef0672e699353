//! Moves (section 3 of workspace-plan.md): statements, explicit and implied, in their order, on a copy of the state.

use std::collections::BTreeMap;

use planfuzz_core::address::{AbsResource, AbsResourceInstance, InstanceKey, ModuleInstance, ModuleStep};
use planfuzz_workspace::order::WalkOrder;
use planfuzz_workspace::{Diagnostic, Request, State};

use crate::across::{self, Crossing};
use crate::asked::Calls;
use crate::layout::Layout;
use crate::statements::{Statement, ordered};

/// The result of moving.
#[derive(Debug, Default)]
pub struct Moved {
    /// The previous address of each moved instance.
    pub from: BTreeMap<AbsResourceInstance, AbsResourceInstance>,
    /// Whether an object at a destination blocked a move (G34).
    pub blocked: bool,
    /// The cycles of the statements (G24).
    pub cycles: usize,
    /// Errors (G32).
    pub diagnostics: Vec<Diagnostic>,
    /// The calls of the moves (G31). Statements are applied in any order in which chains hold, and instances in any order.
    pub order: WalkOrder,
    /// The requests for objects that their new provider has still to take over (section 17).
    pub handovers: BTreeMap<AbsResourceInstance, Request>,
}

/// Applies the statements to a state (G23 to G31).
pub fn apply(
    statements: &[Statement],
    layout: &Layout<'_>,
    state: &mut State,
    calls: &mut Calls<'_>,
    walk: usize,
) -> Moved {
    let order = match ordered(statements) {
        Ok(order) => order,
        Err(cycles) => return Moved { cycles, order: WalkOrder::of_one("moves"), ..Moved::default() },
    };
    let mut mover = Mover { layout, state, calls, walk, asked: Vec::new(), moved: Moved::default() };
    for statement in order.into_iter().map(|index| &statements[index]) {
        for module in module_instances(mover.state, statement) {
            match &statement.from.resource {
                Some(_) => mover.move_resource(statement, &module),
                None => mover.move_module(statement, &module),
            }
        }
    }
    let Mover { state, asked, mut moved, .. } = mover;
    moved.order = across::order(&asked);
    if layout.dialect.moves_across_in_walks() {
        moved.handovers = across::handovers(layout, state, &moved.from);
    }
    moved
}

/// A state in which objects are being moved.
pub struct Mover<'m, 'l, 'c> {
    pub(crate) layout: &'m Layout<'l>,
    pub(crate) state: &'m mut State,
    pub(crate) calls: &'m mut Calls<'c>,
    /// The number of the walk.
    pub(crate) walk: usize,
    /// The addresses from and to which objects moved that a provider was asked for.
    pub(crate) asked: Vec<(AbsResourceInstance, AbsResourceInstance)>,
    pub(crate) moved: Moved,
}

/// The module instances of the state to which a statement applies, outer ones included.
fn module_instances(state: &State, statement: &Statement) -> Vec<ModuleInstance> {
    if let Some(only) = &statement.only {
        return vec![only.clone()];
    }
    let mut found: Vec<ModuleInstance> = Vec::new();
    for address in state.resources.keys() {
        let depth = statement.module.len();
        let outer = ModuleInstance(address.module.0.iter().take(depth).cloned().collect());
        if outer.module().0 == statement.module && !found.contains(&outer) {
            found.push(outer);
        }
    }
    found
}

/// Whether a module instance is one that these calls name, below an instance.
pub fn matches(base: &ModuleInstance, calls: &[(String, Option<InstanceKey>)], module: &ModuleInstance) -> bool {
    module.0.len() == base.0.len() + calls.len()
        && module.0.starts_with(&base.0)
        && module.0[base.0.len()..]
            .iter()
            .zip(calls)
            .all(|(step, (name, key))| step.name == *name && key.as_ref().is_none_or(|key| step.key == *key))
}

/// The module instance of a destination: only its last call may leave out the key, which is then that of the last call of the source.
fn destination(base: &ModuleInstance, from: &ModuleInstance, to: &[(String, Option<InstanceKey>)]) -> ModuleInstance {
    let last = from.0[base.0.len()..].last().filter(|_| !fault!(MoveDropsKey));
    let inherited = last.map(|step| step.key.clone()).unwrap_or_default();
    let steps = to
        .iter()
        .map(|(name, key)| ModuleStep { name: name.clone(), key: key.clone().unwrap_or_else(|| inherited.clone()) });
    ModuleInstance(base.0.iter().cloned().chain(steps).collect())
}

impl Mover<'_, '_, '_> {
    fn move_resource(&mut self, statement: &Statement, base: &ModuleInstance) {
        let (Some((resource, key)), Some((to_resource, to_key))) = (&statement.from.resource, &statement.to.resource)
        else {
            return;
        };
        let is_meant = |address: &&AbsResource| {
            address.resource == *resource && matches(base, &statement.from.calls, &address.module)
        };
        let sources: Vec<AbsResource> = self.state.resources.keys().filter(is_meant).cloned().collect();
        for source in sources {
            let module = destination(base, &source.module, &statement.to.calls);
            let target = AbsResource { module, resource: to_resource.clone() };
            if let (Some(from_key), Some(to_key)) = (key, to_key) {
                self.move_one(&at(&source, from_key), &at(&target, to_key));
            } else if source != target {
                match self.state.resources.contains_key(&target) {
                    true => self.moved.blocked = true,
                    false => self.move_all(&source, &target),
                }
            }
        }
    }

    fn move_one(&mut self, from: &AbsResourceInstance, to: &AbsResourceInstance) {
        if from == to || self.state.instance(from).is_none() {
            return;
        }
        if self.state.instance(to).is_some() {
            self.moved.blocked = true;
            return;
        }
        let crossing = self.crossing(&from.abs_resource(), &to.abs_resource());
        self.write_down(&from.abs_resource(), &to.abs_resource(), crossing.is_some());
        self.move_instance(from, to, crossing.as_ref());
    }

    /// All instances of a resource, or the resource alone if it has none.
    fn move_all(&mut self, source: &AbsResource, target: &AbsResource) {
        let Some(stored) = self.state.resources.get(source) else { return };
        let keys: Vec<InstanceKey> = stored.instances.keys().cloned().collect();
        let crossing = self.crossing(source, target);
        self.write_down(source, target, crossing.is_some());
        for key in keys {
            self.move_instance(&at(source, &key), &at(target, &key), crossing.as_ref());
        }
        self.move_husk(source, target);
    }

    fn move_module(&mut self, statement: &Statement, base: &ModuleInstance) {
        let depth = base.0.len() + statement.from.calls.len();
        let mut sources: Vec<ModuleInstance> = Vec::new();
        for address in self.state.resources.keys() {
            let prefix = ModuleInstance(address.module.0.iter().take(depth).cloned().collect());
            if matches(base, &statement.from.calls, &prefix) && !sources.contains(&address.module) {
                sources.push(address.module.clone());
            }
        }
        // G25: module instances below the named one move each on its own.
        for source in sources {
            let (outer, below) = source.0.split_at(depth);
            let mut target = destination(base, &ModuleInstance(outer.to_vec()), &statement.to.calls);
            target.0.extend_from_slice(below);
            if source == target {
                continue;
            }
            // G28
            if self.state.resources.keys().any(|address| address.module == target) && !fault!(MoveOverOccupied) {
                self.moved.blocked = true;
                continue;
            }
            let resources: Vec<AbsResource> =
                self.state.resources.keys().filter(|address| address.module == source).cloned().collect();
            for from in resources {
                self.move_all(&from, &AbsResource { module: target.clone(), ..from.clone() });
            }
        }
    }

    /// G31a: a resource without instances moves with the statement that names it, or a module around it.
    fn move_husk(&mut self, from: &AbsResource, to: &AbsResource) {
        let is_husk = self.state.resources.get(from).is_some_and(|stored| stored.instances.is_empty());
        if is_husk
            && !fault!(HuskLeftBehind)
            && let Some(stored) = self.state.resources.remove(from)
        {
            self.state.resources.insert(to.clone(), stored);
        }
    }

    /// G26, G27, G31.
    fn move_instance(&mut self, from: &AbsResourceInstance, to: &AbsResourceInstance, crossing: Option<&Crossing<'_>>) {
        if let Some(crossing) = crossing {
            self.take_over(from, to, crossing);
        }
        let Some(stored) = self.state.resources.get_mut(&from.abs_resource()) else { return };
        let provider = stored.provider.clone();
        let Some(instance) = stored.instances.remove(&from.key) else { return };
        if stored.instances.is_empty() && !fault!(HuskKept) {
            self.state.resources.remove(&from.abs_resource());
        }
        // G26a: a resource that is stored keeps its provider.
        let provider = self.state.resources.get(&to.abs_resource()).map_or(provider, |there| there.provider.clone());
        self.state.put(to, &provider, instance);
        let from_before = self.moved.from.remove(from).filter(|_| !fault!(MoveChainCut));
        let first = from_before.unwrap_or_else(|| from.clone());
        self.moved.from.insert(to.clone(), first);
    }
}

fn at(resource: &AbsResource, key: &InstanceKey) -> AbsResourceInstance {
    AbsResourceInstance { module: resource.module.clone(), resource: resource.resource.clone(), key: key.clone() }
}
