//! The configuration compiled once: modules and blocks by number, names by slot, every expression a program.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use planfuzz_core::address::{
    AbsResourceInstance, ConfigResource, InstanceKey, Module, ModuleInstance, ProviderConfig, ProviderSource, Resource,
    ResourceMode,
};
use planfuzz_core::dialect::Dialect;
use planfuzz_core::schema::Schema;
use planfuzz_core::value::{Text, Type, Value};
use planfuzz_language::Sources;
use planfuzz_language::check::{Schemas, local_name, provider_source};
use planfuzz_language::config::{self, Configuration, ModuleCall, Traversal, body_references};
use planfuzz_language::expression::Marked;
use planfuzz_language_compiled::Names;

use crate::body::BodyProgram;
use crate::expr::{Expr, Lexicon, Need, root_of};

/// Which repetition the names of an expression are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeats {
    /// None.
    Once,
    /// `count`
    Count,
    /// `for_each`
    Each,
}

/// Names for each kind of repetition, and the slots of what is repeated.
#[derive(Debug, Default)]
pub struct Lexica {
    names: [Names; 3],
    /// `count.index`
    pub index: usize,
    /// `each.key`
    pub key: usize,
    /// `each.value`
    pub value: usize,
    /// `self`
    pub own: usize,
    /// The slots of calls, by what they call.
    pub calls: HashMap<usize, usize>,
    /// The slots of all resources of a type.
    pub alls: HashMap<(ResourceMode, String), usize>,
    /// Slots whose values are the same everywhere.
    pub fixed: Vec<(usize, Marked)>,
}

/// What has to be in its slot, by number.
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
    /// What is said where it does not.
    pub message: Option<Expr>,
    /// Whether it speaks of `self`.
    pub has_self: bool,
    /// What has to be in its slot.
    pub needs: Vec<Use>,
}

/// An expression with what it needs.
#[derive(Debug)]
pub struct Ready {
    /// The expression.
    pub expr: Expr,
    /// What has to be in its slot.
    pub needs: Vec<Use>,
}

/// A variable.
#[derive(Debug)]
pub struct Variable<'w> {
    /// As it is declared.
    pub of: &'w config::Variable,
    /// Its slot.
    pub slot: usize,
    /// The argument of the call.
    pub given: Option<Ready>,
    /// Its validations.
    pub rules: Vec<Rule>,
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
    /// What its nodes begin with: `module.a.module.b.`
    pub prefix: String,
    /// What it declares.
    pub of: &'w config::Module,
    /// Who calls it, and how.
    pub call: Option<(usize, &'w ModuleCall)>,
    /// What it calls, by name.
    pub children: HashMap<String, usize>,
    /// Names.
    pub lexica: Lexica,
    /// Variables.
    pub variables: Vec<Variable<'w>>,
    /// Locals with their slots.
    pub locals: Vec<(usize, Ready)>,
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
    /// What it says.
    pub of: &'w config::Resource,
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
    /// What the body needs.
    pub needs: Vec<Use>,
    /// Preconditions.
    pub preconditions: Vec<Rule>,
    /// Postconditions.
    pub postconditions: Vec<Rule>,
    /// Its slot, and the type of its objects.
    pub slot: usize,
    /// What its text refers to, but `depends_on` (G63).
    pub references: Vec<Traversal>,
}

/// A schema with what follows of it.
#[derive(Debug)]
pub struct Typed<'w> {
    /// The schema.
    pub schema: &'w Schema,
    /// Its implied type.
    pub ty: Type,
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
    provider_places: HashMap<ProviderConfig, usize>,
    typed_places: HashMap<(String, ResourceMode, String), usize>,
    /// The places of blocks in the order of their addresses.
    pub ranks: Vec<u32>,
    /// The block of each check.
    pub check_blocks: HashMap<(usize, usize), usize>,
    /// The imports of each block.
    pub imports: HashMap<usize, Vec<&'w config::Import>>,
    /// The graph of the configuration.
    pub base: OnceCell<crate::graph::Graph>,
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
            base: OnceCell::new(),
        };
        let mut open = vec![(root, None, Vec::new())];
        let mut at = 0;
        while at < open.len() {
            let (of, call, path): (&'w Configuration, Option<(usize, &'w ModuleCall)>, Vec<String>) = open[at].clone();
            model.declare(&of.module, call, path.clone());
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
        model.compile();
        model
    }

    /// A module with its blocks, nothing of it compiled.
    fn declare(&mut self, of: &'w config::Module, call: Option<(usize, &'w ModuleCall)>, path: Vec<String>) {
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
                check,
                address,
                text: Text::new(&config.to_string()),
                config,
                provider: 0,
                schema: None,
                repeats: repeats(&resource.repetition),
                repetition: Repetition::default(),
                body: None,
                needs: Vec::new(),
                preconditions: Vec::new(),
                postconditions: Vec::new(),
                slot: 0,
                references: Vec::new(),
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

    /// An expression of the root module, in which something may be repeated.
    pub fn at_root(&self, of: &config::Expr, is_each: bool) -> Ready {
        self.ready(0, if is_each { Repeats::Each } else { Repeats::Once }, of)
    }

    fn compile(&mut self) {
        for module in 0..self.modules.len() {
            self.lexica(module);
        }
        for module in 0..self.modules.len() {
            self.compile_module(module);
        }
        for block in 0..self.blocks.len() {
            self.compile_block(block);
        }
    }

    /// Gives everything in a module its slot.
    fn lexica(&mut self, module: usize) {
        let of = &self.modules[module];
        let mut names = Names::default();
        let variables: Vec<usize> = of.of.variables.iter().map(|one| names.slot("var", Some(&one.name.text))).collect();
        let locals: Vec<usize> = of.of.locals.iter().map(|one| names.slot("local", Some(&one.name.text))).collect();
        let calls = of.children.iter().map(|(name, &child)| (child, names.slot("module", Some(name)))).collect();
        let directory = if of.of.directory.is_empty() { "." } else { of.of.directory.as_str() };
        let mut fixed = Vec::new();
        for (root, name, value) in [
            ("path", "module", directory),
            ("path", "root", "."),
            ("path", "cwd", "."),
            ("terraform", "workspace", "default"),
        ] {
            fixed.push((names.slot(root, Some(name)), Value::string(value).into()));
        }
        let mut alls = HashMap::new();
        for &block in &of.blocks {
            let Resource { mode, type_name, name } = &self.blocks[block].address;
            let slot = names.slot(&root_of(*mode, type_name), Some(name));
            let all = match mode {
                ResourceMode::Managed => "resource",
                ResourceMode::Data => "data",
                ResourceMode::Ephemeral => "ephemeral",
            };
            alls.insert((*mode, type_name.clone()), names.slot(all, Some(type_name)));
            self.blocks[block].slot = slot;
        }
        let mut variants = [names.clone(), names.clone(), names];
        let index = variants[1].slot("count", Some("index"));
        let key = variants[2].slot("each", Some("key"));
        let value = variants[2].slot("each", Some("value"));
        // The slot of `self` is the same for all: behind those of what is repeated.
        let own = value + 1;
        for names in &mut variants {
            let mut padding = 0;
            while names.len() < own {
                padding += 1;
                names.slot("\u{0}", Some(&padding.to_string()));
            }
            names.slot("self", None);
        }
        let of = &mut self.modules[module];
        of.lexica = Lexica { names: variants, index, key, value, own, calls, alls, fixed };
        of.locals = locals
            .into_iter()
            .map(|slot| (slot, Ready { expr: Expr::Broken(Vec::new()), needs: Vec::new() }))
            .collect();
        let declared: &'w config::Module = of.of;
        of.variables = declared
            .variables
            .iter()
            .zip(variables)
            .map(|(of, slot)| Variable { of, slot, given: None, rules: Vec::new() })
            .collect();
    }

    fn lexicon<'a>(&'a self, module: usize, repeats: Repeats, declares: &'a dyn Fn(&Resource) -> bool) -> Lexicon<'a> {
        let names = self.modules[module].lexica.of(repeats);
        Lexicon { sources: self.sources, dialect: self.dialect, names, declares }
    }

    fn ready(&self, module: usize, repeats: Repeats, of: &config::Expr) -> Ready {
        let declares = |resource: &Resource| self.find(module, resource).is_some();
        let expr = self.lexicon(module, repeats, &declares).compile(&of.written);
        Ready { needs: self.uses(module, expr.needs()), expr }
    }

    /// What is needed, by number.
    fn uses(&self, module: usize, needs: Vec<Need>) -> Vec<Use> {
        let (mut found, mut known) = (Vec::with_capacity(needs.len()), HashSet::new());
        for need in needs {
            let one = match need {
                Need::Resource(resource) => self.find(module, &resource).map(Use::Block),
                Need::All(mode, type_name) => Some(Use::All(mode, type_name)),
                Need::Call(name) => self.modules[module].children.get(&name).copied().map(Use::Call),
            };
            if let Some(one) = one.filter(|one| known.insert(one.clone())) {
                found.push(one);
            }
        }
        found
    }

    fn rules(&self, module: usize, repeats: Repeats, of: &[config::Rule]) -> Vec<Rule> {
        of.iter()
            .map(|rule| {
                let compiled = |of: &Option<config::Expr>| of.as_ref().map(|of| self.ready(module, repeats, of));
                let (condition, message) = (compiled(&rule.condition), compiled(&rule.error_message));
                let both = [&condition, &message].into_iter().flatten();
                let needs = both.flat_map(|ready| ready.needs.iter().cloned()).collect();
                let has_self = rule_references(rule).any(|reference| &*reference.root == "self");
                let expr = |ready: Option<Ready>| ready.map(|ready| ready.expr);
                Rule { condition: expr(condition), message: expr(message), has_self, needs }
            })
            .collect()
    }

    fn repetition(&self, module: usize, of: &config::Repetition) -> Repetition {
        let compiled = |of: &Option<config::Expr>| of.as_ref().map(|of| self.ready(module, Repeats::Once, of));
        Repetition { count: compiled(&of.count), each: compiled(&of.for_each) }
    }

    fn compile_module(&mut self, module: usize) {
        let of: &'w config::Module = self.modules[module].of;
        for (index, local) in of.locals.iter().enumerate() {
            self.modules[module].locals[index].1 = self.ready(module, Repeats::Once, &local.value);
        }
        let outputs = of.outputs.iter().map(|output| Output {
            of: output,
            value: output.value.as_ref().map(|value| self.ready(module, Repeats::Once, value)),
            rules: self.rules(module, Repeats::Once, &output.preconditions),
        });
        let outputs = outputs.collect();
        let checks = of.checks.iter().map(|check| self.rules(module, Repeats::Once, &check.asserts)).collect();
        for (index, variable) in of.variables.iter().enumerate() {
            let rules = self.rules(module, Repeats::Once, &variable.validations);
            let given = self.modules[module].call.and_then(|(parent, call)| {
                let (_, given) = call.inputs.iter().find(|(input, _)| input.text == variable.name.text)?;
                Some(self.ready(parent, repeats(&call.repetition), given))
            });
            let compiled = &mut self.modules[module].variables[index];
            (compiled.rules, compiled.given) = (rules, given);
        }
        let repetition = match self.modules[module].call {
            Some((parent, call)) => self.repetition(parent, &call.repetition),
            None => Repetition::default(),
        };
        let compiled = &mut self.modules[module];
        (compiled.outputs, compiled.checks, compiled.repetition) = (outputs, checks, repetition);
    }

    fn compile_block(&mut self, block: usize) {
        let (module, of) = (self.blocks[block].module, self.blocks[block].of);
        let provider = self.provider_of(module, of);
        let provider = self.provider(&provider);
        let source = self.providers[provider].address.source.to_string();
        let address = self.blocks[block].address.clone();
        let schema = self.typed(&source, address.mode, &address.type_name);
        let repeats = self.blocks[block].repeats;
        let declares = |resource: &Resource| self.find(module, resource).is_some();
        let lexicon = self.lexicon(module, repeats, &declares);
        let body = schema.map(|schema| BodyProgram::compile(lexicon, &of.config, &self.typed[schema].schema.block));
        let mut needs = Vec::new();
        body.iter().for_each(|body| body.needs(&mut needs));
        let uses = self.uses(module, needs);
        let repetition = self.repetition(module, &of.repetition);
        let preconditions = self.rules(module, repeats, &of.lifecycle.preconditions);
        let postconditions = self.rules(module, repeats, &of.lifecycle.postconditions);
        let references = self.text_references(of);
        let compiled = &mut self.blocks[block];
        (compiled.provider, compiled.schema, compiled.body, compiled.needs) = (provider, schema, body, uses);
        (compiled.repetition, compiled.references) = (repetition, references);
        (compiled.preconditions, compiled.postconditions) = (preconditions, postconditions);
    }

    /// What the text of a block refers to, but `depends_on` (G63).
    fn text_references(&self, of: &config::Resource) -> Vec<Traversal> {
        let mut found = body_references(&of.config, self.sources);
        let repetition = [&of.repetition.count, &of.repetition.for_each].into_iter().flatten();
        found.extend(repetition.flat_map(|expr| expr.references.iter().cloned()));
        let rules = of.lifecycle.preconditions.iter().chain(&of.lifecycle.postconditions);
        found.extend(rules.flat_map(rule_references).cloned());
        found.extend(of.lifecycle.replace_triggered_by.iter().flat_map(|expr| expr.references.iter().cloned()));
        for provisioner in of.provisioners.iter().filter(|provisioner| !provisioner.at_destroy) {
            found.extend(body_references(&provisioner.config, self.sources));
            found.extend(provisioner.connection.iter().flat_map(|body| body_references(body, self.sources)));
        }
        found.extend(of.connection.iter().flat_map(|body| body_references(body, self.sources)));
        found
    }

    /// E170, E171: the provider configuration of a block.
    fn provider_of(&self, module: usize, of: &config::Resource) -> ProviderConfig {
        let mut name = local_name(of);
        let mut alias: Option<String> =
            of.provider.as_ref().and_then(|one| one.alias.as_ref()).map(ToString::to_string);
        let mut at = module;
        while let Some((parent, call)) = self.modules[at].call {
            let is_own = |one: &config::Provider| {
                *one.name.text == *name && one.alias.as_ref().map(|alias| &*alias.value) == alias.as_deref()
            };
            if self.modules[at].of.providers.iter().any(is_own) {
                break;
            }
            let is_given =
                |inner: &config::ProviderRef| *inner.name == *name && inner.alias.as_deref() == alias.as_deref();
            if let Some((_, outer)) = call.providers.iter().find(|(inner, _)| is_given(inner)) {
                name = outer.name.to_string();
                alias = outer.alias.as_ref().map(ToString::to_string);
            }
            at = parent;
        }
        let source = ProviderSource::parse(&provider_source(self.modules[at].of, &name))
            .unwrap_or_else(|| ProviderSource::default_of(self.dialect.engine(), &name));
        ProviderConfig { module: Module(self.modules[at].path.clone()), source, alias, key: InstanceKey::None }
    }

    /// The number of a provider configuration.
    pub fn provider(&mut self, address: &ProviderConfig) -> usize {
        if let Some(&found) = self.provider_places.get(address) {
            return found;
        }
        let block = self.provider_block(address);
        let schema = self.schemas.provider(&address.source.to_string());
        let body = block.zip(schema).map(|((module, block), schema)| {
            let declares = |resource: &Resource| self.find(module, resource).is_some();
            let lexicon = self.lexicon(module, Repeats::Once, &declares);
            let body = BodyProgram::compile(lexicon, &block.config, &schema.config.block);
            let mut needs = Vec::new();
            body.needs(&mut needs);
            (body, self.uses(module, needs))
        });
        let ty = schema.map(|schema| schema.config.implied_type(self.dialect));
        let number = self.providers.len();
        self.providers.push(ProviderOf { address: address.clone(), block, body, ty });
        self.provider_places.insert(address.clone(), number);
        number
    }

    /// The number of a provider configuration that is known.
    pub fn provider_place(&self, address: &ProviderConfig) -> Option<usize> {
        self.provider_places.get(address).copied()
    }

    /// The block of a provider configuration.
    pub fn provider_block(&self, address: &ProviderConfig) -> Option<(usize, &'w config::Provider)> {
        let module = self.module(&address.module.0)?;
        let of = self.modules[module].of;
        let source = address.source.to_string();
        let is_it = |one: &&config::Provider| {
            one.alias.as_ref().map(|alias| &*alias.value) == address.alias.as_deref()
                && provider_source(of, &one.name.text) == source
        };
        of.providers.iter().find(is_it).map(|block| (module, block))
    }

    /// The number of a schema.
    pub fn typed(&mut self, source: &str, mode: ResourceMode, type_name: &str) -> Option<usize> {
        let place = (source.to_owned(), mode, type_name.to_owned());
        if let Some(&found) = self.typed_places.get(&place) {
            return Some(found);
        }
        let schema = self.schemas.provider(source)?.types.get(&(mode, type_name.to_owned()))?;
        self.typed.push(Typed { schema, ty: schema.implied_type(self.dialect) });
        self.typed_places.insert(place, self.typed.len() - 1);
        Some(self.typed.len() - 1)
    }

    /// The number of a schema that is known.
    pub fn typed_place(&self, source: &str, mode: ResourceMode, type_name: &str) -> Option<usize> {
        self.typed_places.get(&(source.to_owned(), mode, type_name.to_owned())).copied()
    }

    /// A module by its path.
    pub fn module(&self, path: &[String]) -> Option<usize> {
        self.module_places.get(path).copied()
    }

    /// The module that an instance is one of.
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

/// What a condition and its message refer to.
pub fn rule_references(rule: &config::Rule) -> impl Iterator<Item = &Traversal> {
    [&rule.condition, &rule.error_message].into_iter().flatten().flat_map(|expr| &expr.references)
}
