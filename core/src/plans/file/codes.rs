//! The numbers that stand for actions, reasons and the like (sections 2.1, 2.4, 2.5 and 2.7 of plan-files.md).

use crate::dialect::Engine;
use crate::plans::{Action, ActionReason, Mode};

use super::error::ContentProblem;

/// The number of an action in the files of an engine; `None` if the engine does not have the action.
fn action_number(action: Action, engine: Engine) -> Option<i32> {
    match (action, engine) {
        (Action::NoOp, _) => Some(0),
        (Action::Create, _) => Some(1),
        (Action::Read, _) => Some(2),
        (Action::Update, _) => Some(3),
        (Action::Delete, _) => Some(5),
        (Action::DeleteThenCreate, _) => Some(6),
        (Action::CreateThenDelete, _) => Some(7),
        (Action::Forget, _) => Some(8),
        (Action::CreateThenForget, Engine::Terraform) => Some(9),
        (Action::ForgetThenCreate, Engine::OpenTofu) => Some(10),
        (Action::CreateThenForget, Engine::OpenTofu) | (Action::ForgetThenCreate, Engine::Terraform) => None,
    }
}

/// The number of a reason, likewise.
fn reason_number(reason: ActionReason, engine: Engine) -> Option<i32> {
    let number = match reason {
        ActionReason::None => 0,
        ActionReason::ReplaceBecauseTainted => 1,
        ActionReason::ReplaceByRequest => 2,
        ActionReason::ReplaceBecauseCannotUpdate => 3,
        ActionReason::DeleteBecauseNoResourceConfig => 4,
        ActionReason::DeleteBecauseWrongRepetition => 5,
        ActionReason::DeleteBecauseCountIndex => 6,
        ActionReason::DeleteBecauseEachKey => 7,
        ActionReason::DeleteBecauseNoModule => 8,
        ActionReason::ReplaceByTriggers => 9,
        ActionReason::ReadBecauseConfigUnknown => 10,
        ActionReason::ReadBecauseDependencyPending => 11,
        ActionReason::DeleteBecauseNoMoveTarget => 12,
        ActionReason::ReadBecauseCheckNested => 13,
        ActionReason::DeleteBecauseEnabledFalse => 14,
        ActionReason::ForgotBecauseLifecycleDestroyInState => 15,
        ActionReason::ForgotBecauseLifecycleDestroyInConfig => 16,
    };
    (number <= 13 || engine == Engine::OpenTofu).then_some(number)
}

fn mode_number(mode: Mode) -> i32 {
    match mode {
        Mode::Normal => 0,
        Mode::Destroy => 1,
        Mode::RefreshOnly => 2,
    }
}

/// An enumeration whose members have a number in each engine.
pub(super) trait Numbered: Copy + std::fmt::Debug + 'static {
    /// The name of the enumeration in messages.
    const NAME: &'static str;
    /// All of the kind.
    const ALL: &'static [Self];
    /// Its number.
    fn number(self, engine: Engine) -> Option<i32>;

    /// The member with this number.
    fn of(number: i32, engine: Engine) -> Result<Self, ContentProblem> {
        let found = Self::ALL.iter().copied().find(|probe| probe.number(engine) == Some(number));
        found.ok_or_else(|| ContentProblem::Code { of: Self::NAME, found: number.to_string() })
    }

    /// The number of a member; an error if the engine does not have it.
    fn code(self, engine: Engine) -> Result<i32, ContentProblem> {
        self.number(engine).ok_or_else(|| ContentProblem::Code { of: Self::NAME, found: format!("{self:?}") })
    }
}

impl Numbered for Action {
    const NAME: &'static str = "an action";
    const ALL: &'static [Action] = Action::ALL;

    fn number(self, engine: Engine) -> Option<i32> {
        action_number(self, engine)
    }
}

impl Numbered for ActionReason {
    const NAME: &'static str = "an action reason";
    const ALL: &'static [ActionReason] = ActionReason::ALL;

    fn number(self, engine: Engine) -> Option<i32> {
        reason_number(self, engine)
    }
}

impl Numbered for Mode {
    const NAME: &'static str = "a mode";
    const ALL: &'static [Mode] = &Mode::ALL;

    fn number(self, _engine: Engine) -> Option<i32> {
        Some(mode_number(self))
    }
}

macro_rules! numbered {
    ($(#[$of:meta])* $kind:ident: $name:literal { $($(#[$doc:meta])* $variant:ident = $number:literal;)* }) => {
        $(#[$of])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $kind { $($(#[$doc])* $variant),* }

        impl Numbered for $kind {
            const NAME: &'static str = $name;
            const ALL: &'static [$kind] = &[$($kind::$variant),*];

            fn number(self, _engine: Engine) -> Option<i32> {
                Some(match self { $($kind::$variant => $number),* })
            }
        }
    };
}

numbered! {
    /// The reason of a deferral (Terraform).
    DeferredReason: "a reason to defer" {
        /// No known reason.
        Invalid = 0;
        /// It is not known how many instances there are.
        InstanceCountUnknown = 1;
        /// The resource's configuration is not known.
        ResourceConfigUnknown = 2;
        /// The provider's configuration is not known.
        ProviderConfigUnknown = 3;
        /// A prerequisite is missing.
        AbsentPrerequisite = 4;
        /// A prerequisite is deferred.
        DeferredPrerequisite = 5;
    }
}

numbered! {
    /// The kind of object that checks are about.
    CheckKind: "a kind of checks" {
        /// No kind is given.
        Unspecified = 0;
        /// A resource.
        Resource = 1;
        /// An output value.
        OutputValue = 2;
        /// A check block.
        Check = 3;
        /// An input variable.
        InputVariable = 4;
    }
}

numbered! {
    /// The status of checks.
    CheckStatus: "a status of checks" {
        /// Not known.
        Unknown = 0;
        /// They hold.
        Pass = 1;
        /// One does not.
        Fail = 2;
        /// One could not be decided.
        Error = 3;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_there_and_back<T: Numbered + PartialEq>(engine: Engine) -> usize {
        let known = T::ALL.iter().filter(|one| one.number(engine).is_some());
        known.inspect(|one| assert!(T::of(one.code(engine).unwrap(), engine) == Ok(**one))).count()
    }

    #[test]
    fn pf32_numbers_there_and_back() {
        assert_eq!(check_there_and_back::<Action>(Engine::Terraform), 9);
        assert_eq!(check_there_and_back::<Action>(Engine::OpenTofu), 9);
        assert_eq!(check_there_and_back::<ActionReason>(Engine::Terraform), 14);
        assert_eq!(check_there_and_back::<ActionReason>(Engine::OpenTofu), 17);
        assert_eq!(check_there_and_back::<Mode>(Engine::Terraform), 3);
        assert_eq!(check_there_and_back::<DeferredReason>(Engine::Terraform), 6);
        assert_eq!(check_there_and_back::<CheckKind>(Engine::Terraform), 5);
        assert_eq!(check_there_and_back::<CheckStatus>(Engine::Terraform), 4);
        for number in [4, -1, 10, 11] {
            assert!(Action::of(number, Engine::Terraform).is_err(), "{number}");
        }
        assert!(Action::of(9, Engine::OpenTofu).is_err());
        assert!(Action::ForgetThenCreate.code(Engine::Terraform).is_err());
    }
}
