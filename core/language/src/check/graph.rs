//! Stage E03: what is told when the graph is made, before anything is evaluated.

use std::collections::BTreeSet;

use planfuzz_core::value::Text;

use super::schemas::{local_name, provider_source};
use crate::config::{Configuration, Module, ModuleCall, Provisioner};
use crate::diagnostic::Diagnostic;
use crate::place::SourcePlace;

/// Provisioners that an engine brings with it.
const PROVISIONERS: [&str; 3] = ["local-exec", "remote-exec", "file"];

pub(super) fn graph_checks(configuration: &Configuration) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let mut provisioners = BTreeSet::new();
    visit(configuration, &mut Vec::new(), &mut |configuration, path| {
        providers(configuration, path, &mut diagnostics);
        let module = &configuration.module;
        let of_resources = module.resources.iter().flat_map(|resource| &resource.provisioners);
        let all = of_resources.chain(module.removed.iter().flat_map(|removed| &removed.provisioners));
        provisioners.extend(all.map(|provisioner: &Provisioner| provisioner.kind.text.clone()));
    });
    let missing = provisioners.iter().filter(|name| !PROVISIONERS.contains(&name.as_str())).map(|name| {
        let detail =
            format!("This configuration requires provisioner plugin {:?}, which isn't available.", name.as_str());
        Diagnostic::error("Missing required provisioner plugin", detail, SourcePlace::default()).without_place()
    });
    let missing: Vec<Diagnostic> = missing.collect();
    if !missing.is_empty() {
        return missing;
    }
    if diagnostics.is_empty() {
        diagnostics = first_call(configuration);
    }
    diagnostics
}

/// Goes through the modules; the path comes with each.
fn visit<'c>(configuration: &'c Configuration, path: &mut Vec<Text>, each: &mut dyn FnMut(&'c Configuration, &[Text])) {
    each(configuration, path);
    for (name, child) in &configuration.children {
        path.push(name.clone());
        visit(child, path, each);
        path.pop();
    }
}

/// The first call whose arguments do not fit the variables of the module; only one is told of (E03).
fn first_call(configuration: &Configuration) -> Vec<Diagnostic> {
    let mut rest = vec![configuration];
    while let Some(configuration) = rest.pop() {
        for call in &configuration.module.calls {
            let Some(child) = configuration.children.get(&call.name.text) else { continue };
            let found = arguments(call, &child.module);
            if !found.is_empty() {
                return found;
            }
        }
        rest.extend(configuration.children.values());
    }
    Vec::new()
}

fn arguments(call: &ModuleCall, child: &Module) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let declared: BTreeSet<&Text> = child.variables.iter().map(|variable| &variable.name.text).collect();
    let given: BTreeSet<&Text> = call.inputs.iter().map(|(name, _)| &name.text).collect();
    for (name, expr) in &call.inputs {
        if !declared.contains(&name.text) {
            let is_json = matches!(expr.written, crate::config::Written::Json(_));
            let summary = if is_json { "Extraneous JSON object property" } else { "Unsupported argument" };
            let detail = format!("An argument named {:?} is not expected here.", name.text.as_str());
            diagnostics.push(Diagnostic::error(summary, detail, name.place));
        }
    }
    for block in &call.stray_blocks {
        let detail = format!("Blocks of type {:?} are not expected here.", block.text.as_str());
        diagnostics.push(Diagnostic::error("Unsupported block type", detail, block.place));
    }
    for variable in &child.variables {
        if !given.contains(&variable.name.text) && variable.written_default.is_none() {
            let detail =
                format!("The argument {:?} is required, but no definition was found.", variable.name.text.as_str());
            diagnostics.push(Diagnostic::error("Missing required argument", detail, call.missing));
        }
    }
    diagnostics
}

/// Aliased configurations that nobody declares (E177), or that a module does not have (E171).
fn providers(configuration: &Configuration, path: &[Text], diagnostics: &mut Vec<Diagnostic>) {
    let module = &configuration.module;
    let mut told = BTreeSet::new();
    for resource in &module.resources {
        let Some(provider) = &resource.provider else { continue };
        let Some(alias) = &provider.alias else { continue };
        let has_block = module.providers.iter().any(|block| {
            block.name.text == provider.name && block.alias.as_ref().is_some_and(|found| found.value == *alias)
        });
        let requirements = module.settings.iter().flat_map(|settings| &settings.required_providers);
        let mut aliases = requirements.flat_map(|required| &required.aliases);
        let is_declared =
            aliases.any(|declared| declared.name == provider.name && declared.alias.as_ref() == Some(alias));
        if has_block || is_declared {
            continue;
        }
        let source = provider_source(module, &local_name(resource));
        let prefix: String = path.iter().map(|name| format!("module.{}.", name.as_str())).collect();
        let address = format!("{prefix}provider[{source:?}].{}", alias.as_str());
        if path.is_empty() {
            if told.insert(address.clone()) {
                diagnostics.push(
                    Diagnostic::error(format!("missing provider {address}"), "", resource.header).without_place(),
                );
            }
        } else {
            let detail = format!(
                "To work with {}.{} its original provider configuration at {address} is required, but it has been removed.",
                resource.type_name.text.as_str(),
                resource.name.text.as_str()
            );
            diagnostics
                .push(Diagnostic::error("Provider configuration not present", detail, resource.header).without_place());
        }
    }
}
