//! Regular expressions (FN20, `regex`, `regexall`), in the syntax of RE2.

use planfuzz_core::value::{Text, Type, Value};
use planfuzz_language::expression::Marked;
use regex::{Captures, Regex, RegexBuilder};

use super::{Given, Made, Wrong, text};

/// How large a compiled expression may be.
const MOST: usize = 1 << 22;

fn compiled(pattern: &str, wrong: Wrong) -> Result<Regex, Wrong> {
    RegexBuilder::new(&quotes_resolved(pattern)).size_limit(MOST).nest_limit(200).build().map_err(|_| wrong)
}

/// Whether numbers of times and a closing brace follow an open one.
fn is_repetition(rest: &str) -> bool {
    let Some(end) = rest.find('}') else { return false };
    let mut parts = rest[..end].split(',');
    let (least, most) = (parts.next().unwrap_or(""), parts.next().unwrap_or("0"));
    let is_digits = |text: &str| text.chars().all(|letter| letter.is_ascii_digit());
    parts.next().is_none() && !least.is_empty() && is_digits(least) && is_digits(most)
}

/// RE2 takes what stands between `\Q` and `\E` literally; the parser here does not know that.
fn quotes_resolved(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut letters = pattern.char_indices();
    while let Some((at, letter)) = letters.next() {
        if letter == '{' && !is_repetition(&pattern[at + 1..]) {
            // It stands for itself.
            out.push('\\');
        }
        if letter != '\\' {
            out.push(letter);
            continue;
        }
        match letters.next() {
            Some((_, class @ ('p' | 'P' | 'x'))) if pattern[at + 2..].starts_with('{') => {
                letters.next();
                out.extend(['\\', class, '{']);
            }
            Some((_, 'Q')) => {
                let inner = &pattern[at + 2..];
                let end = inner.find("\\E").unwrap_or(inner.len());
                out.push_str(&regex::escape(&inner[..end]));
                let after = (at + 2 + end + 2).min(pattern.len());
                while letters.offset() < after {
                    letters.next();
                }
            }
            Some((_, next)) => out.extend(['\\', next]),
            None => out.push('\\'),
        }
    }
    out
}

/// FN20
pub(crate) fn replace(given: &Given<'_, '_>) -> Made {
    let (whole, wanted, by) = (given.text(0)?, given.text(1)?, given.text(2)?);
    let inner = wanted.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')).filter(|_| wanted.len() > 1);
    match inner {
        Some(pattern) => {
            let pattern = compiled(pattern, Wrong::Call)?;
            let count = pattern.find_iter(whole).count();
            given.spend(count.saturating_mul(by.len() + by.matches('$').count() * whole.len()) / 16)?;
            text(&pattern.replace_all(whole, by))
        }
        None => {
            let count = if wanted.is_empty() { whole.chars().count() + 1 } else { whole.matches(wanted).count() };
            given.spend(count.saturating_mul(by.len()) / 16)?;
            text(&whole.replace(wanted, by))
        }
    }
}

/// What a match of a pattern is: the text, its groups in order, or its groups by name.
fn match_type(pattern: &Regex) -> Result<Type, Wrong> {
    let names: Vec<Option<&str>> = pattern.capture_names().skip(1).collect();
    let named = names.iter().flatten().count();
    match (names.len(), named) {
        (0, _) => Ok(Type::String),
        (count, 0) => Ok(Type::tuple(vec![Type::String; count])),
        (count, named) if count == named => {
            Ok(Type::object(names.iter().flatten().map(|name| (Text::new(name), Type::String))))
        }
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

fn value_of(pattern: &Regex, found: &Captures<'_>) -> Value {
    let group = |at: usize| found.get(at).map_or(Value::null(Type::String), |part| Value::string(part.as_str()));
    let names: Vec<Option<&str>> = pattern.capture_names().skip(1).collect();
    match names.first() {
        None => group(0),
        Some(None) => Value::tuple((1..=names.len()).map(group).collect()),
        Some(Some(_)) => Value::object(
            names.iter().enumerate().filter_map(|(at, name)| Some((Text::new((*name)?), group(at + 1)))).collect(),
        ),
    }
}

pub(crate) fn regex(given: &Given<'_, '_>) -> Made {
    let pattern = compiled(given.text(0)?, Wrong::Argument)?;
    match_type(&pattern)?;
    let found = pattern.captures(given.text(1)?).ok_or(Wrong::Call)?;
    Ok(value_of(&pattern, &found).into())
}

pub(crate) fn regexall(given: &Given<'_, '_>) -> Made {
    let pattern = compiled(given.text(0)?, Wrong::Argument)?;
    let ty = match_type(&pattern)?;
    let mut values = Vec::new();
    for found in pattern.captures_iter(given.text(1)?) {
        given.spend(1)?;
        values.push(value_of(&pattern, &found));
    }
    Value::list(&ty, values).map(Marked::from).map_err(|_| Wrong::Call)
}
