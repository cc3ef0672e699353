//! One configuration with everything in it, in which every kind of value stands in every place (sections 2 and 3 of workspace-language.md).
//!
//! Problem: a generator writes what people write, and the rules of reading are about the rest: a list where a text is expected, a reference
//! to a whole block in a condition, an argument that is missing. Idea: every place of a configuration that uses every part of the language
//! gets each value in turn. Guarantee: the enumeration is complete, and each case has one thing that is unusual.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;

use crate::case::{Case, Command, Step};
use crate::generate::kit;

/// The root module.
const ROOT: &str = include_str!("places/root.json");
/// The module that it calls.
const MODULE: &str = include_str!("places/module.json");
/// Values of every kind of JSON; a list of them.
const KINDS: &str = include_str!("places/kinds.json");
/// Expressions of every kind, with the names of the root module; a list of them.
const EXPRESSIONS: &str = include_str!("places/expressions.json");

/// Arguments that hold no expression, in which expressions are values like any other text.
const NOT_EVALUATED: [&str; 16] = [
    "alias",
    "create_before_destroy",
    "depends_on",
    "description",
    "ephemeral",
    "ignore_changes",
    "iterator",
    "moved",
    "nullable",
    "prevent_destroy",
    "provider",
    "providers",
    "removed",
    "sensitive",
    "source",
    "terraform",
];

/// A place in a configuration: the steps to it, as they are written in a purpose.
type Path = Vec<PathStep>;

#[derive(Clone, Debug)]
enum PathStep {
    Member(Box<str>),
    Element(usize),
}

/// What becomes of a place.
#[derive(Clone, Debug)]
enum Change {
    Value(Json),
    Gone,
    /// An object with one more member.
    With(&'static str),
}

/// All changes of one configuration.
struct Places {
    root: Json,
    module: Json,
    changes: Vec<(Path, Change)>,
}

impl Places {
    /// The places are read once.
    fn all() -> &'static Places {
        static ALL: OnceLock<Places> = OnceLock::new();
        ALL.get_or_init(|| {
            let read = |text: &str| Json::parse(text).unwrap_or(Json::Null);
            let (root, kinds, expressions) = (read(ROOT), read(KINDS), read(EXPRESSIONS));
            let mut changes = Vec::new();
            for (path, found) in places(&root) {
                let values = kinds.items().iter().chain(expressions.items().iter().filter(|_| is_evaluated(&path)));
                changes.extend(values.map(|value| (path.clone(), Change::Value(value.clone()))));
                changes.push((path.clone(), Change::Gone));
                if let Json::Object(_) = found {
                    changes.extend(["zzz", "//"].map(|name| (path.clone(), Change::With(name))));
                }
            }
            Places { root, module: read(MODULE), changes }
        })
    }
}

/// How many there are.
pub fn count() -> usize {
    Places::all().changes.len()
}

/// The case of a number below [`count`].
pub fn placed(number: usize, dialect: Dialect) -> Case {
    let all = Places::all();
    let (path, change) = &all.changes[number];
    let root = changed(&all.root, path, change);
    let steps: Vec<String> = path.iter().map(PathStep::to_string).collect();
    let what = match change {
        Change::Value(value) => value.to_compact(),
        Change::Gone => "nothing".to_owned(),
        Change::With(name) => format!("one more member {name:?}"),
    };
    Case {
        dialect,
        purpose: Some(format!("at {}: {what}", steps.join("/"))),
        providers: kit::providers(dialect.engine()),
        models: kit::models(),
        files: BTreeMap::from([
            ("main.tf.json".to_owned(), root),
            ("m/cat/main.tf.json".to_owned(), all.module.clone()),
        ]),
        state: None,
        steps: vec![Step::of(Command::Plan)],
    }
}

impl std::fmt::Display for PathStep {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            PathStep::Member(name) => f.write_str(name),
            PathStep::Element(index) => write!(f, "{index}"),
        }
    }
}

/// Every place inside a value, with what is there.
fn places(json: &Json) -> Vec<(Path, &Json)> {
    let (mut found, mut rest) = (Vec::new(), vec![(Path::new(), json)]);
    while let Some((path, json)) = rest.pop() {
        let below = |step: PathStep| path.iter().cloned().chain([step]).collect::<Path>();
        match json {
            Json::Object(members) => {
                rest.extend(members.iter().rev().map(|(name, value)| (below(PathStep::Member(name.clone())), value)));
            }
            Json::Array(items) => {
                rest.extend(
                    items.iter().enumerate().rev().map(|(index, item)| (below(PathStep::Element(index)), item)),
                );
            }
            _ => {}
        }
        if !path.is_empty() {
            found.push((path, json));
        }
    }
    found
}

/// Whether an expression may stand in a place: below the name of a block, and not where a reference or a constant is expected.
fn is_evaluated(path: &Path) -> bool {
    let is_constant = |step: &PathStep| matches!(step, PathStep::Member(name) if NOT_EVALUATED.contains(&&**name));
    path.len() > 2 && !path.iter().any(is_constant)
}

fn changed(json: &Json, path: &[PathStep], change: &Change) -> Json {
    let Some((step, rest)) = path.split_first() else {
        return match (change, json) {
            (Change::Value(value), _) => value.clone(),
            (Change::With(name), Json::Object(members)) => {
                let more = [((*name).into(), Json::string("1"))];
                Json::Object(members.iter().cloned().chain(more).collect())
            }
            _ => json.clone(),
        };
    };
    let is_gone = rest.is_empty() && matches!(change, Change::Gone);
    match (json, step) {
        (Json::Object(members), PathStep::Member(at)) => {
            let kept = members.iter().filter(|(name, _)| !(is_gone && name == at));
            let value = |(name, value): &(Box<str>, Json)| {
                (name.clone(), if name == at { changed(value, rest, change) } else { value.clone() })
            };
            Json::Object(kept.map(value).collect())
        }
        (Json::Array(items), PathStep::Element(at)) => {
            let kept = items.iter().enumerate().filter(|(index, _)| !(is_gone && index == at));
            let value =
                |(index, item): (usize, &Json)| if index == *at { changed(item, rest, change) } else { item.clone() };
            Json::Array(kept.map(value).collect())
        }
        _ => json.clone(),
    }
}
