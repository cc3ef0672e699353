//! The stored objects of the instances in a run, written and read.

use std::collections::HashMap;

use planfuzz_core::address::ResourceKind;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::msgpack;
use planfuzz_core::planner::{Exchange, RawState, UpgradeState};
use planfuzz_core::schema::Schema;
use planfuzz_core::state::file::{
    Attributes, InstanceKey, NotAnObject, Snapshot, StorageError, StoredObject, StoredResource,
};
use planfuzz_core::state::{DeposedKey, InstanceState, Object, Private, Status, Stored};
use planfuzz_core::value::{Number, Text, Type, ValueRef};

use super::EngineError;
use super::directory::{self, STATE};
use super::settle::{Walk, WalkInRun};
use crate::job::LeftOut;
use crate::process::RunDir;
use crate::workdir::{ConfigurationFiles, Key, Placed};

/// The lineage of every state here.
const LINEAGE: &str = "planfuzz";

/// The serial of every state that a run begins with.
const SERIAL: u64 = 1;

/// The stored objects of one walk's instance and of the resources beside it.
///
/// # Errors
/// A state file cannot hold them.
pub(super) fn stored(
    configuration_files: &ConfigurationFiles,
    schema: &Schema,
    dialect: Dialect,
) -> Result<Vec<StoredResource>, LeftOut> {
    let own = configuration_files.names.type_name();
    let place = |placed: &Placed| {
        let helper = configuration_files.helpers.iter().find(|helper| helper.type_name == placed.type_name);
        let schema = if placed.type_name == own { schema } else { helper.map_or(schema, |helper| &helper.schema) };
        let ty = schema.implied_type(dialect);
        if !is_readable(&placed.object, &ty) {
            return Err(LeftOut::Unstorable("a value that an engine cannot read back"));
        }
        if placed.object.sensitive.iter().any(|path| path.steps().is_empty()) {
            // Unlike other marks, it stays on a null.
            return Err(LeftOut::Unstorable("a mark on the whole object"));
        }
        // Engines have no versions of data resources.
        let version = if placed.kind == ResourceKind::Data { 0 } else { schema.version };
        let object = StoredObject::of(&placed.object, placed.deposed.clone(), &ty, version);
        let object = object.map_err(|problem| match problem {
            StorageError::Value(_) => LeftOut::Unstorable("a value that JSON cannot hold"),
            StorageError::Type => LeftOut::Unstorable("a value of another type"),
        })?;
        Ok(StoredResource {
            module: placed.module.clone(),
            kind: placed.kind,
            type_name: placed.type_name.clone(),
            name: placed.name.to_owned(),
            provider: Some(format!("provider[\"{}\"]", placed.provider)),
            objects: vec![StoredObject { key: key(placed.key.as_ref()), ..object }],
        })
    };
    let mut resources: Vec<StoredResource> = Vec::new();
    for placed in &configuration_files.objects {
        let resource: StoredResource = place(placed)?;
        let same = |other: &&mut StoredResource| {
            (&other.module, other.kind, &other.type_name, &other.name)
                == (&resource.module, resource.kind, &resource.type_name, &resource.name)
        };
        match resources.iter_mut().find(same) {
            Some(other) => other.objects.extend(resource.objects),
            None => resources.push(resource),
        }
    }
    Ok(resources)
}

/// Whether an engine can read its own stored form of an object: elements of one collection may get different types, and an engine crashes
/// on them wherever it looks at the object, which it does if anything at all in the state has changed (V86).
fn is_readable(object: &Object, ty: &Type) -> bool {
    let Stored::Value(value) = &object.stored else { return true };
    if !ty.has_dynamic() || !value.ty().conforms_to(ty) {
        return true;
    }
    // What cannot be written at all is reported elsewhere.
    msgpack::encode(value.view(), ty).is_ok_and(|bytes| msgpack::decode(&bytes, ty).is_ok())
}

fn key(key: Option<&Key>) -> InstanceKey {
    match key {
        None => InstanceKey::None,
        Some(Key::Index(index)) => InstanceKey::Int(i64::try_from(*index).unwrap_or(i64::MAX)),
        Some(Key::Text(text)) => InstanceKey::Text(text.to_string()),
    }
}

/// A dummy resource that belongs to no walk: a state seldom has only one instance.
pub(super) fn dummy_resource() -> StoredResource {
    let object = StoredObject {
        key: InstanceKey::None,
        deposed: None,
        provider: None,
        status: Status::Ready,
        schema_version: 0,
        attributes: Attributes::Json(Json::object([
            ("id", Json::string("x")),
            ("input", Json::Null),
            ("output", Json::Null),
            ("triggers_replace", Json::Null),
        ])),
        sensitive: Vec::new(),
        identity: None,
        private: Private::NONE,
        dependencies: Vec::new(),
        depends_on: Vec::new(),
        create_before_destroy: false,
        skip_destroy: false,
    };
    StoredResource {
        module: String::new(),
        kind: ResourceKind::Managed,
        type_name: "terraform_data".to_owned(),
        name: "other".to_owned(),
        provider: Some("provider[\"terraform.io/builtin/terraform\"]".to_owned()),
        objects: vec![object],
    }
}

/// The state of a run.
///
/// # Errors
/// Objects of a walk cannot be stored; such walks were left out before.
pub(super) fn snapshot<R: Walk>(
    walks: &[WalkInRun<'_, R>],
    version: &str,
    dialect: Dialect,
) -> Result<Snapshot, EngineError> {
    let unstorable = |reason: LeftOut| EngineError::File { what: "write", name: STATE, problem: reason.to_string() };
    let mut resources = Vec::new();
    for walk in walks {
        resources.extend(stored(&walk.configuration_files, walk.schema, dialect).map_err(unstorable)?);
    }
    Ok(Snapshot { resources, ..Snapshot::empty(version, LINEAGE, SERIAL) })
}

/// The state that an engine wrote; `None` if it cannot be read and several walks may be the cause.
///
/// # Errors
/// It cannot be read, and there is only one walk.
pub(super) fn saved<R: Walk>(dir: &RunDir, walks: &[WalkInRun<'_, R>]) -> Result<Option<Snapshot>, EngineError> {
    let bytes = directory::read(dir, STATE)?.unwrap_or_default();
    match Snapshot::read(&bytes) {
        Ok(saved) => Ok(Some(saved)),
        Err(_) if walks.len() > 1 => Ok(None),
        Err(problem) => Err(EngineError::File { what: "read", name: STATE, problem: problem.to_string() }),
    }
}

/// A state that an engine wrote, by resource types: each belongs to one walk.
pub(super) struct Written<'s>(HashMap<&'s str, Vec<&'s StoredResource>>);

impl<'s> Written<'s> {
    pub(super) fn of(snapshot: &'s Snapshot) -> Written<'s> {
        let mut written: HashMap<&str, Vec<&StoredResource>> = HashMap::new();
        for resource in &snapshot.resources {
            written.entry(&resource.type_name).or_default().push(resource);
        }
        Written(written)
    }

    /// The stored objects of one walk's instance. Engines draw the keys of new deposed objects: a new key becomes `fresh`.
    ///
    /// # Errors
    /// The attributes do not match the type.
    pub(super) fn instance<R: Walk>(
        &self,
        walk: &WalkInRun<'_, R>,
        exchanges: &[Exchange],
        fresh: &DeposedKey,
    ) -> Result<InstanceState, NotAnObject> {
        let (_, before) = walk.request.stored();
        let type_name = walk.configuration_files.names.type_name();
        let mut state = InstanceState::ABSENT;
        for stored in self.0.get(&*type_name).into_iter().flatten().flat_map(|resource| &resource.objects) {
            let object = with_own_dependencies(as_before(stored, before, exchanges, walk)?, &walk.configuration_files);
            match &stored.deposed {
                None => state.current = Some(object),
                Some(key) if before.deposed.contains_key(key) => {
                    state.deposed.insert(key.clone(), object);
                }
                Some(_) => {
                    state.deposed.insert(fresh.clone(), object);
                }
            }
        }
        Ok(state)
    }
}

/// The object; as raw attributes, if it was raw before and no upgrade of it succeeded.
fn as_before<R: Walk>(
    stored: &StoredObject,
    before: &InstanceState,
    exchanges: &[Exchange],
    walk: &WalkInRun<'_, R>,
) -> Result<Object, NotAnObject> {
    let old = match &stored.deposed {
        None => before.current.as_ref(),
        Some(key) => before.deposed.get(key),
    };
    let is_left = |object: &&Object| match (&object.stored, &stored.attributes) {
        (Stored::Raw { version, attributes }, Attributes::Json(json)) => {
            *version == stored.schema_version && **attributes == *json && !was_upgraded(attributes, *version, exchanges)
        }
        _ => false,
    };
    let left = old.filter(is_left);
    if walk.request.stored().0 == ResourceKind::Data {
        // The earlier object of a data resource is ignored (L148), and its new one says nothing about a version.
        return match left {
            Some(left) if !was_to_be_read(exchanges) => Ok(left.clone()),
            _ => stored.to_object(&walk.ty, stored.schema_version),
        };
    }
    // Attributes of another version than the schema's stay what they are.
    stored.to_object(&walk.ty, if left.is_some() { u64::MAX } else { walk.schema.version })
}

/// Whether the engine got to the read of a data resource, which validates as the static validation did before it (L144).
fn was_to_be_read(exchanges: &[Exchange]) -> bool {
    let validations = exchanges.iter().filter(|exchange| matches!(exchange, Exchange::Validate(..))).count();
    validations > 1 || exchanges.iter().any(|exchange| matches!(exchange, Exchange::ReadData(..)))
}

/// Whether these attributes were upgraded without an error. An engine does not send attributes that the schema lacks (L05).
fn was_upgraded(attributes: &Json, version: u64, exchanges: &[Exchange]) -> bool {
    let is_of = |sent: &Json| match (sent, attributes) {
        (Json::Object(sent), Json::Object(all)) => {
            sent.iter().all(|(name, _)| all.iter().any(|(other, _)| other == name))
        }
        _ => sent == attributes,
    };
    exchanges.iter().any(|exchange| match exchange {
        Exchange::Upgrade(UpgradeState { version: of, state: RawState::Json(json) }, answer) => {
            let has_failed = answer.remarks.iter().any(|remark| remark.is_error());
            *of == version && is_of(json) && !has_failed && is_finite(answer.upgraded.view())
        }
        _ => false,
    })
}

/// Whether no number is infinite: a value that no state can hold does not replace the stored one (L05).
fn is_finite(value: ValueRef<'_>) -> bool {
    !value.as_number().is_some_and(Number::is_infinite) && value.children().all(|(_, part)| is_finite(part))
}

/// The object with the walk's names of its dependencies, without those that only the run needs.
fn with_own_dependencies(object: Object, configuration_files: &ConfigurationFiles) -> Object {
    let known = |address: &Text| configuration_files.dependencies.iter().find(|(name, _)| **name == **address);
    let own = |address: &Text| match known(address) {
        Some((_, own)) => own.clone(),
        None => Some(address.clone()),
    };
    let mut dependencies: Vec<Text> = object.dependencies.iter().filter_map(own).collect();
    dependencies.sort_unstable();
    dependencies.dedup();
    Object { dependencies, ..object }
}
