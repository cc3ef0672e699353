//! Conditionals (E86 to E88).

use planfuzz_core::value::convert::unify;
use planfuzz_core::value::{Bound, Node, Range, Refiner, Type, Value, length_bounds};
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
        let takes_all = self.dialect.marks_conditionals_by_all_parts();
        if condition.value.is_unknown() {
            // E87: nothing is converted, and the errors of both are dropped.
            let value = either(&ty, &yes.value.value, &no.value.value);
            let marks = if takes_all { opened.and(both) } else { both };
            return Outcome { value: Marked::from(value).with(marks), faults };
        }
        let Some(truth) = condition.convert(&Type::Bool) else { return failed("Incorrect condition type", faults) };
        let is_true = truth.value.view().as_bool() == Some(true);
        let (taken, other) = if is_true { (yes, no) } else { (no, yes) };
        let marks = if takes_all { opened.and(both) } else { Marks::default() };
        // A branch that was chosen, but does not convert, leaves the marks.
        let misfit = |faults| {
            let Outcome { value, faults } = failed(BRANCHES, faults);
            Outcome { value: value.with(marks), faults }
        };
        if is_lost_beside(taken.value.ty(), other.value.ty(), &ty) {
            return misfit(faults);
        }
        let mut faults = faults;
        faults.extend(taken.faults);
        let converted = if ty.is_dynamic() { Some(taken.value) } else { through_own_list(&taken.value, &ty) };
        match converted {
            Some(value) => Outcome { value: value.with(marks), faults },
            None => misfit(faults),
        }
    }
}

/// A tuple beside a list first becomes a list of its elements' common type; the marks of nulls come from that conversion (E88).
fn through_own_list(taken: &Marked, ty: &Type) -> Option<Marked> {
    let made = taken.convert(ty)?;
    let (Type::Tuple(tuple), Type::List(_)) = (taken.ty(), ty) else { return Some(made) };
    let own = unify(tuple.elements()).and_then(|element| taken.convert(&Type::list(element)));
    let marks = own.and_then(|own| own.convert(ty)).map_or(made.marks, |through| through.marks);
    Some(Marked { marks, value: made.value })
}

const BRANCHES: &str = "Inconsistent conditional result types";

/// The type of a conditional's result (E86); `None` if the branches have no common type.
fn branch_type(yes: &Marked, no: &Marked) -> Option<Type> {
    // A marked null does not count as a null literal.
    let is_null = |branch: &Marked| branch.value.is_null() && branch.ty().is_dynamic() && branch.marks.is_empty();
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
    unify(&[a, b])
}

/// Whether a tuple beside a list, or an object beside a map, fails to become the result type: if the result has another element type than
/// the elements' common type, all elements have to be of one type already.
fn is_lost_beside(taken: &Type, other: &Type, result: &Type) -> bool {
    let Some(wanted) = result.element() else { return false };
    match (taken, other) {
        (Type::Tuple(tuple), Type::List(_)) => {
            let types = tuple.elements();
            let Some(own) = unify(types).filter(|own| own != wanted && !own.is_dynamic()) else { return false };
            // Lists and sets of the same element type count as equal, and null as any type.
            let is_same = |ty: &Type| match (ty, &own) {
                _ if *ty == own => true,
                _ if wanted.is_dynamic() => false,
                (Type::Dynamic, _) => true,
                (Type::List(a) | Type::Set(a), Type::List(b) | Type::Set(b)) => a == b,
                _ => false,
            };
            !types.iter().all(is_same)
        }
        (Type::Object(object), Type::Map(_)) if wanted.is_dynamic() => {
            let mut types = object.attributes().iter().map(|attribute| &attribute.ty).filter(|ty| !ty.is_dynamic());
            let first = types.next();
            types.any(|ty| Some(ty) != first)
        }
        _ => false,
    }
}

/// E87: what holds for both of two values of a type.
fn either(ty: &Type, a: &Value, b: &Value) -> Value {
    if a.is_null() && b.is_null() {
        return Value::null(ty.clone());
    }
    if ty.is_dynamic() {
        return dynamic();
    }
    if a.is_null() || b.is_null() {
        return Value::unknown(ty.clone());
    }
    // Refinements of a value that may be null hold only if it is not null.
    let is_there = not_null(a) && not_null(b);
    // The length of a partly known set is not known.
    let is_part = |x: &Value| matches!(x.ty(), Type::Set(_)) && !x.is_unknown() && !x.is_wholly_known();
    let is_sized = ty.is_collection() && a.ty() == ty && b.ty() == ty && !is_part(a) && !is_part(b);
    if let (Some((a_least, a_most)), Some((b_least, b_most)), true) =
        (length_bounds(a.view()), length_bounds(b.view()), is_sized)
    {
        let (least, most) = (a_least.min(b_least), a_most.max(b_most));
        let is_refined = is_there || least > 0 || most < i64::MAX.unsigned_abs();
        return if is_refined { sized(ty.clone(), least, most, is_there) } else { Value::unknown(ty.clone()) };
    }
    let mut refiner = Refiner::new(ty);
    let mut made = if is_there { refiner.not_null() } else { Ok(()) };
    if *ty == Type::Number && a.ty() == ty && b.ty() == ty {
        let (a, b) = (unknowns::bounds(a), unknowns::bounds(b));
        let pick = |a: Option<Bound>, b: Option<Bound>, order: std::cmp::Ordering| {
            let (a, b) = (a?, b?);
            let is_first = match a.value.compare(&b.value) {
                // The wider bound; of two equal bounds the second, which shows in the sign of a zero.
                std::cmp::Ordering::Equal => a.inclusive && !b.inclusive,
                found => found == order,
            };
            Some(if is_first { a } else { b })
        };
        if let Some(min) = pick(a.0, b.0, std::cmp::Ordering::Less) {
            made = made.and_then(|()| refiner.number_min(min));
        }
        if let Some(max) = pick(a.1, b.1, std::cmp::Ordering::Greater) {
            made = made.and_then(|()| refiner.number_max(max));
        }
    }
    let made = made.and_then(|()| refiner.finish());
    match made {
        Ok(Node::Unknown(Some(record))) if !record.not_null && matches!(record.range, Range::Any) => {
            Value::unknown(ty.clone())
        }
        Ok(node) => Value::from_parts(ty.clone(), node),
        Err(_) if is_there => unknown_not_null(ty.clone()),
        Err(_) => Value::unknown(ty.clone()),
    }
}
