//! Splats (E92a, E92b).

use planfuzz_core::value::convert::unify;
use planfuzz_core::value::{Type, Value, length_bounds};
use planfuzz_language::expression::{Expression, Fault, Marked, Marks};

use crate::evaluate::{Evaluator, Outcome};
use crate::unknowns::{dynamic, not_null, sized, unknown_not_null};

impl Evaluator<'_> {
    /// Evaluates the steps of the splat for one element.
    fn with_element(&mut self, slot: usize, element: Marked, each: &Expression) -> Outcome {
        self.slots.truncate(slot);
        self.slots.push(element);
        let outcome = self.value(each);
        self.slots.truncate(slot);
        outcome
    }

    pub(crate) fn splat(&mut self, at: &Expression, source: &Expression, slot: usize, each: &Expression) -> Outcome {
        let Outcome { value: source, faults } = self.value(source);
        if !faults.is_empty() {
            return Outcome { value: dynamic().into(), faults };
        }
        let (value, marks) = source.open();
        let ty = value.ty().clone();
        let is_unknown = value.value.is_unknown();
        let element = match &ty {
            Type::List(element) | Type::Set(element) => Some((**element).clone()),
            _ => None,
        };
        let is_sequence = element.is_some() || matches!(ty, Type::Tuple(_));
        if value.value.is_null() {
            let empty = Marked::tuple(Vec::new()).with(marks);
            return if is_sequence { Outcome::failed("Splat of null value", at) } else { empty.into() };
        }
        if ty.is_dynamic() {
            return Marked::from(dynamic()).with(marks).into();
        }
        if is_unknown && !is_sequence && !not_null(&value.value) {
            // A step that fails for the value is a fault, even if the value may be null.
            let tried = self.with_element(slot, value, each);
            return Outcome { value: Marked::from(dynamic()).with(marks), ..tried };
        }
        if let (Some(element), true) = (&element, is_unknown) {
            let tried = self.with_element(slot, Value::unknown(element.clone()).into(), each);
            let (least, most) = length_bounds(value.value.view()).unwrap_or((0, u64::MAX));
            let made = sized(Type::list(tried.value.ty().clone()), least, most, true);
            return Outcome { value: Marked::from(made).with(marks), ..tried };
        }
        let parts = match &ty {
            Type::Tuple(tuple) if is_unknown => {
                tuple.elements().iter().map(|ty| Value::unknown(ty.clone()).into()).collect()
            }
            _ if is_sequence => value.parts(),
            _ => vec![value.with(marks)],
        };
        let made = self.elements(parts, element, marks, slot, each);
        if is_unknown && is_sequence {
            let value = Marked::from(unknown_not_null(made.value.ty().clone())).with(marks);
            return Outcome { value, ..made };
        }
        made
    }

    fn elements(
        &mut self,
        parts: Vec<Marked>,
        element: Option<Type>,
        marks: Marks,
        slot: usize,
        each: &Expression,
    ) -> Outcome {
        let (mut results, mut faults) = (Vec::with_capacity(parts.len()), Vec::<Fault>::new());
        let types: Vec<Type> = parts.iter().map(|part| part.ty().clone()).collect();
        for part in parts {
            let outcome = self.with_element(slot, part, each);
            results.push(outcome.value);
            faults.extend(outcome.faults);
        }
        if let (Some(element), true) = (&element, results.is_empty()) {
            // Without elements, evaluates with an unknown one, to report steps that fail for every element.
            let tried = self.with_element(slot, Value::unknown(element.clone()).into(), each);
            let made = listed(&tried.value.ty().clone(), Vec::new());
            return Outcome { value: made.with(marks), faults: tried.faults };
        }
        if !faults.is_empty() {
            // The type of each element comes from an unknown element.
            let mut ty = |of| self.with_element(slot, Value::unknown(of).into(), each).value.ty().clone();
            let ty = match element {
                None => Type::tuple(types.into_iter().map(ty).collect()),
                Some(element) => Type::list(ty(element)),
            };
            return Outcome { value: Marked::from(Value::unknown(ty)).with(marks), faults };
        }
        let made = match element {
            None => Marked::tuple(results),
            Some(_) => match unify(&results.iter().map(|part| part.ty().clone()).collect::<Vec<_>>()) {
                Some(ty) => listed(&ty, results),
                None => Marked::tuple(results),
            },
        };
        Outcome { value: made.with(marks), faults }
    }
}

/// A list of this type, or a tuple where they do not convert.
fn listed(ty: &Type, parts: Vec<Marked>) -> Marked {
    let converted = parts.iter().map(|part| part.convert(ty)).collect::<Option<Vec<_>>>();
    converted.and_then(|parts| Marked::list(ty, parts)).unwrap_or_else(|| Marked::tuple(parts))
}
