//! Conversions between messages of the plugin protocol and core's types.

use planfuzz_core::msgpack;
use planfuzz_core::planner::{Remark, Severity};
use planfuzz_core::schema::Schema;
use planfuzz_core::value::{Type, Value, WrittenPath, WrittenStep};
use planfuzz_engine::proto::plugin::attribute_path::{Step, step::Selector};
use planfuzz_engine::proto::plugin::{AttributePath, Diagnostic, DynamicValue};
use planfuzz_engine::proto::tfplugin6;
use tonic::Status;

/// The value of a message.
pub(crate) fn received(sent: Option<&DynamicValue>, ty: &Type) -> Result<Value, Status> {
    let bytes = sent.map(|sent| &sent.msgpack[..]).unwrap_or_default();
    msgpack::decode(bytes, ty).map_err(|error| Status::internal(format!("the request cannot be read: {error}")))
}

/// The message of a value.
pub(crate) fn sent(value: &Value, ty: &Type) -> Result<Option<DynamicValue>, Status> {
    let bytes = msgpack::encode(value.view(), ty);
    let msgpack = bytes.map_err(|error| Status::internal(format!("the answer cannot be sent: {error}")))?;
    Ok(Some(DynamicValue { msgpack, json: Vec::new() }))
}

/// Remarks as messages.
pub(crate) fn remarks(remarks: &[Remark]) -> Vec<Diagnostic> {
    let one = |remark: &Remark| Diagnostic {
        severity: if remark.severity == Severity::Error { 1 } else { 2 },
        summary: remark.summary.to_string(),
        ..Diagnostic::default()
    };
    remarks.iter().map(one).collect()
}

/// A path as a message.
pub(crate) fn path(path: &WrittenPath) -> AttributePath {
    let step = |step: &WrittenStep| {
        let selector = match step {
            WrittenStep::Attribute(name) => Selector::AttributeName(name.to_string()),
            WrittenStep::Key(key) => Selector::ElementKeyString(key.to_string()),
            WrittenStep::Index(index) => Selector::ElementKeyInt(i64::try_from(*index).unwrap_or(i64::MAX)),
            WrittenStep::Element => return Step { selector: None },
        };
        Step { selector: Some(selector) }
    };
    AttributePath { steps: path.steps().iter().map(step).collect() }
}

/// A schema as a message.
pub(crate) fn schema(schema: &Schema) -> Result<tfplugin6::Schema, Status> {
    let unsendable = |problem| Status::internal(format!("the schema cannot be sent: {problem:?}"));
    planfuzz_engine::proto::schema_of_six(schema).map_err(unsendable)
}
