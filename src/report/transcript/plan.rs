//! Renders a plan.

use planfuzz_core::planner::{Drift, Plan};
use planfuzz_core::plans::{Action, ActionReason, Importing, Marked, ResourceInstanceChange};

use super::{Transcript, diagnostics, indented};
use crate::report::line::{Line, Tone};

impl Transcript<'_> {
    /// The changes made outside, the planned changes, errors and warnings.
    pub(super) fn plan(&self, plan: &Plan) -> Vec<Line> {
        let mut lines = vec![Line::of(Tone::Heading, "plan")];
        lines.extend(plan.drift.iter().flat_map(|drift| self.drift(drift)));
        lines.extend(plan.changes.iter().flat_map(|change| self.resource_change(change)));
        if plan.changes.is_empty() {
            lines.push(Line::of(Tone::Dim, "no change recorded"));
        }
        lines.extend(diagnostics(&plan.diagnostics));
        // Of an engine the flag is not seen: it is false whatever changes.
        let is_seen = plan.is_errored() || plan.changes.iter().all(ResourceInstanceChange::is_empty);
        if !plan.applyable && is_seen {
            lines.push(Line::of(Tone::Dim, "nothing to apply"));
        }
        lines
    }

    fn drift(&self, drift: &Drift) -> Vec<Line> {
        let mut lines = vec![Line::of(Tone::Change, "changed outside")];
        lines.extend(indented(self.marked_change(&drift.before, &drift.after), 2));
        lines
    }

    fn resource_change(&self, change: &ResourceInstanceChange) -> Vec<Line> {
        let mut lines = vec![heading(change)];
        let inner = &change.change;
        if inner.action != Action::NoOp {
            lines.extend(indented(self.marked_change(&inner.before, &inner.after), 2));
        }
        if !change.required_replace.is_empty() {
            let text = format!("forces replacement: {}", change.required_replace.texts().join(", "));
            lines.push(Line::of(Tone::Change, text).indented(2));
        }
        if !change.private.is_none() {
            let text = format!("private \"{}\"", change.private.as_bytes().escape_ascii());
            lines.push(Line::of(Tone::Dim, text).indented(2));
        }
        lines
    }

    fn marked_change(&self, before: &Marked, after: &Marked) -> Vec<Line> {
        let mut lines = self.change(before.value(), after.value());
        // The heading is left out: the line above has the action.
        if !lines.is_empty() {
            lines.remove(0);
        }
        for (name, marked) in [("before", before), ("after", after)] {
            if !marked.sensitive().is_empty() {
                let text = format!("sensitive {name}: {}", marked.sensitive().texts().join(", "));
                lines.push(Line::of(Tone::Dim, text));
            }
        }
        lines
    }
}

fn heading(change: &ResourceInstanceChange) -> Line {
    let (tone, text) = match change.change.action {
        Action::NoOp => (Tone::Dim, "no change"),
        Action::Create => (Tone::Add, "+ create"),
        Action::Read => (Tone::Add, "<= read (data resources)"),
        Action::Update => (Tone::Change, "~ update in-place"),
        Action::DeleteThenCreate => (Tone::Remove, "-/+ destroy and then create replacement"),
        Action::CreateThenDelete => (Tone::Add, "+/- create replacement and then destroy"),
        Action::Delete => (Tone::Remove, "- destroy"),
        Action::Forget => (Tone::Change, ". forget"),
        Action::CreateThenForget => (Tone::Add, "+/. create replacement and then forget"),
        Action::ForgetThenCreate => (Tone::Change, "./+ forget and then create replacement"),
    };
    let mut line = Line::of(tone, text);
    if let Some(key) = &change.deposed {
        line = line.with(Tone::Plain, format!(" of the deposed object {}", key.as_str()));
    }
    if let Some(address) = &change.moved_from {
        line = line.with(Tone::Plain, format!(", moved from {}", address.as_str()));
    }
    if let Some(importing) = &change.change.importing {
        let what = match importing {
            Importing::Id(id) => format!("{:?}", id.as_str()),
            Importing::Unknown => "by an id that is not known yet".to_owned(),
            Importing::Identity { .. } => "by an identity".to_owned(),
        };
        line = line.with(Tone::Plain, format!(", importing {what}"));
    }
    if change.reason != ActionReason::None {
        line = line.with(Tone::Dim, format!("  ({})", change.reason.name().replace('_', " ")));
    }
    line
}
