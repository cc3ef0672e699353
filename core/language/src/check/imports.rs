//! `import` blocks: their ids, and whether what they import to is declared (E24).

use planfuzz_core::address::ConfigResource;

use super::body;
use super::references::Scope;
use super::walk::Walker;
use crate::config::{Import, TargetKey};
use crate::diagnostic::Diagnostic;

/// Who looks at imports in the validation walk (G48, G49).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Imports {
    /// No node evaluates them: they are checked here, and their diagnostics belong to no node.
    OfNoNode,
    /// Nodes evaluate them and report all diagnostics.
    OfNodes,
}

impl Walker<'_> {
    pub(super) fn import(&mut self, import: &Import, scope: &Scope<'_>) {
        let inner = Scope { has_each: import.for_each.is_some(), ..*scope };
        import.for_each.iter().for_each(|for_each| self.report_faults(for_each, scope));
        // The id is not checked if it refers to its own object, if the keys of the target cannot be evaluated, or if the target has a key
        // and no block.
        let has_loose_keys = import.for_each.is_none() && import.target.expressions.is_some();
        let is_lost = matches!(import.target.key, TargetKey::Number | TargetKey::Text) && !is_declared(import, scope);
        if !has_loose_keys && !is_lost && !import.names_itself() {
            import.id.iter().for_each(|id| self.report_faults(id, &inner));
        }
        if let Some(id) = &import.id
            && let Some(value) = body::constant(&id.written, self.sources)
        {
            let is_empty = value.is_null() || value.view().as_text().is_some_and(|text| text.is_empty());
            if is_empty {
                let detail =
                    "The import ID value evaluates to null or to an empty string. Please provide a non-empty value.";
                self.diagnostics.push(Diagnostic::error("Invalid import id argument", detail, id.written.start()));
            }
        }
        let mut at = scope.configuration;
        for name in &import.target.resource.module.0 {
            let Some(child) = at.children.get(name.as_str()) else {
                let detail = "The configuration for the given import target does not exist. All target instances must have an associated configuration to be imported.";
                let place = import.to.written.place();
                self.diagnostics.push(Diagnostic::error(
                    "Configuration for import target does not exist",
                    detail,
                    place,
                ));
                return;
            };
            at = child;
        }
    }
}

/// Whether a target has a block; a target in another module counts as declared.
fn is_declared(import: &Import, scope: &Scope<'_>) -> bool {
    let ConfigResource { module, resource } = &import.target.resource;
    let key = (resource.mode, &*resource.type_name, &*resource.name);
    !module.0.is_empty() || scope.declared.resources.contains_key(&key)
}
