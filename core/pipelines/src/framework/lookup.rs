//! Finds the configured value for a planned one, by the plan's own steps (F21, F42).

use crate::equality::{SetIndex, find_in_set};
use planfuzz_core::schema::Nesting;
use planfuzz_core::value::{Node, ValueRef};

use super::program::Nest;

/// Up to this many elements of a set are searched linearly.
const FEW: usize = 8;

/// The objects of a configured nested attribute or block, to be found by those of the plan.
pub(super) struct Configured<'a> {
    nesting: Nesting,
    config: ValueRef<'a>,
    plan: ValueRef<'a>,
    /// For sets with many elements.
    index: Option<SetIndex<'a>>,
}

impl<'a> Configured<'a> {
    /// Both configuration and plan have to be known.
    pub fn new(nest: &Nest, config: ValueRef<'a>, plan: ValueRef<'a>) -> Configured<'a> {
        let is_large_set = nest.nesting == Nesting::Set && config.len() > FEW && plan.len() > FEW;
        let element = config.ty().element().filter(|_| is_large_set);
        let index = element.map(|element| SetIndex::new(element, config.node().parts()));
        Configured { nesting: nest.nesting, config, plan, index }
    }

    /// The configured object for the plan's element at a position; the plan is the one before the walk (F21).
    pub fn object(&self, position: usize) -> Option<ValueRef<'a>> {
        match self.nesting {
            Nesting::Single | Nesting::Group => Some(self.config),
            Nesting::List => self.config.element(position),
            Nesting::Map => match self.plan.node() {
                Node::Map(map) => self.config.entry(map.keys().get(position)?),
                _ => None,
            },
            Nesting::Set => {
                let (element, wanted) = (self.config.ty().element()?, self.plan.node().parts().get(position)?);
                let found = match &self.index {
                    Some(index) => index.find(element, wanted),
                    None => find_in_set(element, self.config.node().parts(), wanted),
                };
                found.map(|node| ValueRef::new(element, node))
            }
        }
    }
}
