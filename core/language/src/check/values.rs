//! Stage E04 as far as it needs values: expressions are evaluated with what is known before anything is planned (E52 to E61).
//!
//! Problem: validation reports invalid constants, and only evaluation knows what is constant. Idea: the caller passes an evaluator;
//! variables, resources and calls are unknowns of their types, locals are evaluated once each. Guarantee: nothing is planned and no
//! provider called; locals that wait for others are on a list, not on the call stack.

use std::cell::RefCell;

use hashbrown::{HashMap, HashSet};
use planfuzz_core::value::{Text, Type, Value};

use super::declared::Declared;
use crate::config::{Configuration, Variable, Written, text_at};
use crate::diagnostic::Diagnostic;
use crate::expression::{
    EPHEMERAL, Evaluated, Expression, Fault, Kind, Marked, Marks, ReferenceStep, SENSITIVE, Scope, parse,
    parse_template,
};
use crate::json::JsonKind;
use crate::place::SourcePlace;
use crate::sources::Sources;

/// Evaluates an expression: an implementation of the evaluator, for one dialect.
pub type Evaluate<'e> = &'e dyn Fn(&Expression, &dyn Scope) -> Evaluated;

/// The values of one module before anything is planned.
pub(super) struct Values<'v> {
    evaluate: Evaluate<'v>,
    sources: &'v Sources,
    configuration: &'v Configuration,
    declared: &'v Declared<'v>,
    locals: RefCell<HashMap<Text, Marked>>,
    /// A variable whose value is known.
    given: Option<(Text, Marked)>,
}

impl<'v> Values<'v> {
    pub fn new(
        evaluate: Evaluate<'v>,
        sources: &'v Sources,
        configuration: &'v Configuration,
        declared: &'v Declared<'v>,
    ) -> Self {
        Self { evaluate, sources, configuration, declared, locals: RefCell::default(), given: None }
    }

    /// The values of the same module with one of its variables known.
    pub fn with_variable(&self, name: &Text, value: &Marked) -> Values<'v> {
        Values {
            given: Some((name.clone(), value.clone())),
            ..Values::new(self.evaluate, self.sources, self.configuration, self.declared)
        }
    }

    /// The value of an expression; `None` if it has faults, which are reported, if it calls a function that is not known here, or if it is
    /// JSON other than a template.
    pub fn of(&self, written: &Written, diagnostics: &mut Vec<Diagnostic>) -> Option<Marked> {
        let tree = tree_of(written, self.sources)?;
        match self.evaluated(&tree) {
            Ok(value) => Some(value),
            // An evaluator may lack functions that an engine has: those that read files, and those of providers.
            Err(failure) if failure.faults.iter().any(|fault| UNKNOWN_FUNCTION.contains(&fault.summary)) => None,
            Err(failure) => {
                let reported =
                    failure.faults.iter().map(|fault| Diagnostic::error(fault.summary, "", pointed_at(&tree, fault)));
                diagnostics.extend(reported);
                None
            }
        }
    }

    /// Evaluates an expression after the locals that it needs.
    fn evaluated(&self, tree: &Expression) -> Evaluated {
        let mut seen = HashSet::new();
        let mut waiting: Vec<(Text, bool)> = self.missing(tree).into_iter().map(|name| (name, false)).collect();
        while let Some((name, is_ready)) = waiting.pop() {
            if self.locals.borrow().contains_key(&name) || !(is_ready || seen.insert(name.clone())) {
                continue;
            }
            let local = self.declared.locals.get(name.as_str());
            let tree = local.and_then(|local| tree_of(&local.value.written, self.sources));
            let before = tree.as_ref().filter(|_| !is_ready).map(|tree| self.missing(tree)).unwrap_or_default();
            if before.is_empty() {
                let value = tree.and_then(|tree| (self.evaluate)(&tree, self).ok());
                self.locals.borrow_mut().insert(name, value.unwrap_or_else(|| unknown(Type::Dynamic)));
            } else {
                waiting.push((name, true));
                waiting.extend(before.into_iter().map(|name| (name, false)));
            }
        }
        (self.evaluate)(tree, self)
    }

    /// The locals that an expression refers to and that are not evaluated yet.
    fn missing(&self, tree: &Expression) -> Vec<Text> {
        let known = self.locals.borrow();
        let name = |reference: &crate::expression::Reference| match reference.steps.first() {
            Some(ReferenceStep::Attribute(name)) if reference.root.as_str() == "local" => Some(name.clone()),
            _ => None,
        };
        let mut names: Vec<Text> = tree.references().iter().filter_map(name).collect();
        names.retain(|name| !known.contains_key(name));
        names.sort();
        names.dedup();
        names
    }

    fn variable(&self, name: &str) -> Option<Marked> {
        let variable = self.declared.variables.get(name)?;
        let given = self.given.as_ref().filter(|given| given.0.as_str() == name).map(|given| given.1.clone());
        Some(given.unwrap_or_else(|| unknown(variable.ty.ty().strip_optional())).with(marks(variable)))
    }

    /// E52: a call is an object of its outputs, none of which is known.
    fn call(&self, name: &str) -> Option<Marked> {
        let call = self.declared.calls.get(name)?;
        let child = self.configuration.children.get(name)?;
        let outputs = child.module.outputs.iter().map(|output| (output.name.text.clone(), Type::Dynamic));
        let object = Type::object(outputs);
        Some(unknown(match (&call.repetition.count, &call.repetition.for_each) {
            (Some(_), _) => Type::list(object),
            (None, Some(_)) => Type::map(object),
            (None, None) => object,
        }))
    }
}

impl Scope for Values<'_> {
    fn value(&self, root: &str, attribute: Option<&str>) -> Option<(Marked, bool)> {
        let dynamic = || unknown(Type::Dynamic);
        let Some(attribute) = attribute else { return Some((dynamic(), false)) };
        let value = match root {
            "var" => self.variable(attribute)?,
            "local" => self.locals.borrow().get(attribute).cloned().unwrap_or_else(dynamic),
            "module" => self.call(attribute)?,
            "count" => unknown(Type::Number),
            "each" if attribute == "key" => unknown(Type::String),
            "terraform" if attribute == "applying" => Marked::from(Value::bool(false)).with(EPHEMERAL),
            "path" | "terraform" => unknown(Type::String),
            "ephemeral" => dynamic().with(EPHEMERAL),
            _ => dynamic(),
        };
        Some((value, true))
    }
}

/// The summaries for functions that do not exist.
const UNKNOWN_FUNCTION: [&str; 2] = ["Call to unknown function", "Unknown provider function"];

fn unknown(ty: Type) -> Marked {
    Value::unknown(ty).into()
}

/// The marks that a variable is declared with.
fn marks(variable: &Variable) -> Marks {
    let is = |flag: &Option<crate::config::Constant<bool>>| flag.as_ref().is_some_and(|flag| flag.value);
    let of = |is: bool, mark: Marks| if is { mark } else { Marks::default() };
    of(is(&variable.sensitive), SENSITIVE).and(of(is(&variable.ephemeral), EPHEMERAL))
}

fn tree_of(written: &Written, sources: &Sources) -> Option<Expression> {
    match written {
        Written::Native(place) => parse(text_at(*place, sources), *place).ok(),
        Written::Json(json) => match &json.kind {
            JsonKind::String(text) => parse_template(text, json.template_place()).ok(),
            _ => None,
        },
    }
}

/// The place that the engine reports: for a missing attribute its step, for a function's only argument its beginning.
fn pointed_at(tree: &Expression, fault: &Fault) -> SourcePlace {
    let mut waiting = vec![tree];
    while let Some(node) = waiting.pop() {
        if node.place == fault.place {
            return match &node.kind {
                Kind::Attribute(of, _) => {
                    node.place.with(crate::place::Span::new(of.place.span.end, node.place.span.end))
                }
                Kind::Call(_, arguments, false) if fault.summary == "Invalid function argument" => match &**arguments {
                    [only] => start(only),
                    _ => node.place,
                },
                _ => node.place,
            };
        }
        waiting.extend(node.children());
    }
    fault.place
}

/// The beginning of an expression, as the engine reports it.
fn start(node: &Expression) -> SourcePlace {
    match &node.kind {
        Kind::Template(parts) => parts.first().map_or(node.place, start),
        Kind::Attribute(of, _) | Kind::Index(of, _) | Kind::Splat(of, ..) | Kind::Binary(_, of, _) => start(of),
        Kind::Conditional(parts) => start(&parts[0]),
        Kind::Call(name, ..) => node.place.part(0, name.len() + 1),
        Kind::Tuple(_) | Kind::Object(_) | Kind::Parentheses(_) | Kind::Unary(..) | Kind::For(_) => {
            node.place.part(0, 1)
        }
        _ => node.place,
    }
}
