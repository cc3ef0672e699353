//! A resource with every way in which two of its instances can be stored, under every command, and another resource and an output that see
//! it. The enumeration is complete.
//!
//! Each instance has a current object, none, or one that is gone outside, and likewise a deposed object. The first instance may be declared;
//! the second is not: it was left behind by a larger `count`, another `for_each`, or another kind of key.

use std::collections::BTreeMap;

use planfuzz_core::address::InstanceKey;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::plans::Mode;

use crate::case::{Case, Command, Step};
use crate::generate::kit;
use crate::model::Outside;

/// Whether an object is stored, and is still there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Presence {
    None,
    There,
    Gone,
}

const PRESENCES: [Presence; 3] = [Presence::None, Presence::There, Presence::Gone];

/// How the resource repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Repeats {
    Once,
    Count,
    ForEach,
}

const REPEATS: [Repeats; 3] = [Repeats::Once, Repeats::Count, Repeats::ForEach];

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Apply,
    WithoutRefresh,
    RefreshOnly,
    Destroy,
    /// With the first instance, and what sees it, as targets.
    FirstTargeted,
    /// With the second instance, and what sees it, as targets.
    SecondTargeted,
    /// With the resource that sees it as the target of a destruction.
    UserDestroyed,
    /// With the resource that sees it as the target.
    UserTargeted,
}

const WAYS: [Way; 8] = [
    Way::Apply,
    Way::WithoutRefresh,
    Way::RefreshOnly,
    Way::Destroy,
    Way::FirstTargeted,
    Way::SecondTargeted,
    Way::UserDestroyed,
    Way::UserTargeted,
];

/// The ways in which one instance is stored.
const INSTANCES: usize = PRESENCES.len() * PRESENCES.len();

/// How many there are.
pub const COUNT: usize = INSTANCES * INSTANCES * REPEATS.len() * 2 * WAYS.len();

/// How an instance is stored.
#[derive(Clone, Copy, Debug)]
struct Instance {
    current: Presence,
    deposed: Presence,
}

impl Instance {
    fn of(number: usize) -> Instance {
        Instance { current: PRESENCES[number % PRESENCES.len()], deposed: PRESENCES[number / PRESENCES.len()] }
    }
}

/// The case of a number below [`COUNT`].
pub fn stored(number: usize, dialect: Dialect) -> Case {
    let (first, rest) = (Instance::of(number % INSTANCES), number / INSTANCES);
    let (second, rest) = (Instance::of(rest % INSTANCES), rest / INSTANCES);
    let (repeats, rest) = (REPEATS[rest % REPEATS.len()], rest / REPEATS.len());
    let (is_declared, way) = (rest % 2 == 0, WAYS[rest / 2 % WAYS.len()]);
    let keys = keys(repeats);
    let declared = if is_declared { "declared" } else { "not declared" };
    let purpose = format!("first: {first:?}, {declared}, second: {second:?}, {repeats:?}, {way:?}");
    let mut step = Step::of(Command::Apply);
    let mut gone = |at: usize, instance: Instance| {
        let both = [(instance.current, current_name(at)), (instance.deposed, deposed_name(at))];
        let gone = both.into_iter().filter(|(presence, _)| *presence == Presence::Gone);
        step.events.outside.extend(gone.map(|(_, name)| Outside { name, set: None }));
    };
    gone(0, first);
    gone(1, second);
    let target = |key: &InstanceKey| vec![format!("w_thing.ant{key}"), "w_thing.bee".to_owned()];
    match way {
        Way::Apply => {}
        Way::WithoutRefresh => step.options.refresh = false,
        Way::RefreshOnly => step.options.mode = Mode::RefreshOnly,
        Way::Destroy => step.options.mode = Mode::Destroy,
        Way::FirstTargeted => step.options.targets = target(&keys[0]),
        Way::SecondTargeted => step.options.targets = target(&keys[1]),
        Way::UserDestroyed => {
            step.options.mode = Mode::Destroy;
            step.options.targets = vec!["w_thing.bee".to_owned()];
        }
        Way::UserTargeted => step.options.targets = vec!["w_thing.bee".to_owned()],
    }
    Case {
        dialect,
        purpose: Some(purpose),
        providers: kit::providers(dialect.engine()),
        models: kit::models(),
        files: BTreeMap::from([("main.tf.json".to_owned(), file(repeats, is_declared))]),
        state: Some(state(dialect, &keys, [first, second])),
        steps: vec![step],
    }
}

fn keys(repeats: Repeats) -> [InstanceKey; 2] {
    match repeats {
        Repeats::Once => [InstanceKey::None, InstanceKey::Int(1)],
        Repeats::Count => [InstanceKey::Int(0), InstanceKey::Int(1)],
        Repeats::ForEach => [InstanceKey::Text("0".to_owned()), InstanceKey::Text("1".to_owned())],
    }
}

fn current_name(at: usize) -> String {
    format!("ant-{at}")
}

fn deposed_name(at: usize) -> String {
    format!("old-{at}")
}

/// The configuration: the resource, if it is declared or repeats, and what sees it.
fn file(repeats: Repeats, is_declared: bool) -> Json {
    let mut ant = Vec::new();
    let (name, sees) = match repeats {
        Repeats::Once => ("ant-0", "${w_thing.ant.note}"),
        Repeats::Count => ("ant-${count.index}", "${jsonencode([for it in w_thing.ant : it.note])}"),
        Repeats::ForEach => ("ant-${each.key}", "${jsonencode({for key, it in w_thing.ant : key => it.note})}"),
    };
    match repeats {
        Repeats::Once => {}
        Repeats::Count => ant.push(("count", Json::int(u8::from(is_declared)))),
        Repeats::ForEach => {
            let keys = if is_declared { "${toset([\"0\"])}" } else { "${toset([])}" };
            ant.push(("for_each", Json::string(keys)));
        }
    }
    ant.push(("name", Json::string(name)));
    let mut blocks = Vec::new();
    let mut members = Vec::new();
    let sees = if repeats == Repeats::Once && !is_declared {
        "nothing"
    } else {
        blocks.push(("ant", Json::object(ant)));
        sees
    };
    blocks.push(("bee", Json::object([("name", Json::string("bee")), ("note", Json::string(sees))])));
    members.push(("resource", Json::object([("w_thing", Json::object(blocks))])));
    members.push(("output", Json::object([("seen", Json::object([("value", Json::string(sees))]))])));
    Json::object(members)
}

fn state(dialect: Dialect, keys: &[InstanceKey; 2], stored: [Instance; 2]) -> Json {
    let mut ant = Vec::new();
    for (at, (key, instance)) in keys.iter().zip(stored).enumerate() {
        if instance.current != Presence::None {
            ant.push(object(key, current_name(at), None));
        }
        if instance.deposed != Presence::None {
            ant.push(object(key, deposed_name(at), Some("0a0b0c0d")));
        }
    }
    let mut resources = Vec::new();
    if !ant.is_empty() {
        resources.push(resource(dialect, "ant", ant));
    }
    let mut bee = object(&InstanceKey::None, "bee".to_owned(), None);
    if let Json::Object(members) = &mut bee {
        members.push(("dependencies".into(), Json::Array(vec![Json::string("w_thing.ant")])));
    }
    resources.push(resource(dialect, "bee", vec![bee]));
    Json::object([("version", Json::int(4)), ("resources", Json::Array(resources))])
}

fn resource(dialect: Dialect, name: &str, instances: Vec<Json>) -> Json {
    let [source, ..] = kit::sources(dialect.engine());
    Json::object([
        ("mode", Json::string("managed")),
        ("type", Json::string("w_thing")),
        ("name", Json::string(name)),
        ("provider", Json::string(&format!("provider[\"{source}\"]"))),
        ("instances", Json::Array(instances)),
    ])
}

/// A stored object.
fn object(key: &InstanceKey, name: String, deposed: Option<&str>) -> Json {
    let mut members = Vec::new();
    match key {
        InstanceKey::None => {}
        InstanceKey::Int(index) => members.push(("index_key", Json::int(*index))),
        InstanceKey::Text(key) => members.push(("index_key", Json::string(key))),
    }
    members.extend(deposed.map(|key| ("deposed", Json::string(key))));
    members.push(("schema_version", Json::int(0)));
    let of = |word: &str| Json::string(&format!("{word}-{name}"));
    let unset = ["any", "list", "secret", "size", "tags", "wo"].map(|attribute| (attribute, Json::Null));
    let set = [("id", of("id")), ("name", Json::string(&name)), ("note", of("note")), ("out", of("out"))];
    // As an apply stores it, with the marks of the schema: an object in another form is updated.
    members.push(("attributes", Json::object(unset.into_iter().chain(set))));
    let secret = Json::object([("type", Json::string("get_attr")), ("value", Json::string("secret"))]);
    members.push(("sensitive_attributes", Json::Array(vec![Json::Array(vec![secret])])));
    Json::object(members)
}
