//! Compares the parts of a walk and finds the first difference.

use planfuzz_core::plans::Marked;
use planfuzz_core::value::{PathSet, Type, Value, WrittenPath};

use super::View;
use crate::compare::difference::{Class, Place, first_value_difference};
use crate::compare::unwritten::are_written_alike;
use crate::subject::Shown;

/// A difference within a walk.
#[derive(Clone, Debug)]
pub(super) struct Apart {
    pub(super) class: Class,
    /// The part of the walk that differs, in words.
    pub(super) part: String,
    /// The path within that part.
    pub(super) path: WrittenPath,
}

impl Apart {
    pub(super) fn new(class: Class, part: impl Into<String>) -> Apart {
        Apart { class, part: part.into(), path: WrittenPath::default() }
    }

    /// The same difference, within a larger part.
    pub(super) fn within(self, whole: &str) -> Apart {
        Apart { part: format!("{whole}: {}", self.part), ..self }
    }
}

/// Compares two walks, with the tolerance that answers over a line need.
pub(super) struct Comparator<'t> {
    view: View<'t>,
    unwritten: u64,
    /// Whether the comparison continues after a difference.
    excuses: &'t dyn Fn(&Apart) -> bool,
    passed: Vec<Apart>,
}

impl<'t> Comparator<'t> {
    pub(super) fn new(view: View<'t>, excuses: &'t dyn Fn(&Apart) -> bool) -> Comparator<'t> {
        Comparator { view, unwritten: 0, excuses, passed: Vec::new() }
    }

    /// Records a difference that is excused and continues, so that differences in later parts are seen too.
    pub(super) fn go_past(&mut self, compared: Result<(), Apart>) -> Result<(), Apart> {
        match compared {
            Err(apart) if (self.excuses)(&apart) => {
                self.passed.push(apart);
                Ok(())
            }
            compared => compared,
        }
    }

    /// The excused differences.
    pub(super) fn into_passed(self) -> Vec<Apart> {
        self.passed
    }

    /// How much of the runs is visible.
    pub(super) fn shown(&self) -> Shown {
        self.view.shown
    }

    /// The type of the schema, if it is known.
    pub(super) fn declared(&self) -> Option<&'t Type> {
        self.view.declared
    }

    /// Whether a stored version is that of the schema.
    pub(super) fn is_present(&self, version: u64) -> bool {
        self.view.version == Some(version)
    }

    /// The number of values so far that differ only in what formats.md cannot write.
    pub(super) fn unwritten(&self) -> u64 {
        self.unwritten
    }

    /// Compares two things for equality.
    pub(super) fn same<T: PartialEq>(&self, class: Class, part: &str, first: &T, second: &T) -> Result<(), Apart> {
        if first == second { Ok(()) } else { Err(Apart::new(class, part)) }
    }

    /// Compares values.
    pub(super) fn value(&mut self, class: Class, part: &str, first: &Value, second: &Value) -> Result<(), Apart> {
        if first == second {
            return Ok(());
        }
        // A null in a plan file has no type.
        if self.view.shown == Shown::Observed && first.is_null() && second.is_null() {
            return Ok(());
        }
        if let Some(ty) = self.view.declared
            && are_written_alike(first, second, ty)
        {
            self.unwritten += 1;
            return Ok(());
        }
        let path = match first_value_difference(first, second).path {
            Place::Path(path) => WrittenPath::from(&path),
            Place::Text(_) | Place::Trace(_) => WrittenPath::default(),
        };
        Err(Apart { class, part: part.to_owned(), path })
    }

    /// Compares values and their marks.
    pub(super) fn marked(&mut self, class: Class, part: &str, first: &Marked, second: &Marked) -> Result<(), Apart> {
        self.value(class, part, first.value(), second.value())?;
        self.paths(Class::Sensitive, "sensitive", first.sensitive(), second.sensitive())
            .map_err(|apart| apart.within(part))
    }

    /// Compares sets of paths.
    pub(super) fn paths(&self, class: Class, part: &str, first: &PathSet, second: &PathSet) -> Result<(), Apart> {
        let only_in = |one: &PathSet, other: &PathSet| one.iter().find(|path| !other.contains(path)).cloned();
        match only_in(first, second).into_iter().chain(only_in(second, first)).min() {
            None => Ok(()),
            Some(path) => Err(Apart { class, part: part.to_owned(), path }),
        }
    }

    /// Compares two optional things.
    pub(super) fn option<T>(
        &mut self,
        class: Class,
        part: &str,
        (first, second): (Option<&T>, Option<&T>),
        compare: impl FnOnce(&mut Comparator<'t>, &T, &T) -> Result<(), Apart>,
    ) -> Result<(), Apart> {
        match (first, second) {
            (None, None) => Ok(()),
            (Some(first), Some(second)) => compare(self, first, second),
            _ => Err(Apart::new(class, part)),
        }
    }
}
