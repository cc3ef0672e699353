//! One operation with its inputs: a vector without the wanted outcome.

use std::sync::Arc;

use planfuzz_core::json::Json;
use planfuzz_core::schema::Schema;
use planfuzz_core::value::{Type, Value};

use super::expression::ExpressionCall;
use super::instance::InstanceCall;
use super::merge::MergeCall;
use super::op::Op;
use super::provider::ProviderCall;
use super::workspace::RunCall;
use crate::case::scenario::Scenario;

/// One operation with its inputs.
#[derive(Clone, Debug)]
pub enum Call {
    /// An operation of merge-and-rules.md; planners are compared on these.
    Merge(MergeCall),
    /// An operation of values.md.
    Value(ValueCall),
    /// An operation of schema.md.
    Schema(SchemaCall),
    /// An operation of plan-files.md.
    File(FileCall),
    /// An operation of lifecycle.md on one walk, with a provider's answers.
    Instance(Box<InstanceCall>),
    /// The history of an instance under a provider model.
    Scenario(Arc<Scenario>),
    /// An operation of provider-model.md.
    Provider(ProviderCall),
    /// An expression of the configuration language.
    Expression(ExpressionCall),
    /// A whole workspace and the steps that run on it.
    Workspace(Arc<planfuzz_workspace_cases::Case>),
    /// A recorded run of a whole workspace.
    WorkspaceRun(RunCall),
}

/// An operation of values.md and its inputs, by the names of formats.md.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the members are those of the vector formats, where each is described")]
pub enum ValueCall {
    MsgpackEncode {
        ty: Type,
        value: Value,
    },
    MsgpackDecode {
        ty: Type,
        bytes: Vec<u8>,
    },
    ImpliedType {
        bytes: Vec<u8>,
    },
    /// The value as it is written: the operation includes reading it.
    Roundtrip {
        ty: Type,
        value: Json,
    },
    RawEquals {
        ty: Type,
        a: Value,
        b: Value,
    },
    Equals {
        ty: Type,
        a: Value,
        b: Value,
    },
    Includes {
        ty: Type,
        a: Value,
        b: Value,
    },
    Length {
        ty: Type,
        value: Value,
    },
    NumberText {
        text: String,
    },
    Conforms {
        a: Type,
        b: Type,
    },
    Convert {
        ty: Type,
        value: Value,
        to: Type,
    },
    Unify {
        types: Vec<Type>,
    },
    Lcs {
        ty: Type,
        a: Vec<Value>,
        b: Vec<Value>,
    },
}

/// An operation of schema.md and its inputs, by the names of formats.md.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the members are those of the vector formats, where each is described")]
pub enum SchemaCall {
    SchemaType {
        schema: Arc<Schema>,
    },
    EmptyValue {
        schema: Arc<Schema>,
    },
    /// The schema as written: a schema that cannot be read is not valid.
    ValidateSchema {
        schema: Json,
    },
    Coerce {
        schema: Arc<Schema>,
        ty: Type,
        value: Value,
    },
    SensitivePaths {
        schema: Arc<Schema>,
        value: Value,
    },
    WriteOnlyPaths {
        schema: Arc<Schema>,
        value: Value,
    },
}

/// An operation of plan-files.md and its inputs: a file of the dialect's engine, to be read and written again.
#[derive(Clone, Debug)]
pub enum FileCall {
    /// The member `tfplan` of a plan file.
    Plan {
        /// The message.
        bytes: Vec<u8>,
    },
    /// A state file.
    State {
        /// The text of the file.
        text: String,
    },
}

impl Call {
    /// The operation.
    pub fn op(&self) -> Op {
        match self {
            Call::Merge(call) => call.op(),
            Call::Value(call) => call.op(),
            Call::Schema(call) => call.op(),
            Call::File(call) => call.op(),
            Call::Instance(call) => call.op(),
            Call::Provider(call) => call.op(),
            Call::Expression(call) => call.op(),
            Call::Scenario(_) => Op::Scenario,
            Call::Workspace(_) => Op::Workspace,
            Call::WorkspaceRun(_) => Op::WorkspaceRun,
        }
    }

    /// The schema that planners are prepared for; `None` for an operation that planners do not answer.
    pub fn schema(&self) -> Option<&Arc<Schema>> {
        match self {
            Call::Merge(call) => Some(call.schema()),
            Call::Instance(call) => Some(call.schema()),
            Call::Scenario(scenario) => Some(&scenario.schema),
            Call::Value(_)
            | Call::Schema(_)
            | Call::File(_)
            | Call::Provider(_)
            | Call::Expression(_)
            | Call::Workspace(_)
            | Call::WorkspaceRun(_) => None,
        }
    }
}

impl ValueCall {
    /// The operation.
    pub fn op(&self) -> Op {
        match self {
            ValueCall::MsgpackEncode { .. } => Op::MsgpackEncode,
            ValueCall::MsgpackDecode { .. } => Op::MsgpackDecode,
            ValueCall::ImpliedType { .. } => Op::ImpliedType,
            ValueCall::Roundtrip { .. } => Op::Roundtrip,
            ValueCall::RawEquals { .. } => Op::RawEquals,
            ValueCall::Equals { .. } => Op::Equals,
            ValueCall::Includes { .. } => Op::Includes,
            ValueCall::Length { .. } => Op::Length,
            ValueCall::NumberText { .. } => Op::NumberText,
            ValueCall::Conforms { .. } => Op::Conforms,
            ValueCall::Convert { .. } => Op::Convert,
            ValueCall::Unify { .. } => Op::Unify,
            ValueCall::Lcs { .. } => Op::Lcs,
        }
    }
}

impl FileCall {
    /// The operation.
    pub fn op(&self) -> Op {
        match self {
            FileCall::Plan { .. } => Op::PlanFile,
            FileCall::State { .. } => Op::StateFile,
        }
    }
}

impl SchemaCall {
    /// The operation.
    pub fn op(&self) -> Op {
        match self {
            SchemaCall::SchemaType { .. } => Op::SchemaType,
            SchemaCall::EmptyValue { .. } => Op::EmptyValue,
            SchemaCall::ValidateSchema { .. } => Op::ValidateSchema,
            SchemaCall::Coerce { .. } => Op::Coerce,
            SchemaCall::SensitivePaths { .. } => Op::SensitivePaths,
            SchemaCall::WriteOnlyPaths { .. } => Op::WriteOnlyPaths,
        }
    }
}
