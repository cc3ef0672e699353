//! The expressions of a run as resources of the engine's own.
//!
//! Problem: a resource costs an engine several times as much as evaluating an expression. Idea: most expressions share a resource, whose
//! input is a tuple of them, and a diagnostic is assigned to an expression by its place in the file. An expression that could spoil its
//! neighbours has a resource and a file to itself: one that may not parse alone, or that may have another meaning in brackets. If a
//! diagnostic names a shared resource without a place in it, its expressions are evaluated apart.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use planfuzz_core::dialect::Engine;
use planfuzz_core::msgpack;
use planfuzz_core::planner::Severity;
use planfuzz_core::plans::file::PlanFile;
use planfuzz_core::value::{Text, Type, Value, WrittenPath, WrittenStep};

use super::super::EngineError;
use super::super::directory::PLAN;
use super::{Question, Reply};
use crate::job::LeftOut;
use crate::output::{Printed, PrintedDiagnostic};

/// How many expressions share a resource. If one has an error, the engine reports no value of the others.
const TOGETHER: usize = 40;

/// The file of the named values.
pub(super) const MAIN: &str = "main.tf";

const UNSTORED: &str = "a value that cannot be stored";
const UNREADABLE: LeftOut = LeftOut::Unreadable("a value that a plan holds");

/// Some expressions in one resource, in a file.
pub(super) struct Piece {
    /// The file and its text.
    pub file: (String, String),
    /// The number and the byte range of each expression.
    members: Vec<(usize, Range<usize>)>,
    /// Whether the input is the expression and not a tuple.
    is_alone: bool,
}

/// The pieces of a run.
pub(super) struct Pieces(pub Vec<Piece>);

/// The errors of a run.
#[derive(Default)]
pub(super) struct AssignedErrors {
    /// The summaries of errors by expression.
    errors: BTreeMap<usize, BTreeSet<String>>,
    /// Expressions of which one has an error, but which one is unknown.
    apart: BTreeSet<usize>,
    /// Whether an error is about the named values, or cannot be assigned.
    is_spoiled: bool,
}

/// The replies of a run, and how to evaluate the other expressions again.
#[derive(Default)]
pub(super) struct RunReplies {
    /// The replies.
    pub replies: Vec<(usize, Reply)>,
    /// Expressions to evaluate apart from others.
    pub apart: BTreeSet<usize>,
}

impl Pieces {
    /// The expressions of these numbers, those of `apart` alone.
    pub fn new(questions: &[Question], heap: &[usize], apart: &BTreeSet<usize>) -> Pieces {
        let is_alone = |number: &&usize| {
            let Question { expression, is_readable, .. } = &questions[**number];
            !is_readable || expression.contains('\n') || apart.contains(*number)
        };
        let (alone, shared): (Vec<usize>, Vec<usize>) = heap.iter().partition(is_alone);
        let mut pieces: Vec<Piece> = alone.iter().map(|number| Piece::new(questions, &[*number], true)).collect();
        pieces.extend(shared.chunks(TOGETHER).map(|numbers| Piece::new(questions, numbers, false)));
        Pieces(pieces)
    }

    /// The printed errors, by expression.
    pub fn assigned_errors(&self, stdout: &[u8]) -> Result<AssignedErrors, EngineError> {
        let printed = Printed::read(stdout);
        if let Some(line) = printed.strange.first() {
            return Err(EngineError::Call(format!("printed {line:?}")));
        }
        let mut assigned = AssignedErrors::default();
        for diagnostic in printed.diagnostics.into_iter().filter(|diagnostic| diagnostic.severity == Severity::Error) {
            self.note(diagnostic, &mut assigned);
        }
        Ok(assigned)
    }

    fn note(&self, diagnostic: PrintedDiagnostic, assigned: &mut AssignedErrors) {
        let unstored = unstored(&diagnostic.summary);
        let of_file = || diagnostic.range.as_ref()?.file.strip_suffix(".tf");
        let of_address = || diagnostic.address.as_deref()?.strip_prefix("terraform_data.");
        let piece = [of_file(), unstored, of_address()].into_iter().flatten().find_map(|name| self.named(name));
        let Some(piece) = piece else {
            let is_main = diagnostic.range.as_ref().is_some_and(|range| range.file == MAIN);
            match self.0.as_slice() {
                [Piece { members, .. }] if !is_main && members.len() == 1 => {
                    assigned.error(members[0].0, diagnostic.summary)
                }
                _ => assigned.is_spoiled = true,
            }
            return;
        };
        let summary = if unstored.is_some() { UNSTORED.to_owned() } else { diagnostic.summary };
        let place = diagnostic.range.filter(|range| range.file == piece.file.0).map(|range| range.start);
        let member = match piece.members.as_slice() {
            [(number, _)] => Some(*number),
            members => place.and_then(|place| members.iter().find(|(_, span)| span.contains(&place))).map(|one| one.0),
        };
        match member {
            Some(number) => assigned.error(number, summary),
            None => assigned.apart.extend(piece.members.iter().map(|(number, _)| number)),
        }
    }

    fn named(&self, name: &str) -> Option<&Piece> {
        self.0.iter().find(|piece| piece.file.0.strip_suffix(".tf") == Some(name))
    }

    /// The replies: errors, and the values of expressions without one.
    pub fn found(
        &self,
        assigned: AssignedErrors,
        plan: Option<&[u8]>,
        engine: Engine,
    ) -> Result<RunReplies, EngineError> {
        let mut found = RunReplies { replies: Vec::new(), apart: assigned.apart };
        if let Some(bytes) = plan {
            let unreadable = |problem: String| EngineError::File { what: "read", name: PLAN, problem };
            let file = PlanFile::read(bytes, engine).map_err(|problem| unreadable(problem.to_string()))?;
            for change in &file.plan.changes {
                let piece = change.addr.strip_prefix("terraform_data.").and_then(|name| self.named(name));
                if let (Some(piece), Some(after)) = (piece, &change.values.after) {
                    found.replies.extend(piece.values(after, &change.values.after_sensitive));
                }
            }
        }
        // If an expression has an error, its planned value does not count.
        found.replies.retain(|(number, _)| !assigned.errors.contains_key(number) && !found.apart.contains(number));
        found.replies.extend(assigned.errors.into_iter().map(
            |(number, summaries)| match summaries.contains(UNSTORED) {
                true => (number, Reply::LeftOut(LeftOut::Unplannable(UNSTORED))),
                false => (number, Reply::Errors(summaries.into_iter().collect())),
            },
        ));
        let replies = &found.replies;
        found.apart.retain(|number| replies.iter().all(|(replied, _)| replied != number));
        Ok(found)
    }
}

impl AssignedErrors {
    fn error(&mut self, number: usize, summary: String) {
        self.errors.entry(number).or_default().insert(summary);
    }

    /// Whether no result of the run can be used.
    pub fn is_spoiled(&self) -> bool {
        self.is_spoiled
    }
}

impl Piece {
    fn new(questions: &[Question], numbers: &[usize], is_alone: bool) -> Piece {
        let name = format!("e{}", numbers.first().copied().unwrap_or_default());
        // The null is needed because a tuple whose first word is `for` is not a tuple.
        let begin = if is_alone { "" } else { "[null,\n" };
        let mut text = format!("resource \"terraform_data\" \"{name}\" {{\n  input = {begin}");
        let mut members = Vec::with_capacity(numbers.len());
        for &number in numbers {
            let from = text.len();
            text.push_str(&questions[number].expression);
            members.push((number, from..text.len()));
            text.push_str(if is_alone { "\n" } else { ",\n" });
        }
        text.push_str(if is_alone { "}\n" } else { "]\n}\n" });
        Piece { file: (format!("{name}.tf"), text), members, is_alone }
    }

    fn values(&self, after: &[u8], sensitive: &[WrittenPath]) -> Vec<(usize, Reply)> {
        let input = input(after);
        let marks: Vec<&[WrittenStep]> = sensitive.iter().filter_map(|path| inside(path)).collect();
        let value = |place: usize| -> Option<Reply> {
            let input = input.as_ref()?;
            if self.is_alone {
                let sensitive = marks.iter().map(|rest| WrittenPath::new(rest.to_vec())).collect();
                return Some(Reply::Value { value: input.clone(), sensitive });
            }
            // The null comes first.
            let place = place + 1;
            let value = input.view().element(place)?.to_value();
            let of_member = |rest: &&[WrittenStep]| match rest.split_first() {
                Some((WrittenStep::Index(index), rest)) if *index == place as u64 => {
                    Some(WrittenPath::new(rest.to_vec()))
                }
                _ => None,
            };
            Some(Reply::Value { value, sensitive: marks.iter().filter_map(of_member).collect() })
        };
        let reply = |place| value(place).unwrap_or(Reply::LeftOut(UNREADABLE));
        self.members.iter().enumerate().map(|(place, (number, _))| (*number, reply(place))).collect()
    }
}

/// The input of a planned resource.
fn input(after: &[u8]) -> Option<Value> {
    let ty = Type::object([
        (Text::new("id"), Type::String),
        (Text::new("input"), Type::Dynamic),
        (Text::new("output"), Type::Dynamic),
        (Text::new("triggers_replace"), Type::Dynamic),
    ]);
    let object = msgpack::decode(after, &ty).ok()?;
    Some(object.view().entry(&Text::new("input"))?.to_value())
}

/// The steps of a path below the input; `None` for other paths.
fn inside(path: &WrittenPath) -> Option<&[WrittenStep]> {
    match path.steps().split_first() {
        Some((WrittenStep::Attribute(name), rest)) if name.as_str() == "input" => Some(rest),
        _ => None,
    }
}

/// The resource whose value cannot be stored, from an engine's error about its plan file: `failed to encode terraform_data.e7 …`.
fn unstored(summary: &str) -> Option<&str> {
    let rest = summary.strip_prefix("failed to encode terraform_data.")?;
    Some(rest.split_once(' ')?.0)
}
