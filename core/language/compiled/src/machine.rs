//! Walks the operations of a program over the values of a scope.

use std::borrow::Cow;
use std::cell::Cell;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::value::convert::convert;
use planfuzz_core::value::{Text, Type, Value};
use planfuzz_language::expression::Marked;

use crate::access::{self, PLAIN};
use crate::names::Slots;
use crate::operation::{Operation, What};
use crate::outcome::{Evaluated, Faults, Out, failure};
use crate::{call, conditional, iterate, operators, template};

/// The summary of the fault if an evaluation would do too much work.
pub const TOO_LARGE: &str = "Expression is too large";

/// One evaluation.
pub(crate) struct Machine<'p> {
    pub slots: &'p Slots,
    pub dialect: Dialect,
    /// The depth of nested `templatefile` and `templatestring` calls.
    pub templates: usize,
    left: Cell<u64>,
}

/// The variables of `for` and splats.
pub(crate) struct Frame(Vec<Marked>);

impl Frame {
    pub fn new(locals: usize) -> Frame {
        Frame(vec![Value::unknown(Type::Dynamic).into(); locals])
    }

    pub fn set(&mut self, local: usize, value: Marked) {
        self.0[local] = value;
    }
}

impl<'p> Machine<'p> {
    pub fn new(slots: &'p Slots, dialect: Dialect, work: u64) -> Machine<'p> {
        Machine { slots, dialect, templates: 0, left: Cell::new(work) }
    }

    /// A machine for a nested evaluation, with the same budget of work.
    pub fn inside<'q>(&self, slots: &'q Slots) -> Machine<'q> {
        Machine { slots, dialect: self.dialect, templates: self.templates + 1, left: Cell::new(self.left.get()) }
    }

    /// Takes over the remaining budget of a nested machine.
    pub fn leave(&self, inner: &Machine<'_>) {
        self.left.set(inner.left.get());
    }

    /// Takes `work` from the budget; false if it was not left.
    pub fn spend(&self, work: u64) -> bool {
        let left = self.left.get();
        self.left.set(left.saturating_sub(work));
        work <= left
    }

    pub fn run(&self, operation: &'p Operation, frame: &mut Frame) -> Out<'p> {
        let place = operation.place;
        if !self.spend(1) {
            return Err(failure(TOO_LARGE, place, None));
        }
        let made = match &operation.what {
            What::Constant(value) => return Ok(Cow::Borrowed(value)),
            What::Load(slot) => {
                return Ok(match self.slots.get(*slot) {
                    Some(value) => Cow::Borrowed(value),
                    None => Cow::Owned(Value::unknown(Type::Dynamic).into()),
                });
            }
            What::Local(local) => Ok(frame.0[*local].clone()),
            What::Fault(summary) => Err(failure(summary, place, None)),
            What::Template(parts) => template::joined(parts.iter().map(|part| (part.place, self.run(part, frame)))),
            What::Join(tuple) => template::tuple_joined(self.run(tuple, frame), place),
            What::Attribute(source, name) => access::attribute(self.run(source, frame), name, place),
            What::Index(both) => {
                let source = self.run(&both[0], frame);
                access::index(source, self.run(&both[1], frame), place)
            }
            What::Splat(splat) => iterate::splat(self, frame, splat, place),
            What::Unary(operator, operand) => operators::unary(*operator, place, self.run(operand, frame)),
            What::Binary(operator, both) => {
                let left = self.run(&both[0], frame);
                match operators::is_decided(*operator, &left, self.dialect) {
                    Some(value) => Ok(value),
                    None => operators::binary(*operator, place, left, self.run(&both[1], frame)),
                }
            }
            What::Conditional(parts) => {
                let [condition, yes, no] = &**parts;
                let (yes, no) = (self.run(yes, frame), self.run(no, frame));
                conditional::conditional(place, yes, no, || self.run(condition, frame), self.dialect)
            }
            What::Call(call) => call::call(self, frame, call, place),
            What::Try(parts) => call::first_without_faults(self, frame, parts, place),
            What::SpecialSpread(is_try, parts) => call::special_spread(self, frame, *is_try, parts, place),
            What::Can(part) => Ok(call::can(self.run(part, frame))),
            What::Attempt(part) => {
                Ok(Marked::tuple(self.run(part, frame).ok().map(Cow::into_owned).into_iter().collect()))
            }
            What::Tuple(parts) => self.tuple(parts, frame),
            What::Object(members) => self.object(members, frame),
            What::For(each) => iterate::each(self, frame, each, place),
        };
        made.map(Cow::Owned)
    }

    fn tuple(&self, parts: &'p [Operation], frame: &mut Frame) -> Evaluated {
        let mut faults = Faults::default();
        let parts = parts.iter().map(|part| faults.take(self.run(part, frame)).into_owned()).collect();
        let whole = Marked::tuple(parts);
        faults.end(whole)
    }

    /// E81
    fn object(&self, members: &'p [(Operation, Operation)], frame: &mut Frame) -> Evaluated {
        let mut faults = Faults::default();
        let mut made: Vec<(Text, Marked)> = Vec::with_capacity(members.len());
        let (mut marks, mut is_known) = (PLAIN, true);
        for (key, value) in members {
            let name = self.run(key, frame);
            let value = faults.take(self.run(value, frame)).into_owned();
            let name = match name {
                Ok(name) => name,
                Err(failed) => {
                    faults.take(Err(failed));
                    is_known = false;
                    continue;
                }
            };
            marks = marks.and(name.marks.own);
            if name.value.is_null() {
                faults.add("Null value as key", key.place);
                is_known = false;
                continue;
            }
            match convert(&name.value, &Type::String).map(|name| name.view().as_text().cloned()) {
                Ok(Some(name)) => made.push((name, value)),
                Ok(None) => is_known = false,
                Err(_) => {
                    faults.add("Incorrect key type", key.place);
                    is_known = false;
                }
            }
        }
        // An object with unknown keys loses their marks.
        let whole = if is_known { Marked::object(made).with(marks) } else { Value::unknown(Type::Dynamic).into() };
        faults.end(whole)
    }
}
