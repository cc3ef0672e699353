//! Places in a value by their types.

use planfuzz_core::value::{Type, WrittenPath, WrittenStep};

/// The type of the place that a path leads to; `None` for no place, a place in a set, or one in a dynamic value.
pub fn type_at<'t>(ty: &'t Type, path: &WrittenPath) -> Option<&'t Type> {
    path.steps().iter().try_fold(ty, |ty, step| match (ty, step) {
        (Type::Object(object), WrittenStep::Attribute(name)) => object.attribute_type(name),
        (Type::List(element), WrittenStep::Index(_)) | (Type::Map(element), WrittenStep::Key(_)) => Some(&**element),
        (Type::Tuple(tuple), WrittenStep::Index(index)) => tuple.elements().get(usize::try_from(*index).ok()?),
        _ => None,
    })
}
