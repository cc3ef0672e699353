//! The configuration as the SDK sees it (Z41), read as a whole before any address is looked up (Z42 to Z44).

use std::collections::BTreeMap;

use planfuzz_core::schema::Named;
use planfuzz_core::value::Text;
use planfuzz_pipelines::sdk::{Elem, Field, Kind, Resource, Tree};

use super::Crash;
use super::field_value::{FieldValue, add};
use super::level::{Level, Seen, list, object};
use super::spec::{Spec, Step, block_of};
use super::unflatten::UNKNOWN;
use crate::value::{Is, Num, Ty, Val};

/// A node of a configuration. Nulls are not in it.
#[derive(Clone, Debug)]
pub enum Node {
    /// Among the paths of unknown values, and perhaps in the tree too.
    Unknown {
        /// Whether it is in the tree: at apply it is not (Z131).
        is_in_tree: bool,
    },
    /// A primitive.
    One(FieldValue),
    /// A list or set.
    Many(Vec<Node>),
    /// A map or an object.
    Named(BTreeMap<String, Node>),
}

impl Node {
    /// The configuration of an object.
    pub fn of_object(fields: &Named<Field>, value: &Val) -> Node {
        let Is::Named(members) = &value.is else { return Node::Named(BTreeMap::new()) };
        let member = |(name, member): &(String, Val)| {
            let block = fields.get(name).and_then(block_of);
            let node = match block {
                Some((_, resource)) => of_blocks(resource, member),
                None => of_value(member),
            };
            Some((name.clone(), node?))
        };
        Node::Named(members.iter().filter_map(member).collect())
    }

    /// The configuration of a tree.
    pub fn of_tree(tree: &Tree) -> Node {
        match tree {
            Tree::Unknown => Node::Unknown { is_in_tree: true },
            Tree::Withheld => Node::Unknown { is_in_tree: false },
            Tree::Bool(bool) => Node::One(FieldValue::Bool(*bool)),
            Tree::Int(int) => Node::One(FieldValue::Int(*int)),
            Tree::Float(float) => Node::One(FieldValue::Float(*float)),
            Tree::Text(text) => Node::One(FieldValue::Text(text.clone())),
            Tree::List(items) => Node::Many(items.iter().map(Node::of_tree).collect()),
            Tree::Map(entries) => {
                Node::Named(entries.iter().map(|(name, node)| (name.to_string(), Node::of_tree(node))).collect())
            }
        }
    }

    /// Takes unknown texts out of objects, and out of those in lists (Z131).
    pub fn without_unknowns(self) -> Node {
        match self {
            Node::Named(members) => {
                let member = |(name, node)| match node {
                    Node::Unknown { .. } => (name, Node::Unknown { is_in_tree: false }),
                    other => (name, other.without_unknowns()),
                };
                Node::Named(members.into_iter().map(member).collect())
            }
            Node::Many(items) => {
                let item = |item| match item {
                    Node::Named(_) => Node::without_unknowns(item),
                    other => other,
                };
                Node::Many(items.into_iter().map(item).collect())
            }
            other => other,
        }
    }

    fn is_token(&self) -> bool {
        matches!(self, Node::Unknown { is_in_tree: true })
    }

    /// Whether an unknown is in the tree, here or below.
    fn has_unknown(&self) -> bool {
        match self {
            Node::Unknown { is_in_tree } => *is_in_tree,
            Node::One(_) => false,
            Node::Many(items) => items.iter().any(Node::has_unknown),
            Node::Named(members) => members.values().any(Node::has_unknown),
        }
    }
}

fn of_blocks(resource: &Resource, value: &Val) -> Option<Node> {
    match &value.is {
        Is::Unknown(_) => Some(Node::Unknown { is_in_tree: true }),
        Is::Seq(items) if !items.is_empty() => {
            let item = |item: &Val| match item.is {
                Is::Unknown(_) => Node::Unknown { is_in_tree: true },
                _ => Node::of_object(resource.fields(), item),
            };
            Some(Node::Many(items.iter().map(item).collect()))
        }
        _ => None,
    }
}

fn of_value(value: &Val) -> Option<Node> {
    Some(match &value.is {
        Is::Null => return None,
        Is::Unknown(_) => Node::Unknown { is_in_tree: true },
        Is::Bool(bool) => Node::One(FieldValue::Bool(*bool)),
        Is::Num(number) => Node::One(number_of(number)),
        Is::Str(text) => Node::One(FieldValue::Text(text.clone())),
        Is::Seq(items) => Node::Many(items.iter().filter_map(of_value).collect()),
        Is::Named(members) => {
            let member = |(name, member): &(String, Val)| Some((name.clone(), of_value(member)?));
            Node::Named(members.iter().filter_map(member).collect())
        }
    })
}

/// An integer where it is exactly one.
pub fn number_of(number: &Num) -> FieldValue {
    match number.to_i64() {
        Some(int) => FieldValue::Int(int),
        None => FieldValue::Float(number.text().parse().unwrap_or(f64::NAN)),
    }
}

/// The value that was read at a place, and those below it.
#[derive(Default)]
struct Place {
    seen: Seen,
    count: Seen,
    below: BTreeMap<String, Place>,
}

/// A configuration that was read.
pub struct Config(BTreeMap<String, Place>);

impl Config {
    /// Reads all of a configuration.
    pub fn new(fields: &Named<Field>, node: &Node) -> Result<Config, Crash> {
        let Node::Named(members) = node else { return Err(Crash) };
        let field = |(name, field): (&Text, &Field)| {
            Ok((name.to_string(), place(Spec::field(field), members.get(name.as_str()))?))
        };
        Ok(Config(fields.iter().map(field).collect::<Result<_, Crash>>()?))
    }

    /// The value that was read at an address; `None` where there was nothing to read, and `Err` if the address is below a missing element
    /// of a set.
    fn find(&self, address: &[Step]) -> Result<Option<&Place>, NoElement> {
        let mut places = &self.0;
        let mut found = None;
        for (at, step) in address.iter().enumerate() {
            found = match step {
                Step::Name(text) | Step::Code(text) => places.get(text),
                Step::Index(index) => places.get(&index.to_string()),
            };
            let Some(place) = found else {
                let is_in_set = address[at..].iter().any(|step| matches!(step, Step::Code(_)));
                return if is_in_set { Err(NoElement) } else { Ok(None) };
            };
            places = &place.below;
        }
        Ok(found)
    }
}

/// A set has no element with this code.
struct NoElement;

impl Level for Config {
    fn read(&self, address: &[Step], spec: Spec<'_>) -> Result<Seen, Crash> {
        match self.find(address) {
            Ok(Some(place)) => Ok(place.seen.clone()),
            Ok(None) => Ok(place(spec, None)?.seen),
            Err(NoElement) => Ok(Seen::default()),
        }
    }

    fn count(&self, address: &[Step]) -> Result<Seen, Crash> {
        Ok(self.find(address).ok().flatten().map(|place| place.count.clone()).unwrap_or_default())
    }
}

/// Z42.
fn place(spec: Spec<'_>, node: Option<&Node>) -> Result<Place, Crash> {
    let whole = Seen { value: None, exists: true, computed: true };
    let of = match (spec, node) {
        (Spec::Object(_), Some(Node::Unknown { .. })) => return Ok(Place { seen: whole, ..Place::default() }),
        (Spec::Object(resource), node) => return of_resource(resource, node),
        (Spec::One(of), _) => of,
    };
    if let (Some(Node::Unknown { .. }), Kind::List(_) | Kind::Set(_) | Kind::Map(_)) = (node, of.kind) {
        return Ok(Place { seen: whole, ..Place::default() });
    }
    match (of.kind, node) {
        (Kind::Primitive(primitive), Some(Node::Unknown { is_in_tree: true })) => {
            let value = match FieldValue::zero_primitive(*primitive) {
                FieldValue::Text(_) => FieldValue::Text(UNKNOWN.to_owned()),
                zero => zero,
            };
            Ok(Place { seen: Seen { value: Some(value), ..whole }, ..Place::default() })
        }
        (Kind::Primitive(primitive), Some(Node::One(value))) => {
            Ok(Place { seen: Seen::known(FieldValue::parse(*primitive, &value.weak_text())?), ..Place::default() })
        }
        (Kind::Primitive(_), None | Some(Node::Unknown { is_in_tree: false })) => {
            let default = of.default.and_then(FieldValue::of_default);
            Ok(Place { seen: default.map(Seen::known).unwrap_or_default(), ..Place::default() })
        }
        (Kind::List(elem), None) => of_list(elem, None),
        (Kind::List(elem), Some(Node::Many(items))) => of_list(elem, Some(items)),
        (Kind::Set(elem), None) => of_set(elem, None),
        (Kind::Set(elem), Some(Node::Many(items))) => of_set(elem, Some(items)),
        (Kind::Map(_), None) => Ok(Place::default()),
        (Kind::Map(primitive), Some(Node::Named(members))) => {
            if members.values().any(Node::is_token) {
                return Ok(Place { seen: whole, ..Place::default() });
            }
            let mut entries = BTreeMap::new();
            for (key, node) in members {
                match node {
                    Node::One(value) => {
                        entries.insert(key.clone(), FieldValue::parse(*primitive, &value.weak_text())?);
                    }
                    Node::Unknown { .. } => {}
                    _ => return Err(Crash),
                }
            }
            Ok(Place { seen: Seen::known(FieldValue::Map(entries)), ..Place::default() })
        }
        _ => Err(Crash),
    }
}

fn of_resource(resource: &Resource, node: Option<&Node>) -> Result<Place, Crash> {
    let members = match node {
        None => None,
        Some(Node::Named(members)) => Some(members),
        Some(_) => return Err(Crash),
    };
    let mut below = BTreeMap::new();
    let seen = object(resource, |name, spec| {
        let place = place(spec, members.and_then(|members| members.get(name)))?;
        let seen = place.seen.clone();
        below.insert(name.to_owned(), place);
        Ok(seen)
    })?;
    Ok(Place { seen, count: Seen::default(), below })
}

fn count_of(items: Option<&Vec<Node>>) -> Seen {
    let Some(items) = items else { return Seen::default() };
    let computed = items.iter().any(Node::is_token);
    let count = i64::try_from(items.len()).unwrap_or(i64::MAX);
    Seen { value: Some(FieldValue::Int(count)), exists: true, computed }
}

fn elements(elem: &Elem, items: Option<&Vec<Node>>) -> Result<Vec<Place>, Crash> {
    items.into_iter().flatten().map(|item| place(Spec::element(elem, false), Some(item))).collect()
}

fn of_list(elem: &Elem, items: Option<&Vec<Node>>) -> Result<Place, Crash> {
    let count = count_of(items);
    let places = elements(elem, items)?;
    let seen = list(&count, |index| Ok(places[index].seen.clone()))?;
    let below = places.into_iter().enumerate().map(|(index, place)| (index.to_string(), place)).collect();
    Ok(Place { seen, count, below })
}

/// Z43.
fn of_set(elem: &Elem, items: Option<&Vec<Node>>) -> Result<Place, Crash> {
    let count = count_of(items);
    let mut below = BTreeMap::new();
    let mut set = BTreeMap::new();
    if count.exists && !count.computed {
        for (node, place) in items.into_iter().flatten().zip(elements(elem, items)?) {
            let is_partly_known = matches!(elem, Elem::Resource(_)) && node.has_unknown();
            let code = add(&mut set, elem, place.seen.clone().existing(), is_partly_known)?;
            below.insert(code, place);
        }
    }
    let seen = Seen { value: Some(FieldValue::Set(set)), exists: count.exists, computed: count.computed };
    Ok(Place { seen, count, below })
}

/// Whether a null is an element of a list or set, at any depth (Z50, step 2).
pub fn has_null_element(value: &Val) -> bool {
    let is_sequence = matches!(value.ty, Ty::List(_) | Ty::Set(_));
    value.children().into_iter().any(|child| (is_sequence && child.is_null()) || has_null_element(child))
}
