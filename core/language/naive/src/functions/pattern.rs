//! Regular expressions in the syntax of RE2 (FN20, FN47), which the engine takes.
//!
//! The `regex` crate reads another syntax. So an expression is parsed here by recursive descent and printed in the part that both have in
//! common: flags only around single parts, groups without names, characters in classes as code points.

use super::{Answer, CALL};

/// The greatest nesting depth of groups.
const DEEPEST: usize = 100;
/// The greatest number of repetitions of a part, multiplied over all enclosing repetitions.
const MOST_TIMES: u32 = 1000;

/// The scripts that are supported here; the engine knows more.
const SCRIPTS: [&str; 16] = [
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
const CATEGORIES: &str =
    "L Lu Ll Lt Lm Lo M Mn Mc Me N Nd Nl No P Pc Pd Ps Pe Pi Pf Po S Sm Sc Sk So Z Zs Zl Zp C Cc Cf Co";
const ASCII_CLASSES: &str = "alnum alpha ascii blank cntrl digit graph lower print punct space upper word xdigit";

/// A compiled expression, with the names of its groups.
pub(super) struct Pattern {
    pub matcher: regex::Regex,
    pub names: Vec<Option<String>>,
}

/// Reads an expression.
pub(super) fn read(text: &str) -> Answer<Pattern> {
    let mut reader = Reader { rest: text, flags: Flags::default(), names: Vec::new() };
    let whole = reader.alternatives(0)?;
    if !reader.rest.is_empty() {
        return Err(CALL);
    }
    let matcher = regex::RegexBuilder::new(&whole.text).size_limit(1 << 22).build().map_err(|_| CALL)?;
    Ok(Pattern { matcher, names: reader.names })
}

#[derive(Clone, Copy, Default)]
struct Flags {
    fold: bool,
    lines: bool,
    any: bool,
    lazy: bool,
}

/// A translated part, and the greatest product of repetition counts within it.
struct Part {
    text: String,
    times: u32,
}

impl Part {
    fn once(text: impl Into<String>) -> Part {
        Part { text: text.into(), times: 1 }
    }
}

struct Reader<'p> {
    rest: &'p str,
    flags: Flags,
    names: Vec<Option<String>>,
}

impl<'p> Reader<'p> {
    fn take(&mut self) -> Option<char> {
        let letter = self.rest.chars().next()?;
        self.rest = &self.rest[letter.len_utf8()..];
        Some(letter)
    }

    fn eat(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// The text before `end`, which has to occur.
    fn until(&mut self, end: &str) -> Answer<&'p str> {
        let (inner, rest) = self.rest.split_once(end).ok_or(CALL)?;
        self.rest = rest;
        Ok(inner)
    }

    fn alternatives(&mut self, depth: usize) -> Answer<Part> {
        if depth > DEEPEST {
            return Err(CALL);
        }
        let mut whole = self.sequence(depth)?;
        while self.eat("|") {
            let next = self.sequence(depth)?;
            whole = Part { text: format!("{}|{}", whole.text, next.text), times: whole.times.max(next.times) };
        }
        Ok(whole)
    }

    fn sequence(&mut self, depth: usize) -> Answer<Part> {
        let mut parts: Vec<Part> = Vec::new();
        let mut was_repeated = false;
        while !self.rest.is_empty() && !self.rest.starts_with(['|', ')']) {
            match self.repetition()? {
                Some(_) if was_repeated => return Err(CALL),
                Some(times) => {
                    let last = parts.pop().ok_or(CALL)?;
                    parts.push(self.repeated(last, times)?);
                    was_repeated = true;
                }
                None => {
                    self.atom(depth, &mut parts)?;
                    was_repeated = false;
                }
            }
        }
        let times = parts.iter().map(|part| part.times).max().unwrap_or(1);
        Ok(Part { text: parts.into_iter().map(|part| part.text).collect(), times })
    }

    /// Reads `*`, `+`, `?` or counts in braces, if one is next.
    fn repetition(&mut self) -> Answer<Option<(u32, Option<u32>)>> {
        let found = match self.rest.as_bytes().first() {
            Some(b'*') => (0, None),
            Some(b'+') => (1, None),
            Some(b'?') => (0, Some(1)),
            Some(b'{') => {
                let Some((found, rest)) = numbers(self.rest) else { return Ok(None) };
                self.rest = rest;
                let is_right =
                    found.0 <= MOST_TIMES && found.1.is_none_or(|most| (found.0..=MOST_TIMES).contains(&most));
                return if is_right { Ok(Some(found)) } else { Err(CALL) };
            }
            _ => return Ok(None),
        };
        self.take();
        Ok(Some(found))
    }

    fn repeated(&mut self, part: Part, (least, most): (u32, Option<u32>)) -> Answer<Part> {
        let is_lazy = self.eat("?") != self.flags.lazy;
        let times = match most {
            // Only repetitions with counts are limited.
            None if least < 2 => 1,
            Some(most) if most < 2 => 1,
            _ => most.unwrap_or(least),
        };
        let times = part.times.checked_mul(times).filter(|times| *times <= MOST_TIMES).ok_or(CALL)?;
        let most = most.map_or(String::new(), |most| most.to_string());
        let lazy = if is_lazy { "?" } else { "" };
        Ok(Part { text: format!("(?:{}){{{least},{most}}}{lazy}", part.text), times })
    }

    /// Reads anything but a repetition; flags add no part.
    fn atom(&mut self, depth: usize, parts: &mut Vec<Part>) -> Answer<()> {
        let part = match self.take().ok_or(CALL)? {
            '^' if self.flags.lines => Part::once("(?m:^)"),
            '^' => Part::once("\\A"),
            '$' if self.flags.lines => Part::once("(?m:$)"),
            '$' => Part::once("\\z"),
            '.' if self.flags.any => Part::once("(?s:.)"),
            '.' => Part::once("[^\\n]"),
            '[' => self.class().map(|class| self.folded(&class))?,
            '(' => match self.group(depth)? {
                Some(part) => part,
                None => return Ok(()),
            },
            '\\' if self.eat("Q") => {
                let inner = if self.rest.contains("\\E") { self.until("\\E")? } else { std::mem::take(&mut self.rest) };
                parts.extend(inner.chars().map(|letter| self.folded(&number(letter))));
                return Ok(());
            }
            '\\' if self.eat("A") => Part::once("\\A"),
            '\\' if self.eat("z") => Part::once("\\z"),
            '\\' if self.eat("b") => Part::once("(?-u:\\b)"),
            '\\' if self.eat("B") => Part::once("(?-u:\\B)"),
            '\\' => match self.named_class()? {
                Some(class) => self.folded(&format!("[{class}]")),
                None => self.escape().map(|letter| self.folded(&number(letter)))?,
            },
            letter => self.folded(&number(letter)),
        };
        parts.push(part);
        Ok(())
    }

    fn folded(&self, part: &str) -> Part {
        Part::once(if self.flags.fold { format!("(?i:{part})") } else { part.to_owned() })
    }

    /// Reads a group after its opening parenthesis; `None` for flags that hold from here on.
    fn group(&mut self, depth: usize) -> Answer<Option<Part>> {
        let outer = self.flags;
        let mut open = "(";
        if self.eat("?P<") || self.eat("?<") {
            let name = self.until(">")?;
            let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            self.names.push(Some(name.to_owned()).filter(|_| is_name));
            if !is_name {
                return Err(CALL);
            }
        } else if self.eat("?") {
            open = "(?:";
            if !self.read_flags()? {
                return Ok(None);
            }
        } else {
            self.names.push(None);
        }
        let inner = self.alternatives(depth + 1)?;
        self.flags = outer;
        if self.eat(")") { Ok(Some(Part { text: format!("{open}{})", inner.text), ..inner })) } else { Err(CALL) }
    }

    /// Reads flags; true if a group follows for which alone they hold.
    fn read_flags(&mut self) -> Answer<bool> {
        let (mut value, mut is_empty) = (true, false);
        loop {
            match self.take().ok_or(CALL)? {
                'i' => self.flags.fold = value,
                'm' => self.flags.lines = value,
                's' => self.flags.any = value,
                'U' => self.flags.lazy = value,
                '-' if value => {
                    (value, is_empty) = (false, true);
                    continue;
                }
                end @ (':' | ')') if !is_empty => return Ok(end == ':'),
                _ => return Err(CALL),
            }
            is_empty = false;
        }
    }

    /// Reads a class after its opening bracket.
    fn class(&mut self) -> Answer<String> {
        let mut out = String::from(if self.eat("^") { "[^" } else { "[" });
        let mut is_first = true;
        while is_first || !self.eat("]") {
            is_first = false;
            if self.rest.starts_with("[:") && self.rest[2..].contains(":]") {
                self.eat("[:");
                let name = self.until(":]")?;
                let bare = name.strip_prefix('^').unwrap_or(name);
                if !ASCII_CLASSES.split(' ').any(|class| class == bare) {
                    return Err(CALL);
                }
                out.push_str(&format!("[:{name}:]"));
                continue;
            }
            let before = self.rest;
            if self.eat("\\")
                && let Some(class) = self.named_class()?
            {
                out.push_str(&class);
                continue;
            }
            self.rest = before;
            let from = self.class_letter()?;
            let mut to = from;
            if self.rest.starts_with('-') && !self.rest.starts_with("-]") {
                self.take();
                to = self.class_letter()?;
            }
            if to < from {
                return Err(CALL);
            }
            out.push_str(&format!("{}-{}", number(from), number(to)));
        }
        out.push(']');
        Ok(out)
    }

    fn class_letter(&mut self) -> Answer<char> {
        match self.take().ok_or(CALL)? {
            '\\' => self.escape(),
            letter => Ok(letter),
        }
    }

    /// `\d` and similar classes (ASCII only), and `\p{…}`, in the form for brackets.
    fn named_class(&mut self) -> Answer<Option<String>> {
        let ascii = [
            ("d", "0-9"),
            ("s", "\\t\\n\\x0c\\r\\x20"),
            ("w", "0-9A-Za-z_"),
            ("D", "[^0-9]"),
            ("S", "[^\\t\\n\\x0c\\r\\x20]"),
            ("W", "[^0-9A-Za-z_]"),
        ];
        if let Some((_, class)) = ascii.iter().find(|(letter, _)| self.rest.starts_with(letter)) {
            self.take();
            return Ok(Some((*class).to_owned()));
        }
        let mut is_negated = self.rest.starts_with('P');
        if !is_negated && !self.rest.starts_with('p') {
            return Ok(None);
        }
        self.take();
        let name = if self.eat("{") {
            let name = self.until("}")?;
            is_negated ^= name.starts_with('^');
            name.strip_prefix('^').unwrap_or(name).to_owned()
        } else {
            self.take().ok_or(CALL)?.to_string()
        };
        let is_script = SCRIPTS.contains(&&*name);
        if !is_script && name != "Any" && !CATEGORIES.split(' ').any(|category| category == name) {
            return Err(CALL);
        }
        let sign = if is_negated { 'P' } else { 'p' };
        Ok(Some(format!("\\{sign}{{{}{name}}}", if is_script { "sc=" } else { "" })))
    }

    /// The character of an escape after its backslash.
    fn escape(&mut self) -> Answer<char> {
        let letter = self.take().ok_or(CALL)?;
        let of_number = |number: u32| char::from_u32(number).ok_or(CALL);
        match letter {
            'a' => Ok('\u{7}'),
            'f' => Ok('\u{c}'),
            'n' => Ok('\n'),
            'r' => Ok('\r'),
            't' => Ok('\t'),
            'v' => Ok('\u{b}'),
            'x' if self.eat("{") => {
                let digits = self.until("}")?;
                let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
                of_number(u32::from_str_radix(digits, 16).ok().filter(|_| is_number).ok_or(CALL)?)
            }
            'x' => {
                let digits = [self.take().ok_or(CALL)?, self.take().ok_or(CALL)?].map(|digit| digit.to_digit(16));
                of_number(digits[0].ok_or(CALL)? * 16 + digits[1].ok_or(CALL)?)
            }
            '0'..='7' => {
                let mut value = letter.to_digit(8).ok_or(CALL)?;
                let is_octal = |rest: &str| rest.starts_with(|next: char| next.is_digit(8));
                if letter != '0' && !is_octal(self.rest) {
                    return Err(CALL);
                }
                for _ in 0..2 {
                    if is_octal(self.rest) {
                        value = value * 8 + self.take().and_then(|digit| digit.to_digit(8)).ok_or(CALL)?;
                    }
                }
                of_number(value)
            }
            sign if sign.is_ascii() && !sign.is_ascii_alphanumeric() => Ok(sign),
            _ => Err(CALL),
        }
    }
}

/// Counts in braces (`{n}`, `{n,}`, `{n,m}`), and the text after them; `None` for anything else, which is literal text.
fn numbers(text: &str) -> Option<((u32, Option<u32>), &str)> {
    let (inner, rest) = text.strip_prefix('{')?.split_once('}')?;
    let number = |digits: &str| {
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let is_plain = is_number && (digits.len() == 1 || !digits.starts_with('0'));
        is_plain.then(|| digits.parse::<u32>().unwrap_or(u32::MAX))
    };
    let found = match inner.split_once(',') {
        None => (number(inner)?, Some(number(inner)?)),
        Some((least, "")) => (number(least)?, None),
        Some((least, most)) => (number(least)?, Some(number(most)?)),
    };
    Some((found, rest))
}

fn number(letter: char) -> String {
    format!("\\x{{{:x}}}", u32::from(letter))
}

/// Expands a replacement (`$1`, `${name}`, `$$`); any other `$` stays as it is.
pub(super) fn filled(by: &str, names: &[Option<String>], found: &regex::Captures<'_>) -> String {
    let mut out = String::new();
    let mut rest = by;
    while let Some((before, after)) = rest.split_once('$') {
        out.push_str(before);
        if let Some(behind) = after.strip_prefix('$') {
            out.push('$');
            rest = behind;
            continue;
        }
        let Some((name, behind)) = name_of(after) else {
            out.push('$');
            rest = after;
            continue;
        };
        rest = behind;
        let is_number = name.bytes().all(|byte| byte.is_ascii_digit()) && (name == "0" || !name.starts_with('0'));
        let group = if is_number {
            name.parse().ok().and_then(|at: usize| found.get(at))
        } else {
            let is_named = |at: &usize| names[*at].as_deref() == Some(name);
            (0..names.len()).filter(is_named).find_map(|at| found.get(at + 1))
        };
        out.push_str(group.map_or("", |group| group.as_str()));
    }
    out + rest
}

fn name_of(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_prefix('{');
    let start = inner.unwrap_or(text);
    let end = start.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(start.len());
    let (name, rest) = start.split_at(end);
    let rest = if inner.is_some() { rest.strip_prefix('}')? } else { rest };
    Some((name, rest)).filter(|_| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(pattern: &str, text: &str) -> Option<Vec<String>> {
        let pattern = read(pattern).ok()?;
        Some(pattern.matcher.find_iter(text).map(|found| found.as_str().to_owned()).collect())
    }

    #[test]
    fn classes_and_borders_are_of_ascii() {
        assert_eq!(found("\\w", "a\u{e9}_"), Some(vec!["a".to_owned(), "_".to_owned()]));
        assert_eq!(found("\\b", "\u{130}"), Some(Vec::new()));
        assert_eq!(found("[a&&b]", "&a"), Some(vec!["&".to_owned(), "a".to_owned()]));
    }

    #[test]
    fn repetitions_do_not_follow_each_other() {
        for wrong in ["a**", "a{2}*", "(b)?*.", "*", "a{1001}", "(a{100}){11}", "(?x)a", "\\C", "\\p{greek}", "[[:x:]]"]
        {
            assert_eq!(found(wrong, "a"), None, "{wrong}");
        }
        assert_eq!(found("x\\Q\\E*", "xx"), Some(vec!["xx".to_owned()]));
        assert_eq!(found("a{,2}", "a{,2}"), Some(vec!["a{,2}".to_owned()]));
    }
}
