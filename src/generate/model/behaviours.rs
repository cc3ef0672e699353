//! What attributes and blocks do: rules by schema path.

use planfuzz_core::schema::Nesting;
use planfuzz_core::value::{Text, Type, Value};
use planfuzz_pipelines::expression::{Canon, Cond, Equiv};
use planfuzz_pipelines::rules::{Check, Gen, Mod, NumberRange, Rule, Rules};

use super::super::dice::Share;
use super::super::value::ValueGenerator;
use super::expressions::{self, Bounds, DEPTH, Reach};
use super::spots::{Part, Spot};
use super::{Conduct, Kit};
use crate::generate::dice::weighted;

/// About how many attributes and blocks of one model have a rule.
const RULES: usize = 24;

/// The rules of a model.
pub(super) fn rules(values: &mut ValueGenerator<'_, '_, '_>, kit: &Kit<'_>) -> Rules {
    let share = Share::try_from(256 * RULES / kit.spots.len().max(1)).unwrap_or(Share::MAX).min(176);
    let mut rules = Rules::new();
    for spot in kit.spots {
        if !values.dice.chance(share) {
            continue;
        }
        let mut ruler = Ruler { kit, spot, rule: Rule::default() };
        match kit.conduct {
            Conduct::WellBehaved => ruler.well_behaved(values),
            Conduct::Free => ruler.free(values),
        }
        if ruler.rule != Rule::default() {
            *rules.entry(spot.path.clone()) = ruler.rule;
        }
    }
    rules
}

/// Makes the rule of one attribute or block.
struct Ruler<'k> {
    kit: &'k Kit<'k>,
    spot: &'k Spot,
    rule: Rule,
}

impl<'k> Ruler<'k> {
    fn reach(&self, bounds: Bounds) -> Reach<'k> {
        Reach { spots: self.kit.spots, of: Some(self.spot), bounds }
    }

    /// At most one value behaviour (W4), one or two modifiers, one check.
    fn well_behaved(&mut self, values: &mut ValueGenerator<'_, '_, '_>) {
        if values.dice.chance(56) && !self.spot.is_block() && self.spot.is_configurable() {
            self.check(values);
        }
        if self.spot.is_block() {
            return self.raise(values, 64);
        }
        if self.spot.write_only {
            return;
        }
        self.remote(values);
        if self.kit.is_sdk {
            return;
        }
        if self.spot.computed && !self.spot.inside.set {
            self.value(values);
        } else if self.spot.is_configurable() && values.dice.chance(48) {
            self.normalised(values);
        }
        let kept = self.rule.plan.iter().any(|plan| matches!(plan, Mod::UseStateForUnknown));
        if !self.spot.computed || kept {
            self.raise(values, 88);
        }
    }

    /// What a computed attribute is planned to be (W2, W3, W4, W5).
    fn value(&mut self, values: &mut ValueGenerator<'_, '_, '_>) {
        let Spot { inside, part, .. } = self.spot;
        let plain = *part == Part::Leaf && !inside.computed && !inside.elements;
        let keeps = |kit: &Kit<'_>| !(kit.spots.is_empty() || inside.repeated);
        weighted! { values.dice;
            60 * u8::from(plain) => self.rule.default = Some(expressions::constant(values, &self.spot.ty)),
            60 => if keeps(self.kit) {
                self.rule.plan.push(Mod::UseStateForUnknown);
                if values.dice.chance(80) {
                    let change = self.reach(Bounds::Monotone).change(values);
                    self.rule.plan.push(Mod::UnknownIf(change));
                }
            },
            20 => if keeps(self.kit) {
                self.rule.plan.push(Mod::UseNonNullStateForUnknown);
            },
            36 * u8::from(plain && !inside.repeated) => {
                let reach = Reach { of: None, ..self.reach(Bounds::Configured) };
                let (cond, value) = (reach.cond(values, DEPTH - 1), reach.expr(values, &self.spot.ty, DEPTH - 1));
                self.rule.plan.push(Mod::DefaultIf(cond, value));
            },
            24 => if keeps(self.kit) {
                let change = self.reach(Bounds::Monotone).change(values);
                self.rule.plan.push(Mod::UnknownIf(change));
            },
        }
    }

    /// A value that the remote system keeps in another form (W6, W7).
    fn normalised(&mut self, values: &mut ValueGenerator<'_, '_, '_>) {
        if self.spot.part != Part::Leaf || self.spot.inside.set {
            return;
        }
        match &self.spot.ty {
            Type::String => {
                let canon = expressions::canon(values);
                self.rule.equal = Some(Equiv::Canon(canon.clone()));
                if values.dice.chance(128) {
                    self.rule.plan.push(Mod::KeepStateIf(Equiv::Canon(canon.clone())));
                }
                self.rule.remote_form = values.dice.chance(176).then_some(canon);
            }
            Type::List(element) if **element == Type::String => {
                self.rule.equal = Some(Equiv::Unordered);
            }
            _ => {}
        }
    }

    /// A replacement or an error (W9).
    fn raise(&mut self, values: &mut ValueGenerator<'_, '_, '_>, share: Share) {
        if self.kit.is_sdk || !values.dice.chance(share) {
            return;
        }
        let top = u8::from(self.spot.is_top() && !self.spot.is_block());
        let modifier = weighted! { values.dice;
            60 * top => Mod::RequiresReplace,
            24 * top => Mod::RequiresReplaceIfConfigured,
            40 * top => Mod::RequiresReplaceIf(self.reach(Bounds::Monotone).cond(values, DEPTH)),
            16 => Mod::ErrorIf(self.rare(values)),
        };
        self.rule.plan.push(modifier);
    }

    /// A condition that is rarely true, so that a scenario goes on.
    fn rare(&mut self, values: &mut ValueGenerator<'_, '_, '_>) -> Cond {
        let reach = self.reach(Bounds::Free);
        Cond::All(vec![reach.cond(values, DEPTH - 1), reach.cond(values, DEPTH - 1)])
    }

    /// The rules for the values that the remote system computes (W8).
    fn remote(&mut self, values: &mut ValueGenerator<'_, '_, '_>) {
        if self.spot.computed && values.dice.chance(128) {
            self.rule.computed = Some(self.generated(values, true));
        }
        if self.spot.is_top() && self.spot.part == Part::Leaf && values.dice.chance(24) {
            self.rule.unreadable = true;
        }
    }

    /// The value that an unknown becomes. If `careful`, it does not read anything that is computed itself (W8).
    fn generated(&mut self, values: &mut ValueGenerator<'_, '_, '_>, careful: bool) -> Gen {
        let reach = self.reach(if careful { Bounds::Configured } else { Bounds::Free });
        let ty = &self.spot.ty;
        let (text, number) = (u8::from(*ty == Type::String), u8::from(*ty == Type::Number));
        // Z160: a computed collection of the SDK is never null, nor is its id.
        let is_id = self.spot.is_top() && self.spot.name().as_str() == "id";
        if careful && self.kit.is_sdk && (is_id || ty.is_collection()) {
            return Gen::Fill(values.dice.below(3) as u64);
        }
        weighted! { values.dice;
            60 => Gen::Fill(values.dice.below(3) as u64),
            16 => Gen::Null,
            30 => Gen::Const(expressions::constant(values, ty)),
            30 => reach.configured_leaf(values, Some(ty)).map_or(Gen::Fill(2), Gen::Copy),
            40 * text => Gen::Hash((0..=values.dice.below(2)).filter_map(|_| reach.configured_leaf(values, None)).collect()),
            40 * number => Gen::Counter(values.dice.below(4) as i64),
            30 => Gen::Once(Box::new(match number {
                1 => Gen::Counter(1),
                _ => Gen::Fill(values.dice.below(3) as u64),
            })),
        }
    }

    /// A check of the configured value (section 3.1).
    fn check(&mut self, values: &mut ValueGenerator<'_, '_, '_>) {
        let check = match (&self.spot.ty, values.dice.below(3)) {
            (_, 0) => {
                let reach = self.reach(self.kit.conduct.of_checks());
                Check::ErrorIf(Cond::All(vec![reach.cond(values, DEPTH - 1), reach.cond(values, DEPTH - 1)]))
            }
            (Type::Number, _) => {
                let (one, other) = (values.dice.below(2), 2 + values.dice.below(3));
                let [low, high] = [one, other].map(|index| values.pools.numbers[index].clone());
                Check::Range(NumberRange { low, high })
            }
            (Type::String, 1) => Check::Prefix(if values.dice.chance(128) { "".into() } else { "a".into() }),
            (ty, _) if *ty == Type::String || ty.is_collection() => Check::Length(0, 1 + values.dice.below(3) as u64),
            (ty, _) if !ty.has_dynamic() && self.spot.part == Part::Leaf => {
                Check::OneOf((0..3).map(|_| expressions::constant(values, ty)).collect())
            }
            _ => return,
        };
        self.rule.validate.push(check);
    }

    /// Any rule, without regard to the contract.
    fn free(&mut self, values: &mut ValueGenerator<'_, '_, '_>) {
        if values.dice.chance(48) && !self.spot.is_block() {
            self.check(values);
        }
        if values.dice.chance(100) && !self.spot.is_block() {
            self.rule.computed = Some(self.generated(values, false));
        }
        if values.dice.chance(40) {
            self.rule.remote_form = Some(free_canon(values, self.kit.is_sdk));
        }
        self.rule.unreadable = values.dice.chance(20);
        if self.kit.is_sdk {
            return;
        }
        // F01: a default stands on a computed attribute only.
        if self.spot.computed && values.dice.chance(72) {
            self.rule.default = Some(match self.spot.part {
                Part::Leaf if values.dice.chance(232) => expressions::constant(values, &self.spot.ty),
                _ => Value::null(self.spot.ty.clone()),
            });
        }
        if values.dice.chance(40) && self.spot.part == Part::Leaf {
            self.rule.equal = Some(free_equiv(values));
        }
        for _ in 0..values.dice.run(120, 3) {
            let modifier = self.modifier(values);
            self.rule.plan.push(modifier);
        }
        let (Part::Nested(nesting) | Part::Block(nesting)) = self.spot.part else { return };
        if nesting != Nesting::Single && values.dice.chance(96) {
            let modifier = self.element_modifier(values);
            self.rule.element_plan.push(modifier);
        }
    }

    fn modifier(&mut self, values: &mut ValueGenerator<'_, '_, '_>) -> Mod {
        let reach = self.reach(Bounds::Free);
        let ty = &self.spot.ty;
        match values.dice.below(10) {
            0 => Mod::RequiresReplace,
            1 => Mod::RequiresReplaceIfConfigured,
            2 => Mod::UseStateForUnknown,
            3 => Mod::UseNonNullStateForUnknown,
            4 => Mod::RequiresReplaceIf(reach.cond(values, DEPTH)),
            5 => Mod::KeepStateIf(free_equiv(values)),
            6 => Mod::DefaultIf(reach.cond(values, DEPTH - 1), reach.expr(values, ty, DEPTH)),
            7 => Mod::UnknownIf(reach.cond(values, DEPTH)),
            8 => Mod::ErrorIf(self.rare(values)),
            _ => Mod::Set(reach.expr(values, ty, DEPTH)),
        }
    }

    /// A modifier of element objects that leaves the value as it is.
    fn element_modifier(&mut self, values: &mut ValueGenerator<'_, '_, '_>) -> Mod {
        let reach = Reach { of: None, ..self.reach(Bounds::Free) };
        match values.dice.below(6) {
            0 => Mod::RequiresReplace,
            1 => Mod::UseStateForUnknown,
            2 => Mod::UseNonNullStateForUnknown,
            3 => Mod::RequiresReplaceIf(reach.cond(values, DEPTH)),
            4 => Mod::UnknownIf(reach.cond(values, DEPTH)),
            _ => Mod::RequiresReplaceIfConfigured,
        }
    }
}

/// A canonical form, perhaps one that is not idempotent.
pub(super) fn free_canon(values: &mut ValueGenerator<'_, '_, '_>, sdk: bool) -> Canon {
    match values.dice.below(7) {
        0 => Canon::Sorted,
        1 => Canon::Unique,
        2 if sdk => Canon::AlwaysPrefix,
        _ => expressions::canon(values),
    }
}

/// An equivalence, perhaps one that is not an equivalence relation.
pub(super) fn free_equiv(values: &mut ValueGenerator<'_, '_, '_>) -> Equiv {
    match values.dice.below(8) {
        0 => Equiv::Always,
        1 => Equiv::Unordered,
        2 => Equiv::Canon(Canon::Sorted),
        _ => expressions::text_equiv(values),
    }
}

/// Names for a check of the whole configuration.
pub(super) fn some_names(values: &mut ValueGenerator<'_, '_, '_>, spots: &[Spot]) -> Vec<Text> {
    let fits = |spot: &Spot| spot.is_configurable();
    let mut names: Vec<Text> = Vec::new();
    for _ in 0..2 + values.dice.below(2) {
        let found = expressions::top_name(values, spots, fits).map(|(_, name)| name);
        names.extend(found.filter(|name| !names.contains(name)));
    }
    names
}
