//! Strings that are put together of pieces: verbs of `format`, regular expressions, forms of dates.

use super::Choices;

/// Verbs in which every part has an effect.
pub(super) const VERBS: &[&str] = &[
    "%05.2d",
    "%-6.3d|",
    "%+05d",
    "% d",
    "%08.3x",
    "%#x",
    "%#o",
    "%08b",
    "%05.1f",
    "%-8.2e|",
    "%+.3g",
    "%06.2f",
    "%5.1s|",
    "%-5s|",
    "%05s",
    "%8q",
    "%.1q",
    "%#v",
    "%5t",
    "%[2]s %[1]s",
    "%[1]d %[1]x",
    "%%%d",
    "%v%v",
];

/// A text for `format`.
pub(super) fn format(choices: &mut dyn Choices) -> String {
    let mut out = String::new();
    for _ in 0..choices.below(4) {
        out.push_str(pick(choices, &["", "a-", "é", " ", "ab", "%%", "x:"]));
        if choices.below(4) == 0 {
            out.push_str(pick(choices, VERBS));
            continue;
        }
        out.push('%');
        for _ in 0..choices.below(3) / 2 + choices.below(2) * choices.below(2) {
            out.push_str(pick(choices, &["+", "-", "0", " ", "#"]));
        }
        if choices.below(5) == 0 {
            out.push_str(pick(choices, &["[1]", "[2]", "[3]", "[0]", "[", "[x]"]));
        }
        if choices.below(4) == 0 {
            out.push_str(pick(choices, &["5", "1", "12", "0", "*"]));
        }
        if choices.below(5) == 0 {
            out.push_str(pick(choices, &[".", ".0", ".2", ".10", ".*"]));
        }
        let verbs = [
            "s", "d", "v", "t", "q", "f", "e", "g", "x", "X", "b", "o", "E", "G", "F", "c", "T", "%", "", "#v", "5.2f",
            "U", "p",
        ];
        let limit = if choices.below(8) == 0 { verbs.len() } else { 13 };
        out.push_str(verbs[choices.below(limit)]);
    }
    out.push_str(pick(choices, &["", "", "z", "%", "é"]));
    out
}

/// A regular expression.
pub(super) fn pattern(choices: &mut dyn Choices) -> String {
    const PIECES: &[&str] = &[
        "a",
        "[a-z]",
        "(a)",
        "(b)?",
        "(?P<n>[a-z])",
        "(?P<m>.)",
        ".",
        "\\d+",
        "^",
        "$",
        "a*",
        "x|y",
        "[^,]*",
        "(?i)A",
        "\\s",
        "(?:ab)+",
        "é",
        "\\pL",
        "\\b",
        "(",
        "[",
        "a{2}",
        "a{1,3}?",
        "\\w",
        "(?s).",
        "(?m)^",
        "[[:alpha:]]",
        "\\.",
        "(?<o>a)",
        "(?=a)",
        "\\1",
        "*",
        "\\p{Greek}",
        "\\x41",
        "\\Qa.b\\E",
        "\\z",
        "\\C",
        "\\b.",
        ".\\b",
        "\\B.",
    ];
    (0..1 + choices.below(3)).map(|_| pick(choices, PIECES)).collect()
}

/// The form of a date.
pub(super) fn date(choices: &mut dyn Choices) -> String {
    const PIECES: &[&str] = &[
        "YYYY", "YY", "MMMM", "MMM", "MM", "M", "DD", "D", "EEEE", "EEE", "hh", "h", "HH", "H", "AA", "aa", "mm", "m",
        "ss", "s", "ZZZZZ", "ZZZZ", "ZZZ", "Z", "-", " ", ":", "'T'", "''", "'o''x'", "'", "x", "YYY", "é", "ZZ", "1",
        "A", "E",
    ];
    (0..choices.below(6)).map(|_| pick(choices, PIECES)).collect()
}

pub(super) fn pick<'t>(choices: &mut dyn Choices, among: &[&'t str]) -> &'t str {
    among[choices.below(among.len())]
}
