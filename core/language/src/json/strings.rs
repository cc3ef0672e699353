//! JSON strings: removes and adds escapes.

/// An invalid escape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BadEscape {
    /// Its offset in bytes.
    pub at: usize,
}

/// The text of a string between its quotes. Invalid UTF-8 and lone surrogates become U+FFFD, as in the engine.
pub(super) fn unescape(bytes: &[u8]) -> Result<Box<str>, BadEscape> {
    if let Some(at) = bytes.iter().position(|&b| b < 0x20) {
        return Err(BadEscape { at });
    }
    let Some(first) = bytes.iter().position(|&b| b == b'\\') else {
        return Ok(String::from_utf8_lossy(bytes).into());
    };
    let mut out = Vec::with_capacity(bytes.len());
    out.extend_from_slice(&bytes[..first]);
    let mut at = first;
    while at < bytes.len() {
        if bytes[at] != b'\\' {
            out.push(bytes[at]);
            at += 1;
            continue;
        }
        let plain = match bytes.get(at + 1) {
            Some(b'"') => b'"',
            Some(b'\\') => b'\\',
            Some(b'/') => b'/',
            Some(b'b') => 8,
            Some(b'f') => 12,
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'u') => {
                let (letter, length) = code_point(&bytes[at..]).ok_or(BadEscape { at })?;
                out.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
                at += length;
                continue;
            }
            _ => return Err(BadEscape { at }),
        };
        out.push(plain);
        at += 2;
    }
    Ok(String::from_utf8_lossy(&out).into())
}

fn code_point(bytes: &[u8]) -> Option<(char, usize)> {
    let high = hex4(bytes)?;
    if !(0xD800..0xE000).contains(&high) {
        return Some((char::from_u32(high)?, 6));
    }
    if (0xD800..0xDC00).contains(&high)
        && bytes.get(6..8) == Some(b"\\u")
        && let Some(low) = hex4(&bytes[6..]).filter(|low| (0xDC00..0xE000).contains(low))
    {
        return Some((char::from_u32(0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00))?, 12));
    }
    Some((char::REPLACEMENT_CHARACTER, 6))
}

fn hex4(bytes: &[u8]) -> Option<u32> {
    let digits = bytes.get(2..6)?;
    digits.iter().try_fold(0, |code, &digit| Some(code * 16 + (digit as char).to_digit(16)?))
}

/// Writes a string in quotes, with escapes.
pub(super) fn quote(text: &str, out: &mut String) {
    use std::fmt::Write as _;
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            // Writing to a string cannot fail.
            letter if (letter as u32) < 0x20 => drop(write!(out, "\\u{:04x}", letter as u32)),
            letter => out.push(letter),
        }
    }
    out.push('"');
}
