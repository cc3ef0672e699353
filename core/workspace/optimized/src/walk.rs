//! A walk: nodes one at a time in layers, each after all that it waits for, and none after one of them failed (G120).

use std::collections::BTreeMap;
use std::rc::Rc;

use hashbrown::{HashMap, HashSet};
use planfuzz_core::address::{AbsResource, AbsResourceInstance, ResourceMode};
use planfuzz_core::plans::AddressedChange;
use planfuzz_core::state::{DeposedKey, Private};
use planfuzz_core::value::Value;
use planfuzz_optimized::Optimized;
use planfuzz_workspace::order::WalkOrder;
use planfuzz_workspace::{
    Answer, Call, Diagnostic, Made, NodeId, Order, Plan, Providers, Request, SharedProviders, State, Trace, Workspace,
};

use crate::expr::Evaluated;
use crate::graph::{Graph, Node, NodeSet};
use crate::instances::Shared;
use crate::insts::Insts;
use crate::model::{Block, Model};
use crate::names;
use crate::records::{DeposedObjects, Importing, Recorded, Results, StoredObjects};
use crate::scene::Typed;
use crate::statically::Statically;
use crate::targets::Selection;
use crate::worker_pool::WorkerPool;

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
    /// G13, G15: whether it reads objects and plans no changes.
    pub fn only_looks(self) -> bool {
        matches!(self, Purpose::Refresh | Purpose::Import)
    }
}

/// What a command keeps of its calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Record {
    /// The calls with their order.
    Trace,
    /// The calls, until the command ends: a refresh looks at them (G156).
    Calls,
    /// Nothing.
    Nothing,
}

/// The calls of a command.
pub struct Calls<'p> {
    providers: &'p mut dyn Providers,
    /// The workers that plan instances in parallel.
    pub workers: Option<&'p WorkerPool>,
    /// What is kept.
    pub record: Record,
    /// The calls that were made, with their answers.
    pub made: Vec<Made>,
}

/// An object of the state that has a node of its own.
#[derive(Clone, Debug)]
pub struct Thing {
    /// Its instance.
    pub address: AbsResourceInstance,
    /// Its deposed key.
    pub key: Option<DeposedKey>,
    /// Its block.
    pub block: Option<usize>,
    /// The place of its change, in an apply.
    pub change: Option<usize>,
}

/// A graph with the tables that its numbers refer to.
#[derive(Clone, Debug, Default)]
pub struct Wired {
    /// The graph.
    pub graph: Graph,
    /// Objects.
    pub things: Vec<Thing>,
    /// Root outputs that are no longer configured.
    pub gone: Vec<String>,
}

/// A walk under way.
pub struct Walk<'m, 'w, 'c, 'p> {
    /// The workspace and its options.
    pub workspace: &'m Workspace,
    /// The configuration.
    pub model: &'m Model<'w>,
    /// Planners of instances, by schema.
    pub prepared: Vec<Typed<'w>>,
    /// Its purpose.
    pub purpose: Purpose,
    /// The graph.
    pub wired: Wired,
    /// The node that is visited.
    pub here: NodeId,
    /// Module instances.
    pub insts: Insts,
    /// The state as it was, after upgrades.
    pub previous: State,
    /// The state as it is.
    pub state: State,
    /// What becomes of stored objects.
    pub objects: StoredObjects,
    /// What is known of deposed objects.
    pub deposed: DeposedObjects,
    /// What is imported.
    pub importing: Importing,
    /// Whether expressions see the state as it is, and not what was planned.
    pub sees_state: bool,
    /// What it found so far.
    pub results: Results,
    /// The configuration of each provider.
    pub configured: Vec<Option<Value>>,
    /// The static diagnostics of nodes (E04).
    pub statically: HashMap<u32, Statically>,
    /// The static diagnostics of the body of the visited node.
    pub of_body: Statically,
    /// The previous addresses of moved instances.
    pub moved: BTreeMap<AbsResourceInstance, AbsResourceInstance>,
    /// The calls in place of an upgrade, for objects that come from another type or provider.
    pub handovers: BTreeMap<AbsResourceInstance, Request>,
    /// Targets.
    pub targets: Selection,
    /// Ephemeral objects that are open.
    pub opened: HashMap<usize, Vec<(AbsResourceInstance, Private)>>,
    /// The plan that is applied.
    pub plan: Option<&'w Plan>,
    /// The blocks whose objects have to be created before they are destroyed.
    pub forced: NodeSet,
    /// The instances that an apply creates before it destroys, since a dependent requires it.
    pub forced_instances: HashSet<AbsResourceInstance>,
    /// The facts that instances of a block share, in an apply.
    pub shared: HashMap<usize, Rc<Shared>>,
    /// The errors of data resources of checks that could not be read.
    pub failed_reads: HashMap<String, String>,
    /// The remaining room for instances and dependencies.
    pub room: [u64; 2],
    /// Nodes that a search found, kept from search to search.
    pub marks: Stamps,
    /// The entries of each node in the lists, if the walk is to be kept.
    pub left: Option<Vec<Left>>,
    /// The providers, with the record of calls.
    pub calls: &'c mut Calls<'p>,
}

/// How long the lists of a walk are.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sizes {
    /// Changes.
    pub changes: usize,
    /// Drift.
    pub drift: usize,
    /// Changes of root outputs.
    pub outputs: usize,
    /// Diagnostics.
    pub diagnostics: usize,
    /// Calls.
    pub calls: usize,
}

/// The entries that a node left: a range of each list, and the room that it took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Left {
    /// Before it.
    pub from: Sizes,
    /// After it.
    pub to: Sizes,
    /// Instances and dependencies.
    pub room: [u64; 2],
}

/// Marks on nodes that can all be removed at once.
#[derive(Debug, Default)]
pub struct Stamps {
    stamps: Vec<u32>,
    now: u32,
}

impl Stamps {
    /// Removes all marks.
    pub fn clear(&mut self, count: usize) {
        self.stamps.resize(count, 0);
        self.now += 1;
    }

    /// Marks a node; returns whether it was not marked.
    pub fn mark(&mut self, node: u32) -> bool {
        std::mem::replace(&mut self.stamps[node as usize], self.now) != self.now
    }
}

impl<'p> Calls<'p> {
    /// No calls yet.
    pub fn new(providers: &'p mut dyn Providers) -> Calls<'p> {
        Calls::after(providers, Vec::new())
    }

    /// The calls so far, to which others are added.
    pub fn after(providers: &'p mut dyn Providers, made: Vec<Made>) -> Calls<'p> {
        Calls { providers, workers: None, record: Record::Trace, made }
    }

    /// The same, of which only what is named is kept.
    pub fn recording(self, record: Record) -> Calls<'p> {
        Calls { record, ..self }
    }

    /// The same, with workers.
    pub fn with(self, workers: Option<&'p WorkerPool>) -> Calls<'p> {
        Calls { workers, ..self }
    }

    /// The providers for several threads at a time, if they allow it.
    pub fn shared(&self) -> Option<&dyn SharedProviders> {
        self.providers.shared()
    }

    /// Drops a value in a worker, if there are workers.
    pub fn drop_beside<T: Send + 'static>(&self, done: T) {
        if let Some(workers) = self.workers {
            workers.drop_beside(done);
        }
    }

    /// Whether the order of calls is kept.
    pub fn keeps_order(&self) -> bool {
        self.record == Record::Trace
    }

    /// Makes a call, and records it if calls are kept.
    pub fn ask(&mut self, node: NodeId, visit: &str, call: Call) -> Answer {
        let answer = self.providers.call(&call);
        if self.record == Record::Nothing {
            return answer;
        }
        self.made.push(Made { node, visit: visit.to_owned(), call, answer: answer.clone() });
        answer
    }

    /// The calls that were made.
    pub fn into_made(self) -> Vec<Made> {
        self.made
    }

    /// The calls that were made, with their order, as far as they are kept.
    pub fn into_trace(self, order: Order) -> Trace {
        let calls = if self.record == Record::Trace { self.made } else { Vec::new() };
        Trace { calls, order, parts: Vec::new() }
    }
}

/// How many instances a walk may have: each has calls that the trace keeps.
const MOST_INSTANCES: u64 = 250_000;
/// How many dependencies all instances of a walk may have together.
const MOST_DEPENDENCIES: u64 = 20_000_000;

impl<'m, 'w, 'c, 'p> Walk<'m, 'w, 'c, 'p> {
    /// A walk over a graph without cycles.
    pub fn new(
        workspace: &'m Workspace,
        model: &'m Model<'w>,
        purpose: Purpose,
        wired: Wired,
        state: State,
        calls: &'c mut Calls<'p>,
    ) -> Self {
        let prepare = |typed: &crate::model::Typed<'w>| Optimized.prepare_shared(typed.schema, model.dialect);
        let recorded = Recorded { is_read: model.blocks.iter().any(sees_changes), ..Recorded::default() };
        let mut walk = Walk {
            workspace,
            model,
            prepared: if purpose == Purpose::Validate { Vec::new() } else { model.typed.iter().map(prepare).collect() },
            purpose,
            forced: NodeSet::none(model.blocks.len()),
            wired,
            here: NodeId { walk: 0, node: 0 },
            insts: Insts::root(model, purpose),
            objects: StoredObjects::of(&state),
            deposed: DeposedObjects::default(),
            importing: Importing::default(),
            previous: state.clone(),
            state,
            sees_state: matches!(purpose, Purpose::Destroy | Purpose::Apply),
            results: Results { recorded, ..Results::default() },
            configured: vec![None; model.providers.len()],
            statically: HashMap::new(),
            of_body: Statically::default(),
            moved: BTreeMap::new(),
            handovers: BTreeMap::new(),
            targets: Selection::default(),
            opened: HashMap::new(),
            plan: None,
            forced_instances: HashSet::new(),
            shared: HashMap::new(),
            failed_reads: HashMap::new(),
            room: [MOST_INSTANCES, MOST_DEPENDENCIES],
            marks: Stamps::default(),
            left: None,
            calls,
        };
        walk.find_forced();
        walk
    }

    /// Sets what a command knows before the walk: moved objects by their new addresses, the calls that they wait for, and its targets.
    pub fn begin_with(
        &mut self,
        moved: BTreeMap<AbsResourceInstance, AbsResourceInstance>,
        handovers: BTreeMap<AbsResourceInstance, Request>,
        targets: &Selection,
    ) {
        (self.moved, self.handovers, self.targets) = (moved, handovers, targets.clone());
    }

    /// G130: finds the nodes that blocks with create_before_destroy reach.
    fn find_forced(&mut self) {
        let graph = &self.wired.graph;
        let is_flagged = |node: &u32| match graph.nodes[*node as usize] {
            Node::Block(block) => flag(self.model, block as usize),
            _ => false,
        };
        let flagged: Vec<u32> = (0..graph.len() as u32).filter(is_flagged).collect();
        let mut found = NodeSet::none(graph.len());
        match fault!(ForcedDirectly) {
            true => flagged.iter().flat_map(|&node| &graph.waits[node as usize]).for_each(|&to| found.put(to)),
            false => graph.reach(flagged, &mut found),
        }
        for (id, node) in graph.nodes.iter().enumerate() {
            if let (Node::Block(block), true) = (node, found.has(id as u32)) {
                self.forced.add(*block);
            }
        }
    }

    /// The walk as an order; only its name if no trace is kept.
    pub fn order(&self, name: &str) -> WalkOrder {
        if !self.calls.keeps_order() {
            return WalkOrder { name: name.to_owned(), ..WalkOrder::default() };
        }
        let graph = &self.wired.graph;
        let nodes = graph.nodes.iter().map(|&node| names::node(node, self.model, &self.wired)).collect();
        let waits_for = graph.waits.iter().map(|waits| waits.iter().map(|&to| to as usize).collect()).collect();
        let is_stored = |node: &Node| match node {
            Node::Block(block) => self.model.blocks[*block as usize].address.mode != ResourceMode::Ephemeral,
            _ => false,
        };
        let blocks = (0..graph.nodes.len()).filter(|&id| is_stored(&graph.nodes[id])).collect();
        WalkOrder { name: name.to_owned(), nodes, waits_for, blocks }
    }

    /// Visits all nodes that can be visited; returns whether none failed.
    pub fn run(&mut self) -> bool {
        let order = self.wired.graph.in_visits();
        if self.purpose == Purpose::Plan {
            // Most blocks have a change: lists of large entries are not moved as they grow.
            let is_block = |node: &&Node| matches!(node, Node::Block(_));
            self.results.changes.reserve(self.wired.graph.nodes.iter().filter(is_block).count());
        }
        let fronts = self.fronts(&order);
        let mut failed = NodeSet::none(self.wired.graph.len());
        let (mut is_whole, mut at) = (true, 0);
        while at < order.len() {
            let front = fronts.as_ref().map_or(&[][..], |fronts| self.front(fronts, &order, at, &failed));
            match self.visit_front(front, &mut failed) {
                Some(is_fine) => is_whole &= is_fine,
                None => {
                    for &node in &order[at..at + front.len().max(1)] {
                        is_whole &= self.visit_next(node, &mut failed);
                    }
                }
            }
            at += front.len().max(1);
        }
        self.unvisited_moves();
        is_whole
    }

    /// Visits a node unless one for which it waits failed; returns whether it succeeded.
    fn visit_next(&mut self, node: u32, failed: &mut NodeSet) -> bool {
        let waits = &self.wired.graph.waits[node as usize];
        let is_skipped = waits.iter().any(|&other| failed.has(other)) && !fault!(FailedGoOn);
        self.here.node = node as usize;
        let before = self.calls.made.len();
        self.look(node);
        let is_fine = !is_skipped && self.visit_noted(node);
        if !is_fine {
            failed.add(node);
        }
        self.note_calls(node, before);
        is_fine
    }

    /// Sets whether the entries of each node are noted.
    pub fn notes(&mut self, notes: bool) {
        self.left = notes.then(|| vec![Left::default(); self.wired.graph.len()]);
        // What is written anew may look at them.
        self.results.recorded.is_read |= notes;
    }

    /// Visits a node, and notes its entries if that is wanted; returns whether it succeeded.
    pub fn visit_noted(&mut self, node: u32) -> bool {
        let (from, room) = (self.sizes(), self.room);
        let of = self.wired.graph.nodes[node as usize];
        let is_fine = match self.statically.remove(&node) {
            Some(statically) => self.visit_with_diagnostics(of, statically),
            None => self.visit(of),
        };
        let to = self.sizes();
        let used = [0, 1].map(|what| room[what].saturating_sub(self.room[what]));
        if let Some(left) = &mut self.left {
            left[node as usize] = Left { from, to, room: used };
        }
        is_fine
    }

    fn sizes(&self) -> Sizes {
        Sizes {
            changes: self.results.changes.len(),
            drift: self.results.drift.len(),
            outputs: self.results.outputs.len(),
            diagnostics: self.results.diagnostics.len(),
            calls: self.calls.made.len(),
        }
    }

    /// Visits a node; returns whether it succeeded.
    pub fn visit(&mut self, node: Node) -> bool {
        match node {
            Node::Block(block) => self.visit_block(block as usize),
            Node::Import(place) => self.visit_import(place as usize),
            Node::Orphan(thing) => self.visit_orphan(thing as usize),
            Node::Deposed(thing) => self.visit_deposed(thing as usize),
            Node::Variable(module, place) => self.visit_variable(module as usize, place as usize),
            Node::Validation(module, place) => self.visit_validation(module as usize, place as usize),
            Node::Local(module, place) => self.visit_local(module as usize, place as usize),
            Node::Output(module, place) => self.visit_output(module as usize, place as usize),
            Node::GoneOutput(place) => self.visit_gone_output(place as usize),
            Node::Begin(module) => self.visit_begin(module as usize),
            Node::Provider(provider) => self.visit_provider(provider as usize),
            Node::EphemeralEnd(block) => self.visit_ephemeral_end(block as usize),
            Node::Check(module, place) => self.visit_check(module as usize, place as usize),
            Node::Report(module, place) => self.visit_report(module as usize, place as usize),
            Node::Make(thing) => self.visit_make(thing as usize),
            Node::Destroy(thing) => self.visit_destroy(thing as usize),
            Node::Forget(thing) => self.visit_forget(thing as usize),
            Node::End(_) | Node::CheckStart | Node::Joint(_) => true,
        }
    }

    /// Reports diagnostics; returns whether none of them is an error.
    pub fn report(&mut self, found: Vec<Diagnostic>) -> bool {
        let is_fine = !found.iter().any(Diagnostic::is_error);
        self.results.diagnostics.extend(found);
        is_fine
    }

    /// Records a change of an object.
    pub fn record(&mut self, change: AddressedChange) {
        if self.results.recorded.is_read {
            self.results.recorded.of.entry(change.addr.config_resource()).or_default().push(self.results.changes.len());
        }
        self.results.changes.push(change);
    }

    /// Takes room for instances.
    pub fn take_room(&mut self, place: &str, wanted: u64) -> Evaluated<()> {
        take(&mut self.room[0], wanted).ok_or_else(|| too_much(place, "instances", wanted, MOST_INSTANCES))
    }

    /// Takes room for the dependencies of instances.
    pub fn take_list(&mut self, place: &str, wanted: u64) -> Evaluated<()> {
        take(&mut self.room[1], wanted).ok_or_else(|| too_much(place, "dependencies", wanted, MOST_DEPENDENCIES))
    }

    /// The schema of objects in the state.
    pub fn typed_of(&self, address: &AbsResource, provider: &planfuzz_core::address::ProviderConfig) -> Option<usize> {
        self.model.typed_place(&provider.source.to_string(), address.resource.mode, &address.resource.type_name)
    }
}

fn take(left: &mut u64, wanted: u64) -> Option<()> {
    *left = left.checked_sub(wanted)?;
    Some(())
}

fn too_much(place: &str, what: &str, wanted: u64, most: u64) -> Vec<Diagnostic> {
    let text = format!("Workspace too large: {place} has {wanted} {what}, and a workspace may have {most} in all");
    vec![Diagnostic::error(text)]
}

/// Whether the instances of a block are planned with the changes so far: data that wait for others, and triggers.
pub fn sees_changes(of: &Block<'_>) -> bool {
    of.address.mode == ResourceMode::Data || !of.of.lifecycle.replace_triggered_by.is_empty()
}

/// Whether a block has create_before_destroy.
pub fn flag(model: &Model<'_>, block: usize) -> bool {
    model.blocks[block].of.lifecycle.create_before_destroy.as_ref().is_some_and(|flag| flag.value)
}
