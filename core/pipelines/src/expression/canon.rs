//! Canonical forms (CANON): idempotent functions on text and on lists of texts.

use std::borrow::Cow;

use crate::expression::Canon;
use planfuzz_core::json::Json;
use planfuzz_core::value::{Node, Text, Type};

impl Canon {
    /// The canonical form of a text; the forms of lists leave it as it is.
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self {
            Canon::Lower => Cow::Owned(text.chars().map(lower).collect()),
            Canon::Trim => Cow::Borrowed(text.trim()),
            Canon::Json => json(text).map_or(Cow::Borrowed(text), Cow::Owned),
            Canon::Prefix(prefix) if text.starts_with(prefix.as_str()) => Cow::Borrowed(text),
            Canon::Prefix(prefix) => Cow::Owned(format!("{prefix}{text}")),
            Canon::AlwaysPrefix => Cow::Owned(format!("h:{text}")),
            Canon::Sorted | Canon::Unique => Cow::Borrowed(text),
        }
    }
}

/// The form of a wholly known payload of type `ty`; `None` if it is its own form.
pub(super) fn of_node(canon: &Canon, ty: &Type, node: &Node) -> Option<Node> {
    match (canon, node) {
        (_, Node::String(text)) => match canon.text(text) {
            form if form == text.as_str() => None,
            form => Some(Node::String(Text::new(&form))),
        },
        (Canon::Sorted | Canon::Unique, Node::Seq(items)) if *ty == Type::list(Type::String) => {
            let form = if *canon == Canon::Sorted { sorted(items.as_slice()) } else { unique(items.as_slice()) };
            Some(Node::seq(form))
        }
        _ => None,
    }
}

/// The sort key of a text; null comes last.
fn rank(node: &Node) -> (bool, Option<&Text>) {
    match node {
        Node::String(text) => (false, Some(text)),
        _ => (true, None),
    }
}

pub(super) fn sorted(items: &[Node]) -> Vec<Node> {
    let mut items = items.to_vec();
    items.sort_by(|a, b| rank(a).cmp(&rank(b)));
    items
}

/// The first occurrence of each item, in order.
fn unique(items: &[Node]) -> Vec<Node> {
    let mut seen = std::collections::BTreeSet::new();
    items.iter().filter(|item| seen.insert(rank(item))).cloned().collect()
}

/// The lower case of a character; never several characters, so that their number stays.
fn lower(char: char) -> char {
    single(char.to_lowercase()).unwrap_or(char)
}

/// Simple case folding: characters that are equal in some case are equal.
pub(super) fn fold(char: char) -> char {
    // The upper case of the dotless i is that of the dotted one, but the two are not equal.
    if char == 'ı' { char } else { lower(single(char.to_uppercase()).unwrap_or(char)) }
}

fn single(mut chars: impl Iterator<Item = char>) -> Option<char> {
    let first = chars.next();
    first.filter(|_| chars.next().is_none())
}

/// JSON without white space, keys in NFC and sorted; `None` if the text is not JSON.
fn json(text: &str) -> Option<String> {
    let mut document = Json::parse(text).ok()?;
    sort_keys(&mut document)?;
    Some(document.to_compact())
}

/// Keys are normalized to NFC first, because the value will be: otherwise the form would have another order the next time. `None` if two
/// keys become equal.
fn sort_keys(json: &mut Json) -> Option<()> {
    match json {
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => Some(()),
        Json::Array(items) => items.iter_mut().try_for_each(sort_keys),
        Json::Object(members) => {
            for (name, member) in members.iter_mut() {
                *name = Text::new(name).as_str().into();
                sort_keys(member)?;
            }
            members.sort_by(|a, b| a.0.cmp(&b.0));
            members.windows(2).all(|pair| pair[0].0 != pair[1].0).then_some(())
        }
    }
}
