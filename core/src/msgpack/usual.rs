//! A fast path for the forms that nearly all values come in, read straight into payloads.
//!
//! For any other form, and for every error, it returns `None`, and the decoder that knows all forms starts over; so the fast
//! path only has to be right about the forms that it reads. The values have the declared type, since `dynamic` and the other
//! lengths of V85 are none of its forms.

use triomphe::ThinArc;

use crate::value::{MAX_DEPTH, MapNode, Node, Number, ObjectType, Seq, Text, Truth, Type, build_set};

/// The payload of the value at the start of `bytes`, below `level` levels and of a type without optional markers, and how many
/// bytes it takes, if all of it is of the usual forms.
pub(super) fn read(bytes: &[u8], ty: &Type, level: usize) -> Option<(Node, usize)> {
    if level >= MAX_DEPTH {
        return None;
    }
    let nodes = Vec::with_capacity(STACK.min(bytes.len()));
    let mut reader = Usual { bytes, nodes, keys: Vec::new(), last_keys: None };
    let node = reader.value(ty, level)?;
    Some((node, bytes.len() - reader.bytes.len()))
}

/// How many parts of unfinished containers there is room for at once: more than most values have.
const STACK: usize = 64;

/// The state of one call. The parts of all unfinished containers lie on one stack.
struct Usual<'a> {
    /// The input that is left.
    bytes: &'a [u8],
    nodes: Vec<Node>,
    keys: Vec<Text>,
    /// The keys of the last map: neighbours tend to have the same, and then they are shared.
    last_keys: Option<ThinArc<(), Text>>,
}

impl<'a> Usual<'a> {
    fn value(&mut self, ty: &Type, level: usize) -> Option<Node> {
        let code = self.code()?;
        match (code, ty) {
            (NIL, _) => Some(Node::Null),
            // The unknown without facts, as engines write it (V81).
            (FIX_EXT_1, _) => (self.take(2)? == [0, 0]).then_some(Node::UNKNOWN),
            (FALSE | TRUE, Type::Bool) => Some(Node::Bool(Truth(code == TRUE))),
            (0..=0x7f, Type::Number) => Some(Node::Number(Number::from(i64::from(code)))),
            (_, Type::Number) => self.number(code).map(Node::Number),
            (_, Type::String) => self.text(code).map(Node::String),
            // Too deep: the other decoder refuses it.
            _ if level + 1 >= MAX_DEPTH => None,
            (_, Type::List(element)) => self.list(code, element, level).map(Node::Seq),
            (_, Type::Set(element)) => self.set(code, element, level).map(Node::Seq),
            (_, Type::Map(element)) => self.map(code, element, level),
            (_, Type::Tuple(tuple)) => self.tuple(code, tuple.elements(), level).map(Node::Seq),
            (_, Type::Object(object)) => self.object(code, object, level).map(Node::Seq),
            (_, Type::Bool | Type::Dynamic) => None,
        }
    }

    fn code(&mut self) -> Option<u8> {
        let (code, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(*code)
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (piece, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        Some(piece)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (piece, rest) = self.bytes.split_first_chunk::<N>()?;
        self.bytes = rest;
        Some(*piece)
    }

    /// V83 without numbers in text.
    fn number(&mut self, code: u8) -> Option<Number> {
        Some(match code {
            0xe0..=0xff => Number::from(i64::from(code.cast_signed())),
            0xcc => Number::from(i64::from(u8::from_be_bytes(self.array()?))),
            0xcd => Number::from(i64::from(u16::from_be_bytes(self.array()?))),
            0xce => Number::from(i64::from(u32::from_be_bytes(self.array()?))),
            0xd0 => Number::from(i64::from(i8::from_be_bytes(self.array()?))),
            0xd1 => Number::from(i64::from(i16::from_be_bytes(self.array()?))),
            0xd2 => Number::from(i64::from(i32::from_be_bytes(self.array()?))),
            0xd3 => Number::from(i64::from_be_bytes(self.array()?)),
            0xcb => Number::from_f64(f64::from_be_bytes(self.array()?))?,
            _ => return None,
        })
    }

    /// The payload of a string.
    fn string(&mut self, code: u8) -> Option<&'a [u8]> {
        let length = match code {
            0xa0..=0xbf => usize::from(code & 0x1f),
            0xd9 => usize::from(self.code()?),
            0xda => usize::from(u16::from_be_bytes(self.array()?)),
            _ => return None,
        };
        self.take(length)
    }

    fn text(&mut self, code: u8) -> Option<Text> {
        std::str::from_utf8(self.string(code)?).ok().map(Text::new)
    }

    /// The number of elements of an array; `None` if it exceeds the bytes that are left, an error that the other decoder
    /// reports.
    fn array_length(&mut self, code: u8) -> Option<usize> {
        match code {
            0x90..=0x9f => Some(usize::from(code & 0x0f)),
            0xdc => Some(usize::from(u16::from_be_bytes(self.array()?))),
            0xdd => usize::try_from(u32::from_be_bytes(self.array()?)).ok(),
            _ => None,
        }
    }

    fn map_length(&mut self, code: u8) -> Option<usize> {
        match code {
            0x80..=0x8f => Some(usize::from(code & 0x0f)),
            0xde => Some(usize::from(u16::from_be_bytes(self.array()?))),
            0xdf => usize::try_from(u32::from_be_bytes(self.array()?)).ok(),
            _ => None,
        }
    }

    fn list(&mut self, code: u8, element: &Type, level: usize) -> Option<Seq> {
        let start = self.elements(code, element, level)?;
        Some(self.take_nodes(start))
    }

    fn set(&mut self, code: u8, element: &Type, level: usize) -> Option<Seq> {
        let start = self.elements(code, element, level)?;
        Some(build_set(element, self.nodes.drain(start..).collect()))
    }

    /// Reads elements onto the stack, and returns where they begin.
    fn elements(&mut self, code: u8, element: &Type, level: usize) -> Option<usize> {
        let start = self.nodes.len();
        for _ in 0..self.array_length(code)? {
            let node = self.value(element, level + 1)?;
            self.nodes.push(node);
        }
        Some(start)
    }

    fn tuple(&mut self, code: u8, types: &[Type], level: usize) -> Option<Seq> {
        if self.array_length(code)? != types.len() {
            return None;
        }
        let start = self.nodes.len();
        for ty in types {
            let node = self.value(ty, level + 1)?;
            self.nodes.push(node);
        }
        Some(self.take_nodes(start))
    }

    /// An object whose attributes come in order.
    fn object(&mut self, code: u8, object: &ObjectType, level: usize) -> Option<Seq> {
        if self.map_length(code)? != object.len() {
            return None;
        }
        let start = self.nodes.len();
        for attribute in object.attributes() {
            let code = self.code()?;
            if self.string(code)? != attribute.name.as_bytes() {
                return None;
            }
            let node = self.value(&attribute.ty, level + 1)?;
            self.nodes.push(node);
        }
        Some(self.take_nodes(start))
    }

    /// A map whose keys ascend.
    fn map(&mut self, code: u8, element: &Type, level: usize) -> Option<Node> {
        let count = self.map_length(code)?;
        let (start, first_key) = (self.nodes.len(), self.keys.len());
        let mut last = self.last_keys.clone().filter(|keys| keys.slice.len() == count);
        for index in 0..count {
            let code = self.code()?;
            let key = self.string(code)?;
            if last.as_ref().is_none_or(|last| last.slice[index].as_bytes() != key) {
                if let Some(last) = last.take() {
                    self.keys.extend_from_slice(&last.slice[..index]);
                }
                let key = std::str::from_utf8(key).ok().map(Text::new)?;
                if self.keys[first_key..].last().is_some_and(|before| *before >= key) {
                    return None;
                }
                self.keys.push(key);
            }
            let node = self.value(element, level + 1)?;
            self.nodes.push(node);
        }
        let keys = match last {
            Some(last) => last,
            None => ThinArc::from_header_and_iter((), self.keys.drain(first_key..)),
        };
        self.last_keys = Some(keys.clone());
        Some(Node::Map(triomphe::Arc::new(MapNode { keys, values: self.take_nodes(start) })))
    }

    fn take_nodes(&mut self, start: usize) -> Seq {
        Seq::from_exact(self.nodes.drain(start..))
    }
}

const NIL: u8 = 0xc0;
const FALSE: u8 = 0xc2;
const TRUE: u8 = 0xc3;
const FIX_EXT_1: u8 = 0xd4;
