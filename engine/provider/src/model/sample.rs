//! A plan of a provider: the request and the answer.

use std::collections::BTreeSet;

use planfuzz_core::planner::Exchange;
use planfuzz_core::schema::Schema;
use planfuzz_core::value::{Value, ValueError, WrittenPath};
use planfuzz_pipelines::sdk::{Pipeline, PlanRequest, SdkError};

use crate::play::is_error;
use crate::responder::Entry;

/// A block that the SDK itself manages (Z99).
pub const TIMEOUTS: &str = "timeouts";

/// A plan of a provider without an error, of anything but a destruction.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The prior state.
    pub prior: Value,
    /// The configuration.
    pub config: Value,
    /// The proposed object.
    pub proposed: Value,
    /// The planned object.
    pub planned: Value,
    /// The paths that require replacement.
    pub replace: BTreeSet<String>,
}

impl Sample {
    /// The plan of an exchange.
    pub fn of(entry: &Entry) -> Option<Sample> {
        let Exchange::Plan(asked, answer) = &entry.exchange else { return None };
        let is_plan = entry.trouble.is_none() && !is_error(&entry.exchange) && !asked.proposed.is_null();
        is_plan.then(|| Sample {
            prior: asked.prior.clone(),
            config: plainly_unknown(&asked.config),
            proposed: plainly_unknown(&asked.proposed),
            planned: plainly_unknown(&answer.planned),
            replace: answer.requires_replace.iter().map(ToString::to_string).collect(),
        })
    }

    /// The plan without the block that the SDK itself manages; and whether that block is planned as it should be (Z99).
    pub fn without_timeouts(&self) -> (Sample, bool) {
        let member = |of: &Value| of.view().member(TIMEOUTS).map(|it| it.to_value());
        let holds = match (member(&self.proposed), member(&self.planned)) {
            (Some(proposed), Some(planned)) => match proposed.is_wholly_known() && !proposed.is_null() {
                true => planned == proposed,
                false => planned.is_null(),
            },
            _ => true,
        };
        let sample = Sample {
            prior: without(&self.prior),
            config: without(&self.config),
            proposed: without(&self.proposed),
            planned: without(&self.planned),
            replace: self.replace.clone(),
        };
        (sample, holds)
    }

    /// The model's plan.
    ///
    /// # Errors
    /// The model refuses the plan.
    pub fn modelled(&self, pipeline: &Pipeline) -> Result<(Value, BTreeSet<String>), SdkError> {
        let request = PlanRequest { prior: &self.prior, config: &self.config, proposed: &self.proposed };
        let plan = pipeline.plan(&[], request)?;
        let replace = plan.requires_replace.iter().map(|path| WrittenPath::from(path).to_string()).collect();
        Ok((plan.planned, replace))
    }
}

/// The value without refinements. A binary may be older than refinements and send none; which ones it keeps is not determined by the
/// schema.
fn plainly_unknown(value: &Value) -> Value {
    if value.is_wholly_known() {
        return value.clone();
    }
    let plain = value.view().transform::<ValueError>(&mut |_, part| {
        Ok(if part.is_unknown() { Value::unknown(part.ty().clone()) } else { part })
    });
    plain.unwrap_or_else(|_| value.clone())
}

fn without(value: &Value) -> Value {
    if value.view().member(TIMEOUTS).is_none() {
        return match value.is_null() {
            true => Value::null(type_without(value.ty())),
            false => value.clone(),
        };
    }
    let members = value.view().entries().filter(|(name, _)| name.as_str() != TIMEOUTS);
    Value::object(members.map(|(name, member)| (name.clone(), member.to_value())).collect())
}

fn type_without(ty: &planfuzz_core::value::Type) -> planfuzz_core::value::Type {
    use planfuzz_core::value::Type;
    let Some(object) = ty.as_object() else { return ty.clone() };
    let kept = object.attributes().iter().filter(|it| it.name.as_str() != TIMEOUTS);
    Type::object(kept.map(|it| (it.name.clone(), it.ty.clone())))
}

/// A schema without the block that the SDK itself manages.
pub fn schema_without_timeouts(schema: &Schema) -> Schema {
    let mut schema = schema.clone();
    let nested = std::mem::take(&mut schema.block.block_types);
    let kept = nested.into_entries().into_iter().filter(|(name, _)| name.as_str() != TIMEOUTS);
    schema.block.block_types = planfuzz_core::schema::Named::new(kept.collect());
    schema
}
