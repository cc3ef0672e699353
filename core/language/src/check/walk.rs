//! Stage E04: references, bodies by their schemas, constants; with an evaluator, values as far as they are known.

use std::collections::BTreeSet;

use planfuzz_core::address::ResourceMode;
use planfuzz_core::schema::Block as SchemaBlock;
use planfuzz_core::value::Text;

use super::body::{self, BodyCheck, Looked};
use super::constants::{
    count_problem, for_each_problem, input_problem, message_warning, output_problem, rule_problems,
};
use super::cycle::{Graph, resource_name, variable_name};
use super::declared::Declared;
use super::imports::Imports;
use super::providers::{self, ConfiguredProvider};
use super::references::{self, RuleOf, Scope};
use super::schemas::Schemas;
use super::traversal;
use super::values::{Evaluate, Values};
use super::{OfBody, OfNode};
use crate::config::{
    Body, Check, Configuration, Expr, IgnoreChanges, Module, ModuleCall, Output, Provisioner, Repetition, Resource,
    Rule, Traversal, local_name, template_faults,
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
    let mut walker = Walker { evaluate, ..Walker::new(sources, schemas) };
    walker.all(configuration, Imports::OfNoNode);
    without_dependents(walker.of_nodes(), graph)
}

/// Like [`walk`], with the diagnostics by node, for a caller that evaluates.
pub(super) fn of_nodes(
    configuration: &Configuration,
    sources: &Sources,
    schemas: &Schemas,
    imports: Imports,
) -> Vec<OfNode> {
    let mut walker = Walker { is_evaluated: true, ..Walker::new(sources, schemas) };
    walker.all(configuration, imports);
    walker.of_nodes()
}

/// Checks locals, outputs and resources that are a part of a module; their dependents are not skipped.
pub(super) fn part(module: &Module, sources: &Sources, scope: &Scope<'_>, prefix: &str) -> Vec<Diagnostic> {
    let mut walker = Walker::new(sources, scope.schemas);
    walker.declarations(module, scope, prefix);
    walker.resources(module, scope, prefix);
    walker.diagnostics
}

/// A node that was visited.
struct Visited {
    /// The number of diagnostics before it.
    before: usize,
    name: String,
    /// The diagnostics of its body, if the caller evaluates it.
    body: OfBody,
}

pub(super) struct Walker<'s> {
    pub(super) sources: &'s Sources,
    pub(super) schemas: &'s Schemas,
    evaluate: Option<Evaluate<'s>>,
    pub(super) diagnostics: Vec<Diagnostic>,
    /// The nodes that were visited.
    nodes: Vec<Visited>,
    /// The provider configurations that something needs (E172).
    used: BTreeSet<ConfiguredProvider>,
    /// Whether the caller evaluates the nodes and reports on expressions itself.
    is_evaluated: bool,
}

/// Drops the diagnostics of nodes that depend on failed ones (E04).
fn without_dependents(of_nodes: Vec<OfNode>, graph: &Graph<'_>) -> Vec<Diagnostic> {
    let has_failed = |one: &&OfNode| one.diagnostics.iter().any(Diagnostic::is_error);
    let failed: BTreeSet<String> = of_nodes.iter().filter(has_failed).map(|one| one.node.clone()).collect();
    let skipped = graph.dependents(&failed);
    let is_reported = |one: &OfNode| !skipped.contains(&one.node) || fault!(FailedGoOn);
    of_nodes.into_iter().filter(is_reported).flat_map(|one| one.diagnostics).collect()
}

impl<'s> Walker<'s> {
    fn new(sources: &'s Sources, schemas: &'s Schemas) -> Walker<'s> {
        let (diagnostics, nodes, used) = Default::default();
        Walker { sources, schemas, evaluate: None, diagnostics, nodes, used, is_evaluated: false }
    }

    fn all(&mut self, configuration: &'s Configuration, imports: Imports) {
        self.gather(configuration, &mut Vec::new(), &mut vec![configuration]);
        self.used.extend(providers::of_imports(configuration, self.schemas));
        self.modules(configuration, &mut Vec::new());
        if imports == Imports::OfNoNode {
            let declared = Declared::of(configuration);
            let scope = Scope::new(configuration, &declared, self.schemas);
            self.node(String::new());
            configuration.module.imports.iter().for_each(|import| self.import(import, &scope));
        }
    }

    /// Begins a node; the following diagnostics belong to it.
    pub(super) fn node(&mut self, name: String) {
        self.nodes.push(Visited { before: self.diagnostics.len(), name, body: OfBody::default() });
    }

    fn of_nodes(self) -> Vec<OfNode> {
        let mut of_nodes = Vec::with_capacity(self.nodes.len());
        let mut diagnostics = self.diagnostics;
        for Visited { before, name: node, body } in self.nodes.into_iter().rev() {
            let diagnostics = diagnostics.split_off(before.min(diagnostics.len()));
            of_nodes.push(OfNode { node, diagnostics, body });
        }
        of_nodes.reverse();
        of_nodes.retain(|one| !one.diagnostics.is_empty() || one.body != OfBody::default());
        of_nodes
    }

    fn gather(&mut self, configuration: &'s Configuration, path: &mut Vec<Text>, parents: &mut Vec<&'s Configuration>) {
        let checks = configuration.module.checks.iter().filter_map(|check| check.data.as_ref());
        for resource in configuration.module.resources.iter().chain(checks) {
            self.used.insert(providers::of_resource(resource, path, parents, self.schemas));
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
            self.rules(&variable.validations, RuleOf::Variable, &scope);
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
            self.check(check, &scope, &prefix);
        }
        for provider in &module.providers {
            let held = ConfiguredProvider::of_block(provider, module, path, self.schemas);
            if self.used.contains(&held) || fault!(UnusedChecked) {
                self.node(held.to_string());
                let schema = self.schemas.provider(&held.source).map(|provider| &provider.config.block);
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
            let name = resource_name(prefix, resource.mode, &resource.type_name.text, &resource.name.text);
            self.node(name);
            self.resource(resource, scope);
        }
    }

    fn expr(&mut self, expr: &Expr, scope: &Scope<'_>) {
        if !self.is_evaluated {
            self.report_faults(expr, scope);
        }
    }

    /// Reports the diagnostics of an expression that is not evaluated.
    pub(super) fn report_faults(&mut self, expr: &Expr, scope: &Scope<'_>) {
        let faults = template_faults(&expr.written);
        if !faults.is_empty() {
            self.diagnostics.extend(faults);
            return;
        }
        self.diagnostics.extend(references::faults(&expr.references, scope).diagnostics);
    }

    /// The value of an expression without faults, if there is an evaluator.
    fn value(&mut self, expr: &Expr, scope: &Scope<'_>) -> Option<Marked> {
        let before = self.diagnostics.len();
        self.expr(expr, scope);
        let values = scope.values.filter(|_| self.diagnostics.len() == before)?;
        values.of(&expr.written, &mut self.diagnostics)
    }

    /// Preconditions come first: if their references have faults, the rest is not checked.
    fn output(&mut self, output: &Output, scope: &Scope<'_>, is_root: bool) {
        // E78: nothing else is reported of such an output.
        if is_root && output.ephemeral.as_ref().is_some_and(|flag| flag.value) {
            if scope.values.is_some() {
                let detail = "Outputs of the root module are kept, so none can be ephemeral.";
                self.diagnostics.push(Diagnostic::error("Ephemeral output not allowed", detail, output.header));
            }
            return;
        }
        let before = self.diagnostics.len();
        let has_faults = |rule: &Rule| !references::rule_faults(rule, RuleOf::Output, scope).diagnostics.is_empty();
        let ends = output.preconditions.iter().any(has_faults);
        self.rules(&output.preconditions, RuleOf::Output, scope);
        if ends {
            return;
        }
        if let Some(expr) = &output.value
            && let Some(value) = self.value(expr, scope)
        {
            self.diagnostics.extend(output_problem(output, &value, &expr.written, is_root));
        }
        self.whole(&output.depends_on, scope);
        let Some(values) = scope.values.filter(|_| self.diagnostics.len() == before) else { return };
        for rule in &output.preconditions {
            rule_problems(rule, values, "Module output value precondition failed", &mut self.diagnostics);
        }
    }

    fn whole(&mut self, list: &[Traversal], scope: &Scope<'_>) {
        for reference in list {
            references::check_whole(reference, scope, &mut self.diagnostics);
        }
    }

    fn rules(&mut self, rules: &[Rule], of: RuleOf, scope: &Scope<'_>) {
        if self.is_evaluated {
            return;
        }
        for rule in rules {
            let both = [&rule.condition, &rule.error_message].into_iter().flatten();
            self.diagnostics.extend(both.flat_map(|expr| template_faults(&expr.written)));
            self.diagnostics.extend(references::rule_diagnostics(rule, of, scope));
        }
    }

    fn call(&mut self, call: &ModuleCall, scope: &Scope<'_>, prefix: &str) {
        let name = call.name.text.as_str();
        self.node(format!("{prefix}module.{name} (expand)"));
        self.repetition(&call.repetition, scope);
        self.whole(&call.depends_on, scope);
        // E68: the repetition of the call is not known here.
        let inner = Scope { has_count: true, has_each: true, ..*scope };
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
        if self.is_evaluated {
            return;
        }
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

    /// The value of an expression without faults; without an evaluator, that of a plain constant.
    fn value_or_constant(&mut self, expr: &Expr, scope: &Scope<'_>) -> Option<Marked> {
        let before = self.diagnostics.len();
        let value = self.value(expr, scope);
        let is_faulty = self.diagnostics.len() > before;
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
        let provider = self.schemas.provider(&self.schemas.source(module, local_name(resource)));
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
        let is_read = self.kept_body(&resource.config, schema.map(|schema| &schema.block), &inner, resource.mode);
        if let (IgnoreChanges::These(these), Some(schema)) =
            (&resource.lifecycle.ignore_changes, schema.filter(|_| is_read))
        {
            let diagnostics = traversal::ignored(these, &schema.block);
            match self.nodes.last_mut().filter(|_| self.is_evaluated) {
                Some(node) => node.body.afterwards = diagnostics,
                None => self.diagnostics.extend(diagnostics),
            }
        }
        let with_self = Scope { own: Some(schema), ..inner };
        self.rules(&resource.lifecycle.preconditions, RuleOf::Resource, &inner);
        self.rules(&resource.lifecycle.postconditions, RuleOf::Resource, &with_self);
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
        let _ = self.kept_body(body, schema, scope, ResourceMode::Ephemeral);
    }

    /// Checks the body of a resource; managed and data resources keep their values. Returns whether its references have no faults.
    fn kept_body(&mut self, body: &Body, schema: Option<&SchemaBlock>, scope: &Scope<'_>, mode: ResourceMode) -> bool {
        let is_kept = mode != ResourceMode::Ephemeral;
        let before = self.diagnostics.len();
        let looked = if self.is_evaluated { Looked::AtNone } else { Looked::Statically };
        let mut check = BodyCheck::new(self.sources, scope, looked, &mut self.diagnostics);
        check.is_kept = is_kept;
        let is_read = check.whole(body, schema);
        if let Some(node) = self.nodes.last_mut().filter(|_| self.is_evaluated && schema.is_some()) {
            node.body.is_unread = !is_read;
            node.body.diagnostics = self.diagnostics.split_off(before);
        }
        is_read
    }

    fn check<'r>(&mut self, check: &'r Check, scope: &Scope<'r>, prefix: &str)
    where
        's: 'r,
    {
        let inner = Scope { check: Some(&check.name.text), ..*scope };
        if let Some(data) = &check.data {
            self.node(resource_name(prefix, data.mode, &data.type_name.text, &data.name.text));
            self.resource(data, &inner);
        }
        self.node(format!("{prefix}check.{}", check.name.text.as_str()));
        self.rules(&check.asserts, RuleOf::Check, &inner);
    }
}

fn repeated<'s>(scope: &Scope<'s>, repetition: &Repetition) -> Scope<'s> {
    Scope { has_count: repetition.count.is_some(), has_each: repetition.for_each.is_some(), ..*scope }
}
