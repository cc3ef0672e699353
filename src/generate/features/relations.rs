//! Relations between the four values of a case.

use planfuzz_core::schema::Nesting;
use planfuzz_core::value::{Node, Number, Type, Value, ValueRef, raw_equals};

use super::super::outline::{AttributeOutline, BlockOutline, MemberKind, NestedBlockOutline, NestedOutline};
use super::Hits;
use super::likeness::{Element, Likeness};
use super::row::{Change, Elements, Feature, Plan, Result};

/// The values at one place: prior, config, planned, actual. Below an absent part all members are null.
#[derive(Clone, Copy)]
struct Four<'v> {
    prior: ValueRef<'v>,
    config: ValueRef<'v>,
    planned: ValueRef<'v>,
    actual: ValueRef<'v>,
}

/// Counts how the four values of a case relate.
pub(super) fn observe(outline: &BlockOutline, [prior, config, planned, actual]: [&Value; 4], hits: &mut Hits) {
    hits.mark_if(Feature::Plan(Plan::Config), planned == config);
    hits.mark_if(Feature::Plan(Plan::Prior), planned == prior);
    hits.mark_if(Feature::Result(Result::Equal), actual == planned);
    hits.mark_if(Feature::Result(Result::Completed), !planned.is_wholly_known() && actual.is_wholly_known());
    hits.mark_if(Feature::Result(Result::StillUnknown), !actual.is_wholly_known());
    let four = Four { prior: prior.view(), config: config.view(), planned: planned.view(), actual: actual.view() };
    Walk { hits, in_map_block: false }.block(outline, four);
}

struct Walk<'h> {
    hits: &'h mut Hits,
    in_map_block: bool,
}

impl<'v> Four<'v> {
    /// The four at a member of an object.
    fn member(self, index: usize, ty: &'v Type) -> Four<'v> {
        let of = |value: ValueRef<'v>| match (value.ty(), value.node()) {
            (Type::Object(object), Node::Seq(seq)) => {
                let known = object.attributes().get(index).zip(seq.as_slice().get(index));
                known.map_or(ValueRef::null(ty), |(attribute, node)| ValueRef::new(&attribute.ty, node))
            }
            (_, Node::Unknown(_)) => ValueRef::unknown(ty),
            _ => ValueRef::null(ty),
        };
        Four { prior: of(self.prior), config: of(self.config), planned: of(self.planned), actual: of(self.actual) }
    }

    /// The four at an element, by the place or key it has in `first`.
    fn element(self, index: usize, ty: &'v Type) -> Four<'v> {
        let of = |value: ValueRef<'v>| match (value.ty(), value.node()) {
            (Type::Map(_) | Type::Object(_), _) => {
                let key = self.config.entries().nth(index).map(|(key, _)| key);
                key.and_then(|key| value.entry(key)).unwrap_or(ValueRef::null(ty))
            }
            _ => value.element(index).unwrap_or(ValueRef::null(ty)),
        };
        Four { prior: of(self.prior), config: of(self.config), planned: of(self.planned), actual: of(self.actual) }
    }
}

impl Walk<'_> {
    fn change(&mut self, change: Change, hit: bool) {
        self.hits.mark_if(Feature::Change(change), hit);
    }

    fn plan(&mut self, plan: Plan, hit: bool) {
        self.hits.mark_if(Feature::Plan(plan), hit);
    }

    fn result(&mut self, result: Result, hit: bool) {
        self.hits.mark_if(Feature::Result(result), hit);
    }

    fn block(&mut self, outline: &BlockOutline, four: Four<'_>) {
        if [four.prior, four.config, four.planned, four.actual].iter().all(|value| !value.is_present()) {
            return;
        }
        for (index, member) in outline.members.iter().enumerate() {
            let four = four.member(index, member.ty());
            match &member.kind {
                MemberKind::Attribute(attribute) => self.attribute(attribute, four),
                MemberKind::Block(nested) => self.blocks(nested, four),
            }
        }
    }

    fn attribute(&mut self, attribute: &AttributeOutline, four: Four<'_>) {
        self.attribute_change(attribute, four);
        self.attribute_plan(attribute, four);
        self.attribute_result(four);
        if let Some(nested) = &attribute.nested {
            self.nested(attribute, nested, four);
        }
    }

    fn attribute_change(&mut self, attribute: &AttributeOutline, four: Four<'_>) {
        let Four { prior, config, .. } = four;
        let both = prior.is_present() && config.is_present();
        let same = both && raw_equals(prior, config);
        self.change(Change::Same, same);
        self.change(Change::Changed, both && !same);
        self.change(Change::TypeChanged, both && attribute.ty.is_dynamic() && prior.ty() != config.ty());
        self.change(Change::Removed, !attribute.computed && prior.is_present() && config.is_null());
        self.change(Change::Added, prior.is_null() && config.is_present());
        self.change(Change::ComputedKept, attribute.computed && prior.is_present() && config.is_null());
        self.change(Change::ComputedNew, attribute.computed && prior.is_null() && config.is_null());
        self.change(Change::UnknownOverPrior, prior.is_present() && config.is_unknown());
    }

    fn attribute_plan(&mut self, attribute: &AttributeOutline, four: Four<'_>) {
        let Four { prior, config, planned, .. } = four;
        let left_out = attribute.computed && config.is_null();
        self.plan(Plan::ComputedUnknown, left_out && planned.is_unknown());
        self.plan(Plan::ComputedValue, left_out && planned.is_present());
        self.plan(Plan::NullForValue, config.is_present() && planned.is_null());
        self.plan(Plan::ValueForNull, !attribute.computed && config.is_null() && planned.is_present());
        self.plan(Plan::ValueForUnknown, config.is_unknown() && planned.is_present());
        if config.is_unknown() && planned.is_unknown() {
            let (before, after) = (config.node().contents().has_record(), planned.node().contents().has_record());
            self.plan(Plan::LosesRecord, before && !after);
            self.plan(Plan::GainsRecord, !before && after);
        }
        let differs = config.is_present() && planned.is_present() && !raw_equals(config, planned);
        let keeps = differs && raw_equals(prior, planned);
        self.plan(Plan::KeepsPrior, keeps);
        self.plan(Plan::KeepsPriorInMap, keeps && self.in_map_block);
        self.plan(Plan::Deviates, differs && !keeps);
        let close = config.as_number().zip(planned.as_number()).is_some_and(|(one, other)| is_close(one, other));
        self.plan(Plan::CloseNumber, close);
        let set = attribute.nested.as_ref().is_some_and(|nested| nested.nesting == Nesting::Set);
        self.plan(Plan::OddUnknownCount, set && config.is_unknown() && planned.is_present());
    }

    fn attribute_result(&mut self, four: Four<'_>) {
        let Four { planned, actual, .. } = four;
        let not_null = matches!(planned.node(), Node::Unknown(Some(record)) if record.not_null);
        self.result(Result::OutsideRecord, not_null && actual.is_null());
        self.result(Result::NullForValue, planned.is_present() && actual.is_null());
        self.result(Result::ValueForNull, planned.is_null() && actual.is_present());
        let infinite = actual.as_number().is_some_and(Number::is_infinite);
        self.result(Result::OpenInfinity, infinite && matches!(planned.node(), Node::Unknown(Some(_))));
        let empty = |value: ValueRef<'_>| value.as_text().is_some_and(|text| text.is_empty());
        let text_for_null = planned.is_null() && empty(actual) || actual.is_null() && empty(planned);
        self.result(Result::TextForNull, text_for_null);
        if planned.is_present() && actual.is_present() && !raw_equals(planned, actual) {
            self.result(Result::Deviates, true);
            self.result(Result::TypeDiffers, planned.ty() != actual.ty());
            let sets = matches!((planned.ty(), actual.ty()), (Type::Set(_), Type::Set(_)));
            self.result(Result::InSet, sets && planned.len() == actual.len());
            self.counts(planned, actual, false);
        }
    }

    fn counts(&mut self, before: ValueRef<'_>, after: ValueRef<'_>, plan: bool) {
        let count = before.len() != after.len() && before.ty().is_collection() && after.ty().is_collection();
        let maps = matches!((before.ty(), after.ty()), (Type::Map(_), Type::Map(_)));
        let keys = maps && before.len() == after.len() && before.entries().any(|(key, _)| after.entry(key).is_none());
        match plan {
            true => {
                self.plan(Plan::CountDiffers, count);
                self.plan(Plan::KeyDiffers, keys);
            }
            false => {
                self.result(Result::CountDiffers, count);
                self.result(Result::KeyDiffers, keys);
            }
        }
    }

    fn nested(&mut self, attribute: &AttributeOutline, nested: &NestedOutline, four: Four<'_>) {
        let Four { prior, config, planned, .. } = four;
        self.change(Change::NestedRemoved, prior.is_present() && config.is_null());
        if attribute.computed && attribute.optional && prior.is_present() && config.is_null() {
            let configured = has_configured_parts(nested, prior);
            self.change(Change::PriorConfigured, configured);
            self.change(Change::PriorUnconfigured, !configured);
        }
        if matches!(nested.nesting, Nesting::Single | Nesting::Group) {
            let under_null = prior.is_null() && config.is_present();
            let holds_nested = nested.attributes.iter().any(|child| child.nested.is_some() && child.computed);
            self.change(Change::NestedUnderNull, under_null && holds_nested);
            return self.nested_object(nested, four);
        }
        if config.is_present() {
            self.elements(Element::Nested(nested), nested.nesting, prior, config);
            if planned.is_present() {
                self.counts(config, planned, true);
                self.last(nested.nesting, config, planned);
            }
            let ty = attribute.ty.element().unwrap_or(&Type::Dynamic);
            (0..config.len()).for_each(|index| self.nested_object(nested, four.element(index, ty)));
        }
    }

    fn last(&mut self, nesting: Nesting, config: ValueRef<'_>, planned: ValueRef<'_>) {
        let count = config.len();
        let equal =
            |index: usize| config.element(index).zip(planned.element(index)).is_some_and(|(a, b)| raw_equals(a, b));
        let only_last = count > 1 && (0..count - 1).all(equal) && !equal(count - 1);
        self.plan(Plan::LastDiffers, nesting == Nesting::List && planned.len() == count && only_last);
    }

    fn nested_object(&mut self, nested: &NestedOutline, four: Four<'_>) {
        if four.config.is_null() && four.planned.is_present() {
            let is_typed_null = |(index, attribute): (usize, &AttributeOutline)| {
                let planned = four.member(index, &attribute.ty).planned;
                planned.is_null() && (attribute.markers || attribute.ty.is_dynamic() && !planned.ty().is_dynamic())
            };
            self.plan(Plan::NullOfOwnType, nested.attributes.iter().enumerate().any(is_typed_null));
        }
        if !four.config.is_present() {
            return;
        }
        for (index, attribute) in nested.attributes.iter().enumerate() {
            self.attribute(attribute, four.member(index, &attribute.ty));
        }
    }

    fn blocks(&mut self, outline: &NestedBlockOutline, four: Four<'_>) {
        let Four { prior, config, planned, actual } = four;
        self.change(Change::UnknownOverBlocks, config.is_unknown() && !prior.is_empty());
        self.result(Result::BlocksForUnknown, planned.is_unknown() && !actual.is_empty());
        if matches!(outline.nesting, Nesting::Single | Nesting::Group) {
            self.change(Change::SingleRemoved, prior.is_present() && config.is_null());
            return self.block(&outline.block, four);
        }
        if outline.ty.is_dynamic() {
            let differ = |a: ValueRef<'_>, b: ValueRef<'_>| {
                a.is_present() && b.is_present() && std::mem::discriminant(a.ty()) != std::mem::discriminant(b.ty())
            };
            self.plan(Plan::OfAnotherKind, differ(config, planned));
            self.result(Result::OfAnotherKind, differ(planned, actual));
        }
        if planned.is_present() && actual.is_present() {
            self.counts(planned, actual, false);
            let sets = outline.nesting == Nesting::Set && planned.len() == actual.len();
            self.result(Result::InSet, sets && !raw_equals(planned, actual));
        }
        if config.is_present() {
            self.elements(Element::Block(&outline.block), outline.nesting, prior, config);
            if planned.is_present() {
                self.counts(config, planned, true);
            }
            let around = std::mem::replace(&mut self.in_map_block, outline.nesting == Nesting::Map);
            (0..config.len()).for_each(|index| self.block(&outline.block, four.element(index, &outline.block.ty)));
            self.in_map_block = around;
        }
    }

    /// The elements of a collection in prior state and configuration.
    fn elements(&mut self, element: Element<'_>, nesting: Nesting, prior: ValueRef<'_>, config: ValueRef<'_>) {
        let feature = |elements| match element {
            Element::Block(_) => Feature::BlockElements(elements, nesting),
            Element::Nested(_) => Feature::NestedElements(elements, nesting),
        };
        let of = |value: ValueRef<'_>| value.len().min(12);
        let like = |a: usize, b: usize| {
            let (a, b) = (child(prior, a), child(config, b));
            a.zip(b).is_some_and(|(a, b)| element.compare(a, b) != Likeness::Different)
        };
        let shared = |b: usize| (0..of(prior)).find(|a| like(*a, b));
        let found: Vec<Option<usize>> = (0..of(config)).map(shared).collect();
        let kept = found.iter().flatten().count();
        self.hits.mark_if(feature(Elements::Shared), kept > 0);
        self.hits.mark_if(feature(Elements::Added), config.len() > prior.len() && !prior.is_empty());
        self.hits.mark_if(feature(Elements::Dropped), config.len() < prior.len() && !config.is_empty());
        self.hits.mark_if(feature(Elements::Edited), config.len() == prior.len() && kept < of(config));
        if nesting == Nesting::List {
            let places: Vec<usize> = found.iter().flatten().copied().collect();
            self.hits.mark_if(feature(Elements::Moved), places.windows(2).any(|pair| pair[0] > pair[1]));
        }
    }
}

fn child(value: ValueRef<'_>, index: usize) -> Option<ValueRef<'_>> {
    match value.ty() {
        Type::Map(_) | Type::Object(_) => value.entries().nth(index).map(|(_, entry)| entry),
        _ => value.element(index),
    }
}

/// Whether a non-null value sits at an attribute that is not computed: what M21 looks for.
fn has_configured_parts(nested: &NestedOutline, value: ValueRef<'_>) -> bool {
    if matches!(nested.nesting, Nesting::Single | Nesting::Group) {
        return object_has_configured_parts(nested, value);
    }
    value.children().any(|(_, element)| object_has_configured_parts(nested, element))
}

fn object_has_configured_parts(nested: &NestedOutline, value: ValueRef<'_>) -> bool {
    let Some(object) = value.object_type() else { return false };
    let parts = nested.attributes.iter().zip(object.attributes()).zip(value.node().parts());
    let mut parts = parts.map(|((attribute, typed), node)| (attribute, ValueRef::new(&typed.ty, node)));
    parts.any(|(attribute, part)| {
        !part.is_null() && !attribute.computed
            || attribute.nested.as_ref().is_some_and(|nested| has_configured_parts(nested, part))
    })
}

/// Whether two different whole numbers beyond 2^53 are next to one another.
fn is_close(one: &Number, other: &Number) -> bool {
    let big = |number: &Number| number.to_i64().map(i128::from).filter(|int| int.unsigned_abs() > 1 << 52);
    big(one).zip(big(other)).is_some_and(|(one, other)| one.abs_diff(other) == 1)
}
