//! Secrets in texts.

use std::borrow::Cow;
use std::collections::BTreeMap;

use aho_corasick::AhoCorasick;
use planfuzz_core::value::Text;

use super::{INSIDE, StandIns, WHOLE, build};

/// What looks for the longer secrets inside of texts.
pub(super) fn searcher(texts: &BTreeMap<Text, Text>) -> Option<(AhoCorasick, Vec<String>)> {
    let long: Vec<(&Text, &Text)> = texts.iter().filter(|(text, _)| text.chars().count() >= INSIDE).collect();
    if long.is_empty() {
        return None;
    }
    let patterns: Vec<&Text> = long.iter().map(|(text, _)| *text).collect();
    Some((build(&patterns)?, long.into_iter().map(|(_, stand_in)| stand_in.to_string()).collect()))
}

/// The text with a stand-in for each secret in it.
pub(super) fn replaced<'t>(stand_ins: &StandIns, text: &'t str) -> Cow<'t, str> {
    if let Some(stand_in) = stand_ins.texts.get(text).filter(|_| text.chars().count() >= WHOLE) {
        return Cow::Owned(stand_in.to_string());
    }
    match &stand_ins.inside {
        Some((searcher, replacements)) if searcher.is_match(text) => {
            Cow::Owned(searcher.replace_all(text, replacements))
        }
        _ => Cow::Borrowed(text),
    }
}
