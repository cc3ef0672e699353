//! A walk: nodes one at a time in layers, each after all that it waits for, and none after one of them failed (G120).

use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use planfuzz_core::address::{
    AbsResource, AbsResourceInstance, ConfigResource, InstanceKey, ModuleInstance, ResourceMode,
};
use planfuzz_core::planner::{Planner, Prepared};
use planfuzz_core::plans::{self, AddressedChange, OutputChange};
use planfuzz_core::state::{DeposedKey, Object, Private, Stored};
use planfuzz_core::value::Value;
use planfuzz_language::expression::Marked;
use planfuzz_optimized::Optimized;
use planfuzz_workspace::order::WalkOrder;
use planfuzz_workspace::{
    Answer, Call, CheckTable, Diagnostic, Made, NodeId, Order, Plan, Providers, State, Trace, Workspace,
};

use crate::expr::{Evaluated, Expr};
use crate::graph::{Found, Graph, Node};
use crate::instances::Shared;
use crate::marks;
use crate::model::{Model, Repeats, Use};
use crate::names;
use crate::scope::{Inst, Repeat, Repeated, value_of_block};
use crate::targets::Selection;

/// What a walk is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// V
    Validate,
    /// P
    Plan,
    /// R
    Refresh,
    /// D1
    BeforeDestroy,
    /// D2
    Destroy,
    /// A
    Apply,
}

/// The calls of a command.
pub struct Calls<'p> {
    providers: &'p mut dyn Providers,
    /// What was asked and answered.
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
    /// Where its change is, in an apply.
    pub change: Option<usize>,
}

/// A graph with what its numbers mean.
#[derive(Clone, Debug, Default)]
pub struct Wired {
    /// The graph.
    pub graph: Graph,
    /// Objects.
    pub things: Vec<Thing>,
    /// Root outputs that are no longer configured.
    pub gone: Vec<String>,
}

/// What is recorded for one configured or gone resource.
#[derive(Debug, Default)]
pub struct Recorded {
    /// Changes by their places.
    pub of: HashMap<ConfigResource, Vec<usize>>,
}

/// A walk under way.
pub struct Walk<'m, 'w, 'c, 'p> {
    /// What is asked.
    pub workspace: &'w Workspace,
    /// The configuration.
    pub model: &'m Model<'w>,
    /// Planners of instances, by schema.
    pub prepared: Vec<Box<dyn Prepared + 'w>>,
    /// What it is made for.
    pub purpose: Purpose,
    /// The graph.
    pub wired: Wired,
    /// The node that is visited.
    pub here: NodeId,
    /// Module instances.
    pub insts: Vec<Inst>,
    /// Which are of a module.
    pub of_module: Vec<Vec<usize>>,
    /// Which has an address.
    pub inst_places: HashMap<ModuleInstance, usize>,
    /// The state as it was, after upgrades.
    pub previous: State,
    /// The state as it is.
    pub state: State,
    /// Whether expressions see the state as it is, and not what was planned.
    pub sees_state: bool,
    /// Objects of the state that expressions do not see.
    pub unseen: HashSet<AbsResourceInstance>,
    /// Changes of objects.
    pub changes: Vec<AddressedChange>,
    /// The changes of each resource.
    pub recorded: Recorded,
    /// Drift.
    pub drift: Vec<AddressedChange>,
    /// Changes of root outputs.
    pub outputs: Vec<OutputChange>,
    /// Checks.
    pub checks: CheckTable,
    /// What each provider was configured with.
    pub configured: Vec<Option<Value>>,
    /// What is told.
    pub diagnostics: Vec<Diagnostic>,
    /// Where moved instances were.
    pub moved: BTreeMap<AbsResourceInstance, AbsResourceInstance>,
    /// Targets.
    pub targets: Selection,
    /// Ephemeral objects that are open.
    pub opened: HashMap<usize, Vec<(AbsResourceInstance, Private)>>,
    /// Instances to be imported.
    pub imports: HashMap<AbsResourceInstance, String>,
    /// The plan that is applied.
    pub plan: Option<&'w Plan>,
    /// The keys under which objects are deposed.
    pub keys: BTreeMap<AbsResourceInstance, DeposedKey>,
    /// The blocks of which objects have to be created before they are destroyed.
    pub forced: Found,
    /// The instances that an apply creates before it destroys, for something that depends on them wants it.
    pub forced_instances: HashSet<AbsResourceInstance>,
    /// What instances of a block have in common, in an apply.
    pub shared: HashMap<usize, Rc<Shared>>,
    /// What was told of data resources of checks that could not be read.
    pub failed_reads: HashMap<String, String>,
    /// The resources of each block that the state had when the walk began.
    pub stored_of: HashMap<ConfigResource, Vec<AbsResource>>,
    /// Instances and dependencies that there may still be.
    pub room: [u64; 2],
    /// Nodes that a search found, kept from search to search.
    pub marks: Stamps,
    /// Where calls go.
    pub calls: &'c mut Calls<'p>,
}

/// Marks on nodes that are taken off all at once.
#[derive(Debug, Default)]
pub struct Stamps {
    stamps: Vec<u32>,
    now: u32,
}

impl Stamps {
    /// No node is marked.
    pub fn clear(&mut self, count: usize) {
        self.stamps.resize(count, 0);
        self.now += 1;
    }

    /// Marks one; whether it was not.
    pub fn mark(&mut self, node: u32) -> bool {
        std::mem::replace(&mut self.stamps[node as usize], self.now) != self.now
    }
}

impl<'p> Calls<'p> {
    /// Nothing asked yet.
    pub fn new(providers: &'p mut dyn Providers) -> Calls<'p> {
        Calls { providers, made: Vec::new() }
    }

    /// Asks.
    pub fn ask(&mut self, node: NodeId, visit: &str, call: Call) -> Answer {
        let answer = self.providers.call(&call);
        self.made.push(Made { node, visit: visit.to_owned(), call, answer: answer.clone() });
        answer
    }

    /// What was asked, in its order.
    pub fn into_trace(self, order: Order) -> Trace {
        Trace { calls: self.made, order, parts: Vec::new() }
    }
}

/// How many instances a walk may have: each has calls that the trace keeps.
const MOST_INSTANCES: u64 = 250_000;
/// How many dependencies all instances of a walk may have together.
const MOST_DEPENDENCIES: u64 = 20_000_000;

impl<'m, 'w, 'c, 'p> Walk<'m, 'w, 'c, 'p> {
    /// A walk over a graph without cycles.
    pub fn new(
        workspace: &'w Workspace,
        model: &'m Model<'w>,
        purpose: Purpose,
        wired: Wired,
        state: State,
        calls: &'c mut Calls<'p>,
    ) -> Self {
        let mut stored_of: HashMap<ConfigResource, Vec<AbsResource>> = HashMap::new();
        for address in state.resources.keys() {
            let config = ConfigResource { module: address.module.module(), resource: address.resource.clone() };
            stored_of.entry(config).or_default().push(address.clone());
        }
        let mut of_module = vec![Vec::new(); model.modules.len()];
        of_module[0].push(0);
        let root = Inst::new(model, 0, ModuleInstance::ROOT, 0, Repeated::default());
        let prepare = |typed: &crate::model::Typed<'w>| Optimized.prepare(typed.schema, model.dialect);
        let mut walk = Walk {
            workspace,
            model,
            prepared: if purpose == Purpose::Validate { Vec::new() } else { model.typed.iter().map(prepare).collect() },
            purpose,
            forced: Found::none(model.blocks.len()),
            wired,
            here: NodeId { walk: 0, node: 0 },
            insts: vec![root],
            of_module,
            inst_places: HashMap::from([(ModuleInstance::ROOT, 0)]),
            previous: state.clone(),
            state,
            sees_state: matches!(purpose, Purpose::Destroy | Purpose::Apply),
            unseen: HashSet::new(),
            changes: Vec::new(),
            recorded: Recorded::default(),
            drift: Vec::new(),
            outputs: Vec::new(),
            checks: CheckTable::default(),
            configured: vec![None; model.providers.len()],
            diagnostics: Vec::new(),
            moved: BTreeMap::new(),
            targets: Selection::default(),
            opened: HashMap::new(),
            imports: HashMap::new(),
            plan: None,
            keys: BTreeMap::new(),
            forced_instances: HashSet::new(),
            shared: HashMap::new(),
            failed_reads: HashMap::new(),
            stored_of,
            room: [MOST_INSTANCES, MOST_DEPENDENCIES],
            marks: Stamps::default(),
            calls,
        };
        walk.find_forced();
        walk
    }

    /// G130: what blocks with create_before_destroy reach.
    fn find_forced(&mut self) {
        let graph = &self.wired.graph;
        let is_flagged = |node: &u32| match graph.nodes[*node as usize] {
            Node::Block(block) => flag(self.model, block as usize),
            _ => false,
        };
        let flagged: Vec<u32> = (0..graph.len() as u32).filter(is_flagged).collect();
        let mut found = Found::none(graph.len());
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

    /// The walk as an order.
    pub fn order(&self, name: &str) -> WalkOrder {
        let graph = &self.wired.graph;
        let nodes = graph.nodes.iter().map(|&node| names::node(node, self.model, &self.wired)).collect();
        let waits_for = graph.waits.iter().map(|waits| waits.iter().map(|&to| to as usize).collect()).collect();
        WalkOrder { name: name.to_owned(), nodes, waits_for }
    }

    /// Visits all nodes that can be; whether none failed.
    pub fn run(&mut self) -> bool {
        let order = self.wired.graph.in_order();
        let mut failed = Found::none(self.wired.graph.len());
        let mut is_whole = true;
        for node in order {
            let waits = &self.wired.graph.waits[node as usize];
            let is_skipped = waits.iter().any(|&other| failed.has(other)) && !fault!(FailedGoOn);
            self.here.node = node as usize;
            if is_skipped || !self.visit(self.wired.graph.nodes[node as usize]) {
                failed.add(node);
                is_whole = false;
            }
        }
        is_whole
    }

    /// Visits a node; whether it did not fail.
    fn visit(&mut self, node: Node) -> bool {
        match node {
            Node::Block(block) => self.visit_block(block as usize),
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

    /// Tells diagnostics; whether there is no error among them.
    pub fn tell(&mut self, found: Vec<Diagnostic>) -> bool {
        let is_fine = !found.iter().any(Diagnostic::is_error);
        self.diagnostics.extend(found);
        is_fine
    }

    /// Records a change of an object.
    pub fn record(&mut self, change: AddressedChange) {
        self.recorded.of.entry(change.addr.config_resource()).or_default().push(self.changes.len());
        self.changes.push(change);
    }

    /// Takes room for instances.
    pub fn take_room(&mut self, place: &str, wanted: u64) -> Evaluated<()> {
        take(&mut self.room[0], wanted).ok_or_else(|| too_much(place, "instances", wanted, MOST_INSTANCES))
    }

    /// Takes room for the dependencies of instances.
    pub fn take_list(&mut self, place: &str, wanted: u64) -> Evaluated<()> {
        take(&mut self.room[1], wanted).ok_or_else(|| too_much(place, "dependencies", wanted, MOST_DEPENDENCIES))
    }

    /// Evaluates in a module instance, with what is repeated there.
    pub fn evaluate(&mut self, inst: usize, repeated: &Repeated, expr: &Expr, uses: &[Use]) -> Evaluated {
        if let Some(value) = expr.constant() {
            return Ok(value.clone());
        }
        self.prepare(inst, repeated, uses);
        expr.evaluate(&self.insts[inst].slots)
    }

    /// Fills the slots that are needed.
    pub fn prepare(&mut self, inst: usize, repeated: &Repeated, uses: &[Use]) {
        for one in uses {
            self.fill(inst, one);
        }
        let module = self.insts[inst].module;
        self.insts[inst].repeat(&self.model.modules[module].lexica, repeated);
    }

    fn fill(&mut self, inst: usize, one: &Use) {
        let model = self.model;
        let lexica = &model.modules[self.insts[inst].module].lexica;
        match one {
            Use::Block(block) => {
                let slot = model.blocks[*block].slot;
                if self.insts[inst].built[slot] {
                    return;
                }
                let value = self.block_value(inst, *block);
                self.insts[inst].slots.set(slot, value);
                self.insts[inst].built[slot] = true;
            }
            Use::All(mode, type_name) => {
                let Some(&slot) = lexica.alls.get(&(*mode, type_name.clone())) else { return };
                let blocks = model.modules[self.insts[inst].module].blocks.iter().copied();
                let of_type = |&block: &usize| {
                    let address = &model.blocks[block].address;
                    address.mode == *mode && address.type_name == *type_name
                };
                let members: Vec<_> = blocks
                    .filter(of_type)
                    .map(|block| (model.blocks[block].address.name.as_str().into(), self.block_value(inst, block)))
                    .collect();
                self.insts[inst].slots.set(slot, Marked::object(members));
            }
            Use::Call(child) => {
                let Some(&slot) = lexica.calls.get(child) else { return };
                if !self.insts[inst].built[slot]
                    && let Some(value) = self.call_value(inst, *child)
                {
                    self.insts[inst].slots.set(slot, value);
                    self.insts[inst].built[slot] = true;
                }
            }
        }
    }

    /// Something of a block changed: its value is made anew when it is next needed.
    pub fn touch(&mut self, inst: usize, block: usize) {
        self.insts[inst].built[self.model.blocks[block].slot] = false;
    }

    fn block_value(&self, inst: usize, block: usize) -> Marked {
        let of = &self.model.blocks[block];
        if self.purpose == Purpose::Validate {
            let value = Marked::from(Value::unknown(planfuzz_core::value::Type::Dynamic));
            let is_ephemeral = of.address.mode == ResourceMode::Ephemeral;
            return if is_ephemeral { value.with(planfuzz_language::expression::EPHEMERAL) } else { value };
        }
        let repeat = self.insts[inst].repeats[of.place].as_ref();
        let ty = of.schema.map(|schema| &self.model.typed[schema].ty);
        let own = &self.insts[inst].objects[of.place];
        match self.sees_state && of.address.mode != ResourceMode::Ephemeral {
            true => value_of_block(of.address.mode, repeat, &self.seen_objects(inst, block), ty),
            false => value_of_block(of.address.mode, repeat, own, ty),
        }
    }

    /// U41: the objects of a block in the state.
    fn seen_objects(&self, inst: usize, block: usize) -> BTreeMap<InstanceKey, Marked> {
        let of = &self.model.blocks[block];
        let address = AbsResource { module: self.insts[inst].address.clone(), resource: of.address.clone() };
        let Some(stored) = self.state.resources.get(&address) else { return BTreeMap::new() };
        let found = stored.instances.iter().filter_map(|(key, instance)| {
            let object = instance.current.as_ref()?;
            if !self.unseen.is_empty() {
                let AbsResource { module, resource } = address.clone();
                if self.unseen.contains(&AbsResourceInstance { module, resource, key: key.clone() }) {
                    return None;
                }
            }
            let typed = self.typed_of(&address, &stored.provider)?;
            Some((key.clone(), marks::to_expressions(&self.decoded(object, typed)?)))
        });
        found.collect()
    }

    /// The schema of objects in the state.
    pub fn typed_of(&self, address: &AbsResource, provider: &planfuzz_core::address::ProviderConfig) -> Option<usize> {
        self.model.typed_place(&provider.source.to_string(), address.resource.mode, &address.resource.type_name)
    }

    /// The value of a stored object.
    pub fn decoded(&self, object: &Object, typed: usize) -> Option<plans::Marked> {
        let value = match &object.stored {
            Stored::Value(value) => value.clone(),
            Stored::Raw { attributes, .. } => {
                Value::from_stored_json_or_absent(attributes, &self.model.typed[typed].ty).ok()?
            }
        };
        Some(plans::Marked::new(value, &object.sensitive))
    }

    /// E52: a call as expressions see it.
    fn call_value(&self, inst: usize, child: usize) -> Option<Marked> {
        use planfuzz_core::value::{Text, Type};
        let outputs = &self.model.modules[child].outputs;
        let object = |inst: &usize| {
            let members = outputs.iter().zip(&self.insts[*inst].outputs).map(|(output, value)| {
                let value = value.clone().unwrap_or_else(|| Value::unknown(Type::Dynamic).into());
                (output.of.name.text.clone(), value)
            });
            Marked::object(members.collect())
        };
        let unknown =
            || Type::object(outputs.iter().map(|one| (one.of.name.text.clone(), Type::Dynamic)).collect::<Vec<_>>());
        let (repeat, insts) = self.insts[inst].calls.get(&child)?;
        Some(match repeat {
            Repeat::Single => object(insts.first()?),
            Repeat::Count(_) => Marked::tuple(insts.iter().map(object).collect()),
            Repeat::Each(elements) => Marked::object(
                elements.iter().zip(insts).map(|((key, _), inst)| (Text::new(key), object(inst))).collect(),
            ),
            Repeat::Unknown(Repeats::Once) => Value::unknown(unknown()).into(),
            Repeat::Unknown(Repeats::Count) => Value::unknown(Type::list(unknown())).into(),
            Repeat::Unknown(Repeats::Each) => Value::unknown(Type::map(unknown())).into(),
        })
    }

    /// The dependencies of a block: all blocks and orphans that it reaches, sorted by their addresses (G140).
    pub fn dependencies(&mut self, block: usize) -> Vec<Depends> {
        let graph = &self.wired.graph;
        let Some(id) = graph.id(Node::Block(block as u32)) else { return Vec::new() };
        self.marks.clear(graph.len());
        let (mut rest, mut blocks, mut orphans) = (vec![id], Vec::new(), Vec::new());
        while let Some(node) = rest.pop() {
            for &to in &graph.waits[node as usize] {
                if self.marks.mark(to) {
                    rest.push(to);
                    match graph.nodes[to as usize] {
                        Node::Block(of) if of as usize != block => blocks.push(of),
                        Node::Orphan(thing) => orphans.push(thing),
                        _ => {}
                    }
                }
            }
        }
        if fault!(DataNoDependency) {
            blocks.retain(|&of| self.model.blocks[of as usize].address.mode != ResourceMode::Data);
        }
        blocks.sort_unstable_by_key(|&of| self.model.ranks[of as usize]);
        let mut found: Vec<Depends> = Vec::with_capacity(blocks.len());
        for of in blocks {
            let text = &self.model.blocks[of as usize].text;
            // A block that is declared twice has one address.
            if *text != self.model.blocks[block].text && found.last().is_none_or(|last| last.text != *text) {
                found.push(Depends { of: Source::Block(of), text: text.clone() });
            }
        }
        if !orphans.is_empty() {
            found.extend(orphans.into_iter().map(|thing| {
                let config = self.wired.things[thing as usize].address.config_resource();
                Depends { of: Source::Orphan(thing), text: config.to_string().as_str().into() }
            }));
            found.sort_by_cached_key(|one| self.config_of(one));
            found.dedup_by(|a, b| a.text == b.text);
        }
        found
    }

    /// The address of a dependency.
    pub fn config_of(&self, depends: &Depends) -> ConfigResource {
        match depends.of {
            Source::Block(block) => self.model.blocks[block as usize].config.clone(),
            Source::Orphan(thing) => self.wired.things[thing as usize].address.config_resource(),
        }
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

/// A dependency.
#[derive(Clone, Debug)]
pub struct Depends {
    /// What it is.
    pub of: Source,
    /// Its address as text.
    pub text: planfuzz_core::value::Text,
}

/// What a dependency is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A block.
    Block(u32),
    /// An object without a block.
    Orphan(u32),
}

/// Whether a block has create_before_destroy.
pub fn flag(model: &Model<'_>, block: usize) -> bool {
    model.blocks[block].of.lifecycle.create_before_destroy.as_ref().is_some_and(|flag| flag.value)
}
