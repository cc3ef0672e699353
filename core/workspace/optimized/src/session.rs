//! A planner that has planned once and takes edits: it plans again what depends on them.
//!
//! Problem: after a change of one value of a large configuration all of it is planned again. Idea: the plan is kept ([`crate::kept`]); an
//! edit makes some nodes of its walks due, and they are visited again, with the nodes that see another result by it ([`crate::again`]). An
//! edit that changes which things there are, and not only their properties (blocks and modules that come and go, references, order, modes
//! and targets), and a plan with errors, moves with an effect, imports or deposed objects, ends in a whole plan. Guarantee: the result is
//! that of a plan from scratch, in the same order.

use std::collections::BTreeSet;

use planfuzz_core::address::{AbsResource, AbsResourceInstance, Notation};
use planfuzz_core::plans::AddressedChange;
use planfuzz_core::state::InstanceState;
use planfuzz_language::check::{self, Schemas};
use planfuzz_language::config::{self, Load, Module};
use planfuzz_language::sources::TooLarge;
use planfuzz_language::{FileId, Sources};
use planfuzz_workspace::{Options, OutputState, Planned, Providers, ResourceState, State, Workspace};
use typed_arena::Arena;

use crate::again::Whole;
use crate::command::{ERRORS, PlanOutcome, Read, plan_read, refused};
use crate::edits::Edit;
use crate::graph::Node;
use crate::kept::{Both, Kept, KeptPlan};
use crate::rewritten::{File, Keeps};
use crate::walk::Calls;

/// Everything that sessions have read. It is kept as long as they live, so that a session of many edits should be begun anew with another
/// library now and then.
#[derive(Default)]
pub struct Library {
    sources: Arena<Sources>,
    loads: Arena<Load>,
    modules: Arena<Module>,
    schemas: Arena<Schemas>,
}

/// How a plan was made again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replanned {
    /// From scratch, and why.
    Whole(&'static str),
    /// In part, as far as it depends on the edits: the number of visited nodes of the walk of the plan.
    Part(usize),
}

/// A workspace that was planned, and is planned again after edits.
pub struct Session<'a> {
    library: &'a Library,
    schemas: &'a Schemas,
    workspace: Workspace,
    outcome: Option<PlanOutcome<'a>>,
    due: Both<BTreeSet<Node>>,
    whole: Option<Whole>,
}

impl<'a> Session<'a> {
    /// A session that has planned nothing yet.
    pub fn new(library: &'a Library, workspace: Workspace) -> Session<'a> {
        let schemas = library.schemas.alloc(workspace.schemas.clone());
        let due = Both { validate: BTreeSet::new(), plan: BTreeSet::new() };
        Session { library, schemas, workspace, outcome: None, due, whole: None }
    }

    /// The workspace as it is now.
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// Plans everything.
    pub fn plan(&mut self, providers: &mut dyn Providers) {
        (self.due.validate, self.due.plan, self.whole) = (BTreeSet::new(), BTreeSet::new(), None);
        self.outcome = None;
        self.outcome = Some(match refused(&self.workspace) {
            Some(refused) => PlanOutcome::Ended(Box::new(refused), ERRORS),
            None => {
                let sources = self.library.sources.alloc(self.workspace.sources.clone());
                let loaded = self.library.loads.alloc(check::load(sources, self.schemas));
                let read = Read { loaded, sources, schemas: self.schemas };
                plan_read(&self.workspace, read, Calls::new(providers), true)
            }
        });
    }

    /// Takes an edit for the next plan.
    ///
    /// # Errors
    /// A file that is too large, which is not taken.
    pub fn edit(&mut self, edit: Edit) -> Result<(), TooLarge> {
        let found = match edit {
            Edit::File(path, None) => {
                self.take_out(&path);
                Err(Whole("a file comes or goes"))
            }
            Edit::File(path, Some(bytes)) => self.file(path, bytes)?,
            Edit::Options(options) => self.options(options),
            Edit::Object(address, instance) => self.object(&address, instance),
            Edit::Resource(address, resource) => self.resource(address, resource),
            Edit::Output(name, output) => self.output(name, output),
            Edit::Checks(checks) => {
                let state = self.workspace.state.get_or_insert_default();
                state.checks.clone_from(&checks);
                if let Some(plan) = self.kept_plan().and_then(|kept_plan| kept_plan.walks.plan.as_mut()) {
                    plan.state.checks.clone_from(&checks);
                    plan.previous.checks = checks;
                }
                Ok(())
            }
        };
        if let Err(whole) = found {
            self.whole.get_or_insert(whole);
        }
        Ok(())
    }

    /// Plans again everything that depends on the edits since the last plan.
    pub fn replan(&mut self, providers: &mut dyn Providers) -> Replanned {
        let (whole, workspace) = (self.whole.take(), &self.workspace);
        let [validate, plan] = [&mut self.due.validate, &mut self.due.plan].map(std::mem::take);
        let reason = match (&mut self.outcome, whole) {
            (_, Some(whole)) => whole,
            (Some(PlanOutcome::Kept(kept_plan)), None) if kept_plan.has_deposed => Whole("a deposed object"),
            (Some(PlanOutcome::Kept(kept_plan)), None) if !kept_plan.is_worn() => {
                let ids = |nodes: BTreeSet<Node>, walk: &Option<Kept<'_>>| {
                    let ids = nodes.into_iter().map(|node| walk.as_ref()?.wired.graph.id(node));
                    ids.collect::<Option<Vec<u32>>>()
                };
                let due = ids(validate, &kept_plan.walks.validate).zip(ids(plan, &kept_plan.walks.plan));
                let replanned = match due {
                    Some((validate, plan)) => kept_plan.again(workspace, Both { validate, plan }, providers),
                    None => Err(Whole("a node that was not there")),
                };
                match replanned {
                    Ok(()) => return Replanned::Part(kept_plan.visits()),
                    Err(whole) => whole,
                }
            }
            (Some(PlanOutcome::Kept(_)), None) => Whole("much was planned again"),
            (Some(PlanOutcome::Ended(_, reason)), None) => Whole(reason),
            (None, None) => Whole("nothing was planned before"),
        };
        self.plan(providers);
        Replanned::Whole(reason.0)
    }

    /// A copy of the plan; checks whether its apply has a cycle.
    pub fn planned(&self) -> Planned {
        match &self.outcome {
            None => Planned::default(),
            Some(PlanOutcome::Ended(planned, _)) => (**planned).clone(),
            Some(PlanOutcome::Kept(kept_plan)) => kept_plan.planned(&self.workspace),
        }
    }

    /// The changes of the nodes that were visited last; empty if all was planned.
    pub fn news(&self) -> impl Iterator<Item = &AddressedChange> {
        let kept_plan = match &self.outcome {
            Some(PlanOutcome::Kept(kept_plan)) => Some(kept_plan),
            _ => None,
        };
        kept_plan.into_iter().flat_map(|kept_plan| kept_plan.news())
    }

    fn kept_plan(&mut self) -> Option<&mut KeptPlan<'a>> {
        match &mut self.outcome {
            Some(PlanOutcome::Kept(kept_plan)) => Some(kept_plan),
            _ => None,
        }
    }

    fn take_out(&mut self, path: &str) {
        let mut sources = Sources::new();
        let old = &self.workspace.sources;
        for (kept, file) in old.iter().filter(|(kept, _)| *kept != path) {
            // No file is larger than it was when it was taken.
            let taken = sources.add(kept, old.bytes(file));
            debug_assert!(taken.is_ok());
        }
        self.workspace.sources = sources;
    }

    fn file(&mut self, path: String, bytes: Vec<u8>) -> Result<Result<(), Whole>, TooLarge> {
        let old = self.workspace.sources.find(&path).map(|file| self.workspace.sources.bytes(file).to_vec());
        self.workspace.sources.add(path.clone(), bytes)?;
        Ok(match old {
            None => Err(Whole("a file comes or goes")),
            Some(old) => self.part(&path, &old),
        })
    }

    /// The declarations of a file, read on its own.
    fn read(&self, path: &str, bytes: &[u8]) -> Result<File<'a>, Whole> {
        let mut sources = Sources::new();
        let file: FileId = sources.add(path, bytes).map_err(|_| Whole("a file that is too large"))?;
        let sources = self.library.sources.alloc(sources);
        let (module, diagnostics) = config::load_file(sources, file);
        match diagnostics.is_empty() {
            true => Ok(File { sources, module: self.library.modules.alloc(module) }),
            false => Err(Whole("a file with diagnostics")),
        }
    }

    /// A file with other contents: its changed declarations are compiled again, and their nodes are due.
    fn part(&mut self, path: &str, old: &[u8]) -> Result<(), Whole> {
        let known = match self.kept_plan() {
            Some(kept_plan) => kept_plan.files.get(path).copied(),
            None => return Ok(()),
        };
        let before = match known {
            Some(known) => known,
            None => self.read(path, old)?,
        };
        let bytes = self.workspace.sources.find(path).map(|file| self.workspace.sources.bytes(file));
        let after = self.read(path, bytes.unwrap_or_default())?;
        let Some(PlanOutcome::Kept(kept_plan)) = &mut self.outcome else { return Ok(()) };
        kept_plan.files.insert(path.to_owned(), after);
        for node in kept_plan.rewrite(before, after)? {
            self.due.validate.insert(node);
            self.due.plan.insert(node);
        }
        Ok(())
    }

    fn options(&mut self, options: Options) -> Result<(), Whole> {
        let old = std::mem::replace(&mut self.workspace.options, options);
        let new = &self.workspace.options;
        let Some(PlanOutcome::Kept(kept_plan)) = &self.outcome else { return Ok(()) };
        let kept = |of: &Options| (of.mode, of.refresh, of.targets.clone(), of.excludes.clone());
        if kept(&old) != kept(new) {
            return Err(Whole("a mode, a target or refreshing"));
        }
        let names = |of: &Options| of.variables.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        if names(&old) != names(new) {
            return Err(Whole("a variable is given, or no longer"));
        }
        let both = old.variables.iter().zip(&new.variables);
        for ((name, _), _) in both.filter(|((_, old), (_, new))| old != new && !fault!(VariableForgotten)) {
            let place = kept_plan.model.modules[0].variable_places.get(name.as_str());
            self.due.plan.extend(place.map(|&place| Node::Variable(0, place as u32)));
        }
        let notation = Notation { engine: self.workspace.dialect.engine() };
        let is_in_one = |text: &&String| old.replace.contains(text) != new.replace.contains(text);
        for text in old.replace.iter().chain(&new.replace).filter(is_in_one) {
            let Ok(address) = notation.instance(text) else { return Err(Whole("an address that is none")) };
            let block = kept_plan.model.block_of(&address).filter(|_| !fault!(ReplaceForgotten));
            self.due.plan.extend(block.map(|block| Node::Block(block as u32)));
        }
        Ok(())
    }

    fn object(&mut self, address: &AbsResourceInstance, instance: InstanceState) -> Result<(), Whole> {
        let resource = address.abs_resource();
        let state = self.workspace.state.get_or_insert_default();
        let Some(old) = state.resources.get(&resource) else {
            return Err(Whole("an object of a resource that is not stored"));
        };
        let (provider, before) = (old.provider.clone(), state.instance(address).map(of_instance));
        let after = of_instance(&instance);
        state.put(address, &provider, instance);
        let Some(PlanOutcome::Kept(kept_plan)) = &mut self.outcome else { return Ok(()) };
        let keeps = Keeps { is_there: before == Some(after), provider: true, key: Some(&address.key) };
        let nodes = kept_plan.stored(&self.workspace, &resource, keeps)?;
        self.due.plan.extend(nodes.into_iter().filter(|_| !fault!(ObjectForgotten)));
        Ok(())
    }

    fn resource(&mut self, address: AbsResource, resource: Option<ResourceState>) -> Result<(), Whole> {
        let state = self.workspace.state.get_or_insert_default();
        let there = |of: &ResourceState| {
            let instances = of.instances.iter().map(|(key, instance)| (key.clone(), of_instance(instance)));
            instances.collect::<Vec<_>>()
        };
        let (provider, after) = (resource.as_ref().map(|of| of.provider.clone()), resource.as_ref().map(there));
        let old = match resource {
            Some(resource) => state.resources.insert(address.clone(), resource),
            None => state.resources.remove(&address),
        };
        let Some(PlanOutcome::Kept(kept_plan)) = &mut self.outcome else { return Ok(()) };
        let keeps = Keeps {
            is_there: old.as_ref().map(there) == after,
            provider: old.map(|old| old.provider) == provider,
            key: None,
        };
        let nodes = kept_plan.stored(&self.workspace, &address, keeps)?;
        self.due.plan.extend(nodes);
        Ok(())
    }

    fn output(&mut self, name: String, output: Option<OutputState>) -> Result<(), Whole> {
        fn put(state: &mut State, name: &str, output: Option<&OutputState>) -> Option<OutputState> {
            match output {
                Some(output) => state.outputs.insert(name.to_owned(), output.clone()),
                None => state.outputs.remove(name),
            }
        }
        let state = self.workspace.state.get_or_insert_default();
        let was_there = put(state, &name, output.as_ref()).is_some();
        let Some(PlanOutcome::Kept(kept_plan)) = &mut self.outcome else { return Ok(()) };
        let Some(plan) = &mut kept_plan.walks.plan else { return Ok(()) };
        put(&mut plan.previous, &name, output.as_ref());
        if let Some(place) = kept_plan.model.output(0, &name) {
            self.due.plan.insert(Node::Output(0, place as u32));
            return Ok(());
        }
        put(&mut plan.state, &name, output.as_ref());
        let place = plan.wired.gone.iter().position(|gone| *gone == name);
        match place.filter(|_| was_there && output.is_some()) {
            Some(place) => drop(self.due.plan.insert(Node::GoneOutput(place as u32))),
            None => return Err(Whole("an output without a block comes or goes")),
        }
        Ok(())
    }
}

/// Whether an instance has a current object, and deposed ones.
fn of_instance(instance: &InstanceState) -> (bool, bool) {
    (instance.current.is_some(), !instance.deposed.is_empty())
}
