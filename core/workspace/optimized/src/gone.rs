//! Objects without configuration: orphans, deposed objects, and the objects of a destroying walk (G52, G53, G82).

use hashbrown::HashMap;
use planfuzz_core::address::{AbsResourceInstance, ProviderConfig, Resource, ResourceKind, ResourceMode};
use planfuzz_core::planner::{KeyKind, Orphan, Plan, PlanOptions, PlanRequest, Presence, PreventDestroy};
use planfuzz_core::plans::{ActionReason, Mode};
use planfuzz_core::state::{DeposedKey, InstanceState};
use planfuzz_core::value::Text;
use planfuzz_language::config::{StepKind, Traversal};
use planfuzz_workspace::{Diagnostic, ResourceState, State};

use crate::blocks::{Taken, prevent_destroy};
use crate::configured::resource;
use crate::diagnostics;
use crate::instances::kind;
use crate::model::Model;
use crate::walk::{Purpose, Walk};

impl Walk<'_, '_, '_, '_> {
    /// G52: an object without a block.
    pub fn visit_orphan(&mut self, thing: usize) -> bool {
        // G15: except for instances of a block.
        if self.purpose == Purpose::Import && !fault!(ImportTakesOrphans) {
            return true;
        }
        let address = self.wired.things[thing].address.clone();
        let presence = self.presence(&address);
        let mut taken = self.take_for(&address);
        let stored = taken.state.as_ref().map(|stored| self.model.passed_on(&stored.provider).into_owned());
        let is_fine = stored.is_none_or(|provider| self.plan_gone(&address, &provider, presence, &mut taken));
        self.put_back(taken);
        is_fine
    }

    /// G45
    fn presence(&self, address: &AbsResourceInstance) -> Presence {
        let orphan = Orphan { block: false, module: true, ..Orphan::default() };
        match self.is_removed(address) {
            true => Presence::Removed(orphan),
            false => Presence::Orphan(orphan),
        }
    }

    fn mode(&self) -> Mode {
        match self.purpose {
            Purpose::Refresh | Purpose::Import => Mode::RefreshOnly,
            Purpose::Destroy => Mode::Destroy,
            _ => Mode::Normal,
        }
    }

    fn options_of(&self, address: &AbsResourceInstance) -> PlanOptions {
        PlanOptions {
            skip_refresh: self.skips_refresh() || self.purpose == Purpose::Destroy,
            moved_from: self.moved.get(address).map(|from| Text::new(&from.to_string())),
            ..PlanOptions::default()
        }
    }

    /// Plans an object that is not configured: an orphan with its stored provider, or an instance that is not declared, with that of its
    /// block (E112).
    pub fn plan_gone(
        &mut self,
        address: &AbsResourceInstance,
        provider: &ProviderConfig,
        presence: Presence,
        taken: &mut Taken,
    ) -> bool {
        let Some(typed) = self.typed_of(&taken.address, provider) else { return self.unreadable(address) };
        let request = PlanRequest {
            kind: kind(address.resource.mode),
            mode: self.mode(),
            options: self.options_of(address),
            state: taken.current(&address.key),
            presence,
        };
        let (plan, is_fine) = self.plan_stored(typed, address, provider, &request);
        self.record_plan(address, provider, plan, taken);
        is_fine
    }

    /// G85: a destruction uses the provider that the block of an object has now.
    fn provider_of(&self, block: usize) -> ProviderConfig {
        self.model.address_of(block).clone()
    }

    /// G52: the error for a managed object whose type has no schema at its provider.
    fn unreadable(&mut self, address: &AbsResourceInstance) -> bool {
        const BUG: &str = "while reading state; this is a bug in Terraform and should be reported";
        address.resource.mode != ResourceMode::Managed
            || self.report(vec![Diagnostic::error(format!("no schema available for {address} {BUG}"))])
    }

    /// Plans an object of the state that has no configuration.
    fn plan_stored(
        &mut self,
        typed: usize,
        address: &AbsResourceInstance,
        provider: &ProviderConfig,
        request: &PlanRequest,
    ) -> (Plan, bool) {
        let visit = address.to_string();
        let (plan, _) = self.ask_plan(typed, address, &visit, provider, false, request);
        // G52
        let about = self.model.block_of(address).map(|_| visit.as_str());
        let diagnostics = plan.diagnostics.iter().map(|one| diagnostics::of_instance(one, about)).collect();
        let is_fine = self.report(diagnostics);
        (plan, is_fine)
    }

    /// G53: a deposed object.
    pub fn visit_deposed(&mut self, thing: usize) -> bool {
        if self.purpose == Purpose::Apply {
            return self.destroy_deposed(thing);
        }
        // G15
        if self.purpose == Purpose::Import {
            return true;
        }
        let (address, key) = (self.wired.things[thing].address.clone(), self.wired.things[thing].key.clone());
        let resource = address.abs_resource();
        let (Some(key), Some(stored)) = (key, self.state.resources.get(&resource)) else { return true };
        let provider = match self.wired.things[thing].block.filter(|_| !fault!(DeposedByStored)) {
            Some(block) => self.provider_of(block),
            None => self.model.passed_on(&stored.provider).into_owned(),
        };
        let Some(typed) = self.typed_of(&resource, &provider) else { return self.unreadable(&address) };
        let object = stored.instances.get(&address.key).and_then(|instance| instance.deposed.get(&key)).cloned();
        let state =
            InstanceState { current: None, deposed: object.map(|object| (key.clone(), object)).into_iter().collect() };
        let presence = match self.purpose {
            Purpose::Destroy => Presence::Orphan(Orphan { block: false, module: true, ..Orphan::default() }),
            _ => self.presence(&address),
        };
        let request = PlanRequest {
            kind: ResourceKind::Managed,
            mode: self.mode(),
            options: self.options_of(&address),
            state,
            presence,
        };
        let (plan, is_fine) = self.plan_stored(typed, &address, &provider, &request);
        self.note_found(ResourceMode::Managed, &plan);
        // The other objects of the instance stay as they were.
        put_deposed(&mut self.previous, &address, &provider, &key, plan.previous_run);
        put_deposed(&mut self.state, &address, &provider, &key, plan.refreshed);
        self.record_changes(&address, &provider, plan.changes, plan.drift);
        is_fine
    }

    /// The destroying walk: plans an object (G82, G86).
    pub fn plan_destroy(&mut self, thing: usize) -> bool {
        let address = self.wired.things[thing].address.clone();
        let resource = address.abs_resource();
        let Some(provider) = self.state.resources.get(&resource).map(|stored| stored.provider.clone()) else {
            return true;
        };
        let block = self.wired.things[thing].block;
        let passed = || self.model.passed_on(&provider).into_owned();
        let provider = block.map_or_else(passed, |block| self.provider_of(block));
        let Some(typed) = self.typed_of(&resource, &provider) else { return self.unreadable(&address) };
        let lifecycle = block.map(|block| &self.model.blocks[block].of.lifecycle);
        let orphan = Orphan {
            block: block.is_some(),
            module: true,
            key: KeyKind::None,
            prevent_destroy: lifecycle.map_or(PreventDestroy::No, prevent_destroy),
            ..Orphan::default()
        };
        let mut taken = self.take_for(&address);
        let request = PlanRequest {
            kind: kind(address.resource.mode),
            mode: Mode::Destroy,
            options: self.options_of(&address),
            state: taken.current(&address.key),
            presence: Presence::Orphan(orphan),
        };
        let before = self.results.changes.len();
        let (plan, is_fine) = self.plan_stored(typed, &address, &provider, &request);
        self.record_plan(&address, &provider, plan, &mut taken);
        self.put_back(taken);
        if let Some(change) = self.results.changes[before..].last_mut() {
            change.planned.reason = ActionReason::None;
        }
        is_fine
    }

    /// G45: whether a `removed` block says to forget an object: the first one that names the object, or a module around it, decides.
    fn is_removed(&self, address: &AbsResourceInstance) -> bool {
        if self.purpose == Purpose::Refresh {
            return false;
        }
        let removed = self.objects.removed.get_or_init(|| removed_blocks(self.model));
        if removed.is_empty() {
            return false;
        }
        let path = address.module.module().0;
        let around = (0..=path.len()).map(|depth| (path[..depth].to_vec(), None));
        let mut named = around.chain([(path.clone(), Some(address.resource.clone()))]);
        named.any(|named| removed.get(&named).is_some_and(|blocks| blocks.iter().any(|(_, forgets)| *forgets)))
    }
}

/// The `removed` blocks by what they name, a module or a resource in it: with how many names lead there from the root, and whether they say
/// to forget. Of those with as many names the first counts.
pub type Removed = HashMap<(Vec<String>, Option<Resource>), Vec<(usize, bool)>>;

fn removed_blocks(model: &Model<'_>) -> Removed {
    let mut found = Removed::new();
    for module in &model.modules {
        for removed in &module.of.removed {
            let named = match below(&module.path, &removed.from) {
                Some((path, None)) => (path, None),
                Some((path, Some(at))) => match resource(&at) {
                    Some((resource, _)) => (path, Some(resource)),
                    None => continue,
                },
                None => continue,
            };
            let depth = 2 * module.path.len() + names_in(&removed.from);
            let blocks: &mut Vec<(usize, bool)> = found.entry(named).or_default();
            if blocks.iter().all(|(known, _)| *known != depth) {
                blocks.push((depth, removed.destroy.as_ref().is_some_and(|destroy| !destroy.value)));
            }
        }
    }
    found
}

/// How many names a reference is written with.
fn names_in(from: &Traversal) -> usize {
    1 + from.steps.iter().filter(|step| matches!(step.kind, StepKind::Attribute(_))).count()
}

/// Stores the result of a deposed object beside the other objects of its instance.
fn put_deposed(
    into: &mut State,
    address: &AbsResourceInstance,
    provider: &ProviderConfig,
    key: &DeposedKey,
    result: InstanceState,
) {
    let resource = address.abs_resource();
    let empty = || ResourceState { provider: provider.clone(), instances: Default::default() };
    let stored = into.resources.entry(resource.clone()).or_insert_with(empty);
    let instance = stored.instances.or_default(&address.key);
    instance.deposed.remove(key);
    instance.deposed.extend(result.deposed);
    match instance.is_absent() {
        true => drop(stored.instances.remove(&address.key)),
        // Also if the block is not planned because of an error of its own.
        false => stored.provider.clone_from(provider),
    }
    if stored.instances.is_empty() {
        into.resources.remove(&resource);
    }
}

/// The path of the module that a reference leads to, and the rest of the reference in it; `None` if it names the module itself.
pub fn below(path: &[String], from: &Traversal) -> Option<(Vec<String>, Option<Traversal>)> {
    let (mut module, mut at) = (path.to_vec(), from.clone());
    while &*at.root == "module" {
        let mut steps = std::mem::take(&mut at.steps).into_iter();
        let Some(StepKind::Attribute(name)) = steps.next().map(|step| step.kind) else { return None };
        module.push(name.to_string());
        let mut rest = steps.skip_while(|step| matches!(step.kind, StepKind::Index(_)));
        match rest.next().map(|step| step.kind) {
            Some(StepKind::Attribute(root)) => (at.root, at.steps) = (root, rest.collect()),
            _ => return Some((module, None)),
        }
    }
    Some((module, Some(at)))
}
