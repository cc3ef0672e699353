//! Taking and skipping values of the two inputs.

use planfuzz_core::msgpack::{MAX_MADE, decode_at, encode_into};
use planfuzz_core::value::{Type, Value};

use super::super::merge::Merge;
use super::scan::{Cursor, NIL, Start, UNKNOWN};
use super::splice::{SourceBytes, Splice};

/// The reason why the bytes alone are not enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bail {
    /// The innermost member around this place has to be decoded.
    Member,
    /// Everything has to be decoded: the input is broken, or the merge refuses it, and decoding finds which error is to be
    /// reported.
    Whole,
}

pub(super) type Done = Result<(), Bail>;

/// The prior's part at a place: inside a null or unknown value it has no bytes (the opening of merge-and-rules.md).
#[derive(Clone, Copy)]
pub(super) enum Prior<'a> {
    Null,
    Unknown,
    At(Cursor<'a>),
}

/// The kind of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Null,
    Unknown,
    Known,
}

/// A type, and how many levels are around the value that has it.
#[derive(Clone, Copy)]
pub(super) struct Want<'t> {
    pub(super) ty: &'t Type,
    pub(super) level: usize,
}

/// One merge of bytes.
pub(super) struct Walk<'a> {
    pub(super) out: Splice<'a>,
    /// The merge of values, for members that have to be decoded.
    pub(super) merge: Merge,
    /// Elements that were made known (V43), of both sides: more than the greatest number for one, and the whole is decoded.
    made: usize,
}

impl<'a> Walk<'a> {
    pub(super) fn new(merge: Merge, capacity: usize) -> Walk<'a> {
        Walk { out: Splice::new(capacity), merge, made: 0 }
    }

    /// Whether the value that begins here is null, unknown or known.
    pub(super) fn kind(&mut self, cursor: Cursor<'a>, want: Want<'_>) -> Result<Kind, Bail> {
        match cursor.start().ok_or(Bail::Whole)? {
            Start::Nil => Ok(Kind::Null),
            Start::Unknown => Ok(Kind::Unknown),
            Start::Other => Ok(Kind::Known),
            Start::Extension => {
                let value = self.decoded(&mut cursor.clone(), want)?;
                match (value.is_null(), value.is_unknown()) {
                    (true, _) => Ok(Kind::Null),
                    (_, true) => Ok(Kind::Unknown),
                    // V43: a list of which only the length is known.
                    _ => Err(Bail::Member),
                }
            }
        }
    }

    /// Whether the leaf that begins here is null, of whatever type.
    pub(super) fn is_null(&mut self, cursor: Cursor<'a>, want: Want<'_>) -> Result<bool, Bail> {
        match cursor.start().ok_or(Bail::Whole)? {
            Start::Nil => Ok(true),
            Start::Unknown => Ok(false),
            Start::Other if !want.ty.is_dynamic() => Ok(false),
            Start::Other | Start::Extension => Ok(self.decoded(&mut cursor.clone(), want)?.is_null()),
        }
    }

    /// Takes the value that begins at the cursor, and the bytes before it from `from` on.
    pub(super) fn take(&mut self, from: usize, cursor: &mut Cursor<'a>, want: Want<'_>) -> Done {
        if let Some(end) = cursor.canonical(want.ty) {
            *cursor = end;
            self.out.push(cursor.since(from));
            return Ok(());
        }
        self.out.push(cursor.since(from));
        let value = self.decoded(cursor, want)?;
        self.write(&value, want.ty)
    }

    /// Skips the value that begins at the cursor. It is read all the same: input that cannot be read is refused.
    pub(super) fn leave(&mut self, cursor: &mut Cursor<'a>, want: Want<'_>) -> Done {
        match cursor.readable(want.ty) {
            Some(end) => *cursor = end,
            None => drop(self.decoded(cursor, want)?),
        }
        Ok(())
    }

    pub(super) fn kind_of_prior(&mut self, prior: &Prior<'a>, want: Want<'_>) -> Result<Kind, Bail> {
        match prior {
            Prior::Null => Ok(Kind::Null),
            Prior::Unknown => Ok(Kind::Unknown),
            Prior::At(cursor) => self.kind(*cursor, want),
        }
    }

    pub(super) fn take_prior(&mut self, prior: &mut Prior<'a>, want: Want<'_>) -> Done {
        match prior {
            Prior::Null => self.out.push(SourceBytes::whole(NIL)),
            Prior::Unknown => self.out.push(SourceBytes::whole(UNKNOWN)),
            Prior::At(cursor) => self.take(cursor.at(), cursor, want)?,
        }
        Ok(())
    }

    pub(super) fn leave_prior(&mut self, prior: &mut Prior<'a>, want: Want<'_>) -> Done {
        match prior {
            Prior::Null | Prior::Unknown => Ok(()),
            Prior::At(cursor) => self.leave(cursor, want),
        }
    }

    /// The value that begins at the cursor.
    pub(super) fn decoded(&mut self, cursor: &mut Cursor<'a>, want: Want<'_>) -> Result<Value, Bail> {
        let placed = decode_at(cursor.source(), cursor.at(), want.ty, want.level).map_err(|_| Bail::Whole)?;
        self.made += placed.made;
        // V85: a value that does not conform is refused in the end (S30), or gives something around it mixed types (V86).
        if self.made > MAX_MADE || !placed.value.ty().conforms_to(want.ty) {
            return Err(Bail::Whole);
        }
        *cursor = cursor.moved(placed.end);
        Ok(placed.value)
    }

    pub(super) fn write(&mut self, value: &Value, ty: &Type) -> Done {
        self.out.write(|out| encode_into(out, value.view(), ty)).map_err(|_| Bail::Whole)
    }
}
