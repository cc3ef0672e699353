//! Minimizes an expression: lists smaller candidates.
//!
//! An expression is edited as text, by the places of its tree: a part replaces the whole, a plain constant replaces a part, an argument is
//! removed. Most candidates are shorter; the caller skips longer ones.

use std::collections::VecDeque;

use super::ast::{Expression, Item, Kind};
use super::parse::parse;
use crate::place::SourcePlace;

/// The simplest expressions.
pub const PLAINEST: [&str; 7] = ["null", "0", "\"\"", "true", "[]", "{}", "\"a\""];

/// Candidates that may replace an expression, the smallest first. Some are not valid expressions.
pub fn smaller(text: &str) -> Vec<String> {
    let Ok(tree) = parse(text, SourcePlace::default()) else { return halves(text) };
    let mut nodes = Vec::new();
    let mut waiting = VecDeque::from([&tree]);
    while let Some(node) = waiting.pop_front() {
        waiting.extend(node.children());
        nodes.push(node);
    }
    nodes.into_iter().flat_map(|node| edits_of(text, node)).collect()
}

/// The candidates for a text that is not an expression.
fn halves(text: &str) -> Vec<String> {
    let cuts = text.char_indices().map(|(at, _)| at);
    cuts.flat_map(|at| [text[at..].to_owned(), text[..at].to_owned()]).filter(|cut| cut.len() < text.len()).collect()
}

/// The candidates in which one node is replaced.
fn edits_of(text: &str, node: &Expression) -> Vec<String> {
    let Some(own) = text_of(text, node) else { return Vec::new() };
    let with = |part: &str| {
        let (start, end) = range(node);
        format!("{}{part}{}", &text[..start], &text[end..])
    };
    let children = node.children();
    let mut parts: Vec<String> =
        children.iter().filter_map(|child| text_of(text, child)).filter(|part| part.len() < own.len()).collect();
    parts.extend(fewer(text, node));
    parts.extend(PLAINEST.iter().filter(|plain| plain.len() < own.len()).map(|plain| (*plain).to_owned()));
    parts.iter().map(|part| with(part)).collect()
}

/// A node with one of its parts removed, in all ways.
fn fewer(text: &str, node: &Expression) -> Vec<String> {
    let all = |parts: &[Expression]| parts.iter().map(|part| text_of(text, part)).collect::<Option<Vec<String>>>();
    let but_one = |parts: Vec<String>, open: String, close: &str| {
        let without = |gone: usize| {
            let kept = parts.iter().enumerate().filter(|(place, _)| *place != gone).map(|(_, part)| part.as_str());
            format!("{open}{}{close}", kept.collect::<Vec<_>>().join(", "))
        };
        (0..parts.len()).map(without).collect::<Vec<String>>()
    };
    match &node.kind {
        Kind::Tuple(parts) => all(parts).map(|parts| but_one(parts, "[".to_owned(), "]")).unwrap_or_default(),
        Kind::Call(name, parts, is_spread) => {
            let close = if *is_spread { "...)" } else { ")" };
            all(parts).map(|parts| but_one(parts, format!("{}(", name.as_str()), close)).unwrap_or_default()
        }
        Kind::Object(items) => {
            let item = |item: &Item| {
                let (start, _) = range(&item.key);
                let (_, end) = range(&item.value);
                text.get(start..end).map(str::to_owned)
            };
            let parts = items.iter().map(item).collect::<Option<Vec<String>>>();
            parts.map(|parts| but_one(parts, "{ ".to_owned(), " }")).unwrap_or_default()
        }
        Kind::Template(parts) => {
            let (start, end) = range(node);
            let without = |part: &Expression| {
                let (from, to) = range(part);
                // With the interpolation marks around it, if it has them.
                let from = text[..from].strip_suffix("${").map_or(from, str::len);
                let to = if text[to..].starts_with('}') { to + 1 } else { to };
                Some(format!("{}{}", text.get(start..from)?, text.get(to..end)?))
            };
            parts.iter().filter_map(without).collect()
        }
        _ => Vec::new(),
    }
}

fn range(node: &Expression) -> (usize, usize) {
    (node.place.span.start as usize, node.place.span.end as usize)
}

fn text_of(text: &str, node: &Expression) -> Option<String> {
    let (start, end) = range(node);
    text.get(start..end).filter(|part| !part.is_empty()).map(str::to_owned)
}
