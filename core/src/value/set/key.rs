//! The key of a set element (V51), by which sets are ordered, and which makes two elements candidates for being one (V50).

use std::io::Write;

use unicode_general_category::{GeneralCategory, get_general_category};

use super::super::node::Node;
use super::super::truth::Truth;
use super::super::ty::Type;
use super::super::walk::typed_parts;

/// Writes keys, one after the other, into one buffer.
#[derive(Default)]
pub(in super::super) struct KeyWriter {
    /// The bytes written so far.
    pub(super) bytes: Vec<u8>,
}

impl KeyWriter {
    /// Appends the key of a payload of type `ty` (V51).
    pub(super) fn write(&mut self, ty: &Type, node: &Node) {
        match node {
            Node::Unknown(_) => self.bytes.push(b'?'),
            Node::Null => self.bytes.push(b'~'),
            Node::Bool(Truth(bool)) => self.bytes.push(if *bool { b'T' } else { b'F' }),
            Node::Number(number) => {
                number.write_key_text(&mut self.bytes);
            }
            Node::String(text) => self.write_quoted(text),
            Node::Seq(_) => {
                let (open, close) = match ty {
                    Type::Object(_) | Type::Tuple(_) => (b'<', b'>'),
                    _ => (b'[', b']'),
                };
                self.bytes.push(open);
                for (ty, part) in typed_parts(ty, node) {
                    self.write(ty, part);
                    self.bytes.push(b';');
                }
                self.bytes.push(close);
            }
            Node::Map(map) => {
                self.bytes.push(b'{');
                for (key, (ty, part)) in map.keys().iter().zip(typed_parts(ty, node)) {
                    self.write_quoted(key);
                    self.bytes.push(b':');
                    self.write(ty, part);
                    self.bytes.push(b';');
                }
                self.bytes.push(b'}');
            }
        }
    }

    /// The CRC-32 of the key of a payload of type `ty` (V50). Clears the bytes written before.
    pub(in super::super) fn crc(&mut self, ty: &Type, node: &Node) -> u32 {
        self.bytes.clear();
        self.write(ty, node);
        crc32fast::hash(&self.bytes)
    }

    /// V54.
    fn write_quoted(&mut self, text: &str) {
        self.bytes.push(b'"');
        // Nearly all strings are plain, and a loop over all bytes without an early exit is faster than one over chars.
        if text.bytes().fold(true, |plain, byte| plain & is_plain(byte)) {
            self.bytes.extend_from_slice(text.as_bytes());
        } else {
            self.write_escaped(text);
        }
        self.bytes.push(b'"');
    }

    fn write_escaped(&mut self, text: &str) {
        let mut rest = text;
        while let Some(end) = rest.find(|char| !stands_for_itself(char)) {
            let (plain, from_special) = rest.split_at(end);
            self.bytes.extend_from_slice(plain.as_bytes());
            let mut chars = from_special.chars();
            if let Some(special) = chars.next() {
                self.write_escape(special);
            }
            rest = chars.as_str();
        }
        self.bytes.extend_from_slice(rest.as_bytes());
    }

    fn write_escape(&mut self, char: char) {
        match char {
            '"' => self.bytes.extend_from_slice(b"\\\""),
            '\\' => self.bytes.extend_from_slice(b"\\\\"),
            '\u{7}' => self.bytes.extend_from_slice(b"\\a"),
            '\u{8}' => self.bytes.extend_from_slice(b"\\b"),
            '\u{c}' => self.bytes.extend_from_slice(b"\\f"),
            '\n' => self.bytes.extend_from_slice(b"\\n"),
            '\r' => self.bytes.extend_from_slice(b"\\r"),
            '\t' => self.bytes.extend_from_slice(b"\\t"),
            '\u{b}' => self.bytes.extend_from_slice(b"\\v"),
            '\0'..'\u{80}' => self.append(format_args!("\\x{:02x}", u32::from(char))),
            '\u{80}'..='\u{ffff}' => self.append(format_args!("\\u{:04x}", u32::from(char))),
            _ => self.append(format_args!("\\U{:08x}", u32::from(char))),
        }
    }

    fn append(&mut self, text: std::fmt::Arguments<'_>) {
        self.bytes.write_fmt(text).expect("a buffer in memory takes all that is written");
    }
}

/// Whether a byte is an ASCII character that stands for itself.
pub(super) fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~') & (byte != b'"') & (byte != b'\\')
}

fn stands_for_itself(char: char) -> bool {
    match char {
        '"' | '\\' => false,
        ' '..='~' => true,
        '\0'..'\u{80}' => false,
        _ => is_printable(char),
    }
}

/// Letters, marks, numbers, punctuation and symbols (V54).
pub(crate) fn is_printable(char: char) -> bool {
    use GeneralCategory as G;
    !matches!(
        get_general_category(char),
        G::Control
            | G::Format
            | G::LineSeparator
            | G::ParagraphSeparator
            | G::PrivateUse
            | G::SpaceSeparator
            | G::Surrogate
            | G::Unassigned
    )
}

#[cfg(test)]
mod tests {
    use super::super::super::Value;
    use super::super::set_key;

    fn check(text: &str, want: &str) {
        let value = Value::string(text);
        let key = String::from_utf8(set_key(value.ty(), value.node())).expect("keys of strings are text");
        assert_eq!(key, format!("\"{want}\""), "{text:?}");
    }

    #[test]
    fn v54_printable_characters_stand_for_themselves() {
        check("", "");
        check("a b~é日😀\u{fffd}", "a b~é日😀\u{fffd}");
    }

    #[test]
    fn v54_quotes_and_control_characters_are_escaped() {
        check("\"\\", "\\\"\\\\");
        check("\u{7}\u{8}\u{c}\n\r\t\u{b}", "\\a\\b\\f\\n\\r\\t\\v");
        check("\0x\u{1f}\u{7f}", "\\x00x\\x1f\\x7f");
    }

    #[test]
    fn v54_unprintable_characters_are_written_by_number() {
        check("\u{80}\u{a0}\u{ad}\u{2028}\u{e000}", "\\u0080\\u00a0\\u00ad\\u2028\\ue000");
        check("\u{e0001}\u{10ffff}", "\\U000e0001\\U0010ffff");
    }

    #[test]
    fn v54_categories_are_those_of_unicode_15_0() {
        check("\u{1e4d0}\u{1fae8}", "\u{1e4d0}\u{1fae8}");
        check("\u{2ffc}\u{2ebf0}", "\\u2ffc\\U0002ebf0");
    }
}
