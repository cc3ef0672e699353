//! The dependencies of a block (G140).

use planfuzz_core::address::{ConfigResource, ResourceMode};

use crate::graph::Node;
use crate::walk::Walk;

/// A dependency.
#[derive(Clone, Debug)]
pub struct Depends {
    /// The block or orphan.
    pub of: Source,
    /// Its address as text.
    pub text: planfuzz_core::value::Text,
}

/// The kinds of dependencies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A block.
    Block(u32),
    /// An object without a block.
    Orphan(u32),
}

impl Walk<'_, '_, '_, '_> {
    /// The dependencies of a block: all blocks and orphans that it reaches, sorted by their addresses (G140).
    pub fn dependencies(&mut self, block: usize) -> Vec<Depends> {
        let graph = &self.wired.graph;
        let Some(id) = graph.id(Node::Block(block as u32)) else { return Vec::new() };
        self.marks.clear(graph.len());
        let (mut rest, mut blocks, mut orphans) = (vec![id], Vec::new(), Vec::new());
        while let Some(node) = rest.pop() {
            for &to in &graph.waits[node as usize] {
                if self.marks.mark(to) {
                    rest.push(to);
                    match graph.nodes[to as usize] {
                        Node::Block(of) if of as usize != block => blocks.push(of),
                        Node::Orphan(thing) => orphans.push(thing),
                        _ => {}
                    }
                }
            }
        }
        if fault!(DataNoDependency) {
            blocks.retain(|&of| self.model.blocks[of as usize].address.mode != ResourceMode::Data);
        }
        blocks.sort_unstable_by_key(|&of| self.model.ranks[of as usize]);
        let mut found: Vec<Depends> = Vec::with_capacity(blocks.len());
        for of in blocks {
            let text = &self.model.blocks[of as usize].text;
            // A block that is declared twice has one address.
            if *text != self.model.blocks[block].text && found.last().is_none_or(|last| last.text != *text) {
                found.push(Depends { of: Source::Block(of), text: text.clone() });
            }
        }
        if !orphans.is_empty() {
            found.extend(orphans.into_iter().map(|thing| {
                let config = self.wired.things[thing as usize].address.config_resource();
                Depends { of: Source::Orphan(thing), text: config.to_string().as_str().into() }
            }));
            found.sort_by_cached_key(|one| self.config_of(one));
            found.dedup_by(|a, b| a.text == b.text);
        }
        found
    }

    /// The address of a dependency.
    pub fn config_of(&self, depends: &Depends) -> ConfigResource {
        self.scene().config_of(depends)
    }
}
