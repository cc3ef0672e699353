//! Hashes of texts.

use planfuzz_core::value::{Type, Value};
use planfuzz_language::expression::Marked;

use super::{Answer, text, typed};

const S: Type = Type::String;

pub(super) fn call(name: &str, a: &[Marked]) -> Option<Answer> {
    let hash = match name {
        "md5" => digest::md5,
        "sha1" => digest::sha1,
        "sha256" => digest::sha256,
        "sha512" => digest::sha512,
        "base64sha256" => digest::base64sha256,
        "base64sha512" => digest::base64sha512,
        _ => return None,
    };
    Some(typed(a, &[S], &S, |v| Ok(Value::string(&hash(text(&v[0]).as_bytes())))))
}

/// Hashes of bytes as texts.
pub(crate) mod digest {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use sha2::Digest;

    pub(crate) fn md5(bytes: &[u8]) -> String {
        hex(&md5::Md5::digest(bytes))
    }

    pub(crate) fn sha1(bytes: &[u8]) -> String {
        hex(&sha1::Sha1::digest(bytes))
    }

    pub(crate) fn sha256(bytes: &[u8]) -> String {
        hex(&sha2::Sha256::digest(bytes))
    }

    pub(crate) fn sha512(bytes: &[u8]) -> String {
        hex(&sha2::Sha512::digest(bytes))
    }

    pub(crate) fn base64sha256(bytes: &[u8]) -> String {
        STANDARD.encode(sha2::Sha256::digest(bytes))
    }

    pub(crate) fn base64sha512(bytes: &[u8]) -> String {
        STANDARD.encode(sha2::Sha512::digest(bytes))
    }

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}
