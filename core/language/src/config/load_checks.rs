//! Checks at load across blocks or modules: provider configurations (E171, E178), and statements that are allowed only in the root module
//! (E24).

use super::passing;
use super::tree::{Configuration, Import, Module};
use crate::diagnostic::Diagnostic;

/// The last checks of stage E01.
pub(super) fn load_checks(configuration: &Configuration) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let mut rest = vec![(configuration, Vec::new(), None)];
    while let Some((configuration, path, repeated)) = rest.pop() {
        diagnostics.extend(passing::duplicates(&configuration.module));
        for call in &configuration.module.calls {
            let Some(child) = configuration.children.get(&call.name.text) else { continue };
            let mut path: Vec<&str> = path.clone();
            path.push(&call.name.text);
            diagnostics.extend(passing::call(&configuration.module, call, &child.module, &path));
            let repeated = repeated.or(passing::repetition(call));
            diagnostics.extend(passing::legacy(&child.module, &path, repeated));
            for import in child.module.imports.iter().filter(|_| !fault!(ImportInModule)) {
                let detail = format!(
                    "An import block was detected in {}. Import blocks are only allowed in the root module.",
                    passing::module_text(&path)
                );
                diagnostics.push(Diagnostic::error("Invalid import configuration", detail, import.header));
            }
            rest.push((child, path, repeated));
        }
    }
    diagnostics
}

/// E24, if the configuration has no other errors: an import names another provider than the block of its target. The diagnostic is the
/// engines' for inconsistent requirements.
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
