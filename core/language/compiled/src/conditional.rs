//! `c ? a : b` (E86 to E88).

use planfuzz_core::dialect::Dialect;
use planfuzz_core::value::convert::{convert, unify};
use planfuzz_core::value::{Type, Value, ValueRef, length_bounds};
use planfuzz_language::SourcePlace;
use planfuzz_language::expression::{MarkTree, Marked};

use crate::access::PLAIN;
use crate::make;
use crate::outcome::{Evaluated, Faults, Out, failure};

const INCONSISTENT: &str = "Inconsistent conditional result types";

/// A branch: its value, or after a failure the value that the evaluation continues with. Its type decides the result type.
struct Branch<'p> {
    value: std::borrow::Cow<'p, Marked>,
    faults: Faults,
}

impl<'p> Branch<'p> {
    fn new(out: Out<'p>) -> Branch<'p> {
        let mut faults = Faults::default();
        let value = faults.take(out);
        Branch { value, faults }
    }

    fn is_null_literal(&self) -> bool {
        self.value.ty().is_dynamic() && self.value.value.is_null() && self.value.marks.is_empty()
    }
}

pub(crate) fn conditional<'p>(
    place: SourcePlace,
    yes: Out<'p>,
    no: Out<'p>,
    condition: impl FnOnce() -> Out<'p>,
    dialect: Dialect,
) -> Evaluated {
    let (yes, no) = (Branch::new(yes), Branch::new(no));
    let ty = result_type(&yes, &no).ok_or_else(|| failure(INCONSISTENT, place, None))?;
    let mut faults = Faults::default();
    let condition = faults.take(condition());
    let takes_all_marks = dialect.marks_conditionals_by_all_parts();
    let both = yes.value.marks.own.and(no.value.marks.own);
    let failed = |mut faults: Faults, summary, marks| -> Evaluated {
        faults.add(summary, place);
        faults.end(Marked::from(Value::unknown(ty.clone())).with(marks))
    };
    if condition.value.is_null() {
        return failed(faults, "Null condition", PLAIN);
    }
    if condition.value.is_unknown() {
        let marks = if takes_all_marks { both.and(condition.marks.own) } else { both };
        return faults.end(Marked::from(undecided(ty, &yes.value.value, &no.value.value)).with(marks));
    }
    let Some(is_true) = convert(&condition.value, &Type::Bool).ok().and_then(|bool| bool.view().as_bool()) else {
        return failed(faults, "Incorrect condition type", PLAIN);
    };
    let (taken, other) = if is_true { (yes, no) } else { (no, yes) };
    // A branch that does not convert keeps these marks.
    let marks = if takes_all_marks { both.and(condition.marks.own) } else { PLAIN };
    if !goes_beside(taken.value.ty(), other.value.ty(), ty.element()) {
        return failed(faults, INCONSISTENT, marks);
    }
    faults.append(taken.faults);
    let value = taken.value.into_owned();
    let value = if ty.is_dynamic() || *value.ty() == ty {
        value
    } else {
        let Some(made) = value.convert(&ty) else { return failed(faults, INCONSISTENT, marks) };
        match marks_by_the_way(&value, &ty) {
            Some(marks) => Marked { marks, ..made },
            None => made,
        }
    };
    faults.end(value.with(marks))
}

/// The marks of a tuple that becomes a list. It first becomes a list of its elements' common type, and nulls that this conversion changes
/// lose their marks (E88).
fn marks_by_the_way(value: &Marked, ty: &Type) -> Option<MarkTree> {
    let (Type::Tuple(tuple), Type::List(element)) = (value.ty(), ty) else { return None };
    let own = unify(tuple.elements()).filter(|own| *own != **element)?;
    Some(value.convert(&Type::list(own))?.convert(ty)?.marks)
}

fn result_type(yes: &Branch<'_>, no: &Branch<'_>) -> Option<Type> {
    let (a, b) = (yes.value.ty(), no.value.ty());
    if yes.is_null_literal() {
        return Some(b.clone());
    }
    if a == b || no.is_null_literal() {
        return Some(a.clone());
    }
    if a.is_dynamic() || b.is_dynamic() {
        return Some(Type::Dynamic);
    }
    unify(&[a.clone(), b.clone()])
}

/// A tuple beside a list first becomes a list of its elements' common type, and an object beside a map becomes a map. Returns false if that
/// conversion fails because the result has another element type.
fn goes_beside(taken: &Type, other: &Type, element: Option<&Type>) -> bool {
    let Some(element) = element else { return true };
    match (taken, other) {
        (Type::Tuple(tuple), Type::List(_)) => match unify(tuple.elements()) {
            Some(first) if first != *element && !first.is_dynamic() => {
                tuple.elements().iter().all(|ty| stands_for(ty, &first, element))
            }
            _ => true,
        },
        (Type::Object(object), Type::Map(_)) if element.is_dynamic() => {
            let types: Vec<&Type> = object.attributes().iter().map(|part| &part.ty).collect();
            let typed: Vec<&&Type> = types.iter().filter(|ty| !ty.is_dynamic()).collect();
            typed.windows(2).all(|pair| pair[0] == pair[1])
        }
        _ => true,
    }
}

/// Whether an element can stand in for one of the common type.
fn stands_for(ty: &Type, first: &Type, element: &Type) -> bool {
    let is_row = |ty: &Type| matches!(ty, Type::List(_) | Type::Set(_));
    let is_like = ty.is_dynamic() || (is_row(ty) && is_row(first) && ty.element() == first.element());
    ty == first || (is_like && !element.is_dynamic())
}

/// What holds for both branches, as one unknown (E87).
fn undecided(ty: Type, yes: &Value, no: &Value) -> Value {
    if yes.is_null() && no.is_null() {
        return Value::null(ty);
    }
    if ty.is_dynamic() {
        return Value::unknown(ty);
    }
    let is_not_null = !make::may_be_null(yes.view()) && !make::may_be_null(no.view());
    // The length of a partly known set is not known.
    let is_open = |value: &Value| matches!(value.ty(), Type::Set(_)) && !value.is_unknown() && !value.is_wholly_known();
    let is_of_type = *yes.ty() == ty && *no.ty() == ty && !is_open(yes) && !is_open(no);
    let plain = |ty: Type| if is_not_null { make::not_null(ty) } else { Value::unknown(ty) };
    if !is_of_type || yes.is_null() || no.is_null() {
        return plain(ty);
    }
    match ty {
        Type::Number => number_range(yes.view(), no.view(), is_not_null),
        Type::List(_) | Type::Set(_) | Type::Map(_) => match (length_bounds(yes.view()), length_bounds(no.view())) {
            (Some(a), Some(b)) if is_not_null => make::sized(ty, a.0.min(b.0), a.1.max(b.1)),
            (Some(a), Some(b)) => make::sized_or_null(ty, a.0.min(b.0), a.1.max(b.1)),
            _ => plain(ty),
        },
        other => plain(other),
    }
}

fn number_range(a: ValueRef<'_>, b: ValueRef<'_>, is_not_null: bool) -> Value {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let ((a_least, a_most), (b_least, b_most)) = (make::bounds(a), make::bounds(b));
    let outer = |a: Option<planfuzz_core::value::Bound>, b: Option<planfuzz_core::value::Bound>, wanted| {
        let (a, b) = (a?, b?);
        let takes_second = match b.value.compare(&a.value) {
            Equal => b.inclusive || !a.inclusive,
            order => order == wanted,
        };
        Some(if takes_second { b } else { a })
    };
    make::between(outer(a_least, b_least, Less), outer(a_most, b_most, Greater), is_not_null)
}
