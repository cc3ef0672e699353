//! The shrinker: a smaller case of the same bucket.
//!
//! It edits the document of a case, not the case: a document that no longer reads as a case, or has become invalid, is no candidate
//! and costs no call. So the shrinker does not depend on operations, and handles later formats. Every accepted step makes the
//! document smaller by its size, so it ends; the caller limits the number of calls.
//!
//! Passes that remove much come before passes that only improve readability: members of the schema with
//! all their values, inner objects in place of the outer one, parts of values, types, modes and flags,
//! and last names and texts.

mod document;
pub mod edit;
mod expressions;
mod files;
mod model;
mod names;
mod place;
mod scenario;
mod scenarios;
mod schema;
mod shape;
mod size;
mod type_edit;
mod types;
mod values;
mod wire;
mod workspaces;

#[cfg(test)]
mod scenario_tests;
#[cfg(test)]
mod tests;

use planfuzz_core::json::Json;

use crate::case::{Call, Case, CaseFile, SchemaCall, Task};
use document::without_needless_types;
use shape::Shape;
use size::Size;

/// The result of shrinking.
#[derive(Clone, Debug)]
pub struct Shrunk {
    /// The smallest case found.
    pub case: Case,
    /// How often the check was called.
    pub calls: u64,
}

/// Candidates that are built for each call allowed: most candidates are refused without a call.
const CANDIDATES_PER_CALL: u64 = 20;

/// Makes a case smaller while `holds` stays true of it, calling it at most `budget` times.
///
/// `holds` is taken to be true of the case itself and is not called with it.
pub fn shrink(case: &Case, budget: u64, holds: &mut dyn FnMut(&Case) -> bool) -> Shrunk {
    shrink_until(case, budget, &|| false, holds)
}

/// As [`shrink`], but stops when `is_over` returns true: no candidate is built after that.
pub fn shrink_until(
    case: &Case,
    budget: u64,
    is_over: &dyn Fn() -> bool,
    holds: &mut dyn FnMut(&Case) -> bool,
) -> Shrunk {
    if let Task::Call(Call::Workspace(_)) = &case.task {
        return workspaces::shrink(case, budget, is_over, holds);
    }
    if let Task::Call(Call::File(_)) = &case.task {
        return files::shrink(case, budget, is_over, holds);
    }
    let mut document = wire::opened(case);
    scenario::expand(&mut document);
    let mut shrinker = Shrinker {
        size: size_of(&document),
        was_valid: is_valid(case),
        shape: Shape::of(case),
        best: case.clone(),
        document,
        calls: 0,
        budget,
        candidates: budget.saturating_mul(CANDIDATES_PER_CALL),
        is_over,
        holds,
    };
    loop {
        let before = shrinker.size.clone();
        names::plain_dialect(&mut shrinker);
        scenarios::simplify(&mut shrinker);
        expressions::simplify(&mut shrinker);
        schema::remove_members(&mut shrinker);
        schema::hoist(&mut shrinker);
        schema::inline(&mut shrinker);
        values::simplify(&mut shrinker);
        types::simplify(&mut shrinker);
        names::simplify(&mut shrinker);
        if shrinker.size == before || shrinker.is_spent() {
            break;
        }
    }
    Shrunk { case: shrinker.best, calls: shrinker.calls }
}

/// A case that is being shrunk.
struct Shrinker<'a> {
    best: Case,
    document: Json,
    size: Size,
    was_valid: bool,
    /// The oddities of the first case: no candidate may have others.
    shape: Shape,
    calls: u64,
    budget: u64,
    candidates: u64,
    is_over: &'a dyn Fn() -> bool,
    holds: &'a mut dyn FnMut(&Case) -> bool,
}

impl Shrinker<'_> {
    /// Accepts a candidate if it is smaller than the best, is a case, is as valid as the first one was, and `holds` is true of it.
    fn offer(&mut self, document: Json) -> bool {
        if self.is_spent() {
            return false;
        }
        self.candidates -= 1;
        let Some((document, case)) = read(document) else { return false };
        let size = size_of(&document);
        if size >= self.size || self.was_valid && !is_valid(&case) || !Shape::of(&case).is_within(&self.shape) {
            return false;
        }
        self.calls += 1;
        let holds = (self.holds)(&case);
        if holds {
            (self.best, self.document, self.size) = (case, document, size);
        }
        holds
    }

    /// Offers the document after an edit.
    fn offer_edit(&mut self, edit: impl FnOnce(&mut Json)) -> bool {
        if self.is_spent() {
            return false;
        }
        let mut document = self.document.clone();
        edit(&mut document);
        self.offer(document)
    }

    fn is_spent(&self) -> bool {
        self.calls >= self.budget || self.candidates == 0 || (self.is_over)()
    }

    /// Removes as many of `count` things as it can, in chunks of decreasing size. `without` gives the document
    /// without the things numbered in a range; after a success the things are numbered anew.
    fn remove_chunks(
        &mut self,
        count: impl Fn(&Json) -> usize,
        without: impl Fn(&Json, std::ops::Range<usize>) -> Option<Json>,
    ) {
        let mut chunk = count(&self.document);
        while chunk > 0 && !self.is_spent() {
            let mut from = 0;
            loop {
                let total = count(&self.document);
                if from >= total || self.is_spent() {
                    break;
                }
                let range = from..total.min(from + chunk);
                let taken = without(&self.document, range).is_some_and(|document| self.offer(document));
                if !taken {
                    from += chunk;
                }
            }
            chunk /= 2;
        }
    }
}

/// The size of a document in the form in which it is written.
fn size_of(document: &Json) -> Size {
    if scenario::is_one(document) { Size::of(&scenario::compact(document)) } else { Size::of(document) }
}

/// The case of a document. Types of values that the schema does not need are removed if the document does not read with them.
fn read(document: Json) -> Option<(Json, Case)> {
    let read = |document: &Json| CaseFile::from_json(&wire::closed(document)?).ok().map(|file| file.case);
    if let Some(case) = read(&document) {
        return Some((document, case));
    }
    let mut plain = document;
    without_needless_types(&mut plain);
    let case = read(&plain)?;
    Some((plain, case))
}

/// Whether the schema of a case is valid in the case's dialect.
fn is_valid(case: &Case) -> bool {
    let schema = match &case.task {
        Task::Merge(merge) => &merge.schema,
        Task::Call(Call::Merge(call)) => call.schema(),
        Task::Call(Call::Instance(call)) => call.schema(),
        Task::Call(Call::Scenario(scenario)) => &scenario.schema,
        Task::Call(Call::Schema(
            SchemaCall::SchemaType { schema }
            | SchemaCall::EmptyValue { schema }
            | SchemaCall::Coerce { schema, .. }
            | SchemaCall::SensitivePaths { schema, .. }
            | SchemaCall::WriteOnlyPaths { schema, .. },
        )) => schema,
        Task::Call(Call::Expression(call)) => return expressions::is_valid(call),
        Task::Call(
            Call::Schema(SchemaCall::ValidateSchema { .. })
            | Call::Value(_)
            | Call::File(_)
            | Call::Provider(_)
            | Call::Workspace(_)
            | Call::WorkspaceRun(_),
        ) => {
            return true;
        }
    };
    schema.problems(case.dialect).is_empty()
}
