//! Evaluation (sections 5 to 7): a walk over the tree, with the variables of `for` and splats in numbered slots.
//!
//! All faults of what is evaluated are told, as the engine tells them; a fault may still say of which type the result would have
//! been, for a conditional that does not take it (E86).

use planfuzz_core::dialect::{Dialect, Engine};
use planfuzz_core::value::convert::unify;
use planfuzz_core::value::{Bound, Node, Refiner, Text, Type, Value, length_bounds};

use super::ast::{Expression, For, Item, Kind};
use super::marked::{Marked, Marks};
use super::operators::{self, unknown_not_null};
use crate::functions;
use crate::place::SourcePlace;

/// One fault.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// The engine's summary.
    pub summary: &'static str,
    /// The expression that is at fault.
    pub place: SourcePlace,
}

/// What is told where there is no value.
#[derive(Clone, Debug)]
pub struct Failure {
    /// All of it.
    pub faults: Vec<Fault>,
    /// The type that the value would have had, where that is known.
    pub ty: Option<Type>,
}

/// A value or the faults.
pub type Evaluated = Result<Marked, Failure>;

/// What names mean.
pub trait Scope {
    /// The value of a reference's first name, and of the attribute behind it where there is one; whether that was used.
    fn value(&self, root: &str, attribute: Option<&str>) -> Option<(Marked, bool)>;
}

/// Evaluates an expression.
///
/// # Errors
/// The faults that the engine tells.
pub fn evaluate(expression: &Expression, scope: &dyn Scope, dialect: Dialect) -> Evaluated {
    Evaluator { scope, dialect, slots: Vec::new() }.value(expression)
}

struct Evaluator<'s> {
    scope: &'s dyn Scope,
    dialect: Dialect,
    slots: Vec<Marked>,
}

fn fault(summary: &'static str, at: &Expression) -> Failure {
    Failure { faults: vec![Fault { summary, place: at.place }], ty: None }
}

fn dynamic() -> Value {
    Value::unknown(Type::Dynamic)
}

/// All values, or the faults of all.
fn all(results: Vec<Evaluated>) -> Result<Vec<Marked>, Failure> {
    let (mut values, mut faults) = (Vec::with_capacity(results.len()), Vec::new());
    for result in results {
        match result {
            Ok(value) => values.push(value),
            Err(failure) => faults.extend(failure.faults),
        }
    }
    if faults.is_empty() { Ok(values) } else { Err(Failure { faults, ty: None }) }
}

impl Evaluator<'_> {
    fn value(&mut self, expression: &Expression) -> Evaluated {
        match &expression.kind {
            Kind::Literal(value) => Ok(value.clone().into()),
            Kind::Parentheses(inner) => self.value(inner),
            Kind::Slot(slot) => self.slots.get(*slot).cloned().ok_or_else(|| fault("Invalid reference", expression)),
            Kind::Root(root) => self
                .scope
                .value(root.as_str(), None)
                .map(|found| found.0)
                .ok_or_else(|| fault("Invalid reference", expression)),
            Kind::Attribute(inner, name) => self.attribute(expression, inner, name),
            Kind::Index(inner, key) => {
                let both = all(vec![self.value(inner), self.value(key)])?;
                index(&both[0], &both[1]).map_err(|summary| fault(summary, expression))
            }
            Kind::Template(parts) => self.template(parts),
            Kind::Join(inner) => {
                let parts = self.value(inner)?;
                join(parts.parts().into_iter().map(Ok).collect(), parts.value.is_unknown(), parts.marks.own, expression)
            }
            Kind::Splat(source, slot, each) => self.splat(expression, source, *slot, each),
            Kind::Unary(operator, operand) => {
                let ty = if *operator == super::UnaryOperator::Not { Type::Bool } else { Type::Number };
                let result =
                    self.value(operand).and_then(|x| operators::unary(*operator, &x).map_err(|s| fault(s, operand)));
                result.map_err(|failure| Failure { ty: Some(ty), ..failure })
            }
            Kind::Binary(operator, a, b) => {
                let result = all(vec![self.value(a), self.value(b)]).and_then(|both| {
                    operators::binary(*operator, &both[0], &both[1]).map_err(|summaries| Failure {
                        faults: summaries
                            .into_iter()
                            .map(|summary| Fault { summary, place: expression.place })
                            .collect(),
                        ty: None,
                    })
                });
                result.map_err(|failure| Failure { ty: Some(operators::result_type(*operator)), ..failure })
            }
            Kind::Conditional(parts) => self.conditional(parts),
            Kind::Call(name, arguments, spread) => self.call(expression, name.as_str(), arguments, *spread),
            Kind::Tuple(elements) => {
                let results = elements.iter().map(|element| self.value(element)).collect();
                Ok(Marked::tuple(all(results)?))
            }
            Kind::Object(items) => self.object(items),
            Kind::For(each) => self.for_expression(each),
        }
    }

    fn attribute(&mut self, expression: &Expression, inner: &Expression, name: &Text) -> Evaluated {
        let value = match &inner.kind {
            Kind::Root(root) => match self.scope.value(root.as_str(), Some(name.as_str())) {
                Some((value, true)) => return Ok(value),
                Some((value, false)) => value,
                None => return Err(fault("Invalid reference", expression)),
            },
            _ => self.value(inner)?,
        };
        attribute(&value, name).map_err(|summary| fault(summary, expression))
    }

    fn template(&mut self, parts: &[Expression]) -> Evaluated {
        let values: Vec<Evaluated> = parts.iter().map(|part| self.value(part)).collect();
        match parts.first() {
            Some(first) => join(values, false, Marks::default(), first),
            None => Ok(Value::string("").into()),
        }
    }

    fn splat(&mut self, at: &Expression, source: &Expression, slot: usize, each: &Expression) -> Evaluated {
        let source = self.value(source)?;
        let (value, marks) = source.open();
        let ty = value.ty().clone();
        let sequence = matches!(ty, Type::List(_) | Type::Set(_) | Type::Tuple(_));
        if value.value.is_null() {
            return if sequence {
                Err(fault("Splat of null value", at))
            } else {
                Ok(Marked::tuple(Vec::new()).with(marks))
            };
        }
        if ty.is_dynamic() {
            return Ok(Marked::from(dynamic()).with(marks));
        }
        let unknown_list = value.value.is_unknown() && matches!(ty, Type::List(_) | Type::Set(_));
        let parts = if unknown_list {
            vec![Value::unknown(ty.element().cloned().unwrap_or(Type::Dynamic)).into()]
        } else if let (Type::Tuple(tuple), true) = (&ty, value.value.is_unknown()) {
            tuple.elements().iter().map(|ty| Value::unknown(ty.clone()).into()).collect()
        } else if sequence {
            value.parts()
        } else if value.value.is_unknown() && !not_null(&value.value) {
            return Ok(Marked::from(dynamic()).with(marks));
        } else {
            vec![value.clone()]
        };
        let mut results = Vec::with_capacity(parts.len());
        for part in parts {
            self.slots.truncate(slot);
            self.slots.push(part);
            results.push(self.value(each));
        }
        self.slots.truncate(slot);
        let results = all(results)?;
        if unknown_list {
            let element = results[0].ty().clone();
            let result = Type::list(element);
            let (least, greatest) = length_bounds(value.value.view()).unwrap_or((0, u64::MAX));
            return Ok(Marked::from(sized(result, least, greatest, true)).with(marks));
        }
        let made = match &ty {
            Type::List(_) | Type::Set(_) if !results.is_empty() => {
                let element = unify(&results.iter().map(|part| part.ty().clone()).collect::<Vec<_>>());
                match element {
                    Some(element) => {
                        let converted = results.iter().map(|part| part.convert(&element)).collect::<Option<Vec<_>>>();
                        converted
                            .and_then(|parts| Marked::list(&element, parts))
                            .unwrap_or_else(|| Marked::tuple(results))
                    }
                    None => Marked::tuple(results),
                }
            }
            Type::List(element) | Type::Set(element) => {
                self.slots.push(Value::unknown((**element).clone()).into());
                let empty = self.value(each);
                self.slots.truncate(slot);
                let element = empty.map_or(Type::Dynamic, |part| part.ty().clone());
                Marked::list(&element, Vec::new()).unwrap_or_else(|| Marked::tuple(Vec::new()))
            }
            _ => Marked::tuple(results),
        };
        Ok(made.with(marks))
    }

    fn conditional(&mut self, parts: &[Expression; 3]) -> Evaluated {
        let condition = self.value(&parts[0]);
        let (yes, no) = (self.value(&parts[1]), self.value(&parts[2]));
        let bare = |branch: &Evaluated| match branch {
            Ok(value) => (value.ty().clone(), value.value.is_null() && value.ty().is_dynamic()),
            Err(failure) => (failure.ty.clone().unwrap_or(Type::Dynamic), false),
        };
        let ((yes_type, yes_null), (no_type, no_null)) = (bare(&yes), bare(&no));
        let ty = if yes_null {
            no_type
        } else if no_null {
            yes_type
        } else if yes_type.is_dynamic() || no_type.is_dynamic() {
            Type::Dynamic
        } else {
            unify(&[yes_type, no_type]).ok_or_else(|| fault("Inconsistent conditional result types", &parts[0]))?
        };
        let own = |branch: &Evaluated| branch.as_ref().map_or(Marks::default(), |value| value.marks.own);
        let (c, opened) = condition?.open();
        let is_tofu = self.dialect.engine() == Engine::OpenTofu;
        let both = own(&yes).and(own(&no));
        let marks = if is_tofu { Marks::default() } else { opened.and(both) };
        if c.value.is_null() {
            return Err(fault("Null condition", &parts[0]));
        }
        let truth = c.convert(&Type::Bool).ok_or_else(|| fault("Incorrect condition type", &parts[0]))?.value;
        let Some(truth) = truth.view().as_bool() else {
            let marks = opened.and(both);
            let (yes, no) = (yes?, no?);
            let (Some(yes), Some(no)) = (yes.convert(&ty), no.convert(&ty)) else {
                return Err(fault("Inconsistent conditional result types", &parts[0]));
            };
            return Ok(Marked::from(either(&ty, &yes.value, &no.value)).with(marks));
        };
        let taken = if truth { yes? } else { no? };
        let converted = if ty.is_dynamic() { Some(taken) } else { taken.convert(&ty) };
        converted
            .map(|value| value.with(marks))
            .ok_or_else(|| fault("Inconsistent conditional result types", &parts[0]))
    }

    fn call(&mut self, at: &Expression, name: &str, arguments: &[Expression], spread: bool) -> Evaluated {
        match name {
            "try" if !arguments.is_empty() && !spread => {
                for argument in arguments {
                    if let Ok(value) = self.value(argument) {
                        let known = self.known(argument) && value.value.is_wholly_known();
                        return Ok(if known { value } else { Marked::from(dynamic()).with(value.marks.all()) });
                    }
                }
                return Err(fault("Error in function call", at));
            }
            "can" if arguments.len() == 1 && !spread => {
                return Ok(match self.value(&arguments[0]) {
                    Ok(value) if !value.value.is_wholly_known() || !self.known(&arguments[0]) => {
                        Value::unknown(Type::Bool).into()
                    }
                    result => Value::bool(result.is_ok()).into(),
                });
            }
            _ => {}
        }
        if !functions::exists(name) {
            return Err(fault("Call to unknown function", at));
        }
        let mut values = all(arguments.iter().map(|argument| self.value(argument)).collect())?;
        let mut marks = Marks::default();
        if spread && let Some(last) = values.pop() {
            let (last, own) = last.open();
            marks = own;
            let sequence = matches!(last.ty(), Type::List(_) | Type::Set(_) | Type::Tuple(_) | Type::Dynamic);
            if last.value.is_null() || !sequence {
                return Err(fault("Invalid expanding argument value", at));
            }
            if last.value.is_unknown() {
                return Ok(Marked::from(dynamic()).with(marks));
            }
            values.extend(last.parts());
        }
        match functions::call(name, &values, self.dialect) {
            Ok(value) => Ok(value.with(marks)),
            Err(summary) => Err(fault(summary, at)),
        }
    }

    /// Whether everything that an expression refers to is wholly known (FN10).
    fn known(&mut self, expression: &Expression) -> bool {
        match &expression.kind {
            Kind::Slot(slot) => self.slots.get(*slot).is_none_or(|value| value.value.is_wholly_known()),
            _ => true,
        }
    }

    fn object(&mut self, items: &[Item]) -> Evaluated {
        let (mut members, mut faults, mut marks, mut open) = (Vec::new(), Vec::new(), Marks::default(), false);
        for item in items {
            let key = self.value(&item.key);
            let value = self.value(&item.value);
            let key = key.and_then(|key| {
                let (key, own) = key.open();
                marks = marks.and(own);
                if key.value.is_null() {
                    return Err(fault("Null value as key", &item.key));
                }
                key.convert(&Type::String).ok_or_else(|| fault("Incorrect key type", &item.key))
            });
            match (key, value) {
                (Ok(key), Ok(value)) => match key.value.view().as_text() {
                    Some(name) => members.push((name.clone(), value)),
                    None => open = true,
                },
                (key, value) => {
                    faults.extend(key.err().into_iter().chain(value.err()).flat_map(|failure| failure.faults));
                }
            }
        }
        if !faults.is_empty() {
            return Err(Failure { faults, ty: None });
        }
        Ok(if open { Marked::from(dynamic()) } else { Marked::object(members) }.with(marks))
    }

    fn for_expression(&mut self, each: &For) -> Evaluated {
        let at = &each.collection;
        let (collection, mut marks) = self.value(at)?.open();
        if collection.value.is_null() {
            return Err(fault("Iteration over null value", at));
        }
        if collection.ty().is_dynamic() {
            return Ok(Marked::from(dynamic()).with(marks));
        }
        if collection.ty().is_primitive() {
            return Err(fault("Iteration over non-iterable value", at));
        }
        if collection.value.is_unknown() {
            return Ok(Marked::from(dynamic()).with(marks));
        }
        let (names, parts) = (collection.keys(), collection.parts());
        let is_set = matches!(collection.ty(), Type::Set(_));
        let first = each.key_slot.unwrap_or(each.value_slot);
        let (mut elements, mut members, mut faults, mut open) =
            (Vec::new(), Vec::<(Text, Marked)>::new(), Vec::new(), false);
        for (number, part) in parts.into_iter().enumerate() {
            self.slots.truncate(first);
            if each.key_slot.is_some() {
                self.slots.push(match names.get(number) {
                    Some(name) => Value::string(name.as_str()).into(),
                    None if is_set => part.clone(),
                    None => Value::number(number as u64).into(),
                });
            }
            self.slots.push(part);
            match self.element(each, &mut marks) {
                Ok(Step::Skip) => {}
                Ok(Step::Open) => open = true,
                Ok(Step::Element(value)) => elements.push(value),
                Ok(Step::Member(name, value)) => {
                    if !each.grouped && members.iter().any(|(other, _)| *other == name) {
                        faults.push(Fault { summary: "Duplicate object key", place: at.place });
                    }
                    members.push((name, value));
                }
                Err(failure) => faults.extend(failure.faults),
            }
        }
        self.slots.truncate(first);
        if !faults.is_empty() {
            return Err(Failure { faults, ty: None });
        }
        let made = if open {
            dynamic().into()
        } else if each.key.is_none() {
            Marked::tuple(elements)
        } else if each.grouped {
            let mut groups: std::collections::BTreeMap<Text, Vec<Marked>> = std::collections::BTreeMap::new();
            for (name, value) in members {
                groups.entry(name).or_default().push(value);
            }
            Marked::object(groups.into_iter().map(|(name, values)| (name, Marked::tuple(values))).collect())
        } else {
            Marked::object(members)
        };
        Ok(made.with(marks))
    }

    fn element(&mut self, each: &For, marks: &mut Marks) -> Result<Step, Failure> {
        if let Some(condition) = &each.condition {
            let (truth, own) = self.value(condition)?.open();
            *marks = marks.and(own);
            if truth.value.is_null() {
                return Err(fault("Condition is null", condition));
            }
            let truth = truth.convert(&Type::Bool).ok_or_else(|| fault("Invalid 'for' condition", condition))?;
            match truth.value.view().as_bool() {
                None => return Ok(Step::Open),
                Some(false) => return Ok(Step::Skip),
                Some(true) => {}
            }
        }
        let Some(key) = &each.key else { return self.value(&each.value).map(Step::Element) };
        let (name, own) = self.value(key)?.open();
        *marks = marks.and(own);
        if name.value.is_null() {
            return Err(fault("Invalid object key", key));
        }
        let name = name.convert(&Type::String).ok_or_else(|| fault("Invalid object key", key))?;
        let value = self.value(&each.value)?;
        Ok(match name.value.view().as_text() {
            Some(name) => Step::Member(name.clone(), value),
            None => Step::Open,
        })
    }
}

enum Step {
    Skip,
    Open,
    Element(Marked),
    Member(Text, Marked),
}

/// Strings joined (E89).
fn join(parts: Vec<Evaluated>, mut open: bool, mut marks: Marks, at: &Expression) -> Evaluated {
    let (mut text, mut faults) = (String::new(), Vec::new());
    for part in parts {
        match part {
            Err(failure) => faults.extend(failure.faults),
            Ok(part) => {
                marks = marks.and(part.marks.all());
                let part = if part.value.is_null() { None } else { part.convert(&Type::String) };
                match part {
                    None => faults.push(Fault { summary: "Invalid template interpolation value", place: at.place }),
                    Some(part) => match part.value.view().as_text() {
                        Some(piece) if !open => text.push_str(piece.as_str()),
                        Some(_) => {}
                        None => open = true,
                    },
                }
            }
        }
    }
    if !faults.is_empty() {
        return Err(Failure { faults, ty: Some(Type::String) });
    }
    let value = if open { prefixed(&text) } else { Value::string(&text) };
    Ok(Marked::from(value).with(marks))
}

/// An unknown string that is not null and begins so (E89).
pub(crate) fn prefixed(text: &str) -> Value {
    let mut refiner = Refiner::new(&Type::String);
    let made = refiner.not_null().and_then(|()| refiner.string_prefix_trimmed(text)).and_then(|()| refiner.finish());
    made.map_or_else(|_| unknown_not_null(Type::String), |node| Value::from_parts(Type::String, node))
}

/// An unknown collection of so many elements.
pub(crate) fn sized(ty: Type, least: u64, greatest: u64, not_null: bool) -> Value {
    let mut refiner = Refiner::new(&ty);
    let limit = |length: u64| i64::try_from(length).unwrap_or(i64::MAX);
    let made = if not_null { refiner.not_null() } else { Ok(()) }
        .and_then(|()| if least > 0 { refiner.length_min(limit(least)) } else { Ok(()) })
        .and_then(|()| if limit(greatest) < i64::MAX { refiner.length_max(limit(greatest)) } else { Ok(()) })
        .and_then(|()| refiner.finish());
    made.map_or_else(|_| Value::unknown(ty.clone()), |node| Value::from_parts(ty.clone(), node))
}

/// Whether a value is certainly not null.
pub(crate) fn not_null(value: &Value) -> bool {
    match value.node() {
        Node::Null | Node::Unknown(None) => false,
        Node::Unknown(Some(record)) => record.not_null,
        _ => true,
    }
}

/// E87: what is known of one of two values of a type.
fn either(ty: &Type, a: &Value, b: &Value) -> Value {
    if ty.is_dynamic() {
        return dynamic();
    }
    if a.is_null() && b.is_null() {
        return Value::null(ty.clone());
    }
    if !not_null(a) || !not_null(b) {
        return Value::unknown(ty.clone());
    }
    if let (Some((a_least, a_most)), Some((b_least, b_most)), true) =
        (length_bounds(a.view()), length_bounds(b.view()), ty.is_collection())
    {
        return sized(ty.clone(), a_least.min(b_least), a_most.max(b_most), true);
    }
    let mut refiner = Refiner::new(ty);
    let mut made = refiner.not_null();
    if *ty == Type::Number {
        let (a, b) = (operators::bounds(a), operators::bounds(b));
        let pick = |a: Option<Bound>, b: Option<Bound>, order: std::cmp::Ordering| {
            let (a, b) = (a?, b?);
            Some(if a.value.compare(&b.value) == order || (a.value.equals(&b.value) && a.inclusive) { a } else { b })
        };
        if let Some(min) = pick(a.0, b.0, std::cmp::Ordering::Less) {
            made = made.and_then(|()| refiner.number_min(min));
        }
        if let Some(max) = pick(a.1, b.1, std::cmp::Ordering::Greater) {
            made = made.and_then(|()| refiner.number_max(max));
        }
    }
    let made = made.and_then(|()| refiner.finish());
    made.map_or_else(|_| unknown_not_null(ty.clone()), |node| Value::from_parts(ty.clone(), node))
}

/// `x.a` (E92c).
pub(crate) fn attribute(value: &Marked, name: &Text) -> Result<Marked, &'static str> {
    let marks = value.marks.own;
    match value.ty() {
        Type::Dynamic if value.value.is_unknown() => Ok(Marked::from(dynamic()).with(marks)),
        Type::Object(object) => {
            let place = object.index_of(name.as_str()).filter(|_| !value.value.is_null());
            match (place, value.value.is_unknown()) {
                (Some(place), true) => {
                    Ok(Marked::from(Value::unknown(object.attributes()[place].ty.clone())).with(marks))
                }
                (Some(place), false) => Ok(value.part(place).with(marks)),
                (None, _) if value.value.is_null() => Err("Attempt to get attribute from null value"),
                (None, _) => Err("Unsupported attribute"),
            }
        }
        _ if value.value.is_null() => Err("Attempt to get attribute from null value"),
        Type::Map(element) => {
            if value.value.is_unknown() {
                return Ok(Marked::from(Value::unknown((**element).clone())).with(marks));
            }
            let place = value.keys().iter().position(|key| key == name).ok_or("Missing map element")?;
            Ok(value.part(place).with(marks))
        }
        _ => Err("Unsupported attribute"),
    }
}

/// `x[k]` (E92c, E92d).
pub(crate) fn index(value: &Marked, key: &Marked) -> Result<Marked, &'static str> {
    let marks = value.marks.own.and(key.marks.own);
    let unknown = |ty: &Type| Ok(Marked::from(Value::unknown(ty.clone())).with(marks));
    if value.value.is_null() {
        return Err("Attempt to index null value");
    }
    if key.value.is_null() {
        return Err("Invalid index");
    }
    let ty = value.ty();
    if ty.is_dynamic() {
        return unknown(&Type::Dynamic);
    }
    let wanted = match ty {
        Type::List(_) | Type::Tuple(_) => Type::Number,
        Type::Map(_) | Type::Object(_) => Type::String,
        _ => return Err("Invalid index"),
    };
    let key = key.convert(&wanted).ok_or("Invalid index")?.value;
    if key.is_unknown() || (value.value.is_unknown() && ty.is_collection()) {
        return unknown(ty.element().unwrap_or(&Type::Dynamic));
    }
    let place = if let Some(number) = key.view().as_number() {
        number.to_i64().filter(|_| number.is_whole()).and_then(|number| usize::try_from(number).ok())
    } else {
        key.view().as_text().and_then(|name| value.keys().iter().position(|key| key == name))
    };
    let length = match ty {
        Type::Tuple(tuple) => tuple.len(),
        Type::Object(object) => object.len(),
        _ => value.value.node().parts().len(),
    };
    let place = place.filter(|&place| place < length).ok_or("Invalid index")?;
    if value.value.is_unknown() {
        return match ty {
            Type::Tuple(tuple) => unknown(&tuple.elements()[place]),
            Type::Object(object) => unknown(&object.attributes()[place].ty),
            _ => Err("Invalid index"),
        };
    }
    Ok(value.part(place).with(marks))
}
