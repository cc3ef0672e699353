//! Paths (PF40 to PF42).

use crate::msgpack::{decode, encode, implied_type};
use crate::value::{Type, Value, WrittenPath, WrittenStep};

use super::error::ContentProblem;
use super::proto;
use super::proto::step::Selector;

pub(super) fn read(path: &proto::Path) -> Result<WrittenPath, ContentProblem> {
    path.steps.iter().map(step).collect()
}

pub(super) fn read_all(paths: &[proto::Path]) -> Result<Vec<WrittenPath>, ContentProblem> {
    paths.iter().map(read).collect()
}

fn step(step: &proto::Step) -> Result<WrittenStep, ContentProblem> {
    match &step.selector {
        None => Err(ContentProblem::EmptyStep),
        Some(Selector::AttributeName(name)) => Ok(WrittenStep::Attribute(name.as_str().into())),
        Some(Selector::ElementKey(key)) => self::key(&key.msgpack).ok_or(ContentProblem::StepKey),
    }
}

/// PF40: a key whose bytes imply its own type.
fn key(bytes: &[u8]) -> Option<WrittenStep> {
    let ty = match implied_type(bytes).ok()? {
        ty @ (Type::String | Type::Number) => ty,
        _ => return None,
    };
    let value = decode(bytes, &ty).ok()?;
    let view = value.view();
    match (view.as_text(), view.as_number()) {
        (Some(text), _) => Some(WrittenStep::Key(text.clone())),
        (_, Some(number)) => u64::try_from(number.to_i64()?).ok().map(WrittenStep::Index),
        _ => None,
    }
}

/// Writes a path. One that leads into a set has no written form.
pub(super) fn write(path: &WrittenPath) -> Result<proto::Path, ContentProblem> {
    let steps = path.steps().iter().map(|step| {
        let selector = match step {
            WrittenStep::Attribute(name) => Selector::AttributeName(name.to_string()),
            // A reader would take it for a text.
            WrittenStep::Index(index) if i64::try_from(*index).is_err() => return Err(ContentProblem::StepKey),
            WrittenStep::Index(index) => element(&Value::number(*index), &Type::Number)?,
            WrittenStep::Key(key) => element(&Value::string(key), &Type::String)?,
            WrittenStep::Element => return Err(ContentProblem::StepKey),
        };
        Ok(proto::Step { selector: Some(selector) })
    });
    Ok(proto::Path { steps: steps.collect::<Result<_, _>>()? })
}

pub(super) fn write_all(paths: &[WrittenPath]) -> Result<Vec<proto::Path>, ContentProblem> {
    paths.iter().map(write).collect()
}

fn element(value: &Value, ty: &Type) -> Result<Selector, ContentProblem> {
    let msgpack = encode(value.view(), ty).map_err(|_| ContentProblem::StepKey)?;
    Ok(Selector::ElementKey(proto::DynamicValue { msgpack }))
}
