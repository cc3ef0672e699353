//! Checks at load of provider configurations and of how calls pass them (E171, E178).
//!
//! A module declares its configurations by requiring a provider, by `configuration_aliases`, and by blocks; a block without arguments is
//! the old way to declare a configuration that is passed in. A passed configuration is found in the calling module by the source of the
//! provider in the called one, so a local name alone is not enough.

use std::collections::{BTreeMap, BTreeSet};

use planfuzz_core::address::ResourceMode;
use planfuzz_core::dialect::Engine;
use planfuzz_core::value::Text;

use super::provider_source::{local_name, provider_source};
use super::tree::{Module, ModuleCall, Provider, ProviderRef, RequiredProvider, Resource};
use crate::diagnostic::Diagnostic;
use crate::place::SourcePlace;

/// The diagnostics of a call: of the configurations that it passes, and of those that the called module has.
pub(super) fn call(parent: &Module, call: &ModuleCall, child: &Module, path: &[&str]) -> Vec<Diagnostic> {
    let passing = Passing { parent, call, child, path };
    let mut diagnostics = passing.redundant();
    call.providers.iter().for_each(|(inner, outer)| diagnostics.extend(passing.one(inner, outer)));
    diagnostics.extend(passing.aliases());
    diagnostics.extend(passing.forwarded());
    diagnostics
}

struct Passing<'m> {
    parent: &'m Module,
    call: &'m ModuleCall,
    child: &'m Module,
    path: &'m [&'m str],
}

impl Passing<'_> {
    /// Warns of blocks without arguments in a called module.
    fn redundant(&self) -> Vec<Diagnostic> {
        let blocks = self.child.providers.iter().filter(|block| !has_arguments(block));
        let diagnostics = blocks.map(|block| {
            let detail = format!(
                "A provider block without arguments in {} only names a configuration that is passed in; required_providers does that.",
                module_text(self.path)
            );
            Diagnostic::warning("Redundant empty provider block", detail, block.header)
        });
        diagnostics.collect()
    }

    /// Checks one passed configuration.
    fn one(&self, inner: &ProviderRef, outer: &ProviderRef) -> Vec<Diagnostic> {
        let mut diagnostics = Vec::new();
        if !takes(self.child, inner) {
            diagnostics.push(undefined(&inner.text(), self.path, inner));
        }
        let around = &self.path[..self.path.len() - 1];
        if outer.alias.is_none() && !has_default(self.parent, &outer.name) {
            diagnostics.push(undefined(&outer.text(), around, outer));
        }
        if has_own(self.child, inner) {
            let detail = format!("{} has an own configuration of {:?}.", module_text(self.path), inner.text());
            diagnostics.push(Diagnostic::error("Cannot override provider configuration", detail, inner.place));
        }
        let (wanted, given) = (source(self.child, &inner.name), self.given(inner, outer));
        if wanted != given {
            let detail = format!("{:?} is {given:?} here and {wanted:?} in {}.", inner.text(), module_text(self.path));
            diagnostics.push(Diagnostic::error("Provider type mismatch", detail, outer.place));
        }
        diagnostics
    }

    /// The source of the passed provider in the calling module: by the name of the called module if it is required there, else by its own
    /// name.
    fn given(&self, inner: &ProviderRef, outer: &ProviderRef) -> String {
        let name = if requires(self.parent, &inner.name) { &inner.name } else { &outer.name };
        source(self.parent, name)
    }

    /// Reports aliases that the module requires, but neither gets from the call nor configures itself.
    fn aliases(&self) -> Vec<Diagnostic> {
        let aliases = required(self.child).flat_map(|required| &required.aliases);
        let missing = aliases.filter(|wanted| !self.passes(wanted) && !has_own(self.child, wanted));
        let diagnostics = missing.map(|wanted| {
            let detail = format!(
                "The child module requires an additional configuration for the provider with the local name {:?}.",
                wanted.text()
            );
            Diagnostic::error("Missing required provider configuration", detail, self.call.header)
        });
        diagnostics.collect()
    }

    /// Warns of default configurations that the module passes on without getting them.
    fn forwarded(&self) -> Vec<Diagnostic> {
        let passed = self.child.calls.iter().flat_map(|call| call.providers.iter().map(|(_, outer)| outer));
        let lacking = passed.filter(|outer| {
            let is_default = outer.alias.is_none() && requires(self.child, &outer.name);
            is_default && !self.passes(outer) && !has_own(self.child, outer)
        });
        let diagnostics = lacking.map(|outer| {
            let detail = format!(
                "{} passes on its configuration of {:?}, and is passed none.",
                module_text(self.path),
                outer.text()
            );
            Diagnostic::warning("Missing required provider configuration", detail, self.call.header)
        });
        diagnostics.collect()
    }

    fn passes(&self, wanted: &ProviderRef) -> bool {
        self.call.providers.iter().any(|(inner, _)| inner.name == wanted.name && inner.alias == wanted.alias)
    }
}

/// Warns of several local names for one provider in a module: required names, names of blocks, and names implied by types.
pub(super) fn duplicates(module: &Module) -> Vec<Diagnostic> {
    let mut names: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for required in required(module) {
        let names = names.entry(source(module, &required.name.text)).or_default();
        if !names.contains(&&*required.name.text) {
            names.push(&required.name.text);
        }
    }
    if names.is_empty() {
        return Vec::new();
    }
    let mut diagnostics: Vec<Diagnostic> =
        names.values().flat_map(|names| names.iter().skip(1).map(|name| duplicate(module, name))).collect();
    let others = |name: &str| match requires(module, name) {
        true => 0,
        false => names.get(&source(module, name)).map_or(0, Vec::len),
    };
    let blocks: BTreeSet<&str> = module.providers.iter().map(|block| &*block.name.text).collect();
    let of_checks = module.checks.iter().filter_map(|check| check.data.as_ref());
    let is_implied = |resource: &&Resource| resource.provider.is_none() && resource.mode != ResourceMode::Ephemeral;
    let implied = module.resources.iter().chain(of_checks).filter(is_implied);
    for name in blocks.into_iter().chain(implied.map(local_name)) {
        diagnostics.extend((0..others(name)).map(|_| duplicate(module, name)));
    }
    diagnostics
}

fn duplicate(module: &Module, name: &str) -> Diagnostic {
    let detail = format!("{:?} has another local name than {name:?} here.", source(module, name));
    Diagnostic::warning("Duplicate required provider", detail, SourcePlace::default()).without_place()
}

/// Reports a module with provider configurations of its own that is repeated or ordered (E178), at the place of `count`, `for_each` or
/// `depends_on` on the path to it.
pub(super) fn legacy(module: &Module, path: &[&str], repeated: Option<SourcePlace>) -> Option<Diagnostic> {
    let place = repeated.filter(|_| module.providers.iter().any(has_arguments) && !fault!(LegacyRepeated))?;
    let detail = format!(
        "{} configures a provider by itself; such a module can be called neither several times nor after something else.",
        module_text(path)
    );
    Some(Diagnostic::error("Module is incompatible with count, for_each, and depends_on", detail, place))
}

/// The place of `count`, `for_each` or `depends_on` in a call.
pub(super) fn repetition(call: &ModuleCall) -> Option<SourcePlace> {
    let repetition = call.repetition.count.as_ref().or(call.repetition.for_each.as_ref());
    repetition.map(|expr| expr.written.start()).or(call.depends_on.first().map(|reference| reference.place))
}

fn required(module: &Module) -> impl Iterator<Item = &RequiredProvider> {
    module.settings.iter().flat_map(|settings| &settings.required_providers)
}

fn requires(module: &Module, name: &str) -> bool {
    required(module).any(|required| *required.name.text == *name)
}

/// The source of a local name. Sources are compared only with each other, so the engine of the default registry does not matter.
fn source(module: &Module, name: &str) -> String {
    provider_source(module, name, Engine::Terraform)
}

fn has_arguments(block: &Provider) -> bool {
    !block.config.is_empty()
}

fn blocks<'m>(module: &'m Module, of: &ProviderRef) -> impl Iterator<Item = &'m Provider> {
    module.providers.iter().filter(move |block| {
        block.name.text == of.name && block.alias.as_ref().map(|alias| &alias.value) == of.alias.as_ref()
    })
}

/// Whether a module configures a provider itself.
fn has_own(module: &Module, of: &ProviderRef) -> bool {
    blocks(module, of).any(has_arguments)
}

/// Whether a module declares that this configuration is passed in.
fn takes(module: &Module, inner: &ProviderRef) -> bool {
    let is_declared = match &inner.alias {
        None => requires(module, &inner.name),
        Some(_) => {
            let mut aliases = required(module).flat_map(|required| &required.aliases);
            aliases.any(|alias| alias.name == inner.name && alias.alias == inner.alias)
        }
    };
    is_declared || blocks(module, inner).any(|block| !has_arguments(block))
}

/// Whether a module declares a default configuration.
fn has_default(module: &Module, name: &Text) -> bool {
    let is_configured = |block: &Provider| block.name.text == *name && block.alias.is_none() && has_arguments(block);
    requires(module, name) || module.providers.iter().any(is_configured)
}

fn undefined(name: &str, path: &[&str], at: &ProviderRef) -> Diagnostic {
    let detail = format!("There is no explicit declaration for local provider name {name:?} in {}.", module_text(path));
    Diagnostic::warning("Reference to undefined provider", detail, at.place.part(0, at.name.len()))
}

/// The name of a module in messages.
pub(super) fn module_text(path: &[&str]) -> String {
    if path.is_empty() {
        return "the root module".to_owned();
    }
    path.iter().map(|name| format!("module.{name}")).collect::<Vec<_>>().join(".")
}
