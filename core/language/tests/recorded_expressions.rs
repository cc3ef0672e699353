//! What real engines made of expressions: every recorded one is evaluated again (../../../docs/formats.md, Expressions).
//!
//! `PLANFUZZ_EXPRESSIONS` names another file of the same form.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::value::{Text, Type, Value, WrittenPath, WrittenStep};
use planfuzz_language::SourcePlace;
use planfuzz_language::expression::{self, Expression, MarkTree, Marked, Marks, SENSITIVE, Scope};

struct Locals(Vec<(Text, Marked)>);

impl Scope for Locals {
    fn value(&self, root: &str, attribute: Option<&str>) -> Option<(Marked, bool)> {
        let name = attribute.filter(|_| root == "local")?;
        self.0.iter().find(|local| local.0.as_str() == name).map(|local| (local.1.clone(), true))
    }
}

/// The paths of marks, in the form of the records.
fn paths(value: &Marked, at: &str, out: &mut Vec<String>) {
    if value.marks.own.has(SENSITIVE) && !at.is_empty() {
        out.push(at.to_owned());
        return;
    }
    if value.marks.inner.is_none() {
        return;
    }
    let keys = value.keys();
    for (place, part) in value.parts().into_iter().enumerate() {
        let step = match (value.ty(), keys.get(place)) {
            (Type::Object(_), Some(key)) => format!("{at}.{}", key.as_str()),
            (_, Some(key)) => format!("{at}[{:?}]", key.as_str()),
            _ => format!("{at}[{place}]"),
        };
        paths(&part, &step, out);
    }
}

fn mark(tree: &mut MarkTree, value: &Marked, steps: &[WrittenStep]) {
    let Some((first, rest)) = steps.split_first() else {
        tree.own = tree.own.and(SENSITIVE);
        return;
    };
    let place = match first {
        WrittenStep::Attribute(name) => value.keys().iter().position(|key| key.as_str() == name.as_str()),
        WrittenStep::Key(key) => value.keys().iter().position(|other| other == key),
        WrittenStep::Index(index) => usize::try_from(*index).ok(),
        _ => None,
    };
    let place = place.expect("a path of the value");
    let count = value.parts().len();
    let mut inner: Vec<MarkTree> =
        tree.inner.as_ref().map_or_else(|| vec![MarkTree::default(); count], |inner| inner.to_vec());
    mark(&mut inner[place], &value.part(place), rest);
    *tree = MarkTree::new(tree.own, inner);
}

fn read(json: &Json) -> Marked {
    let ty = Type::from_json(json.member("type").expect("type")).expect("a type");
    let value = Value::from_json(json.member("value").expect("value"), &ty).expect("a value");
    let mut marked = Marked::from(value);
    if matches!(json.member("sensitive"), Some(Json::Bool(true))) {
        marked = marked.with(SENSITIVE);
    }
    if let Some(Json::Array(list)) = json.member("sensitive_paths") {
        for path in list {
            let path: WrittenPath = WrittenPath::parse(path.expect_string().expect("text")).expect("a path");
            let mut tree = marked.marks.clone();
            mark(&mut tree, &marked, path.steps());
            marked.marks = tree;
        }
    }
    marked
}

fn show(value: &Marked) -> String {
    let mut found = Vec::new();
    paths(value, "", &mut found);
    found.sort();
    let sensitive = value.marks.own.has(SENSITIVE);
    format!(
        "{} {} sensitive={sensitive} {found:?}",
        value.ty().to_json().to_indented().split_whitespace().collect::<String>(),
        value.value.to_json(value.ty()).to_indented().split_whitespace().collect::<Vec<_>>().join(" ")
    )
}

fn outcome(expression: &Expression, locals: Locals, dialect: Dialect) -> Result<Marked, Vec<String>> {
    let statics = Locals(locals.0.iter().map(|(name, value)| (name.clone(), unknown_statically(value))).collect());
    let run = |scope: &Locals| {
        expression::evaluate(expression, scope, dialect).map_err(|failure| {
            let mut summaries: Vec<String> = failure.faults.iter().map(|fault| fault.summary.to_owned()).collect();
            summaries.sort();
            summaries.dedup();
            summaries
        })
    };
    run(&statics)?;
    run(&locals)
}

fn unknown_statically(value: &Marked) -> Marked {
    if value.value.is_wholly_known() {
        return value.clone();
    }
    if value.value.is_unknown() {
        return Marked { value: Value::unknown(Type::Dynamic), marks: MarkTree { own: value.marks.own, inner: None } };
    }
    let parts: Vec<Marked> = value.parts().iter().map(unknown_statically).collect();
    let made = match value.ty() {
        Type::Object(_) => Marked::object(value.keys().into_iter().zip(parts).collect()),
        Type::Tuple(_) => Marked::tuple(parts),
        _ => return value.clone(),
    };
    made.with(Marks(value.marks.own.0))
}

/// What differs from the record; nothing if it is the same.
fn difference(line: &str) -> Option<String> {
    let case = Json::parse(line).expect("a record");
    let text = |name: &str| case.member(name).and_then(|json| json.expect_string().ok()).unwrap_or_default().to_owned();
    let dialect: Dialect = text("dialect").parse().expect("a dialect");
    let scope = case.member("scope").expect("a scope").expect_object().expect("an object");
    let locals = Locals(scope.iter().map(|(name, value)| (Text::new(name), read(value))).collect());
    let source = text("expression");
    let want = case.member("want").expect("an outcome");
    let got = match expression::parse(&source, SourcePlace::default()) {
        Ok(expression) => outcome(&expression, locals, dialect),
        Err(faults) => Err(faults.into_iter().map(|fault| format!("(syntax) {}", fault.summary)).collect()),
    };
    let wanted = match want.member("error") {
        Some(error) => Err(match want.member("errors") {
            Some(Json::Array(all)) => {
                all.iter().filter_map(|one| one.expect_string().ok().map(str::to_owned)).collect()
            }
            _ => vec![error.expect_string().expect("a summary").to_owned()],
        }),
        None => Ok(read(want)),
    };
    let tell =
        |side: &Result<Marked, Vec<String>>| side.as_ref().map_or_else(|faults| format!("errors {faults:?}"), show);
    let same = match (&got, &wanted) {
        (Ok(got), Ok(wanted)) => show(got) == show(wanted),
        (Err(got), Err(wanted)) => got == wanted,
        _ => false,
    };
    (!same).then(|| format!("{} {source}\n   want {}\n   got  {}", text("id"), tell(&wanted), tell(&got)))
}

#[test]
fn recorded_expressions_have_the_outcomes_of_the_engines() {
    let path = std::env::var("PLANFUZZ_EXPRESSIONS")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/recorded/expressions.jsonl").to_owned());
    let text = std::fs::read_to_string(&path).expect("the records are there");
    let differences: Vec<String> = text.lines().filter_map(difference).collect();
    assert!(text.lines().count() > 0, "no record in {path}");
    assert!(
        differences.is_empty(),
        "{} of {} differ\n{}",
        differences.len(),
        text.lines().count(),
        differences.join("\n")
    );
}
