//! Moves to another type or to a block of another provider: the provider of the destination takes the object over (G31).

use std::collections::BTreeMap;
use std::sync::Arc;

use planfuzz_core::address::{AbsResource, AbsResourceInstance, ProviderConfig, ProviderSource, ResourceMode};
use planfuzz_core::json::Json;
use planfuzz_core::planner::Severity;
use planfuzz_core::schema::Schema;
use planfuzz_core::state::{Object, Stored};
use planfuzz_core::value::{PathSet, Text};
use planfuzz_workspace::order::WalkOrder;
use planfuzz_workspace::{Call, NodeId, Outcome, Request, State};

use crate::layout::Layout;
use crate::moves::Mover;

/// The types and providers of a move to another type or provider.
#[derive(Debug)]
pub struct Crossing<'l> {
    source: ProviderSource,
    source_type: String,
    to_type: String,
    /// That of the destination's block.
    provider: ProviderConfig,
    /// The same, as the module of the block names it.
    named: ProviderConfig,
    schema: Option<&'l Schema>,
}

impl<'l> Crossing<'l> {
    /// G31: from one type and the provider that is stored, to the provider of a block. G33: none without a block.
    fn of(
        layout: &Layout<'l>,
        (source_type, source): (&str, &ProviderSource),
        to: &AbsResource,
    ) -> Option<Crossing<'l>> {
        let block = &layout.blocks[layout.find(layout.module_of(&to.module)?, &to.resource)?];
        let crosses = source_type != to.resource.type_name || *source != block.provider.source;
        (crosses && to.resource.mode == ResourceMode::Managed).then(|| Crossing {
            source: source.clone(),
            source_type: source_type.to_owned(),
            to_type: to.resource.type_name.clone(),
            provider: block.provider.clone(),
            named: layout.provider_named(block.module, block.resource),
            schema: block.schema,
        })
    }

    fn request(&self, layout: &Layout<'_>, object: &Object) -> Option<(u64, Arc<Json>, Request)> {
        let (version, raw) = written(layout, (&self.source_type, &self.source), &object.stored)?;
        let request = Request::Move {
            source_type: Text::new(&self.source_type),
            source_provider: Text::new(&self.source.to_string()),
            source_version: version,
            raw: raw.clone(),
            private: object.private.clone(),
        };
        Some((version, raw, request))
    }
}

impl<'l> Mover<'_, 'l, '_> {
    /// What the objects of a resource cross on their way to another. It is looked up once for each statement and resource, before the first
    /// of them moves. None where it is done in the walk (section 17).
    pub(crate) fn crossing(&self, from: &AbsResource, to: &AbsResource) -> Option<Crossing<'l>> {
        if self.layout.dialect.moves_across_in_walks() {
            return None;
        }
        let source = &self.state.resources.get(from)?.provider.source;
        Crossing::of(self.layout, (&from.resource.type_name, source), to)
    }

    /// What has been read by now (G12) has values of its type: all objects of a resource are written down as they would be stored, before the
    /// first of them leaves the type, or the resource its provider.
    pub(crate) fn write_down(&mut self, from: &AbsResource, to: &AbsResource, crosses: bool) {
        let Some(resource) = self.state.resources.get_mut(from) else { return };
        if !crosses && from.resource.type_name == to.resource.type_name {
            return;
        }
        let source = (from.resource.type_name.as_str(), &resource.provider.source);
        for (_, instance) in resource.instances.iter_mut() {
            for object in instance.current.iter_mut().chain(instance.deposed.values_mut()) {
                if let Some((version, attributes)) = written(self.layout, source, &object.stored) {
                    object.stored = Stored::Raw { version, attributes };
                }
            }
        }
    }

    /// G31, G32: asks the new provider for an object, while it is still at its old address. What it answers is that of the new provider, and
    /// so are all instances of the resource from now on.
    pub(crate) fn take_over(&mut self, from: &AbsResourceInstance, to: &AbsResourceInstance, crossing: &Crossing<'_>) {
        let Some(stored) = self.state.resources.get_mut(&from.abs_resource()) else { return };
        let Some(instance) = stored.instances.get_mut(&from.key) else { return };
        let Some(object) = instance.current.as_mut() else { return };
        let Some((_, _, request)) = crossing.request(self.layout, object) else { return };
        let provider = crossing.provider.source.clone();
        let type_name = Some(Text::new(&crossing.to_type));
        let node = NodeId { walk: self.walk, node: self.asked.len() };
        self.asked.push((from.clone(), to.clone()));
        let answer = self.calls.ask(node, "", Call { provider, configured: None, type_name, request });
        let diagnostics = answer.remarks.iter().map(|remark| crate::diagnostics::remark(remark, None));
        self.moved.diagnostics.extend(diagnostics);
        if answer.remarks.iter().any(|remark| remark.severity == Severity::Error) {
            return;
        }
        let (Some(Outcome::Object { value, private }), Some(schema)) = (answer.outcome, crossing.schema) else {
            return;
        };
        if let Ok(attributes) = value.view().to_stored_json(&schema.implied_type(self.layout.dialect)) {
            object.stored = Stored::Raw { version: schema.version, attributes: attributes.into() };
            object.private = private;
            object.sensitive = PathSet::EMPTY;
            if !fault!(NeighboursKeepProvider) {
                stored.provider = crossing.named.clone();
            }
        }
    }
}

/// The walk of the calls of moves: the next one of a chain waits for the one before.
pub fn order(asked: &[(AbsResourceInstance, AbsResourceInstance)]) -> WalkOrder {
    if asked.is_empty() {
        return WalkOrder::of_one("moves");
    }
    let before = |index: usize| (0..index).rev().find(|&other| asked[other].1 == asked[index].0).into_iter().collect();
    WalkOrder {
        name: "moves".to_owned(),
        nodes: asked.iter().map(|(_, to)| to.to_string()).collect(),
        waits_for: (0..asked.len()).map(before).collect(),
        blocks: Vec::new(),
    }
}

/// Section 17: OpenTofu asks in the walk, in the place of the upgrade. Until then an object counts as one of its new type and provider.
pub fn handovers(
    layout: &Layout<'_>,
    state: &mut State,
    moved: &BTreeMap<AbsResourceInstance, AbsResourceInstance>,
) -> BTreeMap<AbsResourceInstance, Request> {
    let mut found = BTreeMap::new();
    let mut providers: BTreeMap<AbsResource, ProviderConfig> = BTreeMap::new();
    for (to, from) in moved {
        let Some(stored) = state.resources.get_mut(&to.abs_resource()) else { continue };
        let source = (from.resource.type_name.as_str(), &stored.provider.source);
        let Some(crossing) = Crossing::of(layout, source, &to.abs_resource()) else { continue };
        let Some(object) = stored.instances.get_mut(&to.key).and_then(|instance| instance.current.as_mut()) else {
            continue;
        };
        let Some((version, attributes, request)) = crossing.request(layout, object) else { continue };
        let version = crossing.schema.map_or(version, |schema| schema.version);
        object.stored = Stored::Raw { version, attributes };
        found.insert(to.clone(), request);
        providers.insert(to.abs_resource(), crossing.provider);
    }
    for (resource, provider) in providers {
        if let Some(stored) = state.resources.get_mut(&resource) {
            stored.provider = provider;
        }
    }
    found
}

/// The stored attributes of an object of a type and their version.
fn written(
    layout: &Layout<'_>,
    (type_name, source): (&str, &ProviderSource),
    stored: &Stored,
) -> Option<(u64, Arc<Json>)> {
    let value = match stored {
        Stored::Raw { version, attributes } => return Some((*version, attributes.clone())),
        Stored::Value(value) => value,
    };
    let types = layout.schemas.provider(&source.to_string()).map(|provider| &provider.types);
    let schema = types.and_then(|types| types.get(&(ResourceMode::Managed, type_name.to_owned())));
    match schema {
        Some(schema) => stored.written(&schema.implied_type(layout.dialect), schema.version).ok(),
        None => stored.written(value.ty(), 0).ok(),
    }
}
