//! The type of a msgpack document (V90).

use super::Fault;
use super::input::Input;
use crate::value::{Attr, Ty, nfc};

/// The deepest nesting that is read: a bound of this project.
const MAX_DEPTH: usize = 120;

/// The implied type of a document; `None` where the bytes are no document.
pub fn implied_type(bytes: &[u8]) -> Option<Ty> {
    let mut input = Input { rest: bytes };
    let ty = one(&mut input, 0).ok()?;
    if input.rest.is_empty() { Some(ty) } else { runs_out(&mut input).then_some(ty) }
}

fn one(input: &mut Input<'_>, level: usize) -> Result<Ty, Fault> {
    if level >= MAX_DEPTH {
        return Err(Fault::Error);
    }
    let before = input.clone();
    match (input.array(), &before) {
        (Ok(None), _) => {}
        (Ok(Some(count)), _) => {
            let mut types = Vec::new();
            for _ in 0..count {
                types.push(one(input, level + 1)?);
            }
            return Ok(Ty::Tuple(types.into()));
        }
        (Err(_), before) => return cut_header(input, before),
    }
    match input.map() {
        Ok(None) => {}
        Ok(Some(count)) => {
            let mut attributes = Vec::new();
            for _ in 0..count {
                let name = key(input)?;
                attributes.push(Attr { name, ty: one(input, level + 1)?, optional: false });
            }
            return Ok(Ty::object(attributes));
        }
        Err(_) => return cut_header(input, &before),
    }
    if input.nil() {
        return Ok(Ty::Dynamic);
    }
    if let Some((_, length)) = input.extension()? {
        input.take(length)?;
        return Ok(Ty::Dynamic);
    }
    if input.integer()?.is_some() {
        return Ok(Ty::Number);
    }
    if let 0xc4..=0xc6 = input.peek()? {
        return Err(Fault::Error);
    }
    if input.text()?.is_some() {
        return Ok(Ty::String);
    }
    match input.byte()? {
        0xc2 | 0xc3 => Ok(Ty::Bool),
        0xca => input.take(4).map(|_| Ty::Number),
        0xcb => input.take(8).map(|_| Ty::Number),
        _ => Err(Fault::Error),
    }
}

/// An array or map header that is cut inside its own length bytes counts as `dynamic`; the rest of the input is
/// dropped.
fn cut_header(input: &mut Input<'_>, before: &Input<'_>) -> Result<Ty, Fault> {
    if before.rest.is_empty() {
        return Err(Fault::Error);
    }
    input.rest = &[];
    Ok(Ty::Dynamic)
}

fn key(input: &mut Input<'_>) -> Result<String, Fault> {
    if input.nil() {
        return Ok(String::new());
    }
    let bytes = input.text()?.ok_or(Fault::Error)?;
    std::str::from_utf8(bytes).map(nfc).map_err(|_| Fault::Error)
}

/// Whether one more value begins, and its reading runs out of input with nothing left of the piece that is being read.
fn runs_out(input: &mut Input<'_>) -> bool {
    let mut values: u128 = 1;
    while values > 0 {
        values -= 1;
        let Some((code, rest)) = input.rest.split_first() else { return true };
        input.rest = rest;
        // The bytes of a length, and the values for each that it counts; with 0 values the length counts the bytes of
        // a payload.
        let (width, parts) = match code {
            0x80..=0x8f => (0, 2),
            0x90..=0x9f => (0, 1),
            0xde | 0xdf => (2 << (code - 0xde), 2),
            0xdc | 0xdd => (2 << (code - 0xdc), 1),
            0xc4..=0xc6 => (1 << (code - 0xc4), 0),
            0xd9..=0xdb => (1 << (code - 0xd9), 0),
            0xc7..=0xc9 => (1 << (code - 0xc7), 0),
            0xc1 => return false,
            _ => (0, 0),
        };
        if width > 0 && input.rest.is_empty() {
            return true;
        }
        let Ok(written) = input.unsigned(width) else { return false };
        let length = match code {
            0x80..=0x9f => u64::from(code & 15),
            0xa0..=0xbf => u64::from(code - 0xa0),
            0xca => 4,
            0xcb => 8,
            0xcc..=0xcf => 1 << (code - 0xcc),
            0xd0..=0xd3 => 1 << (code - 0xd0),
            0xd4..=0xd8 => (1 << (code - 0xd4)) + 1,
            0xc7..=0xc9 => written + 1,
            _ => written,
        };
        if parts > 0 {
            values += u128::from(length) * parts;
        } else if length > 0 && input.rest.is_empty() {
            return true;
        } else if input.take(length as usize).is_err() {
            return false;
        }
    }
    false
}
