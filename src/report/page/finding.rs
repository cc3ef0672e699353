//! The findings of the last night with their small cases, and the buckets of all nights with their status.

use std::collections::BTreeMap;

use maud::{Markup, html};
use planfuzz_core::json::Json;

use super::number::{date, exact};
use crate::case::{Case, CaseFile, KeptFinding, Op, Task};
use crate::compare::difference;
use crate::night::record::{Night, RecordedFinding};
use crate::report::{self, Detail, Line, Tone};
use crate::subject::{Outcome, outcome_of};

/// The width for answers beside each other.
const WIDTH: usize = 100;

/// The most lines of a case that are shown.
const MAX_LINES: usize = 400;

/// The most buckets of earlier nights that are listed.
const MAX_EARLIER: usize = 50;

/// The most findings that are shown with their cases, and how many of them are open from the start.
const MAX_SHOWN: usize = 50;
const OPEN: usize = 3;

/// The findings of a night.
pub fn section(night: &Night) -> Markup {
    html! {
        section {
            h2 { "Findings" }
            (counts(night))
            @if night.findings.is_empty() { p.dim { "None." } }
            @for (index, finding) in night.findings.iter().take(MAX_SHOWN).enumerate() {
                (one(finding, finding.new && index < OPEN))
            }
            @if night.findings.len() > MAX_SHOWN {
                p.dim { (exact((night.findings.len() - MAX_SHOWN) as u64)) " more are in the record." }
            }
        }
    }
}

/// The counter of triage for files in a bucket, and the counters that are not of files.
const IN_BUCKETS: &str = "reproduce";
const NO_FILES: [&str; 2] = ["files", "new_buckets"];

/// How many files triage sorted, by outcome; files in no bucket are nowhere else on the page.
fn counts(night: &Night) -> Markup {
    let of = |name: &str| night.triage.get(name).copied().unwrap_or_default();
    let is_else = |name: &str| name != IN_BUCKETS && !NO_FILES.contains(&name);
    let others = night.triage.iter().filter(|(name, count)| is_else(name) && **count > 0);
    html! {
        @if of("files") > 0 {
            p.dim {
                (exact(of("files"))) @if of("files") == 1 { " file: " } @else { " files: " }
                (exact(of(IN_BUCKETS))) " reproduce"
                @for (name, count) in others {
                    // A file that shows nothing any more needs no attention; any other that does not reproduce does.
                    ", " span.change[name != "gone"] { (exact(*count)) " " (name.replace('_', " ")) }
                }
            }
        }
    }
}

fn one(finding: &RecordedFinding, open: bool) -> Markup {
    html! {
        details.finding open[open] {
            summary {
                (badge(finding.new))
                " " span.what { (finding.what.as_ref().unwrap_or(&finding.signature)) }
                " " span.dim { (exact(finding.count)) @if finding.count == 1 { " file" } @else { " files" } }
            }
            p { code { (finding.signature) } }
            @if let Some(known) = &finding.known { p { "Known: " (known) } }
            @match &finding.document {
                Some(document) => (lines(&shown(document))),
                None => p.dim { "The case (" (exact(finding.size)) " bytes) is in " code { (finding.case) } "." },
            }
            p.command { code { (finding.command) } }
        }
    }
}

fn badge(new: bool) -> Markup {
    if new {
        html! { span.badge.bad { "new" } }
    } else {
        html! { span.badge.good { "known" } }
    }
}

/// A bucket over the nights.
struct Seen<'a> {
    first: &'a str,
    /// The night that saw it last.
    last: &'a Night,
    nights: u64,
    finding: &'a RecordedFinding,
}

impl Seen<'_> {
    /// What is known of it after the latest night: one that asked other subjects, or could not sort its findings, says nothing.
    fn now(&self, latest: &Night) -> Markup {
        let word = if std::ptr::eq(self.last, latest) {
            return badge(self.finding.new);
        } else if self.last.subjects != latest.subjects {
            "not asked"
        } else if !latest.is_sorted() {
            "not sorted"
        } else {
            "gone"
        };
        html! { span.badge { (word) } }
    }
}

/// The buckets of all nights, those that were seen last first.
pub fn earlier(nights: &[Night]) -> Markup {
    let [_, .., latest] = nights else { return html! {} };
    let mut all: BTreeMap<&str, Seen<'_>> = BTreeMap::new();
    for night in nights {
        for finding in &night.findings {
            let new = || Seen { first: &night.started, last: night, nights: 0, finding };
            let seen = all.entry(&finding.signature).or_insert_with(new);
            *seen = Seen { first: seen.first, last: night, nights: seen.nights + 1, finding };
        }
    }
    let mut all: Vec<Seen<'_>> = all.into_values().collect();
    let order = |seen: &Seen<'_>| (seen.last.started.clone(), seen.first.to_owned());
    all.sort_by_cached_key(|seen| (std::cmp::Reverse(order(seen)), seen.finding.signature.clone()));
    if all.is_empty() {
        return html! {};
    }
    html! {
        section {
            h2 { "Everything that was found" }
            div.wide { table.stacked {
                thead { tr { th { "now" } th { "bucket" } th { "first" } th { "last" } th.n { "nights" } } }
                tbody {
                    @for seen in all.iter().take(MAX_EARLIER) {
                        tr {
                            td { (seen.now(latest)) }
                            td.long { (seen.finding.signature) }
                            td.day data-name="first" { (date(seen.first)) }
                            td.day data-name="last" { (date(&seen.last.started)) }
                            td.n data-name="nights" { (exact(seen.nights)) }
                        }
                    }
                }
            } }
            @if all.len() > MAX_EARLIER {
                p.dim { (exact((all.len() - MAX_EARLIER) as u64)) " more were not seen lately." }
            }
        }
    }
}

/// A case with its answers, as `probe` shows it.
fn shown(document: &Json) -> Vec<Line> {
    let Ok(CaseFile { case, finding }) = CaseFile::from_json(document) else {
        return document.to_pretty().lines().map(|line| Line::of(Tone::Plain, line)).collect();
    };
    let mut lines = report::case(&case);
    if let Some(finding) = finding {
        lines.extend(answers(&case, &finding));
    }
    lines
}

fn answers(case: &Case, finding: &KeptFinding) -> Vec<Line> {
    let op = finding.signature.split(' ').next().and_then(|name| name.parse::<Op>().ok());
    let (Some(op), Some(((name, first), others))) = (op, finding.answers.split_first()) else { return Vec::new() };
    let mut lines = vec![Line::empty(), Line::of(Tone::Heading, op.name())];
    if others.is_empty() {
        lines.push(Line::of(Tone::Dim, name));
        lines.extend(answer(case, op, first));
    }
    for (other, answered) in others {
        lines.extend(pair(case, op, (name, first), (other, answered)));
    }
    lines
}

fn answer(case: &Case, op: Op, want: &Json) -> Vec<Line> {
    match outcome(case, op, want) {
        Some(outcome) => report::answer(case, op, &outcome, Detail::Changes),
        None => vec![as_written(want)],
    }
}

/// Two answers, with differing lines marked.
fn pair(case: &Case, op: Op, first: (&str, &Json), second: (&str, &Json)) -> Vec<Line> {
    let outcomes = outcome(case, op, first.1).zip(outcome(case, op, second.1));
    if let Some((left, right)) = &outcomes
        && left.is_answer()
        && right.is_answer()
        && difference(left, right).is_some()
    {
        return report::compare(case, op, (first.0, left), (second.0, right), WIDTH);
    }
    let one = |(name, want): (&str, &Json)| {
        let answer = answer(case, op, want).into_iter();
        [Line::of(Tone::Dim, name)].into_iter().chain(answer).collect::<Vec<_>>()
    };
    let mut lines = one(first);
    lines.extend(one(second));
    lines
}

/// An answer as it is written in a finding's file.
fn outcome(case: &Case, op: Op, want: &Json) -> Option<Outcome> {
    let Task::Call(call) = case.narrowed_to(op)?.task else { return None };
    outcome_of(&call, want, case.dialect).ok()
}

fn as_written(want: &Json) -> Line {
    match want {
        Json::String(text) => Line::of(Tone::Plain, &**text),
        other => Line::of(Tone::Plain, other.to_compact()),
    }
}

fn lines(lines: &[Line]) -> Markup {
    html! {
        pre {
            @for line in lines.iter().take(MAX_LINES) {
                @for (tone, text) in line.spans() {
                    @match class(*tone) {
                        Some(class) => span.(class) { (text) },
                        None => (text),
                    }
                }
                "\n"
            }
            @if lines.len() > MAX_LINES { span.dim { "… " (lines.len() - MAX_LINES) " more lines" } }
        }
    }
}

fn class(tone: Tone) -> Option<&'static str> {
    match tone {
        Tone::Plain => None,
        Tone::Heading => Some("head"),
        Tone::Dim => Some("dim"),
        Tone::Add | Tone::Good => Some("add"),
        Tone::Change => Some("change"),
        Tone::Remove | Tone::Bad => Some("remove"),
    }
}
