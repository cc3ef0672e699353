//! The subjects of a finding: those that disagree, or the one to blame.

use std::fmt;

/// The subjects that disagree, the first one first, or the one to blame.
///
/// A subject's name may be any command and may contain `/`, so the text alone does not show where the first name ends: callers
/// pass the name of the first subject.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Subjects(String);

/// The name of a scenario's provider in signatures.
const PROVIDER: &str = "provider";

impl Subjects {
    /// One subject, which is to blame.
    pub fn one(name: &str) -> Subjects {
        Subjects(name.to_owned())
    }

    /// Two subjects that disagree.
    pub fn pair(first: &str, other: &str) -> Subjects {
        Subjects(format!("{first}/{other}"))
    }

    /// The provider of a scenario.
    pub fn provider() -> Subjects {
        Subjects(PROVIDER.to_owned())
    }

    /// A subject or its provider, if it cannot be decided which is to blame.
    pub fn beside_provider(name: &str) -> Subjects {
        Subjects::pair(name, PROVIDER)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is the provider alone.
    pub fn is_provider(&self) -> bool {
        self.0 == PROVIDER
    }

    /// Whether it is one subject of this name.
    pub fn is_one(&self, name: &str) -> bool {
        self.0 == name
    }

    /// The subject to blame if the first subject, of this name, is right.
    pub fn blamed(&self, first: &str) -> &str {
        let rest = self.0.strip_prefix(first).and_then(|rest| rest.strip_prefix('/'));
        rest.unwrap_or(&self.0)
    }
}

impl fmt::Display for Subjects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
