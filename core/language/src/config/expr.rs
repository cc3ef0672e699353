//! Expressions of the tree: their text and their references.

use planfuzz_core::schema::{Block, NestedBlock, Nesting};
use planfuzz_core::value::{Text, Value};

use super::body::{Body, Written};
use super::references;
use super::tree::{Expr, Traversal};
use super::{statics, type_constraint};
use crate::diagnostic::Diagnostic;
use crate::expression::parse_template;
use crate::json::{Json, JsonKind, Member};
use crate::place::SourcePlace;
use crate::sources::Sources;

/// The text at a place; empty where there is none.
pub fn text_at(place: SourcePlace, sources: &Sources) -> &str {
    let bytes = sources.bytes(place.file).get(place.span.start as usize..place.span.end as usize);
    bytes.and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or("")
}

/// The text of an expression; in JSON the contents of a string.
pub(crate) fn text_of<'t>(written: &'t Written, sources: &'t Sources) -> &'t str {
    match written {
        Written::Native(place) => text_at(*place, sources),
        Written::Json(json) => json.as_str().unwrap_or(""),
    }
}

/// The references of an expression.
pub fn references_of(written: &Written, sources: &Sources) -> Vec<Traversal> {
    match written {
        Written::Native(place) => references::of_text(text_at(*place, sources), *place),
        Written::Json(json) => references::of_json(json),
    }
}

/// The faults of templates in JSON strings at any depth; native syntax was already parsed.
pub(crate) fn template_faults(written: &Written) -> Vec<Diagnostic> {
    let (mut faults, mut rest) = (Vec::new(), Vec::new());
    if let Written::Json(json) = written {
        rest.push(json);
    }
    while let Some(json) = rest.pop() {
        match &json.kind {
            JsonKind::String(text) => {
                faults.extend(parse_template(text, json.template_place()).err().into_iter().flatten())
            }
            JsonKind::Array(elements) => rest.extend(elements),
            JsonKind::Object(members) => rest.extend(members.iter().map(|member| &member.value)),
            _ => {}
        }
    }
    faults
}

/// The value of a constant, if it is written without operators and functions.
pub(crate) fn literal(written: &Written, sources: &Sources) -> Option<Value> {
    type_constraint::literal(&statics::constant(written, sources))
}

/// The references of all expressions in a body; in JSON every string is a template.
pub fn body_references(body: &Body, sources: &Sources) -> Vec<Traversal> {
    let mut found = Vec::new();
    let mut bodies = vec![body];
    while let Some(body) = bodies.pop() {
        match body {
            Body::Native(body) => {
                for attribute in &body.attributes {
                    found.extend(references_of(&attribute.value, sources));
                }
                bodies.extend(body.blocks.iter().map(|block| &block.body));
            }
            Body::Json(body) => found.extend(body.members.iter().flat_map(|member| references::of_json(&member.value))),
        }
    }
    found
}

/// The iterator names of dynamic blocks at any depth of a body (E31); in JSON syntax of every member named `dynamic`.
pub fn iterators(body: &Body, sources: &Sources) -> Vec<Text> {
    let (mut found, mut bodies, mut rest) = (Vec::new(), vec![body], Vec::new());
    while let Some(body) = bodies.pop() {
        match body {
            Body::Native(body) => {
                for block in &body.blocks {
                    bodies.push(&block.body);
                    let Some(name) = block.labels.first().filter(|_| &*block.kind.text == "dynamic") else { continue };
                    found.push(name.text.clone());
                    if let Body::Native(inner) = &block.body {
                        let named = inner.attributes.iter().filter(|attribute| &*attribute.name.text == "iterator");
                        found.extend(named.map(|attribute| Text::new(text_of(&attribute.value, sources).trim())));
                    }
                }
            }
            Body::Json(body) => rest.extend(body.members.iter().map(|member| (&*member.name, &member.value))),
        }
    }
    while let Some((name, json)) = rest.pop() {
        if name == "dynamic" {
            dynamic_iterators(json, &mut found);
        }
        match &json.kind {
            JsonKind::Array(elements) => rest.extend(elements.iter().map(|element| ("", element))),
            JsonKind::Object(members) => rest.extend(members.iter().map(|member| (&*member.name, &member.value))),
            _ => {}
        }
    }
    found
}

/// The iterator names of one `dynamic` member: an object of labels, or several.
fn dynamic_iterators(json: &Json, found: &mut Vec<Text>) {
    for labels in objects(json) {
        for label in labels {
            found.push(Text::new(&label.name));
            let named = objects(&label.value).into_iter().flatten().filter(|member| &*member.name == "iterator");
            found.extend(named.filter_map(|member| member.value.as_str()).map(Text::new));
        }
    }
}

/// The members of an object, or those of each object of an array.
fn objects(json: &Json) -> Vec<&[Member]> {
    let (mut found, mut rest) = (Vec::new(), vec![json]);
    while let Some(json) = rest.pop() {
        match &json.kind {
            JsonKind::Object(members) => found.push(&members[..]),
            JsonKind::Array(elements) => rest.extend(elements),
            _ => {}
        }
    }
    found
}

/// The references of the expressions in a body that are part of its schema; unexpected items are ignored (G63). Without a schema, those of
/// all expressions.
pub fn schema_references(body: &Body, schema: Option<&Block>, sources: &Sources) -> Vec<Traversal> {
    let Some(schema) = schema else { return body_references(body, sources) };
    let has_argument = |name: &str| schema.attributes.get(name).is_some();
    let has_block = |name: &str| name == "dynamic" || schema.block_types.get(name).is_some();
    match body {
        Body::Native(body) => {
            let known = body.attributes.iter().filter(|attribute| has_argument(&attribute.name.text));
            let mut found: Vec<Traversal> =
                known.flat_map(|attribute| references_of(&attribute.value, sources)).collect();
            for block in &body.blocks {
                match schema.block_types.get(&block.kind.text) {
                    Some(nested) => found.extend(schema_references(&block.body, Some(&nested.block), sources)),
                    // An attribute may be written as blocks.
                    None if has_argument(&block.kind.text) || has_block(&block.kind.text) => {
                        found.extend(body_references(&block.body, sources));
                    }
                    None => {}
                }
            }
            found
        }
        Body::Json(body) => members_references(&body.members, schema),
    }
}

/// The references of the members of an object that are part of its schema.
fn members_references(members: &[Member], schema: &Block) -> Vec<Traversal> {
    let mut found = Vec::new();
    for member in members {
        let is_known = schema.attributes.get(&member.name).is_some() || &*member.name == "dynamic";
        match schema.block_types.get(&member.name) {
            Some(nested) => blocks_references(&member.value, nested, nested.nesting == Nesting::Map, &mut found),
            None if is_known => found.extend(references::of_json(&member.value)),
            None => {}
        }
    }
    found
}

/// The references of a JSON value that is blocks; with `has_labels` the names of members are the keys of a map.
fn blocks_references(value: &Json, nested: &NestedBlock, has_labels: bool, found: &mut Vec<Traversal>) {
    match &value.kind {
        JsonKind::Array(elements) => {
            elements.iter().for_each(|element| blocks_references(element, nested, has_labels, found));
        }
        JsonKind::Object(members) if has_labels => {
            members.iter().for_each(|member| blocks_references(&member.value, nested, false, found));
        }
        JsonKind::Object(members) => found.extend(members_references(members, &nested.block)),
        _ => {}
    }
}

/// The diagnostics of references where a constant is required.
pub(super) fn not_allowed(found: &[Traversal]) -> impl Iterator<Item = Diagnostic> {
    found.iter().map(|reference| {
        let root = reference.place.part(0, reference.root.len());
        Diagnostic::error("Variables not allowed", "Variables may not be used here.", root)
    })
}

impl Expr {
    /// An expression where a reference is expected, with expressions in its brackets: in JSON the string is its text (E11).
    pub(super) fn read_reference(written: Written, sources: &Sources) -> Expr {
        let references = match &written {
            Written::Json(json) => {
                json.as_str().map_or_else(Vec::new, |text| references::of_text(text, json.template_place()))
            }
            native => references_of(native, sources),
        };
        Expr { written, references }
    }

    /// An expression as it is written.
    pub(super) fn read(written: Written, sources: &Sources) -> Expr {
        let references = references_of(&written, sources);
        Expr { written, references }
    }
}
