//! The floor of each feature: the least share of cases that must have it.
//!
//! A floor is about half of what was measured when it was set: a change of the dice does not trip it, the loss of a feature
//! does. Features that are rare also in real plans have floors of their own; the others have the floor of their kind of row.

use planfuzz_core::schema::Nesting;

use super::row::{Change, Elements, Feature, Leaf, Part, Plan, Result, Role, Shape};

impl Feature {
    /// The least share of cases, of the mixed preset in all dialects, that must have the feature; `None` for a feature that is not
    /// generated yet.
    pub(super) fn floor(self) -> Option<f64> {
        Some(match self {
            Feature::Missing(_) | Feature::Excluded(_) => return None,
            Feature::Dialect(_) => 0.2,
            Feature::Attribute(..) => 0.1,
            Feature::Flag(..) => 0.03,
            Feature::Leaf(Leaf::SetOfObjects | Leaf::SetInSet) => 0.02,
            Feature::Leaf(_) => 0.05,
            // Merging a group crashes (M11), and only Terraform since 1.15 has them.
            Feature::Nested(Nesting::Group, _) => 0.0005,
            Feature::Nested(..) => 0.02,
            Feature::Block(_) => 0.04,
            Feature::BlockIn(..) => 0.0025,
            Feature::Shape(shape) => shape.floor(),
            Feature::Value(role, part) => part.floor(role),
            Feature::Change(change) => change.floor(),
            Feature::BlockElements(elements, mode) | Feature::NestedElements(elements, mode) => elements.floor(mode),
            Feature::Plan(plan) => plan.floor(),
            Feature::Result(result) => result.floor(),
            Feature::AnswerClass(outcome) => outcome.floor(),
        })
    }
}

impl Shape {
    fn floor(self) -> f64 {
        match self {
            Shape::NamedLikeComputedBlock => 0.0002,
            Shape::LonelyComputedBlock | Shape::ComputedBlock => 0.004,
            Shape::MapBlockInSet | Shape::VeryDeep => 0.004,
            _ => 0.015,
        }
    }
}

impl Part {
    fn floor(self, role: Role) -> f64 {
        match (self, role) {
            (Part::NullGroup, _) => 0.0002,
            (Part::MisshapenBlocks, Role::Planned | Role::Actual) => 0.0015,
            (
                Part::KeyedList
                | Part::IndexedMap
                | Part::SetOfUntyped
                | Part::PrimitiveBlocks
                | Part::EmptyOther
                | Part::AbsentOther
                | Part::ListOfNone,
                _,
            ) => 0.0001,
            (Part::NullNestedGroup | Part::MixedMarkers, _) => 0.0002,
            (Part::WidthEdge, _) => 0.01,
            (Part::FineFraction, _) => 0.004,
            (Part::LongPrefix | Part::VastPrefix, Role::Actual) => 0.00002,
            (Part::LongPrefix | Part::VastPrefix, _) => 0.0005,
            // A prior state and a configuration are seldom loose.
            (Part::MisshapenBlocks, Role::Prior | Role::Config) => 0.0003,
            // Blocks that are null or unknown are beyond S51: only loose values have them.
            (
                Part::RefinedBlocks
                | Part::UnknownBlock
                | Part::UnknownBlockElement
                | Part::NullBlockElement
                | Part::NullBlocks,
                _,
            ) => 0.0005,
            // An actual value with unknowns is a second plan.
            (part, Role::Actual) if part.is_unknown() => 0.0005,
            (Part::MinusZero | Part::SharedKey | Part::EmptyMapBlockInSet | Part::LongText, _) => 0.001,
            (Part::TypedUnknown | Part::UntypedUnknown | Part::NullBlock, _) => 0.003,
            (Part::UnknownNestedElement | Part::Infinite | Part::ObjectBlocks | Part::SetWriteOnly, _) => 0.006,
            _ => 0.01,
        }
    }
}

impl Change {
    fn floor(self) -> f64 {
        match self {
            Change::TypeChanged | Change::NestedUnderNull => 0.004,
            Change::Nothing | Change::SingleRemoved | Change::UnknownOverBlocks => 0.006,
            Change::PriorConfigured | Change::PriorUnconfigured | Change::Destroy => 0.015,
            _ => 0.06,
        }
    }
}

impl Elements {
    fn floor(self, mode: Nesting) -> f64 {
        match (self, mode) {
            (Elements::Moved, _) => 0.001,
            (Elements::Dropped, Nesting::Map) => 0.002,
            (Elements::Shared, _) => 0.015,
            _ => 0.004,
        }
    }
}

impl Plan {
    fn floor(self) -> f64 {
        match self {
            Plan::CloseNumber => 0.0002,
            Plan::OfAnotherKind | Plan::NullOfOwnType => 0.0001,
            Plan::OddUnknownCount | Plan::KeyDiffers => 0.001,
            Plan::LastDiffers | Plan::KeepsPriorInMap | Plan::GainsRecord | Plan::LosesRecord => 0.002,
            _ => 0.02,
        }
    }
}

impl Result {
    fn floor(self) -> f64 {
        match self {
            Result::KeyDiffers | Result::TypeDiffers => 0.003,
            Result::OfAnotherKind | Result::OpenInfinity => 0.0001,
            _ => 0.015,
        }
    }
}
