//! Compares two elements of a collection: equal, equal except for computed attributes, or different.

use planfuzz_core::value::{Type, ValueRef, raw_equals};

use super::super::outline::{AttributeOutline, BlockOutline, MemberKind, NestedOutline};

/// The kind of a collection's elements.
#[derive(Clone, Copy)]
pub(super) enum Element<'o> {
    Block(&'o BlockOutline),
    Nested(&'o NestedOutline),
}

/// How much two elements have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Likeness {
    Equal,
    /// Equal but for computed attributes.
    Configured,
    Different,
}

impl Element<'_> {
    fn is_computed(self, index: usize) -> bool {
        match self {
            Element::Nested(nested) => nested.attributes[index].computed,
            Element::Block(block) => match block.members.get(index).map(|member| &member.kind) {
                Some(MemberKind::Attribute(AttributeOutline { computed, .. })) => *computed,
                Some(MemberKind::Block(_)) | None => false,
            },
        }
    }

    /// Compares two elements.
    pub(super) fn compare(self, a: ValueRef<'_>, b: ValueRef<'_>) -> Likeness {
        let (Type::Object(a_type), Type::Object(b_type)) = (a.ty(), b.ty()) else {
            return Likeness::Different;
        };
        // Absent elements, and elements with different numbers of attributes, are equal or have nothing in common.
        if !a.is_present() || !b.is_present() || a.len() != b.len() {
            return if raw_equals(a, b) { Likeness::Equal } else { Likeness::Different };
        }
        let mut likeness = Likeness::Equal;
        for index in 0..a.len() {
            let a_part = ValueRef::new(&a_type.attributes()[index].ty, &a.node().parts()[index]);
            let b_part = ValueRef::new(&b_type.attributes()[index].ty, &b.node().parts()[index]);
            match raw_equals(a_part, b_part) {
                true => {}
                false if self.is_computed(index) => likeness = Likeness::Configured,
                false => return Likeness::Different,
            }
        }
        likeness
    }
}
