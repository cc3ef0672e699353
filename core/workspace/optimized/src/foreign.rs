//! Objects that come to a block of another type or provider, which takes them (G31 to G33).

use std::collections::BTreeMap;
use std::sync::Arc;

use planfuzz_core::address::{AbsResource, AbsResourceInstance, ProviderConfig, ResourceMode};
use planfuzz_core::json::Json;
use planfuzz_core::planner::Severity;
use planfuzz_core::state::{Object, Stored};
use planfuzz_core::value::{PathSet, Text, Type};
use planfuzz_workspace::{Answer, Call, Diagnostic, Outcome, Request, ResourceState, State};

use crate::diagnostics;
use crate::model::{Model, Typed};

/// Takes the objects of one resource.
pub(crate) struct Taker<'m, 'w> {
    /// The provider configuration of the block that they come to.
    provider: &'m ProviderConfig,
    /// The same, unresolved: what stays in the old resource is stored with it.
    pub named: ProviderConfig,
    typed: Option<&'m Typed<'w>>,
    type_name: Text,
    source_type: Text,
    source_provider: Text,
    /// The type of their values, and its version; `None` if their provider does not have it.
    read_as: Option<(Type, u64)>,
}

impl<'m, 'w> Taker<'m, 'w> {
    /// The taker of what was of a type and a provider; `None` if both stay, or there is no block (G33).
    pub fn of(
        model: &'m Model<'w>,
        to: &AbsResource,
        (source_type, source): (&str, &ProviderConfig),
    ) -> Option<Taker<'m, 'w>> {
        let place = model.find(model.module_of(&to.module)?, &to.resource)?;
        let block = &model.blocks[place];
        let provider = &model.providers[block.provider].address;
        let stays = source_type == to.resource.type_name && source.source == provider.source;
        if stays || to.resource.mode != ResourceMode::Managed {
            return None;
        }
        Some(Taker {
            provider,
            named: model.unresolved(place),
            typed: block.schema.map(|typed| &model.typed[typed]),
            type_name: Text::new(&to.resource.type_name),
            source_type: Text::new(source_type),
            source_provider: Text::new(&source.source.to_string()),
            read_as: read_as(model, source_type, source),
        })
    }

    /// The request for an object.
    pub fn request(&self, object: &Object) -> Option<Request> {
        let (source_version, raw) = as_stored(&object.stored, self.read_as.as_ref())?;
        let (source_type, source_provider) = (self.source_type.clone(), self.source_provider.clone());
        Some(Request::Move { source_type, source_provider, source_version, raw, private: object.private.clone() })
    }

    /// The call with a request.
    pub fn call(&self, request: Request) -> Call {
        let (provider, type_name) = (self.provider.source.clone(), Some(self.type_name.clone()));
        Call { provider, configured: None, type_name, request }
    }

    /// Takes an object with the answer for it; returns whether it is the taker's now (G32).
    pub fn take(&self, object: &mut Object, answer: Answer, diagnostics: &mut Vec<Diagnostic>) -> bool {
        diagnostics.extend(answer.remarks.iter().map(|remark| diagnostics::remark(remark, None)));
        let is_refused = answer.remarks.iter().any(|remark| remark.severity == Severity::Error);
        let (Some(Outcome::Object { value, private }), Some(typed), false) = (answer.outcome, self.typed, is_refused)
        else {
            return false;
        };
        let Ok(attributes) = value.view().to_stored_json(&typed.ty) else { return false };
        object.stored = Stored::Raw { version: typed.schema.version, attributes: attributes.into() };
        (object.private, object.sensitive) = (private, PathSet::EMPTY);
        true
    }
}

/// Writes down what has been read of a resource whose objects leave their type or provider, as before a destruction (G12): their values are of
/// no other type.
pub(crate) fn write_down(model: &Model<'_>, type_name: &str, resource: &mut ResourceState) {
    let read_as = read_as(model, type_name, &resource.provider);
    for (_, instance) in resource.instances.iter_mut() {
        for object in instance.current.iter_mut().chain(instance.deposed.values_mut()) {
            if let Some((version, attributes)) = as_stored(&object.stored, read_as.as_ref()) {
                object.stored = Stored::Raw { version, attributes };
            }
        }
    }
}

fn read_as(model: &Model<'_>, type_name: &str, of: &ProviderConfig) -> Option<(Type, u64)> {
    let types = &model.schemas.provider(&of.source.to_string())?.types;
    let schema = types.get(&(ResourceMode::Managed, type_name.to_owned()))?;
    Some((schema.implied_type(model.dialect), schema.version))
}

/// Attributes as they are stored, with their version; those of a type that its provider lacks are written by their values.
fn as_stored(stored: &Stored, read_as: Option<&(Type, u64)>) -> Option<(u64, Arc<Json>)> {
    match (stored, read_as) {
        (Stored::Raw { version, attributes }, _) => Some((*version, attributes.clone())),
        (read, Some((ty, version))) => read.written(ty, *version).ok(),
        (Stored::Value(value), None) => stored.written(value.ty(), 0).ok(),
    }
}

/// Section 17: the requests that the walk makes in place of upgrades. The objects already count as those of their new type and provider.
pub(crate) fn handovers(
    model: &Model<'_>,
    state: &mut State,
    moved: &BTreeMap<AbsResourceInstance, AbsResourceInstance>,
) -> BTreeMap<AbsResourceInstance, Request> {
    let mut requests = BTreeMap::new();
    let mut takers: BTreeMap<AbsResource, ProviderConfig> = BTreeMap::new();
    for (to, from) in moved {
        let resource = to.abs_resource();
        let Some(stored) = state.resources.get_mut(&resource) else { continue };
        let source = (from.resource.type_name.as_str(), &stored.provider);
        let Some(taker) = Taker::of(model, &resource, source) else { continue };
        let Some(object) = stored.instances.get_mut(&to.key).and_then(|one| one.current.as_mut()) else { continue };
        let Some(request) = taker.request(object) else { continue };
        if let Request::Move { source_version, raw, .. } = &request {
            let version = taker.typed.map_or(*source_version, |typed| typed.schema.version);
            object.stored = Stored::Raw { version, attributes: raw.clone() };
        }
        requests.insert(to.clone(), request);
        takers.insert(resource, taker.provider.clone());
    }
    for (resource, provider) in takers {
        if let Some(stored) = state.resources.get_mut(&resource) {
            stored.provider = provider;
        }
    }
    requests
}
