//! Swarm: features switched off for a schema and its cases.
//!
//! Cases that contain a bit of everything never show what happens without a feature: without sets the merge is
//! idempotent, without unknowns a plan is a state. So each feature is switched off in a share of the cases, independently.

use super::dice::{Dice, Share};

/// A feature that can be switched off. The order is only that in which they are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Switch {
    /// Unknowns anywhere.
    Unknown,
    /// Refinement records (V40).
    Refined,
    /// Unknown lists, sets and maps of blocks (S51).
    UnknownBlock,
    /// Unknown elements of collections.
    UnknownElement,
    /// Null elements of collections.
    NullElement,
    /// `dynamic` in leaf types.
    Dynamic,
    /// Tuples in leaf types.
    Tuple,
    /// Objects in leaf types.
    Object,
    /// Optional markers in leaf types.
    OptionalMarker,
    /// Sets: leaves, nested types, blocks.
    Set,
    /// Maps: leaves, nested types, blocks.
    Map,
    /// Nested types.
    NestedType,
    /// Nested blocks.
    Block,
    /// Blocks of mode group.
    GroupBlock,
    /// Attributes that are not computed.
    Configured,
    /// Attributes that are computed.
    Computed,
    /// Sensitive attributes.
    Sensitive,
    /// Write-only attributes.
    WriteOnly,
    /// `min_items` and `max_items`.
    Limits,
    /// Numbers beyond small whole ones.
    OddNumbers,
    /// Texts beyond a few letters.
    OddTexts,
    /// Odd names of attributes.
    OddNames,
    /// Computed blocks (S05).
    ComputedBlock,
}

impl Switch {
    const ALL: [Switch; 23] = [
        Switch::Unknown,
        Switch::Refined,
        Switch::UnknownBlock,
        Switch::UnknownElement,
        Switch::NullElement,
        Switch::Dynamic,
        Switch::Tuple,
        Switch::Object,
        Switch::OptionalMarker,
        Switch::Set,
        Switch::Map,
        Switch::NestedType,
        Switch::Block,
        Switch::GroupBlock,
        Switch::Configured,
        Switch::Computed,
        Switch::Sensitive,
        Switch::WriteOnly,
        Switch::Limits,
        Switch::OddNumbers,
        Switch::OddTexts,
        Switch::OddNames,
        Switch::ComputedBlock,
    ];
}

/// The features that are off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) struct Swarm {
    off: u32,
}

impl Swarm {
    /// Switches each feature off with the probability `share`.
    pub(super) fn draw(dice: &mut Dice<'_, '_>, share: Share) -> Swarm {
        let mut off = 0;
        for switch in Switch::ALL {
            off |= u32::from(dice.chance(share)) << switch as u32;
        }
        Swarm { off }
    }

    /// Whether the feature is on.
    pub(super) fn has(self, switch: Switch) -> bool {
        self.off & (1 << switch as u32) == 0
    }

    /// The features without one of them.
    pub(super) fn without(self, switch: Switch) -> Swarm {
        Swarm { off: self.off | 1 << switch as u32 }
    }

    /// The share where the feature is on, 0 where it is off.
    pub(super) fn share(self, switch: Switch, share: Share) -> Share {
        if self.has(switch) { share } else { 0 }
    }
}
