//! The position of a walk over a value relative to the sensitive paths.

use planfuzz_core::value::{PathSet, Step, WrittenStep};

/// The sensitive paths that go on from a place, and whether one ended at it or above.
#[derive(Clone, Debug)]
pub(super) struct Places<'p> {
    ahead: Vec<&'p [WrittenStep]>,
    inside: bool,
}

impl<'p> Places<'p> {
    pub(super) fn of(paths: &'p PathSet) -> Places<'p> {
        Places::from_rests(paths.iter().map(|path| path.steps()), false)
    }

    fn from_rests(rests: impl Iterator<Item = &'p [WrittenStep]>, mut inside: bool) -> Places<'p> {
        let mut ahead = Vec::new();
        for rest in rests {
            if rest.is_empty() { inside = true } else { ahead.push(rest) }
        }
        Places { ahead, inside }
    }

    /// Whether this place is sensitive.
    pub(super) fn is_sensitive(&self) -> bool {
        self.inside
    }

    /// Whether nothing is sensitive here or below.
    pub(super) fn is_clear(&self) -> bool {
        !self.inside && self.ahead.is_empty()
    }

    /// The places one step further.
    pub(super) fn step(&self, step: &Step) -> Places<'p> {
        if self.inside {
            return Places { ahead: Vec::new(), inside: true };
        }
        let rests = self.ahead.iter().filter_map(|rest| {
            let (first, rest) = rest.split_first()?;
            leads(first, step).then_some(rest)
        });
        Places::from_rests(rests, false)
    }
}

/// Engines write the key of a nested attribute's map as an attribute, so the two are the same here.
fn leads(written: &WrittenStep, step: &Step) -> bool {
    match (written, step) {
        (WrittenStep::Attribute(name) | WrittenStep::Key(name), Step::Attribute(found) | Step::Key(found)) => {
            name == found
        }
        (WrittenStep::Index(index), Step::Index(found)) => index == found,
        (WrittenStep::Element, Step::Element(_)) => true,
        _ => false,
    }
}
