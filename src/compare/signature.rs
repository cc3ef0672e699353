//! Signatures: what makes two findings the same.
//!
//! A signature has the operation, the kind of verdict and the *kind* of place where it shows, never a name, index or key:
//! names are invented afresh for every case. The shrinker keeps the signature while it makes the case smaller.

use std::fmt;

use planfuzz_core::schema::{Attribute, Block, NestedType, Nesting, Shape};
use planfuzz_core::value::{WrittenPath, WrittenStep};

use super::PROVIDER;
use super::difference::{Class, Place};
use crate::case::Op;

/// What the findings of one bucket share.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Signature {
    /// The operation.
    pub op: Op,
    /// The kind of verdict and its class, rule or site: `diverge:null_known`, `rule_broken:M10`, `crash:merge.rs:7`.
    pub kind: String,
    /// The kind of place: `root`, `attribute`, `nested_list`, `block_set`, an element of one of these with `[]`, or
    /// `leaf` for the inside of a leaf attribute.
    pub place: String,
    /// The subjects that disagree, the first one first, or the one that is to blame.
    pub subjects: String,
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Signature { op, kind, place, subjects } = self;
        write!(f, "{op} {kind} {place} {subjects}")
    }
}

/// The verdict class of a signature, the one that says most of a planner first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SignatureClass {
    /// A panic or a death.
    Crash,
    /// No answer in time.
    OverBudget,
    /// Another answer.
    Diverge,
    /// An answer that breaks a rule.
    RuleBroken,
}

impl Signature {
    /// The verdict class.
    pub fn class(&self) -> SignatureClass {
        match self.kind.split(':').next() {
            Some("crash") => SignatureClass::Crash,
            Some("over_budget") => SignatureClass::OverBudget,
            Some("diverge") => SignatureClass::Diverge,
            _ => SignatureClass::RuleBroken,
        }
    }

    /// The signature less what one mistake differs in from case to case: in which way values differ, how what is inside of a
    /// member is nested, and whether it is at an element.
    #[must_use]
    pub fn generalised(&self) -> Signature {
        let kind = match self.kind.strip_prefix("diverge:") {
            Some(class) if VALUE_CLASSES.iter().any(|of_value| of_value.name() == class) => "diverge:value".to_owned(),
            _ => self.kind.clone(),
        };
        let place = match self.place.split('_').next() {
            Some("leaf") => "attribute",
            Some(kind @ ("nested" | "block")) => kind,
            _ => &self.place,
        };
        Signature { kind, place: place.to_owned(), ..self.clone() }
    }

    /// Who is to blame where the first subject, of this name, is right.
    pub fn blamed(&self, first: &str) -> &str {
        let rest = self.subjects.strip_prefix(first).and_then(|rest| rest.strip_prefix('/'));
        rest.unwrap_or(&self.subjects)
    }

    /// Whether this is a rule that is broken because of what another signature tells: where answers differ one of them is wrong, and
    /// breaks rules, or has its provider break them. What the first subject breaks is its own.
    pub fn follows_from(&self, cause: &Signature, first: &str) -> bool {
        self.class() == SignatureClass::RuleBroken
            && cause.class() == SignatureClass::Diverge
            && self.op == cause.op
            && (self.subjects == cause.blamed(first) || self.subjects == PROVIDER)
    }

    /// Whether a subject is needed to see it: the first one, of the given name, and whoever is to blame.
    pub fn is_about(&self, subject: &str, first: &str) -> bool {
        let blamed = self.blamed(first);
        let rest = blamed.strip_prefix(subject);
        subject == first || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

/// The ways in which values differ.
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

/// The kind of a place in a schema.
pub fn kind_of_place(block: &Block, place: &Place) -> String {
    match place {
        Place::Path(path) => kind_of_path(block, &WrittenPath::from(path)),
        Place::Life(place) => kind_of_path(block, &place.path),
        Place::Text(text) => match WrittenPath::parse(text) {
            Ok(path) => kind_of_path(block, &path),
            Err(_) => "unreadable".to_owned(),
        },
    }
}

/// Where a walk along a path is.
enum At<'s> {
    Block(&'s Block),
    Nested(&'s NestedType),
    Leaf,
}

/// A member of a block or nested type: what is inside, its kind, and its mode.
struct Member<'s> {
    inside: At<'s>,
    kind: String,
    nesting: Option<Nesting>,
}

fn kind_of_path(block: &Block, path: &WrittenPath) -> String {
    let mut at = At::Block(block);
    let mut kind = "root".to_owned();
    let mut before_element = false;
    for step in path.steps() {
        // For mode map the engines write the key as an attribute step: it may have the name of a member.
        if before_element {
            kind.push_str("[]");
            before_element = false;
            continue;
        }
        if matches!(at, At::Leaf) {
            return "leaf".to_owned();
        }
        let member = match step {
            WrittenStep::Attribute(name) => member(&at, name),
            WrittenStep::Index(_) | WrittenStep::Key(_) | WrittenStep::Element => None,
        };
        let Some(member) = member else { return "unknown_member".to_owned() };
        (at, kind) = (member.inside, member.kind);
        before_element = matches!(member.nesting, Some(Nesting::List | Nesting::Set | Nesting::Map));
    }
    kind
}

fn member<'s>(at: &At<'s>, name: &str) -> Option<Member<'s>> {
    let attribute = match at {
        At::Block(block) => {
            if let Some(nested) = block.block_types.get(name) {
                let (kind, nesting) = (format!("block_{}", nested.nesting.name()), Some(nested.nesting));
                return Some(Member { inside: At::Block(&nested.block), kind, nesting });
            }
            block.attributes.get(name)?
        }
        At::Nested(nested) => nested.attributes.get(name)?,
        At::Leaf => return None,
    };
    Some(of_attribute(attribute))
}

fn of_attribute(attribute: &Attribute) -> Member<'_> {
    match &attribute.shape {
        Shape::Leaf(_) => Member { inside: At::Leaf, kind: "attribute".to_owned(), nesting: None },
        Shape::Nested(nested) => {
            let kind = format!("nested_{}", nested.nesting.name());
            Member { inside: At::Nested(nested), kind, nesting: Some(nested.nesting) }
        }
    }
}

#[cfg(test)]
mod tests {
    use planfuzz_core::schema::Schema;

    use super::*;

    #[test]
    fn who_is_to_blame_is_told_from_the_first_subject_whatever_is_in_a_name() {
        let of = |subjects: &str| Signature {
            op: Op::ProposedNew,
            kind: "diverge:keys".to_owned(),
            place: "root".to_owned(),
            subjects: subjects.to_owned(),
        };
        assert_eq!(of("reference/exec:./a/b").blamed("reference"), "exec:./a/b");
        assert_eq!(of("exec:./a/b").blamed("reference"), "exec:./a/b");
        assert!(of("reference/exec:./a/b").is_about("reference", "reference"));
        assert!(of("reference/exec:./a/b").is_about("exec:./a/b", "reference"));
        assert!(!of("reference/optimized").is_about("opt", "reference"));
        assert!(of("optimized/provider").is_about("optimized", "reference"));
        assert_eq!(of("a").class(), SignatureClass::Diverge);
    }

    #[test]
    fn a_broken_rule_follows_from_a_difference_of_the_same_subject_and_operation() {
        let of = |op, kind: &str, subjects: &str| {
            let (kind, subjects) = (kind.to_owned(), subjects.to_owned());
            Signature { op, kind, place: "root".to_owned(), subjects }
        };
        let differs = of(Op::ProposedNew, "diverge:keys", "reference/b");
        let follows = |signature: Signature| signature.follows_from(&differs, "reference");
        assert!(follows(of(Op::ProposedNew, "rule_broken:M10", "b")));
        assert!(follows(of(Op::ProposedNew, "rule_broken:I20", "provider")));
        assert!(!follows(of(Op::ProposedNew, "rule_broken:M10", "reference")));
        assert!(!follows(of(Op::ProposedNew, "rule_broken:M10", "c")));
        assert!(!follows(of(Op::AssertPlanValid, "rule_broken:M10", "b")));
        assert!(!follows(differs.clone()));
    }

    #[test]
    fn what_differs_from_case_to_case_is_left_out_of_a_general_signature() {
        let general = |kind: &str, place: &str| {
            let signature = Signature {
                op: Op::ProposedNew,
                kind: kind.to_owned(),
                place: place.to_owned(),
                subjects: "a/b".to_owned(),
            };
            signature.generalised().to_string()
        };
        assert_eq!(general("diverge:null_known", "leaf"), "proposed_new diverge:value attribute a/b");
        assert_eq!(general("diverge:elements", "nested_set[]"), "proposed_new diverge:value nested a/b");
        assert_eq!(general("diverge:state", "block_map"), "proposed_new diverge:state block a/b");
        assert_eq!(general("crash:merge.rs:7", "root"), "proposed_new crash:merge.rs:7 root a/b");
        assert_eq!(general("rule_broken:M10", "unknown_member"), "proposed_new rule_broken:M10 unknown_member a/b");
    }

    #[test]
    fn a_key_is_an_element_even_where_it_has_the_name_of_a_member() {
        let schema = r#"{"block": {"block_types": {"m": {"nesting_mode": "map", "block": {
            "attributes": {"k": {"type": ["list", "string"], "optional": true}}}}}}}"#;
        let schema = Schema::parse(schema).expect("a schema");
        let kind = |path: &str| kind_of_place(&schema.block, &Place::Text(path.to_owned()));
        assert_eq!(kind(""), "root");
        assert_eq!(kind(".m"), "block_map");
        assert_eq!(kind(".m.k"), "block_map[]");
        assert_eq!(kind(".m[\"k\"].k"), "attribute");
        assert_eq!(kind(".m.k.k[0]"), "leaf");
        assert_eq!(kind(".none"), "unknown_member");
        assert_eq!(kind(".m.k.none"), "unknown_member");
    }
}
