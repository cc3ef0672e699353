//! The conversion of whole sets of changes between the two layers (PL42).

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;

use super::addressed::AddressedChange;
use super::changes::{Changes, EncodedChanges};
use super::encoded::OfSide;
use super::output::OutputChange;
use crate::address::{AbsResourceInstance, ProviderSource, ResourceMode};
use crate::dialect::Dialect;
use crate::msgpack::{DecodeError, EncodeError};
use crate::schema::ProviderSchemas;
use crate::value::Type;

/// The key of a schema: a resource type of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ResourceType<'a> {
    /// The provider.
    pub provider: &'a ProviderSource,
    /// The kind of resource.
    pub mode: ResourceMode,
    /// The name of the type.
    pub name: &'a str,
}

impl<'a> ResourceType<'a> {
    /// The resource type of a change.
    pub fn of<V>(change: &'a AddressedChange<V>) -> ResourceType<'a> {
        let resource = &change.addr.resource;
        ResourceType { provider: &change.provider.source, mode: resource.mode, name: &resource.type_name }
    }

    /// The implied type of its objects; `None` if the schemas do not have it. In format 0.1 providers are known by their name
    /// alone.
    pub fn implied_type(self, schemas: &ProviderSchemas, dialect: Dialect) -> Option<Type> {
        let entries = match self.mode {
            ResourceMode::Managed => &schemas.resources,
            ResourceMode::Data => &schemas.data_sources,
            ResourceMode::Ephemeral => return None,
        };
        let source = self.provider.to_string();
        let is_of = |provider: &str| provider == source || provider == self.provider.type_name;
        let entry = entries.iter().find(|entry| entry.name == self.name && is_of(&entry.provider))?;
        Some(entry.schema.implied_type(dialect))
    }
}

impl fmt::Display for ResourceType<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.mode {
            ResourceMode::Managed => "resource type",
            ResourceMode::Data => "data source",
            ResourceMode::Ephemeral => "ephemeral resource type",
        };
        write!(out, "{kind} {} of {}", self.name, self.provider)
    }
}

/// The error for a set of changes that has no form in the other layer.
#[derive(Debug, thiserror::Error)]
pub enum ChangesError<E> {
    /// There is no schema (PL42).
    #[error("{change}: expected a schema of the {of}, found none")]
    NoSchema {
        /// The address of the change, and the deposed key.
        change: String,
        /// The resource type.
        of: String,
    },
    /// A value does not fit its type.
    #[error("{change}: {error}")]
    Value {
        /// The address of the change, and the deposed key.
        change: String,
        /// The error.
        error: OfSide<E>,
    },
}

/// Types, each looked up once.
struct Types<'c, F> {
    find: F,
    found: HashMap<ResourceType<'c>, Type>,
}

impl<'c, F: FnMut(ResourceType<'c>) -> Option<Type>> Types<'c, F> {
    fn new(find: F) -> Types<'c, F> {
        Types { find, found: HashMap::new() }
    }

    fn of<V, E>(&mut self, change: &'c AddressedChange<V>) -> Result<&Type, ChangesError<E>> {
        let of = ResourceType::of(change);
        match self.found.entry(of) {
            Entry::Occupied(found) => Ok(found.into_mut()),
            Entry::Vacant(place) => {
                let missing = || ChangesError::NoSchema { change: name(change), of: of.to_string() };
                Ok(place.insert((self.find)(of).ok_or_else(missing)?))
            }
        }
    }
}

fn name<V>(change: &AddressedChange<V, AbsResourceInstance>) -> String {
    match change.deposed() {
        None => change.addr.to_string(),
        Some(key) => format!("{} (deposed {})", change.addr, key.as_str()),
    }
}

impl Changes {
    /// The changes with their values written against the implied types of schemas (PL42), each of which is looked up once;
    /// those of outputs against the dynamic type.
    ///
    /// # Errors
    /// A change of a type that has no schema, and values that do not fit their type: the first in order.
    pub fn encode<'c>(
        &'c self,
        types: impl FnMut(ResourceType<'c>) -> Option<Type>,
    ) -> Result<EncodedChanges, ChangesError<EncodeError>> {
        let mut types = Types::new(types);
        let mut encoded = Changes::new();
        for change in self.resources() {
            let value = |error| ChangesError::Value { change: name(change), error };
            encoded.append_resource(change.encode(types.of(change)?).map_err(value)?);
        }
        for output in self.outputs() {
            encoded.append_output(output.encode().map_err(|error| of_output(output, error))?);
        }
        Ok(encoded)
    }
}

impl EncodedChanges {
    /// The changes with their values read in the same way (PL42).
    ///
    /// # Errors
    /// A change of a type that has no schema, and bytes that encode no values of their type: the first in order.
    pub fn decode<'c>(
        &'c self,
        types: impl FnMut(ResourceType<'c>) -> Option<Type>,
    ) -> Result<Changes, ChangesError<DecodeError>> {
        let mut types = Types::new(types);
        let mut decoded = Changes::new();
        for change in self.resources() {
            let value = |error| ChangesError::Value { change: name(change), error };
            decoded.append_resource(change.decode(types.of(change)?).map_err(value)?);
        }
        for output in self.outputs() {
            decoded.append_output(output.decode().map_err(|error| of_output(output, error))?);
        }
        Ok(decoded)
    }
}

fn of_output<V, E>(output: &OutputChange<V>, error: OfSide<E>) -> ChangesError<E> {
    ChangesError::Value { change: output.addr().to_string(), error }
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use crate::json::Json;
    use crate::plans::Action;

    fn schemas(provider: &str) -> ProviderSchemas {
        let schema =
            |attribute: &str| format!(r#"{{"block": {{"attributes": {{"{attribute}": {{"type": "string"}}}}}}}}"#);
        let text = format!(
            r#"{{"format_version": "1.0", "provider_schemas": {{"{provider}": {{
                "resource_schemas": {{"t": {}}}, "data_source_schemas": {{"t": {}}}}}}}}}"#,
            schema("managed"),
            schema("data"),
        );
        ProviderSchemas::from_json(&Json::parse(&text).expect("json")).expect("schemas")
    }

    #[test]
    fn pl42_types_by_provider_mode_and_name() {
        let dialect = Dialect::default();
        let of = |provider: &str, addr: &str| {
            let change = addressed(addr, Action::NoOp);
            ResourceType::of(&change).implied_type(&schemas(provider), dialect)
        };
        let object = |name: &str| Some(Type::object([(name.into(), Type::String)]));
        for provider in ["registry.terraform.io/hashicorp/t", "t"] {
            assert_eq!(of(provider, "t.n"), object("managed"), "{provider}");
            assert_eq!(of(provider, "data.t.n"), object("data"), "{provider}");
            assert_eq!(of(provider, "ephemeral.t.n"), None, "{provider}");
            assert_eq!(of(provider, "u.n"), None, "{provider}");
        }
        assert_eq!(of("registry.terraform.io/other/t", "t.n"), None);
    }
}
