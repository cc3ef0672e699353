//! The rows of the feature table: made by combining small enums, so that a row cannot be forgotten.

use std::collections::HashMap;
use std::fmt;
use std::sync::LazyLock;

use planfuzz_core::schema::Nesting;

use super::outcome::AnswerClass;

/// An enum without fields that can name and list its variants.
macro_rules! listed {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(super) enum $name { $($variant,)* }

        impl $name {
            pub(super) const ALL: &'static [$name] = &[$($name::$variant,)*];

            fn name(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }
        }
    };
}

listed! {
    /// Where in a schema an attribute stands.
    Where { Root = "root", Block = "block", Nested = "nested_type", }
}

listed! {
    /// Flag classes (S04).
    Class { Required = "required", Optional = "optional", OptionalComputed = "optional_computed", Computed = "computed", }
}

listed! {
    /// Flags beyond the class.
    Flag { Sensitive = "sensitive", WriteOnly = "write_only", Deprecated = "deprecated", }
}

listed! {
    /// What occurs in leaf types.
    Leaf {
        Bool = "bool", Number = "number", String = "string", List = "list", Set = "set", Map = "map", Tuple = "tuple",
        Object = "object", OptionalMarker = "optional_marker", Dynamic = "dynamic", DynamicInside = "dynamic_inside",
        SetInSet = "set_in_set", SetOfObjects = "set_of_objects", Deep = "three_levels",
    }
}

listed! {
    /// The schema as a whole, and combinations in it.
    Shape {
        Flat = "flat", DepthTwo = "depth_2", DepthThree = "depth_3", Deeper = "depth_4_to_8", VeryDeep = "depth_over_8",
        Wide = "over_50_attributes", NoAttributes = "root_without_attributes", EmptyBlock = "empty_block",
        EmptyNested = "empty_nested_type", NestedInBlock = "nested_type_in_block", Dynamic = "dynamic_block_collection",
        ComputedBlock = "computed_block", MinOne = "min_items_1", MinMore = "min_items_over_1", MaxOne = "max_items_1",
        MaxMore = "max_items_over_1", LonelyComputedBlock = "computed_block_without_other_blocks", SeveralBlocks = "several_block_types", OddName = "odd_attribute_name",
        ComputedUnderOptional = "computed_child_of_optional", OptionalUnderComputed = "optional_child_of_computed",
        ComputedInSet = "computed_attribute_in_set", ComputedSetInSet = "computed_set_in_set",
        ComputedNestedInNested = "computed_nested_collection_in_nested_type",
        MapBlockInSet = "map_block_in_set_block_with_computed_attribute",
        NamedLikeComputedBlock = "leaf_object_member_named_like_computed_block",
    }
}

listed! {
    /// The values of a case.
    Role { Prior = "prior", Config = "config", Planned = "planned", Actual = "actual", }
}

listed! {
    /// What occurs in a value.
    Part {
        WholeNull = "null_object", WholeUnknown = "unknown_object", NullAttribute = "null_attribute",
        EmptyText = "empty_text", OddText = "odd_text", LongText = "long_text", Fraction = "fraction",
        BigWhole = "whole_beyond_2_53", Infinite = "infinity", MinusZero = "minus_zero",
        KnownAtDynamic = "known_at_dynamic", TypedNull = "typed_null_at_dynamic", UntypedNull = "untyped_null_at_dynamic",
        TypedUnknown = "typed_unknown_at_dynamic", UntypedUnknown = "untyped_unknown_at_dynamic",
        EmptyCollection = "empty_collection", SeveralElements = "several_elements", NullElement = "null_leaf_element",
        UnknownElement = "unknown_leaf_element", UnknownAttribute = "unknown_attribute",
        NotNull = "record_not_null", Prefix = "record_prefix", Bounds = "record_bounds", Lengths = "record_lengths",
        EmptyRecord = "empty_record", NullNested = "null_nested_type", UnknownNested = "unknown_nested_type",
        NullNestedElement = "null_nested_element", UnknownNestedElement = "unknown_nested_element",
        NullBlock = "null_single_block", NullGroup = "null_group_block", NullBlocks = "null_block_collection",
        UnknownBlocks = "unknown_block_collection", RefinedBlocks = "unknown_block_collection_with_record",
        UnknownBlock = "unknown_single_block", NullBlockElement = "null_block_element",
        UnknownBlockElement = "unknown_block_element", TupleBlocks = "tuple_of_blocks", ObjectBlocks = "object_of_blocks",
        EmptyMapBlockInSet = "empty_map_block_in_set_block", SetComputed = "computed_attribute_set",
        SetWriteOnly = "write_only_attribute_set", ComputedSiblings = "elements_that_differ_in_computed_only",
        MisshapenBlocks = "untyped_blocks_of_another_shape",
        KeyedList = "map_or_object_at_untyped_list_block", IndexedMap = "list_or_tuple_at_untyped_map_block",
        SetOfUntyped = "set_at_untyped_block", PrimitiveBlocks = "primitive_at_untyped_block",
        EmptyOther = "empty_untyped_block_of_another_kind", AbsentOther = "null_untyped_block_of_another_kind",
        ListOfNone = "list_of_null_or_unknown_at_untyped_list_block", NullNestedGroup = "null_nested_type_of_mode_group",
        MixedMarkers = "null_and_value_among_blocks_at_computed_leaf_with_markers",
        WidthEdge = "integer_at_edge_of_width", FineFraction = "fraction_of_over_53_bits",
        LongPrefix = "record_prefix_over_256_bytes", VastPrefix = "record_prefix_over_1024_bytes",
        UnknownInSet = "unknown_inside_set_element", SharedKey = "set_elements_that_share_a_key",
    }
}

listed! {
    /// Prior state against configuration.
    Change {
        Create = "create", Destroy = "destroy", Nothing = "both_null", Update = "update", Same = "same_attribute",
        Changed = "changed_attribute", Removed = "attribute_removed", Added = "attribute_added",
        ComputedKept = "computed_left_null_over_prior", ComputedNew = "computed_left_null_without_prior",
        UnknownOverPrior = "unknown_over_prior", TypeChanged = "dynamic_type_changed",
        NestedRemoved = "nested_type_removed", NestedUnderNull = "nested_under_null_prior",
        SingleRemoved = "single_block_removed", UnknownOverBlocks = "unknown_blocks_over_prior_blocks",
        PriorUnconfigured = "removed_computed_nested_type_without_configured_parts",
        PriorConfigured = "removed_computed_nested_type_with_configured_parts",
    }
}

listed! {
    /// The elements of a collection in prior state and configuration, computed attributes left out of account.
    Elements { Shared = "shared", Added = "added", Dropped = "dropped", Moved = "moved", Edited = "edited", }
}

listed! {
    /// Planned value against prior state and configuration.
    Plan {
        Config = "equals_config", Prior = "equals_prior", ComputedUnknown = "unknown_for_computed",
        ComputedValue = "value_for_computed", KeepsPrior = "attribute_keeps_prior_over_config",
        KeepsPriorInMap = "attribute_keeps_prior_over_config_in_map_block", Deviates = "attribute_deviates",
        NullForValue = "null_for_configured", ValueForNull = "value_for_null_configured",
        LosesRecord = "record_lost", GainsRecord = "record_gained", CountDiffers = "count_differs",
        KeyDiffers = "key_differs", LastDiffers = "last_element_deviates", CloseNumber = "number_deviates_beyond_2_53",
        ValueForUnknown = "value_for_unknown",
        OddUnknownCount = "known_set_for_unknown_set", OfAnotherKind = "untyped_blocks_of_another_kind_than_configured",
        NullOfOwnType = "typed_null_for_member_of_null_nested_element",
    }
}

listed! {
    /// Actual value against planned value.
    Result {
        Equal = "equals_planned", Completed = "completes_planned", Deviates = "attribute_deviates",
        OutsideRecord = "null_against_not_null_record", NullForValue = "null_for_value", ValueForNull = "value_for_null",
        TextForNull = "empty_text_for_null_or_reverse", CountDiffers = "count_differs", KeyDiffers = "key_differs",
        InSet = "deviates_inside_set_of_same_size", TypeDiffers = "type_differs_at_dynamic",
        BlocksForUnknown = "blocks_for_unknown_blocks", StillUnknown = "has_unknowns",
        OpenInfinity = "infinity_for_refined_unknown", OfAnotherKind = "untyped_blocks_of_another_kind_than_planned",
    }
}

listed! {
    /// What is known to matter and is not generated yet.
    Missing {
        Marks = "marks_inside_values", Floats = "numbers_of_53_bits_from_msgpack", Wire = "odd_msgpack_encodings",
        Lifecycle = "lifecycle_options", Provider = "provider_models", Upgrade = "schema_upgrades",
        InvalidSchema = "invalid_schemas", Conflict = "values_that_do_not_conform", Folding = "names_that_fold_in_nfc",
        Duplicates = "more_than_1000_elements",
    }
}

listed! {
    /// What must not be made: the engine itself has no one answer to it. A row here has no hits.
    Excluded { ComputedBesideOthers = "computed_block_beside_other_blocks", }
}

/// One row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Feature {
    Dialect(&'static str),
    Attribute(Class, Where),
    Flag(Flag, Where),
    Leaf(Leaf),
    Nested(Nesting, Where),
    Block(Nesting),
    BlockIn(Nesting, Nesting),
    Shape(Shape),
    Value(Role, Part),
    Change(Change),
    BlockElements(Elements, Nesting),
    NestedElements(Elements, Nesting),
    Plan(Plan),
    Result(Result),
    AnswerClass(AnswerClass),
    Missing(Missing),
    Excluded(Excluded),
}

/// The dialects that cases are counted by.
pub(super) const DIALECTS: [&str; 4] = ["terraform-1.11", "terraform-1.17", "opentofu-1.12", "opentofu-1.13"];

const COLLECTIONS: [Nesting; 3] = [Nesting::List, Nesting::Set, Nesting::Map];

/// All rows, in the order of the table.
pub(super) static ROWS: LazyLock<Vec<Feature>> = LazyLock::new(|| {
    let mut rows: Vec<Feature> = DIALECTS.map(Feature::Dialect).to_vec();
    for place in Where::ALL {
        rows.extend(Class::ALL.iter().map(|class| Feature::Attribute(*class, *place)));
        rows.extend(Flag::ALL.iter().map(|flag| Feature::Flag(*flag, *place)));
        rows.extend(Nesting::ALL.iter().map(|mode| Feature::Nested(*mode, *place)));
    }
    rows.extend(Leaf::ALL.iter().map(|leaf| Feature::Leaf(*leaf)));
    rows.extend(Nesting::ALL.iter().map(|mode| Feature::Block(*mode)));
    for outer in Nesting::ALL {
        rows.extend(Nesting::ALL.iter().map(|inner| Feature::BlockIn(outer, *inner)));
    }
    rows.extend(Shape::ALL.iter().map(|shape| Feature::Shape(*shape)));
    for role in Role::ALL {
        let possible = Part::ALL.iter().filter(|part| role.may_hold(**part));
        rows.extend(possible.map(|part| Feature::Value(*role, *part)));
    }
    rows.extend(Change::ALL.iter().map(|change| Feature::Change(*change)));
    for mode in COLLECTIONS {
        let orders = Elements::ALL.iter().filter(|elements| mode == Nesting::List || **elements != Elements::Moved);
        for elements in orders {
            rows.extend([Feature::BlockElements(*elements, mode), Feature::NestedElements(*elements, mode)]);
        }
    }
    rows.extend(Plan::ALL.iter().map(|plan| Feature::Plan(*plan)));
    rows.extend(Result::ALL.iter().map(|result| Feature::Result(*result)));
    rows.extend(AnswerClass::ALL.iter().map(|outcome| Feature::AnswerClass(*outcome)));
    rows.extend(Missing::ALL.iter().map(|missing| Feature::Missing(*missing)));
    rows.extend(Excluded::ALL.iter().map(|excluded| Feature::Excluded(*excluded)));
    rows
});

static PLACES: LazyLock<HashMap<Feature, usize>> =
    LazyLock::new(|| ROWS.iter().enumerate().map(|(place, row)| (*row, place)).collect());

impl Role {
    /// Whether the value may hold such a part: a prior state has no unknowns.
    pub(super) fn may_hold(self, part: Part) -> bool {
        self != Role::Prior || !part.is_unknown()
    }
}

impl Part {
    pub(super) fn is_unknown(self) -> bool {
        matches!(
            self,
            Part::WholeUnknown
                | Part::TypedUnknown
                | Part::UntypedUnknown
                | Part::UnknownElement
                | Part::UnknownAttribute
                | Part::NotNull
                | Part::Prefix
                | Part::Bounds
                | Part::Lengths
                | Part::EmptyRecord
                | Part::UnknownNested
                | Part::UnknownNestedElement
                | Part::UnknownBlocks
                | Part::RefinedBlocks
                | Part::UnknownBlock
                | Part::UnknownBlockElement
                | Part::UnknownInSet
                | Part::LongPrefix
                | Part::VastPrefix
        )
    }
}

impl Feature {
    /// The index into [`ROWS`]; `None` for a combination that cannot occur.
    pub(super) fn place(self) -> Option<usize> {
        PLACES.get(&self).copied()
    }
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Feature::Dialect(name) => write!(f, "dialect.{name}"),
            Feature::Attribute(class, place) => write!(f, "schema.{}.attribute.{}", place.name(), class.name()),
            Feature::Flag(flag, place) => write!(f, "schema.{}.flag.{}", place.name(), flag.name()),
            Feature::Leaf(leaf) => write!(f, "schema.type.{}", leaf.name()),
            Feature::Nested(mode, place) => write!(f, "schema.{}.nested_type.{}", place.name(), mode.name()),
            Feature::Block(mode) => write!(f, "schema.root.block.{}", mode.name()),
            Feature::BlockIn(outer, inner) => write!(f, "schema.block_{}.block.{}", outer.name(), inner.name()),
            Feature::Shape(shape) => write!(f, "schema.shape.{}", shape.name()),
            Feature::Value(role, part) => write!(f, "value.{}.{}", role.name(), part.name()),
            Feature::Change(change) => write!(f, "prior_config.{}", change.name()),
            Feature::BlockElements(elements, mode) => {
                write!(f, "prior_config.block_{}.{}", mode.name(), elements.name())
            }
            Feature::NestedElements(elements, mode) => {
                write!(f, "prior_config.nested_{}.{}", mode.name(), elements.name())
            }
            Feature::Plan(plan) => write!(f, "planned.{}", plan.name()),
            Feature::Result(result) => write!(f, "actual.{}", result.name()),
            Feature::AnswerClass(outcome) => write!(f, "outcome.{outcome}"),
            Feature::Missing(missing) => write!(f, "not_generated.{}", missing.name()),
            Feature::Excluded(excluded) => write!(f, "never_generated.{}", excluded.name()),
        }
    }
}
