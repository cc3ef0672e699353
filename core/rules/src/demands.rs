//! What the rules demand of a list of violations, place by place, and how a list that was given compares to it.
//!
//! At every place that is looked at the governing rule demands a number of violations, often none. A list is right if it
//! has at every path as many as are demanded there. Texts of paths are written for demanded violations alone; only
//! where a list is wrong the rules are asked once more, to find which of them speaks of the path.

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
    /// The texts of the places of violations, one after another, and where each ends.
    texts: String,
    ends: Vec<usize>,
    crash: Option<(Id, Path)>,
    /// Whether the specification leaves open what happens somewhere.
    open: bool,
    /// How many elements of sets were compared.
    comparisons: u64,
    /// Set while only the question is asked whether anything is demanded.
    probe: Option<bool>,
    /// Set while explaining: what was demanded at each place.
    explained: Option<Vec<Demand>>,
}

/// What a rule demands at a place.
#[derive(Debug)]
struct Demand {
    text: String,
    path: Path,
    rule: Id,
    count: usize,
}

/// A moment to go back to.
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

    /// Demands so many violations here.
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

    /// Notes that the specification does not say what happens here.
    pub(super) fn leave_open(&mut self) {
        self.open = true;
    }

    /// Whether `checks` demand any violation. None of them becomes part of the list. Sets within sets may ask so often
    /// that the list is not judged.
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

    /// Whether it is known already that there are violations, and nobody asks for more.
    pub(super) fn is_settled(&self) -> bool {
        self.probe == Some(true)
    }

    /// Whether only the question is asked whether anything is demanded.
    pub(super) fn is_probing(&self) -> bool {
        self.probe.is_some()
    }

    /// This moment.
    pub(super) fn mark(&self) -> Mark {
        let explained = self.explained.as_ref().map_or(0, Vec::len);
        Mark { violations: self.ends.len(), explained, probe: self.probe }
    }

    /// Takes back all demands since a moment.
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

/// Weighs a list, missing if the subject refused, against what `check` demands. `must_answer` is the rule that a refusal
/// without reason breaks.
pub(super) fn weigh(must_answer: Id, found: Option<&[String]>, check: &dyn Fn(&mut Demands)) -> Checked {
    let mut demands = Demands::default();
    check(&mut demands);
    let broken = |rule: Id, path, message: &str| Broken { rule: rule.info().id, path, message: message.to_owned() };
    let mut checked = Checked { checks: demands.checks, broken: Vec::new() };
    match (found, &demands.crash) {
        _ if demands.open => {}
        (None, Some(_)) => {}
        (None, None) => {
            let message = "expected violations, found a refusal: no rule says that the engine crashes on this input";
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

/// The violations that the rules demand, each with the rule that does; nothing where the engine crashes or the
/// specification leaves the outcome open.
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
fn explain(otherwise: Id, found: &[String], check: &dyn Fn(&mut Demands)) -> Vec<Broken> {
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
                .map_or_else(|| (otherwise, Path::root()), |demand| (demand.rule, demand.path.clone()));
            let message = format!("expected {wanted} violations at {text:?}, found {found}");
            Broken { rule: rule.info().id, path, message }
        })
        .collect()
}

/// The demand that speaks of a path: of those made there, else at the nearest place around it, the last one for a
/// violation, or the last.
fn governing<'d>(by_text: &BTreeMap<&str, Vec<&'d Demand>>, text: &str) -> Option<&'d Demand> {
    let around = by_text.range(..=text).rev().find(|(place, _)| text.starts_with(**place));
    let demands = around.map(|(_, demands)| demands)?;
    demands.iter().rev().find(|demand| demand.count > 0).or(demands.last()).copied()
}
