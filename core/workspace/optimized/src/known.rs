//! The providers and types of a configuration and a state.

use std::borrow::Cow;

use planfuzz_core::address::{InstanceKey, Module, ProviderConfig, ProviderSource, Resource, ResourceMode};
use planfuzz_language::config::{self, local_name};

use crate::body::BodyProgram;
use crate::body_layout::BodyLayout;
use crate::model::{Model, ProviderOf, Repeats, Typed};

impl<'w> Model<'w> {
    /// E170, E171: the provider configuration of a block.
    pub(crate) fn provider_of(&self, module: usize, of: &config::Resource) -> ProviderConfig {
        let (source, alias) = self.provider_named(module, of);
        self.configuration_of(module, &source, alias)
    }

    /// The provider configuration by which what a block took over is stored: as the module of the block names it, whatever calls pass.
    pub(crate) fn unresolved(&self, block: usize) -> ProviderConfig {
        let of = &self.blocks[block];
        let (source, alias) = self.provider_named(of.module, of.of);
        self.address(of.module, &source, alias)
    }

    /// The source and the alias that a block names.
    fn provider_named<'r>(&self, module: usize, of: &'r config::Resource) -> (String, Option<&'r str>) {
        let alias = of.provider.as_ref().and_then(|one| one.alias.as_deref());
        (self.schemas.source(self.modules[module].of, local_name(of)), alias)
    }

    /// The provider configuration of a source and an alias in a module: if the call of the module passes it, that of the module around.
    /// Otherwise an alias belongs to the module itself, and so does a configuration that the module has a block of.
    fn configuration_of(&self, module: usize, source: &str, alias: Option<&str>) -> ProviderConfig {
        let of = self.modules[module].of;
        let is_same = |name: &str, its: Option<&str>| its == alias && self.schemas.source(of, name) == source;
        let Some((parent, _)) = self.modules[module].call else { return self.address(module, source, alias) };
        let is_own =
            |block: &config::Provider| is_same(&block.name.text, block.alias.as_ref().map(|alias| &*alias.value));
        let has_own = of.providers.iter().any(is_own);
        let passed = self.passed(module, source, alias);
        match passed.filter(|_| !has_own || !fault!(OwnBeforePassed)) {
            Some((_, outer)) => self.configuration_of(parent, source, outer.alias.as_deref()),
            None if alias.is_some() || has_own => self.address(module, source, alias),
            None => self.configuration_of(parent, source, None),
        }
    }

    /// The provider that the call of a module passes for one of its configurations, with the module around.
    fn passed(&self, module: usize, source: &str, alias: Option<&str>) -> Option<(usize, &'w config::ProviderRef)> {
        let (parent, call) = self.modules[module].call?;
        let is_same = |inner: &config::ProviderRef| {
            inner.alias.as_deref() == alias && self.schemas.source(self.modules[module].of, &inner.name) == source
        };
        call.providers.iter().find(|(inner, _)| is_same(inner)).map(|(_, outer)| (parent, outer))
    }

    /// The provider configuration of a block, whatever is stored.
    pub(crate) fn address_of(&self, block: usize) -> &ProviderConfig {
        &self.providers[self.blocks[block].provider].address
    }

    /// E171: the provider configuration of a stored object without a block, as calls pass it now.
    pub(crate) fn passed_on<'s>(&self, stored: &'s ProviderConfig) -> Cow<'s, ProviderConfig> {
        let mut found = Cow::Borrowed(stored);
        while !found.module.is_root() {
            let Some(module) = self.module(&found.module.0) else { break };
            let source = found.source.to_string();
            let Some((parent, outer)) = self.passed(module, &source, found.alias.as_deref()) else { break };
            found = Cow::Owned(self.address(parent, &source, outer.alias.as_deref()));
        }
        found
    }

    fn address(&self, module: usize, source: &str, alias: Option<&str>) -> ProviderConfig {
        // An incomplete source address stands for one as well: its last part, in the engine's own registry.
        let default = || {
            let type_name = source.rsplit_once('/').map_or(source, |(_, last)| last);
            ProviderSource::default_of(self.dialect.engine(), type_name)
        };
        let source = ProviderSource::parse(source).unwrap_or_else(default);
        let alias = alias.map(str::to_owned);
        ProviderConfig { module: Module(self.modules[module].path.clone()), source, alias, key: InstanceKey::None }
    }

    /// G49: the imports of the root whose targets have no block, if they are nodes of a walk, with their places.
    pub(crate) fn imports_of_nothing(&self) -> impl Iterator<Item = (usize, &'w config::Import)> {
        let imports = self.modules[0].of.imports.iter().enumerate();
        let are_nodes = !self.dialect.looks_for_import_blocks_first();
        imports.filter(move |(_, import)| are_nodes && self.import_block(import).is_none())
    }

    /// G49: the provider configuration of an import of the root whose target has no block: the root decides which provider that is; one
    /// that is named is the root's own, any other that of the target's module.
    pub(crate) fn provider_of_import(&self, import: &config::Import) -> Option<ProviderConfig> {
        let source = |name: &str| self.schemas.source(self.modules[0].of, name);
        match &import.provider {
            Some(written) => Some(self.address(0, &source(&written.name), written.alias.as_deref())),
            None => {
                let module = self.import_module(import).unwrap_or(0);
                let name = config::local_name_of(&import.target.resource.resource.type_name);
                Some(self.configuration_of(module, &source(name), None))
            }
        }
    }

    /// The number of a provider configuration.
    pub fn provider(&mut self, address: &ProviderConfig) -> usize {
        if let Some(&found) = self.provider_places.get(address) {
            return found;
        }
        let block = self.provider_block(address);
        let schema = self.schemas.provider(&address.source.to_string());
        let layout = schema.map(|schema| BodyLayout::of(&schema.config.block, self.dialect));
        let body = block.zip(schema).zip(layout.as_ref()).map(|(((module, block), schema), layout)| {
            let declares = |resource: &Resource| self.find(module, resource).is_some();
            let lexicon = self.lexicon(self.sources, module, Repeats::Once, &declares);
            let body = BodyProgram::compile(lexicon, &block.config, &schema.config.block, layout);
            let mut needs = Vec::new();
            body.needs(&mut needs);
            (body, self.uses(module, needs))
        });
        let ty = layout.map(|layout| layout.ty.clone());
        let number = self.providers.len();
        self.providers.push(ProviderOf { address: address.clone(), block, body, ty });
        self.provider_places.insert(address.clone(), number);
        number
    }

    /// The number of a known provider configuration.
    pub fn provider_place(&self, address: &ProviderConfig) -> Option<usize> {
        self.provider_places.get(address).copied()
    }

    /// Whether the module of a provider configuration has a block for it.
    pub fn has_provider_block(&self, address: &ProviderConfig) -> bool {
        self.module(&address.module.0).is_some_and(|module| self.blocks_of(module, address).next().is_some())
    }

    /// The block that configures a provider: its local name belongs to the provider (E171).
    fn provider_block(&self, address: &ProviderConfig) -> Option<(usize, &'w config::Provider)> {
        let module = self.module(&address.module.0)?;
        let of = self.modules[module].of;
        let found = self.blocks_of(module, address).find(|block| self.schemas.is_known_by(of, &block.name.text));
        found.map(|block| (module, block))
    }

    fn blocks_of<'s>(
        &'s self,
        module: usize,
        address: &'s ProviderConfig,
    ) -> impl Iterator<Item = &'w config::Provider> + 's {
        let of = self.modules[module].of;
        let source = address.source.to_string();
        of.providers.iter().filter(move |one| {
            one.alias.as_ref().map(|alias| &*alias.value) == address.alias.as_deref()
                && self.schemas.source(of, &one.name.text) == source
        })
    }

    /// The number of a schema.
    pub fn typed(&mut self, source: &str, mode: ResourceMode, type_name: &str) -> Option<usize> {
        let place = (source.to_owned(), mode, type_name.to_owned());
        if let Some(&found) = self.typed_places.get(&place) {
            return Some(found);
        }
        let schema = self.schemas.provider(source)?.types.get(&(mode, type_name.to_owned()))?;
        self.typed.push(Typed::new(schema, self.dialect));
        self.typed_places.insert(place, self.typed.len() - 1);
        Some(self.typed.len() - 1)
    }

    /// The number of a known schema.
    pub fn typed_place(&self, source: &str, mode: ResourceMode, type_name: &str) -> Option<usize> {
        self.typed_places.get(&(source.to_owned(), mode, type_name.to_owned())).copied()
    }
}
