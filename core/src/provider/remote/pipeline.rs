//! The two pipelines behind one face.

use std::borrow::Cow;

use super::answers::error;
use crate::planner::Remark;
use crate::provider::framework::{Diagnostic, Inexpressible, PlanError, PlanRequest, Program, Returned, Unfit};
use crate::provider::model::{Model, Style};
use crate::schema::Block;
use crate::value::{Value, WrittenPath};

/// Why a model cannot be played.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ModelError {
    /// The framework style cannot express it (F01).
    #[error(transparent)]
    Framework(#[from] Inexpressible),
    /// The style has no schema to play.
    #[error("expected a model of the framework style")]
    Sdk,
}

/// The pipeline of a model's style, compiled.
#[derive(Debug)]
pub(super) enum Pipeline {
    /// The plugin framework.
    Framework(Program),
}

/// What a pipeline plans.
#[derive(Debug)]
pub(super) struct Planned {
    pub(super) planned: Value,
    pub(super) requires_replace: Vec<WrittenPath>,
    /// What it wants back at apply.
    pub(super) extra: String,
}

/// What a pipeline is given to apply.
#[derive(Clone, Copy, Debug)]
pub(super) struct Applying<'a> {
    pub(super) prior: &'a Value,
    pub(super) planned: &'a Value,
    pub(super) config: &'a Value,
}

/// What the provider's own code did in a call.
#[derive(Debug)]
pub(super) struct Response {
    /// The object that it gives back; null for none.
    pub(super) object: Value,
    /// Its error.
    pub(super) error: Option<&'static str>,
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
            Style::Sdk { .. } => Err(ModelError::Sdk),
        }
    }

    /// Whether answers are of the legacy type system (Z50.12).
    pub(super) fn is_legacy(&self) -> bool {
        match self {
            Pipeline::Framework(_) => false,
        }
    }

    pub(super) fn validate(&self, config: &Value) -> Vec<Remark> {
        match self {
            Pipeline::Framework(program) => program.validate(config, true).map_or_else(unfit, remarks),
        }
    }

    pub(super) fn plan(&self, prior: &Value, config: &Value, proposed: &Value) -> Result<Planned, Vec<Remark>> {
        match self {
            Pipeline::Framework(program) => match program.plan(PlanRequest { prior, config, proposed }) {
                Ok(plan) => {
                    Ok(Planned { planned: plan.planned, requires_replace: plan.requires_replace, extra: String::new() })
                }
                Err(PlanError::Diagnostics(diagnostics)) => Err(remarks(diagnostics)),
                Err(PlanError::Unfit(error)) => Err(unfit(error)),
            },
        }
    }

    pub(super) fn apply(&self, applying: &Applying<'_>, response: Response) -> Outcome {
        let Applying { prior, planned, config } = *applying;
        match self {
            Pipeline::Framework(program) => {
                let returned = Returned { value: Some(&response.object), is_error: response.error.is_some() };
                outcome(program.apply(prior, planned, config, returned), response)
            }
        }
    }

    pub(super) fn read(&self, current: &Value, response: Response) -> Outcome {
        match self {
            Pipeline::Framework(program) => {
                let returned = Returned { value: Some(&response.object), is_error: response.error.is_some() };
                outcome(program.read(current, returned), response)
            }
        }
    }
}

/// What the framework makes of a response. Of the errors the provider's own is told in its own words.
fn outcome(applied: Result<crate::provider::framework::Applied, Unfit>, response: Response) -> Outcome {
    match (applied, response.error) {
        (Ok(applied), Some(summary)) => Outcome { new_state: applied.new_state, remarks: vec![error(summary)] },
        (Ok(applied), None) => Outcome { new_state: applied.new_state, remarks: remarks(applied.errors) },
        (Err(unfitting), _) => Outcome { new_state: response.object, remarks: unfit(unfitting) },
    }
}

fn remarks(diagnostics: Vec<Diagnostic>) -> Vec<Remark> {
    diagnostics.into_iter().map(|diagnostic| error(&diagnostic.message)).collect()
}

fn unfit(unfit: Unfit) -> Vec<Remark> {
    vec![error(&unfit.to_string())]
}
