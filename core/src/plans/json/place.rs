//! Addresses and paths as the documents write them.

use std::fmt;

use super::members::{self, Members};
use crate::address::{
    AbsResourceInstance, AddressError, InstanceKey, ModuleInstance, Notation, Resource, ResourceKind, ResourceMode,
};
use crate::dialect::Engine;
use crate::json::{Json, JsonError, JsonProblem};

/// The address of a resource instance, as text and parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstanceAddress {
    text: String,
    instance: AbsResourceInstance,
    is_partial: bool,
}

impl InstanceAddress {
    /// An address.
    pub fn new(instance: AbsResourceInstance) -> InstanceAddress {
        InstanceAddress { text: instance.to_string(), instance, is_partial: false }
    }

    /// The text, as it stands in the document.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The parsed address. A partial address lacks the keys that are not known.
    pub fn instance(&self) -> &AbsResourceInstance {
        &self.instance
    }

    /// Whether some keys are not known yet, as in deferred changes.
    pub fn is_partial(&self) -> bool {
        self.is_partial
    }

    /// Managed or data; an ephemeral resource counts as managed.
    pub fn kind(&self) -> ResourceKind {
        match self.instance.resource.mode {
            ResourceMode::Data => ResourceKind::Data,
            ResourceMode::Managed | ResourceMode::Ephemeral => ResourceKind::Managed,
        }
    }

    /// Whether this can be an address in a module. Terraform 0.12 writes addresses in a state without their module.
    pub(super) fn is_in(&self, module: &ModuleInstance) -> bool {
        self.instance.module == *module || self.instance.module.is_root()
    }

    /// Puts an address that lacks its module into a module.
    pub(super) fn put_in(&mut self, module: &ModuleInstance) {
        if self.instance.module.is_root() {
            self.instance.module = module.clone();
        }
    }

    /// Reads the address that a text is, in the notation of either engine.
    pub(super) fn parse(text: String) -> Result<InstanceAddress, JsonError> {
        let is_partial = text.contains("[*]");
        let plain = if is_partial { text.replace("[*]", "") } else { String::new() };
        let instance = either(if is_partial { &plain } else { &text }).map_err(|error| JsonProblem::Unexpected {
            expected: "the address of a resource instance".into(),
            found: error.to_string(),
        })?;
        if instance.resource.mode == ResourceMode::Ephemeral {
            let found = format!("the string {text:?}");
            return Err(JsonProblem::Unexpected { expected: "an address without ephemeral".into(), found }.into());
        }
        Ok(InstanceAddress { text, instance, is_partial })
    }

    /// Takes the members that give the address of an instance. They must agree; some versions and tools leave some of them
    /// out.
    pub(super) fn take(members: &mut Members, may_lack_key: bool) -> Result<InstanceAddress, JsonError> {
        let address = members.optional("address", |json| InstanceAddress::parse(members::text(json)?))?;
        let module = members.optional("module_address", |json| {
            let partial = json.expect_string()?.replace("[*]", "");
            ModuleInstance::parse(&partial).map_err(|_| json.unexpected("the address of a module instance"))
        })?;
        let mode = members.optional("mode", mode)?;
        let (type_name, name) = (members.optional("type", members::text)?, members.optional("name", members::text)?);
        let key = members.optional("index", key)?;
        let index_unknown = members.optional("index_unknown", members::bool)?.unwrap_or(false);
        let Some(mut address) = address else {
            let missing = |name: &str| JsonError::from(JsonProblem::Missing { name: name.to_owned() });
            let resource = Resource {
                mode: mode.ok_or_else(|| missing("address"))?,
                type_name: type_name.ok_or_else(|| missing("type"))?,
                name: name.ok_or_else(|| missing("name"))?,
            };
            let key = key.unwrap_or_default();
            let instance = AbsResourceInstance { module: module.unwrap_or_default(), resource, key };
            return Ok(InstanceAddress { is_partial: index_unknown, ..InstanceAddress::new(instance) });
        };
        let AbsResourceInstance { module: at, resource, key: at_key } = &address.instance;
        agree("module_address", module.as_ref(), at)?;
        agree("mode", mode.as_ref(), &resource.mode)?;
        agree("type", type_name.as_ref(), &resource.type_name)?;
        agree("name", name.as_ref(), &resource.name)?;
        match key {
            Some(key) if may_lack_key && *at_key == InstanceKey::None => address.instance.key = key,
            key => agree("index", key.as_ref(), at_key)?,
        }
        Ok(InstanceAddress { is_partial: address.is_partial || index_unknown, ..address })
    }
}

/// Checks that a member agrees with the address, if it is there.
fn agree<T: PartialEq + fmt::Debug>(name: &str, found: Option<&T>, at: &T) -> Result<(), JsonError> {
    match found {
        Some(found) if found != at => {
            let expected = format!("what the address has, {at:?}");
            let problem = JsonProblem::Unexpected { expected, found: format!("{found:?}") };
            Err(JsonError::new(problem).inside_member(name))
        }
        _ => Ok(()),
    }
}

/// OpenTofu accepts more names, Terraform a prefix.
fn either(text: &str) -> Result<AbsResourceInstance, AddressError> {
    let of = |engine| Notation { engine }.instance(text);
    of(Engine::Terraform).or_else(|error| of(Engine::OpenTofu).map_err(|_| error))
}

fn mode(json: Json) -> Result<ResourceMode, JsonError> {
    match json.expect_string()? {
        "managed" => Ok(ResourceMode::Managed),
        "data" => Ok(ResourceMode::Data),
        _ => Err(json.unexpected("\"managed\" or \"data\"")),
    }
}

fn key(json: Json) -> Result<InstanceKey, JsonError> {
    match json {
        Json::Number(_) => json.expect_i64().map(InstanceKey::Int),
        Json::String(text) => Ok(InstanceKey::Text(text.into())),
        other => Err(other.unexpected("a whole number or a string")),
    }
}

/// A path: attribute names and keys alike are strings (JS24).
pub type PathItems = Vec<PathItem>;

/// A step of a path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PathItem {
    /// The name of an attribute, or the key of a map element.
    Name(String),
    /// The index of an element.
    Index(u64),
}

pub(super) fn path_items(json: Json) -> Result<PathItems, JsonError> {
    members::items(json, |item| match item {
        Json::String(name) => Ok(PathItem::Name(name.into())),
        Json::Number(_) => item.expect_u64().map(PathItem::Index),
        other => Err(other.unexpected("a name or an index")),
    })
}
