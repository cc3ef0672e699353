//! The merge, as a relation between prior, configuration and answer (M01 to M16, M21, M40): the values that the members of the answer may
//! have, member by member. Collections are in [`super::collections`] and [`super::sets`].
//!
//! Without an answer, the walk only looks for crashes of the engine, to judge a refusal.

use super::id::Id;
use super::place::Place;
use super::shape::{AttributeShape, BlockShape, Field, Hazards, NestedShape, ObjectShape, has_width};
use super::verdict::{Verdict, show};
use planfuzz_core::dialect::Dialect;
use planfuzz_core::schema::{NestedType, Nesting, Shape};
use planfuzz_core::value::{Step, Type, ValueRef, raw_equals};

/// The check of one merge.
pub(super) struct Merge<'v> {
    pub(super) dialect: Dialect,
    pub(super) verdict: &'v mut Verdict,
}

/// Prior, configuration and answer at one place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Triple<'a> {
    pub(super) prior: ValueRef<'a>,
    pub(super) config: ValueRef<'a>,
    /// `None` if the subject refused.
    pub(super) answer: Option<ValueRef<'a>>,
}

/// The rule for the elements of a collection.
#[derive(Clone, Copy, Debug)]
pub(super) enum ElementRule<'a> {
    /// M16.
    Block(&'a BlockShape<'a>),
    /// M12.
    Object(&'a ObjectShape<'a>),
}

impl ElementRule<'_> {
    pub(super) fn hazards(self) -> Hazards {
        match self {
            ElementRule::Block(block) => block.hazards,
            ElementRule::Object(object) => object.hazards,
        }
    }
}

impl Merge<'_> {
    /// M01, M02 for the whole object.
    pub(super) fn whole<'a>(&mut self, block: &'a BlockShape<'a>, of: Triple<'a>) {
        if of.prior.is_null() && of.config.is_unknown() {
            self.verdict.same(Id::M03, &Place::ROOT, of.answer, block.empty.view());
            return;
        }
        self.proposed(block, of, &Place::ROOT, Id::M02);
    }

    /// M01: null for null and null, and the empty value in place of a null prior.
    fn proposed<'a>(&mut self, block: &'a BlockShape<'a>, of: Triple<'a>, place: &Place<'_>, or_whole: Id) {
        if !of.prior.is_null() {
            return self.block(block, of, place, or_whole);
        }
        if of.config.is_null() {
            // If `dynamic` gives the two nulls different types, the rule does not say which one is right.
            let holds = of.answer.is_none_or(|a| raw_equals(a, of.prior) || raw_equals(a, of.config));
            self.verdict.hold(Id::M01, place, holds, || format!("expected null, found {}", show_answer(of)));
            return;
        }
        self.block(block, Triple { prior: block.empty.view(), ..of }, place, or_whole);
    }

    /// M02; `or_whole` is the rule for a configuration that is null or unknown.
    pub(super) fn block<'a>(&mut self, block: &'a BlockShape<'a>, of: Triple<'a>, place: &Place<'_>, or_whole: Id) {
        if !of.config.is_present() {
            self.verdict.same(or_whole, place, of.answer, of.prior);
            return;
        }
        if of.prior.object_type().is_none() {
            return self.verdict.crash(Id::M02, place, of.answer.is_some(), "the prior is no object");
        }
        if !self.is_object(Id::M02, of, block.width(), place) {
            return;
        }
        for field in &block.attributes {
            self.member(field, of, place, Self::attribute);
        }
        for field in &block.blocks {
            self.member(field, of, place, Self::nested_block);
        }
    }

    /// Whether the check can continue: the answer, if any, is a known object with this number of members.
    fn is_object(&mut self, rule: Id, of: Triple<'_>, width: usize, place: &Place<'_>) -> bool {
        if !has_width(of.config, width) || !has_width(of.prior, width) {
            self.verdict.leave_open();
            return false;
        }
        let holds = of.answer.is_none_or(|answer| answer.is_present() && has_width(answer, width));
        self.verdict.hold(rule, place, holds, || format!("expected an object, found {}", show_answer(of)))
    }

    fn member<'a, T>(
        &mut self,
        field: &'a Field<'a, T>,
        of: Triple<'a>,
        place: &Place<'_>,
        check: impl FnOnce(&mut Self, &'a T, Triple<'a>, &Place<'_>),
    ) {
        if self.verdict.is_settled() {
            return;
        }
        let (Some(prior), Some(config)) = (field.of(of.prior), field.of(of.config)) else {
            return self.verdict.leave_open();
        };
        let place = place.attribute(field.name);
        let answer = of.answer.map(|answer| field.of(answer));
        if answer.is_some_and(|answer| answer.is_none()) {
            self.verdict.hold(Id::M02, &place, false, || "expected a member of that name, found none".to_owned());
            return;
        }
        check(self, &field.of, Triple { prior, config, answer: answer.flatten() }, &place);
    }

    /// M10.
    fn attribute<'a>(&mut self, shape: &'a AttributeShape<'a>, of: Triple<'a>, place: &Place<'_>) {
        if shape.schema.computed && of.config.is_null() {
            if is_taken_away(shape, of.prior) {
                self.verdict.same(Id::M21, place, of.answer, of.config);
            } else {
                self.verdict.same(Id::M10, place, of.answer, of.prior);
            }
            return;
        }
        match &shape.nested {
            Some(object) => self.nested_type(object, of, place),
            None => {
                self.verdict.same(Id::M10, place, of.answer, of.config);
            }
        }
    }

    /// M11.
    fn nested_type<'a>(&mut self, object: &'a ObjectShape<'a>, of: Triple<'a>, place: &Place<'_>) {
        let is_group = object.nesting == Nesting::Group && self.dialect.has_group_nested_types();
        if is_group && !of.config.is_unknown() {
            return self.verdict.crash(Id::M11, place, of.answer.is_some(), "the nested type is of mode group");
        }
        if !of.config.is_present() {
            self.verdict.same(Id::M11, place, of.answer, of.config);
            return;
        }
        let rule = ElementRule::Object(object);
        match object.nesting {
            Nesting::Single => self.object(object, of, place),
            Nesting::Group => self.verdict.leave_open(),
            Nesting::List => self.list(rule, of, place),
            Nesting::Map => self.map(rule, of, place),
            Nesting::Set => self.set(rule, of, place),
        }
    }

    /// M12.
    fn object<'a>(&mut self, object: &'a ObjectShape<'a>, of: Triple<'a>, place: &Place<'_>) {
        if of.config.is_null() {
            self.verdict.same(Id::M12, place, of.answer, of.config);
            return;
        }
        if self.is_object(Id::M12, of, object.attributes.len(), place) {
            for field in &object.attributes {
                self.member(field, of, place, Self::attribute);
            }
        }
    }

    /// M15.
    fn nested_block<'a>(&mut self, nested: &'a NestedShape<'a>, of: Triple<'a>, place: &Place<'_>) {
        let absent = nested.nesting == Nesting::Single && of.config.is_null();
        if of.config.is_unknown() || absent {
            self.verdict.same(Id::M15, place, of.answer, of.config);
            return;
        }
        let rule = ElementRule::Block(&nested.block);
        match nested.nesting {
            Nesting::Single | Nesting::Group => self.proposed(&nested.block, of, place, Id::M16),
            Nesting::List => self.list(rule, of, place),
            Nesting::Map => self.map(rule, of, place),
            Nesting::Set => self.set(rule, of, place),
        }
    }

    /// The element rule.
    pub(super) fn element<'a>(&mut self, rule: ElementRule<'a>, of: Triple<'a>, place: &Place<'_>) {
        match rule {
            ElementRule::Block(block) => self.proposed(block, of, place, Id::M16),
            ElementRule::Object(object) => self.object(object, of, place),
        }
    }
}

pub(super) fn show_answer(of: Triple<'_>) -> String {
    of.answer.map_or_else(|| "a refusal".to_owned(), show)
}

/// M21: whether the prior of an attribute had configured parts, so that it is dropped with its configuration.
pub(super) fn is_taken_away(shape: &AttributeShape<'_>, prior: ValueRef<'_>) -> bool {
    match (&shape.schema.shape, shape.schema.optional) {
        (Shape::Nested(nested), true) => has_configured_part(Within::Nested(nested), prior),
        _ => false,
    }
}

/// The result of following a path in a nested type (S61).
#[derive(Clone, Copy)]
enum Within<'s> {
    /// No attribute yet; further steps may lead to one of these.
    Nested(&'s NestedType),
    /// This attribute.
    At(&'s planfuzz_core::schema::Attribute),
    /// No attribute.
    Leaf,
}

impl<'s> Within<'s> {
    fn step(self, step: &Step) -> Within<'s> {
        let nested = match self {
            Within::Nested(nested) => nested,
            Within::At(attribute) => match &attribute.shape {
                Shape::Nested(nested) => nested,
                Shape::Leaf(_) => return Within::Leaf,
            },
            Within::Leaf => return Within::Leaf,
        };
        match step {
            Step::Attribute(name) => nested.attributes.get(name).map_or(Within::Nested(nested), Within::At),
            _ => Within::Nested(nested),
        }
    }
}

fn has_configured_part(within: Within<'_>, value: ValueRef<'_>) -> bool {
    match within {
        Within::At(attribute) if !attribute.computed && !value.is_null() => true,
        Within::Leaf => false,
        _ if matches!(value.ty(), Type::Bool | Type::Number | Type::String | Type::Dynamic) => false,
        _ => value.children().any(|(step, child)| has_configured_part(within.step(&step), child)),
    }
}
