//! Decides which bytes may be copied.
//!
//! Bytes are *canonical* for a type if encoding the value that is decoded from them gives them again; then a copy of them is
//! the result of decoding, merging and encoding. [`Cursor::canonical`] decides that for the forms it knows; any other form
//! its caller decodes (V80 to V86) and encodes (V70 to V74). So this module need not know the tolerances of the reader, nor
//! its errors. It relies on these facts:
//!
//! - Null is `c0`, and an unknown without a record `d4 00 00` (V70, V72), in every type. Records change when they are read
//!   (V42, V43, V73), so an unknown with one is decoded.
//! - Lengths, and numbers that are int64, have one shortest form; a float64 that is no whole number, or infinite, is itself
//!   (V71). −0 loses its sign. Numbers as text are decoded.
//! - Text stays if it is UTF-8 (V25) and a glance shows that it is in NFC (V24).
//! - Keys of maps and names of objects ascend, each once, so none is dropped or moved (V71, V84), and objects and tuples have
//!   all of their members (V85).
//! - A set of at most one element stays (V50). So does one of strings, or of int64 numbers, that strictly ascend: that is
//!   their order and none of them equals another (V51 to V53). Other sets are decoded.
//! - A dynamic value that is neither null nor a plain unknown is decoded (V74, V82, V86).

use planfuzz_core::value::{ObjectType, Text, Type};

use super::splice::SourceBytes;

/// Null (V70).
pub(super) const NIL: &[u8] = &[0xc0];

/// An unknown without a record (V72).
pub(super) const UNKNOWN: &[u8] = &[0xd4, 0, 0];

/// A place in untrusted bytes.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Whether sets may be in any order.
    any_order: bool,
}

/// The start of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    Nil,
    /// An unknown without a record.
    Unknown,
    /// An unknown with a record, or with a value that the record makes known.
    Extension,
    Other,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Cursor<'a> {
        Cursor { bytes, at: 0, any_order: false }
    }

    pub(super) fn source(&self) -> &'a [u8] {
        self.bytes
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// The same bytes, from `at` on.
    pub(super) fn moved(&self, at: usize) -> Cursor<'a> {
        Cursor { bytes: self.bytes, at, any_order: false }
    }

    /// The bytes between `start` and here.
    pub(super) fn since(&self, start: usize) -> SourceBytes<'a> {
        SourceBytes::new(self.bytes, start..self.at)
    }

    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    pub(super) fn start(&self) -> Option<Start> {
        Some(match self.rest() {
            [] => return None,
            [0xc0, ..] => Start::Nil,
            [0xd4, 0, 0, ..] => Start::Unknown,
            [0xd4..=0xd8 | 0xc7..=0xc9, ..] => Start::Extension,
            _ => Start::Other,
        })
    }

    /// Skips `bytes`, if they come next.
    pub(super) fn expect(&mut self, bytes: &[u8]) -> Option<()> {
        self.rest().starts_with(bytes).then(|| self.at += bytes.len())
    }

    /// The end of the value that begins here, if it is canonical for the type.
    pub(super) fn canonical(mut self, ty: &Type) -> Option<Cursor<'a>> {
        self.value(ty)?;
        Some(self)
    }

    /// The end of the value that begins here, if it is canonical but for the order of its sets: then it can be decoded, to
    /// a value of the type, since any elements make a set (V50).
    pub(super) fn readable(self, ty: &Type) -> Option<Cursor<'a>> {
        let mut scan = Cursor { any_order: true, ..self };
        scan.value(ty)?;
        Some(self.moved(scan.at))
    }

    fn value(&mut self, ty: &Type) -> Option<()> {
        match self.start()? {
            Start::Nil => return self.expect(NIL),
            Start::Unknown => return self.expect(UNKNOWN),
            Start::Extension => return None,
            Start::Other => {}
        }
        match ty {
            Type::Dynamic => None,
            Type::Bool => self.byte().filter(|byte| matches!(byte, 0xc2 | 0xc3)).map(drop),
            Type::Number => self.number(),
            Type::String => self.text().map(drop),
            Type::List(element) => (0..self.array()?).try_for_each(|_| self.value(element)),
            Type::Set(element) => self.set(element),
            Type::Map(element) => self.map_of(element),
            Type::Tuple(tuple) => {
                let count = self.array()?;
                let types = tuple.elements();
                (count == types.len()).then_some(())?;
                types.iter().try_for_each(|ty| self.value(ty))
            }
            Type::Object(object) => self.object(object),
        }
    }

    fn number(&mut self) -> Option<()> {
        if self.rest().first() != Some(&0xcb) {
            return self.integer().map(drop);
        }
        self.at += 1;
        let float = f64::from_be_bytes(self.take()?);
        (float.is_infinite() || (!float.is_nan() && float.fract() != 0.0)).then_some(())
    }

    /// An int64 in its shortest form.
    fn integer(&mut self) -> Option<i64> {
        let code = self.byte()?;
        let (int, least, most): (i64, i64, i64) = match code {
            0x00..=0x7f => return Some(i64::from(code)),
            0xe0..=0xff => return Some(i64::from(code.cast_signed())),
            0xcc => (u8::from_be_bytes(self.take()?).into(), 0x80, i64::MAX),
            0xcd => (u16::from_be_bytes(self.take()?).into(), 0x100, i64::MAX),
            0xce => (u32::from_be_bytes(self.take()?).into(), 0x1_0000, i64::MAX),
            0xcf => (i64::try_from(u64::from_be_bytes(self.take()?)).ok()?, 0x1_0000_0000, i64::MAX),
            0xd0 => (i8::from_be_bytes(self.take()?).into(), i64::MIN, -33),
            0xd1 => (i16::from_be_bytes(self.take()?).into(), i64::MIN, i64::from(i8::MIN) - 1),
            0xd2 => (i32::from_be_bytes(self.take()?).into(), i64::MIN, i64::from(i16::MIN) - 1),
            0xd3 => (i64::from_be_bytes(self.take()?), i64::MIN, i64::from(i32::MIN) - 1),
            _ => return None,
        };
        (least..=most).contains(&int).then_some(int)
    }

    /// A string that stays as it is.
    pub(super) fn text(&mut self) -> Option<&'a str> {
        let length = self.length(Codes { fix: 0xa0, most: 31, wide: [Some(0xd9), Some(0xda), Some(0xdb)] })?;
        let bytes = self.rest().get(..length)?;
        let text = std::str::from_utf8(bytes).ok().filter(|text| Text::is_kept(text))?;
        self.at += length;
        Some(text)
    }

    /// The number of elements of an array.
    pub(super) fn array(&mut self) -> Option<usize> {
        self.length(Codes { fix: 0x90, most: 15, wide: [None, Some(0xdc), Some(0xdd)] })
    }

    /// The number of entries of a map.
    pub(super) fn map(&mut self) -> Option<usize> {
        self.length(Codes { fix: 0x80, most: 15, wide: [None, Some(0xde), Some(0xdf)] })
    }

    /// A length in the shortest of its forms. The bytes claim it; no memory is reserved for it yet.
    fn length(&mut self, codes: Codes) -> Option<usize> {
        let code = self.byte()?;
        if let Some(short) = code.checked_sub(codes.fix).filter(|short| *short <= codes.most) {
            return Some(usize::from(short));
        }
        let [wide8, wide16, wide32] = codes.wide;
        let beyond8 = if wide8.is_some() { 0x100 } else { usize::from(codes.most) + 1 };
        let (length, least) = match Some(code) {
            code if code == wide8 => (usize::from(u8::from_be_bytes(self.take()?)), usize::from(codes.most) + 1),
            code if code == wide16 => (usize::from(u16::from_be_bytes(self.take()?)), beyond8),
            code if code == wide32 => (usize::try_from(u32::from_be_bytes(self.take()?)).ok()?, 0x1_0000),
            _ => return None,
        };
        (length >= least).then_some(length)
    }

    fn set(&mut self, element: &Type) -> Option<()> {
        let count = self.array()?;
        match element {
            _ if count < 2 || self.any_order => (0..count).try_for_each(|_| self.value(element)),
            Type::String => ascending(count, || self.text()),
            Type::Number => ascending(count, || self.integer()),
            _ => None,
        }
    }

    fn map_of(&mut self, element: &Type) -> Option<()> {
        let count = self.map()?;
        ascending(count, || {
            let key = self.text()?;
            self.value(element)?;
            Some(key)
        })
    }

    fn object(&mut self, object: &ObjectType) -> Option<()> {
        let count = self.map()?;
        (count == object.len()).then_some(())?;
        object.attributes().iter().try_for_each(|attribute| {
            let name = self.text()?;
            (name == attribute.name.as_str()).then_some(())?;
            self.value(&attribute.ty)
        })
    }

    fn byte(&mut self) -> Option<u8> {
        let [byte] = self.take()?;
        Some(byte)
    }

    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let piece = self.rest().first_chunk::<N>()?;
        self.at += N;
        Some(*piece)
    }
}

/// The codes of lengths: the first code and the greatest length of the short form, and the codes of 8, 16 and 32 bits.
#[derive(Clone, Copy)]
struct Codes {
    fix: u8,
    most: u8,
    wide: [Option<u8>; 3],
}

/// Whether so many items come, each greater than the one before it.
fn ascending<T: PartialOrd>(count: usize, mut next: impl FnMut() -> Option<T>) -> Option<()> {
    let mut last = None;
    for _ in 0..count {
        let this = Some(next()?);
        (last < this).then_some(())?;
        last = this;
    }
    Some(())
}
