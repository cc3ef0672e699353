//! The sensitive and write-only parts of a value by its schema (S70 to S74), and the movement of marks along with values.
//!
//! Only members that can have flagged attributes are entered. Marks are found as they sit on the value (V15): one inside a
//! set is on the set, and one without a place on the value is dropped.

use std::collections::BTreeSet;

use planfuzz_core::planner::{Refusal, Violation};
use planfuzz_core::schema::Nesting;
use planfuzz_core::value::{Path, PathSet, Step, Type, Value, ValueRef, WrittenPath, WrittenStep};

use super::super::operations::Program;
use super::super::program::{Holds, Inner, Kind, Member, Object};

/// The result of a step of a [`Finder`].
type FinderResult = Result<(), Refusal>;

/// S70 to S72: the marks that the schema puts on a value.
pub(super) fn sensitive(program: &Program, value: &Value) -> Result<PathSet, Refusal> {
    if !program.root.holds.sensitive || value.is_null() {
        return Ok(PathSet::EMPTY);
    }
    let absent = program.dialect.lists_sensitive_of_absent_blocks();
    let mut finder = Finder::new(|member| member.sensitive, |holds| holds.sensitive, Wanted::Marks { absent });
    finder.block(&program.root, value.view())?;
    let found: PathSet = finder.found.into_iter().collect();
    // PL08: only in a place of dynamic type can a part of the schema be missing.
    Ok(if program.root.holds.dynamic { found.on(value.view()) } else { found })
}

/// S73: the write-only attributes that are not null.
pub(super) fn write_only(program: &Program, value: &Value) -> Result<Vec<WrittenPath>, Refusal> {
    if !program.root.holds.write_only || value.is_null() {
        return Ok(Vec::new());
    }
    let mut finder = Finder::new(|member| member.write_only, |holds| holds.write_only, Wanted::Values);
    finder.block(&program.root, value.view())?;
    Ok(finder.found)
}

/// The goal of a search.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// Places, of null and unknown blocks too if `absent` (S72).
    Marks { absent: bool },
    /// Values that are not null.
    Values,
}

struct Finder {
    flag: fn(&Member) -> bool,
    holds: fn(&Holds) -> bool,
    wanted: Wanted,
    here: Vec<WrittenStep>,
    /// The number of sets on the way to this place.
    sets: usize,
    /// Whether this is inside a place of unknown type, where members are looked up by name and may be missing.
    loose: bool,
    found: Vec<WrittenPath>,
}

impl Finder {
    fn new(flag: fn(&Member) -> bool, holds: fn(&Holds) -> bool, wanted: Wanted) -> Finder {
        Finder { flag, holds, wanted, here: Vec::new(), sets: 0, loose: false, found: Vec::new() }
    }

    /// S70, S72.
    fn block(&mut self, object: &Object, value: ValueRef<'_>) -> FinderResult {
        if value.is_present() || self.wanted == (Wanted::Marks { absent: true }) {
            self.own(object, value);
        }
        if !value.is_present() {
            return Ok(());
        }
        for (index, member) in object.members.iter().enumerate() {
            if let Some(inner) = member.inner() {
                self.enter(object, index, member, inner, value)?;
            }
        }
        Ok(())
    }

    /// The flagged attributes of an object itself.
    fn own(&mut self, object: &Object, value: ValueRef<'_>) {
        for (index, member) in object.members.iter().enumerate() {
            if (self.flag)(member) {
                self.attribute(object, index, member, value);
            }
        }
    }

    fn attribute(&mut self, object: &Object, index: usize, member: &Member, value: ValueRef<'_>) {
        let found = match self.wanted {
            // PL08: null and unknown values have no places inside, but a mark inside a set is on the set all the same.
            Wanted::Marks { .. } if value.is_unknown() => self.is_element_of_first_set(),
            Wanted::Marks { .. } => value.is_present() || self.sets > 0,
            Wanted::Values => self.member(object, index, member, value).is_some_and(|value| !value.is_null()),
        };
        if found {
            let last = WrittenStep::Attribute(member.name.clone());
            self.found.push(self.here.iter().cloned().chain([last]).collect());
        }
    }

    /// LD47: whether this is an element of a set, and no index and no key is on the way to it.
    fn is_element_of_first_set(&self) -> bool {
        let is_indexed = |step: &WrittenStep| matches!(step, WrittenStep::Index(_) | WrittenStep::Key(_));
        self.here.last() == Some(&WrittenStep::Element) && !self.here.iter().any(is_indexed)
    }

    fn enter(
        &mut self,
        object: &Object,
        index: usize,
        member: &Member,
        inner: &Inner,
        value: ValueRef<'_>,
    ) -> FinderResult {
        if !(self.holds)(&inner.object.holds) {
            return Ok(());
        }
        if value.is_unknown() && value.ty().is_dynamic() {
            return Ok(());
        }
        // S74: only in a place of unknown type can the value be no object.
        let value = self.member(object, index, member, value).ok_or_else(|| {
            Refusal::new("S74", &self.path(), "no object with an attribute that may be marked inside")
        })?;
        if !value.is_present() {
            return Ok(());
        }
        self.here.push(WrittenStep::Attribute(member.name.clone()));
        let outside = self.loose;
        self.loose |= inner.untyped;
        let entered = match inner.mode {
            Nesting::Single | Nesting::Group => self.object(inner, value),
            Nesting::List | Nesting::Set | Nesting::Map => self.elements(inner, value),
        };
        self.loose = outside;
        self.here.pop();
        entered
    }

    fn elements(&mut self, inner: &Inner, value: ValueRef<'_>) -> FinderResult {
        if value.ty().is_primitive() {
            return Err(Refusal::new("S74", &self.path(), "no collection where one may have marked attributes"));
        }
        let is_set = matches!(value.ty(), Type::Set(_));
        let before = self.found.len();
        self.sets += usize::from(is_set);
        for (step, element) in value.children() {
            if !inner.block && element.is_null() {
                return Err(Refusal::new("S71", &self.path(), "a null element beside marked attributes"));
            }
            self.here.push(match step {
                // The members of an object that stands for a map have keys here.
                Step::Attribute(key) | Step::Key(key) => WrittenStep::Key(key),
                Step::Index(index) => WrittenStep::Index(index),
                Step::Element(_) => WrittenStep::Element,
            });
            let entered = self.element(inner, element);
            self.here.pop();
            entered?;
        }
        self.sets -= usize::from(is_set);
        if is_set && self.wanted != Wanted::Values && self.found.len() > before {
            self.found.truncate(before);
            self.found.push(self.here.iter().cloned().collect());
        }
        Ok(())
    }

    /// S74: the flagged attributes of an element of a nested type are looked up.
    fn element(&mut self, inner: &Inner, value: ValueRef<'_>) -> FinderResult {
        if !inner.block && self.loose && !(value.is_unknown() && value.ty().is_dynamic()) {
            let mut flagged = inner.object.members.iter().filter(|member| (self.flag)(member));
            if flagged.any(|member| value.member(&member.name).is_none()) {
                return Err(Refusal::new("S74", &self.path(), "an element without a marked attribute"));
            }
        }
        self.object(inner, value)
    }

    fn object(&mut self, inner: &Inner, value: ValueRef<'_>) -> FinderResult {
        if inner.block { self.block(&inner.object, value) } else { self.nested(&inner.object, value) }
    }

    /// S71.
    fn nested(&mut self, object: &Object, value: ValueRef<'_>) -> FinderResult {
        for (index, member) in object.members.iter().enumerate() {
            if (self.flag)(member) {
                self.attribute(object, index, member, value);
            } else if let Kind::Nested(inner) = &member.kind {
                self.enter(object, index, member, inner, value)?;
            }
        }
        Ok(())
    }

    /// A member by its place, or by its name where the place is `dynamic`.
    fn member<'a>(
        &self,
        object: &'a Object,
        index: usize,
        member: &Member,
        value: ValueRef<'a>,
    ) -> Option<ValueRef<'a>> {
        let by_name = self.loose || object.holds.dynamic;
        if by_name { value.member(&member.name) } else { Some(object.member(value, index)) }
    }

    fn path(&self) -> Path {
        self.here.iter().cloned().collect::<WrittenPath>().to_path().unwrap_or_default()
    }
}

/// The marks of the part at `at`, relative to it: a mark above a part is on the part.
pub(super) fn marks_at(marks: &PathSet, at: &[WrittenStep]) -> PathSet {
    if marks.is_empty() {
        return PathSet::EMPTY;
    }
    let seen = |mark: &WrittenPath| match mark.steps() {
        steps if at.starts_with(steps) => Some(WrittenPath::default()),
        steps => steps.strip_prefix(at).map(|rest| rest.iter().cloned().collect()),
    };
    marks.iter().filter_map(seen).collect()
}

/// The marks with those at `at` and below replaced by `new`, which are relative to `at`.
pub(super) fn replace_marks(marks: PathSet, at: &[WrittenStep], new: &PathSet) -> PathSet {
    if marks.is_empty() && new.is_empty() {
        return marks;
    }
    let kept = marks.iter().filter(|mark| !mark.steps().starts_with(at)).cloned();
    let placed = new.iter().map(|mark| at.iter().chain(mark.steps()).cloned().collect());
    kept.chain(placed).collect()
}

/// AC10: the paths at which violations are reported. Those in an attribute with a mark anywhere in it, on either side, are
/// one at the attribute; `marks` are both sides'.
pub(super) fn reported_paths(root: &Object, violations: &[Violation], marks: [&PathSet; 2]) -> Vec<WrittenPath> {
    let paths = violations.iter().map(|violation| WrittenPath::from(&violation.path));
    if marks.iter().all(|marks| marks.is_empty()) {
        return paths.collect();
    }
    let attribute = |path: &WrittenPath| -> Option<WrittenPath> {
        let length = attribute_length(root, path.steps())?;
        Some(path.steps()[..length].iter().cloned().collect())
    };
    let marked: BTreeSet<WrittenPath> = marks.iter().flat_map(|marks| marks.iter().filter_map(attribute)).collect();
    let (mut reported, mut hidden) = (Vec::new(), BTreeSet::new());
    for path in paths {
        match attribute(&path).filter(|attribute| marked.contains(attribute)) {
            None => reported.push(path),
            Some(attribute) => {
                hidden.insert(attribute);
            }
        }
    }
    reported.extend(hidden);
    reported
}

/// How many steps of a path lead to the attribute of a block that it is at or in; `None` for the paths of blocks.
fn attribute_length(root: &Object, steps: &[WrittenStep]) -> Option<usize> {
    let (mut object, mut at) = (root, 0);
    loop {
        let WrittenStep::Attribute(name) = steps.get(at)? else { return None };
        at += 1;
        let Kind::Block(inner) = &object.named(name)?.kind else { return Some(at) };
        // An element of a map of blocks is a key or, where an object stands for the map, an attribute.
        at += usize::from(!matches!(inner.mode, Nesting::Single | Nesting::Group));
        object = &inner.object;
    }
}
