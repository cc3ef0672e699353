//! Recorded vectors of the classic SDK that lie beside a checkout, where they do.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::{Json, JsonError};
use planfuzz_core::provider::model::{Operation, customize_diff_from_json};
use planfuzz_core::provider::sdk::*;
use planfuzz_core::schema;
use planfuzz_core::value::{Text, Type, Value};

type Vector = Json;

fn member<'a>(json: &'a Json, name: &str) -> &'a Json {
    json.member(name).unwrap_or(&Json::Null)
}

fn pipeline(vector: &Vector) -> Result<Pipeline, JsonError> {
    Ok(Pipeline::new(Schema::from_json(member(vector, "sdk_schema"))?))
}

fn flat(map: &FlatMap) -> Json {
    Json::object(map.iter().map(|(path, text)| (path, Json::string(text))))
}

fn error() -> Json {
    Json::object([("error", Json::Bool(true))])
}

fn function(vector: &Vector, pipeline: &Pipeline) -> Result<Function, JsonError> {
    let json = member(vector, "function");
    let mut function = Function {
        error: *member(json, "error") == Json::Bool(true),
        partial: *member(json, "partial") == Json::Bool(true),
        id: json.member("id").map(|id| Text::new(id.expect_string().expect("an id"))),
        sets: Vec::new(),
    };
    for item in member(json, "sets").expect_array()? {
        let pair = item.expect_array()?;
        let name = pair[0].expect_string()?;
        let ty = pipeline.ty().as_object().and_then(|object| object.attribute_type(name)).expect("a field");
        function.sets.push((Text::new(name), Value::from_json(&pair[1], ty)?));
    }
    Ok(function)
}

fn texts(json: Option<&Json>) -> BTreeMap<String, String> {
    let Some(Json::Object(members)) = json else { return BTreeMap::new() };
    members.iter().map(|(name, text)| (name.to_string(), text.expect_string().expect("a text").to_owned())).collect()
}

fn answer(vector: &Vector) -> Result<Json, JsonError> {
    let ty = |name| Type::from_json(member(vector, name));
    match member(vector, "op").expect_string()? {
        "sdk_plan" => {
            let pipeline = pipeline(vector)?;
            let value = |name| Value::from_json(member(vector, name), pipeline.ty());
            let customize = match vector.member("customize_diff") {
                None => Vec::new(),
                Some(json) => customize_diff_from_json(json, &pipeline.core_schema().block)?,
            };
            let (prior, config, proposed) = (value("prior")?, value("config")?, value("proposed")?);
            let request = PlanRequest { prior: &prior, config: &config, proposed: &proposed };
            let Ok(plan) = pipeline.plan(&customize, request) else { return Ok(error()) };
            let mut paths: Vec<String> = plan.requires_replace.iter().map(ToString::to_string).collect();
            paths.sort();
            let mut members = vec![
                ("planned", plan.planned.to_json(pipeline.ty())),
                ("requires_replace", Json::Array(paths.iter().map(|path| Json::string(path)).collect())),
            ];
            if !plan.extra.is_empty() {
                let extra = plan.extra.iter().map(|(path, text)| (path.as_str(), Json::string(text)));
                members.push(("extra", Json::object(extra)));
            }
            Ok(Json::object(members))
        }
        "sdk_apply" => {
            let pipeline = pipeline(vector)?;
            let value = |name| Value::from_json(member(vector, name), pipeline.ty());
            let (prior, planned) = (value("prior")?, value("planned")?);
            let extra = texts(vector.member("extra"));
            let function = function(vector, &pipeline)?;
            let request = ApplyRequest { prior: &prior, planned: &planned, extra: &extra };
            match pipeline.apply(request, |_: Operation| function) {
                Err(_) => Ok(error()),
                Ok(outcome) => Ok(Json::object([
                    ("error", Json::Bool(outcome.error)),
                    ("new_state", outcome.new_state.to_json(pipeline.ty())),
                ])),
            }
        }
        "sdk_read" => {
            let pipeline = pipeline(vector)?;
            let current = Value::from_json(member(vector, "current"), pipeline.ty())?;
            let function = function(vector, &pipeline)?;
            match pipeline.read(&current, || function) {
                Err(_) => Ok(error()),
                Ok(outcome) if outcome.error => Ok(error()),
                Ok(outcome) => Ok(Json::object([
                    ("error", Json::Bool(false)),
                    ("new_state", outcome.new_state.to_json(pipeline.ty())),
                ])),
            }
        }
        "sdk_core_schema" => Ok(Json::object([("schema", pipeline(vector)?.core_schema().to_json())])),
        "sdk_shim_state" => {
            let pipeline = pipeline(vector)?;
            let value = Value::from_json(member(vector, "value"), pipeline.ty())?;
            Ok(match State::shim(pipeline.schema(), value.view()) {
                Ok(state) => Json::object([("flat", flat(state.flat()))]),
                Err(_) => error(),
            })
        }
        "sdk_diff" => {
            let pipeline = pipeline(vector)?;
            let state = match member(vector, "state") {
                Json::Null => State::default(),
                json => State::new(
                    member(json, "id").expect_string()?.to_owned(),
                    texts(json.member("attributes")).into_iter().collect(),
                )
                .expect("a state"),
            };
            let tree = Tree::from_json(member(vector, "config"))?;
            let Ok(diff) = field_diffs(pipeline.schema(), &state, &tree, true) else { return Ok(error()) };
            let entries = diff.iter().map(|(path, entry)| {
                let mut members = vec![("old", Json::string(&entry.old)), ("new", Json::string(&entry.new))];
                for (name, flag) in
                    [("computed", entry.computed), ("removed", entry.removed), ("requires_new", entry.requires_new)]
                {
                    if flag {
                        members.push((name, Json::Bool(true)));
                    }
                }
                (path, Json::object(members))
            });
            Ok(Json::object([("diff", Json::object(entries))]))
        }
        "sdk_normalize" => {
            let ty = ty("type")?;
            let value = |name| Value::from_json(member(vector, name), &ty);
            let mode = if *member(vector, "apply") == Json::Bool(true) { Mode::Apply } else { Mode::Plan };
            let value = normalize(&value("dst")?, &value("src")?, mode);
            Ok(Json::object([("value", value.to_json(&ty))]))
        }
        "sdk_equivalent" => {
            let ty = ty("type")?;
            let value = |name| Value::from_json(member(vector, name), &ty);
            Ok(Json::object([("equivalent", Json::Bool(are_equivalent(&value("a")?, &value("b")?)))]))
        }
        "sdk_set_unknowns" => {
            let schema = schema::Schema::from_json(member(vector, "schema"))?;
            let ty = schema.implied_type(Dialect::default());
            let value = Value::from_json(member(vector, "value"), &ty)?;
            Ok(Json::object([("value", set_unknowns(&schema.block, &value).to_json(&ty))]))
        }
        op => panic!("{op}"),
    }
}

/// The want as this writer has it: sets in order, members by name.
fn canonical(vector: &Vector, json: &Json, name: &str) -> Json {
    let ty = match name {
        "planned" | "new_state" => pipeline(vector).expect("a schema").ty().clone(),
        "value" => match vector.member("type") {
            Some(ty) => Type::from_json(ty).expect("a type"),
            None => {
                schema::Schema::from_json(member(vector, "schema")).expect("a schema").implied_type(Dialect::default())
            }
        },
        "schema" => return schema::Schema::from_json(json).expect("a schema").to_json(),
        _ => match json {
            Json::Object(members) => {
                let mut members: Vec<_> =
                    members.iter().map(|(name, json)| (name.clone(), canonical(vector, json, name))).collect();
                members.sort_by(|a, b| a.0.cmp(&b.0));
                return Json::Object(members);
            }
            other => return other.clone(),
        },
    };
    Value::from_json(json, &ty).expect("a value").to_json(&ty)
}

#[test]
fn the_vectors_hold() {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "..", "shared", "vectors", "sdk.jsonl"].iter().collect();
    let path = std::env::var("SDK_VECTORS").map_or(path, PathBuf::from);
    let Ok(text) = fs::read_to_string(&path) else {
        println!("skipped");
        return;
    };
    let mut failed = Vec::new();
    let mut count = 0;
    for line in text.lines() {
        count += 1;
        let vector = Json::parse(line).expect("a document");
        let want = member(&vector, "want");
        let id = member(&vector, "id").expect_string().expect("an id");
        match answer(&vector) {
            Ok(got) if canonical(&vector, &got, "") == canonical(&vector, want, "") => {}
            Ok(got) => {
                failed.push(format!("{id}\n   {line}\n   want {}\n   got  {}", want.to_compact(), got.to_compact()))
            }
            Err(error) => failed.push(format!("{id}\n   {error}")),
        }
    }
    let cases: Vec<_> = text
        .lines()
        .map(|line| Json::parse(line).unwrap())
        .filter(|vector| member(vector, "op") == &Json::string("sdk_plan"))
        .map(|vector| {
            let pipeline = pipeline(&vector).unwrap();
            let value = |name| Value::from_json(member(&vector, name), pipeline.ty()).unwrap();
            let customize = match vector.member("customize_diff") {
                None => Vec::new(),
                Some(json) => customize_diff_from_json(json, &pipeline.core_schema().block).unwrap(),
            };
            let values = (value("prior"), value("config"), value("proposed"));
            (pipeline, customize, values)
        })
        .collect();
    for _ in 0..5 {
        let start = std::time::Instant::now();
        for (pipeline, customize, (prior, config, proposed)) in &cases {
            let request = PlanRequest { prior, config, proposed };
            std::hint::black_box(pipeline.plan(customize, request).is_ok());
        }
        println!("{:?} a plan", start.elapsed() / cases.len() as u32);
    }
    println!("{} of {count} failed\n{}", failed.len(), failed.join("\n"));
    assert!(failed.is_empty());
}
