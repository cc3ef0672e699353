//! Compiled dynamic blocks (E30, E31): what is wrong with the text of one is found once, and waits for the value of `for_each` where an
//! engine looks at that first.

use planfuzz_core::value::{Number, Text, Type, Value};
use planfuzz_language::SourcePlace;
use planfuzz_language::check::{Contents, is_address};
use planfuzz_language::config::{Attribute, Block, ContentSchema, Form, Written, content, read_static, references_of};
use planfuzz_language::expression::Marked;
use planfuzz_language::json::JsonKind;
use planfuzz_language_compiled::{Names, Slots};
use planfuzz_workspace::Diagnostic;

use crate::body::{BodyProgram, Reading, compile};
use crate::compiling::add_missing;
use crate::expr::{Evaluated, Expr, Lexicon, Need, as_errors};
use crate::nests::{Kind, Nest};

/// A dynamic block.
#[derive(Debug)]
pub struct Dynamic {
    /// The place of its type among those of the body around it.
    pub kind: usize,
    for_each: Expr,
    iterator: usize,
    labels: Option<Expr>,
    /// What each generated block is, or the error in the place of all of them.
    content: Result<Content, &'static str>,
}

#[derive(Debug)]
struct Content {
    body: BodyProgram,
    /// Where it is written.
    place: SourcePlace,
}

impl Dynamic {
    /// Compiles a dynamic block for blocks of a type with this place among the types.
    pub fn compile(
        lexicon: Lexicon<'_>,
        written: &Block,
        (of, kind): (&Kind, usize),
        depth: usize,
    ) -> Evaluated<Dynamic> {
        let plain: &[(&str, bool)] = &[("for_each", true), ("iterator", false)];
        let with_labels: &[(&str, bool)] = &[("for_each", true), ("iterator", false), ("labels", true)];
        let attributes = if of.has_keys() { with_labels } else { plain };
        let mut wrong = Vec::new();
        let expected = ContentSchema { attributes, blocks: &[("content", &[])] };
        let mut found = content(written.body.clone(), expected, &mut wrong);
        let (for_each, iterator, labels) = (found.take("for_each"), found.take("iterator"), found.take("labels"));
        let (true, Some(for_each)) = (wrong.is_empty(), for_each) else { return Err(as_errors(wrong)) };
        let iterator = match iterator.map(|one| iterator_name(lexicon, &one)) {
            None => of.name.clone(),
            Some(Ok(name)) => name,
            Some(Err(summary)) => return Err(vec![Diagnostic::error(summary)]),
        };
        // Values that `for_each` and labels name and that do not exist are reported elsewhere, and unknown here (E31).
        let mut names: Names = lexicon.names.clone();
        let compiled = compile_expansion(lexicon, &mut names, &for_each.value);
        let iterator = names.slot(&iterator, None);
        let misread = labels.as_ref().and_then(|labels| misread_labels(lexicon, labels));
        let content = match (misread, found.blocks.as_slice()) {
            (Some(summary), _) => Err(summary),
            (None, []) => Err("Missing dynamic content block"),
            (None, [one]) => {
                let inner = Lexicon { names: &names, ..lexicon };
                Ok(Content { body: compile(inner, &one.body, &of.layout, depth + 1), place: one.kind.place })
            }
            (None, _) => Err("Extraneous dynamic content block"),
        };
        let labels = labels.map(|labels| compile_expansion(lexicon, &mut names, &labels.value));
        Ok(Dynamic { kind, for_each: compiled, iterator, labels, content })
    }

    /// The needs of its own expressions.
    pub fn needs(&self) -> impl Iterator<Item = Need> {
        self.for_each.needs().into_iter().chain(self.labels.iter().flat_map(Expr::needs))
    }

    /// The body of the blocks that it generates.
    pub fn bodies(&self) -> impl Iterator<Item = &BodyProgram> {
        self.content.iter().map(|content| &content.body)
    }

    /// The blocks of all elements. The slot of the iterator is empty afterwards: names that are missing elsewhere have it too (E151a).
    pub fn stand(
        &self,
        slots: &mut Slots,
        reading: Reading,
        nest: (&Kind, &mut Nest),
        contents: &mut Contents,
    ) -> Evaluated<()> {
        let made = self.each_element(slots, reading, nest, contents);
        slots.clear(self.iterator);
        made
    }

    fn each_element(
        &self,
        slots: &mut Slots,
        reading: Reading,
        (kind, nest): (&Kind, &mut Nest),
        contents: &mut Contents,
    ) -> Evaluated<()> {
        let (collection, marks) = self.for_each.evaluate(slots)?.open();
        if collection.value.is_null() || collection.ty().is_primitive() {
            return Err(vec![Diagnostic::error("Invalid dynamic for_each value")]);
        }
        let is_unknown = collection.value.is_unknown();
        let content = self.content.as_ref().map_err(|summary| vec![Diagnostic::error(*summary)])?;
        let reading = match reading.is_template {
            // The outermost template gives the marks.
            true => reading,
            false => Reading { marks, is_template: is_unknown },
        };
        let elements = if is_unknown { vec![unknown_element()] } else { elements(&collection) };
        if !reading.is_template {
            let count = if fault!(ContentsOnce) { elements.len().min(1) } else { elements.len() };
            *contents.entry(content.place).or_default() += count;
        }
        let mut diagnostics = Vec::new();
        for element in elements {
            slots.set(self.iterator, element);
            // Each element is reported on its own; one without a label is no block.
            let label = self.label(slots);
            let value = content.body.made(slots, reading, contents);
            let added = label.and_then(|key| nest.add(kind, key, reading.is_template, value));
            diagnostics.extend(added.err().into_iter().flatten());
        }
        if diagnostics.is_empty() { Ok(()) } else { Err(diagnostics) }
    }

    /// The label of a generated block, if its type has keys: a known text without marks.
    fn label(&self, slots: &mut Slots) -> Evaluated<Option<Text>> {
        let Some(labels) = &self.labels else { return Ok(None) };
        let labels = labels.evaluate(slots)?;
        let text = match labels.parts().as_slice() {
            [label] if label.marks.is_empty() => label.convert(&Type::String),
            _ => None,
        };
        match text.as_ref().and_then(|text| text.value.view().as_text()) {
            Some(text) => Ok(Some(text.clone())),
            None => Err(vec![Diagnostic::error("Invalid dynamic block label")]),
        }
    }
}

/// Compiles a `for_each` or labels. A root that stands alone is a name only if it is in scope: then its value is unknown, as the static check
/// reports it (E31).
fn compile_expansion(lexicon: Lexicon<'_>, names: &mut Names, written: &Written) -> Expr {
    let references = references_of(written, lexicon.sources);
    add_missing(names, &references);
    let mut seen = names.clone();
    for alone in references.iter().filter(|reference| !is_address(reference) && !names.is_value(&reference.root)) {
        match lexicon.expansion.is_some_and(|roots| roots.has(&alone.root)) {
            true => drop(seen.slot(&alone.root, None)),
            false => seen.forget(&alone.root),
        }
    }
    Lexicon { names: &seen, ..lexicon }.compile(written)
}

fn iterator_name(lexicon: Lexicon<'_>, written: &Attribute) -> Result<Text, &'static str> {
    let read = read_static(&written.value, lexicon.sources);
    match read.keyword() {
        Some(name) => Ok(Text::new(name)),
        None if matches!(read.form, Form::Traversal(_)) => Err("Invalid dynamic iterator name"),
        None => Err("Invalid expression"),
    }
}

/// What is wrong with the number of labels, which is seen without their values.
fn misread_labels(lexicon: Lexicon<'_>, written: &Attribute) -> Option<&'static str> {
    let count = match &written.value {
        Written::Json(json) => match &json.kind {
            JsonKind::Array(all) => all.len(),
            _ => return Some("Invalid expression"),
        },
        Written::Native(_) => match read_static(&written.value, lexicon.sources).form {
            Form::List(all) => all.len(),
            _ => return Some("Invalid expression"),
        },
    };
    match count {
        0 => Some("Insufficient dynamic block labels"),
        1 => None,
        _ => Some("Extraneous dynamic block label"),
    }
}

fn unknown_element() -> Marked {
    let unknown = || Marked::from(Value::unknown(Type::Dynamic));
    Marked::object(vec![("key".into(), unknown()), ("value".into(), unknown())])
}

/// The values of the iterator over a collection.
fn elements(collection: &Marked) -> Vec<Marked> {
    let (keys, is_set) = (collection.keys(), matches!(collection.ty(), Type::Set(_)));
    let parts = collection.parts().into_iter().enumerate();
    let element = |(index, value): (usize, Marked)| {
        let key = match keys.get(index) {
            Some(key) => Value::string(key).into(),
            None if is_set => value.clone(),
            None => Value::number(Number::counted(index as u64)).into(),
        };
        Marked::object(vec![("key".into(), key), ("value".into(), value)])
    };
    parts.map(element).collect()
}
