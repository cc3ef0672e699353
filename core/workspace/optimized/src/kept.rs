//! A kept plan: its walks with the entries that each node left in their lists, so that they can be resumed after edits.
//!
//! Lists of a walk only grow: the entries of a node are a range of each, and visiting it again leaves another range. Gathered in the order
//! of the nodes, the ranges are the entries of a plan from scratch, in the same order.

use std::collections::BTreeMap;

use hashbrown::{HashMap, HashSet};
use planfuzz_core::address::{AbsResourceInstance, Notation};
use planfuzz_core::plans::{AddressedChange, Mode};
use planfuzz_core::state::{InstanceState, Private};
use planfuzz_core::value::Value;
use planfuzz_language::check::Parts;
use planfuzz_language::config::Configuration;
use planfuzz_workspace::{Diagnostic, Made, NodeId, Order, Plan, Planned, Providers, State, Trace, Workspace};

use crate::again::Whole;
use crate::command::{does_something, forgotten, late_cycle};
use crate::graph::{Node, NodeSet};
use crate::insts::Insts;
use crate::model::Model;
use crate::records::{DeposedObjects, Importing, Results, StoredObjects};
use crate::relevant::relevant;
use crate::rewritten::File;
use crate::scene::Typed;
use crate::statements::Statement;
use crate::statically::Statically;
use crate::targets::Selection;
use crate::walk::{Calls, Left, Purpose, Stamps, Walk, Wired};

/// A walk that came to its end.
pub(crate) struct Kept<'w> {
    purpose: Purpose,
    prepared: Vec<Typed<'w>>,
    pub(crate) wired: Wired,
    here: NodeId,
    pub(crate) insts: Insts,
    pub(crate) previous: State,
    pub(crate) state: State,
    pub(crate) objects: StoredObjects,
    results: Results,
    configured: Vec<Option<Value>>,
    opened: HashMap<usize, Vec<(AbsResourceInstance, Private)>>,
    forced: NodeSet,
    failed_reads: HashMap<String, String>,
    room: [u64; 2],
    marks: Stamps,
    left: Vec<Left>,
}

/// The order in which the nodes of a walk are visited, and the nodes to be visited again after each.
pub(crate) struct Routes {
    /// The nodes.
    pub(crate) order: Vec<u32>,
    /// The place of each among them.
    pub(crate) places: Vec<u32>,
    /// The nodes that wait for each.
    pub(crate) users: Vec<Vec<u32>>,
}

/// The two walks of a kept plan.
pub(crate) struct Both<T> {
    pub(crate) validate: T,
    pub(crate) plan: T,
}

/// A kept plan.
pub(crate) struct KeptPlan<'w> {
    pub(crate) model: Model<'w>,
    pub(crate) walks: Both<Option<Kept<'w>>>,
    pub(crate) routes: Both<Routes>,
    pub(crate) made: Vec<Made>,
    order: Order,
    /// Statements of moves without effect.
    pub(crate) statements: Vec<Statement>,
    /// The declarations, for parts that are checked again.
    pub(crate) parts: Parts<'w>,
    /// Files that were read again.
    pub(crate) files: HashMap<String, File<'w>>,
    /// The nodes of the plan's walk that were visited last.
    visited: Vec<u32>,
    /// The number of calls when all of the plan was made.
    at_first: usize,
    /// The nodes of objects without a block.
    pub(crate) orphans: HashMap<AbsResourceInstance, u32>,
    /// Whether some stored object is deposed, even if it was found to be gone.
    pub(crate) has_deposed: bool,
}

impl<'w> Kept<'w> {
    /// Keeps a walk.
    pub(crate) fn of(walk: Walk<'_, 'w, '_, '_>) -> Kept<'w> {
        let Walk { prepared, purpose, wired, here, insts, previous, state, objects, results, .. } = walk;
        let Walk { configured, opened, forced, failed_reads, room, marks, left, .. } = walk;
        let left = left.unwrap_or_default();
        Kept {
            purpose,
            prepared,
            wired,
            here,
            insts,
            previous,
            state,
            objects,
            results,
            configured,
            opened,
            forced,
            failed_reads,
            room,
            marks,
            left,
        }
    }

    /// The walk, taken up again.
    pub(crate) fn resume<'m, 'c, 'p>(
        self,
        workspace: &'m Workspace,
        model: &'m Model<'w>,
        calls: &'c mut Calls<'p>,
    ) -> Walk<'m, 'w, 'c, 'p> {
        Walk {
            workspace,
            model,
            prepared: self.prepared,
            purpose: self.purpose,
            wired: self.wired,
            here: self.here,
            insts: self.insts,
            previous: self.previous,
            state: self.state,
            sees_state: false,
            // What else is noted of stored objects is noted anew.
            objects: StoredObjects { of_block: self.objects.of_block, ..StoredObjects::default() },
            deposed: DeposedObjects::default(),
            importing: Importing::default(),
            results: self.results,
            configured: self.configured,
            statically: HashMap::new(),
            of_body: Statically::default(),
            moved: BTreeMap::new(),
            handovers: BTreeMap::new(),
            targets: Selection::new(&workspace.options, Notation { engine: model.dialect.engine() }),
            opened: self.opened,
            plan: None,
            forced: self.forced,
            forced_instances: HashSet::new(),
            shared: HashMap::new(),
            failed_reads: self.failed_reads,
            room: self.room,
            marks: self.marks,
            left: Some(self.left),
            calls,
        }
    }

    fn gather<T: Clone>(&self, routes: &Routes, list: &[T], range: impl Fn(&Left) -> std::ops::Range<usize>) -> Vec<T> {
        let ranges = routes.order.iter().map(|&node| range(&self.left[node as usize]));
        ranges.flat_map(|range| list.get(range).unwrap_or_default()).cloned().collect()
    }

    fn calls(&self, routes: &Routes, made: &[Made]) -> Vec<Made> {
        self.gather(routes, made, |left| left.from.calls..left.to.calls)
    }

    fn diagnostics(&self, routes: &Routes) -> Vec<Diagnostic> {
        self.gather(routes, &self.results.diagnostics, |left| left.from.diagnostics..left.to.diagnostics)
    }

    /// The changes that a node left.
    fn changes_of(&self, node: u32) -> &[AddressedChange] {
        let range = self.left.get(node as usize).map(|left| left.from.changes..left.to.changes);
        range.and_then(|range| self.results.changes.get(range)).unwrap_or_default()
    }
}

impl Routes {
    fn of(wired: &Wired) -> Routes {
        let order = wired.graph.in_order();
        let mut places = vec![0; wired.graph.len()];
        order.iter().enumerate().for_each(|(place, &node)| places[node as usize] = place as u32);
        Routes { order, places, users: wired.graph.users() }
    }
}

impl<'w> KeptPlan<'w> {
    /// Keeps a plan whose two walks came to their ends.
    pub(crate) fn new(
        model: Model<'w>,
        configuration: &'w Configuration,
        [validate, plan]: [Kept<'w>; 2],
        made: Vec<Made>,
        order: Order,
        statements: Vec<Statement>,
    ) -> KeptPlan<'w> {
        let routes = Both { validate: Routes::of(&validate.wired), plan: Routes::of(&plan.wired) };
        let nodes = plan.wired.graph.nodes.iter().enumerate();
        let orphans = nodes.filter_map(|(id, node)| match node {
            Node::Orphan(thing) => Some((plan.wired.things[*thing as usize].address.clone(), id as u32)),
            _ => None,
        });
        // Stored deposed objects have nodes, unless targets leave them out: then they stay in the state.
        let mut resources = plan.state.resources.values();
        let is_deposed = |instance: &InstanceState| !instance.deposed.is_empty();
        let has_deposed = resources.any(|resource| resource.instances.values().any(is_deposed))
            || plan.wired.graph.nodes.iter().any(|node| matches!(node, Node::Deposed(_)));
        KeptPlan {
            orphans: orphans.collect(),
            has_deposed,
            parts: Parts::new(configuration, model.schemas),
            walks: Both { validate: Some(validate), plan: Some(plan) },
            routes,
            model,
            at_first: made.len(),
            made,
            order,
            statements,
            files: HashMap::new(),
            visited: Vec::new(),
        }
    }

    /// Whether entries of earlier visits take about as much room as the current ones.
    pub(crate) fn is_worn(&self) -> bool {
        self.made.len() > 2 * self.at_first + 10_000
    }

    /// Visits the due nodes of both walks again.
    pub(crate) fn again(
        &mut self,
        workspace: &Workspace,
        due: Both<Vec<u32>>,
        providers: &mut dyn Providers,
    ) -> Result<(), Whole> {
        let mut calls = Calls::after(providers, std::mem::take(&mut self.made));
        self.visited.clear();
        let validate = (&mut self.walks.validate, &self.routes.validate, due.validate);
        let plan = (&mut self.walks.plan, &self.routes.plan, due.plan);
        for (kept, routes, due) in [validate, plan] {
            let Some(walk) = kept.take() else { return Err(Whole("an error")) };
            let mut walk = walk.resume(workspace, &self.model, &mut calls);
            self.visited = walk.again(routes, due)?;
            // G36 to G39: moves are checked against the expansion of the walk.
            if walk.purpose == Purpose::Plan
                && !walk.check_moves(&self.statements, 0).is_empty()
                && !fault!(MovesUnchecked)
            {
                return Err(Whole("a move has diagnostics"));
            }
            *kept = Some(Kept::of(walk));
        }
        self.made = calls.into_made();
        Ok(())
    }

    /// The changes of the nodes that were visited last.
    pub(crate) fn news(&self) -> impl Iterator<Item = &AddressedChange> {
        let plan = self.walks.plan.iter();
        plan.flat_map(|plan| self.visited.iter().flat_map(|&node| plan.changes_of(node)))
    }

    /// How many nodes were visited last in the walk of the plan.
    pub(crate) fn visits(&self) -> usize {
        self.visited.len()
    }

    /// The plan as a planner returns it.
    pub(crate) fn planned(&self, workspace: &Workspace) -> Planned {
        let (Some(validate), Some(plan)) = (&self.walks.validate, &self.walks.plan) else { return Planned::default() };
        let routes = &self.routes;
        let mut diagnostics = validate.diagnostics(&routes.validate);
        diagnostics.extend(plan.diagnostics(&routes.plan));
        let mut calls = validate.calls(&routes.validate, &self.made);
        calls.extend(plan.calls(&routes.plan, &self.made));
        let changes = plan.gather(&routes.plan, &plan.results.changes, |left| left.from.changes..left.to.changes);
        diagnostics.extend(incomplete_replacements(&self.model, workspace, plan));
        diagnostics.extend(forgotten(workspace.dialect, &changes));
        let outputs = plan.gather(&routes.plan, &plan.results.outputs, |left| left.from.outputs..left.to.outputs);
        let relevant = Some(relevant(&self.model, plan.insts.all(), &changes, &outputs));
        let mut planned = Plan {
            mode: Mode::Normal,
            changes,
            drift: plan.gather(&routes.plan, &plan.results.drift, |left| left.from.drift..left.to.drift),
            outputs,
            checks: plan.results.checks.clone(),
            relevant,
            applyable: false,
            complete: true,
            errored: false,
            prior: plan.state.clone(),
            previous: plan.previous.clone(),
        };
        planned.applyable = does_something(workspace.dialect, &planned);
        diagnostics.extend(late_cycle(&self.model, &planned, &Selection::default()));
        let trace = Trace { calls, order: self.order.clone(), parts: Vec::new() };
        Planned { plan: Some(planned), diagnostics, trace }
    }
}

/// G106
fn incomplete_replacements(model: &Model<'_>, workspace: &Workspace, plan: &Kept<'_>) -> Vec<Diagnostic> {
    let named = crate::imports::whole_resources(model, &workspace.options.replace);
    let insts = named.flat_map(|of| plan.insts.of(of.module).iter().map(|&inst| (inst, of.place)));
    let is_repeated = |(inst, place): &(usize, usize)| {
        plan.insts[*inst].repeats[*place].as_ref().is_some_and(|repeat| repeat.has_keys())
    };
    insts.filter(is_repeated).map(|_| Diagnostic::warning(crate::imports::INCOMPLETE)).collect()
}
