//! Reading values against a type (V80 to V86).

use rmp::Marker;
use triomphe::ThinArc;

use crate::value::{MAX_DEPTH, MapNode, Node, Number, ObjectType, Seq, Step, Text, Truth, Type, Value, build_set};

use super::error::{DecodeError, DecodeProblem};
use super::reader::{Integer, Reader};
use super::usual;

/// The most elements that one input may create without containing them: eight bytes can describe a list of any number of
/// unknown elements (V43).
pub const MAX_MADE: usize = 100_000;

/// Reads the value at the start of `bytes` against a type; what follows it is ignored (V80).
///
/// Optional markers of the type mean nothing here and the value's type has none. Where the type has `dynamic` in it the
/// value's type says what is there. The value conforms to the type, but for the empty tuples and objects, and the objects
/// with a repeated key, that V85 lets through: a caller that decodes a provider's value checks that it conforms.
///
/// # Errors
/// Everything that engines refuse, and what makes them crash (V80 to V86); besides, invalid UTF-8 (V25) and more than
/// [`MAX_DEPTH`] levels.
pub fn decode(bytes: &[u8], ty: &Type) -> Result<Value, DecodeError> {
    decode_at(bytes, 0, &ty.strip_optional(), 0).map(|placed| placed.value)
}

/// A value that was read inside other bytes.
#[derive(Clone, Debug)]
pub struct Placed {
    /// The value.
    pub value: Value,
    /// The offset of the first byte after it.
    pub end: usize,
    /// The number of elements that were created and are not in the bytes (V43).
    pub made: usize,
}

/// Reads the value of type `ty` at `start`, below `level` levels, as [`decode`] reads it where it stands. The type has no
/// optional markers; a start beyond the bytes is their end.
///
/// # Errors
/// As [`decode`], with paths that start at the value. What is made is counted for this value alone.
pub fn decode_at(bytes: &[u8], start: usize, ty: &Type, level: usize) -> Result<Placed, DecodeError> {
    if let Some((node, length)) = bytes.get(start..).and_then(|bytes| usual::read(bytes, ty, level)) {
        return Ok(Placed { value: Value::from_parts(ty.clone(), node), end: start + length, made: 0 });
    }
    decode_any(bytes, start, ty, level)
}

/// The same, whatever the forms of the input.
pub(super) fn decode_any(bytes: &[u8], start: usize, ty: &Type, level: usize) -> Result<Placed, DecodeError> {
    let reader = Reader::from(bytes, start);
    let mut decoder = Decoder { reader, parts: Vec::new(), keys: Vec::new(), last_type: None, made: 0 };
    let part = decoder.value(ty, level)?;
    let actual = part.actual(ty).clone();
    let value = Value::from_parts(actual, part.node);
    Ok(Placed { value, end: decoder.reader.offset(), made: decoder.made })
}

/// The state of one call.
///
/// The parts of all unfinished containers lie on one stack, so a container costs one allocation, its own, and a length
/// that promises more than there is costs nothing.
pub(super) struct Decoder<'a> {
    pub(super) reader: Reader<'a>,
    parts: Vec<Part>,
    keys: Vec<Text>,
    /// The last type that was read beside a dynamic value, and its text: neighbours tend to have the same type.
    last_type: Option<(&'a [u8], Type)>,
    /// The number of elements that were created and are not in the input (V43).
    made: usize,
}

/// A value that was read against a declared type.
pub(super) struct Part {
    pub(super) node: Node,
    kind: Kind,
}

/// The type of a part.
enum Kind {
    /// The declared one.
    Declared,
    /// Another one: the declared type has `dynamic` in it, or V85 let the part through.
    Other(Type),
    /// There is no such part: a repeated key left an attribute out (V85).
    Missing,
}

/// How a value starts, and where.
#[derive(Clone, Copy)]
struct Head {
    marker: Marker,
    offset: usize,
    level: usize,
}

impl Head {
    #[cold]
    fn error(self, problem: impl Into<DecodeProblem>) -> DecodeError {
        DecodeError::new(self.offset, problem)
    }

    #[cold]
    fn unexpected(self, expected: &'static str) -> DecodeError {
        unexpected(self.offset, expected, self.marker)
    }

    fn expect_length(self, expected: usize, found: usize) -> Result<(), DecodeError> {
        if expected == found { Ok(()) } else { Err(self.error(DecodeProblem::Length { expected, found })) }
    }
}

impl Part {
    pub(super) fn declared(node: Node) -> Part {
        Part { node, kind: Kind::Declared }
    }

    fn other(node: Node, ty: Type) -> Part {
        Part { node, kind: Kind::Other(ty) }
    }

    fn is_declared(&self) -> bool {
        matches!(self.kind, Kind::Declared)
    }

    /// The type, where `declared` is the declared one.
    fn actual<'t>(&'t self, declared: &'t Type) -> &'t Type {
        match &self.kind {
            Kind::Other(ty) => ty,
            Kind::Declared | Kind::Missing => declared,
        }
    }
}

impl<'a> Decoder<'a> {
    /// Reads one value. `level` is the number of levels around it.
    pub(super) fn value(&mut self, ty: &Type, level: usize) -> Result<Part, DecodeError> {
        let offset = self.reader.offset();
        if level >= MAX_DEPTH {
            return Err(DecodeError::new(offset, DecodeProblem::TooDeep));
        }
        let marker = self.reader.marker()?;
        if let Some(length) = self.reader.extension_length(marker)? {
            return self.unknown(ty, length, level).map(Part::declared);
        }
        if marker == Marker::Null {
            return Ok(Part::declared(Node::Null));
        }
        let head = Head { marker, offset, level };
        match ty {
            Type::Dynamic => self.dynamic(head),
            Type::Bool => match marker {
                Marker::True => Ok(Part::declared(Node::Bool(Truth(true)))),
                Marker::False => Ok(Part::declared(Node::Bool(Truth(false)))),
                _ => Err(head.unexpected("a bool")),
            },
            Type::Number => Ok(Part::declared(Node::Number(self.number(head)?))),
            Type::String => match self.reader.text(marker)? {
                Some(text) => Ok(Part::declared(Node::String(Text::new(text)))),
                None => Err(head.unexpected("a string")),
            },
            Type::List(element) => self.list(element, head),
            Type::Set(element) => self.set(element, head),
            Type::Map(element) => self.map(element, head),
            Type::Tuple(tuple) => self.tuple(tuple.elements(), head),
            Type::Object(object) => self.object(object, head),
        }
    }

    /// Counts the elements that the facts of an unknown list create (V43).
    pub(super) fn count_made(&mut self, elements: usize, offset: usize) -> Result<(), DecodeError> {
        self.made += elements;
        if self.made > MAX_MADE {
            return Err(DecodeError::new(offset, DecodeProblem::TooManyMade));
        }
        Ok(())
    }

    /// V82: a type as JSON, and a value of it.
    fn dynamic(&mut self, head: Head) -> Result<Part, DecodeError> {
        head.expect_length(2, self.array_length(head)?)?;
        let ty = self.wire_type(head.level)?;
        // A dynamic value in a dynamic value adds no level to the type, but does to this recursion.
        let level = if ty.is_dynamic() { head.level + 1 } else { head.level };
        let part = self.value(&ty, level)?;
        Ok(match part.kind {
            Kind::Declared if !ty.is_dynamic() => Part::other(part.node, ty),
            _ => part,
        })
    }

    /// The type beside a dynamic value, which stands `level` levels deep.
    fn wire_type(&mut self, level: usize) -> Result<Type, DecodeError> {
        let offset = self.reader.offset();
        let marker = self.reader.marker()?;
        let Some(text) = self.reader.bytes(marker)? else {
            return Err(unexpected(offset, "the JSON of a type", marker));
        };
        let ty = match &self.last_type {
            Some((last, ty)) if *last == text => ty.clone(),
            _ => {
                let ty = Type::parse_bytes(text)
                    .map_err(|error| DecodeError::new(offset, DecodeProblem::Type(error)))?
                    .strip_optional();
                self.last_type = Some((text, ty.clone()));
                ty
            }
        };
        if level + ty.depth() > MAX_DEPTH {
            return Err(DecodeError::new(offset, DecodeProblem::TooDeep));
        }
        Ok(ty)
    }

    /// V83.
    fn number(&mut self, head: Head) -> Result<Number, DecodeError> {
        if let Some(integer) = self.reader.integer(head.marker)? {
            return Ok(match integer {
                Integer::Signed(int) => Number::from(int),
                Integer::Unsigned(int) => Number::from(int),
            });
        }
        if let Some(float) = self.reader.float(head.marker)? {
            return Number::from_f64(float).ok_or_else(|| head.error(DecodeProblem::NotANumber));
        }
        match self.reader.text(head.marker)? {
            Some(text) => Number::parse(text).map_err(|error| head.error(error)),
            None => Err(head.unexpected("a number")),
        }
    }

    fn list(&mut self, element: &Type, head: Head) -> Result<Part, DecodeError> {
        let count = self.array_length(head)?;
        let start = self.parts.len();
        for index in 0..count {
            let part = self.value(element, head.level + 1).map_err(|error| error.inside_index(index))?;
            self.parts.push(part);
        }
        let common = self.common_type(element, start, head)?;
        Ok(collection(Node::Seq(self.take_parts(start)), common, Type::list))
    }

    fn set(&mut self, element: &Type, head: Head) -> Result<Part, DecodeError> {
        let count = self.array_length(head)?;
        let start = self.parts.len();
        for _ in 0..count {
            let part = self.value(element, head.level + 1).map_err(DecodeError::inside_set)?;
            self.parts.push(part);
        }
        let common = self.common_type(element, start, head)?;
        let elements = self.parts.drain(start..).map(|part| part.node).collect();
        let node = Node::Seq(build_set(common.as_ref().unwrap_or(element), elements));
        Ok(collection(node, common, Type::set))
    }

    /// V84.
    fn map(&mut self, element: &Type, head: Head) -> Result<Part, DecodeError> {
        let count = self.map_length(head)?;
        let (start, first_key) = (self.parts.len(), self.keys.len());
        let mut ascending = true;
        for _ in 0..count {
            let key = self.map_key()?;
            let part = self.value(element, head.level + 1).map_err(|error| error.inside(Step::Key(key.clone())))?;
            ascending &= self.keys[first_key..].last().is_none_or(|last| *last < key);
            self.keys.push(key);
            self.parts.push(part);
        }
        if !ascending {
            self.sort_entries(first_key, start);
        }
        let common = self.common_type(element, start, head)?;
        let keys = ThinArc::from_header_and_iter((), self.keys.drain(first_key..));
        let node = Node::Map(triomphe::Arc::new(MapNode { keys, values: self.take_parts(start) }));
        Ok(collection(node, common, Type::map))
    }

    /// A key of a map: nil is the empty one, and so is any code that starts no string; what follows such a code is
    /// not skipped (V84).
    fn map_key(&mut self) -> Result<Text, DecodeError> {
        let marker = self.reader.marker()?;
        Ok(self.reader.text(marker)?.map(Text::new).unwrap_or_default())
    }

    /// Sorts the entries of the map on top of the stacks; of two equal keys the later one stays (V84).
    fn sort_entries(&mut self, first_key: usize, start: usize) {
        let mut entries: Vec<_> = self.keys.drain(first_key..).zip(self.parts.drain(start..)).collect();
        entries.reverse();
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        entries.dedup_by(|dropped, kept| dropped.0 == kept.0);
        for (key, part) in entries {
            self.keys.push(key);
            self.parts.push(part);
        }
    }

    /// V85: an array of the type's length, or the empty one, which gives an empty tuple.
    fn tuple(&mut self, types: &[Type], head: Head) -> Result<Part, DecodeError> {
        let count = self.array_length(head)?;
        if count == 0 {
            let empty = Node::seq(Vec::new());
            return Ok(if types.is_empty() {
                Part::declared(empty)
            } else {
                Part::other(empty, Type::tuple(Vec::new()))
            });
        }
        head.expect_length(types.len(), count)?;
        let start = self.parts.len();
        for (index, ty) in types.iter().enumerate() {
            let part = self.value(ty, head.level + 1).map_err(|error| error.inside_index(index))?;
            self.parts.push(part);
        }
        let parts = &self.parts[start..];
        let other = (!parts.iter().all(Part::is_declared))
            .then(|| Type::tuple(parts.iter().zip(types).map(|(part, ty)| part.actual(ty).clone()).collect()));
        let kind = other.map_or(Kind::Declared, Kind::Other);
        Ok(Part { node: Node::Seq(self.take_parts(start)), kind })
    }

    /// V85: as many entries as there are attributes, or none, which gives an empty object.
    fn object(&mut self, object: &ObjectType, head: Head) -> Result<Part, DecodeError> {
        let count = self.map_length(head)?;
        if count == 0 {
            let empty = Node::seq(Vec::new());
            return Ok(if object.is_empty() {
                Part::declared(empty)
            } else {
                Part::other(empty, Type::empty_object())
            });
        }
        head.expect_length(object.len(), count)?;
        let start = self.parts.len();
        self.parts.resize_with(start + count, || Part { node: Node::Null, kind: Kind::Missing });
        for turn in 0..count {
            let index = self.attribute(object, turn)?;
            let attribute = &object.attributes()[index];
            let part =
                self.value(&attribute.ty, head.level + 1).map_err(|error| error.inside_attribute(&attribute.name))?;
            self.parts[start + index] = part;
        }
        Ok(self.finish_object(object, start))
    }

    /// The place of the attribute whose name comes next; names tend to come in order, the `turn`-th first.
    fn attribute(&mut self, object: &ObjectType, turn: usize) -> Result<usize, DecodeError> {
        let offset = self.reader.offset();
        let marker = self.reader.marker()?;
        let name = match marker {
            Marker::Null => &[][..],
            _ => self.reader.bytes(marker)?.ok_or_else(|| unexpected(offset, "an attribute's name", marker))?,
        };
        let attributes = object.attributes();
        if attributes.get(turn).is_some_and(|attribute| attribute.name.as_bytes() == name) {
            return Ok(turn);
        }
        attributes.binary_search_by(|attribute| attribute.name.as_bytes().cmp(name)).map_err(|_| {
            let found = String::from_utf8_lossy(name).chars().take(40).collect();
            DecodeError::new(offset, DecodeProblem::UnknownAttribute { found })
        })
    }

    fn finish_object(&mut self, object: &ObjectType, start: usize) -> Part {
        if self.parts[start..].iter().all(Part::is_declared) {
            return Part::declared(Node::Seq(self.take_parts(start)));
        }
        let members = self.parts.drain(start..).zip(object.attributes());
        let (attributes, nodes): (Vec<_>, Vec<_>) = members
            .filter(|(part, _)| !matches!(part.kind, Kind::Missing))
            .map(|(part, attribute)| ((attribute.name.clone(), part.actual(&attribute.ty).clone()), part.node))
            .unzip();
        Part::other(Node::seq(nodes), Type::object(attributes))
    }

    /// The number of elements of the array that must start here.
    fn array_length(&mut self, head: Head) -> Result<usize, DecodeError> {
        self.reader.array_length(head.marker)?.ok_or_else(|| head.unexpected("an array"))
    }

    /// The number of entries of the map that must start here.
    fn map_length(&mut self, head: Head) -> Result<usize, DecodeError> {
        self.reader.map_length(head.marker)?.ok_or_else(|| head.unexpected("a map"))
    }

    /// The parts from `start` on, as a sequence.
    fn take_parts(&mut self, start: usize) -> Seq {
        Seq::from_exact(self.parts.drain(start..).map(|part| part.node))
    }

    /// The element type of the parts from `start` on, if it is not the declared one (V08, V86).
    fn common_type(&self, declared: &Type, start: usize, head: Head) -> Result<Option<Type>, DecodeError> {
        let parts = &self.parts[start..];
        if parts.iter().all(Part::is_declared) {
            return Ok(None);
        }
        let mut types = parts.iter().map(|part| part.actual(declared)).filter(|ty| !ty.is_dynamic());
        let Some(common) = types.next() else { return Ok(None) };
        match types.find(|other| *other != common) {
            Some(other) => {
                Err(head.error(DecodeProblem::MixedElements { first: common.clone(), other: other.clone() }))
            }
            None => Ok(Some(common.clone())),
        }
    }
}

/// A collection whose elements have the declared type, or another one in common.
fn collection(node: Node, common: Option<Type>, of: impl FnOnce(Type) -> Type) -> Part {
    match common {
        None => Part::declared(node),
        Some(element) => Part::other(node, of(element)),
    }
}

#[cold]
pub(super) fn unexpected(offset: usize, expected: &'static str, marker: Marker) -> DecodeError {
    DecodeError::new(offset, DecodeProblem::Unexpected { expected, found: marker.to_u8() })
}
