//! The paths that ask for replacement (section 9).

use planfuzz_core::planner::summary;
use planfuzz_core::value::{PathSet, Tri, Type, Value, ValueRef, WrittenPath, WrittenStep, convert::convert, equals};

use super::steps::attribute_at;
use super::walk::{Walk, Walked};

static DYNAMIC: Type = Type::Dynamic;

impl Walk<'_> {
    /// L80 to L86: the paths that make an update a replacement.
    pub(super) fn required_replace(
        &mut self,
        paths: &[WrittenPath],
        prior: &Value,
        planned: &Value,
    ) -> Walked<PathSet> {
        if prior.is_null() || paths.is_empty() {
            return Ok(PathSet::EMPTY);
        }
        let start = self.diagnostic_count();
        let mut kept = Vec::new();
        for path in paths {
            let changed = match (follow(prior.view(), path), follow(planned.view(), path)) {
                (None, None) => {
                    self.error_at(summary::INVALID_PLAN, path.clone(), "L82");
                    continue;
                }
                (Some(old), Some(new)) => equals(new, old) != Tri::True || self.is_write_only(path),
                _ => true,
            };
            if changed {
                kept.push(path.clone());
            }
        }
        self.stop_since(start)?;
        Ok(kept.into_iter().collect())
    }

    /// L85.
    fn is_write_only(&self, path: &WrittenPath) -> bool {
        let root = &self.program.root;
        root.holds.write_only && attribute_at(root, path).is_some_and(|attribute| attribute.write_only)
    }
}

/// L81: the part that a path leads to, as the configuration language follows it.
fn follow<'a>(value: ValueRef<'a>, path: &WrittenPath) -> Option<ValueRef<'a>> {
    path.steps().iter().try_fold(value, step)
}

fn step<'a>(value: ValueRef<'a>, step: &WrittenStep) -> Option<ValueRef<'a>> {
    if value.is_null() {
        return None;
    }
    match (value.ty(), step) {
        (_, WrittenStep::Element) => None,
        (Type::Object(_), WrittenStep::Attribute(name)) => value.member(name),
        (Type::Object(_), WrittenStep::Key(key)) => in_object(value, key),
        (Type::Object(_), WrittenStep::Index(index)) => in_object(value, &index.to_string()),
        (Type::Map(element), _) if value.is_unknown() => Some(ValueRef::unknown(element)),
        (Type::Map(_), WrittenStep::Attribute(key) | WrittenStep::Key(key)) => value.entry(key),
        (Type::Map(_), WrittenStep::Index(index)) => value.entry(&index.to_string()),
        (Type::List(_) | Type::Tuple(_), step) if !is_number(step) => None,
        (Type::List(element), _) if value.is_unknown() => Some(ValueRef::unknown(element)),
        (Type::Tuple(tuple), _) if value.is_unknown() => tuple.elements().get(index(step)?).map(ValueRef::unknown),
        (Type::List(_) | Type::Tuple(_), step) => value.element(index(step)?),
        (Type::Dynamic, _) => Some(ValueRef::unknown(&DYNAMIC)),
        (Type::Set(_) | Type::Bool | Type::Number | Type::String, _) => None,
    }
}

/// An element step into an object, whose members are then its elements.
fn in_object<'a>(value: ValueRef<'a>, key: &str) -> Option<ValueRef<'a>> {
    if value.is_unknown() { Some(ValueRef::unknown(&DYNAMIC)) } else { value.member(key) }
}

/// Whether an element step has a key that converts to a number.
fn is_number(step: &WrittenStep) -> bool {
    match step {
        WrittenStep::Index(_) => true,
        WrittenStep::Key(key) => number(key).is_some(),
        WrittenStep::Attribute(_) | WrittenStep::Element => false,
    }
}

/// The key of an element step as an index.
fn index(step: &WrittenStep) -> Option<usize> {
    match step {
        WrittenStep::Index(index) => usize::try_from(*index).ok(),
        WrittenStep::Key(key) => usize::try_from(number(key)?.view().as_number()?.to_i64()?).ok(),
        WrittenStep::Attribute(_) | WrittenStep::Element => None,
    }
}

fn number(key: &str) -> Option<Value> {
    convert(&Value::string(key), &Type::Number).ok()
}
