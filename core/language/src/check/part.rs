//! A part of a configuration looked at again: what was written anew, beside all that stayed.
//!
//! What is declared is gathered once; holding a part to it costs as much as the part is long.

use std::collections::HashMap;

use planfuzz_core::value::Text;

use super::declared::Declared;
use super::references::Scope;
use super::schemas::Schemas;
use super::walk;
use crate::config::{Configuration, Module};
use crate::diagnostic::Diagnostic;
use crate::sources::Sources;

/// A configuration of which parts are looked at again.
pub struct Parts<'s> {
    schemas: &'s Schemas,
    modules: HashMap<Vec<Text>, (&'s Configuration, Declared<'s>)>,
}

impl<'s> Parts<'s> {
    /// Gathers what all modules declare.
    pub fn new(root: &'s Configuration, schemas: &'s Schemas) -> Parts<'s> {
        let mut modules = HashMap::new();
        let mut rest = vec![(Vec::new(), root)];
        while let Some((path, configuration)) = rest.pop() {
            for (name, child) in &configuration.children {
                rest.push((path.iter().cloned().chain([name.clone()]).collect(), child));
            }
            modules.insert(path, (configuration, Declared::of(configuration)));
        }
        Parts { schemas, modules }
    }

    /// What validation says of locals, outputs and resources that stand in the place of others of the same names in a module, which have
    /// the same provider and repeat in the same way. Errors are told of nodes that depend on others with errors, too (E04).
    pub fn check(&self, path: &[Text], part: &Module, sources: &Sources) -> Vec<Diagnostic> {
        let Some((configuration, declared)) = self.modules.get(path) else { return Vec::new() };
        let prefix: String = path.iter().map(|name| format!("module.{}.", name.as_str())).collect();
        walk::part(part, sources, &Scope::new(configuration, declared, self.schemas), &prefix)
    }
}
