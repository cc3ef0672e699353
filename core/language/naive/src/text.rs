//! Templates: parts that become one string (E89, E90).

use planfuzz_core::value::{Type, Value};
use planfuzz_language::expression::{Expression, Fault, Marked, Marks};

use crate::evaluate::{Evaluator, Outcome};
use crate::unknowns::begun;

/// Joins parts to a string, as far as they are known.
#[derive(Default)]
struct Joined {
    text: String,
    /// Whether a part was unknown; the text after it is dropped.
    is_open: bool,
    marks: Marks,
    faults: Vec<Fault>,
}

impl Joined {
    /// Adds a part; one that does not convert to a string is a fault.
    fn push(&mut self, part: &Marked, at: &Expression) {
        let fault = Fault { summary: "Invalid template interpolation value", place: at.place() };
        if part.value.is_null() {
            // The marks of null do not count.
            self.faults.push(fault);
            return;
        }
        self.marks = self.marks.and(part.marks.own);
        if part.value.is_unknown() {
            // An unknown of any type.
            self.is_open = true;
            return;
        }
        let converted = part.convert(&Type::String);
        match converted.as_ref().map(|part| part.value.view().as_text()) {
            None => self.faults.push(fault),
            // After an unknown part or a fault no more text is written.
            Some(Some(piece)) if !self.is_open && self.faults.is_empty() => self.text.push_str(piece.as_str()),
            Some(Some(_)) => {}
            Some(None) => self.is_open = true,
        }
    }

    fn value(&self) -> Value {
        if self.is_open { begun(&self.text) } else { Value::string(&self.text) }
    }
}

impl Evaluator<'_> {
    pub(crate) fn template(&mut self, at: &Expression, parts: &[Expression]) -> Outcome {
        let mut joined = Joined::default();
        for part in parts {
            let outcome = self.value(part);
            joined.faults.extend(outcome.faults);
            joined.push(&outcome.value, at);
        }
        Outcome { value: Marked::from(joined.value()).with(joined.marks), faults: joined.faults }
    }

    /// `%{ for }`: an unknown element loses the marks of all elements, an unknown collection loses all marks.
    pub(crate) fn join(&mut self, at: &Expression, inner: &Expression) -> Outcome {
        let Outcome { value, faults } = self.value(inner);
        let (own, is_open) = (value.marks.own, value.value.is_unknown());
        let mut joined =
            Joined { is_open: value.value.is_unknown(), marks: value.marks.own, faults, ..Joined::default() };
        value.parts().iter().for_each(|part| joined.push(part, at));
        let marks = match (is_open, joined.is_open) {
            (true, _) => Marks::default(),
            (_, true) => own,
            _ => joined.marks,
        };
        Outcome { value: Marked::from(joined.value()).with(marks), faults: joined.faults }
    }
}
