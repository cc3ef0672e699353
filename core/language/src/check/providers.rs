//! Finds the provider configuration of each resource through the modules (E170 to E172), and reports missing ones (E177).
//!
//! A configuration is searched by the source of its provider, in the module of the resource and then in the surrounding ones; each call may
//! pass another alias of the same provider.

use std::collections::BTreeSet;
use std::fmt;

use hashbrown::HashMap;
use planfuzz_core::value::Text;

use super::declared::Declared;
use super::schemas::Schemas;
use crate::config::{Configuration, Module, ModuleCall, Provider, ProviderRef, Resource, local_name, local_name_of};
use crate::diagnostic::Diagnostic;
use crate::place::SourcePlace;

/// A provider configuration: the path of the module that has it, the source of its provider, its alias. Shown as its address.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ConfiguredProvider {
    pub path: Vec<Text>,
    pub source: String,
    pub alias: Option<Text>,
}

impl ConfiguredProvider {
    /// The configuration of a `provider` block.
    pub fn of_block(block: &Provider, module: &Module, path: &[Text], schemas: &Schemas) -> ConfiguredProvider {
        let alias = block.alias.as_ref().map(|alias| alias.value.clone());
        ConfiguredProvider { path: path.to_vec(), source: schemas.source(module, &block.name.text), alias }
    }
}

impl fmt::Display for ConfiguredProvider {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path.iter().try_for_each(|name| write!(out, "module.{}.", name.as_str()))?;
        write!(out, "provider[{:?}]", self.source)?;
        self.alias.iter().try_for_each(|alias| write!(out, ".{}", alias.as_str()))
    }
}

/// The configuration of a resource; `parents` are the modules from the root to the one that has it.
pub(super) fn of_resource(
    resource: &Resource,
    path: &[Text],
    parents: &[&Configuration],
    schemas: &Schemas,
) -> ConfiguredProvider {
    let alias = resource.provider.as_ref().and_then(|provider| provider.alias.clone());
    let source = schemas.source(&parents[path.len()].module, local_name(resource));
    used(ConfiguredProvider { path: path.to_vec(), source, alias }, parents, schemas)
}

/// The configurations of imports whose targets have no block (G49). A configuration that an import names is the root's own. Otherwise it is
/// looked up in the module of the missing block, with the source that the name has in the root.
pub(super) fn of_imports(root: &Configuration, schemas: &Schemas) -> Vec<ConfiguredProvider> {
    let mut modules: HashMap<&[String], Option<(Vec<&Configuration>, Declared<'_>)>> = HashMap::new();
    let mut found = Vec::new();
    for import in &root.module.imports {
        let path = &import.target.resource.module.0;
        let resource = &import.target.resource.resource;
        let module = modules.entry(path).or_insert_with(|| {
            let parents = parents(path, root)?;
            let declared = Declared::of(parents.last()?);
            Some((parents, declared))
        });
        let Some((parents, declared)) = module else { continue };
        if declared.resources.contains_key(&(resource.mode, &*resource.type_name, &*resource.name)) {
            continue;
        }
        let source = |name: &str| schemas.source(&root.module, name);
        found.push(match &import.provider {
            Some(named) => {
                ConfiguredProvider { path: Vec::new(), source: source(&named.name), alias: named.alias.clone() }
            }
            None => {
                let path = path.iter().map(|name| Text::from(name.as_str())).collect();
                let source = source(local_name_of(&resource.type_name));
                used(ConfiguredProvider { path, source, alias: None }, parents, schemas)
            }
        });
    }
    found
}

/// The modules from the root to the one at a path; `None` if there is none.
fn parents<'c>(path: &[String], root: &'c Configuration) -> Option<Vec<&'c Configuration>> {
    let mut parents = vec![root];
    for name in path {
        parents.push(parents.last()?.children.get(name.as_str())?);
    }
    Some(parents)
}

/// Resolves a configuration of a module through what its callers pass.
fn used(mut held: ConfiguredProvider, parents: &[&Configuration], schemas: &Schemas) -> ConfiguredProvider {
    let source = |module: &Module, name: &str| schemas.source(module, name);
    while !held.path.is_empty() {
        let depth = held.path.len();
        let inner = &parents[depth].module;
        let is_meant = |of: &ProviderRef| of.alias == held.alias && source(inner, &of.name) == held.source;
        let call = &parents[depth - 1].module.calls[parents[depth].call];
        let given = call.providers.iter().find(|(inner, _)| is_meant(inner));
        match given {
            Some((_, here)) => held.alias = here.alias.clone(),
            None if held.alias.is_some() => break,
            None if inner
                .providers
                .iter()
                .any(|block| ConfiguredProvider::of_block(block, inner, &held.path, schemas) == held) =>
            {
                break;
            }
            None => {}
        }
        held.path.pop();
    }
    held
}

/// The configurations of all modules: their own ones and those that callers pass.
#[derive(Default)]
pub(super) struct Known(BTreeSet<ConfiguredProvider>);

impl Known {
    /// The configurations of all modules, or the diagnostic of the first missing one that a call passes (E177).
    pub fn of(configuration: &Configuration, schemas: &Schemas) -> Result<Known, Diagnostic> {
        let mut known = Known::default();
        match known.add(configuration, &mut Vec::new(), schemas) {
            None => Ok(known),
            Some(held) => {
                let place = SourcePlace::default();
                Err(Diagnostic::error(format!("missing provider {held}"), "", place).without_place())
            }
        }
    }

    /// Adds the configurations of a module and of all that it calls; returns the first missing one that a call passes.
    fn add(
        &mut self,
        configuration: &Configuration,
        path: &mut Vec<Text>,
        schemas: &Schemas,
    ) -> Option<ConfiguredProvider> {
        let module = &configuration.module;
        self.0.extend(module.providers.iter().map(|block| ConfiguredProvider::of_block(block, module, path, schemas)));
        if path.is_empty() {
            let required = module.settings.iter().flat_map(|settings| &settings.required_providers);
            let sources = required.map(|required| schemas.source(module, &required.name.text));
            self.0.extend(sources.map(|source| ConfiguredProvider { path: Vec::new(), source, alias: None }));
        }
        for (name, child) in &configuration.children {
            let missing = self.pass(&module.calls[child.call], &child.module, path, schemas);
            if missing.is_some() {
                return missing;
            }
            path.push(name.clone());
            let missing = self.add(child, path, schemas);
            path.pop();
            if missing.is_some() {
                return missing;
            }
        }
        None
    }

    fn pass(
        &mut self,
        call: &ModuleCall,
        child: &Module,
        path: &[Text],
        schemas: &Schemas,
    ) -> Option<ConfiguredProvider> {
        let inside: Vec<Text> = path.iter().chain([&call.name.text]).cloned().collect();
        for (inner, outer) in &call.providers {
            let source = schemas.source(child, &inner.name);
            let wanted = ConfiguredProvider { path: path.to_vec(), source: source.clone(), alias: outer.alias.clone() };
            if !self.0.contains(&wanted) {
                return Some(wanted);
            }
            self.0.insert(ConfiguredProvider { path: inside.clone(), source, alias: inner.alias.clone() });
        }
        None
    }

    /// The diagnostics of resources whose aliased configuration is missing.
    pub fn not_present(&self, configuration: &Configuration, path: &[Text], schemas: &Schemas) -> Vec<Diagnostic> {
        let module = &configuration.module;
        let of_checks = module.checks.iter().filter_map(|check| check.data.as_ref());
        let mut diagnostics = Vec::new();
        for resource in module.resources.iter().chain(of_checks) {
            let alias = resource.provider.as_ref().and_then(|provider| provider.alias.clone());
            let source = schemas.source(module, local_name(resource));
            let held = ConfiguredProvider { path: path.to_vec(), source, alias };
            if held.alias.is_some() && !self.0.contains(&held) {
                let detail = format!(
                    "{}.{} needs the provider configuration {held}, which is not there.",
                    resource.type_name.text.as_str(),
                    resource.name.text.as_str()
                );
                diagnostics.push(
                    Diagnostic::error("Provider configuration not present", detail, resource.header).without_place(),
                );
            }
        }
        diagnostics
    }
}
