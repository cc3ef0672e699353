//! Signatures, which define the buckets of findings: equal signatures mean the same finding.
//!
//! A signature has the operation, the kind of verdict and the *kind* of place where it shows, never a name, index or key,
//! because names are made up for every case. The shrinker keeps the signature while it makes the case smaller.
//!
//! Files, allow lists and tables hold signatures as text: `proposed_new diverge:keys nested_list reference/optimized`. Only `Display` and
//! `FromStr` write and read it, and each undoes the other. A file may be older or newer than this build: parsing a
//! text that this build cannot read returns an error.

mod kind;
mod place;
mod subjects;

#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

pub use kind::{Kind, RuleId, Site};
pub use place::{PlaceKind, Word};
pub use subjects::Subjects;

use super::difference::Class;
use crate::case::Op;

/// What all findings of one bucket share.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Signature {
    /// The operation.
    pub op: Op,
    /// The kind of the finding.
    pub kind: Kind,
    /// The kind of place where it shows.
    pub place: PlaceKind,
    /// The subjects that disagree, or the one to blame.
    pub subjects: Subjects,
}

/// Why a text is not a signature.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SignatureError {
    /// It does not have four parts.
    #[error("expected a signature (an operation, what is wrong, a place, subjects), found {0:?}")]
    Parts(String),
    /// This build does not have the operation.
    #[error("expected a signature, found one of an unknown operation: {0:?}")]
    Op(String),
    /// This build does not have the kind.
    #[error("expected crash:SITE, diverge:CLASS, over_budget or rule_broken:RULE, found {0:?}")]
    Kind(String),
    /// The place is not a kind of place.
    #[error("expected a kind of place, found {0:?}")]
    Place(String),
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Signature { op, kind, place, subjects } = self;
        write!(f, "{op} {kind} {place} {subjects}")
    }
}

impl FromStr for Signature {
    type Err = SignatureError;

    fn from_str(text: &str) -> Result<Signature, SignatureError> {
        let parts = || SignatureError::Parts(text.to_owned());
        let (op, rest) = text.split_once(' ').ok_or_else(parts)?;
        let op = op.parse().map_err(|_| SignatureError::Op(op.to_owned()))?;
        // The site of a crash may have several words, and a crash has no place.
        let (kind, rest) = match rest.starts_with("crash:") {
            true => rest.split_once(kind::AFTER_SITE).map(|(kind, subjects)| (kind, format!("root {subjects}"))),
            false => rest.split_once(' ').map(|(kind, rest)| (kind, rest.to_owned())),
        }
        .ok_or_else(parts)?;
        let (place, subjects) = rest.split_once(' ').ok_or_else(parts)?;
        Ok(Signature { op, kind: kind.parse()?, place: place.parse()?, subjects: Subjects::one(subjects) })
    }
}

/// The verdict class of a signature, in descending order of how much it shows about a planner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SignatureClass {
    /// A panic or a death.
    Crash,
    /// No answer in time.
    OverBudget,
    /// A different answer.
    Diverge,
    /// An answer that breaks a rule.
    RuleBroken,
}

/// The part that the signatures of one bug have in common, in any case that shows it. Can only be compared and printed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GeneralSignature(String);

impl fmt::Display for GeneralSignature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Signature {
    /// The verdict class.
    pub fn class(&self) -> SignatureClass {
        match self.kind {
            Kind::Crash(_) => SignatureClass::Crash,
            Kind::OverBudget => SignatureClass::OverBudget,
            Kind::Diverge(_) => SignatureClass::Diverge,
            Kind::RuleBroken(_) => SignatureClass::RuleBroken,
        }
    }

    /// The signature without details in which one bug varies from case to case: how exactly values differ, how the contents of a
    /// member are nested, and whether it is at an element.
    pub fn generalised(&self) -> GeneralSignature {
        let Signature { op, kind, place, subjects } = self;
        let kind = match kind {
            Kind::Diverge(class) if VALUE_CLASSES.contains(class) => "diverge:value".to_owned(),
            kind => kind.to_string(),
        };
        GeneralSignature(format!("{op} {kind} {} {subjects}", place.generalised()))
    }

    /// The subject to blame if the first subject, of this name, is right.
    pub fn blamed(&self, first: &str) -> &str {
        self.subjects.blamed(first)
    }

    /// Whether this is a broken rule that follows from a difference: if answers differ, one of them is wrong and breaks rules, or makes
    /// its provider break them. Rules that the first subject breaks do not follow from a difference.
    pub fn follows_from(&self, cause: &Signature, first: &str) -> bool {
        self.class() == SignatureClass::RuleBroken
            && cause.class() == SignatureClass::Diverge
            && self.op == cause.op
            && (self.subjects.is_one(cause.blamed(first)) || self.subjects.is_provider())
    }

    /// Whether a subject is needed to see the finding: the first one, of the given name, or one to blame.
    pub fn is_about(&self, subject: &str, first: &str) -> bool {
        let blamed = self.blamed(first);
        let rest = blamed.strip_prefix(subject);
        subject == first || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

/// The classes of differences between values.
const VALUE_CLASSES: [Class; 9] = [
    Class::Type,
    Class::NullUnknown,
    Class::NullKnown,
    Class::UnknownKnown,
    Class::Record,
    Class::Primitive,
    Class::Length,
    Class::Keys,
    Class::Elements,
];
