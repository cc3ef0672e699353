//! `import` blocks: their ids, and whether what they import to is declared (E24).

use super::body;
use super::references::Scope;
use super::walk::Walker;
use crate::config::Import;
use crate::diagnostic::Diagnostic;

impl Walker<'_> {
    pub(super) fn import(&mut self, import: &Import, scope: &Scope<'_>) {
        let inner = Scope { has_each: import.for_each.is_some(), ..*scope };
        import.for_each.iter().for_each(|for_each| self.expr(for_each, scope));
        // An id that refers to its own object, and all of an import with keys that cannot be, is not looked at.
        let has_loose_keys = import.for_each.is_none() && import.target.expressions.is_some();
        if !has_loose_keys && !import.names_itself() {
            import.id.iter().for_each(|id| self.expr(id, &inner));
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
