//! The inputs of the merge and the rules around it.

use std::sync::Arc;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::Request;
use planfuzz_core::schema::Schema;
use planfuzz_core::value::Value;

use super::op::Op;

/// One set of inputs for all operations of merge-and-rules.md. All values conform to the implied type of the schema.
#[derive(Clone, Debug)]
pub struct Merge {
    /// The schema, valid in the case's dialect.
    pub schema: Arc<Schema>,
    /// The prior state, or null; wholly known.
    pub prior: Value,
    /// The configuration, or null.
    pub config: Value,
    /// A plan that a provider might make of these.
    pub planned: Value,
    /// A result that the plan might have.
    pub actual: Value,
}

/// One operation of merge-and-rules.md and its inputs, by the names of formats.md.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the members are those of the vector formats, where each is described")]
pub enum MergeCall {
    ProposedNew { schema: Arc<Schema>, prior: Value, config: Value },
    PlannedDataResource { schema: Arc<Schema>, config: Value },
    AssertPlanValid { schema: Arc<Schema>, prior: Value, config: Value, planned: Value },
    AssertObjectCompatible { schema: Arc<Schema>, planned: Value, actual: Value },
    NormalizeLegacy { schema: Arc<Schema>, value: Value },
    PrepareComputedBlocks { schema: Arc<Schema>, value: Value },
}

impl Merge {
    /// The operations that these inputs allow in a dialect.
    pub fn ops(&self, dialect: Dialect) -> impl Iterator<Item = Op> + use<> {
        let computed_blocks = dialect.has_computed_blocks();
        Op::MERGE.into_iter().filter(move |op| *op != Op::PrepareComputedBlocks || computed_blocks)
    }

    /// The request of an operation. The legacy form is that of the planned object, because this has unknowns.
    ///
    /// `None` for an operation that is not of the merge, or not of the dialect.
    pub fn request(&self, op: Op, dialect: Dialect) -> Option<Request<'_>> {
        let Merge { schema: _, prior, config, planned, actual } = self;
        Some(match op {
            Op::ProposedNew => Request::ProposedNew { prior, config },
            Op::PlannedDataResource => Request::PlannedDataResource { config },
            Op::AssertPlanValid => Request::AssertPlanValid { prior, config, planned },
            Op::AssertObjectCompatible => Request::AssertObjectCompatible { planned, actual },
            Op::NormalizeLegacy => Request::NormalizeLegacy { value: planned },
            Op::PrepareComputedBlocks if dialect.has_computed_blocks() => {
                Request::PrepareComputedBlocks { value: config }
            }
            _ => return None,
        })
    }

    /// The operation with only the inputs that it needs.
    pub fn call(&self, op: Op, dialect: Dialect) -> Option<MergeCall> {
        self.request(op, dialect).map(|request| MergeCall::of_request(&self.schema, request))
    }
}

impl MergeCall {
    /// An owned call for a borrowed request.
    pub fn of_request(schema: &Arc<Schema>, request: Request<'_>) -> MergeCall {
        let schema = schema.clone();
        match request {
            Request::ProposedNew { prior, config } => {
                MergeCall::ProposedNew { schema, prior: prior.clone(), config: config.clone() }
            }
            Request::PlannedDataResource { config } => {
                MergeCall::PlannedDataResource { schema, config: config.clone() }
            }
            Request::AssertPlanValid { prior, config, planned } => MergeCall::AssertPlanValid {
                schema,
                prior: prior.clone(),
                config: config.clone(),
                planned: planned.clone(),
            },
            Request::AssertObjectCompatible { planned, actual } => {
                MergeCall::AssertObjectCompatible { schema, planned: planned.clone(), actual: actual.clone() }
            }
            Request::NormalizeLegacy { value } => MergeCall::NormalizeLegacy { schema, value: value.clone() },
            Request::PrepareComputedBlocks { value } => {
                MergeCall::PrepareComputedBlocks { schema, value: value.clone() }
            }
        }
    }

    /// The same call with inputs that share nothing with these: facts that a value caches (hashes, whether it is wholly known) are
    /// not computed yet, as for values read from a file or a pipe.
    #[must_use]
    pub fn fresh(&self) -> MergeCall {
        let schema = self.schema().clone();
        match self {
            MergeCall::ProposedNew { schema: _, prior, config } => {
                MergeCall::ProposedNew { schema, prior: prior.deep_clone(), config: config.deep_clone() }
            }
            MergeCall::PlannedDataResource { schema: _, config } => {
                MergeCall::PlannedDataResource { schema, config: config.deep_clone() }
            }
            MergeCall::AssertPlanValid { schema: _, prior, config, planned } => MergeCall::AssertPlanValid {
                schema,
                prior: prior.deep_clone(),
                config: config.deep_clone(),
                planned: planned.deep_clone(),
            },
            MergeCall::AssertObjectCompatible { schema: _, planned, actual } => {
                MergeCall::AssertObjectCompatible { schema, planned: planned.deep_clone(), actual: actual.deep_clone() }
            }
            MergeCall::NormalizeLegacy { schema: _, value } => {
                MergeCall::NormalizeLegacy { schema, value: value.deep_clone() }
            }
            MergeCall::PrepareComputedBlocks { schema: _, value } => {
                MergeCall::PrepareComputedBlocks { schema, value: value.deep_clone() }
            }
        }
    }

    /// The schema.
    pub fn schema(&self) -> &Arc<Schema> {
        match self {
            MergeCall::ProposedNew { schema, .. }
            | MergeCall::PlannedDataResource { schema, .. }
            | MergeCall::AssertPlanValid { schema, .. }
            | MergeCall::AssertObjectCompatible { schema, .. }
            | MergeCall::NormalizeLegacy { schema, .. }
            | MergeCall::PrepareComputedBlocks { schema, .. } => schema,
        }
    }

    /// The request, borrowed.
    pub fn request(&self) -> Request<'_> {
        match self {
            MergeCall::ProposedNew { schema: _, prior, config } => Request::ProposedNew { prior, config },
            MergeCall::PlannedDataResource { schema: _, config } => Request::PlannedDataResource { config },
            MergeCall::AssertPlanValid { schema: _, prior, config, planned } => {
                Request::AssertPlanValid { prior, config, planned }
            }
            MergeCall::AssertObjectCompatible { schema: _, planned, actual } => {
                Request::AssertObjectCompatible { planned, actual }
            }
            MergeCall::NormalizeLegacy { schema: _, value } => Request::NormalizeLegacy { value },
            MergeCall::PrepareComputedBlocks { schema: _, value } => Request::PrepareComputedBlocks { value },
        }
    }

    /// The operation.
    pub fn op(&self) -> Op {
        match self {
            MergeCall::ProposedNew { .. } => Op::ProposedNew,
            MergeCall::PlannedDataResource { .. } => Op::PlannedDataResource,
            MergeCall::AssertPlanValid { .. } => Op::AssertPlanValid,
            MergeCall::AssertObjectCompatible { .. } => Op::AssertObjectCompatible,
            MergeCall::NormalizeLegacy { .. } => Op::NormalizeLegacy,
            MergeCall::PrepareComputedBlocks { .. } => Op::PrepareComputedBlocks,
        }
    }
}
