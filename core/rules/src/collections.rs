//! The merge of lists and maps (M17, M18), and the types of their elements (V08).

use std::collections::BTreeMap;

use super::id::Id;
use super::kinds::{self, By};
use super::merge::{ElementRule, Merge, Triple, show_answer};
use super::place::Place;
use super::result_type;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::value::{Text, Type, ValueRef};

/// How M17 and M18 merge one element of the configuration.
#[derive(Clone, Copy, Debug)]
pub(super) enum Partner<'a> {
    /// The element is taken as is.
    None,
    /// The element is merged with this prior element.
    Prior(ValueRef<'a>),
    /// It is merged with this unknown of type `dynamic` (M42).
    Untyped(ValueRef<'a>),
    /// The engine crashes.
    Crash,
    /// The rules leave it open.
    Open,
}

impl Merge<'_> {
    /// M17.
    pub(super) fn list<'a>(&mut self, rule: ElementRule<'a>, of: Triple<'a>, place: &Place<'_>) {
        if !of.config.is_present() {
            self.verdict.same(Id::M17, place, of.answer, of.config);
            return;
        }
        let is_tuple = matches!(of.config.ty(), Type::Tuple(_));
        if matches!(rule, ElementRule::Object(_)) && !is_tuple && !matches!(of.config.ty(), Type::List(_)) {
            return self.verdict.leave_open();
        }
        let Some(count) = kinds::count(of.config) else {
            return self.verdict.crash(Id::M30, place, of.answer.is_some(), "the configured blocks have no count");
        };
        if count == 0 {
            self.verdict.same(Id::M17, place, of.answer, of.config);
            return;
        }
        let holds = of.answer.is_none_or(|answer| {
            matches!((answer.ty(), is_tuple), (Type::Tuple(_), true) | (Type::List(_), false)) && answer.len() == count
        });
        let kind = if is_tuple { "tuple" } else { "list" };
        let message = || format!("expected a {kind} of {count} elements, found {}", show_answer(of));
        if !self.verdict.hold(Id::M17, place, holds, message) {
            return;
        }
        let before = self.verdict.found();
        for (index, (key, config)) in kinds::all(of.config).into_iter().enumerate() {
            let answer = of.answer.and_then(|answer| answer.element(index));
            let partner = list_partner(rule, of.prior, key);
            self.pair(rule, partner, Triple { prior: of.prior, config, answer }, &key.place(place), Id::M17);
        }
        self.one_type(rule, of, place, (before, false));
        if let Some(answer) = of.answer.filter(|answer| matches!(answer.ty(), Type::List(_)))
            && matches!(rule, ElementRule::Block(_))
            && let Some(common) = result_type::of_elements(self.dialect, rule, of.prior, of.config, false)
        {
            let holds = answer.ty().element() == Some(&common);
            self.verdict.hold(Id::V08, place, holds, || {
                format!("expected elements of type {}, found {}", common.to_v05_text(), answer.ty().to_v05_text())
            });
        }
    }

    /// M18.
    pub(super) fn map<'a>(&mut self, rule: ElementRule<'a>, of: Triple<'a>, place: &Place<'_>) {
        if !of.config.is_present() {
            self.verdict.same(Id::M18, place, of.answer, of.config);
            return;
        }
        let is_object = match of.config.ty() {
            Type::Object(_) => true,
            Type::Map(_) => false,
            _ if matches!(rule, ElementRule::Object(_)) => return self.verdict.leave_open(),
            _ if kinds::count(of.config) == Some(0) => {
                self.verdict.same(Id::M18, place, of.answer, of.config);
                return;
            }
            _ => return self.verdict.crash(Id::M30, place, of.answer.is_some(), "the configured blocks have no keys"),
        };
        if of.config.is_empty() {
            self.verdict.same(Id::M18, place, of.answer, of.config);
            return;
        }
        let is_block = matches!(rule, ElementRule::Block(_));
        if of.prior.is_present() && has_no_keys(of.prior) && !(is_block && kinds::texts(of.prior).is_some()) {
            return match rule {
                ElementRule::Block(_) if kinds::count(of.prior) == Some(0) => self.verdict.leave_open(),
                ElementRule::Block(_) => {
                    self.verdict.crash(Id::M30, place, of.answer.is_some(), "the prior blocks have no keys");
                }
                ElementRule::Object(_) => self.verdict.leave_open(),
            };
        }
        let holds = of.answer.is_none_or(|answer| {
            matches!((answer.ty(), is_object), (Type::Object(_), true) | (Type::Map(_), false))
                && answer.len() == of.config.len()
        });
        let kind = if is_object { "object" } else { "map" };
        let message = || format!("expected a {kind} of {} entries, found {}", of.config.len(), show_answer(of));
        if !self.verdict.hold(Id::M18, place, holds, message) {
            return;
        }
        let before = self.verdict.found();
        let priors = PriorMap::new(of.prior);
        for (key, config) in of.config.entries() {
            let answer = of.answer.and_then(|answer| answer.entry(key));
            let at = if is_object { place.attribute(key) } else { place.key(key) };
            if of.answer.is_some() && answer.is_none() {
                self.verdict.hold(Id::M18, &at, false, || "expected an entry of that key, found none".to_owned());
                continue;
            }
            let partner = priors.partner(self.dialect, key, config);
            self.pair(rule, partner, Triple { prior: of.prior, config, answer }, &at, Id::M18);
        }
        self.one_type(rule, of, place, (before, true));
    }

    /// Checks one element with its partner.
    fn pair<'a>(&mut self, rule: ElementRule<'a>, partner: Partner<'a>, of: Triple<'a>, place: &Place<'_>, alone: Id) {
        if self.verdict.is_settled() {
            return;
        }
        match partner {
            Partner::None => {
                self.verdict.same(alone, place, of.answer, of.config);
            }
            Partner::Prior(prior) => self.element(rule, Triple { prior, ..of }, place),
            Partner::Crash => {
                self.verdict.crash(Id::M30, place, of.answer.is_some(), "the prior has no element to look for");
            }
            // M02: a null or unknown block does not look into its prior, any other crashes.
            Partner::Untyped(prior) if !of.config.is_present() => self.element(rule, Triple { prior, ..of }, place),
            Partner::Untyped(_) => {
                self.verdict.crash(
                    Id::M42,
                    place,
                    of.answer.is_some(),
                    "the elements of the unknown prior are unknown",
                );
            }
            Partner::Open => self.verdict.leave_open(),
        }
    }

    /// Checks V08 if the subject refused, or if elements are wrong: an answer whose elements are all right has one type for them.
    fn one_type<'a>(
        &mut self,
        rule: ElementRule<'a>,
        of: Triple<'a>,
        place: &Place<'_>,
        (before, is_map): (usize, bool),
    ) {
        let is_suspect = of.answer.is_none() || (!self.verdict.is_quiet() && self.verdict.found() > before);
        // Under the map rule only maps stay maps; under the list rule everything but tuples becomes a list.
        let has_one_type = match of.config.ty() {
            Type::Tuple(_) => false,
            Type::Object(_) => !is_map,
            _ => true,
        };
        if !is_suspect || !has_one_type {
            return;
        }
        if result_type::of_elements(self.dialect, rule, of.prior, of.config, is_map).is_none() {
            // The findings on single elements are consequences of the answer that should not exist.
            self.verdict.forget(before);
            self.verdict.crash(Id::V08, place, of.answer.is_some(), "elements come out with different types");
        }
    }
}

/// M17: the prior element that is merged with the element at a key.
pub(super) fn list_partner<'a>(rule: ElementRule<'_>, prior: ValueRef<'a>, key: By<'_>) -> Partner<'a> {
    let of_block = matches!(rule, ElementRule::Block(_));
    let crash = || if of_block { Partner::Crash } else { Partner::Open };
    if !prior.is_unknown() {
        return match kinds::of_prior(Some(prior), key) {
            Some(partner) => partner.map_or(Partner::None, Partner::Prior),
            None => crash(),
        };
    }
    match kinds::at(prior, key) {
        Some(partner) if partner.ty().is_dynamic() && of_block => Partner::Untyped(partner),
        Some(partner) if !prior.ty().is_dynamic() => Partner::Prior(partner),
        _ => crash(),
    }
}

/// M18: whether a known prior has no keys to look for.
fn has_no_keys(prior: ValueRef<'_>) -> bool {
    !matches!(prior.ty(), Type::Map(_) | Type::Object(_))
}

/// M18: a prior, for lookups by text.
pub(super) struct PriorMap<'a> {
    prior: ValueRef<'a>,
    /// The elements of a set of texts (M30).
    texts: Option<BTreeMap<&'a Text, ValueRef<'a>>>,
}

impl<'a> PriorMap<'a> {
    pub(super) fn new(prior: ValueRef<'a>) -> PriorMap<'a> {
        PriorMap { prior, texts: kinds::texts(prior) }
    }

    /// The prior element that is merged with the element at a key.
    pub(super) fn partner(&self, dialect: Dialect, key: &Text, config: ValueRef<'a>) -> Partner<'a> {
        let PriorMap { prior, texts } = self;
        match (prior.ty(), texts) {
            (Type::Map(_) | Type::Object(_) | Type::Dynamic, _) | (_, Some(_)) => {}
            _ if prior.is_null() => {}
            _ => return Partner::Open,
        }
        let found = match texts {
            Some(texts) => texts.get(key).copied(),
            None => prior.entry(key),
        };
        match found {
            Some(prior) => Partner::Prior(prior),
            None if !dialect.merges_new_map_elements() => Partner::None,
            None if prior.is_unknown() => Partner::Prior(ValueRef::unknown(config.ty())),
            None => Partner::Prior(ValueRef::null(config.ty())),
        }
    }
}
