//! The outcome of an operation: a value, borrowed if it is only read, or faults with the value that the engine continues with.

use std::borrow::Cow;

use planfuzz_core::value::{Type, Value};
use planfuzz_language::SourcePlace;
use planfuzz_language::expression::{Failure, Fault, Marked};

pub(crate) type Out<'p> = Result<Cow<'p, Marked>, Failed>;
pub(crate) type Evaluated = Result<Marked, Failed>;

/// Faults, and a substitute for the missing value, so that the surrounding expression is checked too.
#[derive(Debug)]
pub(crate) struct Failed {
    pub faults: Vec<Fault>,
    pub value: Marked,
}

impl From<Failed> for Failure {
    fn from(failed: Failed) -> Failure {
        Failure { faults: failed.faults, value: failed.value }
    }
}

/// An unknown, of a type if that is known.
fn unknown(ty: Option<Type>) -> Marked {
    Value::unknown(ty.unwrap_or(Type::Dynamic)).into()
}

/// One fault with the type that the value would have had.
pub(crate) fn failure(summary: &'static str, place: SourcePlace, ty: Option<Type>) -> Failed {
    Failed { faults: vec![Fault { summary, place }], value: unknown(ty) }
}

/// Collects the faults of several parts.
#[derive(Default)]
pub(crate) struct Faults(Vec<Fault>);

impl Faults {
    /// The value, or its substitute after its faults were collected.
    pub fn take<'p>(&mut self, out: Out<'p>) -> Cow<'p, Marked> {
        out.unwrap_or_else(|failed| {
            self.0.extend(failed.faults);
            Cow::Owned(failed.value)
        })
    }

    pub fn add(&mut self, summary: &'static str, place: SourcePlace) {
        self.0.push(Fault { summary, place });
    }

    /// Appends further faults.
    pub fn append(&mut self, mut others: Faults) {
        self.0.append(&mut others.0);
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The faults with an unknown value, of a type if that is known.
    pub fn with_type(self, ty: Option<Type>) -> Failed {
        Failed { faults: self.0, value: unknown(ty) }
    }

    /// The value if there are no faults, otherwise the faults with it.
    pub fn end(self, value: Marked) -> Evaluated {
        if self.0.is_empty() { Ok(value) } else { Err(Failed { faults: self.0, value }) }
    }
}
