//! Dynamic blocks: their parts, and what they repeat (E30, E31).
//!
//! What is wrong with one is found in this order, and hides the rest: its arguments, the iterator, the value of `for_each`, the number of
//! labels, the content. Values that `for_each` and labels name and that do not exist are reported of the whole body, and are unknown here.

use planfuzz_core::schema::{NestedBlock, Nesting};
use planfuzz_core::value::{Number, Text, Type, Value};
use planfuzz_language::Sources;
use planfuzz_language::config::{Attribute, Block, ContentSchema, Form, Written, content, read_static};
use planfuzz_language::expression::{Scope, Surroundings};
use planfuzz_language::json::JsonKind;
use planfuzz_workspace::Diagnostic;

use crate::evaluation::{Evaluated, Evaluation, Marked, Marks};
use crate::reference_faults::{WithMissing, unknown_variables};
use crate::values::At;

/// A dynamic block whose arguments are as they must be.
pub struct Dynamic {
    /// The name of the iterator.
    pub iterator: Text,
    for_each: Attribute,
    labels: Option<Attribute>,
    contents: Vec<Block>,
}

/// What a dynamic block repeats.
pub struct Expanded<'d> {
    /// A value of the iterator for each block; `None` where their number is not known.
    pub elements: Option<Vec<Marked>>,
    /// The marks of the arguments of these blocks.
    pub marks: Marks,
    /// What is written in each of them.
    pub content: &'d Block,
}

fn error<T>(summary: &str) -> Evaluated<T> {
    Err(vec![Diagnostic::error(summary)])
}

impl Dynamic {
    /// The parts of a dynamic block for blocks of this name and type.
    pub fn read(written: &Block, (name, of): (&Text, &NestedBlock), sources: &Sources) -> Evaluated<Dynamic> {
        let has_labels = of.nesting == Nesting::Map;
        let attributes: &[(&str, bool)] = &[("for_each", true), ("iterator", false), ("labels", true)];
        let schema =
            ContentSchema { attributes: &attributes[..if has_labels { 3 } else { 2 }], blocks: &[("content", &[])] };
        let mut wrong = Vec::new();
        let mut found = content(written.body.clone(), schema, &mut wrong);
        let (iterator, for_each, labels) = (found.take("iterator"), found.take("for_each"), found.take("labels"));
        let Some(for_each) = for_each.filter(|_| wrong.is_empty()) else {
            return Err(wrong.into_iter().map(|one| Diagnostic::error(one.summary)).collect());
        };
        let iterator = match iterator {
            None => name.clone(),
            Some(written) => iterator_name(&written, sources)?,
        };
        Ok(Dynamic { iterator, for_each, labels, contents: found.blocks })
    }

    /// What it repeats.
    pub fn expanded(&self, evaluation: Evaluation<'_>, at: &At<'_, '_>) -> Evaluated<Expanded<'_>> {
        let collection = evaluation.written(&self.for_each.value, &InExpansion(at)).map_err(unknown_variables)?;
        let (collection, marks) = collection.open();
        if collection.value.is_null() || collection.ty().is_primitive() {
            return error("Invalid dynamic for_each value");
        }
        self.check_labels(evaluation.sources)?;
        let content = match self.contents.as_slice() {
            [] => return error("Missing dynamic content block"),
            [content] => content,
            _ => return error("Extraneous dynamic content block"),
        };
        let elements = (!collection.value.is_unknown()).then(|| elements(&collection));
        Ok(Expanded { elements, marks, content })
    }

    /// Blocks of a map have one label, and how many are written is seen without a value.
    fn check_labels(&self, sources: &Sources) -> Evaluated<()> {
        let Some(labels) = &self.labels else { return Ok(()) };
        let is_text = matches!(&labels.value, Written::Json(json) if !matches!(json.kind, JsonKind::Array(_)));
        match read_static(&labels.value, sources).form {
            Form::List(all) if !is_text => match all.len() {
                0 => error("Insufficient dynamic block labels"),
                1 => Ok(()),
                _ => error("Extraneous dynamic block label"),
            },
            _ => error("Invalid expression"),
        }
    }

    /// The label of the block of the element that the iterator stands for.
    pub fn label(&self, evaluation: Evaluation<'_>, at: &At<'_, '_>) -> Evaluated<Option<Text>> {
        let Some(labels) = &self.labels else { return Ok(None) };
        let label = evaluation
            .written(&labels.value, &InExpansion(at))
            .map_err(unknown_variables)?
            .parts()
            .into_iter()
            .next()
            .filter(|one| one.marks.is_empty());
        let text = label.and_then(|label| label.convert(&Type::String));
        match text.as_ref().and_then(|text| text.value.view().as_text()) {
            Some(text) => Ok(Some(text.clone())),
            None => error("Invalid dynamic block label"),
        }
    }
}

/// E31: the scope of `for_each` and labels. Missing values are unknown, and so is a root in scope that stands alone: the static check has
/// reported them.
struct InExpansion<'a, 'at, 'w>(&'a At<'at, 'w>);

impl Scope for InExpansion<'_, '_, '_> {
    fn value(&self, root: &str, attribute: Option<&str>) -> Option<(Marked, bool)> {
        let InExpansion(at) = self;
        let is_in_scope = || attribute.is_none() && at.expansion.has(root);
        let unknown = || (Value::unknown(Type::Dynamic).into(), false);
        WithMissing(*at).value(root, attribute).or_else(|| is_in_scope().then(unknown))
    }

    fn surroundings(&self) -> Surroundings {
        self.0.surroundings()
    }
}

fn iterator_name(written: &Attribute, sources: &Sources) -> Evaluated<Text> {
    let read = read_static(&written.value, sources);
    match (read.keyword(), &read.form) {
        (Some(name), _) => Ok(Text::new(name)),
        (None, Form::Traversal(_)) => error("Invalid dynamic iterator name"),
        _ => error("Invalid expression"),
    }
}

/// The value of an iterator of which nothing is known.
pub fn unknown_element() -> Marked {
    let unknown: Marked = Value::unknown(Type::Dynamic).into();
    Marked::object(vec![("key".into(), unknown.clone()), ("value".into(), unknown)])
}

/// The values of an iterator over a collection (E30).
fn elements(collection: &Marked) -> Vec<Marked> {
    let keys = collection.keys();
    let is_set = matches!(collection.ty(), Type::Set(_));
    let element = |(index, value): (usize, Marked)| {
        let key = match keys.get(index) {
            Some(key) => Value::string(key).into(),
            None if is_set => value.clone(),
            None => Value::number(Number::counted(index as u64)).into(),
        };
        Marked::object(vec![("key".into(), key), ("value".into(), value)])
    };
    collection.parts().into_iter().enumerate().map(element).collect()
}
