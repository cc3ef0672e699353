//! Renders a case: its purpose, its schema and its inputs.

use planfuzz_core::planner::Request;
use planfuzz_core::schema::Schema;

use super::line::{Line, Tone};
use super::outline::outline;
use super::transcript::Transcript;
use super::workspace;
use super::write::value;
use crate::case::{Call, Case, ProviderCall, Task};

/// A case: purpose, dialect and operation, schema and inputs.
pub fn case(case: &Case) -> Vec<Line> {
    let mut lines = Vec::new();
    if !case.purpose.is_empty() {
        lines.push(Line::of(Tone::Plain, &case.purpose));
    }
    let op = match &case.task {
        Task::Merge(_) => "merge",
        Task::Call(call) => call.op().name(),
    };
    lines.push(Line::of(Tone::Dim, format!("{op} in {}", case.dialect)));
    lines.extend(inputs(case));
    lines
}

/// The schema and the inputs of a case.
pub fn inputs(case: &Case) -> Vec<Line> {
    let (schema, request) = match &case.task {
        Task::Merge(merge) => {
            let values = [
                ("prior", &merge.prior),
                ("config", &merge.config),
                ("planned", &merge.planned),
                ("actual", &merge.actual),
            ];
            return with_values(&merge.schema, &values);
        }
        Task::Call(Call::Merge(call)) => (call.schema(), call.request()),
        Task::Call(Call::Scenario(scenario)) => {
            let mut lines = with_values(&scenario.schema, &[]);
            lines.extend(Transcript::new(&scenario.schema, case.dialect).start(scenario));
            return lines;
        }
        Task::Call(Call::Workspace(case)) => return workspace::start(case),
        Task::Call(Call::Provider(call)) if call.provider().is_some() => return of_provider(call, case),
        Task::Call(call) => return members(call, case),
    };
    match request {
        Request::ProposedNew { prior, config } => with_values(schema, &[("prior", prior), ("config", config)]),
        Request::PlannedDataResource { config } => with_values(schema, &[("config", config)]),
        Request::AssertPlanValid { prior, config, planned } => {
            with_values(schema, &[("prior", prior), ("config", config), ("planned", planned)])
        }
        Request::AssertObjectCompatible { planned, actual } => {
            with_values(schema, &[("planned", planned), ("actual", actual)])
        }
        Request::NormalizeLegacy { value } | Request::PrepareComputedBlocks { value } => {
            with_values(schema, &[("value", value)])
        }
    }
}

fn with_values(schema: &Schema, values: &[(&str, &planfuzz_core::value::Value)]) -> Vec<Line> {
    let mut lines = section("schema", outline(schema));
    for (name, of) in values {
        lines.extend(section(name, value(schema, of)));
    }
    lines
}

/// A provider: schema and values rendered, rules as in the file.
fn of_provider(call: &ProviderCall, case: &Case) -> Vec<Line> {
    let Some(provider) = call.provider() else { return Vec::new() };
    let values = call.values();
    let shown = |name: &str| name == "op" || name == "schema" || values.iter().any(|(of, _)| *of == name);
    let rest = Call::Provider(call.clone()).members(case.dialect).into_iter().filter(|(name, _)| !shown(name));
    let rest = rest.flat_map(|(name, json)| section(name, vec![Line::of(Tone::Plain, json.to_compact())]));
    with_values(&provider.schema, &values).into_iter().chain(rest).collect()
}

/// The inputs of an operation on values or schemas, as in the file.
fn members(call: &Call, case: &Case) -> Vec<Line> {
    let members = call.members(case.dialect).into_iter().filter(|(name, _)| *name != "op");
    members.flat_map(|(name, json)| section(name, vec![Line::of(Tone::Plain, json.to_compact())])).collect()
}

fn section(heading: &str, lines: Vec<Line>) -> Vec<Line> {
    let heading = [Line::empty(), Line::of(Tone::Heading, heading)];
    heading.into_iter().chain(lines.into_iter().map(|line| line.indented(2))).collect()
}
