//! The configuration as flat lists: modules, blocks with their providers and schemas, and their references.

use std::collections::{BTreeMap, HashMap};

use planfuzz_core::address::{
    AbsResourceInstance, ConfigResource, InstanceKey, Module, ModuleInstance, ProviderConfig, ProviderSource, Resource,
};
use planfuzz_core::dialect::Dialect;
use planfuzz_core::schema::{Block as SchemaBlock, Schema};
use planfuzz_language::Sources;
use planfuzz_language::check::{Declarations, NameScope, Schemas};
use planfuzz_language::config::{
    self, Body, Configuration, ModuleCall, Provider, Traversal, body_references, local_name, schema_references,
};

/// A module of the configuration.
#[derive(Debug)]
pub struct StaticModule<'w> {
    /// The names of the calls.
    pub path: Vec<String>,
    /// What it declares.
    pub configuration: &'w Configuration,
    /// The module that calls it.
    pub parent: Option<usize>,
    /// The call.
    pub call: Option<&'w ModuleCall>,
    /// The modules that it calls.
    pub children: BTreeMap<String, usize>,
    /// The declarations against which its references are checked.
    pub declarations: Declarations<'w>,
}

/// A `resource`, `data` or `ephemeral` block.
#[derive(Debug)]
pub struct Block<'w> {
    /// Its module.
    pub module: usize,
    /// The resource that it declares.
    pub resource: &'w config::Resource,
    /// The check block around it.
    pub check: Option<usize>,
    /// Its address in the module.
    pub address: Resource,
    /// The provider configuration that it has (E170, E171).
    pub provider: ProviderConfig,
    /// Its schema.
    pub schema: Option<&'w Schema>,
    /// Whether the references in the contents of its dynamic blocks may be faulty (E31).
    pub has_faulty_contents: bool,
}

/// The configuration.
#[derive(Debug)]
pub struct Layout<'w> {
    /// The files.
    pub sources: &'w Sources,
    /// The schemas.
    pub schemas: &'w Schemas,
    /// The engine.
    pub dialect: Dialect,
    /// Modules, outer ones before inner ones.
    pub modules: Vec<StaticModule<'w>>,
    /// Blocks.
    pub blocks: Vec<Block<'w>>,
    /// The places of modules and blocks, looked up for every reference.
    module_places: HashMap<Vec<String>, usize>,
    block_places: HashMap<(usize, Resource), usize>,
}

impl<'w> Layout<'w> {
    /// Lays a configuration out.
    pub fn new(root: &'w Configuration, sources: &'w Sources, schemas: &'w Schemas, dialect: Dialect) -> Layout<'w> {
        let mut layout = Layout {
            sources,
            schemas,
            dialect,
            modules: Vec::new(),
            blocks: Vec::new(),
            module_places: HashMap::new(),
            block_places: HashMap::new(),
        };
        let module = |path, configuration, parent, call| StaticModule {
            path,
            configuration,
            parent,
            call,
            children: BTreeMap::new(),
            declarations: Declarations::new(configuration, schemas),
        };
        layout.modules.push(module(Vec::new(), root, None, None));
        let mut at = 0;
        while at < layout.modules.len() {
            let (path, configuration) = (layout.modules[at].path.clone(), layout.modules[at].configuration);
            for call in &configuration.module.calls {
                let Some(child) = configuration.children.get(&call.name.text) else { continue };
                let name = call.name.text.to_string();
                let path = [path.clone(), vec![name.clone()]].concat();
                let index = layout.modules.len();
                layout.modules[at].children.insert(name, index);
                layout.modules.push(module(path, child, Some(at), Some(call)));
            }
            at += 1;
        }
        for module in 0..layout.modules.len() {
            layout.module_places.insert(layout.modules[module].path.clone(), module);
            let configuration = layout.modules[module].configuration;
            for resource in &configuration.module.resources {
                layout.block(module, resource, None);
            }
            for (check, found) in configuration.module.checks.iter().enumerate() {
                if let Some(data) = &found.data {
                    layout.block(module, data, Some(check));
                }
            }
        }
        layout
    }

    fn block(&mut self, module: usize, resource: &'w config::Resource, check: Option<usize>) {
        let [type_name, name] = [&resource.type_name, &resource.name].map(|name| name.text.to_string());
        let provider = self.provider_of(module, resource);
        let schema = self.schemas.provider(&provider.source.to_string());
        let schema = schema.and_then(|schema| schema.types.get(&(resource.mode, type_name.clone())));
        let address = Resource { mode: resource.mode, type_name, name };
        self.block_places.entry((module, address.clone())).or_insert(self.blocks.len());
        let declarations = &self.modules[module].declarations;
        let names = NameScope::of(&resource.repetition);
        let body = (&resource.config, self.sources);
        let has_faulty_contents =
            schema.is_some_and(|schema| declarations.has_faulty_contents(body, &schema.block, names));
        self.blocks.push(Block { module, resource, check, address, provider, schema, has_faulty_contents });
    }

    /// E170, E171: a provider that a call passes takes precedence over a block of the module itself, and that over the module around. Only
    /// default configurations are taken from there.
    fn provider_of(&self, module: usize, resource: &config::Resource) -> ProviderConfig {
        self.used_in(module, self.provider_named(module, resource))
    }

    /// The provider configuration of a block as its module names it, whatever calls pass.
    pub fn provider_named(&self, module: usize, resource: &config::Resource) -> ProviderConfig {
        let alias = resource.provider.as_ref().and_then(|provider| provider.alias.as_ref());
        self.provider_config(module, local_name(resource), alias.map(ToString::to_string))
    }

    fn used_in(&self, module: usize, mut found: ProviderConfig) -> ProviderConfig {
        let mut at = module;
        found.module = Module(self.modules[at].path.clone());
        while let Some(parent) = self.modules[at].parent {
            match self.passed(at, &found) {
                Some(outer) => found.alias = outer.alias.as_ref().map(ToString::to_string),
                None if found.alias.is_some() || self.has_provider(&found) => break,
                None => {}
            }
            at = parent;
            found.module = Module(self.modules[at].path.clone());
        }
        found
    }

    /// The provider that the call of a module passes for one of its provider configurations.
    fn passed(&self, at: usize, found: &ProviderConfig) -> Option<&'w config::ProviderRef> {
        let inside = &self.modules[at].configuration.module;
        let is_passed = |inner: &config::ProviderRef| {
            self.schemas.source(inside, &inner.name) == found.source.to_string()
                && inner.alias.as_ref().map(|alias| alias.as_str()) == found.alias.as_deref()
        };
        self.modules[at].call?.providers.iter().find(|(inner, _)| is_passed(inner)).map(|(_, outer)| outer)
    }

    /// E171: the provider configuration of a stored object without a block, as calls pass it now.
    pub fn passed_on(&self, stored: &ProviderConfig) -> ProviderConfig {
        let mut found = stored.clone();
        while let Some(at) = self.module(&found.module.0).filter(|_| !found.module.is_root())
            && let (Some(parent), Some(outer)) = (self.modules[at].parent, self.passed(at, &found))
        {
            found.alias = outer.alias.as_ref().map(ToString::to_string);
            found.module = Module(self.modules[parent].path.clone());
        }
        found
    }

    /// The module that the target of an import lies in.
    pub fn module_of_target(&self, import: &config::Import) -> Option<usize> {
        let path = &import.target.resource.module.0;
        path.iter().try_fold(0, |module, name| self.modules[module].children.get(name.as_str()).copied())
    }

    /// The provider configuration of an import whose target has no block (G49): the root decides which provider that is; one that is named
    /// is the root's own, any other that of the module in which the block would be.
    pub fn provider_of_import(&self, import: &config::Import) -> ProviderConfig {
        match &import.provider {
            Some(provider) => {
                let alias = provider.alias.as_ref().map(ToString::to_string);
                self.provider_config(0, &provider.name, alias)
            }
            None => {
                let type_name = &import.target.resource.resource.type_name;
                let found = self.provider_config(0, config::local_name_of(type_name), None);
                self.used_in(self.module_of_target(import).unwrap_or(0), found)
            }
        }
    }

    fn provider_config(&self, at: usize, name: &str, alias: Option<String>) -> ProviderConfig {
        let source = self.schemas.source(&self.modules[at].configuration.module, name);
        let source =
            ProviderSource::parse(&source).unwrap_or_else(|| ProviderSource::default_of(self.dialect.engine(), name));
        ProviderConfig { module: Module(self.modules[at].path.clone()), source, alias, key: InstanceKey::None }
    }

    /// The blocks of a provider configuration, each with its module.
    fn providers<'s>(&'s self, address: &'s ProviderConfig) -> impl Iterator<Item = (usize, &'w Provider)> + 's {
        let module = self.module(&address.module.0);
        module.into_iter().flat_map(move |module| {
            let configuration = self.modules[module].configuration;
            let found = configuration.module.providers.iter().filter(|block| {
                self.schemas.source(&configuration.module, &block.name.text) == address.source.to_string()
                    && block.alias.as_ref().map(|alias| alias.value.as_str()) == address.alias.as_deref()
            });
            found.map(move |block| (module, block))
        })
    }

    /// Whether a module has a block of a provider configuration.
    pub fn has_provider(&self, address: &ProviderConfig) -> bool {
        self.providers(address).next().is_some()
    }

    /// The block that configures a provider, with its module: a block whose local name does not belong to the provider configures nothing
    /// (E171).
    pub fn configuring(&self, address: &ProviderConfig) -> Option<(usize, &'w Provider)> {
        self.providers(address).find(|(module, block)| {
            self.schemas.is_known_by(&self.modules[*module].configuration.module, &block.name.text)
        })
    }

    /// A module by its path.
    pub fn module(&self, path: &[String]) -> Option<usize> {
        self.module_places.get(path).copied()
    }

    /// The module that an instance is one of.
    pub fn module_of(&self, instance: &ModuleInstance) -> Option<usize> {
        self.module(&instance.module().0)
    }

    /// A block by its address; those of checks too.
    pub fn find(&self, module: usize, resource: &Resource) -> Option<usize> {
        self.block_places.get(&(module, resource.clone())).copied()
    }

    /// The block of an instance.
    pub fn block_of(&self, instance: &AbsResourceInstance) -> Option<usize> {
        self.find(self.module_of(&instance.module)?, &instance.resource)
    }

    /// The address of a block.
    pub fn address(&self, block: usize) -> ConfigResource {
        let block = &self.blocks[block];
        ConfigResource { module: Module(self.modules[block.module].path.clone()), resource: block.address.clone() }
    }

    /// The references of a block, except `depends_on` (G63).
    pub fn block_references(&self, block: usize) -> Vec<Traversal> {
        let resource = self.blocks[block].resource;
        let mut found = self.of_body(&resource.config, self.blocks[block].schema.map(|schema| &schema.block));
        let expressions = [&resource.repetition.count, &resource.repetition.for_each].into_iter().flatten();
        found.extend(expressions.flat_map(|expr| expr.references.clone()));
        let rules = resource.lifecycle.preconditions.iter().chain(&resource.lifecycle.postconditions);
        found.extend(rules.flat_map(rule_references));
        found.extend(resource.lifecycle.replace_triggered_by.iter().flat_map(|expr| expr.references.clone()));
        let create_time = resource.provisioners.iter().filter(|provisioner| !provisioner.at_destroy);
        let bodies = create_time.flat_map(|one| [Some(&one.config), one.connection.as_ref()]).flatten();
        found.extend(bodies.chain(&resource.connection).flat_map(|body| body_references(body, self.sources)));
        found
    }
}

impl Layout<'_> {
    /// The references of a body, as far as its schema expects something there.
    pub fn of_body(&self, body: &Body, schema: Option<&SchemaBlock>) -> Vec<Traversal> {
        schema_references(body, schema, self.sources)
    }
}

/// The references of a condition and its message.
pub fn rule_references(rule: &config::Rule) -> Vec<Traversal> {
    let both = [&rule.condition, &rule.error_message].into_iter().flatten();
    both.flat_map(|expr| expr.references.clone()).collect()
}
