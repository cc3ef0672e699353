//! Stage E04 as far as it needs no values: references, bodies by their schemas, constants.

use std::collections::BTreeSet;

use planfuzz_core::address::ResourceMode;
use planfuzz_core::value::convert::convert;
use planfuzz_core::value::{Text, Type, Value};

use super::body::{self, BodyCheck};
use super::cycle::{Graph, resource_name, variable_name};
use super::providers::{self, Held};
use super::references::{self, Scope};
use super::schemas::{Schemas, local_name, provider_source};
use crate::config::{
    Body, Check, Configuration, Expr, IgnoreChanges, Import, ModuleCall, Provisioner, Repetition, Resource, Rule,
    StepKind, Traversal, Written, body_references,
};
use crate::diagnostic::Diagnostic;
use crate::sources::Sources;

pub(super) fn walk(
    configuration: &Configuration,
    sources: &Sources,
    schemas: &Schemas,
    graph: &Graph<'_>,
) -> Vec<Diagnostic> {
    let mut walker = Walker { sources, schemas, diagnostics: Vec::new(), nodes: Vec::new(), used: BTreeSet::new() };
    walker.gather(configuration, &mut Vec::new(), &mut vec![configuration]);
    walker.modules(configuration, &mut Vec::new());
    for import in &configuration.module.imports {
        walker.node(String::new());
        walker.import(import, configuration);
    }
    walker.without_dependents(graph)
}

struct Walker<'s> {
    sources: &'s Sources,
    schemas: &'s Schemas,
    diagnostics: Vec<Diagnostic>,
    /// The nodes that were visited, and how many diagnostics there were before.
    nodes: Vec<(usize, String)>,
    /// The provider configurations that something needs (E172).
    used: BTreeSet<Held>,
}

impl<'s> Walker<'s> {
    /// What follows is of this node.
    fn node(&mut self, name: String) {
        self.nodes.push((self.diagnostics.len(), name));
    }

    /// An error of one node skips the nodes that depend on it, and nothing else (E04).
    fn without_dependents(self, graph: &Graph<'_>) -> Vec<Diagnostic> {
        let mut of_nodes: Vec<(String, Vec<Diagnostic>)> = Vec::with_capacity(self.nodes.len());
        let mut diagnostics = self.diagnostics;
        for (start, name) in self.nodes.into_iter().rev() {
            of_nodes.push((name, diagnostics.split_off(start.min(diagnostics.len()))));
        }
        let has_failed = |(_, found): &&(String, Vec<Diagnostic>)| found.iter().any(Diagnostic::is_error);
        let failed: BTreeSet<String> = of_nodes.iter().filter(has_failed).map(|(name, _)| name.clone()).collect();
        let skipped = graph.dependents(&failed);
        for (name, found) in of_nodes.into_iter().rev() {
            if !skipped.contains(&name) || fault!(FailedGoOn) {
                diagnostics.extend(found);
            }
        }
        diagnostics
    }

    fn gather(&mut self, configuration: &'s Configuration, path: &mut Vec<Text>, parents: &mut Vec<&'s Configuration>) {
        let checks = configuration.module.checks.iter().filter_map(|check| check.data.as_ref());
        for resource in configuration.module.resources.iter().chain(checks) {
            self.used.insert(providers::of_resource(resource, path, parents));
        }
        for (name, child) in &configuration.children {
            path.push(name.clone());
            parents.push(child);
            self.gather(child, path, parents);
            parents.pop();
            path.pop();
        }
    }

    fn modules(&mut self, configuration: &'s Configuration, path: &mut Vec<Text>) {
        self.module(configuration, path);
        for (name, child) in &configuration.children {
            path.push(name.clone());
            self.modules(child, path);
            path.pop();
        }
    }

    fn module(&mut self, configuration: &'s Configuration, path: &[Text]) {
        let scope = Scope::new(configuration, self.schemas);
        let module = &configuration.module;
        let prefix: String = path.iter().map(|name| format!("module.{}.", name.as_str())).collect();
        for local in &module.locals {
            self.node(format!("{prefix}local.{} (expand)", local.name.text.as_str()));
            let itself =
                local.value.references.iter().find(|reference| reference.begins_with(&["local", &local.name.text]));
            match itself {
                Some(reference) => {
                    let detail = format!("Local value local.{} cannot refer to itself.", local.name.text.as_str());
                    self.diagnostics.push(Diagnostic::error("Self-referencing local value", detail, reference.place));
                }
                None => self.expr(&local.value, &scope),
            }
        }
        for output in &module.outputs {
            self.node(format!("{prefix}output.{} (expand)", output.name.text.as_str()));
            if let Some(value) = &output.value {
                self.expr(value, &scope);
            }
            self.whole(&output.depends_on, &scope);
            self.rules(&output.preconditions, &scope);
        }
        for variable in &module.variables {
            self.node(format!("{prefix}var.{} (validation)", variable.name.text.as_str()));
            self.rules(&variable.validations, &scope);
        }
        for call in &module.calls {
            self.call(call, &scope, &prefix);
        }
        for resource in &module.resources {
            self.node(resource_name(&prefix, resource.mode, &resource.type_name.text, &resource.name.text));
            self.resource(resource, &scope);
        }
        for check in &module.checks {
            self.node(format!("{prefix}check.{}", check.name.text.as_str()));
            self.check(check, &scope);
        }
        for provider in &module.providers {
            let alias = provider.alias.as_ref().map(|alias| alias.value.clone());
            let held = Held { path: path.to_vec(), name: provider.name.text.clone(), alias };
            if self.used.contains(&held) || fault!(UnusedChecked) {
                let source = provider_source(module, &provider.name.text);
                let alias = held.alias.as_ref().map_or(String::new(), |alias| format!(".{}", alias.as_str()));
                self.node(format!("{prefix}provider[{source:?}]{alias}"));
                let schema = self.schemas.provider(&source).map(|provider| &provider.config.block);
                self.body(&provider.config, schema, &scope);
            }
        }
    }

    fn expr(&mut self, expr: &Expr, scope: &Scope<'_>) {
        for reference in &expr.references {
            references::check(reference, scope, &mut self.diagnostics);
        }
    }

    fn whole(&mut self, list: &[Traversal], scope: &Scope<'_>) {
        for reference in list {
            references::check_whole(reference, scope, &mut self.diagnostics);
        }
    }

    fn rules(&mut self, rules: &[Rule], scope: &Scope<'_>) {
        for rule in rules {
            for expr in [&rule.condition, &rule.error_message].into_iter().flatten() {
                self.expr(expr, scope);
            }
        }
    }

    /// Conditions of a resource: after an error of a reference the engine goes on without `self`, and tells that too.
    fn own_rules(&mut self, rules: &[Rule], scope: &Scope<'_>) {
        for rule in rules {
            for expr in [&rule.condition, &rule.error_message].into_iter().flatten() {
                let told = self.diagnostics.len();
                self.expr(expr, scope);
                if self.diagnostics.len() > told {
                    for reference in expr.references.iter().filter(|reference| &*reference.root == "self") {
                        let place = reference.place.part(0, reference.root.len());
                        self.diagnostics.push(Diagnostic::error(
                            "Unknown variable",
                            "There is no variable named \"self\".",
                            place,
                        ));
                    }
                }
            }
        }
    }

    fn call(&mut self, call: &ModuleCall, scope: &Scope<'_>, prefix: &str) {
        let name = call.name.text.as_str();
        self.node(format!("{prefix}module.{name} (expand)"));
        self.repetition(&call.repetition, scope);
        self.whole(&call.depends_on, scope);
        let inner = repeated(scope, &call.repetition);
        for (input, value) in &call.inputs {
            self.node(variable_name(&format!("{prefix}module.{name}."), &input.text));
            self.expr(value, &inner);
        }
    }

    fn repetition(&mut self, repetition: &Repetition, scope: &Scope<'_>) {
        let told = self.diagnostics.len();
        for expr in [&repetition.count, &repetition.for_each].into_iter().flatten() {
            self.expr(expr, scope);
        }
        if self.diagnostics.len() > told {
            return;
        }
        if let Some(count) = &repetition.count
            && let Some(value) = body::constant(&count.written, self.sources)
        {
            self.diagnostics.extend(count_problem(&value, &count.written));
        }
        if let Some(for_each) = &repetition.for_each
            && let Some(value) = body::constant(&for_each.written, self.sources)
            && !matches!(value.ty(), Type::Object(_))
        {
            let detail = "The given \"for_each\" argument value is unsuitable: it must be a map, or set of strings.";
            self.diagnostics.push(Diagnostic::error("Invalid for_each argument", detail, for_each.written.start()));
        }
    }

    fn resource(&mut self, resource: &'s Resource, scope: &Scope<'s>) {
        self.repetition(&resource.repetition, scope);
        self.whole(&resource.depends_on, scope);
        let module = &scope.configuration.module;
        let inner = repeated(scope, &resource.repetition);
        let provider = self.schemas.provider(&provider_source(module, &local_name(resource)));
        let schema = self.schemas.of_resource(module, resource);
        if provider.is_some() && schema.is_none() {
            let summary = match resource.mode {
                ResourceMode::Managed => "Invalid resource type",
                ResourceMode::Data => "Invalid data source",
                ResourceMode::Ephemeral => "Invalid ephemeral resource",
            };
            let detail = format!("The provider does not support {:?}.", resource.type_name.text.as_str());
            self.diagnostics.push(Diagnostic::error(summary, detail, resource.type_name.place));
            return;
        }
        self.body(&resource.config, schema.map(|schema| &schema.block), &inner);
        if let (IgnoreChanges::These(these), Some(schema)) = (&resource.lifecycle.ignore_changes, schema) {
            for one in these {
                let name = one.root.as_str();
                if schema.block.attributes.get(name).is_none() && schema.block.block_types.get(name).is_none() {
                    let detail =
                        format!("This object has no argument, nested block, or exported attribute named {name:?}.");
                    self.diagnostics.push(Diagnostic::error(
                        "Unsupported attribute",
                        detail,
                        one.place.part(0, name.len()),
                    ));
                }
            }
        }
        let with_self = Scope { own: Some(schema), ..inner };
        self.own_rules(&resource.lifecycle.preconditions, &inner);
        self.own_rules(&resource.lifecycle.postconditions, &with_self);
        if let Some(connection) = &resource.connection {
            self.body(connection, None, &with_self);
        }
        for provisioner in &resource.provisioners {
            self.provisioner(provisioner, &with_self);
        }
    }

    fn provisioner(&mut self, provisioner: &Provisioner, scope: &Scope<'_>) {
        let required = match provisioner.kind.text.as_str() {
            "local-exec" => Some("command"),
            "file" => Some("destination"),
            _ => None,
        };
        let has = |name: &str| match &provisioner.config {
            Body::Native(body) => body.attributes.iter().any(|attribute| &*attribute.name.text == name),
            Body::Json(body) => body.members.iter().any(|member| &*member.name == name),
        };
        if let Some(name) = required.filter(|name| !has(name)) {
            let detail = format!("The argument {name:?} is required, but no definition was found.");
            self.diagnostics.push(Diagnostic::error("Missing required argument", detail, provisioner.config.missing()));
        }
        self.body(&provisioner.config, None, scope);
        if let Some(connection) = &provisioner.connection {
            self.body(connection, None, scope);
        }
    }

    fn body(&mut self, body: &Body, schema: Option<&planfuzz_core::schema::Block>, scope: &Scope<'_>) {
        match schema {
            Some(schema) => BodyCheck { sources: self.sources, scope, diagnostics: &mut self.diagnostics }.body(
                body,
                schema,
                &mut Vec::new(),
            ),
            None => {
                for reference in body_references(body, self.sources) {
                    references::check(&reference, scope, &mut self.diagnostics);
                }
            }
        }
    }

    fn check(&mut self, check: &'s Check, scope: &Scope<'s>) {
        let inner = Scope { check: Some(&check.name.text), ..*scope };
        if let Some(data) = &check.data {
            self.resource(data, &inner);
        }
        self.rules(&check.asserts, &inner);
    }

    fn import(&mut self, import: &Import, configuration: &Configuration) {
        let scope = Scope::new(configuration, self.schemas);
        let inner = Scope { has_each: import.for_each.is_some(), ..scope };
        import.for_each.iter().for_each(|for_each| self.expr(for_each, &scope));
        import.id.iter().for_each(|id| self.expr(id, &inner));
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
        let Some(target) = import.to.references.first() else { return };
        let mut at = configuration;
        let mut root = target.root.as_str();
        let mut names = target.steps.iter().filter_map(|step| match &step.kind {
            StepKind::Attribute(name) => Some(name),
            StepKind::Index(_) => None,
        });
        while root == "module" {
            let Some(child) = names.next().and_then(|name| at.children.get(name)) else {
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
            let Some(next) = names.next() else { return };
            root = next;
        }
    }
}

fn repeated<'s>(scope: &Scope<'s>, repetition: &Repetition) -> Scope<'s> {
    Scope { has_count: repetition.count.is_some(), has_each: repetition.for_each.is_some(), ..*scope }
}

/// What is wrong with a constant count (E101).
fn count_problem(value: &Value, written: &Written) -> Option<Diagnostic> {
    let invalid = |detail: &str| Some(Diagnostic::error("Invalid count argument", detail, written.start()));
    let Ok(number) = convert(value, &Type::Number) else {
        return Some(Diagnostic::error(
            "Incorrect value type",
            "Invalid expression value: a number is required.",
            written.start(),
        ));
    };
    let Some(number) = number.view().as_number().cloned() else {
        return invalid("The given \"count\" argument value is null. An integer is required.");
    };
    match number.to_i64() {
        Some(0..) => None,
        _ if number.is_whole() => invalid("The given \"count\" argument value is unsuitable: it is out of range."),
        _ => invalid("The given \"count\" argument value is unsuitable: a whole number is required."),
    }
}
