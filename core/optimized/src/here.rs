//! The place of a walk: steps on the call stack, turned into a [`Path`] only for a report.

use std::borrow::Cow;

use planfuzz_core::planner::Refusal;
use planfuzz_core::value::{Path, Step, Text, ValueRef};

/// A place in an object, borrowed from the frames of the walk that leads there.
#[derive(Clone, Copy)]
pub(super) enum Here<'a> {
    /// The whole object.
    Root,
    /// The member of an object, or an element that the engine writes as one.
    Attribute(&'a Here<'a>, &'a Text),
    /// The element of a list or tuple.
    Index(&'a Here<'a>, usize),
    /// The element of a map.
    Key(&'a Here<'a>, &'a Text),
    /// The element of a set.
    Element(&'a Here<'a>, ValueRef<'a>),
}

impl<'a> Here<'a> {
    pub(super) fn attribute(&'a self, name: &'a Text) -> Here<'a> {
        Here::Attribute(self, name)
    }

    pub(super) fn index(&'a self, index: usize) -> Here<'a> {
        Here::Index(self, index)
    }

    pub(super) fn key(&'a self, key: &'a Text) -> Here<'a> {
        Here::Key(self, key)
    }

    pub(super) fn element(&'a self, element: ValueRef<'a>) -> Here<'a> {
        Here::Element(self, element)
    }

    /// The path of this place.
    pub(super) fn path(&self) -> Path {
        match self {
            Here::Root => Path::root(),
            Here::Attribute(before, name) => before.path().attribute(name),
            Here::Index(before, index) => before.path().index(*index),
            Here::Key(before, key) => before.path().key(key),
            Here::Element(before, element) => before.path().step(Step::Element(element.to_value())),
        }
    }

    /// A refusal at this place.
    #[cold]
    pub(super) fn refuse(&self, rule: &'static str, message: impl Into<Cow<'static, str>>) -> Refusal {
        Refusal::new(rule, &self.path(), message)
    }
}
