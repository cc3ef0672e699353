//! The action of a configured instance and its reason (section 10.1).

use planfuzz_core::plans::{Action, ActionReason};
use planfuzz_core::value::{PathSet, Tri, Value, equals};

/// The input of the decision.
pub(super) struct Question<'q> {
    /// The prior, null where there is no object or a tainted one (L33).
    pub prior: &'q Value,
    pub planned: &'q Value,
    /// Whether this instance is in the force-replace set (L92).
    pub forced: bool,
    /// The paths that force a replacement (section 9).
    pub kept: &'q PathSet,
    pub create_before_destroy: bool,
}

/// L90 to L95, L98; for a tainted object it is still a creation (L48).
pub(super) fn decide(question: &Question<'_>) -> (Action, ActionReason) {
    let replacement = replacement(question.create_before_destroy);
    if question.prior.is_null() {
        // L90
        (Action::Create, ActionReason::None)
    } else if question.forced {
        // L92
        (replacement, ActionReason::ReplaceByRequest)
    } else if !question.kept.is_empty() {
        // L93
        (replacement, ActionReason::ReplaceBecauseCannotUpdate)
    } else if equals(question.planned.view(), question.prior.view()) == Tri::True {
        // L94
        (Action::NoOp, ActionReason::None)
    } else {
        // L95
        (Action::Update, ActionReason::None)
    }
}

/// A replacement, in the order that the configuration asks for.
pub(super) fn replacement(create_before_destroy: bool) -> Action {
    if create_before_destroy { Action::CreateThenDelete } else { Action::DeleteThenCreate }
}
