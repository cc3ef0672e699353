//! Paths and encodings of texts (FN42, FN43), and functions whose result is known only in an apply (FN38).

use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use planfuzz_core::value::{Type, Value};
use planfuzz_language::expression::Marked;
use sha1::Digest;

use super::{ARGUMENT, Answer, CALL, LENIENT, all_marks, converted, text, typed, unknown};

const S: Type = Type::String;

pub(super) fn call(name: &str, a: &[Marked]) -> Option<Answer> {
    let string = |f: fn(&[Value]) -> Answer<String>| {
        let types = vec![S; a.len()];
        typed(a, &types, &S, |values| f(values).map(|text| Value::string(&text)))
    };
    Some(match name {
        "basename" => string(|v| Ok(basename(text(&v[0])))),
        "dirname" => string(|v| Ok(dirname(text(&v[0])))),
        "textencodebase64" => string(|v| {
            let bytes = encoded(text(&v[0]), encoding(text(&v[1])).ok_or(ARGUMENT)?);
            Ok(STANDARD.encode(bytes.ok_or(ARGUMENT)?))
        }),
        "textdecodebase64" => string(|v| {
            let bytes = LENIENT.decode(text(&v[0]).replace(['\r', '\n'], "")).map_err(|_| ARGUMENT)?;
            decoded(&bytes, encoding(text(&v[1])).ok_or(ARGUMENT)?).ok_or(ARGUMENT)
        }),
        "base64gzip" => string(|v| gzip(text(&v[0])).map(|packed| STANDARD.encode(packed)).ok_or(CALL)),
        "uuidv5" => string(|v| uuid(text(&v[0]), text(&v[1])).ok_or(CALL)),
        "bcrypt" => bcrypt(a),
        "timestamp" | "uuid" => Ok(unknown(&S).into()),
        // These functions were removed from the language; a call is an error.
        "list" | "map" => Err(CALL),
        _ => return None,
    })
}

fn bcrypt(a: &[Marked]) -> Answer {
    let types = [S, Type::Number];
    converted(a, &types)?;
    Ok(Marked::from(unknown(&S)).with(all_marks(a)))
}

fn basename(path: &str) -> String {
    match path.trim_end_matches('/').rsplit('/').next() {
        _ if path.is_empty() => ".".to_owned(),
        Some("") | None => "/".to_owned(),
        Some(last) => last.to_owned(),
    }
}

fn dirname(path: &str) -> String {
    plain(path.rfind('/').map_or("", |end| &path[..=end]))
}

/// Cleans a path.
pub(crate) fn plain(path: &str) -> String {
    let is_rooted = path.starts_with('/');
    let mut steps: Vec<&str> = Vec::new();
    for step in path.split('/') {
        if step == ".." && steps.last().is_some_and(|last| *last != "..") {
            steps.pop();
        } else if !(step.is_empty() || step == "." || (step == ".." && is_rooted)) {
            steps.push(step);
        }
    }
    match (is_rooted, steps.join("/")) {
        (true, rest) => format!("/{rest}"),
        (false, rest) if rest.is_empty() => ".".to_owned(),
        (false, rest) => rest,
    }
}

/// The supported encodings; the engine knows more.
#[derive(Clone, Copy, PartialEq)]
enum Encoding {
    Utf8,
    Utf16Little,
    Utf16Big,
    Latin1,
    Ascii,
}

fn encoding(name: &str) -> Option<Encoding> {
    const NAMES: [(&str, Encoding); 8] = [
        ("UTF-8", Encoding::Utf8),
        ("UTF-16LE", Encoding::Utf16Little),
        ("UTF-16BE", Encoding::Utf16Big),
        ("ISO-8859-1", Encoding::Latin1),
        ("ISO_8859-1", Encoding::Latin1),
        ("LATIN1", Encoding::Latin1),
        ("L1", Encoding::Latin1),
        ("US-ASCII", Encoding::Ascii),
    ];
    NAMES.iter().find(|entry| entry.0.eq_ignore_ascii_case(name)).map(|entry| entry.1)
}

fn encoded(text: &str, encoding: Encoding) -> Option<Vec<u8>> {
    Some(match encoding {
        Encoding::Utf8 => text.as_bytes().to_vec(),
        Encoding::Utf16Little => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        Encoding::Utf16Big => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        Encoding::Ascii => Some(text).filter(|text| text.is_ascii())?.as_bytes().to_vec(),
        Encoding::Latin1 => text.chars().map(|letter| u8::try_from(letter).ok()).collect::<Option<_>>()?,
    })
}

/// Bytes that are invalid in the encoding are an error, and so is a replacement character in the result.
fn decoded(bytes: &[u8], encoding: Encoding) -> Option<String> {
    let wide = |number: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes.chunks(2).map(|pair| Some(number(pair.try_into().ok()?))).collect::<Option<_>>()?;
        String::from_utf16(&units).ok()
    };
    let text = match encoding {
        Encoding::Ascii => String::from_utf8(bytes.to_vec()).ok().filter(|text| text.is_ascii()),
        Encoding::Utf8 => String::from_utf8(bytes.to_vec()).ok(),
        Encoding::Utf16Little => wide(u16::from_le_bytes),
        Encoding::Utf16Big => wide(u16::from_be_bytes),
        Encoding::Latin1 => Some(bytes.iter().map(|byte| char::from(*byte)).collect()),
    }?;
    (!text.contains(char::REPLACEMENT_CHARACTER)).then_some(text)
}

/// Compresses a text like the engine: the data is flushed, and an empty block ends the stream.
fn gzip(text: &str) -> Option<Vec<u8>> {
    const HEAD: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
    const LAST_BLOCK: [u8; 5] = [1, 0, 0, 0xff, 0xff];
    let mut packer = flate2::write::DeflateEncoder::new(HEAD.to_vec(), flate2::Compression::default());
    packer.write_all(text.as_bytes()).and_then(|()| packer.flush()).ok()?;
    let mut sum = flate2::Crc::new();
    sum.update(text.as_bytes());
    let head_and_body = packer.get_ref().clone();
    let tail = [sum.sum().to_le_bytes(), sum.amount().to_le_bytes()];
    Some([head_and_body, LAST_BLOCK.to_vec(), tail.concat()].concat())
}

/// A UUID of version 5 (RFC 9562).
fn uuid(namespace: &str, name: &str) -> Option<String> {
    let space = match namespace {
        "dns" => 0x6ba7_b810_9dad_11d1_80b4_00c0_4fd4_30c8,
        "url" => 0x6ba7_b811_9dad_11d1_80b4_00c0_4fd4_30c8,
        "oid" => 0x6ba7_b812_9dad_11d1_80b4_00c0_4fd4_30c8,
        "x500" => 0x6ba7_b814_9dad_11d1_80b4_00c0_4fd4_30c8,
        other => read_uuid(other)?,
    };
    let hash = sha1::Sha1::new().chain_update(u128::to_be_bytes(space)).chain_update(name).finalize();
    let made = hash.iter().take(16).fold(0_u128, |sum, byte| sum << 8 | u128::from(*byte));
    let made = made & !(0xf << 76) & !(0x3 << 62) | 0x5 << 76 | 0x2 << 62;
    let digits = format!("{made:032x}");
    let cut = [0..8, 8..12, 12..16, 16..20, 20..32].map(|range| digits[range].to_owned());
    Some(cut.join("-"))
}

/// Parses a UUID: bare digits, or with dashes, the latter also in braces or after `urn:uuid:`.
fn read_uuid(written: &str) -> Option<u128> {
    let dashed = match written.len() {
        32 => None,
        36 => Some(written),
        38 => Some(written.get(1..37)?),
        45 => {
            let head = written.get(..9)?;
            Some(written.get(9..).filter(|_| head.eq_ignore_ascii_case("urn:uuid:"))?)
        }
        _ => return None,
    };
    let digits = match dashed {
        None => written.to_owned(),
        Some(dashed) => {
            let places = [8, 13, 18, 23].map(|place| dashed.as_bytes()[place]);
            let rest: String =
                dashed.char_indices().filter(|at| ![8, 13, 18, 23].contains(&at.0)).map(|at| at.1).collect();
            Some(rest).filter(|_| places == [b'-'; 4])?
        }
    };
    let is_hexadecimal = digits.len() == 32 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hexadecimal.then(|| u128::from_str_radix(&digits, 16).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected texts were recorded from the engine.
    #[test]
    fn short_texts_are_packed_as_the_engine_does() {
        let packed = |text| gzip(text).map(|packed| STANDARD.encode(packed));
        assert_eq!(packed("").as_deref(), Some("H4sIAAAAAAAA/wAAAP//AQAA//8AAAAAAAAAAA=="));
        assert_eq!(packed("a").as_deref(), Some("H4sIAAAAAAAA/0oEAAAA//8BAAD//0O+t+gBAAAA"));
        let long = "H4sIAAAAAAAA/8pIzcnJVyjPL8pJAQAAAP//AQAA//+FEUoNCwAAAA==";
        assert_eq!(packed("hello world").as_deref(), Some(long));
    }

    #[test]
    fn names_have_uuids() {
        assert_eq!(uuid("dns", "x").as_deref(), Some("05b16a01-46c6-56dd-bd6e-c6dfb4a1427a"));
        assert_eq!(uuid("6ba7b810-9dad-11d1-80b4-00c04fd430c8", "x"), uuid("dns", "x"));
        assert_eq!(uuid("nope", "x"), None);
    }

    #[test]
    fn paths_are_made_plain() {
        for (path, folder, name) in [
            ("a/b.txt", "a", "b.txt"),
            ("/x/y/", "/x/y", "y"),
            ("", ".", "."),
            ("/", "/", "/"),
            ("a/../../b", "..", "b"),
        ] {
            assert_eq!((dirname(path).as_str(), basename(path).as_str()), (folder, name), "{path}");
        }
    }
}
