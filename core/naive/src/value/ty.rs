//! Types: a plain tree, equality, conformance, the JSON notation (V01 to V05).

use planfuzz_core::json::Json;
use planfuzz_core::value::Type;

use std::sync::Arc;

use super::shared::Shared;
use super::text::nfc;

/// A type (V01). Equality is that of V02: attributes are kept by the bytes of their names.
#[derive(Clone, Debug, PartialEq)]
pub enum Ty {
    /// `dynamic`.
    Dynamic,
    /// `bool`.
    Bool,
    /// `number`.
    Number,
    /// `string`.
    String,
    /// A list.
    List(Arc<Ty>),
    /// A set.
    Set(Arc<Ty>),
    /// A map.
    Map(Arc<Ty>),
    /// A tuple.
    Tuple(Shared<Ty>),
    /// An object.
    Object(Shared<Attr>),
}

/// An attribute of an object type.
#[derive(Clone, Debug, PartialEq)]
pub struct Attr {
    /// The name in NFC.
    pub name: String,
    /// The type.
    pub ty: Ty,
    /// Whether it is marked optional.
    pub optional: bool,
}

impl Ty {
    /// The type of the planners.
    pub fn of(ty: &Type) -> Ty {
        match ty {
            Type::Dynamic => Ty::Dynamic,
            Type::Bool => Ty::Bool,
            Type::Number => Ty::Number,
            Type::String => Ty::String,
            Type::List(element) => Ty::List(Arc::new(Ty::of(element))),
            Type::Set(element) => Ty::Set(Arc::new(Ty::of(element))),
            Type::Map(element) => Ty::Map(Arc::new(Ty::of(element))),
            Type::Tuple(tuple) => Ty::Tuple(tuple.elements().iter().map(Ty::of).collect()),
            Type::Object(object) => Ty::object(
                object
                    .attributes()
                    .iter()
                    .map(|of| Attr { name: of.name.to_string(), ty: Ty::of(&of.ty), optional: of.optional })
                    .collect(),
            ),
        }
    }

    /// An object of attributes; of two of one name the later one stays.
    pub fn object(attributes: Vec<Attr>) -> Ty {
        let mut kept: Vec<Attr> = Vec::new();
        for attribute in attributes {
            kept.retain(|other| other.name != attribute.name);
            kept.push(attribute);
        }
        kept.sort_by(|a, b| a.name.cmp(&b.name));
        Ty::Object(kept.into())
    }

    /// An object of attributes that are not optional.
    pub fn plain_object<'a>(attributes: impl IntoIterator<Item = (&'a str, Ty)>) -> Ty {
        Ty::object(
            attributes.into_iter().map(|(name, ty)| Attr { name: name.to_owned(), ty, optional: false }).collect(),
        )
    }

    /// The element type of a collection.
    pub fn element(&self) -> Option<&Ty> {
        match self {
            Ty::List(element) | Ty::Set(element) | Ty::Map(element) => Some(element),
            _ => None,
        }
    }

    /// A collection of the same kind with another element type.
    pub fn with_element(&self, element: Ty) -> Ty {
        match self {
            Ty::Set(_) => Ty::Set(Arc::new(element)),
            Ty::Map(_) => Ty::Map(Arc::new(element)),
            _ => Ty::List(Arc::new(element)),
        }
    }

    /// V03: whether this conforms to `want`.
    pub fn conforms(&self, want: &Ty) -> bool {
        match (self, want) {
            (_, Ty::Dynamic) => true,
            (Ty::List(a), Ty::List(b)) | (Ty::Set(a), Ty::Set(b)) | (Ty::Map(a), Ty::Map(b)) => a.conforms(b),
            (Ty::Tuple(a), Ty::Tuple(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.conforms(b)),
            (Ty::Object(a), Ty::Object(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.name == b.name && a.ty.conforms(&b.ty))
            }
            (a, b) => a == b,
        }
    }

    /// V04.
    pub fn has_dynamic(&self) -> bool {
        match self {
            Ty::Dynamic => true,
            Ty::Bool | Ty::Number | Ty::String => false,
            Ty::List(element) | Ty::Set(element) | Ty::Map(element) => element.has_dynamic(),
            Ty::Tuple(types) => types.iter().any(Ty::has_dynamic),
            Ty::Object(attributes) => attributes.iter().any(|attribute| attribute.ty.has_dynamic()),
        }
    }

    /// V04.
    pub fn strip_optional(&self) -> Ty {
        match self {
            Ty::List(element) | Ty::Set(element) | Ty::Map(element) => self.with_element(element.strip_optional()),
            Ty::Tuple(types) => Ty::Tuple(types.iter().map(Ty::strip_optional).collect()),
            Ty::Object(attributes) => Ty::plain_object(attributes.iter().map(|of| (&*of.name, of.ty.strip_optional()))),
            other => other.clone(),
        }
    }

    /// How deep it nests.
    pub fn depth(&self) -> usize {
        match self {
            Ty::List(element) | Ty::Set(element) | Ty::Map(element) => 1 + element.depth(),
            Ty::Tuple(types) => 1 + types.iter().map(Ty::depth).max().unwrap_or(0),
            Ty::Object(attributes) => 1 + attributes.iter().map(|of| of.ty.depth()).max().unwrap_or(0),
            _ => 1,
        }
    }

    /// The notation of V05 as a document.
    pub fn to_json(&self) -> Json {
        let of = |kind: &str, inner: Json| Json::Array(vec![Json::string(kind), inner]);
        match self {
            Ty::Dynamic => Json::string("dynamic"),
            Ty::Bool => Json::string("bool"),
            Ty::Number => Json::string("number"),
            Ty::String => Json::string("string"),
            Ty::List(element) => of("list", element.to_json()),
            Ty::Set(element) => of("set", element.to_json()),
            Ty::Map(element) => of("map", element.to_json()),
            Ty::Tuple(types) => of("tuple", Json::Array(types.iter().map(Ty::to_json).collect())),
            Ty::Object(attributes) => {
                let members = attributes.iter().map(|of| (of.name.clone().into(), of.ty.to_json()));
                let mut all = vec![Json::string("object"), Json::Object(members.collect())];
                let optional = attributes.iter().filter(|of| of.optional);
                let optional: Vec<Json> = optional.map(|of| Json::string(&of.name)).collect();
                if !optional.is_empty() {
                    all.push(Json::Array(optional));
                }
                Json::Array(all)
            }
        }
    }

    /// The notation of V05 as text, as it goes into documents of msgpack.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        write_text(&self.to_json(), &mut out);
        out
    }

    /// Reads the notation of V05; `None` for anything else.
    pub fn read(json: &Json) -> Option<Ty> {
        match json {
            Json::String(name) => match &**name {
                "dynamic" => Some(Ty::Dynamic),
                "bool" => Some(Ty::Bool),
                "number" => Some(Ty::Number),
                "string" => Some(Ty::String),
                _ => None,
            },
            Json::Array(items) => {
                let Some(Json::String(kind)) = items.first() else { return None };
                match (&**kind, &items[1..]) {
                    ("list", [inner]) => Some(Ty::List(Arc::new(Ty::read(inner)?))),
                    ("set", [inner]) => Some(Ty::Set(Arc::new(Ty::read(inner)?))),
                    ("map", [inner]) => Some(Ty::Map(Arc::new(Ty::read(inner)?))),
                    ("tuple", [Json::Null]) => Some(Ty::Tuple(Vec::new().into())),
                    ("tuple", [Json::Array(items)]) => {
                        Some(Ty::Tuple(items.iter().map(Ty::read).collect::<Option<_>>()?))
                    }
                    ("object", [Json::Null]) => Some(Ty::Object(Vec::new().into())),
                    ("object", [Json::Object(members)]) => read_object(members, &[]),
                    ("object", [Json::Object(members), Json::Array(optional)]) => read_object(members, optional),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

fn read_object(members: &[(Box<str>, Json)], optional: &[Json]) -> Option<Ty> {
    let mut attributes = Vec::new();
    for (name, json) in members {
        attributes.push(Attr { name: nfc(name), ty: Ty::read(json)?, optional: false });
    }
    for name in optional {
        let Json::String(name) = name else { return None };
        let name = nfc(name);
        attributes.iter_mut().find(|attribute| attribute.name == name)?.optional = true;
    }
    Some(Ty::object(attributes))
}

fn write_text(json: &Json, out: &mut String) {
    match json {
        Json::String(text) => write_string(text, out),
        Json::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                write_text(item, out);
            }
            out.push(']');
        }
        Json::Object(members) => {
            out.push('{');
            for (index, (name, item)) in members.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                write_string(name, out);
                out.push(':');
                write_text(item, out);
            }
            out.push('}');
        }
        _ => out.push_str("null"),
    }
}

fn write_string(text: &str, out: &mut String) {
    out.push('"');
    for char in text.chars() {
        match char {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' | '\0'..'\u{20}' => {
                out.push_str(&format!("\\u{:04x}", u32::from(char)));
            }
            other => out.push(other),
        }
    }
    out.push('"');
}
