//! The checks before any walk: flags, variables, providers, imports, removals (G01, G03, G07, G46, G49).

use std::collections::BTreeSet;

use planfuzz_core::address::{AbsResource, AbsResourceInstance, Notation, Resource, ResourceMode};
use planfuzz_core::plans::Mode;
use planfuzz_language::config;
use planfuzz_workspace::{Diagnostic, State, Workspace};

use crate::imports::{self, NO_CONFIGURATION};
use crate::phases::Command;
use crate::references;
use crate::walk::Purpose;

/// G01: errors of the options, found before anything is read.
pub fn flags(workspace: &Workspace) -> Vec<Diagnostic> {
    let options = &workspace.options;
    let mut diagnostics = Vec::new();
    if options.mode == Mode::RefreshOnly && !options.refresh {
        diagnostics.push(Diagnostic::error("Incompatible refresh options"));
    }
    let notation = Notation { engine: workspace.dialect.engine() };
    if !options.targets.is_empty() && !options.excludes.is_empty() {
        diagnostics.push(Diagnostic::error("Invalid combination of arguments"));
    }
    for text in options.targets.iter().chain(&options.excludes) {
        if notation.target(text).is_err() {
            diagnostics.push(Diagnostic::error(format!("Invalid target {text:?}")));
        }
    }
    for text in &options.replace {
        let is_managed = |address: AbsResourceInstance| address.resource.mode == ResourceMode::Managed;
        if !notation.instance(text).is_ok_and(is_managed) {
            diagnostics.push(Diagnostic::error(format!("Invalid force-replace address {text:?}")));
        }
    }
    diagnostics
}

/// G03, E02
pub fn root_variables(workspace: &Workspace, root: &config::Module) -> Vec<Diagnostic> {
    let declared = &root.variables;
    let given = &workspace.options.variables;
    let mut diagnostics = Vec::new();
    for variable in declared {
        if variable.written_default.is_none() && !given.iter().any(|(name, _)| **name == *variable.name.text) {
            diagnostics.push(Diagnostic::error("No value for required variable"));
        }
    }
    for (name, _) in given {
        if !declared.iter().any(|variable| *variable.name.text == **name) {
            diagnostics.push(Diagnostic::error("Value for undeclared variable"));
        }
    }
    diagnostics
}

impl Command<'_, '_, '_> {
    /// G49: checks that the targets of all imports have blocks.
    pub fn imports_configured(&mut self) {
        if !self.workspace.dialect.looks_for_import_blocks_first() {
            return;
        }
        for import in &self.layout.modules[0].configuration.module.imports {
            if crate::imports::block_of(self.layout, import).is_none() {
                self.diagnostics.push(Diagnostic::error(NO_CONFIGURATION));
            }
        }
    }

    /// G46
    pub fn removed_still_there(&mut self) {
        // Of several blocks with the same address only one is reported.
        let mut known: BTreeSet<(usize, Option<Resource>)> = BTreeSet::new();
        for module in &self.layout.modules {
            for removed in &module.configuration.module.removed {
                let mut path = module.path.clone();
                let mut at = removed.from.clone();
                let mut is_module = false;
                while &*at.root == "module" {
                    let mut steps = std::mem::take(&mut at.steps).into_iter();
                    let Some(config::StepKind::Attribute(name)) = steps.next().map(|step| step.kind) else { break };
                    path.push(name.to_string());
                    match steps.next().map(|step| step.kind) {
                        Some(config::StepKind::Attribute(root)) => (at.root, at.steps) = (root, steps.collect()),
                        _ => {
                            is_module = true;
                            break;
                        }
                    }
                }
                let Some(found) = self.layout.module(&path) else { continue };
                let resource = references::resource(&at).filter(|_| !is_module);
                if !known.insert((found, resource.clone())) {
                    continue;
                }
                if is_module {
                    self.diagnostics.push(Diagnostic::error("Removed module still exists"));
                } else if resource.is_some_and(|resource| self.layout.find(found, &resource).is_some()) {
                    self.diagnostics.push(Diagnostic::error("Removed resource still exists"));
                }
            }
        }
    }

    /// G49: missing providers of imports whose targets have no block.
    pub fn missing_providers_of_imports(&self) -> Vec<Diagnostic> {
        let is_missing = |import: &&config::Import| {
            let provider = self.layout.provider_of_import(import);
            provider.alias.is_some() && !self.layout.has_provider(&provider)
        };
        let missing = imports::of_nothing(self.layout).map(|(_, import)| import).find(is_missing);
        missing.map(|_| Diagnostic::error("Provider configuration not present")).into_iter().collect()
    }

    /// G07, E179: objects whose provider configuration is gone.
    pub fn providers_present(&mut self, state: &State, purpose: Purpose) {
        for (address, resource) in &state.resources {
            if !asks_providers(address, purpose) {
                continue;
            }
            let provider = &self.layout.passed_on(&resource.provider);
            let is_default = provider.module.is_root() && provider.alias.is_none();
            if is_default || self.layout.has_provider(provider) {
                continue;
            }
            // G64, G85: an object with a block has the provider of the block.
            let module = self.layout.module_of(&address.module);
            if module.is_some_and(|module| self.layout.find(module, &address.resource).is_some()) {
                continue;
            }
            // Each object is a node of its own.
            let nodes = resource
                .instances
                .values()
                .map(|instance| instance.deposed.len() + usize::from(instance.current.is_some()));
            for _ in 0..nodes.sum() {
                self.diagnostics.push(Diagnostic::error("Provider configuration not present"));
            }
        }
    }
}

/// G15, G52, G85: whether a stored resource without block needs its provider. Data do only where they are not dropped: in the command
/// `import`, and in a destruction.
pub fn asks_providers(of: &AbsResource, purpose: Purpose) -> bool {
    of.resource.mode == ResourceMode::Managed || matches!(purpose, Purpose::Import | Purpose::Destroy)
}

/// G04: missing providers of stored objects, reported after the validation walk.
pub fn missing_of_state(workspace: &Workspace) -> Vec<Diagnostic> {
    let stored = workspace.state.iter().flat_map(|state| state.resources.values());
    let sources: BTreeSet<String> = stored.map(|resource| resource.provider.source.to_string()).collect();
    let missing = sources.iter().filter(|source| workspace.schemas.provider(source).is_none());
    missing.map(|_| Diagnostic::error("Missing required provider")).collect()
}
