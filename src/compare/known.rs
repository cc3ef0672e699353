//! Known differences: deviations of real engines from their own documentation, one named entry each.
//!
//! They are read from one file of the corpus, which is compiled into the command. An entry excuses an engine, never a planner
//! of this suite or a program behind a pipe; and it excuses a crash only if a planner predicts it by refusing the
//! same call. Excused findings are counted by the entry's name.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Field as _;
use planfuzz_core::record;

use super::AllowancesError;
use super::allow::read_lines;
use super::signature::{Kind, PlaceKind, Signature};
use crate::case::Op;

/// The file, as it was when the command was built.
const EMBEDDED: &str = include_str!("../../corpus/known/differences.jsonl");

/// The known differences of real engines.
#[derive(Clone, Debug, Default)]
pub struct KnownDifferences {
    entries: Vec<KnownDifference>,
}

/// A known difference of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownDifference {
    /// The name under which it is counted; `corpus/known/NAME.json` is its smallest case.
    pub name: String,
    /// The dialects of the engines that do it.
    pub dialects: Vec<Dialect>,
    /// The exact versions that it was seen with.
    pub seen: Vec<String>,
    /// The operations in which it shows.
    pub ops: Vec<Op>,
    /// How it shows: kinds as in signatures.
    pub kinds: Vec<Kind>,
    /// Where it shows: kinds of places as in signatures, anywhere if there are none.
    pub places: Vec<PlaceKind>,
    /// The section of docs/trophies.md that describes it.
    pub section: String,
    /// Where its maintainers discuss it, if they do.
    pub upstream: Option<String>,
    /// What the engine does, in a sentence.
    pub reason: String,
}

record!(KnownDifference, "a known difference":
    name,
    dialects by names,
    seen,
    ops by names,
    kinds by names,
    places by names or Vec::new(),
    section,
    upstream or None,
    reason,
);

/// Lists of what has a name: a codec.
mod names {
    use std::fmt::Display;
    use std::str::FromStr;

    use planfuzz_core::json::{Json, JsonError};

    pub(super) fn write<T: Display>(list: &[T]) -> Json {
        Json::Array(list.iter().map(|one| Json::string(&one.to_string())).collect())
    }

    pub(super) fn read<T: FromStr>(json: &Json) -> Result<Vec<T>, JsonError> {
        let expected = "a dialect, an operation, a kind or a place of signatures";
        json.read_items(|one| one.expect_string()?.parse().map_err(|_| one.unexpected(expected)))
    }
}

impl KnownDifferences {
    /// The known differences that this command was built with.
    ///
    /// # Errors
    /// A line that is not an entry.
    pub fn embedded() -> Result<KnownDifferences, AllowancesError> {
        KnownDifferences::parse(EMBEDDED)
    }

    /// Reads JSON Lines, an entry a line; blank lines are skipped.
    ///
    /// # Errors
    /// The first line that is not an entry, or gives no reason.
    pub fn parse(text: &str) -> Result<KnownDifferences, AllowancesError> {
        let mut entries = Vec::new();
        for (line, entry) in read_lines(text, KnownDifference::read)? {
            if entry.reason.trim().is_empty() {
                return Err(AllowancesError::NoReason { line });
            }
            entries.push(entry);
        }
        Ok(KnownDifferences { entries })
    }

    /// The entries, in the order of the file.
    pub fn entries(&self) -> &[KnownDifference] {
        &self.entries
    }

    /// The entry that expects a finding of an engine of a dialect.
    pub fn find(&self, signature: &Signature, dialect: Dialect) -> Option<&KnownDifference> {
        self.entries.iter().find(|entry| entry.expects(signature, dialect))
    }
}

impl KnownDifference {
    fn expects(&self, Signature { op, kind, place, subjects: _ }: &Signature, dialect: Dialect) -> bool {
        self.dialects.contains(&dialect)
            && self.ops.contains(op)
            && self.kinds.contains(kind)
            && (self.places.is_empty() || self.places.contains(place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRY: &str = r#"{"name": "n", "dialects": ["terraform-1.11"], "seen": ["Terraform 1.11.4"], "ops": ["scenario"],
        "kinds": ["crash:a < b"], "places": ["root"], "section": "A", "reason": "r"}"#;

    fn crash(op: Op, kind: &str, place: &str) -> Signature {
        format!("{op} {kind} {place} terraform").parse().expect("a signature")
    }

    #[test]
    fn an_entry_is_found_by_operation_kind_place_and_dialect() {
        let known = KnownDifferences::parse(&ENTRY.replace('\n', " ")).expect("an entry");
        let found = |signature, dialect: &str| known.find(&signature, dialect.parse().expect("a dialect")).is_some();
        assert!(found(crash(Op::Scenario, "crash:a < b", "root"), "terraform-1.11"));
        assert!(!found(crash(Op::Scenario, "crash:a < b", "root"), "terraform-1.12"));
        assert!(!found(crash(Op::Scenario, "crash:a", "root"), "terraform-1.11"));
        assert!(!found(crash(Op::Scenario, "over_budget", "attribute"), "terraform-1.11"));
        assert!(!found(crash(Op::ProposedNew, "crash:a < b", "root"), "terraform-1.11"));
    }

    #[test]
    fn the_file_is_whole() {
        let known = KnownDifferences::embedded().expect("entries");
        let mut names: Vec<&str> = known.entries().iter().map(|entry| entry.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), known.entries().len(), "a name twice");
        assert!(!names.is_empty());
        for entry in known.entries() {
            assert!(!entry.dialects.is_empty() && !entry.ops.is_empty() && !entry.kinds.is_empty(), "{}", entry.name);
            assert!(!entry.seen.is_empty(), "{}", entry.name);
        }
    }
}
