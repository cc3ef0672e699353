//! The fields of a message (PF21): protocol buffers as bytes, without any definition of messages.

/// The content of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content<'b> {
    /// A whole number.
    Number(u64),
    /// Bytes with a length before them: a text, bytes, a message.
    Bytes(&'b [u8]),
    /// Anything else: four bytes, eight bytes, a group.
    Other,
}

/// A field and its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field<'b> {
    /// The number.
    pub number: u32,
    /// The content.
    pub content: Content<'b>,
}

/// The most levels of messages and groups (PF23).
const MAX_LEVELS: usize = 100;

/// The fields of a message at a level, the outermost at 0, in order; `None` where the bytes are no message.
pub fn fields(bytes: &[u8], level: usize) -> Option<Vec<Field<'_>>> {
    let mut input = Input { rest: bytes };
    let mut fields = Vec::new();
    while !input.rest.is_empty() {
        let (number, kind) = input.key()?;
        let content = match kind {
            0 => Content::Number(input.number()?),
            2 => Content::Bytes(input.sized()?),
            kind => {
                input.skip(number, kind, level)?;
                Content::Other
            }
        };
        fields.push(Field { number, content });
    }
    Some(fields)
}

/// Bytes that are taken one after the other.
struct Input<'b> {
    rest: &'b [u8],
}

impl<'b> Input<'b> {
    fn take(&mut self, count: u64) -> Option<&'b [u8]> {
        let count = usize::try_from(count).ok().filter(|count| *count <= self.rest.len())?;
        let (taken, rest) = self.rest.split_at(count);
        self.rest = rest;
        Some(taken)
    }

    /// A number of 64 bits in groups of seven, the lowest first.
    fn number(&mut self) -> Option<u64> {
        let mut number: u128 = 0;
        for group in 0..10 {
            let byte = self.take(1)?[0];
            number += u128::from(byte % 128) << (7 * group);
            if byte < 128 {
                return u64::try_from(number).ok();
            }
        }
        None
    }

    fn sized(&mut self) -> Option<&'b [u8]> {
        let length = self.number()?;
        self.take(length)
    }

    /// The number and the kind of the next field.
    fn key(&mut self) -> Option<(u32, u8)> {
        let key = u32::try_from(self.number()?).ok()?;
        let (number, kind) = (key / 8, (key % 8) as u8);
        (number > 0 && kind < 6).then_some((number, kind))
    }

    /// Takes the content of a field of a kind.
    fn skip(&mut self, number: u32, kind: u8, level: usize) -> Option<()> {
        if level >= MAX_LEVELS {
            return None;
        }
        match kind {
            0 => self.number().map(|_| ()),
            1 => self.take(8).map(|_| ()),
            2 => self.sized().map(|_| ()),
            5 => self.take(4).map(|_| ()),
            3 => loop {
                match self.key()? {
                    (end, 4) => return (end == number).then_some(()),
                    (inner, kind) => self.skip(inner, kind, level + 1)?,
                }
            },
            _ => None,
        }
    }
}

/// A message that is being written: fields in the order of their numbers, without those that hold their default.
#[derive(Clone, Debug, Default)]
pub(super) struct Message {
    pub(super) bytes: Vec<u8>,
}

impl Message {
    pub(super) fn number(&mut self, field: u32, number: u64) {
        if number != 0 {
            push(&mut self.bytes, u64::from(field) * 8);
            push(&mut self.bytes, number);
        }
    }

    /// A text, or bytes.
    pub(super) fn bytes(&mut self, field: u32, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.part(field, bytes);
        }
    }

    /// A message, or one of a list: it is there even if it is empty.
    pub(super) fn part(&mut self, field: u32, bytes: &[u8]) {
        push(&mut self.bytes, u64::from(field) * 8 + 2);
        push(&mut self.bytes, bytes.len() as u64);
        self.bytes.extend_from_slice(bytes);
    }

    pub(super) fn parts(&mut self, field: u32, parts: Vec<Vec<u8>>) {
        parts.iter().for_each(|part| self.part(field, part));
    }
}

fn push(out: &mut Vec<u8>, mut number: u64) {
    while number >= 128 {
        out.push((number % 128) as u8 + 128);
        number /= 128;
    }
    out.push(number as u8);
}
