//! The text of labels in quotes: escapes are interpreted, templates are not.

use std::borrow::Cow;
use std::ops::Range;

/// The contents of a text in quotes (E80), where templates are not allowed or known to be absent.
///
/// # Errors
/// The range of an invalid escape.
pub fn label_text(text: &str) -> Result<Cow<'_, str>, Range<usize>> {
    if !text.contains(['\\', '$', '%']) {
        return Ok(Cow::Borrowed(text));
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let at = text.len() - rest.len();
        let length = match first {
            '\\' => escape(rest, &mut out).map_err(|length| at..at + length)?,
            '$' | '%' if rest[1..].starts_with(first) && rest[2..].starts_with('{') => {
                out.push(first);
                out.push('{');
                3
            }
            letter => {
                out.push(letter);
                letter.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    Ok(Cow::Owned(out))
}

/// The length of the escape, also if it is invalid.
fn escape(text: &str, out: &mut String) -> Result<usize, usize> {
    let Some(kind) = text[1..].chars().next() else { return Err(1) };
    let plain = match kind {
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        '"' => '"',
        '\\' => '\\',
        'u' | 'U' => {
            let digits = if kind == 'u' { 4 } else { 8 };
            let code = text.get(2..2 + digits).filter(|code| code.bytes().all(|b| b.is_ascii_hexdigit()));
            let letter = code.and_then(|code| char::from_u32(u32::from_str_radix(code, 16).ok()?));
            out.push(letter.ok_or(2usize)?);
            return Ok(2 + digits);
        }
        other => return Err(1 + other.len_utf8()),
    };
    out.push(plain);
    Ok(2)
}
