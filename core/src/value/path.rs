//! Paths (V11): the place of a part in a value.

use std::fmt;

use triomphe::Arc;

use crate::json::{write_key, write_name};

use super::Value;
use super::number::Number;
use super::text::Text;

/// A sequence of steps from a value to one of its parts (V11). The root is the empty path.
///
/// Prints in the notation of formats.md: `.name`, `[0]`, `["key"]`, `[<set element>]`.
#[derive(Clone, Debug, Default)]
pub struct Path {
    /// The last step and the path before it; sharing makes it cheap to keep the path of a visited part.
    last: Option<Arc<Link>>,
}

#[derive(Debug)]
struct Link {
    before: Path,
    step: Step,
}

/// One step of a path.
#[derive(Clone, Debug)]
pub enum Step {
    /// To the member of an object.
    Attribute(Text),
    /// To the element of a list or tuple.
    Index(u64),
    /// To the element of a map.
    Key(Text),
    /// To an element of a set, which is its own key.
    Element(Value),
}

impl Path {
    /// The path to the whole.
    pub fn root() -> Path {
        Path::default()
    }

    /// This path, one step further.
    #[must_use]
    pub fn step(&self, step: Step) -> Path {
        Path { last: Some(Arc::new(Link { before: self.clone(), step })) }
    }

    /// This path and an attribute step.
    #[must_use]
    pub fn attribute(&self, name: &Text) -> Path {
        self.step(Step::Attribute(name.clone()))
    }

    /// This path and an index step.
    #[must_use]
    pub fn index(&self, index: usize) -> Path {
        self.step(Step::Index(index as u64))
    }

    /// This path and a key step.
    #[must_use]
    pub fn key(&self, key: &Text) -> Path {
        self.step(Step::Key(key.clone()))
    }

    /// This path and the steps of `rest`.
    #[must_use]
    pub fn join(&self, rest: &Path) -> Path {
        rest.steps().into_iter().fold(self.clone(), |path, step| path.step(step.clone()))
    }

    /// The steps, first to last.
    pub fn steps(&self) -> Vec<&Step> {
        let mut steps = Vec::new();
        let mut rest = &self.last;
        while let Some(link) = rest {
            steps.push(&link.step);
            rest = &link.before.last;
        }
        steps.reverse();
        steps
    }

    /// Whether this is the root.
    pub fn is_root(&self) -> bool {
        self.last.is_none()
    }
}

impl Step {
    /// The number key of a list or tuple step, as the number it is (V11).
    pub fn as_number(&self) -> Option<Number> {
        match self {
            Step::Index(index) => Some(Number::from(*index)),
            _ => None,
        }
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.steps().into_iter().try_for_each(|step| step.fmt(f))
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Attribute(name) => write_name(f, name),
            Step::Index(index) => write!(f, "[{index}]"),
            Step::Key(key) => write_key(f, key),
            Step::Element(_) => f.write_str(SET_ELEMENT),
        }
    }
}

/// The written form of a step to any element of a set.
pub(super) const SET_ELEMENT: &str = "[<set element>]";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_print_as_formats_md_defines() {
        let path = Path::root().attribute(&Text::new("a")).index(0).key(&Text::new("k")).attribute(&Text::new("x.y"));
        assert_eq!(path.to_string(), ".a[0][\"k\"].\"x.y\"");
        assert_eq!(Path::root().to_string(), "");
    }
}
