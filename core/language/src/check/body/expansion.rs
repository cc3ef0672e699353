//! What an engine looks at before it generates the blocks of dynamic ones: every `for_each` and all labels of a body, at any depth (E31).

use std::collections::BTreeSet;

use planfuzz_core::schema::Block as SchemaBlock;
use planfuzz_core::value::Text;

use super::dynamic::PARTS;
use super::{expected_blocks, references};
use crate::config::{
    Attribute, Block, Body, ContentSchema, Form, Traversal, Written, partial_content, read_static, references_of,
    template_faults,
};
use crate::diagnostic::Diagnostic;
use crate::sources::Sources;

/// The roots in scope of the `for_each` and labels of a body's dynamic blocks: those of values, and those of all objects that any of them
/// names. Any other root that stands alone is an unknown variable (E31).
#[derive(Clone, Debug, Default)]
pub struct ExpansionRoots(BTreeSet<Text>);

impl ExpansionRoots {
    /// The roots for a body.
    pub fn of(body: &Body, schema: &SchemaBlock, sources: &Sources) -> ExpansionRoots {
        let found = expansion_references(body, schema, sources);
        let named = found.into_iter().filter(references::is_address);
        ExpansionRoots(named.map(|reference| reference.root).collect())
    }

    /// Whether a root is in scope.
    pub fn has(&self, root: &str) -> bool {
        references::names_value(root) || self.0.contains(root)
    }
}

/// The references in every `for_each` and all labels, without those to iterators.
pub fn expansion_references(body: &Body, schema: &SchemaBlock, sources: &Sources) -> Vec<Traversal> {
    let mut gathered = Gathered { sources, iterators: Vec::new(), found: Vec::new() };
    gathered.body(body, schema);
    gathered.found
}

struct Gathered<'s> {
    sources: &'s Sources,
    /// Those of the dynamic blocks around.
    iterators: Vec<Text>,
    found: Vec<Traversal>,
}

impl Gathered<'_> {
    fn body(&mut self, body: &Body, schema: &SchemaBlock) {
        let blocks = expected_blocks(schema, &[]);
        let expected = ContentSchema { attributes: &[], blocks: &blocks };
        for block in partial_content(body.clone(), expected, &mut Vec::new()).0.blocks {
            match schema.block_types.get(&block.kind.text) {
                Some(nested) => self.body(&block.body, &nested.block),
                None => self.dynamic(&block, schema),
            }
        }
    }

    fn dynamic(&mut self, block: &Block, schema: &SchemaBlock) {
        let Some(name) = block.labels.first().map(|label| &label.text) else { return };
        let (mut parts, _) = partial_content(block.body.clone(), PARTS, &mut Vec::new());
        let (for_each, labels) = (parts.take("for_each"), parts.take("labels"));
        let iterator = parts.take("iterator").and_then(|written| iterator_name(&written, self.sources).ok());
        self.expression(for_each);
        let Some(nested) = schema.block_types.get(name) else { return };
        self.iterators.push(iterator.unwrap_or_else(|| name.clone()));
        self.expression(labels);
        for content in &parts.blocks {
            self.body(&content.body, &nested.block);
        }
        self.iterators.pop();
    }

    fn expression(&mut self, written: Option<Attribute>) {
        if let Some(written) = written.filter(|written| template_faults(&written.value).is_empty()) {
            self.found.extend(outside(&written.value, &self.iterators, self.sources));
        }
    }
}

/// The references of an expression, except those to iterators.
pub(super) fn outside(written: &Written, iterators: &[Text], sources: &Sources) -> Vec<Traversal> {
    let mut found = references_of(written, sources);
    found.retain(|reference| !iterators.contains(&reference.root));
    found
}

/// The name of an iterator.
pub(super) fn iterator_name(attribute: &Attribute, sources: &Sources) -> Result<Text, Diagnostic> {
    let read = read_static(&attribute.value, sources);
    match read.keyword() {
        Some(name) => Ok(Text::new(name)),
        None => {
            let is_name = matches!(read.form, Form::Traversal(_));
            let summary = if is_name { "Invalid dynamic iterator name" } else { "Invalid expression" };
            Err(Diagnostic::error(summary, "An iterator is named by a single name.", attribute.value.start()))
        }
    }
}
