//! Compiled bodies: a body is checked against its schema once, and evaluated to an object of the schema's own type (E28 to E31).

use std::collections::HashMap;
use std::sync::OnceLock;

use planfuzz_core::schema::{Block as SchemaBlock, NestedBlock, Nesting};
use planfuzz_core::value::{Text, Type, Value};
use planfuzz_language::check::{Contents, ExpansionRoots};
use planfuzz_language::config::{Block, Body, ContentSchema, content};
use planfuzz_language::expression::{Marked, Marks};
use planfuzz_language_compiled::Slots;
use planfuzz_workspace::Diagnostic;

use crate::dynamic::Dynamic;
use crate::expr::{Evaluated, Expr, Lexicon, Need, Wanted, as_errors};
use crate::nests::{Kind, Nest};

/// How deep blocks may be nested.
const MAX_DEPTH: usize = 100;

/// A compiled body.
#[derive(Debug)]
pub struct BodyProgram {
    /// The arguments of the schema in its order, with the written expressions.
    arguments: Vec<Argument>,
    /// Nested blocks as they are written.
    blocks: Vec<Nested>,
    /// The types of nested blocks, in the order of the schema.
    kinds: Vec<Kind>,
    /// The errors that do not depend on values.
    wrong: Vec<Diagnostic>,
    /// The whole value, if nothing is left to evaluate.
    constant: Option<Marked>,
    /// The type of its values; `None` for nested bodies.
    shared: Option<Shared>,
}

/// The type of the values of a body, which they share, so that no attribute is looked up by its name. Without dynamic parts every argument
/// is converted to it; otherwise it is the type of the first value, and other values may have another one.
#[derive(Debug)]
struct Shared {
    is_fixed: bool,
    ty: OnceLock<Type>,
    /// The place of each of its attributes among the arguments, followed by the nested blocks. If an argument and a block have the same
    /// name, the block counts (S16).
    places: Vec<usize>,
}

#[derive(Debug)]
struct Argument {
    name: Text,
    ty: Type,
    written: Option<Expr>,
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
    pub fn compile(lexicon: Lexicon<'_>, body: &Body, schema: &SchemaBlock) -> BodyProgram {
        // A type without nested blocks has no dynamic ones.
        let may_expand = !schema.block_types.is_empty();
        let roots = may_expand.then(|| ExpansionRoots::of(body, schema, lexicon.sources));
        let mut program = compile(Lexicon { expansion: roots.as_ref(), ..lexicon }, body, schema, 0);
        program.shared = program.shared_type(schema.implied_type(lexicon.dialect));
        program.constant = program.folded().map(|value| program.typed(value));
        program
    }

    /// The value, given filled slots for all needs.
    pub fn evaluate(&self, slots: &mut Slots) -> Evaluated {
        match &self.constant {
            Some(value) => Ok(value.clone()),
            None => match &self.shared {
                Some(shared) => {
                    let parts = self.parts(slots, Reading::PLAIN, &mut Contents::new());
                    parts.map(|parts| shared.object(parts, || self.names().cloned().collect()))
                }
                None => self.made(slots, Reading::PLAIN, &mut Contents::new()),
            },
        }
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

    fn shared_type(&self, ty: Type) -> Option<Shared> {
        let names: Vec<&Text> = self.names().collect();
        let place = |name: &Text| names.iter().rposition(|known| *known == name);
        let places =
            ty.as_object()?.attributes().iter().map(|attribute| place(&attribute.name)).collect::<Option<_>>()?;
        let is_fixed = !ty.has_dynamic();
        Some(Shared { is_fixed, ty: if is_fixed { ty.into() } else { OnceLock::new() }, places })
    }

    /// The names of arguments and nested blocks, in the order of [`BodyProgram::parts`].
    fn names(&self) -> impl Iterator<Item = &Text> {
        self.arguments.iter().map(|argument| &argument.name).chain(self.kinds.iter().map(|kind| &kind.name))
    }

    fn typed(&self, value: Marked) -> Marked {
        match self.shared.as_ref().filter(|shared| shared.is_fixed).and_then(|shared| shared.ty.get()) {
            Some(ty) => Marked { value: Value::from_parts(ty.clone(), value.value.node().clone()), marks: value.marks },
            None => value,
        }
    }

    /// All needs of its expressions.
    pub fn needs(&self, found: &mut Vec<Need>) {
        let mut add = |expr: &Expr| found.extend(expr.needs());
        self.arguments.iter().filter_map(|argument| argument.written.as_ref()).for_each(&mut add);
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

    /// The constant value, if nothing is left to evaluate.
    fn folded(&self) -> Option<Marked> {
        let is_constant =
            self.arguments.iter().all(|one| one.written.as_ref().is_none_or(|expr| expr.constant().is_some()))
                && self.blocks.iter().all(|one| matches!(one, Nested::Plain { body, .. } if body.folded().is_some()));
        is_constant.then(|| self.made(&mut Slots::default(), Reading::PLAIN, &mut Contents::new()).ok()).flatten()
    }

    pub fn made(&self, slots: &mut Slots, reading: Reading, contents: &mut Contents) -> Evaluated {
        Ok(self.object(self.parts(slots, reading, contents)?))
    }

    fn object(&self, parts: Vec<Marked>) -> Marked {
        Marked::object(self.names().cloned().zip(parts).collect())
    }

    /// The values of arguments, followed by those of nested blocks; the diagnostics of both if there are any.
    fn parts(&self, slots: &mut Slots, reading: Reading, contents: &mut Contents) -> Evaluated<Vec<Marked>> {
        let mut diagnostics = self.wrong.clone();
        let mut parts: Vec<Marked> = Vec::with_capacity(self.arguments.len() + self.kinds.len());
        for argument in &self.arguments {
            match argument.value(slots, reading) {
                Ok(value) => parts.push(value),
                Err(found) => diagnostics.extend(found),
            }
        }
        let mut nests: Vec<Nest> = self.kinds.iter().map(|_| Nest::default()).collect();
        for nested in &self.blocks {
            if let Err(found) = nested.stand(slots, reading, (&self.kinds, &mut nests), contents) {
                diagnostics.extend(found);
            }
        }
        for (kind, nest) in self.kinds.iter().zip(nests) {
            match kind.collect(nest) {
                Ok(value) => parts.push(value),
                Err(found) => diagnostics.extend(found),
            }
        }
        if diagnostics.is_empty() { Ok(parts) } else { Err(diagnostics) }
    }
}

impl Argument {
    fn value(&self, slots: &Slots, reading: Reading) -> Evaluated {
        let Some(written) = &self.written else { return Ok(Value::null(self.ty.clone()).into()) };
        let value = match reading.is_template {
            true => Ok(Value::unknown(self.ty.clone()).into()),
            false => written.converted(slots, Wanted { ty: &self.ty, otherwise: "Incorrect attribute value type" }),
        };
        if reading.marks == Marks::NONE { value } else { value.map(|value| value.with(reading.marks)) }
    }
}

impl Shared {
    /// The object of parts in the order of [`BodyProgram::parts`], with these names.
    fn object(&self, parts: Vec<Marked>, names: impl Fn() -> Vec<Text>) -> Marked {
        let Some(ty) = self.ty.get().filter(|ty| self.is_fixed || self.fits(ty, &parts)) else {
            let made = Marked::object(names().into_iter().zip(parts).collect());
            // Another worker may have set the type first; then that one stays.
            self.ty.get_or_init(|| made.value.ty().clone());
            return made;
        };
        let mut parts: Vec<Option<Marked>> = parts.into_iter().map(Some).collect();
        // Each place is taken once: the attributes of a type have different names.
        Marked::object_of(ty, self.places.iter().filter_map(|&place| parts[place].take()).collect())
    }

    fn fits(&self, ty: &Type, parts: &[Marked]) -> bool {
        let attributes = ty.as_object().map_or(&[][..], |object| object.attributes());
        attributes.iter().zip(&self.places).all(|(attribute, &place)| attribute.ty == *parts[place].value.ty())
    }
}

/// Compiles a body within so many others.
pub fn compile(lexicon: Lexicon<'_>, body: &Body, schema: &SchemaBlock, depth: usize) -> BodyProgram {
    let attributes: Vec<(&str, bool)> =
        schema.attributes.iter().map(|(name, attribute)| (name.as_str(), attribute.required)).collect();
    let labels = |nested: &NestedBlock| -> &'static [&'static str] {
        if nested.nesting == Nesting::Map { &["key"] } else { &[] }
    };
    let mut blocks: Vec<(&str, &[&str])> =
        schema.block_types.iter().map(|(name, nested)| (name.as_str(), labels(nested))).collect();
    blocks.push(("dynamic", &["type"]));
    let mut wrong = Vec::new();
    if depth > MAX_DEPTH {
        wrong.push(Diagnostic::error("Blocks are nested too deeply"));
        return BodyProgram {
            arguments: Vec::new(),
            blocks: Vec::new(),
            kinds: Vec::new(),
            wrong,
            constant: None,
            shared: None,
        };
    }
    let mut found = Vec::new();
    let mut contents = content(body.clone(), ContentSchema { attributes: &attributes, blocks: &blocks }, &mut found);
    wrong.extend(as_errors(found));
    let arguments = schema.attributes.iter().map(|(name, attribute)| Argument {
        name: name.clone(),
        ty: attribute.implied_type(lexicon.dialect),
        written: contents.take(name).map(|written| lexicon.compile(&written.value)),
    });
    let arguments = arguments.collect();
    let kinds: Vec<Kind> = schema.block_types.iter().map(|(name, of)| Kind::new(name, of, lexicon.dialect)).collect();
    let places: HashMap<&Text, usize> = kinds.iter().enumerate().map(|(index, kind)| (&kind.name, index)).collect();
    let blocks = contents.blocks.iter().map(|block| nested(lexicon, block, schema, &places, depth)).collect();
    drop(places);
    BodyProgram { arguments, blocks, kinds, wrong, constant: None, shared: None }
}

fn nested(
    lexicon: Lexicon<'_>,
    written: &Block,
    schema: &SchemaBlock,
    places: &HashMap<&Text, usize>,
    depth: usize,
) -> Nested {
    if let (Some(of), Some(&kind)) = (schema.block_types.get(&written.kind.text), places.get(&written.kind.text)) {
        let key = written.labels.first().map(|label| label.text.clone());
        return Nested::Plain { kind, key, body: compile(lexicon, &written.body, &of.block, depth + 1) };
    }
    let Some(name) = written.labels.first().map(|label| &label.text) else { return Nested::Wrong(Vec::new()) };
    let (Some(of), Some(&kind)) = (schema.block_types.get(name), places.get(name)) else {
        return Nested::Wrong(vec![Diagnostic::error("Unsupported block type")]);
    };
    match Dynamic::compile(lexicon, written, (name, of, kind), depth) {
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
