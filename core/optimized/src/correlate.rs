//! AC15: sets compared element with element, in time linear in their sizes but for elements that stay ambiguous.
//!
//! Only two counts are observable (H07): planned elements without a partner, and if there are none, actual ones. Where a
//! planned element is firm, "no violation" is equality (AC22), so partners are found by hash; where some of its members
//! are firm, they must be equal in any partner, so candidates are found by the hash of those. A candidate is always
//! confirmed by the relation itself. An element that may go with many partners is tried against those that have none yet.

use planfuzz_core::planner::Refusal;
use planfuzz_core::schema::Nesting;
use planfuzz_core::value::{Node, Type, ValueRef};

use super::compatible::{Compare, Compared, Pair};
use super::here::Here;
use super::partners::Partners;
use super::program::{Inner, Kind, Member, Object, has_number, part};
use super::same::{equal_unrefined, identical};

/// The relation by which two elements are partners.
#[derive(Clone, Copy)]
pub(super) enum Relation<'a> {
    /// AC11 finds no violation; `risky`: whether numbers inside could make equal sets look different (V51).
    Value { planned: &'a Type, actual: &'a Type, risky: bool },
    /// AC01 finds no violation.
    Block { object: &'a Object, planned: &'a Type, actual: &'a Type },
}

/// The parts of a planned element that any partner must repeat exactly.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Firm {
    /// All of it.
    Whole,
    /// The members whose bits are set.
    Members(u64),
}

impl Firm {
    pub(super) const NOTHING: Firm = Firm::Members(0);
    pub(super) const BITS: usize = 64;
}

impl Compare {
    /// AC11 i.
    pub(super) fn set_of_values(&mut self, pair: Pair<'_>, here: &Here<'_>) -> Compared {
        let (Some(planned), Some(actual)) = (pair.planned.ty().element(), pair.actual.ty().element()) else {
            return Ok(());
        };
        let risky = planned.has_set() && has_number(planned);
        self.correlate(Relation::Value { planned, actual, risky }, pair, here)
    }

    /// AC20 for sets; both are known and not null.
    pub(super) fn set_of_blocks(&mut self, object: &Object, pair: Pair<'_>, here: &Here<'_>) -> Compared {
        // While correlating, the engine reads the entries of unknown map blocks of some pair and crashes; this refuses.
        if object.holds.map_blocks && !pair.actual.is_wholly_known() {
            let elements = pair.planned.node().parts();
            if pair
                .actual
                .node()
                .parts()
                .iter()
                .any(|v| elements.iter().any(|p| reads_unknown_map(object, p, v, self.computed_blocks)))
            {
                return Err(here.refuse("AC20", "entries of an unknown map of blocks are read"));
            }
        }
        let (planned, actual) = (pair.planned.ty().element(), pair.actual.ty().element());
        let (planned, actual) = (planned.unwrap_or(&object.ty), actual.unwrap_or(&object.ty));
        self.correlate(Relation::Block { object, planned, actual }, pair, here)
    }

    fn correlate(&mut self, relation: Relation<'_>, pair: Pair<'_>, here: &Here<'_>) -> Compared {
        let may_hold = relation.holds_by_equality() && pair.actual.is_wholly_known();
        if may_hold && pair.is_shared() && pair.planned.ty() == pair.actual.ty() {
            return Ok(());
        }
        let (planned, actual) = (pair.planned.node().parts(), pair.actual.node());
        let alike = if may_hold { alike(planned, actual.parts()) } else { 0 };
        if may_hold && alike == planned.len().max(actual.parts().len()) && pair.planned.ty() == pair.actual.ty() {
            return Ok(());
        }
        let mut partners = Partners::new(relation, actual);
        // A walk along equal sets finds all partners, so the sets need not be compared first.
        if may_hold && !partners.walks && equal_unrefined(pair.planned, pair.actual) {
            return Ok(());
        }
        let mut alone = 0;
        for element in partners.walk(planned, alike) {
            alone += usize::from(!partners.find(self, element)?);
        }
        if alone == 0 {
            alone = partners.count_lonely();
        }
        for _ in 0..alone + usize::from(planned.len() < actual.parts().len()) {
            self.violation(here, "AC15");
        }
        Ok(())
    }
}

/// The number of elements that are the same at the start of both sets (V52 puts both into one order).
fn alike(planned: &[Node], actual: &[Node]) -> usize {
    planned.iter().zip(actual).take_while(|(planned, actual)| identical(planned, actual)).count()
}

impl Relation<'_> {
    /// Whether equal sets without unknowns need no correlation (AC22).
    fn holds_by_equality(self) -> bool {
        match self {
            Relation::Value { .. } => true,
            Relation::Block { object, .. } => !object.holds.computed_blocks,
        }
    }

    pub(super) fn holds(self, compare: &mut Compare, planned: &Node, actual: &Node) -> Result<bool, Refusal> {
        compare.probe(|compare| match self {
            Relation::Value { planned: planned_ty, actual: actual_ty, .. } => compare.conforming(
                Pair::new(ValueRef::new(planned_ty, planned), ValueRef::new(actual_ty, actual)),
                &Here::Root,
            ),
            Relation::Block { object, planned: planned_ty, actual: actual_ty } => compare.block(
                object,
                Pair::new(ValueRef::new(planned_ty, planned), ValueRef::new(actual_ty, actual)),
                &Here::Root,
            ),
        })
    }

    /// H07: the parts of a planned element that are compared by equality.
    pub(super) fn firm(self, planned: &Node) -> Firm {
        match self {
            Relation::Value { planned: ty, risky, .. } => {
                if ty.has_dynamic() {
                    return Firm::NOTHING;
                }
                match firm_members(planned, |_, part| is_firm(part, risky)) {
                    // An element of a set has no place that its partner's would have to equal.
                    Firm::Members(_) if matches!(ty, Type::Set(_)) => Firm::NOTHING,
                    firm => firm,
                }
            }
            Relation::Block { object, .. } => {
                let unknown = planned.contents().has_unknown();
                if object.holds.dynamic || (object.holds.computed_blocks && unknown) {
                    return Firm::NOTHING;
                }
                firm_members(planned, |index, part| {
                    object.members.get(index).is_some_and(|member| member_is_firm(member, part))
                })
            }
        }
    }

    /// Whether all of a planned element is firm.
    pub(super) fn is_whole(self, planned: &Node) -> bool {
        match (self, planned) {
            (Relation::Block { object, .. }, Node::Seq(seq)) if object.is_flat() => {
                let contents = seq.contents();
                !contents.has_unknown() && (contents.has_plain_numbers() || self.firm(planned) == Firm::Whole)
            }
            _ => self.firm(planned) == Firm::Whole,
        }
    }

    /// Whether an actual element can be the partner of planned ones whose firm parts it does not repeat: where blocks are
    /// null or unknown (AC20).
    pub(super) fn is_loose(self, actual: &Node) -> bool {
        match self {
            Relation::Value { .. } => false,
            Relation::Block { object, .. } if object.is_flat() => actual.is_unknown(),
            Relation::Block { object, .. } => object.holds.dynamic || has_vague_block(object, actual),
        }
    }
}

fn firm_members(element: &Node, firm: impl Fn(usize, &Node) -> bool) -> Firm {
    match element {
        Node::Unknown(_) => Firm::NOTHING,
        Node::Seq(seq) => {
            let mut whole = true;
            let mut bits = 0;
            for (index, part) in seq.as_slice().iter().enumerate() {
                let is_firm = firm(index, part);
                whole &= is_firm;
                if is_firm && index < Firm::BITS {
                    bits |= 1 << index;
                }
            }
            if whole { Firm::Whole } else { Firm::Members(bits) }
        }
        Node::Map(map) => {
            if map.values.as_slice().iter().all(|part| firm(0, part)) {
                Firm::Whole
            } else {
                Firm::NOTHING
            }
        }
        _ => Firm::Whole,
    }
}

fn is_firm(node: &Node, risky: bool) -> bool {
    let contents = node.contents();
    !contents.has_unknown() && (!risky || contents.has_plain_numbers())
}

fn member_is_firm(member: &Member, node: &Node) -> bool {
    let Kind::Block(inner) = &member.kind else {
        return is_firm(node, member.ty.has_set() && has_number(&member.ty));
    };
    block_is_firm(inner, node)
}

fn block_is_firm(inner: &Inner, node: &Node) -> bool {
    let object = |node: &Node| {
        !node.is_unknown()
            && inner.object.members.iter().zip(node.parts()).all(|(member, node)| member_is_firm(member, node))
    };
    match (inner.mode, node) {
        (_, Node::Unknown(_)) | (Nesting::Map, _) => false,
        (Nesting::Single | Nesting::Group, _) => object(node),
        (_, Node::Null) => false,
        (_, list) => list.parts().iter().all(object),
    }
}

/// Whether a block inside, or the element itself, is unknown, or is null where AC20 takes that for anything.
fn has_vague_block(object: &Object, node: &Node) -> bool {
    if node.is_unknown() {
        return true;
    }
    object.members.iter().zip(node.parts()).any(|(member, node)| match &member.kind {
        Kind::Leaf | Kind::Nested(_) => false,
        Kind::Block(inner) => match (inner.mode, node) {
            (_, Node::Unknown(_)) => true,
            (Nesting::Single | Nesting::Group, _) => has_vague_block(&inner.object, node),
            (_, Node::Null) => true,
            (_, blocks) => blocks.parts().iter().any(|node| has_vague_block(&inner.object, node)),
        },
    })
}

/// Whether the comparison of two elements reaches an unknown map block of the actual one (AC20). Where blocks may be
/// computed, one of them may end the comparison before (C10).
fn reads_unknown_map(object: &Object, planned: &Node, actual: &Node, computed: bool) -> bool {
    if planned.is_null() || actual.is_null() {
        return false;
    }
    for (index, member) in object.members.iter().enumerate() {
        let Kind::Block(inner) = &member.kind else { continue };
        let (planned, actual) = (part(planned, index), part(actual, index));
        let ends = (actual.is_null() && inner.mode != Nesting::Single) || planned.is_unknown();
        if computed && inner.computed && ends {
            return false;
        }
        if inner_reads_unknown_map(inner, planned, actual, computed) {
            return true;
        }
    }
    false
}

fn inner_reads_unknown_map(inner: &Inner, planned: &Node, actual: &Node, computed: bool) -> bool {
    if !inner.object.holds.map_blocks && inner.mode != Nesting::Map {
        return false;
    }
    let vague = |node: &Node| node.is_null() || node.is_unknown();
    let deeper = |planned: &Node, actual: &Node| reads_unknown_map(&inner.object, planned, actual, computed);
    match inner.mode {
        Nesting::Single | Nesting::Group => deeper(planned, actual),
        _ if vague(planned) || actual.is_null() => false,
        Nesting::Map if actual.is_unknown() => true,
        _ if actual.is_unknown() => false,
        Nesting::Set => planned.parts().iter().any(|p| actual.parts().iter().any(|v| deeper(p, v))),
        _ if planned.parts().len() != actual.parts().len() => false,
        Nesting::List => planned.parts().iter().zip(actual.parts()).any(|(p, v)| deeper(p, v)),
        Nesting::Map => match (planned, actual) {
            (Node::Map(planned), Node::Map(actual)) => {
                let mut entries = planned.keys().iter().zip(planned.values.as_slice());
                entries.any(|(key, p)| actual.get(key).is_some_and(|v| deeper(p, v)))
            }
            _ => false,
        },
    }
}
