//! The planted faults: for each the operation that shows it, the rule that it breaks, and the id of the known bug.
//!
//! A name starts with the id of the known bug if a real planner had the fault.
//! Known bugs that are not planted are in [`NOT_PLANTED`], each with the reason.

use planfuzz_core::dialect::Dialect;

use crate::case::Op;

macro_rules! faults {
    ($($op:ident { $($variant:ident = $name:literal, $rule:literal: $description:literal;)* })*) => {
        /// A planted fault: one wrong decision.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Fault { $($(#[doc = $description] $variant),*),* }

        impl Fault {
            /// All faults.
            pub const ALL: &'static [Fault] = &[$($(Fault::$variant),*),*];

            /// The name after `fault:`.
            pub fn name(self) -> &'static str {
                match self { $($(Fault::$variant => $name),*),* }
            }

            /// The rule that the fault breaks.
            pub fn rule(self) -> &'static str {
                match self { $($(Fault::$variant => $rule),*),* }
            }

            /// What is wrong, in one line.
            pub fn description(self) -> &'static str {
                match self { $($(Fault::$variant => $description),*),* }
            }

            /// The operation that is answered wrongly; every other one is answered right.
            pub fn op(self) -> Op {
                match self { $($(Fault::$variant)|* => Op::$op),* }
            }
        }
    };
}

faults! {
    ProposedNew {
        SingleBlockKept = "b001-single-block-kept", "M15":
            "a null single block is merged like a group and keeps its prior";
        NullNestedDescended = "b003-null-nested-descended", "M11":
            "a null single nested attribute becomes an object of nulls";
        RemovedNestedKept = "b005-removed-nested-kept", "M21":
            "a removed nested attribute keeps its prior although parts of it were configured";
        NullPriorWithElements = "b008-null-prior-with-elements", "M12":
            "under a null prior object a nested collection is taken for one object of nulls";
        UnknownBlocksCounted = "b011-unknown-blocks-counted", "M15":
            "an unknown dynamic block is merged as no blocks";
        EmptyMapNeverMatches = "b013-empty-map-never-matches", "M22":
            "an empty map block inside a set element breaks the correlation";
        CreateAsDataSource = "b015-create-as-data-source", "M01":
            "on create what is computed is proposed as unknown";
        UnknownConfigGivesPrior = "b161-unknown-config-gives-prior", "M10":
            "an unknown configuration of a computed attribute gives way to the prior";
        NullConfigGivesNull = "null-config-gives-null", "M02":
            "a null configuration of a whole object gives null instead of the prior";
        NullPriorStaysNull = "null-prior-stays-null", "M03":
            "an unknown object over a null prior gives null instead of the empty value";
        ComputedOnlyIgnoresConfig = "computed-only-ignores-config", "M10":
            "an attribute that is computed only takes the prior whatever the configuration holds";
        UnknownNestedDescended = "unknown-nested-descended", "M11":
            "an unknown single nested attribute becomes a known object of unknowns";
        UnknownElementKept = "unknown-element-kept", "M12":
            "an unknown element of a nested type stays unknown";
        NullGroupTaken = "null-group-taken", "M15":
            "a null group block is taken as null";
        EmptyListKeepsPrior = "empty-list-keeps-prior", "M17":
            "an empty list keeps its prior elements";
        ListLastElementNew = "list-last-element-new", "M17":
            "the last element of the prior list is not found";
        ListBeyondEndTakesLast = "list-beyond-end-takes-last", "M17":
            "an element beyond the end of the prior list is merged with its last element";
        MapKeepsPriorKeys = "map-keeps-prior-keys", "M18":
            "keys that only the prior has are kept";
        NewMapElementMerged = "new-map-element-merged", "M18":
            "Terraform 1.11 and OpenTofu merge a new element of a map with null";
        NewMapElementAsIs = "new-map-element-as-is", "M18":
            "Terraform since 1.12 takes a new element of a map as it is";
        SetTakesLastMatch = "set-takes-last-match", "M19":
            "of several matching prior elements the last one is taken";
        SetUsesPriorTwice = "set-uses-prior-twice", "M19":
            "a prior element may be taken by several elements of the configuration";
        SetChoosesBackwards = "set-chooses-backwards", "M19":
            "the last element of the configuration chooses its prior element first";
        NullSetMatches = "null-set-matches", "M22":
            "a computed set inside an element matches where the configuration holds null";
        ComputedAlwaysMatches = "computed-always-matches", "M22":
            "a computed attribute matches whatever the configuration holds";
        ComputedNullNeverMatches = "computed-null-never-matches", "M22":
            "a computed attribute that the configuration leaves null does not match";
        NullAlwaysMatches = "null-always-matches", "M22":
            "an attribute that the configuration leaves null matches, computed or not";
        UnknownMatches = "unknown-matches", "M22":
            "an attribute that is unknown in the configuration matches";
        NullPriorNeverMatches = "null-prior-never-matches", "M22":
            "a null part of a prior element does not match";
        LongerConfigNeverMatches = "longer-config-never-matches", "M22":
            "an element with more children than the prior one does not match";
        ShorterConfigMatches = "shorter-config-matches", "M22":
            "children of the prior element that the configuration lacks do not matter";
        ComputedNestedTaken = "computed-nested-taken", "M21":
            "a computed nested attribute that is not optional loses its prior";
        RemovedNestedShallow = "removed-nested-shallow", "M21":
            "configured parts are looked for in the outermost objects only";
        MarkersForgotten = "markers-forgotten", "S34":
            "the nulls of an empty value have lost the optional markers of their types, so that elements do not mix";
        NullGroupNestedTaken = "null-group-nested-taken", "M11":
            "a null nested attribute of mode group stays null where the engine crashes";
        PriorOfOtherKindIgnored = "prior-of-other-kind-ignored", "M30":
            "a prior value of another kind at blocks of dynamic type is taken for none";
        ConfigOfOtherKindRefused = "config-of-other-kind-refused", "M30":
            "configured blocks of dynamic type are refused if they are no list or tuple";
    }
    PlannedDataResource {
        DataSourceWithoutUnknowns = "data-source-without-unknowns", "M40":
            "what is computed in a data resource stays null";
        DataSourceSetUnknown = "data-source-set-unknown", "M41":
            "computed attributes inside sets of a data resource become unknown";
        DynamicElementTyped = "dynamic-element-typed", "M42":
            "a list of blocks without a type takes on that of the configuration";
    }
    AssertPlanValid {
        MapBlockPriorLost = "b016-map-block-prior-lost", "P10":
            "the prior of a block in a map is not found";
        ConfiguredNestedBlamed = "b018-configured-nested-blamed", "P05":
            "a configured nested attribute that is optional and computed is a violation";
        ComputedOnlyBlamed = "b019-computed-only-blamed", "P05":
            "a computed attribute may differ only where the configuration is null";
        RefinementsCompared = "b021-refinements-compared", "P05":
            "refinements of a configured unknown must come back";
        NumbersAsFloats = "b164-numbers-as-floats", "P05":
            "numbers are compared as floats of 64 bits";
        LastElementNotValidated = "b170-last-element-not-validated", "P07":
            "the last element of a nested list is not validated";
        NullPlannedAccepted = "null-planned-accepted", "P01":
            "null may be planned for a configured object";
        UnaskedObjectAccepted = "unasked-object-accepted", "P01":
            "an object may be planned that the configuration does not ask for";
        KeptPriorRefused = "kept-prior-refused", "P05":
            "the provider may not keep the prior where the configuration differs";
        RemovedAttributeKept = "removed-attribute-kept", "P05":
            "the provider may keep the prior of a removed attribute";
        WriteOnlyAccepted = "write-only-accepted", "P05":
            "a value may be planned for a write-only attribute as for any other";
        OptionalComputedBlamed = "optional-computed-blamed", "P05":
            "no value may be planned for an unset attribute that is optional and computed";
        ComputedMayOverride = "computed-may-override", "P05":
            "a configured value may be overridden where the attribute is computed";
        UnaskedAttributeAccepted = "unasked-attribute-accepted", "P05":
            "a value may be planned for an unset attribute that is not computed";
        WriteOnlyNullBlamed = "write-only-null-blamed", "P05":
            "OpenTofu blames a null plan for a configured write-only attribute";
        UnknownNestedAccepted = "unknown-nested-accepted", "P07":
            "unknown may be planned for a configured nested attribute";
        NestedSetNotCounted = "nested-set-not-counted", "P07":
            "the elements of a nested set are not counted";
        NestedListNotCounted = "nested-list-not-counted", "P07":
            "the elements of a nested list are not counted";
        NestedMapNotCounted = "nested-map-not-counted", "P07":
            "the elements of a nested map are not counted";
        NestedListPriorLost = "nested-list-prior-lost", "P07":
            "the prior of an element of a nested list is not found";
        NestedMapPathAsKey = "nested-map-path-as-key", "P07":
            "an element of a nested map is a key step in the path";
        RenamedKeyOnce = "renamed-key-once", "P07":
            "a renamed key of a nested map is reported once";
        NullBlockAccepted = "null-block-accepted", "P10":
            "Terraform since 1.16 accepts null for a block that is not single";
        BlockRefinementsIgnored = "block-refinements-ignored", "P10":
            "an unknown block equals one with a refinement";
        UnknownBlocksAdmitAny = "unknown-blocks-admit-any", "P10":
            "any blocks may be planned for an unknown dynamic block";
        ComputedBlockBlamed = "computed-block-blamed", "P10":
            "no blocks may be planned for a computed block that is null in the configuration";
        UnknownPlannedBlocksAccepted = "unknown-planned-blocks-accepted", "P10":
            "unknown may be planned for configured blocks";
        UnknownBlockElementAccepted = "unknown-block-element-accepted", "P10":
            "an unknown block may be planned in a list";
        UnknownSetBlocksAccepted = "unknown-set-blocks-accepted", "P10":
            "an unknown block may be planned in a set";
        BlocksNotCounted = "blocks-not-counted", "P10":
            "the blocks of a list are not counted";
        ExtraBlockKeyAtBlock = "extra-block-key-at-block", "P10":
            "a planned key that the configuration lacks is reported at the block";
        MissingBlockKeyAccepted = "missing-block-key-accepted", "P10":
            "the plan may lack a key of a map of blocks";
        PlanOfOtherKindRefused = "plan-of-other-kind-refused", "M30":
            "blocks of dynamic type are refused if planned and configured ones are of two kinds";
        PriorBlocksOfOtherKindIgnored = "prior-blocks-of-other-kind-ignored", "M30":
            "a prior value of another kind at blocks of dynamic type is no prior";
    }
    AssertObjectCompatible {
        SetsCounted = "b033-sets-counted", "AC15":
            "the elements of sets are only counted";
        EmptyStringIsNull = "b035-empty-string-is-null", "AC11":
            "an empty string is accepted for null inside a set block";
        RefinementsDoNotBind = "b168-refinements-do-not-bind", "AC11":
            "any value of the right type is accepted for a refined unknown";
        VanishedObjectAccepted = "vanished-object-accepted", "AC01":
            "a planned object may be null in the result";
        SensitiveNotCollapsed = "sensitive-not-collapsed", "AC10":
            "violations inside a sensitive attribute are reported one by one";
        SensitiveNotReported = "sensitive-not-reported", "AC10":
            "violations inside a sensitive attribute are not reported";
        DynamicNullBinds = "dynamic-null-binds", "AC11":
            "a planned null without a type binds the result";
        TypeChangeAccepted = "type-change-accepted", "AC11":
            "a value of another type is accepted";
        NullMayBeFilled = "null-may-be-filled", "AC11":
            "a planned null may get a value";
        UnknownResultAccepted = "unknown-result-accepted", "AC11":
            "a planned value may be unknown in the result";
        MissingPartAccepted = "missing-part-accepted", "AC11":
            "the result may lack planned elements";
        ExtraPartAccepted = "extra-part-accepted", "AC11":
            "the result may have elements that were not planned";
        GainedElementsAccepted = "gained-elements-accepted", "AC15":
            "elements of a set that were not planned are not looked for";
        LostElementsAccepted = "lost-elements-accepted", "AC15":
            "elements of a set that vanished are not looked for";
        BothDirectionsReported = "both-directions-reported", "AC15":
            "vanished elements of a set and new ones are both reported";
        SetMayGrow = "set-may-grow", "AC11":
            "a set may have more elements than were planned";
        UnknownSingleMustExist = "unknown-single-must-exist", "AC20":
            "an unknown single block may not turn out null";
        UnknownBlocksBind = "unknown-blocks-bind", "AC21":
            "an unknown dynamic block must have no blocks in the end";
        BlockCountNotCompared = "block-count-not-compared", "AC20":
            "the blocks of a list are not counted";
        OnlyFirstBlockCompared = "only-first-block-compared", "AC20":
            "only the first block of a list is compared";
        RenamedBlockKeyReported = "renamed-block-key-reported", "AC20":
            "a renamed key of a map of blocks is reported";
        NullComputedBlockAccepted = "null-computed-block-accepted", "C10":
            "a computed block may be null in the result";
        InfiniteResultAccepted = "infinite-result-accepted", "V44":
            "an infinity is accepted for a refined unknown without a bound";
        ResultOfOtherKindRead = "result-of-other-kind-read", "M30":
            "blocks that are an object are held against a planned map by their names";
        ResultOfOtherKindRefused = "result-of-other-kind-refused", "M30":
            "blocks of dynamic type are refused if they are neither a map nor an object";
    }
    NormalizeLegacy {
        LegacyNullGroupKept = "legacy-null-group-kept", "LN02":
            "a null group block stays null";
        LegacyUnknownBlocksDropped = "legacy-unknown-blocks-dropped", "LN02":
            "unknown blocks become no blocks";
        InnerBlocksNotNormalised = "b154-inner-blocks-not-normalised", "LN02":
            "blocks inside blocks are not normalised";
        LegacyNullListKept = "legacy-null-list-kept", "LN02":
            "null blocks stay null";
        LegacyNullElementFilled = "legacy-null-element-filled", "LN04":
            "a null block becomes an empty one";
        LegacyMapUnknown = "legacy-map-unknown", "LN03":
            "inside a stub a map of blocks is unknown";
        StubMarkersForgotten = "stub-markers-forgotten", "S34":
            "the unknowns of a stub have lost the optional markers of their types, so that stubs do not mix with others";
    }
    PrepareComputedBlocks {
        ComputedBlocksNotPrepared = "computed-blocks-not-prepared", "C01":
            "empty computed blocks stay empty";
    }
    MsgpackEncode {
        DynamicNullBare = "b177-dynamic-null-bare", "V70":
            "a null or unknown of a known type is written without its type where any type may stand";
    }
    MsgpackDecode {
        NullNotConsumed = "b054-null-not-consumed", "V80":
            "a null or unknown element is read again as the next ones";
        TextNumberAsFloat = "b057-text-number-as-float", "V80":
            "a number that travels as text is read as a float of 64 bits";
    }
    Length {
        EqualKeyIsEqual = "b163-equal-key-is-equal", "V51":
            "elements of a set whose keys agree are taken for equal";
    }
    Equals {
        NullNeverEqual = "null-never-equal", "V32":
            "null does not equal null";
    }
    RawEquals {
        RefinementsNotEqual = "refinements-not-equal", "V30":
            "unknowns are equal whatever their refinements";
    }
    Includes {
        NotNullForgotten = "not-null-forgotten", "V44":
            "an unknown that is not null includes null";
        InfinityIncluded = "infinity-included", "V44":
            "a refined unknown without a bound includes the infinity of that side";
    }
    Roundtrip {
        RefinementsDropped = "refinements-dropped", "V43":
            "an unknown that is written and read loses its refinements";
    }
    NumberText {
        NumberTextOfFloat = "number-text-of-float", "V19":
            "the text of a number is that of its float of 64 bits";
    }
    Conforms {
        ConformsReversed = "conforms-reversed", "V03":
            "conformance of types is asked the wrong way round";
    }
    Convert {
        BoolAsDigit = "bool-as-digit", "V60":
            "a bool converts to the strings 0 and 1";
    }
    Unify {
        UnifyNeedsEqualTypes = "unify-needs-equal-types", "V64":
            "types unify only where they are equal";
    }
    Lcs {
        LcsFromSecond = "lcs-from-second", "Q02":
            "the common subsequence is that of the lists exchanged";
    }
    Scenario {
        IgnoredUnknownKept = "b068-ignored-unknown-kept", "L64":
            "an ignored attribute whose configuration is not known is not ignored";
        IgnoreAllUnsetsComputed = "b072-ignore-all-unsets-computed", "L61":
            "where all changes are ignored, what is computed is unset even if it is optional";
        EveryPathReplaces = "b076-every-path-replaces", "L84":
            "every path that the provider lists forces a replacement";
        UnknownIsNoChange = "b079-unknown-is-no-change", "L99":
            "a plan that may or may not change something is taken for no change";
        MarksCounted = "b080-marks-counted", "L50":
            "sensitive parts are counted, not compared";
        RefreshThrownAway = "b083-refresh-thrown-away", "L16":
            "what a refresh finds is thrown away";
        FirstPlanRecorded = "b094-first-plan-recorded", "L46":
            "the first plan of a replacement is recorded, and there is no second one";
        MarkUpdateUnsaved = "b097-mark-update-unsaved", "A24":
            "an update of sensitivity alone is not saved";
        PlannedMarksOnly = "b100-planned-marks-only", "A30":
            "what is saved has the marks of the planned value only";
        FailureClearsTaint = "b102-failure-clears-taint", "A34":
            "an object that is kept after a failure is ready";
        DeleteUntyped = "b107-delete-untyped", "L122":
            "what is left after a delete is a null without a type";
        NoOpIsInconsistent = "b108-no-op-is-inconsistent", "A06":
            "an update that comes to nothing when applied is an inconsistency";
        OrderDecidedAnew = "b109-order-decided-anew", "A04":
            "the order of a replacement is decided by the configuration of the apply";
        TriggerUpdateOnly = "b112-trigger-update-only", "L101":
            "a replacement triggers nothing";
        TriggerAttributeIgnored = "b113-trigger-attribute-ignored", "L102":
            "a reference to an attribute triggers on any change";
        RequestEndsTriggers = "b114-request-ends-triggers", "L100":
            "where a replacement is asked for, triggers are not looked at";
        IndirectDependencyRead = "b120-indirect-dependency-read", "L142":
            "a data resource with conditions does not wait for what it depends on indirectly";
        DataOrphanVisible = "b121-data-orphan-visible", "L146":
            "a data object that is no longer configured stays visible";
        IgnoredMarksSurvive = "b124-ignored-marks-survive", "L64":
            "what is ignored has the marks of the configuration";
        ComputedValuesKept = "b131-computed-values-kept", "F41":
            "a provider plans a stored computed value where it has to plan an unknown";
        WriteOnlyChanges = "b135-write-only-changes", "F30":
            "a provider takes a configured write-only attribute for a change";
        NullElementsFilled = "b136-null-elements-filled", "F58":
            "a provider plans objects of nulls where nested objects are null";
        EmptyTextNulled = "b059-empty-text-nulled", "Z100":
            "a legacy provider plans null where an empty string is configured";
        EmptySetBlockVanishes = "b151-empty-set-block-vanishes", "Z43":
            "a legacy provider drops the blocks of a set in which nothing is set";
        IgnoreKeyNeedsMap = "ignore-key-needs-map", "L66":
            "an ignored key of what is no map is not ignored";
        IgnoreAbsentKeyKept = "ignore-absent-key-kept", "L69":
            "an ignored key that the prior lacks stays in the configuration";
        IgnoreIndexDropped = "ignore-index-dropped", "L72":
            "an ignored element of a list is not ignored";
        TriggerOnCreate = "trigger-on-create", "L101":
            "what is created triggers in Terraform too";
        TriggerMarksIgnored = "trigger-marks-ignored", "L102":
            "a change of sensitivity triggers nothing";
        ReferenceNotWaitedFor = "reference-not-waited-for", "L142":
            "a data resource waits only for what depends_on names";
        CheckNestedUnsaid = "check-nested-unsaid", "L145":
            "the read of a data resource in a check is not recorded";
        OrphanMayBeDestroyed = "orphan-may-be-destroyed", "L125":
            "prevent_destroy is not tested for orphans";
        RemovedDestroyed = "removed-destroyed", "L129":
            "what is to be forgotten is destroyed";
        UnknownConditionFails = "unknown-condition-fails", "L30":
            "a condition that is not known yet is false";
        PostconditionsUnheld = "postconditions-unheld", "L113":
            "postconditions are not looked at";
        ContinueIgnored = "continue-ignored", "A15":
            "a provisioner that fails is an error whatever on_failure is";
        RefreshNotSkipped = "refresh-not-skipped", "L153":
            "a refresh takes place although it is to be skipped";
        NoOpConditionsSkipped = "no-op-conditions-skipped", "A10":
            "preconditions of what does not change are not evaluated in an apply";
        TaintedProvisioned = "tainted-provisioned", "A42":
            "provisioners run when a tainted object is destroyed";
        ReadKeepsPrivate = "read-keeps-private", "L16":
            "a refresh keeps the private data of the stored object";
        VanishedKept = "vanished-kept", "L17":
            "an object that is gone stays in the state";
        TaintKeepsPrivate = "taint-keeps-private", "L33":
            "the plan for a tainted object is asked with its private data";
        TaintPlannedTwice = "taint-planned-twice", "L48":
            "a tainted object is planned twice";
        SecondCallOwnPrivate = "second-call-own-private", "L47":
            "the second plan of a replacement is asked with the private data of the object";
        SecondCallIgnores = "second-call-ignores", "L47":
            "ignored values survive a replacement";
        SecondCallMergesPrior = "second-call-merges-prior", "L47":
            "the second plan of a replacement is asked with what the old object proposes";
        LegacyPlanRefused = "legacy-plan-refused", "L55":
            "an invalid plan of a legacy provider is an error";
        LegacyResultRefused = "legacy-result-refused", "L56":
            "an inconsistent result of a legacy provider is an error";
        InvalidPlanTolerated = "invalid-plan-tolerated", "L41":
            "an invalid plan is tolerated of everybody";
        InconsistentResultTolerated = "inconsistent-result-tolerated", "A31":
            "an inconsistent result is tolerated of everybody";
        LegacyFinalPlanTolerated = "legacy-final-plan-tolerated", "L57":
            "the final plan of a legacy provider is not compared";
        FinalPlanNotCompared = "final-plan-not-compared", "A07":
            "the final plan is not compared";
        LegacyNotReverted = "legacy-not-reverted", "L42":
            "ignored changes are not reverted in what a legacy provider plans";
        UnknownPathNotKept = "unknown-path-not-kept", "L84":
            "a path whose planned value is not known does not force a replacement";
        OneSidedPathDropped = "one-sided-path-dropped", "L83":
            "a path that exists on one side only does not force a replacement";
        MissingPathIgnored = "missing-path-ignored", "L82":
            "a path that exists nowhere is ignored";
        WriteOnlyPathMustChange = "write-only-path-must-change", "L85":
            "a write-only path forces a replacement only if its null changes";
        DeposedNotPlannedAgain = "deposed-not-planned-again", "A50":
            "a deposed object is destroyed by the plan that was made before";
        DeposedStoredPrivate = "deposed-stored-private", "A50":
            "a deposed object is destroyed with its stored private data";
        DestroyLegStoredPrivate = "destroy-leg-stored-private", "A43":
            "an object is destroyed with its stored private data";
        UpdatePlannedWithPlanPrivate = "update-planned-with-plan-private", "A04":
            "the plan of an apply is asked with the private data of the plan before";
        AppliedWithPlanPrivate = "applied-with-plan-private", "L203":
            "an apply is asked with the private data of the plan before it";
        ApplyGetsIgnored = "apply-gets-ignored", "A25":
            "an apply is asked with the configuration in which changes are ignored";
        ImportTakesFirst = "import-takes-first", "L21":
            "of several imported objects the first is taken";
        ImportNotRead = "import-not-read", "L20":
            "what is imported is not read";
        PreconditionAfterValidate = "precondition-after-validate", "L30":
            "preconditions are evaluated after validation";
        MarkUpdateApplied = "mark-update-applied", "L202":
            "an update of sensitivity alone reaches the provider";
        ImportOfExisting = "import-of-existing", "L20":
            "an import is asked for although there is an object";
        MarksAloneNoUpdate = "marks-alone-no-update", "L50":
            "a change of sensitivity alone is no update";
        TaintLosesToRequest = "taint-loses-to-request", "L48":
            "a tainted object is replaced by request";
        TaintWinsOverTrigger = "taint-wins-over-trigger", "L96":
            "a tainted object is not replaced by triggers";
        DeleteBecauseTainted = "delete-because-tainted", "L124":
            "a tainted object is destroyed because it is tainted";
        SecondCallSchemaMarks = "second-call-schema-marks", "L47":
            "what a replacement plans has the marks of the schema";
        SecondCallChecked = "second-call-checked", "L47":
            "the second plan of a replacement is held to be valid";
        DeposedGoneDropped = "deposed-gone-dropped", "L130":
            "a deposed object that is gone has no change";
        DeletePrivateOfObject = "delete-private-of-object", "L122":
            "the change of a delete has the private data of the object";
        SchemaMarksForgotten = "schema-marks-forgotten", "L43":
            "what is planned has the marks of the configuration only";
        RequestPathsUnrecorded = "request-paths-unrecorded", "L87":
            "paths are not recorded where the replacement is asked for";
        RefreshClearsTaint = "refresh-clears-taint", "L16":
            "a refresh makes a tainted object ready";
        RefreshForgetsDependencies = "refresh-forgets-dependencies", "L18":
            "a refresh forgets what the object depended on";
        ImportUnsaid = "import-unsaid", "L22":
            "a change does not record that its object is imported";
        ImportNotPrevious = "import-not-previous", "L22":
            "what is imported is not in the state of the previous run";
        MovedOrphanUnsaid = "moved-orphan-unsaid", "L127":
            "an orphan that was moved is not distinguished from another";
        WrongRepetitionAsIndex = "wrong-repetition-as-index", "L127":
            "a numbered orphan of what is not counted is out of the count";
        OrphanOfOtherEngine = "orphan-of-other-engine", "L123":
            "an orphan is destroyed as the other engine knows it";
        ForgetKeepsPrivate = "forget-keeps-private", "L129":
            "the change of what is forgotten has its private data";
        OpenTofuForgetUnexplained = "opentofu-forget-unexplained", "LD32":
            "OpenTofu gives no reason to what a removed block forgets";
        OpenTofuForgetUnreported = "opentofu-forget-unreported", "L129":
            "OpenTofu does not warn that something is forgotten";
        OpenTofuFlagUnreadBesideBlock = "opentofu-flag-unread-beside-block", "LD30":
            "in OpenTofu the flag of the state counts for nothing beside a block";
        OpenTofuDeposedFlagUnread = "opentofu-deposed-flag-unread", "LD30":
            "in OpenTofu the flag of a deposed object counts for nothing";
        OpenTofuAbsentDeposedPassedBy = "opentofu-absent-deposed-passed-by", "L130":
            "OpenTofu passes by a flagged deposed object that is gone";
        OpenTofuRemovedDeposedUnrefreshed = "opentofu-removed-deposed-unrefreshed", "LD08":
            "OpenTofu does not refresh the deposed objects that a removed block forgets";
        OpenTofuReadUnknownsNulled = "opentofu-read-unknowns-nulled", "LD23":
            "in OpenTofu an unknown that was read is null at once";
        OpenTofuImportUnmarked = "opentofu-import-unmarked", "L22":
            "OpenTofu puts no marks of the configuration on what it imports";
        OpenTofuManyImportedRead = "opentofu-many-imported-read", "L21":
            "OpenTofu reads the first of many imported objects";
        OpenTofuImportFlagUnstored = "opentofu-import-flag-unstored", "LD26":
            "OpenTofu does not store the flags of an import where nothing is refreshed";
        OpenTofuForcedFlagSaved = "opentofu-forced-flag-saved", "L06":
            "every apply of OpenTofu saves a forced flag";
        OpenTofuEphemeralValidated = "opentofu-ephemeral-validated", "LD02":
            "OpenTofu asks for validation although an ephemeral value is out of place";
        OpenTofuDataMarkedBySchema = "opentofu-data-marked-by-schema", "L144":
            "in OpenTofu data objects have the marks of the schema";
        ReplacementNotPrevented = "replacement-not-prevented", "L111":
            "prevent_destroy allows a replacement";
        PreventedUnrecorded = "prevented-unrecorded", "L111":
            "a change that prevent_destroy forbids is not recorded";
        ErroredApplyable = "errored-applyable", "L157":
            "a plan with errors may be applied";
        ImportNotApplyable = "import-not-applyable", "L157":
            "an import that changes nothing may not be applied";
        MarksNoDrift = "marks-no-drift", "L170":
            "a change of sensitivity alone is no drift";
        DataBeforePrior = "data-before-prior", "L141":
            "a read replaces the stored data object";
        UnknownConfigUnsaid = "unknown-config-unsaid", "L141":
            "that something is pending is reported before that the configuration is not known";
        UpdateTaints = "update-taints", "A13":
            "an update that fails taints";
        ProvisionerDoesNotTaint = "provisioner-does-not-taint", "A15":
            "a provisioner that fails does not taint";
        FailedCreateReady = "failed-create-ready", "A13":
            "an object whose creation failed is ready";
        PostconditionTaints = "postcondition-taints", "A17":
            "a false postcondition taints";
        ResultComparedAfterError = "result-compared-after-error", "A31":
            "a result is compared although the provider reported that it failed";
        DeposedNotRestored = "deposed-not-restored", "A16":
            "a deposed object is not restored where its successor is not created";
        DeposedRestoredTooSoon = "deposed-restored-too-soon", "A16":
            "a deposed object is restored where the final plan failed";
        NoOpSavesPlannedPrivate = "no-op-saves-planned-private", "L54":
            "the planned private data of what does not change is saved";
        LostAnswerKeepsPrivate = "lost-answer-keeps-private", "A26":
            "private data is kept where there was no answer";
        ErrorRenewsPrivate = "error-renews-private", "A34":
            "an object that is kept gets the private data of the answer";
        UnfitResultKeepsPrior = "unfit-result-keeps-prior", "A27":
            "an object whose result does not conform is kept";
        OneUnknownReported = "one-unknown-reported", "A29":
            "of the unknowns of a result one is reported";
        FailedDeleteForgets = "failed-delete-forgets", "A34":
            "an object whose destruction failed is forgotten";
        PartialUpdateDropped = "partial-update-dropped", "A35":
            "the result of an update that failed is dropped";
        WarnedDeposedDestroyed = "warned-deposed-destroyed", "A55":
            "a warning in the upgrade of a deposed object does not end its destruction";
        FlagLost = "flag-lost", "A36":
            "what is saved is not created before it is destroyed";
        DependenciesNotRenewed = "dependencies-not-renewed", "A14":
            "an update keeps what the object depended on";
        MarkedSetDiffers = "b034-marked-set-differs", "A31":
            "a block of a set that is sensitive as a whole is never what was planned";
        LegacyMarksDropped = "b038-legacy-marks-dropped", "L43":
            "what is normalised for a legacy provider loses the marks of the configuration";
        ObjectMarkCopied = "b047-object-mark-copied", "L43":
            "the mark of an object is copied to its attributes";
        DependenciesUnsorted = "b091-dependencies-unsorted", "A14":
            "dependencies are stored in the order in which they were collected";
        NullBlocksStored = "b116-null-blocks-stored", "K03":
            "null blocks that a legacy provider reads are stored as they are";
        SavedPlanForgets = "b127-saved-plan-forgets", "I50":
            "a plan forgets what is sensitive and what forces a replacement";
        SavedMarksUnread = "b128-saved-marks-unread", "PL08":
            "an apply knows nothing of what was sensitive when it was planned";
        RestoredCollectionUndone = "b140-restored-collection-undone", "F70":
            "a provider empties the nested collection that a plan modifier has restored";
        PrefixedNameCleared = "b152-prefixed-name-cleared", "Z71":
            "where a legacy provider plans an attribute anew, those whose names begin with its name keep the prior";
        WarningsOfNothingImported = "warnings-of-nothing-imported", "L21":
            "the warnings of a read stay beside the error that nothing is there to be imported";
        WriteOnlyBesideUnknownUnreported = "write-only-beside-unknown-unreported", "L05":
            "of an upgrade that gives unknowns and write-only values only the unknowns are reported";
    }
}

impl Fault {
    /// The fault of a name.
    pub fn from_name(name: &str) -> Option<Fault> {
        Fault::ALL.iter().copied().find(|fault| fault.name() == name)
    }
}

impl Fault {
    /// The only dialect that has the decision which is wrong; `None` if all or several have it.
    pub fn dialect(self) -> Option<Dialect> {
        self.name().starts_with("opentofu-").then_some(Dialect::OPENTOFU_1_12)
    }
}

/// The known bugs that are not planted, and why.
pub const NOT_PLANTED: &[(&str, &str)] = &[
    ("B049", "no operation refines an unknown step by step: it is read with all that is known of it"),
    ("B050", "likewise, and no operation derives a prefix from a text"),
    (
        "B065",
        "numbers that need more than a float of 64 bits crash the SDK and are kept from its providers: there is one spelling of each",
    ),
    ("B142", "a flaw that providers still have, so that it is part of what is right (F27)"),
    ("B149", "the state functions of provider models are idempotent: applied twice they give the same"),
];
