//! Flat maps as objects (Z11, Z12).

use triomphe::Arc;

use planfuzz_core::value::{MapNode, Node, Number, Text, Truth, Type, Value, build_set};

use super::error::SdkError;
use super::flat::{FlatMap, first_part, joined};
use super::text::{MAX_COUNT, UNKNOWN};

/// Z11: the object of a type in a flat map; never null.
///
/// # Errors
/// A text is not valid for its type.
pub fn unflatten(flat: &FlatMap, ty: &Type) -> Result<Value, SdkError> {
    Ok(Value::from_parts(ty.clone(), Unflattener { flat }.node(ty, "")?))
}

struct Unflattener<'f> {
    flat: &'f FlatMap,
}

impl Unflattener<'_> {
    fn node(&self, ty: &Type, path: &str) -> Result<Node, SdkError> {
        match ty {
            Type::Bool | Type::Number | Type::String => self.primitive(ty, path),
            Type::List(element) => self.list(element, path),
            Type::Set(element) => self.set(element, path),
            Type::Map(element) => self.map(element, path),
            Type::Object(object) => {
                let members = object.attributes().iter();
                let members = members.map(|attribute| self.node(&attribute.ty, &joined(path, &attribute.name)));
                Ok(Node::seq(members.collect::<Result<_, _>>()?))
            }
            // No field is of such a type (Z03).
            Type::Dynamic | Type::Tuple(_) => Ok(Node::Null),
        }
    }

    fn primitive(&self, ty: &Type, path: &str) -> Result<Node, SdkError> {
        match self.flat.get(path) {
            None => Ok(Node::Null),
            Some(UNKNOWN) => Ok(Node::UNKNOWN),
            Some(text) => primitive(ty, text, path),
        }
    }

    /// The count of a collection, or null or unknown in its place.
    fn count(&self, path: &str, part: &str) -> Result<Result<&str, Node>, SdkError> {
        if self.flat.get(path) == Some(UNKNOWN) {
            return Ok(Err(Node::UNKNOWN));
        }
        Ok(match self.flat.get_part(path, part) {
            None => Err(Node::Null),
            Some(UNKNOWN) => Err(Node::UNKNOWN),
            Some(count) => Ok(count),
        })
    }

    fn list(&self, element: &Type, path: &str) -> Result<Node, SdkError> {
        let count = match self.count(path, "#")? {
            Err(node) => return Ok(node),
            Ok(count) => count_of(count, path)?,
        };
        let elements = (0..count).map(|index| self.node(element, &joined(path, &index.to_string())));
        Ok(Node::seq(elements.collect::<Result<_, _>>()?))
    }

    /// One element for each distinct first path part; the count itself is ignored, except that one element may have left no entries.
    fn set(&self, element: &Type, path: &str) -> Result<Node, SdkError> {
        let count = match self.count(path, "#")? {
            Err(node) => return Ok(node),
            Ok(count) => count,
        };
        let mut parts: Vec<&str> = self.flat.below(path).map(|(rest, _)| first_part(rest)).collect();
        parts.retain(|part| *part != "#");
        parts.dedup();
        let elements = parts.iter().map(|part| self.node(element, &joined(path, part)));
        let mut elements: Vec<Node> = elements.collect::<Result<_, _>>()?;
        if elements.is_empty() && count == "1" {
            elements.push(empty(element));
        }
        Ok(Node::Seq(build_set(element, elements)))
    }

    fn map(&self, element: &Type, path: &str) -> Result<Node, SdkError> {
        if let Err(node) = self.count(path, "%")? {
            return Ok(node);
        }
        let mut entries = Vec::new();
        for (key, _) in self.flat.below(path).filter(|(key, _)| *key != "%") {
            entries.push((Text::new(key), self.node(element, &joined(path, key))?));
        }
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        entries.dedup_by(|later, kept| later.0 == kept.0);
        Ok(Node::Map(Arc::new(MapNode::from_sorted(entries))))
    }
}

fn primitive(ty: &Type, text: &str, path: &str) -> Result<Node, SdkError> {
    match ty {
        Type::Bool => match text {
            "true" | "1" => Ok(Node::Bool(Truth(true))),
            "false" | "0" => Ok(Node::Bool(Truth(false))),
            _ => Err(SdkError::text(path, "bool", text)),
        },
        Type::Number => Number::parse(text).map(Node::Number).map_err(|_| SdkError::text(path, "number", text)),
        _ => Ok(Node::String(Text::new(text))),
    }
}

fn count_of(text: &str, path: &str) -> Result<i64, SdkError> {
    let count: i64 = text.parse().map_err(|_| SdkError::text(path, "count", text))?;
    if count > MAX_COUNT {
        return Err(SdkError::Count { path: path.to_owned(), found: count });
    }
    Ok(count)
}

/// The element of a set with count 1 and no entries.
fn empty(ty: &Type) -> Node {
    match ty {
        Type::Object(object) => Node::seq(vec![Node::Null; object.len()]),
        Type::List(_) | Type::Set(_) => Node::seq(Vec::new()),
        Type::Map(_) => Node::Map(Arc::new(MapNode::from_sorted(Vec::new()))),
        Type::Dynamic | Type::Bool | Type::Number | Type::String | Type::Tuple(_) => Node::Null,
    }
}
