//! Hashes, and functions whose result is known only in an apply (FN38).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use md5::Md5;
use planfuzz_core::value::Type;
use sha1::{Digest as _, Sha1};
use sha2::{Sha256, Sha512};

use super::{Given, Made, Wrong, text};
use crate::make;

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

macro_rules! hashes {
    ($($name:ident $of:ident $hash:ty, $shown:expr;)*) => {$(
        pub(super) fn $of(bytes: &[u8]) -> String {
            $shown(&<$hash>::digest(bytes))
        }

        pub(crate) fn $name(given: &Given<'_, '_>) -> Made {
            text(&$of(given.text(0)?.as_bytes()))
        }
    )*};
}

hashes! {
    md5 md5_of Md5, hexadecimal;
    sha1 sha1_of Sha1, hexadecimal;
    sha256 sha256_of Sha256, hexadecimal;
    sha512 sha512_of Sha512, hexadecimal;
    base64sha256 base64sha256_of Sha256, in_base64;
    base64sha512 base64sha512_of Sha512, in_base64;
}

fn in_base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// RFC 9562, version 5: the namespaces of the RFC by name, or a UUID.
pub(crate) fn uuidv5(given: &Given<'_, '_>) -> Made {
    let namespace = match given.text(0)? {
        "dns" | "x500" | "oid" | "url" => {
            let last = match given.text(0)? {
                "dns" => 0x10,
                "url" => 0x11,
                "oid" => 0x12,
                _ => 0x14,
            };
            let mut bytes = *b"\x6b\xa7\xb8\x00\x9d\xad\x11\xd1\x80\xb4\x00\xc0\x4f\xd4\x30\xc8";
            bytes[3] = last;
            bytes
        }
        written => read_uuid(written).ok_or(Wrong::Call)?,
    };
    let mut hash = Sha1::new();
    hash.update(namespace);
    hash.update(given.text(1)?.as_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.finalize()[..16]);
    bytes[6] = bytes[6] & 0x0f | 0x50;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let digits = hexadecimal(&bytes);
    text(&[&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]].join("-"))
}

fn read_uuid(written: &str) -> Option<[u8; 16]> {
    let is_dash = |at: usize| matches!(at, 8 | 13 | 18 | 23);
    // Braces (or any two characters) around it, a prefix, or no dashes are accepted too.
    let written = match written.len() {
        38 => written.get(1..37)?,
        45 if written.get(..9)?.eq_ignore_ascii_case("urn:uuid:") => &written[9..],
        _ => written,
    };
    if written.len() == 32 && written.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return u128::from_str_radix(written, 16).ok().map(u128::to_be_bytes);
    }
    if written.len() != 36 || written.bytes().enumerate().any(|(at, byte)| (byte == b'-') != is_dash(at)) {
        return None;
    }
    let digits: String = written.chars().filter(|letter| *letter != '-').collect();
    let mut bytes = [0; 16];
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(digits.get(2 * at..2 * at + 2)?, 16).ok()?;
    }
    Some(bytes)
}

/// The result of a function that is known only in an apply.
pub(crate) fn unknown_text(_: &Given<'_, '_>) -> Made {
    Ok(make::not_null(Type::String).into())
}
