//! The place of a walk: a path that is only built when a violation or a refusal is reported.

use std::borrow::Cow;

use planfuzz_core::planner::{Refusal, Violation};
use planfuzz_core::value::{Path, Step, Text, ValueRef};

/// A place in an object, as a chain of steps that lie on the stack of the walk. It reads like a [`Path`] and becomes one
/// for a violation or a refusal.
#[derive(Clone, Copy, Debug)]
pub(super) struct At<'w> {
    before: Option<&'w At<'w>>,
    last: Last<'w>,
}

#[derive(Clone, Copy, Debug)]
enum Last<'w> {
    Root,
    Attribute(&'w Text),
    Index(usize),
    Key(&'w Text),
    Element(ValueRef<'w>),
}

impl<'w> At<'w> {
    /// The whole object.
    pub const ROOT: At<'static> = At { before: None, last: Last::Root };

    /// One attribute step further: `q.name` of the rules.
    pub fn attribute(&'w self, name: &'w Text) -> At<'w> {
        At { before: Some(self), last: Last::Attribute(name) }
    }

    /// One index step with a number key further: `q[i]`.
    pub fn index(&'w self, index: usize) -> At<'w> {
        At { before: Some(self), last: Last::Index(index) }
    }

    /// One index step with a string key further: `q[key]`.
    pub fn key(&'w self, key: &'w Text) -> At<'w> {
        At { before: Some(self), last: Last::Key(key) }
    }

    /// One step to a set element further: `q[element]`.
    pub fn element(&'w self, element: ValueRef<'w>) -> At<'w> {
        At { before: Some(self), last: Last::Element(element) }
    }

    /// The path to this place.
    pub fn path(&self) -> Path {
        let before = self.before.map_or_else(Path::root, At::path);
        match self.last {
            Last::Root => before,
            Last::Attribute(name) => before.attribute(name),
            Last::Index(index) => before.index(index),
            Last::Key(key) => before.key(key),
            Last::Element(element) => before.step(Step::Element(element.to_value())),
        }
    }

    /// A violation of `rule` here.
    pub fn violation(&self, rule: &'static str) -> Violation {
        Violation::new(self.path(), rule)
    }

    /// A refusal by `rule` here.
    pub fn refusal(&self, rule: &'static str, message: impl Into<Cow<'static, str>>) -> Refusal {
        Refusal::new(rule, &self.path(), message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use planfuzz_core::value::Value;

    #[test]
    fn v11_a_place_becomes_the_path_to_it() {
        let (name, key, element) = (Text::new("a"), Text::new("k"), Value::bool(true));
        let attribute = At::ROOT.attribute(&name);
        let index = attribute.index(3);
        let keyed = index.key(&key);
        assert_eq!(keyed.element(element.view()).path().to_string(), ".a[3][\"k\"][<set element>]");
        assert!(At::ROOT.path().is_root());
    }
}
