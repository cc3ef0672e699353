//! The marks that a tree of sensitive parts puts on a value (JS23).

use super::fit::has_true;
use crate::json::{Json, JsonError};
use crate::value::{PathSet, Text, Type, ValueRef, WrittenPath, WrittenStep};

/// The marks of a tree on a value. A mark inside a set marks the set.
pub(super) fn marks(tree: Option<&Json>, value: ValueRef<'_>) -> Result<PathSet, JsonError> {
    let mut finder = Finder { steps: Vec::new(), found: Vec::new() };
    if let Some(tree) = tree {
        finder.part(tree, value)?;
    }
    Ok(finder.found.into_iter().collect())
}

struct Finder {
    steps: Vec<WrittenStep>,
    found: Vec<WrittenPath>,
}

impl Finder {
    fn part(&mut self, tree: &Json, value: ValueRef<'_>) -> Result<(), JsonError> {
        match (tree, value.ty()) {
            (Json::Bool(false), _) => Ok(()),
            (Json::Bool(true), _) => {
                self.found.push(WrittenPath::new(self.steps.clone()));
                Ok(())
            }
            (Json::Array(parts), Type::Set(_)) => {
                if parts.iter().any(has_true) {
                    self.found.push(WrittenPath::new(self.steps.clone()));
                }
                Ok(())
            }
            (Json::Array(parts), Type::List(_) | Type::Tuple(_)) => {
                parts.iter().enumerate().try_for_each(|(index, part)| {
                    self.step(WrittenStep::Index(index as u64), part, value.element(index))
                        .map_err(|error| error.inside_index(index))
                })
            }
            (Json::Object(parts), Type::Object(_)) => self.named(parts, value, WrittenStep::Attribute),
            (Json::Object(parts), Type::Map(_)) => self.named(parts, value, WrittenStep::Key),
            (Json::Object(_) | Json::Array(_), _) if !has_true(tree) => Ok(()),
            (other, ty) => Err(other.unexpected(format!("the form of a value of type {}", ty.to_v05_text()))),
        }
    }

    fn named(
        &mut self,
        parts: &[(Box<str>, Json)],
        value: ValueRef<'_>,
        step: fn(Text) -> WrittenStep,
    ) -> Result<(), JsonError> {
        parts.iter().try_for_each(|(name, part)| {
            let text = Text::new(name);
            let member = value.entry(&text);
            self.step(step(text), part, member).map_err(|error| error.inside_member(name))
        })
    }

    /// The tree may have parts that the value does not have (see [`super::fit::sensitive`]), but not sensitive ones.
    fn step(&mut self, step: WrittenStep, part: &Json, value: Option<ValueRef<'_>>) -> Result<(), JsonError> {
        let value = match value {
            Some(value) => value,
            None if has_true(part) => return Err(part.unexpected("nothing, as the value has no such part")),
            None => return Ok(()),
        };
        self.steps.push(step);
        let done = self.part(part, value);
        self.steps.pop();
        done
    }
}
