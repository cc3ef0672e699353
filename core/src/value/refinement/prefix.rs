//! Prefixes that remain prefixes whatever text follows (V73).
//!
//! A promise "begins with `hello`" is broken when the next piece starts with a combining accent, since strings are
//! compared in NFC: the `o` becomes another character. So the end of a prefix that may grow is cut off. The tables
//! are those of Unicode 15.0, as everywhere (V24).

use std::ops::RangeInclusive;

use unicode_normalization::char::{canonical_combining_class, compose, decompose_canonical};
use unicode_segmentation::UnicodeSegmentation;

use crate::value::text::Text;

/// The longest prefix that goes over the wire whole, in bytes (V73).
const WIRE_WHOLE: usize = 256;

/// The length to which a longer one is cut before its end is made safe, in bytes (V73).
const WIRE_CUT: usize = 255;

/// Characters after which a prefix may end: nothing joins a grapheme cluster with them.
const DELIMITERS: &str = "-_:;/\\,.(){}[]|?!~@#$%^&*+\"' \t";

/// The characters that may compose with the character before them (`NFC_Quick_Check=Maybe`).
const COMPOSING: [RangeInclusive<char>; 42] = [
    '\u{300}'..='\u{304}',
    '\u{306}'..='\u{30c}',
    '\u{30f}'..='\u{30f}',
    '\u{311}'..='\u{311}',
    '\u{313}'..='\u{314}',
    '\u{31b}'..='\u{31b}',
    '\u{323}'..='\u{328}',
    '\u{32d}'..='\u{32e}',
    '\u{330}'..='\u{331}',
    '\u{338}'..='\u{338}',
    '\u{342}'..='\u{342}',
    '\u{345}'..='\u{345}',
    '\u{653}'..='\u{655}',
    '\u{93c}'..='\u{93c}',
    '\u{9be}'..='\u{9be}',
    '\u{9d7}'..='\u{9d7}',
    '\u{b3e}'..='\u{b3e}',
    '\u{b56}'..='\u{b57}',
    '\u{bbe}'..='\u{bbe}',
    '\u{bd7}'..='\u{bd7}',
    '\u{c56}'..='\u{c56}',
    '\u{cc2}'..='\u{cc2}',
    '\u{cd5}'..='\u{cd6}',
    '\u{d3e}'..='\u{d3e}',
    '\u{d57}'..='\u{d57}',
    '\u{dca}'..='\u{dca}',
    '\u{dcf}'..='\u{dcf}',
    '\u{ddf}'..='\u{ddf}',
    '\u{102e}'..='\u{102e}',
    '\u{1161}'..='\u{1175}',
    '\u{11a8}'..='\u{11c2}',
    '\u{1b35}'..='\u{1b35}',
    '\u{3099}'..='\u{309a}',
    '\u{110ba}'..='\u{110ba}',
    '\u{11127}'..='\u{11127}',
    '\u{1133e}'..='\u{1133e}',
    '\u{11357}'..='\u{11357}',
    '\u{114b0}'..='\u{114b0}',
    '\u{114ba}'..='\u{114ba}',
    '\u{114bd}'..='\u{114bd}',
    '\u{115af}'..='\u{115af}',
    '\u{11930}'..='\u{11930}',
];

/// The part of `text`, in NFC, that stays a prefix of the NFC form whatever text follows.
pub fn safe_prefix(text: &str) -> Text {
    let text = Text::new(text);
    let safe = safe_length(&text);
    if safe == text.len() { text } else { Text::new(&text[..safe]) }
}

/// The same of no more than the first `limit` bytes, where there are more.
pub fn safe_prefix_within(text: &str, limit: usize) -> Text {
    let text = Text::new(text);
    if text.len() <= limit { safe_prefix(&text) } else { Text::new(cut(&text, limit)) }
}

/// The part of a recorded prefix, which is in NFC, that is written in msgpack (V73): all of it up to 256 bytes, else
/// the safe part of the first 255.
pub fn wire_prefix(prefix: &str) -> &str {
    if prefix.len() <= WIRE_WHOLE { prefix } else { cut(prefix, WIRE_CUT) }
}

/// The safe part of the first bytes of a longer text in NFC.
fn cut(text: &str, limit: usize) -> &str {
    let length = (0..=limit).rev().find(|length| text.is_char_boundary(*length)).unwrap_or(0);
    let cut = &text[..length];
    // Where the cut goes through a character, `last_boundary` already lies before the end.
    match last_boundary(cut) {
        Some(boundary) if boundary < limit => &cut[..boundary],
        _ => &cut[..safe_length(cut)],
    }
}

/// The length of the safe part of a text in NFC.
fn safe_length(text: &str) -> usize {
    if let Some(boundary) = last_boundary(text)
        && boundary < text.len()
    {
        return boundary;
    }
    // Whether a line end of one character is complete is not known yet: the search stops there.
    if let Some((start, _)) = text.grapheme_indices(true).find(|(_, cluster)| matches!(*cluster, "\n" | "\r")) {
        return start;
    }
    match text.grapheme_indices(true).next_back() {
        Some((start, cluster)) if !DELIMITERS.contains(cluster) => start,
        _ => text.len(),
    }
}

/// The last place in a text in NFC that no following text can move: its end, if nothing combines with the last
/// character, else the start of the last character that never combines with one before it.
fn last_boundary(text: &str) -> Option<usize> {
    if text.chars().next_back().is_some_and(is_inert) {
        return Some(text.len());
    }
    text.char_indices().rev().find(|(_, character)| !combines_backward(*character)).map(|(start, _)| start)
}

/// Whether normalisation leaves a character alone whatever follows it. Characters with a decomposition count as not
/// inert, as upstream has it; the next character could in principle regroup their parts.
fn is_inert(character: char) -> bool {
    if character.is_ascii() && !character.is_ascii_alphabetic() && !matches!(character, '<' | '=' | '>') {
        return true;
    }
    let mut decomposes = false;
    decompose_canonical(character, |part| decomposes |= part != character);
    !decomposes && !combines_backward(character) && !combines_forward(character)
}

fn combines_backward(character: char) -> bool {
    canonical_combining_class(character) != 0 || COMPOSING.iter().any(|range| range.contains(&character))
}

/// Whether there is a character that composes with this one before it.
fn combines_forward(character: char) -> bool {
    COMPOSING.iter().cloned().flatten().any(|next| compose(character, next).is_some())
}

#[cfg(test)]
mod tests {
    use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

    use super::*;

    #[track_caller]
    fn check_safe(text: &str, want: &str) {
        assert_eq!(safe_prefix(text).as_str(), want, "{text:?}");
    }

    #[test]
    fn v73_the_last_character_goes_unless_it_is_a_delimiter() {
        check_safe("hello", "hell");
        check_safe("", "");
        check_safe("a", "");
        check_safe("-", "-");
        check_safe("ami-", "ami-");
        check_safe("ami-1", "ami-");
        check_safe("a b ", "a b ");
        check_safe("x\t", "x\t");
        check_safe("x\n", "x");
        check_safe("a=", "a");
        check_safe("a<", "a");
        check_safe("arn:aws:", "arn:aws:");
    }

    #[test]
    fn v73_combining_characters_are_dropped_as_a_whole() {
        check_safe("ae\u{301}", "a");
        check_safe("ab\u{308}", "a");
        check_safe("a\u{1f468}\u{200d}\u{1f469}", "a");
        check_safe("a\r\n", "a");
        check_safe("\u{301}", "");
        check_safe("x\u{ac00}", "x");
        check_safe("x\u{1100}", "x");
        check_safe("-\u{338}", "");
        check_safe("a中", "a");
    }

    #[test]
    fn v73_a_safe_prefix_survives_every_continuation() {
        let starts = ["hello", "e\u{301}", "caf\u{e9}", "\u{1100}\u{1161}", "a\u{323}\u{307}", "x<", "\u{9c7}", "-"];
        let rests = ["\u{301}", "\u{338}", "\u{11a8}", "\u{1161}", "\u{9be}", "\u{323}\u{301}", "z", "\u{3099}", ""];
        for start in starts {
            for rest in rests {
                let whole: String = format!("{start}{rest}").nfc().collect();
                assert!(whole.starts_with(&*safe_prefix(start)), "{start:?} {rest:?}");
            }
        }
    }

    #[test]
    fn v73_only_long_prefixes_are_cut_for_the_wire() {
        let letters = "a".repeat(300);
        assert_eq!(wire_prefix(&letters[..256]).len(), 256);
        assert_eq!(wire_prefix(&letters[..257]).len(), 254);
        let dashes = "-".repeat(300);
        assert_eq!(wire_prefix(&dashes).len(), 255);
        // A cut through a character: the part before it ends at a boundary, or at the boundary before that.
        assert_eq!(wire_prefix(&format!("{}中{letters}", &dashes[..254])).len(), 254);
        assert_eq!(wire_prefix(&format!("{}中{letters}", &letters[..254])).len(), 253);
        assert_eq!(wire_prefix(&format!("{}1中{letters}", &letters[..253])).len(), 254);
    }

    #[test]
    fn v73_the_list_of_composing_characters_is_that_of_the_tables() {
        let is_maybe = |character: &char| is_nfc_quick(std::iter::once(*character)) == IsNormalized::Maybe;
        let of_tables: Vec<char> = ('\0'..=char::MAX).filter(is_maybe).collect();
        assert_eq!(COMPOSING.into_iter().flatten().collect::<Vec<_>>(), of_tables);
    }
}
