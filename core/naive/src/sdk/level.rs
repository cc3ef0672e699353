//! Reading values at addresses: of a state, of a diff over another level, of levels over one another (Z22, Z23, Z40, Z45).

use std::collections::BTreeMap;

use planfuzz_pipelines::sdk::{Elem, Kind, Primitive, Resource};

use super::Crash;
use super::diff::Entry;
use super::field_value::{FieldValue, add};
use super::spec::{Address, Own, Spec, Step, flat, then};
use super::trie::{Texts, Trie};

/// The longest list that is read: a higher count is an error.
const MAX_COUNT: i64 = 1_000_000;

/// The result of a read (Z22).
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// The value; even one that does not exist may have a value.
    pub value: Option<FieldValue>,
    /// Whether it exists.
    pub exists: bool,
    /// Whether it is not known yet.
    pub computed: bool,
}

impl Seen {
    /// A value that exists.
    pub fn known(value: FieldValue) -> Seen {
        Seen { value: Some(value), exists: true, computed: false }
    }

    /// The value, if it exists.
    pub fn existing(self) -> Option<FieldValue> {
        self.value.filter(|_| self.exists)
    }
}

/// A source of values.
pub trait Level {
    /// Reads the value at an address.
    fn read(&self, address: &[Step], spec: Spec<'_>) -> Result<Seen, Crash>;

    /// How many elements a list or set at an address has, as an int.
    fn count(&self, address: &[Step]) -> Result<Seen, Crash>;
}

/// A list, from its count and its elements (Z23).
pub fn list(count: &Seen, mut element: impl FnMut(usize) -> Result<Seen, Crash>) -> Result<Seen, Crash> {
    let empty = Some(FieldValue::List(Vec::new()));
    let Some(FieldValue::Int(count)) = count.value.as_ref().filter(|_| count.exists && !count.computed) else {
        return Ok(Seen { value: empty, exists: count.exists, computed: count.computed });
    };
    if *count > MAX_COUNT {
        return Err(Crash);
    }
    let items: Result<Vec<_>, Crash> =
        (0..usize::try_from(*count).unwrap_or(0)).map(|index| Ok(element(index)?.existing())).collect();
    Ok(Seen::known(FieldValue::List(items?)))
}

/// An object, from its fields (Z23).
pub fn object(resource: &Resource, mut read: impl FnMut(&str, Spec<'_>) -> Result<Seen, Crash>) -> Result<Seen, Crash> {
    let mut fields = BTreeMap::new();
    let mut exists = false;
    for (name, field) in resource.fields().iter() {
        let seen = read(name, Spec::field(field))?;
        exists |= seen.exists;
        let value = seen.existing().unwrap_or_else(|| FieldValue::zero(&field.kind));
        fields.insert(name.to_string(), value);
    }
    Ok(Seen { value: Some(FieldValue::Object(fields)), exists, computed: false })
}

/// A primitive, from its text.
pub fn primitive(primitive: Primitive, text: Option<&String>) -> Result<Seen, Crash> {
    text.map_or(Ok(Seen::default()), |text| FieldValue::parse(primitive, text).map(Seen::known))
}

/// Z40: the value of a branch of a state.
pub fn stored(spec: Spec<'_>, at: Option<&Texts>) -> Result<Seen, Crash> {
    let below = |part: &str| at.and_then(|at| at.below.get(part));
    let of = match spec {
        Spec::Object(resource) => return object(resource, |name, spec| stored(spec, below(name))),
        Spec::One(of) => of,
    };
    match of.kind {
        Kind::Primitive(of) => primitive(*of, at.and_then(|at| at.leaf.as_ref())),
        Kind::List(elem) => {
            let count = primitive(Primitive::Int, below("#").and_then(|count| count.leaf.as_ref()))?;
            list(&count, |index| stored(Spec::element(elem, false), below(&index.to_string())))
        }
        Kind::Map(of) => {
            let Some(at) = at else { return Ok(Seen::default()) };
            let mut entries = BTreeMap::new();
            for (path, text) in at.leaves().into_iter().filter(|(path, _)| !path.is_empty() && path.join(".") != "%") {
                entries.insert(path.join("."), FieldValue::parse(*of, text)?);
            }
            let exists = !at.below.is_empty() || at.leaf.as_ref().is_some_and(String::is_empty);
            Ok(Seen { value: exists.then_some(FieldValue::Map(entries)), exists, computed: false })
        }
        Kind::Set(elem) => {
            let count = primitive(Primitive::Int, below("#").and_then(|count| count.leaf.as_ref()))?;
            let Some(FieldValue::Int(count)) = count.value else { return Ok(Seen::default()) };
            let mut set = BTreeMap::new();
            let parts = at.iter().flat_map(|at| at.below.keys()).filter(|part| *part != "#");
            for part in parts.take(usize::try_from(count).unwrap_or(0)) {
                let element = stored(Spec::element(elem, false), below(part))?;
                add(&mut set, elem, element.existing(), false)?;
            }
            Ok(Seen::known(FieldValue::Set(set)))
        }
    }
}

/// A flat state.
pub struct State<'a>(pub &'a Texts);

impl Level for State<'_> {
    fn read(&self, address: &[Step], spec: Spec<'_>) -> Result<Seen, Crash> {
        stored(spec, self.0.at(&flat(address)))
    }

    fn count(&self, address: &[Step]) -> Result<Seen, Crash> {
        let mut path = flat(address);
        path.push("#".to_owned());
        primitive(Primitive::Int, self.0.get(&path))
    }
}

/// Levels over one another: the last one in which the value exists counts alone.
pub struct Levels<'a>(pub Vec<&'a dyn Level>);

impl Level for Levels<'_> {
    fn read(&self, address: &[Step], spec: Spec<'_>) -> Result<Seen, Crash> {
        last(self.0.iter().map(|level| level.read(address, spec)))
    }

    fn count(&self, address: &[Step]) -> Result<Seen, Crash> {
        last(self.0.iter().map(|level| level.count(address)))
    }
}

/// Reads every level, since an error in any of them ends the SDK.
fn last(seen: impl Iterator<Item = Result<Seen, Crash>>) -> Result<Seen, Crash> {
    let seen: Result<Vec<Seen>, Crash> = seen.collect();
    Ok(seen?.into_iter().rev().find(|seen| seen.exists).unwrap_or_default())
}

/// A diff over another level (Z45).
pub struct Changes<'a> {
    /// The entries.
    pub entries: &'a Trie<Entry>,
    /// The level below.
    pub below: &'a dyn Level,
    /// Whether the values are read to be stored: then a top-level field has its canonical form (Z132).
    pub is_stored: bool,
}

impl Changes<'_> {
    fn of_map(&self, address: &[Step], of: Own<'_>, values: Primitive) -> Result<Seen, Crash> {
        let under = self.below.read(address, Spec::One(of))?;
        let mut exists = under.exists;
        let mut entries = match under.existing() {
            Some(FieldValue::Map(entries)) => entries,
            _ => BTreeMap::new(),
        };
        let changes = self.entries.at(&flat(address)).map(Trie::leaves).unwrap_or_default();
        for (path, entry) in changes.into_iter().filter(|(path, _)| !path.is_empty() && path.join(".") != "%") {
            exists = true;
            if entry.removed {
                entries.remove(&path.join("."));
            } else {
                entries.insert(path.join("."), FieldValue::parse(values, &entry.new)?);
            }
        }
        Ok(Seen { value: exists.then_some(FieldValue::Map(entries)), exists, computed: false })
    }

    fn of_set(&self, address: &[Step], of: Own<'_>, elem: &Elem) -> Result<Seen, Crash> {
        let at = self.entries.at(&flat(address));
        let mut set = BTreeMap::new();
        for (part, inner) in at.iter().flat_map(|at| &at.below) {
            let is_there = |(path, entry): (Vec<String>, &Entry)| {
                !entry.removed && path.last().map_or(part != "#", |last| last != "#")
            };
            if inner.leaves().into_iter().any(is_there) {
                let element = self.read(&then(address, Step::Code(part.clone())), Spec::element(elem, false))?;
                if element.exists {
                    add(&mut set, elem, element.value, false)?;
                }
            }
        }
        let has_count = at.is_some_and(|at| at.below.contains_key("#"));
        if set.is_empty() && !has_count {
            return self.below.read(address, Spec::One(of));
        }
        Ok(Seen::known(FieldValue::Set(set)))
    }

    fn of_primitive(
        &self,
        of: Primitive,
        entry: Option<&Entry>,
        is_top: bool,
        below: impl FnOnce() -> Result<Seen, Crash>,
    ) -> Result<Seen, Crash> {
        match entry {
            None => below(),
            Some(entry) if entry.computed => {
                Ok(Seen { value: Some(FieldValue::zero_primitive(of)), exists: true, computed: true })
            }
            Some(entry) => {
                let extra = entry.extra.as_ref().filter(|_| !(self.is_stored && is_top));
                FieldValue::parse(of, extra.unwrap_or(&entry.new)).map(Seen::known)
            }
        }
    }
}

impl Level for Changes<'_> {
    fn read(&self, address: &[Step], spec: Spec<'_>) -> Result<Seen, Crash> {
        let of = match spec {
            Spec::Object(resource) => {
                return object(resource, |name, spec| self.read(&then(address, Step::Name(name.to_owned())), spec));
            }
            Spec::One(of) => of,
        };
        match of.kind {
            Kind::Primitive(primitive) => {
                let entry = self.entries.get(&flat(address));
                self.of_primitive(*primitive, entry, address.len() == 1, || self.below.read(address, spec))
            }
            Kind::List(elem) => {
                let count = self.count(address)?;
                list(&count, |index| self.read(&then(address, Step::Index(index)), Spec::element(elem, false)))
            }
            Kind::Map(values) => self.of_map(address, of, *values),
            Kind::Set(elem) => self.of_set(address, of, elem),
        }
    }

    fn count(&self, address: &[Step]) -> Result<Seen, Crash> {
        let mut path = flat(address);
        path.push("#".to_owned());
        self.of_primitive(Primitive::Int, self.entries.get(&path), false, || self.below.count(address))
    }
}

/// Writes a value in the form of a state (Z51).
pub fn write(into: &mut Texts, spec: Spec<'_>, value: &FieldValue) {
    // An absent element is the empty text; an absent object is not written (Z51).
    let element = |into: &mut Texts, elem: &Elem, part: &str, item: Option<&FieldValue>| match (elem, item) {
        (elem, Some(item)) => write(into.branch(part), Spec::element(elem, false), item),
        (Elem::Kind(kind), None) => match **kind {
            Kind::Primitive(_) | Kind::Map(_) => into.branch(part).leaf = Some(String::new()),
            Kind::List(_) | Kind::Set(_) => {
                write(into.branch(part), Spec::element(elem, false), &FieldValue::zero(kind))
            }
        },
        (Elem::Resource(_), None) => {}
    };
    match (spec, value) {
        (Spec::Object(resource), FieldValue::Object(fields)) => {
            for (name, field) in resource.fields().iter() {
                if let Some(value) = fields.get(name.as_str()) {
                    write(into.branch(name), Spec::field(field), value);
                }
            }
        }
        (Spec::One(Own { kind: Kind::List(elem), .. }), FieldValue::List(items)) => {
            into.branch("#").leaf = Some(items.len().to_string());
            for (index, item) in items.iter().enumerate() {
                element(into, elem, &index.to_string(), item.as_ref());
            }
        }
        (Spec::One(Own { kind: Kind::Set(elem), .. }), FieldValue::Set(items)) => {
            into.branch("#").leaf = Some(items.values().flatten().count().to_string());
            for (code, item) in items {
                element(into, elem, code, item.as_ref());
            }
        }
        (_, FieldValue::Map(entries)) => {
            into.branch("%").leaf = Some(entries.len().to_string());
            for (key, entry) in entries {
                into.set(&super::trie::parts(key), entry.state_text());
            }
        }
        (_, value) => into.leaf = Some(value.state_text()),
    }
}

/// The address of a top-level field.
pub fn top(name: &str) -> Address {
    vec![Step::Name(name.to_owned())]
}
