//! One plan modifier (F70 to F76, and those of provider-model.md).

use crate::equality::value_equal;
use crate::expression::{Equiv, Scene, Source};
use crate::rules::Mod;
use planfuzz_core::value::{Tri, Type, Value, ValueRef};

/// Facts about the whole object that a modifier uses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Whole {
    pub state_null: bool,
    pub plan_null: bool,
}

/// The effect of a modifier.
#[derive(Debug, Default)]
pub(super) struct Effect {
    /// The new value; `None` if the modifier leaves it.
    pub value: Option<Value>,
    pub requires_replace: bool,
    pub is_error: bool,
}

impl Effect {
    fn of(value: Option<Value>) -> Effect {
        Effect { value, ..Effect::default() }
    }

    fn raised(requires_replace: bool) -> Effect {
        Effect { requires_replace, ..Effect::default() }
    }
}

/// Runs a modifier on the attribute of a scene, whose declared type is `ty`.
pub(super) fn run(modifier: &Mod, ty: &Type, whole: Whole, scene: &impl Scene) -> Effect {
    let (config, state, plan) = (scene.this(Source::Config), scene.this(Source::Prior), scene.this(Source::Plan));
    let has_changed = || !whole.state_null && !whole.plan_null && !value_equal(plan.view(), state.view());
    match modifier {
        Mod::UseStateForUnknown => {
            let applies = !whole.state_null && plan.is_unknown() && !config.is_unknown();
            Effect::of(applies.then_some(state))
        }
        Mod::UseNonNullStateForUnknown => {
            let [plan, config] = [&plan, &config].map(|value| value.is_unknown() && is_untyped(ty, value));
            let state_null = state.is_null() && is_untyped(ty, &state);
            Effect::of((!state_null && plan && !config).then_some(state))
        }
        Mod::RequiresReplace => Effect::raised(has_changed()),
        Mod::RequiresReplaceIfConfigured => Effect::raised(has_changed() && !config.is_null()),
        Mod::RequiresReplaceIf(cond) => Effect::raised(has_changed() && cond.holds(scene) != Tri::False),
        Mod::KeepStateIf(equiv) => {
            Effect::of(are_known_and_equivalent(equiv, plan.view(), state.view()).then_some(state))
        }
        Mod::DefaultIf(cond, expr) => Effect::of(default_if(&config, cond.holds(scene), ty, || expr.value(ty, scene))),
        Mod::UnknownIf(cond) => {
            let applies = config.is_null() && cond.holds(scene) != Tri::False;
            Effect::of(applies.then(|| Value::unknown(ty.clone())))
        }
        Mod::ErrorIf(cond) => Effect { is_error: cond.holds(scene) == Tri::True, ..Effect::default() },
        Mod::Set(expr) => Effect::of(Some(expr.value(ty, scene))),
    }
}

/// If nothing is configured: the value if the condition is true, unknown if the condition is unknown.
pub(super) fn default_if(config: &Value, holds: Tri, ty: &Type, value: impl FnOnce() -> Value) -> Option<Value> {
    match holds {
        _ if !config.is_null() => None,
        Tri::True => Some(value()),
        Tri::Unknown => Some(Value::unknown(ty.clone())),
        Tri::False => None,
    }
}

/// F75: F71 does not look inside a `dynamic`, in which even null and unknown have a type.
fn is_untyped(declared: &Type, value: &Value) -> bool {
    !declared.is_dynamic() || value.ty().is_dynamic()
}

fn are_known_and_equivalent(equiv: &Equiv, plan: ValueRef<'_>, state: ValueRef<'_>) -> bool {
    let is_value = |value: ValueRef<'_>| !value.is_null() && value.is_wholly_known();
    is_value(plan) && is_value(state) && equiv.relates(state, plan)
}
