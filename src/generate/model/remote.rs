//! Errors of well-behaved providers, and faults.

use planfuzz_core::schema::{Attribute, Block, Named, NestedBlock, Nesting, Shape};
use planfuzz_core::value::{Text, Type};
use planfuzz_pipelines::expression::{Cond, Operation};
use planfuzz_pipelines::model::{Done, Failure, Fault, FaultName, RemoteCall, When};

use super::super::dice::Share;
use super::super::value::ValueGenerator;
use super::Kit;
use super::expressions::{self, Bounds, Reach};
use super::shapes::fresh_name;
use super::spots::{Part, Spot};

/// Failures of remote calls (section 3.5): none mostly.
pub(super) fn failures(values: &mut ValueGenerator<'_, '_, '_>, kit: &Kit<'_>, share: Share) -> Vec<Failure> {
    let count = values.dice.run(share, 2);
    (0..count).map(|_| failure(values, kit)).collect()
}

fn failure(values: &mut ValueGenerator<'_, '_, '_>, kit: &Kit<'_>) -> Failure {
    let when = match values.dice.below(4) {
        0 => Reach { spots: kit.spots, of: None, bounds: Bounds::Free }.cond(values, 2),
        _ => Cond::Bool(true),
    };
    let on = *values.dice.pick(&RemoteCall::ALL);
    let done = match values.dice.below(4) {
        _ if matches!(on, RemoteCall::Delete | RemoteCall::Read) => Done::None,
        0 => Done::None,
        1 => Done::All,
        _ => {
            let names = (0..=values.dice.below(3)).filter_map(|_| expressions::top_name(values, kit.spots, |_| true));
            let mut names: Vec<Text> = names.map(|(_, name)| name).collect();
            names.sort_unstable();
            names.dedup();
            Done::Names(names)
        }
    };
    Failure { on, times: 1 + values.dice.below(2) as u64, when, done }
}

/// A fault of the catalogue, or a control.
pub(super) fn fault(values: &mut ValueGenerator<'_, '_, '_>, name: FaultName, spots: &[Spot]) -> Fault {
    let need = Need::of(name);
    let at = match values.dice.chance(72) {
        true if need != Need::Nothing => {
            // Spots inside others are more numerous, but rarely filled.
            let inside = values.dice.chance(96) && spots.iter().any(|spot| !spot.is_top() && need.is_met(spot));
            let fits = |spot: &&Spot| spot.is_top() != inside && need.is_met(spot);
            let count = spots.iter().filter(fits).count();
            spots.iter().filter(fits).nth(values.dice.below(count))
        }
        _ => None,
    };
    let op = values.dice.chance(32).then(|| *values.dice.pick(&Operation::ALL));
    let nth = values.dice.chance(40).then(|| 1 + values.dice.below(3) as u64);
    Fault { name, at: at.map(|spot| spot.path.clone()), when: When { op, nth } }
}

/// Whether a schema has a place for a fault.
pub(super) fn has_place(name: FaultName, spots: &[Spot]) -> bool {
    let need = Need::of(name);
    need == Need::Nothing || spots.iter().any(|spot| spot.is_top() && need.is_met(spot))
}

/// Gives a schema a place for a fault.
pub(super) fn make_place(name: FaultName, block: &mut Block) {
    let mut attribute = Attribute::new(Shape::Leaf(Type::String));
    match Need::of(name) {
        Need::Nothing => return,
        Need::Block => {
            let mut entries = std::mem::take(&mut block.block_types).into_entries();
            let mut inner = Attribute::new(Shape::Leaf(Type::String));
            inner.optional = true;
            let attributes = Named::new(vec![(Text::new("a"), inner)]);
            let nested = NestedBlock {
                nesting: Nesting::List,
                block: Block { attributes, ..Block::default() },
                min_items: 0,
                max_items: 0,
            };
            entries.push((Text::new("blocks"), nested));
            block.block_types = Named::new(entries);
            return;
        }
        Need::Configured | Need::Unset | Need::Text => attribute.optional = true,
        Need::Computed => attribute.computed = true,
        Need::OptionalComputed => (attribute.optional, attribute.computed) = (true, true),
        Need::WriteOnly => (attribute.optional, attribute.write_only) = (true, true),
        Need::List => (attribute.optional, attribute.shape) = (true, Shape::Leaf(Type::list(Type::String))),
        Need::Dynamic => (attribute.optional, attribute.shape) = (true, Shape::Leaf(Type::Dynamic)),
    }
    let mut entries = std::mem::take(&mut block.attributes).into_entries();
    entries.push((fresh_name(&entries), attribute));
    block.attributes = Named::new(entries);
}

/// What a fault needs in a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Need {
    Nothing,
    Configured,
    Unset,
    Computed,
    OptionalComputed,
    WriteOnly,
    Text,
    List,
    Dynamic,
    Block,
}

impl Need {
    fn of(name: FaultName) -> Need {
        use FaultName as F;
        match name {
            F::PlanOverride | F::PlanUnset | F::PlanUnknownConfigured | F::PlanGuessUnknown | F::PlanWrongType => {
                Need::Configured
            }
            F::SecondReplaces | F::SecondUpdates | F::ValidateUnknown | F::ApplyChangeKnown => Need::Configured,
            F::ApplyWrongType | F::ApplySilentPartial | F::ReadWrongType | F::ReadForgets => Need::Configured,
            F::UpgradeWrongType | F::ReplaceUnchanged | F::ReplaceUnsorted => Need::Configured,
            F::PlanValueForUnset => Need::Unset,
            F::SecondDiffers | F::SecondUnknown | F::PerpetualUnknown | F::PerpetualValue | F::ReplaceAlways => {
                Need::Computed
            }
            F::PlanNondeterministic | F::ApplyLeaveUnknown | F::ApplyErrorUnknown | F::ReadUnknown => Need::Computed,
            F::ReadUnstable | F::UpgradeUnknown | F::ApplyNullForUnknown => Need::Computed,
            F::ValidateDefaultMissing => Need::OptionalComputed,
            F::PlanWriteOnly | F::ApplyWriteOnly | F::ReadWriteOnly => Need::WriteOnly,
            F::ApplyNormalise | F::ReadNormalise => Need::Text,
            F::ApplyReorder => Need::List,
            F::ApplyDynamicType => Need::Dynamic,
            F::PlanBlockAdd | F::PlanBlockDrop | F::ApplyBlockDrop | F::ApplyBlockAdd | F::ReadNullBlocks => {
                Need::Block
            }
            F::PlanNull | F::PlanKeepOnDestroy | F::ReplaceBadPath | F::ApplyNull | F::ApplyKeepOnDelete => {
                Need::Nothing
            }
            F::ApplyErrorLies | F::ApplyCrash | F::ImportNone | F::ImportMany | F::ImportNull => Need::Nothing,
            F::SecondPrior | F::ApplyErrorNull | F::ApplyErrorPartial | F::PrivateLost => Need::Nothing,
            F::PlanDefers | F::ReadDefers | F::Warnings => Need::Nothing,
        }
    }

    fn is_met(self, spot: &Spot) -> bool {
        let leaf = spot.part == Part::Leaf && !spot.write_only;
        match self {
            Need::Nothing => true,
            Need::Configured => leaf && spot.is_configurable(),
            Need::Unset => leaf && spot.optional && !spot.computed,
            Need::Computed => leaf && spot.computed,
            Need::OptionalComputed => leaf && spot.computed && spot.optional,
            Need::WriteOnly => spot.write_only,
            Need::Text => leaf && spot.ty == Type::String && spot.is_configurable(),
            Need::List => leaf && matches!(spot.ty, Type::List(_)) && spot.is_configurable(),
            Need::Dynamic => leaf && spot.ty.is_dynamic() && spot.is_configurable(),
            Need::Block => matches!(spot.part, Part::Block(Nesting::List)),
        }
    }
}
