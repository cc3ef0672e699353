//! The promises of a provider: the invariants of lifecycle.md that a provider must keep, by their ids, and promises that can be broken
//! without Core, by names.

use planfuzz_rules::{Checking, INVARIANTS};

/// A promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Promise {
    /// Its name, or the id of its invariant.
    pub id: &'static str,
    /// Its statement, in one line.
    pub statement: &'static str,
}

macro_rules! promises {
    ($($name:ident $id:literal $statement:literal)*) => {
        $(pub(crate) const $name: &str = $id;)*

        /// The promises that are checked here.
        pub const PROMISES: &[Promise] = &[$(Promise { id: $id, statement: $statement }),*];
    };
}

promises! {
    ANSWERS "answers" "every question has an answer, in time, within bounds, that can be read"
    NO_CRASH "no-crash" "no answer makes engines crash"
    SAME_ANSWER "same-answer" "the same question has the same answer"
    FINAL_PLAN "final-plan" "what is planned while something is unknown holds once it is known"
    SETTLED_PLAN "settled-plan" "planning again what was planned, once it is there, changes nothing"
    UPGRADE_IDENTITY "upgrade-identity" "an object stored at the schema's version is upgraded to itself"
    READ_BACK "read-back" "a read finds what was applied or read before"
    IMPORT_EMPTY "import-empty" "the plan of what was just imported, under its own configuration, is empty"
    GONE "gone" "a read of what was destroyed finds nothing"
    REPLACE_TRUTH "replace-truth" "a path that requires replacement is one that changes"
    REFUSED_EARLY "refused-early" "what validation and plan take is not refused by the apply"
    DIAGNOSTIC_PATH "diagnostic-path" "an error or a warning names an attribute that exists"
    IDENTITY_GIVEN "identity-given" "an object that is there has the identity that its type has a form for, whole"
    IDENTITY_KEPT "identity-kept" "an object's identity stays what it was and what was planned, and an import finds the object that has it"
    CORE "core" "the reference planner keeps its own part of the invariants"
}

/// The statement of a promise, or of an invariant.
pub fn statement(id: &str) -> &'static str {
    let own = PROMISES.iter().find(|promise| promise.id == id).map(|promise| promise.statement);
    let invariant = || INVARIANTS.iter().find(|info| info.id == id).map(|info| info.statement);
    own.or_else(invariant).unwrap_or_default()
}

/// Whether a provider must keep an invariant, and it is checked over traces.
pub fn is_providers(index: usize) -> bool {
    INVARIANTS.get(index).is_some_and(|info| {
        info.checking == Checking::OverTraces && (info.fault.contains("provider") || info.fault.contains("either"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_promise_has_a_statement() {
        assert!(
            PROMISES.iter().all(|promise| !promise.statement.is_empty() && statement(promise.id) == promise.statement)
        );
        assert_eq!(statement("I24"), "what was planned known comes about");
        assert_eq!((is_providers(23), is_providers(0)), (true, false));
    }
}
