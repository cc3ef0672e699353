//! How the steps to a place are written (formats.md): `.name` and `["key"]`.

use std::fmt;

/// Writes the step to a member.
pub(crate) fn write_name(out: &mut impl fmt::Write, name: &str) -> fmt::Result {
    match is_identifier(name) {
        true => write!(out, ".{name}"),
        false => write!(out, ".{}", Quoted(name)),
    }
}

/// Writes the step to the entry of a key.
pub(crate) fn write_key(out: &mut impl fmt::Write, key: &str) -> fmt::Result {
    write!(out, "[{}]", Quoted(key))
}

/// Whether a name stands without quotes in a path.
fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|first| first.is_alphabetic() || first == '_')
        && chars.all(|rest| rest.is_alphanumeric() || rest == '_' || rest == '-')
}

/// A string between quotes, with the characters escaped that would end it or break the line.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for char in self.0.chars() {
            match char {
                '"' => f.write_str("\\\"")?,
                '\\' => f.write_str("\\\\")?,
                '\n' => f.write_str("\\n")?,
                '\r' => f.write_str("\\r")?,
                '\t' => f.write_str("\\t")?,
                control if control < ' ' => write!(f, "\\u{:04x}", u32::from(control))?,
                other => write!(f, "{other}")?,
            }
        }
        f.write_str("\"")
    }
}
