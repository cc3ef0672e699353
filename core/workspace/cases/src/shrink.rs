//! Minimizes a case while it still shows the same.
//!
//! Problem: a generated case has twenty blocks, and two show it. Idea: any member or element of a document can be taken out, from the
//! outside in: steps, files, blocks, arguments, stored objects; then plain values replace references, and repetitions become single; and
//! while more than two steps are left, the state that the first one stores becomes the beginning of the case. Every attempt that still
//! shows the same is kept. Bound: a number of attempts, since each may cost a run of an engine.

use planfuzz_core::json::Json;
use planfuzz_workspace::WorkspacePlanner;

use crate::case::{Case, edited};
use crate::merge::Question;
use crate::parts::{at, count, name_at, replaced, without};
use crate::play::play;

/// Members that are never taken out: without them there is no case, or no block.
const KEPT: [&str; 8] = ["op", "dialect", "providers", "models", "source", "version", "mode", "type"];

/// How many steps a case has that needs no state.
const STEPS: usize = 2;

/// The smallest case found that still shows what `shows` looks for, in at most so many attempts. `planner` computes the state that a step
/// stores.
pub fn shrink(
    case: &Case,
    attempts: usize,
    planner: &dyn WorkspacePlanner,
    shows: &mut dyn FnMut(&Case) -> bool,
) -> Case {
    let mut shrinker = Shrinker { best: case.to_json(), left: attempts, shows };
    loop {
        shrinker.reduce();
        let Ok(best) = Case::from_json(&shrinker.best) else { return case.clone() };
        let later = (best.steps.len() > STEPS).then(|| begun_later(&best, planner)).flatten();
        if !later.is_some_and(|later| shrinker.attempt(later.to_json())) {
            return best;
        }
    }
}

/// The case from its second step on, with the first step's result as its initial state.
fn begun_later(case: &Case, planner: &dyn WorkspacePlanner) -> Option<Case> {
    let (first, rest) = case.steps.split_first()?;
    let mut later = Case { steps: vec![first.clone()], ..case.clone() };
    let played = play(&later, planner).ok()?;
    let left = played.steps.first()?;
    let mut question = Question::of(case, left).ok()?;
    if let Some(applied) = &left.applied {
        let (schemas, dialect) = (&left.workspace.schemas, left.workspace.dialect);
        question.state = applied.state.to_json(schemas, dialect).ok()?;
    }
    edited(&mut later.files, first);
    let state = Some(question.state).filter(|state| *state != Json::Null);
    Some(Case { state, steps: rest.to_vec(), ..later })
}

struct Shrinker<'s> {
    best: Json,
    left: usize,
    shows: &'s mut dyn FnMut(&Case) -> bool,
}

impl Shrinker<'_> {
    /// Whether a document is a case that shows it; if so, it becomes the best.
    fn attempt(&mut self, json: Json) -> bool {
        let Some(left) = self.left.checked_sub(1) else { return false };
        let Ok(case) = Case::from_json(&json) else { return false };
        self.left = left;
        if !(self.shows)(&case) {
            return false;
        }
        self.best = json;
        true
    }

    fn reduce(&mut self) {
        loop {
            let size = self.best.to_compact().len();
            self.take_out(&mut Vec::new());
            self.make_plain(&mut Vec::new());
            if self.left == 0 || self.best.to_compact().len() >= size {
                return;
            }
        }
    }

    /// Takes out parts below a place: first a whole part; if that fails, the parts in it.
    fn take_out(&mut self, place: &mut Vec<usize>) {
        let Some(part) = at(&self.best, place) else { return };
        let mut index = count(part);
        while index > 0 && self.left > 0 {
            index -= 1;
            place.push(index);
            let is_kept = place.len() == 1 && !matches!(name_at(&self.best, place), Some("state" | "purpose"))
                || name_at(&self.best, place).is_some_and(|name| KEPT.contains(&name));
            let taken = !is_kept && without(&self.best, place).is_some_and(|json| self.attempt(json));
            let is_model = place.len() == 1 && name_at(&self.best, place).is_some_and(|name| KEPT.contains(&name));
            if !taken && !is_model {
                self.take_out(place);
            }
            place.pop();
        }
    }

    /// Puts plain values in the place of references.
    fn make_plain(&mut self, place: &mut Vec<usize>) {
        let Some(part) = at(&self.best, place) else { return };
        let plain = match part {
            Json::String(text) if text.contains("${") => Some(Json::string("a")),
            Json::Number(text) if &**text != "1" && place.len() > 2 => Some(Json::int(1)),
            _ => None,
        };
        if let Some(plain) = plain {
            let json = replaced(&self.best, place, &plain);
            self.attempt(json);
            return;
        }
        for index in 0..count(part) {
            place.push(index);
            let is_model = place.len() == 1 && name_at(&self.best, place).is_some_and(|name| KEPT.contains(&name));
            if self.left > 0 && !is_model {
                self.make_plain(place);
            }
            place.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use planfuzz_workspace::{Applied, Plan, Planned, Providers, Workspace};

    use super::*;

    /// A planner that plans nothing.
    struct Idle;

    impl WorkspacePlanner for Idle {
        fn name(&self) -> &str {
            "idle"
        }

        fn plan(&self, _: &Workspace, _: &mut dyn Providers) -> Planned {
            Planned::default()
        }

        fn apply(&self, _: &Workspace, _: &Plan, _: &mut dyn Providers) -> Applied {
            Applied::default()
        }
    }

    #[test]
    fn a_first_step_that_is_not_needed_is_removed() {
        let text = r#"{"op": "workspace", "dialect": "terraform-1.11", "providers": {}, "models": {}, "files": {},
            "steps": [{"command": "plan"}, {"command": "apply"}, {"command": "plan"}]}"#;
        let case = Case::parse(text).expect("a case");
        let words = |case: &Case| case.steps.iter().map(|step| step.command.word()).collect::<Vec<_>>();
        let small = shrink(&case, 1000, &Idle, &mut |case| words(case).ends_with(&["apply", "plan"]));
        assert_eq!(words(&small), ["apply", "plan"]);
        let kept = shrink(&case, 1000, &Idle, &mut |case| words(case).len() == 3);
        assert_eq!(kept.steps.len(), 3, "what no longer shows it is not kept");
    }

    #[test]
    fn irrelevant_parts_are_removed() {
        let text = r#"{"op": "workspace", "dialect": "terraform-1.11", "providers": {}, "models": {},
            "files": {"main.tf.json": {"locals": {"a": "${local.b}", "b": 1}, "resource": {"t": {"x": {}}}}},
            "state": {"version": 4}, "steps": [{"command": "plan"}, {"command": "apply", "taint": ["t.x"]}]}"#;
        let case = Case::parse(text).expect("a case");
        let small = shrink(&case, 1000, &Idle, &mut |case| {
            let files = case.to_json().to_compact();
            files.contains("\"a\"") && case.steps.iter().any(|step| step.command.word() == "apply")
        });
        let want = r#"{"op":"workspace","dialect":"terraform-1.11","providers":{},"models":{},"files":{"main.tf.json":{"locals":{"a":"a"}}},"steps":[{"command":"apply"}]}"#;
        assert_eq!(small.to_json().to_compact(), want);
    }
}
