//! The operations of the classic SDK's pipeline and their inputs (provider-model.md, section 1).

use std::collections::BTreeMap;
use std::sync::Arc;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::{Json, JsonError, ObjectReader};
use planfuzz_core::schema::Schema;
use planfuzz_core::value::{Text, Type, Value};
use planfuzz_pipelines::rules::{CustomizeOp, customize_diff_from_json, customize_diff_to_json};
use planfuzz_pipelines::sdk::{self, FlatMap, Function, Mode, Pipeline, State, Tree};

use super::op::Op;
use super::read::read_schema;

type Members = Vec<(&'static str, Json)>;

/// An operation of the SDK's pipeline and its inputs, by the names of the vector formats.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the members are those of the vector formats, where each is described")]
pub enum SdkCall {
    Plan {
        pipeline: Arc<Pipeline>,
        customize_diff: Vec<CustomizeOp>,
        prior: Value,
        config: Value,
        proposed: Value,
    },
    Apply {
        pipeline: Arc<Pipeline>,
        prior: Value,
        planned: Value,
        config: Value,
        /// The values that state functions got, by flat path.
        extra: BTreeMap<String, String>,
        function: Function,
    },
    Read {
        pipeline: Arc<Pipeline>,
        current: Value,
        function: Function,
    },
    CoreSchema {
        pipeline: Arc<Pipeline>,
    },
    ShimState {
        pipeline: Arc<Pipeline>,
        value: Value,
    },
    Diff {
        pipeline: Arc<Pipeline>,
        /// `None` if there is no state.
        state: Option<State>,
        config: Tree,
    },
    Normalize {
        ty: Type,
        dst: Value,
        src: Value,
        mode: Mode,
    },
    Equivalent {
        ty: Type,
        a: Value,
        b: Value,
    },
    SetUnknowns {
        schema: Arc<Schema>,
        value: Value,
    },
}

impl SdkCall {
    /// The operation.
    pub fn op(&self) -> Op {
        match self {
            SdkCall::Plan { .. } => Op::SdkPlan,
            SdkCall::Apply { .. } => Op::SdkApply,
            SdkCall::Read { .. } => Op::SdkRead,
            SdkCall::CoreSchema { .. } => Op::SdkCoreSchema,
            SdkCall::ShimState { .. } => Op::SdkShimState,
            SdkCall::Diff { .. } => Op::SdkDiff,
            SdkCall::Normalize { .. } => Op::SdkNormalize,
            SdkCall::Equivalent { .. } => Op::SdkEquivalent,
            SdkCall::SetUnknowns { .. } => Op::SdkSetUnknowns,
        }
    }

    /// The type that values of inputs and answers are written with.
    pub fn declared_type(&self, dialect: Dialect) -> Type {
        match self {
            SdkCall::Plan { pipeline, .. }
            | SdkCall::Apply { pipeline, .. }
            | SdkCall::Read { pipeline, .. }
            | SdkCall::CoreSchema { pipeline }
            | SdkCall::ShimState { pipeline, .. }
            | SdkCall::Diff { pipeline, .. } => pipeline.ty().clone(),
            SdkCall::Normalize { ty, .. } | SdkCall::Equivalent { ty, .. } => ty.clone(),
            SdkCall::SetUnknowns { schema, .. } => schema.implied_type(dialect),
        }
    }

    /// Reads the inputs of an operation.
    ///
    /// # Errors
    /// An input that is missing or does not conform to what the operation takes, with its path.
    pub(super) fn read(reader: &mut ObjectReader<'_>, op: Op, dialect: Dialect) -> Result<SdkCall, JsonError> {
        match op {
            Op::SdkNormalize | Op::SdkEquivalent => return read_of_type(reader, op),
            Op::SdkSetUnknowns => {
                let (schema, ty) = read_schema(reader, dialect)?;
                let value = reader.required("value", |json| Value::from_json(json, &ty))?;
                return Ok(SdkCall::SetUnknowns { schema, value });
            }
            _ => {}
        }
        let pipeline = Arc::new(Pipeline::new(reader.required("sdk_schema", sdk::Schema::from_json)?));
        let value =
            |reader: &mut ObjectReader<'_>, name| reader.required(name, |json| Value::from_json(json, pipeline.ty()));
        let function =
            |reader: &mut ObjectReader<'_>| reader.required("function", |json| read_function(json, &pipeline));
        Ok(match op {
            Op::SdkPlan => {
                let block = &pipeline.core_schema().block;
                let ops = reader.optional("customize_diff", |json| customize_diff_from_json(json, block))?;
                let prior = value(reader, "prior")?;
                let (config, proposed) = (value(reader, "config")?, value(reader, "proposed")?);
                SdkCall::Plan { customize_diff: ops.unwrap_or_default(), prior, config, proposed, pipeline }
            }
            Op::SdkApply => {
                let prior = value(reader, "prior")?;
                let (planned, config) = (value(reader, "planned")?, value(reader, "config")?);
                let extra = reader.optional("extra", read_texts)?.unwrap_or_default();
                let function = function(reader)?;
                SdkCall::Apply { prior, planned, config, extra, function, pipeline }
            }
            Op::SdkRead => {
                let (current, function) = (value(reader, "current")?, function(reader)?);
                SdkCall::Read { current, function, pipeline }
            }
            Op::SdkShimState => {
                let value = value(reader, "value")?;
                SdkCall::ShimState { value, pipeline }
            }
            Op::SdkDiff => {
                let state = reader.required("state", read_state)?;
                SdkCall::Diff { state, config: reader.required("config", Tree::from_json)?, pipeline }
            }
            _ => SdkCall::CoreSchema { pipeline },
        })
    }

    /// The inputs as members.
    pub(super) fn members(&self, dialect: Dialect) -> Members {
        let ty = self.declared_type(dialect);
        let value = |value: &Value| value.to_json(&ty);
        let schema = |pipeline: &Pipeline| ("sdk_schema", pipeline.schema().to_json());
        match self {
            SdkCall::Plan { pipeline, customize_diff, prior, config, proposed } => {
                let mut members = vec![schema(pipeline)];
                if !customize_diff.is_empty() {
                    let ops = customize_diff_to_json(customize_diff, &pipeline.core_schema().block);
                    members.push(("customize_diff", ops));
                }
                members.extend([("prior", value(prior)), ("config", value(config)), ("proposed", value(proposed))]);
                members
            }
            SdkCall::Apply { pipeline, prior, planned, config, extra, function } => {
                let mut members = vec![schema(pipeline)];
                members.extend([("prior", value(prior)), ("planned", value(planned)), ("config", value(config))]);
                if !extra.is_empty() {
                    members.push(("extra", texts(extra.iter().map(|(path, text)| (path.as_str(), text.as_str())))));
                }
                members.push(("function", function_json(function, &ty)));
                members
            }
            SdkCall::Read { pipeline, current, function } => {
                vec![schema(pipeline), ("current", value(current)), ("function", function_json(function, &ty))]
            }
            SdkCall::CoreSchema { pipeline } => vec![schema(pipeline)],
            SdkCall::ShimState { pipeline, value: of } => vec![schema(pipeline), ("value", value(of))],
            SdkCall::Diff { pipeline, state, config } => {
                let state = state.as_ref().map_or(Json::Null, |state| {
                    let attributes = texts(state.flat().iter());
                    Json::object([("id", Json::string(state.id())), ("attributes", attributes)])
                });
                vec![schema(pipeline), ("state", state), ("config", config.to_json())]
            }
            SdkCall::Normalize { ty, dst, src, mode } => vec![
                ("type", ty.to_json()),
                ("dst", value(dst)),
                ("src", value(src)),
                ("apply", Json::Bool(*mode == Mode::Apply)),
            ],
            SdkCall::Equivalent { ty, a, b } => vec![("type", ty.to_json()), ("a", value(a)), ("b", value(b))],
            SdkCall::SetUnknowns { schema, value: of } => vec![("schema", schema.to_json()), ("value", value(of))],
        }
    }
}

fn read_of_type(reader: &mut ObjectReader<'_>, op: Op) -> Result<SdkCall, JsonError> {
    let ty = reader.required("type", Type::from_json)?;
    let mut value = |name| reader.required(name, |json| Value::from_json(json, &ty));
    if op == Op::SdkEquivalent {
        let (a, b) = (value("a")?, value("b")?);
        return Ok(SdkCall::Equivalent { ty, a, b });
    }
    let (dst, src) = (value("dst")?, value("src")?);
    let mode = if reader.flag("apply")? { Mode::Apply } else { Mode::Plan };
    Ok(SdkCall::Normalize { ty, dst, src, mode })
}

fn read_function(json: &Json, pipeline: &Pipeline) -> Result<Function, JsonError> {
    let mut reader = ObjectReader::new(json, "what a function does: \"sets\", \"id\", \"error\", \"partial\"")?;
    let sets = reader.required("sets", |json| json.read_items(|json| read_set(json, pipeline)))?;
    let id = reader.optional("id", |json| json.expect_string().map(Text::new))?;
    let function = Function { sets, id, error: reader.flag("error")?, partial: reader.flag("partial")? };
    reader.finish()?;
    Ok(function)
}

fn read_set(json: &Json, pipeline: &Pipeline) -> Result<(Text, Value), JsonError> {
    let [name, value] = json.expect_array()? else { return Err(json.unexpected("a field's name and a value")) };
    let name = Text::new(name.expect_string().map_err(|error| error.inside_index(0))?);
    let is_field = pipeline.schema().fields().get(&name).is_some();
    let ty = pipeline.ty().as_object().filter(|_| is_field).and_then(|object| object.attribute_type(&name));
    let ty = ty.ok_or_else(|| json.unexpected("the name of a field of the schema").inside_index(0))?;
    let value = Value::from_json(value, ty).map_err(|error| error.inside_index(1))?;
    if !value.is_wholly_known() {
        return Err(json.unexpected("a wholly known value").inside_index(1));
    }
    Ok((name, value))
}

fn function_json(function: &Function, ty: &Type) -> Json {
    let Function { sets, id, error, partial } = function;
    let set = |(name, value): &(Text, Value)| {
        let ty = ty.as_object().and_then(|object| object.attribute_type(name)).unwrap_or(value.ty());
        Json::Array(vec![Json::string(name), value.to_json(ty)])
    };
    let mut members = vec![("sets", Json::Array(sets.iter().map(set).collect()))];
    members.extend(id.iter().map(|id| ("id", Json::string(id))));
    members.extend([("error", Json::Bool(*error)), ("partial", Json::Bool(*partial))]);
    Json::object(members)
}

fn read_state(json: &Json) -> Result<Option<State>, JsonError> {
    if *json == Json::Null {
        return Ok(None);
    }
    let mut reader = ObjectReader::new(json, "a flat state: \"id\" and \"attributes\"")?;
    let id = reader.required("id", |json| json.expect_string().map(str::to_owned))?;
    let attributes = reader.optional("attributes", |json| match json {
        Json::Null => Ok(BTreeMap::new()),
        other => read_texts(other),
    })?;
    reader.finish()?;
    let flat: FlatMap = attributes.unwrap_or_default().into_iter().collect();
    let state = State::new(id, flat).map_err(|problem| json.unexpected(format!("a state ({problem})")))?;
    Ok(Some(state))
}

fn read_texts(json: &Json) -> Result<BTreeMap<String, String>, JsonError> {
    let text = |(path, json): &(Box<str>, Json)| {
        let text = json.expect_string().map_err(|error| error.inside_member(path))?;
        Ok((path.to_string(), text.to_owned()))
    };
    json.expect_object()?.iter().map(text).collect()
}

fn texts<'t>(texts: impl Iterator<Item = (&'t str, &'t str)>) -> Json {
    Json::object(texts.map(|(path, text)| (path, Json::string(text))))
}
