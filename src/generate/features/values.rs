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
            (Some(nested), Node::Null) => {
                self.part(Part::NullNested);
                self.part_if(Part::NullNestedGroup, nested.nesting == Nesting::Group);
            }
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
            Range::String { prefix } => {
                self.part(Part::Prefix);
                self.part_if(Part::LongPrefix, prefix.len() > 256);
                self.part_if(Part::VastPrefix, prefix.len() > 1024);
            }
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
        let fine = !number.is_whole() && !number.is_infinite() && number.to_f64().is_none() && number.text().len() > 17;
        self.part_if(Part::FineFraction, fine);
        self.part_if(Part::WidthEdge, is_width_edge(number));
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
            Node::Null if collection => {
                self.part(Part::NullBlocks);
                let is_other = !value.ty().is_dynamic() && Kind::of_type(value.ty()) != Kind::of(outline.nesting);
                self.part_if(Part::AbsentOther, outline.ty.is_dynamic() && is_other);
            }
            Node::Null if outline.nesting == Nesting::Group => self.part(Part::NullGroup),
            Node::Null => self.part(Part::NullBlock),
            Node::Unknown(record) if collection => {
                self.part(Part::UnknownBlocks);
                self.part_if(Part::RefinedBlocks, record.is_some());
            }
            Node::Unknown(_) => self.part(Part::UnknownBlock),
            _ if !collection => self.block(&outline.block, value, in_set),
            _ if is_misshapen(outline, value) => {
                self.part(Part::MisshapenBlocks);
                self.other_kind(outline, value);
            }
            _ => self.block_elements(outline, value, in_set),
        }
    }

    /// Marks values of other kinds that stand where untyped blocks belong (M30).
    fn other_kind(&mut self, outline: &NestedBlockOutline, value: ValueRef<'_>) {
        let of_list = outline.nesting == Nesting::List;
        let is_keyed = matches!(value.ty(), Type::Map(_) | Type::Object(_));
        let is_indexed = matches!(value.ty(), Type::List(_) | Type::Tuple(_));
        let is_set = matches!(value.ty(), Type::Set(_));
        self.part_if(Part::KeyedList, of_list && is_keyed);
        self.part_if(Part::IndexedMap, !of_list && is_indexed);
        self.part_if(Part::SetOfUntyped, is_set);
        self.part_if(Part::PrimitiveBlocks, value.ty().is_primitive());
        let is_other = is_set || is_keyed == of_list;
        self.part_if(Part::EmptyOther, value.is_empty() && is_other && !value.ty().is_primitive());
    }

    fn block_elements(&mut self, outline: &NestedBlockOutline, value: ValueRef<'_>, in_set: bool) {
        self.collection(Element::Block(&outline.block), value);
        self.part_if(Part::EmptyMapBlockInSet, in_set && outline.nesting == Nesting::Map && value.is_empty());
        let of_none = value.children().all(|(_, element)| !element.is_present());
        let untyped_list = outline.ty.is_dynamic() && outline.nesting == Nesting::List;
        self.part_if(
            Part::ListOfNone,
            untyped_list && of_none && matches!(value.ty(), Type::List(_)) && !value.is_empty(),
        );
        self.part_if(Part::MixedMarkers, mixes_markers(&outline.block, value));
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

/// Whether a whole number is next to, or at, the end of what some integer or float holds: 7, 8, 15, 16, 31, 32, 53, 63 or 64
/// bits, or the short forms of msgpack (V71).
fn is_width_edge(number: &Number) -> bool {
    let edges = [5_u32, 7, 8, 15, 16, 31, 32, 53, 63, 64].map(|bits| 1_i128 << bits);
    let text = number.text();
    let whole = number.is_whole().then(|| text.parse::<i128>().ok()).flatten();
    whole.is_some_and(|whole| edges.iter().any(|edge| (whole.abs() - edge).abs() <= 1))
}

/// Whether a computed leaf with optional markers is null in one block and has a value in another (S34).
fn mixes_markers(outline: &BlockOutline, blocks: ValueRef<'_>) -> bool {
    let is_marked = |kind: &MemberKind| match kind {
        MemberKind::Attribute(attribute) => attribute.computed && attribute.markers,
        MemberKind::Block(_) => false,
    };
    let marked = outline.members.iter().enumerate().filter(|(_, member)| is_marked(&member.kind));
    marked.map(|(index, _)| index).any(|index| {
        let parts = || blocks.node().parts().iter().filter_map(|block| block.parts().get(index));
        parts().any(Node::is_null) && parts().any(|part| !part.is_null())
    })
}

/// Whether something other than blocks stands where untyped blocks belong.
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
