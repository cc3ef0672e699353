//! Regular expressions (FN20, `regex`, `regexall`), in the syntax of RE2.

use std::collections::BTreeMap;

use planfuzz_core::value::{Text, Type, Value};
use planfuzz_language::expression::Marked;
use regex::{Captures, Regex, RegexBuilder};

use super::{Given, Made, Wrong, re2, text};

/// The largest size of a compiled expression.
const MOST: usize = 1 << 22;

/// An expression and the names of its groups.
struct Pattern {
    regex: Regex,
    names: Vec<Option<String>>,
}

fn compiled(pattern: &str, wrong: Wrong) -> Result<Pattern, Wrong> {
    let translated = re2::translated(pattern).ok_or(wrong)?;
    let regex = RegexBuilder::new(&translated.pattern).size_limit(MOST).nest_limit(400).build().map_err(|_| wrong)?;
    Ok(Pattern { regex, names: translated.names })
}

impl Pattern {
    /// Expands a replacement (`$1`, `${name}`, `$$`) for a match; any other `$` stays as it is.
    fn fill(&self, by: &str, found: &Captures<'_>, out: &mut String) {
        let mut pieces = by.split('$');
        out.push_str(pieces.next().unwrap_or(""));
        while let Some(piece) = pieces.next() {
            if piece.is_empty() {
                // `$$`, or a `$` at the end.
                out.push('$');
                out.push_str(pieces.next().unwrap_or(""));
                continue;
            }
            match name_and_rest(piece) {
                None => out.extend(["$", piece]),
                Some((name, rest)) => out.extend([self.group(name, found), rest]),
            }
        }
    }

    fn group<'t>(&self, name: &str, found: &Captures<'t>) -> &'t str {
        let is_number = name.bytes().all(|byte| byte.is_ascii_digit()) && (name.len() == 1 || !name.starts_with('0'));
        if is_number {
            return name.parse().ok().and_then(|at: usize| found.get(at)).map_or("", |group| group.as_str());
        }
        let groups = self.names.iter().enumerate().filter(|(_, other)| other.as_deref() == Some(name));
        groups.filter_map(|(at, _)| found.get(at + 1)).map(|group| group.as_str()).next().unwrap_or("")
    }
}

fn name_and_rest(piece: &str) -> Option<(&str, &str)> {
    let braced = piece.strip_prefix('{');
    let text = braced.unwrap_or(piece);
    let rest = text.trim_start_matches(|letter: char| letter.is_alphanumeric() || letter == '_');
    let name = &text[..text.len() - rest.len()];
    let rest = if braced.is_some() { rest.strip_prefix('}')? } else { rest };
    (!name.is_empty()).then_some((name, rest))
}

/// FN20
pub(crate) fn replace(given: &Given<'_, '_>) -> Made {
    let (whole, wanted, by) = (given.text(0)?, given.text(1)?, given.text(2)?);
    let inner = wanted.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')).filter(|_| wanted.len() > 1);
    match inner {
        Some(pattern) => {
            let pattern = compiled(pattern, Wrong::Call)?;
            let count = pattern.regex.find_iter(whole).count();
            given.spend(count.saturating_mul(by.len() + by.matches('$').count() * whole.len()) / 16)?;
            let (mut out, mut end) = (String::new(), 0);
            for found in pattern.regex.captures_iter(whole) {
                let Some(range) = found.get(0).map(|group| group.range()) else { continue };
                out.push_str(&whole[end..range.start]);
                pattern.fill(by, &found, &mut out);
                end = range.end;
            }
            out.push_str(&whole[end..]);
            text(&out)
        }
        None => {
            let count = if wanted.is_empty() { whole.chars().count() + 1 } else { whole.matches(wanted).count() };
            given.spend(count.saturating_mul(by.len()) / 16)?;
            text(&whole.replace(wanted, by))
        }
    }
}

/// The type of a match: the text, a tuple of the groups, or an object of the named groups.
fn match_type(pattern: &Pattern) -> Result<Type, Wrong> {
    let named: BTreeMap<Text, Type> =
        pattern.names.iter().flatten().map(|name| (Text::new(name), Type::String)).collect();
    match (pattern.names.as_slice(), named.is_empty()) {
        ([], _) => Ok(Type::String),
        (names, true) => Ok(Type::tuple(vec![Type::String; names.len()])),
        (names, false) if names.iter().all(Option::is_some) => Ok(Type::object(named)),
        _ => Err(Wrong::Argument),
    }
}

fn known_type(given: &Given<'_, '_>) -> Result<Option<Type>, Wrong> {
    if given.value(0)?.is_unknown() {
        return Ok(None);
    }
    match_type(&compiled(given.text(0)?, Wrong::Argument)?).map(Some)
}

pub(crate) fn regex_type(given: &Given<'_, '_>) -> Result<Type, Wrong> {
    Ok(known_type(given)?.unwrap_or(Type::Dynamic))
}

pub(crate) fn regexall_type(given: &Given<'_, '_>) -> Result<Type, Wrong> {
    Ok(Type::list(known_type(given)?.unwrap_or(Type::Dynamic)))
}

fn value_of(pattern: &Pattern, found: &Captures<'_>) -> Value {
    let group = |at: usize| found.get(at).map_or(Value::null(Type::String), |part| Value::string(part.as_str()));
    let names = &pattern.names;
    match names.first() {
        None => group(0),
        Some(None) => Value::tuple((1..=names.len()).map(group).collect()),
        Some(Some(_)) => {
            // Of two groups with one name the later one counts.
            let groups = names.iter().zip(1..).filter_map(|(name, at)| Some((Text::new(name.as_ref()?), group(at))));
            Value::object(groups.collect::<BTreeMap<_, _>>().into_iter().collect())
        }
    }
}

pub(crate) fn regex(given: &Given<'_, '_>) -> Made {
    let pattern = compiled(given.text(0)?, Wrong::Argument)?;
    match_type(&pattern)?;
    let found = pattern.regex.captures(given.text(1)?).ok_or(Wrong::Call)?;
    Ok(value_of(&pattern, &found).into())
}

pub(crate) fn regexall(given: &Given<'_, '_>) -> Made {
    let pattern = compiled(given.text(0)?, Wrong::Argument)?;
    let ty = match_type(&pattern)?;
    let mut values = Vec::new();
    for found in pattern.regex.captures_iter(given.text(1)?) {
        given.spend(1)?;
        values.push(value_of(&pattern, &found));
    }
    Value::list(&ty, values).map(Marked::from).map_err(|_| Wrong::Call)
}
