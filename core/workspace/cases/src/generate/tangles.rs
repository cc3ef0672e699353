//! Statements of moves that have to do with each other: chains, nested ones, ones that meet, lead to themselves or go round.
//!
//! Names and keys change first, with and without moves of their own. Then moves are written between what was there before and what is
//! there now, whether it was that or not.

use super::grow::Grower;
use super::kit::Kind;
use super::project::{Module, Repeat};

/// An end of a move.
#[derive(Clone, Debug, PartialEq)]
struct MoveEnd {
    address: String,
    kind: EndKind,
}

/// What is moved. An engine takes moves between managed and data resources as well, and loses objects by it without a word: rules and laws
/// would say nothing else of them.
#[derive(Clone, Copy, Debug, PartialEq)]
enum EndKind {
    Module,
    Managed,
    Data,
}

impl Grower<'_, '_> {
    /// Makes edits, and moves that may or may not be theirs.
    pub(super) fn tangle(&mut self) -> Option<&'static str> {
        let before = self.move_ends();
        for _ in 0..=self.choices.below(3) {
            self.change_address();
        }
        let now = self.move_ends();
        let gone: Vec<MoveEnd> = before.iter().filter(|end| !now.contains(end)).cloned().collect();
        for _ in 0..=self.choices.below(3) {
            let sources = if self.choices.chance(85) && !gone.is_empty() { &gone } else { &before };
            let from = self.choices.pick(sources)?.clone();
            let to = self.other_end(&from, &before, &now)?;
            self.project.modules[0].moved.push((from.address, to));
        }
        Some("edit: moves that meet")
    }

    fn change_address(&mut self) {
        match self.choices.below(5) {
            0 => drop(self.rename_block()),
            1 => drop(self.rename_call()),
            2 => drop(self.change_repeat()),
            3 => drop(self.over_border()),
            _ => self.change_repeat_of_call(),
        }
    }

    fn change_repeat_of_call(&mut self) {
        let calls = self.calls();
        let Some((module, place)) = self.choices.pick(&calls).copied() else { return };
        let repeat = self.repeat(module);
        self.project.modules[module].calls[place].repeat = repeat;
    }

    /// The other end of a move: something of the same kind, rarely the same.
    fn other_end(&mut self, from: &MoveEnd, before: &[MoveEnd], now: &[MoveEnd]) -> Option<String> {
        if self.choices.chance(6) {
            return Some(from.address.clone());
        }
        let among = if self.choices.chance(75) { now } else { before };
        let alike: Vec<&MoveEnd> = among.iter().filter(|end| end.kind == from.kind).collect();
        let to = self.choices.pick(&alike)?.address.clone();
        let key = *self.choices.pick(&["[0]", "[\"x\"]", "[\"y\"]"])?;
        Some(if self.choices.chance(15) && !to.ends_with(']') { format!("{to}{key}") } else { to })
    }

    /// What a statement of the root can name: calls to depth 2 and what is in them, as a whole and with the keys that they have.
    fn move_ends(&self) -> Vec<MoveEnd> {
        let mut found = Vec::new();
        self.ends_in(&self.project.modules[0], "", 2, &mut found);
        found
    }

    fn ends_in(&self, module: &Module, path: &str, depth: usize, found: &mut Vec<MoveEnd>) {
        let mut add = |whole: String, repeat: &Repeat, kind| {
            let with_keys = repeat.keys().into_iter().filter(|key| !key.is_empty()).map(|key| format!("{whole}{key}"));
            let addresses: Vec<String> = std::iter::once(whole.clone()).chain(with_keys).collect();
            found.extend(addresses.into_iter().map(|address| MoveEnd { address, kind }));
        };
        for block in module.blocks.iter().filter(|block| block.kind != Kind::Ephemeral) {
            let kind = if block.kind == Kind::Info { EndKind::Data } else { EndKind::Managed };
            add(format!("{path}{}", block.address()), &block.repeat, kind);
        }
        for call in &module.calls {
            add(format!("{path}module.{}", call.name), &call.repeat, EndKind::Module);
        }
        for call in module.calls.iter().filter(|_| depth > 0) {
            for key in call.repeat.keys() {
                let inner = format!("{path}module.{}{key}.", call.name);
                self.ends_in(&self.project.modules[call.module], &inner, depth - 1, found);
            }
        }
    }
}
