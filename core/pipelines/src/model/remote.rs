//! Behaviour of the simulated remote system: answers, errors, faults (sections 3.5 and 5 of provider-model.md).

use planfuzz_core::value::Text;

use crate::expression::{Cond, Operation};
use crate::path::SchemaPath;

/// The object that create and update return.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Respond {
    /// The planned object, completed.
    #[default]
    Plan,
    /// The remote object, except for unreadable attributes.
    Remote,
}

/// An error of a well-behaved provider: the first `times` matching calls fail.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// The call that fails.
    pub on: RemoteCall,
    /// How many calls fail; 1 by default.
    pub times: u64,
    /// Which calls match; all by default.
    pub when: Cond,
    /// How much was done all the same; nothing by default.
    pub done: Done,
}

/// A call to the remote system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RemoteCall {
    /// A new object.
    Create,
    /// A change of an object.
    Update,
    /// The removal of an object.
    Delete,
    /// A read of an object.
    Read,
}

/// How much of a failed call was done.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Done {
    /// Nothing.
    #[default]
    None,
    /// Everything.
    All,
    /// Some top-level attributes.
    Names(Vec<Text>),
}

/// Behaviour that Core does not allow, or a control that it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The fault.
    pub name: FaultName,
    /// The place; by default the first applicable attribute in name order.
    pub at: Option<SchemaPath>,
    /// The calls that it affects.
    pub when: When,
}

/// Which calls of an instance a fault concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct When {
    /// Only calls of this operation; by default of each.
    pub op: Option<Operation>,
    /// Only the n-th call of its kind, from 1; by default every call.
    pub nth: Option<u64>,
}

macro_rules! faults {
    ($($(#[$doc:meta])* $variant:ident = $name:literal),* $(,)?) => {
        /// The catalogue of faults (section 5), and the controls that must not be reported.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum FaultName { $($(#[$doc])* $variant),* }

        impl FaultName {
            /// All of them, in the order of the catalogue.
            pub const ALL: &'static [FaultName] = &[$(FaultName::$variant),*];

            /// The name in files.
            pub fn name(self) -> &'static str {
                match self { $(FaultName::$variant => $name),* }
            }
        }
    };
}

faults! {
    /// X01.
    PlanOverride = "plan_override",
    /// X02.
    PlanValueForUnset = "plan_value_for_unset",
    /// X03.
    PlanUnset = "plan_unset",
    /// X04.
    PlanUnknownConfigured = "plan_unknown_configured",
    /// X05.
    PlanGuessUnknown = "plan_guess_unknown",
    /// X06.
    PlanBlockAdd = "plan_block_add",
    /// X07.
    PlanBlockDrop = "plan_block_drop",
    /// X08.
    PlanNull = "plan_null",
    /// X09.
    PlanKeepOnDestroy = "plan_keep_on_destroy",
    /// X10.
    PlanWrongType = "plan_wrong_type",
    /// X11.
    PlanWriteOnly = "plan_write_only",
    /// X12.
    ReplaceBadPath = "replace_bad_path",
    /// X13.
    SecondDiffers = "second_differs",
    /// X14.
    SecondUnknown = "second_unknown",
    /// X15.
    SecondReplaces = "second_replaces",
    /// X16.
    SecondUpdates = "second_updates",
    /// X17.
    PerpetualUnknown = "perpetual_unknown",
    /// X18.
    PerpetualValue = "perpetual_value",
    /// X19.
    ReplaceAlways = "replace_always",
    /// X20.
    PlanNondeterministic = "plan_nondeterministic",
    /// X21.
    ValidateUnknown = "validate_unknown",
    /// X22.
    ValidateDefaultMissing = "validate_default_missing",
    /// X30.
    ApplyChangeKnown = "apply_change_known",
    /// X31.
    ApplyLeaveUnknown = "apply_leave_unknown",
    /// X32.
    ApplyNull = "apply_null",
    /// X33.
    ApplyKeepOnDelete = "apply_keep_on_delete",
    /// X34.
    ApplyWrongType = "apply_wrong_type",
    /// X35.
    ApplyBlockDrop = "apply_block_drop",
    /// X36.
    ApplyBlockAdd = "apply_block_add",
    /// X37.
    ApplyReorder = "apply_reorder",
    /// X38.
    ApplyNormalise = "apply_normalise",
    /// X39.
    ApplyWriteOnly = "apply_write_only",
    /// X40.
    ApplyDynamicType = "apply_dynamic_type",
    /// X41.
    ApplyErrorUnknown = "apply_error_unknown",
    /// X42.
    ApplyErrorLies = "apply_error_lies",
    /// X43.
    ApplySilentPartial = "apply_silent_partial",
    /// X44.
    ApplyCrash = "apply_crash",
    /// X45.
    PlanDefers = "plan_defers",
    /// X50.
    ReadUnknown = "read_unknown",
    /// X51.
    ReadWrongType = "read_wrong_type",
    /// X52.
    ReadNormalise = "read_normalise",
    /// X53.
    ReadWriteOnly = "read_write_only",
    /// X54.
    ReadUnstable = "read_unstable",
    /// X55.
    ReadForgets = "read_forgets",
    /// X56.
    ReadDefers = "read_defers",
    /// X60.
    UpgradeUnknown = "upgrade_unknown",
    /// X61.
    UpgradeWrongType = "upgrade_wrong_type",
    /// X62.
    ImportNone = "import_none",
    /// X62.
    ImportMany = "import_many",
    /// X62.
    ImportNull = "import_null",
    /// Control: the path of an unchanged attribute (I13).
    ReplaceUnchanged = "replace_unchanged",
    /// Control: the second plan equals prior (I22).
    SecondPrior = "second_prior",
    /// Control: an unknown computed attribute becomes null.
    ApplyNullForUnknown = "apply_null_for_unknown",
    /// Control: null and an error on update (I29).
    ApplyErrorNull = "apply_error_null",
    /// Control: part of an object and an error on create (I30).
    ApplyErrorPartial = "apply_error_partial",
    /// Control: private data is not given back.
    PrivateLost = "private_lost",
    /// Control: replacement paths repeated and unsorted (L87).
    ReplaceUnsorted = "replace_unsorted",
    /// Control: null where there are no blocks (L14).
    ReadNullBlocks = "read_null_blocks",
    /// Control: a warning with every answer.
    Warnings = "warnings",
}

impl RemoteCall {
    /// All calls.
    pub const ALL: [RemoteCall; 4] = [RemoteCall::Create, RemoteCall::Update, RemoteCall::Delete, RemoteCall::Read];

    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            RemoteCall::Create => "create",
            RemoteCall::Update => "update",
            RemoteCall::Delete => "delete",
            RemoteCall::Read => "read",
        }
    }
}
