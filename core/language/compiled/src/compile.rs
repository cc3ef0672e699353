//! Compiles an expression: names become slots, functions are resolved and their arguments counted, constants are folded.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::value::{Text, Type};
use planfuzz_language::expression::{Evaluated, Expression, Kind, Reference};

use crate::functions::{self, Function};
use crate::machine::{Frame, Machine};
use crate::names::{Meaning, Names, Slots};
use crate::operation::{Call, Each, Operation, Splat, What};

/// The work that folding one operation may take; an operation that takes more is not folded.
const FOLDED_WORK: u64 = 20_000;

/// A compiled expression.
#[derive(Clone, Debug)]
pub struct Program {
    root: Operation,
    references: Vec<Reference>,
    locals: usize,
    dialect: Dialect,
}

struct Compiler<'n> {
    names: &'n Names,
    dialect: Dialect,
    folds: bool,
    locals: usize,
}

impl Program {
    /// The work that one evaluation may do: operations, and elements of what functions make. More is a fault.
    pub const MOST_WORK: u64 = 20_000_000;

    /// Compiles an expression for a scope.
    pub fn compile(expression: &Expression, names: &Names, dialect: Dialect) -> Program {
        Program::compiled(expression, names, dialect, true)
    }

    /// Like [`Program::compile`], without folding of constants: the baseline for tests, whose results must be the same.
    pub fn compile_unfolded(expression: &Expression, names: &Names, dialect: Dialect) -> Program {
        Program::compiled(expression, names, dialect, false)
    }

    fn compiled(expression: &Expression, names: &Names, dialect: Dialect, folds: bool) -> Program {
        let mut compiler = Compiler { names, dialect, folds, locals: 0 };
        let root = compiler.compile(expression);
        Program { root, references: expression.references(), locals: compiler.locals, dialect }
    }

    /// What the expression refers to, in the order in which it is written.
    pub fn references(&self) -> &[Reference] {
        &self.references
    }

    /// Whether nothing is left to evaluate.
    pub fn is_constant(&self) -> bool {
        matches!(self.root.what, What::Constant(_))
    }

    /// Evaluates over the values of a scope.
    ///
    /// # Errors
    /// The faults that the engine reports.
    pub fn evaluate(&self, slots: &Slots) -> Evaluated {
        let machine = Machine::new(slots, self.dialect, Program::MOST_WORK);
        Ok(machine.run(&self.root, &mut Frame::new(self.locals)).map(std::borrow::Cow::into_owned)?)
    }
}

impl Program {
    /// Evaluates within another evaluation and takes from its budget of work.
    pub(crate) fn evaluate_inside(&self, slots: &Slots, outer: &Machine<'_>) -> crate::outcome::Evaluated {
        let machine = outer.inside(slots);
        let made = machine.run(&self.root, &mut Frame::new(self.locals)).map(std::borrow::Cow::into_owned);
        outer.leave(&machine);
        made
    }
}

impl Compiler<'_> {
    fn compile(&mut self, expression: &Expression) -> Operation {
        let place = expression.place;
        let what = match &expression.kind {
            Kind::Literal(value) => What::Constant(value.clone().into()),
            Kind::Parentheses(inner) => return self.compile(inner),
            Kind::Template(parts) => What::Template(self.all(parts)),
            Kind::Join(tuple) => What::Join(Box::new(self.compile(tuple))),
            Kind::Root(root) => self.root(root),
            Kind::Slot(slot) => What::Local(self.local(*slot)),
            Kind::Attribute(source, name) => self.attribute(source, name),
            Kind::Index(source, key) => self.index(source, key),
            Kind::Splat(source, slot, each) => {
                let source = self.compile(source);
                let local = self.local(*slot);
                What::Splat(Box::new(Splat { source, local, each: self.compile(each) }))
            }
            Kind::Unary(operator, operand) => What::Unary(*operator, Box::new(self.compile(operand))),
            Kind::Binary(operator, left, right) => What::Binary(*operator, self.both(left, right)),
            Kind::Conditional(parts) => {
                let [condition, yes, no] = &**parts;
                What::Conditional(Box::new([self.compile(condition), self.compile(yes), self.compile(no)]))
            }
            Kind::Call(name, arguments, spread) => self.call(name, arguments, *spread),
            Kind::Tuple(parts) => What::Tuple(self.all(parts)),
            Kind::Object(items) => {
                What::Object(items.iter().map(|item| (self.compile(&item.key), self.compile(&item.value))).collect())
            }
            Kind::For(each) => What::For(Box::new(self.each(each))),
        };
        self.folded(Operation { what, place })
    }

    fn all(&mut self, parts: &[Expression]) -> Box<[Operation]> {
        parts.iter().map(|part| self.compile(part)).collect()
    }

    fn both(&mut self, left: &Expression, right: &Expression) -> Box<[Operation; 2]> {
        Box::new([self.compile(left), self.compile(right)])
    }

    fn local(&mut self, slot: usize) -> usize {
        self.locals = self.locals.max(slot + 1);
        slot
    }

    fn root(&self, root: &Text) -> What {
        match self.names.meaning(root, None) {
            Meaning::Root(slot) | Meaning::Attribute(slot) => What::Load(slot),
            Meaning::NoAttribute | Meaning::Elsewhere => What::Fault("Invalid reference"),
            Meaning::Nothing => What::Fault("Unknown variable"),
        }
    }

    fn attribute(&mut self, source: &Expression, name: &Text) -> What {
        if let Kind::Root(root) = &source.kind {
            match self.names.meaning(root, Some(name)) {
                Meaning::Attribute(slot) => return What::Load(slot),
                Meaning::NoAttribute => return What::Fault("Unsupported attribute"),
                Meaning::Root(_) | Meaning::Elsewhere | Meaning::Nothing => {}
            }
        }
        What::Attribute(Box::new(self.compile(source)), name.clone())
    }

    fn index(&mut self, source: &Expression, key: &Expression) -> What {
        if let (Kind::Root(root), Kind::Literal(key)) = (&source.kind, &key.kind)
            && let (Type::String, Some(name)) = (key.ty(), key.view().as_text())
            && let Meaning::Attribute(slot) = self.names.meaning(root, Some(name))
        {
            return What::Load(slot);
        }
        What::Index(self.both(source, key))
    }

    fn call(&mut self, full: &Text, arguments: &[Expression], spread: bool) -> What {
        let name = full.strip_prefix("core::").unwrap_or(full);
        match name {
            "try" | "can" if spread => What::SpecialSpread(name == "try", self.all(arguments)),
            "try" | "can" => self.special(name, arguments),
            _ => match functions::find(name, self.dialect) {
                None if full.contains("::") && self.dialect.distinguishes_provider_functions() => {
                    What::Fault("Unknown provider function")
                }
                None => What::Fault("Call to unknown function"),
                Some(function) if name == "templatestring" && !(spread && arguments.len() == 1) => {
                    self.template_string(function, arguments, spread)
                }
                Some(_) if name == "templatestring" => self.counted(&functions::NO_TEMPLATE, arguments, spread),
                Some(function) => self.counted(function, arguments, spread),
            },
        }
    }

    /// A template that is a reference is attempted, because a failure in it is not reported as its own fault; any other template is not
    /// evaluated.
    fn template_string(&mut self, function: &'static Function, arguments: &[Expression], spread: bool) -> What {
        let is_reference = arguments.first().is_some_and(functions::is_reference);
        let mut call = self.counted(if is_reference { function } else { &functions::NO_TEMPLATE }, arguments, spread);
        if let What::Call(call) = &mut call {
            let template = &mut call.arguments[0];
            let empty = What::Tuple(Box::default());
            let tried = std::mem::replace(&mut template.what, empty);
            if is_reference {
                template.what = What::Attempt(Box::new(Operation { what: tried, place: template.place }));
            }
        }
        call
    }

    fn special(&mut self, name: &str, arguments: &[Expression]) -> What {
        match (name, arguments) {
            ("try", []) => What::Fault("Error in function call"),
            ("try", _) => What::Try(self.all(arguments)),
            (_, [one]) => What::Can(Box::new(self.compile(one))),
            (_, []) => What::Fault("Not enough function arguments"),
            _ => What::Fault("Too many function arguments"),
        }
    }

    fn counted(&mut self, function: &'static Function, arguments: &[Expression], spread: bool) -> What {
        if !spread && let Some(summary) = function.miscounted(arguments.len()) {
            return What::Fault(summary);
        }
        What::Call(Box::new(Call { function, arguments: self.all(arguments), spread }))
    }

    fn each(&mut self, each: &planfuzz_language::expression::For) -> Each {
        let collection = self.compile(&each.collection);
        let key_local = each.key_slot.map(|slot| self.local(slot));
        let value_local = self.local(each.value_slot);
        Each {
            collection,
            key_local,
            value_local,
            key: each.key.as_ref().map(|key| self.compile(key)),
            value: self.compile(&each.value),
            condition: each.condition.as_ref().map(|condition| self.compile(condition)),
            grouped: each.grouped,
        }
    }

    /// Evaluates an operation of constants alone now. If it fails, it stays as it is, and each evaluation reports the fault.
    fn folded(&self, operation: Operation) -> Operation {
        if !self.folds || !is_of_constants(&operation.what) {
            return operation;
        }
        let slots = Slots::default();
        let machine = Machine::new(&slots, self.dialect, FOLDED_WORK);
        let made = machine.run(&operation, &mut Frame::new(0)).map(std::borrow::Cow::into_owned);
        match made {
            Ok(value) => Operation { what: What::Constant(value), ..operation },
            Err(_) => operation,
        }
    }
}

fn is_of_constants(what: &What) -> bool {
    let is_constant = |operation: &Operation| matches!(operation.what, What::Constant(_));
    match what {
        What::Constant(_) | What::Load(_) | What::Local(_) | What::Fault(_) | What::Splat(_) | What::For(_) => false,
        What::Template(parts) | What::Try(parts) | What::SpecialSpread(_, parts) | What::Tuple(parts) => {
            parts.iter().all(is_constant)
        }
        What::Join(part) | What::Attribute(part, _) | What::Unary(_, part) => is_constant(part),
        What::Can(part) | What::Attempt(part) => is_constant(part),
        What::Index(both) | What::Binary(_, both) => both.iter().all(is_constant),
        What::Conditional(parts) => parts.iter().all(is_constant),
        What::Call(call) => call.function.is_pure && call.arguments.iter().all(is_constant),
        What::Object(members) => members.iter().all(|(key, value)| is_constant(key) && is_constant(value)),
    }
}
