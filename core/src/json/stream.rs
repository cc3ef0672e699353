//! Documents that are too large to hold: the items of some arrays are handed out while they are read.
//!
//! Problem: a state of a hundred thousand objects is a gigabyte as a tree. Idea: the caller names the arrays that grow, from the
//! outside in; each of their items is handed out as soon as it is read, with the members read before it of the objects around it, and
//! the document that is left has those arrays empty. Guarantee: at most one item and the members around it are in memory; the errors
//! are those of [`Json::parse`], with the same paths.

use std::fmt;
use std::io;

use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use super::Json;
use super::error::{JsonError, JsonProblem, shortened};
use super::read::{DocumentReader, Fault, Key, KeyReader, Names, Place, single_values};

/// The bytes that are read at a time.
const CHUNK: usize = 64 << 10;

/// The members of an object.
pub type Members = Vec<(Box<str>, Json)>;

/// An item of an array that is handed out.
#[derive(Debug)]
pub struct Handed<'a> {
    /// The members read so far of each object around the item, the whole document first. In each, the array itself is not there yet.
    pub around: &'a [Members],
    /// Its place in the array.
    pub index: usize,
    /// The item; an array in it that is handed out too is empty.
    pub item: Json,
}

/// Why a document is not read to its end.
#[derive(Debug, thiserror::Error)]
pub enum StreamError {
    /// The source fails.
    #[error("expected more of a document: {0}")]
    Source(#[from] io::Error),
    /// The document is invalid, or an item is refused.
    #[error(transparent)]
    Json(#[from] JsonError),
}

/// Takes an item that is handed out, and may refuse it.
pub type Take<'t> = dyn FnMut(Handed<'_>) -> Result<(), JsonError> + 't;

/// Reads a document of which some arrays are handed out: `arrays` names the member that is one in the document, then the member of its
/// items, and so on. Returns what is left: the document with those arrays empty.
///
/// # Errors
/// A source that fails; what [`Json::parse`] refuses; what `take` refuses, inside the item.
pub fn read_in_items(source: impl io::Read, arrays: &[&str], take: &mut Take<'_>) -> Result<Json, StreamError> {
    let source = io::BufReader::with_capacity(CHUNK, source);
    let mut document = serde_json::Deserializer::from_reader(source);
    let (mut fault, mut around) = (Fault::default(), Vec::new());
    let reader = Level { fault: &mut fault, arrays, around: &mut around, take };
    let json = reader.deserialize(&mut document);
    json.and_then(|json| document.end().map(|()| json)).map_err(|error| match error.is_io() {
        true => StreamError::Source(error.into()),
        false => StreamError::Json(fault.into_error(&error)),
    })
}

/// Reads a value; if it is an object, the first of `arrays` is handed out.
struct Level<'r, 't> {
    fault: &'r mut Fault,
    arrays: &'r [&'r str],
    around: &'r mut Vec<Members>,
    take: &'r mut Take<'t>,
}

/// Reads a value; if it is an array, its items are handed out.
struct Items<'r, 't>(Level<'r, 't>);

impl<'t> Level<'_, 't> {
    fn again(&mut self) -> Level<'_, 't> {
        Level { fault: &mut *self.fault, arrays: self.arrays, around: &mut *self.around, take: &mut *self.take }
    }

    fn members(&mut self) -> &mut Members {
        self.around.last_mut().expect("the members of an object that was begun")
    }

    /// Reads the members of an object; returns the number if it is a number and no object.
    fn object<'de, A: MapAccess<'de>>(&mut self, object: &mut A) -> Result<Option<Json>, A::Error> {
        let mut names = Names::default();
        loop {
            let name = match object.next_key_seed(KeyReader)? {
                None => return Ok(None),
                Some(Key::Number) => {
                    let text = object.next_value()?;
                    return DocumentReader { fault: &mut *self.fault }.number(text).map(Some);
                }
                Some(Key::Member(name)) => name,
            };
            if names.repeats(&name, self.members()) {
                let reader = DocumentReader { fault: &mut *self.fault };
                return Err(reader.refuse(JsonProblem::Duplicate { name: shortened(&name) }));
            }
            let is_handed_out = self.arrays.first().is_some_and(|array| **array == *name);
            let value = match is_handed_out {
                true => object.next_value_seed(Items(self.again())),
                false => object.next_value_seed(DocumentReader { fault: &mut *self.fault }),
            };
            match value {
                Ok(value) => self.members().push((name, value)),
                Err(error) => {
                    self.fault.steps.push(Place::Member(shortened(&name)));
                    return Err(error);
                }
            }
        }
    }
}

impl<'de> DeserializeSeed<'de> for Level<'_, '_> {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Level<'_, '_> {
    type Value = Json;

    single_values!();

    fn visit_seq<A: SeqAccess<'de>>(self, array: A) -> Result<Json, A::Error> {
        DocumentReader { fault: self.fault }.visit_seq(array)
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut object: A) -> Result<Json, A::Error> {
        self.around.push(Vec::new());
        let number = self.object(&mut object);
        let members = self.around.pop().unwrap_or_default();
        Ok(number?.unwrap_or(Json::Object(members)))
    }
}

impl<'de> DeserializeSeed<'de> for Items<'_, '_> {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Items<'_, '_> {
    type Value = Json;

    single_values!();

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut array: A) -> Result<Json, A::Error> {
        let arrays = self.0.arrays.get(1..).unwrap_or_default();
        for index in 0.. {
            let item = array.next_element_seed(Level { arrays, ..self.0.again() });
            let handed = item.and_then(|item| match item {
                None => Ok(false),
                Some(item) => match (self.0.take)(Handed { around: self.0.around, index, item }) {
                    Ok(()) => Ok(true),
                    Err(refused) => {
                        self.0.fault.refused = Some(refused);
                        Err(de::Error::custom("refused"))
                    }
                },
            });
            match handed {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => {
                    self.0.fault.steps.push(Place::Item(index));
                    return Err(error);
                }
            }
        }
        Ok(Json::Array(Vec::new()))
    }

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<Json, A::Error> {
        DocumentReader { fault: self.0.fault }.visit_map(object)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::io::Read;

    use super::*;

    const ARRAYS: [&str; 2] = ["resources", "instances"];

    fn handed(text: &str) -> (Vec<String>, Result<Json, StreamError>) {
        let mut all = Vec::new();
        let left = read_in_items(text.as_bytes(), &ARRAYS, &mut |handed: Handed<'_>| {
            all.push(format!("{}:{} {}", handed.around.len(), handed.index, handed.item.to_compact()));
            Ok(())
        });
        (all, left)
    }

    #[test]
    fn items_are_handed_out_from_the_inside_and_the_rest_is_left() {
        let (all, left) =
            handed(r#"{"a":1,"resources":[{"name":"x","instances":[{"v":1},2]},null,{"b":[3]}],"z":"end"}"#);
        let expected =
            ["2:0 {\"v\":1}", "2:1 2", "1:0 {\"name\":\"x\",\"instances\":[]}", "1:1 null", "1:2 {\"b\":[3]}"];
        assert_eq!(all, expected);
        assert_eq!(left.expect("a document").to_compact(), r#"{"a":1,"resources":[],"z":"end"}"#);
    }

    #[test]
    fn members_read_before_an_item_stand_around_it() {
        let text = r#"{"serial":7,"resources":[{"type":"t","instances":[0],"name":"late"}]}"#;
        let mut seen = String::new();
        let take = &mut |handed: Handed<'_>| {
            if let [document, resource] = handed.around {
                seen = Json::Object([document.clone(), resource.clone()].concat()).to_compact();
            }
            Ok(())
        };
        read_in_items(text.as_bytes(), &ARRAYS, take).expect("a document");
        assert_eq!(seen, r#"{"serial":7,"type":"t"}"#);
    }

    #[test]
    fn a_document_without_those_arrays_is_read_as_any_other() {
        for text in ["7", "[1,{\"resources\":[2]}]", "{\"resources\":null}", "{\"resources\":{\"x\":1}}", "1e400"] {
            let (all, left) = handed(text);
            assert!(all.is_empty(), "{text}");
            assert_eq!(left.expect("a document"), Json::parse(text).expect("a document"), "{text}");
        }
    }

    #[test]
    fn refusals_are_those_of_a_whole_reader_with_the_same_path() {
        for text in [
            r#"{"resources":[{"instances":[{"a":1,"a":2}]}]}"#,
            r#"{"resources":[{"name":1,"name":2}]}"#,
            r#"{"resources":[],"resources":[]}"#,
            r#"{"resources":[1,2"#,
            r#"{"resources":[]} more"#,
        ] {
            let (_, left) = handed(text);
            let Err(StreamError::Json(error)) = left else { panic!("{text}: {left:?}") };
            let whole = Json::parse(text).expect_err("no document");
            assert_eq!((error.path(), error.problem()), (whole.path(), whole.problem()), "{text}");
        }
    }

    #[test]
    fn refusals_of_the_taker_have_their_place() {
        let text = r#"{"resources":[{"instances":[0,1]}]}"#;
        let take = &mut |handed: Handed<'_>| match &handed.item {
            Json::Number(one) if &**one == "1" => Err(handed.item.unexpected("zero")),
            _ => Ok(()),
        };
        let Err(StreamError::Json(error)) = read_in_items(text.as_bytes(), &ARRAYS, take) else {
            panic!("it is taken")
        };
        assert_eq!(error.path(), ".resources[0].instances[1]");
    }

    /// A source without end, which counts the bytes that it gave.
    struct Endless<'c>(&'c Cell<usize>);

    impl Read for Endless<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let text: &[u8] = if self.0.get() == 0 { br#"{"resources":["# } else { br#"{"name":"one more"},"# };
            let count = text.len().min(into.len());
            into[..count].copy_from_slice(&text[..count]);
            self.0.set(self.0.get() + count);
            Ok(count)
        }
    }

    #[test]
    fn items_come_before_the_end_is_read() {
        let given = Cell::new(0);
        let mut count = 0;
        let take = &mut |handed: Handed<'_>| {
            count += 1;
            if count < 10_000 { Ok(()) } else { Err(handed.item.unexpected("an end")) }
        };
        let Err(StreamError::Json(_)) = read_in_items(Endless(&given), &ARRAYS, take) else { panic!("it has no end") };
        assert!(given.get() < 10_000 * 20 + 2 * CHUNK, "{}", given.get());
    }

    #[test]
    fn failures_of_the_source_are_errors_of_their_own() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("the disk is gone"))
            }
        }
        let failed = read_in_items(Broken, &ARRAYS, &mut |_: Handed<'_>| Ok(()));
        assert!(matches!(failed, Err(StreamError::Source(error)) if error.to_string().contains("the disk is gone")));
    }
}
