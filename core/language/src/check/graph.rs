//! Stage E03: checks when the graph is made, before anything is evaluated.

use std::collections::BTreeSet;

use planfuzz_core::value::Text;

use super::providers::Known;
use super::schemas::Schemas;
use super::{BeforeWalk, Step};
use crate::config::{Configuration, Module, ModuleCall, Provisioner};
use crate::diagnostic::Diagnostic;
use crate::place::SourcePlace;

/// The built-in provisioners of the engine.
const PROVISIONERS: [&str; 3] = ["local-exec", "remote-exec", "file"];

/// Checks provisioners, and if they are fine, modules.
pub(super) fn graph_checks(configuration: &Configuration, schemas: &Schemas) -> Result<(), BeforeWalk> {
    let missing = provisioners(configuration);
    if missing.is_empty() { of_modules(configuration, schemas) } else { Err(of_step(Step::Provisioners, missing)) }
}

/// Checks the arguments of calls, then the provider configurations that calls pass on, then those that resources need. The first of these
/// steps that fails ends the checks.
pub(super) fn of_modules(configuration: &Configuration, schemas: &Schemas) -> Result<(), BeforeWalk> {
    let found = first_call(configuration);
    if !found.is_empty() {
        return Err(of_step(Step::Modules, found));
    }
    let known = Known::of(configuration, schemas).map_err(|diagnostic| of_step(Step::Modules, vec![diagnostic]))?;
    let mut missing = Vec::new();
    visit(configuration, &mut Vec::new(), &mut |configuration, path| {
        missing.extend(known.not_present(configuration, path, schemas));
    });
    if missing.is_empty() { Ok(()) } else { Err(of_step(Step::Providers, missing)) }
}

fn of_step(step: Step, diagnostics: Vec<Diagnostic>) -> BeforeWalk {
    BeforeWalk { step, diagnostics }
}

fn provisioners(configuration: &Configuration) -> Vec<Diagnostic> {
    let mut found = BTreeSet::new();
    visit(configuration, &mut Vec::new(), &mut |configuration, _| {
        let module = &configuration.module;
        let of_resources = module.resources.iter().flat_map(|resource| &resource.provisioners);
        let all = of_resources.chain(module.removed.iter().flat_map(|removed| &removed.provisioners));
        found.extend(all.map(|provisioner: &Provisioner| provisioner.kind.text.clone()));
    });
    let missing = found.iter().filter(|name| !PROVISIONERS.contains(&name.as_str())).map(|name| {
        let detail =
            format!("This configuration requires provisioner plugin {:?}, which isn't available.", name.as_str());
        Diagnostic::error("Missing required provisioner plugin", detail, SourcePlace::default()).without_place()
    });
    missing.collect()
}

/// Visits every module with its path.
fn visit<'c>(configuration: &'c Configuration, path: &mut Vec<Text>, each: &mut dyn FnMut(&'c Configuration, &[Text])) {
    each(configuration, path);
    for (name, child) in &configuration.children {
        path.push(name.clone());
        visit(child, path, each);
        path.pop();
    }
}

/// The diagnostics of the first call, by name, whose arguments do not fit the variables of the module. Only one call is reported (E177): an
/// engine may report any.
fn first_call(configuration: &Configuration) -> Vec<Diagnostic> {
    let mut rest = vec![configuration];
    while let Some(configuration) = rest.pop() {
        let mut calls: Vec<&ModuleCall> = configuration.module.calls.iter().collect();
        calls.sort_by(|one, other| one.name.text.cmp(&other.name.text));
        for call in calls {
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
