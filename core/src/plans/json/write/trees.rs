//! The trees of a value: its known, its unknown and its sensitive parts (JS21 to JS23).

use crate::json::Sink;
use crate::value::{Node, PathSet, Step, Truth, Type, ValueRef, WrittenPath, WrittenStep};

/// The known parts of a value that is not unknown itself (JS21).
pub(super) fn known(value: ValueRef<'_>, sink: &mut impl Sink) {
    match value.node() {
        Node::Null | Node::Unknown(_) => sink.null(),
        Node::Bool(Truth(bool)) => sink.bool(*bool),
        Node::Number(number) => sink.number(&number.text()),
        Node::String(text) => sink.string(text),
        Node::Seq(_) | Node::Map(_) => match value.ty() {
            Type::Object(_) | Type::Map(_) => {
                sink.open_object();
                for (name, part) in value.entries().filter(|(_, part)| !part.is_unknown()) {
                    sink.name(name);
                    known(part, sink);
                }
                sink.close_object();
            }
            _ => {
                sink.open_array();
                value.children().for_each(|(_, part)| known(part, sink));
                sink.close_array();
            }
        },
    }
}

/// Whether no part of an object is known.
pub(super) fn is_empty(value: ValueRef<'_>) -> bool {
    value.is_null() || value.entries().all(|(_, part)| part.is_unknown())
}

/// Whether a number in a value is infinite.
pub(super) fn has_infinity(node: &Node) -> bool {
    match node {
        Node::Number(number) => number.is_infinite(),
        node => node.parts().iter().any(has_infinity),
    }
}

/// The unknown parts of a value that is not wholly known (JS22).
pub(super) fn unknown(value: ValueRef<'_>, sink: &mut impl Sink) {
    match (value.node(), value.ty()) {
        (Node::Unknown(_), _) => sink.bool(true),
        (Node::Seq(_) | Node::Map(_), Type::Object(_) | Type::Map(_)) => {
            sink.open_object();
            for (name, part) in value.entries().filter(|(_, part)| part.is_unknown() || is_collection(*part)) {
                sink.name(name);
                unknown(part, sink);
            }
            sink.close_object();
        }
        (Node::Seq(_), _) => {
            sink.open_array();
            value.children().for_each(|(_, part)| unknown(part, sink));
            sink.close_array();
        }
        _ => sink.bool(false),
    }
}

/// Whether a value is known and of a type with parts, even if it has none.
fn is_collection(value: ValueRef<'_>) -> bool {
    matches!(value.node(), Node::Seq(_) | Node::Map(_))
}

/// The sensitive parts of a value with marks (JS23).
pub(super) fn sensitive(value: ValueRef<'_>, marks: &PathSet, sink: &mut impl Sink) {
    let marks: Vec<&WrittenPath> = marks.iter().collect();
    Marks { below: &marks, depth: 0 }.write(value, sink);
}

/// The marks in a part of a value: the sorted paths that lead through it, of which the first `depth` steps are taken.
#[derive(Clone, Copy)]
struct Marks<'a> {
    below: &'a [&'a WrittenPath],
    depth: usize,
}

impl<'a> Marks<'a> {
    fn is_marked(self) -> bool {
        self.below.first().is_some_and(|path| path.steps().len() == self.depth)
    }

    /// The marks of the part that a step leads to. Sorted paths with a common start stand beside each other.
    fn step(self, step: &Step) -> Marks<'a> {
        if self.below.is_empty() {
            return Marks { below: &[], depth: self.depth + 1 };
        }
        let step = match step {
            Step::Attribute(name) => WrittenStep::Attribute(name.clone()),
            Step::Index(index) => WrittenStep::Index(*index),
            Step::Key(key) => WrittenStep::Key(key.clone()),
            Step::Element(_) => WrittenStep::Element,
        };
        let at = |path: &&WrittenPath| path.steps().get(self.depth).cloned();
        let wanted = Some(step);
        let start = self.below.partition_point(|path| at(path) < wanted);
        let length = self.below[start..].partition_point(|path| at(path) == wanted);
        Marks { below: &self.below[start..start + length], depth: self.depth + 1 }
    }

    /// Whether the part is written as exactly `false`.
    fn is_false(self, value: ValueRef<'_>) -> bool {
        !self.is_marked() && (value.is_null() || value.ty().is_primitive() || value.ty().is_dynamic())
    }

    fn write(self, value: ValueRef<'_>, sink: &mut impl Sink) {
        if self.is_marked() {
            return sink.bool(true);
        }
        if self.is_false(value) {
            return sink.bool(false);
        }
        match value.ty() {
            Type::Object(_) | Type::Map(_) => {
                sink.open_object();
                for (step, part) in value.children() {
                    let marks = self.step(&step);
                    let (Step::Attribute(name) | Step::Key(name)) = &step else { continue };
                    if !marks.is_false(part) {
                        sink.name(name);
                        marks.write(part, sink);
                    }
                }
                sink.close_object();
            }
            _ => {
                sink.open_array();
                value.children().for_each(|(step, part)| self.step(&step).write(part, sink));
                sink.close_array();
            }
        }
    }
}
