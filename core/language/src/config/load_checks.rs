//! What is told at load of several blocks or modules together: provider configurations that pass from module to module (E171, E178),
//! and statements that only the root module may have (E24).

use super::tree::{Configuration, Import, Module, ModuleCall, ProviderRef};
use crate::diagnostic::Diagnostic;

/// The last checks of stage E01.
pub(super) fn load_checks(configuration: &Configuration) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let mut rest = vec![(configuration, Vec::new())];
    while let Some((configuration, path)) = rest.pop() {
        for call in &configuration.module.calls {
            let Some(child) = configuration.children.get(&call.name.text) else { continue };
            let mut path: Vec<&str> = path.clone();
            path.push(&call.name.text);
            calls(&configuration.module, call, child, &path, &mut diagnostics);
            for import in child.module.imports.iter().filter(|_| !fault!(ImportInModule)) {
                let detail = format!(
                    "An import block was detected in {}. Import blocks are only allowed in the root module.",
                    module_text(&path)
                );
                diagnostics.push(Diagnostic::error("Invalid import configuration", detail, import.header));
            }
            rest.push((child, path));
        }
    }
    diagnostics
}

/// E24, of a configuration without errors: an import names another provider than the block that it is for. What is told is what engines
/// say of requirements that cannot be put together.
pub(super) fn unlike_its_block(module: &Module) -> Option<Diagnostic> {
    let is_unlike = |import: &&Import| {
        let Some(provider) = &import.provider else { return false };
        let of = &import.target.resource.resource;
        let mut blocks = module.resources.iter().filter(|block| block.mode == of.mode);
        let block = blocks.find(|block| *block.type_name.text == *of.type_name && *block.name.text == *of.name);
        block.is_some_and(|block| {
            block.provider.as_ref().is_none_or(|own| own.name != provider.name || own.alias != provider.alias)
        })
    };
    let found = module.imports.iter().find(is_unlike)?;
    let detail = "An import block names another provider than the resource that it is for.";
    Some(Diagnostic::error("Inconsistent dependency lock file", detail, found.header).without_place())
}

fn module_text(path: &[&str]) -> String {
    if path.is_empty() {
        return "the root module".to_owned();
    }
    path.iter().map(|name| format!("module.{name}")).collect::<Vec<_>>().join(".")
}

fn calls(parent: &Module, call: &ModuleCall, child: &Configuration, path: &[&str], diagnostics: &mut Vec<Diagnostic>) {
    legacy(call, child, path, diagnostics);
    let declared = Declared::of(&child.module);
    let here = Declared::of(parent);
    for (inner, outer) in &call.providers {
        if !declared.has(inner) {
            diagnostics.push(undefined(&inner_text(inner), &module_text(path), inner));
        }
        let is_default_unknown = outer.alias.is_none() && !here.names(&outer.name);
        if is_default_unknown {
            diagnostics.push(undefined(&inner_text(outer), &module_text(&path[..path.len() - 1]), outer));
        }
    }
    for wanted in &declared.aliases {
        let is_given = call.providers.iter().any(|(inner, _)| inner.name == wanted.name && inner.alias == wanted.alias);
        if !is_given {
            let detail = format!(
                "The child module requires an additional configuration for the provider with the local name {:?}.",
                inner_text(wanted)
            );
            diagnostics.push(Diagnostic::error("Missing required provider configuration", detail, call.header));
        }
    }
}

fn inner_text(provider: &ProviderRef) -> String {
    match &provider.alias {
        Some(alias) => format!("{}.{}", provider.name.as_str(), alias.as_str()),
        None => provider.name.as_str().to_owned(),
    }
}

fn undefined(name: &str, module: &str, at: &ProviderRef) -> Diagnostic {
    let detail = format!("There is no explicit declaration for local provider name {name:?} in {module}.");
    Diagnostic::warning("Reference to undefined provider", detail, at.place.part(0, at.name.len()))
}

/// A module with provider configurations of its own may be called once and without order (E178).
fn legacy(call: &ModuleCall, child: &Configuration, path: &[&str], diagnostics: &mut Vec<Diagnostic>) {
    let mut rest = vec![child];
    let mut has_own = false;
    while let Some(configuration) = rest.pop() {
        // A block without arguments is only the old way to name what is passed in.
        has_own |= configuration
            .module
            .providers
            .iter()
            .any(|provider| !provider.config.is_empty() || provider.alias.is_some());
        rest.extend(configuration.children.values());
    }
    let repetition =
        call.repetition.count.as_ref().or(call.repetition.for_each.as_ref()).map(|expr| expr.written.start());
    let Some(place) = repetition.or(call.depends_on.first().map(|reference| reference.place)) else { return };
    if has_own && !fault!(LegacyRepeated) {
        let detail = format!(
            "The module at {} is a legacy module which contains its own local provider configurations, and so calls to it may not use the count, for_each, or depends_on arguments.",
            module_text(path)
        );
        diagnostics.push(Diagnostic::error(
            "Module is incompatible with count, for_each, and depends_on",
            detail,
            place,
        ));
    }
}

/// The provider configurations that a module says it has.
struct Declared<'m> {
    required: Vec<&'m str>,
    blocks: Vec<&'m str>,
    aliases: Vec<&'m ProviderRef>,
}

impl<'m> Declared<'m> {
    fn of(module: &'m Module) -> Self {
        let required = || module.settings.iter().flat_map(|settings| &settings.required_providers);
        Self {
            required: required().map(|required| &*required.name.text).collect(),
            blocks: module.providers.iter().map(|provider| &*provider.name.text).collect(),
            aliases: required().flat_map(|required| &required.aliases).collect(),
        }
    }

    fn names(&self, name: &str) -> bool {
        self.required.contains(&name) || self.blocks.contains(&name)
    }

    fn has(&self, provider: &ProviderRef) -> bool {
        match &provider.alias {
            None => self.names(&provider.name),
            Some(_) => self.aliases.iter().any(|alias| alias.name == provider.name && alias.alias == provider.alias),
        }
    }
}
