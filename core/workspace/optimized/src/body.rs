//! Compiled bodies: a body is checked against its schema once, and evaluated to an object of the schema's own type (E28 to E31).

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use planfuzz_core::schema::{Block as SchemaBlock, NestedBlock, Nesting};
use planfuzz_core::value::{Number, Text, Type, Value};
use planfuzz_language::SourcePlace;
use planfuzz_language::check::Contents;
use planfuzz_language::config::{Block, Body, ContentSchema, Written, content, partial_content, text_at};
use planfuzz_language::expression::{Marked, Marks};
use planfuzz_language_compiled::{Names, Slots};
use planfuzz_workspace::Diagnostic;

use crate::expr::{Evaluated, Expr, Lexicon, Need, Wanted, as_errors};

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

/// A type of nested blocks.
#[derive(Debug)]
struct Kind {
    name: Text,
    nesting: Nesting,
    min: i128,
    max: i128,
    element: Type,
    /// The value where there is no block of a single one.
    absent: Value,
}

#[derive(Debug)]
enum Nested {
    Plain { kind: usize, key: Option<Text>, body: BodyProgram },
    Dynamic(Box<Dynamic>),
    Wrong(Vec<Diagnostic>),
}

#[derive(Debug)]
struct Dynamic {
    kind: usize,
    for_each: Expr,
    iterator: usize,
    labels: Option<Expr>,
    body: BodyProgram,
    /// Where its content is written.
    place: SourcePlace,
}

/// Blocks of one type, with their keys; `is_unknown` if their number is not known.
#[derive(Default)]
struct Nest {
    all: Vec<(Option<Text>, Marked)>,
    is_unknown: bool,
}

impl BodyProgram {
    /// Compiles a body.
    pub fn compile(lexicon: Lexicon<'_>, body: &Body, schema: &SchemaBlock) -> BodyProgram {
        let mut program = compile(lexicon, body, schema, 0);
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
                    let parts = self.parts(slots, Marks::NONE, &mut Contents::new());
                    parts.map(|parts| shared.object(parts, || self.names().cloned().collect()))
                }
                None => self.made(slots, Marks::NONE, &mut Contents::new()),
            },
        }
    }

    /// How often the content of each dynamic block is evaluated.
    pub fn contents(&self, slots: &mut Slots) -> Contents {
        let mut contents = Contents::new();
        if self.has_dynamic() {
            // The value does not matter.
            drop(self.parts(slots, Marks::NONE, &mut contents));
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
                    found.extend(dynamic.for_each.needs());
                    found.extend(dynamic.labels.iter().flat_map(Expr::needs));
                    dynamic.body.needs(found);
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
        is_constant.then(|| self.made(&mut Slots::default(), Marks::NONE, &mut Contents::new()).ok()).flatten()
    }

    /// The value of a part, with these marks on every written argument.
    fn made(&self, slots: &mut Slots, marks: Marks, contents: &mut Contents) -> Evaluated {
        Ok(self.object(self.parts(slots, marks, contents)?))
    }

    fn object(&self, parts: Vec<Marked>) -> Marked {
        Marked::object(self.names().cloned().zip(parts).collect())
    }

    /// E31: what is known of a template: its written arguments are unknown.
    fn outlined(&self, marks: Marks) -> Evaluated {
        let argument = |argument: &Argument| match argument.written {
            None => Value::null(argument.ty.clone()).into(),
            Some(_) => Marked::from(Value::unknown(argument.ty.clone())).with(marks),
        };
        let parts: Vec<Marked> = self.arguments.iter().map(argument).collect();
        let mut diagnostics = self.wrong.clone();
        let mut nests: Vec<Nest> = self.kinds.iter().map(|_| Nest::default()).collect();
        for nested in &self.blocks {
            diagnostics.extend(nested.outline(&self.kinds, &mut nests, marks).err().into_iter().flatten());
        }
        Ok(self.object(self.with_blocks(parts, nests, diagnostics)?))
    }

    /// The values of arguments, followed by those of nested blocks.
    fn parts(&self, slots: &mut Slots, marks: Marks, contents: &mut Contents) -> Evaluated<Vec<Marked>> {
        let mut diagnostics = self.wrong.clone();
        let mut parts: Vec<Marked> = Vec::with_capacity(self.arguments.len() + self.kinds.len());
        for argument in &self.arguments {
            let value = match &argument.written {
                None => Ok(Value::null(argument.ty.clone()).into()),
                Some(written) => {
                    let wanted = Wanted { ty: &argument.ty, otherwise: "Incorrect attribute value type" };
                    let value = written.converted(slots, wanted);
                    if marks == Marks::NONE { value } else { value.map(|value| value.with(marks)) }
                }
            };
            match value {
                Ok(value) => parts.push(value),
                Err(found) => diagnostics.extend(found),
            }
        }
        let mut nests: Vec<Nest> = self.kinds.iter().map(|_| Nest::default()).collect();
        for nested in &self.blocks {
            if let Err(found) = nested.stand(slots, &self.kinds, &mut nests, contents) {
                diagnostics.extend(found);
            }
        }
        self.with_blocks(parts, nests, diagnostics)
    }

    /// The values of arguments, with those of nested blocks behind them; the diagnostics of both if there are any.
    fn with_blocks(
        &self,
        mut parts: Vec<Marked>,
        nests: Vec<Nest>,
        mut diagnostics: Vec<Diagnostic>,
    ) -> Evaluated<Vec<Marked>> {
        for (kind, nest) in self.kinds.iter().zip(nests) {
            match kind.collect(nest) {
                Ok(value) => parts.push(value),
                Err(found) => diagnostics.extend(found),
            }
        }
        if diagnostics.is_empty() { Ok(parts) } else { Err(diagnostics) }
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

fn compile(lexicon: Lexicon<'_>, body: &Body, schema: &SchemaBlock, depth: usize) -> BodyProgram {
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
    let kinds: Vec<Kind> = schema
        .block_types
        .iter()
        .map(|(name, of)| {
            let element = of.block.implied_type(lexicon.dialect);
            let absent = match of.nesting {
                Nesting::Group => of.block.empty_value_of(&element),
                _ => Value::null(element.clone()),
            };
            let (min, max) = (of.min_items.into(), of.max_items.into());
            Kind { name: name.clone(), nesting: of.nesting, min, max, element, absent }
        })
        .collect();
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
    let wrong = |summary: &str| Nested::Wrong(vec![Diagnostic::error(summary)]);
    if let (Some(of), Some(&kind)) = (schema.block_types.get(&written.kind.text), places.get(&written.kind.text)) {
        let key = written.labels.first().map(|label| label.text.clone());
        return Nested::Plain { kind, key, body: compile(lexicon, &written.body, &of.block, depth + 1) };
    }
    let Some(name) = written.labels.first().map(|label| label.text.clone()) else { return Nested::Wrong(Vec::new()) };
    let (Some(of), Some(&kind)) = (schema.block_types.get(&name), places.get(&name)) else {
        return wrong("Unsupported block type");
    };
    let arguments = ContentSchema {
        attributes: &[("for_each", true), ("iterator", false), ("labels", false)],
        blocks: &[("content", &[])],
    };
    let (mut found, _) = partial_content(written.body.clone(), arguments, &mut Vec::new());
    let iterator = found.take("iterator").and_then(|iterator| match iterator.value {
        Written::Json(json) => json.as_str().map(Text::new),
        Written::Native(place) => Some(Text::new(text_at(place, lexicon.sources).trim())),
    });
    let (for_each, labels) = (found.take("for_each"), found.take("labels"));
    let Some(for_each) = for_each else { return wrong("Missing required argument") };
    let Some(body) = found.blocks.first() else { return wrong("Missing dynamic content block") };
    let mut names: Names = lexicon.names.clone();
    let iterator = names.slot(&iterator.unwrap_or(name), None);
    let inner = Lexicon { names: &names, ..lexicon };
    Nested::Dynamic(Box::new(Dynamic {
        kind,
        for_each: lexicon.compile(&for_each.value),
        iterator,
        labels: labels.map(|labels| inner.compile(&labels.value)),
        body: compile(inner, &body.body, &of.block, depth + 1),
        place: body.kind.place,
    }))
}

impl Nested {
    /// Evaluates a block, or all blocks that a dynamic one generates.
    fn stand(&self, slots: &mut Slots, kinds: &[Kind], nests: &mut [Nest], contents: &mut Contents) -> Evaluated<()> {
        match self {
            Nested::Wrong(diagnostics) if diagnostics.is_empty() => Ok(()),
            Nested::Wrong(diagnostics) => Err(diagnostics.clone()),
            Nested::Plain { kind, key, body } => {
                // A written block does not get the marks of the content around it.
                let make = || Ok((key.clone(), body.made(slots, Marks::NONE, contents)?));
                nests[*kind].add(&kinds[*kind], make)
            }
            Nested::Dynamic(dynamic) => {
                dynamic.stand(slots, (&kinds[dynamic.kind], &mut nests[dynamic.kind]), contents)
            }
        }
    }

    /// Adds what is known of the blocks where they are a template (E31).
    fn outline(&self, kinds: &[Kind], nests: &mut [Nest], marks: Marks) -> Evaluated<()> {
        let (kind, body) = match self {
            Nested::Wrong(diagnostics) if diagnostics.is_empty() => return Ok(()),
            Nested::Wrong(diagnostics) => return Err(diagnostics.clone()),
            Nested::Plain { kind, body, .. } => (*kind, body),
            Nested::Dynamic(dynamic) => (dynamic.kind, &dynamic.body),
        };
        nests[kind].add_template(&kinds[kind], body, marks)
    }
}

impl Nest {
    /// E29: adds a block. One that cannot be evaluated counts; of a single one only the first is evaluated.
    fn add(&mut self, kind: &Kind, make: impl FnOnce() -> Evaluated<(Option<Text>, Marked)>) -> Evaluated<()> {
        let unknown = || (None, Value::unknown(kind.element.clone()).into());
        let is_second = kind.is_single() && !self.all.is_empty();
        let (made, result) = match if is_second { Ok(unknown()) } else { make() } {
            Ok(made) => (made, Ok(())),
            Err(found) => (unknown(), Err(found)),
        };
        self.all.push(made);
        result
    }

    /// E31: adds the blocks of a template whose number is not known; a single one is one block.
    fn add_template(&mut self, kind: &Kind, body: &BodyProgram, marks: Marks) -> Evaluated<()> {
        if kind.is_single() {
            return self.add(kind, || Ok((None, body.outlined(marks)?)));
        }
        self.is_unknown = true;
        body.outlined(marks).map(drop)
    }
}

impl Dynamic {
    /// The blocks of all elements. The slot of the iterator is empty afterwards: names that are missing elsewhere have it too (E151a).
    fn stand(&self, slots: &mut Slots, nest: (&Kind, &mut Nest), contents: &mut Contents) -> Evaluated<()> {
        let made = self.each_element(slots, nest, contents);
        slots.clear(self.iterator);
        made
    }

    fn each_element(
        &self,
        slots: &mut Slots,
        (kind, nest): (&Kind, &mut Nest),
        contents: &mut Contents,
    ) -> Evaluated<()> {
        let (collection, marks) = self.for_each.evaluate(slots)?.open();
        if self.labels.is_some() {
            let unknown = || Marked::from(Value::unknown(Type::Dynamic));
            slots.set(self.iterator, Marked::object(vec![("key".into(), unknown()), ("value".into(), unknown())]));
            // The number of labels does not depend on the element, and is reported once.
            match self.label(slots) {
                Err(diagnostics) if collection.value.is_unknown() || !diagnostics.iter().all(is_of_element) => {
                    return Err(diagnostics);
                }
                _ => {}
            }
        }
        if collection.value.is_unknown() {
            return nest.add_template(kind, &self.body, marks);
        }
        if collection.value.is_null() || collection.ty().is_primitive() {
            return Err(vec![Diagnostic::error("Invalid dynamic for_each value")]);
        }
        let keys = collection.keys();
        let mut diagnostics = Vec::new();
        let elements = collection.parts();
        *contents.entry(self.place).or_default() +=
            if fault!(ContentsOnce) { elements.len().min(1) } else { elements.len() };
        for (index, value) in elements.into_iter().enumerate() {
            let key = match keys.get(index) {
                Some(key) => Value::string(key).into(),
                None if matches!(collection.ty(), Type::Set(_)) => value.clone(),
                None => Value::number(Number::counted(index as u64)).into(),
            };
            slots.set(self.iterator, Marked::object(vec![("key".into(), key), ("value".into(), value)]));
            // Each element is reported on its own.
            let added = nest.add(kind, || {
                let made = self.body.made(slots, marks, contents);
                Ok((self.label(slots)?, made?))
            });
            diagnostics.extend(added.err().into_iter().flatten());
        }
        if diagnostics.is_empty() { Ok(()) } else { Err(diagnostics) }
    }

    /// The label of a generated block, if its type has keys.
    fn label(&self, slots: &mut Slots) -> Evaluated<Option<Text>> {
        let Some(labels) = &self.labels else { return Ok(None) };
        let labels = labels.evaluate(slots)?;
        let summary = match (labels.ty(), labels.parts().as_slice()) {
            (Type::Tuple(_), [label]) => {
                let text = label.convert(&Type::String).filter(|_| label.marks.is_empty());
                match text.as_ref().and_then(|text| text.value.view().as_text()) {
                    Some(text) => return Ok(Some(text.clone())),
                    None => NO_LABEL,
                }
            }
            (Type::Tuple(_), []) => "Insufficient dynamic block labels",
            (Type::Tuple(_), _) => "Extraneous dynamic block label",
            _ => "Invalid expression",
        };
        Err(vec![Diagnostic::error(summary)])
    }
}

/// The error of a label that may differ between elements.
const NO_LABEL: &str = "Invalid dynamic block label";

fn is_of_element(diagnostic: &Diagnostic) -> bool {
    diagnostic.summary == NO_LABEL
}

impl Kind {
    fn is_single(&self) -> bool {
        matches!(self.nesting, Nesting::Single | Nesting::Group)
    }

    /// E29.
    fn collect(&self, nest: Nest) -> Evaluated {
        let (name, count) = (&self.name, nest.all.len() as i128);
        let error = |text: String| Err(vec![Diagnostic::error(text)]);
        let is_single = self.is_single();
        if is_single && count > 1 {
            return error(format!("Duplicate {name} block"));
        }
        if !is_single && self.max > 0 && self.max < count {
            return error(format!("Too many {name} blocks"));
        }
        if !nest.is_unknown && self.min > count {
            let what = if is_single { format!("Missing {name} block") } else { format!("Insufficient {name} blocks") };
            return error(what);
        }
        let element = &self.element;
        let Nest { all, is_unknown } = nest;
        let keys: HashSet<&Text> = all.iter().filter_map(|(key, _)| key.as_ref()).collect();
        if keys.len() < all.iter().filter(|(key, _)| key.is_some()).count() {
            return error(format!("Duplicate {name} block"));
        }
        if is_unknown {
            return Ok(Value::unknown(self.ty()).into());
        }
        let mut parts = all;
        let value = match self.nesting {
            Nesting::Single | Nesting::Group => {
                Some(parts.pop().map_or_else(|| self.absent.clone().into(), |(_, value)| value))
            }
            Nesting::List if element.has_dynamic() => Some(Marked::tuple(without_keys(parts))),
            Nesting::List => Marked::list(element, without_keys(parts)),
            Nesting::Set => Marked::set(element, without_keys(parts)),
            Nesting::Map => {
                let entries = parts.into_iter().map(|(key, value)| (key.unwrap_or_default(), value)).collect();
                if element.has_dynamic() { Some(Marked::object(entries)) } else { Marked::map(element, entries) }
            }
        };
        match value {
            Some(value) => Ok(value),
            None => error(format!("Inconsistent {name} blocks")),
        }
    }

    fn ty(&self) -> Type {
        let element = self.element.clone();
        match self.nesting {
            Nesting::Single | Nesting::Group => element,
            Nesting::List => Type::list(element),
            Nesting::Set => Type::set(element),
            Nesting::Map => Type::map(element),
        }
    }
}

fn without_keys(parts: Vec<(Option<Text>, Marked)>) -> Vec<Marked> {
    parts.into_iter().map(|(_, value)| value).collect()
}

/// An object of nulls.
pub fn nulls(ty: &Type) -> Marked {
    let members = ty.as_object().map(|object| {
        let attributes = object.attributes().iter();
        attributes.map(|attribute| (attribute.name.clone(), Value::null(attribute.ty.clone()))).collect()
    });
    members.map_or_else(|| Value::null(ty.clone()), Value::object).into()
}
