//! Features of values.

use planfuzz_core::schema::Nesting;
use planfuzz_core::value::{Node, Number, Range, Refinement, Type, ValueRef};

use super::super::outline::{AttributeOutline, BlockOutline, MemberKind, NestedBlockOutline, NestedOutline};
use super::super::value::entries::Kind;
use super::super::value::misshapen::blocks_of;
use super::Hits;
use super::likeness::{Element, Likeness};
use super::row::{Feature, Part, Role};

/// A whole number beyond this is not exactly a float of 64 bits.
const EXACT: i64 = 1 << 53;

/// Counts what is in one of the four values.
pub(super) fn observe(outline: &BlockOutline, role: Role, value: ValueRef<'_>, hits: &mut Hits) {
    let mut walk = Walk { role, hits };
    match value.node() {
        Node::Null => walk.part(Part::WholeNull),
        Node::Unknown(_) => walk.part(Part::WholeUnknown),
        _ => walk.block(outline, value, false),
    }
}

struct Walk<'h> {
    role: Role,
    hits: &'h mut Hits,
}

impl Walk<'_> {
    fn part(&mut self, part: Part) {
        self.hits.mark(Feature::Value(self.role, part));
    }

    fn part_if(&mut self, part: Part, hit: bool) {
        if hit {
            self.part(part);
        }
    }

    fn block(&mut self, outline: &BlockOutline, value: ValueRef<'_>, in_set: bool) {
        let Some(object) = value.object_type() else { return };
        for (index, member) in outline.members.iter().enumerate() {
            let Some(node) = value.node().parts().get(index) else { return };
            let part = ValueRef::new(&object.attributes()[index].ty, node);
            match &member.kind {
                MemberKind::Attribute(attribute) => self.attribute(attribute, part, in_set),
                MemberKind::Block(nested) => self.blocks(nested, part, in_set),
            }
        }
    }

    fn attribute(&mut self, attribute: &AttributeOutline, value: ValueRef<'_>, in_set: bool) {
        if !value.is_null() {
            self.part_if(Part::SetComputed, attribute.computed && !attribute.optional && !attribute.required);
            self.part_if(Part::SetWriteOnly, attribute.write_only);
        }
        self.part_if(Part::UnknownInSet, in_set && value.is_unknown());
        let open = attribute.ty.is_dynamic();
        match (&attribute.nested, value.node()) {
            (Some(_), Node::Null) => self.part(Part::NullNested),
            (Some(_), Node::Unknown(record)) => {
                self.part(Part::UnknownNested);
                self.record(record.as_deref());
            }
            (Some(nested), _) => self.nested(nested, value, in_set),
            (None, Node::Null) => {
                self.part(Part::NullAttribute);
                self.part_if(Part::UntypedNull, open && value.ty().is_dynamic());
                self.part_if(Part::TypedNull, open && !value.ty().is_dynamic());
            }
            (None, Node::Unknown(record)) => {
                self.part(Part::UnknownAttribute);
                self.part_if(Part::UntypedUnknown, open && value.ty().is_dynamic());
                self.part_if(Part::TypedUnknown, open && !value.ty().is_dynamic());
                self.record(record.as_deref());
            }
            (None, _) => {
                self.part_if(Part::KnownAtDynamic, open);
                self.leaf(value);
            }
        }
    }

    fn record(&mut self, record: Option<&Refinement>) {
        let Some(Refinement { not_null, range }) = record else { return };
        self.part_if(Part::NotNull, *not_null);
        match range {
            Range::Any => self.part_if(Part::EmptyRecord, !not_null),
            Range::String { .. } => self.part(Part::Prefix),
            Range::Number { .. } => self.part(Part::Bounds),
            Range::Length { .. } => self.part(Part::Lengths),
        }
    }

    fn leaf(&mut self, value: ValueRef<'_>) {
        match value.node() {
            Node::String(text) => {
                self.part_if(Part::EmptyText, text.is_empty());
                self.part_if(Part::OddText, text.bytes().any(|byte| !byte.is_ascii_alphanumeric()));
                self.part_if(Part::LongText, text.len() > 255);
            }
            Node::Number(number) => self.number(number),
            Node::Seq(_) | Node::Map(_) => {
                if value.ty().is_collection() {
                    self.part_if(Part::EmptyCollection, value.is_empty());
                    self.part_if(Part::SeveralElements, value.len() > 1);
                }
                let set = matches!(value.ty(), Type::Set(_));
                self.part_if(Part::SharedKey, set && shares_keys(value));
                self.part_if(Part::UnknownInSet, set && value.node().contents().has_unknown());
                for (_, child) in value.children() {
                    self.leaf_part(child);
                }
            }
            Node::Null | Node::Unknown(_) | Node::Bool(_) => {}
        }
    }

    fn leaf_part(&mut self, value: ValueRef<'_>) {
        match value.node() {
            Node::Null => self.part(Part::NullElement),
            Node::Unknown(record) => {
                self.part(Part::UnknownElement);
                self.record(record.as_deref());
            }
            _ => self.leaf(value),
        }
    }

    fn number(&mut self, number: &Number) {
        self.part_if(Part::Infinite, number.is_infinite());
        self.part_if(Part::Fraction, !number.is_whole() && !number.is_infinite());
        let small = number.to_i64().is_some_and(|int| int.unsigned_abs() < EXACT.unsigned_abs());
        self.part_if(Part::BigWhole, number.is_whole() && !small);
        self.part_if(Part::MinusZero, number.to_i64() == Some(0) && number.text() == "-0");
    }

    fn nested(&mut self, nested: &NestedOutline, value: ValueRef<'_>, in_set: bool) {
        if matches!(nested.nesting, Nesting::Single | Nesting::Group) {
            return self.nested_object(nested, value, in_set);
        }
        self.collection(Element::Nested(nested), value);
        let in_set = in_set || nested.nesting == Nesting::Set;
        for (_, element) in value.children() {
            match element.node() {
                Node::Null => self.part(Part::NullNestedElement),
                Node::Unknown(record) => {
                    self.part(Part::UnknownNestedElement);
                    self.record(record.as_deref());
                }
                _ => self.nested_object(nested, element, in_set),
            }
        }
    }

    fn nested_object(&mut self, nested: &NestedOutline, value: ValueRef<'_>, in_set: bool) {
        let Some(object) = value.object_type() else { return };
        for ((attribute, typed), node) in nested.attributes.iter().zip(object.attributes()).zip(value.node().parts()) {
            self.attribute(attribute, ValueRef::new(&typed.ty, node), in_set);
        }
    }

    fn collection(&mut self, element: Element<'_>, value: ValueRef<'_>) {
        self.part_if(Part::EmptyCollection, value.is_empty());
        self.part_if(Part::SeveralElements, value.len() > 1);
        self.part_if(Part::SharedKey, matches!(value.ty(), Type::Set(_)) && shares_keys(value));
        let elements: Vec<ValueRef<'_>> = value.children().map(|(_, element)| element).take(8).collect();
        let alike = |(index, a): (usize, &ValueRef<'_>)| {
            elements[index + 1..].iter().any(|b| element.compare(*a, *b) == Likeness::Configured)
        };
        let siblings = elements.iter().enumerate().any(alike);
        self.part_if(Part::ComputedSiblings, siblings);
    }

    fn blocks(&mut self, outline: &NestedBlockOutline, value: ValueRef<'_>, in_set: bool) {
        let collection = !matches!(outline.nesting, Nesting::Single | Nesting::Group);
        match value.node() {
            Node::Null if collection => self.part(Part::NullBlocks),
            Node::Null if outline.nesting == Nesting::Group => self.part(Part::NullGroup),
            Node::Null => self.part(Part::NullBlock),
            Node::Unknown(record) if collection => {
                self.part(Part::UnknownBlocks);
                self.part_if(Part::RefinedBlocks, record.is_some());
            }
            Node::Unknown(_) => self.part(Part::UnknownBlock),
            _ if !collection => self.block(&outline.block, value, in_set),
            _ if is_misshapen(outline, value) => self.part(Part::MisshapenBlocks),
            _ => self.block_elements(outline, value, in_set),
        }
    }

    fn block_elements(&mut self, outline: &NestedBlockOutline, value: ValueRef<'_>, in_set: bool) {
        self.collection(Element::Block(&outline.block), value);
        self.part_if(Part::EmptyMapBlockInSet, in_set && outline.nesting == Nesting::Map && value.is_empty());
        self.part_if(Part::TupleBlocks, matches!(value.ty(), Type::Tuple(_)) && !value.is_empty());
        self.part_if(Part::ObjectBlocks, matches!(value.ty(), Type::Object(_)) && !value.is_empty());
        let in_set = in_set || outline.nesting == Nesting::Set;
        for (_, element) in value.children() {
            match element.node() {
                Node::Null => self.part(Part::NullBlockElement),
                Node::Unknown(_) => self.part(Part::UnknownBlockElement),
                _ => self.block(&outline.block, element, in_set),
            }
        }
    }
}

/// Whether something stands where untyped blocks should that is none.
fn is_misshapen(outline: &NestedBlockOutline, value: ValueRef<'_>) -> bool {
    let kind = Kind::of(outline.nesting).filter(|_| outline.ty.is_dynamic());
    kind.is_some_and(|kind| blocks_of(outline, kind, value).is_none())
}

/// Whether two elements have, at the same place, different numbers with one key text (V51).
fn shares_keys(set: ValueRef<'_>) -> bool {
    if set.len() < 2 {
        return false;
    }
    let numbers: Vec<(usize, &Number)> = set.children().flat_map(|(_, element)| numbers_of(element)).collect();
    let close = |(index, (place, a)): (usize, &(usize, &Number))| {
        numbers[index + 1..].iter().any(|(other, b)| other == place && !a.equals(b) && a.key_text() == b.key_text())
    };
    numbers.iter().enumerate().any(close)
}

/// The numbers that an element is or directly holds, odd ones only.
fn numbers_of(element: ValueRef<'_>) -> Vec<(usize, &Number)> {
    let own = element.as_number().map(|number| (0, number));
    let parts = element.node().parts().iter().enumerate();
    let held = parts.filter_map(|(place, part)| match part {
        Node::Number(number) => Some((place + 1, number)),
        _ => None,
    });
    let odd = |(_, number): &(usize, &Number)| number.to_i64().is_none_or(|int| int.unsigned_abs() > 1 << 32);
    own.into_iter().chain(held).filter(odd).take(12).collect()
}
