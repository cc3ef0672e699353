//! Words from the user's own files: configurations, states and plans contain values that the provider accepts.

use std::collections::BTreeMap;

use planfuzz_core::json::Json;

/// Words by resource type and key of an attribute.
#[derive(Clone, Debug, Default)]
pub struct Seeds {
    words: BTreeMap<String, Vec<(String, String)>>,
    /// How many there are.
    pub count: usize,
}

impl Seeds {
    /// Adds the words of a document: a state, the JSON of a plan or of a state, or configuration in JSON.
    pub fn add(&mut self, json: &Json) {
        self.resources(json);
        json.member("resource").into_iter().for_each(|blocks| self.blocks(blocks));
    }

    /// Blocks by type and name. The syntax allows a list of such objects in place of each of them.
    fn blocks(&mut self, blocks: &Json) {
        for types in blocks.listed() {
            let Json::Object(types) = types else { continue };
            for (type_name, named) in types.iter() {
                for body in named.listed().iter().flat_map(members) {
                    self.body(type_name, body);
                }
            }
        }
    }

    /// The words of a resource type.
    pub fn of(&self, type_name: &str) -> &[(String, String)] {
        self.words.get(type_name).map_or(&[], Vec::as_slice)
    }

    /// Any object with a type and values, or with instances, is a resource.
    fn resources(&mut self, json: &Json) {
        if let Some(Json::String(type_name)) = json.member("type") {
            for name in ["values", "attributes"] {
                if let Some(body) = json.member(name) {
                    self.body(type_name, body);
                }
            }
            if let Some(Json::Array(instances)) = json.member("instances") {
                for body in instances.iter().filter_map(|instance| instance.member("attributes")) {
                    self.body(type_name, body);
                }
            }
        }
        for child in members(json) {
            self.resources(child);
        }
    }

    fn body(&mut self, type_name: &str, body: &Json) {
        match body {
            Json::Array(bodies) => bodies.iter().for_each(|body| self.body(type_name, body)),
            body => self.values(type_name, "", body),
        }
    }

    fn values(&mut self, type_name: &str, key: &str, json: &Json) {
        let text = match json {
            Json::String(text) | Json::Number(text) => text,
            Json::Object(entries) => {
                for (name, value) in entries {
                    let inner = if key.is_empty() { name.to_string() } else { format!("{key}.{name}") };
                    self.values(type_name, &inner, value);
                }
                return;
            }
            Json::Array(items) => return items.iter().for_each(|item| self.values(type_name, key, item)),
            Json::Null | Json::Bool(_) => return,
        };
        // A template is no value.
        if !text.contains("${") {
            self.count += 1;
            self.words.entry(type_name.to_owned()).or_default().push((key.to_owned(), text.to_string()));
        }
    }
}

fn members(json: &Json) -> Vec<&Json> {
    match json {
        Json::Object(members) => members.iter().map(|(_, value)| value).collect(),
        Json::Array(items) => items.iter().collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_and_configurations_are_read() {
        let mut seeds = Seeds::default();
        let state =
            r#"{"resources":[{"type":"x_a","instances":[{"attributes":{"name":"n","tags":["t"],"b":{"c":2}}}]}]}"#;
        seeds.add(&Json::parse(state).expect("JSON"));
        let config = r#"{"resource":{"x_a":{"one":{"name":"m","other":"${var.x}"}}}}"#;
        seeds.add(&Json::parse(config).expect("JSON"));
        let config = r#"{"resource":[{"x_a":[{"two":[{"name":"l"}]}]}]}"#;
        seeds.add(&Json::parse(config).expect("JSON"));
        let words: Vec<_> = seeds.of("x_a").iter().map(|(key, word)| format!("{key}={word}")).collect();
        assert_eq!(
            (words.as_slice(), seeds.count),
            (["name=n", "tags=t", "b.c=2", "name=m", "name=l"].map(str::to_owned).as_slice(), 5)
        );
    }
}
