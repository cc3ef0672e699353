//! Renders calls of a provider and its answers.

use planfuzz_core::planner::{
    ApplyAnswer, ApplyChange, Exchange, PlanAnswer, PlanChange, RawState, ReadAnswer, ReadResource, Remark, Severity,
};
use planfuzz_core::state::Private;
use planfuzz_core::value::Value;

use super::{Transcript, indented};
use crate::report::line::{Line, Tone};

/// The indentation of an answer below its call.
const BELOW: usize = 4;

/// Whether a call had no effect: a validation without remarks, an upgrade that changed nothing.
pub(super) fn is_quiet(exchange: &Exchange) -> bool {
    match exchange {
        Exchange::Validate(_, answer) => answer.remarks.is_empty(),
        Exchange::Upgrade(request, answer) => {
            let same = matches!(&request.state, RawState::Value(value) if *value == answer.upgraded);
            same && answer.remarks.is_empty()
        }
        _ => false,
    }
}

/// One line for calls without effect.
pub(super) fn quiet(exchanges: &[Exchange]) -> Line {
    let names: Vec<&str> = exchanges.iter().map(Exchange::name).collect();
    asked(&names.join(", "), "nothing new")
}

impl Transcript<'_> {
    pub(super) fn exchange(&self, exchange: &Exchange) -> Vec<Line> {
        match exchange {
            Exchange::Validate(_, answer) => with_remarks(vec![asked("validate", "")], &answer.remarks),
            Exchange::Upgrade(request, answer) => {
                let mut lines = vec![asked(&format!("upgrade from version {}", request.version), "")];
                match &request.state {
                    RawState::Json(json) => lines.push(Line::of(Tone::Dim, json.to_compact()).indented(BELOW)),
                    RawState::Value(value) => lines.extend(indented(self.value(value), BELOW)),
                }
                lines.push(Line::of(Tone::Dim, "upgraded:").indented(BELOW));
                lines.extend(indented(self.value(&answer.upgraded), BELOW + 2));
                with_remarks(lines, &answer.remarks)
            }
            Exchange::Read(request, answer) => self.read(request, answer),
            Exchange::Plan(request, answer) => self.planned(request, answer),
            Exchange::Apply(request, answer) => self.applied(request, answer),
            Exchange::Import(request, answer) => {
                let mut lines = vec![asked(&format!("import {:?}", request.id.as_str()), "")];
                for (value, private) in &answer.imported {
                    lines.extend(indented(self.value(value), BELOW));
                    lines.extend(private_line(private));
                }
                if answer.imported.is_empty() {
                    lines.push(Line::of(Tone::Dim, "nothing").indented(BELOW));
                }
                with_remarks(lines, &answer.remarks)
            }
            Exchange::ReadData(request, answer) => {
                let mut lines = vec![asked("read data", "")];
                lines.extend(indented(self.difference(&request.config, &answer.state), BELOW));
                with_remarks(lines, &answer.remarks)
            }
        }
    }

    fn read(&self, request: &ReadResource, answer: &ReadAnswer) -> Vec<Line> {
        let mut lines = vec![asked_with("read", &request.private, "")];
        if answer.new_state.is_null() {
            lines.push(Line::of(Tone::Remove, "gone").indented(BELOW));
        } else if request.current == answer.new_state {
            lines.push(Line::of(Tone::Dim, "as stored").indented(BELOW));
        } else {
            lines.extend(indented(self.difference(&request.current, &answer.new_state), BELOW));
        }
        lines.extend(deferral(answer.deferred));
        lines.extend(private_line(&answer.private));
        with_remarks(lines, &answer.remarks)
    }

    fn planned(&self, request: &PlanChange, answer: &PlanAnswer) -> Vec<Line> {
        let mut lines = vec![asked_with("plan", &request.private, "")];
        lines.extend(indented(self.change(&request.prior, &request.proposed), BELOW));
        lines.extend(self.answer("planned", "as proposed", &request.proposed, &answer.planned));
        if !answer.requires_replace.is_empty() {
            let paths: Vec<String> = answer.requires_replace.iter().map(ToString::to_string).collect();
            let text = format!("requires replacement at {}", paths.join(", "));
            lines.push(Line::of(Tone::Change, text).indented(BELOW));
        }
        lines.extend(legacy(answer.legacy_type_system));
        lines.extend(deferral(answer.deferred));
        lines.extend(private_line(&answer.private));
        with_remarks(lines, &answer.remarks)
    }

    fn applied(&self, request: &ApplyChange, answer: &ApplyAnswer) -> Vec<Line> {
        let mut lines = vec![asked_with("apply", &request.private, "")];
        lines.extend(indented(self.change(&request.prior, &request.planned), BELOW));
        match &answer.new_state {
            Some(new_state) => lines.extend(self.answer("now", "as planned", &request.planned, new_state)),
            None => lines.push(Line::of(Tone::Bad, "no answer").indented(BELOW)),
        }
        lines.extend(legacy(answer.legacy_type_system));
        lines.extend(private_line(&answer.private));
        with_remarks(lines, &answer.remarks)
    }

    /// An answer as its difference from the value that was sent.
    fn answer(&self, name: &str, same: &str, sent: &Value, answered: &Value) -> Vec<Line> {
        if sent == answered {
            return vec![Line::of(Tone::Dim, format!("{name}: {same}")).indented(BELOW)];
        }
        let mut lines = vec![Line::of(Tone::Dim, format!("{name}:")).indented(BELOW)];
        lines.extend(indented(self.difference(sent, answered), BELOW + 2));
        lines
    }

    /// The difference of one value from another. The heading of a change is left out: nothing is done to the object.
    fn difference(&self, one: &Value, other: &Value) -> Vec<Line> {
        match (one.is_null(), other.is_null()) {
            (_, true) => vec![Line::of(Tone::Dim, "null")],
            (true, false) => self.value(other),
            (false, false) => {
                let change = self.change(one, other);
                let skipped = usize::from(change.first().is_some_and(|line| line.text() == "~ update in-place"));
                change[skipped..].to_vec()
            }
        }
    }
}

fn asked(call: &str, verdict: &str) -> Line {
    asked_with(call, &Private::NONE, verdict)
}

fn asked_with(call: &str, private: &Private, verdict: &str) -> Line {
    let private = if private.is_none() { String::new() } else { format!("  with {}", bytes(private)) };
    let verdict = if verdict.is_empty() { String::new() } else { format!("  {verdict}") };
    Line::of(Tone::Plain, format!("→ {call}")).with(Tone::Dim, private).with(Tone::Dim, verdict)
}

fn bytes(private: &Private) -> String {
    format!("\"{}\"", private.as_bytes().escape_ascii())
}

fn private_line(private: &Private) -> Option<Line> {
    let line = || Line::of(Tone::Dim, format!("private {}", bytes(private))).indented(BELOW);
    (!private.is_none()).then(line)
}

fn legacy(is_legacy: bool) -> Option<Line> {
    is_legacy.then(|| Line::of(Tone::Change, "of the legacy type system").indented(BELOW))
}

fn deferral(is_deferred: bool) -> Option<Line> {
    is_deferred.then(|| Line::of(Tone::Change, "deferred").indented(BELOW))
}

fn with_remarks(mut lines: Vec<Line>, remarks: &[Remark]) -> Vec<Line> {
    lines.extend(remarks.iter().map(|remark| {
        let (tone, word) = match remark.severity {
            Severity::Error => (Tone::Bad, "error"),
            Severity::Warning => (Tone::Change, "warning"),
        };
        Line::of(tone, format!("{word}: {}", remark.summary.as_str())).indented(BELOW)
    }));
    lines
}
