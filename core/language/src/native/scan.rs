//! Finds the ends of blanks and comments, of identifiers, and of expressions, by brackets, quotes and heredocs alone.

use unicode_id_start::{is_id_continue, is_id_start};

/// The greatest nesting depth of brackets, templates and blocks.
pub const MAX_NATIVE_DEPTH: usize = 100;

/// Whether a text is a name (E13).
pub fn is_identifier(text: &str) -> bool {
    !text.is_empty() && identifier(text, 0) == text.len()
}

/// The end of the identifier at `at`; `at` itself if there is none.
pub(crate) fn identifier(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let mut end = at;
    match bytes.get(at) {
        Some(b'a'..=b'z' | b'A'..=b'Z' | b'_') => end += 1,
        Some(0x80..) => match text[at..].chars().next() {
            Some(first) if is_id_start(first) => end += first.len_utf8(),
            _ => return at,
        },
        _ => return at,
    }
    loop {
        match bytes.get(end) {
            Some(b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-') => end += 1,
            Some(0x80..) => match text[end..].chars().next() {
                Some(next) if is_id_continue(next) => end += next.len_utf8(),
                _ => return end,
            },
            _ => return end,
        }
    }
}

/// Skips blanks and `/* */` comments, but not line ends and line comments.
pub(crate) fn blanks(bytes: &[u8], mut at: usize) -> usize {
    loop {
        match bytes.get(at) {
            Some(b' ' | b'\t') => at += 1,
            Some(b'\r') if bytes.get(at + 1) == Some(&b'\n') => at += 1,
            Some(b'/') if bytes.get(at + 1) == Some(&b'*') => at = block_comment(bytes, at),
            _ => return at,
        }
    }
}

/// A text may begin with it; it is not part of the text.
pub(crate) const BYTE_ORDER_MARK: char = '\u{feff}';

/// Skips blanks, comments and line ends.
pub(crate) fn blank_lines(bytes: &[u8], mut at: usize) -> usize {
    loop {
        at = blanks(bytes, at);
        match bytes.get(at) {
            Some(b'\n') => at += 1,
            Some(_) if is_line_comment(bytes, at) => at = line_end(bytes, at),
            _ => return at,
        }
    }
}

pub(crate) fn is_line_comment(bytes: &[u8], at: usize) -> bool {
    bytes.get(at) == Some(&b'#') || (bytes.get(at) == Some(&b'/') && bytes.get(at + 1) == Some(&b'/'))
}

/// The line end after a place, or the end of the text.
pub(crate) fn line_end(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(|&b| b == b'\n').map_or(bytes.len(), |n| at + n)
}

fn block_comment(bytes: &[u8], at: usize) -> usize {
    bytes[at + 2..].windows(2).position(|two| two == b"*/").map_or(bytes.len(), |n| at + n + 4)
}

/// Why the end of an expression was not found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Open {
    /// More than [`MAX_NATIVE_DEPTH`].
    TooDeep(usize),
}

/// An open construct within an expression.
#[derive(Clone, Copy, Debug)]
enum Inside {
    /// `(`, `[`, `{`, `${`, `%{`: up to the closing one.
    Bracket,
    /// A template in quotes.
    Quotes,
    /// A heredoc, up to a line with its marker.
    Heredoc { marker: (usize, usize) },
}

/// The end of the expression at `start`: at the end of its line unless something is open, before a line comment, or at a `}` or `,` outside
/// of brackets. Blanks at its end are excluded.
pub(crate) fn expression(bytes: &[u8], start: usize) -> Result<usize, Open> {
    until(bytes, start, &|byte| matches!(byte, b'\n' | b'}' | b','))
}

/// Like [`expression`], with other bytes that end it outside of brackets; a line comment ends it only if line ends do.
pub(crate) fn until(bytes: &[u8], start: usize, ends: &dyn Fn(u8) -> bool) -> Result<usize, Open> {
    let mut stack: Vec<Inside> = Vec::new();
    let (mut at, mut end) = (start, start);
    loop {
        if stack.len() > MAX_NATIVE_DEPTH {
            return Err(Open::TooDeep(at));
        }
        let next = match stack.last().copied() {
            Some(Inside::Quotes) => in_quotes(bytes, at, &mut stack),
            Some(Inside::Heredoc { marker }) => in_heredoc(bytes, at, marker, &mut stack),
            inside => {
                let is_top = inside.is_none();
                match bytes.get(at) {
                    None => return Ok(end),
                    Some(&byte) if is_top && ends(byte) => return Ok(end),
                    Some(_) if is_line_comment(bytes, at) => {
                        if is_top && ends(b'\n') {
                            return Ok(end);
                        }
                        at = line_end(bytes, at);
                        continue;
                    }
                    Some(b' ' | b'\t' | b'\r' | b'\n') => {
                        at += 1;
                        continue;
                    }
                    Some(b'/') if bytes.get(at + 1) == Some(&b'*') => {
                        at = block_comment(bytes, at);
                        continue;
                    }
                    Some(_) => in_code(bytes, at, &mut stack),
                }
            }
        };
        (at, end) = (next, next);
    }
}

fn in_code(bytes: &[u8], at: usize, stack: &mut Vec<Inside>) -> usize {
    match bytes[at] {
        b'(' | b'[' | b'{' => stack.push(Inside::Bracket),
        b')' | b']' | b'}' => drop(stack.pop()),
        b'"' => stack.push(Inside::Quotes),
        b'<' => {
            if let Some((marker, next)) = heredoc(bytes, at) {
                stack.push(Inside::Heredoc { marker });
                return next;
            }
        }
        _ => {}
    }
    at + 1
}

/// `<<NAME` or `<<-NAME` and the end of the line.
pub(crate) fn heredoc(bytes: &[u8], at: usize) -> Option<((usize, usize), usize)> {
    if bytes.get(at + 1) != Some(&b'<') {
        return None;
    }
    let from = at + 2 + usize::from(bytes.get(at + 2) == Some(&b'-'));
    let rest = bytes.get(from..)?;
    let length = rest.iter().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | 0x80..)).count();
    let to = from + length;
    let line = to + usize::from(bytes.get(to) == Some(&b'\r'));
    let is_name = std::str::from_utf8(&rest[..length]).is_ok_and(is_identifier);
    (is_name && bytes.get(line) == Some(&b'\n')).then_some(((from, to), line + 1))
}

/// Whether the line at `at` contains only a marker; white space is ignored.
pub(crate) fn is_marker_line(bytes: &[u8], at: usize, marker: &[u8]) -> bool {
    let line = &bytes[at..line_end(bytes, at)];
    line.len() >= marker.len() && std::str::from_utf8(line).is_ok_and(|line| line.trim().as_bytes() == marker)
}

/// The brace that closes the sequence whose inside begins at a place; the end of the text where there is none.
pub(crate) fn closing(bytes: &[u8], at: usize) -> usize {
    until(bytes, at, &|byte| byte == b'}').map_or(bytes.len(), |end| {
        let end = blank_lines(bytes, end);
        end + bytes[end..].iter().position(|&b| b == b'}').unwrap_or(bytes.len() - end)
    })
}

fn in_quotes(bytes: &[u8], at: usize, stack: &mut Vec<Inside>) -> usize {
    match bytes.get(at) {
        Some(b'"') => {
            stack.pop();
            at + 1
        }
        Some(b'\\') => (at + 2).min(bytes.len()),
        // A line end closes open quotes; the parser of expressions reports them.
        Some(b'\n') | None => {
            stack.pop();
            at
        }
        Some(&sign @ (b'$' | b'%')) => template_sign(bytes, at, sign, stack),
        Some(_) => at + 1,
    }
}

fn in_heredoc(bytes: &[u8], at: usize, marker: (usize, usize), stack: &mut Vec<Inside>) -> usize {
    let is_line = at == 0 || bytes[at - 1] == b'\n';
    if is_line && is_marker_line(bytes, at, &bytes[marker.0..marker.1]) {
        let end = line_end(bytes, at);
        stack.pop();
        // The line end after the marker is left, because it ends the expression.
        return end - usize::from(end > at && bytes[end - 1] == b'\r');
    }
    match bytes.get(at) {
        None => {
            stack.pop();
            at
        }
        Some(&sign @ (b'$' | b'%')) => template_sign(bytes, at, sign, stack),
        Some(_) => at + 1,
    }
}

/// `${` opens, `$${` does not.
fn template_sign(bytes: &[u8], at: usize, sign: u8, stack: &mut Vec<Inside>) -> usize {
    if bytes.get(at + 1) == Some(&b'{') {
        stack.push(Inside::Bracket);
        at + 2
    } else if bytes.get(at + 1) == Some(&sign) && bytes.get(at + 2) == Some(&b'{') {
        at + 3
    } else {
        at + 1
    }
}
