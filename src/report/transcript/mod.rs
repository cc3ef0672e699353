//! Renders runs of scenarios step by step: calls and answers, the plan, the saved state.

mod exchange;
mod plan;
mod saved;
mod trace;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{ApplyWalk, Diagnostic, Exchange, PlanWalk, Severity};
use planfuzz_core::schema::Schema;
use planfuzz_core::state::InstanceState;
use planfuzz_core::value::{Type, Value};

use super::answer::Detail;
use super::line::{Line, Tone};
use super::write;

/// Renders walks over one schema.
pub struct Transcript<'s> {
    schema: &'s Schema,
    implied: Type,
}

impl<'s> Transcript<'s> {
    /// Reports over a schema.
    pub fn new(schema: &'s Schema, dialect: Dialect) -> Transcript<'s> {
        Transcript { schema, implied: schema.implied_type(dialect) }
    }

    /// A plan walk: the calls, then the plan.
    pub fn plan_walk(&self, walk: &PlanWalk) -> Vec<Line> {
        let mut lines = self.exchanges(&walk.exchanges);
        lines.extend(self.plan(&walk.plan));
        lines
    }

    /// An apply walk: the calls, then the saved state as a change of the one that was stored before the step.
    pub fn apply_walk(&self, walk: &ApplyWalk, stored: &InstanceState) -> Vec<Line> {
        let mut lines = vec![Line::of(Tone::Heading, "apply")];
        lines.extend(self.exchanges(&walk.exchanges));
        lines.extend(diagnostics(&walk.applied.diagnostics));
        lines.extend(self.saved(stored, &walk.applied.state));
        lines
    }

    /// Calls in order; a row of calls without effect on one line.
    fn exchanges(&self, exchanges: &[Exchange]) -> Vec<Line> {
        let runs = exchanges.chunk_by(|one, next| exchange::is_quiet(one) && exchange::is_quiet(next));
        let run = |run: &[Exchange]| match run {
            [first, ..] if exchange::is_quiet(first) => vec![exchange::quiet(run)],
            others => others.iter().flat_map(|exchange| self.exchange(exchange)).collect(),
        };
        runs.flat_map(run).collect()
    }

    /// The change from one value to another; both values as JSON if one is not of the schema's type.
    fn change(&self, before: &Value, after: &Value) -> Vec<Line> {
        match [before, after].iter().find(|value| !value.ty().conforms_to(&self.implied)) {
            None => write::change(self.schema, before, after, Detail::Changes),
            Some(_) => [before, after].map(|value| Line::of(Tone::Plain, typed(value))).to_vec(),
        }
    }

    /// A value; as JSON if it is not of the schema's type.
    fn value(&self, value: &Value) -> Vec<Line> {
        if value.ty().conforms_to(&self.implied) {
            return write::value(self.schema, value);
        }
        vec![Line::of(Tone::Plain, typed(value))]
    }
}

/// A value that is not of the schema's type.
fn typed(value: &Value) -> String {
    let (json, ty) = (value.to_json(value.ty()), value.ty().to_json());
    format!("{} of the type {}", json.to_compact(), ty.to_compact())
}

fn indented(lines: Vec<Line>, columns: usize) -> impl Iterator<Item = Line> {
    lines.into_iter().map(move |line| line.indented(columns))
}

/// Errors and warnings in the order of their texts, since planners are free in their order.
fn diagnostics(diagnostics: &[Diagnostic]) -> Vec<Line> {
    let line = |diagnostic: &Diagnostic| {
        let (tone, word) = match diagnostic.severity {
            Severity::Error => (Tone::Bad, "error"),
            Severity::Warning => (Tone::Change, "warning"),
        };
        let place = if diagnostic.path.is_root() { String::new() } else { format!(" at {}", diagnostic.path) };
        let rule = if diagnostic.rule.is_empty() { String::new() } else { format!("  ({})", diagnostic.rule) };
        Line::of(tone, format!("{word}: {}{place}", diagnostic.summary)).with(Tone::Dim, rule)
    };
    let mut lines: Vec<Line> = diagnostics.iter().map(line).collect();
    lines.sort_by_key(Line::text);
    lines
}
