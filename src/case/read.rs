//! Reading cases and vectors (formats.md).
//!
//! One reader for both: a vector is a case with an id and a want in place of a format number and a purpose. Members that
//! a reader does not know are errors in both, so that no content of a file is ignored.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::{Field as _, Json, JsonError, ObjectReader};
use planfuzz_core::schema::Schema;
use planfuzz_core::value::{Type, Value};

use super::{
    Call, Case, ExpressionCall, FORMAT, FileCall, InstanceCall, KeptFinding, Merge, MergeCall, Op, ProviderCall,
    RunCall, SchemaCall, Task, ValueCall,
};
use crate::case::scenario::Scenario;

/// The name that a case file gives to the task of all operations of the merge.
pub(super) const MERGE: &str = "merge";

/// A case file: the case, and the finding recorded with it.
#[derive(Clone, Debug)]
pub struct CaseFile {
    /// The case.
    pub case: Case,
    /// The finding that the case was kept for.
    pub finding: Option<KeptFinding>,
}

impl CaseFile {
    /// Reads the document of a case file.
    ///
    /// # Errors
    /// Anything that formats.md does not allow, with the path of the member.
    pub fn from_json(json: &Json) -> Result<CaseFile, JsonError> {
        let mut reader = ObjectReader::new(json, "a case")?;
        reader.required("format", read_format)?;
        let purpose = reader.optional("purpose", Json::expect_string)?.unwrap_or_default().to_owned();
        let dialect = reader.required("dialect", read_dialect)?;
        let finding = reader.optional("finding", KeptFinding::read)?;
        let task = read_task(&mut reader, dialect)?;
        reader.finish()?;
        Ok(CaseFile { case: Case { purpose, dialect, task }, finding })
    }
}

/// Formats up to this build's are read; the reader of each stays (formats.md, stability).
fn read_format(json: &Json) -> Result<(), JsonError> {
    match json.expect_u64()? {
        FORMAT => Ok(()),
        other => Err(json.unexpected(format!("a format number up to {FORMAT}, not {other}"))),
    }
}

/// A dialect by its name.
pub(super) fn read_dialect(json: &Json) -> Result<Dialect, JsonError> {
    json.expect_string()?.parse().map_err(|_| json.unexpected("a dialect such as terraform-1.11"))
}

/// An operation by its name.
pub(super) fn read_op(json: &Json) -> Result<Op, JsonError> {
    json.expect_string()?.parse().map_err(|_| json.unexpected("an operation such as proposed_new"))
}

fn read_task(reader: &mut ObjectReader<'_>, dialect: Dialect) -> Result<Task, JsonError> {
    if let Some(Json::String(op)) = reader.take("op")
        && **op == *MERGE
    {
        return read_merge(reader, dialect).map(Task::Merge);
    }
    let op = reader.required("op", read_op)?;
    read_call(reader, op, dialect).map(Task::Call)
}

fn read_merge(reader: &mut ObjectReader<'_>, dialect: Dialect) -> Result<Merge, JsonError> {
    let (schema, ty) = read_schema(reader, dialect)?;
    let mut value = |name| reader.required(name, |json| Value::from_json(json, &ty));
    let (prior, config, planned, actual) = (value("prior")?, value("config")?, value("planned")?, value("actual")?);
    Ok(Merge { schema, prior, config, planned, actual })
}

pub(super) fn read_schema(reader: &mut ObjectReader<'_>, dialect: Dialect) -> Result<(Arc<Schema>, Type), JsonError> {
    let schema = reader.required("schema", Schema::from_json)?;
    let ty = schema.implied_type(dialect);
    Ok((Arc::new(schema), ty))
}

/// Reads the inputs of one operation.
///
/// # Errors
/// An input that is missing or does not conform to what the operation takes, with its path.
pub(super) fn read_call(reader: &mut ObjectReader<'_>, op: Op, dialect: Dialect) -> Result<Call, JsonError> {
    if op.is_merge() {
        return read_merge_call(reader, op, dialect).map(Call::Merge);
    }
    if op.is_provider() {
        return ProviderCall::read(reader, op, dialect).map(Call::Provider);
    }
    match op {
        Op::PlanInstance | Op::ApplyInstance => {
            InstanceCall::read(reader, op, dialect).map(|call| Call::Instance(Box::new(call)))
        }
        Op::Expression => ExpressionCall::read(reader).map(Call::Expression),
        Op::Workspace => {
            planfuzz_workspace_cases::Case::read(reader, dialect).map(|case| Call::Workspace(Arc::new(case)))
        }
        Op::WorkspaceRun => RunCall::read(reader, dialect).map(Call::WorkspaceRun),
        Op::Scenario => Scenario::read(reader, dialect).map(|scenario| Call::Scenario(Arc::new(scenario))),
        Op::SchemaType | Op::EmptyValue | Op::ValidateSchema | Op::Coerce | Op::SensitivePaths | Op::WriteOnlyPaths => {
            read_schema_call(reader, op, dialect).map(Call::Schema)
        }
        Op::PlanFile => {
            let bytes = reader.required("base64", read_base64)?;
            Ok(Call::File(FileCall::Plan { bytes }))
        }
        Op::StateFile => {
            let text = reader.required("text", Json::expect_string)?.to_owned();
            Ok(Call::File(FileCall::State { text }))
        }
        _ => read_value_call(reader, op).map(Call::Value),
    }
}

fn read_merge_call(reader: &mut ObjectReader<'_>, op: Op, dialect: Dialect) -> Result<MergeCall, JsonError> {
    let (schema, ty) = read_schema(reader, dialect)?;
    let mut value = |name| reader.required(name, |json| Value::from_json(json, &ty));
    Ok(match op {
        Op::ProposedNew => MergeCall::ProposedNew { schema, prior: value("prior")?, config: value("config")? },
        Op::PlannedDataResource => MergeCall::PlannedDataResource { schema, config: value("config")? },
        Op::AssertPlanValid => MergeCall::AssertPlanValid {
            schema,
            prior: value("prior")?,
            config: value("config")?,
            planned: value("planned")?,
        },
        Op::AssertObjectCompatible => {
            MergeCall::AssertObjectCompatible { schema, planned: value("planned")?, actual: value("actual")? }
        }
        Op::NormalizeLegacy => MergeCall::NormalizeLegacy { schema, value: value("value")? },
        _ => MergeCall::PrepareComputedBlocks { schema, value: value("value")? },
    })
}

fn read_schema_call(reader: &mut ObjectReader<'_>, op: Op, dialect: Dialect) -> Result<SchemaCall, JsonError> {
    if op == Op::ValidateSchema {
        return reader.required("schema", |json| Ok(SchemaCall::ValidateSchema { schema: json.clone() }));
    }
    let (schema, implied) = read_schema(reader, dialect)?;
    Ok(match op {
        Op::SchemaType => SchemaCall::SchemaType { schema },
        Op::EmptyValue => SchemaCall::EmptyValue { schema },
        Op::Coerce => {
            let ty = reader.required("type", Type::from_json)?;
            let value = reader.required("value", |json| Value::from_json(json, &ty))?;
            SchemaCall::Coerce { schema, ty, value }
        }
        Op::SensitivePaths => SchemaCall::SensitivePaths {
            schema,
            value: reader.required("value", |json| Value::from_json(json, &implied))?,
        },
        _ => SchemaCall::WriteOnlyPaths {
            schema,
            value: reader.required("value", |json| Value::from_json(json, &implied))?,
        },
    })
}

fn read_value_call(reader: &mut ObjectReader<'_>, op: Op) -> Result<ValueCall, JsonError> {
    match op {
        Op::ImpliedType => return Ok(ValueCall::ImpliedType { bytes: reader.required("base64", read_base64)? }),
        Op::NumberText => {
            return Ok(ValueCall::NumberText { text: reader.required("text", Json::expect_string)?.to_owned() });
        }
        Op::Conforms => {
            let (a, b) = (reader.required("a", Type::from_json)?, reader.required("b", Type::from_json)?);
            return Ok(ValueCall::Conforms { a, b });
        }
        Op::Unify => {
            let types = reader.required("types", |json| json.read_items(Type::from_json))?;
            return Ok(ValueCall::Unify { types });
        }
        _ => {}
    }
    let ty = reader.required("type", Type::from_json)?;
    let of = ty.clone();
    if op == Op::Roundtrip {
        return Ok(ValueCall::Roundtrip { value: reader.required("value", |json| Ok(json.clone()))?, ty });
    }
    let mut value = |name| reader.required(name, |json| Value::from_json(json, &of));
    Ok(match op {
        Op::MsgpackEncode => ValueCall::MsgpackEncode { value: value("value")?, ty },
        Op::Length => ValueCall::Length { value: value("value")?, ty },
        Op::RawEquals => ValueCall::RawEquals { a: value("a")?, b: value("b")?, ty },
        Op::Equals => ValueCall::Equals { a: value("a")?, b: value("b")?, ty },
        Op::Includes => ValueCall::Includes { a: value("a")?, b: value("b")?, ty },
        Op::MsgpackDecode => ValueCall::MsgpackDecode { bytes: reader.required("base64", read_base64)?, ty },
        Op::Convert => {
            let value = value("value")?;
            ValueCall::Convert { value, to: reader.required("to", Type::from_json)?, ty }
        }
        _ => {
            let mut list = |name| reader.required(name, |json| json.read_items(|item| Value::from_json(item, &of)));
            ValueCall::Lcs { a: list("a")?, b: list("b")?, ty }
        }
    })
}

fn read_base64(json: &Json) -> Result<Vec<u8>, JsonError> {
    BASE64.decode(json.expect_string()?).map_err(|_| json.unexpected("bytes in base64, with padding"))
}
