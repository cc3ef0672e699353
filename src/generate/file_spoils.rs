//! Messages with something in them that no engine writes: fields twice, in pieces, left out, of another message, with numbers and contents of their own.
//!
//! Bytes that are changed blindly are hardly ever a message still. Here a field is chosen at any depth, and the messages around it are written again, so that
//! what a reader makes of it is seen.

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

/// Numbers about those that stand for something.
const NUMBERS: [u64; 12] = [0, 1, 2, 3, 4, 5, 9, 10, 13, 14, 17, 1 << 40];

/// Numbers of fields that mean something in the messages of one engine or the other.
const FIELDS: [u32; 10] = [1, 2, 5, 6, 7, 8, 22, 25, 28, 500_000_001];

/// The message with something done to one of its fields, at any depth.
pub(super) fn spoiled(dice: &mut Dice<'_, '_>, bytes: &[u8]) -> Vec<u8> {
    let Some(mut all) = fields(bytes, 0).filter(is_written_again) else {
        return bytes.to_vec();
    };
    let at = dice.below(all.len());
    if let Content::Bytes(inner) = all[at].content
        && fields(inner, 0).is_some_and(|inside| !inside.is_empty())
        && dice.chance(190)
    {
        let inner = spoiled(dice, inner);
        let mut out = written(&all[..at]);
        write(&mut out, all[at].number, &Content::Bytes(&inner));
        out.extend(written(&all[at + 1..]));
        return out;
    }
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

/// Whether a message has fields, and none of a kind that no engine writes.
fn is_written_again(all: &Vec<Field<'_>>) -> bool {
    !all.is_empty() && all.iter().all(|field| field.content != Content::Other)
}

/// A message that is there in two pieces, each with a part of its fields.
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
