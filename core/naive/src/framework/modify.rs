//! Plan modifiers of attributes and blocks (F50 to F76).

use std::collections::BTreeSet;

use planfuzz_core::schema::Nesting;
use planfuzz_core::value::Text;
use planfuzz_pipelines::expression::Operation;
use planfuzz_pipelines::path::SchemaPath;
use planfuzz_pipelines::rules::{Mod, Rules};

use super::shape::{Fields, Part};
use super::{Failed, has_duplicates};
use crate::model::{Scene, equivalent, field, value_equal};
use crate::path;
use crate::schema::object;
use crate::value::{Is, Ty, Val};

/// The input of all modifiers.
#[derive(Clone, Copy)]
pub struct Step<'a> {
    /// The rules of the provider.
    pub rules: &'a Rules,
    /// The whole configuration.
    pub config: &'a Val,
    /// The whole prior object.
    pub prior: &'a Val,
    /// The whole plan at the start of the step.
    pub plan: &'a Val,
    /// The operation on the resource.
    pub operation: Operation,
}

/// A place: the names on the way to it, and its path, which ends where a set begins (F07).
#[derive(Clone)]
struct Place {
    names: Vec<Text>,
    path: String,
    is_in_set: bool,
}

impl Place {
    fn then(&self, step: &str) -> Place {
        let mut place = self.clone();
        if !place.is_in_set {
            place.path.push_str(step);
        }
        place
    }

    fn field(&self, name: &str) -> Place {
        let mut place = self.then(&path::attribute(name));
        place.names.push(Text::new(name));
        place
    }

    fn in_set(&self) -> Place {
        Place { is_in_set: true, ..self.clone() }
    }
}

/// An attribute's own values: configuration, prior, and plan at the start of the step.
type Sides = [Val; 3];

struct Run<'a> {
    step: Step<'a>,
    replace: BTreeSet<String>,
    has_failed: bool,
}

impl Step<'_> {
    /// The plan after the modifiers, and the paths for which they force a replacement.
    pub fn run(self, fields: Fields<'_>) -> Result<(Val, BTreeSet<String>), Failed> {
        let mut run = Run { step: self, replace: BTreeSet::new(), has_failed: false };
        let root = Place { names: Vec::new(), path: String::new(), is_in_set: false };
        let sides = [self.config.clone(), self.prior.clone(), self.plan.clone()];
        let plan = run.object(fields, &root, &sides, self.plan);
        let all = [self.config, self.prior, self.plan, &plan];
        let has_failed =
            run.has_failed || all.into_iter().any(|object| object.children().into_iter().any(has_duplicates));
        if has_failed { Err(Failed) } else { Ok((plan, run.replace)) }
    }
}

impl Run<'_> {
    /// F61. The sides are of the object.
    fn object(&mut self, fields: Fields<'_>, place: &Place, sides: &Sides, plan: &Val) -> Val {
        let Is::Named(members) = &plan.is else { return plan.clone() };
        let mut after = Vec::new();
        for (name, value) in members {
            let Some(part) = fields.part(name) else { continue };
            let own = [field(&sides[0], name), field(&sides[1], name), field(&sides[2], name)];
            after.push((name.clone(), self.part(part, &place.field(name), sides, &own, value)));
        }
        object(after)
    }

    /// `None` where a modifier has an error.
    fn modified(
        &mut self,
        mods: &[Mod],
        ty: &Ty,
        place: &Place,
        around: &Sides,
        own: &Sides,
        value: &Val,
    ) -> Option<Val> {
        let mut value = value.clone();
        for modifier in mods {
            let scene = Scene {
                this: [own[0].clone(), own[1].clone(), value.clone()],
                object: around.clone(),
                root: [self.step.config, self.step.prior, self.step.plan],
                operation: self.step.operation,
                changed: None,
            };
            let Ok((after, asks)) = run(modifier, ty, self.step.prior.is_null(), self.step.plan.is_null(), &scene)
            else {
                self.has_failed = true;
                return None;
            };
            value = after;
            if asks {
                self.replace.insert(place.path.clone());
            }
        }
        Some(value)
    }

    fn part(&mut self, part: Part<'_>, place: &Place, around: &Sides, own: &Sides, value: &Val) -> Val {
        let rule = self.step.rules.get(&SchemaPath::new(place.names.clone()));
        let mods = rule.map_or(&[][..], |rule| &rule.plan);
        let Some(value) = self.modified(mods, &part.ty(), place, around, own, value) else { return value.clone() };
        // F54.
        let Some((nesting, fields)) = part.inside() else { return value };
        if value.is_null() || value.is_unknown() {
            return value;
        }
        if nesting == Nesting::Single {
            return self.object(fields, place, own, &value);
        }
        let mods = rule.map_or(&[][..], |rule| &rule.element_plan);
        let is_block = matches!(part, Part::Block(_));
        let element = |run: &mut Self, place: &Place, own: &Sides, value: &Val| {
            // F57.
            let Some(value) = run.modified(mods, &fields.ty(), place, around, own, value) else { return value.clone() };
            // F58.
            let value = match &value.is {
                Is::Null if is_block => fields.filled(Val::null),
                Is::Unknown(_) if is_block => fields.filled(Val::unknown),
                _ => value,
            };
            run.object(fields, place, own, &value)
        };
        let is = match &value.is {
            Is::Seq(items) => {
                let mut after = Vec::new();
                for (index, item) in items.iter().enumerate() {
                    let place =
                        if nesting == Nesting::Set { place.in_set() } else { place.then(&format!("[{index}]")) };
                    let pair = |of: &Val| paired(of, fields, |of| of.children().get(index).map(|&item| item.clone()));
                    after.push(element(self, &place, &[pair(&own[0]), pair(&own[1]), pair(&own[2])], item));
                }
                Is::Seq(after.into())
            }
            Is::Named(entries) => {
                let mut after = Vec::new();
                for (key, item) in entries {
                    let place = place.then(&path::key(key));
                    let entry = |of: &Val| {
                        let Is::Named(entries) = &of.is else { return None };
                        entries.iter().find(|(other, _)| other == key).map(|(_, item)| item.clone())
                    };
                    let pair = |of: &Val| paired(of, fields, entry);
                    after.push((
                        key.clone(),
                        element(self, &place, &[pair(&own[0]), pair(&own[1]), pair(&own[2])], item),
                    ));
                }
                Is::Named(after.into())
            }
            other => other.clone(),
        };
        Val { ty: value.ty, is }
    }
}

/// F55.
fn paired(whole: &Val, fields: Fields<'_>, element: impl Fn(&Val) -> Option<Val>) -> Val {
    match &whole.is {
        Is::Unknown(_) => Val::unknown(fields.ty()),
        Is::Null => Val::null(fields.ty()),
        _ => element(whole).unwrap_or_else(|| Val::null(fields.ty())),
    }
}

/// One modifier: the value, and whether it forces a replacement (F70 to F76, and those of provider-model.md).
pub fn run(
    modifier: &Mod,
    ty: &Ty,
    state_null: bool,
    plan_null: bool,
    scene: &Scene<'_>,
) -> Result<(Val, bool), Failed> {
    let [config, state, plan] = &scene.this;
    let is_untyped = |value: &Val| *ty != Ty::Dynamic || value.ty == Ty::Dynamic;
    // F72.
    let replaces = |holds: bool| Ok((plan.clone(), !state_null && !plan_null && !value_equal(plan, state) && holds));
    let becomes = |value: Val| Ok((value, false));
    match modifier {
        Mod::UseStateForUnknown if !state_null && plan.is_unknown() && !config.is_unknown() => becomes(state.clone()),
        // F75.
        Mod::UseNonNullStateForUnknown => {
            let is_state_null = state.is_null() && is_untyped(state);
            let is_plan_unknown = plan.is_unknown() && is_untyped(plan);
            let is_config_unknown = config.is_unknown() && is_untyped(config);
            let is_kept = is_state_null || !is_plan_unknown || is_config_unknown;
            becomes(if is_kept { plan } else { state }.clone())
        }
        Mod::RequiresReplace => replaces(true),
        Mod::RequiresReplaceIfConfigured => replaces(!config.is_null()),
        Mod::RequiresReplaceIf(cond) => replaces(scene.holds(cond) != Some(false)),
        Mod::KeepStateIf(equivalence)
            if [plan, state].into_iter().all(|value| !value.is_null() && value.is_wholly_known())
                && equivalent(equivalence, plan, state) =>
        {
            becomes(state.clone())
        }
        Mod::DefaultIf(cond, expr) if config.is_null() => match scene.holds(cond) {
            Some(true) => becomes(scene.of_type(expr, ty)),
            Some(false) => becomes(plan.clone()),
            None => becomes(Val::unknown(ty.clone())),
        },
        Mod::UnknownIf(cond) if config.is_null() && scene.holds(cond) != Some(false) => {
            becomes(Val::unknown(ty.clone()))
        }
        Mod::ErrorIf(cond) if scene.holds(cond) == Some(true) => Err(Failed),
        Mod::Set(expr) => becomes(scene.of_type(expr, ty)),
        _ => becomes(plan.clone()),
    }
}
