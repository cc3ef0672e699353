//! Untyped blocks that are none: what conforms all the same, because any value does where the type is `dynamic` (S33, V03).

use planfuzz_core::value::{Text, Type, Value, ValueRef};

use super::super::outline::NestedBlockOutline;
use super::super::swarm::Switch;
use super::entries::{Entries, Kind, split};
use super::{Maker, Role};

/// An attribute that no block has. It sorts after all names, so that the others keep their places.
const OTHER: &str = "~";

impl Maker<'_, '_, '_> {
    /// The blocks as something else: of another kind, of one type, or with an attribute too many.
    pub(super) fn misshapen(&mut self, entries: Entries, role: Role) -> Value {
        let Some((_, first)) = entries.first().cloned() else { return Value::string("x") };
        let unknown = role.has_unknowns() && self.swarm.has(Switch::Unknown);
        match self.dice.below(8) {
            0 => Value::string("x"),
            1 => Value::tuple(vec![first]),
            2 => Value::object(vec![(Text::new("0"), first)]),
            3 if unknown => Value::unknown(Type::tuple(vec![first.ty().clone()])),
            4 => Value::map(&first.ty().clone(), vec![(Text::new("0"), first)]).unwrap_or_else(|_| Value::string("x")),
            5 => Value::list(&first.ty().clone(), vec![first]).unwrap_or_else(|_| Value::string("x")),
            6 => Value::tuple(vec![Value::null(Type::Dynamic)]),
            _ => Value::tuple(entries.into_iter().map(|(_, one)| with_another_attribute(one)).collect()),
        }
    }
}

fn with_another_attribute(one: Value) -> Value {
    if one.node().as_seq().is_none() {
        return one;
    }
    let members = one.view().entries().map(|(name, member)| (name.clone(), member.to_value()));
    Value::object(members.chain([(Text::new(OTHER), Value::string("x"))]).collect())
}

/// The blocks of a collection that is known; nothing where an untyped one holds something else ([`Maker::misshapen`]).
pub(in super::super) fn blocks_of(outline: &NestedBlockOutline, kind: Kind, value: ValueRef<'_>) -> Option<Entries> {
    let is_shapely = match (kind, value.ty()) {
        (Kind::Map, Type::Object(_)) | (Kind::List, Type::Tuple(_)) => true,
        (_, ty) => Kind::of_type(ty) == Some(kind),
    };
    let entries = is_shapely.then(|| split(value))?;
    let is_wide = |block: &Value| block.view().object_type().is_some_and(|ty| is_block(outline, ty.attributes().len()));
    let are_blocks = !outline.ty.is_dynamic() || entries.iter().all(|(_, block)| block.is_null() || is_wide(block));
    are_blocks.then_some(entries)
}

fn is_block(outline: &NestedBlockOutline, members: usize) -> bool {
    members == outline.block.members.len()
}
