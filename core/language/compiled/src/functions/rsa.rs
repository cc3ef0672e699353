//! `rsadecrypt` (FN50).

use base64::Engine as _;
use num_bigint::BigUint;

use super::encodings::LENIENT;
use super::{Given, Made, Wrong, text};

/// The bytes of the largest modulus.
const MOST: usize = 1024;
const RSA_ENCRYPTION: &[u8] = b"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01";

struct Key {
    modulus: BigUint,
    exponent: BigUint,
    length: usize,
}

pub(crate) fn decrypt(given: &Given<'_, '_>) -> Made {
    let letters: Vec<u8> = given.text(0)?.bytes().filter(|byte| !matches!(byte, b'\r' | b'\n')).collect();
    let secret = BigUint::from_bytes_be(&LENIENT.decode(letters).map_err(|_| Wrong::Argument)?);
    let key = Key::of_pem(given.text(1)?).ok_or(Wrong::Argument)?;
    given.spend(key.length * key.length)?;
    if secret >= key.modulus {
        return Err(Wrong::Call);
    }
    let opened = secret.modpow(&key.exponent, &key.modulus).to_bytes_be();
    let mut block = vec![0; key.length.saturating_sub(opened.len())];
    block.extend(opened);
    // The block is 0, 2, at least eight bytes other than 0, 0, and the text.
    let padding = block.get(2..).ok_or(Wrong::Call)?;
    let count = padding.iter().take_while(|byte| **byte != 0).count();
    if !block.starts_with(&[0, 2]) || count < 8 || count == padding.len() {
        return Err(Wrong::Call);
    }
    text(std::str::from_utf8(&padding[count + 1..]).map_err(|_| Wrong::Call)?)
}

impl Key {
    fn of_pem(pem: &str) -> Option<Key> {
        let start = pem.lines().position(|line| line.starts_with("-----BEGIN "))?;
        let mut lines = pem.lines().skip(start).map(str::trim);
        let kind = lines.next()?.strip_prefix("-----BEGIN ")?.strip_suffix("-----")?;
        let mut letters = String::new();
        let is_ended = lines.any(|line| {
            let is_end = line.strip_prefix("-----END ").is_some_and(|rest| rest.starts_with(kind));
            if !is_end {
                letters.push_str(line);
            }
            is_end
        });
        let bytes = LENIENT.decode(letters).ok().filter(|_| is_ended)?;
        match kind {
            "RSA PRIVATE KEY" => Key::of_numbers(&bytes),
            "PRIVATE KEY" => {
                let parts = elements(elements(&bytes)?.first()?.1)?;
                let [_, (0x30, algorithm), (0x04, key), ..] = parts.as_slice() else { return None };
                if algorithm.starts_with(RSA_ENCRYPTION) { Key::of_numbers(key) } else { None }
            }
            _ => None,
        }
    }

    /// Reads version, modulus, public and private exponent; the numbers that only speed up decryption are ignored.
    fn of_numbers(bytes: &[u8]) -> Option<Key> {
        let numbers = elements(elements(bytes)?.first()?.1)?;
        if numbers.len() < 4 || numbers.iter().take(4).any(|(kind, _)| *kind != 0x02) {
            return None;
        }
        let (modulus, exponent) = (BigUint::from_bytes_be(numbers[1].1), BigUint::from_bytes_be(numbers[3].1));
        let length = modulus.to_bytes_be().len();
        let is_right = modulus > BigUint::ZERO && length <= MOST && numbers[3].1.len() <= MOST + 1;
        is_right.then_some(Key { modulus, exponent, length })
    }
}

/// The elements of a DER encoding in order: their tags and contents.
fn elements(bytes: &[u8]) -> Option<Vec<(u8, &[u8])>> {
    let mut found = Vec::new();
    let mut rest = bytes;
    while let [kind, length, after @ ..] = rest {
        let (length, after) = match length {
            0..=0x7f => (usize::from(*length), after),
            0x81 => (usize::from(*after.first()?), &after[1..]),
            0x82 => (usize::from(u16::from_be_bytes([*after.first()?, *after.get(1)?])), &after[2..]),
            _ => return None,
        };
        found.push((*kind, after.get(..length)?));
        rest = &after[length..];
    }
    Some(found)
}
