//! Writing cases (formats.md).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::{Field as _, Json};
use planfuzz_core::value::{Type, Value};

use super::read::{CaseFile, MERGE};
use super::{Call, Case, FORMAT, FileCall, Merge, MergeCall, SchemaCall, Task, ValueCall};

type Members = Vec<(&'static str, Json)>;

impl CaseFile {
    /// The document of a case file.
    pub fn to_json(&self) -> Json {
        let CaseFile { case, finding } = self;
        let mut members: Members = vec![("format", Json::int(FORMAT))];
        if !case.purpose.is_empty() {
            members.push(("purpose", Json::string(&case.purpose)));
        }
        members.push(("dialect", Json::string(&case.dialect.to_string())));
        members.extend(case.task_members());
        members.extend(finding.iter().map(|finding| ("finding", finding.write())));
        Json::object(members)
    }
}

impl Case {
    /// The document of the case alone.
    pub fn to_json(&self) -> Json {
        CaseFile { case: self.clone(), finding: None }.to_json()
    }

    fn task_members(&self) -> Members {
        match &self.task {
            Task::Merge(merge) => merge_members(merge, self.dialect),
            Task::Call(call) => call.members(self.dialect),
        }
    }
}

fn merge_members(merge: &Merge, dialect: Dialect) -> Members {
    let Merge { schema, prior, config, planned, actual } = merge;
    let ty = schema.implied_type(dialect);
    vec![
        ("op", Json::string(MERGE)),
        ("schema", schema.to_json()),
        ("prior", prior.to_json(&ty)),
        ("config", config.to_json(&ty)),
        ("planned", planned.to_json(&ty)),
        ("actual", actual.to_json(&ty)),
    ]
}

impl Call {
    /// The operation and its inputs, as members of a case, a vector or a request.
    pub fn members(&self, dialect: Dialect) -> Members {
        let mut members = vec![("op", Json::string(self.op().name()))];
        members.extend(match self {
            Call::Merge(call) => merge_call_members(call, dialect),
            Call::Value(call) => value_call_members(call),
            Call::Schema(call) => schema_call_members(call, dialect),
            Call::File(FileCall::Plan { bytes }) => vec![("base64", Json::string(&BASE64.encode(bytes)))],
            Call::File(FileCall::State { text }) => vec![("text", Json::string(text))],
            Call::Instance(call) => call.members(dialect),
            Call::Scenario(scenario) => scenario.members(dialect),
            Call::Provider(call) => call.members(dialect),
            Call::Expression(call) => call.members(),
            Call::Workspace(case) => case.members(),
            Call::WorkspaceRun(call) => call.members(),
        });
        members
    }
}

fn merge_call_members(call: &MergeCall, dialect: Dialect) -> Members {
    let ty = call.schema().implied_type(dialect);
    let mut members = vec![("schema", call.schema().to_json())];
    let mut value = |name, value: &Value| members.push((name, value.to_json(&ty)));
    match call {
        MergeCall::ProposedNew { schema: _, prior, config } => {
            value("prior", prior);
            value("config", config);
        }
        MergeCall::PlannedDataResource { schema: _, config } => value("config", config),
        MergeCall::AssertPlanValid { schema: _, prior, config, planned } => {
            value("prior", prior);
            value("config", config);
            value("planned", planned);
        }
        MergeCall::AssertObjectCompatible { schema: _, planned, actual } => {
            value("planned", planned);
            value("actual", actual);
        }
        MergeCall::NormalizeLegacy { schema: _, value: of }
        | MergeCall::PrepareComputedBlocks { schema: _, value: of } => value("value", of),
    }
    members
}

fn value_call_members(call: &ValueCall) -> Members {
    let pair =
        |ty: &Type, a: &Value, b: &Value| vec![("type", ty.to_json()), ("a", a.to_json(ty)), ("b", b.to_json(ty))];
    let one = |ty: &Type, value: &Value| vec![("type", ty.to_json()), ("value", value.to_json(ty))];
    let bytes = |bytes: &[u8]| ("base64", Json::string(&BASE64.encode(bytes)));
    match call {
        ValueCall::MsgpackEncode { ty, value } | ValueCall::Length { ty, value } => one(ty, value),
        ValueCall::Roundtrip { ty, value } => vec![("type", ty.to_json()), ("value", value.clone())],
        ValueCall::MsgpackDecode { ty, bytes: wire } => vec![("type", ty.to_json()), bytes(wire)],
        ValueCall::ImpliedType { bytes: wire } => vec![bytes(wire)],
        ValueCall::RawEquals { ty, a, b } | ValueCall::Equals { ty, a, b } | ValueCall::Includes { ty, a, b } => {
            pair(ty, a, b)
        }
        ValueCall::NumberText { text } => vec![("text", Json::string(text))],
        ValueCall::Conforms { a, b } => vec![("a", a.to_json()), ("b", b.to_json())],
        ValueCall::Convert { ty, value, to } => {
            let mut members = one(ty, value);
            members.push(("to", to.to_json()));
            members
        }
        ValueCall::Unify { types } => vec![("types", Json::Array(types.iter().map(Type::to_json).collect()))],
        ValueCall::Lcs { ty, a, b } => {
            let list = |values: &[Value]| Json::Array(values.iter().map(|value| value.to_json(ty)).collect());
            vec![("type", ty.to_json()), ("a", list(a)), ("b", list(b))]
        }
    }
}

fn schema_call_members(call: &SchemaCall, dialect: Dialect) -> Members {
    match call {
        SchemaCall::SchemaType { schema } | SchemaCall::EmptyValue { schema } => vec![("schema", schema.to_json())],
        SchemaCall::ValidateSchema { schema } => vec![("schema", schema.clone())],
        SchemaCall::Coerce { schema, ty, value } => {
            vec![("schema", schema.to_json()), ("type", ty.to_json()), ("value", value.to_json(ty))]
        }
        SchemaCall::SensitivePaths { schema, value } | SchemaCall::WriteOnlyPaths { schema, value } => {
            vec![("schema", schema.to_json()), ("value", value.to_json(&schema.implied_type(dialect)))]
        }
    }
}
