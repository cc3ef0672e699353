//! Reasons of differences that are outside the model.
//!
//! There are two: a state function of the provider's own, which stores another text than was configured, so that there may be no change
//! where the model sees one; and the SDK of 2019, with which null and empty collections follow the proposed object in plans as they do in
//! applies (the second row of Z100).

use std::collections::BTreeSet;
use std::fmt;

use planfuzz_core::value::{Step, Type, Value, ValueRef};

use super::places::{Names, names};
use super::sample::Sample;
use crate::place::text;

/// Why a plan differs at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The names that lead there.
    pub place: Names,
    /// The kind of reason.
    pub kind: &'static str,
    /// An example.
    pub example: String,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.place.join("."), self.kind, self.example)
    }
}

const STATE_FUNC: &str = "a StateFunc of its own";
const NO_CHANGE: &str = "with that nothing counts as changed, and the prior object is planned";
const NULL_AND_EMPTY: &str = "null and empty follow the proposed object, as old SDKs have it";

/// The reasons of all differences in a plan; `None` if some difference has none.
pub fn reasons(sample: &Sample, (planned, replace): &(Value, BTreeSet<String>)) -> Option<Vec<Reason>> {
    let mut found = Vec::new();
    let proposed = Some(sample.proposed.view());
    let is_unchanged = !sample.prior.is_null() && sample.planned == sample.prior;
    explain(&mut Vec::new(), planned.view(), sample.planned.view(), proposed, is_unchanged, &mut found).then_some(())?;
    // The prior object is planned only because of a state function.
    let is_of = |kind: &str| found.iter().any(|it| it.kind == kind);
    if is_of(NO_CHANGE) && !is_of(STATE_FUNC) {
        return None;
    }
    let has_reason = |path: &String| found.iter().any(|it| it.place == names(path));
    // A different stored value has a different replacement.
    replace.symmetric_difference(&sample.replace).filter(|path| *path != ".id").all(has_reason).then_some(found)
}

fn explain(
    at: &mut Names,
    mine: ValueRef<'_>,
    theirs: ValueRef<'_>,
    proposed: Option<ValueRef<'_>>,
    is_unchanged: bool,
    found: &mut Vec<Reason>,
) -> bool {
    if mine.to_value() == theirs.to_value() {
        return true;
    }
    if let Some(reason) = reason(at, theirs, proposed) {
        found.push(reason);
        return true;
    }
    if is_unchanged && theirs.is_null() && mine.as_text().is_some_and(|text| text.is_empty()) {
        let example = "null stays, where an empty text is configured".to_owned();
        found.push(Reason { place: at.clone(), kind: NO_CHANGE, example });
        return true;
    }
    let is_set = matches!(mine.ty(), Type::Set(_));
    let steps = |of: ValueRef<'_>| of.children().map(|(step, _)| step.to_string()).collect::<Vec<_>>();
    if is_set || !mine.is_present() || !theirs.is_present() || steps(mine) != steps(theirs) || steps(mine).is_empty() {
        return false;
    }
    mine.children().zip(theirs.children()).enumerate().all(|(index, ((step, mine), (_, theirs)))| {
        let same = |of: &ValueRef<'_>| of.is_present() && steps(*of).get(index) == Some(&step.to_string());
        let proposed = proposed.filter(same).and_then(|of| of.children().nth(index)).map(|(_, it)| it);
        let name = match &step {
            Step::Attribute(name) => Some(name.to_string()),
            _ => None,
        };
        let depth = at.len();
        at.extend(name);
        let is_explained = explain(at, mine, theirs, proposed, is_unchanged, found);
        at.truncate(depth);
        is_explained
    })
}

fn reason(at: &Names, theirs: ValueRef<'_>, proposed: Option<ValueRef<'_>>) -> Option<Reason> {
    let proposed = proposed?;
    let is_text = |of: &ValueRef<'_>| of.as_text().is_some();
    let is_none = |of: ValueRef<'_>| of.ty().is_collection() && (of.is_null() || (of.is_present() && of.is_empty()));
    let kind = match (is_text(&theirs) && is_text(&proposed), is_none(theirs) && is_none(proposed)) {
        (true, _) if theirs.to_value() != proposed.to_value() => STATE_FUNC,
        (_, true) if theirs.to_value() == proposed.to_value() => NULL_AND_EMPTY,
        _ => return None,
    };
    let example = match kind {
        STATE_FUNC => format!("{} is stored as {}", text(&proposed.to_value()), text(&theirs.to_value())),
        _ => format!("{} is planned", text(&theirs.to_value())),
    };
    Some(Reason { place: at.clone(), kind, example })
}

#[cfg(test)]
mod tests {
    use planfuzz_core::json::Json;

    use super::*;

    fn value(text: &str) -> Value {
        let ty = r#"["object",{"id":"string","path":"string","tags":["map","string"],"size":"number"}]"#;
        let ty = Type::parse(ty).expect("a type");
        Value::from_json(&Json::parse(text).expect("JSON"), &ty).expect("a value")
    }

    fn of(modelled: &str, planned: &str, proposed: &str, replaced: &[&str]) -> Option<Vec<(String, &'static str)>> {
        let proposed = value(proposed);
        let replace = replaced.iter().map(|it| (*it).to_owned()).collect();
        let prior = Value::null(proposed.ty().clone());
        let sample = Sample { prior, config: proposed.clone(), proposed, planned: value(planned), replace };
        let found = reasons(&sample, &(value(modelled), BTreeSet::new()))?;
        Some(found.into_iter().map(|it| (it.place.join("."), it.kind)).collect())
    }

    #[test]
    fn a_text_that_is_stored_as_another_is_explained() {
        let (model, plan) =
            (r#"{"id":"i","path":"/a","tags":null,"size":1}"#, r#"{"id":"i","path":"a","tags":null,"size":1}"#);
        let want = Some(vec![("path".to_owned(), STATE_FUNC)]);
        assert_eq!(of(model, plan, model, &[]), want);
        assert_eq!(of(model, plan, model, &[".path", ".id"]), want);
        assert_eq!(of(model, plan, model, &[".size"]), None, "another place is replaced");
    }

    #[test]
    fn a_prior_object_is_explained_by_a_state_function_that_leaves_no_change() {
        let value_of = |name: &str| value(&format!(r#"{{"id":{name},"path":"a","tags":null,"size":1}}"#));
        let (prior, empty) = (value_of("null"), value_of(r#""""#));
        let kinds = |modelled: &Value, proposed: Value| {
            let planned = prior.clone();
            let sample =
                Sample { prior: prior.clone(), config: proposed.clone(), proposed, planned, replace: BTreeSet::new() };
            let found = reasons(&sample, &(modelled.clone(), BTreeSet::new()));
            found.map(|found| found.into_iter().map(|it| it.kind).collect::<Vec<_>>())
        };
        let slashed = value(r#"{"id":"","path":"/a","tags":null,"size":1}"#);
        assert_eq!(kinds(&slashed, slashed.clone()), Some(vec![NO_CHANGE, STATE_FUNC]));
        assert_eq!(kinds(&empty, empty.clone()), None, "no state function is seen");
    }

    #[test]
    fn null_and_empty_that_follow_the_proposed_object_are_explained_and_nothing_else_is() {
        let plain = |tags: &str, size: i32| format!(r#"{{"id":"i","path":"a","tags":{tags},"size":{size}}}"#);
        let want = Some(vec![("tags".to_owned(), NULL_AND_EMPTY)]);
        assert_eq!(of(&plain("null", 1), &plain("{}", 1), &plain("{}", 1), &[]), want);
        assert_eq!(of(&plain("{}", 1), &plain("null", 1), &plain("null", 1), &[]), want);
        assert_eq!(of(&plain("{}", 1), &plain("null", 1), &plain("{}", 1), &[]), None);
        assert_eq!(of(&plain("null", 1), &plain("{}", 2), &plain("{}", 1), &[]), None, "a number differs too");
    }
}
