//! From a diff to the planned object (Z80).

mod attribute;
mod blocks;
mod layout;
#[cfg(test)]
mod tests;

pub(super) use layout::Layout;

use super::diff::Diff;
use super::flat::{FlatMap, joined};
use layout::Part;

/// Applies a diff to a state, both flat.
#[derive(Clone, Copy)]
pub(super) struct Planned<'a> {
    pub state: &'a FlatMap,
    pub diff: &'a Diff,
}

impl Planned<'_> {
    /// The planned object, flat.
    pub fn object(&self, layout: &Layout) -> FlatMap {
        let mut out = FlatMap::default();
        self.parts(layout, "", &mut out);
        out
    }

    fn parts(&self, layout: &Layout, path: &str, out: &mut FlatMap) {
        for (name, part) in layout.parts() {
            let path = joined(path, name);
            match part {
                Part::Primitive(leaf) => {
                    if let Some(text) = self.primitive(&path, *leaf) {
                        out.set(path, text);
                    }
                }
                Part::Collection(collection) => self.collection(&path, *collection, out),
                Part::Blocks { is_set, layout } => self.blocks(&path, *is_set, layout, out),
                // Z85: the planned value of such a set is lost.
                Part::LostSet => {}
            }
        }
    }
}
