//! `for` (E91).

use std::collections::BTreeMap;

use planfuzz_core::value::{Number, Text, Type, Value};
use planfuzz_language::expression::{Expression, Fault, For, Marked, Marks};

use crate::evaluate::{Evaluator, Outcome};
use crate::unknowns::dynamic;

const NULL: &str = "Condition is null";
const CONDITION: &str = "Invalid 'for' condition";
const KEY: &str = "Invalid object key";

/// The elements so far.
#[derive(Default)]
struct Made {
    elements: Vec<Marked>,
    members: BTreeMap<Text, Vec<Marked>>,
    marks: Marks,
    /// The marks of the condition evaluated with an unknown element: they count if the collection is unknown.
    before: Marks,
    faults: Vec<Fault>,
    /// Whether it is unknown which elements the result has.
    is_open: bool,
}

/// What happens to an element.
enum Verdict {
    Taken,
    Left,
}

impl Made {
    fn fault(&mut self, summary: &'static str, at: &Expression) {
        self.faults.push(Fault { summary, place: at.place() });
    }

    /// A fault that makes the elements unknown; it is reported only if they were known before.
    fn fault_once(&mut self, summary: &'static str, at: &Expression) {
        if !std::mem::replace(&mut self.is_open, true) {
            self.fault(summary, at);
        }
    }

    fn nothing(self) -> Outcome {
        Outcome { value: dynamic().into(), faults: self.faults }
    }

    fn value(self, each: &For) -> Outcome {
        let value = if self.is_open {
            dynamic().into()
        } else if each.key.is_none() {
            Marked::tuple(self.elements)
        } else {
            let member = |(name, mut values): (Text, Vec<Marked>)| {
                let only = if each.grouped { None } else { values.pop() };
                (name, only.unwrap_or_else(|| Marked::tuple(values)))
            };
            Marked::object(self.members.into_iter().map(member).collect())
        };
        Outcome { value: value.with(self.marks), faults: self.faults }
    }
}

impl Evaluator<'_> {
    pub(crate) fn for_expression(&mut self, each: &For) -> Outcome {
        let at = &each.collection;
        let Outcome { value, faults } = self.value(at);
        let (collection, marks) = value.open();
        let mut made = Made { marks, faults, ..Made::default() };
        if collection.value.is_null() {
            made.fault("Iteration over null value", at);
            return made.nothing();
        }
        if collection.ty().is_dynamic() {
            return made.nothing();
        }
        if collection.ty().is_primitive() {
            made.fault("Iteration over non-iterable value", at);
            return made.nothing();
        }
        let first = each.key_slot.unwrap_or(each.value_slot);
        if let Some(condition) = &each.condition
            && !self.tried_beforehand(each, condition, &mut made)
        {
            return made.nothing();
        }
        if collection.value.is_unknown() {
            made.is_open = true;
            made.marks = made.marks.and(made.before);
            return made.value(each);
        }
        let (names, parts) = (collection.keys(), collection.parts());
        let is_set = matches!(collection.ty(), Type::Set(_));
        for (number, part) in parts.into_iter().enumerate() {
            self.slots.truncate(first);
            if each.key_slot.is_some() {
                self.slots.push(match names.get(number) {
                    Some(name) => Value::string(name.as_str()).into(),
                    None if is_set => part.clone(),
                    None => Value::number(Number::counted(number as u64)).into(),
                });
            }
            self.slots.push(part);
            match self.verdict(each, &mut made) {
                Verdict::Left => {}
                Verdict::Taken => self.element(each, &mut made),
            }
        }
        self.slots.truncate(first);
        made.value(each)
    }

    /// Evaluates the condition once with an unknown element, even if there are no elements.
    fn tried_beforehand(&mut self, each: &For, condition: &Expression, made: &mut Made) -> bool {
        let first = each.key_slot.unwrap_or(each.value_slot);
        self.slots.truncate(first);
        self.slots.resize(each.value_slot + 1, dynamic().into());
        let Outcome { value: truth, faults } = self.value(condition);
        self.slots.truncate(first);
        let is_whole = faults.is_empty();
        made.faults.extend(faults);
        if truth.value.is_null() {
            made.fault(NULL, condition);
            return false;
        }
        match truth.convert(&Type::Bool) {
            None => {
                made.fault(CONDITION, condition);
                return false;
            }
            Some(truth) => made.before = truth.marks.own,
        }
        is_whole
    }

    /// Whether an element is taken.
    fn verdict(&mut self, each: &For, made: &mut Made) -> Verdict {
        let Some(condition) = &each.condition else { return Verdict::Taken };
        let Outcome { value: truth, faults } = self.value(condition);
        made.faults.extend(faults);
        let (truth, own) = truth.open();
        made.marks = made.marks.and(own);
        if truth.value.is_null() {
            made.fault_once(CONDITION, condition);
            return Verdict::Left;
        }
        // For an object, a condition of a wrong type is a fault even if it is unknown; for a tuple, the type of an unknown does not matter.
        if truth.value.is_unknown() && (each.key.is_none() || truth.convert(&Type::Bool).is_some()) {
            made.is_open = true;
            return Verdict::Left;
        }
        match truth.convert(&Type::Bool) {
            None => {
                made.fault_once(CONDITION, condition);
                Verdict::Left
            }
            Some(truth) if truth.value.view().as_bool() == Some(true) => Verdict::Taken,
            Some(_) => Verdict::Left,
        }
    }

    fn element(&mut self, each: &For, made: &mut Made) {
        let Some(key) = &each.key else {
            let outcome = self.value(&each.value);
            made.faults.extend(outcome.faults);
            made.elements.push(outcome.value);
            return;
        };
        let Outcome { value: name, faults } = self.value(key);
        made.faults.extend(faults);
        let (name, own) = name.open();
        made.marks = made.marks.and(own);
        if name.value.is_null() {
            made.fault_once(KEY, key);
            return;
        }
        if name.value.is_unknown() {
            // An unknown of any type.
            made.is_open = true;
            return;
        }
        let name = name.convert(&Type::String);
        let Some(name) = name.as_ref().and_then(|name| name.value.view().as_text()) else {
            made.fault_once(KEY, key);
            return;
        };
        let outcome = self.value(&each.value);
        made.faults.extend(outcome.faults);
        if !each.grouped && made.members.contains_key(name) {
            made.fault("Duplicate object key", &each.collection);
        } else {
            made.members.entry(name.clone()).or_default().push(outcome.value);
        }
    }
}
