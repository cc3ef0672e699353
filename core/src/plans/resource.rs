//! Changes of resource instances (PL10, PL11) and their legs (PL20 to PL23).

use super::action::Action;
use super::change::Change;
use super::marked::Marked;
use super::reason::ActionReason;
use crate::state::{DeposedKey, Private};
use crate::value::{PathSet, Text};

/// A change of an object of a resource instance (PL10), without its address: the answer of a planner, which plans one
/// instance at a time. In a plan it is part of an [`AddressedChange`](super::AddressedChange), and `A` is an address.
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceInstanceChange<V = Marked, A = Text> {
    /// The address before moves; `None` if the instance was not moved (PL11).
    pub moved_from: Option<A>,
    /// The deposed object that changes; `None` for the current one.
    pub deposed: Option<DeposedKey>,
    /// The change.
    pub change: Change<V>,
    /// The reason, for people (PL12).
    pub reason: ActionReason,
    /// The paths that make this a replacement; empty for other actions (PL10).
    pub required_replace: PathSet,
    /// The private data that the provider gets back in the apply.
    pub private: Private,
}

impl<A: Clone> ResourceInstanceChange<Marked, A> {
    /// The part of the change that one leg of an apply does: the destruction, or all else (PL20).
    ///
    /// A new change keeps the deposed key, the private data and the import, and drops reason, required replacements and the
    /// address before moves (PL22).
    #[must_use]
    pub fn simplify(&self, destroying: bool) -> Self {
        let Change { action, before, after, importing: _ } = &self.change;
        let null_like = |marked: &Marked| Marked::null(marked.value().ty().clone());
        match (action, destroying) {
            (Action::Delete, true) => self.clone(),
            (Action::Delete, false) => self.leg(Action::NoOp, before.clone(), before.clone()),
            (Action::DeleteThenCreate | Action::CreateThenDelete, true) => {
                self.leg(Action::Delete, before.clone(), null_like(before))
            }
            (Action::DeleteThenCreate | Action::CreateThenDelete | Action::ForgetThenCreate, false) => {
                self.leg(Action::Create, null_like(after), after.clone())
            }
            (_, true) => self.leg(Action::NoOp, before.clone(), before.clone()),
            (_, false) => self.clone(),
        }
    }

    fn leg(&self, action: Action, before: Marked, after: Marked) -> Self {
        ResourceInstanceChange {
            moved_from: None,
            deposed: self.deposed.clone(),
            change: Change { action, before, after, importing: self.change.importing.clone() },
            reason: ActionReason::None,
            required_replace: PathSet::EMPTY,
            private: self.private.clone(),
        }
    }
}

impl<V, A> ResourceInstanceChange<V, A> {
    /// The same fields around another change.
    pub(super) fn with<W>(&self, change: Change<W>) -> ResourceInstanceChange<W, A>
    where
        A: Clone,
    {
        ResourceInstanceChange {
            moved_from: self.moved_from.clone(),
            deposed: self.deposed.clone(),
            change,
            reason: self.reason,
            required_replace: self.required_replace.clone(),
            private: self.private.clone(),
        }
    }

    /// Whether this change has no effect (PL40): no action, no move, no import.
    pub fn is_empty(&self) -> bool {
        self.change.action == Action::NoOp && self.moved_from.is_none() && self.change.importing.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Value;

    fn change(action: Action) -> ResourceInstanceChange {
        ResourceInstanceChange {
            moved_from: Some("a.b".into()),
            deposed: None,
            change: Change {
                action,
                before: Marked::plain(Value::string("before")),
                after: Marked::plain(Value::string("after")),
                importing: None,
            },
            reason: ActionReason::ReplaceByRequest,
            required_replace: PathSet::EMPTY,
            private: Private::from(b"p".as_slice()),
        }
    }

    /// Action, whether before and after are null, whether the fields of PL22 are kept.
    fn summary(action: Action, destroying: bool) -> (Action, bool, bool, bool) {
        let leg = change(action).simplify(destroying);
        let twice = leg.simplify(destroying);
        assert_eq!(twice.change.action, leg.change.action, "PL23");
        assert!(twice.change.before.raw_equals(&leg.change.before) && twice.change.after.raw_equals(&leg.change.after));
        assert_eq!(leg.private, change(action).private);
        (leg.change.action, leg.change.before.is_null(), leg.change.after.is_null(), leg.moved_from.is_some())
    }

    #[test]
    fn pl20_pl22_pl23_legs() {
        for action in Action::ALL.iter().copied() {
            let (destroying, otherwise) = (summary(action, true), summary(action, false));
            let itself = (action, false, false, true);
            let (want_destroying, want_otherwise) = match action {
                Action::Delete => (itself, (Action::NoOp, false, false, false)),
                Action::DeleteThenCreate | Action::CreateThenDelete => {
                    ((Action::Delete, false, true, false), (Action::Create, true, false, false))
                }
                Action::ForgetThenCreate => ((Action::NoOp, false, false, false), (Action::Create, true, false, false)),
                _ => ((Action::NoOp, false, false, false), itself),
            };
            assert_eq!(destroying, want_destroying, "{action} destroying");
            assert_eq!(otherwise, want_otherwise, "{action}");
        }
    }
}
