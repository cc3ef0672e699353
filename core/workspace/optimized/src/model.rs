//! The configuration compiled once: modules and blocks by number, names by slot, every expression a program.

use std::sync::{Arc, OnceLock};

use hashbrown::HashMap;
use planfuzz_core::address::{
    AbsResourceInstance, ConfigResource, InstanceKey, Module, ModuleInstance, ProviderConfig, Resource, ResourceMode,
};
use planfuzz_core::dialect::Dialect;
use planfuzz_core::schema::Schema;
use planfuzz_core::value::{Text, Type};
use planfuzz_language::check::{Declarations, RuleOf, Schemas};
use planfuzz_language::config::{Configuration, ModuleCall, Traversal};
use planfuzz_language::expression::Marked;
use planfuzz_language::{Sources, config};
use planfuzz_language_compiled::Names;
use planfuzz_workspace::Diagnostic;

use crate::body::BodyProgram;
use crate::body_layout::BodyLayout;
use crate::expr::Expr;
use crate::worker_pool::WorkerPool;

/// The kind of repetition for which the names of an expression are compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeats {
    /// None.
    Once,
    /// `count`
    Count,
    /// `for_each`
    Each,
}

/// Names for each kind of repetition, and the slots of `count` and `each`.
#[derive(Debug, Default)]
pub struct Lexica {
    pub(crate) names: [Names; 3],
    /// Names with `count` and `each`.
    pub everything: Names,
    /// `count.index`
    pub index: usize,
    /// `each.key`
    pub key: usize,
    /// `each.value`
    pub value: usize,
    /// `self`
    pub own: usize,
    /// `terraform.applying`
    pub applying: usize,
    /// The slots of calls, by the called module.
    pub calls: HashMap<usize, usize>,
    /// The slots of all resources of a type.
    pub alls: HashMap<(ResourceMode, String), usize>,
    /// Slots whose values are the same everywhere.
    pub fixed: Vec<(usize, Marked)>,
}

/// Something that must be in its slot before evaluation, by number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Use {
    /// The objects of a block.
    Block(usize),
    /// All resources of a type.
    All(ResourceMode, String),
    /// The outputs of a module.
    Call(usize),
}

/// A condition and its message.
#[derive(Debug)]
pub struct Rule {
    /// Whether it holds.
    pub condition: Option<Expr>,
    /// The message if it does not hold.
    pub message: Option<Expr>,
    /// The message of a variable as written in JSON: it takes the place of a message that cannot be evaluated (E130).
    pub json: Option<String>,
    /// How often it refers to `self`.
    pub of_self: usize,
    /// The needs of both.
    pub needs: Vec<Use>,
    /// The errors of their references (E68a); a part with errors is not evaluated.
    pub faults: Vec<Diagnostic>,
}

/// An expression with its needs.
#[derive(Debug)]
pub struct Ready {
    /// The expression.
    pub expr: Expr,
    /// Its needs.
    pub needs: Vec<Use>,
}

/// An argument of a call.
#[derive(Debug)]
pub struct Given {
    /// Its value.
    pub value: Ready,
    /// The errors of its references, given how the call repeats (E68).
    pub faults: Vec<Diagnostic>,
}

/// A variable.
#[derive(Debug)]
pub struct Variable<'w> {
    /// As it is declared.
    pub of: &'w config::Variable,
    /// Its slot.
    pub slot: usize,
    /// The argument of the call.
    pub given: Option<Given>,
    /// Its validations.
    pub rules: Vec<Rule>,
}

/// A local.
#[derive(Debug)]
pub struct Local<'w> {
    /// As it is declared.
    pub of: &'w config::Local,
    /// Its slot.
    pub slot: usize,
    /// Its value.
    pub value: Ready,
}

/// An output.
#[derive(Debug)]
pub struct Output<'w> {
    /// As it is declared.
    pub of: &'w config::Output,
    /// Its value.
    pub value: Option<Ready>,
    /// Its preconditions.
    pub rules: Vec<Rule>,
}

/// A module.
#[derive(Debug)]
pub struct Mod<'w> {
    /// The names of the calls.
    pub path: Vec<String>,
    /// The beginning of the names of its nodes: `module.a.module.b.`
    pub prefix: String,
    /// What it declares.
    pub of: &'w config::Module,
    /// The calling module, and the call.
    pub call: Option<(usize, &'w ModuleCall)>,
    /// The modules that it calls, by name.
    pub children: HashMap<String, usize>,
    /// Names.
    pub lexica: Lexica,
    /// The declarations against which its references are checked.
    pub declarations: Declarations<'w>,
    /// Variables.
    pub variables: Vec<Variable<'w>>,
    /// Locals.
    pub locals: Vec<Local<'w>>,
    /// Outputs.
    pub outputs: Vec<Output<'w>>,
    /// Checks: their asserts.
    pub checks: Vec<Vec<Rule>>,
    /// `count` or `for_each` of its call.
    pub repetition: Repetition,
    /// Its blocks.
    pub blocks: Vec<usize>,
    /// Places by name.
    pub variable_places: HashMap<Text, usize>,
    local_places: HashMap<Text, usize>,
    output_places: HashMap<Text, usize>,
    block_places: HashMap<Resource, usize>,
}

/// `count` or `for_each`.
#[derive(Debug, Default)]
pub struct Repetition {
    /// `count`
    pub count: Option<Ready>,
    /// `for_each`
    pub each: Option<Ready>,
}

/// A block.
#[derive(Debug)]
pub struct Block<'w> {
    /// Its module.
    pub module: usize,
    /// Its place among the blocks of the module.
    pub place: usize,
    /// The resource that it declares.
    pub of: &'w config::Resource,
    /// The files that it is written in.
    pub sources: &'w Sources,
    /// The check around it.
    pub check: Option<usize>,
    /// Its address in the module.
    pub address: Resource,
    /// Its address in the configuration.
    pub config: ConfigResource,
    /// The same as text.
    pub text: Text,
    /// Its provider configuration, by number.
    pub provider: usize,
    /// Its schema, by number.
    pub schema: Option<usize>,
    /// How it repeats.
    pub repeats: Repeats,
    /// `count` or `for_each`.
    pub repetition: Repetition,
    /// Its body.
    pub body: Option<BodyProgram>,
    /// Whether the references in the contents of its dynamic blocks may be faulty (E31).
    pub has_faulty_contents: bool,
    /// What the body needs.
    pub needs: Vec<Use>,
    /// Preconditions.
    pub preconditions: Vec<Rule>,
    /// Postconditions.
    pub postconditions: Vec<Rule>,
    /// Its slot, and the type of its objects.
    pub slot: usize,
    /// Its references, except `depends_on` (G63).
    pub references: Vec<Traversal>,
    /// The keys under which its body names the block itself (E70); `None` for a reference without a constant key.
    pub own: Vec<Option<InstanceKey>>,
}

/// A schema with its implied type.
#[derive(Debug)]
pub struct Typed<'w> {
    /// The schema.
    pub schema: &'w Schema,
    /// Its implied type.
    pub ty: Type,
    /// The layout of its bodies, once there is one.
    layout: OnceLock<Arc<BodyLayout>>,
}

impl<'w> Typed<'w> {
    /// A schema in a dialect.
    pub fn new(schema: &'w Schema, dialect: Dialect) -> Typed<'w> {
        Typed { schema, ty: schema.implied_type(dialect), layout: OnceLock::new() }
    }

    /// The layout of its bodies.
    pub fn layout(&self, dialect: Dialect) -> &Arc<BodyLayout> {
        self.layout.get_or_init(|| BodyLayout::of(&self.schema.block, dialect))
    }
}

/// A provider configuration.
#[derive(Debug)]
pub struct ProviderOf<'w> {
    /// Its address.
    pub address: ProviderConfig,
    /// Its block with the module.
    pub block: Option<(usize, &'w config::Provider)>,
    /// The compiled body.
    pub body: Option<(BodyProgram, Vec<Use>)>,
    /// The schema of its configuration.
    pub ty: Option<Type>,
}

/// The configuration.
#[derive(Debug)]
pub struct Model<'w> {
    /// The engine.
    pub dialect: Dialect,
    /// The files.
    pub sources: &'w Sources,
    /// The schemas.
    pub schemas: &'w Schemas,
    /// Modules, outer ones first.
    pub modules: Vec<Mod<'w>>,
    /// Blocks.
    pub blocks: Vec<Block<'w>>,
    /// Provider configurations of blocks; those of objects come behind.
    pub providers: Vec<ProviderOf<'w>>,
    /// Schemas.
    pub typed: Vec<Typed<'w>>,
    module_places: HashMap<Vec<String>, usize>,
    pub(crate) provider_places: HashMap<ProviderConfig, usize>,
    pub(crate) typed_places: HashMap<(String, ResourceMode, String), usize>,
    /// The places of blocks in the order of their addresses.
    pub ranks: Vec<u32>,
    /// The block of each check.
    pub check_blocks: HashMap<(usize, usize), usize>,
    /// The imports of each block.
    pub imports: HashMap<usize, Vec<&'w config::Import>>,
    /// E151a: without a validation walk, a condition and its message are reported together.
    pub(crate) rules_of_blocks: RuleOf,
    /// The graph of the configuration.
    pub base: OnceLock<crate::graph::Graph>,
}

impl Lexica {
    /// The names for a kind of repetition.
    pub fn of(&self, repeats: Repeats) -> &Names {
        &self.names[repeats as usize]
    }
}

/// How a repetition repeats.
pub fn repeats(of: &config::Repetition) -> Repeats {
    match (&of.count, &of.for_each) {
        (Some(_), _) => Repeats::Count,
        (None, Some(_)) => Repeats::Each,
        (None, None) => Repeats::Once,
    }
}

impl<'w> Model<'w> {
    /// Compiles a configuration.
    pub fn new(root: &'w Configuration, sources: &'w Sources, schemas: &'w Schemas, dialect: Dialect) -> Model<'w> {
        Model::read(root, (sources, schemas), dialect, RuleOf::Resource, None)
    }

    /// The same, compiled by several workers if there are many blocks.
    pub(crate) fn made_by(
        workers: Option<&WorkerPool>,
        root: &'w Configuration,
        (sources, schemas): (&'w Sources, &'w Schemas),
        dialect: Dialect,
    ) -> Model<'w> {
        Model::read(root, (sources, schemas), dialect, RuleOf::Resource, workers)
    }

    /// The model for the command `import`, which has no validation and does not use import blocks (G15).
    pub fn of_import(
        root: &'w Configuration,
        sources: &'w Sources,
        schemas: &'w Schemas,
        dialect: Dialect,
    ) -> Model<'w> {
        let mut model = Model::read(root, (sources, schemas), dialect, RuleOf::Output, None);
        model.imports.clear();
        model
    }

    fn read(
        root: &'w Configuration,
        (sources, schemas): (&'w Sources, &'w Schemas),
        dialect: Dialect,
        rules_of_blocks: RuleOf,
        workers: Option<&WorkerPool>,
    ) -> Model<'w> {
        let mut model = Model {
            dialect,
            sources,
            schemas,
            modules: Vec::new(),
            blocks: Vec::new(),
            providers: Vec::new(),
            typed: Vec::new(),
            module_places: HashMap::new(),
            provider_places: HashMap::new(),
            typed_places: HashMap::new(),
            ranks: Vec::new(),
            check_blocks: HashMap::new(),
            imports: HashMap::new(),
            rules_of_blocks,
            base: OnceLock::new(),
        };
        let mut open = vec![(root, None, Vec::new())];
        let mut at = 0;
        while at < open.len() {
            let (of, call, path): (&'w Configuration, Option<(usize, &'w ModuleCall)>, Vec<String>) = open[at].clone();
            model.declare(of, call, path.clone());
            for call in &of.module.calls {
                let Some(child) = of.children.get(&call.name.text) else { continue };
                let name = call.name.text.to_string();
                model.modules[at].children.insert(name.clone(), open.len());
                open.push((child, Some((at, call)), path.iter().cloned().chain([name]).collect()));
            }
            at += 1;
        }
        model.find_imports();
        model.rank();
        model.compile(workers);
        model
    }

    /// Declares a module with its blocks, without compiling anything.
    fn declare(&mut self, root: &'w Configuration, call: Option<(usize, &'w ModuleCall)>, path: Vec<String>) {
        let of = &root.module;
        let module = self.modules.len();
        let places = |names: &mut dyn Iterator<Item = &Text>| -> HashMap<Text, usize> {
            let mut found = HashMap::new();
            for (index, name) in names.enumerate() {
                found.entry(name.clone()).or_insert(index);
            }
            found
        };
        let mut declared = Mod {
            prefix: path.iter().map(|name| format!("module.{name}.")).collect(),
            of,
            call,
            children: HashMap::new(),
            lexica: Lexica::default(),
            variables: Vec::new(),
            locals: Vec::new(),
            outputs: Vec::new(),
            checks: Vec::new(),
            repetition: Repetition::default(),
            blocks: Vec::new(),
            variable_places: places(&mut of.variables.iter().map(|one| &one.name.text)),
            local_places: places(&mut of.locals.iter().map(|one| &one.name.text)),
            output_places: places(&mut of.outputs.iter().map(|one| &one.name.text)),
            block_places: HashMap::new(),
            path: path.clone(),
            declarations: Declarations::new(root, self.schemas),
        };
        let in_checks = of.checks.iter().enumerate().filter_map(|(check, of)| Some((of.data.as_ref()?, Some(check))));
        for (resource, check) in of.resources.iter().map(|resource| (resource, None)).chain(in_checks) {
            let [type_name, name] = [&resource.type_name, &resource.name].map(|name| name.text.to_string());
            let address = Resource { mode: resource.mode, type_name, name };
            let config = ConfigResource { module: Module(path.clone()), resource: address.clone() };
            let block = self.blocks.len();
            declared.block_places.entry(address.clone()).or_insert(block);
            if let Some(check) = check {
                self.check_blocks.entry((module, check)).or_insert(block);
            }
            self.blocks.push(Block {
                module,
                place: declared.blocks.len(),
                of: resource,
                sources: self.sources,
                check,
                address,
                text: Text::new(&config.to_string()),
                config,
                provider: 0,
                schema: None,
                repeats: repeats(&resource.repetition),
                repetition: Repetition::default(),
                body: None,
                has_faulty_contents: false,
                needs: Vec::new(),
                preconditions: Vec::new(),
                postconditions: Vec::new(),
                slot: 0,
                references: Vec::new(),
                own: Vec::new(),
            });
            declared.blocks.push(block);
        }
        self.module_places.insert(path, module);
        self.modules.push(declared);
    }

    fn rank(&mut self) {
        let mut order: Vec<u32> = (0..self.blocks.len() as u32).collect();
        order.sort_by(|a, b| self.blocks[*a as usize].config.cmp(&self.blocks[*b as usize].config));
        self.ranks = vec![0; order.len()];
        order.into_iter().enumerate().for_each(|(rank, block)| self.ranks[block as usize] = rank as u32);
    }

    /// A module by its path.
    pub fn module(&self, path: &[String]) -> Option<usize> {
        self.module_places.get(path).copied()
    }

    /// The module of an instance.
    pub fn module_of(&self, instance: &ModuleInstance) -> Option<usize> {
        if instance.is_root() { Some(0) } else { self.module(&instance.module().0) }
    }

    /// A block by its address; those of checks too.
    pub fn find(&self, module: usize, resource: &Resource) -> Option<usize> {
        self.modules[module].block_places.get(resource).copied()
    }

    /// The block of an instance.
    pub fn block_of(&self, instance: &AbsResourceInstance) -> Option<usize> {
        self.find(self.module_of(&instance.module)?, &instance.resource)
    }

    /// A variable, local or output by name.
    pub fn local(&self, module: usize, name: &str) -> Option<usize> {
        self.modules[module].local_places.get(name).copied()
    }

    /// An output by name.
    pub fn output(&self, module: usize, name: &str) -> Option<usize> {
        self.modules[module].output_places.get(name).copied()
    }
}

/// The references of a condition and its message.
pub fn rule_references(rule: &config::Rule) -> impl Iterator<Item = &Traversal> {
    [&rule.condition, &rule.error_message].into_iter().flatten().flat_map(|expr| &expr.references)
}
