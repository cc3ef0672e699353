//! Values as other writers may write them: JSON in another order and spelling, msgpack in longer forms than necessary.

use planfuzz_core::json::Json;
use planfuzz_core::value::{Node, Number, ObjectType, Range, Refinement, Text, Truth, Type};

use super::dice::Dice;

/// How often a place of a document is written in another form, of 256.
const ROUGH: u8 = 60;

/// The document in another spelling: elements and members in another order, some twice, numbers and texts in other forms.
pub(super) fn respelled(dice: &mut Dice<'_, '_>, json: &Json) -> Json {
    match json {
        Json::Array(items) => {
            let mut items: Vec<Json> = items.iter().map(|item| respelled(dice, item)).collect();
            match dice.below(8) {
                0..=2 => items.reverse(),
                3 if !items.is_empty() => {
                    let again = items[dice.below(items.len())].clone();
                    let again = respelled(dice, &again);
                    items.push(again);
                }
                4 if items.len() > 1 => items.rotate_left(1),
                _ => {}
            }
            Json::Array(items)
        }
        Json::Object(members) => {
            let mut members: Vec<(Box<str>, Json)> = members
                .iter()
                .map(|(name, member)| {
                    let name = if dice.chance(ROUGH) { decomposed(name).into() } else { name.clone() };
                    (name, respelled(dice, member))
                })
                .collect();
            if dice.chance(128) {
                close(&mut members);
            }
            if dice.chance(128) {
                members.reverse();
            }
            Json::Object(members)
        }
        Json::Number(text) if dice.chance(ROUGH) => Json::Number(number(dice, text).into()),
        Json::String(text) if dice.chance(ROUGH) => Json::string(&decomposed(text)),
        other => other.clone(),
    }
}

/// Makes the ends of a range equal, which may turn an unknown into a known value (V43).
fn close(members: &mut [(Box<str>, Json)]) {
    let place = |name: &str| members.iter().position(|(other, _)| **other == *name);
    let of_number = place("number_min").zip(place("number_max"));
    let of_length = place("length_min").zip(place("length_max"));
    if let Some((min, max)) = of_number {
        if let (Json::Array(min), Json::Array(max)) = (members[min].1.clone(), &mut members[max].1)
            && let (Some(min), Some(max)) = (min.first(), max.first_mut())
        {
            *max = min.clone();
        }
    } else if let Some((min, max)) = of_length {
        members[max].1 = members[min].1.clone();
    }
}

/// The same text, decomposed where that is easily done.
fn decomposed(text: &str) -> String {
    text.replace('é', "e\u{301}").replace('ẛ', "ſ\u{307}")
}

/// The same number, written otherwise.
pub(super) fn number(dice: &mut Dice<'_, '_>, text: &str) -> String {
    match (text.contains(['.', 'e', 'E']), dice.below(4)) {
        (true, 0) => format!("{text}0").replace("e0", "e"),
        (false, 0) => format!("{text}.0"),
        (false, 1) => format!("{text}e0"),
        (false, 2) => format!("{text}0e-1"),
        (false, 3) if text.ends_with('0') && text.len() > 1 => format!("{}E+1", &text[..text.len() - 1]),
        _ => text.to_owned(),
    }
}

/// Writes msgpack in unusual forms: any form that a reader accepts as the value.
pub(super) struct Loose<'c, 'd, 'b> {
    pub(super) dice: &'c mut Dice<'d, 'b>,
    pub(super) out: Vec<u8>,
}

impl Loose<'_, '_, '_> {
    /// Writes a value of a type for a reader of the type `declared`.
    pub(super) fn value(&mut self, ty: &Type, node: &Node, declared: &Type) {
        if declared.is_dynamic() && !ty.is_dynamic() {
            self.count(2, 0x90, 0xdc);
            let text = ty.to_json().to_compact();
            self.text(text.as_bytes(), true);
            return self.value(ty, node, ty);
        }
        match (node, declared) {
            (Node::Null, _) => self.out.push(0xc0),
            (Node::Unknown(record), _) => self.unknown(record.as_deref()),
            (Node::Bool(Truth(bool)), _) => self.out.push(if *bool { 0xc3 } else { 0xc2 }),
            (Node::Number(number), _) => self.number(number),
            (Node::String(text), _) => {
                let text = if self.dice.chance(ROUGH) { decomposed(text) } else { text.to_string() };
                self.text(text.as_bytes(), true);
            }
            (Node::Map(map), _) => self.map(map.keys(), node.parts(), (ty, declared)),
            (Node::Seq(_), Type::Object(object)) => self.object(object, node.parts(), ty),
            // V85
            (Node::Seq(_), Type::Tuple(tuple)) if !tuple.is_empty() && self.dice.chance(16) => {
                self.count(0, 0x90, 0xdc)
            }
            (Node::Seq(_), Type::Tuple(tuple)) => {
                self.count(tuple.len(), 0x90, 0xdc);
                for (at, declared) in tuple.elements().iter().enumerate() {
                    let own = if let Type::Tuple(own) = ty { &own.elements()[at] } else { declared };
                    self.value(own, &node.parts()[at], declared);
                }
            }
            (Node::Seq(seq), _) => self.elements(seq.as_slice(), (ty, declared)),
        }
    }

    fn map(&mut self, keys: &[Text], parts: &[Node], (ty, declared): (&Type, &Type)) {
        let mut places: Vec<usize> = (0..keys.len()).collect();
        self.reorder(&mut places);
        let mut entries: Vec<(usize, usize)> = places.into_iter().map(|at| (at, at)).collect();
        // A key that occurs twice, with different values (V84).
        if entries.len() > 1 && self.dice.chance(ROUGH) {
            entries.push((entries[0].0, entries[1].1));
        }
        self.count(entries.len(), 0x80, 0xde);
        let (ty, declared) = (ty.element().unwrap_or(ty), declared.element().unwrap_or(declared));
        for (key, at) in entries {
            self.key(&keys[key]);
            self.value(ty, &parts[at], declared);
        }
    }

    fn object(&mut self, declared: &ObjectType, parts: &[Node], ty: &Type) {
        let mut places: Vec<usize> = (0..declared.len()).collect();
        self.reorder(&mut places);
        self.count(places.len(), 0x80, 0xde);
        for at in places {
            let own = ty.as_object().map_or(ty, |own| &own.attributes()[at].ty);
            self.key(&declared.attributes()[at].name);
            self.value(own, &parts[at], &declared.attributes()[at].ty);
        }
    }

    /// The elements of a list or set.
    fn elements(&mut self, elements: &[Node], (ty, declared): (&Type, &Type)) {
        let mut places: Vec<usize> = (0..elements.len()).collect();
        if matches!(ty, Type::Set(_)) {
            self.reorder(&mut places);
            let again = !places.is_empty() && self.dice.chance(ROUGH);
            places.extend(again.then(|| places[0]));
        }
        self.count(places.len(), 0x90, 0xdc);
        let (ty, declared) = (ty.element().unwrap_or(ty), declared.element().unwrap_or(declared));
        for at in places {
            self.value(ty, &elements[at], declared);
        }
    }

    fn reorder(&mut self, places: &mut [usize]) {
        match self.dice.below(4) {
            0 => places.reverse(),
            1 if !places.is_empty() => places.rotate_left(1),
            _ => {}
        }
    }

    fn key(&mut self, key: &str) {
        if key.is_empty() && self.dice.chance(128) {
            return self.out.push(0xc0);
        }
        let key = if self.dice.chance(ROUGH) { decomposed(key) } else { key.to_owned() };
        self.text(key.as_bytes(), true);
    }

    /// A header of one, three or five bytes.
    fn count(&mut self, count: usize, few: u8, many: u8) {
        let count = count as u32;
        match self.dice.below(8) {
            0 if count < 1 << 16 => {
                self.out.push(many);
                self.out.extend((count as u16).to_be_bytes());
            }
            1 => {
                self.out.push(many + 1);
                self.out.extend(count.to_be_bytes());
            }
            _ if count < 16 => self.out.push(few + count as u8),
            _ => {
                self.out.push(many + 1);
                self.out.extend(count.to_be_bytes());
            }
        }
    }

    fn text(&mut self, bytes: &[u8], may_be_bin: bool) {
        let length = bytes.len() as u32;
        let base = if may_be_bin && self.dice.chance(40) { 0xc4 } else { 0xd9 };
        match self.dice.below(8) {
            0 if length < 256 => self.out.extend([base, length as u8]),
            1 if length < 1 << 16 => {
                self.out.push(base + 1);
                self.out.extend((length as u16).to_be_bytes());
            }
            2 => {
                self.out.push(base + 2);
                self.out.extend(length.to_be_bytes());
            }
            _ if length < 32 => self.out.push(0xa0 + length as u8),
            _ => {
                self.out.push(base + 2);
                self.out.extend(length.to_be_bytes());
            }
        }
        self.out.extend(bytes);
    }

    fn number(&mut self, number: &Number) {
        match (number.to_i64(), self.dice.below(8)) {
            (Some(int @ 0..=127), 0) => self.out.push(int as u8),
            (Some(int @ -32..=-1), 0) => self.out.push(int as u8),
            (Some(int), 1..=3) => self.integer(int),
            // A float of 32 bits seldom equals the number, but a reader must take it as it is (V83).
            (None, 0..=5) | (_, 4..=5) => match number.to_f64() {
                Some(float) if self.dice.chance(100) => {
                    self.out.push(0xca);
                    self.out.extend((float as f32).to_be_bytes());
                }
                Some(float) => {
                    self.out.push(0xcb);
                    self.out.extend(float.to_be_bytes());
                }
                None => self.text(number.text().as_bytes(), true),
            },
            _ => {
                let text = number.text().into_owned();
                let text = self::number(self.dice, &text);
                self.text(text.as_bytes(), true);
            }
        }
    }

    /// An integer in a form that has room for it.
    fn integer(&mut self, int: i64) {
        let bytes = int.to_be_bytes();
        let width = [0, 1, 2, 3][self.dice.below(4)];
        for width in width..4 {
            let size = 1 << width;
            let rest = &bytes[8 - size..];
            let unsigned = rest.iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
            let shift = 64 - 8 * size as u32;
            let signed = (unsigned << shift).cast_signed() >> shift;
            if self.dice.chance(128) && u64::try_from(int) == Ok(unsigned) {
                self.out.push(0xcc + width as u8);
                return self.out.extend(rest);
            }
            if signed == int {
                self.out.push(0xd0 + width as u8);
                return self.out.extend(rest);
            }
        }
        self.out.push(0xd3);
        self.out.extend(bytes);
    }

    fn unknown(&mut self, record: Option<&Refinement>) {
        let Some(record) = record else {
            match self.dice.below(3) {
                0 => self.out.extend([0xd4, self.dice.byte(), 0]),
                1 => self.out.extend([0xc7, 0, 12]),
                _ => self.out.extend([0xd4, 0, 0]),
            }
            return;
        };
        let entries = self.disordered(record);
        let mut body = vec![0x80 + entries.len().min(15) as u8];
        body.extend(entries.into_iter().take(15).flatten());
        if self.dice.chance(40) {
            body.push(self.dice.byte());
        }
        self.extension(&body);
    }

    /// What is known of an unknown value, a key with its value each.
    fn facts(&mut self, record: &Refinement) -> Vec<Vec<u8>> {
        let mut entries: Vec<Vec<u8>> = Vec::new();
        let mut inner = Loose { dice: self.dice, out: Vec::new() };
        if record.not_null {
            inner.out.extend([1, 0xc2]);
            entries.push(std::mem::take(&mut inner.out));
        }
        match &record.range {
            Range::Any => {}
            Range::String { prefix } => {
                inner.out.push(2);
                inner.text(prefix.as_bytes(), true);
                entries.push(std::mem::take(&mut inner.out));
                // A second prefix: a beginning of the first one, or not (V42).
                if inner.dice.chance(ROUGH) {
                    let shorter = prefix.char_indices().nth(1).map_or("b", |(at, _)| &prefix[..at]);
                    inner.out.push(2);
                    inner.text(shorter.as_bytes(), true);
                    entries.push(std::mem::take(&mut inner.out));
                }
            }
            Range::Number { min, max } => {
                let is_closed = inner.dice.chance(ROUGH);
                let least = min.as_ref().filter(|_| is_closed).map(|min| &min.value);
                for (key, bound) in [(3, min), (4, max)] {
                    if let Some(bound) = bound {
                        inner.out.extend([key, 0x92]);
                        inner.number(least.unwrap_or(&bound.value));
                        inner.out.push(if bound.inclusive { 0xc3 } else { 0xc2 });
                        entries.push(std::mem::take(&mut inner.out));
                    }
                }
            }
            Range::Length { min, max } => {
                // V43: the length is known if both bounds are equal.
                let max = if inner.dice.chance(ROUGH) { min } else { max };
                for (key, length) in [(5, *min), (6, *max)] {
                    inner.out.push(key);
                    inner.integer(i64::try_from(length).unwrap_or(i64::MAX));
                    entries.push(std::mem::take(&mut inner.out));
                }
            }
        }
        entries
    }

    /// The facts in another order, or with one too many.
    fn disordered(&mut self, record: &Refinement) -> Vec<Vec<u8>> {
        let mut entries = self.facts(record);
        match self.dice.below(6) {
            0 => entries.reverse(),
            1 => entries.push(vec![1, *self.dice.pick(&[0xc2, 0xc0, 0xc3])]),
            2 if !entries.is_empty() => entries.push(entries[0].clone()),
            _ => {}
        }
        entries
    }

    /// A body as an extension of unknown values, its length in one of the ways that it can be written.
    fn extension(&mut self, body: &[u8]) {
        let length = body.len() as u32;
        match length {
            2 | 4 | 8 | 16 if self.dice.chance(200) => self.out.push(0xd4 + length.trailing_zeros() as u8),
            ..256 if self.dice.chance(200) => self.out.extend([0xc7, length as u8]),
            ..65_536 => {
                self.out.push(0xc8);
                self.out.extend((length as u16).to_be_bytes());
            }
            _ => {
                self.out.push(0xc9);
                self.out.extend(length.to_be_bytes());
            }
        }
        self.out.push(12);
        self.out.extend(body);
    }
}
