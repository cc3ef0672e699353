//! Bytes that are taken one piece after the other.

use super::Fault;

/// The input that is left.
#[derive(Clone, Debug)]
pub struct Input<'b> {
    /// The bytes that are left.
    pub rest: &'b [u8],
}

impl<'b> Input<'b> {
    /// The next byte, without taking it.
    pub fn peek(&self) -> Result<u8, Fault> {
        self.rest.first().copied().ok_or(Fault::Error)
    }

    /// The next byte.
    pub fn byte(&mut self) -> Result<u8, Fault> {
        Ok(self.take(1)?[0])
    }

    /// So many bytes.
    pub fn take(&mut self, count: usize) -> Result<&'b [u8], Fault> {
        if count > self.rest.len() {
            return Err(Fault::Error);
        }
        let (taken, rest) = self.rest.split_at(count);
        self.rest = rest;
        Ok(taken)
    }

    /// A number of so many bytes, the highest first.
    pub fn unsigned(&mut self, bytes: usize) -> Result<u64, Fault> {
        Ok(self.take(bytes)?.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    /// As [`Input::unsigned`], in two's complement.
    pub fn signed(&mut self, bytes: usize) -> Result<i64, Fault> {
        let number = self.unsigned(bytes)?;
        let unused = 64 - 8 * bytes as u32;
        Ok((number << unused).cast_signed() >> unused)
    }

    /// Takes a nil, if there is one.
    pub fn nil(&mut self) -> bool {
        let is_nil = self.rest.first() == Some(&0xc0);
        if is_nil {
            self.rest = &self.rest[1..];
        }
        is_nil
    }

    /// The bytes of a str or a bin; `None`, and no byte taken, for anything else.
    pub fn text(&mut self) -> Result<Option<&'b [u8]>, Fault> {
        let code = self.peek()?;
        let width = match code {
            0xa0..=0xbf => 0,
            0xd9 | 0xc4 => 1,
            0xda | 0xc5 => 2,
            0xdb | 0xc6 => 4,
            _ => return Ok(None),
        };
        self.byte()?;
        let length = if width == 0 { u64::from(code - 0xa0) } else { self.unsigned(width)? };
        self.take(length as usize).map(Some)
    }

    /// The count of an array; `None`, and no byte taken, for anything else.
    pub fn array(&mut self) -> Result<Option<usize>, Fault> {
        self.count(0x90, 0xdc)
    }

    /// The count of a map, likewise.
    pub fn map(&mut self) -> Result<Option<usize>, Fault> {
        self.count(0x80, 0xde)
    }

    fn count(&mut self, few: u8, many: u8) -> Result<Option<usize>, Fault> {
        let code = self.peek()?;
        if (few..few + 16).contains(&code) {
            self.byte()?;
            return Ok(Some(usize::from(code - few)));
        }
        if code != many && code != many + 1 {
            return Ok(None);
        }
        self.byte()?;
        Ok(Some(self.unsigned(if code == many { 2 } else { 4 })? as usize))
    }

    /// The type and the length of an extension; `None`, and no byte taken, for anything else.
    pub fn extension(&mut self) -> Result<Option<(i8, usize)>, Fault> {
        let code = self.peek()?;
        let length = match code {
            0xd4..=0xd8 => {
                self.byte()?;
                1 << (code - 0xd4)
            }
            0xc7..=0xc9 => {
                self.byte()?;
                self.unsigned(1 << (code - 0xc7))?
            }
            _ => return Ok(None),
        };
        Ok(Some((self.byte()?.cast_signed(), length as usize)))
    }

    /// An integer; `None`, and no byte taken, for anything else.
    pub fn integer(&mut self) -> Result<Option<i128>, Fault> {
        let code = self.peek()?;
        let is_integer = matches!(code, 0..=0x7f | 0xe0..=0xff | 0xcc..=0xcf | 0xd0..=0xd3);
        if !is_integer {
            return Ok(None);
        }
        self.byte()?;
        Ok(Some(match code {
            0..=0x7f => i128::from(code),
            0xe0..=0xff => i128::from(code.cast_signed()),
            0xcc..=0xcf => i128::from(self.unsigned(1 << (code - 0xcc))?),
            _ => i128::from(self.signed(1 << (code - 0xd0))?),
        }))
    }
}
