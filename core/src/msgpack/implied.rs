//! The type that a document implies (V90).

use rmp::Marker;

use crate::value::{MAX_DEPTH, Text, Type};

use super::decode::unexpected;
use super::error::{DecodeError, DecodeProblem};
use super::reader::Reader;

/// The type of the values that a document could be read against (V90): maps are objects, arrays are tuples, and what
/// does not show its type is `dynamic`.
///
/// # Errors
/// Bins, codes that do not exist, keys that are no strings, truncation, and bytes after the document, with the
/// exceptions of V90; besides, keys that are not valid UTF-8 (V25) and more than [`MAX_DEPTH`] levels.
pub fn implied_type(bytes: &[u8]) -> Result<Type, DecodeError> {
    let mut reader = Reader::new(bytes);
    let ty = implied(&mut reader, 0)?;
    expect_end(reader)?;
    Ok(ty)
}

fn implied(reader: &mut Reader<'_>, level: usize) -> Result<Type, DecodeError> {
    let offset = reader.offset();
    if level >= MAX_DEPTH {
        return Err(DecodeError::new(offset, DecodeProblem::TooDeep));
    }
    let marker = reader.marker()?;
    match marker {
        Marker::Null => return Ok(Type::Dynamic),
        Marker::True | Marker::False => return Ok(Type::Bool),
        Marker::FixArray(_) | Marker::Array16 | Marker::Array32 => return tuple(reader, marker, level),
        Marker::FixMap(_) | Marker::Map16 | Marker::Map32 => return object(reader, marker, level),
        _ => {}
    }
    if let Some(length) = reader.string_length(marker)? {
        reader.take(length)?;
        return Ok(Type::String);
    }
    if let Some(length) = reader.extension_length(marker)? {
        skip_extension(reader, length)?;
        return Ok(Type::Dynamic);
    }
    if reader.integer(marker)?.is_some() || reader.float(marker)?.is_some() {
        return Ok(Type::Number);
    }
    Err(unexpected(offset, "a value that has a type", marker))
}

fn tuple(reader: &mut Reader<'_>, marker: Marker, level: usize) -> Result<Type, DecodeError> {
    let Ok(Some(count)) = reader.array_length(marker) else { return Ok(cut_header(reader)) };
    let mut elements = Vec::new();
    for index in 0..count {
        elements.push(implied(reader, level + 1).map_err(|error| error.inside_index(index))?);
    }
    Ok(Type::tuple(elements))
}

fn object(reader: &mut Reader<'_>, marker: Marker, level: usize) -> Result<Type, DecodeError> {
    let Ok(Some(count)) = reader.map_length(marker) else { return Ok(cut_header(reader)) };
    let mut attributes = Vec::new();
    for _ in 0..count {
        let name = attribute_name(reader)?;
        let ty = implied(reader, level + 1).map_err(|error| error.inside_attribute(&name))?;
        attributes.push((name, ty));
    }
    Ok(Type::object(attributes))
}

/// A header of an array or map that is cut inside its own length counts as `dynamic`, and there the input ends.
fn cut_header(reader: &mut Reader<'_>) -> Type {
    reader.take_rest();
    Type::Dynamic
}

fn attribute_name(reader: &mut Reader<'_>) -> Result<Text, DecodeError> {
    let offset = reader.offset();
    let marker = reader.marker()?;
    match marker {
        Marker::Null => Ok(Text::default()),
        _ => reader.text(marker)?.map(Text::new).ok_or_else(|| unexpected(offset, "an attribute's name", marker)),
    }
}

/// The type of an extension and its body are one piece (V90).
fn skip_extension(reader: &mut Reader<'_>, length: usize) -> Result<(), DecodeError> {
    reader.take(length.saturating_add(1)).map(drop)
}

/// Nothing may follow the document but the beginning of one more value, cut between two pieces (V90).
fn expect_end(mut reader: Reader<'_>) -> Result<(), DecodeError> {
    let offset = reader.offset();
    match skip(&mut reader) {
        Err(error) if matches!(error.problem(), DecodeProblem::Truncated { found: 0, .. }) => Ok(()),
        _ => Err(DecodeError::new(offset, DecodeProblem::Trailing)),
    }
}

/// Skips one value of any kind.
fn skip(reader: &mut Reader<'_>) -> Result<(), DecodeError> {
    let mut values: u64 = 1;
    while values > 0 {
        values -= 1;
        let offset = reader.offset();
        let marker = reader.marker()?;
        if let Some(count) = reader.array_length(marker)? {
            values = values.saturating_add(count as u64);
        } else if let Some(count) = reader.map_length(marker)? {
            values = values.saturating_add(2 * count as u64);
        } else if let Some(length) = reader.extension_length(marker)? {
            skip_extension(reader, length)?;
        } else if reader.bytes(marker)?.is_none()
            && reader.integer(marker)?.is_none()
            && reader.float(marker)?.is_none()
            && !matches!(marker, Marker::Null | Marker::True | Marker::False)
        {
            return Err(unexpected(offset, "a value", marker));
        }
    }
    Ok(())
}
