//! Refresh (section 5) and import (section 6).

use planfuzz_core::planner::{ImportState, ReadResource, Refusal, summary};
use planfuzz_core::plans::Marked;
use planfuzz_core::state::{Object, Private};
use planfuzz_core::value::{PathSet, Text, Value};

use super::super::legacy;
use super::super::operations::Program;
use super::typed_object::TypedObject;
use super::walk::{Stop, Walk, Walked};

impl Walk<'_> {
    /// Section 5: the object as the provider finds it, or `None` where it is gone (L17).
    pub(super) fn refresh(&mut self, held: &TypedObject) -> Walked<Option<TypedObject>> {
        self.looked_up(held).map(Result::ok)
    }

    /// The same; where it is gone, the private data of the answer.
    pub(super) fn looked_up(&mut self, held: &TypedObject) -> Walked<Result<TypedObject, Private>> {
        if held.object.is_null() {
            // LD25.
            return Ok(Ok(held.clone()));
        }
        self.read(held)
    }

    /// L10 to L17.
    fn read(&mut self, held: &TypedObject) -> Walked<Result<TypedObject, Private>> {
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
        if self.program.dialect.compares_what_it_read() && self.program.root.holds.dynamic {
            // L15: only a crash of the comparison matters, not its violations; without `dynamic` it never crashes.
            self.program.assert_object_compatible(held.object.value(), &value)?;
        }
        let object = self.marked(value, held.object.sensitive())?;
        Ok(Ok(held.with(object, answer.private)))
    }

    /// L11 to L14.
    fn found(&mut self, value: Value) -> Walked<Value> {
        let start = self.diagnostic_count();
        if self.program.dialect.refuses_unknowns_in_reads() && !value.is_wholly_known() {
            self.error(summary::INVALID_OBJECT, "L11");
        }
        let value = self.conforming(value, summary::INVALID_OBJECT, "L12")?;
        self.stop_since(start)?;
        self.without_write_only(&value, summary::INVALID_OBJECT, "L13")?;
        Ok(normalized_read(self.program, value)?)
    }

    /// Section 6: the object that the provider finds under an id. Also after an error, `seen` is the object for the previous-run
    /// state (L22).
    pub(super) fn import(&mut self, id: &Text, marks: &PathSet, seen: &mut Option<Object>) -> Walked<TypedObject> {
        let start = self.diagnostic_count();
        let answer = self.provider.import(ImportState { id: id.clone() });
        let mut failed = self.remark(&answer.remarks);
        for (value, _) in &answer.imported {
            failed |= self.decoded(value, "L21")?;
        }
        if failed {
            return Err(Stop::Error);
        }
        let checks_start = self.diagnostic_count();
        let (value, private) = self.first(answer.imported)?;
        let conforms = self.program.conforms(value.ty());
        // LD26: a value of another type is left to the read, which refuses it; it has no write-only attributes (S73).
        if conforms {
            self.without_write_only(&value, summary::IMPORT_WRITE_ONLY, "L21")?;
        }
        let is_object = conforms && !value.is_null();
        let imported = TypedObject::new(Marked::plain(value), private);
        *seen = is_object.then(|| imported.stored());
        let mut found = self.read(&imported)?.ok();
        if self.program.dialect.marks_imported_by_configuration()
            && let Some(found) = &mut found
        {
            // L22.
            let all = found.object.sensitive().union(marks);
            found.object = Marked::new(found.object.value().clone(), &all);
        }
        *seen = found.as_ref().map(TypedObject::stored);
        self.stop_since(checks_start)?;
        if found.is_none() {
            // L21: this error replaces all earlier diagnostics of the import.
            self.diagnostics.truncate(start);
        }
        found.map_or_else(|| self.fail(summary::IMPORT_ABSENT, "L21"), Ok)
    }

    /// The object that an import goes on with. Further objects are an error, and so is a null one; neither prevents the read.
    fn first(&mut self, imported: Vec<(Value, Private)>) -> Walked<(Value, Private)> {
        let are_many = imported.len() > 1;
        let Some(first) = imported.into_iter().next() else {
            return self.fail(summary::IMPORT_NONE, "L21");
        };
        if are_many {
            self.error(summary::IMPORT_MANY, "L21");
            if !self.program.dialect.reads_first_of_many() {
                return Err(Stop::Error);
            }
        }
        if first.0.is_null() {
            self.error(summary::IMPORT_NULL, "L21");
        }
        Ok(first)
    }
}

/// L14. Without list, set or group blocks an object without unknowns is its own normal form (LN02).
fn normalized_read(program: &Program, value: Value) -> Result<Value, Refusal> {
    if value.is_null() || (!program.dialect.normalizes_every_read() && program.root.holds.modern) {
        return Ok(value);
    }
    if !program.root.holds.plural_blocks && value.is_wholly_known() {
        return Ok(value);
    }
    legacy::normalize(&program.root, &value)
}
