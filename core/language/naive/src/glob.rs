//! `fileset` (FN45): the files below a folder whose paths match a pattern.
//!
//! `*` and `?` stay within a step, `**` as a whole step matches any number of steps, `[a-z]`, `[^a]` and `{a,b}` are as in shells.

use planfuzz_core::value::{Type, Value};
use planfuzz_language::expression::Files;

use crate::functions::{Answer, CALL, plain};

pub(crate) fn matching(files: &Files, folder: &str, pattern: &str) -> Answer<Value> {
    let joined = plain(&format!("{folder}/{pattern}"));
    // A folder that does not exist has no files, even if the pattern is invalid.
    let inside = format!("{}/", plain(folder));
    if !files.paths().any(|path| path.starts_with(&inside)) && !joined.starts_with("../") {
        return Value::set(&Type::String, Vec::new()).map_err(|_| CALL);
    }
    let alternatives = alternatives(&joined).ok_or(CALL)?;
    let patterns: Vec<Vec<Vec<Piece>>> = alternatives
        .iter()
        .map(|one| one.split('/').map(pieces).collect::<Option<_>>())
        .collect::<Option<_>>()
        .ok_or(CALL)?;
    let from = plain(folder);
    let fits = |path: &&str| {
        let steps: Vec<&str> = path.split('/').collect();
        patterns.iter().any(|pattern| path_matches(pattern, &steps))
    };
    let found = files.paths().filter(fits).map(|path| Value::string(&relative(&from, path))).collect();
    Value::set(&Type::String, found).map_err(|_| CALL)
}

/// The path of a file relative to a folder.
fn relative(from: &str, path: &str) -> String {
    let (from, path): (Vec<&str>, Vec<&str>) = (from.split('/').collect(), path.split('/').collect());
    let from = if from == ["."] { Vec::new() } else { from };
    let common = from.iter().zip(&path).take_while(|(a, b)| a == b).count();
    let mut steps = vec![".."; from.len() - common];
    steps.extend(&path[common..]);
    if steps.is_empty() { ".".to_owned() } else { steps.join("/") }
}

/// An element of a pattern within a step.
#[derive(Clone, Debug, PartialEq)]
enum Piece {
    Letter(char),
    Any,
    Many,
    Class {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
    /// `**`: any number of steps.
    Steps,
}

/// All alternatives of `{a,b}`; `None` if a brace is not closed.
fn alternatives(pattern: &str) -> Option<Vec<String>> {
    let Some(open) = pattern.find('{') else { return Some(vec![pattern.to_owned()]) };
    let mut depth = 0;
    let mut cuts = vec![open];
    let mut is_class = false;
    for (at, letter) in pattern[open..].char_indices().map(|(at, letter)| (at + open, letter)) {
        match letter {
            // Braces and commas within a class are literal.
            '[' => is_class = true,
            ']' => is_class = false,
            _ if is_class => {}
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 1 => cuts.push(at),
            _ => {}
        }
        if depth == 0 {
            cuts.push(at);
            let choices = cuts
                .windows(2)
                .map(|pair| format!("{}{}{}", &pattern[..open], &pattern[pair[0] + 1..pair[1]], &pattern[at + 1..]));
            let all: Vec<Vec<String>> = choices.map(|choice| alternatives(&choice)).collect::<Option<_>>()?;
            return Some(all.concat());
        }
    }
    None
}

fn pieces(step: &str) -> Option<Vec<Piece>> {
    if step == "**" {
        return Some(vec![Piece::Steps]);
    }
    let mut letters = step.chars().peekable();
    let mut out = Vec::new();
    while let Some(letter) = letters.next() {
        out.push(match letter {
            '*' => Piece::Many,
            '?' => Piece::Any,
            '\\' => Piece::Letter(letters.next()?),
            '[' => {
                let negated = letters.next_if(|letter| matches!(letter, '^' | '!')).is_some();
                let mut ranges = Vec::new();
                loop {
                    let from = match letters.next()? {
                        ']' if !ranges.is_empty() => break,
                        ']' | '-' => return None,
                        '\\' => letters.next()?,
                        letter => letter,
                    };
                    let to =
                        if letters.next_if_eq(&'-').is_some() { letters.next().filter(|to| *to != ']')? } else { from };
                    ranges.push((from, to));
                }
                Piece::Class { negated, ranges }
            }
            letter => Piece::Letter(letter),
        });
    }
    Some(out)
}

fn path_matches(pattern: &[Vec<Piece>], steps: &[&str]) -> bool {
    match (pattern.split_first(), steps.split_first()) {
        (None, None) => true,
        (Some((first, rest)), _) if *first == [Piece::Steps] => {
            (0..=steps.len()).any(|skipped| path_matches(rest, &steps[skipped..]))
        }
        (Some((first, rest)), Some((step, steps))) => {
            step_matches(first, &step.chars().collect::<Vec<_>>()) && path_matches(rest, steps)
        }
        _ => false,
    }
}

fn step_matches(pieces: &[Piece], letters: &[char]) -> bool {
    let Some((first, rest)) = pieces.split_first() else { return letters.is_empty() };
    if *first == Piece::Many {
        return (0..=letters.len()).any(|skipped| step_matches(rest, &letters[skipped..]));
    }
    let Some((letter, after)) = letters.split_first() else { return false };
    let fits = match first {
        Piece::Letter(wanted) => wanted == letter,
        Piece::Class { negated, ranges } => ranges.iter().any(|(from, to)| (from..=to).contains(&letter)) != *negated,
        _ => true,
    };
    fits && step_matches(rest, after)
}
