//! Nested blocks (S01, S17 to S26).

use planfuzz_core::schema::{Block, Named, NestedBlock, Nesting};

use super::super::pools::Pools;
use super::super::swarm::Switch;
use super::{Inventor, Place, Style};
use crate::generate::dice::weighted;

impl Inventor<'_, '_, '_> {
    /// A block with its contents.
    pub(super) fn block(&mut self, place: Place) -> Block {
        let blocks_wanted = self.block_count(place);
        // Sometimes without attributes, so that the merge of the block depends on structure alone.
        let bare = blocks_wanted > 0 && self.dice.chance(30) || place.inner && self.dice.chance(10);
        let width = if bare { 0 } else { self.width(place) };
        let block_types = self.block_types(place, blocks_wanted);
        let attributes = self.attributes(place, width);
        let deprecated = self.dice.chance(6);
        Block { attributes, block_types, computed: false, deprecated, deprecation_message: None }
    }

    fn block_count(&mut self, place: Place) -> usize {
        let share = match (self.style, place.inner) {
            (Style::Flat | Style::Nested, _) => 0,
            (Style::Both | Style::Blocks, false) => 255,
            (Style::Both | Style::Blocks, true) => 88,
        };
        if place.depth >= self.size.depth || !self.chance(Switch::Block, share) {
            return 0;
        }
        1 + self.dice.run(120, usize::from(self.size.inner_width))
    }

    fn block_types(&mut self, place: Place, count: usize) -> Named<NestedBlock> {
        let mut blocks = Vec::with_capacity(count);
        for _ in 0..count {
            if !self.burn() {
                break;
            }
            let nested = self.nested_block(place);
            blocks.push(nested);
        }
        // C10: the engine has no definite outcome for a computed block beside other blocks.
        if let Some(computed) = blocks.iter().position(|nested| nested.block.computed) {
            blocks.swap(0, computed);
            blocks.truncate(1);
            // C02: under a name that is also a key of object types.
            if self.dice.chance(128) {
                let name = self.pools.block_names[Pools::SHARED_BLOCK_NAME].clone();
                return Named::new(blocks.into_iter().map(|block| (name.clone(), block)).collect());
            }
        }
        self.named('b', blocks)
    }

    pub(super) fn nested_block(&mut self, place: Place) -> NestedBlock {
        let computed = self.is_computed(place);
        let nesting = self.block_nesting(computed);
        let inside = Place {
            depth: place.depth + 1,
            inner: true,
            in_set: place.in_set || nesting == Nesting::Set,
            in_computed: computed,
        };
        let mut block = self.block(inside);
        block.computed = computed;
        let (min_items, max_items) = self.limits(nesting, computed);
        NestedBlock { nesting, block, min_items, max_items }
    }

    /// S05, S26: whatever is inside a computed block is computed.
    fn is_computed(&mut self, place: Place) -> bool {
        self.dialect.has_computed_blocks() && (place.in_computed || self.chance(Switch::ComputedBlock, 72))
    }

    pub(super) fn block_nesting(&mut self, computed: bool) -> Nesting {
        let (set, map) = (u8::from(self.on(Switch::Set)), u8::from(self.on(Switch::Map)));
        let group = u8::from(self.on(Switch::GroupBlock) && !computed);
        weighted! { self.dice;
            64 => Nesting::List,
            64 * set => Nesting::Set,
            44 => Nesting::Single,
            48 * map => Nesting::Map,
            32 * group => Nesting::Group,
        }
    }

    /// S18 to S21, S26: the least and the greatest number of blocks.
    pub(super) fn limits(&mut self, nesting: Nesting, computed: bool) -> (i64, i64) {
        if !self.chance(Switch::Limits, 96) {
            return (0, 0);
        }
        match nesting {
            Nesting::Group | Nesting::Map => (0, 0),
            Nesting::Single if computed => (0, 0),
            Nesting::Single => (1, 1),
            Nesting::List | Nesting::Set if computed => *self.dice.pick(&[(0, 1), (0, 2)]),
            Nesting::List | Nesting::Set => {
                *self.dice.pick(&[(0, 1), (0, 1), (1, 1), (1, 0), (0, 2), (1, 3), (2, 2), (2, 0)])
            }
        }
    }
}
