//! Bodies of resources, data and providers, decoded against their schemas (E28 to E31).

use std::collections::BTreeMap;

use planfuzz_core::schema::{Block as SchemaBlock, NestedBlock, Nesting};
use planfuzz_core::value::{Number, Text, Type, Value};
use planfuzz_language::config::{Block, Body, Content, ContentSchema, content, partial_content};
use planfuzz_workspace::Diagnostic;

use crate::evaluation::{Evaluated, Evaluation, Marked, Marks, Wanted};
use crate::values::At;

/// How deep blocks may be nested.
const MAX_DEPTH: usize = 100;

/// The value of a body.
pub fn evaluate(evaluation: Evaluation<'_>, body: &Body, schema: &SchemaBlock, at: &mut At<'_, '_>) -> Evaluated {
    block(evaluation, body, schema, at, 0)
}

fn block(
    evaluation: Evaluation<'_>,
    body: &Body,
    schema: &SchemaBlock,
    at: &mut At<'_, '_>,
    depth: usize,
) -> Evaluated {
    if depth > MAX_DEPTH {
        return Err(vec![Diagnostic::error("Blocks are nested too deeply")]);
    }
    let (found, mut diagnostics) = content_of(body, schema);
    let mut members: Vec<(Text, Marked)> = Vec::new();
    for (name, attribute) in schema.attributes.iter() {
        let ty = attribute.implied_type(evaluation.dialect);
        let written = found.attributes.iter().find(|one| one.name.text == *name);
        let value = match written {
            None => Ok(Value::null(ty.clone()).into()),
            Some(written) => {
                let wanted = Wanted { ty: &ty, otherwise: "Incorrect attribute value type" };
                evaluation.converted(&written.value, wanted, at).map(|value| value.with(at.in_content))
            }
        };
        match value {
            Ok(value) => members.push((name.clone(), value)),
            Err(mut found) => diagnostics.append(&mut found),
        }
    }
    let mut nested: BTreeMap<Text, Nest> = BTreeMap::new();
    for one in &found.blocks {
        if let Err(mut found) = stand(evaluation, one, schema, at, depth, &mut nested) {
            diagnostics.append(&mut found);
        }
    }
    with_blocks(evaluation, schema, (members, nested), diagnostics)
}

/// The value of a block: its arguments, and beside them its blocks by type; the diagnostics of both if there are any.
fn with_blocks(
    evaluation: Evaluation<'_>,
    schema: &SchemaBlock,
    (mut members, mut nested): (Vec<(Text, Marked)>, BTreeMap<Text, Nest>),
    mut diagnostics: Vec<Diagnostic>,
) -> Evaluated {
    for (name, of) in schema.block_types.iter() {
        // A type of which there is no block has a value, too (E29).
        match collect(name, of, nested.remove(name).unwrap_or_default(), evaluation) {
            Ok(value) => members.push((name.clone(), value)),
            Err(mut found) => diagnostics.append(&mut found),
        }
    }
    if diagnostics.is_empty() { Ok(Marked::object(members)) } else { Err(diagnostics) }
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

/// The type and the body of a block of a template, written or dynamic; `None` if it has no type.
fn in_template<'s>(one: &Block, schema: &'s SchemaBlock) -> Evaluated<Option<(Text, &'s NestedBlock, Body)>> {
    if let Some(of) = schema.block_types.get(&one.kind.text) {
        return Ok(Some((one.kind.text.clone(), of, one.body.clone())));
    }
    let Some(name) = one.labels.first().map(|label| label.text.clone()) else { return Ok(None) };
    let (mut inner, _) = partial_content(one.body.clone(), DYNAMIC, &mut Vec::new());
    let error = |summary: &str| Err(vec![Diagnostic::error(summary)]);
    match (schema.block_types.get(&name), inner.take("for_each"), inner.blocks.into_iter().next()) {
        (None, ..) => error("Unsupported block type"),
        (_, None, _) => error("Missing required argument"),
        (_, _, None) => error("Missing dynamic content block"),
        (Some(of), _, Some(content)) => Ok(Some((name, of, content.body))),
    }
}

/// The parts of a dynamic block.
const DYNAMIC: ContentSchema<'static> = ContentSchema {
    attributes: &[("for_each", true), ("iterator", false), ("labels", false)],
    blocks: &[("content", &[])],
};

/// Blocks of one type, with their keys; `is_unknown` if their number is not known.
#[derive(Default)]
struct Nest {
    all: Vec<(Option<Text>, Marked)>,
    is_unknown: bool,
}

impl Nest {
    /// Adds a block (E29). One that cannot be evaluated counts; of a single one only the first is evaluated.
    fn add(
        &mut self,
        of: &NestedBlock,
        evaluation: Evaluation<'_>,
        make: impl FnOnce() -> Evaluated<(Option<Text>, Marked)>,
    ) -> Evaluated<()> {
        let unknown = || (None, Value::unknown(of.block.implied_type(evaluation.dialect)).into());
        let made = if is_single(of) && !self.all.is_empty() { Ok(unknown()) } else { make() };
        match made {
            Ok(made) => {
                self.all.push(made);
                Ok(())
            }
            Err(found) => {
                self.all.push(unknown());
                Err(found)
            }
        }
    }

    /// E31: adds what is known where the number of blocks is not; a single one is one block.
    fn add_template(
        &mut self,
        of: &NestedBlock,
        evaluation: Evaluation<'_>,
        make: impl FnOnce() -> Evaluated,
    ) -> Evaluated<()> {
        if is_single(of) {
            return self.add(of, evaluation, || Ok((None, make()?)));
        }
        self.is_unknown = true;
        make().map(drop)
    }
}

fn is_single(of: &NestedBlock) -> bool {
    matches!(of.nesting, Nesting::Single | Nesting::Group)
}

/// E31: a block of which only is known what is written in it: unknown arguments, and blocks that are themselves so.
fn template(evaluation: Evaluation<'_>, body: &Body, schema: &SchemaBlock, marks: Marks, depth: usize) -> Evaluated {
    if depth > MAX_DEPTH {
        return Err(vec![Diagnostic::error("Blocks are nested too deeply")]);
    }
    let (found, mut diagnostics) = content_of(body, schema);
    let mut members: Vec<(Text, Marked)> = Vec::new();
    for (name, attribute) in schema.attributes.iter() {
        let ty = attribute.implied_type(evaluation.dialect);
        let is_written = found.attributes.iter().any(|one| one.name.text == *name);
        let value = if is_written { Marked::from(Value::unknown(ty)).with(marks) } else { Value::null(ty).into() };
        members.push((name.clone(), value));
    }
    let mut nested: BTreeMap<Text, Nest> = BTreeMap::new();
    for one in &found.blocks {
        let added = in_template(one, schema).and_then(|block| {
            let Some((name, of, body)) = block else { return Ok(()) };
            nested
                .entry(name)
                .or_default()
                .add_template(of, evaluation, || template(evaluation, &body, &of.block, marks, depth + 1))
        });
        diagnostics.extend(added.err().into_iter().flatten());
    }
    with_blocks(evaluation, schema, (members, nested), diagnostics)
}

/// Evaluates a block, or all blocks that a dynamic one generates.
fn stand(
    evaluation: Evaluation<'_>,
    written: &Block,
    schema: &SchemaBlock,
    at: &mut At<'_, '_>,
    depth: usize,
    nested: &mut BTreeMap<Text, Nest>,
) -> Evaluated<()> {
    let kind = &written.kind.text;
    if let Some(of) = schema.block_types.get(kind) {
        let nest = nested.entry(kind.clone()).or_default();
        return nest.add(of, evaluation, || {
            // A written block does not get the marks of the content around it.
            let outer = std::mem::take(&mut at.in_content);
            let value = block(evaluation, &written.body, &of.block, at, depth + 1);
            at.in_content = outer;
            Ok((written.labels.first().map(|label| label.text.clone()), value?))
        });
    }
    let Some(name) = written.labels.first().map(|label| label.text.clone()) else { return Ok(()) };
    let Some(of) = schema.block_types.get(&name) else { return Err(vec![Diagnostic::error("Unsupported block type")]) };
    let (mut found, _) = partial_content(written.body.clone(), DYNAMIC, &mut Vec::new());
    let iterator = found.take("iterator").and_then(|written| match written.value {
        planfuzz_language::config::Written::Json(json) => json.as_str().map(Text::new),
        planfuzz_language::config::Written::Native(place) => {
            Some(Text::new(planfuzz_language::config::text_at(place, evaluation.sources).trim()))
        }
    });
    let (for_each, labels) = (found.take("for_each"), found.take("labels"));
    let Some(for_each) = for_each else { return Err(vec![Diagnostic::error("Missing required argument")]) };
    let Some(body) = found.blocks.first() else {
        return Err(vec![Diagnostic::error("Missing dynamic content block")]);
    };
    let (collection, marks) = evaluation.written(&for_each.value, at)?.open();
    nested.entry(name.clone()).or_default();
    let iterator = iterator.unwrap_or_else(|| name.clone());
    let unknown: Marked = Value::unknown(Type::Dynamic).into();
    let element = Marked::object(vec![("key".into(), unknown.clone()), ("value".into(), unknown)]);
    at.extra.push((iterator.clone(), element));
    let first = labels.as_ref().map(|labels| evaluation.written(&labels.value, at));
    at.extra.pop();
    // How many labels there are does not depend on the element.
    let first = first.transpose()?.map(|labels| one_label(&labels)).transpose()?;
    if collection.value.is_unknown() {
        first.map(|first| label(&first)).transpose()?;
        return nested
            .entry(name)
            .or_default()
            .add_template(of, evaluation, || template(evaluation, &body.body, &of.block, marks, depth + 1));
    }
    if collection.value.is_null() || collection.ty().is_primitive() {
        return Err(vec![Diagnostic::error("Invalid dynamic for_each value")]);
    }
    let (keys, outer) = (collection.keys(), at.in_content);
    let mut diagnostics = Vec::new();
    for (index, value) in collection.parts().into_iter().enumerate() {
        let key = match keys.get(index) {
            Some(key) => Value::string(key).into(),
            None if matches!(collection.ty(), Type::Set(_)) => value.clone(),
            None => Value::number(Number::counted(index as u64)).into(),
        };
        let element = Marked::object(vec![("key".into(), key), ("value".into(), value)]);
        *at.contents.entry(body.kind.place).or_default() += 1;
        at.extra.push((iterator.clone(), element));
        // Each element is reported on its own.
        let added = nested.entry(name.clone()).or_default().add(of, evaluation, || {
            let label = labels.as_ref().map(|labels| evaluation.written(&labels.value, at));
            at.in_content = marks;
            let made = block(evaluation, &body.body, &of.block, at, depth + 1);
            at.in_content = outer;
            let label = label.transpose()?.map(|labels| self::label(&one_label(&labels)?)).transpose()?;
            Ok((label, made?))
        });
        at.extra.pop();
        diagnostics.extend(added.err().into_iter().flatten());
    }
    if diagnostics.is_empty() { Ok(()) } else { Err(diagnostics) }
}

/// The one label that a block with keys has.
fn one_label(labels: &Marked) -> Evaluated<Marked> {
    let error = |summary: &str| Err(vec![Diagnostic::error(summary)]);
    if !matches!(labels.ty(), Type::Tuple(_)) {
        return error("Invalid expression");
    }
    let mut parts = labels.parts();
    match parts.len() {
        0 => error("Insufficient dynamic block labels"),
        1 => Ok(parts.remove(0)),
        _ => error("Extraneous dynamic block label"),
    }
}

/// The text of a label.
fn label(label: &Marked) -> Evaluated<Text> {
    let text = if label.marks.is_empty() { label.convert(&Type::String) } else { None };
    let text = text.as_ref().and_then(|text| text.value.view().as_text()).cloned();
    text.ok_or_else(|| vec![Diagnostic::error("Invalid dynamic block label")])
}

/// E29.
fn collect(name: &str, of: &NestedBlock, nest: Nest, evaluation: Evaluation<'_>) -> Evaluated {
    let element = of.block.implied_type(evaluation.dialect);
    let count = nest.all.len();
    let is_single = is_single(of);
    if is_single && count > 1 {
        return Err(vec![Diagnostic::error(format!("Duplicate {name} block"))]);
    }
    let (min, max) = (of.min_items, of.max_items);
    if !is_single && max > 0 && i128::from(max) < count as i128 {
        return Err(vec![Diagnostic::error(format!("Too many {name} blocks"))]);
    }
    if !nest.is_unknown && i128::from(min) > count as i128 {
        let what = if is_single { format!("Missing {name} block") } else { format!("Insufficient {name} blocks") };
        return Err(vec![Diagnostic::error(what)]);
    }
    let keys: Vec<&Text> = nest.all.iter().filter_map(|(key, _)| key.as_ref()).collect();
    if keys.iter().collect::<std::collections::BTreeSet<_>>().len() < keys.len() {
        return Err(vec![Diagnostic::error(format!("Duplicate {name} block"))]);
    }
    let wrong = || vec![Diagnostic::error(format!("Inconsistent {name} blocks"))];
    let parts = || nest.all.iter().map(|(_, value)| value.clone()).collect::<Vec<_>>();
    let ty = match of.nesting {
        Nesting::Single | Nesting::Group => element.clone(),
        Nesting::List => Type::list(element.clone()),
        Nesting::Set => Type::set(element.clone()),
        Nesting::Map => Type::map(element.clone()),
    };
    if nest.is_unknown {
        return Ok(Value::unknown(ty).into());
    }
    let value = match of.nesting {
        Nesting::Single => Some(parts().pop().unwrap_or_else(|| Value::null(element.clone()).into())),
        Nesting::Group => Some(parts().pop().unwrap_or_else(|| of.block.empty_value(evaluation.dialect).into())),
        Nesting::List if element.has_dynamic() => Some(Marked::tuple(parts())),
        Nesting::List => Marked::list(&element, parts()),
        Nesting::Set => Marked::set(&element, parts()),
        Nesting::Map => {
            let entries = nest.all.iter().map(|(key, value)| (key.clone().unwrap_or_default(), value.clone()));
            let entries = entries.collect();
            if element.has_dynamic() { Some(Marked::object(entries)) } else { Marked::map(&element, entries) }
        }
    };
    value.ok_or_else(wrong)
}

fn labels(nested: &NestedBlock) -> &'static [&'static str] {
    if matches!(nested.nesting, Nesting::Map) { &["key"] } else { &[] }
}
