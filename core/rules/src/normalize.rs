//! Objects from the legacy SDK, as a relation between the object and its normal form (LN01 to LN04).

use super::id::Id;
use super::place::Place;
use super::sets::{compare, elements, hold_canonical};
use super::shape::{BlockShape, NestedShape, has_width};
use super::verdict::{Verdict, show};
use planfuzz_core::schema::Nesting;
use planfuzz_core::value::{Type, ValueRef, raw_equals};

/// LN01: an object and its normal form.
pub(super) fn object(
    verdict: &mut Verdict,
    block: &BlockShape<'_>,
    value: ValueRef<'_>,
    answer: ValueRef<'_>,
    place: &Place<'_>,
) {
    if value.is_null() {
        verdict.same(Id::LN01, place, Some(answer), ValueRef::null(&block.ty));
        return;
    }
    let holds = answer.is_present() && has_width(answer, block.width());
    if !verdict.hold(Id::LN01, place, holds, || format!("expected an object, found {}", show(answer))) {
        return;
    }
    for field in &block.attributes {
        if let (Some(value), Some(answer)) = (field.of(value), field.of(answer)) {
            verdict.same(Id::LN01, &place.attribute(field.name), Some(answer), value);
        }
    }
    for field in &block.blocks {
        if verdict.is_settled() {
            return;
        }
        if let (Some(value), Some(answer)) = (field.of(value), field.of(answer)) {
            nested_block(verdict, &field.of, value, answer, &place.attribute(field.name));
        }
    }
}

/// LN02.
fn nested_block(
    verdict: &mut Verdict,
    nested: &NestedShape<'_>,
    value: ValueRef<'_>,
    answer: ValueRef<'_>,
    place: &Place<'_>,
) {
    let is_collection = matches!(nested.nesting, Nesting::List | Nesting::Set);
    if nested.block.ty.has_dynamic() || nested.nesting == Nesting::Map {
        verdict.same(Id::LN02, place, Some(answer), value);
    } else if value.is_unknown() {
        placeholder(verdict, nested, answer, place);
    } else if is_collection && value.is_null() {
        let holds = answer.is_present() && answer.is_empty() && answer.ty().conforms_to(&value.ty().strip_optional());
        verdict.hold(Id::LN02, place, holds, || format!("expected an empty collection, found {}", show(answer)));
    } else if is_collection {
        collection(verdict, nested, value, answer, place);
    } else if value.is_null() {
        let want = if nested.nesting == Nesting::Group { nested.block.empty.view() } else { value };
        verdict.same(Id::LN02, place, Some(answer), want);
    } else {
        object(verdict, &nested.block, value, answer, place);
    }
}

/// LN01 on each element.
fn collection(
    verdict: &mut Verdict,
    nested: &NestedShape<'_>,
    value: ValueRef<'_>,
    answer: ValueRef<'_>,
    place: &Place<'_>,
) {
    let is_set = nested.nesting == Nesting::Set;
    let normal = types::of_collection(nested, value);
    let holds = answer.is_present() && normal.as_ref() == Some(answer.ty()) && (is_set || answer.len() == value.len());
    if normal.is_none() {
        return verdict.crash(Id::V08, place, true, "elements come out with different types");
    }
    let message = || format!("expected a collection of {} elements, found {}", value.len(), show(answer));
    if !verdict.hold(Id::LN02, place, holds, message) {
        return;
    }
    let (values, answers) = (elements(value), elements(answer));
    if !is_set {
        for (index, (value, answer)) in values.into_iter().zip(answers).enumerate() {
            object(verdict, &nested.block, value, answer, &place.index(index));
        }
        return;
    }
    if !verdict.is_quiet() {
        hold_canonical(verdict, answer, place);
    }
    let comparison = compare(values.len(), &answers, |result, element| {
        verdict.quietly(|verdict| object(verdict, &nested.block, values[result], element, &Place::ROOT))
    });
    let is_equal = comparison.is_equal() || verdict.is_exhausted();
    verdict.hold(Id::LN02, place, is_equal, || {
        format!("expected what normalising the elements makes, found {}", show(answer))
    });
}

/// The placeholder for an unknown block: a stub, or a collection of one.
fn placeholder(verdict: &mut Verdict, nested: &NestedShape<'_>, answer: ValueRef<'_>, place: &Place<'_>) {
    match nested.nesting {
        Nesting::Single | Nesting::Group => stub(verdict, &nested.block, answer, place),
        Nesting::List | Nesting::Set => {
            let holds = answer.is_present() && answer.len() == 1;
            let only = answer.element(0);
            verdict.hold(Id::LN03, place, holds, || format!("expected one stub, found {}", show(answer)));
            if let (true, Some(only)) = (holds, only) {
                let at = if nested.nesting == Nesting::Set { place.element(only) } else { place.index(0) };
                stub(verdict, &nested.block, only, &at);
            }
        }
        Nesting::Map => {
            let holds = answer.is_present() && answer.is_empty() && matches!(answer.ty(), Type::Map(_));
            verdict.hold(Id::LN03, place, holds, || format!("expected an empty map, found {}", show(answer)));
        }
    }
}

/// LN03.
fn stub(verdict: &mut Verdict, block: &BlockShape<'_>, answer: ValueRef<'_>, place: &Place<'_>) {
    let holds = answer.is_present() && *answer.ty() == types::of_stub(block);
    if !verdict.hold(Id::LN03, place, holds, || format!("expected a stub, found {}", show(answer))) {
        return;
    }
    for field in &block.attributes {
        let Some(member) = field.of(answer) else { continue };
        if field.of.nested.is_some() {
            // Upstream builds a broken value here.
            verdict.leave_open();
            continue;
        }
        let holds = raw_equals(member, ValueRef::unknown(member.ty()));
        let at = place.attribute(field.name);
        verdict.hold(Id::LN03, &at, holds, || format!("expected a plain unknown, found {}", show(member)));
    }
    for field in &block.blocks {
        if let Some(member) = field.of(answer) {
            placeholder(verdict, &field.of, member, &place.attribute(field.name));
        }
    }
}

/// Checks whether a refusal is justified: by a broken stub, or by elements of different types.
pub(super) fn refusal(verdict: &mut Verdict, block: &BlockShape<'_>, value: ValueRef<'_>) {
    if makes_broken_stub(block, value) {
        return verdict.leave_open();
    }
    if types::of_object(block, value).is_none() {
        verdict.crash(Id::V08, &Place::ROOT, false, "elements come out with different types");
    }
}

/// The types of normal forms; `None` if elements have several (V08). They differ from the types of the values only where the schema itself
/// supplies a value (S34).
mod types {
    use super::*;
    use planfuzz_core::value::Text;

    pub(super) fn of_stub(block: &BlockShape<'_>) -> Type {
        if !block.hazards.markers {
            return block.ty.clone();
        }
        let attributes = block.attributes.iter().map(|field| (field.name.clone(), field.of.declared.clone()));
        let blocks = block.blocks.iter().map(|field| (field.name.clone(), around(field.of.nesting, &field.of)));
        Type::object(attributes.chain(blocks))
    }

    /// The type of the stub of a block, or of a collection of one; for a map, of an empty one.
    fn around(nesting: Nesting, nested: &NestedShape<'_>) -> Type {
        match nesting {
            Nesting::Single | Nesting::Group => of_stub(&nested.block),
            Nesting::List => Type::list(of_stub(&nested.block)),
            Nesting::Set => Type::set(of_stub(&nested.block)),
            Nesting::Map => Type::map(nested.block.ty.clone()),
        }
    }

    pub(super) fn of_object(block: &BlockShape<'_>, value: ValueRef<'_>) -> Option<Type> {
        if value.is_null() {
            return Some(block.ty.clone());
        }
        let attribute = |name: &Text, of: Option<ValueRef<'_>>| Some((name.clone(), of?.ty().clone()));
        let attributes = block.attributes.iter().map(|field| attribute(field.name, field.of(value)));
        let blocks =
            block.blocks.iter().map(|field| Some((field.name.clone(), of_block(&field.of, field.of(value)?)?)));
        Some(Type::object(attributes.chain(blocks).collect::<Option<Vec<_>>>()?))
    }

    fn of_block(nested: &NestedShape<'_>, value: ValueRef<'_>) -> Option<Type> {
        let of_schema = nested.block.ty.has_dynamic() || nested.nesting == Nesting::Map;
        match nested.nesting {
            _ if of_schema => Some(value.ty().clone()),
            nesting if value.is_unknown() => Some(around(nesting, nested)),
            Nesting::Group if value.is_null() => Some(nested.block.empty.ty().clone()),
            Nesting::Single if value.is_null() => Some(value.ty().clone()),
            Nesting::Single | Nesting::Group => of_object(&nested.block, value),
            _ => of_collection(nested, value),
        }
    }

    pub(super) fn of_collection(nested: &NestedShape<'_>, value: ValueRef<'_>) -> Option<Type> {
        if !nested.block.hazards.markers {
            return Some(value.ty().clone());
        }
        let mut types = elements(value).into_iter().map(|element| of_object(&nested.block, element));
        let first = types.next().unwrap_or_else(|| Some(nested.block.ty.clone()))?;
        let is_one = types.all(|ty| ty.as_ref() == Some(&first));
        let collection = if nested.nesting == Nesting::Set { Type::set } else { Type::list };
        is_one.then(|| collection(first))
    }
}

/// Whether normalising makes a stub of something with a nested type, which upstream builds broken (LN03).
fn makes_broken_stub(block: &BlockShape<'_>, value: ValueRef<'_>) -> bool {
    if value.is_null() {
        return false;
    }
    block.blocks.iter().any(|field| {
        let nested = &field.of;
        let Some(value) = field.of(value) else { return false };
        if nested.block.ty.has_dynamic() || nested.nesting == Nesting::Map || value.is_null() {
            return false;
        }
        if value.is_unknown() {
            return stub_has_nested_type(&nested.block);
        }
        match nested.nesting {
            Nesting::List | Nesting::Set => {
                elements(value).into_iter().any(|element| makes_broken_stub(&nested.block, element))
            }
            _ => makes_broken_stub(&nested.block, value),
        }
    })
}

fn stub_has_nested_type(block: &BlockShape<'_>) -> bool {
    let inside = |nested: &NestedShape<'_>| nested.nesting != Nesting::Map && stub_has_nested_type(&nested.block);
    block.attributes.iter().any(|field| field.of.nested.is_some()) || block.blocks.iter().any(|field| inside(&field.of))
}
