//! Who disagrees, or is to blame.

use std::fmt;

/// The subjects that disagree, the first one first, or the one that is to blame.
///
/// Names may hold whatever a command does, `/` among it, so that a text alone does not tell where the first one ends: whoever asks
/// names the first subject.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Subjects(String);

/// How signatures name the provider of a life.
const PROVIDER: &str = "provider";

impl Subjects {
    /// The one that is to blame.
    pub fn one(name: &str) -> Subjects {
        Subjects(name.to_owned())
    }

    /// Two that disagree.
    pub fn pair(first: &str, other: &str) -> Subjects {
        Subjects(format!("{first}/{other}"))
    }

    /// The provider of a life.
    pub fn provider() -> Subjects {
        Subjects(PROVIDER.to_owned())
    }

    /// A subject, or the provider beside it: it cannot be told which.
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

    /// Who is to blame where the first subject, of this name, is right.
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
