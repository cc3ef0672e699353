//! Stage E04: references, bodies by their schemas, constants; with an evaluator, values as far as they are known.

use std::collections::BTreeSet;

use planfuzz_core::address::ResourceMode;
use planfuzz_core::schema::Block as SchemaBlock;
use planfuzz_core::value::Text;

use super::body::{self, BodyCheck};
use super::constants::{
    count_problem, for_each_problem, input_problem, message_warning, output_problem, rule_problems,
};
use super::cycle::{Graph, resource_name, variable_name};
use super::declared::Declared;
use super::providers::{self, Held};
use super::references::{self, Scope};
use super::schemas::{Schemas, local_name, provider_source};
use super::values::{Evaluate, Values};
use crate::config::{
    Body, Check, Configuration, Expr, IgnoreChanges, Module, ModuleCall, Output, Provisioner, Repetition, Resource,
    Rule, Traversal, template_faults,
};
use crate::diagnostic::Diagnostic;
use crate::expression::Marked;
use crate::sources::Sources;

pub(super) fn walk(
    configuration: &Configuration,
    sources: &Sources,
    schemas: &Schemas,
    graph: &Graph<'_>,
    evaluate: Option<Evaluate<'_>>,
) -> Vec<Diagnostic> {
    let (diagnostics, nodes, used) = (Vec::new(), Vec::new(), BTreeSet::new());
    let mut walker = Walker { sources, schemas, evaluate, diagnostics, nodes, used };
    walker.gather(configuration, &mut Vec::new(), &mut vec![configuration]);
    walker.modules(configuration, &mut Vec::new());
    let declared = Declared::of(configuration);
    for import in &configuration.module.imports {
        walker.node(String::new());
        walker.import(import, &Scope::new(configuration, &declared, schemas));
    }
    walker.without_dependents(graph)
}

/// The same of locals, outputs and resources that are a part of a module, whoever depends on them.
pub(super) fn part(module: &Module, sources: &Sources, scope: &Scope<'_>, prefix: &str) -> Vec<Diagnostic> {
    let (diagnostics, nodes, used) = (Vec::new(), Vec::new(), BTreeSet::new());
    let mut walker = Walker { sources, schemas: scope.schemas, evaluate: None, diagnostics, nodes, used };
    walker.declarations(module, scope, prefix);
    walker.resources(module, scope, prefix);
    walker.diagnostics
}

pub(super) struct Walker<'s> {
    pub(super) sources: &'s Sources,
    pub(super) schemas: &'s Schemas,
    evaluate: Option<Evaluate<'s>>,
    pub(super) diagnostics: Vec<Diagnostic>,
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
        let declared = Declared::of(configuration);
        let values = self.evaluate.map(|evaluate| Values::new(evaluate, self.sources, configuration, &declared));
        let scope = Scope { values: values.as_ref(), ..Scope::new(configuration, &declared, self.schemas) };
        let module = &configuration.module;
        let prefix: String = path.iter().map(|name| format!("module.{}.", name.as_str())).collect();
        self.declarations(module, &scope, &prefix);
        for variable in &module.variables {
            self.node(format!("{prefix}var.{} (validation)", variable.name.text.as_str()));
            self.rules(&variable.validations, &scope);
            if let Some(values) = scope.values {
                for rule in &variable.validations {
                    self.diagnostics.extend(message_warning(rule, values));
                    if let Some(condition) = &rule.condition {
                        values.of(&condition.written, &mut self.diagnostics);
                    }
                }
            }
        }
        for call in &module.calls {
            self.call(call, &scope, &prefix);
        }
        self.resources(module, &scope, &prefix);
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

    /// The locals and outputs of a module, or of a part of it.
    fn declarations(&mut self, module: &Module, scope: &Scope<'_>, prefix: &str) {
        for local in &module.locals {
            self.node(format!("{prefix}local.{} (expand)", local.name.text.as_str()));
            let itself =
                local.value.references.iter().find(|reference| reference.begins_with(&["local", &local.name.text]));
            match itself {
                Some(reference) => {
                    let detail = format!("Local value local.{} cannot refer to itself.", local.name.text.as_str());
                    self.diagnostics.push(Diagnostic::error("Self-referencing local value", detail, reference.place));
                }
                None => drop(self.value(&local.value, scope)),
            }
        }
        for output in &module.outputs {
            self.node(format!("{prefix}output.{} (expand)", output.name.text.as_str()));
            self.output(output, scope, prefix.is_empty());
        }
    }

    /// The resources of a module, or of a part of it.
    fn resources<'r>(&mut self, module: &'r Module, scope: &Scope<'r>, prefix: &str)
    where
        's: 'r,
    {
        for resource in &module.resources {
            self.node(resource_name(prefix, resource.mode, &resource.type_name.text, &resource.name.text));
            self.resource(resource, scope);
        }
    }

    pub(super) fn expr(&mut self, expr: &Expr, scope: &Scope<'_>) {
        let faults = template_faults(&expr.written);
        if !faults.is_empty() {
            self.diagnostics.extend(faults);
            return;
        }
        for reference in &expr.references {
            references::check(reference, scope, &mut self.diagnostics);
        }
    }

    /// The value of an expression that has no faults, where somebody evaluates.
    fn value(&mut self, expr: &Expr, scope: &Scope<'_>) -> Option<Marked> {
        let told = self.diagnostics.len();
        self.expr(expr, scope);
        let values = scope.values.filter(|_| self.diagnostics.len() == told)?;
        values.of(&expr.written, &mut self.diagnostics)
    }

    fn output(&mut self, output: &Output, scope: &Scope<'_>, is_root: bool) {
        let told = self.diagnostics.len();
        if let Some(expr) = &output.value
            && let Some(value) = self.value(expr, scope)
        {
            self.diagnostics.extend(output_problem(output, &value, &expr.written, is_root));
        }
        self.whole(&output.depends_on, scope);
        self.rules(&output.preconditions, scope);
        let Some(values) = scope.values.filter(|_| self.diagnostics.len() == told) else { return };
        for rule in &output.preconditions {
            rule_problems(rule, values, "Module output value precondition failed", &mut self.diagnostics);
        }
        if is_root && output.ephemeral.as_ref().is_some_and(|flag| flag.value) {
            let detail = "Outputs of the root module are kept, so none can be ephemeral.";
            self.diagnostics.push(Diagnostic::error("Ephemeral output not allowed", detail, output.header));
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
        let child = scope.configuration.children.get(name);
        let declared = child.map(Declared::of).unwrap_or_default();
        for (input, value) in &call.inputs {
            self.node(variable_name(&format!("{prefix}module.{name}."), &input.text));
            let given = self.value(value, &inner);
            let variable = declared.variables.get(&*input.text);
            if let (Some(given), Some(child), Some(variable), Some(evaluate)) = (given, child, variable, self.evaluate)
            {
                let child = Values::new(evaluate, self.sources, child, &declared);
                self.diagnostics.extend(input_problem(variable, &child, &given, &value.written));
            }
        }
    }

    fn repetition(&mut self, repetition: &Repetition, scope: &Scope<'_>) {
        if let Some(count) = &repetition.count
            && let Some(value) = self.value_or_constant(count, scope)
        {
            self.diagnostics.extend(count_problem(&value, &count.written));
        }
        if let Some(for_each) = &repetition.for_each
            && let Some(value) = self.value_or_constant(for_each, scope)
        {
            self.diagnostics.extend(for_each_problem(&value, &for_each.written));
        }
    }

    /// The value of an expression that has no faults; where nobody evaluates, of a plain constant.
    fn value_or_constant(&mut self, expr: &Expr, scope: &Scope<'_>) -> Option<Marked> {
        let told = self.diagnostics.len();
        let value = self.value(expr, scope);
        let is_faulty = self.diagnostics.len() > told;
        value.or_else(|| body::constant(&expr.written, self.sources).filter(|_| !is_faulty).map(Marked::from))
    }

    fn resource<'r>(&mut self, resource: &'r Resource, scope: &Scope<'r>)
    where
        's: 'r,
    {
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
        self.kept_body(&resource.config, schema.map(|schema| &schema.block), &inner, resource.mode);
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

    fn body(&mut self, body: &Body, schema: Option<&SchemaBlock>, scope: &Scope<'_>) {
        self.kept_body(body, schema, scope, ResourceMode::Ephemeral);
    }

    /// A body of a resource; what managed and data resources are given is kept.
    fn kept_body(&mut self, body: &Body, schema: Option<&SchemaBlock>, scope: &Scope<'_>, mode: ResourceMode) {
        let is_kept = mode != ResourceMode::Ephemeral;
        let mut checks = BodyCheck { sources: self.sources, scope, is_kept, diagnostics: &mut self.diagnostics };
        match schema {
            Some(schema) => checks.body(body, schema, &mut Vec::new()),
            None => checks.unknown_body(body, &mut Vec::new()),
        }
    }

    fn check<'r>(&mut self, check: &'r Check, scope: &Scope<'r>)
    where
        's: 'r,
    {
        let inner = Scope { check: Some(&check.name.text), ..*scope };
        if let Some(data) = &check.data {
            self.resource(data, &inner);
        }
        self.rules(&check.asserts, &inner);
    }
}

fn repeated<'s>(scope: &Scope<'s>, repetition: &Repetition) -> Scope<'s> {
    Scope { has_count: repetition.count.is_some(), has_each: repetition.for_each.is_some(), ..*scope }
}
