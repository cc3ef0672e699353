//! Values of other kinds in the place of untyped blocks: they conform all the same, because any value does if the type is `dynamic`
//! (S33, V03).

use std::sync::LazyLock;

use planfuzz_core::schema::Nesting;
use planfuzz_core::value::{Text, Type, Value, ValueRef};

use super::super::outline::{BlockOutline, MemberKind, NestedBlockOutline};
use super::super::swarm::Switch;
use super::entries::{Entries, Kind, join_members, member, split};
use super::{Role, ValueGenerator};

/// An attribute that no block has. It sorts after all names, so that the others keep their indices.
const OTHER: &str = "~";

/// Keys of blocks that should have none, those of maps of blocks among them.
static KEYS: LazyLock<[Text; 4]> = LazyLock::new(|| ["a", "b", "0", "c"].map(Text::new));

impl ValueGenerator<'_, '_, '_> {
    /// The blocks replaced by another value (M30): of another kind, of one type, without blocks, or with an extra attribute.
    pub(super) fn misshapen(&mut self, entries: Entries, role: Role) -> Value {
        let Some((_, first)) = entries.first().cloned() else { return self.without_blocks() };
        let unknown = role.has_unknowns() && self.swarm.has(Switch::Unknown);
        let ty = first.ty().clone();
        let blocks = || entries.iter().map(|(_, one)| one.clone()).collect::<Vec<_>>();
        let keyed =
            || entries.iter().enumerate().map(|(index, (_, one))| (KEYS[index % KEYS.len()].clone(), one.clone()));
        let whole = match self.dice.below(12) {
            0 => Ok(Value::string("x")),
            1 => Ok(Value::tuple(blocks())),
            2 => Ok(Value::object(keyed().collect())),
            3 if unknown => Ok(Value::unknown(Type::tuple(vec![ty]))),
            4 => Value::map(&ty, keyed().collect()),
            5 => Value::list(&ty, blocks()),
            6 => Ok(Value::tuple(vec![Value::null(Type::Dynamic)])),
            7 => Value::set(&ty, blocks()),
            8 if unknown => Value::list(&ty, vec![Value::unknown(ty.clone())]),
            9 => Value::list(&ty, vec![Value::null(ty.clone())]),
            10 => Ok(self.without_blocks()),
            _ => Ok(Value::tuple(blocks().into_iter().map(with_another_attribute).collect())),
        };
        // Blocks of different types do not form a list, set or map (V08).
        whole.unwrap_or_else(|_| Value::tuple(blocks()))
    }

    /// The object, sometimes with one of its untyped blocks replaced by another value.
    pub(in super::super) fn misplaced(&mut self, outline: &BlockOutline, value: Value, role: Role) -> Value {
        let blocks = outline.members.iter().enumerate().filter_map(|(index, member)| match &member.kind {
            MemberKind::Block(nested) if nested.ty.is_dynamic() => Some((index, nested)),
            _ => None,
        });
        let blocks: Vec<_> = blocks.collect();
        if blocks.is_empty() || value.node().as_seq().is_none() || !self.dice.chance(80) {
            return value;
        }
        let (chosen, nested) = *self.dice.pick(&blocks);
        self.refuel();
        let count = self.dice.below(3);
        let kind = if nested.nesting == Nesting::Map { Kind::Map } else { Kind::List };
        let entries = self.block_entries(nested, kind, count, role);
        let other = self.misshapen(entries, role);
        let members = (0..outline.members.len()).map(|index| match index == chosen {
            true => other.clone(),
            false => member(outline, value.view(), index),
        });
        join_members(outline, members.collect())
    }

    /// An empty value of any kind (M30), or a null of one, in the place of blocks.
    fn without_blocks(&mut self) -> Value {
        let object = Type::empty_object();
        let ty = match self.dice.below(8) {
            0 => return Value::string("x"),
            1 => return Value::tuple(Vec::new()),
            2 => return Value::object(Vec::new()),
            3 => Type::list(object),
            4 => Type::set(object),
            5 => Type::map(object),
            6 => Type::tuple(vec![object]),
            _ => Type::object([(KEYS[0].clone(), object)]),
        };
        let none = match &ty {
            Type::List(element) => Value::list(element, Vec::new()),
            Type::Set(element) => Value::set(element, Vec::new()),
            Type::Map(element) => Value::map(element, Vec::new()),
            _ => Ok(Value::null(ty.clone())),
        };
        let is_null = self.dice.chance(48);
        none.ok().filter(|_| !is_null).unwrap_or_else(|| Value::null(ty))
    }
}

fn with_another_attribute(one: Value) -> Value {
    if one.node().as_seq().is_none() {
        return one;
    }
    let members = one.view().entries().map(|(name, member)| (name.clone(), member.to_value()));
    Value::object(members.chain([(Text::new(OTHER), Value::string("x"))]).collect())
}

/// The blocks of a known collection; `None` if it is untyped and holds something else ([`ValueGenerator::misshapen`]).
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
