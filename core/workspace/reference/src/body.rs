//! Bodies of resources, data and providers, decoded against their schemas (E28 to E31).

use std::collections::BTreeMap;

use planfuzz_core::schema::{Block as SchemaBlock, NestedBlock, Nesting};
use planfuzz_core::value::{Text, Type, Value};
use planfuzz_language::check::ExpansionRoots;
use planfuzz_language::config::{Attribute, Block, Body, Content, ContentSchema, content};
use planfuzz_workspace::Diagnostic;

use crate::dynamic::{self, Dynamic, Expanded};
use crate::evaluation::{Evaluated, Evaluation, Marked, Marks, Wanted};
use crate::nests::{BodyBlock, Nest};
use crate::values::At;

/// How deep blocks may be nested.
const MAX_DEPTH: usize = 100;

/// How a body is read.
#[derive(Clone, Copy, Default)]
struct Reading {
    /// The number of blocks around it.
    depth: usize,
    /// E31: it is a template, of which only is known what is written in it; the marks of its arguments.
    template: Option<Marks>,
}

impl Reading {
    fn within(self) -> Reading {
        Reading { depth: self.depth + 1, ..self }
    }

    /// As a template, unless it is one already: the outermost template gives the marks.
    fn as_template(self, marks: Marks) -> Reading {
        Reading { template: self.template.or(Some(marks)), ..self }
    }
}

/// Blocks of a body by type.
type Nests = BTreeMap<Text, Nest>;

/// The value of a body.
pub fn evaluate(evaluation: Evaluation<'_>, body: &Body, schema: &SchemaBlock, at: &mut At<'_, '_>) -> Evaluated {
    if !schema.block_types.is_empty() {
        at.expansion = ExpansionRoots::of(body, schema, evaluation.sources);
    }
    block(evaluation, body, schema, at, Reading::default())
}

fn block(
    evaluation: Evaluation<'_>,
    body: &Body,
    schema: &SchemaBlock,
    at: &mut At<'_, '_>,
    reading: Reading,
) -> Evaluated {
    if reading.depth > MAX_DEPTH {
        return Err(vec![Diagnostic::error("Blocks are nested too deeply")]);
    }
    let (found, mut diagnostics) = content_of(body, schema);
    let mut members: Vec<(Text, Marked)> = Vec::new();
    for (name, attribute) in schema.attributes.iter() {
        let ty = attribute.implied_type(evaluation.dialect);
        let written = found.attributes.iter().find(|one| one.name.text == *name);
        match argument(evaluation, written, &ty, at, reading) {
            Ok(value) => members.push((name.clone(), value)),
            Err(mut found) => diagnostics.append(&mut found),
        }
    }
    let mut nests = Nests::new();
    for one in &found.blocks {
        if let Err(mut found) = stand(evaluation, one, schema, at, (reading, &mut nests)) {
            diagnostics.append(&mut found);
        }
    }
    for (name, of) in schema.block_types.iter() {
        // A type of which there is no block has a value, too (E29).
        match nests.remove(name).unwrap_or_default().collect(name, of, evaluation) {
            Ok(value) => members.push((name.clone(), value)),
            Err(mut found) => diagnostics.append(&mut found),
        }
    }
    if diagnostics.is_empty() { Ok(Marked::object(members)) } else { Err(diagnostics) }
}

fn argument(
    evaluation: Evaluation<'_>,
    written: Option<&Attribute>,
    ty: &Type,
    at: &At<'_, '_>,
    reading: Reading,
) -> Evaluated {
    match (written, reading.template) {
        (None, _) => Ok(Value::null(ty.clone()).into()),
        (Some(_), Some(marks)) => Ok(Marked::from(Value::unknown(ty.clone())).with(marks)),
        (Some(written), None) => {
            let wanted = Wanted { ty, otherwise: "Incorrect attribute value type" };
            evaluation.converted(&written.value, wanted, at).map(|value| value.with(at.in_content))
        }
    }
}

/// The parts of a body that its schema expects, and the diagnostics of the rest.
fn content_of(body: &Body, schema: &SchemaBlock) -> (Content, Vec<Diagnostic>) {
    let attributes: Vec<(&str, bool)> =
        schema.attributes.iter().map(|(name, attribute)| (name.as_str(), attribute.required)).collect();
    let mut blocks: Vec<(&str, &[&str])> =
        schema.block_types.iter().map(|(name, nested)| (name.as_str(), labels(nested))).collect();
    blocks.push(("dynamic", &["type"]));
    let mut diagnostics = Vec::new();
    let found = content(body.clone(), ContentSchema { attributes: &attributes, blocks: &blocks }, &mut diagnostics);
    (found, diagnostics.into_iter().map(|one| Diagnostic::error(one.summary)).collect())
}

/// Evaluates a block, or all blocks that a dynamic one generates.
fn stand(
    evaluation: Evaluation<'_>,
    written: &Block,
    schema: &SchemaBlock,
    at: &mut At<'_, '_>,
    (reading, nests): (Reading, &mut Nests),
) -> Evaluated<()> {
    let kind = &written.kind.text;
    if let Some(of) = schema.block_types.get(kind) {
        // A written block does not get the marks of the content around it.
        let outer = std::mem::take(&mut at.in_content);
        let value = block(evaluation, &written.body, &of.block, at, reading.within());
        at.in_content = outer;
        let key = written.labels.first().map(|label| label.text.clone());
        let block = BodyBlock { key, is_template: reading.template.is_some(), value };
        return nests.entry(kind.clone()).or_default().add(of, evaluation, block);
    }
    let Some(name) = written.labels.first().map(|label| &label.text) else { return Ok(()) };
    let Some(of) = schema.block_types.get(name) else { return Err(vec![Diagnostic::error("Unsupported block type")]) };
    let dynamic = Dynamic::read(written, (name, of), evaluation.sources)?;
    let expanded = dynamic.expanded(evaluation, at)?;
    generate(evaluation, (&dynamic, of, expanded), at, (reading, nests.entry(name.clone()).or_default()))
}

/// The blocks that a dynamic one generates: one for each element; where the elements are not known, one as a template.
fn generate(
    evaluation: Evaluation<'_>,
    (dynamic, of, expanded): (&Dynamic, &NestedBlock, Expanded<'_>),
    at: &mut At<'_, '_>,
    (reading, nest): (Reading, &mut Nest),
) -> Evaluated<()> {
    let Expanded { elements, marks, content } = expanded;
    let reading = if elements.is_some() { reading } else { reading.as_template(marks) };
    let is_template = reading.template.is_some();
    let outer = at.in_content;
    let mut diagnostics = Vec::new();
    for element in elements.unwrap_or_else(|| vec![dynamic::unknown_element()]) {
        if !is_template {
            *at.contents.entry(content.kind.place).or_default() += 1;
        }
        at.extra.push((dynamic.iterator.clone(), element));
        let key = dynamic.label(evaluation, at);
        at.in_content = marks;
        let value = block(evaluation, &content.body, &of.block, at, reading.within());
        at.in_content = outer;
        at.extra.pop();
        // Each element is reported on its own; one without a label is no block.
        let added = key.and_then(|key| nest.add(of, evaluation, BodyBlock { key, is_template, value }));
        diagnostics.extend(added.err().into_iter().flatten());
    }
    if diagnostics.is_empty() { Ok(()) } else { Err(diagnostics) }
}

/// The labels that blocks of a type have: those that form a map have a key.
fn labels(nested: &NestedBlock) -> &'static [&'static str] {
    if matches!(nested.nesting, Nesting::Map) { &["key"] } else { &[] }
}
