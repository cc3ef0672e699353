//! Facts added to a record one after the other (V42), and the value that they determine (V43).

use super::text::nfc;
use super::{Is, Num, Record, Ty, UNBOUNDED, Val};

/// The longest list that a record makes known: a bound of this project.
const MAX_KNOWN_LENGTH: u64 = 1024;

/// Facts that contradict each other: the engine crashes.
#[derive(Clone, Copy, Debug)]
pub struct Contradiction;

/// A record in the making.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    is_null: bool,
    record: Record,
}

impl Facts {
    /// Not null.
    pub fn not_null(&mut self) -> Result<(), Contradiction> {
        self.record.not_null = true;
        if self.is_null { Err(Contradiction) } else { Ok(()) }
    }

    /// Null.
    pub fn null(&mut self) -> Result<(), Contradiction> {
        self.is_null = true;
        if self.record.not_null { Err(Contradiction) } else { Ok(()) }
    }

    /// A prefix.
    pub fn prefix(&mut self, prefix: &str) -> Result<(), Contradiction> {
        let new = nfc(prefix);
        let old = &self.record.prefix;
        let (short, long) = if new.len() < old.len() { (&new, old) } else { (old, &new) };
        if !long.starts_with(short.as_str()) {
            return Err(Contradiction);
        }
        self.record.prefix = long.clone();
        Ok(())
    }

    /// A lower bound.
    pub fn min(&mut self, number: Num, inclusive: bool) -> Result<(), Contradiction> {
        self.bound(number, inclusive, true)
    }

    /// An upper bound.
    pub fn max(&mut self, number: Num, inclusive: bool) -> Result<(), Contradiction> {
        self.bound(number, inclusive, false)
    }

    fn bound(&mut self, number: Num, inclusive: bool, is_min: bool) -> Result<(), Contradiction> {
        if matches!(number, Num::Infinity { .. }) {
            return Ok(());
        }
        let old = if is_min { &mut self.record.min } else { &mut self.record.max };
        let keeps_old = old.as_ref().is_some_and(|(old, old_inclusive)| match old.compare(&number) {
            _ if old.equals(&number) => !old_inclusive,
            order => order.is_gt() == is_min,
        });
        if !keeps_old {
            *old = Some((number, inclusive));
        }
        let (Some((min, min_is_in)), Some((max, max_is_in))) = (&self.record.min, &self.record.max) else {
            return Ok(());
        };
        let fits =
            if min_is_in == max_is_in { min.compare(max).is_lt() || min.equals(max) } else { min.compare(max).is_lt() };
        if fits { Ok(()) } else { Err(Contradiction) }
    }

    /// A least length.
    pub fn least(&mut self, length: i64) -> Result<(), Contradiction> {
        self.record.least = self.record.least.max(u64::try_from(length).unwrap_or(0));
        self.lengths_fit()
    }

    /// A greatest length.
    pub fn greatest(&mut self, length: i64) -> Result<(), Contradiction> {
        let Ok(length) = u64::try_from(length) else { return Err(Contradiction) };
        let least = self.record.greatest.unwrap_or(UNBOUNDED).min(length);
        self.record.greatest = (least < UNBOUNDED).then_some(least);
        self.lengths_fit()
    }

    fn lengths_fit(&self) -> Result<(), Contradiction> {
        if self.record.least <= self.record.greatest.unwrap_or(UNBOUNDED) { Ok(()) } else { Err(Contradiction) }
    }

    /// V43: the value with these facts. `None` where a list of that length is beyond this project's bound.
    pub fn known(self, ty: &Ty) -> Option<Val> {
        let of = |is| Some(Val { ty: ty.clone(), is });
        let Facts { is_null, record } = self;
        if is_null {
            return of(Is::Null);
        }
        let unknown = |record| of(Is::Unknown(Some(record)));
        if !record.not_null {
            return unknown(record);
        }
        match ty {
            Ty::Number => match (&record.min, &record.max) {
                (Some((min, true)), Some((max, true))) if min.equals(max) => of(Is::Num(min.clone())),
                _ => unknown(record),
            },
            Ty::List(element) | Ty::Set(element) | Ty::Map(element) if record.greatest == Some(record.least) => {
                let item = || Val::unknown((**element).clone());
                match (ty, record.least) {
                    (Ty::Map(_), 0) => of(Is::Named(Vec::new().into())),
                    (Ty::Map(_), _) => unknown(record),
                    (_, 0) => of(Is::Seq(Vec::new().into())),
                    (Ty::Set(_), 1) => of(Is::Seq(vec![item()].into())),
                    (Ty::Set(_), _) => unknown(record),
                    (_, length) if length > MAX_KNOWN_LENGTH => None,
                    (_, length) => of(Is::Seq((0..length).map(|_| item()).collect())),
                }
            }
            _ => unknown(record),
        }
    }
}
