//! The finding in the file of a case: what the case was kept for.
//!
//! Commands group files by its signature, and ask its subjects again. The rest is for people.

use planfuzz_core::json::{Json, pairs};
use planfuzz_core::record;

/// A finding as a file has it. Members that this build does not know are passed over.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KeptFinding {
    /// The signature.
    pub signature: String,
    /// What differs or is broken, in words.
    pub what: String,
    /// The oracle that found it.
    pub oracle: String,
    /// The answers by subject: as vectors have them, or in words where they are none.
    pub answers: Vec<(String, Json)>,
    /// Where the case came from: the seed and the number, or a file.
    pub origin: String,
    /// The subjects as options name them; empty in files from before findings named them.
    pub subjects: Vec<String>,
    /// The command that shows it.
    pub command: String,
}

record!(KeptFinding, "a finding", open:
    signature,
    what or String::new(),
    oracle or String::new(),
    answers by pairs or Vec::new(),
    origin or String::new(),
    subjects or Vec::new(),
    command or String::new(),
);

impl KeptFinding {
    /// A finding of which nothing more is known.
    pub fn new(signature: String, what: String) -> KeptFinding {
        KeptFinding { signature, what, ..KeptFinding::default() }
    }
}

#[cfg(test)]
mod tests {
    use planfuzz_core::json::Field as _;

    use super::*;

    #[test]
    fn a_finding_is_read_back_and_newer_members_are_passed_over() {
        let answers = vec![("reference".to_owned(), Json::Bool(true)), ("optimized".to_owned(), Json::Null)];
        let finding = KeptFinding { answers, ..KeptFinding::new("s".to_owned(), "w".to_owned()) };
        let json = finding.write();
        assert_eq!(json.to_compact(), r#"{"signature":"s","what":"w","answers":{"reference":true,"optimized":null}}"#);
        assert_eq!(KeptFinding::read(&json), Ok(finding));
        let newer = Json::parse(r#"{"signature":"s","later":1}"#).expect("JSON");
        assert_eq!(KeptFinding::read(&newer), Ok(KeptFinding::new("s".to_owned(), String::new())));
    }
}
