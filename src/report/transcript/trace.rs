//! Renders the run of a scenario: each step with the events before it, its command and its result.

use planfuzz_core::json::Json;
use planfuzz_core::planner::Presence;
use planfuzz_core::state::InstanceState;
use planfuzz_pipelines::model::Style;

use super::{Transcript, indented};
use crate::case::lifecycle::Form;
use crate::report::line::{Line, Tone};
use crate::scenario::{Command, NoAnswer, Outside, Scenario, Step, Stopped, Trace};

impl Transcript<'_> {
    /// The situation at the start: the provider, and the stored object.
    pub fn start(&self, scenario: &Scenario) -> Vec<Line> {
        let mut lines = vec![Line::empty(), Line::of(Tone::Heading, "provider")];
        if let Style::Sdk { schema, .. } = &scenario.model.style {
            lines.push(Line::of(Tone::Plain, "sdk_schema:").indented(2));
            lines.extend(members(&schema.to_json()).map(|line| line.indented(4)));
        }
        lines.extend(members(&scenario.model.to_json()).map(|line| line.indented(2)));
        if !scenario.state.is_absent() {
            let stored = self.saved(&InstanceState::ABSENT, &scenario.state);
            lines.extend([Line::empty(), Line::of(Tone::Heading, "stored")]);
            // Without the heading of a saved state.
            lines.extend(indented(stored[1..].to_vec(), 2));
        }
        lines
    }

    /// A run, step by step.
    pub fn run(&self, scenario: &Scenario, run: &Trace) -> Vec<Line> {
        let mut lines = Vec::new();
        let before = std::iter::once(None).chain(scenario.steps.iter().map(Some));
        for (index, (step, before)) in scenario.steps.iter().zip(before).enumerate() {
            let (trace, stopped) = (run.steps.get(index), run.stopped.as_ref());
            if trace.is_none() && (stopped.is_none() || index > run.steps.len()) {
                break;
            }
            lines.extend(self.heading(index, step, before));
            match (trace, stopped) {
                (Some(trace), _) => {
                    lines.extend(indented(self.plan_walk(&trace.plan), 2));
                    if let Some(apply) = &trace.apply {
                        lines.extend(self.known_since(step));
                        lines.extend(indented(self.apply_walk(apply, &trace.plan.request.state), 2));
                    }
                }
                (None, Some(stopped)) => lines.extend(indented(self.stopped(stopped), 2)),
                (None, None) => {}
            }
        }
        lines
    }

    fn heading(&self, index: usize, step: &Step, before: Option<&Step>) -> Vec<Line> {
        let command = match &step.command {
            Command::Plan => "plan".to_owned(),
            Command::Apply => "apply".to_owned(),
            Command::Refresh => "refresh".to_owned(),
            Command::Destroy => "destroy".to_owned(),
            Command::Import { id } => format!("import {:?}", id.as_str()),
        };
        let mut lines = vec![Line::of(Tone::Heading, format!("step {}: {command}", index + 1))];
        lines.extend(step.outside.iter().map(|outside| self.outside(outside).indented(2)));
        let options = step.options.to_form(&self.implied);
        if !matches!(&options, Json::Object(members) if members.is_empty()) {
            lines.push(Line::of(Tone::Plain, format!("with {}", options.to_compact())).indented(2));
        }
        let is_new =
            before.is_none_or(|before| before.presence.to_form(&self.implied) != step.presence.to_form(&self.implied));
        if is_new {
            lines.extend(indented(self.presence(&step.presence), 2));
        }
        lines
    }

    fn outside(&self, outside: &Outside) -> Line {
        let text = match outside {
            Outside::Vanish => "the remote object vanishes".to_owned(),
            Outside::Taint => "the user taints the object".to_owned(),
            Outside::Untaint => "the user takes the taint back".to_owned(),
            Outside::Appear(value) => {
                format!("a remote object appears: {}", value.to_json(&self.implied).to_compact())
            }
            Outside::Drift { path, value } => {
                format!("the remote object drifts: {path} = {}", value.to_json(value.ty()).to_compact())
            }
        };
        Line::of(Tone::Change, text)
    }

    /// The configuration rendered, all other members as in files.
    fn presence(&self, presence: &Presence) -> Vec<Line> {
        let Presence::Configured(configured) = presence else {
            return vec![Line::of(Tone::Plain, format!("not configured: {}", self.form(presence)))];
        };
        let mut lines = indented(self.value(configured.config.value()), 2).collect::<Vec<_>>();
        let facts = match presence.to_form(&self.implied) {
            Json::Object(members) => members.into_iter().filter(|(name, _)| **name != *"config").collect(),
            _ => Vec::new(),
        };
        lines.extend(facts.iter().map(|(name, json)| Line::of(Tone::Plain, format!("{name}: {}", json.to_compact()))));
        lines.insert(0, Line::of(Tone::Dim, "configured"));
        lines
    }

    /// The configuration at the apply, if the step has another one.
    fn known_since(&self, step: &Step) -> Vec<Line> {
        let Some(at_apply) = &step.at_apply else { return Vec::new() };
        let mut lines = vec![Line::of(Tone::Dim, "by now").indented(2)];
        lines.extend(indented(self.presence(at_apply), 2).skip(1));
        lines
    }

    fn form(&self, presence: &Presence) -> String {
        presence.to_form(&self.implied).to_compact()
    }

    /// A step in which the run ended.
    fn stopped(&self, stopped: &Stopped) -> Vec<Line> {
        let mut lines = stopped.plan.as_ref().map(|walk| self.plan_walk(walk)).unwrap_or_default();
        lines.extend(self.exchanges(&stopped.exchanges));
        let (tone, text) = match &stopped.halt {
            NoAnswer::Refused(message) => (Tone::Change, format!("refused: {message}")),
            NoAnswer::Crashed { site, message } => (Tone::Bad, format!("crashed at {site}: {message}")),
            NoAnswer::LeftOut(reason) => (Tone::Dim, format!("not asked: {reason}")),
            NoAnswer::OverBudget { limit } => (Tone::Bad, format!("no answer within {} ms", limit.as_millis())),
        };
        lines.push(Line::of(tone, format!("{} walk {text}", stopped.walk.name())));
        lines
    }
}

/// The members of an object, a line each.
fn members(json: &Json) -> impl Iterator<Item = Line> {
    let members = match json {
        Json::Object(members) => members.as_slice(),
        _ => &[],
    };
    let line = |(name, json): &(Box<str>, Json)| Line::of(Tone::Plain, format!("{name}: {}", json.to_compact()));
    members.iter().map(line).collect::<Vec<_>>().into_iter()
}
