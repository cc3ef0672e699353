//! Moves (section 3 of workspace-plan.md): statements, explicit and implied, in their order, on a copy of the state.

use std::collections::BTreeMap;
use std::sync::Arc;

use planfuzz_core::address::{
    AbsResource, AbsResourceInstance, InstanceKey, ModuleInstance, ModuleStep, ProviderSource, ResourceMode,
};
use planfuzz_core::json::Json;
use planfuzz_core::planner::Severity;
use planfuzz_core::state::Stored;
use planfuzz_core::value::{PathSet, Text};
use planfuzz_workspace::{Call, Diagnostic, NodeId, Outcome, Request, State};

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
    /// Objects that come from another type or provider, and that their new provider has still to take over (section 17).
    pub across: BTreeMap<AbsResourceInstance, Handover>,
}

/// The call of a provider that takes over an object of another type or provider.
#[derive(Clone, Debug)]
pub struct Handover {
    /// The call.
    pub request: Request,
}

/// Applies the statements to a state (G23 to G31).
pub fn apply(
    statements: &[Statement],
    layout: &Layout<'_>,
    state: &mut State,
    calls: &mut Calls<'_>,
    node: NodeId,
) -> Moved {
    let mut moved = Moved::default();
    let order = match ordered(statements) {
        Ok(order) => order,
        Err(cycles) => return Moved { cycles, ..moved },
    };
    for statement in order.into_iter().map(|index| &statements[index]) {
        for module in module_instances(state, statement) {
            match &statement.from.resource {
                Some(_) => move_resource(statement, &module, state, &mut moved),
                None => move_module(statement, &module, state, &mut moved),
            }
        }
    }
    across(layout, state, &mut moved, calls, node);
    moved
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

fn move_resource(statement: &Statement, base: &ModuleInstance, state: &mut State, moved: &mut Moved) {
    let (Some((resource, key)), Some((to_resource, to_key))) = (&statement.from.resource, &statement.to.resource)
    else {
        return;
    };
    let sources: Vec<AbsResource> = state
        .resources
        .keys()
        .filter(|address| address.resource == *resource && matches(base, &statement.from.calls, &address.module))
        .cloned()
        .collect();
    for source in sources {
        let module = destination(base, &source.module, &statement.to.calls);
        let target = AbsResource { module, resource: to_resource.clone() };
        match (key, to_key) {
            (Some(from_key), Some(to_key)) => {
                let from = at(&source, from_key);
                let to = at(&target, to_key);
                if from == to || state.instance(&from).is_none() {
                    continue;
                }
                if state.instance(&to).is_some() {
                    moved.blocked = true;
                    continue;
                }
                move_instance(state, moved, &from, &to);
            }
            _ => {
                if source == target {
                    continue;
                }
                if state.resources.contains_key(&target) {
                    moved.blocked = true;
                    continue;
                }
                let keys: Vec<InstanceKey> =
                    state.resources.get(&source).iter().flat_map(|stored| stored.instances.keys().cloned()).collect();
                for key in keys {
                    move_instance(state, moved, &at(&source, &key), &at(&target, &key));
                }
                move_husk(state, &source, target);
            }
        }
    }
}

fn move_module(statement: &Statement, base: &ModuleInstance, state: &mut State, moved: &mut Moved) {
    let depth = base.0.len() + statement.from.calls.len();
    let mut sources: Vec<ModuleInstance> = Vec::new();
    for address in state.resources.keys() {
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
        if state.resources.keys().any(|address| address.module == target) && !fault!(MoveOverOccupied) {
            moved.blocked = true;
            continue;
        }
        let addresses: Vec<AbsResourceInstance> =
            state.instances().map(|(address, _, _)| address).filter(|address| address.module == source).collect();
        for from in addresses {
            let to = AbsResourceInstance { module: target.clone(), ..from.clone() };
            move_instance(state, moved, &from, &to);
        }
        let husks: Vec<AbsResource> =
            state.resources.keys().filter(|address| address.module == source).cloned().collect();
        for from in husks {
            let to = AbsResource { module: target.clone(), ..from.clone() };
            move_husk(state, &from, to);
        }
    }
}

fn at(resource: &AbsResource, key: &InstanceKey) -> AbsResourceInstance {
    AbsResourceInstance { module: resource.module.clone(), resource: resource.resource.clone(), key: key.clone() }
}

/// G31a: a resource without instances moves with the statement that names it, or a module around it.
fn move_husk(state: &mut State, from: &AbsResource, to: AbsResource) {
    let is_husk = state.resources.get(from).is_some_and(|stored| stored.instances.is_empty());
    if is_husk
        && !fault!(HuskLeftBehind)
        && let Some(stored) = state.resources.remove(from)
    {
        state.resources.insert(to, stored);
    }
}

/// G26, G27.
fn move_instance(state: &mut State, moved: &mut Moved, from: &AbsResourceInstance, to: &AbsResourceInstance) {
    let Some(stored) = state.resources.get_mut(&from.abs_resource()) else { return };
    let provider = stored.provider.clone();
    let Some(instance) = stored.instances.remove(&from.key) else { return };
    if stored.instances.is_empty() && !fault!(HuskKept) {
        state.resources.remove(&from.abs_resource());
    }
    state.put(to, &provider, instance);
    let first = moved.from.remove(from).filter(|_| !fault!(MoveChainCut)).unwrap_or_else(|| from.clone());
    moved.from.insert(to.clone(), first);
}

/// The stored attributes of an object and their version, also if it has been read by now (G12).
fn written(layout: &Layout<'_>, source: &ProviderSource, type_name: &str, stored: &Stored) -> Option<(u64, Arc<Json>)> {
    if let Stored::Raw { version, attributes } = stored {
        return Some((*version, attributes.clone()));
    }
    let types = &layout.schemas.provider(&source.to_string())?.types;
    let schema = types.get(&(ResourceMode::Managed, type_name.to_owned()))?;
    stored.written(&schema.implied_type(layout.dialect), schema.version).ok()
}

/// G31: objects that come to another type or provider are handed to the provider of their destination.
fn across(layout: &Layout<'_>, state: &mut State, moved: &mut Moved, calls: &mut Calls<'_>, node: NodeId) {
    let all: Vec<(AbsResourceInstance, AbsResourceInstance)> =
        moved.from.iter().map(|(to, from)| (to.clone(), from.clone())).collect();
    for (to, from) in all {
        let Some(module) = layout.module_of(&to.module) else { continue };
        let Some(block) = layout.find(module, &to.resource) else { continue };
        let of = &layout.blocks[block];
        let Some(stored) = state.resources.get(&to.abs_resource()) else { continue };
        let source: ProviderSource = stored.provider.source.clone();
        if from.resource.type_name == to.resource.type_name && source == of.provider.source
            || to.resource.mode != ResourceMode::Managed
        {
            continue;
        }
        let Some(mut instance) = stored.instances.get(&to.key).cloned() else { continue };
        let Some(object) = instance.current.as_mut() else { continue };
        let Some(written) = written(layout, &source, &from.resource.type_name, &object.stored) else { continue };
        let (version, attributes) = written;
        let request = Request::Move {
            source_type: Text::new(&from.resource.type_name),
            source_provider: Text::new(&source.to_string()),
            source_version: version,
            raw: attributes.clone(),
            private: object.private.clone(),
        };
        // Section 17: OpenTofu asks in the walk, in the place of the upgrade.
        if layout.dialect.moves_across_in_walks() {
            let version = of.schema.map_or(version, |schema| schema.version);
            object.stored = Stored::Raw { version, attributes };
            moved.across.insert(to.clone(), Handover { request });
            state.put(&to, &of.provider, instance);
            continue;
        }
        let type_name = Some(Text::new(&to.resource.type_name));
        let call = Call { provider: of.provider.source.clone(), configured: None, type_name, request };
        let answer = calls.ask(node, "", call);
        let diagnostics = answer.remarks.iter().map(|remark| crate::diagnostics::remark(remark, None));
        moved.diagnostics.extend(diagnostics);
        let failed = answer.remarks.iter().any(|remark| remark.severity == Severity::Error);
        if let (Some(Outcome::Object { value, private }), Some(schema), false) = (answer.outcome, of.schema, failed) {
            let attributes = value.view().to_stored_json(&schema.implied_type(layout.dialect));
            if let Ok(attributes) = attributes {
                object.stored = Stored::Raw { version: schema.version, attributes: attributes.into() };
                object.private = private;
                object.sensitive = PathSet::EMPTY;
            }
        }
        state.put(&to, &of.provider, instance);
    }
}
