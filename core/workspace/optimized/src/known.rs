//! Providers and types that a configuration and a state know.

use planfuzz_core::address::{InstanceKey, Module, ProviderConfig, ProviderSource, Resource, ResourceMode};
use planfuzz_core::dialect::Engine;
use planfuzz_language::check::{local_name, provider_source};
use planfuzz_language::config;

use crate::body::BodyProgram;
use crate::model::{Model, ProviderOf, Repeats, Typed};

impl<'w> Model<'w> {
    /// E170, E171: the provider configuration of a block.
    pub(crate) fn provider_of(&self, module: usize, of: &config::Resource) -> ProviderConfig {
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
        self.provider_config(at, &name, alias)
    }

    /// G49: the imports of the root whose targets have no block, where they are nodes of a walk, with their places.
    pub(crate) fn imports_of_nothing(&self) -> impl Iterator<Item = (usize, &'w config::Import)> {
        let imports = self.modules[0].of.imports.iter().enumerate();
        let are_nodes = !self.dialect.looks_for_import_blocks_first();
        imports.filter(move |(_, import)| are_nodes && self.import_block(import).is_none())
    }

    /// G49: that of an import of the root whose target has no block.
    pub(crate) fn provider_of_import(&self, import: &config::Import) -> Option<ProviderConfig> {
        let target = &import.target.resource.resource;
        let (name, alias) = match &import.provider {
            Some(written) => (written.name.to_string(), written.alias.as_ref().map(ToString::to_string)),
            None => (target.type_name.split('_').next()?.to_owned(), None),
        };
        Some(self.provider_config(0, &name, alias))
    }

    fn provider_config(&self, at: usize, name: &str, alias: Option<String>) -> ProviderConfig {
        let source = ProviderSource::parse(&self.source(self.modules[at].of, name))
            .unwrap_or_else(|| ProviderSource::default_of(self.dialect.engine(), name));
        ProviderConfig { module: Module(self.modules[at].path.clone()), source, alias, key: InstanceKey::None }
    }

    /// The source of a local name: the host that is not written is the engine's own (PL73).
    fn source(&self, of: &config::Module, name: &str) -> String {
        let source = provider_source(of, name);
        match (self.dialect.engine(), source.strip_prefix("registry.terraform.io/hashicorp/")) {
            (Engine::OpenTofu, Some(name)) => ProviderSource::default_of(Engine::OpenTofu, name).to_string(),
            _ => source,
        }
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
            let lexicon = self.lexicon(self.sources, module, Repeats::Once, &declares);
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
                && self.source(of, &one.name.text) == source
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
}
