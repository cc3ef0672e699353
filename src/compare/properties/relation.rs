//! Whether one value may come from another: by replacing unknowns, or as AC22 has it.
//!
//! Elements of sets are tried with each other up to a limit; beyond it the relation is left undecided.

use planfuzz_core::schema::Nesting;
use planfuzz_core::value::{Type, ValueRef, raw_equals};

use super::walk::{Kind, Members, elements, part};

/// The most pairs of set elements that are tried for one property.
const MOST_PAIRS: usize = 2000;

/// A comparison with a bound on its work.
pub(super) struct Relation {
    pairs_left: usize,
}

impl Relation {
    pub(super) fn new() -> Relation {
        Relation { pairs_left: MOST_PAIRS }
    }

    /// The answer; `None` if the limit was reached.
    pub(super) fn decided(&self, answer: bool) -> Option<bool> {
        (self.pairs_left > 0).then_some(answer)
    }

    /// Whether `known` comes from `vague` by replacing unknowns, which may make elements of a set equal.
    pub(super) fn arises(&mut self, vague: ValueRef<'_>, known: ValueRef<'_>) -> bool {
        if vague.is_unknown() || (vague.ty() == known.ty() && vague.is_wholly_known() && raw_equals(vague, known)) {
            return true;
        }
        if !vague.is_present() || !known.is_present() {
            return vague.is_null() && known.is_null();
        }
        if matches!((vague.ty(), known.ty()), (Type::Set(_), Type::Set(_))) {
            return self.paired(vague, known, &mut |relation, a, b| relation.arises(a, b));
        }
        if vague.len() != known.len() || !same_kind(vague.ty(), known.ty()) || vague.ty().is_primitive() {
            return false;
        }
        let mut pairs = vague.children().zip(known.children());
        pairs.all(|((a, vague), (b, known))| super::same_step(&a, &b) && self.arises(vague, known))
    }

    /// AC22: whether two wholly known objects are equal, except for what compatibility ignores.
    pub(super) fn lenient(&mut self, members: Members<'_>, planned: ValueRef<'_>, actual: ValueRef<'_>) -> bool {
        if planned.is_null() || actual.is_null() {
            return planned.is_null() && actual.is_null();
        }
        members.each().all(|(name, kind)| {
            let (Some(planned), Some(actual)) = (planned.member(name), actual.member(name)) else { return true };
            match kind {
                Kind::Leaf(_) | Kind::Nested(..) => self.lenient_value(planned, actual),
                Kind::Block(nested) => {
                    self.lenient_block(nested.nesting, Members::Block(&nested.block), planned, actual)
                }
            }
        })
    }

    fn lenient_block(
        &mut self,
        nesting: Nesting,
        members: Members<'_>,
        planned: ValueRef<'_>,
        actual: ValueRef<'_>,
    ) -> bool {
        if matches!(nesting, Nesting::Single | Nesting::Group) {
            return self.lenient(members, planned, actual);
        }
        if planned.is_null() || actual.is_null() {
            return true;
        }
        match nesting {
            Nesting::Set => self.paired(planned, actual, &mut |relation, a, b| relation.lenient(members, a, b)),
            _ if planned.len() != actual.len() => false,
            Nesting::Map if matches!(planned.ty(), Type::Object(_)) => planned.children().all(|(step, planned)| {
                part(actual, &step).is_some_and(|actual| self.lenient(members, planned, actual))
            }),
            // A key that is missing from the actual value, or from one of another kind (M30), is not reported.
            _ => planned
                .children()
                .all(|(step, planned)| part(actual, &step).is_none_or(|actual| self.lenient(members, planned, actual))),
        }
    }

    fn lenient_value(&mut self, planned: ValueRef<'_>, actual: ValueRef<'_>) -> bool {
        if planned.ty().is_dynamic() || raw_equals(planned, actual) {
            return true;
        }
        if planned.is_null() || actual.is_null() {
            return planned.is_null() && actual.is_null();
        }
        if matches!((planned.ty(), actual.ty()), (Type::Set(_), Type::Set(_))) {
            return self.paired(planned, actual, &mut |relation, a, b| relation.lenient_value(a, b));
        }
        same_kind(planned.ty(), actual.ty()) && planned.len() == actual.len() && !planned.ty().is_primitive() && {
            let mut pairs = planned.children().zip(actual.children());
            pairs.all(|((a, planned), (b, actual))| super::same_step(&a, &b) && self.lenient_value(planned, actual))
        }
    }

    /// Whether each element of one set is related to an element of the other, in both directions.
    fn paired<'a>(
        &mut self,
        a: ValueRef<'a>,
        b: ValueRef<'a>,
        related: &mut dyn FnMut(&mut Relation, ValueRef<'a>, ValueRef<'a>) -> bool,
    ) -> bool {
        let mut try_one = |relation: &mut Relation, a, b| {
            relation.pairs_left = relation.pairs_left.saturating_sub(1);
            relation.pairs_left == 0 || related(relation, a, b)
        };
        elements(a).all(|one| elements(b).any(|other| try_one(self, one, other)))
            && elements(b).all(|other| elements(a).any(|one| try_one(self, one, other)))
    }
}

fn same_kind(a: &Type, b: &Type) -> bool {
    std::mem::discriminant(a) == std::mem::discriminant(b)
}
