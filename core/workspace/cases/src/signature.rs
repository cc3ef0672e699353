//! Groups differences: signatures name no resource, so that differences with one cause get the same signature.

use planfuzz_workspace::run::{Difference, Kind};

use crate::generate::names::is_name;
use crate::merge::mapped_words;

/// How long the text of a signature is at most.
const LENGTH: usize = 110;

/// The signature of a difference: its kind, and the beginning of its text without names, keys and numbers.
pub fn signature(difference: &Difference) -> String {
    let plain = mapped_words(&difference.text, |word| {
        let own =
            word.split_once('_').filter(|(prefix, _)| prefix.starts_with('c') && prefix[1..].parse::<u32>().is_ok());
        let word = own.map_or(word, |(_, rest)| rest);
        match word {
            _ if is_name(word) => "N".to_owned(),
            _ if word.chars().all(|char| char.is_ascii_digit()) => "0".to_owned(),
            _ => word.to_owned(),
        }
    });
    let short: String = plain.chars().take(LENGTH).collect();
    format!("{:?}: {short}", difference.kind)
}

/// The signature of several differences: that of the first in the order of kinds, since a missing call explains a missing change.
pub fn first_signature(differences: &[Difference]) -> Option<String> {
    let rank = |difference: &&Difference| match difference.kind {
        Kind::Broken => 0,
        Kind::Diagnostics => 1,
        Kind::Plan => 2,
        Kind::Changes => 3,
        _ => 4,
    };
    differences.iter().min_by_key(rank).map(signature)
}
