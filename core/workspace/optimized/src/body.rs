//! Compiled bodies: a body is checked against its schema once, and evaluated to an object of the schema's own type (E28 to E31).

use std::sync::Arc;

use planfuzz_core::schema::Block as SchemaBlock;
use planfuzz_core::value::{Text, Type, Value};
use planfuzz_language::check::{Contents, ExpansionRoots};
use planfuzz_language::config::{Block, Body, ContentSchema, content};
use planfuzz_language::expression::{Marked, Marks};
use planfuzz_language_compiled::Slots;
use planfuzz_workspace::Diagnostic;

use crate::body_layout::BodyLayout;
use crate::dynamic::Dynamic;
use crate::expr::{Evaluated, Expr, Lexicon, Need, Wanted, as_errors};
use crate::nests::{Kind, Nest};

/// How deep blocks may be nested.
const MAX_DEPTH: usize = 100;

/// A compiled body.
#[derive(Debug)]
pub struct BodyProgram {
    /// What its schema says.
    layout: Arc<BodyLayout>,
    /// What is written for each argument.
    arguments: Vec<Option<Expr>>,
    /// Nested blocks as they are written.
    blocks: Vec<Nested>,
    /// The errors that do not depend on values.
    wrong: Vec<Diagnostic>,
    /// The whole value, if nothing is left to evaluate.
    constant: Option<Marked>,
}

#[derive(Debug)]
enum Nested {
    Plain { kind: usize, key: Option<Text>, body: BodyProgram },
    Dynamic(Box<Dynamic>),
    Wrong(Vec<Diagnostic>),
}

/// How a body is evaluated.
#[derive(Clone, Copy)]
pub struct Reading {
    /// The marks of every written argument.
    pub marks: Marks,
    /// Whether only is known what is written in it (E31): its arguments are unknown.
    pub is_template: bool,
}

impl Reading {
    const PLAIN: Reading = Reading { marks: Marks::NONE, is_template: false };

    /// How a written block in such a body is evaluated: only templates hand their marks on.
    fn of_written(self) -> Reading {
        if self.is_template { self } else { Reading::PLAIN }
    }
}

impl BodyProgram {
    /// Compiles a body.
    pub fn compile(lexicon: Lexicon<'_>, body: &Body, schema: &SchemaBlock, layout: &Arc<BodyLayout>) -> BodyProgram {
        // A type without nested blocks has no dynamic ones.
        let may_expand = !schema.block_types.is_empty();
        let roots = may_expand.then(|| ExpansionRoots::of(body, schema, lexicon.sources));
        let mut program = compile(Lexicon { expansion: roots.as_ref(), ..lexicon }, body, layout, 0);
        program.constant = program.is_constant().then(|| program.value(&mut Slots::default()).ok()).flatten();
        program
    }

    /// The value, given filled slots for all needs.
    pub fn evaluate(&self, slots: &mut Slots) -> Evaluated {
        match &self.constant {
            Some(value) => Ok(value.clone()),
            None => self.value(slots),
        }
    }

    /// The value, with the type that values of the body share, so that no attribute is looked up by its name.
    fn value(&self, slots: &mut Slots) -> Evaluated {
        let parts = self.parts(slots, Reading::PLAIN, &mut Contents::new())?;
        let layout = &self.layout;
        let shared = if layout.is_fixed { Some(&layout.ty) } else { layout.first_type.get() };
        let Some(ty) = shared.filter(|ty| layout.is_fixed || fits(ty, &layout.places, &parts)) else {
            let made = self.object(parts);
            // Another body may have set the type first; then that one stays.
            layout.first_type.get_or_init(|| made.value.ty().clone());
            return Ok(made);
        };
        let mut parts: Vec<Option<Marked>> = parts.into_iter().map(Some).collect();
        // Each place is taken once: the attributes of a type have different names.
        Ok(Marked::object_of(ty, layout.places.iter().filter_map(|&place| parts[place].take()).collect()))
    }

    /// How often the content of each dynamic block is evaluated.
    pub fn contents(&self, slots: &mut Slots) -> Contents {
        let mut contents = Contents::new();
        if self.has_dynamic() {
            // The value does not matter.
            drop(self.parts(slots, Reading::PLAIN, &mut contents));
        }
        contents
    }

    /// Whether it has a dynamic block, at any depth.
    pub fn has_dynamic(&self) -> bool {
        self.blocks.iter().any(|nested| match nested {
            Nested::Plain { body, .. } => body.has_dynamic(),
            Nested::Dynamic(_) => true,
            Nested::Wrong(_) => false,
        })
    }

    /// All needs of its expressions.
    pub fn needs(&self, found: &mut Vec<Need>) {
        let mut add = |expr: &Expr| found.extend(expr.needs());
        self.arguments.iter().flatten().for_each(&mut add);
        for nested in &self.blocks {
            match nested {
                Nested::Plain { body, .. } => body.needs(found),
                Nested::Dynamic(dynamic) => {
                    found.extend(dynamic.needs());
                    dynamic.bodies().for_each(|body| body.needs(found));
                }
                Nested::Wrong(_) => {}
            }
        }
    }

    /// Whether nothing is left to evaluate.
    fn is_constant(&self) -> bool {
        self.arguments.iter().flatten().all(|expr| expr.constant().is_some())
            && self.blocks.iter().all(|one| matches!(one, Nested::Plain { body, .. } if body.is_constant()))
    }

    /// The value of a nested body.
    pub fn made(&self, slots: &mut Slots, reading: Reading, contents: &mut Contents) -> Evaluated {
        Ok(self.object(self.parts(slots, reading, contents)?))
    }

    fn object(&self, parts: Vec<Marked>) -> Marked {
        Marked::object(self.layout.names().cloned().zip(parts).collect())
    }

    /// The values of arguments, followed by those of nested blocks; the diagnostics of both if there are any.
    fn parts(&self, slots: &mut Slots, reading: Reading, contents: &mut Contents) -> Evaluated<Vec<Marked>> {
        let mut diagnostics = self.wrong.clone();
        let BodyLayout { arguments, kinds, .. } = &*self.layout;
        let mut parts: Vec<Marked> = Vec::with_capacity(arguments.len() + kinds.len());
        for (of, written) in arguments.iter().zip(&self.arguments) {
            match argument(&of.ty, written.as_ref(), slots, reading) {
                Ok(value) => parts.push(value),
                Err(found) => diagnostics.extend(found),
            }
        }
        let mut nests: Vec<Nest> = kinds.iter().map(|_| Nest::default()).collect();
        for nested in &self.blocks {
            if let Err(found) = nested.stand(slots, reading, (kinds, &mut nests), contents) {
                diagnostics.extend(found);
            }
        }
        for (kind, nest) in kinds.iter().zip(nests) {
            match kind.collect(nest) {
                Ok(value) => parts.push(value),
                Err(found) => diagnostics.extend(found),
            }
        }
        if diagnostics.is_empty() { Ok(parts) } else { Err(diagnostics) }
    }
}

/// The value of an argument of this type.
fn argument(ty: &Type, written: Option<&Expr>, slots: &Slots, reading: Reading) -> Evaluated {
    let Some(written) = written else { return Ok(Value::null(ty.clone()).into()) };
    let value = match reading.is_template {
        true => Ok(Value::unknown(ty.clone()).into()),
        false => written.converted(slots, Wanted { ty, otherwise: "Incorrect attribute value type" }),
    };
    if reading.marks == Marks::NONE { value } else { value.map(|value| value.with(reading.marks)) }
}

/// Whether parts are those of a type whose attributes have these places.
fn fits(ty: &Type, places: &[usize], parts: &[Marked]) -> bool {
    let attributes = ty.as_object().map_or(&[][..], |object| object.attributes());
    attributes.iter().zip(places).all(|(attribute, &place)| attribute.ty == *parts[place].value.ty())
}

/// Compiles a body within so many others.
pub fn compile(lexicon: Lexicon<'_>, body: &Body, layout: &Arc<BodyLayout>, depth: usize) -> BodyProgram {
    let program =
        |arguments, blocks, wrong| BodyProgram { layout: layout.clone(), arguments, blocks, wrong, constant: None };
    if depth > MAX_DEPTH {
        let nothing = layout.arguments.iter().map(|_| None).collect();
        return program(nothing, Vec::new(), vec![Diagnostic::error("Blocks are nested too deeply")]);
    }
    let attributes: Vec<(&str, bool)> =
        layout.arguments.iter().map(|argument| (argument.name.as_str(), argument.is_required)).collect();
    let labels = |kind: &Kind| -> &'static [&'static str] { if kind.has_keys() { &["key"] } else { &[] } };
    let mut blocks: Vec<(&str, &[&str])> = layout.kinds.iter().map(|kind| (kind.name.as_str(), labels(kind))).collect();
    blocks.push(("dynamic", &["type"]));
    let mut found = Vec::new();
    let mut contents = content(body.clone(), ContentSchema { attributes: &attributes, blocks: &blocks }, &mut found);
    let arguments = layout.arguments.iter().map(|argument| {
        let written = contents.take(&argument.name);
        written.map(|written| lexicon.compile(&written.value))
    });
    let arguments = arguments.collect();
    let blocks = contents.blocks.iter().map(|block| nested(lexicon, block, layout, depth)).collect();
    program(arguments, blocks, as_errors(found))
}

fn nested(lexicon: Lexicon<'_>, written: &Block, layout: &BodyLayout, depth: usize) -> Nested {
    if let Some(kind) = layout.kind(&written.kind.text) {
        let key = written.labels.first().map(|label| label.text.clone());
        return Nested::Plain {
            kind,
            key,
            body: compile(lexicon, &written.body, &layout.kinds[kind].layout, depth + 1),
        };
    }
    let Some(name) = written.labels.first().map(|label| &label.text) else { return Nested::Wrong(Vec::new()) };
    let Some(kind) = layout.kind(name) else {
        return Nested::Wrong(vec![Diagnostic::error("Unsupported block type")]);
    };
    match Dynamic::compile(lexicon, written, (&layout.kinds[kind], kind), depth) {
        Ok(dynamic) => Nested::Dynamic(Box::new(dynamic)),
        Err(wrong) => Nested::Wrong(wrong),
    }
}

impl Nested {
    /// Evaluates a block, or all blocks that a dynamic one generates.
    fn stand(
        &self,
        slots: &mut Slots,
        reading: Reading,
        (kinds, nests): (&[Kind], &mut [Nest]),
        contents: &mut Contents,
    ) -> Evaluated<()> {
        match self {
            Nested::Wrong(diagnostics) if diagnostics.is_empty() => Ok(()),
            Nested::Wrong(diagnostics) => Err(diagnostics.clone()),
            Nested::Plain { kind, key, body } => {
                let value = body.made(slots, reading.of_written(), contents);
                nests[*kind].add(&kinds[*kind], key.clone(), reading.is_template, value)
            }
            Nested::Dynamic(dynamic) => {
                let (kind, nest) = (&kinds[dynamic.kind], &mut nests[dynamic.kind]);
                dynamic.stand(slots, reading, (kind, nest), contents)
            }
        }
    }
}

/// An object of nulls.
pub fn nulls(ty: &Type) -> Marked {
    let members = ty.as_object().map(|object| {
        let attributes = object.attributes().iter();
        attributes.map(|attribute| (attribute.name.clone(), Value::null(attribute.ty.clone()))).collect()
    });
    members.map_or_else(|| Value::null(ty.clone()), Value::object).into()
}
