//! A store for vectors until it is known which of them are kept.
//!
//! The vectors of many thousand runs do not fit in memory, so the lines are in a temporary file; of each, only its size and its
//! traits stay in memory.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};

use super::traits::Trait;

/// A vector as it is put into the store.
pub(super) struct Line {
    /// The number of the case, and the place of the operation in it.
    pub(super) number: (u64, usize),
    pub(super) op: String,
    /// The kind of outcome, for people.
    pub(super) outcome: String,
    /// What the vector shows.
    pub(super) traits: Vec<Trait>,
    /// The subject that answers otherwise, if any.
    pub(super) contradicted: Option<String>,
    /// The question: of several vectors with the same one the first is kept.
    pub(super) inputs: Vec<String>,
    /// The line.
    pub(super) text: String,
}

/// What stays in memory of a line.
struct Slip {
    number: (u64, usize),
    kind: (String, String),
    traits: Vec<u32>,
    from: u64,
    length: usize,
}

/// Vectors in a temporary file.
pub struct Store {
    file: BufWriter<std::fs::File>,
    end: u64,
    slips: Vec<Slip>,
    traits: HashMap<Trait, u32>,
    asked: HashSet<u64>,
}

/// Why vectors could not be kept.
#[derive(Debug, thiserror::Error)]
#[error("cannot keep vectors in a temporary file: {0}")]
pub struct StoreError(#[from] io::Error);

impl Store {
    /// An empty store.
    ///
    /// # Errors
    /// No temporary file.
    pub fn new() -> Result<Store, StoreError> {
        let file = BufWriter::new(tempfile::tempfile()?);
        Ok(Store { file, end: 0, slips: Vec::new(), traits: HashMap::new(), asked: HashSet::new() })
    }

    /// How many vectors there are.
    pub fn len(&self) -> usize {
        self.slips.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.slips.is_empty()
    }

    /// Puts a line into the store; returns whether its inputs are new.
    pub(super) fn put(&mut self, line: Line) -> Result<bool, StoreError> {
        let mut hasher = DefaultHasher::new();
        line.inputs.hash(&mut hasher);
        if !self.asked.insert(hasher.finish()) {
            return Ok(false);
        }
        self.file.write_all(line.text.as_bytes())?;
        let traits = line.traits.into_iter().map(|one| {
            let next = u32::try_from(self.traits.len()).unwrap_or(u32::MAX);
            *self.traits.entry(one).or_insert(next)
        });
        let traits = traits.collect();
        let (from, length) = (self.end, line.text.len());
        self.end += length as u64;
        self.slips.push(Slip { number: line.number, kind: (line.op, line.outcome), traits, from, length });
        Ok(true)
    }

    /// Keeps so many vectors, the smallest first, such that every trait of any of them occurs once before any vector is taken
    /// for a second occurrence, twice before a third, and so on.
    pub fn keep(&mut self, count: usize) {
        let mut slips = std::mem::take(&mut self.slips);
        slips.sort_by_key(|slip| (slip.length, slip.number));
        let mut seen = vec![0_u32; self.traits.len()];
        for round in 1.. {
            if slips.is_empty() || self.slips.len() >= count {
                break;
            }
            for slip in std::mem::take(&mut slips) {
                let is_wanted = slip.traits.is_empty() || slip.traits.iter().any(|one| seen[*one as usize] < round);
                if is_wanted && self.slips.len() < count {
                    slip.traits.iter().for_each(|one| seen[*one as usize] += 1);
                    self.slips.push(slip);
                } else {
                    slips.push(slip);
                }
            }
        }
    }

    /// How many vectors there are of each operation and kind of outcome.
    pub fn outcomes(&self) -> BTreeMap<(String, String), u64> {
        let mut outcomes = BTreeMap::new();
        for slip in &self.slips {
            *outcomes.entry(slip.kind.clone()).or_default() += 1;
        }
        outcomes
    }

    /// The lines, in the order of the cases.
    ///
    /// # Errors
    /// A file that cannot be read any more.
    pub fn lines(mut self) -> Result<impl Iterator<Item = Result<Vec<u8>, StoreError>>, StoreError> {
        let mut file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        let mut file = BufReader::new(file);
        self.slips.sort_by_key(|slip| slip.number);
        Ok(self.slips.into_iter().map(move |slip| {
            let mut line = vec![0; slip.length];
            file.seek(SeekFrom::Start(slip.from))?;
            file.read_exact(&mut line)?;
            line.push(b'\n');
            Ok(line)
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::traits::Trait;

    fn line(number: u64, traits: &[u64], text: &str) -> Line {
        Line {
            number: (number, 0),
            op: "op".to_owned(),
            outcome: "outcome".to_owned(),
            traits: traits.iter().copied().map(Trait::of).collect(),
            contradicted: None,
            inputs: vec![text.to_owned()],
            text: text.to_owned(),
        }
    }

    fn kept(count: usize, lines: &[(&[u64], &str)]) -> Vec<String> {
        let mut store = Store::new().expect("a temporary file");
        for ((traits, text), number) in lines.iter().zip(0..) {
            store.put(line(number, traits, text)).expect("room on the disk");
        }
        store.keep(count);
        assert_eq!(store.outcomes().values().sum::<u64>(), store.len() as u64);
        let lines = store.lines().expect("a file");
        lines.map(|line| String::from_utf8(line.expect("a line")).expect("text").trim_end().to_owned()).collect()
    }

    #[test]
    fn the_smallest_that_shows_something_new_is_kept_first() {
        let lines: [(&[u64], &str); 4] = [(&[1, 2], "longest"), (&[1], "short"), (&[2], "a"), (&[1], "shorter")];
        assert_eq!(kept(2, &lines), ["short", "a"]);
        assert_eq!(kept(1, &lines), ["a"]);
        assert_eq!(kept(3, &lines), ["longest", "short", "a"]);
    }

    #[test]
    fn everything_is_shown_once_before_anything_is_shown_twice() {
        let lines: [(&[u64], &str); 4] = [(&[1], "a"), (&[1], "bb"), (&[1], "ccc"), (&[2], "a long one")];
        assert_eq!(kept(2, &lines), ["a", "a long one"]);
        assert_eq!(kept(3, &lines), ["a", "bb", "a long one"]);
        assert_eq!(kept(9, &lines).len(), 4);
    }

    #[test]
    fn the_same_is_kept_once() {
        assert_eq!(kept(9, &[(&[1], "a"), (&[2], "a")]), ["a"]);
    }
}
