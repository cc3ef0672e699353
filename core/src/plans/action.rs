//! Actions (PL01 to PL03).

use std::fmt;

macro_rules! actions {
    ($($(#[$doc:meta])* $variant:ident = $symbol:literal, $name:literal;)*) => {
        /// The action of a change on an object (PL01). The zero value is [`Action::NoOp`] (PL03).
        ///
        /// Terraform's operations on ephemeral resources (open, renew, close) are no actions: no change has them
        /// (PL03).
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Action { $($(#[$doc])* $variant),* }

        impl Action {
            /// All actions.
            pub const ALL: &'static [Action] = &[$(Action::$variant),*];

            /// The symbol: its Unicode scalar value is the action's number in stored forms (PL01).
            pub fn symbol(self) -> char {
                match self { $(Action::$variant => $symbol),* }
            }

            /// The name in this suite's text formats: `delete_then_create`.
            pub fn name(self) -> &'static str {
                match self { $(Action::$variant => $name),* }
            }
        }
    };
}

actions! {
    /// Nothing changes.
    #[default]
    NoOp = '\0', "no_op";
    /// A new object.
    Create = '+', "create";
    /// A data resource is read while applying.
    Read = '←', "read";
    /// The object is changed in place.
    Update = '~', "update";
    /// A replacement, destroyed first.
    DeleteThenCreate = '∓', "delete_then_create";
    /// A replacement, created first.
    CreateThenDelete = '±', "create_then_delete";
    /// The object is destroyed.
    Delete = '-', "delete";
    /// The object leaves the state and is not destroyed.
    Forget = '.', "forget";
    /// Terraform: a new object; the old one leaves the state and is not destroyed.
    CreateThenForget = '⨥', "create_then_forget";
    /// OpenTofu: the old object leaves the state and is not destroyed, then a new one.
    ForgetThenCreate = '⊘', "forget_then_create";
}

impl Action {
    /// Whether the action is a replacement by PL01: OpenTofu's forget-then-create is none.
    pub fn is_replace(self) -> bool {
        matches!(self, Action::DeleteThenCreate | Action::CreateThenDelete | Action::CreateThenForget)
    }

    /// The action of that name in this suite's text formats.
    pub fn from_name(name: &str) -> Option<Action> {
        Action::ALL.iter().copied().find(|action| action.name() == name)
    }
}

/// A number that stands for no action. Prints as engines print it (PL02): `Action(63)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Action({0})")]
pub struct UnknownAction(pub u32);

/// The number of PL01, that of the symbol.
impl From<Action> for u32 {
    fn from(action: Action) -> u32 {
        action.symbol().into()
    }
}

/// The action of a number of PL01.
impl TryFrom<u32> for Action {
    type Error = UnknownAction;

    fn try_from(number: u32) -> Result<Action, UnknownAction> {
        let found = Action::ALL.iter().copied().find(|action| u32::from(*action) == number);
        found.ok_or(UnknownAction(number))
    }
}

/// The text form of PL02, the name as engines write it.
impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pl01_symbols_and_replacements() {
        let symbols: String = Action::ALL.iter().map(|action| action.symbol()).collect();
        assert_eq!(symbols, "\0+←~∓±-.⨥⊘");
        let replacements: Vec<_> = Action::ALL.iter().filter(|action| action.is_replace()).collect();
        assert_eq!(replacements, [&Action::DeleteThenCreate, &Action::CreateThenDelete, &Action::CreateThenForget]);
    }

    #[test]
    fn pl02_pl03_names_and_the_zero_value() {
        assert_eq!(Action::default(), Action::NoOp);
        assert_eq!(Action::DeleteThenCreate.to_string(), "DeleteThenCreate");
        for action in Action::ALL {
            assert_eq!(Action::from_name(action.name()), Some(*action));
        }
        assert_eq!(Action::from_name("replace"), None);
    }

    #[test]
    fn pl02_numbers_there_and_back_and_the_text_of_others() {
        for action in Action::ALL {
            assert_eq!(Action::try_from(u32::from(*action)), Ok(*action));
        }
        assert_eq!(Action::try_from(0x2213), Ok(Action::DeleteThenCreate));
        for (number, text) in [(1, "Action(1)"), ('?'.into(), "Action(63)"), (u32::MAX, "Action(4294967295)")] {
            assert_eq!(Action::try_from(number).map_err(|unknown| unknown.to_string()), Err(text.to_owned()));
        }
    }

    #[test]
    fn pl03_operations_on_ephemeral_resources_are_no_actions() {
        for symbol in ['⟃', '⟳', '⫏'] {
            assert!(Action::try_from(u32::from(symbol)).is_err(), "{symbol}");
        }
    }
}
