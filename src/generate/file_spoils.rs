//! Corrupted messages and documents, such as no engine writes them: fields repeated, in pieces, left out, taken from another
//! message, or with other numbers and contents.
//!
//! Bytes that are changed blindly are hardly ever a message any more. Here a field is chosen at any depth and the messages around it
//! are written anew, so that a reader gets as far as that field.

use planfuzz_core::json::Json;
use planfuzz_naive::file::{Content, Field, fields};

use super::dice::Dice;

/// Contents of the types that keys, addresses and values have, and some that they must not have.
const CONTENTS: [&[u8]; 10] = [
    b"",
    b"a",
    b"\xff",
    b"\x03",
    b"\xa1a",
    b"\xcb\x3f\xf8\0\0\0\0\0\0",
    b"\xc0",
    b"\x0a\x01a",
    b"\xcf\xff\xff\xff\xff\xff\xff\xff\xff",
    b"0000000a",
];

/// Numbers that have a meaning in messages, and their neighbours.
const NUMBERS: [u64; 12] = [0, 1, 2, 3, 4, 5, 9, 10, 13, 14, 17, 1 << 40];

/// Numbers of fields that have a meaning in the messages of one engine or the other.
const FIELDS: [u32; 10] = [1, 2, 5, 6, 7, 8, 22, 25, 28, 500_000_001];

/// The message with one of its fields corrupted; fields of all depths are equally likely.
pub(super) fn spoiled(dice: &mut Dice<'_, '_>, bytes: &[u8]) -> Vec<u8> {
    let mut left = dice.below(count(bytes));
    spoiled_at(dice, bytes, &mut left)
}

/// The fields of a message that [`written`] can write again, if the bytes are one.
fn message(bytes: &[u8]) -> Option<Vec<Field<'_>>> {
    fields(bytes, 0).filter(is_written_again)
}

/// How many fields there are, at all depths.
fn count(bytes: &[u8]) -> usize {
    let inside = |field: &Field<'_>| match field.content {
        Content::Bytes(inner) => 1 + count(inner),
        _ => 1,
    };
    message(bytes).map_or(0, |all| all.iter().map(inside).sum())
}

fn spoiled_at(dice: &mut Dice<'_, '_>, bytes: &[u8], left: &mut usize) -> Vec<u8> {
    let Some(mut all) = message(bytes) else { return bytes.to_vec() };
    for at in 0..all.len() {
        if *left == 0 {
            return changed(dice, all, at);
        }
        *left -= 1;
        if let Content::Bytes(inner) = all[at].content {
            let inside = count(inner);
            if *left < inside {
                let inner = spoiled_at(dice, inner, left);
                all[at].content = Content::Bytes(&inner);
                return written(&all);
            }
            *left -= inside;
        }
    }
    bytes.to_vec()
}

/// The message with the field at an index corrupted.
fn changed(dice: &mut Dice<'_, '_>, mut all: Vec<Field<'_>>, at: usize) -> Vec<u8> {
    let of_another = all[dice.below(all.len())].content.clone();
    match dice.below(7) {
        0 => all.insert(at, all[at].clone()),
        1 => drop(all.remove(at)),
        2 => all[at].content = of_another,
        3 => all[at].number = FIELDS[dice.below(FIELDS.len())],
        4 => return in_pieces(&all, at),
        _ => {
            all[at].content = match all[at].content {
                Content::Number(_) => Content::Number(NUMBERS[dice.below(NUMBERS.len())]),
                _ => Content::Bytes(CONTENTS[dice.below(CONTENTS.len())]),
            }
        }
    }
    written(&all)
}

/// Whether a message has fields, all of kinds that engines write.
fn is_written_again(all: &Vec<Field<'_>>) -> bool {
    !all.is_empty() && all.iter().all(|field| field.content != Content::Other)
}

/// The message with the field at an index in two pieces, each with a part of its fields.
fn in_pieces(all: &[Field<'_>], at: usize) -> Vec<u8> {
    let mut out = written(&all[..at]);
    let inside = match &all[at].content {
        Content::Bytes(inner) => fields(inner, 0).unwrap_or_default(),
        _ => Vec::new(),
    };
    let (one, other) = inside.split_at(inside.len() / 2);
    for piece in [written(one), written(other)] {
        write(&mut out, all[at].number, &Content::Bytes(&piece));
    }
    out.extend(written(&all[at + 1..]));
    out
}

fn written(all: &[Field<'_>]) -> Vec<u8> {
    let mut out = Vec::new();
    all.iter().for_each(|field| write(&mut out, field.number, &field.content));
    out
}

fn write(out: &mut Vec<u8>, number: u32, content: &Content<'_>) {
    match content {
        Content::Number(value) => {
            varint(out, u64::from(number) << 3);
            varint(out, *value);
        }
        Content::Bytes(bytes) => {
            varint(out, u64::from(number) << 3 | 2);
            varint(out, bytes.len() as u64);
            out.extend_from_slice(bytes);
        }
        Content::Other => {}
    }
}

fn varint(out: &mut Vec<u8>, mut number: u64) {
    while number >= 128 {
        out.push(number as u8 | 128);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Documents to put where another kind of document belongs.
const DOCUMENTS: [&str; 8] = ["null", "\"\"", "\"a\"", "3", "-1", "[]", "{}", "false"];

/// A document with one of its parts corrupted; parts of all depths are equally likely.
pub(super) fn spoiled_document(dice: &mut Dice<'_, '_>, document: &Json) -> Json {
    let mut spoiled = document.clone();
    let mut left = dice.below(parts(document));
    spoil_at(dice, &mut spoiled, &mut left);
    spoiled
}

fn parts(document: &Json) -> usize {
    match document {
        Json::Object(members) => 1 + members.iter().map(|(_, member)| parts(member)).sum::<usize>(),
        Json::Array(items) => 1 + items.iter().map(parts).sum::<usize>(),
        _ => 1,
    }
}

/// Corrupts the part number `left`, counted from `part` inwards. Returns whether it was this part or one inside it.
fn spoil_at(dice: &mut Dice<'_, '_>, part: &mut Json, left: &mut usize) -> bool {
    if *left > 0 {
        *left -= 1;
        return match part {
            Json::Object(members) => members.iter_mut().any(|(_, member)| spoil_at(dice, member, left)),
            Json::Array(items) => items.iter_mut().any(|item| spoil_at(dice, item, left)),
            _ => false,
        };
    }
    let other = Json::parse(DOCUMENTS[dice.below(DOCUMENTS.len())]).unwrap_or(Json::Null);
    match part {
        Json::Object(members) if !members.is_empty() => {
            let at = dice.below(members.len());
            match dice.below(5) {
                0 => drop(members.remove(at)),
                1 => members.push(("x".into(), other)),
                2 => members[at].0 = "attributes_flat".into(),
                3 => members.swap(0, at),
                _ => members[at].1 = other,
            }
        }
        Json::Array(items) if !items.is_empty() => {
            let at = dice.below(items.len());
            match dice.below(4) {
                0 => drop(items.remove(at)),
                1 => items.push(items[at].clone()),
                2 => items.swap(0, at),
                _ => items[at] = other,
            }
        }
        part => *part = other,
    }
    true
}
