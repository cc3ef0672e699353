//! Strings: NFC (V24), the quoted form (V54), prefixes that are safe (V73).

use std::sync::LazyLock;

use unicode_general_category::{GeneralCategory as G, get_general_category};
use unicode_normalization::UnicodeNormalization as _;
use unicode_segmentation::UnicodeSegmentation as _;

/// V24.
pub fn nfc(text: &str) -> String {
    text.nfc().collect()
}

/// V54.
pub fn quoted(text: &str) -> String {
    let escaped = text.chars().map(|char| match char {
        '"' | '\\' => format!("\\{char}"),
        '\x07' => "\\a".into(),
        '\x08' => "\\b".into(),
        '\x0c' => "\\f".into(),
        '\n' => "\\n".into(),
        '\r' => "\\r".into(),
        '\t' => "\\t".into(),
        '\x0b' => "\\v".into(),
        ' ' => " ".into(),
        _ if u32::from(char) < 0x20 || u32::from(char) == 0x7f => format!("\\x{:02x}", u32::from(char)),
        _ => match get_general_category(char) {
            G::Control | G::Format | G::Surrogate | G::PrivateUse | G::Unassigned => by_number(char),
            G::SpaceSeparator | G::LineSeparator | G::ParagraphSeparator => by_number(char),
            _ => char.to_string(),
        },
    });
    format!("\"{}\"", escaped.collect::<String>())
}

fn by_number(char: char) -> String {
    let code = u32::from(char);
    if code > 0xffff { format!("\\U{code:08x}") } else { format!("\\u{code:04x}") }
}

/// The prefix of a record as it goes over the wire (V73): over 256 bytes it is cut to 255, and to the safe part of those.
pub fn wire_prefix(prefix: &str) -> String {
    if prefix.len() <= 256 {
        return prefix.to_owned();
    }
    let mut cut = 255;
    while !prefix.is_char_boundary(cut) {
        cut -= 1;
    }
    let text = nfc(&prefix[..cut]);
    // Where the cut goes through a character, the text after it cannot join the part before it.
    let boundary = last_boundary(&text);
    if boundary < text.len() || cut < 255 {
        return text[..boundary].to_owned();
    }
    // After a line end that is no pair no text is safe.
    let lines: Vec<&str> = text.graphemes(true).take_while(|cluster| *cluster != "\n" && *cluster != "\r").collect();
    if lines.concat().len() < text.len() {
        return lines.concat();
    }
    match text.graphemes(true).next_back() {
        Some(last) if !is_delimiter(last) => text[..text.len() - last.len()].to_owned(),
        _ => text,
    }
}

fn is_delimiter(cluster: &str) -> bool {
    "-_:;/\\,.(){}[]|?!~@#$%^&*+\"' \t".split("").any(|one| one == cluster && !one.is_empty())
}

/// The last place that no following text can move, by trying texts: the end if nothing joins the last character, else the start
/// of the last character that joins none before it.
fn last_boundary(text: &str) -> usize {
    static MARKS: LazyLock<Vec<char>> =
        LazyLock::new(|| (0x300..=0x1_ffff).filter_map(char::from_u32).filter(|mark| joins_backward(*mark)).collect());
    let Some(last) = text.chars().next_back() else { return 0 };
    let is_moved = |mark: char| {
        let both: String = [last, mark].into_iter().nfc().collect();
        !both.starts_with(last) || joins_backward(last)
    };
    if !MARKS.iter().any(|mark| is_moved(*mark)) {
        return text.len();
    }
    text.char_indices().rev().find(|(_, char)| !joins_backward(*char)).map_or(0, |(at, _)| at)
}

/// Whether a character may become part of one before it.
fn joins_backward(char: char) -> bool {
    use unicode_normalization::char::canonical_combining_class;
    use unicode_normalization::{IsNormalized, is_nfc_quick};
    canonical_combining_class(char) != 0 || is_nfc_quick(std::iter::once(char)) == IsNormalized::Maybe
}
