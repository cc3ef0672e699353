//! Conditions under which a model of the framework keeps the contract with Core (W1 to W11).

use super::condition::{Breaches, Condition};
use super::references::{Here, asks_of, needs_change, top};
use super::{innermost, makes_well, only_settles};
use crate::expression::{Canon, Equiv};
use crate::model::Model;
use crate::path::{SchemaPart, SchemaPath};
use crate::rules::{Mod, PlanRule, ReplacePath, Rule};
use planfuzz_core::schema::{Attribute, Block, Named, NestedBlock, Nesting, Schema, Shape};
use planfuzz_core::value::{Text, Type, WrittenStep};

/// The enclosing attributes and blocks of a place.
#[derive(Clone, Copy, Default)]
struct Above {
    depth: usize,
    /// A set attribute or block.
    set: bool,
    /// A list or map nested attribute.
    list_or_map: bool,
    /// A nested attribute that is computed.
    computed: bool,
}

struct Checker<'m, 'b> {
    model: &'m Model,
    schema: &'m Schema,
    breaches: &'b mut Breaches,
}

pub(super) fn check(model: &Model, schema: &Schema, plan: Option<&[PlanRule]>, breaches: &mut Breaches) {
    let mut checker = Checker { model, schema, breaches };
    checker.block(&schema.block, &SchemaPath::new(Vec::new()), Above::default());
    for rule in plan.into_iter().flatten() {
        checker.plan_rule(rule);
    }
    for (name, attribute) in schema.block.attributes.iter() {
        let values = plan.into_iter().flatten().filter(|rule| sets_default(rule, name)).count();
        let path = top(name);
        let count = values + checker.rule(&path).map_or(0, value_behaviours);
        checker.breaches.require(Condition::StableDefaults, &path, values == 0 || count == 1 && attribute.computed);
    }
}

impl<'m> Checker<'m, '_> {
    fn rule(&self, at: &SchemaPath) -> Option<&'m Rule> {
        self.model.rules.get(at)
    }

    fn block(&mut self, block: &Block, at: &SchemaPath, above: Above) {
        for (name, attribute) in block.attributes.iter() {
            self.attribute(attribute, &at.child(name), above);
        }
        for (name, nested) in block.block_types.iter() {
            self.nested_block(nested, &at.child(name), above);
        }
    }

    fn nested_block(&mut self, nested: &NestedBlock, at: &SchemaPath, above: Above) {
        let is_set = nested.nesting == Nesting::Set;
        if is_set {
            self.require_identifying_attribute(nested.block.attributes.iter(), at);
            let is_plain = !has_nested_below(&nested.block) || !computes(&nested.block);
            self.breaches.require(Condition::PlainSets, at, is_plain);
        }
        if let Some(rule) = self.rule(at) {
            let changes = rule.plan.iter().chain(&rule.element_plan).any(changes_value);
            self.breaches.require(Condition::NoForcedValues, at, !changes);
            let replaces = rule.plan.iter().chain(&rule.element_plan).any(asks_for_replacement);
            self.breaches.require(Condition::PlainReplacement, at, !replaces);
        }
        let above = Above { depth: above.depth + 1, set: above.set || is_set, ..above };
        self.block(&nested.block, at, above);
    }

    fn attribute(&mut self, attribute: &Attribute, at: &SchemaPath, above: Above) {
        let silent = Rule::default();
        let rule = self.rule(at).unwrap_or(&silent);
        self.values(attribute, rule, at, above);
        self.in_sets(attribute, rule, at, above);
        self.defaults(attribute, rule, at, above);
        self.replacement(attribute, rule, at, above);
        self.remote(attribute, rule, at, above);
        let bare = rule.default.is_none() && rule.plan.is_empty() && rule.element_plan.is_empty();
        self.breaches.require(Condition::BareWriteOnly, at, !attribute.write_only || bare);
        let Shape::Nested(nested) = &attribute.shape else { return };
        if attribute.optional && attribute.computed {
            self.breaches.require(Condition::WhollyComputed, at, nested.attributes.values().all(is_wholly_computed));
        }
        let is_set = nested.nesting == Nesting::Set;
        if is_set {
            self.require_identifying_attribute(nested.attributes.iter(), at);
            let is_plain = !has_nested(&nested.attributes) || !nested.attributes.values().any(has_computed);
            self.breaches.require(Condition::PlainSets, at, is_plain);
            self.breaches.require(Condition::PlainSets, at, !(attribute.optional && attribute.computed));
        }
        let above = Above {
            depth: above.depth + 1,
            set: above.set || is_set,
            list_or_map: above.list_or_map || matches!(nested.nesting, Nesting::List | Nesting::Map),
            computed: above.computed || attribute.computed,
        };
        for (name, attribute) in nested.attributes.iter() {
            self.attribute(attribute, &at.child(name), above);
        }
    }

    /// W1, and the rules on values in W4, W5 and W6.
    fn values(&mut self, attribute: &Attribute, rule: &Rule, at: &SchemaPath, _above: Above) {
        let here = Here::of(self.schema, Some(at));
        self.breaches.require(Condition::NoForcedValues, at, !rule.element_plan.iter().any(changes_value));
        for modifier in &rule.plan {
            match modifier {
                Mod::Set(_) => self.breaches.add(Condition::NoForcedValues, Some(at)),
                Mod::DefaultIf(cond, expr) => {
                    let stable = here.is_given_condition(cond) && here.is_given_value(expr);
                    self.breaches.require(Condition::StableDefaults, at, stable && attribute.computed);
                }
                Mod::UnknownIf(cond) => {
                    let on_change = needs_change(cond) && only_settles(cond) && asks_of(cond, &here);
                    self.breaches.require(Condition::UnknownOnChange, at, on_change && attribute.computed);
                }
                Mod::KeepStateIf(equiv) => {
                    let is_plain = attribute.leaf_type().is_some_and(|ty| !ty.is_collection());
                    self.breaches.require(Condition::TrueEquivalences, at, is_plain && is_equivalence(equiv))
                }
                _ => {}
            }
        }
        if let Some(equiv) = &rule.equal {
            self.breaches.require(Condition::TrueEquivalences, at, is_equivalence(equiv));
        }
        self.breaches.require(Condition::StableDefaults, at, value_behaviours(rule) <= 1);
    }

    /// W2.
    fn in_sets(&mut self, attribute: &Attribute, rule: &Rule, at: &SchemaPath, above: Above) {
        if !above.set {
            return;
        }
        let is_set_or_nested = attribute.leaf_type().is_none_or(|ty| matches!(ty, Type::Set(_)));
        let fills = rule.default.is_some() || rule.plan.iter().any(copies_state);
        let hides = attribute.computed && (attribute.optional || is_set_or_nested);
        self.breaches.require(Condition::PlainSets, at, !fills && !hides);
    }

    /// W2: every element has an attribute that identifies it.
    fn require_identifying_attribute<'a>(
        &mut self,
        mut attributes: impl Iterator<Item = (&'a Text, &'a Attribute)>,
        at: &SchemaPath,
    ) {
        let identifies = attributes.any(|(_, attribute)| attribute.required && !attribute.computed);
        self.breaches.require(Condition::PlainSets, at, identifies);
    }

    /// W3.
    fn defaults(&mut self, attribute: &Attribute, rule: &Rule, at: &SchemaPath, above: Above) {
        if rule.default.is_none() {
            return;
        }
        let has_computed = match &attribute.shape {
            Shape::Leaf(_) => false,
            Shape::Nested(nested) => nested.attributes.values().any(has_computed),
        };
        self.breaches.require(Condition::DefaultsAtLeaves, at, !has_computed && !above.computed && !above.list_or_map);
    }

    /// W9, for modifiers of attributes.
    fn replacement(&mut self, attribute: &Attribute, rule: &Rule, at: &SchemaPath, above: Above) {
        let elements = !rule.element_plan.iter().any(asks_for_replacement);
        self.breaches.require(Condition::PlainReplacement, at, elements);
        let mut is_kept = !attribute.computed;
        for modifier in &rule.plan {
            is_kept |= uses_state(modifier);
            let settles = !matches!(modifier, Mod::RequiresReplaceIf(cond) if !only_settles(cond));
            let plain = above.depth == 0 && is_kept && settles;
            self.breaches.require(Condition::PlainReplacement, at, plain || !asks_for_replacement(modifier));
        }
    }

    /// W7 and W8.
    fn remote(&mut self, attribute: &Attribute, rule: &Rule, at: &SchemaPath, above: Above) {
        if let Some(form) = &rule.remote_form {
            let is_hidden = rule.equal.as_ref().is_some_and(|equiv| hides(equiv, form));
            let is_text = matches!(attribute.leaf_type(), Some(Type::String));
            self.breaches.require(Condition::HiddenForms, at, is_hidden && is_text && !above.set);
        }
        if let Some(generator) = &rule.computed {
            let here = Here::of(self.schema, Some(at));
            self.breaches.require(Condition::KnownMakings, at, makes_well(generator, &here));
        }
    }

    fn plan_rule(&mut self, rule: &PlanRule) {
        let schema = self.schema;
        let here = Here::of(schema, None);
        let (rule, is_fixed) = innermost(rule);
        let computed = |name: &Text| schema.block.attributes.get(name).is_some_and(|attribute| attribute.computed);
        match rule {
            PlanRule::ErrorIf(_) => {}
            PlanRule::Set(name, _) => self.breaches.add(Condition::NoForcedValues, Some(&top(name))),
            PlanRule::SetAll(_) => self.breaches.add(Condition::NoForcedValues, None),
            PlanRule::Default(name, cond, expr) => {
                let stable = is_fixed && here.is_given_condition(cond) && here.is_given_value(expr);
                self.breaches.require(Condition::StableDefaults, &top(name), stable && computed(name));
            }
            PlanRule::UnknownIf(name, cond) => {
                let on_change = is_fixed && needs_change(cond) && only_settles(cond) && asks_of(cond, &here);
                self.breaches.require(Condition::UnknownOnChange, &top(name), on_change && computed(name));
            }
            PlanRule::RequiresReplace(path) => {
                let name = match path {
                    ReplacePath::Name(name) => Some(name.clone()),
                    ReplacePath::Path(path) => match path.steps() {
                        [WrittenStep::Attribute(name)] => Some(name.clone()),
                        _ => None,
                    },
                };
                match name {
                    Some(name) => self.replaces(&name, is_fixed),
                    None => self.breaches.add(Condition::PlainReplacement, None),
                }
            }
            PlanRule::ReplaceIf(name, cond) => self.replaces(name, is_fixed && only_settles(cond)),
            PlanRule::When(..) => {}
        }
    }

    /// W9, for rules of the whole resource.
    fn replaces(&mut self, name: &Text, settles: bool) {
        let path = top(name);
        let is_plain = match path.find(&self.schema.block).map(|place| place.part) {
            Some(SchemaPart::Attribute(attribute)) => {
                !attribute.computed || self.rule(&path).is_some_and(|rule| rule.plan.iter().any(uses_state))
            }
            _ => false,
        };
        self.breaches.require(Condition::PlainReplacement, &path, is_plain && settles);
    }
}

/// Whether a rule asks for a replacement because of a write-only attribute.
pub(super) fn always_replaces(schema: &Schema, rule: &PlanRule) -> bool {
    let name = match innermost(rule).0 {
        PlanRule::RequiresReplace(ReplacePath::Name(name)) | PlanRule::ReplaceIf(name, _) => name,
        PlanRule::RequiresReplace(ReplacePath::Path(path)) => match path.steps() {
            [WrittenStep::Attribute(name)] => name,
            // Deeper paths are not well behaved anyway.
            _ => return false,
        },
        _ => return false,
    };
    schema.block.attributes.get(name).is_some_and(|attribute| attribute.write_only)
}

fn changes_value(modifier: &Mod) -> bool {
    match modifier {
        Mod::RequiresReplace | Mod::RequiresReplaceIfConfigured | Mod::RequiresReplaceIf(_) | Mod::ErrorIf(_) => false,
        Mod::UseStateForUnknown
        | Mod::UseNonNullStateForUnknown
        | Mod::KeepStateIf(_)
        | Mod::DefaultIf(..)
        | Mod::UnknownIf(_)
        | Mod::Set(_) => true,
    }
}

fn asks_for_replacement(modifier: &Mod) -> bool {
    matches!(modifier, Mod::RequiresReplace | Mod::RequiresReplaceIfConfigured | Mod::RequiresReplaceIf(_))
}

fn uses_state(modifier: &Mod) -> bool {
    matches!(modifier, Mod::UseStateForUnknown | Mod::UseNonNullStateForUnknown)
}

fn copies_state(modifier: &Mod) -> bool {
    uses_state(modifier) || matches!(modifier, Mod::KeepStateIf(_))
}

/// W4: the number of defaults and kept values at one attribute. A value that is kept and then made unknown again counts too.
fn value_behaviours(rule: &Rule) -> usize {
    let default = usize::from(rule.default.is_some());
    default + rule.plan.iter().filter(|modifier| uses_state(modifier) || matches!(modifier, Mod::DefaultIf(..))).count()
}

fn sets_default(rule: &PlanRule, name: &Text) -> bool {
    matches!(innermost(rule).0, PlanRule::Default(probe, _, _) if probe == name)
}

fn is_equivalence(equiv: &Equiv) -> bool {
    !matches!(equiv, Equiv::Always | Equiv::NewEmpty)
}

/// Whether every text is equivalent to its form.
pub(super) fn hides(equiv: &Equiv, form: &Canon) -> bool {
    match (equiv, form) {
        (_, Canon::AlwaysPrefix | Canon::Sorted | Canon::Unique) => false,
        (Equiv::Canon(canon), form) => canon == form,
        (Equiv::Case, Canon::Lower) | (Equiv::Trim, Canon::Trim) | (Equiv::Json, Canon::Json) => true,
        _ => false,
    }
}

fn has_computed(attribute: &Attribute) -> bool {
    attribute.computed || attribute.nested_type().is_some_and(|nested| nested.attributes.values().any(has_computed))
}

/// Whether a rule makes an attribute unknown whose default sets it again in the next plan.
pub(super) fn fights_default(model: &Model, plan: &[PlanRule], rule: &PlanRule) -> bool {
    match innermost(rule).0 {
        PlanRule::UnknownIf(name, _) => {
            model.rules.get(&top(name)).is_some_and(sets_value) || plan.iter().any(|rule| sets_default(rule, name))
        }
        _ => false,
    }
}

/// Whether a rule gives an attribute a value where none is configured.
fn sets_value(rule: &Rule) -> bool {
    rule.default.is_some() || rule.plan.iter().any(|modifier| matches!(modifier, Mod::DefaultIf(..)))
}

/// Whether a set within a set has a computed part: Core cannot find the prior of such an element (N8).
pub(super) fn loses_elements(block: &Block, in_set: bool) -> bool {
    let in_blocks = block.block_types.values().any(|nested| {
        let is_set = nested.nesting == Nesting::Set;
        is_set && in_set && computes(&nested.block) || loses_elements(&nested.block, in_set || is_set)
    });
    in_blocks || block.attributes.values().any(|attribute| loses_elements_of(attribute, in_set))
}

fn loses_elements_of(attribute: &Attribute, in_set: bool) -> bool {
    attribute.nested_type().is_some_and(|nested| {
        let is_set = nested.nesting == Nesting::Set;
        let inside = |inner: &Attribute| loses_elements_of(inner, in_set || is_set);
        is_set && in_set && has_computed(attribute) || nested.attributes.values().any(inside)
    })
}

/// Whether anything in a block is computed.
fn computes(block: &Block) -> bool {
    let nested = block.block_types.values().any(|nested| computes(&nested.block));
    nested || block.attributes.values().any(has_computed)
}

/// Whether a block contains a nested attribute or a single block.
fn has_nested_below(block: &Block) -> bool {
    let is_single = |nesting: Nesting| matches!(nesting, Nesting::Single | Nesting::Group);
    let below = |nested: &NestedBlock| is_single(nested.nesting) || has_nested_below(&nested.block);
    has_nested(&block.attributes) || block.block_types.values().any(below)
}

/// Whether one of the attributes is a nested attribute.
fn has_nested(attributes: &Named<Attribute>) -> bool {
    attributes.values().any(|attribute| attribute.nested_type().is_some())
}

fn is_wholly_computed(attribute: &Attribute) -> bool {
    attribute.computed
        && attribute.nested_type().is_none_or(|nested| nested.attributes.values().all(is_wholly_computed))
}
