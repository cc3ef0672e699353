//! The scopes whose workspaces are all run: small enough to be enumerated to the end.

use planfuzz_core::dialect::Dialect;

use crate::case::Case;
use crate::{pairs, places, stored};

/// A scope whose workspaces are all run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Every pair of actions of two resources ([`pairs`]).
    Pairs,
    /// Every way in which two instances can be stored ([`stored`]).
    Stored,
    /// Every kind of value in every place of a configuration (`places`).
    Places,
}

impl Scope {
    /// All of them with their names.
    pub const ALL: [(Scope, &str); 3] = [(Scope::Pairs, "pairs"), (Scope::Stored, "stored"), (Scope::Places, "places")];

    /// The scope of a name.
    pub fn from_name(name: &str) -> Option<Scope> {
        Scope::ALL.iter().find(|(_, own)| *own == name).map(|(scope, _)| *scope)
    }

    /// How many workspaces it has.
    pub fn count(self) -> usize {
        match self {
            Scope::Pairs => pairs::COUNT,
            Scope::Stored => stored::COUNT,
            Scope::Places => places::count(),
        }
    }

    /// The workspace of a number below [`Scope::count`].
    pub fn case(self, number: usize, dialect: Dialect) -> Case {
        match self {
            Scope::Pairs => pairs::pair(number, dialect),
            Scope::Stored => stored::stored(number, dialect),
            Scope::Places => places::placed(number, dialect),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_number_is_another_case_that_reads_back() {
        // Of the pairs, a few differ in nothing but a choice that no resource is there to show.
        for ((scope, name), distinct) in Scope::ALL.into_iter().zip([1_260, 3_888, 7_265]) {
            assert_eq!(Scope::from_name(name), Some(scope));
            let mut seen = BTreeSet::new();
            for number in 0..scope.count() {
                // A purpose names the number's choices, whether they make a difference or not.
                let case = Case { purpose: None, ..scope.case(number, Dialect::TERRAFORM_1_11) };
                let text = case.to_json().to_compact();
                assert_eq!(Case::parse(&text).expect("a case").to_json().to_compact(), text);
                seen.insert(text);
            }
            assert_eq!(seen.len(), distinct, "{name}");
        }
    }
}
