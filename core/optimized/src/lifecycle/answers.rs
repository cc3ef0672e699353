//! The checks of a provider's answer that precede any use of it.

use planfuzz_core::planner::{PlanAnswer, PlanChange, Severity, ValidateConfig, Violation, summary};
use planfuzz_core::plans::Marked;
use planfuzz_core::value::{Type, Value};

use super::marks::{reported_paths, sensitive, write_only};
use super::walk::{Phase, Stop, Walk, Walked};

impl Walk<'_> {
    /// L02: stops if the provider rejects the configuration.
    pub(super) fn validate(&mut self, config: &Value) -> Walked<()> {
        let answer = self.provider.validate(ValidateConfig { config: config.clone() });
        if self.remark(&answer.remarks) { Err(Stop::Error) } else { Ok(()) }
    }

    /// L37, L38, L56a: the provider's plan, if it has no errors.
    pub(super) fn ask_plan(&mut self, request: PlanChange, warnings: Warnings) -> Walked<PlanAnswer> {
        let destroys = request.config.is_null();
        let mut answer = self.provider.plan(request);
        if warnings == Warnings::Dropped {
            answer.remarks.retain(|remark| remark.severity == Severity::Error);
        }
        let failed = self.remark(&answer.remarks);
        if failed | self.decoded(&answer.planned, "L39")? {
            return Err(Stop::Error);
        }
        if answer.deferred && self.program.dialect.has_deferrals() {
            return match self.phase {
                Phase::Plan => self.fail(summary::DEFERRED, "L56a"),
                Phase::Apply if destroys => Err(Stop::Deferred),
                Phase::Apply => self.fail(summary::DEFERRED_DURING_APPLY, "A05"),
            };
        }
        Ok(answer)
    }

    /// L39, L40: the planned object, after the checks of its type and its write-only attributes.
    pub(super) fn readable_plan(&mut self, planned: Value) -> Walked<Value> {
        // S73 is defined for values of the schema only, so a value that does not conform is not searched.
        let planned = self.conforming(planned, summary::INVALID_PLAN, "L40")?;
        self.without_write_only(&planned, summary::INVALID_PLAN, "L39")?;
        Ok(planned)
    }

    /// Whether decoding an answer finds write-only values: errors of the call, one for each (`IPR`).
    pub(super) fn decoded(&mut self, value: &Value, rule: &'static str) -> Walked<bool> {
        if !self.program.dialect.decodes_write_only_strictly() || !self.program.conforms(value.ty()) {
            return Ok(false);
        }
        Ok(self.leaks(value, summary::INVALID_RESPONSE, rule)?)
    }

    /// Stops if an answer that was decoded leniently has write-only values.
    pub(super) fn without_write_only(
        &mut self,
        value: &Value,
        summary: &'static str,
        rule: &'static str,
    ) -> Walked<()> {
        if self.program.dialect.decodes_write_only_strictly() || !self.leaks(value, summary, rule)? {
            return Ok(());
        }
        Err(Stop::Error)
    }

    /// Reports each write-only attribute that is not null; returns whether there is one.
    pub(super) fn leaks(
        &mut self,
        value: &Value,
        summary: &'static str,
        rule: &'static str,
    ) -> Result<bool, planfuzz_core::planner::Refusal> {
        let paths = write_only(self.program, value)?;
        let found = !paths.is_empty();
        paths.into_iter().for_each(|path| self.error_at(summary, path, rule));
        Ok(found)
    }

    /// V03: an answer of the type of the schema.
    pub(super) fn conforming(&mut self, value: Value, summary: &'static str, rule: &'static str) -> Walked<Value> {
        if !self.program.conforms(value.ty()) {
            return self.fail(summary, rule);
        }
        Ok(self.adopted(value))
    }

    /// A conforming value with the type of the schema itself where that is its type anyway (V03: without `dynamic`,
    /// conforming is being equal), so that later comparisons of types end at the pointer.
    pub(super) fn adopted(&self, value: Value) -> Value {
        if self.program.root.holds.dynamic {
            return value;
        }
        let (_, node) = value.into_parts();
        Value::from_parts(self.ty().clone(), node)
    }

    /// A value with `marks`, which it had or was configured with, and the marks of the schema (L16, L43, A30).
    pub(super) fn marked(&self, value: Value, marks: &planfuzz_core::value::PathSet) -> Walked<Marked> {
        let of_schema = sensitive(self.program, &value)?;
        if of_schema.is_empty() {
            return Ok(Marked::new(value, marks));
        }
        Ok(Marked::new(value, &of_schema.union(marks)))
    }

    /// Reports violations of plan validity; returns whether there are any.
    pub(super) fn report_invalid(&mut self, violations: &[Violation]) -> bool {
        for violation in violations {
            self.error_at(summary::INVALID_PLAN, (&violation.path).into(), "L41");
        }
        !violations.is_empty()
    }

    /// Reports violations of apply compatibility between two values, by AC10 as to their marks.
    pub(super) fn report_incompatible(
        &mut self,
        violations: &[Violation],
        sides: [&Marked; 2],
        summary: &'static str,
        rule: &'static str,
    ) {
        let marks = sides.map(Marked::sensitive);
        for path in reported_paths(&self.program.root, violations, marks) {
            self.error_at(summary, path, rule);
        }
    }
}

/// The treatment of warnings in an answer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Warnings {
    Kept,
    /// L47: they would repeat.
    Dropped,
}

/// The null of the type that stands for no object (L120, L146).
pub(super) fn nothing() -> Marked {
    Marked::null(Type::Dynamic)
}
