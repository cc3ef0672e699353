//! Empty computed blocks become null: checks the relation between a value and the result (C01, C02).

use super::id::Id;
use super::place::Place;
use super::sets::{compare, elements, hold_canonical};
use super::verdict::{Verdict, show};
use planfuzz_core::schema::{Block, NestedBlock, Nesting};
use planfuzz_core::value::{Node, Step, Text, Type, ValueRef};

/// The result of looking up a path among the blocks of a schema (S63).
#[derive(Clone, Copy)]
pub(super) enum BlockLookup<'s> {
    /// No block; the search goes on in this one.
    In(&'s Block),
    /// This block, if the path ends here.
    At(&'s NestedBlock),
    /// No block, wherever the path continues.
    Nothing,
}

impl<'s> BlockLookup<'s> {
    fn attribute(self, name: &Text) -> BlockLookup<'s> {
        match self.deeper() {
            BlockLookup::In(block) => block.block_types.get(name).map_or(BlockLookup::In(block), BlockLookup::At),
            other => other,
        }
    }

    /// A step that is no attribute step, or the first half of one that is.
    fn deeper(self) -> BlockLookup<'s> {
        match self {
            BlockLookup::At(nested) if nested.block.block_types.is_empty() => BlockLookup::Nothing,
            BlockLookup::At(nested) => BlockLookup::In(&nested.block),
            other => other,
        }
    }

    fn step(self, step: &Step) -> BlockLookup<'s> {
        match step {
            Step::Attribute(name) => self.attribute(name),
            _ => self.deeper(),
        }
    }

    fn is_computed_collection(self) -> bool {
        let is_collection = |mode| matches!(mode, Nesting::List | Nesting::Set | Nesting::Map);
        matches!(self, BlockLookup::At(nested) if nested.block.computed && is_collection(nested.nesting))
    }
}

/// Whether there is a computed block at any depth of a block.
pub(super) fn has_computed(block: &Block) -> bool {
    block.block_types.values().any(|nested| nested.block.computed || has_computed(&nested.block))
}

/// C02: whether a primitive is in the place of a computed block.
pub(super) fn crashes(found: BlockLookup<'_>, value: ValueRef<'_>) -> bool {
    if value.is_present() && found.is_computed_collection() && value.ty().is_primitive() {
        return true;
    }
    !matches!(found, BlockLookup::Nothing) && value.children().any(|(step, child)| crashes(found.step(&step), child))
}

/// C01, at one place.
pub(super) fn prepared(
    verdict: &mut Verdict,
    found: BlockLookup<'_>,
    value: ValueRef<'_>,
    answer: ValueRef<'_>,
    place: &Place<'_>,
) {
    if found.is_computed_collection() && value.is_present() && value.is_empty() {
        verdict.same(Id::C01, place, Some(answer), ValueRef::null(value.ty()));
        return;
    }
    if value.is_empty() || matches!(found, BlockLookup::Nothing) {
        verdict.same(Id::C01, place, Some(answer), value);
        return;
    }
    let holds = answer.ty() == value.ty() && answer.is_present() && same_keys(value, answer);
    if !verdict.hold(Id::C01, place, holds, || format!("expected the parts of {}, found {}", show(value), show(answer)))
    {
        return;
    }
    if matches!(value.ty(), Type::Set(_)) {
        return set(verdict, found, value, answer, place);
    }
    for ((step, part), (_, answer)) in value.children().zip(answer.children()) {
        let at = match &step {
            Step::Attribute(name) => place.attribute(name),
            Step::Key(key) => place.key(key),
            Step::Index(index) => place.index(usize::try_from(*index).unwrap_or(usize::MAX)),
            Step::Element(_) => place.element(part),
        };
        prepared(verdict, found.step(&step), part, answer, &at);
    }
}

fn set(verdict: &mut Verdict, found: BlockLookup<'_>, value: ValueRef<'_>, answer: ValueRef<'_>, place: &Place<'_>) {
    if !verdict.is_quiet() {
        hold_canonical(verdict, answer, place);
    }
    let (values, answers) = (elements(value), elements(answer));
    let comparison = compare(values.len(), &answers, |result, element| {
        verdict.quietly(|verdict| prepared(verdict, found.deeper(), values[result], element, &Place::ROOT))
    });
    let is_equal = comparison.is_equal() || verdict.is_exhausted();
    verdict.hold(Id::C01, place, is_equal, || {
        format!("expected what preparing the elements of {} makes, found {}", show(value), show(answer))
    });
}

/// Whether the children of two values of one type pair up, for all but sets.
fn same_keys(a: ValueRef<'_>, b: ValueRef<'_>) -> bool {
    match (a.node(), b.node()) {
        (Node::Map(a), Node::Map(b)) => a.keys() == b.keys(),
        _ => matches!(a.ty(), Type::Set(_)) || a.len() == b.len(),
    }
}
