//! The answers of planners in the form of recorded runs.

use planfuzz_core::address::{ResourceKind, ResourceMode};
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::plans::file::{Enclosed, PlanFile};
use planfuzz_core::plans::json::{SchemaTable, show_plan_tree};
use planfuzz_core::plans::{self, AddressedChange, Backend, OfEngine};
use planfuzz_core::state::file::Snapshot;
use planfuzz_language::check::Schemas;

use crate::diagnostic::{Diagnostic, Severity};
use crate::plan::Plan;

/// The plan in the form of recorded runs.
///
/// # Errors
/// A part of the plan that no plan file can hold.
pub fn plan_json(plan: &Plan, schemas: &Schemas, dialect: Dialect) -> Result<Json, String> {
    let sources: Vec<String> = schemas.sources().map(str::to_owned).collect();
    let mut table = SchemaTable::new();
    for source in &sources {
        for ((mode, name), schema) in schemas.provider(source).iter().flat_map(|provider| &provider.types) {
            let kind = match mode {
                ResourceMode::Managed => ResourceKind::Managed,
                ResourceMode::Data => ResourceKind::Data,
                ResourceMode::Ephemeral => continue,
            };
            table.insert(source, kind, name, schema);
        }
    }
    let empty = || Snapshot::empty(Dialect::RELEASE, "", 0);
    let mut whole = plans::Plan::new(dialect.engine(), Backend::local(), empty(), empty());
    whole.mode = plan.mode;
    whole.errored = plan.errored;
    if let OfEngine::Terraform { applyable, complete, .. } = &mut whole.of_engine {
        (*applyable, *complete) = (plan.applyable, plan.complete);
    }
    let encode = |change: &AddressedChange| {
        let kind = change.addr.resource.mode;
        let schema = schemas
            .provider(&change.provider.source.to_string())
            .and_then(|provider| provider.types.get(&(kind, change.addr.resource.type_name.clone())));
        let ty = schema.ok_or_else(|| format!("{}: no schema", change.addr))?.implied_type(dialect);
        change.encode(&ty).map_err(|error| format!("{}: {error}", change.addr))
    };
    for change in &plan.changes {
        whole.changes.append_resource(encode(change)?);
    }
    whole.drift = plan.drift.iter().map(encode).collect::<Result<_, _>>()?;
    for output in &plan.outputs {
        whole.changes.append_output(output.encode().map_err(|error| error.to_string())?);
    }
    whole.relevant_attributes = plan.relevant.clone().unwrap_or_default();
    let enclosed = Enclosed {
        terraform_version: Dialect::RELEASE.into(),
        config: Vec::new(),
        manifest: Vec::new(),
        locks: None,
        schemas: None,
    };
    let file = PlanFile::of_plan(&whole, enclosed).map_err(|error| error.to_string())?;
    let shown = show_plan_tree(&file, &table, dialect).map_err(|error| error.to_string())?;
    let flags = [plan.applyable, plan.complete, plan.errored];
    let members = plan_members(&shown, plan.checks.plan_json(), flags);
    Ok(if plan.relevant.is_some() { members } else { without_relevant(members) })
}

/// Leaves out the member `relevant`: a planner that does not report relevant attributes does not claim that there are none.
fn without_relevant(members: Json) -> Json {
    let Json::Object(members) = members else { return members };
    Json::Object(members.into_iter().filter(|(name, _)| &**name != "relevant").collect())
}

/// The plan in the form of recorded runs, from the JSON that an engine shows, the checks, and the flags.
pub fn plan_members(shown: &Json, checks: Json, [applyable, complete, errored]: [bool; 3]) -> Json {
    let member = |name: &str| shown.member(name);
    let list = |name: &str| {
        let entries = member(name).map_or(&[][..], Json::items);
        Json::Array(entries.iter().map(change_members).collect())
    };
    Json::object([
        ("changes", list("resource_changes")),
        ("drift", list("resource_drift")),
        ("outputs", member("output_changes").cloned().unwrap_or(Json::Object(Vec::new()))),
        ("checks", checks),
        ("relevant", member("relevant_attributes").cloned().unwrap_or(Json::Array(Vec::new()))),
        ("applyable", Json::Bool(applyable)),
        ("complete", Json::Bool(complete)),
        ("errored", Json::Bool(errored)),
    ])
}

/// The members of a change that the format has.
fn change_members(change: &Json) -> Json {
    let names = ["address", "previous_address", "deposed", "action_reason", "change"];
    Json::object(names.into_iter().filter_map(|name| Some((name, change.member(name)?.clone()))))
}

/// The text of a diagnostic by which it is compared with recorded ones.
pub(super) fn diagnostic_text(diagnostic: &Diagnostic) -> String {
    let severity = if diagnostic.severity == Severity::Error { "error" } else { "warning" };
    let address = diagnostic.address.as_ref().map_or(String::new(), |address| format!(" ({address})"));
    format!("{severity} {}{address}", diagnostic.summary)
}

/// The same text of a recorded diagnostic.
pub(super) fn recorded_diagnostic(json: &Json) -> String {
    let text = |name: &str| json.member(name).and_then(|text| text.expect_string().ok()).unwrap_or("");
    let address = json.member("address").map_or(String::new(), |_| format!(" ({})", text("address")));
    format!("{} {}{address}", text("severity"), text("summary"))
}
