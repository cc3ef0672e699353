//! A walk: nodes one at a time, each after all that it waits for, and none after one of them failed (G120).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use planfuzz_core::address::{
    AbsResource, AbsResourceInstance, ConfigResource, ModuleInstance, ProviderConfig, ResourceMode,
};
use planfuzz_core::plans::{self, AddressedChange};
use planfuzz_core::schema::Schema;
use planfuzz_core::state::{DeposedKey, InstanceState, Object, Private, Stored};
use planfuzz_core::value::{PathSet, Text, Value, WrittenPath};
use planfuzz_language::check::{Contents, ExpansionRoots};
use planfuzz_workspace::order::{WalkOrder, in_order};
use planfuzz_workspace::{Diagnostic, HaltPoint, NodeId, Plan, Request, State, Workspace};

use crate::asked::Calls;
use crate::evaluation::{Evaluation, Marked, Marks};
use crate::graph::{Graph, Node};
use crate::layout::Layout;
use crate::marks;
use crate::moves::Moved;
use crate::names;
use crate::results::Results;
use crate::room::Room;
use crate::targets::Selection;
use crate::values::{At, Repeated, WalkValues};

/// The purpose of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// V
    Validate,
    /// P
    Plan,
    /// R
    Refresh,
    /// The walk of the command `import` (G15).
    Import,
    /// D1
    BeforeDestroy,
    /// D2
    Destroy,
    /// A
    Apply,
}

impl Purpose {
    /// Whether it reads objects and plans no changes (G13, G15).
    pub fn plans_nothing(self) -> bool {
        matches!(self, Purpose::Refresh | Purpose::Import)
    }
}

/// The static diagnostics of a node, found without evaluating anything.
#[derive(Clone, Debug, Default)]
pub struct Statically {
    /// Those that are reported in any case.
    pub diagnostics: Vec<Diagnostic>,
    /// Those of its body.
    pub body: OfBody,
}

/// The static diagnostics of a body.
#[derive(Clone, Debug, Default)]
pub struct OfBody {
    /// Those that are reported unless evaluation reports the same.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether it is not evaluated (E68a).
    pub is_unread: bool,
    /// Those that are reported if evaluation reports none.
    pub afterwards: Vec<Diagnostic>,
}

/// What is imported, by blocks or by the command.
#[derive(Debug, Default)]
pub struct Importing {
    /// Instances to be imported, with their ids.
    pub wanted: BTreeMap<AbsResourceInstance, String>,
    /// OpenTofu: errors for targets that their blocks do not declare, reported after the walk (section 17).
    pub undeclared: Vec<Diagnostic>,
    /// The address of the command `import`, and the id by which the provider knows the object.
    pub asked: Option<(AbsResourceInstance, Text)>,
}

/// The plan that is applied, with what follows from it.
#[derive(Debug, Default)]
pub struct AppliedPlan<'w> {
    /// The plan.
    pub plan: Option<&'w Plan>,
    /// The places of its changes, by address and deposed key.
    pub places: HashMap<(AbsResourceInstance, Option<DeposedKey>), usize>,
    /// The keys under which objects are deposed.
    pub keys: BTreeMap<AbsResourceInstance, DeposedKey>,
    /// Instances that are created before they are destroyed, since a dependent requires it.
    pub forced: BTreeSet<AbsResourceInstance>,
}

/// A walk under way.
pub struct Walk<'w, 'c, 'p> {
    /// The workspace and its options.
    pub workspace: &'w Workspace,
    /// The configuration.
    pub layout: &'w Layout<'w>,
    /// Its purpose.
    pub purpose: Purpose,
    /// Its number in the command.
    pub number: usize,
    /// The node that is visited.
    pub node: usize,
    /// The graph.
    pub graph: Graph,
    /// The nodes that blocks with create_before_destroy reach (G130).
    reached_first: BTreeSet<usize>,
    /// How much the walk may still expand and list.
    pub room: Room,
    /// The values that expressions see.
    pub values: WalkValues,
    /// The state as it was, after upgrades.
    pub previous: State,
    /// The state as it is.
    pub state: State,
    /// What it found so far.
    pub results: Results,
    /// What is imported.
    pub importing: Importing,
    /// The plan that is applied.
    pub applied: AppliedPlan<'w>,
    /// The configuration of each provider.
    pub configured: HashMap<ProviderConfig, Value>,
    /// The static diagnostics of nodes, by their names (E04).
    pub statically: HashMap<String, Statically>,
    /// The static diagnostics of the body of the visited node.
    pub of_body: OfBody,
    /// The previous addresses of moved instances.
    pub moved: BTreeMap<AbsResourceInstance, AbsResourceInstance>,
    /// Objects that their providers take over in this walk (section 17).
    pub handovers: BTreeMap<AbsResourceInstance, Request>,
    /// Targets.
    pub targets: Selection,
    /// Ephemeral objects that are open.
    pub opened: HashMap<usize, Vec<(AbsResourceInstance, Private)>>,
    /// Resources whose last instance was destroyed: a later visit of their block does not store them again (U69).
    pub emptied: BTreeSet<AbsResource>,
    /// The resources of each block that the state had when the walk began.
    pub stored_of: HashMap<ConfigResource, Vec<AbsResource>>,
    /// The errors of data resources of checks that could not be read.
    pub failed_reads: HashMap<String, String>,
    /// The providers, with the record of calls.
    pub calls: &'c mut Calls<'p>,
}

impl<'w, 'c, 'p> Walk<'w, 'c, 'p> {
    /// A walk over a graph without cycles.
    pub fn new(
        workspace: &'w Workspace,
        layout: &'w Layout<'w>,
        purpose: Purpose,
        graph: Graph,
        state: State,
        calls: &'c mut Calls<'p>,
    ) -> Walk<'w, 'c, 'p> {
        let has_flag = |&node: &usize| match graph.nodes[node] {
            Node::Block(block) => {
                let lifecycle = &layout.blocks[block].resource.lifecycle;
                lifecycle.create_before_destroy.as_ref().is_some_and(|flag| flag.value)
            }
            _ => false,
        };
        let reached_first = graph.reach_of((0..graph.nodes.len()).filter(has_flag));
        let mut stored_of: HashMap<ConfigResource, Vec<AbsResource>> = HashMap::new();
        for address in state.resources.keys() {
            let config = ConfigResource { module: address.module.module(), resource: address.resource.clone() };
            stored_of.entry(config).or_default().push(address.clone());
        }
        let (is_validation, is_apply) = (purpose == Purpose::Validate, purpose == Purpose::Apply);
        let is_import = purpose == Purpose::Import;
        let values = WalkValues { is_validation, is_apply, is_import, ..WalkValues::default() };
        Walk {
            workspace,
            layout,
            purpose,
            number: 0,
            node: 0,
            graph,
            reached_first,
            room: Room::default(),
            values,
            previous: state.clone(),
            state,
            results: Results::default(),
            importing: Importing::default(),
            applied: AppliedPlan::default(),
            configured: HashMap::new(),
            statically: HashMap::new(),
            of_body: OfBody::default(),
            moved: BTreeMap::new(),
            handovers: BTreeMap::new(),
            targets: Selection::default(),
            opened: HashMap::new(),
            emptied: BTreeSet::new(),
            stored_of,
            failed_reads: HashMap::new(),
            calls,
        }
    }

    /// Sets what a command knows before the walk: moved objects, the calls that they wait for, and its targets.
    pub fn begin_with(&mut self, moved: &Moved, targets: &Selection) {
        self.moved = moved.from.clone();
        self.handovers = moved.handovers.clone();
        self.targets = targets.clone();
    }

    /// The walk as an order.
    pub fn order(&self, name: &str) -> WalkOrder {
        let nodes = self.graph.nodes.iter().map(|node| names::node(node, self.layout)).collect();
        let is_stored = |node: &Node| match node {
            Node::Block(block) => self.layout.address(*block).resource.mode != ResourceMode::Ephemeral,
            _ => false,
        };
        let blocks = (0..self.graph.nodes.len()).filter(|&id| is_stored(&self.graph.nodes[id])).collect();
        WalkOrder { name: name.to_owned(), nodes, waits_for: self.graph.lists(), blocks }
    }

    /// Visits all nodes that can be visited; returns for each node whether it failed or was not visited.
    pub fn run(&mut self) -> Vec<bool> {
        let mut failed = vec![false; self.graph.nodes.len()];
        let visits = self.graph.visits();
        let order = match self.calls.seed {
            None => in_order(&visits),
            Some(seed) => shuffled(&visits, seed),
        };
        // E59, U41: the nodes that call, and those that wait for one. All wait for their providers.
        let mut late = BTreeSet::new();
        for node in order {
            let is_forgotten = fault!(FailureForgottenAlone) && self.workspace.options.parallelism <= 1;
            let is_skipped = self.graph.edges[node].iter().any(|&other| failed[other]) && !is_forgotten
                || fault!(FailureStopsAll) && failed.contains(&true);
            self.node = node;
            let is_late = self.graph.edges[node].iter().any(|other| late.contains(other));
            self.values.sees_passing = is_late == (self.purpose == Purpose::Apply);
            let before = self.calls.made.len();
            let statically = self.take_static_diagnostics(node);
            failed[node] = is_skipped || !self.visit_with_static_diagnostics(node, statically);
            let is_provider = matches!(self.graph.nodes[node], Node::Provider(_));
            if is_late || self.calls.made.len() > before && !is_provider {
                late.insert(node);
            }
        }
        // Diagnostics that belong to no node of the graph.
        let rest = std::mem::take(&mut self.statically)
            .into_values()
            .flat_map(|one| [one.diagnostics, one.body.diagnostics].concat())
            .collect();
        self.emit(rest);
        self.drift_of_unvisited();
        failed
    }

    fn take_static_diagnostics(&mut self, node: usize) -> Statically {
        match self.statically.is_empty() {
            true => Statically::default(),
            false => self.statically.remove(&names::node(&self.graph.nodes[node], self.layout)).unwrap_or_default(),
        }
    }

    /// Visits a node that may have static diagnostics; returns whether it succeeded.
    fn visit_with_static_diagnostics(&mut self, node: usize, statically: Statically) -> bool {
        self.of_body = statically.body;
        let is_fine = self.visit(node);
        // The diagnostics of a body that was not evaluated after all.
        let rest = std::mem::take(&mut self.of_body).diagnostics;
        self.emit(rest) & self.emit(statically.diagnostics) && is_fine
    }

    /// Visits a node; returns whether it succeeded.
    fn visit(&mut self, node: usize) -> bool {
        match self.graph.nodes[node].clone() {
            Node::Block(block) => self.visit_block(block),
            Node::Import(index) => self.visit_import(index),
            Node::Orphan(instance) => self.visit_orphan(&instance),
            Node::Deposed(instance, key) => self.visit_deposed(&instance, &key),
            Node::Variable(module, index) => self.visit_variable(module, index),
            Node::Validation(module, index) => self.visit_validation(module, index),
            Node::Local(module, index) => self.visit_local(module, index),
            Node::Output(module, index) => self.visit_output(module, index),
            Node::GoneOutput(name) => self.visit_gone_output(&name),
            Node::Begin(module) => self.visit_begin(module),
            Node::Provider(address) => self.visit_provider(&address),
            Node::EphemeralEnd(block) => self.visit_ephemeral_end(block),
            Node::Check(module, index) => self.visit_check(module, index),
            Node::CheckReport(module, index) => self.visit_check_report(module, index),
            Node::CheckStart => true,
            Node::Make(instance) => self.visit_make(&instance),
            Node::Destroy(instance) => self.visit_destroy(&instance),
            Node::Forget(instance, key) => self.visit_forget(&instance, key.as_ref()),
            Node::End(_) => true,
        }
    }

    /// The effect of the signal of an apply on the visited node (U70).
    pub fn halt(&self) -> HaltPoint {
        let interrupt = self.workspace.options.interrupt.as_ref().filter(|_| self.purpose == Purpose::Apply);
        let name = || names::of_apply(&self.graph.nodes[self.node], self.layout);
        interrupt.filter(|_| !fault!(SignalUnheard)).map_or(HaltPoint::Never, |interrupt| interrupt.halts(&name()))
    }

    /// The node that is visited.
    pub fn here(&self) -> NodeId {
        NodeId { walk: self.number, node: self.node }
    }

    /// How expressions are evaluated.
    pub fn evaluation(&self) -> Evaluation<'w> {
        Evaluation { sources: self.layout.sources, dialect: self.layout.dialect }
    }

    /// A place of evaluation in a module.
    pub fn at<'a>(&'a self, module: usize, instance: &'a ModuleInstance, repeated: &'a Repeated) -> At<'a, 'w> {
        At {
            values: &self.values,
            layout: self.layout,
            module,
            instance,
            repeated,
            own: None,
            extra: Vec::new(),
            in_content: Marks::NONE,
            contents: Contents::new(),
            expansion: ExpansionRoots::default(),
        }
    }

    /// Records a change of an object.
    pub fn record(&mut self, change: AddressedChange) {
        self.results.changes_of.entry(change.addr.config_resource()).or_default().push(self.results.changes.len());
        self.results.changes.push(change);
    }

    /// The changes of a block that were recorded so far.
    pub fn recorded(&self, block: &ConfigResource) -> impl Iterator<Item = &AddressedChange> {
        self.results.changes_of.get(block).into_iter().flatten().map(|&index| &self.results.changes[index])
    }

    /// Reports diagnostics; returns whether none of them is an error.
    pub fn emit(&mut self, found: Vec<Diagnostic>) -> bool {
        let is_fine = !found.iter().any(Diagnostic::is_error);
        self.results.diagnostics.extend(found);
        is_fine
    }

    /// The schema of objects in the state.
    pub fn schema_of(&self, address: &AbsResourceInstance, provider: &ProviderConfig) -> Option<&'w Schema> {
        let provider = self.layout.schemas.provider(&provider.source.to_string())?;
        provider.types.get(&(address.resource.mode, address.resource.type_name.clone()))
    }

    /// The value of a stored object.
    pub fn decoded(&self, object: &Object, schema: &Schema) -> Option<plans::Marked> {
        let value = match &object.stored {
            Stored::Value(value) => value.clone(),
            Stored::Raw { attributes, .. } => {
                Value::from_stored_json_or_absent(attributes, &schema.implied_type(self.layout.dialect)).ok()?
            }
        };
        Some(plans::Marked::new(value, &object.sensitive))
    }

    /// The value of an object as expressions see it: in OpenTofu with the sensitive marks of its schema (section 17).
    pub fn seen(&self, value: &plans::Marked, schema: &Schema) -> Marked {
        let dialect = self.layout.dialect;
        if !dialect.marks_seen_by_schema() {
            return marks::to_expressions(value);
        }
        let own = schema.sensitive_paths(value.value().view(), dialect).unwrap_or_default();
        let own: PathSet = own.iter().map(WrittenPath::from).collect();
        marks::to_expressions(&plans::Marked::new(value.value().clone(), &value.sensitive().union(&own)))
    }

    /// Makes all objects of the state visible to expressions.
    pub fn see_state(&mut self, is_seen: &dyn Fn(&AbsResourceInstance) -> bool) {
        let found: Vec<(AbsResourceInstance, Marked)> = self
            .state
            .instances()
            .filter(|(address, _, _)| is_seen(address))
            .filter_map(|(address, provider, instance)| {
                let schema = self.schema_of(&address, provider)?;
                let value = self.decoded(instance.current.as_ref()?, schema)?;
                Some((address, self.seen(&value, schema)))
            })
            .collect();
        for (address, value) in found {
            self.values.set(&address, Some(value));
        }
    }

    /// L183, section 15 of applies: an instance with only deposed objects is seen as unknown.
    pub fn see_deposed_alone(&mut self, is_seen: &dyn Fn(&AbsResourceInstance, &InstanceState) -> bool) {
        for (address, ..) in self.state.instances().filter(|(address, _, instance)| is_seen(address, instance)) {
            self.values.deposed_alone.entry(address.abs_resource()).or_default().insert(address.key);
        }
    }

    /// E59: notes instances that have only deposed objects until those are visited.
    pub fn see_passing_deposed(&mut self) {
        let alone = self.state.instances().filter(|(_, _, instance)| instance.current.is_none());
        let alone: Vec<AbsResourceInstance> = alone.map(|(address, ..)| address).collect();
        self.see_passing(&alone);
    }

    /// Notes instances that have only deposed objects for a part of the walk.
    pub fn see_passing<'a>(&mut self, all: impl IntoIterator<Item = &'a AbsResourceInstance>) {
        for address in all {
            self.values.passing.entry(address.abs_resource()).or_default().insert(address.key.clone());
        }
    }

    /// The dependencies of a block: all blocks and orphans that it reaches, by their addresses (G140).
    pub fn dependencies(&self, block: usize) -> Vec<ConfigResource> {
        let own = self.layout.address(block);
        let Some(id) = self.graph.id(&Node::Block(block)) else { return Vec::new() };
        let reached = if fault!(DirectDependencies) { self.graph.edges[id].clone() } else { self.graph.reach(id) };
        let found = reached.into_iter().filter_map(|node| match &self.graph.nodes[node] {
            Node::Block(block) => Some(self.layout.address(*block)),
            Node::Orphan(instance) => Some(instance.config_resource()),
            _ => None,
        });
        let is_listed = |address: &ConfigResource| !fault!(DependenciesWithinModule) || address.module == own.module;
        let found: BTreeSet<ConfigResource> = found.filter(|address| *address != own && is_listed(address)).collect();
        let found: BTreeSet<ConfigResource> = found.into_iter().chain(fault!(DependsOnItself).then_some(own)).collect();
        found.into_iter().collect()
    }

    /// G130: whether a block that has create_before_destroy reaches this one.
    pub fn is_forced(&self, block: usize) -> bool {
        let Some(id) = self.graph.id(&Node::Block(block)) else { return false };
        self.reached_first.contains(&id) && !fault!(FlagNotHandedOnInPlan)
    }
}

/// A topological order, in which the nodes that are ready are drawn at random; nodes of a cycle are left out.
fn shuffled(visits: &[Vec<usize>], seed: u64) -> Vec<usize> {
    let mut open: Vec<usize> = visits.iter().map(Vec::len).collect();
    let mut users = vec![Vec::new(); visits.len()];
    for (user, used) in visits.iter().enumerate() {
        used.iter().for_each(|&used| users[used].push(user));
    }
    let mut ready: Vec<usize> = (0..open.len()).filter(|&node| open[node] == 0).collect();
    // Seeds that are neighbours draw different orders.
    let mixed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let (mut order, mut drawn) = (Vec::with_capacity(open.len()), mixed);
    while !ready.is_empty() {
        // Xorshift: any order will do.
        drawn ^= drawn << 13;
        drawn ^= drawn >> 7;
        drawn ^= drawn << 17;
        let node = ready.swap_remove(usize::try_from(drawn % ready.len() as u64).unwrap_or(0));
        order.push(node);
        for &user in &users[node] {
            open[user] -= 1;
            if open[user] == 0 {
                ready.push(user);
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::shuffled;

    #[test]
    fn g90_every_order_keeps_what_nodes_wait_for() {
        let visits = [vec![], vec![0], vec![0], vec![1, 2], vec![]];
        let orders: std::collections::BTreeSet<Vec<usize>> = (0..100).map(|seed| shuffled(&visits, seed)).collect();
        assert!(orders.len() > 5);
        for order in orders {
            let place = |node: usize| order.iter().position(|&found| found == node).expect("each node is there");
            assert!(visits.iter().enumerate().all(|(node, used)| used.iter().all(|&used| place(used) < place(node))));
        }
    }
}
