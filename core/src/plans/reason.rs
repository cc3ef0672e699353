//! Action reasons (PL12, PL13).

use std::fmt;

macro_rules! reasons {
    ($($(#[$doc:meta])* $variant:ident = $symbol:literal, $name:literal;)*) => {
        /// The reason for the action of a change (PL12): for display only, an apply never looks at it.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum ActionReason { $($(#[$doc])* $variant),* }

        impl ActionReason {
            /// All reasons.
            pub const ALL: &'static [ActionReason] = &[$(ActionReason::$variant),*];

            /// The character of the reason (PL12).
            pub fn symbol(self) -> char {
                match self { $(ActionReason::$variant => $symbol),* }
            }

            /// The name in this suite's text formats; empty for none, which is written as null.
            pub fn name(self) -> &'static str {
                match self { $(ActionReason::$variant => $name),* }
            }
        }
    };
}

reasons! {
    /// No reason is given.
    #[default]
    None = '\0', "";
    /// The object is tainted.
    ReplaceBecauseTainted = 'T', "replace_because_tainted";
    /// The user asks for it.
    ReplaceByRequest = 'R', "replace_by_request";
    /// The provider cannot update it.
    ReplaceBecauseCannotUpdate = 'F', "replace_because_cannot_update";
    /// A reference of its `replace_triggered_by` changes.
    ReplaceByTriggers = 'D', "replace_by_triggers";
    /// The configuration has no such resource.
    DeleteBecauseNoResourceConfig = 'N', "delete_because_no_resource_config";
    /// The resource repeats in another way.
    DeleteBecauseWrongRepetition = 'W', "delete_because_wrong_repetition";
    /// The index is out of the count.
    DeleteBecauseCountIndex = 'C', "delete_because_count_index";
    /// The key is not among those of `for_each`.
    DeleteBecauseEachKey = 'E', "delete_because_each_key";
    /// The module instance does not exist.
    DeleteBecauseNoModule = 'M', "delete_because_no_module";
    /// The object was moved to an address that is not configured.
    DeleteBecauseNoMoveTarget = 'A', "delete_because_no_move_target";
    /// The configuration of a data resource is not known yet.
    ReadBecauseConfigUnknown = '?', "read_because_config_unknown";
    /// A dependency of a data resource has changes pending.
    ReadBecauseDependencyPending = '!', "read_because_dependency_pending";
    /// The data resource is part of a check.
    ReadBecauseCheckNested = '#', "read_because_check_nested";
    /// OpenTofu: the resource is not enabled.
    DeleteBecauseEnabledFalse = 'L', "delete_because_enabled_false";
    /// OpenTofu: the flag in the state says to forget the object instead of destroying it.
    ForgotBecauseLifecycleDestroyInState = 'X', "forgot_because_lifecycle_destroy_in_state";
    /// OpenTofu: the configuration says to forget the object instead of destroying it.
    ForgotBecauseLifecycleDestroyInConfig = 'Y', "forgot_because_lifecycle_destroy_in_config";
}

impl ActionReason {
    /// The reason of that name in this suite's text formats.
    pub fn from_name(name: &str) -> Option<ActionReason> {
        ActionReason::ALL.iter().copied().find(|reason| reason.name() == name)
    }
}

/// The text form of PL13.
impl fmt::Display for ActionReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ActionReason::None => f.write_str("ResourceInstanceChangeNoReason"),
            reason => write!(f, "ResourceInstance{reason:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pl12_pl13_symbols_and_texts() {
        let symbols: String = ActionReason::ALL.iter().map(|reason| reason.symbol()).collect();
        assert_eq!(symbols, "\0TRFDNWCEMA?!#LXY");
        assert_eq!(ActionReason::None.to_string(), "ResourceInstanceChangeNoReason");
        assert_eq!(ActionReason::ReplaceByTriggers.to_string(), "ResourceInstanceReplaceByTriggers");
        for reason in ActionReason::ALL {
            assert_eq!(ActionReason::from_name(reason.name()), Some(*reason));
        }
    }
}
