//! Parses what an engine prints in Go's notation: quoted strings, and paths as they stand in its sources.

use planfuzz_core::value::{WrittenPath, WrittenStep};

/// What stands between brackets in a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Bracketed {
    Index(u64),
    Key(String),
    /// `...`: an element of a set.
    Element,
}

impl Bracketed {
    pub(super) fn step(self) -> WrittenStep {
        match self {
            Bracketed::Index(index) => WrittenStep::Index(index),
            Bracketed::Key(key) => WrittenStep::Key(key.as_str().into()),
            Bracketed::Element => WrittenStep::Element,
        }
    }
}

/// Reads the text after `[` up to and with `]`, and returns the rest.
pub(super) fn bracketed(text: &str) -> Option<(Bracketed, &str)> {
    if let Some(rest) = text.strip_prefix("...]") {
        return Some((Bracketed::Element, rest));
    }
    if text.starts_with('"') {
        let (key, rest) = quoted(text)?;
        return Some((Bracketed::Key(key), rest.strip_prefix(']')?));
    }
    let (digits, rest) = text.split_once(']')?;
    Some((Bracketed::Index(whole(digits)?), rest))
}

fn whole(digits: &str) -> Option<u64> {
    digits.parse().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Reads a quoted string at the beginning of a text, and returns the rest.
pub(super) fn quoted(text: &str) -> Option<(String, &str)> {
    let mut read = String::new();
    let mut rest = text.strip_prefix('"')?;
    loop {
        let char = rest.chars().next()?;
        rest = &rest[char.len_utf8()..];
        match char {
            '"' => return Some((read, rest)),
            '\\' => {
                let (char, after) = escaped(rest)?;
                read.push(char);
                rest = after;
            }
            char => read.push(char),
        }
    }
}

fn escaped(text: &str) -> Option<(char, &str)> {
    let code = |digits: usize| {
        let hex = text.get(1..=digits)?;
        Some((char::from_u32(u32::from_str_radix(hex, 16).ok()?)?, text.get(digits + 1..)?))
    };
    let plain = |char| Some((char, text.get(1..)?));
    match text.as_bytes().first()? {
        b'a' => plain('\u{7}'),
        b'b' => plain('\u{8}'),
        b'f' => plain('\u{c}'),
        b'n' => plain('\n'),
        b'r' => plain('\r'),
        b't' => plain('\t'),
        b'v' => plain('\u{b}'),
        b'\\' => plain('\\'),
        b'"' => plain('"'),
        b'x' => code(2),
        b'u' => code(4),
        b'U' => code(8),
        _ => None,
    }
}

/// Reads `cty.Path{…}`.
pub(super) fn path(text: &str) -> Option<(WrittenPath, &str)> {
    let rest = text.strip_prefix("cty.Path")?;
    // A path without steps may be printed as nil.
    if let Some(rest) = rest.strip_prefix("(nil)") {
        return Some((WrittenPath::default(), rest));
    }
    let mut rest = rest.strip_prefix('{')?;
    let mut steps = Vec::new();
    loop {
        if let Some(rest) = rest.strip_prefix('}') {
            return Some((WrittenPath::new(steps), rest));
        }
        rest = rest.strip_prefix(", ").unwrap_or(rest);
        let (step, after) = step(rest)?;
        steps.push(step);
        rest = after;
    }
}

fn step(text: &str) -> Option<(WrittenStep, &str)> {
    if let Some(name) = text.strip_prefix("cty.GetAttrStep{Name:") {
        let (name, rest) = quoted(name)?;
        return Some((WrittenStep::Attribute(name.as_str().into()), rest.strip_prefix('}')?));
    }
    let key = text.strip_prefix("cty.IndexStep{Key:")?;
    if let Some(key) = key.strip_prefix("cty.StringVal(") {
        let (key, rest) = quoted(key)?;
        return Some((WrittenStep::Key(key.as_str().into()), rest.strip_prefix(")}")?));
    }
    if let Some(number) = key.strip_prefix("cty.NumberIntVal(") {
        let (digits, rest) = number.split_once(")}")?;
        return Some((WrittenStep::Index(whole(digits)?), rest));
    }
    Some((WrittenStep::Element, after_brackets(key)?))
}

/// Skips a value up to the bracket that closes its container.
fn after_brackets(text: &str) -> Option<&str> {
    let mut open = 0usize;
    let mut rest = text;
    loop {
        let char = rest.chars().next()?;
        match char {
            '"' => {
                rest = quoted(rest)?.1;
                continue;
            }
            '{' | '(' | '[' => open += 1,
            '}' if open == 0 => return rest.strip_prefix('}'),
            '}' | ')' | ']' => open = open.checked_sub(1)?,
            _ => {}
        }
        rest = &rest[char.len_utf8()..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_read_with_their_escapes() {
        let text = r#""a\"\\\n\x7f\u00e9\U0001F600é" rest"#;
        assert_eq!(quoted(text), Some(("a\"\\\n\u{7f}é😀é".into(), " rest")));
        for bad in ["", "\"", "\"\\", "\"\\q\"", "\"\\x1\"", "\"\\ud800\"", "\"\\xé\""] {
            assert_eq!(quoted(bad), None, "{bad}");
        }
    }

    #[test]
    fn paths_are_read_as_sources_have_them() {
        let read = |text| path(text).map(|(path, rest)| (path.to_string(), rest));
        let text = r#"cty.Path{cty.GetAttrStep{Name:"bl"}, cty.IndexStep{Key:cty.NumberIntVal(7)}, cty.IndexStep{Key:cty.StringVal("k}\"")}}. This"#;
        assert_eq!(read(text), Some((".bl[7][\"k}\\\"\"]".into(), ". This")));
        let text = r#"cty.Path{cty.GetAttrStep{Name:"s"}, cty.IndexStep{Key:cty.ObjectVal(map[string]cty.Value{"x":cty.StringVal("}")})}, cty.GetAttrStep{Name:"x"}}"#;
        assert_eq!(read(text), Some((".s[<set element>].x".into(), "")));
        assert_eq!(read("cty.Path{}x"), Some((String::new(), "x")));
        assert_eq!(read("cty.Path(nil)."), Some((String::new(), ".")));
        for bad in [
            "cty.Path",
            "cty.Path{",
            "cty.Path{x}",
            "cty.Path{cty.IndexStep{Key:cty.NumberIntVal(-1)}}",
            "cty.Path{cty.IndexStep{Key:)}",
        ] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }
}
