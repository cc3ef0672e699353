//! Checks that the required providers of a configuration are installed (E170).

use std::collections::BTreeSet;

use planfuzz_core::address::ProviderSource;

use super::schemas::Schemas;
use crate::config::{self, Configuration, Load, Module, local_name};
use crate::diagnostic::Diagnostic;
use crate::place::SourcePlace;
use crate::sources::Sources;

/// Loads a configuration; the installed providers are those that have schemas. A missing one is reported if there are no other errors.
pub fn load(sources: &Sources, schemas: &Schemas) -> Load {
    let mut load = config::load(sources, "");
    if !load.diagnostics.iter().any(Diagnostic::is_error) {
        let missing = missing(&load.configuration, schemas);
        load.is_unmet = missing.is_some();
        load.diagnostics.extend(missing);
    }
    load
}

fn missing(configuration: &Configuration, schemas: &Schemas) -> Option<Diagnostic> {
    let own = ProviderSource::builtin().to_string();
    let mut rest = vec![configuration];
    while let Some(of) = rest.pop() {
        let mut source = required(&of.module).into_iter().map(|name| schemas.source(&of.module, name));
        let is_missing = |source: &String| schemas.provider(source).is_none() && *source != own;
        if let Some(source) = source.find(is_missing) {
            let detail = format!("The provider {source} is required by this configuration and is not installed.");
            let place = SourcePlace::default();
            return Some(Diagnostic::error("Inconsistent dependency lock file", detail, place).without_place());
        }
        rest.extend(of.children.values());
    }
    None
}

/// The local names of the providers of a module's resources. A required provider without resources needs no schema.
fn required(module: &Module) -> BTreeSet<&str> {
    let data = module.checks.iter().filter_map(|check| check.data.as_ref());
    module.resources.iter().chain(data).map(local_name).collect()
}
