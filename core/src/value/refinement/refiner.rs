//! Adding facts to a record (V42), and the value that they determine (V43).

use std::cmp::Ordering;

use triomphe::Arc;

use super::{Bound, Range, Refinement, UNBOUNDED, safe_prefix};
use crate::value::node::{MapNode, Node};
use crate::value::text::Text;
use crate::value::ty::Type;

/// The longest list that a record makes known (V43). A longer one would cost memory that the input did not pay for.
pub const MAX_KNOWN_LENGTH: u64 = 1024;

/// The error for a fact that cannot be added. Upstream crashes on all of them but the last.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RefinementError {
    /// The type has no such fact (V40).
    #[error("expected a refinement that the type can have, found {fact} at {}", ty.to_v05_text())]
    WrongType {
        /// The type of the unknown.
        ty: Type,
        /// The name of the fact.
        fact: &'static str,
    },
    /// Null after not null, or not null after null.
    #[error("expected one nullness, found both null and not null")]
    Nullness,
    /// A prefix that neither begins with the one before nor begins it.
    #[error("expected a prefix that agrees with {old:?}, found {new:?}")]
    Prefix {
        /// The prefix so far.
        old: Text,
        /// The new prefix.
        new: Text,
    },
    /// Bounds with no number between them.
    #[error("expected a lower bound below the upper one, found {min:?} and {max:?}")]
    Bounds {
        /// The lower bound.
        min: Bound,
        /// The upper bound.
        max: Bound,
    },
    /// A least length above the greatest one.
    #[error("expected a least length up to the greatest one, found {min} and {max}")]
    Lengths {
        /// The least length.
        min: i64,
        /// The greatest length.
        max: i64,
    },
    /// A list that would become known with too many elements (V43).
    #[error("expected a known length of at most {MAX_KNOWN_LENGTH}, found {length}")]
    KnownLength {
        /// The length.
        length: u64,
    },
}

/// A record in the making: facts are added in order (V42).
#[derive(Clone, Debug)]
pub struct Refiner<'a> {
    ty: &'a Type,
    null: bool,
    not_null: bool,
    prefix: Text,
    min: Option<Bound>,
    max: Option<Bound>,
    length_min: i64,
    length_max: i64,
}

impl<'a> Refiner<'a> {
    /// A record of an unknown of a type, with nothing in it.
    pub fn new(ty: &'a Type) -> Refiner<'a> {
        Refiner {
            ty,
            null: false,
            not_null: false,
            prefix: Text::default(),
            min: None,
            max: None,
            length_min: 0,
            length_max: i64::MAX,
        }
    }

    /// A record that starts with the facts of one of the same type.
    pub fn from_record(ty: &'a Type, record: &Refinement) -> Refiner<'a> {
        let mut refiner = Refiner { not_null: record.not_null, ..Refiner::new(ty) };
        match &record.range {
            Range::Any => {}
            Range::String { prefix } => refiner.prefix = prefix.clone(),
            Range::Number { min, max } => (refiner.min, refiner.max) = (min.clone(), max.clone()),
            Range::Length { min, max } => {
                refiner.length_min = i64::try_from(*min).unwrap_or(i64::MAX);
                refiner.length_max = i64::try_from(*max).unwrap_or(i64::MAX);
            }
        }
        refiner
    }

    /// The value is not null.
    ///
    /// # Errors
    /// It is null already, or the type is `dynamic`.
    pub fn not_null(&mut self) -> Result<(), RefinementError> {
        self.expect(!self.ty.is_dynamic(), "not_null")?;
        if self.null {
            return Err(RefinementError::Nullness);
        }
        self.not_null = true;
        Ok(())
    }

    /// The value is null, so that it becomes known.
    ///
    /// # Errors
    /// It is not null already, or the type is `dynamic`.
    pub fn null(&mut self) -> Result<(), RefinementError> {
        self.expect(!self.ty.is_dynamic(), "null")?;
        if self.not_null {
            return Err(RefinementError::Nullness);
        }
        self.null = true;
        Ok(())
    }

    /// The string begins with all of `prefix`, which is put into NFC: the sender knows the text after it.
    ///
    /// # Errors
    /// It disagrees with the prefix so far, or the type is not string.
    pub fn string_prefix(&mut self, prefix: &str) -> Result<(), RefinementError> {
        self.expect(matches!(self.ty, Type::String), "string_prefix")?;
        let new = Text::new(prefix);
        if new.starts_with(&*self.prefix) {
            self.prefix = new;
        } else if !self.prefix.starts_with(&*new) {
            return Err(RefinementError::Prefix { old: self.prefix.clone(), new });
        }
        Ok(())
    }

    /// The string begins with `start` and more text follows, which may combine with its end: only the safe part of
    /// it is recorded ([`safe_prefix`]).
    ///
    /// # Errors
    /// As for [`Refiner::string_prefix`].
    pub fn string_prefix_trimmed(&mut self, start: &str) -> Result<(), RefinementError> {
        self.string_prefix(&safe_prefix(start))
    }

    /// The number is not below `bound`. An infinite bound adds no fact.
    ///
    /// # Errors
    /// No number is left, or the type is not number.
    pub fn number_min(&mut self, bound: Bound) -> Result<(), RefinementError> {
        self.expect(matches!(self.ty, Type::Number), "number_min")?;
        tighten(&mut self.min, bound, Ordering::Greater);
        self.check_bounds()
    }

    /// The number is not above `bound`. An infinite bound adds no fact.
    ///
    /// # Errors
    /// No number is left, or the type is not number.
    pub fn number_max(&mut self, bound: Bound) -> Result<(), RefinementError> {
        self.expect(matches!(self.ty, Type::Number), "number_max")?;
        tighten(&mut self.max, bound, Ordering::Less);
        self.check_bounds()
    }

    /// The collection has at least so many elements; a negative number adds no fact.
    ///
    /// # Errors
    /// It is more than the greatest length, or the type is no collection.
    pub fn length_min(&mut self, least: i64) -> Result<(), RefinementError> {
        self.expect(self.ty.is_collection(), "length_min")?;
        self.length_min = self.length_min.max(least);
        self.check_lengths()
    }

    /// The collection has at most so many elements.
    ///
    /// # Errors
    /// It is less than the least length, or the type is no collection.
    pub fn length_max(&mut self, greatest: i64) -> Result<(), RefinementError> {
        self.expect(self.ty.is_collection(), "length_max")?;
        self.length_max = self.length_max.min(greatest);
        self.check_lengths()
    }

    /// The value that the facts determine: null, known (V43), or unknown with the record, which may be an empty one
    /// (V41). Of type `dynamic`, whose unknowns have no record, the plain unknown.
    ///
    /// # Errors
    /// A list would become known with more than [`MAX_KNOWN_LENGTH`] elements.
    pub fn finish(self) -> Result<Node, RefinementError> {
        if self.ty.is_dynamic() {
            return Ok(Node::UNKNOWN);
        }
        if self.null {
            return Ok(Node::Null);
        }
        if let Some(known) = self.known()? {
            return Ok(known);
        }
        let record = Refinement { not_null: self.not_null, range: self.range() };
        Ok(Node::Unknown(Some(Arc::new(record))))
    }

    /// V43.
    fn known(&self) -> Result<Option<Node>, RefinementError> {
        if !self.not_null {
            return Ok(None);
        }
        if let (Some(min), Some(max)) = (&self.min, &self.max)
            && min.inclusive
            && *min == *max
        {
            return Ok(Some(Node::Number(min.value.clone())));
        }
        if !self.ty.is_collection() || self.length_min != self.length_max {
            return Ok(None);
        }
        Ok(match (self.ty, self.length_min) {
            (Type::Map(_), 0) => Some(Node::Map(Arc::new(MapNode::from_sorted(Vec::new())))),
            (_, 0) => Some(Node::seq(Vec::new())),
            (Type::Set(_), 1) => Some(Node::seq(vec![Node::UNKNOWN])),
            (Type::List(_), length) => Some(unknowns(length.unsigned_abs())?),
            _ => None,
        })
    }

    fn range(self) -> Range {
        if !self.prefix.is_empty() {
            Range::String { prefix: self.prefix }
        } else if self.min.is_some() || self.max.is_some() {
            Range::Number { min: self.min, max: self.max }
        } else if (self.length_min, self.length_max) != (0, i64::MAX) {
            Range::Length { min: self.length_min.unsigned_abs(), max: self.length_max.unsigned_abs().min(UNBOUNDED) }
        } else {
            Range::Any
        }
    }

    fn expect(&self, allowed: bool, fact: &'static str) -> Result<(), RefinementError> {
        if allowed { Ok(()) } else { Err(RefinementError::WrongType { ty: self.ty.clone(), fact }) }
    }

    fn check_bounds(&self) -> Result<(), RefinementError> {
        let (Some(min), Some(max)) = (&self.min, &self.max) else { return Ok(()) };
        let below = min.value.compare(&max.value).is_lt();
        if below || (min.inclusive == max.inclusive && min.value.equals(&max.value)) {
            return Ok(());
        }
        Err(RefinementError::Bounds { min: min.clone(), max: max.clone() })
    }

    fn check_lengths(&self) -> Result<(), RefinementError> {
        if self.length_min <= self.length_max {
            return Ok(());
        }
        Err(RefinementError::Lengths { min: self.length_min, max: self.length_max })
    }
}

/// V42: a bound replaces the old one unless the old one is tighter; of equal ones the exclusive is tighter.
/// `tighter` is how a tighter value compares to a looser one.
fn tighten(old: &mut Option<Bound>, new: Bound, tighter: Ordering) {
    if new.value.is_infinite() {
        return;
    }
    let replaces = old.as_ref().is_none_or(|old| {
        new.value.compare(&old.value) == tighter || (new.value.equals(&old.value) && (old.inclusive || !new.inclusive))
    });
    if replaces {
        *old = Some(new);
    }
}

/// A list of so many plain unknowns.
fn unknowns(length: u64) -> Result<Node, RefinementError> {
    let refused = RefinementError::KnownLength { length };
    match usize::try_from(length) {
        Ok(count) if length <= MAX_KNOWN_LENGTH => Ok(Node::seq(vec![Node::UNKNOWN; count])),
        _ => Err(refused),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Number;

    type Added = Result<(), RefinementError>;

    /// The value of a type with some facts.
    fn refined<'a>(ty: &'a Type, facts: impl FnOnce(&mut Refiner<'a>) -> Added) -> Result<Node, RefinementError> {
        let mut refiner = Refiner::new(ty);
        facts(&mut refiner)?;
        refiner.finish()
    }

    #[track_caller]
    fn record<'a>(ty: &'a Type, facts: impl FnOnce(&mut Refiner<'a>) -> Added) -> Refinement {
        match refined(ty, facts) {
            Ok(Node::Unknown(Some(record))) => (*record).clone(),
            other => panic!("{other:?}"),
        }
    }

    fn bound(text: &str, inclusive: bool) -> Bound {
        Bound { value: Number::parse(text).expect(text), inclusive }
    }

    #[test]
    fn v41_a_record_may_be_empty() {
        let empty = record(&Type::Bool, |_| Ok(()));
        assert!(empty.is_empty());
        assert!(matches!(refined(&Type::Dynamic, |_| Ok(())), Ok(Node::Unknown(None))));
    }

    #[test]
    fn v40_facts_belong_to_types() {
        let refused = |added: Result<Node, RefinementError>| matches!(added, Err(RefinementError::WrongType { .. }));
        assert!(refused(refined(&Type::Dynamic, Refiner::not_null)));
        assert!(refused(refined(&Type::Dynamic, Refiner::null)));
        assert!(refused(refined(&Type::Number, |refiner| refiner.string_prefix("a"))));
        assert!(refused(refined(&Type::String, |refiner| refiner.number_min(bound("1", true)))));
        assert!(refused(refined(&Type::String, |refiner| refiner.number_max(bound("1", true)))));
        assert!(refused(refined(&Type::empty_object(), |refiner| refiner.length_min(1))));
        assert!(refused(refined(&Type::tuple(Vec::new()), |refiner| refiner.length_max(1))));
    }

    #[test]
    fn v42_one_nullness() {
        assert!(matches!(refined(&Type::Bool, Refiner::null), Ok(Node::Null)));
        assert!(record(&Type::Bool, |refiner| refiner.not_null().and_then(|()| refiner.not_null())).not_null);
        let both = refined(&Type::Bool, |refiner| refiner.null().and_then(|()| refiner.not_null()));
        assert_eq!(both.err(), Some(RefinementError::Nullness));
        let both = refined(&Type::Bool, |refiner| refiner.not_null().and_then(|()| refiner.null()));
        assert_eq!(both.err(), Some(RefinementError::Nullness));
    }

    #[test]
    fn v42_prefixes_grow() {
        let prefixes = |first: &'static str, second: &'static str| {
            refined(&Type::String, |refiner| refiner.string_prefix(first).and_then(|()| refiner.string_prefix(second)))
        };
        for (first, second) in [("ab", "abc"), ("abc", "ab"), ("abc", ""), ("", "abc"), ("abc", "abc")] {
            let Ok(Node::Unknown(Some(record))) = prefixes(first, second) else { panic!("{first} {second}") };
            assert_eq!(record.prefix(), if first.len() > second.len() { first } else { second });
        }
        assert!(matches!(prefixes("ab", "ac"), Err(RefinementError::Prefix { .. })));
        assert_eq!(record(&Type::String, |refiner| refiner.string_prefix("e\u{301}")).prefix(), "é");
        assert!(record(&Type::String, |refiner| refiner.string_prefix("")).is_empty());
    }

    #[test]
    fn v73_a_start_is_recorded_without_what_may_combine() {
        assert_eq!(record(&Type::String, |refiner| refiner.string_prefix_trimmed("hello")).prefix(), "hell");
        assert_eq!(record(&Type::String, |refiner| refiner.string_prefix_trimmed("ami-")).prefix(), "ami-");
        assert_eq!(record(&Type::String, |refiner| refiner.string_prefix("hello")).prefix(), "hello");
    }

    #[test]
    fn v42_the_tighter_bound_stays() {
        let cases = [
            (("1", true), ("2", true), ("2", true)),
            (("2", true), ("1", false), ("2", true)),
            (("1", true), ("1", false), ("1", false)),
            (("1", false), ("1", true), ("1", false)),
            (("1", true), ("-inf", true), ("1", true)),
        ];
        for (first, second, want) in cases {
            let min = record(&Type::Number, |refiner| {
                refiner.number_min(bound(first.0, first.1))?;
                refiner.number_min(bound(second.0, second.1))
            });
            assert_eq!(min.number_min(), Some(&bound(want.0, want.1)), "{first:?} {second:?}");
            let negated = |(text, inclusive): (&str, bool)| match text.strip_prefix('-') {
                Some(rest) => bound(rest, inclusive),
                None => bound(&format!("-{text}"), inclusive),
            };
            let max = record(&Type::Number, |refiner| {
                refiner.number_max(negated(first))?;
                refiner.number_max(negated(second))
            });
            assert_eq!(max.number_max(), Some(&negated(want)), "{first:?} {second:?}");
        }
        assert!(record(&Type::Number, |refiner| refiner.number_max(bound("inf", true))).is_empty());
    }

    #[test]
    fn v42_some_number_is_left() {
        let between = |min: Bound, max: Bound| {
            refined(&Type::Number, |refiner| refiner.number_min(min).and_then(|()| refiner.number_max(max))).is_ok()
        };
        assert!(!between(bound("5", true), bound("1", true)));
        assert!(between(bound("1", true), bound("1", true)));
        assert!(between(bound("1", false), bound("1", false)));
        assert!(!between(bound("1", false), bound("1", true)));
        assert!(!between(bound("1", true), bound("1", false)));
        assert!(between(bound("1", true), bound("1.1", false)));
    }

    #[test]
    fn v42_lengths_tighten() {
        let lengths = |min: &[i64], max: &[i64]| {
            refined(&Type::set(Type::Bool), |refiner| {
                min.iter().try_for_each(|min| refiner.length_min(*min))?;
                max.iter().try_for_each(|max| refiner.length_max(*max))
            })
        };
        let found = |node| match node {
            Ok(Node::Unknown(Some(record))) => Some(record.lengths()),
            _ => None,
        };
        assert_eq!(found(lengths(&[2, 3, 1], &[9, 8, 10])), Some((3, 8)));
        assert_eq!(found(lengths(&[-4], &[])), Some((0, UNBOUNDED)));
        assert_eq!(lengths(&[3], &[2]).err(), Some(RefinementError::Lengths { min: 3, max: 2 }));
        assert_eq!(lengths(&[], &[-1]).err(), Some(RefinementError::Lengths { min: 0, max: -1 }));
    }

    #[test]
    fn v43_examples() {
        let one = || (bound("1", true), bound("1.0", true));
        let number = |not_null: bool, (min, max)| {
            refined(&Type::Number, |refiner| {
                if not_null {
                    refiner.not_null()?;
                }
                refiner.number_min(min)?;
                refiner.number_max(max)
            })
        };
        assert!(matches!(number(true, one()), Ok(Node::Number(Number::Int(1)))));
        assert!(matches!(number(false, one()), Ok(Node::Unknown(Some(_)))));
        let exclusive = (bound("1", false), bound("1", false));
        assert!(matches!(number(true, exclusive), Ok(Node::Unknown(Some(_)))));
        let (list, set, map) = (Type::list(Type::Bool), Type::set(Type::Bool), Type::map(Type::Bool));
        let known = |ty: &Type, length: i64| {
            refined(ty, |refiner| {
                refiner.not_null()?;
                refiner.length_min(length)?;
                refiner.length_max(length)
            })
        };
        let parts = |node: Result<Node, _>| match node {
            Ok(node @ (Node::Seq(_) | Node::Map(_))) => Some((node.parts().len(), node.contents().has_record())),
            _ => None,
        };
        assert_eq!([&list, &set, &map].map(|ty| parts(known(ty, 0))), [Some((0, false)); 3]);
        assert_eq!([&list, &set, &map].map(|ty| parts(known(ty, 1))), [Some((1, false)), Some((1, false)), None]);
        assert_eq!([&list, &set, &map].map(|ty| parts(known(ty, 2))), [Some((2, false)), None, None]);
        assert!(matches!(known(&map, 0), Ok(Node::Map(_))));
        assert_eq!(known(&list, 1 << 40).err(), Some(RefinementError::KnownLength { length: 1 << 40 }));
        let maybe_null = refined(&list, |refiner| refiner.length_min(2).and_then(|()| refiner.length_max(2)));
        assert!(matches!(maybe_null, Ok(Node::Unknown(Some(_)))));
    }

    #[test]
    fn v31_records_are_equal_by_their_facts() {
        let at_least = |text, inclusive| record(&Type::Number, |refiner| refiner.number_min(bound(text, inclusive)));
        assert_eq!(at_least("1", true), at_least("1.0", true));
        assert_ne!(at_least("1", true), at_least("1", false));
        assert_ne!(at_least("1", true), at_least("2", true));
        let empty = Refinement { not_null: false, range: Range::Number { min: None, max: None } };
        assert_eq!(empty, Refinement::default());
        assert_ne!(record(&Type::Bool, Refiner::not_null), Refinement::default());
        let start = |text| record(&Type::String, |refiner| refiner.string_prefix(text));
        assert_ne!(start("a"), start("ab"));
    }

    #[test]
    fn v42_a_record_goes_on_from_another() {
        let first = record(&Type::Number, |refiner| refiner.number_min(bound("1", true)));
        let mut refiner = Refiner::from_record(&Type::Number, &first);
        assert!(refiner.number_max(bound("0", true)).is_err());
        let set = Type::set(Type::Bool);
        let first = record(&set, |refiner| refiner.length_min(2).and_then(|()| refiner.not_null()));
        let mut refiner = Refiner::from_record(&set, &first);
        assert!(refiner.null().is_err() && refiner.length_max(1).is_err());
    }
}
