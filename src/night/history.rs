//! A history: the records of nights, one a line, oldest first.

use planfuzz_core::json::{Json, JsonError};

use super::record::Night;

/// Why a file is not a history.
#[derive(Debug, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct NoHistory {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub problem: JsonError,
}

/// The records of nights.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// The nights, oldest first.
    pub nights: Vec<Night>,
}

impl History {
    /// Reads a history.
    ///
    /// # Errors
    /// A line that is not a record.
    pub fn parse(bytes: &[u8]) -> Result<History, NoHistory> {
        let lines = bytes.split(|byte| *byte == b'\n').zip(1..).filter(|(line, _)| !line.trim_ascii().is_empty());
        let night = |(text, line): (&[u8], usize)| {
            let read = Json::parse_bytes(text).and_then(|json| Night::from_json(&json));
            read.map_err(|problem| NoHistory { line, problem })
        };
        Ok(History { nights: lines.map(night).collect::<Result<_, _>>()? })
    }

    /// Adds the nights of another history; a night that both have counts once.
    pub fn add(&mut self, other: History) {
        self.nights.extend(other.nights);
        self.nights.sort_by(|a, b| (&a.started, &a.seed).cmp(&(&b.started, &b.seed)));
        self.nights.dedup();
    }

    /// The bytes of a history with one more record at its end.
    pub fn with(mut bytes: Vec<u8>, night: &Night) -> Vec<u8> {
        if !bytes.is_empty() && !bytes.ends_with(b"\n") {
            bytes.push(b'\n');
        }
        bytes.extend_from_slice(night.to_json().to_compact().as_bytes());
        bytes.push(b'\n');
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn night(started: &str) -> Night {
        Night { started: started.to_owned(), ..Night::default() }
    }

    #[test]
    fn records_are_appended_a_line_each() {
        let bytes = History::with(Vec::new(), &night("1"));
        let bytes = History::with(bytes.trim_ascii().to_vec(), &night("2"));
        assert_eq!(History::parse(&bytes).unwrap().nights, [night("1"), night("2")]);
        assert_eq!(bytes.iter().filter(|byte| **byte == b'\n').count(), 2);
    }

    #[test]
    fn a_line_that_is_none_is_named() {
        let problem = History::parse(b"\n{}\n").unwrap_err();
        assert_eq!(problem.line, 2);
    }

    #[test]
    fn histories_are_merged_in_order() {
        let mut history = History { nights: vec![night("1"), night("3")] };
        history.add(History { nights: vec![night("2"), night("3")] });
        assert_eq!(history.nights, [night("1"), night("2"), night("3")]);
    }
}
