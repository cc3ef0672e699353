//! Making placeholders: numbered, of the right length class, and none that the document already contains.

use std::collections::BTreeSet;

use planfuzz_core::value::{Number, Text};

/// The longest placeholder; all longer texts are of one length class.
const LONGEST: usize = 256;

/// The prefixes of the longer placeholders, by least length.
const MARKS: [(usize, &str); 3] = [(16, "stand-in-"), (8, "si-"), (4, "s")];

/// Makes placeholders.
pub(super) struct NumberedPlaceholders<'a> {
    /// The texts of the document, one a line.
    all: &'a str,
    lines: BTreeSet<&'a str>,
    used: BTreeSet<String>,
    /// How many were made.
    made: u64,
    /// Whether a longer placeholder could be inside of some text of the document.
    is_marked: bool,
}

impl<'a> NumberedPlaceholders<'a> {
    pub(super) fn new(all: &'a str) -> NumberedPlaceholders<'a> {
        let is_marked = MARKS[..2].iter().any(|(_, mark)| all.contains(mark));
        NumberedPlaceholders { all, lines: all.split('\n').collect(), used: BTreeSet::new(), made: 0, is_marked }
    }

    /// The placeholder of a text: as long as the shortest of its length class, digits for digits.
    pub(super) fn text(&mut self, text: &str) -> Text {
        let length = class(text.chars().count());
        let is_digits = text.bytes().all(|byte| byte.is_ascii_digit());
        self.made += 1;
        let mut number = self.made;
        loop {
            let candidate = if is_digits { digits(number, length) } else { word(number, length) };
            // A text that can only be a placeholder already stays as it is: replacing in a case twice changes nothing.
            let is_its_own = candidate == text && MARKS[..2].iter().any(|(_, mark)| text.starts_with(mark));
            if is_its_own || !self.is_taken(&candidate) {
                self.used.insert(candidate.clone());
                return Text::new(&candidate);
            }
            number += 1;
        }
    }

    /// The text, made unique by white space at its end.
    pub(super) fn spaced(&mut self, mut text: String) -> Text {
        while self.is_taken(&text) {
            text.push(' ');
        }
        self.used.insert(text.clone());
        Text::new(&text)
    }

    /// The placeholder of a number: zero for zero; else one of the same sign and with as many digits before the point (up
    /// to fifteen), whole for whole.
    pub(super) fn number(&mut self, number: &Number) -> Number {
        let text = number.text();
        let unsigned = text.strip_prefix('-').unwrap_or(&text);
        if number.is_infinite() || unsigned.bytes().all(|byte| matches!(byte, b'0' | b'.')) {
            return number.clone();
        }
        let before_point = unsigned.split('.').next().unwrap_or_default();
        let digits = before_point.bytes().filter(u8::is_ascii_digit).count().clamp(1, 15);
        let sign = if text.starts_with('-') { "-" } else { "" };
        let fraction = if number.is_whole() { "" } else { ".5" };
        let least = 10_u64.pow(u32::try_from(digits - 1).unwrap_or(0));
        loop {
            self.made += 1;
            let candidate = format!("{sign}{}{fraction}", least + self.made);
            if self.used.insert(format!("number {candidate}")) {
                return Number::parse(&candidate).unwrap_or_else(|_| number.clone());
            }
        }
    }

    fn is_taken(&self, candidate: &str) -> bool {
        self.used.contains(candidate)
            || self.lines.contains(candidate)
            || (self.is_marked && candidate.len() >= 8 && self.all.contains(candidate))
    }
}

/// The least length of a length class: 1, 2, 4, 8 and so on.
fn class(length: usize) -> usize {
    if length == 0 { 0 } else { (1_usize << length.ilog2()).min(LONGEST) }
}

/// A number in a word of a length; longer where it does not fit.
fn word(number: u64, length: usize) -> String {
    let mark = MARKS.iter().find(|(least, _)| length >= *least).map_or("", |(_, mark)| mark);
    let room = length.saturating_sub(mark.len());
    format!("{mark}{}", letters(number, room))
}

/// A number in letters, of a length at least.
fn letters(mut number: u64, room: usize) -> String {
    let mut digits = Vec::new();
    while number > 0 {
        digits.push(b'a' + (number % 26) as u8);
        number /= 26;
    }
    digits.resize(digits.len().max(room), b'a');
    digits.iter().rev().map(|byte| char::from(*byte)).collect()
}

/// A number in digits only, of a length; longer where it does not fit.
fn digits(number: u64, length: usize) -> String {
    let text = number.to_string();
    if text.len() >= length { text } else { format!("9{text:0>width$}", width = length - 1) }
}
