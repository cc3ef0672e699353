//! Cycles (E72, E73): the graph of references, and its strongly connected components.
//!
//! Modules are transparent: their variables, locals, outputs and resources are nodes of one graph, beside a node for the expansion of each
//! call and one for its end. Tarjan's algorithm finds the components, with an explicit stack.

use std::collections::BTreeSet;

use hashbrown::{HashMap, HashSet};
use planfuzz_core::address::ResourceMode;
use planfuzz_core::schema::Block;
use planfuzz_core::value::Text;

use super::declared::Declared;
use super::providers::{self, ConfiguredProvider};
use super::schemas::Schemas;
use crate::config::{Body, Configuration, Expr, Repetition, Resource, Rule, StepKind, Traversal, schema_references};
use crate::diagnostic::Diagnostic;
use crate::place::SourcePlace;
use crate::sources::Sources;

/// The graph of a configuration.
pub(super) fn graph<'s>(configuration: &Configuration, sources: &'s Sources, schemas: &'s Schemas) -> Graph<'s> {
    let mut graph = Graph { sources, schemas, ids: HashMap::new(), names: Vec::new(), edges: Vec::new() };
    graph.module(configuration, &mut Vec::new(), &mut vec![configuration]);
    graph
}

pub(super) fn cycles(graph: &Graph<'_>) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for component in components(&graph.edges) {
        let mut names: Vec<&str> = component.iter().map(|&node| graph.names[node].as_str()).collect();
        names.sort_unstable();
        let summary = format!("Cycle: {}", names.join(", "));
        diagnostics.push(Diagnostic::error(summary, "", SourcePlace::default()).without_place());
    }
    diagnostics
}

/// The reference graph, with the engine's names of its nodes.
pub(super) struct Graph<'s> {
    sources: &'s Sources,
    schemas: &'s Schemas,
    ids: HashMap<String, usize>,
    names: Vec<String>,
    edges: Vec<Vec<usize>>,
}

/// The module of a node: the prefix of the node's name, and the declarations.
struct Place<'c> {
    prefix: String,
    configuration: &'c Configuration,
    declared: Declared<'c>,
    /// The outputs of each call.
    outputs: HashMap<&'c str, HashSet<&'c str>>,
    /// The expansion of the call around it.
    expansion: Option<usize>,
}

impl<'c> Place<'c> {
    fn new(prefix: String, configuration: &'c Configuration, expansion: Option<usize>) -> Place<'c> {
        let names = |child: &'c Configuration| child.module.outputs.iter().map(|output| &*output.name.text).collect();
        let outputs = configuration.children.iter().map(|(call, child)| (call.as_str(), names(child))).collect();
        Place { prefix, configuration, declared: Declared::of(configuration), outputs, expansion }
    }
}

impl Graph<'_> {
    /// The nodes that depend on a failed one; they are skipped (E04).
    pub(super) fn dependents(&self, failed: &BTreeSet<String>) -> BTreeSet<String> {
        let mut users = vec![Vec::new(); self.edges.len()];
        for (user, used) in self.edges.iter().enumerate() {
            used.iter().for_each(|&used| users[used].push(user));
        }
        let mut rest: Vec<usize> = failed.iter().filter_map(|name| self.ids.get(name).copied()).collect();
        let mut seen = BTreeSet::new();
        while let Some(node) = rest.pop() {
            rest.extend(users[node].iter().copied().filter(|&user| seen.insert(user)));
        }
        seen.into_iter().map(|node| self.names[node].clone()).collect()
    }

    fn node(&mut self, name: String) -> usize {
        if let Some(&id) = self.ids.get(&name) {
            return id;
        }
        let id = self.names.len();
        self.ids.insert(name.clone(), id);
        self.names.push(name);
        self.edges.push(Vec::new());
        id
    }

    fn module<'c>(
        &mut self,
        configuration: &'c Configuration,
        path: &mut Vec<Text>,
        parents: &mut Vec<&'c Configuration>,
    ) -> Vec<usize> {
        let prefix: String = path.iter().map(|name| format!("module.{}.", name.as_str())).collect();
        let expansion = (!path.is_empty()).then(|| self.node(format!("{} (expand)", prefix.trim_end_matches('.'))));
        let place = Place::new(prefix, configuration, expansion);
        let mut all = self.declarations(&place);
        for resource in &configuration.module.resources {
            all.push(self.resource(resource, &place, path, parents));
        }
        for provider in &configuration.module.providers {
            let held = ConfiguredProvider::of_block(provider, &configuration.module, path, self.schemas);
            let node = self.node(held.to_string());
            let schema = self.schemas.provider(&held.source).map(|schema| &schema.config.block);
            self.body(node, &provider.config, schema, &place);
        }
        for call in &configuration.module.calls {
            let expand = self.node(format!("{}module.{} (expand)", place.prefix, call.name.text.as_str()));
            self.inside(expand, &place);
            self.repetition(expand, &call.repetition, &place);
            self.references(expand, call.depends_on.iter(), &place);
            all.push(expand);
            let Some(child) = configuration.children.get(&call.name.text) else { continue };
            for (name, value) in &call.inputs {
                let variable = self.node(format!(
                    "{}module.{}.var.{} (expand)",
                    place.prefix,
                    call.name.text.as_str(),
                    name.text.as_str()
                ));
                self.references(variable, value.references.iter(), &place);
            }
            path.push(call.name.text.clone());
            parents.push(child);
            let inner = self.module(child, path, parents);
            parents.pop();
            path.pop();
            let close = self.node(format!("{}module.{} (close)", place.prefix, call.name.text.as_str()));
            self.edges[close].extend(inner);
            all.push(close);
        }
        all
    }

    fn declarations(&mut self, place: &Place<'_>) -> Vec<usize> {
        let module = &place.configuration.module;
        let mut all = Vec::new();
        for variable in &module.variables {
            let name = variable.name.text.as_str();
            let node = self.node(variable_name(&place.prefix, name));
            self.inside(node, place);
            all.push(node);
            if variable.validations.is_empty() {
                continue;
            }
            let validation = self.node(format!("{}var.{name} (validation)", place.prefix));
            let own = |reference: &&Traversal| !reference.begins_with(&["var", name]);
            let all_rules: Vec<&Traversal> = rule_references(&variable.validations).filter(own).collect();
            self.references(validation, all_rules.into_iter(), place);
            self.edges[validation].push(node);
            all.push(validation);
        }
        for local in &module.locals {
            let node = self.node(format!("{}local.{} (expand)", place.prefix, local.name.text.as_str()));
            self.inside(node, place);
            let own = |reference: &&Traversal| !reference.begins_with(&["local", &local.name.text]);
            self.references(node, local.value.references.iter().filter(own), place);
            all.push(node);
        }
        for output in &module.outputs {
            let node = self.node(format!("{}output.{} (expand)", place.prefix, output.name.text.as_str()));
            self.inside(node, place);
            self.references(node, output.value.iter().flat_map(|value| &value.references), place);
            self.references(node, output.depends_on.iter(), place);
            self.references(node, rule_references(&output.preconditions), place);
            all.push(node);
        }
        all
    }

    fn inside(&mut self, node: usize, place: &Place<'_>) {
        self.edges[node].extend(place.expansion);
    }

    fn resource(&mut self, resource: &Resource, place: &Place<'_>, path: &[Text], parents: &[&Configuration]) -> usize {
        let own = resource_name(&place.prefix, resource.mode, &resource.type_name.text, &resource.name.text);
        let node = self.node(own);
        self.inside(node, place);
        self.repetition(node, &resource.repetition, place);
        self.references(node, resource.depends_on.iter(), place);
        let schema = self.schemas.of_resource(&place.configuration.module, resource);
        self.body(node, &resource.config, schema.map(|schema| &schema.block), place);
        let rules = resource.lifecycle.preconditions.iter().chain(&resource.lifecycle.postconditions);
        let rules: Vec<&Traversal> = rules.flat_map(references_of_rule).collect();
        self.references(node, rules.into_iter(), place);
        self.references(node, resource.lifecycle.replace_triggered_by.iter().flat_map(|expr| &expr.references), place);
        let bodies =
            resource.connection.iter().chain(resource.provisioners.iter().map(|provisioner| &provisioner.config));
        for body in bodies {
            self.body(node, body, None, place);
        }
        let provider = self.node(providers::of_resource(resource, path, parents, self.schemas).to_string());
        self.edges[node].push(provider);
        // A resource that names itself makes no edge (E70).
        self.edges[node].retain(|&to| to != node);
        node
    }

    fn repetition(&mut self, node: usize, repetition: &Repetition, place: &Place<'_>) {
        let both = [&repetition.count, &repetition.for_each].into_iter().flatten();
        self.references(node, both.flat_map(|expr: &Expr| &expr.references), place);
    }

    fn body(&mut self, node: usize, body: &Body, schema: Option<&Block>, place: &Place<'_>) {
        self.references(node, schema_references(body, schema, self.sources).iter(), place);
    }

    fn references<'t>(&mut self, node: usize, references: impl Iterator<Item = &'t Traversal>, place: &Place<'_>) {
        for reference in references {
            self.reference(node, reference, place);
        }
    }

    fn reference(&mut self, node: usize, reference: &Traversal, place: &Place<'_>) {
        if reference.unreadable_index().is_some() {
            return;
        }
        let name = |at: usize| match reference.steps.get(at).map(|step| &step.kind) {
            Some(StepKind::Attribute(name)) => Some(name.as_str()),
            _ => None,
        };
        let prefix = &place.prefix;
        let mut to = Vec::new();
        match (reference.root.as_str(), name(0)) {
            ("var", Some(found)) => {
                to.push(variable_name(prefix, found));
                let is_validated =
                    place.declared.variables.get(found).is_some_and(|variable| !variable.validations.is_empty());
                if is_validated {
                    to.push(format!("{prefix}var.{found} (validation)"));
                }
            }
            ("local", Some(found)) => to.push(format!("{prefix}local.{found} (expand)")),
            ("module", Some(call)) => {
                let has_key = matches!(reference.steps.get(1).map(|step| &step.kind), Some(StepKind::Index(_)));
                let output = name(1 + usize::from(has_key));
                let is_output = |output: &&str| place.outputs.get(call).is_some_and(|outputs| outputs.contains(output));
                match output.filter(is_output).filter(|_| !fault!(OutputIsModule)) {
                    Some(output) => to.push(format!("{prefix}module.{call}.output.{output} (expand)")),
                    None => to.push(format!("{prefix}module.{call} (close)")),
                }
            }
            ("data", Some(ty)) => to.extend(name(1).map(|found| resource_name(prefix, ResourceMode::Data, ty, found))),
            ("ephemeral", Some(ty)) => {
                to.extend(name(1).map(|found| resource_name(prefix, ResourceMode::Ephemeral, ty, found)))
            }
            ("resource", Some(ty)) => {
                to.extend(name(1).map(|found| resource_name(prefix, ResourceMode::Managed, ty, found)))
            }
            ("path" | "terraform" | "count" | "each" | "self", _) => {}
            (ty, Some(found)) => to.push(resource_name(prefix, ResourceMode::Managed, ty, found)),
            _ => {}
        }
        for name in to {
            let to = self.node(name);
            self.edges[node].push(to);
        }
    }
}

/// The root module's variables have no expansion of their own.
pub(super) fn variable_name(prefix: &str, name: &str) -> String {
    if prefix.is_empty() { format!("var.{name}") } else { format!("{prefix}var.{name} (expand)") }
}

pub(super) fn resource_name(prefix: &str, mode: ResourceMode, type_name: &str, name: &str) -> String {
    let word = match mode {
        ResourceMode::Managed => "",
        ResourceMode::Data => "data.",
        ResourceMode::Ephemeral => "ephemeral.",
    };
    format!("{prefix}{word}{type_name}.{name}")
}

fn rule_references(rules: &[Rule]) -> impl Iterator<Item = &Traversal> {
    rules.iter().flat_map(references_of_rule)
}

fn references_of_rule(rule: &Rule) -> impl Iterator<Item = &Traversal> {
    [&rule.condition, &rule.error_message].into_iter().flatten().flat_map(|expr| &expr.references)
}

/// The strongly connected components of more than one node.
fn components(edges: &[Vec<usize>]) -> Vec<BTreeSet<usize>> {
    let count = edges.len();
    let (mut index, mut low) = (vec![usize::MAX; count], vec![0; count]);
    let (mut on_stack, mut stack, mut next) = (vec![false; count], Vec::new(), 0);
    let mut found = Vec::new();
    for start in 0..count {
        if index[start] != usize::MAX {
            continue;
        }
        let mut work = vec![(start, 0)];
        while let Some((node, edge)) = work.pop() {
            if edge == 0 {
                (index[node], low[node]) = (next, next);
                next += 1;
                stack.push(node);
                on_stack[node] = true;
            }
            if let Some(&to) = edges[node].get(edge) {
                work.push((node, edge + 1));
                if index[to] == usize::MAX {
                    work.push((to, 0));
                } else if on_stack[to] {
                    low[node] = low[node].min(index[to]);
                }
                continue;
            }
            if let Some(&(parent, _)) = work.last() {
                low[parent] = low[parent].min(low[node]);
            }
            if low[node] == index[node] {
                let mut component = BTreeSet::new();
                while let Some(member) = stack.pop() {
                    on_stack[member] = false;
                    component.insert(member);
                    if member == node {
                        break;
                    }
                }
                if component.len() > 1 {
                    found.push(component);
                }
            }
        }
    }
    found
}
