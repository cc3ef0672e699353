//! `rsadecrypt` (FN50): a text that was encrypted with padding of PKCS #1 v1.5, and the private key as PEM.

use base64::Engine as _;
use num_bigint::BigUint;
use planfuzz_core::value::{Type, Value};
use planfuzz_language::expression::Marked;

use super::{ARGUMENT, Answer, CALL, LENIENT, text, typed};

const S: Type = Type::String;
const SEQUENCE: u8 = 0x30;
const INTEGER: u8 = 0x02;
const OCTETS: u8 = 0x04;
/// 1.2.840.113549.1.1.1, as it stands in a key.
const RSA: [u8; 9] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01];
/// The bits of the largest key.
const MOST_BITS: u64 = 8_192;

pub(super) fn call(name: &str, a: &[Marked]) -> Option<Answer> {
    (name == "rsadecrypt").then(|| {
        typed(a, &[S, S], &S, |v| {
            let written = text(&v[0]).replace(['\r', '\n'], "");
            let bytes = LENIENT.decode(written).map_err(|_| ARGUMENT)?;
            let (modulus, exponent) = private_key(text(&v[1])).ok_or(ARGUMENT)?;
            let plain = decrypted(&bytes, &modulus, &exponent).ok_or(CALL)?;
            String::from_utf8(plain).map(|text| Value::string(&text)).map_err(|_| CALL)
        })
    })
}

fn decrypted(bytes: &[u8], modulus: &BigUint, exponent: &BigUint) -> Option<Vec<u8>> {
    let number = BigUint::from_bytes_be(bytes);
    let plain = if number < *modulus { number.modpow(exponent, modulus) } else { return None };
    // The first byte of the block is 0, which is not part of the number.
    let block = plain.to_bytes_be();
    let length = usize::try_from(modulus.bits().div_ceil(8)).ok()?;
    let end = block.iter().position(|byte| *byte == 0)?;
    let is_padded = block.len() + 1 == length && block[0] == 2 && end >= 9;
    is_padded.then(|| block[end + 1..].to_vec())
}

/// The modulus and the private exponent.
fn private_key(pem: &str) -> Option<(BigUint, BigUint)> {
    let (kind, bytes) = first_block(pem)?;
    let whole = Der(&bytes).inside(SEQUENCE)?;
    let (mut at, _) = whole.skip(INTEGER)?;
    if kind == "PRIVATE KEY" {
        let algorithm = at.inside(SEQUENCE)?;
        if !algorithm.0.windows(RSA.len()).any(|window| window == RSA) {
            return None;
        }
        let (after, _) = at.skip(SEQUENCE)?;
        at = after.inside(OCTETS)?.inside(SEQUENCE)?.skip(INTEGER)?.0;
    } else if kind != "RSA PRIVATE KEY" {
        return None;
    }
    let (at, modulus) = at.skip(INTEGER)?;
    let (at, _) = at.skip(INTEGER)?;
    let (_, exponent) = at.skip(INTEGER)?;
    let (modulus, exponent) = (BigUint::from_bytes_be(modulus), BigUint::from_bytes_be(exponent));
    (modulus.bits() > 0 && modulus.bits() <= MOST_BITS && exponent.bits() <= MOST_BITS).then_some((modulus, exponent))
}

fn first_block(pem: &str) -> Option<(String, Vec<u8>)> {
    let begin = |line: &str| line.trim_end().strip_prefix("-----BEGIN ")?.strip_suffix("-----").map(str::to_owned);
    let mut lines = pem.lines();
    let kind = lines.find_map(begin)?;
    let end = format!("-----END {kind}-----");
    let mut body = String::new();
    loop {
        let line = lines.next()?.trim();
        if line.starts_with(&end) {
            break;
        }
        body.push_str(line);
    }
    Some((kind, LENIENT.decode(body).ok()?))
}

/// The rest of a DER encoding.
struct Der<'b>(&'b [u8]);

impl<'b> Der<'b> {
    /// The rest after an element of this kind, and the element's contents.
    fn skip(&self, kind: u8) -> Option<(Der<'b>, &'b [u8])> {
        let (head, rest) = self.0.split_at_checked(2)?;
        if head[0] != kind {
            return None;
        }
        let (length, rest) = if head[1] < 0x80 {
            (usize::from(head[1]), rest)
        } else {
            let (digits, rest) = rest.split_at_checked(usize::from(head[1] & 0x7f)).filter(|(of, _)| of.len() <= 4)?;
            (digits.iter().fold(0, |length, digit| length << 8 | usize::from(*digit)), rest)
        };
        let (inner, after) = rest.split_at_checked(length)?;
        Some((Der(after), inner))
    }

    fn inside(&self, kind: u8) -> Option<Der<'b>> {
        self.skip(kind).map(|(_, inner)| Der(inner))
    }
}
