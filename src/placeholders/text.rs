//! Secrets in texts.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;

use aho_corasick::{AhoCorasick, MatchKind};
use planfuzz_core::value::Text;

use super::{INSIDE, Inside, Placeholders, WHOLE};

impl Inside {
    /// The longer secrets.
    pub(super) fn of(texts: &BTreeMap<Text, Text>) -> Inside {
        let long = texts.iter().filter(|(text, _)| text.chars().count() >= INSIDE);
        let mut secrets: Vec<(Text, String)> =
            long.map(|(text, placeholder)| (text.clone(), placeholder.to_string())).collect();
        if secrets.is_empty() {
            return Inside::default();
        }
        secrets.sort_by_key(|(text, _)| Reverse(text.len()));
        let patterns = secrets.iter().map(|(text, _)| text.as_str());
        let searcher = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(patterns).ok();
        Inside { secrets, searcher }
    }

    fn replaced<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.secrets.is_empty() {
            return Cow::Borrowed(text);
        }
        match &self.searcher {
            Some(searcher) if !searcher.is_match(text) => Cow::Borrowed(text),
            Some(searcher) => {
                let mut replaced = String::with_capacity(text.len());
                searcher.replace_all_with(text, &mut replaced, |found, _, replaced| {
                    replaced.push_str(&self.secrets[found.pattern().as_usize()].1);
                    true
                });
                Cow::Owned(replaced)
            }
            None => self.secrets.iter().fold(Cow::Borrowed(text), |text, (secret, placeholder)| {
                if text.contains(secret.as_str()) {
                    Cow::Owned(text.replace(secret.as_str(), placeholder))
                } else {
                    text
                }
            }),
        }
    }
}

/// The text with a placeholder for each secret in it.
pub(super) fn replaced<'t>(placeholders: &Placeholders, text: &'t str) -> Cow<'t, str> {
    match placeholders.texts.get(text).filter(|_| text.chars().count() >= WHOLE) {
        Some(placeholder) => Cow::Owned(placeholder.to_string()),
        None => placeholders.inside.replaced(text),
    }
}
