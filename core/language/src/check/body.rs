//! Checks bodies of resources, data and providers against their schemas (E28 to E31).

use std::collections::HashMap;

use planfuzz_core::schema::{Block as SchemaBlock, NestedBlock, Nesting, Shape};
use planfuzz_core::value::convert::convert;
use planfuzz_core::value::{Text, Type, Value};

use super::references::{self, Scope};
use crate::config::{
    Attribute, Block, Body, Content, ContentSchema, Form, Traversal, Written, content, literal, partial_content,
    read_static, references_of, template_faults,
};
use crate::diagnostic::Diagnostic;
use crate::expression::{EPHEMERAL, Marked};
use crate::json::{Json, JsonKind};
use crate::place::SourcePlace;
use crate::sources::Sources;

/// The number of blocks that each dynamic block generates, by the place of its `content`; a missing entry means none.
pub type Contents = HashMap<SourcePlace, usize>;

/// Which contents of dynamic blocks are checked, and how often: a diagnostic of a content repeats for each element (E31).
#[derive(Clone, Copy)]
pub(super) enum Looked<'b> {
    /// Once per element if the number is known here, otherwise once.
    Statically,
    /// Not at all: the caller evaluates the body and counts the elements.
    AtNone,
    /// As often as counted.
    Counted(&'b Contents),
}

pub(super) struct BodyCheck<'b, 's> {
    pub sources: &'b Sources,
    pub scope: &'b Scope<'s>,
    /// Whether the values are kept in the state, so that ephemeral ones are errors.
    pub is_kept: bool,
    pub contents: Looked<'b>,
    pub diagnostics: &'b mut Vec<Diagnostic>,
    /// The references of the body, except those to iterators.
    found: Vec<Traversal>,
    /// References in the `for_each` of dynamic blocks that the schema does not have: the engine expands them before it reads the body.
    apart: Vec<Traversal>,
    /// References in a `for_each` of which one names a missing object: the engine evaluates it all the same, with no names in scope.
    unseen: Vec<Traversal>,
    /// The number of elements of the dynamic blocks around the body.
    around: usize,
    /// What is not repeated for the elements of dynamic blocks around it: from where to where, in order.
    counted: Vec<(Reported, Reported)>,
}

/// The numbers of what a check reported, at one of its points.
#[derive(Clone, Copy)]
struct Reported {
    diagnostics: usize,
    found: usize,
    unseen: usize,
    counted: usize,
}

/// The value, if it is a constant without operators.
pub(super) fn constant(written: &Written, sources: &Sources) -> Option<Value> {
    match written {
        Written::Json(json) if has_template(json) => None,
        written => literal(written, sources),
    }
}

fn has_template(json: &Json) -> bool {
    let mut rest = vec![json];
    while let Some(json) = rest.pop() {
        match &json.kind {
            JsonKind::String(text) if text.contains("${") || text.contains("%{") => return true,
            JsonKind::Array(elements) => rest.extend(elements),
            JsonKind::Object(members) if members.iter().any(|member| member.name.contains('{')) => return true,
            JsonKind::Object(members) => rest.extend(members.iter().map(|member| &member.value)),
            _ => {}
        }
    }
    false
}

/// A block after the expansion of dynamic blocks: its place, and the place of its faults.
struct Standing {
    kind: SourcePlace,
    missing: SourcePlace,
}

impl<'b, 's> BodyCheck<'b, 's> {
    pub fn new(
        sources: &'b Sources,
        scope: &'b Scope<'s>,
        contents: Looked<'b>,
        diagnostics: &'b mut Vec<Diagnostic>,
    ) -> Self {
        let (found, apart, unseen) = Default::default();
        let (around, counted) = (1, Vec::new());
        BodyCheck { sources, scope, is_kept: false, contents, diagnostics, found, apart, unseen, around, counted }
    }

    /// Checks a whole body. If its references have faults, only those are reported (E68a). Returns whether they have none.
    pub fn whole(&mut self, body: &Body, schema: Option<&SchemaBlock>) -> bool {
        let before = self.diagnostics.len();
        match schema {
            Some(schema) => self.body(body, schema, &mut Vec::new()),
            None => self.unknown_body(body, &mut Vec::new()),
        }
        let faults = references::faults(&self.found, self.scope).diagnostics;
        let is_read = faults.is_empty();
        if !is_read {
            self.diagnostics.truncate(before);
        }
        self.diagnostics.extend(faults);
        self.diagnostics.extend(self.unseen.iter().map(references::unknown_variable));
        self.diagnostics.extend(references::faults(&self.apart, self.scope).diagnostics);
        is_read
    }

    /// The faults of all references of a body.
    pub fn faults(mut self, body: &Body, schema: &SchemaBlock) -> Vec<Diagnostic> {
        self.body(body, schema, &mut Vec::new());
        let unseen = self.unseen.iter().map(references::unknown_variable);
        references::faults(&self.found, self.scope).diagnostics.into_iter().chain(unseen).collect()
    }

    fn body(&mut self, body: &Body, schema: &SchemaBlock, iterators: &mut Vec<Text>) {
        let as_blocks = attributes_as_blocks(body, schema);
        let attributes: Vec<(&str, bool)> = schema
            .attributes
            .iter()
            .filter(|(name, _)| !as_blocks.contains(&name.as_str()))
            .map(|(name, attribute)| (name.as_str(), attribute.required))
            .collect();
        let mut blocks: Vec<(&str, &[&str])> =
            schema.block_types.iter().map(|(name, nested)| (name.as_str(), labels(nested))).collect();
        blocks.extend(as_blocks.iter().map(|name| (*name, &[] as &[&str])));
        blocks.push(("dynamic", &["type"]));
        let missing = body.missing();
        let found = content(body.clone(), ContentSchema { attributes: &attributes, blocks: &blocks }, self.diagnostics);
        for attribute in &found.attributes {
            self.attribute(attribute, schema, iterators);
        }
        self.blocks(found, schema, missing, iterators);
    }

    fn attribute(&mut self, attribute: &Attribute, schema: &SchemaBlock, iterators: &[Text]) {
        let before = self.diagnostics.len();
        self.references(&attribute.value, iterators);
        if self.diagnostics.len() > before {
            return;
        }
        let Some(found) = schema.attributes.get(&attribute.name.text) else { return };
        let value = match self.scope.values {
            Some(values) => values.of(&attribute.value, self.diagnostics),
            None => None,
        };
        if self.diagnostics.len() > before {
            return;
        }
        let value = value.or_else(|| constant(&attribute.value, self.sources).map(Marked::from));
        let Some(value) = value else { return };
        if let Shape::Leaf(ty) = &found.shape
            && let Err(problem) = convert(&value.value, ty)
        {
            let detail = format!("Inappropriate value for attribute {:?}: {problem}.", attribute.name.text.as_str());
            self.diagnostics.push(Diagnostic::error("Incorrect attribute value type", detail, attribute.value.start()));
        } else if self.is_kept && !found.write_only && value.marks.all().has(EPHEMERAL) {
            let detail = format!("What {:?} is set to would be kept.", attribute.name.text.as_str());
            self.diagnostics.push(Diagnostic::error("Invalid use of ephemeral value", detail, attribute.value.start()));
        }
    }

    pub(super) fn references(&mut self, written: &Written, iterators: &[Text]) {
        let faults = template_faults(written);
        if !faults.is_empty() {
            self.diagnostics.extend(faults);
            return;
        }
        let found = references_of(written, self.sources).into_iter();
        self.found.extend(found.filter(|reference| !iterators.contains(&reference.root)));
    }

    fn blocks(&mut self, found: Content, schema: &SchemaBlock, missing: SourcePlace, iterators: &mut Vec<Text>) {
        let mut standing: Vec<(Text, Standing)> = Vec::new();
        let mut open: Vec<Text> = Vec::new();
        for block in &found.blocks {
            let name = &block.kind.text;
            if name.as_str() == "dynamic" {
                self.dynamic(block, schema, iterators, &mut standing, &mut open);
                continue;
            }
            standing.push((name.clone(), Standing { kind: block.kind.place, missing: block.body.missing() }));
            match schema.block_types.get(name) {
                Some(nested) => self.body(&block.body, &nested.block, iterators),
                None => self.element_references(&block.body, iterators),
            }
        }
        for (name, nested) in schema.block_types.iter().filter(|(name, _)| !open.contains(name)) {
            let of_name: Vec<&Standing> =
                standing.iter().filter(|(found, _)| found == name).map(|(_, standing)| standing).collect();
            self.count(name, nested, &of_name, missing);
        }
    }

    /// Collects the references of blocks that are elements of an attribute.
    fn element_references(&mut self, body: &Body, iterators: &[Text]) {
        let found = crate::config::body_references(body, self.sources).into_iter();
        self.found.extend(found.filter(|reference| !iterators.contains(&reference.root)));
    }

    fn count(&mut self, name: &str, nested: &NestedBlock, found: &[&Standing], missing: SourcePlace) {
        let is_single = matches!(nested.nesting, Nesting::Single | Nesting::Group);
        if let (true, Some(second)) = (is_single, found.get(1)) {
            let detail = format!("Only one block of type {name:?} is allowed.");
            self.diagnostics.push(Diagnostic::error(format!("Duplicate {name} block"), detail, second.kind));
            return;
        }
        let max = usize::try_from(nested.max_items).unwrap_or(usize::MAX);
        if let Some(extra) = found.get(max).filter(|_| max > 0 && !is_single) {
            let detail = format!("No more than {max} {name:?} blocks are allowed");
            self.diagnostics.push(Diagnostic::error(format!("Too many {name} blocks"), detail, extra.missing));
        }
        let min = usize::try_from(nested.min_items).unwrap_or(usize::MAX);
        if found.len() < min {
            let (summary, detail) = if is_single {
                (format!("Missing {name} block"), format!("A {name} block is required."))
            } else {
                (format!("Insufficient {name} blocks"), format!("At least {min} {name:?} blocks are required."))
            };
            self.diagnostics.push(Diagnostic::error(summary, detail, missing));
        }
    }

    /// `dynamic "NAME" { … }` (E30, E31).
    fn dynamic(
        &mut self,
        block: &Block,
        schema: &SchemaBlock,
        iterators: &mut Vec<Text>,
        standing: &mut Vec<(Text, Standing)>,
        open: &mut Vec<Text>,
    ) {
        let Some(label) = block.labels.first() else { return };
        let name = &label.text;
        open.push(name.clone());
        let arguments = ContentSchema {
            attributes: &[("for_each", true), ("iterator", false), ("labels", true)],
            blocks: &[("content", &[])],
        };
        let nested = schema.block_types.get(name);
        let is_list = schema.attributes.get(name).is_some_and(|attribute| is_of_objects(&attribute.shape));
        if nested.is_none() && !is_list && !fault!(AnyDynamic) {
            let detail = format!("Blocks of type {:?} are not expected here.", name.as_str());
            self.diagnostics.push(Diagnostic::error("Unsupported block type", detail, label.place));
            let (mut found, _) = partial_content(block.body.clone(), arguments, &mut Vec::new());
            let for_each = found.take("for_each").into_iter();
            self.apart.extend(for_each.flat_map(|one| references_of(&one.value, self.sources)));
            return;
        }
        // Only blocks with keys have labels.
        let has_labels = nested.is_some_and(|nested| nested.nesting == Nesting::Map);
        let arguments = ContentSchema { attributes: &arguments.attributes[..2 + usize::from(has_labels)], ..arguments };
        let mut found = content(block.body.clone(), arguments, self.diagnostics);
        if let Some(extra) = found.blocks.get(1) {
            let detail = "Only one nested content block is allowed for each dynamic block.";
            self.diagnostics.push(Diagnostic::error("Extraneous dynamic content block", detail, extra.kind.place));
            return;
        }
        let iterator = match found.take("iterator").map(|attribute| self.iterator_name(&attribute)) {
            Some(Err(diagnostic)) => {
                self.diagnostics.push(diagnostic);
                return;
            }
            iterator => iterator.and_then(Result::ok),
        };
        let Some(for_each) = found.take("for_each") else { return };
        let before = self.found.len();
        let is_blind = self.is_blind(&for_each.value, iterators);
        if !is_blind {
            self.references(&for_each.value, iterators);
        }
        // E31: an engine looks at what every `for_each` refers to before it makes a block of any element.
        let now = self.reported();
        self.counted.push((Reported { found: before, ..now }, now));
        if is_blind {
            return;
        }
        let length = self.iterable(&for_each.value, iterators);
        iterators.push(iterator.unwrap_or_else(|| name.clone()));
        if let Some(labels) = found.take("labels") {
            self.references(&labels.value, iterators);
        }
        match found.blocks.as_slice() {
            [] => {
                let detail = "A dynamic block must have a nested block of type \"content\" to describe the body of each generated block.";
                self.diagnostics.push(Diagnostic::error("Missing dynamic content block", detail, found.missing));
            }
            [content, ..] => {
                let before = self.reported();
                let times = self.times(content, length);
                let around = std::mem::replace(&mut self.around, times);
                match nested {
                    _ if times == 0 => {}
                    Some(nested) => self.body(&content.body, &nested.block, iterators),
                    None => self.element_references(&content.body, iterators),
                }
                self.around = around;
                self.repeat(before, times);
                if let (Some(_), Length::Known(length)) = (nested, length) {
                    open.retain(|found| found != name);
                    for _ in 0..length.min(MOST_STANDING) {
                        let stands = Standing { kind: content.kind.place, missing: content.body.missing() };
                        standing.push((name.clone(), stands));
                    }
                }
            }
        }
        iterators.pop();
    }

    /// How often a content is checked, over all elements of the dynamic blocks around it.
    fn times(&self, content: &Block, length: Length) -> usize {
        match (self.contents, length) {
            (Looked::AtNone, _) | (Looked::Statically, Length::Nothing) => 0,
            (Looked::Counted(contents), _) => contents.get(&content.kind.place).copied().unwrap_or(0),
            (Looked::Statically, Length::Known(length)) => self.around.saturating_mul(length),
            (Looked::Statically, Length::Unsure) => self.around,
        }
    }

    /// How much was reported so far.
    fn reported(&self) -> Reported {
        let (diagnostics, found) = (self.diagnostics.len(), self.found.len());
        Reported { diagnostics, found, unseen: self.unseen.len(), counted: self.counted.len() }
    }

    /// Repeats what was added since `before` for each of so many elements, but for what is counted already.
    fn repeat(&mut self, before: Reported, times: usize) {
        let after = self.reported();
        let counted = self.counted.split_off(before.counted);
        let gaps = |of: fn(&Reported) -> usize| {
            let mut gaps = Vec::new();
            let mut at = of(&before);
            for (from, to) in &counted {
                gaps.push(at..of(from));
                at = of(to);
            }
            gaps.push(at..of(&after));
            gaps
        };
        let (diagnostics, found, unseen) = (gaps(|of| of.diagnostics), gaps(|of| of.found), gaps(|of| of.unseen));
        for _ in 1..times.min(MOST_STANDING) {
            diagnostics.iter().for_each(|gap| self.diagnostics.extend_from_within(gap.clone()));
            found.iter().for_each(|gap| self.found.extend_from_within(gap.clone()));
            unseen.iter().for_each(|gap| self.unseen.extend_from_within(gap.clone()));
        }
        self.counted.push((before, self.reported()));
    }

    /// The name of an iterator.
    fn iterator_name(&self, attribute: &Attribute) -> Result<Text, Diagnostic> {
        let read = read_static(&attribute.value, self.sources);
        match read.keyword() {
            Some(name) => Ok(Text::new(name)),
            None => {
                let is_name = matches!(read.form, Form::Traversal(_));
                let summary = if is_name { "Invalid dynamic iterator name" } else { "Invalid expression" };
                Err(Diagnostic::error(summary, "An iterator is named by a single name.", attribute.value.start()))
            }
        }
    }

    /// Whether a `for_each` refers to a missing object; its content is then not checked.
    fn is_blind(&mut self, written: &Written, iterators: &[Text]) -> bool {
        if !template_faults(written).is_empty() {
            return false;
        }
        let found = references_of(written, self.sources).into_iter();
        let found: Vec<Traversal> = found.filter(|reference| !iterators.contains(&reference.root)).collect();
        let is_blind = references::faults(&found, self.scope).is_blind;
        if is_blind {
            self.found.extend(found.iter().cloned());
            self.unseen.extend(found);
        }
        is_blind
    }

    /// The number of elements, as far as it is known; reports a value that cannot be iterated (E31).
    fn iterable(&mut self, written: &Written, iterators: &[Text]) -> Length {
        let before = self.diagnostics.len();
        let value = constant(written, self.sources).or_else(|| self.evaluated(written, iterators));
        if self.diagnostics.len() > before {
            return Length::Nothing;
        }
        let Some(value) = value else { return Length::Unsure };
        match value.ty() {
            _ if value.is_unknown() => return Length::Nothing,
            _ if value.is_null() => {}
            ty if ty.is_primitive() => {}
            _ => return Length::Known(value.view().len()),
        }
        let detail = if value.is_null() {
            "Cannot use a null value in for_each."
        } else {
            "An iterable collection is required."
        };
        self.diagnostics.push(Diagnostic::error("Invalid dynamic for_each value", detail, written.start()));
        Length::Nothing
    }

    /// The value, if there is an evaluator and no iterator is referred to.
    fn evaluated(&mut self, written: &Written, iterators: &[Text]) -> Option<Value> {
        let values = self.scope.values?;
        let names_element = |reference: &Traversal| iterators.contains(&reference.root);
        if references_of(written, self.sources).iter().any(names_element) {
            return None;
        }
        values.of(written, self.diagnostics).map(|value| value.value)
    }
}

/// The number of elements.
#[derive(Clone, Copy)]
enum Length {
    Known(usize),
    /// The value is unknown or has no elements: no block is generated.
    Nothing,
    /// That is not known here.
    Unsure,
}

/// The most blocks that are counted and reported.
const MOST_STANDING: usize = 1024;

fn labels(nested: &NestedBlock) -> &'static [&'static str] {
    if matches!(nested.nesting, Nesting::Map) { &["key"] } else { &[] }
}

/// Whether it is a list or a set of objects, which native syntax may write as blocks.
fn is_of_objects(shape: &Shape) -> bool {
    matches!(shape, Shape::Leaf(Type::List(element) | Type::Set(element)) if element.as_object().is_some())
}

/// The attributes of objects that a body in native syntax writes as blocks.
fn attributes_as_blocks<'s>(body: &Body, schema: &'s SchemaBlock) -> Vec<&'s str> {
    let Body::Native(body) = body else { return Vec::new() };
    let attributes = schema.attributes.iter().filter(|(name, attribute)| {
        is_of_objects(&attribute.shape) && body.blocks.iter().any(|block| block.kind.text == **name)
    });
    attributes.map(|(name, _)| name.as_str()).collect()
}
