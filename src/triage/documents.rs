//! Files that are replayed in processes of their own: documents for readers, which are no cases, and heavy cases, which may exceed
//! the limits of a process.

use std::collections::BTreeMap;

use super::replay::{ROUNDS, ReplayOutcome};
use crate::compare::Allowances;

/// Such a file.
#[derive(Clone, Debug)]
pub struct Document {
    /// Where it is.
    pub path: String,
    /// How many bytes it has.
    pub size: usize,
    /// The signature that the file records.
    pub recorded: Option<String>,
    /// The outcome of its replays.
    pub outcome: DocumentOutcome,
}

/// The outcome of the replays of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DocumentOutcome {
    /// All of them showed it.
    Shows {
        /// The signature.
        signature: String,
        /// In words.
        what: String,
    },
    /// The replays differ: how many showed each signature.
    Flaky(BTreeMap<String, usize>),
    /// An outcome without a signature.
    Other(ReplayOutcome),
}

/// Documents that show the same.
#[derive(Clone, Debug)]
pub struct DocumentBucket<'a> {
    /// The signature.
    pub signature: &'a str,
    /// In words, of the smallest.
    pub what: &'a str,
    /// Why it is known, if it is.
    pub known: Option<String>,
    /// The files, the smallest first.
    pub documents: Vec<&'a Document>,
}

/// What one replay showed: a signature and words for it.
pub type Round = Option<(String, String)>;

impl DocumentOutcome {
    /// The outcome of replays that were completed.
    pub fn of(rounds: &[Round], recorded: Option<&str>) -> DocumentOutcome {
        let mut seen: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
        for (signature, what) in rounds.iter().flatten() {
            seen.entry(signature).or_insert((0, what)).0 += 1;
        }
        if seen.is_empty() {
            return DocumentOutcome::Other(ReplayOutcome::Gone { recorded: recorded.map(str::to_owned) });
        }
        match seen.iter().find(|(_, (count, _))| *count == ROUNDS) {
            Some((signature, (_, what))) => {
                DocumentOutcome::Shows { signature: (*signature).to_owned(), what: (*what).to_owned() }
            }
            None => {
                DocumentOutcome::Flaky(seen.into_iter().map(|(name, (count, _))| (name.to_owned(), count)).collect())
            }
        }
    }
}

/// The buckets of documents, new ones first.
pub fn document_buckets<'a>(documents: &'a [Document], allowances: &Allowances) -> Vec<DocumentBucket<'a>> {
    let mut buckets: BTreeMap<&str, Vec<&Document>> = BTreeMap::new();
    for document in documents {
        if let DocumentOutcome::Shows { signature, .. } = &document.outcome {
            buckets.entry(signature).or_default().push(document);
        }
    }
    let bucket = |(signature, mut documents): (&'a str, Vec<&'a Document>)| {
        documents.sort_by_key(|document| document.size);
        let what = documents.first().map(|document| &document.outcome);
        let what = if let Some(DocumentOutcome::Shows { what, .. }) = what { what.as_str() } else { "" };
        DocumentBucket { signature, what, known: allowances.reason(signature).map(str::to_owned), documents }
    };
    let mut buckets: Vec<DocumentBucket<'_>> = buckets.into_iter().map(bucket).collect();
    buckets.sort_by_key(|bucket| bucket.known.is_some());
    buckets
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(signature: &str) -> Round {
        Some((signature.to_owned(), "in words".to_owned()))
    }

    #[test]
    fn only_signatures_of_every_replay_reproduce() {
        let shows = DocumentOutcome::Shows { signature: "a".to_owned(), what: "in words".to_owned() };
        assert_eq!(DocumentOutcome::of(&[round("a"), round("a"), round("a")], None), shows);
        let flaky = DocumentOutcome::Flaky(BTreeMap::from([("a".to_owned(), 2), ("b".to_owned(), 1)]));
        assert_eq!(DocumentOutcome::of(&[round("a"), round("b"), round("a")], None), flaky);
        let gone = DocumentOutcome::Other(ReplayOutcome::Gone { recorded: Some("a".to_owned()) });
        assert_eq!(DocumentOutcome::of(&[None, None, None], Some("a")), gone);
    }

    #[test]
    fn allowed_signatures_are_known_and_come_last() {
        let allowances =
            Allowances::parse(r#"{"signature": "codecs a", "reason": "by design"}"#).expect("an allowance");
        let document = |signature: &str, size| {
            let outcome = DocumentOutcome::Shows { signature: signature.to_owned(), what: String::new() };
            Document { path: format!("{signature} {size}"), size, recorded: None, outcome }
        };
        let documents = [document("codecs a", 3), document("codecs b", 7), document("codecs a", 2)];
        let buckets = document_buckets(&documents, &allowances);
        let shown: Vec<_> =
            buckets.iter().map(|of| (of.signature, of.known.as_deref(), of.documents[0].size)).collect();
        assert_eq!(shown, [("codecs b", None, 7), ("codecs a", Some("by design"), 2)]);
    }
}
