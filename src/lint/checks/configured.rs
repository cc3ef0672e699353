//! Checks planned values against configured ones (I06, I07), as far as a plan contains its configuration.
//!
//! A plan in JSON has the expressions of its configuration. A constant there is known whatever the instance: the planned value must
//! be the constant, or the prior value where changes are ignored or kept back.

use planfuzz_core::json::Json;
use planfuzz_core::plans::Action;
use planfuzz_core::schema::Attribute;
use planfuzz_core::value::{Text, Tri, Type, Value, ValueRef, equals};

use crate::lint::case::{ChangeCase, List, Typed};
use crate::lint::check::{Check, Flag, Needs, PLAN_JSON, Run, Severity};
use crate::lint::legacy::may_be_legacy;
use crate::lint::outcome::{CheckOutcome, Fault, Why};

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "I06-known",
        severity: Severity::Error,
        must: "What the provider does not compute is known in what is planned, where it is constant or not set in the configuration.",
        spec: "lifecycle.md section 21",
        needs: Needs::Flag(Flag::Computed),
        kinds: PLAN_JSON,
        run: Run::Change(known),
    },
    Check {
        id: "I06-as-configured",
        severity: Severity::Error,
        must: "What is constant in the configuration is planned, or what was there before.",
        spec: "lifecycle.md section 21",
        needs: Needs::Schema,
        kinds: PLAN_JSON,
        run: Run::Change(as_configured),
    },
    Check {
        id: "I07-not-set",
        severity: Severity::Error,
        must: "What is not set in the configuration, and not computed, is planned to be null.",
        spec: "lifecycle.md section 21",
        needs: Needs::Flag(Flag::Computed),
        kinds: PLAN_JSON,
        run: Run::Change(not_set),
    },
];

/// The configuration of an attribute.
enum Setting<'j> {
    NotSet,
    Constant(&'j Json),
    /// An expression with references.
    Open,
}

fn setting<'j>(expressions: &'j Json, name: &str) -> Setting<'j> {
    match expressions.member(name) {
        None => Setting::NotSet,
        Some(expression) => match (expression.member("constant_value"), expression.member("references")) {
            (Some(constant), None) => Setting::Constant(constant),
            _ => Setting::Open,
        },
    }
}

/// Checks each attribute of the resource itself. Nested blocks are left out, as dynamic ones may make them.
fn each(
    case: &ChangeCase<'_>,
    check: impl Fn(&Typed, &str, &Attribute, &Setting<'_>) -> Option<String>,
) -> CheckOutcome {
    let planned = matches!(case.action(), Action::NoOp | Action::Create | Action::Update) || case.action().is_replace();
    if !planned || case.list != List::Changes || case.change.id.deposed.is_some() {
        return CheckOutcome::DoesNotApply;
    }
    let Some(address) = &case.change.id.address else { return CheckOutcome::Cannot(Why::NoAddress) };
    let Some(configured) = case.file.expressions().get(&address.config_resource().to_string()) else {
        return CheckOutcome::Cannot(Why::NotInFile);
    };
    case.typed(|typed| {
        let attributes = typed.schema.schema.block.attributes.iter();
        let faults = attributes.filter(|(_, attribute)| !attribute.write_only).filter_map(|(name, attribute)| {
            let message = check(typed, name, attribute, &setting(configured, name))?;
            Some(Fault::at(format!(".{name}"), message))
        });
        CheckOutcome::none(faults.collect())
    })
}

fn after<'t>(typed: &'t Typed, name: &str) -> Option<ValueRef<'t>> {
    typed.after().value().view().member(name)
}

fn known(case: &ChangeCase<'_>) -> CheckOutcome {
    each(case, |typed, name, attribute, setting| {
        let is_settled = !attribute.computed && attribute.nested_type().is_none() && !matches!(setting, Setting::Open);
        let is_known = after(typed, name)?.is_wholly_known();
        (is_settled && !is_known).then(|| {
            "not known, though the provider does not compute it and the configuration does not leave it open; expected a known value".into()
        })
    })
}

/// As [`each`], except for legacy providers, which may plan other values (L41).
fn strict(
    case: &ChangeCase<'_>,
    check: impl Fn(&Typed, &str, &Attribute, &Setting<'_>) -> Option<String>,
) -> CheckOutcome {
    match (each(case, check), &case.typed) {
        (CheckOutcome::Held | CheckOutcome::Broken(_), Ok(typed)) if may_be_legacy(&typed.schema.schema) => {
            CheckOutcome::Cannot(Why::MaybeLegacy)
        }
        (outcome, _) => outcome,
    }
}

fn as_configured(case: &ChangeCase<'_>) -> CheckOutcome {
    strict(case, |typed, name, attribute, setting| {
        let Setting::Constant(constant) = setting else { return None };
        let planned = after(typed, name)?;
        if !planned.is_wholly_known() || attribute.nested_type().is_some() {
            return None;
        }
        let prior = typed.before().value().view().member(name);
        let is_prior = !typed.before().is_null() && prior.is_some_and(|prior| equals(prior, planned) == Tri::True);
        (!is_prior && !is_constant(constant, planned)?).then(|| {
            "other than the constant that is configured, and than what was there; expected one of them".to_owned()
        })
    })
}

fn not_set(case: &ChangeCase<'_>) -> CheckOutcome {
    let is_no_op = case.action() == Action::NoOp;
    strict(case, |typed, name, attribute, setting| {
        let planned = after(typed, name)?;
        let must_be_null = matches!(setting, Setting::NotSet) && !attribute.computed && !is_no_op;
        let prior = typed.before().value().view().member(name);
        let is_prior = !typed.before().is_null() && prior.is_some_and(|prior| equals(prior, planned) == Tri::True);
        (must_be_null && !planned.is_null() && !is_prior).then(|| {
            "a value, though the configuration sets none and the provider does not compute it; expected null".to_owned()
        })
    })
}

/// Whether a planned value is a constant of the configuration, converted; `None` if that cannot be decided.
fn is_constant(constant: &Json, planned: ValueRef<'_>) -> Option<bool> {
    let as_text = |text: &str| match planned.ty() {
        Type::String => Some(planned.as_text().is_some_and(|planned| *planned == Text::new(text))),
        _ => None,
    };
    match (constant, planned.ty()) {
        (Json::Null, _) => Some(planned.is_null()),
        (_, Type::String | Type::Number | Type::Bool) if planned.is_null() => Some(false),
        (Json::Bool(bool), Type::Bool) => Some(planned.as_bool() == Some(*bool)),
        (Json::Bool(bool), _) => as_text(if *bool { "true" } else { "false" }),
        (Json::Number(_), Type::Number) => {
            let constant = Value::from_stored_json(constant, &Type::Number).ok()?;
            Some(equals(constant.view(), planned) == Tri::True)
        }
        (Json::String(text), Type::String) => as_text(text),
        // A number as text, and texts as numbers, have many spellings; collections convert in many ways.
        _ => None,
    }
}
