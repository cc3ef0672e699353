//! Marks, followed from a value down to its parts.

use planfuzz_core::value::{PathSet, Text, WrittenPath, WrittenStep};

/// The remaining steps of each marked path through the current place.
#[derive(Clone, Debug, Default)]
pub struct Marks<'p>(Vec<&'p [WrittenStep]>);

impl<'p> Marks<'p> {
    /// All of them, at the root.
    pub fn new(paths: &'p PathSet) -> Marks<'p> {
        Marks(paths.iter().map(WrittenPath::steps).collect())
    }

    /// Whether there is no mark at or below this place.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether this place itself is marked.
    pub fn here(&self) -> bool {
        self.0.iter().any(|rest| rest.is_empty())
    }

    /// Whether a place below this one is marked.
    pub fn is_below(&self) -> bool {
        self.0.iter().any(|rest| !rest.is_empty())
    }

    /// The marks of a member.
    pub fn attribute(&self, name: &Text) -> Marks<'p> {
        self.below(|step| matches!(step, WrittenStep::Attribute(other) if other == name))
    }

    /// The marks of an element.
    pub fn index(&self, index: usize) -> Marks<'p> {
        self.below(|step| matches!(step, WrittenStep::Index(other) if *other == index as u64))
    }

    /// The marks of an entry.
    pub fn key(&self, key: &Text) -> Marks<'p> {
        self.below(|step| matches!(step, WrittenStep::Key(other) if other == key))
    }

    fn below(&self, leads: impl Fn(&WrittenStep) -> bool) -> Marks<'p> {
        if self.0.is_empty() {
            return Marks::default();
        }
        let first = |rest: &&'p [WrittenStep]| rest.split_first().filter(|(step, _)| leads(step)).map(|(_, rest)| rest);
        Marks(self.0.iter().filter_map(first).collect())
    }
}
