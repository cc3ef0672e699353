//! The merge of sets (M19), and sets in general: whether a set is the one built from results of which only properties are known (V50).
//!
//! No set is built. Each result must have an element that it may be, each element of the answer a result, and a result may share an element
//! with an earlier one only if that element is wholly known, because only such duplicates merge.
//! may share an element with an earlier one only if that is wholly known: only such repetitions merge.

use super::correlate::assign;
use super::id::Id;
use super::merge::{ElementRule, Merge, Triple, show_answer};
use super::place::Place;
use super::result_type;
use super::verdict::{Verdict, show};
use planfuzz_core::value::{Type, Value, ValueRef, raw_equals, set_key};

/// Above this number of pairs to compare, only the cheaper rules of sets are checked.
pub(super) const MOST_PAIRS: usize = 1 << 18;

/// The difference between a set and the one that should be built from results.
#[derive(Debug, Default)]
pub(super) struct Comparison {
    /// Results that no element of the set can be.
    pub(super) missing: Vec<usize>,
    /// Elements of the set that are no result.
    pub(super) extra: Vec<usize>,
    /// The index of an element that shares its key with the one before it, in the wrong order (V57).
    pub(super) swapped: Option<usize>,
}

impl Comparison {
    pub(super) fn is_equal(&self) -> bool {
        self.missing.is_empty() && self.extra.is_empty() && self.swapped.is_none()
    }
}

/// Compares a set with the one that inserting results `0..results` makes; `may_be` decides whether a result may be an element.
pub(super) fn compare(
    results: usize,
    set: &[ValueRef<'_>],
    mut may_be: impl FnMut(usize, ValueRef<'_>) -> bool,
) -> Comparison {
    let mut result_of: Vec<Option<usize>> = vec![None; set.len()];
    let mut missing = Vec::new();
    for result in 0..results {
        // Elements and results have nearly the same order, so the search starts at the likely position.
        let places = (result..set.len()).chain(0..result.min(set.len()));
        let mut merged = false;
        let mut own = None;
        for place in places {
            let taken = result_of[place].is_some();
            if (taken && merged) || !may_be(result, set[place]) {
                continue;
            }
            if !taken {
                own = Some(place);
                break;
            }
            merged = set[place].is_wholly_known();
        }
        match own {
            Some(place) => result_of[place] = Some(result),
            None if merged => {}
            None => missing.push(result),
        }
    }
    let extra = (0..set.len()).filter(|&place| result_of[place].is_none()).collect();
    if swapped(set, &result_of).is_some() {
        settle(set, &mut result_of);
    }
    Comparison { missing, extra, swapped: swapped(set, &result_of) }
}

/// Raw-equal elements are interchangeable: assigns the earlier results to the earlier ones.
fn settle(set: &[ValueRef<'_>], result_of: &mut [Option<usize>]) {
    for place in 0..set.len() {
        for later in place + 1..set.len() {
            let descends = result_of[later].is_some() && result_of[place] > result_of[later];
            if descends && raw_equals(set[place], set[later]) {
                result_of.swap(place, later);
            }
        }
    }
}

/// The first element that has the key of the one before it and comes from an earlier result.
fn swapped(set: &[ValueRef<'_>], result_of: &[Option<usize>]) -> Option<usize> {
    (1..set.len()).find(|&place| {
        let (before, after) = (result_of[place - 1], result_of[place]);
        let descends = before.is_some() && after.is_some() && before > after;
        descends && key(set[place - 1]) == key(set[place]) && !raw_equals(set[place - 1], set[place])
    })
}

fn key(element: ValueRef<'_>) -> (u8, Vec<u8>) {
    let rank = if element.is_null() { 2 } else { u8::from(element.is_unknown()) };
    (rank, set_key(element.ty(), element.node()))
}

/// The elements of a known list, tuple or set.
pub(super) fn elements(of: ValueRef<'_>) -> Vec<ValueRef<'_>> {
    (0..of.len()).filter_map(|index| of.element(index)).collect()
}

/// Checks that a set is a valid one (V50), and the sets in it.
pub(super) fn hold_canonical(verdict: &mut Verdict, set: ValueRef<'_>, place: &Place<'_>) {
    if let Type::Set(element) = set.ty()
        && set.len() > 1
    {
        let parts = elements(set).into_iter().map(ValueRef::to_value).collect();
        let rebuilt = Value::set(element, parts);
        let holds = rebuilt.as_ref().is_ok_and(|rebuilt| raw_equals(rebuilt.view(), set));
        verdict.hold(Id::V50, place, holds, || {
            let wanted = rebuilt.map_or_else(|_| "elements of one type".to_owned(), |set| show(set.view()));
            format!("expected {wanted}, found {}", show(set))
        });
    }
    if set.ty().element().unwrap_or(set.ty()).has_set() {
        set.children().for_each(|(_, child)| hold_canonical(verdict, child, place));
    }
}

impl Merge<'_> {
    /// M19.
    pub(super) fn set<'a>(&mut self, rule: ElementRule<'a>, of: Triple<'a>, place: &Place<'_>) {
        if !of.config.is_present() || of.config.is_empty() {
            self.verdict.same(Id::M19, place, of.answer, of.config);
            return;
        }
        let Type::Set(element) = of.config.ty() else { return self.verdict.leave_open() };
        let varies = rule.hazards().markers;
        let is_typed = |answer: ValueRef<'_>| {
            answer.ty() == of.config.ty() || (varies && answer.ty().conforms_to(&of.config.ty().strip_optional()))
        };
        let is_set = |answer: ValueRef<'_>| is_typed(answer) && answer.is_present();
        let message = || format!("expected a known set of the configured type, found {}", show_answer(of));
        if !self.verdict.hold(Id::M19, place, of.answer.is_none_or(is_set), message) {
            return;
        }
        let correlation = Correlation { rule, prior: elements(of.prior), config: elements(of.config), none: element };
        if correlation.is_too_large() {
            return self.few_elements(of, place);
        }
        self.correlated(&correlation, of.answer, place);
    }

    /// MP07.
    fn few_elements(&mut self, of: Triple<'_>, place: &Place<'_>) {
        let Some(answer) = of.answer else { return self.verdict.leave_open() };
        let holds = answer.len() <= of.config.len() && !answer.is_empty();
        self.verdict.hold(Id::MP07, place, holds, || {
            format!("expected 1 to {} elements, found {}", of.config.len(), answer.len())
        });
    }

    fn correlated<'a>(&mut self, sets: &Correlation<'a>, answer: Option<ValueRef<'a>>, place: &Place<'_>) {
        let partners = assign(sets.rule, &sets.prior, &sets.config);
        if sets.rule.hazards().markers && !self.one_type_of_set(sets, &partners, answer, place) {
            return;
        }
        let hazardous = sets.may_crash() && !self.verdict.is_quiet();
        if answer.is_none() || hazardous {
            for (config, partner) in sets.config.iter().zip(&partners) {
                let of = Triple { prior: sets.prior(*partner), config: *config, answer: None };
                // Without an answer only crashes are found; with one they are breaches.
                self.crashes_of(sets.rule, of, answer.is_some(), place);
            }
        }
        let Some(answer) = answer else { return };
        if !self.verdict.is_quiet() {
            hold_canonical(self.verdict, answer, place);
        }
        let found = elements(answer);
        let comparison =
            compare(partners.len(), &found, |result, element| self.may_be(sets, result, partners[result], element));
        if self.verdict.is_exhausted() {
            return;
        }
        if self.verdict.is_quiet() {
            self.verdict.hold(Id::M19, place, comparison.is_equal(), String::new);
        } else {
            self.report(sets, &partners, &found, &comparison, place);
        }
    }

    /// V08: whether the elements have one type, which is then the answer's element type.
    fn one_type_of_set<'a>(
        &mut self,
        sets: &Correlation<'a>,
        partners: &[Option<usize>],
        answer: Option<ValueRef<'a>>,
        place: &Place<'_>,
    ) -> bool {
        let pairs = sets.config.iter().zip(partners).map(|(config, partner)| (sets.prior(*partner), *config));
        let Some(common) = result_type::of_set(self.dialect, sets.rule, pairs) else {
            self.verdict.crash(Id::V08, place, answer.is_some(), "elements come out with different types");
            return false;
        };
        let holds = answer.is_none_or(|answer| answer.ty().element() == Some(&common));
        self.verdict.hold(Id::V08, place, holds, || format!("expected elements of type {}", common.to_v05_text()))
    }

    fn crashes_of<'a>(&mut self, rule: ElementRule<'a>, of: Triple<'a>, answered: bool, place: &Place<'_>) {
        let mut probe = Verdict::default();
        Merge { dialect: self.dialect, verdict: &mut probe }.element(rule, of, place);
        self.verdict.take_crashes(probe, Id::M11, place, answered);
    }

    /// Whether an element of the answer may be the merge of a configured element and a prior one.
    fn may_be<'a>(
        &mut self,
        sets: &Correlation<'a>,
        result: usize,
        partner: Option<usize>,
        element: ValueRef<'_>,
    ) -> bool {
        let of = Triple { prior: sets.prior(partner), config: sets.config[result], answer: Some(element) };
        let dialect = self.dialect;
        self.verdict.quietly(|verdict| Merge { dialect, verdict }.element(sets.rule, of, &Place::ROOT))
    }

    /// Reports as precisely as possible how a set differs from the result of M19.
    fn report<'a>(
        &mut self,
        sets: &Correlation<'a>,
        partners: &[Option<usize>],
        found: &[ValueRef<'a>],
        comparison: &Comparison,
        place: &Place<'_>,
    ) {
        self.verdict.hold(Id::V57, place, comparison.swapped.is_none(), || {
            format!("element {} of the set was inserted before the one it follows", comparison.swapped.unwrap_or(0))
        });
        let holds = comparison.missing.is_empty() && comparison.extra.is_empty();
        if holds {
            self.verdict.hold(Id::M19, place, true, String::new);
            return;
        }
        let misled = self.with_other_partner(sets, partners, found, comparison);
        if let Some((result, other)) = misled {
            self.verdict.hold(Id::M22, place, false, || {
                format!(
                    "expected configured element {result} merged with {}, found it merged with {}",
                    name(partners[result]),
                    name(other)
                )
            });
            return;
        }
        if let ([result], [extra]) = (comparison.missing.as_slice(), comparison.extra.as_slice()) {
            let of = Triple {
                prior: sets.prior(partners[*result]),
                config: sets.config[*result],
                answer: Some(found[*extra]),
            };
            return self.element(sets.rule, of, &place.element(found[*extra]));
        }
        self.verdict.hold(Id::M19, place, false, || {
            format!(
                "expected what merging the configured elements {:?} makes, found other elements at {:?}",
                comparison.missing, comparison.extra
            )
        });
    }

    /// A missing result that would equal an extra element if it had another partner, and that partner.
    fn with_other_partner<'a>(
        &mut self,
        sets: &Correlation<'a>,
        partners: &[Option<usize>],
        found: &[ValueRef<'a>],
        comparison: &Comparison,
    ) -> Option<(usize, Option<usize>)> {
        if comparison.missing.len() * comparison.extra.len() * (sets.prior.len() + 1) > MOST_PAIRS {
            return None;
        }
        for &result in &comparison.missing {
            for &extra in &comparison.extra {
                let others = (0..sets.prior.len()).map(Some).chain([None]).filter(|other| *other != partners[result]);
                for other in others {
                    if self.may_be(sets, result, other, found[extra]) {
                        return Some((result, other));
                    }
                }
            }
        }
        None
    }
}

fn name(partner: Option<usize>) -> String {
    partner.map_or_else(|| "no prior element".to_owned(), |index| format!("prior element {index}"))
}

/// The two sets that are merged.
struct Correlation<'a> {
    rule: ElementRule<'a>,
    prior: Vec<ValueRef<'a>>,
    config: Vec<ValueRef<'a>>,
    /// The element type; its null is the prior of an element without partner.
    none: &'a Type,
}

impl<'a> Correlation<'a> {
    fn prior(&self, partner: Option<usize>) -> ValueRef<'a> {
        partner.map_or(ValueRef::null(self.none), |index| self.prior[index])
    }

    fn is_too_large(&self) -> bool {
        (self.prior.len() + self.config.len()) * self.config.len() > MOST_PAIRS
    }

    fn may_crash(&self) -> bool {
        self.rule.hazards().group
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use planfuzz_core::json::Json;

    fn values(text: &str) -> Vec<Value> {
        let Ok(Json::Array(items)) = Json::parse(text) else { panic!("{text} is no list") };
        items.iter().map(|item| Value::from_json(item, &Type::String).expect("a string")).collect()
    }

    fn is_made_of(set: &str, results: &str) -> bool {
        let (set, results) = (values(set), values(results));
        let set: Vec<ValueRef<'_>> = set.iter().map(Value::view).collect();
        compare(results.len(), &set, |result, element| raw_equals(results[result].view(), element)).is_equal()
    }

    #[test]
    fn v57_elements_of_one_key_stand_in_the_order_of_results_whichever_of_equal_ones_is_whose() {
        let set = r#"[{"$unknown": true}, {"$unknown": {}}, {"$unknown": true}, null]"#;
        assert!(is_made_of(set, r#"[null, {"$unknown": true}, {"$unknown": {}}, {"$unknown": true}]"#));
        assert!(!is_made_of(set, r#"[null, {"$unknown": true}, {"$unknown": true}, {"$unknown": {}}]"#));
        assert!(!is_made_of(set, r#"[null, {"$unknown": {}}, {"$unknown": true}, {"$unknown": true}]"#));
    }
}
