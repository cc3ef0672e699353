//! `for` and splats (E91 to E92b).

use hashbrown::HashMap;
use planfuzz_core::value::convert::convert;
use planfuzz_core::value::{Node, Number, Text, Type, Value, length_bounds};
use planfuzz_language::SourcePlace;
use planfuzz_language::expression::{Marked, Marks};

use crate::machine::{Frame, Machine};
use crate::make;
use crate::operation::{Each, Operation, Splat};
use crate::outcome::{Evaluated, Faults, failure};

const KEY: &str = "Invalid object key";

/// What a `for` has made so far.
struct Made {
    faults: Faults,
    marks: Marks,
    /// The marks of the condition evaluated with unknowns: they count if the collection is unknown.
    beforehand: Marks,
    is_known: bool,
    tuple: Vec<Marked>,
    /// The members of an object; `places` has the index of each key.
    members: Vec<(Text, Vec<Marked>)>,
    places: HashMap<Text, usize>,
}

/// `[for …]`, `{for …}`
pub(crate) fn each(machine: &Machine<'_>, frame: &mut Frame, each: &Each, place: SourcePlace) -> Evaluated {
    let mut faults = Faults::default();
    let collection = faults.take(machine.run(&each.collection, frame)).into_owned();
    if collection.value.is_null() {
        faults.add("Iteration over null value", each.collection.place);
        return Err(faults.with_type(None));
    }
    if collection.ty().is_dynamic() {
        return end_of_unknown(faults, Marks(0));
    }
    if !is_iterable(collection.ty()) {
        faults.add("Iteration over non-iterable value", each.collection.place);
        return Err(faults.with_type(None));
    }
    let mut made = Made {
        faults,
        marks: collection.marks.own,
        beforehand: Marks(0),
        is_known: true,
        tuple: Vec::new(),
        members: Vec::new(),
        places: HashMap::new(),
    };
    if !condition_beforehand(machine, frame, each, &mut made) {
        return Err(made.faults.with_type(None));
    }
    if collection.value.is_unknown() {
        return end_of_unknown(made.faults, collection.marks.own.and(made.beforehand));
    }
    let keys = collection.keys();
    let is_set = matches!(collection.ty(), Type::Set(_));
    for (at, part) in collection.parts().into_iter().enumerate() {
        if !machine.spend(1) {
            return Err(failure(crate::machine::TOO_LARGE, place, None));
        }
        if let Some(local) = each.key_local {
            let key = match keys.get(at) {
                Some(key) => Value::from_parts(Type::String, Node::String(key.clone())).into(),
                None if is_set => part.clone(),
                None => Value::number(Number::counted(at as u64)).into(),
            };
            frame.set(local, key);
        }
        frame.set(each.value_local, part);
        element(machine, frame, each, &mut made);
    }
    finish(each, made)
}

/// An unknown result; it keeps the marks even if there are faults.
fn end_of_unknown(faults: Faults, marks: Marks) -> Evaluated {
    faults.end(Marked::from(Value::unknown(Type::Dynamic)).with(marks))
}

fn is_iterable(ty: &Type) -> bool {
    matches!(ty, Type::List(_) | Type::Set(_) | Type::Map(_) | Type::Tuple(_) | Type::Object(_))
}

/// E91: evaluates the condition once with unknown variables, so that it is checked even if there are no elements.
fn condition_beforehand(machine: &Machine<'_>, frame: &mut Frame, each: &Each, made: &mut Made) -> bool {
    let Some(condition) = &each.condition else { return true };
    let unknown = || Marked::from(Value::unknown(Type::Dynamic));
    if let Some(local) = each.key_local {
        frame.set(local, unknown());
    }
    frame.set(each.value_local, unknown());
    let mut faults = Faults::default();
    let value = faults.take(machine.run(condition, frame)).into_owned();
    let is_failed = !faults.is_empty();
    made.faults.append(faults);
    let is_condition = is_condition(&value, condition.place, &mut made.faults);
    made.beforehand = value.marks.own;
    is_condition && !is_failed
}

fn is_condition(value: &Marked, place: SourcePlace, faults: &mut Faults) -> bool {
    if value.value.is_null() {
        faults.add("Condition is null", place);
        return false;
    }
    let is_bool = convert(&value.value, &Type::Bool).is_ok();
    if !is_bool {
        faults.add("Invalid 'for' condition", place);
    }
    is_bool
}

fn element(machine: &Machine<'_>, frame: &mut Frame, each: &Each, made: &mut Made) {
    match included(machine, frame, each, made) {
        Included::Yes => {}
        Included::No => return,
        Included::Unknown => {
            made.is_known = false;
            return;
        }
    }
    match &each.key {
        None => {
            let value = made.faults.take(machine.run(&each.value, frame)).into_owned();
            made.tuple.push(value);
        }
        Some(key) => member(machine, frame, each, key, made),
    }
}

/// Whether an element is taken.
enum Included {
    Yes,
    No,
    Unknown,
}

impl Made {
    /// Reports a fault in a condition or key as long as the result is known.
    fn report(&mut self, summary: &'static str, place: SourcePlace) {
        if std::mem::take(&mut self.is_known) {
            self.faults.add(summary, place);
        }
    }
}

fn included(machine: &Machine<'_>, frame: &mut Frame, each: &Each, made: &mut Made) -> Included {
    let Some(condition) = &each.condition else { return Included::Yes };
    let value = made.faults.take(machine.run(condition, frame));
    made.marks = made.marks.and(value.marks.own);
    let bool = convert(&value.value, &Type::Bool).ok();
    // If the condition is unknown, its type matters only for an object.
    if value.value.is_unknown() && (bool.is_some() || each.key.is_none()) {
        return Included::Unknown;
    }
    match bool.and_then(|bool| bool.view().as_bool()) {
        Some(true) => Included::Yes,
        Some(false) => Included::No,
        None => {
            made.report("Invalid 'for' condition", condition.place);
            Included::Unknown
        }
    }
}

fn member(machine: &Machine<'_>, frame: &mut Frame, each: &Each, key: &Operation, made: &mut Made) {
    let given = made.faults.take(machine.run(key, frame));
    made.marks = made.marks.and(given.marks.own);
    if given.value.is_null() {
        made.report(KEY, key.place);
        return;
    }
    if given.value.is_unknown() {
        made.is_known = false;
        return;
    }
    let Some(name) = convert(&given.value, &Type::String).ok().and_then(|key| key.view().as_text().cloned()) else {
        made.report(KEY, key.place);
        return;
    };
    let value = made.faults.take(machine.run(&each.value, frame)).into_owned();
    match made.places.get(&name) {
        Some(&at) if each.grouped => made.members[at].1.push(value),
        Some(_) => made.faults.add("Duplicate object key", key.place),
        None => {
            made.places.insert(name.clone(), made.members.len());
            made.members.push((name, vec![value]));
        }
    }
}

fn finish(each: &Each, made: Made) -> Evaluated {
    let whole = if !made.is_known {
        Value::unknown(Type::Dynamic).into()
    } else if each.key.is_none() {
        Marked::tuple(made.tuple)
    } else {
        let members = made.members.into_iter().map(|(name, mut values)| {
            let value = if each.grouped { Some(Marked::tuple(values)) } else { values.pop() };
            (name, value.unwrap_or_else(|| Value::unknown(Type::Dynamic).into()))
        });
        Marked::object(members.collect())
    };
    made.faults.end(whole.with(made.marks))
}

/// `x[*]…`, `x.*…`
pub(crate) fn splat(machine: &Machine<'_>, frame: &mut Frame, splat: &Splat, place: SourcePlace) -> Evaluated {
    let mut faults = Faults::default();
    let source = faults.take(machine.run(&splat.source, frame)).into_owned();
    if !faults.is_empty() {
        return Err(faults.with_type(None));
    }
    let own = source.marks.own;
    let is_many = matches!(source.ty(), Type::List(_) | Type::Set(_) | Type::Tuple(_));
    if source.value.is_null() {
        if !is_many {
            return Ok(Marked::tuple(Vec::new()).with(own));
        }
        faults.add("Splat of null value", splat.source.place);
        return Err(faults.with_type(None));
    }
    if source.ty().is_dynamic() {
        return end_of_unknown(faults, own);
    }
    if !is_many {
        if source.value.is_unknown() && make::may_be_null(source.value.view()) {
            frame.set(splat.local, source.open().0);
            faults.take(machine.run(&splat.each, frame));
            return end_of_unknown(faults, own);
        }
        let ty = source.ty().clone();
        frame.set(splat.local, source);
        let value = faults.take(machine.run(&splat.each, frame)).into_owned();
        if !faults.is_empty() {
            let whole = type_of_each(machine, frame, splat, None, vec![ty]);
            return faults.end(Marked::from(Value::unknown(whole)).with(own));
        }
        return Ok(Marked::tuple(vec![value]).with(own));
    }
    if let (Some(element), true) = (source.ty().element().cloned(), source.value.is_unknown()) {
        let bounds = length_bounds(source.value.view()).unwrap_or((0, u64::MAX));
        frame.set(splat.local, Value::unknown(element).into());
        let each = faults.take(machine.run(&splat.each, frame));
        let list = make::sized(Type::list(each.ty().clone()), bounds.0, bounds.1);
        // The value after faults is the same as without.
        return faults.end(Marked::from(list).with(own));
    }
    let parts = match source.ty() {
        Type::Tuple(tuple) if source.value.is_unknown() => {
            tuple.elements().iter().map(|ty| Value::unknown(ty.clone()).into()).collect()
        }
        _ => source.parts(),
    };
    let mut values = Vec::with_capacity(parts.len());
    let element = source.ty().element().cloned();
    let types: Vec<Type> = parts.iter().map(|part| part.ty().clone()).collect();
    for part in parts {
        if !machine.spend(1) {
            return Err(failure(crate::machine::TOO_LARGE, place, None));
        }
        frame.set(splat.local, part);
        values.push(faults.take(machine.run(&splat.each, frame)).into_owned());
    }
    if !faults.is_empty() {
        let whole = type_of_each(machine, frame, splat, element, types);
        let is_there = source.value.is_unknown();
        let whole = if is_there { make::not_null(whole) } else { Value::unknown(whole) };
        return faults.end(Marked::from(whole).with(own));
    }
    let whole = match element {
        None if source.value.is_unknown() => make::not_null(Marked::tuple(values).ty().clone()).into(),
        None => Marked::tuple(values),
        Some(element) => list_of_each(machine, frame, splat, element, values, &mut faults),
    };
    faults.end(whole.with(own))
}

/// The type of a splat that has faults: each element's type comes from an unknown element.
fn type_of_each(
    machine: &Machine<'_>,
    frame: &mut Frame,
    splat: &Splat,
    element: Option<Type>,
    types: Vec<Type>,
) -> Type {
    let mut of = |ty: Type| {
        frame.set(splat.local, Value::unknown(ty).into());
        // These faults are already reported.
        Faults::default().take(machine.run(&splat.each, frame)).ty().clone()
    };
    match element {
        Some(element) => Type::list(of(element)),
        None => Type::tuple(types.into_iter().map(of).collect()),
    }
}

fn list_of_each(
    machine: &Machine<'_>,
    frame: &mut Frame,
    splat: &Splat,
    element: Type,
    values: Vec<Marked>,
    faults: &mut Faults,
) -> Marked {
    let ty = match values.first() {
        Some(first) => first.ty().clone(),
        None => {
            frame.set(splat.local, Value::unknown(element).into());
            // Without elements, evaluates with an unknown one, to report operations that fail for every element.
            faults.take(machine.run(&splat.each, frame)).ty().clone()
        }
    };
    let plain = values.clone();
    Marked::list(&ty, values).unwrap_or_else(|| Marked::tuple(plain))
}
