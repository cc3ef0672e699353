//! The failures of `conform`, in groups: one mistake fails many vectors.
//!
//! A group consists of a rule, which is the beginning of a vector's id, an operation, what differs and where, and the subject. Its
//! smallest vector is shown with both answers; the others are named.

use std::collections::BTreeMap;

use planfuzz_core::json::Json;

use super::error::CliError;
use super::output::{self, BAD, DIM, styled};
use crate::case::Op;

/// How many vectors of a group are named.
const NAMED: usize = 6;

/// How many groups are shown with both answers.
const SHOWN: usize = 20;

/// The longest answer that is shown, in characters.
const MAX_ANSWER: usize = 1_000;

/// A vector that a subject answers otherwise than recorded.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The vector's id.
    pub id: String,
    /// The subject.
    pub subject: String,
    /// The operation.
    pub op: Op,
    /// What differs and where.
    pub differs: String,
    /// The length of the question.
    pub size: usize,
    /// The recorded answer.
    pub want: Json,
    /// The subject's answer.
    pub got: Json,
}

/// The key of a group: the rule, the operation, what differs, and the subject.
type Key = (String, Op, String, String);

/// Failures by group; the smallest of each is kept whole.
#[derive(Clone, Debug, Default)]
pub struct Failures {
    groups: BTreeMap<Key, Group>,
}

#[derive(Clone, Debug)]
struct Group {
    smallest: Failure,
    count: u64,
    /// The first ids.
    ids: Vec<String>,
}

impl Failures {
    /// Adds a failure.
    pub fn add(&mut self, failure: Failure) {
        let key = (rule_of(&failure.id), failure.op, general(&failure.differs), failure.subject.clone());
        let group =
            self.groups.entry(key).or_insert_with(|| Group { smallest: failure.clone(), count: 0, ids: Vec::new() });
        group.count += 1;
        if group.ids.len() < NAMED {
            group.ids.push(failure.id.clone());
        }
        if failure.size < group.smallest.size {
            group.smallest = failure;
        }
    }

    /// Prints the groups, the largest first.
    ///
    /// # Errors
    /// Standard output is closed.
    pub fn print(&self) -> Result<(), CliError> {
        let mut groups: Vec<(&Key, &Group)> = self.groups.iter().collect();
        groups.sort_by_key(|(_, group)| std::cmp::Reverse(group.count));
        groups.iter().take(SHOWN).try_for_each(|((rule, op, _, subject), group)| print(rule, *op, subject, group))?;
        let rest = &groups[groups.len().min(SHOWN)..];
        if rest.is_empty() {
            return Ok(());
        }
        let failures: u64 = rest.iter().map(|(_, group)| group.count).sum();
        output::line(&styled(DIM, format!("{} more groups of {failures} failures: --json has all", rest.len())))
    }
}

fn print(rule: &str, op: Op, subject: &str, group: &Group) -> Result<(), CliError> {
    let Group { smallest, count, ids } = group;
    let times = if *count == 1 { String::new() } else { format!(" {count} times") };
    output::line(&format!("{} {rule} {op}{times}: {} ({subject})", styled(BAD, "failed"), smallest.differs))?;
    output::line(&format!("  {}", smallest.id))?;
    output::line(&format!("  want {}", shortened(&smallest.want)))?;
    output::line(&format!("  got  {}", shortened(&smallest.got)))?;
    let others: Vec<&str> = ids.iter().filter(|id| **id != smallest.id).map(String::as_str).collect();
    if others.is_empty() {
        return Ok(());
    }
    let unnamed = (*count).saturating_sub(others.len() as u64 + 1);
    let more = if unnamed > 0 { format!(" and {unnamed} more") } else { String::new() };
    output::line(&styled(DIM, format!("  also {}{more}", others.join(", "))))
}

/// The rule of a vector: the beginning of its id.
fn rule_of(id: &str) -> String {
    let end = id.find(|char: char| !char.is_ascii_alphanumeric()).unwrap_or(id.len());
    id[..end].to_owned()
}

/// What differs and where, without keys and indexes of one case.
fn general(differs: &str) -> String {
    let mut text = String::new();
    let mut depth = 0_u32;
    for char in differs.chars() {
        match char {
            '[' => {
                if depth == 0 {
                    text.push_str("[]");
                }
                depth += 1;
            }
            ']' => depth = depth.saturating_sub(1),
            _ if depth == 0 => text.push(char),
            _ => {}
        }
    }
    text
}

fn shortened(answer: &Json) -> String {
    let text = answer.to_compact();
    match text.char_indices().nth(MAX_ANSWER) {
        None => text,
        Some((end, _)) => format!("{}… ({} more bytes)", &text[..end], text.len() - end),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(id: &str, differs: &str, size: usize) -> Failure {
        let (subject, want, got) = ("s".to_owned(), Json::Null, Json::Null);
        Failure { id: id.to_owned(), subject, op: Op::ProposedNew, differs: differs.to_owned(), size, want, got }
    }

    #[test]
    fn one_rule_and_place_is_one_group_that_shows_its_smallest() {
        let mut failures = Failures::default();
        failures.add(failure("M19-a", "length at .s[0]", 9));
        failures.add(failure("M19-b", "length at .s[\"k\"]", 3));
        failures.add(failure("M19-c", "keys at .s", 1));
        failures.add(failure("M2-a", "length at .s[1]", 1));
        let groups: Vec<(&str, u64, &str)> =
            failures.groups.iter().map(|(key, group)| (&*key.0, group.count, &*group.smallest.id)).collect();
        assert_eq!(groups, [("M19", 1, "M19-c"), ("M19", 2, "M19-b"), ("M2", 1, "M2-a")]);
    }

    #[test]
    fn long_answers_are_shortened() {
        assert!(shortened(&Json::string(&"ä".repeat(5_000))).len() < 2_100);
        assert_eq!(shortened(&Json::Null), "null");
    }
}
