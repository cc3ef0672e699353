//! Identities: how a provider identifies an object, beside the object's values. A type has an identity schema or none, and a provider may
//! not support identities at all.

use std::collections::BTreeMap;

use planfuzz_core::json::Json;
use planfuzz_core::msgpack;
use planfuzz_core::value::{Text, Type, Value};

use super::ask::{self, Kind, ProviderDiagnostic};
use super::error::CallError;
use super::launch::Plugin;
use super::line::Call;
use super::schema::SchemaFault;
use crate::wire::messages::plugin::{self, DynamicValue, IdentityData};

/// The identity schema of a type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IdentitySchema {
    /// Its version.
    pub version: u64,
    /// Its attributes, by name.
    pub attributes: BTreeMap<Text, IdentityAttribute>,
}

/// A part of an identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdentityAttribute {
    /// The type of its values.
    pub ty: Type,
    /// Whether an import must give it.
    pub is_required: bool,
    /// Whether an import may give it; if neither, the provider sets it.
    pub is_optional: bool,
}

impl IdentitySchema {
    /// The type of the identities.
    pub fn ty(&self) -> Type {
        Type::object(self.attributes.iter().map(|(name, of)| (name.clone(), of.ty.clone())))
    }

    /// The parts of an identity that an import gives; the rest is null. `None` if a required part is missing.
    pub fn for_import(&self, identity: &Value) -> Option<Value> {
        let mut members = Vec::new();
        for (name, member) in identity.view().entries() {
            let of = self.attributes.get(name)?;
            if of.is_required && !(member.is_present() && member.is_wholly_known()) {
                return None;
            }
            let is_given = of.is_required || of.is_optional;
            members.push((name.clone(), if is_given { member.to_value() } else { Value::null(of.ty.clone()) }));
        }
        Some(Value::object(members))
    }
}

/// The identity schemas of a provider, by type.
pub(super) type Identities = BTreeMap<String, IdentitySchema>;

impl Plugin {
    /// Asks for the identity schemas; a provider that does not implement the call has none.
    pub(super) fn identities(&mut self) -> Result<(Identities, Vec<SchemaFault>, Vec<ProviderDiagnostic>), CallError> {
        let answer: plugin::IdentitySchemasAnswer = match self.call(Call::IDENTITIES, plugin::Empty {}) {
            Err(CallError::Status { code, .. }) if code == "Unimplemented" => return Ok(Default::default()),
            answer => answer?,
        };
        let mut faults = Vec::new();
        let schemas = answer.identity_schemas.into_iter().map(|(name, of)| {
            let read = schema(&name, of, &mut faults);
            (name, read)
        });
        let schemas = schemas.collect();
        faults.sort_by(|a: &SchemaFault, b| (&a.type_name, &a.place).cmp(&(&b.type_name, &b.place)));
        Ok((schemas, faults, ask::read_diagnostics(answer.diagnostics)))
    }

    /// Upgrades an identity that was stored at the version of its schema; returns it with the diagnostics. If the provider does not
    /// implement the call, the identity stays as it is.
    pub(super) fn upgrade_identity(
        &mut self,
        of: &Kind,
        identity: &Value,
    ) -> Result<(Option<Value>, Vec<ProviderDiagnostic>), CallError> {
        let Some(schema) = of.identity() else { return Ok((None, Vec::new())) };
        let json = identity
            .view()
            .to_stored_json(&schema.ty())
            .map_err(|_| CallError::Unsendable("an identity that state files cannot hold"))?;
        let raw_identity = Some(plugin::RawState { json: json.to_compact().into_bytes(), ..Default::default() });
        let version = i64::try_from(schema.version).unwrap_or(i64::MAX);
        let request = plugin::UpgradeIdentityRequest { type_name: of.name().to_owned(), version, raw_identity };
        let answer: plugin::UpgradeIdentityAnswer = match self.call(Call::UPGRADE_IDENTITY, request) {
            Err(CallError::Status { code, .. }) if code == "Unimplemented" => {
                return Ok((Some(identity.clone()), Vec::new()));
            }
            answer => answer?,
        };
        let upgraded = read(of, answer.upgraded_identity.as_ref())?;
        Ok((upgraded, ask::read_diagnostics(answer.diagnostics)))
    }
}

fn schema(type_name: &str, of: plugin::IdentitySchema, faults: &mut Vec<SchemaFault>) -> IdentitySchema {
    let mut fault = |place: &str, problem: String| {
        let place = format!("identity {place}").trim_end().to_owned();
        faults.push(SchemaFault { type_name: type_name.to_owned(), place, problem });
    };
    let version = u64::try_from(of.version).unwrap_or_else(|_| {
        fault("", "expected a version that is not negative".to_owned());
        0
    });
    let mut attributes = BTreeMap::new();
    for it in of.identity_attributes {
        let text = std::str::from_utf8(&it.r#type).map_err(|error| error.to_string());
        let ty = text.and_then(|text| Type::parse(text).map_err(|error| error.to_string()));
        let ty = ty.unwrap_or_else(|problem| {
            fault(&it.name, format!("expected a type, {problem}"));
            Type::Dynamic
        });
        let (is_required, is_optional) = (it.required_for_import, it.optional_for_import);
        attributes.insert(Text::new(&it.name), IdentityAttribute { ty, is_required, is_optional });
    }
    IdentitySchema { version, attributes }
}

/// The message of an identity.
pub(super) fn message(of: &Kind, identity: Option<&Value>) -> Result<Option<IdentityData>, CallError> {
    let (Some(schema), Some(identity)) = (of.identity(), identity) else { return Ok(None) };
    let bytes = msgpack::encode(identity.view(), &schema.ty());
    let msgpack = bytes.map_err(|_| CallError::Unsendable("an identity that has no msgpack form"))?;
    Ok(Some(IdentityData { identity_data: Some(DynamicValue { msgpack, json: Vec::new() }) }))
}

/// The identity in a message; `None` if the message or the type has none.
pub(super) fn read(of: &Kind, message: Option<&IdentityData>) -> Result<Option<Value>, CallError> {
    let (Some(schema), Some(data)) = (of.identity(), message.and_then(|it| it.identity_data.as_ref())) else {
        return Ok(None);
    };
    let unreadable = |problem: String| CallError::Undecodable { place: "identity", problem };
    let ty = schema.ty();
    let value = if !data.msgpack.is_empty() {
        msgpack::decode(&data.msgpack, &ty).map_err(|error| unreadable(error.to_string()))?
    } else {
        let json = Json::parse_bytes(&data.json).map_err(|error| unreadable(error.to_string()))?;
        Value::from_stored_json(&json, &ty).map_err(|error| unreadable(error.to_string()))?
    };
    Ok((!value.is_null()).then_some(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_import_gives_the_attributes_that_the_schema_asks_for() {
        let of = |is_required, is_optional| IdentityAttribute { ty: Type::String, is_required, is_optional };
        let parts = [("account", of(false, true)), ("id", of(true, false)), ("own", of(false, false))];
        let attributes = parts.map(|(name, of)| (Text::new(name), of)).into();
        let schema = IdentitySchema { version: 0, attributes };
        let identity = |id: Value| {
            let members = [("account", Value::string("a")), ("id", id), ("own", Value::string("o"))];
            Value::object(members.map(|(name, it)| (Text::new(name), it)).into())
        };
        let given = schema.for_import(&identity(Value::string("i"))).expect("an identity");
        assert_eq!(given.view().member("own").map(|it| it.to_value()), Some(Value::null(Type::String)));
        assert_eq!(given.view().member("account").map(|it| it.to_value()), Some(Value::string("a")));
        assert_eq!(schema.for_import(&identity(Value::null(Type::String))), None);
        assert_eq!(given.ty(), &schema.ty());
    }

    #[test]
    fn an_invalid_type_is_reported_with_its_place() {
        let attribute =
            plugin::identity_schema::Attribute { name: "a".into(), r#type: b"strin".to_vec(), ..Default::default() };
        let of = plugin::IdentitySchema { version: -1, identity_attributes: vec![attribute] };
        let mut faults = Vec::new();
        schema("t", of, &mut faults);
        let places: Vec<&str> = faults.iter().map(|it| it.place.as_str()).collect();
        assert_eq!(places, ["identity", "identity a"]);
    }
}
