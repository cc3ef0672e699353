//! Fresh values for a schema: what a state, a configuration or a plan might hold at any place.
//!
//! Types come first: where the schema has `dynamic`, a concrete type is drawn for the whole attribute, and the payload
//! is made for it. So elements of one collection share a type (V08) by construction.

mod block;
pub(super) mod entries;
mod leaf;
pub(super) mod misshapen;
mod nested;
pub(super) mod settle;
mod unknown;

use planfuzz_core::value::{Node, Type, Value};

use super::dice::{Dice, Share};
use super::outline::AttributeOutline;
use super::pools::Pools;
use super::schema_context::SchemaContext;
use super::settings::Size;
use super::swarm::{Swarm, Switch};

/// The purpose of a value, which decides what is likely and what is legal in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A state: wholly known, computed attributes set, write-only ones null.
    State,
    /// A configuration (S50 to S53): computed attributes null, unknowns anywhere an expression stands.
    Config,
    /// A state that merely conforms to the type, as a provider may have left it: null blocks, null block elements.
    LooseState,
    /// A configuration or plan that merely conforms to the type: anything anywhere.
    Loose,
}

impl Role {
    /// Whether there may be unknowns.
    pub(super) fn has_unknowns(self) -> bool {
        matches!(self, Role::Config | Role::Loose)
    }

    /// Whether blocks may be null and unknown where S51 forbids it.
    pub(super) fn is_loose(self) -> bool {
        matches!(self, Role::LooseState | Role::Loose)
    }
}

/// Makes the values of one case.
pub(super) struct ValueGenerator<'m, 'd, 'b> {
    pub(super) dice: &'m mut Dice<'d, 'b>,
    pub(super) pools: &'m Pools,
    pub(super) size: Size,
    pub(super) swarm: Swarm,
    /// About how many more parts the current value may get.
    pub(super) fuel: usize,
    /// Whether -0 may be made: only for schemas without sets, because sets must not hold it (V56).
    minus_zero: bool,
}

/// Whether a value is null, unknown or present.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Presence {
    Null,
    Unknown,
    Present,
}

impl<'m, 'd, 'b> ValueGenerator<'m, 'd, 'b> {
    /// A generator with fuel for one value.
    pub(super) fn new(
        dice: &'m mut Dice<'d, 'b>,
        pools: &'m Pools,
        schema_context: &SchemaContext,
    ) -> ValueGenerator<'m, 'd, 'b> {
        let SchemaContext { size, swarm, minus_zero, .. } = *schema_context;
        ValueGenerator { dice, pools, size, swarm, fuel: usize::from(size.value_fuel), minus_zero }
    }

    /// Fuel for the next value.
    pub(super) fn refuel(&mut self) {
        self.fuel = usize::from(self.size.value_fuel);
    }

    /// True with the probability `share` if the feature is on.
    pub(super) fn chance(&mut self, switch: Switch, share: Share) -> bool {
        let share = self.swarm.share(switch, share);
        self.dice.chance(share)
    }

    fn burn(&mut self) -> bool {
        let left = self.fuel > 0;
        self.fuel = self.fuel.saturating_sub(1);
        left
    }

    /// An attribute's value, of a type drawn for it where the schema leaves one open.
    pub(super) fn attribute(&mut self, attribute: &AttributeOutline, role: Role) -> Value {
        let ty = self.concrete(&attribute.ty);
        let node = self.attribute_node(attribute, &ty, role);
        Value::from_parts(ty, node)
    }

    /// An attribute's payload along a concrete type.
    pub(super) fn attribute_node(&mut self, attribute: &AttributeOutline, ty: &Type, role: Role) -> Node {
        match self.presence(attribute, role) {
            Presence::Null => Node::Null,
            Presence::Unknown => self.unknown(ty),
            Presence::Present => self.present_attribute(attribute, ty, role),
        }
    }

    /// The payload of an attribute that is neither null nor unknown as a whole.
    pub(super) fn present_attribute(&mut self, attribute: &AttributeOutline, ty: &Type, role: Role) -> Node {
        match &attribute.nested {
            Some(nested) => self.present_nested(nested, ty, role),
            None => self.present_leaf(ty, role),
        }
    }

    fn presence(&mut self, attribute: &AttributeOutline, role: Role) -> Presence {
        let null = match (role, attribute.required, attribute.optional, attribute.computed) {
            (Role::State | Role::LooseState, ..) if attribute.write_only => 250,
            (Role::State | Role::Config, true, ..) => 4,
            (Role::State | Role::LooseState, _, true, false) => 72,
            (Role::State | Role::LooseState, ..) => 24,
            (Role::Config, _, false, true) => return Presence::Null,
            (Role::Config, _, _, true) => 128,
            (Role::Config, ..) => 72,
            (Role::Loose, ..) => 56,
        };
        if !self.burn() && !attribute.required {
            return Presence::Null;
        }
        let unknown = match role {
            Role::State | Role::LooseState => 0,
            Role::Config => self.swarm.share(Switch::Unknown, 22),
            Role::Loose => self.swarm.share(Switch::Unknown, 44),
        };
        // One byte decides both: below `null` the value is null, at the upper end it is unknown.
        match self.dice.byte() {
            byte if byte < null => Presence::Null,
            byte if u16::from(byte) + u16::from(unknown) >= 256 => Presence::Unknown,
            _ => Presence::Present,
        }
    }

    /// The number of elements of a collection, as fuel allows.
    pub(super) fn count(&mut self) -> usize {
        let most = usize::from(self.size.elements);
        let count = match self.dice.byte() {
            0..=29 => 0,
            30..=92 => 1,
            93..=195 => 2,
            196..=252 => 1 + self.dice.below(most),
            _ => most,
        };
        count.min(most).min(self.fuel)
    }

    /// The share of structured members that are present, where `branches` of them stand side by side.
    fn branch_share(&self, branches: usize) -> Share {
        let share = usize::from(self.size.present) * 200 / branches.max(1);
        Share::try_from(share).unwrap_or(Share::MAX)
    }

    /// The share of leaves that are made if fuel does not last for `leaves` of them; `None` if it does.
    fn leaf_share(&self, leaves: usize) -> Option<Share> {
        let share = (self.fuel * 256).checked_div(leaves)?;
        Share::try_from(share).ok()
    }

    /// Whether a leaf is left out so that the fuel reaches later ones as well.
    fn is_left_out(&mut self, share: Option<Share>) -> bool {
        share.is_some_and(|share| !self.dice.chance(share))
    }

    /// Runs `make` with an even part of the fuel, for one of `siblings` things still to be made. The fuel that it leaves
    /// goes back.
    pub(super) fn ration<T>(&mut self, siblings: usize, make: impl FnOnce(&mut Self) -> T) -> T {
        let portion = self.fuel.div_ceil(siblings.max(1));
        let kept = self.fuel - portion;
        self.fuel = portion;
        let made = make(self);
        self.fuel += kept;
        made
    }
}
