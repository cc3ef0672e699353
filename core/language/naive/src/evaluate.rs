//! Evaluation (section 6): a walk over the tree, with the variables of `for` and splats in numbered slots.
//!
//! The engine continues after a fault with what it has: a tuple with a failed element is still a tuple, a failed operator is an unknown of
//! its type, and faults in using those are reported too. So every step returns a value *and* faults.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::value::{Type, Value};
use planfuzz_language::expression::{
    Evaluated, Expression, Failure, Fault, Item, Kind, Marked, Marks, Scope, UnaryOperator,
};

use crate::access::{attribute, index};
use crate::operators;
use crate::unknowns::dynamic;

/// Evaluates an expression.
///
/// # Errors
/// The faults that the engine reports.
pub fn evaluate(expression: &Expression, scope: &dyn Scope, dialect: Dialect) -> Evaluated {
    let outcome = Evaluator { scope, dialect, slots: Vec::new(), templates: 0 }.value(expression);
    if outcome.faults.is_empty() {
        return Ok(outcome.value);
    }
    Err(Failure { faults: outcome.faults, value: outcome.value })
}

/// The outcome of a step: if there are faults, the value is what the engine continues with.
pub(crate) struct Outcome {
    pub(crate) value: Marked,
    pub(crate) faults: Vec<Fault>,
}

impl From<Marked> for Outcome {
    fn from(value: Marked) -> Outcome {
        Outcome { value, faults: Vec::new() }
    }
}

impl Outcome {
    /// An unknown with one fault.
    pub(crate) fn failed(summary: &'static str, at: &Expression) -> Outcome {
        Outcome { value: dynamic().into(), faults: vec![Fault { summary, place: at.place() }] }
    }

    /// The value of an answer, or an unknown with its fault.
    pub(crate) fn of(answer: Result<Marked, &'static str>, at: &Expression) -> Outcome {
        answer.map_or_else(|summary| Outcome::failed(summary, at), Outcome::from)
    }

    /// Puts the faults of earlier steps before its own.
    pub(crate) fn behind(mut self, mut earlier: Vec<Fault>) -> Outcome {
        earlier.append(&mut self.faults);
        Outcome { faults: earlier, ..self }
    }
}

pub(crate) struct Evaluator<'s> {
    pub(crate) scope: &'s dyn Scope,
    pub(crate) dialect: Dialect,
    pub(crate) slots: Vec<Marked>,
    /// The depth of nested `templatefile` and `templatestring` calls.
    pub(crate) templates: usize,
}

impl Evaluator<'_> {
    pub(crate) fn value(&mut self, expression: &Expression) -> Outcome {
        match &expression.kind {
            Kind::Literal(value) => Marked::from(value.clone()).into(),
            Kind::Parentheses(inner) => self.value(inner),
            Kind::Slot(slot) => Outcome::of(self.slots.get(*slot).cloned().ok_or("Invalid reference"), expression),
            Kind::Root(root) => {
                let found = self.scope.value(root.as_str(), None).map(|found| found.0);
                Outcome::of(found.ok_or("Invalid reference"), expression)
            }
            Kind::Attribute(inner, name) => {
                if let Kind::Root(root) = &inner.kind {
                    return match self.scope.value(root.as_str(), Some(name.as_str())) {
                        Some((value, true)) => value.into(),
                        Some((value, false)) => Outcome::of(attribute(&value, name), expression),
                        None => Outcome::failed("Invalid reference", expression),
                    };
                }
                let inner = self.value(inner);
                Outcome::of(attribute(&inner.value, name), expression).behind(inner.faults)
            }
            Kind::Index(inner, key) => {
                let (inner, key) = (self.value(inner), self.value(key));
                let found = Outcome::of(index(&inner.value, &key.value), expression);
                found.behind(inner.faults.into_iter().chain(key.faults).collect())
            }
            Kind::Template(parts) => self.template(expression, parts),
            Kind::Join(inner) => self.join(expression, inner),
            Kind::Splat(source, slot, each) => self.splat(expression, source, *slot, each),
            Kind::Unary(operator, operand) => self.unary(*operator, operand),
            Kind::Binary(operator, a, b) => {
                let a = self.value(a);
                let is_decided = self.dialect.short_circuits() && a.faults.is_empty();
                if let Some(decided) = operators::decided(*operator, &a.value).filter(|_| is_decided) {
                    return decided.into();
                }
                let b = self.value(b);
                let mut faults = a.faults;
                faults.extend(b.faults);
                let is_whole = faults.is_empty();
                match operators::binary(*operator, &a.value, &b.value) {
                    Ok(value) if is_whole => value.into(),
                    answer => {
                        // The operator reports its own faults only if both operands are without faults; operands of a wrong type are always
                        // reported.
                        let reported = answer.err().filter(|&summary| is_whole || summary == operators::OPERAND);
                        faults.extend(reported.map(|summary| Fault { summary, place: expression.place() }));
                        Outcome { value: Value::unknown(operators::result_type(*operator)).into(), faults }
                    }
                }
            }
            Kind::Conditional(parts) => self.conditional(parts),
            Kind::Call(name, arguments, spread) => self.call(expression, name.as_str(), arguments, *spread),
            Kind::Tuple(elements) => {
                let (mut values, mut faults) = (Vec::with_capacity(elements.len()), Vec::new());
                for element in elements {
                    let outcome = self.value(element);
                    values.push(outcome.value);
                    faults.extend(outcome.faults);
                }
                Outcome { value: Marked::tuple(values), faults }
            }
            Kind::Object(items) => self.object(items),
            Kind::For(each) => self.for_expression(each),
        }
    }

    fn unary(&mut self, operator: UnaryOperator, operand: &Expression) -> Outcome {
        let Outcome { value, mut faults } = self.value(operand);
        match operators::unary(operator, &value) {
            Ok(value) if faults.is_empty() => value.into(),
            answer => {
                let reported = answer.err().filter(|&summary| faults.is_empty() || summary == operators::OPERAND);
                faults.extend(reported.map(|summary| Fault { summary, place: operand.place() }));
                let ty = if operator == UnaryOperator::Not { Type::Bool } else { Type::Number };
                Outcome { value: Value::unknown(ty).into(), faults }
            }
        }
    }

    /// An object; with an unknown or failed key the result is an unknown without a type.
    fn object(&mut self, items: &[Item]) -> Outcome {
        let (mut members, mut faults, mut marks, mut open) = (Vec::new(), Vec::new(), Marks::default(), false);
        for item in items {
            let (key, value) = (self.value(&item.key), self.value(&item.value));
            let is_failed = !key.faults.is_empty();
            faults.extend(key.faults);
            faults.extend(value.faults);
            if is_failed {
                open = true;
                continue;
            }
            let (key, own) = key.value.open();
            marks = marks.and(own);
            let name = if key.value.is_null() {
                Err("Null value as key")
            } else {
                key.convert(&Type::String).ok_or("Incorrect key type")
            };
            match name {
                Err(summary) => {
                    faults.push(Fault { summary, place: item.key.place() });
                    open = true;
                }
                Ok(name) => match name.value.view().as_text() {
                    Some(name) => members.push((name.clone(), value.value)),
                    None => open = true,
                },
            }
        }
        let value = if open { Marked::from(dynamic()) } else { Marked::object(members).with(marks) };
        Outcome { value, faults }
    }
}
