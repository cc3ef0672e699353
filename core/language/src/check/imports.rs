//! `import` blocks: their ids, and whether what they import to is declared (E24).

use planfuzz_core::address::ConfigResource;

use super::body;
use super::declared::Declared;
use super::references::Scope;
use super::walk::Walker;
use crate::config::{Configuration, Import, Resource, TargetKey};
use crate::diagnostic::Diagnostic;

/// Who looks at imports in the validation walk (G48, G49).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Imports {
    /// Nobody who evaluates them: what can be told is of no node.
    OfNoNode,
    /// The nodes of their blocks, or their own where they have none, which evaluate them, so that ids are theirs to tell.
    OfNodes,
}

const OF_IMPORT: &str = " (import)";
const INVALID_ID: &str = "Invalid import id argument";
const NO_CONFIGURATION: &str = "Configuration for import target does not exist";

impl<'s> Walker<'s> {
    /// An import that is of no node.
    pub(super) fn import(&mut self, import: &Import, scope: &Scope<'_>) {
        self.written(import, scope);
        if let Some(id) = &import.id
            && let Some(value) = body::constant(&id.written, self.sources)
        {
            let is_empty = value.is_null() || value.view().as_text().is_some_and(|text| text.is_empty());
            if is_empty {
                let detail =
                    "The import ID value evaluates to null or to an empty string. Please provide a non-empty value.";
                self.diagnostics.push(Diagnostic::error(INVALID_ID, detail, id.written.start()));
            }
        }
        if module_of(import, scope.configuration).is_none() {
            self.unconfigured(import);
        }
    }

    /// The imports of a block, which its node looks at.
    pub(super) fn imports_into(&mut self, imports: Vec<&'s Import>) {
        let Some(root) = self.root.filter(|_| !imports.is_empty()) else { return };
        let declared = Declared::of(root);
        let scope = Scope::new(root, &declared, self.schemas);
        imports.into_iter().for_each(|import| self.written(import, &scope));
    }

    /// G49: imports whose targets have no block; those of modules that are not configured are of no node.
    pub(super) fn imports_of_nothing(&mut self, scope: &Scope<'_>) {
        for import in &scope.configuration.module.imports {
            let address = import.target.resource.to_string();
            if !self.imports.contains_key(&address) {
                continue;
            }
            let is_lost = module_of(import, scope.configuration).is_none();
            self.node(if is_lost { String::new() } else { import_node(&import.target.resource) });
            self.written(import, scope);
            if is_lost {
                self.unconfigured(import);
            }
        }
    }

    /// What is written in an import.
    fn written(&mut self, import: &Import, scope: &Scope<'_>) {
        let inner = Scope { has_each: import.for_each.is_some(), ..*scope };
        import.for_each.iter().for_each(|for_each| self.expr(for_each, scope));
        // An id that refers to its own object, all of an import with keys that cannot be, and one with a key of what has no block, is not
        // looked at.
        let has_loose_keys = import.for_each.is_none() && import.target.expressions.is_some();
        let is_lost = matches!(import.target.key, TargetKey::Number | TargetKey::Text) && !is_declared(import, scope);
        if !has_loose_keys && !is_lost && !import.names_itself() {
            import.id.iter().for_each(|id| self.expr(id, &inner));
        }
    }

    fn unconfigured(&mut self, import: &Import) {
        let detail = "The configuration for the given import target does not exist. All target instances must have an associated configuration to be imported.";
        self.diagnostics.push(Diagnostic::error(NO_CONFIGURATION, detail, import.to.written.place()));
    }
}

/// What the node of an import without a block is called (G49).
pub fn import_node(target: &ConfigResource) -> String {
    format!("{target}{OF_IMPORT}")
}

/// Whether a node is that of an import without a block, by its name.
pub fn is_import_node(name: &str) -> bool {
    name.ends_with(OF_IMPORT)
}

/// The module that the target of an import lies in, where it is configured.
fn module_of<'c>(import: &Import, root: &'c Configuration) -> Option<&'c Configuration> {
    import.target.resource.module.0.iter().try_fold(root, |module, name| module.children.get(name.as_str()))
}

/// Whether a target has a block; of one in another module it is not asked.
fn is_declared(import: &Import, scope: &Scope<'_>) -> bool {
    let of = &import.target.resource;
    let resources = &scope.configuration.module.resources;
    let is_it = |block: &Resource| {
        block.mode == of.resource.mode
            && *block.type_name.text == *of.resource.type_name
            && *block.name.text == *of.resource.name
    };
    !of.module.0.is_empty() || resources.iter().any(is_it)
}
