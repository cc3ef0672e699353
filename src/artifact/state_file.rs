//! Reads state files as artifacts.
//!
//! The strict reader of state files comes first. If it refuses a document, it gets each object alone, so that one bad object
//! does not hide the others; a refused object becomes a [`Flaw`].

use planfuzz_core::address::{AbsResourceInstance, ModuleInstance, Resource, ResourceKind, ResourceMode};
use planfuzz_core::dialect::Engine;
use planfuzz_core::json::{Json, JsonError};
use planfuzz_core::state::file::{Attributes, Snapshot, StateFileError, StoredObject, StoredResource};

use super::encoded::Encoded;
use super::error::{ArtifactError, describe};
use super::object::ObjectId;
use super::plan::{CheckStatus, Checked};
use super::producer::{Producer, engine_of};
use super::state::{State, StateObject, StateOutput};
use super::{Artifact, Content, Flaw, Kind};

/// Reads a state file.
pub(super) fn read(bytes: &[u8], json: &Json, engine: Option<Engine>) -> Result<Artifact, ArtifactError> {
    let mut flaws = Vec::new();
    let snapshot = match Snapshot::read(bytes) {
        Ok(snapshot) => snapshot,
        Err(StateFileError::Version { found }) => return Err(ArtifactError::StateVersion(found)),
        Err(StateFileError::TooLarge { .. }) => return Err(ArtifactError::TooLarge),
        Err(StateFileError::Json(_)) => piecewise(json, &mut flaws)?,
    };
    let providers = snapshot.resources.iter().filter_map(|resource| resource.provider.as_deref());
    let engine = engine.or_else(|| engine_of(providers)).unwrap_or(Engine::Terraform);
    let producer = Producer::new(engine, &snapshot.terraform_version);
    let state = state(&snapshot, "", &mut flaws);
    Ok(Artifact { kind: Kind::StateFile, producer, content: Content::State(Box::new(state)), schemas: None, flaws })
}

/// Reads the readable parts of a state that is malformed as a whole.
fn piecewise(json: &Json, flaws: &mut Vec<Flaw>) -> Result<Snapshot, ArtifactError> {
    let frame = |error| ArtifactError::Frame { kind: "a state", error };
    let members = json.expect_object().map_err(frame)?;
    let top = members.iter().filter(|(name, _)| **name != *"resources").cloned().collect();
    let mut snapshot = read_part(Json::Object(top)).map_err(frame)?;
    let resources = json.member("resources").map_or(Ok(&[][..]), Json::expect_array).map_err(frame)?;
    for (at, resource) in resources.iter().enumerate() {
        snapshot.resources.extend(resource_alone(resource, at, flaws));
    }
    Ok(snapshot)
}

fn read_part(top: Json) -> Result<Snapshot, JsonError> {
    match Snapshot::read(top.to_compact().as_bytes()) {
        Ok(snapshot) => Ok(snapshot),
        Err(StateFileError::Json(error)) => Err(error),
        Err(StateFileError::Version { .. } | StateFileError::TooLarge { .. }) => Err(top.unexpected("a state")),
    }
}

/// A state of one resource, given to the strict reader.
fn alone(resource: Json) -> Result<Option<StoredResource>, JsonError> {
    let members = [
        ("version", Json::int(4)),
        ("terraform_version", Json::string("")),
        ("serial", Json::int(0)),
        ("lineage", Json::string("")),
        ("resources", Json::Array(vec![resource])),
    ];
    read_part(Json::object(members)).map(|snapshot| snapshot.resources.into_iter().next())
}

fn resource_alone(json: &Json, at: usize, flaws: &mut Vec<Flaw>) -> Option<StoredResource> {
    let place = format!("resources[{at}]");
    let with = |instances: Vec<Json>| match json {
        Json::Object(members) => {
            let others = members.iter().filter(|(name, _)| **name != *"instances").cloned();
            Json::Object(others.chain([("instances".into(), Json::Array(instances))]).collect())
        }
        other => other.clone(),
    };
    let mut flaw = |place: String, error: &JsonError| {
        flaws.push(Flaw { place, message: describe_inside(error, &[".resources[0]", ".instances[0]"]) });
    };
    let mut resource = match alone(with(Vec::new())) {
        Ok(resource) => resource?,
        Err(error) => {
            flaw(place, &error);
            return None;
        }
    };
    let instances = match json.member("instances") {
        None | Some(Json::Null) => &[][..],
        Some(instances) => match instances.expect_array() {
            Ok(instances) => instances,
            Err(error) => {
                flaw(format!("{place}.instances"), &error);
                &[]
            }
        },
    };
    for (index, instance) in instances.iter().enumerate() {
        match alone(with(vec![instance.clone()])) {
            Ok(read) => resource.objects.extend(read.into_iter().flat_map(|read| read.objects)),
            Err(error) => flaw(format!("{place}.instances[{index}]"), &error),
        }
    }
    Some(resource)
}

/// The problem, with its path seen from the part that the reader got alone.
fn describe_inside(error: &JsonError, frames: &[&str]) -> String {
    let text = describe(error);
    frames.iter().fold(text, |text, frame| match text.strip_prefix(frame) {
        Some(rest) => rest.strip_prefix(": ").unwrap_or(rest).to_owned(),
        None => text,
    })
}

/// The state of a snapshot. `member` is the place of the snapshot in the file.
pub(super) fn state(snapshot: &Snapshot, member: &str, flaws: &mut Vec<Flaw>) -> State {
    let mut state = State {
        serial: Some(snapshot.serial),
        lineage: Some(snapshot.lineage.clone()),
        checks: snapshot.check_results.as_ref().map_or(Vec::new(), checks),
        ..State::default()
    };
    for (at, resource) in snapshot.resources.iter().enumerate() {
        let place = format!("{member}resources[{at}]");
        let module = match ModuleInstance::parse(&resource.module) {
            Ok(module) => Some(module),
            Err(error) => {
                let message = format!("module: expected {}", error.expected);
                flaws.push(Flaw { place: place.clone(), message });
                None
            }
        };
        for (index, object) in resource.objects.iter().enumerate() {
            let place = format!("{place}.instances[{index}]");
            state.objects.push(self::object(resource, module.as_ref(), object, place));
        }
    }
    state.outputs = snapshot.outputs.iter().map(|(name, json)| output(name, json)).collect();
    state
}

fn object(
    resource: &StoredResource,
    module: Option<&ModuleInstance>,
    object: &StoredObject,
    place: String,
) -> StateObject {
    let deposed = object.deposed.as_ref().map(|key| key.as_str().to_owned());
    let provider = object.provider.clone().or_else(|| resource.provider.clone());
    let mode = match resource.kind {
        ResourceKind::Managed => ResourceMode::Managed,
        ResourceKind::Data => ResourceMode::Data,
    };
    let own = Resource { mode, type_name: resource.type_name.clone(), name: resource.name.clone() };
    let id = match module {
        Some(module) => {
            let address = AbsResourceInstance { module: module.clone(), resource: own, key: object.key.clone() };
            ObjectId::of(address, deposed, provider)
        }
        None => {
            let written = format!("{}.{own}{}", resource.module, object.key);
            ObjectId { written, otherwise: None, address: None, deposed, provider }
        }
    };
    let (attributes, is_flat) = match &object.attributes {
        Attributes::Json(json) => (json.clone(), false),
        Attributes::Flat(members) => (Json::Object(members.clone()), true),
    };
    StateObject {
        id,
        place,
        value: Encoded::Stored { attributes, sensitive: object.sensitive.clone() },
        schema_version: Some(object.schema_version),
        tainted: object.status == planfuzz_core::state::Status::Tainted,
        private: Some(object.private.clone()),
        dependencies: object.dependencies.clone(),
        is_flat,
    }
}

fn output(name: &str, json: &Json) -> StateOutput {
    StateOutput {
        name: name.to_owned(),
        value: json.member("value").cloned(),
        ty: json.member("type").cloned(),
        sensitive: json.member("sensitive") == Some(&Json::Bool(true)),
    }
}

/// ST06. Results in another form are ignored.
fn checks(json: &Json) -> Vec<Checked> {
    let object = |json: &Json| (text(json, "object_addr"), check_status(json), json.items_of("failure_messages").len());
    let checked = |json: &Json| Checked {
        address: text(json, "config_addr"),
        status: check_status(json),
        objects: json.items_of("objects").iter().map(object).collect(),
    };
    json.items().iter().map(checked).collect()
}

/// Likewise for `show -json`: addresses as objects, instances with problems.
pub(super) fn shown_checks(json: &Json) -> Vec<Checked> {
    let address = |json: &Json| json.member("address").map(|address| text(address, "to_display")).unwrap_or_default();
    let instance = |json: &Json| (address(json), check_status(json), json.items_of("problems").len());
    let checked = |json: &Json| Checked {
        address: address(json),
        status: check_status(json),
        objects: json.items_of("instances").iter().map(instance).collect(),
    };
    json.items().iter().map(checked).collect()
}

fn text(json: &Json, name: &str) -> String {
    json.member(name).and_then(|text| text.expect_string().ok()).unwrap_or_default().to_owned()
}

fn check_status(json: &Json) -> CheckStatus {
    CheckStatus::from_name(&text(json, "status"))
}
