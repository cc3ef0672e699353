//! `probe`: asks every subject a case, and shows their answers.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use anstyle::Style;
use planfuzz_core::json::Json;
use planfuzz_core::record;

use super::args::ProbeArgs;
use super::error::{CliError, Held};
use super::given::Sources;
use super::names::ops_in_words;
use super::output::{self, BAD, DIM, GOOD, HEAD, NOTE, PrintedFinding, styled};
use super::{files, redact, settings, subjects};
use crate::case::{Case, Op, Task};
use crate::compare::{Finding, Summary, difference};
use crate::panel::{Asked, Extent, Panel};
use crate::report::{self, Detail, Line, Tone};
use crate::scenario::NoAnswer;
use crate::subject::{LeftOut, Outcome, want_of};

/// The maximal width of the output.
const WIDTH: usize = 100;

/// Runs the command.
///
/// # Errors
/// Files that are no cases, subjects that do not start.
pub fn run(args: &ProbeArgs) -> Result<Held, CliError> {
    #[cfg(feature = "engine")]
    if let Some(held) = super::provider::saved(&args.cases, args.json, planfuzz_provider::Saved::show)? {
        return Ok(held);
    }
    let (mut held, mut is_empty) = (true, true);
    let mut not_asked = None;
    let judge = Arc::new(settings::judge(None)?);
    if args.graph.is_some() && args.cases.len() > 1 {
        return Err(CliError::input(format!("expected one case for --graph, found {}", args.cases.len())));
    }
    for (index, given) in Sources::of_cases(&args.cases)?.documents().enumerate() {
        is_empty = false;
        let place = given.place.clone();
        let (path, file) = (place.as_path(), given.case(None)?);
        let redacted = redact::redacted(path, &file, args.show_sensitive)?;
        redact::report(&redacted);
        let case = match args.subjects.one_dialect()? {
            Some(dialect) => Case { dialect, ..redacted.case },
            None => redacted.case,
        };
        let named = subjects::for_finding(&args.subjects, path, file.finding.as_ref())?;
        let mut panel = Panel::new(subjects::start(&named, case.dialect)?, judge.clone());
        let probed = Probed::new(case, &mut panel, &args.subjects.ops)?;
        held &= probed.found.is_empty();
        if let Some(graph) = &args.graph {
            probed.draw(path, graph)?;
        }
        not_asked = not_asked.or_else(|| probed.not_asked.as_ref().map(|why| format!("{}: {why}", path.display())));
        if args.json {
            probed.print_json(path)?;
        } else {
            if index > 0 {
                output::line("")?;
            }
            probed.print(path)?;
        }
    }
    if is_empty {
        return Err(CliError::no_case());
    }
    match not_asked.filter(|_| held) {
        Some(why) => Err(CliError::nothing_compared(why)),
        None => Ok(Held::from(held)),
    }
}

/// A case with the answers of the subjects and the findings.
pub struct Probed {
    case: Case,
    subjects: Vec<String>,
    /// The outcomes of each subject, in the order of the case's operations.
    outcomes: Vec<Vec<Outcome>>,
    found: Vec<Finding>,
    /// Known differences of engines that occurred, by name.
    tolerated: Vec<String>,
    ops: Vec<Op>,
    /// Why nothing was compared, if nothing was.
    not_asked: Option<String>,
}

impl Probed {
    fn new(case: Case, panel: &mut Panel, only: &[Op]) -> Result<Probed, CliError> {
        let ops: Vec<Op> = case.ops().into_iter().filter(|op| only.is_empty() || only.contains(op)).collect();
        if ops.is_empty() {
            let asked = ops_in_words(&case.ops());
            let message = format!("expected one of the case's operations in --op: {asked}");
            return Err(CliError::input(message));
        }
        let mut summary = Summary::default();
        let Asked { outcomes, findings: mut found, .. } = panel.ask(&case, Extent::Whole, &mut summary);
        let (names, outcomes) = outcomes.into_iter().unzip();
        found.retain(|found| ops.contains(&found.signature.op));
        // Of one subject, its answer is shown whether or not there is anything to hold it to.
        let is_shown = panel.subjects().len() == 1 && !summary.answered.is_empty();
        let not_asked = summary.why_not_compared(panel.subjects().len()).filter(|_| found.is_empty() && !is_shown);
        let tolerated = summary.tolerated().map(|(what, _)| what).collect();
        Ok(Probed { case, subjects: names, outcomes, found, tolerated, ops, not_asked })
    }

    /// Draws the graphs of a workspace, as walked by the first subject that ran it.
    fn draw(&self, path: &Path, graph: &Path) -> Result<(), CliError> {
        let played = self.outcomes.iter().flatten().find_map(|outcome| match outcome {
            Outcome::Workspace(answer) => Some(answer.played()),
            _ => None,
        });
        let Some(played) = played else {
            return Err(CliError::input(format!("{}: expected a workspace for --graph", path.display())));
        };
        let text = match graph.extension().and_then(|extension| extension.to_str()) {
            Some("svg") => report::svg(played),
            Some("dot") => report::dot(played),
            _ => {
                let message =
                    format!("expected a name that ends in .svg or .dot for --graph, found {}", graph.display());
                return Err(CliError::input(message));
            }
        };
        files::write(graph, text.as_bytes())
    }

    /// A finding's case and the answers in the finding, for its operation; `None` if the case does not have the operation.
    pub fn of(case: &Case, finding: &Finding) -> Option<Probed> {
        let op = finding.signature.op;
        let case = case.narrowed_to(op)?;
        let answers = finding.answers.iter().map(|(name, outcome)| (name.clone(), vec![outcome.clone()]));
        let (subjects, outcomes) = answers.unzip();
        let found = vec![finding.clone()];
        Some(Probed { case, subjects, outcomes, found, tolerated: Vec::new(), ops: vec![op], not_asked: None })
    }

    /// Prints the case and its answers, without a heading.
    ///
    /// # Errors
    /// Standard output is closed.
    pub fn print_inline(&self) -> Result<(), CliError> {
        print_lines(&report::case(&self.case))?;
        self.ops.iter().try_for_each(|op| self.print_op(*op))
    }

    /// The answers to an operation, each with its subject.
    fn answers(&self, op: Op) -> Vec<(&str, &Outcome)> {
        let index = self.case.ops().iter().position(|asked| *asked == op).unwrap_or_default();
        let named = self.subjects.iter().zip(&self.outcomes);
        let answers = named.filter_map(|(name, outcomes)| Some((name.as_str(), outcomes.get(index)?)));
        // A subject whose operation it is not has no answer.
        answers.filter(|(_, outcome)| !matches!(outcome, Outcome::LeftOut(LeftOut::NotAsked))).collect()
    }

    fn found(&self, op: Op) -> impl Iterator<Item = &Finding> {
        self.found.iter().filter(move |found| found.signature.op == op)
    }

    fn print(&self, path: &Path) -> Result<(), CliError> {
        output::line(&styled(HEAD, path.display()))?;
        print_lines(&report::case(&self.case))?;
        for op in &self.ops {
            self.print_op(*op)?;
        }
        output::line("")?;
        for what in &self.tolerated {
            output::line(&styled(NOTE, format!("tolerated: {what}")))?;
        }
        let (style, text) = match self.found.len() {
            0 if self.not_asked.is_some() => (NOTE, "nothing was compared".to_owned()),
            0 if self.was_left_out() => (NOTE, "not compared".to_owned()),
            0 => (GOOD, "held".to_owned()),
            1 => (BAD, "1 finding".to_owned()),
            many => (BAD, format!("{many} findings")),
        };
        output::line(&styled(style, text))
    }

    fn print_op(&self, op: Op) -> Result<(), CliError> {
        let (style, verdict) = self.verdict(op);
        print_answers(&self.case, op, &self.answers(op), Heading::Verdict(style, verdict))?;
        for found in self.found(op) {
            output::line(&format!("{} {}", styled(BAD, "✗"), found.what))?;
            output::line(&styled(DIM, format!("  {}", found.signature)))?;
        }
        Ok(())
    }

    /// Whether a subject could not be asked, or not to the end of a run.
    fn was_left_out(&self) -> bool {
        self.ops.iter().any(|op| self.answers(*op).into_iter().any(|(_, outcome)| is_left_out(outcome)))
    }

    /// The verdict on an operation, in a word or two.
    fn verdict(&self, op: Op) -> (Style, &'static str) {
        let outcomes = self.answers(op);
        match self.found(op).next() {
            Some(found) => (BAD, found.signature.kind.name()),
            None if outcomes.iter().any(|(_, outcome)| is_left_out(outcome)) => (NOTE, "not compared"),
            None if !self.tolerated.is_empty() => (NOTE, "tolerated"),
            None if outcomes.iter().all(|(_, outcome)| matches!(outcome, Outcome::Refused(_))) => (NOTE, "refused"),
            None if outcomes.len() < 2 => (GOOD, "answered"),
            None => (GOOD, "agree"),
        }
    }

    fn print_json(&self, path: &Path) -> Result<(), CliError> {
        for op in &self.ops {
            let answers =
                self.answers(*op).into_iter().map(|(name, outcome)| (name.to_owned(), self.written(*op, outcome)));
            let finding =
                |found: &Finding| PrintedFinding { signature: found.signature.to_string(), what: found.what.clone() };
            output::json_line(&ProbedOp {
                case: path.display().to_string(),
                op: op.name().to_owned(),
                answers: answers.collect(),
                verdict: self.verdict(*op).1.replace(' ', "_"),
                findings: self.found(*op).map(finding).collect(),
                tolerated: self.tolerated.clone(),
            })?;
        }
        Ok(())
    }

    /// An answer as in files, or `no_answer` in words.
    fn written(&self, op: Op, outcome: &Outcome) -> Json {
        let narrowed = self.case.narrowed_to(op).map(|case| case.task);
        let want = match &narrowed {
            Some(Task::Call(call)) => want_of(call, outcome, self.case.dialect),
            _ => None,
        };
        let words = || report::plain(&report::answer(&self.case, op, outcome, Detail::Full));
        want.unwrap_or_else(|| Json::object([("no_answer", Json::string(words().trim_end()))]))
    }
}

/// An operation of a case as a line of `--json` has it.
struct ProbedOp {
    case: String,
    op: String,
    /// By subject; a subject without an answer says why.
    answers: BTreeMap<String, Json>,
    verdict: String,
    findings: Vec<PrintedFinding>,
    tolerated: Vec<String>,
}

record!(ProbedOp, "an operation of a case": case, op, answers, verdict, findings, tolerated);

/// The heading of an operation's answers.
#[derive(Clone, Copy, Debug)]
pub enum Heading {
    /// The verdict.
    Verdict(Style, &'static str),
    /// These are the answers of a finding.
    Answered,
}

/// Prints a case.
///
/// # Errors
/// Standard output is closed.
pub fn print_case(case: &Case) -> Result<(), CliError> {
    print_lines(&report::case(case))
}

/// Prints the answers to an operation: equal ones together, the others beside them.
///
/// # Errors
/// Standard output is closed.
pub fn print_answers(case: &Case, op: Op, answers: &[(&str, &Outcome)], heading: Heading) -> Result<(), CliError> {
    let Some((first, others)) = answers.split_first() else { return Ok(()) };
    let (same, different): (Vec<_>, Vec<_>) =
        others.iter().partition(|other| first.1.is_answer() && difference(first.1, other.1).is_none());
    output::line("")?;
    let names: Vec<&str> = [first.0].into_iter().chain(same.iter().map(|(name, _)| *name)).collect();
    let (style, verdict) = match heading {
        Heading::Verdict(style, verdict) => (style, verdict),
        Heading::Answered => (DIM, "as it was found"),
    };
    let rule = "─".repeat(WIDTH.saturating_sub(op.name().len() + verdict.len() + 2));
    output::line(&format!("{} {} {}", styled(HEAD, op), styled(DIM, rule), styled(style, verdict)))?;
    if different.is_empty() {
        output::line(&styled(DIM, names.join(", ")))?;
        print_lines(&report::answer(case, op, first.1, Detail::Changes))?;
    }
    let names = names.join(", ");
    for (name, outcome) in different {
        if first.1.is_answer() && outcome.is_answer() {
            print_lines(&report::compare(case, op, (&names, first.1), (name, outcome), WIDTH))?;
            continue;
        }
        // One of them is no answer, so there is nothing to compare.
        for (name, outcome) in [(names.as_str(), first.1), (name, outcome)] {
            output::line(&styled(DIM, name))?;
            print_lines(&report::answer(case, op, outcome, Detail::Changes))?;
        }
    }
    Ok(())
}

/// Whether a subject was not asked; for a run, one of its walks.
fn is_left_out(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::LeftOut(_) => true,
        Outcome::Trace(trace) => {
            trace.stopped.as_deref().is_some_and(|stopped| matches!(stopped.halt, NoAnswer::LeftOut(_)))
        }
        _ => false,
    }
}

fn print_lines(lines: &[Line]) -> Result<(), CliError> {
    lines.iter().try_for_each(|line| {
        let parts = line.spans().iter().map(|(tone, text)| styled(style(*tone), text));
        output::line(&parts.collect::<String>())
    })
}

fn style(tone: Tone) -> Style {
    match tone {
        Tone::Plain => Style::new(),
        Tone::Heading => HEAD,
        Tone::Dim => DIM,
        Tone::Add | Tone::Good => GOOD,
        Tone::Change => NOTE,
        Tone::Remove | Tone::Bad => BAD,
    }
}
