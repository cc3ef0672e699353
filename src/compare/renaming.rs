//! Renaming: schemas, types, values, paths and raw attributes with every name of a schema changed, and changed back.
//!
//! To check that a planner's decisions do not depend on names, it is asked once more with all names changed, and its answers are changed
//! back. So a renaming must change nothing but names: the same prefix goes in front of every attribute and block of the schema, which
//! keeps their order, and with it the order in payloads and in sets. Names that are not of the schema stay: keys, and names inside leaves.
//!
//! Both directions are one walk along the schema. A round trip gives the original: a name without the prefix on the way back, which
//! only a planner that makes up names can cause, becomes a different name, so that the comparison shows it.
//!
//! Some look-ups of engines take other texts for names: a key in the path of a nested attribute (S61), the name of a member inside a leaf
//! for that of a computed block (C02). There the specification depends on names that are equal, so such namesakes are noticed.

use std::borrow::Cow;
use std::cell::Cell;

use planfuzz_core::json::Json;
use planfuzz_core::schema::{Attribute, Block, Named, NestedBlock, NestedType, Nesting, Schema, Shape};
use planfuzz_core::value::{Text, Type, Value, WrittenPath, WrittenStep};

use super::properties::walk::{Kind, Members};

/// A prefix in front of every name of a schema, or its removal.
///
/// The prefix begins and ends with characters that compose with nothing (V24).
#[derive(Clone, Copy)]
pub(super) struct Renaming<'s> {
    /// The block of the resource, with its own names.
    block: &'s Block,
    prefix: &'static str,
    way: Way,
    /// Whether a text that equals a name of the schema, but is not one, kept its form.
    namesakes: &'s Cell<bool>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    There,
    Back,
}

impl<'s> Renaming<'s> {
    /// The renaming that puts a prefix in front of every name of a block. It sets `namesakes` if it finds any.
    pub(super) fn new(block: &'s Block, prefix: &'static str, namesakes: &'s Cell<bool>) -> Renaming<'s> {
        Renaming { block, prefix, way: Way::There, namesakes }
    }

    /// The renaming that removes the prefix again.
    pub(super) fn back(self) -> Renaming<'s> {
        Renaming { way: Way::Back, ..self }
    }

    /// The schema of this version with the new names.
    pub(super) fn schema(self, version: u64) -> Schema {
        Schema { version, block: self.renamed_block(self.block) }
    }

    /// A value of the resource. A payload is in the order of the names, so only its type changes.
    pub(super) fn value(self, value: &Value) -> Value {
        Value::from_parts(self.object(Members::Block(self.block), value.ty()), value.node().clone())
    }

    /// A path into a value of the resource.
    pub(super) fn path(self, path: &WrittenPath) -> WrittenPath {
        let mut place = Place::Object(Members::Block(self.block));
        path.steps().iter().map(|step| self.step(step, &mut place)).collect()
    }

    /// The attributes of the resource in the JSON of state files. Parts that do not fit the schema stay, as the planner leaves them (L05).
    pub(super) fn attributes(self, json: &Json) -> Json {
        self.json_object(Members::Block(self.block), json)
    }

    /// A message of a planner, which may contain names: on the way back every prefix in it is removed.
    pub(super) fn text(self, text: &str) -> Option<String> {
        (self.way == Way::Back && text.contains(self.prefix)).then(|| text.replace(self.prefix, ""))
    }

    /// A name in the schema's own form, and in the renamed form.
    fn name<'n>(self, name: &'n str) -> (Cow<'n, str>, Cow<'n, str>) {
        let with_prefix = || Cow::Owned(format!("{}{name}", self.prefix));
        match (self.way, name.strip_prefix(self.prefix)) {
            (Way::There, _) => (Cow::Borrowed(name), with_prefix()),
            (Way::Back, Some(name)) => (Cow::Borrowed(name), Cow::Borrowed(name)),
            // The renamed schema has no such name.
            (Way::Back, None) => (with_prefix(), with_prefix()),
        }
    }

    fn renamed_all<T>(self, things: &Named<T>, renamed: impl Fn(&T) -> T) -> Named<T> {
        Named::new(things.iter().map(|(name, thing)| (Text::new(&self.name(name).1), renamed(thing))).collect())
    }

    fn renamed_block(self, block: &Block) -> Block {
        Block {
            attributes: self.renamed_all(&block.attributes, |attribute| self.renamed_attribute(attribute)),
            block_types: self.renamed_all(&block.block_types, |nested: &NestedBlock| NestedBlock {
                block: self.renamed_block(&nested.block),
                ..nested.clone()
            }),
            ..block.clone()
        }
    }

    fn renamed_attribute(self, attribute: &Attribute) -> Attribute {
        match &attribute.shape {
            Shape::Leaf(_) => attribute.clone(),
            Shape::Nested(nested) => {
                let attributes = self.renamed_all(&nested.attributes, |inner| self.renamed_attribute(inner));
                Attribute { shape: Shape::Nested(NestedType { attributes, ..*nested }), ..attribute.clone() }
            }
        }
    }

    /// The type of an object, with the names of the schema changed in it; names inside leaves and keys stay.
    fn object(self, members: Members<'_>, ty: &Type) -> Type {
        let Type::Object(object) = ty else { return ty.clone() };
        Type::object(object.attributes().iter().map(|attribute| {
            let (name, renamed) = self.name(&attribute.name);
            let ty = match members.get(&name).and_then(Kind::inside) {
                None => {
                    self.look_into(&attribute.ty);
                    attribute.ty.clone()
                }
                Some((nesting, inside)) => self.collection(nesting, inside, &attribute.ty),
            };
            (Text::new(&renamed), ty)
        }))
    }

    fn collection(self, nesting: Nesting, members: Members<'_>, ty: &Type) -> Type {
        match (nesting, ty) {
            (_, Type::List(element)) => Type::list(self.object(members, element)),
            (_, Type::Set(element)) => Type::set(self.object(members, element)),
            (_, Type::Map(element)) => Type::map(self.object(members, element)),
            (_, Type::Tuple(tuple)) => {
                Type::tuple(tuple.elements().iter().map(|element| self.object(members, element)).collect())
            }
            // M30: at any untyped blocks an object holds them under keys, which are not names of the schema.
            (Nesting::Map | Nesting::List | Nesting::Set, Type::Object(object)) => {
                Type::object(object.attributes().iter().map(|entry| {
                    self.keep(&entry.name, members);
                    (entry.name.clone(), self.object(members, &entry.ty))
                }))
            }
            _ => self.object(members, ty),
        }
    }

    /// Looks for namesakes of computed blocks inside a leaf (C02).
    fn look_into(self, ty: &Type) {
        match ty {
            Type::Dynamic | Type::Bool | Type::Number | Type::String => {}
            Type::List(element) | Type::Set(element) | Type::Map(element) => self.look_into(element),
            Type::Tuple(tuple) => tuple.elements().iter().for_each(|element| self.look_into(element)),
            Type::Object(object) => {
                for attribute in object.attributes() {
                    self.notice(has_computed(self.block, &attribute.name));
                    self.look_into(&attribute.ty);
                }
            }
        }
    }

    /// Notes a key of objects that a look-up may take for a name in them (S61), or for that of a computed block (C02).
    fn keep(self, key: &str, members: Members<'_>) {
        self.notice(members.get(key).is_some() || has_computed(self.block, key));
    }

    fn notice(self, is_namesake: bool) {
        self.namesakes.set(self.namesakes.get() || is_namesake);
    }

    /// Renames a step at a place of the schema, and moves the place. A step into an object that is not a name leads to the object itself
    /// (S60), and so does a name that a nested type does not have (S61).
    fn step(self, step: &WrittenStep, place: &mut Place<'s>) -> WrittenStep {
        match (*place, step) {
            (Place::Object(members), WrittenStep::Attribute(name)) => {
                let (name, renamed) = self.name(name);
                *place = match (members.get(&name), members) {
                    (None, Members::Nested(_)) => *place,
                    (member, _) => Place::inside(member),
                };
                WrittenStep::Attribute(Text::new(&renamed))
            }
            (Place::Objects(members), _) => {
                if let WrittenStep::Attribute(key) = step {
                    self.keep(key, members);
                }
                *place = Place::Object(members);
                step.clone()
            }
            (Place::Object(_) | Place::Elsewhere, _) => step.clone(),
        }
    }

    fn json_object(self, members: Members<'_>, json: &Json) -> Json {
        let Json::Object(attributes) = json else { return json.clone() };
        let renamed = attributes.iter().map(|(name, attribute)| {
            let (name, renamed) = self.name(name);
            let inside = members.get(&name).and_then(Kind::inside);
            let attribute = inside.map_or_else(|| attribute.clone(), |inside| self.json_inside(inside, attribute));
            (renamed.into(), attribute)
        });
        Json::Object(renamed.collect())
    }

    fn json_inside(self, (nesting, members): (Nesting, Members<'_>), json: &Json) -> Json {
        match (nesting, json) {
            (Nesting::Single | Nesting::Group, _) => self.json_object(members, json),
            (Nesting::List | Nesting::Set, Json::Array(items)) => {
                Json::Array(items.iter().map(|item| self.json_object(members, item)).collect())
            }
            (Nesting::Map, Json::Object(entries)) => Json::Object(
                entries.iter().map(|(key, entry)| (key.clone(), self.json_object(members, entry))).collect(),
            ),
            _ => json.clone(),
        }
    }
}

/// The place in a schema that a path has reached.
#[derive(Clone, Copy)]
enum Place<'s> {
    /// An object, whose names are the schema's.
    Object(Members<'s>),
    /// Several objects, whose keys are not names of the schema.
    Objects(Members<'s>),
    /// Inside a leaf, or outside the schema.
    Elsewhere,
}

impl<'s> Place<'s> {
    fn inside(member: Option<Kind<'s>>) -> Place<'s> {
        match member.and_then(Kind::inside) {
            None => Place::Elsewhere,
            Some((Nesting::Single | Nesting::Group, members)) => Place::Object(members),
            Some((Nesting::List | Nesting::Set | Nesting::Map, members)) => Place::Objects(members),
        }
    }
}

/// Whether a block with this name, at any depth, is computed.
fn has_computed(block: &Block, name: &str) -> bool {
    block
        .block_types
        .iter()
        .any(|(called, nested)| nested.block.computed && **called == *name || has_computed(&nested.block, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A leaf, a map of objects and a list of blocks.
    const SCHEMA: &str = r#"{"block":{
        "attributes":{"leaf":{"type":["object",{"x":"string"}],"optional":true},
            "n":{"optional":true,"nested_type":{"nesting_mode":"map","attributes":{"x":{"type":"string","optional":true}}}}},
        "block_types":{"b":{"nesting_mode":"list","block":{"attributes":{"x":{"type":"string","optional":true}}}}}}}"#;

    /// The result of renaming and renaming back, and whether there were namesakes.
    fn there_and_back<T: PartialEq + std::fmt::Debug>(
        of: T,
        renamed: impl Fn(Renaming<'_>, &T) -> T,
        shown: impl FnOnce(&T) -> String,
    ) -> (String, bool) {
        let schema = Schema::parse(SCHEMA).expect("a schema");
        let namesakes = Cell::default();
        let there = Renaming::new(&schema.block, "_", &namesakes);
        let other = renamed(there, &of);
        assert_eq!(renamed(there.back(), &other), of);
        (shown(&other), namesakes.get())
    }

    #[track_caller]
    fn check_path(path: &str, want: &str, is_namesake: bool) {
        let path = WrittenPath::parse(path).expect("a path");
        let found = there_and_back(path, |by, path| by.path(path), ToString::to_string);
        assert_eq!(found, (want.to_owned(), is_namesake));
    }

    #[test]
    fn names_change_in_paths_and_keys_stay() {
        check_path("", "", false);
        check_path(".leaf.x", "._leaf.x", false);
        check_path(".n[\"n\"].x", "._n[\"n\"]._x", false);
        check_path(".n.k.x", "._n.k._x", false);
        check_path(".b[0].x", "._b[0]._x", false);
        check_path(".none.x", "._none.x", false);
        check_path(".n.x.x", "._n.x._x", true);
    }

    #[test]
    fn names_change_in_raw_attributes() {
        let of = |text: &str| Json::parse(text).expect("JSON");
        for (before, after) in [
            (
                r#"{"leaf":{"x":"1"},"n":{"k":{"x":"1","old":2}},"b":[{"x":null}],"gone":{"x":1}}"#,
                r#"{"_leaf":{"x":"1"},"_n":{"k":{"_x":"1","_old":2}},"_b":[{"_x":null}],"_gone":{"x":1}}"#,
            ),
            (r#"{"n":[{"x":1}],"b":{"x":1}}"#, r#"{"_n":[{"x":1}],"_b":{"x":1}}"#),
            ("[1]", "[1]"),
            // These names are in no normal form, and no code normalises them.
            ("{\"e\\u0301\":1}", "{\"_e\u{301}\":1}"),
        ] {
            let (found, _) = there_and_back(of(before), |by, json| by.attributes(json), Json::to_compact);
            assert_eq!(found, after);
        }
    }

    #[test]
    fn names_change_in_types_and_schemas_alike() {
        let schema = Schema::parse(SCHEMA).expect("a schema");
        let namesakes = Cell::default();
        let there = Renaming::new(&schema.block, "_", &namesakes);
        let null = |schema: &Schema| Value::null(schema.implied_type(Default::default()));
        let other = there.value(&null(&schema));
        assert_eq!(other.ty(), null(&there.schema(0)).ty());
        assert_eq!(there.back().value(&other).ty(), null(&schema).ty());
        assert_eq!(there.text("no name of _n"), None);
        assert_eq!(there.back().text("no name of _n").as_deref(), Some("no name of n"));
    }

    #[test]
    fn a_name_that_was_made_up_shows() {
        let schema = Schema::parse(SCHEMA).expect("a schema");
        let namesakes = Cell::default();
        let back = Renaming::new(&schema.block, "_", &namesakes).back();
        let path = WrittenPath::parse(".leaf").expect("a path");
        assert_eq!(back.path(&path).to_string(), "._leaf");
    }
}
