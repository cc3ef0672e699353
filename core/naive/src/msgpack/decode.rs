//! Reads msgpack as a value of a type (V80 to V86).

use super::input::Input;
use super::{Fault, json};
use crate::value::{Facts, Is, Num, Ty, Val, alike, build, nfc};

/// The deepest nesting that is read, and how many elements may be known by a length alone: bounds of this project.
const MAX_DEPTH: usize = 120;
const MAX_MADE: usize = 100_000;

/// The longest body of a record (V81).
const MAX_BODY: usize = 1024;

/// Reads a value of a type.
///
/// # Errors
/// Bytes that are no such value.
pub fn decode(bytes: &[u8], ty: &Ty) -> Result<Val, Fault> {
    let mut reading = Reading { input: Input { rest: bytes }, made: 0 };
    reading.value(ty, 0)
}

struct Reading<'b> {
    input: Input<'b>,
    made: usize,
}

impl Reading<'_> {
    fn value(&mut self, ty: &Ty, level: usize) -> Result<Val, Fault> {
        if level >= MAX_DEPTH {
            return Err(Fault::Error);
        }
        if let Some((code, length)) = self.input.extension()? {
            return self.unknown(ty, (code, length), level);
        }
        if *ty == Ty::Dynamic {
            return self.dynamic(level);
        }
        if self.input.nil() {
            return Ok(Val::null(ty.clone()));
        }
        let of = |is| Ok(Val { ty: ty.clone(), is });
        match ty {
            Ty::Dynamic => Err(Fault::Error),
            Ty::Bool => match self.input.byte()? {
                0xc2 => of(Is::Bool(false)),
                0xc3 => of(Is::Bool(true)),
                _ => Err(Fault::Error),
            },
            Ty::Number => of(Is::Num(self.number()?)),
            Ty::String => of(Is::Str(nfc(self.utf8()?.ok_or(Fault::Error)?))),
            Ty::List(element) | Ty::Set(element) => {
                let count = self.input.array()?.ok_or(Fault::Error)?;
                let mut items = Vec::new();
                for _ in 0..count {
                    items.push(self.value(element, level + 1)?);
                }
                let (element, items) = alike(element, items).ok_or(Fault::Crash)?;
                let items = if matches!(ty, Ty::Set(_)) { build(items) } else { items };
                Ok(Val { ty: ty.with_element(element), is: Is::Seq(items.into()) })
            }
            Ty::Map(element) => self.map(ty, element, level),
            Ty::Tuple(types) => {
                let count = self.input.array()?.ok_or(Fault::Error)?;
                if count == 0 {
                    return Ok(Val { ty: Ty::Tuple(Vec::new().into()), is: Is::Seq(Vec::new().into()) });
                }
                if count != types.len() {
                    return Err(Fault::Error);
                }
                let items = types.iter().map(|ty| self.value(ty, level + 1)).collect::<Result<Vec<_>, _>>()?;
                Ok(Val { ty: Ty::Tuple(items.iter().map(|item| item.ty.clone()).collect()), is: Is::Seq(items.into()) })
            }
            Ty::Object(attributes) => {
                let count = self.input.map()?.ok_or(Fault::Error)?;
                if count == 0 {
                    return Ok(Val { ty: Ty::Object(Vec::new().into()), is: Is::Named(Vec::new().into()) });
                }
                if count != attributes.len() {
                    return Err(Fault::Error);
                }
                let mut members: Vec<(String, Val)> = Vec::new();
                for _ in 0..count {
                    // Not put into NFC: a key has to be the name of an attribute byte for byte.
                    let name = match self.input.nil() {
                        true => String::new(),
                        false => self.utf8()?.ok_or(Fault::Error)?.to_owned(),
                    };
                    let attribute = attributes.iter().find(|attribute| attribute.name == name).ok_or(Fault::Error)?;
                    let member = self.value(&attribute.ty, level + 1)?;
                    members.retain(|(other, _)| *other != name);
                    members.push((name, member));
                }
                members.sort_by(|a, b| a.0.cmp(&b.0));
                let ty = Ty::plain_object(members.iter().map(|(name, member)| (&**name, member.ty.clone())));
                Ok(Val { ty, is: Is::Named(members.into()) })
            }
        }
    }

    fn map(&mut self, ty: &Ty, element: &Ty, level: usize) -> Result<Val, Fault> {
        let count = self.input.map()?.ok_or(Fault::Error)?;
        let mut entries: Vec<(String, Val)> = Vec::new();
        for _ in 0..count {
            let name = match self.utf8()? {
                Some(text) => nfc(text),
                None => {
                    // V84: nil, and any other code, is the empty key after one byte.
                    self.input.byte()?;
                    String::new()
                }
            };
            let item = self.value(element, level + 1)?;
            // V84: an earlier entry of the same key does not count, nor does its type.
            entries.retain(|(other, _)| *other != name);
            entries.push((name, item));
        }
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        let (names, items): (Vec<String>, Vec<Val>) = entries.into_iter().unzip();
        let (element, items) = alike(element, items).ok_or(Fault::Crash)?;
        let entries: Vec<(String, Val)> = names.into_iter().zip(items).collect();
        Ok(Val { ty: ty.with_element(element), is: Is::Named(entries.into()) })
    }

    /// V82.
    fn dynamic(&mut self, level: usize) -> Result<Val, Fault> {
        if self.input.nil() {
            return Ok(Val::null(Ty::Dynamic));
        }
        if self.input.array()? != Some(2) {
            return Err(Fault::Error);
        }
        let text = self.utf8()?.ok_or(Fault::Error)?;
        let own = json::parse(text).and_then(|json| Ty::read(&json)).ok_or(Fault::Error)?.strip_optional();
        if level + own.depth() > MAX_DEPTH {
            return Err(Fault::Error);
        }
        self.value(&own, level + 1)
    }

    /// The text of a str or a bin; `None` for anything else. Text that is not UTF-8 is refused (V25).
    fn utf8(&mut self) -> Result<Option<&str>, Fault> {
        match self.input.text()? {
            None => Ok(None),
            Some(bytes) => std::str::from_utf8(bytes).map(Some).map_err(|_| Fault::Error),
        }
    }

    /// V83.
    fn number(&mut self) -> Result<Num, Fault> {
        if let Some(int) = self.input.integer()? {
            return Ok(Num::wire_int(int));
        }
        if let Some(text) = self.utf8()? {
            return Num::parse(text).ok_or(Fault::Error);
        }
        let float = match self.input.byte()? {
            0xca => f64::from(f32::from_bits(self.input.unsigned(4)? as u32)),
            0xcb => f64::from_bits(self.input.unsigned(8)?),
            _ => return Err(Fault::Error),
        };
        Num::float(float).ok_or(Fault::Crash)
    }

    /// V81.
    fn unknown(&mut self, ty: &Ty, (code, length): (i8, usize), level: usize) -> Result<Val, Fault> {
        let body = self.input.take(length)?;
        if length <= 1 {
            return Ok(Val::unknown(ty.clone()));
        }
        if code != 12 || length > MAX_BODY {
            return Err(Fault::Error);
        }
        let mut inner = Reading { input: Input { rest: body }, made: 0 };
        inner.input.extension()?;
        let count = match inner.input.nil() {
            true => 0,
            false => inner.input.map()?.ok_or(Fault::Error)?,
        };
        if *ty == Ty::Dynamic {
            return Ok(Val::unknown(Ty::Dynamic));
        }
        let mut facts = Facts::default();
        for _ in 0..count {
            inner.fact(ty, &mut facts, level)?;
        }
        let known = facts.known(ty).ok_or(Fault::Error)?;
        if let (Ty::List(_), Is::Seq(items)) = (ty, &known.is) {
            self.made += items.len();
        }
        if self.made > MAX_MADE { Err(Fault::Error) } else { Ok(known) }
    }

    fn fact(&mut self, ty: &Ty, facts: &mut Facts, level: usize) -> Result<(), Fault> {
        let key = match self.input.nil() {
            true => 0,
            false => self.input.integer()?.ok_or(Fault::Error)?,
        };
        let fits = match key {
            2 => *ty == Ty::String,
            3 | 4 => *ty == Ty::Number,
            5 | 6 => ty.element().is_some(),
            _ => true,
        };
        if !fits {
            return Err(Fault::Error);
        }
        let added = match key {
            1 => match self.input.byte()? {
                0xc2 | 0xc0 => facts.not_null(),
                0xc3 => facts.null(),
                _ => return Err(Fault::Error),
            },
            2 => {
                let prefix = match self.input.nil() {
                    true => String::new(),
                    false => self.utf8()?.ok_or(Fault::Error)?.to_owned(),
                };
                facts.prefix(&prefix)
            }
            3 | 4 => {
                let (number, inclusive) = self.bound(level)?;
                if key == 3 { facts.min(number, inclusive) } else { facts.max(number, inclusive) }
            }
            5 | 6 => {
                let length = match self.input.nil() {
                    true => 0,
                    false => self.input.integer()?.ok_or(Fault::Error)?,
                };
                // An unsigned one beyond the signed ones wraps around.
                let length = length as i64;
                if key == 5 { facts.least(length) } else { facts.greatest(length) }
            }
            // The value is read as the next key.
            _ => Ok(()),
        };
        added.map_err(|_| Fault::Crash)
    }

    /// An array of a number and a bool, both known and not null.
    fn bound(&mut self, level: usize) -> Result<(Num, bool), Fault> {
        let pair = Ty::Tuple(vec![Ty::Number, Ty::Bool].into());
        match self.value(&pair, level)?.is {
            Is::Seq(items) => match &items[..] {
                [Val { is: Is::Num(number), .. }, Val { is: Is::Bool(inclusive), .. }] => {
                    Ok((number.clone(), *inclusive))
                }
                _ => Err(Fault::Error),
            },
            _ => Err(Fault::Error),
        }
    }
}
