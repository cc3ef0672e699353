//! Checks dynamic blocks and what they generate (E30, E31).

use planfuzz_core::schema::{Block as SchemaBlock, NestedBlock, Nesting};
use planfuzz_core::value::{Text, Value};

use super::expansion::{iterator_name, outside};
use super::{BodyCheck, ExpandedBlock, Looked, Reported, constant, is_of_objects};
use crate::config::{
    Attribute, Block, Content, ContentSchema, Form, Written, content, read_static, references_of, template_faults,
};
use crate::diagnostic::Diagnostic;
use crate::json::JsonKind;

/// The parts of a dynamic block; labels are the last argument.
pub(super) const PARTS: ContentSchema<'static> = ContentSchema {
    attributes: &[("for_each", true), ("iterator", false), ("labels", true)],
    blocks: &[("content", &[])],
};

/// A dynamic block whose arguments are as they must be.
struct Dynamic {
    name: Text,
    iterator: Option<Result<Text, Diagnostic>>,
    for_each: Attribute,
    labels: Option<Attribute>,
    found: Content,
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

impl BodyCheck<'_, '_> {
    /// `dynamic "NAME" { … }` (E30, E31).
    pub(super) fn dynamic(
        &mut self,
        block: &Block,
        schema: &SchemaBlock,
        iterators: &mut Vec<Text>,
        expanded: &mut Vec<(Text, ExpandedBlock)>,
        open: &mut Vec<Text>,
    ) {
        let Some(label) = block.labels.first() else { return };
        let name = &label.text;
        open.push(name.clone());
        self.has_dynamic = true;
        let nested = schema.block_types.get(name);
        let is_list = schema.attributes.get(name).is_some_and(|attribute| is_of_objects(&attribute.shape));
        if nested.is_none() && !is_list && !fault!(AnyDynamic) {
            let detail = format!("Blocks of type {:?} are not expected here.", name.as_str());
            self.diagnostics.push(Diagnostic::error("Unsupported block type", detail, label.place));
            return;
        }
        // Only blocks with keys have labels.
        let has_labels = nested.is_some_and(|nested| nested.nesting == Nesting::Map);
        let arguments = ContentSchema { attributes: &PARTS.attributes[..2 + usize::from(has_labels)], ..PARTS };
        let before = self.diagnostics.len();
        let mut found = content(block.body.clone(), arguments, self.diagnostics);
        let is_wrong = self.diagnostics.len() > before;
        let iterator = found.take("iterator").map(|attribute| iterator_name(&attribute, self.sources));
        let (for_each, labels) = (found.take("for_each"), found.take("labels"));
        let Some(for_each) = for_each.filter(|_| !is_wrong) else { return };
        let faults = [&for_each].into_iter().chain(&labels).flat_map(|written| template_faults(&written.value));
        self.diagnostics.extend(faults);
        let is_unseen = self.is_unseen(&for_each.value, iterators);
        if !is_unseen && self.diagnostics.len() == before && !matches!(self.contents, Looked::AtNone) {
            let dynamic = Dynamic { iterator, labels, found, name: name.clone(), for_each };
            self.generated(dynamic, nested, iterators, expanded, open);
        }
    }

    /// What a dynamic block generates. The first thing that is wrong hides the rest: the iterator, the value of `for_each`, the number of
    /// labels, the content.
    fn generated(
        &mut self,
        dynamic: Dynamic,
        nested: Option<&NestedBlock>,
        iterators: &mut Vec<Text>,
        expanded: &mut Vec<(Text, ExpandedBlock)>,
        open: &mut Vec<Text>,
    ) {
        let Dynamic { iterator, labels, found, name, for_each } = dynamic;
        let iterator = match iterator {
            Some(Err(diagnostic)) => {
                self.diagnostics.push(diagnostic);
                return;
            }
            Some(Ok(iterator)) => iterator,
            None => name.clone(),
        };
        let before = self.diagnostics.len();
        let length = self.iterable(&for_each.value, iterators);
        if self.diagnostics.len() > before {
            return;
        }
        if let Some(diagnostic) = labels.and_then(|labels| self.misread_labels(&labels)) {
            self.diagnostics.push(diagnostic);
            return;
        }
        let content = match found.blocks.as_slice() {
            [content] => content,
            [] => {
                let detail = "A dynamic block must have a nested block of type \"content\" to describe the body of each generated block.";
                self.diagnostics.push(Diagnostic::error("Missing dynamic content block", detail, found.missing));
                return;
            }
            [_, extra, ..] => {
                let detail = "Only one nested content block is allowed for each dynamic block.";
                self.diagnostics.push(Diagnostic::error("Extraneous dynamic content block", detail, extra.kind.place));
                return;
            }
        };
        let before = self.reported();
        let times = self.times(content, length);
        let around = std::mem::replace(&mut self.around, times);
        iterators.push(iterator);
        match nested {
            _ if times == 0 => {}
            Some(nested) => self.body(&content.body, &nested.block, iterators),
            None => self.element_references(&content.body, iterators),
        }
        iterators.pop();
        self.around = around;
        self.repeat(before, times);
        if let (Some(_), Length::Known(length)) = (nested, length) {
            open.retain(|found| *found != name);
            for _ in 0..length.min(MOST_STANDING) {
                let stands = ExpandedBlock { kind: content.kind.place, missing: content.body.missing() };
                expanded.push((name.clone(), stands));
            }
        }
    }

    /// What is wrong with the number of labels.
    fn misread_labels(&self, labels: &Attribute) -> Option<Diagnostic> {
        let is_text = matches!(&labels.value, Written::Json(json) if !matches!(json.kind, JsonKind::Array(_)));
        let (summary, detail) = match read_static(&labels.value, self.sources).form {
            Form::List(all) if !is_text => match all.len() {
                0 => ("Insufficient dynamic block labels", "Not enough labels are given for the block."),
                1 => return None,
                _ => ("Extraneous dynamic block label", "More labels are given than the block has."),
            },
            _ => ("Invalid expression", "A static list of labels is required."),
        };
        Some(Diagnostic::error(summary, detail, labels.value.start()))
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

    /// Notes the names of a `for_each` or of labels if none is in scope (E31); such a dynamic block generates nothing.
    fn is_unseen(&mut self, written: &Written, iterators: &[Text]) -> bool {
        if !self.is_blind() || !template_faults(written).is_empty() {
            return false;
        }
        let found = outside(written, iterators, self.sources);
        let is_unseen = !found.is_empty();
        self.unseen.extend(found);
        is_unseen
    }

    /// Whether any `for_each` or label of the whole body refers to a missing object: they are evaluated all the same, with no names in scope.
    fn is_blind(&self) -> bool {
        self.expansion().is_blind
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
            _ if value.is_null() => {}
            ty if ty.is_primitive() => {}
            _ if value.is_unknown() => return Length::Nothing,
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
        if references_of(written, self.sources).iter().any(|reference| iterators.contains(&reference.root)) {
            return None;
        }
        values.of(written, self.diagnostics).map(|value| value.value)
    }
}
