//! A state as `show -json` prints it (section 4.6), and the values of a plan, which have the same form (section 4.5).

use super::error::ShowError;
use super::members::{self, Members, UnknownMembers};
use super::place::InstanceAddress;
use super::read::{Counted, Located, format_version};
use crate::address::ModuleInstance;
use crate::json::{Json, JsonError, JsonProblem};

/// A state (JS50).
#[derive(Clone, Debug)]
pub struct StateJson {
    /// The version of the format, as it stands.
    pub format_version: String,
    /// The version of the engine, where it is given.
    pub terraform_version: Option<String>,
    /// The outputs and resources; `None` for an empty state.
    pub values: Option<StateValues>,
    /// The results of checks, as they stand.
    pub checks: Option<Json>,
    /// Members that this reader does not know.
    pub unknown_members: UnknownMembers,
}

/// Outputs and resources (JS40, JS50).
#[derive(Clone, Debug, Default)]
pub struct StateValues {
    /// The root outputs, by name.
    pub outputs: Vec<(String, OutputValueJson)>,
    /// The root module.
    pub root_module: ModuleJson,
}

/// An output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputValueJson {
    /// Whether it is sensitive.
    pub sensitive: bool,
    /// Its type, as it stands; `None` in old versions, and where the value is not known.
    pub ty: Option<Json>,
    /// Its value; `None` where it is not known.
    pub value: Option<Json>,
}

/// A module instance with its resources (JS41).
#[derive(Clone, Debug, Default)]
pub struct ModuleJson {
    /// Its address, as it stands; empty for the root.
    pub address: String,
    /// The objects of its resource instances.
    pub resources: Vec<ResourceJson>,
    /// The modules in it.
    pub child_modules: Vec<ModuleJson>,
}

/// An object of a resource instance (JS41, JS51).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceJson {
    /// The instance.
    pub address: InstanceAddress,
    /// The provider's source; in format 0.1 of Terraform 0.12 its name alone.
    pub provider_name: String,
    /// The version of the schema; old versions leave out 0.
    pub schema_version: u64,
    /// The attributes; `None` where the document has none.
    pub values: Option<Json>,
    /// The sensitive parts of them (JS23).
    pub sensitive_values: Option<Json>,
    /// The addresses of its dependencies.
    pub depends_on: Vec<String>,
    /// Whether it is to be replaced.
    pub tainted: bool,
    /// The key of a deposed object; `None` for the current one.
    pub deposed: Option<String>,
    /// The identity, as it stands.
    pub identity: Option<Json>,
    /// The version of the identity's schema.
    pub identity_schema_version: Option<u64>,
}

impl StateValues {
    /// The objects of all modules, in the order of the document.
    pub fn resources(&self) -> impl Iterator<Item = &ResourceJson> {
        let mut modules = vec![&self.root_module];
        std::iter::from_fn(move || {
            let module = modules.pop()?;
            modules.extend(module.child_modules.iter().rev());
            Some(&module.resources)
        })
        .flatten()
    }

    pub(super) fn read(json: Json, unknown: &mut UnknownMembers, count: &mut Counted) -> Result<StateValues, Located> {
        let mut members = Members::of(json, "values")?;
        let outputs = members.optional("outputs", |json| {
            members::entries(json, |json| {
                let mut members = Members::of(json, "an output")?;
                let output = OutputValueJson {
                    sensitive: members.optional("sensitive", members::bool)?.unwrap_or(false),
                    ty: members.take("type"),
                    value: members.take("value"),
                };
                members.finish(".outputs{}", unknown);
                Ok(output)
            })
        })?;
        let root_module = match members.take("root_module") {
            None => ModuleJson::default(),
            Some(json) => {
                let module = module(json, &ModuleInstance::ROOT, unknown, count);
                module.map_err(|error| error.inside_member("root_module"))?
            }
        };
        members.finish("", unknown);
        Ok(StateValues { outputs: outputs.unwrap_or_default(), root_module })
    }
}

/// Modules nest no deeper than documents do.
fn module(
    json: Json,
    parent: &ModuleInstance,
    unknown: &mut UnknownMembers,
    count: &mut Counted,
) -> Result<ModuleJson, Located> {
    let mut members = Members::of(json, "a module")?;
    let address = members.optional("address", members::text)?.unwrap_or_default();
    let at = ModuleInstance::parse(&address).map_err(|error| {
        let problem = JsonProblem::Unexpected { expected: "a module's address".into(), found: error.to_string() };
        Located::at(&address, JsonError::new(problem).inside_member("address"))
    })?;
    let is_below = at.0.len() > parent.0.len() && at.0.starts_with(&parent.0);
    if at != *parent && !is_below {
        let expected = format!("a module below {:?}", parent.to_string());
        let problem = JsonProblem::Unexpected { expected, found: format!("{address:?}") };
        return Err(JsonError::new(problem).inside_member("address").into());
    }
    let resources = located_items(members.take("resources"), "resources", |json| {
        count.one()?;
        let mut resource = resource(json, unknown)?;
        if !resource.address.is_in(&at) {
            let text = resource.address.text();
            let expected = format!("a resource of the module {address:?}");
            let problem = JsonProblem::Unexpected { expected, found: format!("{text:?}") };
            return Err(Located::at(text, JsonError::new(problem).inside_member("address")));
        }
        resource.address.put_in(&at);
        Ok(resource)
    })?;
    let child_modules =
        located_items(members.take("child_modules"), "child_modules", |json| module(json, &at, unknown, count))?;
    members.finish(".root_module…", unknown);
    Ok(ModuleJson { address, resources, child_modules })
}

/// The items of the member `name`, each read.
pub(super) fn located_items<T>(
    json: Option<Json>,
    name: &str,
    mut read: impl FnMut(Json) -> Result<T, Located>,
) -> Result<Vec<T>, Located> {
    let items = match json {
        None => return Ok(Vec::new()),
        Some(Json::Array(items)) => items.into_iter().enumerate(),
        Some(other) => return Err(other.unexpected("an array").inside_member(name).into()),
    };
    let read = items.map(|(index, item)| {
        read(item).map_err(|located| located.map(|error| error.inside_index(index).inside_member(name)))
    });
    read.collect()
}

fn resource(json: Json, unknown: &mut UnknownMembers) -> Result<ResourceJson, Located> {
    let mut members = Members::of(json, "a resource")?;
    let address = members.peek("address").unwrap_or_default().to_owned();
    resource_members(&mut members).map_err(|error| Located::at(&address, error)).inspect(|_| {
        members.finish(".root_module…resources[]", unknown);
    })
}

fn resource_members(members: &mut Members) -> Result<ResourceJson, JsonError> {
    let resource = ResourceJson {
        address: InstanceAddress::take(members, true)?,
        provider_name: members.required("provider_name", members::text)?,
        schema_version: members.optional("schema_version", |json| json.expect_u64())?.unwrap_or(0),
        values: members.optional("values", values)?,
        sensitive_values: members.take("sensitive_values"),
        depends_on: members.optional("depends_on", |json| members::items(json, members::text))?.unwrap_or_default(),
        tainted: members.optional("tainted", members::bool)?.unwrap_or(false),
        deposed: members.optional("deposed_key", members::text)?,
        identity: members.optional("identity", members::object)?,
        identity_schema_version: members.optional("identity_schema_version", |json| json.expect_u64())?,
    };
    if let Some(sensitive) = &resource.sensitive_values {
        // Values of a plan leave out unknown parts, and are left out where everything is unknown (JS41).
        let nothing = Json::Object(Vec::new());
        super::fit::sensitive(Some(resource.values.as_ref().unwrap_or(&nothing)), sensitive)
            .map_err(|error| error.inside_member("sensitive_values"))?;
    }
    Ok(resource)
}

fn values(json: Json) -> Result<Json, JsonError> {
    match json {
        Json::Object(_) => Ok(json),
        other => Err(other.unexpected("an object")),
    }
}

impl StateJson {
    /// Reads the output of `show -json` for a state.
    ///
    /// # Errors
    /// Anything else; see the module.
    pub fn read(bytes: &[u8]) -> Result<StateJson, ShowError> {
        StateJson::from_json(super::read::parse(bytes)?)
    }

    /// Reads a document, as [`StateJson::read`] does.
    ///
    /// # Errors
    /// As for [`StateJson::read`].
    pub fn from_json(json: Json) -> Result<StateJson, ShowError> {
        StateJson::take(json, &mut Counted::default()).map_err(ShowError::from)
    }

    pub(super) fn take(json: Json, count: &mut Counted) -> Result<StateJson, Located> {
        let mut members = Members::of(json, "a state")?;
        let mut unknown_members = UnknownMembers::default();
        let format_version = members.required("format_version", members::text)?;
        format_version_known(&format_version)?;
        let mut inside = UnknownMembers::default();
        let values = match members.take("values") {
            None | Some(Json::Null) => None,
            Some(json) => {
                Some(StateValues::read(json, &mut inside, count).map_err(|error| error.inside_member("values"))?)
            }
        };
        unknown_members.join(".values", inside);
        let state = StateJson {
            format_version,
            terraform_version: members.optional("terraform_version", members::text)?,
            values,
            checks: members.take("checks"),
            unknown_members: UnknownMembers::default(),
        };
        members.finish("", &mut unknown_members);
        Ok(StateJson { unknown_members, ..state })
    }
}

fn format_version_known(found: &str) -> Result<(), Located> {
    format_version(found).map_err(|_| Located::Version { found: found.to_owned() })
}
