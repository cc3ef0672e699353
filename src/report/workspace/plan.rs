//! Renders a plan of a workspace in the form that users of Terraform know.

use planfuzz_core::plans::{Action, ActionReason, AddressedChange, Importing, OutputChange};
use planfuzz_workspace::{CheckEntry, Plan, Status, Workspace};

use crate::report::answer::Detail;
use crate::report::line::{Line, Tone};
use crate::report::write::change;

/// The plan.
pub(super) fn plan(plan: &Plan, workspace: &Workspace) -> Vec<Line> {
    let mut lines = vec![Line::of(Tone::Heading, "plan")];
    let inside = |lines: Vec<Line>| lines.into_iter().map(|line| line.indented(2));
    // An object that was only moved is drift too, but is reported with the changes.
    for drift in sorted(&plan.drift).into_iter().filter(|drift| drift.action() != Action::NoOp) {
        let what = if drift.action() == Action::Delete { "is gone" } else { "has changed" };
        let head = Line::of(Tone::Change, format!("# {} {what} outside", drift.addr));
        lines.extend(inside(of_change(drift, workspace, head)));
    }
    let mut unchanged = 0;
    for planned in sorted(&plan.changes) {
        match is_nothing(planned) {
            true => unchanged += 1,
            false => lines.extend(inside(of_change(planned, workspace, heading(planned)))),
        }
    }
    if unchanged > 0 {
        lines.push(Line::of(Tone::Dim, format!("# {unchanged} without change")).indented(2));
    }
    lines.push(summary(plan).indented(2));
    lines.extend(inside(plan.outputs.iter().filter_map(output).collect()));
    lines.extend(inside(plan.checks.0.values().filter_map(check).collect()));
    let flags = [(plan.errored, "made with errors"), (!plan.complete, "not complete")];
    lines.extend(
        flags
            .into_iter()
            .filter(|(is_so, _)| *is_so)
            .map(|(_, text)| Line::of(Tone::Change, format!("The plan is {text}.")).indented(2)),
    );
    lines
}

fn sorted(changes: &[AddressedChange]) -> Vec<&AddressedChange> {
    let mut changes: Vec<&AddressedChange> = changes.iter().collect();
    changes.sort_by_cached_key(|change| (change.addr.to_string(), change.deposed().map(|key| key.as_str().to_owned())));
    changes
}

fn is_nothing(change: &AddressedChange) -> bool {
    let planned = &change.planned;
    planned.change.action == Action::NoOp && planned.moved_from.is_none() && planned.change.importing.is_none()
}

/// The planned action, as in the comment above a change.
fn heading(change: &AddressedChange) -> Line {
    let planned = &change.planned;
    let (tone, words) = match planned.change.action {
        Action::NoOp => (Tone::Plain, "stays as it is"),
        Action::Create => (Tone::Add, "will be created"),
        Action::Read => (Tone::Add, "will be read during apply"),
        Action::Update => (Tone::Change, "will be updated in-place"),
        Action::DeleteThenCreate | Action::CreateThenDelete => (Tone::Change, "must be replaced"),
        Action::Delete => (Tone::Remove, "will be destroyed"),
        Action::Forget => (Tone::Change, "will no longer be managed, and not be destroyed"),
        Action::CreateThenForget | Action::ForgetThenCreate => {
            (Tone::Change, "will be replaced and the old object forgotten")
        }
    };
    let deposed = change.deposed().map_or(String::new(), |key| format!(" (deposed object {})", key.as_str()));
    let mut line = Line::of(tone, format!("# {}{deposed} {words}", change.addr));
    if let Some(before) = &planned.moved_from {
        line = line.with(Tone::Plain, format!(", moved from {before}"));
    }
    match &planned.change.importing {
        None => {}
        Some(Importing::Id(id)) => line = line.with(Tone::Plain, format!(", imported by {:?}", id.as_str())),
        Some(_) => line = line.with(Tone::Plain, ", imported"),
    }
    if planned.reason != ActionReason::None {
        line = line.with(Tone::Dim, format!("  ({})", planned.reason.name().replace('_', " ")));
    }
    line
}

fn sign(action: Action) -> (Tone, &'static str) {
    match action {
        Action::NoOp => (Tone::Dim, " "),
        Action::Create => (Tone::Add, "+"),
        Action::Read => (Tone::Add, "<="),
        Action::Update => (Tone::Change, "~"),
        Action::DeleteThenCreate => (Tone::Change, "-/+"),
        Action::CreateThenDelete => (Tone::Change, "+/-"),
        Action::Delete => (Tone::Remove, "-"),
        Action::Forget => (Tone::Change, "."),
        Action::CreateThenForget => (Tone::Change, "+/."),
        Action::ForgetThenCreate => (Tone::Change, "./+"),
    }
}

fn of_change(of: &AddressedChange, workspace: &Workspace, head: Line) -> Vec<Line> {
    let resource = &of.addr.resource;
    let (tone, sign) = sign(of.planned.change.action);
    let word = match resource.mode {
        planfuzz_core::address::ResourceMode::Data => "data",
        planfuzz_core::address::ResourceMode::Ephemeral => "ephemeral",
        planfuzz_core::address::ResourceMode::Managed => "resource",
    };
    let block = format!("{sign} {word} \"{}\" \"{}\" {{", resource.type_name, resource.name);
    let mut lines = vec![head, Line::of(tone, block)];
    let provider = workspace.schemas.provider(&of.provider.source.to_string());
    let schema = provider.and_then(|provider| provider.types.get(&(resource.mode, resource.type_name.clone())));
    let inner = &of.planned.change;
    match schema {
        Some(schema) => {
            let written = change(schema, inner.before.value(), inner.after.value(), Detail::Changes);
            // The heading is left out: the line above has the action.
            lines.extend(written.into_iter().skip(1).map(|line| line.indented(4)));
        }
        None => lines.push(Line::of(Tone::Dim, "(no schema)").indented(4)),
    }
    if !of.planned.required_replace.is_empty() {
        let paths = of.planned.required_replace.texts().join(", ");
        lines.push(Line::of(Tone::Change, format!("# forces replacement: {paths}")).indented(4));
    }
    if !inner.after.sensitive().is_empty() {
        let paths = inner.after.sensitive().texts().join(", ");
        lines.push(Line::of(Tone::Dim, format!("# sensitive: {paths}")).indented(4));
    }
    lines.push(Line::of(tone, "}").indented(2));
    lines
}

fn summary(plan: &Plan) -> Line {
    let tone = if plan.applyable || plan.errored { Tone::Plain } else { Tone::Good };
    Line::of(tone, plan_summary(plan))
}

/// How many are added, changed, destroyed, in a sentence.
pub fn plan_summary(plan: &Plan) -> String {
    let (mut add, mut change, mut destroy, mut import, mut forget) = (0, 0, 0, 0, 0);
    for planned in plan.changes.iter().map(|change| &change.planned.change) {
        import += usize::from(planned.importing.is_some());
        match planned.action {
            Action::Create => add += 1,
            Action::Update => change += 1,
            Action::Delete => destroy += 1,
            Action::DeleteThenCreate | Action::CreateThenDelete => {
                add += 1;
                destroy += 1;
            }
            Action::Forget => forget += 1,
            Action::CreateThenForget | Action::ForgetThenCreate => {
                add += 1;
                forget += 1;
            }
            Action::NoOp | Action::Read => {}
        }
    }
    if !plan.applyable && !plan.errored {
        return "No changes: there is nothing to apply.".to_owned();
    }
    let first = if import > 0 { format!("{import} to import, ") } else { String::new() };
    let last = if forget > 0 { format!(", {forget} to forget") } else { String::new() };
    format!("Plan: {first}{add} to add, {change} to change, {destroy} to destroy{last}.")
}

/// The unknown value in JSON.
const UNKNOWN: &str = r#"{"$unknown":true}"#;

fn output(output: &OutputChange) -> Option<Line> {
    let change = output.change();
    let (tone, sign) = match change.action {
        Action::NoOp => return None,
        action => sign(action),
    };
    let written = |value: &planfuzz_core::value::Value| match output.sensitive() {
        _ if value.is_unknown() => "(known after apply)".to_owned(),
        true => "(sensitive value)".to_owned(),
        false => value.to_json(value.ty()).to_compact().replace(UNKNOWN, "(known after apply)"),
    };
    let (before, after) = (written(change.before.value()), written(change.after.value()));
    let text = match change.action {
        Action::Create => format!("{sign} output {} = {after}", output.addr().name),
        Action::Delete => format!("{sign} output {} = {before} -> null", output.addr().name),
        _ => format!("{sign} output {} = {before} -> {after}", output.addr().name),
    };
    Some(Line::of(tone, text))
}

/// A check that does not pass.
fn check(entry: &CheckEntry) -> Option<Line> {
    let (tone, words) = match entry.status() {
        Status::Pass => return None,
        Status::Unknown => (Tone::Dim, "is not known before the apply"),
        Status::Fail => (Tone::Bad, "fails"),
        Status::Error => (Tone::Bad, "cannot be evaluated"),
    };
    Some(Line::of(tone, format!("check: {} {words}", entry.address())))
}
