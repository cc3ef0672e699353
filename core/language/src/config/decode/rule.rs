//! Conditions with their messages (E150): the checks at load.

use super::Decoder;
use crate::config::body::Block;
use crate::config::content::{ContentSchema, content};
use crate::config::tree::Rule;

/// The block that a rule belongs to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Owner<'o> {
    /// A variable: a validation has to name it.
    Variable(&'o str),
    /// A resource, by root and name of a reference to it: its conditions must not name it.
    Resource(&'o [&'o str]),
}

impl Decoder<'_> {
    pub(super) fn rule(&mut self, block: Block, kind: &str, owner: Option<Owner<'_>>) -> Option<Rule> {
        let schema = ContentSchema { attributes: &[("condition", true), ("error_message", true)], blocks: &[] };
        let place = block.header;
        let mut found = content(block.body, schema, &mut self.diagnostics);
        let condition = found.take("condition").map(|attribute| self.expr(attribute));
        let error_message = found.take("error_message").map(|attribute| self.expr(attribute));
        if let Some(condition) = &condition {
            let references = &condition.references;
            if references.is_empty() {
                let detail = "The condition expression must refer to at least one object from elsewhere in the configuration, or else its result would not be checking anything.";
                self.error(format!("Invalid {kind} expression"), detail, condition.written.place());
            }
            if let Some(Owner::Variable(name)) = owner
                && !fault!(ValidationOfOthers)
                && !references.iter().any(|reference| reference.begins_with(&["var", name]))
            {
                let detail = format!(
                    "The condition for variable {name:?} must refer to var.{name} in order to test incoming values."
                );
                self.error("Invalid variable validation condition", detail, condition.written.place());
            }
        }
        if let Some(Owner::Resource(path)) = owner {
            for expression in [&condition, &error_message].into_iter().flatten() {
                for reference in &expression.references {
                    let named = reference.begins_with(path)
                        || (path.len() == 2 && reference.begins_with(&["resource", path[0], path[1]]));
                    if named {
                        let detail = format!("Configuration for {} may not refer to itself.", path.join("."));
                        self.error(format!("Invalid reference in {kind}"), detail, expression.written.place());
                        break;
                    }
                }
            }
        }
        Some(Rule { condition, error_message, place })
    }
}
