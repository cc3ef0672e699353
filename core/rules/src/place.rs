//! The place of a check: a chain of borrowed steps on the stack, converted to a [`Path`] or text only for reports.

use std::fmt::{self, Write};

use planfuzz_core::value::{Path, Step, Text, ValueRef};

/// A place in the objects that are checked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'p> {
    last: Option<(&'p Place<'p>, PlaceStep<'p>)>,
}

/// One step towards a place.
#[derive(Clone, Copy, Debug)]
pub(super) enum PlaceStep<'p> {
    Attribute(&'p Text),
    Index(usize),
    Key(&'p Text),
    Element(ValueRef<'p>),
}

impl<'p> Place<'p> {
    /// The whole object.
    pub(super) const ROOT: Place<'static> = Place { last: None };

    pub(super) fn attribute(&'p self, name: &'p Text) -> Place<'p> {
        self.step(PlaceStep::Attribute(name))
    }

    pub(super) fn index(&'p self, index: usize) -> Place<'p> {
        self.step(PlaceStep::Index(index))
    }

    pub(super) fn key(&'p self, key: &'p Text) -> Place<'p> {
        self.step(PlaceStep::Key(key))
    }

    pub(super) fn element(&'p self, element: ValueRef<'p>) -> Place<'p> {
        self.step(PlaceStep::Element(element))
    }

    fn step(&'p self, step: PlaceStep<'p>) -> Place<'p> {
        Place { last: Some((self, step)) }
    }

    /// The place as a path.
    pub(super) fn to_path(self) -> Path {
        match self.last {
            None => Path::root(),
            Some((before, step)) => before.to_path().step(step.to_step()),
        }
    }

    /// Appends the place as a path prints.
    pub(super) fn write(self, text: &mut String) -> fmt::Result {
        let Some((before, step)) = self.last else { return Ok(()) };
        before.write(text)?;
        match step {
            PlaceStep::Element(_) => text.write_str("[<set element>]"),
            other => write!(text, "{}", other.to_step()),
        }
    }
}

impl PlaceStep<'_> {
    fn to_step(self) -> Step {
        match self {
            PlaceStep::Attribute(name) => Step::Attribute(name.clone()),
            PlaceStep::Index(index) => Step::Index(index as u64),
            PlaceStep::Key(key) => Step::Key(key.clone()),
            PlaceStep::Element(element) => Step::Element(element.to_value()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use planfuzz_core::value::Value;

    #[test]
    fn a_place_writes_as_its_path_prints() {
        let (name, odd, element) = (Text::new("a"), Text::new("x \"y\""), Value::bool(true));
        let (root, mut text) = (Place::ROOT, String::new());
        let (a, b) = (root.attribute(&name), Text::new("k]"));
        let (c, d) = (a.index(3), Text::new("q"));
        let e = c.key(&b);
        let f = e.attribute(&odd);
        let g = f.element(element.view());
        let h = g.attribute(&d);
        h.write(&mut text).expect("strings take text");
        assert_eq!(text, h.to_path().to_string());
        assert_eq!(text, ".a[3][\"k]\"].\"x \\\"y\\\"\"[<set element>].q");
    }
}
