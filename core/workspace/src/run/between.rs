//! The differences between two recorded runs of the same workspace and command, one line each.
//!
//! Calls are compared as multisets: an order allows many schedules, so that those of two runs need not agree.

use std::collections::BTreeMap;

use planfuzz_core::json::Json;

use crate::canonical::canonical;

use super::compare::{Difference, Kind, part, push, without_identity};
use super::keys::with_known_keys;
use super::read::Recorded;
use super::render::recorded_diagnostic;

impl Recorded {
    /// The differences of another recording of the same workspace and command.
    pub fn differences(&self, other: &Recorded) -> Vec<Difference> {
        let mut found = Vec::new();
        for (phase, name) in ["plan", "apply"].into_iter().enumerate() {
            self.calls(other, phase, name, &mut found);
            self.diagnostics(other, name, &mut found);
        }
        self.plan(other, &mut found);
        let state = |of: &Recorded| without_identity(&with_known_keys(of.wanted("state"), &self.state));
        part("state", Kind::State, &state(self), &state(other), &mut found);
        for (name, kind) in [("raised", Kind::Raised), ("exit", Kind::Exit)] {
            part(name, kind, self.wanted(name), other.wanted(name), &mut found);
        }
        found
    }

    fn wanted(&self, name: &str) -> &Json {
        self.want.member(name).unwrap_or(&Json::Null)
    }

    fn calls(&self, other: &Recorded, phase: usize, name: &str, found: &mut Vec<Difference>) {
        let mut counts: BTreeMap<&str, i64> = BTreeMap::new();
        self.exchanges[phase].iter().for_each(|one| *counts.entry(&one.key).or_default() += 1);
        other.exchanges[phase].iter().for_each(|one| *counts.entry(&one.key).or_default() -= 1);
        for (key, count) in counts {
            let (kind, text) = match count {
                0 => continue,
                1.. => (Kind::MissingCall, format!("{name}: {count} calls fewer of {key}")),
                _ => (Kind::ExtraCall, format!("{name}: {} calls more of {key}", -count)),
            };
            push(found, kind, text);
        }
    }

    fn diagnostics(&self, other: &Recorded, phase: &str, found: &mut Vec<Difference>) {
        let sorted = |of: &Recorded| {
            let all = of.wanted("diagnostics").member(phase).and_then(|all| all.expect_array().ok());
            let mut all: Vec<String> = all.unwrap_or_default().iter().map(recorded_diagnostic).collect();
            all.sort();
            all
        };
        let (want, got) = (sorted(self), sorted(other));
        if want != got {
            let text = format!("{phase}: recorded are {}, found {}", want.join("; "), got.join("; "));
            push(found, Kind::Diagnostics, text);
        }
    }

    fn plan(&self, other: &Recorded, found: &mut Vec<Difference>) {
        let (want, got) = (self.wanted("plan"), other.wanted("plan"));
        if (*want == Json::Null) != (*got == Json::Null) {
            let text = if *want == Json::Null { "recorded is no plan" } else { "recorded is a plan" };
            return push(found, Kind::Plan, text.to_owned());
        }
        let has_both = [want, got].iter().all(|plan| plan.member("relevant").is_some());
        for (name, kind) in has_both.then_some(("relevant", Kind::Relevant)).into_iter().chain([
            ("changes", Kind::Changes),
            ("drift", Kind::Drift),
            ("outputs", Kind::Outputs),
            ("checks", Kind::Checks),
            ("applyable", Kind::Flags),
            ("complete", Kind::Flags),
            ("errored", Kind::Flags),
        ]) {
            let sorted = |of: &Json| canonical(&Json::object([(name, of.member(name).cloned().unwrap_or(Json::Null))]));
            part(name, kind, &sorted(want), &sorted(got), found);
        }
    }
}
