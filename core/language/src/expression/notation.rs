//! Expressions over named values in the notation of formats.md: values with marks, scopes, outcomes.
//!
//! A value is `{"type": T, "value": V, "sensitive": b, "sensitive_paths": [PATH…]}`. If the whole is sensitive, marks within it are not
//! written: they change nothing.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::{Json, JsonError, ObjectReader};
use planfuzz_core::value::{PathSet, Text, Type, Value, WrittenPath, WrittenStep};

use super::{Evaluated, Expression, Failure, MarkTree, Marked, Marks, SENSITIVE, Scope, Surroundings, parse};
use crate::place::SourcePlace;

/// The name that expressions of cases refer to: `local.NAME`.
pub const ROOT: &str = "local";

/// Named values: the values of `local.NAME`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Locals(Vec<(Text, Marked)>, Surroundings);

/// The outcome of an expression: a value, or the summaries of its errors, sorted and without duplicates.
pub type ExpressionOutcome = Result<Marked, Vec<String>>;

/// An implementation of the evaluator.
pub type Evaluate<'e> = &'e dyn Fn(&Expression, &Locals, Dialect) -> Evaluated;

impl Locals {
    /// Values by name; of two values with one name the later one counts.
    pub fn new(values: impl IntoIterator<Item = (Text, Marked)>) -> Locals {
        let sorted: std::collections::BTreeMap<Text, Marked> = values.into_iter().collect();
        Locals(sorted.into_iter().collect(), Surroundings::default())
    }

    /// Sets the surroundings of the evaluation.
    #[must_use]
    pub fn within(self, surroundings: Surroundings) -> Locals {
        Locals(self.0, surroundings)
    }

    /// The surroundings of the evaluation.
    pub fn surroundings(&self) -> &Surroundings {
        &self.1
    }

    /// The values with their names, in the order of the names.
    pub fn iter(&self) -> impl Iterator<Item = (&Text, &Marked)> {
        self.0.iter().map(|(name, value)| (name, value))
    }

    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<&Marked> {
        let at = self.0.binary_search_by(|(other, _)| other.as_str().cmp(name)).ok()?;
        Some(&self.0[at].1)
    }

    /// Reads the object of a scope.
    ///
    /// # Errors
    /// A member that is no value with marks.
    pub fn from_json(json: &Json) -> Result<Locals, JsonError> {
        let read = |(name, value): &(Box<str>, Json)| {
            let value = read(value).map_err(|problem| problem.inside_member(name))?;
            Ok((Text::new(name), value))
        };
        Ok(Locals::new(json.expect_object()?.iter().map(read).collect::<Result<Vec<_>, JsonError>>()?))
    }

    /// The object of a scope.
    pub fn to_json(&self) -> Json {
        Json::object(self.0.iter().map(|(name, value)| (name.as_str(), write(value))))
    }

    /// The scope of static validation: unknown values lose their types.
    #[must_use]
    pub fn statically(&self) -> Locals {
        let values = self.0.iter().map(|(name, value)| (name.clone(), unknown_statically(value))).collect();
        Locals(values, Surroundings { plan_time: None, ..self.1.clone() })
    }
}

impl Scope for Locals {
    fn value(&self, root: &str, attribute: Option<&str>) -> Option<(Marked, bool)> {
        let name = attribute.filter(|_| root == ROOT)?;
        self.get(name).map(|value| (value.clone(), true))
    }

    fn surroundings(&self) -> Surroundings {
        self.1.clone()
    }
}

/// The outcome of an expression: the errors of static validation if there are any, otherwise the outcome of the plan.
pub fn outcome_of(source: &str, locals: &Locals, dialect: Dialect, evaluate: Evaluate<'_>) -> ExpressionOutcome {
    let expression = parse(source, SourcePlace::default())
        .map_err(|faults| summaries(faults.into_iter().map(|fault| fault.summary.to_string())))?;
    let run = |locals: &Locals| evaluate(&expression, locals, dialect).map_err(of_failure);
    run(&locals.statically())?;
    run(locals)
}

fn of_failure(failure: Failure) -> Vec<String> {
    summaries(failure.faults.into_iter().map(|fault| fault.summary.to_owned()))
}

fn summaries(all: impl Iterator<Item = String>) -> Vec<String> {
    all.collect::<std::collections::BTreeSet<_>>().into_iter().collect()
}

/// Writes an outcome.
pub fn write_outcome(outcome: &ExpressionOutcome) -> Json {
    match outcome {
        Ok(value) => write(value),
        Err(summaries) => {
            let mut members = vec![("error", Json::string(summaries.first().map_or("", String::as_str)))];
            if summaries.len() > 1 {
                members.push(("errors", Json::Array(summaries.iter().map(|text| Json::string(text)).collect())));
            }
            Json::object(members)
        }
    }
}

/// Reads what [`write_outcome`] wrote.
///
/// # Errors
/// The JSON is not an outcome.
pub fn read_outcome(json: &Json) -> Result<ExpressionOutcome, JsonError> {
    if json.member("error").is_none() {
        return read(json).map(Ok);
    }
    let text = |json: &Json| json.expect_string().map(str::to_owned);
    let mut reader = ObjectReader::new(json, "a value with marks or an error")?;
    let first = reader.required("error", text)?;
    let all = reader.optional("errors", |json| json.read_items(text))?;
    reader.finish()?;
    Ok(Err(summaries(all.unwrap_or_default().into_iter().chain([first]))))
}

/// Reads a value with marks.
///
/// # Errors
/// The value does not fit its type, or a path leads nowhere.
pub fn read(json: &Json) -> Result<Marked, JsonError> {
    let mut reader = ObjectReader::new(json, "a value with marks")?;
    let ty = reader.required("type", Type::from_json)?;
    let mut value = Marked::from(reader.required("value", |json| Value::from_json(json, &ty))?);
    let is_sensitive = reader.flag("sensitive")?;
    let paths = reader.optional("sensitive_paths", |json| json.read_items(|json| mark_at(&mut value, json)))?;
    reader.finish()?;
    drop(paths);
    Ok(if is_sensitive { value.with(SENSITIVE) } else { value })
}

/// Writes a value with marks at paths. A mark whose path leads nowhere is put on the nearest existing part.
pub fn write_reply<'p>(value: Value, sensitive: impl IntoIterator<Item = &'p WrittenPath>) -> Json {
    let mut marked = Marked::from(value);
    for path in sensitive {
        let mut steps = path.steps();
        let mut marks = marked.marks.clone();
        while mark(&mut marks, &marked, steps).is_none() {
            steps = &steps[..steps.len() - 1];
        }
        marked.marks = marks;
    }
    write(&marked)
}

fn mark_at(value: &mut Marked, json: &Json) -> Result<(), JsonError> {
    let path = WrittenPath::parse(json.expect_string()?).map_err(|_| json.unexpected("a path"))?;
    let mut marks = value.marks.clone();
    mark(&mut marks, value, path.steps()).ok_or_else(|| json.unexpected("a path of the value"))?;
    value.marks = marks;
    Ok(())
}

/// Marks the part at a path as sensitive; `None` if the path leads nowhere.
pub fn mark(tree: &mut MarkTree, value: &Marked, steps: &[WrittenStep]) -> Option<()> {
    let Some((first, rest)) = steps.split_first() else {
        tree.own = tree.own.and(SENSITIVE);
        return Some(());
    };
    let count = value.value.node().parts().len();
    let place = match first {
        WrittenStep::Attribute(name) | WrittenStep::Key(name) => value.keys().iter().position(|key| key == name),
        WrittenStep::Index(index) => usize::try_from(*index).ok(),
        WrittenStep::Element => None,
    };
    let place = place.filter(|place| *place < count)?;
    let mut inner: Vec<MarkTree> =
        tree.inner.as_ref().map_or_else(|| vec![MarkTree::default(); count], |inner| inner.to_vec());
    mark(&mut inner[place], &value.part(place), rest)?;
    *tree = MarkTree::new(tree.own, inner);
    Some(())
}

/// Writes a value with marks.
pub fn write(value: &Marked) -> Json {
    let is_sensitive = value.marks.own.has(SENSITIVE);
    let mut members = vec![
        ("type", value.ty().to_json()),
        ("value", value.value.to_json(value.ty())),
        ("sensitive", Json::Bool(is_sensitive)),
    ];
    let paths = if is_sensitive { PathSet::EMPTY } else { sensitive(value) };
    if !paths.is_empty() {
        members
            .push(("sensitive_paths", Json::Array(paths.iter().map(|path| Json::string(&path.to_string())).collect())));
    }
    Json::object(members)
}

/// The paths of the outermost sensitive marks; only the root if the whole is sensitive.
pub fn sensitive(value: &Marked) -> PathSet {
    let mut paths = Vec::new();
    sensitive_paths(value, &mut Vec::new(), &mut paths);
    paths.into_iter().collect()
}

fn sensitive_paths(value: &Marked, at: &mut Vec<WrittenStep>, out: &mut Vec<WrittenPath>) {
    if value.marks.own.has(SENSITIVE) {
        out.push(WrittenPath::new(at.clone()));
        return;
    }
    if value.marks.inner.is_none() {
        return;
    }
    let keys = value.keys();
    for (place, part) in value.parts().iter().enumerate() {
        at.push(match (value.ty(), keys.get(place)) {
            (Type::Object(_), Some(name)) => WrittenStep::Attribute(name.clone()),
            (_, Some(key)) => WrittenStep::Key(key.clone()),
            _ => WrittenStep::Index(place as u64),
        });
        sensitive_paths(part, at, out);
        at.pop();
    }
}

fn unknown_statically(value: &Marked) -> Marked {
    if value.value.is_wholly_known() {
        return value.clone();
    }
    if value.value.is_unknown() {
        let marks = MarkTree { own: value.marks.own, inner: None };
        return Marked { value: Value::unknown(Type::Dynamic), marks };
    }
    let parts: Vec<Marked> = value.parts().iter().map(unknown_statically).collect();
    let made = match value.ty() {
        Type::Object(_) => Marked::object(value.keys().into_iter().zip(parts).collect()),
        Type::Tuple(_) => Marked::tuple(parts),
        _ => return value.clone(),
    };
    made.with(Marks(value.marks.own.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Json {
        Json::parse(text).expect("a document")
    }

    #[test]
    fn values_with_marks_are_written_as_they_are_read() {
        for text in [
            r#"{"type":["object",{"a":["map","string"],"b":["tuple",["number"]]}],"value":{"a":{"x y":"1"},"b":[1]},"sensitive":false,"sensitive_paths":[".a[\"x y\"]",".b[0]"]}"#,
            r#"{"type":"dynamic","value":{"$unknown":true},"sensitive":true}"#,
        ] {
            assert_eq!(write(&read(&json(text)).expect("a value")), json(text));
        }
        let nowhere = r#"{"type":["list","string"],"value":["a"],"sensitive":false,"sensitive_paths":["[1]"]}"#;
        assert!(read(&json(nowhere)).expect_err("no such place").to_string().contains("a path of the value"));
    }

    #[test]
    fn outcomes_are_written_as_they_are_read() {
        for text in [r#"{"error":"A"}"#, r#"{"error":"A","errors":["A","B"]}"#] {
            assert_eq!(write_outcome(&read_outcome(&json(text)).expect("an outcome")), json(text));
        }
    }
}
