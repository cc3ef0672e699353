//! Findings: put to the subjects again, and written down with both answers and the command that shows them.

use planfuzz_core::json::Json;

use crate::case::{Case, CaseFile, Op, Task};
use crate::compare::{Answers, Found, Judge, Signature, Summary, Verdict};
use crate::subject::{Outcome, Subject, want_of};

/// A finding that was seen with these very subjects, and what each of them answered.
#[derive(Clone, Debug)]
pub struct Confirmed {
    /// The finding.
    pub found: Found,
    /// The outcome of each subject for the operation of the finding, by subject.
    pub outcomes: Vec<(String, Outcome)>,
}

/// What is looked for in answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All there is: properties too, which ask a planner some thirty times more.
    Whole,
    /// What the answers show: differences, crashes and broken rules.
    Answers,
}

/// Puts a case to the subjects and gives what is found in it, in the order of its operations. Properties are held
/// against the planners of this process too. What is counted goes to the summary.
pub fn confirm(case: &Case, subjects: &mut [Box<dyn Subject>], judge: &Judge, summary: &mut Summary) -> Vec<Confirmed> {
    let mut subjects: Vec<&mut dyn Subject> = subjects.iter_mut().map(|subject| &mut **subject as _).collect();
    confirm_with(case, &mut subjects, judge, Extent::Whole, summary)
}

/// Likewise, as far as is asked for.
pub fn confirm_with(
    case: &Case,
    subjects: &mut [&mut dyn Subject],
    judge: &Judge,
    extent: Extent,
    summary: &mut Summary,
) -> Vec<Confirmed> {
    let outcomes: Vec<Vec<Outcome>> = subjects
        .iter_mut()
        .map(|subject| subject.answer(std::slice::from_ref(case)).pop().unwrap_or_default())
        .collect();
    let answers: Vec<Answers<'_>> =
        subjects.iter().zip(&outcomes).map(|(subject, outcomes)| Answers::of(&**subject, outcomes)).collect();
    let mut found = judge.judge(case, &answers, summary);
    if extent == Extent::Whole {
        for subject in subjects.iter() {
            found.extend(judge.properties_of(case, &**subject, |_| true, summary));
        }
    }
    let ops = case.ops();
    found
        .into_iter()
        .map(|found| {
            let index = ops.iter().position(|op| *op == found.op);
            let of_op = |outcomes: &Vec<Outcome>| index.and_then(|index| outcomes.get(index)).cloned();
            let named = subjects.iter().zip(&outcomes);
            let outcomes = named.filter_map(|(subject, all)| Some((subject.name().to_owned(), of_op(all)?))).collect();
            Confirmed { found, outcomes }
        })
        .collect()
}

/// What a finding's file says beside the case.
#[derive(Clone, Debug)]
pub struct FindingFile<'a> {
    /// The case, whole or shrunk.
    pub case: &'a Case,
    /// The finding as it was last seen in that case.
    pub confirmed: &'a Confirmed,
    /// Where the case came from: the seed and the number, or a file.
    pub origin: &'a str,
    /// The subjects, as options name them.
    pub subjects: &'a [String],
    /// Where the file is going to be, for the command.
    pub path: &'a str,
}

impl FindingFile<'_> {
    /// The case file: the case with its bucket, the answers, and the command that shows them.
    pub fn to_case_file(&self) -> CaseFile {
        let Found { op, verdict } = &self.confirmed.found;
        let mut members = Vec::new();
        if let Some(signature) = verdict.signature() {
            members.push(("signature", Json::string(&signature.to_string())));
        }
        members.push(("what", Json::string(&what(verdict))));
        members.push(("answers", self.answers(*op)));
        members.push(("origin", Json::string(self.origin)));
        members.push(("subjects", Json::Array(self.subjects.iter().map(|name| Json::string(name)).collect())));
        members.push(("command", Json::string(&probe(self.path, self.subjects))));
        CaseFile { case: self.case.clone(), finding: Some(Json::object(members)) }
    }

    fn answers(&self, op: Op) -> Json {
        let Some(Task::Call(call)) = self.case.narrowed_to(op).map(|case| case.task) else {
            return Json::Null;
        };
        let answers = self.confirmed.outcomes.iter().map(|(subject, outcome)| {
            let want = want_of(&call, outcome, self.case.dialect);
            (subject.as_str(), want.unwrap_or_else(|| Json::string(&outcome.in_words())))
        });
        Json::object(answers)
    }
}

/// The command that shows a case to subjects, as options name them; the file says them too.
pub fn probe(path: &str, subjects: &[String]) -> String {
    let subjects: String = subjects.iter().map(|name| format!(" --subject {}", quoted(name))).collect();
    format!("planfuzz probe {}{subjects}", quoted(path))
}

/// The signature that a file was kept for, from what it says of its finding.
pub fn signature_of(finding: &Json) -> Option<&str> {
    finding.member("signature")?.expect_string().ok()
}

/// The subjects that a finding was seen with, as options name them; nothing where the file is from before findings named them.
pub fn subjects_of(finding: &Json) -> Option<Vec<String>> {
    let names = finding.member("subjects")?.expect_array().ok()?;
    names.iter().map(|name| name.expect_string().ok().map(str::to_owned)).collect()
}

/// What was found, in words.
pub fn what(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Agree => "the subjects agree".to_owned(),
        Verdict::BothRefuse => "the subjects refuse".to_owned(),
        Verdict::Tolerated { signature: _, name: Some(name), reason } => format!("tolerated as {name}: {reason}"),
        Verdict::Tolerated { signature: _, name: None, reason } => format!("tolerated: {reason}"),
        Verdict::Diverge { signature, difference } => {
            let place = match difference.path.to_string() {
                root if root.is_empty() => "the root".to_owned(),
                path => path,
            };
            let Signature { subjects, .. } = signature;
            format!("{subjects} differ at {place}: {}", difference.class.name().replace('_', " "))
        }
        Verdict::RuleBroken { signature, message } => format!("{} breaks {message}", signature.subjects),
        Verdict::Crash { signature: _, message } => format!("crash of {message}"),
        Verdict::OverBudget { signature: _, message } => message.clone(),
    }
}

/// An argument as the platform's shell takes it.
pub fn quoted(argument: &str) -> String {
    quoted_for(argument, cfg!(windows))
}

/// For Windows in double quotes, which `cmd` and PowerShell both take; backslashes are what paths are made of there.
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
