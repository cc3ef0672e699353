//! Reading the pieces of msgpack: codes, lengths, payloads.
//!
//! A reader trusts no length: it returns a payload only when all of its bytes are there.

use rmp::Marker;

use super::error::{DecodeError, DecodeProblem};

/// A place in the input.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// An integer of the wire.
#[derive(Clone, Copy, Debug)]
pub(super) enum Integer {
    Signed(i64),
    Unsigned(u64),
}

impl Integer {
    /// As the engines read an integer of 64 bits: a big unsigned one wraps around.
    pub(super) fn wrapping(self) -> i64 {
        match self {
            Integer::Signed(int) => int,
            Integer::Unsigned(int) => int.cast_signed(),
        }
    }
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { bytes, at: 0 }
    }

    /// A reader of the bytes from `start` on, whose offsets are those of the whole.
    pub(super) fn from(bytes: &'a [u8], start: usize) -> Reader<'a> {
        Reader { bytes, at: start.min(bytes.len()) }
    }

    /// The offset of the next byte in the whole input.
    pub(super) fn offset(&self) -> usize {
        self.at
    }

    pub(super) fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// Goes to the end of the input.
    pub(super) fn take_rest(&mut self) {
        self.at = self.bytes.len();
    }

    /// A reader of the next `length` bytes alone, whose offsets are those of the whole; this one goes on after them.
    pub(super) fn part(&mut self, length: usize) -> Result<Reader<'a>, DecodeError> {
        let start = self.at;
        self.take(length)?;
        Ok(Reader { bytes: &self.bytes[..self.at], at: start })
    }

    /// The next piece of `length` bytes.
    #[inline]
    pub(super) fn take(&mut self, length: usize) -> Result<&'a [u8], DecodeError> {
        match self.bytes[self.at..].get(..length) {
            Some(piece) => {
                self.at += length;
                Ok(piece)
            }
            None => Err(self.truncated(length)),
        }
    }

    #[inline]
    pub(super) fn take_array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        match self.bytes[self.at..].first_chunk::<N>() {
            Some(piece) => {
                self.at += N;
                Ok(*piece)
            }
            None => Err(self.truncated(N)),
        }
    }

    #[cold]
    fn truncated(&self, expected: usize) -> DecodeError {
        DecodeError::new(self.at, DecodeProblem::Truncated { expected, found: self.left() })
    }

    /// The next code.
    #[inline]
    pub(super) fn marker(&mut self) -> Result<Marker, DecodeError> {
        let [code] = self.take_array()?;
        Ok(Marker::from_u8(code))
    }

    fn length8(&mut self) -> Result<Option<usize>, DecodeError> {
        Ok(Some(usize::from(u8::from_be_bytes(self.take_array()?))))
    }

    fn length16(&mut self) -> Result<Option<usize>, DecodeError> {
        Ok(Some(usize::from(u16::from_be_bytes(self.take_array()?))))
    }

    fn length32(&mut self) -> Result<Option<usize>, DecodeError> {
        let length = u32::from_be_bytes(self.take_array()?);
        // Where sizes are of 16 bits no such payload can be there either, and reading it fails.
        Ok(Some(usize::try_from(length).unwrap_or(usize::MAX)))
    }

    /// The length in bytes of the string that `marker` starts, if it starts one.
    #[inline]
    pub(super) fn string_length(&mut self, marker: Marker) -> Result<Option<usize>, DecodeError> {
        match marker {
            Marker::FixStr(length) => Ok(Some(usize::from(length))),
            Marker::Str8 => self.length8(),
            Marker::Str16 => self.length16(),
            Marker::Str32 => self.length32(),
            _ => Ok(None),
        }
    }

    /// The length in bytes of the bin that `marker` starts, if it starts one.
    pub(super) fn bin_length(&mut self, marker: Marker) -> Result<Option<usize>, DecodeError> {
        match marker {
            Marker::Bin8 => self.length8(),
            Marker::Bin16 => self.length16(),
            Marker::Bin32 => self.length32(),
            _ => Ok(None),
        }
    }

    /// The payload of the string or bin that `marker` starts, if it starts one.
    #[inline]
    pub(super) fn bytes(&mut self, marker: Marker) -> Result<Option<&'a [u8]>, DecodeError> {
        let length = match self.string_length(marker)? {
            None => self.bin_length(marker)?,
            length => length,
        };
        length.map(|length| self.take(length)).transpose()
    }

    /// The string or bin that `marker` starts, if it starts one, as text (V25).
    #[inline]
    pub(super) fn text(&mut self, marker: Marker) -> Result<Option<&'a str>, DecodeError> {
        let Some(bytes) = self.bytes(marker)? else { return Ok(None) };
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Some(text)),
            Err(error) => {
                let valid = error.valid_up_to();
                Err(DecodeError::new(self.at - bytes.len() + valid, DecodeProblem::Utf8 { valid }))
            }
        }
    }

    /// The number of elements of the array that `marker` starts, if it starts one.
    pub(super) fn array_length(&mut self, marker: Marker) -> Result<Option<usize>, DecodeError> {
        match marker {
            Marker::FixArray(length) => Ok(Some(usize::from(length))),
            Marker::Array16 => self.length16(),
            Marker::Array32 => self.length32(),
            _ => Ok(None),
        }
    }

    /// The number of entries of the map that `marker` starts, if it starts one.
    pub(super) fn map_length(&mut self, marker: Marker) -> Result<Option<usize>, DecodeError> {
        match marker {
            Marker::FixMap(length) => Ok(Some(usize::from(length))),
            Marker::Map16 => self.length16(),
            Marker::Map32 => self.length32(),
            _ => Ok(None),
        }
    }

    /// The length in bytes of the body of the extension that `marker` starts, if it starts one. The extension's type
    /// comes next, then the body.
    #[inline]
    pub(super) fn extension_length(&mut self, marker: Marker) -> Result<Option<usize>, DecodeError> {
        match marker {
            Marker::FixExt1 => Ok(Some(1)),
            Marker::FixExt2 => Ok(Some(2)),
            Marker::FixExt4 => Ok(Some(4)),
            Marker::FixExt8 => Ok(Some(8)),
            Marker::FixExt16 => Ok(Some(16)),
            Marker::Ext8 => self.length8(),
            Marker::Ext16 => self.length16(),
            Marker::Ext32 => self.length32(),
            _ => Ok(None),
        }
    }

    /// The integer that `marker` starts, if it starts one.
    pub(super) fn integer(&mut self, marker: Marker) -> Result<Option<Integer>, DecodeError> {
        Ok(Some(match marker {
            Marker::FixPos(int) => Integer::Signed(i64::from(int)),
            Marker::FixNeg(int) => Integer::Signed(i64::from(int)),
            Marker::U8 => Integer::Signed(i64::from(u8::from_be_bytes(self.take_array()?))),
            Marker::U16 => Integer::Signed(i64::from(u16::from_be_bytes(self.take_array()?))),
            Marker::U32 => Integer::Signed(i64::from(u32::from_be_bytes(self.take_array()?))),
            Marker::U64 => Integer::Unsigned(u64::from_be_bytes(self.take_array()?)),
            Marker::I8 => Integer::Signed(i64::from(i8::from_be_bytes(self.take_array()?))),
            Marker::I16 => Integer::Signed(i64::from(i16::from_be_bytes(self.take_array()?))),
            Marker::I32 => Integer::Signed(i64::from(i32::from_be_bytes(self.take_array()?))),
            Marker::I64 => Integer::Signed(i64::from_be_bytes(self.take_array()?)),
            _ => return Ok(None),
        }))
    }

    /// The float that `marker` starts, if it starts one.
    pub(super) fn float(&mut self, marker: Marker) -> Result<Option<f64>, DecodeError> {
        Ok(Some(match marker {
            Marker::F32 => f64::from(f32::from_be_bytes(self.take_array()?)),
            Marker::F64 => f64::from_be_bytes(self.take_array()?),
            _ => return Ok(None),
        }))
    }
}
