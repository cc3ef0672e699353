//! The whole state of a workspace, as a planner works on it (U90).

use std::collections::BTreeMap;

use planfuzz_core::address::{
    AbsResource, AbsResourceInstance, ModuleInstance, ProviderConfig, Resource, ResourceKind, ResourceMode,
};
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::{Json, JsonError, Tree};
use planfuzz_core::state::file::{Attributes, Snapshot, StorageError, StoredObject, StoredResource};
use planfuzz_core::state::{InstanceState, Object, Stored};
use planfuzz_core::value::{PathSet, Text, Type, Value};
use planfuzz_language::check::Schemas;

use super::by_key::Instances;

/// A state as cases and recorded runs have it, completed to a state file: with the members that it leaves out.
///
/// # Errors
/// A state that is no object.
pub fn completed(state: &Json, engine_version: &str, lineage: &str) -> Result<Json, JsonError> {
    let mut members = state.expect_object()?.to_vec();
    for (name, value) in [
        ("version", Json::int(4)),
        ("terraform_version", Json::string(engine_version)),
        ("serial", Json::int(1)),
        ("lineage", Json::string(lineage)),
    ] {
        if state.member(name).is_none() {
            members.push((name.into(), value));
        }
    }
    Ok(Json::Object(members))
}

/// A state.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Root outputs.
    pub outputs: BTreeMap<String, OutputState>,
    /// Resources with their objects; a resource without instances is called a husk (U104).
    pub resources: BTreeMap<AbsResource, ResourceState>,
    /// The results of checks, as a state file has them; null where there are none.
    pub checks: Option<Json>,
}

/// A stored output.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputState {
    /// Its value.
    pub value: Value,
    /// Whether it is declared sensitive.
    pub sensitive: bool,
}

/// A stored resource.
#[derive(Clone, Debug)]
pub struct ResourceState {
    /// The provider configuration that manages it.
    pub provider: ProviderConfig,
    /// Its instances.
    pub instances: Instances,
}

/// Why a state file cannot be read as the state of a workspace, or a state cannot be written.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StateError {
    /// An invalid address.
    #[error("expected an address, found {0:?}")]
    Address(String),
    /// An output whose value is not of its type.
    #[error("expected the value of an output: {0}")]
    Output(#[from] JsonError),
    /// Attributes of an engine before 0.12.
    #[error("expected attributes in JSON, found flat ones")]
    Flat,
    /// A value that no state can hold.
    #[error("expected what a state can hold: {0}")]
    Storage(#[from] StorageError),
}

impl State {
    /// Reads a state file. Attributes stay as they are written: only their provider reads them.
    ///
    /// # Errors
    /// An invalid address or output, or flat attributes.
    pub fn of_file(file: &Snapshot) -> Result<State, StateError> {
        let mut state = State { checks: file.check_results.clone(), ..State::default() };
        for (name, output) in &file.outputs {
            let ty = output.member("type").map(Type::from_json).transpose()?.unwrap_or(Type::Dynamic);
            let value = Value::from_stored_json(output.member("value").unwrap_or(&Json::Null), &ty)?;
            let sensitive = output.member("sensitive") == Some(&Json::Bool(true));
            state.outputs.insert(name.to_string(), OutputState { value, sensitive });
        }
        for resource in &file.resources {
            let bad = |text: &str| StateError::Address(text.to_owned());
            let module = match resource.module.as_str() {
                "" => ModuleInstance::ROOT,
                text => ModuleInstance::parse(text).map_err(|_| bad(text))?,
            };
            let mode = match resource.kind {
                ResourceKind::Managed => ResourceMode::Managed,
                ResourceKind::Data => ResourceMode::Data,
            };
            let provider = resource.provider.as_deref().unwrap_or("");
            let provider = ProviderConfig::parse(provider).map_err(|_| bad(provider))?;
            let (type_name, name) = (resource.type_name.clone(), resource.name.clone());
            let address = AbsResource { module, resource: Resource { mode, type_name, name } };
            let stored = ResourceState { provider, instances: Instances::new() };
            let stored = state.resources.entry(address).or_insert(stored);
            for object in &resource.objects {
                let instance = stored.instances.or_default(&object.key);
                let read = read_object(object)?;
                match &object.deposed {
                    None => instance.current = Some(read),
                    Some(key) => drop(instance.deposed.insert(key.clone(), read)),
                }
            }
        }
        Ok(state)
    }

    /// The instance at an address.
    pub fn instance(&self, address: &AbsResourceInstance) -> Option<&InstanceState> {
        self.resources.get(&address.abs_resource())?.instances.get(&address.key)
    }

    /// Replaces the instance at an address; an instance without objects is removed.
    pub fn put(&mut self, address: &AbsResourceInstance, provider: &ProviderConfig, instance: InstanceState) {
        let resource = address.abs_resource();
        if instance.is_absent() {
            if let Some(stored) = self.resources.get_mut(&resource) {
                stored.instances.remove(&address.key);
                if stored.instances.is_empty() {
                    self.resources.remove(&resource);
                }
            }
            return;
        }
        let empty = ResourceState { provider: provider.clone(), instances: Instances::new() };
        let stored = self.resources.entry(resource).or_insert(empty);
        stored.provider = provider.clone();
        stored.instances.insert(address.key.clone(), instance);
    }

    /// All instances with their addresses and providers.
    pub fn instances(&self) -> impl Iterator<Item = (AbsResourceInstance, &ProviderConfig, &InstanceState)> {
        self.resources.iter().flat_map(|(address, resource)| {
            resource.instances.iter().map(move |(key, instance)| {
                let AbsResource { module, resource: of } = address.clone();
                (AbsResourceInstance { module, resource: of, key: key.clone() }, &resource.provider, instance)
            })
        })
    }

    /// Whether there are no resources and no outputs (G12).
    pub fn is_empty(&self) -> bool {
        self.resources.is_empty() && self.outputs.is_empty()
    }

    /// The state file, without serial and lineage.
    ///
    /// # Errors
    /// A value that no state file can hold, or a value of a resource type without schema.
    pub fn to_json(&self, schemas: &Schemas, dialect: Dialect) -> Result<Json, StateError> {
        let mut file = Snapshot::empty("", "", 0);
        file.check_results.clone_from(&self.checks);
        for (address, resource) in &self.resources {
            file.resources.push(write_resource(address, resource, schemas, dialect)?);
        }
        for (name, output) in &self.outputs {
            let ty = output.value.ty();
            let stored = output.value.view().to_stored_json(ty).map_err(StorageError::from)?;
            let mut members = vec![("value", stored), ("type", ty.to_json())];
            if output.sensitive {
                members.push(("sensitive", Json::Bool(true)));
            }
            file.outputs.push((name.as_str().into(), Json::object(members)));
        }
        Ok(Tree::of(|tree| file.write(tree)))
    }
}

fn read_object(object: &StoredObject) -> Result<Object, StateError> {
    let Attributes::Json(attributes) = &object.attributes else { return Err(StateError::Flat) };
    Ok(Object {
        stored: Stored::Raw { version: object.schema_version, attributes: attributes.clone().into() },
        private: object.private.clone(),
        status: object.status,
        dependencies: object.dependencies.iter().map(|address| Text::new(address)).collect(),
        create_before_destroy: object.create_before_destroy,
        sensitive: object.sensitive.iter().cloned().collect::<PathSet>(),
        skip_destroy: object.skip_destroy,
    })
}

fn write_resource(
    address: &AbsResource,
    resource: &ResourceState,
    schemas: &Schemas,
    dialect: Dialect,
) -> Result<StoredResource, StateError> {
    let Resource { mode, type_name, name } = &address.resource;
    let schema = schemas
        .provider(&resource.provider.source.to_string())
        .and_then(|provider| provider.types.get(&(*mode, type_name.clone())));
    let mut objects = Vec::new();
    for (key, instance) in &resource.instances {
        let all = instance.current.iter().map(|object| (None, object));
        let all = all.chain(instance.deposed.iter().map(|(key, object)| (Some(key.clone()), object)));
        for (deposed, object) in all {
            let (ty, version) = match (schema, &object.stored) {
                (Some(schema), _) => (schema.implied_type(dialect), schema.version),
                (None, Stored::Raw { version, .. }) => (Type::Dynamic, *version),
                // G52: read by the schema of another type, from which it was moved.
                (None, Stored::Value(value)) => (value.ty().clone(), 0),
            };
            let stored = StoredObject::of(object, deposed, &ty, version)?;
            objects.push(StoredObject { key: key.clone(), ..stored });
        }
    }
    Ok(StoredResource {
        module: address.module.to_string(),
        kind: if *mode == ResourceMode::Data { ResourceKind::Data } else { ResourceKind::Managed },
        type_name: type_name.clone(),
        name: name.clone(),
        provider: Some(resource.provider.to_string()),
        objects,
    })
}
