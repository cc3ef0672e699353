//! Finds out whether a plan call is the second one, which Core makes while it applies.
//!
//! A request does not say in which walk it is made. A call counts as the second if an earlier call, since the last creation or update, had
//! the same prior state and the same configuration, except that unknowns may be known now.

use planfuzz_core::planner::PlanChange;
use planfuzz_core::value::{Node, Type, Value, ValueRef};

/// The first plan calls since the last creation or update, for creations and for updates.
#[derive(Clone, Debug, Default)]
pub(super) struct Plans {
    create: Option<First>,
    update: Option<First>,
}

/// A first plan call with its configuration and result.
#[derive(Clone, Debug)]
pub(super) struct First {
    prior: Value,
    config: Value,
    /// The planned object, including the effects of faults.
    pub(super) planned: Value,
}

impl Plans {
    /// The first call, if `request` is the second.
    pub(super) fn first(&self, request: &PlanChange) -> Option<&First> {
        let first = if request.prior.is_null() { &self.create } else { &self.update };
        first
            .as_ref()
            .filter(|first| first.prior == request.prior && settles(first.config.view(), request.config.view()))
    }

    /// Remembers a first call.
    pub(super) fn remember(&mut self, request: &PlanChange, planned: &Value) {
        let first = First { prior: request.prior.clone(), config: request.config.clone(), planned: planned.clone() };
        let slot = if request.prior.is_null() { &mut self.create } else { &mut self.update };
        *slot = Some(first);
    }

    /// Forgets the first calls after a creation or update: the next call is a first one again.
    pub(super) fn forget(&mut self) {
        *self = Plans::default();
    }
}

/// Whether `known` equals `open` except that unknowns may be replaced.
pub(super) fn settles(open: ValueRef<'_>, known: ValueRef<'_>) -> bool {
    if open.is_unknown() {
        return true;
    }
    match (open.node(), known.node()) {
        (Node::Seq(_), Node::Seq(_)) if matches!((open.ty(), known.ty()), (Type::Set(_), Type::Set(_))) => {
            !open.is_wholly_known() || open.to_value() == known.to_value()
        }
        (Node::Seq(a), Node::Seq(b)) => a.len() == b.len() && same_children(open, known),
        (Node::Map(a), Node::Map(b)) => a.keys() == b.keys() && same_children(open, known),
        _ => open.is_null() && known.is_null() || open.to_value() == known.to_value(),
    }
}

fn same_children(open: ValueRef<'_>, known: ValueRef<'_>) -> bool {
    open.children().zip(known.children()).all(|((_, open), (_, known))| settles(open, known))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(elements: Vec<Value>) -> Value {
        Value::list(&Type::String, elements).expect("one type")
    }

    #[test]
    fn unknowns_are_settled_by_anything_and_known_parts_by_themselves() {
        let open = list(vec![Value::string("a"), Value::unknown(Type::String)]);
        assert!(settles(open.view(), list(vec![Value::string("a"), Value::string("b")]).view()));
        assert!(settles(open.view(), open.view()));
        assert!(!settles(open.view(), list(vec![Value::string("b"), Value::string("b")]).view()));
        assert!(!settles(open.view(), list(vec![Value::string("a")]).view()));
        assert!(!settles(open.view(), Value::null(Type::list(Type::String)).view()));
    }
}
