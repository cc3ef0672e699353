//! Workspaces by shape and size, made by code: the subjects of speed measurements.
//!
//! Each shape grows in one way, so that a cost that grows faster than the input shows where it comes from. Objects are of the kit
//! ([`crate::generate::kit`]); `changed` gives one leaf another value.

use std::collections::BTreeMap;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_workspace::{Options, State, Workspace};

use crate::case::{CaseError, sources};
use crate::generate::kit;
use crate::model::{RemoteEvents, Simulated};

/// How a workspace grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shape {
    /// Blocks without references to each other.
    Independent,
    /// One block with `for_each`.
    ForEach,
    /// One block with `count`.
    Count,
    /// Blocks that each refer to the one before; their stored lists are n²/2 names.
    Chain,
    /// Blocks that refer to one.
    FanOut,
    /// One block that refers to all others.
    FanIn,
    /// Instances of a module with an argument and an output, ten objects each.
    Modules,
    /// A quarter each: single blocks, counted and repeated ones that refer to each other, modules; data resources and locals between.
    Mixed,
}

impl Shape {
    /// All of them with their names.
    pub const ALL: [(Shape, &'static str); 8] = [
        (Shape::Independent, "independent"),
        (Shape::ForEach, "for_each"),
        (Shape::Count, "count"),
        (Shape::Chain, "chain"),
        (Shape::FanOut, "fan_out"),
        (Shape::FanIn, "fan_in"),
        (Shape::Modules, "modules"),
        (Shape::Mixed, "mixed"),
    ];

    /// The shape of a name.
    pub fn from_name(name: &str) -> Option<Shape> {
        Shape::ALL.iter().find(|(_, known)| *known == name).map(|(shape, _)| *shape)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Shape::ALL.iter().find(|(shape, _)| *shape == self).map_or("", |(_, name)| name)
    }

    /// How many instances are measured at most: of a chain the lists that are stored grow with the square.
    pub fn most(self) -> usize {
        if self == Shape::Chain { 10_000 } else { 10_000_000 }
    }

    /// The files of a workspace of about so many instances.
    pub fn files(self, instances: usize, changed: bool) -> BTreeMap<String, Json> {
        let mut files = BTreeMap::new();
        let tag = if changed { "new" } else { "old" };
        let main = match self {
            Shape::Independent => {
                things((0..instances).map(|i| single("t", i, None, if i == 0 { tag } else { "old" })))
            }
            Shape::ForEach => things([("t".into(), each("t", 0..instances, tag))]),
            Shape::Count => things([("t".into(), counted("t", instances, tag))]),
            Shape::Chain => things((0..instances).map(|i| {
                let before = i.checked_sub(1).map(|before| format!("${{w_thing.t{before}.id}}"));
                single("t", i, before, if i + 1 == instances { tag } else { "old" })
            })),
            Shape::FanOut => {
                let leaves = (1..instances)
                    .map(|i| single("t", i, Some("${w_thing.t0.id}".into()), if i == 1 { tag } else { "old" }));
                things([single("t", 0, None, "old")].into_iter().chain(leaves))
            }
            Shape::FanIn => {
                let ids = (1..instances).map(|i| Json::string(&format!("${{w_thing.t{i}.id}}"))).collect();
                let all =
                    Json::object([("name", Json::string("all")), ("tags", tags(tag)), ("list", Json::Array(ids))]);
                let leaves = (1..instances).map(|i| single("t", i, None, "old"));
                things(leaves.chain([("all".to_owned(), all)]))
            }
            Shape::Modules => {
                files.insert("m/main.tf.json".to_owned(), module());
                let base = single("base", 0, None, tag);
                Json::object([
                    ("resource", Json::object([("w_thing", members([base]))])),
                    ("module", Json::object([("m", call(instances.div_ceil(10), "${w_thing.base0.name}"))])),
                    (
                        "output",
                        Json::object([("firsts", Json::object([("value", Json::string("${module.m[*].first}"))]))]),
                    ),
                ])
            }
            Shape::Mixed => {
                files.insert("m/main.tf.json".to_owned(), module());
                mixed(instances / 4, tag)
            }
        };
        files.insert("main.tf.json".to_owned(), main);
        files
    }
}

/// A file with one more object, independent of the others: changing it shows the cost of one change.
pub fn leaf(changed: bool) -> (String, Json) {
    let leaf = single("leaf", 0, None, if changed { "new" } else { "old" });
    ("leaf.tf.json".to_owned(), things([leaf]))
}

fn members(all: impl IntoIterator<Item = (String, Json)>) -> Json {
    Json::Object(all.into_iter().map(|(name, value)| (name.as_str().into(), value)).collect())
}

fn things(all: impl IntoIterator<Item = (String, Json)>) -> Json {
    Json::object([("resource", Json::object([("w_thing", members(all))]))])
}

fn tags(tag: &str) -> Json {
    Json::object([("k", Json::string(tag))])
}

fn single(name: &str, number: usize, note: Option<String>, tag: &str) -> (String, Json) {
    let name = format!("{name}{number}");
    let mut body = vec![("name", Json::string(&name)), ("tags", tags(tag))];
    body.extend(note.map(|note| ("note", Json::string(&note))));
    (name, Json::object(body))
}

fn each(name: &str, numbers: std::ops::Range<usize>, tag: &str) -> Json {
    let elements = numbers.map(|i| (format!("k{i}"), Json::string(if i == 0 { tag } else { "old" })));
    let name = format!("{name}-${{each.key}}");
    let tags = Json::object([("k", Json::string("${each.value}"))]);
    Json::object([("for_each", members(elements)), ("name", Json::string(&name)), ("tags", tags)])
}

fn counted(name: &str, count: usize, tag: &str) -> Json {
    let tag = format!("${{count.index == 0 ? \"{tag}\" : \"old\"}}");
    let name = format!("{name}-${{count.index}}");
    Json::object([("count", Json::int(count as u64)), ("name", Json::string(&name)), ("tags", tags(&tag))])
}

/// A module of ten objects.
fn module() -> Json {
    let name = Json::string("m-${var.index}-${count.index}");
    let thing = Json::object([("count", Json::int(10)), ("name", name), ("note", Json::string("${var.base}"))]);
    let variable = || Json::object([("type", Json::string("string"))]);
    let first = Json::object([("value", Json::string("${w_thing.t[0].id}"))]);
    Json::object([
        ("variable", Json::object([("base", variable()), ("index", variable())])),
        ("resource", Json::object([("w_thing", Json::object([("t", thing)]))])),
        ("output", Json::object([("first", first)])),
    ])
}

fn call(count: usize, base: &str) -> Json {
    Json::object([
        ("source", Json::string("./m")),
        ("count", Json::int(count as u64)),
        ("base", Json::string(base)),
        ("index", Json::string("${count.index}")),
    ])
}

fn mixed(quarter: usize, tag: &str) -> Json {
    let singles = (0..quarter).map(|i| {
        let note = match i % 3 {
            0 => None,
            1 => Some("${local.note}".to_owned()),
            _ => Some(format!("${{data.w_info.d{}.name}}", i % 7)),
        };
        single("t", i, note, "old")
    });
    let with_note = |body: Json, note: &str| {
        let mut members = body.expect_object().map(<[_]>::to_vec).unwrap_or_default();
        members.push(("note".into(), Json::string(note)));
        Json::Object(members)
    };
    let rows = counted("row", quarter, tag);
    let keyed = with_note(each("each", 0..quarter, "old"), "${w_thing.rows[0].name}");
    let all = singles.chain([("rows".to_owned(), rows), ("keyed".to_owned(), keyed)]);
    let data = (0..7).map(|i| (format!("d{i}"), Json::object([("name", Json::string(&format!("d{i}")))])));
    Json::object([
        ("locals", Json::object([("note", Json::string("${w_thing.t0.name}-note"))])),
        ("data", Json::object([("w_info", members(data))])),
        ("resource", Json::object([("w_thing", members(all))])),
        ("module", Json::object([("m", call(quarter.div_ceil(10), "${local.note}"))])),
        ("output", Json::object([("firsts", Json::object([("value", Json::string("${module.m[*].first}"))]))])),
    ])
}

/// A workspace of a shape with its providers.
///
/// # Errors
/// A file is too large.
pub fn workspace(files: &BTreeMap<String, Json>, state: Option<State>) -> Result<(Workspace, Simulated), CaseError> {
    let dialect = Dialect::TERRAFORM_1_11;
    let schemas = planfuzz_language::check::Schemas::from_json(&Json::object([(
        "provider_schemas",
        kit::providers(dialect.engine()),
    )]))?;
    let options = Options::default();
    let workspace = Workspace { dialect, sources: sources(files)?, schemas: schemas.clone(), state, options };
    Ok((workspace, Simulated::new(schemas, dialect, kit::models(), RemoteEvents::default())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_have_names_and_one_leaf_changes() {
        for (shape, name) in Shape::ALL {
            assert_eq!(Shape::from_name(name), Some(shape));
            let text = |changed| -> String { shape.files(20, changed).values().map(Json::to_compact).collect() };
            let (old, new) = (text(false), text(true));
            assert_eq!(new.matches("new").count(), 1, "{name}");
            assert_eq!(new.replace("new", "old"), old, "{name}");
        }
    }
}
