//! The files of findings: each has the case, both answers and the command that shows them. Artifacts of a fuzzer are findings too, of
//! which the file has the input alone.

use planfuzz_core::json::Json;

use crate::case::{Case, CaseFile, KeptFinding, Op, Task};
use crate::compare::{Finding, Signature};
use crate::subject::want_of;

/// The prefixes of the names of a fuzzer's artifacts.
const ARTIFACTS: [&str; 6] = ["crash-", "timeout-", "oom-", "leak-", "slow-unit-", "minimized-from-"];

/// Whether a file's name is that of a fuzzer's artifact.
pub fn is_artifact_name(name: &str) -> bool {
    ARTIFACTS.iter().any(|begin| name.starts_with(begin))
}

/// The content of a finding's file.
#[derive(Clone, Debug)]
pub struct FindingFile<'a> {
    /// The case, whole or shrunk.
    pub case: &'a Case,
    /// The finding as it was last seen in that case.
    pub finding: &'a Finding,
    /// Where the case came from: the seed and the number, or a file.
    pub origin: &'a str,
    /// The subjects, as options name them.
    pub subjects: &'a [String],
    /// The path that the file will have, for the command.
    pub path: &'a str,
}

impl FindingFile<'_> {
    /// The case file: the case with its bucket, the answers, and the command that shows them.
    pub fn to_case_file(&self) -> CaseFile {
        let Finding { signature, oracle, what, .. } = self.finding;
        let finding = KeptFinding {
            signature: signature.to_string(),
            what: what.clone(),
            oracle: (*oracle).to_owned(),
            answers: self.answers(signature.op),
            origin: self.origin.to_owned(),
            subjects: self.subjects.to_vec(),
            command: probe(self.path, self.subjects),
        };
        CaseFile { case: self.case.clone(), finding: Some(finding) }
    }

    fn answers(&self, op: Op) -> Vec<(String, Json)> {
        let Some(Task::Call(call)) = self.case.narrowed_to(op).map(|case| case.task) else { return Vec::new() };
        let answers = self.finding.answers.iter().map(|(subject, outcome)| {
            let want = want_of(&call, outcome, self.case.dialect);
            (subject.clone(), want.unwrap_or_else(|| Json::string(&outcome.in_words())))
        });
        answers.collect()
    }
}

/// The name of a bucket's file: the operation, and a hash of the signature.
pub fn file_name(signature: &Signature) -> String {
    let hash = crc32fast::hash(signature.to_string().as_bytes());
    format!("{}-{hash:08x}.json", signature.op)
}

/// The command that shows a case to subjects, as options name them; they are also in the file.
pub fn probe(path: &str, subjects: &[String]) -> String {
    let subjects: String = subjects.iter().map(|name| format!(" --subject {}", quoted(name))).collect();
    format!("planfuzz probe {}{subjects}", quoted(path))
}

/// An argument as the platform's shell takes it.
pub fn quoted(argument: &str) -> String {
    quoted_for(argument, cfg!(windows))
}

/// For Windows in double quotes, which `cmd` and PowerShell both accept; backslashes stay, as paths there consist of them.
fn quoted_for(argument: &str, windows: bool) -> String {
    let plain = |char: char| char.is_ascii_alphanumeric() || "-_./:=".contains(char) || windows && char == '\\';
    if !argument.is_empty() && argument.chars().all(plain) {
        return argument.to_owned();
    }
    match windows {
        true => format!("\"{}\"", argument.replace('"', "\"\"")),
        false => format!("'{}'", argument.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_quoted_for_the_shell_of_the_platform() {
        let both = |argument: &str| [quoted_for(argument, false), quoted_for(argument, true)];
        assert_eq!(both("findings/a.json"), ["findings/a.json", "findings/a.json"]);
        assert_eq!(both("exec:it's b"), [r"'exec:it'\''s b'", r#""exec:it's b""#]);
        assert_eq!(both(r"C:\a.json"), [r"'C:\a.json'", r"C:\a.json"]);
        assert_eq!(both(r#"a "b""#), [r#"'a "b"'"#, r#""a ""b""""#]);
    }
}
