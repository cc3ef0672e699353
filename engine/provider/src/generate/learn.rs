//! Learns from a refusal.
//!
//! Providers write diagnostics for people. This module recognizes the phrases of the libraries that providers are written with, and words
//! in quotes or brackets.

use planfuzz_core::value::WrittenStep;
use planfuzz_engine::plugin::ProviderDiagnostic;

use super::build::{Pin, Pins};
use super::knowledge::{Knowledge, Lesson};
use super::rng::Rng;

/// Phrases about attributes that conflict, or that are not allowed.
const APART: &[&str] = &[
    "conflict",
    "cannot be specified when",
    "only one of",
    "cannot be set",
    "not allowed",
    "can not be used",
    "cannot be used",
    "mutually exclusive",
    "cannot be combined",
    "exactly one of",
    "not expected here",
    "unknown key",
    "read-only",
    "nsupported argument",
];

/// Phrases about something that is missing.
const MISSING: &[&str] = &[
    "must be specified",
    "must be set",
    "required",
    "missing",
    "must be configured",
    "at least one of",
    "no definition",
];

/// Phrases beside a list of words without quotes.
const OFFERS: &[&str] =
    &["Only ", "only ", "one of", "supported", "alid values", "allowed values", "must be", "expected "];

/// What to change in a configuration that was refused, and what its refusal teaches.
pub struct Advice {
    /// What to change.
    pub pins: Pins,
    /// What the refusal teaches.
    pub lessons: Vec<Lesson>,
}

/// Makes advice from the diagnostics of a refused configuration. `set` has the keys that the configuration sets, with their words.
pub fn advice(
    diagnostics: &[ProviderDiagnostic],
    set: &[(String, Option<String>)],
    knowledge: &Knowledge,
    rng: &mut Rng,
) -> Advice {
    let (mut pins, mut lessons) = (Pins::new(), Vec::new());
    for diagnostic in diagnostics.iter().filter(|it| it.is_error()) {
        let text = format!("{} {}", diagnostic.summary, diagnostic.detail);
        let lower = text.to_lowercase();
        let mentioned = mentioned(&text, knowledge);
        let about = about(diagnostic, &mentioned, knowledge);
        for key in &about {
            let word = |text: String, bad| Lesson::Word { key: key.clone(), text, good: 0, bad };
            lessons.extend(suggested(&text).into_iter().map(|text| word(text, 0)));
            let own = set.iter().filter(|(of, _)| of == key || key.starts_with(&format!("{of}.")));
            lessons.extend(own.filter_map(|(_, text)| text.clone()).map(|text| word(text, 1)));
        }
        let is_set = |key: &String| set.iter().any(|(of, _)| of == key || of.starts_with(&format!("{key}.")));
        let others: Vec<&String> = mentioned.iter().chain(&about).collect();
        if MISSING.iter().any(|words| lower.contains(words))
            && let Some(missing) = rng.pick(&others.iter().filter(|key| !is_set(key)).collect::<Vec<_>>())
        {
            pins.insert(missing.to_string(), Pin::Set);
        } else if APART.iter().any(|words| lower.contains(words)) {
            let dropped: Vec<_> = others.iter().filter(|key| is_set(key) && knowledge.is_optional(key)).collect();
            if let Some(dropped) = rng.pick(&dropped) {
                lessons.push(Lesson::Presence { key: dropped.to_string(), is_good: false });
                pins.insert(dropped.to_string(), Pin::Drop);
            }
        } else {
            for key in about {
                let gives_up = knowledge.is_optional(&key) && rng.chance(25);
                pins.insert(key, if gives_up { Pin::Drop } else { Pin::Fresh });
            }
        }
    }
    Advice { pins, lessons }
}

/// The keys of the attributes that a diagnostic is about: the one of its path, or all with the name that its text mentions first.
fn about(diagnostic: &ProviderDiagnostic, mentioned: &[String], knowledge: &Knowledge) -> Vec<String> {
    const MOST: usize = 4;
    if let Some(key) = key_of(diagnostic) {
        return vec![key];
    }
    let Some(first) = mentioned.first() else { return Vec::new() };
    let same = knowledge.keys(first.rsplit('.').next().unwrap_or(first));
    // The message names the attribute by its whole path.
    if first.contains('.') && same.len() > 1 && diagnostic.summary.contains(first.as_str()) {
        return vec![first.clone()];
    }
    same.iter().take(MOST).cloned().collect()
}

/// The key of the attribute that a diagnostic is about.
fn key_of(diagnostic: &ProviderDiagnostic) -> Option<String> {
    let names: Vec<&str> = diagnostic
        .path
        .steps()
        .iter()
        .filter_map(|step| match step {
            WrittenStep::Attribute(name) => Some(name.as_str()),
            _ => None,
        })
        .collect();
    (!names.is_empty()).then(|| names.join("."))
}

/// The keys of attributes that a message names. In a path such as `disk.0.size` the last name counts.
fn mentioned(text: &str, knowledge: &Knowledge) -> Vec<String> {
    let mut keys: Vec<String> = Vec::new();
    let is_part = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '.' | '[' | ']');
    for word in text.split(|it| !is_part(it)).filter(|word| !word.is_empty()) {
        let parts = word.split(['.', '[', ']']).filter(|part| !part.is_empty() && part.parse::<u64>().is_err());
        let names: Vec<&str> = parts.collect();
        let whole = names.join(".");
        let last = names.last().copied().unwrap_or_default();
        let all = knowledge.keys(last);
        let found = all.iter().find(|key| **key == whole).or_else(|| all.first());
        // A short word counts as a name only if it is quoted or ends the text after a colon.
        let is_named = text.contains(&format!("\"{last}\"")) || text.trim_end().ends_with(&format!(": {last}"));
        let is_prose = names.len() == 1 && last.len() < 4 && !is_named;
        if let Some(key) = found
            && !is_prose
            && !keys.contains(key)
        {
            keys.push(key.clone());
        }
    }
    keys
}

/// Words that a message suggests: quoted words, lists in brackets, the ends of a range.
fn suggested(text: &str) -> Vec<String> {
    const MOST: usize = 40;
    let mut words = Vec::new();
    for quote in ['"', '\'', '`'] {
        let parts: Vec<&str> = text.split(quote).collect();
        words.extend(parts.iter().skip(1).step_by(2).map(|part| (*part).to_owned()));
    }
    let mut rest = text;
    while let Some((_, after)) = rest.split_once(['[', '(']) {
        let Some((inside, behind)) = after.split_once([']', ')']) else { break };
        let parts = inside.split([' ', ',', '|']).map(|part| part.trim_matches(['"', '\'', '`', '\\']));
        words.extend(parts.map(str::to_owned));
        rest = behind;
    }
    // A single word is the name of the attribute.
    if words.len() < 2 && OFFERS.iter().any(|offer| text.contains(offer)) {
        let is_part = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '-' | '.' | '/');
        words.extend(text.split(|it| !is_part(it)).map(|word| word.trim_matches('.').to_owned()));
    }
    let numbers = text.split(|it: char| !(it.is_ascii_digit() || it == '-')).filter(|part| part.parse::<i64>().is_ok());
    words.extend(numbers.map(str::to_owned));
    words.retain(|word| !word.is_empty() && word.len() <= 60 && !word.contains('\n'));
    words.truncate(MOST);
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use planfuzz_core::planner::Severity;
    use planfuzz_core::schema::Schema;
    use planfuzz_core::value::WrittenPath;

    fn diagnostic(path: &str, summary: &str) -> ProviderDiagnostic {
        let path = WrittenPath::parse(path).expect("a path");
        ProviderDiagnostic { severity: Severity::Error, summary: summary.into(), detail: String::new(), path }
    }

    /// Applies the lessons, and returns what to change.
    fn learn(
        diagnostics: &[ProviderDiagnostic],
        set: &[(String, Option<String>)],
        knowledge: &mut Knowledge,
        rng: &mut Rng,
    ) -> Pins {
        let Advice { pins, lessons } = advice(diagnostics, set, knowledge, rng);
        lessons.into_iter().for_each(|lesson| knowledge.learn(lesson));
        pins
    }

    fn knowledge() -> Knowledge {
        let schema = r#"{"block":{"attributes":{"mode":{"type":"string","required":true},"alpha":{"type":"string","optional":true},
            "beta":{"type":"string","optional":true}}}}"#;
        Knowledge::of(&Schema::parse(schema).expect("a schema").block)
    }

    #[test]
    fn an_enumeration_is_learned() {
        let mut known = knowledge();
        let text = r#"expected mode to be one of ["fast" "slow"], got a"#;
        let set = [("mode".to_owned(), Some("a".to_owned()))];
        let pins = learn(&[diagnostic("", text)], &set, &mut known, &mut Rng::new(1, 1));
        assert_eq!(pins.get("mode"), Some(&Pin::Fresh));
        let words: Vec<String> = (0..200).map(|number| known.text("mode", &mut Rng::new(2, number))).collect();
        let learned = words.iter().filter(|word| matches!(word.as_str(), "fast" | "slow")).count();
        assert!(learned > 60, "{learned}");
    }

    #[test]
    fn a_list_without_quotes_is_learned() {
        let text = "Only dir, lvm, and zfs are supported values for 'mode'";
        let words = suggested(text);
        assert!(["dir", "lvm", "zfs"].iter().all(|word| words.iter().any(|it| it == word)), "{words:?}");
    }

    #[test]
    fn conflicting_attributes_are_dropped_and_missing_ones_are_set() {
        let mut known = knowledge();
        let set = [("alpha", "x"), ("beta", "y")].map(|(key, word)| (key.to_owned(), Some(word.to_owned())));
        let pins =
            learn(&[diagnostic(".alpha", "\"alpha\": conflicts with beta")], &set, &mut known, &mut Rng::new(1, 1));
        assert_eq!(pins.values().collect::<Vec<_>>(), [&Pin::Drop]);
        let pins =
            learn(&[diagnostic("", "one of `alpha,beta` must be specified")], &[], &mut known, &mut Rng::new(1, 1));
        assert_eq!(pins.values().collect::<Vec<_>>(), [&Pin::Set]);
    }
}
