//! Functions of strings (FN16, FN17, FN19, FN36).

use planfuzz_core::value::{Node, Type, Value};
use unicode_segmentation::UnicodeSegmentation;

use super::{Given, Made, Wrong, text, texts, truth};
use crate::make;

/// The case mapping of a character; a character that maps to several stays as it is.
fn single(mut letters: impl Iterator<Item = char>, otherwise: char) -> char {
    match (letters.next(), letters.next()) {
        (Some(letter), None) => letter,
        _ => otherwise,
    }
}

pub(crate) fn upper(given: &Given<'_, '_>) -> Made {
    text(&given.text(0)?.chars().map(|letter| single(letter.to_uppercase(), letter)).collect::<String>())
}

pub(crate) fn lower(given: &Given<'_, '_>) -> Made {
    text(&given.text(0)?.chars().map(lowered).collect::<String>())
}

fn lowered(letter: char) -> char {
    if letter == 'İ' { 'i' } else { single(letter.to_lowercase(), letter) }
}

pub(crate) fn title(given: &Given<'_, '_>) -> Made {
    let mut before = ' ';
    let titled = given.text(0)?.chars().map(|letter| {
        let is_first = is_separator(std::mem::replace(&mut before, letter));
        if is_first { titled(letter) } else { letter }
    });
    text(&titled.collect::<String>())
}

/// The title case of a character; of a digraph only the first letter is a capital.
fn titled(letter: char) -> char {
    const TWO_IN_ONE: [(&str, char); 4] = [("Ǆǅǆ", 'ǅ'), ("Ǉǈǉ", 'ǈ'), ("Ǌǋǌ", 'ǋ'), ("Ǳǲǳ", 'ǲ')];
    let own = TWO_IN_ONE.iter().find(|entry| entry.0.contains(letter)).map(|entry| entry.1);
    own.unwrap_or_else(|| single(letter.to_uppercase(), letter))
}

fn is_separator(letter: char) -> bool {
    match letter {
        '0'..='9' | 'a'..='z' | 'A'..='Z' | '_' => false,
        '\0'..='\x7f' => true,
        _ => letter.is_whitespace(),
    }
}

pub(crate) fn trimspace(given: &Given<'_, '_>) -> Made {
    text(given.text(0)?.trim())
}

pub(crate) fn chomp(given: &Given<'_, '_>) -> Made {
    text(given.text(0)?.trim_end_matches(['\r', '\n']))
}

pub(crate) fn trim(given: &Given<'_, '_>) -> Made {
    let cut: hashbrown::HashSet<char> = given.text(1)?.chars().collect();
    text(given.text(0)?.trim_matches(|letter| cut.contains(&letter)))
}

pub(crate) fn trimprefix(given: &Given<'_, '_>) -> Made {
    let whole = given.text(0)?;
    text(whole.strip_prefix(given.text(1)?).unwrap_or(whole))
}

pub(crate) fn trimsuffix(given: &Given<'_, '_>) -> Made {
    let whole = given.text(0)?;
    text(whole.strip_suffix(given.text(1)?).unwrap_or(whole))
}

pub(crate) fn strrev(given: &Given<'_, '_>) -> Made {
    text(&given.text(0)?.graphemes(true).rev().collect::<String>())
}

/// `length` grapheme clusters from `start` on. A negative start counts from the end, and then a length of 0 means all that follow.
pub(crate) fn substr(given: &Given<'_, '_>) -> Made {
    let whole = given.text(0)?;
    let (start, length) = (given.whole(1)?, given.whole(2)?);
    let (start, length) = if start < 0 {
        let count = whole.graphemes(true).count() as i64;
        (count.saturating_add(start).max(0), if length == 0 { -1 } else { length })
    } else {
        (start, length)
    };
    let clusters = whole.graphemes(true).skip(usize::try_from(start).map_err(|_| Wrong::Call)?);
    match usize::try_from(length) {
        Ok(length) => text(&clusters.take(length).collect::<String>()),
        Err(_) => text(&clusters.collect::<String>()),
    }
}

pub(crate) fn indent(given: &Given<'_, '_>) -> Made {
    // The engine cannot allocate that many spaces, even if no line is indented.
    let is_possible = |spaces: &usize| *spaces < 1 << 48;
    let spaces = usize::try_from(given.whole(0)?).ok().filter(is_possible).ok_or(Wrong::Call)?;
    let whole = given.text(1)?;
    let lines = whole.matches('\n').count();
    given.spend(lines.saturating_mul(spaces))?;
    let between = if lines == 0 { String::new() } else { format!("\n{}", " ".repeat(spaces)) };
    text(&whole.replace('\n', &between))
}

/// FN36: a known prefix may decide the result.
pub(crate) fn startswith(given: &Given<'_, '_>) -> Made {
    let wanted = given.text(1)?;
    match given.value(0)?.node() {
        Node::String(whole) => truth(whole.starts_with(wanted)),
        Node::Unknown(Some(record)) => {
            let begun = record.prefix();
            if begun.len() >= wanted.len() {
                truth(begun.starts_with(wanted))
            } else {
                Ok(make::not_null(Type::Bool).into())
            }
        }
        _ if wanted.is_empty() => truth(true),
        _ => Ok(make::not_null(Type::Bool).into()),
    }
}

pub(crate) fn endswith(given: &Given<'_, '_>) -> Made {
    truth(given.text(0)?.ends_with(given.text(1)?))
}

pub(crate) fn strcontains(given: &Given<'_, '_>) -> Made {
    if given.value(0)?.is_unknown() || given.value(1)?.is_unknown() {
        return Ok(Value::unknown(Type::Bool).into());
    }
    truth(given.text(0)?.contains(given.text(1)?))
}

/// FN17
pub(crate) fn split(given: &Given<'_, '_>) -> Made {
    let (by, whole) = (given.text(0)?, given.text(1)?);
    if by.is_empty() {
        // An empty separator splits between characters.
        return texts(whole.chars().map(String::from).collect::<Vec<_>>().iter().map(String::as_str));
    }
    texts(whole.split(by))
}

/// FN16
pub(crate) fn join(given: &Given<'_, '_>) -> Made {
    if given.arguments.len() < 2 {
        return Err(Wrong::Call);
    }
    if given.arguments[1..].iter().any(|list| !list.value.is_wholly_known()) {
        return Ok(make::not_null(Type::String).into());
    }
    let by = given.text(0)?;
    let mut whole = String::new();
    let mut is_first = true;
    for list in &given.arguments[1..] {
        for part in list.value.node().parts() {
            let Node::String(part) = part else { return Err(Wrong::Argument) };
            given.spend((part.len() + by.len()) / 16 + 1)?;
            if !std::mem::take(&mut is_first) {
                whole.push_str(by);
            }
            whole.push_str(part);
        }
    }
    text(&whole)
}

pub(crate) fn basename(given: &Given<'_, '_>) -> Made {
    let whole = given.text(0)?;
    let bare = whole.trim_end_matches('/');
    text(match (whole, bare) {
        ("", _) => ".",
        (_, "") => "/",
        _ => bare.rsplit('/').next().unwrap_or(bare),
    })
}

/// The cleaned path before the last slash.
pub(crate) fn dirname(given: &Given<'_, '_>) -> Made {
    let whole = given.text(0)?;
    let Some(at) = whole.rfind('/') else { return text(".") };
    text(&cleaned(&whole[..=at]))
}

/// Cleans a path.
pub(super) fn cleaned(path: &str) -> String {
    let is_rooted = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            ".." if is_rooted => {}
            part => parts.push(part),
        }
    }
    let joined = parts.join("/");
    match (is_rooted, joined.is_empty()) {
        (true, _) => format!("/{joined}"),
        (false, true) => ".".to_owned(),
        (false, false) => joined,
    }
}
