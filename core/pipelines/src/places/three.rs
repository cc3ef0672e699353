//! One place in the three sources of a value.

use crate::expression::{Operation, Scene, Source};
use planfuzz_core::value::{Type, Value, ValueRef};

use super::parts::Element;

/// The values of one place in configuration, prior state and plan; `None` if the place does not exist there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Three<'a> {
    pub(crate) config: Option<ValueRef<'a>>,
    pub(crate) prior: Option<ValueRef<'a>>,
    pub(crate) plan: ValueRef<'a>,
}

impl<'a> Three<'a> {
    /// The same member of all three; `plan` is the plan's value.
    pub(crate) fn member(self, name: &str, plan: ValueRef<'a>) -> Three<'a> {
        let of = |object: Option<ValueRef<'a>>| object.and_then(|object| object.member(name));
        Three { config: of(self.config), prior: of(self.prior), plan }
    }

    pub(crate) fn element(self, element: Element<'_>, plan: ValueRef<'a>) -> Three<'a> {
        let of = |collection: Option<ValueRef<'a>>| collection.and_then(|collection| element.of(collection));
        Three { config: of(self.config), prior: of(self.prior), plan }
    }

    /// The value in a source; an untyped null where there is none.
    pub(crate) fn source(self, source: Source) -> Value {
        let value = match source {
            Source::Config => self.config,
            Source::Prior => self.prior,
            Source::Plan => Some(self.plan),
        };
        value.map_or_else(|| Value::null(Type::Dynamic), ValueRef::to_value)
    }
}

/// A scene for constants, which contain no references.
pub(crate) struct NoScene;

impl Scene for NoScene {
    fn this(&self, _: Source) -> Value {
        Value::null(Type::Dynamic)
    }

    fn object(&self, _: Source) -> Value {
        Value::null(Type::Dynamic)
    }

    fn root(&self, _: Source) -> Value {
        Value::null(Type::Dynamic)
    }

    fn operation(&self) -> Operation {
        Operation::Create
    }
}
