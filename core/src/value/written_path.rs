//! Paths in their written form (formats.md): they can be parsed, compared, sorted and kept without values.
//!
//! A step to an element of a set is written `[<set element>]` whichever element it is, so a parsed path is a
//! [`WrittenPath`], which does not distinguish the elements; one without such a step is a [`Path`] as well.

use std::fmt;

use crate::json::{Json, write_key, write_name};

use super::path::{Path, SET_ELEMENT, Step};
use super::text::Text;

/// A path that does not distinguish the elements of a set. Prints as [`Path`] does; two are equal if they print alike.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WrittenPath(Vec<WrittenStep>);

/// One step of a written path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WrittenStep {
    /// To the member of an object.
    Attribute(Text),
    /// To the element of a list or tuple.
    Index(u64),
    /// To the element of a map.
    Key(Text),
    /// To some element of a set.
    Element,
}

/// The error for a text that is no path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected} at byte {offset} of the path {path:?}")]
pub struct PathError {
    /// What was expected.
    pub expected: &'static str,
    /// Where, in bytes from the start of the path.
    pub offset: usize,
    /// The whole path.
    pub path: String,
}

impl WrittenPath {
    /// A path of steps, first to last.
    pub fn new(steps: Vec<WrittenStep>) -> WrittenPath {
        WrittenPath(steps)
    }

    /// Reads a path. A name without quotes ends at the next `.` or `[`, whatever else it holds: engines write the keys
    /// of nested attributes so.
    ///
    /// # Errors
    /// Text in another notation.
    pub fn parse(text: &str) -> Result<WrittenPath, PathError> {
        let mut steps = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let fail = |expected| PathError { expected, offset: text.len() - rest.len(), path: text.to_owned() };
            let (step, after) = parse_step(rest).map_err(fail)?;
            steps.push(step);
            rest = after;
        }
        Ok(WrittenPath(steps))
    }

    /// The steps, first to last.
    pub fn steps(&self) -> &[WrittenStep] {
        &self.0
    }

    /// Whether this is the root.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The path itself, if no step leads to an element of a set.
    pub fn to_path(&self) -> Option<Path> {
        self.0.iter().try_fold(Path::root(), |path, step| match step {
            WrittenStep::Attribute(name) => Some(path.attribute(name)),
            WrittenStep::Index(index) => Some(path.step(Step::Index(*index))),
            WrittenStep::Key(key) => Some(path.key(key)),
            WrittenStep::Element => None,
        })
    }
}

impl Path {
    /// Reads a path without steps into sets.
    ///
    /// # Errors
    /// Text in another notation, and a step to an element of a set, which a text cannot identify.
    pub fn parse(text: &str) -> Result<Path, PathError> {
        let expected = "a path without elements of sets";
        WrittenPath::parse(text)?.to_path().ok_or_else(|| PathError {
            expected,
            offset: text.find(SET_ELEMENT).unwrap_or(0),
            path: text.to_owned(),
        })
    }
}

impl FromIterator<WrittenStep> for WrittenPath {
    fn from_iter<I: IntoIterator<Item = WrittenStep>>(steps: I) -> WrittenPath {
        WrittenPath(steps.into_iter().collect())
    }
}

impl From<&Path> for WrittenPath {
    fn from(path: &Path) -> WrittenPath {
        let written = |step: &Step| match step {
            Step::Attribute(name) => WrittenStep::Attribute(name.clone()),
            Step::Index(index) => WrittenStep::Index(*index),
            Step::Key(key) => WrittenStep::Key(key.clone()),
            Step::Element(_) => WrittenStep::Element,
        };
        WrittenPath(path.steps().into_iter().map(written).collect())
    }
}

impl fmt::Display for WrittenPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|step| match step {
            WrittenStep::Attribute(name) => write_name(f, name),
            WrittenStep::Index(index) => write!(f, "[{index}]"),
            WrittenStep::Key(key) => write_key(f, key),
            WrittenStep::Element => f.write_str(SET_ELEMENT),
        })
    }
}

/// The first step of a text that is not empty, and the text after it; or what was expected.
fn parse_step(text: &str) -> Result<(WrittenStep, &str), &'static str> {
    if let Some(rest) = text.strip_prefix(SET_ELEMENT) {
        return Ok((WrittenStep::Element, rest));
    }
    if let Some(rest) = text.strip_prefix('.') {
        let (name, rest) = parse_name(rest)?;
        return Ok((WrittenStep::Attribute(name), rest));
    }
    let rest = text.strip_prefix('[').ok_or("a step: .name, [0], [\"key\"] or [<set element>]")?;
    if rest.starts_with('"') {
        let (key, rest) = parse_quoted(rest)?;
        let rest = rest.strip_prefix(']').ok_or("] after the key")?;
        return Ok((WrittenStep::Key(key), rest));
    }
    let (digits, rest) = rest.split_once(']').ok_or("] after an index")?;
    match digits.parse::<u64>() {
        Ok(index) if index.to_string() == digits => Ok((WrittenStep::Index(index), rest)),
        _ => Err("an index, a quoted key or <set element> between [ and ]"),
    }
}

fn parse_name(text: &str) -> Result<(Text, &str), &'static str> {
    if text.starts_with('"') {
        return parse_quoted(text);
    }
    match text.split_at(text.find(['.', '[']).unwrap_or(text.len())) {
        ("", _) => Err("a name after the dot"),
        (name, rest) => Ok((Text::new(name), rest)),
    }
}

/// Text between quotes is a JSON string.
fn parse_quoted(text: &str) -> Result<(Text, &str), &'static str> {
    const EXPECTED: &str = "a quoted name or key";
    let mut escaped = false;
    let end = text.bytes().skip(1).position(|byte| {
        let closes = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        closes
    });
    let (quoted, rest) = text.split_at(end.ok_or(EXPECTED)? + 2);
    match Json::parse(quoted) {
        Ok(Json::String(name)) => Ok((Text::new(&name), rest)),
        _ => Err(EXPECTED),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Value;

    #[track_caller]
    fn check(text: &str) -> WrittenPath {
        let path = WrittenPath::parse(text).unwrap();
        assert_eq!(path.to_string(), text);
        path
    }

    #[test]
    fn paths_are_read_as_they_are_written() {
        for text in ["", ".a", ".a-b_c.é", ".\"a.b\"", ".\"\"", "[0]", "[\"\"]", ".a[12][\"k]\\\"\\\\\\u0001\\n\"].b"]
        {
            let path = check(text).to_path().unwrap();
            assert_eq!(path.to_string(), text);
            assert_eq!(WrittenPath::from(&path).to_string(), text);
            assert_eq!(Path::parse(text).unwrap().steps().len(), path.steps().len());
        }
    }

    #[test]
    fn elements_of_sets_are_not_distinguished() {
        let text = ".s[<set element>].x[\"[<set element>]\"]";
        let path = check(text);
        assert_eq!(path.steps().len(), 4);
        assert!(path.to_path().is_none());
        assert_eq!(Path::parse(text).unwrap_err().offset, 2);
        let of = |bool| Path::root().attribute(&"s".into()).step(Step::Element(Value::bool(bool)));
        assert_eq!(WrittenPath::from(&of(true)), WrittenPath::from(&of(false)));
        assert_eq!(WrittenPath::from(&of(true)).to_string(), of(true).to_string());
    }

    #[test]
    fn keys_that_engines_write_without_quotes_are_names() {
        let path = WrittenPath::parse(".nm.a b/c\"d.x").unwrap();
        assert_eq!(path.to_string(), ".nm.\"a b/c\\\"d\".x");
    }

    #[test]
    fn invalid_paths_are_refused_with_their_place() {
        for (text, offset) in [
            ("a", 0),
            (".", 0),
            (".a.", 2),
            (".a..b", 2),
            (".a[", 2),
            (".a[]", 2),
            (".a[-1]", 2),
            ("[01]", 0),
            ("[18446744073709551616]", 0),
            ("[x]", 0),
            (".é[\"k]", 3),
            ("[\"k\"", 0),
            ("[\"k\"x]", 0),
            ("[\"\\x\"]", 0),
            (".\"a\"b", 4),
            (".a[<set>]", 2),
        ] {
            assert_eq!(WrittenPath::parse(text).expect_err(text).offset, offset, "{text}");
        }
    }
}
