//! Blocks of dynamic type that are of another kind than their nesting mode names (M30), as far as faults ask for it.

use planfuzz_core::schema::{Block, Nesting};
use planfuzz_core::value::{Number, Step, Type, ValueRef};

use super::{Naive, member};

impl Naive {
    /// Whether configured blocks of a list are neither list nor tuple.
    pub(super) fn has_keyed_list(self, block: &Block, config: ValueRef<'_>) -> bool {
        self.any(block, Nesting::List, [config; 2], |[c, _]| {
            c.is_present() && !matches!(c.ty(), Type::List(_) | Type::Tuple(_))
        })
    }

    /// Whether planned blocks of a map are neither map nor object.
    pub(super) fn has_indexed_map(self, block: &Block, planned: ValueRef<'_>) -> bool {
        self.any(block, Nesting::Map, [planned; 2], |[p, _]| {
            p.is_present() && !matches!(p.ty(), Type::Map(_) | Type::Object(_))
        })
    }

    /// Whether the planned blocks of a list are indexed and the configured ones keyed, or the other way round.
    pub(super) fn are_of_two_kinds(self, block: &Block, config: ValueRef<'_>, planned: ValueRef<'_>) -> bool {
        let is_keyed = |value: ValueRef<'_>| matches!(value.ty(), Type::Map(_) | Type::Object(_));
        self.any(block, Nesting::List, [config, planned], |[c, n]| {
            c.is_present() && n.is_present() && is_keyed(c) != is_keyed(n)
        })
    }

    /// Whether all blocks of dynamic type are of the kinds that their nesting modes name: lists and tuples, or maps and objects,
    /// of objects.
    pub(super) fn has_named_kinds(self, block: &Block, value: ValueRef<'_>) -> bool {
        if !value.is_present() {
            return true;
        }
        block.block_types.iter().all(|(name, nested)| {
            let blocks = member(value, name);
            let is_named = match nested.nesting {
                _ if !nested.implied_type(self.dialect).is_dynamic() => true,
                Nesting::List => matches!(blocks.ty(), Type::List(_) | Type::Tuple(_) | Type::Dynamic),
                Nesting::Map => matches!(blocks.ty(), Type::Map(_) | Type::Object(_) | Type::Dynamic),
                Nesting::Single | Nesting::Group | Nesting::Set => true,
            };
            is_named
                && match nested.nesting {
                    Nesting::Single | Nesting::Group => self.has_named_kinds(&nested.block, blocks),
                    Nesting::List | Nesting::Map | Nesting::Set => {
                        has_object_elements(blocks.ty())
                            && (!blocks.is_present()
                                || blocks.children().all(|(_, element)| self.has_named_kinds(&nested.block, element)))
                    }
                }
        })
    }

    /// Whether `holds` is true of two values at blocks of a nesting mode, whose type is dynamic, outside collections.
    fn any(
        self,
        block: &Block,
        nesting: Nesting,
        values: [ValueRef<'_>; 2],
        holds: impl Fn([ValueRef<'_>; 2]) -> bool + Copy,
    ) -> bool {
        block.block_types.iter().any(|(name, nested)| {
            let members = values.map(|value| member(value, name));
            match nested.nesting {
                mode if mode == nesting && nested.implied_type(self.dialect).is_dynamic() => holds(members),
                Nesting::Single | Nesting::Group => self.any(&nested.block, nesting, members, holds),
                Nesting::List | Nesting::Map | Nesting::Set => false,
            }
        })
    }
}

fn has_object_elements(ty: &Type) -> bool {
    let is_object = |ty: &Type| matches!(ty, Type::Object(_) | Type::Dynamic);
    match ty {
        Type::List(element) | Type::Set(element) | Type::Map(element) => is_object(element),
        Type::Tuple(tuple) => tuple.elements().iter().all(is_object),
        Type::Object(object) => object.attributes().iter().all(|attribute| is_object(&attribute.ty)),
        Type::Dynamic => true,
        Type::Bool | Type::Number | Type::String => false,
    }
}

/// The step by which an engine looks up the counterpart of this step in another value: names of objects are keys, and so are the
/// texts and the whole numbers of a set.
pub(super) fn as_key(step: Step) -> Step {
    match step {
        Step::Attribute(name) => Step::Key(name),
        Step::Element(element) => {
            let view = element.view();
            let index = view.as_number().and_then(Number::to_i64).and_then(|index| u64::try_from(index).ok());
            match (view.as_text(), index) {
                (Some(name), _) => Step::Key(name.clone()),
                (None, Some(index)) => Step::Index(index),
                (None, None) => Step::Element(element),
            }
        }
        step => step,
    }
}
