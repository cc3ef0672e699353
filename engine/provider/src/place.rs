//! Places and values, as findings show them.

use planfuzz_core::planner::Exchange;
use planfuzz_core::schema::Schema;
use planfuzz_core::value::{Path, Step as PathStep, Type, Value, ValueRef, WrittenPath, WrittenStep};

/// The object of an answer; the first where there may be several.
pub fn object(exchange: &Exchange) -> Option<&Value> {
    match exchange {
        Exchange::Validate(..) => None,
        Exchange::Upgrade(_, answer) => Some(&answer.upgraded),
        Exchange::Read(_, answer) => Some(&answer.new_state),
        Exchange::Plan(_, answer) => Some(&answer.planned),
        Exchange::Apply(_, answer) => answer.new_state.as_ref(),
        Exchange::Import(_, answer) => answer.imported.first().map(|(value, _)| value),
        Exchange::ReadData(_, answer) => Some(&answer.state),
    }
}

/// The first place where two values differ, and a message with both.
pub fn difference(expected: &Value, found: &Value) -> (String, String) {
    let (path, a, b) = apart(Path::root(), expected.view(), found.view());
    let message = format!("expected {}, found {}", text(&a.to_value()), text(&b.to_value()));
    (plain(&WrittenPath::from(&path)), message)
}

fn apart<'a>(path: Path, a: ValueRef<'a>, b: ValueRef<'a>) -> (Path, ValueRef<'a>, ValueRef<'a>) {
    let is_set = matches!(a.ty(), Type::Set(_));
    let comparable = a.is_present() && b.is_present() && !is_set && a.children().len() == b.children().len();
    if comparable {
        for ((step, left), (other, right)) in a.children().zip(b.children()) {
            if let (PathStep::Key(a), PathStep::Key(b)) | (PathStep::Attribute(a), PathStep::Attribute(b)) =
                (&step, &other)
                && a != b
            {
                break;
            }
            if left.to_value() != right.to_value() {
                return apart(path.step(step), left, right);
            }
        }
    }
    (path, a, b)
}

/// A path as a name, without indexes and keys.
pub fn plain(path: &WrittenPath) -> String {
    let step = |step: &WrittenStep| match step {
        WrittenStep::Attribute(name) => format!(".{name}"),
        WrittenStep::Index(_) | WrittenStep::Key(_) | WrittenStep::Element => "[]".to_owned(),
    };
    path.steps().iter().map(step).collect()
}

/// The part of a value that a provider's path leads to; `None` if it leads nowhere or into a set.
pub fn at<'a>(value: ValueRef<'a>, path: &WrittenPath) -> Option<ValueRef<'a>> {
    value.apply_path(&path.to_path()?)
}

/// The first step of a path that does not exist in a type.
pub fn lost_step<'p>(ty: &Type, path: &'p WrittenPath) -> Option<&'p WrittenStep> {
    let mut ty = ty;
    for step in path.steps() {
        ty = match (ty, step) {
            (Type::Dynamic, _) => return None,
            (Type::Object(object), WrittenStep::Attribute(name) | WrittenStep::Key(name)) => {
                match object.attribute_type(name) {
                    Some(ty) => ty,
                    None => return Some(step),
                }
            }
            (Type::List(element) | Type::Set(element), WrittenStep::Index(_) | WrittenStep::Element) => element,
            // How messages name elements of a set is not documented.
            (Type::Set(element), WrittenStep::Key(_)) => element,
            (Type::Map(element), WrittenStep::Key(_) | WrittenStep::Attribute(_)) => element,
            (Type::Tuple(tuple), WrittenStep::Index(index)) => {
                match usize::try_from(*index).ok().and_then(|index| tuple.elements().get(index)) {
                    Some(ty) => ty,
                    None => return Some(step),
                }
            }
            _ => return Some(step),
        };
    }
    None
}

/// Whether a path leads to a write-only attribute.
pub fn is_write_only(schema: &Schema, path: &WrittenPath) -> bool {
    let attribute = path.to_path().and_then(|path| schema.block.attribute_at(&path).map(|it| it.write_only));
    attribute.unwrap_or_default()
}

/// A value for a message.
pub fn text(value: &Value) -> String {
    const LONGEST: usize = 200;
    let whole = value.view().to_json_text(value.ty());
    match whole.char_indices().nth(LONGEST) {
        Some((cut, _)) => format!("{}…", &whole[..cut]),
        None => whole,
    }
}
