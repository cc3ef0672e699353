//! Models in JSON (provider-model.md).
//!
//! The schema is a member beside the other parts, or is kept apart from the model: in a case it is a member of the case. So readers and
//! writers take it as an argument.

mod remote;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::expression::Scope;
use crate::form::named;
use crate::rules::{self, Allowed, PlanRule, customize_diff_from_json, read_plan_rules, write_plan_rules};
use crate::sdk;
use planfuzz_core::json::{Json, JsonError, ObjectReader};
use planfuzz_core::schema::{Block, Schema};

use super::{Model, Respond, Style};

type Members = Vec<(&'static str, Json)>;

/// The name of the framework style.
const FRAMEWORK: &str = "framework";
/// The name of the SDK style.
const SDK: &str = "sdk";

impl Model {
    /// Reads a model of the framework style whose schema stands apart.
    ///
    /// # Errors
    /// The model has another style, unknown members, or references and paths that do not exist in the schema.
    pub fn from_json(json: &Json, schema: Arc<Schema>) -> Result<Model, JsonError> {
        let mut reader = ObjectReader::new(json, "a provider model")?;
        let model = read_framework(&mut reader, schema)?;
        reader.finish()?;
        Ok(model)
    }

    /// Reads a model of the SDK style whose schema stands apart.
    ///
    /// # Errors
    /// As [`Model::from_json`].
    pub fn from_sdk_json(json: &Json, schema: Arc<sdk::Schema>) -> Result<Model, JsonError> {
        let mut reader = ObjectReader::new(json, "a provider model")?;
        let model = read_sdk(&mut reader, schema)?;
        reader.finish()?;
        Ok(model)
    }

    /// Reads a model of either style with its schema inside.
    ///
    /// # Errors
    /// As [`Model::from_json`], [`Schema::from_json`] and [`sdk::Schema::from_json`].
    pub fn from_document(json: &Json) -> Result<Model, JsonError> {
        let mut reader = ObjectReader::new(json, "a provider model")?;
        let style = reader.required("style", |json| named(json, &[FRAMEWORK, SDK], |name| name))?;
        let model = if style == SDK {
            let schema = reader.required("sdk_schema", sdk::Schema::from_json)?;
            read_sdk(&mut reader, Arc::new(schema))?
        } else {
            let schema = reader.required("schema", Schema::from_json)?;
            read_framework(&mut reader, Arc::new(schema))?
        };
        reader.finish()?;
        Ok(model)
    }

    /// The document without the schema.
    pub fn to_json(&self) -> Json {
        Json::object(self.members())
    }

    /// The document with the schema inside.
    pub fn to_document(&self) -> Json {
        let mut members = self.members();
        match &self.style {
            Style::Framework { schema, plan: _ } => members.insert(1, ("schema", schema.to_json())),
            Style::Sdk { schema, customize_diff: _ } => members.insert(1, ("sdk_schema", schema.to_json())),
        }
        Json::object(members)
    }

    fn members(&self) -> Members {
        match &self.style {
            Style::Framework { schema, plan } => {
                let scope = Scope::of_resource(&schema.block);
                let mut members = vec![("style", Json::string(FRAMEWORK))];
                let plan = plan.iter().map(|rules| ("plan", write_plan_rules(rules, &scope))).collect();
                self.push_common(&mut members, plan, &schema.block, &scope);
                members
            }
            Style::Sdk { schema, customize_diff } => {
                let core = schema.core_schema();
                let scope = Scope::of_resource(&core.block);
                let mut members = vec![("style", Json::string(SDK))];
                rules::push_list(&mut members, "customize_diff", customize_diff, |op| {
                    rules::write_customize_op(op, &scope)
                });
                self.push_common(&mut members, Vec::new(), &core.block, &scope);
                members
            }
        }
    }

    /// Writes the members of both styles; `resource` has the members beside `validate` in the member of that name.
    fn push_common(&self, members: &mut Members, resource: Members, root: &Block, scope: &Scope) {
        let Model { style: _, rules, validate, respond, failures, seed, faults } = self;
        if !rules.is_empty() {
            members.push(("rules", rules.to_json(root)));
        }
        let mut of_resource: Members = Vec::new();
        rules::push_list(&mut of_resource, "validate", validate, |check| rules::write_resource_check(check, scope));
        of_resource.extend(resource);
        if !of_resource.is_empty() {
            members.push(("resource", Json::object(of_resource)));
        }
        if *respond != Respond::default() {
            members.push(("remote", Json::object([("respond", Json::string(respond.name()))])));
        }
        rules::push_list(members, "failures", failures, |failure| remote::write_failure(failure, scope));
        if *seed != 0 {
            members.push(("seed", Json::int(*seed)));
        }
        rules::push_list(members, "faults", faults, remote::write_fault);
    }
}

fn read_framework(reader: &mut ObjectReader<'_>, schema: Arc<Schema>) -> Result<Model, JsonError> {
    reader.required("style", |json| named(json, &[FRAMEWORK], |name| name))?;
    let scope = Scope::of_resource(&schema.block);
    let style = Style::Framework { schema: schema.clone(), plan: None };
    let (mut model, read) = read_common(reader, style, &schema.block, &scope, Allowed::Framework)?;
    if let Style::Framework { plan, .. } = &mut model.style {
        *plan = read;
    }
    Ok(model)
}

fn read_sdk(reader: &mut ObjectReader<'_>, schema: Arc<sdk::Schema>) -> Result<Model, JsonError> {
    reader.required("style", |json| named(json, &[SDK], |name| name))?;
    let core = schema.core_schema();
    let scope = Scope::of_resource(&core.block);
    let ops = reader.optional("customize_diff", |json| customize_diff_from_json(json, &core.block))?;
    let style = Style::Sdk { schema, customize_diff: ops.unwrap_or_default() };
    Ok(read_common(reader, style, &core.block, &scope, Allowed::Sdk)?.0)
}

/// Reads the members of both styles into a model of a style; `resource.plan` is read too.
fn read_common(
    reader: &mut ObjectReader<'_>,
    style: Style,
    root: &Block,
    scope: &Scope,
    allowed: Allowed,
) -> Result<(Model, Option<Vec<PlanRule>>), JsonError> {
    let mut model = Model::new(style);
    if let Some(rules) = reader.optional("rules", |json| rules::read_rules(json, root, allowed))? {
        model.rules = rules;
    }
    let resource = reader.optional("resource", |json| {
        let mut resource = ObjectReader::new(json, "resource-level rules: \"validate\" and \"plan\"")?;
        let validate =
            resource.optional("validate", |json| json.read_items(|json| rules::read_resource_check(json, scope)))?;
        let plan = match allowed {
            Allowed::Framework => resource.optional("plan", |json| read_plan_rules(json, scope))?,
            Allowed::Sdk => None,
        };
        resource.finish()?;
        Ok((validate.unwrap_or_default(), plan))
    })?;
    let (validate, plan) = resource.unwrap_or_default();
    model.validate = validate;
    model.respond = reader.optional("remote", remote::read_respond)?.unwrap_or_default();
    let failures = reader.optional("failures", |json| json.read_items(|json| remote::read_failure(json, scope)))?;
    model.failures = failures.unwrap_or_default();
    model.seed = reader.optional("seed", Json::expect_u64)?.unwrap_or_default();
    let faults = reader.optional("faults", |json| json.read_items(|json| remote::read_fault(json, root)))?;
    model.faults = faults.unwrap_or_default();
    Ok((model, plan))
}

impl Respond {
    fn name(self) -> &'static str {
        match self {
            Respond::Plan => "plan",
            Respond::Remote => "remote",
        }
    }
}
