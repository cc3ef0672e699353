//! Paths in the engine's texts.
//!
//! Names and the keys of nested maps stand there without quotes, so only the schema and the keys in use show where one ends. The longest
//! path that fits counts, as a sentence follows it; a path that can be read in two ways counts as none, and the place stays undetermined.

use std::collections::{BTreeMap, BTreeSet};

use planfuzz_core::schema::{Attribute, Block, NestedType, Nesting, Schema, Shape};
use planfuzz_core::value::{Text, Type, Value, ValueRef, WrittenPath, WrittenStep};

use super::go::{Bracketed, bracketed};

/// How many steps are tried before a text is given up: keys can be made so that there are too many ways to read it.
const MAX_TRIES: usize = 10_000;

/// The keys and member names of an instance's values, wherever they are.
#[derive(Clone, Debug, Default)]
pub struct Keys(BTreeSet<Text>);

impl Keys {
    /// Those of `values`.
    pub fn of<'v>(values: impl IntoIterator<Item = &'v Value>) -> Keys {
        let mut keys = Keys::default();
        for value in values {
            keys.add(value);
        }
        keys
    }

    /// Adds those of another value.
    pub fn add(&mut self, value: &Value) {
        value.view().walk(&mut |_, part: ValueRef<'_>| {
            if part.is_present() {
                self.0.extend(part.entries().map(|(key, _)| key.clone()));
            }
            true
        });
    }
}

/// Reads the path at the beginning of a text, which ends where `end` follows.
pub(super) fn read(schema: &Schema, keys: &Keys, text: &str, end: &str) -> Option<WrittenPath> {
    let mut search = Search { keys, end, found: BTreeMap::new(), tries: 0, steps: Vec::new() };
    search.walk(At::Body(&schema.block), text);
    let mut found = search.found.into_values().next().unwrap_or_default().into_iter();
    match (found.next(), found.next()) {
        (Some(path), None) if search.tries <= MAX_TRIES => Some(path),
        _ => None,
    }
}

/// What a path has led to so far.
#[derive(Clone, Copy)]
enum At<'s> {
    /// A block, or an element of a collection of them.
    Body(&'s Block),
    /// A collection of blocks.
    Blocks(&'s Block),
    /// A nested object.
    Members(&'s NestedType),
    /// A collection of nested objects.
    Objects(&'s NestedType),
    /// A value of a type.
    Of(&'s Type),
}

struct Search<'a> {
    keys: &'a Keys,
    end: &'a str,
    /// By the length of the text that is left.
    found: BTreeMap<usize, BTreeSet<WrittenPath>>,
    tries: usize,
    steps: Vec<WrittenStep>,
}

impl Search<'_> {
    fn walk(&mut self, at: At<'_>, text: &str) {
        self.tries += 1;
        if self.tries > MAX_TRIES {
            return;
        }
        if text.starts_with(self.end) {
            self.found.entry(text.len()).or_default().insert(WrittenPath::new(self.steps.clone()));
        }
        if let Some((inside, rest)) = text.strip_prefix('[').and_then(bracketed) {
            if let Some(next) = at.bracket(&inside) {
                self.step(inside.step(), next, rest);
            }
        } else if let Some(rest) = text.strip_prefix('.') {
            self.names(at, rest);
        }
    }

    fn step(&mut self, step: WrittenStep, next: At<'_>, rest: &str) {
        self.steps.push(step);
        self.walk(next, rest);
        self.steps.pop();
    }

    /// Tries the names that stand at the beginning of a text.
    fn names(&mut self, at: At<'_>, text: &str) {
        let mut names: Vec<(Text, At<'_>)> = Vec::new();
        let mut put = |name: &Text, next| {
            if text.starts_with(name.as_str()) {
                names.push((name.clone(), next));
            }
        };
        match at {
            At::Body(block) => {
                block.attributes.iter().for_each(|(name, attribute)| put(name, At::attribute(attribute)));
                for (name, nested) in block.block_types.iter() {
                    put(name, if is_one(nested.nesting) { At::Body(&nested.block) } else { At::Blocks(&nested.block) });
                }
            }
            At::Members(nested) => {
                nested.attributes.iter().for_each(|(name, attribute)| put(name, At::attribute(attribute)));
            }
            At::Objects(nested) if nested.nesting == Nesting::Map => {
                self.keys.0.iter().for_each(|key| put(key, At::Members(nested)));
            }
            At::Of(Type::Object(object)) => {
                object.attributes().iter().for_each(|member| put(&member.name, At::Of(&member.ty)));
            }
            At::Of(Type::Dynamic) => self.keys.0.iter().for_each(|key| put(key, At::Of(&Type::Dynamic))),
            At::Objects(_) | At::Blocks(_) | At::Of(_) => {}
        }
        for (name, next) in names {
            self.step(WrittenStep::Attribute(name.clone()), next, &text[name.len()..]);
        }
    }
}

fn is_one(nesting: Nesting) -> bool {
    matches!(nesting, Nesting::Single | Nesting::Group)
}

impl<'s> At<'s> {
    fn attribute(attribute: &'s Attribute) -> At<'s> {
        match &attribute.shape {
            Shape::Leaf(ty) => At::Of(ty),
            Shape::Nested(nested) if is_one(nested.nesting) => At::Members(nested),
            Shape::Nested(nested) => At::Objects(nested),
        }
    }

    /// Where an index or key in brackets leads, if brackets can follow here.
    fn bracket(self, inside: &Bracketed) -> Option<At<'s>> {
        match self {
            At::Blocks(block) => Some(At::Body(block)),
            At::Objects(nested) => Some(At::Members(nested)),
            At::Of(Type::Tuple(tuple)) => match inside {
                Bracketed::Index(index) => {
                    // The answer may have a tuple of another length.
                    Some(
                        usize::try_from(*index)
                            .ok()
                            .and_then(|index| tuple.elements().get(index))
                            .map_or(At::Of(&Type::Dynamic), At::Of),
                    )
                }
                Bracketed::Key(_) | Bracketed::Element => None,
            },
            At::Of(Type::Dynamic) => Some(At::Of(&Type::Dynamic)),
            At::Of(ty) => ty.element().map(At::Of),
            At::Body(_) | At::Members(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use planfuzz_core::json::Json;

    const SCHEMA: &str = r#"{"block":{"attributes":{
        "a":{"type":"string"},"a-b":{"type":["object",{"x":"string","x y":["map",["set","bool"]]}],"optional":true},
        "d":{"type":"dynamic","optional":true},"t":{"type":["tuple",["string",["list","string"]]],"optional":true},
        "nm":{"nested_type":{"nesting_mode":"map","attributes":{"x":{"type":"string","optional":true},
            "in":{"nested_type":{"nesting_mode":"set","attributes":{"y":{"type":"string","optional":true}}},"optional":true}}},
            "optional":true}},
      "block_types":{"one":{"nesting_mode":"group","block":{"attributes":{"x":{"type":"string","optional":true}}}},
        "bm":{"nesting_mode":"map","block":{"attributes":{"x":{"type":"string","optional":true}},
            "block_types":{"bs":{"nesting_mode":"set","block":{"attributes":{"z":{"type":"string","optional":true}}}}}}}}}}"#;

    fn read_with(keys: &[&str], text: &str) -> Option<String> {
        let schema = Schema::parse(SCHEMA).expect("a schema");
        let members = keys.iter().map(|key| (Text::new(key), Value::bool(true))).collect();
        let keys = Keys::of([&Value::object(members)]);
        read(&schema, &keys, text, ": ").map(|path| path.to_string())
    }

    #[test]
    fn the_end_of_a_path_follows_from_schema_and_keys() {
        for (text, path) in [
            (".a: was", ".a"),
            (".a-b.x y[\"k: \"][...]: no", ".a-b.\"x y\"[\"k: \"][<set element>]"),
            (".nm.k: l.x: no", ".nm.\"k: l\".x"),
            (".nm.k.in[...].y: .a: no", ".nm.k.in[<set element>].y"),
            (".nm[\"k\"].x: no", ".nm[\"k\"].x"),
            (".one.x: no", ".one.x"),
            (".bm[\"q\\\"\\u00e9\"].bs[...].z: no", ".bm[\"q\\\"é\"].bs[<set element>].z"),
            (".d.k[0].k: l[\"m\"]: no", ".d.k[0].\"k: l\"[\"m\"]"),
            (".t[1][3]: no", ".t[1][3]"),
            (".t[9]: no", ".t[9]"),
        ] {
            assert_eq!(read_with(&["k", "k: l"], text).as_deref(), Some(path), "{text}");
        }
    }

    #[test]
    fn a_text_that_is_no_path_of_the_schema_gives_none() {
        for text in [
            "",
            ".",
            ".b: no",
            ".a",
            ".a.x: no",
            ".a[0]: no",
            ".nm.none.x: no",
            ".nm.k.x",
            ".one[0]: no",
            ".bm.k.x: no",
        ] {
            assert_eq!(read_with(&["k"], text), None, "{text}");
        }
    }

    #[test]
    fn an_ambiguous_path_gives_none() {
        assert_eq!(read_with(&["k", "k.l", "l"], ".d.k.l: no"), None);
        assert_eq!(read_with(&["k", "k.l", "l"], ".nm.k.l.x: no"), Some(".nm.\"k.l\".x".into()));
        let keys: Vec<String> = (1..40).map(|length| ".k".repeat(length)[1..].to_owned()).collect();
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        assert_eq!(read_with(&keys, &format!(".d{}: no", ".k".repeat(200))), None);
    }

    #[test]
    fn keys_are_found_wherever_they_are() {
        let ty =
            Type::from_json(&Json::parse(r#"["object",{"d":"dynamic","s":["set",["map","bool"]]}]"#).expect("JSON"));
        let ty = ty.expect("a type");
        let json =
            r#"{"d":{"type":["object",{"p":["object",{"q":"bool"}]}],"value":{"p":{"q":true}}},"s":[{"k":null}]}"#;
        let value = Value::from_json(&Json::parse(json).expect("JSON"), &ty).expect("a value");
        let keys: Vec<String> = Keys::of([&value]).0.iter().map(|key| key.to_string()).collect();
        assert_eq!(keys, ["d", "k", "p", "q", "s"]);
    }

    /// A path as an engine prints it.
    fn printed(path: &WrittenPath) -> String {
        let step = |step: &WrittenStep| match step {
            WrittenStep::Attribute(name) => format!(".{name}"),
            WrittenStep::Index(index) => format!("[{index}]"),
            WrittenStep::Key(key) => format!("[{:?}]", key.as_str()),
            WrittenStep::Element => "[...]".to_owned(),
        };
        path.steps().iter().map(step).collect()
    }

    /// The names of members, wherever they are.
    fn put_names(json: &Json, keys: &mut Keys) {
        match json {
            Json::Object(members) => {
                for (name, json) in members {
                    keys.0.insert(Text::new(name));
                    // The recorder read template sequences once too often.
                    keys.0.insert(Text::new(&name.replace("$${", "${").replace("%%{", "%{")));
                    put_names(json, keys);
                }
            }
            Json::Array(items) => items.iter().for_each(|item| put_names(item, keys)),
            _ => {}
        }
    }

    fn asked_for(answers: &str, path: &str) -> bool {
        answers.contains("\"requires_replace\"") && answers.contains(&Json::string(path).to_compact())
    }

    #[test]
    fn the_paths_of_the_recorded_vectors_are_read_back() {
        let path: std::path::PathBuf =
            [env!("CARGO_MANIFEST_DIR"), "..", "corpus", "recorded", "walks.jsonl.gz"].iter().collect();
        let file = std::fs::File::open(path).expect("the recorded walks");
        let lines = std::io::BufReader::new(flate2::read::GzDecoder::new(file));
        let mut read_back = 0;
        for line in std::io::BufRead::lines(lines) {
            let json = Json::parse(&line.expect("a line")).expect("JSON");
            let errors = json.member("want").and_then(|want| want.member("errors")).expect("errors");
            let texts = errors
                .expect_array()
                .expect("errors")
                .iter()
                .filter_map(|error| error.member("path")?.expect_string().ok());
            let texts: Vec<&str> = texts.filter(|text| !text.is_empty()).collect();
            if texts.is_empty() {
                continue;
            }
            let schema = Schema::parse(&json.member("schema").expect("a schema").to_compact()).expect("a schema");
            let mut keys = Keys::default();
            put_names(&json, &mut keys);
            // A path for which a provider requires replacement is printed in another form, and need not be one of the schema.
            let answers = json.member("answers").expect("answers").to_compact();
            for text in texts.into_iter().filter(|text| !asked_for(&answers, text)) {
                let path = WrittenPath::parse(text).expect("a path");
                let sentence = format!("{}: was", printed(&path));
                assert_eq!(read(&schema, &keys, &sentence, ": "), Some(path), "{sentence}");
                read_back += 1;
            }
        }
        assert!(read_back > 200, "only {read_back} paths");
    }
}
