//! Checks the references of bodies without a known schema.
//!
//! Without a schema, JSON syntax does not distinguish blocks from arguments. So a member named `dynamic` counts as dynamic blocks if it has
//! their form; names of iterators are in scope within `content` alone.

use planfuzz_core::value::Text;

use super::body::BodyCheck;
use crate::config::{Body, Written, read_static};
use crate::json::{Json, JsonKind, Member};

impl BodyCheck<'_, '_> {
    pub(super) fn unknown_body(&mut self, body: &Body, iterators: &mut Vec<Text>) {
        let body = match body {
            Body::Native(body) => body,
            Body::Json(body) => return self.unknown_members(&body.members, iterators),
        };
        for attribute in &body.attributes {
            self.references(&attribute.value, iterators);
        }
        for block in &body.blocks {
            match block.labels.first().filter(|_| block.kind.text.as_str() == "dynamic") {
                Some(label) => self.unknown_dynamic(&block.body, &label.text, iterators),
                None => self.unknown_body(&block.body, iterators),
            }
        }
    }

    fn unknown_dynamic(&mut self, body: &Body, name: &Text, iterators: &mut Vec<Text>) {
        let Body::Native(body) = body else { return };
        let mut iterator = name.clone();
        for attribute in &body.attributes {
            match attribute.name.text.as_str() {
                "iterator" => iterator = self.iterator(&attribute.value).unwrap_or(iterator),
                "labels" => {}
                _ => self.references(&attribute.value, iterators),
            }
        }
        iterators.push(iterator);
        for block in &body.blocks {
            self.unknown_body(&block.body, iterators);
        }
        iterators.pop();
    }

    fn unknown_members(&mut self, members: &[Member], iterators: &mut Vec<Text>) {
        for member in members {
            if member.name.contains("${") {
                let key = Member { value: Json { place: member.name_place, kind: JsonKind::Null }, ..member.clone() };
                let alone = Json { place: member.name_place, kind: JsonKind::Object(vec![key]) };
                self.references(&Written::Json(alone), iterators);
            }
            if &*member.name != "dynamic" {
                self.unknown_json(&member.value, iterators);
                continue;
            }
            self.each_object(&member.value, &mut |check, labels| {
                for label in labels {
                    check.each_object(&label.value, &mut |check, members| {
                        check.dynamic_members(members, &label.name, iterators);
                    });
                }
            });
        }
    }

    fn unknown_json(&mut self, json: &Json, iterators: &mut Vec<Text>) {
        match &json.kind {
            JsonKind::Object(members) => self.unknown_members(members, iterators),
            JsonKind::Array(elements) => elements.iter().for_each(|element| self.unknown_json(element, iterators)),
            _ => self.references(&Written::Json(json.clone()), iterators),
        }
    }

    /// One object, or every object of an array.
    fn each_object(&mut self, json: &Json, act: &mut dyn FnMut(&mut Self, &[Member])) {
        match &json.kind {
            JsonKind::Object(members) => act(self, members),
            JsonKind::Array(elements) => elements.iter().for_each(|element| self.each_object(element, act)),
            _ => {}
        }
    }

    fn dynamic_members(&mut self, members: &[Member], name: &str, iterators: &mut Vec<Text>) {
        let mut iterator = Text::new(name);
        for member in members {
            match &*member.name {
                "iterator" => iterator = self.iterator(&Written::Json(member.value.clone())).unwrap_or(iterator),
                "content" | "labels" => {}
                _ => self.unknown_json(&member.value, iterators),
            }
        }
        iterators.push(iterator);
        for content in members.iter().filter(|member| &*member.name == "content") {
            self.unknown_json(&content.value, iterators);
        }
        iterators.pop();
    }

    fn iterator(&self, written: &Written) -> Option<Text> {
        read_static(written, self.sources).keyword().map(Text::new)
    }
}
