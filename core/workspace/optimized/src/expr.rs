//! Compiled expressions: they are parsed and compiled once, and evaluated over slots any number of times.
//!
//! Each resource has one slot: `data.t.n` is rewritten so that the pair of type and name is found by number, and no object of all resources
//! of a type is built to get one of them.

use planfuzz_core::address::{Resource, ResourceMode};
use planfuzz_core::dialect::Dialect;
use planfuzz_core::value::{Number, Text, Type, Value};
use planfuzz_language::Sources;
use planfuzz_language::check::ExpansionRoots;
use planfuzz_language::config::{Written, text_at};
use planfuzz_language::expression::{self, Expression, Failure, Kind, Marked, Marks};
use planfuzz_language::json::{Json, JsonKind};
use planfuzz_language_compiled::{Names, Program, Slots};
use planfuzz_workspace::Diagnostic;

/// A value, or diagnostics in its place.
pub type Evaluated<T = Marked> = Result<T, Vec<Diagnostic>>;

/// The type that a value must have, and the error if it does not.
#[derive(Clone, Copy)]
pub struct Wanted<'t> {
    /// The type.
    pub ty: &'t Type,
    /// The summary.
    pub otherwise: &'static str,
}

impl Wanted<'_> {
    /// The value converted to that type.
    pub fn of(self, value: &Marked) -> Evaluated {
        value.convert(self.ty).ok_or_else(|| vec![Diagnostic::error(self.otherwise)])
    }
}

/// Something that must be in its slot before an expression is evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Need {
    /// The objects of a block, by its address in the module.
    Resource(Resource),
    /// All resources of a type.
    All(ResourceMode, String),
    /// The outputs of a call.
    Call(String),
}

/// A compiled expression.
#[derive(Debug)]
pub enum Expr {
    /// A constant.
    Constant(Marked),
    /// A program with its needs.
    Program(Box<Program>, Box<[Need]>),
    /// An array of the JSON syntax.
    Tuple(Box<[Expr]>),
    /// An object of the JSON syntax.
    Object(Box<[(Expr, Expr)]>),
    /// An expression with errors.
    Broken(Vec<Diagnostic>),
}

/// The context in which expressions are compiled.
#[derive(Clone, Copy)]
pub struct Lexicon<'a> {
    /// The files.
    pub sources: &'a Sources,
    /// The engine.
    pub dialect: Dialect,
    /// The slots.
    pub names: &'a Names,
    /// Whether a resource is declared in the module.
    pub declares: &'a dyn Fn(&Resource) -> bool,
    /// The names in scope of the `for_each` and labels of the body that is compiled.
    pub expansion: Option<&'a ExpansionRoots>,
}

/// The roots that are no types of resources.
const RESERVED: [&str; 11] =
    ["var", "local", "module", "count", "each", "self", "path", "terraform", "data", "ephemeral", "resource"];

/// The root under which resources of a type have their slots.
pub fn root_of(mode: ResourceMode, type_name: &str) -> String {
    match mode {
        ResourceMode::Managed => type_name.to_owned(),
        ResourceMode::Data => format!("data.{type_name}"),
        ResourceMode::Ephemeral => format!("ephemeral.{type_name}"),
    }
}

impl Lexicon<'_> {
    /// Compiles an expression.
    pub fn compile(&self, written: &Written) -> Expr {
        match written {
            Written::Native(place) => self.parsed(expression::parse(text_at(*place, self.sources), *place)),
            Written::Json(json) => self.json(json),
        }
    }

    fn parsed(&self, parsed: Result<Expression, Vec<planfuzz_language::Diagnostic>>) -> Expr {
        let mut expression = match parsed {
            Ok(expression) => expression,
            Err(found) => return Expr::Broken(as_errors(found)),
        };
        if let Kind::Literal(value) = &expression.kind {
            return Expr::Constant(value.clone().into());
        }
        let mut needs = Vec::new();
        self.rewrite(&mut expression, &mut needs);
        let program = Program::compile(&expression, self.names, self.dialect);
        if program.is_constant()
            && let Ok(value) = program.evaluate(&Slots::default())
        {
            return Expr::Constant(value);
        }
        Expr::Program(Box::new(program), needs.into())
    }

    /// E10.
    fn json(&self, json: &Json) -> Expr {
        match &json.kind {
            JsonKind::Null => Expr::Constant(Value::null(Type::Dynamic).into()),
            JsonKind::Bool(bool) => Expr::Constant(Value::bool(*bool).into()),
            JsonKind::Number(text) => match Number::parse(text) {
                Ok(number) => Expr::Constant(Value::number(number).into()),
                Err(_) => Expr::Broken(vec![Diagnostic::error("Invalid JSON number")]),
            },
            JsonKind::String(text) => self.parsed(expression::parse_template(text, json.template_place())),
            JsonKind::Array(items) => folded(Expr::Tuple(items.iter().map(|item| self.json(item)).collect())),
            JsonKind::Object(members) => {
                let pairs = members.iter().map(|member| {
                    let place = member.name_place.part(1, member.name.len() + 1);
                    (self.parsed(expression::parse_template(&member.name, place)), self.json(&member.value))
                });
                folded(Expr::Object(pairs.collect()))
            }
        }
    }

    /// Gives resources their own slots, and notes the needs.
    fn rewrite(&self, expression: &mut Expression, needs: &mut Vec<Need>) {
        match &mut expression.kind {
            Kind::Literal(_) | Kind::Root(_) | Kind::Slot(_) => {}
            Kind::Template(parts) | Kind::Tuple(parts) | Kind::Call(_, parts, _) => {
                parts.iter_mut().for_each(|part| self.rewrite(part, needs));
            }
            Kind::Join(inner) | Kind::Unary(_, inner) | Kind::Parentheses(inner) => self.rewrite(inner, needs),
            Kind::Attribute(inner, name) => {
                if !self.named(inner, name, needs) {
                    self.rewrite(inner, needs);
                }
            }
            Kind::Index(a, b) | Kind::Binary(_, a, b) | Kind::Splat(a, _, b) => {
                self.rewrite(a, needs);
                self.rewrite(b, needs);
            }
            Kind::Conditional(parts) => parts.iter_mut().for_each(|part| self.rewrite(part, needs)),
            Kind::Object(items) => items.iter_mut().for_each(|item| {
                self.rewrite(&mut item.key, needs);
                self.rewrite(&mut item.value, needs);
            }),
            Kind::For(each) => {
                self.rewrite(&mut each.collection, needs);
                self.rewrite(&mut each.value, needs);
                each.key.iter_mut().chain(&mut each.condition).for_each(|part| self.rewrite(part, needs));
            }
        }
    }

    /// Rewrites the first names of a reference; returns whether the expression is one.
    fn named(&self, inner: &mut Expression, name: &Text, needs: &mut Vec<Need>) -> bool {
        // Duplicate needs are dropped when they are numbered.
        let mut note = |need: Need| needs.push(need);
        if let Kind::Root(root) = &inner.kind {
            match root.as_str() {
                "module" => note(Need::Call(name.to_string())),
                "data" => note(Need::All(ResourceMode::Data, name.to_string())),
                "ephemeral" => note(Need::All(ResourceMode::Ephemeral, name.to_string())),
                "resource" => note(Need::All(ResourceMode::Managed, name.to_string())),
                root if !RESERVED.contains(&root) => {
                    let (type_name, name) = (root.to_owned(), name.to_string());
                    note(Need::Resource(Resource { mode: ResourceMode::Managed, type_name, name }));
                }
                _ => {}
            }
            return true;
        }
        let Kind::Attribute(outer, type_name) = &inner.kind else { return false };
        let Kind::Root(root) = &outer.kind else { return false };
        let mode = match root.as_str() {
            "data" => ResourceMode::Data,
            "ephemeral" => ResourceMode::Ephemeral,
            "resource" => ResourceMode::Managed,
            _ => return false,
        };
        let resource = Resource { mode, type_name: type_name.to_string(), name: name.to_string() };
        if !(self.declares)(&resource) {
            return false;
        }
        inner.kind = Kind::Root(Text::new(&root_of(mode, type_name)));
        note(Need::Resource(resource));
        true
    }
}

/// The errors of an expression that cannot be evaluated.
pub fn errors_of(failure: &Failure) -> Vec<Diagnostic> {
    failure.faults.iter().map(|fault| Diagnostic::error(fault.summary)).collect()
}

impl Expr {
    /// The value, given filled slots for all needs.
    pub fn evaluate(&self, slots: &Slots) -> Evaluated {
        match self {
            Expr::Constant(value) => Ok(value.clone()),
            Expr::Program(program, _) => program.evaluate(slots).map_err(|failure| errors_of(&failure)),
            Expr::Tuple(parts) => Ok(Marked::tuple(all(parts.iter().map(|part| part.evaluate(slots)))?)),
            Expr::Object(pairs) => {
                let pairs = pairs.iter().map(|(key, value)| {
                    let key = key.evaluate(slots).map(|key| key.convert(&Type::String).unwrap_or(key));
                    let value = value.evaluate(slots);
                    Ok((key?, value?))
                });
                object(all(pairs)?)
            }
            Expr::Broken(diagnostics) => Err(diagnostics.clone()),
        }
    }

    /// E80c: the value, converted to a type. With a fault, the known part of the value is converted all the same.
    pub fn converted(&self, slots: &Slots, wanted: Wanted<'_>) -> Evaluated {
        match self.evaluate(slots) {
            Ok(value) => wanted.of(&value),
            Err(diagnostics) if fault!(FailedUntyped) => Err(diagnostics),
            Err(mut diagnostics) => {
                diagnostics.extend(wanted.of(&self.remains(slots)).err().into_iter().flatten());
                Err(diagnostics)
            }
        }
    }

    /// The known part of a value with a fault.
    fn remains(&self, slots: &Slots) -> Marked {
        let nothing = || Marked::from(Value::unknown(Type::Dynamic));
        match self {
            Expr::Constant(value) => value.clone(),
            Expr::Program(program, _) => program.evaluate(slots).unwrap_or_else(|failure| failure.value),
            Expr::Tuple(parts) => Marked::tuple(parts.iter().map(|part| part.remains(slots)).collect()),
            Expr::Object(pairs) => {
                // An invalid key is left out.
                let member = |(key, value): &(Expr, Expr)| {
                    let key = key.remains(slots).convert(&Type::String).filter(|key| !key.value.is_null())?;
                    Some((key, value.remains(slots)))
                };
                object(pairs.iter().filter_map(member).collect()).unwrap_or_else(|_| nothing())
            }
            Expr::Broken(_) => nothing(),
        }
    }

    /// All its needs.
    pub fn needs(&self) -> Vec<Need> {
        match self {
            Expr::Constant(_) | Expr::Broken(_) => Vec::new(),
            Expr::Program(_, needs) => needs.to_vec(),
            Expr::Tuple(parts) => parts.iter().flat_map(Expr::needs).collect(),
            Expr::Object(pairs) => {
                pairs.iter().flat_map(|(key, value)| [key.needs(), value.needs()]).flatten().collect()
            }
        }
    }

    /// The constant that it is.
    pub fn constant(&self) -> Option<&Marked> {
        match self {
            Expr::Constant(value) => Some(value),
            _ => None,
        }
    }
}

/// An object with an unknown key is unknown as a whole.
fn object(pairs: Vec<(Marked, Marked)>) -> Evaluated {
    let mut parts = Vec::with_capacity(pairs.len());
    let (mut marks, mut is_open, mut diagnostics) = (Marks::default(), false, Vec::new());
    for (key, value) in pairs {
        marks = marks.and(key.marks.all());
        match key.value.view().as_text() {
            Some(text) => parts.push((text.clone(), value)),
            None if key.value.is_unknown() => is_open = true,
            None => diagnostics.push(Diagnostic::error("Invalid object key expression")),
        }
    }
    match (diagnostics.is_empty(), is_open) {
        (false, _) => Err(diagnostics),
        (true, true) => Ok(Value::unknown(Type::Dynamic).into()),
        (true, false) => Ok(Marked::object(parts).with(marks)),
    }
}

/// An expression of constants alone becomes a constant.
fn folded(expr: Expr) -> Expr {
    let is_constant = match &expr {
        Expr::Tuple(parts) => parts.iter().all(|part| part.constant().is_some()),
        Expr::Object(pairs) => pairs.iter().all(|(key, value)| key.constant().is_some() && value.constant().is_some()),
        _ => false,
    };
    match is_constant.then(|| expr.evaluate(&Slots::default())) {
        Some(Ok(value)) => Expr::Constant(value),
        _ => expr,
    }
}

/// Diagnostics of the language, as a workspace reports them in a walk.
pub fn as_errors(found: Vec<planfuzz_language::Diagnostic>) -> Vec<Diagnostic> {
    found.into_iter().map(|one| Diagnostic::error(one.summary)).collect()
}

/// All values, or all diagnostics.
pub fn all<T>(results: impl Iterator<Item = Evaluated<T>>) -> Evaluated<Vec<T>> {
    let mut diagnostics = Vec::new();
    let values = results.filter_map(|result| result.map_err(|found| diagnostics.extend(found)).ok()).collect();
    if diagnostics.is_empty() { Ok(values) } else { Err(diagnostics) }
}
