//! One configuration with everything in it, in which every kind of value stands in every place (sections 2 and 3 of workspace-language.md).
//!
//! Problem: a generator writes what people write, and the rules of reading are about the rest: a list where a text is expected, a reference
//! to a whole block in a condition, an argument that is missing. Idea: every place of a configuration that uses every part of the language
//! gets each value in turn. Guarantee: the enumeration is complete, and each case has one thing that is unusual.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;

use crate::case::{Case, Command, Step};
use crate::generate::kit;
use crate::parts;

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
    changes: Vec<(Vec<usize>, Change)>,
}

impl Places {
    /// The places are read once.
    fn all() -> &'static Places {
        static ALL: OnceLock<Places> = OnceLock::new();
        ALL.get_or_init(|| {
            let read = |text: &str| Json::parse(text).unwrap_or(Json::Null);
            let (root, kinds, expressions) = (read(ROOT), read(KINDS), read(EXPRESSIONS));
            let mut changes = Vec::new();
            // In the order of the text.
            let places = parts::places(&root).into_iter().collect::<BTreeSet<_>>();
            for place in places {
                let evaluated = expressions.items().iter().filter(|_| is_evaluated(&root, &place));
                let values = kinds.items().iter().chain(evaluated);
                changes.extend(values.map(|value| (place.clone(), Change::Value(value.clone()))));
                changes.push((place.clone(), Change::Gone));
                if let Some(Json::Object(_)) = parts::at(&root, &place) {
                    changes.extend(["zzz", "//"].map(|name| (place.clone(), Change::With(name))));
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
    let (place, change) = &all.changes[number];
    let root = changed(&all.root, place, change);
    let what = match change {
        Change::Value(value) => value.to_compact(),
        Change::Gone => "nothing".to_owned(),
        Change::With(name) => format!("one more member {name:?}"),
    };
    Case {
        dialect,
        purpose: Some(format!("at {}: {what}", steps(&all.root, place).join("/"))),
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

/// The names and numbers on the way to a place.
fn steps(root: &Json, place: &[usize]) -> Vec<String> {
    let step = |depth: usize| {
        let name = parts::name_at(root, &place[..=depth]);
        name.map_or_else(|| place[depth].to_string(), str::to_owned)
    };
    (0..place.len()).map(step).collect()
}

/// Whether an expression may stand in a place: below the name of a block, and not where a reference or a constant is expected.
fn is_evaluated(root: &Json, place: &[usize]) -> bool {
    place.len() > 2 && !steps(root, place).iter().any(|step| NOT_EVALUATED.contains(&step.as_str()))
}

fn changed(root: &Json, place: &[usize], change: &Change) -> Json {
    match change {
        Change::Value(value) => parts::replaced(root, place, value),
        Change::Gone => parts::without(root, place).unwrap_or_else(|| root.clone()),
        Change::With(name) => {
            let members = parts::at(root, place).and_then(|found| found.expect_object().ok()).unwrap_or_default();
            let more = [((*name).into(), Json::string("1"))];
            parts::replaced(root, place, &Json::Object(members.iter().cloned().chain(more).collect()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_embedded_file_is_json() {
        for text in [ROOT, MODULE, KINDS, EXPRESSIONS] {
            assert!(Json::parse(text).is_ok_and(|json| !matches!(json, Json::Null)));
        }
    }
}
