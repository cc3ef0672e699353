//! Encodings of text: base64, URLs, UTF-16, CSV.

use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hashbrown::HashSet;
use planfuzz_core::value::{Text, Type, Value};
use planfuzz_language::expression::Marked;

use super::{Given, Made, Wrong, text};

pub(crate) fn base64encode(given: &Given<'_, '_>) -> Made {
    text(&STANDARD.encode(given.text(0)?))
}

pub(crate) fn base64decode(given: &Given<'_, '_>) -> Made {
    let bytes = bytes(given.text(0)?).ok_or(Wrong::Call)?;
    text(std::str::from_utf8(&bytes).map_err(|_| Wrong::Call)?)
}

/// A gzip stream with the operating system "unknown": the compressed text, a flush, an empty last block, the checksum and the length.
pub(crate) fn base64gzip(given: &Given<'_, '_>) -> Made {
    let whole = given.text(0)?.as_bytes();
    given.spend(whole.len() / 8)?;
    let builder = flate2::GzBuilder::new().operating_system(u8::MAX);
    let mut packer = builder.write(Vec::new(), flate2::Compression::new(6));
    packer.write_all(whole).and_then(|()| packer.flush()).map_err(|_| Wrong::Call)?;
    let mut packed = packer.get_ref().clone();
    if whole.is_empty() {
        // Empty input is flushed too.
        packed.extend([0, 0, 0, 0xff, 0xff]);
    }
    packed.extend([1, 0, 0, 0xff, 0xff]);
    let mut sum = flate2::Crc::new();
    sum.update(whole);
    packed.extend(sum.sum().to_le_bytes());
    packed.extend(sum.amount().to_le_bytes());
    text(&STANDARD.encode(packed))
}

/// Reads base64 whose last letter has bits that are left over.
pub(super) const LENIENT: base64::engine::GeneralPurpose = base64::engine::GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    base64::engine::GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true),
);

/// The bytes that base64 text encodes; line ends are ignored.
fn bytes(written: &str) -> Option<Vec<u8>> {
    let letters: String = written.chars().filter(|letter| !matches!(letter, '\r' | '\n')).collect();
    LENIENT.decode(letters).ok()
}

/// Encodes as in a query: a space becomes a plus.
pub(crate) fn urlencode(given: &Given<'_, '_>) -> Made {
    let mut out = String::new();
    for byte in given.text(0)?.bytes() {
        match byte {
            b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'-' | b'_' | b'.' | b'~' => out.push(char::from(byte)),
            b' ' => out.push('+'),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    text(&out)
}

pub(crate) fn urldecode(given: &Given<'_, '_>) -> Made {
    let mut bytes = Vec::new();
    let mut rest = given.text(0)?.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        match first {
            b'+' => bytes.push(b' '),
            b'%' => {
                let digits = after.get(..2).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
                let digits = std::str::from_utf8(digits.ok_or(Wrong::Call)?).map_err(|_| Wrong::Call)?;
                bytes.push(u8::from_str_radix(digits, 16).map_err(|_| Wrong::Call)?);
                rest = &after[2..];
            }
            byte => bytes.push(*byte),
        }
    }
    text(&String::from_utf8(bytes).map_err(|_| Wrong::Call)?)
}

/// The supported encodings; any other name is an error.
enum Encoding {
    Utf8,
    Utf16 { little: bool },
    Latin1,
    Ascii,
}

fn encoding(name: &str) -> Result<Encoding, Wrong> {
    match name.to_ascii_uppercase().as_str() {
        "UTF-8" => Ok(Encoding::Utf8),
        "UTF-16LE" => Ok(Encoding::Utf16 { little: true }),
        "UTF-16BE" => Ok(Encoding::Utf16 { little: false }),
        "ISO-8859-1" | "ISO_8859-1" | "LATIN1" | "L1" => Ok(Encoding::Latin1),
        "US-ASCII" => Ok(Encoding::Ascii),
        _ => Err(Wrong::Argument),
    }
}

pub(crate) fn textencodebase64(given: &Given<'_, '_>) -> Made {
    let whole = given.text(0)?;
    let bytes: Vec<u8> = match encoding(given.text(1)?)? {
        Encoding::Utf8 => whole.as_bytes().to_vec(),
        Encoding::Utf16 { little: true } => whole.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        Encoding::Utf16 { little: false } => whole.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        Encoding::Ascii if !whole.is_ascii() => return Err(Wrong::Argument),
        Encoding::Ascii => whole.as_bytes().to_vec(),
        Encoding::Latin1 => {
            let bytes: Option<Vec<u8>> = whole.chars().map(|letter| u8::try_from(letter as u32).ok()).collect();
            bytes.ok_or(Wrong::Argument)?
        }
    };
    text(&STANDARD.encode(bytes))
}

pub(crate) fn textdecodebase64(given: &Given<'_, '_>) -> Made {
    let bytes = bytes(given.text(0)?).ok_or(Wrong::Argument)?;
    let decoded = match encoding(given.text(1)?)? {
        Encoding::Ascii if !bytes.is_ascii() => return Err(Wrong::Argument),
        Encoding::Utf8 | Encoding::Ascii => String::from_utf8(bytes).map_err(|_| Wrong::Argument)?,
        Encoding::Utf16 { .. } if bytes.len() % 2 == 1 => return Err(Wrong::Argument),
        Encoding::Utf16 { little } => {
            let unit = |pair: &[u8]| {
                let pair = [pair[0], pair[1]];
                if little { u16::from_le_bytes(pair) } else { u16::from_be_bytes(pair) }
            };
            let units: Vec<u16> = bytes.chunks_exact(2).map(unit).collect();
            String::from_utf16(&units).map_err(|_| Wrong::Argument)?
        }
        Encoding::Latin1 => bytes.into_iter().map(char::from).collect(),
    };
    // The replacement character is an error even if the input itself contains it.
    if decoded.contains('\u{fffd}') { Err(Wrong::Argument) } else { text(&decoded) }
}

/// RFC 4180: a list of objects; the first row has the attribute names.
pub(crate) fn csvdecode(given: &Given<'_, '_>) -> Made {
    let whole = given.text(0)?;
    given.spend(whole.len() / 8)?;
    let mut rows = rows(whole).ok_or(Wrong::Call)?.into_iter();
    let names = rows.next().ok_or(Wrong::Call)?;
    let mut seen = HashSet::new();
    if !names.iter().all(|name| seen.insert(name)) {
        return Err(Wrong::Call);
    }
    let ty = Type::object(names.iter().map(|name| (Text::new(name), Type::String)));
    let mut values = Vec::new();
    for row in rows {
        if row.len() != names.len() {
            return Err(Wrong::Call);
        }
        let members = names.iter().zip(&row).map(|(name, cell)| (Text::new(name), Value::string(cell)));
        values.push(Value::object(members.collect()));
    }
    Value::list(&ty, values).map(Marked::from).map_err(|_| Wrong::Call)
}

/// The cells of every row that is not empty; `None` if a quote is misplaced.
fn rows(whole: &str) -> Option<Vec<Vec<String>>> {
    let mut rows = Vec::new();
    let mut rest = whole;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix('\n')) {
            rest = after;
            continue;
        }
        let mut row = Vec::new();
        loop {
            let (cell, after) = cell(rest)?;
            row.push(cell);
            match after.strip_prefix(',') {
                Some(after) => rest = after,
                None => {
                    rest = after.strip_prefix("\r\n").or_else(|| after.strip_prefix('\n')).unwrap_or(after);
                    break;
                }
            }
        }
        rows.push(row);
    }
    Some(rows)
}

fn cell(rest: &str) -> Option<(String, &str)> {
    let Some(mut quoted) = rest.strip_prefix('"') else {
        let end = rest.find([',', '\n']).unwrap_or(rest.len());
        let end = if rest[..end].ends_with('\r') && !rest[end..].starts_with(',') { end - 1 } else { end };
        return (!rest[..end].contains('"')).then(|| (rest[..end].to_owned(), &rest[end..]));
    };
    let mut cell = String::new();
    loop {
        let end = quoted.find('"')?;
        cell.push_str(&quoted[..end]);
        quoted = &quoted[end + 1..];
        match quoted.strip_prefix('"') {
            Some(after) => {
                cell.push('"');
                quoted = after;
            }
            None if quoted.is_empty() || quoted.starts_with([',', '\n']) || quoted.starts_with("\r\n") => {
                return Some((cell.replace("\r\n", "\n"), quoted));
            }
            None => return None,
        }
    }
}
