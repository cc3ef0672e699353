//! Unknown values: extensions, and the facts about the value in them (V72, V73, V81).

use rmp::Marker;

use crate::value::{
    Bound, Node, Number, Range, Refinement, RefinementError, Refiner, Truth, Type, UNBOUNDED, wire_prefix,
};

use super::decode::{Decoder, unexpected};
use super::encode::{EncodeError, Encoder};
use super::error::{DecodeError, DecodeProblem};
use super::reader::Integer;

/// The extension type of unknown values with facts (V73).
const EXTENSION: i8 = 12;

/// The longest body of such an extension that is read, in bytes (V81).
const MAX_BODY: usize = 1024;

/// The keys of the facts (V73).
mod key {
    pub(super) const NULLNESS: i64 = 1;
    pub(super) const PREFIX: i64 = 2;
    pub(super) const MIN: i64 = 3;
    pub(super) const MAX: i64 = 4;
    pub(super) const LEAST_LENGTH: i64 = 5;
    pub(super) const GREATEST_LENGTH: i64 = 6;
}

/// The facts of a record that are written: only those that restrict the value (V73).
#[derive(Default)]
struct Facts<'a> {
    not_null: bool,
    prefix: Option<&'a str>,
    min: Option<&'a Bound>,
    max: Option<&'a Bound>,
    least_length: Option<u64>,
    greatest_length: Option<u64>,
}

impl<'a> Facts<'a> {
    fn of(record: &'a Refinement) -> Facts<'a> {
        let mut facts = Facts { not_null: record.not_null, ..Facts::default() };
        match &record.range {
            Range::Any => {}
            Range::String { prefix } => facts.prefix = Some(wire_prefix(prefix)).filter(|prefix| !prefix.is_empty()),
            Range::Number { min, max } => {
                // An infinite bound changes nothing observable (V42).
                facts.min = min.as_ref().filter(|bound| !bound.value.is_infinite());
                facts.max = max.as_ref().filter(|bound| !bound.value.is_infinite());
            }
            Range::Length { min, max } => {
                facts.least_length = Some(*min).filter(|least| *least != 0);
                facts.greatest_length = Some(*max).filter(|greatest| *greatest < UNBOUNDED);
            }
        }
        facts
    }

    fn count(&self) -> usize {
        [
            self.not_null,
            self.prefix.is_some(),
            self.min.is_some(),
            self.max.is_some(),
            self.least_length.is_some(),
            self.greatest_length.is_some(),
        ]
        .into_iter()
        .filter(|is_present| *is_present)
        .count()
    }

    fn write(&self, body: &mut Encoder) -> Result<(), EncodeError> {
        body.map_length(self.count())?;
        if self.not_null {
            body.int(key::NULLNESS);
            body.bool(false);
        }
        if let Some(prefix) = self.prefix {
            body.int(key::PREFIX);
            body.string(prefix)?;
        }
        for (key, bound) in [(key::MIN, self.min), (key::MAX, self.max)] {
            let Some(bound) = bound else { continue };
            body.int(key);
            body.array_length(2)?;
            body.number(&bound.value)?;
            body.bool(bound.inclusive);
        }
        for (key, length) in [(key::LEAST_LENGTH, self.least_length), (key::GREATEST_LENGTH, self.greatest_length)] {
            let Some(length) = length else { continue };
            body.int(key);
            body.number(&Number::from(length))?;
        }
        Ok(())
    }
}

impl Encoder {
    /// V72, V73.
    pub(super) fn unknown(&mut self, record: Option<&Refinement>) -> Result<(), EncodeError> {
        let facts = record.map(Facts::of).unwrap_or_default();
        if facts.count() == 0 {
            self.plain_unknown();
            return Ok(());
        }
        self.extension(EXTENSION, |body| facts.write(body))
    }
}

impl Decoder<'_> {
    /// The unknown value in an extension with a body of `length` bytes, or the value that the facts in it make known
    /// (V81, V43).
    pub(super) fn unknown(&mut self, ty: &Type, length: usize, level: usize) -> Result<Node, DecodeError> {
        let offset = self.reader.offset();
        let [code] = self.reader.take_array()?;
        if length <= 1 {
            self.reader.take(length)?;
            return Ok(Node::UNKNOWN);
        }
        let code = i8::from_be_bytes([code]);
        if code != EXTENSION || length > MAX_BODY {
            return Err(DecodeError::new(offset, DecodeProblem::Extension { code, length }));
        }
        let body = self.reader.part(length)?;
        let after = std::mem::replace(&mut self.reader, body);
        let node = self.refined(ty, level)?;
        self.reader = after;
        Ok(node)
    }

    /// The body of an extension: a map of facts. What follows the map is ignored.
    fn refined(&mut self, ty: &Type, level: usize) -> Result<Node, DecodeError> {
        let offset = self.reader.offset();
        let count = self.fact_count()?;
        if ty.is_dynamic() {
            return Ok(Node::UNKNOWN);
        }
        let mut record = Refiner::new(ty);
        for _ in 0..count {
            self.fact(&mut record, ty, level)?;
        }
        let node = record.finish().map_err(|error| refused(offset, error))?;
        self.count_made(node.parts().len(), offset)?;
        Ok(node)
    }

    /// The number of entries that the map of facts announces; the header of one extension may stand before the map.
    fn fact_count(&mut self) -> Result<usize, DecodeError> {
        let mut offset = self.reader.offset();
        let mut marker = self.reader.marker()?;
        if self.reader.extension_length(marker)?.is_some() {
            self.reader.take(1)?;
            offset = self.reader.offset();
            marker = self.reader.marker()?;
        }
        match marker {
            Marker::Null => Ok(0),
            _ => self.reader.map_length(marker)?.ok_or_else(|| unexpected(offset, "a map of refinements", marker)),
        }
    }

    /// Reads one entry. An entry with an unknown key is skipped without its value, which is then read as the next key
    /// (V81).
    fn fact(&mut self, record: &mut Refiner<'_>, ty: &Type, level: usize) -> Result<(), DecodeError> {
        let offset = self.reader.offset();
        let key = self.fact_integer()?;
        let fits = match key {
            key::NULLNESS => true,
            key::PREFIX => matches!(ty, Type::String),
            key::MIN | key::MAX => matches!(ty, Type::Number),
            key::LEAST_LENGTH | key::GREATEST_LENGTH => ty.is_collection(),
            _ => return Ok(()),
        };
        if !fits {
            return Err(DecodeError::new(offset, DecodeProblem::Refinement { key, ty: ty.clone() }));
        }
        let added = match key {
            key::NULLNESS if self.is_null()? => record.null(),
            key::NULLNESS => record.not_null(),
            key::PREFIX => record.string_prefix(self.prefix()?),
            key::MIN => record.number_min(self.bound(level)?),
            key::MAX => record.number_max(self.bound(level)?),
            key::LEAST_LENGTH => record.length_min(self.fact_integer()?),
            _ => record.length_max(self.fact_integer()?),
        };
        added.map_err(|error| refused(offset, error))
    }

    /// A bool, or nil for false.
    fn is_null(&mut self) -> Result<bool, DecodeError> {
        let offset = self.reader.offset();
        match self.reader.marker()? {
            Marker::True => Ok(true),
            Marker::False | Marker::Null => Ok(false),
            marker => Err(unexpected(offset, "a bool", marker)),
        }
    }

    /// A string or bin, or nil for the empty one.
    fn prefix(&mut self) -> Result<&str, DecodeError> {
        let offset = self.reader.offset();
        match self.reader.marker()? {
            Marker::Null => Ok(""),
            marker => self.reader.text(marker)?.ok_or_else(|| unexpected(offset, "a string", marker)),
        }
    }

    /// An integer, or nil for zero.
    fn fact_integer(&mut self) -> Result<i64, DecodeError> {
        let offset = self.reader.offset();
        match self.reader.marker()? {
            Marker::Null => Ok(0),
            marker => {
                let integer = self.reader.integer(marker)?.map(Integer::wrapping);
                integer.ok_or_else(|| unexpected(offset, "an integer", marker))
            }
        }
    }

    /// A number and a bool, decoded like a value.
    fn bound(&mut self, level: usize) -> Result<Bound, DecodeError> {
        let offset = self.reader.offset();
        let pair = Type::tuple(vec![Type::Number, Type::Bool]);
        match self.value(&pair, level + 1)?.node.parts() {
            [Node::Number(value), Node::Bool(Truth(inclusive))] => {
                Ok(Bound { value: value.clone(), inclusive: *inclusive })
            }
            _ => Err(DecodeError::new(offset, DecodeProblem::Bound)),
        }
    }
}

fn refused(offset: usize, error: RefinementError) -> DecodeError {
    let problem = match error {
        RefinementError::KnownLength { .. } => DecodeProblem::TooManyMade,
        contradiction => DecodeProblem::Contradiction(contradiction),
    };
    DecodeError::new(offset, problem)
}
