//! Objects without configuration: orphans, deposed objects, and the objects of a destroying walk (G52, G53, G82).

use std::collections::BTreeMap;

use planfuzz_core::address::{AbsResourceInstance, ProviderConfig, ResourceKind, ResourceMode};
use planfuzz_core::planner::{KeyKind, Orphan, PlanOptions, PlanRequest, Planner, Presence, PreventDestroy, Recorder};
use planfuzz_core::plans::{self, Mode};
use planfuzz_core::schema::Schema;
use planfuzz_core::state::{DeposedKey, InstanceState};
use planfuzz_core::value::Text;
use planfuzz_language::config::{self, StepKind};
use planfuzz_reference::Reference;
use planfuzz_workspace::Diagnostic;

use crate::asked::{Asked, Ends};
use crate::blocks::prevent_destroy;
use crate::instances::{kind, refused};
use crate::references;
use crate::walk::{Purpose, Walk};

impl<'p> Walk<'_, '_, 'p> {
    /// G52: an object without a block.
    pub fn visit_orphan(&mut self, address: &AbsResourceInstance) -> bool {
        // G15: except for instances of a block.
        if self.purpose == Purpose::Import {
            return true;
        }
        let orphan = Orphan { block: false, module: true, ..Orphan::default() };
        let presence = match self.is_removed(address) {
            true => Presence::Removed(orphan),
            false => Presence::Orphan(orphan),
        };
        let stored = self.state.resources.get(&address.abs_resource());
        let provider = stored.map(|stored| self.layout.passed_on(&stored.provider));
        provider.is_none_or(|provider| self.plan_gone(address, &provider, presence))
    }

    /// Plans an object that is not configured: an orphan with its stored provider, an instance that is not declared with that of its block
    /// (E112).
    pub fn plan_gone(&mut self, address: &AbsResourceInstance, provider: &ProviderConfig, presence: Presence) -> bool {
        let Some(schema) = self.schema_of(address, provider) else { return self.unreadable(address) };
        let mut stored = self.stored(address);
        let deposed = std::mem::take(&mut stored.deposed);
        let mode = match self.purpose {
            _ if self.purpose.plans_nothing() => Mode::RefreshOnly,
            _ => Mode::Normal,
        };
        let request = PlanRequest {
            kind: kind(address.resource.mode),
            mode,
            options: self.options_of(address),
            state: stored,
            presence,
        };
        self.plan_stored(address, provider, schema, &request, deposed, false)
    }

    /// G52: the error for a managed object whose type has no schema at its provider.
    fn unreadable(&mut self, address: &AbsResourceInstance) -> bool {
        address.resource.mode != ResourceMode::Managed || self.emit(vec![Diagnostic::error(no_schema(address))])
    }

    fn options_of(&self, address: &AbsResourceInstance) -> PlanOptions {
        PlanOptions {
            skip_refresh: self.skips_refresh(),
            moved_from: self.moved.get(address).map(|from| Text::new(&from.to_string())),
            ..PlanOptions::default()
        }
    }

    /// Plans an object of the state that has no configuration.
    fn plan_stored(
        &mut self,
        address: &AbsResourceInstance,
        provider: &ProviderConfig,
        schema: &Schema,
        request: &PlanRequest,
        deposed: std::collections::BTreeMap<DeposedKey, planfuzz_core::state::Object>,
        is_deposed: bool,
    ) -> bool {
        let dialect = self.layout.dialect;
        let mut asked = self.asked_of(address, provider, schema);
        let mut recorder = Recorder::new(&mut asked);
        let plan = Reference.prepare(schema, dialect).plan(request, &mut recorder).unwrap_or_else(refused);
        let exchanges = recorder.into_exchanges();
        self.note_plan(address, provider, request, exchanges, &plan);
        // G52: diagnostics of an object have its address if its resource has a block.
        let has_block = self.layout.block_of(address).is_some() || fault!(GoneHasAddress);
        let about = has_block.then(|| address.to_string());
        let diagnostics =
            plan.diagnostics.iter().map(|one| crate::diagnostics::of_instance(one, about.as_deref())).collect();
        let is_fine = self.emit(diagnostics);
        self.put(address, provider, plan, deposed, is_deposed);
        is_fine
    }

    /// The provider of an object of the state, for a visit.
    pub fn asked_of(
        &mut self,
        address: &AbsResourceInstance,
        provider: &ProviderConfig,
        schema: &Schema,
    ) -> Asked<'_, 'p> {
        Asked {
            node: self.here(),
            visit: address.to_string(),
            provider: provider.source.clone(),
            configured: self.configured.get(provider).cloned(),
            type_name: Text::new(&address.resource.type_name),
            mode: address.resource.mode,
            ty: schema.implied_type(self.layout.dialect),
            validated: 0,
            handover: self.handovers.get(address).cloned(),
            handed: None,
            ends: Ends::Never,
            calls: self.calls,
        }
    }

    /// G53: a deposed object.
    pub fn visit_deposed(&mut self, address: &AbsResourceInstance, key: &DeposedKey) -> bool {
        if self.purpose == Purpose::Apply {
            return self.destroy_deposed(address, key);
        }
        if self.purpose == Purpose::Import {
            return true;
        }
        let Some(provider) = self.state.resources.get(&address.abs_resource()).map(|stored| stored.provider.clone())
        else {
            return true;
        };
        let provider = self.provider_of_stored(address, provider);
        let Some(schema) = self.schema_of(address, &provider) else { return self.unreadable(address) };
        let before = [self.previous.instance(address).cloned(), self.state.instance(address).cloned()];
        let mut stored = self.stored(address);
        stored.current = None;
        stored.deposed.retain(|found, _| found == key);
        let orphan = Orphan { block: false, module: true, ..Orphan::default() };
        let removed = self.is_removed(address) && self.purpose != Purpose::Destroy;
        let mode = match self.purpose {
            Purpose::Refresh => Mode::RefreshOnly,
            Purpose::Destroy => Mode::Destroy,
            _ => Mode::Normal,
        };
        let mut options = self.options_of(address);
        options.skip_refresh |= self.purpose == Purpose::Destroy;
        let presence = if removed { Presence::Removed(orphan) } else { Presence::Orphan(orphan) };
        let request = PlanRequest { kind: ResourceKind::Managed, mode, options, state: stored, presence };
        let is_fine = self.plan_stored(address, &provider, schema, &request, std::collections::BTreeMap::new(), true);
        // The other objects of the instance stay as they were.
        let [previous, state] = before;
        let join = |now: Option<&InstanceState>, before: Option<InstanceState>| {
            let mut joined = before.unwrap_or_default();
            joined.deposed.remove(key);
            joined.deposed.extend(now.iter().flat_map(|now| now.deposed.clone()));
            joined
        };
        let previous = join(self.previous.instance(address), previous);
        let state = join(self.state.instance(address), state);
        self.previous.put(address, &provider, previous);
        self.state.put(address, &provider, state);
        is_fine
    }

    /// G64, G85: the provider of a stored object with a node of its own: that of its block, if it has one.
    fn provider_of_stored(&self, address: &AbsResourceInstance, stored: ProviderConfig) -> ProviderConfig {
        let block = self.layout.block_of(address);
        block.map_or_else(|| self.layout.passed_on(&stored), |block| self.layout.blocks[block].provider.clone())
    }

    /// The destroying walk: plans an object (G82, G86).
    pub fn plan_destroy(&mut self, address: &AbsResourceInstance) -> bool {
        let Some(provider) = self.state.resources.get(&address.abs_resource()).map(|stored| stored.provider.clone())
        else {
            return true;
        };
        let provider = self.provider_of_stored(address, provider);
        let Some(schema) = self.schema_of(address, &provider) else { return self.unreadable(address) };
        let mut stored = self.stored(address);
        let deposed = std::mem::take(&mut stored.deposed);
        let block = self.layout.block_of(address);
        let lifecycle = block.map(|block| &self.layout.blocks[block].resource.lifecycle);
        let orphan = Orphan {
            block: block.is_some(),
            module: true,
            key: KeyKind::None,
            prevent_destroy: lifecycle.map_or(PreventDestroy::No, prevent_destroy),
            ..Orphan::default()
        };
        let mut options = self.options_of(address);
        options.skip_refresh = true;
        let presence = Presence::Orphan(orphan);
        let request =
            PlanRequest { kind: kind(address.resource.mode), mode: Mode::Destroy, options, state: stored, presence };
        let is_fine = self.plan_stored(address, &provider, schema, &request, deposed, false);
        if let Some(change) = self.results.changes.iter_mut().rev().find(|change| change.addr == *address) {
            change.planned.reason = plans::ActionReason::None;
        }
        is_fine
    }

    /// G45: whether a `removed` block says to forget an object. Of several with one address the first one counts.
    pub fn is_removed(&self, address: &AbsResourceInstance) -> bool {
        if self.purpose == Purpose::Refresh || fault!(ForgottenDestroyed) {
            return false;
        }
        let mut forgets = BTreeMap::new();
        for of in &self.layout.modules {
            let naming = of.configuration.module.removed.iter();
            for removed in naming.filter(|removed| names_object(&of.path, &removed.from, address)) {
                let (calls, is_resource) = extent(&removed.from);
                let is_kept = removed.destroy.as_ref().is_some_and(|destroy| !destroy.value);
                forgets.entry((of.path.len() + calls, is_resource)).or_insert(is_kept);
            }
        }
        forgets.into_values().any(|is_kept| is_kept)
    }
}

fn no_schema(address: &AbsResourceInstance) -> String {
    format!("no schema available for {address} while reading state; this is a bug in Terraform and should be reported")
}

/// How many calls a reference goes through, and whether it names a resource behind them.
fn extent(from: &config::Traversal) -> (usize, bool) {
    let steps = from.steps.iter().filter_map(|step| match &step.kind {
        StepKind::Attribute(name) => Some(name.as_str()),
        StepKind::Index(_) => None,
    });
    let names: Vec<&str> = [from.root.as_str()].into_iter().chain(steps).collect();
    let calls = names.chunks(2).take_while(|pair| pair[0] == "module").count();
    (calls, names.len() > 2 * calls)
}

/// Whether a reference from a module names an object, its resource or a module around it.
pub fn names_object(path: &[String], from: &config::Traversal, address: &AbsResourceInstance) -> bool {
    let mut module = path.to_vec();
    let mut at = from.clone();
    while &*at.root == "module" {
        let mut steps = at.steps.into_iter();
        let Some(StepKind::Attribute(name)) = steps.next().map(|step| step.kind) else { return false };
        module.push(name.to_string());
        let mut rest = steps.skip_while(|step| matches!(step.kind, StepKind::Index(_)));
        match rest.next().map(|step| step.kind) {
            Some(StepKind::Attribute(root)) => (at.root, at.steps) = (root, rest.collect()),
            _ => return address.module.module().0.starts_with(&module),
        }
    }
    references::resource(&at)
        .is_some_and(|resource| resource == address.resource && address.module.module().0 == module)
}
