//! The graph of the configuration (sections 5.1 to 5.3), built once for a configuration: an edge for each name, none for an instance.

use planfuzz_core::address::{InstanceKey, Resource, ResourceMode};
use planfuzz_core::value::Value;
use planfuzz_language::config::{Import, StepKind, Traversal, schema_references};

use crate::graph::{Graph, Node};
use crate::model::{Model, rule_references};

/// The target of a reference (G77 to G81).
pub enum Leads {
    /// A block, and the constant key that is named.
    Block(usize, Option<InstanceKey>),
    /// Nodes.
    Nodes(Vec<Node>),
}

/// The key of a constant.
pub fn key(value: &Value) -> Option<InstanceKey> {
    match value.view().as_text() {
        Some(text) => Some(InstanceKey::Text(text.to_string())),
        None => value.view().as_number()?.to_i64().map(InstanceKey::Int),
    }
}

fn name(reference: &Traversal, at: usize) -> Option<&str> {
    match &reference.steps.get(at)?.kind {
        StepKind::Attribute(name) => Some(name),
        StepKind::Index(_) => None,
    }
}

/// The resource that a reference names, and the number of its steps up to there.
pub fn resource(reference: &Traversal) -> Option<(Resource, usize)> {
    let of = |mode, type_name: &str, name: &str| Resource { mode, type_name: type_name.into(), name: name.into() };
    let (mode, is_short) = match &*reference.root {
        "var" | "local" | "module" | "each" | "count" | "self" | "path" | "terraform" => return None,
        "data" => (ResourceMode::Data, false),
        "ephemeral" => (ResourceMode::Ephemeral, false),
        "resource" => (ResourceMode::Managed, false),
        _ => (ResourceMode::Managed, true),
    };
    Some(match is_short {
        true => (of(mode, &reference.root, name(reference, 0)?), 1),
        false => (of(mode, name(reference, 0)?, name(reference, 1)?), 2),
    })
}

impl Model<'_> {
    /// The target of a reference in a module.
    pub fn leads(&self, module: usize, reference: &Traversal) -> Leads {
        if reference.unreadable_index().is_some() {
            return Leads::Nodes(Vec::new());
        }
        let at = module as u32;
        let nodes = match (&*reference.root, name(reference, 0)) {
            ("var", Some(name)) => match self.modules[module].variable_places.get(name) {
                Some(&place) => vec![Node::Variable(at, place as u32), Node::Validation(at, place as u32)],
                None => Vec::new(),
            },
            ("local", Some(name)) => {
                self.local(module, name).map(|place| Node::Local(at, place as u32)).into_iter().collect()
            }
            ("module", Some(call)) => match self.modules[module].children.get(call) {
                Some(&child) => self.of_call(child, reference),
                None => Vec::new(),
            },
            _ => match resource(reference) {
                Some((resource, steps)) => {
                    let key = reference.steps.get(steps).and_then(|step| match &step.kind {
                        StepKind::Index(value) => key(value),
                        StepKind::Attribute(_) => None,
                    });
                    match self.find(module, &resource) {
                        Some(block) => return Leads::Block(block, key),
                        None => self.imports_to(module, &resource),
                    }
                }
                None => Vec::new(),
            },
        };
        Leads::Nodes(nodes)
    }

    /// G49: the import of a resource without block takes the place of a block.
    fn imports_to(&self, module: usize, resource: &Resource) -> Vec<Node> {
        let of_nothing = self.imports_of_nothing().filter(|(_, import)| {
            import.target.resource.resource == *resource && self.import_module(import) == Some(module)
        });
        of_nothing.map(|(place, _)| Node::Import(place as u32)).collect()
    }

    /// Adds the edges of all nodes again, after nodes were added to which they may lead.
    pub fn wait_for_imports(&self, graph: &mut Graph) {
        (0..graph.len() as u32).for_each(|id| self.add_edges(graph, id));
    }

    /// G78, G79.
    fn of_call(&self, child: usize, reference: &Traversal) -> Vec<Node> {
        let has_key = matches!(reference.steps.get(1).map(|step| &step.kind), Some(StepKind::Index(_)));
        let output = name(reference, 1 + usize::from(has_key)).and_then(|output| self.output(child, output));
        let at = child as u32;
        match output {
            Some(place) if !fault!(OutputIsModule) => vec![Node::Output(at, place as u32)],
            _ => {
                let outputs = (0..self.modules[child].outputs.len()).map(|place| Node::Output(at, place as u32));
                let ends = [Node::Begin(at), Node::End(at)];
                ends.into_iter().filter(|_| !fault!(ModuleIsOutputs)).chain(outputs).collect()
            }
        }
    }

    /// The nodes that a reference leads to.
    pub fn nodes(&self, module: usize, reference: &Traversal) -> Vec<Node> {
        match self.leads(module, reference) {
            Leads::Block(block, _) => vec![Node::Block(block as u32)],
            Leads::Nodes(nodes) => nodes,
        }
    }

    /// The graph of the configuration.
    pub fn configured(&self) -> &Graph {
        self.base.get_or_init(|| {
            let mut graph = Graph::default();
            self.add_nodes(&mut graph);
            for id in 0..graph.len() as u32 {
                self.add_edges(&mut graph, id);
            }
            self.add_ends(&mut graph);
            graph.tidy();
            graph
        })
    }

    /// Whether a node has the same edges as when the graph was built, after part of it was compiled again.
    pub fn has_same_edges(&mut self, node: Node) -> bool {
        let Some(mut graph) = self.base.take() else { return false };
        let is_same = graph.id(node).is_some_and(|id| {
            let old = graph.take_edges(id);
            self.add_edges(&mut graph, id);
            let new = graph.take_edges(id);
            let is_same = old == new || fault!(StaleEdges);
            graph.put_edges(id, old);
            is_same
        });
        self.base.set(graph).is_ok() && is_same
    }

    fn add_nodes(&self, graph: &mut Graph) {
        for (at, module) in self.modules.iter().enumerate() {
            let m = at as u32;
            if module.call.is_some() {
                graph.add(Node::Begin(m));
                graph.add(Node::End(m));
            }
            for (place, variable) in module.variables.iter().enumerate() {
                graph.add(Node::Variable(m, place as u32));
                if !variable.of.validations.is_empty() {
                    graph.add(Node::Validation(m, place as u32));
                }
            }
            for place in 0..module.locals.len() as u32 {
                graph.add(Node::Local(m, place));
            }
            for place in 0..module.outputs.len() as u32 {
                graph.add(Node::Output(m, place));
            }
            for place in 0..module.checks.len() as u32 {
                graph.add(Node::Check(m, place));
                graph.add(Node::Report(m, place));
            }
        }
        for (block, of) in self.blocks.iter().enumerate() {
            graph.add(Node::Block(block as u32));
            if of.address.mode == ResourceMode::Ephemeral {
                graph.add(Node::EphemeralEnd(block as u32));
            }
            graph.add(Node::Provider(of.provider as u32));
        }
    }

    fn refer<'t>(&self, graph: &mut Graph, from: u32, module: usize, found: impl IntoIterator<Item = &'t Traversal>) {
        for reference in found {
            match self.leads(module, reference) {
                Leads::Block(block, key) => {
                    let Some(to) = graph.id(Node::Block(block as u32)) else { continue };
                    graph.edge(from, to);
                    match key {
                        Some(key) => graph.keyed.entry((from, to)).or_default().push(key),
                        None => drop(graph.whole.insert((from, to))),
                    }
                }
                Leads::Nodes(nodes) => {
                    let found: Vec<u32> = nodes.into_iter().filter_map(|node| graph.id(node)).collect();
                    found.into_iter().for_each(|to| graph.edge(from, to));
                }
            }
        }
    }

    /// G66.
    fn inside(&self, graph: &mut Graph, id: u32, module: u32) {
        if let Some(begin) = graph.id(Node::Begin(module)).filter(|_| !fault!(BeginNotAwaited)) {
            graph.edge(id, begin);
        }
    }

    fn add_edges(&self, graph: &mut Graph, id: u32) {
        let node = graph.nodes[id as usize];
        match node {
            Node::Block(block) => self.block_edges(graph, id, block as usize),
            Node::Provider(provider) => self.provider_edges(graph, id, provider as usize),
            Node::Variable(m, place) => {
                self.inside(graph, id, m);
                let module = &self.modules[m as usize];
                let name = &module.variables[place as usize].of.name;
                if let Some((parent, call)) = module.call
                    && let Some((_, given)) = call.inputs.iter().find(|(input, _)| input.text == name.text)
                {
                    self.refer(graph, id, parent, &given.references);
                }
            }
            Node::Validation(m, place) => {
                self.inside(graph, id, m);
                if let Some(variable) = graph.id(Node::Variable(m, place)) {
                    graph.edge(id, variable);
                }
                let rules = &self.modules[m as usize].variables[place as usize].of.validations;
                self.refer(graph, id, m as usize, rules.iter().flat_map(rule_references));
            }
            Node::Local(m, place) => {
                self.inside(graph, id, m);
                let local = self.modules[m as usize].locals[place as usize].of;
                self.refer(graph, id, m as usize, &local.value.references);
            }
            Node::Output(m, place) => {
                self.inside(graph, id, m);
                let output = self.modules[m as usize].outputs[place as usize].of;
                self.refer(graph, id, m as usize, output.preconditions.iter().flat_map(rule_references));
                self.refer(graph, id, m as usize, output.value.iter().flat_map(|value| &value.references));
                self.refer(graph, id, m as usize, &output.depends_on);
            }
            Node::Report(m, _) => self.inside(graph, id, m),
            Node::Check(m, place) => {
                self.inside(graph, id, m);
                let data = self.check_blocks.get(&(m as usize, place as usize)).map(|&block| Node::Block(block as u32));
                for node in [Some(Node::Report(m, place)), data].into_iter().flatten() {
                    if let Some(to) = graph.id(node) {
                        graph.edge(id, to);
                    }
                }
                let asserts = &self.modules[m as usize].of.checks[place as usize].asserts;
                self.refer(graph, id, m as usize, asserts.iter().flat_map(rule_references));
            }
            Node::Begin(m) => {
                let Some((parent, call)) = self.modules[m as usize].call else { return };
                self.inside(graph, id, parent as u32);
                self.refer(graph, id, parent, &call.depends_on);
                let repetition = [&call.repetition.count, &call.repetition.for_each].into_iter().flatten();
                self.refer(graph, id, parent, repetition.flat_map(|expr| &expr.references));
            }
            _ => {}
        }
    }

    /// G63, G64.
    fn block_edges(&self, graph: &mut Graph, id: u32, block: usize) {
        let of = &self.blocks[block];
        self.inside(graph, id, of.module as u32);
        if let Some(provider) = graph.id(Node::Provider(of.provider as u32)).filter(|_| !fault!(ProviderNotAwaited)) {
            graph.edge(id, provider);
        }
        self.refer(graph, id, of.module, &of.references);
        self.refer(graph, id, of.module, &of.of.depends_on);
        if let Some(report) = of.check.and_then(|check| graph.id(Node::Report(of.module as u32, check as u32))) {
            graph.edge(id, report);
        }
    }

    /// G63: edges of the blocks of imports, in a validation and a plan of changes.
    pub fn imported_edges(&self, graph: &mut Graph) {
        for (&block, imports) in &self.imports {
            let Some(id) = graph.id(Node::Block(block as u32)) else { continue };
            imports.iter().for_each(|import| self.import_edges(graph, id, import));
        }
    }

    /// Adds edges for the references of an import.
    pub fn import_edges(&self, graph: &mut Graph, id: u32, import: &Import) {
        let both = [&import.id, &import.for_each].into_iter().flatten();
        let found = both.flat_map(|expr| &expr.references).filter(|reference| &*reference.root != "each");
        self.refer(graph, id, 0, found);
    }

    /// G65, G66.
    pub fn provider_edges(&self, graph: &mut Graph, id: u32, provider: usize) {
        if let Some((module, block)) = self.providers[provider].block {
            self.inside(graph, id, module as u32);
            let schema = self.schemas.provider(&self.providers[provider].address.source.to_string());
            let found = schema_references(&block.config, schema.map(|schema| &schema.config.block), self.sources);
            self.refer(graph, id, module, &found);
        }
    }

    /// G69.
    fn add_ends(&self, graph: &mut Graph) {
        for id in 0..graph.len() as u32 {
            let module = match graph.nodes[id as usize] {
                Node::Block(block) => self.blocks[block as usize].module as u32,
                Node::Variable(m, _) | Node::Validation(m, _) | Node::Local(m, _) | Node::Output(m, _) => m,
                Node::Check(m, _) | Node::Begin(m) => m,
                Node::End(m) => match self.modules[m as usize].call {
                    Some((parent, _)) => parent as u32,
                    None => continue,
                },
                _ => continue,
            };
            if let Some(end) = graph.id(Node::End(module)) {
                graph.edge(end, id);
            }
        }
    }
}
