//! Conditionals (E86 to E88).

use planfuzz_core::dialect::Engine;
use planfuzz_core::value::convert::unify;
use planfuzz_core::value::{Bound, Refiner, Type, Value, length_bounds};
use planfuzz_language::expression::{Expression, Marked, Marks};

use crate::evaluate::{Evaluator, Outcome};
use crate::unknowns::{self, dynamic, not_null, sized, unknown_not_null};

impl Evaluator<'_> {
    pub(crate) fn conditional(&mut self, parts: &[Expression; 3]) -> Outcome {
        let (yes, no) = (self.value(&parts[1]), self.value(&parts[2]));
        let Some(ty) = branch_type(&yes.value, &no.value) else { return Outcome::failed(BRANCHES, &parts[0]) };
        let Outcome { value: condition, faults } = self.value(&parts[0]);
        let unknown = || Marked::from(Value::unknown(ty.clone()));
        let failed =
            |summary, faults| Outcome { value: unknown(), ..Outcome::failed(summary, &parts[0]) }.behind(faults);
        let (condition, opened) = condition.open();
        if condition.value.is_null() {
            return failed("Null condition", faults);
        }
        let both = yes.value.marks.own.and(no.value.marks.own);
        if condition.value.is_unknown() {
            // E87: nothing is converted, and the errors of both are dropped.
            let value = either(&ty, &yes.value.value, &no.value.value);
            return Outcome { value: Marked::from(value).with(opened.and(both)), faults };
        }
        let Some(truth) = condition.convert(&Type::Bool) else { return failed("Incorrect condition type", faults) };
        let taken = if truth.value.view().as_bool() == Some(true) { yes } else { no };
        let mut faults = faults;
        faults.extend(taken.faults);
        let converted = if ty.is_dynamic() { Some(taken.value) } else { taken.value.convert(&ty) };
        let is_tofu = self.dialect.engine() == Engine::OpenTofu;
        let marks = if is_tofu { Marks::default() } else { opened.and(both) };
        match converted {
            Some(value) => Outcome { value: value.with(marks), faults },
            None => failed(BRANCHES, faults),
        }
    }
}

const BRANCHES: &str = "Inconsistent conditional result types";

/// The type of a conditional's result (E86); nothing where there is none.
fn branch_type(yes: &Marked, no: &Marked) -> Option<Type> {
    let is_null = |branch: &Marked| branch.value.is_null() && branch.ty().is_dynamic();
    let (a, b) = (yes.ty().clone(), no.ty().clone());
    if is_null(yes) {
        return Some(b);
    }
    if is_null(no) {
        return Some(a);
    }
    if a.is_dynamic() || b.is_dynamic() {
        return Some(Type::Dynamic);
    }
    let ty = unify(&[a.clone(), b.clone()])?;
    (fits_alone(&a, &ty) && fits_alone(&b, &ty)).then_some(ty)
}

/// Whether the elements of a tuple or object that becomes a collection have one type among themselves, as far as they have any. An
/// object with an attribute of no type is not looked at.
fn fits_alone(ty: &Type, result: &Type) -> bool {
    let parts: Vec<Type> = match ty {
        _ if !result.is_collection() => return true,
        Type::Tuple(tuple) => tuple.elements().to_vec(),
        Type::Object(object) => object.attributes().iter().map(|attribute| attribute.ty.clone()).collect(),
        _ => return true,
    };
    if matches!(ty, Type::Object(_)) && parts.iter().any(Type::is_dynamic) {
        return true;
    }
    let is_open = parts.iter().any(Type::is_dynamic);
    let typed: Vec<Type> = parts.into_iter().filter(|ty| !ty.is_dynamic()).collect();
    // Beside an element of no type there may be primitive ones alone.
    if is_open && !typed.iter().all(Type::is_primitive) {
        return false;
    }
    typed.is_empty() || unify(&typed).is_some()
}

/// E87: what is known of one of two values of a type.
fn either(ty: &Type, a: &Value, b: &Value) -> Value {
    if a.is_null() && b.is_null() {
        return Value::null(ty.clone());
    }
    if ty.is_dynamic() {
        return dynamic();
    }
    if !not_null(a) || !not_null(b) {
        return Value::unknown(ty.clone());
    }
    // A set that is known in part: how large it is, is not told.
    let is_part = |x: &Value| matches!(x.ty(), Type::Set(_)) && !x.is_unknown() && !x.is_wholly_known();
    let is_sized = ty.is_collection() && a.ty() == ty && b.ty() == ty && !is_part(a) && !is_part(b);
    if let (Some((a_least, a_most)), Some((b_least, b_most)), true) =
        (length_bounds(a.view()), length_bounds(b.view()), is_sized)
    {
        return sized(ty.clone(), a_least.min(b_least), a_most.max(b_most), true);
    }
    let mut refiner = Refiner::new(ty);
    let mut made = refiner.not_null();
    if *ty == Type::Number && a.ty() == ty && b.ty() == ty {
        let (a, b) = (unknowns::bounds(a), unknowns::bounds(b));
        let pick = |a: Option<Bound>, b: Option<Bound>, order: std::cmp::Ordering| {
            let (a, b) = (a?, b?);
            Some(if a.value.compare(&b.value) == order || (a.value.equals(&b.value) && a.inclusive) { a } else { b })
        };
        if let Some(min) = pick(a.0, b.0, std::cmp::Ordering::Less) {
            made = made.and_then(|()| refiner.number_min(min));
        }
        if let Some(max) = pick(a.1, b.1, std::cmp::Ordering::Greater) {
            made = made.and_then(|()| refiner.number_max(max));
        }
    }
    let made = made.and_then(|()| refiner.finish());
    made.map_or_else(|_| unknown_not_null(ty.clone()), |node| Value::from_parts(ty.clone(), node))
}
