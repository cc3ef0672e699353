//! States with their values (PL43).

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::marked::Marked;
use super::typed::ResourceType;
use crate::address::{
    AbsResourceInstance, AddressError, ModuleInstance, OutputAddress, ProviderConfig, ProviderSource, Resource,
    ResourceKind, ResourceMode,
};
use crate::json::{Json, JsonError, ObjectReader};
use crate::state::InstanceState;
use crate::state::file::{NotAnObject, Snapshot, StoredObject, StoredResource};
use crate::value::{PathSet, Type, Value, WrittenPath};

/// The objects and outputs of a state as values; in a planned state they may have unknowns.
#[derive(Clone, Debug, Default)]
pub struct StateValues {
    /// The objects of instances that have some.
    pub instances: BTreeMap<AbsResourceInstance, InstanceState>,
    /// The outputs.
    pub outputs: BTreeMap<OutputAddress, Marked>,
}

/// The error for a state that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct NotStateValues {
    /// The address of the resource, the instance or the output.
    pub place: String,
    /// The problem.
    pub problem: StateProblem,
}

/// The problem in a state.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StateProblem {
    /// The resource type has no schema.
    #[error("expected a schema of the {0}, found none")]
    NoSchema(String),
    /// Neither the resource nor the object names its provider.
    #[error("expected a provider configuration, found none")]
    NoProvider,
    /// An invalid address.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// An object that does not fit its type.
    #[error(transparent)]
    Object(#[from] NotAnObject),
    /// An invalid output.
    #[error(transparent)]
    Output(#[from] JsonError),
}

impl StateProblem {
    fn at(self, place: impl ToString) -> NotStateValues {
        NotStateValues { place: place.to_string(), problem: self }
    }
}

impl StateValues {
    /// The objects of a state by the implied types and versions of schemas, each of which is looked up once. Objects of another
    /// version stay as they are stored.
    ///
    /// # Errors
    /// An object of a type without schema; an invalid object, output or address.
    pub fn of_snapshot(
        snapshot: &Snapshot,
        types: impl FnMut(ResourceType<'_>) -> Option<(Type, u64)>,
    ) -> Result<StateValues, NotStateValues> {
        let mut types = Types { find: types, found: BTreeMap::new() };
        let mut values = StateValues::default();
        for resource in &snapshot.resources {
            values.read_resource(resource, &mut types)?;
        }
        for (name, json) in &snapshot.outputs {
            let addr = OutputAddress::of_root(name);
            let value = output(json).map_err(|error| StateProblem::from(error).at(&addr))?;
            values.outputs.insert(addr, value);
        }
        Ok(values)
    }

    fn read_resource<'s, F: FnMut(ResourceType<'_>) -> Option<(Type, u64)>>(
        &mut self,
        stored: &'s StoredResource,
        types: &mut Types<'s, F>,
    ) -> Result<(), NotStateValues> {
        let mode = match stored.kind {
            ResourceKind::Managed => ResourceMode::Managed,
            ResourceKind::Data => ResourceMode::Data,
        };
        let resource = Resource { mode, type_name: stored.type_name.clone(), name: stored.name.clone() };
        let module = ModuleInstance::parse(&stored.module);
        let module = module.map_err(|error| StateProblem::from(error).at(&resource))?;
        for object in &stored.objects {
            let addr =
                AbsResourceInstance { module: module.clone(), resource: resource.clone(), key: object.key.clone() };
            let read = types.of(stored, object, mode).and_then(|(ty, version)| Ok(object.to_object(ty, *version)?));
            let read = read.map_err(|problem| problem.at(&addr))?;
            let instance = self.instances.entry(addr).or_default();
            match &object.deposed {
                None => instance.current = Some(read),
                Some(key) => drop(instance.deposed.insert(key.clone(), read)),
            }
        }
        Ok(())
    }
}

/// Types and versions, each looked up once, by the text of the provider's address.
struct Types<'s, F> {
    find: F,
    found: BTreeMap<(&'s str, ResourceMode, &'s str), (Type, u64)>,
}

impl<'s, F: FnMut(ResourceType<'_>) -> Option<(Type, u64)>> Types<'s, F> {
    fn of(
        &mut self,
        resource: &'s StoredResource,
        object: &'s StoredObject,
        mode: ResourceMode,
    ) -> Result<&(Type, u64), StateProblem> {
        let provider = object.provider.as_deref().or(resource.provider.as_deref());
        let provider = provider.ok_or(StateProblem::NoProvider)?;
        match self.found.entry((provider, mode, &resource.type_name)) {
            Entry::Occupied(found) => Ok(found.into_mut()),
            Entry::Vacant(place) => {
                let source: ProviderSource = ProviderConfig::parse(provider)?.source;
                let of = ResourceType { provider: &source, mode, name: &resource.type_name };
                let found = (self.find)(of).ok_or_else(|| StateProblem::NoSchema(of.to_string()))?;
                Ok(place.insert(found))
            }
        }
    }
}

fn output(json: &Json) -> Result<Marked, JsonError> {
    let mut members = ObjectReader::new(json, "an output: \"value\" and \"type\"")?;
    let ty = members.required("type", Type::from_json)?;
    let value = members.required("value", |json| Value::from_stored_json(json, &ty))?;
    let sensitive = members.flag("sensitive")?.then(WrittenPath::default);
    Ok(Marked::new(value, &sensitive.into_iter().collect::<PathSet>()))
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use crate::plans::{Action, Changes};
    use crate::state::Stored;

    fn snapshot(resources: &str, outputs: &str) -> Snapshot {
        let text = format!(
            r#"{{"version": 4, "terraform_version": "1.0.0", "serial": 1, "lineage": "l", "check_results": null,
            "outputs": {{{outputs}}}, "resources": [{resources}]}}"#
        );
        Snapshot::read(text.as_bytes()).expect("a state")
    }

    const OBJECTS: &str = r#"{"module": "module.m[0]", "mode": "managed", "type": "t", "name": "n",
        "provider": "provider[\"registry.terraform.io/hashicorp/t\"]", "instances": [
        {"index_key": 1, "schema_version": 2, "attributes": {"id": "a", "tags": null, "names": [], "any": null}, "sensitive_attributes": []},
        {"index_key": 1, "deposed": "0000000a", "schema_version": 1, "attributes": {"old": true}, "sensitive_attributes": []}]}"#;

    fn types(of: ResourceType<'_>) -> Option<(Type, u64)> {
        (of.name == "t").then(|| (object_type(), 2))
    }

    #[test]
    fn pl43_objects_and_outputs_of_a_state() {
        let outputs = r#""o": {"value": "a", "type": "string", "sensitive": true}, "p": {"value": [1], "type": ["list", "number"]}"#;
        let values = StateValues::of_snapshot(&snapshot(OBJECTS, outputs), types).expect("values");
        let instance = &values.instances[&instance("module.m[0].t.n[1]")];
        let is_value = |object: &crate::state::Object| matches!(object.stored, Stored::Value(_));
        assert!(instance.current.as_ref().is_some_and(is_value));
        assert_eq!(instance.deposed.values().map(is_value).collect::<Vec<_>>(), [false]);
        let sensitive = values.outputs.iter().map(|(addr, value)| (addr.to_string(), value.sensitive().len()));
        assert_eq!(sensitive.collect::<Vec<_>>(), [("output.o".to_owned(), 1), ("output.p".to_owned(), 0)]);
        let mut changes = Changes::new();
        changes.append_resource(addressed("module.m[0].t.n[1]", Action::Delete));
        let planned = changes.planned_state(&values);
        assert_eq!(
            planned.instances.values().map(|it| (it.current.is_some(), it.deposed.len())).collect::<Vec<_>>(),
            [(false, 1)]
        );
    }

    #[test]
    fn pl43_a_schema_is_asked_for_once() {
        let mut asked = 0;
        StateValues::of_snapshot(&snapshot(OBJECTS, ""), |of| {
            asked += 1;
            types(of)
        })
        .expect("values");
        assert_eq!(asked, 1);
    }

    #[test]
    fn pl43_errors_have_a_problem_and_a_place() {
        let check = |from: &str, to: &str, want: &str| {
            assert!(OBJECTS.contains(from), "{from}");
            let error = StateValues::of_snapshot(&snapshot(&OBJECTS.replacen(from, to, 1), ""), types);
            let error = error.expect_err("refused").to_string();
            assert!(error.starts_with(want), "{error}");
        };
        let source = "registry.terraform.io/hashicorp/t";
        check(
            "\"t\"",
            "\"u\"",
            &format!("module.m[0].u.n[1]: expected a schema of the resource type u of {source}, found none"),
        );
        check(r#""any""#, r#""none""#, "module.m[0].t.n[1]: expected attributes of the resource type: ");
        check(
            r#"provider[\"registry.terraform.io/hashicorp/t\"]"#,
            "provider.t",
            "module.m[0].t.n[1]: expected the source of a provider",
        );
        check("\"module.m[0]\"", "\"module\"", "t.n: expected a name");
        let error = StateValues::of_snapshot(&snapshot("", r#""o": {"value": 1}"#), types).expect_err("refused");
        assert!(error.to_string().starts_with("output.o: "), "{error}");
    }
}
