//! The violations that the rules demand, place by place, and the comparison with a given list of violations.
//!
//! At every place that is checked, the governing rule demands a number of violations, often none. A list is right if it has the demanded
//! number at every path. Texts of paths are written only for demanded violations; if a list is wrong, the checks run once more to find the
//! rule for each path.

use std::collections::BTreeMap;

use super::id::Id;
use super::place::Place;
use super::verdict::{MOST_BROKEN, MOST_COMPARISONS};
use super::{Broken, Checked};
use planfuzz_core::value::Path;

/// The demands of the rules on one list.
#[derive(Debug, Default)]
pub(super) struct Demands {
    checks: u64,
    /// The concatenated texts of the places of violations; `ends` has the end of each.
    texts: String,
    ends: Vec<usize>,
    crash: Option<(Id, Path)>,
    /// Whether the specification leaves an outcome open.
    open: bool,
    /// The number of element comparisons in sets.
    comparisons: u64,
    /// Set while only asking whether anything is demanded.
    probe: Option<bool>,
    /// Set while explaining: the demands at each place.
    explained: Option<Vec<Demand>>,
}

/// The demand of a rule at a place.
#[derive(Debug)]
struct Demand {
    text: String,
    path: Path,
    rule: Id,
    count: usize,
}

/// A state to go back to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    violations: usize,
    explained: usize,
    probe: Option<bool>,
}

impl Demands {
    /// Demands one violation here, or none.
    pub(super) fn demand(&mut self, rule: Id, place: &Place<'_>, violation: bool) {
        self.demand_many(rule, place, usize::from(violation));
    }

    /// Demands `count` violations here.
    pub(super) fn demand_many(&mut self, rule: Id, place: &Place<'_>, count: usize) {
        self.checks += 1;
        if let Some(any) = &mut self.probe {
            *any |= count > 0;
            return;
        }
        if let Some(explained) = &mut self.explained {
            explained.push(Demand { text: text_of(place), path: place.to_path(), rule, count });
        }
        for _ in 0..count {
            place.write(&mut self.texts).expect("strings take text");
            self.ends.push(self.texts.len());
        }
    }

    /// Notes that the engine crashes here.
    pub(super) fn crash(&mut self, rule: Id, place: &Place<'_>) {
        self.crash.get_or_insert_with(|| (rule, place.to_path()));
    }

    /// Notes that the specification leaves the outcome open here.
    pub(super) fn leave_open(&mut self) {
        self.open = true;
    }

    /// Whether `checks` demand any violation. Their demands are not added to the list. Sets within sets may need so many comparisons that
    /// the list is not judged.
    pub(super) fn any(&mut self, checks: impl FnOnce(&mut Demands)) -> bool {
        self.comparisons += 1;
        if self.comparisons > MOST_COMPARISONS {
            self.open = true;
            return false;
        }
        let before = self.probe.replace(false);
        checks(self);
        std::mem::replace(&mut self.probe, before) == Some(true)
    }

    /// Whether the answer of [`Demands::any`] is already known, so that further checks can stop.
    pub(super) fn is_settled(&self) -> bool {
        self.probe == Some(true)
    }

    /// Whether only asking whether anything is demanded.
    pub(super) fn is_probing(&self) -> bool {
        self.probe.is_some()
    }

    /// The current state.
    pub(super) fn mark(&self) -> Mark {
        let explained = self.explained.as_ref().map_or(0, Vec::len);
        Mark { violations: self.ends.len(), explained, probe: self.probe }
    }

    /// Removes all demands since a mark.
    pub(super) fn take_back(&mut self, mark: Mark) {
        self.ends.truncate(mark.violations);
        self.texts.truncate(self.ends.last().copied().unwrap_or(0));
        self.probe = mark.probe;
        if let Some(explained) = &mut self.explained {
            explained.truncate(mark.explained);
        }
    }

    fn texts(&self) -> Vec<&str> {
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        let mut texts: Vec<_> = starts.zip(&self.ends).map(|(start, &end)| &self.texts[start..end]).collect();
        texts.sort_unstable();
        texts
    }
}

fn text_of(place: &Place<'_>) -> String {
    let mut text = String::new();
    place.write(&mut text).expect("strings take text");
    text
}

/// Compares a list (`None` if the subject refused) with the demands of `check`. `must_answer` is the rule that an unjustified refusal
/// breaks.
pub(super) fn weigh(must_answer: Id, found: Option<&[String]>, check: &dyn Fn(&mut Demands)) -> Checked {
    let mut demands = Demands::default();
    check(&mut demands);
    let broken = |rule: Id, path, message: &str| Broken { rule: rule.info().id, path, message: message.to_owned() };
    let mut checked = Checked { checks: demands.checks, broken: Vec::new() };
    match (found, &demands.crash) {
        _ if demands.open => {}
        (None, Some(_)) => {}
        (None, None) => {
            let message = "expected violations, found a refusal: no rule states that the engine crashes on this input";
            checked.broken.push(broken(must_answer, Path::root(), message));
        }
        (Some(_), Some((rule, path))) => {
            let message = "expected a refusal, found an answer: the engine crashes on this input";
            checked.broken.push(broken(*rule, path.clone(), message));
        }
        (Some(found), None) if is_the_same(found, &demands) => {}
        (Some(found), None) => checked.broken = explain(must_answer, found, check),
    }
    checked
}

/// The demanded violations, each with its rule; `None` if the engine crashes or the specification leaves the outcome open.
pub(super) fn demanded(check: &dyn Fn(&mut Demands)) -> Option<Vec<(Id, Path)>> {
    let mut demands = Demands::default();
    check(&mut demands);
    if demands.open || demands.crash.is_some() {
        return None;
    }
    if demands.ends.is_empty() {
        return Some(Vec::new());
    }
    let mut demands = Demands { explained: Some(Vec::new()), ..Demands::default() };
    check(&mut demands);
    let explained = demands.explained.unwrap_or_default().into_iter().filter(|demand| demand.count > 0);
    Some(explained.map(|demand| (demand.rule, demand.path)).collect())
}

fn is_the_same(found: &[String], demands: &Demands) -> bool {
    if found.len() != demands.ends.len() {
        return false;
    }
    if found.is_empty() {
        return true;
    }
    let mut sorted: Vec<&str> = found.iter().map(String::as_str).collect();
    sorted.sort_unstable();
    sorted == demands.texts()
}

/// The rules that a wrong list breaks, by path.
fn explain(fallback: Id, found: &[String], check: &dyn Fn(&mut Demands)) -> Vec<Broken> {
    let mut demands = Demands { explained: Some(Vec::new()), ..Demands::default() };
    check(&mut demands);
    let explained = demands.explained.unwrap_or_default();
    let mut by_text: BTreeMap<&str, Vec<&Demand>> = BTreeMap::new();
    for demand in &explained {
        by_text.entry(&demand.text).or_default().push(demand);
    }
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (text, demands) in &by_text {
        counts.insert(text, (demands.iter().map(|demand| demand.count).sum(), 0));
    }
    for text in found {
        counts.entry(text).or_default().1 += 1;
    }
    let wrong = counts.into_iter().filter(|(_, (wanted, found))| wanted != found).take(MOST_BROKEN);
    wrong
        .map(|(text, (wanted, found))| {
            let (rule, path) = governing(&by_text, text)
                .map_or_else(|| (fallback, Path::root()), |demand| (demand.rule, demand.path.clone()));
            let message = format!("expected {wanted} violations at {text:?}, found {found}");
            Broken { rule: rule.info().id, path, message }
        })
        .collect()
}

/// The demand for a path: the last one at that place that demands a violation, or the last one there; without any there, at the nearest
/// enclosing place.
fn governing<'d>(by_text: &BTreeMap<&str, Vec<&'d Demand>>, text: &str) -> Option<&'d Demand> {
    let around = by_text.range(..=text).rev().find(|(place, _)| text.starts_with(**place));
    let demands = around.map(|(_, demands)| demands)?;
    demands.iter().rev().find(|demand| demand.count > 0).or(demands.last()).copied()
}
