//! Records: structures that are written as JSON objects, a member for each field.
//!
//! Problem: a reader and a writer that are written by hand forget a field, or name it in two ways. Idea: [`record!`](crate::record) lists
//! the fields of a structure once, with the names of their members and what stands for an absent one, and [`words!`](crate::words) lists
//! the words of an enum. Both take the type apart exhaustively, so a field or a variant that is not listed does not compile. Guarantee:
//! what is written is read back as what it was; a member that no field has is refused.

use std::collections::{BTreeMap, BTreeSet};

use super::{Json, JsonError, ObjectReader};

/// The members of an object, in the order in which they are written.
pub type RecordMembers = Vec<(&'static str, Json)>;

/// What can be a member of a record.
pub trait Field: Sized {
    /// The field as a document.
    fn write(&self) -> Json;

    /// Reads the field.
    ///
    /// # Errors
    /// What [`Field::write`] does not write.
    fn read(json: &Json) -> Result<Self, JsonError>;
}

/// A structure whose fields are members of an object. [`record!`](crate::record) implements it, and [`Field`] with it.
pub trait Record: Sized {
    /// The members, in the order of the declaration.
    fn members(&self) -> RecordMembers;

    /// Reads the members; the object may have others, of another record.
    ///
    /// # Errors
    /// A member that is missing, or that its field refuses.
    fn read_members(reader: &mut ObjectReader<'_>) -> Result<Self, JsonError>;
}

/// An enum whose variants are written as words. [`words!`](crate::words) implements it, and [`Field`] with it.
pub trait Word: Copy + PartialEq + 'static {
    /// All variants with their words.
    const WORDS: &'static [(Self, &'static str)];

    /// The word of a variant.
    fn word(self) -> &'static str;

    /// The variant of a word.
    fn of_word(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(_, known)| *known == word).map(|(variant, _)| *variant)
    }

    /// Reads a word; `what` says for the message what it names.
    ///
    /// # Errors
    /// Another word, and anything but a string.
    fn read_word(json: &Json, what: &str) -> Result<Self, JsonError> {
        let words = || Self::WORDS.iter().map(|(_, word)| *word).collect::<Vec<_>>().join(", ");
        Self::of_word(json.expect_string()?).ok_or_else(|| json.unexpected(format!("{what}: one of {}", words())))
    }
}

/// Whether a field holds something else than what stands for an absent member.
#[doc(hidden)]
pub fn differs<T: PartialEq>(field: &T, absent: T) -> bool {
    *field != absent
}

impl Field for bool {
    fn write(&self) -> Json {
        Json::Bool(*self)
    }

    fn read(json: &Json) -> Result<bool, JsonError> {
        json.expect_bool()
    }
}

impl Field for u64 {
    fn write(&self) -> Json {
        Json::int(*self)
    }

    fn read(json: &Json) -> Result<u64, JsonError> {
        json.expect_u64()
    }
}

/// To six digits behind the point; a value that is no number is written as 0.
impl Field for f64 {
    fn write(&self) -> Json {
        let finite = if self.is_finite() { *self } else { 0.0 };
        let text = format!("{finite:.6}");
        Json::Number(text.trim_end_matches('0').trim_end_matches('.').into())
    }

    fn read(json: &Json) -> Result<f64, JsonError> {
        let number = match json {
            Json::Number(text) => text.parse().ok(),
            _ => None,
        };
        number.filter(|number: &f64| number.is_finite()).ok_or_else(|| json.unexpected("a number"))
    }
}

impl Field for String {
    fn write(&self) -> Json {
        Json::string(self)
    }

    fn read(json: &Json) -> Result<String, JsonError> {
        json.expect_string().map(str::to_owned)
    }
}

/// Any document, as it is.
impl Field for Json {
    fn write(&self) -> Json {
        self.clone()
    }

    fn read(json: &Json) -> Result<Json, JsonError> {
        Ok(json.clone())
    }
}

/// `None` is `null`.
impl<T: Field> Field for Option<T> {
    fn write(&self) -> Json {
        self.as_ref().map_or(Json::Null, Field::write)
    }

    fn read(json: &Json) -> Result<Option<T>, JsonError> {
        if *json == Json::Null { Ok(None) } else { T::read(json).map(Some) }
    }
}

impl<T: Field> Field for Vec<T> {
    fn write(&self) -> Json {
        Json::Array(self.iter().map(Field::write).collect())
    }

    fn read(json: &Json) -> Result<Vec<T>, JsonError> {
        json.read_items(T::read)
    }
}

impl<T: Field + Ord> Field for BTreeSet<T> {
    fn write(&self) -> Json {
        Json::Array(self.iter().map(Field::write).collect())
    }

    fn read(json: &Json) -> Result<BTreeSet<T>, JsonError> {
        Ok(json.read_items(T::read)?.into_iter().collect())
    }
}

impl<T: Field> Field for BTreeMap<String, T> {
    fn write(&self) -> Json {
        Json::object(self.iter().map(|(name, value)| (name.as_str(), value.write())))
    }

    fn read(json: &Json) -> Result<BTreeMap<String, T>, JsonError> {
        let member = |(name, value): &(Box<str>, Json)| {
            let value = T::read(value).map_err(|problem| problem.inside_member(name))?;
            Ok((name.to_string(), value))
        };
        json.expect_object()?.iter().map(member).collect()
    }
}

/// Names with what belongs to them as the members of an object, in their order: a codec for [`record!`](crate::record).
pub mod pairs {
    use super::{Field, Json, JsonError};

    /// The pairs as an object.
    pub fn write<T: Field>(pairs: &[(String, T)]) -> Json {
        Json::object(pairs.iter().map(|(name, of)| (name.as_str(), of.write())))
    }

    /// Reads the pairs.
    ///
    /// # Errors
    /// Anything but an object of such members.
    pub fn read<T: Field>(json: &Json) -> Result<Vec<(String, T)>, JsonError> {
        let pair = |(name, of): &(Box<str>, Json)| {
            let of = T::read(of).map_err(|problem| problem.inside_member(name))?;
            Ok((name.to_string(), of))
        };
        json.expect_object()?.iter().map(pair).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{record, words};

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Size {
        Small,
        Large,
    }

    words!(Size, "a size": Small = "small", Large = "large");

    #[derive(Debug, PartialEq)]
    struct Part {
        name: String,
        size: Size,
        counts: BTreeMap<String, u64>,
        tags: Vec<String>,
        twice: u64,
        why: Option<String>,
    }

    record!(Part, "a part":
        name,
        size as "how_large",
        counts[always] or BTreeMap::new(),
        tags or Vec::new(),
        twice by doubled or 0,
        why or None,
    );

    mod doubled {
        use crate::json::{Json, JsonError};

        pub(super) fn write(number: &u64) -> Json {
            Json::int(number * 2)
        }

        pub(super) fn read(json: &Json) -> Result<u64, JsonError> {
            Ok(json.expect_u64()? / 2)
        }
    }

    #[derive(Debug, PartialEq)]
    struct Outer {
        first: u64,
        part: Part,
        variables: Vec<(String, String)>,
    }

    record!(Outer, "an outer one": first, part[flat], variables by pairs or Vec::new());

    #[derive(Debug, PartialEq)]
    struct Open {
        inner: Option<Part>,
    }

    record!(Open, "what may grow", open: inner[always] or None);

    fn json(text: &str) -> Json {
        Json::parse(text).expect("JSON")
    }

    fn part(name: &str) -> Part {
        Part { name: name.into(), size: Size::Small, counts: BTreeMap::new(), tags: Vec::new(), twice: 0, why: None }
    }

    #[test]
    fn defaults_are_left_out_and_read_back() {
        let plain = part("a");
        assert_eq!(plain.write().to_compact(), r#"{"name":"a","how_large":"small","counts":{}}"#);
        let counts = BTreeMap::from([("x".to_owned(), 3)]);
        let full =
            Part { size: Size::Large, counts, tags: vec!["t".into()], twice: 4, why: Some("w".into()), ..part("b") };
        let text = r#"{"name":"b","how_large":"large","counts":{"x":3},"tags":["t"],"twice":8,"why":"w"}"#;
        assert_eq!(full.write().to_compact(), text);
        for part in [plain, full] {
            assert_eq!(Part::read(&part.write()).expect("a part"), part);
        }
        assert_eq!(Part::read(&json(r#"{"how_large":"small","name":"a"}"#)).expect("a part"), part("a"));
    }

    #[test]
    fn wrong_members_are_named_with_their_place() {
        for (text, problem) in [
            ("[]", "a part"),
            (r#"{"how_large":"small"}"#, "name"),
            (r#"{"name":"a","how_large":"huge"}"#, "a size: one of small, large"),
            (r#"{"name":"a","how_large":"small","counts":{"x":true}}"#, "x"),
            (r#"{"name":"a","how_large":"small","other":1}"#, "other"),
        ] {
            let found = Part::read(&json(text)).expect_err(text).to_string();
            assert!(found.contains(problem), "{found}");
        }
    }

    #[test]
    fn flat_members_stand_among_the_others() {
        let outer = Outer { first: 1, part: part("a"), variables: vec![("v".into(), "x".into())] };
        let text = r#"{"first":1,"name":"a","how_large":"small","counts":{},"variables":{"v":"x"}}"#;
        assert_eq!(outer.write().to_compact(), text);
        assert_eq!(Outer::read(&json(text)).expect("an outer one"), outer);
        assert!(Outer::read(&json(&text.replace("counts", "other"))).is_err());
    }

    #[test]
    fn an_open_record_passes_over_newer_members() {
        assert_eq!(Open::read(&json(r#"{"newer":1}"#)).expect("open"), Open { inner: None });
        assert_eq!(Open { inner: None }.write().to_compact(), r#"{"inner":null}"#);
        assert!(Part::read(&json(r#"{"name":"a","how_large":"small","newer":1}"#)).is_err());
    }
}
