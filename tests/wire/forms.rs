//! Values in other forms than the suite's: random choices of everything that a reader has to accept (V80 to V86).

use planfuzz_core::msgpack::encode;
use planfuzz_core::value::{Node, Number, Truth, Type, ValueRef};

/// A writer that departs from the shortest forms now and then.
pub struct Forms {
    state: u64,
    /// It departs from the shortest form one time in so many.
    often: u64,
}

impl Forms {
    /// A writer whose choices are a function of a text.
    pub fn new(seed: &str, often: u64) -> Forms {
        let state = seed
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        Forms { state, often }
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) % bound.max(1)
    }

    fn departs(&mut self) -> bool {
        self.below(self.often) == 0
    }

    /// Changes, inserts or removes a few bytes.
    pub fn damage(&mut self, bytes: &mut Vec<u8>) {
        const CODES: [u8; 14] = [0x00, 0x80, 0x90, 0xa0, 0xc0, 0xc4, 0xc7, 0xcb, 0xd3, 0xd4, 0xd9, 0xdc, 0xdf, 0xff];
        for _ in 0..=self.below(2) {
            let place = self.below(bytes.len() as u64) as usize;
            let byte = if self.below(2) == 0 { CODES[self.below(14) as usize] } else { self.below(256) as u8 };
            match self.below(4) {
                0 => bytes.insert(place, byte),
                1 if !bytes.is_empty() => drop(bytes.remove(place)),
                _ if !bytes.is_empty() => bytes[place] = byte,
                _ => {}
            }
        }
    }

    /// The value, written with a type to which it conforms.
    pub fn written(&mut self, value: ValueRef<'_>, want: &Type) -> Vec<u8> {
        let mut out = Vec::new();
        self.value(&mut out, value, want);
        out
    }

    fn value(&mut self, out: &mut Vec<u8>, value: ValueRef<'_>, want: &Type) {
        if want.is_dynamic() && !value.ty().is_dynamic() {
            self.header(out, 2, ARRAY);
            let text = value.ty().to_v05_text();
            let text = if self.departs() { text.replace(',', " , ") } else { text };
            let codes = if self.departs() { TEXT } else { BIN };
            self.header(out, text.len(), codes);
            out.extend(text.bytes());
            return self.value(out, value, value.ty());
        }
        match value.node() {
            Node::Null if self.departs() && !want.is_dynamic() => out.extend([0xc7, 3, 12, 0x81, 1, 0xc3]),
            Node::Null => out.push(0xc0),
            Node::Unknown(_) => self.unknown(out, value),
            Node::Bool(Truth(bool)) => out.push(if *bool { 0xc3 } else { 0xc2 }),
            Node::Number(number) => self.number(out, number),
            Node::String(text) => self.text(out, text),
            Node::Map(_) => self.map(out, value, want),
            Node::Seq(_) => match want {
                Type::Object(_) => self.object(out, value, want),
                _ => self.array(out, value, want),
            },
        }
    }

    fn unknown(&mut self, out: &mut Vec<u8>, value: ValueRef<'_>) {
        let bytes = encode(value, value.ty()).expect("bytes");
        match (&bytes[..], self.departs()) {
            ([0xd4, 0, 0], true) => match self.below(4) {
                0 => out.extend([0xd4, 5, 7]),
                1 => out.extend([0xc7, 0, 3]),
                2 => out.extend([0xc8, 0, 1, 12, 9]),
                _ if value.ty().is_dynamic() => out.extend([0xd5, 12, 0x80, 0]),
                // An empty map and one more byte, which makes a record (V41).
                _ => out.extend([0xd5, 12, 0x80, 0]),
            },
            ([0xc7, length, 12, body @ ..], true) => {
                out.extend([0xc9, 0, 0, 0, *length + 1, 12]);
                out.extend(body);
                out.push(0xc1);
            }
            _ => out.extend(bytes),
        }
    }

    fn number(&mut self, out: &mut Vec<u8>, number: &Number) {
        let canonical =
            encode(planfuzz_core::value::Value::number(number.clone()).view(), &Type::Number).expect("bytes");
        if !self.departs() {
            return out.extend(canonical);
        }
        match (self.below(4), number.to_i64(), number.to_f64()) {
            (0, Some(int), _) => {
                out.push(0xd3);
                out.extend(int.to_be_bytes());
            }
            (1, Some(int), _) if int >= 0 => {
                out.push(0xcf);
                out.extend(int.to_be_bytes());
            }
            (0..3, _, Some(float)) => {
                out.push(0xcb);
                out.extend(float.to_be_bytes());
            }
            _ if number.is_infinite() => out.extend(canonical),
            _ => self.text(out, &number.text()),
        }
    }

    fn text(&mut self, out: &mut Vec<u8>, text: &str) {
        let codes = if self.departs() { BIN } else { TEXT };
        self.header(out, text.len(), codes);
        out.extend(text.bytes());
    }

    fn array(&mut self, out: &mut Vec<u8>, value: ValueRef<'_>, want: &Type) {
        self.header(out, value.len(), ARRAY);
        let is_set = matches!(want, Type::Set(_));
        let mut order: Vec<usize> = (0..value.len()).collect();
        if is_set && self.departs() {
            self.shuffle(&mut order);
        }
        for index in order {
            let want = match want {
                Type::Tuple(tuple) => &tuple.elements()[index],
                _ => want.element().expect("a collection"),
            };
            let (_, part) = value.children().nth(index).expect("an element");
            self.value(out, part, want);
        }
    }

    fn map(&mut self, out: &mut Vec<u8>, value: ValueRef<'_>, want: &Type) {
        let mut entries: Vec<_> = value.entries().collect();
        if self.departs() {
            self.shuffle(&mut entries);
        }
        if self.departs() && !entries.is_empty() {
            // The last of equal keys wins.
            let again = entries[self.below(entries.len() as u64) as usize];
            entries.insert(0, again);
        }
        self.header(out, entries.len(), MAP);
        for (key, entry) in entries {
            match key.as_str() {
                "" if self.departs() => out.push(0xc0),
                key => self.text(out, key),
            }
            self.value(out, entry, want.element().expect("a map"));
        }
    }

    fn object(&mut self, out: &mut Vec<u8>, value: ValueRef<'_>, want: &Type) {
        let Type::Object(object) = want else { unreachable!("an object") };
        let mut members: Vec<_> = object.attributes().iter().collect();
        if self.departs() {
            self.shuffle(&mut members);
        }
        self.header(out, members.len(), MAP);
        for member in members {
            self.text(out, &member.name);
            self.value(out, value.member(&member.name).expect("a member"), &member.ty);
        }
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            items.swap(end, self.below(end as u64 + 1) as usize);
        }
    }

    /// A length, in its shortest form or a longer one.
    fn header(&mut self, out: &mut Vec<u8>, length: usize, codes: Codes) {
        let shortest = match length {
            _ if length < codes.short => 0,
            0..0x100 if codes.wide[0].is_some() => 1,
            0..0x1_0000 => 2,
            _ => 3,
        };
        let form = if self.departs() { shortest + self.below(4 - shortest) } else { shortest };
        match (form, codes.wide) {
            (0, _) => out.push(codes.fix + length as u8),
            (1, [Some(code), _, _]) => out.extend([code, length as u8]),
            (0..3, [_, Some(code), _]) => {
                out.push(code);
                out.extend((length as u16).to_be_bytes());
            }
            (_, [_, _, code]) => {
                out.push(code.expect("a code"));
                out.extend((length as u32).to_be_bytes());
            }
        }
    }
}

/// The codes of lengths: of the short form, for lengths below `short`, and of 8, 16 and 32 bits.
#[derive(Clone, Copy)]
struct Codes {
    fix: u8,
    short: usize,
    wide: [Option<u8>; 3],
}

const TEXT: Codes = Codes { fix: 0xa0, short: 32, wide: [Some(0xd9), Some(0xda), Some(0xdb)] };
const BIN: Codes = Codes { fix: 0, short: 0, wide: [Some(0xc4), Some(0xc5), Some(0xc6)] };
const ARRAY: Codes = Codes { fix: 0x90, short: 16, wide: [None, Some(0xdc), Some(0xdd)] };
const MAP: Codes = Codes { fix: 0x80, short: 16, wide: [None, Some(0xde), Some(0xdf)] };
