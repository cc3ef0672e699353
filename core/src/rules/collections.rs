//! Lists and maps of the merge (M17, M18), and the types that their elements come out with (V08).

use super::id::Id;
use super::merge::{ElementRule, Merge, Triple, show_answer};
use super::place::Place;
use super::result_type;
use crate::dialect::Dialect;
use crate::value::{Text, Type, ValueRef};

/// What M17 and M18 say of one element of the configuration.
#[derive(Clone, Copy, Debug)]
pub(super) enum Partner<'a> {
    /// It is taken as is.
    None,
    /// It is merged with this.
    Prior(ValueRef<'a>),
    /// The engine crashes.
    Crash,
    /// The rules do not say.
    Open,
}

impl Merge<'_> {
    /// M17.
    pub(super) fn list<'a>(&mut self, rule: ElementRule<'a>, of: Triple<'a>, place: &Place<'_>) {
        if !of.config.is_present() {
            self.verdict.same(Id::M17, place, of.answer, of.config);
            return;
        }
        let is_tuple = match of.config.ty() {
            Type::Tuple(_) => true,
            Type::List(_) => false,
            _ => return self.verdict.leave_open(),
        };
        if of.config.is_empty() {
            self.verdict.same(Id::M17, place, of.answer, of.config);
            return;
        }
        let count = of.config.len();
        let holds = of.answer.is_none_or(|answer| {
            matches!((answer.ty(), is_tuple), (Type::Tuple(_), true) | (Type::List(_), false)) && answer.len() == count
        });
        let kind = if is_tuple { "tuple" } else { "list" };
        let message = || format!("expected a {kind} of {count} elements, found {}", show_answer(of));
        if !self.verdict.hold(Id::M17, place, holds, message) {
            return;
        }
        let before = self.verdict.found();
        for index in 0..count {
            let Some(config) = of.config.element(index) else { return self.verdict.leave_open() };
            let answer = of.answer.and_then(|answer| answer.element(index));
            let partner = list_partner(rule, of.prior, index);
            self.pair(rule, partner, Triple { prior: of.prior, config, answer }, &place.index(index), Id::M17);
        }
        self.one_type(rule, of, place, before);
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
            _ => return self.verdict.leave_open(),
        };
        if of.config.is_empty() {
            self.verdict.same(Id::M18, place, of.answer, of.config);
            return;
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
        for (key, config) in of.config.entries() {
            let answer = of.answer.and_then(|answer| answer.entry(key));
            let at = if is_object { place.attribute(key) } else { place.key(key) };
            if of.answer.is_some() && answer.is_none() {
                self.verdict.hold(Id::M18, &at, false, || "expected an entry of that key, found none".to_owned());
                continue;
            }
            let partner = map_partner(self.dialect, of.prior, key, config);
            self.pair(rule, partner, Triple { prior: of.prior, config, answer }, &at, Id::M18);
        }
        self.one_type(rule, of, place, before);
    }

    /// One element and the partner that it has.
    fn pair<'a>(&mut self, rule: ElementRule<'a>, partner: Partner<'a>, of: Triple<'a>, place: &Place<'_>, alone: Id) {
        if self.verdict.is_settled() {
            return;
        }
        match partner {
            Partner::None => {
                self.verdict.same(alone, place, of.answer, of.config);
            }
            Partner::Prior(prior) => self.element(rule, Triple { prior, ..of }, place),
            // M42 says that any block crashes, M02 that a null or unknown one does not look into its prior.
            Partner::Crash if !of.config.is_present() => self.verdict.leave_open(),
            Partner::Crash => {
                self.verdict.crash(
                    Id::M42,
                    place,
                    of.answer.is_some(),
                    "the unknown prior says nothing of its elements",
                );
            }
            Partner::Open => self.verdict.leave_open(),
        }
    }

    /// V08, where the subject refused, or where elements are not as they should be: an answer whose elements are all
    /// right has one type for them.
    fn one_type<'a>(&mut self, rule: ElementRule<'a>, of: Triple<'a>, place: &Place<'_>, before: usize) {
        let is_suspect = of.answer.is_none() || (!self.verdict.is_quiet() && self.verdict.found() > before);
        if !is_suspect || of.config.ty().element().is_none() {
            return;
        }
        if result_type::of_elements(self.dialect, rule, of.prior, of.config).is_none() {
            // What was found of single elements follows from the answer that should not be.
            self.verdict.forget(before);
            self.verdict.crash(Id::V08, place, of.answer.is_some(), "elements come out with different types");
        }
    }
}

/// M17: what the element of that index is merged with.
pub(super) fn list_partner<'a>(rule: ElementRule<'_>, prior: ValueRef<'a>, index: usize) -> Partner<'a> {
    if prior.is_null() {
        return Partner::None;
    }
    match prior.ty() {
        Type::List(element) if prior.is_unknown() => Partner::Prior(ValueRef::unknown(element)),
        Type::Tuple(tuple) if prior.is_unknown() => {
            tuple.elements().get(index).map_or(Partner::Open, |ty| Partner::Prior(ValueRef::unknown(ty)))
        }
        Type::List(_) | Type::Tuple(_) => prior.element(index).map_or(Partner::None, Partner::Prior),
        Type::Dynamic if matches!(rule, ElementRule::Block(_)) => Partner::Crash,
        _ => Partner::Open,
    }
}

/// M18: what the element of that key is merged with.
pub(super) fn map_partner<'a>(dialect: Dialect, prior: ValueRef<'a>, key: &Text, config: ValueRef<'a>) -> Partner<'a> {
    match prior.ty() {
        Type::Map(_) | Type::Object(_) | Type::Dynamic => {}
        _ if prior.is_null() => {}
        _ => return Partner::Open,
    }
    match prior.entry(key) {
        Some(prior) => Partner::Prior(prior),
        None if !dialect.merges_new_map_elements() => Partner::None,
        None if prior.is_unknown() => Partner::Prior(ValueRef::unknown(config.ty())),
        None => Partner::Prior(ValueRef::null(config.ty())),
    }
}
