//! Keys of instances (PL70, PL72).

use std::fmt::{self, Write};

use crate::value::is_printable;

/// The key of an instance of a resource or module. The order is that of PL74: none, integers by number, strings by bytes.
///
/// Prints as the suffix of an address (PL72): the empty text, `[0]`, `["k"]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum InstanceKey {
    /// No key: the resource or module does not repeat.
    #[default]
    None,
    /// By `count`.
    Int(i64),
    /// By `for_each`.
    Text(String),
}

impl fmt::Display for InstanceKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InstanceKey::None => Ok(()),
            InstanceKey::Int(index) => write!(out, "[{index}]"),
            InstanceKey::Text(text) => {
                out.write_str("[\"")?;
                quote(text, out)?;
                out.write_str("\"]")
            }
        }
    }
}

/// The text of a string in the configuration language, without its quotes.
fn quote(text: &str, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\n' => out.write_str("\\n")?,
            '\r' => out.write_str("\\r")?,
            '\t' => out.write_str("\\t")?,
            '"' => out.write_str("\\\"")?,
            '\\' => out.write_str("\\\\")?,
            '$' | '%' if chars.peek() == Some(&'{') => write!(out, "{char}{char}")?,
            char if char == ' ' || is_printable(char) => out.write_char(char)?,
            char if u32::from(char) <= 0xffff => write!(out, "\\u{:04x}", u32::from(char))?,
            char => write!(out, "\\U{:08x}", u32::from(char))?,
        }
    }
    Ok(())
}
