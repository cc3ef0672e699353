//! Conversion of values (V60 to V63) and the most general common type of several (V64).
//!
//! A conversion is worked out from the two types alone (`plan`) and then applied to the payload (`apply`), so that a
//! collection of many elements looks up only once which conversion its elements need. "A conversion exists" in V60
//! means that there is such a plan.
//!
//! Bounded: recursion goes along types. Common types within common types could make the planning of a hostile pair of
//! types explode, so it counts its steps and gives up after [`MAX_STEPS`].

mod apply;
mod plan;
mod unify;

use std::cell::Cell;

use super::{Path, Step, Text, Type, Value};

/// The number of pairs of types that one conversion looks at before it is refused. A conversion of real types looks at
/// as many as the larger of the two has parts.
pub const MAX_STEPS: u32 = 4_000_000;

/// The error for a value that could not be converted, and its place in the value (V60).
#[derive(Clone, Debug, thiserror::Error)]
#[error("{reason}")]
pub struct ConvertError {
    path: Vec<Step>,
    reason: Reason,
}

/// Why a conversion fails.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// No conversion exists between the two types (V61).
    #[error("expected a value of type {}, found {}", start_of(&to.to_v05_text()), start_of(&from.to_v05_text()))]
    NoConversion {
        /// The type of the value.
        from: Type,
        /// The type asked for.
        to: Type,
    },
    /// A string that is no number (V17).
    #[error("expected a number, found {found:?}")]
    NotANumber {
        /// The start of the string.
        found: String,
    },
    /// A string that is no bool (V61).
    #[error("expected true, false, 1 or 0, found {found:?}")]
    NotABool {
        /// The start of the string.
        found: String,
    },
    /// A map without a key that the object type requires (V61).
    #[error("expected the key {name:?}, found none")]
    MissingKey {
        /// The name of the attribute.
        name: Text,
    },
    /// The elements have no common type (V08, V64).
    #[error("expected elements of one type, found different ones")]
    MixedElements,
    /// An unknown that would become a known list of too many unknowns (V43).
    #[error("{message}")]
    TooLong {
        /// What was expected and what was found.
        message: String,
    },
    /// The types are too complex: comparing them takes more than [`MAX_STEPS`] pairs of their parts.
    #[error("expected types that convert within {MAX_STEPS} steps")]
    TooComplex,
}

impl ConvertError {
    /// Where in the value; elements of sets by their place in iteration order.
    pub fn path(&self) -> Path {
        self.path.iter().rev().fold(Path::root(), |path, step| path.step(step.clone()))
    }

    /// Why it fails.
    pub fn reason(&self) -> &Reason {
        &self.reason
    }

    fn under(mut self, step: Step) -> ConvertError {
        self.path.push(step);
        self
    }
}

impl From<Reason> for ConvertError {
    fn from(reason: Reason) -> ConvertError {
        ConvertError { path: Vec::new(), reason }
    }
}

/// Converts a value to a type, whose optional markers name the attributes that may be missing (V60). The result
/// conforms to the type without its markers.
///
/// # Errors
/// Where no conversion exists, where a string or map does not hold what the type asks for, and beyond the bounds of
/// [`Reason::TooLong`] and [`Reason::TooComplex`].
pub fn convert(value: &Value, to: &Type) -> Result<Value, ConvertError> {
    let bare = to.strip_optional();
    if *value.ty() == bare {
        return Ok(value.clone());
    }
    let work = Work::new();
    let conversion = plan::find(value.ty(), to, &bare, &work);
    if work.is_used_up() {
        return Err(Reason::TooComplex.into());
    }
    match conversion {
        Some(conversion) => apply::apply(&conversion, value.node(), &work),
        None => Err(Reason::NoConversion { from: value.ty().clone(), to: to.clone() }.into()),
    }
}

/// Whether a conversion between the two types exists (V61); it may still fail for some values. Also `false` where
/// finding out takes more than [`MAX_STEPS`].
pub fn conversion_exists(from: &Type, to: &Type) -> bool {
    let bare = to.strip_optional();
    *from == bare || plan::find(from, to, &bare, &Work::new()).is_some()
}

/// The most general common type of `types` (V64), or `None` where there is none. Also `None` where finding out takes
/// more than [`MAX_STEPS`].
pub fn unify(types: &[Type]) -> Option<Type> {
    unify::unify(types, &Work::new())
}

/// The start of a text or type, short enough for a message.
fn start_of(text: &str) -> String {
    const MAX_CHARS: usize = 200;
    let mut start: String = text.chars().take(MAX_CHARS).collect();
    if start.len() < text.len() {
        start.push('…');
    }
    start
}

/// The steps that are left before a conversion counts as too complex.
struct Work {
    left: Cell<u32>,
}

impl Work {
    fn new() -> Work {
        Work { left: Cell::new(MAX_STEPS) }
    }

    /// Takes a number of steps, or returns `None` when fewer are left.
    fn steps(&self, steps: usize) -> Option<()> {
        let left = u32::try_from(steps).ok().and_then(|steps| self.left.get().checked_sub(steps));
        self.left.set(left.unwrap_or(0));
        left.map(|_| ())
    }

    fn is_used_up(&self) -> bool {
        self.left.get() == 0
    }
}

#[cfg(test)]
mod tests;
