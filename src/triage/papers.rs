//! Files that are replayed in processes of their own: documents for readers, which are no cases, and what takes more than a process
//! may have.

use std::collections::BTreeMap;

use super::replay::{ROUNDS, Replayed};
use crate::compare::Allowances;

/// Such a file.
#[derive(Clone, Debug)]
pub struct Paper {
    /// Where it is.
    pub path: String,
    /// How many bytes it has.
    pub size: usize,
    /// The signature that the file says was found.
    pub said: Option<String>,
    /// What its replays came to.
    pub came: PaperCame,
}

/// What the replays came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PaperCame {
    /// All of them showed it.
    Shows {
        /// The signature.
        signature: String,
        /// In words.
        what: String,
    },
    /// They differ: how many showed each signature.
    Flaky(BTreeMap<String, usize>),
    /// What has no signature.
    Other(Replayed),
}

/// Papers that show the same.
#[derive(Clone, Debug)]
pub struct PaperBucket<'a> {
    /// The signature.
    pub signature: &'a str,
    /// In words, of the smallest.
    pub what: &'a str,
    /// Why it is known, if it is.
    pub known: Option<String>,
    /// The files, the smallest first.
    pub papers: Vec<&'a Paper>,
}

/// What one replay showed: a signature and words for it.
pub type Round = Option<(String, String)>;

impl PaperCame {
    /// What comes of replays that came to their end.
    pub fn of(rounds: &[Round], said: Option<&str>) -> PaperCame {
        let mut seen: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
        for (signature, what) in rounds.iter().flatten() {
            seen.entry(signature).or_insert((0, what)).0 += 1;
        }
        if seen.is_empty() {
            return PaperCame::Other(Replayed::Gone { said: said.map(str::to_owned) });
        }
        match seen.iter().find(|(_, (count, _))| *count == ROUNDS) {
            Some((signature, (_, what))) => {
                PaperCame::Shows { signature: (*signature).to_owned(), what: (*what).to_owned() }
            }
            None => PaperCame::Flaky(seen.into_iter().map(|(name, (count, _))| (name.to_owned(), count)).collect()),
        }
    }
}

/// The buckets of papers, new ones first.
pub fn paper_buckets<'a>(papers: &'a [Paper], allowances: &Allowances) -> Vec<PaperBucket<'a>> {
    let mut buckets: BTreeMap<&str, Vec<&Paper>> = BTreeMap::new();
    for paper in papers {
        if let PaperCame::Shows { signature, .. } = &paper.came {
            buckets.entry(signature).or_default().push(paper);
        }
    }
    let bucket = |(signature, mut papers): (&'a str, Vec<&'a Paper>)| {
        papers.sort_by_key(|paper| paper.size);
        let what = papers.first().map(|paper| &paper.came);
        let what = if let Some(PaperCame::Shows { what, .. }) = what { what.as_str() } else { "" };
        PaperBucket { signature, what, known: allowances.reason(signature).map(str::to_owned), papers }
    };
    let mut buckets: Vec<PaperBucket<'_>> = buckets.into_iter().map(bucket).collect();
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
    fn only_what_every_replay_shows_reproduces() {
        let shows = PaperCame::Shows { signature: "a".to_owned(), what: "in words".to_owned() };
        assert_eq!(PaperCame::of(&[round("a"), round("a"), round("a")], None), shows);
        let flaky = PaperCame::Flaky(BTreeMap::from([("a".to_owned(), 2), ("b".to_owned(), 1)]));
        assert_eq!(PaperCame::of(&[round("a"), round("b"), round("a")], None), flaky);
        let gone = PaperCame::Other(Replayed::Gone { said: Some("a".to_owned()) });
        assert_eq!(PaperCame::of(&[None, None, None], Some("a")), gone);
    }

    #[test]
    fn what_is_allowed_is_known_and_comes_last() {
        let allowances =
            Allowances::parse(r#"{"signature": "codecs a", "reason": "by design"}"#).expect("an allowance");
        let paper = |signature: &str, size| {
            let came = PaperCame::Shows { signature: signature.to_owned(), what: String::new() };
            Paper { path: format!("{signature} {size}"), size, said: None, came }
        };
        let papers = [paper("codecs a", 3), paper("codecs b", 7), paper("codecs a", 2)];
        let buckets = paper_buckets(&papers, &allowances);
        let told: Vec<_> = buckets.iter().map(|of| (of.signature, of.known.as_deref(), of.papers[0].size)).collect();
        assert_eq!(told, [("codecs b", None, 7), ("codecs a", Some("by design"), 2)]);
    }
}
