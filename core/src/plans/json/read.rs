//! Reading plans.

use super::actions;
use super::document::{
    ChangeJson, DeferredChangeJson, ImportingJson, PlanForm, PlanJson, PlanVariable, Reason, RelevantAttributeJson,
    ResourceChangeJson, Shown,
};
use super::error::ShowError;
use super::members::{self, Members, UnknownMembers};
use super::place::{InstanceAddress, path_items};
use super::state::{StateJson, StateValues, located_items};
use super::{MAX_ENTRIES, MAX_JSON_BYTES, fit};
use crate::json::{Json, JsonError, JsonProblem};
use crate::plans::ActionReason;
use crate::schema::ProviderSchemas;

/// Members of plans that states do not have.
const OF_PLANS: [&str; 8] = [
    "plan_format_version",
    "planned_values",
    "resource_changes",
    "resource_drift",
    "output_changes",
    "prior_state",
    "configuration",
    "applyable",
];

impl Shown {
    /// Reads the output of `show -json` for a plan or a state.
    ///
    /// # Errors
    /// Anything else; see the module.
    pub fn read(bytes: &[u8]) -> Result<Shown, ShowError> {
        Shown::from_json(parse(bytes)?)
    }

    /// Reads a document, as [`Shown::read`] does.
    ///
    /// # Errors
    /// As for [`Shown::read`].
    pub fn from_json(json: Json) -> Result<Shown, ShowError> {
        let has = |name: &&str| json.member(name).is_some();
        if OF_PLANS.iter().any(has) {
            return PlanJson::from_json(json).map(|plan| Shown::Plan(Box::new(plan)));
        }
        // An empty state has no other member.
        if has(&"format_version") && !has(&"provider_schemas") {
            return StateJson::from_json(json).map(Shown::State);
        }
        Err(ShowError::Neither)
    }
}

impl PlanJson {
    /// Reads the output of `show -json` for a plan.
    ///
    /// # Errors
    /// Anything else; see the module.
    pub fn read(bytes: &[u8]) -> Result<PlanJson, ShowError> {
        PlanJson::from_json(parse(bytes)?)
    }

    /// Reads a document, as [`PlanJson::read`] does.
    ///
    /// # Errors
    /// As for [`PlanJson::read`].
    pub fn from_json(json: Json) -> Result<PlanJson, ShowError> {
        let mut members = Members::of(json, "a plan")?;
        let mut unknown = UnknownMembers::default();
        plan(&mut members, &mut unknown).map_err(ShowError::from).map(|plan| {
            members.finish("", &mut unknown);
            PlanJson { unknown_members: unknown, ..plan }
        })
    }

    /// The schemas in the document.
    ///
    /// # Errors
    /// An invalid schema.
    pub fn schemas(&self) -> Result<Option<ProviderSchemas>, JsonError> {
        let Some(schemas) = &self.provider_schemas else { return Ok(None) };
        let version = self.provider_format_version.as_deref().unwrap_or("1.0");
        let file = Json::object([("format_version", Json::string(version)), ("provider_schemas", schemas.clone())]);
        ProviderSchemas::from_json(&file).map(Some)
    }

    /// The changes of every kind: drift, then changes, then deferred ones.
    pub fn all_changes(&self) -> impl Iterator<Item = &ResourceChangeJson> {
        let deferred = self.deferred_changes.iter().map(|deferred| &deferred.change);
        self.resource_drift.iter().chain(&self.resource_changes).chain(deferred)
    }
}

/// A document within the bounds.
pub(super) fn parse(bytes: &[u8]) -> Result<Json, ShowError> {
    if bytes.len() > MAX_JSON_BYTES {
        return Err(ShowError::TooLarge { found: bytes.len() });
    }
    Ok(Json::parse_bytes(bytes)?)
}

/// Refuses formats of another major version, whose members mean other things.
pub(super) fn format_version(found: &str) -> Result<(), ()> {
    match found.split_once('.') {
        Some(("0" | "1", minor)) if minor.bytes().all(|byte| byte.is_ascii_digit()) => Ok(()),
        _ => Err(()),
    }
}

/// The number of entries so far.
#[derive(Default)]
pub(super) struct Counted(usize);

impl Counted {
    pub(super) fn one(&mut self) -> Result<(), JsonError> {
        self.0 += 1;
        if self.0 <= MAX_ENTRIES {
            return Ok(());
        }
        let expected = format!("at most {MAX_ENTRIES} entries");
        Err(JsonProblem::Unexpected { expected, found: "more".into() }.into())
    }
}

/// An error, with the address of the instance where it is known.
pub(super) enum Located {
    Version { found: String },
    Json { address: Option<String>, error: JsonError },
}

impl Located {
    pub(super) fn at(address: &str, error: JsonError) -> Located {
        Located::Json { address: (!address.is_empty()).then(|| address.to_owned()), error }
    }

    pub(super) fn map(self, inside: impl FnOnce(JsonError) -> JsonError) -> Located {
        match self {
            Located::Json { address, error } => Located::Json { address, error: inside(error) },
            version => version,
        }
    }

    pub(super) fn inside_member(self, name: &str) -> Located {
        self.map(|error| error.inside_member(name))
    }
}

impl From<JsonError> for Located {
    fn from(error: JsonError) -> Located {
        Located::Json { address: None, error }
    }
}

impl From<Located> for ShowError {
    fn from(located: Located) -> ShowError {
        match located {
            Located::Version { found } => ShowError::Version { found },
            Located::Json { address: Some(address), error } => ShowError::Entry { address, error },
            Located::Json { address: None, error } => ShowError::Json(error),
        }
    }
}

fn plan(members: &mut Members, unknown: &mut UnknownMembers) -> Result<PlanJson, Located> {
    let (form, version) = match members.optional("plan_format_version", members::text)? {
        Some(version) => (PlanForm::Rendered, version),
        None => (PlanForm::Show, members.required("format_version", members::text)?),
    };
    format_version(&version).map_err(|()| Located::Version { found: version.clone() })?;
    let mut count = Counted::default();
    let planned_values = match members.take("planned_values") {
        None => None,
        Some(json) => {
            let mut inside = UnknownMembers::default();
            let values = StateValues::read(json, &mut inside, &mut count);
            unknown.join(".planned_values", inside);
            Some(values.map_err(|error| error.inside_member("planned_values"))?)
        }
    };
    let prior_state = match members.take("prior_state") {
        None => None,
        Some(json) => {
            let state = StateJson::take(json, &mut count).map_err(|error| error.inside_member("prior_state"))?;
            unknown.join(".prior_state", state.unknown_members.clone());
            Some(state)
        }
    };
    Ok(PlanJson {
        form,
        format_version: version,
        terraform_version: members.optional("terraform_version", members::text)?,
        variables: members.optional("variables", |json| variables(json, unknown))?.unwrap_or_default(),
        planned_values,
        resource_drift: changes(members, "resource_drift", unknown)?,
        resource_changes: changes(members, "resource_changes", unknown)?,
        deferred_changes: deferred_changes(members, unknown)?,
        output_changes: members.optional("output_changes", |json| output_changes(json, unknown))?.unwrap_or_default(),
        prior_state,
        configuration: members.optional("configuration", members::object)?,
        relevant_attributes: members
            .optional("relevant_attributes", |json| relevant_attributes(json, unknown))?
            .unwrap_or_default(),
        checks: members.take("checks"),
        timestamp: members.optional("timestamp", members::text)?,
        applyable: members.optional("applyable", members::bool)?,
        complete: members.optional("complete", members::bool)?,
        errored: members.optional("errored", members::bool)?,
        provider_schemas: members.optional("provider_schemas", members::object)?,
        provider_format_version: members.optional("provider_format_version", members::text)?,
        unknown_members: UnknownMembers::default(),
    })
}

fn variables(json: Json, unknown: &mut UnknownMembers) -> Result<Vec<(String, PlanVariable)>, JsonError> {
    members::entries(json, |json| {
        let mut members = Members::of(json, "a variable")?;
        let variable = PlanVariable { value: members.take("value") };
        members.finish(".variables{}", unknown);
        Ok(variable)
    })
}

fn output_changes(json: Json, unknown: &mut UnknownMembers) -> Result<Vec<(String, ChangeJson)>, JsonError> {
    members::entries(json, |json| change(json, ".output_changes{}", unknown))
}

fn relevant_attributes(json: Json, unknown: &mut UnknownMembers) -> Result<Vec<RelevantAttributeJson>, JsonError> {
    members::items(json, |json| {
        let mut members = Members::of(json, "a relevant attribute")?;
        let relevant = RelevantAttributeJson {
            resource: members.required("resource", members::text)?,
            attribute: members.required("attribute", path_items)?,
        };
        members.finish(".relevant_attributes[]", unknown);
        Ok(relevant)
    })
}

fn changes(
    members: &mut Members,
    name: &'static str,
    unknown: &mut UnknownMembers,
) -> Result<Vec<ResourceChangeJson>, Located> {
    let mut count = Counted::default();
    located_items(members.take(name), name, |json| {
        count.one()?;
        resource_change(json, &format!(".{name}[]"), unknown)
    })
}

fn deferred_changes(members: &mut Members, unknown: &mut UnknownMembers) -> Result<Vec<DeferredChangeJson>, Located> {
    let mut count = Counted::default();
    located_items(members.take("deferred_changes"), "deferred_changes", |json| {
        count.one()?;
        let mut members = Members::of(json, "a deferred change")?;
        let reason = members.required("reason", members::text)?;
        let Some(json) = members.take("resource_change") else {
            return Err(JsonError::from(JsonProblem::Missing { name: "resource_change".into() }).into());
        };
        let change = resource_change(json, ".deferred_changes[].resource_change", unknown);
        let change = change.map_err(|error| error.inside_member("resource_change"))?;
        members.finish(".deferred_changes[]", unknown);
        Ok(DeferredChangeJson { reason, change })
    })
}

fn resource_change(json: Json, place: &str, unknown: &mut UnknownMembers) -> Result<ResourceChangeJson, Located> {
    let mut members = Members::of(json, "a change of a resource instance")?;
    let address = members.peek("address").unwrap_or_default().to_owned();
    let change = resource_change_members(&mut members, place, unknown).map_err(|error| Located::at(&address, error))?;
    members.finish(place, unknown);
    Ok(change)
}

fn resource_change_members(
    members: &mut Members,
    place: &str,
    unknown: &mut UnknownMembers,
) -> Result<ResourceChangeJson, JsonError> {
    Ok(ResourceChangeJson {
        address: InstanceAddress::take(members, false)?,
        previous_address: members.optional("previous_address", |json| InstanceAddress::parse(members::text(json)?))?,
        provider_name: members.optional("provider_name", members::text)?.unwrap_or_default(),
        deposed: members.optional("deposed", members::text)?.filter(|key| !key.is_empty()),
        change: members.required("change", |json| change(json, &format!("{place}.change"), unknown))?,
        reason: members.optional("action_reason", actions::reason)?.unwrap_or(Reason::Known(ActionReason::None)),
    })
}

fn change(json: Json, place: &str, unknown: &mut UnknownMembers) -> Result<ChangeJson, JsonError> {
    let mut members = Members::of(json, "a change")?;
    let change = ChangeJson {
        action: members.required("actions", actions::action)?,
        before: members.take("before"),
        after: members.take("after"),
        after_unknown: members.take("after_unknown"),
        before_sensitive: members.take("before_sensitive"),
        after_sensitive: members.take("after_sensitive"),
        replace_paths: members.optional("replace_paths", |json| members::items(json, path_items))?.unwrap_or_default(),
        importing: members.optional("importing", |json| importing(json, place, unknown))?,
        generated_config: members.optional("generated_config", members::text)?,
        before_identity: members.optional("before_identity", members::anything)?,
        after_identity: members.optional("after_identity", members::anything)?,
    };
    members.finish(place, unknown);
    fit::change(&change).map(|()| change)
}

fn importing(json: Json, place: &str, unknown: &mut UnknownMembers) -> Result<ImportingJson, JsonError> {
    let mut members = Members::of(json, "an import")?;
    let importing = ImportingJson {
        id: members.optional("id", members::text)?,
        unknown: members.optional("unknown", members::bool)?.unwrap_or(false),
        identity: members.take("identity"),
    };
    members.finish(&format!("{place}.importing"), unknown);
    Ok(importing)
}
