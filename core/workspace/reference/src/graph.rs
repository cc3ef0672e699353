//! The graph of a plan walk (section 5 of workspace-plan.md): nodes, and the nodes that each waits for.

use std::collections::{BTreeSet, HashMap};

use planfuzz_core::address::{AbsResourceInstance, InstanceKey, ProviderConfig, ResourceMode};
use planfuzz_core::state::DeposedKey;
use planfuzz_language::config::{Import, Traversal};

use crate::layout::{Block, Layout, rule_references};
use crate::references::references;

/// A node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// G51: a block, for all its instances.
    Block(usize),
    /// G49: an import of the root whose target has no block.
    Import(usize),
    /// G52: an object without a block.
    Orphan(AbsResourceInstance),
    /// G53: a deposed object.
    Deposed(AbsResourceInstance, DeposedKey),
    /// G54: a variable, by module and place.
    Variable(usize, usize),
    /// G54: its validation.
    Validation(usize, usize),
    /// G55
    Local(usize, usize),
    /// G56
    Output(usize, usize),
    /// G56: a root output that is no longer configured.
    GoneOutput(String),
    /// G57
    Begin(usize),
    /// G58
    End(usize),
    /// G59
    Provider(ProviderConfig),
    /// G60
    EphemeralEnd(usize),
    /// G61: the report of a check block.
    CheckReport(usize, usize),
    /// The node that the data resources of checks wait for in an apply (U39).
    CheckStart,
    /// G61
    Check(usize, usize),
    /// An object of an instance that is created, updated or read in an apply.
    Make(AbsResourceInstance),
    /// An object that is destroyed.
    Destroy(AbsResourceInstance),
    /// An object that is forgotten.
    Forget(AbsResourceInstance, Option<DeposedKey>),
}

/// A graph.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The nodes that each waits for.
    pub edges: Vec<BTreeSet<usize>>,
    ids: HashMap<Node, usize>,
    /// Pairs of nodes of which the first is visited after the second without having to wait for it.
    soft: BTreeSet<(usize, usize)>,
    /// References that name single instances: the referring node and the block, with the keys.
    pub keyed: HashMap<(usize, usize), BTreeSet<InstanceKey>>,
    /// References that name whole blocks: the referring node and the block.
    pub whole: BTreeSet<(usize, usize)>,
    /// Whether import blocks are left out, as in a validation and in a walk that only plans changes (G63).
    pub leaves_imports: bool,
}

impl Graph {
    /// The place of a node, made if it is not there.
    pub fn add(&mut self, node: Node) -> usize {
        if let Some(id) = self.ids.get(&node) {
            return *id;
        }
        let id = self.nodes.len();
        self.ids.insert(node.clone(), id);
        self.nodes.push(node);
        self.edges.push(BTreeSet::new());
        id
    }

    /// The place of a node.
    pub fn id(&self, node: &Node) -> Option<usize> {
        self.ids.get(node).copied()
    }

    /// Makes one wait for another.
    pub fn edge(&mut self, from: usize, to: usize) {
        if from != to {
            self.edges[from].insert(to);
        }
    }

    /// Visits one node after another that it does not wait for.
    pub fn visit_after(&mut self, from: usize, to: usize) {
        self.soft.insert((from, to));
    }

    /// The nodes that each node is visited after.
    pub fn visits(&self) -> Vec<Vec<usize>> {
        let mut lists = self.lists();
        self.soft.iter().for_each(|(from, to)| lists[*from].push(*to));
        lists
    }

    /// Everything that a node waits for, directly or not.
    pub fn reach(&self, from: usize) -> BTreeSet<usize> {
        self.reach_of([from])
    }

    /// These nodes and everything that they are visited after, directly or not.
    pub fn visited_before(&self, of: BTreeSet<usize>) -> BTreeSet<usize> {
        let visits = self.visits();
        let mut rest: Vec<usize> = of.iter().copied().collect();
        let mut found = of;
        while let Some(node) = rest.pop() {
            rest.extend(visits[node].iter().copied().filter(|&to| found.insert(to)));
        }
        found
    }

    /// Everything that some of these wait for, directly or not.
    pub fn reach_of(&self, from: impl IntoIterator<Item = usize>) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        let mut rest: Vec<usize> = from.into_iter().collect();
        while let Some(node) = rest.pop() {
            rest.extend(self.edges[node].iter().copied().filter(|&to| found.insert(to)));
        }
        found
    }

    /// The nodes that wait for each node, directly.
    pub fn users(&self) -> Vec<Vec<usize>> {
        let mut users = vec![Vec::new(); self.nodes.len()];
        for (user, used) in self.edges.iter().enumerate() {
            used.iter().for_each(|&used| users[used].push(user));
        }
        users
    }

    /// These nodes and everything that waits for them, directly or not, given the nodes that wait for each.
    pub fn dependents(of: impl IntoIterator<Item = usize>, users: &[Vec<usize>]) -> BTreeSet<usize> {
        let mut rest: Vec<usize> = of.into_iter().collect();
        let mut found: BTreeSet<usize> = rest.iter().copied().collect();
        while let Some(node) = rest.pop() {
            rest.extend(users[node].iter().copied().filter(|&user| found.insert(user)));
        }
        found
    }

    /// The graph without the other nodes.
    #[must_use]
    pub fn keep(&self, kept: &BTreeSet<usize>) -> Graph {
        let mut graph = Graph::default();
        for &node in kept {
            graph.add(self.nodes[node].clone());
        }
        for &node in kept {
            let from = graph.ids[&self.nodes[node]];
            for to in self.edges[node].intersection(kept) {
                let to = graph.ids[&self.nodes[*to]];
                graph.edge(from, to);
            }
        }
        for (from, to) in &self.soft {
            if let (Some(from), Some(to)) = (graph.id(&self.nodes[*from]), graph.id(&self.nodes[*to])) {
                graph.visit_after(from, to);
            }
        }
        graph
    }

    /// The nodes that each node waits for.
    pub fn lists(&self) -> Vec<Vec<usize>> {
        self.edges.iter().map(|edges| edges.iter().copied().collect()).collect()
    }
}

/// The nodes and edges of configuration: those of every walk but the destroying one (G51 to G76).
pub fn of_configuration(layout: &Layout<'_>) -> Graph {
    let mut graph = Graph::default();
    for (at, module) in layout.modules.iter().enumerate() {
        let declared = &module.configuration.module;
        if module.parent.is_some() {
            graph.add(Node::Begin(at));
            graph.add(Node::End(at));
        }
        for (index, variable) in declared.variables.iter().enumerate() {
            graph.add(Node::Variable(at, index));
            if !variable.validations.is_empty() {
                graph.add(Node::Validation(at, index));
            }
        }
        for index in 0..declared.locals.len() {
            graph.add(Node::Local(at, index));
        }
        for index in 0..declared.outputs.len() {
            graph.add(Node::Output(at, index));
        }
        for index in 0..declared.checks.len() {
            graph.add(Node::Check(at, index));
            graph.add(Node::CheckReport(at, index));
        }
    }
    for (block, of) in layout.blocks.iter().enumerate() {
        graph.add(Node::Block(block));
        if of.address.mode == ResourceMode::Ephemeral {
            graph.add(Node::EphemeralEnd(block));
        }
        graph.add(Node::Provider(of.provider.clone()));
    }
    graph
}

/// G63 to G72, for the configured nodes in the graph.
pub fn configured_edges(graph: &mut Graph, layout: &Layout<'_>) {
    for id in 0..graph.nodes.len() {
        match graph.nodes[id].clone() {
            Node::Block(block) => block_edges(graph, layout, id, block),
            Node::Provider(address) => provider_edges(graph, layout, id, &address),
            Node::Variable(module, index) => {
                inside(graph, layout, id, module);
                let static_module = &layout.modules[module];
                let name = &static_module.configuration.module.variables[index].name;
                if let (Some(parent), Some(call)) = (static_module.parent, static_module.call)
                    && let Some((_, value)) = call.inputs.iter().find(|(input, _)| input == name)
                {
                    references(graph, layout, id, parent, &value.references);
                }
            }
            Node::Validation(module, index) => {
                inside(graph, layout, id, module);
                let variable = graph.add(Node::Variable(module, index));
                graph.edge(id, variable);
                let rules = &layout.modules[module].configuration.module.variables[index].validations;
                let found: Vec<Traversal> = rules.iter().flat_map(rule_references).collect();
                references(graph, layout, id, module, &found);
            }
            Node::Local(module, index) => {
                inside(graph, layout, id, module);
                let found = &layout.modules[module].configuration.module.locals[index].value.references;
                if !fault!(LocalsWaitForNothing) {
                    references(graph, layout, id, module, found);
                }
            }
            Node::Output(module, index) => output_edges(graph, layout, id, (module, index)),
            Node::Check(module, index) => check_edges(graph, layout, id, (module, index)),
            Node::Import(index) => {
                let import = &layout.modules[0].configuration.module.imports[index];
                let provider = graph.add(Node::Provider(layout.provider_of_import(import)));
                graph.edge(id, provider);
                if let Some(module) = layout.module_of_target(import) {
                    inside(graph, layout, id, module);
                }
                import_edges(graph, layout, id, import);
            }
            Node::CheckReport(module, _) => inside(graph, layout, id, module),
            Node::Begin(module) => {
                let static_module = &layout.modules[module];
                let (Some(parent), Some(call)) = (static_module.parent, static_module.call) else { continue };
                inside(graph, layout, id, parent);
                let mut found = call.depends_on.clone();
                let both = [&call.repetition.count, &call.repetition.for_each].into_iter().flatten();
                found.extend(both.flat_map(|expr| expr.references.clone()));
                references(graph, layout, id, parent, &found);
            }
            _ => {}
        }
    }
    ends(graph, layout);
}

fn provider_edges(graph: &mut Graph, layout: &Layout<'_>, id: usize, address: &ProviderConfig) {
    let Some((module, block)) = layout.configuring(address) else { return };
    if let Some(begin) = graph.id(&Node::Begin(module)) {
        graph.edge(id, begin);
    }
    let schema = layout.schemas.provider(&address.source.to_string());
    let found = layout.of_body(&block.config, schema.map(|schema| &schema.config.block));
    references(graph, layout, id, module, &found);
}

fn output_edges(graph: &mut Graph, layout: &Layout<'_>, id: usize, (module, index): (usize, usize)) {
    inside(graph, layout, id, module);
    let output = &layout.modules[module].configuration.module.outputs[index];
    let mut found: Vec<Traversal> = output.preconditions.iter().flat_map(rule_references).collect();
    let value = output.value.iter().filter(|_| !fault!(OutputWaitsForNothing));
    found.extend(value.flat_map(|value| value.references.clone()));
    found.extend(output.depends_on.iter().cloned());
    references(graph, layout, id, module, &found);
}

fn check_edges(graph: &mut Graph, layout: &Layout<'_>, id: usize, (module, index): (usize, usize)) {
    inside(graph, layout, id, module);
    let report = graph.add(Node::CheckReport(module, index));
    graph.edge(id, report);
    let check = &layout.modules[module].configuration.module.checks[index];
    let found: Vec<Traversal> = check.asserts.iter().flat_map(rule_references).collect();
    references(graph, layout, id, module, &found);
    let of_check = |block: &&Block<'_>| block.module == module && block.check == Some(index);
    if let Some(data) = layout.blocks.iter().position(|block| of_check(&block)) {
        let data = graph.add(Node::Block(data));
        graph.edge(id, data);
    }
}

fn block_edges(graph: &mut Graph, layout: &Layout<'_>, id: usize, block: usize) {
    let of = &layout.blocks[block];
    inside(graph, layout, id, of.module);
    let provider = graph.add(Node::Provider(of.provider.clone()));
    graph.edge(id, provider);
    let mut found = layout.block_references(block);
    found.extend(of.resource.depends_on.iter().filter(|_| !fault!(DependsOnForgotten)).cloned());
    references(graph, layout, id, of.module, &found);
    if let Some(check) = of.check {
        let report = graph.add(Node::CheckReport(of.module, check));
        graph.edge(id, report);
    }
    // G63: import targets, evaluated in the root.
    if graph.leaves_imports {
        return;
    }
    for import in &layout.modules[0].configuration.module.imports {
        if crate::imports::block_of(layout, import) == Some(block) {
            import_edges(graph, layout, id, import);
        }
    }
}

fn import_edges(graph: &mut Graph, layout: &Layout<'_>, id: usize, import: &Import) {
    let both = [&import.id, &import.for_each].into_iter().flatten();
    let found = both.flat_map(|expr| &expr.references).filter(|found| &*found.root != "each");
    references(graph, layout, id, 0, &found.cloned().collect::<Vec<_>>());
}

/// G66.
fn inside(graph: &mut Graph, layout: &Layout<'_>, id: usize, module: usize) {
    if layout.modules[module].parent.is_some() {
        let begin = graph.add(Node::Begin(module));
        graph.edge(id, begin);
    }
}

/// G69: the nodes that the end of each module waits for. Nodes of a module do not wait for its own end.
fn ends(graph: &mut Graph, layout: &Layout<'_>) {
    for id in 0..graph.nodes.len() {
        if let Some(module) = module_of(&graph.nodes[id], layout)
            && let Some(end) = graph.id(&Node::End(module))
        {
            graph.edge(end, id);
        }
    }
    for module in 1..layout.modules.len() {
        let Some(end) = graph.id(&Node::End(module)) else { continue };
        if let Some(begin) = graph.id(&Node::Begin(module)) {
            graph.edge(end, begin);
        }
        if let Some(outer) = layout.modules[module].parent.and_then(|parent| graph.id(&Node::End(parent))) {
            graph.edge(outer, end);
        }
    }
}

/// The module that contains a node, except for its own begin and end.
pub fn module_of(node: &Node, layout: &Layout<'_>) -> Option<usize> {
    match node {
        Node::Block(block) => Some(layout.blocks[*block].module),
        Node::Variable(module, _)
        | Node::Validation(module, _)
        | Node::Local(module, _)
        | Node::Output(module, _)
        | Node::Check(module, _) => Some(*module),
        Node::Import(index) => layout.module_of_target(&layout.modules[0].configuration.module.imports[*index]),
        Node::Orphan(instance) | Node::Make(instance) => layout.module_of(&instance.module),
        _ => None,
    }
}
