//! Translates regular expressions from RE2's syntax, which the engine uses, to that of the `regex` crate (FN20, FN47).
//!
//! The two syntaxes have most in common, flags too. Tokens that mean the same in both are copied. The others are rewritten: ASCII classes,
//! bracketed classes (characters as code points, because the crate has set operators there), literal text, and groups. Groups lose their
//! names, because the crate allows other names and no duplicates.

/// The greatest nesting depth of groups.
const MOST_OPEN: usize = 100;
const MOST_TIMES: usize = 1000;

/// The supported scripts.
const SCRIPTS: &[&str] = &[
    "Arabic",
    "Armenian",
    "Bengali",
    "Common",
    "Cyrillic",
    "Devanagari",
    "Georgian",
    "Greek",
    "Han",
    "Hangul",
    "Hebrew",
    "Hiragana",
    "Inherited",
    "Katakana",
    "Latin",
    "Thai",
];
const CATEGORIES: &[&str] = &[
    "C", "Cc", "Cf", "Co", "Cs", "L", "Ll", "Lm", "Lo", "Lt", "Lu", "M", "Mc", "Me", "Mn", "N", "Nd", "Nl", "No", "P",
    "Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "S", "Sc", "Sk", "Sm", "So", "Z", "Zl", "Zp", "Zs", "Any",
];
const POSIX: &[&str] = &[
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper", "word",
    "xdigit",
];

/// A pattern for the `regex` crate, with the names of the groups.
#[derive(Default)]
pub(crate) struct Translated {
    pub pattern: String,
    pub names: Vec<Option<String>>,
}

/// An open group.
struct Open {
    /// Where it begins.
    start: usize,
    /// The greatest repetition count in what precedes it.
    times: usize,
}

#[derive(Default)]
struct Writer {
    out: String,
    names: Vec<Option<String>>,
    open: Vec<Open>,
    /// The last part that may be repeated: its start, its end, and the product of the repetition counts within it.
    last: Option<(usize, usize, usize)>,
    /// The greatest repetition count since the group began.
    times: usize,
    was_repetition: bool,
}

/// `None` if the pattern is not valid in RE2.
pub(crate) fn translated(pattern: &str) -> Option<Translated> {
    let mut writer = Writer { times: 1, ..Writer::default() };
    let mut rest = pattern;
    while let Some(letter) = rest.chars().next() {
        rest = writer.token(letter, rest)?;
    }
    writer.open.is_empty().then_some(Translated { pattern: writer.out, names: writer.names })
}

impl Writer {
    /// Writes the token at the start of `text`; returns the text after it.
    fn token<'r>(&mut self, letter: char, text: &'r str) -> Option<&'r str> {
        let is_after_repetition = std::mem::take(&mut self.was_repetition);
        let rest = &text[letter.len_utf8()..];
        match letter {
            '*' | '+' | '?' => return self.repeat(&text[..1], 1, rest, is_after_repetition),
            '{' => {
                if let Some((written, most, rest)) = counted(text)? {
                    return self.repeat(written, most, rest, is_after_repetition);
                }
                self.part("\\{");
            }
            '(' => return self.begin(rest),
            ')' => self.end()?,
            '|' => {
                self.out.push('|');
                self.last = None;
            }
            '[' => {
                let (class, rest) = bracketed(rest)?;
                self.part(&class);
                return Some(rest);
            }
            '\\' => return self.escaped(rest),
            '^' | '$' | '.' => self.part(&text[..1]),
            letter => self.part(&literal(letter)),
        }
        Some(rest)
    }

    fn part(&mut self, written: &str) {
        let start = self.out.len();
        self.out.push_str(written);
        self.last = Some((start, self.out.len(), 1));
    }

    /// Repeats the last part; flags may stand between the part and its operator.
    fn repeat<'r>(&mut self, operator: &str, most: usize, rest: &'r str, is_second: bool) -> Option<&'r str> {
        let (start, end, inner) = self.last.filter(|_| !is_second)?;
        let times = inner.checked_mul(most).filter(|times| *times <= MOST_TIMES)?;
        let (operator, rest) = match rest.strip_prefix('?') {
            Some(rest) => (format!("{operator}?"), rest),
            None => (operator.to_owned(), rest),
        };
        let wrapped = format!("(?:{}){operator}", &self.out[start..end]);
        self.out.replace_range(start..end, &wrapped);
        self.last = Some((start, start + wrapped.len(), times));
        self.times = self.times.max(times);
        self.was_repetition = true;
        Some(rest)
    }

    fn begin<'r>(&mut self, rest: &'r str) -> Option<&'r str> {
        let start = self.out.len();
        let mut after = rest;
        let named = rest.strip_prefix("?P<").or_else(|| rest.strip_prefix("?<"));
        if let Some(named) = named {
            let (name, behind) = named.split_once('>')?;
            let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
            if name.is_empty() || !name.chars().all(is_name) {
                return None;
            }
            self.names.push(Some(name.to_owned()));
            self.out.push('(');
            after = behind;
        } else if let Some(flagged) = rest.strip_prefix('?') {
            let end = flagged.find([':', ')'])?;
            let flags = &flagged[..end];
            let (on, off) = flags.split_once('-').unwrap_or((flags, "i"));
            if off.is_empty() || !on.chars().chain(off.chars()).all(|flag| "imsU".contains(flag)) {
                return None;
            }
            after = &flagged[end + 1..];
            self.out.push_str(if flags.is_empty() { "(?:" } else { "(?" });
            self.out.push_str(flags);
            if flagged.as_bytes()[end] == b')' {
                // Flags alone are no part that can be repeated.
                self.out.push(')');
                return Some(after);
            }
            if !flags.is_empty() {
                self.out.push(':');
            }
        } else {
            self.names.push(None);
            self.out.push('(');
        }
        self.open.push(Open { start, times: std::mem::replace(&mut self.times, 1) });
        self.last = None;
        (self.open.len() <= MOST_OPEN).then_some(after)
    }

    fn end(&mut self) -> Option<()> {
        let open = self.open.pop()?;
        self.out.push(')');
        self.last = Some((open.start, self.out.len(), self.times));
        self.times = self.times.max(open.times);
        Some(())
    }

    fn escaped<'r>(&mut self, rest: &'r str) -> Option<&'r str> {
        let letter = rest.chars().next()?;
        let after = &rest[letter.len_utf8()..];
        match letter {
            'A' | 'z' => self.part(&format!("\\{letter}")),
            'b' | 'B' => self.part(&format!("(?-u:\\{letter})")),
            'Q' => {
                let (inner, after) = after.split_once("\\E").unwrap_or((after, ""));
                inner.chars().for_each(|letter| self.part(&literal(letter)));
                return Some(after);
            }
            _ => {
                if let Some((class, after)) = named(rest)? {
                    self.part(&format!("[{class}]"));
                    return Some(after);
                }
                let (letter, after) = letter_of(rest)?;
                self.part(&literal(letter));
                return Some(after);
            }
        }
        Some(after)
    }
}

fn literal(letter: char) -> String {
    format!("\\x{{{:X}}}", u32::from(letter))
}

/// The text of a counted repetition, its greater count, and the text after it. `Some(None)` if this is no repetition, `None` if a count is
/// invalid.
#[allow(clippy::option_option)]
fn counted(text: &str) -> Option<Option<(&str, usize, &str)>> {
    let Some(end) = text.find('}') else { return Some(None) };
    let mut numbers = text[1..end].split(',');
    let (least, most) = (numbers.next().unwrap_or(""), numbers.next());
    let is_plain = |text: &str| {
        text.bytes().all(|byte| byte.is_ascii_digit()) && !text.is_empty() && (text == "0" || !text.starts_with('0'))
    };
    if numbers.next().is_some() || !is_plain(least) || !most.is_none_or(|most| most.is_empty() || is_plain(most)) {
        return Some(None);
    }
    let number = |text: &str| text.parse::<usize>().ok().filter(|number| *number <= MOST_TIMES);
    let least = number(least)?;
    let most = match most {
        None | Some("") => least,
        Some(most) => number(most).filter(|most| *most >= least)?,
    };
    Some(Some((&text[..=end], most.max(1), &text[end + 1..])))
}

/// A class in brackets, and the text after it.
fn bracketed(text: &str) -> Option<(String, &str)> {
    let mut out = String::from("[");
    let mut rest = text;
    if let Some(after) = rest.strip_prefix('^') {
        out.push('^');
        rest = after;
    }
    let inside = rest;
    loop {
        if let Some(after) = rest.strip_prefix(']').filter(|_| rest.len() < inside.len()) {
            out.push(']');
            return Some((out, after));
        }
        if let Some((name, after)) = rest.strip_prefix("[:").and_then(|rest| rest.split_once(":]")) {
            if !POSIX.contains(&name.trim_start_matches('^')) || name.starts_with("^^") {
                return None;
            }
            out.extend(["[:", name, ":]"]);
            rest = after;
            continue;
        }
        if let Some(escaped) = rest.strip_prefix('\\')
            && let Some((class, after)) = named(escaped)?
        {
            out.push_str(&class);
            rest = after;
            continue;
        }
        let (from, after) = in_class(rest)?;
        rest = after;
        out.push_str(&literal(from));
        if let Some(after) = rest.strip_prefix('-').filter(|after| !after.starts_with(']')) {
            let (to, after) = in_class(after)?;
            if to < from {
                return None;
            }
            out.push('-');
            out.push_str(&literal(to));
            rest = after;
        }
    }
}

fn in_class(text: &str) -> Option<(char, &str)> {
    match text.strip_prefix('\\') {
        Some(escaped) => letter_of(escaped),
        None => {
            let letter = text.chars().next()?;
            Some((letter, &text[letter.len_utf8()..]))
        }
    }
}

/// A class named by a letter, in the form for brackets, and the text after it. `Some(None)` if the letter names no class, `None` if the
/// class is unknown.
#[allow(clippy::option_option)]
fn named(text: &str) -> Option<Option<(String, &str)>> {
    let rest = text.get(1..).unwrap_or("");
    let sign = match text.chars().next()? {
        'd' => return Some(Some(("[:digit:]".to_owned(), rest))),
        'D' => return Some(Some(("[:^digit:]".to_owned(), rest))),
        'w' => return Some(Some(("[:word:]".to_owned(), rest))),
        'W' => return Some(Some(("[:^word:]".to_owned(), rest))),
        's' => return Some(Some(("[\\t\\n\\f\\r ]".to_owned(), rest))),
        'S' => return Some(Some(("[^\\t\\n\\f\\r ]".to_owned(), rest))),
        sign @ ('p' | 'P') => sign,
        _ => return Some(None),
    };
    let (name, rest) = match rest.strip_prefix('{') {
        Some(braced) => braced.split_once('}')?,
        None => rest.split_at(rest.chars().next()?.len_utf8()),
    };
    let (name, is_turned) = name.strip_prefix('^').map_or((name, false), |name| (name, true));
    let sign = if is_turned == (sign == 'p') { 'P' } else { 'p' };
    if SCRIPTS.contains(&name) {
        return Some(Some((format!("\\{sign}{{Script={name}}}"), rest)));
    }
    CATEGORIES.contains(&name).then(|| Some((format!("\\{sign}{{{name}}}"), rest)))
}

/// The character that an escape stands for, and the text after it.
fn letter_of(text: &str) -> Option<(char, &str)> {
    let letter = text.chars().next()?;
    let rest = &text[letter.len_utf8()..];
    let short = match letter {
        'a' => '\x07',
        'f' => '\x0c',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\x0b',
        'x' => {
            let (digits, rest) = match rest.strip_prefix('{') {
                Some(braced) => braced.split_once('}')?,
                None => rest.split_at_checked(2)?,
            };
            let is_hexadecimal = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
            let code = u32::from_str_radix(digits, 16).ok().filter(|_| is_hexadecimal)?;
            return Some((char::from_u32(code)?, rest));
        }
        '0'..='7' => {
            let count = text.bytes().take(3).take_while(|byte| matches!(byte, b'0'..=b'7')).count();
            if count == 1 && letter != '0' {
                return None;
            }
            return Some((char::from_u32(u32::from_str_radix(&text[..count], 8).ok()?)?, &text[count..]));
        }
        letter if letter.is_ascii_punctuation() || letter.is_ascii_control() || letter == ' ' => letter,
        _ => return None,
    };
    Some((short, rest))
}

#[cfg(test)]
mod tests {
    use super::translated;

    #[test]
    fn expressions_with_another_meaning_are_translated() {
        for (pattern, written) in [
            ("\\w", "[[:word:]]"),
            ("[a&&b]", "[\\x{61}\\x{26}\\x{26}\\x{62}]"),
            ("\\b", "(?-u:\\b)"),
            ("(?P<1>.)", "(.)"),
            ("(?i)", "(?i)"),
            (".(?i)*", "(?:.)*(?i)"),
        ] {
            assert_eq!(translated(pattern).map(|made| made.pattern).as_deref(), Some(written), "{pattern}");
        }
    }

    #[test]
    fn invalid_expressions_are_refused() {
        for pattern in
            ["a**", "(?x)", "(?-)", "\\C", "\\p{greek}", "[b-a]", "(a{100}){11}", "(", ")", "[", "\\", "(?P<>a)"]
        {
            assert!(translated(pattern).is_none(), "{pattern}");
        }
    }
}
