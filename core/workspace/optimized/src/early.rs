//! The errors that are found before any walk (sections 2 and 3 of workspace-plan.md).

use hashbrown::{HashMap, HashSet};
use planfuzz_core::address::{AbsResourceInstance, Notation, ProviderConfig, ProviderSource, Resource, ResourceMode};
use planfuzz_core::plans::Mode;
use planfuzz_core::state::InstanceState;
use planfuzz_language::config;
use planfuzz_workspace::{Diagnostic, Options, State, Workspace};

use crate::command::Command;
use crate::gone;
use crate::model::Model;
use crate::wiring::Gone;

/// G01: errors of the options, found before a file is opened.
pub(crate) fn flags(workspace: &Workspace) -> Vec<Diagnostic> {
    let options = &workspace.options;
    let notation = Notation { engine: workspace.dialect.engine() };
    let mut wrong = Vec::new();
    if options.mode == Mode::RefreshOnly && !options.refresh {
        wrong.push("Incompatible refresh options".to_owned());
    }
    if !options.targets.is_empty() && !options.excludes.is_empty() {
        wrong.push("Invalid combination of arguments".to_owned());
    }
    let targets = options.targets.iter().chain(&options.excludes).filter(|text| notation.target(text).is_err());
    wrong.extend(targets.map(|text| format!("Invalid target {text:?}")));
    let is_managed = |address: AbsResourceInstance| address.resource.mode == ResourceMode::Managed;
    let replaced = options.replace.iter().filter(|text| !notation.instance(text).is_ok_and(is_managed));
    wrong.extend(replaced.map(|text| format!("Invalid force-replace address {text:?}")));
    wrong.into_iter().map(Diagnostic::error).collect()
}

/// What is wrong with the values of the variables of the root module (G03, E02).
pub(crate) fn root_variables(options: &Options, root: &config::Module) -> Vec<Diagnostic> {
    let given: HashSet<&str> = options.variables.iter().map(|(name, _)| name.as_str()).collect();
    let declared: HashSet<&str> = root.variables.iter().map(|variable| &*variable.name.text).collect();
    let required = root.variables.iter().filter(|variable| variable.written_default.is_none());
    let missing = required.filter(|variable| !given.contains(&*variable.name.text));
    let missing = missing.map(|_| Diagnostic::error("No value for required variable"));
    let undeclared = options.variables.iter().filter(|(name, _)| !declared.contains(name.as_str()));
    missing.chain(undeclared.map(|_| Diagnostic::error("Value for undeclared variable"))).collect()
}

impl Command<'_, '_, '_> {
    /// Reports what is wrong with the values of the variables of the root module; returns whether anything is.
    pub(crate) fn lacks_root_variables(&mut self, model: &Model<'_>) -> bool {
        self.diagnostics.extend(root_variables(&self.workspace.options, model.modules[0].of));
        self.has_errors()
    }

    /// G46
    pub(crate) fn removed_still_there(&mut self, model: &Model<'_>) {
        let mut known: HashSet<(usize, Option<Resource>)> = HashSet::new();
        for module in &model.modules {
            for removed in &module.of.removed {
                let Some((path, at)) = gone::below(&module.path, &removed.from) else { continue };
                let Some(found) = model.module(&path) else { continue };
                let resource = at.as_ref().and_then(crate::configured::resource).map(|(resource, _)| resource);
                // Of several blocks with the same address only one is reported.
                if !known.insert((found, resource.clone())) {
                    continue;
                }
                match (at, resource) {
                    (None, _) => self.error("Removed module still exists"),
                    (Some(_), Some(resource)) if model.find(found, &resource).is_some() => {
                        self.error("Removed resource still exists");
                    }
                    _ => {}
                }
            }
        }
    }

    /// G07, E179: objects whose provider configuration is gone.
    pub(crate) fn providers_present(&mut self, model: &Model<'_>, state: &State, of: Gone) {
        for (address, resource) in &state.resources {
            let provider = &*model.passed_on(&resource.provider);
            let is_default = provider.module.is_root() && provider.alias.is_none();
            if is_default || !of.asks(address.resource.mode) || model.has_provider_block(provider) {
                continue;
            }
            let module = model.module_of(&address.module);
            // G64, G85: what has a block is its, whatever is stored.
            if module.is_some_and(|module| model.find(module, &address.resource).is_some()) {
                continue;
            }
            let objects = |one: &InstanceState| one.deposed.len() + usize::from(one.current.is_some());
            let nodes = resource.instances.values().map(objects);
            for _ in 0..nodes.sum() {
                self.error("Provider configuration not present");
            }
        }
    }
}

/// How many providers of stored objects are not there (G04).
pub(crate) fn unserved(workspace: &Workspace) -> usize {
    let mut known: HashMap<&ProviderSource, bool> = HashMap::new();
    for stored in workspace.state.iter().flat_map(|state| state.resources.values()) {
        let source = &stored.provider.source;
        known.entry(source).or_insert_with(|| workspace.schemas.provider(&source.to_string()).is_some());
    }
    known.values().filter(|is_there| !**is_there).count()
}

/// G49: whether the provider of an import whose target has no block is an undeclared alias.
pub(crate) fn misses_provider_of_import(model: &Model<'_>) -> bool {
    let is_lost = |provider: &ProviderConfig| provider.alias.is_some() && !model.has_provider_block(provider);
    model.imports_of_nothing().filter_map(|(_, import)| model.provider_of_import(import)).any(|one| is_lost(&one))
}
