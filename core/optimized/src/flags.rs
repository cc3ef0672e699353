//! Facts about each member that walks need, a byte each: a walk over an object of leaves reads one line of the schema's
//! memory.
//!
//! Flags decide nothing alone: with the payloads they show at a glance that a place is in order, as most places are. All
//! other places are checked in full.

use planfuzz_core::value::Node;

use super::program::{Kind, Member};
use super::same::{Glance, glance};

/// The facts about a member by which walks take the short way.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Flags(u8);

impl Flags {
    /// A leaf whose type has no `dynamic`, so that its payload determines the type (V03).
    const LEAF: u8 = 1;
    const COMPUTED: u8 = 2;
    const OPTIONAL: u8 = 4;
    const WRITE_ONLY: u8 = 8;
    const SET: u8 = 16;
    const BLOCK: u8 = 32;

    pub(super) fn of(member: &Member) -> Flags {
        let bit = |is: bool, bit: u8| if is { bit } else { 0 };
        Flags(
            bit(member.is_leaf() && !member.dynamic, Flags::LEAF)
                | bit(member.computed, Flags::COMPUTED)
                | bit(member.optional, Flags::OPTIONAL)
                | bit(member.write_only, Flags::WRITE_ONLY)
                | bit(member.set, Flags::SET)
                | bit(matches!(member.kind, Kind::Block(_)), Flags::BLOCK),
        )
    }

    pub(super) fn is_leaf(self) -> bool {
        self.0 & Flags::LEAF != 0
    }

    pub(super) fn is_block(self) -> bool {
        self.0 & Flags::BLOCK != 0
    }

    pub(super) fn is_computed(self) -> bool {
        self.0 & Flags::COMPUTED != 0
    }

    /// Whether null in the configuration matches anything (M22 3, H03), where this is a leaf.
    pub(super) fn is_free(self) -> bool {
        self.0 & (Flags::COMPUTED | Flags::SET) == Flags::COMPUTED
    }

    /// Whether the payloads of a leaf alone show that its plan is valid: by P05 a, d and e, in any order as long as c does
    /// not come between.
    pub(super) fn shows_valid(self, planned: &Node, config: &Node) -> bool {
        if self.0 & (Flags::LEAF | Flags::WRITE_ONLY) != Flags::LEAF {
            return false;
        }
        let provided = self.is_computed() && (self.0 & Flags::OPTIONAL == 0 || config.is_null());
        provided || matches!(glance(planned, config), Glance::Same)
    }

    /// Whether the payloads of a leaf alone show that the applied value is compatible.
    pub(super) fn shows_compatible(self, planned: &Node, actual: &Node) -> bool {
        self.is_leaf() && look_compatible(planned, actual)
    }
}

/// Whether the payloads alone show that a value is compatible with the planned one, to which it conforms: by AC11 c for a
/// plain unknown, by d and f for the same value.
pub(super) fn look_compatible(planned: &Node, actual: &Node) -> bool {
    matches!(planned, Node::Unknown(None)) || matches!(glance(planned, actual), Glance::Same)
}

#[cfg(test)]
mod tests {
    use planfuzz_core::dialect::Dialect;
    use planfuzz_core::schema::{Attribute, Block, Named, Shape};
    use planfuzz_core::value::{Text, Type, Value};

    use super::super::program::Object;
    use super::*;

    fn flags(ty: Type, set: impl FnOnce(&mut Attribute)) -> Flags {
        let mut attribute = Attribute::new(Shape::Leaf(ty));
        set(&mut attribute);
        let attributes = Named::new(vec![(Text::new("a"), attribute)]);
        Object::of_block(&Block { attributes, ..Block::default() }, Dialect::default()).flags[0]
    }

    fn text(text: &str) -> Node {
        Value::string(text).into_parts().1
    }

    #[test]
    fn p05_a_the_configured_value_is_valid_and_no_other_of_a_configured_leaf() {
        let optional = flags(Type::String, |attribute| attribute.optional = true);
        assert!(optional.shows_valid(&text("a"), &text("a")) && optional.shows_valid(&Node::Null, &Node::Null));
        assert!(!optional.shows_valid(&text("a"), &text("b")) && !optional.shows_valid(&text("a"), &Node::Null));
    }

    #[test]
    fn p05_d_and_e_any_value_is_valid_where_the_provider_gives_it() {
        let computed = flags(Type::String, |attribute| attribute.computed = true);
        assert!(computed.shows_valid(&text("a"), &Node::Null) && computed.shows_valid(&text("a"), &text("b")));
        let both = flags(Type::String, |attribute| (attribute.optional, attribute.computed) = (true, true));
        assert!(both.shows_valid(&text("a"), &Node::Null) && !both.shows_valid(&text("a"), &text("b")));
    }

    #[test]
    fn p05_c_write_only_leaves_and_dynamic_ones_show_nothing() {
        let write_only = flags(Type::String, |attribute| (attribute.optional, attribute.write_only) = (true, true));
        let dynamic = flags(Type::Dynamic, |attribute| attribute.computed = true);
        for flags in [write_only, dynamic] {
            assert!(!flags.shows_valid(&text("a"), &text("a")) && !flags.shows_valid(&text("a"), &Node::Null));
        }
        assert!(!dynamic.shows_compatible(&text("a"), &text("a")) && !dynamic.is_leaf());
    }

    #[test]
    fn ac11_a_plain_unknown_becomes_any_value_and_a_known_value_stays() {
        let leaf = flags(Type::String, |attribute| attribute.computed = true);
        for actual in [text("a"), Node::Null, Node::UNKNOWN] {
            assert!(leaf.shows_compatible(&Node::UNKNOWN, &actual));
        }
        assert!(leaf.shows_compatible(&text("a"), &text("a")) && leaf.shows_compatible(&Node::Null, &Node::Null));
        for actual in [text("b"), Node::Null, Node::UNKNOWN] {
            assert!(!leaf.shows_compatible(&text("a"), &actual));
        }
        assert!(!leaf.shows_compatible(&Node::Null, &text("a")));
    }

    #[test]
    fn h03_computed_leaves_of_no_set_type_are_free() {
        let computed = |ty| flags(ty, |attribute| attribute.computed = true);
        assert!(computed(Type::String).is_free() && !computed(Type::set(Type::String)).is_free());
        assert!(!flags(Type::String, |attribute| attribute.optional = true).is_free());
    }
}
