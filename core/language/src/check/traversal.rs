//! Checks the steps after an object against its schema (E66, LD04).
//!
//! Problem: a missing attribute is reported before anything is evaluated. Idea: the steps are followed as if the value were unknown.
//! Guarantee: only the first step that fails is reported; after a value without a type any step is possible.

use planfuzz_core::schema::{Attribute, AttributePlace, Block, NestedBlock, NestedType, Nesting, Shape};
use planfuzz_core::value::{self, Number, Type, Value};

use crate::config::{Step, StepKind, Traversal};
use crate::diagnostic::Diagnostic;

/// What the steps so far lead to.
#[derive(Clone, Copy)]
enum Reached<'s> {
    Anything,
    Block(&'s Block),
    Blocks(&'s NestedBlock),
    Object(&'s NestedType),
    Objects(&'s NestedType),
    Type(&'s Type),
}

const NO_SUCH_NAME: &str = "Unsupported attribute";
const NO_SUCH_INDEX: &str = "Invalid index";
const SET: &str = "Cannot index a set value";

/// Follows the steps after an object with a schema.
pub(super) fn follow(steps: &[Step], block: &Block, diagnostics: &mut Vec<Diagnostic>) {
    let mut reached = Reached::Block(block);
    for step in steps {
        let next = match &step.kind {
            StepKind::Attribute(name) => reached.name(name),
            StepKind::Index(key) => reached.index(key),
        };
        match next {
            Ok(next) => reached = next,
            Err(summary) => return diagnostics.push(Diagnostic::error(summary, detail(&step.kind), step.place)),
        }
    }
}

/// LD04: the diagnostics of the entries of `ignore_changes`: of those that lead nowhere, and, as long as there are none, of those that only
/// the provider decides.
pub(super) fn ignored(entries: &[Traversal], block: &Block) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for entry in entries {
        let place = entry.place.part(0, entry.root.len());
        let root = Step { kind: StepKind::Attribute(entry.root.clone()), place };
        let steps: Vec<Step> = std::iter::once(root).chain(entry.steps.iter().cloned()).collect();
        follow(&steps, block, &mut diagnostics);
        let is_computed = |attribute: &Attribute| attribute.computed && !attribute.optional;
        if !diagnostics.iter().any(Diagnostic::is_error) && attribute_at(&steps, block).is_some_and(is_computed) {
            let detail = "The provider alone decides what this attribute has; its changes cannot be ignored.";
            diagnostics.push(Diagnostic::warning("Redundant ignore_changes element", detail, entry.place));
        }
    }
    diagnostics
}

/// The attribute whose path this is (S60).
fn attribute_at<'s>(steps: &[Step], block: &'s Block) -> Option<&'s Attribute> {
    let step = |step: &Step| match &step.kind {
        StepKind::Attribute(name) => value::Step::Attribute(name.clone()),
        StepKind::Index(_) => value::Step::Index(0),
    };
    steps.iter().map(step).fold(AttributePlace::in_block(block), |place, step| place.step(&step)).attribute()
}

fn detail(step: &StepKind) -> String {
    match step {
        StepKind::Attribute(name) => {
            format!("This object has no argument, nested block, or exported attribute named {:?}.", name.as_str())
        }
        StepKind::Index(_) => "This value does not have any indices.".to_owned(),
    }
}

impl<'s> Reached<'s> {
    fn name(self, name: &str) -> Result<Reached<'s>, &'static str> {
        let found = match self {
            Reached::Anything | Reached::Type(Type::Dynamic) => Some(Reached::Anything),
            Reached::Block(block) => {
                let attribute = block.attributes.get(name).map(Reached::attribute);
                attribute.or_else(|| block.block_types.get(name).map(Reached::blocks))
            }
            Reached::Blocks(nested) => match nested.nesting {
                Nesting::Map => Some(Reached::Block(&nested.block)),
                Nesting::Set => return Err(SET),
                _ => return Err("Invalid operation"),
            },
            Reached::Object(nested) => nested.attributes.get(name).map(Reached::attribute),
            Reached::Objects(nested) => (nested.nesting == Nesting::Map).then_some(Reached::Object(nested)),
            Reached::Type(Type::Object(object)) => object.attribute_type(name).map(Reached::Type),
            Reached::Type(Type::Map(element)) => Some(Reached::Type(element)),
            Reached::Type(_) => None,
        };
        found.ok_or(NO_SUCH_NAME)
    }

    fn index(self, key: &Value) -> Result<Reached<'s>, &'static str> {
        let found = match self {
            Reached::Anything | Reached::Object(_) => Some(Reached::Anything),
            Reached::Type(Type::Dynamic | Type::Object(_) | Type::Tuple(_)) => Some(Reached::Anything),
            Reached::Block(_) => return Err("Invalid index operation"),
            Reached::Blocks(nested) if nested.nesting == Nesting::Set => return Err(SET),
            Reached::Blocks(nested) => Some(Reached::Block(&nested.block)),
            Reached::Objects(nested) => match nested.nesting {
                Nesting::Map => Some(Reached::Object(nested)),
                Nesting::List => is_number(key).then_some(Reached::Object(nested)),
                _ => None,
            },
            Reached::Type(Type::List(element)) => is_number(key).then_some(Reached::Type(element)),
            Reached::Type(Type::Map(element)) => Some(Reached::Type(element)),
            Reached::Type(_) => None,
        };
        found.ok_or(NO_SUCH_INDEX)
    }

    fn attribute(attribute: &'s Attribute) -> Reached<'s> {
        match &attribute.shape {
            Shape::Leaf(ty) => Reached::Type(ty),
            Shape::Nested(nested) if nested.nesting == Nesting::Single => Reached::Object(nested),
            Shape::Nested(nested) => Reached::Objects(nested),
        }
    }

    fn blocks(nested: &'s NestedBlock) -> Reached<'s> {
        match nested.nesting {
            Nesting::Single | Nesting::Group => Reached::Block(&nested.block),
            Nesting::List | Nesting::Set | Nesting::Map => Reached::Blocks(nested),
        }
    }
}

/// Whether a key is a number, or a text of one.
fn is_number(key: &Value) -> bool {
    key.ty() == &Type::Number || key.view().as_text().is_some_and(|text| Number::parse(text).is_ok())
}
