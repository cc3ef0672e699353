//! Checks bodies of resources, data and providers against their schemas (E28 to E31).

mod dynamic;
pub(super) mod expansion;

use std::cell::OnceCell;

use hashbrown::HashMap;
use planfuzz_core::schema::{Block as SchemaBlock, NestedBlock, Nesting, Shape};
use planfuzz_core::value::convert::convert;
use planfuzz_core::value::{Text, Type, Value};

use self::expansion::{expansion_references, outside};
use super::references::{self, Faults, Scope};
use crate::config::{Attribute, Body, Content, ContentSchema, Traversal, Written, content, literal, template_faults};
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
    /// Whether the body has a dynamic block outside the contents of others.
    has_dynamic: bool,
    /// The body that is checked, with its schema.
    whole: Option<(&'b Body, &'b SchemaBlock)>,
    /// The faults of what an engine looks at before it expands dynamic blocks (E31), once they were asked for.
    expansion: OnceCell<Faults>,
    /// References in `for_each` and labels that are evaluated with no names in scope: each is an unknown variable.
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
struct ExpandedBlock {
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
        let (found, unseen, counted) = Default::default();
        let (is_kept, has_dynamic, around) = (false, false, 1);
        let (whole, expansion) = (None, OnceCell::new());
        BodyCheck {
            sources,
            scope,
            is_kept,
            contents,
            diagnostics,
            found,
            has_dynamic,
            whole,
            expansion,
            unseen,
            around,
            counted,
        }
    }

    /// Checks a whole body. If its references have faults, only those are reported (E68a). Returns whether it can be evaluated.
    pub fn whole(&mut self, body: &'b Body, schema: Option<&'b SchemaBlock>) -> bool {
        let before = self.diagnostics.len();
        self.whole = schema.map(|schema| (body, schema));
        match schema {
            Some(schema) => self.body(body, schema, &mut Vec::new()),
            None => self.unknown_body(body, &mut Vec::new()),
        }
        let faults = references::faults(&self.found, self.scope).diagnostics;
        let has_faults = !faults.is_empty();
        if has_faults {
            self.diagnostics.truncate(before);
        }
        self.diagnostics.extend(faults);
        let unseen = self.unknown_variables(has_faults);
        self.diagnostics.extend(unseen);
        let apart = self.expansion_faults();
        self.diagnostics.extend(apart);
        !has_faults && self.unseen.is_empty()
    }

    /// The faults of all references of a body.
    pub fn faults(mut self, body: &'b Body, schema: &'b SchemaBlock) -> Vec<Diagnostic> {
        self.whole = Some((body, schema));
        self.body(body, schema, &mut Vec::new());
        let mut found = references::faults(&self.found, self.scope).diagnostics;
        found.extend(self.unknown_variables(!found.is_empty()));
        found.extend(self.expansion_faults());
        found
    }

    /// E31: the names that dynamic blocks are expanded without. Nothing is expanded if the body has faults of its own.
    fn unknown_variables(&self, has_faults: bool) -> Vec<Diagnostic> {
        if has_faults { Vec::new() } else { self.unseen.iter().map(references::unknown_variable).collect() }
    }

    /// E31: the faults of references in every `for_each` and all labels of dynamic blocks, at any depth and however many blocks there are:
    /// an engine looks at them before it generates a block. To be asked after the check of the body.
    fn expansion_faults(&self) -> Vec<Diagnostic> {
        if self.has_dynamic { self.expansion().diagnostics.clone() } else { Vec::new() }
    }

    fn expansion(&self) -> &Faults {
        self.expansion.get_or_init(|| {
            let found = self.whole.map(|(body, schema)| expansion_references(body, schema, self.sources));
            references::faults(&found.unwrap_or_default(), self.scope)
        })
    }

    fn body(&mut self, body: &Body, schema: &SchemaBlock, iterators: &mut Vec<Text>) {
        let as_blocks = attributes_as_blocks(body, schema);
        let attributes: Vec<(&str, bool)> = schema
            .attributes
            .iter()
            .filter(|(name, _)| !as_blocks.contains(&name.as_str()))
            .map(|(name, attribute)| (name.as_str(), attribute.required))
            .collect();
        let blocks = expected_blocks(schema, &as_blocks);
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
        let found = outside(written, iterators, self.sources);
        self.found.extend(found);
    }

    fn blocks(&mut self, found: Content, schema: &SchemaBlock, missing: SourcePlace, iterators: &mut Vec<Text>) {
        let mut expanded: Vec<(Text, ExpandedBlock)> = Vec::new();
        let mut open: Vec<Text> = Vec::new();
        for block in &found.blocks {
            let name = &block.kind.text;
            if name.as_str() == "dynamic" {
                self.dynamic(block, schema, iterators, &mut expanded, &mut open);
                continue;
            }
            expanded.push((name.clone(), ExpandedBlock { kind: block.kind.place, missing: block.body.missing() }));
            let Some(nested) = schema.block_types.get(name) else {
                self.element_references(&block.body, iterators);
                continue;
            };
            let before = self.diagnostics.len();
            self.body(&block.body, &nested.block, iterators);
            // Of a single one only the first is looked at (E29), and nothing behind blocks whose number is not known (E31).
            let is_second = is_single(nested) && expanded.iter().filter(|(found, _)| found == name).count() > 1;
            if is_second || open.contains(name) {
                self.diagnostics.truncate(before);
            }
        }
        for (name, nested) in schema.block_types.iter().filter(|(name, _)| !open.contains(name)) {
            let of_name: Vec<&ExpandedBlock> =
                expanded.iter().filter(|(found, _)| found == name).map(|(_, expanded)| expanded).collect();
            self.count(name, nested, &of_name, missing);
        }
    }

    /// Collects the references of blocks that are elements of an attribute.
    fn element_references(&mut self, body: &Body, iterators: &[Text]) {
        let found = crate::config::body_references(body, self.sources).into_iter();
        self.found.extend(found.filter(|reference| !iterators.contains(&reference.root)));
    }

    fn count(&mut self, name: &str, nested: &NestedBlock, found: &[&ExpandedBlock], missing: SourcePlace) {
        let is_single = is_single(nested);
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
}

/// The blocks that a body may have, with their labels; these attributes are written as blocks.
fn expected_blocks<'s>(schema: &'s SchemaBlock, as_blocks: &[&'s str]) -> Vec<(&'s str, &'static [&'static str])> {
    let of_schema = schema.block_types.iter().map(|(name, nested)| (name.as_str(), labels(nested)));
    let of_attributes = as_blocks.iter().map(|name| (*name, &[] as &[&str]));
    of_schema.chain(of_attributes).chain([("dynamic", &["type"] as &[&str])]).collect()
}

fn labels(nested: &NestedBlock) -> &'static [&'static str] {
    if matches!(nested.nesting, Nesting::Map) { &["key"] } else { &[] }
}

fn is_single(nested: &NestedBlock) -> bool {
    matches!(nested.nesting, Nesting::Single | Nesting::Group)
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
