//! Sets (section 7 of values.md): keys, membership, order.

use std::collections::BTreeMap;

use super::equality::{equals, raw_equals};
use super::text::quoted;
use super::{Is, Ty, Val};

/// V50, V52: the elements of a set in its iteration order.
pub fn build(elements: Vec<Val>) -> Vec<Val> {
    let mut buckets: BTreeMap<u32, Vec<Val>> = BTreeMap::new();
    for x in elements {
        let bucket = buckets.entry(crc(key(&x).as_bytes())).or_default();
        if !bucket.iter().any(|y| equals(&x, y) == Some(true)) {
            bucket.push(x);
        }
    }
    let mut items: Vec<Val> = buckets.into_values().flatten().collect();
    for next in 1..items.len() {
        for at in (1..=next).rev() {
            if !before(&items[at], &items[at - 1]) {
                break;
            }
            items.swap(at, at - 1);
        }
    }
    items
}

/// Whether a set has an element (V50).
pub fn has(set: &[Val], x: &Val) -> bool {
    let crc_of_x = crc(key(x).as_bytes());
    set.iter().any(|y| crc(key(y).as_bytes()) == crc_of_x && equals(x, y) == Some(true))
}

/// V51.
pub fn key(value: &Val) -> String {
    let each = |items: &[Val]| items.iter().map(|item| key(item) + ";").collect::<String>();
    match &value.is {
        Is::Unknown(_) => "?".into(),
        Is::Null => "~".into(),
        Is::Bool(true) => "T".into(),
        Is::Bool(false) => "F".into(),
        Is::Num(number) => number.key_text(),
        Is::Str(text) => quoted(text),
        Is::Seq(items) if matches!(value.ty, Ty::Tuple(_)) => format!("<{}>", each(items)),
        Is::Seq(items) => format!("[{}]", each(items)),
        Is::Named(entries) if matches!(value.ty, Ty::Object(_)) => {
            format!("<{}>", entries.iter().map(|(_, item)| key(item) + ";").collect::<String>())
        }
        Is::Named(entries) => {
            let entries = entries.iter().map(|(name, item)| format!("{}:{};", quoted(name), key(item)));
            format!("{{{}}}", entries.collect::<String>())
        }
    }
}

/// CRC-32/IEEE, bit by bit.
pub fn crc(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
        }
    }
    !crc
}

/// V53.
fn before(x: &Val, y: &Val) -> bool {
    if raw_equals(x, y) {
        return false;
    }
    if x.is_null() || y.is_null() {
        return !x.is_null();
    }
    if x.is_unknown() || y.is_unknown() {
        return !x.is_unknown();
    }
    match (&x.is, &y.is) {
        (Is::Str(x), Is::Str(y)) => x.as_bytes() < y.as_bytes(),
        (Is::Bool(x), Is::Bool(y)) => !x && *y,
        (Is::Num(x), Is::Num(y)) => x.compare(y).is_lt(),
        _ => key(x).as_bytes() < key(y).as_bytes(),
    }
}
