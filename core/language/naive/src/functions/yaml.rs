//! `yamlencode`: YAML as the engine writes it. Every text is in double quotes or, if it has line breaks, a block.

use planfuzz_core::value::{Type, Value, ValueRef};
use planfuzz_language::expression::Marked;

use super::{Answer, all_marks};

pub(super) fn call(name: &str, a: &[Marked]) -> Option<Answer> {
    (name == "yamlencode").then(|| {
        let value = &a[0].value;
        let made = if value.is_wholly_known() {
            let mut out = String::new();
            write(value.view(), 0, &mut out);
            // A plain scalar as the whole document is followed by an end marker.
            if value.is_null() || matches!(value.ty(), Type::Bool | Type::Number) {
                out.push_str("...\n");
            }
            Value::string(&out)
        } else {
            // The unknown result has no refinements; it may even be null.
            Value::unknown(Type::String)
        };
        Ok(Marked::from(made).with(all_marks(a)))
    })
}

fn is_map(ty: &Type) -> bool {
    matches!(ty, Type::Map(_) | Type::Object(_))
}

fn is_empty_or_scalar(value: ValueRef<'_>) -> bool {
    value.is_null() || value.ty().is_primitive() || value.is_empty()
}

/// Writes a value from the current position to the end of its last line. Further lines are indented by `indent`.
fn write(value: ValueRef<'_>, indent: usize, out: &mut String) {
    if is_empty_or_scalar(value) {
        scalar(value, indent, out);
        return;
    }
    let begin_line = |number: usize, out: &mut String| {
        if number > 0 {
            out.extend(std::iter::repeat_n(' ', indent));
        }
    };
    if !is_map(value.ty()) {
        for (number, (_, part)) in value.children().enumerate() {
            begin_line(number, out);
            out.push_str("- ");
            write(part, indent + 2, out);
        }
        return;
    }
    for (number, (name, part)) in value.entries().enumerate() {
        begin_line(number, out);
        if !is_short_line(name.as_str()) {
            // A long key uses the explicit form (`? key`, `: value`).
            out.push_str("? ");
            string(name.as_str(), indent + 2, out);
            out.extend(std::iter::repeat_n(' ', indent));
            out.push_str(": ");
            write(part, indent + 2, out);
            continue;
        }
        quoted(name.as_str(), None, out);
        out.push(':');
        if is_empty_or_scalar(part) {
            out.push(' ');
            scalar(part, indent + 2, out);
        } else {
            // A sequence is not indented below its key.
            let inner = if is_map(part.ty()) { indent + 2 } else { indent };
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', inner));
            write(part, inner, out);
        }
    }
}

fn scalar(value: ValueRef<'_>, indent: usize, out: &mut String) {
    if value.is_null() {
        out.push_str("null");
    } else if let Some(truth) = value.as_bool() {
        out.push_str(if truth { "true" } else { "false" });
    } else if let Some(number) = value.as_number() {
        number.write_text(out);
    } else if let Some(text) = value.as_text() {
        return string(text.as_str(), indent, out);
    } else {
        out.push_str(if is_map(value.ty()) { "{}" } else { "[]" });
    }
    out.push('\n');
}

fn string(text: &str, indent: usize, out: &mut String) {
    if is_block(text) {
        block(text, indent.max(2), out);
    } else {
        quoted(text, Some(indent.max(2)), out);
        out.push('\n');
    }
}

/// A line longer than this is folded at the next blank.
const LONG: usize = 80;

/// A line break of YAML.
fn is_break(letter: char) -> bool {
    matches!(letter, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Whether a text can be written as a short key.
fn is_short_line(text: &str) -> bool {
    text.len() <= 128 && !text.contains(is_break)
}

/// Whether a text is written as a block: it has line breaks, none after a blank, and no character to escape.
fn is_block(text: &str) -> bool {
    let mut letters = text.chars().peekable();
    let mut is_right = text.contains('\n') && !text.ends_with(' ') && !text.contains(is_escaped);
    while let Some(letter) = letters.next() {
        is_right &= letter != ' ' || !letters.peek().copied().is_some_and(is_break);
    }
    is_right
}

/// Writes a block: line breaks are kept as they are, and lines that are not empty are indented.
fn block(text: &str, indent: usize, out: &mut String) {
    let letters = text.chars().count();
    out.push('|');
    if text.starts_with(|letter| letter == ' ' || is_break(letter)) {
        out.push('2');
    }
    out.push_str(match text.chars().rev().take_while(|letter| is_break(*letter)).count() {
        0 => "-",
        1 if letters > 1 => "",
        _ => "+",
    });
    out.push('\n');
    let mut is_begin = true;
    for letter in text.chars() {
        let ends = is_break(letter);
        if is_begin && !ends {
            out.extend(std::iter::repeat_n(' ', indent));
        }
        out.push(letter);
        is_begin = ends;
    }
    if !is_begin {
        out.push('\n');
    }
}

/// Characters that cannot be printed, or are outside the basic plane.
fn is_escaped(letter: char) -> bool {
    let code = u32::from(letter);
    let is_control = (code < 0x20 && letter != '\n') || (0x7f..0xa0).contains(&code);
    is_control || matches!(letter, '\u{feff}' | '\u{fffe}' | '\u{ffff}') || code > 0xffff
}

/// Writes a text in double quotes. With `indent` a long line is folded at a single blank or the first of several; keys are not folded.
fn quoted(text: &str, indent: Option<usize>, out: &mut String) {
    out.push('"');
    // If the text begins with a byte order mark, every character is escaped.
    let is_plain = !text.starts_with('\u{feff}');
    let letters: Vec<char> = text.chars().collect();
    let line = out.rfind('\n').map_or(0, |end| end + 1);
    let mut column = out[line..].chars().count();
    for (at, &letter) in letters.iter().enumerate() {
        let follows_blank = at > 0 && letters[at - 1] == ' ';
        let is_inside = at > 0 && at + 1 < letters.len();
        if let (Some(indent), ' ', true) = (indent, letter, is_plain && is_inside && !follows_blank && column > LONG) {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', indent));
            column = indent;
            if letters[at + 1] == ' ' {
                out.push('\\');
                column += 1;
            }
            continue;
        }
        let before = out.len();
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0' => out.push_str("\\0"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{b}' => out.push_str("\\v"),
            '\u{c}' => out.push_str("\\f"),
            '\u{1b}' => out.push_str("\\e"),
            '\u{85}' => out.push_str("\\N"),
            '\u{2028}' => out.push_str("\\L"),
            '\u{2029}' => out.push_str("\\P"),
            '\u{a0}' if !is_plain => out.push_str("\\_"),
            _ if is_escaped(letter) || !is_plain => {
                let code = u32::from(letter);
                out.push_str(&match code {
                    0..=0xff => format!("\\x{code:02X}"),
                    0x100..=0xffff => format!("\\u{code:04X}"),
                    _ => format!("\\U{code:08X}"),
                });
            }
            other => out.push(other),
        }
        column += out[before..].chars().count();
    }
    out.push('"');
}
