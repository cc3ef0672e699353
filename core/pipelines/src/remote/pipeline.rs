//! The two pipelines behind one interface.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::answers::error;
use crate::expression::Operation;
use crate::framework::{self, Diagnostic, Inexpressible, PlanError, Program, Returned, Unfit};
use crate::model::{Model, Style};
use crate::rules::{CustomizeOp, Rule, Rules};
use crate::sdk::{self, Function, SdkError};
use planfuzz_core::json::Json;
use planfuzz_core::planner::Remark;
use planfuzz_core::schema::Block;
use planfuzz_core::value::{Text, Value, ValueRef, WrittenPath};

/// Why a model cannot be played.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ModelError {
    /// The framework cannot express the model (F01), or its checks.
    #[error(transparent)]
    Inexpressible(#[from] Inexpressible),
}

/// The pipeline of a model's style, compiled.
#[derive(Debug)]
pub(super) enum Pipeline {
    /// The plugin framework.
    Framework(Program),
    /// The classic SDK.
    Sdk(Box<Sdk>),
}

/// The classic SDK, with the parts of a model besides the schema.
#[derive(Debug)]
pub(super) struct Sdk {
    pipeline: sdk::Pipeline,
    customize: Vec<CustomizeOp>,
    /// The checks of the model, run by the framework's pipeline (section 3.1); `None` if it has none.
    checks: Option<Program>,
}

/// The plan of a pipeline.
#[derive(Debug)]
pub(super) struct Planned {
    pub(super) planned: Value,
    pub(super) requires_replace: Vec<WrittenPath>,
    /// The text that the pipeline needs back at apply.
    pub(super) extra: String,
}

/// The input of a pipeline's apply.
#[derive(Clone, Copy, Debug)]
pub(super) struct Applying<'a> {
    pub(super) prior: &'a Value,
    pub(super) planned: &'a Value,
    pub(super) config: &'a Value,
    /// The text that the pipeline gave with its plan.
    pub(super) extra: &'a str,
}

/// The result of the provider's own code in a call.
#[derive(Debug)]
pub(super) struct Response {
    /// The returned object; null for none.
    pub(super) object: Value,
    /// Which fields a function of the SDK sets from it.
    pub(super) sets: Sets,
    /// Its error.
    pub(super) error: Option<&'static str>,
}

/// Which fields a function of the SDK sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sets {
    /// The fields that are not wholly known in the plan.
    Open,
    /// All fields.
    All,
    /// No field: the state stays as it is (Z134).
    None,
}

/// The new state of an apply or a read, and all errors.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) new_state: Value,
    pub(super) remarks: Vec<Remark>,
}

impl Pipeline {
    /// The pipeline of a model, and the schema that Core sees.
    pub(super) fn new(model: &Model) -> Result<(Pipeline, Cow<'_, Block>), ModelError> {
        match &model.style {
            Style::Framework { schema, plan } => {
                let program = Program::new(schema, &model.rules, &model.validate, plan.as_deref())?;
                Ok((Pipeline::Framework(program), Cow::Borrowed(&schema.block)))
            }
            Style::Sdk { schema, customize_diff } => {
                let pipeline = sdk::Pipeline::new(sdk::Schema::clone(schema));
                let checks = checks(model, pipeline.core_schema())?;
                let block = pipeline.core_schema().block.clone();
                let sdk = Sdk { pipeline, customize: customize_diff.clone(), checks };
                Ok((Pipeline::Sdk(Box::new(sdk)), Cow::Owned(block)))
            }
        }
    }

    /// Whether answers are of the legacy type system (Z50.12).
    pub(super) fn is_legacy(&self) -> bool {
        matches!(self, Pipeline::Sdk(_))
    }

    pub(super) fn validate(&self, config: &Value) -> Vec<Remark> {
        match self {
            Pipeline::Framework(program) => program.validate(config, true).map_or_else(unfit, remarks),
            Pipeline::Sdk(sdk) => {
                let problems = sdk.pipeline.validate(config).into_iter().map(|problem| error(&problem.to_string()));
                let checks = sdk.checks.iter().flat_map(|checks| match checks.validate(config, true) {
                    // The framework's built-in checks are dropped; the SDK has its own.
                    Ok(found) => remarks(found.into_iter().filter(|found| found.rule != "F141").collect()),
                    Err(error) => unfit(error),
                });
                problems.chain(checks).collect()
            }
        }
    }

    pub(super) fn plan(&self, prior: &Value, config: &Value, proposed: &Value) -> Result<Planned, Vec<Remark>> {
        match self {
            Pipeline::Framework(program) => match program.plan(framework::PlanRequest { prior, config, proposed }) {
                Ok(framework::Planned { planned, requires_replace }) => {
                    Ok(Planned { planned, requires_replace, extra: String::new() })
                }
                Err(PlanError::Diagnostics(diagnostics)) => Err(remarks(diagnostics)),
                Err(PlanError::Unfit(error)) => Err(unfit(error)),
            },
            Pipeline::Sdk(sdk) => {
                let request = sdk::PlanRequest { prior, config, proposed };
                let plan = sdk.pipeline.plan(&sdk.customize, request).map_err(|error| vec![refused(&error)])?;
                Ok(Planned {
                    planned: plan.planned,
                    requires_replace: plan.requires_replace.iter().map(WrittenPath::from).collect(),
                    extra: write_extra(&plan.extra),
                })
            }
        }
    }

    /// Applies. `respond` is the provider's own code, called at most once.
    pub(super) fn apply(&self, applying: &Applying<'_>, respond: impl FnOnce(Operation) -> Response) -> Outcome {
        let Applying { prior, planned, config, extra } = *applying;
        match self {
            Pipeline::Framework(program) => {
                // F100.
                let response = respond(match (prior.is_null(), planned.is_null()) {
                    (true, _) => Operation::Create,
                    (false, true) => Operation::Destroy,
                    (false, false) => Operation::Update,
                });
                let returned = Returned { value: Some(&response.object), is_error: response.error.is_some() };
                outcome(program.apply(prior, planned, config, returned), &response)
            }
            Pipeline::Sdk(sdk) => {
                let extra = read_extra(extra);
                let request = sdk::ApplyRequest { prior, planned, extra: &extra };
                let mut summary = None;
                let applied = sdk.pipeline.apply(request, |operation| {
                    let response = respond(operation);
                    summary = response.error;
                    function(&response, planned.view())
                });
                sdk_outcome(applied, summary, prior)
            }
        }
    }

    /// Reads. `respond` is the provider's own code, called at most once.
    pub(super) fn read(&self, current: &Value, respond: impl FnOnce() -> Response) -> Outcome {
        match self {
            Pipeline::Framework(program) => {
                let response = respond();
                let returned = Returned { value: Some(&response.object), is_error: response.error.is_some() };
                outcome(program.read(current, returned), &response)
            }
            Pipeline::Sdk(sdk) => {
                let mut summary = None;
                let read = sdk.pipeline.read(current, || {
                    let response = respond();
                    summary = response.error;
                    function(&response, current.view())
                });
                sdk_outcome(read, summary, current)
            }
        }
    }
}

/// The checks of an SDK model as the framework runs them, without anything else of the model.
fn checks(model: &Model, core: &planfuzz_core::schema::Schema) -> Result<Option<Program>, Inexpressible> {
    let checked = model.rules.iter().filter(|(_, rule)| !rule.validate.is_empty());
    let rules: Rules = checked
        .map(|(path, rule)| (path.clone(), Rule { validate: rule.validate.clone(), ..Rule::default() }))
        .collect();
    if rules.is_empty() && model.validate.is_empty() {
        return Ok(None);
    }
    Program::new(core, &rules, &model.validate, None).map(Some)
}

/// The SDK function that returns an object (section 3.5); `base` is the object without it: the planned or the stored one. A field that is
/// null in both is not set, because that would make it a zero value (Z137).
fn function(response: &Response, base: ValueRef<'_>) -> Function {
    let object = response.object.view();
    let is_set = |name: &Text, value: ValueRef<'_>| match (response.sets, base.member(name)) {
        (Sets::None, _) => false,
        (_, Some(base)) if base.is_null() && value.is_null() => false,
        (Sets::All, _) => true,
        (Sets::Open, base) => base.is_none_or(|base| !base.is_wholly_known()),
    };
    let fields = object.entries().filter(|(name, value)| name.as_str() != sdk::ID && is_set(name, *value));
    let id = object.member(sdk::ID).and_then(ValueRef::as_text).cloned().unwrap_or_default();
    Function {
        sets: fields.map(|(name, value)| (name.clone(), value.to_value())).collect(),
        id: (response.sets != Sets::None).then_some(id),
        error: response.error.is_some(),
        partial: response.sets == Sets::None,
    }
}

/// The outcome of the framework pipeline. If the provider itself failed, only its own error is reported.
fn outcome(applied: Result<framework::Applied, Unfit>, response: &Response) -> Outcome {
    match (applied, response.error) {
        (Ok(applied), Some(summary)) => Outcome { new_state: applied.new_state, remarks: vec![error(summary)] },
        (Ok(applied), None) => Outcome { new_state: applied.new_state, remarks: remarks(applied.errors) },
        (Err(error), _) => Outcome { new_state: response.object.clone(), remarks: unfit(error) },
    }
}

/// The outcome of the SDK pipeline; if it crashes, the state stays.
fn sdk_outcome(applied: Result<sdk::Outcome, SdkError>, summary: Option<&'static str>, prior: &Value) -> Outcome {
    match applied {
        Ok(outcome) => {
            let summary = summary.filter(|_| outcome.error);
            Outcome { new_state: outcome.new_state, remarks: summary.map(error).into_iter().collect() }
        }
        Err(error) => Outcome { new_state: prior.clone(), remarks: vec![refused(&error)] },
    }
}

fn remarks(diagnostics: Vec<Diagnostic>) -> Vec<Remark> {
    diagnostics.into_iter().map(|diagnostic| error(&diagnostic.message)).collect()
}

fn unfit(unfit: Unfit) -> Vec<Remark> {
    vec![error(&unfit.to_string())]
}

fn refused(refusal: &SdkError) -> Remark {
    error(&refusal.to_string())
}

/// The inputs of state functions in private data (Z62).
fn write_extra(extra: &BTreeMap<String, String>) -> String {
    match extra.is_empty() {
        true => String::new(),
        false => Json::object(extra.iter().map(|(path, text)| (path.as_str(), Json::string(text)))).to_compact(),
    }
}

/// Reads the inputs of state functions; empty for any other text.
fn read_extra(text: &str) -> BTreeMap<String, String> {
    let Ok(Json::Object(members)) = Json::parse(text) else { return BTreeMap::new() };
    let text_of = |json: &Json| json.expect_string().map(str::to_owned).ok();
    members.iter().filter_map(|(path, json)| Some((path.to_string(), text_of(json)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn z62_extra_texts_survive_private_data() {
        let extra = BTreeMap::from([("a.0".to_owned(), "X \"\n".to_owned()), ("b".to_owned(), String::new())]);
        assert_eq!(read_extra(&write_extra(&extra)), extra);
        for nonsense in ["", "[]", "{\"a\":1}", "{"] {
            assert!(read_extra(nonsense).is_empty(), "{nonsense}");
        }
    }
}
