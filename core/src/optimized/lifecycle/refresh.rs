//! What a provider says is there: refresh (section 5) and import (section 6).

use crate::planner::{ImportState, ReadResource, Refusal, summary};
use crate::plans::Marked;
use crate::state::Private;
use crate::value::{Text, Value};

use super::super::{Program, legacy};
use super::held::Held;
use super::unknowns::without_unknowns;
use super::walk::{Stop, Walk, Walked};

impl Walk<'_> {
    /// Section 5: the object as the provider finds it, or nothing where it is gone (L17).
    pub(super) fn refresh(&mut self, held: &Held) -> Walked<Option<Held>> {
        self.looked_up(held).map(Result::ok)
    }

    /// The same; where it is gone, the private data of the answer.
    pub(super) fn looked_up(&mut self, held: &Held) -> Walked<Result<Held, Private>> {
        if held.object.is_null() {
            // LD25.
            return Ok(Ok(held.clone()));
        }
        let request = ReadResource { current: held.object.value().clone(), private: held.private.clone() };
        let answer = self.provider.read(request);
        let failed = self.remark(&answer.remarks);
        if failed | self.decoded(&answer.new_state, "L13")? {
            return Err(Stop::Error);
        }
        if answer.deferred && self.program.dialect.has_deferrals() {
            return self.fail(summary::REFRESH_DEFERRED, "L10");
        }
        let value = self.found(answer.new_state)?;
        if value.is_null() {
            return Ok(Err(answer.private));
        }
        let object = self.marked(value, held.object.sensitive())?;
        Ok(Ok(held.with(object, answer.private)))
    }

    /// L11 to L14.
    fn found(&mut self, value: Value) -> Walked<Value> {
        let told = self.told();
        if self.program.dialect.refuses_unknowns_in_reads() && !value.is_wholly_known() {
            self.error(summary::INVALID_OBJECT, "L11");
        }
        let value = self.conforming(value, summary::INVALID_OBJECT, "L12")?;
        self.stop_since(told)?;
        self.without_write_only(&value, summary::INVALID_OBJECT, "L13")?;
        Ok(without_unknowns(self.program.normalized_read(value)?))
    }

    /// Section 6: the object that the provider finds under an id.
    pub(super) fn import(&mut self, id: &Text) -> Walked<Held> {
        let answer = self.provider.import(ImportState { id: id.clone() });
        let mut failed = self.remark(&answer.remarks);
        for (value, _) in &answer.imported {
            failed |= self.decoded(value, "L21")?;
        }
        if failed {
            return Err(Stop::Error);
        }
        let (value, private) = self.only_one(answer.imported)?;
        // LD26: a value of another type is for the read to refuse; it has no write-only attributes (S73).
        if self.program.conforms(value.ty()) {
            self.without_write_only(&value, summary::IMPORT_WRITE_ONLY, "L21")?;
        }
        if self.program.dialect.refuses_unknowns_in_reads() && !value.is_wholly_known() {
            return self.fail(summary::INVALID_OBJECT, "L11");
        }
        let imported = Held::new(Marked::plain(without_unknowns(value)), private);
        match self.refresh(&imported)? {
            Some(held) => Ok(held),
            None => self.fail(summary::IMPORT_ABSENT, "L21"),
        }
    }

    fn only_one(&mut self, imported: Vec<(Value, Private)>) -> Walked<(Value, Private)> {
        let mut imported = imported.into_iter();
        match (imported.next(), imported.next()) {
            (None, _) => self.fail(summary::IMPORT_NONE, "L21"),
            (Some(_), Some(_)) => self.fail(summary::IMPORT_MANY, "L21"),
            (Some((value, _)), None) if value.is_null() => self.fail(summary::IMPORT_NULL, "L21"),
            (Some(one), None) => Ok(one),
        }
    }
}

impl Program {
    /// L14. Without list, set or group blocks an object without unknowns is its own normal form (LN02).
    fn normalized_read(&self, value: Value) -> Result<Value, Refusal> {
        if value.is_null() || (!self.dialect.normalizes_every_read() && self.root.holds.modern) {
            return Ok(value);
        }
        if !self.root.holds.plural_blocks && value.is_wholly_known() {
            return Ok(value);
        }
        legacy::normalize(&self.root, &value)
    }
}
