//! Actions (PL01 to PL03).

use std::fmt;

macro_rules! actions {
    ($($(#[$doc:meta])* $variant:ident = $symbol:literal, $name:literal;)*) => {
        /// What a change does to an object (PL01). The zero value is [`Action::NoOp`] (PL03).
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
    /// The object leaves the state and lives on.
    Forget = '.', "forget";
    /// Terraform: a new object, and the old one lives on.
    CreateThenForget = '⨥', "create_then_forget";
    /// OpenTofu: the old object lives on, then a new one.
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
}
