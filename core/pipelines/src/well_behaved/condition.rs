//! The conditions by their ids.

use std::collections::BTreeSet;

use crate::path::SchemaPath;

/// A condition that a model violates, and the place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Breach {
    /// The condition.
    pub condition: Condition,
    /// The attribute or block; `None` for the whole resource.
    pub at: Option<SchemaPath>,
}

macro_rules! conditions {
    ($($variant:ident = $id:literal, $statement:literal;)*) => {
        /// A condition of the well-behaved subset.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Condition { $(#[doc = $statement] $variant),* }

        impl Condition {
            /// The id in section 4 of provider-model.md, or that of the SDK rule that the condition keeps from applying.
            pub fn id(self) -> &'static str {
                match self { $(Condition::$variant => $id),* }
            }
        }
    };
}

conditions! {
    NoFaults = "W0", "no faults";
    NoForcedValues = "W1", "no value whatever else is, and no value-changing modifier on blocks or elements";
    PlainSets = "W2", "set elements are distinguished by configuration, and nothing in them is defaulted or taken from the prior state";
    DefaultsAtLeaves = "W3", "defaults are on attributes without computed fields, not below computed, list or map nested attributes";
    StableDefaults = "W4", "what is defaulted comes from configuration alone, once, and is computed";
    UnknownOnChange = "W5", "computed attributes become unknown only when something changed";
    TrueEquivalences = "W6", "equivalences are equivalences";
    HiddenForms = "W7", "a remote form is hidden by semantic equality";
    KnownMakings = "W8", "what is made is known, and made of what is configured";
    PlainReplacement = "W9", "replacement is decided at top-level attributes, where computed after the prior value is kept";
    WhollyComputed = "W10", "an optional and computed nested attribute has computed fields only";
    BareWriteOnly = "W11", "write-only attributes have no defaults and no modifiers";
    SettledChecks = "W12", "a check does not ask whether something is unknown";
    NoCollapse = "Z33", "SDK: elements of sets differ in what is configured";
    PlainForceNew = "Z55", "SDK: nothing inside a list or set replaces the resource";
    NestedCollections = "Z51", "SDK: inside a list collections are of primitives and no maps, inside a set there are none but of resources";
    NoSetsRediffed = "Z75", "SDK: customisation keeps away from sets";
    NoLostSets = "Z85", "SDK: no set of objects as an attribute inside a block";
    NoComputedSets = "Z156", "SDK: no set is optional and computed";
    NestedDefaults = "Z157", "SDK: nested optional primitives have defaults";
    CollectionsMade = "Z160", "SDK: computed collections are made, never null";
    FormsAgree = "Z151", "SDK: state functions are idempotent and the remote form";
    SuppressedForms = "Z152", "SDK: suppression is an equivalence, at refresh too where there is a remote form, and not below a set";
    NewFromConfig = "Z71", "SDK: customised values come from configuration, and are never null or empty";
    IdStays = "Z135", "SDK: the id is never null or empty";
}

/// Collects breaches.
#[derive(Default)]
pub(super) struct Breaches(BTreeSet<Breach>);

impl Breaches {
    pub(super) fn add(&mut self, condition: Condition, at: Option<&SchemaPath>) {
        self.0.insert(Breach { condition, at: at.cloned() });
    }

    /// Adds a breach if a condition does not hold.
    pub(super) fn require(&mut self, condition: Condition, at: &SchemaPath, holds: bool) {
        if !holds {
            self.add(condition, Some(at));
        }
    }

    pub(super) fn finish(self) -> Vec<Breach> {
        self.0.into_iter().collect()
    }
}
